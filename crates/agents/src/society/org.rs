//! Roles and agents of one task: who made whom, who may speak to whom, who has ended.
//!
//! A task has one root agent, which stands for the person's wish. Every other agent was made by one above it, of a
//! role that this one wrote. What is asked here changes nothing; what was decided is put here as it was kept.

use super::{Budget, SocietyError, TaskBrief};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);
    )*};
}

id!(
    /// Counted from 1 within a task, as are the others.
    AgentId,
    RoleId
);

/// Of every task.
pub const ROOT: AgentId = AgentId(1);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Role {
    pub creator: AgentId,
    pub name: String,
    /// What whoever has it is told to be.
    pub prompt: String,
    /// Names of the tools from outside that it has; without a list those of its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The model service that speaks for it; without one that of its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The person sees the plan and answers before one of this role is made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    Active,
    /// Told to end; what it was doing may still come to its end.
    Terminating,
    Terminated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Of the root none.
    pub parent: Option<AgentId>,
    pub role: Option<RoleId>,
    pub brief: TaskBrief,
    pub budget: Budget,
    pub state: State,
    /// How many are above it.
    pub depth: u32,
}

/// Whom a message is for, as an agent says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    Agent(AgentId),
    /// Of the root, the person.
    Parent,
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    Agent(AgentId),
    /// The person whose task it is.
    User,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Org {
    agents: BTreeMap<AgentId, Agent>,
    roles: BTreeMap<RoleId, Role>,
}

impl Org {
    pub fn agents(&self) -> impl Iterator<Item = (AgentId, &Agent)> {
        self.agents.iter().map(|(id, agent)| (*id, agent))
    }

    pub fn agent(&self, id: AgentId) -> Result<&Agent, SocietyError> {
        self.agents.get(&id).ok_or(SocietyError::UnknownAgent)
    }

    pub fn roles(&self) -> impl Iterator<Item = (RoleId, &Role)> {
        self.roles.iter().map(|(id, role)| (*id, role))
    }

    pub fn role(&self, id: RoleId) -> Result<&Role, SocietyError> {
        self.roles.get(&id).ok_or(SocietyError::UnknownRole)
    }

    /// The role of an agent, where it has one.
    pub fn role_of(&self, agent: AgentId) -> Option<&Role> {
        self.agents
            .get(&agent)?
            .role
            .and_then(|role| self.roles.get(&role))
    }

    /// A role of that name among an agent's own: it is used again, as it is.
    pub fn own_role(&self, by: AgentId, name: &str) -> Result<Option<RoleId>, SocietyError> {
        self.acting(by)?;
        let own = |role: &Role| role.creator == by && role.name == name;
        Ok(self.roles().find(|(_, role)| own(role)).map(|(id, _)| id))
    }

    pub fn next_role(&self) -> RoleId {
        RoleId(next(&self.roles, |id| id.0))
    }

    pub fn next_agent(&self) -> AgentId {
        AgentId(next(&self.agents, |id| id.0))
    }

    /// Whether `by` may make an agent of a role: it is one that it wrote.
    pub fn may_spawn(&self, by: AgentId, role: RoleId) -> Result<&Role, SocietyError> {
        self.acting(by)?;
        let role = self.role(role)?;
        match role.creator == by {
            true => Ok(role),
            false => Err(SocietyError::NotChildRole),
        }
    }

    /// Who gets what `from` says. To the person everybody may speak.
    pub fn receiver(&self, from: AgentId, to: Address) -> Result<Receiver, SocietyError> {
        let sender = self.acting(from)?;
        let to = match (to, sender.parent) {
            (Address::User, _) | (Address::Parent, None) => return Ok(Receiver::User),
            (Address::Parent, Some(parent)) => parent,
            (Address::Agent(to), _) => to,
        };
        match self.agent(to)?.state {
            State::Active => Ok(Receiver::Agent(to)),
            State::Terminating | State::Terminated => Err(SocietyError::AgentTerminating),
        }
    }

    /// Whom an agent knows: above it, below it, and beside it, as far as they are active.
    pub fn contacts(&self, of: AgentId) -> Result<Vec<AgentId>, SocietyError> {
        let own = self.acting(of)?;
        let knows = |id: AgentId, agent: &Agent| {
            id != of
                && agent.state == State::Active
                && (own.parent == Some(id)
                    || agent.parent == Some(of)
                    || (own.parent.is_some() && agent.parent == own.parent))
        };
        let known = self.agents().filter(|(id, agent)| knows(*id, agent));
        Ok(known.map(|(id, _)| id).collect())
    }

