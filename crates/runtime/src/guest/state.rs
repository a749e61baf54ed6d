//! What the native functions of one engine share.

use super::control::Control;
use super::memory::Gauge;
use super::network;
use super::outbox::Outbox;
use crate::node::fs::Files;
use rquickjs::{Object, Persistent, Value};
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
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
    /// Whether `process.nextTick` was called since its callbacks were last run.
    pub(crate) ticks: Cell<bool>,
    /// Whether a run ended with timers or ticks, whose functions are still there.
    pub(crate) left: Cell<bool>,
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
    due: BinaryHeap<Reverse<(Instant, u64)>>,
    next: u64,
}

impl Timers {
    pub(crate) fn arm(&mut self, at: Instant) -> u64 {
        self.next += 1;
        self.due.push(Reverse((at, self.next)));
        self.next
    }

    /// Arms again under the same number (intervals).
    pub(crate) fn rearm(&mut self, id: u64, at: Instant) {
        self.due.push(Reverse((at, id)));
    }

    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    pub(crate) fn pop_due(&mut self, now: Instant) -> Option<u64> {
        if self.next_at()? > now {
            return None;
        }
        self.due.pop().map(|Reverse((_, id))| id)
    }

    /// Whether there were any.
    pub(crate) fn clear(&mut self) -> bool {
        let any = !self.due.is_empty();
        self.due.clear();
        any
    }
}
