//! A stream of MCP with the owner: lines of JSON-RPC both ways, for as long as a client lives.

use super::connection::Connection;
use super::{Client, ClientError, MCP_CLIENT, MCP_STREAM, refusal, whole};
use hyper::header::{CONNECTION, UPGRADE};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

impl Client {
    /// Opens it, for the client of that name or, without one, as which it makes itself known.
    pub async fn mcp_stream(
        &self,
        client: Option<&str>,
    ) -> Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>, ClientError> {
        let connection = &mut Connection::open(&self.socket).await?;
        let request = Request::get("/mcp/stream")
            .header(CONNECTION, "upgrade")
            .header(UPGRADE, MCP_STREAM);
        let request = match client {
            Some(name) => request.header(MCP_CLIENT, name),
            None => request,
        };
        let response = connection.send(request, Vec::new()).await?;
        match response.status() {
            StatusCode::SWITCHING_PROTOCOLS => {
                let stream = hyper::upgrade::on(response).await;
                Ok(TokioIo::new(stream.map_err(ClientError::Broken)?))
            }
            status => Err(refusal(status, &whole(response.into_body()).await?)),
        }
    }
}
