//! Layer 8, as far as it is written down: what `getBusinessErrors()` returned (seed 002 sections
//! 12.6.4 and 12.9). How errors read that are thrown is seen in trials.

use super::checks::Check;
use super::findings::{Account, Findings};
use crate::env_file::is_key;
use crate::model::lenient::type_name;
use base::args;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub(super) fn check(account: &Account<'_>, found: &mut Findings) {
    let Some(Value::Array(entries)) = account.said("businessErrors") else {
        return;
    };
    let mut met = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        let path = format!("getBusinessErrors.{index}");
        match entry {
            Value::Object(entry) => one(account, entry, index, &path, found),
            other => {
                let args = args! { index: index + 1, found: type_name(other) };
                found.add(Check::ErrorType, args, Some(account.place(&path)));
            }
        }
        if let Some(code) = entry.get("code").and_then(Value::as_str)
            && !met.insert(code)
        {
            let place = account.place(&format!("{path}.code"));
            found.add(Check::ErrorCodeTwice, args! { code: code }, Some(place));
        }
    }
}

fn one(account: &Account<'_>, entry: &Map<String, Value>, index: usize, path: &str, found: &mut Findings) {
    let at = |field: &str| Some(account.place(&format!("{path}.{field}")));
    let text = |field: &str| {
        let text = entry.get(field).and_then(Value::as_str);
        text.filter(|text| !text.trim().is_empty())
    };
    let named = match text("code") {
        Some(code) => {
            if !is_key(code) {
                found.add(Check::ErrorCodeFormat, args! { code: code }, at("code"));
            }
            code.to_owned()
        }
        None => {
            found.add(Check::ErrorCodeMissing, args! { index: index + 1 }, at("code"));
            format!("#{}", index + 1)
        }
    };
    for (field, missing) in [
        ("description", Check::ErrorDescriptionMissing),
        ("solution", Check::ErrorSolutionMissing),
    ] {
        if text(field).is_none() {
            found.add(missing, args! { code: named }, at(field));
        }
    }
    if let Some(other) = entry
        .get("retryable")
        .filter(|value| !value.is_null() && !value.is_boolean())
    {
        let args = args! { code: named, found: type_name(other) };
        found.add(Check::ErrorRetryableType, args, at("retryable"));
    }
    match entry.get("matchedBy").and_then(Value::as_str) {
        Some("pattern" | "string" | "function") => {}
        Some("undefined") | None => found.add(Check::ErrorMatchMissing, args! { code: named }, at("match")),
        Some(other) => {
            let args = args! { code: named, found: other };
            found.add(Check::ErrorMatchType, args, at("match"));
        }
    }
}
