//! What happens in a society. Kept in their order, the events of a task are the task.

use super::{AgentId, Amounts, Budget, Role, RoleId, TaskBrief};
use base::{Failure, Lang};
use serde::{Deserialize, Serialize};

/// Messages of a task, counted from 1.
pub type MessageId = u64;
/// Artifacts of a task, counted from 1.
pub type ArtifactId = u64;

/// Who speaks, and to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Party {
    /// The person whose task it is.
    User,
    /// The society itself: that an agent could not go on, that a time has come.
    Society,
    Agent(AgentId),
}

/// Why a message is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
    /// Somebody sent it.
    #[default]
    Sent,
    /// What an agent is made for.
    Brief,
    /// The last that an agent said in a turn, for whoever had asked.
    Answer,
    /// Of the society itself.
    Notice,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub from: Party,
    pub to: Party,
    #[serde(default)]
    pub kind: Kind,
    pub text: String,
    /// Of this task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactId>,
    /// Not to be heard before this moment, in milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<i64>,
}

impl Message {
    /// Words alone, at once.
    pub(super) fn plain(from: Party, to: Party, kind: Kind, text: impl Into<String>) -> Self {
        Message {
            from,
            to,
            kind,
            text: text.into(),
            artifacts: Vec::new(),
            due: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub by: AgentId,
    pub name: String,
    /// `Module_Spec`, `Integration_Plan`, `Progress`, or any other word.
    pub kind: String,
    pub content: String,
}

/// A call as a model made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Pictures in the gallery that it made, which the model is shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<String>,
}

/// What a call of the society's own tools changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    Role(RoleId, Role),
    Agent {
        agent: AgentId,
        role: RoleId,
        brief: TaskBrief,
        budget: Budget,
    },
    Message(Message),
    Artifact(Artifact),
    /// They are told to end, the deepest first.
    Ending(Vec<AgentId>),
    /// The turn ends behind this answer's calls; at the latest at this moment the agent hears that it has come.
    Wait {
        until: Option<i64>,
    },
}

/// Why an agent has nothing more to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "why")]
pub enum Rest {
    /// It has said what it had to say.
    Done,
    /// It waits for somebody, or for this moment.
    Waiting { until: Option<i64> },
    /// It could not go on.
    Failed { failure: Failure },
}

/// A role that the task's template brings along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoleTemplate {
    pub name: String,
    pub prompt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
}

impl Event {
    /// Its name in the records, whose agent it is about, and the beginning of what was said in it.
    pub fn in_short(&self) -> (&'static str, Option<AgentId>, &str) {
        match self {
            Event::Begun { text, .. } => ("begun", None, text),
            Event::Posted { to, text } => ("posted", Some(*to), text),
            Event::Heard { agent, .. } => ("heard", Some(*agent), ""),
            Event::Due { .. } => ("due", None, ""),
            Event::Said {
                agent, text, calls, ..
            } => {
                let called = calls.first().map_or("", |call| call.name.as_str());
                let said = if text.is_empty() { called } else { text };
                ("said", Some(*agent), said)
            }
            Event::Begins { agent, .. } => ("begins", Some(*agent), ""),
            Event::Gave { agent, outcome, .. } => ("gave", Some(*agent), &outcome.text),
            Event::Interrupted { agent, .. } => ("interrupted", Some(*agent), ""),
            Event::Summed { agent, text, .. } => ("summed", Some(*agent), text),
            Event::Rested { agent, rest } => match rest {
                Rest::Failed { failure } => ("failed", Some(*agent), &failure.code),
                Rest::Done | Rest::Waiting { .. } => ("rested", Some(*agent), ""),
            },
            Event::Ended { agent } => ("ended", Some(*agent), ""),
            Event::Told { about, message } => ("told", *about, &message.text),
            Event::Paused { failure } => (
                "paused",
                None,
                failure.as_ref().map_or("", |failure| failure.code.as_str()),
            ),
            Event::Resumed => ("resumed", None, ""),
            Event::ReplayEnded => ("replayEnded", None, ""),
            Event::Stopped { agent } => ("stopped", Some(*agent), ""),
            Event::Budgeted { .. } => ("budgeted", None, ""),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "event")]
pub enum Event {
    /// The first one.
    Begun {
        /// What the person wants.
        text: String,
        lang: Lang,
        budget: Budget,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        service: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        roles: Vec<RoleTemplate>,
        /// The task whose models' answers are given again, instead of asking any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replays: Option<String>,
    },
    /// The person says something to an agent.
    Posted {
        to: AgentId,
        text: String,
    },
    /// A message reaches its agent: a turn begins with it, or goes on.
    Heard {
        agent: AgentId,
        message: MessageId,
    },
    /// A delayed message may be heard now.
    Due {
        message: MessageId,
    },
    /// The model has answered.
    Said {
        agent: AgentId,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
        cost: Amounts,
    },
    /// A call that cannot be made twice is about to be made.
    Begins {
        agent: AgentId,
        call: usize,
    },
    /// A call has given something, and changed something.
    Gave {
        agent: AgentId,
        call: usize,
        outcome: Outcome,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<Change>,
        #[serde(default)]
        cost: Amounts,
    },
    /// The process that had begun a call was ended: nobody knows whether it was made.
    Interrupted {
        agent: AgentId,
        call: usize,
    },
    /// The oldest so many entries of what an agent remembers are this summary from now on.
    Summed {
        agent: AgentId,
        entries: usize,
        text: String,
        cost: Amounts,
    },
    /// A turn ends.
    Rested {
        agent: AgentId,
        rest: Rest,
    },
    /// What an ending agent was doing is over.
    Ended {
        agent: AgentId,
    },
    /// What nobody called a tool for: the last words of an agent's turn, or a notice, perhaps that it failed.
    Told {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<AgentId>,
        message: Message,
    },
    /// Nothing is begun any more: a person said so, or this happened.
    Paused {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    Resumed,
    /// No answer is given again any more: there are none left, or something else happened than did then.
    ReplayEnded,
    /// The person ends an agent, and all below it; the root is the task.
    Stopped {
        agent: AgentId,
    },
    /// Another budget for the task.
    Budgeted {
        budget: Budget,
    },
}
