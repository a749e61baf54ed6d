//! `run.log` of a tool: what its runs said (seed 002 section 6.3).
//!
//! One thread writes the logs of all tools, so that nothing is lost between two writers or between
//! a writer and the rotation: whoever wants to write, flush or clean asks it. Lines are collected
//! (10 records or 100 ms) and go out as one write.
//!
//! Deliberately not here: what happened in a run beyond its lines (rows in the store), and lines of
//! runs that are open now; [`RunLogs::start`] takes an observer for that.

mod changes;
mod index;
mod lines;
mod page;
mod record;
mod rotation;
mod secrets;
mod window;
mod writer;

pub use index::Levels;
pub use page::{Page, Pick, Query, read};
pub use record::{Level, Record, duration_text, failed, finished, legible, size_text, started};
pub use rotation::Cleaned;
pub use secrets::Secrets;
pub(crate) use secrets::mask_named;
pub use window::{
    Direction, Found, MAX_RECORDS, MAX_SEARCHED, MAX_TEXT, MAX_WINDOW, Search, Seen, Wanted, Window,
};
pub use writer::Written;

use base::name::ToolName;
use base::{Args, Coded, DataHome, args, clock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::watch;
use window::Indexes;
use writer::Shared;

/// The file's name in the tool's folder.
pub const FILE: &str = "run.log";
/// A batch is written when it has this many records …
pub const BATCH_RECORDS: usize = 10;
/// … or when its first is this old.
pub const BATCH_AGE: Duration = Duration::from_millis(100);
/// Older records are removed.
pub const MAX_AGE: Duration = Duration::from_hours(3);
/// Over this size only the newest lines stay.
pub const MAX_BYTES: u64 = 10 * 1024 * 1024;
/// How many.
pub const KEPT_LINES: usize = 1000;

#[derive(Clone, Debug, thiserror::Error)]
pub enum RunLogError {
    #[error("{path}: {reason}")]
    Io { path: PathBuf, reason: String },
    #[error("the log writer has ended")]
    Closed,
}

impl Coded for RunLogError {
    fn code(&self) -> &'static str {
        match self {
            RunLogError::Io { .. } => "run_log_io",
            RunLogError::Closed => "run_log_closed",
        }
    }

    fn args(&self) -> Args {
        match self {
            RunLogError::Io { path, reason } => args! { path: path, reason: reason },
            RunLogError::Closed => args! {},
        }
    }
}

/// The writer of all run logs. Dropping it writes what is pending.
#[derive(Debug)]
pub struct RunLogs {
    shared: Arc<Shared>,
    indexes: Arc<Indexes>,
    thread: Option<JoinHandle<()>>,
}

/// Reads logs by the numbers of their records; cheap to clone. It blocks, and sees what is in the
/// file: flush before.
#[derive(Clone, Debug)]
pub struct Reader {
    indexes: Arc<Indexes>,
}

/// One tool's log; cheap to clone, the same file for all runs of the tool.
#[derive(Clone, Debug)]
pub struct RunLog {
    shared: Arc<Shared>,
    tool: ToolName,
    secrets: Arc<Secrets>,
}

