//! `run_javascript`: one script, one worker, then the end (CONTRACT, "run_javascript").

use super::control::Control;
use super::engine::{Engine, Purpose, Setup};
use super::outbox::Outbox;
use super::{Extra, GuestError, depth, done, failure, free_names, json, memory};
use crate::canvas::{CanvasHost, CanvasLimits};
use crate::protocol::{
    self, Cause, FromGuest, GuestFailure, Outcome, PictureSize, RESULT_VALUES, ScriptLoad, ScriptRun, ToGuest,
};
use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, Ctx, Function, Persistent, Value};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// What the code is called in stacks.
const FILE: &str = "script.js";

pub(crate) fn serve(
    control: &Arc<Control>,
    outbox: Outbox,
    load: ScriptLoad,
    extra: Option<Extra>,
) -> Result<(), GuestError> {
    let (engine, canvases) = engine_for(control, outbox, &load, FILE, extra)?;
    engine.state.outbox.send(&FromGuest::Ready, &[])?;
    while let Some(message) = control.next() {
        let ToGuest::Run { run, params } = message else {
            continue;
        };
        control.open(run);
        let came = match serde_json::from_value::<ScriptRun>(params) {
            Ok(script) => execute(&engine, &canvases, &script, load.result_chars),
            Err(error) => (
                Outcome::Failed(GuestFailure::new(Cause::Threw, error.to_string())),
                Vec::new(),
            ),
        };
        // One script, one worker: nothing of it is left for the next.
        return answer(&engine, control, run, came, true);
    }
    Ok(())
}

/// An engine with console, timers and the canvas, no modules: what it runs is not a Node program.
pub(super) fn engine_for(
    control: &Arc<Control>,
    outbox: Outbox,
    load: &ScriptLoad,
    file: &str,
    extra: Option<Extra>,
) -> Result<(Engine, Rc<CanvasHost>), GuestError> {
    let setup = Setup {
        heap: load.heap,
        folder: PathBuf::from("/"),
        main: file.to_owned(),
        env: Vec::new(),
        purpose: Purpose::Script,
        extra,
    };
    let engine = Engine::new(control.clone(), outbox, setup)?;
    let limits = CanvasLimits {
        pixels: load.canvas_pixels,
    };
    let canvases = engine.with(|ctx| {
        let canvases = CanvasHost::install(&ctx, limits)?;
        crate::node::script::<()>(&ctx, "script-globals.js")?;
        Ok::<_, rquickjs::Error>(canvases)
    })?;
    Ok((engine, canvases))
}

/// What a run came to, with its picture; `last` when the worker takes no further one.
pub(super) fn answer(
    engine: &Engine,
    control: &Control,
    run: u64,
    (outcome, blob): (Outcome, Vec<u8>),
    last: bool,
) -> Result<(), GuestError> {
    control.close_run();
    engine.state.outbox.end_run();
    let message = match outcome {
        Outcome::Failed(failure) => done(run, failure),
        outcome => FromGuest::Done {
            run,
            outcome,
            usage: memory::usage(),
            last,
        },
    };
    engine.state.outbox.send(&message, &blob)?;
    Ok(())
}

/// Code that is not even begun.
pub(super) fn check(engine: &Engine, code: &str) -> Result<(), GuestFailure> {
    if depth::too_deep(code) {
        return Err(GuestFailure::new(Cause::Threw, "the code is nested too deeply"));
    }
    let blocked = free_names::blocked(code);
    if !blocked.is_empty() && engine.state.extra.is_none() {
        let mut failure = GuestFailure::new(Cause::BlockedCode, blocked.join(", "));
        failure.detail = Some(blocked.into());
        return Err(failure);
    }
    Ok(())
}

fn execute(
    engine: &Engine,
    canvases: &Rc<CanvasHost>,
    script: &ScriptRun,
    limit: usize,
) -> (Outcome, Vec<u8>) {
    match run(engine, script, limit) {
        Ok(value) => export(canvases, value),
        Err(failure) => (Outcome::Failed(failure), Vec::new()),
    }
}

