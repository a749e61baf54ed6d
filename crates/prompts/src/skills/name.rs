//! The name of a skill, which is its folder's.

use super::error::SkillError;
use crate::path::plain_name;
use std::fmt;

/// Of the specification.
const MAX_CHARS: usize = 64;

/// A name that is one part of a path and hides nothing. Whether it is as the specification wants it is
/// another question ([`SkillName::is_proper`]): folders that people made otherwise are shown as well.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(String);

impl SkillName {
    pub fn parse(text: &str) -> Result<Self, SkillError> {
        match plain_name(text) && !text.contains('/') {
            true => Ok(SkillName(text.to_owned())),
            false => Err(SkillError::BadName(base::text::cut(text, 200))),
        }
    }

    /// For a new skill: as the specification wants it.
    pub fn proper(text: &str) -> Result<Self, SkillError> {
        let name = SkillName::parse(text)?;
        match name.is_proper() {
            true => Ok(name),
            false => Err(SkillError::BadName(base::text::cut(text, 200))),
        }
    }

    /// 1 to 64 of a-z, 0-9 and `-`, which neither begins nor ends it nor stands twice in a row.
    pub fn is_proper(&self) -> bool {
        is_proper(&self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

pub(super) fn is_proper(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty()
        && name.len() <= MAX_CHARS
        && name.bytes().all(plain)
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_part_of_a_path() {
        for bad in ["", ".", "..", "a/b", "/a", ".git", "a\\b", "a\0", "a ", "a\n"] {
            assert!(SkillName::parse(bad).is_err(), "{bad:?}");
        }
        for improper in ["Pdf", "a_b", "-a", "a-", "a--b", "技能", &"a".repeat(65)] {
            assert!(!SkillName::parse(improper).unwrap().is_proper(), "{improper:?}");
            assert!(SkillName::proper(improper).is_err(), "{improper:?}");
        }
        for proper in ["a", "0", "pdf-tools", &"a".repeat(64)] {
            assert!(SkillName::proper(proper).unwrap().is_proper(), "{proper:?}");
        }
    }
}
