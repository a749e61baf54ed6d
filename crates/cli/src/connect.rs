//! `pm connect`: our entry in the files of MCP clients.

use crate::options::Connect;
use crate::output::{self, Failed};
use crate::owner::Session;
use base::Failure;
use std::process::ExitCode;
use wire::{Client, ClientConfig, ClientRef, ClientState, None};

pub async fn connect(session: &mut Session, options: Connect, json: bool) -> Result<ExitCode, Failed> {
    let Connect { client, write, undo } = options;
    let one = match client {
        Some(client) if write => {
            session
                .change(Client::connect_write, ClientRef { client })
                .await?
        }
        Some(client) if undo => session.change(Client::connect_undo, ClientRef { client }).await?,
        client => return shown(session, client, json).await,
    };
    match json {
        true => output::print(&one),
        false => output::line(&line(&one)),
    }
    Ok(ExitCode::SUCCESS)
}

async fn shown(session: &mut Session, client: Option<String>, json: bool) -> Result<ExitCode, Failed> {
    let found = session.read(Client::connect_list, None {}).await?;
    let Some(client) = client else {
        match json {
            true => output::print(&found),
            false => found.clients.iter().for_each(|one| output::line(&line(one))),
        }
        return Ok(ExitCode::SUCCESS);
    };
    let known: Vec<&str> = found.clients.iter().map(|one| one.client.as_str()).collect();
    let Some(one) = found.clients.iter().find(|one| one.client == client) else {
        let unknown = Failure::new("unknown_client").with("name", client);
        return Err(Failed::of(&unknown.with("known", known.join(", "))));
    };
    match json {
        true => output::print(one),
        false => {
            output::line(&line(one));
            output::line(one.text.trim_end());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(one: &ClientConfig) -> String {
    let state = match one.state {
        ClientState::Absent => "-",
        ClientState::Written => "written",
        ClientState::Different => "different",
        ClientState::Unreadable => "unreadable",
    };
    let seen = one
        .seen
        .map_or("-".to_owned(), |at| base::clock::iso_local(at as i64));
    format!("{:<14}  {state:<10}  {seen:<29}  {}", one.client, one.file)
}
