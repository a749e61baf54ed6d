//! Commands of the machine that a tool declares: on PATH, in a version that will do.

#![allow(clippy::disallowed_methods, reason = "looks for programs on PATH")]

use crate::catalog::blocking;
use crate::toolbox::{Toolbox, unreadable};
use base::{DataHome, Failure};
use std::collections::HashMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What `--version` said of a program that looks as it did then.
#[derive(Default)]
pub(super) struct Versions(Mutex<HashMap<(PathBuf, u64, i64), String>>);

/// As many as a path has at most for the kernel.
const LINKS: usize = 40;

impl Toolbox {
    pub(crate) async fn commands_there(&self, wanted: &[(String, Option<String>)]) -> Result<(), Failure> {
        for (name, range) in wanted {
            let Some(program) = on_path(name).await else {
                return Err(Failure::new("command_missing").with("name", name.as_str()));
            };
            let Some(range) = range.as_deref().filter(|range| !matches!(*range, "*" | "")) else {
                continue;
            };
            let found = self.version_of(&program).await?;
            if !found.as_deref().is_some_and(|found| npm::satisfies(found, range)) {
                return Err(Failure::new("command_version")
                    .with("name", name.as_str())
                    .with("range", range)
                    .with("found", found.unwrap_or_else(|| "?".to_owned())));
            }
        }
        Ok(())
    }

    async fn version_of(&self, program: &Program) -> Result<Option<String>, Failure> {
        let versions = &self.inner.dependencies.versions;
        let key = (program.path.clone(), program.size, program.changed);
        let known = {
            let all = versions.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.get(&key).cloned()
        };
        let text = match known {
            Some(text) => text,
            None => {
                let text = self.ask_version(&program.path).await?;
                // What said no version is asked again the next time.
                match version_in(&text) {
                    Some(_) => {
                        let mut all = versions.0.lock().unwrap_or_else(PoisonError::into_inner);
                        all.insert(key, text.clone());
                    }
                    None => tracing::warn!(program = %program.path.display(), text, "no version was said"),
                }
                text
            }
        };
        Ok(version_in(&text))
    }

    async fn ask_version(&self, program: &Path) -> Result<String, Failure> {
        let home = self.inner.home.root();
        // All that the program sees of us.
        let empty = self.empty_folder().await?;
        let text = self.inner.host.version_text(program, home, &empty).await;
        remove_folder(empty).await;
        Ok(text?)
    }
}

/// Where programs begin, in the folder `run` of the data home.
const BEGINNINGS: &str = "commands";

/// The folder in which programs of the toolbox begin, each in an empty one of its own.
pub(crate) fn beginnings(home: &DataHome) -> PathBuf {
    home.run().join(BEGINNINGS)
}

/// Removes what an owner that was killed left. At the start, before anything is asked.
pub(crate) fn sweep(home: &DataHome) {
    match std::fs::remove_dir_all(beginnings(home)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(%error, "a folder of programs stays");
        }
        _ => {}
    }
}

impl Toolbox {
    /// A folder with nothing in it, for a program to begin in.
    pub(super) async fn empty_folder(&self) -> Result<PathBuf, Failure> {
        let empty = beginnings(&self.inner.home).join(uuid::Uuid::new_v4().simple().to_string());
        let making = empty.clone();
        let made = blocking(move || base::atomic::create_dir_all(&making)).await;
        made.map_err(|error| unreadable(&empty, &error))?;
        Ok(empty)
    }
}

/// With whatever the program left in it. What stays, goes when the next owner starts.
pub(super) async fn remove_folder(folder: PathBuf) {
    let _ = blocking(move || std::fs::remove_dir_all(folder)).await;
}

pub(super) struct Program {
    path: PathBuf,
    size: u64,
    changed: i64,
}

/// The program of that name that a shell of ours would start.
pub(super) async fn on_path(name: &str) -> Option<Program> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    if name.is_empty() || !name.chars().all(plain) {
        return None;
    }
    let (name, path) = (name.to_owned(), std::env::var_os("PATH")?);
    let look = move || std::env::split_paths(&path).find_map(|folder| program(&folder.join(&name)));
    tokio::task::spawn_blocking(look).await.ok()?
}

fn program(path: &Path) -> Option<Program> {
    let meta = std::fs::metadata(path).ok()?;
    let runs = meta.is_file() && meta.permissions().mode() & 0o111 != 0;
    runs.then(|| Program {
        path: followed(path),
        size: meta.len(),
        changed: meta.mtime(),
    })
}

/// A link into another folder is followed: behind the wall are the folders of the system, not every
/// place that a PATH may name. One within its folder is how the program is called (`busybox`).
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let (Ok(target), Some(folder)) = (std::fs::read_link(&path), path.parent()) else {
            break;
        };
        let target = folder.join(target);
        if target.parent() == Some(folder) {
            break;
        }
        path = target;
    }
    path
}

/// The first thing that looks like a version: `24.0.7` of `Docker version 24.0.7, build afdd53b`.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut found = words.filter_map(|word| {
        let word = word.trim_matches('.');
        let mut parts: Vec<&str> = word.split('.').take(3).collect();
        let is_number = |part: &&str| !part.is_empty() && part.len() < 10;
        if parts.len() < 2 || !parts.iter().all(is_number) {
            return None;
        }
        parts.resize(3, "0");
        // A leading zero is no semantic version.
        let plain = parts.iter().map(|part| match part.trim_start_matches('0') {
            "" => "0",
            part => part,
        });
        Some(plain.collect::<Vec<_>>().join("."))
    });
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (text, version) in [
            ("Docker version 24.0.7, build afdd53b", "24.0.7"),
            ("git version 2.39.5", "2.39.5"),
            ("ffmpeg version 5.1.6-0+deb12u1 Copyright (c) 2000-2024", "5.1.6"),
            ("v20.20.2\n", "20.20.2"),
            ("jq-1.6", "1.6.0"),
            ("GNU bash, version 5.2.15(1)-release", "5.2.15"),
            ("Python 3.11.2", "3.11.2"),
            ("tool 2024.01.02", "2024.1.2"),
        ] {
            assert_eq!(version_in(text).as_deref(), Some(version), "{text}");
        }
        assert_eq!(version_in("no version 7 here"), None);
    }

    #[tokio::test]
    async fn only_plain_names_are_looked_for() {
        assert!(on_path("sh").await.is_some());
        for name in ["", "../bin/sh", "/bin/sh", "a b", "sh\0"] {
            assert!(on_path(name).await.is_none(), "{name}");
        }
    }

    #[test]
    fn links_are_followed_to_the_folder_of_the_program() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (there, here) = (folder.path().join("there"), folder.path().join("here"));
        for one in [&there, &here] {
            base::atomic::create_dir_all(one).unwrap();
        }
        symlink("busybox", there.join("tar")).unwrap();
        symlink("../there/tar", here.join("tar")).unwrap();
        symlink(here.join("loop"), there.join("loop")).unwrap();
        symlink(there.join("loop"), here.join("loop")).unwrap();
        assert_eq!(followed(&here.join("tar")), here.join("../there/tar"));
        assert_eq!(
            followed(Path::new("/usr/bin/no-such-program")),
            Path::new("/usr/bin/no-such-program")
        );
        followed(&here.join("loop"));
    }
}
