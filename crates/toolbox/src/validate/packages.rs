//! Layer 9: what a tool depends on, whether its package.json says the same, and whether it is there
//! (seed 002 section 12.10).

#![allow(clippy::disallowed_methods, reason = "reads the tool's package.json")]

use super::checks::Check;
use super::findings::{Account, Findings, Place};
use crate::dependencies::is_own_file;
use crate::dependencies::python::is_settled;
use crate::model::Description;
use crate::package_json;
use crate::requirements::{self, Requirements};
use base::{Failure, args};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

const FILE: &str = "package.json";
/// Ranges that take whatever comes.
const ANY: [&str; 3] = ["*", "x", "latest"];

fn first() -> Option<Place> {
    Some(Place {
        file: FILE.to_owned(),
        line: 1,
        column: 1,
    })
}

/// What is declared. Blocking.
pub(super) fn check(
    folder: &Path,
    account: &Account<'_>,
    description: &Description,
    found: &mut Findings,
) -> Result<(), Failure> {
    let sources = description.dependency_sources();
    let place = |name: &str| Some(account.place(&format!("getDependencies.{name}")));
    for name in sources.local.iter().filter(|name| !is_own_file(folder, name)) {
        found.add(Check::DependencyFileMissing, args! { name: name }, place(name));
    }
    if let Some(requirements) = &sources.python {
        python(folder, account, description, requirements, found);
        return Ok(());
    }
    let (npm, _) = package_json::split(folder, sources.npm);
    for (name, range) in &npm {
        if ANY.contains(&range.as_str()) {
            found.add(
                Check::DependencyUnpinned,
                args! { name: name, range: range },
                place(name),
            );
        }
    }
    for (name, at) in &account.outline.imports {
        let declared = description.dependencies.iter().any(|(known, _)| known == name)
            || package_json::dependencies(folder)
                .iter()
                .any(|(known, _)| known == name);
        if !declared {
            found.add(
                Check::ImportUndeclared,
                args! { name: name },
                Some(account.at(*at)),
            );
        }
    }
    if manifest(folder, &npm, found) {
        installed(folder, account, &npm, found)?;
    }
    Ok(())
}

/// What `requirements.txt` says, and whether it is there.
fn python(
    folder: &Path,
    account: &Account<'_>,
    description: &Description,
    requirements: &Requirements,
    found: &mut Findings,
) {
    let at = |line| {
        Some(Place {
            file: requirements::FILE.to_owned(),
            line,
            column: 1,
        })
    };
    for refused in &requirements.refused {
        let args = args! { line: refused.line, text: refused.text };
        found.add(Check::RequirementLine, args, at(refused.line));
    }
    let mut met = BTreeSet::new();
    for one in &requirements.wanted {
        let versions = one.range.split(';').next().unwrap_or_default();
        if !versions.contains(['=', '<', '>']) {
            found.add(Check::RequirementUnpinned, args! { name: one.name }, at(one.line));
        }
        // One package may be wanted in two versions under two conditions.
        if !met.insert(&one.name) && !one.range.contains(';') {
            found.add(Check::RequirementTwice, args! { name: one.name }, at(one.line));
        }
    }
    for (name, range) in &description.dependencies {
        if range != "local" {
            let place = account.place(&format!("getDependencies.{name}"));
            found.add(Check::DependencyElsewhere, args! { name: name }, Some(place));
        }
    }
    // What a package is imported as is its own to say: with packages nobody can tell.
    if requirements.wanted.is_empty() {
        for (name, place) in &account.outline.imports {
            found.add(
                Check::ImportUndeclared,
                args! { name: name },
                Some(account.at(*place)),
            );
        }
    } else if !is_settled(folder, requirements) {
        let args = args! { count: requirements.wanted.len() };
        found.add(Check::ModulesMissing, args, at(1));
    }
}

/// Whether it can be read.
fn manifest(folder: &Path, npm: &[(String, String)], found: &mut Findings) -> bool {
    let read = match std::fs::read(folder.join(FILE)) {
        Ok(bytes) => serde_json::from_slice::<Map<String, Value>>(&bytes),
        Err(_) => {
            found.add(Check::PackageJsonMissing, args! {}, first());
            return false;
        }
    };
    let file = match read {
        Ok(file) => file,
        Err(error) => {
            let place = Place {
                file: FILE.to_owned(),
                line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
                column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
            };
            found.add(
                Check::PackageJsonUnreadable,
                args! { reason: error.to_string() },
                Some(place),
            );
            return false;
        }
    };
    for (name, range) in npm {
        let written = file.get("dependencies").and_then(|all| all.get(name));
        match written.and_then(Value::as_str) {
            None => found.add(Check::PackageJsonLacks, args! { name: name }, first()),
            Some(other) if other != range => {
                let args = args! { name: name, declared: range, written: other };
                found.add(Check::PackageJsonDiffers, args, first());
            }
            Some(_) => {}
        }
    }
    true
}

fn installed(
    folder: &Path,
    account: &Account<'_>,
    npm: &[(String, String)],
    found: &mut Findings,
) -> Result<(), Failure> {
    let mut wanted = package_json::dependencies(folder);
    for entry in npm.iter().filter(|(name, _)| npm::is_package_name(name)) {
        if !wanted.iter().any(|(name, _)| *name == entry.0) {
            wanted.push(entry.clone());
        }
    }
    wanted.retain(|(name, _)| npm::is_package_name(name));
    if !wanted.is_empty() && !folder.join("node_modules").is_dir() {
        found.add(
            Check::ModulesMissing,
            args! { count: wanted.len() },
            Some(account.place("getDependencies")),
        );
        return Ok(());
    }
    for one in npm::unmet(folder, &wanted)? {
        let place = Some(account.place(&format!("getDependencies.{}", one.name)));
        match one.found {
            None => {
                let args = args! { name: one.name, range: one.range };
                found.add(Check::DependencyNotInstalled, args, place);
            }
            Some(version) => {
                let args = args! { name: one.name, range: one.range, found: version };
                found.add(Check::DependencyOtherVersion, args, place);
            }
        }
    }
    Ok(())
}
