//! `pm token`: tokens of MCP clients. `pm pause` and `pm resume` stand beside it.

use crate::options::Token;
use crate::output::{self, Failed};
use crate::owner::Session;
use std::process::ExitCode;
use wire::{Client, None, SettingsChange, TokenNew, TokenRef, TokenRow, TokenScope};

pub async fn token(session: &mut Session, verb: Token, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Token::New {
            name,
            tool,
            workspace,
        } => {
            let given = |words: Vec<String>| (!words.is_empty()).then_some(words);
            let scope = TokenScope {
                tools: given(tool),
                workspaces: given(workspace),
            };
            let made = session
                .change(Client::token_new, TokenNew { name, scope })
                .await?;
            match json {
                true => output::print(&made),
                false => output::line(&made.token),
            }
        }
        Token::List => {
            let found = session.read(Client::token_list, None {}).await?;
            if json {
                output::print(&found);
                return Ok(ExitCode::SUCCESS);
            }
            for row in &found.tokens {
                let seen = found.seen.iter().find(|client| client.name == row.name);
                let seen = seen.map_or("-".to_owned(), |client| base::clock::iso_local(client.at as i64));
                output::line(&line(row, &seen));
            }
        }
        Token::Revoke { name } => {
            let done = session.change(Client::token_revoke, TokenRef { name }).await?;
            if json {
                output::print(&done);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(row: &TokenRow, seen: &str) -> String {
    let words = |words: &Option<Vec<String>>| match words {
        Some(words) => words.join(","),
        Option::None => "*".to_owned(),
    };
    format!(
        "{:<24}  {seen:<29}  tools: {}  workspaces: {}",
        row.name,
        words(&row.scope.tools),
        words(&row.scope.workspaces)
    )
}

/// Whether runs may begin.
pub async fn pause(session: &mut Session, paused: bool, json: bool) -> Result<ExitCode, Failed> {
    let params = SettingsChange {
        paused: Some(paused),
        ..SettingsChange::default()
    };
    let settings = session.change(Client::settings_change, params).await?;
    if json {
        output::print(&settings);
    }
    Ok(ExitCode::SUCCESS)
}
