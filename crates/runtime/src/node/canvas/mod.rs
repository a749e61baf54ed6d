//! The canvas as a module for tools. The canvas itself is in `crate::canvas`.

use crate::canvas::{CanvasHost, CanvasLimits};
use rquickjs::{Ctx, Object, Result};

/// Pixels of all of a tool's canvases: 4096x4096, which is 64 MiB.
const PIXELS: u64 = 1 << 24;

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let interfaces = Object::new(ctx.clone())?;
    CanvasHost::install_on(ctx, CanvasLimits { pixels: PIXELS }, &interfaces)?;
    // Its members are no globals, so they may be seen when they are listed.
    let listed = Object::new(ctx.clone())?;
    for name in interfaces.own_keys::<String>(rquickjs::object::Filter::new().string()) {
        let name = name?;
        if name != "getCanvas" {
            let member: rquickjs::Value = interfaces.get(&name)?;
            listed.set(name, member)?;
        }
    }
    let native = Object::new(ctx.clone())?;
    native.set("interfaces", listed)?;
    Ok(native)
}
