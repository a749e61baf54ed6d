//! Hears of promises, for `AsyncLocalStorage`: each that is made, fulfilled, or about to follow
//! another. Nothing is heard before a store is first set, so that others pay nothing.
//!
//! Not heard, because QuickJS has no hook there: reactions that are run, what `await` waits for,
//! promises that are rejected. The JavaScript half brackets those itself.

use crate::guest::State;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Function, Object, Persistent, Promise, Result, Value, qjs};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::rc::Rc;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let listening = state.clone();
    native.set(
        "listen",
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, heard: Function<'js>| {
            // Once: what listens is never taken back, and lives as long as the process.
            if !listening.contexts.replace(true) {
                listen(&ctx, heard);
            }
        })?,
    )?;
    let carrying = state.clone();
    native.set(
        "carry",
        Function::new(ctx.clone(), move || carrying.carried.set(true))?,
    )?;
    native.set("standing", Function::new(ctx.clone(), standing)?)?;
    Ok(native)
}

/// Takes away the store of the job or callback that has ended, unless it was set for the next job.
pub(crate) fn leave(ctx: &Ctx<'_>, state: &State) -> Result<()> {
    if !state.contexts.get() || state.carried.take() {
        return Ok(());
    }
    super::internal(ctx, state)?.set("asyncStore", Value::new_undefined(ctx.clone()))
}

/// 0 for what is no promise, 1 while it is pending, 2 afterwards.
#[allow(
    clippy::needless_pass_by_value,
    reason = "functions of JavaScript own their arguments"
)]
fn standing(value: Value<'_>) -> u8 {
    match value.as_promise().map(Promise::state) {
        None => 0,
        Some(PromiseState::Pending) => 1,
        Some(PromiseState::Resolved | PromiseState::Rejected) => 2,
    }
}

/// `heard(what, promise)`, by [`told`]'s numbers.
///
/// Not `Runtime::set_promise_hook`: that one locks the runtime, which is held while JavaScript runs.
#[allow(unsafe_code, reason = "rquickjs has no form of it that works from within")]
fn listen<'js>(ctx: &Ctx<'js>, heard: Function<'js>) {
    let heard: *mut Persistent<Function<'static>> = Box::into_raw(Box::new(Persistent::save(ctx, heard)));
    // SAFETY: the context is alive, and what is given with the hook is never freed.
    unsafe {
        let runtime = qjs::JS_GetRuntime(ctx.as_raw().as_ptr());
        qjs::JS_SetPromiseHook(runtime, Some(tell), heard.cast());
    }
}

fn told(what: qjs::JSPromiseHookType) -> u8 {
    match what {
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_INIT => 0,
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_BEFORE => 1,
        qjs::JSPromiseHookType_JS_PROMISE_HOOK_AFTER => 2,
        _ => 3,
    }
}

#[allow(unsafe_code, reason = "called by the engine")]
unsafe extern "C" fn tell(
    ctx: *mut qjs::JSContext,
    what: qjs::JSPromiseHookType,
    promise: qjs::JSValue,
    _parent: qjs::JSValue,
    heard: *mut c_void,
) {
    let Some(context) = NonNull::new(ctx) else {
        return;
    };
    // SAFETY: the engine calls with a living context and promise, and with what `listen` gave.
    let (ctx, promise, heard) = unsafe {
        if qjs::JS_HasException(context.as_ptr()) {
            return;
        }
        let owned = qjs::JS_DupValue(context.as_ptr(), promise);
        let ctx = Ctx::from_raw(context);
        let promise = Value::from_raw(ctx.clone(), owned);
        (ctx, promise, &*heard.cast::<Persistent<Function<'static>>>())
    };
    let said = heard
        .clone()
        .restore(&ctx)
        .and_then(|heard| heard.call::<_, ()>((told(what), promise)));
    if said.is_err() {
        // Out of memory or halted: the code that goes on meets it itself, and no caller is here.
        let _ = ctx.catch();
    }
}
