//! Layer 4 and the defaults of layer 6: what `getSchema()` says of parameters (seed 002 section
//! 12.5.1). Variables are looked at in [`super::variables`].

use super::checks::Check;
use super::findings::{Account, Findings};
use crate::model::{TYPES, lenient::type_name};
use crate::parameters::check_value;
use base::{Args, args};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A schema lies in schemas; deeper ones are not looked at.
const DEEPEST: usize = 16;

/// What a bound is for, and the bound that it must not cross.
const BOUNDS: [(&str, &[&str], Option<&str>); 6] = [
    ("minimum", &["number", "integer"], Some("maximum")),
    ("maximum", &["number", "integer"], None),
    ("minLength", &["string"], Some("maxLength")),
    ("maxLength", &["string"], None),
    ("minItems", &["array"], Some("maxItems")),
    ("maxItems", &["array"], None),
];

pub(super) fn check(account: &Account<'_>, found: &mut Findings) {
    let Some(Value::Object(schema)) = account.said("schema") else {
        return;
    };
    let at = |path: &str| Some(account.place(&format!("getSchema{path}")));
    let parameters = match schema.get("parameters") {
        None | Some(Value::Null) if schema.get("properties").is_some_and(Value::is_object) => {
            found.add(Check::SchemaBare, args! {}, at(".properties"));
            schema
        }
        None | Some(Value::Null) => {
            found.add(Check::SchemaParametersMissing, args! {}, at(""));
            return;
        }
        Some(Value::Object(parameters)) => parameters,
        Some(other) => {
            found.add(
                Check::SchemaParametersType,
                args! { found: type_name(other) },
                at(".parameters"),
            );
            return;
        }
    };
    let base = match schema.contains_key("parameters") {
        true => "getSchema.parameters",
        false => "getSchema",
    };
    if !parameters.get("properties").is_some_and(Value::is_object) {
        found.add(
            Check::SchemaPropertiesType,
            args! {},
            Some(account.place(&format!("{base}.properties"))),
        );
    }
    Walk { account, found }.object(parameters, base, "", DEEPEST);
}

struct Walk<'w, 'a> {
    account: &'w Account<'a>,
    found: &'w mut Findings,
}

impl Walk<'_, '_> {
    fn add(&mut self, check: Check, args: Args, path: &str) {
        let place = self.account.place(path);
        self.found.add(check, args, Some(place));
    }

    /// `{properties, required}`; `prefix` is its own name before those of its parts.
    fn object(&mut self, schema: &Map<String, Value>, path: &str, prefix: &str, deep: usize) {
        let Some(deep) = deep.checked_sub(1) else { return };
        let empty = Map::new();
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let required = self.required(schema, properties, path, prefix);
        for (name, definition) in properties {
            let path = format!("{path}.properties.{name}");
            let shown = format!("{prefix}{name}");
            let Value::Object(definition) = definition else {
                let args = args! { name: shown, found: type_name(definition) };
                self.add(Check::ParameterNotObject, args, &path);
                continue;
            };
            let listed = required.contains(name.as_str());
            if definition.get("required") == Some(&Value::Bool(true)) && !listed {
                self.add(
                    Check::ParameterRequiredMark,
                    args! { name: shown },
                    &format!("{path}.required"),
                );
            }
            if listed
                && definition
                    .get("default")
                    .is_some_and(|default| !default.is_null())
            {
                let path = format!("{path}.default");
                self.add(Check::ParameterDefaultOfRequired, args! { name: shown }, &path);
            }
            let described = definition.get("description").and_then(Value::as_str);
            if described.is_none_or(|text| text.trim().is_empty()) && prefix.is_empty() {
                self.add(Check::ParameterDescriptionMissing, args! { name: shown }, &path);
            }
            self.definition(definition, &path, &shown, deep);
        }
    }

