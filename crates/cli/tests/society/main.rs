//! Societies with a real owner: a team from the person's wish to a tested program, over a service that speaks the
//! protocol, in a real workspace, with real commands behind the walls.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../../../agents/tests/support/nats.rs"]
mod nats;
#[path = "../../../agents/examples/team/script.rs"]
mod script;
mod workers;

use common::page::Page;
use common::{Home, said, stdout, until};
use llm::Protocol;
use llm::stub::{Play, Stub};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A service that answers by a script.
struct Models {
    _runtime: tokio::runtime::Runtime,
    stub: Stub,
}

impl Models {
    fn playing(script: impl Fn(&Value) -> Play + Send + Sync + 'static) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let stub = runtime.block_on(Stub::scripted(0, script)).unwrap();
        Models {
            _runtime: runtime,
            stub,
        }
    }

    fn known_to(&self, page: &Page) {
        let url = self.stub.base_url(Protocol::OpenAi);
        page.call(
            "models.save",
            json!({"name": "stub", "protocol": "openai", "model": "m", "baseUrl": url}),
        );
    }
}

fn settled(page: &Page, task: &Value) -> Value {
    let view = page.call("society.settle", json!({"task": task, "waitMs": 60_000}));
    assert_ne!(view["task"]["standing"], "working", "{view:#}");
    view
}

/// What the team's calculator says.
fn six_by_seven(work: &Path) -> String {
    let ran = Command::new("sh")
        .args(["calculator.sh", "6", "x", "7"])
        .current_dir(work)
        .output();
    stdout(&ran.unwrap())
}

