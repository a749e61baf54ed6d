//! Interpreters that stay with a notebook: what its cells have made is there for the next one. A step
//! that goes on behind an answer goes on where it stood. Where the interpreter is a new one (the one
//! before was killed, or left), the runs before are run again first, with the answers that inputs and
//! tools gave then, and nothing that they print or draw is heard again: no tool is called twice.
//!
//! Deliberately not here: the languages.

use super::heard::Heard;
use super::javascript::JavaScript;
use super::python::Python;
use super::steps::{Around, Came, Fault, Step};
use super::{Notebook, Who};
use crate::app::App;
use crate::words::worded;
use arena::engine::{Event, Outcome, Phase, RunId, StepEnd};
use base::Failure;
use base::name::ToolName;
use runtime::host::Picture;
use runtime::protocol::{NotebookRun, Stretch};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::future::Future;
use std::time::{Duration, Instant};
use store::NewArtifact;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Call, Nobody};

/// Bytes of what a tool answers.
const ANSWER: usize = 1024 * 1024;

/// A language whose cells share what they have made.
pub(super) trait Interpreter: Sized + Send {
    const NAME: &'static str;

    fn place(sessions: &Sessions) -> &Mutex<Option<Session<Self>>>;

    fn start(
        app: &App,
        notebook: &Notebook,
        heard: &Heard<'_>,
    ) -> impl Future<Output = Result<Self, Fault>> + Send;

    /// Runs a cell up to its end or to what it asks for.
    fn stretch(
        &mut self,
        asked: &NotebookRun,
        cancel: &CancellationToken,
        heard: &Heard<'_>,
    ) -> impl Future<Output = Result<(Stretch, Option<Picture>), Fault>> + Send;

    fn alive(&self) -> bool;
}

#[derive(Default)]
pub(super) struct Sessions {
    pub(super) javascript: Mutex<Option<Session<JavaScript>>>,
    pub(super) python: Mutex<Option<Session<Python>>>,
}

pub(super) struct Session<I> {
    interpreter: I,
    /// Runs that wait for an input: how many they have had, and the question.
    waiting: HashMap<RunId, (usize, u64)>,
    used: Instant,
}

impl Sessions {
    /// Those that nobody used for so long end. One that is used now is not looked at.
    pub(super) fn sweep(&self, idle: Duration) {
        fn swept<I>(place: &Mutex<Option<Session<I>>>, idle: Duration) {
            if let Ok(mut session) = place.try_lock()
                && session.as_ref().is_some_and(|one| one.used.elapsed() >= idle)
            {
                session.take();
            }
        }
        swept(&self.javascript, idle);
        swept(&self.python, idle);
    }
}

/// What a tool answered, as it is kept.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
enum Answer {
    Gave { gave: Value },
    Failed { code: String, message: String },
}

impl Answer {
    fn asked(self, cell: u64, question: u64) -> NotebookRun {
        match self {
            Answer::Gave { gave } => NotebookRun::Answer {
                cell,
                question,
                value: gave,
            },
            Answer::Failed { code, message } => NotebookRun::Refuse {
                cell,
                question,
                code,
                message,
            },
        }
    }
}

/// A run that is to be there before another.
struct Past {
    run: RunId,
    text: String,
    answers: Vec<String>,
    calls: Vec<String>,
}

pub(super) async fn step<I: Interpreter>(around: &Around<'_>, step: &Step) -> Result<Came, Fault> {
    let mut place = I::place(&around.notebook.sessions).lock().await;
    let mut session = match place.take().filter(|session| session.interpreter.alive()) {
        Some(session) => session,
        None => begin::<I>(around, step).await?,
    };
    let came = go::<I>(&mut session, around, step).await;
    session.used = Instant::now();
    if session.interpreter.alive() {
        *place = Some(session);
    }
    match came {
        // What it had made before it failed is there, and will be again.
        Err(Fault::Said(message)) => Ok(Came {
            end: StepEnd::Failed { message },
            artifacts: Vec::new(),
            by: I::NAME,
        }),
        came => came,
    }
}

