//! Buffers that live from call to call. A thread's contexts share them: while one draws, none other does,
//! and each would touch memory of its own otherwise.

use crate::raster::{Cover, Raster};
use std::cell::Cell;

#[derive(Default)]
pub(super) struct Scratch {
    pub raster: Raster,
    /// The coverage of a line of text.
    pub cover: Cover,
    /// Source pixels of a band.
    pub shade: Vec<u8>,
}

/// Bytes of source pixels that are kept: those of a canvas of usual size.
const MOST_SHADE: usize = 4 << 20;

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Lends the thread's buffers to `draw`; what draws inside of that gets others.
pub(super) fn with<R>(draw: impl FnOnce(&mut Scratch) -> R) -> R {
    // At a thread's end there may be nothing any more that keeps.
    let kept = KEPT.try_with(Cell::take).ok().flatten();
    let mut scratch = kept.unwrap_or_default();
    let result = draw(&mut scratch);
    if scratch.shade.capacity() > MOST_SHADE {
        scratch.shade = Vec::new();
    }
    // As above: then they are freed.
    let _ = KEPT.try_with(|kept| kept.set(Some(scratch)));
    result
}