fn run(engine: &Engine, script: &ScriptRun, limit: usize) -> Result<serde_json::Value, GuestFailure> {
    check(engine, &script.code)?;
    let value = engine.settle(|ctx| {
        let mut options = EvalOptions::default();
        options.strict = false;
        options.filename = Some(FILE.to_owned());
        let source = format!("{}{}{}", free_names::PROLOGUE, script.code, free_names::EPILOGUE);
        let function: Function = ctx.eval_with_options(source, options)?;
        let input = match &script.input {
            Some(input) => ctx.json_parse(input.to_string())?,
            None => Value::new_undefined(ctx.clone()),
        };
        function.call((input,))
    });
    let value = value.map_err(without_prologue)?;
    engine.with(|ctx| to_json(&ctx, &engine.state, value, limit))
}

/// Line numbers as the author counts them.
fn without_prologue(mut failure: GuestFailure) -> GuestFailure {
    failure.line = failure.line.map(|line| line.saturating_sub(1).max(1));
    let mut stack = String::with_capacity(failure.stack.len());
    for line in failure.stack.split_inclusive('\n') {
        match line.find("script.js:") {
            Some(at) => {
                let (head, tail) = line.split_at(at + "script.js:".len());
                let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
                let number: u32 = tail[..digits].parse().unwrap_or(1);
                stack.push_str(head);
                stack.push_str(&number.saturating_sub(1).max(1).to_string());
                stack.push_str(&tail[digits..]);
            }
            None => stack.push_str(line),
        }
    }
    failure.stack = stack;
    failure
}

/// The result as JSON: `undefined` is `null`; what JSON cannot say is refused, not dropped.
pub(crate) fn to_json(
    ctx: &Ctx<'_>,
    state: &super::State,
    value: Persistent<Value<'static>>,
    limit: usize,
) -> Result<serde_json::Value, GuestFailure> {
    let internal = |error| failure::take(ctx, state, error);
    let value = value.restore(ctx).map_err(internal)?;
    if value.is_undefined() {
        return Ok(serde_json::Value::Null);
    }
    let text = match ctx.json_stringify(value).catch(ctx) {
        // Not copied out of the engine's heap before it is known to be small enough.
        Ok(Some(text)) => text.to_cstring().map_err(internal)?,
        Ok(None) => {
            return Err(GuestFailure::new(
                Cause::NotSerializable,
                "a function or symbol is not JSON",
            ));
        }
        Err(error) => {
            if let Some(halted) = failure::halted(state) {
                return Err(halted);
            }
            let cause = if state.gauge.take_refused() {
                Cause::MemoryLimit
            } else {
                Cause::NotSerializable
            };
            let message = error.to_string().trim().to_owned();
            // A thrown value's conversion to text is code, too.
            return Err(failure::halted(state).unwrap_or_else(|| GuestFailure::new(cause, message)));
        }
    };
    let text = text.as_str();
    let too_large = |counted: usize, of: &str, limit: usize| {
        let mut failure = GuestFailure::new(Cause::ResultTooLarge, format!("{counted} {of}"));
        failure.detail = Some(serde_json::json!({ of: counted, "limit": limit }));
        failure
    };
    let chars = text.chars().count();
    if chars > limit {
        return Err(too_large(chars, "chars", limit));
    }
    if chars > RESULT_VALUES {
        let values = protocol::values(text.as_bytes());
        if values > RESULT_VALUES {
            return Err(too_large(values, "values", RESULT_VALUES));
        }
    }
    json::parse(text.to_owned()).map_err(|error| GuestFailure::new(Cause::NotSerializable, error.to_string()))
}

pub(super) fn export(canvases: &CanvasHost, value: serde_json::Value) -> (Outcome, Vec<u8>) {
    match canvases.export_png() {
        None => (Outcome::Ok { value, picture: None }, Vec::new()),
        Some(Ok((png, width, height))) => (
            Outcome::Ok {
                value,
                picture: Some(PictureSize { width, height }),
            },
            png,
        ),
        Some(Err(error)) => {
            let mut failure = GuestFailure::new(Cause::CanvasExport, error.to_string());
            failure.detail = Some(value);
            (Outcome::Failed(failure), Vec::new())
        }
    }
}
