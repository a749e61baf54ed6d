//! Task folders through every door: `pm workspace`, its lines of JSON, MCP, and the calls as others
//! than the person make them.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use base::DataHome;
use common::mcp::Mcp;
use common::{Home, bound, said, stdout};
use serde_json::{Value, json};
use server::owner::{Owner, Ownership};
use wire::{Access, Caller};

/// Answers of `pm workspace serve` to these requests.
fn served(home: &Home, requests: &[&str]) -> Vec<Value> {
    let output = home.pm_with_input(&["workspace", "serve", "t1"], &requests.join("\n"));
    assert!(output.status.success(), "{output:?}");
    let answers = stdout(&output);
    answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn verbs_read_write_and_list() {
    let home = Home::new();
    let folder = bound(&home);
    let wrote = home.pm_with_input(
        &["workspace", "write", "t1", "a/你好.txt", "-", "--json"],
        "eins\nzwei\n",
    );
    assert_eq!(said(&wrote)["ok"], true);
    assert_eq!(
        std::fs::read_to_string(folder.join("a/你好.txt")).unwrap(),
        "eins\nzwei\n"
    );
    let read = home.pm(&["workspace", "read", "t1", "a/你好.txt"]);
    assert_eq!(stdout(&read), "eins\nzwei\n", "as it is");
    let read = said(&home.pm(&["workspace", "read", "t1", "a/你好.txt", "--offset", "1", "--json"]));
    assert_eq!(
        read,
        json!({"content": "zwei\n", "size": 10, "encoding": "utf-8"})
    );
    let list = said(&home.pm(&["workspace", "ls", "t1", "--json"]));
    assert_eq!(
        list,
        json!({"files": [{"name": "a", "type": "directory", "size": 0}]})
    );
    let info = said(&home.pm(&["workspace", "info", "t1", "--json"]));
    assert_eq!(
        (&info["fileCount"], &info["dirCount"], &info["totalSize"]),
        (&json!(1), &json!(1), &json!(10))
    );
    assert!(
        base::clock::parse_iso(info["lastModified"].as_str().unwrap()).is_some(),
        "{info}"
    );
    let all = said(&home.pm(&["workspace", "list", "--json"]));
    assert_eq!(all["workspaces"][0]["taskId"], "t1");
    assert_eq!(
        all["workspaces"][0]["workspacePath"],
        folder.to_str().unwrap(),
        "the person is told"
    );

    for (args, code) in [
        (&["read", "t1", "../x"][..], "path_traversal_blocked"),
        (&["read", "t1", "/etc/passwd"], "path_traversal_blocked"),
        (&["read", "t1", "nothing"], "file_not_found"),
        (&["ls", "t1", "nothing"], "directory_not_found"),
        (&["ls", "t1", "a/你好.txt"], "not_a_directory"),
        (&["read", "t2", "a"], "workspace_not_bound"),
        (&["read", "t.2", "a"], "invalid_task_id"),
        (&["bind", "t1", "/var/tmp/pm-other"], "already_bound"),
        (&["bind", "t2", "work"], "invalid_workspace_path"),
        (&["bind", "t2", "/"], "invalid_workspace_path"),
    ] {
        let output = home.pm(&[&["workspace"], args, &["--json"]].concat());
        assert_eq!(
            (output.status.code(), &said(&output)["code"]),
            (Some(1), &json!(code)),
            "{args:?}"
        );
    }
    assert_eq!(
        home.pm(&["workspace", "write", "t1", "x", "y"]).status.code(),
        Some(2)
    );
    let gone = said(&home.pm(&["workspace", "unbind", "t1", "--json"]));
    assert_eq!(gone["removed"], true);
    assert!(folder.join("a").is_dir(), "files stay");
}

#[test]
fn lines_of_json_are_answered_in_order() {
    let home = Home::new();
    let folder = bound(&home);
    let answers = served(
        &home,
        &[
            r#"{"op": "write", "path": "a.txt", "content": "one two\n"}"#,
            r#"{"op": "edit", "path": "a.txt", "old": "two", "new": "2"}"#,
            r#"{"op": "append", "path": "a.txt", "content": "end\n"}"#,
            r#"{"op": "read", "path": "a.txt"}"#,
            "",
            r#"{"op": "move", "from": "a.txt", "to": "b/c.txt"}"#,
            r#"{"op": "search", "pattern": "^e.d"}"#,
            r#"{"op": "edit", "path": "b/c.txt", "old": "n", "new": "m"}"#,
            r#"{"op": "delete", "path": "b"}"#,
            r#"{"op": "info", "taskId": "t9"}"#,
            r#"{"op": "list"}"#,
            r#"{"op": "write", "path": "x"}"#,
            r#"{"op": "dance"}"#,
            "no JSON",
            r#"{"op": "read", "path": "a/../../b"}"#,
        ],
    );
    assert_eq!(answers.len(), 14, "{answers:#?}");
    for done in [0, 1, 2, 4, 7] {
        assert_eq!(answers[done]["ok"], true, "{}", answers[done]);
    }
    assert_eq!(answers[3]["content"], "one 2\nend\n");
    assert_eq!(
        answers[5],
        json!({"matches": [{"path": "b/c.txt", "line": 2, "text": "end"}], "truncated": false})
    );
    assert_eq!(
        (&answers[6]["error"], &answers[6]["count"]),
        (&json!("edit_ambiguous"), &json!(2))
    );
    assert!(!answers[6]["message"].as_str().unwrap().is_empty());
    assert_eq!(answers[8]["fileCount"], 0, "of its own task");
    assert_eq!(answers[9], json!({"files": []}));
    for bad in &answers[10..13] {
        assert_eq!(bad["error"], "invalid_args", "{bad}");
    }
    assert_eq!(answers[13]["error"], "path_traversal_blocked");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
}

#[test]
fn the_policy_is_asked_without_running_anything() {
    let home = Home::new();
    let check = |command: &str| {
        let output = home.pm(&["policy", "check", command, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        said(&output)
    };
    assert_eq!(
        check("echo hi && sudo ls"),
        json!({"decision": "block", "blocked": true, "reason": "危险命令被禁止: sudo"})
    );
    assert_eq!(
        check("echo sudo 2> /dev/null"),
        json!({"decision": "allow", "blocked": false, "reason": ""})
    );
    let asked = check("$COMMAND now");
    assert_eq!(
        (&asked["decision"], &asked["blocked"]),
        (&json!("ask"), &json!(false))
    );
    assert!(!asked["reason"].as_str().unwrap().is_empty());
}

/// The calls themselves, as an MCP client or an agent would make them.
#[tokio::test(flavor = "multi_thread")]
async fn others_than_the_person_never_learn_where_it_lies() {
    let home = Home::new();
    let folder = home.outside("work");
    let data = DataHome::at(home.path()).unwrap();
    let ownership = Ownership::try_take(&data).unwrap().unwrap();
    let owner = Owner::open(&data, ownership).unwrap();
    let (app, person, client) = (owner.app(), Caller::person("web"), Caller::mcp_client("desktop"));
    let mut agent = Caller::mcp_client("builder");
    agent.access = Access::Agent;
    let bind = json!({"taskId": "t1", "workspacePath": folder});
    for caller in [&client, &agent] {
        let refused = wire::dispatch(app, caller, "workspace.bind", bind.clone()).await;
        assert!(refused.is_err_and(|failure| failure.code == "access_denied"));
    }
    wire::dispatch(app, &person, "workspace.bind", bind)
        .await
        .unwrap();
    let listed = wire::dispatch(app, &client, "workspace.list", json!({}))
        .await
        .unwrap();
    assert_eq!(listed["workspaces"][0]["taskId"], "t1");
    assert!(listed["workspaces"][0].get("workspacePath").is_none(), "{listed}");

    let params = json!({"taskId": "t1", "path": "a.txt", "content": "1"});
    let wrote = wire::dispatch(app, &agent, "workspace.write", params)
        .await
        .unwrap();
    let params = json!({"taskId": "t1", "path": "a.txt"});
    let deleted = wire::dispatch(app, &client, "workspace.delete", params)
        .await
        .unwrap();
    let task = json!({"taskId": "t1"});
    for (call, caller) in [("workspace.history", &agent), ("workspace.trash", &client)] {
        let refused = wire::dispatch(app, caller, call, task.clone()).await;
        assert!(
            refused.is_err_and(|failure| failure.code == "access_denied"),
            "{call}"
        );
    }
    let history = wire::dispatch(app, &person, "workspace.history", task.clone())
        .await
        .unwrap();
    assert_eq!(history["total"], 2);
    let (first, second) = (&history["changes"][1], &history["changes"][0]);
    assert_eq!(
        (&first["id"], &first["op"], &first["actor"]["name"]),
        (&wrote["change"], &json!("write"), &json!("builder"))
    );
    assert_eq!(
        (&second["op"], &second["actor"]["name"]),
        (&json!("delete"), &json!("desktop"))
    );
    let trash = wire::dispatch(app, &person, "workspace.trash", task)
        .await
        .unwrap();
    assert_eq!(trash["changes"][0]["id"], deleted["change"]);
    let params = json!({"taskId": "t1", "change": deleted["change"]});
    wire::dispatch(app, &person, "workspace.undelete", params)
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "1");
    let params = json!({"taskId": "t1", "old": {"before": wrote["change"]}, "new": {"current": "a.txt"}});
    let diff = wire::dispatch(app, &person, "workspace.diff", params)
        .await
        .unwrap();
    assert!(diff["text"].as_str().unwrap().contains("+1"), "{diff}");
    let params = json!({"taskId": "t1", "version": {"before": wrote["change"]}});
    wire::dispatch(app, &person, "workspace.restore", params)
        .await
        .unwrap();
    assert!(!folder.join("a.txt").exists(), "there was none before");

    std::fs::remove_dir_all(&folder).unwrap();
    let params = json!({"taskId": "t1"});
    let lost = wire::dispatch(app, &client, "workspace.info", params)
        .await
        .unwrap_err();
    let told = serde_json::to_string(&server::worded(&lost, base::Lang::En)).unwrap();
    assert_eq!(lost.code, "workspace_missing");
    assert!(!told.contains(folder.to_str().unwrap()), "{told}");
    owner.close().await;
}

#[test]
fn mcp_clients_work_in_a_workspace() {
    let home = Home::new();
    let folder = bound(&home);
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let call = |tool: &str, arguments: Value| mcp.call(tool, arguments);
    let (failed, wrote) = call(
        "write_file",
        json!({"taskId": "t1", "path": "src/a.js", "content": "let a = 1;\n"}),
    );
    assert!(!failed && wrote["ok"] == json!(true), "{wrote}");
    let (_, edited) = call(
        "edit_file",
        json!({"taskId": "t1", "path": "src/a.js", "old": "1", "new": "2"}),
    );
    assert_eq!(edited["ok"], true);
    assert_eq!(
        std::fs::read_to_string(folder.join("src/a.js")).unwrap(),
        "let a = 2;\n"
    );
    let (_, read) = call("read_file", json!({"taskId": "t1", "path": "src/a.js"}));
    assert_eq!(read["content"], "let a = 2;\n");
    let (_, listed) = call("list_files", json!({"taskId": "t1"}));
    assert_eq!(listed["files"][0]["name"], "src");
    let (_, found) = call("search_files", json!({"taskId": "t1", "pattern": "let"}));
    assert_eq!(found["matches"][0]["path"], "src/a.js");
    for (tool, arguments, code) in [
        ("append_file", json!({"path": "b", "content": "x"}), ""),
        ("move_file", json!({"from": "b", "to": "c"}), ""),
        ("delete_file", json!({"path": "c"}), ""),
        ("get_workspace_info", json!({}), ""),
        (
            "run_command",
            json!({"command": "grep -q 'a = 2' src/a.js && echo x > c"}),
            "",
        ),
        ("delete_file", json!({"path": "c"}), ""),
        ("run_command", json!({"command": "sudo id"}), "command_blocked"),
        ("run_command", json!({"command": ""}), "invalid_args"),
        ("read_file", json!({"path": "c"}), "file_not_found"),
        (
            "write_file",
            json!({"path": "../c", "content": ""}),
            "path_traversal_blocked",
        ),
        ("read_file", json!({}), "invalid_args"),
        ("list_files", json!({"taskId": "t2"}), "workspace_not_bound"),
    ] {
        let mut arguments = arguments;
        if arguments.get("taskId").is_none() {
            arguments["taskId"] = json!("t1");
        }
        let (failed, answer) = call(tool, arguments);
        assert_eq!(failed, !code.is_empty(), "{tool}: {answer}");
        assert_eq!(answer["error"].as_str().unwrap_or(""), code, "{tool}: {answer}");
        assert!(
            !answer.to_string().contains(folder.to_str().unwrap()),
            "{tool}: {answer}"
        );
    }
}
