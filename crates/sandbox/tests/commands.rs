//! A command from its start to its end, in both tiers: what it returns, and that nothing of it
//! outlives it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use base::Coded;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sandbox::{Ended, Launcher, Outcome, Run, Stream, Tier, Watching, prepare_command};
use std::time::Duration;
use support::lab::Lab;
use support::process::naming;
use support::{TIERS, Who, facts};

fn limit(millis: u64) -> Watching {
    Watching {
        limit: Some(Duration::from_millis(millis)),
        ..Watching::default()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// From the decision until the last process is dead.
const DEAD_WITHIN: Duration = Duration::from_millis(500);

/// Texts that block for longer than any limit here, each in its own way. `$1` names its processes.
const SURVIVORS: &[(&str, &str)] = &[
    ("in front", "exec sleep $1"),
    ("a child", "sleep $1; true"),
    ("background", "sleep $1 & sleep $1 & wait"),
    ("nohup", "nohup sleep $1 >/dev/null 2>&1 & nohup sleep $1"),
    ("own session", "setsid sleep $1 & setsid -w sleep $1"),
    ("daemon", "(setsid sh -c \"sleep $1 & exit\" &); sleep $1"),
    (
        "double fork",
        "sh -c 'sh -c \"sleep $1 & exec sleep $1\" & exit' & sleep $1",
    ),
    (
        "deaf",
        "trap '' TERM INT HUP QUIT; sleep $1 & while :; do sleep $1; done",
    ),
    (
        "deaf child",
        "sh -c 'trap \"\" TERM INT HUP QUIT; sleep $1; sleep $1' & wait",
    ),
    (
        "closed streams",
        "exec >/dev/null 2>&1 </dev/null; setsid sleep $1 & sleep $1",
    ),
    (
        "stopped",
        "sh -c 'kill -STOP $$' & sleep $1 & kill -STOP $! ; sleep $1",
    ),
    ("spinning", "sh -c 'while :; do :; done' $1 & while :; do :; done"),
    ("breeding", "f() { sleep 0.01; f & sleep $1 & }; f; sleep $1"),
    ("pipe", "yes | head -c 1000000000000 | sleep $1"),
];

/// Seconds that nobody else sleeps, so that a process is found by them.
fn marked(text: &str, mark: u64) -> String {
    text.replace("$1", &format!("{}", 100_000_000 + mark))
}

fn of_mark(mark: u64) -> Vec<u32> {
    naming(&[&format!("{}", 100_000_000 + mark)])
}

fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    u64::from(std::process::id()) * 1000 + NEXT.fetch_add(1, Ordering::Relaxed)
}

fn gone(outcome: &Outcome, mark: u64, what: &str) {
    assert!(outcome.swept, "{what}: {outcome:?}");
    let left = of_mark(mark);
    assert!(left.is_empty(), "{what}: {left:?} live after {outcome:?}");
    assert!(
        outcome.killing.is_none_or(|took| took < DEAD_WITHIN),
        "{what}: {:?}",
        outcome.killing
    );
}

/// Property 6.
#[test]
fn a_command_over_its_limit_ends_with_all_that_it_started() {
    let (lab, launcher, runtime) = (Lab::new(Who::Oneself), Launcher::start().unwrap(), runtime());
    let seen = std::cell::RefCell::new(Vec::new());
    for tier in TIERS {
        let mut runner = TestRunner::new(Config::with_cases(60));
        let shapes = (0..SURVIVORS.len(), 30u64..150, "[a-z]{0,8}", any::<bool>());
        let result = runner.run(&shapes, |(shape, millis, word, to_stderr)| {
            let mark = unique();
            let (name, text) = SURVIVORS[shape];
            let stream = if to_stderr { ">&2" } else { "" };
            let text = format!("printf '%s' '{word}' {stream}; {}", marked(text, mark));
            let outcome = runtime.block_on(lab.run(&launcher, tier, &text, limit(millis)));
            prop_assert_eq!(outcome.ended, Ended::TimedOut, "{} {:?}", name, &outcome);
            prop_assert!(outcome.took >= Duration::from_millis(millis));
            gone(&outcome, mark, name);
            // Unless it was killed before it said a word.
            let (said, other) = match to_stderr {
                true => (outcome.stderr.text(), outcome.stdout.text()),
                false => (outcome.stdout.text(), outcome.stderr.text()),
            };
            prop_assert!(said.is_empty() || said.starts_with(&word), "{said:?}");
            // nohup says that it ignores input, and a shell that a child of it was killed.
            let usual = other.contains("nohup") || other.contains("Killed");
            prop_assert!(other.is_empty() || usual, "{other:?}");
            seen.borrow_mut().push(outcome.killing.unwrap());
            Ok(())
        });
        result.unwrap();
    }
    let seen = seen.into_inner();
    println!(
        "{} limits; the slowest from the limit to the last process dead: {:?}",
        seen.len(),
        seen.iter().max()
    );
}

#[test]
fn every_kind_of_survivor_ends_with_its_command() {
    let (launcher, runtime) = (Launcher::start().unwrap(), runtime());
    for tier in TIERS {
        for (name, text) in SURVIVORS {
            let lab = Lab::new(Who::Oneself);
            let mark = unique();
            let text = format!(": > ready; {}", marked(text, mark));
            runtime.block_on(async {
                let prepared = prepare_command(&lab.policy(&text), &facts(tier)).unwrap();
                let mut running = launcher.run(prepared, limit(60_000)).await.unwrap();
                lab.made("ready").await;
                // Stopped from elsewhere, by a person for instance, once its processes are there.
                let seen = || of_mark(mark).len();
                while seen() == 0 {
                    tokio::task::yield_now().await;
                }
                running.stopper().stop();
                let outcome = running.wait().await.unwrap();
                assert_eq!(outcome.ended, Ended::Stopped);
                gone(&outcome, mark, name);
            });
        }
    }
}

#[test]
fn what_is_left_running_ends_when_the_command_ends() {
    let (lab, launcher, runtime) = (Lab::new(Who::Oneself), Launcher::start().unwrap(), runtime());
    for tier in TIERS {
        for text in [
            "sleep $1 & exit 5",
            "setsid nohup sleep $1 >/dev/null 2>&1 & exit 5",
            "(setsid sh -c 'sleep $1 & sleep $1' &) ; sleep 0.05; exit 5",
        ] {
            let mark = unique();
            let outcome = runtime.block_on(lab.run(&launcher, tier, &marked(text, mark), limit(30_000)));
            assert_eq!(
                (outcome.exit_code, outcome.ended),
                (5, Ended::Exited),
                "{tier:?} {text}"
            );
            gone(&outcome, mark, text);
        }
    }
}

#[tokio::test]
async fn dropping_it_is_the_end_as_well() {
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let lab = Lab::new(Who::Oneself);
        let mark = unique();
        let text = marked("setsid sleep $1 & : > ready; sleep $1", mark);
        let prepared = prepare_command(&lab.policy(&text), &facts(tier)).unwrap();
        let running = launcher.run(prepared, limit(60_000)).await.unwrap();
        lab.made("ready").await;
        drop(running);
        let left = support::process::left(|| of_mark(mark));
        assert!(left.is_empty(), "{tier:?} {left:?}");
    }
}

