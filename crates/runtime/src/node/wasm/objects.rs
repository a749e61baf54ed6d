//! Memories, tables and globals, as JavaScript makes, reads and changes them.

use super::group::Group;
use super::{failed, values};
use rquickjs::{Class, Ctx, Error, Function, Object, Result, Value};
use wasmi::{Global, Memory, MemoryType, Mutability, RefType, Table, TableType, Val};

pub(super) fn define<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    memories(ctx, native)?;
    tables(ctx, native)?;
    globals(ctx, native)
}

fn memories<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set(
        "memory",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, least: u32, most: Option<u32>| {
                let group = &*group.borrow();
                let made = group
                    .space
                    .with(|mut store| Memory::new(&mut store, MemoryType::new(least, most)));
                match made {
                    Ok(memory) => Ok(group.space.know_memory(memory)),
                    Err(_) => Err(failed(
                        &ctx,
                        group,
                        "RangeError",
                        "WebAssembly.Memory(): could not allocate memory",
                    )),
                }
            },
        )?,
    )?;
    native.set(
        "buffer",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32| {
                let group = &*group.borrow();
                group.buffers.get(&ctx, &group.space, number)
            },
        )?,
    )?;
    native.set(
        "growMemory",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, more: u32| {
                let group = &*group.borrow();
                let memory = group.space.memory(number).ok_or(Error::Unknown)?;
                let before = group.enter(&ctx, |mut store| memory.grow(&mut store, u64::from(more)));
                match before {
                    Ok(before) => {
                        // By nothing, too, in this form.
                        group.buffers.detach(&ctx, number);
                        Ok(before as f64)
                    }
                    Err(_) => Err(failed(
                        &ctx,
                        group,
                        "RangeError",
                        "WebAssembly.Memory.grow(): Maximum memory size exceeded",
                    )),
                }
            },
        )?,
    )
}

fn tables<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("table", Function::new(ctx.clone(), new_table)?)?;
    native.set(
        "tableGet",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, at: u32| {
                let group = &*group.borrow();
                let table = group.space.table(number).ok_or(Error::Unknown)?;
                match group.space.with(|store| table.get(&store, u64::from(at))) {
                    Some(found) => values::reference(&ctx, group, found),
                    None => Err(out_of_table(&ctx, group, "get", at)),
                }
            },
        )?,
    )?;
    native.set(
        "tableSet",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, at: u32, value: Value<'js>| {
                let group = &*group.borrow();
                let table = group.space.table(number).ok_or(Error::Unknown)?;
                if u64::from(at) >= group.space.with(|store| table.size(&store)) {
                    return Err(out_of_table(&ctx, group, "set", at));
                }
                let ty = group.space.with(|store| table.ty(&store)).element();
                let value = values::to_reference(&ctx, group, value, ty.into())?;
                match group
                    .space
                    .with(|mut store| table.set(&mut store, u64::from(at), value))
                {
                    Ok(()) => Ok(()),
                    Err(_) => Err(out_of_table(&ctx, group, "set", at)),
                }
            },
        )?,
    )?;
    native.set(
        "tableGrow",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, more: u32, value: Value<'js>| {
                let group = &*group.borrow();
                let table = group.space.table(number).ok_or(Error::Unknown)?;
                let ty = group.space.with(|store| table.ty(&store)).element();
                let value = values::to_reference(&ctx, group, value, ty.into())?;
                let grown = group
                    .space
                    .with(|mut store| table.grow(&mut store, u64::from(more), value));
                match grown {
                    Ok(before) => Ok(before as f64),
                    Err(_) => Err(failed(
                        &ctx,
                        group,
                        "RangeError",
                        &format!("WebAssembly.Table.grow(): failed to grow table by {more}"),
                    )),
                }
            },
        )?,
    )?;
    native.set(
        "tableOfFunctions",
        Function::new(ctx.clone(), |group: Class<'js, Group<'js>>, number: u32| {
            let group = &*group.borrow();
            let table = group.space.table(number).ok_or(Error::Unknown)?;
            let element = group.space.with(|store| table.ty(&store)).element();
            Ok::<_, Error>(element == RefType::Func)
        })?,
    )?;
    native.set(
        "tableLength",
        Function::new(ctx.clone(), |group: Class<'js, Group<'js>>, number: u32| {
            let group = &*group.borrow();
            let table = group.space.table(number).ok_or(Error::Unknown)?;
            Ok::<_, Error>(group.space.with(|store| table.size(&store)) as f64)
        })?,
    )
}

fn new_table<'js>(
    ctx: Ctx<'js>,
    group: Class<'js, Group<'js>>,
    element: String,
    least: u32,
    most: Option<u32>,
    value: Value<'js>,
) -> Result<u32> {
    let group = &*group.borrow();
    let ty = values::named(&ctx, &element)?;
    let first = values::to_reference(&ctx, group, value, ty)?;
    let made = group
        .space
        .with(|mut store| Table::new(&mut store, TableType::new(first.ty(), least, most), first));
    match made {
        Ok(table) => Ok(group.space.know_table(table)),
        Err(_) => Err(failed(
            &ctx,
            group,
            "RangeError",
            "WebAssembly.Table(): could not allocate table",
        )),
    }
}

fn out_of_table<'js>(ctx: &Ctx<'js>, group: &Group<'js>, what: &str, at: u32) -> Error {
    let text = format!("WebAssembly.Table.{what}(): invalid address {at} in table");
    failed(ctx, group, "RangeError", &text)
}

fn globals<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("global", Function::new(ctx.clone(), new_global)?)?;
    native.set(
        "globalGet",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32| {
                let group = &*group.borrow();
                let global = group.space.global(number).ok_or(Error::Unknown)?;
                let value = group.space.with(|store| global.get(&store));
                values::to_js(&ctx, group, &value)
            },
        )?,
    )?;
    native.set(
        "globalSet",
        Function::new(
            ctx.clone(),
            |ctx: Ctx<'js>, group: Class<'js, Group<'js>>, number: u32, value: Value<'js>| {
                let group = &*group.borrow();
                let global = group.space.global(number).ok_or(Error::Unknown)?;
                let ty = group.space.with(|store| global.ty(&store));
                if !ty.mutability().is_mut() {
                    return Err(failed(
                        &ctx,
                        group,
                        "TypeError",
                        "set WebAssembly.Global.value: Can't set the value of an immutable global.",
                    ));
                }
                let value = values::to_wasm(&ctx, group, value, ty.content())?;
                match group.space.with(|mut store| global.set(&mut store, value)) {
                    Ok(()) => Ok(()),
                    Err(error) => Err(failed(&ctx, group, "TypeError", &error.to_string())),
                }
            },
        )?,
    )
}

/// Nothing as `value` is the type's zero.
fn new_global<'js>(
    ctx: Ctx<'js>,
    group: Class<'js, Group<'js>>,
    ty: String,
    mutable: bool,
    value: Value<'js>,
) -> Result<u32> {
    let group = &*group.borrow();
    let ty = values::named(&ctx, &ty)?;
    let value = if value.is_undefined() && !ty.is_ref() {
        Val::default_for_ty(ty)
    } else {
        values::to_wasm(&ctx, group, value, ty)?
    };
    let kind = if mutable {
        Mutability::Var
    } else {
        Mutability::Const
    };
    let global = group.space.with(|mut store| Global::new(&mut store, value, kind));
    Ok(group.space.know_global(global))
}
