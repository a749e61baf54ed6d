//! Idempotency keys: a change that is asked for twice with one key happens once.
//!
//! Deliberately not here: what outlives the process. A key is good for some minutes, which is
//! how long a client tries again; memory is bounded by bytes as well.

use base::Failure;
use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::task::TaskTracker;
use wire::Caller;

/// Bytes of remembered answers together; the oldest leave. The newest stays whatever its size.
const REMEMBERED: usize = 8 * 1024 * 1024;
/// An answer is remembered for this long.
const AGE: Duration = Duration::from_secs(600);
/// What remembering costs beside the answer itself.
const ENTRY: usize = 512;

/// The answer of a call as JSON, ready to be sent as often as it is asked for.
pub(super) type Answer = Result<Bytes, Failure>;

/// A change under way or done; everybody who asks for it waits for the same one.
pub(super) type Asked = Shared<BoxFuture<'static, Answer>>;

/// Who asks for what, under which key: another caller's key and another change are another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u8; 32]);

impl Key {
    pub(super) fn new(caller: &Caller, call: &str, body: &[u8], given: &[u8]) -> Self {
        let who = format!(
            "{:?} {:?} {}",
            caller.access, caller.actor.kind, caller.actor.name
        );
        let mut hash = Sha256::new();
        for part in [who.as_bytes(), call.as_bytes(), body, given] {
            // With its length, so that no part can pretend to be the beginning of the next.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }
}

/// Handle to what is remembered. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Repeated {
    known: Arc<Mutex<Known>>,
}

#[derive(Default)]
struct Known {
    asked: HashMap<Key, Asked>,
    /// Oldest first. A change that still runs is not here, so it cannot be forgotten.
    done: VecDeque<Done>,
    bytes: usize,
}

struct Done {
    key: Key,
    at: Instant,
    bytes: usize,
}

impl Repeated {
    /// Does the work as a task of its own, or gives the answer of the time when it was done.
    /// A caller that goes away does not stop it, and does not make the next one do it again.
    pub(super) async fn once(
        &self,
        tasks: &TaskTracker,
        key: Key,
        work: impl Future<Output = Result<Value, Failure>> + Send + 'static,
    ) -> Answer {
        let asked = self.begin(tasks, key, work);
        asked.await
    }

    /// The answer to what was asked for under this key, done or under way. Nothing is begun.
    pub(super) fn again(&self, key: Key) -> Option<Asked> {
        let mut known = self.lock();
        known.forget(Instant::now());
        known.asked.get(&key).cloned()
    }

