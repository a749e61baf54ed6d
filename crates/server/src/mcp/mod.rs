//! The MCP endpoint, by rmcp: `/mcp` over streamable HTTP, and streams of `pm mcp` on the owner's
//! socket. Both protocol revisions on either: 2026-07-28 without sessions, 2025-11-25 and older with
//! them.

pub(crate) mod browser;
mod cells;
#[cfg(feature = "conformance")]
mod conformance;
mod dispatch;
mod elicit;
mod find;
mod follow;
mod lacking;
mod long;
mod manager;
mod named;
mod news;
mod progress;
mod prompts;
mod replay;
mod resources;
mod running;
mod sessions;
mod stream;
mod tools;
mod workspaces;

use crate::app::App;
use crate::limits::Key;
use crate::tokens::Scope;
use crate::words::worded;
use axum::http::Extensions;
use base::Failure;
use dispatch::read;
use follow::Following;
use manager::Manager;
use resources::Place;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::tower::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use std::sync::Arc;
use wire::Caller;

/// Characters of a client's own name.
const NAME: usize = 80;

pub(crate) use dispatch::Answered;
pub(crate) use elicit::Parked;
pub(crate) use long::Long;
pub(crate) use news::Feed;
pub(crate) use sessions::{InUse, Room, Sessions};
pub(crate) use stream::open as open_stream;
pub(crate) use tools::{RUN_JAVASCRIPT, TOOLM, for_agents as agent_tools};
pub(crate) use workspaces::{RUN, call_of as workspace_call};

/// What is served.
#[cfg(not(feature = "conformance"))]
type Handler = Endpoint;
#[cfg(feature = "conformance")]
type Handler = conformance::Fixtures;

type Service = StreamableHttpService<Handler, Manager>;

/// The service behind `/mcp`. Host and Origin are checked before it, for all routes alike.
pub(crate) fn service(app: &App) -> Service {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_max_request_body_bytes(crate::http::BODY)
        .with_cancellation_token(app.inner.ending.child_token());
    let (app, sessions) = (app.clone(), app.inner.sessions.manager.clone());
    StreamableHttpService::new(
        move || {
            let endpoint = Endpoint {
                app: app.clone(),
                origin: Origin::Http,
                following: Arc::default(),
            };
            Ok(Handler::from(endpoint))
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
    /// Whose places its calls and questions take.
    key: Key,
}

impl Client {
    /// As the guard before `/mcp` found it.
    fn of(extensions: &Extensions) -> Option<Self> {
        Some(Client {
            caller: extensions.get::<Caller>()?.clone(),
            scope: extensions.get::<Scope>()?.clone(),
            key: extensions.get::<Key>()?.clone(),
        })
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
                .enable_tasks()
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
        if browser::offered(&self.app).await {
            tools.extend(browser::tools(self.app.lang()));
        }
        tools.retain(|tool| scope.has(&tool.name));
        let offers = self.app.inner.externals.offers();
        if self.app.inner.settings.server.tools_by_name {
            let taken = |tool: &rmcp::model::Tool| offers.iter().any(|offer| offer.name == tool.name);
            tools.extend(named::list(&installed).filter(|tool| !taken(tool)));
        }
        tools.extend(offers.into_iter().filter(|tool| scope.has_offer(&tool.name)));
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
        self.call_within(request, context, long::MOMENT).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let Client { key, .. } = self.client(&context)?;
        let task = self.app.inner.long.get(&request.task_id, &key);
        Ok(GetTaskResult::new(task.map_err(|failure| self.error(&failure))?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Client { key, .. } = self.client(&context)?;
        let answers = request.input_responses;
        let answered = self.app.inner.long.answer(&request.task_id, &key, answers);
        answered.map_err(|failure| self.error(&failure))
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Client { key, .. } = self.client(&context)?;
        let cancelled = self.app.inner.long.cancel(&request.task_id, &key);
        cancelled.map_err(|failure| self.error(&failure))
    }
}

impl Endpoint {
    /// Who asks, and what it may use: looked up for every request, because a person may take it back.
    fn client(&self, context: &RequestContext<RoleServer>) -> Result<Client, ErrorData> {
        let client = match &self.origin {
            Origin::Http => context
                .extensions
                .get::<axum::http::request::Parts>()
                .and_then(|parts| Client::of(&parts.extensions)),
            Origin::Stream(name) => {
                let called = || context.client_info().map(|client| client.name);
                let (name, key): (_, fn(&str) -> Key) = match name {
                    Some(name) => (name.clone(), Key::of_token),
                    None => (called().unwrap_or_default(), Key::of_word),
                };
                let name = base::text::cut(&name, NAME);
                let tokens = &self.app.inner.tokens;
                tokens.here(&name);
                tokens.of_name(&name).map(|scope| Client {
                    caller: Caller::mcp_client(&name),
                    scope,
                    key: key(&name),
                })
            }
        };
        client.ok_or_else(|| self.error(&Failure::new("unauthorized")))
    }

    fn error(&self, failure: &Failure) -> ErrorData {
        let error = worded(failure, self.app.lang());
        let mut data = json!({"code": error.code, "hint": error.hint});
        if let Some(uri) = failure.arg("uri") {
            data["uri"] = uri.clone();
        }
        match failure.code.as_str() {
            "unknown_mcp_tool"
            | "out_of_scope"
            | "too_many_subscriptions"
            | "resource_too_large"
            | "invalid_args"
            | "prompt_not_found"
            | "prompt_arguments_missing"
            | "prompt_argument_invalid"
            | "unknown_request_state"
            | "mcp_task_not_found" => ErrorData::invalid_params(error.message, Some(data)),
            "resource_not_found" | "artifact_not_found" | "unknown_tool" => {
                ErrorData::resource_not_found(error.message, Some(data))
            }
            _ => ErrorData::internal_error(error.message, Some(data)),
        }
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
        .chain(cells::NAMES)
        .chain(browser::NAMES)
}
