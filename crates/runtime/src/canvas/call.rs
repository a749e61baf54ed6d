//! How a native function meets JavaScript: argument counts, conversions, brands, exceptions.
//!
//! Conversions follow WebIDL: numbers by ToNumber, strings by ToString, the object's class by its
//! brand. They all happen before a canvas is borrowed, because they may run the script's own code.
//!
//! Functions are the interpreter's own closures (`native`), and numbers and text are read where they are:
//! a drawing is many small calls.

mod native;

pub(super) use native::{attribute, getter, method};

use ::canvas::{CanvasError, ColorSpace};
use rquickjs::class::JsClass;
use rquickjs::convert::Coerced;
use rquickjs::{Class, Ctx, Error, Exception, FromJs, Function, Object, Result, Value};

/// The arguments of one call, and the name to complain with.
pub(super) struct Call<'a, 'js> {
    name: &'static str,
    ctx: Ctx<'js>,
    given: native::Given<'a>,
}

impl<'js> Call<'_, 'js> {
    pub fn ctx(&self) -> &Ctx<'js> {
        &self.ctx
    }

    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// The argument, `undefined` where it is missing.
    pub fn value(&self, index: usize) -> Value<'js> {
        self.given.value(&self.ctx, index)
    }

    /// `None` for a missing argument and for `undefined`.
    pub fn given(&self, index: usize) -> Option<Value<'js>> {
        (!self.given.is_undefined(index)).then(|| self.value(index))
    }

    pub fn number(&self, index: usize) -> Result<f64> {
        match self.given.number(index) {
            Some(number) => Ok(number),
            None => Ok(Coerced::<f64>::from_js(&self.ctx, self.value(index))?.0),
        }
    }

    pub fn numbers<const N: usize>(&self, from: usize) -> Result<[f64; N]> {
        let mut out = [0.0; N];
        for (i, slot) in out.iter_mut().enumerate() {
            *slot = self.number(from + i)?;
        }
        Ok(out)
    }

    /// WebIDL `double`: NaN and the infinities are a TypeError.
    pub fn finite<const N: usize>(&self, from: usize) -> Result<[f64; N]> {
        let numbers = self.numbers(from)?;
        if numbers.iter().all(|v: &f64| v.is_finite()) {
            Ok(numbers)
        } else {
            Err(self.type_error("a number is not finite"))
        }
    }

    /// WebIDL `long` that arrives already converted by the JavaScript side.
    pub fn long(&self, index: usize) -> Result<i32> {
        // The cast saturates and takes NaN to 0: whatever comes, an i32 leaves.
        Ok(self.number(index)? as i32)
    }

    pub fn size(&self, index: usize) -> Result<u32> {
        Ok(self.number(index)? as u32)
    }

    pub fn truth(&self, index: usize) -> Result<bool> {
        Ok(Coerced::<bool>::from_js(&self.ctx, self.value(index))?.0)
    }

    pub fn text(&self, index: usize) -> Result<String> {
        self.with_text(index, str::to_owned)
    }

    /// `f` of the argument as text, which is not copied where it is text already. No script may run in it.
    pub fn with_text<R>(&self, index: usize, f: impl FnOnce(&str) -> R) -> Result<R> {
        match self.given.text(&self.ctx, index) {
            Some(text) => Ok(f(text.as_str())),
            None => Ok(f(&text_of(&self.ctx, self.value(index))?)),
        }
    }

    /// Whether the argument is text as it stands.
    pub fn is_text(&self, index: usize) -> bool {
        self.given.is_text(index)
    }

    /// A colour space's name; JavaScript has checked it.
    pub fn space(&self, index: usize) -> Result<ColorSpace> {
        ColorSpace::parse(&self.text(index)?).ok_or_else(|| self.type_error("no such colour space"))
    }

    pub fn this<T: JsClass<'js>>(&self) -> Result<Class<'js, T>> {
        let this = self.given.this(&self.ctx);
        Class::from_value(&this).map_err(|_| self.type_error("Illegal invocation"))
    }

    /// `f` of the object that the call is on.
    pub fn on_this<T: JsClass<'js>, R>(&self, f: impl FnOnce(&Class<'js, T>) -> Result<R>) -> Result<R> {
        let this = self.given.this(&self.ctx);
        let object = this.as_object().and_then(|object| object.as_class());
        f(object.ok_or_else(|| self.type_error("Illegal invocation"))?)
    }

    /// The argument as one of our objects; `what` completes "argument 1 is not …".
    pub fn object<T: JsClass<'js>>(&self, index: usize, what: &str) -> Result<Class<'js, T>> {
        self.maybe_object(index)
            .ok_or_else(|| self.type_error(&format!("argument {} is not {what}", index + 1)))
    }

    pub fn maybe_object<T: JsClass<'js>>(&self, index: usize) -> Option<Class<'js, T>> {
        let object = self.given.is_object(index).then(|| self.value(index))?;
        object.as_object().and_then(Class::from_object)
    }

    pub fn plain_object(&self, index: usize) -> Result<Object<'js>> {
        let value = self.value(index);
        value
            .into_object()
            .ok_or_else(|| self.type_error(&format!("argument {} is not an object", index + 1)))
    }

    pub fn type_error(&self, message: &str) -> Error {
        Exception::throw_type(&self.ctx, &format!("{}: {message}", self.name))
    }

    /// The exception that the standard names for this failure.
    pub fn raise(&self, error: CanvasError) -> Error {
        let message = format!("{}: {error}", self.name);
        match error.dom_name() {
            "TypeError" => Exception::throw_type(&self.ctx, &message),
            "RangeError" => Exception::throw_range(&self.ctx, &message),
            name => Exception::throw_dom(&self.ctx, name, &message),
        }
    }

    pub fn dom_error(&self, name: &str, message: &str) -> Error {
        Exception::throw_dom(&self.ctx, name, &format!("{}: {message}", self.name))
    }

    pub fn range_error(&self, message: &str) -> Error {
        Exception::throw_range(&self.ctx, &format!("{}: {message}", self.name))
    }

    /// For a borrow that cannot be had: bindings never run script while they hold one.
    pub fn busy(&self) -> Error {
        self.dom_error("InvalidStateError", "the canvas is in use")
    }

    fn check_count(&self, required: usize) -> Result<()> {
        if self.len() >= required {
            return Ok(());
        }
        let (name, given) = (self.name, self.len());
        let message = format!("{name}: {required} argument(s) required, but only {given} present");
        Err(Exception::throw_type(&self.ctx, &message))
    }
}

/// ToString, with lone surrogates replaced as for a USVString.
fn text_of<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<String> {
    let string = Coerced::<rquickjs::String>::from_js(ctx, value)?.0;
    match string.to_string() {
        Err(Error::Utf8(_)) => {
            let well_formed: Function = ctx.eval("(s) => s.toWellFormed()")?;
            well_formed.call((string,))
        }
        other => other,
    }
}
