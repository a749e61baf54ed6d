//! Canvases of cells with a real owner: JavaScript and Python that stay, questions, tools, shells,
//! models, kills between any two events, formats, `pm arena`, and MCP.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

mod common;

use common::mcp::Mcp;
use common::page::Page;
use common::{Home, Served, bound, said, stdout, until};
use llm::Protocol;
use llm::stub::{Play, Stub};
use serde_json::{Value, json};
use std::fs;

struct Canvas<'p> {
    page: &'p Page,
    id: String,
}

impl<'p> Canvas<'p> {
    fn new(page: &'p Page) -> Self {
        Self::from(page, json!({"title": "T"}))
    }

    fn from(page: &'p Page, params: Value) -> Self {
        let made = page.call("cells.create", params);
        let id = made["canvas"]["id"].as_str().unwrap().to_owned();
        Canvas { page, id }
    }

    fn call(&self, call: &str, mut params: Value) -> Value {
        params["canvas"] = self.id.clone().into();
        self.page.call(&format!("cells.{call}"), params)
    }

    fn refused(&self, call: &str, mut params: Value) -> String {
        params["canvas"] = self.id.clone().into();
        self.page.refused(&format!("cells.{call}"), params).1
    }

    /// An EXEC where it says nothing else: while a question waits, a cell without a type is its answer.
    fn append(&self, mut cell: Value) -> Value {
        if cell.get("type").is_none() {
            cell["type"] = "EXEC".into();
        }
        self.call("append", json!({"cell": cell}))["cell"].clone()
    }

    /// Appends a cell and waits; its state and the last output, or what there is.
    fn run(&self, cell: Value) -> (String, Value) {
        let name = self.append(cell);
        let view = self.settled();
        (
            self.cell(&view, &name)["state"].as_str().unwrap().to_owned(),
            last_output(&view),
        )
    }

    fn js(&self, text: &str) -> (String, Value) {
        self.run(json!({"text": text, "executionContext": "javascript"}))
    }

    fn settled(&self) -> Value {
        self.call("settle", json!({"waitMs": 60000}))
    }

    fn cell(&self, view: &Value, name: &Value) -> Value {
        let found =
            cells(view).find(|cell| cell["originator"] == name["originator"] && cell["seq"] == name["seq"]);
        found.unwrap_or_else(|| panic!("{name} in {view:#}"))
    }

