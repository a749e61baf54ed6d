//! Licences of everything that is linked or installed: permissive or MPL, so that the product
//! can be given away under its own. `deny.toml` says the same to cargo-deny.

use super::graph::Graph;
use super::{Finding, Source};
use serde_json::Value;

const ACCEPTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "BlueOak-1.0.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OFL-1.1",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Data and documents that npm packages carry, which are no code; and `BSD`, an old package's word for
/// one of the two above (of `duck` of the tests the text is the one with two clauses).
const ACCEPTED_NPM: &[&str] = &["BSD", "CC-BY-4.0", "Python-2.0"];

/// Packages that name only a file, which somebody has read: all parts are under accepted licences. (Of
/// `server-everything` the README says MIT.)
const READ_NPM: &[&str] = &[
    "@modelcontextprotocol/inspector-cli",
    "@modelcontextprotocol/server-everything",
];

pub fn check(graph: &Graph, sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in graph.0.values() {
        let place = format!("{} {}", package.name, package.version);
        if let Some(source) = &package.foreign {
            findings.push(Finding::error(
                &place,
                format!("comes from {source}, not from crates.io"),
            ));
        }
        match &package.licence {
            Some(licence) if is_accepted(licence, ACCEPTED) => {}
            Some(licence) => findings.push(Finding::error(place, format!("has the licence {licence}"))),
            None => findings.push(Finding::error(place, "names no licence")),
        }
    }
    for source in sources
        .iter()
        .filter(|source| source.path.ends_with("package-lock.json"))
    {
        findings.extend(npm_lock(source));
    }
    findings
}

fn npm_lock(source: &Source) -> Vec<Finding> {
    let Ok(lock) = serde_json::from_str::<Value>(&source.text) else {
        return vec![Finding::error(&source.path, "is no JSON")];
    };
    let accepted = [ACCEPTED, ACCEPTED_NPM].concat();
    let mut findings = Vec::new();
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        if path.is_empty() {
            continue;
        }
        let name = path
            .rsplit_once("node_modules/")
            .map_or(path.as_str(), |(_, name)| name);
        let place = format!("{}: {name}", source.path);
        if package["resolved"].is_string() {
            findings.push(Finding::error(
                &place,
                "names a host: npm config set omit-lockfile-registry-resolved true",
            ));
        }
        match package["license"].as_str() {
            Some(licence) if is_accepted(licence, &accepted) => {}
            Some("SEE LICENSE IN LICENSE") if READ_NPM.contains(&name) => {}
            Some(licence) => findings.push(Finding::error(place, format!("has the licence {licence}"))),
            None => findings.push(Finding::warning(place, "names no licence")),
        }
    }
    findings
}

/// Whether an SPDX expression can be met with accepted licences alone. `/` is the old way to
/// write OR.
fn is_accepted(expression: &str, accepted: &[&str]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any(&mut rest, accepted) == Some(true) && rest.is_empty()
}

fn any(words: &mut &[&str], accepted: &[&str]) -> Option<bool> {
    let mut met = all(words, accepted)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        met |= all(words, accepted)?;
    }
    Some(met)
}

fn all(words: &mut &[&str], accepted: &[&str]) -> Option<bool> {
    let mut met = one(words, accepted)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        met &= one(words, accepted)?;
    }
    Some(met)
}

fn one(words: &mut &[&str], accepted: &[&str]) -> Option<bool> {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = any(words, accepted)?;
            let [")", rest @ ..] = *words else { return None };
            *words = rest;
            Some(met)
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            Some(accepted.contains(&format!("{name} WITH {exception}").as_str()))
        }
        [name, rest @ ..] => {
            *words = rest;
            Some(accepted.contains(name))
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::source;
    use super::*;

    #[test]
    fn expressions_are_understood() {
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "Unlicense/MIT",
            "Apache-2.0 OR GPL-2.0-only",
            "(Apache-2.0 OR MIT) AND BSD-3-Clause",
            "Apache-2.0 WITH LLVM-exception",
            "MIT OR Apache-2.0 OR LGPL-2.1-or-later",
        ] {
            assert!(is_accepted(good, ACCEPTED), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "LGPL-2.1-or-later",
            "AGPL-3.0-only",
            "MIT AND GPL-2.0-only",
            "(MIT OR Apache-2.0) AND LGPL-3.0",
            "MIT AND (GPL-2.0 OR AGPL-3.0)",
            "GPL-2.0 WITH Classpath-exception-2.0",
            "(MIT",
            "MIT)",
            "MIT OR",
        ] {
            assert!(!is_accepted(bad, ACCEPTED), "{bad}");
        }
    }

    #[test]
    fn a_lock_file_may_name_no_host_and_no_copyleft() {
        let lock = r#"{"packages": {
            "": {"name": "ours"},
            "node_modules/a": {"license": "MIT"},
            "node_modules/a/node_modules/b": {"license": "GPL-3.0", "resolved": "https://example.org/b.tgz"},
            "node_modules/c": {}
        }}"#;
        let findings = npm_lock(&source("ui/package-lock.json", lock));
        let places: Vec<&str> = findings.iter().map(|finding| finding.place.as_str()).collect();
        assert_eq!(
            places,
            [
                "ui/package-lock.json: b",
                "ui/package-lock.json: b",
                "ui/package-lock.json: c"
            ]
        );
        assert_eq!(findings[2].weight, super::super::Weight::Warning);
        assert_eq!(npm_lock(&source("package-lock.json", "nothing")).len(), 1);
    }

    #[test]
    fn a_crate_without_a_licence_or_from_elsewhere_is_found() {
        let mut graph = super::super::graph::workspace(&[("a", &[])]);
        assert_eq!(check(&graph, &[]).len(), 1);
        let package = graph.0.get_mut("a").unwrap();
        package.licence = Some("MIT".to_owned());
        assert!(check(&graph, &[]).is_empty());
        graph.0.get_mut("a").unwrap().foreign = Some("git+https://example.org/a".to_owned());
        assert_eq!(check(&graph, &[]).len(), 1);
    }
}
