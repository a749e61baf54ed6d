//! Sockets that the host connected, as bytes and promises: what Node's `net` and `tls` stand on.

use crate::guest::{State, network};
use network::Tuning;
use rquickjs::{Ctx, Exception, Function, Object, Promise, Result, TypedArray};
use std::rc::Rc;
use std::time::Duration;

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
    let close = move |ctx: Ctx<'js>, id: f64, reset: bool| network::close(&ctx, &own, id as u64, reset);
    native.set("close", Function::new(ctx.clone(), close)?)?;
    let own = state.clone();
    let resolve = move |ctx: Ctx<'js>, host: String| network::resolve(&ctx, &own, host);
    native.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    let own = state.clone();
    let listen = move |ctx: Ctx<'js>, host: String, port: u16| network::listen(&ctx, &own, host, port);
    native.set("listen", Function::new(ctx.clone(), listen)?)?;
    let own = state.clone();
    let accept = move |ctx: Ctx<'js>, id: f64| network::accept(&ctx, &own, id as u64);
    native.set("accept", Function::new(ctx.clone(), accept)?)?;
    tuning(ctx, state, &native)?;
    Ok(native)
}

fn tuning<'js>(ctx: &Ctx<'js>, state: &Rc<State>, native: &Object<'js>) -> Result<()> {
    let own = state.clone();
    let hold = move |id: f64, held: bool| network::hold(&own, id as u64, held);
    native.set("hold", Function::new(ctx.clone(), hold)?)?;
    let own = state.clone();
    let no_delay = move |id: f64, on: bool| network::tune(&own, id as u64, Tuning::NoDelay(on));
    native.set("noDelay", Function::new(ctx.clone(), no_delay)?)?;
    let own = state.clone();
    let keep_alive = move |id: f64, seconds: Option<f64>| {
        let idle = seconds.map(|seconds| Duration::from_secs(seconds.clamp(1.0, 32_767.0) as u64));
        network::tune(&own, id as u64, Tuning::KeepAlive(idle));
    };
    native.set("keepAlive", Function::new(ctx.clone(), keep_alive)?)
}
