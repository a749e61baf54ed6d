//! A command while it runs: its output is drained whether somebody looks or not, its limit is
//! watched, and its end is the end of everything it started.

use super::super::child::{Child, LAST_WORDS, named, watch, watched};
use super::super::first::{First, Named};
use super::super::launcher::{Launcher, Process, Started};
use super::git::Cleaned;
use super::inner::STANDING;
use super::start::{Ends, StartedCommand, Wiring};
use crate::command::captured::{Capture, Captured};
use crate::command::outcome::{Chunk, Ended, Outcome, Stream, Watching};
use crate::command::prepare::PreparedCommand;
use crate::error::SandboxError;
use crate::facts::Tier;
use rustix::process::{WaitId, WaitIdOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, watch as flag};
use tokio::task::JoinHandle;

/// A command and all that it started. Dropped, the whole tree is killed.
#[derive(Debug)]
pub struct Running {
    tree: Tree,
    stdout: Draining,
    stderr: Draining,
    limit: Option<Duration>,
    begin: Instant,
    stopping: flag::Sender<bool>,
}

/// Stops a command from elsewhere. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Stop(flag::Sender<bool>);

impl Stop {
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Launcher {
    /// Starts a command. Needs a tokio runtime with input/output and time.
    pub async fn run(&self, prepared: PreparedCommand, watching: Watching) -> Result<Running, SandboxError> {
        let begin = Instant::now();
        let started = self.start_command(prepared, Wiring::Pipes).await?;
        let Ends::Pipes { stdout, stderr } = started.ends else {
            return Err(SandboxError::Unsupported);
        };
        let drain = |file, stream| Draining::start(file, stream, &watching).map_err(watch("its output"));
        let mut stdout = drain(stdout, Stream::Stdout)?;
        let mut stderr = drain(stderr, Stream::Stderr)?;
        let tree = Tree::adopt(started.process, started.tier, started.status).await;
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => {
                let _ = stdout.finish().await;
                return Err(never_started(error, stderr.finish().await));
            }
        };
        Ok(Running {
            tree,
            stdout,
            stderr,
            limit: watching.limit,
            begin,
            stopping: flag::Sender::new(false),
        })
    }
}

impl Launcher {
    /// Starts a command that hears its owner on its standard input and answers on its standard output. Two
    /// sockets, so that one of them can be written to without waiting being a mode of both.
    pub async fn serve(&self, prepared: PreparedCommand) -> Result<Child, SandboxError> {
        let StartedCommand {
            process,
            ends,
            status,
            tier,
        } = self.start_command(prepared, Wiring::Channel).await?;
        let Ends::Channel {
            channel,
            answers,
            output,
        } = ends
        else {
            return Err(SandboxError::Unsupported);
        };
        let started = Started {
            process,
            channel,
            answers: Some(answers),
            output,
        };
        Child::adopt(started, tier, Some(status)).await
    }
}

fn never_started(error: SandboxError, said: Captured) -> SandboxError {
    match error {
        SandboxError::Start { said: known, source } if known.is_empty() => SandboxError::Start {
            said: said.text().trim().to_owned(),
            source,
        },
        other => other,
    }
}

impl Running {
    pub fn id(&self) -> u32 {
        self.tree.process.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub fn tier(&self) -> Tier {
        self.tree.tier
    }

    /// For whoever may cancel it while another waits.
    pub fn stopper(&self) -> Stop {
        Stop(self.stopping.clone())
    }

    /// Returns when nothing of it lives any more. May be abandoned and called again until it
    /// returned. The limit is watched here: whoever keeps a command without waiting has none.
    pub async fn wait(&mut self) -> Result<Outcome, SandboxError> {
        let mut stopping = self.stopping.subscribe();
        let limit = self.limit.map(|limit| self.begin + limit);
        let cause = tokio::select! {
            code = self.tree.ended() => Ok(code?),
            () = until(limit) => Err(Ended::TimedOut),
            _ = stopping.wait_for(|stop| *stop) => Err(Ended::Stopped),
        };
        let (code, ended, killing) = match cause {
            Ok(code) => (code, Ended::Exited, None),
            Err(why) => {
                let decided = Instant::now();
                let code = self.tree.end().await?;
                // It may have ended by itself in the same moment; its own word counts.
                (code, why, Some(decided.elapsed()))
            }
        };
        let cleaned = self.tree.clean().await;
        let (stdout, stderr) = (self.stdout.finish().await, self.stderr.finish().await);
        if ended == Ended::Exited
            && let Some(why) = self.tree.refused(&stderr)
        {
            return Err(why);
        }
        Ok(Outcome {
            exit_code: code.exit_code,
            ended,
            stdout,
            stderr,
            tier: self.tree.tier,
            took: self.begin.elapsed(),
            killing,
            swept: code.swept,
            removed: cleaned.removed,
            git: cleaned.dangers,
        })
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment.into()).await,
        None => std::future::pending().await,
    }
}

/// How a tree ended.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub exit_code: i32,
    pub swept: bool,
}

/// All processes of one command.
#[derive(Debug)]
pub struct Tree {
    pub process: Process,
    pub tier: Tier,
    exited: AsyncFd<OwnedFd>,
    emptied: Option<AsyncFd<OwnedFd>>,
    status: OwnedFd,
    end: Option<End>,
}

