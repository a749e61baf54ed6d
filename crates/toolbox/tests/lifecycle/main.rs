//! kill -9 at every step of putting a tool in its place, taking it back, going back to a version, removing and
//! restoring: what is there afterwards is the old folder or the new one, whole, with what is the person's.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and looks at what a kill left"
)]

use base::DataHome;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use toolbox::lifecycle::place::{BACK, PERSONAL, STEPS, about, folder_of, folders};

/// At random moments, beside one at the beginning of each step.
const KILLS: usize = 150;

/// The program lies beside this one, built with it.
fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples/place")
}

struct Place {
    _dir: TempDir,
    home: DataHome,
}

impl Place {
    fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        Place { _dir: dir, home }
    }

    fn tool(&self) -> PathBuf {
        self.home.toolbox().join("t")
    }

    fn command(&self, deed: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.arg(self.home.root()).args(deed);
        command.stdout(Stdio::piped()).stderr(Stdio::inherit());
        command
    }

    fn done(&self, deed: &[&str]) {
        let output = self.command(deed).output().unwrap();
        assert!(output.status.success(), "{deed:?}");
    }

    /// What the person put there.
    fn write_personal(&self) {
        for name in PERSONAL {
            let path = self.tool().join(name);
            match name.starts_with('.') || name.ends_with(".log") {
                true => std::fs::write(&path, name).unwrap(),
                false => {
                    std::fs::create_dir_all(&path).unwrap();
                    std::fs::write(path.join("mine"), name).unwrap();
                }
            }
        }
    }

    fn has_personal(folder: &Path) -> bool {
        let own = |name: &str| {
            let path = folder.join(name);
            let file = if path.is_dir() { path.join("mine") } else { path };
            std::fs::read_to_string(file).is_ok_and(|text| text == name)
        };
        let count = PERSONAL.into_iter().filter(|name| own(name)).count();
        assert!(
            count == 0 || count == PERSONAL.len(),
            "{count} of what is the person's"
        );
        count > 0
    }

    /// The version in a folder, every file of it; `None` where there is no tool.
    fn version(folder: &Path) -> Option<String> {
        let version = std::fs::read_to_string(folder.join("t.tool.js")).ok()?;
        let files = std::fs::read_dir(folder.join("lib")).unwrap();
        let texts: Vec<String> = files
            .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
            .collect();
        assert_eq!(texts.len(), 40);
        assert!(
            texts.iter().all(|text| *text == version),
            "two versions in one folder"
        );
        Some(version)
    }

    /// All that is kept: where, and which version.
    fn kept(&self) -> Vec<(PathBuf, String)> {
        let backups = folders(&self.home.tool_backups().join("t")).unwrap();
        let entries = backups
            .into_iter()
            .chain(folders(&self.home.tool_trash()).unwrap());
        entries
            .map(|entry| {
                assert!(about(&entry).is_some(), "{} is not whole", entry.display());
                let version = Place::version(&folder_of(&entry)).unwrap();
                (entry, version)
            })
            .collect()
    }

    fn left_over(&self) -> usize {
        folders(&self.home.tool_changes()).unwrap().len()
    }
}

/// Deeds, each possible after the one before; what may be there then, and what was.
const DEEDS: [(&[&str], Option<&str>); 8] = [
    (&["put", "1"], Some("1")),
    (&["put", "2"], Some("2")),
    (&["undo", "3"], Some("2")),
    (&["back"], Some("1")),
    (&["remove"], None),
    (&["restore"], Some("1")),
    (&["remove-all"], None),
    (&["restore"], Some("1")),
];