    fn text(&self) -> String {
        self.call("export", json!({}))["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

fn cells(view: &Value) -> impl Iterator<Item = Value> {
    let entries = view["entries"].as_array().unwrap().clone().into_iter();
    entries
        .filter(|entry| entry["kind"] == "cell")
        .map(|mut entry| entry["cell"].take())
}

fn last_output(view: &Value) -> Value {
    cells(view)
        .filter(|cell| cell["type"] == "OUTPUT")
        .last()
        .unwrap_or(Value::Null)
}

fn printed(output: &Value) -> Vec<&str> {
    let lines = output["stdout"].as_array().unwrap().iter();
    lines.map(|line| line["text"].as_str().unwrap()).collect()
}

const ECHO: &str =
    "export default { getMetadata: () => ({ name: 'echo', version: '1.0.0', description: 'd' }),
    getSchema: () => ({ parameters: { type: 'object', properties: { say: { type: 'string' } } } }),
    async execute({ say }) { if (say === 'fail') throw new Error('no'); return { said: say }; } };";

#[test]
fn javascript_stays_asks_calls_and_draws() {
    let home = Home::new();
    home.put_tool("echo", ECHO);
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    assert_eq!(canvas.js("const a = 20; print('hi', a)").0, "done");
    let (state, output) = canvas.js("a + 1");
    assert_eq!((state.as_str(), &output["value"]["text"]), ("done", &json!("21")));
    assert_eq!(output["requester"], "User");

    let (state, output) = canvas.js("const name = await input('Name?'); print('Hello ' + name); name.length");
    assert_eq!(
        (state.as_str(), &output["value"]["type"]),
        ("waiting", &json!("INPUT_HINT"))
    );
    assert_eq!(output["flags"], json!(["WAIT_User"]));
    // Another cell runs meanwhile.
    assert_eq!(canvas.js("a += 1").1["value"]["text"], "21");
    let view = canvas.settled();
    assert_eq!(view["questions"][0]["hint"], "Name?");
    canvas.call("answer", json!({"text": "Ada"}));
    let output = last_output(&canvas.settled());
    assert_eq!(
        (printed(&output), &output["value"]["text"]),
        (vec!["Hello Ada"], &json!("3"))
    );
    assert_eq!(
        canvas.refused("answer", json!({"text": "again"})),
        "cell_no_question"
    );

    let (_, output) = canvas.js("const said = await tool('echo', {say: name}); said.said");
    assert_eq!(output["value"]["text"], "Ada");
    let (_, output) =
        canvas.js("try { await tool('echo', {say: 'fail'}) } catch (error) { error.message.length > 0 }");
    assert_eq!(output["value"]["text"], "true", "{output:#}");
    let (state, output) = canvas.js("await tool('nobody')");
    assert_eq!(
        (state.as_str(), &output["logs"][0]["level"]),
        ("failed", &json!("ERROR"))
    );

    let (_, output) = canvas.js("getCanvas(20, 10).getContext('2d').fillRect(0, 0, 5, 5)");
    let picture = output["pictures"][0].as_str().unwrap().to_owned();
    let shown = page.call("artifact.show", json!({"id": picture}));
    assert_eq!(
        (&shown["width"], &shown["source"]),
        (&json!(20), &json!(format!("canvas:{}", canvas.id)))
    );

    let (state, output) = canvas.js("throw new TypeError('no')");
    assert_eq!(state, "failed");
    assert!(
        output["logs"][0]["message"]
            .as_str()
            .unwrap()
            .starts_with("TypeError: no")
    );
    let (state, _) = canvas.run(json!({"text": "x", "executionContext": "tea"}));
    assert_eq!(state, "failed");

    // Each step is a run of the records.
    let runs = page.call("run.list", json!({"tool": format!("canvas:{}", canvas.id)}));
    assert!(!runs["runs"].as_array().unwrap().is_empty(), "{runs}");
}

#[test]
fn a_loop_is_interrupted_and_the_others_go_on() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    canvas.js("const kept = 5");
    let looping = canvas.append(json!({"text": "for (;;);", "executionContext": "javascript"}));
    let second = canvas.append(json!({"text": "kept", "executionContext": "javascript"}));
    until("it runs", || {
        canvas.cell(&canvas.call("open", json!({})), &looping)["run"].is_string()
    });
    canvas.call("interrupt", json!({"cell": looping}));
    let view = canvas.settled();
    assert_eq!(canvas.cell(&view, &looping)["state"], "stopped");
    assert_eq!(canvas.cell(&view, &second)["state"], "done");
    assert_eq!(last_output(&view)["value"]["text"], "5");
    // By its run as well.
    let looping = canvas.append(json!({"text": "for (;;);", "executionContext": "javascript"}));
    let run = || canvas.cell(&canvas.call("open", json!({})), &looping)["run"].clone();
    until("it runs", || run().is_string());
    page.call("run.cancel", json!({"run": run()}));
    until("it stopped", || {
        canvas.cell(&canvas.settled(), &looping)["state"] == "stopped"
    });
    // A question, and all of it.
    let (state, _) = canvas.js("input('?')");
    assert_eq!(state, "waiting");
    canvas.call("interrupt", json!({}));
    assert!(!canvas.text().contains("WAIT_User"));
}

#[test]
fn python_stays_and_asks() {
    let home = Home::new();
    home.put_tool("echo", ECHO);
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    let python = |text: &str| canvas.run(json!({"text": text, "executionContext": "python"}));
    let (state, output) = python(
        "def twice(x):\n    return [x * 2 for _ in range(2)]\nprint(f\"a{1+1}\", end='')\nprint('b\\nc')",
    );
    assert_eq!(
        (state.as_str(), printed(&output)),
        ("done", vec!["a2b", "c"]),
        "{output:#}"
    );
    assert_eq!(python("twice(4)").1["value"]["text"], "[8, 8]");
    let (state, _) =
        python("name = input('Name?')\nprint('Hello ' + name)\ntool('echo', {'say': name})['said']");
    assert_eq!(state, "waiting");
    assert_eq!(
        python("twice('x')[0]").1["value"]["text"],
        "xx",
        "others run meanwhile"
    );
    canvas.call("answer", json!({"text": "Ada"}));
    let output = last_output(&canvas.settled());
    assert_eq!(
        (printed(&output), &output["value"]["text"]),
        (vec!["Hello Ada"], &json!("Ada"))
    );
    let (state, output) = python("1 / 0");
    assert_eq!(state, "failed");
    let message = output["logs"][0]["message"].as_str().unwrap();
    assert_eq!(message, "ZeroDivisionError: division by zero (line 1)");
    // What is neither goes to the language that was used, and a text of Python to Python.
    assert_eq!(
        canvas.run(json!({"text": "print(name)"})).1["stdout"][0]["text"],
        "Ada"
    );
    // It sees no network and not the data home.
    let code = format!("import os\nos.path.exists({:?})", home.path().join("pm.db"));
    assert_eq!(python(&code).1["value"]["text"], "False");
    let (state, _) = python("import os\nos._exit(3)");
    assert_eq!(state, "failed");
    assert_eq!(
        python("name").1["value"]["text"],
        "Ada",
        "what was known comes back"
    );
}

/// What is done to a canvas, one after the other.
const SCRIPT: [(&str, &str); 9] = [
    (
        "append",
        r#"{"cell": {"type": "EXEC", "text": "let n = 1; const log = []; print('one')", "executionContext": "javascript"}}"#,
    ),
    (
        "append",
        r#"{"cell": {"type": "EXEC", "text": "n += 1; const name = await input('Name?'); log.push(name); print('hello ' + name); n", "executionContext": "javascript", "dependsOn": [{"originator": "User", "seq": 0}]}}"#,
    ),
    (
        "append",
        r#"{"cell": {"type": "EXEC", "text": "n += 10; (await tool('echo', {say: 'x' + n})).said", "executionContext": "javascript"}}"#,
    ),
    ("answer", r#"{"text": "Ada"}"#),
    (
        "append",
        r#"{"cell": {"type": "EXEC", "text": "[n, log]", "executionContext": "javascript"}}"#,
    ),
    (
        "append",
        r#"{"cell": {"type": "EXEC", "text": "ls", "targetCognitor": "Bot", "executionContext": "local_fish_shell"}}"#,
    ),
    (
        "append",
        r#"{"cell": {"type": "OUTPUT", "originator": "Bot", "text": "a.txt"}}"#,
    ),
    (
        "edit",
        r#"{"cell": {"originator": "User", "seq": 0}, "text": "n = 5"}"#,
    ),
    ("run_stale", r#"{"cell": {"originator": "User", "seq": 0}}"#),
];

/// Does it, with a kill right behind each of these, and gives the document.
fn scripted(kills: &[usize]) -> String {
    let home = Home::new();
    home.put_tool("echo", ECHO);
    let mut served = home.serve();
    let mut page = Page::open(&served);
    let id = Canvas::new(&page).id;
    for (at, (call, params)) in SCRIPT.iter().enumerate() {
        let canvas = Canvas {
            page: &page,
            id: id.clone(),
        };
        // Only of what is done does the next know: steps are waited for, kills come before that.
        canvas.call(call, serde_json::from_str(params).unwrap());
        if kills.contains(&at) {
            served.kill();
            served = home.serve();
            page = Page::open(&served);
        }
        let canvas = Canvas {
            page: &page,
            id: id.clone(),
        };
        canvas.settled();
    }
    Canvas { page: &page, id }.text()
}

#[test]
fn killed_behind_any_change_it_becomes_the_same_document() {
    let whole = scripted(&[]);
    assert!(
        whole.contains("hello Ada") && whole.contains("[12,[\"Ada\"]]"),
        "{whole}"
    );
    for (at, (_, params)) in SCRIPT.iter().enumerate() {
        assert_eq!(scripted(&[at]), whole, "killed behind {params}");
    }
    let all: Vec<usize> = (0..SCRIPT.len()).collect();
    assert_eq!(scripted(&all), whole, "killed each time");
}

/// The time counts from when it began to wait, whether anybody served it meanwhile or not.
#[test]
fn who_waits_too_long_fails_and_the_next_one_has_its_turn() {
    let home = Home::new();
    let settings = home.path().join("settings.json");
    let begin = |canvas: &Canvas<'_>| {
        canvas.call("change", json!({"paused": false}));
        let delegated = canvas.append(json!({"text": "look it up", "targetCognitor": "Bot"}));
        let asking = canvas.append(json!({"text": "input('name?')", "executionContext": "javascript"}));
        [delegated, asking]
    };
    let states = |canvas: &Canvas<'_>, names: &[Value; 2]| {
        let view = canvas.call("open", json!({}));
        names
            .clone()
            .map(|name| canvas.cell(&view, &name)["state"].as_str().unwrap().to_owned())
    };
    let (id, names) = {
        let served = home.serve();
        let page = Page::open(&served);
        let canvas = Canvas::new(&page);
        let names = begin(&canvas);
        until("both wait", || {
            states(&canvas, &names) == ["delegated", "waiting"]
        });
        (canvas.id.clone(), names)
    };
    fs::write(&settings, r#"{"cells": {"waitSeconds": 1}}"#).unwrap();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas { page: &page, id };
    until("both are over", || {
        states(&canvas, &names) == ["failed", "failed"]
    });
    let text = canvas.text();
    assert!(!text.contains("WAIT_User") && text.contains("超时"), "{text}");
    // An answer that comes in time ends the waiting, and the clock is the next one's.
    let names = begin(&canvas);
    canvas.call(
        "append",
        json!({"cell": {
            "originator": "Bot", "type": "OUTPUT", "text": "found", "dependsOn": [names[0]],
        }}),
    );
    until("the other is over", || {
        states(&canvas, &names) == ["done", "failed"]
    });
}

#[test]
fn an_edit_upstream_is_seen_and_run_downstream() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    let first = canvas.append(json!({"text": "var a = 1", "executionContext": "javascript"}));
    let second =
        canvas.append(json!({"text": "a * 2", "executionContext": "javascript", "dependsOn": [first]}));
    let third = canvas.append(json!({"text": "'alone'", "executionContext": "javascript"}));
    canvas.settled();
    canvas.call("edit", json!({"cell": first, "text": "var a = 5"}));
    let stale = canvas.call("stale", json!({}))["cells"].clone();
    let names: Vec<String> = stale
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| format!("{}:{}", cell["originator"], cell["seq"]))
        .collect();
    assert!(
        names.contains(&"\"User\":0".to_owned()) && names.contains(&"\"User\":1".to_owned()),
        "{names:?}"
    );
    assert!(!names.contains(&"\"User\":2".to_owned()), "{names:?}");
    canvas.call("run_stale", json!({"cell": first}));
    let view = canvas.settled();
    assert_eq!(last_output(&view)["value"]["text"], "10");
    assert_eq!(
        [&first, &second, &third].map(|name| canvas.cell(&view, name)["state"].clone()),
        ["done", "done", "done"]
    );
    canvas.call("change", json!({"automatic": true}));
    canvas.call("edit", json!({"cell": first, "text": "var a = 7"}));
    assert_eq!(last_output(&canvas.settled())["value"]["text"], "14");
}

