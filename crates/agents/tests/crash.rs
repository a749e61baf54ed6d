//! A society of ten that is killed again and again, wherever it stands, and comes to the same end each time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

mod common;
#[path = "crash/script.rs"]
mod script;

use agents::society::{Party, Rest};
use common::{Scripted, open_store, society};
use script::script;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const KILLS: usize = 300;

/// Runs until it is settled or has written so many phases, and kills it then; the last of them.
fn run(home: &Path, phases: usize, wait: Duration) -> String {
    // Built with this test, in the folder beside its own.
    let own = std::env::current_exe().unwrap();
    let killed = own.parent().unwrap().with_file_name("examples").join("killed");
    let mut child = Command::new(killed)
        .arg(home)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut seen = 0;
    let (settled, last) = loop {
        let line = lines.next().expect("it does not end by itself").unwrap();
        // libtest writes its own words on the same line.
        let Some((_, phase)) = line.split_once("phase ") else {
            continue;
        };
        seen += 1;
        if phase == "settled" || seen >= phases {
            break (phase == "settled", phase.to_owned());
        }
    };
    if !settled {
        // So that not only the moments behind a line are hit.
        std::thread::sleep(wait);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    last
}

#[test]
fn wherever_it_is_killed_it_comes_to_the_same_end() {
    let mut random =
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    let mut next = move |below: u32| {
        use proptest::prelude::Rng as _;
        random.next_u32() % below
    };
    let mut histogram: BTreeMap<String, usize> = BTreeMap::new();
    let (mut kills, mut ends) = (0, 0);
    while kills < KILLS {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("work")).unwrap();
        loop {
            let phases = 1 + next(24) as usize;
            let wait = Duration::from_micros(u64::from(next(1500)));
            let phase = run(home.path(), phases, wait);
            if phase == "settled" {
                break;
            }
            *histogram.entry(phase).or_default() += 1;
            kills += 1;
        }
        ends += 1;
        let mut files = BTreeMap::new();
        for entry in std::fs::read_dir(home.path().join("work")).unwrap() {
            let entry = entry.unwrap();
            // What the test's own tool had begun to write.
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let text = std::fs::read_to_string(entry.path()).unwrap();
            files.insert(entry.file_name().into_string().unwrap(), text);
        }
        let wanted = ["00", "01", "10", "11", "20", "21"];
        let wanted = wanted.map(|file| (file.to_owned(), "first\nsecond\n".to_owned()));
        assert_eq!(
            messages(home.path()),
            19,
            "a wish, 9 briefs, 9 answers; one to the person"
        );
        assert_eq!(files, BTreeMap::from(wanted));
    }
    println!("{kills} kills over {ends} tasks, after: {histogram:?}");
    for phase in ["opened", "ask", "answered", "call", "called", "kept"] {
        assert!(
            histogram.contains_key(phase),
            "never hit behind {phase}: {histogram:?}"
        );
    }
}

/// How many there are of a task that has come to its end; each from and to whom it should be, and none twice.
fn messages(home: &Path) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let society = society(open_store(&home.join("data")), Scripted::new(home, script));
        let all = society
            .look("t1", |state| {
                let all = state.messages().iter().map(|one| one.message.clone());
                // Whoever could not go on left its work undone.
                let agents = state.org().agents();
                let rests = agents.map(|(agent, _)| (agent, state.mind(agent).unwrap().rest().cloned()));
                (
                    all.collect::<Vec<_>>(),
                    (state.is_busy(), state.paused().map(Option::<&_>::cloned)),
                    rests.collect::<BTreeMap<_, _>>(),
                )
            })
            .await
            .unwrap();
        society.shut_down().await;
        let (all, still, rests) = all;
        assert_eq!((still, rests.len()), ((false, None), 10));
        let rested = |rest: &Option<Rest>| matches!(rest, Some(Rest::Done));
        assert!(rests.values().all(rested), "{rests:?}");
        let mut said: Vec<&str> = all.iter().map(|one| one.text.as_str()).collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said.len(), all.len(), "nothing was said twice");
        let told: Vec<&str> = all
            .iter()
            .filter(|one| one.to == Party::User)
            .map(|one| one.text.as_str())
            .collect();
        assert_eq!(told, ["Delivered."], "{all:#?}");
        all.len() - 1
    })
}
