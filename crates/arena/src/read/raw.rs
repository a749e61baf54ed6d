//! Where the text of a `<value>`, `<stdout>` or `<message>` ends. Their text needs no escaping, so
//! it may hold anything: `</value>` in a string, a whole canvas that somebody asks about, markup
//! with elements of the same names. The end is the first end tag after which a cell can go on;
//! whole cells inside the text are jumped over.
//!
//! A text that never ends so was left open. It then ends where the next thing begins. That answer
//! depends only on the place where it was asked, so it is remembered, and the reader stays linear.
//!
//! Deliberately not here: what the text means (`text`), cells (`cell`).

use crate::{
    diagnostic::Code,
    scan::{self, Cdata, Name, Shape, Tag},
    text,
};

use super::Reader;

/// A text element of a cell or a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raw {
    Value,
    Stdout,
    Message,
}

impl Raw {
    pub(super) fn name(self) -> Name {
        match self {
            Raw::Value => Name::Value,
            Raw::Stdout => Name::Stdout,
            Raw::Message => Name::Message,
        }
    }

    /// The element this one stands in: its end ends this one too.
    fn parent(self) -> Name {
        match self {
            Raw::Value | Raw::Stdout => Name::Cell,
            Raw::Message => Name::Log,
        }
    }

    fn bit(self, pending: bool) -> u8 {
        1 << (self as u8 + if pending { 3 } else { 0 })
    }
}

/// The end of a text: where it stops, and the tag at which reading goes on.
struct End {
    stop: usize,
    next: usize,
    found: Found,
}

#[derive(PartialEq, Eq)]
enum Found {
    /// By its own end tag.
    Tag,
    /// By an opening tag in the place of the end tag.
    WrongTag,
    /// Not at all: it was left open.
    Open,
}

