//! One connection to the owner's socket, for one request.

use super::{ClientError, Full, Incoming, Request, Response};
use bytes::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::HOST;
use hyper_util::rt::TokioIo;
use std::path::Path;
use tokio::net::UnixStream;
use tokio::task::JoinHandle;

/// Closed when it is dropped, whatever was still to come.
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: JoinHandle<hyper::Result<()>>,
}

impl Connection {
    pub(super) async fn open(socket: &Path) -> Result<Self, ClientError> {
        let stream = UnixStream::connect(socket)
            .await
            .map_err(|source| ClientError::NotRunning {
                socket: socket.to_owned(),
                source,
            })?;
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(ClientError::Broken)?;
        Ok(Connection {
            sender,
            driver: tokio::spawn(connection.with_upgrades()),
        })
    }

    pub(super) async fn send(
        &mut self,
        request: hyper::http::request::Builder,
        body: Vec<u8>,
    ) -> Result<Response<Incoming>, ClientError> {
        let request: Request<_> = request
            .header(HOST, "localhost")
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| ClientError::BadAnswer(error.to_string()))?;
        self.sender
            .send_request(request)
            .await
            .map_err(ClientError::Broken)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
