//! A worker: takes questions, asks a model, brings the answers.

use super::letter::{Answer, Beat, Entry, Fetch, LETTER, Letter, Part, Said, cut};
use super::{Queue, QueueError};
use crate::society::{Reply, Who};
use async_nats::client::RequestErrorKind;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{HeaderMap, Request};
use async_trait::async_trait;
use base::Failure;
use bytes::Bytes;
use futures_util::StreamExt as _;
use llm::Chat;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long one look into an empty queue takes: of a server that was begun anew nobody hears that it has forgotten it.
const LOOK: Duration = Duration::from_secs(5);
/// Before it is looked again where the queue does not answer.
const PAUSE: Duration = Duration::from_secs(1);
/// So often a question may be taken: one that ends each worker, or that none can read, is answered with a failure.
const TAKEN: u32 = 3;
/// So often in a row nobody listens where a question came from, before it is taken to have ended.
const NOBODY: u32 = 3;
/// A question that another has: when it is looked at again.
const BUSY: Duration = Duration::from_secs(10);

/// Asks the model of a service.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// Dropped when nobody wants the answer any more.
    async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure>;
}

/// What a worker has done.
#[derive(Debug)]
pub struct Answered<'a> {
    pub who: &'a Who,
    pub took: Duration,
    pub failure: Option<&'a Failure>,
}

/// Takes questions until it is ended.
pub struct Worker {
    queue: Queue,
    model: Arc<dyn Model>,
    tell: Box<dyn Fn(&Answered<'_>) + Send + Sync>,
    end: CancellationToken,
    /// Attempts that go on: their questions, and how to call them off.
    at_work: Mutex<HashMap<String, (String, CancellationToken)>>,
    /// The queue did not answer when it was asked last.
    away: AtomicBool,
    /// Held by each slot that looks for a question.
    looking: tokio::sync::RwLock<()>,
}

impl Worker {
    pub fn new(
        queue: Queue,
        model: Arc<dyn Model>,
        tell: impl Fn(&Answered<'_>) + Send + Sync + 'static,
        end: CancellationToken,
    ) -> Worker {
        Worker {
            queue,
            model,
            tell: Box::new(tell),
            end,
            at_work: Mutex::default(),
            away: AtomicBool::new(false),
            looking: tokio::sync::RwLock::default(),
        }
    }

    /// So many questions at once, until it is ended; what it works on then is left to others.
    pub async fn work(self, at_once: usize) -> Result<(), QueueError> {
        let off = self.queue.subject("off");
        let off = self.queue.client().subscribe(off).await;
        let mut off = off.map_err(|error| self.queue.unreachable(&error))?;
        let worker = Arc::new(self);
        let mut slots = JoinSet::new();
        for _ in 0..at_once {
            slots.spawn(Arc::clone(&worker).slot());
        }
        let called_off = async {
            while let Some(message) = off.next().await {
                let id = String::from_utf8_lossy(&message.payload);
                for (_, off) in worker.at_work().values().filter(|(of, _)| *of == id) {
                    off.cancel();
                }
            }
        };
        tokio::select! {
            _ = slots.join_all() => {}
            () = called_off => {}
        }
        // What was said last is still on its way.
        if let Err(error) = worker.queue.client().flush().await {
            tracing::debug!(%error, "the queue was left without a word");
        }
        Ok(())
    }

    fn at_work(&self) -> MutexGuard<'_, HashMap<String, (String, CancellationToken)>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One question after the other.
    async fn slot(self: Arc<Self>) {
        let end = self.end.clone();
        loop {
            let looking = self.looking.read().await;
            let next = tokio::select! {
                biased;
                // What has come already is given back by whoever would see to it.
                next = self.next() => next,
                () = end.cancelled() => return,
            };
            drop(looking);
            let was_away = self.away.swap(next.is_err(), Ordering::Relaxed);
            match next {
                Ok(message) => {
                    if was_away {
                        tracing::warn!("questions are taken again");
                    }
                    if let Some(message) = message {
                        self.see_to(&message).await;
                    }
                }
                Err(error) => {
                    if !was_away {
                        tracing::warn!(error = %base::failure::chain(&error), "no questions can be taken");
                    }
                    tokio::select! {
                        () = end.cancelled() => return,
                        () = tokio::time::sleep(PAUSE) => {}
                    }
                }
            }
        }
    }

    async fn next(&self) -> Result<Option<Message>, QueueError> {
        let consumer = self.queue.consumer().await?;
        let fetching = consumer.fetch().max_messages(1).expires(LOOK).messages().await;
        let mut come = fetching.map_err(|error| self.queue.unreachable(&error))?;
        match come.next().await {
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(error)) => Err(self.queue.unreachable(&*error)),
            None => Ok(None),
        }
    }

