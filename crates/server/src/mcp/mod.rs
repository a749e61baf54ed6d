//! The MCP endpoint: `/mcp` over streamable HTTP, by rmcp. Both protocol revisions on one
//! address: 2026-07-28 without sessions, 2025-11-25 and older with them.

mod elicit;
mod progress;
mod prompts;
mod tools;
mod workspaces;

use crate::app::App;
use crate::calls;
use crate::words::{flat, worded};
use base::Failure;
use elicit::{ByClient, Open, Way};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::tower::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::sync::Arc;
use wire::{Caller, McpContent, ScriptParams, ToolmParams};

/// How long an answer waits for the last of its progress.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(200);
/// Bytes of a picture that is shown to the model beside its file name.
const SHOWN_PICTURE: usize = 1024 * 1024;

pub(crate) use elicit::Parked;

type Service = StreamableHttpService<Endpoint, LocalSessionManager>;

/// The service behind `/mcp`. Host and Origin are checked before it, for all routes alike.
pub(crate) fn service(app: &App) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_cancellation_token(app.inner.ending.child_token());
    let app = app.clone();
    StreamableHttpService::new(
        move || Ok(Endpoint { app: app.clone() }),
        Arc::new(LocalSessionManager::default()),
        config,
    )
}

#[derive(Clone)]
pub(crate) struct Endpoint {
    app: App,
}

