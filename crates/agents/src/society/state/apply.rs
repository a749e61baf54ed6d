//! What an event makes of a task.

use super::super::driver::is_step;
use super::super::event::{Change, Event, Kind, Message, MessageId, Outcome, Party, Rest, RoleTemplate};
use super::super::org::Role;
use super::super::{AgentId, Budget, ROOT, Tail, TaskBrief, org};
use super::{Entry, Mind, PLAN, Plan, Posted, State, Turn, Wake, pair};
use base::Lang;

/// What a model is told of a call before which its turn ended.
const NOT_MADE: &str = "{\"error\":\"not_made\"}";
/// And of one of which nobody knows whether it was made.
const INTERRUPTED: &str = "{\"error\":\"interrupted\",\"message\":\"The program was ended while this ran. Look whether it was done before you call it again.\"}";

impl State {
    fn touch(&mut self, agent: AgentId) {
        self.touched.insert(agent);
        let Some(mind) = self.minds.get(&agent) else {
            return;
        };
        let busy = match self.org.agent(agent).map(|one| one.state) {
            Ok(org::State::Active) => mind.turn.is_some() || !mind.inbox.is_empty() || mind.unheard,
            // It has its end before it, even where it has nothing to do.
            Ok(org::State::Terminating) => true,
            Ok(org::State::Terminated) | Err(_) => false,
        };
        match busy {
            true => self.busy.insert(agent),
            false => {
                if self.busy.remove(&agent) {
                    // Those above may have waited for it with their answers.
                    self.touched.extend(self.org.above(agent));
                }
                false
            }
        };
    }

    fn remember(&mut self, agent: AgentId, entry: Entry) {
        if let Some(mind) = self.minds.get_mut(&agent) {
            mind.memory.push(entry);
            mind.step += 1;
        }
    }

    fn turn(&mut self, agent: AgentId) -> Option<&mut Turn> {
        self.minds.get_mut(&agent)?.turn.as_mut()
    }

    /// Something has happened, at this moment.
    pub fn apply(&mut self, event: &Event, at: i64) {
        self.events += 1;
        self.replayed += usize::from(is_step(event));
        match event {
            Event::Begun {
                text,
                lang,
                budget,
                service,
                roles,
                replays,
            } => {
                self.replays.clone_from(replays);
                self.begin((text, *lang, *budget), service.clone(), roles, at);
            }
            Event::Posted { to, text } => {
                for plan in self.plans.values_mut() {
                    if *plan == Plan::Told {
                        *plan = Plan::Answered;
                    }
                }
                let message = Message::plain(Party::User, Party::Agent(*to), Kind::Sent, text.clone());
                self.send(message, at);
            }
            Event::Told { about, message } => {
                if let Some(about) = *about {
                    self.told(about, message.to);
                }
                self.send(message.clone(), at);
            }
            Event::Due { message } => {
                let due = self.message(*message).and_then(|posted| posted.message.due);
                if let Some(due) = due {
                    self.wakes.remove(&(due, Wake::Message(*message)));
                    self.deliver(*message);
                }
            }
            Event::Heard { agent, message } => self.hear(*agent, *message),
            Event::Said {
                agent,
                text,
                calls,
                cost,
            } => {
                self.ledger.spend(*agent, *cost);
                self.remember(
                    *agent,
                    Entry::Said {
                        text: text.clone(),
                        calls: calls.clone(),
                    },
                );
                if let Some(turn) = self.turn(*agent) {
                    turn.over = calls.is_empty();
                    turn.calls.clone_from(calls);
                    (turn.given, turn.begun) = (0, false);
                }
                self.touch(*agent);
            }
            Event::Begins { agent, call } => {
                if let Some(turn) = self.turn(*agent).filter(|turn| turn.given == *call) {
                    turn.begun = true;
                }
                self.touch(*agent);
            }
            Event::Gave {
                agent,
                call,
                outcome,
                change,
                cost,
            } => {
                self.ledger.spend(*agent, *cost);
                self.give(*agent, *call, outcome, true);
                if let Some(change) = change {
                    self.change(*agent, change, at);
                }
                self.touch(*agent);
            }
            Event::Interrupted { agent, call } => {
                // However often processes are ended, it is not the agent that turns in a circle.
                self.give(*agent, *call, &failed(INTERRUPTED), false);
                self.touch(*agent);
            }
            Event::Summed {
                agent,
                entries,
                text,
                cost,
            } => {
                self.ledger.spend(*agent, *cost);
                if let Some(mind) = self.minds.get_mut(agent) {
                    let entries = (*entries).min(mind.memory.len());
                    mind.memory.splice(..entries, [Entry::Summary(text.clone())]);
                    mind.step += 1;
                }
                self.touch(*agent);
            }
            Event::Rested { agent, rest } => self.rest(*agent, rest),
            Event::Ended { agent } => {
                self.org.ended(*agent);
                if let Some(mind) = self.minds.get_mut(agent) {
                    mind.turn = None;
                    mind.inbox.clear();
                    mind.unheard = false;
                }
                self.touch(*agent);
            }
            Event::Paused { failure } => {
                self.paused = Some(failure.clone());
                self.touch_all();
            }
            Event::Resumed => {
                self.paused = None;
                self.touch_all();
            }
            Event::ReplayEnded => {
                self.replays = None;
                self.touch_all();
            }
            Event::Stopped { agent } => self.end(&self.org.active_from(*agent)),
            Event::Budgeted { budget } => {
                self.ledger.change(ROOT, *budget);
                self.org.budget(*budget);
                self.touch_all();
            }
        }
    }