#[test]
fn documents_come_and_go_in_three_formats() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    canvas.append(json!({"text": "# Title\n\nWords.", "type": "MARKDOWN"}));
    canvas.js("print('x < y'); getCanvas(7, 5); 'v'");
    for format in ["acp", "markdown", "ipynb"] {
        let text = canvas.call("export", json!({"format": format}))["text"].clone();
        let again = Canvas::from(&page, json!({"text": text, "format": format}));
        let view = again.settled();
        assert_eq!(view["canvas"]["title"], "Title");
        let texts: Vec<Value> = cells(&view).map(|cell| cell["value"]["text"].clone()).collect();
        assert_eq!(
            texts,
            ["# Title\n\nWords.", "print('x < y'); getCanvas(7, 5); 'v'", "v"],
            "{format}"
        );
        let output = last_output(&view);
        assert_eq!(printed(&output), ["x < y"]);
        let picture = output["pictures"][0].as_str().unwrap();
        assert_eq!(
            page.call("artifact.show", json!({"id": picture}))["width"],
            7,
            "{format}"
        );
        assert_eq!(view["questions"], json!([]));
    }
    let (_, code) = page.refused("cells.create", json!({"text": "{}", "format": "ipynb"}));
    assert_eq!(code, "cells_not_a_notebook");
    // The source is replaced from the version that it was made from, or not.
    let text = canvas.text().replace("Words", "Other words");
    let version = canvas.settled()["canvas"]["version"].clone();
    canvas.call("source", json!({"text": text, "version": version}));
    assert!(canvas.text().contains("Other words"));
    assert_eq!(
        canvas.refused("source", json!({"text": text, "version": version})),
        "canvas_changed"
    );
    // Into the trash and back.
    canvas.call("remove", json!({}));
    assert_eq!(canvas.refused("open", json!({})), "canvas_not_found");
    let removed = page.call("cells.list", json!({"removed": true}));
    assert_eq!(removed["canvases"][0]["id"], canvas.id.as_str());
    canvas.call("restore", json!({}));
    assert!(canvas.text().contains("Other words"));
}

