//! Puts the Node layer into a fresh context: the module registry and the globals.

use super::{native, source};
use crate::guest::State;
use crate::protocol::Level;
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Exception, Function, Object, Persistent, Result, Value};
use std::path::Path;
use std::rc::Rc;

/// Installs the globals; modules are evaluated when they are first used.
pub(crate) fn install(ctx: &Ctx<'_>, state: &Rc<State>) -> Result<()> {
    let natives = Object::new(ctx.clone())?;
    let log = state.clone();
    natives.set(
        "log",
        Function::new(ctx.clone(), move |level: String, text: String| {
            let level = match level.as_str() {
                "DEBUG" => Level::Debug,
                "WARN" => Level::Warn,
                "ERROR" => Level::Error,
                _ => Level::Info,
            };
            log.outbox.log(level, text);
        })?,
    )?;
    natives.set("factory", Function::new(ctx.clone(), factory)?)?;
    let shared = state.clone();
    natives.set(
        "native",
        Function::new(ctx.clone(), move |ctx, name: String| {
            native_of(&ctx, &shared, &name)
        })?,
    )?;
    let shared = state.clone();
    natives.set(
        "resolve",
        Function::new(ctx.clone(), move |ctx, base: String, name: String| {
            resolve(&ctx, &shared, &base, &name)
        })?,
    )?;
    natives.set(
        "readText",
        Function::new(ctx.clone(), |ctx, path: String| read_text(&ctx, &path))?,
    )?;
    natives.set("compile", Function::new(ctx.clone(), compile)?)?;
    let boot: Function = crate::guest::eval_own(ctx, "bootstrap.js", include_str!("bootstrap.js"))?;
    let internal: Object = boot.call((natives,))?;
    // Empty until now: a context is installed into once.
    let _ = state.internal.set(Persistent::save(ctx, internal));
    Ok(())
}

fn native_of<'js>(ctx: &Ctx<'js>, state: &Rc<State>, name: &str) -> Result<Object<'js>> {
    native(ctx, state, name)
}

/// The function around a module of ours, or nothing.
fn factory<'js>(ctx: Ctx<'js>, name: String) -> Result<Option<Value<'js>>> {
    let Some(body) = source(&name) else {
        return Ok(None);
    };
    let text = format!("(function (module, exports, require, internal, native) {{'use strict';{body}\n}})");
    crate::guest::eval_own(&ctx, &format!("node:{name}"), &text).map(Some)
}

/// The function around a CommonJS file of the tool (Node's module wrapper).
fn compile<'js>(ctx: Ctx<'js>, path: String, body: String) -> Result<Value<'js>> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(path);
    let body = body
        .strip_prefix("#!")
        .map_or(body.as_str(), |rest| rest.find('\n').map_or("", |at| &rest[at..]));
    ctx.eval_with_options(
        format!("(function (exports, require, module, __filename, __dirname) {{{body}\n}})"),
        options,
    )
}

/// `["node", name]`, `["file", path]` or `["package", name]`; throws when there is nothing.
fn resolve(ctx: &Ctx<'_>, state: &State, base: &str, name: &str) -> Result<Vec<String>> {
    use crate::guest::{Target, resolve};
    let pair = |kind: &str, value: String| Ok(vec![kind.to_owned(), value]);
    match resolve(base, name, &state.folder) {
        Target::Node(name) => pair("node", name),
        Target::File(path) => pair("file", path.to_string_lossy().into_owned()),
        Target::Package(package) => pair(if state.describing { "stub" } else { "package" }, package),
        Target::Nothing => {
            let exception = Exception::from_message(ctx.clone(), &format!("Cannot find module '{name}'"))?;
            exception.as_object().set("code", "MODULE_NOT_FOUND")?;
            Err(exception.throw())
        }
    }
}

fn read_text(ctx: &Ctx<'_>, path: &str) -> Result<String> {
    crate::guest::read_text(ctx, Path::new(path))
}
