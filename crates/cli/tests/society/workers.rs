//! The same team where three worker processes ask the models, over a real NATS server, and one of them is killed.

use super::common::page::Page;
use super::common::{Home, Served, stdout, until};
use super::nats::Nats;
use super::{Models, script, settled, six_by_seven, to_user};
use llm::Protocol;
use llm::stub::{Play, Then};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

/// A worker with a data home and a service of its own, so that it is seen what it asks.
struct Worker {
    _home: Home,
    models: Models,
    process: Served,
}

impl Worker {
    fn starts(nats: &Nats, script: impl Fn(&Value) -> Play + Send + Sync + 'static) -> Worker {
        let (home, models) = (Home::new(), Models::playing(script));
        let url = models.stub.base_url(Protocol::OpenAi);
        let of_its_own = ["--protocol", "openai", "--model", "m", "--url", &url];
        let added = home.pm(&[&["model", "add", "stub"], &of_its_own[..]].concat());
        assert!(added.status.success(), "{added:?}");
        let process = home.serve_with(&["society", "worker", "--queue", &nats.address, "--json"]);
        Worker {
            _home: home,
            models,
            process,
        }
    }

    /// What it was asked, each question once.
    fn asked(&self) -> Vec<String> {
        let seen = self.models.stub.seen();
        seen.iter().map(|one| one.body["messages"].to_string()).collect()
    }
}

#[test]
fn a_team_delivers_though_one_of_three_workers_is_killed() {
    let nats = Nats::start(&[]);
    let home = Home::new();
    std::fs::create_dir_all(home.path()).unwrap();
    let queue = json!({"address": nats.address, "takesPart": false});
    let settings = json!({"agents": {"queue": queue}, "language": "en"});
    std::fs::write(home.path().join("settings.json"), settings.to_string()).unwrap();
    let served = home.serve();
    let page = Page::open(&served);
    // The owner knows the service and cannot reach it: who answers is a worker.
    page.call(
        "models.save",
        json!({"name": "stub", "protocol": "openai", "model": "m", "baseUrl": "http://127.0.0.1:1"}),
    );
    let work = home.outside("calculator");
    let submitted = page.call(
        "society.submit",
        json!({"text": "a calculator", "team": "dev-team", "workspacePath": work.to_str().unwrap()}),
    );
    let task = submitted["taskId"].clone();

    // The first worker is alone, and killed amid the first question.
    let hangs = |_: &Value| Play::Raw {
        parts: Vec::new(),
        pause: std::time::Duration::ZERO,
        then: Then::Hang,
    };
    let mut first = Worker::starts(&nats, hangs);
    until("the first worker asks", || !first.asked().is_empty());
    first.process.kill();

    // A second one is told to end amid its first question, and is let begin again.
    let told = std::sync::Arc::new(AtomicBool::new(false));
    let second = Worker::starts(&nats, {
        let told = told.clone();
        move |body| match told.swap(true, Ordering::Relaxed) {
            true => script::play(body),
            false => hangs(body),
        }
    });
    until("the second worker asks", || !second.asked().is_empty());
    let mut second = second;
    assert_eq!(second.process.end(), Some(0));
    second.process = second
        ._home
        .serve_with(&["society", "worker", "--queue", &nats.address, "--json"]);
    let third = Worker::starts(&nats, script::play);

    settled(&page, &task);
    page.call(
        "society.post",
        json!({"task": task, "agent": 2, "text": "Yes, please."}),
    );
    let view = settled(&page, &task);
    assert_eq!(
        to_user(&page, &task).last().unwrap(),
        "Delivered: calculator.sh, tested, described in docs/SYSTEM.md.",
        "{view:#}"
    );
    assert_eq!(six_by_seven(&work), "42\n");

    let (first, second, third) = (first.asked(), second.asked(), third.asked());
    assert_eq!(first.len(), 1);
    assert_eq!(second[0], first[0], "what the first one lost was asked again");
    let again = &second[1..];
    assert!(!again.is_empty() && !third.is_empty(), "both took part");
    let answered: Vec<&String> = again.iter().chain(&third).collect();
    let distinct: HashSet<&String> = answered.iter().copied().collect();
    assert_eq!(answered.len(), distinct.len(), "no question was answered twice");
}

#[test]
fn a_worker_says_what_is_wrong() {
    let home = Home::new();
    let refused = |args: &[&str], code: &str| {
        let output = home.pm(&[&["society", "worker", "--json"], args].concat());
        let told = String::from_utf8_lossy(&output.stderr).into_owned() + &stdout(&output);
        assert!(
            output.status.code() == Some(1) && told.contains(code),
            "{args:?}: {output:?}"
        );
    };
    refused(&[], "model_none");
    let added = home.pm(&["model", "add", "stub", "--protocol", "ollama", "--model", "m"]);
    assert!(added.status.success(), "{added:?}");
    refused(&["--at-once", "0"], "queue_at_once_invalid");
    refused(&["--queue", "http://127.0.0.1:4222"], "queue_address_invalid");
    refused(&["--name", "a.b"], "queue_name_invalid");
    refused(&["--secret-file", "/nowhere"], "queue_secret_unreadable");
    let nats = Nats::start(&["--auth", "secret"]);
    refused(&["--queue", &nats.address], "queue_refused");
    let secret = home.outside("secret").join("token");
    std::fs::write(&secret, "secret\n").unwrap();
    let mut worker = home.serve_with(&[
        "society",
        "worker",
        "--queue",
        &nats.address,
        "--json",
        "--secret-file",
        secret.to_str().unwrap(),
    ]);
    assert_eq!(worker.said["queue"], nats.address);
    assert_eq!(worker.end(), Some(0));
}
