//! `pm workspace exec` as people use it: output while it comes, exit codes, Ctrl+C.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use common::{Home, bound, until};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Output, Stdio};

fn words<'w>(command: &'w [&'w str]) -> Vec<&'w str> {
    [&["workspace", "exec", "t1"], command].concat()
}

fn exec(home: &Home, command: &str) -> Output {
    home.pm(&words(&["--", command]))
}

fn start(home: &Home, command: &str) -> Child {
    let mut pm = home.command(&words(&["--", command]));
    pm.stdout(Stdio::piped()).stderr(Stdio::piped());
    pm.spawn().unwrap()
}

/// Whether a process has this word among its own.
fn runs(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap();
    let mut lines =
        entries.map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")).unwrap_or_default());
    lines.any(|line| line.split(|byte| *byte == 0).any(|one| one == word.as_bytes()))
}

/// Of an owner that serves, and of one that is made for the verb.
fn both(test: impl Fn(&Home, &std::path::Path)) {
    for serves in [true, false] {
        let home = Home::new();
        let folder = bound(&home);
        let served = serves.then(|| home.serve());
        test(&home, &folder);
        drop(served);
    }
}

#[test]
fn output_comes_while_it_runs_and_the_exit_code_is_named() {
    both(|home, folder| {
        let command = "echo one; echo zwö >&2; while [ ! -e go ]; do sleep 0.02; done; printf three; exit 3";
        let mut pm = start(home, command);
        let mut out = BufReader::new(pm.stdout.take().unwrap());
        let mut err = BufReader::new(pm.stderr.take().unwrap());
        let line = |from: &mut dyn BufRead| {
            let mut line = String::new();
            from.read_line(&mut line).unwrap();
            line
        };
        assert_eq!((line(&mut out), line(&mut err)), ("one\n".into(), "zwö\n".into()));
        std::fs::write(folder.join("go"), "").unwrap();
        let (mut rest, mut noise) = (String::new(), String::new());
        out.read_to_string(&mut rest).unwrap();
        err.read_to_string(&mut noise).unwrap();
        assert_eq!((rest.as_str(), noise.as_str()), ("three", "pm: exit code 3\n"));
        assert_eq!(pm.wait().unwrap().code(), Some(0), "it ran");
        let killed = exec(home, "kill -9 $$");
        assert_eq!(killed.status.code(), Some(0), "it ran");
        assert!(
            String::from_utf8_lossy(&killed.stderr).contains("exit code 137"),
            "{killed:?}"
        );
    });
}

#[test]
fn a_flood_comes_through_whole_and_in_order() {
    let home = Home::new();
    bound(&home);
    let ran = exec(&home, "seq 1 100000; seq 1 50000 >&2; seq 100001 150000");
    assert_eq!(ran.status.code(), Some(0));
    let numbers = |to: u32| (1..=to).map(|n| format!("{n}\n")).collect::<String>();
    assert!(
        ran.stdout == numbers(150_000).as_bytes(),
        "{} bytes",
        ran.stdout.len()
    );
    assert!(
        ran.stderr == numbers(50_000).as_bytes(),
        "{} bytes",
        ran.stderr.len()
    );
}

#[test]
fn ctrl_c_ends_all_of_it() {
    both(|home, _| {
        let word = format!("8{}", std::process::id());
        let mut pm = start(
            home,
            &format!("trap '' INT TERM; echo up; setsid sleep {word} & sleep {word}"),
        );
        let mut out = BufReader::new(pm.stdout.take().unwrap());
        out.read_line(&mut String::new()).unwrap();
        until("it runs", || runs(&word));
        kill_process(Pid::from_child(&pm), Signal::INT).unwrap();
        assert_eq!(pm.wait().unwrap().code(), Some(130));
        assert!(!runs(&word), "when pm has ended, so has what it ran");
    });
}

#[test]
fn what_does_not_run_to_its_end_says_why_after_what_it_wrote() {
    let home = Home::new();
    bound(&home);
    let late = home.pm(&words(&[
        "--timeout-ms",
        "3000",
        "--",
        "echo begun; echo x >&2; sleep 1000",
    ]));
    assert_eq!(
        (late.status.code(), late.stdout.as_slice()),
        (Some(1), &b"begun\n"[..])
    );
    let noise = String::from_utf8(late.stderr).unwrap();
    assert!(
        noise.starts_with("x\npm: ") && noise.contains("时间限制"),
        "{noise}"
    );
    let blocked = exec(&home, "sudo ls");
    assert_eq!(
        (blocked.status.code(), blocked.stdout.as_slice()),
        (Some(1), &b""[..])
    );
    let unbound = home.pm(&["workspace", "exec", "t9", "--", "true"]);
    assert_eq!(unbound.status.code(), Some(1));
}

#[test]
fn a_reader_that_goes_away_ends_it() {
    let home = Home::new();
    bound(&home);
    for command in ["while :; do echo y; sleep 0.01; done", "echo y; sleep 0.3; yes"] {
        let mut pm = start(&home, command);
        let mut first = [0; 2];
        pm.stdout.take().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(&first, b"y\n");
        assert_eq!(pm.wait().unwrap().code(), Some(128 + 13));
    }
}
