//! Questions asked inside an owner, answered by `pm` from outside.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use base::DataHome;
use common::Home;
use serde_json::{Value, json};
use server::approvals::{Ask, Decision, Denied};
use server::owner::{Owner, Ownership};
use std::process::Output;
use store::{Actor, GrantKind};
use tokio_util::sync::CancellationToken;
use wire::Caller;

fn question(value: &str) -> Ask {
    Ask {
        subject: "task:t1".into(),
        kind: GrantKind::Command,
        value: value.into(),
        code_hash: String::new(),
        detail: json!({"reason": "pipes into a shell"}),
        actor: Actor {
            kind: "agent".into(),
            name: "builder".into(),
        },
    }
}

fn open(home: &Home) -> Owner {
    let home = DataHome::at(home.path()).unwrap();
    let ownership = Ownership::try_take(&home).unwrap().unwrap();
    Owner::open(&home, ownership).unwrap()
}

fn ask(owner: &Owner, value: &str) -> tokio::task::JoinHandle<Decision> {
    let (approvals, ask) = (owner.app().approvals().clone(), question(value));
    tokio::spawn(async move { approvals.ask(ask, &CancellationToken::new()).await.unwrap() })
}

async fn pm(home: &Home, args: &[&str]) -> Output {
    let mut command = home.command(args);
    tokio::task::spawn_blocking(move || command.output().unwrap())
        .await
        .unwrap()
}

/// What waits, once there is something.
async fn waiting(home: &Home) -> Vec<Value> {
    loop {
        let output = pm(home, &["approve", "list", "--json"]).await;
        assert!(output.status.success(), "{output:?}");
        let list: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = list["approvals"].as_array().unwrap().clone();
        if !rows.is_empty() {
            return rows;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pm_answers_what_waits() {
    let home = Home::new();
    let owner = open(&home);
    let asked = ask(&owner, "curl x | sh\n\u{1b}[2J");
    let row = waiting(&home).await.remove(0);
    assert_eq!(
        (&row["subject"], &row["kind"], &row["state"]),
        (&json!("task:t1"), &json!("command"), &json!("waiting"))
    );
    assert_eq!(
        (&row["actor"]["kind"], &row["detail"]["reason"]),
        (&json!("agent"), &json!("pipes into a shell"))
    );
    let id = row["id"].as_str().unwrap();
    let shown = String::from_utf8(pm(&home, &["approve", "list"]).await.stdout).unwrap();
    assert!(
        shown.contains(id) && shown.lines().count() == 1 && !shown.contains('\u{1b}'),
        "{shown:?}"
    );

    assert!(
        pm(&home, &["approve", "allow", id, "--task"])
            .await
            .status
            .success()
    );
    assert!(asked.await.unwrap().check().is_ok());
    assert!(
        ask(&owner, "curl x | sh\n\u{1b}[2J")
            .await
            .unwrap()
            .check()
            .is_ok(),
        "remembered"
    );

    let late = pm(&home, &["approve", "deny", id, "--json"]).await;
    assert_eq!(late.status.code(), Some(1));
    let said: Value = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!(
        (&said["code"], &said["args"]["state"]),
        (&json!("already_resolved"), &json!("allowed_for_task"))
    );
    let unknown = pm(&home, &["approve", "allow", "zzz"]).await;
    assert_eq!(unknown.status.code(), Some(1));

    let other = ask(&owner, "make deploy");
    let id = waiting(&home).await.remove(0)["id"].as_str().unwrap().to_owned();
    let denied = pm(&home, &["approve", "deny", &id, "--json"]).await;
    let said: Value = serde_json::from_slice(&denied.stdout).unwrap();
    assert_eq!(
        (&said["state"], &said["resolver"]["kind"]),
        (&json!("denied"), &json!("person"))
    );
    assert!(matches!(other.await.unwrap(), Decision::Denied(Denied::By(by)) if by.kind == "person"));

    let left = ask(&owner, "left behind");
    waiting(&home).await;
    owner.close().await;
    assert_eq!(left.await.unwrap(), Decision::Denied(Denied::Ending));
}

/// The calls themselves, as an MCP client or an agent would make them; then as a person.
#[tokio::test(flavor = "multi_thread")]
async fn no_model_answers() {
    let home = Home::new();
    let owner = open(&home);
    let asked = ask(&owner, "make deploy");
    let id = waiting(&home).await.remove(0)["id"].clone();
    let mut agent = Caller::mcp_client("builder");
    agent.access = wire::Access::Agent;
    let params = json!({"id": id, "answer": "allow_once"});
    for caller in [Caller::mcp_client("desktop"), agent] {
        for (call, params) in [("approval.resolve", params.clone()), ("approval.list", json!({}))] {
            let refused = wire::dispatch(owner.app(), &caller, call, params).await;
            assert!(
                refused.is_err_and(|failure| failure.code == "access_denied"),
                "{call}"
            );
        }
    }
    assert!(!asked.is_finished());
    let row = wire::dispatch(owner.app(), &Caller::person("web"), "approval.resolve", params)
        .await
        .unwrap();
    assert_eq!(
        (&row["state"], &row["resolver"]["name"]),
        (&json!("allowed_once"), &json!("web"))
    );
    assert!(asked.await.unwrap().check().is_ok());
    owner.close().await;
}
