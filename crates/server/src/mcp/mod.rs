//! The MCP endpoint, by rmcp: `/mcp` over streamable HTTP, and streams of `pm mcp` on the owner's
//! socket. Both protocol revisions on either: 2026-07-28 without sessions, 2025-11-25 and older with
//! them.

mod elicit;
mod find;
mod follow;
mod named;
mod progress;
mod prompts;
mod resources;
mod sessions;
mod stream;
mod tools;
mod workspaces;

use crate::app::App;
use crate::calls;
use crate::tokens::Scope;
use crate::words::{flat, worded};
use base::Failure;
use base::name::ToolName;
use elicit::{ByClient, Open, Way};
use follow::Following;
use resources::Place;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::tower::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use std::sync::Arc;
use wire::{Caller, McpContent, ScriptParams, ToolmParams};

/// How long an answer waits for the last of its progress.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(200);
/// Characters of a client's own name.
const NAME: usize = 80;
/// Bytes of a picture that is shown to the model beside its file name.
const SHOWN_PICTURE: usize = 1024 * 1024;

pub(crate) use elicit::Parked;
pub(crate) use sessions::{InUse, Room, Sessions};
pub(crate) use stream::open as open_stream;

type Service = StreamableHttpService<Endpoint, LocalSessionManager>;

/// The service behind `/mcp`. Host and Origin are checked before it, for all routes alike.
pub(crate) fn service(app: &App) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(crate::http::BODY)
        .with_cancellation_token(app.inner.ending.child_token());
    let (app, sessions) = (app.clone(), app.inner.sessions.manager.clone());
    StreamableHttpService::new(
        move || {
            Ok(Endpoint {
                app: app.clone(),
                origin: Origin::Http,
                following: Arc::default(),
            })
        },
        sessions,
        config,
    )
}

#[derive(Clone)]
pub(crate) struct Endpoint {
    app: App,
    origin: Origin,
    /// Of the session, where there is one.
    following: Arc<Following>,
}

/// Who asks.
#[derive(Clone)]
struct Client {
    caller: Caller,
    scope: Scope,
}

impl Client {
    fn clone_of(caller: &Caller, scope: &Scope) -> Self {
        Client {
            caller: caller.clone(),
            scope: scope.clone(),
        }
    }
}

/// How a client came here, and so who says who it is.
#[derive(Clone)]
enum Origin {
    /// The guard before `/mcp`.
    Http,
    /// A stream of the owner's socket: the name that its program was started with, else the client's
    /// own word. Whoever reaches the socket may do more than any client.
    Stream(Option<String>),
}

