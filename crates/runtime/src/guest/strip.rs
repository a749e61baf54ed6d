//! TypeScript without its types: what only the compiler reads becomes blanks, so that every
//! character of the rest keeps its line and column. What makes code (enums, namespaces,
//! parameter properties) is refused by name, as Node does.

use oxc_allocator::Allocator;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::scope::ScopeFlags;

#[derive(Debug, thiserror::Error)]
pub(crate) enum StripError {
    #[error("the code is nested too deeply to leave its types out")]
    TooDeep,
    /// Line and column count from 1.
    #[error("{message} ({line}:{column})")]
    Syntax {
        message: String,
        line: usize,
        column: usize,
    },
    #[error("TypeScript {what} cannot be run by leaving types out ({line}:{column})")]
    Unsupported {
        what: &'static str,
        line: usize,
        column: usize,
    },
}

pub(crate) fn strip(source: &str, path: &str) -> Result<String, StripError> {
    if super::depth::too_deep(source) {
        return Err(StripError::TooDeep);
    }
    let kind = if path.ends_with(".cts") {
        SourceType::ts().with_commonjs(true)
    } else {
        SourceType::ts()
    };
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, source, kind).parse();
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        let at = diagnostic
            .labels
            .as_slice()
            .first()
            .map_or(0, |label| label.offset() as usize);
        let (line, column) = place(source, at);
        return Err(StripError::Syntax {
            message: diagnostic.message.to_string(),
            line,
            column,
        });
    }
    let mut blanks = Blanks {
        source,
        spans: Vec::new(),
        refused: None,
    };
    blanks.visit_program(&parsed.program);
    if let Some((what, at)) = blanks.refused {
        let (line, column) = place(source, at as usize);
        return Err(StripError::Unsupported { what, line, column });
    }
    Ok(blanks.apply())
}

fn place(source: &str, at: usize) -> (usize, usize) {
    let before = &source[..source.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    (line, column)
}

struct Blanks<'s> {
    source: &'s str,
    spans: Vec<(Span, Fill)>,
    refused: Option<(&'static str, u32)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    Blank,
    /// A statement that is gone must still end the one before it.
    Semicolon,
}

impl Blanks<'_> {
    fn blank(&mut self, span: Span) {
        self.spans.push((span, Fill::Blank));
    }

    fn statement(&mut self, span: Span) {
        self.spans.push((span, Fill::Semicolon));
    }

    fn refuse(&mut self, what: &'static str, span: Span) {
        self.refused.get_or_insert((what, span.start));
    }

    /// The words of `words` between two places.
    fn words(&mut self, from: u32, to: u32, words: &[&str]) {
        let text = &self.source[from as usize..to as usize];
        let mut at = 0;
        while let Some(start) = text[at..]
            .find(|c: char| c.is_alphanumeric())
            .map(|found| at + found)
        {
            let end = text[start..]
                .find(|c: char| !c.is_alphanumeric())
                .map_or(text.len(), |found| start + found);
            if words.contains(&&text[start..end]) {
                self.blank(Span::new(from + start as u32, from + end as u32));
            }
            at = end;
        }
    }

    /// The first `mark` between two places.
    fn mark(&mut self, from: u32, to: u32, mark: char) {
        if let Some(at) = self.source[from as usize..to as usize].find(mark) {
            let at = from + at as u32;
            self.blank(Span::new(at, at + 1));
        }
    }

    /// A member of a list goes with its comma.
    fn item(&mut self, span: Span) {
        let after = &self.source[span.end as usize..];
        let blanks = after.len() - after.trim_start().len();
        let comma = u32::from(after[blanks..].starts_with(',')) * (blanks as u32 + 1);
        self.blank(Span::new(span.start, span.end + comma));
    }

    fn specifiers(&mut self, specifiers: &[ExportSpecifier<'_>]) {
        for specifier in specifiers {
            if specifier.export_kind == ImportOrExportKind::Type {
                self.item(specifier.span);
            }
        }
    }

    fn apply(mut self) -> String {
        self.spans
            .sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut text = String::with_capacity(self.source.len());
        let mut at = 0;
        for (span, fill) in self.spans {
            let (start, end) = (span.start as usize, span.end as usize);
            if start < at {
                continue;
            }
            text.push_str(&self.source[at..start]);
            for (n, c) in self.source[start..end].chars().enumerate() {
                match c {
                    '\n' | '\r' | '\u{2028}' | '\u{2029}' => text.push(c),
                    _ if n == 0 && fill == Fill::Semicolon => text.push(';'),
                    // Columns are counted in UTF-16 units.
                    _ => text.extend(std::iter::repeat_n(' ', c.len_utf16())),
                }
            }
            at = end;
        }
        text.push_str(&self.source[at..]);
        text
    }
}

const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "readonly",
    "abstract",
    "override",
    "declare",
];

