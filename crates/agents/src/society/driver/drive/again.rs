//! A task that is done again: what came from outside then is told when its turn comes.

use super::super::super::event::Event;
use super::super::super::org::AgentId;
use super::super::super::state::{Effect, State};
use super::super::replay::{Replay, Step};
use super::super::work::Came;
use super::Drive;
use base::Failure;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Drive {
    fn look<T>(&self, see: impl FnOnce(&State) -> T) -> T {
        see(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether something may happen now; outside a replay it always may.
    pub(super) fn has_turn(&self, see: impl FnOnce(&Replay, &State) -> bool) -> bool {
        match &self.replay {
            Some(Ok(replay)) => self.look(|state| see(replay, state)),
            Some(Err(_)) | None => true,
        }
    }

    /// Whether a result has to wait for its turn.
    pub(super) fn is_early(&self, agent: AgentId, came: &Came) -> bool {
        let wanted = || {
            let going = self.going.get(&agent);
            going.is_some_and(|going| self.look(|state| state.wants(agent, &going.effect)))
        };
        matches!(came, Came::Event(event, _) if matches!(**event, Event::Gave { .. }))
            && !self.has_turn(|replay, state| replay.awaits_result(state, agent))
            && wanted()
    }

    /// What came from outside then comes again, up to what follows by itself.
    pub(super) fn tell_again(&mut self) {
        loop {
            let replay = match &self.replay {
                None => return,
                Some(Ok(replay)) => replay,
                // Its records are gone, or cannot be read.
                Some(Err(failure)) => {
                    let failure = failure.clone();
                    return self.over(Some(failure));
                }
            };
            let (told, gave) = {
                let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
                if state.replays().is_none() {
                    drop(state);
                    return self.forget_replay();
                }
                if state.paused().is_some() {
                    return;
                }
                match replay.next(&state) {
                    None => {
                        drop(state);
                        return self.end_replay(None);
                    }
                    // Who is not asked has no answer: `is_stuck` sees it.
                    Some(Step::Told(event)) if is_unasked(&state, event) => return,
                    Some(Step::Told(event)) => (Some(event.clone()), None),
                    Some(Step::Made((_, agent))) => (None, *agent),
                }
            };
            if let Some(event) = told {
                self.happened(&event);
                continue;
            }
            let came =
                gave.filter(|agent| self.has_turn(|replay, state| replay.awaits_result(state, *agent)));
            let Some((agent, came)) = came.and_then(|agent| Some((agent, self.early.remove(&agent)?))) else {
                return;
            };
            self.done(agent, came);
        }
    }

    /// Whether what happened then cannot happen any more: nobody is about to make it. The replay is over then.
    pub(super) fn is_stuck(&mut self) -> bool {
        let Some(Ok(replay)) = &self.replay else {
            return false;
        };
        let stuck = self.look(|state| {
            if state.paused().is_some() || self.inner.quiet.load(Ordering::Acquire) {
                return false;
            }
            match replay.next(state) {
                Some(Step::Made((_, Some(agent)))) => {
                    !self.going.contains_key(agent) || self.early.contains_key(agent)
                }
                Some(Step::Made((_, None)) | Step::Told(_)) => true,
                None => false,
            }
        });
        if stuck {
            self.end_replay(Some("society_replay_differs"));
        }
        stuck
    }

    /// There are no more answers, or they are of no use: whoever still wants one would ask a model, and that is the
    /// person's to say.
    pub(super) fn end_replay(&mut self, why: Option<&'static str>) {
        let step = self.look(State::replayed);
        let why = why.or_else(|| self.look(State::is_busy).then_some("society_replay_over"));
        self.over(why.map(|code| Failure::new(code).with("step", step)));
    }

    fn over(&mut self, failure: Option<Failure>) {
        self.happened(&Event::ReplayEnded);
        if failure.is_some() {
            self.happened(&Event::Paused { failure });
        }
        self.forget_replay();
    }

    fn forget_replay(&mut self) {
        self.replay = None;
        for (agent, came) in std::mem::take(&mut self.early) {
            self.done(agent, came);
        }
    }
}

/// An answer for an agent that waits for none.
fn is_unasked(state: &State, event: &Event) -> bool {
    match event {
        Event::Said { agent, .. } | Event::Summed { agent, .. } => {
            !matches!(state.effect(*agent), Some(Effect::Ask { .. }))
        }
        _ => false,
    }
}
