//! Puts the Node layer into a fresh context: the module registry and the globals.

use super::{bytecode, native};
use crate::guest::{Asking, Format, State, Target, back_into, file_url};
use crate::protocol::Level;
use rquickjs::context::EvalOptions;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Exception, Function, Module, Object, Persistent, Promise, Result, Value};
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
    natives.set("intlFactory", Function::new(ctx.clone(), intl_factory)?)?;
    let shared = state.clone();
    natives.set(
        "intlNative",
        Function::new(ctx.clone(), move |ctx| super::intl::native(&ctx, &shared))?,
    )?;
    files(ctx, state, &natives)?;
    modules(ctx, state, &natives)?;
    let boot: Function = bytecode::script(ctx, "bootstrap.js")?;
    let internal: Object = boot.call((natives,))?;
    // Empty until now: a context is installed into once.
    let _ = state.internal.set(Persistent::save(ctx, internal));
    Ok(())
}

fn native_of<'js>(ctx: &Ctx<'js>, state: &Rc<State>, name: &str) -> Result<Object<'js>> {
    native(ctx, state, name)
}

/// Finding and reading what is to be run.
fn files<'js>(ctx: &Ctx<'js>, state: &Rc<State>, natives: &Object<'js>) -> Result<()> {
    let shared = state.clone();
    natives.set(
        "resolve",
        Function::new(ctx.clone(), move |ctx, base: String, name: String| {
            resolve(&ctx, &shared, &base, &name)
        })?,
    )?;
    let shared = state.clone();
    natives.set(
        "resolveImport",
        Function::new(ctx.clone(), move |ctx, base: String, name: String| {
            resolve_import(&ctx, &shared, &base, &name)
        })?,
    )?;
    natives.set(
        "readText",
        Function::new(ctx.clone(), |ctx, path: String| read_text(&ctx, &path))?,
    )?;
    natives.set(
        "readSource",
        Function::new(ctx.clone(), |ctx, path: String| read_source(&ctx, &path))?,
    )?;
    natives.set("describing", state.describing)?;
    let shared = state.clone();
    natives.set(
        "refused",
        Function::new(ctx.clone(), move |package: String| {
            shared.addon.replace(Some(package));
        })?,
    )?;
    let shared = state.clone();
    natives.set(
        "format",
        Function::new(ctx.clone(), move |path: String| {
            match crate::guest::format(&shared, Path::new(&path)) {
                Format::Module => "module",
                Format::Unknown => "unknown",
                Format::Common | Format::Json | Format::Addon => "commonjs",
            }
        })?,
    )?;
    natives.set(
        "isModule",
        Function::new(ctx.clone(), |source: String| crate::guest::is_module(&source))?,
    )?;
    natives.set(
        "withoutTypes",
        Function::new(ctx.clone(), |ctx, source: String| {
            crate::guest::without_types(&ctx, &source, "code.ts")
        })?,
    )?;
    natives.set("compile", Function::new(ctx.clone(), compile)?)
}

fn modules<'js>(ctx: &Ctx<'js>, state: &Rc<State>, natives: &Object<'js>) -> Result<()> {
    natives.set(
        "isBuiltin",
        Function::new(ctx.clone(), |name: String| {
            super::has(name.strip_prefix("node:").unwrap_or(&name))
        })?,
    )?;
    natives.set(
        "builtins",
        Function::new(ctx.clone(), || bytecode::names().collect::<Vec<_>>())?,
    )?;
    let count = std::cell::Cell::new(0_u64);
    let importing = state.clone();
    natives.set(
        "importNow",
        Function::new(ctx.clone(), move |ctx, path: String| {
            count.set(count.get() + 1);
            import_now(&ctx, &importing, &path, count.get())
        })?,
    )?;
    natives.set("settled", Function::new(ctx.clone(), settled)?)?;
    natives.set("evaluate", Function::new(ctx.clone(), evaluate)?)?;
    natives.set("check", Function::new(ctx.clone(), check)?)?;
    let ticking = state.clone();
    natives.set(
        "tick",
        Function::new(ctx.clone(), move || ticking.ticks.set(true))?,
    )
}

/// The function around a module of ours, or nothing.
fn factory<'js>(ctx: Ctx<'js>, name: String) -> Result<Option<Value<'js>>> {
    bytecode::module(&ctx, &name)
}

