//! The network as a worker has it: it asks the host for a connection and gets a socket. What is
//! read and written goes through that socket, without blocking JavaScript.
//!
//! One thread only waits until a socket is ready and says so; reading and writing happen on the
//! thread of JavaScript. At the end of a run nobody waits any more; open sockets stay, like all
//! that a tool keeps in its module.
//!
//! Deliberately not here: names and rights (the host's), TLS, Node's `net` and `http`.

use super::control::Control;
use super::failure::node_error;
use super::state::State;
use crate::protocol::FromGuest;
use rquickjs::{Ctx, Exception, Function, IntoJs, Object, Persistent, Promise, Result, TypedArray, Value};
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::net::{SendFlags, Shutdown};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sockets of one worker, those that are being connected included.
const SOCKETS: usize = 100;
/// Bytes of one read.
const READ: usize = 64 * 1024;
const STACK: usize = 256 * 1024;

/// What happened to something that somebody waits for.
#[derive(Debug)]
pub(crate) enum Event {
    Connected {
        id: u64,
        socket: OwnedFd,
        address: String,
        port: u16,
    },
    Refused {
        id: u64,
        code: String,
        message: String,
    },
    /// It can go on.
    Ready(u64),
}

#[derive(Default)]
pub(crate) struct Network {
    waiting: HashMap<u64, Waiting>,
    open: HashMap<u64, Arc<OwnedFd>>,
    next: u64,
    poller: Option<Arc<Poller>>,
}

struct Waiting {
    what: What,
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
}

enum What {
    Connect,
    Read {
        socket: u64,
    },
    Write {
        socket: u64,
        bytes: Vec<u8>,
        written: usize,
    },
}

impl What {
    fn socket(&self) -> Option<u64> {
        match self {
            What::Connect => None,
            What::Read { socket } | What::Write { socket, .. } => Some(*socket),
        }
    }
}

impl Network {
    /// Whether something may still come.
    pub(crate) fn busy(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Nobody waits any more.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    fn connecting(&self) -> usize {
        let connects = self.waiting.values();
        connects.filter(|one| matches!(one.what, What::Connect)).count()
    }
}

/// How far a piece of work came.
enum Step<'js> {
    Done(Value<'js>),
    NotYet,
}

/// Asks the host for a connection: a promise of `{id, address, port}`.
pub(crate) fn connect<'js>(ctx: &Ctx<'js>, state: &State, host: String, port: u16) -> Result<Promise<'js>> {
    {
        let network = state.network.borrow();
        if network.open.len() + network.connecting() >= SOCKETS {
            let message = format!("{SOCKETS} connections are open already");
            return Err(coded(ctx, "network_too_many", &message).map_or_else(|e| e, Exception::throw));
        }
    }
    let (id, promise) = wait_for(ctx, state, What::Connect)?;
    // A broken pipe ends the worker elsewhere.
    let _ = state.outbox.send(&FromGuest::Connect { id, host, port }, &[]);
    Ok(promise)
}

/// A promise of the next bytes, `null` at the end.
pub(crate) fn read<'js>(ctx: &Ctx<'js>, state: &State, socket: u64) -> Result<Promise<'js>> {
    begin(ctx, state, What::Read { socket })
}

/// A promise that is kept when all bytes are on their way.
pub(crate) fn write<'js>(ctx: &Ctx<'js>, state: &State, socket: u64, bytes: Vec<u8>) -> Result<Promise<'js>> {
    let what = What::Write {
        socket,
        bytes,
        written: 0,
    };
    begin(ctx, state, what)
}

/// Nothing more will be written.
pub(crate) fn end(state: &State, socket: u64) {
    if let Some(socket) = state.network.borrow().open.get(&socket) {
        // The other side may be gone already.
        let _ = rustix::net::shutdown(socket, Shutdown::Write);
    }
}

