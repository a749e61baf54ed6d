//! Questions to models that workers in other processes answer: a work queue on NATS JetStream.
//!
//! Queued is who asks and the id of the question. The conversation stays with who asks, and the worker that takes the
//! question fetches it there: so it is never on the disk of the queue, and may be larger than one of its messages. A
//! question leaves the queue when its answer has arrived; a worker that says nothing more for [`Times::taken`] loses
//! it to another. Two answers are possible, and only the first is taken. Deliberately not here: tools and workspaces,
//! which stay with the owner of the task.

mod asking;
mod error;
mod letter;
mod work;

pub use asking::Asking;
pub use error::QueueError;
pub use letter::Letter;
pub use work::{Answered, Model, Worker};

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Questions that wait at once; who asks more waits.
const WAITING: i64 = 100_000;
/// Bytes of one message beside what its part of a text takes.
const HEAD: usize = 4 * 1024;
/// Bytes of one part; servers take a million in one message, if nobody has told them otherwise.
const PART: usize = 512 * 1024;
/// An answer from the other side of the queue.
const REQUEST: Duration = Duration::from_secs(5);

/// Where a queue is.
#[derive(Clone, Debug)]
pub struct Place {
    /// `nats://host:port` or `tls://host:port`, without user and password.
    pub address: String,
    /// Letters, digits and hyphens; several queues may share a server.
    pub name: String,
    pub secret: Option<Secret>,
}

/// How a server knows its clients.
#[derive(Clone)]
pub enum Secret {
    Token(String),
    Password { user: String, password: String },
}

impl Secret {
    /// `USER:PASSWORD`, or a token alone.
    pub fn new(text: &str) -> Option<Secret> {
        let text = text.trim();
        match text.split_once(':') {
            _ if text.is_empty() => None,
            Some((user, password)) => Some(Secret::Password {
                user: user.to_owned(),
                password: password.to_owned(),
            }),
            None => Some(Secret::Token(text.to_owned())),
        }
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How long each side waits for the other.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Between two words of a worker that it is still there.
    pub beat: Duration,
    /// So long after the last of them a question is still its own.
    pub claim: Duration,
    /// And so long after it the queue gives the question to another: longer than `claim`.
    pub taken: Duration,
    /// Between two looks of who asks whether its questions are still there.
    pub look: Duration,
    /// How long it is tried to reach a queue that does not answer.
    pub patience: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Times {
            beat: Duration::from_secs(3),
            claim: Duration::from_secs(10),
            taken: Duration::from_secs(15),
            look: Duration::from_secs(15),
            patience: Duration::from_secs(120),
        }
    }
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Queue {
    inner: Arc<Inner>,
}

struct Inner {
    client: Client,
    context: Context,
    address: String,
    name: String,
    times: Times,
    /// Until something goes wrong with it: a server that has lost its records has it no more.
    stream: Mutex<Option<Stream>>,
}

impl Queue {
    /// Connects now, or as soon as the server is there, and again whenever the connection is lost.
    pub async fn connect(place: &Place, times: Times) -> Result<Queue, QueueError> {
        let address = &place.address;
        if !is_name(&place.name) {
            return Err(QueueError::Name {
                name: base::text::cut(&place.name, NAME),
            });
        }
        // What is in it is not said again: it may be a password.
        let server: ServerAddr = address.parse().map_err(|_| QueueError::Address)?;
        let schemes = ["nats", "tls"];
        if server.has_user_pass() || server.password().is_some() || !schemes.contains(&server.scheme()) {
            return Err(QueueError::Address);
        }
        let options = || {
            let options = match place.secret.clone() {
                None => ConnectOptions::new(),
                Some(Secret::Token(token)) => ConnectOptions::with_token(token),
                Some(Secret::Password { user, password }) => {
                    ConnectOptions::with_user_and_password(user, password)
                }
            };
            options
                .name("prompt-manager")
                .require_tls(server.tls_required())
                .request_timeout(Some(REQUEST))
        };
        let connected = match options().connect(server.clone()).await {
            Err(error) if is_refused(&error) => {
                return Err(QueueError::Refused {
                    address: address.clone(),
                });
            }
            // It may not be there yet.
            Err(_) => options().retry_on_initial_connect().connect(server.clone()).await,
            connected => connected,
        };
        let client = connected.map_err(|error| QueueError::Unreachable {
            address: address.clone(),
            reason: base::failure::chain(&error),
        })?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST);
        Ok(Queue {
            inner: Arc::new(Inner {
                client,
                context,
                address: address.clone(),
                name: place.name.clone(),
                times,
                stream: Mutex::default(),
            }),
        })
    }

    pub fn address(&self) -> &str {
        &self.inner.address
    }

    fn client(&self) -> &Client {
        &self.inner.client
    }

    fn times(&self) -> Times {
        self.inner.times
    }

    /// Whatever went wrong: the stream is made, or looked for, again when it is needed next.
    fn unreachable(&self, error: &(dyn std::error::Error + 'static)) -> QueueError {
        *self.kept() = None;
        QueueError::Unreachable {
            address: self.inner.address.clone(),
            reason: base::failure::chain(error),
        }
    }

    /// What is sent to whoever listens to it.
    fn subject(&self, of: &str) -> String {
        format!("{}.{of}", self.inner.name)
    }

    /// Bytes of one part of a text.
    fn part(&self) -> usize {
        let most = self.client().max_payload();
        most.saturating_sub(HEAD).clamp(HEAD, PART)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Stream>> {
        self.inner.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever else makes it at the same time makes the same.
    async fn stream(&self) -> Result<Stream, QueueError> {
        let kept = self.kept().clone();
        if let Some(stream) = kept {
            return Ok(stream);
        }
        let config = Config {
            name: format!("{}-asks", self.inner.name),
            subjects: vec![self.subject("asks")],
            retention: RetentionPolicy::WorkQueue,
            max_messages: WAITING,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        let made = self.inner.context.get_or_create_stream(config).await;
        let made = made.map_err(|error| self.unreachable(&error))?;
        *self.kept() = Some(made.clone());
        Ok(made)
    }

    /// From which workers take.
    async fn consumer(&self) -> Result<PullConsumer, QueueError> {
        let config = pull::Config {
            durable_name: Some("workers".to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.inner.times.taken,
            max_ack_pending: WAITING,
            // Each slot of each worker that has nothing to do.
            max_waiting: 65_536,
            ..pull::Config::default()
        };
        let made = self
            .stream()
            .await?
            .get_or_create_consumer("workers", config)
            .await;
        made.map_err(|error| self.unreachable(&error))
    }
}

fn is_refused(error: &ConnectError) -> bool {
    matches!(
        error.kind(),
        ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation
    )
}

/// Characters of a queue's name.
const NAME: usize = 32;

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && name.len() <= NAME && name.bytes().all(fits)
}
