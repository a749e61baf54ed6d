//! Starts commands of the tiers without namespaces: one small process that waits, already executed, and
//! forks a supervisor for each. Executing the inner program anew was half of what such a command cost.
//!
//! The supervisor is made as a child of the owner's thread (`CLONE_PARENT`), not of this process: the
//! owner waits for it and it dies with that thread, as if the owner had forked it. It goes on only
//! when the owner holds it and says so. Deliberately not here: commands of the full tier, which have
//! bubblewrap around them; anything about walls.

#![allow(
    clippy::disallowed_methods,
    reason = "starts the one process that forks commands"
)]

use super::super::first::First;
use super::super::launcher::{Group, Order, Plan, Process, Way, close_on_exec, launch, memory_file, pipe};
use super::inner::become_command;
use super::supervise::hold_signals;
use crate::confine::{ConfineError, Confinement, FORK_SERVER};
use crate::os::inner::step;
use rustix::cmsg_space;
use rustix::io::FdFlags;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, sockopt,
};
use rustix::process::{Pid, PidfdFlags, Signal};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Files that come with a request: itself, the word to go on, the standard three, the status, and groups
/// to join.
const FILES: usize = 16;
const FIXED: usize = 6;

/// A fork takes less than a millisecond; one that does not come is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, Serialize, Deserialize)]
struct Request {
    confinement: Confinement,
    words: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    owner: i32,
}

/// What a command is started with.
pub struct Birth<'a> {
    pub confinement: Confinement,
    pub words: &'a [OsString],
    pub env: &'a [(OsString, OsString)],
    pub cwd: &'a Path,
    pub streams: [OwnedFd; 3],
    pub status: OwnedFd,
    /// Groups that it is to be a member of.
    pub joins: Vec<OwnedFd>,
}

/// The owner's side.
#[derive(Debug)]
pub struct ForkServer {
    program: PathBuf,
    channel: OwnedFd,
    process: Process,
}

impl ForkServer {
    /// The one of this program that lives, or a new one.
    pub fn of<'a>(
        known: &'a mut Option<ForkServer>,
        program: &Path,
        orders: &Sender<Order>,
    ) -> io::Result<&'a mut ForkServer> {
        let fits = |server: &ForkServer| server.program == program && server.lives();
        if !known.as_ref().is_some_and(fits) {
            *known = None;
        }
        match known {
            Some(server) => Ok(server),
            None => Ok(known.insert(ForkServer::start(program, orders.clone())?)),
        }
    }

    fn start(program: &Path, orders: Sender<Order>) -> io::Result<ForkServer> {
        let (channel, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        sockopt::set_socket_timeout(&channel, sockopt::Timeout::Recv, Some(PATIENCE))?;
        let nothing = rustix::fs::open(
            "/dev/null",
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )?;
        let mut command = Command::new(program);
        command.arg(FORK_SERVER).env_clear().current_dir("/");
        let plan = Plan::of(command, Group::Alone);
        let streams = [theirs, nothing.try_clone()?, nothing];
        let process = launch(plan, streams, Signal::KILL, Vec::new(), orders)?;
        Ok(ForkServer {
            program: program.to_owned(),
            channel,
            process,
        })
    }

    fn lives(&self) -> bool {
        let ended = rustix::event::PollFd::new(&*self.process.pidfd, rustix::event::PollFlags::IN);
        let now = rustix::event::Timespec::default();
        matches!(rustix::event::poll(&mut [ended], Some(&now)), Ok(0))
    }

    /// The supervisor of a command, on its way.
    pub fn fork(&mut self, birth: Birth<'_>, orders: Sender<Order>) -> io::Result<Process> {
        let request = Request {
            confinement: birth.confinement,
            words: birth.words.to_vec(),
            env: birth.env.to_vec(),
            cwd: birth.cwd.to_owned(),
            owner: rustix::process::getpid().as_raw_nonzero().get(),
        };
        let request = memory_file(&serde_json::to_vec(&request)?)?;
        let (wait, go) = pipe()?;
        let mut files = vec![request.as_fd(), wait.as_fd()];
        files.extend(birth.streams.iter().map(AsFd::as_fd));
        files.push(birth.status.as_fd());
        files.extend(birth.joins.iter().map(AsFd::as_fd));
        send(&self.channel, &files)?;
        let mut number = [0; 4];
        let count = rustix::io::retry_on_intr(|| rustix::io::read(&self.channel, &mut number))?;
        let number = i32::from_ne_bytes(number);
        if count != size_of::<i32>() || number < 0 {
            return Err(io::Error::from_raw_os_error(
                number.saturating_neg().max(libc::EIO),
            ));
        }
        let pid = Pid::from_raw(number).ok_or(io::ErrorKind::InvalidData)?;
        // Nobody else collects our children, so the number is still this one's.
        let pidfd = Arc::new(rustix::process::pidfd_open(pid, PidfdFlags::empty())?);
        // Without this word, also because something above failed, it ends.
        rustix::io::write(&go, b"+")?;
        Ok(Process {
            pid,
            pidfd,
            first: First::Absent,
            way: Way::Ask,
            group: None,
            orders,
        })
    }
}

