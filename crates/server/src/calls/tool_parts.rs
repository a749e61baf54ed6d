//! Parts of one tool that the window shows: variables and files.

use super::actor_of;
use super::tools::name;
use crate::app::App;
use crate::words::worded;
use base::{Failure, Lang};
use toolbox::configure::{Row, Source, State};
use toolbox::files::{Entry, Kind};
use wire::{
    Caller, ConfigurationState, FileEntry, FileKind, FileList, FileRef, FileView, SecretPlace, SecretsMoved,
    Text, VariableRef, VariableRow, VariableSource, Variables,
};

pub(super) async fn variables(app: &App, tool: &str) -> Result<Variables, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&name(tool)?).await?;
    let table = toolbox.variables(&tool).await?;
    let lang = toolbox.lang();
    Ok(Variables {
        state: match table.state {
            State::Configured => ConfigurationState::Configured,
            State::Partly => ConfigurationState::Partly,
            State::Unconfigured => ConfigurationState::Unconfigured,
        },
        file: app.inner.home.display(&tool.folder.join(".env")),
        secrets_go: table.secrets_go.map(place),
        variables: table.rows.into_iter().map(|row| variable(row, lang)).collect(),
    })
}

fn variable(row: Row, lang: Lang) -> VariableRow {
    VariableRow {
        name: row.name,
        description: row.description,
        schema: row.schema,
        declared: row.declared,
        required: row.required,
        secret: row.secret,
        source: match row.source {
            Source::File => VariableSource::File,
            Source::Default => VariableSource::Default,
            Source::Unset => VariableSource::Unset,
        },
        value: row.value,
        default: row.default,
        problem: row.problem.map(|problem| worded(&problem, lang)),
        kept: row.kept.map(place),
    }
}

fn place(place: secrets::Place) -> SecretPlace {
    match place {
        secrets::Place::Keychain => SecretPlace::Keychain,
        secrets::Place::File => SecretPlace::File,
    }
}

pub(super) async fn secret(app: &App, caller: &Caller, params: VariableRef) -> Result<Text, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&name(&params.tool)?).await?;
    let text = toolbox.reveal(&tool, &params.name, &actor_of(caller)).await?;
    Ok(Text { text })
}

pub(super) async fn move_secrets(app: &App, caller: &Caller, tool: &str) -> Result<SecretsMoved, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&name(tool)?).await?;
    let names = toolbox.move_secrets(&tool, &actor_of(caller)).await?;
    Ok(SecretsMoved { names })
}

pub(super) async fn files(app: &App, params: FileRef) -> Result<FileList, Failure> {
    let toolbox = &app.inner.toolbox;
    let listing = toolbox.files(&name(&params.tool)?, params.path.clone()).await?;
    Ok(FileList {
        path: params.path,
        entries: listing.entries.into_iter().map(entry).collect(),
        truncated: listing.truncated,
    })
}

fn entry(entry: Entry) -> FileEntry {
    FileEntry {
        name: entry.name,
        kind: match entry.kind {
            Kind::Directory => FileKind::Directory,
            Kind::File => FileKind::File,
            Kind::Link => FileKind::Link,
            Kind::Other => FileKind::Other,
        },
        size: entry.size as f64,
        modified: entry.modified_ms as f64,
    }
}

pub(super) async fn file(app: &App, params: FileRef) -> Result<FileView, Failure> {
    let toolbox = &app.inner.toolbox;
    let preview = toolbox.file(&name(&params.tool)?, params.path.clone()).await?;
    Ok(FileView {
        path: params.path,
        size: preview.size as f64,
        modified: preview.modified_ms as f64,
        text: preview.text,
        truncated: preview.truncated,
        masked: preview.masked,
    })
}