    fn begin(
        &mut self,
        (text, lang, budget): (&str, Lang, Budget),
        service: Option<String>,
        roles: &[RoleTemplate],
        at: i64,
    ) {
        text.clone_into(&mut self.text);
        (self.lang, self.service) = (lang, service);
        self.templates = roles.to_vec();
        self.org
            .put_agent(ROOT, None, (None, TaskBrief::default(), budget));
        self.ledger.open(ROOT, budget);
        self.minds.insert(ROOT, Mind::default());
        let message = Message::plain(Party::User, Party::Agent(ROOT), Kind::Brief, text.to_owned());
        self.send(message, at);
    }

    fn send(&mut self, message: Message, at: i64) {
        let (from, to, due) = (message.from, message.to, message.due);
        if matches!((from, to), (Party::Agent(_), Party::Agent(_))) {
            let tail = self.pairs.entry(pair(from, to)).or_default();
            tail.happened((from, message.text.as_str()));
        }
        if to == Party::User {
            self.told_user += 1;
            for plan in self.plans.values_mut() {
                *plan = (*plan).max(Plan::Told);
            }
        }
        self.messages.push(Posted { message, at });
        let id = self.messages.len() as MessageId;
        match due.filter(|due| *due > at) {
            Some(due) => {
                self.wakes.insert((due, Wake::Message(id)));
            }
            None => self.deliver(id),
        }
    }

    fn deliver(&mut self, id: MessageId) {
        let Some(Party::Agent(to)) = self.message(id).map(|posted| posted.message.to) else {
            return;
        };
        // Who has ended hears nothing; who waits for a moment has heard something before it.
        let hears = self
            .org
            .agent(to)
            .is_ok_and(|agent| agent.state == org::State::Active);
        if hears {
            self.waits_no_more(to);
        }
        if let Some(mind) = self.minds.get_mut(&to).filter(|_| hears) {
            mind.inbox.push_back(id);
        }
        self.touch(to);
    }

    /// The moment for which an agent rests wakes it no more.
    fn waits_no_more(&mut self, agent: AgentId) {
        let rest = self.minds.get(&agent).and_then(|mind| mind.rest.as_ref());
        if let Some(Rest::Waiting { until: Some(until) }) = rest {
            self.wakes.remove(&(*until, Wake::Agent(agent)));
        }
    }

    fn hear(&mut self, agent: AgentId, message: MessageId) {
        let from = self.message(message).map(|posted| posted.message.from);
        let above = self.above(agent);
        self.waits_no_more(agent);
        if let Some(mind) = self.minds.get_mut(&agent)
            && mind.inbox.front() == Some(&message)
        {
            mind.inbox.pop_front();
            mind.rest = None;
            let turn = mind.turn.get_or_insert_default();
            (turn.over, turn.waits) = (false, None);
            // Whoever hears something new does not turn in a circle, though it may rest in the same way as before.
            mind.tail = Tail::default();
            let waiting = [from.filter(|from| *from == Party::User || *from == above), {
                // What the root says is for the person, whoever made it speak.
                (agent == ROOT).then_some(Party::User)
            }];
            mind.asked.extend(waiting.into_iter().flatten());
            self.remember(agent, Entry::Message(message));
        }
        self.touch(agent);
    }

