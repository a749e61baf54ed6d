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
            if !is_long(&value) {
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

    /// [`Secrets::mask`] for a text whose end was cut off before: a piece of a value that stands there
    /// is masked as well.
    pub fn mask_head(&self, text: &str) -> String {
        let mut masked = self.mask(text);
        let torn = self.values.iter().filter_map(|value| {
            let pieces = value.char_indices().map(|(at, _)| &value[..at]).rev();
            pieces
                .take_while(|piece| is_long(piece))
                .find(|piece| masked.ends_with(piece))
        });
        if let Some(piece) = torn.max_by_key(|piece| piece.len()) {
            masked.truncate(masked.len() - piece.len());
            masked.push_str(MASK);
        }
        masked
    }

    /// The same for one whose beginning was cut off.
    pub fn mask_tail(&self, text: &str) -> String {
        let mut masked = self.mask(text);
        let torn = self.values.iter().filter_map(|value| {
            let pieces = value.char_indices().skip(1).map(|(at, _)| &value[at..]);
            pieces
                .take_while(|piece| is_long(piece))
                .find(|piece| masked.starts_with(piece))
        });
        if let Some(piece) = torn.max_by_key(|piece| piece.len()) {
            masked.replace_range(..piece.len(), MASK);
        }
        masked
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

fn is_long(value: &str) -> bool {
    value.chars().count() >= MIN_CHARS
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn half_a_secret_at_a_cut_is_masked_and_chance_is_not() {
        let secrets = Secrets::new(["tök-12345".to_owned(), "abc".to_owned()]);
        assert_eq!(secrets.mask_head("key tök-12"), format!("key {MASK}"));
        assert_eq!(
            secrets.mask_head("key tök"),
            "key tök",
            "too short to be told from chance"
        );
        assert_eq!(secrets.mask_tail("-12345 is it"), format!("{MASK} is it"));
        assert_eq!(secrets.mask_tail("tök-12345 tök-1"), format!("{MASK} tök-1"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Wherever a text is cut, no four letters of the secret in a row are left at the cut.
        #[test]
        fn no_cut_lets_a_piece_through(before in "[xy ]{0,9}", value in "[a-f0-9]{6,12}", after in "[xy ]{0,9}", at in 0usize..30) {
            let text = format!("{before}{value}{after}");
            let (head, tail) = text.split_at(at.min(text.len()));
            let secrets = Secrets::new([value.clone()]);
            let (head, tail) = (secrets.mask_head(head), secrets.mask_tail(tail));
            for begin in 0..=value.len() - MIN_CHARS {
                let piece = &value[begin..begin + MIN_CHARS];
                prop_assert!(!head.ends_with(&value[..MIN_CHARS]) && !tail.starts_with(&value[value.len() - MIN_CHARS..]));
                prop_assert!(!head.contains(piece) && !tail.contains(piece), "{head} {tail} {value}");
            }
        }
    }
}
