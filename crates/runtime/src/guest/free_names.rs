//! What a piece of JavaScript refers to without defining it, found by parsing.
//!
//! This is the courtesy in front of the wall: it tells a model early and clearly that there is
//! no `require` and no `fetch` here. The sandbox is what enforces it.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, Statement};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::{NodeId, Semantic, SemanticBuilder};
use oxc_span::SourceType;
use oxc_syntax::module_record::ImportImportName;
use std::collections::BTreeSet;

/// Free references that a script may not have (CONTRACT, "run_javascript").
const BLOCKED: &[&str] = &[
    "process",
    "require",
    "module",
    "exports",
    "Deno",
    "Bun",
    "fetch",
    "XMLHttpRequest",
    "WebSocket",
    "eval",
];

/// Code is the body of an async function; this is what stands before it, on a line of its own.
pub(crate) const PROLOGUE: &str = "(async function (input) {\n";
pub(crate) const EPILOGUE: &str = "\n})";

/// Names in `code` (a function body) that are blocked, sorted. Code that does not parse gives
/// none: the engine reports the syntax error with its place.
pub(crate) fn blocked(code: &str) -> Vec<String> {
    let allocator = Allocator::default();
    let source = format!("{PROLOGUE}{code}{EPILOGUE}");
    let parsed = Parser::new(&allocator, &source, SourceType::script()).parse();
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return if has_import_statement(code) {
            vec!["import".to_owned()]
        } else {
            Vec::new()
        };
    }
    let built = SemanticBuilder::new()
        .with_build_nodes(true)
        .build(&parsed.program);
    let semantic = &built.semantic;
    let mut found = BTreeSet::new();
    for (name, references) in semantic.scoping().root_unresolved_references() {
        let name = name.as_str();
        for reference in references {
            let node = semantic.scoping().get_reference(*reference).node_id();
            match name {
                "Function" if makes_code(semantic, node) => {
                    found.insert("Function".to_owned());
                }
                "globalThis" => found.extend(member_of_global(semantic, node)),
                name if BLOCKED.contains(&name) => {
                    found.insert(name.to_owned());
                }
                _ => {}
            }
        }
    }
    if semantic.nodes().iter().any(|node| {
        matches!(
            node.kind(),
            AstKind::ImportExpression(_) | AstKind::ImportDeclaration(_)
        )
    }) {
        found.insert("import".to_owned());
    }
    found.into_iter().collect()
}

/// `Function(…)`, `new Function(…)`, or the bare value, which could be called later;
/// `x instanceof Function` and `Function.prototype` make no code.
fn makes_code(semantic: &Semantic<'_>, node: NodeId) -> bool {
    !matches!(
        semantic.nodes().parent_kind(node),
        AstKind::BinaryExpression(_) | AstKind::StaticMemberExpression(_) | AstKind::UnaryExpression(_)
    )
}

/// `globalThis.process`, `globalThis["process"]`.
fn member_of_global(semantic: &Semantic<'_>, node: NodeId) -> Option<String> {
    let name = match semantic.nodes().parent_kind(node) {
        AstKind::StaticMemberExpression(member) => member.property.name.to_string(),
        AstKind::ComputedMemberExpression(member) => match &member.expression {
            Expression::StringLiteral(text) => text.value.to_string(),
            _ => return None,
        },
        _ => return None,
    };
    (BLOCKED.contains(&name.as_str()) || name == "Function").then(|| format!("globalThis.{name}"))
}

/// As a module in which `return` may stand as well.
pub(super) fn parsed<'a>(allocator: &'a Allocator, code: &'a str) -> ParserReturn<'a> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    Parser::new(allocator, code, SourceType::mjs())
        .with_options(options)
        .parse()
}

fn has_import_statement(code: &str) -> bool {
    let allocator = Allocator::default();
    parsed(&allocator, code)
        .program
        .body
        .iter()
        .any(|statement| matches!(statement, Statement::ImportDeclaration(_)))
}

/// What a module imports by name: (specifier, name).
pub(crate) fn imports(source: &str) -> Vec<(String, String)> {
    if super::depth::too_deep(source) {
        return Vec::new();
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::mjs()).parse();
    let entries = parsed
        .module_record
        .import_entries
        .iter()
        .filter_map(|entry| match &entry.import_name {
            ImportImportName::Name(name) => {
                Some((entry.module_request.name.to_string(), name.name.to_string()))
            }
            ImportImportName::NamespaceObject | ImportImportName::Default(_) => None,
        });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> String {
        blocked(code).join(",")
    }

    #[test]
    fn free_references_are_found() {
        for (code, expected) in [
            ("return process.env", "process"),
            ("const fs = require('fs')", "require"),
            ("module.exports = 1", "module"),
            ("exports.a = 1", "exports"),
            ("await import('fs')", "import"),
            ("import fs from 'fs'; return 1", "import"),
            ("globalThis.process.exit()", "globalThis.process"),
            ("globalThis['fetch']('x')", "globalThis.fetch"),
            ("Deno.exit(); Bun.file('x')", "Bun,Deno"),
            ("await fetch('http://x')", "fetch"),
            (
                "new XMLHttpRequest(); new WebSocket('ws://x')",
                "WebSocket,XMLHttpRequest",
            ),
            ("eval('1')", "eval"),
            ("const e = eval; e('1')", "eval"),
            ("new Function('return 1')()", "Function"),
            ("Function('return 1')()", "Function"),
            ("const f = () => { { return process } }", "process"),
            ("typeof process", "process"),
        ] {
            assert_eq!(names(code), expected, "{code}");
        }
    }

    #[test]
    fn locals_properties_strings_and_comments_pass() {
        for code in [
            "const process = {a: 1}; return process.a",
            "function require(x) { return x } return require(1)",
            "return {process: 1, fetch: 2}.process",
            "return input.module.exports",
            "return 'process require eval'",
            "return `fetch`",
            "// require('fs')\nreturn 1",
            "/* eval */ return 1",
            "return [1].map((module) => module)",
            "return (() => 1) instanceof Function",
            "return Function.prototype.call.length",
            "try { throw 1 } catch (exports) { return exports }",
            "class A { fetch() {} } return new A().fetch()",
            "for (const process of [1]) {}",
            "return globalThis.Math.PI",
            "this is not javascript",
            "}); evil(); (function () {",
            "await null; return 1",
        ] {
            assert_eq!(names(code), "", "{code}");
        }
    }

    #[test]
    fn imports_are_listed_by_name() {
        let found = imports("import a, {b, c as d} from 'x'; import * as e from 'y'; import 'z';");
        assert_eq!(
            found,
            [("x".to_owned(), "b".to_owned()), ("x".to_owned(), "c".to_owned())]
        );
    }
}
