//! The lenient reader: any text is a document. Models and people write canvases with values that
//! are not escaped, attributes without quotes, elements that never end and Markdown around it all;
//! what they meant is read, and every repair is a diagnostic with its place.
//!
//! Reading takes linear time, keeps nothing on the stack for depth, and never fails. What it does
//! not know it keeps.
//!
//! Deliberately not here: judging the graph of cells (`check`), spelling (`write`).

mod cell;
mod growing;
mod inference;
mod log;
mod raw;

use std::collections::HashMap;

use memchr::memmem;

use crate::{
    diagnostic::{Code, Diagnostic},
    model::{ArenaLog, Canvas, Document, Entry, Part},
    scan::{self, Ahead, Attribs, Name, Shape, Tag},
    text,
};

pub use growing::Growing;
use inference::Context;
pub use inference::{Inference, Inferred};

/// What reading gives: the document, what was repaired, and where its entries stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    pub document: Document,
    pub diagnostics: Vec<Diagnostic>,
    /// What was concluded where a cell said nothing; [`Reading::settled`] records it in the document.
    pub inferences: Vec<Inference>,
    /// Line and column of every entry: `places[part][entry]`, empty for prose.
    pub places: Vec<Vec<(usize, usize)>>,
}

/// The name under which the Arena's own cognitor writes when the settings name none.
pub const ARENA: &str = "Arena";

/// Reads a text. `arena` is the originator of outputs that name none.
pub fn read(text: &str, arena: &str) -> Reading {
    let mut reader = Reader::new(text, arena, Context::default());
    reader.document(Place::Outside);
    let lines = Lines::new(text);
    let places = reader
        .places
        .iter()
        .map(|entries| entries.iter().map(|at| lines.place(*at)).collect())
        .collect();
    Reading {
        diagnostics: lines.diagnostics(&mut reader.notes),
        document: Document { parts: reader.parts },
        inferences: reader.inferences,
        places,
    }
}

/// Where the reader stands between two entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Outside,
    /// In a canvas; `rootless` when its cells stand in the text without `<Canvas>`.
    Inside {
        rootless: bool,
    },
}

struct Reader<'t> {
    text: &'t str,
    arena: &'t str,
    tags: Vec<Tag>,
    /// The place in the text, and the first tag at or behind it.
    at: usize,
    tag: usize,
    /// The next canvas, cell or ArenaLog, for whoever looks no further.
    level: usize,
    /// The cell that is being read is spelt in small letters, and ends so.
    lower: bool,
    /// For each tag, the kinds of text that do not end behind it (`raw`).
    failed: Vec<u8>,
    comment_ends: Ahead<'t>,
    /// How many bytes the search for ends of unknown elements may still touch.
    budget: usize,
    /// A decision was taken because the text ends where it ends.
    touched_end: bool,
    notes: Vec<(usize, Code, String)>,
    context: Context,
    parts: Vec<Part>,
    places: Vec<Vec<usize>>,
    inferences: Vec<Inference>,
    settled: Settled,
}

