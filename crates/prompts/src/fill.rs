//! `{{variable}}`: found, checked against what the prompt declares, filled.
//!
//! A value is put in as it is: `{{…}}` inside it stays text, so that what a value says never
//! becomes part of the template. Anything else in braces (`{{#if x}}`) is left alone.

use crate::PromptError;
use crate::model::{Argument, ArgumentKind, Content, Message};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const MAX_NAME_CHARS: usize = 64;

/// Messages with their values, and what was not right about these.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    pub messages: Vec<Message>,
    /// Required, and neither given nor with a default: still `{{name}}` in the text.
    pub missing: Vec<String>,
    /// In the text, but neither declared nor given: still `{{name}}` there.
    pub undeclared: Vec<String>,
    /// Given, but not in the text.
    pub unused: Vec<String>,
}

impl Filled {
    /// For callers that cannot ask for what is missing.
    pub fn complete(self) -> Result<Filled, PromptError> {
        match self.missing.is_empty() {
            true => Ok(self),
            false => Err(PromptError::Missing(self.missing)),
        }
    }
}

/// Fills a prompt. Values of another kind than declared are an error; text that reads as the
/// declared kind is taken, because forms and MCP clients send nothing but text.
pub fn fill(content: &Content, values: &Map<String, Value>) -> Result<Filled, PromptError> {
    let mut texts = Map::new();
    let mut missing = Vec::new();
    for argument in &content.arguments {
        match value_of(argument, values)? {
            Some(value) => {
                texts.insert(argument.name.clone(), Value::String(value));
            }
            None if argument.required => missing.push(argument.name.clone()),
            None => {
                texts.insert(argument.name.clone(), Value::String(String::new()));
            }
        }
    }
    for (name, value) in values {
        if !content.arguments.iter().any(|argument| argument.name == *name) {
            texts.insert(name.clone(), Value::String(text_of(value)));
        }
    }
    let used: BTreeSet<&str> = content.messages.iter().flat_map(|m| variables(&m.text)).collect();
    let declared = |name: &str| content.arguments.iter().any(|argument| argument.name == name);
    Ok(Filled {
        messages: content
            .messages
            .iter()
            .map(|message| Message {
                role: message.role,
                text: replaced(&message.text, &texts),
            })
            .collect(),
        missing,
        undeclared: used
            .iter()
            .filter(|name| !declared(name) && !texts.contains_key(**name))
            .map(|name| (*name).to_owned())
            .collect(),
        unused: values
            .keys()
            .filter(|name| !used.contains(name.as_str()))
            .cloned()
            .collect(),
    })
}

/// The names in a text, each once, in the order of their first appearance.
pub fn variables(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for piece in pieces(text) {
        if let Piece::Variable { name, .. } = piece
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

fn value_of(argument: &Argument, values: &Map<String, Value>) -> Result<Option<String>, PromptError> {
    match values.get(&argument.name) {
        None | Some(Value::Null) => Ok(argument.default.as_ref().map(text_of)),
        Some(value) => match shaped(argument.kind, value) {
            Some(value) => Ok(Some(text_of(&value))),
            None => Err(PromptError::BadValue {
                name: argument.name.clone(),
                kind: argument.kind.name(),
            }),
        },
    }
}

/// The value as one of `kind`, where it is one or is text that reads as one.
pub(crate) fn shaped(kind: ArgumentKind, value: &Value) -> Option<Value> {
    let read = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
    let whole = |number: &serde_json::Number| {
        number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
    };
    match (kind, value) {
        (ArgumentKind::String, Value::String(_)) => Some(value.clone()),
        (ArgumentKind::String, Value::Number(_) | Value::Bool(_)) => Some(Value::String(value.to_string())),
        (ArgumentKind::String, _) => None,
        (ArgumentKind::Integer, Value::Number(number)) if whole(number) => Some(value.clone()),
        (ArgumentKind::Number, Value::Number(_))
        | (ArgumentKind::Boolean, Value::Bool(_))
        | (ArgumentKind::Array, Value::Array(_))
        | (ArgumentKind::Object, Value::Object(_)) => Some(value.clone()),
        (_, Value::String(text)) => {
            let inner = read(text)?;
            (!inner.is_string()).then(|| shaped(kind, &inner)).flatten()
        }
        _ => None,
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => format!("{value:#}"),
        plain => plain.to_string(),
    }
}

fn replaced(text: &str, values: &Map<String, Value>) -> String {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => filled.push_str(text),
            Piece::Variable { name, whole } => {
                filled.push_str(values.get(name).and_then(Value::as_str).unwrap_or(whole));
            }
        }
    }
    filled
}

enum Piece<'t> {
    Text(&'t str),
    Variable { name: &'t str, whole: &'t str },
}

