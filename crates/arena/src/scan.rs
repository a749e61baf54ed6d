//! Tags: where the known ones stand in a text, and the attributes of one. One pass over the text
//! finds all of them, so that the reader can ask "which cell does this end" without searching.
//!
//! Deliberately not here: what a tag means where it stands. Most known names also occur inside
//! values, where they are text; `read::raw` decides that.

use memchr::{memchr, memmem};

use crate::text;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Canvas,
    Cell,
    ArenaLog,
    Value,
    Stdout,
    Log,
    Logs,
    Message,
    EntryType,
    Flag,
    Flags,
    DependsOn,
}

impl Name {
    const ALL: [(Name, &'static str); 12] = [
        (Name::Canvas, "Canvas"),
        (Name::Cell, "Cell"),
        (Name::ArenaLog, "ArenaLog"),
        (Name::Value, "value"),
        (Name::Stdout, "stdout"),
        (Name::Log, "log"),
        (Name::Logs, "logs"),
        (Name::Message, "message"),
        (Name::EntryType, "log_entry_type"),
        (Name::Flag, "flag"),
        (Name::Flags, "flags"),
        (Name::DependsOn, "depends_on"),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == self)
            .map_or("", |(_, word)| word)
    }

    /// The element of this name, and whether it is spelt canonically.
    fn of(word: &[u8]) -> Option<(Name, bool)> {
        if let Some((name, _)) = Self::ALL.iter().find(|(_, known)| known.as_bytes() == word) {
            return Some((*name, true));
        }
        Self::ALL
            .iter()
            .find(|(_, known)| same_word(known.as_bytes(), word))
            .map(|(name, _)| (*name, false))
    }
}

/// Whether two names differ in nothing but case, `_` and `-`.
pub(crate) fn same_word(a: &[u8], b: &[u8]) -> bool {
    fn letters(word: &[u8]) -> impl Iterator<Item = u8> {
        word.iter()
            .filter(|byte| !matches!(byte, b'_' | b'-'))
            .map(u8::to_ascii_lowercase)
    }
    a.first().map(u8::to_ascii_lowercase) == b.first().map(u8::to_ascii_lowercase)
        && letters(a).eq(letters(b))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Open,
    Close,
    /// `<x/>`
    Empty,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) name: Name,
    pub(crate) shape: Shape,
    /// Spelt as the canonical writer spells it.
    pub(crate) exact: bool,
    /// Whether its `>` is there.
    pub(crate) closed: bool,
    /// For `<Cell>`: the index of the tag that ends it.
    pub(crate) partner: Option<usize>,
    /// For an element of text whose text is one CDATA section that never ends: where it ends then.
    pub(crate) cdata: Cdata,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cdata {
    No,
    Whole,
    Unclosed,
    /// Unclosed, unless the text goes on.
    Open,
}

pub(crate) const CDATA: &str = "<![CDATA[";
pub(crate) const CDATA_END: &str = "]]>";

/// A search that goes forward only, however often it is asked: what it found last still holds while
/// it lies ahead.
pub(crate) struct Ahead<'t> {
    text: &'t [u8],
    needle: memmem::Finder<'static>,
    asked: usize,
    found: Option<usize>,
}

impl<'t> Ahead<'t> {
    pub(crate) fn new(text: &'t str, needle: &'static str) -> Self {
        let needle = memmem::Finder::new(needle);
        let found = needle.find(text.as_bytes());
        Ahead {
            text: text.as_bytes(),
            needle,
            asked: 0,
            found,
        }
    }

    /// The first place at or after `from`.
    pub(crate) fn find(&mut self, from: usize) -> Option<usize> {
        let holds = from >= self.asked && self.found.is_none_or(|found| found >= from);
        if !holds {
            self.asked = from;
            self.found = self
                .text
                .get(from..)
                .and_then(|rest| self.needle.find(rest))
                .map(|found| found + from);
        }
        self.found
    }
}

