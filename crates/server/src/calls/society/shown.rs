//! A task of a society as wire types.

use super::super::wire_actor;
use crate::words::worded;
use agents::society::{
    AgentId, AgentState, Amounts, Budget, Effect, Entry, Gauge, MessageKind, Party, Posted, Rest, State,
};
use base::Lang;
use std::collections::HashMap;
use store::SocietyTask;
use wire::{
    SocietyAgent, SocietyAgentState, SocietyArtifact, SocietyBudget, SocietyCall, SocietyEntry,
    SocietyMessage, SocietyMessageKind, SocietyParty, SocietyRow, SocietySpent, SocietyStanding, SocietyView,
};

/// Characters of an objective; the whole is in the agent's first message.
const OBJECTIVE: usize = 300;

pub(super) fn number(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(super) fn row(task: SocietyTask) -> SocietyRow {
    let shown = task.shown;
    SocietyRow {
        id: task.id,
        title: task.title,
        standing: match () {
            () if shown.stopped => SocietyStanding::Stopped,
            () if shown.paused => SocietyStanding::Paused,
            () if shown.busy => SocietyStanding::Working,
            () => SocietyStanding::Waiting,
        },
        created_at: task.created_at as f64,
        changed_at: task.changed_at as f64,
        version: number(task.events),
        agents: shown.agents,
        messages: shown.messages,
        told: shown.told,
        actor: wire_actor(task.actor),
        removed_at: task.removed_at.map(|at| at as f64),
    }
}

pub(super) fn view(
    task: SocietyTask,
    state: &State,
    gauges: &HashMap<AgentId, Gauge>,
    lang: Lang,
) -> SocietyView {
    let versions = number(task.events);
    let mut row = row(task);
    // Of the state, which may be an earlier one.
    row.version = number(state.events());
    row.standing = match () {
        () if state.is_stopped() => SocietyStanding::Stopped,
        () if state.paused().is_some() => SocietyStanding::Paused,
        () if state.is_busy() => SocietyStanding::Working,
        () => SocietyStanding::Waiting,
    };
    row.agents = number(state.org().agents().count() as u64);
    row.messages = number(state.messages().len() as u64);
    row.told = number(state.told_user() as u64);
    let agents = state.org().agents().map(|(id, _)| agent(state, id, gauges, lang));
    let artifacts = state.artifacts().iter().zip(1u32..);
    SocietyView {
        text: state.text().to_owned(),
        replays: state.replays().map(str::to_owned),
        failure: state.paused().flatten().map(|failure| worded(failure, lang)),
        agents: agents.collect(),
        artifacts: artifacts
            .map(|(artifact, id)| SocietyArtifact {
                id,
                by: number(artifact.by.0),
                name: artifact.name.clone(),
                kind: artifact.kind.clone(),
                size: number(artifact.content.len() as u64),
            })
            .collect(),
        versions,
        workspace_path: None,
        task: row,
    }
}

fn agent(state: &State, id: AgentId, gauges: &HashMap<AgentId, Gauge>, lang: Lang) -> SocietyAgent {
    let (org, mind) = (state.org(), state.mind(id));
    let agent = org.agent(id).ok();
    let rest = mind
        .and_then(|mind| mind.rest())
        .filter(|_| mind.is_some_and(|mind| !mind.in_turn()));
    let effect = state.effect(id);
    let at = match (agent.map(|agent| agent.state), &effect, rest) {
        (Some(AgentState::Terminating | AgentState::Terminated), _, _) => SocietyAgentState::Ended,
        (_, Some(Effect::Call { .. }), _) => SocietyAgentState::Calling,
        (_, Some(Effect::Ask { .. }), _) => SocietyAgentState::Thinking,
        (_, _, Some(Rest::Failed { .. })) => SocietyAgentState::Failed,
        (_, _, Some(Rest::Waiting { .. })) => SocietyAgentState::Waiting,
        _ => SocietyAgentState::Resting,
    };
    let objective = match agent.and_then(|agent| agent.parent) {
        None => state.text(),
        Some(_) => agent.map_or("", |agent| agent.brief.objective.as_str()),
    };
    let context = gauges
        .get(&id)
        .map(|gauge| gauge.tokens as f64 / gauge.window.max(1) as f64);
    SocietyAgent {
        id: number(id.0),
        parent: agent
            .and_then(|agent| agent.parent)
            .map(|parent| number(parent.0)),
        role: org.role_of(id).map(|role| role.name.clone()),
        objective: base::text::cut(objective, OBJECTIVE),
        tool: match at {
            SocietyAgentState::Calling => mind.and_then(|mind| mind.calls()).map(|call| call.name.clone()),
            _ => None,
        },
        failure: match rest {
            Some(Rest::Failed { failure }) => Some(worded(failure, lang)),
            _ => None,
        },
        state: at,
        inbox: mind.map_or(0, |mind| number(mind.inbox().len() as u64)),
        spent: spent(state.spent(id)),
        budget: agent.map(|agent| shown_budget(agent.budget)).unwrap_or_default(),
        context: context.map(|full| full.clamp(0.0, 1.0)),
    }
}

fn spent(amounts: Amounts) -> SocietySpent {
    let Amounts {
        tokens,
        money,
        time,
        calls,
        agents,
    } = amounts;
    SocietySpent {
        tokens,
        money,
        time,
        calls,
        agents,
    }
}

fn shown_budget(budget: Budget) -> SocietyBudget {
    let Budget {
        tokens,
        money,
        time,
        calls,
        agents,
        depth,
    } = budget;
    SocietyBudget {
        tokens,
        money,
        time,
        calls,
        agents,
        depth,
    }
}

pub(super) fn budget_of(budget: SocietyBudget) -> Budget {
    let SocietyBudget {
        tokens,
        money,
        time,
        calls,
        agents,
        depth,
    } = budget;
    Budget {
        tokens,
        money,
        time,
        calls,
        agents,
        depth,
    }
}

/// Whether a message is one that is asked for.
pub(super) fn is_of(posted: &Posted, agent: Option<u32>, person: bool) -> bool {
    let both = [posted.message.from, posted.message.to];
    let agent = agent.map(|id| Party::Agent(AgentId(u64::from(id))));
    agent.is_none_or(|agent| both.contains(&agent)) && (!person || both.contains(&Party::User))
}

pub(super) fn message_of(posted: &Posted, id: u32) -> SocietyMessage {
    let message = &posted.message;
    SocietyMessage {
        id,
        from: party(message.from),
        to: party(message.to),
        kind: match message.kind {
            MessageKind::Sent => SocietyMessageKind::Sent,
            MessageKind::Brief => SocietyMessageKind::Brief,
            MessageKind::Answer => SocietyMessageKind::Answer,
            MessageKind::Notice => SocietyMessageKind::Notice,
        },
        text: message.text.clone(),
        artifacts: message.artifacts.iter().map(|id| number(*id)).collect(),
        at: posted.at as f64,
    }
}

fn party(party: Party) -> SocietyParty {
    match party {
        Party::User => SocietyParty::User,
        Party::Society => SocietyParty::Society,
        Party::Agent(id) => SocietyParty::Agent(number(id.0)),
    }
}

/// What an agent remembers, each answer with what its calls gave.
pub(super) fn entry_of(state: &State, memory: &[Entry]) -> Vec<SocietyEntry> {
    let mut shown: Vec<SocietyEntry> = Vec::with_capacity(memory.len());
    // Of the last answer, how many of its calls have given something.
    let mut given = 0;
    for entry in memory {
        match entry {
            Entry::Message(id) => {
                if let Some(posted) = state.message(*id) {
                    shown.push(SocietyEntry::Message(message_of(posted, number(*id))));
                }
            }
            Entry::Said { text, calls } => {
                given = 0;
                let calls = calls.iter().map(|call| SocietyCall {
                    tool: call.name.clone(),
                    arguments: call.arguments.clone(),
                    result: None,
                    is_error: false,
                    pictures: Vec::new(),
                });
                shown.push(SocietyEntry::Said {
                    text: text.clone(),
                    calls: calls.collect(),
                });
            }
            Entry::Gave { outcome, .. } => {
                let said = shown.iter_mut().rev().find_map(|entry| match entry {
                    SocietyEntry::Said { calls, .. } => Some(calls),
                    _ => None,
                });
                if let Some(call) = said.and_then(|calls| calls.get_mut(given)) {
                    call.result = Some(outcome.text.clone());
                    call.is_error = outcome.is_error;
                    call.pictures.clone_from(&outcome.pictures);
                }
                given += 1;
            }
            // They stand with their calls.
            Entry::Pictures(_) => {}
            Entry::Summary(text) => shown.push(SocietyEntry::Summary(text.clone())),
        }
    }
    shown
}
