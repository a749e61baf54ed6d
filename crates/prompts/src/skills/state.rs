//! What was put into the folders of clients, in one small file of the data home. It is written before
//! something is put anywhere, with what will be there, and after it: so whatever a kill leaves is known.

use super::error::SkillError;
use base::atomic::{self, Access};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

/// More than the places of all skills at all clients take.
const MOST: u64 = 16 * 1024 * 1024;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// By the path at the client.
    pub placed: BTreeMap<String, Placed>,
    /// Conflicts that a person left as they are: the path, and what lay there.
    pub left: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Placed {
    pub client: String,
    pub skill: String,
    /// Where a link of ours leads, or led before the data home was moved.
    pub targets: Vec<String>,
    /// Fingerprints of copies that we wrote and that may lie there; none when it is a link.
    pub wrote: Vec<String>,
}

impl Placed {
    pub(super) fn leads_to(&self, target: &Path) -> bool {
        self.targets.iter().any(|known| Path::new(known) == target)
    }
}

impl State {
    pub(super) fn read(path: &Path) -> Result<State, SkillError> {
        let broken = |reason: String| SkillError::State {
            path: path.to_owned(),
            reason,
        };
        let bytes = match fs::metadata(path) {
            Ok(metadata) if metadata.len() > MOST => return Err(broken(format!("{} bytes", metadata.len()))),
            Ok(_) => fs::read(path).map_err(|source| SkillError::io(path, source))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
            Err(source) => return Err(SkillError::io(path, source)),
        };
        serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), SkillError> {
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| SkillError::State {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        atomic::write_with_dirs(path, &bytes, Access::Private).map_err(|source| SkillError::io(path, source))
    }
}