/// A new interpreter, brought to where the notebook stands.
async fn begin<I: Interpreter>(around: &Around<'_>, step: &Step) -> Result<Session<I>, Fault> {
    let past = past(around.notebook, I::NAME, step.run).await;
    around.heard.again(true);
    let mut session = Session {
        interpreter: I::start(around.app, around.notebook, around.heard).await?,
        waiting: HashMap::new(),
        used: Instant::now(),
    };
    for one in past {
        if around.cancel.is_cancelled() {
            break;
        }
        again(&mut session, around, &one).await?;
    }
    around.heard.again(false);
    Ok(session)
}

async fn past(notebook: &Notebook, language: &str, before: RunId) -> Vec<Past> {
    let kept = notebook.look().await;
    let runs = kept.state.runs().iter().filter(|(id, run)| {
        let ran = match run.phase {
            Phase::Finished(Outcome::Done | Outcome::Failed) | Phase::Waiting { .. } => true,
            // Its step is still to be had.
            Phase::Queued => !run.outputs.is_empty(),
            Phase::Executing | Phase::Delegated { .. } | Phase::Finished(_) => false,
        };
        *id != before && ran && run.by == language && !run.imported
    });
    runs.map(|(id, run)| {
        let mut answers = run.answers.clone();
        if run.phase == Phase::Queued {
            answers.pop();
        }
        Past {
            run: id,
            text: run.text.clone(),
            answers,
            calls: run.calls.clone(),
        }
    })
    .collect()
}

/// Runs what ran before. Whether it fails is nobody's concern: it may have failed then.
async fn again<I: Interpreter>(
    session: &mut Session<I>,
    around: &Around<'_>,
    past: &Past,
) -> Result<(), Fault> {
    let cell = past.run as u64;
    let mut asked = NotebookRun::Cell {
        cell,
        code: past.text.clone(),
    };
    let (mut answers, mut calls) = (past.answers.iter(), past.calls.iter());
    loop {
        let stretch = session
            .interpreter
            .stretch(&asked, around.cancel, around.heard)
            .await;
        if !session.interpreter.alive() {
            return Err(stretch
                .err()
                .unwrap_or_else(|| Failure::new("worker_crashed").into()));
        }
        asked = match stretch {
            Ok((Stretch::Input { question, .. }, _)) => match answers.next() {
                Some(answer) => NotebookRun::Answer {
                    cell,
                    question,
                    value: answer.as_str().into(),
                },
                None => {
                    session.waiting.insert(past.run, (past.answers.len(), question));
                    return Ok(());
                }
            },
            Ok((Stretch::Tool { question, .. }, _)) => {
                let answer = calls.next().and_then(|answer| serde_json::from_str(answer).ok());
                answer.unwrap_or_else(cut_off).asked(cell, question)
            }
            Ok((Stretch::Done { .. }, _)) | Err(_) => return Ok(()),
        };
    }
}

/// A tool that is not called again.
fn cut_off() -> Answer {
    Answer::Failed {
        code: "interrupted".to_owned(),
        message: "interrupted".to_owned(),
    }
}

