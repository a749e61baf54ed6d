//! Whoever keeps societies: applies what happens, keeps it, and only then asks models and calls tools.
//!
//! Each task has one task of tokio, which alone changes its state. What happens together is kept in one transaction.
//! A task whose events could not be kept is forgotten and read again: it is what the records say.

mod drive;
mod outside;
mod replay;
mod work;

use super::event::{Event, RoleTemplate};
use super::org::AgentId;
use super::state::State;
use super::{Budget, ROOT};
use base::{Failure, Lang, clock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use store::{Actor, SocietyEvent, SocietyShown, SocietyTask, Store};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use outside::{Outside, Reply, Terms, Who};
pub(super) use replay::is_step;

/// Wishes that wait; who wishes waits when there are more.
const WISHES: usize = 64;
/// Events that are read at once.
const PAGE: u32 = 2_000;

/// How much goes on at the same time, in all tasks together.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce {
    /// Models that are asked.
    pub asks: usize,
    /// Tools that are called.
    pub calls: usize,
}

impl Default for AtOnce {
    fn default() -> Self {
        AtOnce { asks: 8, calls: 8 }
    }
}

/// All tasks of this process. Cheap to clone.
#[derive(Clone)]
pub struct Society {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    outside: Arc<dyn Outside>,
    asks: Arc<Semaphore>,
    calls: Arc<Semaphore>,
    open: tokio::sync::Mutex<HashMap<String, Arc<Open>>>,
    /// Whoever only looks at a task lets nothing begin in it: a process that is there for a moment asks no model.
    drives: AtomicBool,
    /// Nothing new is begun outside.
    quiet: AtomicBool,
    /// Cancelled when nothing is begun any more.
    end: CancellationToken,
    running: TaskTracker,
}

/// A task that goes on, or could.
struct Open {
    state: Arc<RwLock<State>>,
    wishes: mpsc::Sender<Wish>,
    /// Counts what was kept.
    kept: watch::Receiver<u64>,
    gauges: Arc<std::sync::Mutex<HashMap<AgentId, Gauge>>>,
    /// Cancelled to end it; it ends as well when its events cannot be kept.
    end: CancellationToken,
}

/// How full an agent's context was when its model was asked last, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    pub tokens: u64,
    pub window: u64,
}

/// What a person wants to happen to a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    Post {
        to: AgentId,
        text: String,
    },
    Pause,
    Resume,
    /// An agent and all below it; the root is the task.
    Stop {
        agent: AgentId,
    },
    Budget(Budget),
}

struct Wish {
    wanted: Wanted,
    told: oneshot::Sender<Result<(), Failure>>,
}

/// What a person wants, as a task begins with it.
#[derive(Clone, Debug)]
pub struct Requirement {
    pub title: String,
    pub text: String,
    pub lang: Lang,
    pub budget: Budget,
    pub service: Option<String>,
    pub roles: Vec<RoleTemplate>,
    /// The task whose models' answers are given again, instead of asking any.
    pub replays: Option<String>,
}

impl Society {
    pub fn new(store: Store, outside: Arc<dyn Outside>, at_once: AtOnce) -> Self {
        Society {
            inner: Arc::new(Inner {
                store,
                outside,
                asks: Arc::new(Semaphore::new(at_once.asks)),
                calls: Arc::new(Semaphore::new(at_once.calls)),
                open: tokio::sync::Mutex::default(),
                drives: AtomicBool::new(false),
                quiet: AtomicBool::new(false),
                end: CancellationToken::new(),
                running: TaskTracker::new(),
            }),
        }
    }

    /// A new task, which begins at once.
    pub async fn submit(
        &self,
        id: String,
        wanted: Requirement,
        actor: Actor,
    ) -> Result<SocietyTask, Failure> {
        let begun = Event::Begun {
            text: wanted.text,
            lang: wanted.lang,
            budget: wanted.budget,
            service: wanted.service,
            roles: wanted.roles,
            replays: wanted.replays,
        };
        let at = clock::now_ms();
        let mut state = State::new(id.clone());
        state.apply(&begun, at);
        let event = SocietyEvent {
            at,
            event: text(&begun)?,
        };
        let adding =
            self.inner
                .store
                .add_society_task(id.clone(), wanted.title, actor, vec![event], shown(&state));
        let row = adding.await?;
        self.open(&id).await?;
        Ok(row)
    }