    fn begin(
        &self,
        tasks: &TaskTracker,
        key: Key,
        work: impl Future<Output = Result<Value, Failure>> + Send + 'static,
    ) -> Asked {
        let mut known = self.lock();
        known.forget(Instant::now());
        if let Some(asked) = known.asked.get(&key) {
            return asked.clone();
        }
        let repeated = self.clone();
        let task = tasks.spawn(async move {
            // A task in the task: when the work panics, its key is still given back below.
            let done = tokio::spawn(work)
                .await
                .unwrap_or_else(|error| Err(broken(&error)));
            let lasts = lasts(&done);
            let answer = done.and_then(|value| written(&value));
            let mut known = repeated.lock();
            if lasts {
                known.remember(key, size(&answer), Instant::now());
            } else {
                known.asked.remove(&key);
            }
            answer
        });
        let asked = task
            .map(|joined| joined.unwrap_or_else(|error| Err(broken(&error))))
            .boxed()
            .shared();
        known.asked.insert(key, asked.clone());
        asked
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn remember(&mut self, key: Key, bytes: usize, now: Instant) {
        let bytes = bytes + ENTRY;
        self.done.push_back(Done { key, at: now, bytes });
        self.bytes += bytes;
        self.forget(now);
    }

    fn forget(&mut self, now: Instant) {
        while let Some(oldest) = self.done.front() {
            let old = now.saturating_duration_since(oldest.at) >= AGE;
            let too_much = self.bytes > REMEMBERED && self.done.len() > 1;
            if !old && !too_much {
                return;
            }
            self.asked.remove(&oldest.key);
            self.bytes -= oldest.bytes;
            self.done.pop_front();
        }
    }
}

pub(super) fn written(value: &Value) -> Answer {
    serde_json::to_vec(value)
        .map(Bytes::from)
        .map_err(|error| Failure::new("internal").detail(error.to_string()))
}

pub(super) fn broken(error: &tokio::task::JoinError) -> Failure {
    Failure::new("internal").detail(error.to_string())
}

fn size(answer: &Answer) -> usize {
    match answer {
        Ok(bytes) => bytes.len(),
        Err(failure) => serde_json::to_vec(failure).map_or(0, |bytes| bytes.len()),
    }
}

/// Whether the same question would be answered in the same way: not when the server was short of
/// something for a moment, for then the client is right to ask again.
fn lasts(done: &Result<Value, Failure>) -> bool {
    let code = match done {
        Err(failure) => Some(failure.code.as_str()),
        // What a tool's run ended with is a result, `wire::RunResult`.
        Ok(value) => value.pointer("/error/code").and_then(Value::as_str),
    };
    code.is_none_or(|code| {
        !matches!(code, "internal" | "server_ending" | "tool_busy") && !code.starts_with("store_")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::sync::oneshot;

    #[derive(Clone, Default)]
    struct Counter(Arc<AtomicU32>);

    impl Counter {
        fn work(&self) -> impl Future<Output = Result<Value, Failure>> + Send + 'static {
            self.then(|n| Ok(json!(n)))
        }

        /// Work that counts itself and ends as it is told.
        fn then(
            &self,
            end: impl FnOnce(u32) -> Result<Value, Failure> + Send + 'static,
        ) -> impl Future<Output = Result<Value, Failure>> + Send + 'static {
            let counter = self.0.clone();
            async move { end(counter.fetch_add(1, Ordering::Relaxed) + 1) }
        }

        fn count(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }
    }

    fn key(given: &str) -> Key {
        Key::new(&Caller::person("pm"), "tool.run", b"{}", given.as_bytes())
    }

    #[tokio::test]
    async fn one_key_one_change() {
        let (repeated, tasks, counter) = (Repeated::default(), TaskTracker::new(), Counter::default());
        let (a, b) = tokio::join!(
            repeated.once(&tasks, key("k"), counter.work()),
            repeated.once(&tasks, key("k"), counter.work())
        );
        let c = repeated.once(&tasks, key("k"), counter.work()).await;
        for answer in [a, b, c] {
            assert_eq!(answer.unwrap(), "1");
        }
        assert_eq!(
            repeated.once(&tasks, key("l"), counter.work()).await.unwrap(),
            "2"
        );
        let refused = || Err(Failure::new("grant_not_found"));
        for _ in 0..2 {
            let answer = repeated
                .once(&tasks, key("m"), counter.then(move |_| refused()))
                .await;
            assert_eq!(answer.unwrap_err().code, "grant_not_found");
        }
        assert_eq!(counter.count(), 3, "a refusal is an answer, too");
    }

    #[test]
    fn every_part_makes_another_key() {
        let pm = Caller::person("pm");
        let mut all = vec![
            Key::new(&pm, "c", b"body", b"k"),
            Key::new(&pm, "c", b"body", b"l"),
            Key::new(&pm, "c", b"other", b"k"),
            Key::new(&pm, "d", b"body", b"k"),
            Key::new(&pm, "c", b"bodyk", b""),
            Key::new(&Caller::person("web"), "c", b"body", b"k"),
            Key::new(&Caller::mcp_client("pm"), "c", b"body", b"k"),
        ];
        all.sort_by_key(|key| key.0);
        all.dedup();
        assert_eq!(all.len(), 7);
        assert_eq!(Key::new(&pm, "c", b"b", b"k"), Key::new(&pm, "c", b"b", b"k"));
    }

    #[tokio::test]
    async fn a_client_that_went_away_left_its_change_running() {
        let (repeated, tasks, counter) = (Repeated::default(), TaskTracker::new(), Counter::default());
        let (go, wait) = oneshot::channel::<()>();
        let first = repeated.begin(&tasks, key("k"), {
            let work = counter.work();
            async move {
                wait.await.unwrap();
                work.await
            }
        });
        assert!(first.clone().now_or_never().is_none());
        drop(first);
        let second = repeated.begin(&tasks, key("k"), counter.work());
        let again = repeated.again(key("k")).unwrap();
        assert!(repeated.again(key("l")).is_none(), "never asked for");
        go.send(()).unwrap();
        assert_eq!(second.await.unwrap(), "1");
        assert_eq!(again.await.unwrap(), "1");
        assert_eq!(
            repeated.again(key("k")).unwrap().await.unwrap(),
            "1",
            "and remembered"
        );
        assert_eq!(counter.count(), 1);
    }

    #[tokio::test]
    async fn what_may_go_well_the_next_time_is_done_again() {
        let (repeated, tasks, counter) = (Repeated::default(), TaskTracker::new(), Counter::default());
        let codes = [
            "internal",
            "server_ending",
            "store_failed",
            "store_io",
            "tool_busy",
        ];
        for code in codes {
            let fail = counter.then(move |_| Err(Failure::new(code)));
            assert_eq!(
                repeated.once(&tasks, key("k"), fail).await.unwrap_err().code,
                code
            );
        }
        let busy = counter.then(|_| Ok(json!({"success": false, "error": {"code": "tool_busy"}})));
        assert!(repeated.once(&tasks, key("k"), busy).await.is_ok());
        let panics = counter.then(|_| panic!("on purpose"));
        assert_eq!(
            repeated.once(&tasks, key("k"), panics).await.unwrap_err().code,
            "internal"
        );
        assert!(repeated.lock().asked.is_empty());
        let ends = |_| Ok(json!({"success": false, "error": {"code": "timeout"}}));
        for _ in 0..2 {
            repeated.once(&tasks, key("k"), counter.then(ends)).await.unwrap();
        }
        assert_eq!(counter.count(), 8);
    }

    #[tokio::test]
    async fn answers_are_forgotten_by_size_and_running_changes_never() {
        let (repeated, tasks, counter) = (Repeated::default(), TaskTracker::new(), Counter::default());
        let (go, wait) = oneshot::channel::<()>();
        let running = repeated.begin(&tasks, key("running"), {
            let work = counter.work();
            async move {
                wait.await.unwrap();
                work.await
            }
        });
        let mebibyte = Value::from("x".repeat(1024 * 1024));
        for n in 0..20 {
            let (name, value) = (n.to_string(), mebibyte.clone());
            let answer = repeated.once(&tasks, key(&name), async move { Ok(value) }).await;
            assert_eq!(answer.unwrap().len(), 1024 * 1024 + 2);
            assert!(repeated.lock().bytes <= REMEMBERED);
        }
        assert_eq!(repeated.lock().done.len(), 7);
        for (name, again) in [("19", false), ("13", false), ("12", true)] {
            let before = counter.count();
            repeated.once(&tasks, key(name), counter.work()).await.unwrap();
            assert_eq!(counter.count() > before, again, "{name}");
        }
        let again = repeated.begin(&tasks, key("running"), counter.work());
        go.send(()).unwrap();
        assert_eq!(running.await.unwrap(), again.await.unwrap());
        let huge = Value::from("x".repeat(REMEMBERED));
        for _ in 0..2 {
            let value = huge.clone();
            let answer = repeated
                .once(&tasks, key("huge"), counter.then(move |_| Ok(value)))
                .await;
            assert_eq!(answer.unwrap().len(), REMEMBERED + 2);
        }
        assert_eq!(counter.count(), 3, "the newest stays whatever its size");
        assert_eq!(repeated.lock().done.len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn what_is_remembered_is_young_and_little(
            steps in prop::collection::vec((0_usize..3_000_000, 0_u64..200), 1..60),
        ) {
            let mut known = Known::default();
            let mut now = Instant::now();
            for (n, (bytes, seconds)) in steps.into_iter().enumerate() {
                now += Duration::from_secs(seconds);
                let key = key(&n.to_string());
                known.asked.insert(key, futures_util::future::ready(Ok(Bytes::new())).boxed().shared());
                known.remember(key, bytes, now);
                prop_assert!(known.asked.contains_key(&key), "the newest");
                prop_assert!(known.bytes <= REMEMBERED);
                prop_assert_eq!(known.bytes, known.done.iter().map(|done| done.bytes).sum::<usize>());
                prop_assert_eq!(known.asked.len(), known.done.len());
                prop_assert!(known.done.iter().all(|done| now - done.at < AGE));
            }
            known.forget(now + AGE);
            prop_assert!(known.asked.is_empty() && known.bytes == 0);
        }
    }
}
