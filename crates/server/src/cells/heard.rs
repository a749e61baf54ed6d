//! What a step prints: for those who watch it, and for its output in the document.

use crate::live::Opened;
use base::clock;
use runtime::host::Observer;
use runtime::protocol::Level;
use std::sync::{Mutex, PoisonError};
use toolbox::modes::{Line, OpenRun as _, level_of};
use toolbox::run_log::{Secrets, legible};

/// Of one output.
const LINES: usize = 2000;
const BYTES: usize = 256 * 1024;

pub(super) struct Heard<'r> {
    open: &'r Opened,
    secrets: &'r Secrets,
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    lines: Vec<String>,
    bytes: usize,
    left_out: usize,
    /// What is heard was heard before.
    again: bool,
}

impl<'r> Heard<'r> {
    pub(super) fn new(open: &'r Opened, secrets: &'r Secrets) -> Self {
        Heard {
            open,
            secrets,
            said: Mutex::default(),
        }
    }

    /// From now on nothing is new, or it is.
    pub(super) fn again(&self, again: bool) {
        self.said().again = again;
    }

    pub(super) fn line(&self, level: Level, text: String) {
        let text = self.secrets.mask(&legible(&text));
        {
            let mut said = self.said();
            if said.again {
                return;
            }
            said.bytes += text.len();
            if said.lines.len() < LINES && said.bytes <= BYTES {
                said.lines.push(text.clone());
            } else {
                said.left_out += 1;
            }
        }
        self.open.line(Line {
            at: clock::now_ms(),
            level: level_of(level),
            stream: None,
            text,
        });
    }

    /// A piece for those who watch; the whole comes as a value.
    pub(super) fn piece(&self, text: &str) {
        self.open.line(Line {
            at: clock::now_ms(),
            level: level_of(Level::Info),
            stream: Some(toolbox::modes::Stream::Stdout),
            text: self.secrets.mask(text),
        });
    }

    pub(super) fn take(&self) -> Vec<String> {
        let said = std::mem::take(&mut *self.said());
        let mut lines = said.lines;
        if said.left_out > 0 {
            lines.push(format!("… (+{})", said.left_out));
        }
        lines
    }

    fn said(&self) -> std::sync::MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Heard<'_> {
    fn log(&self, level: Level, text: String) {
        self.line(level, text);
    }
}
