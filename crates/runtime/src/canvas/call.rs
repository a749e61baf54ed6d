//! How a native function meets JavaScript: argument counts, conversions, brands, exceptions.
//!
//! Conversions follow WebIDL: numbers by ToNumber, strings by ToString, the object's class by its
//! brand. They all happen before a canvas is borrowed, because they may run the script's own code.

use ::canvas::{CanvasError, ColorSpace};
use rquickjs::class::JsClass;
use rquickjs::convert::Coerced;
use rquickjs::function::{IntoJsFunc, ParamRequirement, Params};
use rquickjs::object::{Accessor, Property};
use rquickjs::{Class, Ctx, Error, Exception, FromJs, Function, IntoJs, Object, Result, Value};

/// The arguments of one call, and the name to complain with.
pub(super) struct Call<'a, 'js> {
    name: &'static str,
    params: Params<'a, 'js>,
}

impl<'js> Call<'_, 'js> {
    pub fn ctx(&self) -> &Ctx<'js> {
        self.params.ctx()
    }

    pub fn len(&self) -> usize {
        self.params.len()
    }

    /// The argument, `undefined` where it is missing.
    pub fn value(&self, index: usize) -> Value<'js> {
        self.params
            .arg(index)
            .unwrap_or_else(|| Value::new_undefined(self.ctx().clone()))
    }

    /// `None` for a missing argument and for `undefined`.
    pub fn given(&self, index: usize) -> Option<Value<'js>> {
        self.params.arg(index).filter(|v| !v.is_undefined())
    }

    pub fn number(&self, index: usize) -> Result<f64> {
        let value = self.value(index);
        match value.as_number() {
            Some(number) => Ok(number),
            None => Ok(Coerced::<f64>::from_js(self.ctx(), value)?.0),
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
        Ok(Coerced::<bool>::from_js(self.ctx(), self.value(index))?.0)
    }

    pub fn text(&self, index: usize) -> Result<String> {
        text_of(self.ctx(), self.value(index))
    }

    /// A colour space's name; JavaScript has checked it.
    pub fn space(&self, index: usize) -> Result<ColorSpace> {
        ColorSpace::parse(&self.text(index)?).ok_or_else(|| self.type_error("no such colour space"))
    }

    pub fn this<T: JsClass<'js>>(&self) -> Result<Class<'js, T>> {
        self.params
            .this()
            .as_object()
            .and_then(Class::from_object)
            .ok_or_else(|| self.type_error("Illegal invocation"))
    }

    /// The argument as one of our objects; `what` completes "argument 1 is not …".
    pub fn object<T: JsClass<'js>>(&self, index: usize, what: &str) -> Result<Class<'js, T>> {
        self.maybe_object(index)
            .ok_or_else(|| self.type_error(&format!("argument {} is not {what}", index + 1)))
    }

    pub fn maybe_object<T: JsClass<'js>>(&self, index: usize) -> Option<Class<'js, T>> {
        self.params.arg(index)?.as_object().and_then(Class::from_object)
    }

    pub fn plain_object(&self, index: usize) -> Result<Object<'js>> {
        let value = self.value(index);
        value
            .into_object()
            .ok_or_else(|| self.type_error(&format!("argument {} is not an object", index + 1)))
    }

    pub fn type_error(&self, message: &str) -> Error {
        Exception::throw_type(self.ctx(), &format!("{}: {message}", self.name))
    }

    /// The exception that the standard names for this failure.
    pub fn raise(&self, error: CanvasError) -> Error {
        let message = format!("{}: {error}", self.name);
        match error.dom_name() {
            "TypeError" => Exception::throw_type(self.ctx(), &message),
            "RangeError" => Exception::throw_range(self.ctx(), &message),
            name => Exception::throw_dom(self.ctx(), name, &message),
        }
    }

    pub fn dom_error(&self, name: &str, message: &str) -> Error {
        Exception::throw_dom(self.ctx(), name, &format!("{}: {message}", self.name))
    }

    pub fn range_error(&self, message: &str) -> Error {
        Exception::throw_range(self.ctx(), &format!("{}: {message}", self.name))
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
        Err(Exception::throw_type(self.ctx(), &message))
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

/// Marks our functions for the interpreter's conversion trait.
struct Ours;

struct Native<F> {
    name: &'static str,
    required: usize,
    body: F,
}

impl<'js, F, R> IntoJsFunc<'js, (Ours, R)> for Native<F>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js>,
{
    fn param_requirements() -> ParamRequirement {
        ParamRequirement::any()
    }

    fn call<'a>(&self, params: Params<'a, 'js>) -> Result<Value<'js>> {
        let call = Call {
            name: self.name,
            params,
        };
        call.check_count(self.required)?;
        (self.body)(&call)?.into_js(call.ctx())
    }
}

/// Defines a method on `target`; `required` is also its `length`.
pub(super) fn method<'js, R, F>(
    target: &Object<'js>,
    name: &'static str,
    required: usize,
    body: F,
) -> Result<()>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let function = Function::new(target.ctx().clone(), Native { name, required, body })?
        .with_name(name)?
        .with_length(required)?;
    target.prop(
        name,
        Property::from(function).writable().enumerable().configurable(),
    )
}

pub(super) fn getter<'js, R, F>(target: &Object<'js>, name: &'static str, get: F) -> Result<()>
where
    F: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    R: IntoJs<'js> + 'js,
{
    let get = Native {
        name,
        required: 0,
        body: get,
    };
    target.prop(name, Accessor::new_get(get).enumerable().configurable())
}

pub(super) fn attribute<'js, R, G, S>(target: &Object<'js>, name: &'static str, get: G, set: S) -> Result<()>
where
    G: for<'a> Fn(&Call<'a, 'js>) -> Result<R> + 'js,
    S: for<'a> Fn(&Call<'a, 'js>) -> Result<()> + 'js,
    R: IntoJs<'js> + 'js,
{
    let get = Native {
        name,
        required: 0,
        body: get,
    };
    let set = Native {
        name,
        required: 1,
        body: set,
    };
    target.prop(name, Accessor::new_get(get).set(set).enumerable().configurable())
}
