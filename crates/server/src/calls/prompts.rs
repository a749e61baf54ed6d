//! The prompt library (`prompts`) as calls: its values as wire types, its files off the async
//! threads.

use crate::app::App;
use crate::words::worded;
use crate::work::blocking;
use ::prompts::{
    Argument, ArgumentKind, Content, Expected, Import, Library, Message, Prompt, PromptError,
    PromptPath as Path, Proposal, Role, Version, variables,
};
use base::Failure;
use std::sync::Arc;
use wire::{
    BrokenPrompt, Done, ImportedPrompt, Page, PromptArgument, PromptArgumentType, PromptContent,
    PromptCreate, PromptDetail, PromptFill, PromptFilled, PromptGroup, PromptImport, PromptImports,
    PromptList, PromptMessage, PromptMove, PromptPath, PromptProposal, PromptQuery, PromptRef, PromptRole,
    PromptRow, PromptSave, PromptSearch, PromptSwitch, PromptVersion, PromptVersionRef, PromptVersions, Text,
};

/// Does it on a thread that may wait for the disk.
pub(crate) async fn with<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Library) -> Result<T, PromptError> + Send + 'static,
) -> Result<T, Failure> {
    let library = app.library().await?;
    Ok(blocking(move || work(&library)).await??)
}

pub(super) async fn list(app: &App, query: PromptQuery) -> Result<PromptList, Failure> {
    let Page { offset, limit } = query.page;
    let limit = limit.min(super::PAGE);
    let lang = app.lang();
    with(app, move |library| {
        let shelf = library.shelf();
        let mut found = match query.search {
            PromptSearch::FullText => library.full_text(&query.words)?,
            PromptSearch::Names => {
                let found = library.search(&query.words).into_iter();
                found.map(|found| found.prompt).collect()
            }
        };
        found.retain(|prompt| is_within(prompt.path.group(), &query.group));
        Ok(PromptList {
            total: count(found.len()),
            all: count(shelf.prompts().len()),
            prompts: found
                .iter()
                .skip(offset as usize)
                .take(limit as usize)
                .map(row)
                .collect(),
            groups: shelf
                .groups
                .iter()
                .map(|(path, group)| PromptGroup {
                    path: path.clone(),
                    enabled: group.enabled,
                    usable: group.usable,
                })
                .collect(),
            broken: shelf
                .broken
                .iter()
                .take(super::PAGE as usize)
                .map(|broken| BrokenPrompt {
                    path: broken.path.clone(),
                    problem: worded(&Failure::of(&broken.problem), lang),
                })
                .collect(),
        })
    })
    .await
}

/// Whether a group is this one or lies below it.
fn is_within(group: &str, outer: &str) -> bool {
    let rest = group.strip_prefix(outer);
    outer.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) async fn show(app: &App, params: PromptRef) -> Result<PromptDetail, Failure> {
    with(app, move |library| {
        library.get(&params.prompt).map(|prompt| detail(&prompt))
    })
    .await
}

pub(super) async fn fill(app: &App, params: PromptFill) -> Result<PromptFilled, Failure> {
    with(app, move |library| {
        let prompt = library.get(&params.prompt)?;
        let filled = ::prompts::fill(&prompt.content, &params.values)?;
        Ok(PromptFilled {
            messages: filled.messages.into_iter().map(message).collect(),
            missing: filled.missing,
            undeclared: filled.undeclared,
            unused: filled.unused,
        })
    })
    .await
}

pub(super) async fn create(app: &App, params: PromptCreate) -> Result<PromptDetail, Failure> {
    let content = content_of(params.content);
    with(app, move |library| {
        library
            .create(&params.group, &content)
            .map(|prompt| detail(&prompt))
    })
    .await
}

pub(super) async fn save(app: &App, params: PromptSave) -> Result<PromptDetail, Failure> {
    let expected = params.expected.map_or(Expected::Anything, Expected::Version);
    let invalid = || {
        Failure::new("invalid_args")
            .with("call", "prompt.save")
            .with("reason", "content or text: one of them")
    };
    let path = Path::parse(&params.path)?;
    match (params.content, params.text) {
        (Some(content), Option::None) => {
            let content = content_of(content);
            with(app, move |library| library.save(&path, &content, &expected)).await
        }
        (Option::None, Some(text)) => {
            with(app, move |library| library.save_text(&path, &text, &expected)).await
        }
        _ => Err(invalid()),
    }
    .map(|prompt| detail(&prompt))
}

