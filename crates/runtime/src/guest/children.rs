//! Programs that the host starts for a tool: the start is waited for, as Node waits for its system,
//! and so are those that are to be run to their end.
//!
//! Whoever waits looks up often enough to see that the run is over.
//!
//! Deliberately not here: whether a program may be started, and where (the host's); Node's
//! `child_process`.

use super::network::{self, Event, Refusal};
use super::state::State;
use crate::protocol::{FromGuest, Spawn};
use rquickjs::{Ctx, Exception, Promise, Result};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{SendFlags, Shutdown};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A program is started or refused within this time; else the owner is not there.
const START: Duration = Duration::from_secs(30);
/// Between two looks at whether the run is over.
const LOOK: Duration = Duration::from_millis(20);
const READ: usize = 64 * 1024;

/// What is to be started.
pub(crate) struct Asked {
    pub(crate) file: String,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    /// Which of its streams somebody wants.
    pub(crate) piped: [bool; 3],
}

/// What came of it.
pub(crate) enum Started<'js> {
    Runs {
        id: u64,
        pid: u32,
        /// Numbers of open sockets.
        streams: [Option<u64>; 3],
        exited: Promise<'js>,
    },
    Not(Failed),
}

/// Why there is no program.
pub(crate) struct Failed {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) errno: Option<i32>,
}

impl From<Refusal> for Failed {
    fn from(refusal: Refusal) -> Self {
        Failed {
            code: refusal.code,
            message: refusal.message,
            errno: refusal.errno,
        }
    }
}

/// A program and the ends of its streams.
struct Child {
    id: u64,
    pid: u32,
    sockets: [Option<OwnedFd>; 3],
}

/// Starts it and lets it run.
pub(crate) fn start<'js>(ctx: &Ctx<'js>, state: &State, asked: Asked) -> Result<Started<'js>> {
    let streams = numbers(state, asked.piped);
    let id = state.network.borrow_mut().number();
    let (exit, exited) = network::exit_of(ctx, state, id)?;
    match ask(ctx, state, asked, id, exit, streams)? {
        Ok(child) => {
            let mut network = state.network.borrow_mut();
            for (id, socket) in streams.into_iter().zip(child.sockets) {
                if let (Some(id), Some(socket)) = (id, socket) {
                    let adopted = network.adopt(id, socket);
                    adopted.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
                }
            }
            Ok(Started::Runs {
                id,
                pid: child.pid,
                streams,
                exited,
            })
        }
        Err(failed) => {
            network::forget(state, exit);
            Ok(Started::Not(failed))
        }
    }
}

/// Ends it, and all that it started.
pub(crate) fn kill(state: &State, child: u64, signal: i32) {
    network::send(state, &FromGuest::Kill { child, signal });
}

fn numbers(state: &State, piped: [bool; 3]) -> [Option<u64>; 3] {
    let mut network = state.network.borrow_mut();
    piped.map(|wanted| wanted.then(|| network.number()))
}

fn ask(
    ctx: &Ctx<'_>,
    state: &State,
    asked: Asked,
    id: u64,
    exit: u64,
    streams: [Option<u64>; 3],
) -> Result<std::result::Result<Child, Failed>> {
    let wanted = streams.iter().flatten().count();
    if state.network.borrow().sockets() + wanted > network::SOCKETS {
        return Ok(Err(Failed {
            code: "EMFILE".to_owned(),
            message: format!("{} sockets are open already", network::SOCKETS),
            errno: Some(Errno::MFILE.raw_os_error()),
        }));
    }
    let message = FromGuest::Spawn(Box::new(Spawn {
        id,
        streams,
        exit,
        file: asked.file,
        args: asked.args,
        cwd: asked.cwd,
        env: asked.env,
    }));
    network::send(state, &message);
    let mine = |event: &Event| match event {
        Event::Connected { id: own, .. } => streams.contains(&Some(*own)),
        Event::Spawned { id: own, .. } | Event::Refused { id: own, .. } => *own == id,
        _ => false,
    };
    let deadline = Instant::now() + START;
    let mut sockets = [None, None, None];
    loop {
        match state.control.event_of(&mine, deadline) {
            Some(Event::Connected { id: own, socket, .. }) => {
                if let Some(at) = streams.iter().position(|stream| *stream == Some(own)) {
                    sockets[at] = Some(socket);
                }
            }
            Some(Event::Spawned { pid, .. }) => return Ok(Ok(Child { id, pid, sockets })),
            Some(Event::Refused { refusal, .. }) => return Ok(Err(refusal.into())),
            Some(_) => {}
            None => return Err(over(ctx)),
        }
    }
}

/// What JavaScript hears of it is the end of the run.
fn over(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_message(ctx, "the run is over")
}

/// How a program is run to its end.
pub(crate) struct Whole {
    pub(crate) input: Vec<u8>,
    pub(crate) time: Option<Duration>,
    /// Bytes of each stream; more ends it.
    pub(crate) most: usize,
    pub(crate) signal: i32,
}

