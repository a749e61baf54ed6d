//! Values on their way over the border, as the JavaScript interface of WebAssembly has them.

use super::group::Group;
use rquickjs::{Coerced, Ctx, Error, Exception, FromJs, Result, Value, qjs};
use wasmi::{ExternRef, F32, F64, Nullable, Ref, RefType, Val, ValType};

/// May call `valueOf` of the value, and so any code of the tool.
pub(super) fn to_wasm<'js>(
    ctx: &Ctx<'js>,
    group: &Group<'js>,
    value: Value<'js>,
    ty: ValType,
) -> Result<Val> {
    Ok(match ty {
        ValType::I32 => Val::I32(Coerced::<i32>::from_js(ctx, value)?.0),
        ValType::I64 => Val::I64(big(ctx, &value)?),
        ValType::F32 => Val::F32(F32::from_float(number(ctx, value)? as f32)),
        ValType::F64 => Val::F64(F64::from_float(number(ctx, value)?)),
        ValType::FuncRef | ValType::ExternRef => match to_reference(ctx, group, value, ty)? {
            Ref::Func(func) => Val::FuncRef(func),
            Ref::Extern(held) => Val::ExternRef(held),
        },
        ValType::V128 => return Err(no_vectors(ctx)),
    })
}

/// What is no reference has no null either: `ty` is one of the two.
pub(super) fn to_reference<'js>(
    ctx: &Ctx<'js>,
    group: &Group<'js>,
    value: Value<'js>,
    ty: ValType,
) -> Result<Ref> {
    let nothing = value.is_null();
    Ok(match ty {
        ValType::FuncRef if nothing => Ref::null(RefType::Func),
        ValType::FuncRef => {
            let number: i64 = group.helpers.known.call((value,))?;
            match u32::try_from(number)
                .ok()
                .and_then(|number| group.space.func(number))
            {
                Some(func) => Ref::Func(Nullable::Val(func.handle)),
                None => {
                    return Err(Exception::throw_type(
                        ctx,
                        "function-typed object expected: null (if nullable) or a Wasm function object",
                    ));
                }
            }
        }
        _ if nothing => Ref::null(RefType::Extern),
        _ => {
            let number: u32 = group.helpers.hold.call((value,))?;
            let held = group.space.with(|mut store| ExternRef::new(&mut store, number));
            Ref::Extern(Nullable::Val(held))
        }
    })
}

pub(super) fn to_js<'js>(ctx: &Ctx<'js>, group: &Group<'js>, value: &Val) -> Result<Value<'js>> {
    Ok(match value {
        Val::I32(number) => Value::new_int(ctx.clone(), *number),
        Val::I64(number) => from_big(ctx, *number)?,
        Val::F32(number) => from_number(ctx, f64::from(number.to_float())),
        Val::F64(number) => from_number(ctx, number.to_float()),
        Val::FuncRef(func) => reference(ctx, group, Ref::Func(*func))?,
        Val::ExternRef(held) => reference(ctx, group, Ref::Extern(*held))?,
        Val::V128(_) => return Err(no_vectors(ctx)),
    })
}

pub(super) fn reference<'js>(ctx: &Ctx<'js>, group: &Group<'js>, value: Ref) -> Result<Value<'js>> {
    match value {
        Ref::Func(Nullable::Val(func)) => {
            let number = group.space.know_func(func, None);
            let known = group.space.func(number).ok_or(Error::Unknown)?;
            let name = known.own.unwrap_or(number).to_string();
            group.helpers.wrap.call((number, known.ty.params().len(), name))
        }
        Ref::Extern(Nullable::Val(held)) => {
            let number = group
                .space
                .with(|store| held.data(&store).downcast_ref::<u32>().copied());
            group.helpers.held.call((number.ok_or(Error::Unknown)?,))
        }
        Ref::Func(Nullable::Null) | Ref::Extern(Nullable::Null) => Ok(Value::new_null(ctx.clone())),
    }
}

pub(super) fn no_vectors(ctx: &Ctx<'_>) -> Error {
    Exception::throw_type(ctx, "type incompatibility when transforming from/to JS")
}

fn number<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<f64> {
    Ok(Coerced::<f64>::from_js(ctx, value)?.0)
}

/// As an integer where it is one, but for the zero that is none.
fn from_number<'js>(ctx: &Ctx<'js>, number: f64) -> Value<'js> {
    if number == 0.0 && number.is_sign_negative() {
        Value::new_float(ctx.clone(), number)
    } else {
        Value::new_number(ctx.clone(), number)
    }
}

#[allow(
    unsafe_code,
    reason = "rquickjs turns no strings and booleans into big integers"
)]
fn big<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<i64> {
    let mut number = 0;
    // SAFETY: the value is of this context; the number is written before it is read.
    let failed = unsafe { qjs::JS_ToBigInt64(ctx.as_raw().as_ptr(), &raw mut number, value.as_raw()) };
    if failed == 0 {
        Ok(number)
    } else {
        Err(Error::Exception)
    }
}

#[allow(unsafe_code, reason = "rquickjs makes no value of a raw one")]
fn from_big<'js>(ctx: &Ctx<'js>, number: i64) -> Result<Value<'js>> {
    // SAFETY: the value is new, and this takes it.
    let value = unsafe { Value::from_raw(ctx.clone(), qjs::JS_NewBigInt64(ctx.as_raw().as_ptr(), number)) };
    if value.type_of() == rquickjs::Type::Exception {
        return Err(Error::Exception);
    }
    Ok(value)
}

/// By its name in descriptors.
pub(super) fn named(ctx: &Ctx<'_>, name: &str) -> Result<ValType> {
    Ok(match name {
        "i32" => ValType::I32,
        "i64" => ValType::I64,
        "f32" => ValType::F32,
        "f64" => ValType::F64,
        "anyfunc" => ValType::FuncRef,
        "externref" => ValType::ExternRef,
        _ => return Err(no_vectors(ctx)),
    })
}