/// Runs a deed, killed: at the beginning of a step, or `after` that. Gives the last step that it said.
fn killed(place: &Place, deed: &[&str], step: &str, after: Option<Duration>) -> Option<&'static str> {
    let mut command = place.command(deed);
    if after.is_none() {
        command.args(["--die", step]);
    }
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut last = None;
    if let Some(after) = after {
        last = lines.find(|line| line == step);
        let begun = Instant::now();
        while begun.elapsed() < after {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
    }
    last = lines.last().or(last);
    let status = child.wait().unwrap();
    let last = last.filter(|_| !status.success())?;
    STEPS.into_iter().chain([BACK]).find(|step| *step == last)
}

#[test]
fn kills_at_every_step_leave_the_old_or_the_new_one_whole() {
    let mut histogram: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut seed = 0x9e37_79b9_u64;
    let mut random = || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap()
    };
    let steps: Vec<&str> = STEPS.into_iter().chain([BACK]).collect();
    let each = DEEDS.iter().enumerate().flat_map(|(at, _)| {
        let steps = &steps;
        steps.iter().map(move |step| (at, *step, None))
    });
    let mut turns: Vec<(usize, &str, Option<Duration>)> = each.collect();
    for _ in 0..KILLS {
        let (deed, step) = (random() % DEEDS.len(), steps[random() % steps.len()]);
        turns.push((deed, step, Some(Duration::from_micros((random() % 400) as u64))));
    }
    for (at, step, after) in turns {
        let place = Place::new();
        for (deed, _) in &DEEDS[..at] {
            place.done(deed);
            if deed[..] == ["put", "1"] {
                place.write_personal();
            }
        }
        let before = Place::version(&place.tool());
        let (deed, expected) = DEEDS[at];
        let all_before: BTreeSet<String> = place.kept().into_iter().map(|(_, version)| version).collect();
        let at_step = killed(&place, deed, step, after);
        *histogram
            .entry((deed[0], at_step.unwrap_or("it had ended")))
            .or_default() += 1;
        place.done(&["recover"]);
        let now = Place::version(&place.tool());
        let why = format!("{deed:?} killed at {at_step:?}");
        // Exchanged, and killed before anybody could say that it does not work.
        let unproved = deed[0] == "undo" && now.as_deref() == Some("3");
        assert!(
            now == before || now.as_deref() == expected || unproved,
            "{why}: {now:?} instead of {before:?} or {expected:?}"
        );
        assert_eq!(place.left_over(), 0, "{why}");
        // Nothing that was there or kept is lost.
        let mut all: BTreeSet<String> = place.kept().into_iter().map(|(_, version)| version).collect();
        all.extend(now.clone());
        for version in all_before.iter().chain(&before) {
            assert!(all.contains(version), "{why}: {version} is lost");
        }
        // What is the person's is in its place, or went with the tool.
        if at > 0 {
            let gone = deed[0] == "remove-all" && now.is_none()
                || (deed[0] == "restore" && at == 7 && now.is_none());
            let in_trash = place.kept().iter().any(|(entry, _)| {
                entry.starts_with(place.home.tool_trash()) && Place::has_personal(&folder_of(entry))
            });
            assert_eq!(Place::has_personal(&place.tool()), !gone, "{why}");
            assert_eq!(in_trash, gone, "{why}");
        }
        // And the deed can be done.
        if now == before && before.as_deref() != expected {
            place.done(deed);
            assert_eq!(Place::version(&place.tool()).as_deref(), expected, "{why}");
        }
    }
    println!("{histogram:#?}");
    let coming = ["sync", "journal", "exchange", "carry", "keep", "settle", "clear"];
    for deed in ["put", "back", "remove", "restore"] {
        for step in coming {
            assert!(
                histogram.contains_key(&(deed, step)),
                "{deed} was never killed at {step}: {histogram:#?}"
            );
        }
    }
    for step in ["sync", "journal", "exchange", "carry", BACK] {
        assert!(histogram.contains_key(&("undo", step)), "undo: {step}");
    }
    for step in ["journal", "exchange", "keep", "settle", "clear"] {
        assert!(
            histogram.contains_key(&("remove-all", step)),
            "remove-all: {step}"
        );
    }
}