fn to_user(page: &Page, task: &Value) -> Vec<String> {
    let found = page.call("society.messages", json!({"task": task, "person": true}));
    let messages = found["messages"].as_array().unwrap().iter();
    messages
        .filter(|message| message["to"] == "user")
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_team_delivers_a_tested_program_though_its_owner_is_killed_on_the_way() {
    let models = Models::playing(script::play);
    let home = Home::new();
    let mut served = home.serve();
    let page = Page::open(&served);
    page.call("settings.change", json!({"language": "en"}));
    models.known_to(&page);
    let work = home.outside("calculator");
    let submitted = page.call(
        "society.submit",
        json!({"text": "a calculator", "team": "dev-team", "workspacePath": work.to_str().unwrap()}),
    );
    let task = submitted["taskId"].clone();
    let view = settled(&page, &task);
    assert_eq!(
        view["agents"].as_array().unwrap().len(),
        2,
        "nobody was hired yet: {view:#}"
    );
    assert_eq!(view["artifacts"].as_array().unwrap().len(), 3);
    // Two models answer beside each other: either may be the first.
    let mut told = to_user(&page, &task);
    told.sort();
    assert_eq!(
        told,
        [
            "The architect is at work.",
            "Two modules and a program that reads them. May I?"
        ]
    );

    served.kill();
    let served = home.serve();
    let page = Page::open(&served);
    page.call(
        "society.post",
        json!({"task": task, "agent": 2, "text": "Yes, please."}),
    );
    let view = settled(&page, &task);
    let told = to_user(&page, &task);
    assert_eq!(
        told.last().unwrap(),
        "Delivered: calculator.sh, tested, described in docs/SYSTEM.md.",
        "{view:#}"
    );
    assert_eq!(six_by_seven(&work), "42\n");
    let states: Vec<&str> = view["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["resting", "resting", "ended", "ended"]);
    assert_eq!(view["task"]["standing"], "waiting");
    let spent = &view["agents"][0]["spent"];
    assert_eq!(
        spent["tokens"].as_u64().unwrap() % 18,
        0,
        "what the service counted"
    );
    assert!(spent["calls"].as_u64().unwrap() > 25, "{spent}");

    // Each call of a tool stands in the records under its agent's name.
    let actor = format!("{}/3 (programmer)", task.as_str().unwrap());
    let runs = page.call("workspace.commands", json!({"taskId": task}));
    let by: Vec<&str> = runs["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["actor"]["name"].as_str().unwrap())
        .collect();
    assert!(by.contains(&actor.as_str()), "{by:?}");

    // The story of an agent, the task as it was, and its end as a document.
    let story = page.call("society.story", json!({"task": task, "agent": 3}));
    let entries = story["entries"].as_array().unwrap();
    assert_eq!(entries[0]["message"]["kind"], "brief");
    assert_eq!(entries[1]["said"]["calls"][0]["tool"], "get_artifact");
    let versions = view["versions"].as_u64().unwrap();
    let steps = page.call("society.steps", json!({"task": task, "from": 0, "limit": 500}));
    let steps = steps["steps"].as_array().unwrap();
    assert_eq!(steps.len() as u64, versions);
    let posted = steps.iter().find(|step| step["kind"] == "posted").unwrap();
    let then = page.call(
        "society.open",
        json!({"task": task, "version": posted["version"]}),
    );
    assert_eq!(then["agents"].as_array().unwrap().len(), 2);
    let text = page.call("society.export", json!({"task": task}))["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(text.contains("Integration_Plan") && text.contains("all tests pass"));

    page.call("society.remove", json!({"task": task}));
    assert_eq!(
        page.refused("society.open", json!({"task": task})).1,
        "society_task_not_found"
    );
    page.call("society.restore", json!({"task": task}));
    assert_eq!(page.call("society.list", json!({}))["tasks"][0]["id"], task);

    // Once more by what was kept, in another folder and without a service: the same program.
    drop(models);
    let again = home.outside("again");
    let ran = home.pm(&[
        "society",
        "replay",
        task.as_str().unwrap(),
        "--workspace",
        again.to_str().unwrap(),
    ]);
    assert!(ran.status.success(), "{ran:?}");
    assert!(
        stdout(&ran).contains("Delivered: calculator.sh, tested"),
        "{ran:?}"
    );
    assert_eq!(six_by_seven(&again), "42\n");
    let replayed = page.call("society.list", json!({}))["tasks"][0]["id"].clone();
    assert_ne!(replayed, task);
    let again = page.call("society.open", json!({"task": replayed}));
    assert_eq!(again["agents"][0]["spent"]["tokens"], 0);
    assert_eq!(again["artifacts"], view["artifacts"]);
}

#[test]
fn what_the_rules_ask_a_person_about_waits_and_holds_up_nobody_else() {
    let models = Models::playing(|body| {
        let messages = body["messages"].as_array().unwrap();
        let said = |text: &str| Play::Say(vec![text.to_owned()]);
        let call = |calls: &[(&str, Value)]| {
            let calls = calls
                .iter()
                .enumerate()
                .map(|(nth, (name, arguments))| llm::ToolCall {
                    id: nth.to_string(),
                    name: (*name).to_owned(),
                    arguments: arguments.to_string(),
                    mark: None,
                });
            Play::Call(Vec::new(), calls.collect())
        };
        let last = messages.last().unwrap()["content"].as_str().unwrap();
        let brief = |what: &str| json!({"objective": what, "constraints": "-", "inputs": "-", "outputs": "-", "completion_criteria": "-"});
        match last {
            task if task.contains("go ahead") => call(&[
                ("create_role", json!({"name": "hand", "prompt": "p"})),
                ("spawn_agent", json!({"role": "hand", "brief": brief("asks")})),
                ("spawn_agent", json!({"role": "hand", "brief": brief("writes")})),
            ]),
            task if task.contains("Objective: asks") => {
                call(&[("run_command", json!({"command": "rm -rf *"}))])
            }
            task if task.contains("Objective: writes") => {
                call(&[("write_file", json!({"path": "a.txt", "content": "a"}))])
            }
            told if told.contains("approval_denied") => said("I was not allowed to."),
            told if told.contains("\"ok\"") => said("It is written."),
            told if told.starts_with("Answer of") => said(told),
            _ => said(""),
        }
    });
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    page.call("settings.change", json!({"language": "en"}));
    models.known_to(&page);
    let task = page.call("society.submit", json!({"text": "go ahead"}))["taskId"].clone();
    let waiting = || page.call("approval.list", json!({"state": "waiting"}))["approvals"].clone();
    until("it asks", || {
        waiting().as_array().is_some_and(|list| !list.is_empty())
    });
    until("the other one has written", || {
        to_user(&page, &task)
            .iter()
            .any(|told| told.contains("It is written."))
    });
    let question = waiting()[0].clone();
    assert_eq!(question["subject"], format!("task:{}", task.as_str().unwrap()));
    assert_eq!(question["actor"]["kind"], "agent");
    page.call(
        "approval.resolve",
        json!({"id": question["id"], "answer": "deny"}),
    );
    settled(&page, &task);
    assert!(
        to_user(&page, &task)
            .last()
            .unwrap()
            .contains("I was not allowed to.")
    );
}

/// A skill is a tool of the roles that name it, and of no other.
#[test]
fn roles_have_the_skills_that_they_name() {
    let models = Models::playing(|body| {
        let messages = body["messages"].as_array().unwrap();
        let last = messages.last().unwrap()["content"].as_str().unwrap_or_default();
        let offered = body["tools"].to_string();
        let call = |name: &str, arguments: Value| llm::ToolCall {
            id: name.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            mark: None,
        };
        let calls = match last {
            told if told.starts_with("Task from user") => vec![
                call(
                    "create_role",
                    json!({"name": "writer", "prompt": "p", "tools": ["skill__house-style"]}),
                ),
                call(
                    "spawn_agent",
                    json!({"role": "writer", "brief": {"objective": "write", "constraints": "-",
                    "inputs": "-", "outputs": "-", "completion_criteria": "-"}}),
                ),
            ],
            told if told.contains("Objective: write") => {
                assert!(offered.contains("skill__house-style") && !offered.contains("skill__off"));
                assert!(!offered.contains("skill__other"), "its role does not name it");
                vec![
                    call("skill__house-style", json!({})),
                    call("skill__house-style", json!({"path": "words.md"})),
                    call("skill__house-style", json!({"path": "../other/SKILL.md"})),
                    call("skill__other", json!({})),
                ]
            }
            told if told.starts_with("Answer of") => return Play::Say(vec![told.to_owned()]),
            _ => {
                let results = messages.iter().filter(|one| one["role"] == "tool");
                let told: Vec<&str> = results.map(|one| one["content"].as_str().unwrap()).collect();
                return match told.len() {
                    4 => Play::Say(vec![told.join("|")]),
                    _ => Play::Say(Vec::new()),
                };
            }
        };
        Play::Call(Vec::new(), calls)
    });
    let home = Home::new();
    for (name, text) in [
        ("house-style", "Write short sentences."),
        ("other", "Not for writers."),
        ("off", "For nobody."),
    ] {
        let folder = home.path().join("skills").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: How we write.\n---\n{text}\n");
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
        std::fs::write(folder.join("words.md"), "plain words").unwrap();
    }
    let served = home.serve();
    let page = Page::open(&served);
    page.call("settings.change", json!({"language": "en"}));
    page.call("skill.switch", json!({"skill": "off", "enabled": false}));
    models.known_to(&page);
    let task = page.call("society.submit", json!({"text": "go ahead"}))["taskId"].clone();
    settled(&page, &task);
    let told = to_user(&page, &task).pop().unwrap();
    assert!(
        told.contains("Write short sentences.") && told.contains("plain words"),
        "{told}"
    );
    assert!(told.contains("words.md"), "what lies beside it is named: {told}");
    assert!(told.contains("skill_file_not_found"), "{told}");
    assert!(
        told.contains("unknown_mcp_tool") && !told.contains("Not for writers"),
        "{told}"
    );
}

#[test]
fn pm_society_runs_a_task_and_says_what_is_wrong() {
    let models = Models::playing(|_| Play::Say(vec!["Forty-two.".to_owned()]));
    let home = Home::new();
    let url = models.stub.base_url(Protocol::OpenAi);
    let add = [
        "model",
        "add",
        "stub",
        "--protocol",
        "openai",
        "--model",
        "m",
        "--url",
        &url,
        "--input-price",
        "1",
        "--output-price",
        "1",
    ];
    let refused = home.pm(&["society", "run", "what is it?"]);
    assert_eq!(refused.status.code(), Some(1), "there is no model: {refused:?}");
    let added = home.pm(&add);
    assert!(added.status.success(), "{added:?}");
    let work = home.outside("work");
    let ran = home.pm(&[
        "society",
        "run",
        "what is it?",
        "--workspace",
        work.to_str().unwrap(),
    ]);
    assert!(ran.status.success(), "{ran:?}");
    assert!(stdout(&ran).contains("Forty-two."), "{ran:?}");
    let listed = said(&home.pm(&["society", "list", "--json"]));
    let task = listed["tasks"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed["tasks"][0]["standing"], "waiting");
    let status = stdout(&home.pm(&["society", "status", &task]));
    assert!(status.contains("1 root [resting] 18 tokens, 1 calls"), "{status}");
    let status = said(&home.pm(&["society", "status", &task, "--json"]));
    let spent = &status["agents"][0]["spent"];
    assert_eq!(
        (&spent["tokens"], &spent["money"]),
        (&json!(18), &json!(18)),
        "a millionth for each token"
    );
    let again = home.pm(&["society", "say", &task, "and again?"]);
    assert_eq!(stdout(&again).matches("Forty-two.").count(), 1, "{again:?}");
    let teams = stdout(&home.pm(&["society", "teams"]));
    assert!(teams.contains("dev-team"), "{teams}");
    // A team of one's own goes before ours, and one that cannot be read says why.
    let own = home.path().join("society");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("dev-team.yaml"), "title: Mine\nroles: []\n").unwrap();
    std::fs::write(own.join("broken.yaml"), "titel: x\n").unwrap();
    let teams = said(&home.pm(&["society", "teams", "--json"]));
    assert_eq!(teams["teams"][1]["title"], "Mine");
    assert_eq!(teams["teams"][0]["failure"]["code"], "society_bad_team");
    for (words, code) in [
        (vec!["society", "run", " "], "society_empty"),
        (
            vec!["society", "run", "x", "--team", "nobody"],
            "society_unknown_team",
        ),
        (
            vec!["society", "run", "x", "--workspace", "/"],
            "invalid_workspace_path",
        ),
        (
            vec!["society", "run", "x", "--service", "nobody"],
            "model_unknown",
        ),
        (vec!["society", "status", "nothing"], "society_task_not_found"),
        (
            vec!["society", "say", &task, "x", "--agent", "7"],
            "unknown_agent",
        ),
        (vec!["society", "artifact", &task, "7"], "society_no_artifact"),
        (vec!["society", "replay", "nothing"], "society_task_not_found"),
    ] {
        let refused = home.pm(&[&words[..], &["--json"]].concat());
        assert_eq!(refused.status.code(), Some(1), "{words:?}: {refused:?}");
        let told = format!("{}{}", stdout(&refused), String::from_utf8_lossy(&refused.stderr));
        assert!(told.contains(code), "{words:?}: {told}");
    }
    let listed = said(&home.pm(&["society", "list", "--json"]));
    assert_eq!(
        listed["tasks"].as_array().unwrap().len(),
        1,
        "nothing half-done stays"
    );
    let bound = said(&home.pm(&["workspace", "list", "--json"]));
    assert_eq!(bound["workspaces"].as_array().unwrap().len(), 1);
    assert!(home.pm(&["society", "stop", &task]).status.success());
    let status = stdout(&home.pm(&["society", "status", &task]));
    assert!(status.starts_with("stopped"), "{status}");
}
