//! Commands in a workspace through the whole product: what they answer, what is blocked, what a
//! person is asked, and what is written down.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use base::DataHome;
use common::{Home, bound, said, stdout};
use serde_json::{Value, json};
use server::App;
use server::owner::{Owner, Ownership};
use std::path::Path;
use std::process::Output;
use std::time::Duration;
use store::Store;
use wire::{Access, Caller};

fn exec(home: &Home, options: &[&str], command: &[&str]) -> Output {
    home.pm(&[&["workspace", "exec", "t1", "--json"], options, &["--"], command].concat())
}

#[test]
fn a_command_runs_in_its_workspace_and_nowhere_else() {
    let home = Home::new();
    let folder = bound(&home);
    let ran = exec(&home, &[], &["echo out; echo err >&2; echo x > made.txt; exit 3"]);
    assert_eq!(ran.status.code(), Some(0), "it ran: {ran:?}");
    assert_eq!(
        said(&ran),
        json!({"stdout": "out\n", "stderr": "err\n", "exitCode": 3})
    );
    assert_eq!(std::fs::read_to_string(folder.join("made.txt")).unwrap(), "x\n");
    let words = said(&exec(
        &home,
        &[],
        &["printf", "%s|", "a b", "it's", "", "$HOME", "*"],
    ));
    assert_eq!(words["stdout"], "a b|it's||$HOME|*|");
    let killed = said(&exec(&home, &[], &["sh -c 'kill -9 $$'"]));
    assert_eq!(killed["exitCode"], 128 + 9);

    let token = home.path().join("token");
    let secret = std::fs::read_to_string(&token).unwrap();
    let tried = said(&exec(
        &home,
        &[],
        &[&format!("cat '{}' || echo no", token.display())],
    ));
    assert!(tried["stdout"] == "no\n" && !secret.is_empty(), "{tried}");
    let answers = home.pm_with_input(
        &["workspace", "serve", "t1"],
        "{\"op\": \"run\", \"command\": \"cat made.txt\"}\n{\"op\": \"run\", \"command\": \"sudo ls\"}\n",
    );
    let answers: Vec<Value> = stdout(&answers)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0]["stdout"], "x\n");
    assert_eq!(answers[1]["error"], "command_blocked");
}

#[test]
fn what_is_blocked_or_takes_too_long_is_an_error() {
    let home = Home::new();
    let folder = bound(&home);
    let refused = |output: Output, code: &str| {
        let error = said(&output);
        assert_eq!(
            (output.status.code(), &error["code"]),
            (Some(1), &json!(code)),
            "{error}"
        );
        error
    };
    let blocked = refused(exec(&home, &[], &["touch made.txt; sudo ls"]), "command_blocked");
    assert_eq!(blocked["args"]["reason"], "危险命令被禁止: sudo");
    assert_eq!(blocked["message"], "危险命令被禁止: sudo");
    assert!(!folder.join("made.txt").exists(), "none of it ran");
    let late = exec(
        &home,
        &["--timeout-ms", "3000"],
        &["echo begun; echo x >&2; sleep 1000"],
    );
    let late = refused(late, "command_timeout");
    assert_eq!(
        late["args"],
        json!({"timedOut": true, "timeoutMs": 3000, "stdout": "begun\n", "stderr": "x\n"})
    );
    for limit in ["0", "600001"] {
        refused(exec(&home, &["--timeout-ms", limit], &["true"]), "invalid_args");
    }
    refused(exec(&home, &[], &[" "]), "invalid_args");
    std::fs::remove_dir_all(&folder).unwrap();
    refused(exec(&home, &[], &["true"]), "workspace_missing");
}

/// Waits as `pm` does: what the one before forked holds the lock until it is a program of its own, or dead.
async fn open(home: &Home) -> (Owner, DataHome) {
    let data = DataHome::at(home.path()).unwrap();
    let ownership = Ownership::wait(&data, Duration::from_secs(20)).await.unwrap();
    (Owner::open(&data, ownership).unwrap(), data)
}

async fn bind(owner: &Owner, folder: &Path) {
    let params = json!({"taskId": "t1", "workspacePath": folder});
    wire::dispatch(owner.app(), &Caller::person("pm"), "workspace.bind", params)
        .await
        .unwrap();
}

type Ran = tokio::task::JoinHandle<Result<Value, base::Failure>>;

/// As an agent would.
fn run(owner: &Owner, command: &str) -> Ran {
    let (app, params): (App, _) = (owner.app().clone(), json!({"taskId": "t1", "command": command}));
    tokio::spawn(async move {
        let mut agent = Caller::mcp_client("builder");
        agent.access = Access::Agent;
        wire::dispatch(&app, &agent, "workspace.run", params).await
    })
}

