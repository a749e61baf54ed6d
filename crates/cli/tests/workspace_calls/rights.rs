//! Rights of tasks, the badge, and a person's own rules.

use super::common::page::Page;
use super::common::{Home, bound, said};
use super::{Scene, agent};
use serde_json::{Value, json};
use wire::Caller;

async fn isolation(scene: &Scene) -> Value {
    scene.person("workspace.isolation", json!({"taskId": "t1"})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rights_are_listed_and_taken_back() {
    let scene = Scene::new().await;
    let folder = scene.home.outside("shared");
    let params = json!({"tool": "filesystem", "directory": folder});
    scene.person("tool.grant", params).await;
    let badge = isolation(&scene).await;
    assert_eq!(
        (&badge["network"], &badge["unsandboxed"], &badge["available"]),
        (&json!("off"), &json!(false), &json!(true))
    );
    let weaker = badge["weaker"].as_array().unwrap();
    assert!(
        weaker
            .iter()
            .all(|one| one["text"].as_str().unwrap().chars().count() > 5),
        "in words: {badge}"
    );
    let wanted = json!({"subject": "task:t1", "kind": "unsandboxed"});
    for caller in [agent(), Caller::mcp_client("x")] {
        for call in ["grant.add", "grant.list", "grant.revoke"] {
            let refused = scene.asked(&caller, call, wanted.clone()).await.unwrap_err();
            assert_eq!(refused.code, "access_denied", "{call}");
        }
    }
    scene.person("grant.add", wanted.clone()).await;
    let badge = isolation(&scene).await;
    assert_eq!(
        (&badge["unsandboxed"], &badge["network"]),
        (&json!(true), &json!("off"))
    );
    let ran = scene
        .run(json!({"command": "ls /root /home 2>&1; true"}))
        .await
        .unwrap()
        .unwrap();
    let row = scene.person("workspace.commands", json!({"taskId": "t1"})).await;
    assert_eq!(
        row["commands"][0]["tier"], badge["tier"],
        "where there is a wall it stands: {ran}"
    );

    let found = scene.person("grant.list", json!({})).await;
    let rows: Vec<_> = found["grants"].as_array().unwrap().iter().collect();
    assert_eq!(rows.len(), 2, "{found}");
    assert_eq!(
        (
            &rows[0]["subject"],
            &rows[0]["kind"],
            &rows[0]["scope"],
            &rows[0]["actor"]["name"]
        ),
        (
            &json!("task:t1"),
            &json!("unsandboxed"),
            &json!("task"),
            &json!("web")
        )
    );
    assert_eq!(
        (
            &rows[1]["subject"],
            &rows[1]["kind"],
            &rows[1]["scope"],
            &rows[1]["value"]
        ),
        (
            &json!("filesystem"),
            &json!("directory"),
            &json!("code"),
            &json!(folder)
        )
    );
    let own = scene.person("grant.list", json!({"subject": "task:t1"})).await;
    assert_eq!(own["total"], 1);
    for row in rows {
        let one = json!({"subject": row["subject"], "kind": row["kind"], "value": row["value"]});
        scene.person("grant.revoke", one.clone()).await;
        assert_eq!(scene.refused("grant.revoke", one).await.code, "grant_not_found");
    }
    assert_eq!(scene.person("grant.list", json!({})).await["total"], 0);
    assert_eq!(isolation(&scene).await["unsandboxed"], false);
    for wrong in [
        json!({"subject": "task:t1", "kind": "command", "value": "rm x"}),
        json!({"subject": "filesystem", "kind": "unsandboxed"}),
        json!({"subject": "task:t1", "kind": "unsandboxed", "value": "x"}),
    ] {
        assert_eq!(scene.refused("grant.add", wrong).await.code, "invalid_args");
    }
    let unknown = json!({"subject": "task:t9", "kind": "unsandboxed"});
    assert_eq!(
        scene.refused("grant.add", unknown).await.code,
        "workspace_not_bound"
    );
    scene.owner.close().await;
}

#[test]
fn pm_lists_and_takes_back() {
    let home = Home::new();
    bound(&home);
    assert!(home.pm(&["grant", "unsandboxed", "t1"]).status.success());
    let shown = home.pm(&["grant", "list"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("task:t1  unsandboxed"), "{shown}");
    let usage = home.pm(&["grant", "revoke", "task:t1", "everything"]);
    assert_eq!(usage.status.code(), Some(2));
    let revoke = ["grant", "revoke", "task:t1", "unsandboxed"];
    assert!(home.pm(&revoke).status.success());
    assert_eq!(home.pm(&revoke).status.code(), Some(1));
    assert_eq!(said(&home.pm(&["grant", "list", "--json"]))["total"], 0);
}

fn decision(home: &Home, command: &str) -> Value {
    said(&home.pm(&["policy", "check", "--json", command]))
}

#[test]
fn a_persons_own_rules_come_from_settings() {
    let home = Home::new();
    bound(&home);
    let settings = home.path().join("settings.json");
    let rule = json!({"name": "no-deploys", "programs": ["make"], "arguments": ["deploy"], "decision": "block",
        "blocked_examples": ["make deploy"], "allowed_examples": ["make test"]});
    let write = |rules: Value| {
        std::fs::write(&settings, json!({"commandRules": rules}).to_string()).unwrap();
    };
    assert_eq!(decision(&home, "make deploy")["decision"], "allow");
    write(json!([rule]));
    let found = decision(&home, "cd x && make deploy");
    assert_eq!(found["decision"], "block", "{found}");
    assert_eq!(decision(&home, "make test")["decision"], "allow");
    assert_eq!(decision(&home, "sudo ls")["decision"], "block");
    let refused = said(&home.pm(&["workspace", "exec", "t1", "--json", "--", "make deploy"]));
    assert_eq!(refused["code"], "command_blocked");

    let mut wrong = rule.clone();
    wrong["allowed_examples"] = json!(["make deploy"]);
    let mut unknown = rule;
    unknown["colour"] = "red".into();
    for (rules, code) in [(wrong, "policy_rule_example"), (unknown, "policy_rule_field")] {
        write(json!([rules]));
        let found = decision(&home, "make test");
        assert_eq!(found["code"], code, "{found}");
        assert!(
            found["message"].as_str().unwrap().contains("no-deploys"),
            "{found}"
        );
        let ran = said(&home.pm(&["workspace", "exec", "t1", "--json", "--", "true"]));
        assert_eq!(ran["code"], code, "nothing runs unjudged");
    }
}

#[test]
fn rules_count_while_the_server_runs_and_broken_ones_do_not() {
    let home = Home::new();
    bound(&home);
    let served = home.serve();
    let page = Page::open(&served);
    let settings = home.path().join("settings.json");
    let rule = |decision: &str| {
        json!({"commandRules": [{"name": "mine", "programs": ["make"], "decision": decision}]}).to_string()
    };
    assert_eq!(decision(&home, "make deploy")["decision"], "allow");
    std::fs::write(&settings, rule("block")).unwrap();
    assert_eq!(decision(&home, "make deploy")["decision"], "block");
    assert_eq!(page.call("settings.show", json!({}))["rulesError"], Value::Null);
    std::fs::write(&settings, rule("perhaps")).unwrap();
    assert_eq!(
        decision(&home, "make deploy")["decision"],
        "block",
        "the last good ones"
    );
    let error = &page.call("settings.show", json!({}))["rulesError"];
    assert_eq!(error["code"], "policy_rule_invalid", "{error}");
    assert!(error["message"].as_str().unwrap().contains("mine"), "{error}");
    std::fs::write(&settings, rule("ask")).unwrap();
    assert_eq!(decision(&home, "make deploy")["decision"], "ask");
    assert_eq!(page.call("settings.show", json!({}))["rulesError"], Value::Null);
}
