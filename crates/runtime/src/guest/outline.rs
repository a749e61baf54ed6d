//! Where the parts of a tool stand in its source: members of the default export, and the fields of
//! what they return as far as it is written down, found by parsing and not by running.
//!
//! Deliberately not here: what the parts mean, and values that are computed. Whoever asks for the
//! place of something that is not written down gets the nearest part around it.

use crate::protocol::{Outline, Place};
use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use std::collections::HashMap;

/// Parts that are kept of one source; a tool has some hundred.
const MOST: usize = 4_000;
/// How far names are followed, and values looked into.
const DEEPEST: usize = 32;
/// Values that are looked at: what is spread twice, again and again, is written down once.
const STEPS: usize = 20_000;

/// What a name of the module stands for.
#[derive(Clone, Copy)]
enum Named<'b, 'a> {
    Value(&'b Expression<'a>),
    Function(&'b Function<'a>),
    Class(&'b Class<'a>),
}

type Names<'b, 'a> = HashMap<&'b str, Named<'b, 'a>>;

/// Of a source that does not parse, or is nested too deeply to, there is none: the engine reports it
/// with its place.
pub(crate) fn outline(source: &str) -> Outline {
    if super::depth::too_deep(source) {
        return Outline::default();
    }
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, SourceType::mjs()).parse();
    if parsed.panicked {
        return Outline::default();
    }
    let mut names = Names::new();
    for statement in &parsed.program.body {
        declare(statement, &mut names);
    }
    let mut reader = Reader {
        source,
        lines: line_starts(source),
        outline: Outline::default(),
        steps: STEPS,
    };
    for statement in &parsed.program.body {
        reader.statement(statement, &names);
    }
    reader.outline
}

/// Byte offsets at which lines begin.
fn line_starts(source: &str) -> Vec<usize> {
    let ends = source.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

fn declare<'b, 'a>(statement: &'b Statement<'a>, names: &mut Names<'b, 'a>) {
    match statement {
        Statement::VariableDeclaration(declaration) => {
            for one in &declaration.declarations {
                if let (BindingPattern::BindingIdentifier(id), Some(value)) = (&one.id, &one.init) {
                    names.insert(id.name.as_str(), Named::Value(value));
                }
            }
        }
        Statement::FunctionDeclaration(function) => {
            if let Some(id) = &function.id {
                names.insert(id.name.as_str(), Named::Function(function));
            }
        }
        Statement::ClassDeclaration(class) => {
            if let Some(id) = &class.id {
                names.insert(id.name.as_str(), Named::Class(class));
            }
        }
        _ => {}
    }
}

struct Reader<'s> {
    source: &'s str,
    lines: Vec<usize>,
    outline: Outline,
    steps: usize,
}

