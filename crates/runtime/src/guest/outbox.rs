//! The writing end of the pipe.

use crate::protocol::{
    FrameError, FromGuest, LOG_LIMIT, Level, MESSAGE_COST, MESSAGE_LIMIT, PROGRESS_TEXT, cut, write_frame,
};
use std::cell::{Cell, RefCell};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often progress is told, and how far ahead of that it may be: people read it.
const PROGRESS_EACH: Duration = Duration::from_millis(10);
const PROGRESS_AHEAD: Duration = Duration::from_secs(1);

pub(crate) struct Outbox {
    stream: Arc<UnixStream>,
    logged: Cell<usize>,
    dropped: Cell<u64>,
    /// When the progress told so far would have been due.
    told: Cell<Instant>,
    /// The newest that was not told yet.
    untold: RefCell<Option<FromGuest>>,
}

impl Outbox {
    pub(crate) fn new(stream: Arc<UnixStream>) -> Self {
        Outbox {
            stream,
            logged: Cell::new(0),
            dropped: Cell::new(0),
            told: Cell::new(Instant::now()),
            untold: RefCell::default(),
        }
    }

    pub(crate) fn send(&self, message: &FromGuest, blob: &[u8]) -> Result<(), FrameError> {
        write_frame(&*self.stream, message, blob)
    }

    pub(crate) fn log(&self, level: Level, mut text: String) {
        cut(&mut text, MESSAGE_LIMIT);
        let logged = self.logged.get() + text.len() + MESSAGE_COST;
        if logged > LOG_LIMIT {
            self.dropped.set(self.dropped.get() + 1);
            return;
        }
        self.logged.set(logged);
        // A broken pipe means that the owner is gone; the reading thread sees it and ends us.
        let _ = self.send(&FromGuest::Log { level, text }, &[]);
    }

    /// Where there is too much of it, the newest counts.
    pub(crate) fn progress(&self, done: f64, total: Option<f64>, mut text: Option<String>) {
        if let Some(text) = &mut text {
            cut(text, PROGRESS_TEXT);
        }
        let message = FromGuest::Progress { done, total, text };
        let now = Instant::now();
        let due = self.told.get().max(now);
        if due.duration_since(now) > PROGRESS_AHEAD {
            self.untold.replace(Some(message));
            return;
        }
        self.told.set(due + PROGRESS_EACH);
        self.untold.take();
        // A broken pipe ends the worker elsewhere.
        let _ = self.send(&message, &[]);
    }

    /// Starts the next run's allowance, after saying what the last one lost.
    pub(crate) fn end_run(&self) {
        if let Some(newest) = self.untold.take() {
            let _ = self.send(&newest, &[]);
        }
        let dropped = self.dropped.replace(0);
        self.logged.set(0);
        if dropped > 0 {
            self.log(
                Level::Warn,
                format!("{dropped} log messages over the limit of {LOG_LIMIT} bytes were dropped"),
            );
        }
    }
}