/// Whoever still reads or writes is told.
pub(crate) fn close(ctx: &Ctx<'_>, state: &State, socket: u64) -> Result<()> {
    let over: Vec<Waiting> = {
        let mut network = state.network.borrow_mut();
        if let Some(socket) = network.open.remove(&socket) {
            // The thread that waits for it lets go of it, too.
            let _ = rustix::net::shutdown(&socket, Shutdown::Both);
        }
        let of = |one: &Waiting| one.what.socket() == Some(socket);
        let over: Vec<u64> = network
            .waiting
            .iter()
            .filter(|(_, one)| of(one))
            .map(|(id, _)| *id)
            .collect();
        over.into_iter()
            .filter_map(|id| network.waiting.remove(&id))
            .collect()
    };
    for one in over {
        let error = coded(ctx, "ERR_SOCKET_CLOSED", "the socket was closed")?;
        one.reject.restore(ctx)?.call::<_, ()>((error,))?;
    }
    Ok(())
}

/// Brings what happened to whoever waits for it.
pub(crate) fn deliver(ctx: &Ctx<'_>, state: &State, event: Event) -> Result<()> {
    let (id, outcome) = match event {
        Event::Ready(id) => return go_on(ctx, state, id),
        Event::Refused { id, code, message } => (id, Err((code, message))),
        Event::Connected {
            id,
            socket,
            address,
            port,
        } => (id, Ok((socket, address, port))),
    };
    // Nobody waits any more: a socket is closed here.
    let Some(one) = state.network.borrow_mut().waiting.remove(&id) else {
        return Ok(());
    };
    match outcome {
        Ok((socket, address, port)) => {
            rustix::io::ioctl_fionbio(&socket, true)
                .map_err(|error| node_error(ctx, &error.into(), "connect", None))?;
            state.network.borrow_mut().open.insert(id, Arc::new(socket));
            let made = Object::new(ctx.clone())?;
            made.set("id", id as f64)?;
            made.set("address", address)?;
            made.set("port", port)?;
            one.resolve.restore(ctx)?.call((made,))
        }
        Err((code, message)) => one.reject.restore(ctx)?.call((coded(ctx, &code, &message)?,)),
    }
}

fn begin<'js>(ctx: &Ctx<'js>, state: &State, what: What) -> Result<Promise<'js>> {
    let (id, promise) = wait_for(ctx, state, what)?;
    go_on(ctx, state, id)?;
    Ok(promise)
}

fn wait_for<'js>(ctx: &Ctx<'js>, state: &State, what: What) -> Result<(u64, Promise<'js>)> {
    let (promise, resolve, reject) = Promise::new(ctx)?;
    let mut network = state.network.borrow_mut();
    network.next += 1;
    let id = network.next;
    let one = Waiting {
        what,
        resolve: Persistent::save(ctx, resolve),
        reject: Persistent::save(ctx, reject),
    };
    network.waiting.insert(id, one);
    Ok((id, promise))
}

/// Does as much of it as can be done without waiting.
fn go_on(ctx: &Ctx<'_>, state: &State, id: u64) -> Result<()> {
    let Some(mut one) = state.network.borrow_mut().waiting.remove(&id) else {
        return Ok(());
    };
    let socket = one
        .what
        .socket()
        .and_then(|socket| state.network.borrow().open.get(&socket).cloned());
    let Some(socket) = socket else {
        let error = coded(ctx, "ERR_SOCKET_CLOSED", "the socket is not open")?;
        return one.reject.restore(ctx)?.call((error,));
    };
    match step(ctx, &socket, &mut one.what) {
        Ok(Step::Done(value)) => one.resolve.restore(ctx)?.call((value,)),
        Ok(Step::NotYet) => {
            let flags = match one.what {
                What::Write { .. } => PollFlags::OUT,
                What::Connect | What::Read { .. } => PollFlags::IN,
            };
            let armed = arm(state, Armed { id, socket, flags });
            armed.map_err(|error| node_error(ctx, &error, "poll", None))?;
            state.network.borrow_mut().waiting.insert(id, one);
            Ok(())
        }
        Err(rquickjs::Error::Exception) => one.reject.restore(ctx)?.call((ctx.catch(),)),
        Err(other) => Err(other),
    }
}

