//! What a row of the table says beside its types, and who is calling.

use base::Failure;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Who may make a call. Ordered: an agent may do what only needs `Agent`, a person everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Models: through MCP or as agents of a society.
    Agent,
    /// Programs that hold a token.
    Client,
    /// The person: window, web page of a one-time link, `pm` over the owner's socket.
    Ui,
}

/// Whether a call changes something; only those take an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Changes,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CallInfo {
    pub name: &'static str,
    pub access: Access,
    pub effect: Effect,
    /// What a read shows or a change makes stale.
    pub tags: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ActorKind {
    Person,
    McpClient,
    Agent,
    Tool,
}

/// Who a run or an audit row is charged to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Actor {
    pub kind: ActorKind,
    /// `pm`, `web`, a token's name, a client's name…
    pub name: String,
}

/// The authenticated side of a call.
#[derive(Clone, Debug)]
pub struct Caller {
    pub access: Access,
    pub actor: Actor,
}

impl Caller {
    pub fn person(name: &str) -> Self {
        Caller {
            access: Access::Ui,
            actor: Actor {
                kind: ActorKind::Person,
                name: name.to_owned(),
            },
        }
    }

    pub fn mcp_client(name: &str) -> Self {
        Caller {
            access: Access::Client,
            actor: Actor {
                kind: ActorKind::McpClient,
                name: name.to_owned(),
            },
        }
    }

    /// Refuses a call that this caller may not make.
    pub fn check(&self, call: &CallInfo) -> Result<(), Failure> {
        if self.access >= call.access {
            return Ok(());
        }
        Err(Failure::new("access_denied").with("call", call.name))
    }
}
