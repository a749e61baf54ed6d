//! Names that become path components, checked once so that later code need not.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A tool's name: `[a-z0-9][a-z0-9_-]*`, at most 64 bytes (CONTRACT, "toolm").
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

#[derive(Debug, thiserror::Error)]
#[error("not a tool name: {0:?}")]
pub struct BadToolName(pub String);

impl crate::Coded for BadToolName {
    fn code(&self) -> &'static str {
        "invalid_tool_name"
    }
    fn args(&self) -> crate::Args {
        crate::args! { name: self.0 }
    }
}

impl ToolName {
    pub fn parse(text: &str) -> Result<Self, BadToolName> {
        let bytes = text.as_bytes();
        let head = bytes
            .first()
            .is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let rest = bytes
            .iter()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
        if head && rest && bytes.len() <= 64 {
            Ok(ToolName(text.to_owned()))
        } else {
            Err(BadToolName(text.to_owned()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `{tool}.tool.js`, the file that makes a folder a tool in JavaScript.
    pub fn main_file(&self) -> String {
        format!("{}.tool.js", self.0)
    }

    /// Each of the files that make a folder a tool; the first that is there is the tool.
    pub fn main_files(&self) -> [String; 2] {
        [self.main_file(), format!("{}.tool.py", self.0)]
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ToolName {
    type Error = BadToolName;
    fn try_from(text: String) -> Result<Self, BadToolName> {
        ToolName::parse(&text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> String {
        name.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepts_and_refuses() {
        for good in ["a", "0", "pdf-reader", "a_b-2"] {
            assert_eq!(ToolName::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "-a",
            "_a",
            "A",
            "a.b",
            "a/b",
            "..",
            "工具",
            "a b",
            &"a".repeat(65),
        ] {
            assert!(ToolName::parse(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn a_name_is_always_one_path_component(text in ".{0,20}") {
            if let Ok(name) = ToolName::parse(&text) {
                prop_assert_eq!(std::path::Path::new(name.as_str()).components().count(), 1);
                prop_assert!(!name.as_str().starts_with('.'));
            }
        }
    }
}
