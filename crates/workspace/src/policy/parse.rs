//! From tree-sitter's tree to `ast`. The tree is generous: it has a shape for broken text too, so
//! that what is dangerous in it is still found; `scan` reads broken text a second time.

use super::ast::{Assignment, Loop, Node, Redirect, RedirectKind, Simple};
use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use tree_sitter::{Node as Tree, ParseOptions, Parser};

/// Deeper than a person writes; less than a thread's stack holds.
const DEPTH: usize = 60;
/// The parser reports every so many steps; text that takes more than this many reports is given up.
/// Counted and not timed, so that a verdict does not depend on the machine's load.
const REPORTS: usize = 20_000;

#[derive(Debug)]
pub enum Parsed {
    Whole(Vec<Node>),
    /// There are errors in it.
    Broken(Vec<Node>),
    TooDeep,
    GivenUp,
}

pub fn parse(parser: &mut Parser, text: &str) -> Parsed {
    let mut reports = 0;
    let mut progress = |_: &tree_sitter::ParseState| {
        reports += 1;
        if reports > REPORTS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let bytes = plain(text);
    let tree = parser.parse_with_options(
        &mut |at, _| bytes.get(at..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    );
    let Some(tree) = tree else {
        parser.reset();
        return Parsed::GivenUp;
    };
    let mut shape = Shape {
        text,
        too_deep: false,
    };
    let nodes = shape.statements(tree.root_node(), 0);
    match (shape.too_deep, tree.root_node().has_error()) {
        (true, _) => Parsed::TooDeep,
        (false, true) => Parsed::Broken(nodes),
        (false, false) => Parsed::Whole(nodes),
    }
}

/// The text as the grammar is shown it, with the same places; words are read from the text itself.
///
/// - `_` for every byte beyond ASCII: the grammar's scanner asks C's `isdigit` about whatever comes,
///   which reads beyond its table for other characters. Shells split words at none of them.
/// - `_` for a backslash with which a here-document begins: the grammar would take its first lines
///   for words of the line before. Whether a line is in one is not known here, so elsewhere only a
///   backslash is taken that changes nothing about where the word ends.
fn plain(text: &str) -> Vec<u8> {
    let mut shown: Vec<u8> = text
        .bytes()
        .map(|byte| if byte.is_ascii() { byte } else { b'_' })
        .collect();
    let (mut at, mut before, mut documents) = (0, false, false);
    for line in text.split_inclusive('\n') {
        if let [b'\\', next, ..] = line.as_bytes() {
            let word = next.is_ascii_alphanumeric() || b"/._-~".contains(next);
            if (before && *next != b'\n') || (documents && word) {
                shown[at] = b'_';
            }
        }
        before = line.contains("<<");
        documents |= before;
        at += line.len();
    }
    shown
}

struct Shape<'a> {
    text: &'a str,
    too_deep: bool,
}

fn children<'t>(node: Tree<'t>) -> Vec<Tree<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

fn child<'t>(node: Tree<'t>, kind: &str) -> Option<Tree<'t>> {
    children(node).into_iter().find(|child| child.kind() == kind)
}

