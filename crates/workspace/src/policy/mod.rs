//! The command policy in front of the sandbox: a command is parsed, every program in command
//! position is found (behind wrappers, in substitutions, in text that a shell will read), and rules
//! that are data say block, ask or allow. The list is a courtesy; the sandbox is the boundary.
//!
//! ```text
//! text -> parse (tree-sitter), scan (when that fails) -> ast
//!      -> run: statements in order, variables, literal output
//!      -> exec: programs, what they run in turn -> forms: the rules
//! ```
//!
//! What is decided here:
//! - **The worst finding wins.** Every branch counts as taken, every definition as used.
//! - **A program that cannot be known** (`$CMD x`, `eval "$x"`, `/usr/bin/s?do`) is asked about.
//!   Known are variables with literal values, `"$CC"` and its like by custom, and what has a literal
//!   name at its end (`"$(npm bin)/eslint"`). Unknown *arguments* are allowed, but for `rm -r "$x"/*`,
//!   which is everything when `x` is empty.
//! - **Scripts into shells**: literal text is judged; a file of the workspace is allowed, as
//!   `sh file` is; output of a download or of something unknown is asked about.
//! - **Broken text**: what a generous parse or a plain reading finds dangerous is blocked. Otherwise
//!   it is asked about when quotations or parentheses stay open, and allowed when they close (the
//!   grammar does not know all of bash, and a shell refuses what is truly broken by itself).
//! - **Too long, too deep, too complex** is blocked, since it was not read to its end.
//! - **Users' rules** may block and ask in addition. A user's allow lifts built-in questions about
//!   the same command, and a built-in block only when it names that rule in `lifts`. They come from
//!   the settings file, which a person writes and no model can.
//!
//! Deliberately not here: files, processes, the store (a path is judged by its text; links and races
//! are the sandbox's), approvals (who asked gets `Ask`), wording. Not followed: what scripts and
//! programs of the workspace do, containers (`docker run … sudo`), remote configuration.

mod ast;
mod code;
mod exec;
mod forms;
mod mark;
mod output;
mod parse;
mod paths;
mod rules;
mod run;
mod scan;
mod skip;
mod state;
mod verdict;
mod word;

pub use rules::PolicyError;
pub use verdict::{Decision, Finding, Verdict};

use ast::Place;
use rules::Rules;
use run::Run;
use state::Feed;
use tree_sitter::Parser;

/// Longest command that is read, in bytes.
pub const MAX_COMMAND: usize = 100_000;
/// Findings that a verdict keeps.
pub const MAX_FINDINGS: usize = 32;

/// Rules that were read and tried on their examples.
#[derive(Clone, Debug)]
pub struct Policy {
    rules: Rules,
}

impl Policy {
    /// The rules that come with the program.
    pub fn built_in() -> Result<Self, PolicyError> {
        let policy = Policy {
            rules: Rules::embedded()?,
        };
        policy.try_examples(&policy.rules.rules)?;
        Ok(policy)
    }

    /// The built-in rules and a person's: JSON (a list, or `{"rule": […]}`) or TOML (`[[rule]]`).
    pub fn with_user_rules(text: &str) -> Result<Self, PolicyError> {
        let mut policy = Policy {
            rules: Rules::embedded()?,
        };
        let user = rules::rules(text)?;
        for rule in &user {
            if policy
                .rules
                .rules
                .iter()
                .any(|built_in| built_in.name == rule.name)
            {
                return Err(PolicyError::Twice(rule.name.clone()));
            }
            if !rule.reason.is_empty() {
                return Err(PolicyError::Invalid {
                    rule: rule.name.clone(),
                    problem: "`reason` is for built-in rules".to_owned(),
                });
            }
            if let Some(unknown) = rule.lifts.iter().find(|lifted| {
                !policy
                    .rules
                    .rules
                    .iter()
                    .any(|built_in| built_in.name == **lifted)
            }) {
                return Err(PolicyError::Invalid {
                    rule: rule.name.clone(),
                    problem: format!("`lifts` names {unknown}, which is no built-in rule"),
                });
            }
        }
        policy.rules.user = user;
        policy.try_examples(&policy.rules.user)?;
        Ok(policy)
    }

    fn try_examples(&self, rules: &[rules::Rule]) -> Result<(), PolicyError> {
        for rule in rules {
            for (example, expected) in rule.examples() {
                let found = self.judge(example).decision;
                if found != expected {
                    return Err(PolicyError::Example {
                        rule: rule.name.clone(),
                        example: example.clone(),
                        expected,
                        found,
                    });
                }
            }
        }
        Ok(())
    }

    /// Keys of the words that verdicts of the built-in rules use.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.rules.rules.iter().map(|rule| rule.reason.as_str())
    }

    /// Judges a command without running any of it. The same command has the same verdict.
    pub fn judge(&self, command: &str) -> Verdict {
        let mut parser = Parser::new();
        if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() || command.len() > MAX_COMMAND {
            let rule = if command.len() > MAX_COMMAND {
                "too_long"
            } else {
                "unreadable"
            };
            let finding = Finding {
                decision: Decision::Block,
                rule: rule.to_owned(),
                reason: format!("policy_{rule}"),
                program: String::new(),
                what: forms::shortened(command),
                span: 0..command.len(),
            };
            return Verdict::of(vec![finding], false);
        }
        let mut run = Run::new(&self.rules, parser);
        run.text(command.to_owned(), Place::At(0), &Feed::Nothing);
        let (findings, more) = run.done();
        Verdict::of(findings, more)
    }
}
