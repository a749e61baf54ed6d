//! The guide for authors (`docs/tools.md`): its programs are put where it says, its commands are
//! run, and they say what it says they say.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "writes and runs what the guide shows"
)]

mod common;

use common::{Home, PM};
use std::path::Path;
use std::process::Command;

const HOME: &str = "~/.prompt-manager";

/// `(language, text)` of each block.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = Option::None;
    for line in text.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), Option::None) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (Option::None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (Option::None, Option::None) => {}
        }
    }
    found
}

/// Its first line is a comment with its place.
fn put(home: &Home, text: &str) {
    let place = text.lines().next().unwrap().trim_start_matches(['/', '#', ' ']);
    let path = home
        .path()
        .join(place.strip_prefix(HOME).unwrap().trim_start_matches('/'));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// What it says, on both streams.
fn said(home: &Home, command: &str) -> String {
    let path = home.path().to_string_lossy().into_owned();
    let command = command.replace(HOME, &path);
    let arguments = command.strip_prefix("pm ").unwrap();
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &format!("\"$0\" --home \"$1\" {arguments} 2>&1"), PM, &path]);
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

/// Commands with the lines below them; `…` is what the guide does not show.
fn converse(home: &Home, text: &str) -> usize {
    let mut commands = 0;
    for part in text.split("$ ").skip(1) {
        let (command, expected) = part.split_once('\n').unwrap();
        let found = said(home, command);
        match expected.trim_end() {
            "…" => assert!(!found.trim().is_empty(), "{command}"),
            expected => assert_eq!(found.trim_end(), expected, "{command}"),
        }
        commands += 1;
    }
    commands
}

#[test]
fn what_the_guide_shows_is_so() {
    let home = Home::new();
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tools.md");
    let (mut programs, mut commands) = (0, 0);
    for (language, text) in blocks(&std::fs::read_to_string(text).unwrap()) {
        match language.as_str() {
            "js" | "py" => {
                put(&home, &text);
                programs += 1;
            }
            "console" => commands += converse(&home, &text),
            other => panic!("a block that no test knows: {other}"),
        }
    }
    assert!(programs >= 5 && commands >= 11, "{programs} {commands}");
}

/// What the guide promises without showing it.
#[test]
fn what_the_guide_leaves_out_is_so_too() {
    let home = Home::new();
    for (language, text) in blocks(include_str!("../../../docs/tools.md")) {
        if language == "js" {
            put(&home, &text);
        }
    }
    let missing = said(&home, "pm tool run word-count --params '{}'");
    assert!(missing.contains("text"), "{missing}");
    let refused = said(&home, r#"pm tool run visits --params '{"name": "nobody"}'"#);
    assert!(
        refused.contains("Come back under another name."),
        "the solution is in the answer: {refused}"
    );
    let asked = said(
        &home,
        r#"pm tool run notes-reader --params '{"path": "note.txt"}'"#,
    );
    assert!(asked.contains("pm tool grant notes-reader"), "{asked}");
    said(&home, r#"pm tool run visits --params '{"name": "Ann"}'"#);
    assert!(said(&home, "pm tool log visits").contains(r#"somebody came {"name":"Ann","times":1}"#));
}