impl<'a> Visit<'a> for Blanks<'_> {
    fn visit_ts_type_annotation(&mut self, it: &TSTypeAnnotation<'a>) {
        self.blank(it.span);
    }
    fn visit_ts_type_parameter_declaration(&mut self, it: &TSTypeParameterDeclaration<'a>) {
        self.blank(it.span);
    }
    fn visit_ts_type_parameter_instantiation(&mut self, it: &TSTypeParameterInstantiation<'a>) {
        self.blank(it.span);
    }
    fn visit_ts_interface_declaration(&mut self, it: &TSInterfaceDeclaration<'a>) {
        self.statement(it.span);
    }
    fn visit_ts_type_alias_declaration(&mut self, it: &TSTypeAliasDeclaration<'a>) {
        self.statement(it.span);
    }
    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if it.declare {
            self.statement(it.span);
        } else {
            self.refuse("enum", it.span);
        }
    }
    fn visit_ts_external_module_declaration(&mut self, it: &TSExternalModuleDeclaration<'a>) {
        self.statement(it.span);
    }
    fn visit_ts_namespace_declaration(&mut self, it: &TSNamespaceDeclaration<'a>) {
        if it.declare {
            self.statement(it.span);
        } else {
            self.refuse("namespace", it.span);
        }
    }
    fn visit_ts_global_declaration(&mut self, it: &TSGlobalDeclaration<'a>) {
        self.statement(it.span);
    }
    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'a>) {
        self.refuse("import =", it.span);
    }
    fn visit_ts_export_assignment(&mut self, it: &TSExportAssignment<'a>) {
        self.refuse("export =", it.span);
    }
    fn visit_ts_this_parameter(&mut self, it: &TSThisParameter<'a>) {
        self.item(it.span);
    }
    fn visit_ts_index_signature(&mut self, it: &TSIndexSignature<'a>) {
        self.blank(it.span);
    }
    fn visit_ts_as_expression(&mut self, it: &TSAsExpression<'a>) {
        self.blank(Span::new(it.expression.span().end, it.span.end));
        self.visit_expression(&it.expression);
    }
    fn visit_ts_satisfies_expression(&mut self, it: &TSSatisfiesExpression<'a>) {
        self.blank(Span::new(it.expression.span().end, it.span.end));
        self.visit_expression(&it.expression);
    }
    fn visit_ts_non_null_expression(&mut self, it: &TSNonNullExpression<'a>) {
        self.blank(Span::new(it.expression.span().end, it.span.end));
        self.visit_expression(&it.expression);
    }
    fn visit_ts_type_assertion(&mut self, it: &TSTypeAssertion<'a>) {
        self.blank(Span::new(it.span.start, it.expression.span().start));
        self.visit_expression(&it.expression);
    }
    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        if it.import_kind == ImportOrExportKind::Type {
            return self.statement(it.span);
        }
        for specifier in it.specifiers.iter().flatten() {
            if let ImportDeclarationSpecifier::ImportSpecifier(specifier) = specifier
                && specifier.import_kind == ImportOrExportKind::Type
            {
                self.item(specifier.span);
            }
        }
    }
    fn visit_export_declaration(&mut self, it: &ExportDeclaration<'a>) {
        let only_types = match &it.declaration {
            Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_) => true,
            Declaration::FunctionDeclaration(function) => function.body.is_none(),
            other => other.declare(),
        };
        if only_types {
            return self.statement(it.span);
        }
        walk::walk_export_declaration(self, it);
    }
    fn visit_export_named_declaration(&mut self, it: &ExportNamedDeclaration<'a>) {
        if it.export_kind == ImportOrExportKind::Type {
            return self.statement(it.span);
        }
        self.specifiers(&it.specifiers);
    }
    fn visit_export_from_declaration(&mut self, it: &ExportFromDeclaration<'a>) {
        if it.export_kind == ImportOrExportKind::Type {
            return self.statement(it.span);
        }
        self.specifiers(&it.specifiers);
    }
    fn visit_export_all_declaration(&mut self, it: &ExportAllDeclaration<'a>) {
        if it.export_kind == ImportOrExportKind::Type {
            self.statement(it.span);
        }
    }
    fn visit_export_default_declaration(&mut self, it: &ExportDefaultDeclaration<'a>) {
        if matches!(
            &it.declaration,
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
        ) || matches!(&it.declaration, ExportDefaultDeclarationKind::FunctionDeclaration(f) if f.body.is_none())
        {
            return self.statement(it.span);
        }
        walk::walk_export_default_declaration(self, it);
    }
    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'a>) {
        if it.declare {
            return self.statement(it.span);
        }
        walk::walk_variable_declaration(self, it);
    }
    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if it.definite {
            self.mark(it.id.span().end, it.span.end, '!');
        }
        walk::walk_variable_declarator(self, it);
    }
    fn visit_function(&mut self, it: &Function<'a>, flags: ScopeFlags) {
        if it.declare || it.body.is_none() {
            return self.statement(it.span);
        }
        walk::walk_function(self, it, flags);
    }
    fn visit_formal_parameter(&mut self, it: &FormalParameter<'a>) {
        if it.accessibility.is_some() || it.readonly || it.r#override {
            return self.refuse("parameter property", it.span);
        }
        if it.optional {
            let end = it
                .type_annotation
                .as_ref()
                .map_or(it.span.end, |annotation| annotation.span.start);
            self.mark(it.pattern.span().end, end, '?');
        }
        walk::walk_formal_parameter(self, it);
    }
    fn visit_class(&mut self, it: &Class<'a>) {
        if it.declare {
            return self.statement(it.span);
        }
        let head = it.id.as_ref().map_or(it.body.span.start, |id| id.span.start);
        if it.r#abstract {
            self.words(it.span.start, head, &["abstract"]);
        }
        if let (Some(first), Some(last)) = (it.implements.first(), it.implements.last()) {
            let before = &self.source[..first.span.start as usize];
            let start = before.rfind("implements").unwrap_or(before.len()) as u32;
            self.blank(Span::new(start, last.span.end));
        }
        walk::walk_class(self, it);
    }
    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if it.value.body.is_none() {
            return self.blank(it.span);
        }
        let key = it.key.span();
        self.words(it.span.start, key.start, MODIFIERS);
        if it.optional {
            self.mark(key.end, it.value.span.end, '?');
        }
        walk::walk_method_definition(self, it);
    }
    fn visit_property_definition(&mut self, it: &PropertyDefinition<'a>) {
        if it.declare || it.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition {
            return self.blank(it.span);
        }
        let key = it.key.span();
        self.words(it.span.start, key.start, MODIFIERS);
        let end = it
            .type_annotation
            .as_ref()
            .map_or(it.span.end, |annotation| annotation.span.start);
        if it.optional {
            self.mark(key.end, end, '?');
        } else if it.definite {
            self.mark(key.end, end, '!');
        }
        walk::walk_property_definition(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_blanks_and_nothing_moves() {
        for (source, expected) in [
            ("const a: number = 1;", "const a         = 1;"),
            ("let x = y as string;", "let x = y          ;"),
            ("f<string>(a!, b satisfies C)", "f        (a , b            )"),
            (
                "function f<T>(a?: T, ...b: T[]): void {}",
                "function f   (a    , ...b     )       {}",
            ),
            ("interface A { b: 1 }\nlet c", ";                   \nlet c"),
            (
                "import type { A } from 'a'; import { type B, c } from 'b'",
                ";                           import {         c } from 'b'",
            ),
            (
                "class A<T> extends B<T> implements C, D { private readonly x?: number = 1; abstract y: 1; get z(): T { return 1 } }",
                "class A    extends B                    {                  x          = 1;                get z()    { return 1 } }",
            ),
            (
                "const f = (a: number): string => `${a as any}`;",
                "const f = (a        )         => `${a       }`;",
            ),
            (
                "declare const x: 1; type Y = '中文'; export type Z = 1;",
                ";                   ;              ;                 ",
            ),
            (
                "function over(a: 1): void;\nfunction over(a) {}",
                ";                         \nfunction over(a) {}",
            ),
        ] {
            let out = strip(source, "a.ts").unwrap();
            assert_eq!(out, expected, "{source}");
            assert_eq!(out.encode_utf16().count(), source.encode_utf16().count());
        }
    }

    #[test]
    fn what_makes_code_is_refused_by_name() {
        for (source, what) in [
            ("enum A { B }", "enum"),
            ("namespace N { export const a = 1 }", "namespace"),
            (
                "class A { constructor(private a: string) {} }",
                "parameter property",
            ),
        ] {
            let error = strip(source, "a.ts").unwrap_err();
            assert!(
                matches!(error, StripError::Unsupported { what: found, .. } if found == what),
                "{error}"
            );
        }
        let error = strip("let a: = 1", "a.ts").unwrap_err();
        assert!(matches!(error, StripError::Syntax { line: 1, .. }), "{error}");
    }
}
