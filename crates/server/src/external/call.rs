//! A call of a tool of an external server: a run like any other, opened, watched, called off and recorded.

use super::definitions::BETWEEN;
use super::error::ExternalError;
use super::hear::Step;
use super::open::{MESSAGE, Open, unanswered};
use super::{External, Why, entry, rights};
use crate::app::App;
use crate::live::Opened;
use crate::records;
use base::{Event, Failure, clock};
use rmcp::model::{CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use store::{Actor, Run};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolbox::modes::{Detail, OpenRun as _};
use toolbox::run_log::{Level, Secrets, legible};
use wire::McpContent;

/// Calls of one server at the same time.
const AT_ONCE: usize = 32;
/// How long a request may take to be sent.
const SEND: Duration = Duration::from_secs(10);
/// How long a few words may take: a program that has stopped reading takes none, its pipe being full.
const TOLD: Duration = Duration::from_secs(1);
/// However often a server says that it goes on.
const LONGEST: Duration = Duration::from_secs(30 * 60);

/// What it gave, as its caller gets it.
pub(crate) struct Gave {
    pub(crate) content: McpContent,
    pub(crate) structured: Option<Value>,
}

/// `called`: the name by which it is offered.
pub(crate) async fn call(
    app: &App,
    actor: &Actor,
    called: &str,
    arguments: Value,
    (cancel, run): (CancellationToken, Option<String>),
) -> Result<Gave, Failure> {
    let server = called.split_once(BETWEEN).map_or(called, |(server, _)| server);
    let server = app.inner.externals.get(server)?;
    let tool = server.tool(called)?;
    let id = run.unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let subject = rights::subject(&server.name);
    let live = app.inner.live.begin(&id, &subject, actor, &cancel)?;
    let event = Event::new("run.started", json!({"run": id, "subject": subject})).tag("runs");
    app.inner.store.announce(vec![event]).await?;
    let (started_at, started) = (clock::now_ms(), Instant::now());
    let secrets = Secrets::new(server.state().kept.secrets());
    let mut detail = Detail::default();
    detail.given(
        &json!({"tool": tool, "arguments": arguments}).to_string(),
        |text| secrets.mask(text),
    );
    let gave = attempt(app, &server, called, arguments, &live).await;
    let gave = gave.map_err(|failure| server.masked(failure));
    let error = match &gave {
        Ok(gave) => {
            let content = json!({"content": gave.content.content, "structured": gave.structured});
            detail.gave(&content.to_string(), |text| secrets.mask(text));
            gave.content.is_error.then(|| "external_tool_failed".to_owned())
        }
        Err(failure) => {
            detail.failed(failure, None);
            Some(failure.code.clone())
        }
    };
    detail.wrote(live.lines());
    live.over();
    let row = Run {
        id,
        subject,
        started_at,
        duration_ms: started.elapsed().as_secs_f64() * 1000.0,
        success: error.is_none(),
        error,
        actor: actor.clone(),
        memory: None,
        about: detail.about(),
    };
    records::keep(app, row, &detail).await;
    gave
}

async fn attempt(
    app: &App,
    server: &Arc<External>,
    called: &str,
    arguments: Value,
    live: &Opened,
) -> Result<Gave, Failure> {
    let cancel = live.cancel();
    let open = tokio::select! {
        biased;
        () = cancel.cancelled() => return Err(ExternalError::Cancelled.into()),
        open = server.ready(app, Why::Call) => open?,
    };
    // It may have said something else of its tools when it started, and by this name call another one.
    let tool = &*server.tool(called)?;
    let _turn = Turn::take(&open, server)?;
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    let result = ask(server, &open, tool, arguments, live, &cancel).await;
    open.touch();
    let result = result.inspect_err(|error| open.heard.note(Level::Warn, &format!("{tool}: {error}")))?;
    Ok(gave(server, result)?)
}

/// One of the calls that a server has at a time.
struct Turn(Arc<Open>);

impl Turn {
    fn take(open: &Arc<Open>, server: &External) -> Result<Self, ExternalError> {
        let turn = Turn(open.clone());
        match open.calls.fetch_add(1, Ordering::Relaxed) {
            before if before < AT_ONCE => Ok(turn),
            _ => Err(ExternalError::Busy {
                server: server.name.to_string(),
                limit: AT_ONCE,
            }),
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn ask(
    server: &External,
    open: &Open,
    tool: &str,
    arguments: Map<String, Value>,
    live: &Opened,
    cancel: &CancellationToken,
) -> Result<CallToolResult, ExternalError> {
    let name = server.name.as_str();
    let silent = |patience: Duration| ExternalError::Silent {
        server: name.to_owned(),
        seconds: patience.as_secs(),
    };
    let patience = entry::call_time(&server.state().kept.entry);
    let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    let (steps, mut step) = watch::channel(Step::default());
    let sending = async {
        let mut calls = open.heard.calls.lock().await;
        let handle = open
            .peer
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await?;
        calls.insert(handle.progress_token.clone(), steps);
        Ok(handle)
    };
    let Ok(handle) = tokio::time::timeout(SEND, sending).await else {
        open.deaf();
        return Err(silent(SEND));
    };
    let mut handle: RequestHandle<RoleClient> = handle.map_err(|error| unanswered(name, error))?;
    let token = handle.progress_token.clone();
    let begin = tokio::time::Instant::now();
    let mut until = begin + patience;
    let answered = loop {
        tokio::select! {
            biased;
            answer = &mut handle.rx => break Ok(answer),
            () = cancel.cancelled() => break Err(ExternalError::Cancelled),
            Ok(()) = step.changed() => {
                let Step { done, total, text } = step.borrow_and_update().clone();
                live.progress(done, total, text.as_deref().map(legible));
                until = (tokio::time::Instant::now() + patience).min(begin + LONGEST);
            }
            () = tokio::time::sleep_until(until) => break Err(silent(patience)),
        }
    };
    // The last step has come before the answer; it may not have been looked at.
    if answered.is_ok() && step.has_changed().unwrap_or(false) {
        let Step { done, total, text } = step.borrow_and_update().clone();
        live.progress(done, total, text.as_deref().map(legible));
    }
    open.heard.calls.lock().await.remove(&token);
    match answered {
        Ok(Ok(Ok(ServerResult::CallToolResult(result)))) => Ok(result),
        Ok(Ok(Ok(_))) => Err(ExternalError::Protocol {
            server: name.to_owned(),
            reason: "tools/call".to_owned(),
        }),
        Ok(Ok(Err(error))) => Err(unanswered(name, error)),
        Ok(Err(_)) => Err(ExternalError::Ended {
            server: name.to_owned(),
            how: "-".to_owned(),
        }),
        Err(error) => {
            // Whether it listens or not, nobody waits for it any more.
            let told = handle.cancel(Some("cancelled".to_owned()));
            if tokio::time::timeout(TOLD, told).await.is_err() {
                open.deaf();
            }
            Err(error)
        }
    }
}

fn gave(server: &External, result: CallToolResult) -> Result<Gave, ExternalError> {
    let protocol = |error: serde_json::Error| ExternalError::Protocol {
        server: server.name.to_string(),
        reason: error.to_string(),
    };
    let blocks = result.content.iter().map(serde_json::to_value);
    let content = McpContent {
        content: blocks.collect::<Result<_, _>>().map_err(protocol)?,
        is_error: result.is_error.unwrap_or(false),
    };
    let size = serde_json::to_string(&content.content).map_or(0, |text| text.len());
    if size > MESSAGE {
        return Err(ExternalError::TooLarge {
            server: server.name.to_string(),
            what: "bytes",
            limit: MESSAGE,
        });
    }
    Ok(Gave {
        content,
        structured: result.structured_content,
    })
}
