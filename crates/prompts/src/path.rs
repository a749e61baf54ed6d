//! Where a prompt lies in the library: a relative path with `/`, and the id made of it.

use crate::PromptError;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::{Path, PathBuf};

const ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];
/// Of a group, not of a prompt.
pub const GROUP_FILE: &str = "group.meta.json";
const MAX_BYTES: usize = 512;
const MAX_NAME_BYTES: usize = 255;
/// Groups in groups.
pub const MAX_DEPTH: usize = 16;

/// `writing/review.yaml`: relative, no `.` or `..`, no hidden names, one of three endings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PromptPath(String);

impl PromptPath {
    pub fn parse(text: &str) -> Result<Self, PromptError> {
        let refused = || PromptError::BadPath(base::text::cut(text, 200));
        let fits = text.len() <= MAX_BYTES
            && text.split('/').count() <= MAX_DEPTH
            && text.split('/').all(plain_name)
            && is_prompt_file(text.rsplit('/').next().unwrap_or(text));
        match fits {
            true => Ok(PromptPath(text.to_owned())),
            false => Err(refused()),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// First eight hex digits of the path's SHA-256 (CONTRACT).
    pub fn id(&self) -> String {
        let digest = Sha256::digest(self.0.as_bytes());
        digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The folder it lies in; empty at the top.
    pub fn group(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(group, _)| group)
    }

    /// The file's name without its ending.
    pub fn stem(&self) -> &str {
        let name = self.0.rsplit('/').next().unwrap_or(&self.0);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The path without its ending.
    pub fn without_ending(&self) -> &str {
        self.0.rsplit_once('.').map_or(&self.0, |(path, _)| path)
    }

    pub fn is_json(&self) -> bool {
        self.0.ends_with(".json")
    }

    pub(crate) fn below(&self, folder: &Path) -> PathBuf {
        folder.join(&self.0)
    }
}

impl fmt::Display for PromptPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(crate) fn is_prompt_file(name: &str) -> bool {
    name != GROUP_FILE
        && ENDINGS
            .iter()
            .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// A name that every system takes and that hides nothing.
pub(crate) fn plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.starts_with('.')
        && !name.ends_with([' ', '.'])
        && !name
            .chars()
            .any(|c| c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|'))
}

/// A name for a file from words of a person: what a path cannot hold becomes `-`.
pub(crate) fn file_name(title: &str) -> String {
    let name: String = title
        .trim()
        .chars()
        .map(|c| {
            if c == '/' || c.is_whitespace() || !plain_name(&format!("a{c}a")) {
                '-'
            } else {
                c
            }
        })
        .take(60)
        .collect();
    match name.trim_matches(['-', '.', ' ']) {
        "" => "prompt".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_id_is_of_the_path() {
        let path = PromptPath::parse("writing/review.yaml").unwrap();
        // printf 'writing/review.yaml' | sha256sum
        assert_eq!(path.id(), "f90ef72d");
        assert_eq!((path.group(), path.stem()), ("writing", "review"));
    }

    #[test]
    fn what_leaves_the_library_or_hides_is_no_path() {
        for path in [
            "",
            "a",
            "/a.yaml",
            "../a.yaml",
            "a/../b.yaml",
            "./a.yaml",
            "a//b.yaml",
            ".a.yaml",
            ".git/a.yaml",
            "a\\b.yaml",
            "a\0.yaml",
            ".yaml",
            "group.meta.json",
            "x/group.meta.json",
            "a.txt",
            "a.yaml/",
            "a.yaml ",
        ] {
            assert!(PromptPath::parse(path).is_err(), "{path:?}");
        }
        for path in ["a.yaml", "组/提示 词.yml", "a..b/c.json"] {
            PromptPath::parse(path).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_title_makes_a_path(title in "\\PC{0,80}") {
            PromptPath::parse(&format!("{}.yaml", file_name(&title))).unwrap();
        }
    }
}