pub(super) async fn relocate(app: &App, params: PromptMove) -> Result<PromptDetail, Failure> {
    let (path, to) = (Path::parse(&params.path)?, Path::parse(&params.to)?);
    with(app, move |library| {
        library.move_to(&path, &to).map(|prompt| detail(&prompt))
    })
    .await
}

pub(super) async fn remove(app: &App, params: PromptPath) -> Result<Done, Failure> {
    let path = Path::parse(&params.path)?;
    with(app, move |library| library.remove(&path, &Expected::Anything)).await?;
    Ok(Done {})
}

pub(super) async fn switch(app: &App, params: PromptSwitch) -> Result<Done, Failure> {
    with(app, move |library| {
        library.switch_group(&params.group, params.enabled)
    })
    .await?;
    Ok(Done {})
}

pub(super) async fn versions(app: &App, params: PromptPath) -> Result<PromptVersions, Failure> {
    let path = Path::parse(&params.path)?;
    with(app, move |library| {
        let versions = library.versions(&path)?;
        let versions = versions.into_iter().map(|one| version(&path, one)).collect();
        Ok(PromptVersions { versions })
    })
    .await
}

pub(super) async fn version_text(app: &App, params: PromptVersionRef) -> Result<Text, Failure> {
    let path = Path::parse(&params.path)?;
    let text = with(app, move |library| library.version_text(&path, &params.version)).await?;
    Ok(Text { text })
}

pub(super) async fn diff(app: &App, params: PromptVersionRef) -> Result<Text, Failure> {
    let path = Path::parse(&params.path)?;
    let text = with(app, move |library| library.diff(&path, &params.version)).await?;
    Ok(Text { text })
}

pub(super) async fn restore(app: &App, params: PromptVersionRef) -> Result<PromptDetail, Failure> {
    let path = Path::parse(&params.path)?;
    with(app, move |library| {
        library
            .restore(&path, &params.version)
            .map(|prompt| detail(&prompt))
    })
    .await
}

pub(super) async fn removed(app: &App) -> Result<PromptVersions, Failure> {
    with(app, |library| {
        let removed = library.removed()?;
        let versions = removed.into_iter().map(|(path, last)| version(&path, last));
        Ok(PromptVersions {
            versions: versions.collect(),
        })
    })
    .await
}

pub(super) async fn preview(app: &App, params: PromptImport) -> Result<PromptImports, Failure> {
    let lang = app.lang();
    let source = app.inner.home.expand(&params.source)?;
    with(app, move |library| {
        let looked = library.preview(&source, &params.group)?;
        let files = looked.iter().map(|import| {
            let (proposal, path, problem) = proposed(import);
            ImportedPrompt {
                file: import.file.display().to_string(),
                proposal,
                path,
                problem: problem.map(|problem| worded(&Failure::of(problem), lang)),
            }
        });
        Ok(PromptImports {
            files: files.collect(),
        })
    })
    .await
}

pub(super) async fn import(app: &App, params: PromptImport) -> Result<PromptImports, Failure> {
    let lang = app.lang();
    let source = app.inner.home.expand(&params.source)?;
    with(app, move |library| {
        let looked = library.preview(&source, &params.group)?;
        let proposals: Vec<_> = looked
            .iter()
            .map(|import| {
                let (proposal, path, _) = proposed(import);
                (proposal, path)
            })
            .collect();
        let done = library.import(looked)?;
        let files = done.into_iter().zip(proposals).map(|(one, (proposal, path))| {
            let file = one.file.display().to_string();
            match one.became {
                Ok(prompt) => ImportedPrompt {
                    file,
                    proposal,
                    path: prompt.map(|prompt| prompt.path.to_string()).or(path),
                    problem: Option::None,
                },
                Err(problem) => ImportedPrompt {
                    file,
                    proposal: PromptProposal::Broken,
                    path: Option::None,
                    problem: Some(worded(&Failure::of(&problem), lang)),
                },
            }
        });
        Ok(PromptImports {
            files: files.collect(),
        })
    })
    .await
}

