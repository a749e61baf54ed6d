//! One step of a run: from its beginning, or behind an answer, up to its end or the next question. It is
//! a run like any other: watched while it lasts, called off, recorded.
//!
//! Deliberately not here: how each kind of cell is run.

use super::heard::Heard;
use super::interpreter;
use super::javascript::JavaScript;
use super::python::{self, Python};
use super::{Notebook, Who, model, shell};
use crate::app::App;
use crate::records;
use crate::words::worded;
use arena::CellId;
use arena::engine::{Effect, Event, Language, Route, RunId, StepEnd, StepResult};
use base::{Coded as _, Failure, clock};
use runtime::host::RunError;
use runtime::protocol::Cause;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use store::Run;
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Detail, OpenRun as _};

/// Characters of a cell that tell its run and its pictures from others.
const TITLE: usize = 60;

pub(super) struct Step {
    pub(super) run: RunId,
    pub(super) step: usize,
    pub(super) cell: CellId,
    pub(super) route: Route,
    pub(super) text: String,
    pub(super) answers: Vec<String>,
    pub(super) calls: Vec<String>,
}

impl Step {
    pub(super) fn of(effect: Effect) -> Option<Self> {
        match effect {
            Effect::Execute {
                run,
                step,
                cell,
                route,
                text,
                answers,
                calls,
            } => Some(Step {
                run,
                step,
                cell,
                route,
                text,
                answers,
                calls,
            }),
            Effect::Delegate { .. } | Effect::AskInput { .. } | Effect::CreateCell { .. } => None,
        }
    }

    pub(super) fn title(&self) -> String {
        let first = self.text.trim().lines().next().unwrap_or_default();
        first.chars().take(TITLE).collect()
    }
}

/// What a step came to.
pub(super) struct Came {
    pub(super) end: StepEnd,
    pub(super) artifacts: Vec<String>,
    /// Who ran it.
    pub(super) by: &'static str,
}

/// Why it came to nothing.
pub(super) enum Fault {
    /// In the words of the code itself.
    Said(String),
    /// The code could not be read as what it was taken for.
    Syntax(String),
    Failed(Failure),
}

impl<E: Into<Failure>> From<E> for Fault {
    fn from(error: E) -> Self {
        Fault::Failed(error.into())
    }
}

impl Fault {
    pub(super) fn of_run(error: &RunError) -> Self {
        if let Some(guest) = error.guest()
            && guest.cause == Cause::Threw
        {
            let name = match guest.name.as_str() {
                "" => String::new(),
                name => format!("{name}: "),
            };
            let place = match (guest.line, guest.column) {
                (Some(line), Some(column)) => format!(" ({line}:{column})"),
                _ => String::new(),
            };
            let said = format!("{name}{}{place}", guest.message);
            return match guest.name.as_str() {
                "SyntaxError" => Fault::Syntax(said),
                _ => Fault::Said(said),
            };
        }
        let mut failure = Failure::new(error.code());
        failure.args = error.args();
        Fault::Failed(failure.detail(base::failure::chain(error)))
    }

    fn words(&self, app: &App) -> String {
        match self {
            Fault::Said(text) | Fault::Syntax(text) => text.clone(),
            Fault::Failed(failure) => {
                let error = worded(failure, app.lang());
                match error.hint {
                    Some(hint) => format!("{}\n{hint}", error.message),
                    None => error.message,
                }
            }
        }
    }

    fn failure(&self) -> Failure {
        match self {
            Fault::Said(text) | Fault::Syntax(text) => {
                Failure::new("cell_failed").with("reason", text.clone())
            }
            Fault::Failed(failure) => failure.clone(),
        }
    }
}

/// What a step has besides itself.
pub(super) struct Around<'a> {
    pub(super) app: &'a App,
    pub(super) notebook: &'a Arc<Notebook>,
    pub(super) who: &'a Who,
    pub(super) heard: &'a Heard<'a>,
    pub(super) cancel: &'a CancellationToken,
}

pub(super) async fn carry_out(
    app: App,
    notebook: Arc<Notebook>,
    step: Step,
    who: Who,
    live: String,
    cancel: CancellationToken,
) {
    let run = step.run;
    let Some(event) = done(&app, &notebook, step, &who, live, &cancel).await else {
        return;
    };
    if let Err(failure) = notebook.change(&app, who, |_| Ok((event, ()))).await {
        // It was interrupted at the same moment, or its canvas is read again and it begins anew.
        tracing::debug!(canvas = notebook.id, run, %failure, "what a step came to was not wanted");
    }
}

