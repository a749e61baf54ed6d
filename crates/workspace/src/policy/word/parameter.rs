//! `$name` and `${name…}`: the value that is known, and what the operator makes of it.

use super::{Inside, Piece, characters, list, name_length};
use crate::policy::ast::Source;
use crate::policy::run::Run;
use crate::policy::state::Looked;
use crate::policy::{mark, output};
use std::ops::Range;
use std::rc::Rc;

impl Run<'_> {
    pub(super) fn named(&mut self, name: &str, quoted: bool, out: &mut Vec<Piece>) {
        match self.look_up(name) {
            Looked::Unset | Looked::Unknown => out.push(Piece::Unknown),
            Looked::Values(values) => list(&values, name != "*" || !quoted, quoted, out),
        }
    }

    /// The inside of `${…}`.
    pub(super) fn parameter(
        &mut self,
        source: &Rc<Source>,
        range: Range<usize>,
        quoted: bool,
        out: &mut Vec<Piece>,
    ) {
        let text = &source.text[range.clone()];
        if text.starts_with('#') && text.len() > 1 {
            out.push(Piece::Unknown);
            return;
        }
        let indirect = text.starts_with('!');
        let from = usize::from(indirect);
        let length = match text[from..].chars().next() {
            Some(c) if "@*?$-".contains(c) => 1,
            Some(c) if c.is_ascii_digit() => text[from..].bytes().take_while(u8::is_ascii_digit).count(),
            _ => name_length(&text[from..]),
        };
        let name = text[from..from + length].to_owned();
        let mut at = from + length;
        let mut index = None;
        if text[at..].starts_with('[')
            && let Some(close) = text[at..].find(']')
        {
            let inside = range.start + at + 1..range.start + at + close;
            self.lex(source, inside, Inside::DoubleQuotes, &mut Vec::new());
            index = Some(text[at + 1..at + close].to_owned());
            at += close + 1;
        }
        let mut looked = self.look_up(&name);
        if indirect {
            looked = match looked {
                Looked::Values(values) if values.len() == 1 && mark::is_known(&values[0]) => {
                    self.look_up(&values[0])
                }
                _ => Looked::Unknown,
            };
        }
        if let Looked::Values(values) = &looked {
            looked = match index.as_deref() {
                None if name == "@" || name == "*" => looked,
                Some("@" | "*") => looked,
                None => values
                    .first()
                    .cloned()
                    .map_or(Looked::Unset, |v| Looked::Values(vec![v])),
                Some(number) => match number.trim().parse::<usize>().ok().and_then(|n| values.get(n)) {
                    Some(value) => Looked::Values(vec![value.clone()]),
                    None => Looked::Unknown,
                },
            };
        }
        let operator = text[at..].to_owned();
        let rest = range.start + at..range.end;
        self.operate(source, looked, &operator, rest, quoted, out);
    }

    fn operate(
        &mut self,
        source: &Rc<Source>,
        looked: Looked,
        operator: &str,
        rest: Range<usize>,
        quoted: bool,
        out: &mut Vec<Piece>,
    ) {
        let colon = usize::from(operator.starts_with(':'));
        let sign = operator[colon..].chars().next();
        let word = rest.start + colon + sign.map_or(0, char::len_utf8);
        let inside = if quoted {
            Inside::DoubleQuotes
        } else {
            Inside::Nothing
        };
        let mut other = Vec::new();
        if matches!(sign, Some('-' | '=' | '+' | '?')) {
            self.lex(source, word.min(rest.end)..rest.end, inside, &mut other);
        }
        match (sign, looked) {
            // What is not set here may be set outside; a value that can be read is the better guess.
            (Some('+'), _) => out.extend(other),
            (Some('-' | '='), Looked::Unset | Looked::Unknown) => out.extend(other),
            (Some('-' | '='), Looked::Values(values)) if colon == 1 && values.concat().is_empty() => {
                out.extend(other);
            }
            (sign, Looked::Unset | Looked::Unknown) => {
                // For the substitutions in it.
                if sign.is_some() && other.is_empty() {
                    self.lex(source, rest, inside, &mut other);
                }
                out.push(Piece::Unknown);
            }
            (None | Some('-' | '=' | '?' | '@'), Looked::Values(values)) => list(&values, true, quoted, out),
            (Some(_), Looked::Values(values)) => {
                let pattern_at = rest.start..rest.end;
                let mut pattern = Vec::new();
                self.lex(source, pattern_at, inside, &mut pattern);
                let pattern = characters(&pattern);
                let changed: Vec<String> = values
                    .iter()
                    .map(|value| output::transformed(value, &pattern))
                    .collect();
                list(&changed, true, quoted, out);
            }
        }
    }
}
