//! `cargo xtask tidy`: what must hold and no compiler checks. Each check is a function from the
//! repository's facts to findings; reading the facts happens here, once.

mod arrows;
mod docs;
mod graph;
mod licences;
mod locales;
mod sizes;
mod text;
mod words;

use crate::{Outcome, bindings, files, proc};
use graph::Graph;
use std::fs;

/// Something a person has to do something about.
#[derive(Debug, PartialEq)]
struct Finding {
    /// A path, a crate, an error code.
    place: String,
    what: String,
    weight: Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Error,
    /// Shown, but fails nothing.
    Warning,
}

impl Finding {
    fn error(place: impl Into<String>, what: impl Into<String>) -> Self {
        Finding {
            place: place.into(),
            what: what.into(),
            weight: Weight::Error,
        }
    }

    fn warning(place: impl Into<String>, what: impl Into<String>) -> Self {
        Finding {
            weight: Weight::Warning,
            ..Finding::error(place, what)
        }
    }
}

/// A text file of the repository.
struct Source {
    path: String,
    text: String,
}

/// Reading the arrows as text makes no sense for pictures and fonts.
const TEXT: &[&str] = &[
    "rs", "ts", "vue", "js", "mjs", "cjs", "py", "json", "toml", "css", "html", "md", "yml", "yaml", "sh",
];

pub fn run() -> Outcome {
    let paths = files::tracked()?;
    let sources = read(&paths)?;
    let graph = Graph::read()?;
    let checks: Vec<(&str, Vec<Finding>)> = vec![
        ("arrows", arrows::check(&graph)),
        ("licences", licences::check(&graph, &sources)),
        (
            "sizes",
            [sizes::lines(&sources), sizes::bytes(&weights(&paths)?)].concat_findings(),
        ),
        ("words", words::check(&sources)),
        ("locales", locales::check(&sources)),
        ("documents", docs::check(&sources)),
        ("text", text::check(&sources)),
    ];
    let mut errors = 0;
    for (name, findings) in &checks {
        errors += report(name, findings);
    }
    if sources
        .iter()
        .any(|source| source.path == "crates/wire/examples/bindings.rs")
    {
        match bindings::check() {
            Ok(()) => println!("ok    bindings"),
            Err(error) => {
                println!("FAIL  bindings: {error}");
                errors += 1;
            }
        }
    }
    match errors {
        0 => Ok(()),
        1 => Err("tidy: 1 finding".into()),
        many => Err(format!("tidy: {many} findings").into()),
    }
}

trait ConcatFindings {
    fn concat_findings(self) -> Vec<Finding>;
}

impl<const N: usize> ConcatFindings for [Vec<Finding>; N] {
    fn concat_findings(self) -> Vec<Finding> {
        self.into_iter().flatten().collect()
    }
}

/// Prints a check's findings; gives how many of them fail the run.
fn report(name: &str, findings: &[Finding]) -> usize {
    let errors = findings
        .iter()
        .filter(|finding| finding.weight == Weight::Error)
        .count();
    println!("{}  {name}", if errors == 0 { "ok  " } else { "FAIL" });
    for finding in findings {
        let mark = match finding.weight {
            Weight::Error => "error",
            Weight::Warning => "warning",
        };
        println!("        {mark}: {}: {}", finding.place, finding.what);
    }
    errors
}

fn read(paths: &[String]) -> Outcome<Vec<Source>> {
    let mut sources = Vec::new();
    for path in paths {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension);
        if extension.is_some_and(|extension| TEXT.contains(&extension)) {
            let bytes = fs::read(proc::root().join(path))?;
            sources.push(Source {
                path: path.clone(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
            });
        }
    }
    Ok(sources)
}

fn weights(paths: &[String]) -> Outcome<Vec<(String, u64)>> {
    let mut weights = Vec::new();
    for path in paths {
        weights.push((path.clone(), fs::metadata(proc::root().join(path))?.len()));
    }
    Ok(weights)
}

/// Written by programs, or data of tests: nobody reads it from top to bottom.
fn is_generated_or_fixture(path: &str) -> bool {
    path.starts_with("ui/src/generated/") || path.split('/').any(|part| part == "fixtures")
}

/// The part of a Rust file that is not its test module, by the house's habit of putting it last.
fn without_tests(path: &str, text: &str) -> String {
    let is_tests = path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs");
    if is_tests {
        return String::new();
    }
    match text.find("\n#[cfg(test)]\nmod ") {
        Some(at) => text[..at].to_owned(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
fn source(path: &str, text: &str) -> Source {
    Source {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_modules_are_cut_off() {
        assert_eq!(
            without_tests("crates/a/src/lib.rs", "fn a() {}\n#[cfg(test)]\nmod tests {}\n"),
            "fn a() {}"
        );
        assert_eq!(without_tests("crates/a/src/lib.rs", "fn a() {}\n"), "fn a() {}\n");
        assert_eq!(without_tests("crates/a/tests/x.rs", "fn a() {}\n"), "");
        assert_eq!(without_tests("crates/a/src/b/tests.rs", "fn a() {}\n"), "");
    }

    #[test]
    fn warnings_fail_nothing() {
        assert_eq!(
            report("x", &[Finding::warning("a", "b"), Finding::error("a", "b")]),
            1
        );
    }
}
