//! As much of an MCP client as a test needs.

use super::page::{Page, ask};
use super::{Home, Served};
use serde_json::{Value, json};
use std::net::TcpStream;

const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "files", "version": "1"}}}"#;
const READY: &str = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;

pub struct Mcp {
    page: Page,
    session: Option<String>,
}

impl Mcp {
    pub fn connect(home: &Home, served: &Served) -> Mcp {
        let page = Page::program(home, served);
        let mut mcp = Mcp { page, session: None };
        mcp.session = mcp.send(INITIALIZE).0;
        mcp.send(READY);
        mcp
    }

    /// Whether the tool failed, and its first text, which is JSON.
    pub fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let message = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let (_, body) = self.send(&message.to_string());
        let answer = body
            .lines()
            .map(|line| line.strip_prefix("data:").unwrap_or(line))
            .find_map(|line| {
                serde_json::from_str::<Value>(line)
                    .ok()
                    .filter(|one| one["id"] == 2)
            });
        let result = answer.unwrap_or_else(|| panic!("{body}"))["result"].take();
        let text = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        (result["isError"] == json!(true), text)
    }

    /// What the client hears of a call's progress: how far, of how much.
    pub fn progress(&self, tool: &str, arguments: Value) -> Vec<(f64, f64)> {
        let message = json!({
            "jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments, "_meta": {"progressToken": "t"}},
        });
        let (_, body) = self.send(&message.to_string());
        let said = body
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:")?).ok());
        said.filter(|said| said["method"] == "notifications/progress")
            .map(|said| {
                let params = &said["params"];
                assert_eq!(params["progressToken"], "t");
                (
                    params["progress"].as_f64().unwrap(),
                    params["total"].as_f64().unwrap(),
                )
            })
            .collect()
    }

    /// One JSON-RPC message, and what came back.
    fn send(&self, message: &str) -> (Option<String>, String) {
        let (host, bearer) = (self.page.at.to_string(), format!("Bearer {}", self.page.secret));
        let mut headers = vec![("Host", host.as_str()), ("Authorization", bearer.as_str())];
        headers.extend(self.session.as_deref().map(|session| ("Mcp-Session-Id", session)));
        let stream = TcpStream::connect(self.page.at).unwrap();
        let answer = ask(stream, "POST /mcp", &headers, message);
        let session = answer.header("mcp-session-id").map(str::to_owned);
        (session, String::from_utf8(answer.body).unwrap())
    }
}
