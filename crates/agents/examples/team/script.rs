//! Models of a team that writes a calculator in the shell: they answer by what they were told, as models do, and know
//! nothing of each other. For the protocol of OpenAI, and in both languages of the society.

use llm::ToolCall;
use llm::stub::Play;
use serde_json::{Value, json};

const ADDING: &str = "# The sum of two numbers.\nadd() { echo $(($1 + $2)); }\n";
const MULTIPLYING: &str = "# The product of two numbers.\nmultiply() { echo $(($1 * $2)); }\n";
const CALCULATOR: &str = "#!/bin/sh\n. ./adding.sh\n. ./multiplying.sh\ncase $2 in\n  +) add \"$1\" \"$3\" ;;\n  x) multiply \"$1\" \"$3\" ;;\n  *) echo \"what is $2?\" >&2; exit 2 ;;\nesac\n";
const TEST: &str = "set -e\n[ \"$(sh calculator.sh 2 + 40)\" = 42 ]\n[ \"$(sh calculator.sh 6 x 7)\" = 42 ]\nif sh calculator.sh 1 / 1 2>/dev/null; then exit 1; fi\necho all tests pass\n";

fn say(text: &str) -> Play {
    Play::Say(vec![text.to_owned()])
}

fn call(calls: &[(&str, Value)]) -> Play {
    let calls = calls.iter().enumerate().map(|(nth, (name, arguments))| ToolCall {
        id: format!("call-{nth}"),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
        mark: None,
    });
    Play::Call(Vec::new(), calls.collect())
}

fn brief(objective: &str, inputs: &str) -> Value {
    json!({"objective": objective, "constraints": "POSIX shell", "inputs": inputs, "outputs": "files in the workspace",
        "completion_criteria": "the tests pass"})
}

/// A conversation as the protocol of OpenAI has it.
struct Told<'b> {
    system: &'b str,
    messages: &'b [Value],
}

impl<'b> Told<'b> {
    fn of(body: &'b Value) -> Self {
        let messages = body["messages"].as_array().unwrap();
        Told {
            system: messages[0]["content"].as_str().unwrap(),
            messages: &messages[1..],
        }
    }

    /// What it was told since its last answer, as texts.
    fn news(&self) -> Vec<&'b str> {
        let last = self
            .messages
            .iter()
            .rposition(|message| message["role"] == "assistant");
        let news = &self.messages[last.map_or(0, |last| last + 1)..];
        news.iter()
            .filter_map(|message| message["content"].as_str())
            .collect()
    }

    /// Whether it called this tool before.
    fn called(&self, tool: &str) -> bool {
        let calls = self
            .messages
            .iter()
            .filter_map(|message| message["tool_calls"].as_array());
        calls.flatten().any(|call| call["function"]["name"] == tool)
    }

    fn heard(&self, kind: [&str; 2]) -> usize {
        let texts = self.messages.iter().filter(|message| message["role"] == "user");
        texts
            .filter(|message| begins(message["content"].as_str().unwrap(), kind))
            .count()
    }
}

fn is(system: &str, role: &str) -> bool {
    ["Your role: ", "你的岗位："]
        .iter()
        .any(|words| system.contains(&format!("{words}{role}")))
}

/// How letters begin: what kind of letter it is, in both languages.
const TASK: [&str; 2] = ["Task from", "任务来自"];
const MESSAGE: [&str; 2] = ["Message from user", "消息来自 user"];
const ANSWER: [&str; 2] = ["Answer of", "回答来自"];

fn begins(text: &str, kind: [&str; 2]) -> bool {
    kind.iter().any(|words| text.starts_with(words))
}

pub fn play(body: &Value) -> Play {
    let told = Told::of(body);
    match told.system {
        system if is(system, "architect") => architect(&told),
        system if is(system, "programmer") => programmer(&told),
        _ => root(&told),
    }
}

fn root(told: &Told) -> Play {
    let news = told.news();
    if begins(news[0], TASK) {
        return call(&[
            ("create_role", json!({"name": "architect"})),
            (
                "spawn_agent",
                json!({"role": "architect", "brief": brief("a calculator", "none")}),
            ),
        ]);
    }
    if told.heard(ANSWER) == 0 {
        return say("The architect is at work.");
    }
    match told.called("list_files") {
        false => call(&[
            ("list_files", json!({})),
            ("read_file", json!({"path": "docs/SYSTEM.md"})),
        ]),
        true => {
            assert!(news.iter().any(|told| told.contains("calculator.sh")), "{news:?}");
            say("Delivered: calculator.sh, tested, described in docs/SYSTEM.md.")
        }
    }
}

