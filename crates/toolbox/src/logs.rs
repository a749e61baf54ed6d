//! A tool's log as the window shows it: records by number, kept up while somebody looks.
//!
//! Deliberately not here: the pages that models read ([`crate::modes`]), and the file.

use crate::catalog::blocking;
use crate::run_log::{self, Found, Reader, Search, Wanted, Window};
use crate::toolbox::{Toolbox, unreadable};
use base::Failure;
use base::name::ToolName;
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
        let log = self.log_file(tool).await?;
        let deadline = Instant::now() + WAIT;
        // Before the look: what is written between look and wait is seen.
        let mut changes = self.inner.logs.changes(tool);
        let waiting = unlike.is_some();
        if !waiting {
            self.log_flushed(tool).await?;
        }
        let mut unlike = unlike;
        loop {
            changes.mark_unchanged();
            if let Some(window) = log.window(wanted, unlike.clone()).await? {
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

    /// The next record that holds a text.
    pub async fn log_find(&self, tool: &ToolName, search: Search) -> Result<Found, Failure> {
        let log = self.log_file(tool).await?;
        self.log_flushed(tool).await?;
        let LogFile { reader, path, tool } = log;
        let shown = path.clone();
        let found = blocking(move || reader.find(&tool, &path, &search)).await;
        found.map_err(|error| unreadable(&shown, &error))
    }

    async fn log_flushed(&self, tool: &ToolName) -> Result<(), Failure> {
        let log = self.inner.logs.of(tool, run_log::Secrets::default());
        Ok(log.flush().await?)
    }

    /// A log can be read though its tool is broken.
    async fn log_file(&self, tool: &ToolName) -> Result<LogFile, Failure> {
        self.known(tool).await?;
        Ok(LogFile {
            reader: self.inner.logs.reader(),
            path: self.inner.home.tool(tool).join(run_log::FILE),
            tool: tool.clone(),
        })
    }
}

struct LogFile {
    reader: Reader,
    path: PathBuf,
    tool: ToolName,
}

impl LogFile {
    async fn window(&self, wanted: Wanted, unlike: Option<String>) -> Result<Option<Window>, Failure> {
        let (reader, path, tool) = (self.reader.clone(), self.path.clone(), self.tool.clone());
        let window = blocking(move || reader.window(&tool, &path, wanted, unlike.as_deref())).await;
        window.map_err(|error| unreadable(&self.path, &error))
    }
}
