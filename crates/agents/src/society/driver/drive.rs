//! One task that goes on: the loop that alone changes its state.

mod again;

use super::super::event::Event;
use super::super::org::AgentId;
use super::super::state::{Effect, State};
use super::super::{Amounts, Hold, Reply};
use super::replay::Replay;
use super::work::{Came, Held, Work};
use super::{Gauge, Inner, Wish, granted, shown, text};
use base::{Failure, clock};
use llm::Context;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;
use store::SocietyEvent;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// What is taken up at once before it is kept.
const TOGETHER: usize = 256;
/// Events that are kept at once, about: a society of programs alone would go on for ever.
const EVENTS: usize = 4_096;

pub(super) struct Drive {
    inner: Arc<Inner>,
    state: Arc<RwLock<State>>,
    gauges: Arc<Mutex<HashMap<AgentId, Gauge>>>,
    contexts: Arc<Mutex<HashMap<AgentId, Context>>>,
    end: CancellationToken,
    works: JoinSet<(AgentId, Came)>,
    /// For whom each of them is.
    of: HashMap<Id, AgentId>,
    going: BTreeMap<AgentId, Going>,
    /// Agents whose next call was said to begin by this process.
    begun: BTreeSet<AgentId>,
    /// Agents of whom it is to be looked whether what goes on is what is wanted.
    looked_at: BTreeSet<AgentId>,
    /// What has happened and is not kept yet.
    events: Vec<SocietyEvent>,
    /// How many events are kept.
    kept: u64,
    wished: Vec<Answered>,
    /// As long as answers are given again; or why they cannot be.
    replay: Option<Result<Replay, Failure>>,
    /// Results of tools that came before their turn in the replay.
    early: BTreeMap<AgentId, Came>,
}

/// Whoever wished for something, and what is said to it when that is kept.
type Answered = (oneshot::Sender<Result<(), Failure>>, Result<(), Failure>);

struct Going {
    effect: Effect,
    cancel: CancellationToken,
}

/// Whoever waits for something, and whether more may come.
enum Woken {
    Wish(Wish),
    Work(AgentId, Box<Came>),
    Time,
    End,
}

impl Drive {
    pub(super) fn new(
        inner: Arc<Inner>,
        state: Arc<RwLock<State>>,
        gauges: Arc<Mutex<HashMap<AgentId, Gauge>>>,
        end: CancellationToken,
        replay: Option<Result<Replay, Failure>>,
    ) -> Self {
        Drive {
            inner,
            state,
            gauges,
            contexts: Arc::default(),
            end,
            works: JoinSet::new(),
            of: HashMap::new(),
            going: BTreeMap::new(),
            begun: BTreeSet::new(),
            looked_at: BTreeSet::new(),
            events: Vec::new(),
            kept: 0,
            wished: Vec::new(),
            replay,
            early: BTreeMap::new(),
        }
    }

    /// Until it is ended, or what happens cannot be kept.
    pub(super) async fn run(
        mut self,
        id: String,
        mut wishes: mpsc::Receiver<Wish>,
        keeps: watch::Sender<u64>,
    ) {
        self.kept = *keeps.borrow();
        loop {
            if let Err(failure) = self.follow_and_keep(&id, &keeps).await {
                tracing::error!(task = id, %failure, "what happened in a society was not kept");
                break;
            }
            match self.woken(&mut wishes).await {
                Woken::End => break,
                woken => self.take(woken),
            }
            for _ in 0..TOGETHER {
                let Some(woken) = self.already(&mut wishes) else {
                    break;
                };
                self.take(woken);
            }
        }
        for going in self.going.values() {
            going.cancel.cancel();
        }
        // Tools that run are told, and end before the next process may begin them again.
        while self.works.join_next().await.is_some() {}
    }

