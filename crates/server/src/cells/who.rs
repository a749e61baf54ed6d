//! Who asked for a run, and what that one may.

use store::Actor;
use wire::{Access, Caller};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Who(Actor);

impl Who {
    pub(crate) fn of(actor: Actor) -> Self {
        Who(actor)
    }

    pub(crate) fn actor(&self) -> &Actor {
        &self.0
    }

    pub(crate) fn is_person(&self) -> bool {
        self.0.kind == "person"
    }

    pub(crate) fn is_client(&self) -> bool {
        self.0.kind == "mcp_client"
    }

    /// As the caller of what its cells call.
    pub(crate) fn caller(&self) -> Caller {
        let actor = crate::calls::wire_actor(self.0.clone());
        let access = match actor.kind {
            wire::ActorKind::Person => Access::Ui,
            wire::ActorKind::McpClient => Access::Client,
            wire::ActorKind::Agent | wire::ActorKind::Tool => Access::Agent,
        };
        Caller { access, actor }
    }
}
