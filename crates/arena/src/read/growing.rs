//! A text that grows: a model writes it, a log is followed, an editor appends. What can no longer
//! change is kept; only the open tail is read again. Appending whole cells costs what the cells cost,
//! however long the document already is.
//!
//! Deliberately not here: editing in the middle. The window reads the canvas again for that.

use crate::{
    diagnostic::{Code, Diagnostic},
    model::{Canvas, Document, Part},
};

use super::{Context, Lines, Place, Reader, Reading};

/// Reads a text piece by piece; after every piece the reading is the one of the whole text so far.
#[derive(Clone, Debug)]
pub struct Growing {
    arena: String,
    settled: Reading,
    context: Context,
    place: Place,
    /// Lines and characters before the tail.
    lines: usize,
    columns: usize,
    tail: String,
    /// What the tail reads as; the first part may go on the last settled one.
    open: Reading,
}

impl Growing {
    pub fn new(arena: impl Into<String>) -> Self {
        Growing {
            arena: arena.into(),
            settled: Reading::default(),
            context: Context::default(),
            place: Place::Outside,
            lines: 0,
            columns: 0,
            tail: String::new(),
            open: Reading::default(),
        }
    }

    /// How many bytes the next piece makes the reader look at again.
    pub fn open_bytes(&self) -> usize {
        self.tail.len()
    }

    /// The entries that cannot change any more.
    pub fn settled(&self) -> &Document {
        &self.settled.document
    }

    /// The reading of everything so far, as `read` would give it.
    pub fn reading(&self) -> Reading {
        let mut whole = self.settled.clone();
        join(&mut whole, self.open.clone(), self.place);
        whole
    }

    pub fn append(&mut self, text: &str) {
        self.tail.push_str(text);
        let mut reader = Reader::new(&self.tail, &self.arena, self.context.clone());
        reader.document(self.place);
        let settled = reader.settled;
        let lines = Lines::new(&self.tail);
        let (lines_before, columns_before) = (self.lines, self.columns);
        let place = |offset: usize| match lines.place(offset) {
            (1, column) => (lines_before + 1, columns_before + column),
            (line, column) => (lines_before + line, column),
        };
        let worded = |notes: &mut [(usize, Code, String)]| -> Vec<Diagnostic> {
            let mut diagnostics = lines.diagnostics(notes);
            for (diagnostic, (at, _, _)) in diagnostics.iter_mut().zip(notes.iter()) {
                (diagnostic.line, diagnostic.column) = place(*at);
            }
            diagnostics
        };
        let mut late_notes = reader.notes.split_off(settled.notes);
        let mut made = Reading {
            document: Document { parts: reader.parts },
            diagnostics: worded(&mut reader.notes),
            places: reader
                .places
                .iter()
                .map(|at| at.iter().map(|at| place(*at)).collect())
                .collect(),
            inferences: reader.inferences,
        };
        let mut late = Reading {
            diagnostics: worded(&mut late_notes),
            ..Reading::default()
        };
        split(
            &mut made,
            &mut late,
            settled.parts,
            settled.entries,
            settled.place,
        );
        late.inferences = made.inferences.split_off(settled.inferences);
        let shared = usize::from(settled.place != Place::Outside);
        for inference in &mut late.inferences {
            inference.part -= settled.parts - shared;
            if inference.part == 0 && shared == 1 {
                inference.entry -= settled.entries;
            }
        }
        for (index, part) in made.document.parts.iter().enumerate() {
            let Part::Canvas(canvas) = part else { continue };
            if index > 0 || self.place == Place::Outside {
                self.context = Context::default();
            }
            canvas.cells().for_each(|cell| self.context.saw(cell));
        }
        let (line, column) = place(settled.at);
        join(&mut self.settled, made, self.place);
        self.open = late;
        self.place = settled.place;
        self.lines = line - 1;
        self.columns = column - 1;
        self.tail.drain(..settled.at);
    }
}

/// Moves what is not settled from `made` to `late`; within a canvas, the rest of it goes along.
fn split(made: &mut Reading, late: &mut Reading, parts: usize, entries: usize, place: Place) {
    late.document.parts = made.document.parts.split_off(parts);
    late.places = made.places.split_off(parts);
    if place == Place::Outside {
        return;
    }
    if let (Some(Part::Canvas(canvas)), Some(places)) =
        (made.document.parts.last_mut(), made.places.last_mut())
    {
        let rest = Canvas {
            attributes: Vec::new(),
            entries: canvas.entries.split_off(entries),
        };
        late.document.parts.insert(0, Part::Canvas(rest));
        late.places.insert(0, places.split_off(entries));
    }
}

/// Appends a reading that began at `place`: in a canvas, its first part goes on with the last one.
fn join(whole: &mut Reading, more: Reading, place: Place) {
    let mut parts = more.document.parts.into_iter();
    let mut places = more.places.into_iter();
    let mut inferences = more.inferences;
    let before = whole.document.parts.len();
    let shared = usize::from(place != Place::Outside);
    if shared == 1
        && let (Some(Part::Canvas(canvas)), Some(entries)) =
            (whole.document.parts.last_mut(), whole.places.last_mut())
    {
        for inference in inferences.iter_mut().filter(|inference| inference.part == 0) {
            inference.entry += canvas.entries.len();
        }
        if let Some(Part::Canvas(rest)) = parts.next() {
            canvas.entries.extend(rest.entries);
        }
        entries.extend(places.next().into_iter().flatten());
    }
    for inference in &mut inferences {
        inference.part += before - shared;
    }
    whole.document.parts.extend(parts);
    whole.places.extend(places);
    whole.inferences.extend(inferences);
    whole.diagnostics.extend(more.diagnostics);
}
