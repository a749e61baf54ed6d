//! What the events of a task have made of it: a deterministic machine. [`State::apply`] takes what happened;
//! [`State::follows`] says what happens by itself because of it, [`State::effect`] what is to be done outside. So a
//! process that is killed between two events replays what it kept, asks, and stands where it stood.

mod apply;

use super::event::{Artifact, ArtifactId, Call, Event, Message, MessageId, Outcome, Party, Rest};
use super::org;
use super::{AgentId, Amounts, Hold, Ledger, Org, ROOT, RoleTemplate, SocietyError, Tail};
use base::{Failure, Lang};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A message, and when it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub message: Message,
    /// Milliseconds since the epoch.
    pub at: i64,
}

/// A part of what an agent remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Message(MessageId),
    Said {
        text: String,
        calls: Vec<Call>,
    },
    Gave {
        call: Call,
        outcome: Outcome,
    },
    /// Pictures that the calls before made, shown to the model.
    Pictures(Vec<String>),
    /// What stands for all that was before.
    Summary(String),
}

/// From the message with which it begins until the agent rests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// Of the last answer; those before `given` are done.
    pub(super) calls: Vec<Call>,
    pub(super) given: usize,
    /// The next one was begun, by this process or one before it.
    pub(super) begun: bool,
    /// The model has said that it wants to wait.
    pub(super) waits: Option<Option<i64>>,
    /// The last answer called nothing.
    pub(super) over: bool,
    /// The same came again and again.
    pub(super) circle: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mind {
    memory: Vec<Entry>,
    inbox: VecDeque<MessageId>,
    pub(super) turn: Option<Turn>,
    /// Who waits for what it will say, perhaps since a turn before.
    pub(super) asked: BTreeSet<Party>,
    rest: Option<Rest>,
    /// Of a failure nobody has been told yet.
    pub(super) unheard: bool,
    tail: Tail,
    /// Counts what it remembered and forgot: an answer to another memory is not taken.
    step: u64,
}

impl Mind {
    pub fn memory(&self) -> &[Entry] {
        &self.memory
    }

    /// Messages that it has not heard yet.
    pub fn inbox(&self) -> &VecDeque<MessageId> {
        &self.inbox
    }

    pub fn in_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// The call that is its next to do, if it calls something.
    pub fn calls(&self) -> Option<&Call> {
        let turn = self.turn.as_ref()?;
        turn.calls.get(turn.given)
    }

    pub fn step(&self) -> u64 {
        self.step
    }

    /// How its last turn ended.
    pub fn rest(&self) -> Option<&Rest> {
        self.rest.as_ref()
    }
}

/// What is to be done outside for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Its model is asked. Another `step`, and the answer is not wanted any more.
    Ask { step: u64 },
    /// A tool is called. `begun`: that was said before.
    Call { call: usize, begun: bool },
    /// It is to end: when nothing is done for it any more, it has.
    End,
}

