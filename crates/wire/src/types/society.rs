//! Societies of agents. A task is submitted in words; its agents go on by themselves. What happens in it is told by
//! the events `society.message` `{task, version, busy, paused}` and `society.agent` `{task}`. Questions to the person
//! are approvals of the subject `task:` and the id, which is also that of the task's workspace.

use super::{WireError, is_false};
use crate::table::Actor;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a task, or an agent with all below it, may spend. What is not given is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SocietyBudget {
    /// Of models, in and out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub tokens: Option<u64>,
    /// Millionths of the currency that prices are given in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub money: Option<u64>,
    /// Milliseconds of work.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub time: Option<u64>,
    /// Of tools and models.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub calls: Option<u64>,
    /// Agents made, the root not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub agents: Option<u64>,
    /// Agents above one another.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub depth: Option<u32>,
}

/// What was spent, in the same units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietySpent {
    #[ts(type = "number")]
    pub tokens: u64,
    #[ts(type = "number")]
    pub money: u64,
    #[ts(type = "number")]
    pub time: u64,
    #[ts(type = "number")]
    pub calls: u64,
    #[ts(type = "number")]
    pub agents: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct SocietySubmit {
    /// What the person wants, in words.
    pub text: String,
    /// Taken from the text, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    /// Absolute; made where it is missing. Without one the task gets a folder of its own in the data home.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub workspace_path: Option<String>,
    /// A team whose roles the task has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub team: Option<String>,
    /// The model service that speaks for agents of roles that name none; the default one without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub service: Option<String>,
    /// What it does not name is as usual.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub budget: Option<SocietyBudget>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyReplay {
    /// The task that is done again.
    pub task: String,
    /// Absolute; made where it is missing. Without one the new task gets a folder of its own in the data home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub workspace_path: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietySubmitted {
    pub task_id: String,
    pub workspace_path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyRef {
    /// The task's id.
    pub task: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyQuery {
    /// Those in the trash instead.
    #[serde(skip_serializing_if = "is_false")]
    pub removed: bool,
}

/// How a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SocietyStanding {
    /// Somebody has something to do.
    Working,
    /// Nobody has; the person is next.
    Waiting,
    /// Nothing is begun until a person says so.
    Paused,
    /// Its root has ended.
    Stopped,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyRow {
    pub id: String,
    pub title: String,
    pub standing: SocietyStanding,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    pub changed_at: f64,
    /// How many events made it.
    pub version: u32,
    pub agents: u32,
    pub messages: u32,
    /// Messages to the person.
    pub told: u32,
    pub actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub removed_at: Option<f64>,
}

/// The last changed first.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyTasks {
    pub tasks: Vec<SocietyRow>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyOpen {
    pub task: String,
    /// As it was behind so many events; as it is now without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<u32>,
}

/// What an agent is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SocietyAgentState {
    /// Its model is asked.
    Thinking,
    /// A tool is called.
    Calling,
    /// It has nothing to do.
    Resting,
    /// It waits for a message or a moment.
    Waiting,
    /// It could not go on.
    Failed,
    /// Told to end, or ended.
    Ended,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyAgent {
    /// Within its task: the root is 1.
    pub id: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent: Option<u32>,
    /// The root has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub role: Option<String>,
    /// Of the root what the person wants.
    pub objective: String,
    pub state: SocietyAgentState,
    /// The tool that is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<String>,
    /// Why it could not go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<WireError>,
    /// Messages that it has not heard yet.
    pub inbox: u32,
    /// With all below it.
    pub spent: SocietySpent,
    pub budget: SocietyBudget,
    /// How full its context is, from 0 to 1, where its model was asked since the program began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub context: Option<f64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyArtifact {
    pub id: u32,
    pub by: u32,
    pub name: String,
    pub kind: String,
    /// Bytes.
    pub size: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyView {
    pub task: SocietyRow,
    /// What the person wants, as she wrote it or her team words it.
    pub text: String,
    /// The task whose models' answers are given again, as long as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub replays: Option<String>,
    /// Why it is paused, where that is not the person's wish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<WireError>,
    /// The root is the first.
    pub agents: Vec<SocietyAgent>,
    pub artifacts: Vec<SocietyArtifact>,
    /// How many events there are by now.
    pub versions: u32,
    /// Absolute, for the person alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub workspace_path: Option<String>,
}

/// Who speaks: `user`, `society`, or an agent by its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SocietyParty {
    User,
    Society,
    Agent(u32),
}

/// Why a message is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SocietyMessageKind {
    Sent,
    /// What an agent is made for.
    Brief,
    /// The last that an agent said in a turn.
    Answer,
    Notice,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyMessage {
    pub id: u32,
    pub from: SocietyParty,
    pub to: SocietyParty,
    pub kind: SocietyMessageKind,
    pub text: String,
    /// Ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<u32>,
    /// Milliseconds since the epoch.
    pub at: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyMessageQuery {
    pub task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<u32>,
    /// Only what this agent sent or was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<u32>,
    /// Only what is said to the person and by her.
    #[serde(skip_serializing_if = "is_false")]
    pub person: bool,
    /// Those with smaller ids; the newest without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyMessages {
    /// The oldest first.
    pub messages: Vec<SocietyMessage>,
    /// There are older ones.
    pub more: bool,
}

/// A call of a tool in an agent's own story.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyCall {
    pub tool: String,
    /// As the model wrote them.
    pub arguments: String,
    /// What it gave; it is still to be done without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Pictures of the gallery that it made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pictures: Vec<String>,
}

/// A part of what an agent remembers.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SocietyEntry {
    Message(SocietyMessage),
    /// What its model said, and called with it.
    Said {
        text: String,
        calls: Vec<SocietyCall>,
    },
    /// What stands for all before.
    Summary(String),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyStoryQuery {
    pub task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<u32>,
    pub agent: u32,
    /// Entries before this one; the newest without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyStory {
    /// The oldest first.
    pub entries: Vec<SocietyEntry>,
    /// The number of the first of them.
    pub first: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyArtifactRef {
    pub task: String,
    pub artifact: u32,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyPost {
    pub task: String,
    /// The root without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<u32>,
    pub text: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyStop {
    pub task: String,
    /// It and all below it; the whole task without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<u32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyBudgeted {
    pub task: String,
    pub budget: SocietyBudget,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default, rename_all = "camelCase")]
pub struct SocietySettle {
    pub task: String,
    /// How long is waited at most, in milliseconds; at most 60,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub wait_ms: Option<u32>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyRename {
    pub task: String,
    pub title: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct SocietyStepQuery {
    pub task: String,
    /// From this event on.
    pub from: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// An event of a task, in a few words, for going through it step by step.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyStep {
    /// The task as it was behind it is that of this version.
    pub version: u32,
    /// `begun`, `posted`, `heard`, `said`, `gave`, `rested`…
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent: Option<u32>,
    /// The beginning of what was said, or the tool that was called.
    pub text: String,
    /// Milliseconds since the epoch.
    pub at: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietySteps {
    pub steps: Vec<SocietyStep>,
    pub versions: u32,
}

/// Roles that a task can begin with.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SocietyTeam {
    pub name: String,
    pub title: String,
    pub description: String,
    pub roles: Vec<String>,
    /// Its file, where it is the person's own, relative to the data home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<String>,
    /// Its file is not what a team's file is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub failure: Option<WireError>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyTeams {
    pub teams: Vec<SocietyTeam>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct SocietyTeamRef {
    pub team: String,
}
