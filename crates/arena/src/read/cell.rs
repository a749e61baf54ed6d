//! Cells and what stands in them.
//!
//! Deliberately not here: logs (`log`), where texts end (`raw`), what is inferred from other cells (`inference`).

use crate::{
    diagnostic::Code,
    model::{
        ARTIFACTS, Attributes, Cell, CellId, CellType, Entry, Flag, LOG_FLAG, Log, Stdout, USER, Value,
        ValueType,
    },
    scan::{Attribs, Name, Shape, Tag, same_word},
    text,
};

use super::{
    Reader, first_words,
    inference::{Inference, Inferred},
    is_comment,
    raw::Raw,
};

/// The known attributes of an element, taken out of those that were written.
pub(super) struct Given {
    at: usize,
    attributes: Attributes,
}

impl Given {
    /// The value of the attribute; `legacy` when it was not spelt so.
    pub(super) fn take(&mut self, reader: &mut Reader<'_>, name: &str) -> Option<String> {
        let exact = self.attributes.iter().position(|(key, _)| key == name);
        let index = exact.or_else(|| {
            self.attributes
                .iter()
                .position(|(key, _)| same_word(name.as_bytes(), key.as_bytes()))
        })?;
        let (key, value) = self.attributes.remove(index);
        if exact.is_none() {
            reader.note(Code::LegacySpelling, self.at, key);
        }
        Some(value)
    }

    /// What is left is not known.
    pub(super) fn rest(self, reader: &mut Reader<'_>) -> Attributes {
        // The flag of a log and the pictures of an output are the Arena's own (`engine`).
        let own = |name: &str| name == LOG_FLAG || name == ARTIFACTS;
        for (name, _) in self.attributes.iter().filter(|(name, _)| !own(name)) {
            reader.note(Code::UnknownAttribute, self.at, name.clone());
        }
        self.attributes
    }
}

/// A number as models write it: `5`, `#5`, `5.`
fn number(word: &str) -> Option<u64> {
    word.trim()
        .trim_start_matches('#')
        .trim_end_matches('.')
        .parse()
        .ok()
}

/// What a cell holds besides its attributes, before it is known which part is its value.
#[derive(Default)]
struct Body {
    values: Vec<Value>,
    stdout: Vec<Stdout>,
    logs: Vec<Log>,
    flags: Vec<Flag>,
    depends_on: Vec<CellId>,
    depends_attributes: Attributes,
    reference_attributes: Vec<(CellId, Attributes)>,
    /// Text that stands in the cell itself.
    direct: Vec<(usize, String)>,
    unknown: Vec<(usize, String)>,
}

