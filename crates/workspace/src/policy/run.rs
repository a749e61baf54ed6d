//! Reads a command as a shell would run it, without running it: statements in their order, every
//! branch taken, literal output handed on to whoever reads it. What is found on the way are the
//! findings. Conditions and exit codes are of no interest.

use super::ast::{Assignment, Node, Place, Redirect, RedirectKind, Simple, Source};
use super::forms::Matched;
use super::parse::{self, Parsed};
use super::rules::Rules;
use super::scan;
use super::state::{Callable, Feed, State};
use super::word::{Field, Inside};
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
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    Function(String),
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

    pub fn nodes(&mut self, source: &Rc<Source>, nodes: &[Node], stdin: &Feed) -> Feed {
        let mut all = Feed::Nothing;
        for node in nodes {
            let feed = self.node(source, node, stdin);
            all = joined(all, feed);
        }
        all
    }

    pub fn node(&mut self, source: &Rc<Source>, node: &Node, stdin: &Feed) -> Feed {
        if self.spent() {
            self.say(
                Decision::Block,
                "too_complex",
                "",
                "",
                &source.span(&(0..source.text.len())),
            );
            return Feed::Unknown;
        }
        match node {
            Node::Simple(simple) => self.simple(source, simple, stdin),
            Node::List(nodes) => self.nodes(source, nodes, stdin),
            Node::Branch(nodes) => {
                self.maybe += 1;
                let feed = self.nodes(source, nodes, stdin);
                self.maybe -= 1;
                feed
            }
            Node::Pipe(members) => {
                let cwd = self.state.cwd.clone();
                self.frames.push(Frame::Pipe(0));
                let mut feed = stdin.clone();
                for member in members {
                    feed = self.node(source, member, &feed);
                }
                self.frames.pop();
                self.state.cwd = cwd;
                feed
            }
            Node::Background(inner) => {
                let cwd = self.state.cwd.clone();
                self.frames.push(Frame::Background);
                let feed = self.node(source, inner, stdin);
                self.frames.pop();
                self.state.cwd = cwd;
                feed
            }
            Node::Group {
                body,
                redirects,
                subshell,
            } => {
                let cwd = self.state.cwd.clone();
                let (stdin, file) = self.redirects(source, redirects, stdin);
                let feed = self.nodes(source, body, &stdin);
                if *subshell {
                    self.state.cwd = cwd;
                }
                self.written(file, feed)
            }
            Node::Loop(_) => self.repeated(source, node, stdin),
            Node::Function { name, body } => {
                let name = self.value(source, name);
                let callable = Callable {
                    source: source.clone(),
                    body: body.clone(),
                };
                self.state.functions.insert(name.clone(), callable);
                // As if called with something: what it does whatever it is given.
                self.quiet += 1;
                self.call(&name, None, &Feed::Unknown, &source.span(&(0..source.text.len())));
                self.quiet -= 1;
                Feed::Nothing
            }
            Node::Words(words) => {
                for word in words {
                    let mut dropped = Vec::new();
                    self.lex(source, word.clone(), Inside::Nothing, &mut dropped);
                }
                Feed::Nothing
            }
        }
    }

    fn repeated(&mut self, source: &Rc<Source>, node: &Node, stdin: &Feed) -> Feed {
        let Node::Loop(repeated) = node else {
            return Feed::Unknown;
        };
        let span = source.span(&repeated.span);
        if repeated.endless && repeated.spawns {
            self.say(
                Decision::Block,
                "fork_bomb",
                "",
                &source.text[repeated.span.clone()],
                &span,
            );
        }
        let (stdin, file) = self.redirects(source, &repeated.redirects, stdin);
        self.maybe += 1;
        if let Some((name, words)) = &repeated.variable {
            let name = source.text[name.clone()].to_owned();
            for word in words {
                for field in self.fields(source, word) {
                    self.state.set(&name, vec![field.text], false);
                }
            }
        }
        let mut feed = Feed::Nothing;
        // A second time when the first has set something that its beginning may read.
        for _ in 0..2 {
            let version = self.state.version;
            self.nodes(source, &repeated.condition, &stdin);
            feed = self.nodes(source, &repeated.body, &stdin);
            if self.state.version == version || self.depth > 8 {
                break;
            }
        }
        self.maybe -= 1;
        // How often it goes round nobody knows; once stands for all.
        self.written(file, feed)
    }

    /// Runs a function's body with these arguments; `None`: nobody knows them.
    pub fn call(
        &mut self,
        name: &str,
        arguments: Option<Vec<String>>,
        stdin: &Feed,
        span: &Range<usize>,
    ) -> Feed {
        let frame = Frame::Function(name.to_owned());
        if let Some(at) = self.frames.iter().position(|open| *open == frame) {
            if self.multiplies(at) {
                self.say(Decision::Block, "fork_bomb", name, &format!("{name}()"), span);
            }
            return Feed::Unknown;
        }
        let Some(callable) = self.state.functions.get(name).cloned() else {
            return Feed::Unknown;
        };
        if self.depth >= DEPTH {
            self.say(Decision::Block, "too_deep", name, name, span);
            return Feed::Unknown;
        }
        self.depth += 1;
        self.maybe += 1;
        self.frames.push(frame);
        let positional = std::mem::replace(&mut self.state.positional, arguments);
        let inherits = std::mem::replace(&mut self.inherits, false);
        let feed = self.node(&callable.source, &callable.body, stdin);
        self.inherits = inherits;
        self.state.positional = positional;
        self.frames.pop();
        self.maybe -= 1;
        self.depth -= 1;
        feed
    }

    /// A call of a function that is running already: into the background, or twice in one pipeline.
    fn multiplies(&mut self, at: usize) -> bool {
        let mut background = false;
        for frame in &mut self.frames[at + 1..] {
            match frame {
                Frame::Background => background = true,
                Frame::Pipe(calls) => {
                    *calls += 1;
                    background |= *calls > 1;
                }
                Frame::Function(_) => {}
            }
        }
        background
    }

    fn simple(&mut self, source: &Rc<Source>, simple: &Simple, stdin: &Feed) -> Feed {
        if self.inherits {
            return self.reading(source, simple, stdin);
        }
        let base = self.choices.len();
        let mut feed = Feed::Nothing;
        for _ in 0..READINGS {
            feed = self.reading(source, simple, stdin);
            if !self.next_reading(base) {
                break;
            }
        }
        self.choices.truncate(base);
        feed
    }

    fn reading(&mut self, source: &Rc<Source>, simple: &Simple, stdin: &Feed) -> Feed {
        let mut words = Vec::new();
        for word in &simple.words {
            words.extend(self.fields(source, word));
        }
        let (stdin, file) = self.redirects(source, &simple.redirects, stdin);
        let declares = words.first().is_some_and(|word| {
            matches!(
                word.text.as_str(),
                "export" | "declare" | "local" | "readonly" | "typeset"
            )
        });
        for assignment in &simple.assignments {
            self.assign(source, assignment, words.is_empty() || declares);
        }
        if words.is_empty() || self.spent() {
            return self.written(file, Feed::Nothing);
        }
        let span = source.span(&simple.span);
        let feed = self.exec(&words, &stdin, &span);
        self.written(file, feed)
    }

    /// `stays`: a statement of its own. Before a command it is that command's environment, which
    /// counts only where a program runs the value.
    fn assign(&mut self, source: &Rc<Source>, assignment: &Assignment, stays: bool) {
        let name = source.text[assignment.name.clone()].to_owned();
        if let Some(index) = &assignment.index {
            self.value(source, index);
        }
        let mut values: Vec<String> = Vec::new();
        for word in &assignment.values {
            if assignment.array {
                values.extend(self.fields(source, word).into_iter().map(|field| field.text));
            } else {
                values.push(self.value(source, word));
            }
        }
        if values.is_empty() && !assignment.array {
            values.push(String::new());
        }
        if super::rules::one_like(&self.rules.names.command_variables, &name) {
            let span = assignment
                .values
                .first()
                .map_or(assignment.name.clone(), Clone::clone);
            self.guess(values.join(" "), &source.span(&span));
        }
        // Expanded and never run, so only substitutions in it count.
        if matches!(name.as_str(), "PS0" | "PS1" | "PS2" | "PS4") {
            let span = source.span(&assignment.name);
            self.guess(format!(": \"{}\"", values.join(" ")), &span);
        }
        if assignment.append
            && let super::state::Looked::Values(mut before) = self.look_up(&name)
        {
            match (before.last_mut(), assignment.array) {
                (Some(last), false) => last.push_str(&values.concat()),
                _ => before.append(&mut values),
            }
            values = before;
        }
        self.state.set(&name, values, stays && self.maybe == 0);
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

    /// Standard input, and the file that standard output goes to.
    fn redirects(
        &mut self,
        source: &Rc<Source>,
        redirects: &[Redirect],
        stdin: &Feed,
    ) -> (Feed, Option<String>) {
        let mut input = stdin.clone();
        let mut output = None;
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::HereString => {
                    input = Feed::Text(mark::data(&self.value(source, &redirect.word)) + "\n");
                }
                RedirectKind::HereDocument { literal, tabs } => {
                    let mut text = self.document(source, &redirect.word, literal);
                    if tabs {
                        let lines = text.split('\n').map(|line| line.trim_start_matches('\t'));
                        text = lines.collect::<Vec<_>>().join("\n");
                    }
                    input = Feed::Text(text);
                }
                RedirectKind::Duplicate => {
                    self.value(source, &redirect.word);
                }
                RedirectKind::Read => {
                    let path = self.value(source, &redirect.word);
                    input = self.contents(&path, &Feed::Nothing);
                }
                RedirectKind::Write => {
                    let path = self.value(source, &redirect.word);
                    let words = [Field::new(path.clone(), &source.span(&redirect.span))];
                    let span = source.span(&redirect.span);
                    for matched in self.judged(">", &words) {
                        self.matched(&matched, ">", &words, &span);
                    }
                    output = Some(path);
                }
            }
        }
        (input, output)
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

    /// What is in a file, as far as this command has written it itself.
    pub fn contents(&self, path: &str, stdin: &Feed) -> Feed {
        if matches!(path, "/dev/stdin" | "-" | "/dev/fd/0" | "/proc/self/fd/0") {
            return stdin.clone();
        }
        match self.state.files.get(&self.state.key(path)) {
            Some(feed) => feed.clone(),
            None => Feed::File(path.to_owned()),
        }
    }

    /// Standard output that went to a file is not there for the next in line.
    fn written(&mut self, file: Option<String>, feed: Feed) -> Feed {
        let Some(path) = file else {
            return feed;
        };
        let key = self.state.key(&path);
        if !key.starts_with("/dev/") && self.state.files.len() < 64 {
            let before = self.state.files.remove(&key).unwrap_or(Feed::Nothing);
            self.state.files.insert(key, joined(before, feed));
        }
        Feed::Nothing
    }
}

fn joined(first: Feed, second: Feed) -> Feed {
    match (first, second) {
        (Feed::Nothing, other) | (other, Feed::Nothing) => other,
        (Feed::Text(one), Feed::Text(other)) if one.len() + other.len() < 200_000 => Feed::Text(one + &other),
        (Feed::Paths(mut one), Feed::Paths(other)) => {
            one.extend(other);
            one.truncate(64);
            Feed::Paths(one)
        }
        (Feed::Download, _) | (_, Feed::Download) => Feed::Download,
        _ => Feed::Unknown,
    }
}