impl Reader<'_> {
    /// How deep it may still go; `None` when it has gone far enough.
    fn deeper(&mut self, deep: usize) -> Option<usize> {
        self.steps = self.steps.checked_sub(1)?;
        deep.checked_sub(1)
    }

    fn statement<'b, 'a>(&mut self, statement: &'b Statement<'a>, names: &Names<'b, 'a>) {
        match statement {
            Statement::ImportDeclaration(import) => {
                if let Some(name) = package(import.source.value.as_str()) {
                    let place = self.place(import.span);
                    self.outline.imports.push((name.to_owned(), place));
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                let place = self.place(export.span);
                self.outline.default_export = Some(place);
                match &export.declaration {
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => self.class(class, names),
                    other => {
                        if let Some(value) = other.as_expression() {
                            self.members(value, names, DEEPEST);
                        }
                    }
                }
            }
            Statement::ExpressionStatement(statement) => {
                if let Expression::AssignmentExpression(assignment) = &statement.expression
                    && is_commonjs(&assignment.left)
                {
                    let place = self.place(statement.span);
                    self.outline.commonjs.get_or_insert(place);
                }
            }
            _ => {}
        }
    }

    /// Line and column count from 1.
    fn place(&self, span: Span) -> Place {
        let at = self.source.floor_char_boundary(span.start as usize);
        let line = self.lines.partition_point(|start| *start <= at).max(1);
        let column = self.source[self.lines[line - 1]..at].chars().count() + 1;
        // Sources are far below what 32 bits count.
        (line as u32, column as u32)
    }

    fn note(&mut self, path: &str, span: Span) {
        // What is written twice counts as it is written last.
        if self.outline.places.len() < MOST {
            let place = self.place(span);
            self.outline.places.insert(path.to_owned(), place);
        }
    }

    /// The tool itself: an object, a class, one made of a class, or a name of these.
    fn members<'b, 'a>(&mut self, value: &'b Expression<'a>, names: &Names<'b, 'a>, deep: usize) {
        let Some(deep) = self.deeper(deep) else { return };
        match value.get_inner_expression() {
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::ObjectProperty(property) => {
                            if let Some(name) = property.key.static_name() {
                                self.note(&name, property.key.span());
                                self.member(&name, &property.value, names, deep);
                            }
                        }
                        ObjectPropertyKind::SpreadProperty(spread) => {
                            self.members(&spread.argument, names, deep);
                        }
                    }
                }
            }
            Expression::ClassExpression(class) => self.class(class, names),
            Expression::NewExpression(made) => self.members(&made.callee, names, deep),
            Expression::Identifier(id) => match names.get(id.name.as_str()) {
                Some(Named::Value(value)) => self.members(value, names, deep),
                Some(Named::Class(class)) => self.class(class, names),
                Some(Named::Function(_)) | None => {}
            },
            _ => {}
        }
    }

    fn class<'b, 'a>(&mut self, class: &'b Class<'a>, names: &Names<'b, 'a>) {
        for element in &class.body.body {
            match element {
                ClassElement::MethodDefinition(method) => {
                    if let Some(name) = method.key.static_name() {
                        self.note(&name, method.key.span());
                        self.function(&name, &method.value, names, DEEPEST);
                    }
                }
                ClassElement::PropertyDefinition(property) => {
                    if let (Some(name), Some(value)) = (property.key.static_name(), &property.value) {
                        self.note(&name, property.key.span());
                        self.member(&name, value, names, DEEPEST);
                    }
                }
                _ => {}
            }
        }
    }

    fn member<'b, 'a>(&mut self, name: &str, value: &'b Expression<'a>, names: &Names<'b, 'a>, deep: usize) {
        let Some(deep) = self.deeper(deep) else { return };
        match value.get_inner_expression() {
            Expression::FunctionExpression(function) => self.function(name, function, names, deep),
            Expression::ArrowFunctionExpression(arrow) => {
                self.parameters(name, &arrow.params);
                match &arrow.body {
                    ArrowFunctionBody::FunctionBody(body) => {
                        self.returned(name, &body.statements, names, deep);
                    }
                    other => {
                        if let Some(value) = other.as_expression() {
                            self.value(name, value, names, deep);
                        }
                    }
                }
            }
            Expression::Identifier(id) => match names.get(id.name.as_str()) {
                Some(Named::Function(function)) => self.function(name, function, names, deep),
                Some(Named::Value(value)) => self.member(name, value, names, deep),
                Some(Named::Class(_)) | None => {}
            },
            other => self.value(name, other, names, deep),
        }
    }

    fn function<'b, 'a>(
        &mut self,
        name: &str,
        function: &'b Function<'a>,
        names: &Names<'b, 'a>,
        deep: usize,
    ) {
        self.parameters(name, &function.params);
        if let Some(body) = &function.body {
            self.returned(name, &body.statements, names, deep);
        }
    }

    fn parameters(&mut self, name: &str, parameters: &FormalParameters<'_>) {
        let count = parameters.items.len() + usize::from(parameters.rest.is_some());
        self.outline.parameters.insert(name.to_owned(), count as u32);
    }

    /// The first value that is returned, with the names that the function has of its own.
    fn returned<'b, 'a>(
        &mut self,
        path: &str,
        statements: &'b [Statement<'a>],
        names: &Names<'b, 'a>,
        deep: usize,
    ) -> bool {
        let Some(deep) = self.deeper(deep) else {
            return false;
        };
        let mut own = names.clone();
        for statement in statements {
            declare(statement, &mut own);
        }
        statements.iter().any(|statement| match statement {
            Statement::ReturnStatement(statement) => match &statement.argument {
                Some(value) => {
                    self.value(path, value, &own, deep);
                    true
                }
                None => false,
            },
            Statement::BlockStatement(block) => self.returned(path, &block.body, &own, deep),
            Statement::TryStatement(tried) => self.returned(path, &tried.block.body, &own, deep),
            Statement::IfStatement(choice) => match &choice.consequent {
                Statement::BlockStatement(block) => self.returned(path, &block.body, &own, deep),
                _ => false,
            },
            _ => false,
        })
    }

    fn value<'b, 'a>(&mut self, path: &str, value: &'b Expression<'a>, names: &Names<'b, 'a>, deep: usize) {
        let Some(deep) = self.deeper(deep) else { return };
        match value.get_inner_expression() {
            Expression::ObjectExpression(object) => {
                for property in &object.properties {
                    match property {
                        ObjectPropertyKind::ObjectProperty(property) => {
                            if let Some(name) = property.key.static_name() {
                                let path = format!("{path}.{name}");
                                self.note(&path, property.key.span());
                                self.value(&path, &property.value, names, deep);
                            }
                        }
                        ObjectPropertyKind::SpreadProperty(spread) => {
                            self.value(path, &spread.argument, names, deep);
                        }
                    }
                }
            }
            Expression::ArrayExpression(array) => {
                for (index, element) in array.elements.iter().enumerate() {
                    if let Some(value) = element.as_expression() {
                        let path = format!("{path}.{index}");
                        self.note(&path, value.span());
                        self.value(&path, value, names, deep);
                    }
                }
            }
            Expression::Identifier(id) => {
                if let Some(Named::Value(value)) = names.get(id.name.as_str()) {
                    self.value(path, value, names, deep);
                }
            }
            Expression::AwaitExpression(waited) => self.value(path, &waited.argument, names, deep),
            // `Object.freeze({…})`
            Expression::CallExpression(call) => {
                if let Some(value) = call.arguments.first().and_then(Argument::as_expression) {
                    self.value(path, value, names, deep);
                }
            }
            _ => {}
        }
    }
}

