//! Whoever asks: keeps its questions until they are answered, and gives them to the workers that take them.

use super::letter::{ANSWER, Answer, Beat, Entry, Fetch, LETTER, Letter, Part, Said, cut};
use super::{Queue, QueueError};
use crate::society::{Reply, Who};
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::{HeaderMap, Message, Subscriber};
use base::Failure;
use bytes::Bytes;
use futures_util::StreamExt as _;
use llm::Chat;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

/// Before it is tried again to reach the queue; each time twice as long.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Cheap to clone. When the last one is dropped, nobody hears answers any more.
#[derive(Clone)]
pub struct Asking {
    table: Arc<Table>,
    _serving: Arc<[AbortOnDropHandle<()>; 2]>,
}

struct Table {
    queue: Queue,
    /// Of this process alone: what one that was killed has asked, nobody wants any more.
    owner: String,
    open: Mutex<HashMap<String, Open>>,
}

/// A question without an answer.
struct Open {
    letter: Vec<Bytes>,
    /// Where it is in the queue, how often it was put there, and when last.
    sequence: Option<u64>,
    times: u32,
    queued: Instant,
    /// The attempt that has it, and when it was last heard.
    claim: Option<(String, Instant)>,
    /// Attempts that were not left again.
    taken: u32,
    /// What has come of the answer, and how many parts that are.
    come: (Vec<u8>, usize),
    told: Option<oneshot::Sender<Answer>>,
}

impl Open {
    fn claimed(&self, claim: Duration) -> Option<&str> {
        let (attempt, heard) = self.claim.as_ref()?;
        (heard.elapsed() < claim).then_some(attempt)
    }
}

/// A question as long as somebody waits for its answer.
struct There<'t> {
    table: &'t Arc<Table>,
    id: String,
}

impl Drop for There<'_> {
    fn drop(&mut self) {
        let gone = self.table.open().remove(&self.id);
        let Some(true) = gone.map(|open| open.told.is_some()) else {
            return;
        };
        // Whoever works on it hears it sooner than with its next beat.
        let (table, id) = (Arc::clone(self.table), std::mem::take(&mut self.id));
        tokio::spawn(async move {
            let off = table.queue.subject("off");
            if let Err(error) = table.queue.client().publish(off, id.into()).await {
                tracing::debug!(%error, "a question was not called off");
            }
        });
    }
}

impl Asking {
    pub async fn begin(queue: Queue) -> Result<Asking, QueueError> {
        let owner = uuid::Uuid::new_v4().simple().to_string();
        let mine = queue.subject(&format!("{owner}.*"));
        let heard = queue.client().subscribe(mine).await;
        let heard = heard.map_err(|error| queue.unreachable(&error))?;
        let table = Arc::new(Table {
            queue,
            owner,
            open: Mutex::default(),
        });
        let serving = [
            tokio::spawn(Arc::clone(&table).serve(heard)),
            tokio::spawn(Arc::clone(&table).look_after()),
        ];
        Ok(Asking {
            table,
            _serving: Arc::new(serving.map(AbortOnDropHandle::new)),
        })
    }

    /// Asks a model of whichever worker takes it. Dropped when nobody wants the answer any more.
    pub async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let letter = Letter {
            who: who.clone(),
            service: service.map(str::to_owned),
            chat,
        };
        let (part, id) = (self.table.queue.part(), uuid::Uuid::new_v4().simple().to_string());
        let letter = tokio::task::spawn_blocking(move || folded(&letter, part))
            .await
            .map_err(internal)??;
        let (told, mut answer) = oneshot::channel();
        let open = Open {
            letter,
            sequence: None,
            times: 0,
            queued: Instant::now(),
            claim: None,
            taken: 0,
            come: (Vec::new(), 0),
            told: Some(told),
        };
        self.table.open().insert(id.clone(), open);
        let there = There {
            table: &self.table,
            id,
        };
        tokio::select! {
            // It may be answered before the queue has said that it has it.
            answer = &mut answer => return answer.map_err(internal)?,
            queued = self.table.put(&there.id) => queued?,
        }
        answer.await.map_err(internal)?
    }

    /// Questions without an answer that are in the queue.
    pub fn waiting(&self) -> usize {
        let open = self.table.open();
        open.values().filter(|one| one.sequence.is_some()).count()
    }
}

