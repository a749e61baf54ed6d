//! Commands while they run, and what is known of them afterwards.

use super::common::page::{Page, id};
use super::common::{Home, bound, said};
use super::{Scene, agent, processes, until};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use wire::Caller;

/// News of a run until `enough`; the pieces of the two streams.
async fn follow(scene: &Scene, run: &str, enough: impl Fn(&Value, &[String; 2]) -> bool) -> [String; 2] {
    let (mut from, mut version) = (json!(0), json!(0));
    let mut text = [String::new(), String::new()];
    loop {
        let params = json!({"run": run, "from": from, "version": version});
        let news = scene.person("run.watch", params).await;
        for line in news["lines"].as_array().unwrap() {
            let stream = match line["stream"].as_str().unwrap() {
                "stdout" => 0,
                _ => 1,
            };
            text[stream].push_str(line["text"].as_str().unwrap());
        }
        (from, version) = (news["next"].clone(), news["version"].clone());
        if enough(&news, &text) {
            return text;
        }
        assert_ne!(news["state"], "ended", "{text:?}");
    }
}

async fn listed(scene: &Scene) -> Vec<Value> {
    let found = scene.person("workspace.commands", json!({"taskId": "t1"})).await;
    found["commands"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn output_comes_while_it_runs_and_stays() {
    let scene = Scene::new().await;
    let run = id();
    let command = "echo one; echo zwö >&2; while [ ! -e go ]; do sleep 0.02; done; printf three; exit 3";
    let running = scene.run(json!({"command": command, "run": run}));
    follow(&scene, &run, |news, text| {
        news["state"] == "running" && *text == ["one\n", "zwö\n"].map(str::to_owned)
    })
    .await;
    let rows = listed(&scene).await;
    assert_eq!(
        (&rows[0]["run"], &rows[0]["state"]),
        (&json!(run), &json!("running"))
    );
    assert_eq!(rows[0]["command"], command);
    let active = scene.person("run.active", json!({})).await;
    assert_eq!(active["runs"][0]["subject"], "task:t1");
    let again = scene.run(json!({"command": "true", "run": run})).await.unwrap();
    assert_eq!(again.unwrap_err().code, "run_exists");

    std::fs::write(scene.folder.join("go"), "").unwrap();
    let answer = running.await.unwrap().unwrap();
    assert_eq!(
        answer,
        json!({"stdout": "one\nthree", "stderr": "zwö\n", "exitCode": 3})
    );
    let all = follow(&scene, &run, |news, _| news["state"] == "ended").await;
    assert_eq!(all, ["one\nthree", "zwö\n"].map(str::to_owned));
    let rows = listed(&scene).await;
    let row = &rows[0];
    assert_eq!(
        (rows.len(), &row["state"], &row["exitCode"], &row["cut"]),
        (1, &json!("exited"), &json!(3), &json!({"stdout": 0, "stderr": 0}))
    );
    assert!(
        row["tier"] != "none" && row["durationMs"].as_f64().unwrap() > 0.0,
        "{row}"
    );
    let shown = scene.person("workspace.command", json!({"run": run})).await;
    assert_eq!(
        (&shown["stdout"], &shown["stderr"]),
        (&json!("one\nthree"), &json!("zwö\n"))
    );
    let refused = scene
        .asked(&agent(), "workspace.commands", json!({"taskId": "t1"}))
        .await;
    assert_eq!(refused.unwrap_err().code, "access_denied");
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_has_an_end() {
    let scene = Scene::new().await;
    let command = "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\001%.0s' $(seq 60000) >&2";
    let ran = scene.run(json!({"command": command})).await.unwrap().unwrap();
    assert_eq!(ran["truncated"], true);
    let row = &listed(&scene).await[0];
    assert_eq!(row["cut"], json!({"stdout": 3_000_000 - (1 << 20), "stderr": 0}));
    let shown = scene
        .person("workspace.command", json!({"run": row["run"]}))
        .await;
    let (out, err) = (
        shown["stdout"].as_str().unwrap(),
        shown["stderr"].as_str().unwrap(),
    );
    assert!(
        out.len() < 30_000 && out.starts_with("xxx") && out.ends_with("xxx"),
        "{}",
        out.len()
    );
    assert!(err.contains("bytes cut") && err.len() < 30_000, "{}", err.len());

    for n in 0..7 {
        scene
            .run(json!({"command": format!("echo {n}")}))
            .await
            .unwrap()
            .unwrap();
    }
    let mut before = Value::Null;
    let mut seen = Vec::new();
    loop {
        let params = json!({"taskId": "t1", "limit": 3, "before": before});
        let page = scene.person("workspace.commands", params).await;
        let rows = page["commands"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["command"].as_str().unwrap().to_owned()));
        before = rows.last().unwrap()["run"].clone();
        if page["more"] == false {
            break;
        }
    }
    let expected: Vec<String> = (0..7).rev().map(|n| format!("echo {n}")).collect();
    assert_eq!((&seen[..7], seen.len()), (&expected[..], 8));
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_run_says_why_and_no_record_holds_a_secret() {
    let home = Home::new();
    home.put_tool("keeper", "export default { execute: () => 1 }");
    let env = home.path().join("toolbox/keeper/.env");
    std::fs::write(env, "API_KEY=hunter2hunter2\n").unwrap();
    let scene = Scene::at(home).await;
    let token = std::fs::read_to_string(scene.home.path().join("token")).unwrap();
    let command = format!("echo hunter2hunter2 {}", token.trim());
    let ran = scene.run(json!({"command": command})).await.unwrap().unwrap();
    assert!(
        ran["stdout"].as_str().unwrap().contains("hunter2"),
        "its caller has it anyway"
    );
    let run = listed(&scene).await[0]["run"].clone();
    let shown = scene
        .person("workspace.command", json!({"run": run}))
        .await
        .to_string();
    assert!(
        shown.contains("echo ") && !shown.contains("hunter2") && !shown.contains(token.trim()),
        "{shown}"
    );

    scene
        .run(json!({"command": "sudo ls"}))
        .await
        .unwrap()
        .unwrap_err();
    let late = scene.run(json!({"command": "echo begun; sleep 1000", "timeoutMs": 3000}));
    late.await.unwrap().unwrap_err();
    let rows = listed(&scene).await;
    assert_eq!(
        (&rows[0]["state"], &rows[0]["error"]["code"], &rows[0]["exitCode"]),
        (&json!("ended"), &json!("command_timeout"), &Value::Null)
    );
    let shown = scene
        .person("workspace.command", json!({"run": rows[0]["run"]}))
        .await;
    assert_eq!(shown["stdout"], "begun\n", "what it wrote until then");
    assert_eq!(
        (&rows[1]["state"], &rows[1]["error"]["message"]),
        (&json!("refused"), &json!("危险命令被禁止: sudo"))
    );
    assert!(
        rows[1]["rule"].as_str().is_some_and(|rule| !rule.is_empty()),
        "{}",
        rows[1]
    );
    let path = scene.home.path();
    scene.owner.close().await;
    for file in ["pm.db", "pm.db-wal"] {
        let bytes = std::fs::read(path.join(file)).unwrap_or_default();
        for secret in ["hunter2hunter2", token.trim()] {
            let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            assert!(!found, "{file}");
        }
    }
}

/// Where a limit cuts what is kept, half a secret would no longer be found.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_at_a_cut_is_masked_whole() {
    let secret = "q7".repeat(400);
    let home = Home::new();
    home.put_tool("keeper", "export default { execute: () => 1 }");
    let env = home.path().join("toolbox/keeper/.env");
    std::fs::write(env, format!("API_KEY={secret}\n")).unwrap();
    let scene = Scene::at(home).await;
    std::fs::write(scene.folder.join("secret"), &secret).unwrap();
    for before in (11_000..13_000).step_by(500) {
        // The cut of 24 KiB lies in the middle, at some place of the secret.
        let command = format!(
            "printf '.%.0s' $(seq {before}); cat secret; printf '.%.0s' $(seq 30000); cat secret; printf '.%.0s' $(seq {before})"
        );
        scene.run(json!({"command": command})).await.unwrap().unwrap();
        let run = listed(&scene).await[0]["run"].clone();
        let shown = scene.person("workspace.command", json!({"run": run})).await;
        let out = shown["stdout"].as_str().unwrap();
        assert!(out.contains("bytes cut") && !out.contains("q7q7"), "{before}");
    }
    scene.owner.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_with_a_secret_is_asked_about_and_granted_without_showing_it() {
    let home = Home::new();
    home.put_tool("keeper", "export default { execute: () => 1 }");
    let env = home.path().join("toolbox/keeper/.env");
    std::fs::write(env, "API_KEY=hunter2hunter2\n").unwrap();
    let scene = Scene::at(home).await;
    std::fs::write(scene.folder.join("name"), "echo").unwrap();
    let command = "$(cat name) hunter2hunter2";
    let asked = scene.run(json!({"command": command}));
    let waiting = loop {
        let found = scene.person("approval.list", json!({"state": "waiting"})).await;
        if found["total"] == 1 {
            break found["approvals"][0].clone();
        }
        tokio::task::yield_now().await;
    };
    assert!(
        waiting["value"].as_str().unwrap().starts_with("$(cat name) "),
        "{waiting}"
    );
    assert!(!waiting.to_string().contains("hunter2"), "{waiting}");
    let answer = json!({"id": waiting["id"], "answer": "allow_for_task"});
    let resolved = scene.person("approval.resolve", answer).await;
    assert!(!resolved.to_string().contains("hunter2"), "{resolved}");
    assert_eq!(
        asked.await.unwrap().unwrap()["stdout"],
        "hunter2hunter2\n",
        "what runs is whole"
    );
    let again = scene.run(json!({"command": command})).await.unwrap().unwrap();
    assert_eq!(again["stdout"], "hunter2hunter2\n", "it is known again");
    let grants = scene.person("grant.list", json!({})).await;
    let grant = &grants["grants"][0];
    assert!(
        grants["total"] == 1 && !grants.to_string().contains("hunter2"),
        "{grants}"
    );
    let one = json!({"subject": grant["subject"], "kind": grant["kind"], "value": grant["value"]});
    scene.person("grant.revoke", one).await;
    let path = scene.home.path();
    // One that still waits when the owner ends is settled by the next.
    let left = scene.run(json!({"command": format!("{command} left")}));
    while scene.person("approval.list", json!({"state": "waiting"})).await["total"] == 0 {
        tokio::task::yield_now().await;
    }
    scene.owner.close().await;
    left.await.unwrap().unwrap_err();
    for file in ["pm.db", "pm.db-wal"] {
        let bytes = std::fs::read(path.join(file)).unwrap_or_default();
        let found = bytes.windows(14).any(|part| part == b"hunter2hunter2");
        assert!(!found, "{file}");
    }
    drop(scene.home);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_calls_a_command_off() {
    let scene = Scene::new().await;
    let run = id();
    let running = scene.run(json!({"command": "echo up; sleep 88001", "run": run}));
    follow(&scene, &run, |_, text| text[0] == "up\n").await;
    let refused = scene
        .asked(&Caller::mcp_client("x"), "run.cancel", json!({"run": run}))
        .await;
    assert_eq!(refused.unwrap_err().code, "access_denied");
    scene.person("run.cancel", json!({"run": run})).await;
    let failure = running.await.unwrap().unwrap_err();
    assert_eq!(
        (failure.code.as_str(), &failure.args["stdout"]),
        ("command_cancelled", &json!("up\n"))
    );
    assert!(processes("88001").is_empty());
    scene.owner.close().await;
}

/// Ctrl+C at `pm workspace exec`, a page that is closed, a program that drops its connection.
#[test]
fn a_command_ends_when_its_caller_goes_away() {
    let home = Home::new();
    bound(&home);
    let served = home.serve();
    let mut pm = home
        .command(&[
            "workspace",
            "exec",
            "t1",
            "--",
            "sleep 88101 & setsid sleep 88101",
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until("both run", || processes("88101").len() == 2);
    let pid = rustix::process::Pid::from_child(&pm);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    pm.wait().unwrap();
    until("both have ended", || processes("88101").is_empty());

    for (page, word) in [
        (Page::open(&served), "88102"),
        (Page::program(&home, &served), "88103"),
    ] {
        let body = json!({"taskId": "t1", "command": format!("sleep {word}")}).to_string();
        let mut stream = TcpStream::connect(page.at).unwrap();
        write!(
            stream,
            "POST /api/workspace.run HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            page.at,
            page.secret,
            id(),
            body.len()
        )
        .unwrap();
        until("it runs", || !processes(word).is_empty());
        drop(stream);
        until("it has ended", || processes(word).is_empty());
    }
    // The records follow the processes.
    let mut rows = Vec::new();
    until("three records", || {
        let listed = said(&home.pm(&["workspace", "commands", "t1", "--json"]));
        let ended = listed["commands"].as_array().unwrap().iter();
        ended
            .filter(|row| row["error"]["code"] == "command_cancelled")
            .count()
            == 3
    });
    let output = home.pm(&["workspace", "commands", "t1"]);
    rows.extend(
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned),
    );
    assert!(
        rows.len() == 3 && rows.iter().all(|row| row.contains("command_cancelled")),
        "{rows:?}"
    );

    // One who waits for the answer gets it, as before.
    let mut stream = TcpStream::connect(Page::program(&home, &served).at).unwrap();
    let page = Page::program(&home, &served);
    let body = json!({"taskId": "t1", "command": "sleep 0.3; echo here"}).to_string();
    write!(
        stream,
        "POST /api/workspace.run HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        page.at,
        page.secret,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("here\\n"), "{answer}");
}