#[test]
fn shells_run_in_the_workspace_and_others_ask_first() {
    let home = Home::new();
    let folder = bound(&home);
    fs::write(folder.join("a.txt"), "hello\n").unwrap();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    let shell = json!({"text": "cat a.txt; exit 3", "executionContext": "local_shell"});
    let (state, output) = canvas.run(shell.clone());
    assert_eq!(state, "failed");
    assert!(
        output["logs"][0]["message"]
            .as_str()
            .unwrap()
            .contains("pm workspace bind"),
        "{output:#}"
    );
    canvas.call("change", json!({"taskId": "t1"}));
    let (state, output) = canvas.run(shell);
    assert_eq!(
        (state.as_str(), printed(&output), &output["value"]["text"]),
        ("done", vec!["hello"], &json!("exit 3"))
    );
    let (_, output) = canvas.run(json!({"text": "echo \"it's\"", "executionContext": "local_bash_shell"}));
    assert_eq!(printed(&output), ["it's"]);
    let (state, _) = canvas.run(json!({"text": "sudo ls", "executionContext": "local_shell"}));
    assert_eq!(state, "failed");
    // A program's cell waits for the person, even where the rules would let it run.
    let program = Page::program(&home, &served);
    let cell = json!({"text": "cat a.txt", "executionContext": "local_shell"});
    let name = program.call("cells.append", json!({"canvas": canvas.id, "cell": cell}))["cell"].clone();
    let waiting = || page.call("approval.list", json!({"state": "waiting"}))["approvals"].clone();
    until("it asks", || {
        waiting().as_array().is_some_and(|list| !list.is_empty())
    });
    page.call(
        "approval.resolve",
        json!({"id": waiting()[0]["id"], "answer": "allow_once"}),
    );
    let view = canvas.settled();
    assert_eq!(canvas.cell(&view, &name)["state"], "done");
    assert_eq!(printed(&last_output(&view)), ["hello"]);
}