#[test]
fn killing_the_owner_ends_its_commands() {
    use std::io::Write;
    for who in Who::all() {
        for tier in ["full", "reduced"] {
            let (lab, mark) = (Lab::new(who), unique());
            let mut owner = std::process::Command::new(lab.program());
            owner
                .args(["host", tier])
                .arg(lab.root())
                .stdin(std::process::Stdio::piped());
            owner
                .env("SCENE", r#"{"abstract_name":""}"#)
                .stdout(std::process::Stdio::null());
            let mut owner = who.run(owner.current_dir("/")).spawn().unwrap();
            let text = marked("trap '' TERM HUP; setsid nohup sleep $1 & sleep $1", mark);
            let case = format!("{{\"name\":\"a\",\"text\":\"{text}\"}}\n");
            owner.stdin.take().unwrap().write_all(case.as_bytes()).unwrap();
            while of_mark(mark).len() < 2 {
                assert!(owner.try_wait().unwrap().is_none(), "{who:?} {tier}");
                std::thread::yield_now();
            }
            owner.kill().unwrap();
            owner.wait().unwrap();
            let left = support::process::left(|| of_mark(mark));
            assert!(left.is_empty(), "{who:?} {tier}: {left:?}");
        }
    }
}

/// Property 7.
#[test]
fn a_command_answers_with_both_streams_and_its_code() {
    let (lab, launcher, runtime) = (Lab::new(Who::Oneself), Launcher::start().unwrap(), runtime());
    for tier in TIERS {
        let mut runner = TestRunner::new(Config::with_cases(60));
        let words = ("[ -~你😀]{0,40}", "[ -~你😀]{0,40}", 0u8..=255);
        let result = runner.run(&words, |(out, err, code)| {
            let mut policy = lab.policy("printf %s \"$OUT\"; printf %s \"$ERR\" >&2; exit $CODE");
            policy.env = vec![
                ("OUT".into(), out.clone().into()),
                ("ERR".into(), err.clone().into()),
                ("CODE".into(), code.to_string().into()),
            ];
            let outcome = runtime.block_on(async {
                let prepared = prepare_command(&policy, &facts(tier)).unwrap();
                launcher
                    .run(prepared, limit(30_000))
                    .await
                    .unwrap()
                    .wait()
                    .await
                    .unwrap()
            });
            prop_assert_eq!(outcome.exit_code, i32::from(code));
            prop_assert_eq!(outcome.stdout.text(), out);
            prop_assert_eq!(outcome.stderr.text(), err);
            prop_assert_eq!(
                (outcome.ended, outcome.tier, outcome.swept),
                (Ended::Exited, tier, true)
            );
            Ok(())
        });
        result.unwrap();
    }
}

#[tokio::test]
async fn signals_are_told_as_128_and_more() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for tier in TIERS {
        for signal in [1, 2, 3, 6, 9, 11, 13, 14, 15] {
            for text in [format!("kill -{signal} $$"), format!("sh -c 'kill -{signal} $$'")] {
                let outcome = lab.run(&launcher, tier, &text, limit(30_000)).await;
                assert_eq!(
                    (outcome.exit_code, outcome.ended),
                    (128 + signal, Ended::Exited),
                    "{tier:?} {text}"
                );
            }
        }
        // A pipe that nobody reads: programs rely on the signal.
        let outcome = lab
            .run(&launcher, tier, "yes | head -1; echo done", limit(30_000))
            .await;
        assert_eq!(outcome.stdout.text(), "y\ndone\n", "{tier:?}");
        for (text, code) in [("no-such-program", 127), ("/etc", 126), ("exit 71", 71)] {
            assert_eq!(
                lab.run(&launcher, tier, text, limit(30_000)).await.exit_code,
                code,
                "{tier:?} {text}"
            );
        }
    }
}

