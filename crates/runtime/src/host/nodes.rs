//! Which Node of this machine runs tools: the newest of those on PATH and of those that the usual version
//! managers keep. Each is asked for its version once, behind the walls of commands.
//!
//! Deliberately not here: whether that one will do (its guest says so).

use super::pool::Host;
use sandbox::{CommandPolicy, Mount};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tokio::sync::Mutex;

/// Programs that are asked.
const MOST: usize = 64;

/// Below home: folders with one folder for each version, and where the program lies in that.
const MANAGERS: &[(&str, &str)] = &[
    (".nvm/versions/node", "bin/node"),
    (".fnm/node-versions", "installation/bin/node"),
    (".local/share/fnm/node-versions", "installation/bin/node"),
    (".volta/tools/image/node", "bin/node"),
    (".asdf/installs/nodejs", "bin/node"),
    (".local/share/mise/installs/node", "bin/node"),
    (".nodenv/versions", "bin/node"),
];

type Version = [u32; 3];

/// What was answered, for as long as the program is the same.
#[derive(Debug, Default)]
pub(super) struct Nodes(Mutex<HashMap<Program, Option<Version>>>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Program {
    path: PathBuf,
    changed: SystemTime,
    size: u64,
}

impl Host {
    /// `empty`: a folder that they may see; `home` is hidden.
    pub(super) async fn newest_node(&self, empty: &Path, home: &Path) -> Option<PathBuf> {
        let look = || {
            let path = std::env::var_os("PATH").unwrap_or_default();
            find(&path, base::home::user_home().ok().as_deref())
        };
        let found = tokio::task::spawn_blocking(look).await.unwrap_or_default();
        let mut known = self.nodes().0.lock().await;
        known.retain(|program, _| found.contains(program));
        for program in &found {
            if !known.contains_key(program) {
                let version = self.version_of(&program.path, empty, home).await;
                known.insert(program.clone(), version);
            }
        }
        let newest = |program: &Program| {
            known
                .get(program)
                .copied()
                .flatten()
                .map(|version| (version, program.clone()))
        };
        // The first of equal ones.
        let best = found
            .iter()
            .rev()
            .filter_map(newest)
            .max_by_key(|(version, _)| *version);
        best.map(|(_, program)| program.path)
    }

    async fn version_of(&self, node: &Path, empty: &Path, home: &Path) -> Option<Version> {
        let mut policy = self.version_policy(node, empty);
        show(&mut policy, node);
        if home.exists() {
            policy.masked = vec![home.to_owned()];
        }
        match self.ask_version(&policy).await {
            Ok(outcome) => version(&outcome.stdout.text()),
            Err(error) => {
                tracing::warn!(error = %base::failure::chain(&error), "a Node could not be asked for its version");
                None
            }
        }
    }
}

/// What lies elsewhere than the system is seen by nobody behind the walls.
pub(super) fn show(policy: &mut CommandPolicy, node: &Path) {
    let seen = |folder: &PathBuf| node.starts_with(folder);
    if !node.starts_with("/usr") && !policy.toolchains.folders.iter().any(seen) {
        policy.mounts.push(Mount::read_only(node));
    }
}

/// By their real names, each once; those of `path` first. Blocks shortly.
fn find(path: &OsStr, home: Option<&Path>) -> Vec<Program> {
    let on_path = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("node"));
    let kept = home.into_iter().flat_map(|home| {
        MANAGERS.iter().flat_map(|(folder, node)| {
            let versions = std::fs::read_dir(home.join(folder)).into_iter().flatten();
            versions.flatten().map(move |version| version.path().join(node))
        })
    });
    let mut found: Vec<Program> = Vec::new();
    for place in on_path.chain(kept) {
        let Ok(path) = place.canonicalize() else { continue };
        let Ok(meta) = path.metadata() else { continue };
        let program = Program {
            path,
            changed: meta.modified().unwrap_or(SystemTime::UNIX_EPOCH),
            size: meta.len(),
        };
        if meta.is_file() && !found.contains(&program) && found.len() < MOST {
            found.push(program);
        }
    }
    found
}

/// `v22.3.0`, with whatever stands behind it.
fn version(said: &str) -> Option<Version> {
    let mut parts = said.trim().strip_prefix('v')?.splitn(3, '.');
    let mut number = || {
        let part = parts.next()?;
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        part[..end].parse().ok()
    };
    Some([number()?, number()?, number()?])
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::disallowed_methods,
        clippy::unwrap_used,
        reason = "a test fails by panicking"
    )]
    use super::*;

    #[test]
    fn all_of_the_path_and_of_the_managers_are_found_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let put = |name: &str| {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, name).unwrap();
            file
        };
        std::fs::create_dir_all(root.join("a/node")).unwrap();
        let c = put("c/node");
        let nvm = put(".nvm/versions/node/v22.1.0/bin/node");
        put(".nvm/versions/node/v20.1.0/lib/node");
        std::fs::create_dir_all(root.join("b")).unwrap();
        std::os::unix::fs::symlink(&c, root.join("b/node")).unwrap();
        let path = std::env::join_paths(["a", "b", "c"].map(|name| root.join(name))).unwrap();
        let paths = |found: Vec<Program>| -> Vec<PathBuf> { found.into_iter().map(|one| one.path).collect() };
        assert_eq!(paths(find(&path, Some(&root))), [c.clone(), nvm]);
        assert_eq!(paths(find(&path, None)), [c]);
        assert_eq!(paths(find(OsStr::new("node:."), None)), [] as [PathBuf; 0]);
    }

    #[test]
    fn versions_are_read_and_anything_else_is_none() {
        assert_eq!(version("v22.13.1\n"), Some([22, 13, 1]));
        assert_eq!(version("v25.0.0-nightly2025\n"), Some([25, 0, 0]));
        for said in ["", "22.1.0", "v22", "v22.1", "v22.x.1", "vx"] {
            assert_eq!(version(said), None, "{said}");
        }
    }
}
