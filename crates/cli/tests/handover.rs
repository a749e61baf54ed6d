//! Owners end while others still want something of them: nobody loses a run or an answer.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "looks at files")]

mod common;

use common::Home;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wire::None as NoParams;

/// A tool that says that it has begun, and goes on when it is told to.
const GATE: &str = "import fs from 'fs'; export default { async execute({ size }) {
    const data = `${this.__toolDir}/data`;
    fs.writeFileSync(`${data}/begun`, '');
    while (!fs.existsSync(`${data}/go`)) await new Promise((done) => setTimeout(done, 5));
    return 'x'.repeat(size ?? 1);
} }";

/// Starts `pm tool run` of a [`GATE`] and waits until the tool runs.
fn begin(home: &Home, tool: &str) -> Child {
    home.put_tool(tool, GATE);
    let child = home
        .command(&["tool", "run", tool, "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    begun(home, tool);
    child
}

fn begun(home: &Home, tool: &str) {
    let mark = home.path().join(format!("toolbox/{tool}/data/begun"));
    let patience = Instant::now() + Duration::from_secs(60);
    while !mark.exists() {
        assert!(Instant::now() < patience, "{tool} never ran");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn go(home: &Home, tool: &str) {
    std::fs::write(home.path().join(format!("toolbox/{tool}/data/go")), "").unwrap();
}

/// The JSON on its standard output, which shows that its verb is done, not that it has ended.
fn said(child: &mut Child) -> Value {
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with("\n}\n") {
        assert!(lines.read_line(&mut text).unwrap() > 0, "ended early: {text}");
    }
    serde_json::from_str(&text).unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// The process that owns the home.
fn owner_of(home: &Home) -> u32 {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime
        .block_on(home.client().server_hello(NoParams {}))
        .unwrap()
        .pid
}

#[test]
fn a_server_that_is_told_to_end_does_not_wait_for_its_parent() {
    let home = Home::new();
    let mut served = home.serve_with(&["serve", "--json", "--port", "0", "--parent-pipe"]);
    assert_eq!(served.end(), Some(0), "with its standard input still open");
}

#[test]
fn a_verbs_owner_serves_others_to_their_end() {
    let home = Home::new();
    let mut mine = begin(&home, "mine");
    let theirs = begin(&home, "theirs");
    go(&home, "mine");
    assert_eq!(said(&mut mine)["result"], "x");
    // A whole verb later it is still the owner, also of calls that begin only now.
    assert!(home.pm(&["tool", "list"]).status.success());
    assert_eq!(owner_of(&home), mine.id());
    go(&home, "theirs");
    let theirs = theirs.wait_with_output().unwrap();
    assert_eq!(json_of(&theirs)["result"], "x");
    assert_eq!(mine.wait().unwrap().code(), Some(0));
    assert!(!home.path().join("run/pm.sock").exists());
}

/// It asks for orders as long as it runs: a verb that was typed while it started would never end, and would be an owner
/// without an address.
#[test]
fn a_desktop_program_keeps_no_verb() {
    let home = Home::new();
    let mut verb = begin(&home, "verb");
    let desktop = home.client().named(wire::DESKTOP);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let asked = runtime.spawn(async move {
        loop {
            let window = wire::BrowserWork {
                window: "desktop".to_owned(),
                done: None,
            };
            if let Err(error) = desktop.assistant_work(window).await {
                return error;
            }
        }
    });
    // Not before it is seen to ask.
    let mine = home.client();
    runtime.block_on(async {
        let patience = Instant::now() + Duration::from_secs(60);
        while !mine.assistant_show(NoParams {}).await.unwrap().has_window {
            assert!(Instant::now() < patience, "it never asked");
        }
    });
    go(&home, "verb");
    assert_eq!(verb.wait().unwrap().code(), Some(0));
    let ended = runtime.block_on(asked).unwrap();
    assert!(
        matches!(&ended, wire::ClientError::Call(error) if error.code == "server_ending"),
        "{ended:?}"
    );
}

#[test]
fn ctrl_c_ends_an_owner_that_serves_others_and_they_are_told() {
    let home = Home::new();
    let mut mine = begin(&home, "mine");
    let theirs = begin(&home, "theirs");
    go(&home, "mine");
    said(&mut mine);
    let mut note = String::new();
    BufReader::new(mine.stderr.take().unwrap())
        .read_line(&mut note)
        .unwrap();
    assert!(note.contains("Ctrl+C"), "{note}");
    kill_process(Pid::from_child(&mine), Signal::INT).unwrap();
    let theirs = theirs.wait_with_output().unwrap();
    assert_eq!(theirs.status.code(), Some(1));
    assert_eq!(json_of(&theirs)["error"]["code"], "cancelled");
    assert_eq!(mine.wait().unwrap().code(), Some(0), "its own verb was done");
}

#[test]
fn a_server_waits_for_a_verb_that_owns_the_home() {
    let home = Home::new();
    let mut verb = begin(&home, "verb");
    let mut server = home
        .command(&["serve", "--port", "0", "--json", "--parent-pipe"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut note = String::new();
    BufReader::new(server.stderr.take().unwrap())
        .read_line(&mut note)
        .unwrap();
    assert!(note.contains("Ctrl+C"), "{note}");
    go(&home, "verb");
    assert_eq!(verb.wait().unwrap().code(), Some(0));
    said(&mut server);
    assert_eq!(owner_of(&home), server.id());
    drop(server.stdin.take());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

/// Characters of an answer that no socket takes at once.
const LARGE: usize = 2_000_000;

/// Runs a [`GATE`] and reads its large answer as slowly as a bad line would bring it.
fn run_and_read_slowly(home: &Home, tool: &str) -> Value {
    let mut stream = UnixStream::connect(home.path().join("run/pm.sock")).unwrap();
    let body = json!({"tool": tool, "parameters": {"size": LARGE}}).to_string();
    write!(
        stream,
        "POST /api/tool.run HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let (mut answer, mut part) = (Vec::new(), [0; 16 * 1024]);
    loop {
        match stream.read(&mut part).unwrap() {
            0 => break,
            count => answer.extend_from_slice(&part[..count]),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let answer = String::from_utf8(answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{} bytes of an answer", body.len()))
}

#[test]
fn calls_that_run_at_a_stop_get_their_answers() {
    let home = Home::new();
    let mut served = home.serve();
    let tools = ["a", "b", "c", "d", "e"];
    tools.iter().for_each(|tool| home.put_tool(tool, GATE));
    std::thread::scope(|scope| {
        let calls = tools.map(|tool| {
            scope.spawn({
                let home = &home;
                move || run_and_read_slowly(home, tool)
            })
        });
        tools.iter().for_each(|tool| begun(&home, tool));
        assert!(home.pm(&["stop"]).status.success());
        tools.iter().for_each(|tool| go(&home, tool));
        for call in calls {
            let run = call.join().unwrap();
            assert_eq!(
                run["result"].as_str().map(str::len),
                Some(LARGE),
                "{}",
                run["error"]
            );
        }
    });
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[test]
fn verbs_of_several_calls_survive_each_others_owners() {
    let home = Home::new();
    let script = home.outside("in").join("dot.js");
    std::fs::write(&script, "getCanvas(4, 4).getContext('2d').fillRect(0, 0, 2, 2)").unwrap();
    let out = home.outside("out");
    let running: Vec<_> = (0..10)
        .map(|_| {
            home.command(&["js", script.to_str().unwrap(), "--out", out.to_str().unwrap()])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(std::fs::read_dir(out).unwrap().count(), 10);
}

/// What an owner says to one call.
#[derive(Clone, Copy)]
enum Says {
    Hello,
    Ending,
    /// It breaks the connection.
    Nothing,
}

/// Owns the home, answers so many calls, and is gone. Gives the paths that were asked for.
fn short_lived(home: &Home, says: &[Says]) -> JoinHandle<Vec<String>> {
    let run = home.path().join("run");
    std::fs::create_dir_all(&run).unwrap();
    let lock = std::fs::File::create(run.join("owner.lock")).unwrap();
    lock.lock().unwrap();
    let listener = UnixListener::bind(run.join("pm.sock")).unwrap();
    let says = says.to_vec();
    let hello = json!({"product": "prompt-manager", "version": "0", "build": "0", "pid": 0,
        "home": home.path(), "isolation": "none", "language": "en"});
    std::thread::spawn(move || {
        let _lock = lock;
        let answer = |says| {
            let (mut stream, _) = listener.accept().unwrap();
            let path = request(&mut stream);
            let (status, body) = match says {
                Says::Hello => ("200 OK", hello.clone()),
                Says::Ending => (
                    "503 Service Unavailable",
                    json!({"code": "server_ending", "message": "ending"}),
                ),
                Says::Nothing => return path,
            };
            let body = body.to_string();
            let length = body.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}"
            )
            .unwrap();
            path
        };
        says.into_iter().map(answer).collect()
    })
}

/// Reads a request and gives its path.
fn request(stream: &mut UnixStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0);
        if let Some(rest) = line.strip_prefix("POST ") {
            path = rest.split(' ').next().unwrap().to_owned();
        }
        if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap();
        }
        if line == "\r\n" {
            break;
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).unwrap();
    path
}

#[test]
fn a_verb_outlives_the_owner_it_met() {
    use Says::{Ending, Hello, Nothing};
    let (hello, list) = ("/api/server.hello", "/api/artifact.list");
    for (says, asked) in [
        (&[Ending][..], &[hello][..]),
        (&[Nothing, Ending], &[hello, hello]),
        (&[Hello, Ending], &[hello, list]),
        (&[Hello, Nothing], &[hello, list]),
        (
            &[Hello, Ending, Nothing, Hello, Nothing],
            &[hello, list, hello, hello, list],
        ),
    ] {
        let home = Home::new();
        let owner = short_lived(&home, says);
        let listed = home.pm(&["artifact", "list", "--json"]);
        assert_eq!(owner.join().unwrap(), asked);
        assert_eq!(json_of(&listed)["total"], 0);
    }
}

#[test]
fn a_change_is_made_again_only_when_it_was_not_begun() {
    let add = [
        "tool",
        "run",
        "todolist",
        "--json",
        "--params",
        r#"{"action": "add", "title": "t"}"#,
    ];
    let count = |home: &Home| {
        let all = home.pm(&["tool", "run", "todolist", "--params", r#"{"action": "query"}"#]);
        json_of(&all)["total"].clone()
    };
    let home = Home::new();
    let owner = short_lived(&home, &[Says::Hello, Says::Ending]);
    assert!(home.pm(&add).status.success());
    assert_eq!(owner.join().unwrap().len(), 2);
    assert_eq!(count(&home), 1);

    let home = Home::new();
    let owner = short_lived(&home, &[Says::Hello, Says::Nothing]);
    let broken = home.pm(&add);
    assert_eq!(json_of(&broken)["code"], "connection_broken");
    assert_eq!(owner.join().unwrap().len(), 2);
    assert_eq!(count(&home), 0);
}
