//! Tokens of clients: what each may use, that it ends at once when it is taken back, and the pause.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts files there as a person would"
)]

mod common;

use common::mcp::Mcp;
use common::page::{Page, ask};
use common::pipe::Piped;
use common::{Home, Served, bound, runtime, said, stdout, until};
use serde_json::json;
use std::io::Write;
use std::net::TcpStream;

const LIST: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {}}}}"#;

/// The status of a request with this secret, and its body.
fn knock(home: &Home, served: &Served, secret: &str) -> (u16, String) {
    let page = Page::program(home, served);
    let (host, bearer) = (page.at.to_string(), format!("Bearer {secret}"));
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/list"),
    ];
    let answer = ask(TcpStream::connect(page.at).unwrap(), "POST /mcp", &headers, LIST);
    (answer.status, String::from_utf8(answer.body).unwrap())
}

fn new_token(home: &Home, args: &[&str]) -> String {
    let output = home.pm(&[&["token", "new"], args].concat());
    assert!(output.status.success(), "{output:?}");
    stdout(&output).trim().to_owned()
}

#[test]
fn a_token_covers_what_it_names_until_it_is_taken_back() {
    let home = Home::new();
    let folder = bound(&home);
    std::fs::write(folder.join("a.txt"), "hello").unwrap();
    let served = home.serve();
    let limits = [
        "narrow",
        "--tool",
        "tool://todolist",
        "--tool",
        "read_file",
        "--workspace",
        "t1",
    ];
    let secret = new_token(&home, &limits);
    assert!(secret.starts_with("pmt_") && secret.len() == 68, "{secret}");

    let (status, listed) = knock(&home, &served, &secret);
    assert_eq!(status, 200, "{listed}");
    assert!(
        listed.contains(r#""name":"toolm""#) && listed.contains("todolist"),
        "{listed}"
    );
    for hidden in [
        r#""name":"run_javascript""#,
        r#""name":"write_file""#,
        "- filesystem",
    ] {
        assert!(!listed.contains(hidden), "{hidden} in {listed}");
    }

    let mcp = Mcp::with_secret(&home, &served, &secret);
    let (failed, answer) = mcp.call(
        "toolm",
        json!({"yaml": "tool: tool://todolist\nparameters: {action: query}"}),
    );
    assert!(!failed && answer["success"] == true, "{answer}");
    let text = mcp.text("toolm", json!({"yaml": "tool: tool://filesystem\nmode: manual"}));
    assert_eq!(text, "工具 'filesystem' 不存在\n可用工具: todolist");
    let (_, answer) = mcp.call("read_file", json!({"taskId": "t1", "path": "a.txt"}));
    assert_eq!(answer["content"], "hello");
    for (tool, arguments) in [
        ("run_javascript", json!({"code": "return 1"})),
        ("write_file", json!({"taskId": "t1", "path": "b", "content": ""})),
        ("read_file", json!({"taskId": "t2", "path": "a.txt"})),
    ] {
        let error = mcp.error(tool, arguments);
        assert_eq!(error["data"]["code"], "out_of_scope", "{tool}: {error}");
    }
    // It opens nothing else: neither the calls of programs nor the answer to a question.
    let page = Page::program(&home, &served);
    let (host, bearer) = (page.at.to_string(), format!("Bearer {secret}"));
    let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    for call in [
        "POST /api/tool.list",
        "POST /api/approval.resolve",
        "POST /api/token.list",
    ] {
        let answer = ask(TcpStream::connect(page.at).unwrap(), call, &headers, "{}");
        assert_eq!(answer.status, 401, "{call}");
    }

    let listed = said(&home.pm(&["token", "list", "--json"]));
    assert_eq!(listed["tokens"][0]["name"], "narrow");
    assert_eq!(listed["tokens"][0]["scope"]["workspaces"], json!(["t1"]));
    assert_eq!(listed["seen"][0]["name"], "narrow", "{listed}");

    assert!(home.pm(&["token", "revoke", "narrow"]).status.success());
    assert_eq!(knock(&home, &served, &secret).0, 401);
    assert_eq!(mcp.status("tools/list"), 401, "its session is no way around");
    let runs = runtime()
        .block_on(home.client().run_list(Default::default()))
        .unwrap();
    assert!(runs.runs.iter().all(|run| run.actor.name == "narrow"), "{runs:?}");
    // The secret is nowhere in the data home.
    for file in common::files_below(&home.path()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

#[test]
fn names_and_scopes_are_checked() {
    let home = Home::new();
    let failure = |args: &[&str]| {
        let output = home.pm(&[&["--json", "token"], args].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        said(&output)["code"].as_str().unwrap().to_owned()
    };
    new_token(&home, &["a"]);
    assert_eq!(failure(&["new", "a"]), "token_exists");
    assert_eq!(failure(&["new", "a b"]), "invalid_token_name");
    assert_eq!(failure(&["new", "b", "--tool", "nonsense"]), "unknown_scope");
    assert_eq!(failure(&["new", "b", "--tool", "tool://../x"]), "unknown_scope");
    assert_eq!(failure(&["new", "b", "--workspace", "../x"]), "unknown_scope");
    assert_eq!(failure(&["revoke", "b"]), "token_not_found");
    assert!(home.pm(&["token", "revoke", "a"]).status.success());
    assert_eq!(failure(&["revoke", "a"]), "token_not_found");
    new_token(&home, &["a"]);
}

#[test]
fn a_piped_client_has_the_rights_of_its_name() {
    let home = Home::new();
    let _served = home.serve();
    new_token(&home, &["desk", "--tool", "toolm"]);
    let mut piped = Piped::introduced(&home, &["--client", "desk"], json!({}));
    piped.call(1, "run_javascript", json!({"code": "return 1"}));
    let refused = piped.answer(1);
    assert_eq!(refused["error"]["data"]["code"], "out_of_scope", "{refused}");
    piped.call(
        2,
        "toolm",
        json!({"yaml": "tool: tool://todolist\nparameters: {action: query}"}),
    );
    assert_eq!(piped.result(2)["success"], true);
    assert!(home.pm(&["token", "revoke", "desk"]).status.success());
    piped.call(
        3,
        "toolm",
        json!({"yaml": "tool: tool://todolist\nparameters: {action: query}"}),
    );
    let refused = piped.answer(3);
    assert_eq!(
        refused["error"]["data"]["code"], "unauthorized",
        "a running stream ends to be one"
    );
}

#[test]
fn a_session_is_of_no_use_to_another_client() {
    let home = Home::new();
    let served = home.serve();
    let (one, two) = (new_token(&home, &["one"]), new_token(&home, &["two"]));
    let mut mcp = Mcp::with_secret(&home, &served, &one);
    assert_eq!(mcp.status("tools/list"), 200);
    mcp.take_secret(&two);
    assert_eq!(mcp.status("tools/list"), 404);
    mcp.take_secret(&one);
    assert_eq!(mcp.status("tools/list"), 200);
}

#[test]
fn a_pause_stops_what_would_begin() {
    let home = Home::new();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    assert!(home.pm(&["pause"]).status.success());
    let script = || mcp.call("run_javascript", json!({"code": "return 7"}));
    let (failed, answer) = script_error(&mcp);
    assert!(failed && answer.contains("paused"), "{answer}");
    let text = mcp.text(
        "toolm",
        json!({"yaml": "tool: tool://todolist\nparameters: {action: query}"}),
    );
    assert!(text.contains("暂停"), "{text}");
    let output = home.pm(&[
        "--json",
        "tool",
        "run",
        "todolist",
        "--params",
        r#"{"action": "query"}"#,
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // A person who paused it finds it paused after a start.
    let kept = std::fs::read_to_string(home.path().join("settings.json")).unwrap();
    assert!(kept.contains(r#""paused": true"#), "{kept}");
    assert!(home.pm(&["resume"]).status.success());
    assert_eq!(script().1, json!(7));
}

fn script_error(mcp: &Mcp) -> (bool, String) {
    let whole = mcp.whole("run_javascript", json!({"code": "return 7"}));
    (
        whole.get("error").is_some() || whole["result"]["isError"] == true,
        whole.to_string(),
    )
}

const SLOW: &str = "export default {
    async execute() { await new Promise((done) => setTimeout(done, 60000)); },
};";

/// A home whose clients may do little.
fn limited() -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.path()).unwrap();
    let settings = r#"{"server": {"limits": {"requestsPerMinute": 20, "calls": 1, "sessions": 2}}}"#;
    std::fs::write(home.path().join("settings.json"), settings).unwrap();
    home
}

#[test]
fn a_client_that_asks_too_much_waits() {
    let home = limited();
    home.put_tool("slow", SLOW);
    let served = home.serve();
    let secrets = ["one", "two", "three"].map(|name| new_token(&home, &[name]));

    // Sessions: two are hers, both in use just now.
    let _both = [0, 1].map(|_| Mcp::with_secret(&home, &served, &secrets[0]));
    let third = Mcp::try_with_secret(&home, &served, &secrets[0]);
    assert_eq!(third.err().map(|answer| answer.status), Some(429));

    // Requests.
    let answers: Vec<_> = (0..25).map(|_| knock(&home, &served, &secrets[1])).collect();
    assert!(answers.iter().any(|(status, _)| *status == 200));
    let (status, body) = answers.last().unwrap();
    assert_eq!(*status, 429, "{body}");
    assert!(body.contains("too_many_requests"), "{body}");

    // Calls at once, over a stream: nobody has to wait for the first.
    let mut piped = Piped::introduced(&home, &["--client", "three"], json!({}));
    piped.call(1, "toolm", json!({"yaml": "tool: tool://slow"}));
    piped.call(2, "toolm", json!({"yaml": "tool: tool://slow"}));
    // Which of the two came first is nobody's promise.
    let refused = loop {
        let message = piped.hear();
        if message.get("method").is_none() {
            break message;
        }
    };
    assert_eq!(refused["error"]["data"]["code"], "too_many_calls", "{refused}");
    assert_eq!(knock(&home, &served, &secrets[2]).0, 200, "others are not meant");
}

#[test]
fn nobody_takes_the_places_of_a_token_by_calling_itself_like_it() {
    let home = limited();
    home.put_tool("slow", SLOW);
    home.put_tool("slower", SLOW);
    let served = home.serve();
    let secrets = ["piped", "named"].map(|name| new_token(&home, &[name]));
    let open = || {
        let active = runtime().block_on(home.client().run_active(wire::None {}));
        active.unwrap().runs.len()
    };

    // By the name of its handshake, over a stream …
    let mut piped = Piped::introduced(&home, &[], json!({}));
    piped.call(1, "toolm", json!({"yaml": "tool: tool://slow"}));
    until("the call over the stream runs", || open() == 1);
    // … and by the name of a header, with the person's token.
    let page = Page::program(&home, &served);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "toolm", "arguments": {"yaml": "tool: tool://slower"}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "piped", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}})
    .to_string();
    let mut named = TcpStream::connect(page.at).unwrap();
    write!(
        named,
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nUser-Agent: named\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: toolm\r\n\
         Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         Content-Length: {}\r\n\r\n{body}",
        page.at,
        page.secret,
        body.len()
    )
    .unwrap();
    until("the call with the header runs", || open() == 2);

    for secret in &secrets {
        let own = Mcp::with_secret(&home, &served, secret);
        let (failed, seven) = own.call("run_javascript", json!({"code": "return 7"}));
        assert!(!failed && seven == 7, "{seven}");
    }
}
