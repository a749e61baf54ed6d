//! Statements in their order, every branch taken; functions, loops, assignments.

use super::redirects::joined;
use super::{DEPTH, Frame, READINGS, Run};
use crate::policy::Decision;
use crate::policy::ast::{Assignment, Node, Simple, Source};
use crate::policy::rules::one_like;
use crate::policy::state::{Callable, Feed, Looked};
use crate::policy::word::Inside;
use std::ops::Range;
use std::rc::Rc;

impl Run<'_> {
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
        let Some(callable) = self.state.functions.get(name).cloned() else {
            return Feed::Unknown;
        };
        // By what it does and not by its name, under which a function may define another one.
        let runs =
            |open: &Frame| matches!(open, Frame::Function(_, body) if Rc::ptr_eq(body, &callable.body));
        if let Some(at) = self.frames.iter().position(runs) {
            if self.multiplies(at) {
                self.say(Decision::Block, "fork_bomb", name, &format!("{name}()"), span);
            }
            return Feed::Unknown;
        }
        if self.depth >= DEPTH {
            self.say(Decision::Block, "too_deep", name, name, span);
            return Feed::Unknown;
        }
        self.depth += 1;
        self.maybe += 1;
        self.frames
            .push(Frame::Function(name.to_owned(), callable.body.clone()));
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
                Frame::Function(..) => {}
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
        if one_like(&self.rules.names.command_variables, &name) {
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
            && let Looked::Values(mut before) = self.look_up(&name)
        {
            match (before.last_mut(), assignment.array) {
                (Some(last), false) => last.push_str(&values.concat()),
                _ => before.append(&mut values),
            }
            values = before;
        }
        self.state.set(&name, values, stays && self.maybe == 0);
    }
}
