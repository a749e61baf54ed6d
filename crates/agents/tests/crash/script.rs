//! One root, three leads, two hands of each: every hand writes a file, and adds a line to it.

use super::common::{brief, calls, heard, news, say};
use agents::society::{ROOT, Reply, Who};
use base::Failure;
use llm::Chat;
use serde_json::json;

pub fn script(who: &Who, chat: &Chat) -> Result<Reply, Failure> {
    let spawn =
        |role: &str, objective: String| ("spawn_agent", json!({"role": role, "brief": brief(&objective)}));
    let shares = |role: &str, objectives: Vec<String>| {
        let mut all = vec![("create_role", json!({"name": role, "prompt": "p"}))];
        all.extend(objectives.into_iter().map(|objective| spawn(role, objective)));
        calls(&all)
    };
    let task = chat.messages()[1].text();
    let all = news(chat);
    let is_first = chat.messages().len() == 2;
    if who.agent == ROOT {
        return match (is_first, heard(chat, "Answer of")) {
            (true, _) => shares("lead", (0..3).map(|nth| format!("part {nth}")).collect()),
            (_, 3) => say("Delivered."),
            _ => say(""),
        };
    }
    if let Some(part) = task.split("part ").nth(1) {
        let part = &part[..1];
        return match (is_first, heard(chat, "Answer of")) {
            (true, _) => shares("hand", (0..2).map(|nth| format!("file {part}{nth}")).collect()),
            (_, 2) => say(&format!("Part {part} is there.")),
            _ => say(""),
        };
    }
    let file = task.split("file ").nth(1).unwrap()[..2].to_owned();
    let add = || calls(&[("append", json!({"path": file, "text": "second\n"}))]);
    let answered = chat.messages().len() - 2;
    match all.last().unwrap() {
        _ if is_first => calls(&[("write", json!({"path": file, "text": "first\n"}))]),
        // The file is there, and nothing was added yet.
        &"ok" if answered == 2 => add(),
        &"ok" => say(&format!("File {file} is there.")),
        told if told.contains("interrupted") => calls(&[("read", json!({"path": file}))]),
        &"first\nsecond\n" => say(&format!("File {file} is there.")),
        &"first\n" => add(),
        other => panic!("{other}"),
    }
}