    async fn see_to(&self, message: &Message) {
        let Ok(entry) = serde_json::from_slice::<Entry>(&message.payload) else {
            tracing::warn!("something in the queue is no question");
            return self.say(message, AckKind::Term).await;
        };
        let attempt = Attempt {
            worker: self,
            message,
            entry,
            name: uuid::Uuid::new_v4().simple().to_string(),
        };
        let acked = match attempt.fetch().await {
            Fetched::Gone => AckKind::Ack,
            Fetched::Busy => AckKind::Nak(Some(BUSY)),
            Fetched::Unheard => AckKind::Nak(Some(PAUSE)),
            // Its claim ends meanwhile: a worker of another version may read it.
            Fetched::Unread(taken) if taken < TAKEN => AckKind::Nak(Some(BUSY)),
            Fetched::Unread(times) => {
                attempt
                    .bring(Err(Failure::of(&QueueError::GivenUp { times })))
                    .await;
                AckKind::Ack
            }
            Fetched::Letter(letter, taken) => match attempt.answer(&letter, taken).await {
                true => AckKind::Ack,
                false => AckKind::Nak(None),
            },
        };
        self.say(message, acked).await;
    }

    /// When nobody here looks for a question any more, and the queue knows it: what is given back now is another's.
    async fn looks_no_more(&self) {
        drop(self.looking.write().await);
        if let Err(error) = self.queue.client().flush().await {
            tracing::debug!(%error, "the queue was not told that nobody looks any more");
        }
    }

    async fn say(&self, message: &Message, kind: AckKind) {
        if let Err(error) = message.ack_with(kind).await {
            // It comes again, and is gone then.
            tracing::debug!(%error, "the queue was not told");
        }
    }
}

/// One time that a worker takes a question.
struct Attempt<'w> {
    worker: &'w Worker,
    message: &'w Message,
    entry: Entry,
    name: String,
}