fn send(channel: &OwnedFd, files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if files.len() > FILES || !control.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    rustix::net::sendmsg(channel, &[IoSlice::new(b"+")], &mut control, flags)?;
    Ok(())
}

/// The side that forks: until the owner closes the channel, which is standard input. Returns in each
/// supervisor as well, at its end.
pub fn serve_forks() -> Result<ExitCode, ConfineError> {
    close_on_exec().map_err(step("marking inherited files"))?;
    hold_signals().map_err(step("holding signals"))?;
    while let Some(files) = receive().map_err(step("hearing what to fork"))? {
        match fork_beside().map_err(step("forking"))? {
            None => return supervise(files),
            Some(pid) => {
                let number = pid.as_raw_nonzero().get().to_ne_bytes();
                rustix::io::write(rustix::stdio::stdin(), &number).map_err(step("telling of a fork"))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn receive() -> io::Result<Option<Vec<OwnedFd>>> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(
            rustix::stdio::stdin(),
            &mut [IoSliceMut::new(&mut byte)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut files = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(found) = message {
            files.extend(found);
        }
    }
    if received.flags.contains(ReturnFlags::CTRUNC) || files.len() < FIXED {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(Some(files))
}

/// Forks a child of this process's parent.
#[allow(unsafe_code, reason = "fork has no safe form")]
fn fork_beside() -> io::Result<Option<Pid>> {
    let flags = libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: this process has one thread, so no lock is held by one that does not come along. There
    // is no new stack: the child goes on with a copy of this one.
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0usize, 0usize, 0usize, 0usize) } {
        -1 => Err(io::Error::last_os_error()),
        child => Ok(i32::try_from(child).ok().and_then(Pid::from_raw)),
    }
}

/// The process that was forked: what is done between fork and exec elsewhere, then the supervisor.
fn supervise(files: Vec<OwnedFd>) -> Result<ExitCode, ConfineError> {
    let (confinement, words) = take_place(files).map_err(step("taking the command's place"))?;
    become_command(&confinement, &words)
}

fn take_place(mut files: Vec<OwnedFd>) -> io::Result<(Confinement, Vec<OsString>)> {
    let joins = files.split_off(FIXED);
    let [request, wait, stdin, stdout, stderr, status] =
        <[OwnedFd; FIXED]>::try_from(files).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut text = Vec::new();
    std::fs::File::from(request).read_to_end(&mut text)?;
    let mut request: Request = serde_json::from_slice(&text)?;
    rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
    if rustix::process::getppid() != Pid::from_raw(request.owner) {
        // The owner ended before the line above.
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    rustix::process::setsid()?;
    rustix::stdio::dup2_stdin(&stdin)?;
    rustix::stdio::dup2_stdout(&stdout)?;
    rustix::stdio::dup2_stderr(&stderr)?;
    for door in &joins {
        rustix::io::write(door, b"0")?;
    }
    rustix::process::chdir(&request.cwd)?;
    environment(&request.env)?;
    let mut word = [0];
    if rustix::io::retry_on_intr(|| rustix::io::read(&wait, &mut word))? == 0 {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    if let Some(inside) = &mut request.confinement.command {
        // It is closed or given its place there, by its number.
        rustix::io::fcntl_setfd(&status, FdFlags::CLOEXEC)?;
        inside.status = Some(status.into_raw_fd());
    }
    Ok((request.confinement, request.words))
}

/// This process's environment, and nothing of the one before.
#[allow(unsafe_code, reason = "the environment belongs to the whole process")]
fn environment(env: &[(OsString, OsString)]) -> io::Result<()> {
    let fits = |(name, value): &(OsString, OsString)| {
        let named = !name.is_empty() && !name.as_bytes().contains(&b'=') && !name.as_bytes().contains(&0);
        named && !value.as_bytes().contains(&0)
    };
    if !env.iter().all(fits) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: this process has one thread.
    unsafe {
        libc::clearenv();
        for (name, value) in env {
            std::env::set_var(name, value);
        }
    }
    Ok(())
}