impl ServerHandler for Endpoint {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_prompts()
                .build(),
        );
        info.server_info = Implementation::new("prompt-manager", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(tools::instructions(self.app.lang()).to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let installed = self
            .app
            .inner
            .toolbox
            .list()
            .await
            .map_err(|failure| self.error(&failure))?;
        Ok(ListToolsResult::with_all_items(tools::list(
            &installed,
            &self.app.inner.settings.run_javascript,
            self.app.lang(),
        )))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (prompts, next) = prompts::list(&self.app, cursor)
            .await
            .map_err(|failure| self.error(&failure))?;
        let mut listed = ListPromptsResult::with_all_items(prompts);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::get(&self.app, request.name, arguments).await;
        Ok(prompt.map_err(|failure| self.error(&failure))?.into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = context
            .extensions
            .get::<axum::http::request::Parts>()
            .and_then(|parts| parts.extensions.get::<Caller>())
            .cloned()
            .ok_or_else(|| self.error(&Failure::new("unauthorized")))?;
        if self.app.inner.ending.is_cancelled() {
            return Err(self.error(&Failure::new("server_ending")));
        }
        let state = request.request_state.clone();
        let mut open = match state {
            Some(state) => {
                let parked = &self.app.inner.parked;
                let answers = request.input_responses.unwrap_or_default();
                parked
                    .take(&state, &caller, answers)
                    .ok_or_else(|| self.error(&Failure::new("unknown_request_state")))?
            }
            None => self.begin(request, &caller, &context),
        };
        let stop = tokio::spawn({
            let (guard, cancel) = (context.ct.clone(), open.cancel.clone());
            async move {
                guard.cancelled().await;
                cancel.cancel();
            }
        });
        let answered = loop {
            let question = tokio::select! {
                biased;
                answered = &mut open.running => break answered,
                Some(question) = open.questions.recv() => question,
            };
            match elicit::way(&context) {
                Way::Request => tokio::select! {
                    biased;
                    answered = &mut open.running => break answered,
                    () = elicit::request(&context.peer, question) => {}
                },
                Way::Round => {
                    stop.abort();
                    return match self.app.inner.parked.put(&caller, open, question) {
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
        stop.abort();
        let content = answered
            .map_err(|error| self.error(&Failure::new("internal").detail(error.to_string())))?
            .map_err(|failure| self.error(&failure))?;
        Ok(self.result(content)?.into())
    }
}

impl Endpoint {
    /// Starts the work as a task of its own: when the client cancels, the run is told to stop, and
    /// its record is still written.
    fn begin(
        &self,
        request: CallToolRequestParams,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Open {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let (app, caller, name) = (self.app.clone(), caller.clone(), request.name.to_string());
        let cancel = app.inner.cancel.child_token();
        let (client, questions) = ByClient::new(context, &caller, app.asks_by_mcp(), app.lang());
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
                let answered = call(&app, &caller, &name, arguments, (cancel, run), &client).await;
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
        Open {
            running,
            questions,
            cancel,
        }
    }

    fn error(&self, failure: &Failure) -> ErrorData {
        let error = worded(failure, self.app.lang());
        let data = json!({"code": error.code, "hint": error.hint});
        match failure.code.as_str() {
            "unknown_mcp_tool"
            | "invalid_args"
            | "prompt_not_found"
            | "prompt_arguments_missing"
            | "prompt_argument_invalid" => ErrorData::invalid_params(error.message, Some(data)),
            _ => ErrorData::internal_error(error.message, Some(data)),
        }
    }

    fn result(&self, content: McpContent) -> Result<CallToolResult, ErrorData> {
        let blocks: Result<Vec<ContentBlock>, _> =
            content.content.into_iter().map(serde_json::from_value).collect();
        let blocks = blocks.map_err(|error| {
            self.error(&Failure::new("tool_content_invalid").with("reason", error.to_string()))
        })?;
        Ok(if content.is_error {
            CallToolResult::error(blocks)
        } else {
            CallToolResult::success(blocks)
        })
    }
}

async fn call(
    app: &App,
    caller: &Caller,
    name: &str,
    arguments: Value,
    // How it is called off, and the id that its run is watched by.
    (cancel, run): (tokio_util::sync::CancellationToken, Option<String>),
    client: &ByClient,
) -> Result<McpContent, Failure> {
    match name {
        tools::TOOLM => {
            let params: ToolmParams = read(arguments)?;
            Ok(calls::toolm(app, caller, params, cancel, run).await)
        }
        tools::RUN_JAVASCRIPT => {
            let mut params: ScriptParams = read(arguments)?;
            params.run = params.run.or(run);
            let result = calls::run_script(app, caller, params, cancel).await?;
            Ok(script_content(app, result.value, result.success).await)
        }
        other => match workspaces::call_of(other) {
            Some(name) => Ok(workspaces::answer(app, caller, name, arguments, &cancel, client).await),
            None => match prompts::call(app, other, arguments).await {
                Some(answered) => Ok(content(app, other, answered)),
                None => Err(Failure::new("unknown_mcp_tool").with("tool", other)),
            },
        },
    }
}

/// The answer as JSON; a failure is `{error, …, message}`, which the model can act on.
fn content(app: &App, tool: &str, answered: Result<Value, Failure>) -> McpContent {
    let (value, is_error) = match answered {
        Ok(value) => (value, false),
        Err(failure) => {
            if failure.code == "internal" {
                tracing::error!(tool, %failure, "call failed");
            }
            (flat(&worded(&failure, app.lang())), true)
        }
    };
    McpContent {
        content: vec![json!({"type": "text", "text": value.to_string()})],
        is_error,
    }
}

/// The JSON, and the picture itself where it is small enough to look at.
async fn script_content(app: &App, value: Value, success: bool) -> McpContent {
    let text = serde_json::to_string(&value).unwrap_or_default();
    let mut content = vec![json!({"type": "text", "text": text})];
    let file = value
        .get("images")
        .and_then(|images| images.get(0))
        .and_then(Value::as_str);
    if success
        && let Some(file) = file
        && let Ok(id) = calls::id_of(file)
        && let Ok(bytes) = tokio::fs::read(app.inner.store.artifact_path(&id)).await
        && bytes.len() <= SHOWN_PICTURE
    {
        use base64::Engine as _;
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        content.push(json!({"type": "image", "data": data, "mimeType": "image/png"}));
    }
    McpContent {
        content,
        is_error: !success,
    }
}

fn read<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| {
        Failure::new("invalid_args")
            .with("call", "tools/call")
            .with("reason", error.to_string())
    })
}
