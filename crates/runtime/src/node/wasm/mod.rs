//! The native half of `WebAssembly`: wasmi, an interpreter. A compiler (wasmtime) would be many times quicker, but
//! needs pages that are written and then run, and the wall of a worker forbids those; work that wants one says
//! `sandboxType: 'node'`. wasmi makes the worker's program 4.5 MB larger (27.2 before), 1.7 of them for SIMD.
//!
//! Memories, tables and modules count into the tool's memory. Code runs on fuel, in slices: between two of
//! them a limit of time or a cancelled run ends it. A start function is no part of what wasmi makes of a module,
//! but called so afterwards.
//!
//! `wasm.js` has the interface and the caches of objects. Here are groups (`group`), values on their way
//! (`values`), and memories' buffers (`buffers`).
//!
//! Not here: threads and shared memories, exceptions and tags, memories of 64 bits, garbage-collected types.

mod binary;
mod buffers;
mod group;
mod module;
mod objects;
mod values;

use crate::guest::State;
use group::{Group, Thrown};
use module::Compiled;
use rquickjs::convert::List;
use rquickjs::function::Rest;
use rquickjs::{Array, Class, Ctx, Error, Function, Object, Result, Value};
use std::rc::Rc;
use wasmi::{Extern, Func, Instance, Nullable, Ref, ResumableCall, StoreContextMut, TrapCode, Val, ValType};

/// Fuel of a slice: a few milliseconds.
const SLICE: u64 = 1_000_000;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    module::define(ctx, &native, state)?;
    let shared = state.clone();
    native.set(
        "group",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, module: Option<Class<'js, Compiled>>, helpers: Object<'js>| {
                let engine = match module {
                    Some(module) => module.borrow().engine().clone(),
                    None => module::engine(),
                };
                let group = Group::new(group::Space::new(&engine, &shared), &helpers)?;
                Class::instance(ctx, group)
            },
        )?,
    )?;
    native.set("adopt", Function::new(ctx.clone(), adopt)?)?;
    let shared = state.clone();
    native.set(
        "instantiate",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>,
                  group: Class<'js, Group<'js>>,
                  module: Class<'js, Compiled>,
                  imports: Vec<i64>,
                  functions: Vec<Function<'js>>| {
                instantiate(
                    &ctx,
                    &shared,
                    &group.borrow(),
                    &module.borrow(),
                    imports,
                    functions,
                )
            },
        )?,
    )?;
    let shared = state.clone();
    native.set(
        "call",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, args: Rest<Value<'js>>| {
                call(&ctx, &shared, &group.borrow(), number, args.0)
            },
        )?,
    )?;
    objects::define(ctx, &native)?;
    Ok(native)
}

/// A function of another store as one of this: JavaScript calls it, with the other's type.
fn adopt<'js>(
    group: Class<'js, Group<'js>>,
    other: Class<'js, Group<'js>>,
    number: u32,
    function: Function<'js>,
) -> Result<u32> {
    let (group, other) = (&*group.borrow(), &*other.borrow());
    let known = other.space.func(number).ok_or(Error::Unknown)?;
    let at = group.functions.borrow().len();
    group.functions.borrow_mut().push(function);
    let func = group.host_func(at, &known.ty);
    Ok(group.space.know_func(func, known.own))
}

