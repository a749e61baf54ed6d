//! The tests in Rust. Cargo builds their programs; they run here, as many at once as there are processors. Cargo would
//! run one after the other, and half of them wait (for a limit to pass, for processes to die) while a processor idles.

use super::count::{self, Count};
use super::path;
use crate::{Outcome, proc};
use serde_json::Value;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Tests about Node, or beside npm: their targets have `test = false`.
const WITH_NODE: &[&str] = &["node_engine", "node_tools", "git_packages"];

/// What takes minutes begins first, or everything else would be done and wait for it.
const LONGEST: &[&str] = &["hostile", "command_walls"];

/// Lines of a program that failed which are shown once more, after all others.
const SHOWN_AGAIN: usize = 100;

/// What is said to each program.
#[derive(Default)]
pub struct Asked<'a> {
    /// Only tests whose names hold one of these.
    pub filters: &'a [String],
    /// Many more random cases, and the tests that take minutes.
    pub long: bool,
}

/// Builds them all, with the lints.
pub fn build() -> Outcome {
    proc::run(
        proc::as_tested("test")
            .env("PATH", path::without_node()?)
            .arg("--no-run"),
    )
}

/// Runs them all. The product needs neither node nor npm: its tests run where there is none.
pub fn run(asked: &Asked) -> Outcome<Count> {
    let without_node = path::without_node()?;
    let mut tests = programs(proc::as_tested("test").env("PATH", &without_node))?;
    for test in &mut tests {
        test.path = Some(without_node.clone());
    }
    let mut with_node = proc::as_tested("test");
    for name in WITH_NODE {
        with_node.args(["--test", name]);
    }
    tests.extend(programs(&mut with_node)?);
    tests.sort_by_key(|test| !LONGEST.contains(&test.name.as_str()));
    let logs = proc::scratch().join("tests");
    fs::create_dir_all(&logs)?;
    let at_once = thread::available_parallelism()?.get();
    all(&tests, asked, at_once, &logs, &mut std::io::stdout())
}

/// A program with tests.
#[derive(Debug, PartialEq)]
struct Program {
    name: String,
    file: PathBuf,
    /// Its package's, in which cargo would start it.
    folder: PathBuf,
    path: Option<OsString>,
}

/// What `cargo test` with these arguments would run, built.
fn programs(command: &mut Command) -> Outcome<Vec<Program>> {
    command
        .args(["--no-run", "--message-format", "json-render-diagnostics"])
        .stdout(Stdio::piped());
    println!("$ {}", proc::shown(command));
    let mut child = proc::spawn(command)?;
    let output = child.stdout.take().ok_or("the output of cargo is not a pipe")?;
    let mut found = Vec::new();
    for line in BufReader::new(output).lines() {
        found.extend(program(&serde_json::from_str(&line?)?));
    }
    match child.wait()? {
        status if status.success() => Ok(found),
        status => Err(format!("the tests were not built: cargo ended with {status}").into()),
    }
}

/// What a line of cargo's says was built, if it is a program with tests.
fn program(line: &Value) -> Option<Program> {
    if line["reason"] != "compiler-artifact" || line["profile"]["test"] != true {
        return None;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(Program {
        name: text(&line["target"]["name"])?,
        file: text(&line["executable"])?.into(),
        folder: Path::new(line["manifest_path"].as_str()?).parent()?.to_owned(),
        path: None,
    })
}

/// Runs the programs, `at_once` at a time; what each prints goes into a file in `logs` and is shown when it has ended.
/// The end of what failed is shown once more: of a long record, the end is what is read, and sometimes all that is kept.
fn all(
    tests: &[Program],
    asked: &Asked,
    at_once: usize,
    logs: &Path,
    shown: &mut (impl Write + Send),
) -> Outcome<Count> {
    let left = Mutex::new(tests.iter().enumerate());
    let together = Mutex::new((Count::NONE, Vec::new(), shown));
    thread::scope(|scope| -> Outcome {
        let run = || -> io::Result<()> {
            loop {
                let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((at, test)) = next else {
                    return Ok(());
                };
                let log = logs.join(format!("{at}.log"));
                let begun = Instant::now();
                let status = test.run(asked, &log)?;
                let mut together = together.lock().unwrap_or_else(PoisonError::into_inner);
                let (count, failed, shown) = &mut *together;
                show(test, &log, begun, count, shown)?;
                if !status.success() {
                    count.ended_well = false;
                    writeln!(shown, "--- {} FAILED: {status}", test.name)?;
                    failed.push((&test.name, status, log));
                }
            }
        };
        let running: Vec<_> = (0..at_once).map(|_| scope.spawn(run)).collect();
        for one in running {
            one.join().map_err(|_| "a thread that runs tests died")??;
        }
        Ok(())
    })?;
    let (count, failed, shown) = together.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (name, status, log) in failed {
        writeln!(shown, "--- {name} FAILED: {status}; the end of what it printed:")?;
        show_end(&log, shown)?;
    }
    Ok(count)
}

/// The last lines of a program that say more than that a test is well.
fn show_end(log: &Path, shown: &mut impl Write) -> io::Result<()> {
    let printed = fs::read(log)?;
    let lines = printed.split(|byte| *byte == b'\n');
    let lines: Vec<&[u8]> = lines
        .filter(|line| !line.is_empty() && !line.ends_with(b" ... ok"))
        .collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_AGAIN)..] {
        shown.write_all(line)?;
        shown.write_all(b"\n")?;
    }
    shown.flush()
}