/// The function around a module of Intl, and of nothing else: who asks may be a script.
fn intl_factory<'js>(ctx: Ctx<'js>, name: String) -> Result<Value<'js>> {
    let own = name == "internal/intl" || name.starts_with("internal/intl/");
    match factory(ctx.clone(), if own { name } else { String::new() })? {
        Some(made) => Ok(made),
        None => Err(Exception::throw_internal(&ctx, "no such part of Intl")),
    }
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

/// A script of `vm`, in the global scope.
fn evaluate<'js>(ctx: Ctx<'js>, path: String, code: String) -> Result<Value<'js>> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(path);
    ctx.eval_with_options(code, options)
}

/// Throws when it is no script.
fn check<'js>(ctx: Ctx<'js>, path: String, code: String) -> Result<()> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(path);
    // Parsed to the end, and not reached.
    ctx.eval_with_options::<(), _>(format!("if (false) {{\n{code}\n}}"), options)
}

/// `["node", name]`, `["file", path]` or `["stub", name]`; throws when there is nothing.
fn resolve(ctx: &Ctx<'_>, state: &State, base: &str, name: &str) -> Result<Vec<String>> {
    let pair = |kind: &str, value: String| Ok(vec![kind.to_owned(), value]);
    match crate::guest::resolve(state, Asking::Require, base, name) {
        Target::Node(name) => pair("node", name),
        Target::File(path, _) => pair("file", path.to_string_lossy().into_owned()),
        Target::Package(package) if state.describing => pair("stub", package),
        other => Err(crate::guest::unresolved(ctx, &other, Asking::Require, base, name)),
    }
}

fn resolve_import(ctx: &Ctx<'_>, state: &State, base: &str, name: &str) -> Result<String> {
    match crate::guest::resolve(state, Asking::Import, base, name) {
        Target::Node(name) => Ok(format!("node:{name}")),
        Target::File(path, suffix) => Ok(format!("{}{suffix}", file_url(&path.to_string_lossy()))),
        other => Err(crate::guest::unresolved(ctx, &other, Asking::Import, base, name)),
    }
}

/// Imports a file without turning the event loop: a module that asks for it is evaluated at once.
/// `{promise, holder}`; the namespace is the holder's, if the promise is settled well.
fn import_now<'js>(ctx: &Ctx<'js>, state: &State, path: &str, count: u64) -> Result<Object<'js>> {
    let url = serde_json::Value::from(file_url(path));
    let source = format!("import * as namespace from {url};\nimport.meta.holder.namespace = namespace;");
    let name = format!("pm:require/{count}");
    let evaluating = state.graph.open();
    state.graph.linked();
    let module = Module::declare(ctx.clone(), name.as_str(), source)?;
    if evaluating && let Some(back) = back_into(ctx, &state.graph, &name) {
        let text = format!(
            "Cannot require() ES Module {path} in a cycle: it leads back to {back}, which is still being evaluated. \
             Call require() later, in a function."
        );
        let exception = Exception::from_message(ctx.clone(), &text)?;
        exception.as_object().set("code", "ERR_REQUIRE_CYCLE_MODULE")?;
        return Err(exception.throw());
    }
    let holder = Object::new(ctx.clone())?;
    module.meta()?.set("holder", holder.clone())?;
    let (_, promise) = module.eval()?;
    state.graph.back_to(evaluating);
    let result = Object::new(ctx.clone())?;
    result.set("promise", promise)?;
    result.set("holder", holder)?;
    Ok(result)
}

/// `[state, reason]` of a promise.
fn settled<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Vec<Value<'js>>> {
    let (state, reason) = match promise.state() {
        PromiseState::Pending => ("pending", None),
        PromiseState::Resolved => ("fulfilled", None),
        PromiseState::Rejected => {
            let thrown = match promise.result::<Value>() {
                Some(Err(_)) => Some(ctx.catch()),
                _ => None,
            };
            ("rejected", thrown)
        }
    };
    let state = rquickjs::String::from_str(ctx.clone(), state)?.into_value();
    Ok(vec![state, reason.unwrap_or_else(|| Value::new_undefined(ctx))])
}

fn read_text(ctx: &Ctx<'_>, path: &str) -> Result<String> {
    crate::guest::read_text(ctx, Path::new(path))
}

fn read_source(ctx: &Ctx<'_>, path: &str) -> Result<String> {
    crate::guest::source_text(ctx, Path::new(path))
}
