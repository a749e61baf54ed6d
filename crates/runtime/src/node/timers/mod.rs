//! Arms timers; the event loop fires them.

use crate::guest::State;
use rquickjs::{Ctx, Function, Object, Result};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Node's upper bound; longer delays become 1 ms there, and so here.
const MAX_MS: f64 = 2_147_483_647.0;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let arming = state.clone();
    native.set(
        "arm",
        Function::new(ctx.clone(), move |ms: f64| {
            arming.timers.borrow_mut().arm(after(ms)) as f64
        })?,
    )?;
    let arming = state.clone();
    native.set(
        "rearm",
        Function::new(ctx.clone(), move |id: f64, ms: f64| {
            arming.timers.borrow_mut().rearm(id as u64, after(ms))
        })?,
    )?;
    let disarming = state.clone();
    native.set(
        "disarm",
        Function::new(ctx.clone(), move |id: f64| {
            disarming.timers.borrow_mut().disarm(id as u64)
        })?,
    )?;
    let holding = state.clone();
    native.set(
        "hold",
        Function::new(ctx.clone(), move |id: f64, held: bool| {
            holding.timers.borrow_mut().hold(id as u64, held)
        })?,
    )?;
    Ok(native)
}

fn after(ms: f64) -> Instant {
    let ms = if (1.0..=MAX_MS).contains(&ms) {
        ms
    } else if ms == 0.0 {
        0.0
    } else {
        1.0
    };
    Instant::now() + Duration::from_secs_f64(ms / 1000.0)
}
