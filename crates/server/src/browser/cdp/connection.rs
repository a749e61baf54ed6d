//! The DevTools protocol over a WebSocket: calls with answers, and what the browser tells by itself.

use super::super::error::BrowserError;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_util::sync::CancellationToken;

/// Bytes of one message: a picture of a large window in base64.
const MESSAGE: usize = 64 * 1024 * 1024;
/// Messages that wait to be sent, and events that wait to be looked at.
const SENT: usize = 256;
const EVENTS: usize = 4096;
/// How long it may take until a connection stands.
const CONNECT: Duration = Duration::from_secs(10);

/// What the browser tells by itself.
#[derive(Debug, Deserialize)]
pub(super) struct Told {
    pub(super) method: String,
    #[serde(default)]
    pub(super) params: Value,
    /// Of the page that it is about; none for the browser itself.
    #[serde(default, rename = "sessionId")]
    pub(super) session: Option<String>,
}

#[derive(Deserialize)]
struct Answered {
    id: u64,
    #[serde(default)]
    result: Value,
    error: Option<Refused>,
}

/// What the browser says when it does not do something.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Refused {
    pub(super) message: String,
}

type Waiting = HashMap<u64, oneshot::Sender<Result<Value, Refused>>>;

pub(super) struct Connection {
    out: mpsc::Sender<Message>,
    waiting: Arc<Mutex<Waiting>>,
    last: AtomicU64,
    gone: CancellationToken,
}

impl Connection {
    /// `address`: of the socket, as `/json/version` says it.
    pub(super) async fn open(address: &str) -> Result<(Connection, mpsc::Receiver<Told>), BrowserError> {
        let unreachable = |reason: String| BrowserError::Unreachable {
            address: address.to_owned(),
            reason,
        };
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE))
            .max_frame_size(Some(MESSAGE));
        let opening = tokio_tungstenite::connect_async_with_config(address, Some(config), true);
        let (socket, _) = tokio::time::timeout(CONNECT, opening)
            .await
            .map_err(|_| BrowserError::Timeout(CONNECT))?
            .map_err(|error| unreachable(error.to_string()))?;
        let (mut sink, mut stream) = socket.split();
        let (out, mut to_send) = mpsc::channel::<Message>(SENT);
        let (tell, events) = mpsc::channel(EVENTS);
        let waiting: Arc<Mutex<Waiting>> = Arc::default();
        let gone = CancellationToken::new();
        let ended = gone.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    () = ended.cancelled() => break,
                    message = to_send.recv() => {
                        let Some(message) = message else { break };
                        if sink.send(message).await.is_err() {
                            break;
                        }
                    }
                }
            }
            ended.cancel();
            // The other side sees that it is over.
            let _ = sink.close().await;
        });
        let (answers, ended) = (waiting.clone(), gone.clone());
        tokio::spawn(async move {
            loop {
                let message = tokio::select! {
                    biased;
                    () = ended.cancelled() => break,
                    message = stream.next() => message,
                };
                let text = match message {
                    Some(Ok(Message::Text(text))) => text,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                    Some(Ok(_)) => continue,
                };
                if !heard(&text, &answers, &tell) {
                    break;
                }
            }
            ended.cancel();
            // Whoever waits sees that nothing comes.
            lock(&answers).clear();
        });
        let connection = Connection {
            out,
            waiting,
            last: AtomicU64::new(0),
            gone,
        };
        Ok((connection, events))
    }

    pub(super) fn is_open(&self) -> bool {
        !self.gone.is_cancelled()
    }

    pub(super) fn end(&self) {
        self.gone.cancel();
    }

    /// Sends without waiting for the answer, which nobody needs.
    pub(super) fn send(&self, session: Option<&str>, method: &str, params: Value) {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let message = Message::text(message(id, session, method, &params));
        if self.out.try_send(message).is_err() {
            // A browser that does not read is of no use any more.
            self.gone.cancel();
        }
    }

    /// Nothing where the browser refuses: what it says of that is for people.
    pub(super) async fn ask(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        most: Duration,
    ) -> Result<Result<Value, Refused>, BrowserError> {
        if !self.is_open() {
            return Err(BrowserError::Gone);
        }
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (tell, answer) = oneshot::channel();
        lock(&self.waiting).insert(id, tell);
        let forgotten = Forgotten {
            id,
            waiting: &self.waiting,
        };
        let message = Message::text(message(id, session, method, &params));
        self.out.send(message).await.map_err(|_| BrowserError::Gone)?;
        let answered = tokio::select! {
            biased;
            answered = tokio::time::timeout(most, answer) => answered,
            () = self.gone.cancelled() => return Err(BrowserError::Gone),
        };
        drop(forgotten);
        match answered {
            Ok(Ok(answered)) => Ok(answered),
            Ok(Err(_)) => Err(BrowserError::Gone),
            Err(_) => Err(BrowserError::Timeout(most)),
        }
    }

    /// A call that the browser does not refuse.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        most: Duration,
    ) -> Result<Value, BrowserError> {
        self.ask(session, method, params, most)
            .await?
            .map_err(|refused| BrowserError::Protocol {
                reason: format!("{method}: {}", refused.message),
            })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.gone.cancel();
    }
}

/// Takes a question back that nobody waits for any more.
struct Forgotten<'w> {
    id: u64,
    waiting: &'w Mutex<Waiting>,
}

impl Drop for Forgotten<'_> {
    fn drop(&mut self) {
        lock(self.waiting).remove(&self.id);
    }
}

fn message(id: u64, session: Option<&str>, method: &str, params: &Value) -> String {
    let mut message = json!({"id": id, "method": method, "params": params});
    if let Some(session) = session {
        message["sessionId"] = session.into();
    }
    message.to_string()
}

/// Whether the connection is still of use.
fn heard(text: &str, waiting: &Mutex<Waiting>, tell: &mpsc::Sender<Told>) -> bool {
    if let Ok(answered) = serde_json::from_str::<Answered>(text) {
        if let Some(waits) = lock(waiting).remove(&answered.id) {
            let answer = match answered.error {
                Some(refused) => Err(refused),
                None => Ok(answered.result),
            };
            // Whoever asked may have gone.
            let _ = waits.send(answer);
        }
        return true;
    }
    match serde_json::from_str::<Told>(text) {
        // A page that floods us is one that nobody can use.
        Ok(told) => tell.try_send(told).is_ok(),
        Err(error) => {
            tracing::debug!(%error, "a browser said something else");
            true
        }
    }
}

fn lock(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
