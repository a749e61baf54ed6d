//! Sockets that the host connected, as bytes and promises: what Node's `net` and `tls` stand on.

use crate::guest::{State, network};
use rquickjs::{Ctx, Exception, Function, Object, Promise, Result, TypedArray};
use std::rc::Rc;

pub(super) fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let own = state.clone();
    let connect = move |ctx: Ctx<'js>, host: String, port: f64| -> Result<Promise<'js>> {
        match port.fract() == 0.0 && (1.0..65_536.0).contains(&port) {
            true => network::connect(&ctx, &own, host, port as u16),
            false => Err(Exception::throw_range(&ctx, "port: 1 to 65535")),
        }
    };
    native.set("connect", Function::new(ctx.clone(), connect)?)?;
    let own = state.clone();
    let read = move |ctx: Ctx<'js>, id: f64| network::read(&ctx, &own, id as u64);
    native.set("read", Function::new(ctx.clone(), read)?)?;
    let own = state.clone();
    let write = move |ctx: Ctx<'js>, id: f64, bytes: TypedArray<'js, u8>| {
        let bytes = super::with_bytes(&bytes, <[u8]>::to_vec);
        network::write(&ctx, &own, id as u64, bytes)
    };
    native.set("write", Function::new(ctx.clone(), write)?)?;
    let own = state.clone();
    let end = move |id: f64| network::end(&own, id as u64);
    native.set("end", Function::new(ctx.clone(), end)?)?;
    let own = state.clone();
    let close = move |ctx: Ctx<'js>, id: f64| network::close(&ctx, &own, id as u64);
    native.set("close", Function::new(ctx.clone(), close)?)?;
    Ok(native)
}
