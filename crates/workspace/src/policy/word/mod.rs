//! From a word's text to its values: quotes, expansions, braces, splitting, in the shell's order.
//! What only a run could tell becomes `mark::UNKNOWN`. Arithmetic is not computed.

mod fields;
mod parameter;

use super::Decision;
use super::ast::{Place, Source};
use super::mark;
use super::run::Run;
use super::skip;
use fields::{braces, split};
use std::ops::Range;
use std::rc::Rc;

/// Most characters of one word.
const CHARACTERS: usize = 200_000;
/// Expansions in expansions: `${a:-${b:-…}}`, those in substitutions included.
const DEPTH: usize = 48;

/// A word after all expansions.
#[derive(Clone, Debug)]
pub struct Field {
    /// With marks.
    pub text: String,
    /// Of the command that was asked about.
    pub span: Range<usize>,
    /// The whole word is the value of this variable.
    pub variable: Option<String>,
}

impl Field {
    pub fn new(text: impl Into<String>, span: &Range<usize>) -> Self {
        Field {
            text: text.into(),
            span: span.clone(),
            variable: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    Plain(char),
    Quoted(char),
    /// From an unquoted expansion: is split and matched, but opens no braces.
    Soft(char),
    /// A quotation was here, perhaps an empty one.
    Mark,
    /// A new field starts.
    Cut,
    Unknown,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Inside {
    Nothing,
    DoubleQuotes,
    Document,
}

impl Run<'_> {
    pub fn fields(&mut self, source: &Rc<Source>, word: &Range<usize>) -> Vec<Field> {
        let mut pieces = Vec::new();
        self.lex(source, word.clone(), Inside::Nothing, &mut pieces);
        let span = source.span(word);
        let separators = self.separators();
        let mut fields = Vec::new();
        for expanded in braces(&pieces) {
            self.spend(expanded.len() / 8 + 1);
            for text in split(&expanded, &separators) {
                fields.push(Field::new(text, &span));
            }
        }
        if let [only] = fields.as_mut_slice() {
            only.variable = variable_of(&source.text[word.clone()]);
        }
        fields
    }

    /// One value, not split: assignments, here-strings, targets of redirections.
    pub fn value(&mut self, source: &Rc<Source>, word: &Range<usize>) -> String {
        let mut pieces = Vec::new();
        self.lex(source, word.clone(), Inside::Nothing, &mut pieces);
        let mut fields = split(&pieces, &[]);
        if fields.len() == 1 {
            fields.swap_remove(0)
        } else {
            fields.join(" ")
        }
    }

    pub fn document(&mut self, source: &Rc<Source>, body: &Range<usize>, literal: bool) -> String {
        if literal {
            return source.text[body.clone()].to_owned();
        }
        let mut pieces = Vec::new();
        self.lex(source, body.clone(), Inside::Document, &mut pieces);
        characters(&pieces)
    }

    pub fn lex(&mut self, source: &Rc<Source>, range: Range<usize>, inside: Inside, out: &mut Vec<Piece>) {
        if self.words >= DEPTH || !self.spend(range.len() / 16 + 1) {
            let span = source.span(&range);
            self.say(Decision::Block, "too_deep", "", &source.text[range], &span);
            out.push(Piece::Unknown);
            return;
        }
        self.words += 1;
        self.lex_open(source, range, inside, out);
        self.words -= 1;
    }

    fn lex_open(&mut self, source: &Rc<Source>, range: Range<usize>, inside: Inside, out: &mut Vec<Piece>) {
        let text = &source.text[..range.end];
        let mut i = range.start;
        while let Some(c) = text.get(i..).and_then(|rest| rest.chars().next()) {
            if out.len() > CHARACTERS {
                out.push(Piece::Unknown);
                return;
            }
            let next = text[i + c.len_utf8()..].chars().next();
            let quoted = inside != Inside::Nothing;
            match c {
                '\\' => i = escape(i, next, inside, out),
                '\'' if !quoted => {
                    let end = skip::single(text, i + 1).unwrap_or(text.len() + 1);
                    out.push(Piece::Mark);
                    quote(&text[i + 1..(end - 1).max(i + 1)], out);
                    i = end;
                }
                '"' if !quoted => {
                    let end = skip::double(text, i + 1).unwrap_or(text.len() + 1);
                    out.push(Piece::Mark);
                    self.lex(source, i + 1..(end - 1).max(i + 1), Inside::DoubleQuotes, out);
                    i = end;
                }
                '`' => {
                    let end = skip::backtick(text, i + 1).unwrap_or(text.len() + 1);
                    let inner = text[i + 1..(end - 1).max(i + 1)].to_owned();
                    let range = i + 1..(end - 1).max(i + 1);
                    let place = if inner.contains('\\') {
                        Place::Within(source.span(&range))
                    } else {
                        source.part(&range)
                    };
                    let inner = if inner.contains('\\') {
                        unescape_backtick(&inner)
                    } else {
                        inner
                    };
                    let value = self.substitute(inner, place);
                    splice(&value, quoted, out);
                    i = end;
                }
                '$' => i = self.dollar(source, text, i, inside, out),
                '<' | '>' if !quoted && next == Some('(') => {
                    let end = skip::paren(text, i + 2).unwrap_or(text.len() + 1);
                    let range = i + 2..(end - 1).max(i + 2);
                    let inner = text[range.clone()].to_owned();
                    let path = self.process_substitution(inner, source.part(&range), c == '<');
                    quote(&path, out);
                    i = end;
                }
                mark::UNKNOWN => {
                    out.push(Piece::Unknown);
                    i += c.len_utf8();
                }
                _ => {
                    out.push(if quoted { Piece::Quoted(c) } else { Piece::Plain(c) });
                    i += c.len_utf8();
                }
            }
        }
    }

    fn dollar(
        &mut self,
        source: &Rc<Source>,
        text: &str,
        i: usize,
        inside: Inside,
        out: &mut Vec<Piece>,
    ) -> usize {
        let quoted = inside != Inside::Nothing;
        let rest = &text[i + 1..];
        match rest.chars().next() {
            Some('\'') if !quoted => {
                let end = skip::ansi(text, i + 2).unwrap_or(text.len() + 1);
                out.push(Piece::Mark);
                quote(&super::output::unescape(&text[i + 2..(end - 1).max(i + 2)]), out);
                end
            }
            Some('"') if !quoted => i + 1,
            Some('(') => {
                let end = skip::paren(text, i + 2).unwrap_or(text.len() + 1);
                let range = i + 2..(end - 1).max(i + 2);
                let inner = &text[range.clone()];
                // Not where the first parenthesis is closed before: `$((a); (b))` runs both.
                if inner.starts_with('(') && skip::paren(inner, 1) == Some(inner.len()) {
                    let mut dropped = Vec::new();
                    self.lex(
                        source,
                        range.start + 1..range.end - 1,
                        Inside::DoubleQuotes,
                        &mut dropped,
                    );
                    match characters(&dropped).trim().parse::<i64>() {
                        Ok(number) => splice(&number.to_string(), quoted, out),
                        Err(_) => out.push(Piece::Unknown),
                    }
                    return end;
                }
                let place = source.part(&range);
                let value = self.substitute(inner.to_owned(), place);
                splice(&value, quoted, out);
                end
            }
            Some('{') => {
                let end = skip::brace(text, i + 2).unwrap_or(text.len() + 1);
                self.parameter(source, i + 2..(end - 1).max(i + 2), quoted, out);
                end
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let length = name_length(rest);
                self.named(&rest[..length], quoted, out);
                i + 1 + length
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.named(&rest[..1], quoted, out);
                i + 2
            }
            _ => {
                out.push(Piece::Quoted('$'));
                i + 1
            }
        }
    }
}

fn escape(i: usize, next: Option<char>, inside: Inside, out: &mut Vec<Piece>) -> usize {
    let after = i + 1 + next.map_or(0, char::len_utf8);
    match (inside, next) {
        (_, Some('\n')) => {}
        (Inside::Nothing, Some(c)) | (Inside::DoubleQuotes, Some(c @ ('$' | '`' | '"' | '\\'))) => {
            out.push(Piece::Quoted(c));
        }
        (Inside::Document, Some(c @ ('$' | '`' | '\\'))) => out.push(Piece::Quoted(c)),
        _ => {
            out.push(Piece::Quoted('\\'));
            return i + 1;
        }
    }
    after
}

fn quote(text: &str, out: &mut Vec<Piece>) {
    out.extend(text.chars().map(|c| {
        if c == mark::UNKNOWN {
            Piece::Unknown
        } else {
            Piece::Quoted(c)
        }
    }));
}

fn splice(text: &str, quoted: bool, out: &mut Vec<Piece>) {
    out.extend(text.chars().map(|c| match c {
        mark::UNKNOWN => Piece::Unknown,
        c if quoted => Piece::Quoted(c),
        c => Piece::Soft(c),
    }));
}

fn list(values: &[String], cut: bool, quoted: bool, out: &mut Vec<Piece>) {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.push(if cut { Piece::Cut } else { Piece::Quoted(' ') });
        }
        splice(value, quoted, out);
    }
}

fn name_length(text: &str) -> usize {
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count()
}

fn variable_of(raw: &str) -> Option<String> {
    let inner = raw.trim_matches('"').strip_prefix('$')?;
    let inner = inner
        .strip_prefix('{')
        .and_then(|i| i.strip_suffix('}'))
        .unwrap_or(inner);
    let length = name_length(inner);
    (length > 0 && length == inner.len()).then(|| inner.to_owned())
}

fn unescape_backtick(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('`' | '\\' | '$')) => result.extend(chars.next()),
            _ => result.push(c),
        }
    }
    result
}

/// The characters as they are, marks for what is unknown.
fn characters(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Plain(c) | Piece::Quoted(c) | Piece::Soft(c) => Some(*c),
            Piece::Unknown => Some(mark::UNKNOWN),
            Piece::Cut => Some(' '),
            Piece::Mark => None,
        })
        .collect()
}
