//! `pm mcp`: the protocol over its pipes, whoever does the work.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts files there as a person would"
)]

mod common;

use common::pipe::Piped;
use common::{Home, bound, runs_now, runtime, said, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const COUNTING: &str = "let calls = 0; export default {
    getMetadata: () => ({ name: 'count', version: '1.0.0', description: 'Counts' }),
    getSchema: () => ({ parameters: { type: 'object', properties: { ms: { type: 'integer', default: 0 } } } }),
    async execute({ ms }) {
        this.api.progress(1, 2, 'half');
        await new Promise((done) => setTimeout(done, ms));
        this.api.progress(2, 2, 'all');
        return { calls: ++calls };
    },
};";

fn count(ms: u32) -> Value {
    json!({"yaml": format!("tool: tool://count\nparameters:\n  ms: {ms}")})
}

/// Ends the owner that a bridge started.
struct Stopped<'a>(&'a Home);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        let output = self.0.pm(&["stop"]);
        if !std::thread::panicking() {
            assert!(output.status.success(), "{output:?}");
        }
    }
}

#[test]
fn without_a_server_one_is_started_that_all_share() {
    let home = Home::new();
    home.put_tool("count", COUNTING);
    std::fs::write(home.path().join("settings.json"), r#"{"server": {"port": 0}}"#).unwrap();
    let mut one = Piped::introduced(&home, &[], json!({}));
    let _stopped = Stopped(&home);
    one.request(1, "tools/list", json!({}));
    let listed = one.answer(1);
    let names: Vec<_> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"toolm".to_owned()), "{names:?}");
    one.call(2, "toolm", count(0));
    assert_eq!(one.result(2)["result"]["calls"], 1);

    // Of the newest revision: no handshake, everything in the request.
    let mut two = Piped::start(&home, &["--client", "second"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": "toolm", "arguments": count(0), "_meta": meta});
    two.request(1, "tools/call", params);
    assert_eq!(two.result(1)["result"]["calls"], 2, "the same worker");

    let (status, rest) = one.end();
    assert!(status.success() && rest.is_empty(), "{status} {rest}");
    let (status, rest) = two.end();
    assert!(status.success() && rest.is_empty(), "{status} {rest}");
    // The server is still there, and knows who they were.
    let hello = said(&home.pm(&["tool", "list", "--json"]));
    assert!(hello["tools"].is_array(), "{hello}");
    let runs = runtime()
        .block_on(home.client().run_list(Default::default()))
        .unwrap();
    let actors: Vec<_> = runs.runs.iter().map(|run| run.actor.name.as_str()).collect();
    assert_eq!(actors, ["second", "piped"]);
}

#[test]
fn a_server_for_clients_stays_while_one_is_here_and_ends_after() {
    let home = Home::new();
    let mut served = home.serve_with(&["serve", "--port", "0", "--json", "--idle-exit", "3"]);
    let mut piped = Piped::introduced(&home, &[], json!({}));
    // Longer than it would stay for nobody.
    let since = Instant::now();
    while since.elapsed() < Duration::from_millis(3500) {
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(served.child.try_wait().unwrap().is_none());
    piped.request(1, "ping", json!({}));
    assert_eq!(piped.answer(1)["result"], json!({}));
    assert!(piped.end().0.success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[test]
fn progress_and_cancellation_come_through() {
    let home = Home::new();
    home.put_tool("count", COUNTING);
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({}));
    let params = json!({"name": "toolm", "arguments": count(0), "_meta": {"progressToken": "p"}});
    piped.request(1, "tools/call", params);
    let mut steps = Vec::new();
    let answer = loop {
        let message = piped.hear();
        if message["method"] == "notifications/progress" {
            assert_eq!(message["params"]["progressToken"], "p");
            steps.push(message["params"]["progress"].as_f64().unwrap());
        } else {
            break message;
        }
    };
    assert_eq!(answer["id"], 1, "{answer}");
    assert_eq!(steps.last(), Some(&2.0), "{steps:?}");

    piped.call(2, "toolm", count(60_000));
    until("it runs", || runs_now(&home));
    let cancelled = json!({"requestId": 2, "reason": "enough"});
    piped.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
    until("it has ended", || !runs_now(&home));
    piped.request(3, "ping", json!({}));
    assert_eq!(piped.hear()["id"], 3, "a cancelled call has no answer");
    assert!(piped.end().0.success());
}

#[test]
fn questions_come_through() {
    let home = Home::new();
    let folder = bound(&home);
    std::fs::write(folder.join("name"), "echo").unwrap();
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({"elicitation": {}}));
    let command = "$(cat name) x >> made.txt; cat made.txt";
    piped.call(1, "run_command", json!({"taskId": "t1", "command": command}));
    let asked = piped.hear();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({"action": "accept", "content": {"answer": "allow_once"}});
    piped.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer}));
    assert_eq!(piped.result(1)["stdout"], "x\n");
}

#[test]
fn a_call_that_runs_when_the_input_ends_is_still_answered() {
    let home = Home::new();
    home.put_tool("count", COUNTING);
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({}));
    piped.call(1, "toolm", count(300));
    let (status, rest) = piped.end();
    assert!(status.success());
    let answers: Vec<Value> = rest
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        answers
            .iter()
            .any(|answer| answer["id"] == 1 && answer.get("result").is_some()),
        "{rest}"
    );
}

#[test]
fn the_next_owner_goes_on_where_one_was_lost() {
    let home = Home::new();
    home.put_tool("count", COUNTING);
    let mut served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({"elicitation": {}}));
    piped.call(1, "toolm", count(60_000));
    until("it runs", || runs_now(&home));
    served.kill();
    let lost = piped.answer(1);
    assert_eq!(lost["error"]["data"]["code"], "server_ending", "{lost}");
    let _served = home.serve();
    // The handshake was with the other one, and the client need not know.
    piped.call(2, "toolm", count(0));
    assert_eq!(piped.result(2)["result"]["calls"], 1);
    let runs = runtime()
        .block_on(home.client().run_list(Default::default()))
        .unwrap();
    assert_eq!(runs.runs[0].actor.name, "piped");
    assert!(piped.end().0.success());
}

#[test]
fn what_is_no_message_of_the_protocol_hurts_nobody() {
    let home = Home::new();
    let _served = home.serve();
    let mut piped = Piped::introduced(&home, &[], json!({}));
    for nonsense in [
        json!("x"),
        json!([]),
        json!(1),
        json!({"jsonrpc": "1.0"}),
        json!({"id": {}, "method": 3}),
    ] {
        piped.say(&nonsense);
    }
    piped.request(9, "ping", json!({}));
    assert_eq!(piped.answer(9)["result"], json!({}));
    assert!(piped.end().0.success());
}