pub(crate) struct Ran {
    pub(crate) pid: u32,
    pub(crate) output: [Option<Vec<u8>>; 2],
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Why it was ended.
    pub(crate) ended: Option<Errno>,
}

/// Starts it and waits for its end.
pub(crate) fn run(
    ctx: &Ctx<'_>,
    state: &State,
    asked: Asked,
    whole: Whole,
) -> Result<std::result::Result<Ran, Failed>> {
    let streams = numbers(state, asked.piped);
    let (id, exit) = {
        let mut network = state.network.borrow_mut();
        (network.number(), network.number())
    };
    let deadline = whole.time.map(|time| Instant::now() + time);
    let child = match ask(ctx, state, asked, id, exit, streams)? {
        Ok(child) => child,
        Err(failed) => return Ok(Err(failed)),
    };
    let mut running = Running {
        state,
        output: [1, 2].map(|at| child.sockets[at].is_some().then(Vec::new)),
        child,
        whole,
        written: 0,
        ended: None,
    };
    for socket in running.child.sockets.iter().flatten() {
        let made = rustix::io::ioctl_fionbio(socket, true);
        made.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
    }
    let is_end = |event: &Event| matches!(event, Event::Exited { id, .. } if *id == exit);
    loop {
        if state.control.halted().is_some() {
            return Err(over(ctx));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            running.end(Errno::TIMEDOUT);
        }
        let moved = running.turn();
        moved.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
        let wait = if running.is_quiet() { LOOK } else { Duration::ZERO };
        if let Some(Event::Exited { code, signal, .. }) =
            state.control.event_of(&is_end, Instant::now() + wait)
        {
            // What it wrote last is there: nobody else holds the other ends.
            let last = running.turn();
            last.map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
            return Ok(Ok(Ran {
                pid: running.child.pid,
                output: running.output,
                code,
                signal,
                ended: running.ended,
            }));
        }
    }
}

struct Running<'s> {
    state: &'s State,
    child: Child,
    whole: Whole,
    written: usize,
    output: [Option<Vec<u8>>; 2],
    ended: Option<Errno>,
}

impl Running<'_> {
    /// Whether nothing more comes through its streams.
    fn is_quiet(&self) -> bool {
        self.child.sockets.iter().all(Option::is_none)
    }

    fn end(&mut self, why: Errno) {
        if self.ended.is_none() {
            self.ended = Some(why);
            kill(self.state, self.child.id, self.whole.signal);
        }
    }

    /// Waits a little for its streams, and does what can be done.
    fn turn(&mut self) -> io::Result<()> {
        if self.written == self.whole.input.len()
            && let Some(input) = self.child.sockets[0].take()
        {
            let _ = rustix::net::shutdown(&input, Shutdown::Write);
        }
        let time = Timespec {
            tv_sec: 0,
            tv_nsec: LOOK.as_nanos() as _,
        };
        let ready: Vec<usize> = {
            let flags = [PollFlags::OUT, PollFlags::IN, PollFlags::IN];
            let open: Vec<usize> = (0..3).filter(|at| self.child.sockets[*at].is_some()).collect();
            let mut polled: Vec<PollFd> = open
                .iter()
                .filter_map(|at| Some(PollFd::new(self.child.sockets[*at].as_ref()?, flags[*at])))
                .collect();
            if polled.is_empty() {
                return Ok(());
            }
            match rustix::event::poll(&mut polled, Some(&time)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let ready = open
                .iter()
                .zip(&polled)
                .filter(|(_, one)| !one.revents().is_empty());
            ready.map(|(at, _)| *at).collect()
        };
        for at in ready {
            match at {
                0 => self.write(),
                at => self.read(at)?,
            }
        }
        Ok(())
    }

    fn write(&mut self) {
        let Some(socket) = &self.child.sockets[0] else {
            return;
        };
        let rest = &self.whole.input[self.written..];
        match rustix::net::send(socket, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => self.written += count,
            Err(Errno::INTR | Errno::AGAIN) => {}
            // It does not read any more, which is its affair.
            Err(_) => self.child.sockets[0] = None,
        }
    }

    /// All that is there.
    fn read(&mut self, at: usize) -> io::Result<()> {
        let mut buffer = vec![0; READ];
        loop {
            let (Some(socket), Some(output)) = (&self.child.sockets[at], &mut self.output[at - 1]) else {
                return Ok(());
            };
            match rustix::io::read(socket, &mut buffer) {
                Ok(0) => self.child.sockets[at] = None,
                Ok(count) => {
                    let room = self.whole.most.saturating_sub(output.len());
                    output.extend_from_slice(&buffer[..count.min(room)]);
                    if count > room {
                        self.end(Errno::NOBUFS);
                    }
                }
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => self.child.sockets[at] = None,
                Err(error) => return Err(error.into()),
            }
        }
    }
}
