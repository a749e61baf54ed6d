//! Reads JSON of doubtful shape: gives what can be used and writes down what could not.

use base::Failure;
use serde_json::{Map, Value};

/// More problems than anybody reads; the rest are counted.
const MAX_PROBLEMS: usize = 50;

#[derive(Default)]
pub(super) struct Reader {
    problems: Vec<Failure>,
    unlisted: usize,
}

impl Reader {
    pub(super) fn problem(&mut self, problem: Failure) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.unlisted += 1;
        }
    }

    pub(super) fn into_problems(mut self) -> Vec<Failure> {
        if self.unlisted > 0 {
            self.problems
                .push(Failure::new("describe_more").with("count", self.unlisted));
        }
        self.problems
    }

    /// What the worker itself noted: `[{code, message}]`.
    pub(super) fn take_reported(&mut self, value: Option<&Value>) {
        for item in value.and_then(Value::as_array).into_iter().flatten() {
            let part = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
            let message = part("message");
            self.problem(
                Failure::new("describe_reported")
                    .with("problem", part("code"))
                    .with("message", message)
                    .detail(message),
            );
        }
    }

    /// A string, or a number or boolean as text. Absent and `null` are `None` without a problem.
    pub(super) fn text(&mut self, value: Option<&Value>, at: &str) -> Option<String> {
        match value? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => {
                self.wrong(at, "string", "number");
                Some(number.to_string())
            }
            other => {
                self.wrong(at, "string", type_name(other));
                None
            }
        }
    }

    pub(super) fn boolean(&mut self, value: Option<&Value>, at: &str) -> Option<bool> {
        match value? {
            Value::Null => None,
            Value::Bool(flag) => Some(*flag),
            other => {
                self.wrong(at, "boolean", type_name(other));
                None
            }
        }
    }

    pub(super) fn number(&mut self, value: Option<&Value>, at: &str) -> Option<f64> {
        match value? {
            Value::Null => None,
            Value::Number(number) => number.as_f64(),
            Value::String(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                self.wrong(at, "number", "string");
                text.trim().parse().ok()
            }
            other => {
                self.wrong(at, "number", type_name(other));
                None
            }
        }
    }

    pub(super) fn object<'v>(
        &mut self,
        value: Option<&'v Value>,
        at: &str,
    ) -> Option<&'v Map<String, Value>> {
        match value? {
            Value::Null => None,
            Value::Object(map) => Some(map),
            other => {
                self.wrong(at, "object", type_name(other));
                None
            }
        }
    }

    pub(super) fn list<'v>(&mut self, value: Option<&'v Value>, at: &str) -> Option<&'v [Value]> {
        match value? {
            Value::Null => None,
            Value::Array(items) => Some(items),
            other => {
                self.wrong(at, "array", type_name(other));
                None
            }
        }
    }

    /// A list of strings; one string alone is a list of one.
    pub(super) fn texts(&mut self, value: Option<&Value>, at: &str) -> Vec<String> {
        if let Some(Value::String(text)) = value {
            self.wrong(at, "array", "string");
            return vec![text.clone()];
        }
        let Some(items) = self.list(value, at) else {
            return Vec::new();
        };
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.text(Some(item), &format!("{at}[{index}]")))
            .collect()
    }

    pub(super) fn wrong(&mut self, at: &str, expected: &str, found: &str) {
        self.problem(
            Failure::new("describe_wrong_type")
                .with("at", at)
                .with("expected", expected)
                .with("found", found),
        );
    }
}

/// JSON Schema's name of a value's type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