impl Reader<'_> {
    pub(super) fn given(&mut self, tag: &Tag) -> Given {
        if !tag.closed {
            self.note(Code::UnclosedElement, tag.start, format!("<{}", tag.name.word()));
        }
        if !tag.exact {
            self.note(
                Code::LegacySpelling,
                tag.start,
                self.text[tag.start..tag.end].chars().take(20).collect::<String>(),
            );
        }
        let attributes =
            Attribs::of(self.text, tag).map(|(name, value)| (name.to_owned(), text::attribute(value)));
        Given {
            at: tag.start,
            attributes: attributes.collect(),
        }
    }

    /// Reads the cell at which the reader stands.
    pub(super) fn cell(&mut self) {
        let tag = self.tags[self.tag];
        let mut given = self.given(&tag);
        self.skip_tag();
        self.lower = !tag.exact;
        let mut body = Body::default();
        if tag.shape == Shape::Open {
            self.cell_body(tag.start, &mut body);
        }
        self.lower = false;
        let cell = self.assemble(&mut given, &mut body, tag.start);
        let attributes = given.rest(self);
        let cell = Cell { attributes, ..cell };
        self.context.saw(&cell);
        self.push_entry(tag.start, Entry::Cell(Box::new(cell)));
    }

    fn assemble(&mut self, given: &mut Given, body: &mut Body, at: usize) -> Cell {
        let requester = given.take(self, "requester").filter(|name| !name.is_empty());
        let written = given.take(self, "originator").filter(|name| !name.is_empty());
        let word = given
            .take(self, "type")
            .map(|word| word.trim().to_owned())
            .filter(|word| !word.is_empty());
        let kind = word.map(|word| self.cell_type(&word, at));
        let originator = match (written, &requester) {
            (Some(originator), _) => originator,
            (None, Some(requester)) if kind != Some(CellType::Output) => {
                self.note(Code::LegacySpelling, at, "requester");
                requester.clone()
            }
            (None, _) => {
                let name = if kind == Some(CellType::Output) {
                    self.arena
                } else {
                    USER
                };
                self.note(Code::MissingOriginator, at, name);
                name.to_owned()
            }
        };
        let mut concluded = Vec::new();
        let seq = given
            .take(self, "seq")
            .and_then(|word| number(&word))
            .unwrap_or_else(|| {
                let last = self.context.last(&originator);
                concluded.push(Inferred::Seq { last });
                last.map_or(0, |last| last.saturating_add(1))
            });
        let kind = kind.unwrap_or_else(|| match self.context.waiting(&originator) {
            Some(waiting) => {
                concluded.push(Inferred::Input {
                    waiting: waiting.clone(),
                });
                CellType::Input
            }
            None => {
                concluded.push(Inferred::Exec);
                CellType::Exec
            }
        });
        let mut cell = Cell::new(originator, seq, kind);
        for inferred in concluded {
            let code = if matches!(inferred, Inferred::Seq { .. }) {
                Code::MissingSeq
            } else {
                Code::MissingType
            };
            self.note(code, at, format!("{} ({})", cell.id(), cell.kind.word()));
            self.inferences.push(Inference {
                part: self.parts.len() - 1,
                entry: self.places.last().map_or(0, Vec::len),
                about: cell.id(),
                inferred,
            });
        }
        cell.requester = requester;
        cell.target_cognitor = given
            .take(self, "target_cognitor")
            .filter(|name| !name.is_empty());
        cell.execution_context = given
            .take(self, "execution_context")
            .filter(|name| !name.is_empty());
        if let Some(list) = given.take(self, "depends_on") {
            self.note(Code::LegacySpelling, at, "depends_on");
            body.depends_on.extend(references(&list));
        }
        self.fill(&mut cell, body);
        cell
    }

    fn fill(&mut self, cell: &mut Cell, body: &mut Body) {
        let mut values = std::mem::take(&mut body.values).into_iter();
        cell.value = values.next();
        cell.more_values = values.collect();
        let direct = std::mem::take(&mut body.direct);
        if let Some((at, first)) = direct.first() {
            self.note(Code::LegacySpelling, *at, first_words(first));
            let texts: Vec<&str> = direct.iter().map(|(_, text)| text.as_str()).collect();
            let value = Value::plain(text::decode(&texts.join("\n")));
            match cell.value {
                None => cell.value = Some(value),
                Some(_) => cell.more_values.push(value),
            }
        }
        let mut unknown: Vec<String> = Vec::new();
        for (at, stray) in std::mem::take(&mut body.unknown) {
            if is_comment(&stray) {
                unknown.push(stray);
                continue;
            }
            self.note(Code::UnknownElement, at, first_words(&stray));
            push_stray(&mut unknown, stray);
        }
        cell.unknown = unknown;
        cell.stdout = std::mem::take(&mut body.stdout);
        cell.logs = std::mem::take(&mut body.logs);
        cell.flags = std::mem::take(&mut body.flags);
        cell.depends_on = std::mem::take(&mut body.depends_on);
        cell.depends_attributes = std::mem::take(&mut body.depends_attributes);
        cell.reference_attributes = std::mem::take(&mut body.reference_attributes);
    }

    fn cell_type(&mut self, word: &str, at: usize) -> CellType {
        for known in ["EXEC", "OUTPUT", "INPUT"] {
            if word != known && word.eq_ignore_ascii_case(known) {
                self.note(Code::LegacySpelling, at, word);
                return CellType::of(known);
            }
        }
        CellType::of(word)
    }

    fn cell_body(&mut self, start: usize, body: &mut Body) {
        loop {
            self.skip_blank();
            self.sync();
            if self.is_end(self.at) {
                if self.at >= self.text.len() {
                    self.touched_end = true;
                }
                self.note(Code::UnclosedElement, start, "<Cell>");
                return;
            }
            let Some(tag) = self
                .tags
                .get(self.tag)
                .copied()
                .filter(|tag| tag.start == self.at)
            else {
                self.cell_stray(body);
                continue;
            };
            match (tag.name, tag.shape) {
                (Name::Cell, Shape::Close) => {
                    self.skip_tag();
                    return;
                }
                (Name::Cell, _) if !tag.exact && (!self.lower || tag.shape == Shape::Empty) => {
                    self.note(Code::LegacySpelling, tag.start, "<cell>");
                    self.reference(&tag, body);
                }
                (Name::Cell, Shape::Open) if self.closes_cell(&tag) => {
                    self.note(Code::MismatchedEnd, tag.start, "<Cell>");
                    self.skip_tag();
                    return;
                }
                (Name::Cell | Name::Canvas | Name::ArenaLog, Shape::Open | Shape::Empty)
                | (Name::Canvas, Shape::Close) => {
                    self.note(Code::UnclosedElement, start, "<Cell>");
                    return;
                }
                (Name::Logs | Name::Flags, _) => {
                    if tag.shape != Shape::Close {
                        self.note(Code::LegacySpelling, tag.start, format!("<{}>", tag.name.word()));
                    }
                    self.skip_tag();
                }
                (_, Shape::Close) => {
                    self.note(Code::MismatchedEnd, tag.start, format!("</{}>", tag.name.word()));
                    self.skip_tag();
                }
                (Name::Value, _) => body.values.push(self.value(&tag)),
                (Name::Stdout, _) => self.stdout(&tag, body),
                (Name::Log, _) => {
                    let next = body.logs.last().map_or(0, |log: &Log| log.seq.saturating_add(1));
                    let log = self.log(&tag, next);
                    body.logs.push(log);
                }
                (Name::Flag, _) => self.flag(&tag, body),
                (Name::DependsOn, _) => self.depends_on(&tag, body),
                (Name::Message, _) => {
                    // A log without its element.
                    self.note(Code::UnknownElement, tag.start, "<message>");
                    let next = body.logs.last().map_or(0, |log: &Log| log.seq.saturating_add(1));
                    let log = self.bare_log(&tag, next);
                    body.logs.push(log);
                }
                (Name::EntryType, _) => {
                    self.skip_tag();
                    body.unknown.push((
                        tag.start,
                        self.text[tag.start..tag.end].trim_ascii_end().to_owned(),
                    ));
                }
            }
        }
    }

    /// `<Cell>` where `</Cell>` is meant: nothing in it, and the canvas goes on behind it.
    fn closes_cell(&mut self, tag: &Tag) -> bool {
        if !tag.closed || Attribs::of(self.text, tag).next().is_some() {
            return false;
        }
        let after = self.after_blank(tag.end);
        self.is_end(after)
            || self.tag_at(after).is_some_and(|next| {
                matches!(next.name, Name::Canvas | Name::ArenaLog)
                    || next.name == Name::Cell && next.shape == Shape::Open
            })
    }

    fn cell_stray(&mut self, body: &mut Body) {
        let at = self.at;
        if let Some(comment) = self.comment() {
            body.unknown.push((at, comment));
            return;
        }
        let markup = self.text[at..].starts_with('<') && !self.text[at..].starts_with(crate::scan::CDATA);
        let stray = self.cell_run();
        if markup {
            body.unknown.push((at, stray))
        } else {
            body.direct.push((at, stray))
        }
    }

    /// As `run`, but an end tag of a cell inside of a CDATA section was never a tag.
    pub(super) fn cell_run(&mut self) -> String {
        if self.text[self.at..].starts_with(crate::scan::CDATA) {
            let start = self.at;
            let next = self.tags.get(self.tag).map_or(self.text.len(), |tag| tag.start);
            if next == self.text.len() {
                self.touched_end = true;
            }
            self.at = next;
            return self.text[start..next].trim_ascii_end().to_owned();
        }
        self.run()
    }

    fn value(&mut self, tag: &Tag) -> Value {
        let mut given = self.given(tag);
        let kind = given.take(self, "type").map(|word| {
            if word.eq_ignore_ascii_case("NORMOL") || word != "NORMAL" && word.eq_ignore_ascii_case("NORMAL")
            {
                self.note(Code::LegacySpelling, tag.start, word);
                return ValueType::Normal;
            }
            if word != "INPUT_HINT" && same_word(b"INPUT_HINT", word.as_bytes()) {
                self.note(Code::LegacySpelling, tag.start, word);
                return ValueType::InputHint;
            }
            ValueType::of(&word)
        });
        let attributes = given.rest(self);
        let text = text::decode(self.raw(Raw::Value)).into_owned();
        Value {
            text,
            kind,
            attributes,
        }
    }

    fn stdout(&mut self, tag: &Tag, body: &mut Body) {
        let mut given = self.given(tag);
        let next = body.stdout.last().map_or(0, |last| last.seq.saturating_add(1));
        let seq = self.inner_seq(&mut given, next, "stdout");
        let attributes = given.rest(self);
        let text = text::decode(self.raw(Raw::Stdout)).into_owned();
        body.stdout.push(Stdout {
            seq,
            text,
            attributes,
        });
    }

    pub(super) fn inner_seq(&mut self, given: &mut Given, next: u64, element: &str) -> u64 {
        given
            .take(self, "seq")
            .and_then(|word| number(&word))
            .unwrap_or_else(|| {
                self.note(Code::MissingSeq, given.at, format!("{element} {next}"));
                next
            })
    }

    fn flag(&mut self, tag: &Tag, body: &mut Body) {
        let mut given = self.given(tag);
        let written = given.take(self, "value");
        let attributes = given.rest(self);
        self.skip_tag();
        let word = match (written, tag.shape) {
            (Some(word), _) => word,
            (None, Shape::Open) => {
                self.note(Code::LegacySpelling, tag.start, "<flag>");
                self.short_text()
            }
            (None, _) => String::new(),
        };
        let word = match word.trim() {
            "" => return,
            "WAIT" => {
                self.note(Code::LegacySpelling, tag.start, "WAIT");
                format!("{}{USER}", crate::model::WAIT)
            }
            word => word.to_owned(),
        };
        body.flags.push(Flag {
            value: word,
            attributes,
        });
    }

    /// The text up to the next tag of any kind.
    pub(super) fn short_text(&mut self) -> String {
        let bytes = self.text.as_bytes();
        let end = memchr::memchr(b'<', &bytes[self.at..]).map_or(bytes.len(), |at| self.at + at);
        if end == bytes.len() {
            self.touched_end = true;
        }
        let text = self.text[self.at..end].trim().to_owned();
        self.at = end;
        self.sync();
        // Its own end tag follows; another one is dealt with by whoever reads on.
        if self.tags.get(self.tag).is_some_and(|tag| {
            tag.start == end && tag.shape == Shape::Close && matches!(tag.name, Name::Flag | Name::EntryType)
        }) {
            self.skip_tag();
        }
        text
    }

    fn depends_on(&mut self, tag: &Tag, body: &mut Body) {
        let given = self.given(tag);
        body.depends_attributes.extend(given.rest(self));
        self.skip_tag();
        if tag.shape == Shape::Empty {
            return;
        }
        loop {
            self.skip_blank();
            self.sync();
            let here = self
                .tags
                .get(self.tag)
                .copied()
                .filter(|tag| tag.start == self.at);
            match here {
                Some(inner) if inner.name == Name::DependsOn && inner.shape == Shape::Close => {
                    self.skip_tag();
                    return;
                }
                Some(inner) if inner.name == Name::Cell && inner.shape != Shape::Close => {
                    // `<Cell originator="User" seq="0">` here is a reference only if it is one tag.
                    if inner.exact && inner.shape == Shape::Open && self.is_next_cell(&inner) {
                        self.note(Code::UnclosedElement, tag.start, "<depends_on>");
                        return;
                    }
                    if inner.exact {
                        self.note(Code::LegacySpelling, inner.start, "<Cell>");
                    }
                    self.reference(&inner, body);
                }
                Some(inner) if inner.name == Name::Cell && !inner.exact => self.skip_tag(),
                Some(_) => {
                    self.note(Code::UnclosedElement, tag.start, "<depends_on>");
                    return;
                }
                None if self.is_end(self.at) => {
                    self.touched_end = true;
                    self.note(Code::UnclosedElement, tag.start, "<depends_on>");
                    return;
                }
                None => {
                    let at = self.at;
                    if let Some(comment) = self.comment() {
                        body.unknown.push((at, comment));
                        continue;
                    }
                    let stray = self.run();
                    let found = references(&stray);
                    if found.is_empty() {
                        self.no_reference(at, stray, body);
                    } else {
                        self.note(Code::LegacySpelling, at, first_words(&stray));
                        body.depends_on.extend(found);
                    }
                }
            }
        }
    }

    /// What stands among references and is none. Words (`none`) stay as a comment: they are not what the
    /// cell says; a comment cannot hold all of them.
    fn no_reference(&mut self, at: usize, stray: String, body: &mut Body) {
        if stray.starts_with('<') && !stray.starts_with(crate::scan::CDATA) {
            body.unknown.push((at, stray));
        } else if stray.starts_with('<') || stray.contains("--") {
            body.direct.push((at, stray));
        } else {
            self.note(Code::UnknownElement, at, first_words(&stray));
            body.unknown.push((at, format!("<!-- {stray} -->")));
        }
    }

    /// Whether a `<Cell …>` in an open `<depends_on>` is the next cell: it says what a reference never says.
    fn is_next_cell(&mut self, tag: &Tag) -> bool {
        let after = self.after_blank(tag.end);
        let inside = self.tag_at(after);
        Attribs::of(self.text, tag).any(|(name, _)| same_word(b"type", name.as_bytes()))
            || inside.is_some_and(|next| {
                matches!(next.name, Name::Value | Name::DependsOn) && next.shape == Shape::Open
            })
    }

    /// `<cell originator="…" seq="…"/>`
    fn reference(&mut self, tag: &Tag, body: &mut Body) {
        let attributes =
            Attribs::of(self.text, tag).map(|(name, value)| (name.to_owned(), text::attribute(value)));
        let mut given = Given {
            at: tag.start,
            attributes: attributes.collect(),
        };
        self.skip_tag();
        let seq = given.take(self, "seq").and_then(|word| number(&word));
        let originator = match (given.take(self, "originator"), given.take(self, "requester")) {
            (Some(name), _) => Some(name),
            (None, Some(name)) => {
                self.note(Code::LegacySpelling, tag.start, "requester");
                Some(name)
            }
            (None, None) => None,
        };
        let Some(originator) = originator.filter(|name| !name.is_empty()) else {
            self.note(Code::MissingOriginator, tag.start, "<cell>");
            body.unknown.push((
                tag.start,
                self.text[tag.start..tag.end].trim_ascii_end().to_owned(),
            ));
            return;
        };
        let seq = seq.unwrap_or_else(|| {
            let last = self.context.last(&originator).unwrap_or(0);
            self.note(Code::MissingSeq, tag.start, format!("{originator}:{last}"));
            last
        });
        let attributes = given.rest(self);
        let id = CellId { originator, seq };
        if !attributes.is_empty() {
            match body
                .reference_attributes
                .iter_mut()
                .find(|(known, _)| *known == id)
            {
                Some((_, known)) => known.extend(attributes),
                None => body.reference_attributes.push((id.clone(), attributes)),
            }
        }
        body.depends_on.push(id);
        // `</cell>` of a reference that was opened.
        if tag.shape == Shape::Open
            && let Some(next) = self.tags.get(self.tag).copied()
            && next.name == Name::Cell
            && next.shape == Shape::Close
            && text::is_blank(&self.text[self.at..next.start])
            && next.exact == tag.exact
        {
            self.skip_tag();
        }
    }
}

/// Two strays in a row are one: written one below the other they would be read so.
pub(super) fn push_stray(unknown: &mut Vec<String>, stray: String) {
    match unknown.last_mut().filter(|last| !is_comment(last)) {
        Some(last) => {
            last.push('\n');
            last.push_str(&stray);
        }
        None => unknown.push(stray),
    }
}

/// `User:0, Arena:1`
fn references(list: &str) -> Vec<CellId> {
    list.split([',', ';', '，', '、', ' ', '\n'])
        .filter_map(|word| {
            let (originator, seq) = word.trim().rsplit_once([':', '#'])?;
            let originator = originator.trim();
            (!originator.is_empty()).then_some(())?;
            Some(CellId {
                originator: originator.to_owned(),
                seq: number(seq)?,
            })
        })
        .collect()
}
