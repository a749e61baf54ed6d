//! Fixture tools that do something: log, report progress, ask by requests of their own.

use super::{Context, Fixtures, data, rounds, tasks};
use crate::mcp::elicit;
use base::Event;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ClientResult, ContentBlock,
    CreateMessageRequest, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ServerRequest,
};
use serde_json::{Value, json};
use std::time::Duration;

/// Between two things that a fixture says.
const PAUSE: Duration = Duration::from_millis(50);

impl Fixtures {
    pub(super) async fn call(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Some(result) = data::said(&request.name) {
            return Ok(result.into());
        }
        let arguments = request.arguments.clone().unwrap_or_default();
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let text = match request.name.as_ref() {
            "test_tool_with_logging" => {
                for text in [
                    "Tool execution started",
                    "Tool processing data",
                    "Tool execution completed",
                ] {
                    self.log(&context, text).await;
                    tokio::time::sleep(PAUSE).await;
                }
                "Logged".to_owned()
            }
            "test_logging_tool" => {
                // Only who asks for it in the request itself hears it.
                if context.meta.log_level().is_some() {
                    self.log(&context, "Logged for this request").await;
                }
                "Logged".to_owned()
            }
            "test_tool_with_progress" | "test_streaming_elicitation" => {
                progress(&context).await;
                "Done".to_owned()
            }
            "test_reconnection" => {
                tokio::time::sleep(PAUSE * 2).await;
                "Done".to_owned()
            }
            "test_missing_capability" => {
                let declared = context
                    .client_capabilities()
                    .is_some_and(|all| all.sampling.is_some());
                if !declared {
                    let required = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(required));
                }
                "Declared".to_owned()
            }
            "test_trigger_tool_change" => self.announce("tool.changed", "tools").await?,
            "test_trigger_prompt_change" => self.announce("prompt.changed", "prompts").await?,
            "test_trigger_resource_update" => {
                let told = self.session.updated(&context, data::WATCHED).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                "Told".to_owned()
            }
            "test_sampling" => sample(&context, argument("prompt")).await?,
            "test_elicitation" => {
                let response = json!({"type": "string", "description": "Your response"});
                let schema =
                    json!({"type": "object", "properties": {"response": response}, "required": ["response"]});
                ask(&context, argument("message"), schema).await?
            }
            "test_elicitation_sep1034_defaults" => ask(&context, "Look at the defaults", defaults()).await?,
            "test_elicitation_sep1330_enums" => ask(&context, "Choose", choices()).await?,
            "json_schema_2020_12_tool" => Value::Object(arguments).to_string(),
            "test_x_mcp_header" => argument("region").to_owned(),
            "greet" => format!("Hello, {}!", argument("name")),
            name if tasks::knows(name) => return tasks::call(self, request, context).await,
            _ => return rounds::call(self, request, context).await,
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn log(&self, context: &Context, text: &str) {
        if !self.session.hears(LoggingLevel::Info) {
            return;
        }
        let said =
            LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(text)).with_logger("conformance");
        if let Err(error) = context.peer.notify_logging_message(said).await {
            tracing::debug!(%error, "nobody hears what a fixture says");
        }
    }

    /// As what changes anything does.
    async fn announce(&self, kind: &'static str, tag: &'static str) -> Result<String, ErrorData> {
        let event = Event::new(kind, json!({})).tag(tag);
        let told = self.endpoint.app.inner.store.announce(vec![event]).await;
        told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok("Changed".to_owned())
    }
}

async fn progress(context: &Context) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    for done in [0.0, 50.0, 100.0] {
        let said = ProgressNotificationParam::new(token.clone(), done)
            .with_total(100.0)
            .with_message(format!("Completed step {done} of 100"));
        if let Err(error) = context.peer.notify_progress(said).await {
            tracing::debug!(%error, "nobody hears how far a fixture is");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn sample(context: &Context, prompt: &str) -> Result<String, ErrorData> {
    let request: Option<CreateMessageRequest> = data::read_json(rounds::sampling(prompt));
    let request = request.ok_or_else(|| ErrorData::internal_error("the fixture is wrong", None))?;
    match context
        .peer
        .send_request(ServerRequest::CreateMessageRequest(request))
        .await
    {
        Ok(ClientResult::CreateMessageResult(result)) => {
            let text = result
                .message
                .content
                .first()
                .and_then(|content| content.as_text());
            Ok(format!(
                "LLM response: {}",
                text.map_or("none", |text| &text.text)
            ))
        }
        Ok(other) => Err(ErrorData::internal_error(format!("no answer: {other:?}"), None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

/// By a request on the stream of the call.
async fn ask(context: &Context, message: &str, schema: Value) -> Result<String, ErrorData> {
    let form = elicit::form(message.to_owned(), schema);
    let form = form.ok_or_else(|| ErrorData::internal_error("the fixture is wrong", None))?;
    match context
        .peer
        .send_request(ServerRequest::ElicitRequest(form))
        .await
    {
        Ok(ClientResult::ElicitResult(result)) => {
            let content = result.content.unwrap_or_default();
            let action = json!(result.action);
            let action = action.as_str().unwrap_or_default();
            Ok(format!(
                "Elicitation completed: action={action}, content={content}"
            ))
        }
        Ok(other) => Err(ErrorData::internal_error(format!("no answer: {other:?}"), None)),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    }
}

fn defaults() -> Value {
    json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }})
}

fn choices() -> Value {
    let titled = |titles: [&str; 3]| {
        let one = |(at, title): (usize, &str)| json!({"const": format!("value{}", at + 1), "title": title});
        titles.into_iter().enumerate().map(one).collect::<Vec<_>>()
    };
    json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"])},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "items": {"type": "string", "enum": ["option1", "option2", "option3"]},
        },
        "titledMulti": {
            "type": "array",
            "minItems": 1,
            "maxItems": 3,
            "items": {"anyOf": titled(["First Choice", "Second Choice", "Third Choice"])},
        },
    }})
}
