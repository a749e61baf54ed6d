//! What was said to sessions, kept for a while: a client that lost its connection finds there what it
//! missed, the answer to a call that ended meanwhile as well, and hears what comes after it.
//!
//! The name of an event holds that of its stream, which nobody can guess; who knows it heard it there.

use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::streamable_http_server::session::{
    EventStore, EventStoreError, EventStream, ServerSseMessage,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long a client may be away and miss nothing.
const AWAY: Duration = Duration::from_secs(600);
/// Bytes of all that is kept; beyond it the oldest leaves.
const BYTES: usize = 8 * 1024 * 1024;
/// Streams that are known to go on.
const OPEN: usize = 10_000;
/// What an event takes beside its text.
const EACH: usize = 512;

/// Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Replay(Arc<Inner>);

#[derive(Default)]
struct Inner {
    kept: Mutex<Kept>,
    /// Something was said to somebody.
    said: Notify,
}

#[derive(Default)]
struct Kept {
    streams: HashMap<Arc<str>, VecDeque<Event>>,
    /// All events, the oldest first: of which stream, how large, since when.
    order: VecDeque<(Arc<str>, usize, Instant)>,
    bytes: usize,
    /// Streams that go on: as long as their session, or until the answer to their request.
    open: HashSet<String>,
    /// The last event's number.
    last: u64,
}

struct Event {
    number: u64,
    message: ServerSseMessage,
}

#[derive(Debug, thiserror::Error)]
#[error("no such event is kept")]
struct NotKept;

/// What comes after an event of a stream.
enum After {
    Said(u64, Box<ServerSseMessage>),
    NotYet,
    End,
}

impl Replay {
    /// A session begins: there may always be something to say in it that concerns no request.
    pub(super) fn begin(&self, session: &str) {
        self.kept().open.insert(common(session));
    }

    /// Nobody hears of a session any more that has ended.
    pub(super) fn end(&self, session: &str) {
        let common = common(session);
        let mut kept = self.kept();
        kept.open.remove(&common);
        kept.streams.remove(&*common);
        drop(kept);
        self.0.said.notify_waiters();
    }

    /// The event before all that concerns no request of a session.
    pub(super) fn beginning(session: &str) -> String {
        format!("{}/0", common(session))
    }

    /// What is said in a stream after an event, when it is said; `None` when nothing will be.
    async fn next(&self, stream: &str, number: u64) -> Option<(u64, ServerSseMessage)> {
        loop {
            // Made before the look: what is said in between wakes it.
            let said = self.0.said.notified();
            let after = self.kept().after(stream, number);
            match after {
                After::Said(number, message) => return Some((number, *message)),
                After::End => return None,
                After::NotYet => said.await,
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, stream: &str, message: &ServerSseMessage, now: Instant) -> String {
        let name = self.kept().keep(stream, message, now);
        self.0.said.notify_waiters();
        name
    }
}

impl Kept {
    fn keep(&mut self, stream: &str, message: &ServerSseMessage, now: Instant) -> String {
        self.last += 1;
        let number = self.last;
        let name = format!("{stream}/{number}");
        let stream = match self.streams.get_key_value(stream) {
            Some((known, _)) => known.clone(),
            None => Arc::from(stream),
        };
        if is_answer(message) && !is_common(&stream) {
            self.open.remove(&*stream);
        }
        let mut message = message.clone();
        message.event_id = Some(name.clone());
        let bytes = EACH + message.message.as_deref().map_or(0, length);
        let events = self.streams.entry(stream.clone()).or_default();
        events.push_back(Event { number, message });
        self.order.push_back((stream, bytes, now));
        self.bytes += bytes;
        self.forget(now);
        name
    }

    fn forget(&mut self, now: Instant) {
        while let Some((stream, bytes, since)) = self.order.front() {
            if self.bytes <= BYTES && now.duration_since(*since) < AWAY {
                return;
            }
            self.bytes -= bytes;
            // The oldest of all is the oldest of its stream.
            if let Some(events) = self.streams.get_mut(stream) {
                let gone = events.pop_front();
                if events.is_empty() {
                    // Who waits in it still waits for the answer.
                    if gone.is_some_and(|event| !is_answer(&event.message)) && self.open.len() < OPEN {
                        self.open.insert(stream.to_string());
                    }
                    self.streams.remove(stream);
                }
            }
            self.order.pop_front();
        }
    }

    fn after(&self, stream: &str, number: u64) -> After {
        let events = self.streams.get(stream);
        let next =
            events.and_then(|events| events.get(events.partition_point(|event| event.number <= number)));
        let last = events.and_then(VecDeque::back);
        match next {
            Some(event) => After::Said(event.number, Box::new(event.message.clone())),
            None if self.open.contains(stream) => After::NotYet,
            // Nothing is said in a request's stream after the answer to it.
            None if last.is_some_and(|last| !is_answer(&last.message)) => After::NotYet,
            None => After::End,
        }
    }

    fn knows(&self, stream: &str) -> bool {
        self.streams.contains_key(stream) || self.open.contains(stream)
    }
}

#[async_trait::async_trait]
impl EventStore for Replay {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<String, EventStoreError> {
        Ok(self.keep(stream, event, Instant::now()))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let (stream, number) = parse(last)
            .filter(|(stream, _)| self.kept().knows(stream))
            .ok_or(NotKept)?;
        let begin = (self.clone(), stream.to_owned(), number);
        Ok(Box::pin(futures_util::stream::unfold(
            begin,
            |(replay, stream, number)| async move {
                let (number, message) = replay.next(&stream, number).await?;
                Some((message, (replay, stream, number)))
            },
        )))
    }
}

/// How rmcp names the stream of a session that concerns no request.
fn common(session: &str) -> String {
    format!("{session}:common")
}

fn is_common(stream: &str) -> bool {
    stream.ends_with(":common")
}

/// The stream and the number of an event.
fn parse(event: &str) -> Option<(&str, u64)> {
    let (stream, number) = event.rsplit_once('/')?;
    Some((stream, number.parse().ok()?))
}

fn is_answer(message: &ServerSseMessage) -> bool {
    matches!(
        message.message.as_deref(),
        Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_))
    )
}

/// Bytes of a message as JSON.
fn length(message: &ServerJsonRpcMessage) -> usize {
    struct Counted(usize);
    impl std::io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // One that is no JSON is not sent either.
    match serde_json::to_writer(&mut counted, message) {
        Ok(()) => counted.0,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, StreamExt};
    use rmcp::model::{EmptyResult, RequestId, ServerNotification, ServerResult};

    fn answer() -> ServerSseMessage {
        let result = ServerResult::EmptyResult(EmptyResult {});
        ServerSseMessage::from_message(ServerJsonRpcMessage::response(result, RequestId::Number(1)))
    }

    fn news() -> ServerSseMessage {
        let changed = ServerNotification::ToolListChangedNotification(Default::default());
        ServerSseMessage::from_message(ServerJsonRpcMessage::notification(changed))
    }

    fn ids(messages: &[ServerSseMessage]) -> Vec<&str> {
        messages
            .iter()
            .filter_map(|message| message.event_id.as_deref())
            .collect()
    }

    #[tokio::test]
    async fn who_was_away_hears_what_is_said_of_its_stream_up_to_the_answer() {
        let replay = Replay::default();
        let first = replay.store_event("a", &news()).await.unwrap();
        replay.store_event("b", &news()).await.unwrap();
        let second = replay.store_event("a", &news()).await.unwrap();
        let mut heard = replay.replay_events_after(&first).await.unwrap();
        assert_eq!(heard.next().await.unwrap().event_id.as_deref(), Some(&*second));
        assert!(
            heard.next().now_or_never().is_none(),
            "the answer is not there yet"
        );
        let answer = answer();
        let (rest, last) = tokio::join!(heard.collect::<Vec<_>>(), replay.store_event("a", &answer));
        assert_eq!(ids(&rest), [last.unwrap()]);

        let beginning = Replay::beginning("s");
        assert!(
            replay.replay_events_after(&beginning).await.is_err(),
            "no such session"
        );
        replay.begin("s");
        let mut heard = replay.replay_events_after(&beginning).await.unwrap();
        assert!(heard.next().now_or_never().is_none());
        let said = replay.store_event(&common("s"), &answer).await.unwrap();
        assert_eq!(heard.next().await.unwrap().event_id, Some(said));
        assert!(heard.next().now_or_never().is_none(), "there may always be more");
        replay.end("s");
        assert!(heard.next().await.is_none());

        for unknown in ["c/0", "a", "", "a/x", "0"] {
            assert!(replay.replay_events_after(unknown).await.is_err());
        }
    }

    #[test]
    fn what_is_old_or_too_much_leaves_and_the_oldest_first() {
        let (mut kept, begin) = (Kept::default(), Instant::now());
        kept.keep("old", &news(), begin);
        kept.keep("new", &news(), begin + AWAY / 2);
        kept.keep("new", &news(), begin + AWAY);
        assert!(!kept.streams.contains_key("old"));
        assert_eq!(kept.streams["new"].len(), 2);
        let most = BYTES / EACH;
        for nth in 0..most {
            kept.keep(&format!("s{nth}"), &news(), begin + AWAY);
        }
        assert!(kept.bytes <= BYTES && kept.order.len() < most && !kept.streams.contains_key("new"));
        assert_eq!(kept.order.len(), kept.streams.len(), "each has one");
        let counted: usize = kept.order.iter().map(|(_, bytes, _)| bytes).sum();
        assert_eq!(kept.bytes, counted);
    }
}