impl Shape<'_> {
    fn of(&self, node: Tree<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The statements among a node's children; `&` puts the one before it into the background.
    fn statements(&mut self, node: Tree<'_>, depth: usize) -> Vec<Node> {
        self.sequence(&children(node), depth)
    }

    fn sequence(&mut self, nodes: &[Tree<'_>], depth: usize) -> Vec<Node> {
        let mut found = Vec::new();
        for node in nodes {
            if node.kind() == "&" {
                if let Some(last) = found.pop() {
                    found.push(Node::Background(Box::new(last)));
                }
            } else if node.is_named() {
                found.extend(self.node(*node, depth + 1));
            }
        }
        found
    }

    fn node(&mut self, node: Tree<'_>, depth: usize) -> Option<Node> {
        if depth > DEPTH {
            self.too_deep = true;
            return None;
        }
        Some(match node.kind() {
            "command"
            | "declaration_command"
            | "unset_command"
            | "variable_assignment"
            | "variable_assignments" => Node::Simple(self.simple(node)),
            "redirected_statement" => self.redirected(node, depth),
            "pipeline" => Node::Pipe(self.statements(node, depth)),
            "list" => self.list(node, depth),
            "subshell" | "compound_statement" | "do_group" => Node::Group {
                body: self.statements(node, depth),
                redirects: Vec::new(),
                subshell: node.kind() == "subshell",
            },
            "program" | "negated_command" | "ERROR" => Node::List(self.statements(node, depth)),
            "if_statement" | "elif_clause" | "else_clause" | "case_statement" | "case_item" => {
                Node::Branch(self.statements(node, depth))
            }
            "while_statement" | "for_statement" | "c_style_for_statement" => self.repeated(node, depth),
            "function_definition" => self.function(node, depth)?,
            "comment" | "heredoc_body" | "heredoc_start" | "heredoc_end" | "variable_name"
            | "file_descriptor" => return None,
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" => Node::Simple(Simple {
                words: more_words(node),
                redirects: self.redirect(node).into_iter().collect(),
                span: node.byte_range(),
                ..Simple::default()
            }),
            _ => Node::Words(vec![node.byte_range()]),
        })
    }

    /// `a && b || c` leans to the left, as deep as it is long.
    fn list(&mut self, node: Tree<'_>, depth: usize) -> Node {
        let mut parts = Vec::new();
        let mut left = node;
        loop {
            let nodes = children(left);
            match nodes.split_first() {
                Some((first, rest)) if first.kind() == "list" => {
                    parts.push(rest.to_vec());
                    left = *first;
                }
                _ => {
                    parts.push(nodes);
                    break;
                }
            }
        }
        Node::List(
            parts
                .iter()
                .rev()
                .flat_map(|part| self.sequence(part, depth))
                .collect(),
        )
    }

    fn simple(&mut self, node: Tree<'_>) -> Simple {
        let mut simple = Simple {
            span: node.byte_range(),
            ..Simple::default()
        };
        if node.kind() == "variable_assignment" {
            simple.assignments.extend(self.assignment(node));
            return simple;
        }
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => {
                    // `alias a=b` and `env a=b` are words; `export a=b` is an assignment.
                    if node.kind() == "declaration_command" || simple.words.is_empty() {
                        simple.assignments.extend(self.assignment(child));
                    } else {
                        simple.words.push(child.byte_range());
                    }
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    simple.redirects.extend(self.redirect(child));
                    simple.words.extend(more_words(child));
                }
                "comment" | ";" | "\n" => {}
                // The descriptor of the redirection behind it: `0<<< x`.
                "number"
                    if child.next_sibling().is_some_and(|next| {
                        next.kind().ends_with("_redirect") && next.start_byte() == child.end_byte()
                    }) => {}
                _ if !child.byte_range().is_empty() => simple.words.push(child.byte_range()),
                _ => {}
            }
        }
        simple
    }

    fn assignment(&mut self, node: Tree<'_>) -> Option<Assignment> {
        let name = node.child_by_field_name("name")?;
        let index = name.child_by_field_name("index").map(|index| index.byte_range());
        let name = match name.child_by_field_name("name") {
            Some(inner) => inner.byte_range(),
            None => name.byte_range(),
        };
        let value = node.child_by_field_name("value");
        let array = value.is_some_and(|value| value.kind() == "array");
        let values = match value {
            Some(value) if array => {
                let elements = children(value).into_iter();
                elements
                    .filter(|e| e.is_named())
                    .map(|e| e.byte_range())
                    .collect()
            }
            // To the assignment's end: tree-sitter's idea of the value may be shorter.
            Some(value) => {
                let whole = value.start_byte()..node.end_byte();
                Vec::from([whole])
            }
            None => Vec::new(),
        };
        Some(Assignment {
            name,
            index,
            append: child(node, "+=").is_some(),
            values,
            array,
        })
    }

    fn redirected(&mut self, node: Tree<'_>, depth: usize) -> Node {
        let body = node.child_by_field_name("body");
        let mut result = match body {
            Some(body) => self.node(body, depth + 1).unwrap_or(Node::List(Vec::new())),
            None => Node::Simple(Simple {
                span: node.byte_range(),
                ..Simple::default()
            }),
        };
        let mut after = Vec::new();
        let mut piped = Vec::new();
        for child in children(node) {
            if Some(child) == body {
                continue;
            }
            let Some(redirect) = self.redirect(child) else {
                if child.is_error() {
                    after.extend(self.statements(child, depth + 1));
                }
                continue;
            };
            attach(&mut result, redirect);
            add_words(&mut result, more_words(child));
            if child.kind() == "heredoc_redirect" {
                // What stands behind `<<EOF` on its line is inside that node.
                for inner in children(child) {
                    match inner.kind() {
                        "file_redirect" | "herestring_redirect" => {
                            if let Some(more) = self.redirect(inner) {
                                attach(&mut result, more);
                                add_words(&mut result, more_words(inner));
                            }
                        }
                        "pipeline" => piped.extend(self.statements(inner, depth + 1)),
                        kind if kind.starts_with("heredoc") || !inner.is_named() => {}
                        _ => match self.node(inner, depth + 1) {
                            Some(Node::Words(words)) => add_words(&mut result, words),
                            Some(other) => after.push(other),
                            None => {}
                        },
                    }
                }
            }
        }
        if !piped.is_empty() {
            let mut members = vec![result];
            members.extend(piped);
            result = Node::Pipe(members);
        }
        if after.is_empty() {
            return result;
        }
        after.insert(0, result);
        Node::List(after)
    }

    fn redirect(&mut self, node: Tree<'_>) -> Option<Redirect> {
        let span = node.byte_range();
        let parts = children(node);
        match node.kind() {
            "file_redirect" => {
                let word = node.child_by_field_name("destination")?.byte_range();
                let operator = parts
                    .iter()
                    .find(|part| !part.is_named())
                    .map_or("", |part| part.kind());
                Some(Redirect {
                    kind: kind_of(operator, self.text.get(word.clone()).unwrap_or_default()),
                    word,
                    span,
                })
            }
            "herestring_redirect" => Some(Redirect {
                kind: RedirectKind::HereString,
                word: parts.iter().rev().find(|part| part.is_named())?.byte_range(),
                span,
            }),
            "heredoc_redirect" => {
                let start = child(node, "heredoc_start").map_or("", |start| self.of(start));
                let body = child(node, "heredoc_body").map_or(span.end..span.end, |body| body.byte_range());
                Some(Redirect {
                    kind: RedirectKind::HereDocument {
                        literal: start.contains(['\'', '"', '\\']),
                        tabs: child(node, "<<-").is_some(),
                    },
                    word: body,
                    span: span.start..node.start_byte() + 2,
                })
            }
            _ => None,
        }
    }

    fn repeated(&mut self, node: Tree<'_>, depth: usize) -> Node {
        let body = node.child_by_field_name("body");
        let before: Vec<Tree<'_>> = children(node)
            .into_iter()
            .take_while(|child| Some(*child) != body)
            .collect();
        let variable = node.child_by_field_name("variable").map(|name| {
            let mut cursor = node.walk();
            let values: Vec<Range<usize>> = node
                .children_by_field_name("value", &mut cursor)
                .filter(|value| value.is_named())
                .map(|value| value.byte_range())
                .collect();
            (name.byte_range(), values)
        });
        let condition = if variable.is_some() {
            Vec::new()
        } else {
            self.sequence(&before, depth)
        };
        let tested: String = before
            .iter()
            .skip(1)
            .map(|node| self.of(*node))
            .collect::<String>()
            .trim_end_matches([';', '\n', ' '])
            .to_owned();
        let opening = before.first().map_or("", |first| first.kind());
        let endless = match opening {
            "while" => matches!(
                tested.as_str(),
                "true" | ":" | "((1))" | "[1]" | "[ 1 ]" | "[[ 1 ]]" | "/bin/true" | "[ true ]" | "test 1"
            ),
            "until" => matches!(
                tested.as_str(),
                "false" | "((0))" | "/bin/false" | "! true" | "! :"
            ),
            _ => {
                node.kind() == "c_style_for_statement"
                    && node
                        .child_by_field_name("condition")
                        .is_none_or(|condition| matches!(self.of(condition), "1" | "true"))
            }
        };
        let text = body.map(|body| self.in_foreground(body)).unwrap_or_default();
        let ends = [
            "wait",
            "sleep",
            "break",
            "exit",
            "return",
            "read",
            "inotifywait",
            "timeout",
            "accept",
        ];
        let spawns = body.is_some_and(|body| has_background(body, 0))
            && !text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| ends.contains(&word));
        Node::Loop(Loop {
            variable,
            condition,
            body: body
                .map(|body| self.statements(body, depth + 1))
                .unwrap_or_default(),
            endless,
            spawns,
            redirects: Vec::new(),
            span: node.byte_range(),
        })
    }

    /// The statements of a loop that the loop waits for.
    fn in_foreground(&self, body: Tree<'_>) -> String {
        let nodes = children(body);
        let waited = nodes.iter().filter(|node| {
            let next = node.next_sibling();
            next.is_none_or(|next| next.kind() != "&")
        });
        waited.map(|node| self.of(*node)).collect::<Vec<_>>().join("\n")
    }

    fn function(&mut self, node: Tree<'_>, depth: usize) -> Option<Node> {
        let name = node.child_by_field_name("name")?.byte_range();
        let mut body = self.node(node.child_by_field_name("body")?, depth + 1)?;
        for child in children(node) {
            if let Some(redirect) = self.redirect(child) {
                attach(&mut body, redirect);
            }
        }
        Some(Node::Function {
            name,
            body: Rc::new(body),
        })
    }
}

