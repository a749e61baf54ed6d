//! Who depends on whom, as the engine asks.
//!
//! Deliberately not here: judging the graph (`check`).

use std::collections::BTreeSet;

use crate::model::CellId;

use super::State;

impl State {
    /// Everything that this cell depends on, however far.
    pub(super) fn upstream(&self, id: &CellId) -> BTreeSet<CellId> {
        let mut found = BTreeSet::new();
        let mut open = vec![id.clone()];
        while let Some(at) = open.pop() {
            let Some(cell) = self.cell(&at) else { continue };
            for needed in &cell.depends_on {
                if found.insert(needed.clone()) {
                    open.push(needed.clone());
                }
            }
        }
        found
    }

    /// Everything that depends on this cell, in the order of the document. One pass finds what
    /// stands behind what it needs; a document out of order takes more of them.
    pub(super) fn downstream(&self, id: &CellId) -> Vec<CellId> {
        let mut found = BTreeSet::from([id.clone()]);
        loop {
            let before = found.len();
            for cell in self.canvas.cells() {
                if cell.depends_on.iter().any(|needed| found.contains(needed)) {
                    found.insert(cell.id());
                }
            }
            if found.len() == before {
                break;
            }
        }
        found.remove(id);
        self.canvas
            .cells()
            .map(|cell| cell.id())
            .filter(|id| found.remove(id))
            .collect()
    }
}
