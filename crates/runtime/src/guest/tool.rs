//! A tool's module: loaded once, called again and again, or only described.

use super::control::Control;
use super::engine::{Engine, Purpose, Setup, object_of, promised};
use super::outbox::Outbox;
use super::script::to_json;
use super::storage::Storage;
use super::{Extra, GuestError, done, loader, memory, outline};
use crate::node;
use crate::protocol::{Cause, FromGuest, GuestFailure, Level, OUTLINE, Outcome, ToGuest, ToolLoad};
use rquickjs::{Ctx, Function, Object, Persistent, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Characters of a tool's result as JSON: far above what a model reads, far below a frame.
const RESULT_CHARS: usize = 16 * 1024 * 1024;

const LEFT_WORK: &str = "the process ends with this run, which used up its memory or left work behind: what the tool kept in memory is lost";

/// Run number of loading and describing.
const LOADING: u64 = 0;

/// What a run of the tool gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Its result.
    Execute,
    /// Its result and of what kind it was before it was JSON.
    Trial,
}

impl Way {
    /// The function of the framework (`js/tool.js`).
    fn method(self) -> &'static str {
        match self {
            Way::Execute => "execute",
            Way::Trial => "trial",
        }
    }
}

pub(crate) fn serve(
    control: &Arc<Control>,
    outbox: Outbox,
    load: ToolLoad,
    way: Way,
    extra: Option<Extra>,
) -> Result<(), GuestError> {
    let engine = engine_of(control, outbox, &load, Purpose::Tool, extra)?;
    control.open(LOADING);
    let loaded = load_tool(&engine, &load);
    control.close_run();
    match loaded {
        Ok(()) => engine.state.outbox.send(&FromGuest::Ready, &[])?,
        Err(mut failure) => {
            // Loaders of addons try many files, and throw an error of their own in the end.
            if failure.cause == Cause::Threw
                && let Some(package) = engine.state.addon.take()
            {
                failure.cause = Cause::NativeAddon;
                failure.detail = Some(package.into());
            }
            return Ok(engine.state.outbox.send(&done(LOADING, failure), &[])?);
        }
    }
    while let Some(message) = control.next() {
        let ToGuest::Run { run, params } = message else {
            continue;
        };
        control.open(run);
        let outcome = call(&engine, way.method(), Some(&params));
        let mut outcome = match outcome {
            Ok(value) => Outcome::Ok { value, picture: None },
            Err(failure) => Outcome::Failed(with_business_error(&engine, failure)),
        };
        control.close_run();
        engine.state.outbox.end_run();
        // Reactions that were cut off stay queued in the engine and would run in the next call; and a
        // heap that is full would be full in the next call, too.
        let full = matches!(&outcome, Outcome::Failed(failure) if failure.cause == Cause::MemoryLimit);
        let last = full || engine.has_jobs();
        if last {
            engine.state.outbox.log(Level::Warn, LEFT_WORK.to_owned());
            if let Outcome::Failed(failure) = &mut outcome {
                failure.state_lost = true;
            }
        }
        engine.state.outbox.send(
            &FromGuest::Done {
                run,
                outcome,
                usage: memory::usage(),
                last,
            },
            &[],
        )?;
        if last {
            break;
        }
    }
    Ok(())
}

pub(crate) fn describe(
    control: &Arc<Control>,
    outbox: Outbox,
    load: ToolLoad,
    extra: Option<Extra>,
) -> Result<(), GuestError> {
    let engine = engine_of(control, outbox, &load, Purpose::Describing, extra)?;
    control.open(LOADING);
    let described = load_tool(&engine, &load)
        .and_then(|()| call(&engine, "describe", None))
        .map(|report| with_outline(report, &load));
    let outcome = match described {
        Ok(value) => Outcome::Ok { value, picture: None },
        Err(failure) => Outcome::Failed(failure),
    };
    Ok(engine.state.outbox.send(
        &FromGuest::Done {
            run: LOADING,
            outcome,
            usage: memory::usage(),
            last: true,
        },
        &[],
    )?)
}

/// Where in the source what is reported stands.
fn with_outline(mut report: serde_json::Value, load: &ToolLoad) -> serde_json::Value {
    // What was just run can be read, or its author has taken it away: then nothing has a place.
    let source = std::fs::read_to_string(load.folder.join(&load.main)).unwrap_or_default();
    let source = source.strip_prefix('\u{feff}').unwrap_or(&source);
    if let serde_json::Value::Object(fields) = &mut report {
        fields.insert(OUTLINE.to_owned(), serde_json::json!(outline::outline(source)));
    }
    report
}

