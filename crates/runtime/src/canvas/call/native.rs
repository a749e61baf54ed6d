//! Functions as the interpreter itself makes them, and arguments as it gives them: without a class of
//! functions in between, without counting references of what is only looked at.
//!
//! A panic in one ends the process: it must not unwind through the interpreter.

#![allow(unsafe_code, reason = "the interpreter's own calls, for what is called most")]

use super::Call;
use rquickjs::object::{AsProperty, Property};
use rquickjs::{Ctx, Error, Exception, Function, IntoJs, Object, Result, Value, qjs};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

/// What a call was given. The interpreter keeps all of it until the call is over.
pub(super) struct Given<'a> {
    this: qjs::JSValue,
    arguments: &'a [qjs::JSValue],
}

impl Given<'_> {
    pub fn len(&self) -> usize {
        self.arguments.len()
    }

    pub fn this<'js>(&self, ctx: &Ctx<'js>) -> Value<'js> {
        owned(ctx, self.this)
    }

    fn raw(&self, index: usize) -> qjs::JSValue {
        self.arguments.get(index).copied().unwrap_or(qjs::JS_UNDEFINED)
    }

    pub fn value<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Value<'js> {
        owned(ctx, self.raw(index))
    }

    pub fn is_undefined(&self, index: usize) -> bool {
        // SAFETY: looks at the value's tag.
        unsafe { qjs::JS_IsUndefined(self.raw(index)) }
    }

    pub fn is_object(&self, index: usize) -> bool {
        // SAFETY: as above.
        unsafe { qjs::JS_IsObject(self.raw(index)) }
    }

    pub fn is_text(&self, index: usize) -> bool {
        // SAFETY: as above.
        unsafe { qjs::JS_IsString(self.raw(index)) }
    }

    /// `None` where there would have to be a conversion.
    pub fn number(&self, index: usize) -> Option<f64> {
        let value = self.raw(index);
        // SAFETY: what is read is what the tag says.
        unsafe {
            match qjs::JS_VALUE_GET_NORM_TAG(value) {
                qjs::JS_TAG_INT => Some(f64::from(qjs::JS_VALUE_GET_INT(value))),
                qjs::JS_TAG_FLOAT64 => Some(qjs::JS_VALUE_GET_FLOAT64(value)),
                _ => None,
            }
        }
    }

    /// `None` for what is no text, or has lone surrogates.
    pub fn text<'js>(&self, ctx: &Ctx<'js>, index: usize) -> Option<Text<'js>> {
        if !self.is_text(index) {
            return None;
        }
        let mut len = 0;
        // SAFETY: the value is a string, of which no script is run; the bytes are given back when `Text` is
        // dropped, and stay as they are until then.
        let start = unsafe { qjs::JS_ToCStringLen(ctx.as_raw().as_ptr(), &raw mut len, self.raw(index)) };
        let start = NonNull::new(start.cast_mut());
        let Some(start) = start else {
            // Out of memory: the other way will say so.
            ctx.catch();
            return None;
        };
        let text = Text {
            ctx: ctx.clone(),
            start: start.cast(),
            len,
        };
        std::str::from_utf8(text.bytes()).is_ok().then_some(text)
    }
}

/// The interpreter's own bytes of a string.
pub(super) struct Text<'js> {
    ctx: Ctx<'js>,
    start: NonNull<u8>,
    len: usize,
}

impl Text<'_> {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the interpreter said so, and keeps them until they are given back.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    pub fn as_str(&self) -> &str {
        // SAFETY: looked at when it was made.
        unsafe { std::str::from_utf8_unchecked(self.bytes()) }
    }
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        // SAFETY: it came from JS_ToCStringLen, and nobody else gives it back.
        unsafe { qjs::JS_FreeCString(self.ctx.as_raw().as_ptr(), self.start.as_ptr().cast()) };
    }
}

/// A value that the interpreter lends.
fn owned<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Value<'js> {
    // SAFETY: the value is alive, of this interpreter, and counted once more before it is owned.
    unsafe { Value::from_raw(ctx.clone(), qjs::JS_DupValue(ctx.as_raw().as_ptr(), value)) }
}

/// Marks our accessors for the interpreter's conversion trait.
pub(super) struct Ours;

/// What a function does, and how it complains.
struct Native<F> {
    name: &'static str,
    required: usize,
    body: F,
}

/// `called` is the function's own name.
fn function<'js, R, F>(ctx: &Ctx<'js>, called: &str, native: Native<F>) -> Result<Function<'js>>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let length = native.required;
    let opaque = Box::into_raw(Box::new(native));
    // SAFETY: `enter` and `leave` take the pointer for what it is, and the interpreter calls `leave` once,
    // after the last call. Where it has no memory for the function itself, a few bytes are lost.
    let made = unsafe {
        qjs::JS_NewCClosure(
            ctx.as_raw().as_ptr(),
            Some(enter::<R, F>),
            std::ptr::null(),
            Some(leave::<F>),
            length as c_int,
            0,
            opaque.cast(),
        )
    };
    // SAFETY: looks at the tag; the value is ours alone.
    let made = unsafe {
        if qjs::JS_IsException(made) {
            return Err(Error::Exception);
        }
        Value::from_raw(ctx.clone(), made)
    };
    let function = made.into_function().ok_or(Error::Unknown)?;
    function.with_name(called)
}

