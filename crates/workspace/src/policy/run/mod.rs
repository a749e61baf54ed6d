//! Reads a command as a shell would run it, without running it: statements in their order, every
//! branch taken, literal output handed on to whoever reads it. What is found on the way are the
//! findings. Conditions and exit codes are of no interest.

mod redirects;
mod statements;

use super::ast::{Node, Place, Source};
use super::forms::Matched;
use super::parse::{self, Parsed};
use super::rules::Rules;
use super::scan;
use super::skip::{self, Doubled};
use super::state::{Feed, State};
use super::word::Field;
use super::{Decision, Finding, MAX_FINDINGS, mark};
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::Parser;

/// Text in text (`sh -c "sh -c …"`, `$($(…))`), functions in functions.
const DEPTH: usize = 24;
/// Rough count of characters and words looked at: a few hundred milliseconds at most.
const STEPS: usize = 400_000;
/// Ways to read one command whose variables have several values.
const READINGS: usize = 64;

/// What is being run when something is found.
#[derive(Debug)]
pub enum Frame {
    Function(String, Rc<Node>),
    Background,
    /// Members of this pipeline that call a running function again.
    Pipe(usize),
}

struct Choice {
    name: String,
    picked: usize,
    of: usize,
}

pub struct Run<'p> {
    pub rules: &'p Rules,
    pub state: State,
    pub frames: Vec<Frame>,
    /// Questions are dropped: a guess (what a setting means, a function nobody called yet).
    pub quiet: usize,
    /// Assignments here add a value and replace none.
    pub maybe: usize,
    pub depth: usize,
    /// Words in words.
    pub words: usize,
    parser: Parser,
    findings: Vec<Finding>,
    more: bool,
    steps: usize,
    choices: Vec<Choice>,
    /// Inside a substitution the command around it goes through the readings.
    inherits: bool,
}

impl<'p> Run<'p> {
    pub fn new(rules: &'p Rules, parser: Parser) -> Self {
        Run {
            rules,
            state: State::new(),
            frames: Vec::new(),
            quiet: 0,
            maybe: 0,
            depth: 0,
            words: 0,
            parser,
            findings: Vec::new(),
            more: false,
            steps: 0,
            choices: Vec::new(),
            inherits: false,
        }
    }

    pub fn done(self) -> (Vec<Finding>, bool) {
        (self.findings, self.more)
    }

    pub fn spend(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        self.steps <= STEPS
    }

    fn spent(&self) -> bool {
        self.steps > STEPS
    }

