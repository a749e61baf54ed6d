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

/// What the rules are not certain about.
const ASKED: &str = "$(cat name) x >> made.txt; cat made.txt";

fn scene() -> (Home, Served, std::path::PathBuf) {
    let home = Home::new();
    let folder = bound(&home);
    std::fs::write(folder.join("name"), "echo").unwrap();
    let served = home.serve();
    (home, served, folder)
}

/// The question that waits, as `pm` sees it.
fn waiting(home: &Home) -> String {
    let mut id = std::cell::OnceCell::new();
    until("a question", || {
        let list = said(&home.pm(&["approve", "list", "--json"]));
        let found = list["approvals"][0]["id"].as_str().map(str::to_owned);
        found.is_some_and(|found| id.set(found).is_ok())
    });
    id.take().unwrap()
}

#[test]
fn the_clients_person_answers_by_elicitation() {
    let (home, served, folder) = scene();
    let client = Client::new(&home, &served, &json!({"elicitation": {}}));
    let reply = |id: &Value, result: Value| {
        let sent = client.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
        assert_eq!(sent.status, 202, "{}", sent.head);
    };
    let question = |messages: &mut Messages| {
        let asked = messages.next();
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        assert!(
            asked["params"]["message"].as_str().unwrap().contains(ASKED),
            "{asked}"
        );
        assert_eq!(
            asked["params"]["requestedSchema"]["properties"]["answer"]["enum"],
            json!(["allow_once", "deny"])
        );
        asked["id"].clone()
    };
    let mut messages = client.call(2, ASKED);
    let id = question(&mut messages);
    assert!(!folder.join("made.txt").exists());
    reply(
        &id,
        json!({"action": "accept", "content": {"answer": "allow_once"}}),
    );
    assert_eq!(messages.result()["stdout"], "x\n");
    // What a client says is the client's word.
    let page = Page::open(&served);
    let answered = page.call("approval.list", json!({"state": "allowed_once"}));
    assert_eq!(
        answered["approvals"][0]["resolver"]["kind"], "mcp_client",
        "{answered}"
    );

    let mut messages = client.call(3, ASKED);
    let id = question(&mut messages);
    reply(&id, json!({"action": "decline"}));
    let denied = messages.result();
    assert_eq!(
        (&denied["error"], &denied["reason"]),
        (&json!("approval_denied"), &json!("denied"))
    );

    // The first answer counts, wherever it comes from; one by the client that comes later is nothing.
    let mut messages = client.call(4, ASKED);
    let id = question(&mut messages);
    assert!(home.pm(&["approve", "allow", &waiting(&home)]).status.success());
    assert_eq!(messages.result()["stdout"], "x\nx\n");
    reply(&id, json!({"action": "decline"}));
    let listed = said(&home.pm(&["workspace", "commands", "t1", "--json"]));
    let states: Vec<_> = listed["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["state"])
        .collect();
    assert_eq!(states, ["exited", "refused", "exited"]);

    // Closed without an answer, it is still asked elsewhere.
    let mut messages = client.call(5, ASKED);
    let id = question(&mut messages);
    reply(&id, json!({"action": "cancel"}));
    assert!(home.pm(&["approve", "deny", &waiting(&home)]).status.success());
    assert_eq!(messages.result()["error"], "approval_denied");
}

#[test]
fn a_client_that_cannot_be_asked_waits_for_the_others() {
    let (home, served, _) = scene();
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let client = Client::new(&home, &served, &capabilities);
        let mut messages = client.call(2, ASKED);
        assert!(home.pm(&["approve", "deny", &waiting(&home)]).status.success());
        assert_eq!(messages.result()["error"], "approval_denied");
    }
}

#[test]
fn a_person_can_turn_that_way_off() {
    let (home, served, _) = scene();
    let page = Page::open(&served);
    assert_eq!(page.call("settings.show", json!({}))["askInMcpClients"], true);
    let changed = page.call("settings.change", json!({"askInMcpClients": false}));
    assert_eq!(changed["askInMcpClients"], false);
    let client = Client::new(&home, &served, &json!({"elicitation": {}}));
    let mut messages = client.call(2, ASKED);
    assert!(home.pm(&["approve", "deny", &waiting(&home)]).status.success());
    assert_eq!(
        messages.result()["error"],
        "approval_denied",
        "the first message is the answer"
    );
    let kept = std::fs::read_to_string(home.path().join("settings.json")).unwrap();
    assert!(kept.contains("\"askInMcpClients\": false"), "{kept}");
}

/// A call of revision 2026-07-28: no session, everything in the call itself.
fn stateless(home: &Home, served: &Served, extra: Value) -> Value {
    let page = Page::program(home, served);
    let mut params = json!({"name": "run_command", "arguments": {"taskId": "t1", "command": ASKED},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}});
    for (name, value) in extra.as_object().unwrap() {
        params[name] = value.clone();
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (host, bearer) = (page.at.to_string(), format!("Bearer {}", page.secret));
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "run_command"),
    ];
    let stream = TcpStream::connect(page.at).unwrap();
    let answer = ask(stream, "POST /mcp", &headers, &body.to_string());
    let text = String::from_utf8(answer.body).unwrap();
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let found = events
        .chain([text.as_str()])
        .find_map(|data| serde_json::from_str(data.trim()).ok());
    found.unwrap_or_else(|| panic!("{} {text}", answer.head))
}

#[test]
fn without_a_session_the_question_is_an_answer_and_the_answer_a_call() {
    let (home, served, folder) = scene();
    let ask = || {
        let asked = stateless(&home, &served, json!({}));
        let result = &asked["result"];
        assert_eq!(result["resultType"], "input_required", "{asked}");
        let request = &result["inputRequests"]["approval"];
        assert_eq!(request["method"], "elicitation/create");
        assert!(request["params"]["message"].as_str().unwrap().contains(ASKED));
        result["requestState"].clone()
    };
    let state = ask();
    assert!(!folder.join("made.txt").exists());
    let accepted = json!({"action": "accept", "content": {"answer": "allow_once"}});
    let extra = json!({"requestState": state, "inputResponses": {"approval": accepted}});
    let answered = stateless(&home, &served, extra.clone());
    let text = answered["result"]["content"][0]["text"].as_str();
    assert!(
        text.is_some_and(|text| text.contains(r#""stdout":"x\n""#)),
        "{answered}"
    );
    let again = stateless(&home, &served, extra);
    assert!(
        again["error"]["data"]["code"] == "unknown_request_state",
        "{again}"
    );
    let extra = json!({"requestState": ask(), "inputResponses": {"approval": {"action": "decline"}}});
    let denied = stateless(&home, &served, extra).to_string();
    assert!(denied.contains("approval_denied"), "{denied}");
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
