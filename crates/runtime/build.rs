//! Compiles the Node layer's JavaScript to bytecode of the engine that the worker has: the same
//! crate, of the same version. Nothing of it is parsed when a worker starts.

#![allow(
    clippy::disallowed_methods,
    reason = "into cargo's own folder, which nobody reads before this program has ended"
)]

#[path = "src/node/sources.rs"]
mod sources;

use rquickjs::{Context, Ctx, Error, Result, Runtime, qjs};
use std::ffi::CString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Node's modules are functions, as `src/node/bootstrap.js` calls them.
const HEAD: &str = "(function (module, exports, require, internal, native) {'use strict';";

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/node/sources.rs");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let context = Context::full(&Runtime::new()?)?;
    let modules = sources::MODULES
        .iter()
        .map(|(name, body)| (*name, format!("pm:node:{name}"), format!("{HEAD}{body}\n}})")));
    let scripts = sources::SCRIPTS
        .iter()
        .map(|(name, text)| (*name, format!("pm:{name}"), (*text).to_owned()));
    let modules = table(&context, &out, "MODULES", modules)?;
    let scripts = table(&context, &out, "SCRIPTS", scripts)?;
    std::fs::write(out.join("layer.rs"), modules + &scripts)?;
    Ok(())
}

/// Writes the bytecode of each, and gives the Rust that names it.
fn table(
    context: &Context,
    out: &Path,
    table: &str,
    sources: impl Iterator<Item = (&'static str, String, String)>,
) -> std::result::Result<String, Box<dyn std::error::Error>> {
    let mut rust = format!("pub(super) const {table}: &[(&str, &[u8])] = &[\n");
    for (number, (name, file, text)) in sources.enumerate() {
        let bytes = context
            .with(|ctx| {
                compiled(&ctx, &file, text).map_err(|error| match error {
                    Error::Exception => format!("{:?}", ctx.catch()),
                    other => other.to_string(),
                })
            })
            .map_err(|error| format!("{file}: {error}"))?;
        let stored = format!("{table}.{number}");
        std::fs::write(out.join(&stored), bytes)?;
        writeln!(rust, "    ({name:?}, include_bytes!({stored:?})),")?;
    }
    rust.push_str("];\n");
    Ok(rust)
}

/// Without the text. Names and line numbers stay: stacks of tools lead through here.
#[allow(unsafe_code, reason = "rquickjs compiles modules alone")]
fn compiled(ctx: &Ctx<'_>, file: &str, text: String) -> Result<Vec<u8>> {
    let (file, length, text) = (CString::new(file)?, text.len(), CString::new(text)?);
    let kind = qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY;
    let flags = qjs::JS_WRITE_OBJ_BYTECODE | qjs::JS_WRITE_OBJ_STRIP_SOURCE;
    let raw = ctx.as_raw().as_ptr();
    // SAFETY: the context is alive, the text ends with a zero, and what is written is copied before
    // it is freed.
    unsafe {
        let code = qjs::JS_Eval(raw, text.as_ptr(), length as _, file.as_ptr(), kind as _);
        if qjs::JS_IsException(code) {
            return Err(Error::Exception);
        }
        let mut written = 0;
        let start = qjs::JS_WriteObject(raw, &raw mut written, code, flags as _);
        qjs::JS_FreeValue(raw, code);
        if start.is_null() {
            return Err(Error::Exception);
        }
        let bytes = std::slice::from_raw_parts(start, written as usize).to_vec();
        qjs::js_free(raw, start.cast());
        Ok(bytes)
    }
}