#[test]
fn models_answer_persons_alone() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let said = vec!["Hello ".to_owned(), "Ada.".to_owned()];
    let stub = runtime
        .block_on(Stub::start(0, vec![Play::Say(said)], None))
        .unwrap();
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let url = stub.base_url(Protocol::Ollama);
    page.call(
        "models.save",
        json!({"name": "stub", "protocol": "ollama", "model": "m", "baseUrl": url}),
    );
    let canvas = Canvas::new(&page);
    let (state, output) = canvas.run(json!({"text": "chat greet Ada"}));
    assert_eq!(
        (state.as_str(), &output["value"]["text"]),
        ("done", &json!("Hello Ada.")),
        "{output:#}"
    );
    let program = Page::program(&home, &served);
    program.call(
        "cells.append",
        json!({"canvas": canvas.id, "cell": {"text": "chat spend money"}}),
    );
    let output = last_output(&canvas.settled());
    assert_eq!(output["value"]["text"], "");
    assert_eq!(output["logs"][0]["type"], "Error");
}

#[test]
fn programs_write_under_their_own_name() {
    let home = Home::new();
    let served = home.serve();
    let page = Page::open(&served);
    let canvas = Canvas::new(&page);
    let own = canvas.append(json!({"text": "var a = 1", "executionContext": "javascript"}));
    let program = Page::program(&home, &served);
    let refused = |call: &str, mut params: Value| {
        params["canvas"] = canvas.id.clone().into();
        program.refused(&format!("cells.{call}"), params).1
    };
    for name in ["User", "Arena", "Somebody"] {
        assert_eq!(
            refused("append", json!({"cell": {"text": "x", "originator": name}})),
            "cell_originator"
        );
    }
    assert_eq!(
        canvas.refused("append", json!({"cell": {"text": "x", "originator": "Arena"}})),
        "cell_originator"
    );
    assert_eq!(
        refused("edit", json!({"cell": own, "text": "evil"})),
        "cell_originator"
    );
    for call in ["source", "remove", "restore", "change"] {
        assert_eq!(refused(call, json!({"text": ""})), "access_denied", "{call}");
    }
    canvas.js("input('?')");
    program.call("cells.answer", json!({"canvas": canvas.id, "text": "by me"}));
    let view = canvas.settled();
    let input = cells(&view).find(|cell| cell["type"] == "INPUT").unwrap();
    assert_eq!(input["originator"], "User");
    assert!(input["requester"].is_string(), "{input:#}");
    assert_eq!(
        canvas.refused("run", json!({"cell": {"originator": "User", "seq": 99}})),
        "cell_not_found"
    );
    assert_eq!(
        canvas.refused("run", json!({"cell": {"originator": "Arena", "seq": 0}})),
        "cell_not_executable"
    );
}

