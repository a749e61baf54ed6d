//! `os`: constants, and numbers that tell nothing of the person.

use rquickjs::{Ctx, Object, Result};

pub(super) fn native<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set(
        "arch",
        if cfg!(target_arch = "aarch64") {
            "arm64"
        } else {
            "x64"
        },
    )?;
    native.set(
        "cpus",
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    )?;
    Ok(native)
}
