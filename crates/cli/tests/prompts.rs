//! The prompt library through `pm` and as MCP clients and events see it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "writes what a person would")]

mod common;

use common::Home;
use common::mcp::Mcp;
use common::page::Page;
use common::{said, stdout};
use serde_json::json;
use std::fs;

fn rows(home: &Home, args: &[&str]) -> Vec<String> {
    let list = said(&home.pm(&[args, &["--json"]].concat()));
    let prompts = list["prompts"].as_array().unwrap().clone();
    prompts
        .iter()
        .map(|row| row["path"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_prompt_is_made_found_filled_and_brought_back() {
    let home = Home::new();
    let starters = rows(&home, &["prompt", "list"]).len();
    assert!(starters >= 6);
    let made = home.pm_with_input(
        &["prompt", "new", "写诗", "-", "--group", "写作"],
        "写一首关于 {{主题}} 的诗。\n",
    );
    assert_eq!(stdout(&made).trim(), "写作/写诗.yaml", "{made:?}");
    assert_eq!(rows(&home, &["prompt", "search", "写诗"])[0], "写作/写诗.yaml");
    assert_eq!(
        rows(&home, &["prompt", "search", "一首", "--full-text"]),
        ["写作/写诗.yaml"]
    );
    let filled = home.pm(&["prompt", "show", "写诗", "--set", "主题=秋天"]);
    assert_eq!(stdout(&filled).trim(), "写一首关于 秋天 的诗。");
    let open = home.pm(&["prompt", "show", "写诗", "--set", "别的=秋天"]);
    assert!(
        String::from_utf8_lossy(&open.stderr).contains("{{主题}}"),
        "{open:?}"
    );

    assert!(home.pm(&["prompt", "remove", "写作/写诗.yaml"]).status.success());
    assert_eq!(rows(&home, &["prompt", "list"]).len(), starters);
    let removed = said(&home.pm(&["prompt", "history", "--json"]));
    let version = removed["versions"][0]["version"].as_str().unwrap();
    assert!(
        home.pm(&["prompt", "restore", "写作/写诗.yaml", version])
            .status
            .success()
    );
    assert_eq!(rows(&home, &["prompt", "list"]).len(), starters + 1);
}

#[test]
fn what_is_wrong_is_said_with_a_code() {
    let home = Home::new();
    for (args, code) in [
        (&["prompt", "show", "nowhere"][..], "prompt_not_found"),
        (&["prompt", "remove", "../token"], "prompt_path_invalid"),
        (&["prompt", "restore", "a.yaml", "0"], "prompt_version_not_found"),
        (&["prompt", "import", "/nowhere"], "prompt_io"),
    ] {
        let output = home.pm(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(code), "{code}: {text}");
    }
    assert_eq!(
        home.pm(&["prompt", "show", "x", "--set", "novalue"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_folder_is_imported_once() {
    let home = Home::new();
    let folder = home.outside("mine");
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(folder.join("sub/a.md"), "Say {{word}}.").unwrap();
    fs::write(folder.join("bad.json"), "{").unwrap();
    let import = |more: &[&str]| {
        let source = folder.display().to_string();
        let args = [
            &["prompt", "import", &source, "--group", "mine", "--json"][..],
            more,
        ]
        .concat();
        let output = home.pm(&args);
        assert_eq!(output.status.code(), Some(1), "one of them is broken: {output:?}");
        let files = said(&output)["files"].as_array().unwrap().clone();
        files
            .iter()
            .map(|file| file["proposal"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(import(&["--dry-run"]), ["broken", "new"]);
    assert!(home.pm(&["prompt", "show", "mine/sub/a.yaml"]).status.code() == Some(1));
    assert_eq!(import(&[]), ["broken", "new"]);
    assert_eq!(import(&[]), ["broken", "same"]);
    assert!(home.pm(&["prompt", "show", "mine/sub/a.yaml"]).status.success());
}

#[test]
fn clients_are_offered_what_is_switched_on_and_see_what_is_edited_by_hand() {
    let home = Home::new();
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let page = Page::open(&served);
    let found = |words: &str| {
        let (is_error, answer) = mcp.call("search_prompts", json!({"name": words}));
        assert!(!is_error, "{answer}");
        answer["total"].as_u64().unwrap()
    };
    assert_eq!(found("手写"), 0);
    let file = home.path().join("prompts/group/by-hand.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "name: 手写\nmessages: [{content: hello}]\n").unwrap();
    while found("手写") == 0 {}
    let id = page.call("prompt.show", json!({"prompt": "手写"}))["row"]["id"].clone();
    let (is_error, answer) = mcp.call("get_prompt", json!({"prompt_id": id}));
    assert!(
        !is_error && answer["messages"][0]["content"]["text"] == "hello",
        "{answer}"
    );

    page.call("prompt.switch", json!({"group": "group", "enabled": false}));
    assert_eq!(found("手写"), 0);
    let (is_error, answer) = mcp.call("get_prompt", json!({"prompt_id": id}));
    assert!(is_error && answer["error"] == "prompt_not_found", "{answer}");
    let list = page.call("prompt.list", json!({"words": "手写"}));
    assert_eq!(list["prompts"][0]["usable"], false, "the person still sees it");
    let count = |query| {
        let list = page.call("prompt.list", query);
        (
            list["prompts"].as_array().unwrap().len(),
            list["total"].clone(),
            list["all"].clone(),
        )
    };
    let (_, total, all) = count(json!({}));
    assert_eq!(total, all);
    assert_eq!(count(json!({"group": "group"})), (1, json!(1), all.clone()));
    assert_eq!(
        count(json!({"group": "grou"})),
        (0, json!(0), all.clone()),
        "no group by that name"
    );
    assert_eq!(count(json!({"group": "group", "words": "nowhere"})).0, 0);
    assert_eq!(
        count(json!({"page": {"offset": 1, "limit": 2}})),
        (2, all.clone(), all)
    );
}