    /// What a task began with, to be done again with the answers that its models gave.
    pub async fn again(&self, id: &str) -> Result<Requirement, Failure> {
        let title = self.inner.store.society_task(id.to_owned()).await?.title;
        let first = self.inner.store.society_events(id.to_owned(), 0, 1).await?;
        let begun = first
            .first()
            .map(|happened| serde_json::from_str(&happened.event).map_err(store::StoreError::Json));
        match begun.transpose()? {
            Some(Event::Begun {
                text,
                lang,
                budget,
                service,
                roles,
                ..
            }) => Ok(Requirement {
                title,
                text,
                lang,
                budget,
                service,
                roles,
                replays: Some(id.to_owned()),
            }),
            _ => Err(Failure::new("society_task_changed").with("task", id)),
        }
    }

    /// Tasks in which somebody had something to do when the last process ended go on, and any other that is looked at.
    pub async fn resume(&self) -> Result<usize, Failure> {
        self.inner.drives.store(true, Ordering::Release);
        let rows = self.inner.store.society_tasks(false).await?;
        let busy: Vec<SocietyTask> = rows.into_iter().filter(|row| row.shown.busy).collect();
        for row in &busy {
            self.open(&row.id).await?;
        }
        Ok(busy.len())
    }

    /// Something of a task as it stands now.
    pub async fn look<T>(&self, id: &str, see: impl FnOnce(&State) -> T) -> Result<T, Failure> {
        let drives = self.inner.drives.load(Ordering::Acquire);
        if !drives && !self.inner.open.lock().await.contains_key(id) {
            return Ok(see(&self.read(id, None).await?));
        }
        let open = self.open(id).await?;
        let state = open.state.read().unwrap_or_else(PoisonError::into_inner);
        Ok(see(&state))
    }

    /// The same of a task as it was behind so many events.
    pub async fn look_back<T>(
        &self,
        id: &str,
        events: u64,
        see: impl FnOnce(&State) -> T,
    ) -> Result<T, Failure> {
        Ok(see(&self.read(id, Some(events)).await?))
    }

    /// How full the contexts of its agents were; of a task that does not go on, nobody knows.
    pub async fn gauges(&self, id: &str) -> HashMap<AgentId, Gauge> {
        match self.inner.open.lock().await.get(id) {
            Some(open) => open.gauges.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => HashMap::new(),
        }
    }

    /// Lets something happen to a task; it is kept when this returns.
    pub async fn want(&self, id: &str, wanted: Wanted) -> Result<(), Failure> {
        let open = self.open(id).await?;
        let (told, waits) = oneshot::channel();
        let gone = |_| Failure::new("society_task_changed").with("task", id);
        let wish = Wish { wanted, told };
        open.wishes.send(wish).await.map_err(|_| gone(()))?;
        waits.await.map_err(|_| gone(()))?
    }

    /// Resolves when nobody in a task has anything to do, or it is paused.
    pub async fn settled(&self, id: &str) -> Result<(), Failure> {
        let open = self.open(id).await?;
        let mut kept = open.kept.clone();
        loop {
            {
                let state = open.state.read().unwrap_or_else(PoisonError::into_inner);
                if state.events() == *kept.borrow_and_update()
                    && (!state.is_busy() || state.paused().is_some())
                {
                    return Ok(());
                }
            }
            if kept.changed().await.is_err() {
                return Err(Failure::new("society_task_changed").with("task", id));
            }
        }
    }

    /// Whether somebody has something to do in a task that is open here.
    pub fn is_at_work(&self) -> bool {
        // Whoever opens one just now has something to do with it.
        let Ok(open) = self.inner.open.try_lock() else {
            return true;
        };
        open.values().any(|there| {
            let state = there.state.read().unwrap_or_else(PoisonError::into_inner);
            !there.wishes.is_closed() && state.is_busy() && state.paused().is_none()
        })
    }

    /// Ends what goes on in a task and forgets it; its records stay.
    pub async fn close(&self, id: &str) {
        let taken = self.inner.open.lock().await.remove(id);
        if let Some(open) = taken {
            open.end.cancel();
            // It drops its end when it has ended.
            let mut kept = open.kept.clone();
            while kept.changed().await.is_ok() {}
        }
    }

    /// Nothing new is begun; what goes on may come to its end.
    pub fn quiesce(&self) {
        self.inner.quiet.store(true, Ordering::Release);
    }

    /// Nothing is begun any more; resolves when nothing goes on.
    pub async fn shut_down(&self) {
        self.inner.end.cancel();
        self.inner.running.close();
        self.inner.running.wait().await;
    }

