//! What the reading thread tells the JavaScript thread: messages, and stops that cannot wait.

use super::network::{Event, Refusal};
use crate::protocol::{Stop, ToGuest};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why JavaScript must return now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halt {
    TimeLimit,
    Cancelled,
    /// `process.exit()`.
    Exit,
    /// The owner is gone.
    Closed,
}

pub(crate) struct Control {
    inbox: Mutex<Inbox>,
    wake: Condvar,
    /// Read by the interrupt handler at every few thousand operations: must be cheap.
    halt: AtomicU8,
    began: Instant,
    /// When code that was given less time than the run ends, in nanoseconds since `began`.
    part: AtomicU64,
    /// It was interrupted for that.
    parted: AtomicBool,
}

/// No part of a run has less time than the run.
const WHOLE: u64 = u64::MAX;

impl Default for Control {
    fn default() -> Self {
        Control {
            inbox: Mutex::default(),
            wake: Condvar::default(),
            halt: AtomicU8::default(),
            began: Instant::now(),
            part: AtomicU64::new(WHOLE),
            parted: AtomicBool::default(),
        }
    }
}

/// How a part of a run ended that had less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// By itself, or with the run or a part around it.
    Ended,
    /// Its time was over.
    Late,
}

#[derive(Default)]
struct Inbox {
    messages: VecDeque<ToGuest>,
    /// As many at most as somebody waits for.
    events: VecDeque<Event>,
    closed: bool,
    /// The run that is open.
    run: Option<u64>,
    /// A stop for a run that is not open: it still waits in line, or it is over already.
    early: Option<(u64, Halt)>,
}

impl Control {
    /// `socket`: what came with it.
    pub(crate) fn push(&self, message: ToGuest, socket: Option<OwnedFd>) {
        let mut inbox = self.lock();
        match message {
            ToGuest::Stop { run, why } => {
                let halt = match why {
                    Stop::TimeLimit => Halt::TimeLimit,
                    Stop::Cancelled => Halt::Cancelled,
                };
                if inbox.run == Some(run) {
                    self.set(halt);
                } else {
                    inbox.early = Some((run, halt));
                }
            }
            ToGuest::Socket { id, address, port } => {
                if let Some(socket) = socket {
                    inbox.events.push_back(Event::Connected {
                        id,
                        socket,
                        address,
                        port,
                    });
                }
            }
            ToGuest::Refused {
                id,
                code,
                message,
                errno,
                address,
            } => {
                let refusal = Refusal {
                    code,
                    message,
                    errno,
                    address,
                };
                inbox.events.push_back(Event::Refused { id, refusal });
            }
            ToGuest::Resolved { id, addresses } => {
                inbox.events.push_back(Event::Resolved { id, addresses });
            }
            ToGuest::Listening { id, address, port } => {
                inbox.events.push_back(Event::Listening { id, address, port });
            }
            ToGuest::Spawned { id, pid } => inbox.events.push_back(Event::Spawned { id, pid }),
            ToGuest::Exited { id, code, signal } => {
                inbox.events.push_back(Event::Exited { id, code, signal });
            }
            other @ (ToGuest::Load(_) | ToGuest::Run { .. }) => inbox.messages.push_back(other),
        }
        self.wake.notify_all();
    }

    pub(crate) fn tell(&self, event: Event) {
        self.lock().events.push_back(event);
        self.wake.notify_all();
    }

    pub(crate) fn event(&self) -> Option<Event> {
        self.lock().events.pop_front()
    }

    /// The first event that is wanted, waited for until a halt or `deadline`. The others stay.
    pub(crate) fn event_of(&self, wanted: &dyn Fn(&Event) -> bool, deadline: Instant) -> Option<Event> {
        let mut inbox = self.lock();
        loop {
            if let Some(at) = inbox.events.iter().position(wanted) {
                return inbox.events.remove(at);
            }
            let now = Instant::now();
            if self.halted().is_some() || now >= deadline {
                return None;
            }
            inbox = self
                .wake
                .wait_timeout(inbox, deadline - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.set(Halt::Closed);
        self.wake.notify_all();
    }

    /// The next message; `None` when the owner is gone.
    pub(crate) fn next(&self) -> Option<ToGuest> {
        let mut inbox = self.lock();
        loop {
            if inbox.closed {
                return None;
            }
            if let Some(message) = inbox.messages.pop_front() {
                return Some(message);
            }
            inbox = self.wake.wait(inbox).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Opens a run: from here on stops concern it.
    pub(crate) fn open(&self, run: u64) {
        let mut inbox = self.lock();
        inbox.run = Some(run);
        if inbox.closed {
            return;
        }
        self.halt.store(0, Ordering::Release);
        if let Some((stopped, halt)) = inbox.early.take()
            && stopped == run
        {
            self.set(halt);
        }
    }

    pub(crate) fn close_run(&self) {
        let mut inbox = self.lock();
        inbox.run = None;
        if !inbox.closed {
            self.halt.store(0, Ordering::Release);
        }
    }

    /// Sleeps until `deadline`, or until a halt or an event.
    pub(crate) fn sleep_until(&self, deadline: Instant) {
        let mut inbox = self.lock();
        loop {
            let now = Instant::now();
            if self.halted().is_some() || !inbox.events.is_empty() || now >= deadline {
                return;
            }
            inbox = self
                .wake
                .wait_timeout(inbox, deadline - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    pub(crate) fn set(&self, halt: Halt) {
        let code = match halt {
            Halt::TimeLimit => 1,
            Halt::Cancelled => 2,
            Halt::Exit => 3,
            Halt::Closed => 4,
        };
        self.halt.store(code, Ordering::Release);
    }

    pub(crate) fn halted(&self) -> Option<Halt> {
        match self.halt.load(Ordering::Acquire) {
            1 => Some(Halt::TimeLimit),
            2 => Some(Halt::Cancelled),
            3 => Some(Halt::Exit),
            4 => Some(Halt::Closed),
            _ => None,
        }
    }

    /// Whether JavaScript must return now.
    pub(crate) fn interrupts(&self) -> bool {
        self.halted().is_some() || self.part_is_over()
    }

    fn part_is_over(&self) -> bool {
        let over = match self.part.load(Ordering::Relaxed) {
            WHOLE => false,
            part => self.began.elapsed().as_nanos() >= u128::from(part),
        };
        if over {
            self.parted.store(true, Ordering::Relaxed);
        }
        over
    }

    /// Does work that ends after so long at the latest, and before what is around it.
    pub(crate) fn within<R>(&self, time: Duration, work: impl FnOnce() -> R) -> (R, Part) {
        let around = self.part.load(Ordering::Relaxed);
        let end = (self.began.elapsed() + time).as_nanos();
        let own = u64::try_from(end).unwrap_or(WHOLE).min(around);
        self.part.store(own, Ordering::Relaxed);
        let done = work();
        self.part.store(around, Ordering::Relaxed);
        // Otherwise it is for the part around it to hear of.
        let late = own < around && self.parted.swap(false, Ordering::Relaxed) && self.halted().is_none();
        (done, if late { Part::Late } else { Part::Ended })
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
