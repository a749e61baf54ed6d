//! Tools with `sandboxType: 'node'` through `pm`, with a Node on PATH and without one.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use common::{Home, greeter};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

const TOOL: &str = "import { execFileSync } from 'node:child_process';
    export default {
        getMetadata: () => ({ name: 'Nodal' }),
        getRuntimeConfig: () => ({ sandboxType: 'node', networkAccess: { loopback: [PORT] } }),
        async execute() {
            console.log('from node');
            const fetched = await fetch('http://localhost:PORT/').then((answer) => answer.text(), ({ cause }) => cause);
            const child = execFileSync('/bin/echo', ['one']).toString().trim();
            return { v8: typeof process.versions.v8, child, fetched: fetched.message ?? fetched, title: process.title };
        },
    };";

fn put(home: &Home, port: u16) {
    home.put_tool("nodal", &TOOL.replace("PORT", &port.to_string()));
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn a_tool_for_node_runs_and_reaches_what_it_was_granted() {
    let home = Home::new();
    let port = greeter();
    put(&home, port);
    let _served = home.serve();
    let run = || answer(&home.pm(&["tool", "run", "nodal", "--json"]))["result"].clone();
    let said = run();
    assert_eq!(
        (&said["v8"], &said["child"]),
        (&json!("string"), &json!("one")),
        "{said}"
    );
    let refused = said["fetched"].as_str().unwrap();
    assert!(refused.contains("pm tool grant nodal --network"), "{said}");
    let log = home.log_of("nodal");
    assert!(log.contains("from node"), "{log}");

    let text = port.to_string();
    assert!(
        home.pm(&["tool", "grant", "nodal", "--loopback", &text])
            .status
            .success()
    );
    assert_eq!(run()["fetched"], "hello");
    assert!(
        home.pm(&["tool", "revoke", "nodal", "--loopback", &text])
            .status
            .success()
    );
    assert_ne!(run()["fetched"], "hello");
}

/// Two that are one Node, but for the version that they tell and the name that they run under.
#[test]
fn the_newest_node_of_the_machine_runs_it() {
    let home = Home::new();
    put(&home, 1);
    let path = std::env::var_os("PATH").unwrap();
    let real = std::env::split_paths(&path)
        .map(|folder| folder.join("node"))
        .find(|file| file.is_file());
    let real = real.unwrap().canonicalize().unwrap();
    let make = |name: &str, version: &str| {
        let folder = home.outside(name);
        let file = folder.join("node");
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo {version} && exit\nexec '{}' --title={name} \"$@\"\n",
            real.display()
        );
        std::fs::write(&file, text).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        folder
    };
    let folders = [
        make("older", "v90.2.1"),
        make("newest", "v90.10.0"),
        make("broken", "nothing"),
    ];
    let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).unwrap();
    let output = home
        .command(&["tool", "run", "nodal", "--json"])
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(answer(&output)["result"]["title"], "newest", "{output:?}");
}

#[test]
fn without_node_the_error_says_what_to_install() {
    let home = Home::new();
    put(&home, 1);
    // What builds the walls is there, Node is not.
    let programs = home.outside("programs");
    std::os::unix::fs::symlink("/usr/bin/bwrap", programs.join("bwrap")).unwrap();
    let output = home
        .command(&["tool", "run", "nodal", "--json"])
        .env("PATH", &programs)
        .output()
        .unwrap();
    let said = answer(&output);
    assert_eq!(said["error"]["code"], "node_missing", "{said}");
    assert!(said["error"]["hint"].as_str().unwrap().contains("22"), "{said}");
}