#[tokio::test]
async fn output_is_drained_always_and_kept_to_a_cap() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for tier in TIERS {
        let text = "i=0; seq 1 400000; echo first >&2; seq 1 400000 >&2; exit 4";
        let watching = Watching {
            cap: 10_000,
            ..limit(60_000)
        };
        let outcome = lab.run(&launcher, tier, text, watching).await;
        assert_eq!(outcome.exit_code, 4);
        for (kept, written) in [(&outcome.stdout, 2_688_895), (&outcome.stderr, 2_688_901)] {
            assert_eq!(kept.written(), written, "{tier:?}");
            assert_eq!(kept.head.len() + kept.tail.len(), 10_000);
            assert!(kept.text().ends_with("399999\n400000\n"));
            assert!(kept.text().contains(&format!("[... {} bytes cut ...]", kept.cut)));
        }
        assert!(outcome.stdout.text().starts_with("1\n2\n") && outcome.stderr.text().starts_with("first\n"));
        let whole = lab
            .run(&launcher, tier, "head -c 1048576 /dev/zero", limit(60_000))
            .await;
        assert_eq!(
            (whole.stdout.head.len(), whole.stdout.cut),
            (1 << 20, 0),
            "the usual cap is 1 MiB"
        );
    }
}

#[tokio::test]
async fn output_comes_while_it_runs_and_a_slow_reader_holds_nothing_up() {
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let lab = Lab::new(Who::Oneself);
        let (live, mut chunks) = tokio::sync::mpsc::channel(4);
        let watching = Watching {
            live: Some(live),
            ..limit(60_000)
        };
        let text = "echo early; while [ ! -e go ]; do sleep 0.01; done; seq 1 300000; echo late >&2";
        let prepared = prepare_command(&lab.policy(text), &facts(tier)).unwrap();
        let mut running = launcher.run(prepared, watching).await.unwrap();
        let first = chunks.recv().await.unwrap();
        assert_eq!(
            (first.stream, &*first.bytes, first.missed),
            (Stream::Stdout, &b"early\n"[..], 0)
        );
        std::fs::write(lab.workspace().join("go"), "").unwrap();
        // Nobody takes more than four pieces now.
        let outcome = running.wait().await.unwrap();
        assert_eq!(outcome.exit_code, 0);
        let mut seen = first.bytes.len() as u64;
        while let Ok(chunk) = chunks.try_recv() {
            seen += chunk.bytes.len() as u64;
        }
        assert!(seen < outcome.stdout.written(), "some was missed");
    }
}