    /// Who ends when `by` ends one of those below it: that one and all below it, the deepest first.
    pub fn may_end(&self, by: AgentId, agent: AgentId) -> Result<Vec<AgentId>, SocietyError> {
        self.acting(by)?;
        self.agent(agent)?;
        // Who is not below it is not its to end.
        if by == agent || !self.above(agent).any(|one| one == by) {
            return Err(SocietyError::UnknownAgent);
        }
        Ok(self.active_from(agent))
    }

    /// Those that are active of an agent and all below it; whoever was made later is deeper, or beside, and first.
    pub fn active_from(&self, agent: AgentId) -> Vec<AgentId> {
        let below = |id: AgentId| id == agent || self.above(id).any(|one| one == agent);
        let active = |(id, one): &(AgentId, &Agent)| one.state == State::Active && below(*id);
        let mut found: Vec<AgentId> = self.agents().filter(active).map(|(id, _)| id).collect();
        found.reverse();
        found
    }

    /// All above an agent, the nearest first.
    pub fn above(&self, agent: AgentId) -> impl Iterator<Item = AgentId> + '_ {
        let parent = |id: &AgentId| self.agents.get(id).and_then(|agent| agent.parent);
        std::iter::successors(parent(&agent), move |id| parent(id))
    }

    /// Whether an agent may do something; then itself.
    pub fn acting(&self, id: AgentId) -> Result<&Agent, SocietyError> {
        let agent = self.agent(id)?;
        match agent.state {
            State::Active => Ok(agent),
            State::Terminating | State::Terminated => Err(SocietyError::SenderTerminated),
        }
    }

    pub(super) fn put_role(&mut self, id: RoleId, role: Role) {
        self.roles.insert(id, role);
    }

    /// A new agent below another; without one, the root.
    pub(super) fn put_agent(
        &mut self,
        id: AgentId,
        parent: Option<AgentId>,
        (role, brief, budget): (Option<RoleId>, TaskBrief, Budget),
    ) {
        let above = parent.and_then(|parent| self.agents.get(&parent));
        let agent = Agent {
            parent,
            role,
            brief,
            budget,
            state: State::Active,
            depth: above.map_or(0, |parent| parent.depth + 1),
        };
        self.agents.insert(id, agent);
    }

    /// Another budget for the root.
    pub(super) fn budget(&mut self, budget: Budget) {
        if let Some(root) = self.agents.get_mut(&ROOT) {
            root.budget = budget;
        }
    }

    /// They are told to end.
    pub(super) fn end(&mut self, agents: &[AgentId]) {
        for id in agents {
            if let Some(agent) = self.agents.get_mut(id)
                && agent.state == State::Active
            {
                agent.state = State::Terminating;
            }
        }
    }

    /// What an ending agent was doing has come to its end.
    pub(super) fn ended(&mut self, agent: AgentId) {
        if let Some(agent) = self.agents.get_mut(&agent)
            && agent.state == State::Terminating
        {
            agent.state = State::Terminated;
        }
    }
}

