//! A tool's log as the window shows it: records by number, kept up while somebody looks.
//!
//! Deliberately not here: the pages that models read ([`crate::modes`]), and the file.

use crate::catalog::blocking;
use crate::modes::log_query;
use crate::run_log::{self, Found, RunLogs, Search, Wanted, Window};
use crate::toolbox::{Toolbox, unreadable};
use base::Failure;
use base::name::ToolName;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

/// How long a look waits for a change.
const WAIT: Duration = Duration::from_secs(20);
/// A tool that writes without a pause is looked at twenty times a second.
const GATHER: Duration = Duration::from_millis(50);

impl Toolbox {
    /// The records wanted, as they are now. With `unlike`, the stamp of an earlier answer, it waits
    /// until the log differs from that, at most 20 s and not beyond `ending`.
    pub async fn log_window(
        &self,
        tool: &ToolName,
        wanted: Wanted,
        unlike: Option<String>,
        ending: &CancellationToken,
    ) -> Result<Window, Failure> {
        self.log_file(tool).await?.window(wanted, unlike, ending).await
    }

    /// The next record that holds a text.
    pub async fn log_find(&self, tool: &ToolName, search: Search) -> Result<Found, Failure> {
        self.log_file(tool).await?.find(search).await
    }

    /// A log can be read though its tool is broken.
    async fn log_file(&self, tool: &ToolName) -> Result<LogFile<'_>, Failure> {
        self.known(tool).await?;
        let path = self.inner.home.tool(tool).join(run_log::FILE);
        Ok(LogFile::new(&self.inner.logs, tool, path))
    }
}

/// One log for those who look at it.
pub struct LogFile<'l> {
    logs: &'l RunLogs,
    path: PathBuf,
    tool: ToolName,
}

impl<'l> LogFile<'l> {
    /// `path`: where `logs` keeps the log of `tool`.
    pub fn new(logs: &'l RunLogs, tool: &ToolName, path: PathBuf) -> Self {
        LogFile {
            logs,
            path,
            tool: tool.clone(),
        }
    }

    /// As [`Toolbox::log_window`].
    pub async fn window(
        &self,
        wanted: Wanted,
        unlike: Option<String>,
        ending: &CancellationToken,
    ) -> Result<Window, Failure> {
        let deadline = Instant::now() + WAIT;
        // Before the look: what is written between look and wait is seen.
        let mut changes = self.logs.changes(&self.tool);
        let waiting = unlike.is_some();
        if !waiting {
            self.flushed().await?;
        }
        let mut unlike = unlike;
        loop {
            changes.mark_unchanged();
            if let Some(window) = self.look(wanted, unlike.clone()).await? {
                return Ok(window);
            }
            let came = tokio::select! {
                changed = changes.changed() => changed.is_ok(),
                () = sleep_until(deadline) => false,
                () = ending.cancelled() => false,
            };
            match came {
                true => tokio::select! {
                    () = sleep(GATHER) => {},
                    () = ending.cancelled() => {},
                },
                // Answered as it is.
                false => unlike = None,
            }
        }
    }

    /// As [`Toolbox::log_find`].
    pub async fn find(&self, search: Search) -> Result<Found, Failure> {
        self.flushed().await?;
        let (reader, path, tool) = (self.logs.reader(), self.path.clone(), self.tool.clone());
        let found = blocking(move || reader.find(&tool, &path, &search)).await;
        found.map_err(|error| unreadable(&self.path, &error))
    }

    /// Lines as models and the command line read them, by the parameters of the mode `log`.
    pub async fn page(&self, parameters: &Map<String, Value>) -> Result<Vec<String>, Failure> {
        let query = log_query(parameters)?;
        self.flushed().await?;
        let path = self.path.clone();
        let page = blocking(move || run_log::read(&path, &query)).await;
        Ok(page.map_err(|error| unreadable(&self.path, &error))?.lines)
    }

    async fn flushed(&self) -> Result<(), Failure> {
        let log = self.logs.of(&self.tool, run_log::Secrets::default());
        Ok(log.flush().await?)
    }

    async fn look(&self, wanted: Wanted, unlike: Option<String>) -> Result<Option<Window>, Failure> {
        let (reader, path, tool) = (self.logs.reader(), self.path.clone(), self.tool.clone());
        let window = blocking(move || reader.window(&tool, &path, wanted, unlike.as_deref())).await;
        window.map_err(|error| unreadable(&self.path, &error))
    }
}
