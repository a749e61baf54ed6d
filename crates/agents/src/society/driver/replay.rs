//! A task that is done again with the answers that its models gave before: no model is asked, and tools are called anew.
//!
//! What happens to a task is kept in one order, and [`State`] is a machine without clock or chance. So whoever tells it
//! the same from outside in the same order makes the same task: answers, words of the person and moments are told as
//! they were kept, results of tools are taken when their turn comes, and all else follows by itself. Where something
//! else follows than did then, the replay is over, and the person is told: a guess would be no replay.

use super::super::Amounts;
use super::super::event::{Event, Rest};
use super::super::org::AgentId;
use super::super::state::State;
use super::each_event;
use base::Failure;
use store::Store;

/// What was kept of one event.
pub(super) enum Step {
    /// It came from outside, and is told again.
    Told(Box<Event>),
    /// It followed, or a tool gave it.
    Made(Name),
}

/// What an event is called, and whose it is.
type Name = (&'static str, Option<AgentId>);

const GAVE: &str = "gave";
const ENDED: &str = "ended";

pub(super) struct Replay {
    steps: Vec<Step>,
}

impl Replay {
    /// What is kept of the task `old`, in the names of `new`.
    pub(super) async fn read(store: &Store, old: &str, new: &str) -> Result<Self, Failure> {
        let kept = store.society_task(old.to_owned()).await?.events;
        let mut steps = Vec::new();
        each_event(store, old, kept, |event, _| {
            if is_step(&event) {
                steps.push(step(event, old, new));
            }
        })
        .await?;
        Ok(Replay { steps })
    }

    /// What happened next then; `None` where that is all.
    pub(super) fn next(&self, state: &State) -> Option<&Step> {
        self.steps.get(state.replayed())
    }

    /// Whose call gives what comes next, if one does.
    pub(super) fn awaited(&self, state: &State) -> Option<AgentId> {
        match self.next(state) {
            Some(Step::Made((GAVE, agent))) => *agent,
            _ => None,
        }
    }

    /// Whether a result of a tool is the next.
    pub(super) fn awaits_result(&self, state: &State, agent: AgentId) -> bool {
        self.awaited(state) == Some(agent)
    }

    /// Whether the end of an agent is the next.
    pub(super) fn awaits_end(&self, state: &State, agent: AgentId) -> bool {
        matches!(self.next(state), Some(Step::Made(name)) if *name == (ENDED, Some(agent)))
    }

    /// Whether an event that follows is another than the one that followed then.
    pub(super) fn differs(&self, state: &State, event: &Event) -> bool {
        is_step(event)
            && match self.next(state) {
                Some(Step::Made(then)) => *then != name(event),
                Some(Step::Told(then)) => name(then) != name(event),
                None => false,
            }
    }
}

/// Whether an event is the same in a replay: what a process says of its own work is not.
pub(in super::super) fn is_step(event: &Event) -> bool {
    !matches!(
        event,
        Event::Begun { .. }
            | Event::Begins { .. }
            | Event::Paused { .. }
            | Event::Resumed
            | Event::ReplayEnded
    )
}

fn name(event: &Event) -> Name {
    match event {
        // The call is made again, and gives something this time.
        Event::Interrupted { agent, .. } => (GAVE, Some(*agent)),
        other => {
            let (kind, agent, _) = other.in_short();
            (kind, agent)
        }
    }
}

/// For people: what it is called, and whose it is.
pub(super) fn shown(event: &Event) -> String {
    worded(name(event))
}

fn worded((kind, agent): Name) -> String {
    match agent {
        Some(agent) => format!("{kind} {}", agent.0),
        None => kind.to_owned(),
    }
}

impl Step {
    pub(super) fn shown(&self) -> String {
        match self {
            Step::Told(event) => shown(event),
            Step::Made(name) => worded(*name),
        }
    }
}

fn step(mut event: Event, old: &str, new: &str) -> Step {
    let renamed = |text: &mut String| {
        // Agents are called by their task's id, in whatever they say.
        if text.contains(old) {
            *text = text.replace(&format!("{old}/"), &format!("{new}/"));
        }
    };
    match &mut event {
        Event::Said {
            text, calls, cost, ..
        } => {
            renamed(text);
            for call in calls {
                renamed(&mut call.arguments);
            }
            *cost = Amounts::default();
        }
        Event::Summed { text, cost, .. } => {
            renamed(text);
            *cost = Amounts::default();
        }
        Event::Posted { text, .. } => renamed(text),
        // A time that has come, or an agent that the person ended.
        Event::Told { about: None, message } => renamed(&mut message.text),
        Event::Due { .. } | Event::Stopped { .. } | Event::Budgeted { .. } => {}
        // A budget may hold more now: nothing is spent on answers.
        Event::Rested {
            rest: Rest::Failed { .. },
            ..
        } => {}
        _ => return Step::Made(name(&event)),
    }
    Step::Told(Box::new(event))
}

#[cfg(test)]
mod tests {
    use super::super::super::Call;
    use super::*;

    #[test]
    fn answers_cost_nothing_and_name_the_agents_of_the_new_task() {
        let said = Event::Said {
            agent: AgentId(1),
            text: "Ask old2/3, not old/3; old is a word.".to_owned(),
            calls: vec![Call {
                arguments: r#"{"to":"old/3"}"#.to_owned(),
                ..Call::default()
            }],
            cost: Amounts::ONE_CALL,
        };
        let Step::Told(told) = step(said, "old", "new") else {
            panic!("an answer is told again");
        };
        let Event::Said {
            text, calls, cost, ..
        } = *told
        else {
            panic!("it is still an answer");
        };
        assert_eq!(text, "Ask old2/3, not new/3; old is a word.");
        assert_eq!(calls[0].arguments, r#"{"to":"new/3"}"#);
        assert_eq!(cost, Amounts::default());
    }

    #[test]
    fn a_call_that_was_interrupted_is_waited_for_as_one_that_gave_something() {
        let agent = AgentId(2);
        let interrupted = step(Event::Interrupted { agent, call: 0 }, "old", "new");
        assert!(matches!(interrupted, Step::Made((GAVE, Some(AgentId(2))))));
        assert!(!is_step(&Event::Begins { agent, call: 0 }) && !is_step(&Event::Resumed));
    }
}