/// All known tags of a text, in order; those inside of CDATA sections are not tags.
pub(crate) fn tags(text: &str) -> Vec<Tag> {
    let bytes = text.as_bytes();
    let mut tags: Vec<Tag> = Vec::new();
    let mut open_cells: Vec<usize> = Vec::new();
    let mut ends = Ahead::new(text, CDATA_END);
    let mut starts = Ahead::new(text, CDATA);
    // Where a CDATA section may stand: behind the tag that opens its element, or behind another one.
    let mut cdata_at = usize::MAX;
    let mut at = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let start = at + found;
        if bytes[start..].starts_with(CDATA.as_bytes()) {
            at = start + CDATA.len();
            if cdata_at <= start && text::is_blank(&text[cdata_at..start]) {
                let element = tags.last().map(|tag| tag.name);
                match section_end(text, at, element, &mut ends, &mut starts) {
                    Ok(end) => {
                        at = end;
                        cdata_at = end;
                        if let Some(tag) = tags.last_mut() {
                            tag.cdata = Cdata::Whole;
                        }
                    }
                    Err(cdata) => {
                        if let Some(tag) = tags.last_mut() {
                            tag.cdata = cdata;
                        }
                        cdata_at = usize::MAX;
                    }
                }
            }
            continue;
        }
        let Some(mut tag) = tag_at(text, start) else {
            at = start + 1;
            cdata_at = usize::MAX;
            continue;
        };
        at = tag.end;
        let holds_text = matches!(
            tag.name,
            Name::Value | Name::Stdout | Name::Message | Name::Cell | Name::Log
        );
        cdata_at = if tag.shape == Shape::Open && holds_text {
            tag.end
        } else {
            usize::MAX
        };
        if tag.name == Name::Cell && tag.exact {
            match tag.shape {
                Shape::Open => open_cells.push(tags.len()),
                Shape::Close => {
                    if let Some(open) = open_cells.pop() {
                        tags[open].partner = Some(tags.len());
                        tag.partner = Some(open);
                    }
                }
                Shape::Empty => {}
            }
        }
        tags.push(tag);
    }
    tags
}

/// Where the CDATA section ends that began before `from`. A section in which the element ends and
/// another section begins was never closed: the canonical writer splits both marks.
fn section_end(
    text: &str,
    from: usize,
    element: Option<Name>,
    ends: &mut Ahead<'_>,
    starts: &mut Ahead<'_>,
) -> Result<usize, Cdata> {
    let end = ends.find(from);
    if let (Some(next), Some(name)) = (starts.find(from), element)
        && end.is_none_or(|end| next < end)
        && text[from..next].contains(&format!("</{}>", name.word()))
    {
        return Err(Cdata::Unclosed);
    }
    end.map(|end| end + CDATA_END.len()).ok_or(Cdata::Open)
}

/// The known tag that starts here.
fn tag_at(text: &str, start: usize) -> Option<Tag> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    let close = bytes.get(at) == Some(&b'/');
    if close {
        at += 1;
        while bytes.get(at) == Some(&b' ') && at < start + 4 {
            at += 1;
        }
    }
    let name_end = name_end(bytes, at);
    let (name, exact) = Name::of(&bytes[at..name_end])?;
    let after = bytes.get(name_end);
    if !matches!(
        after,
        None | Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n' | b'<')
    ) {
        return None;
    }
    let mut shape = if close { Shape::Close } else { Shape::Open };
    let mut walk = Attribs { text, at: name_end };
    while walk.next().is_some() {}
    let (end, closed, empty) = walk.end();
    if empty && !close {
        shape = Shape::Empty;
    }
    Some(Tag {
        start,
        end,
        name,
        shape,
        exact,
        closed,
        partner: None,
        cdata: Cdata::No,
    })
}

fn name_end(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..]
        .iter()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':'))
        .count();
    from + length
}

