//! The one thread that starts every process.
//!
//! A process asks the kernel to die with its parent, and for the kernel that is the thread that
//! forked. Threads of a pool come and go; this one stays as long as any of its children. What
//! bubblewrap starts is on the leash as well.

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door that the lint points to"
)]

use super::cgroup::{Group as Cgroup, Limits};
use super::child::Child;
use super::command::fork_server::ForkServer;
use super::command::git::{self, Found};
use super::command::left::Left;
use super::command::reserve::Reserve;
use super::command::start::{StartedCommand, Wiring, start_command, together};
use super::first::{First, Named};
use super::leash::Leash;
use super::look::look;
use super::scratch::Folder;
use crate::command::prepare::PreparedCommand;
use crate::confine::{Confinement, FLAG};
use crate::error::SandboxError;
use crate::facts::Tier;
use crate::policy::Kind;
use crate::prepare::{Prepared, Wrapper};
use rustix::fs::{MemfdFlags, SeekFrom};
use rustix::io::FdFlags;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Starts processes. Cheap to clone; one for the life of the owner.
#[derive(Clone, Debug)]
pub struct Launcher {
    orders: Sender<Order>,
    /// The thread never ends; this goes with the last launcher.
    reserve: Arc<Reserve>,
}

#[derive(Debug)]
pub enum Order {
    Start(Box<Prepared>, oneshot::Sender<Result<Started, SandboxError>>),
    Run(
        Box<PreparedCommand>,
        Box<Found>,
        Wiring,
        oneshot::Sender<Result<StartedCommand, SandboxError>>,
    ),
    /// A process that nobody waits for.
    Bury(Box<Remains>),
    /// It is known which tier everything gets.
    Settle(Tier),
    /// Whoever stands ready to start commands goes.
    Dismiss,
}

/// A process that runs, as the thread hands it over.
#[derive(Debug)]
pub struct Started {
    pub process: Process,
    pub channel: UnixStream,
    /// Where it answers, if not there as well.
    pub answers: Option<UnixStream>,
    pub output: OwnedFd,
}

/// A child of this program. Dropped, it is killed and its remains are collected.
#[derive(Debug)]
pub struct Process {
    pub pid: Pid,
    pub pidfd: Arc<OwnedFd>,
    /// bubblewrap is its parent and collects it.
    pub first: First,
    pub way: Way,
    pub group: Option<Cgroup>,
    /// To be seen to when it is dead.
    pub left: Left,
    pub orders: Sender<Order>,
}

/// How a process is ended with all that it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With it, or with the first of its namespace, all others end.
    Kill,
    /// It has to kill the others itself, and is asked to.
    Ask,
}

impl Process {
    pub fn kill(&self) -> rustix::io::Result<()> {
        kill(&self.first, &self.pidfd, self.way)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Err(errno) = self.kill() {
            tracing::warn!(pid = %self.pid.as_raw_nonzero(), %errno, "a process could not be killed");
        }
        let remains = Remains {
            pid: self.pid,
            pidfd: Arc::clone(&self.pidfd),
            first: std::mem::replace(&mut self.first, First::Absent),
            way: self.way,
            group: self.group.take(),
            _left: std::mem::take(&mut self.left),
            ended: false,
            since: Instant::now(),
        };
        // Without the thread this program is ending, and its children with it.
        let _ = self.orders.send(Order::Bury(Box::new(remains)));
    }
}

/// While the first process is awaited nothing is killed: it could be left behind.
fn kill(first: &First, bubblewrap: &OwnedFd, way: Way) -> rustix::io::Result<()> {
    let target = match first {
        First::Awaited(_) => return Ok(()),
        First::Known(first) => first,
        First::Absent => bubblewrap,
    };
    let signal = match way {
        Way::Kill => Signal::KILL,
        Way::Ask => Signal::TERM,
    };
    match rustix::process::pidfd_send_signal(target, signal) {
        Err(rustix::io::Errno::SRCH) => Ok(()),
        result => result,
    }
}

/// What is left of a process that is not wanted any more.
#[derive(Debug)]
pub struct Remains {
    pid: Pid,
    pidfd: Arc<OwnedFd>,
    first: First,
    way: Way,
    group: Option<Cgroup>,
    /// Seen to when these remains are gone.
    _left: Left,
    ended: bool,
    /// When it was killed.
    since: Instant,
}

impl Remains {
    /// Whether nothing is left.
    fn collect(&mut self) -> bool {
        if !self.ended && !self.reap() {
            return false;
        }
        self.ended = true;
        // Gone with its last member; after a while it is left to the next owner's sweep.
        self.group.as_mut().is_none_or(Cgroup::remove) || self.since.elapsed() > GRACE * 3
    }