#[tokio::test]
async fn nothing_of_the_owner_is_inherited() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    // SAFETY of meaning: the tests of this file share the process; nobody else reads this one.
    let leak = rustix::fs::open(
        "/etc/passwd",
        rustix::fs::OFlags::RDONLY,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    for tier in TIERS {
        let outcome = lab
            .run(&launcher, tier, "env; ls -l /proc/self/fd; cat", limit(30_000))
            .await;
        let text = outcome.stdout.text();
        assert_eq!(outcome.exit_code, 0, "standard input is empty");
        assert!(
            text.contains("PATH=/usr/local/sbin") && text.contains("HOME=/tmp/"),
            "{text}"
        );
        for word in ["CARGO_MANIFEST_DIR", "RUST_BACKTRACE", "LD_", "SSH_", "passwd"] {
            assert!(!text.contains(word), "{tier:?} {word}: {text}");
        }
        let numbers = text.lines().filter(|line| line.contains(" -> ")).count();
        assert_eq!(numbers, 4, "three streams and the folder that is listed: {text}");
    }
    drop(leak);
}

#[tokio::test]
async fn fifty_at_once() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for tier in TIERS {
        let mut all = tokio::task::JoinSet::new();
        for number in 0..50 {
            let text = format!("echo {number} | cat; echo $(({number} * 2)) >&2; exit {number}");
            let prepared = prepare_command(&lab.policy(&text), &facts(tier)).unwrap();
            let launcher = launcher.clone();
            all.spawn(async move {
                let mut running = launcher.run(prepared, limit(120_000)).await.unwrap();
                (number, running.wait().await.unwrap())
            });
        }
        while let Some(result) = all.join_next().await {
            let (number, outcome) = result.unwrap();
            let said = (outcome.exit_code, outcome.stdout.text(), outcome.stderr.text());
            assert_eq!(
                said,
                (number, format!("{number}\n"), format!("{}\n", number * 2)),
                "{tier:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_start_that_fails_is_an_error_and_not_an_answer() {
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let lab = Lab::new(Who::Oneself);
        let mut facts = facts(tier);
        facts.landlock = 1000;
        let prepared = prepare_command(&lab.policy("true"), &facts).unwrap();
        let error = launcher
            .run(prepared, limit(30_000))
            .await
            .unwrap()
            .wait()
            .await
            .unwrap_err();
        assert_eq!(error.code(), "sandbox_start");
        assert!(
            error.to_string().contains("Landlock ABI 1000 was promised"),
            "{error}"
        );
        let mut policy = lab.policy("true");
        policy.workspace = lab.root().join("none");
        let prepared = prepare_command(&policy, &support::facts(tier)).unwrap();
        let error = launcher.run(prepared, limit(30_000)).await.unwrap_err();
        assert_eq!(error.code(), "sandbox_path_missing");
        policy.workspace = lab.root().join("link");
        std::os::unix::fs::symlink("/etc", &policy.workspace).unwrap();
        let prepared = prepare_command(&policy, &support::facts(tier)).unwrap();
        let error = launcher.run(prepared, limit(30_000)).await.unwrap_err();
        assert_eq!(error.code(), "sandbox_path_symlink");
        policy.workspace = lab.workspace();
        policy.run = Run::Program(vec!["no-such-program".into()]);
        let prepared = prepare_command(&policy, &support::facts(tier)).unwrap();
        let outcome = launcher
            .run(prepared, limit(30_000))
            .await
            .unwrap()
            .wait()
            .await
            .unwrap();
        assert_eq!(outcome.exit_code, 127, "as a shell would say it: {outcome:?}");
    }
}

#[tokio::test]
async fn what_would_mislead_git_is_removed() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let git = lab.workspace().join(".git");
    std::fs::create_dir(&git).unwrap();
    std::fs::write(git.join("config"), "[core]\n").unwrap();
    let outcome = lab
        .run(
            &launcher,
            Tier::Full,
            "echo ../evil > .git/commondir; echo x > .git/own",
            limit(30_000),
        )
        .await;
    assert_eq!(outcome.removed, [git.join("commondir")]);
    assert!(!git.join("commondir").exists() && git.join("own").exists());
    let before = lab
        .run(&launcher, Tier::Full, "echo x >> .git/hooks/a", limit(30_000))
        .await;
    assert_ne!(before.exit_code, 0, "not even where there were no hooks");
    // A link in its place leads nowhere.
    std::fs::remove_dir(git.join("hooks")).unwrap();
    std::os::unix::fs::symlink("/root", git.join("hooks")).unwrap();
    let prepared = prepare_command(&lab.policy("ls .git/hooks/"), &facts(Tier::Full)).unwrap();
    if let Ok(mut running) = launcher.run(prepared, limit(30_000)).await {
        let result = running.wait().await;
        assert!(result.is_err() || !result.unwrap().stdout.text().contains("cargo"));
    }
}