    fn required<'s>(
        &mut self,
        schema: &'s Map<String, Value>,
        properties: &Map<String, Value>,
        path: &str,
        prefix: &str,
    ) -> BTreeSet<&'s str> {
        let path = format!("{path}.required");
        let mut names = BTreeSet::new();
        let list = match schema.get("required") {
            None | Some(Value::Null) => return names,
            Some(Value::Array(list)) => list,
            // The mark of a definition, looked at where its name is known.
            Some(Value::Bool(_)) if !prefix.is_empty() => return names,
            Some(other) => {
                self.add(
                    Check::SchemaRequiredType,
                    args! { found: type_name(other) },
                    &path,
                );
                return names;
            }
        };
        for (index, name) in list.iter().enumerate() {
            let path = format!("{path}.{index}");
            let Some(name) = name.as_str() else {
                self.add(Check::SchemaRequiredType, args! { found: type_name(name) }, &path);
                continue;
            };
            if !names.insert(name) {
                self.add(
                    Check::SchemaRequiredTwice,
                    args! { name: format!("{prefix}{name}") },
                    &path,
                );
            } else if !properties.contains_key(name) {
                self.add(
                    Check::SchemaRequiredUnknown,
                    args! { name: format!("{prefix}{name}") },
                    &path,
                );
            }
        }
        names
    }

    fn definition(&mut self, definition: &Map<String, Value>, path: &str, name: &str, deep: usize) {
        let Some(types) = self.types(definition, path, name) else {
            return;
        };
        self.allowed(definition, path, name);
        self.bounds(definition, &types, path, name);
        self.samples(definition, path, name);
        if types.contains(&"array") {
            match definition.get("items") {
                Some(Value::Object(items)) => {
                    let path = format!("{path}.items");
                    if let Some(deep) = deep.checked_sub(1) {
                        self.definition(items, &path, &format!("{name}[]"), deep);
                    }
                }
                // Where a list is one of several things, any JSON is meant.
                _ if types.len() > 1 => {}
                _ => self.add(Check::ParameterItemsMissing, args! { name: name }, path),
            }
        }
        if definition.contains_key("properties") {
            self.object(definition, path, &format!("{name}."), deep);
        }
    }

    /// `None` when what the value is cannot be told: then nothing else of it can.
    fn types<'d>(
        &mut self,
        definition: &'d Map<String, Value>,
        path: &str,
        name: &str,
    ) -> Option<Vec<&'d str>> {
        let kind = match definition.get("type") {
            // Words of JSON Schema that say it in another way, which nobody here checks.
            None if ["oneOf", "anyOf", "allOf", "$ref", "const"]
                .iter()
                .any(|word| definition.contains_key(*word)) =>
            {
                return None;
            }
            None | Some(Value::Null) => {
                self.add(Check::ParameterTypeMissing, args! { name: name }, path);
                return None;
            }
            Some(kind) => kind,
        };
        let types: Vec<&str> = match kind {
            Value::String(one) => vec![one],
            Value::Array(several) => several
                .iter()
                .map(|one| one.as_str().unwrap_or_default())
                .collect(),
            _ => Vec::new(),
        };
        if types.is_empty() || !types.iter().all(|one| TYPES.contains(one)) {
            let args = args! { name: name, found: kind };
            self.add(Check::ParameterTypeUnknown, args, &format!("{path}.type"));
            return None;
        }
        Some(types)
    }

    fn allowed(&mut self, definition: &Map<String, Value>, path: &str, name: &str) {
        let path = format!("{path}.enum");
        match definition.get("enum") {
            None => {}
            Some(Value::Array(values)) if values.is_empty() => {
                self.add(Check::ParameterEnumEmpty, args! { name: name }, &path);
            }
            Some(Value::Array(values)) => {
                let kind = Map::from_iter(
                    definition
                        .get("type")
                        .map(|kind| ("type".to_owned(), kind.clone())),
                );
                for (index, value) in values.iter().enumerate() {
                    if !check_value(&kind, &mut value.clone(), name).is_empty() {
                        let args = args! { name: name, value: value };
                        self.add(Check::ParameterEnumValue, args, &format!("{path}.{index}"));
                    }
                }
            }
            Some(other) => {
                let args = args! { name: name, found: type_name(other) };
                self.add(Check::ParameterEnumType, args, &path);
            }
        }
    }

    fn bounds(&mut self, definition: &Map<String, Value>, types: &[&str], path: &str, name: &str) {
        for (bound, of, upper) in BOUNDS {
            let Some(value) = definition.get(bound) else {
                continue;
            };
            let path = format!("{path}.{bound}");
            let Some(low) = value.as_f64() else {
                self.add(
                    Check::ParameterBoundType,
                    args! { name: name, bound: bound },
                    &path,
                );
                continue;
            };
            if !types.iter().any(|one| of.contains(one)) {
                let args = args! { name: name, bound: bound, type: types.join(" | ") };
                self.add(Check::ParameterBoundMisplaced, args, &path);
            }
            let high = upper.and_then(|upper| definition.get(upper)?.as_f64());
            if high.is_some_and(|high| low > high) {
                let args = args! { name: name, low: bound, high: upper };
                self.add(Check::ParameterBoundsReversed, args, &path);
            }
        }
    }

    /// The default and the example are values that the parameter could have.
    fn samples(&mut self, definition: &Map<String, Value>, path: &str, name: &str) {
        let examples = definition.get("examples").and_then(Value::as_array);
        let first = |name: &str| definition.get(name).filter(|value| !value.is_null());
        let samples = [
            (Check::ParameterDefaultInvalid, "default", first("default")),
            (Check::ParameterExampleInvalid, "example", first("example")),
            (
                Check::ParameterExampleInvalid,
                "examples",
                examples.and_then(|examples| examples.first()),
            ),
        ];
        for (check, field, value) in samples {
            if let Some(value) = value
                && !check_value(definition, &mut value.clone(), name).is_empty()
            {
                let args = args! { name: name, value: value };
                self.add(check, args, &format!("{path}.{field}"));
            }
        }
    }
}
