//! The built-in tools, case by case (`tests/tools/*.json`), in the product's own engine.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads the cases")]

mod common;

use common::Home;
use common::page::Page;
use serde_json::{Map, Value, json};
use wire::{Client, GrantChange, ToolConfigure, ToolRun};

fn cases(tool: &str, dir: &str) -> Vec<Value> {
    let path = format!("{}/../../tests/tools/{tool}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap().replace("{dir}", dir);
    serde_json::from_str(&text).unwrap()
}

/// Arrays have the same length; objects hold at least what is expected.
fn fits(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .all(|(key, value)| found.get(key).is_some_and(|other| fits(value, other))),
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(a, b)| fits(a, b))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => expected == found,
    }
}

async fn walk(client: &Client, tool: &str, dir: &str, at_least: usize) {
    let cases = cases(tool, dir);
    assert!(cases.len() >= at_least);
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let parameters = case["parameters"].as_object().unwrap().clone();
        let result = client
            .tool_run(ToolRun {
                tool: tool.to_owned(),
                parameters,
                run: Option::None,
            })
            .await
            .unwrap();
        match case.get("error").and_then(Value::as_str) {
            Some(error) => {
                assert!(
                    !result.success,
                    "{tool}: {name}: expected an error, got {}",
                    result.result
                );
                let help = result.help.unwrap_or_default();
                let code = result.error.map(|error| error.code).unwrap_or_default();
                assert!(
                    help.contains(error) || code.contains(error),
                    "{tool}: {name}: {error} not in {code}\n{help}"
                );
            }
            None => {
                assert!(
                    result.success,
                    "{tool}: {name}: {:?}\n{}",
                    result.error,
                    result.help.unwrap_or_default()
                );
                assert!(
                    fits(&case["expect"], &result.result),
                    "{tool}: {name}:\n{}\nis not\n{}",
                    result.result,
                    case["expect"]
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filesystem() {
    let home = Home::new();
    let served = home.serve();
    let dir = home.outside("allowed").to_string_lossy().into_owned();
    let directory = json!([dir]).to_string();
    let values: Map<String, Value> = [("ALLOWED_DIRECTORIES".to_owned(), directory.into())]
        .into_iter()
        .collect();
    // A person names the directory: that is the grant.
    served
        .client
        .tool_configure(ToolConfigure {
            tool: "filesystem".into(),
            values,
            remove: Vec::new(),
        })
        .await
        .unwrap();
    walk(&served.client, "filesystem", &dir, 30).await;

    let gone = GrantChange {
        tool: "filesystem".into(),
        directory: dir,
    };
    served.client.tool_revoke(gone).await.unwrap();
    let list = [
        ("action".to_owned(), json!("list")),
        ("path".to_owned(), json!(".")),
    ]
    .into_iter()
    .collect();
    let refused = served
        .client
        .tool_run(ToolRun {
            tool: "filesystem".into(),
            parameters: list,
            run: Option::None,
        })
        .await
        .unwrap();
    assert_eq!(
        refused.error.unwrap().code,
        "permission_required",
        "a revoked grant ends at the next call"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn todolist() {
    let home = Home::new();
    let mut served = home.serve();
    walk(&served.client, "todolist", "/nowhere", 25).await;
    let query = || [("action".to_owned(), json!("lists"))].into_iter().collect();
    let before = served
        .client
        .tool_run(ToolRun {
            tool: "todolist".into(),
            parameters: query(),
            run: Option::None,
        })
        .await
        .unwrap()
        .result;
    assert_eq!(served.end(), Some(0));
    let served = home.serve();
    let after = served
        .client
        .tool_run(ToolRun {
            tool: "todolist".into(),
            parameters: query(),
            run: Option::None,
        })
        .await
        .unwrap()
        .result;
    assert_eq!(after, before, "what was noted is there after a restart");
}

/// All that a tool says of itself: the list, the manual, the form, the help after an error.
fn account(page: &Page, tool: &str) -> String {
    let shown = page.call("tool.show", json!({"tool": tool}));
    let manual = page.call("tool.manual", json!({"tool": tool}));
    let failed = page.call(
        "tool.run",
        json!({"tool": tool, "parameters": {"action": "nothing"}}),
    );
    format!("{shown} {manual} {failed}")
}

#[test]
fn they_speak_the_language_of_the_settings_and_change_it_at_once() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let is_chinese = |letter: char| ('\u{4e00}'..='\u{9fff}').contains(&letter);
    for tool in ["filesystem", "todolist"] {
        page.call("settings.change", json!({"language": "en"}));
        let english = account(&page, tool);
        let left: String = english.chars().filter(|letter| is_chinese(*letter)).collect();
        assert_eq!(left, "", "{tool}: {english}");
        page.call("settings.change", json!({"language": "zh-CN"}));
        assert!(
            account(&page, tool)
                .chars()
                .filter(|letter| is_chinese(*letter))
                .count()
                > 300
        );
    }
}
