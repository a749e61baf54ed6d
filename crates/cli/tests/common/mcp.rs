//! As much of an MCP client as a test needs.

use super::page::{Page, Response, ask};
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
        let secret = Page::program(home, served).secret;
        Self::with_secret(home, served, &secret)
    }

    pub fn with_secret(home: &Home, served: &Served, secret: &str) -> Mcp {
        let tried = Self::try_with_secret(home, served, secret);
        tried.unwrap_or_else(|answer| panic!("{}", answer.head))
    }

    pub fn try_with_secret(home: &Home, served: &Served, secret: &str) -> Result<Mcp, Response> {
        let mut page = Page::program(home, served);
        page.secret = secret.to_owned();
        let mut mcp = Mcp { page, session: None };
        let answer = mcp.post(INITIALIZE);
        if answer.status != 200 {
            return Err(answer);
        }
        mcp.session = answer.header("mcp-session-id").map(str::to_owned);
        mcp.send(READY);
        Ok(mcp)
    }

    /// From now on it comes with another one, and the session that it has.
    pub fn take_secret(&mut self, secret: &str) {
        self.page.secret = secret.to_owned();
    }

    /// Of a request without parameters.
    pub fn status(&self, method: &str) -> u16 {
        let message = json!({"jsonrpc": "2.0", "id": 4, "method": method, "params": {}});
        self.post(&message.to_string()).status
    }

    /// The answer to a call as it came.
    pub fn whole(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub fn request(&self, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params});
        let (_, body) = self.send(&message.to_string());
        let answer = body
            .lines()
            .map(|line| line.strip_prefix("data:").unwrap_or(line))
            .find_map(|line| {
                serde_json::from_str::<Value>(line)
                    .ok()
                    .filter(|one| one["id"] == 2)
            });
        answer.unwrap_or_else(|| panic!("{body}"))
    }

    /// Why the protocol refused a call.
    pub fn error(&self, tool: &str, arguments: Value) -> Value {
        self.whole(tool, arguments)["error"].take()
    }

    pub fn text(&self, tool: &str, arguments: Value) -> String {
        let whole = self.whole(tool, arguments);
        let text = whole["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{whole}")).to_owned()
    }

    /// Whether the tool failed, and its first text, which is JSON.
    pub fn call(&self, tool: &str, arguments: Value) -> (bool, Value) {
        let mut whole = self.whole(tool, arguments);
        let result = whole["result"].take();
        let text = result["content"][0]["text"].as_str();
        let text = serde_json::from_str(text.unwrap_or_else(|| panic!("{whole}{result}"))).unwrap();
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
        let answer = self.post(message);
        let session = answer.header("mcp-session-id").map(str::to_owned);
        (session, String::from_utf8(answer.body).unwrap())
    }

    fn post(&self, message: &str) -> Response {
        let (host, bearer) = (self.page.at.to_string(), format!("Bearer {}", self.page.secret));
        let mut headers = vec![("Host", host.as_str()), ("Authorization", bearer.as_str())];
        headers.extend(self.session.as_deref().map(|session| ("Mcp-Session-Id", session)));
        let stream = TcpStream::connect(self.page.at).unwrap();
        ask(stream, "POST /mcp", &headers, message)
    }
}

/// A client of revision 2026-07-28: no session, everything in the request itself.
pub struct Stateless {
    page: Page,
    capabilities: Value,
}

impl Stateless {
    pub fn new(home: &Home, served: &Served, capabilities: Value) -> Self {
        let page = Page::program(home, served);
        Stateless { page, capabilities }
    }

    pub fn with_secret(mut self, secret: &str) -> Self {
        self.page.secret = secret.to_owned();
        self
    }

    pub fn call(&self, tool: &str, arguments: Value, extra: Value) -> Value {
        let mut params = json!({"name": tool, "arguments": arguments});
        for (name, value) in extra.as_object().unwrap() {
            params[name] = value.clone();
        }
        self.request("tools/call", tool, params)
    }

    /// `name` is what the request is about, as its head says it, too.
    pub fn request(&self, method: &str, name: &str, mut params: Value) -> Value {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self.capabilities});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (host, bearer) = (self.page.at.to_string(), format!("Bearer {}", self.page.secret));
        let headers = [
            ("Host", host.as_str()),
            ("Authorization", &bearer),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        let stream = TcpStream::connect(self.page.at).unwrap();
        let answer = ask(stream, "POST /mcp", &headers, &body.to_string());
        let text = String::from_utf8(answer.body).unwrap();
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let found = events
            .chain([text.as_str()])
            .find_map(|data| serde_json::from_str(data.trim()).ok());
        found.unwrap_or_else(|| panic!("{} {text}", answer.head))
    }
}
