//! `pm mcp`, spoken to as a client does that started it.

use super::Home;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

pub struct Piped {
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Piped {
    pub fn start(home: &Home, args: &[&str]) -> Piped {
        Piped::of(&mut home.command(&[&["mcp"], args].concat()))
    }

    pub fn of(command: &mut Command) -> Piped {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Piped {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// With the handshake of revisions that have sessions.
    pub fn introduced(home: &Home, args: &[&str], capabilities: Value) -> Piped {
        let mut piped = Piped::start(home, args);
        piped.introduce(capabilities);
        piped
    }

    pub fn introduce(&mut self, capabilities: Value) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "piped", "version": "1"}});
        self.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        let hello = self.hear();
        assert_eq!(hello["result"]["protocolVersion"], "2025-11-25", "{hello}");
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }

    pub fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    pub fn request(&mut self, id: u32, method: &str, params: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    pub fn call(&mut self, id: u32, tool: &str, arguments: Value) {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments}));
    }

    /// The next line, which must be a message of the protocol.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the output ended");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        message
    }

    /// The answer to a request; what comes before it is passed over.
    pub fn answer(&mut self, id: u32) -> Value {
        loop {
            let message = self.hear();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// What a tool gave as JSON.
    pub fn result(&mut self, id: u32) -> Value {
        let answer = self.answer(id);
        let text = answer["result"]["content"][0]["text"].as_str();
        serde_json::from_str(text.unwrap_or_else(|| panic!("{answer}"))).unwrap()
    }

    /// Closes its input: how it ended, and what it still said.
    pub fn end(mut self) -> (ExitStatus, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        // Ended already in most tests.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
