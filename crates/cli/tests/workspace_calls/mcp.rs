//! Commands of MCP clients, by the raw protocol with a session.

use super::common::page::{Page, ask};
use super::common::{Home, Served, bound, said};
use super::{processes, until};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

struct Client {
    page: Page,
    session: String,
}

impl Client {
    fn new(home: &Home, served: &Served, capabilities: &Value) -> Self {
        let page = Page::program(home, served);
        let mut client = Client {
            page,
            session: String::new(),
        };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "raw", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let answer = client.send(&body);
        assert_eq!(answer.status, 200, "{}", answer.head);
        client.session = answer.header("mcp-session-id").unwrap().to_owned();
        client.notify("notifications/initialized", json!({}));
        client
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("Host", self.page.at.to_string()),
            ("Authorization", format!("Bearer {}", self.page.secret)),
        ];
        if !self.session.is_empty() {
            headers.push(("Mcp-Session-Id", self.session.clone()));
            headers.push(("MCP-Protocol-Version", "2025-11-25".to_owned()));
        }
        headers
    }

    fn send(&self, body: &Value) -> super::common::page::Response {
        let headers = self.headers();
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let stream = TcpStream::connect(self.page.at).unwrap();
        ask(stream, "POST /mcp", &headers, &body.to_string())
    }

    fn notify(&self, method: &str, params: Value) {
        let answer = self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        assert_eq!(answer.status, 202, "{}", answer.head);
    }

    /// A call whose messages are read as they come.
    fn call(&self, id: u32, command: &str) -> Messages {
        let params = json!({"name": "run_command", "arguments": {"taskId": "t1", "command": command}});
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string();
        let mut stream = TcpStream::connect(self.page.at).unwrap();
        let mut text = format!(
            "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Accept: application/json, text/event-stream\r\n",
            body.len()
        );
        for (name, value) in self.headers() {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        write!(stream, "{text}\r\n{body}").unwrap();
        Messages {
            lines: BufReader::new(stream),
        }
    }
}

struct Messages {
    lines: BufReader<TcpStream>,
}

impl Messages {
    /// The next message that holds something.
    fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the stream ended");
            let data = line.trim().strip_prefix("data:").map(str::trim);
            if let Some(message) = data.and_then(|data| serde_json::from_str(data).ok()) {
                return message;
            }
        }
    }

    /// What the tool gave.
    fn result(&mut self) -> Value {
        let message = self.next();
        let text = message["result"]["content"][0]["text"].as_str();
        serde_json::from_str(text.unwrap_or_else(|| panic!("{message}"))).unwrap()
    }
}

#[test]
fn a_cancelled_call_ends_its_command() {
    let home = Home::new();
    bound(&home);
    let served = home.serve();
    let client = Client::new(&home, &served, &json!({}));
    let _messages = client.call(7, "sleep 88401 & setsid sleep 88401");
    until("both run", || processes("88401").len() == 2);
    client.notify(
        "notifications/cancelled",
        json!({"requestId": 7, "reason": "enough"}),
    );
    until("both have ended", || processes("88401").is_empty());
    until("it is on record", || {
        let listed = said(&home.pm(&["workspace", "commands", "t1", "--json"]));
        listed["commands"][0]["error"]["code"] == "command_cancelled"
    });
    assert_eq!(client.call(8, "echo on").result()["stdout"], "on\n");
}
