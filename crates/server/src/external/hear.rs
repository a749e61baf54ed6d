//! What a server says besides its answers: progress of calls, notices, that its tools changed, and what its
//! program writes to its errors. Bounded, whatever it says.
//!
//! Deliberately not here: questions to a person or a model; a server is told that nobody can be asked.

#![allow(deprecated, reason = "servers send notices all the same")]

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, JsonRpcMessage, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ServerNotification,
};
use rmcp::service::{NotificationContext, RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::{Notify, watch};
use toolbox::run_log::{Level, Record, RunLog, legible};

/// Bytes of one line of errors; the rest is dropped.
const LINE: usize = 8 * 1024;
/// Characters of one notice.
const NOTICE: usize = 8 * 1024;
/// Of the last lines of errors, for whoever is told that it ended.
const LAST: usize = 600;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Step {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) text: Option<String>,
}

/// Of one connection.
pub(crate) struct Heard {
    pub(crate) log: RunLog,
    /// Calls that wait for progress. Held while one is sent, so that its first step is not missed.
    pub(crate) calls: tokio::sync::Mutex<HashMap<ProgressToken, watch::Sender<Step>>>,
    /// Its tools may be others now.
    pub(crate) changed: Notify,
    last: Mutex<String>,
}

impl Heard {
    pub(crate) fn new(log: RunLog) -> Self {
        Heard {
            log,
            calls: tokio::sync::Mutex::default(),
            changed: Notify::new(),
            last: Mutex::default(),
        }
    }

    pub(crate) fn note(&self, level: Level, text: &str) {
        self.log.offer(Record::now(level, legible(text)));
    }

    /// The last that its program wrote to its errors.
    pub(crate) fn last_words(&self) -> String {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        self.log.cleaned(last.trim())
    }

    fn line(&self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        self.note(Level::Info, text);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.push_str(text);
        last.push('\n');
        let over = last.len().saturating_sub(LAST);
        let over = last.ceil_char_boundary(over);
        last.drain(..over);
    }

    async fn progress(&self, said: &ProgressNotificationParam) {
        let calls = self.calls.lock().await;
        if let Some(call) = calls.get(&said.progress_token) {
            call.send_replace(Step {
                done: said.progress,
                total: said.total,
                text: said.message.clone(),
            });
        }
    }

    /// Until its errors are closed.
    pub(crate) async fn errors(&self, mut errors: Receiver) {
        let (mut line, mut buffer) = (Vec::new(), [0; 8192]);
        while let Ok(count @ 1..) = errors.read(&mut buffer).await {
            for part in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
                let room = LINE.saturating_sub(line.len()).min(part.len());
                line.extend_from_slice(&part[..room]);
                if part.ends_with(b"\n") {
                    self.line(&line);
                    line.clear();
                }
            }
        }
        self.line(&line);
    }
}

/// The client's side of a connection.
#[derive(Clone)]
pub(crate) struct Hearing(pub(crate) Arc<Heard>);

impl ClientHandler for Hearing {
    fn get_info(&self) -> ClientConfig {
        let who = Implementation::new("prompt-manager", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), who)
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = match params.level {
            LoggingLevel::Debug => Level::Debug,
            LoggingLevel::Info | LoggingLevel::Notice => Level::Info,
            LoggingLevel::Warning => Level::Warn,
            LoggingLevel::Error | LoggingLevel::Critical | LoggingLevel::Alert | LoggingLevel::Emergency => {
                Level::Error
            }
        };
        let text = match params.data {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        let text = base::text::cut(&text, NOTICE);
        match params.logger {
            Some(logger) => self
                .0
                .note(level, &format!("{}: {text}", base::text::cut(&logger, 80))),
            None => self.0.note(level, &text),
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.changed.notify_one();
    }
}

/// A transport whose progress is heard in the order in which it comes, and so before the answer after it. As a
/// notice it would be handled in a task of its own, beside the answer.
pub(crate) struct Ordered<T> {
    inner: T,
    heard: Arc<Heard>,
    /// Come, and not yet given: whoever asks for the next message may leave off in between.
    come: Option<RxJsonRpcMessage<RoleClient>>,
}

impl<T> Ordered<T> {
    pub(crate) fn new(inner: T, heard: Arc<Heard>) -> Self {
        let come = None;
        Ordered { inner, heard, come }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Ordered<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        if self.come.is_none() {
            self.come = self.inner.receive().await;
        }
        if let Some(JsonRpcMessage::Notification(notice)) = &self.come
            && let ServerNotification::ProgressNotification(progress) = &notice.notification
        {
            self.heard.progress(&progress.params).await;
        }
        self.come.take()
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
