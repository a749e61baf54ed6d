//! Node's modules, one folder each: the JavaScript half (`*.js`, a CommonJS body) and, where
//! there is one, the native half (`mod.rs`).
//!
//! A module's body sees `module`, `exports`, `require`, `internal` and `native` (its own native
//! half). It is evaluated when it is first asked for. `import` reaches the same object through a
//! generated ES module whose named exports are the object's keys.

mod bootstrap;
mod buffer;
mod crypto;
pub(crate) mod fs;
mod network;
mod os;
mod process;
mod timers;

use crate::guest::State;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Function, Module, Object, Result, TypedArray, Value};
use std::rc::Rc;

pub(crate) use bootstrap::install;

/// Name and JavaScript of every module that `require` and `import` know.
const MODULES: &[(&str, &str)] = &[
    ("_network", include_str!("network/network.js")),
    ("buffer", include_str!("buffer/buffer.js")),
    ("console", include_str!("console/console.js")),
    ("crypto", include_str!("crypto/crypto.js")),
    ("fs", include_str!("fs/fs.js")),
    ("fs/promises", "module.exports = require('fs').promises;"),
    ("module", include_str!("module/module.js")),
    ("os", include_str!("os/os.js")),
    ("path", include_str!("path/path.js")),
    ("path/posix", "module.exports = require('path');"),
    ("process", include_str!("process/process.js")),
    ("timers", include_str!("timers/timers.js")),
    ("timers/promises", "module.exports = require('timers').promises;"),
    ("url", include_str!("url/url.js")),
    ("util", include_str!("util/util.js")),
];

/// Whether there is a module of this name (without `node:`).
pub(crate) fn has(name: &str) -> bool {
    MODULES.iter().any(|(known, _)| *known == name)
}

fn source(name: &str) -> Option<&'static str> {
    MODULES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, source)| *source)
}

/// The native half of a module.
fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>, name: &str) -> Result<Object<'js>> {
    match name {
        "buffer" => buffer::native(ctx),
        "crypto" => crypto::native(ctx),
        "_network" => network::native(ctx, state),
        "fs" => fs::native(ctx, state),
        "os" => os::native(ctx),
        "process" => process::native(ctx, state),
        "timers" => timers::native(ctx, state),
        _ => Object::new(ctx.clone()),
    }
}

/// What our JavaScript halves share. Nothing in it is a right, the wall is outside; but no global
/// leads to it, so that code sees what it is told it has.
pub(crate) fn internal<'js>(ctx: &Ctx<'js>, state: &State) -> Result<Object<'js>> {
    state.internal.get().cloned().ok_or(Error::Unknown)?.restore(ctx)
}

/// The bytes of a typed array, for the time of one call into the system.
#[allow(
    unsafe_code,
    reason = "rquickjs cannot know that no JavaScript runs meanwhile"
)]
fn with_bytes<R>(array: &TypedArray<'_, u8>, work: impl FnOnce(&[u8]) -> R) -> R {
    // SAFETY: `work` gets no context, so nothing can detach or resize the buffer while it runs.
    work(unsafe { array.as_bytes() }.unwrap_or_default())
}

/// An ES module that gives the exports of a Node module.
pub(crate) fn module<'js>(ctx: &Ctx<'js>, state: &State, name: &str) -> Result<Module<'js, Declared>> {
    let require: Function = internal(ctx, state)?.get("require")?;
    let exports: Object = require.call((name,))?;
    let names: Vec<String> = exports.keys().collect::<Result<_>>()?;
    let names = names.iter().map(String::as_str);
    reexport(ctx, &format!("node:{name}"), exports.clone().into_value(), names)
}

/// An ES module whose default export is `given`, and whose others are members of it. The module
/// has it from its own `import.meta`, which no other code can see.
pub(crate) fn reexport<'js, 'n>(
    ctx: &Ctx<'js>,
    module: &str,
    given: Value<'js>,
    names: impl Iterator<Item = &'n str>,
) -> Result<Module<'js, Declared>> {
    let mut source = "const m = import.meta.given;\nexport default m;\n".to_owned();
    for (n, name) in names.enumerate() {
        if name != "default" && is_identifier(name) {
            source.push_str(&format!(
                "const _{n} = m[{name:?}];\nexport {{ _{n} as {name} }};\n"
            ));
        }
    }
    let module = Module::declare(ctx.clone(), module, source)?;
    module.meta()?.set("given", given)?;
    Ok(module)
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}
