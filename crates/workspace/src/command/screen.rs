//! What a terminal has written: the last part of it, numbered by byte from the opening on, so that
//! who looks late knows what is missing.
//!
//! Deliberately not here: what the bytes mean.

use std::collections::VecDeque;
use tokio::time::Instant;

/// Bytes of one terminal that are kept for who looks later.
const KEPT: usize = 1 << 20;
/// Bytes of one answer to who watches.
const PIECE: usize = 256 << 10;

/// What a watcher gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct News {
    pub bytes: Vec<u8>,
    /// Bytes that nobody kept, before these.
    pub cut: u64,
    pub next: u64,
    /// The shell has ended, and there is nothing after `next`.
    pub exit_code: Option<i32>,
}

#[derive(Default)]
pub(super) struct Screen {
    kept: VecDeque<u8>,
    /// Number of the byte after the last.
    pub(super) next: u64,
    pub(super) ended: Option<(i32, Instant)>,
}

impl Screen {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.next += bytes.len() as u64;
        self.kept.extend(&bytes[bytes.len().saturating_sub(KEPT)..]);
        let over = self.kept.len().saturating_sub(KEPT);
        self.kept.drain(..over);
    }

    pub(super) fn since(&self, from: u64) -> News {
        let oldest = self.next - self.kept.len() as u64;
        let begin = from.clamp(oldest, self.next);
        let skipped = usize::try_from(begin - oldest).unwrap_or(usize::MAX);
        let bytes: Vec<u8> = self.kept.iter().skip(skipped).take(PIECE).copied().collect();
        let next = begin + bytes.len() as u64;
        News {
            cut: oldest.saturating_sub(from),
            bytes,
            next,
            exit_code: self.ended.filter(|_| next == self.next).map(|(code, _)| code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Whoever follows from the beginning gets every byte, and is told of each that it did not.
        #[test]
        fn nothing_is_lost_without_a_word(
            steps in prop::collection::vec((0usize..700_000, any::<bool>()), 1..9),
        ) {
            let (mut screen, mut all, mut from, mut got) = (Screen::default(), Vec::new(), 0, 0u64);
            for (at, (count, looks)) in steps.into_iter().enumerate() {
                let bytes = vec![u8::try_from(at).unwrap(); count];
                screen.push(&bytes);
                all.extend(bytes);
                loop {
                    if !looks {
                        break;
                    }
                    let news = screen.since(from);
                    got += news.cut + news.bytes.len() as u64;
                    prop_assert_eq!(news.next, got);
                    let end = usize::try_from(got).unwrap();
                    prop_assert_eq!(&all[end - news.bytes.len()..end], &news.bytes[..]);
                    prop_assert!(news.bytes.len() <= PIECE && screen.kept.len() <= KEPT);
                    from = news.next;
                    if news.bytes.is_empty() {
                        prop_assert_eq!(got, all.len() as u64);
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn the_end_is_told_after_the_last_byte() {
        let mut screen = Screen::default();
        screen.push(&vec![b'x'; PIECE + 1]);
        screen.ended = Some((3, Instant::now()));
        let first = screen.since(0);
        assert_eq!((first.exit_code, first.next), (None, PIECE as u64));
        assert_eq!(screen.since(first.next).exit_code, Some(3));
        assert_eq!(screen.since(u64::MAX).bytes, b"", "who is ahead is not believed");
    }
}
