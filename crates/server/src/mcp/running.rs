//! A call of a tool from its beginning to its answer: as an answer at once, as a question to whom
//! called, or as a task that goes on. What the call does is in `dispatch`.

use super::dispatch::{Answered, call};
use super::elicit::{self, Again, ByClient, Open, Way};
use super::{Client, Endpoint, long, progress};
use crate::limits::Key;
use base::Failure;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;

/// How long an answer waits for the last of its progress: a client that takes none of it is not waited for. Whoever
/// tells it may itself wait for a processor.
const LAST_WORDS: Duration = Duration::from_secs(5);

impl Endpoint {
    /// A call that becomes a task, where its client knows them, when it takes longer than a moment.
    pub(super) async fn call_within(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
        moment: Duration,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context)?;
        if self.app.inner.ending.is_cancelled() {
            return Err(self.error(&Failure::new("server_ending")));
        }
        let key = client.key.clone();
        let open = match request.request_state {
            Some(state) => {
                let answers = request.input_responses.unwrap_or_default();
                match self.app.inner.parked.take(&state, &key, answers) {
                    Some(Again::Open(open)) => *open,
                    Some(Again::Asked(required)) => return Ok(required.into()),
                    None => return Err(self.error(&Failure::new("unknown_request_state"))),
                }
            }
            None => self
                .begin(request, client, &context)
                .map_err(|failure| self.error(&failure))?,
        };
        self.see_through(open, &key, &context, moment).await
    }

    /// The answer to a call: what it gave, what its client is to say first, or that it goes on as a task.
    pub(super) async fn see_through(
        &self,
        mut open: Open,
        key: &Key,
        context: &RequestContext<RoleServer>,
        moment: Duration,
    ) -> Result<CallToolResponse, ErrorData> {
        // Where nobody waits for the answer any more, nobody needs the run.
        let end = open.cancel.clone().drop_guard();
        let way = elicit::way(context);
        let mut long = long::knows_tasks(context);
        let mut moment = pin!(tokio::time::sleep(moment));
        let answered = loop {
            let question = tokio::select! {
                biased;
                answered = &mut open.running => break answered,
                () = context.ct.cancelled(), if !open.cancel.is_cancelled() => {
                    open.cancel.cancel();
                    continue;
                }
                Some(question) = open.questions.recv() => question,
                () = &mut moment, if long => match self.app.inner.long.adopt(self, key, open, way) {
                    Ok(task) => {
                        end.disarm();
                        return Ok(CreateTaskResult::new(task).into());
                    }
                    Err(back) => {
                        (open, long) = (*back, false);
                        continue;
                    }
                },
            };
            match way {
                Way::Request => tokio::select! {
                    biased;
                    answered = &mut open.running => break answered,
                    () = context.ct.cancelled(), if !open.cancel.is_cancelled() => open.cancel.cancel(),
                    () = elicit::request(&context.peer, question) => {}
                },
                Way::Round => {
                    end.disarm();
                    return match self.app.inner.parked.put(key, open, question) {
                        Ok(required) => Ok(required.into()),
                        Err(limit) => {
                            let failure = Failure::new("too_many_questions").with("limit", limit);
                            Err(self.error(&failure))
                        }
                    };
                }
                // Nobody there to ask: the others may answer.
                Way::None => {}
            }
        };
        Ok(self.answer(answered)?.into())
    }

    /// Starts the work as a task of its own: when the client cancels, the run is told to stop, and
    /// its record is still written.
    fn begin(
        &self,
        request: CallToolRequestParams,
        client: Client,
        context: &RequestContext<RoleServer>,
    ) -> Result<Open, Failure> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let (app, name) = (self.app.clone(), request.name.to_string());
        let counted = app.inner.limits.call(client.key.as_str())?;
        let cancel = app.inner.cancel.child_token();
        let (asked, questions) = ByClient::new(context, &client.caller, app.asks_by_mcp(), app.lang());
        let token = context.meta.get_progress_token();
        let telling = token.map(|token| {
            let run = uuid::Uuid::new_v4().to_string();
            let tell = progress::tell(app.clone(), run.clone(), context.peer.clone(), token);
            (run, tokio::spawn(tell))
        });
        let running = app.inner.running.spawn({
            let (app, cancel) = (app.clone(), cancel.clone());
            async move {
                let run = telling.as_ref().map(|(run, _)| run.clone());
                let _counted = counted;
                let answered = call(&app, &client, &name, arguments, (cancel, run), &asked).await;
                if let Some((run, mut telling)) = telling {
                    // After the answer a client does not listen any more. What opened no run has
                    // nothing to tell.
                    if app.inner.live.knows(&run) {
                        let _ = tokio::time::timeout(LAST_WORDS, &mut telling).await;
                    }
                    telling.abort();
                }
                answered
            }
        });
        Ok(Open {
            running,
            questions,
            cancel,
        })
    }

    /// For work that outlives the request, and perhaps the session.
    pub(super) fn without_session(&self) -> Self {
        Endpoint {
            following: Arc::default(),
            ..self.clone()
        }
    }

    pub(super) fn answer(
        &self,
        ended: Result<Result<Answered, Failure>, JoinError>,
    ) -> Result<CallToolResult, ErrorData> {
        let answered = ended
            .map_err(|error| self.error(&Failure::new("internal").detail(error.to_string())))?
            .map_err(|failure| self.error(&failure))?;
        self.result(answered)
    }

    fn result(&self, answered: Answered) -> Result<CallToolResult, ErrorData> {
        let Answered { content, structured } = answered;
        let blocks: Result<Vec<ContentBlock>, _> =
            content.content.into_iter().map(serde_json::from_value).collect();
        let blocks = blocks.map_err(|error| {
            self.error(&Failure::new("tool_content_invalid").with("reason", error.to_string()))
        })?;
        let mut result = if content.is_error {
            CallToolResult::error(blocks)
        } else {
            CallToolResult::success(blocks)
        };
        result.structured_content = structured;
        Ok(result)
    }
}
