//! The network as a worker has it: it asks the host for a connection and gets a socket. What is
//! read and written goes through that socket, without blocking JavaScript.
//!
//! One thread only waits until a socket is ready and says so (`poller`); reading and writing happen
//! on the thread of JavaScript. At the end of a run every socket is closed and nothing listens any
//! more: what a run may reach belongs to the run, and so does what it reached.
//!
//! Deliberately not here: names and rights (the host's), TLS, Node's `net` and `http`.

use super::failure::node_error;
use super::poller::{Armed, Poller};
use super::state::State;
use crate::protocol::FromGuest;
use rquickjs::{Ctx, Exception, Function, IntoJs, Object, Persistent, Promise, Result, TypedArray, Value};
use rustix::event::PollFlags;
use rustix::net::{SendFlags, Shutdown, SocketAddrAny, sockopt};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

/// Sockets of one worker, those that are being connected included.
pub(super) const SOCKETS: usize = 100;
/// Bytes of one read.
const READ: usize = 64 * 1024;

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
        refusal: Refusal,
    },
    Resolved {
        id: u64,
        addresses: Vec<String>,
    },
    Listening {
        id: u64,
        address: String,
        port: u16,
    },
    Spawned {
        id: u64,
        pid: u32,
    },
    Exited {
        id: u64,
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// It can go on.
    Ready(u64),
}

/// Why the host gave nothing.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) errno: Option<i32>,
    pub(crate) address: Option<String>,
}

#[derive(Default)]
pub(crate) struct Network {
    waiting: HashMap<u64, Waiting>,
    open: HashMap<u64, Arc<OwnedFd>>,
    servers: HashSet<u64>,
    /// Sockets and servers whose waiting keeps no run open.
    unheld: HashSet<u64>,
    /// `Accept` that waits for room: its number and its server.
    full: VecDeque<(u64, u64)>,
    /// JavaScript was not told yet that all was closed.
    pub(crate) swept: bool,
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
    Resolve,
    Listen,
    Accept {
        server: u64,
    },
    /// The end of a program.
    Exit {
        child: u64,
    },
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
    /// The socket or the server that it belongs to.
    fn of(&self) -> Option<u64> {
        match self {
            What::Connect | What::Resolve | What::Listen => None,
            What::Accept { server } => Some(*server),
            What::Exit { child } => Some(*child),
            What::Read { socket } | What::Write { socket, .. } => Some(*socket),
        }
    }
}

impl Network {
    /// Whether something may still come that somebody wants to wait for.
    pub(crate) fn busy(&self) -> bool {
        let held = |one: &Waiting| one.what.of().is_none_or(|id| !self.unheld.contains(&id));
        self.waiting.values().any(held)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.servers.is_empty() && self.waiting.is_empty()
    }

    /// Everything is closed, and nobody waits any more. Gives the servers that were there.
    pub(crate) fn clear(&mut self) -> Vec<u64> {
        for (_, socket) in self.open.drain() {
            // The thread that waits for it lets go of it, too.
            let _ = rustix::net::shutdown(&socket, Shutdown::Both);
        }
        self.waiting.clear();
        self.unheld.clear();
        self.full.clear();
        self.servers.drain().collect()
    }

    /// A number for something that is asked of the host.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// A stream of a program, under the number that was asked for.
    pub(super) fn adopt(&mut self, id: u64, socket: OwnedFd) -> io::Result<()> {
        rustix::io::ioctl_fionbio(&socket, true)?;
        self.open.insert(id, Arc::new(socket));
        Ok(())
    }

    /// Sockets that are there or are coming.
    pub(super) fn sockets(&self) -> usize {
        let coming = self.waiting.iter().filter(|(id, one)| match one.what {
            What::Connect => true,
            What::Accept { .. } => !self.full.iter().any(|(full, _)| full == *id),
            _ => false,
        });
        self.open.len() + coming.count()
    }
}

/// How far a piece of work came.
enum Step<'js> {
    Done(Value<'js>),
    NotYet,
}

/// Asks the host for a connection: a promise of `{id, address, port, localAddress, localPort}`.
pub(crate) fn connect<'js>(ctx: &Ctx<'js>, state: &State, host: String, port: u16) -> Result<Promise<'js>> {
    if state.network.borrow().sockets() >= SOCKETS {
        let message = format!("{SOCKETS} connections are open already");
        return Err(coded(ctx, "network_too_many", &message).map_or_else(|e| e, Exception::throw));
    }
    let (id, promise) = wait_for(ctx, state, What::Connect)?;
    send(state, &FromGuest::Connect { id, host, port });
    Ok(promise)
}

