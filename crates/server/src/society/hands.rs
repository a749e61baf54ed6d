//! Models and tools of agents: the services of the settings, workspaces, scripts, the toolbox, servers of others.

use super::{lines, skills};
use crate::app::{App, Inner};
use crate::approvals::Nowhere;
use crate::calls;
use crate::external;
use crate::mcp;
use crate::words::{flat, worded};
use agents::queue::Model as _;
use agents::society::{Call, Outcome, Outside, Reply, Terms, Who};
use async_trait::async_trait;
use base::Failure;
use llm::{Chat, Picture, Tool};
use serde_json::{Map, Value};
use std::sync::{Arc, Weak};
use tokio_util::sync::CancellationToken;
use toolbox::modes::{ALL, Nobody};
use wire::{Access, Actor, ActorKind, Caller, McpContent, ScriptParams, ToolmParams, WorkspaceRun};

/// Tokens that a model can see and say, where its service says nothing of it.
const WINDOW: u64 = 128_000;
const OUTPUT: u64 = 8_000;

pub(super) struct Hands {
    inner: Weak<Inner>,
}

impl Hands {
    pub(super) fn of(inner: &Arc<Inner>) -> Self {
        Hands {
            inner: Arc::downgrade(inner),
        }
    }

    fn app(&self) -> Result<App, Failure> {
        let inner = self
            .inner
            .upgrade()
            .ok_or_else(|| Failure::new("server_ending"))?;
        Ok(App {
            cancel: inner.cancel.clone(),
            inner,
        })
    }
}

fn caller(who: &Who) -> Caller {
    Caller {
        access: Access::Agent,
        actor: Actor {
            kind: ActorKind::Agent,
            name: who.name.clone(),
        },
    }
}

#[async_trait]
impl Outside for Hands {
    async fn tools(&self, _: &str) -> Vec<Tool> {
        let Ok(app) = self.app() else {
            return Vec::new();
        };
        let mut tools = mcp::agent_tools(&app).await;
        tools.push(lines::tool(app.lang()));
        match skills::tools(&app).await {
            Ok(of_skills) => tools.extend(of_skills),
            // Without them an agent still works; whoever opens the room Skills is told.
            Err(failure) => tracing::warn!(%failure, "agents are offered no skills"),
        }
        tools
    }

    async fn terms(&self, service: Option<&str>) -> Result<Terms, Failure> {
        // That there is one is said before anything is held for it.
        let service = self.app()?.service(service.map(str::to_owned)).await?;
        let terms = service.terms();
        let window = terms.window.map_or(WINDOW, u64::from);
        Ok(Terms {
            window,
            // A small window is not all answer.
            output: terms.output.map_or(OUTPUT.min(window / 4), u64::from),
            pictures: terms.pictures.unwrap_or(true),
            price: (millionths(terms.input_price), millionths(terms.output_price)),
        })
    }

    async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let app = self.app()?;
        match app.asking().await? {
            Some(asking) => asking.ask(who, service, chat).await,
            None => app.inner.services.ask(who, service, chat).await,
        }
    }

    async fn call(&self, who: &Who, call: &Call, cancel: CancellationToken) -> Outcome {
        let app = match self.app() {
            Ok(app) => app,
            Err(failure) => return failed(&failure, base::Lang::default()),
        };
        let secrets = app.learn_secrets().await;
        let (mut outcome, ended) = match carried_out(&app, who, call, cancel).await {
            Ok(content) => (shown(&content), None),
            Err(failure) => (failed(&failure, app.lang()), Some(failure)),
        };
        if let Some(failure) = ended.filter(|failure| failure.code == "internal") {
            tracing::error!(tool = call.name, %failure, "an agent's call failed");
        }
        match secrets {
            Ok(secrets) => outcome.text = secrets.mask(&outcome.text),
            // What might be a secret is not kept.
            Err(error) => outcome = failed(&error.into(), app.lang()),
        }
        outcome
    }

    /// What only looks, and what makes a file be what it says.
    fn again(&self, tool: &str) -> bool {
        matches!(
            tool,
            "read_file"
                | "list_files"
                | "get_workspace_info"
                | "search_files"
                | "write_file"
                | "find_tools"
                | lines::NAME
        ) || self.app().is_ok_and(|app| skills::named(&app, tool).is_some())
    }

    async fn picture(&self, file: &str) -> Option<Picture> {
        let app = self.app().ok()?;
        let id = calls::id_of(file).ok()?;
        let bytes = tokio::fs::read(app.inner.store.artifact_path(&id)).await.ok()?;
        Picture::new(bytes)
    }
}

