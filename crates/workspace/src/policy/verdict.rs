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
            let mut failure = Failure::new(&finding.reason).detail(format!(
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
