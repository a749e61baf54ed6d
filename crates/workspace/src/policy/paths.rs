//! Where a path leads, judged by its text alone: no file is looked at, so links are the sandbox's
//! business. The workspace is `/workspace` (what agents see), `/tmp` is the command's own.

use super::mark;
use serde::Deserialize;

/// Stands for every home folder: what matters is that it lies outside.
pub const HOME: &str = "/home/~";
pub const WORKSPACE: &str = "/workspace";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// `/`, `/*`.
    Root,
    /// The workspace itself or everything in it.
    Workspace,
    Inside,
    /// `.git` itself, and what git runs or reads in it: its hooks and configuration.
    Git,
    Tmp,
    Home,
    /// `/etc`, `/usr`, … and everything in them.
    System,
    /// `/dev/*`, except what takes output harmlessly.
    Device,
    Stream,
    Outside,
    /// `/` or a system folder should an unknown part of it be empty: `"$X"/*`.
    PerhapsRoot,
    Unknown,
}

const SYSTEM: &[&str] = &[
    "etc",
    "usr",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "boot",
    "proc",
    "sys",
    "var",
    "run",
    "opt",
    "srv",
    "System",
    "Library",
    "Applications",
    "private",
];

/// The path's absolute components; `None` when it starts with something unknown.
pub fn resolve(path: &str, cwd: Option<&str>) -> Option<Vec<String>> {
    let mut components: Vec<String> = Vec::new();
    let absolute = path.starts_with('/');
    if !absolute {
        components.extend(parts(cwd?));
    }
    for part in parts(path) {
        match part.as_str() {
            "." => {}
            ".." => {
                components.pop();
            }
            _ => components.push(part),
        }
    }
    Some(components)
}

fn parts(path: &str) -> impl Iterator<Item = String> {
    path.split('/').filter(|part| !part.is_empty()).map(str::to_owned)
}

pub fn classify(path: &str, cwd: Option<&str>) -> Target {
    if path.starts_with(mark::UNKNOWN) {
        return behind_unknown(path);
    }
    if path.is_empty() {
        return Target::Unknown;
    }
    let Some(components) = resolve(path, cwd) else {
        // Somewhere below a folder nobody knows; upwards from there may be outside.
        return if path.split('/').any(|part| part == "..") {
            Target::PerhapsRoot
        } else {
            Target::Unknown
        };
    };
    let components: Vec<&str> = components.iter().map(String::as_str).collect();
    let Some((first, rest)) = components.split_first() else {
        return Target::Root;
    };
    if first.chars().all(|c| c == mark::UNKNOWN) {
        return if rest.is_empty() {
            Target::PerhapsRoot
        } else {
            Target::Unknown
        };
    }
    if first.contains(mark::STAR) && mark::matches_all(first) {
        return Target::Root;
    }
    if first.contains(mark::is_glob) {
        return Target::System;
    }
    match (*first, rest) {
        ("workspace", []) => Target::Workspace,
        ("workspace", [all]) if mark::matches_all(all) => Target::Workspace,
        ("workspace", [.., ".git"] | [.., ".git", "config"]) => Target::Git,
        ("workspace", [_, ..]) if in_hooks(rest) => Target::Git,
        ("workspace", _) => Target::Inside,
        ("tmp", _) | ("var", ["tmp", ..]) => Target::Tmp,
        ("dev", ["null" | "stdout" | "stderr" | "tty"] | ["fd", _]) => Target::Stream,
        ("proc", ["self", "fd", _]) => Target::Stream,
        ("dev", _) => Target::Device,
        ("home" | "root" | "Users", _) => Target::Home,
        (name, _) if SYSTEM.contains(&name) => Target::System,
        _ => Target::Outside,
    }
}

fn in_hooks(components: &[&str]) -> bool {
    components.windows(2).any(|pair| pair == [".git", "hooks"])
}

/// `$X/…`: harmless as a rule, but `/…` if X is empty.
fn behind_unknown(path: &str) -> Target {
    let rest = path.trim_start_matches(mark::UNKNOWN);
    if !rest.starts_with('/') {
        return Target::Unknown;
    }
    match (classify(rest, None), parts(rest).count()) {
        (Target::Root | Target::PerhapsRoot, _) => Target::PerhapsRoot,
        (Target::System | Target::Home | Target::Device, 1) => Target::PerhapsRoot,
        _ => Target::Unknown,
    }
}
