//! What can go wrong with skills, each with the code that words and callers know it by.

use super::name::SkillName;
use crate::PromptError;
use base::{Args, Coded, args};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    #[error("no skill {0:?}")]
    NotFound(String),
    #[error("{0:?} is not a name for a skill")]
    BadName(String),
    #[error("a description has 1 to {limit} characters, not {chars}")]
    BadDescription { chars: usize, limit: usize },
    #[error("there is a skill {0} already")]
    Exists(SkillName),
    /// Somebody else wrote it since it was read.
    #[error("{0} has changed since it was read")]
    Changed(SkillName),
    #[error("{0} holds no SKILL.md")]
    NoSkill(PathBuf),
    #[error("{path}: more than {limit} {what}")]
    TooBig {
        path: PathBuf,
        what: &'static str,
        limit: u64,
    },
    #[error("{path} is no file of the skill {skill}")]
    NoFile { skill: SkillName, path: String },
    #[error("{path} is not UTF-8 text")]
    NotText { path: PathBuf },
    #[error("{skill} has no version {version}")]
    NoVersion { skill: SkillName, version: String },
    #[error("no client {name:?}; known: {known}")]
    UnknownClient { name: String, known: String },
    #[error("{client} is not turned on")]
    ClientOff { client: String },
    /// There is nothing to decide.
    #[error("{0} is no conflict")]
    NoConflict(PathBuf),
    /// What lies there cannot be kept safe, so it is not touched.
    #[error("{0} cannot be kept")]
    NotKept(PathBuf),
    #[error("{0} lies in the folder of the skills, or holds it")]
    Overlaps(PathBuf),
    #[error("{path}: {reason}")]
    State { path: PathBuf, reason: String },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Text(#[from] PromptError),
}

impl SkillError {
    pub(crate) fn io(path: &Path, source: impl Into<io::Error>) -> Self {
        SkillError::Io {
            path: path.to_owned(),
            source: source.into(),
        }
    }

    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, SkillError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl Coded for SkillError {
    fn code(&self) -> &'static str {
        match self {
            SkillError::NotFound(_) => "skill_not_found",
            SkillError::BadName(_) => "skill_name_invalid",
            SkillError::BadDescription { .. } => "skill_description_invalid",
            SkillError::Exists(_) => "skill_exists",
            SkillError::Changed(_) => "skill_changed",
            SkillError::NoSkill(_) => "skill_missing",
            SkillError::TooBig { .. } => "skill_too_big",
            SkillError::NoFile { .. } => "skill_file_not_found",
            SkillError::NotText { .. } => "skill_not_text",
            SkillError::NoVersion { .. } => "skill_version_not_found",
            SkillError::UnknownClient { .. } => "skill_client_unknown",
            SkillError::ClientOff { .. } => "skill_client_off",
            SkillError::NoConflict(_) => "skill_no_conflict",
            SkillError::NotKept(_) => "skill_not_kept",
            SkillError::Overlaps(_) => "skill_folder_overlaps",
            SkillError::State { .. } => "skill_state_invalid",
            SkillError::Io { .. } => "skill_io",
            SkillError::Text(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            SkillError::NotFound(name) | SkillError::BadName(name) => args! { name: name },
            SkillError::BadDescription { chars, limit } => args! { chars: chars, limit: limit },
            SkillError::Exists(name) | SkillError::Changed(name) => args! { name: name.as_str() },
            SkillError::NoSkill(path)
            | SkillError::NotText { path }
            | SkillError::NoConflict(path)
            | SkillError::NotKept(path)
            | SkillError::Overlaps(path) => args! { path: path },
            SkillError::TooBig { path, what, limit } => args! { path: path, what: what, limit: limit },
            SkillError::NoFile { skill, path } => args! { name: skill.as_str(), path: path },
            SkillError::NoVersion { skill, version } => args! { name: skill.as_str(), version: version },
            SkillError::UnknownClient { name, known } => args! { name: name, known: known },
            SkillError::ClientOff { client } => args! { name: client },
            SkillError::State { path, reason } => args! { path: path, reason: reason },
            SkillError::Io { path, source } => args! { path: path, reason: source.to_string() },
            SkillError::Text(error) => error.args(),
        }
    }
}
