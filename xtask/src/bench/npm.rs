//! Installing packages, beside npm (this machine's), pnpm and bun, all without scripts: the same sets
//! and modes, each in turn in every round, with what they installed compared.
//!
//! Ours is the installer as a program of its own (the example `install`), as theirs are. Each has a
//! cache of its own. `PM_BENCH_SETS` and `PM_BENCH_ROUNDS` choose less than everything.

use super::stats::{Samples, ms, ratio};
use crate::files::TempDir;
use crate::{Outcome, node, proc};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PEERS: &str = "benches/packages";
const ROUNDS: usize = 3;
/// How often a peak of memory is looked at; the kernel keeps the highest itself.
const LOOK: Duration = Duration::from_millis(2);

const SETS: &[(&str, &[(&str, &str)])] = &[
    ("two", &[("lodash", "^4.17.21"), ("dayjs", "^1.11.0")]),
    (
        "six",
        &[
            ("pdf-parse", "1"),
            ("axios", "1"),
            ("cheerio", "1"),
            ("js-yaml", "4"),
            ("zod", "3"),
            ("mammoth", "1"),
        ],
    ),
    (
        "four",
        &[
            ("puppeteer-core", "24"),
            ("@modelcontextprotocol/sdk", "1"),
            ("express", "5"),
            ("sharp", "0.34"),
        ],
    ),
    (
        "many",
        &[
            ("webpack", "5"),
            ("webpack-cli", "5"),
            ("webpack-dev-server", "5"),
            ("jest", "29"),
            ("jest-environment-jsdom", "29"),
            ("eslint", "8"),
            ("typescript", "5"),
            ("@babel/preset-env", "7"),
            ("@babel/core", "7"),
        ],
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mode {
    Cold,
    LockColdCache,
    LockWarmCache,
    NoOp,
}

impl Mode {
    const ALL: [Mode; 4] = [Mode::Cold, Mode::LockColdCache, Mode::LockWarmCache, Mode::NoOp];

    fn name(self) -> &'static str {
        match self {
            Mode::Cold => "cold",
            Mode::LockColdCache => "lock, cold cache",
            Mode::LockWarmCache => "lock, warm cache",
            Mode::NoOp => "no-op",
        }
    }

    /// Ours over bun, pnpm, npm.
    fn goals(self) -> [f64; 3] {
        match self {
            Mode::Cold => [1.0, 0.5, 0.1],
            Mode::LockColdCache => [0.6, 0.4, 0.2],
            Mode::LockWarmCache => [0.7, 0.4, 0.05],
            Mode::NoOp => [0.3, 0.1, 0.01],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Ours,
    Bun,
    Pnpm,
    Npm,
}

impl Who {
    const ALL: [Who; 4] = [Who::Ours, Who::Bun, Who::Pnpm, Who::Npm];

    fn name(self) -> &'static str {
        match self {
            Who::Ours => "ours",
            Who::Bun => "bun",
            Who::Pnpm => "pnpm",
            Who::Npm => "npm",
        }
    }

    fn lock(self) -> &'static str {
        match self {
            Who::Ours | Who::Npm => "package-lock.json",
            Who::Bun => "bun.lock",
            Who::Pnpm => "pnpm-lock.yaml",
        }
    }

    fn program(self) -> PathBuf {
        let modules = proc::root().join(PEERS).join("node_modules");
        match self {
            Who::Ours => proc::target("release").join("examples/install"),
            Who::Bun => modules.join("@oven/bun-linux-x64/bin/bun"),
            Who::Pnpm => modules.join("pnpm/bin/pnpm.cjs"),
            Who::Npm => PathBuf::from("npm"),
        }
    }

    fn command(self) -> Command {
        match self {
            Who::Ours | Who::Bun => proc::program(self.program()),
            Who::Npm => node::npm(),
            Who::Pnpm => {
                let mut command = proc::program("node");
                command.arg(self.program());
                command
            }
        }
    }

    fn install(self, folder: &Path, cache: &Path) -> Command {
        let mut command = self.command();
        match self {
            Who::Ours => command.arg(folder).arg(cache).arg("--quiet"),
            Who::Bun => command
                .args(["install", "--ignore-scripts", "--no-progress", "--cache-dir"])
                .arg(cache),
            Who::Pnpm => command
                .args([
                    "install",
                    "--ignore-scripts",
                    "--no-frozen-lockfile",
                    "--reporter=silent",
                ])
                .arg(format!("--store-dir={}", cache.join("store").display()))
                .arg(format!("--config.cache-dir={}", cache.join("meta").display())),
            Who::Npm => command
                .args([
                    "install",
                    "--ignore-scripts",
                    "--no-audit",
                    "--no-fund",
                    "--no-progress",
                ])
                .arg("--cache")
                .arg(cache),
        };
        command
            .current_dir(folder)
            .env("PM_NODE", "20.20.2")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }
}

#[derive(Default)]
struct Measured {
    times: Samples,
    peak_kb: u64,
}

pub fn run() -> Outcome<String> {
    node::install(PEERS)?;
    proc::run(proc::cargo().args(["build", "--release", "-p", "npm", "--example", "install"]))?;
    let rounds = std::env::var("PM_BENCH_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS);
    let chosen = std::env::var("PM_BENCH_SETS").unwrap_or_default();
    let mut text = format!(
        "{rounds} rounds; in each, all four take turns, mode by mode. Ratios are of the medians, ours over theirs;\n\
         the goal stands beside each. Peak memory is the highest of all rounds. No scripts are run.\n\n"
    );
    for who in Who::ALL.into_iter().skip(1) {
        let version = proc::ask(who.command().arg("--version")).unwrap_or_default();
        writeln!(text, "- {} {}", who.name(), version.trim())?;
    }
    for (name, dependencies) in SETS {
        if chosen.is_empty() || chosen.split(',').any(|one| one == *name) {
            text.push_str(&set(name, dependencies, rounds)?);
        }
    }
    Ok(text)
}

fn set(name: &str, dependencies: &[(&str, &str)], rounds: usize) -> Outcome<String> {
    let root = TempDir::new("packages")?;
    let own: BTreeMap<&str, &str> = dependencies.iter().copied().collect();
    let manifest = json!({"name": "set", "version": "1.0.0", "private": true, "dependencies": own});
    let mut measured: BTreeMap<(Mode, Who), Measured> = BTreeMap::new();
    for _ in 0..rounds {
        for mode in Mode::ALL {
            for who in Who::ALL {
                let at = root.path().join(who.name());
                let (time, peak) = once(who, mode, &at, &manifest)?;
                let entry = measured.entry((mode, who)).or_default();
                entry.times.add(time);
                entry.peak_kb = entry.peak_kb.max(peak);
            }
        }
    }
    let tree = |who: Who| installed(&root.path().join(who.name()).join("set"));
    let (ours, npm) = (tree(Who::Ours)?, tree(Who::Npm)?);
    let names = |tree: &BTreeSet<String>| -> BTreeSet<String> {
        let last = |place: &String| place.rsplit("node_modules/").next().unwrap_or(place).to_owned();
        tree.iter().map(last).collect()
    };
    let mut text = format!(
        "\n## {name}: {}\n\n{} places in our tree, {} in npm's, {} that differ; packages and versions that \
         only one side has: bun {}, pnpm {}.\n\n",
        own.keys().copied().collect::<Vec<_>>().join(", "),
        ours.len(),
        npm.len(),
        ours.symmetric_difference(&npm).count(),
        names(&ours)
            .symmetric_difference(&names(&tree(Who::Bun)?))
            .count(),
        names(&ours)
            .symmetric_difference(&names(&pnpm_tree(&root.path().join("pnpm/set"))?))
            .count(),
    );
    text.push_str(
        "| mode | ours, ms | bun | pnpm | npm | over bun (goal) | over pnpm | over npm | peak MB: ours | bun | pnpm | npm |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for mode in Mode::ALL {
        let of = |who: Who| {
            measured
                .get(&(mode, who))
                .map(|one| (one.times.percentile(50.0), one.peak_kb))
        };
        let time = |who| of(who).and_then(|(time, _)| time);
        write!(text, "| {} ", mode.name())?;
        for who in Who::ALL {
            write!(text, "| {} ", ms(time(who)))?;
        }
        for (who, goal) in [Who::Bun, Who::Pnpm, Who::Npm].into_iter().zip(mode.goals()) {
            write!(text, "| {} ({goal}) ", ratio(time(who), time(Who::Ours)))?;
        }
        for who in Who::ALL {
            write!(text, "| {} ", of(who).map_or(0, |(_, peak)| peak / 1024))?;
        }
        text.push_str("|\n");
    }
    Ok(text)
}

/// An empty folder; what was there goes aside. It is not deleted before the end: ext4 looks for places
/// among those that were freed lately, and every folder that is made next would be dearer for whoever
/// comes after a large tree.
fn anew(folder: &Path) -> Outcome<()> {
    if folder.exists() {
        let (mut number, mut aside) = (0, folder.to_owned());
        while aside.exists() {
            number += 1;
            aside.set_extension(number.to_string());
        }
        fs::rename(folder, aside)?;
    }
    fs::create_dir_all(folder)?;
    Ok(())
}

/// Time and peak memory in kB of one install; what the mode wants is put there before.
fn once(who: Who, mode: Mode, at: &Path, manifest: &Value) -> Outcome<(Duration, u64)> {
    let (folder, cache) = (at.join("set"), at.join("cache"));
    if mode != Mode::NoOp {
        let lock = fs::read(folder.join(who.lock())).ok();
        anew(&folder)?;
        fs::write(folder.join("package.json"), format!("{manifest:#}\n"))?;
        match (mode, lock) {
            (Mode::Cold, _) => {}
            (_, Some(lock)) => fs::write(folder.join(who.lock()), lock)?,
            (_, None) => return Err(format!("{} left no lock", who.name()).into()),
        }
    }
    if matches!(mode, Mode::Cold | Mode::LockColdCache) {
        anew(&cache)?;
    }
    // What was written before is not this install's to wait for.
    proc::run(&mut proc::program("sync"))?;
    let begun = Instant::now();
    let mut child = proc::spawn(&mut who.install(&folder, &cache))?;
    let mut peak = 0;
    let status = loop {
        peak = peak.max(high_water(child.id()));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(LOOK.min(begun.elapsed() / 50));
    };
    let time = begun.elapsed();
    if !status.success() {
        return Err(format!("{} failed in mode {}", who.name(), mode.name()).into());
    }
    Ok((time, peak))
}

fn high_water(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

/// `node_modules/a/node_modules/b@1.0.0`
fn installed(folder: &Path) -> Outcome<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    walk(folder, "node_modules", &mut found)?;
    Ok(found)
}

/// pnpm keeps each package in a folder of its own.
fn pnpm_tree(folder: &Path) -> Outcome<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let virtual_store = folder.join("node_modules/.pnpm");
    for entry in fs::read_dir(&virtual_store)? {
        walk(&entry?.path(), "node_modules", &mut found)?;
    }
    Ok(found)
}

fn walk(root: &Path, at: &str, found: &mut BTreeSet<String>) -> Outcome {
    let Ok(entries) = fs::read_dir(root.join(at)) else {
        return Ok(());
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_dir() || name.starts_with('.') {
            continue;
        }
        let place = format!("{at}/{name}");
        if name.starts_with('@') {
            walk(root, &place, found)?;
            continue;
        }
        if let Ok(bytes) = fs::read(root.join(&place).join("package.json")) {
            let manifest: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            found.insert(format!("{place}@{}", manifest["version"].as_str().unwrap_or("?")));
        }
        walk(root, &format!("{place}/node_modules"), found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_are_places_with_versions() {
        let dir = tempfile::tempdir().unwrap();
        for (place, version) in [("a", "1.0.0"), ("a/node_modules/b", "2.0.0"), ("@s/c", "3.0.0")] {
            let folder = dir.path().join("node_modules").join(place);
            fs::create_dir_all(&folder).unwrap();
            fs::write(
                folder.join("package.json"),
                format!(r#"{{"version": "{version}"}}"#),
            )
            .unwrap();
        }
        fs::create_dir_all(dir.path().join("node_modules/.bin")).unwrap();
        let found: Vec<String> = installed(dir.path()).unwrap().into_iter().collect();
        assert_eq!(
            found,
            [
                "node_modules/@s/c@3.0.0",
                "node_modules/a/node_modules/b@2.0.0",
                "node_modules/a@1.0.0"
            ]
        );
    }

    #[test]
    fn own_memory_is_something() {
        assert!(high_water(std::process::id()) > 500);
        assert_eq!(high_water(u32::MAX), 0);
    }
}
