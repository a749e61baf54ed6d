//! A group: a store with all that lives in it, and the JavaScript that it leads to.
//!
//! The store is Rust's and lives as long as its group or a buffer over one of its memories. Functions that it
//! imports are values of the group's object, where the collector sees them, so that an instance and what it
//! imports can go together.

use super::buffers::Buffers;
use super::values;
use crate::guest::{Charge, State};
use rquickjs::class::{JsClass, Readable, Trace, Tracer};
use rquickjs::function::Constructor;
use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value, qjs};
use std::cell::{Cell, RefCell, UnsafeCell};
use std::collections::HashMap;
use std::ptr::NonNull;
use std::rc::{Rc, Weak};
use wasmi::{
    AsContextMut, Caller, Engine, Error, Func, FuncType, Global, Memory, ResourceLimiter, Store,
    StoreContextMut, Table, Val,
};

/// Bytes that a place in a table counts for.
const PLACE: usize = 8;
/// Of each kind, in one store.
const MOST: usize = 10_000;

/// What JavaScript does for us; see `wasm.js`, `helpers`.
pub(super) struct Helpers<'js> {
    /// An error of a kind, with the stack of now.
    pub error: Function<'js>,
    /// What is iterable, as an array.
    pub list: Function<'js>,
    /// A number for any value.
    pub hold: Function<'js>,
    /// And back.
    pub held: Function<'js>,
    /// The function object of a number, how many parameters it has, and its name.
    pub wrap: Function<'js>,
    /// And back; -1 for what is none of this group's.
    pub known: Function<'js>,
}

pub(super) struct Group<'js> {
    pub space: Rc<Space>,
    pub helpers: Helpers<'js>,
    /// What its instances import.
    pub functions: RefCell<Vec<Function<'js>>>,
    pub buffers: Buffers<'js>,
    /// What an import threw, on its way out.
    thrown: RefCell<Option<Value<'js>>>,
}

#[derive(Clone)]
pub(super) struct KnownFunc {
    pub handle: Func,
    pub ty: FuncType,
    pub own: Option<u32>,
}

/// Everything that JavaScript has seen of a kind, by its number.
struct Known<T> {
    all: Vec<T>,
    numbers: HashMap<u64, u32>,
}

impl<T: Clone> Known<T> {
    fn new() -> Self {
        Known {
            all: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    fn number(&mut self, key: u64, make: impl FnOnce() -> T) -> u32 {
        let next = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(make());
            next
        })
    }
}

/// What tells two handles of one store apart; wasmi does not compare them.
#[allow(
    unsafe_code,
    reason = "a handle is two plain numbers, which wasmi keeps to itself"
)]
fn key<T: Copy>(handle: &T) -> u64 {
    const { assert!(size_of::<T>() == size_of::<u64>()) };
    // SAFETY: as large as a u64, and without gaps: the store's number and the place in it.
    unsafe { std::mem::transmute_copy(handle) }
}

/// The store and whoever uses it now.
pub(super) struct Space {
    pub engine: Engine,
    store: UnsafeCell<Store<Data>>,
    /// While an import runs: the way to the store that WebAssembly gave it.
    active: Cell<*mut Caller<'static, Data>>,
    current: Cell<Option<Current>>,
    /// A memory's bytes are in a buffer that is not the memory's any more: they must stay where they are.
    pub pinned: Cell<bool>,
    funcs: RefCell<Known<KnownFunc>>,
    memories: RefCell<Known<Memory>>,
    tables: RefCell<Known<Table>>,
    globals: RefCell<Known<Global>>,
}

/// Where imports are called. Both live for the time of the call that is below.
#[derive(Clone, Copy)]
struct Current {
    ctx: NonNull<qjs::JSContext>,
    group: *const Group<'static>,
}

pub(super) struct Data {
    space: Weak<Space>,
    charge: Charge,
    last: usize,
}

impl ResourceLimiter for Data {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> std::result::Result<bool, wasmi_core::LimiterError> {
        let pinned = current > 0 && self.space.upgrade().is_some_and(|space| space.pinned.get());
        let too_much = maximum.is_some_and(|most| desired > most);
        self.last = desired.saturating_sub(current);
        Ok(!pinned && !too_much && self.charge.add(self.last))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> std::result::Result<bool, wasmi_core::LimiterError> {
        let too_much = maximum.is_some_and(|most| desired > most);
        self.last = desired.saturating_sub(current).saturating_mul(PLACE);
        Ok(!too_much && self.charge.add(self.last))
    }