/// None leaves: the last one is the greatest.
fn next<I: Ord, T>(all: &BTreeMap<I, T>, number: impl Fn(&I) -> u64) -> u64 {
    all.last_key_value().map_or(1, |(id, _)| number(id) + 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// As an agent does it: asked, then put.
    impl Org {
        fn with_root() -> Self {
            let mut org = Org::default();
            org.put_agent(ROOT, None, (None, TaskBrief::default(), Budget::default()));
            org
        }

        fn create_role(&mut self, by: AgentId, name: &str) -> Result<RoleId, SocietyError> {
            if let Some(id) = self.own_role(by, name)? {
                return Ok(id);
            }
            let role = Role {
                creator: by,
                name: name.to_owned(),
                prompt: String::new(),
                tools: None,
                service: None,
                confirm: false,
            };
            let id = self.next_role();
            self.put_role(id, role);
            Ok(id)
        }

        fn spawn(&mut self, by: AgentId, role: RoleId) -> Result<AgentId, SocietyError> {
            self.may_spawn(by, role)?;
            let id = self.next_agent();
            self.put_agent(
                id,
                Some(by),
                (Some(role), TaskBrief::default(), Budget::default()),
            );
            Ok(id)
        }

        fn terminate(&mut self, by: AgentId, agent: AgentId) -> Result<Vec<AgentId>, SocietyError> {
            let ending = self.may_end(by, agent)?;
            self.end(&ending);
            Ok(ending)
        }
    }

    #[test]
    fn agents_are_made_of_own_roles_alone() {
        let mut org = Org::with_root();
        let role = org.create_role(ROOT, "programmer").unwrap();
        assert_eq!(org.create_role(ROOT, "programmer"), Ok(role));
        let child = org.spawn(ROOT, role).unwrap();
        assert_eq!(org.agent(child).unwrap().depth, 1);
        assert_eq!(org.spawn(child, role), Err(SocietyError::NotChildRole));
        assert_eq!(org.spawn(ROOT, RoleId(99)), Err(SocietyError::UnknownRole));
        assert_eq!(org.create_role(AgentId(99), "x"), Err(SocietyError::UnknownAgent));
        // Of the same name, and another's.
        let own = org.create_role(child, "programmer").unwrap();
        assert_ne!(own, role);
        assert!(org.spawn(child, own).is_ok());
    }

    #[test]
    fn who_ends_takes_all_below_along_and_says_nothing_more() {
        let mut org = Org::with_root();
        let role = org.create_role(ROOT, "lead").unwrap();
        let (lead, beside) = (org.spawn(ROOT, role).unwrap(), org.spawn(ROOT, role).unwrap());
        let role = org.create_role(lead, "hand").unwrap();
        let hand = org.spawn(lead, role).unwrap();
        assert_eq!(org.contacts(lead), Ok(vec![ROOT, beside, hand]));
        assert_eq!(org.terminate(beside, lead), Err(SocietyError::UnknownAgent));
        assert_eq!(org.terminate(lead, lead), Err(SocietyError::UnknownAgent));
        assert_eq!(org.terminate(lead, ROOT), Err(SocietyError::UnknownAgent));
        assert_eq!(org.terminate(ROOT, lead), Ok(vec![hand, lead]));
        assert_eq!(org.terminate(ROOT, lead), Ok(Vec::new()), "twice is once");
        assert_eq!(
            org.receiver(hand, Address::Parent),
            Err(SocietyError::SenderTerminated)
        );
        assert_eq!(
            org.receiver(ROOT, Address::Agent(lead)),
            Err(SocietyError::AgentTerminating)
        );
        org.ended(lead);
        org.ended(ROOT);
        assert_eq!(org.agent(lead).unwrap().state, State::Terminated);
        assert_eq!(org.agent(ROOT).unwrap().state, State::Active, "nobody ended it");
        assert_eq!(org.receiver(ROOT, Address::Parent), Ok(Receiver::User));
        assert_eq!(org.receiver(beside, Address::Parent), Ok(Receiver::Agent(ROOT)));
    }

    #[derive(Clone, Debug)]
    enum Step {
        Role { by: u64, name: u8 },
        Spawn { by: u64, role: u64 },
        Send { from: u64, to: u64 },
        Terminate { by: u64, agent: u64 },
        Ended { agent: u64 },
    }

    fn step() -> impl Strategy<Value = Step> {
        let id = || 0u64..24;
        prop_oneof![
            3 => (id(), 0u8..3).prop_map(|(by, name)| Step::Role { by, name }),
            6 => (id(), id()).prop_map(|(by, role)| Step::Spawn { by, role }),
            4 => (id(), id()).prop_map(|(from, to)| Step::Send { from, to }),
            2 => (id(), id()).prop_map(|(by, agent)| Step::Terminate { by, agent }),
            1 => id().prop_map(|agent| Step::Ended { agent }),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Whatever is tried: each agent is of a role of its parent's, and below who has ended nobody acts.
        #[test]
        fn rules_hold_whatever_is_tried(steps in prop::collection::vec(step(), 1..120)) {
            let mut org = Org::with_root();
            for step in steps {
                let before = org.clone();
                let refused = match step {
                    Step::Role { by, name } => org.create_role(AgentId(by), &name.to_string()).is_err(),
                    Step::Spawn { by, role } => org.spawn(AgentId(by), RoleId(role)).is_err(),
                    Step::Send { from, to } => {
                        let said = org.receiver(AgentId(from), Address::Agent(AgentId(to)));
                        if let (Ok(one), Ok(two)) = (org.agent(AgentId(from)), org.agent(AgentId(to))) {
                            let both = one.state == State::Active && two.state == State::Active;
                            prop_assert_eq!(said.is_ok(), both);
                        }
                        said.is_err()
                    }
                    Step::Terminate { by, agent } => org.terminate(AgentId(by), AgentId(agent)).is_err(),
                    Step::Ended { agent } => {
                        org.ended(AgentId(agent));
                        false
                    }
                };
                if refused {
                    prop_assert_eq!(&org, &before, "what is refused changes nothing");
                }
                for (id, agent) in org.agents() {
                    if let (Some(parent), Some(role)) = (agent.parent, agent.role) {
                        prop_assert_eq!(org.role(role).unwrap().creator, parent);
                        let above = org.agent(parent).unwrap().state;
                        prop_assert!(agent.state != State::Active || above == State::Active, "{id:?} acts alone");
                    }
                    prop_assert_eq!(agent.depth as usize, org.above(id).count());
                }
            }
        }
    }
}
