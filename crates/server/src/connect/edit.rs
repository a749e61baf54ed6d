//! One entry in a file of somebody else's: read, written and taken out, with everything around it, its
//! comments and its order as they were.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// With comments and commas at ends, as editors have it.
    Json,
    Toml,
}

/// Why a file cannot be edited: what its reader says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unreadable(pub String);

/// The entry `section.name`.
pub(super) fn get(
    format: Format,
    text: &str,
    section: &str,
    name: &str,
) -> Result<Option<Value>, Unreadable> {
    match format {
        Format::Json => {
            let root = json(text)?;
            let Some(entries) = object(&root)?.and_then(|top| top.object_value(section)) else {
                return Ok(None);
            };
            Ok(entries.get(name).and_then(|entry| entry.to_serde_value()))
        }
        Format::Toml => {
            let document = toml(text)?;
            let entry = document.get(section).and_then(|entries| entries.get(name));
            Ok(entry.and_then(value_of))
        }
    }
}

/// The text with the entry set, or without it.
pub(super) fn put(
    format: Format,
    text: &str,
    section: &str,
    name: &str,
    entry: Option<&Value>,
) -> Result<String, Unreadable> {
    match format {
        Format::Json => put_json(text, section, name, entry),
        Format::Toml => put_toml(text, section, name, entry),
    }
}

fn json(text: &str) -> Result<CstRootNode, Unreadable> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    CstRootNode::parse(text, &options).map_err(|error| Unreadable(error.to_string()))
}

/// What is at the top; nothing in an empty file.
fn object(root: &CstRootNode) -> Result<Option<CstObject>, Unreadable> {
    match (root.object_value(), root.value()) {
        (None, Some(_)) => Err(Unreadable("the file is no object".to_owned())),
        (object, _) => Ok(object),
    }
}

fn put_json(text: &str, section: &str, name: &str, entry: Option<&Value>) -> Result<String, Unreadable> {
    let root = json(text)?;
    let top = match (object(&root)?, entry) {
        (Some(top), _) => top,
        (None, Some(_)) => root.object_value_or_set(),
        (None, None) => return Ok(text.to_owned()),
    };
    let Some(entry) = entry else {
        if let Some(own) = top.object_value(section).and_then(|entries| entries.get(name)) {
            own.remove();
        }
        return Ok(root.to_string());
    };
    let entries = match top.get(section) {
        Some(found) => found
            .object_value()
            .ok_or_else(|| Unreadable(format!("{section} is no object")))?,
        None => {
            let made = top.append(section, CstInputValue::Object(Vec::new()));
            made.object_value_or_set()
        }
    };
    match entries.get(name) {
        Some(own) => own.set_value(input(entry)),
        None => {
            entries.append(name, input(entry));
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter()
                .map(|(name, value)| (name.clone(), input(value)))
                .collect(),
        ),
    }
}

fn toml(text: &str) -> Result<DocumentMut, Unreadable> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| Unreadable(error.to_string()))
}

fn put_toml(text: &str, section: &str, name: &str, entry: Option<&Value>) -> Result<String, Unreadable> {
    let mut document = toml(text)?;
    let Some(entry) = entry else {
        if let Some(entries) = document.get_mut(section).and_then(Item::as_table_like_mut) {
            entries.remove(name);
        }
        return Ok(document.to_string());
    };
    let entries = document.entry(section).or_insert_with(|| {
        let mut table = Table::new();
        // Its entries have headings of their own.
        table.set_implicit(true);
        Item::Table(table)
    });
    let entries = entries
        .as_table_like_mut()
        .ok_or_else(|| Unreadable(format!("{section} is no table")))?;
    let mut table = Table::new();
    for (field, value) in entry.as_object().into_iter().flatten() {
        table.insert(field, Item::Value(toml_value(value)));
    }
    entries.insert(name, Item::Table(table));
    Ok(document.to_string())
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(list) => toml_edit::Value::Array(list.iter().map(toml_value).collect()),
        Value::Object(map) => {
            let fields = map.iter().map(|(name, value)| (name.as_str(), toml_value(value)));
            toml_edit::Value::InlineTable(fields.collect())
        }
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        Value::String(text) => text.as_str().into(),
        // There is none in TOML.
        Value::Null => "".into(),
    }
}