/// How far a text that grows can be left alone: nothing before this place depends on what follows.
#[derive(Clone, Copy, Debug)]
struct Settled {
    at: usize,
    place: Place,
    parts: usize,
    /// Entries of the last of these parts.
    entries: usize,
    notes: usize,
    inferences: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, arena: &'t str, context: Context) -> Self {
        let tags = scan::tags(text);
        Reader {
            text,
            arena,
            failed: vec![0; tags.len()],
            tags,
            at: 0,
            tag: 0,
            level: 0,
            lower: false,
            comment_ends: Ahead::new(text, "-->"),
            budget: text.len().saturating_mul(4),
            touched_end: false,
            notes: Vec::new(),
            context,
            parts: Vec::new(),
            places: Vec::new(),
            inferences: Vec::new(),
            settled: Settled {
                at: 0,
                place: Place::Outside,
                parts: 0,
                entries: 0,
                notes: 0,
                inferences: 0,
            },
        }
    }

    fn note(&mut self, code: Code, at: usize, subject: impl Into<String>) {
        self.notes.push((at, code, subject.into()));
    }

    fn document(&mut self, from: Place) {
        self.settled.place = from;
        let mut place = from;
        if let Place::Inside { .. } = from {
            self.begin_canvas(Canvas::default());
            self.settled.parts = 1;
        }
        loop {
            match place {
                Place::Outside => match self.prose() {
                    Some(next) => place = next,
                    None => return,
                },
                Place::Inside { rootless } => {
                    self.canvas(rootless);
                    place = Place::Outside;
                }
            }
            self.settle(place);
        }
    }

    /// Everything so far stands, whatever is appended.
    fn settle(&mut self, place: Place) {
        if self.touched_end {
            return;
        }
        let entries = match self.parts.last() {
            Some(Part::Canvas(canvas)) => {
                // A stray text may go on.
                let goes_on = place != Place::Outside
                    && matches!(canvas.entries.last(), Some(Entry::Other(last)) if !is_comment(last));
                if goes_on {
                    return;
                }
                canvas.entries.len()
            }
            Some(Part::Prose(_)) | None => 0,
        };
        self.settled = Settled {
            at: self.at,
            place,
            parts: self.parts.len(),
            entries,
            notes: self.notes.len(),
            inferences: self.inferences.len(),
        };
    }

    fn begin_canvas(&mut self, canvas: Canvas) {
        self.parts.push(Part::Canvas(canvas));
        self.places.push(Vec::new());
    }

    fn push_entry(&mut self, at: usize, entry: Entry) {
        if let (Some(Part::Canvas(canvas)), Some(places)) = (self.parts.last_mut(), self.places.last_mut()) {
            canvas.entries.push(entry);
            places.push(at);
        }
    }

    /// Reads up to the next canvas; what is before it is prose.
    fn prose(&mut self) -> Option<Place> {
        let from = self.at;
        self.sync();
        let found = (self.tag..self.tags.len()).find(|index| self.begins_canvas(*index));
        let to = found.map_or(self.text.len(), |index| self.tags[index].start);
        let prose = &self.text[from..to];
        if !text::is_blank(prose) {
            self.parts.push(Part::Prose(prose.to_owned()));
            self.places.push(Vec::new());
        }
        self.at = to;
        let Some(index) = found else {
            self.touched_end = true;
            return None;
        };
        self.tag = index;
        self.context = Context::default();
        let tag = self.tags[index];
        if tag.name != Name::Canvas {
            self.note(Code::UnclosedElement, tag.start, "<Canvas>");
            self.begin_canvas(Canvas::default());
            return Some(Place::Inside { rootless: true });
        }
        if !tag.exact {
            self.note(
                Code::LegacySpelling,
                tag.start,
                self.text[tag.start..tag.end].to_owned(),
            );
        }
        let attributes =
            Attribs::of(self.text, &tag).map(|(name, value)| (name.to_owned(), text::attribute(value)));
        self.begin_canvas(Canvas {
            attributes: attributes.collect(),
            entries: Vec::new(),
        });
        self.skip_tag();
        if tag.shape == Shape::Empty {
            Some(Place::Outside)
        } else {
            Some(Place::Inside { rootless: false })
        }
    }

    /// Whether a canvas begins here, and it is not only talked about.
    fn begins_canvas(&mut self, index: usize) -> bool {
        let tag = self.tags[index];
        let quoted = self.text[..tag.start].ends_with('`') && !self.text[..tag.start].ends_with("```");
        if quoted || tag.shape == Shape::Close {
            return false;
        }
        let after = self.after_blank(tag.end);
        match tag.name {
            Name::Canvas => {
                let next = self.tag_at(after);
                let structure =
                    next.is_some_and(|next| matches!(next.name, Name::Cell | Name::ArenaLog | Name::Canvas));
                // An HTML <canvas> is none of ours.
                let alone = self.starts_line(tag.start) && self.on_new_line(tag.end);
                structure
                    || tag.exact
                        && tag.closed
                        && (alone || self.is_end(after) || self.text[after..].starts_with('<'))
            }
            Name::Cell | Name::ArenaLog => {
                self.starts_line(tag.start)
                    && tag.shape == Shape::Open
                    && (tag.exact || Attribs::of(self.text, &tag).next().is_some())
            }
            _ => false,
        }
    }

    /// Reads entries until the canvas ends, in whatever way.
    fn canvas(&mut self, rootless: bool) {
        loop {
            self.skip_blank();
            if self.at >= self.text.len() || self.is_end(self.at) {
                if self.at >= self.text.len() {
                    self.touched_end = true;
                }
                if !rootless {
                    self.note(Code::UnclosedElement, self.at, "<Canvas>");
                }
                return;
            }
            self.sync();
            let here = self
                .tags
                .get(self.tag)
                .copied()
                .filter(|tag| tag.start == self.at);
            let Some(tag) = here else {
                if rootless && !self.text[self.at..].starts_with('<') {
                    return;
                }
                self.stray();
                self.settle(Place::Inside { rootless });
                continue;
            };
            match (tag.name, tag.shape) {
                (Name::Canvas, Shape::Close) => {
                    if !tag.exact {
                        self.note(Code::LegacySpelling, tag.start, "</Canvas>");
                    }
                    self.skip_tag();
                    return;
                }
                (Name::Canvas, Shape::Open) => {
                    let after = self.after_blank(tag.end);
                    let begins = self.tag_at(after).is_some_and(|next| next.shape != Shape::Close);
                    if begins {
                        if !rootless {
                            self.note(Code::UnclosedElement, tag.start, "<Canvas>");
                        }
                    } else {
                        self.note(Code::MismatchedEnd, tag.start, "<Canvas>");
                        self.skip_tag();
                    }
                    return;
                }
                (Name::Canvas, Shape::Empty) => self.skip_tag(),
                (Name::Cell, Shape::Open | Shape::Empty) => self.cell(),
                (Name::ArenaLog, Shape::Open) => self.arena_log(),
                (Name::ArenaLog, Shape::Empty) => {
                    self.push_entry(tag.start, Entry::ArenaLog(ArenaLog::default()));
                    self.skip_tag();
                }
                (Name::Log, Shape::Open | Shape::Empty) => self.loose_logs(),
                (_, Shape::Close) => {
                    self.note(Code::MismatchedEnd, tag.start, format!("</{}>", tag.name.word()));
                    self.skip_tag();
                }
                _ => self.loose_element(tag),
            }
            self.settle(Place::Inside { rootless });
        }
    }

    /// A part of a cell that stands outside of one: kept as it is written.
    fn loose_element(&mut self, tag: Tag) {
        self.note(Code::UnknownElement, tag.start, format!("<{}>", tag.name.word()));
        let written = self.loose(&tag);
        self.push_entry(tag.start, Entry::Other(written));
    }

    /// An element where it does not belong, as it is written; a text in it in a form whose end is plain,
    /// whatever comes to stand around it.
    fn loose(&mut self, tag: &Tag) -> String {
        let raw = match tag.name {
            Name::Value => raw::Raw::Value,
            Name::Stdout => raw::Raw::Stdout,
            Name::Message => raw::Raw::Message,
            _ => {
                self.skip_tag();
                return self.text[tag.start..self.at].trim_ascii_end().to_owned();
            }
        };
        let mut written = self.text[tag.start..tag.end].trim_ascii_end().to_owned();
        let text = text::decode(self.raw(raw)).into_owned();
        if tag.shape == Shape::Open {
            if !tag.closed {
                written.push('>');
            }
            text::push_section(&mut written, &text);
            written.push_str(&format!("</{}>", tag.name.word()));
        }
        written
    }

    /// A comment, an unknown element or a text between entries.
    fn stray(&mut self) {
        let at = self.at;
        if let Some(comment) = self.comment() {
            self.push_entry(at, Entry::Other(comment));
            return;
        }
        let stray = self.run();
        self.note(Code::UnknownElement, at, first_words(&stray));
        self.push_other(at, stray);
    }

    /// Two strays in a row are one: written one below the other they would be read so.
    fn push_other(&mut self, at: usize, stray: String) {
        if let Some(Part::Canvas(canvas)) = self.parts.last_mut()
            && let Some(Entry::Other(last)) = canvas.entries.last_mut()
            && !is_comment(last)
        {
            last.push('\n');
            last.push_str(&stray);
            return;
        }
        self.push_entry(at, Entry::Other(stray));
    }

    /// The comment that starts here, closed if it was not.
    fn comment(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        if !rest.starts_with("<!--") {
            return None;
        }
        let start = self.at;
        let inner = start + 4;
        let end = self.comment_ends.find(inner);
        let again = end.and_then(|end| memmem::find(&self.text.as_bytes()[inner..end], b"<!--"));
        if let (Some(end), None) = (end, again) {
            self.at = end + 3;
            self.sync();
            return Some(self.text[start..self.at].to_owned());
        }
        if end.is_none() {
            self.touched_end = true;
        }
        // Left open: it ends with its line, or where a tag begins.
        self.note(Code::UnclosedElement, start, "<!--");
        let line = memchr::memchr2(b'\n', b'<', &self.text.as_bytes()[inner..])
            .map_or(self.text.len(), |at| inner + at);
        self.at = line;
        self.sync();
        Some(format!("{} -->", self.text[start..line].trim_ascii_end()))
    }

    /// Text and unknown elements up to the next thing that is known.
    fn run(&mut self) -> String {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start;
        loop {
            self.at = at;
            self.sync();
            if at > start && (self.tag_at(at).is_some() || self.text[at..].starts_with("<!--")) {
                break;
            }
            if bytes.get(at) == Some(&b'<') {
                at = self.unknown_end(at).unwrap_or(at + 1);
            } else {
                at += 1;
            }
            let rest = &bytes[at.min(bytes.len())..];
            let next = memchr::memchr(b'<', rest).map_or(bytes.len(), |next| at + next);
            // A fence ends the canvas, and all that is in it.
            if let Some(fence) = memmem::find(&bytes[at..next], b"\n```") {
                at += fence + 1;
                break;
            }
            at = next;
            if at >= bytes.len() {
                self.touched_end = true;
                break;
            }
        }
        self.at = at;
        self.sync();
        self.text[start..at].trim_ascii_end().to_owned()
    }

    /// Where the unknown element ends that starts here, if it does before the next cell.
    fn unknown_end(&mut self, at: usize) -> Option<usize> {
        let name = scan::any_name(self.text, at)?;
        while self.tags.get(self.level).is_some_and(|tag| {
            tag.start < at || !tag.exact || !matches!(tag.name, Name::Cell | Name::Canvas | Name::ArenaLog)
        }) {
            self.level += 1;
        }
        let next = self.tags.get(self.level).map_or(self.text.len(), |tag| tag.start);
        let mut limit = next.min(at.saturating_add(64 * 1024));
        while !self.text.is_char_boundary(limit) {
            limit -= 1;
        }
        if limit.saturating_sub(at) > self.budget {
            return None;
        }
        let window = &self.text.as_bytes()[at..limit];
        let close = format!("</{name}>");
        let Some(open_end) = memchr::memchr(b'>', window) else {
            self.touched_end |= limit == self.text.len();
            self.budget -= self.budget.min(window.len());
            return None;
        };
        self.budget -= self.budget.min(open_end + 1);
        if window[..open_end].ends_with(b"/") {
            return Some(at + open_end + 1);
        }
        self.touched_end |= limit == self.text.len();
        match memmem::find(window, close.as_bytes()) {
            Some(found) => {
                self.budget = self.budget.saturating_sub(found);
                Some(at + found + close.len())
            }
            None => {
                self.budget -= self.budget.min(window.len());
                None
            }
        }
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Behind the tag at which the reader stands.
    fn skip_tag(&mut self) {
        if let Some(tag) = self.tags.get(self.tag) {
            // Its end may still come.
            self.touched_end |= !tag.closed && tag.end == self.text.len();
            self.at = tag.end;
            self.tag += 1;
        }
    }

    /// Brings `tag` up to `at`.
    fn sync(&mut self) {
        while self.tags.get(self.tag).is_some_and(|tag| tag.start < self.at) {
            self.tag += 1;
        }
    }
}

