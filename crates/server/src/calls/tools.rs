//! Tools.

use super::actor_of;
use crate::app::App;
use crate::live;
use crate::words::{Spoken, worded};
use base::Failure;
use base::name::ToolName;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use toolbox::configure::{Change, State};
use toolbox::model::{Description, ObjectSchema, Property};
use toolbox::modes::{ALL, Answer, Asks, Call, Nobody, Visible};
use toolbox::{Glance, Tool};
use wire::{
    Caller, Configured, GrantChange, Grants, LogLines, McpContent, RunResult, ToolConfigure, ToolDetail,
    ToolList, ToolLog, ToolNetwork, ToolProcesses, ToolRow, ToolRun, ToolState, ToolmParams,
};

pub(super) fn name(text: &str) -> Result<ToolName, Failure> {
    Ok(ToolName::parse(text)?)
}

pub(super) async fn list(app: &App, tools: &[Glance]) -> Result<ToolList, Failure> {
    let mut rows = Vec::with_capacity(tools.len());
    for tool in tools {
        rows.push(match tool {
            Glance::Known(tool) => row(app, tool).await?,
            Glance::New { name, built_in } => newcomer(name, *built_in),
        });
    }
    Ok(ToolList { tools: rows })
}

/// A tool of which only the folder is known.
fn newcomer(name: &ToolName, built_in: bool) -> ToolRow {
    ToolRow {
        name: name.to_string(),
        title: name.to_string(),
        version: String::new(),
        description: String::new(),
        author: String::new(),
        tags: Vec::new(),
        built_in,
        state: ToolState::Describing,
        problem: None,
    }
}

async fn row(app: &App, tool: &Tool) -> Result<ToolRow, Failure> {
    // One tool's trouble is shown in its own row.
    let (state, problem) = state(app, tool)
        .await
        .unwrap_or_else(|failure| (ToolState::Broken, Some(failure)));
    let metadata = tool
        .description
        .as_ref()
        .map(|description| description.metadata.clone())
        .unwrap_or_default();
    Ok(ToolRow {
        name: tool.name.to_string(),
        title: if metadata.name.is_empty() {
            tool.name.to_string()
        } else {
            metadata.name
        },
        version: metadata.version,
        description: metadata.description,
        author: metadata.author.unwrap_or_default(),
        tags: metadata.tags,
        built_in: tool.built_in,
        state,
        problem: problem.map(|failure| worded(&failure, app.lang())),
    })
}

async fn state(app: &App, tool: &Tool) -> Result<(ToolState, Option<Failure>), Failure> {
    if let Err(failure) = &tool.description {
        return Ok((ToolState::Broken, Some(failure.clone())));
    }
    let toolbox = &app.inner.toolbox;
    let unmet = toolbox.unmet(tool).await?;
    if !unmet.is_empty() {
        let list: Vec<String> = unmet
            .iter()
            .map(|one| format!("{}@{}", one.name, one.range))
            .collect();
        let failure = Failure::new("dependency_missing")
            .with("reason", list.join(", "))
            .with("tool", tool.name.as_str());
        return Ok((ToolState::DependenciesMissing, Some(failure)));
    }
    Ok(match toolbox.configured(tool).await? {
        State::Configured => (ToolState::Ready, None),
        State::Partly | State::Unconfigured => (ToolState::NeedsConfiguration, None),
    })
}

pub(super) async fn show(app: &App, tool: &str) -> Result<ToolDetail, Failure> {
    let tool = app.inner.toolbox.get(&name(tool)?).await?;
    let row = row(app, &tool).await?;
    let lang = app.lang();
    let described = tool.description.as_ref().ok();
    let schema = |pick: fn(&Description) -> Value| described.map_or(Value::Null, pick);
    Ok(ToolDetail {
        row,
        folder: app.inner.home.display(&tool.folder),
        parameters: schema(parameters_schema),
        environment: schema(|description| {
            json_schema(&description.schema.environment, Property::shown_definition)
        }),
        runtime: described.map_or(Value::Null, |description| {
            json!({
                "maxMemory": description.runtime.max_memory_mb,
                "maxExecutionTime": description.runtime.max_execution_time.as_secs_f64(),
                "allowedDirectories": description.runtime.allowed_directories,
                "concurrency": description.runtime.concurrency,
            })
        }),
        dependencies: described
            .map(|description| description.dependencies.iter().cloned().collect())
            .unwrap_or_default(),
        warnings: tool
            .remarks
            .iter()
            .map(|remark| worded(&remark.failure(), lang))
            .collect(),
    })
}

/// What a tool takes, as JSON Schema.
pub(crate) fn parameters_schema(description: &Description) -> Value {
    json_schema(&description.schema.parameters, |one| one.definition.clone())
}

