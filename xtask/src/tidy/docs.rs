//! The documents that lead into the house are there and name every room.

use super::{Finding, Source};
use std::collections::BTreeSet;

const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let text_of = |path: &str| {
        sources
            .iter()
            .find(|source| source.path == path)
            .map(|source| source.text.as_str())
    };
    let mut findings: Vec<Finding> = DOCUMENTS
        .iter()
        .filter(|path| text_of(path).is_none_or(|text| text.trim().is_empty()))
        .map(|path| Finding::error(*path, "is missing or empty"))
        .collect();
    let rooms: BTreeSet<&str> = sources
        .iter()
        .filter_map(|source| source.path.strip_prefix("crates/")?.split_once('/'))
        .map(|(room, _)| room)
        .collect();
    if let Some(text) = text_of("ARCHITECTURE.md") {
        for room in rooms {
            if !names(text, room) {
                findings.push(Finding::error(
                    "ARCHITECTURE.md",
                    format!("does not name crates/{room}"),
                ));
            }
        }
    }
    if text_of("CHANGELOG.md").is_some_and(|text| !text.contains("## Unreleased")) {
        findings.push(Finding::error("CHANGELOG.md", "has no section Unreleased"));
    }
    findings
}

/// `crates/room`, `room/` at the start of a word, or `room` as code.
fn names(text: &str, room: &str) -> bool {
    let ends = |at: usize| {
        text[at..]
            .chars()
            .next()
            .is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_')
    };
    let path = format!("crates/{room}");
    text.match_indices(&path)
        .any(|(at, found)| ends(at + found.len()))
        || text.contains(&format!("`{room}`"))
        || text.split_whitespace().any(|word| word == format!("{room}/"))
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    fn house(architecture: &str, changes: &str) -> Vec<Finding> {
        check(&[
            source("README.md", "x"),
            source("CONTRIBUTING.md", "x"),
            source("CHANGELOG.md", changes),
            source("ARCHITECTURE.md", architecture),
            source("crates/npm/src/lib.rs", ""),
            source("crates/llm/src/lib.rs", ""),
        ])
    }

    #[test]
    fn every_room_is_named() {
        assert!(house("`npm` and crates/llm.", "## Unreleased").is_empty());
        assert!(house("  npm/  installs\n  llm/ asks", "## Unreleased").is_empty());
        let found = house("crates/npmx and `llm`", "## Unreleased");
        assert_eq!(
            found,
            [Finding::error("ARCHITECTURE.md", "does not name crates/npm")]
        );
    }

    #[test]
    fn missing_documents_and_sections_are_found() {
        assert_eq!(check(&[]).len(), DOCUMENTS.len());
        assert_eq!(house("npm/ llm/", "# 1.0")[0].place, "CHANGELOG.md");
    }
}
