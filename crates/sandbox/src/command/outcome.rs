//! What came of a command.

use super::captured::{Captured, DEFAULT_CAP};
use crate::facts::Tier;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// A piece of output as it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub stream: Stream,
    pub bytes: Vec<u8>,
    /// Bytes of this stream before this piece that nobody took in time.
    pub missed: u64,
}

/// How a command is watched.
#[derive(Clone, Debug)]
pub struct Watching {
    /// From the start; then the whole tree is killed. `None`: as long as it likes.
    pub limit: Option<Duration>,
    /// Bytes kept of each stream.
    pub cap: usize,
    /// Takes the output while it comes. A full channel holds nothing up: what it does not take
    /// is counted as missed.
    pub live: Option<mpsc::Sender<Chunk>>,
}

impl Default for Watching {
    fn default() -> Self {
        Watching {
            limit: Some(Duration::from_secs(60)),
            cap: DEFAULT_CAP,
            live: None,
        }
    }
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, or by a signal from inside.
    Exited,
    TimedOut,
    /// By [`Running::stop`](crate::Running::stop).
    Stopped,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// 128 + n when signal n ended it.
    pub exit_code: i32,
    pub ended: Ended,
    pub stdout: Captured,
    pub stderr: Captured,
    pub tier: Tier,
    pub took: Duration,
    /// From the decision to kill until the last process was dead.
    pub killing: Option<Duration>,
    /// Whether it is certain that nothing of it lives: the kernel emptied its namespace, or its
    /// supervisor had no descendant left. Only a supervisor that was killed itself is uncertain.
    pub swept: bool,
    /// What it left in `.git` to lead git to hooks or settings of its own; removed.
    pub removed: Vec<PathBuf>,
    /// What it made and left: whoever uses git there runs it.
    pub git: Vec<GitDanger>,
}

/// A repository with hooks or settings that run programs and were not there before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GitDanger {
    /// Below the workspace.
    pub place: PathBuf,
    /// Files of hooks and names of settings; technical.
    pub what: Vec<String>,
}