/// How long a supervisor gets to kill what it has, before the kernel is asked to.
const SWEEPING: Duration = Duration::from_millis(300);

impl Tree {
    pub async fn adopt(mut process: Process, tier: Tier, status: OwnedFd) -> Result<Tree, SandboxError> {
        let exited = watched(&process.pidfd).map_err(watch("its end"))?;
        match named(&mut process).await.map_err(watch("its namespace"))? {
            Named::Never => {
                return Err(SandboxError::Start {
                    said: String::new(),
                    source: None,
                });
            }
            Named::NotYet | Named::Yes => {}
        }
        let emptied = match &process.first {
            First::Known(first) => Some(watched(first).map_err(watch("its end"))?),
            First::Awaited(_) | First::Absent => None,
        };
        Ok(Tree {
            process,
            tier,
            exited,
            emptied,
            status,
            end: None,
        })
    }

    /// When the last process is dead. May be abandoned.
    pub async fn ended(&mut self) -> Result<End, SandboxError> {
        if let Some(end) = self.end {
            return Ok(end);
        }
        if let Some(emptied) = &self.emptied {
            let _ready = emptied.readable().await.map_err(watch("its end"))?;
        }
        let end = exit_of(&self.exited, self.tier).await.map_err(watch("its end"))?;
        Ok(*self.end.insert(end))
    }

    /// Kills everything and waits for it.
    pub async fn end(&mut self) -> Result<End, SandboxError> {
        let killed = |errno: rustix::io::Errno| watch("killing it")(errno.into());
        self.process.kill().map_err(killed)?;
        if let Ok(end) = tokio::time::timeout(SWEEPING, self.ended()).await {
            return end;
        }
        if let Some(group) = &self.process.group {
            group.kill(self.process.pid);
        }
        self.ended().await
    }

    /// Sees to what it left; nothing the second time. When everything is dead.
    pub async fn clean(&mut self) -> Cleaned {
        std::mem::take(&mut self.process.left).cleaned().await
    }

    /// What was said on the way to the command, if it never came that far.
    fn refused(&self, stderr: &Captured) -> Option<SandboxError> {
        let said = match self.never_began()? {
            said if said.is_empty() => stderr.text().trim().to_owned(),
            said => said,
        };
        Some(SandboxError::Start { said, source: None })
    }

    /// What was said on the way, where the command was not reached. When everything is dead.
    pub fn never_began(&self) -> Option<String> {
        let mut text = [0; 4096];
        // Everybody who could write to it is dead, so this does not wait.
        let count = rustix::io::read(&self.status, &mut text).unwrap_or(0);
        let began = text[..count].first() == Some(&STANDING);
        (!began).then(|| String::from_utf8_lossy(&text[..count]).into_owned())
    }
}

async fn exit_of(pidfd: &AsyncFd<OwnedFd>, tier: Tier) -> io::Result<End> {
    loop {
        let mut ready = pidfd.readable().await?;
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let Some(status) = rustix::process::waitid(WaitId::PidFd(pidfd.get_ref().as_fd()), options)? else {
            ready.clear_ready();
            continue;
        };
        let signal = status.terminating_signal();
        let exit_code = status.exit_status().or(signal.map(|signal| 128 + signal));
        return Ok(End {
            exit_code: exit_code.unwrap_or(1),
            // A namespace is empty when its first process is dead; a supervisor has to say so.
            swept: tier == Tier::Full || signal.is_none(),
        });
    }
}

/// One stream on its way into memory.
#[derive(Debug)]
struct Draining {
    task: JoinHandle<()>,
    kept: Kept,
    done: Option<Captured>,
}

impl Draining {
    fn start(file: OwnedFd, stream: Stream, watching: &Watching) -> io::Result<Draining> {
        let input = pipe::Receiver::from_owned_fd(file)?;
        let capture = Capture::new(watching.cap);
        let kept = Arc::new(Mutex::new(Some(capture)));
        let task = tokio::spawn(drain(input, stream, kept.clone(), watching.live.clone()));
        Ok(Draining {
            task,
            kept,
            done: None,
        })
    }

    /// Everything that was written before the last process died. If somebody else still holds the
    /// pipe, what there is.
    async fn finish(&mut self) -> Captured {
        if let Some(done) = &self.done {
            return done.clone();
        }
        if !self.task.is_finished() && tokio::time::timeout(LAST_WORDS, &mut self.task).await.is_err() {
            self.task.abort();
        }
        let capture = lock(&self.kept).take();
        let captured = capture.map(Capture::finish).unwrap_or_default();
        self.done.insert(captured).clone()
    }
}

type Kept = Arc<Mutex<Option<Capture>>>;

fn lock(kept: &Kept) -> MutexGuard<'_, Option<Capture>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Draining {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn drain(mut input: pipe::Receiver, stream: Stream, kept: Kept, live: Option<mpsc::Sender<Chunk>>) {
    let mut buffer = vec![0; 16 << 10];
    let mut missed = 0;
    while let Ok(count @ 1..) = input.read(&mut buffer).await {
        let bytes = &buffer[..count];
        if let Some(capture) = &mut *lock(&kept) {
            capture.push(bytes);
        }
        let Some(live) = &live else { continue };
        let chunk = Chunk {
            stream,
            bytes: bytes.to_owned(),
            missed,
        };
        missed = match live.try_send(chunk) {
            Ok(()) => 0,
            Err(_) => missed + count as u64,
        };
    }
}