impl Program {
    /// How it ended.
    fn run(&self, asked: &Asked, log: &Path) -> io::Result<ExitStatus> {
        let output = File::create(log)?;
        let mut command = proc::program(&self.file);
        command
            .args(asked.filters)
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .stdout(output.try_clone()?)
            .stderr(output);
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        if asked.long {
            command.env("PROPTEST_CASES", "2000").env("PM_TEST_LONG", "1");
        }
        command.status()
    }
}

/// Shows what a program has printed and adds it up.
fn show(
    test: &Program,
    log: &Path,
    begun: Instant,
    count: &mut Count,
    shown: &mut impl Write,
) -> io::Result<()> {
    let time = begun.elapsed().as_secs_f64();
    let folder = test.folder.strip_prefix(proc::root()).unwrap_or(&test.folder);
    writeln!(shown, "--- {} of {}, {time:.1} s", test.name, folder.display())?;
    let mut lines = BufReader::new(File::open(log)?);
    let mut line = Vec::new();
    // Tests may print anything, not only text.
    while lines.read_until(b'\n', &mut line)? > 0 {
        shown.write_all(&line)?;
        count::add(count, &String::from_utf8_lossy(&line));
        line.clear();
    }
    shown.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn programs_with_tests_are_told_from_what_else_is_built() {
        let line = json!({
            "reason": "compiler-artifact",
            "manifest_path": "/w/crates/base/Cargo.toml",
            "target": { "name": "base" },
            "profile": { "test": true },
            "executable": "/w/target/debug/deps/base-1",
        });
        assert_eq!(
            program(&line),
            Some(Program {
                name: "base".into(),
                file: "/w/target/debug/deps/base-1".into(),
                folder: "/w/crates/base".into(),
                path: None,
            })
        );
        for (key, other) in [
            ("reason", json!("build-finished")),
            ("profile", json!({ "test": false })),
            ("executable", Value::Null),
        ] {
            let mut line = line.clone();
            line[key] = other;
            assert_eq!(program(&line), None, "{key}");
        }
    }

    /// Programs that are shells with a line to run, which get the filters as arguments of their own.
    #[cfg(unix)]
    fn shells(dir: &Path, lines: &[&str]) -> Vec<Program> {
        use std::os::unix::fs::PermissionsExt;
        let program = |(at, line): (usize, &&str)| {
            let file = dir.join(format!("t{at}"));
            fs::write(&file, format!("#!/bin/sh\n{line}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            Program {
                name: format!("t{at}"),
                file,
                folder: dir.to_owned(),
                path: None,
            }
        };
        lines.iter().enumerate().map(program).collect()
    }

    #[test]
    #[cfg(unix)]
    fn all_are_run_shown_whole_and_added_up() {
        let dir = tempfile::tempdir().unwrap();
        let passed = "echo \"$PWD $1\"; echo 'test result: ok. 4 passed; 0 failed; 0 ignored'";
        let failed = "echo 'test result: FAILED. 1 passed; 2 failed; 0 ignored'; exit 101";
        let asked = Asked {
            filters: &["word".to_owned()],
            long: false,
        };
        let mut printed = Vec::new();
        let tests = shells(dir.path(), &[passed, failed, passed, "kill -9 $$"]);
        let count = all(&tests, &asked, 2, dir.path(), &mut printed).unwrap();
        assert_eq!(
            count,
            Count {
                passed: 9,
                failed: 2,
                ended_well: false
            }
        );
        let printed = String::from_utf8(printed).unwrap();
        let said = format!("{} word\n", dir.path().display());
        assert_eq!(printed.matches(&said).count(), 2, "{printed}");
        for (program, how, said) in [
            ("t1", "exit status: 101", "test result: FAILED"),
            ("t3", "signal: 9", ""),
        ] {
            let failed = format!("--- {program} FAILED: {how}");
            assert_eq!(printed.matches(&failed).count(), 2, "{printed}");
            let (_, end) = printed.rsplit_once(&failed).unwrap();
            assert!(end.contains(said), "{printed}");
        }
        let count = all(&tests[..1], &asked, 2, dir.path(), &mut Vec::new()).unwrap();
        assert_eq!((count.passed, count.ended_well), (4, true));
    }

    /// Each waits until the other has begun.
    #[test]
    #[cfg(unix)]
    fn as_many_run_at_once_as_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let wait = |mine: &str, other: &str| {
            format!(
                "mkfifo {mine} 2>/dev/null; mkfifo {other} 2>/dev/null; echo x > {mine} & read x < {other}"
            )
        };
        let (one, two) = (wait("f1", "f2"), wait("f2", "f1"));
        let tests = shells(dir.path(), &[&one, &two]);
        assert!(
            all(&tests, &Asked::default(), 2, dir.path(), &mut Vec::new())
                .unwrap()
                .ended_well
        );
    }
}
