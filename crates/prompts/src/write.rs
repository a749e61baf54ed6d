//! What a person edited into a file's text. Fields that this program does not know stay; comments
//! do not (the version before is kept, [`crate::history`]).

use crate::model::{Argument, Content, Message};
use crate::path::PromptPath;
use crate::read;
use serde_json::{Map, Value, json};

/// The text of `content`, for a file that held `before`.
pub(crate) fn text(path: &PromptPath, content: &Content, before: Option<&str>) -> String {
    let old = before.and_then(|text| read::value(text).ok()).unwrap_or_default();
    let map = merged(content, old);
    let json = || format!("{:#}\n", Value::Object(map.clone()));
    if path.is_json() {
        return json();
    }
    // JSON is YAML too: what a YAML writer would not give back the same is written as JSON.
    match yaml(&map) {
        Some(text) if read::content(path, &text).as_ref() == Ok(content) => text,
        _ => json(),
    }
}

fn yaml(map: &Map<String, Value>) -> Option<String> {
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: true,
    };
    serde_saphyr::to_string_with_options(map, options).ok()
}

fn merged(content: &Content, mut map: Map<String, Value>) -> Map<String, Value> {
    map.insert("name".to_owned(), json!(content.name));
    map.insert("description".to_owned(), json!(content.description));
    if map.contains_key("enabled") || !content.enabled {
        map.insert("enabled".to_owned(), json!(content.enabled));
    }
    let old = entries(&map, "arguments");
    let arguments: Vec<Value> = content
        .arguments
        .iter()
        .map(|argument| {
            let before = old
                .iter()
                .find(|entry| entry.get("name").and_then(Value::as_str) == Some(argument.name.as_str()));
            argument_value(argument, before)
        })
        .collect();
    match arguments.is_empty() && !map.contains_key("arguments") {
        true => {}
        false => {
            map.insert("arguments".to_owned(), Value::Array(arguments));
        }
    }
    let old = entries(&map, "messages");
    let messages = content
        .messages
        .iter()
        .enumerate()
        .map(|(index, message)| message_value(message, old.get(index)))
        .collect();
    map.insert("messages".to_owned(), Value::Array(messages));
    map
}

fn entries(map: &Map<String, Value>, field: &str) -> Vec<Map<String, Value>> {
    let list = map.get(field).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .map(|entry| entry.as_object().cloned().unwrap_or_default())
        .collect()
}

fn argument_value(argument: &Argument, before: Option<&Map<String, Value>>) -> Value {
    let mut map = before.cloned().unwrap_or_default();
    map.insert("name".to_owned(), json!(argument.name));
    for (field, value) in [
        (
            "description",
            (!argument.description.is_empty()).then(|| json!(argument.description)),
        ),
        ("type", Some(json!(argument.kind.name()))),
        ("required", argument.required.then(|| json!(true))),
        ("default", argument.default.clone()),
    ] {
        match value {
            Some(value) => map.insert(field.to_owned(), value),
            None => map.shift_remove(field),
        };
    }
    Value::Object(map)
}

fn message_value(message: &Message, before: Option<&Map<String, Value>>) -> Value {
    let mut map = before.cloned().unwrap_or_default();
    let mut inner = match map.get("content") {
        Some(Value::Object(inner)) => inner.clone(),
        _ => Map::new(),
    };
    inner.insert("text".to_owned(), json!(message.text));
    map.insert("role".to_owned(), json!(message.role.name()));
    map.insert("content".to_owned(), Value::Object(inner));
    Value::Object(map)
}

/// The switch of a group, other fields kept.
pub(crate) fn group_text(enabled: bool, before: Option<&str>) -> String {
    let mut map = before.and_then(|text| read::value(text).ok()).unwrap_or_default();
    map.insert("enabled".to_owned(), json!(enabled));
    format!("{:#}\n", Value::Object(map))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::model::{ArgumentKind, Role};
    use proptest::prelude::*;

    fn any_text() -> impl Strategy<Value = String> {
        // What YAML writers get wrong: line ends, indents, quotes, signs, words with a meaning.
        prop_oneof![
            "\\PC{0,40}",
            "[ \t\n'\"#:{}\\[\\]|>&*!%@`,?-]{0,30}",
            "([ ]{0,3}[a-z]{0,5}(\n|\r\n|\t)){0,6}",
            Just("true".to_owned()),
            Just("0x1F".to_owned()),
            Just("~".to_owned()),
            Just("{{变量}} – 你好\n\n  缩进\n".to_owned()),
            Just("\u{feff}\u{2028}x\u{85}".to_owned()),
        ]
    }

    fn any_argument(name: String) -> impl Strategy<Value = Argument> {
        (any_text(), any::<bool>(), proptest::option::of(any_text())).prop_map(
            move |(description, required, default)| Argument {
                name: name.clone(),
                description,
                kind: ArgumentKind::String,
                required,
                default: default.map(Value::String),
            },
        )
    }

    pub(crate) fn any_content() -> impl Strategy<Value = Content> {
        let arguments = proptest::collection::btree_set("[a-z_变量][a-z0-9_-]{0,8}", 0..4)
            .prop_flat_map(|names| names.into_iter().map(any_argument).collect::<Vec<_>>());
        let message = (0..3_usize, any_text()).prop_map(|(role, text)| Message {
            role: Role::ALL[role],
            text,
        });
        (
            "[a-zA-Z提示][a-zA-Z0-9词 ]{0,12}[a-z]",
            any_text(),
            arguments,
            proptest::collection::vec(message, 1..4),
            any::<bool>(),
        )
            .prop_map(|(name, description, arguments, messages, enabled)| Content {
                name,
                description,
                arguments,
                messages,
                enabled,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn what_is_written_reads_back_the_same(content in any_content(), json in any::<bool>()) {
            let path = PromptPath::parse(if json { "a.json" } else { "a.yaml" }).unwrap();
            let written = text(&path, &content, None);
            prop_assert_eq!(read::content(&path, &written).unwrap(), content.clone(), "{}", written);
            let again = text(&path, &content, Some(&written));
            prop_assert_eq!(read::content(&path, &again).unwrap(), content);
        }
    }

    #[test]
    fn unknown_fields_stay_and_text_is_written_for_people() {
        let path = PromptPath::parse("a.yaml").unwrap();
        let before = "author: me\nname: a\nmessages:\n  - role: user\n    note: keep\n    content:\n      text: old\n\
                      arguments:\n  - name: x\n    type: string\n    enum: [a, b]\n";
        let mut content = read::content(&path, before).unwrap();
        content.messages[0].text = "first line\nsecond {{x}}\n".to_owned();
        let after = text(&path, &content, Some(before));
        let value = read::value(&after).unwrap();
        assert_eq!(value["author"], "me");
        assert_eq!(value["messages"][0]["note"], "keep");
        assert_eq!(value["arguments"][0]["enum"], json!(["a", "b"]));
        assert!(after.contains("text: |"), "{after}");
        assert!(!after.contains("enabled"), "{after}");
    }
}
