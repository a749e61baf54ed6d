//! The scored search of the contract: by name and description, for models and for the list.

use crate::model::Prompt;
use crate::scan::Shelf;
use std::sync::Arc;

const NAME_WEIGHT: f64 = 60.0;
const DESCRIPTION_WEIGHT: f64 = 40.0;
const CONTAINS: f64 = 0.8;
const WORDS: f64 = 0.6;

#[derive(Clone, Debug)]
pub struct Found {
    pub prompt: Arc<Prompt>,
    /// 0 to 100; 0 where nothing was asked for.
    pub score: f64,
}

/// Best first, then by path. Switched off prompts are found too; the caller says who may see them.
pub fn search(shelf: &Shelf, query: &str) -> Vec<Found> {
    let query = query.trim().to_lowercase();
    let mut found: Vec<Found> = shelf
        .prompts()
        .map(|prompt| Found {
            prompt: Arc::clone(prompt),
            score: score(&prompt.content.name, &prompt.content.description, &query),
        })
        .filter(|found| query.is_empty() || found.score > 0.0)
        .collect();
    found.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.prompt.path.cmp(&b.prompt.path))
    });
    found
}

fn score(name: &str, description: &str, query: &str) -> f64 {
    NAME_WEIGHT * likeness(name, query) + DESCRIPTION_WEIGHT * likeness(description, query)
}

/// `query` is in lower case.
fn likeness(text: &str, query: &str) -> f64 {
    if query.is_empty() {
        return 0.0;
    }
    let text = text.trim().to_lowercase();
    if text == query {
        return 1.0;
    }
    if text.contains(query) {
        return CONTAINS;
    }
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let hits = words.iter().filter(|word| text.contains(**word)).count();
    match hits {
        0 => 0.0,
        #[allow(clippy::cast_precision_loss, reason = "counts of words")]
        _ => WORDS * hits as f64 / words.len() as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn scores_as_the_contract_says() {
        for (name, description, query, expected) in [
            ("Code review", "", "code review", 60.0),
            ("Code review", "", "review", 48.0),
            (
                "Code review",
                "finds bugs in code",
                "code",
                60.0 * 0.8 + 40.0 * 0.8,
            ),
            ("Code review", "", "review poem", 60.0 * 0.6 * 0.5),
            ("代码审查", "审查代码", "审查", 80.0),
            ("a", "b", "c", 0.0),
        ] {
            let found = score(name, description, query);
            assert!(
                (found - expected).abs() < 1e-9,
                "{name} {query}: {found}, not {expected}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_name_is_always_found_by_itself(name in "[\\PC&&[^\\s]]{1,30}", description in "\\PC{0,30}") {
            prop_assert!(score(&name, &description, &name.trim().to_lowercase()) >= 60.0);
        }
    }
}
