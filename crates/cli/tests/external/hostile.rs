//! Servers that mean no good: whatever they do, others go on, and they end with their owner.

use super::{add, added, began, log, names, show};
use crate::common::{Home, said, until};
use serde_json::json;

#[test]
fn one_that_never_answers_is_given_up() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    let output = add(&home, "mute", "mute", &["--start-timeout", "1"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let row = said(&output)["servers"][0]["server"].clone();
    assert_eq!(
        (&row["state"], &row["problem"]["code"]),
        (&json!("failed"), &json!("external_silent"))
    );
    assert!(names(&mcp).contains(&"toolm".to_owned()));
}

#[test]
fn a_list_that_is_too_large_is_not_taken() {
    let home = Home::new();
    let (_served, _mcp) = began(&home);
    let output = add(&home, "huge", "huge", &["--start-timeout", "3"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(show(&home, "huge")["tools"], json!([]));
}

#[test]
fn a_line_without_end_ends_with_the_patience_for_it() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    added(&home, "endless", "endless", &["--timeout", "2"]);
    let (is_error, failed) = mcp.call("endless__echo", json!({"text": "x"}));
    assert!(is_error && failed["error"] == "external_silent", "{failed}");
    assert!(home.pm(&["server", "disable", "endless"]).status.success());
}

#[test]
fn names_like_paths_become_names() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    added(&home, "paths", "paths", &[]);
    let offered: Vec<String> = names(&mcp)
        .into_iter()
        .filter(|name| name.starts_with("paths__"))
        .collect();
    assert_eq!(offered.len(), 5, "{offered:?}");
    let plain = |name: &String| {
        name.len() <= 64
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
    };
    assert!(offered.iter().all(plain), "{offered:?}");
    let files = crate::common::files_below(&home.path().join("servers/paths"));
    assert!(
        files
            .iter()
            .all(|file| file.starts_with(home.path().join("servers/paths"))),
        "{files:?}"
    );
}

#[test]
fn one_that_stops_reading_is_ended_and_started_anew() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    added(&home, "stuck", "stuck", &["--timeout", "3"]);
    let answered = |text: &str| {
        let result = mcp.whole("stuck__echo", json!({"text": text}))["result"].take();
        let said = result["content"][0]["text"].as_str().unwrap().to_owned();
        (result["isError"] == json!(true), said)
    };
    assert!(!answered("one").0);
    let (is_error, failed) = mcp.call("stuck__wait", json!({}));
    assert!(is_error && failed["error"] == "external_silent", "{failed}");
    // What nobody takes out of its pipe fills that.
    let (is_error, failed) = answered(&"x".repeat(1 << 20));
    assert!(is_error && failed.contains("external_silent"), "{failed}");
    let (is_error, said) = answered("two");
    assert!(!is_error && said.contains("two"), "{said}");
    assert!(log(&home, "stuck").contains("it does not read what it is sent"));
}

#[test]
fn one_that_does_not_hear_is_waited_for_by_nobody_and_ends_with_its_owner() {
    let home = Home::new();
    let (mut served, mcp) = began(&home);
    added(&home, "deaf", "deaf", &["--timeout", "1"]);
    let (is_error, failed) = mcp.call("deaf__wait", json!({}));
    assert!(is_error && failed["error"] == "external_silent", "{failed}");
    assert!(log(&home, "deaf").contains("waiting"));
    let alive = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        let mark = home.path().display().to_string();
        let own = |line: &Vec<u8>| {
            let program = line.split(|byte| *byte == 0).next();
            let python = program.is_some_and(|program| program.ends_with(b"python3"));
            python && String::from_utf8_lossy(line).contains(&mark)
        };
        lines.filter(own).count()
    };
    assert!(alive() > 0);
    served.kill();
    until("nothing of it lives", || alive() == 0);
}
