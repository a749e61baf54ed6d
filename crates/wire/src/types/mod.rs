//! Parameter and result types of the table. Units are in the names or the comments.

mod approval;
mod artifact;
mod assistant;
mod cells;
mod check;
mod command;
mod connect;
mod external;
mod grant;
mod lifecycle;
mod model;
mod network;
mod npm;
mod prompt;
mod run;
mod server;
mod shipped;
mod skill;
mod society;
mod terminal;
mod token;
mod tool;
mod workspace;

pub use approval::*;
pub use artifact::*;
pub use assistant::*;
pub use cells::*;
pub use check::*;
pub use command::*;
pub use connect::*;
pub use external::*;
pub use grant::*;
pub use lifecycle::*;
pub use model::*;
pub use network::*;
pub use npm::*;
pub use prompt::*;
pub use run::*;
pub use server::*;
pub use shipped::*;
pub use skill::*;
pub use society::*;
pub use terminal::*;
pub use token::*;
pub use tool::*;
pub use workspace::*;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// No parameters: `{}`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
#[ts(type = "Record<string, never>")]
pub struct None {}

/// It was done; there is nothing to say about it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, TS)]
#[ts(type = "Record<string, never>")]
pub struct Done {}

/// A text for people or models, usually Markdown.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Text {
    pub text: String,
}

/// A window of a newest-first list.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Page {
    pub offset: u32,
    /// At most 500.
    pub limit: u32,
}

impl Default for Page {
    fn default() -> Self {
        Page {
            offset: 0,
            limit: 100,
        }
    }
}

/// How an error looks to everyone outside (STYLE 5): the code is stable, the words are in the
/// user's language.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct WireError {
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    #[ts(type = "Record<string, unknown>")]
    pub args: base::Args,
}

/// One entry of the event stream (CONTRACT, "Events").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct WireEvent {
    /// `epoch:seq`; give it back to continue from here.
    pub cursor: String,
    pub kind: String,
    pub tags: Vec<String>,
    #[ts(type = "unknown")]
    pub data: serde_json::Value,
}

fn is_false(value: &bool) -> bool {
    !value
}
