//! `memory.buffer`: an ArrayBuffer over the memory's own bytes, no copy. It keeps the store alive, and is
//! detached before any JavaScript runs after the memory grew.
//!
//! The engine lets code transfer a buffer, where it should refuse: the bytes are then in a buffer that
//! nobody can detach. Such a store's memories grow no more (`Space::pinned`), so that they stay valid.

use super::group::Space;
use rquickjs::class::Tracer;
use rquickjs::{ArrayBuffer, Ctx, Error, Result, Value, qjs};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;
use wasmi::Memory;

#[derive(Default)]
pub(super) struct Buffers<'js>(RefCell<Vec<Shown<'js>>>);

/// A memory that JavaScript looks at.
struct Shown<'js> {
    number: u32,
    memory: Memory,
    buffer: Option<Value<'js>>,
    at: *mut u8,
    length: usize,
    /// Buffers over it that were neither detached nor collected.
    live: Rc<Cell<u32>>,
}

/// What a buffer holds: dropped when it is detached or collected.
struct Hold {
    live: Rc<Cell<u32>>,
    _space: Rc<Space>,
}

impl<'js> Buffers<'js> {
    /// The same object until the memory grows.
    pub fn get(&self, ctx: &Ctx<'js>, space: &Rc<Space>, number: u32) -> Result<Value<'js>> {
        let memory = space.memory(number).ok_or(Error::Unknown)?;
        self.settle(ctx, space);
        let mut all = self.0.borrow_mut();
        let at = match all.iter().position(|shown| shown.number == number) {
            Some(at) => at,
            None => {
                all.push(Shown {
                    number,
                    memory,
                    buffer: None,
                    at: std::ptr::null_mut(),
                    length: 0,
                    live: Rc::default(),
                });
                all.len() - 1
            }
        };
        let shown = &mut all[at];
        if let Some(buffer) = &shown.buffer
            && is_whole(ctx, buffer)
        {
            return Ok(buffer.clone());
        }
        (shown.at, shown.length) = space.with(|store| (memory.data_ptr(&store), memory.data_size(&store)));
        let hold = Hold {
            live: shown.live.clone(),
            _space: space.clone(),
        };
        let buffer = over(ctx, shown.at, shown.length, hold)?;
        shown.buffer = Some(buffer.clone());
        Ok(buffer)
    }

    /// Detaches the buffers of memories that grew.
    #[allow(unsafe_code, reason = "rquickjs detaches only what is known to be a buffer")]
    pub fn settle(&self, ctx: &Ctx<'js>, space: &Space) {
        for shown in &mut *self.0.borrow_mut() {
            if shown.buffer.is_none() {
                continue;
            }
            let now = space.with(|store| (shown.memory.data_ptr(&store), shown.memory.data_size(&store)));
            if now != (shown.at, shown.length)
                && let Some(buffer) = shown.buffer.take()
            {
                // SAFETY: a buffer that `over` made; it does not touch the bytes.
                unsafe { qjs::JS_DetachArrayBuffer(ctx.as_raw().as_ptr(), buffer.as_raw()) };
            }
        }
    }

    /// Of one memory, whether it grew or not.
    #[allow(unsafe_code, reason = "rquickjs detaches only what is known to be a buffer")]
    pub fn detach(&self, ctx: &Ctx<'js>, number: u32) {
        for shown in &mut *self.0.borrow_mut() {
            if shown.number == number
                && let Some(buffer) = shown.buffer.take()
            {
                // SAFETY: as in `settle`.
                unsafe { qjs::JS_DetachArrayBuffer(ctx.as_raw().as_ptr(), buffer.as_raw()) };
            }
        }
    }

    /// Before WebAssembly runs: bytes that left their buffer must not move.
    pub fn pin_strays(&self, ctx: &Ctx<'js>, space: &Space) {
        if space.pinned.get() {
            return;
        }
        let strays = self.0.borrow().iter().any(|shown| {
            let whole = shown.buffer.as_ref().is_some_and(|buffer| is_whole(ctx, buffer));
            shown.live.get() > u32::from(whole)
        });
        space.pinned.set(strays);
    }

    pub fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        if let Ok(all) = self.0.try_borrow() {
            for buffer in all.iter().filter_map(|shown| shown.buffer.as_ref()) {
                tracer.mark(buffer);
            }
        }
    }
}

/// Whether it still has its bytes.
fn is_whole<'js>(ctx: &Ctx<'js>, buffer: &Value<'js>) -> bool {
    let whole = ArrayBuffer::from_value(buffer.clone()).is_some_and(|buffer| buffer.as_raw().is_some());
    if !whole {
        // The engine throws where it is asked for bytes that are not there.
        drop(ctx.catch());
    }
    whole
}

#[allow(
    unsafe_code,
    reason = "rquickjs has no buffer over memory that it does not own"
)]
fn over<'js>(ctx: &Ctx<'js>, at: *mut u8, length: usize, hold: Hold) -> Result<Value<'js>> {
    unsafe extern "C" fn release(
        _: *mut qjs::JSRuntime,
        opaque: *mut c_void,
        _: *mut c_void,
        size: qjs::size_t,
    ) -> *mut c_void {
        if size == 0 {
            // SAFETY: made below, and the engine says this once.
            let hold = unsafe { Box::from_raw(opaque.cast::<Hold>()) };
            hold.live.set(hold.live.get().saturating_sub(1));
        }
        // Another size is not to be had.
        std::ptr::null_mut()
    }
    hold.live.set(hold.live.get() + 1);
    let opaque = Box::into_raw(Box::new(hold));
    // SAFETY: the bytes are of a memory whose store `hold` keeps; whoever makes them move detaches the
    // buffer before its next use (`settle`, `pin_strays`).
    unsafe {
        let raw = qjs::JS_NewArrayBuffer(
            ctx.as_raw().as_ptr(),
            at,
            length as _,
            0,
            Some(release),
            opaque.cast(),
            false,
        );
        if qjs::JS_IsException(raw) {
            let hold = Box::from_raw(opaque);
            hold.live.set(hold.live.get().saturating_sub(1));
            return Err(Error::Exception);
        }
        Ok(Value::from_raw(ctx.clone(), raw))
    }
}