fn proposed(import: &Import) -> (PromptProposal, Option<String>, Option<&PromptError>) {
    let own = import.path.as_ref().map(ToString::to_string);
    match &import.proposal {
        Proposal::New => (PromptProposal::New, own, Option::None),
        Proposal::Same(there) => (PromptProposal::Same, Some(there.path.to_string()), Option::None),
        Proposal::Taken(_) => (PromptProposal::Taken, own, Option::None),
        Proposal::Broken(problem) => (PromptProposal::Broken, own, Some(problem)),
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn row(prompt: &Arc<Prompt>) -> PromptRow {
    PromptRow {
        path: prompt.path.to_string(),
        id: prompt.id.clone(),
        name: prompt.content.name.clone(),
        description: prompt.content.description.clone(),
        enabled: prompt.content.enabled,
        usable: prompt.usable,
        arguments: count(prompt.content.arguments.len()),
        modified: prompt.modified as f64,
    }
}

fn detail(prompt: &Arc<Prompt>) -> PromptDetail {
    let mut names: Vec<String> = Vec::new();
    for message in &prompt.content.messages {
        for name in variables(&message.text) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    PromptDetail {
        row: row(prompt),
        content: wire_content(&prompt.content),
        text: prompt.text.to_string(),
        version: prompt.version.clone(),
        variables: names,
    }
}

fn version(path: &Path, version: Version) -> PromptVersion {
    PromptVersion {
        path: path.to_string(),
        version: version.version,
        replaced: version.replaced as f64,
        bytes: u32::try_from(version.bytes).unwrap_or(u32::MAX),
    }
}

fn wire_content(content: &Content) -> PromptContent {
    let argument = |argument: &Argument| PromptArgument {
        name: argument.name.clone(),
        description: argument.description.clone(),
        kind: match argument.kind {
            ArgumentKind::String => PromptArgumentType::String,
            ArgumentKind::Number => PromptArgumentType::Number,
            ArgumentKind::Integer => PromptArgumentType::Integer,
            ArgumentKind::Boolean => PromptArgumentType::Boolean,
            ArgumentKind::Array => PromptArgumentType::Array,
            ArgumentKind::Object => PromptArgumentType::Object,
        },
        required: argument.required,
        default: argument.default.clone(),
    };
    PromptContent {
        name: content.name.clone(),
        description: content.description.clone(),
        arguments: content.arguments.iter().map(argument).collect(),
        messages: content.messages.iter().cloned().map(message).collect(),
        enabled: content.enabled,
    }
}

pub(super) fn message(message: Message) -> PromptMessage {
    PromptMessage {
        role: match message.role {
            Role::User => PromptRole::User,
            Role::Assistant => PromptRole::Assistant,
            Role::System => PromptRole::System,
        },
        text: message.text,
    }
}

pub(super) fn content_of(content: PromptContent) -> Content {
    Content {
        name: content.name,
        description: content.description,
        arguments: content
            .arguments
            .into_iter()
            .map(|argument| Argument {
                name: argument.name,
                description: argument.description,
                kind: match argument.kind {
                    PromptArgumentType::String => ArgumentKind::String,
                    PromptArgumentType::Number => ArgumentKind::Number,
                    PromptArgumentType::Integer => ArgumentKind::Integer,
                    PromptArgumentType::Boolean => ArgumentKind::Boolean,
                    PromptArgumentType::Array => ArgumentKind::Array,
                    PromptArgumentType::Object => ArgumentKind::Object,
                },
                required: argument.required,
                default: argument.default,
            })
            .collect(),
        messages: content
            .messages
            .into_iter()
            .map(|message| Message {
                role: match message.role {
                    PromptRole::User => Role::User,
                    PromptRole::Assistant => Role::Assistant,
                    PromptRole::System => Role::System,
                },
                text: message.text,
            })
            .collect(),
        enabled: content.enabled,
    }
}
