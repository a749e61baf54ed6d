//! Memory of pixels that went, kept for the next ones. What the system hands out anew it clears page by
//! page at the first touch, which costs more than most drawings do.
//!
//! Each thread keeps its own, and no more than a few canvases of usual size.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Smaller ones the allocator keeps by itself.
const LEAST: usize = 64 << 10;
/// Bytes that a thread keeps.
const MOST: usize = 16 << 20;

#[derive(Default)]
struct Kept {
    /// The one that was given back last is the last.
    buffers: Vec<Vec<u8>>,
    bytes: usize,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

impl Kept {
    /// The smallest that has room for `len` bytes and does not waste more than as many.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        let fits = |buffer: &Vec<u8>| (len..=len.saturating_mul(2)).contains(&buffer.capacity());
        let fitting = self.buffers.iter().enumerate().rev().filter(|(_, b)| fits(b));
        let (at, _) = fitting.min_by_key(|(_, buffer)| buffer.capacity())?;
        let buffer = self.buffers.swap_remove(at);
        self.bytes -= buffer.capacity();
        Some(buffer)
    }

    fn keep(&mut self, buffer: Vec<u8>) {
        let bytes = buffer.capacity();
        if (LEAST..=MOST).contains(&bytes) {
            // The oldest go: what is asked for now is like what was asked for last.
            let mut going = 0;
            while self.bytes + bytes > MOST {
                self.bytes -= self.buffers[going].capacity();
                going += 1;
            }
            self.buffers.drain(..going);
            self.bytes += bytes;
            self.buffers.push(buffer);
        }
    }
}

/// Bytes whose memory is kept when they go.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct Buffer(Vec<u8>);

impl Buffer {
    pub fn zeroed(len: usize) -> Buffer {
        Buffer(match Buffer::kept(len) {
            Some(mut kept) => {
                kept.resize(len, 0);
                kept
            }
            None => vec![0; len],
        })
    }

    pub fn copy_of(bytes: &[u8]) -> Buffer {
        Buffer(match Buffer::kept(bytes.len()) {
            Some(mut kept) => {
                kept.extend_from_slice(bytes);
                kept
            }
            None => bytes.to_vec(),
        })
    }

    /// Empty memory for so many bytes.
    fn kept(len: usize) -> Option<Vec<u8>> {
        if len < LEAST {
            return None;
        }
        // At a thread's end there may be nothing any more that keeps.
        let kept = KEPT.try_with(|kept| kept.borrow_mut().take(len)).ok().flatten();
        kept.map(|mut kept| {
            kept.clear();
            kept
        })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.0.capacity() >= LEAST {
            let buffer = std::mem::take(&mut self.0);
            // As above: then it is freed.
            let _ = KEPT.try_with(|kept| kept.borrow_mut().keep(buffer));
        }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        Buffer::copy_of(&self.0)
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Buffer {
        Buffer(bytes)
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (usize, usize) {
        KEPT.with_borrow(|kept| {
            let sum: usize = kept.buffers.iter().map(Vec::capacity).sum();
            assert_eq!(kept.bytes, sum);
            (kept.buffers.len(), sum)
        })
    }

    /// On a thread of its own, which has kept nothing yet.
    fn alone(test: fn()) {
        std::thread::spawn(test).join().unwrap();
    }

    #[test]
    fn memory_comes_back_blank_or_as_the_copy() {
        alone(|| {
            let mut first = Buffer::zeroed(LEAST * 3);
            first.fill(7);
            let place = first.as_ptr();
            drop(first);
            assert_eq!(kept().0, 1);
            let second = Buffer::zeroed(LEAST * 2);
            assert_eq!((second.as_ptr(), second.len(), kept().0), (place, LEAST * 2, 0));
            assert!(second.iter().all(|b| *b == 0));
            drop(second);
            let text: Vec<u8> = (0..LEAST * 3).map(|i| i as u8).collect();
            let copy = Buffer::copy_of(&text);
            assert_eq!((copy.as_ptr(), &*copy), (place, &*text));
        });
    }

    #[test]
    fn what_is_kept_is_bounded_and_nothing_is_wasted() {
        alone(|| {
            drop(Buffer::zeroed(LEAST - 1));
            drop(Buffer::zeroed(MOST + 1));
            assert_eq!(kept(), (0, 0));
            let many: Vec<Buffer> = (0..9).map(|_| Buffer::zeroed(MOST / 4)).collect();
            drop(many);
            assert_eq!(kept(), (4, MOST));
            // Much smaller than what is kept: new memory.
            let small = Buffer::zeroed(LEAST);
            assert_eq!(kept(), (4, MOST));
            drop(small);
            assert_eq!(kept(), (4, MOST - MOST / 4 + LEAST));
        });
    }
}