/// `None` when nobody wants it any more: the step was ended, or this process ends.
async fn done(
    app: &App,
    notebook: &Arc<Notebook>,
    step: Step,
    who: &Who,
    live: String,
    cancel: &CancellationToken,
) -> Option<Event> {
    let subject = format!("canvas:{}", notebook.id);
    let (run, number) = (step.run, step.step);
    let failed = |message: String| Event::Executed {
        run,
        step: number,
        result: StepResult {
            stdout: Vec::new(),
            artifacts: Vec::new(),
            by: String::new(),
            end: StepEnd::Failed { message },
        },
    };
    let open = match app.inner.live.begin(&live, &subject, who.actor(), cancel) {
        Ok(open) => open,
        Err(failure) => return Some(failed(Fault::Failed(failure).words(app))),
    };
    let secrets = match app.learn_secrets().await {
        Ok(secrets) => secrets,
        Err(error) => return Some(failed(Fault::from(error).words(app))),
    };
    let (started_at, started) = (clock::now_ms(), Instant::now());
    let event = base::Event::new("run.started", json!({"run": live, "subject": subject})).tag("runs");
    if let Err(error) = app.inner.store.announce(vec![event]).await {
        tracing::warn!(error = %base::failure::chain(&error), "nobody was told of a step");
    }
    let heard = Heard::new(&open, &secrets);
    let called_off = open.cancel();
    let around = Around {
        app,
        notebook,
        who,
        heard: &heard,
        cancel: &called_off,
    };
    let mut detail = Detail::default();
    let given = json!({"cell": step.cell.to_string(), "text": step.text});
    detail.given(&given.to_string(), |text| secrets.mask(text));
    let came = execute(&around, &step).await;
    let off = called_off.is_cancelled();
    let stdout = heard.take();
    let failure = match &came {
        _ if off => Some(Failure::new("cancelled")),
        Ok(Came {
            end: StepEnd::Done { value },
            ..
        }) => {
            detail.gave(&json!(value).to_string(), |text| secrets.mask(text));
            None
        }
        Ok(Came {
            end: StepEnd::Failed { message },
            ..
        }) => Some(Failure::new("cell_failed").with("reason", message.clone())),
        Ok(_) => None,
        Err(fault) => Some(fault.failure()),
    };
    if let Some(failure) = &failure {
        detail.failed(&told(failure, |text| secrets.mask(text)), None);
    }
    detail.wrote(open.lines());
    open.over();
    let error = failure.map(|failure| failure.code);
    let row = Run {
        id: live,
        subject,
        started_at,
        duration_ms: started.elapsed().as_secs_f64() * 1000.0,
        success: error.is_none(),
        error,
        actor: who.actor().clone(),
        memory: None,
        about: Some(secrets.mask(&step.title())).filter(|about| !about.is_empty()),
    };
    records::keep(app, row, &detail).await;
    if off {
        // By whoever watches its run; otherwise whoever ended it knows.
        return (!cancel.is_cancelled()).then_some(Event::Interrupted { run });
    }
    let result = match came {
        Ok(Came { end, artifacts, by }) => StepResult {
            stdout,
            artifacts,
            by: by.to_owned(),
            end: masked(end, |text| secrets.mask(text)),
        },
        Err(fault) => StepResult {
            stdout,
            artifacts: Vec::new(),
            by: String::new(),
            end: StepEnd::Failed {
                message: secrets.mask(&fault.words(app)),
            },
        },
    };
    Some(Event::Executed {
        run,
        step: number,
        result,
    })
}

/// Masked, as it is kept.
fn told(failure: &Failure, mask: impl Fn(&str) -> String) -> Failure {
    let mut failure = failure.clone();
    for value in failure.args.values_mut() {
        if let serde_json::Value::String(text) = value {
            *text = mask(text);
        }
    }
    failure
}

fn masked(end: StepEnd, mask: impl Fn(&str) -> String) -> StepEnd {
    match end {
        StepEnd::Done { value } => StepEnd::Done { value: mask(&value) },
        StepEnd::NeedsInput { hint, from } => StepEnd::NeedsInput {
            hint: mask(&hint),
            from,
        },
        StepEnd::Failed { message } => StepEnd::Failed {
            message: mask(&message),
        },
    }
}

async fn execute(around: &Around<'_>, step: &Step) -> Result<Came, Fault> {
    match &step.route {
        Route::Code(Language::JavaScript) => interpreter::step::<JavaScript>(around, step).await,
        Route::Code(Language::Python) => interpreter::step::<Python>(around, step).await,
        Route::Code(Language::Plain) => plain(around, step).await,
        Route::Model => model::step(around, step).await,
        Route::Shell(context) => shell::step(around, step, context).await,
        Route::Context(context) => Err(Failure::new("cell_context_unknown")
            .with("context", context.clone())
            .into()),
        // Not ours: it waits beside the steps.
        Route::Delegate(to) => Err(Failure::new("cell_context_unknown")
            .with("context", to.clone())
            .into()),
    }
}

/// Lines that are both: in the language of the run before, JavaScript where there is none. What that
/// cannot read may be Python.
async fn plain(around: &Around<'_>, step: &Step) -> Result<Came, Fault> {
    let before = {
        let kept = around.notebook.look().await;
        let runs = kept.state.runs();
        let own = runs
            .get(step.run)
            .map(|run| run.by.clone())
            .filter(|by| !by.is_empty());
        let earlier = runs.iter().rev().filter(|(id, _)| *id < step.run);
        own.or_else(|| {
            let mut languages = earlier.map(|(_, run)| run.by.as_str());
            languages
                .find(|by| [python::NAME, super::javascript::NAME].contains(by))
                .map(str::to_owned)
        })
    };
    if before.as_deref() == Some(python::NAME) {
        return interpreter::step::<Python>(around, step).await;
    }
    match interpreter::step::<JavaScript>(around, step).await {
        Err(Fault::Syntax(_)) if python::is_there().await => interpreter::step::<Python>(around, step).await,
        came => came,
    }
}
