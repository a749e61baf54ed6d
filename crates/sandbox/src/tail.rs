//! The end of what a process wrote to its standard streams: bounded, whatever it writes.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes kept; enough for an abort message with its backtrace.
pub const TAIL_BYTES: usize = 16 * 1024;

#[derive(Clone, Debug, Default)]
pub struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = &bytes[bytes.len().saturating_sub(TAIL_BYTES)..];
        let over = (kept.len() + bytes.len()).saturating_sub(TAIL_BYTES);
        kept.drain(..over);
        kept.extend(bytes);
    }

    pub fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeps_exactly_the_end(pieces in prop::collection::vec(prop::collection::vec(0x20u8..0x7f, 0..9000), 0..12)) {
            let tail = Tail::default();
            for piece in &pieces {
                tail.push(piece);
            }
            let all = pieces.concat();
            let end = &all[all.len().saturating_sub(TAIL_BYTES)..];
            prop_assert_eq!(tail.text().into_bytes(), end);
        }
    }
}
