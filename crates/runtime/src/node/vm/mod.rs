//! The native half of `vm`: realms of the interpreter (their own `Array`, `Object`, global object).
//!
//! A realm is no wall, as it is none in Node: it has the rights, the memory and the deadline of the
//! worker. A new one holds the language alone; `vm.js` brings the sandbox's properties into it.

use crate::guest::{Part, Shared, State};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::context::EvalOptions;
use rquickjs::function::Constructor;
use rquickjs::{Class, Ctx, Error, Function, JsLifetime, Object, Result, Value, qjs};
use std::ptr::NonNull;
use std::time::Duration;

/// Keeps a realm for as long as its sandbox is there.
struct Realm<'js> {
    ctx: Ctx<'js>,
}

impl<'js> Trace<'js> for Realm<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        // A sandbox whose functions come from its realm is a ring, which only the collector opens.
        tracer.mark_ctx(&self.ctx);
    }
}

// SAFETY: the lifetime parameter is that of the context inside, and only it changes.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for Realm<'js> {
    type Changed<'to> = Realm<'to>;
}

impl<'js> JsClass<'js> for Realm<'js> {
    const NAME: &'static str = "Realm";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Shared) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("realm", Function::new(ctx.clone(), realm)?)?;
    native.set("global", Function::new(ctx.clone(), global)?)?;
    native.set("evaluate", Function::new(ctx.clone(), evaluate)?)?;
    let timing = state.clone();
    native.set(
        "within",
        Function::new(ctx.clone(), move |ctx, time, work, late| {
            within(&ctx, &timing, time, &work, &late)
        })?,
    )?;
    Ok(native)
}

#[allow(unsafe_code, reason = "rquickjs makes contexts only where no script runs")]
fn realm(ctx: Ctx<'_>) -> Result<Class<'_, Realm<'_>>> {
    // SAFETY: a script of this runtime runs, so its lock is held; `from_raw` takes a count of its
    // own, and the one that JS_NewContext gave is given back. `ctx` gives the lifetime.
    let made = unsafe {
        let raw = qjs::JS_NewContext(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()));
        let raw = NonNull::new(raw).ok_or(Error::Allocation)?;
        let made = Ctx::from_raw(raw);
        qjs::JS_FreeContext(raw.as_ptr());
        made
    };
    Class::instance(ctx, Realm { ctx: made })
}

fn global<'js>(realm: Class<'js, Realm<'js>>) -> Object<'js> {
    realm.borrow().ctx.globals()
}

/// A script in the global scope of the realm.
fn evaluate<'js>(realm: Class<'js, Realm<'js>>, path: String, code: String) -> Result<Value<'js>> {
    let inner = realm.borrow().ctx.clone();
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(path);
    inner.eval_with_options(code, options)
}

/// What `work` gives when it ends within so many milliseconds; else what `late` makes is thrown.
fn within<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    time: f64,
    work: &Function<'js>,
    late: &Function<'js>,
) -> Result<Value<'js>> {
    let time = Duration::from_secs_f64(time.max(0.0) / 1000.0);
    let rejected = state.rejections.borrow().len();
    let (came, part) = state.control.within(time, || work.call(()));
    if part == Part::Ended {
        return came;
    }
    // The interrupt, which no `catch` catches, and which the engine makes a rejection of where a promise was
    // to come of the code.
    let _ = ctx.catch();
    state.rejections.borrow_mut().truncate(rejected);
    let error: Value = late.call(())?;
    Err(ctx.throw(error))
}
