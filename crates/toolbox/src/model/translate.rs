//! A tool's account of itself in another language: the dictionary that `getTranslations()` gave, laid
//! over the report. Texts that it has no words for stay as they are.
//!
//! Deliberately not here: what a tool answers at run time; names, codes, examples and defaults, which
//! are the same in every language.

use base::Lang;
use serde_json::{Map, Value};

/// Fields of a schema that are read by people and models alone.
const OF_SCHEMAS: &[&str] = &["title", "description"];
/// A schema lies in schemas; deeper ones keep their own words.
const DEEPEST: usize = 32;

/// `{metadata, schema, businessErrors, manual}` in this language.
pub(super) fn translated(mut report: Map<String, Value>, lang: Lang) -> Map<String, Value> {
    let Some(Value::Object(mut languages)) = report.remove("translations") else {
        return report;
    };
    let Some(Value::Object(words)) = languages.remove(lang.tag()) else {
        return report;
    };
    if let Some(Value::Object(metadata)) = report.get_mut("metadata") {
        for field in ["description", "tags", "scenarios", "limitations"] {
            said(metadata.get_mut(field), &words);
        }
    }
    for error in report
        .get_mut("businessErrors")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
    {
        for field in ["description", "solution"] {
            said(error.get_mut(field), &words);
        }
    }
    if let Some(schema) = report.get_mut("schema") {
        schemas(schema, &words, DEEPEST);
    }
    said(report.get_mut("manual"), &words);
    report
}

/// A text, or a list of them.
fn said(value: Option<&mut Value>, words: &Map<String, Value>) {
    match value {
        Some(Value::String(text)) => {
            if let Some(Value::String(other)) = words.get(text.as_str()) {
                text.clone_from(other);
            }
        }
        Some(Value::Array(texts)) => texts.iter_mut().for_each(|text| said(Some(text), words)),
        _ => {}
    }
}

fn schemas(value: &mut Value, words: &Map<String, Value>, deep: usize) {
    let Some(deep) = deep.checked_sub(1) else { return };
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(_) if OF_SCHEMAS.contains(&name.as_str()) => said(Some(field), words),
                    // Here the names are the author's.
                    Value::Object(named)
                        if ["properties", "$defs", "definitions"].contains(&name.as_str()) =>
                    {
                        named.values_mut().for_each(|schema| schemas(schema, words, deep));
                    }
                    // A value is the same in every language.
                    _ if ["default", "example", "examples", "enum", "const"].contains(&name.as_str()) => {}
                    _ => schemas(field, words, deep),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| schemas(item, words, deep)),
        _ => {}
    }
}