    fn reap(&mut self) -> bool {
        if self.first.pipe().is_some() {
            // After an error it is asked again in the next round.
            if let Ok(Named::Yes | Named::Never) = self.first.ask(self.pid) {
                let _ = kill(&self.first, &self.pidfd, self.way);
                self.since = Instant::now();
            }
        } else if self.since.elapsed() > GRACE {
            let together = self.group.as_ref().is_some_and(|group| group.kill(self.pid));
            if !together {
                let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
            }
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        !matches!(
            rustix::process::waitid(WaitId::PidFd(self.pidfd.as_fd()), options),
            Ok(None)
        )
    }
}

impl Launcher {
    pub fn start() -> Result<Self, SandboxError> {
        let (orders, queue) = mpsc::channel();
        let reserve = Arc::new(Reserve::default());
        let reserved = Arc::downgrade(&reserve);
        // Children hold a sender each, so the queue, and with it the thread, outlives them all.
        let thread = std::thread::Builder::new().name("sandbox".into());
        let own = orders.clone();
        thread
            .spawn(move || obey(&queue, own, reserved))
            .map_err(|source| SandboxError::Start {
                said: "the starting thread".into(),
                source: Some(source),
            })?;
        Ok(Launcher { orders, reserve })
    }

    /// Nothing is kept in advance any more. For the end of the owner.
    pub fn shut_down(&self) {
        self.reserve.close();
        // Without the thread there is nothing to be dismissed.
        let _ = self.orders.send(Order::Dismiss);
    }

    /// From now on everything gets this tier: what stands ready for another goes.
    pub(crate) fn settle(&self, tier: Tier) {
        // Without the thread this program is ending, and all that stands ready with it.
        let _ = self.orders.send(Order::Settle(tier));
    }

    /// Starts what was prepared. Needs a tokio runtime with input/output and time.
    pub async fn spawn(&self, prepared: Prepared) -> Result<Child, SandboxError> {
        let tier = prepared.tier;
        let (reply, answer) = oneshot::channel();
        let order = Order::Start(Box::new(prepared), reply);
        self.orders.send(order).map_err(|_| thread_gone())?;
        let started = answer.await.map_err(|_| thread_gone())??;
        Child::adopt(started, tier, None).await
    }

    /// Starts a command on this thread.
    pub(super) async fn start_command(
        &self,
        prepared: PreparedCommand,
        wiring: Wiring,
    ) -> Result<StartedCommand, SandboxError> {
        let workspace = prepared.workspace.clone();
        // A large workspace must not hold up what others start.
        let found = tokio::task::spawn_blocking(move || git::look(&workspace));
        let found = found.await.map_err(|_| thread_gone())??;
        let (reply, answer) = oneshot::channel();
        let order = Order::Run(Box::new(prepared), Box::new(found), wiring, reply);
        self.orders.send(order).map_err(|_| thread_gone())?;
        answer.await.map_err(|_| thread_gone())?
    }
}

fn thread_gone() -> SandboxError {
    SandboxError::Start {
        said: "the starting thread is gone".into(),
        source: None,
    }
}

/// How often remains are looked for while there are any.
const ROUND: Duration = Duration::from_millis(10);
/// How long bubblewrap gets to leave by itself after what it held was killed.
const GRACE: Duration = Duration::from_secs(1);

/// What the thread has for itself.
#[derive(Debug)]
pub struct Own {
    pub leash: Option<Leash>,
    reserve: Weak<Reserve>,
    pub forks: Option<ForkServer>,
}

impl Own {
    /// A temporary folder for a command.
    pub fn scratch(&self) -> io::Result<Folder> {
        match self.reserve.upgrade() {
            Some(reserve) => reserve.take_folder(),
            None => Folder::make(),
        }
    }

    /// A group for a command, and what is written to by who joins it.
    pub fn group(&self, limits: &Limits) -> io::Result<(Cgroup, Vec<OwnedFd>)> {
        match self.reserve.upgrade() {
            Some(reserve) => reserve.take_group(limits),
            None => Cgroup::make(limits),
        }
    }

    /// What the next command of this kind will want; made while this one runs.
    fn refill(&self, tier: Tier, limits: Limits) {
        if let Some(reserve) = self.reserve.upgrade() {
            reserve.refill(tier, limits);
        }
    }