impl Effect {
    /// Whether it is the same that is to be done.
    pub fn is(&self, other: &Effect) -> bool {
        match (self, other) {
            (Effect::Call { call: one, .. }, Effect::Call { call: other, .. }) => one == other,
            (one, other) => one == other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wake {
    Message(MessageId),
    Agent(AgentId),
}

#[derive(Clone, Debug, PartialEq)]
pub struct State {
    task: String,
    pub(super) lang: Lang,
    pub(super) text: String,
    service: Option<String>,
    templates: Vec<RoleTemplate>,
    pub(super) org: Org,
    pub(super) ledger: Ledger,
    pub(super) minds: BTreeMap<AgentId, Mind>,
    messages: Vec<Posted>,
    artifacts: Vec<Artifact>,
    /// The end of what two say to each other.
    pairs: BTreeMap<(Party, Party), Tail>,
    paused: Option<Option<Failure>>,
    /// The task whose answers are given again, and how much of what happened there has happened here.
    replays: Option<String>,
    replayed: usize,
    plans: BTreeMap<AgentId, Plan>,
    wakes: BTreeSet<(i64, Wake)>,
    told_user: usize,
    events: u64,
    /// Of whom something may follow that was not looked at yet.
    touched: BTreeSet<AgentId>,
    /// Who has something to do.
    busy: BTreeSet<AgentId>,
}

/// How far the plan of an agent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plan {
    Kept,
    /// The person was told something behind it.
    Told,
    /// She has said something behind that.
    Answered,
}

/// The kind of artifact that the person is asked about.
pub const PLAN: &str = "Integration_Plan";

impl State {
    /// Before its first event.
    pub fn new(task: impl Into<String>) -> Self {
        State {
            task: task.into(),
            lang: Lang::default(),
            text: String::new(),
            service: None,
            templates: Vec::new(),
            org: Org::default(),
            ledger: Ledger::default(),
            minds: BTreeMap::new(),
            messages: Vec::new(),
            artifacts: Vec::new(),
            pairs: BTreeMap::new(),
            paused: None,
            replays: None,
            replayed: 0,
            plans: BTreeMap::new(),
            wakes: BTreeSet::new(),
            told_user: 0,
            events: 0,
            touched: BTreeSet::new(),
            busy: BTreeSet::new(),
        }
    }

    pub fn task(&self) -> &str {
        &self.task
    }

    /// What an agent is called by others: the task's id and its own.
    pub fn name(&self, agent: AgentId) -> String {
        format!("{}/{}", self.task, agent.0)
    }

    /// The same with its role, where it has one.
    pub fn titled(&self, agent: AgentId) -> String {
        match self.org.role_of(agent) {
            Some(role) => format!("{} ({})", self.name(agent), role.name),
            None => self.name(agent),
        }
    }

    /// What the person wants.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn org(&self) -> &Org {
        &self.org
    }

    pub fn mind(&self, agent: AgentId) -> Option<&Mind> {
        self.minds.get(&agent)
    }

    pub fn messages(&self) -> &[Posted] {
        &self.messages
    }

    pub fn message(&self, id: MessageId) -> Option<&Posted> {
        let at = usize::try_from(id).ok()?.checked_sub(1)?;
        self.messages.get(at)
    }

    pub fn artifacts(&self) -> &[Artifact] {
        &self.artifacts
    }

    pub fn artifact(&self, id: ArtifactId) -> Option<&Artifact> {
        let at = usize::try_from(id).ok()?.checked_sub(1)?;
        self.artifacts.get(at)
    }

    /// How many events made it.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether nothing is begun, and where that is not the person's wish, why.
    pub fn paused(&self) -> Option<Option<&Failure>> {
        self.paused.as_ref().map(Option::as_ref)
    }

    /// The task whose models' answers are given again, as long as they are.
    pub fn replays(&self) -> Option<&str> {
        self.replays.as_deref()
    }

    /// How many of its events have happened here.
    pub(super) fn replayed(&self) -> usize {
        self.replayed
    }

    pub fn is_stopped(&self) -> bool {
        self.org
            .agent(ROOT)
            .is_ok_and(|root| root.state != org::State::Active)
    }

    /// How many messages the person was sent.
    pub fn told_user(&self) -> usize {
        self.told_user
    }

    /// Whether what was done for an agent is what it still waits for.
    pub fn wants(&self, agent: AgentId, done: &Effect) -> bool {
        let acts = self
            .org
            .agent(agent)
            .is_ok_and(|one| one.state == org::State::Active);
        let turn = self
            .minds
            .get(&agent)
            .and_then(|mind| Some((mind, mind.turn.as_ref()?)));
        let Some((mind, turn)) = turn.filter(|_| acts) else {
            return false;
        };
        match done {
            Effect::Ask { step } => turn.given == turn.calls.len() && *step == mind.step,
            Effect::Call { call, .. } => *call == turn.given && turn.calls.get(*call).is_some(),
            Effect::End => false,
        }
    }

    /// Whether somebody has something to do, or will have.
    pub fn is_busy(&self) -> bool {
        !self.busy.is_empty() || !self.wakes.is_empty()
    }

    pub fn spent(&self, agent: AgentId) -> Amounts {
        self.ledger.spent(agent).unwrap_or_default()
    }

    /// Whether somebody below an agent has something to do.
    pub(super) fn is_busy_below(&self, agent: AgentId) -> bool {
        let below = |id: &AgentId| self.org.above(*id).any(|one| one == agent);
        self.busy.iter().any(below)
    }

    /// The service that speaks for an agent: of its role, or of the nearest role above; else that of the task.
    pub fn service(&self, agent: AgentId) -> Option<&str> {
        let chain = std::iter::once(agent).chain(self.org.above(agent));
        let named = |id| self.org.role_of(id).and_then(|role| role.service.as_deref());
        chain.filter_map(named).next().or(self.service.as_deref())
    }

    /// Whether an agent has a tool from outside: each list above it must name it.
    pub fn has_tool(&self, agent: AgentId, tool: &str) -> bool {
        let chain = std::iter::once(agent).chain(self.org.above(agent));
        let lists = chain.filter_map(|id| self.org.role_of(id).and_then(|role| role.tools.as_ref()));
        lists.into_iter().all(|list| list.iter().any(|name| name == tool))
    }

    pub fn template(&self, name: &str) -> Option<&RoleTemplate> {
        self.templates.iter().find(|one| one.name == name)
    }

    /// Whether the person has answered an agent's plan.
    pub fn is_confirmed(&self, agent: AgentId) -> bool {
        self.plans.get(&agent) == Some(&Plan::Answered)
    }

    /// The same between the same two once more, and it would be a circle.
    pub(super) fn would_circle(&self, from: Party, to: Party, text: &str) -> bool {
        let known = self.pairs.get(&pair(from, to));
        known.is_some_and(|tail| tail.clone().happened((from, text)))
    }

    /// Keeps room for what something may cost.
    pub fn hold(&mut self, agent: AgentId, most: Amounts) -> Result<Hold, SocietyError> {
        self.ledger.hold(agent, most)
    }

    /// It is over; what it did cost is in its event.
    pub fn release(&mut self, hold: Hold) {
        self.ledger.settle(hold, Amounts::default());
    }

    /// What happens where a budget does not hold that much: where it is the task's, the person is asked; where it is
    /// that of an agent, it cannot go on.
    pub fn lacks(&self, agent: AgentId, most: Amounts) -> Option<Event> {
        let (whose, which) = self.ledger.lacking(agent, most).ok().flatten()?;
        let failure = Failure::of(&SocietyError::BudgetExceeded { which });
        Some(match whose {
            ROOT => Event::Paused {
                failure: Some(failure),
            },
            _ => Event::Rested {
                agent,
                rest: Rest::Failed { failure },
            },
        })
    }

    /// An agent of which something may follow, or that may have another effect than before. Each is given once for
    /// each time that something happened to it.
    pub fn next_touched(&mut self) -> Option<AgentId> {
        self.touched.pop_first()
    }

    /// Everybody, as after a replay.
    pub fn touch_all(&mut self) {
        self.touched = self.minds.keys().copied().collect();
    }

    /// The moment at which something happens by itself, and what.
    pub(super) fn next_wake(&self) -> Option<(i64, Wake)> {
        self.wakes.first().copied()
    }

    /// When something happens by itself.
    pub fn wakes_at(&self) -> Option<i64> {
        // Nothing is begun meanwhile.
        self.paused.is_none().then(|| self.next_wake())?.map(|(at, _)| at)
    }

    /// Who is told when an agent has something to say: whoever made it, and of the root the person.
    pub(super) fn above(&self, agent: AgentId) -> Party {
        let parent = self.org.agent(agent).ok().and_then(|agent| agent.parent);
        parent.map_or(Party::User, Party::Agent)
    }
}

/// Both directions are one conversation.
fn pair(from: Party, to: Party) -> (Party, Party) {
    (from.min(to), from.max(to))
}
