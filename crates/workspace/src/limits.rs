//! How much is read, written and kept.

use base::settings::WorkspaceSettings;

/// What is kept comes from the settings; the rest fits what agents can use.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Bytes that one read gives at most.
    pub read_bytes: u64,
    /// Bytes that one write or append brings at most.
    pub write_bytes: u64,
    /// Largest file that is edited or appended to, and largest version that the history keeps.
    pub file_bytes: u64,
    /// Entries that one listing gives at most.
    pub list_entries: usize,
    /// Bytes of versions kept for a task; the newest change stays whatever its size.
    pub history_bytes: u64,
    /// Changes kept for a task.
    pub history_changes: usize,
    pub history_days: u32,
    /// Bytes of deleted things kept for a task; the newest stays whatever its size.
    pub trash_bytes: u64,
    pub trash_days: u32,
}

const MIB: u64 = 1024 * 1024;

impl From<&WorkspaceSettings> for Limits {
    fn from(settings: &WorkspaceSettings) -> Self {
        Limits {
            read_bytes: 10 * MIB,
            write_bytes: 10 * MIB,
            file_bytes: 64 * MIB,
            list_entries: 5000,
            history_bytes: u64::from(settings.history_mb) * MIB,
            history_changes: usize::try_from(settings.history_changes).unwrap_or(usize::MAX),
            history_days: settings.history_days,
            trash_bytes: u64::from(settings.trash_mb) * MIB,
            trash_days: settings.trash_days,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::from(&WorkspaceSettings::default())
    }
}
