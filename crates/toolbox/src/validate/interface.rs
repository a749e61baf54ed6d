//! Layer 2: whether the module is there as a tool, and has the functions that it should have.
//!
//! Deliberately not here: what the functions return.

use super::checks::Check;
use super::findings::{Account, Findings, Place};
use base::{Failure, args};
use serde_json::Value;
use std::path::Path;

/// Functions that a tool is described by: name, the field of the report that holds what it
/// returned, what is found without it.
pub(super) const DESCRIBING: [(&str, &str, Option<Check>); 8] = [
    (
        "getDependencies",
        "dependencies",
        Some(Check::DependenciesMethodMissing),
    ),
    ("getMetadata", "metadata", Some(Check::MetadataMethodMissing)),
    ("getSchema", "schema", Some(Check::SchemaMethodMissing)),
    (
        "getBusinessErrors",
        "businessErrors",
        Some(Check::ErrorsMethodMissing),
    ),
    ("getSystemDependencies", "systemDependencies", None),
    ("getRuntimeConfig", "runtimeConfig", None),
    ("generateManual", "manual", None),
    ("getTranslations", "translations", None),
];

pub(super) fn check(account: &Account<'_>, found: &mut Findings) {
    if let (Some(place), None) = (account.outline.commonjs, account.outline.default_export) {
        found.add(Check::CommonJs, args! {}, Some(account.at(place)));
    }
    execute(account, found);
    let members = &account.outline.places;
    for (method, field, missing) in DESCRIBING {
        let there = account.is_member(method);
        if !there && members.contains_key(method) {
            found.add(
                Check::MethodNotFunction,
                args! { method: method },
                Some(account.place(method)),
            );
        } else if let Some(missing) = missing
            && !there
            && account.said(field).is_none_or(Value::is_null)
        {
            found.add(missing, args! {}, Some(account.place("")));
        }
        if there
            && account
                .outline
                .parameters
                .get(method)
                .is_some_and(|count| *count > 0)
        {
            found.add(
                Check::MethodTakesParameters,
                args! { method: method },
                Some(account.place(method)),
            );
        }
    }
    for member in members.keys().filter(|path| !path.contains('.')) {
        let meant = DESCRIBING.iter().map(|(method, ..)| *method).chain(["execute"]);
        for meant in meant.filter(|meant| *meant != member && meant.eq_ignore_ascii_case(member)) {
            let args = args! { member: member, meant: meant };
            found.add(Check::MemberMisspelt, args, Some(account.place(member)));
        }
    }
}

fn execute(account: &Account<'_>, found: &mut Findings) {
    if !account.is_member("execute") {
        let check = match account.outline.places.contains_key("execute") {
            true => Check::ExecuteNotFunction,
            false => Check::ExecuteMissing,
        };
        found.add(check, args! {}, Some(account.place("execute")));
        return;
    }
    let parameters = account.said("schema").and_then(|schema| schema.get("parameters"));
    let wants = parameters
        .and_then(|parameters| parameters.get("properties")?.as_object())
        .is_some_and(|properties| !properties.is_empty());
    if wants && account.outline.parameters.get("execute") == Some(&0) {
        found.add(
            Check::ExecuteTakesNothing,
            args! {},
            Some(account.place("execute")),
        );
    }
}

/// Why a tool could not be described.
pub(super) fn undescribed(main: &str, folder: &Path, failure: &Failure, found: &mut Findings) {
    let number = |name: &str| failure.arg(name).and_then(Value::as_u64);
    let text = |name: &str| failure.arg(name).and_then(Value::as_str).unwrap_or_default();
    let first = || {
        Some(Place {
            file: main.to_owned(),
            line: 1,
            column: 1,
        })
    };
    let reason = args! { reason: text("reason") };
    match failure.code.as_str() {
        "tool_broken" if text("error_code") == "no_default_export" => {
            found.add(Check::NoDefaultExport, args! {}, first());
        }
        "tool_broken" if text("cause") == "memory_limit" => {
            found.add(Check::DescribingTooLarge, args! {}, first());
        }
        "tool_broken" => {
            let syntax = text("error_name") == "SyntaxError";
            let check = if syntax {
                Check::ModuleSyntax
            } else {
                Check::ModuleThrew
            };
            let place = frame_in(&failure.detail, folder).unwrap_or_else(|| Place {
                file: main.to_owned(),
                line: narrow(number("line").unwrap_or(1)),
                column: narrow(number("column").unwrap_or(1)),
            });
            found.add(check, reason, Some(place));
        }
        "timeout" => found.add(Check::DescribingTooSlow, args! {}, first()),
        "memory_limit" => found.add(Check::DescribingTooLarge, args! {}, first()),
        code => {
            let detail = match failure.detail.is_empty() {
                true => code,
                false => &failure.detail,
            };
            found.add(Check::NotDescribed, args! { code: code, reason: detail }, first());
        }
    }
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX).max(1)
}

/// The innermost frame of a stack that is in a file of the folder: `    at f (FOLDER/FILE:LINE:COLUMN)`.
pub(super) fn frame_in(stack: &str, folder: &Path) -> Option<Place> {
    let folder = format!("{}/", folder.display());
    stack.lines().find_map(|frame| {
        let (_, rest) = frame.split_once(&folder)?;
        let mut parts = rest.trim_end_matches(')').rsplitn(3, ':');
        let (column, line) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let file = parts.next()?.to_owned();
        Some(Place { file, line, column })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_names_the_place_of_its_first_frame_in_the_folder() {
        let stack = "    at native\n    at g (pm:tool.js:9:1)\n    at f (/home/t/lib/a.js:3:7)\n    at /home/t/t.tool.js:1:1";
        let place = Place {
            file: "lib/a.js".to_owned(),
            line: 3,
            column: 7,
        };
        assert_eq!(frame_in(stack, Path::new("/home/t")), Some(place));
        assert_eq!(frame_in(stack, Path::new("/other")), None);
    }
}