#[test]
fn pm_arena_checks_formats_runs_and_converts() {
    let home = Home::new();
    let folder = home.outside("docs");
    let file = folder.join("a.acp.xml");
    let path = file.to_str().unwrap();
    fs::write(&file, "<Canvas><Cell originator=\"User\" type=\"EXEC\" execution_context=\"javascript\"><value>const n = await input('N?'); print(n < 3); Number(n) + 1</value></Cell></Canvas>").unwrap();
    let checked = home.pm(&["arena", "check", path]);
    assert!(checked.status.success());
    assert!(stdout(&checked).contains("missing_seq"), "{}", stdout(&checked));
    let formatted = stdout(&home.pm(&["arena", "fmt", path]));
    assert!(
        formatted.contains("seq=\"0\"") && formatted.contains("CDATA"),
        "{formatted}"
    );
    let before = fs::read_to_string(&file).unwrap();
    let waits = home.pm(&["arena", "run", path, "--json"]);
    assert_eq!(waits.status.code(), Some(1));
    assert!(
        stdout(&waits).contains("WAIT_User") && stdout(&waits).contains("cell_waits"),
        "{}",
        stdout(&waits)
    );
    let ran = home.pm(&["arena", "run", path, "--answer", "2"]);
    assert!(ran.status.success(), "{ran:?}");
    assert!(
        stdout(&ran).contains(">true</stdout>") && stdout(&ran).contains(">3</value>"),
        "{}",
        stdout(&ran)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "the file stays");
    assert!(home.pm(&["arena", "fmt", path, "--write"]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), formatted);
    let markdown = stdout(&home.pm(&["arena", "export", path, "--to", "markdown"]));
    assert!(
        markdown.starts_with("```javascript {acp cell=\"User:0\""),
        "{markdown}"
    );
    let bad = folder.join("bad.xml");
    fs::write(&bad, "<Canvas><Cell originator=\"a\" seq=\"0\" type=\"EXEC\"><depends_on><cell originator=\"b\" seq=\"9\"/></depends_on><value>1</value></Cell></Canvas>").unwrap();
    let checked = home.pm(&["arena", "check", bad.to_str().unwrap(), "--json"]);
    assert_eq!(checked.status.code(), Some(1));
    let codes: Vec<Value> = said(&checked)["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["code"].clone())
        .collect();
    assert!(codes.contains(&json!("dangling_dependency")), "{codes:?}");
    let imported = stdout(&home.pm(&["arena", "import", path]));
    assert!(stdout(&home.pm(&["arena", "list"])).contains(imported.trim()));
}

#[test]
fn models_work_on_canvases_by_mcp() {
    let home = Home::new();
    let served: Served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let call = |tool: &str, arguments: Value| {
        let (failed, answer) = mcp.call(tool, arguments);
        assert!(!failed, "{tool}: {answer}");
        answer
    };
    let made = call("arena_create", json!({"title": "Sums"}));
    let canvas = made["canvas"].clone();
    let ran = call(
        "arena_append",
        json!({"canvas": canvas, "text": "const n = Number(await input('N?')); n * 2", "executionContext": "javascript"}),
    );
    assert_eq!(ran["questions"][0]["hint"], "N?");
    let answered = call("arena_answer", json!({"canvas": canvas, "text": "21"}));
    assert!(
        answered["text"].as_str().unwrap().contains(">42</value>"),
        "{answered}"
    );
    let opened = call("arena_open", json!({"canvas": canvas}));
    let text = opened["text"].as_str().unwrap();
    assert!(
        text.starts_with("<Canvas>") && !text.contains("originator=\"User\" seq=\"0\" type=\"EXEC\""),
        "{text}"
    );
    let name = ran["questions"][0]["cell"]["originator"]
        .as_str()
        .unwrap()
        .to_owned();
    let again = call(
        "arena_run",
        json!({"canvas": canvas, "cell": format!("{name}:0")}),
    );
    assert_eq!(again["questions"].as_array().unwrap().len(), 1);
    assert_eq!(call("arena_open", json!({}))["canvases"][0]["title"], "Sums");
    let (failed, answer) = mcp.call("arena_run", json!({"canvas": canvas, "cell": "nobody"}));
    assert!(failed && answer["error"] == "cell_not_found", "{answer}");
    drop(served);
}
