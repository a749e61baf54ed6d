//! One function a verb.

#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files that the person names"
)]

use crate::approve::approve;
use crate::arena::arena;
use crate::assistant::assistant;
use crate::connect::connect;
use crate::external::external;
use crate::grant::grant;
use crate::lifecycle::lifecycle;
use crate::model::model;
use crate::npm::{deps, npm};
use crate::options::{Artifact, Js, Log, Tool, Verb};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::prompt::prompt;
use crate::skill::skill;
use crate::society::society;
use crate::token::{pause, token};
use crate::validate::validate;
use crate::workspace::{policy, workspace};
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wire::{
    ArtifactRef, Client, DoctorCheck, GrantChange, Grants, None, Page, ScriptParams, ToolConfigure, ToolLog,
    ToolNetworkChange, ToolProcessesChange, ToolRef, ToolRow, ToolRun, ToolScriptChange, ToolState,
    ToolmParams,
};

/// Between two looks at tools that the owner is looking into: at first, and at most. A look at many
/// tools takes from the time that describing them needs.
const DESCRIBING: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

pub async fn run(session: &mut Session, verb: Verb, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        // `main` handles them before there is a session.
        Verb::Serve(_)
        | Verb::Mcp(_)
        | Verb::Conformance { .. }
        | Verb::Restore { .. }
        | Verb::Reset
        | Verb::Completions { .. }
        | Verb::Manual { .. } => Ok(ExitCode::SUCCESS),
        Verb::Backup { file } => crate::backup::make(session, &file, json).await,
        Verb::Tool(verb) => tool(session, verb, json).await,
        Verb::Toolm { file } => toolm(session, file.as_deref(), json).await,
        Verb::Js(options) => js(session, options).await,
        Verb::Artifact(verb) => artifact(session, verb, json).await,
        Verb::Approve(verb) => approve(session, verb, json).await,
        Verb::Grant(verb) => grant(session, verb, json).await,
        Verb::Workspace(verb) => workspace(session, verb, json).await,
        Verb::Policy(verb) => policy(session, verb).await,
        Verb::Prompt(verb) => prompt(session, verb, json).await,
        Verb::Arena(verb) => arena(session, verb, json).await,
        Verb::Society(verb) => society(session, verb, json).await,
        Verb::Assistant(verb) => assistant(session, verb, json).await,
        Verb::Model(verb) => model(session, verb, json).await,
        Verb::Skill(verb) => skill(session, verb, json).await,
        Verb::Npm(verb) => npm(session, verb, json).await,
        Verb::Server(verb) => external(session, verb, json).await,
        Verb::Token(verb) => token(session, verb, json).await,
        Verb::Connect(options) => connect(session, options, json).await,
        Verb::Pause => pause(session, true, json).await,
        Verb::Resume => pause(session, false, json).await,
        Verb::Doctor => doctor(session, json).await,
        Verb::Diagnostics => {
            text(
                &session.read(Client::server_diagnostics, None {}).await?.text,
                json,
            );
            Ok(ExitCode::SUCCESS)
        }
        Verb::Link => {
            output::line(&session.change(Client::server_link, None {}).await?.url);
            Ok(ExitCode::SUCCESS)
        }
        Verb::Stop => {
            session.change(Client::server_stop, None {}).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn tool(session: &mut Session, verb: Tool, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Tool::List => list(session, json).await?,
        Tool::Show { tool } => crate::shipped::show(session, tool).await?,
        Tool::Manual { tool } => text(
            &session.read(Client::tool_manual, ToolRef { tool }).await?.text,
            json,
        ),
        Tool::Run { tool, params } => return run_tool(session, tool, &params, json).await,
        Tool::Configure {
            tool,
            values,
            move_secrets,
        } => {
            let values = assignments(&values)?;
            if move_secrets {
                let tool = ToolRef { tool: tool.clone() };
                session.change(Client::tool_move_secrets, tool).await?;
            }
            let shown = session
                .change(
                    Client::tool_configure,
                    ToolConfigure {
                        tool,
                        values,
                        remove: Vec::new(),
                    },
                )
                .await?;
            for warning in &shown.warnings {
                output::aside(&format!("pm: {warning}"));
            }
            text(&shown.text, json);
        }
        Tool::Validate(options) => return validate(session, options, json).await,
        Tool::Lifecycle(verb) => return lifecycle(session, verb, json).await,
        Tool::Deps { tool } => deps(session, tool, json).await?,
        Tool::Log(options) => log(session, options, json).await?,
        Tool::Grant {
            tool,
            dir,
            script,
            process,
            network,
        } => {
            let hosts = network.all();
            let shown = dir.is_none() && hosts.is_empty() && script.is_empty() && !process;
            scripts_of(session, &tool, script, true).await?;
            let mut rights = Option::None;
            if process {
                rights = Some(processes_of(session, &tool, true).await?);
            }
            if let Some(dir) = dir {
                let params = GrantChange {
                    tool: tool.clone(),
                    directory: absolute(&dir)?,
                };
                rights = Some(session.change(Client::tool_grant, params).await?);
            }
            if !hosts.is_empty() {
                rights = Some(hosts_of(session, &tool, hosts, Vec::new()).await?);
            }
            if shown {
                rights = Some(session.read(Client::tool_grants, ToolRef { tool }).await?);
            }
            grants(rights.as_ref(), json);
        }
        Tool::Revoke {
            tool,
            dir,
            script,
            process,
            network,
        } => {
            let hosts = network.all();
            scripts_of(session, &tool, script, false).await?;
            let mut rights = Option::None;
            if process {
                rights = Some(processes_of(session, &tool, false).await?);
            }
            if let Some(dir) = dir {
                let params = GrantChange {
                    tool: tool.clone(),
                    directory: absolute(&dir)?,
                };
                rights = Some(session.change(Client::tool_revoke, params).await?);
            }
            if !hosts.is_empty() {
                rights = Some(hosts_of(session, &tool, Vec::new(), hosts).await?);
            }
            grants(rights.as_ref(), json);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Allows install scripts of packages, or takes that back.
async fn scripts_of(
    session: &mut Session,
    tool: &str,
    packages: Vec<String>,
    allowed: bool,
) -> Result<(), Failed> {
    for package in packages {
        let params = ToolScriptChange {
            tool: tool.to_owned(),
            package,
            allowed,
        };
        session.change(Client::tool_script, params).await?;
    }
    Ok(())
}

async fn list(session: &mut Session, json: bool) -> Result<(), Failed> {
    let [mut pause, longest] = DESCRIBING;
    let found = loop {
        let found = session.read(Client::tool_list, None {}).await?;
        let settled = |tool: &ToolRow| tool.state != ToolState::Describing;
        if found.tools.iter().all(settled) {
            break found;
        }
        // The owner looks into new tools; a list on paper cannot change afterwards.
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(longest);
    };
    if json {
        output::print(&found);
        return Ok(());
    }
    let width = found.tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0);
    for tool in found.tools {
        let state = match tool.state {
            ToolState::Describing => "being described",
            ToolState::Ready => "ready",
            ToolState::NeedsConfiguration => "needs configuration",
            ToolState::DependenciesMissing => "dependencies missing",
            ToolState::Broken => "broken",
        };
        let about = tool.problem.map_or(tool.description, |problem| problem.message);
        output::line(&format!(
            "{:width$}  {:8}  {state:20}  {about}",
            tool.name, tool.version
        ));
    }
    Ok(())
}

async fn run_tool(session: &mut Session, tool: String, params: &str, json: bool) -> Result<ExitCode, Failed> {
    let text = match params.strip_prefix('@') {
        Some(path) => read(Path::new(path))?,
        Option::None if params == "-" => read(Path::new("-"))?,
        Option::None => params.to_owned(),
    };
    let parameters: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| Failed::Usage(format!("--params is not a JSON object: {error}")))?;
    let result = session
        .change(
            Client::tool_run,
            ToolRun {
                tool,
                parameters,
                run: Option::None,
            },
        )
        .await?;
    match (json, &result.help) {
        (true, _) => output::print(&result),
        (false, Some(help)) => output::aside(help),
        (false, Option::None) => output::print(&result.result),
    }
    Ok(if result.success {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// `KEY=VALUE` sets, `-KEY` removes.
fn assignments(values: &[String]) -> Result<Map<String, Value>, Failed> {
    let mut all = Map::new();
    for value in values {
        let (key, value) = match (value.split_once('='), value.strip_prefix('-')) {
            (Some((key, value)), _) => (key, Value::from(value)),
            (Option::None, Some(key)) => (key, Value::Null),
            (Option::None, Option::None) => {
                return Err(Failed::Usage(format!("expected KEY=VALUE or -KEY, got {value}")));
            }
        };
        all.insert(key.to_owned(), value);
    }
    Ok(all)
}

async fn log(session: &mut Session, options: Log, json: bool) -> Result<(), Failed> {
    let (action, lines) = match (options.head, options.all) {
        (Some(lines), _) => ("head", Some(lines)),
        (Option::None, true) => ("all", Option::None),
        (Option::None, false) => ("tail", options.tail),
    };
    let query = ToolLog {
        tool: options.tool,
        action: Some(action.to_owned()),
        lines,
        level: options.level,
        search: options.search,
    };
    text(&session.read(Client::tool_log, query).await?.text, json);
    Ok(())
}

/// What the tool has after the last of the changes; nothing when only scripts were changed.
fn grants(grants: Option<&Grants>, json: bool) {
    let Some(grants) = grants else { return };
    if json {
        return output::print(grants);
    }
    rows("", [&grants.requested, &grants.granted, &grants.effective]);
    let network = &grants.network;
    let hosts = [&network.requested, &network.granted, &network.effective];
    rows("network ", hosts);
    let processes = &grants.processes;
    let one = |is: bool| {
        if is {
            vec!["programs".to_owned()]
        } else {
            Vec::new()
        }
    };
    let (requested, granted) = (one(processes.requested), one(processes.granted));
    rows("", [&requested, &granted, &one(processes.effective)]);
}

fn rows(kind: &str, [requested, granted, effective]: [&Vec<String>; 3]) {
    for value in requested {
        let state = match effective.contains(value) {
            true => "allowed",
            false => "waits for: pm tool grant",
        };
        output::line(&format!("{kind}{value}  {state}"));
    }
    for value in granted.iter().filter(|value| !requested.contains(value)) {
        let state = match effective.contains(value) {
            true => "allowed",
            false => "granted, not asked for",
        };
        output::line(&format!("{kind}{value}  {state}"));
    }
}

async fn processes_of(session: &mut Session, tool: &str, allow: bool) -> Result<Grants, Failed> {
    let params = ToolProcessesChange {
        tool: tool.to_owned(),
        allow,
    };
    session.change(Client::tool_processes, params).await
}

async fn hosts_of(
    session: &mut Session,
    tool: &str,
    grant: Vec<String>,
    revoke: Vec<String>,
) -> Result<Grants, Failed> {
    let tool = tool.to_owned();
    let params = ToolNetworkChange { tool, grant, revoke };
    session.change(Client::tool_network, params).await
}

async fn toolm(session: &mut Session, file: Option<&Path>, json: bool) -> Result<ExitCode, Failed> {
    let yaml = read(file.unwrap_or(Path::new("-")))?;
    let answer = session
        .change(
            Client::toolm,
            ToolmParams {
                yaml: Some(yaml.into()),
            },
        )
        .await?;
    if json {
        output::print(&answer);
    } else {
        for item in &answer.content {
            match item["text"].as_str() {
                Some(text) => output::line(text),
                Option::None => output::line(&format!("[{}]", item["mimeType"].as_str().unwrap_or("?"))),
            }
        }
    }
    Ok(if answer.is_error {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

async fn js(session: &mut Session, options: Js) -> Result<ExitCode, Failed> {
    let code = read(&options.file)?;
    let input = match options.input {
        Some(text) => Some(
            serde_json::from_str(&text)
                .map_err(|error| Failed::Usage(format!("--input is not JSON: {error}")))?,
        ),
        Option::None => Option::None,
    };
    let result = session
        .change(
            Client::run_javascript,
            ScriptParams {
                code: code.into(),
                input,
                run: Option::None,
            },
        )
        .await?;
    for line in &result.log {
        output::aside(line);
    }
    output::print(&result.value);
    if !result.success {
        return Ok(ExitCode::FAILURE);
    }
    if let Some(folder) = options.out
        && let Some(file) = result.value["images"][0].as_str()
    {
        export(session, file, &folder.join(file)).await?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn artifact(session: &mut Session, verb: Artifact, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Artifact::List => {
            let found = session
                .read(
                    Client::artifact_list,
                    Page {
                        offset: 0,
                        limit: 500,
                    },
                )
                .await?;
            if json {
                output::print(&found);
            } else {
                for one in found.artifacts {
                    let at = base::clock::iso_local(one.created_at as i64);
                    output::line(&format!(
                        "{}  {at}  {}x{}  {}",
                        one.id, one.width, one.height, one.title
                    ));
                }
            }
        }
        Artifact::Show { id } => {
            output::print(&session.read(Client::artifact_show, ArtifactRef { id }).await?)
        }
        Artifact::Export { id, path } => export(session, &id, &path).await?,
        Artifact::Remove { id } => {
            session
                .change(Client::artifact_remove, ArtifactRef { id })
                .await?;
        }
        Artifact::Restore { id } => {
            session
                .change(Client::artifact_restore, ArtifactRef { id: id.clone() })
                .await?;
            if json {
                output::print(&session.read(Client::artifact_show, ArtifactRef { id }).await?);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The bytes lie in the data home; the row says that they are there.
async fn export(session: &mut Session, id: &str, path: &Path) -> Result<(), Failed> {
    let shown = session
        .read(Client::artifact_show, ArtifactRef { id: id.to_owned() })
        .await?;
    let home = session.read(Client::server_hello, None {}).await?.home;
    let from = Path::new(&home).join("artifacts").join(&shown.row.file);
    let bytes = std::fs::read(&from).map_err(|error| output::file(&from, &error))?;
    base::atomic::write_with_dirs(path, &bytes, base::atomic::Access::Shared)
        .map_err(|error| output::file(path, &error))
}

async fn doctor(session: &mut Session, json: bool) -> Result<ExitCode, Failed> {
    let report = session.read(Client::doctor_report, None {}).await?;
    if json {
        output::print(&report);
    } else {
        output::line(&format!("isolation: {}", report.tier));
        if let Some(instead) = &report.instead {
            output::line(&format!("  FAIL {instead}"));
        }
        checks(&report.checks);
        for tier in &report.tiers {
            output::line(&format!("tier {}: {}", tier.tier, tier.text));
            checks(&tier.checks);
            for weaker in &tier.weaker {
                output::line(&format!("  weak {weaker}"));
            }
        }
        for advice in &report.advice {
            output::line(&format!("  -> {advice}"));
        }
    }
    Ok(if report.tier == "none" || report.instead.is_some() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn checks(checks: &[DoctorCheck]) {
    for check in checks {
        let mark = if check.ok { "ok  " } else { "FAIL" };
        let line = format!("  {mark} {}: {}", check.name, check.detail);
        output::line(line.trim_end_matches([':', ' ']));
    }
}

fn text(text: &str, json: bool) {
    if json {
        output::print(&json!({"text": text}))
    } else {
        output::line(text.trim_end_matches('\n'))
    }
}

/// A file, or standard input for `-`.
pub fn read(path: &Path) -> Result<String, Failed> {
    let failed = |error| output::file(path, &error);
    if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map_err(failed)?;
        return Ok(text);
    }
    std::fs::read_to_string(path).map_err(failed)
}

/// `~` stays for the owner to expand; anything else is taken from here.
pub fn absolute(dir: &str) -> Result<String, Failed> {
    if dir.starts_with('~') {
        return Ok(dir.to_owned());
    }
    let path = std::path::absolute(dir).map_err(|error| output::file(Path::new(dir), &error))?;
    Ok(path.to_string_lossy().into_owned())
}
