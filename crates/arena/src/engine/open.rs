//! Taking a document over: its cells, and the runs that can be told from them.
//!
//! Deliberately not here: reading the text (`read`).

use std::collections::{BTreeSet, HashMap};

use crate::{
    model::{Cell, CellId, CellType, Entry, EntryType, Part, ValueType},
    read,
};

use super::{Outcome, Phase, Run, State, note::Note};

impl State {
    /// Takes over the first canvas of a text, and the runs that can be told from it: what has an
    /// output has run, and what waits for an input still waits. Runs go on being counted: what an
    /// effect of the document before still brings belongs to none of these.
    pub(super) fn open(&mut self, text: &str, notes: &mut Vec<Note>) {
        let arena = self.arena.clone();
        let settled = read::read(text, &arena).settled(&arena, self.lang);
        let canvas = settled.parts.into_iter().find_map(|part| match part {
            Part::Canvas(canvas) => Some(canvas),
            Part::Prose(_) => None,
        });
        let types = std::mem::take(&mut self.types);
        let runs = self.runs.emptied();
        *self = State {
            types,
            runs,
            automatic: self.automatic,
            paused: self.paused,
            ..State::new(arena, self.lang)
        };
        let Some(canvas) = canvas else { return };
        self.canvas.attributes = canvas.attributes;
        for entry in canvas.entries {
            match entry {
                Entry::Cell(cell) => self.push(*cell),
                other => self.canvas.entries.push(other),
            }
        }
        let cells: Vec<Cell> = self.canvas.cells().cloned().collect();
        let outputs = Outputs::of(&cells);
        for cell in &cells {
            // Of two cells of one name the first has it.
            if !self.executes(cell) || self.cell(&cell.id()) != Some(cell) {
                continue;
            }
            if let Some(run) = self.run_of_document(cell, &outputs) {
                self.runs.push(run);
            }
        }
        notes.push(Note::Opened { cells: cells.len() });
        self.take_inputs(&cells, &outputs, notes);
    }

    /// Inputs that were written down before their run went on, and those that nobody has asked for.
    fn take_inputs(&mut self, cells: &[Cell], outputs: &Outputs<'_>, notes: &mut Vec<Note>) {
        for cell in cells.iter().filter(|cell| cell.kind == CellType::Input) {
            let id = cell.id();
            if outputs.used.contains(&id) {
                continue;
            }
            match self.run_that_asks(cell) {
                Some(run) => self.answer(run, &id, notes),
                None => self.early.push(id),
            }
        }
    }

    /// The last run of a cell, as its outputs tell it.
    fn run_of_document(&self, cell: &Cell, outputs: &Outputs<'_>) -> Option<Run> {
        let id = cell.id();
        let all = outputs.of_cell(&id);
        let last = *all.last()?;
        // What goes on behind an input names it; the first output of a run names none.
        let begins = all
            .iter()
            .rposition(|output| outputs.inputs(output).next().is_none())
            .unwrap_or(0);
        let own = &all[begins..];
        let mut inputs: Vec<CellId> = Vec::new();
        for input in own.iter().flat_map(|output| outputs.inputs(output)) {
            if !inputs.contains(input) {
                inputs.push(input.clone());
            }
        }
        Some(Run {
            route: self.route_of(cell),
            text: cell.text().to_owned(),
            phase: phase_of(last),
            answers: inputs
                .iter()
                .map(|input| self.cell(input).map_or("", Cell::text).to_owned())
                .collect(),
            calls: Vec::new(),
            by: String::new(),
            imported: true,
            inputs,
            outputs: own.iter().map(|output| output.id()).collect(),
            cell: id,
        })
    }
}

fn phase_of(last: &Cell) -> Phase {
    if let Some(from) = last.waits_for().next() {
        return Phase::Waiting {
            output: last.id(),
            from: from.to_owned(),
            hint: last.text().to_owned(),
        };
    }
    let kind = last.value.as_ref().and_then(|value| value.kind.as_ref());
    let failed = last.logs.iter().any(|log| log.kind == Some(EntryType::Error));
    Phase::Finished(match kind {
        // A question that waits no more was given up.
        Some(ValueType::InputHint) => Outcome::Interrupted,
        _ if failed => Outcome::Failed,
        _ => Outcome::Done,
    })
}

/// The outputs of a document by the cell that they depend on.
struct Outputs<'d> {
    all: HashMap<&'d CellId, Vec<&'d Cell>>,
    inputs: BTreeSet<CellId>,
    /// Inputs that an output goes on behind.
    used: BTreeSet<&'d CellId>,
}

impl<'d> Outputs<'d> {
    fn of(cells: &'d [Cell]) -> Self {
        let is_input = |cell: &&Cell| cell.kind == CellType::Input;
        let inputs: BTreeSet<CellId> = cells.iter().filter(is_input).map(Cell::id).collect();
        let mut found = Outputs {
            all: HashMap::new(),
            inputs,
            used: BTreeSet::new(),
        };
        for cell in cells.iter().filter(|cell| cell.kind == CellType::Output) {
            for needed in &cell.depends_on {
                found.all.entry(needed).or_default().push(cell);
                if found.inputs.contains(needed) {
                    found.used.insert(needed);
                }
            }
        }
        found
    }

    fn of_cell(&self, id: &CellId) -> &[&'d Cell] {
        self.all.get(id).map_or(&[], Vec::as_slice)
    }

    fn inputs<'s>(&'s self, output: &'d Cell) -> impl Iterator<Item = &'d CellId> + 's {
        output
            .depends_on
            .iter()
            .filter(|needed| self.inputs.contains(needed))
    }
}
