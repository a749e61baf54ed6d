//! Secrets of tools: their `.env` names them, the vault keeps them.
//!
//! A value that is given by `configure` or in the window goes to the vault when its variable is secret; a
//! plain one that a person wrote into the file stays until she says so ([`Toolbox::move_secrets`]).
//! References are followed whenever a run's environment is made. One that leads nowhere is a failure of
//! the run and never an empty value.
//!
//! **How long they live.** As long as a `.env` names them: in its place, with a version that is kept, or in
//! the trash. An update and the way back carry `.env` over, an undo brings it back; when a tool leaves the
//! trash its secrets leave the vault, and [`sweep`] removes at start what a kill left without a name.

#![allow(
    clippy::disallowed_methods,
    reason = "reads the files in which references are"
)]

use crate::catalog::Tool;
use crate::configure::{ConfigureError, MASK, is_secret};
use crate::env_file::EnvFile;
use crate::model::Description;
use crate::toolbox::{Toolbox, join_failed};
use base::name::ToolName;
use base::{DataHome, Failure};
use secrets::{Owner, Patience, Place, Reference, Vault};
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Actor;

/// A `.env` with what its references stand for.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// What every variable is, but for those that are lost.
    pub values: BTreeMap<String, String>,
    /// Names whose values are elsewhere, and where.
    pub kept: BTreeMap<String, Place>,
    /// Why a value cannot be had.
    pub lost: BTreeMap<String, Failure>,
}

impl Opened {
    /// For pages that show no secret: what is kept elsewhere is set, and masked whatever it is called.
    pub fn shown(&self) -> BTreeMap<String, String> {
        let mut shown = self.values.clone();
        shown.extend(self.kept.keys().map(|name| (name.clone(), MASK.to_owned())));
        shown
    }

    /// The values that came from elsewhere.
    pub fn secrets(&self) -> impl Iterator<Item = String> {
        self.kept.keys().filter_map(|name| self.values.get(name).cloned())
    }

    /// The first that cannot be had, for a run that cannot be without it.
    pub fn whole(&self, tool: &ToolName) -> Result<(), Failure> {
        match self.lost.values().next() {
            Some(failure) => Err(failure.clone().with("tool", tool.as_str())),
            None => Ok(()),
        }
    }
}

/// Follows the references of a file. Blocking.
pub(crate) fn open(vault: &Vault, tool: &ToolName, env: &EnvFile, patience: Patience) -> Opened {
    let mut opened = Opened::default();
    for (name, value) in env.values() {
        let Ok(reference) = value.parse::<Reference>() else {
            opened.values.insert(name, value);
            continue;
        };
        opened.kept.insert(name.clone(), reference.place());
        let owner = Owner::variable(tool.as_str(), &name);
        match vault.read(&owner, &reference, patience) {
            Ok(value) => {
                opened.values.insert(name, value);
            }
            Err(error) => {
                let failure = Failure::from(error).with("name", name.as_str());
                opened.lost.insert(name, failure);
            }
        }
    }
    opened
}

/// A file whose secrets have just been put into the vault; what they replace is still there.
pub(crate) struct Stored {
    pub(crate) file: EnvFile,
    /// Went to the vault.
    pub(crate) moved: Vec<String>,
    new: Vec<(Owner, Reference)>,
    old: Vec<(Owner, Reference)>,
}

impl Toolbox {
    /// `.env` of a tool with its secrets.
    pub(crate) async fn opened(&self, tool: &ToolName, env: EnvFile) -> Result<Opened, Failure> {
        self.opened_within(tool, env, Patience::Person).await
    }

    pub(crate) async fn opened_within(
        &self,
        tool: &ToolName,
        env: EnvFile,
        patience: Patience,
    ) -> Result<Opened, Failure> {
        let (vault, tool) = (Arc::clone(&self.inner.vault), tool.clone());
        let work = move || open(&vault, &tool, &env, patience);
        tokio::task::spawn_blocking(work).await.map_err(join_failed)
    }

    /// Where a secret goes that is given now.
    pub(crate) async fn secrets_go(&self) -> Result<Option<Place>, Failure> {
        let vault = Arc::clone(&self.inner.vault);
        tokio::task::spawn_blocking(move || vault.place())
            .await
            .map_err(join_failed)
    }

    /// Puts the secrets among `names` into the vault, before the file that names them is written.
    pub(crate) async fn stored(
        &self,
        tool: &Tool,
        description: &Description,
        before: EnvFile,
        mut file: EnvFile,
        names: Vec<String>,
    ) -> Result<Stored, Failure> {
        let (vault, tool) = (Arc::clone(&self.inner.vault), tool.name.clone());
        let schema = description.schema.environment.clone();
        let work = move || {
            let mut stored = Stored {
                file: EnvFile::default(),
                moved: Vec::new(),
                new: Vec::new(),
                old: Vec::new(),
            };
            for name in names {
                let owner = Owner::variable(tool.as_str(), &name);
                if let Some(old) = before.get(&name).and_then(|value| value.parse().ok()) {
                    stored.old.push((owner.clone(), old));
                }
                let value = file.get(&name).unwrap_or_default().to_owned();
                if value.is_empty() || !is_secret(&schema, &name) {
                    continue;
                }
                if let Some(reference) = vault.keep(&owner, &value)? {
                    file.set_alone(&name, &reference.to_string())?;
                    stored.new.push((owner, reference));
                    stored.moved.push(name);
                }
            }
            stored.file = file;
            Ok::<_, Failure>(stored)
        };
        tokio::task::spawn_blocking(work).await.map_err(join_failed)?
    }

