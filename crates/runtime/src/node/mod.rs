//! Node's modules, one folder each: the JavaScript half (`*.js`, a CommonJS body) and, where
//! there is one, the native half (`mod.rs`).
//!
//! A module's body sees `module`, `exports`, `require`, `internal` and `native` (its own native
//! half). It is evaluated when it is first asked for. `import` reaches the same object through a
//! generated ES module whose named exports are the object's keys.

mod async_hooks;
mod bootstrap;
mod buffer;
mod bytecode;
mod canvas;
mod child_process;
mod crypto;
pub(crate) mod fs;
mod http;
mod intl;
mod network;
mod os;
mod process;
#[cfg(test)]
mod sources;
mod text;
mod timers;
mod tls;
mod url;
mod util;
mod vm;
mod wasm;
mod zlib;

use crate::guest::State;
pub use process::NODE_VERSION;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Function, Module, Object, Result, TypedArray, Value};
use std::rc::Rc;

pub(crate) use async_hooks::leave;
pub(crate) use bootstrap::install;
pub(crate) use bytecode::script;

/// Whether there is a module of this name (without `node:`).
pub(crate) fn has(name: &str) -> bool {
    !name.starts_with("internal/") && bytecode::names().any(|known| known == name)
}

/// The native half of a module.
fn native<'js>(ctx: &Ctx<'js>, state: &Rc<State>, name: &str) -> Result<Object<'js>> {
    match name {
        "async_hooks" => async_hooks::native(ctx, state),
        "buffer" => buffer::native(ctx),
        "canvas" => canvas::native(ctx),
        "crypto"
        | "internal/crypto_cipher"
        | "internal/crypto_der"
        | "internal/crypto_keys"
        | "internal/crypto_subtle" => crypto::native(ctx),
        "_network" => network::native(ctx, state),
        "child_process" => child_process::native(ctx, state),
        "internal/http_parser" => http::native(ctx),
        "internal/tls_session" => tls::native(ctx),
        "fs" => fs::native(ctx, state),
        "internal/text" => text::native(ctx),
        "os" => os::native(ctx),
        "process" => process::native(ctx, state),
        "internal/values" => util::native(ctx),
        "timers" => timers::native(ctx, state),
        "url" | "internal/legacy_url" => url::native(ctx),
        "vm" => vm::native(ctx, state),
        "internal/wasm" => wasm::native(ctx, state),
        "zlib" => zlib::native(ctx),
        _ => Object::new(ctx.clone()),
    }
}

/// What our JavaScript halves share. Nothing in it is a right, the wall is outside; but no global
/// leads to it, so that code sees what it is told it has.
pub(crate) fn internal<'js>(ctx: &Ctx<'js>, state: &State) -> Result<Object<'js>> {
    state.internal.get().cloned().ok_or(Error::Unknown)?.restore(ctx)
}

/// `RegExp.$1` and its like, for a module that names them.
pub(crate) fn legacy_regexp(ctx: &Ctx<'_>, state: &State) -> Result<()> {
    let require: Function = internal(ctx, state)?.get("require")?;
    require.call(("internal/legacy_regexp",))
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
    let source = reexporting("import.meta.given", names);
    let module = Module::declare(ctx.clone(), module, source)?;
    module.meta()?.set("given", given)?;
    Ok(module)
}

/// The text of a module whose default export is `expression`, and whose others are members of it.
pub(crate) fn reexporting<'n>(expression: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut source =
        format!("const m = {expression};\nexport default m;\nexport {{ m as 'module.exports' }};\n");
    for (n, name) in names.enumerate() {
        if name != "default" && is_identifier(name) {
            source.push_str(&format!(
                "const _{n} = m?.[{name:?}];\nexport {{ _{n} as {name} }};\n"
            ));
        }
    }
    source
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}
