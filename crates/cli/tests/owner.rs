//! One owner at a time (`handover.rs`: one after the other); verbs with and without one; what the
//! doors refuse; the exact texts.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "looks at files")]

mod common;

use common::{Home, PM, built_in, stdout};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn a_verb_works_without_a_server_and_gives_the_home_back() {
    let home = Home::new();
    let listed = home.pm(&["tool", "list", "--json"]);
    assert!(listed.status.success(), "{listed:?}");
    let tools: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let names: Vec<&str> = tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, built_in());
    assert!(!home.path().join("run/pm.sock").exists());
    for private in ["", "token", "run"] {
        let mode = std::fs::metadata(home.path().join(private))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{private}");
    }
}

#[test]
fn ten_verbs_at_once_share_one_home() {
    let home = Home::new();
    let running: Vec<_> = (0..10)
        .map(|n| {
            let params = json!({"action": "add", "title": format!("item {n}")}).to_string();
            home.command(&["tool", "run", "todolist", "--json", "--params", &params])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let all = home.pm(&["tool", "run", "todolist", "--params", r#"{"action": "query"}"#]);
    let all: Value = serde_json::from_slice(&all.stdout).unwrap();
    assert_eq!(all["total"], 10);
}

#[test]
fn a_second_server_says_where_the_first_is_and_stop_ends_it() {
    let home = Home::new();
    let mut first = home.serve();
    let second = home.pm(&["serve", "--port", "0"]);
    assert!(second.status.success());
    assert!(stdout(&second).contains(first.address()), "{second:?}");
    assert!(home.pm(&["stop"]).status.success());
    assert_eq!(first.child.wait().unwrap().code(), Some(0));
    assert!(!home.path().join("run/pm.sock").exists());
}

#[test]
fn a_busy_port_means_the_next_one() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let home = Home::new();
    let served = home.serve_with(&["serve", "--json", "--port", &port.to_string()]);
    assert_ne!(served.address(), format!("http://127.0.0.1:{port}"));
}

#[test]
fn a_server_with_a_parent_ends_with_it() {
    let home = Home::new();
    let mut served = home.serve_with(&["serve", "--json", "--port", "0", "--parent-pipe"]);
    drop(served.child.stdin.take());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_home_behind_a_link_works_and_one_too_deep_says_so() {
    let home = Home::new();
    let real = home.outside("real");
    let link = home.outside("links").join("home");
    symlink(&real, &link).unwrap();
    let pm = |root: &std::path::Path, args: &[&str]| {
        Command::new(PM)
            .arg("--home")
            .arg(root)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let file = r#"{"action": "write", "path": "a.txt", "content": "a"}"#;
    let written = pm(&link, &["tool", "run", "filesystem", "--json", "--params", file]);
    assert!(written.status.success(), "{written:?}");
    let added = r#"{"action": "add", "title": "t"}"#;
    let added = pm(&link, &["tool", "run", "todolist", "--json", "--params", added]);
    assert!(added.status.success(), "{added:?}");

    let deep = home.outside(&"deep/".repeat(30));
    let refused = pm(&deep, &["tool", "list", "--json"]);
    assert_eq!(json_of(&refused)["code"], "home_path_too_long");
    symlink(&deep, home.outside("links").join("deep")).unwrap();
    let listed = pm(&home.outside("links").join("deep"), &["tool", "list", "--json"]);
    assert!(listed.status.success(), "{listed:?}");
}

#[test]
fn a_stale_socket_and_a_killed_owner_do_not_matter() {
    let home = Home::new();
    home.serve().kill();
    assert!(home.path().join("run/pm.sock").exists());
    assert!(home.pm(&["tool", "list"]).status.success());
    let mut served = home.serve();
    assert_eq!(served.end(), Some(0));
}

#[test]
fn a_newer_home_is_refused_and_left_alone() {
    let home = Home::new();
    assert!(home.pm(&["tool", "list"]).status.success());
    std::fs::write(home.path().join("version"), "99\n").unwrap();
    let refused = home.pm(&["tool", "list", "--json"]);
    assert_eq!(refused.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(error["code"], "home_newer");
    assert!(error["message"].as_str().unwrap().contains("99"), "{error}");
    assert_eq!(
        std::fs::read_to_string(home.path().join("version")).unwrap(),
        "99\n"
    );
}

#[test]
fn broken_settings_say_where() {
    let home = Home::new();
    assert!(home.pm(&["tool", "list"]).status.success());
    std::fs::write(home.path().join("settings.json"), "{\n  \"language\": 5\n}").unwrap();
    let refused = home.pm(&["tool", "list", "--json"]);
    let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(
        (&error["code"], &error["args"]["line"]),
        (&json!("settings_invalid"), &json!(2))
    );
}

#[test]
fn usage_is_two_failure_is_one() {
    let home = Home::new();
    assert_eq!(home.pm(&["nonsense"]).status.code(), Some(2));
    assert_eq!(
        home.pm(&["tool", "run", "todolist", "--params", "[1]"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(home.pm(&["tool", "run", "absent"]).status.code(), Some(1));
    assert_eq!(home.pm(&["tool", "show", "../x"]).status.code(), Some(1));
    let wrong = home.pm(&[
        "tool",
        "run",
        "todolist",
        "--json",
        "--params",
        r#"{"action": "none"}"#,
    ]);
    assert_eq!(wrong.status.code(), Some(1));
    let said: Value = serde_json::from_slice(&wrong.stdout).unwrap();
    assert_eq!(said["error"]["code"], "invalid_parameters");
}

#[test]
fn toolm_speaks_the_exact_texts() {
    let home = Home::new();
    let ask = |yaml: &str| {
        let output = home.pm_with_input(&["toolm", "--json"], yaml);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(output.status.success(), answer["isError"] == json!(false));
        (
            answer["isError"] == json!(true),
            answer["content"][0]["text"].as_str().unwrap().to_owned(),
        )
    };
    let absent = format!("工具 'absent' 不存在\n可用工具: {}", built_in().join(", "));
    for (yaml, text) in [
        ("  ", "缺少必需参数: yaml"),
        (
            "mode: manual",
            "Missing required field: tool\nExample: tool: tool://filesystem\nAliases supported: tool / toolUrl / url",
        ),
        (
            "tool: todolist",
            "Invalid tool format: todolist\nMust start with tool://",
        ),
        ("tool: tool://absent", absent.as_str()),
        (
            "tool: tool://todolist\nmode: dance",
            "不支持的模式: dance\n支持的模式: manual, execute, configure, log",
        ),
    ] {
        assert_eq!(ask(yaml), (true, text.to_owned()), "{yaml}");
    }
    let (failed, manual) = ask("tool://todolist\n");
    assert!(
        failed && manual.contains("action"),
        "execute without parameters explains itself: {manual}"
    );
    let (failed, manual) = ask("url: '@tool://todolist'\noperation: manual");
    assert!(!failed);
    for heading in [
        "# ",
        "## 📖 描述",
        "## 🎯 使用场景",
        "## ⚙️ 参数说明",
        "## ⚠️ 常见错误",
        "## 💡 使用示例",
    ] {
        assert!(manual.contains(heading), "{heading}");
    }
    let (failed, page) = ask("tool: tool://filesystem\nmode: configure");
    assert!(
        !failed
            && page.contains("# 工具配置信息")
            && page.contains(&home.path().join("toolbox/filesystem/.env").display().to_string()),
        "{page}"
    );
    let (failed, done) = ask("tool: tool://todolist\nparameters:\n  action: add\n  title: |\n    牛奶: 2 升");
    assert!(!failed);
    let done: Value = serde_json::from_str(&done).unwrap();
    assert_eq!(
        done.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["success", "tool", "mode", "result"]
    );
    let (_, log) = ask("tool: tool://todolist\nmode: log\nparameters:\n  lines: 3");
    assert!(
        log.contains("执行开始 - 工具: todolist, 参数: {") && log.contains("执行完成 - 结果大小: "),
        "{log}"
    );
}

#[test]
fn what_a_model_configures_waits_for_a_person() {
    let home = Home::new();
    let dir = home.outside("wanted").to_string_lossy().into_owned();
    home.put_tool(
        "looker",
        "import fs from 'fs'; export default { execute() { return fs.readdirSync(this.getAllowedDirectories()[0]) } }",
    );
    std::fs::write(
        home.path().join("toolbox/looker/.env"),
        format!("ALLOWED_DIRECTORIES={dir}\n"),
    )
    .unwrap();
    std::fs::write(std::path::Path::new(&dir).join("seen"), "").unwrap();
    let run = || {
        let output = home.pm(&["tool", "run", "looker", "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let refused = run();
    assert_eq!(refused["error"]["code"], "permission_required", "{refused}");
    assert!(
        refused["help"].as_str().unwrap().contains("pm tool grant"),
        "{refused}"
    );
    let granted = home.pm(&["tool", "grant", "looker", "--dir", &dir, "--json"]);
    assert!(granted.status.success());
    assert_eq!(run()["result"], json!(["seen"]));
    assert!(
        home.pm(&["tool", "revoke", "looker", "--dir", &dir])
            .status
            .success()
    );
    assert_eq!(run()["error"]["code"], "permission_required");
    let root = home.path();
    for reserved in [
        root.clone(),
        root.join("toolbox/todolist"),
        root.join("run"),
        root.join("token"),
    ] {
        let refused = home.pm(&[
            "tool",
            "grant",
            "looker",
            "--dir",
            reserved.to_str().unwrap(),
            "--json",
        ]);
        let error: Value = serde_json::from_slice(&refused.stdout).unwrap();
        assert_eq!(error["code"], "directory_reserved", "{reserved:?}");
    }
}

#[test]
fn a_broken_tool_is_reported_and_the_others_are_fine() {
    let home = Home::new();
    home.put_tool("broken", "export default { execute( }");
    home.put_tool("nothing", "export const a = 1;");
    home.put_tool("endless", "for (;;);");
    home.put_tool("needs", "import x from 'left-pad'; export default { getDependencies: () => ({ 'left-pad': '^1.0.0' }), execute() {} }");
    let listed = home.pm(&["tool", "list", "--json"]);
    let tools: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let state = |name: &str| {
        let tool = tools["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap()
            .clone();
        (
            tool["state"].as_str().unwrap().to_owned(),
            tool["problem"]["message"].as_str().unwrap_or_default().to_owned(),
        )
    };
    for name in ["broken", "nothing", "endless"] {
        let (state, problem) = state(name);
        assert_eq!(state, "broken", "{name}");
        assert!(!problem.is_empty());
    }
    assert_eq!(state("needs").0, "dependencies_missing");
    assert_eq!(state("todolist").0, "ready");
    // Nobody answers at this address.
    let rc = home.path().join("toolbox/needs/.npmrc");
    std::fs::write(rc, "registry=http://127.0.0.1:9/\n").unwrap();
    let run = home.pm(&["tool", "run", "needs", "--json"]);
    let run: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(run["error"]["code"], "package_network");
}

#[test]
fn a_changed_tool_is_seen_at_the_next_call() {
    let home = Home::new();
    home.put_tool("changing", "export default { execute: () => 1 }");
    let _served = home.serve();
    let run = || serde_json::from_slice::<Value>(&home.pm(&["tool", "run", "changing"]).stdout).unwrap();
    assert_eq!(run(), 1);
    home.put_tool("changing", "export default { execute: () => 2 }");
    assert_eq!(run(), 2);
}

#[test]
fn diagnostics_say_what_went_wrong_and_no_secret() {
    let home = Home::new();
    let _served = home.serve();
    let token = std::fs::read_to_string(home.path().join("token")).unwrap();
    let token = token.trim();
    let logs = home.path().join("logs");
    // As a panic and a careless line would be kept.
    std::fs::write(
        logs.join("crash-20261128-010203000.txt"),
        format!("it went wrong with {token}"),
    )
    .unwrap();
    let long = "a line of the log\n".repeat(10_000);
    std::fs::write(logs.join("pm.log"), format!("{long}the last line, {token}\n")).unwrap();
    let said = home.pm(&["diagnostics"]);
    assert!(said.status.success(), "{said:?}");
    let text = stdout(&said);
    for part in [
        "Prompt Manager 0.",
        "## Isolation\n\ntier ",
        "## Crashes: 1",
        "it went wrong with",
        "the last line, ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains(token), "{text}");
    assert!(text.len() < 100_000, "{}", text.len());
}

/// What the server says is kept where the next one goes on.
#[test]
fn the_log_of_a_server_stays_behind_it() {
    let home = Home::new();
    for _ in 0..2 {
        let mut served = home.serve_logging("info");
        assert!(home.pm(&["stop"]).status.success());
        served.end();
    }
    let log = std::fs::read_to_string(home.path().join("logs/pm.log")).unwrap();
    assert_eq!(log.matches("asked to end").count(), 2, "{log}");
    assert!(!log.contains('\u{1b}'), "no colours: {log}");
}

#[test]
fn a_failure_that_nobody_reads_is_a_failure_and_no_panic() {
    let home = Home::new();
    for args in [
        &["tool", "run", "nobody"] as &[&str],
        &["grant", "revoke", "t", "nothing"],
    ] {
        let read = home.pm(args).status.code();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let unread = home.command(args).stderr(writer).status().unwrap();
        assert_eq!(
            (unread.code(), read.is_some_and(|code| code < 3)),
            (read, true),
            "{args:?}"
        );
    }
}