    pub fn found(&mut self, finding: Finding) {
        if (finding.decision == Decision::Ask && self.quiet > 0) || self.findings.contains(&finding) {
            return;
        }
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
            return;
        }
        self.more = true;
        // What is worse takes the place of what is less bad.
        let least = self.findings.iter_mut().min_by_key(|kept| kept.decision);
        if let Some(kept) = least.filter(|kept| kept.decision < finding.decision) {
            *kept = finding;
        }
    }

    /// A finding that is no rule's.
    pub fn say(&mut self, decision: Decision, rule: &str, program: &str, what: &str, span: &Range<usize>) {
        self.found(Finding {
            decision,
            rule: rule.to_owned(),
            reason: format!("policy_{rule}"),
            program: super::forms::shortened(program),
            what: super::forms::shortened(what),
            span: span.clone(),
        });
    }

    pub fn pick(&mut self, name: &str, of: usize) -> usize {
        if let Some(choice) = self.choices.iter().find(|choice| choice.name == name) {
            return choice.picked.min(of.saturating_sub(1));
        }
        if of > 1 {
            self.choices.push(Choice {
                name: name.to_owned(),
                picked: 0,
                of,
            });
        }
        0
    }

    fn next_reading(&mut self, base: usize) -> bool {
        while self.choices.len() > base {
            if let Some(last) = self.choices.last_mut() {
                last.picked += 1;
                if last.picked < last.of {
                    return true;
                }
            }
            self.choices.pop();
        }
        false
    }

    /// Reads a text as a command; gives what it writes.
    pub fn text(&mut self, text: String, place: Place, stdin: &Feed) -> Feed {
        let span = match &place {
            Place::At(at) => *at..at + text.len(),
            Place::Within(span) => span.clone(),
        };
        if self.depth >= DEPTH {
            self.say(Decision::Block, "too_deep", "", &mark::plain(&text), &span);
            return Feed::Unknown;
        }
        if !self.spend(text.len() / 4 + 20) {
            self.say(Decision::Block, "too_complex", "", &mark::plain(&text), &span);
            return Feed::Unknown;
        }
        self.depth += 1;
        let (text, place) = self.subshells(text, place, &span);
        let source = Rc::new(Source { text, place });
        let parsed = parse::parse(&mut self.parser, &source.text);
        let inherits = self.inherits;
        let feed = match parsed {
            Parsed::Whole(nodes) => self.nodes(&source, &nodes, stdin),
            Parsed::Broken(nodes) => {
                // Guesses of the parser raise no questions, but what it finds dangerous is.
                self.quiet += 1;
                self.nodes(&source, &nodes, stdin);
                self.quiet -= 1;
                self.scanned(&source, stdin, &span)
            }
            Parsed::GivenUp => self.scanned(&source, stdin, &span),
            Parsed::TooDeep => {
                self.say(Decision::Block, "too_deep", "", &mark::plain(&source.text), &span);
                Feed::Unknown
            }
        };
        self.inherits = inherits;
        self.depth -= 1;
        feed
    }

    /// The grammar reads `((` as arithmetic wherever it stands: subshells in subshells get the blank
    /// that tells them apart, and what other shells than bash would run is read besides.
    fn subshells(&mut self, mut text: String, place: Place, span: &Range<usize>) -> (String, Place) {
        let doubled = skip::doubled(&text);
        let whole = text.len();
        for found in doubled.iter().rev() {
            match found {
                Doubled::Subshells(at) => text.insert(*at, ' '),
                Doubled::Arithmetic(inner) => {
                    if let Some(inner) = text.get(inner.clone()).map(str::to_owned) {
                        self.guess(inner, span);
                    }
                }
            }
        }
        match text.len() == whole {
            true => (text, place),
            false => (text, Place::Within(span.clone())),
        }
    }

    fn scanned(&mut self, source: &Rc<Source>, stdin: &Feed, span: &Range<usize>) -> Feed {
        let scan = scan::scan(&source.text);
        let feed = self.nodes(source, &scan.nodes, stdin);
        if !scan.whole {
            self.say(Decision::Ask, "unreadable", "", &mark::plain(&source.text), span);
        }
        feed
    }

    /// The value of `$(…)`.
    pub fn substitute(&mut self, text: String, place: Place) -> String {
        let cwd = self.state.cwd.clone();
        let inherits = std::mem::replace(&mut self.inherits, true);
        self.maybe += 1;
        let feed = self.text(text, place, &Feed::Nothing);
        self.maybe -= 1;
        self.inherits = inherits;
        self.state.cwd = cwd;
        match feed {
            Feed::Text(text) => text.trim_end_matches('\n').to_owned(),
            Feed::Paths(paths) => format!("{}/{}", paths.join(" "), mark::UNKNOWN),
            Feed::Nothing => String::new(),
            Feed::File(_) | Feed::Download | Feed::Unknown => mark::UNKNOWN.to_string(),
        }
    }

    /// `<(…)` is a file with what the command writes; what `>(…)` reads nobody knows.
    pub fn process_substitution(&mut self, text: String, place: Place, reads: bool) -> String {
        let cwd = self.state.cwd.clone();
        let stdin = if reads { Feed::Nothing } else { Feed::Unknown };
        let feed = self.text(text, place, &stdin);
        self.state.cwd = cwd;
        let path = format!("/dev/fd/{}", 63 + self.state.files.len());
        if reads {
            self.state.files.insert(path.clone(), feed);
        }
        path
    }

    /// Text that some program may hand to a shell: only what is blocked counts.
    pub fn guess(&mut self, text: String, span: &Range<usize>) {
        let text = mark::data(&text);
        if text.trim_matches(|c| c == mark::UNKNOWN || c == ' ').is_empty() {
            return;
        }
        let cwd = self.state.cwd.clone();
        self.quiet += 1;
        self.text(text, Place::Within(span.clone()), &Feed::Nothing);
        self.quiet -= 1;
        self.state.cwd = cwd;
    }

    pub fn matched(&mut self, matched: &Matched, program: &str, arguments: &[Field], span: &Range<usize>) {
        let what = if matched.by_program {
            program.to_owned()
        } else {
            let words =
                std::iter::once(program.to_owned()).chain(arguments.iter().map(|a| mark::plain(&a.text)));
            words.collect::<Vec<_>>().join(" ")
        };
        self.found(Finding {
            decision: matched.decision,
            rule: matched.rule.clone(),
            reason: matched.reason.clone(),
            program: super::forms::shortened(program),
            what: super::forms::shortened(&what),
            span: span.clone(),
        });
    }
}