/// A promise of the addresses of a name.
pub(crate) fn resolve<'js>(ctx: &Ctx<'js>, state: &State, host: String) -> Result<Promise<'js>> {
    let (id, promise) = wait_for(ctx, state, What::Resolve)?;
    send(state, &FromGuest::Resolve { id, host });
    Ok(promise)
}

/// Asks the host to listen: a promise of `{id, address, port}`.
pub(crate) fn listen<'js>(ctx: &Ctx<'js>, state: &State, host: String, port: u16) -> Result<Promise<'js>> {
    let (id, promise) = wait_for(ctx, state, What::Listen)?;
    send(state, &FromGuest::Listen { id, host, port });
    Ok(promise)
}

/// A promise of the next connection to a server, as of [`connect`].
pub(crate) fn accept<'js>(ctx: &Ctx<'js>, state: &State, server: u64) -> Result<Promise<'js>> {
    let full = state.network.borrow().sockets() >= SOCKETS;
    let (id, promise) = wait_for(ctx, state, What::Accept { server })?;
    match full {
        true => state.network.borrow_mut().full.push_back((id, server)),
        false => send(state, &FromGuest::Accept { id, server }),
    }
    Ok(promise)
}

/// Whether waiting for this socket or server keeps a run open.
pub(crate) fn hold(state: &State, id: u64, held: bool) {
    let unheld = &mut state.network.borrow_mut().unheld;
    match held {
        true => unheld.remove(&id),
        false => unheld.insert(id),
    };
}

pub(super) fn send(state: &State, message: &FromGuest) {
    // A broken pipe ends the worker elsewhere.
    let _ = state.outbox.send(message, &[]);
}

#[derive(Clone, Copy)]
pub(crate) enum Tuning {
    NoDelay(bool),
    /// Idle time before the first question; `None` is off.
    KeepAlive(Option<Duration>),
}

pub(crate) fn tune(state: &State, socket: u64, tuning: Tuning) {
    let Some(socket) = state.network.borrow().open.get(&socket).cloned() else {
        return;
    };
    // As in Node, nobody is told: the other side may be gone already.
    let _ = match tuning {
        Tuning::NoDelay(on) => sockopt::set_tcp_nodelay(&socket, on),
        Tuning::KeepAlive(None) => sockopt::set_socket_keepalive(&socket, false),
        Tuning::KeepAlive(Some(idle)) => sockopt::set_socket_keepalive(&socket, true)
            .and_then(|()| sockopt::set_tcp_keepidle(&socket, idle.max(Duration::from_secs(1)))),
    };
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

/// Closes a socket or a server. Whoever still waits for it is told. `reset`: what was not sent yet is
/// dropped, and the other side learns of it.
pub(crate) fn close(ctx: &Ctx<'_>, state: &State, id: u64, reset: bool) -> Result<()> {
    let (over, next) = {
        let mut network = state.network.borrow_mut();
        network.unheld.remove(&id);
        if let Some(socket) = network.open.remove(&id) {
            if reset {
                let _ = sockopt::set_socket_linger(&socket, Some(Duration::ZERO));
                if let Some(poller) = &network.poller {
                    poller.disarm(&socket);
                }
            } else {
                // The thread that waits for it lets go of it, too.
                let _ = rustix::net::shutdown(&socket, Shutdown::Both);
            }
        }
        if network.servers.remove(&id) {
            send(state, &FromGuest::Unlisten { server: id });
        }
        let of: Vec<u64> = network
            .waiting
            .iter()
            .filter(|(_, one)| one.what.of() == Some(id))
            .map(|(id, _)| *id)
            .collect();
        network.full.retain(|(waiting, _)| !of.contains(waiting));
        let next = (network.sockets() < SOCKETS)
            .then(|| network.full.pop_front())
            .flatten();
        let over: Vec<Waiting> = of.iter().filter_map(|id| network.waiting.remove(id)).collect();
        (over, next)
    };
    if let Some((id, server)) = next {
        send(state, &FromGuest::Accept { id, server });
    }
    for one in over {
        let error = coded(ctx, "ERR_SOCKET_CLOSED", "the socket was closed")?;
        one.reject.restore(ctx)?.call::<_, ()>((error,))?;
    }
    Ok(())
}

/// Brings what happened to whoever waits for it.
pub(crate) fn deliver(ctx: &Ctx<'_>, state: &State, event: Event) -> Result<()> {
    let id = match &event {
        Event::Ready(id) => return go_on(ctx, state, *id),
        Event::Refused { id, .. }
        | Event::Resolved { id, .. }
        | Event::Listening { id, .. }
        | Event::Spawned { id, .. }
        | Event::Exited { id, .. }
        | Event::Connected { id, .. } => *id,
    };
    let waiting = state.network.borrow_mut().waiting.remove(&id);
    match (event, waiting) {
        (Event::Ready(_), _) => Ok(()),
        // Nobody waits any more: a socket is closed here, and a server is not wanted.
        (Event::Listening { id, .. }, None) => {
            send(state, &FromGuest::Unlisten { server: id });
            Ok(())
        }
        (_, None) => Ok(()),
        (
            Event::Connected {
                socket,
                address,
                port,
                ..
            },
            Some(one),
        ) => {
            let made = Object::new(ctx.clone())?;
            made.set("id", id as f64)?;
            made.set("address", address)?;
            made.set("port", port)?;
            if let Some(local) = local_address(&socket) {
                made.set("localAddress", local.ip().to_string())?;
                made.set("localPort", local.port())?;
            }
            rustix::io::ioctl_fionbio(&socket, true)
                .map_err(|error| node_error(ctx, &error.into(), "connect", None))?;
            state.network.borrow_mut().open.insert(id, Arc::new(socket));
            one.resolve.restore(ctx)?.call((made,))
        }
        (Event::Listening { address, port, .. }, Some(one)) => {
            state.network.borrow_mut().servers.insert(id);
            let made = Object::new(ctx.clone())?;
            made.set("id", id as f64)?;
            made.set("address", address)?;
            made.set("port", port)?;
            one.resolve.restore(ctx)?.call((made,))
        }
        // Who asked for a program waited for it.
        (Event::Spawned { .. }, Some(_)) => Ok(()),
        (Event::Exited { code, signal, .. }, Some(one)) => {
            let made = Object::new(ctx.clone())?;
            made.set("code", code)?;
            made.set("signal", signal)?;
            one.resolve.restore(ctx)?.call((made,))
        }
        (Event::Resolved { addresses, .. }, Some(one)) => one.resolve.restore(ctx)?.call((addresses,)),
        (Event::Refused { refusal, .. }, Some(one)) => {
            let error = refused(ctx, &one.what, refusal)?;
            one.reject.restore(ctx)?.call((error,))
        }
    }
}

/// What the system refused is told as Node tells it; what the host refused, with its own code.
fn refused<'js>(ctx: &Ctx<'js>, what: &What, refusal: Refusal) -> Result<Value<'js>> {
    let Refusal {
        code,
        message,
        errno,
        address,
    } = refusal;
    let Some(errno) = errno else {
        return Ok(coded(ctx, &code, &message)?.into_value());
    };
    let syscall = match what {
        What::Listen => "listen",
        _ => "connect",
    };
    let thrown = node_error(ctx, &io::Error::from_raw_os_error(errno), syscall, None);
    if !thrown.is_exception() {
        return Err(thrown);
    }
    let error = ctx.catch();
    if let (Some(error), Some(address)) = (error.as_object(), address) {
        error.set("address", address)?;
    }
    Ok(error)
}