fn internal(error: impl std::error::Error) -> Failure {
    Failure::new("internal").detail(error.to_string())
}

fn folded(letter: &Letter, part: usize) -> Result<Vec<Bytes>, Failure> {
    let whole = serde_json::to_vec(letter).map_err(internal)?;
    match whole.len() {
        bytes if bytes > LETTER => Err(Failure::of(&QueueError::TooLarge { bytes, limit: LETTER })),
        _ => Ok(cut(whole.into(), part)),
    }
}

impl Table {
    fn open(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a question into the queue, however long it takes to reach it, within limits.
    async fn put(&self, id: &str) -> Result<(), QueueError> {
        let (begun, mut pause) = (Instant::now(), PAUSE);
        loop {
            match self.try_to_put(id).await {
                Ok(()) => return Ok(()),
                Err(error) if begun.elapsed() > self.queue.times().patience => return Err(error),
                Err(error) => tracing::debug!(%error, "a question is not in the queue yet"),
            }
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    async fn try_to_put(&self, id: &str) -> Result<(), QueueError> {
        self.queue.stream().await?;
        let Some(times) = self.open().get(id).map(|open| open.times) else {
            return Ok(());
        };
        let entry = Entry {
            owner: self.owner.clone(),
            id: id.to_owned(),
        };
        let entry = serde_json::to_vec(&entry).map_err(|error| self.queue.unreachable(&error))?;
        let mut headers = HeaderMap::new();
        // Put twice because the first answer was lost, it is there once.
        headers.insert("Nats-Msg-Id", format!("{id}.{times}"));
        let context = &self.queue.inner.context;
        let putting = context.publish_with_headers(self.queue.subject("asks"), headers, entry.into());
        let kept = putting.await.map_err(|error| self.queue.unreachable(&error))?;
        let kept = kept.await.map_err(|error| self.queue.unreachable(&error))?;
        if let Some(open) = self.open().get_mut(id) {
            (open.sequence, open.queued) = (Some(kept.sequence), Instant::now());
        }
        Ok(())
    }

    async fn serve(self: Arc<Self>, mut heard: Subscriber) {
        while let Some(message) = heard.next().await {
            let Some(reply) = message.reply.clone() else {
                continue;
            };
            let (said, bytes) = self.answer(&message);
            let client = self.queue.client();
            let telling = client.publish_with_headers(reply, said.headers(), bytes).await;
            if let Err(error) = telling {
                tracing::debug!(%error, "a worker was not answered");
            }
        }
    }

    /// What a worker says, and what is said to it. Nothing of it is trusted to be well-formed.
    fn answer(&self, message: &Message) -> (Said, Bytes) {
        let Message { payload, headers, .. } = message;
        let said = match message.subject.rsplit('.').next() {
            Some("letter") => match serde_json::from_slice(payload) {
                Ok(fetch) => return self.give(&fetch),
                Err(_) => None,
            },
            Some("beat") => serde_json::from_slice(payload).ok().map(|beat| self.beat(&beat)),
            Some("answer") => Part::read(headers.as_ref()).map(|part| self.take(&part, payload)),
            _ => None,
        };
        (said.unwrap_or(Said::Gone), Bytes::new())
    }

    fn give(&self, fetch: &Fetch) -> (Said, Bytes) {
        let mut table = self.open();
        let Some(open) = table.get_mut(&fetch.id) else {
            return (Said::Gone, Bytes::new());
        };
        if open
            .claimed(self.queue.times().claim)
            .is_some_and(|attempt| attempt != fetch.attempt)
        {
            return (Said::Busy, Bytes::new());
        }
        let before = open.claim.replace((fetch.attempt.clone(), Instant::now()));
        if before.is_none_or(|(attempt, _)| attempt != fetch.attempt) {
            open.taken += 1;
        }
        let (parts, taken) = (open.letter.len(), open.taken);
        match open.letter.get(fetch.part) {
            Some(part) => (Said::Part { parts, taken }, part.clone()),
            None => (Said::Gone, Bytes::new()),
        }
    }

    /// A question, for the attempt to whom it belongs.
    fn of<'t>(
        &self,
        table: &'t mut MutexGuard<'_, HashMap<String, Open>>,
        id: &str,
        attempt: &str,
    ) -> Option<&'t mut Open> {
        let claim = self.queue.times().claim;
        let open = table.get_mut(id)?;
        open.claimed(claim)
            .is_none_or(|claimed| claimed == attempt)
            .then_some(open)
    }

    fn beat(&self, beat: &Beat) -> Said {
        let mut table = self.open();
        let Some(open) = self.of(&mut table, &beat.id, &beat.attempt) else {
            return Said::Gone;
        };
        open.claim = (!beat.leaves).then(|| (beat.attempt.clone(), Instant::now()));
        open.taken = open.taken.saturating_sub(u32::from(beat.leaves));
        Said::Taken
    }

    fn take(&self, part: &Part, bytes: &Bytes) -> Said {
        let mut table = self.open();
        let Some(open) = self.of(&mut table, &part.id, &part.attempt) else {
            return Said::Gone;
        };
        open.claim = Some((part.attempt.clone(), Instant::now()));
        if part.part == 0 {
            open.come = (Vec::new(), 0);
        }
        // The last one once more, because its answer was lost.
        if part.part + 1 == open.come.1 {
            return Said::Taken;
        }
        if part.part != open.come.1 || open.come.0.len() + bytes.len() > ANSWER {
            return Said::Gone;
        }
        open.come.0.extend_from_slice(bytes);
        open.come.1 += 1;
        if open.come.1 < part.parts {
            return Said::Taken;
        }
        let answer = serde_json::from_slice::<Answer>(&open.come.0).unwrap_or_else(|error| {
            let reason = error.to_string();
            Err(Failure::of(&QueueError::Answer { reason }))
        });
        if let Some(told) = open.told.take() {
            // Who asked may just have gone away.
            let _ = told.send(answer);
        }
        Said::Taken
    }

    /// What nobody works on and is not in the queue any more, is put there again: a server may have lost it, or a
    /// worker the way to its answer.
    async fn look_after(self: Arc<Self>) {
        let times = self.queue.times();
        loop {
            tokio::time::sleep(times.look).await;
            let lost: Vec<(String, u64)> = self
                .open()
                .iter()
                .filter(|(_, open)| {
                    open.claimed(times.claim).is_none() && open.queued.elapsed() >= times.look
                })
                .filter_map(|(id, open)| Some((id.clone(), open.sequence?)))
                .collect();
            for (id, sequence) in lost {
                if let Err(error) = self.put_again(&id, sequence).await {
                    tracing::debug!(%error, "it is not known whether a question is still in the queue");
                }
            }
        }
    }

    async fn put_again(&self, id: &str, sequence: u64) -> Result<(), QueueError> {
        let stream = self.queue.stream().await?;
        match stream.get_raw_message(sequence).await {
            // A queue that was made anew counts from the beginning.
            Ok(there) => match serde_json::from_slice::<Entry>(&there.payload) {
                Ok(entry) if entry.id == id => return Ok(()),
                Ok(_) | Err(_) => {}
            },
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => {}
            Err(error) => return Err(self.queue.unreachable(&error)),
        }
        if let Some(open) = self.open().get_mut(id) {
            open.times += 1;
        }
        tracing::info!(question = id, "is put into the queue again");
        self.try_to_put(id).await
    }
}