/// Answers the one question that waits, which is that of `asked`.
async fn answer(owner: &Owner, asked: &Ran, answer: &str) -> Value {
    let person = Caller::person("web");
    loop {
        let params = json!({"state": "waiting"});
        let found = wire::dispatch(owner.app(), &person, "approval.list", params)
            .await
            .unwrap();
        if let Some(row) = found["approvals"].get(0) {
            let params = json!({"id": row["id"], "answer": answer});
            wire::dispatch(owner.app(), &person, "approval.resolve", params)
                .await
                .unwrap();
            return row.clone();
        }
        assert!(!asked.is_finished(), "nobody was asked");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_certain_waits_for_the_person() {
    let home = Home::new();
    let folder = home.outside("work");
    let (owner, data) = open(&home).await;
    bind(&owner, &folder).await;
    std::fs::write(folder.join("name"), "echo").unwrap();
    let command = "$(cat name) x >> made.txt; cat made.txt";
    let asked = run(&owner, command);
    let row = answer(&owner, &asked, "deny").await;
    assert_eq!(
        (&row["subject"], &row["value"], &row["actor"]["name"]),
        (&json!("task:t1"), &json!(command), &json!("builder"))
    );
    assert!(!row["detail"]["reason"].as_str().unwrap().is_empty());
    let denied = asked.await.unwrap().unwrap_err();
    assert_eq!(
        (denied.code.as_str(), &denied.args["reason"]),
        ("approval_denied", &json!("denied"))
    );
    assert!(!folder.join("made.txt").exists());

    let asked = run(&owner, command);
    answer(&owner, &asked, "allow_for_task").await;
    assert_eq!(asked.await.unwrap().unwrap()["stdout"], "x\n");
    let again = run(&owner, command).await.unwrap().unwrap();
    assert_eq!(again["stdout"], "x\nx\n", "nobody was asked again");
    run(&owner, "sudo ls").await.unwrap().unwrap_err();

    owner.close().await;
    let store = Store::open(&data, 1000).unwrap();
    assert_eq!(
        store
            .audit_of("task:t1".to_owned())
            .await
            .unwrap()
            .iter()
            .filter(|action| action.starts_with("command."))
            .collect::<Vec<_>>(),
        ["command.refused", "command.run", "command.run", "command.refused"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_some_commands_of_a_task_run_at_once() {
    let home = Home::new();
    let folder = home.outside("work");
    let (owner, _) = open(&home).await;
    bind(&owner, &folder).await;
    let running: Vec<Ran> = (0..4)
        .map(|n| {
            run(
                &owner,
                &format!("touch begun{n}; while [ ! -e go ]; do sleep 0.02; done; echo {n}"),
            )
        })
        .collect();
    while !(0..4).all(|n| folder.join(format!("begun{n}")).exists()) {
        assert!(!running.iter().any(Ran::is_finished), "none may end yet");
        tokio::task::yield_now().await;
    }
    let fifth = run(&owner, "echo 5").await.unwrap().unwrap_err();
    assert_eq!(
        (fifth.code.as_str(), &fifth.args["limit"]),
        ("too_many_commands", &json!(4))
    );
    std::fs::write(folder.join("go"), "").unwrap();
    for (n, one) in running.into_iter().enumerate() {
        assert_eq!(one.await.unwrap().unwrap()["stdout"], format!("{n}\n"));
    }
    assert_eq!(run(&owner, "echo 5").await.unwrap().unwrap()["stdout"], "5\n");
    owner.close().await;
}

/// A task asks no more than it could run: the places for questions are for all.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_has_its_place_before_a_person_is_asked() {
    let home = Home::new();
    let folder = home.outside("work");
    let (owner, _) = open(&home).await;
    bind(&owner, &folder).await;
    let asked: Vec<Ran> = (0..4).map(|n| run(&owner, &format!("$X {n}"))).collect();
    let list = async || {
        let (person, params) = (Caller::person("web"), json!({"state": "waiting"}));
        wire::dispatch(owner.app(), &person, "approval.list", params)
            .await
            .unwrap()
    };
    while list().await["total"] != 4 {
        tokio::task::yield_now().await;
    }
    let fifth = run(&owner, "$X 5").await.unwrap().unwrap_err();
    assert_eq!(fifth.code, "too_many_commands");
    assert_eq!(list().await["total"], 4, "nobody was asked about it");
    let reason = list().await["approvals"][0]["detail"]["reason"].clone();
    assert!(
        reason.as_str().unwrap().starts_with("此命令需要你的同意"),
        "{reason}"
    );
    let blocked = run(&owner, "sudo ls").await.unwrap().unwrap_err();
    assert_eq!(blocked.code, "command_blocked", "what is refused needs no place");
    owner.close().await;
    for one in asked {
        one.await.unwrap().unwrap_err();
    }
}

/// Whom a task's commands can reach is a person's word; a model cannot say it.
#[test]
fn the_network_of_a_task_is_said_by_a_person() {
    let home = Home::new();
    bound(&home);
    let network = |words: &[&str]| home.pm(&[&["workspace", "network", "t1", "--json"], words].concat());
    assert_eq!(said(&network(&[])), json!({"mode": "off", "hosts": []}));
    let hosts = said(&network(&["B.example:443", "*.a.example"]));
    assert_eq!(
        hosts,
        json!({"mode": "hosts", "hosts": ["*.a.example", "b.example:443"]})
    );
    let info = home.pm(&["workspace", "info", "t1"]);
    assert!(
        stdout(&info).contains("network        *.a.example b.example:443\n"),
        "{info:?}"
    );
    assert_eq!(said(&network(&["10.0.0.1"]))["code"], "network_rule_invalid");
    assert_eq!(
        network(&["off", "x.example"]).status.code(),
        Some(2),
        "off stands alone"
    );
    let other = home.pm(&["workspace", "network", "nobody", "full", "--json"]);
    assert_eq!(said(&other)["code"], "workspace_not_bound");
    assert_eq!(said(&network(&["full"])), json!({"mode": "full", "hosts": []}));
    assert_eq!(said(&network(&["off"])), json!({"mode": "off", "hosts": []}));

    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let (owner, _) = open(&home).await;
        let params = json!({"taskId": "t1", "mode": "full"});
        let mut agent = Caller::mcp_client("builder");
        agent.access = Access::Agent;
        for caller in [Caller::mcp_client("x"), agent] {
            let refused = wire::dispatch(owner.app(), &caller, "workspace.network", params.clone()).await;
            assert_eq!(refused.unwrap_err().code, "access_denied");
        }
        owner.close().await;
    });
}
