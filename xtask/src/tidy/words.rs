//! Every error code that a crate gives is worded in both languages, with the same placeholders.

use super::{Finding, Source, without_tests};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "resources/words/";
const LANGUAGES: [&str; 2] = ["zh-CN", "en"];

pub fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut worded: BTreeMap<String, &str> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.path.starts_with(FOLDER)) {
        let codes = match serde_json::from_str::<Value>(&source.text) {
            Ok(Value::Object(codes)) => codes,
            Ok(_) => {
                findings.push(Finding::error(&source.path, "is no object of codes"));
                continue;
            }
            Err(error) => {
                findings.push(Finding::error(&source.path, format!("is no JSON: {error}")));
                continue;
            }
        };
        for (code, words) in codes {
            let place = format!("{}: {code}", source.path);
            findings.extend(entry(&words).into_iter().map(|what| Finding::error(&place, what)));
            if let Some(other) = worded.insert(code, &source.path) {
                findings.push(Finding::error(place, format!("is worded in {other} as well")));
            }
        }
    }
    for source in sources
        .iter()
        .filter(|source| source.path.ends_with(".rs") && source.path.starts_with("crates/"))
    {
        for code in codes(&without_tests(&source.path, &source.text)) {
            if !worded.contains_key(&code) {
                findings.push(Finding::error(
                    &source.path,
                    format!("{code} has no words in {FOLDER}*.json"),
                ));
            }
        }
    }
    findings
}

/// What is wrong with the words of one code.
fn entry(words: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        if words[language]["message"]
            .as_str()
            .is_none_or(|text| text.trim().is_empty())
        {
            wrong.push(format!("has no message in {language}"));
        }
    }
    if !wrong.is_empty() {
        return wrong;
    }
    let [chinese, english] = LANGUAGES;
    for field in ["message", "hint"] {
        let texts = [chinese, english].map(|language| words[language][field].as_str());
        match texts {
            [Some(one), Some(other)] if placeholders(one) != placeholders(other) => {
                wrong.push(format!(
                    "{field} has other placeholders in {chinese} than in {english}"
                ));
            }
            [Some(_), None] | [None, Some(_)] => {
                wrong.push(format!("{field} is there in one language alone"))
            }
            _ => {}
        }
    }
    wrong
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| is_snake(name))
        .collect()
}

/// Codes that a file gives: the strings in the bodies of `fn code(&self)`, and what
/// `Failure::new` is called with.
fn codes(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, mark) in text.match_indices("fn code(&self)") {
        let after = &text[at + mark.len()..];
        if let Some(body) = braced(after) {
            found.extend(strings(body).filter(|text| is_snake(text)).map(str::to_owned));
        }
    }
    for (at, mark) in text.match_indices("Failure::new(\"") {
        if let Some((code, _)) = text[at + mark.len()..].split_once('"') {
            found.insert(code.to_owned());
        }
    }
    found
}

/// From the first brace to the one that closes it; a declaration without a body has none.
fn braced(text: &str) -> Option<&str> {
    let start = text.find(['{', ';'])?;
    if text[start..].starts_with(';') {
        return None;
    }
    let mut depth = 0;
    for (at, c) in text[start..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[start..start + at]);
        }
    }
    None
}

fn strings(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

fn is_snake(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    const GOOD: &str = r#"{"not_found": {
        "zh-CN": {"message": "找不到 {path}", "hint": "看看名字"},
        "en": {"message": "{path} was not found", "hint": "Look at the name"}}}"#;

    const RUST: &str = r#"
impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Error::Missing { .. } => "not_found",
            Error::Full => { "disk_full" }
        }
    }
    fn args(&self) -> Args { args! { text: "no_code" } }
}
"#;

    fn whats(sources: &[Source]) -> Vec<String> {
        check(sources).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn codes_come_from_the_bodies_of_code_alone() {
        assert_eq!(
            codes(RUST),
            BTreeSet::from(["disk_full".to_owned(), "not_found".to_owned()])
        );
        assert_eq!(
            codes("fn code(&self) -> &'static str;\n fn x() { \"other\" }"),
            BTreeSet::new()
        );
        assert_eq!(
            codes("Failure::new(\"busy\")"),
            BTreeSet::from(["busy".to_owned()])
        );
    }

    #[test]
    fn a_code_without_words_is_found() {
        let files = [
            source("resources/words/a.json", GOOD),
            source("crates/a/src/lib.rs", RUST),
        ];
        assert_eq!(
            whats(&files),
            ["disk_full has no words in resources/words/*.json"]
        );
        assert!(whats(&files[..1]).is_empty());
    }

    #[test]
    fn codes_of_tests_need_no_words() {
        let text = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{ {RUST} }}");
        assert!(whats(&[source("crates/a/src/lib.rs", &text)]).is_empty());
    }

    #[test]
    fn both_languages_say_the_same() {
        let with = |from: &str, to: &str| whats(&[source("resources/words/a.json", &GOOD.replace(from, to))]);
        assert_eq!(
            with("{path} was", "{file} was"),
            ["message has other placeholders in zh-CN than in en"]
        );
        assert_eq!(with("\"en\"", "\"de\""), ["has no message in en"]);
        assert_eq!(with("找不到 {path}", " "), ["has no message in zh-CN"]);
        assert_eq!(
            with(", \"hint\": \"Look at the name\"", ""),
            ["hint is there in one language alone"]
        );
        assert_eq!(with("}}}", "").len(), 1, "no JSON");
    }

    #[test]
    fn one_code_is_worded_once() {
        let files = [
            source("resources/words/a.json", GOOD),
            source("resources/words/b.json", GOOD),
        ];
        assert_eq!(whats(&files), ["is worded in resources/words/a.json as well"]);
    }
}
