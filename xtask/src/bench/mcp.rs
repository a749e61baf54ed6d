//! As much of an MCP client as a measurement needs: initialize, then tools/call.

use super::http::{Answer, Connection};
use crate::Outcome;
use serde_json::{Value, json};

const REVISION: &str = "2025-11-25";

pub struct Client {
    connection: Connection,
    token: Option<String>,
    session: Option<String>,
    next: u64,
}

impl Client {
    pub fn connect(address: &str, token: Option<&str>) -> Outcome<Self> {
        let mut client = Client {
            connection: Connection::open(address)?,
            token: token.map(|token| format!("Bearer {token}")),
            session: None,
            next: 1,
        };
        let answer = client.send(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": REVISION,
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"}
            }
        }))?;
        client.session = answer.header("mcp-session-id").map(str::to_owned);
        result(&answer, 0)?;
        let noted = client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        if noted.status != 202 && noted.status != 200 {
            return Err(format!("notifications/initialized was answered with {}", noted.status).into());
        }
        Ok(client)
    }

    /// The result of a request.
    pub fn ask(&mut self, method: &str, params: &Value) -> Outcome<Value> {
        let id = self.next;
        self.next += 1;
        let answer = self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        result(&answer, id)
    }

    /// Sends a request and goes away before its answer.
    pub fn abandon(mut self, method: &str, params: &Value) -> Outcome {
        let message = json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        let headers = self.headers();
        self.connection
            .send("POST", "/mcp", &headers, &message.to_string())
    }

    /// Ends the session.
    pub fn close(mut self) -> Outcome {
        let headers = self.headers();
        self.connection.send("DELETE", "/mcp", &headers, "")?;
        match self.connection.answer()?.status {
            200..=299 => Ok(()),
            other => Err(format!("the end of a session was answered with {other}").into()),
        }
    }

    /// The first text of the tool's answer.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Outcome<String> {
        let result = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str();
        match text {
            Some(text) if result["isError"] != true => Ok(text.to_owned()),
            _ => Err(format!("{tool} answered {result}").into()),
        }
    }

    fn send(&mut self, message: &Value) -> Outcome<Answer> {
        let headers = self.headers();
        self.connection
            .send("POST", "/mcp", &headers, &message.to_string())?;
        self.connection.answer()
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", REVISION.to_owned()),
        ];
        headers.extend(self.token.clone().map(|token| ("Authorization", token)));
        headers.extend(self.session.clone().map(|session| ("Mcp-Session-Id", session)));
        headers
    }
}

/// The result of request `id`, out of a JSON body or an event stream.
fn result(answer: &Answer, id: u64) -> Outcome<Value> {
    let text = std::str::from_utf8(&answer.body)?;
    if answer.status != 200 {
        return Err(format!("HTTP {}: {text}", answer.status).into());
    }
    let is_stream = answer
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    let message = if is_stream {
        events(text)
            .find(|message| message["id"] == id)
            .ok_or_else(|| format!("no answer to {id} in {text}"))?
    } else {
        serde_json::from_str(text)?
    };
    match message.get("result") {
        Some(result) => Ok(result.clone()),
        None => Err(format!("the server answered {message}").into()),
    }
}

/// The messages of an event stream; priming events have no data.
fn events(text: &str) -> impl Iterator<Item = Value> + use<> {
    let text = text.replace("\r\n", "\n");
    let events: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
    events.into_iter().filter_map(|event| {
        let data: String = event
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(|data| data.strip_prefix(' ').unwrap_or(data))
            .collect::<Vec<_>>()
            .join("\n");
        serde_json::from_str(&data).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_in_event_streams() {
        let stream =
            "id: 0\nretry: 3000\ndata:\n\nevent: message\ndata: {\"id\": 3, \"result\": {}}\n\n: ping\n\n";
        let found: Vec<Value> = events(stream).collect();
        assert_eq!(found, [json!({"id": 3, "result": {}})]);
    }
}
