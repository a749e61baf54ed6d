//! What values are, as only the engine knows: the class of an object whatever it pretends, what is
//! behind a proxy, how a promise stands.

use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Promise, Result, Value, qjs};

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("classOf", Function::new(ctx.clone(), class_of)?)?;
    native.set("proxy", Function::new(ctx.clone(), proxy)?)?;
    native.set("promise", Function::new(ctx.clone(), promise)?)?;
    Ok(native)
}

/// A number for each class of objects of the engine; two values are compared by it.
#[allow(unsafe_code, reason = "rquickjs has no safe form of it")]
#[allow(clippy::needless_pass_by_value, reason = "functions of JavaScript own their arguments")]
fn class_of(value: Value<'_>) -> u32 {
    // SAFETY: the value is alive as long as the call, and only its head is read.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// `[target, handler]`, or nothing for what is no proxy. A revoked one has neither.
fn proxy<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Option<Array<'js>>> {
    let Some(proxy) = value.into_proxy() else {
        return Ok(None);
    };
    let parts = Array::new(ctx.clone())?;
    for (at, part) in [proxy.target(), proxy.handler()].into_iter().enumerate() {
        match part {
            Ok(part) => parts.set(at, part)?,
            Err(_) => {
                let _ = ctx.catch();
                parts.set(at, Value::new_null(ctx.clone()))?;
            }
        }
    }
    Ok(Some(parts))
}

/// `[state, value]`.
fn promise<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Array<'js>> {
    let (state, value) = match promise.state() {
        PromiseState::Pending => ("pending", None),
        PromiseState::Resolved => ("fulfilled", promise.result::<Value>()),
        PromiseState::Rejected => ("rejected", promise.result::<Value>()),
    };
    let value = match value {
        None => Value::new_undefined(ctx.clone()),
        Some(Ok(value)) => value,
        Some(Err(_)) => ctx.catch(),
    };
    let parts = Array::new(ctx.clone())?;
    parts.set(0, state.into_js(&ctx)?)?;
    parts.set(1, value)?;
    Ok(parts)
}
