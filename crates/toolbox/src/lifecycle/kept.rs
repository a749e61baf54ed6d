//! Versions of a tool that a person can go back to, and tools that she removed.

use super::place::{self, About};
use crate::env_secrets;
use base::DataHome;
use base::name::ToolName;
use secrets::{Owner, Vault};
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
pub(super) fn empty_trash(home: &DataHome, vault: &Vault, before: i64) -> io::Result<usize> {
    let old: Vec<Kept> = removed(home)?
        .into_iter()
        .filter(|kept| kept.about.at < before)
        .collect();
    let mut secrets = Vec::new();
    for kept in &old {
        let folder = home.tool_trash().join(&kept.id).join(place::FOLDER);
        // A file that cannot be read names what the next start sweeps.
        let named = env_secrets::named_in(&folder).unwrap_or_default().into_iter();
        let owner = |name: &str| Owner::variable(kept.about.tool.as_str(), name);
        secrets.extend(named.map(|(name, reference)| (owner(&name), reference)));
    }
    let count = drop_all(&home.tool_trash(), old.into_iter())?;
    if let Err(error) = vault.forget(&secrets) {
        tracing::warn!(error = %base::failure::chain(&error), "secrets of removed tools stay");
    }
    Ok(count)
}

fn drop_all(folder: &Path, old: impl Iterator<Item = Kept>) -> io::Result<usize> {
    let mut count = 0;
    for kept in old {
        place::drop_entry(&folder.join(kept.id))?;
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "makes what is in the trash")]
mod tests {
    use super::*;
    use base::settings::SecretsIn;
    use secrets::{Patience, Place};

    fn kept(vault: &Vault, tool: &str) -> String {
        let reference = vault.keep(&Owner::variable(tool, "A_KEY"), &format!("value of {tool}"));
        reference.unwrap().unwrap().to_string()
    }

    fn put(folder: &Path, reference: &str) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(".env"), format!("A_KEY={reference}\n")).unwrap();
    }

    #[test]
    fn secrets_leave_with_the_tool_that_leaves_the_trash_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        let vault = Vault::at(home.secrets(), SecretsIn::File);
        let name = |text: &str| ToolName::parse(text).unwrap();
        let about = |tool: &str, at: i64| About {
            tool: name(tool),
            version: "1.0.0".to_owned(),
            at,
            hash: String::new(),
            rights: Vec::new(),
            data_stayed: false,
        };
        let mut all = Vec::new();
        for (tool, at) in [("old", 1), ("young", 100)] {
            let entry = home.tool_trash().join(format!("{tool}-1"));
            all.push((tool, kept(&vault, tool)));
            put(&entry.join("tool"), &all.last().unwrap().1);
            let text = serde_json::to_string(&about(tool, at)).unwrap();
            std::fs::write(entry.join("about.json"), text).unwrap();
        }
        for (tool, folder) in [
            ("here", home.tool(&name("here"))),
            ("version", home.tool_backups().join("here/1.0.0-1/tool")),
            ("coming", home.tool_changes().join("1/tool")),
        ] {
            all.push((tool, kept(&vault, tool)));
            put(&folder, &all.last().unwrap().1);
        }
        all.push(("nowhere", kept(&vault, "nowhere")));
        let there = |left: &[&str]| {
            let again = Vault::at(home.secrets(), SecretsIn::File);
            for (tool, reference) in &all {
                let (owner, reference) = (Owner::variable(tool, "A_KEY"), reference.parse().unwrap());
                let read = again.read(&owner, &reference, Patience::Short);
                assert_eq!(read.is_ok(), left.contains(tool), "{tool}");
            }
        };
        assert_eq!(empty_trash(&home, &vault, 50).unwrap(), 1);
        there(&["young", "here", "version", "coming", "nowhere"]);
        assert_eq!(env_secrets::sweep(&home, &vault, Default::default()).unwrap(), 1);
        there(&["young", "here", "version", "coming"]);
        // A line that is taken out for a while, and a file that lies elsewhere, count as well.
        let env = home.tool(&name("here")).join(".env");
        let text = std::fs::read_to_string(&env).unwrap();
        std::fs::remove_file(&env).unwrap();
        std::fs::write(dir.path().join("elsewhere"), format!("# {text}")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &env).unwrap();
        assert_eq!(env_secrets::sweep(&home, &vault, Default::default()).unwrap(), 0);
        there(&["young", "here", "version", "coming"]);
        // Where one file cannot be read, nobody knows what it names.
        std::fs::remove_file(&env).unwrap();
        let unreadable = home.tool(&name("other"));
        std::fs::create_dir_all(&unreadable).unwrap();
        std::fs::write(unreadable.join(".env"), [0xff]).unwrap();
        assert!(env_secrets::sweep(&home, &vault, Default::default()).is_err());
        there(&["young", "here", "version", "coming"]);
        assert_eq!(vault.place(), Some(Place::File));
    }
}
