//! A PATH on which neither node nor npm can be found.
//!
//! They live in the same folder as everything else (`/usr/bin`), so folders cannot be left out:
//! a folder of links to every other program takes their place.

use crate::{Outcome, proc};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

const HIDDEN: &[&str] = &[
    "node", "nodejs", "npm", "npx", "corepack", "yarn", "yarnpkg", "pnpm", "pnpx", "bun", "bunx", "deno",
];

pub fn without_node() -> Outcome<OsString> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = proc::scratch().join("path-without-node");
    link_programs(&path, &folder)?;
    Ok(folder.into_os_string())
}

/// Links in `folder`, made anew, to what `path` finds: the first of each name wins.
#[cfg(unix)]
fn link_programs(path: &OsString, folder: &Path) -> Outcome {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut seen: BTreeSet<OsString> = HIDDEN.iter().map(OsString::from).collect();
    for source in std::env::split_paths(path).filter(|source| source.is_absolute()) {
        // A PATH may name folders that are not there.
        let Ok(entries) = fs::read_dir(&source) else {
            continue;
        };
        for entry in entries {
            let entry = entry?;
            if seen.insert(entry.file_name()) {
                std::os::unix::fs::symlink(entry.path(), folder.join(entry.file_name()))?;
            }
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn link_programs(_: &OsString, _: &Path) -> Outcome {
    Err("the Rust tests run where programs can be linked: on Linux and macOS".into())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn everything_but_node_is_found_and_the_first_wins() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for (file, text) in [
            ("one/git", "1"),
            ("one/npm", "1"),
            ("two/git", "2"),
            ("two/node", "2"),
            ("two/sh", "2"),
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), text).unwrap();
        }
        let path = std::env::join_paths([at("one"), at("missing"), at("two")]).unwrap();
        // Twice: the second time finds the links of the first.
        for _ in 0..2 {
            link_programs(&path, &at("links")).unwrap();
        }
        let mut names: Vec<_> = fs::read_dir(at("links"))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["git", "sh"]);
        assert_eq!(fs::read_to_string(at("links/git")).unwrap(), "1");
    }

    #[test]
    fn a_child_with_this_path_has_no_node() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("links");
        link_programs(&std::env::var_os("PATH").unwrap(), &folder).unwrap();
        let find = |name: &str| {
            proc::program("sh")
                .args(["-c", &format!("command -v {name}")])
                .env("PATH", &folder)
                .output()
                .unwrap()
        };
        assert!(find("sh").status.success());
        assert!(!find("node").status.success());
        assert!(!find("npm").status.success());
    }
}
