//! Keeps secrets out of logs, by value: wherever a known value appears, a mask stands.

use crate::configure::MASK;
use serde_json::Value;

/// Shorter values (`1`, `on`) appear everywhere by chance and protect nothing.
const MIN_CHARS: usize = 4;

/// Values that must not be written.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// Longest first, so that a value inside another leaves nothing of the longer.
    values: Vec<String>,
}

impl Secrets {
    pub fn new(values: impl IntoIterator<Item = String>) -> Self {
        let mut all = Vec::new();
        for value in values {
            if value.chars().count() < MIN_CHARS {
                continue;
            }
            // Inside JSON the value is written with escapes.
            let quoted = Value::from(value.as_str()).to_string();
            let escaped = quoted[1..quoted.len() - 1].to_owned();
            if escaped != value {
                all.push(escaped);
            }
            all.push(value);
        }
        all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        Secrets { values: all }
    }

    pub fn mask(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for value in &self.values {
            if masked.contains(value.as_str()) {
                masked = masked.replace(value.as_str(), MASK);
            }
        }
        masked
    }
}

/// Masks the values of members that are named like secrets, at any depth.
pub(crate) fn mask_named(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match is_named_secret(name) && !value.is_null() {
                    true => *value = Value::from(MASK),
                    false => mask_named(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(mask_named),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Narrower than for environment variables: a parameter called `key` is mostly the key of a map.
fn is_named_secret(name: &str) -> bool {
    let name: String = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .collect::<String>()
        .to_ascii_lowercase();
    ["password", "passwd", "secret", "token", "apikey", "authorization"]
        .iter()
        .any(|end| name.ends_with(end))
}
