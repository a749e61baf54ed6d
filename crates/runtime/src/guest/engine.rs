//! One QuickJS engine with the Node layer, and its event loop.

use super::control::Control;
use super::failure;
use super::loader;
use super::memory::{Bounded, Gauge};
use super::network;
use super::outbox::Outbox;
use super::state::{Shared, State};
use super::{Extra, GuestError};
use crate::node;
use crate::protocol::{Cause, FromGuest, GuestFailure};
use rquickjs::function::IntoArgs;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Object, Persistent, Promise, Runtime, Value};
use std::cell::{Cell, OnceCell, RefCell};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What QuickJS may use of the thread's stack, bytes.
const STACK: usize = 4 * 1024 * 1024;

/// A sleep without a timer: something else will end it.
const LONG: Duration = Duration::from_secs(3600);

pub(crate) struct Setup {
    pub(crate) heap: u64,
    pub(crate) folder: PathBuf,
    pub(crate) main: String,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) purpose: Purpose,
    pub(crate) extra: Option<Extra>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Tool,
    /// A tool that is only asked what it is.
    Describing,
    /// Has no modules.
    Script,
}

/// An engine. Never dropped, since values of it are kept outside it: the worker's end is the end
/// of its process.
pub(crate) struct Engine {
    runtime: ManuallyDrop<Runtime>,
    context: ManuallyDrop<Context>,
    pub(crate) state: Shared,
}

