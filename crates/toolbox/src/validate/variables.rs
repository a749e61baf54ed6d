//! Layer 10: variables as they are declared, and the `.env` that sets them (seed 002 section 12.11).

#![allow(clippy::disallowed_methods, reason = "reads the tool's .env")]

use super::checks::Check;
use super::findings::{Account, Findings, Place};
use crate::configure;
use crate::env_file::{EnvFile, is_key};
use crate::model::{Description, TYPES, is_secret_name, lenient::type_name};
use crate::parameters::check_value;
use base::args;
use serde_json::{Map, Value};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const FILE: &str = ".env";

/// What `getSchema().environment` says.
pub(super) fn declared(account: &Account<'_>, found: &mut Findings) {
    let Some(Value::Object(schema)) = account.said("schema") else {
        return;
    };
    const AT: &str = "getSchema.environment";
    let at = |path: &str| Some(account.place(&format!("{AT}{path}")));
    let environment = match schema.get("environment") {
        None | Some(Value::Null) => return found.add(Check::SchemaEnvironmentMissing, args! {}, at("")),
        Some(Value::Object(environment)) => environment,
        Some(other) => {
            return found.add(
                Check::SchemaEnvironmentType,
                args! { found: type_name(other) },
                at(""),
            );
        }
    };
    let Some(Value::Object(properties)) = environment.get("properties") else {
        return found.add(Check::SchemaEnvironmentProperties, args! {}, at(".properties"));
    };
    for (name, definition) in properties {
        let path = format!("{AT}.properties.{name}");
        if !is_key(name) {
            found.add(
                Check::VariableName,
                args! { name: name },
                Some(account.place(&path)),
            );
        }
        match definition {
            Value::Object(definition) => variable(account, name, definition, &path, found),
            other => {
                let args = args! { name: name, found: type_name(other) };
                found.add(Check::VariableNotObject, args, Some(account.place(&path)));
            }
        }
    }
    let required = environment.get("required").and_then(Value::as_array);
    for (index, name) in required.into_iter().flatten().enumerate() {
        if !name.as_str().is_some_and(|name| properties.contains_key(name)) {
            let place = at(&format!(".required.{index}"));
            found.add(Check::VariableRequiredUnknown, args! { name: name }, place);
        }
    }
}

fn variable(
    account: &Account<'_>,
    name: &str,
    definition: &Map<String, Value>,
    path: &str,
    found: &mut Findings,
) {
    let at = |field: &str| Some(account.place(&format!("{path}.{field}")));
    let text = definition.get("description").and_then(Value::as_str);
    if text.is_none_or(|text| text.trim().is_empty()) {
        found.add(
            Check::VariableDescriptionMissing,
            args! { name: name },
            at("description"),
        );
    }
    if let Some(kind) = definition.get("type")
        && !kind.as_str().is_some_and(|kind| TYPES.contains(&kind))
    {
        let args = args! { name: name, found: kind };
        return found.add(Check::VariableTypeUnknown, args, at("type"));
    }
    let Some(default) = definition.get("default").filter(|default| !default.is_null()) else {
        return;
    };
    let secret = definition.get("secret") == Some(&Value::Bool(true)) || is_secret_name(name);
    // An empty one is a way to say that there is none.
    if secret && default.as_str() != Some("") {
        found.add(Check::VariableSecretDefault, args! { name: name }, at("default"));
    } else if !check_value(definition, &mut default.clone(), name).is_empty() {
        let args = args! { name: name, value: default };
        found.add(Check::VariableDefaultInvalid, args, at("default"));
    }
}

/// What `.env` says. Its values are never part of a finding.
pub(super) fn set(folder: &Path, description: &Description, found: &mut Findings) {
    let path = folder.join(FILE);
    let Ok(data) = std::fs::symlink_metadata(&path) else {
        return unset(&EnvFile::default(), description, found);
    };
    let at = |line: usize| {
        Some(Place {
            file: FILE.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: 1,
        })
    };
    if data.permissions().mode() & 0o077 != 0 {
        let mode = format!("{:o}", data.permissions().mode() & 0o777);
        found.add(Check::EnvOpenToOthers, args! { mode: mode }, at(1));
    }
    let file = match EnvFile::load(&path) {
        Ok(file) => file,
        Err(error) => {
            let args = args! { reason: base::failure::chain(&error) };
            return found.add(Check::EnvUnreadable, args, at(1));
        }
    };
    let schema = &description.schema.environment;
    for (line, name) in file.numbered() {
        let Some(name) = name else {
            found.add(Check::EnvLine, args! { line: line }, at(line));
            continue;
        };
        match schema.get(name) {
            None if name == crate::directories::VARIABLE => {}
            None => found.add(Check::EnvUndeclared, args! { name: name }, at(line)),
            Some(property) => {
                let value = file.get(name).unwrap_or_default();
                // What is kept elsewhere was held against the schema when it was given.
                if value.parse::<secrets::Reference>().is_ok() {
                    continue;
                }
                let value = Value::from(value);
                if !configure::broken(property, &value).is_empty() {
                    found.add(Check::EnvValueInvalid, args! { name: name }, at(line));
                }
            }
        }
    }
    unset(&file, description, found);
}

fn unset(file: &EnvFile, description: &Description, found: &mut Findings) {
    let mut values = description.runtime.environment.clone();
    values.extend(file.values());
    for property in configure::missing(&description.schema.environment, &values) {
        let place = Place {
            file: FILE.to_owned(),
            line: 1,
            column: 1,
        };
        found.add(
            Check::EnvRequiredUnset,
            args! { name: property.name },
            Some(place),
        );
    }
}
