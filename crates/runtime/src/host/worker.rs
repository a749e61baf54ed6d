//! One worker process.

use super::Deadline;
use super::error::RunError;
use super::frames::Frames;
use super::link::Link;
use super::network::{Answer, Reach, Request, Requests};
use super::volume::{self, Volume};
use crate::protocol::{FrameError, FromGuest, Level, Load, Outcome, Stop, ToGuest, Usage};
use rustix::process::{Pid, WaitId, WaitIdOptions};
use sandbox::{Child, CommandPolicy, Policy, Walls};
use serde_json::Value;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// Between asking and killing.
const GRACE: Duration = Duration::from_millis(200);
/// Loading a module and everything it imports.
const LOAD_TIME: Duration = Duration::from_secs(10);

/// Hears what a run says while it lasts. Must not block.
pub trait Observer: Send + Sync {
    fn log(&self, level: Level, text: String);
    fn progress(&self, _done: f64, _total: Option<f64>, _text: Option<String>) {}
}

/// What comes before a run, given up when the run is called off: a call that waits has not begun.
pub(crate) async fn unless_cancelled<T>(
    cancel: &CancellationToken,
    work: impl Future<Output = Result<T, RunError>>,
) -> Result<T, RunError> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(RunError::Cancelled),
        done = work => done,
    }
}

/// A run that came to its result.
#[derive(Debug)]
pub struct Finished {
    pub value: Value,
    pub picture: Option<Picture>,
    pub usage: Usage,
}

#[derive(Debug)]
pub struct Picture {
    pub png: Vec<u8>,
    pub width: u32,
    pub height: u32,
}

/// Bytes that a picture may have beyond its pixels, were they not made smaller at all.
const PICTURE_FRAME: u64 = 1 << 20;

fn blob_of(pixels: u64) -> usize {
    match pixels {
        0 => 0,
        some => usize::try_from(some.saturating_mul(5).saturating_add(PICTURE_FRAME)).unwrap_or(usize::MAX),
    }
}

pub(crate) struct Worker {
    child: Child,
    frames: Frames,
    /// The way to whom it may reach, where sockets cannot be passed to it.
    link: Option<Link>,
    runs: u64,
    /// Nothing may be asked of it any more.
    dead: bool,
}

impl Worker {
    /// `pixels`: of the largest picture that it may send; a tool sends none.
    pub(crate) async fn spawn(walls: &Walls, policy: &Policy, pixels: u64) -> Result<Self, RunError> {
        Self::of(walls.start(policy).await?, pixels)
    }

    /// A program of the machine that speaks our protocol on its standard input and output.
    pub(crate) async fn serve(
        walls: &Walls,
        policy: &CommandPolicy,
        link: Option<Link>,
    ) -> Result<Self, RunError> {
        let prepared = sandbox::prepare_command(policy, walls.facts().await)?;
        let served = Self::of(walls.launcher().serve(prepared).await?, 0)?;
        Ok(Worker { link, ..served })
    }

    fn of(mut child: Child, pixels: u64) -> Result<Self, RunError> {
        let channel = child.take_channel().ok_or(RunError::Protocol)?;
        let stream = |std| UnixStream::from_std(std).map_err(FrameError::from);
        let answers = child.take_answers().map(stream).transpose()?;
        Ok(Worker {
            child,
            frames: Frames::new(stream(channel)?, answers, blob_of(pixels)),
            link: None,
            runs: 0,
            dead: false,
        })
    }

    /// Tells a fresh worker what it is and waits until it can run. Who gives up waiting drops it,
    /// and with it the process.
    pub(crate) async fn load(
        &mut self,
        load: &Load,
        observer: &dyn Observer,
        reach: &Reach,
    ) -> Result<(), RunError> {
        let deadline = Deadline {
            time: LOAD_TIME,
            cancel: CancellationToken::new(),
        };
        self.send(&ToGuest::Load(load.clone())).await?;
        self.wait(0, &deadline, observer, reach).await.map(|_| ())
    }

    /// Load and answer in one: describing.
    pub(crate) async fn ask(
        &mut self,
        load: &Load,
        deadline: &Deadline,
        observer: &dyn Observer,
        reach: &Reach,
    ) -> Result<Finished, RunError> {
        self.send(&ToGuest::Load(load.clone())).await?;
        self.wait(0, deadline, observer, reach).await
    }

