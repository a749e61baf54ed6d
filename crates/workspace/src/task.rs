//! A task's name, checked once: it becomes a folder's name in the history and the trash.

use crate::error::WorkspaceError;
use std::fmt;

/// `[A-Za-z0-9_-]{1,64}` (CONTRACT, "Workspace").
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(String);

const LONGEST: usize = 64;

impl TaskId {
    pub fn parse(text: &str) -> Result<Self, WorkspaceError> {
        let plain = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if plain && (1..=LONGEST).contains(&text.len()) {
            Ok(TaskId(text.to_owned()))
        } else {
            Err(WorkspaceError::InvalidTaskId {
                task: crate::files::shown(text),
            })
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_and_refuses() {
        let long = "a".repeat(LONGEST);
        for good in ["a", "0", "-", "_", "Task_1-b", &long] {
            assert_eq!(TaskId::parse(good).unwrap().as_str(), good);
        }
        let longer = "a".repeat(LONGEST + 1);
        for bad in ["", ".", "..", "a/b", "a b", "a.b", "任务", "a\0", "a\n", &longer] {
            assert!(TaskId::parse(bad).is_err(), "{bad:?}");
        }
    }
}
