//! `pm prompt`: the library from the terminal.

#![allow(clippy::disallowed_methods, reason = "reads the text that the person names")]

use crate::options::Prompt;
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::prompt_model::{optimise, try_prompt};
use crate::workspace::tame;
use serde_json::{Map, Value};
use std::io::Read;
use std::process::ExitCode;
use wire::{
    Client, None, Page, PromptContent, PromptCreate, PromptFill, PromptImport, PromptList, PromptMessage,
    PromptPath, PromptProposal, PromptQuery, PromptRef, PromptRole, PromptSearch, PromptVersionRef,
    PromptVersions,
};

const PAGE: u32 = 500;

pub async fn prompt(session: &mut Session, verb: Prompt, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Prompt::List => list(session, String::new(), PromptSearch::Names, json).await?,
        Prompt::Search { words, full_text } => {
            let search = match full_text {
                true => PromptSearch::FullText,
                false => PromptSearch::Names,
            };
            list(session, words.join(" "), search, json).await?;
        }
        Prompt::Show { prompt, set } => show(session, prompt, &set, json).await?,
        Prompt::New {
            name,
            group,
            description,
            text,
        } => {
            let params = PromptCreate {
                group,
                content: PromptContent {
                    name,
                    description,
                    arguments: Vec::new(),
                    messages: vec![PromptMessage {
                        role: PromptRole::User,
                        text: read_text(&text)?,
                    }],
                    enabled: true,
                },
            };
            let made = session.change(Client::prompt_create, params).await?;
            match json {
                true => output::print(&made),
                false => output::line(&made.row.path),
            }
        }
        Prompt::Import {
            source,
            group,
            dry_run,
        } => {
            let source = std::path::absolute(&source)
                .map_err(|error| Failed::Usage(format!("{}: {error}", source.display())))?
                .display()
                .to_string();
            let params = PromptImport { source, group };
            let done = match dry_run {
                true => session.read(Client::prompt_preview, params).await?,
                false => session.change(Client::prompt_import, params).await?,
            };
            let failed = done.files.iter().any(|file| file.problem.is_some());
            if json {
                output::print(&done);
            } else {
                for file in &done.files {
                    let what = match file.proposal {
                        PromptProposal::New => "new",
                        PromptProposal::Same => "same",
                        PromptProposal::Taken => "renamed",
                        PromptProposal::Broken => "broken",
                    };
                    let outcome = match (&file.problem, &file.path) {
                        (Some(problem), _) => problem.message.clone(),
                        (Option::None, path) => path.clone().unwrap_or_default(),
                    };
                    output::line(&format!("{what:8} {}  {}", tame(&file.file), tame(&outcome)));
                }
            }
            if failed {
                return Ok(ExitCode::FAILURE);
            }
        }
        Prompt::Try(options) => return try_prompt(session, options, json).await,
        Prompt::Optimise { prompt, ways } => return optimise(session, prompt, ways, json).await,
        Prompt::Remove { path } => {
            let done = session.change(Client::prompt_remove, PromptPath { path }).await?;
            if json {
                output::print(&done);
            }
        }
        Prompt::History { path } => {
            let found = match path {
                Some(path) => session.read(Client::prompt_versions, PromptPath { path }).await?,
                Option::None => session.read(Client::prompt_removed, None {}).await?,
            };
            versions(&found, json);
        }
        Prompt::Restore { path, version } => {
            let params = PromptVersionRef { path, version };
            let restored = session.change(Client::prompt_restore, params).await?;
            if json {
                output::print(&restored);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All of it, a page at a time.
async fn list(session: &mut Session, words: String, search: PromptSearch, json: bool) -> Result<(), Failed> {
    let mut all: Option<PromptList> = Option::None;
    loop {
        let offset = all.as_ref().map_or(0, |all| all.prompts.len());
        let query = PromptQuery {
            words: words.clone(),
            search,
            group: String::new(),
            page: Page {
                offset: u32::try_from(offset).unwrap_or(u32::MAX),
                limit: PAGE,
            },
        };
        let page = session.read(Client::prompt_list, query).await?;
        let last = page.prompts.is_empty() || offset + page.prompts.len() >= page.total as usize;
        match &mut all {
            Some(all) => all.prompts.extend(page.prompts),
            Option::None => all = Some(page),
        }
        if last {
            break;
        }
    }
    let Some(all) = all else { return Ok(()) };
    if json {
        output::print(&all);
        return Ok(());
    }
    for row in &all.prompts {
        let off = if row.usable { "" } else { "  (off)" };
        let about = tame(&row.description);
        output::line(&format!(
            "{}  {}  {}{off}  {about}",
            row.id,
            tame(&row.path),
            tame(&row.name)
        ));
    }
    for broken in &all.broken {
        output::aside(&format!("pm: {}", tame(&broken.problem.message)));
    }
    Ok(())
}

async fn show(session: &mut Session, prompt: String, set: &[String], json: bool) -> Result<(), Failed> {
    if set.is_empty() {
        let found = session.read(Client::prompt_show, PromptRef { prompt }).await?;
        match json {
            true => output::print(&found),
            false => output::line(found.text.trim_end()),
        }
        return Ok(());
    }
    let values = values(set)?;
    let filled = session
        .read(Client::prompt_fill, PromptFill { prompt, values })
        .await?;
    if json {
        output::print(&filled);
        return Ok(());
    }
    for message in &filled.messages {
        output::line(message.text.trim_end());
    }
    for name in filled.missing.iter().chain(&filled.undeclared) {
        output::aside(&format!("pm: {{{{{name}}}}} has no value"));
    }
    Ok(())
}

/// `NAME=VALUE`, as often as somebody says it.
pub fn values(set: &[String]) -> Result<Map<String, Value>, Failed> {
    set.iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), Value::String(value.to_owned()))),
            Option::None => Err(Failed::Usage(format!("{pair}: NAME=VALUE"))),
        })
        .collect()
}

fn versions(found: &PromptVersions, json: bool) {
    if json {
        output::print(found);
        return;
    }
    for version in &found.versions {
        let at = base::clock::iso_local(version.replaced as i64);
        output::line(&format!("{}  {at}  {}", version.version, tame(&version.path)));
    }
}

/// `-` is standard input, `@FILE` a file, all else the text itself.
fn read_text(text: &str) -> Result<String, Failed> {
    let failed = |error: std::io::Error| Failed::Usage(format!("{text}: {error}"));
    match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).map_err(failed),
        Option::None if text == "-" => {
            let mut read = String::new();
            std::io::stdin().read_to_string(&mut read).map_err(failed)?;
            Ok(read)
        }
        Option::None => Ok(text.to_owned()),
    }
}
