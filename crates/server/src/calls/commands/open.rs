//! Commands that run now, or wait for a person, as they are listed. Their output and the way to call
//! them off are with the open runs (`live`).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use wire::CommandRow;

/// Commands that are open now, with the subject of their task.
#[derive(Default)]
pub(crate) struct OpenCommands {
    rows: Mutex<HashMap<String, (String, CommandRow)>>,
}

impl OpenCommands {
    pub(super) fn begin(&self, row: CommandRow, subject: &str) -> OpenRow<'_> {
        let run = row.run.clone();
        self.lock().insert(run.clone(), (subject.to_owned(), row.clone()));
        OpenRow { open: self, run, row }
    }

    /// Newest first.
    pub(super) fn of(&self, subject: &str) -> Vec<CommandRow> {
        let rows = self.lock();
        let own = rows.values().filter(|(of, _)| of == subject);
        let mut own: Vec<CommandRow> = own.map(|(_, row)| row.clone()).collect();
        own.sort_by(|a, b| {
            b.started_at
                .total_cmp(&a.started_at)
                .then_with(|| b.run.cmp(&a.run))
        });
        own
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, (String, CommandRow)>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command among the open ones, until this is dropped.
pub(super) struct OpenRow<'o> {
    open: &'o OpenCommands,
    run: String,
    row: CommandRow,
}

impl OpenRow<'_> {
    pub(super) fn change(&self, change: impl FnOnce(&mut CommandRow)) {
        if let Some((_, row)) = self.open.lock().get_mut(&self.run) {
            change(row);
        }
    }

    /// As it is now.
    pub(super) fn take(&self) -> CommandRow {
        let row = self.open.lock().get(&self.run).map(|(_, row)| row.clone());
        row.unwrap_or_else(|| self.row.clone())
    }
}

impl Drop for OpenRow<'_> {
    fn drop(&mut self) {
        self.open.lock().remove(&self.run);
    }
}