/// The name of any tag that starts here, known or not.
pub(crate) fn any_name(text: &str, start: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let at = start + 1;
    if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    text.get(at..name_end(bytes, at))
}

/// The attributes of a tag, as people and models write them: quoted by anything, or not at all, or
/// with one of the quotes missing.
pub(crate) struct Attribs<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Attribs<'t> {
    /// Of a tag that was found.
    pub(crate) fn of(text: &'t str, tag: &Tag) -> Self {
        let at = tag.start + 1;
        Attribs {
            text,
            at: name_end(text.as_bytes(), at),
        }
    }

    /// After the last attribute: where the tag ends, whether by a `>`, and whether by `/>`.
    fn end(&self) -> (usize, bool, bool) {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at) {
            Some(b'>') => (self.at + 1, true, false),
            Some(b'/') => (self.at + 2, true, true),
            _ => (self.at, false, false),
        }
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
}

const QUOTES: [(&str, &str); 5] = [("\"", "\""), ("'", "'"), ("“", "”"), ("‘", "’"), ("`", "`")];

impl<'t> Iterator for Attribs<'t> {
    /// Name, value as it is written.
    type Item = (&'t str, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        loop {
            self.skip_blank();
            match bytes.get(self.at) {
                None | Some(b'>' | b'<') => return None,
                Some(b'/') if bytes.get(self.at + 1) == Some(&b'>') => return None,
                // Left over by a missing quote, or a comma between attributes.
                Some(b'/' | b'=' | b'"' | b'\'' | b',' | b'`') => self.at += 1,
                Some(_) => break,
            }
        }
        let start = self.at;
        while let Some(byte) = bytes.get(self.at)
            && !byte.is_ascii_whitespace()
            && !matches!(byte, b'=' | b'>' | b'/' | b'<' | b'"' | b'\'' | b'`')
        {
            self.at += 1;
        }
        let name = &self.text[start..self.at];
        let after_name = self.at;
        self.skip_blank();
        if bytes.get(self.at) != Some(&b'=') {
            self.at = after_name;
            return Some((name, ""));
        }
        self.at += 1;
        self.skip_blank();
        Some((name, self.value()))
    }
}

impl<'t> Attribs<'t> {
    fn value(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let Some((open, close)) = QUOTES.iter().find(|(open, _)| rest.starts_with(open)) else {
            return self.bare();
        };
        let inner = &rest[open.len()..];
        // A typographic quote is often closed by another one, and is then looked for once in every
        // attribute: not far.
        let mut reach = if open == close {
            inner.len()
        } else {
            inner.len().min(256)
        };
        while !inner.is_char_boundary(reach) {
            reach -= 1;
        }
        let inner_reach = &inner[..reach];
        let end = inner_reach
            .find(|character: char| matches!(character, '<' | '\n') || close.starts_with(character))
            .filter(|end| inner[*end..].starts_with(close));
        // The shortest way to a closing quote; a name and `=` before it say that it opens the next value.
        match end.filter(|end| !ends_in_assignment(&inner[..*end])) {
            Some(end) => {
                self.at += open.len() + end + close.len();
                &inner[..end]
            }
            None => {
                self.at += open.len();
                self.bare()
            }
        }
    }

    fn bare(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let start = self.at;
        while let Some(byte) = bytes.get(self.at)
            && !byte.is_ascii_whitespace()
            && !matches!(byte, b'>' | b'<' | b'"')
            && !(*byte == b'/' && bytes.get(self.at + 1) == Some(&b'>'))
        {
            self.at += 1;
        }
        &self.text[start..self.at]
    }
}

/// `User seq=`: what a quoted value looks like when its closing quote is missing.
fn ends_in_assignment(value: &str) -> bool {
    let Some(before) = value.trim_end().strip_suffix('=') else {
        return false;
    };
    let name = before.trim_end();
    let word = name.rfind(char::is_whitespace).map(|at| &name[at + 1..]);
    word.is_some_and(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    })
}