impl Attempt<'_> {
    /// The whole letter, part by part.
    async fn fetch(&self) -> Fetched {
        let (mut whole, mut times) = (Vec::new(), 0);
        for part in 0.. {
            let fetch = Fetch {
                id: self.entry.id.clone(),
                attempt: self.name.clone(),
                part,
            };
            // A long one may take longer than the queue waits for a word.
            self.worker.say(self.message, AckKind::Progress).await;
            let (said, bytes) = match self.ask_owner("letter", &fetch).await {
                Heard::Said(said, bytes) => (said, bytes),
                Heard::Nobody => return Fetched::Gone,
                Heard::Nothing => return Fetched::Unheard,
            };
            let parts = match said {
                Said::Part { parts, taken } => {
                    times = taken;
                    parts
                }
                Said::Busy => return Fetched::Busy,
                Said::Taken | Said::Gone => return Fetched::Gone,
            };
            whole.extend_from_slice(&bytes);
            if whole.len() > LETTER {
                return Fetched::Gone;
            }
            if part + 1 >= parts {
                break;
            }
        }
        let read = tokio::task::spawn_blocking(move || serde_json::from_slice(&whole)).await;
        match read {
            Ok(Ok(letter)) => Fetched::Letter(Box::new(letter), times),
            Ok(Err(error)) => {
                tracing::warn!(%error, "a question is not understood");
                Fetched::Unread(times)
            }
            Err(error) => {
                tracing::error!(%error, "a question was not read");
                Fetched::Unread(times)
            }
        }
    }

    /// Asks the model and brings the answer. Whether it is done: else another worker is to have it.
    async fn answer(&self, letter: &Letter, taken: u32) -> bool {
        let begun = Instant::now();
        let off = CancellationToken::new();
        let at_work = (self.entry.id.clone(), off.clone());
        self.worker.at_work().insert(self.name.clone(), at_work);
        let answer = tokio::select! {
            biased;
            () = self.worker.end.cancelled() => None,
            () = off.cancelled() => Some(None),
            () = self.beats() => Some(None),
            answer = self.asked(letter, taken) => Some(Some(answer)),
        };
        self.worker.at_work().remove(&self.name);
        match answer {
            None => {
                self.worker.looks_no_more().await;
                self.ask_owner("beat", &self.beat(true)).await;
                false
            }
            Some(None) => true,
            Some(Some(answer)) => {
                let told = Answered {
                    who: &letter.who,
                    took: begun.elapsed(),
                    failure: answer.as_ref().err(),
                };
                (self.worker.tell)(&told);
                self.bring(answer).await;
                true
            }
        }
    }

    async fn asked(&self, letter: &Letter, taken: u32) -> Answer {
        if taken > TAKEN {
            return Err(Failure::of(&QueueError::GivenUp { times: taken - 1 }));
        }
        let (model, letter) = (Arc::clone(&self.worker.model), letter.clone());
        // In a task of its own: what breaks off there is an answer.
        let asking = tokio::spawn(async move {
            let Letter { who, service, chat } = letter;
            model.ask(&who, service.as_deref(), chat).await
        });
        match AbortOnDropHandle::new(asking).await {
            Ok(answer) => answer,
            Err(error) => Err(Failure::new("internal").detail(error.to_string())),
        }
    }

    fn beat(&self, leaves: bool) -> Beat {
        Beat {
            id: self.entry.id.clone(),
            attempt: self.name.clone(),
            leaves,
        }
    }

    /// Says now and then that it is still at it, until nobody wants that.
    async fn beats(&self) {
        let mut nobody = 0;
        while nobody < NOBODY {
            tokio::time::sleep(self.worker.queue.times().beat).await;
            self.worker.say(self.message, AckKind::Progress).await;
            match self.ask_owner("beat", &self.beat(false)).await {
                Heard::Said(Said::Gone, _) => return,
                Heard::Said(..) => nobody = 0,
                Heard::Nobody => nobody += 1,
                Heard::Nothing => {}
            }
        }
    }

    /// The answer, part by part. Whoever is not there any more gets none.
    async fn bring(&self, answer: Answer) {
        let whole = match serde_json::to_vec(&answer) {
            Ok(whole) => whole,
            Err(error) => {
                tracing::error!(%error, "an answer cannot be written");
                return;
            }
        };
        let parts = cut(whole.into(), self.worker.queue.part());
        let count = parts.len();
        for (nth, bytes) in parts.into_iter().enumerate() {
            let part = Part {
                id: self.entry.id.clone(),
                attempt: self.name.clone(),
                part: nth,
                parts: count,
            };
            if !self.brought(&part, &bytes).await {
                return;
            }
        }
    }

    /// Whether a part has arrived, and more is wanted.
    async fn brought(&self, part: &Part, bytes: &Bytes) -> bool {
        let begun = Instant::now();
        loop {
            let heard = self.request("answer", part.headers(), bytes.clone()).await;
            match heard {
                Heard::Said(said, _) => return said == Said::Taken,
                // It may be without a connection for a moment.
                Heard::Nobody | Heard::Nothing if begun.elapsed() < self.worker.queue.times().claim => {
                    self.worker.say(self.message, AckKind::Progress).await;
                    tokio::time::sleep(PAUSE).await;
                }
                Heard::Nobody | Heard::Nothing => {
                    tracing::warn!(question = self.entry.id, "nobody was there to take the answer");
                    return false;
                }
            }
        }
    }

    async fn ask_owner(&self, what: &str, body: &impl Serialize) -> Heard {
        match serde_json::to_vec(body) {
            Ok(body) => self.request(what, HeaderMap::new(), body.into()).await,
            Err(error) => {
                tracing::error!(%error, "a word to who asks cannot be written");
                Heard::Nothing
            }
        }
    }

    async fn request(&self, what: &str, headers: HeaderMap, bytes: Bytes) -> Heard {
        let subject = self.worker.queue.subject(&format!("{}.{what}", self.entry.owner));
        let mut request = Request::new().payload(bytes);
        if !headers.is_empty() {
            request = request.headers(headers);
        }
        match self.worker.queue.client().send_request(subject, request).await {
            Ok(message) => match Said::read(message.headers.as_ref()) {
                Some(said) => Heard::Said(said, message.payload),
                None => Heard::Nothing,
            },
            Err(error) if error.kind() == RequestErrorKind::NoResponders => Heard::Nobody,
            Err(error) => {
                tracing::debug!(%error, what, "who asks does not answer");
                Heard::Nothing
            }
        }
    }
}

enum Heard {
    Said(Said, Bytes),
    /// Nobody listens there.
    Nobody,
    /// Nothing came in time.
    Nothing,
}

enum Fetched {
    /// And how often the question was taken so far.
    Letter(Box<Letter>, u32),
    Unread(u32),
    Gone,
    Busy,
    Unheard,
}