impl RunLogs {
    /// Those of tools. Starts the thread. `observer` is called on it after every write, with what was
    /// written; it must not block.
    pub fn start(home: DataHome, observer: impl Fn(Written<'_>) + Send + 'static) -> std::io::Result<Self> {
        Self::start_in(home.toolbox(), observer)
    }

    /// Logs of others, in a folder each below `folder`.
    pub fn start_in(
        folder: PathBuf,
        observer: impl Fn(Written<'_>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new());
        let for_thread = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("run-log".to_owned())
            .spawn(move || writer::run(&for_thread, &folder, &observer))?;
        Ok(RunLogs {
            shared,
            indexes: Arc::new(Indexes::new()),
            thread: Some(thread),
        })
    }

    /// The log of one tool, with the values that must not appear in it.
    pub fn of(&self, tool: &ToolName, secrets: Secrets) -> RunLog {
        RunLog {
            shared: Arc::clone(&self.shared),
            tool: tool.clone(),
            secrets: Arc::new(secrets),
        }
    }

    /// Reads the logs of all tools.
    pub fn reader(&self) -> Reader {
        Reader {
            indexes: Arc::clone(&self.indexes),
        }
    }

    /// Sees every change of a tool's file that the writer makes from now on.
    pub fn changes(&self, tool: &ToolName) -> watch::Receiver<()> {
        self.shared.changes.of(tool)
    }

    /// Cleans the logs of all tools: the hourly task.
    pub async fn clean_all(&self) -> Result<Vec<(ToolName, Cleaned)>, RunLogError> {
        self.clean_all_at(clock::now_ms()).await
    }

    /// [`RunLogs::clean_all`] as if it were `now_ms`.
    pub async fn clean_all_at(&self, now_ms: i64) -> Result<Vec<(ToolName, Cleaned)>, RunLogError> {
        let answer = self.shared.clean_all(now_ms)?;
        answer.await.map_err(|_| RunLogError::Closed)
    }
}

impl Drop for RunLogs {
    fn drop(&mut self) {
        self.shared.close();
        if let Some(thread) = self.thread.take() {
            // The thread catches its own errors; a panic there was already reported.
            let _ = thread.join();
        }
    }
}

impl Reader {
    /// The records wanted, or `None` when the log is still like the stamp `unlike`.
    pub fn window(
        &self,
        tool: &ToolName,
        path: &Path,
        wanted: Wanted,
        unlike: Option<&str>,
    ) -> std::io::Result<Option<Window>> {
        self.indexes.window(tool, path, wanted, unlike)
    }

    /// The next record that holds a text, and how many do.
    pub fn find(&self, tool: &ToolName, path: &Path, search: &Search) -> std::io::Result<Found> {
        self.indexes.find(tool, path, search)
    }
}

impl RunLog {
    pub fn tool(&self) -> &ToolName {
        &self.tool
    }

    /// Text as a record has it, for those who watch: plain, secrets masked.
    pub fn cleaned(&self, text: &str) -> String {
        record::cleaned(text, &self.secrets)
    }

    /// [`RunLog::masked`] for the last part of a text.
    pub fn masked_tail(&self, text: &str) -> String {
        self.secrets.mask_tail(text)
    }

    /// Text with this log's secrets masked, for texts that go elsewhere.
    pub fn masked(&self, text: &str) -> String {
        self.secrets.mask(text)
    }

    /// Adds a record; waits while too much is pending.
    pub async fn append(&self, record: Record) -> Result<(), RunLogError> {
        let text = record.to_text(&self.secrets);
        self.shared.append(&self.tool, text).await
    }

    /// Adds a record from where waiting is impossible. When too much is pending the record is
    /// dropped, which the log then says.
    pub fn offer(&self, record: Record) {
        self.shared.offer(&self.tool, record.to_text(&self.secrets));
    }

    /// Resolves when everything added before is in the file. (A kill of this program does not undo
    /// that; a power failure may: a log is not worth an fsync for every run.)
    pub async fn flush(&self) -> Result<(), RunLogError> {
        let answer = self.shared.flush(&self.tool)?;
        answer.await.map_err(|_| RunLogError::Closed)?
    }

    /// Removes what is too old or too much.
    pub async fn clean(&self) -> Result<Cleaned, RunLogError> {
        self.clean_at(clock::now_ms()).await
    }

    /// [`RunLog::clean`] as if it were `now_ms`.
    pub async fn clean_at(&self, now_ms: i64) -> Result<Cleaned, RunLogError> {
        let answer = self.shared.clean(&self.tool, now_ms)?;
        answer.await.map_err(|_| RunLogError::Closed)?
    }
}
