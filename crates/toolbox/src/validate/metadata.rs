//! Layer 3: what `getMetadata()` returned (seed 002 section 12.4).

use super::checks::Check;
use super::findings::{Account, Findings};
use crate::model::{is_version, lenient::type_name};
use base::args;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Characters below which a description tells a model nothing.
const SHORT: usize = 10;

pub(super) fn check(account: &Account<'_>, found: &mut Findings) {
    let Some(Value::Object(metadata)) = account.said("metadata") else {
        return;
    };
    let at = |field: &str| Some(account.place(&format!("getMetadata.{field}")));
    let required = [
        ("name", Check::MetadataNameMissing, Check::MetadataNameType),
        (
            "description",
            Check::MetadataDescriptionMissing,
            Check::MetadataDescriptionType,
        ),
        (
            "version",
            Check::MetadataVersionMissing,
            Check::MetadataVersionType,
        ),
    ];
    for (field, missing, wrong) in required {
        match metadata.get(field) {
            None | Some(Value::Null) => found.add(missing, args! {}, at(field)),
            Some(Value::String(text)) if text.trim().is_empty() => found.add(missing, args! {}, at(field)),
            Some(Value::String(text)) => match field {
                "version" if !is_version(text) => {
                    found.add(Check::MetadataVersionFormat, args! { version: text }, at(field));
                }
                "description" if text.trim().chars().count() < SHORT => {
                    found.add(Check::MetadataDescriptionShort, args! { limit: SHORT }, at(field));
                }
                _ => {}
            },
            Some(other) => found.add(wrong, args! { found: type_name(other) }, at(field)),
        }
    }
    if let Some(other) = metadata
        .get("author")
        .filter(|author| !author.is_null() && !author.is_string())
    {
        found.add(
            Check::MetadataAuthorType,
            args! { found: type_name(other) },
            at("author"),
        );
    }
    lists(account, metadata, found);
}

fn lists(account: &Account<'_>, metadata: &Map<String, Value>, found: &mut Findings) {
    let lists = [
        ("tags", Check::MetadataTagsType),
        ("scenarios", Check::MetadataScenariosType),
        ("limitations", Check::MetadataLimitationsType),
    ];
    for (field, wrong) in lists {
        let at = |rest: &str| Some(account.place(&format!("getMetadata.{field}{rest}")));
        let items = match metadata.get(field) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(items)) => items,
            Some(other) => {
                found.add(wrong, args! { found: type_name(other) }, at(""));
                continue;
            }
        };
        let mut met = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let place = at(&format!(".{index}"));
            match item {
                Value::String(text) => {
                    if !met.insert(text) && field == "tags" {
                        found.add(Check::MetadataTagTwice, args! { tag: text }, place);
                    }
                }
                other => {
                    let args = args! { field: field, index: index + 1, found: type_name(other) };
                    found.add(Check::MetadataItemType, args, place);
                }
            }
        }
    }
}
