//! From tree-sitter's tree to `ast`. The tree is generous: it has a shape for broken text too, so
//! that what is dangerous in it is still found; `scan` reads broken text a second time.

mod loops;
mod redirects;

pub use redirects::kind_of;

use super::ast::{Assignment, Node, Simple};
use redirects::{attach, more_words};
use std::ops::ControlFlow;
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
