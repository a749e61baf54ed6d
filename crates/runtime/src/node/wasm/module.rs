//! Modules: compiled, and what they say of themselves.

use super::binary::{self, Place};
use crate::guest::{Charge, State};
use crate::node::with_bytes;
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::convert::List;
use rquickjs::function::Constructor;
use rquickjs::{Array, ArrayBuffer, Class, Ctx, Function, JsLifetime, Object, Result, TypedArray, Value};
use std::collections::HashMap;
use std::rc::Rc;
use wasmi::{Config, CustomFuelCosts, Engine, ExternType, Module, ValType};

/// What a byte of a module becomes in memory, about.
const EXPANSION: usize = 6;
/// Calls in calls, and bytes of their values.
const DEPTH: usize = 20_000;
const STACK: usize = 16 * 1024 * 1024;

/// A function that is translated at its first call takes none: wasmi cannot go on where it is short of it then.
const FUEL: CustomFuelCosts = CustomFuelCosts {
    bytes_copied_per_fuel: 64,
    fuel_per_bytes_translated: 0,
    fuel_per_bytes_validated: 0,
};

/// A module with an engine of its own: the code goes when the module does.
pub(super) struct Compiled {
    module: Module,
    /// Without a start function: that is `start`.
    bytes: Vec<u8>,
    places: HashMap<String, Place>,
    start: Option<String>,
    _charge: Charge,
}

pub(super) fn engine() -> Engine {
    let mut config = Config::default();
    config
        .consume_fuel(true)
        .fuel_cost(FUEL)
        .set_max_recursion_depth(DEPTH)
        .set_max_stack_height(STACK);
    Engine::new(&config)
}

impl Compiled {
    pub fn start(&self) -> Option<&str> {
        self.start.as_deref()
    }

    pub fn place(&self, export: &str) -> Option<Place> {
        self.places.get(export).copied()
    }

    pub fn engine(&self) -> &Engine {
        self.module.engine()
    }

    /// For a store of another engine it is compiled again.
    pub fn of(&self, engine: &Engine) -> std::result::Result<Module, wasmi::Error> {
        if Engine::same(engine, self.engine()) {
            return Ok(self.module.clone());
        }
        Module::new(engine, &self.bytes)
    }
}

pub(super) fn define<'js>(ctx: &Ctx<'js>, native: &Object<'js>, state: &Rc<State>) -> Result<()> {
    let shared = state.clone();
    native.set(
        "compile",
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, bytes: TypedArray<'js, u8>| {
            compile(&ctx, &shared, &bytes)
        })?,
    )?;
    native.set(
        "validate",
        Function::new(ctx.clone(), |bytes: TypedArray<'js, u8>| {
            with_bytes(&bytes, |bytes| Module::validate(&engine(), bytes).is_ok())
        })?,
    )?;
    native.set("imports", Function::new(ctx.clone(), imports)?)?;
    native.set("exports", Function::new(ctx.clone(), exports)?)?;
    native.set("customSections", Function::new(ctx.clone(), custom_sections)?)
}

/// The module, or why there is none.
fn compile<'js>(ctx: &Ctx<'js>, state: &State, bytes: &TypedArray<'js, u8>) -> Result<Value<'js>> {
    let mut charge = Charge::nothing(state.gauge.clone());
    if !charge.add(bytes.len().saturating_mul(1 + EXPANSION)) {
        return Err(rquickjs::Error::Allocation);
    }
    let bytes = with_bytes(bytes, <[u8]>::to_vec);
    let compiled = Module::new(&engine(), &bytes).and_then(|module| {
        let places = binary::exports(&bytes);
        let (module, bytes, start) = match binary::quiet(&bytes) {
            Some(quiet) => (
                Module::new(&engine(), &quiet.bytes)?,
                quiet.bytes,
                Some(quiet.start),
            ),
            None => (module, bytes, None),
        };
        Ok(Compiled {
            module,
            bytes,
            places,
            start,
            _charge: charge,
        })
    });
    match compiled {
        Ok(compiled) => Ok(Class::instance(ctx.clone(), compiled)?.into_value()),
        Err(error) => Ok(rquickjs::String::from_str(ctx.clone(), &error.to_string())?.into_value()),
    }
}

/// `[module, name, kind, type]` of each; the type is a text to compare.
fn imports<'js>(ctx: Ctx<'js>, module: Class<'js, Compiled>) -> Result<Array<'js>> {
    let list = Array::new(ctx)?;
    for (at, import) in module.borrow().module.imports().enumerate() {
        let ty = import.ty();
        list.set(at, List((import.module(), import.name(), kind(ty), content(ty))))?;
    }
    Ok(list)
}

fn exports<'js>(ctx: Ctx<'js>, module: Class<'js, Compiled>) -> Result<Array<'js>> {
    let list = Array::new(ctx)?;
    let module = module.borrow();
    let own = module
        .module
        .exports()
        .filter(|export| Some(export.name()) != module.start());
    for (next, export) in own.enumerate() {
        let at = module.place(export.name()).map_or(next, |place| place.at);
        list.set(at, List((export.name(), kind(export.ty()))))?;
    }
    Ok(list)
}

fn custom_sections<'js>(ctx: Ctx<'js>, module: Class<'js, Compiled>, name: String) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    let module = &module.borrow().module;
    let named = module.custom_sections().filter(|section| section.name() == name);
    for (at, section) in named.enumerate() {
        list.set(at, ArrayBuffer::new_copy(ctx.clone(), section.data())?)?;
    }
    Ok(list)
}

fn kind(ty: &ExternType) -> &'static str {
    match ty {
        ExternType::Func(_) => "function",
        ExternType::Table(_) => "table",
        ExternType::Memory(_) => "memory",
        ExternType::Global(_) => "global",
    }
}

/// Of a global, so that a number can be given for it.
fn content(ty: &ExternType) -> &'static str {
    match ty {
        ExternType::Global(ty) if ty.mutability().is_mut() => "mutable",
        ExternType::Global(ty) => match ty.content() {
            ValType::I32 => "i32",
            ValType::I64 => "i64",
            ValType::F32 => "f32",
            ValType::F64 => "f64",
            ValType::V128 => "v128",
            ValType::FuncRef => "anyfunc",
            ValType::ExternRef => "externref",
        },
        _ => "",
    }
}

impl<'js> Trace<'js> for Compiled {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: the type holds no JavaScript value and has no lifetime.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for Compiled {
    type Changed<'to> = Compiled;
}

impl<'js> JsClass<'js> for Compiled {
    const NAME: &'static str = "WebAssemblyModule";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}
