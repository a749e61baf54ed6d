//! The closing lines of programs with tests, added up.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    pub passed: u64,
    pub failed: u64,
    /// What the programs themselves say: one that dies counts nobody.
    pub ended_well: bool,
}

impl Count {
    /// Of no program, none of which ended badly.
    pub const NONE: Count = Count {
        passed: 0,
        failed: 0,
        ended_well: true,
    };
}

/// Why these tests are no success.
pub fn failure(count: Option<Count>) -> Option<String> {
    match count? {
        Count {
            failed: many @ 1.., ..
        } => Some(format!("{many} tests failed")),
        Count {
            ended_well: false, ..
        } => Some("a program with tests did not end well".to_owned()),
        Count { passed: 0, .. } => Some("no test ran".to_owned()),
        Count { .. } => None,
    }
}

/// `test result: ok. 12 passed; 0 failed; 0 ignored; …`
pub fn add(count: &mut Count, line: &str) {
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
        let mut count = Count::NONE;
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
                ended_well: true
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
}