impl ServerHandler for Endpoint {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .enable_prompts()
                .enable_prompts_list_changed()
                .enable_resources()
                .enable_resources_list_changed()
                .enable_resources_subscribe()
                .enable_completions()
                .build(),
        );
        info.server_info = Implementation::new("prompt-manager", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(tools::instructions(self.app.lang()).to_owned());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let Client { scope, .. } = self.client(&context)?;
        let mut installed = self
            .app
            .inner
            .toolbox
            .list()
            .await
            .map_err(|failure| self.error(&failure))?;
        installed.retain(|tool| scope.has_tool(&tool.name));
        let limits = &self.app.inner.settings.run_javascript;
        let mut tools = tools::list(&installed, limits, self.app.lang());
        tools.retain(|tool| scope.has(&tool.name));
        if self.app.inner.settings.server.tools_by_name {
            tools.extend(named::list(&installed));
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.following.begin(&self.app, context.peer);
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let Client { scope, .. } = self.client(&context)?;
        let cursor = request.and_then(|request| request.cursor);
        let (resources, next) = resources::list(&self.app, &scope, cursor)
            .await
            .map_err(|failure| self.error(&failure))?;
        let mut listed = ListResourcesResult::with_all_items(resources);
        listed.next_cursor = next;
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates(self.app.lang());
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Client { scope, .. } = self.client(&context)?;
        let contents = resources::read(&self.app, &scope, &request.uri).await;
        let contents = contents.map_err(|failure| self.error(&failure))?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Client { scope, .. } = self.client(&context)?;
        let uri = base::text::cut(&request.uri, 200);
        let place = Place::parse(&request.uri).filter(|place| place.is_in(&scope));
        let place = place.ok_or_else(|| self.error(&Failure::new("resource_not_found").with("uri", uri)))?;
        match self.following.subscribe(&place) {
            true => Ok(()),
            false => {
                let failure = Failure::new("too_many_subscriptions").with("limit", follow::MOST);
                Err(self.error(&failure))
            }
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.following.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| Place::parse(uri).is_some());
            uris.truncate(follow::MOST);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let client = self.client(context.request_context())?;
        follow::listen(&self.app, &client, context).await;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Client { scope, .. } = self.client(&context)?;
        let argument = request.argument;
        let values = match request.r#ref {
            Reference::Prompt(prompt) if scope.has(prompts::GET) => {
                prompts::complete(&self.app, prompt.name, argument.name).await
            }
            Reference::Resource(template) => {
                resources::complete(&self.app, &scope, &template.uri, &argument.name).await
            }
            _ => Ok(Vec::new()),
        };
        let mut values = values.map_err(|failure| self.error(&failure))?;
        let begun = argument.value.to_lowercase();
        values.retain(|value| value.to_lowercase().starts_with(&begun));
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let more = total > values.len();
        let total = u32::try_from(total).ok();
        let info = CompletionInfo::with_pagination(values, total, more);
        let info = info.map_err(|error| self.error(&Failure::new("internal").detail(error)))?;
        Ok(CompleteResult::new(info))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if !self.client(&context)?.scope.has(prompts::GET) {
            return Ok(ListPromptsResult::default());
        }
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
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !self.client(&context)?.scope.has(prompts::GET) {
            return Err(self.error(&Failure::new("out_of_scope").with("what", prompts::GET)));
        }
        let arguments = request.arguments.unwrap_or_default();
        let prompt = prompts::get(&self.app, request.name, arguments).await;
        Ok(prompt.map_err(|failure| self.error(&failure))?.into())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context)?;
        let caller = client.caller.clone();
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
            None => self
                .begin(request, client, &context)
                .map_err(|failure| self.error(&failure))?,
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
    /// Who asks, and what it may use: looked up for every request, because a person may take it back.
    fn client(&self, context: &RequestContext<RoleServer>) -> Result<Client, ErrorData> {
        let client = match &self.origin {
            Origin::Http => context
                .extensions
                .get::<axum::http::request::Parts>()
                .and_then(|parts| {
                    let (caller, scope) = (parts.extensions.get()?, parts.extensions.get()?);
                    Some(Client::clone_of(caller, scope))
                }),
            Origin::Stream(name) => {
                let called = || context.client_info().map(|client| client.name);
                let name = name.clone().or_else(called).unwrap_or_default();
                let name = base::text::cut(&name, NAME);
                let tokens = &self.app.inner.tokens;
                tokens.here(&name);
                tokens.of_name(&name).map(|scope| Client {
                    caller: Caller::mcp_client(&name),
                    scope,
                })
            }
        };
        client.ok_or_else(|| self.error(&Failure::new("unauthorized")))
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
        let counted = app.inner.limits.call(&client.caller.actor.name)?;
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

    fn error(&self, failure: &Failure) -> ErrorData {
        let error = worded(failure, self.app.lang());
        let data = json!({"code": error.code, "hint": error.hint});
        match failure.code.as_str() {
            "unknown_mcp_tool"
            | "out_of_scope"
            | "too_many_subscriptions"
            | "resource_too_large"
            | "invalid_args"
            | "prompt_not_found"
            | "prompt_arguments_missing"
            | "prompt_argument_invalid" => ErrorData::invalid_params(error.message, Some(data)),
            "resource_not_found" | "artifact_not_found" | "unknown_tool" => {
                ErrorData::resource_not_found(error.message, Some(data))
            }
            _ => ErrorData::internal_error(error.message, Some(data)),
        }
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

/// Where a page of a list begins.
fn page_start<T: std::str::FromStr + Default>(cursor: Option<String>, call: &str) -> Result<T, Failure> {
    let Some(cursor) = cursor else {
        return Ok(T::default());
    };
    cursor.parse().map_err(|_| {
        Failure::new("invalid_args")
            .with("call", call)
            .with("reason", "cursor")
    })
}

/// Names of all tools of MCP that there may be.
pub(crate) fn tool_names() -> impl Iterator<Item = &'static str> {
    [tools::TOOLM, tools::RUN_JAVASCRIPT, find::FIND]
        .into_iter()
        .chain(workspaces::names())
        .chain(prompts::NAMES)
}

async fn call(
    app: &App,
    Client { caller, scope }: &Client,
    name: &str,
    arguments: Value,
    // How it is called off, and the id that its run is watched by.
    (cancel, run): (tokio_util::sync::CancellationToken, Option<String>),
    asked: &ByClient,
) -> Result<Answered, Failure> {
    if tool_names().any(|known| known == name) && !scope.has(name) {
        return Err(Failure::new("out_of_scope").with("what", name));
    }
    match name {
        tools::TOOLM => {
            let params: ToolmParams = read(arguments)?;
            let visible = |tool: &ToolName| scope.has_tool(tool);
            Ok(calls::toolm(app, caller, params, &visible, cancel, run)
                .await
                .into())
        }
        tools::RUN_JAVASCRIPT => {
            let mut params: ScriptParams = read(arguments)?;
            params.run = params.run.or(run);
            let result = calls::run_script(app, caller, params, cancel).await?;
            Ok(script_content(app, result.value, result.success).await.into())
        }
        find::FIND => Ok(content(app, name, find::call(app, scope, arguments).await)),
        other => match workspaces::call_of(other) {
            Some(call) => {
                let task = arguments.get("taskId").and_then(Value::as_str);
                if let Some(task) = task.filter(|task| !scope.has_task(task)) {
                    let what = base::text::cut(task, NAME);
                    return Err(Failure::new("out_of_scope").with("what", what));
                }
                Ok(workspaces::answer(app, caller, call, arguments, &cancel, asked).await)
            }
            None if prompts::NAMES.contains(&other) => {
                Ok(content(app, other, prompts::call(app, other, arguments).await))
            }
            None => {
                let by_name = app.inner.settings.server.tools_by_name;
                let tool = ToolName::parse(other)
                    .ok()
                    .filter(|tool| by_name && scope.has_tool(tool));
                let Some(tool) = tool else {
                    return Err(Failure::new("unknown_mcp_tool").with("tool", other));
                };
                let params = named::request(&tool, arguments);
                let visible = |one: &ToolName| *one == tool;
                Ok(calls::toolm(app, caller, params, &visible, cancel, run)
                    .await
                    .into())
            }
        },
    }
}

/// What a tool gave, as text and pictures, and where it has a schema also as it is.
pub(crate) struct Answered {
    content: McpContent,
    structured: Option<Value>,
}

impl From<McpContent> for Answered {
    fn from(content: McpContent) -> Self {
        Answered {
            content,
            structured: None,
        }
    }
}

/// The answer as JSON, for a tool with a schema of it; a failure is `{error, …, message}`, which the
/// model can act on.
fn content(app: &App, tool: &str, answered: Result<Value, Failure>) -> Answered {
    let (value, is_error) = match answered {
        Ok(value) => (value, false),
        Err(failure) => {
            if failure.code == "internal" {
                tracing::error!(tool, %failure, "call failed");
            }
            (flat(&worded(&failure, app.lang())), true)
        }
    };
    let content = McpContent {
        content: vec![json!({"type": "text", "text": value.to_string()})],
        is_error,
    };
    Answered {
        content,
        structured: (!is_error).then_some(value),
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
    {
        if let Ok(bytes) = tokio::fs::read(app.inner.store.artifact_path(&id)).await
            && bytes.len() <= SHOWN_PICTURE
        {
            use base64::Engine as _;
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            content.push(json!({"type": "image", "data": data, "mimeType": "image/png"}));
        }
        let uri = resources::artifact_uri(&id);
        content.push(json!({"type": "resource_link", "uri": uri, "name": file, "mimeType": "image/png"}));
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