/// The exported functions, calls of which begin here.
fn call<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    group: &Group<'js>,
    number: u32,
    args: Vec<Value<'js>>,
) -> Result<Value<'js>> {
    let known = group.space.func(number).ok_or(Error::Unknown)?;
    let mut args = args.into_iter();
    let mut params = Vec::with_capacity(known.ty.params().len());
    for ty in known.ty.params() {
        let value = args.next().unwrap_or_else(|| Value::new_undefined(ctx.clone()));
        params.push(values::to_wasm(ctx, group, value, *ty)?);
    }
    let types = known.ty.results();
    if known
        .ty
        .params()
        .iter()
        .chain(types)
        .any(|ty| *ty == ValType::V128)
    {
        return Err(values::no_vectors(ctx));
    }
    let mut out: Vec<Val> = types.iter().map(|ty| Val::default_for_ty(*ty)).collect();
    group
        .enter(ctx, |store| run(store, state, &known.handle, &params, &mut out))
        .map_err(|error| thrown(ctx, group, &error, Some(number)))?;
    match &out[..] {
        [] => Ok(Value::new_undefined(ctx.clone())),
        [one] => values::to_js(ctx, group, one),
        many => {
            let list = Array::new(ctx.clone())?;
            for (at, one) in many.iter().enumerate() {
                list.set(at, values::to_js(ctx, group, one)?)?;
            }
            Ok(list.into_value())
        }
    }
}

/// That a halt came between two slices. JavaScript is interrupted by the same halt.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
struct Halted;

impl wasmi_core::HostError for Halted {}

/// A call in a call leaves the outer one what it had.
fn run(
    mut store: StoreContextMut<'_, group::Data>,
    state: &State,
    func: &Func,
    params: &[Val],
    out: &mut [Val],
) -> std::result::Result<(), wasmi::Error> {
    let outer = store.get_fuel()?;
    let ended = in_slices(&mut store, state, func, params, out);
    store.set_fuel(outer)?;
    ended
}

fn in_slices(
    store: &mut StoreContextMut<'_, group::Data>,
    state: &State,
    func: &Func,
    params: &[Val],
    out: &mut [Val],
) -> std::result::Result<(), wasmi::Error> {
    if state.control.interrupts() {
        return Err(wasmi::Error::host(Halted));
    }
    store.set_fuel(SLICE)?;
    let mut called = func.call_resumable(&mut *store, params, out)?;
    loop {
        match called {
            ResumableCall::Finished => return Ok(()),
            ResumableCall::HostTrap(trap) => return Err(trap.into_host_error()),
            ResumableCall::OutOfFuel(rest) => {
                if state.control.interrupts() {
                    return Err(wasmi::Error::host(Halted));
                }
                store.set_fuel(SLICE.max(rest.required_fuel()))?;
                called = rest.resume(&mut *store, out)?;
            }
        }
    }
}

/// What code of the tool sees of a failure: what an import threw, or an error with the stack of now.
/// `called`: the function's number, where one was called.
fn thrown<'js>(ctx: &Ctx<'js>, group: &Group<'js>, error: &wasmi::Error, called: Option<u32>) -> Error {
    if error.downcast_ref::<Thrown>().is_some()
        && let Some(value) = group.take_thrown()
    {
        return ctx.throw(value);
    }
    let (kind, text) = match error.as_trap_code() {
        Some(TrapCode::StackOverflow) => ("RangeError", "Maximum call stack size exceeded".to_owned()),
        Some(code) => ("RuntimeError", trap(code).to_owned()),
        None => ("RuntimeError", error.to_string()),
    };
    failed_in(ctx, group, kind, &text, called)
}

fn failed<'js>(ctx: &Ctx<'js>, group: &Group<'js>, kind: &str, text: &str) -> Error {
    failed_in(ctx, group, kind, text, None)
}

fn failed_in<'js>(ctx: &Ctx<'js>, group: &Group<'js>, kind: &str, text: &str, called: Option<u32>) -> Error {
    match group.helpers.error.call::<_, Value>((kind, text, called)) {
        Ok(made) => ctx.throw(made),
        Err(error) => error,
    }
}

/// In the words that packages know from V8.
fn trap(code: TrapCode) -> &'static str {
    match code {
        TrapCode::UnreachableCodeReached => "unreachable",
        TrapCode::MemoryOutOfBounds => "memory access out of bounds",
        TrapCode::TableOutOfBounds => "table index is out of bounds",
        TrapCode::IndirectCallToNull | TrapCode::BadSignature => {
            "null function or function signature mismatch"
        }
        TrapCode::IntegerDivisionByZero => "divide by zero",
        TrapCode::IntegerOverflow | TrapCode::BadConversionToInteger => {
            "float unrepresentable in integer range"
        }
        _ => code.trap_message(),
    }
}

