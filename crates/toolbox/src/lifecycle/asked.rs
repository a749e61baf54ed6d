//! What a tool asks for that a person has to give, and what of it she has given already.
//!
//! Deliberately not here: what is effective in a run (`rights`, `network`, `processes`).

#![allow(clippy::disallowed_methods, reason = "looks where directories lead")]

use crate::directories;
use crate::model::Description;
use crate::network;
use crate::rights;
use base::name::ToolName;
use base::{DataHome, Failure};
use std::path::{Path, PathBuf};
use store::GrantKind;

/// Kinds of rights that are for just one code.
pub const KINDS: [GrantKind; 3] = [GrantKind::Directory, GrantKind::Network, GrantKind::Processes];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    pub kind: GrantKind,
    pub value: String,
}

/// A right that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    pub right: Right,
    /// What was given before covers it.
    pub granted: bool,
    /// The version that is there does not ask for it.
    pub added: bool,
}

/// All that a description asks for, in a fixed order; what nobody can give it is a problem instead.
/// Blocking.
pub(super) fn asked(
    home: &DataHome,
    tool: &ToolName,
    description: &Description,
    configured: Option<&str>,
    problems: &mut Vec<Failure>,
) -> Vec<Right> {
    let mut all = Vec::new();
    let mut ask = |kind, value: String| all.push(Right { kind, value });
    let folder = home.tool(tool);
    match directories::allowed(home, tool, configured, &description.runtime.allowed_directories) {
        Ok(wanted) => {
            for path in wanted.paths {
                if path.starts_with(&folder) {
                    continue;
                }
                match rights::check_reserved(home, &folder, &path) {
                    Ok(()) => ask(GrantKind::Directory, place_of(&path).display().to_string()),
                    Err(error) => problems.push(error.into()),
                }
            }
        }
        Err(error) => problems.push(error.into()),
    }
    for host in network::requested(&description.runtime.network) {
        ask(GrantKind::Network, host);
    }
    if description.runtime.processes {
        ask(GrantKind::Processes, String::new());
    }
    all
}

/// Where a path leads, if it leads anywhere.
fn place_of(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether what a person gave covers a right.
pub(super) fn covers(given: &[Right], asked: &Right) -> bool {
    given
        .iter()
        .filter(|one| one.kind == asked.kind)
        .any(|one| match asked.kind {
            GrantKind::Directory => Path::new(&asked.value).starts_with(&one.value),
            GrantKind::Network => network::covers(&one.value, &asked.value),
            _ => true,
        })
}

/// Of what a person gave, what covers something that is asked for: the rest would be given silently to a later
/// version that asks for it.
pub(super) fn still_asked(given: Vec<Right>, asked: &[Right]) -> Vec<Right> {
    let is_asked = |right: &Right| {
        let right = std::slice::from_ref(right);
        asked.iter().any(|one| covers(right, one))
    };
    given.into_iter().filter(is_asked).collect()
}

/// Of the rights that a version had when it left its place, what is given now as well: what was revoked since
/// stays revoked.
pub(super) fn still_given(had: &[(String, String)], given: &[Right]) -> Vec<(String, String)> {
    let had = had.iter().filter(|(kind, value)| {
        let right = Right::named(kind, value);
        right.is_some_and(|right| covers(given, &right))
    });
    had.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn right(kind: GrantKind, value: &str) -> Right {
        let value = value.to_owned();
        Right { kind, value }
    }

    #[test]
    fn what_nobody_asks_for_and_what_was_revoked_does_not_pass_on() {
        let given = vec![
            right(GrantKind::Directory, "/a"),
            right(GrantKind::Network, "example.com"),
            right(GrantKind::Processes, ""),
        ];
        let asked = [
            right(GrantKind::Directory, "/a/b"),
            right(GrantKind::Network, "example.org"),
        ];
        assert_eq!(still_asked(given.clone(), &asked), [given[0].clone()]);
        let had = |kind: &str, value: &str| (kind.to_owned(), value.to_owned());
        let kept = [
            had("directory", "/a/b"),
            had("directory", "/"),
            had("network", "example.com"),
            had("network", "example.org"),
            had("of another program", ""),
        ];
        let expected = [kept[0].clone(), kept[2].clone()];
        assert_eq!(still_given(&kept, &given), expected);
    }

    #[test]
    fn what_was_given_covers_no_more_than_it_says() {
        let cases = [
            (GrantKind::Directory, "/a", "/a", true),
            (GrantKind::Directory, "/a", "/a/b", true),
            (GrantKind::Directory, "/a", "/ab", false),
            (GrantKind::Directory, "/a/b", "/a", false),
            (GrantKind::Network, "*", "example.com", true),
            (GrantKind::Network, "example.com", "*", false),
            (GrantKind::Network, "example.com", "example.com", true),
            (GrantKind::Network, "example.com", "example.org", false),
            (GrantKind::Network, "*", "localhost:80", false),
            (GrantKind::Network, "localhost:80", "localhost:80", true),
            (GrantKind::Processes, "", "", true),
        ];
        for (kind, given, wanted, expected) in cases {
            let found = covers(&[right(kind, given)], &right(kind, wanted));
            assert_eq!(found, expected, "{given} for {wanted}");
        }
        let other = right(GrantKind::Processes, "");
        assert!(!covers(&[right(GrantKind::Network, "*")], &other));
    }
}