async fn go<I: Interpreter>(
    session: &mut Session<I>,
    around: &Around<'_>,
    step: &Step,
) -> Result<Came, Fault> {
    let cell = step.run as u64;
    let waited = session.waiting.remove(&step.run);
    let goes_on = waited.filter(|(had, _)| had + 1 == step.answers.len());
    let (mut had, mut called) = (0, 0);
    let mut asked = match (goes_on, step.answers.last()) {
        (Some((_, question)), Some(answer)) => {
            (had, called) = (step.answers.len(), step.calls.len());
            NotebookRun::Answer {
                cell,
                question,
                value: answer.as_str().into(),
            }
        }
        _ => NotebookRun::Cell {
            cell,
            code: step.text.clone(),
        },
    };
    loop {
        // What it said before its last answer stands in the outputs before this one.
        around.heard.again(had < step.answers.len());
        let (stretch, picture) = session
            .interpreter
            .stretch(&asked, around.cancel, around.heard)
            .await?;
        asked = match stretch {
            Stretch::Done { value } => {
                let artifacts = match picture {
                    Some(picture) => vec![keep(around, step, picture).await?],
                    None => Vec::new(),
                };
                return Ok(Came {
                    end: StepEnd::Done { value },
                    artifacts,
                    by: I::NAME,
                });
            }
            Stretch::Input { question, hint, from } => match step.answers.get(had) {
                Some(answer) => {
                    had += 1;
                    NotebookRun::Answer {
                        cell,
                        question,
                        value: answer.as_str().into(),
                    }
                }
                None => {
                    session.waiting.insert(step.run, (had, question));
                    return Ok(Came {
                        end: StepEnd::NeedsInput { hint, from },
                        artifacts: Vec::new(),
                        by: I::NAME,
                    });
                }
            },
            Stretch::Tool {
                question,
                name,
                params,
            } => {
                let answer = match step.calls.get(called).map(|known| serde_json::from_str(known)) {
                    Some(known) => known.map_err(store::StoreError::Json)?,
                    None => call(around, step.run, called, &name, params).await?,
                };
                called += 1;
                answer.asked(cell, question)
            }
        };
    }
}

/// Calls a tool and keeps what it answered before the cell hears of it.
async fn call(
    around: &Around<'_>,
    run: RunId,
    number: usize,
    name: &str,
    params: Value,
) -> Result<Answer, Fault> {
    let answer = match tool(around, name, params).await {
        Ok(gave) => Answer::Gave { gave },
        Err(failure) => Answer::Failed {
            message: worded(&failure, around.app.lang()).message,
            code: failure.code,
        },
    };
    let text = serde_json::to_string(&answer).map_err(store::StoreError::Json)?;
    let event = Event::Called {
        run,
        call: number,
        answer: text,
    };
    around
        .notebook
        .change(around.app, around.who.clone(), |_| Ok((event, ())))
        .await?;
    Ok(answer)
}

async fn tool(around: &Around<'_>, name: &str, params: Value) -> Result<Value, Failure> {
    let Around { app, who, cancel, .. } = around;
    let name = ToolName::parse(name)?;
    scope_has(app, who, |scope| scope.has_tool(&name), name.as_str())?;
    let Value::Object(params) = params else {
        return Err(Failure::new("invalid_args")
            .with("call", "tool")
            .with("reason", "params: object"));
    };
    let call = Call {
        actor: who.actor(),
        cancel: (*cancel).clone(),
        words: &crate::words::Spoken,
        run: None,
        runs: &app.inner.live,
        asks: &Nobody,
    };
    let execution = app.inner.toolbox.execute(&name, params, call).await?;
    let gave = execution.result.map_err(|failed| failed.failure)?;
    match gave.to_string().len() {
        0..=ANSWER => Ok(gave),
        chars => Err(Failure::new("result_too_large")
            .with("chars", chars)
            .with("limit", ANSWER)),
    }
}

/// A client whose token says what it may use may use no more by way of a cell.
pub(super) fn scope_has(
    app: &App,
    who: &Who,
    has: impl Fn(&crate::tokens::Scope) -> bool,
    what: &str,
) -> Result<(), Failure> {
    if !who.is_client() {
        return Ok(());
    }
    match app.inner.tokens.of_name(&who.actor().name) {
        Some(scope) if has(&scope) => Ok(()),
        Some(_) | None => Err(Failure::new("out_of_scope").with("what", what)),
    }
}

async fn keep(around: &Around<'_>, step: &Step, picture: Picture) -> Result<String, Fault> {
    let new = NewArtifact {
        title: step.title(),
        source: format!("canvas:{}", around.notebook.id),
        actor: around.who.actor().clone(),
        code: step.text.clone(),
        width: picture.width,
        height: picture.height,
        png: picture.png,
    };
    let artifact = around.app.inner.store.add_picture(new).await?;
    Ok(format!("artifact:{}", artifact.id))
}
