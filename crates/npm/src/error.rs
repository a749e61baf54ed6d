//! What can go wrong, each with the code that words and callers know it by.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cloneable: one failed request may be asked for by many dependents.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NpmError {
    #[error("not a package name: {0:?}")]
    BadName(String),
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: Arc<io::Error>,
    },
    #[error("{path} is not valid: {reason}")]
    Format { path: PathBuf, reason: String },
    #[error("{name}@{spec}: {kind} dependencies cannot be installed")]
    SpecUnsupported {
        name: String,
        spec: String,
        kind: &'static str,
    },
    #[error("{name} is not in the registry")]
    PackageNotFound { name: String },
    #[error("no version of {name} matches {spec}")]
    NoVersion { name: String, spec: String },
    #[error("the registry refused {name}: HTTP {status}")]
    Refused { name: String, status: u16 },
    #[error("{name} could not be fetched: {reason}")]
    Network { name: String, reason: String },
    #[error("offline, and not in the cache: {}", missing.join(", "))]
    Offline { missing: Vec<String> },
    #[error("{name}: the tarball is not what the lock or the registry says ({found} instead of {expected})")]
    Integrity {
        name: String,
        expected: String,
        found: String,
    },
    #[error("{name}: refused: {reason}")]
    Hostile { name: String, reason: String },
    #[error("{name}@{version} is for {wanted}, not for this machine")]
    Platform {
        name: String,
        version: String,
        wanted: String,
    },
    #[error("{from} wants {name}@{spec} beside it, but {found} is there")]
    PeerConflict {
        from: String,
        name: String,
        spec: String,
        found: String,
    },
    #[error("package-lock.json does not answer package.json: {}", missing.join(", "))]
    LockStale { missing: Vec<String> },
    #[error("the setting {key} of .npmrc: {reason}")]
    Setting { key: String, reason: String },
    #[error("{package}: its {event} script failed with {code}")]
    Script {
        package: String,
        event: &'static str,
        /// Of the process; 128 and the number of a signal that ended it.
        code: i32,
        /// The end of what it said.
        said: String,
    },
    #[error("{package}: its scripts could not be run: {failure}")]
    ScriptNotRun {
        package: String,
        failure: Box<base::Failure>,
    },
    #[error("{name} lies in a git repository, and there is no git")]
    GitMissing { name: String },
    #[error("{name} could not be had from its git repository: {reason}")]
    Git { name: String, reason: String },
    #[error("not finished after {seconds} s")]
    Timeout { seconds: u64 },
    #[error("{0}")]
    Internal(String),
}

impl NpmError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        NpmError::Io {
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }
    pub(crate) fn hostile(name: &str, reason: impl Into<String>) -> Self {
        NpmError::Hostile {
            name: name.to_owned(),
            reason: reason.into(),
        }
    }
}

impl base::Coded for NpmError {
    fn code(&self) -> &'static str {
        match self {
            NpmError::BadName(_) => "package_name_invalid",
            NpmError::Io { .. } => "package_io",
            NpmError::Format { .. } => "package_file_invalid",
            NpmError::SpecUnsupported { .. } => "package_spec_unsupported",
            NpmError::PackageNotFound { .. } | NpmError::NoVersion { .. } => "package_not_found",
            NpmError::Refused { .. } => "package_refused",
            NpmError::Network { .. } => "package_network",
            NpmError::Offline { .. } => "package_offline",
            NpmError::Integrity { .. } => "package_integrity",
            NpmError::Hostile { .. } => "package_hostile",
            NpmError::Platform { .. } => "package_platform",
            NpmError::PeerConflict { .. } => "package_peer_conflict",
            NpmError::LockStale { .. } => "package_lock_stale",
            NpmError::Setting { .. } => "package_setting",
            NpmError::Script { .. } => "package_script_failed",
            NpmError::ScriptNotRun { .. } => "package_script_not_run",
            NpmError::GitMissing { .. } => "package_git_missing",
            NpmError::Git { .. } => "package_git",
            NpmError::Timeout { .. } => "package_timeout",
            NpmError::Internal(_) => "internal",
        }
    }

    fn args(&self) -> base::Args {
        match self {
            NpmError::BadName(name) | NpmError::GitMissing { name } => base::args! { name: name },
            NpmError::Io { path, source } => base::args! { path: path, reason: source.to_string() },
            NpmError::Format { path, reason } => base::args! { path: path, reason: reason },
            NpmError::SpecUnsupported { name, spec, kind } => {
                base::args! { name: name, spec: spec, kind: kind }
            }
            NpmError::PackageNotFound { name } => base::args! { name: name, spec: "*" },
            NpmError::NoVersion { name, spec } => base::args! { name: name, spec: spec },
            NpmError::Refused { name, status } => base::args! { name: name, status: status },
            NpmError::Network { name, reason }
            | NpmError::Hostile { name, reason }
            | NpmError::Git { name, reason } => {
                base::args! { name: name, reason: reason }
            }
            NpmError::Offline { missing } | NpmError::LockStale { missing } => {
                base::args! { missing: missing.join(", ") }
            }
            NpmError::Integrity {
                name,
                expected,
                found,
            } => {
                base::args! { name: name, expected: expected, found: found }
            }
            NpmError::Platform {
                name,
                version,
                wanted,
            } => base::args! { name: name, version: version, wanted: wanted },
            NpmError::PeerConflict {
                from,
                name,
                spec,
                found,
            } => base::args! { from: from, name: name, spec: spec, found: found },
            NpmError::Setting { key, reason } => base::args! { key: key, reason: reason },
            NpmError::Script {
                package,
                event,
                code,
                said,
            } => base::args! { package: package, event: event, code: code, said: said },
            NpmError::ScriptNotRun { package, failure } => {
                base::args! { package: package, reason: failure.to_string() }
            }
            NpmError::Timeout { seconds } => base::args! { seconds: seconds },
            NpmError::Internal(_) => base::Args::new(),
        }
    }
}
