//! Parameters against the tool's schema: required, type, enum, bounds and lengths, nested objects
//! and array items; defaults filled in.
//!
//! Deliberately not here: `pattern`, `oneOf`, `$ref` and the rest of JSON Schema. A tool that needs
//! them checks for itself; what is not understood is not refused.

use crate::model::lenient::type_name;
use crate::model::{ObjectSchema, Property};
use base::lang::Lang;
use serde_json::{Map, Value};

/// More than a reader wants at once.
const MAX_VIOLATIONS: usize = 20;

/// One thing that is wrong with the parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// `items[2].name`
    pub path: String,
    pub kind: ViolationKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ViolationKind {
    Missing,
    WrongType { expected: String, found: &'static str },
    NotAllowed { allowed: Vec<Value> },
    BelowMinimum { minimum: f64 },
    AboveMaximum { maximum: f64 },
    TooShort { minimum: u64 },
    TooLong { maximum: u64 },
    TooFewItems { minimum: u64 },
    TooManyItems { maximum: u64 },
    Unknown,
}

impl Violation {
    fn new(path: &str, kind: ViolationKind) -> Self {
        Violation {
            path: path.to_owned(),
            kind,
        }
    }

    pub fn words(&self, lang: Lang) -> String {
        match lang {
            Lang::ZhCn => self.zh(),
            Lang::En => self.en(),
        }
    }

    fn zh(&self) -> String {
        let path = &self.path;
        match &self.kind {
            ViolationKind::Missing => format!("缺少必需参数: {path}"),
            ViolationKind::WrongType { expected, found } => {
                format!("参数 {path} 类型错误: 应为 {expected}，实际为 {found}")
            }
            ViolationKind::NotAllowed { allowed } => {
                format!("参数 {path} 的值无效，可选值: {}", listed(allowed))
            }
            ViolationKind::BelowMinimum { minimum } => format!("参数 {path} 不能小于 {minimum}"),
            ViolationKind::AboveMaximum { maximum } => format!("参数 {path} 不能大于 {maximum}"),
            ViolationKind::TooShort { minimum } => format!("参数 {path} 的长度不能少于 {minimum} 个字符"),
            ViolationKind::TooLong { maximum } => format!("参数 {path} 的长度不能超过 {maximum} 个字符"),
            ViolationKind::TooFewItems { minimum } => format!("参数 {path} 至少需要 {minimum} 项"),
            ViolationKind::TooManyItems { maximum } => format!("参数 {path} 最多 {maximum} 项"),
            ViolationKind::Unknown => format!("未知参数: {path}"),
        }
    }

    fn en(&self) -> String {
        let path = &self.path;
        match &self.kind {
            ViolationKind::Missing => format!("Missing required parameter: {path}"),
            ViolationKind::WrongType { expected, found } => {
                format!("Parameter {path} has the wrong type: expected {expected}, found {found}")
            }
            ViolationKind::NotAllowed { allowed } => {
                format!("Parameter {path} must be one of: {}", listed(allowed))
            }
            ViolationKind::BelowMinimum { minimum } => format!("Parameter {path} must be at least {minimum}"),
            ViolationKind::AboveMaximum { maximum } => format!("Parameter {path} must be at most {maximum}"),
            ViolationKind::TooShort { minimum } => {
                format!("Parameter {path} must have at least {minimum} characters")
            }
            ViolationKind::TooLong { maximum } => {
                format!("Parameter {path} must have at most {maximum} characters")
            }
            ViolationKind::TooFewItems { minimum } => {
                format!("Parameter {path} must have at least {minimum} items")
            }
            ViolationKind::TooManyItems { maximum } => {
                format!("Parameter {path} must have at most {maximum} items")
            }
            ViolationKind::Unknown => format!("Unknown parameter: {path}"),
        }
    }
}

fn listed(values: &[Value]) -> String {
    values
        .iter()
        .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The parameters with defaults filled in, or everything that is wrong with them.
///
/// `null` for an optional parameter means that it is not given: models write it so.
pub fn check(
    schema: &ObjectSchema,
    mut parameters: Map<String, Value>,
) -> Result<Map<String, Value>, Vec<Violation>> {
    let mut violations = Vec::new();
    check_properties(schema, &mut parameters, "", &mut violations);
    if violations.is_empty() {
        return Ok(parameters);
    }
    violations.truncate(MAX_VIOLATIONS);
    Err(violations)
}

/// One value against one definition; `path` is its name in the violations.
pub fn check_value(definition: &Map<String, Value>, value: &mut Value, path: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    check_one(definition, value, path, &mut violations);
    violations
}

fn check_properties(
    schema: &ObjectSchema,
    values: &mut Map<String, Value>,
    prefix: &str,
    violations: &mut Vec<Violation>,
) {
    for property in &schema.properties {
        let path = joined(prefix, &property.name);
        fill_in(property, values);
        match values.get_mut(&property.name) {
            Some(value) => check_one(&property.definition, value, &path, violations),
            None if property.required => violations.push(Violation::new(&path, ViolationKind::Missing)),
            None => {}
        }
    }
    if schema.closed {
        for name in values.keys().filter(|name| schema.get(name).is_none()) {
            violations.push(Violation::new(&joined(prefix, name), ViolationKind::Unknown));
        }
    }
}

fn fill_in(property: &Property, values: &mut Map<String, Value>) {
    let given = values.get(&property.name);
    let nullable = types(&property.definition).is_none_or(|types| types.contains(&"null"));
    if given.is_some_and(Value::is_null) && !nullable {
        values.shift_remove(&property.name);
    }
    if !values.contains_key(&property.name)
        && let Some(default) = property.default()
    {
        values.insert(property.name.clone(), default.clone());
    }
}

fn check_one(
    definition: &Map<String, Value>,
    value: &mut Value,
    path: &str,
    violations: &mut Vec<Violation>,
) {
    if violations.len() >= MAX_VIOLATIONS {
        return;
    }
    let mut add = |kind| violations.push(Violation::new(path, kind));
    if let Some(types) = types(definition)
        && !types.iter().any(|name| fits(name, value))
    {
        add(ViolationKind::WrongType {
            expected: types.join(" | "),
            found: type_name(value),
        });
        return;
    }
    if let Some(allowed) = definition.get("enum").and_then(Value::as_array)
        && !allowed.iter().any(|one| same(one, value))
    {
        add(ViolationKind::NotAllowed {
            allowed: allowed.clone(),
        });
    }
    let number = |key: &str| definition.get(key).and_then(Value::as_f64);
    let count = |key: &str| definition.get(key).and_then(Value::as_u64);
    match value {
        Value::Number(given) => {
            let given = given.as_f64().unwrap_or_default();
            if let Some(minimum) = number("minimum").filter(|minimum| given < *minimum) {
                add(ViolationKind::BelowMinimum { minimum });
            }
            if let Some(maximum) = number("maximum").filter(|maximum| given > *maximum) {
                add(ViolationKind::AboveMaximum { maximum });
            }
        }
        Value::String(text) => {
            let length = text.chars().count() as u64;
            if let Some(minimum) = count("minLength").filter(|minimum| length < *minimum) {
                add(ViolationKind::TooShort { minimum });
            }
            if let Some(maximum) = count("maxLength").filter(|maximum| length > *maximum) {
                add(ViolationKind::TooLong { maximum });
            }
        }
        Value::Array(items) => {
            let length = items.len() as u64;
            if let Some(minimum) = count("minItems").filter(|minimum| length < *minimum) {
                add(ViolationKind::TooFewItems { minimum });
            }
            if let Some(maximum) = count("maxItems").filter(|maximum| length > *maximum) {
                add(ViolationKind::TooManyItems { maximum });
            }
            if let Some(Value::Object(definition)) = definition.get("items") {
                for (index, item) in items.iter_mut().enumerate() {
                    check_one(definition, item, &format!("{path}[{index}]"), violations);
                }
            }
        }
        Value::Object(values) => {
            if let Some(schema) = ObjectSchema::nested(definition) {
                check_properties(&schema, values, path, violations);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The types a definition names; `None` when it names none that is known.
fn types(definition: &Map<String, Value>) -> Option<Vec<&str>> {
    const KNOWN: [&str; 7] = [
        "string", "number", "integer", "boolean", "object", "array", "null",
    ];
    let names: Vec<&str> = match definition.get("type")? {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let all_known = !names.is_empty() && names.iter().all(|name| KNOWN.contains(name));
    all_known.then_some(names)
}

fn fits(name: &str, value: &Value) -> bool {
    match name {
        "number" => value.is_number(),
        "integer" => match value {
            Value::Number(number) => {
                number.is_i64()
                    || number.is_u64()
                    || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            _ => false,
        },
        name => type_name(value) == name,
    }
}

/// Equal as JSON; `1` and `1.0` are the same number.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (one, other) => one == other,
    }
}

fn joined(prefix: &str, name: &str) -> String {
    match prefix.is_empty() {
        true => name.to_owned(),
        false => format!("{prefix}.{name}"),
    }
}
