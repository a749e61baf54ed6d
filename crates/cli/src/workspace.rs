//! `pm workspace` and `pm policy`: task folders from the terminal, and as lines of JSON for programs.
//! Deliberately not here: what is allowed. The owner decides; this passes on.

use crate::changes::changes;
use crate::exec::exec;
use crate::options::{Policy, Workspace};
use crate::output::{self, Failed};
use crate::owner::Session;
use base::Failure;
use serde_json::{Map, Value};
use std::io::{self, BufRead, Read};
use std::process::ExitCode;
use wire::{
    CALLS, Client, Effect, NetworkMode, None, PolicyCheck, WorkspaceBind, WorkspaceFolder, WorkspaceNetwork,
    WorkspaceNetworkChange, WorkspaceRead, WorkspaceRef, WorkspaceRun, WorkspaceWrite,
};

/// Longest request of `serve`: the owner takes no more in one call.
const REQUEST_BYTES: u64 = 16 * 1024 * 1024;

/// What `serve` is asked for, and the call that does it.
const OPS: [(&str, &str); 10] = [
    ("read", "workspace.read"),
    ("write", "workspace.write"),
    ("list", "workspace.ls"),
    ("info", "workspace.info"),
    ("edit", "workspace.edit"),
    ("append", "workspace.append"),
    ("move", "workspace.move"),
    ("delete", "workspace.delete"),
    ("search", "workspace.search"),
    ("run", "workspace.run"),
];