impl Engine {
    pub(crate) fn new(control: Arc<Control>, outbox: Outbox, setup: Setup) -> Result<Self, GuestError> {
        let gauge = Arc::new(Gauge::default());
        let limit = usize::try_from(setup.heap).unwrap_or(usize::MAX);
        let runtime = ManuallyDrop::new(Runtime::new_with_alloc(Bounded::new(gauge.clone(), limit))?);
        runtime.set_max_stack_size(STACK);
        let interrupt = control.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || interrupt.interrupts())));
        let state: Shared = Rc::new(State {
            control,
            outbox,
            gauge,
            folder: setup.folder,
            main: setup.main,
            env: setup.env,
            started: Instant::now(),
            internal: OnceCell::new(),
            timers: RefCell::default(),
            network: RefCell::default(),
            files: RefCell::default(),
            rejections: RefCell::default(),
            stray: RefCell::default(),
            exit_code: Cell::new(0),
            addon: std::cell::RefCell::default(),
            ticks: Cell::new(false),
            left: Cell::new(false),
            contexts: Cell::new(false),
            carried: Cell::new(false),
            manifests: super::manifest::Manifests::default(),
            describing: setup.purpose == Purpose::Describing,
            stub_names: RefCell::default(),
            graph: super::cycle::Graph::default(),
            extra: setup.extra,
        });
        track_rejections(&runtime, state.clone());
        if setup.purpose != Purpose::Script {
            runtime.set_loader(
                loader::Resolve::new(state.clone()),
                loader::Load::new(state.clone()),
            );
        }
        let context = ManuallyDrop::new(Context::full(&runtime)?);
        context.with(|ctx| {
            node::install(&ctx, &state)?;
            match state.extra {
                Some(extra) => extra(&ctx, node::internal(&ctx, &state)?.get("require")?),
                None => Ok(()),
            }
        })?;
        Ok(Engine {
            runtime,
            context,
            state,
        })
    }

    pub(crate) fn with<R>(&self, work: impl for<'js> FnOnce(Ctx<'js>) -> R) -> R {
        self.context.with(work)
    }

    /// Whether promise reactions wait that no run turns any more.
    pub(crate) fn has_jobs(&self) -> bool {
        self.runtime.is_job_pending()
    }

    /// Calls `start` and turns the loop until the promise it gives is settled.
    /// `Ok` is the promise's value.
    pub(crate) fn settle(
        &self,
        start: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<Value<'js>>,
    ) -> Result<Persistent<Value<'static>>, GuestFailure> {
        if self.state.control.halted().is_none() && std::mem::take(&mut self.state.network.borrow_mut().swept)
        {
            self.tell_of_sweep();
            // Of what belonged to the run before, nothing ends this one.
            self.state.rejections.borrow_mut().clear();
            self.state.stray.borrow_mut().take();
        }
        let settled = self.start(start).and_then(|promise| self.turn(&promise));
        let ticks = self.state.ticks.take();
        self.sweep();
        if self.state.timers.borrow_mut().clear() || ticks {
            self.state.left.set(true);
        }
        self.state.rejections.borrow_mut().clear();
        self.state.stray.borrow_mut().take();
        settled
    }

    /// Closes what the run left open. Its listeners are told while it is still its time; where it
    /// has none left, before the next run begins.
    fn sweep(&self) {
        if self.state.network.borrow().is_empty() {
            return;
        }
        match self.state.control.halted() {
            None => self.tell_of_sweep(),
            Some(_) => self.state.network.borrow_mut().swept = true,
        }
        let servers = self.state.network.borrow_mut().clear();
        for server in servers {
            // A broken pipe ends the worker elsewhere.
            let _ = self.state.outbox.send(&FromGuest::Unlisten { server }, &[]);
        }
    }

    /// What a listener throws now is nobody's: the run has its result.
    fn tell_of_sweep(&self) {
        let _ = self.run_own("closeSockets", ());
        let _ = self.run_jobs();
    }

    fn start(
        &self,
        start: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<Value<'js>>,
    ) -> Result<Persistent<Value<'static>>, GuestFailure> {
        // Not at the end of the last one: what a halt ended must not run on.
        if self.state.left.take() {
            self.run_own("forget", ())?;
        }
        self.leave()?;
        self.state.graph.at_rest();
        self.with(|ctx| match start(&ctx) {
            Ok(value) => Ok(Persistent::save(&ctx, value)),
            Err(error) => Err(failure::take(&ctx, &self.state, error)),
        })
    }

    fn turn(&self, awaited: &Persistent<Value<'static>>) -> Result<Persistent<Value<'static>>, GuestFailure> {
        loop {
            self.run_jobs()?;
            if let Some(failure) = failure::halted(&self.state).or_else(|| self.stray()) {
                return Err(failure);
            }
            if let Some(settled) = self.settled(awaited) {
                return settled;
            }
            if let Some(event) = self.state.control.event() {
                self.with(|ctx| {
                    network::deliver(&ctx, &self.state, event)
                        .map_err(|error| failure::take(&ctx, &self.state, error))
                })?;
                continue;
            }
            let now = Instant::now();
            let due = self.state.timers.borrow_mut().pop_due(now);
            match due {
                Some(id) => self.fire(id)?,
                None => {
                    let next = self.state.timers.borrow_mut().next_at();
                    if !self.state.timers.borrow().busy() && !self.state.network.borrow().busy() {
                        return Err(GuestFailure::new(
                            Cause::NeverSettles,
                            "nothing is left to wait for",
                        ));
                    }
                    self.state.control.sleep_until(next.unwrap_or(now + LONG));
                }
            }
        }
    }

    /// Ticks, then promise reactions, until there are none or a halt comes. Ticks that come up
    /// among reactions wait until those are through, as in Node.
    fn run_jobs(&self) -> Result<(), GuestFailure> {
        if self.state.ticks.replace(false) {
            self.run_own("runTicks", ())?;
        }
        while self.state.control.halted().is_none() {
            self.state.graph.at_rest();
            match self.runtime.execute_pending_job() {
                Ok(true) => self.leave()?,
                Ok(false) if self.state.ticks.replace(false) => self.run_own("runTicks", ())?,
                Ok(false) => break,
                Err(exception) => {
                    return Err(exception
                        .0
                        .with(|ctx| failure::take(&ctx, &self.state, rquickjs::Error::Exception)));
                }
            }
        }
        Ok(())
    }

    fn settled(
        &self,
        awaited: &Persistent<Value<'static>>,
    ) -> Option<Result<Persistent<Value<'static>>, GuestFailure>> {
        self.with(|ctx| {
            let value = match awaited.clone().restore(&ctx) {
                Ok(value) => value,
                Err(error) => return Some(Err(failure::take(&ctx, &self.state, error))),
            };
            let Some(promise) = value.as_promise() else {
                return Some(Ok(Persistent::save(&ctx, value)));
            };
            match promise.state() {
                PromiseState::Pending => None,
                PromiseState::Resolved | PromiseState::Rejected => Some(match promise.result::<Value>() {
                    Some(Ok(value)) => Ok(Persistent::save(&ctx, value)),
                    Some(Err(error)) => Err(failure::take(&ctx, &self.state, error)),
                    None => Err(GuestFailure::new(Cause::NeverSettles, "promise is pending")),
                }),
            }
        })
    }

    fn fire(&self, id: u64) -> Result<(), GuestFailure> {
        self.run_own("fireTimer", (id as f64,))
    }

    /// Nothing that runs next has the store of what has ended.
    fn leave(&self) -> Result<(), GuestFailure> {
        if !self.state.contexts.get() {
            return Ok(());
        }
        self.with(|ctx| {
            node::leave(&ctx, &self.state).map_err(|error| failure::take(&ctx, &self.state, error))
        })
    }

    /// Calls a function of `node::internal`.
    fn run_own(&self, name: &str, args: impl for<'js> IntoArgs<'js>) -> Result<(), GuestFailure> {
        self.state.graph.at_rest();
        self.with(|ctx| {
            let ran = (|| {
                node::internal(&ctx, &self.state)?
                    .get::<_, Function>(name)?
                    .call::<_, ()>(args)
            })();
            ran.map_err(|error| failure::take(&ctx, &self.state, error))
        })?;
        self.leave()
    }

    /// A rejection that nobody handles ends the run, as it ends a Node process.
    fn stray(&self) -> Option<GuestFailure> {
        let reason = {
            let mut rejections = self.state.rejections.borrow_mut();
            let first = if rejections.is_empty() {
                None
            } else {
                Some(rejections.remove(0).1)
            };
            first.or_else(|| self.state.stray.borrow_mut().take())
        }?;
        self.with(|ctx| match reason.restore(&ctx) {
            Ok(value) => Some(failure::from_value(&self.state, value)),
            Err(error) => Some(failure::take(&ctx, &self.state, error)),
        })
    }
}

fn track_rejections(runtime: &Runtime, state: Shared) {
    runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
        let promise = Persistent::save(&ctx, promise);
        let mut rejections = state.rejections.borrow_mut();
        if handled {
            rejections.retain(|(known, _)| *known != promise);
        } else {
            rejections.push((promise, Persistent::save(&ctx, reason)));
        }
    })));
}

/// A promise for `value`, whatever it is.
pub(crate) fn promised<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<Value<'js>> {
    if value.is_promise() {
        return Ok(value);
    }
    let (promise, resolve, _): (Promise, Function, Function) = Promise::new(ctx)?;
    resolve.call::<_, ()>((value,))?;
    Ok(promise.into_value())
}

/// A plain object from pairs of text.
pub(crate) fn object_of<'js>(ctx: &Ctx<'js>, pairs: &[(String, String)]) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    for (name, value) in pairs {
        object.set(name.as_str(), value.as_str())?;
    }
    Ok(object)
}
