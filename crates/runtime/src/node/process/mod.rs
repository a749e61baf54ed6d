//! `process`: the tool's own environment; leaving ends the run, not the product.

use crate::guest::{Halt, State, object_of};
use rquickjs::{Ctx, Function, Object, Result};
use std::rc::Rc;

/// The Node that tools and packages are told about: what `process.version` says.
pub const NODE_VERSION: &str = "22.20.0";

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("env", object_of(ctx, &state.env)?)?;
    native.set("folder", state.folder.to_string_lossy().as_ref())?;
    native.set("main", state.folder.join(&state.main).to_string_lossy().as_ref())?;
    native.set("version", NODE_VERSION)?;
    native.set("pid", std::process::id())?;
    native.set(
        "arch",
        if cfg!(target_arch = "aarch64") {
            "arm64"
        } else {
            "x64"
        },
    )?;
    let leaving = state.clone();
    native.set(
        "exit",
        // The interrupt handler sees the halt at the next check and raises what no `catch` can catch.
        Function::new(ctx.clone(), move |code: i32| {
            leaving.exit_code.set(code);
            leaving.control.set(Halt::Exit);
        })?,
    )?;
    native.set("abort", Function::new(ctx.clone(), abort)?)?;
    let clock = state.clone();
    native.set(
        "hrtime",
        Function::new(ctx.clone(), move || clock.started.elapsed().as_nanos() as f64)?,
    )?;
    native.set("cpu", Function::new(ctx.clone(), cpu)?)?;
    let gauge = state.gauge.clone();
    native.set(
        "heapUsed",
        Function::new(ctx.clone(), move || gauge.used() as f64)?,
    )?;
    let gauge = state.gauge.clone();
    native.set(
        "heapLimit",
        Function::new(ctx.clone(), move || gauge.limit() as f64)?,
    )?;
    native.set(
        "rss",
        Function::new(ctx.clone(), || crate::guest::usage().memory as f64)?,
    )?;
    Ok(native)
}

/// Microseconds that the whole process has computed. The kernel's split into user and system is
/// not asked for: it costs a call that workers may not make.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    (time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3).floor()
}

/// The worker dies as from a fault of its own; the owner reports it.
fn abort() {
    std::process::abort();
}