/// A repository as `git init` makes it, in the workspace.
fn repository(lab: &Lab, place: &str) {
    let git = lab.workspace().join(place);
    for folder in ["hooks", "objects", "refs"] {
        std::fs::create_dir_all(git.join(folder)).unwrap();
    }
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(git.join("config"), "[core]\n").unwrap();
}

#[tokio::test]
async fn repositories_further_down_are_held_as_well() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for place in [".git", ".git/modules/part", "a/b/.git", "bare"] {
        repository(&lab, place);
    }
    std::fs::create_dir(lab.workspace().join("part")).unwrap();
    std::fs::write(
        lab.workspace().join("part/.git"),
        "gitdir: ../.git/modules/part\n",
    )
    .unwrap();
    let attacks = [
        "echo '[core] fsmonitor = x' >> .git/modules/part/config",
        "echo x > .git/modules/part/hooks/post-checkout",
        "echo 'gitdir: ../evil' > part/.git",
        "mv part/.git part/g",
        "echo '[core] fsmonitor = x' >> a/b/.git/config",
        "echo x > a/b/.git/hooks/pre-commit",
        "mv a/b/.git a/b/g",
        "echo '[core] fsmonitor = x' >> bare/config",
    ];
    for attack in attacks {
        let outcome = lab.run(&launcher, Tier::Full, attack, limit(30_000)).await;
        assert_ne!(outcome.exit_code, 0, "{attack}: {outcome:?}");
        assert!(outcome.git.is_empty(), "{attack}: {outcome:?}");
    }
    let files = "echo x > .git/modules/part/index && echo x > a/b/.git/index && echo x > bare/refs/r";
    let outcome = lab.run(&launcher, Tier::Full, files, limit(30_000)).await;
    assert_eq!(outcome.exit_code, 0, "git can work: {outcome:?}");
    // The same texts, where nothing is held.
    for attack in attacks {
        let outcome = lab.run(&launcher, Tier::Reduced, attack, limit(30_000)).await;
        assert_eq!(outcome.exit_code, 0, "{attack}: {outcome:?}");
        let put_back = "mv part/g part/.git; mv a/b/g a/b/.git; true";
        lab.run(&launcher, Tier::Reduced, put_back, limit(30_000)).await;
    }
}

#[tokio::test]
async fn what_runs_with_git_later_is_said() {
    for tier in TIERS {
        let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
        let text = "git init -q made && git -C made config core.fsmonitor ./evil \
            && printf '#!/bin/sh\\n' > made/.git/hooks/post-checkout && chmod +x made/.git/hooks/post-checkout";
        let outcome = lab.run(&launcher, tier, text, limit(30_000)).await;
        assert_eq!(outcome.exit_code, 0, "{outcome:?}");
        let [danger] = &outcome.git[..] else {
            panic!("{tier:?}: {outcome:?}")
        };
        assert_eq!(danger.place, std::path::Path::new("made/.git"));
        assert_eq!(danger.what, ["config: core.fsmonitor", "hooks/post-checkout"]);
        let text = "git init -q plain && cd plain && git config user.name x && echo x > f && git add f \
            && git -c user.email=a@b commit -qm 1 && git clone -q . ../copy";
        let outcome = lab.run(&launcher, tier, text, limit(30_000)).await;
        assert_eq!((outcome.exit_code, &outcome.git[..]), (0, &[][..]), "{outcome:?}");
    }
}

/// What is left in the temporary folder of the reduced tier: as a program that was killed leaves it.
#[tokio::test]
async fn the_temporary_folder_goes_whatever_a_command_did_to_it() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let text =
        "echo $TMPDIR; mkdir -p $TMPDIR/a/b && echo x > $TMPDIR/a/b/c && chmod 0 $TMPDIR/a/b $TMPDIR/a";
    let outcome = lab.run(&launcher, Tier::Reduced, text, limit(30_000)).await;
    let folder = outcome.stdout.text().trim().to_owned();
    assert!(folder.starts_with("/tmp/pm-scratch-"), "{outcome:?}");
    assert!(!std::path::Path::new(&folder).exists());
    // The next one lies ready, and goes with the launcher.
    let text = "echo $TMPDIR";
    let outcome = lab.run(&launcher, Tier::Reduced, text, limit(30_000)).await;
    assert!(!std::path::Path::new(outcome.stdout.text().trim()).exists());
}
