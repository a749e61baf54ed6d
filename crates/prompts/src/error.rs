//! What can go wrong, each with the code that words and callers know it by.

use base::{Args, Coded, args};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    #[error("no prompt {0:?}")]
    NotFound(String),
    #[error("{0:?} is not a path for a prompt")]
    BadPath(String),
    #[error("{0} is there already")]
    Exists(String),
    /// Somebody else wrote it since it was read.
    #[error("{0} has changed since it was read")]
    Changed(String),
    #[error("{path} is not a prompt (line {line}, column {column}): {reason}")]
    Invalid {
        path: String,
        /// Zero when unknown.
        line: u64,
        column: u64,
        reason: String,
    },
    #[error("{path} has {bytes} bytes, {limit} are possible")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("the library holds {limit} prompts, no more")]
    TooMany { limit: usize },
    #[error("values are missing: {}", .0.join(", "))]
    Missing(Vec<String>),
    #[error("{name} is to be {kind}")]
    BadValue { name: String, kind: &'static str },
    #[error("{path} has no version {version}")]
    NoVersion { path: String, version: String },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the index of the prompts")]
    Index(#[from] store::StoreError),
    #[error("there is nothing to improve")]
    Empty,
    #[error("a wish of 1 to {limit} characters is needed")]
    BadWish { limit: usize },
    /// Messages of the proposal are not those of the prompt.
    #[error("the answer is not in the form of the prompt")]
    AnswerShape,
    #[error(transparent)]
    Model(#[from] llm::ModelError),
    #[error("the prompts' folder cannot be watched")]
    Watch(#[from] notify::Error),
}

impl PromptError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        PromptError::Io {
            path: path.to_owned(),
            source,
        }
    }
}

impl Coded for PromptError {
    fn code(&self) -> &'static str {
        match self {
            PromptError::NotFound(_) => "prompt_not_found",
            PromptError::BadPath(_) => "prompt_path_invalid",
            PromptError::Exists(_) => "prompt_exists",
            PromptError::Changed(_) => "prompt_changed",
            PromptError::Invalid { .. } => "prompt_invalid",
            PromptError::TooLarge { .. } => "prompt_too_large",
            PromptError::TooMany { .. } => "prompts_too_many",
            PromptError::Missing(_) => "prompt_arguments_missing",
            PromptError::BadValue { .. } => "prompt_argument_invalid",
            PromptError::NoVersion { .. } => "prompt_version_not_found",
            PromptError::Io { .. } => "prompt_io",
            PromptError::Empty => "prompt_empty",
            PromptError::BadWish { .. } => "prompt_wish_invalid",
            PromptError::AnswerShape => "prompt_answer_shape",
            PromptError::Model(error) => error.code(),
            PromptError::Index(error) => error.code(),
            PromptError::Watch(_) => "prompts_not_watched",
        }
    }

    fn args(&self) -> Args {
        match self {
            PromptError::NotFound(prompt) => args! { prompt: prompt },
            PromptError::BadPath(path) | PromptError::Exists(path) | PromptError::Changed(path) => {
                args! { path: path }
            }
            PromptError::Invalid {
                path,
                line,
                column,
                reason,
            } => args! { path: path, line: line, column: column, reason: reason },
            PromptError::TooLarge { path, bytes, limit } => {
                args! { path: path, bytes: bytes, limit: limit }
            }
            PromptError::TooMany { limit } | PromptError::BadWish { limit } => args! { limit: limit },
            PromptError::Empty | PromptError::AnswerShape => args! {},
            PromptError::Model(error) => error.args(),
            PromptError::Missing(names) => args! { names: names.join(", ") },
            PromptError::BadValue { name, kind } => args! { name: name, kind: kind },
            PromptError::NoVersion { path, version } => args! { path: path, version: version },
            PromptError::Io { path, source } => args! { path: path, reason: source.to_string() },
            PromptError::Index(error) => error.args(),
            PromptError::Watch(error) => args! { reason: error.to_string() },
        }
    }
}
