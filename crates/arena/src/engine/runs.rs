//! The runs of a canvas under their numbers, which are never given twice.
//!
//! Deliberately not here: what happens to them (`apply`).

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

use crate::model::CellId;

use super::{Run, RunId};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// The number of the first one: those of documents that were here before are gone.
    first: RunId,
    list: Vec<Run>,
    /// Those that have not ended may be from here on; everything before has.
    settled: usize,
    by_cell: HashMap<CellId, Vec<RunId>>,
}

impl Runs {
    pub fn get(&self, id: RunId) -> Option<&Run> {
        self.list.get(id.checked_sub(self.first)?)
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (RunId, &Run)> {
        self.list
            .iter()
            .enumerate()
            .map(|(at, run)| (self.first + at, run))
    }

    /// Those of a cell, oldest first.
    pub fn of_cell(&self, cell: &CellId) -> &[RunId] {
        self.by_cell.get(cell).map_or(&[], Vec::as_slice)
    }

    /// The number of the next one.
    pub fn next(&self) -> RunId {
        self.first + self.list.len()
    }

    /// Those that have not ended, oldest first.
    pub fn active(&self) -> impl Iterator<Item = (RunId, &Run)> {
        let open = self.list.iter().enumerate().skip(self.settled);
        open.filter(|(_, run)| run.is_active())
            .map(|(at, run)| (self.first + at, run))
    }

    pub(super) fn push(&mut self, run: Run) -> RunId {
        while self.list.get(self.settled).is_some_and(|run| !run.is_active()) {
            self.settled += 1;
        }
        let id = self.next();
        self.by_cell.entry(run.cell.clone()).or_default().push(id);
        self.list.push(run);
        id
    }

    /// None of these, and the numbers go on.
    pub(super) fn emptied(&self) -> Runs {
        Runs {
            first: self.next(),
            ..Runs::default()
        }
    }
}

impl Index<RunId> for Runs {
    type Output = Run;

    fn index(&self, id: RunId) -> &Run {
        &self.list[id - self.first]
    }
}

impl IndexMut<RunId> for Runs {
    fn index_mut(&mut self, id: RunId) -> &mut Run {
        &mut self.list[id - self.first]
    }
}
