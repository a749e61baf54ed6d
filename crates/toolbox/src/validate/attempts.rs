//! What a tool is tried with: one thing wrong at a time, as seed 002 sections 12.7 to 12.9 have it,
//! and values made up from its schema.
//!
//! The tool itself is asked, without the check that stands before every run: a tool is called by its
//! own tests and by others, too.

use super::checks::Check;
use crate::model::{ObjectSchema, Property};
use base::{Args, args};
use serde_json::{Map, Value, json};

/// More calls than a tool has parameters worth trying.
const MOST: usize = 80;
/// Characters; more are no trial of a length but of memory.
const LONGEST: u64 = 1_000_000;
/// A word that nobody has among theirs (seed 002 section 12.7.1).
const NO_CHOICE: &str = "INVALID_ENUM_VALUE";
const PARAMETERS: &str = "getSchema.parameters";

/// One call of the tool.
#[derive(Debug, PartialEq)]
pub(super) struct Attempt {
    pub(super) params: Value,
    pub(super) expected: Expected,
}

#[derive(Debug, PartialEq)]
pub(super) enum Expected {
    /// An error; that is found when there is none, at this part of the source.
    Refusal(Check, Args, String),
    /// An error or none: if there is one it should read well.
    Anything,
    Result,
}

pub(super) fn attempts(schema: &ObjectSchema) -> Vec<Attempt> {
    let mut all = Vec::new();
    let mut refusal = |params: Value, check, args, path: String| {
        all.push(Attempt {
            params,
            expected: Expected::Refusal(check, args, path),
        });
    };
    let required: Vec<&str> = schema.required().map(|one| one.name.as_str()).collect();
    if !required.is_empty() {
        let args = args! { names: required.join(", ") };
        refusal(
            json!({}),
            Check::MissingAccepted,
            args,
            format!("{PARAMETERS}.required"),
        );
    }
    for property in &schema.properties {
        for (value, check, part) in wrong_values(property) {
            let path = format!("{PARAMETERS}.properties.{}{part}", property.name);
            let params = json!({ &property.name: value });
            refusal(params, check, args! { name: property.name }, path);
        }
    }
    let unknown = json!({"invalidParam": "invalid-value"});
    let known = schema.get("invalidParam").is_some();
    if schema.closed && !known {
        refusal(unknown, Check::UnknownAccepted, args! {}, PARAMETERS.to_owned());
    } else {
        all.push(Attempt {
            params: unknown,
            expected: Expected::Anything,
        });
    }
    all.truncate(MOST);
    all.push(Attempt {
        params: Value::Object(made_up(schema)),
        expected: Expected::Result,
    });
    all
}

/// Values that break the definition in one way each.
fn wrong_values(property: &Property) -> Vec<(Value, Check, &'static str)> {
    let definition = &property.definition;
    let kind = definition.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut all = Vec::new();
    // Of what may be left out many tools take what they can use.
    if property.required
        && let Some(value) = of_another_type(kind)
    {
        all.push((value, Check::WrongTypeAccepted, ".type"));
    }
    if property.allowed().is_some_and(|allowed| !allowed.is_empty()) {
        all.push((json!(NO_CHOICE), Check::OutsideEnumAccepted, ".enum"));
    }
    let number = |key: &str| definition.get(key).and_then(Value::as_f64);
    let length = |key: &str| definition.get(key).and_then(Value::as_u64);
    let text = |length: u64| json!("a".repeat(usize::try_from(length).unwrap_or_default()));
    match kind {
        "number" | "integer" => {
            all.extend(number("minimum").map(|low| {
                (
                    number_of(low - 1.0, kind),
                    Check::BelowMinimumAccepted,
                    ".minimum",
                )
            }));
            all.extend(number("maximum").map(|high| {
                (
                    number_of(high + 1.0, kind),
                    Check::AboveMaximumAccepted,
                    ".maximum",
                )
            }));
        }
        "string" => {
            let short = length("minLength").and_then(|least| least.checked_sub(1));
            all.extend(
                short
                    .filter(|n| *n <= LONGEST)
                    .map(|n| (text(n), Check::TooShortAccepted, ".minLength")),
            );
            let long = length("maxLength").filter(|most| *most < LONGEST);
            all.extend(long.map(|most| (text(most + 1), Check::TooLongAccepted, ".maxLength")));
        }
        _ => {}
    }
    all
}