fn engine_of(
    control: &Arc<Control>,
    outbox: Outbox,
    load: &ToolLoad,
    purpose: Purpose,
    extra: Option<Extra>,
) -> Result<Engine, GuestError> {
    Engine::new(
        control.clone(),
        outbox,
        Setup {
            heap: load.heap,
            folder: load.folder.clone(),
            main: load.main.clone(),
            env: load.env.clone(),
            purpose,
            extra,
        },
    )
}

/// Evaluates the module and keeps its default export behind the framework (`js/tool.js`).
fn load_tool(engine: &Engine, load: &ToolLoad) -> Result<(), GuestFailure> {
    let path = load.folder.join(&load.main);
    let name = path.to_string_lossy().into_owned();
    let namespace = std::cell::RefCell::new(None);
    engine.settle(|ctx| {
        let (module, evaluated) = loader::declare(ctx, &engine.state, &name)?.eval()?;
        *namespace.borrow_mut() = Some(Persistent::save(ctx, module.namespace()?));
        Ok(evaluated.into_value())
    })?;
    let namespace = namespace.into_inner();
    engine.settle(|ctx| {
        let exported = match namespace {
            Some(namespace) => namespace.restore(ctx)?.get::<_, Value>("default")?,
            None => Value::new_undefined(ctx.clone()),
        };
        let framework: Function = crate::node::script(ctx, "tool.js")?;
        let internal = node::internal(ctx, &engine.state)?;
        let tool: Object = framework.call((exported, natives(ctx, engine, load)?, internal.clone()))?;
        internal.set("tool", tool)?;
        Ok(Value::new_undefined(ctx.clone()))
    })?;
    Ok(())
}

fn call(
    engine: &Engine,
    method: &str,
    params: Option<&serde_json::Value>,
) -> Result<serde_json::Value, GuestFailure> {
    let value = engine.settle(|ctx| {
        let tool: Object = node::internal(ctx, &engine.state)?.get("tool")?;
        let function: Function = tool.get(method)?;
        let result = match params {
            Some(params) => function.call((ctx.json_parse(params.to_string())?,))?,
            None => function.call(())?,
        };
        promised(ctx, result)
    })?;
    engine.with(|ctx| to_json(&ctx, &engine.state, value, RESULT_CHARS))
}

/// Asks the tool which of its business errors this is; the matching happens in JavaScript.
fn with_business_error(engine: &Engine, mut failure: GuestFailure) -> GuestFailure {
    let matched = engine.settle(|ctx| {
        let tool: Object = node::internal(ctx, &engine.state)?.get("tool")?;
        let function: Function = tool.get("businessError")?;
        promised(
            ctx,
            function.call((
                failure.message.as_str(),
                failure.name.as_str(),
                failure.code.as_deref(),
            ))?,
        )
    });
    if let Ok(code) =
        matched.and_then(|value| engine.with(|ctx| to_json(&ctx, &engine.state, value, RESULT_CHARS)))
    {
        failure.business = code.as_str().map(str::to_owned);
    }
    failure
}

fn natives<'js>(ctx: &Ctx<'js>, engine: &Engine, load: &ToolLoad) -> rquickjs::Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    natives.set("toolName", load.name.as_str())?;
    natives.set("toolDir", load.folder.to_string_lossy().as_ref())?;
    natives.set("userHome", load.user_home.to_string_lossy().as_ref())?;
    natives.set("dataHome", load.data_home.to_string_lossy().as_ref())?;
    let directories: Vec<String> = load
        .directories
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    natives.set("directories", directories)?;
    natives.set("env", object_of(ctx, &load.env)?)?;

    let state = engine.state.clone();
    natives.set(
        "progress",
        Function::new(
            ctx.clone(),
            move |done: f64, total: Option<f64>, text: Option<String>| {
                state.outbox.progress(done, total, text);
            },
        )?,
    )?;
    let storage = Rc::new(Storage::new(&load.folder));
    let reading = storage.clone();
    natives.set(
        "storageRead",
        Function::new(ctx.clone(), move |ctx: Ctx<'js>| reading.read(&ctx))?,
    )?;
    natives.set(
        "storageWrite",
        Function::new(
            ctx.clone(),
            move |ctx: Ctx<'js>, key: Option<String>, json: Option<String>| storage.write(&ctx, key, json),
        )?,
    )?;
    Ok(natives)
}
