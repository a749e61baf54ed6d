//! The names that a CommonJS file exports, found by parsing and not by running: `import` has to
//! know them before anything is run. What is found is what Node finds: assignments to `exports`,
//! what compilers write, and re-exports of other files.

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    AssignmentExpression, AssignmentTarget, CallExpression, Expression, ObjectExpression, ObjectPropertyKind,
    Statement, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use std::collections::{BTreeSet, HashMap};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) own: BTreeSet<String>,
    /// Specifiers whose names are ours as well.
    pub(crate) from: Vec<String>,
}

/// `None`: this is no CommonJS, it has `import` or `export`.
pub(crate) fn names(source: &str) -> Option<Names> {
    // The engine says so when it gets there.
    if super::depth::too_deep(source) {
        return Some(Names::default());
    }
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, source, SourceType::unambiguous())
        .with_options(options)
        .parse();
    // What cannot be parsed is for the engine to complain about.
    if parsed.panicked && (source.contains("export ") || source.contains("import ")) {
        return None;
    }
    if parsed.module_record.has_module_syntax {
        return None;
    }
    let mut search = Search::default();
    search.visit_program(&parsed.program);
    Some(search.names)
}

/// Whether a file is an ES module, when neither its name nor its package says so.
pub(crate) fn is_module(source: &str) -> bool {
    if !source.contains("import") && !source.contains("export") && !source.contains("await") {
        return false;
    }
    if super::depth::too_deep(source) {
        return false;
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::unambiguous()).parse();
    parsed.module_record.has_module_syntax || parsed.program.source_type.is_module()
}

#[derive(Default)]
struct Search {
    names: Names,
    /// Variables that hold a required module.
    required: HashMap<String, String>,
}

impl Search {
    fn members(&mut self, object: &ObjectExpression<'_>) {
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
                    if let Some(name) = property.key.static_name() {
                        self.names.own.insert(name.into_owned());
                    }
                }
                ObjectPropertyKind::SpreadProperty(spread) => {
                    if let Some(name) = self.required(&spread.argument) {
                        self.names.from.push(name);
                    }
                }
                ObjectPropertyKind::ObjectProperty(_) => {}
            }
        }
    }

    /// `require('x')`, perhaps inside a compiler's helper, or a variable that holds it.
    fn required(&self, expression: &Expression<'_>) -> Option<String> {
        match expression {
            Expression::Identifier(name) => self.required.get(name.name.as_str()).cloned(),
            Expression::CallExpression(call) => {
                let first = call.arguments.first()?.as_expression()?;
                match &call.callee {
                    Expression::Identifier(callee) if callee.name == "require" => match first {
                        Expression::StringLiteral(name) => Some(name.value.to_string()),
                        _ => None,
                    },
                    _ => self.required(first),
                }
            }
            _ => None,
        }
    }
}

impl<'a> Visit<'a> for Search {
    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if let (Some(name), Some(init)) = (it.id.get_identifier_name(), &it.init)
            && let Some(request) = self.required(init)
        {
            self.required.insert(name.to_string(), request);
        }
        walk::walk_variable_declarator(self, it);
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        match &it.left {
            AssignmentTarget::StaticMemberExpression(member) if is_exports(&member.object) => {
                self.names.own.insert(member.property.name.to_string());
            }
            AssignmentTarget::ComputedMemberExpression(member) if is_exports(&member.object) => {
                if let Expression::StringLiteral(name) = &member.expression {
                    self.names.own.insert(name.value.to_string());
                }
            }
            AssignmentTarget::StaticMemberExpression(member)
                if member.property.name == "exports" && is_name(&member.object, "module") =>
            {
                match last(&it.right) {
                    Expression::ObjectExpression(object) => self.members(object),
                    other => self.names.from.extend(self.required(other)),
                }
            }
            _ => {}
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        let argument = |at: usize| it.arguments.get(at).and_then(|argument| argument.as_expression());
        let callee = match &it.callee {
            Expression::Identifier(callee) => callee.name.as_str(),
            Expression::StaticMemberExpression(member) => member.property.name.as_str(),
            _ => "",
        };
        match (callee, argument(0), argument(1)) {
            ("defineProperty", Some(target), Some(Expression::StringLiteral(name)))
                if is_exports(target) && argument(2).is_some_and(tells_its_value) =>
            {
                self.names.own.insert(name.value.to_string());
            }
            // What esbuild and TypeScript write.
            ("__export", Some(_), Some(Expression::ObjectExpression(object))) => self.members(object),
            ("__exportStar" | "__export" | "__reExport", Some(first), second) => {
                let found = self
                    .required(first)
                    .or_else(|| second.and_then(|second| self.required(second)));
                self.names.from.extend(found);
            }
            // Babel's: Object.keys(_x).forEach(function (key) { exports[key] = _x[key] }).
            ("forEach", Some(Expression::FunctionExpression(_)), None) => {
                if let Expression::StaticMemberExpression(member) = &it.callee
                    && let Expression::CallExpression(keys) = &member.object
                    && let Some(Expression::Identifier(name)) = keys
                        .arguments
                        .first()
                        .and_then(|argument| argument.as_expression())
                {
                    self.names
                        .from
                        .extend(self.required.get(name.name.as_str()).cloned());
                }
            }
            _ => {}
        }
        walk::walk_call_expression(self, it);
    }
}