    pub(crate) async fn run(
        &mut self,
        params: &Value,
        deadline: &Deadline,
        observer: &dyn Observer,
        reach: &Reach,
    ) -> Result<Finished, RunError> {
        if deadline.cancel.is_cancelled() {
            return Err(RunError::Cancelled);
        }
        self.runs += 1;
        let run = self.runs;
        let message = ToGuest::Run {
            run,
            params: params.clone(),
        };
        // A worker that does not read would keep the run waiting here, out of reach of its limits.
        let sending = deadline.cancel.run_until_cancelled(self.frames.send(&message));
        let stop = match timeout(deadline.time, sending).await {
            Ok(Some(Ok(()))) => None,
            Ok(Some(Err(error))) => return Err(self.broken(error).await),
            Ok(None) => Some(Stop::Cancelled),
            Err(_) => Some(Stop::TimeLimit),
        };
        if let Some(why) = stop {
            self.kill().await;
            return Err(RunError::Killed { why });
        }
        self.wait(run, deadline, observer, reach).await
    }

    /// Whether it can take another run. It may have ended by itself while it was idle; one that
    /// speaks unasked is as good as dead.
    pub(crate) fn alive(&self) -> bool {
        !self.dead && self.frames.quiet() && !self.ended()
    }

    /// Whether the process is gone, asked without collecting it. The pipe alone does not tell:
    /// whatever this program started at the same moment may hold it open a little longer.
    fn ended(&self) -> bool {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        pid.is_none_or(|pid| !matches!(rustix::process::waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    /// Peak memory is the last thing a worker says of itself.
    async fn wait(
        &mut self,
        run: u64,
        deadline: &Deadline,
        observer: &dyn Observer,
        reach: &Reach,
    ) -> Result<Finished, RunError> {
        let mut requests = Requests::new();
        if let Some(link) = &mut self.link {
            link.open_for(reach).map_err(RunError::Socket)?;
        }
        let ended = self.attend(run, deadline, observer, reach, &mut requests).await;
        if let Some(link) = &mut self.link {
            link.close();
        }
        requests.end().await;
        ended
    }

    async fn attend(
        &mut self,
        run: u64,
        deadline: &Deadline,
        observer: &dyn Observer,
        reach: &Reach,
        requests: &mut Requests,
    ) -> Result<Finished, RunError> {
        let limit = tokio::time::sleep(deadline.time);
        tokio::pin!(limit);
        let mut stopping: Option<(Stop, Instant)> = None;
        let mut volume = Volume::default();
        loop {
            let kill_at = stopping.map_or_else(|| Instant::now() + GRACE, |(_, at)| at);
            let stop = tokio::select! {
                frame = self.frames.next() => match frame {
                    Ok(Some((message, blob))) => match Request::of(message) {
                        Ok(request) => {
                            if let Some(answer) = requests.ask(reach, request) {
                                self.tell(&answer).await?;
                            }
                            continue;
                        }
                        Err(FromGuest::Log { text, .. }) if !volume.takes(&text) => {
                            self.kill().await;
                            return Err(RunError::Protocol);
                        }
                        Err(message) => match self.hear(run, message, blob, observer) {
                            Some(answer) => return answer,
                            None => continue,
                        },
                    },
                    Ok(None) => return Err(self.crashed().await),
                    Err(error) => return Err(self.broken(error).await),
                },
                answer = requests.next() => {
                    self.answer(answer).await?;
                    continue;
                }
                () = &mut limit, if stopping.is_none() => Stop::TimeLimit,
                () = deadline.cancel.cancelled(), if stopping.is_none() => Stop::Cancelled,
                () = tokio::time::sleep_until(kill_at), if stopping.is_some() => {
                    self.kill().await;
                    return Err(RunError::Killed { why: stopping.map_or(Stop::TimeLimit, |(why, _)| why) });
                }
            };
            stopping = Some((stop, Instant::now() + GRACE));
            let message = ToGuest::Stop { run, why: stop };
            let sent = timeout(GRACE, self.frames.send(&message)).await;
            self.told(sent, RunError::Killed { why: stop }).await?;
        }
    }

    async fn answer(&mut self, answer: Answer) -> Result<(), RunError> {
        let Answer { message, socket } = answer;
        let sent = match socket {
            Some(socket) => timeout(GRACE, self.frames.send_with(&message, socket)).await,
            None => timeout(GRACE, self.frames.send(&message)).await,
        };
        self.told(sent, RunError::Protocol).await
    }

    /// Says something while a run is open. A worker that asks and does not listen is ended: its
    /// pipe is full, and nothing else of the run would be looked after meanwhile.
    async fn tell(&mut self, message: &ToGuest) -> Result<(), RunError> {
        let sent = timeout(GRACE, self.frames.send(message)).await;
        self.told(sent, RunError::Protocol).await
    }

    /// `deaf`: what it comes to where the worker did not take it in time.
    async fn told(
        &mut self,
        sent: Result<Result<(), FrameError>, Elapsed>,
        deaf: RunError,
    ) -> Result<(), RunError> {
        match sent {
            // Where nobody reads the pipe any more, the worker may have said before what its run came to: that is
            // read next, and its end behind it.
            Ok(Ok(()) | Err(FrameError::Io(_))) => Ok(()),
            Ok(Err(error)) => Err(self.broken(error).await),
            Err(_) => {
                self.kill().await;
                Err(deaf)
            }
        }
    }

    /// `Some` when the run is over.
    fn hear(
        &mut self,
        run: u64,
        message: FromGuest,
        blob: Vec<u8>,
        observer: &dyn Observer,
    ) -> Option<Result<Finished, RunError>> {
        match message {
            FromGuest::Log { level, text } => observer.log(level, text),
            FromGuest::Progress {
                done,
                total,
                mut text,
            } => {
                volume::progress(&mut text);
                observer.progress(done, total, text);
            }
            FromGuest::Ready if run == 0 => {
                return Some(Ok(Finished {
                    value: Value::Null,
                    picture: None,
                    usage: Usage::default(),
                }));
            }
            FromGuest::Done {
                run: answered,
                outcome,
                usage,
                last,
            } if answered == run => {
                self.dead |= last;
                return Some(match outcome {
                    Outcome::Ok { value, picture } => {
                        let picture = picture.map(|size| Picture {
                            png: blob,
                            width: size.width,
                            height: size.height,
                        });
                        Ok(Finished {
                            value,
                            picture,
                            usage,
                        })
                    }
                    Outcome::Failed(mut failure) => {
                        volume::failure(&mut failure);
                        // A tool that could not be loaded ends its worker.
                        self.dead |= run == 0;
                        Err(RunError::Failed(Box::new(failure)))
                    }
                });
            }
            FromGuest::Ready
            | FromGuest::Done { .. }
            | FromGuest::Connect { .. }
            | FromGuest::Resolve { .. }
            | FromGuest::Listen { .. }
            | FromGuest::Accept { .. }
            | FromGuest::Unlisten { .. }
            | FromGuest::Spawn(_)
            | FromGuest::Kill { .. } => {
                self.dead = true;
                return Some(Err(RunError::Protocol));
            }
        }
        None
    }

    async fn send(&mut self, message: &ToGuest) -> Result<(), RunError> {
        match self.frames.send(message).await {
            Ok(()) => Ok(()),
            Err(error) => Err(self.broken(error).await),
        }
    }

    /// A pipe that breaks is usually a process that ended.
    async fn broken(&mut self, error: crate::protocol::FrameError) -> RunError {
        match error {
            crate::protocol::FrameError::Io(_) => self.crashed().await,
            other => {
                self.kill().await;
                other.into()
            }
        }
    }

    async fn crashed(&mut self) -> RunError {
        self.dead = true;
        // A worker that only closed its pipe is not waited for.
        let exit = match tokio::time::timeout(GRACE, self.child.wait()).await {
            Ok(exit) => exit,
            Err(_) => {
                self.kill().await;
                self.child.wait().await
            }
        };
        match exit {
            Ok(exit) => RunError::crashed(&exit, self.child.stderr_tail()),
            Err(error) => error.into(),
        }
    }

    async fn kill(&mut self) {
        self.dead = true;
        if let Err(error) = self.child.kill() {
            tracing::warn!(%error, "a worker could not be killed");
        }
        if let Err(error) = self.child.wait().await {
            tracing::warn!(%error, "a killed worker could not be waited for");
        }
    }
}
