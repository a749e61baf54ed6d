//! Files: which servers there are (`servers/servers.json`, 0600: their variables are in it) and what is
//! known of each one's tools (`servers/NAME/tools.json`).

use super::definitions::Known;
use super::error::ExternalError;
use base::atomic::{self, Access};
use base::name::ToolName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use wire::ExternalEntry;

const FILE: &str = "servers.json";
const TOOLS: &str = "tools.json";

/// A server as a person has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    pub(crate) entry: ExternalEntry,
    pub(crate) enabled: bool,
    /// Its program lies in a bundle, beside its own folder.
    pub(crate) bundle: bool,
    /// The folder of that, once it was renewed.
    pub(crate) folder: Option<String>,
    /// What a person set of the bundle.
    pub(crate) values: BTreeMap<String, String>,
    /// Values of its entry that are secret whatever they look like.
    pub(crate) hidden: Vec<String>,
    /// Tools that are switched off.
    pub(crate) off: BTreeSet<String>,
}

impl Default for Kept {
    fn default() -> Self {
        Kept {
            entry: ExternalEntry::default(),
            enabled: true,
            bundle: false,
            folder: None,
            values: BTreeMap::new(),
            hidden: Vec::new(),
            off: BTreeSet::new(),
        }
    }
}

impl Kept {
    pub(crate) fn bundle_folder(&self) -> &str {
        self.folder.as_deref().unwrap_or(super::rights::BUNDLE)
    }

    /// What must not stand in any record.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let mut all = super::entry::secrets(&self.entry);
        all.extend(self.hidden.iter().cloned());
        all
    }

    /// What is shown of its entry, without those.
    pub(crate) fn masked(&self, text: &str) -> String {
        toolbox::run_log::Secrets::new(self.hidden.iter().cloned()).mask(text)
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct File {
    servers: BTreeMap<ToolName, Kept>,
}

/// Blocks.
pub(crate) fn read_all(folder: &Path) -> Result<BTreeMap<ToolName, Kept>, ExternalError> {
    Ok(read::<File>(&folder.join(FILE))?.unwrap_or_default().servers)
}

/// Blocks.
pub(crate) fn write_all(folder: &Path, servers: BTreeMap<ToolName, Kept>) -> Result<(), ExternalError> {
    write(&folder.join(FILE), &File { servers })
}

/// What cannot be read is as if it had never been listed, but approves nothing by itself. Blocks.
pub(crate) fn read_known(folder: &Path) -> Known {
    match read(&folder.join(TOOLS)) {
        Ok(known) => known.unwrap_or_default(),
        Err(error) => {
            tracing::error!(error = %base::failure::chain(&error), "what is known of an external server");
            Known {
                listed: true,
                ..Known::default()
            }
        }
    }
}

/// Blocks.
pub(crate) fn write_known(folder: &Path, known: &Known) -> Result<(), ExternalError> {
    write(&folder.join(TOOLS), known)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ExternalError> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| failed(path)(io::Error::new(io::ErrorKind::InvalidData, error))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path)(error)),
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), ExternalError> {
    let text = serde_json::to_vec_pretty(value).map_err(|error| failed(path)(error.into()))?;
    atomic::write_with_dirs(path, &text, Access::Private).map_err(failed(path))
}

pub(crate) fn failed(path: &Path) -> impl FnOnce(io::Error) -> ExternalError {
    let path: PathBuf = path.to_owned();
    move |source| ExternalError::Io { path, source }
}