    fn settle(&mut self, tier: Tier) {
        if tier == Tier::Full {
            // The next command that has no namespaces, as one that a person lets run without a wall, starts it again.
            self.forks = None;
        }
        if let Some(reserve) = self.reserve.upgrade() {
            reserve.settle(tier);
        }
    }
}

fn obey(queue: &Receiver<Order>, orders: Sender<Order>, reserve: Weak<Reserve>) {
    let mut own = Own {
        leash: None,
        reserve,
        forks: None,
    };
    let mut dying: Vec<Remains> = Vec::new();
    loop {
        let order = if dying.is_empty() {
            queue.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            queue.recv_timeout(ROUND)
        };
        match order {
            Ok(Order::Start(prepared, reply)) => {
                // Nobody waits for the answer any more: what was started is dropped, so killed.
                let _ = reply.send(start(*prepared, &mut own.leash, orders.clone()));
            }
            Ok(Order::Run(prepared, found, wiring, reply)) => {
                let (tier, limits) = (prepared.tier(), together(&prepared));
                let _ = reply.send(start_command(*prepared, *found, wiring, &mut own, orders.clone()));
                own.refill(tier, limits);
            }
            Ok(Order::Settle(tier)) => own.settle(tier),
            Ok(Order::Dismiss) => own.forks = None,
            Ok(Order::Bury(remains)) => dying.push(*remains),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        dying.retain_mut(|remains| !remains.collect());
    }
}

fn start(
    mut prepared: Prepared,
    leash: &mut Option<Leash>,
    orders: Sender<Order>,
) -> Result<Started, SandboxError> {
    look(&mut prepared)?;
    let failed = |source: io::Error| SandboxError::Start {
        said: prepared.program.display().to_string(),
        source: Some(source),
    };
    let (channel, theirs) = pair().map_err(failed)?;
    let (output, input) = pipe().map_err(failed)?;
    let plan = Plan::new(&prepared, &prepared.confinement, Vec::new(), leash).map_err(failed)?;
    let streams = [theirs, input.try_clone().map_err(failed)?, input];
    let process = launch(plan, streams, Signal::KILL, Vec::new(), orders).map_err(failed)?;
    Ok(Started {
        process,
        channel,
        answers: None,
        output,
    })
}

/// Forks and hands the process over. `joins` are groups that it is to be a member of.
pub fn launch(
    plan: Plan,
    streams: [OwnedFd; 3],
    with_parent: Signal,
    joins: Vec<OwnedFd>,
    orders: Sender<Order>,
) -> io::Result<Process> {
    let mut command = plan.command;
    let [stdin, stdout, stderr] = streams.map(Stdio::from);
    command.stdin(stdin).stdout(stdout).stderr(stderr);
    let kept = plan.kept.iter().map(AsRawFd::as_raw_fd).collect();
    before_exec(&mut command, kept, plan.group, with_parent, joins);
    let mut child = command.spawn()?;
    let pid = Pid::from_child(&child);
    // Nobody else collects our children, so the number is still this one's.
    let pidfd = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => Arc::new(pidfd),
        Err(errno) => {
            // Nothing could watch it, so it must not be. Should bubblewrap be that far already,
            // what it leaves behind is on the leash.
            let _ = child.kill().and_then(|()| child.wait());
            return Err(errno.into());
        }
    };
    Ok(Process {
        pid,
        pidfd,
        first: plan.first,
        way: Way::Kill,
        group: None,
        left: Left::default(),
        orders,
    })
}

/// The command and the files that go with it.
pub struct Plan {
    command: Command,
    kept: Vec<OwnedFd>,
    first: First,
    group: Group,
}

/// Which processes it is among when signals are sent to many.
#[derive(Clone, Copy, Debug)]
pub enum Group {
    /// A session of its own.
    Alone,
    /// With all that the leash holds.
    Leash(Pid),
}

/// The guard's group. A guard that somebody killed is replaced.
fn leash_group(leash: &mut Option<Leash>) -> io::Result<Pid> {
    match leash {
        Some(leash) if leash.holds() => Ok(leash.group()),
        _ => Ok(leash.insert(Leash::start()?).group()),
    }
}

impl Plan {
    /// What needs neither a wrapper nor a confinement.
    pub fn of(command: Command, group: Group) -> Plan {
        Plan {
            command,
            kept: Vec::new(),
            first: First::Absent,
            group,
        }
    }

