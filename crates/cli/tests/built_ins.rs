//! Built-in tools that a person changed, built-in tools out of a checkout, and tools of the old layout, through
//! the whole product.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and edits files as a person does"
)]

mod common;

use common::{Home, said};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn pm(home: &Home, args: &[&str]) -> Value {
    let output = home.pm(&[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?} {output:?}");
    said(&output)
}

fn refused(home: &Home, args: &[&str], code: &str) {
    let output = home.pm(&[args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = format!("{output:?}");
    assert!(text.contains(code), "{code}: {text}");
}

fn tool(version: &str) -> String {
    format!(
        "export default {{\n  getMetadata: () => ({{ name: 'Mine', version: '{version}', description: 'd' }}),\n  \
         execute: () => '{version}',\n}};\n"
    )
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Until the tool says that: a checkout is looked at once a second.
fn until_it_says(home: &Home, expected: &str) {
    let begun = Instant::now();
    loop {
        let output = home.pm(&["tool", "run", "mine", "--json"]);
        if output.status.success() && said(&output)["result"] == expected {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "never {expected}: {output:?}"
        );
    }
}

#[test]
fn a_changed_built_in_tool_is_shown_three_ways_and_the_person_decides() {
    let home = Home::new();
    let main = home.path().join("toolbox/todolist/todolist.tool.js");
    assert_eq!(
        pm(&home, &["tool", "show", "todolist"])["shipped"]["edits"],
        json!([])
    );
    let ours = std::fs::read_to_string(&main).unwrap();
    let hers = format!("{ours}// mine\n");
    std::fs::write(&main, &hers).unwrap();
    // The next start puts the built-in file back, and hers beside.
    let shown = pm(&home, &["tool", "show", "todolist"]);
    let edit = &shown["shipped"]["edits"][0];
    assert_eq!(
        (&shown["builtIn"], &shown["shipped"]["standing"]),
        (&json!(true), &json!("built_in"))
    );
    assert_eq!(
        (&edit["state"], &edit["runs"]),
        (&json!("undecided"), &json!("built_in"))
    );
    assert_eq!(edit["file"], "todolist.tool.js.user");
    assert!(edit["yours"].as_str().unwrap().contains("+// mine"), "{edit}");
    assert_eq!((&edit["now"], &edit["conflicts"]), (&json!(""), &json!(0)));

    pm(&home, &["tool", "settle", "todolist", "--merge"]);
    assert_eq!(
        std::fs::read_to_string(main.with_extension("js.merge")).unwrap(),
        hers
    );
    assert_eq!(
        std::fs::read_to_string(&main).unwrap(),
        ours,
        "on request, and nothing else"
    );

    pm(&home, &["tool", "settle", "todolist", "--mine"]);
    let shown = pm(&home, &["tool", "show", "todolist"]);
    let edit = &shown["shipped"]["edits"][0];
    assert_eq!(
        (&edit["state"], &edit["runs"]),
        (&json!("decided"), &json!("yours"))
    );
    assert_eq!(
        shown["builtIn"],
        json!(false),
        "it has no rights of a built-in tool"
    );
    assert_eq!(
        std::fs::read_to_string(&main).unwrap(),
        hers,
        "it outlives starts of the program"
    );
    assert_eq!(
        pm(
            &home,
            &["tool", "run", "todolist", "--params", r#"{"action":"query"}"#]
        )["success"],
        true
    );

    pm(
        &home,
        &["tool", "settle", "todolist", "todolist.tool.js", "--new"],
    );
    assert_eq!(std::fs::read_to_string(&main).unwrap(), ours);
    assert_eq!(
        pm(&home, &["tool", "show", "todolist"])["shipped"]["edits"],
        json!([])
    );
    refused(
        &home,
        &["tool", "settle", "todolist", "--mine"],
        "tool_edit_which",
    );
    refused(
        &home,
        &["tool", "settle", "todolist", "no.js", "--mine"],
        "tool_edit_unknown",
    );
}

#[test]
fn tools_of_a_checkout_are_built_in_and_changes_are_seen_while_it_runs() {
    let home = Home::new();
    let checkout: PathBuf = home.outside("checkout");
    let main = checkout.join("resources/tools/mine/mine.tool.js");
    write(&main, &tool("one"));
    let served = home.serve_with(&[
        "serve",
        "--port",
        "0",
        "--json",
        "--tools",
        checkout.to_str().unwrap(),
    ]);
    until_it_says(&home, "one");
    let shown = pm(&home, &["tool", "show", "mine"]);
    assert_eq!(
        (&shown["builtIn"], &shown["shipped"]["standing"]),
        (&json!(true), &json!("built_in"))
    );
    assert_eq!(
        shown["shipped"]["checkout"],
        json!(checkout.join("resources/tools"))
    );
    // Saved by renaming, as editors do, and one more tool.
    write(&checkout.join("new"), &tool("two"));
    std::fs::rename(checkout.join("new"), &main).unwrap();
    until_it_says(&home, "two");
    assert!(
        !home.path().join("toolbox/mine/mine.tool.js.user").exists(),
        "nobody edited it here"
    );
    drop(served);
    // With the packaged tools it is one that does not come any more; it stays, and is marked.
    let shown = pm(&home, &["tool", "show", "mine"]);
    assert_eq!(
        (&shown["builtIn"], &shown["shipped"]["standing"]),
        (&json!(false), &json!("retired"))
    );
    until_it_says(&home, "two");
    assert!(home.path().join("toolbox/todolist/todolist.tool.js").exists());
}

#[test]
fn a_folder_without_tools_is_refused() {
    let home = Home::new();
    let empty = home.outside("empty");
    refused(
        &home,
        &["serve", "--port", "0", "--tools", empty.to_str().unwrap()],
        "tools_folder_unusable",
    );
    let named = |folder: &Path| {
        let mut command = home.command(&["tool", "list", "--json"]);
        command.env("PROMPT_MANAGER_TOOLS", folder).output().unwrap()
    };
    let output = named(&empty);
    assert!(
        !output.status.success() && format!("{output:?}").contains("tools_folder_unusable"),
        "{output:?}"
    );
    write(&empty.join("mine/mine.tool.js"), &tool("one"));
    assert!(
        said(&named(&empty))["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["name"] == "mine")
    );
}

#[test]
fn tools_of_the_old_layout_come_once_and_go_back() {
    let home = Home::new();
    let old = home.path().join("tools");
    for name in ["mine", "todolist"] {
        write(&old.join(name).join(format!("{name}.tool.js")), &tool("old"));
    }
    write(&old.join("mine/data/storage.json"), r#"{"kept":1}"#);
    write(&old.join("mine/.env"), "WORD=hello\n");
    until_it_says(&home, "old");
    let folder = home.path().join("toolbox/mine");
    assert_eq!(
        std::fs::read_to_string(folder.join("data/storage.json")).unwrap(),
        r#"{"kept":1}"#
    );
    assert_eq!(
        std::fs::read_to_string(folder.join(".env")).unwrap(),
        "WORD=hello\n"
    );
    assert!(
        !old.join("mine").exists() && old.join("todolist").exists(),
        "its place is taken"
    );
    let state = |found: &Value, name: &str| {
        let tools = found["tools"].as_array().unwrap();
        tools.iter().find(|old| old["tool"] == name).unwrap()["state"].clone()
    };
    let found = pm(&home, &["tool", "migrate"]);
    assert_eq!(
        (state(&found, "mine"), state(&found, "todolist")),
        (json!("moved"), json!("taken"))
    );
    assert_eq!(found["backup"], json!(home.path().join("backups/old-layout")));

    // What it became since is in the trash, not lost.
    write(&folder.join("data/storage.json"), r#"{"kept":2}"#);
    let found = pm(&home, &["tool", "migrate", "--undo"]);
    assert_eq!(state(&found, "mine"), "undone");
    assert_eq!(
        std::fs::read_to_string(old.join("mine/data/storage.json")).unwrap(),
        r#"{"kept":1}"#
    );
    assert!(!folder.exists(), "and does not come again by itself");
    refused(&home, &["tool", "migrate", "--undo"], "tool_migration_nothing");
    let removed = pm(&home, &["tool", "removed"]);
    assert_eq!(removed["tools"][0]["tool"], "mine");
    assert_eq!(state(&pm(&home, &["tool", "migrate"]), "mine"), "moved");
    until_it_says(&home, "old");
}