fn local_address(socket: &OwnedFd) -> Option<SocketAddr> {
    let address: SocketAddrAny = rustix::net::getsockname(socket).ok()?;
    SocketAddr::try_from(address).ok()
}

/// A promise of the end of a program, and the number under which it is told.
pub(super) fn exit_of<'js>(ctx: &Ctx<'js>, state: &State, child: u64) -> Result<(u64, Promise<'js>)> {
    wait_for(ctx, state, What::Exit { child })
}

/// Nobody waits for it any more.
pub(super) fn forget(state: &State, id: u64) {
    state.network.borrow_mut().waiting.remove(&id);
}

fn begin<'js>(ctx: &Ctx<'js>, state: &State, what: What) -> Result<Promise<'js>> {
    let (id, promise) = wait_for(ctx, state, what)?;
    go_on(ctx, state, id)?;
    Ok(promise)
}

fn wait_for<'js>(ctx: &Ctx<'js>, state: &State, what: What) -> Result<(u64, Promise<'js>)> {
    let (promise, resolve, reject) = Promise::new(ctx)?;
    let mut network = state.network.borrow_mut();
    let id = network.number();
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
        .of()
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
                _ => PollFlags::IN,
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
        What::Connect | What::Resolve | What::Listen | What::Accept { .. } | What::Exit { .. } => {
            Ok(Step::NotYet)
        }
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

fn arm(state: &State, one: Armed) -> io::Result<()> {
    let known = state.network.borrow().poller.clone();
    let poller = match known {
        Some(poller) => poller,
        None => {
            let poller = Poller::start(&state.control)?;
            state.network.borrow_mut().poller = Some(poller.clone());
            poller
        }
    };
    poller.arm(one)
}

fn coded<'js>(ctx: &Ctx<'js>, code: &str, message: &str) -> Result<Exception<'js>> {
    let exception = Exception::from_message(ctx.clone(), message)?;
    exception.as_object().set("code", code)?;
    Ok(exception)
}

pub(crate) type Shared = RefCell<Network>;