    fn look<T>(&self, see: impl FnOnce(&State) -> T) -> T {
        see(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn woken(&mut self, wishes: &mut mpsc::Receiver<Wish>) -> Woken {
        // In a replay moments come when they came then.
        let wakes_at = match self.replay {
            Some(_) => None,
            None => self.look(State::wakes_at),
        };
        let wake = async {
            match wakes_at {
                Some(at) => {
                    let left = u64::try_from(at - clock::now_ms()).unwrap_or(0);
                    tokio::time::sleep(Duration::from_millis(left)).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.end.cancelled() => Woken::End,
            wish = wishes.recv() => wish.map_or(Woken::End, Woken::Wish),
            Some(done) = self.works.join_next_with_id() => self.done_of(done),
            () = wake => Woken::Time,
        }
    }

    /// What has come meanwhile.
    fn already(&mut self, wishes: &mut mpsc::Receiver<Wish>) -> Option<Woken> {
        if let Some(done) = self.works.try_join_next_with_id() {
            return Some(self.done_of(done));
        }
        wishes.try_recv().ok().map(Woken::Wish)
    }

    /// What broke off is a failure of the task, for the person to see.
    fn done_of(&mut self, done: Result<(Id, (AgentId, Came)), JoinError>) -> Woken {
        match done {
            Ok((id, (agent, came))) => {
                self.of.remove(&id);
                Woken::Work(agent, Box::new(came))
            }
            Err(error) => {
                tracing::error!(%error, "what was done for an agent broke off");
                let failure = Failure::new("internal").detail(error.to_string());
                match self.of.remove(&error.id()) {
                    Some(agent) => Woken::Work(agent, Box::new(Came::Failed(failure))),
                    None => Woken::Time,
                }
            }
        }
    }

    fn take(&mut self, woken: Woken) {
        match woken {
            Woken::Wish(Wish { wanted, told }) => {
                let wish = granted(
                    &self.state.read().unwrap_or_else(PoisonError::into_inner),
                    &wanted,
                );
                let answer = wish.map(|events| {
                    for event in events {
                        self.happened(&event);
                    }
                });
                self.wished.push((told, answer));
            }
            Woken::Work(agent, came) => self.done(agent, *came),
            Woken::Time | Woken::End => {}
        }
    }

    fn done(&mut self, agent: AgentId, came: Came) {
        if self.is_early(agent, &came) {
            self.early.insert(agent, came);
            return;
        }
        let Some(Going { effect, .. }) = self.going.remove(&agent) else {
            return;
        };
        self.looked_at.insert(agent);
        let (wanted, paused) = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            (state.wants(agent, &effect), state.paused().is_some())
        };
        // What was said to begin and was not made, for want of room, is still to be made by this process.
        if let (Effect::Call { begun: true, .. }, Came::Event(event, _)) = (&effect, &came)
            && !matches!(**event, Event::Gave { .. })
        {
            self.begun.insert(agent);
        }
        match came {
            Came::Event(event, held) if wanted => {
                self.happened_for(&event, held.and_then(Held::take));
            }
            Came::Failed(failure) if wanted && !paused => {
                let failure = Some(failure);
                self.happened(&Event::Paused { failure });
            }
            // What was called off, or is not wanted any more.
            Came::Event(..) | Came::Failed(_) | Came::Nothing => {}
        }
    }

    fn happened(&mut self, event: &Event) {
        self.happened_for(event, None);
    }

    /// What was held for it is free again in the same moment in which it is counted.
    fn happened_for(&mut self, event: &Event, hold: Option<Hold>) {
        let at = clock::now_ms();
        {
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            if let Some(hold) = hold {
                state.release(hold);
            }
            state.apply(event, at);
        }
        self.note(event, at);
    }

    fn note(&mut self, event: &Event, at: i64) {
        match text(event) {
            Ok(event) => self.events.push(SocietyEvent { at, event }),
            // All that is in an event can be written: names are texts, numbers finite.
            Err(failure) => tracing::error!(%failure, "an event cannot be written"),
        }
    }

    /// All that follows happens and is kept; then what is wanted outside begins.
    async fn follow_and_keep(&mut self, id: &str, keeps: &watch::Sender<u64>) -> Result<(), Failure> {
        loop {
            self.follow();
            let more = self.events.len() >= EVENTS;
            self.keep(id, keeps).await?;
            let began = self.begin();
            if self.events.is_empty() && !more && !began && !self.is_stuck() {
                return Ok(());
            }
        }
    }

    fn follow(&mut self) {
        loop {
            let before = self.events.len();
            self.tell_again();
            if let Some(agent) = self.awaited() {
                self.looked_at.insert(agent);
                return;
            }
            if let Err(event) = self.follows() {
                self.differs(Some(&event));
            }
            if self.replay.is_none() || self.events.len() == before || self.events.len() >= EVENTS {
                return;
            }
        }
    }

    /// What follows by itself; an error is what would, where something else did in the task that is done again.
    fn follows(&mut self) -> Result<(), Box<Event>> {
        let now = clock::now_ms();
        let state = Arc::clone(&self.state);
        let mut state = state.write().unwrap_or_else(PoisonError::into_inner);
        while self.events.len() < EVENTS
            && self.replay.is_none()
            && let Some(event) = state.wake(now)
        {
            state.apply(&event, now);
            self.note(&event, now);
        }
        while self.events.len() < EVENTS
            && let Some(agent) = state.next_touched()
        {
            self.looked_at.insert(agent);
            loop {
                let event = match state.follows(agent, now) {
                    Some(event) => event,
                    None => match self.program(&state, agent) {
                        Some(event) => event,
                        None => break,
                    },
                };
                if let Some(Ok(replay)) = &self.replay
                    && replay.differs(&state, &event)
                {
                    return Err(Box::new(event));
                }
                state.apply(&event, now);
                self.note(&event, now);
            }
        }
        Ok(())
    }

    /// The answer of an agent that is a program.
    fn program(&self, state: &State, agent: AgentId) -> Option<Event> {
        if !matches!(state.effect(agent), Some(Effect::Ask { .. })) || self.going.contains_key(&agent) {
            return None;
        }
        let Reply { text, calls, .. } = self.inner.outside.program(state, agent)?;
        let cost = Amounts::default();
        Some(Event::Said {
            agent,
            text,
            calls,
            cost,
        })
    }

    async fn keep(&mut self, id: &str, keeps: &watch::Sender<u64>) -> Result<(), Failure> {
        if !self.events.is_empty() {
            let events = std::mem::take(&mut self.events);
            let count = events.len() as u64;
            let shown = shown(&self.state.read().unwrap_or_else(PoisonError::into_inner));
            self.inner
                .store
                .add_society_events(id.to_owned(), self.kept, events, shown)
                .await?;
            self.kept += count;
            keeps.send_replace(self.kept);
        }
        for (told, answer) in self.wished.drain(..) {
            // Who wished for it may have gone away.
            let _ = told.send(answer);
        }
        Ok(())
    }

    /// What goes on becomes what is wanted. Whether something happened by that.
    fn begin(&mut self) -> bool {
        let state = Arc::clone(&self.state);
        let before = self.events.len();
        for agent in std::mem::take(&mut self.looked_at) {
            let (wanted, paused) = {
                let state = state.read().unwrap_or_else(PoisonError::into_inner);
                (state.effect(agent), state.paused().is_some())
            };
            if let Some(going) = self.going.get(&agent) {
                let same = match &wanted {
                    Some(wanted) => wanted.is(&going.effect),
                    // What goes on when a person pauses comes to its end.
                    None => paused,
                };
                if !same {
                    going.cancel.cancel();
                    // Nobody waits for what has come already.
                    if self.early.remove(&agent).is_some() {
                        self.going.remove(&agent);
                        self.looked_at.insert(agent);
                    }
                }
                // When it is over, it is looked at again.
                continue;
            }
            match wanted {
                None => {}
                Some(Effect::End) if !self.has_turn(|replay, state| replay.awaits_end(state, agent)) => {
                    self.looked_at.insert(agent);
                }
                Some(Effect::End) => self.happened(&Event::Ended { agent }),
                // Whoever opens the records next begins it.
                Some(_) if self.inner.quiet.load(Ordering::Acquire) => {}
                // It has its answer when that has its turn.
                Some(Effect::Ask { .. }) if self.replay.is_some() => {}
                Some(Effect::Ask { step }) => self.start(agent, Effect::Ask { step }, None),
                // Said to begin by this process, and then there was no room.
                Some(Effect::Call { begun: true, .. }) if paused && self.begun.contains(&agent) => {}
                Some(Effect::Call { call: nth, begun }) => self.call(agent, nth, begun),
            }
        }
        self.events.len() > before
    }

    fn call(&mut self, agent: AgentId, nth: usize, begun: bool) {
        let call = {
            let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
            state.mind(agent).and_then(|mind| mind.calls().cloned())
        };
        let Some(call) = call else { return };
        let effect = Effect::Call { call: nth, begun };
        if self.inner.outside.again(&call.name) {
            return self.start(agent, effect, Some(call));
        }
        match (begun, self.begun.remove(&agent)) {
            (false, _) => {
                self.begun.insert(agent);
                self.looked_at.insert(agent);
                self.happened(&Event::Begins { agent, call: nth });
            }
            (true, true) => self.start(agent, effect, Some(call)),
            // Another process began it, and was ended.
            (true, false) if self.has_turn(|replay, state| replay.awaits_result(state, agent)) => {
                self.happened(&Event::Interrupted { agent, call: nth });
            }
            (true, false) => {
                self.looked_at.insert(agent);
            }
        }
    }

    fn start(&mut self, agent: AgentId, effect: Effect, call: Option<super::super::Call>) {
        let cancel = self.end.child_token();
        let work = Work {
            inner: self.inner.clone(),
            state: Arc::clone(&self.state),
            contexts: Arc::clone(&self.contexts),
            gauges: Arc::clone(&self.gauges),
            agent,
            cancel: cancel.clone(),
        };
        let begun = match (&effect, call) {
            (Effect::Call { call: nth, .. }, Some(call)) => {
                let nth = *nth;
                self.works
                    .spawn(async move { (agent, work.call(nth, call).await) })
            }
            _ => self.works.spawn(async move { (agent, work.ask().await) }),
        };
        self.of.insert(begun.id(), agent);
        self.going.insert(agent, Going { effect, cancel });
    }
}
