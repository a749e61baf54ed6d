//! A call of a tool of MCP by its name, and what it gave as a client gets it.

use super::elicit::ByClient;
use super::{Client, NAME, browser, cells, find, named, prompts, resources, tools, workspaces};
use crate::app::App;
use crate::calls;
use crate::external::{self, Gave};
use crate::words::{flat, worded};
use base::Failure;
use base::name::ToolName;
use serde_json::{Value, json};
use wire::{McpContent, ScriptParams, ToolmParams};

/// Bytes of a picture that is shown to the model beside its file name.
const SHOWN_PICTURE: usize = 1024 * 1024;

/// What a call of a tool gives.
pub(super) async fn call(
    app: &App,
    Client { caller, scope, .. }: &Client,
    name: &str,
    arguments: Value,
    // How it is called off, and the id that its run is watched by.
    (cancel, run): (tokio_util::sync::CancellationToken, Option<String>),
    asked: &ByClient,
) -> Result<Answered, Failure> {
    if super::tool_names().any(|known| known == name) && !scope.has(name) {
        return Err(Failure::new("out_of_scope").with("what", name));
    }
    match name {
        tools::TOOLM => {
            let params: ToolmParams = read(arguments)?;
            let visible = |tool: &ToolName| scope.has_tool(tool);
            Ok(calls::toolm(app, caller, params, &visible, cancel, run, asked)
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
            None if app.inner.externals.has(other) => {
                if !scope.has_offer(other) {
                    return Err(Failure::new("out_of_scope").with("what", base::text::cut(other, NAME)));
                }
                let actor = calls::actor(&caller.actor);
                let gave = external::call(app, &actor, other, arguments, (cancel, run)).await;
                Ok(match gave {
                    Ok(Gave { content, structured }) => Answered { content, structured },
                    Err(failure) => content(app, other, Err(failure)),
                })
            }
            None if cells::NAMES.contains(&other) => {
                let answered = cells::call(app, caller, scope, other, arguments, &cancel).await;
                Ok(content(app, other, answered))
            }
            None if browser::NAMES.contains(&other) => {
                let answered = browser::call(app, caller, other, arguments, &cancel).await;
                Ok(content(app, other, answered))
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
                Ok(calls::toolm(app, caller, params, &visible, cancel, run, asked)
                    .await
                    .into())
            }
        },
    }
}

/// What a tool gave, as text and pictures, and where it has a schema also as it is.
pub(crate) struct Answered {
    pub(super) content: McpContent,
    pub(super) structured: Option<Value>,
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
pub(super) fn content(app: &App, tool: &str, answered: Result<Value, Failure>) -> Answered {
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

pub(super) fn read<T: serde::de::DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| {
        Failure::new("invalid_args")
            .with("call", "tools/call")
            .with("reason", error.to_string())
    })
}