fn has_background(node: Tree<'_>, depth: usize) -> bool {
    depth < 4
        && node.kind() != "function_definition"
        && children(node)
            .into_iter()
            .any(|child| child.kind() == "&" || has_background(child, depth + 1))
}

/// `&` is a duplicate only when a number or `-` follows: `>& file` writes.
pub fn kind_of(operator: &str, word: &str) -> RedirectKind {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    match operator {
        ">&" | "<&" | ">&-" | "<&-" if is_number || operator != ">&" => RedirectKind::Duplicate,
        "<" => RedirectKind::Read,
        _ => RedirectKind::Write,
    }
}

/// A redirection behind a pipeline or a list belongs to its last member.
fn attach(node: &mut Node, redirect: Redirect) {
    match node {
        Node::Simple(simple) => simple.redirects.push(redirect),
        Node::Group { redirects, .. } => redirects.push(redirect),
        Node::Loop(repeated) => repeated.redirects.push(redirect),
        Node::Background(inner) => attach(inner, redirect),
        Node::Pipe(nodes) | Node::List(nodes) if !nodes.is_empty() => {
            if let Some(last) = nodes.last_mut() {
                attach(last, redirect);
            }
        }
        other => {
            let body = vec![std::mem::replace(other, Node::List(Vec::new()))];
            *other = Node::Group {
                body,
                redirects: vec![redirect],
                subshell: false,
            };
        }
    }
}

fn add_words(node: &mut Node, words: Vec<Range<usize>>) {
    match node {
        Node::Simple(simple) => simple.words.extend(words),
        Node::Background(inner) => add_words(inner, words),
        Node::Pipe(nodes) | Node::List(nodes) => {
            if let Some(last) = nodes.last_mut() {
                add_words(last, words);
            }
        }
        _ => {}
    }
}

/// `3>&1 sudo id`: the grammar takes all words behind the operator for its targets.
fn more_words(redirect: Tree<'_>) -> Vec<Range<usize>> {
    let mut cursor = redirect.walk();
    let targets = redirect.children_by_field_name("destination", &mut cursor);
    targets.skip(1).map(|word| word.byte_range()).collect()
}
