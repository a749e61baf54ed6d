//! rmcp's sessions, whose clients find again what they missed while they were away (`Replay`).
//!
//! rmcp would also keep the answers to requests without a session once it knows of `Replay`, and no longer
//! end their work when their client goes away; so it is told by this one that there is none.

use super::replay::Replay;
use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use std::sync::Arc;

pub(crate) struct Manager {
    local: LocalSessionManager,
    replay: Replay,
}

impl Manager {
    pub(super) fn new(config: SessionConfig) -> Self {
        let replay = Replay::default();
        let mut local = LocalSessionManager::default().with_event_store(Arc::new(replay.clone()));
        local.session_config = config;
        Manager { local, replay }
    }

    /// Ids of the sessions that there are.
    pub(super) async fn ids(&self) -> Vec<SessionId> {
        self.local.sessions.read().await.keys().cloned().collect()
    }
}

impl SessionManager for Manager {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let created = self.local.create_session().await?;
        self.replay.begin(&created.0);
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let closed = self.local.close_session(id).await;
        self.replay.end(id);
        closed
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
    }

    /// From an event on, or from the beginning when the client has heard nothing yet.
    async fn resume(
        &self,
        id: &SessionId,
        last: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let last = if last == PRIMING {
            Replay::beginning(id)
        } else {
            last
        };
        self.local.resume(id, last).await
    }
}

/// The event with which rmcp opens a stream that concerns no request.
const PRIMING: &str = "0";
