//! What is kept of a stream: its beginning and its end, because the first error and the last word
//! matter most. The middle is counted and left out. Bounded, whatever a command writes.

use std::collections::VecDeque;

/// What a caller gets of a stream when it does not say otherwise.
pub const DEFAULT_CAP: usize = 1 << 20;

/// A stream as far as it was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    /// What came last; empty when nothing was cut.
    pub tail: Vec<u8>,
    /// Bytes left out between the two.
    pub cut: u64,
}

impl Captured {
    /// As text, with a line in the middle where something was left out.
    pub fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head);
        if self.cut == 0 {
            return head.into_owned();
        }
        let tail = String::from_utf8_lossy(&self.tail);
        format!("{head}\n[... {} bytes cut ...]\n{tail}", self.cut)
    }

    /// Bytes that were written, kept or not.
    pub fn written(&self) -> u64 {
        self.cut + (self.head.len() + self.tail.len()) as u64
    }
}

/// Collects a stream.
#[derive(Debug)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_most: usize,
    tail_most: usize,
    cut: u64,
}

impl Capture {
    pub fn new(cap: usize) -> Self {
        let tail_most = cap / 2;
        Capture {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_most: cap - tail_most,
            tail_most,
            cut: 0,
        }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let to_head = (self.head_most - self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(first);
        let kept = &rest[rest.len().saturating_sub(self.tail_most)..];
        let over = (self.tail.len() + kept.len()).saturating_sub(self.tail_most);
        self.cut += (over + rest.len() - kept.len()) as u64;
        self.tail.drain(..over);
        self.tail.extend(kept);
    }

    pub fn finish(mut self) -> Captured {
        if self.cut == 0 {
            self.head.extend(self.tail);
            return Captured {
                head: self.head,
                ..Captured::default()
            };
        }
        // A character that was cut in two is left out whole.
        let whole = whole_end(&self.head);
        let broken = self
            .tail
            .iter()
            .take(3)
            .take_while(|byte| *byte & 0xc0 == 0x80)
            .count();
        self.cut += (self.head.len() - whole + broken) as u64;
        self.head.truncate(whole);
        self.tail.drain(..broken);
        Captured {
            head: self.head,
            tail: self.tail.into(),
            cut: self.cut,
        }
    }
}

/// The length without a character that only began.
fn whole_end(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    for at in (from..bytes.len()).rev() {
        let wanted = match bytes[at] {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return bytes.len(),
        };
        return if at + wanted > bytes.len() {
            at
        } else {
            bytes.len()
        };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn beginning_and_end_are_kept_and_the_rest_is_counted(
            cap in 0usize..200,
            pieces in prop::collection::vec(prop::collection::vec(0x20u8..0x7f, 0..90), 0..9),
        ) {
            let mut capture = Capture::new(cap);
            for piece in &pieces {
                capture.push(piece);
            }
            let all = pieces.concat();
            let captured = capture.finish();
            prop_assert_eq!(captured.written(), all.len() as u64);
            prop_assert!(captured.head.len() + captured.tail.len() <= cap);
            prop_assert!(all.starts_with(&captured.head));
            prop_assert!(all.ends_with(&captured.tail));
            if all.len() <= cap {
                prop_assert_eq!(captured.cut, 0);
                prop_assert_eq!(&captured.head, &all);
            } else {
                prop_assert_eq!(captured.head.len() + captured.tail.len(), cap);
            }
        }

        #[test]
        fn characters_are_never_cut_in_two(cap in 8usize..60, text in "[a你😀é]{0,60}") {
            let mut capture = Capture::new(cap);
            capture.push(text.as_bytes());
            let captured = capture.finish();
            prop_assert_eq!(captured.written(), text.len() as u64);
            prop_assert!(!captured.text().contains('\u{fffd}'), "{:?}", captured.text());
        }
    }
}
