//! The endpoint with what the MCP conformance suite (npm `@modelcontextprotocol/conformance`) asks a server
//! for: tools, prompts and resources of the names that its scenarios use. Only in builds with the feature
//! `conformance`, which nobody is given (`cargo xtask conformance-mcp`).
//!
//! What is not of these names goes to the endpoint as it is. What a fixture does it does by the endpoint's
//! own ways where there is one: its questions are asked as those about commands are, its long work becomes
//! a task as a long run does, its changes are told by events of the store.

// Sampling, roots and logging are deprecated by the protocol; the suite still asks for them.
#![allow(deprecated, reason = "the suite asks for what the protocol deprecates")]

mod calls;
mod data;
mod rounds;
mod tasks;

use super::elicit::{ByClient, Open};
use super::{Answered, Client, Endpoint};
use base::Failure;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult,
    CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, Reference,
    ResourceUpdatedNotificationParam, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Context = RequestContext<RoleServer>;

#[derive(Clone)]
pub(crate) struct Fixtures {
    endpoint: Endpoint,
    session: Arc<Session>,
}

/// What a session of a revision that has them has asked for.
#[derive(Default)]
struct Session {
    level: Mutex<Option<LoggingLevel>>,
    subscribed: Mutex<HashSet<String>>,
}

impl From<Endpoint> for Fixtures {
    fn from(endpoint: Endpoint) -> Self {
        Fixtures {
            endpoint,
            session: Arc::default(),
        }
    }
}

impl Fixtures {
    /// A call of a fixture, as those of the endpoint are: with ways to ask and to be called off.
    fn opened<W>(
        &self,
        context: &Context,
        work: impl FnOnce(ByClient) -> W,
    ) -> Result<(Client, Open), ErrorData>
    where
        W: Future<Output = Result<Answered, Failure>> + Send + 'static,
    {
        let app = &self.endpoint.app;
        let client = self.endpoint.client(context)?;
        let (asked, questions) = ByClient::new(context, &client.caller, app.asks_by_mcp(), app.lang());
        let cancel = app.inner.cancel.child_token();
        let (work, stop) = (work(asked), cancel.clone());
        let running = app.inner.running.spawn(async move {
            tokio::select! {
                answered = work => answered,
                () = stop.cancelled() => Err(Failure::new("cancelled")),
            }
        });
        let open = Open {
            running,
            questions,
            cancel,
        };
        Ok((client, open))
    }
}

impl Session {
    /// Whether a message of this level is wanted.
    fn hears(&self, level: LoggingLevel) -> bool {
        let least = *lock(&self.level);
        let order = |level: LoggingLevel| data::LEVELS.iter().position(|one| *one == level);
        least.is_none_or(|least| order(level) >= order(least))
    }

    async fn updated(&self, context: &Context, uri: &str) -> Result<(), rmcp::ServiceError> {
        if !lock(&self.subscribed).contains(uri) {
            return Ok(());
        }
        let update = ResourceUpdatedNotificationParam::new(uri);
        context.peer.notify_resource_updated(update).await
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.endpoint.get_info();
        info.capabilities.logging = Some(Default::default());
        info
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        data::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn set_level(&self, request: SetLevelRequestParams, _context: Context) -> Result<(), ErrorData> {
        *lock(&self.session.level) = Some(request.level);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.endpoint.on_initialized(context).await;
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.endpoint.list_tools(request, context).await?;
        listed.tools.extend(data::tools());
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if data::tools().iter().any(|tool| tool.name == request.name) {
            return self.call(request, context).await;
        }
        self.endpoint.call_tool(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.endpoint.list_resources(request, context).await?;
        listed.resources.extend(data::resources());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.endpoint.list_resource_templates(request, context).await?;
        listed.resource_templates.extend(data::templates());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match data::read(&request.uri) {
            Some(result) => Ok(result.into()),
            None => self.endpoint.read_resource(request, context).await,
        }
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        if data::read(&request.uri).is_none() {
            return self.endpoint.subscribe(request, context).await;
        }
        lock(&self.session.subscribed).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if !lock(&self.session.subscribed).remove(&request.uri) {
            return self.endpoint.unsubscribe(request, context).await;
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.endpoint.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.endpoint.listen(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let fixture = match &request.r#ref {
            Reference::Prompt(prompt) => data::prompts().iter().any(|one| one.name == prompt.name),
            Reference::Resource(resource) => resource.uri.starts_with(data::SCHEME),
            _ => false,
        };
        if !fixture {
            return self.endpoint.complete(request, context).await;
        }
        let mut values = vec!["paris".to_owned(), "park".to_owned(), "party".to_owned()];
        values.retain(|value| value.starts_with(&request.argument.value));
        let total = u32::try_from(values.len()).ok();
        let info = CompletionInfo::with_pagination(values, total, false);
        Ok(CompleteResult::new(
            info.map_err(|error| ErrorData::internal_error(error, None))?,
        ))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.endpoint.list_prompts(request, context).await?;
        listed.prompts.extend(data::prompts());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == rounds::PROMPT {
            return rounds::prompt(&request);
        }
        let arguments = request.arguments.clone().unwrap_or_default();
        match data::prompt(&request.name, &arguments) {
            Some(result) => Ok(result.into()),
            None => self.endpoint.get_prompt(request, context).await,
        }
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        self.endpoint.get_task(request, context).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        self.endpoint.update_task(request, context).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        self.endpoint.cancel_task(request, context).await
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
