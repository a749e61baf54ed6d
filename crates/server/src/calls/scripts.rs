//! `run_javascript` (CONTRACT): check, run in a worker, keep the picture, keep the run.

use super::actor_of;
use crate::app::App;
use crate::live::{self, Opened};
use crate::records;
use crate::words::worded;
use base::{Coded, Event, Failure, clock};
use runtime::host::{Finished, Observer, Picture, RunError, ScriptLimits};
use runtime::protocol::{GuestFailure, Level, ScriptRun};
use serde_json::{Map, Value, json};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use store::{Actor, NewArtifact, Run};
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Detail, Line, OpenRun as _, level_of};
use toolbox::run_log::legible;
use wire::{Caller, ScriptParams, ScriptResult};

/// What runs of scripts are called in records.
const SUBJECT: &str = "run_javascript";
/// Lines of console output that are given back.
const LOG_LINES: usize = 1000;
/// Characters of a picture's title, taken from the script.
const TITLE: usize = 60;

/// Runs a script. A script's own failure is a value `{error, message, …}`, not an error.
pub(crate) async fn run(
    app: &App,
    caller: &Caller,
    params: ScriptParams,
    cancel: CancellationToken,
) -> Result<ScriptResult, Failure> {
    let chosen = live::chosen(SUBJECT, params.run.clone())?;
    let run = chosen.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let actor = actor_of(caller);
    // Opened before the records are asked: a run is among the open ones or recorded, never neither.
    let open = app.inner.live.begin(&run, SUBJECT, &actor, &cancel)?;
    if chosen.is_some() && app.inner.store.has_run(run.clone()).await? {
        return Err(Failure::new("run_exists").with("run", run));
    }
    let started_at = clock::now_ms();
    let started = Instant::now();
    let heard = Heard {
        open: &open,
        lines: Mutex::default(),
    };
    let event = Event::new("run.started", json!({"run": run, "subject": SUBJECT})).tag("runs");
    app.inner.store.announce(vec![event]).await?;
    let mut detail = given(&params);
    let (value, error, memory) = match attempt(app, &actor, params, &heard).await {
        Ok((value, memory)) => (value, None, memory),
        Err(refused) => {
            detail.failed(&refused.failure, None);
            (refused.value, Some(refused.failure.code), None)
        }
    };
    let success = error.is_none();
    // Of a failure as well: there it says where.
    detail.gave(&value.to_string(), str::to_owned);
    let about = title_of(&detail);
    detail.wrote(open.lines());
    open.over();
    let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    let row = Run {
        id: run.clone(),
        subject: SUBJECT.to_owned(),
        started_at,
        duration_ms,
        success,
        error,
        actor,
        memory,
        about,
    };
    records::keep(app, row, &detail).await;
    Ok(ScriptResult {
        run,
        success,
        value,
        duration_ms,
        log: heard.take(),
    })
}

fn given(params: &ScriptParams) -> Detail {
    let mut given = Map::new();
    given.insert("code".to_owned(), params.code.clone());
    given.extend(params.input.clone().map(|input| ("input".to_owned(), input)));
    let mut detail = Detail::default();
    detail.given(&Value::Object(given).to_string(), str::to_owned);
    detail
}

/// Why a script gave nothing: as its caller sees it, and as it is kept.
struct Refused {
    value: Value,
    failure: Failure,
}

type Attempt = Result<(Value, Option<i64>), Refused>;

async fn attempt(app: &App, actor: &Actor, params: ScriptParams, heard: &Heard<'_>) -> Attempt {
    let settings = &app.inner.settings.run_javascript;
    let Value::String(code) = params.code else {
        let failure = Failure::new("invalid_args")
            .with("call", SUBJECT)
            .with("reason", "code: string");
        return Err(refused(app, failure, json!({})));
    };
    let chars = code.chars().count();
    if chars > settings.code_chars {
        let failure = Failure::new("code_too_large")
            .with("chars", chars)
            .with("limit", settings.code_chars);
        return Err(refused(app, failure, json!({})));
    }
    let limits = ScriptLimits::from(settings);
    let script = ScriptRun {
        code: code.clone(),
        input: params.input,
    };
    let cancel = heard.open.cancel();
    let Finished {
        value,
        picture,
        usage,
    } = match app.inner.host.run_script(&script, &limits, cancel, heard).await {
        Ok(finished) => finished,
        Err(error) => return Err(explained(app, error)),
    };
    let memory = i64::try_from(usage.memory).ok();
    let Some(picture) = picture else {
        return Ok((value, memory));
    };
    match keep(app, actor, code, picture).await {
        Ok(file) => Ok((json!({"result": value, "images": [file]}), memory)),
        Err(failure) => {
            let failure = Failure::new("canvas_export_failed").with("reason", failure.to_string());
            Err(refused(app, failure, json!({"result": value})))
        }
    }
}

