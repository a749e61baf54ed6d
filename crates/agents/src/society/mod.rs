//! The rules of a society: who may do what to whom, what it may cost, and when it turns in circles.
//!
//! A task is its events ([`Event`]); [`State`] is what they make of it, a machine without clock, disk or model.
//! [`Society`] keeps the events, asks the models and calls the tools, so that it can be killed at any moment.

mod brief;
mod budget;
mod chat;
mod driver;
mod error;
mod event;
mod follow;
mod org;
mod state;
mod tail;
pub mod team;
mod tools;

pub use brief::TaskBrief;
pub use budget::{Amounts, Budget, Hold, Kind, Ledger};
pub use driver::{AtOnce, Gauge, Outside, Reply, Requirement, Society, Terms, Wanted, Who};
pub use error::SocietyError;
pub use event::{
    Artifact, ArtifactId, Call, Change, Event, Kind as MessageKind, Message, MessageId, Outcome, Party, Rest,
    RoleTemplate,
};
pub use org::{Address, Agent, AgentId, Org, ROOT, Receiver, Role, RoleId, State as AgentState};
pub use state::{Effect, Entry, Mind, PLAN, Posted, State};
pub use tail::Tail;
pub use tools::{is_own, offered};