    fn memory_grow_failed(
        &mut self,
        _: &wasmi::errors::MemoryError,
    ) -> std::result::Result<(), wasmi_core::LimiterError> {
        self.charge.take_off(self.last);
        Ok(())
    }

    fn table_grow_failed(
        &mut self,
        _: &wasmi::errors::TableError,
    ) -> std::result::Result<(), wasmi_core::LimiterError> {
        self.charge.take_off(self.last);
        Ok(())
    }

    fn instances(&self) -> usize {
        MOST
    }

    fn tables(&self) -> usize {
        MOST
    }

    fn memories(&self) -> usize {
        MOST
    }
}

impl Space {
    pub fn new(engine: &Engine, state: &State) -> Rc<Self> {
        Rc::new_cyclic(|space| {
            let mut store = Store::new(
                engine,
                Data {
                    space: space.clone(),
                    charge: Charge::nothing(state.gauge.clone()),
                    last: 0,
                },
            );
            store.limiter(|data| data);
            Space {
                engine: engine.clone(),
                store: UnsafeCell::new(store),
                active: Cell::new(std::ptr::null_mut()),
                current: Cell::new(None),
                pinned: Cell::new(false),
                funcs: RefCell::new(Known::new()),
                memories: RefCell::new(Known::new()),
                tables: RefCell::new(Known::new()),
                globals: RefCell::new(Known::new()),
            }
        })
    }

    /// The store, for work that runs no JavaScript but through [`import`].
    #[allow(
        unsafe_code,
        reason = "an import reaches the store that the call below it has borrowed"
    )]
    pub fn with<R>(&self, work: impl FnOnce(StoreContextMut<'_, Data>) -> R) -> R {
        let active = self.active.get();
        if active.is_null() {
            // SAFETY: no import runs, so nothing is below us that has the store: `work` runs no JavaScript
            // except in imports, and those set `active` first.
            work(unsafe { &mut *self.store.get() }.as_context_mut())
        } else {
            // SAFETY: the caller that WebAssembly gave to the innermost import, which does not touch it
            // while its JavaScript runs. It takes this away again before the caller ends.
            work(unsafe { &mut *active }.as_context_mut())
        }
    }

    /// `own`: its number in its module, where that is known.
    pub fn know_func(&self, handle: Func, own: Option<u32>) -> u32 {
        let ty = self.with(|store| handle.ty(&store));
        let mut funcs = self.funcs.borrow_mut();
        funcs.number(key(&handle), || KnownFunc { handle, ty, own })
    }

    pub fn know_memory(&self, handle: Memory) -> u32 {
        self.memories.borrow_mut().number(key(&handle), || handle)
    }

    pub fn know_table(&self, handle: Table) -> u32 {
        self.tables.borrow_mut().number(key(&handle), || handle)
    }

    pub fn know_global(&self, handle: Global) -> u32 {
        self.globals.borrow_mut().number(key(&handle), || handle)
    }

    pub fn func(&self, number: u32) -> Option<KnownFunc> {
        self.funcs.borrow().all.get(number as usize).cloned()
    }

    pub fn memory(&self, number: u32) -> Option<Memory> {
        self.memories.borrow().all.get(number as usize).copied()
    }

    pub fn table(&self, number: u32) -> Option<Table> {
        self.tables.borrow().all.get(number as usize).copied()
    }

    pub fn global(&self, number: u32) -> Option<Global> {
        self.globals.borrow().all.get(number as usize).copied()
    }
}

impl<'js> Group<'js> {
    pub fn new(space: Rc<Space>, helpers: &Object<'js>) -> Result<Self> {
        Ok(Group {
            space,
            helpers: Helpers {
                error: helpers.get("error")?,
                list: helpers.get("list")?,
                hold: helpers.get("hold")?,
                held: helpers.get("held")?,
                wrap: helpers.get("wrap")?,
                known: helpers.get("known")?,
            },
            functions: RefCell::default(),
            buffers: Buffers::default(),
            thrown: RefCell::default(),
        })
    }

