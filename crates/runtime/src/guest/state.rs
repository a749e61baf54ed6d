//! What the native functions of one engine share.

use super::control::Control;
use super::memory::Gauge;
use super::network;
use super::outbox::Outbox;
use crate::node::fs::Files;
use rquickjs::{Object, Persistent, Value};
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

pub(crate) struct State {
    pub(crate) control: Arc<Control>,
    pub(crate) outbox: Outbox,
    pub(crate) gauge: Arc<Gauge>,
    pub(crate) folder: PathBuf,
    pub(crate) main: String,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) started: Instant,
    /// What our JavaScript halves share (`node::internal`). Kept here, where no JavaScript finds it.
    pub(crate) internal: OnceCell<Persistent<Object<'static>>>,
    pub(crate) timers: RefCell<Timers>,
    pub(crate) network: network::Shared,
    pub(crate) files: RefCell<Files>,
    /// Promises that were rejected with nobody listening, and why.
    pub(crate) rejections: RefCell<Vec<(Persistent<Value<'static>>, Persistent<Value<'static>>)>>,
    /// An exception that no caller will see: thrown by a timer.
    pub(crate) stray: RefCell<Option<Persistent<Value<'static>>>>,
    pub(crate) exit_code: Cell<i32>,
    /// The package whose native addon was refused last: what it throws then may not say so.
    pub(crate) addon: std::cell::RefCell<Option<String>>,
    /// Whether `process.nextTick` was called since its callbacks were last run.
    pub(crate) ticks: Cell<bool>,
    /// Whether a run ended with timers or ticks, whose functions are still there.
    pub(crate) left: Cell<bool>,
    /// Whether stores go with what runs later (`node::async_hooks`).
    pub(crate) contexts: Cell<bool>,
    /// Whether the last job set the store of the next.
    pub(crate) carried: Cell<bool>,
    pub(crate) manifests: super::manifest::Manifests,
    /// Imports of packages that are not installed become stubs instead of errors.
    pub(crate) describing: bool,
    /// While describing: which names are imported from which specifier.
    pub(crate) stub_names: RefCell<super::loader::StubNames>,
    pub(crate) graph: super::cycle::Graph,
    pub(crate) extra: Option<super::Extra>,
}

pub(crate) type Shared = Rc<State>;

/// Armed timers by time. Their functions stay in JavaScript, by the same number.
#[derive(Default)]
pub(crate) struct Timers {
    /// Entries of timers that were armed again or cleared stay until their time comes.
    due: BinaryHeap<Reverse<(Instant, u64)>>,
    armed: HashMap<u64, Armed>,
    next: u64,
}

struct Armed {
    at: Instant,
    /// Whether waiting for it keeps a run open.
    held: bool,
}

impl Timers {
    pub(crate) fn arm(&mut self, at: Instant) -> u64 {
        self.next += 1;
        self.rearm(self.next, at);
        self.next
    }

    /// Arms again under the same number: intervals, and what is put off.
    pub(crate) fn rearm(&mut self, id: u64, at: Instant) {
        self.due.push(Reverse((at, id)));
        let held = self.armed.get(&id).is_none_or(|one| one.held);
        self.armed.insert(id, Armed { at, held });
        // Putting off again and again must not pile up.
        if self.due.len() > 64 + 4 * self.armed.len() {
            let armed = &self.armed;
            self.due
                .retain(|Reverse((at, id))| armed.get(id).is_some_and(|one| one.at == *at));
        }
    }

    pub(crate) fn disarm(&mut self, id: u64) {
        self.armed.remove(&id);
    }

    pub(crate) fn hold(&mut self, id: u64, held: bool) {
        if let Some(one) = self.armed.get_mut(&id) {
            one.held = held;
        }
    }

    /// Whether there is one that somebody wants to wait for.
    pub(crate) fn busy(&self) -> bool {
        self.armed.values().any(|one| one.held)
    }

    pub(crate) fn next_at(&mut self) -> Option<Instant> {
        while let Some(Reverse((at, id))) = self.due.peek() {
            if self.armed.get(id).is_some_and(|one| one.at == *at) {
                return Some(*at);
            }
            self.due.pop();
        }
        None
    }

    /// The next that is due. It is armed no more, but keeps its number while `rearm` follows.
    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<u64> {
        if self.next_at()? > now {
            return None;
        }
        let Reverse((_, id)) = self.due.pop()?;
        self.armed.remove(&id);
        Some(id)
    }

    /// Whether there were any.
    pub(crate) fn clear(&mut self) -> bool {
        let any = !self.due.is_empty();
        self.due.clear();
        self.armed.clear();
        any
    }
}
