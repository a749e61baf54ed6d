//! Programs that tools start: who may, what they see, and that nothing of them is left.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Home, said};
use serde_json::{Value, json};
use std::io::Read;
use std::net::TcpListener;
use std::process::Command;

/// Runs what it is given and tells how it ended; `leave` starts it and does not wait.
const RUNNER: &str = "import { spawn, spawnSync } from 'node:child_process';
    export default {
        getRuntimeConfig: () => ({ processes: true, maxExecutionTime: LIMIT }),
        execute({ script, leave }) {
            if (leave) { const child = spawn('sh', ['-c', script]); child.unref(); return child.pid > 0 }
            const { status, stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
            return { status, stdout, stderr };
        } }";

fn put(home: &Home, limit: u32) {
    home.put_tool("t", &RUNNER.replace("LIMIT", &limit.to_string()));
}

fn run(home: &Home, params: &Value) -> Value {
    said(&home.pm(&["tool", "run", "t", "--json", "--params", &params.to_string()]))
}

fn grant(home: &Home) {
    let granted = said(&home.pm(&["tool", "grant", "t", "--process", "--json"]));
    let rights = &granted["processes"];
    assert_eq!(rights["granted"], true, "{granted}");
    assert_eq!(rights["requested"], rights["effective"], "{granted}");
}

/// Processes of this machine with that word on their command line.
fn processes(word: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| line.split(|byte| *byte == 0).any(|one| one == word.as_bytes()))
        .count()
}

#[test]
fn only_one_that_asks_and_was_granted_it_starts_programs() {
    let home = Home::new();
    put(&home, 30);
    let _served = home.serve();
    let probe = json!({"script": "echo started"});
    let refused = run(&home, &probe);
    assert_eq!(refused["success"], false, "{refused}");
    let words = refused["error"].to_string();
    assert!(words.contains("pm tool grant t --process"), "{words}");

    grant(&home);
    let ran = run(&home, &probe);
    assert_eq!(
        (&ran["result"]["status"], &ran["result"]["stdout"]),
        (&json!(0), &json!("started\n")),
        "{ran}"
    );
    let listed = said(&home.pm(&["grant", "list", "--json"]));
    let grants = listed["grants"].as_array().unwrap();
    assert!(
        grants
            .iter()
            .any(|row| row["kind"] == "processes" && row["subject"] == "t"),
        "{listed}"
    );

    assert!(home.pm(&["tool", "revoke", "t", "--process"]).status.success());
    assert_eq!(
        run(&home, &probe)["success"],
        false,
        "a warm worker has it no more"
    );
    assert!(!home.pm(&["tool", "revoke", "t", "--process"]).status.success());

    // The right is that of the code as it was.
    grant(&home);
    put(&home, 31);
    assert_eq!(run(&home, &probe)["success"], false);
    // And whoever does not ask has nothing by it.
    home.put_tool(
        "t",
        &RUNNER
            .replace("processes: true", "processes: false")
            .replace("LIMIT", "30"),
    );
    grant(&home);
    let silent = run(&home, &probe)["error"].to_string();
    assert!(silent.contains("getRuntimeConfig().processes"), "{silent}");
}

/// The same script, plainly and by the tool: what it gets at, a line each.
#[test]
fn a_program_sees_what_the_tool_sees_and_no_more() {
    let home = Home::new();
    put(&home, 30);
    let served = home.serve();
    grant(&home);
    let (secret, project) = (home.outside("secret"), home.outside("project"));
    std::fs::write(secret.join("key"), "the key").unwrap();
    std::fs::write(project.join("mine"), "mine").unwrap();
    let allowed = home.pm(&["tool", "grant", "t", "--dir", project.to_str().unwrap()]);
    assert!(allowed.status.success(), "{allowed:?}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (toolbox, data_home) = (home.path().join("toolbox"), home.path());
    let script = format!(
        "try() {{ name=$1; shift; if \"$@\" >/dev/null 2>&1; then echo $name; fi; }}
        try secret cat {secret}/key
        try token cat {data_home}/token
        try database cat {data_home}/pm.db
        try code sh -c 'echo \"// more\" >> {toolbox}/t/t.tool.js'
        try other sh -c 'echo x > {toolbox}/other'
        try outside sh -c 'echo x > {secret}/written'
        try owner kill -0 {owner}
        try network bash -c ': > /dev/tcp/127.0.0.1/{port}'",
        secret = secret.display(),
        data_home = data_home.display(),
        toolbox = toolbox.display(),
        owner = std::process::id(),
    );
    let tool = toolbox.join("t/t.tool.js");
    let before = std::fs::read(&tool).unwrap();
    let plainly = Command::new("sh").args(["-c", &script]).output().unwrap();
    let every = "secret\ntoken\ndatabase\ncode\nother\noutside\nowner\nnetwork\n";
    assert_eq!(
        String::from_utf8_lossy(&plainly.stdout),
        every,
        "without walls all of it succeeds"
    );
    listener.set_nonblocking(true).unwrap();
    drop(listener.accept().unwrap());
    std::fs::write(&tool, &before).unwrap();
    std::fs::remove_file(toolbox.join("other")).unwrap();
    std::fs::remove_file(secret.join("written")).unwrap();

    let by_tool = run(&home, &json!({"script": script}));
    // Where the data home is hidden there is an empty folder of the program's own, gone with it.
    let got = by_tool["result"]["stdout"].as_str().unwrap();
    assert_eq!(got.replace("other\n", ""), "", "{by_tool}");
    assert_eq!(std::fs::read(&tool).unwrap(), before);
    assert!(!toolbox.join("other").exists() && !secret.join("written").exists());
    assert!(listener.accept().is_err(), "nobody knocked");
    let own = format!(
        "cat {0}/mine && echo new > {0}/made && cat {0}/made",
        project.display()
    );
    let worked = run(&home, &json!({"script": own}));
    assert_eq!(worked["result"]["stdout"], "minenew\n", "{worked}");
    drop(served);
}

#[test]
fn nothing_of_them_is_left_when_the_run_is_over() {
    let home = Home::new();
    put(&home, 1);
    let _served = home.serve();
    grant(&home);
    let tree = |mark: u32| format!("trap '' TERM HUP; setsid sleep {mark} & sleep {mark} & sleep {mark}");
    let left = run(&home, &json!({"script": tree(88_311), "leave": true}));
    assert_eq!(left["result"], true, "{left}");
    assert_eq!(processes("88311"), 0);

    // One that waits for it, over its time.
    let begun = std::time::Instant::now();
    let late = run(&home, &json!({"script": tree(88_312)}));
    assert_eq!(late["error"]["code"], "timeout", "{late}");
    assert_eq!(processes("88312"), 0);
    assert!(
        begun.elapsed().as_secs() < 30,
        "the limit ended it, not the program"
    );
    // The worker was not lost with it.
    let again = run(&home, &json!({"script": "echo on"}));
    assert_eq!(again["result"]["stdout"], "on\n", "{again}");

    // And with the owner.
    let mut waiting = home
        .command(&["tool", "run", "t", "--json", "--params"])
        .arg(json!({"script": "echo begun > $HOME/x; sleep 88313"}).to_string())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut text = String::new();
    waiting.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    waiting.wait().unwrap();
    assert_eq!(processes("88313"), 0, "{text}");
    let commands = home.path().join("run/commands");
    let empty = std::fs::read_dir(&commands).unwrap().count();
    assert_eq!(empty, 0, "their folders went with them");
}
