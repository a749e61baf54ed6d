//! The configuration as rows, for a window that edits it. The same rules as on the page decide
//! what is secret and what is set.

use super::{ConfigureError, MASK, State, broken, is_secret, state, stored};
use crate::catalog::Tool;
use crate::model::{ObjectSchema, Property};
use crate::toolbox::Toolbox;
use base::{Failure, Lang};
use secrets::Place;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use store::{Actor, AuditEntry};

/// A tool's variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub state: State,
    /// Declared ones in the schema's order, then the others by name.
    pub rows: Vec<Row>,
    /// Where the secrets can go that stand in `.env` as they are; `None`: nowhere, or there are none.
    pub secrets_go: Option<Place>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: String,
    pub description: String,
    /// JSON schema of the value; empty for what is not declared.
    pub schema: Map<String, Value>,
    pub declared: bool,
    pub required: bool,
    pub secret: bool,
    pub source: Source,
    /// In force; masked when it is secret, empty when unset.
    pub value: String,
    pub default: Option<String>,
    /// `variable_invalid` or `variable_empty`.
    pub problem: Option<Failure>,
    /// The value is not in `.env`, but there.
    pub kept: Option<Place>,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// `.env`
    File,
    Default,
    Unset,
}

impl Toolbox {
    /// The variables of a tool, secrets masked.
    pub async fn variables(&self, tool: &Tool) -> Result<Table, Failure> {
        let schema = &tool.described()?.schema.environment;
        let opened = self.opened(&tool.name, self.env_file(tool).await?).await?;
        let mut values = opened.shown();
        // Those that are there are held against the schema.
        values.extend(opened.values);
        let mut table = table(schema, &values, self.lang());
        for row in &mut table.rows {
            row.kept = opened.kept.get(&row.name).copied();
            if row.kept.is_some() {
                row.secret = true;
                row.value = shown(true, &row.value);
            }
            if let Some(lost) = opened.lost.get(&row.name) {
                row.problem = Some(lost.clone());
            }
        }
        // A keychain is looked for when there is something to move into it.
        let plain = |row: &Row| row.secret && row.source == Source::File && row.kept.is_none();
        if table.rows.iter().any(plain) {
            table.secrets_go = self.secrets_go().await?;
        }
        Ok(table)
    }

    /// The value of one variable as it is. That somebody saw it is kept; the value is not.
    pub async fn reveal(&self, tool: &Tool, name: &str, actor: &Actor) -> Result<String, Failure> {
        let schema = &tool.described()?.schema.environment;
        let opened = self.opened(&tool.name, self.env_file(tool).await?).await?;
        if let Some(lost) = opened.lost.get(name) {
            return Err(lost.clone());
        }
        let value = value_of(schema, &opened.values, name).ok_or_else(|| {
            Failure::from(ConfigureError::NotSet {
                name: name.to_owned(),
            })
        })?;
        let entry = AuditEntry {
            actor: actor.clone(),
            action: "tool.secret".to_owned(),
            subject: tool.name.to_string(),
            detail: json!({"name": name}),
        };
        self.inner.store.audit(entry).await?;
        Ok(value)
    }
}

/// The table; `lang` is what problems are worded in.
pub fn table(schema: &ObjectSchema, values: &BTreeMap<String, String>, lang: Lang) -> Table {
    let declared = schema
        .properties
        .iter()
        .map(|property| declared(property, values.get(&property.name), lang));
    let others = values
        .iter()
        .filter(|(name, _)| schema.get(name).is_none())
        .map(|(name, value)| other(schema, name, value));
    Table {
        state: state(schema, values),
        rows: declared.chain(others).collect(),
        secrets_go: None,
    }
}

/// The value in force, as it is; `None` when there is none.
pub fn value_of(schema: &ObjectSchema, values: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let given = values.get(name).cloned();
    given.or_else(|| schema.get(name)?.default().map(stored))
}

fn declared(property: &Property, given: Option<&String>, lang: Lang) -> Row {
    let secret = property.is_secret();
    let default = property.default().map(stored);
    let (source, value) = match (given, &default) {
        (Some(value), _) => (Source::File, value.clone()),
        (None, Some(default)) => (Source::Default, default.clone()),
        (None, None) => (Source::Unset, String::new()),
    };
    Row {
        name: property.name.clone(),
        description: property.description().to_owned(),
        schema: property.shown_definition(),
        declared: true,
        required: property.required,
        secret,
        source,
        value: shown(secret, &value),
        default: default.map(|default| shown(secret, &default)),
        problem: given.and_then(|value| problem(property, value, lang)),
        kept: None,
    }
}

fn other(schema: &ObjectSchema, name: &str, value: &str) -> Row {
    let secret = is_secret(schema, name);
    Row {
        name: name.to_owned(),
        description: String::new(),
        schema: Map::new(),
        declared: false,
        required: false,
        secret,
        source: Source::File,
        value: shown(secret, value),
        default: None,
        problem: None,
        kept: None,
    }
}

fn shown(secret: bool, value: &str) -> String {
    match secret && !value.is_empty() {
        true => MASK.to_owned(),
        false => value.to_owned(),
    }
}

fn problem(property: &Property, value: &str, lang: Lang) -> Option<Failure> {
    if value.is_empty() {
        // An empty value counts as none; one that is not required is simply not there.
        let missing = property.required && property.default().is_none();
        return missing.then(|| Failure::new("variable_empty").with("name", property.name.as_str()));
    }
    let violations = broken(property, &Value::from(value));
    let words: Vec<String> = violations.iter().map(|one| one.words(lang)).collect();
    (!words.is_empty()).then(|| {
        Failure::new("variable_invalid")
            .with("name", property.name.as_str())
            .with("violations", words.join("; "))
    })
}
