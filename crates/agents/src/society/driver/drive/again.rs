//! A task that is done again: what came from outside then is told when its turn comes.

use super::super::super::event::Event;
use super::super::super::org::AgentId;
use super::super::super::state::{Effect, State};
use super::super::super::tools;
use super::super::replay::{self, Replay, Step};
use super::super::work::Came;
use super::Drive;
use base::Failure;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Drive {
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
                        return self.end();
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

    /// The agent whose tool gives what comes next. Nothing follows before it: what came together then was taken up
    /// together.
    pub(super) fn awaited(&self) -> Option<AgentId> {
        let Some(Ok(replay)) = &self.replay else {
            return None;
        };
        self.look(|state| {
            let agent = replay.awaited(state)?;
            let call = state.mind(agent)?.calls()?;
            (!tools::is_own(&call.name)).then_some(agent)
        })
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
            self.differs(None);
        }
        stuck
    }

    /// There are no more answers: whoever still wants one would ask a model, and that is the person's to say.
    fn end(&mut self) {
        let (step, busy) = self.look(|state| (state.replayed(), state.is_busy()));
        self.over(busy.then(|| Failure::new("society_replay_over").with("step", step)));
    }

    /// This would happen now, or nothing, where something else happened then.
    pub(super) fn differs(&mut self, now: Option<&Event>) {
        let Some(Ok(replay)) = &self.replay else { return };
        let (step, then) = self.look(|state| (state.replayed(), replay.next(state).map(Step::shown)));
        let failure = Failure::new("society_replay_differs")
            .with("step", step)
            .with("then", then.unwrap_or_default())
            .with("now", now.map_or("-".to_owned(), replay::shown));
        self.over(Some(failure));
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