    /// WebAssembly runs in `work`; its imports are called in `ctx`. Growth is seen to afterwards.
    pub fn enter<R>(&self, ctx: &Ctx<'js>, work: impl FnOnce(StoreContextMut<'_, Data>) -> R) -> R {
        self.buffers.pin_strays(ctx, &self.space);
        let current = Current {
            ctx: ctx.as_raw(),
            group: std::ptr::from_ref(self).cast(),
        };
        let before = self.space.current.replace(Some(current));
        let done = self.space.with(work);
        self.space.current.set(before);
        self.buffers.settle(ctx, &self.space);
        done
    }

    pub fn take_thrown(&self) -> Option<Value<'js>> {
        self.thrown.borrow_mut().take()
    }

    /// An imported function of JavaScript, as one of the store.
    pub fn host_func(&self, number: usize, ty: &FuncType) -> Func {
        let results = ty.results().to_vec();
        self.space.with(|store| {
            Func::new(store, ty.clone(), move |caller, params, out| {
                import(caller, number, params, &results, out)
            })
        })
    }

    fn call_import(
        &self,
        ctx: &Ctx<'js>,
        number: usize,
        params: &[Val],
        types: &[wasmi::ValType],
        out: &mut [Val],
    ) -> Result<()> {
        let function = self.functions.borrow().get(number).cloned();
        let function = function.ok_or(rquickjs::Error::Unknown)?;
        let mut args = rquickjs::function::Args::new(ctx.clone(), params.len());
        args.this(Value::new_undefined(ctx.clone()))?;
        for param in params {
            args.push_arg(values::to_js(ctx, self, param)?)?;
        }
        let value: Value = function.call_arg(args)?;
        match types {
            [] => {}
            [ty] => out[0] = values::to_wasm(ctx, self, value, *ty)?,
            _ => {
                let list: Array = self.helpers.list.call((value, types.len()))?;
                for (at, ty) in types.iter().enumerate() {
                    out[at] = values::to_wasm(ctx, self, list.get(at)?, *ty)?;
                }
            }
        }
        Ok(())
    }
}

/// That an import threw; what, is in the group.
#[derive(Debug)]
pub(super) struct Thrown;

impl std::fmt::Display for Thrown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an import threw")
    }
}

impl wasmi_core::HostError for Thrown {}

#[allow(unsafe_code, reason = "no lifetime goes through WebAssembly")]
fn import(
    mut caller: Caller<'_, Data>,
    number: usize,
    params: &[Val],
    types: &[wasmi::ValType],
    out: &mut [Val],
) -> std::result::Result<(), Error> {
    let space = caller.data().space.upgrade().ok_or_else(|| Error::host(Thrown))?;
    let current = space.current.get().ok_or_else(|| Error::host(Thrown))?;
    // SAFETY: `enter` is below us in the stack and keeps both; the lifetime is not longer than this call.
    let (ctx, group) = unsafe { (Ctx::from_raw(current.ctx), in_lifetime(current.group)) };
    let before = space.active.replace((&raw mut caller).cast());
    // JavaScript sees no buffer of before a growth.
    group.buffers.settle(&ctx, &space);
    let called = group.call_import(&ctx, number, params, types, out);
    if called.is_err() {
        *group.thrown.borrow_mut() = Some(ctx.catch());
    }
    group.buffers.pin_strays(&ctx, &space);
    space.active.set(before);
    called.map_err(|_| Error::host(Thrown))
}

/// # Safety
/// The group must live, and its values must be of the context that the lifetime is of.
#[allow(unsafe_code, reason = "no lifetime goes through WebAssembly")]
unsafe fn in_lifetime<'a, 'js>(group: *const Group<'static>) -> &'a Group<'js> {
    // SAFETY: as the caller promises.
    unsafe { &*group.cast() }
}

impl<'js> Trace<'js> for Group<'js> {
    fn trace<'a>(&self, tracer: Tracer<'a, 'js>) {
        let helpers = &self.helpers;
        for helper in [
            &helpers.error,
            &helpers.list,
            &helpers.hold,
            &helpers.held,
            &helpers.wrap,
            &helpers.known,
        ] {
            tracer.mark(helper.as_value());
        }
        if let Ok(functions) = self.functions.try_borrow() {
            for function in functions.iter() {
                tracer.mark(function.as_value());
            }
        }
        if let Ok(thrown) = self.thrown.try_borrow()
            && let Some(thrown) = &*thrown
        {
            tracer.mark(thrown);
        }
        self.buffers.trace(tracer);
    }
}

// SAFETY: the lifetime parameter is that of the JavaScript values inside, and only it changes.
#[allow(
    unsafe_code,
    reason = "the interpreter's lifetime trait can only be implemented so"
)]
unsafe impl<'js> JsLifetime<'js> for Group<'js> {
    type Changed<'to> = Group<'to>;
}

impl<'js> JsClass<'js> for Group<'js> {
    const NAME: &'static str = "WebAssemblyGroup";
    type Mutable = Readable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}
