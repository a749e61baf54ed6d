//! What can go wrong with external servers.

use base::{Args, Coded, args};
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ExternalError {
    #[error("not a name for a server: {0}")]
    BadName(String),
    #[error("the entry of a server: {reason}")]
    BadEntry { reason: &'static str },
    #[error("not JSON: {0}")]
    BadText(String),
    #[error("no server in it")]
    NoServers,
    #[error("{what} has to be filled in")]
    Placeholder { what: String },
    #[error("the bundle: {reason}")]
    BadBundle { reason: String },
    #[error("the bundle is another one than was looked at")]
    OtherBundle,
    #[error("no uv on PATH")]
    NoUv,
    #[error("the old transport by SSE")]
    Sse,
    #[error("{0} is there already")]
    Exists(String),
    #[error("the new version of {server} does not start, the old one is back: {reason}")]
    TakenBack { server: String, reason: String },
    #[error("{0} servers are there already")]
    TooMany(usize),
    #[error("no server {0}")]
    Unknown(String),
    #[error("{server} has no tool {tool}")]
    UnknownTool { server: String, tool: String },
    #[error("{server} is switched off")]
    Off { server: String },
    #[error("{tool} of {server} is switched off")]
    ToolOff { server: String, tool: String },
    #[error("{tool} of {server} waits to be approved")]
    Held { server: String, tool: String },
    #[error("{tool} of {server} is described otherwise by now")]
    Moved { server: String, tool: String },
    #[error("{server} failed, and is tried again in {seconds} s")]
    BackingOff { server: String, seconds: u64 },
    #[error("{server} could not be started: {reason}")]
    Start { server: String, reason: String },
    #[error("there is no connection to {server}: {reason}")]
    Unreachable { server: String, reason: String },
    #[error("{server} said nothing for {seconds} s")]
    Silent { server: String, seconds: u64 },
    #[error("{server} ended: {how}")]
    Ended { server: String, how: String },
    #[error("{server} refused: {reason}")]
    Refused { server: String, reason: String },
    #[error("{server} does not keep to the protocol: {reason}")]
    Protocol { server: String, reason: String },
    #[error("too much from {server}: {what}, more than {limit}")]
    TooLarge {
        server: String,
        what: &'static str,
        limit: usize,
    },
    #[error("{server} has {limit} calls already")]
    Busy { server: String, limit: usize },
    #[error("cancelled")]
    Cancelled,
    #[error("{0} belongs to the data home")]
    Reserved(PathBuf),
    #[error("{path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Coded for ExternalError {
    fn code(&self) -> &'static str {
        match self {
            ExternalError::BadName(_) => "external_bad_name",
            ExternalError::BadEntry { .. } => "external_bad_entry",
            ExternalError::BadText(_) => "external_bad_text",
            ExternalError::NoServers => "external_no_servers",
            ExternalError::Placeholder { .. } => "external_placeholder",
            ExternalError::BadBundle { .. } => "external_bad_bundle",
            ExternalError::OtherBundle => "external_other_bundle",
            ExternalError::NoUv => "external_no_uv",
            ExternalError::Sse => "external_sse",
            ExternalError::Exists(_) => "external_exists",
            ExternalError::TakenBack { .. } => "external_taken_back",
            ExternalError::TooMany(_) => "external_too_many",
            ExternalError::Unknown(_) => "external_unknown",
            ExternalError::UnknownTool { .. } => "external_unknown_tool",
            ExternalError::Off { .. } => "external_off",
            ExternalError::ToolOff { .. } => "external_tool_off",
            ExternalError::Held { .. } => "external_held",
            ExternalError::Moved { .. } => "external_moved",
            ExternalError::BackingOff { .. } => "external_backing_off",
            ExternalError::Start { .. } => "external_start",
            ExternalError::Unreachable { .. } => "external_unreachable",
            ExternalError::Silent { .. } => "external_silent",
            ExternalError::Ended { .. } => "external_ended",
            ExternalError::Refused { .. } => "external_refused",
            ExternalError::Protocol { .. } => "external_protocol",
            ExternalError::TooLarge { .. } => "external_too_large",
            ExternalError::Busy { .. } => "external_busy",
            ExternalError::Cancelled => "cancelled",
            ExternalError::Reserved(_) => "directory_reserved",
            ExternalError::Io { .. } => "external_io",
        }
    }

    fn args(&self) -> Args {
        match self {
            ExternalError::BadName(name) => args! { name: name },
            ExternalError::BadEntry { reason } => args! { reason: *reason },
            ExternalError::BadText(reason) => args! { reason: reason },
            ExternalError::NoServers
            | ExternalError::OtherBundle
            | ExternalError::NoUv
            | ExternalError::Sse
            | ExternalError::Cancelled => args! {},
            ExternalError::BadBundle { reason } => args! { reason: reason },
            ExternalError::Placeholder { what } => args! { what: what },
            ExternalError::Exists(server) | ExternalError::Unknown(server) => args! { server: server },
            ExternalError::TakenBack { server, reason } => args! { server: server, reason: reason },
            ExternalError::TooMany(limit) => args! { limit: *limit },
            ExternalError::UnknownTool { server, tool }
            | ExternalError::ToolOff { server, tool }
            | ExternalError::Held { server, tool }
            | ExternalError::Moved { server, tool } => args! { server: server, tool: tool },
            ExternalError::Off { server } => args! { server: server },
            ExternalError::BackingOff { server, seconds } | ExternalError::Silent { server, seconds } => {
                args! { server: server, seconds: *seconds }
            }
            ExternalError::Start { server, reason }
            | ExternalError::Unreachable { server, reason }
            | ExternalError::Refused { server, reason }
            | ExternalError::Protocol { server, reason } => args! { server: server, reason: reason },
            ExternalError::Ended { server, how } => args! { server: server, how: how },
            ExternalError::TooLarge { server, what, limit } => {
                args! { server: server, what: *what, limit: *limit }
            }
            ExternalError::Busy { server, limit } => args! { server: server, limit: *limit },
            ExternalError::Reserved(path) => args! { path: path },
            ExternalError::Io { path, source } => args! { path: path, reason: source.to_string() },
        }
    }
}