unsafe extern "C" fn leave<F>(opaque: *mut c_void) {
    // SAFETY: made by `function`, and called once.
    drop(unsafe { Box::from_raw(opaque.cast::<Native<F>>()) });
}

unsafe extern "C" fn enter<'js, R, F>(
    ctx: *mut qjs::JSContext,
    this: qjs::JSValue,
    count: c_int,
    values: *mut qjs::JSValue,
    _magic: c_int,
    opaque: *mut c_void,
) -> qjs::JSValue
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    // SAFETY: as the interpreter calls its closures: a context that is locked by whoever runs it, so many
    // values that live until the return, and the pointer that `function` gave it.
    let (native, call) = unsafe {
        let native = &*opaque.cast::<Native<F>>();
        let arguments = match usize::try_from(count) {
            Ok(count @ 1..) => std::slice::from_raw_parts(values, count),
            _ => &[],
        };
        let call = Call {
            name: native.name,
            ctx: Ctx::from_raw(NonNull::new_unchecked(ctx)),
            given: Given { this, arguments },
        };
        (native, call)
    };
    let answer = call
        .check_count(native.required)
        .and_then(|()| (native.body)(&call));
    let answer = match answer {
        // Of what natives answer with, only `()` has no size.
        Ok(_) if size_of::<R>() == 0 => return qjs::JS_UNDEFINED,
        Ok(answer) => answer.into_js(&call.ctx),
        Err(error) => Err(error),
    };
    match answer.map_err(|error| thrown(&call.ctx, error)) {
        // SAFETY: counted once more for the interpreter, since ours is dropped.
        Ok(value) => unsafe { qjs::JS_DupValue(ctx, value.as_raw()) },
        Err(()) => qjs::JS_EXCEPTION,
    }
}

/// Leaves an exception behind.
fn thrown(ctx: &Ctx<'_>, error: Error) {
    match error {
        Error::Exception => {}
        Error::Allocation => {
            // SAFETY: only throws.
            unsafe { qjs::JS_ThrowOutOfMemory(ctx.as_raw().as_ptr()) };
        }
        other => {
            let _thrown = Exception::throw_type(ctx, &other.to_string());
        }
    }
}

/// Defines a method on `target`; `required` is also its `length`.
pub fn method<'js, R, F>(target: &Object<'js>, name: &'static str, required: usize, body: F) -> Result<()>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let function = function(target.ctx(), name, Native { name, required, body })?;
    target.prop(
        name,
        Property::from(function).writable().enumerable().configurable(),
    )
}

/// The functions of an attribute.
struct Pair<'js> {
    get: Function<'js>,
    set: Option<Function<'js>>,
}

impl<'js> AsProperty<'js, Ours> for Pair<'js> {
    fn config(self, ctx: &Ctx<'js>) -> Result<(c_int, Value<'js>, Value<'js>, Value<'js>)> {
        let mut flags = qjs::JS_PROP_HAS_GET
            | qjs::JS_PROP_ENUMERABLE
            | qjs::JS_PROP_HAS_ENUMERABLE
            | qjs::JS_PROP_CONFIGURABLE
            | qjs::JS_PROP_HAS_CONFIGURABLE;
        let none = || Value::new_undefined(ctx.clone());
        let set = match self.set {
            Some(set) => {
                flags |= qjs::JS_PROP_HAS_SET;
                set.into_value()
            }
            None => none(),
        };
        Ok((flags as c_int, none(), self.get.into_value(), set))
    }
}

pub fn getter<'js, R, F>(target: &Object<'js>, name: &'static str, body: F) -> Result<()>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let get = get_of(target, name, body)?;
    target.prop(name, Pair { get, set: None })
}

pub fn attribute<'js, R, G, S>(target: &Object<'js>, name: &'static str, get: G, set: S) -> Result<()>
where
    G: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    S: for<'a> Fn(&Call<'a, 'js>) -> Result<()> + 'js,
    R: IntoJs<'js> + 'js,
{
    let get = get_of(target, name, get)?;
    let native = Native {
        name,
        required: 1,
        body: set,
    };
    let set = Some(function(target.ctx(), &format!("set {name}"), native)?);
    target.prop(name, Pair { get, set })
}

fn get_of<'js, R, F>(target: &Object<'js>, name: &'static str, body: F) -> Result<Function<'js>>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let native = Native {
        name,
        required: 0,
        body,
    };
    function(target.ctx(), &format!("get {name}"), native)
}