fn is_comment(stray: &str) -> bool {
    stray.starts_with("<!--")
}

/// The beginning of a text, for a diagnostic.
fn first_words(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(40).collect()
}

/// Offsets to lines and columns.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// Characters before every block of `BLOCK` bytes, so that a long line is not counted again and again.
    characters: Vec<usize>,
}

const BLOCK: usize = 1024;

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
            .collect();
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            characters.push(characters[characters.len() - 1] + count(block));
        }
        Lines {
            text,
            starts,
            characters,
        }
    }

    fn place(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        (line, self.before(at) - self.before(self.starts[line - 1]) + 1)
    }

    /// How many characters begin before this place.
    fn before(&self, at: usize) -> usize {
        let block = at / BLOCK;
        self.characters[block] + count(&self.text.as_bytes()[block * BLOCK..at])
    }

    fn diagnostics(&self, notes: &mut [(usize, Code, String)]) -> Vec<Diagnostic> {
        notes.sort_by_key(|(at, code, _)| (*at, *code));
        notes
            .iter()
            .map(|(at, code, subject)| {
                let (line, column) = self.place(*at);
                Diagnostic {
                    code: *code,
                    severity: code.severity(),
                    line,
                    column,
                    subject: subject.clone(),
                }
            })
            .collect()
    }
}

fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// For originators and what they wrote last.
type ByName<T> = HashMap<String, T>;
