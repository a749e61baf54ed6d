//! Model services and the prompts that they answer and improve: through `pm`, as the window asks, and
//! who must not.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

mod common;

use common::mcp::Mcp;
use common::page::{Page, id};
use common::{Home, files_below, said, stdout};
use llm::Protocol;
use llm::stub::{Play, Stub, Then, spoken};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, Instant};

const KEY: &str = "sk-test-5f2b9c";

/// A service on loopback that wants a key, and what it runs on.
struct Service {
    stub: Stub,
    runtime: tokio::runtime::Runtime,
}

impl Service {
    fn new(plays: Vec<Play>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let stub = runtime.block_on(Stub::start(0, plays, Some(KEY))).unwrap();
        Service { stub, runtime }
    }

    fn described(&self, name: &str, protocol: Protocol) -> Value {
        json!({"name": name, "protocol": protocol, "model": "m-1", "baseUrl": self.stub.base_url(protocol), "key": KEY})
    }

    /// Until so many clients went away amid an answer.
    fn left(&self, count: usize) {
        let left = async { tokio::time::timeout(Duration::from_secs(20), self.stub.left(count)).await };
        self.runtime.block_on(left).unwrap();
    }
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The beginning of an answer that does not end.
fn endless(protocol: Protocol) -> Play {
    let mut parts = spoken(protocol, &words(&["one ", "two "]));
    parts.truncate(parts.len() - 2);
    Play::Raw {
        parts,
        pause: Duration::ZERO,
        then: Then::Hang,
    }
}

#[test]
fn pm_keeps_services_and_their_keys_and_tries_prompts() {
    let (home, service) = (Home::new(), Service::new(Vec::new()));
    let url = service.stub.base_url(Protocol::Anthropic);
    let none = home.pm(&["prompt", "new", "Hi", "Greet {{name}}"]);
    assert!(none.status.success());
    let none = home.pm(&["prompt", "try", "Hi", "--set", "name=Ada", "--json"]);
    assert_eq!(
        (none.status.code(), said(&none)["code"].as_str()),
        (Some(1), Some("model_none"))
    );

    let add = [
        "model",
        "add",
        "stub",
        "--protocol",
        "anthropic",
        "--model",
        "m-1",
        "--url",
        &url,
    ];
    let typed = home.pm_with_input(&[&add[..], &["--key-stdin"]].concat(), &format!("{KEY}\n"));
    assert!(typed.status.success(), "{typed:?}");
    let again = home.pm(&[&add[..], &["--json"]].concat());
    assert_eq!(said(&again)["code"], "model_exists");
    let listed = home.pm(&["model", "list"]);
    assert_eq!(
        stdout(&listed).trim(),
        format!("* stub                  anthropic  m-1  {url}  key")
    );

    let tested = said(&home.pm(&["model", "test", "stub", "--json"]));
    assert!(tested["text"].as_str().unwrap().starts_with("Echo: "), "{tested}");
    let tried = home.pm(&["prompt", "try", "Hi", "--set", "name=Ada"]);
    assert_eq!(stdout(&tried), "Echo: Greet Ada\n");
    assert!(
        String::from_utf8_lossy(&tried.stderr).contains("7 -> 11 tokens"),
        "{tried:?}"
    );

    // A wrong key, from the environment, then none.
    let mut wrong = home.command(&["model", "key", "stub", "--key-env", "MY_KEY"]);
    assert!(wrong.env("MY_KEY", "sk-wrong").status().unwrap().success());
    let refused = home.pm(&["prompt", "try", "Hi", "--set", "name=Ada", "--json"]);
    assert_eq!(said(&refused)["code"], "model_unauthorized");
    assert!(home.pm(&["model", "key", "stub", "--forget"]).status.success());
    assert_eq!(
        said(&home.pm(&["model", "list", "--json"]))["services"][0]["hasKey"],
        false
    );
    assert!(home.pm(&["model", "remove", "stub"]).status.success());
    assert_eq!(stdout(&home.pm(&["model", "list"])), "");
    assert_eq!(home.pm(&["model", "default", "stub"]).status.code(), Some(1));
    assert_eq!(
        home.pm(&["model", "add", "x", "--protocol", "smoke", "--model", "m"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn pm_improves_a_prompt_and_writes_it_only_with_the_same_variables() {
    let home = Home::new();
    let service = Service::new(vec![
        Play::Say(words(&["Say hello to ", "{{name}}, briefly."])),
        Play::Say(words(&["Say hello."])),
        Play::Say(words(&["It is vague."])),
        Play::Say(words(&["Greet {{name}} in a line."])),
        Play::Say(words(&["<message>\nno\n</message>"])),
    ]);
    let url = service.stub.base_url(Protocol::Ollama);
    let add = [
        "model",
        "add",
        "stub",
        "--protocol",
        "ollama",
        "--model",
        "m-1",
        "--url",
        &url,
        "--key-stdin",
    ];
    assert!(home.pm_with_input(&add, KEY).status.success());
    assert!(
        home.pm(&["prompt", "new", "Hi", "Greet {{name}}"])
            .status
            .success()
    );
    let content = |prompt: &str| said(&home.pm(&["prompt", "show", prompt, "--json"]))["content"].clone();
    let text = |prompt: &str| content(prompt)["messages"][0]["text"].clone();

    let shown = home.pm(&["prompt", "optimise", "Hi", "--quick"]);
    let out = stdout(&shown);
    assert!(out.starts_with("Say hello to {{name}}, briefly.\n@@"), "{out}");
    assert!(
        out.contains("-Greet {{name}}\n+Say hello to {{name}}, briefly."),
        "{out}"
    );
    assert_eq!(text("Hi"), "Greet {{name}}", "shown, not written");

    let lost = home.pm(&["prompt", "optimise", "Hi", "--wish", "shorter", "--write"]);
    assert_eq!(lost.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&lost.stderr).contains("- {{name}}"),
        "{lost:?}"
    );
    assert_eq!(text("Hi"), "Greet {{name}}");
    assert!(service.stub.seen()[1].body.to_string().contains("shorter"));

    let deep = home.pm(&["prompt", "optimise", "Hi", "--deep", "--write"]);
    assert!(deep.status.success(), "{deep:?}");
    assert!(
        String::from_utf8_lossy(&deep.stderr).starts_with("It is vague.\n"),
        "{deep:?}"
    );
    assert!(service.stub.seen()[3].body.to_string().contains("It is vague."));
    assert_eq!(text("Hi"), "Greet {{name}} in a line.");
    let versions = said(&home.pm(&["prompt", "history", "Hi.yaml", "--json"]));
    assert_eq!(
        versions["versions"].as_array().unwrap().len(),
        1,
        "the text before is kept"
    );

    // A prompt of two messages and an answer that has not two.
    let two = "name: Two\nmessages:\n  - {role: system, content: a}\n  - {role: user, content: b}\n";
    fs::write(home.path().join("prompts/two.yaml"), two).unwrap();
    let wrong = home.pm(&["prompt", "optimise", "Two", "--quick", "--write", "--json"]);
    assert_eq!(said(&wrong)["code"], "prompt_answer_shape");
    // The stub's own proposal has the form of what it was asked.
    let right = said(&home.pm(&["prompt", "optimise", "Two", "--quick", "--json"]));
    assert_eq!(right["messages"][0], json!({"role": "system", "text": "a"}));
    assert_eq!(
        right["messages"][1],
        json!({"role": "user", "text": "b\nAnswer briefly."})
    );
    assert_eq!(
        fs::read_to_string(home.path().join("prompts/two.yaml")).unwrap(),
        two
    );
    assert_eq!(
        home.pm(&["prompt", "optimise", "Two"]).status.code(),
        Some(2),
        "one of the ways"
    );
}

#[test]
fn the_window_follows_an_answer_and_calls_it_off() {
    let home = Home::new();
    let hang = endless(Protocol::OpenAi);
    let service = Service::new(vec![hang.clone(), hang, Play::Say(words(&["Echo: ", "hello"]))]);
    let served = home.serve();
    let page = Page::open(&served);
    let list = page.call("models.save", service.described("stub", Protocol::OpenAi));
    assert_eq!(list["services"][0]["default"], true);
    page.call(
        "prompt.create",
        json!({"content": {"name": "Hi", "messages": [{"role": "user", "text": "Greet {{name}}"}],
            "arguments": [{"name": "name", "required": true}], "enabled": true}}),
    );
    let (_, code) = page.refused("prompt.try", json!({"prompt": "Hi"}));
    assert_eq!(code, "prompt_arguments_missing", "nobody is asked");
    assert_eq!(service.stub.seen().len(), 0);

    let given = |run: &str| json!({"prompt": "Hi", "values": {"name": "Ada"}, "run": run});
    let run = id();
    std::thread::scope(|scope| {
        let trying = scope.spawn(|| page.refused("prompt.try", given(&run)));
        let (mut at, mut said) = (json!({"run": run}), String::new());
        while said != "one two " {
            let news = page.call("run.watch", at);
            for line in news["lines"].as_array().unwrap() {
                assert_eq!(line["stream"], "stdout");
                said.push_str(line["text"].as_str().unwrap());
            }
            at = json!({"run": run, "from": news["next"], "version": news["version"]});
        }
        let active = page.call("run.active", json!({}));
        assert_eq!(active["runs"][0]["subject"], "model:stub");
        let begun = Instant::now();
        page.call("run.cancel", json!({"run": run}));
        assert_eq!(trying.join().unwrap().1, "cancelled");
        service.left(1);
        assert!(begun.elapsed() < Duration::from_secs(5), "at once");
    });
    let shown = page.call("run.show", json!({"run": run}));
    assert_eq!(
        (&shown["success"], &shown["error"]),
        (&json!(false), &json!("cancelled"))
    );

    // Whoever goes away does not go on paying.
    let body = given(&id()).to_string();
    let mut gone = std::net::TcpStream::connect(page.at).unwrap();
    let head = format!(
        "POST /api/prompt.try HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        page.at,
        page.secret,
        body.len()
    );
    std::io::Write::write_all(&mut gone, head.as_bytes()).unwrap();
    common::until("the second question", || service.stub.seen().len() == 2);
    drop(gone);
    service.left(2);

    let run = id();
    let tried = page.call("prompt.try", given(&run));
    assert_eq!(
        (&tried["run"], &tried["text"]),
        (&json!(run), &json!("Echo: hello"))
    );
    let used = json!({"service": "stub", "model": "m-1", "input": 7.0, "output": 11.0, "finish": "done",
        "durationMs": tried["use"]["durationMs"]});
    assert_eq!(tried["use"], used);
    let shown = page.call("run.show", json!({"run": run}));
    assert_eq!(
        (&shown["subject"], &shown["about"]),
        (&json!("model:stub"), &json!("Hi"))
    );
    assert_eq!(shown["result"]["use"]["output"], 11.0);
    assert_eq!(shown["result"]["text"], "Echo: hello");
    let sent = &service.stub.seen()[2];
    assert_eq!(sent.body["messages"][0]["content"], "Greet Ada");
}

#[test]
fn only_the_person_may_ask_and_keys_never_come_out() {
    let (home, service) = (Home::new(), Service::new(Vec::new()));
    let served = home.serve();
    let page = Page::open(&served);
    let mut answers = vec![
        page.call("models.save", service.described("stub", Protocol::Gemini)),
        page.call("models.list", json!({})),
        page.call("models.test", json!({"name": "stub"})),
        page.call("models.save", {
            let mut renamed = service.described("again", Protocol::Gemini);
            renamed["was"] = "stub".into();
            renamed.as_object_mut().unwrap().remove("key");
            renamed
        }),
        page.call("models.test", json!({"name": "again"})),
        page.call("models.key", json!({"name": "again", "key": KEY})),
        page.call("settings.show", json!({})),
        page.call("run.list", json!({})),
    ];
    for run in page.call("run.list", json!({}))["runs"].as_array().unwrap() {
        answers.push(page.call("run.show", json!({"run": run["id"]})));
    }
    for (call, params) in [
        (
            "models.save",
            json!({"name": "", "protocol": "openai", "model": "m", "key": KEY}),
        ),
        (
            "models.save",
            json!({"name": "x", "protocol": "openai", "model": "m", "baseUrl": "ftp://x", "key": KEY}),
        ),
        (
            "models.save",
            json!({"name": "x", "protocol": "none", "model": "m", "key": KEY}),
        ),
        ("models.key", json!({"name": "nobody", "key": KEY})),
        (
            "models.key",
            json!({"name": "again", "key": format!("{KEY} {KEY}")}),
        ),
    ] {
        let answer = page.post(call, &params);
        assert!(answer.status >= 400, "{call}");
        answers.push(answer.json());
    }
    for answer in &answers {
        assert!(!answer.to_string().contains(KEY), "{answer}");
    }
    // A new service does not get what another of its name left.
    let other = json!({"name": "stub", "protocol": "gemini", "model": "m", "baseUrl": service.stub.base_url(Protocol::Gemini)});
    let list = page.call("models.save", other);
    assert_eq!(list["services"][1]["hasKey"], false, "{list}");

    let program = Page::program(&home, &served);
    let asked = service.stub.seen().len();
    for call in ["list", "save", "remove", "default", "key", "test"].map(|call| format!("models.{call}")) {
        assert_eq!(
            program.refused(&call, json!({"name": "again"})),
            (403, "access_denied".to_owned()),
            "{call}"
        );
    }
    for call in ["prompt.try", "prompt.optimise"] {
        assert_eq!(
            program.refused(call, json!({"prompt": "x"})),
            (403, "access_denied".to_owned()),
            "{call}"
        );
    }
    let mcp = Mcp::connect(&home, &served);
    let tools = mcp.request("tools/list", json!({})).to_string();
    assert!(
        !tools.contains("prompt.try") && !tools.contains("models"),
        "{tools}"
    );
    assert_eq!(service.stub.seen().len(), asked, "nobody spent anything");

    // No file of the data home holds it: that of the keys names it.
    drop(page);
    let holders: Vec<_> = files_below(&home.path())
        .into_iter()
        .filter(|path| {
            fs::read(path).is_ok_and(|bytes| bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()))
        })
        .collect();
    assert_eq!(holders, Vec::<std::path::PathBuf>::new());
}

#[test]
fn what_a_person_wrote_into_the_settings_counts_and_stays() {
    let (home, service) = (Home::new(), Service::new(Vec::new()));
    let served = home.serve();
    let page = Page::open(&served);
    let path = home.path().join("settings.json");
    let url = service.stub.base_url(Protocol::OpenAi);
    let written = json!({"models": {"services": [
        {"name": "hand", "protocol": "openai", "model": "m", "baseUrl": url, "note": "mine"}]}, "mine": 1});
    fs::write(&path, written.to_string()).unwrap();
    let list = page.call("models.list", json!({}));
    assert_eq!(
        (&list["services"][0]["name"], &list["services"][0]["default"]),
        (&json!("hand"), &json!(true))
    );
    page.call("models.key", json!({"name": "hand", "key": KEY}));
    page.call("models.test", json!({"name": "hand"}));
    page.call(
        "models.save",
        json!({"was": "hand", "name": "hand", "protocol": "openai", "model": "m-2", "baseUrl": url}),
    );
    let kept: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(
        (&kept["mine"], &kept["models"]["services"][0]["note"]),
        (&json!(1), &json!("mine"))
    );
    assert_eq!(kept["models"]["services"][0]["model"], "m-2");
    fs::write(&path, "{\"models\": {\"services\": [{\"name\": 1}]}}").unwrap();
    let (_, code) = page.refused("models.list", json!({}));
    assert_eq!(code, "settings_invalid");
    let (_, code) = page.refused(
        "models.save",
        json!({"name": "x", "protocol": "ollama", "model": "m"}),
    );
    assert_eq!(code, "settings_invalid", "a broken file is not replaced");
}
