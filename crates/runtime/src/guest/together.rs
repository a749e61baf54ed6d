//! Cells of a notebook share their global names, and each may be run again: what a cell declares at its
//! top is made to be global, and `input` is waited for.
//!
//! Lines stay where they are. Deliberately not here: running it, and code that does not parse, which
//! the engine reports with its place.

use super::free_names::parsed;
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

/// The code of a cell as it is run.
pub(super) fn shared(code: &str) -> String {
    if super::depth::too_deep(code) {
        return code.to_owned();
    }
    let allocator = Allocator::default();
    let parsed = parsed(&allocator, code);
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        return code.to_owned();
    }
    let mut edits = Edits {
        code,
        list: Vec::new(),
    };
    let body = &parsed.program.body;
    for (at, statement) in body.iter().enumerate() {
        edits.top(statement, at + 1 == body.len());
    }
    edits.visit_program(&parsed.program);
    edits.made()
}

struct Edits<'c> {
    code: &'c str,
    /// A span, and what comes in its place.
    list: Vec<(Span, String)>,
}

impl Edits<'_> {
    fn replace(&mut self, span: Span, by: impl Into<String>) {
        self.list.push((span, by.into()));
    }

    fn insert(&mut self, at: u32, text: impl Into<String>) {
        self.replace(Span::new(at, at), text);
    }

    fn top(&mut self, statement: &Statement<'_>, last: bool) {
        match statement {
            Statement::VariableDeclaration(declaration) => self.declaration(declaration),
            Statement::ClassDeclaration(class) => {
                if let Some(id) = &class.id {
                    self.insert(class.span.start, format!("var {} = ", id.name));
                    self.insert(class.span.end, ";");
                }
            }
            // A cell is no function; who writes one at its end means its value.
            Statement::ReturnStatement(it) if last => match &it.argument {
                Some(value) => {
                    let span = value.span();
                    self.replace(Span::new(it.span.start, span.start), ";(");
                    self.insert(span.end, ")");
                }
                None => self.replace(it.span, ""),
            },
            _ => {}
        }
    }

    fn declaration(&mut self, it: &VariableDeclaration<'_>) {
        let word = match it.kind {
            VariableDeclarationKind::Const => "const",
            VariableDeclarationKind::Let => "let",
            _ => return,
        };
        let start = it.span.start;
        self.replace(Span::new(start, start + word.len() as u32), "var");
        for one in it.declarations.iter().filter(|one| one.init.is_none()) {
            // Run again, it is without a value again.
            self.insert(one.span.end, " = undefined");
        }
    }

    fn made(mut self) -> String {
        self.list.sort_by_key(|(span, _)| (span.start, span.end));
        let mut made = String::with_capacity(self.code.len() + 64);
        let mut at = 0;
        for (span, text) in self.list {
            let (start, end) = (span.start as usize, span.end as usize);
            if start < at {
                continue;
            }
            made.push_str(&self.code[at..start]);
            made.push_str(&text);
            // Line ends of what goes away stay.
            made.extend(self.code[start..end].chars().filter(|one| *one == '\n'));
            at = end;
        }
        made.push_str(&self.code[at..]);
        made
    }
}

impl<'a> Visit<'a> for Edits<'_> {
    // Within functions there may be nothing that waits.
    fn visit_function(&mut self, _: &Function<'a>, _: ScopeFlags) {}
    fn visit_arrow_function_expression(&mut self, _: &ArrowFunctionExpression<'a>) {}
    fn visit_class(&mut self, _: &Class<'a>) {}

    fn visit_await_expression(&mut self, it: &AwaitExpression<'a>) {
        match &it.argument {
            Expression::CallExpression(call) => walk::walk_call_expression(self, call),
            _ => walk::walk_await_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let is_input = matches!(&it.callee, Expression::Identifier(name) if name.name == "input");
        let rest = self.code[it.span.end as usize..].trim_start();
        let chained = [".then", ".catch", ".finally"]
            .iter()
            .any(|word| rest.starts_with(word));
        if is_input && !chained {
            self.insert(it.span.start, "(await ");
            walk::walk_call_expression(self, it);
            self.insert(it.span.end, ")");
            return;
        }
        walk::walk_call_expression(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_at_the_top_is_global() {
        for (code, wanted) in [
            ("const a = 1;\nlet b", "var a = 1;\nvar b = undefined"),
            ("let a, b = 2;", "var a = undefined, b = 2;"),
            ("const {a, b: [c]} = x;", "var {a, b: [c]} = x;"),
            ("class A {}\n(1)", "var A = class A {};\n(1)"),
            ("for (let i = 0;;) {}", "for (let i = 0;;) {}"),
            ("{ const a = 1 }", "{ const a = 1 }"),
            (
                "function f() { const a = 1; return a }",
                "function f() { const a = 1; return a }",
            ),
            ("const a = 1;\nreturn {a};", "var a = 1;\n;({a});"),
            ("return", ""),
            ("const a = ", "const a = "),
            ("中文 = 1; const 名 = 2", "中文 = 1; var 名 = 2"),
        ] {
            assert_eq!(shared(code), wanted, "{code}");
        }
    }

    #[test]
    fn an_input_at_the_top_is_waited_for() {
        for (code, wanted) in [
            ("name = input('?')", "name = (await input('?'))"),
            (
                "const n = Number(input(input('a')))",
                "var n = Number((await input((await input('a')))))",
            ),
            ("await input('?')", "await input('?')"),
            ("input('?').then(print)", "input('?').then(print)"),
            ("const f = () => input('?')", "var f = () => input('?')"),
            ("return input('?')", ";((await input('?')))"),
        ] {
            assert_eq!(shared(code), wanted, "{code}");
        }
    }

    #[test]
    fn lines_stay_where_they_are() {
        let code = "const a = 1;\nclass B {\n}\nreturn\n\n";
        assert_eq!(shared(code).lines().count(), code.lines().count());
    }
}