impl Reader<'_> {
    /// Reads the element whose opening tag is at `self.tag`; its text as written, to the byte.
    pub(super) fn raw(&mut self, raw: Raw) -> &str {
        let open = self.tags[self.tag];
        let from = open.end;
        if open.shape == Shape::Empty {
            self.skip_tag();
            return "";
        }
        if !open.closed {
            self.note(
                Code::UnclosedElement,
                open.start,
                format!("<{}", raw.name().word()),
            );
        }
        let end = self.raw_end(raw, self.tag);
        match end.found {
            Found::Tag => {}
            Found::WrongTag => self.note(Code::MismatchedEnd, end.stop, format!("<{}>", raw.name().word())),
            Found::Open => self.note(
                Code::UnclosedElement,
                open.start,
                format!("<{}>", raw.name().word()),
            ),
        }
        match end.found {
            Found::Tag | Found::WrongTag => {
                self.tag = end.next - 1;
                self.skip_tag();
            }
            Found::Open => {
                self.tag = end.next;
                self.at = end.stop;
            }
        }
        let mut written = &self.text[from..end.stop];
        if end.found == Found::Open {
            // The line break before the next tag is layout.
            written = written.trim_ascii_end();
        }
        if matches!(open.cdata, Cdata::Unclosed | Cdata::Open) {
            self.touched_end |= open.cdata == Cdata::Open;
            self.notes
                .push((open.end, Code::UnclosedElement, scan::CDATA.to_owned()));
            written = written.trim_ascii_start();
            written = written.strip_prefix(scan::CDATA).unwrap_or(written);
        }
        written
    }

    fn raw_end(&mut self, raw: Raw, open: usize) -> End {
        let lower = self.lower;
        // Whether an element of the same name was opened inside of the text.
        let mut pending = false;
        let mut fallback: Option<usize> = None;
        let mut ambiguous: Option<usize> = None;
        // The last end tag that looked like text, and could end this one if nothing better does.
        let mut own: Option<usize> = None;
        let mut visited = Vec::new();
        let mut index = open + 1;
        let found = loop {
            let Some(tag) = self.tags.get(index).copied() else {
                self.touched_end = true;
                break None;
            };
            if self.failed[index] & raw.bit(pending) != 0 {
                // The first candidate of this text is still wanted, and may lie ahead.
                if fallback.is_none() {
                    fallback = self.first_candidate(raw, index, pending, &mut own);
                }
                break None;
            }
            visited.push((index, pending));
            let level = tag.exact || lower;
            match (tag.name, tag.shape) {
                (name, Shape::Close) if name == raw.name() => {
                    let follow = self.follow(tag.end, raw);
                    let ends = match follow {
                        Follow::Parent => true,
                        Follow::Sibling | Follow::Again => !pending,
                        Follow::Unknown => !pending && self.on_new_line(tag.end),
                        Follow::Text => false,
                    };
                    if ends {
                        // `</value></value>`: twice is once.
                        let twice = own.filter(|own| {
                            *own + 1 == index && text::is_blank(&self.text[self.tags[*own].end..tag.start])
                        });
                        let at = twice.unwrap_or(index);
                        if twice.is_some() && ambiguous == Some(self.tags[at].start) {
                            ambiguous = None;
                        }
                        break Some(End {
                            stop: self.tags[at].start,
                            next: at + 1,
                            found: Found::Tag,
                        });
                    }
                    if !pending && fallback.is_none() && self.can_end(tag.end) {
                        own = Some(index);
                    }
                    pending = false;
                    ambiguous.get_or_insert(tag.start);
                }
                (name, Shape::Open) if name == raw.name() => {
                    let bare = tag.closed && tag.end - tag.start == name.word().len() + 2;
                    if bare && self.follow(tag.end, raw) == Follow::Parent && raw != Raw::Message {
                        break Some(End {
                            stop: tag.start,
                            next: index + 1,
                            found: Found::WrongTag,
                        });
                    }
                    if raw == Raw::Stdout && self.starts_line(tag.start) && !bare {
                        // The next piece of output: this one was not closed.
                        break Some(End {
                            stop: tag.start,
                            next: index,
                            found: Found::Open,
                        });
                    }
                    if raw == Raw::Message
                        && let Some(log) = self.log_before(index, open)
                    {
                        // The next log: this message was not closed.
                        break Some(End {
                            stop: self.tags[log].start,
                            next: log,
                            found: Found::Open,
                        });
                    }
                    pending = true;
                }
                (name, Shape::Close) if name == raw.parent() && (level || name != Name::Cell) => {
                    if self.ends_parent(raw, tag) {
                        let at = fallback.unwrap_or(index);
                        break Some(End {
                            stop: self.tags[at].start,
                            next: at,
                            found: Found::Open,
                        });
                    }
                    fallback.get_or_insert(index);
                }
                (Name::Cell, Shape::Open) if level => {
                    fallback.get_or_insert(index);
                    match tag.partner {
                        Some(partner) if tag.exact => {
                            ambiguous.get_or_insert(tag.start);
                            index = partner;
                        }
                        _ if raw == Raw::Message && !self.starts_line(tag.start) => {
                            // A message tells of cells.
                            self.touched_end = true;
                            if fallback == Some(index) {
                                fallback = None;
                            }
                        }
                        _ => {
                            // It does not end: it is no cell inside of the text, but the next one.
                            self.touched_end = true;
                            let at = fallback.unwrap_or(index);
                            break Some(End {
                                stop: self.tags[at].start,
                                next: at,
                                found: Found::Open,
                            });
                        }
                    }
                }
                _ if self.is_candidate(raw, tag) => {
                    fallback.get_or_insert(index);
                }
                _ => {}
            }
            index += 1;
        };
        if let Some(end) = found {
            if end.found == Found::Open
                && let Some(own) = own
            {
                return self.own_end(own, ambiguous, raw);
            }
            if end.found == Found::Tag
                && let Some(at) = ambiguous
            {
                self.note(Code::AmbiguousValueEnd, at, format!("<{}>", raw.name().word()));
            }
            return end;
        }
        self.touched_end = true;
        for (index, pending) in visited {
            self.failed[index] |= raw.bit(pending);
        }
        if let Some(own) = own {
            return self.own_end(own, ambiguous, raw);
        }
        match fallback {
            Some(at) => End {
                stop: self.tags[at].start,
                next: at,
                found: Found::Open,
            },
            None => {
                let stop = self.fence_after(self.tags[open].end).unwrap_or(self.text.len());
                let next = self.tags.partition_point(|tag| tag.start < stop);
                End {
                    stop,
                    next,
                    found: Found::Open,
                }
            }
        }
    }

    /// Ends a text that would be left open at an end tag that looked like text.
    fn own_end(&mut self, own: usize, ambiguous: Option<usize>, raw: Raw) -> End {
        let tag = self.tags[own];
        self.note(
            Code::AmbiguousValueEnd,
            ambiguous.unwrap_or(tag.start),
            format!("<{}>", raw.name().word()),
        );
        End {
            stop: tag.start,
            next: own + 1,
            found: Found::Tag,
        }
    }

    /// Whether an end tag could be one although no known tag follows it: what follows is another
    /// line, or a tag.
    fn can_end(&self, from: usize) -> bool {
        self.on_new_line(from) || self.text[from..].trim_ascii_start().starts_with('<')
    }

    /// The `<log>` on a line of its own whose message opens at `index`.
    fn log_before(&self, index: usize, open: usize) -> Option<usize> {
        let log = index.checked_sub(1).filter(|log| *log > open)?;
        let tag = self.tags[log];
        let begins = tag.name == Name::Log
            && tag.shape == Shape::Open
            && self.starts_line(tag.start)
            && text::is_blank(&self.text[tag.end..self.tags[index].start]);
        begins.then_some(log)
    }

    /// The first tag from `index` at which an open text can end, and the last end tag before it that
    /// looks like text.
    fn first_candidate(
        &self,
        raw: Raw,
        index: usize,
        mut pending: bool,
        own: &mut Option<usize>,
    ) -> Option<usize> {
        for index in index..self.tags.len() {
            let tag = self.tags[index];
            let level = tag.exact || self.lower;
            let cell = tag.name == Name::Cell && level && tag.shape == Shape::Open;
            let candidate = (tag.name == raw.parent() && tag.shape == Shape::Close)
                || cell && (raw != Raw::Message || self.starts_line(tag.start))
                || !cell && self.is_candidate(raw, tag);
            if candidate {
                return Some(index);
            }
            if tag.name == raw.name() {
                match tag.shape {
                    Shape::Close => {
                        if !pending && self.can_end(tag.end) {
                            *own = Some(index);
                        }
                        pending = false;
                    }
                    Shape::Open => pending = true,
                    Shape::Empty => {}
                }
            }
        }
        None
    }

    /// Whether a text that was left open can end before this tag.
    fn is_candidate(&self, raw: Raw, tag: Tag) -> bool {
        let level = tag.exact || self.lower;
        match tag.name {
            Name::Cell => {
                level && (tag.shape == Shape::Close || raw == Raw::Message && tag.shape == Shape::Open)
            }
            Name::ArenaLog => level,
            Name::Canvas => tag.exact,
            Name::EntryType => raw == Raw::Message,
            Name::Log | Name::Stdout | Name::Flag | Name::Flags | Name::DependsOn => {
                tag.exact && tag.shape != Shape::Close && self.starts_line(tag.start)
            }
            Name::Value => raw == Raw::Stdout && tag.shape == Shape::Open && self.starts_line(tag.start),
            Name::Logs | Name::Message => false,
        }
    }

    /// Whether the end tag of the element around a text really ends it.
    fn ends_parent(&mut self, raw: Raw, tag: Tag) -> bool {
        let after = self.after_blank(tag.end);
        match raw {
            Raw::Message => {
                matches!(
                    self.follow(tag.end, raw),
                    Follow::Parent | Follow::Sibling | Follow::Again
                ) || self
                    .tag_at(after)
                    .is_some_and(|tag| matches!(tag.name, Name::ArenaLog | Name::Cell))
            }
            Raw::Value | Raw::Stdout => {
                self.is_end(after)
                    || self.tag_at(after).is_some_and(|tag| {
                        let level = matches!(tag.name, Name::Canvas | Name::ArenaLog)
                            || tag.name == Name::Cell && tag.shape == Shape::Open;
                        level && (tag.exact || self.lower)
                    })
            }
        }
    }

    /// What comes after an end tag.
    fn follow(&mut self, from: usize, raw: Raw) -> Follow {
        let at = self.after_blank(from);
        if self.is_end(at) {
            return Follow::Parent;
        }
        let rest = &self.text[at..];
        if rest.len() < 40 && rest.starts_with('<') && !rest.contains('>') {
            // A tag that was cut off with the text.
            self.touched_end = true;
            return Follow::Parent;
        }
        let Some(tag) = self.tag_at(at) else {
            return match scan::any_name(self.text, at) {
                Some(_) if self.text.as_bytes()[at] == b'<' => Follow::Unknown,
                _ => Follow::Text,
            };
        };
        match (raw, tag.name, tag.shape) {
            (_, name, Shape::Close) if name == raw.parent() => Follow::Parent,
            (_, Name::Canvas | Name::ArenaLog, _) => Follow::Parent,
            (_, Name::Cell, Shape::Close | Shape::Open) if tag.exact || self.lower => Follow::Parent,
            (_, name, Shape::Open | Shape::Empty) if name == raw.name() => Follow::Again,
            (
                Raw::Value | Raw::Stdout,
                Name::Value
                | Name::Stdout
                | Name::Log
                | Name::Logs
                | Name::Flag
                | Name::Flags
                | Name::DependsOn,
                Shape::Open | Shape::Empty,
            ) => Follow::Sibling,
            // `</logs>` and `</flags>` close nothing that the reader keeps.
            (Raw::Value | Raw::Stdout, Name::Logs | Name::Flags, Shape::Close) => Follow::Sibling,
            (Raw::Message, Name::EntryType | Name::Log, Shape::Open | Shape::Empty) => Follow::Sibling,
            _ => Follow::Text,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follow {
    /// The element around ends, or the text does.
    Parent,
    /// Another part of the cell.
    Sibling,
    /// Another element of this very name.
    Again,
    /// A tag that the schema does not know.
    Unknown,
    Text,
}

impl Reader<'_> {
    /// Past white space and whole comments.
    pub(super) fn after_blank(&mut self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            if !self.text[at..].starts_with("<!--") {
                break;
            }
            match self.comment_ends.find(at) {
                Some(end) => at = end + 3,
                None => {
                    self.touched_end = true;
                    break;
                }
            }
        }
        // A tag that is cut off here may turn out to be a known one.
        if at + 32 > bytes.len() {
            self.touched_end = true;
        }
        at
    }

    /// The end of the text, or of the fence around the canvas.
    pub(super) fn is_end(&self, at: usize) -> bool {
        at >= self.text.len() || self.text[at..].starts_with("```") && self.starts_line(at)
    }

    pub(super) fn starts_line(&self, at: usize) -> bool {
        let before = &self.text.as_bytes()[..at];
        before
            .iter()
            .rev()
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
            .is_none_or(|byte| *byte == b'\n')
    }

    pub(super) fn on_new_line(&self, from: usize) -> bool {
        self.text[from..]
            .bytes()
            .find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))
            == Some(b'\n')
    }

    /// The known tag that starts at this very place.
    pub(super) fn tag_at(&self, at: usize) -> Option<Tag> {
        let index = self.tags.binary_search_by_key(&at, |tag| tag.start).ok()?;
        Some(self.tags[index])
    }

    fn fence_after(&self, from: usize) -> Option<usize> {
        let rest = &self.text[from..];
        let at = memchr::memmem::find_iter(rest.as_bytes(), "\n```").last()?;
        text::is_blank(rest[at + 4..].lines().next().unwrap_or_default()).then_some(from + at + 1)
    }
}
