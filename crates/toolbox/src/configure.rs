//! Mode `configure`: a tool's environment variables, checked, stored and shown (seed 002 section
//! 11.11.2). Deliberately not here: who may configure what (grants) and the file itself
//! ([`crate::env_file`]).

mod page;
mod table;

pub use page::render;
pub use table::{Row, Source, Table, table, value_of};

use crate::env_file::{EnvFile, EnvFileError, is_key};
use crate::model::{ObjectSchema, Property, is_secret_name};
use crate::parameters::{self, Violation};
use base::{Args, Coded, Failure, args};
use secrets::Reference;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What stands in the place of a secret.
pub const MASK: &str = "******";

/// How complete the configuration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Configured,
    Partly,
    Unconfigured,
}

/// What is to be done to a `.env`, as one change.
#[derive(Clone, Copy, Debug)]
pub struct Change<'c> {
    /// Values to write; `null` removes a variable if it is there.
    pub values: &'c Map<String, Value>,
    /// Variables to take out, which must be there.
    pub remove: &'c [String],
}

/// What [`apply`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Applied {
    /// Names set or removed, in the order given.
    pub changed: Vec<String>,
    /// `configure_unknown_variable` for names that the tool does not declare.
    pub warnings: Vec<Failure>,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigureError {
    #[error(transparent)]
    Env(#[from] EnvFileError),
    #[error("{} values break the schema", .0.len())]
    Invalid(Vec<Violation>),
    #[error("{name} is not set")]
    NotSet { name: String },
    /// What stands in a `.env` for a value that is kept elsewhere is no value.
    #[error("the value of {name} is a reference")]
    Reference { name: String },
    #[error("the settings leave secrets in .env")]
    KeptInEnv,
}

impl Coded for ConfigureError {
    fn code(&self) -> &'static str {
        match self {
            ConfigureError::Env(error) => error.code(),
            ConfigureError::Invalid(_) => "configure_invalid",
            ConfigureError::NotSet { .. } => "variable_not_set",
            ConfigureError::Reference { .. } => "configure_reference",
            ConfigureError::KeptInEnv => "secrets_kept_in_env",
        }
    }

    fn args(&self) -> Args {
        match self {
            ConfigureError::Env(error) => error.args(),
            ConfigureError::Invalid(violations) => {
                let names: Vec<&str> = violations.iter().map(|one| one.path.as_str()).collect();
                args! { names: names.join(", ") }
            }
            ConfigureError::NotSet { name } | ConfigureError::Reference { name } => args! { name: name },
            ConfigureError::KeptInEnv => args! {},
        }
    }
}

/// Makes the change in `file`, all or nothing. A variable both removed and written is written.
pub fn apply(
    schema: &ObjectSchema,
    file: &mut EnvFile,
    change: Change<'_>,
) -> Result<Applied, ConfigureError> {
    let now = file.values();
    apply_over(schema, file, &now, change)
}

/// The same where `now` says what the variables are: in `file` may stand references.
pub(crate) fn apply_over(
    schema: &ObjectSchema,
    file: &mut EnvFile,
    now: &BTreeMap<String, String>,
    change: Change<'_>,
) -> Result<Applied, ConfigureError> {
    let Change { values, remove } = change;
    let mut next = file.clone();
    let mut applied = Applied::default();
    let mut violations = Vec::new();
    for name in remove.iter().filter(|name| !values.contains_key(*name)) {
        // Named twice is meant once.
        if applied.changed.contains(name) {
            continue;
        }
        if !next.remove(name) {
            return Err(ConfigureError::NotSet { name: name.clone() });
        }
        applied.changed.push(name.clone());
    }
    for (key, value) in values {
        if !is_key(key) {
            return Err(EnvFileError::BadKey { key: key.clone() }.into());
        }
        match schema.get(key) {
            Some(property) if !value.is_null() => violations.extend(broken(property, value)),
            Some(_) => {}
            // Who takes away what should not be there has made no mistake.
            None if value.is_null() => {}
            None => applied
                .warnings
                .push(Failure::new("configure_unknown_variable").with("name", key.as_str())),
        }
        let changed = match value {
            Value::Null => next.remove(key),
            value => {
                let text = stored(value);
                if text.parse::<Reference>().is_ok() {
                    return Err(ConfigureError::Reference { name: key.clone() });
                }
                let differs = now.get(key) != Some(&text);
                if differs {
                    next.set(key, &text)?;
                }
                differs
            }
        };
        if changed {
            applied.changed.push(key.clone());
        }
    }
    if !violations.is_empty() {
        return Err(ConfigureError::Invalid(violations));
    }
    *file = next;
    Ok(applied)
}

/// All required set (defaults count), some, or none.
pub fn state(schema: &ObjectSchema, values: &BTreeMap<String, String>) -> State {
    if schema.required().all(|property| is_set(property, values)) {
        return State::Configured;
    }
    let any_set = !values.is_empty() || schema.required().any(|property| is_set(property, values));
    match any_set {
        true => State::Partly,
        false => State::Unconfigured,
    }
}

/// Required variables without value and default.
pub fn missing<'s>(
    schema: &'s ObjectSchema,
    values: &BTreeMap<String, String>,
) -> impl Iterator<Item = &'s Property> {
    schema.required().filter(|property| !is_set(property, values))
}

/// Values that must not appear in logs and texts.
pub fn secret_values(schema: &ObjectSchema, values: &BTreeMap<String, String>) -> Vec<String> {
    values
        .iter()
        .filter(|(name, value)| !value.is_empty() && is_secret(schema, name))
        .map(|(_, value)| value.clone())
        .collect()
}

pub(crate) fn is_secret(schema: &ObjectSchema, name: &str) -> bool {
    schema
        .get(name)
        .map_or_else(|| is_secret_name(name), Property::is_secret)
}

fn is_set(property: &Property, values: &BTreeMap<String, String>) -> bool {
    property.default().is_some() || values.get(&property.name).is_some_and(|value| !value.is_empty())
}

/// A variable is text: strings as they are, everything else as JSON.
fn stored(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value against its schema, as the text it will be: `'8080'` is a number where one is wanted.
pub(crate) fn broken(property: &Property, value: &Value) -> Vec<Violation> {
    let text = stored(value);
    let kind = match property.definition.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        _ => "",
    };
    let mut typed = match kind {
        "number" | "integer" | "boolean" => match serde_json::from_str(text.trim()) {
            Ok(parsed @ (Value::Number(_) | Value::Bool(_))) => parsed,
            _ => Value::String(text),
        },
        // Lists are written in several ways (JSON, YAML, commas): only a JSON one can be checked.
        "array" | "object" => match serde_json::from_str(&text) {
            Ok(parsed) => parsed,
            Err(_) => return Vec::new(),
        },
        _ => Value::String(text),
    };
    parameters::check_value(&property.definition, &mut typed, &property.name)
}
