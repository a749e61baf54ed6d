//! `pm model`: services that answer as a model does. A key comes from standard input or a variable of
//! the environment, never from an argument: those are there for every program to read.

use crate::options::{KeySource, Model};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::workspace::tame;
use std::io::{IsTerminal, Read};
use std::process::ExitCode;
use wire::{Client, ModelKey, ModelList, ModelProtocol, ModelRef, ModelSave, None};

/// More than any key has.
const KEY_BYTES: u64 = 64 * 1024;

pub async fn model(session: &mut Session, verb: Model, json: bool) -> Result<ExitCode, Failed> {
    let list = match verb {
        Model::List => {
            let found = session.read(Client::models_list, None {}).await?;
            if !json {
                rows(&found);
                return Ok(ExitCode::SUCCESS);
            }
            found
        }
        Model::Add {
            name,
            protocol,
            model,
            url,
            window,
            output,
            input_price,
            output_price,
            no_pictures,
            key,
        } => {
            let params = ModelSave {
                was: Option::None,
                name,
                protocol: protocol.into(),
                base_url: url,
                model,
                terms: Some(wire::ModelTerms {
                    window,
                    output,
                    input_price,
                    output_price,
                    pictures: no_pictures.then_some(false),
                }),
                key: given(&key)?,
            };
            session.change(Client::models_save, params).await?
        }
        Model::Remove { name } => session.change(Client::models_remove, ModelRef { name }).await?,
        Model::Default { name } => session.change(Client::models_default, ModelRef { name }).await?,
        Model::Key { name, forget, key } => {
            let key = match (forget, given(&key)?) {
                (true, _) => Option::None,
                (false, Some(key)) => Some(key),
                (false, Option::None) => Some(from_stdin()?),
            };
            session.change(Client::models_key, ModelKey { name, key }).await?
        }
        Model::Test { name } => {
            let tested = session.change(Client::models_test, ModelRef { name }).await?;
            match json {
                true => output::print(&tested),
                false => output::line(&format!(
                    "{}  ({:.0} ms, {:.0} ms)",
                    tame(&tested.text),
                    tested.first_ms,
                    tested.total_ms
                )),
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    if json {
        output::print(&list);
    }
    Ok(ExitCode::SUCCESS)
}

fn rows(found: &ModelList) {
    for row in &found.services {
        let mark = if row.default { '*' } else { ' ' };
        let key = if row.has_key { "key" } else { "-" };
        let protocol = match row.protocol {
            ModelProtocol::OpenAi => "openai",
            ModelProtocol::Anthropic => "anthropic",
            ModelProtocol::Gemini => "gemini",
            ModelProtocol::Ollama => "ollama",
        };
        let url = row.base_url.as_deref().unwrap_or("-");
        let (name, model) = (tame(&row.name), tame(&row.model));
        output::line(&format!(
            "{mark} {name:<20}  {protocol:<9}  {model}  {url}  {key}"
        ));
    }
}

fn given(source: &KeySource) -> Result<Option<String>, Failed> {
    if source.key_stdin {
        return from_stdin().map(Some);
    }
    let Some(variable) = &source.key_env else {
        return Ok(Option::None);
    };
    match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Some(key)),
        _ => Err(Failed::Usage(format!("{variable}: not set"))),
    }
}

/// A line where somebody types, all of it otherwise.
fn from_stdin() -> Result<String, Failed> {
    let mut key = String::new();
    let input = std::io::stdin();
    let read = match input.is_terminal() {
        true => input.read_line(&mut key),
        false => input.lock().take(KEY_BYTES).read_to_string(&mut key),
    };
    read.map_err(|error| Failed::Usage(error.to_string()))?;
    match key.trim() {
        "" => Err(Failed::Usage("no key on standard input".to_owned())),
        key => Ok(key.to_owned()),
    }
}
