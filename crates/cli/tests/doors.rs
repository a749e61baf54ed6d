//! What stands before the calls: who is let in on which address, and keys that make a change
//! safe to ask for again.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "writes settings and tools, as a person does"
)]

mod common;

use common::{Home, Served};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};

/// Every run counts, as long as the worker lives.
const COUNTER: &str = "let n = 0; export default { execute: () => ++n }";

struct Response {
    status: u16,
    head: String,
    body: String,
}

impl Response {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    fn has(&self, header: &str) -> bool {
        self.head.to_ascii_lowercase().contains(&format!("\r\n{header}"))
    }
}

/// One POST over a connection of its own; `at` need not be what Host says.
fn post(at: SocketAddr, host: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let mut text = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(at).unwrap();
    write!(stream, "{text}\r\n{body}").unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let answer = String::from_utf8(bytes).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Response {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: format!("{head}\r\n"),
        body: body.to_owned(),
    }
}

/// The token that programs use.
fn token(home: &Home) -> String {
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    format!("Bearer {}", token.trim())
}

fn address(served: &Served) -> SocketAddr {
    served.address().strip_prefix("http://").unwrap().parse().unwrap()
}

/// Asks for a change, with the key if there is one, and gives what the tool gave.
fn change(home: &Home, at: SocketAddr, call: &str, key: Option<&str>, params: &Value) -> Value {
    let token = token(home);
    let mut headers = vec![("Authorization", token.as_str())];
    headers.extend(key.map(|key| ("Idempotency-Key", key)));
    let path = format!("/api/{call}");
    let response = post(at, &at.to_string(), &path, &headers, &params.to_string());
    assert_eq!(response.status, 200, "{}", response.body);
    assert!(
        response.has("content-type: application/json"),
        "{}",
        response.head
    );
    response.json()
}

#[test]
fn one_key_runs_a_tool_once() {
    let home = Home::new();
    home.put_tool("counter", COUNTER);
    home.put_tool("other", COUNTER);
    let served = home.serve();
    let at = address(&served);
    let run = |key: Option<&str>, tool: &str| {
        change(
            &home,
            at,
            "tool.run",
            key,
            &json!({"tool": tool, "parameters": {}}),
        )
    };
    let first = run(Some("a"), "counter");
    assert_eq!(first["result"], 1, "{first}");
    for _ in 0..2 {
        assert_eq!(run(Some("a"), "counter"), first, "the same answer, run and all");
    }
    assert_eq!(run(Some("a"), "other")["result"], 1, "another body");
    assert_eq!(run(Some("b"), "counter")["result"], 2, "another key");
    assert_eq!(run(None, "counter")["result"], 3, "no key");
    assert_eq!(run(Some(""), "counter")["result"], 4, "an empty key is none");
    let at_once: Vec<Value> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| run(Some("c"), "counter")))
            .collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for answer in at_once {
        assert_eq!(answer["result"], 5, "asked at the same time");
    }
    // Only the answer is wanted: nothing is run for a key that nobody gave before.
    let token = token(&home);
    let again = |key| {
        let headers = [
            ("Authorization", token.as_str()),
            ("Idempotency-Key", key),
            ("Idempotency-Again", "1"),
        ];
        let body = json!({"tool": "counter", "parameters": {}}).to_string();
        post(at, &at.to_string(), "/api/tool.run", &headers, &body)
    };
    assert_eq!(again("a").json(), first);
    for unknown in ["never", ""] {
        let refused = again(unknown);
        assert_eq!(refused.status, 404);
        assert_eq!(refused.json()["code"], "answer_not_known");
    }
    // What happened, as the records have it.
    let runs = change(&home, at, "run.list", None, &json!({"tool": "counter"}));
    assert_eq!(runs["total"], 5, "{runs}");
    // A read takes no key: it shows what is.
    let count = |key| change(&home, at, "run.list", Some(key), &json!({"tool": "other"}))["total"].clone();
    assert_eq!(count("r"), 1);
    run(Some("d"), "other");
    assert_eq!(count("r"), 2);
}

const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doors", "version": "1"}}}"#;

/// An address of this machine that is not loopback; `None` where it has no network at all.
fn own_address() -> Option<IpAddr> {
    // Nothing is sent: connecting a datagram socket only chooses the way.
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[test]
fn mcp_that_is_open_on_loopback_stays_shut_to_the_network() {
    for open in [false, true] {
        let home = Home::new();
        assert!(home.pm(&["tool", "list"]).status.success());
        let settings = json!({"server": {"openMcpOnLoopback": open}}).to_string();
        std::fs::write(home.path().join("settings.json"), settings).unwrap();
        let served = home.serve_with(&["serve", "--json", "--host", "0.0.0.0", "--port", "0"]);
        let loopback = address(&served);
        let host = loopback.to_string();
        let token = token(&home);
        let ask = |at: SocketAddr, headers: &[(&str, &str)]| post(at, &host, "/mcp", headers, INITIALIZE);

        assert_eq!(ask(loopback, &[]).status, if open { 200 } else { 401 });
        assert_eq!(ask(loopback, &[("Authorization", "Bearer wrong")]).status, 401);
        assert_eq!(ask(loopback, &[("Authorization", &token)]).status, 200);
        assert_eq!(
            post(loopback, &host, "/api/tool.list", &[], "{}").status,
            401,
            "only /mcp is opened"
        );
        // The very request that loopback may make, Host and all, made from elsewhere.
        let Some(own) = own_address() else { continue };
        let elsewhere = SocketAddr::new(own, loopback.port());
        let refused = ask(elsewhere, &[]);
        assert_eq!(refused.status, 401, "{}", refused.body);
        assert_eq!(refused.json()["code"], "unauthorized");
        for header in [
            "www-authenticate: bearer",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
        ] {
            assert!(refused.has(header), "{header}: {}", refused.head);
        }
        assert_eq!(
            ask(elsewhere, &[("X-Forwarded-For", "127.0.0.1")]).status,
            401,
            "what a request says of itself does not count"
        );
        assert_eq!(ask(elsewhere, &[("Authorization", &token)]).status, 200);
    }
}
