//! What a judgement says: a decision, its reason as a code with arguments, and every finding with
//! its place. Worded at the border (`resources/words/policy.json`), never here.

use base::{Args, Failure, args};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Ordered by weight: the worst finding decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Allow,
    Ask,
    Block,
}

/// What questions are worded by. A rule that blocks may also come to a question, where it is not
/// certain: then it is not told that it was refused.
const QUESTIONS: [&str; 9] = [
    "policy_delete_unsure",
    "policy_git_hooks",
    "policy_outside_write",
    "policy_administration",
    "policy_unreadable",
    "policy_unknown_program",
    "policy_unknown_script",
    "policy_remote_script",
    "policy_user_ask",
];
const CONSENT: &str = "policy_consent";

/// One place of a command that a rule spoke about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub decision: Decision,
    /// The rule's name, or the name of a limit (`too_long`, `unreadable`, …).
    pub rule: String,
    /// A key of the words: `policy_privilege`, `policy_recursive_delete`, …
    pub reason: String,
    /// The program in command position, without its folder; `>` for a redirection.
    pub program: String,
    /// What people read: `sudo`, `rm -rf /`, `> /dev/sda`.
    pub what: String,
    /// Bytes of the command. Text that was decoded (`base64 -d`, `eval`) has the place it came from.
    pub span: Range<usize>,
}

/// The judgement of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub decision: Decision,
    /// Worst first, then by place; at most [`super::MAX_FINDINGS`].
    pub findings: Vec<Finding>,
    /// There were more findings than are kept.
    pub more: bool,
}

impl Verdict {
    pub(super) fn of(mut findings: Vec<Finding>, more: bool) -> Self {
        findings.sort_by(|a, b| {
            (b.decision, a.span.start, a.span.end, &a.rule).cmp(&(
                a.decision,
                b.span.start,
                b.span.end,
                &b.rule,
            ))
        });
        Verdict {
            decision: findings.first().map_or(Decision::Allow, |worst| worst.decision),
            findings,
            more,
        }
    }

    pub fn blocked(&self) -> bool {
        self.decision == Decision::Block
    }

    /// The worst finding as a code with arguments; `None` when the command is allowed.
    pub fn reason(&self) -> Option<Failure> {
        self.findings.first().map(|finding| {
            let asked = finding.decision == Decision::Ask;
            let code = match asked && !QUESTIONS.contains(&finding.reason.as_str()) {
                true => CONSENT,
                false => &finding.reason,
            };
            let mut failure = Failure::new(code).detail(format!(
                "rule {} at bytes {}..{}",
                finding.rule, finding.span.start, finding.span.end
            ));
            failure.args = self.args(finding);
            failure
        })
    }

    fn args(&self, finding: &Finding) -> Args {
        args! {
            what: finding.what,
            program: finding.program,
            rule: finding.rule,
            findings: self.findings.len(),
        }
    }
}