/// The package that a specifier names; `None` for files, addresses and modules of Node.
fn package(specifier: &str) -> Option<&str> {
    if specifier.starts_with(['.', '/', '#']) || specifier.contains(':') {
        return None;
    }
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier
        .match_indices('/')
        .nth(parts - 1)
        .map_or(specifier.len(), |(at, _)| at);
    let name = &specifier[..end];
    (!crate::node::has(specifier) && !crate::node::has(name)).then_some(name)
}

/// `module.exports = …`, `exports.x = …`, `module.exports.x = …`.
fn is_commonjs(target: &AssignmentTarget<'_>) -> bool {
    let AssignmentTarget::StaticMemberExpression(member) = target else {
        return false;
    };
    let is = |value: &Expression<'_>, name: &str| matches!(value, Expression::Identifier(id) if id.name.as_str() == name);
    let of_module = |member: &StaticMemberExpression<'_>| {
        is(&member.object, "module") && member.property.name.as_str() == "exports"
    };
    is(&member.object, "exports")
        || of_module(member)
        || matches!(&member.object, Expression::StaticMemberExpression(inner) if of_module(inner))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn places(source: &str) -> Vec<(String, Place)> {
        outline(source).places.into_iter().collect()
    }

    #[test]
    fn members_and_what_they_return_have_places() {
        let found = outline(
            "import _ from 'lodash/fp';\nconst PATH = { type: 'string' };\nexport default {\n  getSchema() {\n    \
             const own = { path: PATH };\n    return { parameters: { properties: own, required: ['é', 'path'] } };\n  },\n  \
             execute: async ({ path }, ...rest) => path,\n};\n",
        );
        let at = |path: &str| found.places.get(path).copied();
        assert_eq!(at("getSchema"), Some((4, 3)));
        assert_eq!(at("getSchema.parameters.properties.path"), Some((5, 19)));
        assert_eq!(at("getSchema.parameters.properties.path.type"), Some((2, 16)));
        assert_eq!(at("getSchema.parameters.required.1"), Some((6, 61)));
        assert_eq!(found.parameters["execute"], 2);
        assert_eq!(found.parameters["getSchema"], 0);
        assert_eq!(found.default_export, Some((3, 1)));
        assert_eq!(found.imports, [("lodash".to_owned(), (1, 1))]);
    }

    #[test]
    fn packages_are_told_from_files_and_modules_of_node() {
        for (specifier, name) in [
            ("lodash", Some("lodash")),
            ("lodash/fp", Some("lodash")),
            ("@a/b/c", Some("@a/b")),
            ("./own.js", None),
            ("fs", None),
            ("fs/promises", None),
            ("node:fs", None),
            ("#own", None),
        ] {
            assert_eq!(package(specifier), name, "{specifier}");
        }
    }

    #[test]
    fn other_ways_to_write_a_tool_are_followed() {
        for source in [
            "const tool = { execute() {} };\nexport default tool;",
            "class T { execute() {} }\nexport default new T();",
            "export default class { execute() {} }",
            "function execute() {}\nexport default { execute };",
            "const base = { execute() {} };\nexport default { ...base };",
        ] {
            assert_eq!(outline(source).parameters.get("execute"), Some(&0), "{source}");
            assert!(
                places(source).iter().any(|(path, _)| path == "execute"),
                "{source}"
            );
        }
        assert_eq!(outline("module.exports = {};").commonjs, Some((1, 1)));
        assert_eq!(outline("\n exports.execute = 1").commonjs, Some((2, 2)));
        assert_eq!(outline("const a = 1; a.exports = 2").commonjs, None);
    }

    #[test]
    fn what_cannot_be_parsed_or_ends_in_itself_has_an_end() {
        assert_eq!(outline("export default {"), Outline::default());
        assert_eq!(outline(&"[".repeat(100_000)), Outline::default());
        assert!(
            outline("const a = b; const b = a; export default a;")
                .places
                .is_empty()
        );
        let twice: String = (0..40)
            .map(|n| format!("const a{n} = {{ ...a{}, ...a{} }};", n + 1, n + 1))
            .collect();
        assert!(
            outline(&format!("{twice} export default {{ execute: a0 }};"))
                .places
                .len()
                < 3
        );
        let many = format!(
            "export default {{ execute() {{ return [{}] }} }}",
            "1,".repeat(2 * MOST)
        );
        assert_eq!(outline(&many).places.len(), MOST);
    }
}
