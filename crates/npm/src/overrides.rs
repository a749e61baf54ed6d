//! `overrides` of the root's `package.json`: another range for a package, everywhere or below some
//! other package.
//!
//! Deliberately not here: applying them to the tree (`tree` asks for each edge it makes).

use nodejs_semver::{Range, Version};
use serde_json::Value;
use std::sync::Arc;

/// What holds at one place of the tree: its own rules, then those of the places above.
#[derive(Debug, Default)]
pub struct Overrides {
    rules: Vec<Rule>,
    above: Option<Arc<Overrides>>,
}

#[derive(Debug)]
struct Rule {
    name: String,
    /// Only packages in this range; `*` where the key names none.
    range: String,
    /// The range instead; none when the rule is only about what is below.
    value: Option<String>,
    below: Arc<Value>,
}

impl Overrides {
    /// `direct` gives the root's own range for `$name`.
    pub fn parse(value: &Value, direct: &dyn Fn(&str) -> Option<String>) -> Overrides {
        Overrides {
            rules: rules(value, direct),
            above: None,
        }
    }

    /// The range that an edge to `name` has instead of `spec`.
    pub fn spec(&self, name: &str, spec: &str) -> Option<&str> {
        let own = self
            .rules
            .iter()
            .find(|rule| rule.name == name && rule.value.is_some() && rule.concerns(spec));
        own.and_then(|rule| rule.value.as_deref())
            .or_else(|| self.above.as_ref()?.spec(name, spec))
    }

    /// What holds below a package.
    pub fn below(self: &Arc<Self>, name: &str, version: &Version) -> Arc<Overrides> {
        let mut at = Some(self);
        while let Some(level) = at {
            let rule = level.rules.iter().find(|rule| {
                rule.name == name && Range::parse(&rule.range).is_ok_and(|range| range.satisfies(version))
            });
            if let Some(rule) = rule
                && rule.below.is_object()
            {
                return Arc::new(Overrides {
                    // `$name` was replaced when the root's were read.
                    rules: rules(&rule.below, &|_| None),
                    above: Some(self.clone()),
                });
            }
            at = level.above.as_ref();
        }
        self.clone()
    }
}

impl Rule {
    fn concerns(&self, spec: &str) -> bool {
        match (Range::parse(&self.range), Range::parse(spec)) {
            (Ok(rule), Ok(spec)) => self.range == "*" || rule.allows_any(&spec),
            _ => self.range == "*" || self.range == spec,
        }
    }
}

fn rules(value: &Value, direct: &dyn Fn(&str) -> Option<String>) -> Vec<Rule> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .filter(|(key, _)| *key != ".")
        .map(|(key, value)| {
            let at = key
                .char_indices()
                .skip(1)
                .find(|(_, c)| *c == '@')
                .map(|(at, _)| at);
            let (name, range) = at.map_or((key.as_str(), "*"), |at| (&key[..at], &key[at + 1..]));
            let value = resolve(value, direct);
            let own = match &value {
                Value::String(own) => Some(own.clone()),
                other => other.get(".").and_then(Value::as_str).map(str::to_owned),
            };
            Rule {
                name: name.to_owned(),
                range: range.to_owned(),
                value: own.map(|own| if own.is_empty() { "*".to_owned() } else { own }),
                below: Arc::new(value),
            }
        })
        .collect()
}

/// Replaces `$name` by the root's own range.
fn resolve(value: &Value, direct: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => match text.strip_prefix('$').and_then(direct) {
            Some(own) => Value::String(own),
            None => value.clone(),
        },
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), resolve(value, direct)))
            .collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn everywhere_below_and_by_reference() {
        let raw = json!({"a": "1.0.0", "b@^2": {".": "2.5.0", "c": "$d"}, "@s/e@1": "9.0.0"});
        let rules = Arc::new(Overrides::parse(&raw, &|name| {
            (name == "d").then(|| "4.0.0".to_owned())
        }));
        assert_eq!(rules.spec("a", "^3.0.0"), Some("1.0.0"));
        assert_eq!(rules.spec("b", "^2.1.0"), Some("2.5.0"));
        assert_eq!(rules.spec("b", "^3.0.0"), None);
        assert_eq!(rules.spec("c", "*"), None);
        assert_eq!(rules.spec("@s/e", "^1.0.0"), Some("9.0.0"));
        let version = |text: &str| Version::parse(text).unwrap();
        let below = rules.below("b", &version("2.5.0"));
        assert_eq!(below.spec("c", "*"), Some("4.0.0"));
        assert_eq!(below.spec("a", "*"), Some("1.0.0"), "what is above still holds");
        assert_eq!(rules.below("b", &version("3.0.0")).spec("c", "*"), None);
    }
}