/// A price as budgets count.
fn millionths(price: Option<f64>) -> u64 {
    // Within the limits of `llm::Service`.
    (price.unwrap_or(0.0) * 1e6).round() as u64
}

async fn carried_out(
    app: &App,
    who: &Who,
    call: &Call,
    cancel: CancellationToken,
) -> Result<McpContent, Failure> {
    let caller = caller(who);
    let wrong = |error: serde_json::Error| {
        Failure::new("invalid_args")
            .with("call", call.name.as_str())
            .with("reason", error.to_string())
    };
    let mut given: Map<String, Value> = match call.arguments.trim() {
        "" => Map::new(),
        text => serde_json::from_str(text).map_err(wrong)?,
    };
    match call.name.as_str() {
        lines::NAME => {
            let counted = lines::count(app, &caller, &who.task, &given).await?;
            Ok(text(&counted))
        }
        mcp::RUN_JAVASCRIPT => {
            let params: ScriptParams = serde_json::from_value(given.into()).map_err(wrong)?;
            let ran = calls::run_script(app, &caller, params, cancel).await?;
            Ok(McpContent {
                is_error: !ran.success,
                ..text(&ran.value)
            })
        }
        mcp::TOOLM => {
            let params: ToolmParams = serde_json::from_value(given.into()).map_err(wrong)?;
            Ok(calls::toolm(app, &caller, params, ALL, cancel, None, &Nobody).await)
        }
        other if let Some(skill) = skills::named(app, other) => {
            Ok(plain(skills::read(app, skill, &given).await?))
        }
        other if mcp::browser::NAMES.contains(&other) => {
            let gave = mcp::browser::call(app, &caller, other, given.into(), &cancel).await?;
            Ok(text(&gave))
        }
        other => match mcp::workspace_call(other) {
            Some(name) => {
                // Whatever a model says: it is in the workspace of its own task.
                given.insert("taskId".to_owned(), who.task.as_str().into());
                if name != mcp::RUN {
                    let value = wire::dispatch(app, &caller, name, given.into()).await?;
                    return Ok(text(&value));
                }
                let params: WorkspaceRun = serde_json::from_value(given.into()).map_err(wrong)?;
                let ran = calls::run_command(app, &caller, params, &cancel, &Nowhere).await?;
                let value = serde_json::to_value(ran).map_err(wrong)?;
                Ok(text(&value))
            }
            None if app.inner.externals.has(other) => {
                let actor = calls::actor(&caller.actor);
                let gave = external::call(app, &actor, other, given.into(), (cancel, None)).await?;
                Ok(gave.content)
            }
            None => Err(Failure::new("unknown_mcp_tool").with("tool", base::text::cut(other, 80))),
        },
    }
}

fn text(value: &Value) -> McpContent {
    plain(value.to_string())
}

fn plain(text: String) -> McpContent {
    McpContent {
        content: vec![serde_json::json!({"type": "text", "text": text})],
        is_error: false,
    }
}

fn failed(failure: &Failure, lang: base::Lang) -> Outcome {
    Outcome {
        text: flat(&worded(failure, lang)).to_string(),
        is_error: true,
        pictures: Vec::new(),
    }
}

/// The texts of it, and the pictures in the gallery that they name.
fn shown(content: &McpContent) -> Outcome {
    let texts = content.content.iter().filter_map(|block| block["text"].as_str());
    let texts: Vec<&str> = texts.collect();
    let made = texts
        .iter()
        .filter_map(|text| serde_json::from_str::<Value>(text).ok());
    let pictures = made.filter_map(|value| {
        let names = value.get("images")?.as_array()?.iter().filter_map(Value::as_str);
        Some(names.map(str::to_owned).collect::<Vec<_>>())
    });
    Outcome {
        pictures: pictures.flatten().collect(),
        text: texts.join("\n"),
        is_error: content.is_error,
    }
}
