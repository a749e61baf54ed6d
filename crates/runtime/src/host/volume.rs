//! How much a run may say to its owner. Our guests keep to it by themselves; a worker that was taken over, and
//! a tool in Node that writes into the channel, need not.

use crate::protocol::{GuestFailure, LOG_LIMIT, MESSAGE_COST, MESSAGE_LIMIT, PROGRESS_TEXT, cut};

/// What is said of what was cut.
const SUFFIX: usize = 64;
const NAME: usize = 1024;
const STACK: usize = 64 * 1024;

/// Of one run.
#[derive(Default)]
pub(super) struct Volume {
    logged: usize,
}

impl Volume {
    /// Whether this message may still come.
    pub(super) fn takes(&mut self, message: &str) -> bool {
        self.logged += message.len() + MESSAGE_COST;
        // What was dropped is said after the last that was not.
        message.len() <= MESSAGE_LIMIT + SUFFIX && self.logged <= LOG_LIMIT + MESSAGE_LIMIT
    }
}

pub(super) fn progress(text: &mut Option<String>) {
    if let Some(text) = text {
        cut(text, PROGRESS_TEXT + SUFFIX);
    }
}

/// It goes into logs, records and answers.
pub(super) fn failure(failure: &mut GuestFailure) {
    cut(&mut failure.message, MESSAGE_LIMIT);
    cut(&mut failure.stack, STACK);
    cut(&mut failure.name, NAME);
    for text in [&mut failure.code, &mut failure.business].into_iter().flatten() {
        cut(text, NAME);
    }
}
