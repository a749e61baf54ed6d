//! Small pieces of Markdown that the manual, the configuration and the failure text share.

use crate::model::{ObjectSchema, Property};
use base::lang::Lang;
use base::name::ToolName;
use serde_json::Value;

/// A value in a table's cell: on one line, `|` escaped, cut.
pub(crate) fn cell(text: &str) -> String {
    const MAX_CHARS: usize = 300;
    let mut cell = String::new();
    for c in text.trim().chars().take(MAX_CHARS) {
        match c {
            '|' => cell.push_str("\\|"),
            '\r' => {}
            '\n' => cell.push_str("<br>"),
            c if c.is_control() => cell.push(' '),
            c => cell.push(c),
        }
    }
    if text.trim().chars().count() > MAX_CHARS {
        cell.push('…');
    }
    match cell.is_empty() {
        true => "-".to_owned(),
        false => cell,
    }
}

/// Text in a bullet or heading: on one line.
pub(crate) fn inline(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A fenced block whose fence is longer than any inside.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// A value as a person writes it: strings bare, everything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub(crate) fn listed(values: &[Value]) -> String {
    values.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// `string`, or a dash when the schema does not say.
pub(crate) fn type_of(property: &Property) -> String {
    match property.type_text() {
        text if text.is_empty() => "-".to_owned(),
        text => text,
    }
}

/// The YAML of a call that could be made: required parameters, else the first.
pub(crate) fn example_call(tool: &ToolName, parameters: &ObjectSchema, lang: Lang) -> String {
    let mut text = format!("tool: tool://{tool}\nmode: execute\n");
    let required: Vec<&Property> = parameters.required().collect();
    let shown = match required.is_empty() {
        true => parameters.properties.iter().take(1).collect(),
        false => required,
    };
    if shown.is_empty() {
        text.push_str("parameters: {}");
        return text;
    }
    text.push_str("parameters:");
    for property in shown {
        text.push_str(&format!(
            "\n  {}: {}",
            yaml_key(&property.name),
            yaml_value(&example_value(property, lang))
        ));
    }
    text
}

/// A value that fits the property's schema as well as can be told.
pub(crate) fn example_value(property: &Property, lang: Lang) -> Value {
    let given = property
        .example()
        .or_else(|| property.default())
        .or_else(|| property.allowed()?.first());
    if let Some(value) = given {
        return value.clone();
    }
    let kind = match property.definition.get("type") {
        Some(Value::Array(names)) => names.first().and_then(Value::as_str),
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("number" | "integer") => property
            .definition
            .get("minimum")
            .cloned()
            .unwrap_or_else(|| Value::from(1)),
        Some("boolean") => Value::Bool(true),
        Some("array") => Value::Array(Vec::new()),
        Some("object") => Value::Object(serde_json::Map::new()),
        _ => Value::String(format!("{} {}", lang.pick("在此填写", "your"), property.name)),
    }
}

/// A scalar that reads back as what it is; JSON is YAML.
pub(crate) fn yaml_value(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain_yaml(text) => text.clone(),
        Value::String(text) if !text.contains('\'') && !text.chars().any(char::is_control) => {
            format!("'{text}'")
        }
        other => other.to_string(),
    }
}

fn yaml_key(name: &str) -> String {
    match is_plain_yaml(name) {
        true => name.to_owned(),
        false => Value::from(name).to_string(),
    }
}

/// Words, paths and names: nothing that YAML could take for something else.
fn is_plain_yaml(text: &str) -> bool {
    let head = text.chars().next();
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    head.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '/')
        && text.chars().all(word)
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
            .contains(&text.to_ascii_lowercase().as_str())
}
