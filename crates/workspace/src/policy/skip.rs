//! Where a quotation or a substitution ends. Positions are of bytes; each function starts behind the
//! opening and gives the place behind the closing, `None` when there is no end.

/// Quotations in substitutions in quotations … : deeper than this has no end.
const DEPTH: usize = 40;

pub fn single(text: &str, at: usize) -> Option<usize> {
    text.get(at..)?.find('\'').map(|found| at + found + 1)
}

/// `$'…'`, where a backslash protects.
pub fn ansi(text: &str, at: usize) -> Option<usize> {
    unprotected(text, at, b'\'')
}

pub fn double(text: &str, at: usize) -> Option<usize> {
    quoted(text, at, 0)
}

pub fn backtick(text: &str, at: usize) -> Option<usize> {
    unprotected(text, at, b'`')
}

/// Behind the first `closing` that no backslash protects.
fn unprotected(text: &str, at: usize, closing: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut i = at;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            byte if byte == closing => return Some(i + 1),
            _ => i += 1,
        }
    }
    None
}

pub fn paren(text: &str, at: usize) -> Option<usize> {
    parenthesised(text, at, 0)
}

/// `${…}`.
pub fn brace(text: &str, at: usize) -> Option<usize> {
    braced(text, at, 0)
}

/// Two parentheses that open a command.
#[derive(Debug, PartialEq)]
pub enum Doubled {
    /// A subshell in a subshell; the second parenthesis stands here.
    Subshells(usize),
    /// Arithmetic for bash, which wants both closed together; for other shells, again subshells.
    Arithmetic(std::ops::Range<usize>),
}

/// Those outside of quotations and substitutions.
pub fn doubled(text: &str) -> Vec<Doubled> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i..].starts_with(b"((") {
            i = step(text, i, 0).unwrap_or(i + 1);
            continue;
        }
        i += 1;
        match parenthesised(text, i + 1, 0) {
            Some(end) if bytes.get(end) == Some(&b')') => {
                found.push(Doubled::Arithmetic(i + 1..end - 1));
                i = end + 1;
            }
            Some(_) => found.push(Doubled::Subshells(i)),
            None => {}
        }
    }
    found
}

/// The end of the word that starts here: at a blank or an operator outside of quotations.
pub fn word(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut i = at;
    while i < bytes.len() {
        match bytes[i] {
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')' => return Some(i),
            b'<' | b'>' if bytes.get(i + 1) == Some(&b'(') => i = parenthesised(text, i + 2, 0)?,
            b'<' | b'>' => return Some(i),
            b'(' if i > at && bytes[i - 1] == b'=' => i = parenthesised(text, i + 1, 0)?,
            b'(' => return Some(i),
            _ => i = step(text, i, 0)?,
        }
    }
    Some(i)
}

/// One character, or all of a quotation or substitution.
fn step(text: &str, i: usize, depth: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let next = bytes.get(i + 1).copied();
    match bytes[i] {
        b'\\' => Some((i + 2).min(bytes.len())),
        b'\'' => single(text, i + 1),
        b'"' => quoted(text, i + 1, depth + 1),
        b'`' => backtick(text, i + 1),
        b'$' if next == Some(b'\'') => ansi(text, i + 2),
        b'$' if next == Some(b'(') => parenthesised(text, i + 2, depth + 1),
        b'$' if next == Some(b'{') => braced(text, i + 2, depth + 1),
        _ => Some(i + 1),
    }
}

fn quoted(text: &str, at: usize, depth: usize) -> Option<usize> {
    if depth > DEPTH {
        return None;
    }
    let bytes = text.as_bytes();
    let mut i = at;
    while i < bytes.len() {
        match bytes[i] {
            b'"' => return Some(i + 1),
            b'\'' => i += 1,
            b'$' if bytes.get(i + 1) == Some(&b'\'') => i += 1,
            _ => i = step(text, i, depth)?,
        }
    }
    None
}

fn braced(text: &str, at: usize, depth: usize) -> Option<usize> {
    if depth > DEPTH {
        return None;
    }
    let bytes = text.as_bytes();
    let mut i = at;
    while i < bytes.len() {
        match bytes[i] {
            b'}' => return Some(i + 1),
            _ => i = step(text, i, depth)?,
        }
    }
    None
}

fn parenthesised(text: &str, at: usize, depth: usize) -> Option<usize> {
    if depth > DEPTH {
        return None;
    }
    let bytes = text.as_bytes();
    // What is open: a parenthesis, or a `case`, in which `)` ends a pattern.
    let mut open: Vec<u8> = Vec::new();
    let mut documents: Vec<Document> = Vec::new();
    let mut i = at;
    let mut starts_word = true;
    while i < bytes.len() {
        let started = std::mem::replace(&mut starts_word, false);
        match bytes[i] {
            b')' => match open.last() {
                None => return Some(i + 1),
                Some(b'(') => {
                    open.pop();
                    i += 1;
                }
                Some(_) => {
                    i += 1;
                    starts_word = true;
                }
            },
            b'(' => {
                open.push(b'(');
                i += 1;
                starts_word = true;
            }
            b'#' if started => i += text[i..].find('\n').unwrap_or(text.len() - i),
            b'\n' => {
                i = after_documents(text, i + 1, &mut documents);
                starts_word = true;
            }
            b'<' if text[i..].starts_with("<<<") => i += 3,
            b'<' if text[i..].starts_with("<<") => match Document::at(text, i + 2) {
                Some((document, end)) => {
                    documents.push(document);
                    i = end;
                }
                None => i += 2,
            },
            b' ' | b'\t' | b';' | b'&' | b'|' => {
                i += 1;
                starts_word = true;
            }
            b'c' if started && is_word(text, i, "case") => {
                open.push(b'c');
                i += 4;
            }
            b'e' if started && is_word(text, i, "esac") => {
                if open.last() == Some(&b'c') {
                    open.pop();
                }
                i += 4;
            }
            _ => i = step(text, i, depth)?,
        }
    }
    None
}

fn is_word(text: &str, at: usize, word: &str) -> bool {
    text[at..].starts_with(word)
        && text[at + word.len()..]
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || matches!(c, ';' | ')' | '&' | '|'))
}

/// A here-document that was announced.
#[derive(Debug)]
pub struct Document {
    pub end: String,
    pub literal: bool,
    pub tabs: bool,
}

impl Document {
    /// Starts behind `<<`; gives the place behind the delimiter.
    pub fn at(text: &str, at: usize) -> Option<(Document, usize)> {
        let mut i = at;
        let tabs = text[i..].starts_with('-');
        i += usize::from(tabs);
        i += text[i..].len() - text[i..].trim_start_matches([' ', '\t']).len();
        let end = word(text, i)?;
        let raw = &text[i..end];
        let literal = raw.contains(['\'', '"', '\\']);
        let delimiter: String = raw.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        (!delimiter.is_empty()).then_some((
            Document {
                end: delimiter,
                literal,
                tabs,
            },
            end,
        ))
    }

    /// The body's range and the place behind its last line.
    pub fn body(&self, text: &str, at: usize) -> (std::ops::Range<usize>, usize) {
        let mut i = at;
        while i < text.len() {
            let end = text[i..].find('\n').map_or(text.len(), |found| i + found);
            let line = &text[i..end];
            let line = if self.tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            let next = (end + 1).min(text.len());
            if line == self.end {
                return (at..i, next);
            }
            i = next;
        }
        (at..text.len(), text.len())
    }
}

fn after_documents(text: &str, at: usize, documents: &mut Vec<Document>) -> usize {
    documents
        .drain(..)
        .fold(at, |i, document| document.body(text, i).1)
}
