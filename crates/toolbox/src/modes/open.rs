//! What comes with a call beside its parameters, and a run as others see it while it is open.
//!
//! Deliberately not here: who watches and how. The server keeps the open runs; a run only says
//! what happens to it.

use super::Words;
use crate::model::Property;
use crate::run_log::{Level, Record, RunLog};
use base::Failure;
use base::name::ToolName;
use runtime::host::Observer;
use runtime::protocol;
use serde_json::{Map, Value};
use std::pin::Pin;
use store::Actor;
use tokio_util::sync::CancellationToken;

/// Who calls, and on what terms.
pub struct Call<'c> {
    pub actor: &'c Actor,
    /// Called off from outside: the client went away, or the owner ends.
    pub cancel: CancellationToken,
    pub words: &'c dyn Words,
    /// The id that the caller chose for the run.
    pub run: Option<String>,
    pub runs: &'c dyn Runs,
    pub asks: &'c dyn Asks,
}

/// Asks a person for what a tool cannot do without.
pub trait Asks: Send + Sync {
    /// Values of required variables that are not set; `None` when she gave none.
    fn values<'a>(&'a self, tool: &'a ToolName, lacking: &'a [&'a Property]) -> Values<'a>;
}

pub type Values<'a> = Pin<Box<dyn Future<Output = Option<Map<String, Value>>> + Send + 'a>>;

/// There is nobody to ask.
pub struct Nobody;

impl Asks for Nobody {
    fn values<'a>(&'a self, _tool: &'a ToolName, _lacking: &'a [&'a Property]) -> Values<'a> {
        Box::pin(std::future::ready(None))
    }
}

/// The runs that are open now.
pub trait Runs: Send + Sync {
    /// Opens a run; refuses an id that another one has. `cancel` calls it off from outside.
    fn open(
        &self,
        run: &str,
        subject: &str,
        actor: &Actor,
        cancel: &CancellationToken,
    ) -> Result<Box<dyn OpenRun>, Failure>;
}

/// A run from its beginning until this is dropped. Must not block.
pub trait OpenRun: Send + Sync {
    /// Nothing secret: lines travel.
    fn line(&self, line: Line);
    fn progress(&self, done: f64, total: Option<f64>, text: Option<String>);
    /// The last lines, oldest first.
    fn lines(&self) -> Vec<Line>;
    /// Called off, from outside or by whoever watches.
    fn cancel(&self) -> CancellationToken;
    /// It is over but for its record: it is no longer among the open ones.
    fn over(&self);
}

/// A line that a run wrote; of a command a piece of its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Milliseconds since the epoch.
    pub at: i64,
    pub level: Level,
    /// Of a command.
    pub stream: Option<Stream>,
    pub text: String,
}

/// Which of a command's two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// Passes what a worker says to the tool's log and to those who watch: plain text in both, with
/// secrets masked.
pub(super) struct Heard<'r> {
    pub log: &'r RunLog,
    pub open: &'r dyn OpenRun,
}

impl Observer for Heard<'_> {
    fn log(&self, level: protocol::Level, text: String) {
        let record = Record::now(level_of(level), text);
        self.open.line(Line {
            at: record.at_ms,
            level: record.level,
            stream: None,
            text: self.log.cleaned(&record.message),
        });
        self.log.offer(record);
    }

    fn progress(&self, done: f64, total: Option<f64>, text: Option<String>) {
        let text = text.map(|text| self.log.cleaned(&text));
        self.open.progress(done, total, text);
    }
}

pub fn level_of(level: protocol::Level) -> Level {
    match level {
        protocol::Level::Debug => Level::Debug,
        protocol::Level::Info => Level::Info,
        protocol::Level::Warn => Level::Warn,
        protocol::Level::Error => Level::Error,
    }
}
