//! Which Node and which Python of this machine run tools: the newest of those on PATH and of those that the
//! usual version managers keep. Each is asked for its version once, behind the walls of commands.
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

/// A kind of program that tools run in.
pub(super) struct Kind {
    name: &'static str,
    /// Below home: folders with one folder for each version, and where the program lies in that.
    managers: &'static [(&'static str, &'static str)],
    /// What stands before the version when it is asked for.
    says: &'static str,
    /// What it needs to be seen beside itself.
    needs: fn(&Path) -> Vec<PathBuf>,
}

pub(super) static NODE: Kind = Kind {
    name: "node",
    managers: &[
        (".nvm/versions/node", "bin/node"),
        (".fnm/node-versions", "installation/bin/node"),
        (".local/share/fnm/node-versions", "installation/bin/node"),
        (".volta/tools/image/node", "bin/node"),
        (".asdf/installs/nodejs", "bin/node"),
        (".local/share/mise/installs/node", "bin/node"),
        (".nodenv/versions", "bin/node"),
    ],
    says: "v",
    needs: |_| Vec::new(),
};

pub(super) static PYTHON: Kind = Kind {
    name: "python3",
    managers: &[
        (".pyenv/versions", "bin/python3"),
        (".local/share/uv/python", "bin/python3"),
        (".asdf/installs/python", "bin/python3"),
        (".local/share/mise/installs/python", "bin/python3"),
    ],
    says: "Python ",
    needs: library,
};

type Version = [u32; 3];

/// What was answered, for as long as the program is the same.
#[derive(Debug, Default)]
pub(super) struct Interpreters(Mutex<HashMap<Program, Option<Version>>>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Program {
    path: PathBuf,
    changed: SystemTime,
    size: u64,
}

impl Host {
    /// `empty`: a folder that they may see; `home` is hidden.
    pub(super) async fn newest(&self, kind: &'static Kind, empty: &Path, home: &Path) -> Option<PathBuf> {
        let found = kind.found().await;
        let mut known = self.interpreters().0.lock().await;
        known.retain(|program, _| !kind.is(&program.path) || found.contains(program));
        for program in &found {
            if !known.contains_key(program) {
                let version = self.version_of(kind, &program.path, empty, home).await;
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

    async fn version_of(
        &self,
        kind: &'static Kind,
        program: &Path,
        empty: &Path,
        home: &Path,
    ) -> Option<Version> {
        let mut policy = self.version_policy(program, empty);
        kind.show(&mut policy, program).await;
        if home.exists() {
            policy.masked = vec![home.to_owned()];
        }
        match self.ask_version(&policy).await {
            Ok(outcome) => version(kind.says, &outcome.stdout.text()),
            Err(error) => {
                let error = base::failure::chain(&error);
                tracing::warn!(program = %program.display(), error, "it could not be asked for its version");
                None
            }
        }
    }
}

impl Kind {
    /// What lies elsewhere than the system is seen by nobody behind the walls.
    pub(super) async fn show(&self, policy: &mut CommandPolicy, program: &Path) {
        let (needs, own) = (self.needs, program.to_owned());
        let needed = tokio::task::spawn_blocking(move || needs(&own)).await;
        let all = needed.unwrap_or_default().into_iter().chain([program.to_owned()]);
        for path in all {
            let seen = |folder: &PathBuf| path.starts_with(folder);
            if !path.starts_with("/usr") && !policy.toolchains.folders.iter().any(seen) {
                policy.mounts.push(Mount::read_only(path));
            }
        }
    }

    /// Whether it is one of those that this machine offers: a folder that others fill may name any file.
    pub(super) async fn offers(&'static self, program: PathBuf) -> bool {
        self.found().await.iter().any(|found| found.path == program)
    }

    async fn found(&'static self) -> Vec<Program> {
        let look = || {
            let path = std::env::var_os("PATH").unwrap_or_default();
            find(self, &path, base::home::user_home().ok().as_deref())
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// By its real name, which may say its version.
    fn is(&self, program: &Path) -> bool {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(self.name)
    }
}

/// The standard library of a Python that lies elsewhere, and what it is linked to: `PLACE/bin/python3.12` has them in
/// `PLACE/lib`. No more of that place, which may be somebody's home.
fn library(python: &Path) -> Vec<PathBuf> {
    let place = python.parent().and_then(Path::parent);
    let Some(lib) = place.map(|place| place.join("lib")) else {
        return Vec::new();
    };
    let is_needed = |name: &str, path: &Path| {
        name.starts_with("libpython") || (name.starts_with("python3") && path.join("os.py").is_file())
    };
    let entries = std::fs::read_dir(&lib).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| is_needed(&name.to_string_lossy(), path))
        })
        .filter(|path| !path.is_symlink())
        .collect()
}

/// By their real names, each once; those of `path` first. Blocks shortly.
fn find(kind: &Kind, path: &OsStr, home: Option<&Path>) -> Vec<Program> {
    let on_path = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(kind.name));
    let kept = home.into_iter().flat_map(|home| {
        kind.managers.iter().flat_map(|(folder, program)| {
            let versions = std::fs::read_dir(home.join(folder)).into_iter().flatten();
            versions
                .flatten()
                .map(move |version| version.path().join(program))
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

/// `v22.3.0` or `Python 3.12.1`, with whatever stands behind it.
fn version(before: &str, said: &str) -> Option<Version> {
    let mut parts = said.trim().strip_prefix(before)?.splitn(3, '.');
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
        assert_eq!(paths(find(&NODE, &path, Some(&root))), [c.clone(), nvm]);
        assert_eq!(paths(find(&NODE, &path, None)), [c]);
        assert_eq!(paths(find(&NODE, OsStr::new("node:."), None)), [] as [PathBuf; 0]);
    }

    #[test]
    fn versions_are_read_and_anything_else_is_none() {
        assert_eq!(version("v", "v22.13.1\n"), Some([22, 13, 1]));
        assert_eq!(version("v", "v25.0.0-nightly2025\n"), Some([25, 0, 0]));
        assert_eq!(version("Python ", "Python 3.13.0rc1+\n"), Some([3, 13, 0]));
        for said in ["", "22.1.0", "v22", "v22.1", "v22.x.1", "vx"] {
            assert_eq!(version("v", said), None, "{said}");
        }
    }

    #[test]
    fn of_a_python_elsewhere_its_library_is_seen_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in [
            "bin/python3.12",
            "lib/python3.12/os.py",
            "lib/libpython3.12.so.1.0",
            "lib/secret",
            "lib/python3-notes/x",
        ] {
            let file = root.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, name).unwrap();
        }
        let mut seen = library(&root.join("bin/python3.12"));
        seen.sort();
        assert_eq!(
            seen,
            [root.join("lib/libpython3.12.so.1.0"), root.join("lib/python3.12")]
        );
        assert_eq!(library(Path::new("/")), [] as [PathBuf; 0]);
    }
}