/// Dates become text.
fn value_of(item: &Item) -> Option<Value> {
    match item {
        Item::None => None,
        Item::Value(value) => Some(plain(value)),
        Item::Table(table) => Some(Value::Object(
            table
                .iter()
                .filter_map(|(name, item)| Some((name.to_owned(), value_of(item)?)))
                .collect(),
        )),
        Item::ArrayOfTables(list) => Some(Value::Array(
            list.iter()
                .filter_map(|table| value_of(&Item::Table(table.clone())))
                .collect(),
        )),
    }
}

fn plain(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Datetime(date) => date.value().to_string().into(),
        toml_edit::Value::Array(list) => Value::Array(list.iter().map(plain).collect()),
        toml_edit::Value::InlineTable(table) => Value::Object(
            table
                .iter()
                .map(|(name, value)| (name.to_owned(), plain(value)))
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const JSON: &str = "{\n  // mine\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}, // keep\n  },\n}\n";
    const TOML: &str =
        "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\" # keep\n\n[tui]\nscroll = 1\n";

    fn entry() -> Value {
        json!({"command": "/usr/bin/pm", "args": ["mcp", "--client", "a b\"c"]})
    }

    #[test]
    fn what_stands_around_it_stays() {
        for (format, section, text) in [
            (Format::Json, "mcpServers", JSON),
            (Format::Toml, "mcp_servers", TOML),
        ] {
            let with = put(format, text, section, "pm", Some(&entry())).unwrap();
            assert_eq!(
                get(format, &with, section, "pm").unwrap(),
                Some(entry()),
                "{with}"
            );
            for line in text.lines() {
                assert!(with.contains(line.trim_end_matches(',')), "{line}: {with}");
            }
            let without = put(format, &with, section, "pm", None).unwrap();
            assert_eq!(get(format, &without, section, "pm").unwrap(), None);
            assert_eq!(
                get(format, &without, section, "other").unwrap(),
                Some(json!({"command": "x"}))
            );
            let other = json!({"command": "y"});
            let again = put(format, &with, section, "pm", Some(&other)).unwrap();
            assert_eq!(get(format, &again, section, "pm").unwrap(), Some(other));
            assert!(again.contains("mine") && again.contains("keep"), "{again}");
        }
    }

    #[test]
    fn an_empty_file_gets_all_that_is_needed() {
        for text in ["", "  \n", "{}", "// nothing yet\n"] {
            let with = put(Format::Json, text, "servers", "pm", Some(&entry())).unwrap();
            assert_eq!(
                get(Format::Json, &with, "servers", "pm").unwrap(),
                Some(entry()),
                "{text:?}: {with}"
            );
        }
        let with = put(Format::Toml, "", "mcp_servers", "pm", Some(&entry())).unwrap();
        assert!(with.starts_with("[mcp_servers.pm]\n"), "{with}");
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (format, text) in [
            (Format::Json, "{"),
            (Format::Json, "[]"),
            (Format::Json, "{\"s\": 1}"),
            (Format::Json, "{a: 1}"),
            (Format::Toml, "a ="),
            (Format::Toml, "s = 1"),
        ] {
            assert!(put(format, text, "s", "pm", Some(&entry())).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(get(Format::Json, &format!("{{\"s\": {deep}"), "s", "pm").is_err());
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-z ]{1,5}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_else_is_in_it_means_the_same(
            mut all in proptest::collection::btree_map("[a-z]{1,6}", values(), 0..6),
            others in proptest::collection::btree_map("[a-z]{1,6}", values(), 0..4),
            pretty: bool,
        ) {
            all.insert("servers".to_owned(), Value::Object(others.into_iter().collect()));
            let all = Value::Object(all.into_iter().collect());
            let text = if pretty { format!("{all:#}") } else { all.to_string() };
            let with = put(Format::Json, &text, "servers", "pm-own", Some(&entry())).unwrap();
            let mut wanted = all.clone();
            wanted["servers"]["pm-own"] = entry();
            let read: Value = serde_json::from_str(&with).unwrap();
            prop_assert_eq!(&read, &wanted);
            let without = put(Format::Json, &with, "servers", "pm-own", None).unwrap();
            let read: Value = serde_json::from_str(&without).unwrap();
            prop_assert_eq!(read, all);
        }
    }
}
