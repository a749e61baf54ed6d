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
    fn broken_and_stray_files_are_found() {
        assert_eq!(check(&[source("ui/src/locales/en.json", "{")]).len(), 1);
        assert_eq!(check(&[source("ui/src/locales/de.json", "{}")]).len(), 1);
    }
}
