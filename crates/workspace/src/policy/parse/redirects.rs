//! Redirections, and what the grammar hides in them.

use super::{Shape, child, children};
use crate::policy::ast::{Node, Redirect, RedirectKind, Simple};
use std::ops::Range;
use tree_sitter::Node as Tree;

impl Shape<'_> {
    pub(super) fn redirected(&mut self, node: Tree<'_>, depth: usize) -> Node {
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

    pub(super) fn redirect(&mut self, node: Tree<'_>) -> Option<Redirect> {
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
pub(super) fn attach(node: &mut Node, redirect: Redirect) {
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

/// `3>&1 sudo id`: the grammar takes all words behind the operator for its targets.
pub(super) fn more_words(redirect: Tree<'_>) -> Vec<Range<usize>> {
    let mut cursor = redirect.walk();
    let targets = redirect.children_by_field_name("destination", &mut cursor);
    targets.skip(1).map(|word| word.byte_range()).collect()
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
