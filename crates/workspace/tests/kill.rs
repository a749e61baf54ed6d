//! kill -9 while files of a workspace are changed in every way. Whatever the moment: files are whole,
//! what was answered is there, and history, trash and files agree after the next start.
//!
//! The histogram says which moments were hit.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "starts and kills the writer; a test fails by panicking"
)]

mod common;

use common::{WINDOW, below, open};
use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use store::Store;
use workspace::{Limits, Version};

const ROUNDS: usize = 80;

/// Built with the tests of this crate.
fn writer() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/kill_writer");
    assert!(path.exists(), "{path:?} is built by `cargo test -p workspace`");
    path
}

/// Runs it until the moment; gives what it said.
fn run(home: &Path, folder: &Path, start: u64, moment: Duration) -> Vec<String> {
    let mut child = Command::new(writer())
        .args([home, folder])
        .arg(start.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let reader = std::thread::spawn(move || lines.map(Result::unwrap).collect());
    // The moment is the point: it is drawn, not waited for.
    std::thread::sleep(moment);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_default()
}

#[tokio::test]
async fn a_killed_writer_leaves_files_and_history_that_agree() {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let (home, folder) = (base.join("home"), base.join("ws"));
    std::fs::create_dir(&folder).unwrap();
    for (name, text) in [("e", "n0 rest"), ("m-a", "moved")] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    std::fs::create_dir_all(folder.join("d/sub")).unwrap();
    std::fs::write(folder.join("d/sub/file"), "kept").unwrap();

    let mut random = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let mut histogram: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let (mut next, mut written, mut appended) = (1, 0, Vec::<u64>::new());
    for round in 0..ROUNDS {
        let moment = Duration::from_micros(random.rng().next_u64() % 150_000);
        let said = run(&home, &folder, next, moment);
        let last = said.last().map(|line| line.split(' ').collect::<Vec<_>>());
        let (kind, phase) = match last.as_deref() {
            Some([kind, "begins", _]) => ((*kind).to_owned(), phase(&home, &folder).await),
            _ => ("none".to_owned(), "between two changes"),
        };
        *histogram.entry((kind.clone(), phase)).or_default() += 1;

        let (_, store, all) = open(&home, Limits::default()).await;
        let task = all.get("t").unwrap();
        assert!(
            store.unsettled_changes().await.unwrap().is_empty(),
            "round {round}"
        );
        let left = below(&folder)
            .into_iter()
            .filter(|name| name.contains(".pm-tmp-"))
            .collect::<Vec<_>>();
        assert!(left.is_empty(), "round {round}: {left:?}");

        let span = |kind: &str| {
            let number = |state| {
                let start = format!("{kind} {state} ");
                said.iter()
                    .rev()
                    .find_map(|line| line.strip_prefix(&start)?.parse::<u64>().ok())
            };
            (number("done"), number("begins"))
        };
        let text = read(&folder, "f");
        if !text.is_empty() {
            let (number, pad) = text.split_once(' ').expect("half a file");
            assert_eq!(pad, "y".repeat(20_000), "half a file");
            let found: u64 = number.parse().unwrap();
            let (done, begun) = span("write");
            let allowed = done.unwrap_or(written)..=begun.unwrap_or(written);
            assert!(
                allowed.contains(&found),
                "round {round}: {found} is not in {allowed:?}"
            );
            written = found;
        }
        let lines: Vec<u64> = read(&folder, "log")
            .lines()
            .map(|line| line.parse().unwrap())
            .collect();
        assert!(
            lines.starts_with(&appended),
            "round {round}: appended lines are lost"
        );
        let (done, begun) = span("append");
        assert!(
            done.is_none_or(|done| lines.contains(&done)),
            "round {round}: an answered append is lost"
        );
        assert!(
            lines.last() <= begun.or(appended.last().copied()).as_ref(),
            "round {round}"
        );
        appended = lines;
        let moved = [folder.join("m-a"), folder.join("m-b")].map(|path| path.exists());
        assert_ne!(moved[0], moved[1], "round {round}: the moved file is there once");

        // The history's last word on a file is what it holds.
        for name in ["f", "log", "e"] {
            let (changes, _) = task.history(Some(name), WINDOW).await.unwrap();
            let Some(change) = changes.first() else { continue };
            let kept = task
                .version(Version::After(change.id.clone()))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(
                String::from_utf8(kept).unwrap(),
                read(&folder, name),
                "round {round}: {name}"
            );
            for pair in changes.windows(2) {
                assert_eq!(pair[0].before, pair[1].after, "round {round}: {name} has a gap");
            }
        }
        let trash = task.trash().await.unwrap();
        let there = folder.join("d/sub/file").exists();
        assert_eq!(
            there,
            trash.is_empty(),
            "round {round}: in the workspace or in the trash"
        );
        let in_trash = home.join("trash/workspaces/t");
        let names: Vec<String> = trash.iter().map(|change| change.id.clone()).collect();
        let found: Vec<String> = std::fs::read_dir(in_trash).map_or_else(
            |_| Vec::new(),
            |entries| {
                entries
                    .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                    .collect()
            },
        );
        assert_eq!(found, names, "round {round}");
        let (changes, _) = task
            .history(
                None,
                store::Window {
                    offset: 0,
                    limit: 100_000,
                },
            )
            .await
            .unwrap();
        let named: BTreeSet<String> = changes
            .iter()
            .flat_map(|change| [&change.before, &change.after])
            .flatten()
            .filter_map(|content| content.hash.clone())
            .collect();
        assert_eq!(
            below(&home.join("history/t")),
            named.into_iter().collect::<Vec<_>>(),
            "round {round}"
        );
        next = said
            .iter()
            .filter_map(|line| line.rsplit(' ').next()?.parse().ok())
            .max()
            .unwrap_or(next)
            + 1;
    }

    println!("moments hit in {ROUNDS} kills:");
    for ((kind, phase), times) in &histogram {
        println!("  {kind:8} {phase:40} {times}");
    }
    let during: usize = histogram
        .iter()
        .filter(|((_, phase), _)| *phase != "between two changes")
        .map(|(_, times)| times)
        .sum();
    let phases: BTreeSet<&str> = histogram.keys().map(|(_, phase)| *phase).collect();
    assert!(
        during >= ROUNDS / 4,
        "only {during} of {ROUNDS} kills met a change"
    );
    let met: BTreeSet<&str> = histogram
        .keys()
        .map(|(kind, _)| kind.as_str())
        .filter(|kind| *kind != "none")
        .collect();
    assert!(phases.len() >= 3 && met.len() >= 3, "{phases:?} {met:?}");
}

/// How far the change had come, before anything is put in order.
async fn phase(home: &Path, folder: &Path) -> &'static str {
    let home = base::DataHome::at(home).unwrap();
    let store = Store::open(&home, 1000).unwrap();
    let unsettled = store.unsettled_changes().await.unwrap();
    let Some(change) = unsettled.first() else {
        let named: BTreeSet<String> = store
            .all_changes("t".into())
            .await
            .unwrap()
            .into_iter()
            .flat_map(|change| [change.before, change.after])
            .flatten()
            .filter_map(|content| content.hash)
            .collect();
        let orphans = below(&home.history().join("t"))
            .iter()
            .any(|name| !named.contains(name));
        return if orphans {
            "versions kept, no row yet"
        } else {
            "nothing yet, or settled and not answered"
        };
    };
    if below(folder).iter().any(|name| name.contains(".pm-tmp-")) {
        return "row written, temporary file there";
    }
    let holds = match (&change.after, change.from.as_deref()) {
        (Some(after), _) => {
            let bytes = std::fs::read(home.history().join("t").join(after.hash.as_deref().unwrap())).unwrap();
            std::fs::read(folder.join(&change.path)).is_ok_and(|found| found == bytes)
        }
        (None, Some(from)) => !folder.join(from).exists(),
        (None, None) => folder.join(&change.path).exists() != (change.op == store::ChangeOp::Delete),
    };
    if holds {
        "changed, row not settled"
    } else {
        "row written, not changed"
    }
}