pub async fn workspace(session: &mut Session, verb: Workspace, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Workspace::Bind { task, path } => {
            let params = WorkspaceBind {
                task_id: task,
                workspace_path: path,
            };
            let row = session.change(Client::workspace_bind, params).await?;
            if json {
                output::print(&row);
            }
        }
        Workspace::Unbind { task } => {
            let params = WorkspaceRef { task_id: task };
            let done = session.change(Client::workspace_unbind, params).await?;
            if json {
                output::print(&done);
            }
        }
        Workspace::List => {
            let found = session.read(Client::workspace_list, None {}).await?;
            if json {
                output::print(&found);
            } else {
                for row in found.workspaces {
                    let path = row.workspace_path.unwrap_or_default();
                    output::line(&format!("{}  {}", row.task_id, tame(&path)));
                }
            }
        }
        Workspace::Info { task } => {
            let asked = WorkspaceNetworkChange {
                task_id: task.clone(),
                mode: Option::None,
                hosts: Vec::new(),
            };
            let params = WorkspaceRef { task_id: task };
            let info = session.read(Client::workspace_info, params).await?;
            if json {
                output::print(&info);
            } else {
                output::line(&format!("files          {}", info.file_count));
                output::line(&format!("folders        {}", info.dir_count));
                output::line(&format!("bytes          {}", info.total_size));
                output::line(&format!("last modified  {}", info.last_modified));
                let network = session.change(Client::workspace_network, asked).await?;
                output::line(&format!("network        {}", reached(&network)));
            }
        }
        Workspace::Ls { task, path } => {
            let params = WorkspaceFolder { task_id: task, path };
            let found = session.read(Client::workspace_ls, params).await?;
            if json {
                output::print(&found);
            } else {
                for entry in found.files {
                    let name = tame(&entry.name);
                    output::line(&format!("{:9}  {:>12}  {name}", entry.r#type, entry.size));
                }
            }
        }
        Workspace::Read(options) => {
            let params = WorkspaceRead {
                task_id: options.task,
                path: options.path,
                offset: options.offset,
                limit: options.limit,
                encoding: options.encoding,
            };
            let read = session.read(Client::workspace_read, params).await?;
            if json {
                output::print(&read);
            } else {
                output::text(&read.content);
                if let Some(next) = read.next_offset {
                    output::aside(&format!("pm: there is more: --offset {next}"));
                }
            }
        }
        Workspace::Write { task, path, input } => {
            if let Some(input) = input.filter(|input| input != "-") {
                return Err(Failed::Usage(format!(
                    "content is read from standard input, not {input}"
                )));
            }
            let content = io::read_to_string(io::stdin().lock().take(REQUEST_BYTES))
                .map_err(|error| output::file("-".as_ref(), &error))?;
            let params = WorkspaceWrite {
                task_id: task,
                path,
                content,
            };
            let done = session.change(Client::workspace_write, params).await?;
            if json {
                output::print(&done);
            }
        }
        Workspace::Exec {
            task,
            timeout_ms,
            command,
        } => {
            let params = WorkspaceRun {
                task_id: task,
                command: shell_text(&command),
                timeout_ms,
                run: Option::None,
            };
            if !json {
                return exec(session, params).await;
            }
            output::print(&session.change(Client::workspace_run, params).await?);
        }
        Workspace::Network { task, reach } => {
            let (mode, hosts) = match reach.as_slice() {
                [] => (Option::None, Vec::new()),
                [word] if word == "off" => (Some(NetworkMode::Off), Vec::new()),
                [word] if word == "full" => (Some(NetworkMode::Full), Vec::new()),
                words if words.iter().any(|word| word == "off" || word == "full") => {
                    return Err(Failed::Usage("off and full stand alone".to_owned()));
                }
                _ => (Some(NetworkMode::Hosts), reach),
            };
            let params = WorkspaceNetworkChange {
                task_id: task,
                mode,
                hosts,
            };
            let network = session.change(Client::workspace_network, params).await?;
            if json {
                output::print(&network);
            } else {
                output::line(&reached(&network));
            }
        }
        Workspace::Serve { task } => serve(session, &task).await?,
        Workspace::Changes(verb) => changes(session, verb, json).await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn reached(network: &WorkspaceNetwork) -> String {
    match network.mode {
        NetworkMode::Off => "off".to_owned(),
        NetworkMode::Full => "full".to_owned(),
        NetworkMode::Hosts => network.hosts.join(" "),
    }
}

/// Always JSON: this is asked by programs. A refusal is an answer and no failure.
pub async fn policy(session: &mut Session, verb: Policy) -> Result<ExitCode, Failed> {
    let Policy::Check { command } = verb;
    let verdict = session
        .read(Client::policy_check, PolicyCheck { command })
        .await?;
    output::print(&verdict);
    Ok(ExitCode::SUCCESS)
}

/// A JSON request a line, a JSON answer a line, in order, until the input ends.
async fn serve(session: &mut Session, task: &str) -> Result<(), Failed> {
    let failed = |error| output::file("-".as_ref(), &error);
    loop {
        let line = tokio::task::spawn_blocking(next_line).await;
        let line = line.map_err(io::Error::other).and_then(|line| line);
        let answered = match line.map_err(failed)? {
            Line::End => return Ok(()),
            Line::TooLong => Err(invalid(format!("a request has at most {REQUEST_BYTES} bytes"))),
            Line::Request(bytes) if bytes.trim_ascii().is_empty() => continue,
            Line::Request(bytes) => answer(session, task, &bytes).await,
        };
        let value = match answered {
            Ok(value) => value,
            Err(failed) => output::flat(&failed),
        };
        output::line(&value.to_string());
    }
}

async fn answer(session: &mut Session, task: &str, line: &[u8]) -> Result<Value, Failed> {
    let mut params: Map<String, Value> =
        serde_json::from_slice(line).map_err(|error| invalid(error.to_string()))?;
    let op = params.remove("op");
    let call = op
        .as_ref()
        .and_then(Value::as_str)
        .and_then(|op| OPS.iter().find(|(name, _)| *name == op))
        .map(|(_, call)| *call)
        .ok_or_else(|| {
            let known: Vec<_> = OPS.iter().map(|(name, _)| *name).collect();
            invalid(format!("op: {}", known.join(", ")))
        })?;
    params.insert("taskId".to_owned(), task.into());
    let ask = async |client: &Client, params: Map<String, Value>| client.call(call, &params).await;
    let changes = CALLS
        .iter()
        .any(|known| known.name == call && known.effect == Effect::Changes);
    match changes {
        true => session.change(ask, params).await,
        false => session.read(ask, params).await,
    }
}

fn invalid(reason: String) -> Failed {
    let failure = Failure::new("invalid_args")
        .with("call", "pm workspace serve")
        .with("reason", reason);
    Failed::of(&failure)
}

enum Line {
    Request(Vec<u8>),
    /// It was passed over.
    TooLong,
    End,
}

/// Blocks until there is one.
fn next_line() -> io::Result<Line> {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    if (&mut input).take(REQUEST_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(Line::End);
    }
    if line.len() as u64 == REQUEST_BYTES && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
        return Ok(Line::TooLong);
    }
    Ok(Line::Request(line))
}

/// One argument is shell text; several are one program with its arguments.
fn shell_text(command: &[String]) -> String {
    match command {
        [text] => text.clone(),
        words => words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,@%+".contains(&byte);
    match !word.is_empty() && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// On one line and without control characters: names of files were chosen by a model.
pub(crate) fn tame(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '\'' | '"' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    });
    escaped.collect()
}
