//! The UI's texts: both languages have the same keys.

use super::{Finding, Source};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "ui/src/locales/";
const LANGUAGES: [&str; 2] = ["zh-CN", "en"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut keys: BTreeMap<&str, BTreeSet<String>> =
        LANGUAGES.map(|language| (language, BTreeSet::new())).into();
    for source in sources {
        let Some(rest) = source
            .path
            .strip_prefix(FOLDER)
            .filter(|rest| rest.ends_with(".json"))
        else {
            continue;
        };
        // Either `en.json` or `en/feature.json`.
        let (language, file) = rest
            .split_once('/')
            .unwrap_or((rest.trim_end_matches(".json"), ""));
        let Some(found) = keys.get_mut(language) else {
            findings.push(Finding::error(&source.path, "belongs to no language"));
            continue;
        };
        match serde_json::from_str::<Value>(&source.text) {
            Ok(texts) => collect(&texts, file.trim_end_matches(".json").to_owned(), found),
            Err(error) => findings.push(Finding::error(&source.path, format!("is no JSON: {error}"))),
        }
    }
    let [chinese, english] = LANGUAGES;
    for (here, there) in [(chinese, english), (english, chinese)] {
        for key in keys[here].difference(&keys[there]) {
            findings.push(Finding::error(
                format!("{FOLDER}{there}"),
                format!("{key} is missing"),
            ));
        }
    }
    findings.extend(sources.iter().flat_map(|source| asked(source, &keys[english])));
    findings
}

/// How pages and the tests of the window ask for a text.
const ASKS: [&str; 3] = ["t('", "en('", "w('"];

/// Texts that a source asks for by a whole key and that there are not.
fn asked(source: &Source, known: &BTreeSet<String>) -> Vec<Finding> {
    let asks = ["ui/src/", "tests/window/", "tests/browser/"];
    let code = [".vue", ".ts", ".mjs"];
    if !asks.iter().any(|folder| source.path.starts_with(folder))
        || !code.iter().any(|end| source.path.ends_with(end))
    {
        return Vec::new();
    }
    let is_key = |key: &str| {
        key.contains('.')
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
    };
    let mut findings = Vec::new();
    for ask in ASKS {
        for (at, _) in source.text.match_indices(ask) {
            // The end of a longer name, such as `emit('`.
            let before = source.text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.') {
                continue;
            }
            let rest = &source.text[at + ask.len()..];
            let Some(key) = rest.split('\'').next().filter(|key| is_key(key)) else {
                continue;
            };
            // One that stands for several holds them, and is completed elsewhere.
            if !known.contains(key) {
                findings.push(Finding::error(
                    &source.path,
                    format!("asks for {key}, which is no text"),
                ));
            }
        }
    }
    findings
}

fn collect(value: &Value, key: String, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let inner = if key.is_empty() {
                    name.clone()
                } else {
                    format!("{key}.{name}")
                };
                collect(member, inner, found);
            }
        }
        Value::String(text) if text.trim().is_empty() => {}
        _ => {
            found.insert(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn equal_keys_pass_in_either_layout() {
        let text = r#"{"tools": {"title": "x"}}"#;
        assert!(check(&[]).is_empty());
        assert!(
            check(&[
                source("ui/src/locales/en.json", text),
                source("ui/src/locales/zh-CN.json", text)
            ])
            .is_empty()
        );
        assert!(
            check(&[
                source("ui/src/locales/en/a.json", text),
                source("ui/src/locales/zh-CN/a.json", text)
            ])
            .is_empty()
        );
    }

    #[test]
    fn missing_and_empty_texts_are_found_on_the_right_side() {
        let findings = check(&[
            source("ui/src/locales/en.json", r#"{"a": {"b": "x", "c": ""}}"#),
            source("ui/src/locales/zh-CN.json", r#"{"a": {"c": "y"}}"#),
        ]);
        let found: Vec<(&str, &str)> = findings
            .iter()
            .map(|f| (f.place.as_str(), f.what.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                ("ui/src/locales/en", "a.c is missing"),
                ("ui/src/locales/zh-CN", "a.b is missing")
            ]
        );
    }

    #[test]
    fn what_is_asked_for_and_is_not_there_is_found() {
        let texts = r#"{"a": {"b": "x"}}"#;
        let code = "t('a.b') + en('a.c') + emit('a.d') + t(`a.${x}`) + w('a.e').x + t('one')";
        let asks = |path: &str| {
            let languages = ["en", "zh-CN"].map(|name| source(&format!("ui/src/locales/{name}.json"), texts));
            let [english, chinese] = languages;
            let found = check(&[english, chinese, source(path, code)]);
            found.into_iter().map(|finding| finding.what).collect::<Vec<_>>()
        };
        assert_eq!(
            asks("tests/window/x.mjs"),
            ["asks for a.c, which is no text", "asks for a.e, which is no text"]
        );
        assert!(asks("tests/js/x.mjs").is_empty());
    }

    #[test]
    fn broken_and_stray_files_are_found() {
        assert_eq!(check(&[source("ui/src/locales/en.json", "{")]).len(), 1);
        assert_eq!(check(&[source("ui/src/locales/de.json", "{}")]).len(), 1);
    }
}
