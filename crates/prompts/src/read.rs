//! A file's text into what it says. Lenient where only one thing can be meant: the name of the
//! file where none is given, `content` as plain text. What is left out on purpose: pictures and
//! resources in messages; such a prompt is refused, not shortened.

use crate::PromptError;
use crate::model::{Argument, ArgumentKind, Content, Message, Role};
use crate::path::PromptPath;
use serde_json::{Map, Value};

/// A longer prompt fits into no model's window.
pub const MAX_BYTES: u64 = 1024 * 1024;

/// Why a text is no prompt; the path is added by the caller.
#[derive(Debug, PartialEq)]
pub(crate) struct Unreadable {
    pub line: u64,
    pub column: u64,
    pub reason: String,
}

impl Unreadable {
    pub(crate) fn at(self, path: &str) -> PromptError {
        PromptError::Invalid {
            path: path.to_owned(),
            line: self.line,
            column: self.column,
            reason: self.reason,
        }
    }
}

fn wrong<T>(reason: impl Into<String>) -> Result<T, Unreadable> {
    Err(Unreadable {
        line: 0,
        column: 0,
        reason: reason.into(),
    })
}

pub(crate) fn value(text: &str) -> Result<Map<String, Value>, Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match base::yaml::parse(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => wrong(format!("it is {}, not a mapping", kind_of(&other))),
        Err(error) => Err(Unreadable {
            line: error.line,
            column: error.column,
            reason: error.reason,
        }),
    }
}

pub(crate) fn content(path: &PromptPath, text: &str) -> Result<Content, Unreadable> {
    of(&value(text)?, path.stem())
}

pub(crate) fn of(map: &Map<String, Value>, stem: &str) -> Result<Content, Unreadable> {
    let messages = match map.get("messages") {
        Some(Value::Array(list)) if !list.is_empty() => list
            .iter()
            .enumerate()
            .map(|(index, entry)| message(index, entry))
            .collect::<Result<_, _>>()?,
        None | Some(Value::Null | Value::Array(_)) => return wrong("it has no messages"),
        Some(other) => return wrong(format!("messages is {}, not a list", kind_of(other))),
    };
    let arguments = match map.get("arguments") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(index, entry)| argument(index, entry))
            .collect::<Result<Vec<_>, _>>()?,
        Some(other) => return wrong(format!("arguments is {}, not a list", kind_of(other))),
    };
    for (index, argument) in arguments.iter().enumerate() {
        if arguments[..index]
            .iter()
            .any(|before| before.name == argument.name)
        {
            return wrong(format!("the argument {} is there twice", argument.name));
        }
    }
    Ok(Content {
        name: match words(map, "name")?.trim() {
            "" => stem.to_owned(),
            name => name.to_owned(),
        },
        description: words(map, "description")?,
        arguments,
        messages,
        enabled: switch(map, "enabled")?.unwrap_or(true),
    })
}

fn message(index: usize, entry: &Value) -> Result<Message, Unreadable> {
    let number = index + 1;
    let role = match entry.get("role").and_then(Value::as_str) {
        None => Role::User,
        Some(name) => match Role::ALL.into_iter().find(|role| role.name() == name) {
            Some(role) => role,
            None => return wrong(format!("message {number}: the role {name:?} is not known")),
        },
    };
    let content = entry.get("content").unwrap_or(&Value::Null);
    let kind = content.get("type").and_then(Value::as_str).unwrap_or("text");
    let text = match content {
        Value::String(text) => text,
        Value::Object(map) if kind == "text" => match map.get("text") {
            Some(Value::String(text)) => text,
            _ => return wrong(format!("message {number}: content.text is missing")),
        },
        Value::Object(_) => return wrong(format!("message {number}: {kind:?} content is not supported")),
        Value::Null => return wrong(format!("message {number}: content is missing")),
        other => {
            return wrong(format!(
                "message {number}: content is {}, not text",
                kind_of(other)
            ));
        }
    };
    Ok(Message {
        role,
        text: text.clone(),
    })
}

