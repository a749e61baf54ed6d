//! A path as an agent writes it, judged by its components before anything is opened. The same on
//! every system; what the components lead to is judged by the handle (`place`, cap-std).

use crate::error::WorkspaceError;
use std::path::PathBuf;

/// Goes only down; `.` and doubled separators are taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelPath {
    parts: Vec<String>,
    /// It ended with a separator, so that only a folder can be meant.
    folder: bool,
}

/// What file systems take.
const NAME_BYTES: usize = 255;
const PATH_BYTES: usize = 4000;
const SHOWN_CHARS: usize = 200;

impl RelPath {
    /// `call` is the operation, for the error's text.
    pub fn parse(call: &'static str, text: &str) -> Result<Self, WorkspaceError> {
        let blocked = |part: &str| WorkspaceError::PathTraversal {
            path: shown(text),
            part: part.to_owned(),
        };
        if text.contains('\0') {
            return Err(blocked("NUL"));
        }
        if text.starts_with('/') {
            return Err(blocked("/"));
        }
        if text.contains('\\') {
            return Err(blocked("\\"));
        }
        if let [letter, b':', ..] = text.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(blocked(&text[..2]));
        }
        if text.split('/').any(|part| part == "..") {
            return Err(blocked(".."));
        }
        let invalid = |reason: String| WorkspaceError::InvalidArgs { call, reason };
        if text.is_empty() {
            return Err(invalid("the path is empty".to_owned()));
        }
        if text.len() > PATH_BYTES || text.split('/').any(|part| part.len() > NAME_BYTES) {
            return Err(invalid(format!(
                "a path has at most {PATH_BYTES} bytes, a name {NAME_BYTES}: {}",
                shown(text)
            )));
        }
        let parts = text
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .map(str::to_owned)
            .collect();
        Ok(RelPath {
            parts,
            folder: text.ends_with('/') || text.ends_with("/."),
        })
    }

    /// The workspace itself.
    pub fn root() -> Self {
        RelPath {
            parts: Vec::new(),
            folder: true,
        }
    }

    pub fn is_root(&self) -> bool {
        self.parts.is_empty()
    }

    pub fn is_folder(&self) -> bool {
        self.folder || self.is_root()
    }

    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// With `/`; `.` for the workspace itself.
    pub fn text(&self) -> String {
        match self.parts.is_empty() {
            true => ".".to_owned(),
            false => self.parts.join("/"),
        }
    }

    pub(super) fn to_path(&self) -> PathBuf {
        PathBuf::from(self.text())
    }
}

/// A path for error texts and logs: one line, not too long.
pub fn shown(text: &str) -> String {
    let mut short: String = text
        .chars()
        .take(SHOWN_CHARS)
        .flat_map(|c| match c.is_control() {
            true => c.escape_default().collect::<Vec<_>>(),
            false => vec![c],
        })
        .collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Coded;
    use proptest::prelude::*;

    fn code(text: &str) -> &'static str {
        RelPath::parse("read_file", text).map_or_else(|error| error.code(), |_| "")
    }

    #[test]
    fn components_are_judged_and_not_letters() {
        for good in [
            "a..b", "..a", "a..", "...", "a/...b", "ab:c", ".hidden", "a b", "工/作", "./a//b/", "%2e%2e/x",
        ] {
            assert_eq!(code(good), "", "{good}");
        }
        for bad in [
            "..",
            "../a",
            "a/..",
            "a/../b",
            "./..",
            "/",
            "/a",
            "//a",
            "a\\b",
            "..\\a",
            "\\\\host\\x",
            "C:",
            "c:x",
            "a:b",
            "C:/x",
            "a\0",
            "\0",
        ] {
            assert_eq!(code(bad), "path_traversal_blocked", "{bad:?}");
        }
        assert_eq!(code(""), "invalid_args");
        assert_eq!(code(&"n".repeat(256)), "invalid_args");
        assert_eq!(code(&"a/".repeat(2001)), "invalid_args");
    }

    #[test]
    fn dots_and_doubled_separators_are_taken_out() {
        let path = RelPath::parse("read_file", "./a//b/./c").unwrap();
        assert_eq!(path.text(), "a/b/c");
        assert!(!path.is_folder());
        assert!(RelPath::parse("read_file", "a/").unwrap().is_folder());
        let root = RelPath::parse("list_files", ".").unwrap();
        assert!(root.is_root() && root.is_folder());
        assert_eq!(root.text(), ".");
    }

    #[test]
    fn texts_show_one_short_line() {
        assert_eq!(shown("a\nb\0"), "a\\nb\\u{0}");
        assert_eq!(shown(&"x".repeat(300)).chars().count(), SHOWN_CHARS + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Property 1 of seed 004, with `..` as a component (CONTRACT).
        #[test]
        fn whatever_climbs_or_is_absolute_is_refused(text in "[a./\\\\:C\\x00 ]{0,12}|\\PC{0,20}") {
            let climbs = text.split(['/', '\\']).any(|part| part == "..");
            let parsed = RelPath::parse("read_file", &text);
            if climbs || text.starts_with('/') || text.contains(['\\', '\0']) {
                prop_assert_eq!(parsed.unwrap_err().code(), "path_traversal_blocked");
            } else if let Ok(path) = parsed {
                prop_assert!(path.to_path().components().all(|part| matches!(
                    part,
                    std::path::Component::Normal(_) | std::path::Component::CurDir
                )));
            }
        }
    }
}
