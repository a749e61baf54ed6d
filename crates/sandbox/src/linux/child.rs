//! A running process as its owner sees it. Waiting is by pidfd in the reactor: no thread waits.

use super::first::{First, Named};
use super::launcher::{Process, Started};
use crate::Exit;
use crate::error::SandboxError;
use crate::facts::Tier;
use crate::tail::Tail;
use rustix::process::{WaitId, WaitIdOptions, WaitIdStatus};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

/// A running process and all that it started. Dropped, the whole tree is killed.
#[derive(Debug)]
pub struct Child {
    process: Process,
    tier: Tier,
    channel: Option<UnixStream>,
    answers: Option<UnixStream>,
    tail: Tail,
    draining: JoinHandle<()>,
    ended: AsyncFd<OwnedFd>,
    /// Readable when nothing in the namespace is alive any more.
    emptied: Option<AsyncFd<OwnedFd>>,
    exit: Option<Exit>,
    whole: bool,
    /// Where a command told that its wall stands. Open as long as it may tell.
    _status: Option<OwnedFd>,
}

/// What a process may still be writing when it is dead: one pipe buffer. Longer means that
/// somebody else holds the pipe.
pub const LAST_WORDS: Duration = Duration::from_millis(200);

impl Child {
    pub(super) async fn adopt(
        started: Started,
        tier: Tier,
        status: Option<OwnedFd>,
    ) -> Result<Child, SandboxError> {
        let Started {
            mut process,
            channel,
            answers,
            output,
        } = started;
        let tail = Tail::default();
        let output = pipe::Receiver::from_owned_fd(output).map_err(watch("its output"))?;
        let draining = tokio::spawn(drain(output, tail.clone()));
        let ended = watched(&process.pidfd).map_err(watch("its end"))?;
        match named(&mut process).await.map_err(watch("its namespace"))? {
            Named::Never => return Err(never_started(draining, &tail).await),
            Named::NotYet | Named::Yes => {}
        }
        let emptied = match &process.first {
            First::Known(first) => Some(watched(first).map_err(watch("its end"))?),
            First::Awaited(_) | First::Absent => None,
        };
        Ok(Child {
            process,
            tier,
            channel: Some(channel),
            answers,
            tail,
            draining,
            ended,
            emptied,
            exit: None,
            whole: false,
            _status: status,
        })
    }

    /// The process number on the host: in the full tier bubblewrap's.
    pub fn id(&self) -> u32 {
        self.process.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// The other end of the process's standard input, non-blocking; `None` the second time.
    pub fn take_channel(&mut self) -> Option<UnixStream> {
        self.channel.take()
    }

    /// What was taken, for the next who takes it.
    pub(crate) fn give_channel(&mut self, channel: UnixStream) {
        self.channel = Some(channel);
    }

    /// What it answers on, non-blocking, where that is not the channel ([`Launcher::serve`](super::launcher::Launcher::serve)).
    pub fn take_answers(&mut self) -> Option<UnixStream> {
        self.answers.take()
    }

    /// The last 16 KiB of what it wrote to its standard output and error.
    pub fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// SIGKILL for the process and everything below it. No error when there is nothing left.
    pub fn kill(&self) -> Result<(), SandboxError> {
        match self.exit {
            Some(_) if self.whole => Ok(()),
            _ => self
                .process
                .kill()
                .map_err(|errno| watch("killing it")(errno.into())),
        }
    }

    /// Returns when the whole tree is dead. May be abandoned and called again.
    pub async fn wait(&mut self) -> Result<Exit, SandboxError> {
        let exit = match self.exit {
            Some(exit) => exit,
            None => {
                let exit = end(&self.ended, self.tier).await.map_err(watch("its end"))?;
                *self.exit.insert(exit)
            }
        };
        if !self.whole {
            if let Some(emptied) = &self.emptied {
                let _ready = emptied.readable().await.map_err(watch("its end"))?;
            }
            // Out of time: the tail is read as far as it came.
            let _ = tokio::time::timeout(LAST_WORDS, &mut self.draining).await;
            self.whole = true;
        }
        Ok(exit)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.draining.abort();
    }
}

pub fn watch(what: &'static str) -> impl FnOnce(io::Error) -> SandboxError {
    move |source| SandboxError::Watch { what, source }
}

#[allow(unsafe_code, reason = "the safe form is deprecated")]
pub fn watched(pidfd: &OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an `OwnedFd` keeps its file open and the same for as long as it lives.
    let registered = unsafe { AsyncFd::register_with_interest(pidfd.try_clone()?, Interest::READABLE) };
    Ok(registered?)
}

async fn drain(mut output: pipe::Receiver, tail: Tail) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = output.read(&mut buffer).await {
        tail.push(&buffer[..count]);
    }
}

async fn end(pidfd: &AsyncFd<OwnedFd>, tier: Tier) -> io::Result<Exit> {
    loop {
        let mut ready = pidfd.readable().await?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        match rustix::process::waitid(WaitId::PidFd(pidfd.get_ref().as_fd()), options)? {
            Some(status) => return Ok(exit(&status, tier)),
            None => ready.clear_ready(),
        }
    }
}

fn exit(status: &WaitIdStatus, tier: Tier) -> Exit {
    let signal = status.terminating_signal();
    match status.exit_status() {
        // bubblewrap's way to say "ended by signal n".
        Some(code @ 129..=192) if tier == Tier::Full => Exit {
            code: None,
            signal: Some(code - 128),
        },
        code => Exit { code, signal },
    }
}

/// Waits until bubblewrap has said which process is the first in the namespace. Abandoned, it
/// leaves the question to whoever buries the process.
pub async fn named(process: &mut Process) -> io::Result<Named> {
    let pipe = process.first.pipe().map(watched).transpose()?;
    loop {
        match (process.first.ask(process.pid)?, &pipe) {
            (Named::NotYet, Some(pipe)) => pipe.readable().await?.clear_ready(),
            (named, _) => return Ok(named),
        }
    }
}

async fn never_started(draining: JoinHandle<()>, tail: &Tail) -> SandboxError {
    let _ = tokio::time::timeout(LAST_WORDS, draining).await;
    SandboxError::Start {
        said: tail.text().trim().to_owned(),
        source: None,
    }
}