fn step<'js>(ctx: &Ctx<'js>, socket: &OwnedFd, what: &mut What) -> Result<Step<'js>> {
    let failed = |error: rustix::io::Errno, name| node_error(ctx, &error.into(), name, None);
    match what {
        What::Connect => Ok(Step::NotYet),
        What::Read { .. } => {
            let mut buffer = vec![0; READ];
            match rustix::io::retry_on_intr(|| rustix::io::read(socket, &mut buffer)) {
                Ok(0) => Ok(Step::Done(Value::new_null(ctx.clone()))),
                Ok(count) => {
                    buffer.truncate(count);
                    Ok(Step::Done(
                        TypedArray::new_copy(ctx.clone(), buffer)?.into_js(ctx)?,
                    ))
                }
                Err(rustix::io::Errno::AGAIN) => Ok(Step::NotYet),
                Err(error) => Err(failed(error, "read")),
            }
        }
        What::Write { bytes, written, .. } => loop {
            let rest = &bytes[*written..];
            if rest.is_empty() {
                return Ok(Step::Done(Value::new_undefined(ctx.clone())));
            }
            match rustix::net::send(socket, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(count) => *written += count,
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Ok(Step::NotYet),
                Err(error) => return Err(failed(error, "write")),
            }
        },
    }
}

fn coded<'js>(ctx: &Ctx<'js>, code: &str, message: &str) -> Result<Exception<'js>> {
    let exception = Exception::from_message(ctx.clone(), message)?;
    exception.as_object().set("code", code)?;
    Ok(exception)
}

/// Waits for sockets, on a thread of its own.
struct Poller {
    armed: Mutex<Vec<Armed>>,
    wake: OwnedFd,
}

struct Armed {
    id: u64,
    socket: Arc<OwnedFd>,
    flags: PollFlags,
}

fn arm(state: &State, one: Armed) -> io::Result<()> {
    let known = state.network.borrow().poller.clone();
    let poller = match known {
        Some(poller) => poller,
        None => {
            let poller = Arc::new(Poller {
                armed: Mutex::default(),
                wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            });
            let (waiting, control) = (poller.clone(), state.control.clone());
            std::thread::Builder::new()
                .name("network".to_owned())
                .stack_size(STACK)
                .spawn(move || waiting.run(&control))?;
            state.network.borrow_mut().poller = Some(poller.clone());
            poller
        }
    };
    poller.armed().push(one);
    rustix::io::write(&poller.wake, &1_u64.to_ne_bytes())?;
    Ok(())
}

impl Poller {
    fn run(&self, control: &Control) {
        loop {
            let sockets: Vec<(u64, Arc<OwnedFd>, PollFlags)> = self
                .armed()
                .iter()
                .map(|one| (one.id, one.socket.clone(), one.flags))
                .collect();
            let mut all = vec![PollFd::new(&self.wake, PollFlags::IN)];
            all.extend(
                sockets
                    .iter()
                    .map(|(_, socket, flags)| PollFd::new(socket, *flags)),
            );
            match poll(&mut all, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return eprintln!("poll: {error}"),
            }
            let mut count = [0; 8];
            // Empty when nobody woke us.
            let _ = rustix::io::read(&self.wake, &mut count);
            let ready = all[1..].iter().zip(&sockets);
            let ready = ready.filter(|(polled, _)| !polled.revents().is_empty());
            for (_, (id, ..)) in ready {
                self.armed().retain(|one| one.id != *id);
                control.tell(Event::Ready(*id));
            }
        }
    }

    fn armed(&self) -> MutexGuard<'_, Vec<Armed>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) type Shared = RefCell<Network>;
