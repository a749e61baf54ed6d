//! The JavaScript cells of one notebook: their global names live as long as the worker. A cell that
//! asks for something outside (an input, a tool) ends its run with the question, and a further run
//! brings the answer; so the event loop turns only while a run is open, here as elsewhere.
//!
//! Deliberately not here: what is answered, and how a cell that a dead worker had begun comes back.

use super::control::Control;
use super::engine::Engine;
use super::outbox::Outbox;
use super::script::{answer, check, engine_for, export};
use super::{Extra, GuestError, failure, together};
use crate::protocol::{Cause, FromGuest, GuestFailure, NotebookRun, Outcome, ScriptLoad, Stretch, ToGuest};
use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Object, Persistent, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What a cell is called in stacks.
const FILE: &str = "cell.js";

/// The promises of cells that wait, by their numbers.
type Open = RefCell<HashMap<u64, Persistent<Value<'static>>>>;

pub(crate) fn serve(
    control: &Arc<Control>,
    outbox: Outbox,
    load: ScriptLoad,
    extra: Option<Extra>,
) -> Result<(), GuestError> {
    let (engine, canvases) = engine_for(control, outbox, &load, FILE, extra)?;
    let own = engine.with(|ctx| {
        let own: Object = crate::node::script(&ctx, "notebook.js")?;
        Ok::<_, rquickjs::Error>(Persistent::save(&ctx, own))
    })?;
    engine.state.outbox.send(&FromGuest::Ready, &[])?;
    let notebook = Notebook {
        engine: &engine,
        own,
        open: Open::default(),
        limit: load.result_chars,
    };
    while let Some(message) = control.next() {
        let ToGuest::Run { run, params } = message else {
            continue;
        };
        control.open(run);
        let stretch = match serde_json::from_value::<NotebookRun>(params) {
            Ok(asked) => {
                if matches!(asked, NotebookRun::Cell { .. }) {
                    canvases.begin_anew();
                }
                notebook.stretch(asked)
            }
            Err(error) => Err(GuestFailure::new(Cause::Threw, error.to_string())),
        };
        let came = match stretch {
            Ok(stretch @ Stretch::Done { .. }) => match serde_json::to_value(stretch) {
                Ok(value) => export(&canvases, value),
                Err(error) => (threw(error), Vec::new()),
            },
            Ok(asks) => match serde_json::to_value(asks) {
                Ok(value) => (Outcome::Ok { value, picture: None }, Vec::new()),
                Err(error) => (threw(error), Vec::new()),
            },
            Err(failure) => (Outcome::Failed(failure), Vec::new()),
        };
        answer(&engine, control, run, came, false)?;
    }
    Ok(())
}

fn threw(error: serde_json::Error) -> Outcome {
    Outcome::Failed(GuestFailure::new(Cause::Threw, error.to_string()))
}

struct Notebook<'e> {
    engine: &'e Engine,
    /// What `notebook.js` gives.
    own: Persistent<Object<'static>>,
    open: Open,
    limit: usize,
}

impl Notebook<'_> {
    fn stretch(&self, asked: NotebookRun) -> Result<Stretch, GuestFailure> {
        let (cell, settled) = match asked {
            NotebookRun::Cell { cell, code } => (cell, self.begin(cell, &code)),
            NotebookRun::Answer {
                cell,
                question,
                value,
            } => {
                let answer = |own: Object<'_>| {
                    let answer: Function = own.get("answer")?;
                    answer.call((question as f64, value.to_string()))
                };
                (cell, self.go_on(cell, answer))
            }
            NotebookRun::Refuse {
                cell,
                question,
                code,
                message,
            } => {
                let refuse = |own: Object<'_>| {
                    let refuse: Function = own.get("refuse")?;
                    refuse.call((question as f64, code, message))
                };
                (cell, self.go_on(cell, refuse))
            }
        };
        let ended = match settled {
            Ok(result) => self.done(result),
            // It waits, and for us.
            Err(failure) if failure.cause == Cause::NeverSettles => match self.question() {
                Ok(Some(question)) => return Ok(question),
                Ok(None) => Err(failure),
                Err(failure) => Err(failure),
            },
            Err(failure) => Err(failure),
        };
        self.open.borrow_mut().remove(&cell);
        self.called(|ctx| self.own(ctx)?.get::<_, Function>("forget")?.call::<_, ()>(()))?;
        ended
    }

    fn begin(&self, cell: u64, code: &str) -> Result<Persistent<Value<'static>>, GuestFailure> {
        check(self.engine, code)?;
        let code = together::shared(code);
        self.engine.settle(|ctx| {
            let mut options = EvalOptions::default();
            options.strict = false;
            options.promise = true;
            options.filename = Some(FILE.to_owned());
            let promise: Value = ctx.eval_with_options(code, options)?;
            let kept = Persistent::save(ctx, promise.clone());
            self.open.borrow_mut().insert(cell, kept);
            Ok(promise)
        })
    }

    fn go_on(
        &self,
        cell: u64,
        answer: impl for<'js> FnOnce(Object<'js>) -> rquickjs::Result<()>,
    ) -> Result<Persistent<Value<'static>>, GuestFailure> {
        let Some(open) = self.open.borrow().get(&cell).cloned() else {
            return Err(GuestFailure::new(Cause::NeverSettles, "the cell does not wait"));
        };
        self.engine.settle(|ctx| {
            answer(self.own(ctx)?)?;
            open.restore(ctx)
        })
    }

    fn own<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Object<'js>> {
        self.own.clone().restore(ctx)
    }

    fn question(&self) -> Result<Option<Stretch>, GuestFailure> {
        let text = self.called(|ctx| {
            let next: Function = self.own(ctx)?.get("next")?;
            next.call::<_, Option<rquickjs::String>>(())?
                .map(|text| text.to_string())
                .transpose()
        })?;
        let Some(text) = text else { return Ok(None) };
        let read = super::json::parse(text).map_err(|error| error.to_string());
        let question =
            read.and_then(|value| serde_json::from_value(value).map_err(|error| error.to_string()));
        question
            .map(Some)
            .map_err(|reason| GuestFailure::new(Cause::NotSerializable, reason))
    }

    /// `result`: `{value}`, as top-level await gives it.
    fn done(&self, result: Persistent<Value<'static>>) -> Result<Stretch, GuestFailure> {
        let value = self.called(|ctx| {
            let result = result.restore(ctx)?;
            let value: Value = match result.as_object() {
                Some(object) => object.get("value")?,
                None => result,
            };
            let shown: Function = self.own(ctx)?.get("shown")?;
            // Not copied out of the engine's heap before it is known to be small enough.
            let text: rquickjs::String = shown.call((value,))?;
            text.to_cstring()
                .map(|text| (text.as_str().chars().count() <= self.limit).then(|| text.as_str().to_owned()))
        })?;
        value.map(|value| Stretch::Done { value }).ok_or_else(|| {
            let mut failure = GuestFailure::new(Cause::ResultTooLarge, "the value is too long");
            failure.detail = Some(serde_json::json!({ "limit": self.limit }));
            failure
        })
    }

    fn called<R>(
        &self,
        work: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<R>,
    ) -> Result<R, GuestFailure> {
        self.engine
            .with(|ctx| work(&ctx).map_err(|error| failure::take(&ctx, &self.engine.state, error)))
    }
}
