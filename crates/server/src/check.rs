//! Proves that the MCP endpoint answers: asks it as a client would, over its own address and with
//! the token, for its tools.
//!
//! Deliberately not here: a whole MCP client. One that asks two questions is shorter than the
//! settings of a general one.

use crate::app::App;
use crate::words::worded;
use axum::body::Bytes;
use base::Failure;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use wire::ServerCheck;

/// For the whole conversation.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of one answer.
const ANSWER: usize = 4 * 1024 * 1024;
const REVISION: &str = "2025-11-25";
const SESSION: &str = "mcp-session-id";

pub(crate) async fn check(app: &App) -> ServerCheck {
    let started = Instant::now();
    let address = app.inner.address.get().cloned();
    let asked = async {
        let address = address.as_deref().ok_or_else(|| Failure::new("no_web_address"))?;
        let authority = address.strip_prefix("http://").unwrap_or(address);
        Asking::connect(authority, app.inner.auth.token())
            .await?
            .tools()
            .await
    };
    let asked = match tokio::time::timeout(PATIENCE, asked).await {
        Ok(asked) => asked,
        Err(_) => Err(silent(&format!("{} s", PATIENCE.as_secs()))),
    };
    let (tools, problem) = match asked {
        Ok(tools) => (tools, None),
        Err(failure) => (Vec::new(), Some(worded(&failure, app.lang()))),
    };
    ServerCheck {
        ok: problem.is_none(),
        address: address.map(|address| format!("{address}/mcp")),
        tools,
        milliseconds: started.elapsed().as_secs_f64() * 1000.0,
        problem,
    }
}

struct Asking {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
    token: String,
    session: Option<String>,
    /// Ends the connection with the conversation.
    _connection: tokio_util::task::AbortOnDropHandle<()>,
}

impl Asking {
    async fn connect(authority: &str, token: &str) -> Result<Self, Failure> {
        let stream = TcpStream::connect(authority)
            .await
            .map_err(|error| silent(&error.to_string()))?;
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| silent(&error.to_string()))?;
        let connection = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection of a check broke");
            }
        });
        Ok(Asking {
            sender,
            authority: authority.to_owned(),
            token: token.to_owned(),
            session: None,
            _connection: tokio_util::task::AbortOnDropHandle::new(connection),
        })
    }

    /// Names of the MCP tools, as a client that was just set up sees them.
    async fn tools(mut self) -> Result<Vec<String>, Failure> {
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": REVISION,
                "capabilities": {},
                "clientInfo": {"name": "prompt-manager-check", "version": env!("CARGO_PKG_VERSION")},
            },
        });
        let response = self.send(Method::POST, Some(&hello)).await?;
        self.session = response
            .headers()
            .get(SESSION)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        answer(response, 1).await?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        body(self.send(Method::POST, Some(&ready)).await?).await?;
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}});
        let listed = answer(self.send(Method::POST, Some(&list)).await?, 2).await?;
        let tools = listed["tools"].as_array().ok_or_else(|| silent("tools/list"))?;
        // Good manners, not part of the proof: the connection may have been closed meanwhile.
        if self.session.is_some()
            && let Err(error) = self.send(Method::DELETE, None).await
        {
            tracing::debug!(%error, "the session of a check was not closed");
        }
        Ok(tools
            .iter()
            .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
            .collect())
    }

    async fn send(&mut self, method: Method, message: Option<&Value>) -> Result<Response<Incoming>, Failure> {
        let body = message.map(Value::to_string).unwrap_or_default();
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header(HOST, &self.authority)
            .header(AUTHORIZATION, format!("Bearer {}", self.token))
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .header("mcp-protocol-version", REVISION);
        if let Some(session) = &self.session {
            request = request.header(SESSION, session);
        }
        let request = request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| silent(&error.to_string()))?;
        self.sender
            .ready()
            .await
            .map_err(|error| silent(&error.to_string()))?;
        let response = self.sender.send_request(request).await;
        let response = response.map_err(|error| silent(&error.to_string()))?;
        if !response.status().is_success() {
            return Err(silent(&format!("HTTP {}", response.status().as_u16())));
        }
        Ok(response)
    }
}

/// An answered stream ends by itself within this time.
const DRAIN: std::time::Duration = std::time::Duration::from_millis(500);

/// The result of request `id`, out of JSON or of a stream of events that may stay open.
async fn answer(response: Response<Incoming>, id: u64) -> Result<Value, Failure> {
    let mut incoming = response.into_body();
    let mut bytes = Vec::new();
    loop {
        let frame = match incoming.frame().await {
            None => return Err(silent("no answer")),
            Some(frame) => frame.map_err(|error| silent(&error.to_string()))?,
        };
        let Ok(data) = frame.into_data() else { continue };
        bytes.extend_from_slice(&data);
        if bytes.len() > ANSWER {
            return Err(silent("too long"));
        }
        if let Some(result) = found(&bytes, id) {
            // A body that is not read to its end takes the connection with it.
            let rest = tokio::time::timeout(DRAIN, incoming.collect()).await;
            if rest.is_err() {
                tracing::debug!("the stream of an answer stays open");
            }
            return result;
        }
    }
}

fn found(bytes: &[u8], id: u64) -> Option<Result<Value, Failure>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let messages = events
        .chain([text])
        .filter_map(|json| serde_json::from_str::<Value>(json.trim()).ok());
    let mut message = messages.into_iter().find(|message| message["id"] == id)?;
    Some(match message.get("error") {
        Some(error) => Err(silent(error["message"].as_str().unwrap_or("error"))),
        None => Ok(message["result"].take()),
    })
}

/// Reads an answer that says nothing, so that the connection can be used again.
async fn body(response: Response<Incoming>) -> Result<(), Failure> {
    let read = http_body_util::Limited::new(response.into_body(), ANSWER)
        .collect()
        .await;
    read.map(|_| ()).map_err(|error| silent(&error.to_string()))
}

fn silent(reason: &str) -> Failure {
    Failure::new("mcp_not_answering").with("reason", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_in_json_and_in_streams() {
        let whole = br#"{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}"#;
        assert_eq!(found(whole, 2).unwrap().unwrap(), json!({"tools": []}));
        assert!(found(whole, 1).is_none());
        assert!(found(&whole[..20], 2).is_none(), "not all of it yet");
        let stream = b"id: 0\nretry: 3000\ndata: \n\ndata: {\"method\":\"x\"}\n\nevent: message\ndata: {\"id\":1,\"result\":7}\n\n";
        assert_eq!(found(stream, 1).unwrap().unwrap(), 7);
        let error = br#"{"id":2,"error":{"code":-1,"message":"no"}}"#;
        let refused = found(error, 2).unwrap().unwrap_err();
        assert_eq!(refused.arg("reason"), Some(&json!("no")));
    }
}