/// A description of a property with a value, or with a getter that only passes on what is elsewhere. Any
/// other getter may do something when it is asked, and nobody asked for it yet.
fn tells_its_value(descriptor: &Expression<'_>) -> bool {
    let Expression::ObjectExpression(object) = descriptor else {
        return false;
    };
    object.properties.iter().any(|property| {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            return false;
        };
        match property.key.static_name().as_deref() {
            Some("value") => true,
            Some("get") => passes_on(&property.value),
            _ => false,
        }
    })
}

/// `function () { return a.b; }`.
fn passes_on(getter: &Expression<'_>) -> bool {
    let Expression::FunctionExpression(function) = getter else {
        return false;
    };
    let Some(body) = &function.body else { return false };
    match body.statements.as_slice() {
        [Statement::ReturnStatement(only)] => only
            .argument
            .as_ref()
            .is_some_and(|value| matches!(value, Expression::Identifier(_)) || value.is_member_expression()),
        _ => false,
    }
}

/// `a = b = value`: the value.
fn last<'e, 'a>(expression: &'e Expression<'a>) -> &'e Expression<'a> {
    match expression {
        Expression::AssignmentExpression(inner) => last(&inner.right),
        other => other,
    }
}

fn is_exports(expression: &Expression<'_>) -> bool {
    match expression {
        Expression::StaticMemberExpression(member) => {
            member.property.name == "exports" && is_name(&member.object, "module")
        }
        other => is_name(other, "exports"),
    }
}

fn is_name(expression: &Expression<'_>, name: &str) -> bool {
    matches!(expression, Expression::Identifier(found) if found.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_exports_is_found_without_running_it() {
        for (source, own, from) in [
            (
                "exports.a = 1; module.exports.b = 2; exports['c'] = 3",
                "a b c",
                "",
            ),
            (
                "module.exports = { a, 'b': 1, c() {}, ...require('x') }",
                "a b c",
                "x",
            ),
            ("exports = module.exports = { a: 1 }", "a", ""),
            ("module.exports = require('./lib')", "", "./lib"),
            (
                "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 1",
                "__esModule default",
                "",
            ),
            (
                "__exportStar(require('./a'), exports); tslib_1.__exportStar(require('./b'), exports)",
                "",
                "./a ./b",
            ),
            (
                "__export(src_exports, { x: () => x }); module.exports = __toCommonJS(src_exports)",
                "x",
                "",
            ),
            ("0 && (module.exports = { a, b })", "a b", ""),
            (
                "var _a = require('./a'); Object.keys(_a).forEach(function (key) { exports[key] = _a[key]; })",
                "",
                "./a",
            ),
            ("(function () { exports.inner = 1 })(); return", "inner", ""),
            ("const other = {}; other.x = 1; local.exports.y = 2", "", ""),
            (
                "Object.defineProperty(exports, 'a', { enumerable: true, get: function () { return x.a; } })",
                "a",
                "",
            ),
            (
                "Object.defineProperty(exports, 'a', { get() { console.warn('old'); return 1; } })",
                "",
                "",
            ),
        ] {
            let found = names(source).unwrap();
            assert_eq!(
                found.own.into_iter().collect::<Vec<_>>().join(" "),
                own,
                "{source}"
            );
            assert_eq!(found.from.join(" "), from, "{source}");
        }
        assert_eq!(names("export const a = 1"), None);
        assert!(is_module("import a from 'a'") && is_module("export {}"));
        assert!(!is_module("// import a from 'a'\nmodule.exports = 'export'"));
    }
}
