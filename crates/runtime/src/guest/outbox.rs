//! The writing end of the pipe.

use crate::protocol::{FrameError, FromGuest, Level, write_frame};
use std::cell::Cell;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// Characters of one log message; the rest is cut and said to be.
const MESSAGE_LIMIT: usize = 64 * 1024;
/// Bytes of log of one run; what comes after is counted, not sent.
const RUN_LIMIT: usize = 8 * 1024 * 1024;

pub(crate) struct Outbox {
    stream: Arc<UnixStream>,
    logged: Cell<usize>,
    dropped: Cell<u64>,
}

impl Outbox {
    pub(crate) fn new(stream: Arc<UnixStream>) -> Self {
        Outbox {
            stream,
            logged: Cell::new(0),
            dropped: Cell::new(0),
        }
    }

    pub(crate) fn send(&self, message: &FromGuest, blob: &[u8]) -> Result<(), FrameError> {
        write_frame(&*self.stream, message, blob)
    }

    pub(crate) fn log(&self, level: Level, mut text: String) {
        if text.len() > MESSAGE_LIMIT {
            let cut = text.floor_char_boundary(MESSAGE_LIMIT);
            let rest = text.len() - cut;
            text.truncate(cut);
            text.push_str(&format!("… (+{rest} bytes)"));
        }
        let logged = self.logged.get() + text.len();
        if logged > RUN_LIMIT {
            self.dropped.set(self.dropped.get() + 1);
            return;
        }
        self.logged.set(logged);
        // A broken pipe means that the owner is gone; the reading thread sees it and ends us.
        let _ = self.send(&FromGuest::Log { level, text }, &[]);
    }

    /// Starts the next run's allowance, after saying what the last one lost.
    pub(crate) fn end_run(&self) {
        let dropped = self.dropped.replace(0);
        self.logged.set(0);
        if dropped > 0 {
            self.log(
                Level::Warn,
                format!("{dropped} log messages over the limit of {RUN_LIMIT} bytes were dropped"),
            );
        }
    }
}
