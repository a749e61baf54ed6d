//! `getSchema()`: what parameters and environment variables a tool takes.

use super::lenient::Reader;
use base::Failure;
use serde_json::{Map, Value};

pub(crate) const TYPES: &[&str] = &[
    "string", "number", "integer", "boolean", "object", "array", "null",
];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    pub parameters: ObjectSchema,
    pub environment: ObjectSchema,
}

/// `{type: 'object', properties, required}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectSchema {
    pub properties: Vec<Property>,
    /// `additionalProperties: false`: unknown names are refused.
    pub closed: bool,
}

/// One property and its JSON Schema definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    pub name: String,
    /// Listed in `required`, or marked `required: true` itself.
    pub required: bool,
    pub definition: Map<String, Value>,
}

impl Schema {
    pub(super) fn read(value: Option<&Value>, reader: &mut Reader) -> Self {
        let Some(map) = reader.object(value, "getSchema()") else {
            return Schema::default();
        };
        // Some tools return the parameters' schema itself.
        let bare = !map.contains_key("parameters") && map.get("properties").is_some_and(Value::is_object);
        if bare {
            reader.problem(Failure::new("describe_schema_shape").with("at", "getSchema()"));
        }
        let parameters = if bare { value } else { map.get("parameters") };
        let schema = Schema {
            parameters: ObjectSchema::read(parameters, "parameters", reader),
            environment: ObjectSchema::read(map.get("environment"), "environment", reader),
        };
        for property in &schema.environment.properties {
            if !crate::env_file::is_key(&property.name) {
                reader
                    .problem(Failure::new("describe_bad_variable_name").with("name", property.name.as_str()));
            }
        }
        schema
    }
}

impl ObjectSchema {
    fn read(value: Option<&Value>, at: &str, reader: &mut Reader) -> Self {
        let Some(map) = reader.object(value, at) else {
            return ObjectSchema::default();
        };
        if map.contains_key("properties") || map.is_empty() || !map.values().all(Value::is_object) {
            return ObjectSchema::read_properties(map, at, reader);
        }
        // `{path: {type: 'string'}}` without the `properties` around it.
        reader.problem(Failure::new("describe_schema_shape").with("at", at));
        let wrapped = Map::from_iter([("properties".to_owned(), Value::Object(map.clone()))]);
        ObjectSchema::read_properties(&wrapped, at, reader)
    }

    fn read_properties(map: &Map<String, Value>, at: &str, reader: &mut Reader) -> Self {
        let at_properties = format!("{at}.properties");
        let definitions = reader.object(map.get("properties"), &at_properties);
        let listed = match map.get("required") {
            // Seen in the wild: `required: true` on the object itself says nothing about its parts.
            Some(Value::Bool(_)) | None => Vec::new(),
            other => reader.texts(other, &format!("{at}.required")),
        };
        let mut properties = Vec::new();
        for (name, definition) in definitions.into_iter().flatten() {
            let definition = definition_of(definition, &format!("{at_properties}.{name}"), reader);
            let marked = definition.get("required") == Some(&Value::Bool(true));
            properties.push(Property {
                name: name.clone(),
                required: marked || listed.contains(name),
                definition,
            });
        }
        for name in &listed {
            if !properties.iter().any(|property| property.name == *name) {
                reader.problem(
                    Failure::new("describe_required_unknown")
                        .with("at", at)
                        .with("name", name.as_str()),
                );
                properties.push(Property {
                    name: name.clone(),
                    required: true,
                    definition: Map::new(),
                });
            }
        }
        ObjectSchema {
            properties,
            closed: map.get("additionalProperties") == Some(&Value::Bool(false)),
        }
    }

    /// The schema of an object inside another; `None` when it says nothing about its parts.
    pub(crate) fn nested(definition: &Map<String, Value>) -> Option<Self> {
        let closed = definition.get("additionalProperties") == Some(&Value::Bool(false));
        if !closed && !definition.contains_key("properties") && !definition.contains_key("required") {
            return None;
        }
        // What is odd about it was noted when the whole was described.
        let schema = ObjectSchema::read_properties(definition, "", &mut Reader::default());
        Some(ObjectSchema { closed, ..schema })
    }

    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    pub fn required(&self) -> impl Iterator<Item = &Property> {
        self.properties.iter().filter(|property| property.required)
    }
}

impl Property {
    /// `string`, or `string | null` for a list of types; empty when none is named.
    pub fn type_text(&self) -> String {
        match self.definition.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" | "),
            _ => String::new(),
        }
    }

    /// The definition of a variable as it may be shown: of a secret one without the values in it.
    pub fn shown_definition(&self) -> Map<String, Value> {
        let mut shown = self.definition.clone();
        if self.is_secret() {
            for key in ["default", "example", "examples"] {
                shown.shift_remove(key);
            }
        }
        shown
    }

    pub fn description(&self) -> &str {
        self.definition
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    pub fn default(&self) -> Option<&Value> {
        self.definition.get("default").filter(|value| !value.is_null())
    }

    pub fn allowed(&self) -> Option<&Vec<Value>> {
        self.definition.get("enum").and_then(Value::as_array)
    }

    /// `example`, or the first of `examples`.
    pub fn example(&self) -> Option<&Value> {
        self.definition
            .get("example")
            .or_else(|| self.definition.get("examples")?.as_array()?.first())
    }

    /// `secret: true`, or a name that says so (CONTRACT, "configure").
    pub fn is_secret(&self) -> bool {
        self.definition.get("secret") == Some(&Value::Bool(true)) || is_secret_name(&self.name)
    }
}

/// Names that end in KEY, TOKEN, SECRET or PASSWORD.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD"]
        .iter()
        .any(|end| name.ends_with(end))
}

fn definition_of(value: &Value, at: &str, reader: &mut Reader) -> Map<String, Value> {
    let definition = match value {
        Value::Object(map) => map.clone(),
        // `path: 'string'`
        Value::String(name) if TYPES.contains(&name.as_str()) => {
            reader.wrong(at, "object", "string");
            Map::from_iter([("type".to_owned(), Value::String(name.clone()))])
        }
        other => {
            reader.wrong(at, "object", super::lenient::type_name(other));
            return Map::new();
        }
    };
    check_type(definition.get("type"), at, reader);
    if definition.get("enum").is_some_and(|list| !list.is_array()) {
        reader.problem(
            Failure::new("describe_wrong_type")
                .with("at", format!("{at}.enum"))
                .with("expected", "array")
                .with("found", "other"),
        );
    }
    definition
}

fn check_type(kind: Option<&Value>, at: &str, reader: &mut Reader) {
    let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    let fine = match kind {
        None => false,
        Some(Value::Array(names)) => !names.is_empty() && names.iter().all(known),
        Some(name) => known(name),
    };
    if !fine {
        let found = kind.map_or_else(String::new, |kind| match kind {
            Value::String(name) => name.clone(),
            other => other.to_string(),
        });
        reader.problem(
            Failure::new("describe_unknown_type")
                .with("at", at)
                .with("found", found),
        );
    }
}