    /// `counts`: the agent could have known it before.
    fn give(&mut self, agent: AgentId, call: usize, outcome: &Outcome, counts: bool) {
        let Some(mind) = self.minds.get_mut(&agent) else {
            return;
        };
        let Some(turn) = mind.turn.as_mut().filter(|turn| turn.given == call) else {
            return;
        };
        let Some(done) = turn.calls.get(call).cloned() else {
            return;
        };
        (turn.given, turn.begun) = (call + 1, false);
        let what = (done.name.as_str(), done.arguments.as_str(), outcome.text.as_str());
        if counts {
            turn.circle |= mind.tail.happened(what);
        } else {
            mind.tail = Tail::default();
        }
        let all = turn.given == turn.calls.len();
        let outcome = outcome.clone();
        self.remember(agent, Entry::Gave { call: done, outcome });
        if all {
            self.show_pictures(agent);
        }
    }

    /// What the calls of the last answer drew, behind all of their results.
    fn show_pictures(&mut self, agent: AgentId) {
        let Some(mind) = self.minds.get(&agent) else {
            return;
        };
        let results = mind.memory.iter().rev().map_while(|entry| match entry {
            Entry::Gave { outcome, .. } => Some(&outcome.pictures),
            _ => None,
        });
        let mut all: Vec<&Vec<String>> = results.collect();
        all.reverse();
        let pictures: Vec<String> = all.into_iter().flatten().cloned().collect();
        if !pictures.is_empty() {
            self.remember(agent, Entry::Pictures(pictures));
        }
    }

    fn change(&mut self, by: AgentId, change: &Change, at: i64) {
        match change {
            Change::Role(id, role) => self.org.put_role(*id, Role::clone(role)),
            Change::Agent {
                agent,
                role,
                brief,
                budget,
            } => {
                let made = (Some(*role), brief.clone(), *budget);
                self.org.put_agent(*agent, Some(by), made);
                self.ledger.open_below(by, *agent, *budget);
                self.minds.insert(*agent, Mind::default());
                let message = Message::plain(
                    Party::Agent(by),
                    Party::Agent(*agent),
                    Kind::Brief,
                    brief.told(self.lang),
                );
                self.send(message, at);
            }
            Change::Message(message) => {
                if let Some(mind) = self.minds.get_mut(&by) {
                    mind.asked.remove(&message.to);
                }
                self.send(message.clone(), at);
            }
            Change::Artifact(artifact) => {
                if artifact.kind == PLAN {
                    self.plans.insert(by, Plan::Kept);
                }
                self.artifacts.push(artifact.clone());
            }
            Change::Ending(agents) => self.end(agents),
            Change::Wait { until } => {
                if let Some(turn) = self.turn(by) {
                    turn.waits = Some(*until);
                }
            }
        }
    }

    fn rest(&mut self, agent: AgentId, rest: &Rest) {
        // Services want to see something for each call.
        let left = self.turn(agent).map(|turn| turn.calls.split_off(turn.given));
        for call in left.unwrap_or_default() {
            let outcome = failed(NOT_MADE);
            self.remember(agent, Entry::Gave { call, outcome });
        }
        if let Some(mind) = self.minds.get_mut(&agent) {
            mind.turn = None;
            mind.unheard = matches!(rest, Rest::Failed { .. });
            mind.rest = Some(rest.clone());
            if let Rest::Waiting { until: Some(until) } = rest {
                self.wakes.insert((*until, Wake::Agent(agent)));
            }
        }
        self.touch(agent);
    }

    /// Somebody was told of an agent: its last words, or that it failed.
    fn told(&mut self, agent: AgentId, to: Party) {
        if let Some(mind) = self.minds.get_mut(&agent) {
            mind.unheard = false;
            mind.asked.remove(&to);
        }
        self.touch(agent);
    }

    fn end(&mut self, agents: &[AgentId]) {
        self.org.end(agents);
        for agent in agents {
            self.waits_no_more(*agent);
            self.touch(*agent);
        }
        // What was to reach them later reaches nobody.
        let mut wakes = std::mem::take(&mut self.wakes);
        wakes.retain(|(_, wake)| {
            let Wake::Message(id) = wake else { return true };
            match self.message(*id).map(|posted| posted.message.to) {
                Some(Party::Agent(to)) => self.org.acting(to).is_ok(),
                _ => true,
            }
        });
        self.wakes = wakes;
    }
}

fn failed(told: &str) -> Outcome {
    Outcome {
        text: told.to_owned(),
        is_error: true,
        pictures: Vec::new(),
    }
}
