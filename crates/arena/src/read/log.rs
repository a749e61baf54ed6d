//! Logs: those of the Arena, those of cells, and those that stand where nobody expects one.
//!
//! Deliberately not here: where a message ends (`raw`).

use crate::{
    diagnostic::Code,
    model::{ArenaLog, Entry, EntryType, Level, Log},
    scan::{Name, Shape, Tag},
    text,
};

use super::{Reader, cell::push_stray, first_words, raw::Raw};

impl Reader<'_> {
    pub(super) fn arena_log(&mut self) {
        let tag = self.tags[self.tag];
        let given = self.given(&tag);
        let attributes = given.rest(self);
        self.skip_tag();
        let mut arena_log = ArenaLog {
            attributes,
            ..ArenaLog::default()
        };
        loop {
            self.skip_blank();
            self.sync();
            if self.is_end(self.at) {
                self.touched_end = true;
                self.note(Code::UnclosedElement, tag.start, "<ArenaLog>");
                break;
            }
            let Some(inner) = self
                .tags
                .get(self.tag)
                .copied()
                .filter(|inner| inner.start == self.at)
            else {
                let at = self.at;
                match self.comment() {
                    Some(comment) => arena_log.unknown.push(comment),
                    None => {
                        let stray = self.run();
                        self.note(Code::UnknownElement, at, first_words(&stray));
                        push_stray(&mut arena_log.unknown, stray);
                    }
                }
                continue;
            };
            match (inner.name, inner.shape) {
                (Name::ArenaLog, Shape::Close) => {
                    self.skip_tag();
                    break;
                }
                (Name::Log, Shape::Open | Shape::Empty) => {
                    let next = arena_log.logs.last().map_or(0, |log| log.seq.saturating_add(1));
                    arena_log.logs.push(self.log(&inner, next));
                }
                (Name::Logs, _) => self.skip_tag(),
                (Name::Cell | Name::Canvas, _) | (Name::ArenaLog, _) => {
                    self.note(Code::UnclosedElement, tag.start, "<ArenaLog>");
                    break;
                }
                (_, Shape::Close) => {
                    self.note(
                        Code::MismatchedEnd,
                        inner.start,
                        format!("</{}>", inner.name.word()),
                    );
                    self.skip_tag();
                }
                _ => {
                    self.note(
                        Code::UnknownElement,
                        inner.start,
                        format!("<{}>", inner.name.word()),
                    );
                    if inner.name == Name::Message {
                        let next = arena_log.logs.last().map_or(0, |log| log.seq.saturating_add(1));
                        arena_log.logs.push(self.bare_log(&inner, next));
                        continue;
                    }
                    let written = self.loose(&inner);
                    push_stray(&mut arena_log.unknown, written);
                }
            }
        }
        self.push_entry(tag.start, Entry::ArenaLog(arena_log));
    }

    /// Logs that stand in the canvas itself: an ArenaLog without its element.
    pub(super) fn loose_logs(&mut self) {
        let start = self.at;
        self.note(Code::UnclosedElement, start, "<ArenaLog>");
        let mut arena_log = ArenaLog::default();
        while let Some(tag) = self.tags.get(self.tag).copied()
            && tag.start == self.at
            && tag.name == Name::Log
            && tag.shape != Shape::Close
        {
            let next = arena_log
                .logs
                .last()
                .map_or(0, |log: &Log| log.seq.saturating_add(1));
            arena_log.logs.push(self.log(&tag, next));
            self.skip_blank();
            self.sync();
        }
        self.push_entry(start, Entry::ArenaLog(arena_log));
    }

    /// A message without the log around it.
    pub(super) fn bare_log(&mut self, tag: &Tag, next: u64) -> Log {
        let given = self.given(tag);
        let message_attributes = given.rest(self);
        Log {
            originator: None,
            level: None,
            seq: next,
            message: text::decode(self.raw(Raw::Message)).into_owned(),
            kind: None,
            attributes: Vec::new(),
            message_attributes,
            kind_attributes: Vec::new(),
            unknown: Vec::new(),
        }
    }

    pub(super) fn log(&mut self, tag: &Tag, next: u64) -> Log {
        let mut given = self.given(tag);
        let originator = given.take(self, "originator");
        let level = given.take(self, "log_level").or_else(|| {
            let level = given.take(self, "level");
            if level.is_some() {
                self.note(Code::LegacySpelling, tag.start, "level");
            }
            level
        });
        let level = level.map(|word| level_of(self, &word, tag.start));
        let seq = self.inner_seq(&mut given, next, "log");
        let mut log = Log {
            originator,
            level,
            seq,
            message: String::new(),
            kind: None,
            attributes: Vec::new(),
            message_attributes: Vec::new(),
            kind_attributes: Vec::new(),
            unknown: Vec::new(),
        };
        for legacy in ["log_entry_type", "type"] {
            if let Some(word) = given.take(self, legacy) {
                self.note(Code::LegacySpelling, tag.start, legacy);
                log.kind.get_or_insert_with(|| EntryType::of(word.trim()));
            }
        }
        let mut message = given.take(self, "message").inspect(|_| {
            self.note(Code::LegacySpelling, tag.start, "message");
        });
        log.attributes = given.rest(self);
        self.skip_tag();
        if tag.shape == Shape::Open {
            self.log_body(tag, &mut log, &mut message);
        }
        log.message = message.unwrap_or_default();
        log
    }

    fn log_body(&mut self, tag: &Tag, log: &mut Log, message: &mut Option<String>) {
        loop {
            self.skip_blank();
            self.sync();
            if self.is_end(self.at) {
                self.touched_end = true;
                self.note(Code::UnclosedElement, tag.start, "<log>");
                return;
            }
            let Some(inner) = self
                .tags
                .get(self.tag)
                .copied()
                .filter(|inner| inner.start == self.at)
            else {
                let at = self.at;
                if let Some(comment) = self.comment() {
                    log.unknown.push(comment);
                    continue;
                }
                let markup =
                    self.text[at..].starts_with('<') && !self.text[at..].starts_with(crate::scan::CDATA);
                let stray = self.cell_run();
                if markup {
                    self.note(Code::UnknownElement, at, first_words(&stray));
                    push_stray(&mut log.unknown, stray);
                } else {
                    self.note(Code::LegacySpelling, at, first_words(&stray));
                    add_line(message, &text::decode(&stray));
                }
                continue;
            };
            match (inner.name, inner.shape) {
                (Name::Log, Shape::Close) => {
                    self.skip_tag();
                    return;
                }
                (Name::Message, Shape::Open | Shape::Empty) => {
                    let given = self.given(&inner);
                    log.message_attributes.extend(given.rest(self));
                    let text = text::decode(self.raw(Raw::Message)).into_owned();
                    if message.is_some() {
                        self.note(Code::UnknownElement, inner.start, "<message>");
                    }
                    add_line(message, &text);
                }
                (Name::EntryType, Shape::Open | Shape::Empty) => {
                    let mut given = self.given(&inner);
                    let word = given.take(self, "value");
                    let attributes = given.rest(self);
                    self.skip_tag();
                    let word = match word {
                        Some(word) => word,
                        None if inner.shape == Shape::Open => {
                            self.note(Code::LegacySpelling, inner.start, "<log_entry_type>");
                            self.short_text()
                        }
                        None => {
                            // It names no type; what it says all the same stays.
                            if !attributes.is_empty() {
                                let written = self.text[inner.start..inner.end].trim_ascii_end().to_owned();
                                push_stray(&mut log.unknown, written);
                            }
                            continue;
                        }
                    };
                    log.kind = Some(EntryType::of(word.trim()));
                    log.kind_attributes.extend(attributes);
                }
                (Name::EntryType | Name::Message, Shape::Close) => {
                    if inner.name == Name::Message {
                        self.note(Code::MismatchedEnd, inner.start, "</message>");
                    }
                    self.skip_tag();
                }
                (Name::Flag | Name::Flags, _) => {
                    self.note(
                        Code::UnknownElement,
                        inner.start,
                        format!("<{}>", inner.name.word()),
                    );
                    self.skip_tag();
                    push_stray(
                        &mut log.unknown,
                        self.text[inner.start..inner.end].trim_ascii_end().to_owned(),
                    );
                }
                _ => {
                    self.note(Code::UnclosedElement, tag.start, "<log>");
                    return;
                }
            }
        }
    }
}

/// A log has one message; what else it says goes on with it.
fn add_line(message: &mut Option<String>, text: &str) {
    match message {
        Some(first) => {
            first.push('\n');
            first.push_str(text);
        }
        None => *message = Some(text.to_owned()),
    }
}

fn level_of(reader: &mut Reader<'_>, word: &str, at: usize) -> Level {
    let upper = word.trim().to_ascii_uppercase();
    let upper = if upper == "WARNING" {
        "WARN".to_owned()
    } else {
        upper
    };
    match Level::of(&upper) {
        Level::Other(_) => Level::Other(word.to_owned()),
        level => {
            if level.word() != word {
                reader.note(Code::LegacySpelling, at, word);
            }
            level
        }
    }
}
