//! `pm server`: external MCP servers.

use crate::options::external::{Add, Rights, Server};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::verbs::{absolute, read};
use std::collections::BTreeMap;
use std::process::ExitCode;
use wire::{
    Client, ExternalAdd, ExternalAdded, ExternalApprove, ExternalBundleAdd, ExternalBundleRef,
    ExternalDetail, ExternalEntry, ExternalGrant, ExternalLooked, ExternalRef, ExternalRow, ExternalState,
    ExternalSwitch, ExternalTool, ExternalToolState, None, ToolLog,
};

pub async fn external(session: &mut Session, verb: Server, json: bool) -> Result<ExitCode, Failed> {
    let shown = match verb {
        Server::Add(options) => return add(session, options, json).await,
        Server::List => {
            let found = session.read(Client::external_list, None {}).await?;
            match json {
                true => output::print(&found),
                false => found.servers.iter().for_each(|row| output::line(&line(row))),
            }
            return Ok(ExitCode::SUCCESS);
        }
        Server::Show { name } => session.read(Client::external_show, ExternalRef { name }).await?,
        Server::Remove { name } => {
            let done = session
                .change(Client::external_remove, ExternalRef { name })
                .await?;
            if json {
                output::print(&done);
            }
            return Ok(ExitCode::SUCCESS);
        }
        Server::Enable { name, tool } => switch(session, name, tool, true).await?,
        Server::Disable { name, tool } => switch(session, name, tool, false).await?,
        Server::Restart { name } => {
            session
                .change(Client::external_restart, ExternalRef { name })
                .await?
        }
        Server::Approve { name, tools, all } => return approve(session, name, tools, all, json).await,
        Server::Grant { name, rights } => grant(session, name, &rights, true).await?,
        Server::Revoke { name, rights } => grant(session, name, &rights, false).await?,
        Server::Log { name, tail } => {
            let params = ToolLog {
                tool: format!("server:{name}"),
                action: Option::None,
                lines: Some(tail),
                level: Option::None,
                search: Option::None,
            };
            let lines = session.read(Client::tool_log, params).await?;
            match json {
                true => output::print(&lines),
                false => output::line(&lines.text),
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    show(&shown, json);
    Ok(ExitCode::SUCCESS)
}

/// Exit code 1 when one of them did not start: it is there all the same.
async fn add(session: &mut Session, options: Add, json: bool) -> Result<ExitCode, Failed> {
    let entry = entry(&options)?;
    let text = options.from.as_deref().map(read).transpose()?;
    let params = ExternalAdd {
        name: options.name,
        entry,
        text,
        bundle: Option::None,
        directories: folders(&options.rights)?,
        hosts: options.rights.hosts(),
    };
    tell_added(&session.change(Client::external_add, params).await?, json)
}

fn tell_added(added: &ExternalAdded, json: bool) -> Result<ExitCode, Failed> {
    let failed = added
        .servers
        .iter()
        .any(|one| one.server.state == ExternalState::Failed);
    if json {
        output::print(added);
    } else {
        for one in &added.servers {
            output::line(&line(&one.server));
            if let Some(problem) = &one.server.problem {
                output::aside(&format!("pm: {}: {}", one.server.name, problem.message));
                if let Some(hint) = &problem.hint {
                    output::aside(&format!("    {hint}"));
                }
            }
            if !one.ignored.is_empty() {
                let ignored = one.ignored.join(", ");
                output::aside(&format!("pm: {}: ignored: {ignored}", one.server.name));
            }
        }
    }
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// The server of a bundle, as it is just then.
pub async fn install(
    session: &mut Session,
    path: String,
    set: &[String],
    dry_run: bool,
    json: bool,
) -> Result<ExitCode, Failed> {
    let bundle = session
        .read(Client::external_bundle, ExternalBundleRef { path: path.clone() })
        .await?;
    if dry_run && json {
        output::print(&bundle);
        return Ok(ExitCode::SUCCESS);
    }
    if !json {
        output::line(&format!(
            "{} {}  {}  ({})",
            bundle.name, bundle.version, bundle.title, bundle.kind
        ));
        if let Some(there) = &bundle.installed {
            output::line(&format!("  replaces {}", there.version));
            let stays = there.directories.iter().chain(&there.hosts);
            for one in there
                .settings
                .iter()
                .map(|key| format!("--set {key}"))
                .chain(stays.cloned())
            {
                output::line(&format!("  stays: {one}"));
            }
        }
        for setting in &bundle.settings {
            let marks = [
                (setting.required, "required"),
                (setting.sensitive, "secret"),
                (setting.multiple, "several"),
            ];
            let marks = marks
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| format!(" ({word})"));
            let marks: String = marks.collect();
            output::line(&format!("  --set {}=…{marks}  {}", setting.key, setting.title));
        }
    }
    if dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    for text in set {
        let Some((key, value)) = text.split_once('=') else {
            return Err(Failed::Usage(format!("expected KEY=VALUE, got {text}")));
        };
        values
            .entry(key.to_owned())
            .and_modify(|known| *known = format!("{known}\n{value}"))
            .or_insert_with(|| value.to_owned());
    }
    let bundle = ExternalBundleAdd {
        path,
        digest: bundle.digest,
        values,
    };
    let params = ExternalAdd {
        bundle: Some(bundle),
        ..ExternalAdd::default()
    };
    tell_added(&session.change(Client::external_add, params).await?, json)
}

fn entry(options: &Add) -> Result<Option<ExternalEntry>, Failed> {
    if options.from.is_some() {
        return Ok(Option::None);
    }
    if options.url.is_none() && options.command.is_empty() {
        return Err(Failed::Usage("expected --url, --from, or -- COMMAND".to_owned()));
    }
    let mut command = options.command.iter().cloned();
    Ok(Some(ExternalEntry {
        command: command.next(),
        args: command.collect(),
        env: pairs(&options.env, '=')?,
        url: options.url.clone(),
        headers: pairs(&options.header, ':')?,
        start_seconds: options.start_timeout,
        call_seconds: options.timeout,
    }))
}

fn pairs(given: &[String], between: char) -> Result<BTreeMap<String, String>, Failed> {
    let pair = |text: &String| match text.split_once(between) {
        Some((name, value)) if between == ':' => Ok((name.trim().to_owned(), value.trim().to_owned())),
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        Option::None => Err(Failed::Usage(format!("expected NAME{between}VALUE, got {text}"))),
    };
    given.iter().map(pair).collect()
}

fn folders(rights: &Rights) -> Result<Vec<String>, Failed> {
    rights.dir.iter().map(|dir| absolute(dir)).collect()
}

async fn switch(
    session: &mut Session,
    name: String,
    tool: Option<String>,
    enabled: bool,
) -> Result<ExternalDetail, Failed> {
    let params = ExternalSwitch { name, tool, enabled };
    session.change(Client::external_switch, params).await
}

async fn grant(
    session: &mut Session,
    name: String,
    rights: &Rights,
    granted: bool,
) -> Result<ExternalDetail, Failed> {
    let (directories, hosts) = (folders(rights)?, rights.hosts());
    if directories.is_empty() && hosts.is_empty() {
        return Err(Failed::Usage(
            "expected --dir, --network or --loopback".to_owned(),
        ));
    }
    let params = ExternalGrant {
        name,
        directories,
        hosts,
        granted,
    };
    session.change(Client::external_grant, params).await
}

async fn approve(
    session: &mut Session,
    name: String,
    tools: Vec<String>,
    all: bool,
    json: bool,
) -> Result<ExitCode, Failed> {
    let found = session
        .read(Client::external_show, ExternalRef { name: name.clone() })
        .await?;
    let waiting = found
        .tools
        .iter()
        .filter(|tool| tool.state != ExternalToolState::Approved);
    let chosen = waiting.filter(|tool| all || tools.is_empty() || tools.contains(&tool.name));
    let chosen: Vec<&ExternalTool> = chosen.collect();
    if !all && tools.is_empty() {
        match json {
            true => output::print(&chosen),
            false => chosen
                .into_iter()
                .for_each(|tool| output::line(&differences(tool))),
        }
        return Ok(ExitCode::SUCCESS);
    }
    let looked = |tool: &&ExternalTool| ExternalLooked {
        tool: tool.name.clone(),
        listed: tool.listed.clone(),
    };
    let unknown = tools
        .iter()
        .find(|name| !found.tools.iter().any(|tool| tool.name == **name));
    if let Some(unknown) = unknown {
        return Err(Failed::Usage(format!("{name} has no tool {unknown}")));
    }
    let params = ExternalApprove {
        name,
        tools: chosen.iter().map(looked).collect(),
    };
    show(&session.change(Client::external_approve, params).await?, json);
    Ok(ExitCode::SUCCESS)
}

fn show(detail: &ExternalDetail, json: bool) {
    if json {
        output::print(detail);
        return;
    }
    output::line(&line(&detail.server));
    if let Some(problem) = &detail.server.problem {
        output::line(&format!("  ! {}", problem.message));
    }
    for (what, values) in [("env", &detail.env), ("header", &detail.headers)] {
        values
            .iter()
            .for_each(|one| output::line(&format!("  {what} {}={}", one.name, one.value)));
    }
    for (what, values) in [("dir", &detail.directories), ("network", &detail.hosts)] {
        values
            .iter()
            .for_each(|value| output::line(&format!("  {what} {value}")));
    }
    for tool in &detail.tools {
        let mark = match (tool.state, tool.enabled) {
            (ExternalToolState::New, _) => "new",
            (ExternalToolState::Changed, _) => "changed",
            (ExternalToolState::Approved, true) => "on",
            (ExternalToolState::Approved, false) => "off",
        };
        let about = tool.listed.description.lines().next().unwrap_or_default();
        output::line(&format!(
            "  {mark:<8}{:<40}  {}",
            tool.offered_as,
            base::text::cut(about, 80)
        ));
    }
}

/// What was approved and what it says now; of a new one all that it says.
fn differences(tool: &ExternalTool) -> String {
    let whole = || serde_json::to_string_pretty(&tool.listed).unwrap_or_default();
    let text = tool.difference.clone().unwrap_or_else(whole);
    format!("{}\n{text}", tool.name)
}

fn line(row: &ExternalRow) -> String {
    let state = match row.state {
        ExternalState::Off => "off",
        ExternalState::Idle => "idle",
        ExternalState::Starting => "starting",
        ExternalState::Running => "running",
        ExternalState::Failed => "failed",
    };
    let waiting = match row.waiting {
        0 => String::new(),
        count => format!("  (+{count} to approve)"),
    };
    format!(
        "{:<24}  {state:<8}  {:>3} tools{waiting}  {}",
        row.name, row.offered, row.target
    )
}
