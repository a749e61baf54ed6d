//! Cases that were written unseen: from the issue, the contract and the design alone, and committed
//! before their writer had read the rules, the judge or the tests beside this file. What was changed
//! in them afterwards, because the expectation was wrong, is marked by a line of `#!` above the case.

use super::POLICY;
use workspace::policy::Decision;

/// What a text of a case demands; `stop` is block or ask.
fn fits(expected: &str, found: Decision) -> bool {
    match expected {
        "block" => found == Decision::Block,
        "ask" => found == Decision::Ask,
        "allow" => found == Decision::Allow,
        "stop" => found != Decision::Allow,
        other => panic!("{other:?} is no expectation"),
    }
}

/// `#? EXPECTATION`, then the command up to the next line that starts with `#?` or `#!`.
fn cases() -> Vec<(&'static str, String)> {
    let mut cases: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in include_str!("unseen.txt").lines() {
        if let Some(expected) = line.strip_prefix("#? ") {
            cases.push((expected, String::new()));
            open = true;
        } else if line.starts_with("#!") {
            open = false;
        } else if let (true, Some((_, command))) = (open, cases.last_mut()) {
            if !command.is_empty() {
                command.push('\n');
            }
            command.push_str(line);
        }
    }
    for (_, command) in &mut cases {
        command.truncate(command.trim_end_matches('\n').len());
    }
    cases
}

#[test]
fn cases_written_before_the_rules_were_read() {
    let cases = cases();
    let harmless = cases.iter().filter(|(expected, _)| *expected == "allow").count();
    assert!(
        cases.len() >= 500 && harmless >= 130,
        "{} {harmless}",
        cases.len()
    );
    let wrong: Vec<String> = cases
        .iter()
        .map(|(expected, command)| (expected, command, POLICY.judge(command)))
        .filter(|(expected, _, verdict)| !fits(expected, verdict.decision))
        .map(|(expected, command, verdict)| {
            format!(
                "{expected}: {command:?} gives {:?}: {:?}",
                verdict.decision, verdict.findings
            )
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
