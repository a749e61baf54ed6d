//! Loops, and whether one goes on for ever and starts something each time.

use super::{Shape, children};
use crate::policy::ast::{Loop, Node};
use std::ops::Range;
use tree_sitter::Node as Tree;

impl Shape<'_> {
    pub(super) fn repeated(&mut self, node: Tree<'_>, depth: usize) -> Node {
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
}

fn has_background(node: Tree<'_>, depth: usize) -> bool {
    depth < 4
        && node.kind() != "function_definition"
        && children(node)
            .into_iter()
            .any(|child| child.kind() == "&" || has_background(child, depth + 1))
}
