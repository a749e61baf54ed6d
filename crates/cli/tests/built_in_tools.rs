//! The built-in tools, case by case (`tests/tools/*.json`), in the product's own engine.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads the cases")]

mod common;

use common::page::Page;
use common::{Home, built_in};
use serde_json::{Map, Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use wire::{Client, GrantChange, RunResult, ToolConfigure, ToolNetworkChange, ToolRun};

/// The repository's folder `tests/tools`.
fn place() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tools")
}

fn shipped(tool: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../resources/tools")
        .join(tool)
}

/// Cases of `tests/tools/TOOL.json`, with `{dir}` and `{base}` filled in.
fn cases(tool: &str, word: &str, value: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(place().join(format!("{tool}.json"))).unwrap();
    serde_json::from_str(&text.replace(word, value)).unwrap()
}

fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
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

async fn walk(client: &Client, tool: &str, cases: Vec<Value>, at_least: usize) {
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
                for path in case["absent"].as_array().into_iter().flatten() {
                    let path = path.as_str().unwrap();
                    assert_eq!(result.result.pointer(path), None, "{tool}: {name}: {path}");
                }
            }
        }
    }
}

/// A person names the directory: that is the grant.
async fn allow(client: &Client, tool: &str, dir: &str) {
    let directory = json!([dir]).to_string();
    let values: Map<String, Value> = [("ALLOWED_DIRECTORIES".to_owned(), directory.into())]
        .into_iter()
        .collect();
    client
        .tool_configure(ToolConfigure {
            tool: tool.into(),
            values,
            remove: Vec::new(),
        })
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn filesystem() {
    let home = Home::new();
    let served = home.serve();
    let dir = home.outside("allowed").to_string_lossy().into_owned();
    allow(&served.client, "filesystem", &dir).await;
    walk(
        &served.client,
        "filesystem",
        cases("filesystem", "{dir}", &dir),
        30,
    )
    .await;

    let gone = GrantChange {
        tool: "filesystem".into(),
        directory: dir,
    };
    served.client.tool_revoke(gone).await.unwrap();
    let list = json!({"action": "list", "path": "."});
    let refused = run(&served.client, "filesystem", &list).await;
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
    walk(
        &served.client,
        "todolist",
        cases("todolist", "{dir}", "/nowhere"),
        25,
    )
    .await;
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

#[tokio::test(flavor = "multi_thread")]
async fn file_reader() {
    let home = Home::new();
    let served = home.serve();
    let dir = home.outside("allowed");
    copy_files(&place().join("files"), &dir);
    let dir = dir.to_string_lossy().into_owned();
    allow(&served.client, "file-reader", &dir).await;
    walk(
        &served.client,
        "file-reader",
        cases("file-reader", "{dir}", &dir),
        70,
    )
    .await;
}

/// No file is read whole that is larger than the limit, and none is out of reach for it.
#[tokio::test(flavor = "multi_thread")]
async fn file_reader_goes_through_a_file_larger_than_its_limit() {
    let home = Home::new();
    let served = home.serve();
    let dir = home.outside("allowed");
    let line = |n: usize| format!("{n},some words to fill the line\n");
    let text: String = (0..1_000_000).map(line).collect();
    std::fs::write(dir.join("large.csv"), &text).unwrap();
    allow(&served.client, "file-reader", &dir.to_string_lossy()).await;
    let (mut from, mut rows) = (0, 0);
    loop {
        let parameters = json!({"path": "large.csv", "start_byte": from, "limit": 1, "max_tokens": 50});
        let result = run(&served.client, "file-reader", &parameters).await;
        assert!(result.success, "{:?}", result.error);
        let result = result.result;
        assert_eq!(
            result["rows"][0][0],
            json!(rows.to_string()),
            "a window begins with a line"
        );
        rows += result["totalRows"].as_u64().unwrap();
        // A window of which only a part was given does not say where the next one begins.
        assert_eq!(result.get("nextByte"), None);
        let info = json!({"path": "large.csv", "start_byte": from, "action": "info"});
        let info = run(&served.client, "file-reader", &info).await.result;
        match info.get("nextByte").and_then(Value::as_u64) {
            Some(next) => from = next,
            None => break,
        }
    }
    assert!(from > 0, "more than one window");
    assert_eq!(rows, 1_000_000);
    let whole = run(
        &served.client,
        "file-reader",
        &json!({"path": "large.csv", "format": "json"}),
    )
    .await;
    assert!(whole.help.unwrap().contains("FILE_TOO_LARGE"));
}

#[tokio::test(flavor = "multi_thread")]
async fn chart() {
    let home = Home::new();
    let served = home.serve();
    let dir = home.outside("allowed").to_string_lossy().into_owned();
    allow(&served.client, "chart", &dir).await;
    walk(&served.client, "chart", cases("chart", "{dir}", &dir), 25).await;
    let saved = std::fs::read(Path::new(&dir).join("charts/a.png")).unwrap();
    assert!(saved.starts_with(b"\x89PNG"));
    let left: Vec<_> = std::fs::read_dir(Path::new(&dir).join("charts"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "nothing half-written is left: {left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn thinking() {
    let home = Home::new();
    let mut served = home.serve();
    walk(
        &served.client,
        "thinking",
        cases("thinking", "{dir}", "/nowhere"),
        30,
    )
    .await;
    let before = run(&served.client, "thinking", &json!({"action": "list"}))
        .await
        .result;
    assert_eq!(served.end(), Some(0));
    let served = home.serve();
    let after = run(&served.client, "thinking", &json!({"action": "list"}))
        .await
        .result;
    assert_eq!(after, before, "what was thought is there after a restart");
}

/// `tests/tools/server.mjs` on a port of its own.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(home: &Home) -> Self {
        let script = place().join("server.mjs");
        let mut command = home.command(&["conformance", &script.to_string_lossy()]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        Server {
            child,
            port: line.trim().parse().unwrap(),
        }
    }

    fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The shipped tool under another name, with a port of this machine among what it asks for, which
/// the shipped one never reaches; granted as a person would.
async fn probe(home: &Home, client: &Client, tool: &str, port: u16) -> String {
    let name = format!("probe-{tool}");
    let folder = home.path().join("toolbox").join(&name);
    copy_files(&shipped(tool), &folder);
    home.put_tool(
        &name,
        &format!(
            "import tool from './{tool}.tool.js';\n\
             const network = {{ hosts: ['*'], loopback: [{port}] }};\n\
             export default {{ ...tool, getRuntimeConfig: () => ({{ ...tool.getRuntimeConfig(), networkAccess: network }}) }};\n"
        ),
    );
    client
        .tool_network(ToolNetworkChange {
            tool: name.clone(),
            grant: vec!["*".to_owned(), format!("localhost:{port}")],
            revoke: Vec::new(),
        })
        .await
        .unwrap();
    name
}

async fn run(client: &Client, tool: &str, parameters: &Value) -> RunResult {
    client
        .tool_run(ToolRun {
            tool: tool.to_owned(),
            parameters: parameters.as_object().unwrap().clone(),
            run: Option::None,
        })
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_go_to_the_network() {
    let home = Home::new();
    let served = home.serve();
    let server = Server::start(&home);
    let base = server.base();
    for (tool, at_least) in [("http-request", 30), ("web-page", 15)] {
        let name = probe(&home, &served.client, tool, server.port).await;
        walk(&served.client, &name, cases(tool, "{base}", &base), at_least).await;
    }
    let name = probe(&home, &served.client, "file-reader", server.port).await;
    allow(&served.client, &name, &home.outside("allowed").to_string_lossy()).await;
    let table = run(
        &served.client,
        &name,
        &json!({"path": format!("{base}/data.csv")}),
    )
    .await;
    assert_eq!(table.result["rows"], json!([["a", "中"]]), "{:?}", table.error);
    assert_eq!(table.result["encoding"], "gbk");
    let gone = run(
        &served.client,
        &name,
        &json!({"path": format!("{base}/to-metadata")}),
    )
    .await;
    assert!(gone.help.unwrap().contains("ADDRESS_REFUSED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ollama_remote() {
    let home = Home::new();
    let served = home.serve();
    let server = Server::start(&home);
    let name = probe(&home, &served.client, "ollama-remote", server.port).await;
    let values: Map<String, Value> = [("OLLAMA_BASE_URL".to_owned(), server.base().into())]
        .into_iter()
        .collect();
    let change = ToolConfigure {
        tool: name.clone(),
        values,
        remove: Vec::new(),
    };
    served.client.tool_configure(change).await.unwrap();
    walk(
        &served.client,
        &name,
        cases("ollama-remote", "{base}", &server.base()),
        15,
    )
    .await;
}

/// What is shipped reaches no port of this machine, whatever listens there.
#[tokio::test(flavor = "multi_thread")]
async fn shipped_tools_do_not_reach_this_machine() {
    let home = Home::new();
    let served = home.serve();
    let server = Server::start(&home);
    let url = format!("{}/hello", server.base());
    for (tool, parameter) in [
        ("http-request", "url"),
        ("web-page", "url"),
        ("file-reader", "path"),
    ] {
        let result = run(&served.client, tool, &json!({parameter: url})).await;
        assert!(!result.success, "{tool}: {}", result.result);
        assert!(result.help.unwrap().contains("ADDRESS_REFUSED"), "{tool}");
    }
}

/// Parts of tools that are tried best by themselves, in the product's own engine.
#[test]
fn parts() {
    for (script, tool) in [("parts.mjs", "file-reader"), ("chart.mjs", "chart")] {
        let home = Home::new();
        let folder = home.outside("parts");
        copy_files(&shipped(tool), &folder.join(tool));
        std::fs::copy(place().join(script), folder.join(script)).unwrap();
        let output = home.pm(&["conformance", &folder.join(script).to_string_lossy()]);
        let said = String::from_utf8_lossy(&output.stdout);
        let wrong = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() && said.ends_with("fine\n"),
            "{script}: {said}{wrong}"
        );
    }
}

/// A tool cannot import from another's folder, so what several need is there several times, alike.
#[test]
fn what_tools_share_is_the_same_everywhere() {
    for (file, tools) in [
        (
            "fault.js",
            &[
                "http-request",
                "web-page",
                "thinking",
                "chart",
                "ollama-remote",
                "sqlite-query",
                "pdf-reader",
            ][..],
        ),
        (
            "web.js",
            &["http-request", "web-page", "ollama-remote", "pdf-reader"],
        ),
        ("charset.js", &["http-request", "web-page"]),
        ("cut.js", &["web-page", "pdf-reader"]),
    ] {
        let first = std::fs::read_to_string(shipped("file-reader").join(file)).unwrap();
        for tool in tools {
            let other = std::fs::read_to_string(shipped(tool).join(file)).unwrap();
            assert!(first == other, "{tool}/{file} differs from file-reader/{file}");
        }
    }
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
    for tool in built_in() {
        let tool = tool.as_str();
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
