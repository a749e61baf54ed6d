//! Words of failures in the user's language: `resources/words/*.json`, one file a room.

use base::{Failure, Lang};
use rust_embed::RustEmbed;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::LazyLock;
use wire::WireError;

#[derive(RustEmbed)]
#[folder = "../../resources/words"]
struct Files;

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "zh-CN")]
    zh_cn: Words,
    en: Words,
}

#[derive(Deserialize)]
struct Words {
    message: String,
    #[serde(default)]
    hint: String,
}

/// The code of the words that are added to a message when what the tool kept in memory is lost.
const STATE_LOST: &str = "state_lost";

/// All words, by code.
pub struct Catalog {
    entries: HashMap<String, Entry>,
}

static CATALOG: LazyLock<Catalog> = LazyLock::new(Catalog::load);

impl Catalog {
    fn load() -> Self {
        let mut entries = HashMap::new();
        for name in Files::iter() {
            let Some(file) = Files::get(&name) else { continue };
            match serde_json::from_slice::<HashMap<String, Entry>>(&file.data) {
                Ok(found) => entries.extend(found),
                // `cargo xtask tidy` and the test below keep this from being released.
                Err(error) => tracing::error!(file = %name, %error, "words cannot be read"),
            }
        }
        Catalog { entries }
    }
}

/// The failure as people outside see it.
pub fn worded(failure: &Failure, lang: Lang) -> WireError {
    let (message, hint) = match CATALOG.entries.get(&failure.code) {
        Some(entry) => {
            let words = match lang {
                Lang::ZhCn => &entry.zh_cn,
                Lang::En => &entry.en,
            };
            (
                filled(&words.message, failure) + lost(failure, lang),
                Some(filled(&words.hint, failure)).filter(|hint| !hint.is_empty()),
            )
        }
        None if failure.detail.is_empty() => (failure.code.clone(), None),
        None => (failure.detail.clone(), None),
    };
    WireError {
        code: failure.code.clone(),
        message,
        hint,
        args: failure.args.clone(),
    }
}

/// Said of every failure that took the tool's memory with it.
fn lost(failure: &Failure, lang: Lang) -> &'static str {
    if failure.arg(STATE_LOST) != Some(&Value::Bool(true)) {
        return "";
    }
    let entry = CATALOG.entries.get(STATE_LOST);
    entry.map_or("", |entry| match lang {
        Lang::ZhCn => &entry.zh_cn.message,
        Lang::En => &entry.en.message,
    })
}

/// A failure as models and programs get it beside their results: `{error, …arguments, message}`.
pub fn flat(error: &WireError) -> Value {
    let mut fields = error.args.clone();
    fields.insert("error".to_owned(), error.code.clone().into());
    fields.insert("message".to_owned(), error.message.clone().into());
    if let Some(hint) = &error.hint {
        fields.insert("hint".to_owned(), hint.clone().into());
    }
    Value::Object(fields)
}

/// `{name}` is the argument of that name; one that is absent leaves nothing behind.
fn filled(template: &str, failure: &Failure) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let name = rest[open + 1..]
            .bytes()
            .take_while(|byte| byte.is_ascii_lowercase() || *byte == b'_')
            .count();
        let length = name + 1;
        // A brace that names no argument is a brace.
        if name == 0 || rest.as_bytes().get(open + length) != Some(&b'}') {
            text.push('{');
            rest = &rest[open + 1..];
            continue;
        }
        match failure.arg(&rest[open + 1..open + length]) {
            Some(Value::String(value)) => text.push_str(value),
            Some(Value::Null) | None => {}
            Some(other) => text.push_str(&other.to_string()),
        }
        rest = &rest[open + length + 1..];
    }
    text.push_str(rest);
    text
}

/// The words as the toolbox asks for them.
pub struct Spoken;

impl toolbox::modes::Words for Spoken {
    fn words(&self, failure: &Failure, lang: Lang) -> (String, Option<String>) {
        let error = worded(failure, lang);
        (error.message, error.hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_fills_its_arguments() {
        for name in Files::iter() {
            let file = Files::get(&name).unwrap();
            let read: Result<HashMap<String, Entry>, _> = serde_json::from_slice(&file.data);
            assert!(read.is_ok(), "{name}: {:?}", read.err());
        }
        let failure = Failure::new("unknown_tool")
            .with("tool", "x")
            .with("available", "a, b");
        assert!(worded(&failure, Lang::En).message.contains('x'));
        assert!(!worded(&failure, Lang::ZhCn).message.contains('{'));
    }

    #[test]
    fn whoever_is_asked_is_not_told_of_a_refusal() {
        let policy = workspace::policy::Policy::built_in().unwrap();
        for command in [
            "mkdir -m 777 x",
            "curl x | sh",
            "$CMD x",
            "echo 'open",
            "rm -rf *",
            "mount /dev/sda x",
            "echo x >> ~/.bashrc",
        ] {
            let verdict = policy.judge(command);
            assert_eq!(verdict.decision, workspace::policy::Decision::Ask, "{command}");
            let reason = verdict.reason().unwrap();
            let (zh, en) = (worded(&reason, Lang::ZhCn), worded(&reason, Lang::En));
            assert!(zh.message.starts_with("此命令需要你的同意"), "{}", zh.message);
            assert!(
                en.message.starts_with("This command wants your consent"),
                "{}",
                en.message
            );
        }
        let blocked = policy.judge("chmod 777 x").reason().unwrap();
        assert!(
            worded(&blocked, Lang::ZhCn)
                .message
                .starts_with("危险命令被禁止: ")
        );
    }

    #[test]
    fn lost_state_is_said_where_it_is_lost() {
        let kept = worded(&Failure::new("timeout"), Lang::En).message;
        let lost = worded(&Failure::new("timeout").with("state_lost", true), Lang::En).message;
        assert!(lost.starts_with(&kept) && lost.len() > kept.len(), "{lost}");
    }

    #[test]
    fn arguments_that_are_absent_leave_nothing() {
        let failure = Failure::new("c").with("n", 5).with("nothing", Value::Null);
        assert_eq!(filled("a {n} b {missing}{nothing}c {", &failure), "a 5 b c {");
        assert_eq!(
            filled("{ type: 'object' } {{n}}", &failure),
            "{ type: 'object' } {5}"
        );
    }
}
