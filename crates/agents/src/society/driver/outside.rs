//! What a society has outside: models, and tools that are not its own.

use super::super::event::{Call, Outcome};
use super::super::org::AgentId;
use super::super::state::State;
use async_trait::async_trait;
use base::Failure;
use llm::{Chat, Picture, Tool};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// For whom something is done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    pub task: String,
    pub agent: AgentId,
    /// As others call it, with its role: for records.
    pub name: String,
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Tokens, as the service counted them; where it does not say, they are estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<u64>,
}

/// What a service is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Tokens that its model can see, its answer among them.
    pub window: u64,
    /// Tokens that an answer may have, for what is held of a budget.
    pub output: u64,
    /// Whether its model can be shown pictures.
    pub pictures: bool,
    /// Millionths of the currency for a million tokens in and out.
    pub price: (u64, u64),
}

#[async_trait]
pub trait Outside: Send + Sync + 'static {
    /// Tools beside the society's own.
    async fn tools(&self, task: &str) -> Vec<Tool>;

    /// What the service of this name is like, or the default one.
    async fn terms(&self, service: Option<&str>) -> Result<Terms, Failure>;

    /// Asks a model. Dropped when nobody wants the answer any more.
    async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure>;

    /// Calls a tool. What went wrong is an outcome, which the model reads. When it is called off it returns soon.
    async fn call(&self, who: &Who, call: &Call, cancel: CancellationToken) -> Outcome;

    /// Whether a call does no harm when it is made again, where nobody knows whether it was.
    fn again(&self, tool: &str) -> bool;

    /// A picture of the gallery.
    async fn picture(&self, id: &str) -> Option<Picture>;

    /// The answer of an agent that is a program, and no model. Asked often: it takes no time.
    fn program(&self, _state: &State, _agent: AgentId) -> Option<Reply> {
        None
    }
}