fn of_another_type(kind: &str) -> Option<Value> {
    Some(match kind {
        "string" => json!(123),
        "number" | "integer" => json!("not-a-number"),
        "boolean" => json!("not-a-boolean"),
        "object" => json!("not-an-object"),
        "array" => json!("not-an-array"),
        _ => return None,
    })
}

/// A whole number where one is wanted.
fn number_of(value: f64, kind: &str) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if kind == "integer" && value.abs() < EXACT {
        json!(value as i64)
    } else {
        json!(value)
    }
}

/// Parameters that the schema allows: what is required, and what it gives values for itself.
pub(super) fn made_up(schema: &ObjectSchema) -> Map<String, Value> {
    let mut params = Map::new();
    for property in &schema.properties {
        let given = property.example().or(property.default());
        if let Some(value) = given
            .cloned()
            .or_else(|| property.required.then(|| valid(&property.definition)))
        {
            params.insert(property.name.clone(), value);
        }
    }
    params
}

fn valid(definition: &Map<String, Value>) -> Value {
    if let Some(first) = definition
        .get("enum")
        .and_then(Value::as_array)
        .and_then(|all| all.first())
    {
        return first.clone();
    }
    let number = |key: &str| definition.get(key).and_then(Value::as_f64);
    let count = |key: &str| {
        let count = definition.get(key).and_then(Value::as_u64);
        count.and_then(|count| usize::try_from(count.min(LONGEST)).ok())
    };
    let kind = match definition.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        kind => kind.and_then(Value::as_str),
    };
    match kind.unwrap_or("string") {
        kind @ ("number" | "integer") => {
            let low = number("minimum").unwrap_or(f64::MIN);
            let high = number("maximum").unwrap_or(f64::MAX);
            number_of(0.0_f64.max(low).min(high), kind)
        }
        "boolean" => json!(true),
        "array" => {
            let item = definition.get("items").and_then(Value::as_object).map(valid);
            json!(vec![
                item.unwrap_or_default();
                count("minItems").unwrap_or(0).min(16)
            ])
        }
        "object" => match ObjectSchema::nested(definition) {
            Some(schema) => Value::Object(made_up(&schema)),
            None => json!({}),
        },
        "null" => Value::Null,
        _ => {
            let text: String = "test-value"
                .chars()
                .cycle()
                .take(count("minLength").unwrap_or(0).max(10))
                .collect();
            json!(
                text.chars()
                    .take(count("maxLength").unwrap_or(usize::MAX))
                    .collect::<String>()
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;

    fn schema(properties: Value) -> ObjectSchema {
        let properties = properties.as_object().cloned().unwrap_or_default();
        ObjectSchema {
            properties: properties
                .into_iter()
                .map(|(name, definition)| Property {
                    name,
                    required: true,
                    definition: definition.as_object().cloned().unwrap_or_default(),
                })
                .collect(),
            closed: true,
        }
    }

    #[test]
    fn every_wrong_value_is_refused_by_the_schema_and_the_made_up_ones_are_not() {
        let schema = schema(json!({
            "a": {"type": "string", "minLength": 12, "maxLength": 14},
            "b": {"type": "integer", "minimum": 3, "maximum": 5},
            "c": {"type": "string", "enum": ["x", "y"]},
            "d": {"type": "array", "minItems": 2, "items": {"type": "number", "maximum": -1}},
            "e": {"type": "object", "properties": {"f": {"type": "boolean"}}, "required": ["f"]},
            "g": {"type": ["null", "string"]},
        }));
        let all = attempts(&schema);
        let params = |attempt: &Attempt| attempt.params.as_object().cloned().unwrap_or_default();
        let refused: Vec<&Attempt> = all
            .iter()
            .filter(|one| matches!(one.expected, Expected::Refusal(..)))
            .collect();
        assert_eq!(refused.len(), 1 + 5 + 1 + 4 + 1);
        for attempt in refused {
            assert!(
                parameters::check(&schema, params(attempt)).is_err(),
                "{attempt:?}"
            );
        }
        let last = all.last().map(params).unwrap_or_default();
        assert!(parameters::check(&schema, last.clone()).is_ok(), "{last:?}");
        assert_eq!(last["b"], json!(3));
    }
}
