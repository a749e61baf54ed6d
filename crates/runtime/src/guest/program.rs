//! `pm conformance`: a file that is run once as a program, for suites of tests (CONTRACT,
//! "Command line"). The engine is the one of tools; it has the canvas and `print` beside.

use super::control::Control;
use super::engine::{Engine, Purpose, Setup};
use super::outbox::Outbox;
use super::{GuestError, loader, memory};
use crate::canvas::{CanvasHost, CanvasLimits};
use crate::protocol::{Cause, FromGuest, GuestFailure, Level, Outcome, ProgramLoad};
use rquickjs::context::EvalOptions;
use rquickjs::function::Rest;
use rquickjs::{Coerced, Ctx, Function, Value};
use std::path::Path;
use std::sync::Arc;

/// The only run of a program.
const RUN: u64 = 0;

pub(crate) fn serve(control: &Arc<Control>, outbox: Outbox, load: ProgramLoad) -> Result<(), GuestError> {
    let engine = Engine::new(
        control.clone(),
        outbox,
        Setup {
            heap: load.heap,
            folder: load.folder.clone(),
            main: load.main.clone(),
            env: load.env.clone(),
            purpose: Purpose::Tool,
            extra: None,
        },
    )?;
    engine.with(|ctx| -> rquickjs::Result<()> {
        CanvasHost::install(
            &ctx,
            CanvasLimits {
                pixels: load.canvas_pixels,
            },
        )?;
        define_print(&ctx, &engine)
    })?;
    control.open(RUN);
    let outcome = outcome(run(&engine, &load));
    control.close_run();
    engine.state.outbox.end_run();
    Ok(engine.state.outbox.send(
        &FromGuest::Done {
            run: RUN,
            outcome,
            usage: memory::usage(),
            last: true,
        },
        &[],
    )?)
}

/// A program ends when nothing is left to wait for; what it still promised is nobody's.
fn outcome(ended: Result<(), GuestFailure>) -> Outcome {
    let code = match ended {
        Ok(()) => 0.into(),
        Err(failure) if failure.cause == Cause::NeverSettles => 0.into(),
        Err(failure) if failure.cause == Cause::Exited => failure.detail.unwrap_or_default(),
        Err(failure) => return Outcome::Failed(failure),
    };
    Outcome::Ok {
        value: code,
        picture: None,
    }
}

fn run(engine: &Engine, load: &ProgramLoad) -> Result<(), GuestFailure> {
    let path = load.folder.join(&load.main);
    let name = path.to_string_lossy().into_owned();
    engine.settle(|ctx| {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("mjs" | "cjs") => {
                loader::declare(ctx, &engine.state, &name)?.eval()?;
            }
            _ => sloppy(ctx, &path, &name)?,
        }
        // A rejection that nobody hears of ends the program; so does having nothing to wait for.
        ctx.eval("new Promise(() => {})")
    })?;
    Ok(())
}

fn sloppy(ctx: &Ctx<'_>, path: &Path, name: &str) -> rquickjs::Result<()> {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.filename = Some(name.to_owned());
    let _completion: Value = ctx.eval_with_options(loader::read_text(ctx, path)?, options)?;
    Ok(())
}

/// `print(value, …)`: a line of text, as the engine's own shell has it.
fn define_print(ctx: &Ctx<'_>, engine: &Engine) -> rquickjs::Result<()> {
    let state = engine.state.clone();
    let print = Function::new(ctx.clone(), move |words: Rest<Coerced<String>>| {
        let words: Vec<&str> = words.0.iter().map(|word| word.0.as_str()).collect();
        state.outbox.log(Level::Info, words.join(" "));
    })?;
    ctx.globals().set("print", print)
}