    /// `texts` are files that exist inside only, with what is in them.
    pub fn new(
        prepared: &Prepared,
        confinement: &Confinement,
        texts: Vec<(&'static str, String)>,
        leash: &mut Option<Leash>,
    ) -> io::Result<Plan> {
        let confinement = memory_file(&serde_json::to_vec(confinement)?)?;
        let mut plan = match &prepared.wrapper {
            Some(wrapper) => Plan::wrapped(wrapper, prepared, texts, leash_group(leash)?)?,
            None => Plan::bare(prepared),
        };
        let number = confinement.as_raw_fd().to_string();
        plan.command.args([FLAG, &number]).args(&prepared.args);
        plan.keep(confinement);
        Ok(plan)
    }

    /// A file that goes with the process under the number that it has here.
    pub fn keep(&mut self, file: OwnedFd) {
        self.kept.push(file);
    }

    fn wrapped(
        wrapper: &Wrapper,
        prepared: &Prepared,
        texts: Vec<(&'static str, String)>,
        group: Pid,
    ) -> io::Result<Plan> {
        let options = options_file(&wrapper.options)?;
        let (info, info_theirs) = pipe()?;
        let mut command = Command::new(&wrapper.bwrap);
        command.env_clear().current_dir("/");
        let mut kept = Vec::new();
        for (place, text) in texts {
            let file = memory_file(text.as_bytes())?;
            command
                .arg("--ro-bind-data")
                .arg(file.as_raw_fd().to_string())
                .arg(place);
            kept.push(file);
        }
        command.arg("--args").arg(options.as_raw_fd().to_string());
        command.arg("--info-fd").arg(info_theirs.as_raw_fd().to_string());
        command.arg("--");
        match prepared.confinement.kind {
            Kind::Worker => command.arg(&prepared.program),
            // By its number: where the host has it is neither in the list of processes nor among
            // the mounts that a command sees.
            Kind::Command => {
                let program = super::look::held(&prepared.program)?;
                command.arg(format!("/proc/self/fd/{}", program.as_raw_fd()));
                kept.push(program);
                &mut command
            }
        };
        kept.extend([options, info_theirs]);
        Ok(Plan {
            command,
            kept,
            first: First::awaited(info)?,
            group: Group::Leash(group),
        })
    }

    fn bare(prepared: &Prepared) -> Plan {
        let mut command = Command::new(&prepared.program);
        command.env_clear().current_dir(&prepared.cwd);
        command.envs(prepared.env.iter().map(|(name, value)| (name, value)));
        Plan::of(command, Group::Alone)
    }
}

pub fn pair() -> io::Result<(UnixStream, OwnedFd)> {
    let (ours, theirs) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )?;
    let ours = UnixStream::from(ours);
    ours.set_nonblocking(true)?;
    Ok((ours, theirs))
}

pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?)
}

/// A nameless file with the options, each ended by a zero byte.
fn options_file(options: &[OsString]) -> io::Result<OwnedFd> {
    let mut bytes = Vec::new();
    for option in options {
        bytes.extend_from_slice(option.as_bytes());
        bytes.push(0);
    }
    memory_file(&bytes)
}

pub fn memory_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create("sandbox", MemfdFlags::CLOEXEC)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = &rest[written..];
    }
    rustix::fs::seek(&file, SeekFrom::Start(0))?;
    Ok(file)
}

#[allow(unsafe_code, reason = "what happens between fork and exec has no safe form")]
fn before_exec(
    command: &mut Command,
    kept: Vec<RawFd>,
    group: Group,
    with_parent: Signal,
    joins: Vec<OwnedFd>,
) {
    let parent = rustix::process::getpid();
    let prepare = move || {
        rustix::process::set_parent_process_death_signal(Some(with_parent))?;
        if rustix::process::getppid() != Some(parent) {
            // The parent ended before the line above.
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        match group {
            Group::Alone => drop(rustix::process::setsid()?),
            // Until exec this process holds the leash, too: the guard cannot have let go yet.
            Group::Leash(group) => rustix::process::setpgid(None, Some(group))?,
        }
        for door in &joins {
            rustix::io::write(door, b"0")?;
        }
        close_on_exec()?;
        for number in &kept {
            // SAFETY: the numbers belong to files that the caller keeps open until after spawn,
            // and the child has a copy of the same table.
            let file = unsafe { BorrowedFd::borrow_raw(*number) };
            rustix::io::fcntl_setfd(file, FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: only system calls; no allocation, no lock, nothing that another thread could have
    // held at the fork.
    unsafe { command.pre_exec(prepare) };
}

/// Whatever any library of this program opened and forgot to mark stays on this side.
#[allow(unsafe_code, reason = "the call has no safe binding")]
pub fn close_on_exec() -> io::Result<()> {
    // SAFETY: nothing is closed, only marked.
    match unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
