//! Versions of a tool that a person can go back to, and tools that she removed.

use super::place::{self, About};
use base::DataHome;
use base::name::ToolName;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that is kept: a version, or a tool in the trash.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    /// Name of its entry: `{version}-{time}`, or `{tool}-{time}`.
    pub id: String,
    pub about: About,
}

/// Newest first. Blocking.
pub(super) fn versions(home: &DataHome, tool: &ToolName) -> io::Result<Vec<Kept>> {
    entries(&home.tool_backups().join(tool.as_str()))
}

/// Newest first. Blocking.
pub(super) fn removed(home: &DataHome) -> io::Result<Vec<Kept>> {
    entries(&home.tool_trash())
}

fn entries(folder: &Path) -> io::Result<Vec<Kept>> {
    let found = place::folders(folder)?.into_iter().filter_map(|entry| {
        let id = entry.file_name()?.to_str()?.to_owned();
        let about = place::about(&entry)?;
        Some(Kept { id, about })
    });
    let mut kept: Vec<Kept> = found.collect();
    kept.sort_by(|one, other| (other.about.at, &other.id).cmp(&(one.about.at, &one.id)));
    Ok(kept)
}

/// Where a version goes, below the data home.
pub(super) fn place_for_version(home: &DataHome, tool: &ToolName, version: &str) -> PathBuf {
    let folder = home.tool_backups().join(tool.as_str());
    below(home, folder.join(named(version)))
}

/// Where a removed tool goes, below the data home.
pub(super) fn place_for_removed(home: &DataHome, tool: &ToolName) -> PathBuf {
    below(home, home.tool_trash().join(named(tool.as_str())))
}

pub(super) fn below(home: &DataHome, path: PathBuf) -> PathBuf {
    path.strip_prefix(home.root()).map(Path::to_owned).unwrap_or(path)
}

/// A version is any text that a tool's author wrote.
fn named(text: &str) -> String {
    let plain: String = text
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '+' | '_'))
        .take(64)
        .collect();
    let plain = plain.trim_start_matches('.');
    format!("{plain}-{}", base::clock::stamp_for_names())
}

/// Drops all but the newest `most`. Blocking.
pub(super) fn prune(home: &DataHome, tool: &ToolName, most: usize) -> io::Result<usize> {
    let folder = home.tool_backups().join(tool.as_str());
    let old = versions(home, tool)?.into_iter().skip(most);
    drop_all(&folder, old)
}

/// Drops what was removed before that time. Blocking.
pub(super) fn empty_trash(home: &DataHome, before: i64) -> io::Result<usize> {
    let old = removed(home)?.into_iter().filter(|kept| kept.about.at < before);
    drop_all(&home.tool_trash(), old)
}

fn drop_all(folder: &Path, old: impl Iterator<Item = Kept>) -> io::Result<usize> {
    let mut count = 0;
    for kept in old {
        place::drop_entry(&folder.join(kept.id))?;
        count += 1;
    }
    Ok(count)
}
