//! A second, plain reader for text that tree-sitter finds errors in: words, operators,
//! redirections. It knows no structure, so every word behind an operator or a keyword is a command.
//! When it comes to the end with everything closed, the text counts as read (tree-sitter-bash does
//! not know all of bash: `2>&1 <<< x` is an error to it); otherwise as broken.

use super::ast::{Assignment, Node, Redirect, RedirectKind, Simple};
use super::parse::kind_of;
use super::skip::{self, Document};

const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}", "[[", "]]",
];

pub struct Scan {
    pub nodes: Vec<Node>,
    /// Every quotation and parenthesis is closed.
    pub whole: bool,
}

pub fn scan(text: &str) -> Scan {
    let mut reader = Reader {
        text,
        at: 0,
        simple: Simple::default(),
        pipe: Vec::new(),
        nodes: Vec::new(),
        documents: Vec::new(),
        open: 0,
        whole: true,
    };
    reader.read();
    reader.finish_statement();
    Scan {
        whole: reader.whole && reader.open == 0 && reader.documents.is_empty(),
        nodes: reader.nodes,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    simple: Simple,
    pipe: Vec<Node>,
    nodes: Vec<Node>,
    /// Announced here-documents.
    documents: Vec<Document>,
    open: usize,
    whole: bool,
}

impl Reader<'_> {
    fn read(&mut self) {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            let rest = &self.text[self.at..];
            match bytes[self.at] {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if rest.starts_with("\\\n") => self.at += 2,
                b'\n' => self.newline(),
                b'#' => self.at += rest.find('\n').unwrap_or(rest.len()),
                b';' => {
                    self.finish_statement();
                    self.at += 1;
                }
                b'&' if rest.starts_with("&>") => self.redirect(self.at),
                b'&' => {
                    let double = rest.starts_with("&&");
                    self.finish_statement();
                    if !double && let Some(last) = self.nodes.pop() {
                        self.nodes.push(Node::Background(Box::new(last)));
                    }
                    self.at += 1 + usize::from(double);
                }
                b'|' => {
                    let double = rest.starts_with("||");
                    if double {
                        self.finish_statement()
                    } else {
                        self.finish_command()
                    }
                    self.at += 1 + usize::from(double || rest.starts_with("|&"));
                }
                b'(' => {
                    self.open += 1;
                    self.finish_statement();
                    self.at += 1;
                }
                b')' => {
                    self.finish_statement();
                    self.whole &= self.open > 0;
                    self.open = self.open.saturating_sub(1);
                    self.at += 1;
                }
                b'<' | b'>' if rest.as_bytes().get(1) != Some(&b'(') => self.redirect(self.at),
                _ => self.word(),
            }
        }
    }

    fn word(&mut self) {
        let start = self.at;
        let Some(end) = skip::word(self.text, start).filter(|end| *end > start) else {
            // No end: what is left is one word; its beginning is still a command.
            self.whole = false;
            let first = self.text[start..].find([' ', '\n', ';', '|', '&']);
            let end = first.map_or(self.text.len(), |found| start + found.max(1));
            self.push(start, self.boundary(end));
            return;
        };
        let word = &self.text[start..end];
        let next = self.text.as_bytes().get(end);
        if matches!(next, Some(b'<' | b'>')) && word.bytes().all(|byte| byte.is_ascii_digit()) {
            self.redirect(end);
            return;
        }
        self.push(start, end);
    }

    fn boundary(&self, mut at: usize) -> usize {
        while !self.text.is_char_boundary(at) {
            at += 1;
        }
        at
    }

    fn push(&mut self, start: usize, end: usize) {
        self.at = end;
        let word = &self.text[start..end];
        if self.simple.words.is_empty() {
            if KEYWORDS.contains(&word) {
                self.finish_statement();
                return;
            }
            let name = word
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            let rest = &word[name..];
            if name > 0 && (rest.starts_with('=') || rest.starts_with("+=")) {
                let append = rest.starts_with('+');
                let value = start + name + 1 + usize::from(append)..end;
                self.simple.assignments.push(Assignment {
                    name: start..start + name,
                    index: None,
                    append,
                    values: Vec::from([value]),
                    array: false,
                });
                return;
            }
        }
        self.simple.words.push(start..end);
    }

    fn redirect(&mut self, at: usize) {
        let rest = &self.text[at..];
        let operators = ["<<<", "<<", "&>>", "&>", ">>", ">|", ">&", "<&", "<>", ">", "<"];
        let Some(operator) = operators.into_iter().find(|operator| rest.starts_with(operator)) else {
            self.at = at + 1;
            return;
        };
        let mut after = at + operator.len();
        if operator == "<<" {
            match Document::at(self.text, after) {
                Some((document, end)) => {
                    self.documents.push(document);
                    self.at = end;
                }
                None => {
                    self.whole = false;
                    self.at = after;
                }
            }
            return;
        }
        after += self.text[after..].len() - self.text[after..].trim_start_matches([' ', '\t']).len();
        let Some(end) = skip::word(self.text, after) else {
            self.whole = false;
            self.at = after;
            return;
        };
        let word = &self.text[after..end];
        let kind = if operator == "<<<" {
            RedirectKind::HereString
        } else {
            kind_of(operator, word)
        };
        self.simple.redirects.push(Redirect {
            kind,
            word: after..end,
            span: at..end,
        });
        self.at = end;
    }

    fn newline(&mut self) {
        let start = self.at;
        self.at += 1;
        for document in std::mem::take(&mut self.documents) {
            let (body, next) = document.body(self.text, self.at);
            self.simple.redirects.push(Redirect {
                kind: RedirectKind::HereDocument {
                    literal: document.literal,
                    tabs: document.tabs,
                },
                word: body,
                span: start..start,
            });
            self.at = next;
        }
        self.finish_statement();
    }

    fn finish_command(&mut self) {
        let mut simple = std::mem::take(&mut self.simple);
        let parts = simple
            .words
            .iter()
            .chain(simple.redirects.iter().map(|redirect| &redirect.word));
        let start = parts.clone().map(|part| part.start).min();
        let end = parts.map(|part| part.end).max();
        if let (Some(start), Some(end)) = (start, end) {
            simple.span = start..end;
        }
        if !simple.words.is_empty() || !simple.redirects.is_empty() || !simple.assignments.is_empty() {
            self.pipe.push(Node::Simple(simple));
        }
    }

    fn finish_statement(&mut self) {
        self.finish_command();
        match self.pipe.len() {
            0 => {}
            1 => self.nodes.append(&mut self.pipe),
            _ => self.nodes.push(Node::Pipe(std::mem::take(&mut self.pipe))),
        }
    }
}