async fn keep(app: &App, actor: &Actor, code: String, picture: Picture) -> Result<String, Failure> {
    let new = NewArtifact {
        title: title(&code),
        source: SUBJECT.to_owned(),
        actor: actor.clone(),
        code,
        width: picture.width,
        height: picture.height,
        png: picture.png,
    };
    let artifact = app.inner.store.add_picture(new).await?;
    tracing::info!(
        file = artifact.file_name(),
        width = artifact.width,
        height = artifact.height,
        "canvas picture kept"
    );
    Ok(artifact.file_name())
}

/// The script's first comment, else its first line: something to tell pictures apart by.
fn title(code: &str) -> String {
    let mut lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let text = first
        .trim_start_matches(['/', '*', ' '])
        .trim_end_matches(['*', '/', ' ']);
    text.chars().take(TITLE).collect()
}

/// What tells a run of a script from others.
fn title_of(detail: &Detail) -> Option<String> {
    let code = detail.parameters.as_ref()?.get("code")?.as_str()?;
    Some(title(code)).filter(|title| !title.is_empty())
}

/// A run's failure in the shape of CONTRACT.
fn explained(app: &App, error: RunError) -> Refused {
    let mut failure = Failure::new(error.code());
    failure.args = error.args();
    let more = error.guest().map_or_else(|| json!({}), details);
    if let RunError::Failed(guest) = &error
        && matches!(
            error.code(),
            "js_execution_failed" | "non_json_serializable_return"
        )
    {
        // The author's own error in her own words.
        let name = if guest.name.is_empty() {
            String::new()
        } else {
            format!("{}: ", guest.name)
        };
        let mut refused = refused(app, failure, more);
        if error.code() == "js_execution_failed" {
            refused.value["message"] = format!("{name}{}", guest.message).into();
        }
        return refused;
    }
    refused(app, failure, more)
}

fn details(guest: &GuestFailure) -> Value {
    use runtime::protocol::Cause;
    match guest.cause {
        Cause::Threw => json!({"stack": guest.stack, "line": guest.line, "column": guest.column}),
        Cause::BlockedCode => json!({"blocked": guest.detail}),
        Cause::CanvasExport => json!({"result": guest.detail}),
        _ => json!({}),
    }
}

fn refused(app: &App, failure: Failure, more: Value) -> Refused {
    let error = worded(&failure, app.lang());
    let mut value = Map::new();
    value.insert("error".to_owned(), error.code.into());
    value.insert("message".to_owned(), error.message.into());
    if let Some(hint) = error.hint {
        value.insert("hint".to_owned(), hint.into());
    }
    if let Value::Object(more) = more {
        value.extend(more);
    }
    Refused {
        value: Value::Object(value),
        failure,
    }
}

/// Console lines of one run, for its caller and for those who watch.
struct Heard<'r> {
    open: &'r Opened,
    lines: Mutex<Vec<String>>,
}

impl Heard<'_> {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Heard<'_> {
    fn log(&self, level: Level, text: String) {
        let text = legible(&text);
        self.open.line(Line {
            at: clock::now_ms(),
            level: level_of(level),
            stream: None,
            text: text.clone(),
        });
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < LOG_LINES {
            lines.push(match level {
                Level::Info => text,
                other => format!("[{other:?}] {text}"),
            });
        }
    }

    fn progress(&self, done: f64, total: Option<f64>, text: Option<String>) {
        self.open.progress(done, total, text.as_deref().map(legible));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_come_from_the_first_words() {
        assert_eq!(title("\n  // A red square\nconst c = 1"), "A red square");
        assert_eq!(title("/* Chart */"), "Chart");
        assert_eq!(title("const c = getCanvas()"), "const c = getCanvas()");
        assert_eq!(title(&"字".repeat(100)).chars().count(), TITLE);
        assert_eq!(title(""), "");
    }
}
