//! What happens by itself in a society, and what is to be done outside for an agent.

use super::event::{Event, Kind, Message, Party, Rest};
use super::state::{Effect, Entry, Mind, State, Wake};
use super::{AgentId, Amounts, SocietyError, org, tools};
use base::Failure;

impl State {
    /// What happens to an agent next without anybody outside. At this moment, in milliseconds since the epoch.
    pub fn follows(&self, agent: AgentId, now: i64) -> Option<Event> {
        let mind = self.minds.get(&agent)?;
        let acts = self.org.agent(agent).ok()?.state == org::State::Active;
        if !acts || self.paused().is_some() {
            return None;
        }
        if mind.unheard {
            return Some(self.failed(agent, mind));
        }
        let heard = || {
            let message = *mind.inbox().front()?;
            Some(Event::Heard { agent, message })
        };
        let Some(turn) = &mind.turn else {
            let rests = matches!(mind.rest(), Some(Rest::Done));
            return heard().or_else(|| rests.then(|| self.answer(agent, mind)).flatten());
        };
        if let Some(call) = turn.calls.get(turn.given) {
            // For those outside room is kept when they are made.
            let own = tools::is_own(&call.name);
            let decided = || tools::decide(self, agent, turn.given, call, now);
            return own.then(|| self.lacks(agent, Amounts::ONE_CALL).unwrap_or_else(decided));
        }
        let rests = |rest| Some(Event::Rested { agent, rest });
        if turn.circle {
            return rests(Rest::Failed {
                failure: Failure::of(&SocietyError::LoopDetected),
            });
        }
        if self.is_called(agent, mind) {
            return heard();
        }
        if let Some(until) = turn.waits {
            return rests(Rest::Waiting { until });
        }
        if !turn.over {
            return None;
        }
        self.answer(agent, mind).or_else(|| rests(Rest::Done))
    }

    /// An agent of whom something is expected, and that says no more, has answered; but not yet whoever made it, while
    /// somebody below is at work: then when nobody is any more.
    fn answer(&self, agent: AgentId, mind: &Mind) -> Option<Event> {
        let said = match mind
            .memory()
            .iter()
            .rev()
            .find(|entry| matches!(entry, Entry::Said { .. }))
        {
            Some(Entry::Said { text, .. }) => text.trim(),
            _ => "",
        };
        if said.is_empty() || mind.asked.is_empty() {
            return None;
        }
        let waits = self.is_busy_below(agent);
        let to = mind.asked.iter().find(|to| **to == Party::User || !waits)?;
        Some(Event::Told {
            about: Some(agent),
            message: Message::plain(Party::Agent(agent), *to, Kind::Answer, said.to_owned()),
        })
    }

    /// What happens by itself at a moment, when it has come.
    pub fn wake(&self, now: i64) -> Option<Event> {
        let (_, wake) = self.next_wake().filter(|(at, _)| *at <= now)?;
        if self.paused().is_some() {
            return None;
        }
        Some(match wake {
            Wake::Message(message) => Event::Due { message },
            Wake::Agent(agent) => {
                let text = self.lang.pick("等待时间已到。", "The time to wait is over.");
                notice(None, Party::Agent(agent), text.to_owned())
            }
        })
    }

    /// What is to be done outside for an agent now.
    pub fn effect(&self, agent: AgentId) -> Option<Effect> {
        match self.org.agent(agent).ok()?.state {
            org::State::Terminated => return None,
            org::State::Terminating => return Some(Effect::End),
            org::State::Active => {}
        }
        let mind = self.minds.get(&agent)?;
        let turn = mind.turn.as_ref()?;
        match turn.calls.get(turn.given) {
            // It follows by itself, in a replay when it has its turn: nobody outside could make it.
            Some(call) if tools::is_own(&call.name) => None,
            // What was begun comes to its end; nothing new is begun.
            Some(_) if self.paused().is_some() && !turn.begun => None,
            Some(_) => Some(Effect::Call {
                call: turn.given,
                begun: turn.begun,
            }),
            None if self.paused().is_some() => None,
            None => Some(Effect::Ask { step: mind.step() }),
        }
    }

    /// Whoever made an agent is told that the person has ended it.
    pub(super) fn stopped_notice(&self, agent: AgentId) -> Option<Event> {
        let active = self.org.acting(agent).is_ok();
        let parent = self.org.agent(agent).ok()?.parent.filter(|_| active)?;
        let name = self.name(agent);
        let text = match self.lang {
            base::Lang::ZhCn => format!("用户已结束 {name}。"),
            base::Lang::En => format!("The user has ended {name}."),
        };
        Some(notice(None, Party::Agent(parent), text))
    }

    /// Whether somebody wants to be heard before the agent goes on: the person, or whoever made it. Those before
    /// them in its inbox are heard first.
    fn is_called(&self, agent: AgentId, mind: &Mind) -> bool {
        let above = self.above(agent);
        let from = mind.inbox().iter().filter_map(|id| self.message(*id));
        from.map(|posted| posted.message.from)
            .any(|from| from == Party::User || from == above)
    }

    /// Whoever made an agent is told that it could not go on.
    fn failed(&self, agent: AgentId, mind: &Mind) -> Event {
        let (code, args) = match mind.rest() {
            Some(Rest::Failed { failure }) => (failure.code.as_str(), serde_json::json!(failure.args)),
            _ => ("", serde_json::Value::Null),
        };
        let name = self.name(agent);
        let text = match self.lang {
            base::Lang::ZhCn => format!("{name} 未能继续：{code} {args}"),
            base::Lang::En => format!("{name} could not go on: {code} {args}"),
        };
        notice(Some(agent), self.above(agent), text)
    }
}

fn notice(about: Option<AgentId>, to: Party, text: String) -> Event {
    Event::Told {
        about,
        message: Message::plain(Party::Society, to, Kind::Notice, text),
    }
}