    async fn open(&self, id: &str) -> Result<Arc<Open>, Failure> {
        let mut open = self.inner.open.lock().await;
        if let Some(there) = open.get(id).filter(|there| !there.wishes.is_closed()) {
            return Ok(there.clone());
        }
        let state = self.read(id, None).await?;
        let replay = match state.replays() {
            Some(old) => Some(replay::Replay::read(&self.inner.store, old, id).await),
            None => None,
        };
        let (wishes, wished) = mpsc::channel(WISHES);
        let (keeps, kept) = watch::channel(state.events());
        let state = Arc::new(RwLock::new(state));
        let gauges = Arc::default();
        let end = self.inner.end.child_token();
        let there = Arc::new(Open {
            state: Arc::clone(&state),
            wishes,
            kept,
            gauges: Arc::clone(&gauges),
            end: end.clone(),
        });
        let drive = drive::Drive::new(self.inner.clone(), state, gauges, end, replay);
        self.inner.running.spawn(drive.run(id.to_owned(), wished, keeps));
        open.insert(id.to_owned(), there.clone());
        Ok(there)
    }

    /// What the records say of a task, up to so many events.
    async fn read(&self, id: &str, events: Option<u64>) -> Result<State, Failure> {
        let row = self.inner.store.society_task(id.to_owned()).await?;
        let events = events.map_or(row.events, |events| events.min(row.events));
        let mut state = State::new(id);
        each_event(&self.inner.store, id, events, |event, at| state.apply(&event, at)).await?;
        state.touch_all();
        Ok(state)
    }
}

/// The first so many events of a task, in their order, each with its moment.
async fn each_event(
    store: &Store,
    id: &str,
    events: u64,
    mut hear: impl FnMut(Event, i64),
) -> Result<(), Failure> {
    let mut heard = 0;
    while heard < events {
        let most = u32::try_from(events - heard).unwrap_or(PAGE).min(PAGE);
        let page = store.society_events(id.to_owned(), heard, most).await?;
        if page.is_empty() {
            return Err(Failure::new("society_task_changed").with("task", id));
        }
        heard += page.len() as u64;
        for happened in page {
            let event = serde_json::from_str(&happened.event).map_err(store::StoreError::Json)?;
            hear(event, happened.at);
        }
    }
    Ok(())
}

fn text(event: &Event) -> Result<String, Failure> {
    serde_json::to_string(event).map_err(|error| Failure::new("internal").detail(error.to_string()))
}

fn shown(state: &State) -> SocietyShown {
    let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    SocietyShown {
        agents: count(state.org().agents().count()),
        messages: count(state.messages().len()),
        busy: state.is_busy(),
        paused: state.paused().is_some(),
        stopped: state.is_stopped(),
        told: count(state.told_user()),
    }
}

/// What a wish makes happen, or why it cannot.
fn granted(state: &State, wanted: &Wanted) -> Result<Vec<Event>, Failure> {
    let acting = |agent: AgentId| match state.org().acting(agent) {
        Ok(_) => Ok(()),
        Err(super::SocietyError::SenderTerminated) => {
            Err(Failure::of(&super::SocietyError::AgentTerminating))
        }
        Err(error) => Err(Failure::of(&error)),
    };
    let replays = state.replays().is_some();
    Ok(match wanted {
        // It would be another task than the one that is done again.
        Wanted::Post { .. } | Wanted::Budget(_) if replays => return Err(Failure::new("society_replays")),
        Wanted::Post { to, text } => {
            acting(*to)?;
            vec![Event::Posted {
                to: *to,
                text: text.clone(),
            }]
        }
        Wanted::Pause if state.paused().is_none() => vec![Event::Paused { failure: None }],
        Wanted::Resume if state.paused().is_some() => vec![Event::Resumed],
        Wanted::Pause | Wanted::Resume => Vec::new(),
        Wanted::Stop { agent } => {
            state.org().agent(*agent).map_err(|error| Failure::of(&error))?;
            let stopped = Event::Stopped { agent: *agent };
            // Whoever made it would wait for its answer.
            let told = state.stopped_notice(*agent);
            let over = replays.then_some(Event::ReplayEnded);
            over.into_iter().chain([stopped]).chain(told).collect()
        }
        Wanted::Budget(budget) => {
            acting(ROOT)?;
            vec![Event::Budgeted { budget: *budget }]
        }
    })
}