fn architect(told: &Told) -> Play {
    let module = |name: &str, what: &str| {
        let spec = json!({"name": name, "responsibility": what, "interfaces": format!("{name} A B"), "io": "two numbers in, one out",
            "dependencies": []});
        (
            "put_artifact",
            json!({"type": "Module_Spec", "name": name, "content": spec.to_string()}),
        )
    };
    let hire = |nth: u32, file: &str| {
        (
            "spawn_agent",
            json!({"role": "programmer", "brief": brief(&format!("write {file}.sh"), &format!("artifact:{nth}"))}),
        )
    };
    let news = told.news();
    if begins(news[0], TASK) {
        return call(&[
            module("add", "the sum"),
            module("multiply", "the product"),
            (
                "put_artifact",
                json!({"type": "Integration_Plan", "content": "adding.sh and multiplying.sh, read by calculator.sh; test.sh"}),
            ),
            // Before anybody has said yes.
            ("create_role", json!({"name": "programmer"})),
            hire(1, "adding"),
            (
                "send_message",
                json!({"to": "user", "text": "Two modules and a program that reads them. May I?",
                "artifacts": ["artifact:1", "artifact:2", "artifact:3"]}),
            ),
        ]);
    }
    if news.iter().any(|told| begins(told, MESSAGE)) {
        return call(&[hire(1, "adding"), hire(2, "multiplying")]);
    }
    let answers = told.heard(ANSWER);
    if answers < 2 {
        if told.messages.len() > 2 && news.iter().any(|told| told.contains("plan_not_confirmed")) {
            return call(&[("wait", json!({}))]);
        }
        return say("");
    }
    match (
        told.called("write_file"),
        told.called("run_command"),
        told.called("terminate_agent"),
    ) {
        (false, ..) => call(&[
            (
                "write_file",
                json!({"path": "calculator.sh", "content": CALCULATOR}),
            ),
            ("write_file", json!({"path": "test.sh", "content": TEST})),
            (
                "write_file",
                json!({"path": "docs/SYSTEM.md",
                "content": "# Calculator\n\nRun `sh calculator.sh 2 + 40`, test with `sh test.sh`.\n"}),
            ),
            ("check_lines", json!({})),
        ]),
        (true, false, _) => {
            assert!(
                news.iter()
                    .any(|told| told.contains("\"ok\":true") && told.contains("\"files\":5")),
                "{news:?}"
            );
            call(&[("run_command", json!({"command": "sh test.sh"}))])
        }
        (true, true, false) => {
            assert!(
                news.iter().any(|told| told.contains("all tests pass")),
                "{news:?}"
            );
            call(&[
                (
                    "put_artifact",
                    json!({"type": "Progress", "content": "2 of 2 modules"}),
                ),
                ("terminate_agent", json!({"agentId": "3"})),
                ("terminate_agent", json!({"agentId": "4"})),
            ])
        }
        (true, true, true) => say("adding.sh, multiplying.sh, calculator.sh, test.sh: all tests pass."),
    }
}

fn programmer(told: &Told) -> Play {
    let (name, file, text) = match told.messages[0]["content"].as_str().unwrap().contains("adding") {
        true => ("artifact:1", "adding.sh", ADDING),
        false => ("artifact:2", "multiplying.sh", MULTIPLYING),
    };
    let news = told.news();
    match (
        told.called("get_artifact"),
        told.called("write_file"),
        told.called("run_command"),
    ) {
        (false, ..) => call(&[("get_artifact", json!({"artifact": name}))]),
        (true, false, _) => {
            assert!(news[0].contains("Module_Spec"), "{news:?}");
            call(&[("write_file", json!({"path": file, "content": text}))])
        }
        (true, true, false) => call(&[(
            "run_command",
            json!({"command": format!("sh -n {file} && echo fine")}),
        )]),
        (true, true, true) => {
            assert!(news[0].contains("fine"), "{news:?}");
            say(&format!("{file} is written; it parses."))
        }
    }
}