/// The text in order, nothing left out.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, whole)) = variable_at(rest) {
            rest = &rest[whole.len()..];
            return Some(Piece::Variable { name, whole });
        }
        let end = rest
            .match_indices('{')
            .map(|(at, _)| at)
            .find(|at| *at > 0 && variable_at(&rest[*at..]).is_some())
            .unwrap_or(rest.len());
        let (before, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Text(before))
    })
}

fn variable_at(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("{{")?;
    // Not further than a name can be long: a text of nothing but braces stays quick.
    let window = inner
        .char_indices()
        .nth(MAX_NAME_CHARS + 16)
        .map_or(inner, |(at, _)| &inner[..at]);
    let end = window.find("}}")?;
    let name = inner[..end].trim();
    is_name(name).then(|| (name, &text[..end + 4]))
}

/// Letters of any script, digits, `_`, `-`, `.`; no digit first.
pub(crate) fn is_name(name: &str) -> bool {
    name.chars().count() <= MAX_NAME_CHARS
        && name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;
    use proptest::prelude::*;
    use serde_json::json;

    fn content(text: &str, arguments: Value) -> Content {
        let map = json!({"messages": [{"content": text}], "arguments": arguments});
        crate::read::of(map.as_object().unwrap(), "x").unwrap()
    }

    fn filled(text: &str, arguments: Value, values: Value) -> Filled {
        fill(&content(text, arguments), values.as_object().unwrap()).unwrap()
    }

    #[test]
    fn values_defaults_and_what_is_wrong_with_them() {
        let arguments = json!([
            {"name": "语言", "required": true},
            {"name": "lines", "type": "integer", "default": 3},
            {"name": "tone"},
        ]);
        let done = filled(
            "{{语言}} {{ lines }} [{{tone}}] {{else}}",
            arguments.clone(),
            json!({"语言": "Rust", "extra": 1}),
        );
        assert_eq!(done.messages[0].text, "Rust 3 [] {{else}}");
        assert_eq!(
            (done.missing.len(), &done.undeclared[..]),
            (0, &["else".to_owned()][..])
        );
        assert_eq!(done.unused, ["extra"]);
        let lacking = filled("{{语言}}", arguments.clone(), json!({}));
        assert_eq!(lacking.messages[0].text, "{{语言}}");
        assert!(matches!(lacking.complete(), Err(PromptError::Missing(names)) if names == ["语言"]));
        let wrong = fill(
            &content("{{lines}}", arguments),
            json!({"lines": "many"}).as_object().unwrap(),
        );
        assert!(matches!(wrong, Err(PromptError::BadValue { name, kind: "integer" }) if name == "lines"));
    }

    #[test]
    fn text_that_reads_as_the_kind_is_taken() {
        for (kind, value, expected) in [
            (ArgumentKind::Integer, json!("12"), Some(json!(12))),
            (ArgumentKind::Integer, json!(1.5), None),
            (ArgumentKind::Number, json!(" 1.5 "), Some(json!(1.5))),
            (ArgumentKind::Boolean, json!("true"), Some(json!(true))),
            (ArgumentKind::Boolean, json!("yes"), None),
            (ArgumentKind::Array, json!("[1]"), Some(json!([1]))),
            (ArgumentKind::Object, json!("\"{}\""), None),
            (ArgumentKind::String, json!(7), Some(json!("7"))),
            (ArgumentKind::String, json!({}), None),
        ] {
            assert_eq!(shaped(kind, &value), expected, "{kind:?} {value}");
        }
    }

    /// With work that grows by the square of the text, this test would not end.
    #[test]
    fn a_text_of_braces_is_linear_work() {
        let text = "{{".repeat(500_000);
        assert!(variables(&text).is_empty());
        assert_eq!(variables("{{{x}}}"), ["x"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Nothing between the variables is lost or changed, and no value is read as a template.
        #[test]
        fn a_value_never_becomes_template(
            before in "\\PC{0,20}", after in "\\PC{0,20}", value in "(\\{\\{x\\}\\}|\\PC){0,10}"
        ) {
            prop_assume!(variables(&format!("{before}{{{{x}}}}{after}")) == ["x"]);
            let done = filled(&format!("{before}{{{{x}}}}{after}"), json!(["x"]), json!({"x": value.clone()}));
            prop_assert_eq!(&done.messages[0].text, &format!("{before}{value}{after}"));
            prop_assert_eq!(done.messages[0].role, Role::User);
        }

        #[test]
        fn pieces_are_the_whole_text(text in "(\\{|\\}|[a-z ]|\\PC){0,40}") {
            let whole: String = pieces(&text)
                .map(|piece| match piece { Piece::Text(text) => text, Piece::Variable { whole, .. } => whole })
                .collect();
            prop_assert_eq!(whole, text);
        }
    }
}
