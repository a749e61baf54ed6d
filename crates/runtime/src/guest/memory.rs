//! Memory of a worker: the engine's heap, an allocator that counts, so that "out of memory" is known and
//! not guessed from an error's text; and the end of a worker that got no memory outside it.

#![allow(unsafe_code, reason = "an allocator for C code")]

use crate::protocol::{EXIT_NO_MEMORY, Usage};
use rquickjs::allocator::Allocator;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Shared view of an engine's heap. Only the engine's own thread allocates and charges, so that a sum needs no
/// locked instruction: there is one for each string that a script makes.
#[derive(Default)]
pub(crate) struct Gauge {
    used: AtomicUsize,
    limit: AtomicUsize,
    refused: AtomicBool,
}

impl Gauge {
    /// Whether an allocation was refused since the last call.
    pub(crate) fn take_refused(&self) -> bool {
        self.refused.swap(false, Relaxed)
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Bytes that the heap may have.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Relaxed)
    }

    fn grow(&self, bytes: usize) {
        self.used.store(self.used().wrapping_add(bytes), Relaxed);
    }

    fn shrink(&self, bytes: usize) {
        self.used.store(self.used().wrapping_sub(bytes), Relaxed);
    }

    fn admit(&self, more: usize) -> bool {
        let sum = self.used.load(Relaxed).checked_add(more);
        let fits = sum.is_some_and(|sum| sum <= self.limit.load(Relaxed));
        if !fits {
            self.refused.store(true, Relaxed);
        }
        fits
    }
}

/// Memory outside the engine's heap that counts as if it were in it.
pub(crate) struct Charge {
    gauge: Arc<Gauge>,
    bytes: usize,
}

impl Charge {
    pub(crate) fn nothing(gauge: Arc<Gauge>) -> Self {
        Charge { gauge, bytes: 0 }
    }

    /// Whether there was room for so much more.
    pub(crate) fn add(&mut self, bytes: usize) -> bool {
        let fits = self.gauge.admit(bytes);
        if fits {
            self.gauge.grow(bytes);
            self.bytes += bytes;
        }
        fits
    }

    pub(crate) fn take_off(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.gauge.shrink(bytes);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.take_off(self.bytes);
    }
}

/// `malloc` with a limit.
pub(crate) struct Bounded {
    gauge: Arc<Gauge>,
}

impl Bounded {
    pub(crate) fn new(gauge: Arc<Gauge>, limit: usize) -> Self {
        gauge.limit.store(limit, Relaxed);
        Bounded { gauge }
    }

    fn admit(&self, more: usize) -> bool {
        self.gauge.admit(more)
    }

    fn took(&self, pointer: *mut u8) -> *mut u8 {
        if pointer.is_null() {
            self.gauge.refused.store(true, Relaxed);
        } else {
            // SAFETY: just returned by malloc, calloc or realloc.
            self.gauge
                .grow(unsafe { libc::malloc_usable_size(pointer.cast()) });
        }
        pointer
    }
}

// SAFETY: memory comes from malloc, calloc and realloc, is aligned for any type, and is given back to
// free; `usable_size` asks the same allocator.
unsafe impl Allocator for Bounded {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if !self.admit(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: any size is allowed.
        self.took(unsafe { libc::malloc(size) }.cast())
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let Some(total) = count.checked_mul(size) else {
            return std::ptr::null_mut();
        };
        if !self.admit(total) {
            return std::ptr::null_mut();
        }
        // SAFETY: the product does not overflow.
        self.took(unsafe { libc::calloc(count, size) }.cast())
    }

    unsafe fn dealloc(&mut self, pointer: *mut u8) {
        if pointer.is_null() {
            return;
        }
        // SAFETY: the caller promises that it came from this allocator.
        unsafe {
            self.gauge.shrink(libc::malloc_usable_size(pointer.cast()));
            libc::free(pointer.cast());
        }
    }

    unsafe fn realloc(&mut self, pointer: *mut u8, new_size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the pointer, if not null, came from this allocator.
        let old = if pointer.is_null() {
            0
        } else {
            unsafe { libc::malloc_usable_size(pointer.cast()) }
        };
        if new_size > old && !self.admit(new_size - old) {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        let moved: *mut u8 = unsafe { libc::realloc(pointer.cast(), new_size) }.cast();
        if !moved.is_null() {
            self.gauge.shrink(old);
            return self.took(moved);
        }
        if new_size == 0 {
            self.gauge.shrink(old);
        } else {
            self.gauge.refused.store(true, Relaxed);
        }
        moved
    }

    unsafe fn usable_size(pointer: *mut u8) -> usize {
        // SAFETY: the caller promises that it came from this allocator.
        unsafe { libc::malloc_usable_size(pointer.cast()) }
    }
}

/// The allocator of everything in a worker that is not the engine's. Where the system gives no more,
/// within the limit of the whole process, the worker ends in a way that its owner can tell from a fault.
/// Bytes that JavaScript keeps are not here: natives copy them into the engine's heap, where they count.
pub struct LastResort;

impl LastResort {
    fn given(pointer: *mut u8) -> *mut u8 {
        if pointer.is_null() {
            // SAFETY: ends the process at once; nothing of it is used any more.
            unsafe { libc::_exit(i32::from(EXIT_NO_MEMORY)) };
        }
        pointer
    }
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for LastResort {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        LastResort::given(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        LastResort::given(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        LastResort::given(unsafe { System.realloc(pointer, layout, new_size) })
    }
}

/// CPU time and peak memory of this process.
pub(crate) fn usage() -> Usage {
    // SAFETY: getrusage fills the struct it is given.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        if libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) != 0 {
            return Usage::default();
        }
        usage
    };
    let ms = |time: libc::timeval| time.tv_sec as f64 * 1000.0 + time.tv_usec as f64 / 1000.0;
    Usage {
        cpu_ms: ms(usage.ru_utime) + ms(usage.ru_stime),
        // Linux counts in KiB.
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    }
}
