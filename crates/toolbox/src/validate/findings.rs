//! What was found, and where it stands.

use super::checks::{Check, Severity};
use base::{Args, Failure};
use runtime::protocol::Outline;
use serde_json::Value;

/// More than anybody mends in one go.
const MOST: usize = 200;

/// One thing that is wrong with a tool, or worth knowing.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub check: Check,
    /// What its words are filled with.
    pub args: Args,
    pub place: Option<Place>,
}

impl Finding {
    /// As it is worded at the border: the code of the check is the code of its words.
    pub fn failure(&self) -> Failure {
        Failure {
            code: self.check.code().to_owned(),
            args: self.args.clone(),
            detail: String::new(),
        }
    }
}

/// In a file of the tool's folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    /// From 1, as the column.
    pub line: u32,
    pub column: u32,
}

/// What a tool says of itself, as its worker reported it, and where that stands.
pub struct Account<'a> {
    pub main: &'a str,
    pub report: &'a Value,
    pub outline: Outline,
}

impl Account<'_> {
    /// What a method returned; `None` when that was `undefined` or it is not there.
    pub fn said(&self, field: &str) -> Option<&Value> {
        self.report.get(field)
    }

    pub fn is_member(&self, name: &str) -> bool {
        let members = self.report.get("members").and_then(Value::as_array);
        members.is_some_and(|all| all.iter().any(|member| member == name))
    }

    /// The place of a part (`getSchema.parameters.properties.path`), or of the nearest one around it.
    pub fn place(&self, path: &str) -> Place {
        let mut path = path;
        let found = loop {
            if let Some(place) = self.outline.places.get(path) {
                break Some(*place);
            }
            match path.rsplit_once('.') {
                Some((around, _)) => path = around,
                None => break self.outline.default_export,
            }
        };
        let (line, column) = found.unwrap_or((1, 1));
        self.at((line, column))
    }

    pub fn at(&self, (line, column): (u32, u32)) -> Place {
        Place {
            file: self.main.to_owned(),
            line,
            column,
        }
    }
}

/// What is found, once each, as far as anybody reads it.
#[derive(Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn add(&mut self, check: Check, args: Args, place: Option<Place>) {
        let finding = Finding { check, args, place };
        if self.0.len() < MOST && !self.0.contains(&finding) {
            self.0.push(finding);
        }
    }

    pub fn has(&self, check: Check) -> bool {
        self.0.iter().any(|finding| finding.check == check)
    }

    /// In the order of layers; within one the errors first, then as they stand.
    pub fn sorted(mut self) -> Vec<Finding> {
        let rank = |finding: &Finding| {
            (
                finding.check.layer(),
                finding.check.severity(),
                finding.place.clone(),
            )
        };
        self.0.sort_by_cached_key(rank);
        self.0
    }
}

impl Extend<Finding> for Findings {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, more: T) {
        for Finding { check, args, place } in more {
            self.add(check, args, place);
        }
    }
}

/// How many there are of one severity.
pub fn count(findings: &[Finding], severity: Severity) -> usize {
    let is = |finding: &&Finding| finding.check.severity() == severity;
    findings.iter().filter(is).count()
}