    /// Removes what the file no longer names, or what it does not name yet because it could not be written.
    pub(crate) async fn settled(&self, stored: Stored, written: bool) {
        let gone = if written { stored.old } else { stored.new };
        let vault = Arc::clone(&self.inner.vault);
        let forget = tokio::task::spawn_blocking(move || vault.forget(&gone)).await;
        if let Ok(Err(error)) = forget {
            // The next start sweeps.
            tracing::warn!(error = %base::failure::chain(&error), "a secret that is not needed stays");
        }
    }

    /// Moves the plain secrets of a `.env` into the vault; their names. A person asks for it.
    pub async fn move_secrets(&self, tool: &Tool, actor: &Actor) -> Result<Vec<String>, Failure> {
        let description = tool.described()?;
        let lock = self.configuring(&tool.name);
        let _one = lock.lock().await;
        let file = self.env_file(tool).await?;
        let schema = &description.schema.environment;
        let plain = |(name, value): (String, String)| {
            let moves = !value.is_empty() && value.parse::<Reference>().is_err() && is_secret(schema, &name);
            moves.then_some(name).filter(|name| crate::env_file::is_key(name))
        };
        let names: Vec<String> = file.values().into_iter().filter_map(plain).collect();
        if names.is_empty() {
            return Ok(names);
        }
        let stored = self.stored(tool, description, file.clone(), file, names).await?;
        if stored.moved.is_empty() {
            return Err(ConfigureError::KeptInEnv.into());
        }
        let moved = stored.moved.clone();
        self.save_stored(tool, stored, &moved, actor).await?;
        self.changed(&tool.name).await?;
        Ok(moved)
    }
}

/// Removes from the vault what no `.env` names, nor `others`. Blocking, and before anything moves: a
/// folder that is on its way would be missed.
pub fn sweep(home: &DataHome, vault: &Vault, others: HashSet<Reference>) -> Result<usize, Failure> {
    let unreadable = |error: io::Error| crate::toolbox::unreadable(&home.toolbox(), &error);
    if vault.is_empty()? {
        return Ok(0);
    }
    let mut used = others;
    used.extend(named(home).map_err(unreadable)?);
    Ok(vault.sweep(&used, base::clock::now_ms())?)
}

/// References of all tools, wherever they are. An error when one file cannot be read: it may name any.
fn named(home: &DataHome) -> io::Result<HashSet<Reference>> {
    let mut folders = below(&home.toolbox(), 1)?;
    folders.extend(below(&home.tool_changes(), 2)?);
    folders.extend(below(&home.tool_backups(), 3)?);
    folders.extend(below(&home.tool_trash(), 2)?);
    let mut named = HashSet::new();
    for folder in folders {
        for entry in entries(&folder)? {
            // A file that lies elsewhere and is linked here counts as well.
            if entry.file_name().to_string_lossy().starts_with(".env") && entry.path().is_file() {
                named.extend(mentioned(&std::fs::read_to_string(entry.path())?));
            }
        }
    }
    Ok(named)
}

/// Every reference that stands anywhere in a text, in a comment too: a person may take a line out for a
/// while.
fn mentioned(text: &str) -> Vec<Reference> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '/');
    let places = text.match_indices(Reference::MARK).map(|(at, _)| &text[at..]);
    let words = places.map(|rest| &rest[..rest.find(|c| !plain(c)).unwrap_or(rest.len())]);
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Variables and references of the `.env` in a folder, and of copies that a person made of it beside.
pub(crate) fn named_in(folder: &Path) -> io::Result<Vec<(String, Reference)>> {
    let mut named = Vec::new();
    for entry in entries(folder)? {
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with(".env") || !entry.file_type()?.is_file() {
            continue;
        }
        let file = match EnvFile::load(&entry.path()) {
            Ok(file) => file,
            Err(crate::env_file::EnvFileError::Io { source, .. }) => return Err(source),
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        };
        named.extend(file.references());
    }
    Ok(named)
}

fn entries(folder: &Path) -> io::Result<Vec<std::fs::DirEntry>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Folders that are so many levels below.
fn below(folder: &Path, levels: usize) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![folder.to_owned()];
    for _ in 0..levels {
        let mut next = Vec::new();
        for folder in found {
            for entry in entries(&folder)? {
                if entry.file_type()?.is_dir() {
                    next.push(entry.path());
                }
            }
        }
        found = next;
    }
    Ok(found)
}