fn argument(index: usize, entry: &Value) -> Result<Argument, Unreadable> {
    let number = index + 1;
    let empty = Map::new();
    let (name, map) = match entry {
        // A bare name.
        Value::String(name) => (name.as_str(), &empty),
        Value::Object(map) => (map.get("name").and_then(Value::as_str).unwrap_or(""), map),
        other => return wrong(format!("argument {number} is {}", kind_of(other))),
    };
    if !crate::fill::is_name(name) {
        return wrong(format!(
            "argument {number}: {name:?} is not a name for a variable"
        ));
    }
    let kind = match map.get("type") {
        None | Some(Value::Null) => ArgumentKind::String,
        Some(found) => match ArgumentKind::ALL
            .into_iter()
            .find(|kind| found.as_str() == Some(kind.name()))
        {
            Some(kind) => kind,
            None => return wrong(format!("the argument {name}: the type {found} is not known")),
        },
    };
    let default = match map.get("default") {
        None | Some(Value::Null) => None,
        Some(value) => match crate::fill::shaped(kind, value) {
            Some(value) => Some(value),
            None => {
                return wrong(format!("the argument {name}: its default is not {}", kind.name()));
            }
        },
    };
    Ok(Argument {
        name: name.to_owned(),
        description: words(map, "description")?,
        kind,
        required: switch(map, "required")?.unwrap_or(false),
        default,
    })
}

/// Numbers and switches are what an unquoted word of a person becomes in YAML.
fn words(map: &Map<String, Value>, field: &str) -> Result<String, Unreadable> {
    match map.get(field) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(plain @ (Value::Number(_) | Value::Bool(_))) => Ok(plain.to_string()),
        Some(other) => wrong(format!("{field} is {}, not text", kind_of(other))),
    }
}

pub(crate) fn switch(map: &Map<String, Value>, field: &str) -> Result<Option<bool>, Unreadable> {
    match map.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(on)) => Ok(Some(*on)),
        Some(other) => wrong(format!("{field} is {}, not true or false", kind_of(other))),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Content, Unreadable> {
        content(&PromptPath::parse("group/my-prompt.yaml").unwrap(), text)
    }

    #[test]
    fn a_whole_prompt_is_understood() {
        let prompt = read(
            "name: 代码审查\ndescription: Reviews code\narguments:\n  - name: language\n    type: string\n    \
             required: true\n  - {name: lines, type: integer, default: 3}\nmessages:\n  - role: system\n    \
             content: {text: Be kind}\n  - role: user\n    content:\n      text: |\n        Review this \
             {{language}}\n        code\n",
        )
        .unwrap();
        assert_eq!(prompt.name, "代码审查");
        assert_eq!(
            prompt.arguments[1],
            Argument {
                name: "lines".to_owned(),
                description: String::new(),
                kind: ArgumentKind::Integer,
                required: false,
                default: Some(3.into()),
            }
        );
        assert_eq!(prompt.messages[1].text, "Review this {{language}}\ncode\n");
        assert!(prompt.enabled, "absent means on");
    }

    #[test]
    fn what_can_mean_only_one_thing_is_taken() {
        let prompt = read("messages: [{content: hello}]\nenabled: false\narguments: [topic]").unwrap();
        assert_eq!(prompt.name, "my-prompt");
        assert_eq!((prompt.messages[0].role, prompt.enabled), (Role::User, false));
        assert_eq!(prompt.arguments[0].name, "topic");
    }

    #[test]
    fn what_cannot_be_understood_says_why_and_where() {
        for (text, reason) in [
            ("name: x", "it has no messages"),
            ("messages: []", "it has no messages"),
            ("- a", "it is a list, not a mapping"),
            (
                "messages: [{role: robot, content: x}]",
                "message 1: the role \"robot\" is not known",
            ),
            (
                "messages: [{content: {type: image, data: x}}]",
                "message 1: \"image\" content is not supported",
            ),
            (
                "messages: [{content: x}]\nenabled: maybe",
                "enabled is text, not true or false",
            ),
            (
                "messages: [{content: x}]\narguments: [{name: a, type: date}]",
                "the argument a: the type \"date\" is not known",
            ),
            (
                "messages: [{content: x}]\narguments: [a, a]",
                "the argument a is there twice",
            ),
            (
                "messages: [{content: x}]\narguments: [{name: a, type: integer, default: many}]",
                "the argument a: its default is not integer",
            ),
            (
                "messages: [{content: x}]\narguments: [a b]",
                "argument 1: \"a b\" is not a name for a variable",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().reason, reason, "{text}");
        }
        let error = read("name: a\nmessages: [\n").unwrap_err();
        assert!(error.line >= 2, "{error:?}");
    }
}