/// `imports` are numbers, in the order of the module: of what is known to the group, or below zero for the
/// functions of JavaScript, -1 being the first of `functions`. Gives name, kind, number and, of a function, its
/// object for each export.
fn instantiate<'js>(
    ctx: &Ctx<'js>,
    state: &State,
    group: &Group<'js>,
    compiled: &Compiled,
    imports: Vec<i64>,
    functions: Vec<Function<'js>>,
) -> Result<Array<'js>> {
    let space = &group.space;
    let module = match compiled.of(&space.engine) {
        Ok(module) => module,
        Err(error) => return Err(failed(ctx, group, "CompileError", &error.to_string())),
    };
    let base = group.functions.borrow().len();
    group.functions.borrow_mut().extend(functions);
    let mut given = Vec::new();
    for (import, number) in module.imports().zip(imports) {
        let found = match (import.ty(), u32::try_from(number)) {
            (wasmi::ExternType::Func(ty), Err(_)) => {
                let at = usize::try_from(-1 - number).unwrap_or(usize::MAX);
                Some(Extern::Func(group.host_func(base.saturating_add(at), ty)))
            }
            (_, Err(_)) => None,
            (wasmi::ExternType::Func(_), Ok(number)) => {
                space.func(number).map(|known| Extern::Func(known.handle))
            }
            (wasmi::ExternType::Memory(_), Ok(number)) => space.memory(number).map(Extern::Memory),
            (wasmi::ExternType::Table(_), Ok(number)) => space.table(number).map(Extern::Table),
            (wasmi::ExternType::Global(_), Ok(number)) => space.global(number).map(Extern::Global),
        };
        given.push(found.ok_or(Error::Unknown)?);
    }
    let made = group.enter(ctx, |mut store| {
        // Nothing of the module runs: its start function is called below.
        let outer = store.get_fuel()?;
        store.set_fuel(u64::MAX)?;
        let made = Instance::new(&mut store, &module, &given);
        store.set_fuel(outer)?;
        made
    });
    let instance = made.map_err(|error| match error.as_trap_code() {
        Some(_) => thrown(ctx, group, &error, None),
        None => failed(ctx, group, "LinkError", &error.to_string()),
    })?;
    if let Some(start) = compiled.start()
        && let Some(func) = space.with(|store| instance.get_func(&store, start))
    {
        group
            .enter(ctx, |store| run(store, state, &func, &[], &mut []))
            .map_err(|error| thrown(ctx, group, &error, None))?;
    }
    let exports: Vec<(String, Extern)> = space.with(|store| {
        instance
            .exports(&store)
            .filter(|export| Some(export.name()) != compiled.start())
            .map(|export| (export.name().to_owned(), export.into_extern()))
            .collect()
    });
    let list = Array::new(ctx.clone())?;
    for (next, (name, export)) in exports.into_iter().enumerate() {
        let place = compiled.place(&name);
        let at = place.map_or(next, |place| place.at);
        let (kind, number) = match export {
            Extern::Func(func) => {
                let own = place.and_then(|place| place.function);
                ("function", space.know_func(func, own))
            }
            Extern::Memory(memory) => ("memory", space.know_memory(memory)),
            Extern::Table(table) => ("table", space.know_table(table)),
            Extern::Global(global) => ("global", space.know_global(global)),
        };
        let value = match export {
            Extern::Func(func) => values::reference(ctx, group, Ref::Func(Nullable::Val(func)))?,
            _ => Value::new_undefined(ctx.clone()),
        };
        list.set(at, List((name, kind, number, value)))?;
    }
    Ok(list)
}