/// Back to JSON Schema, as forms are generated from it.
fn json_schema(schema: &ObjectSchema, shown: fn(&Property) -> Map<String, Value>) -> Value {
    let properties: Map<String, Value> = schema
        .properties
        .iter()
        .map(|property| (property.name.clone(), shown(property).into()))
        .collect();
    let required: Vec<&str> = schema.required().map(|property| property.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

pub(super) async fn run(app: &App, caller: &Caller, params: ToolRun) -> Result<RunResult, Failure> {
    let tool = name(&params.tool)?;
    let call = Call {
        actor: &actor_of(caller),
        cancel: app.inner.cancel.child_token(),
        words: &Spoken,
        run: live::chosen("tool.run", params.run)?,
        runs: &app.inner.live,
        asks: &Nobody,
    };
    let execution = app.inner.toolbox.execute(&tool, params.parameters, call).await?;
    let duration_ms = execution.took.as_secs_f64() * 1000.0;
    Ok(match execution.result {
        Ok(result) => RunResult {
            run: execution.run,
            success: true,
            result,
            error: None,
            help: None,
            duration_ms,
        },
        Err(failed) => RunResult {
            run: execution.run,
            success: false,
            result: Value::Null,
            error: Some(worded(&failed.failure, app.lang())),
            help: Some(failed.help),
            duration_ms,
        },
    })
}

pub(super) async fn configure(
    app: &App,
    caller: &Caller,
    params: ToolConfigure,
) -> Result<Configured, Failure> {
    let toolbox = &app.inner.toolbox;
    let name = name(&params.tool)?;
    let tool = toolbox.get(&name).await?;
    let mut warnings = Vec::new();
    if !params.values.is_empty() || !params.remove.is_empty() {
        let change = Change {
            values: &params.values,
            remove: &params.remove,
        };
        let applied = toolbox.configure(&tool, change, &actor_of(caller)).await?;
        warnings.extend(
            applied
                .warnings
                .iter()
                .map(|warning| worded(warning, toolbox.lang()).message),
        );
    }
    let text = toolbox
        .configure_page(&name, &Map::new(), &actor_of(caller), &Spoken)
        .await?;
    Ok(Configured { text, warnings })
}

pub(super) async fn log(app: &App, params: ToolLog) -> Result<LogLines, Failure> {
    let mut query = Map::new();
    let texts = [
        ("action", params.action),
        ("level", params.level),
        ("search", params.search),
    ];
    query.extend(
        texts
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?.into()))),
    );
    query.extend(params.lines.map(|lines| ("lines".to_owned(), lines.into())));
    if let Some(server) = crate::external::subject_of(&params.tool) {
        let lines = app.inner.externals.log_page(server, &query).await?;
        return Ok(LogLines {
            text: lines.join("\n"),
        });
    }
    let text = app.inner.toolbox.log_page(&name(&params.tool)?, &query).await?;
    Ok(LogLines { text })
}

pub(super) async fn grants(app: &App, tool: &str) -> Result<Grants, Failure> {
    let tool = app.inner.toolbox.get(&name(tool)?).await?;
    view(app, &tool).await
}

pub(super) async fn grant(app: &App, caller: &Caller, params: GrantChange) -> Result<Grants, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&name(&params.tool)?).await?;
    let path = toolbox.directory(&params.directory)?;
    toolbox.allow(&tool, path, &actor_of(caller)).await?;
    view(app, &tool).await
}

pub(super) async fn revoke(app: &App, caller: &Caller, params: GrantChange) -> Result<Grants, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&name(&params.tool)?).await?;
    let path = toolbox.directory(&params.directory)?;
    if !toolbox.revoke(&tool.name, &path, &actor_of(caller)).await? {
        return Err(Failure::new("grant_not_found").with("directory", path.display().to_string()));
    }
    view(app, &tool).await
}

async fn view(app: &App, tool: &Tool) -> Result<Grants, Failure> {
    let toolbox = &app.inner.toolbox;
    let view = toolbox.rights_view(tool).await?;
    let network = toolbox.network_view(tool).await?;
    let processes = toolbox.processes_view(tool).await?;
    let texts =
        |paths: Vec<std::path::PathBuf>| paths.iter().map(|path| path.display().to_string()).collect();
    Ok(Grants {
        tool: tool.name.to_string(),
        requested: texts(view.requested),
        granted: view.granted,
        effective: texts(view.effective),
        network: ToolNetwork {
            requested: network.requested,
            granted: network.granted,
            effective: network.effective,
        },
        processes: ToolProcesses {
            requested: processes.requested,
            granted: processes.granted,
            effective: processes.effective,
        },
    })
}

/// For a program: it sees every tool, and nobody is asked.
pub(super) async fn toolm_of_all(app: &App, caller: &Caller, params: ToolmParams) -> McpContent {
    let cancel = app.inner.cancel.child_token();
    toolm(app, caller, params, ALL, cancel, None, &Nobody).await
}

pub(crate) async fn toolm(
    app: &App,
    caller: &Caller,
    params: ToolmParams,
    visible: Visible<'_>,
    cancel: CancellationToken,
    run: Option<String>,
    asks: &dyn Asks,
) -> McpContent {
    let call = Call {
        actor: &actor_of(caller),
        cancel,
        words: &Spoken,
        run,
        runs: &app.inner.live,
        asks,
    };
    let Answer { content, is_error } = app.inner.toolbox.toolm(params.yaml.as_ref(), visible, call).await;
    McpContent { content, is_error }
}
