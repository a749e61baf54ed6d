//! What a server's program reaches without a grant, with one, and without the wall.

use super::{SERVER, added, began, log, show};
use crate::common::{Home, said};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};

/// The very same program, started as it is.
fn without_wall(tool: &str, arguments: Value) -> Value {
    let mut child = Command::new("python3")
        .args(["-c", SERVER, "good"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{call}").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    serde_json::from_str::<Value>(&line).unwrap()["result"].take()
}

/// Says hello to whoever comes.
fn greeter() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(b"hello");
        }
    });
    port
}

#[test]
fn files_of_others_are_reached_by_a_grant_alone() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    added(&home, "fix", "good", &[]);
    let folder = home.outside("papers");
    std::fs::write(folder.join("note.txt"), "a note").unwrap();
    let (note, token) = (folder.join("note.txt"), home.path().join("token"));
    let read = |path: &std::path::Path| mcp.whole("fix__read", json!({"path": path}))["result"].clone();
    for path in [&note, &token, &home.path().join("servers/servers.json")] {
        assert_eq!(
            without_wall("read", json!({"path": path}))["isError"],
            false,
            "{path:?}"
        );
        assert_eq!(read(path)["isError"], true, "{path:?}");
    }
    let dir = folder.to_str().unwrap();
    let granted = home.pm(&["server", "grant", "fix", "--dir", dir, "--json"]);
    assert!(granted.status.success(), "{granted:?}");
    assert_eq!(read(&note)["content"][0]["text"], "a note");
    assert_eq!(read(&token)["isError"], true);
    assert!(
        home.pm(&["server", "revoke", "fix", "--dir", dir])
            .status
            .success()
    );
    assert_eq!(read(&note)["isError"], true);
    // Nobody can give away the data home.
    let own = home.path();
    let refused = home.pm(&["server", "grant", "fix", "--dir", own.to_str().unwrap(), "--json"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

#[test]
fn one_that_failed_for_want_of_a_folder_runs_once_it_has_it() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    let folder = home.outside("program");
    let program = folder.join("server.py");
    std::fs::write(&program, SERVER).unwrap();
    let (dir, program) = (folder.to_str().unwrap(), program.to_str().unwrap());
    let mark = home.path().display().to_string();
    home.pm(&["server", "add", "fix", "--", "python3", program, "good", &mark]);
    assert_eq!(show(&home, "fix")["server"]["state"], "failed");
    let granted = home.pm(&["server", "grant", "fix", "--dir", dir, "--json"]);
    assert_eq!(said(&granted)["server"]["state"], "running");
    assert_eq!(mcp.text("fix__echo", json!({"text": "here"})), "here");
}

#[test]
fn the_network_is_reached_by_a_grant_alone() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    let port = greeter();
    added(&home, "fix", "good", &[]);
    assert_eq!(
        without_wall("connect", json!({"port": port}))["content"][0]["text"],
        "hello"
    );
    let ask = |tool: &str| mcp.whole(tool, json!({"port": port}))["result"].clone();
    assert_eq!(ask("fix__connect")["isError"], true);
    assert_eq!(ask("fix__through")["isError"], true, "there is no proxy");
    let number = port.to_string();
    assert!(
        home.pm(&["server", "grant", "fix", "--loopback", &number])
            .status
            .success()
    );
    let granted = ask("fix__through");
    assert!(
        granted["content"][0]["text"].as_str().unwrap().ends_with("hello"),
        "{granted}\n{}",
        log(&home, "fix")
    );
    assert_eq!(
        ask("fix__connect")["isError"],
        true,
        "by its own way it reaches nobody"
    );
    assert!(
        home.pm(&["server", "revoke", "fix", "--loopback", &number])
            .status
            .success()
    );
    assert_eq!(ask("fix__through")["isError"], true);
}
