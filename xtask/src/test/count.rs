//! Runs cargo's tests, shows what they print, and adds up their closing lines.

use crate::{Outcome, proc};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    /// The command's own verdict: a test program that dies counts nobody.
    pub ended_well: bool,
}

impl Count {
    /// Both together.
    pub fn and(self, other: Count) -> Count {
        Count {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            ended_well: self.ended_well && other.ended_well,
        }
    }
}

/// Why these tests are no success.
pub fn failure(count: Option<Count>) -> Option<String> {
    match count? {
        Count {
            failed: many @ 1.., ..
        } => Some(format!("{many} tests failed")),
        Count {
            ended_well: false, ..
        } => Some("cargo test did not end well".to_owned()),
        Count { passed: 0, .. } => Some("no test ran".to_owned()),
        Count { .. } => None,
    }
}

/// What the command prints goes on to `shown`.
pub fn run(command: &mut Command, shown: &mut impl Write) -> Outcome<Count> {
    println!("$ {}", proc::shown(command));
    let mut child = proc::spawn(command.stdout(Stdio::piped()))?;
    let output = child
        .stdout
        .take()
        .ok_or("the output of cargo test is not a pipe")?;
    let mut count = Count::default();
    let mut reader = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        // Tests may print anything, not only text.
        shown.write_all(&line)?;
        add(&mut count, &String::from_utf8_lossy(&line));
    }
    count.ended_well = child.wait()?.success();
    Ok(count)
}

/// `test result: ok. 12 passed; 0 failed; 0 ignored; …`
fn add(count: &mut Count, line: &str) {
    let Some(rest) = line.trim().strip_prefix("test result: ") else {
        return;
    };
    let Some((_, numbers)) = rest.split_once(". ") else {
        return;
    };
    for part in numbers.split("; ") {
        match part.split_once(' ') {
            Some((number, "passed")) => count.passed += number.parse().unwrap_or(0),
            Some((number, "failed")) => count.failed += number.parse().unwrap_or(0),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_added_up() {
        let mut count = Count::default();
        for line in [
            "test a ... ok",
            "test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
        ] {
            add(&mut count, line);
        }
        assert_eq!(
            count,
            Count {
                passed: 15,
                failed: 2,
                ended_well: false
            }
        );
    }

    #[test]
    fn a_run_is_a_success_only_when_something_passed_and_all_ended_well() {
        let count = |passed, failed, ended_well| {
            failure(Some(Count {
                passed,
                failed,
                ended_well,
            }))
        };
        assert_eq!(failure(None), None);
        assert_eq!(count(1, 0, true), None);
        assert!(count(0, 0, true).is_some() && count(5, 0, false).is_some());
        assert_eq!(count(5, 2, false).as_deref(), Some("2 tests failed"));
    }

    #[test]
    #[cfg(unix)]
    fn what_the_command_prints_is_counted_with_its_verdict() {
        let mut command = proc::program("sh");
        command.args([
            "-c",
            "printf 'test result: ok. 4 passed; 0 failed; 0 ignored\\n'; exit 3",
        ]);
        let mut printed = Vec::new();
        assert_eq!(
            run(&mut command, &mut printed).unwrap(),
            Count {
                passed: 4,
                failed: 0,
                ended_well: false
            }
        );
        assert!(printed.starts_with(b"test result"));
    }
}
