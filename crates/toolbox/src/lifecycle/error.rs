//! Why a tool does not come, or does not go.

use base::name::{BadToolName, ToolName};
use base::{Args, Coded, Failure, args};
use npm::intake::{IntakeError, Refused};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum LifecycleError {
    #[error("there is nothing at {0}")]
    SourceMissing(String),
    #[error("{0} is neither a folder, an archive, a .tool.js, a .tool.py nor a package")]
    SourceUnknown(String),
    #[error("nobody knows where {0} came from")]
    SourceForgotten(ToolName),
    #[error("{at}: {refused}")]
    Refused {
        at: String,
        #[source]
        refused: Refused,
    },
    #[error("{0} holds no *.tool.js or *.tool.py")]
    NoTool(String),
    #[error("{at} holds several: {found:?}")]
    ManyTools { at: String, found: Vec<String> },
    #[error(transparent)]
    Name(#[from] BadToolName),
    #[error("{tool} {version} is there")]
    Exists { tool: ToolName, version: String },
    #[error("{0} comes with the program")]
    BuiltIn(ToolName),
    #[error("{found} is not {wanted}")]
    OtherTool { wanted: ToolName, found: ToolName },
    #[error("{0} is not what was looked at")]
    Changed(String),
    #[error("the tool does not ask for {kind} {value}")]
    NotAsked { kind: String, value: String },
    #[error("{tool} has no kept version {version}")]
    NoVersion { tool: ToolName, version: String },
    #[error("{0} is not in the trash")]
    NotRemoved(String),
    #[error("no tool came from the old layout")]
    NothingMoved,
    /// What came did not work in its place; what was there is there again.
    #[error("{tool} {version} was taken back: {because}")]
    TakenBack {
        tool: ToolName,
        version: String,
        because: Box<Failure>,
    },
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl LifecycleError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        LifecycleError::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(super) fn intake(at: &str, error: IntakeError) -> Self {
        match error {
            IntakeError::Refused(refused) => LifecycleError::refused(at, refused),
            IntakeError::Io { path, source } => LifecycleError::Io { path, source },
        }
    }

    pub(super) fn refused(at: &str, refused: Refused) -> Self {
        LifecycleError::Refused {
            at: at.to_owned(),
            refused,
        }
    }
}

impl Coded for LifecycleError {
    fn code(&self) -> &'static str {
        match self {
            LifecycleError::SourceMissing(_) => "tool_source_missing",
            LifecycleError::SourceUnknown(_) => "tool_source_unknown",
            LifecycleError::SourceForgotten(_) => "tool_source_forgotten",
            LifecycleError::Refused { refused, .. } => match refused {
                Refused::Bytes(_) => "tool_source_too_large",
                Refused::Entries(_) => "tool_source_too_many_files",
                Refused::Broken(_) | Refused::Short(_) => "tool_source_broken",
                Refused::Empty => "tool_source_without_tool",
                Refused::Path { .. } | Refused::NotText | Refused::Kind { .. } | Refused::Same { .. } => {
                    "tool_source_hostile"
                }
            },
            LifecycleError::NoTool(_) => "tool_source_without_tool",
            LifecycleError::ManyTools { .. } => "tool_source_with_many",
            LifecycleError::Name(error) => error.code(),
            LifecycleError::Exists { .. } => "tool_exists",
            LifecycleError::BuiltIn(_) => "tool_is_built_in",
            LifecycleError::OtherTool { .. } => "tool_source_of_another",
            LifecycleError::Changed(_) => "tool_source_changed",
            LifecycleError::NotAsked { .. } => "tool_permission_not_asked",
            LifecycleError::NoVersion { .. } => "tool_version_unknown",
            LifecycleError::NotRemoved(_) => "tool_not_removed",
            LifecycleError::NothingMoved => "tool_migration_nothing",
            LifecycleError::TakenBack { .. } => "tool_taken_back",
            LifecycleError::Io { .. } => "toolbox_io",
        }
    }

    fn args(&self) -> Args {
        match self {
            LifecycleError::SourceMissing(source)
            | LifecycleError::SourceUnknown(source)
            | LifecycleError::NoTool(source)
            | LifecycleError::Changed(source) => args! { source: source },
            LifecycleError::SourceForgotten(tool) | LifecycleError::BuiltIn(tool) => {
                args! { tool: tool.as_str() }
            }
            LifecycleError::Refused { at, refused } => match refused {
                Refused::Bytes(limit) => args! { source: at, limit: limit / (1 << 20) },
                Refused::Entries(limit) => args! { source: at, limit: limit },
                other => args! { source: at, reason: other.to_string() },
            },
            LifecycleError::ManyTools { at, found } => args! { source: at, found: found.join(", ") },
            LifecycleError::Name(error) => error.args(),
            LifecycleError::Exists { tool, version } | LifecycleError::NoVersion { tool, version } => {
                args! { tool: tool.as_str(), version: version }
            }
            LifecycleError::OtherTool { wanted, found } => {
                args! { tool: wanted.as_str(), found: found.as_str() }
            }
            LifecycleError::NotAsked { kind, value } => args! { kind: kind, value: value },
            LifecycleError::NotRemoved(id) => args! { id: id },
            LifecycleError::NothingMoved => args! {},
            LifecycleError::TakenBack {
                tool,
                version,
                because,
            } => {
                args! { tool: tool.as_str(), version: version, because: because.code, why: why(because) }
            }
            LifecycleError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}

/// What the tool itself said, or the code that it failed with.
fn why(failure: &Failure) -> String {
    let reason = failure.arg("reason").and_then(serde_json::Value::as_str);
    base::text::cut(reason.unwrap_or(&failure.code), 300)
}
