//! Who did it, as records have it and as it is told.

use store::Actor;
use wire::Caller;

pub(super) fn actor_of(caller: &Caller) -> Actor {
    actor(&caller.actor)
}

/// As records have it.
pub(crate) fn actor(actor: &wire::Actor) -> Actor {
    let kind = match actor.kind {
        wire::ActorKind::Person => "person",
        wire::ActorKind::McpClient => "mcp_client",
        wire::ActorKind::Agent => "agent",
        wire::ActorKind::Tool => "tool",
    };
    Actor {
        kind: kind.to_owned(),
        name: actor.name.clone(),
    }
}

pub(crate) fn wire_actor(actor: Actor) -> wire::Actor {
    let kind = match actor.kind.as_str() {
        "mcp_client" => wire::ActorKind::McpClient,
        "agent" => wire::ActorKind::Agent,
        "tool" => wire::ActorKind::Tool,
        _ => wire::ActorKind::Person,
    };
    wire::Actor {
        kind,
        name: actor.name,
    }
}
