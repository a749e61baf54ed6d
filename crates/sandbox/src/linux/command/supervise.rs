//! The supervisor of the reduced tier. It stays outside the wall, becomes the one to whom orphans
//! go, and ends only when it has no child left; a subreaper without a child has no descendant,
//! so its end is the proof that nothing lives.
//!
//! SIGTERM from the owner, or the owner's death, makes it kill everything. Deliberately not here:
//! SIGKILL as a way to stop it; that would let its descendants go.

use super::furnish::Scratch;
use crate::confine::ConfineError;
use crate::os::inner::step;
use rustix::event::Timespec;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// How long a round of killing waits for its effect.
const ROUND: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 2_000_000,
};

/// Starts `command` in a child and stays until all that came of it is dead.
pub fn over(
    scratch: Scratch,
    status: &mut Option<File>,
    command: impl FnOnce(&Path, &mut Option<File>) -> Result<ExitCode, ConfineError>,
) -> Result<ExitCode, ConfineError> {
    let signals = Signals::hold().map_err(step("holding signals"))?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))
        .map_err(step("becoming a subreaper"))?;
    let own = rustix::process::getpid();
    match fork().map_err(step("forking"))? {
        None => {
            let ready = bound_to(own, &signals).map_err(step("being bound to the supervisor"));
            let code = ready.and_then(|()| command(scratch.path(), status))?;
            Ok(code)
        }
        Some(child) => {
            // The child has its own; this one must not keep it open.
            drop(status.take());
            let code = watch(child, &signals).map_err(step("watching the command"))?;
            scratch.remove();
            Ok(ExitCode::from(code))
        }
    }
}

fn bound_to(supervisor: Pid, signals: &Signals) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    if rustix::process::getppid() != Some(supervisor) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    signals.release()
}

#[allow(unsafe_code, reason = "fork has no safe form")]
pub fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: by contract of `confine::apply` this process has one thread, so no lock is held by
    // one that does not come along.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        child => Ok(Pid::from_raw(child)),
    }
}

fn watch(main: Pid, signals: &Signals) -> io::Result<u8> {
    leave_streams()?;
    let (mut code, mut ending) = (None, false);
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some((pid, status))) => {
                if pid == main {
                    code = Some(exit_code(status));
                    ending = true;
                }
                continue;
            }
            Ok(None) | Err(Errno::INTR) => {}
            // Not even a zombie: nothing lives.
            Err(Errno::CHILD) => return Ok(code.unwrap_or(137)),
            Err(errno) => return Err(errno.into()),
        }
        if ending {
            kill_all();
        }
        ending |= signals.wait(ending.then_some(ROUND))?;
    }
}

fn exit_code(status: rustix::process::WaitStatus) -> u8 {
    let code = match status.terminating_signal() {
        Some(signal) => 128 + signal,
        None => status.exit_status().unwrap_or(1),
    };
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// The streams are the command's: they end when it ends.
fn leave_streams() -> io::Result<()> {
    use rustix::fs::{Mode, OFlags};
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// SIGKILL for all descendants that can be seen at this moment.
fn kill_all() {
    let children = by_parent();
    let mut found = vec![std::process::id().cast_signed()];
    let mut index = 0;
    while index < found.len() {
        let parent = found[index];
        for pid in children.get(&parent).into_iter().flatten() {
            kill(*pid, parent);
            found.push(*pid);
        }
        index += 1;
    }
}

fn by_parent() -> BTreeMap<i32, Vec<i32>> {
    let mut all: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for entry in entries {
        let pid = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, parent_of(pid)?))) {
            all.entry(parent).or_default().push(pid);
        }
    }
    all
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

/// Only if the number still is that child's.
fn kill(pid: i32, parent: i32) {
    let Some(number) = Pid::from_raw(pid) else { return };
    let Ok(process) = rustix::process::pidfd_open(number, PidfdFlags::empty()) else {
        return;
    };
    if parent_of(pid) == Some(parent) {
        let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
    }
}

/// The signals that the supervisor takes one by one.
struct Signals {
    set: libc::sigset_t,
}

/// From here on, and in whatever is forked from here, they wait until they are taken: a supervisor that is
/// asked to end before it is one would otherwise end without having swept.
pub fn hold_signals() -> io::Result<()> {
    Signals::hold().map(drop)
}

impl Signals {
    #[allow(unsafe_code, reason = "signal sets have no safe binding")]
    fn hold() -> io::Result<Signals> {
        // SAFETY: plain memory that the calls fill; the pointers are to locals.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&raw mut set);
            for signal in [
                libc::SIGTERM,
                libc::SIGINT,
                libc::SIGHUP,
                libc::SIGQUIT,
                libc::SIGCHLD,
            ] {
                libc::sigaddset(&raw mut set, signal);
            }
            match libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) {
                0 => Ok(Signals { set }),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// For the command, which was born with them held.
    #[allow(unsafe_code, reason = "signal sets have no safe binding")]
    fn release(&self) -> io::Result<()> {
        // SAFETY: the set was filled by the call that made this value.
        match unsafe { libc::sigprocmask(libc::SIG_UNBLOCK, &raw const self.set, std::ptr::null_mut()) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Whether it is time to end everything. Returns on every signal, and after `limit`.
    #[allow(unsafe_code, reason = "the call has no safe binding")]
    fn wait(&self, limit: Option<Timespec>) -> io::Result<bool> {
        let limit = limit.map(|limit| libc::timespec {
            tv_sec: limit.tv_sec,
            tv_nsec: limit.tv_nsec,
        });
        let limit = limit.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: all pointers are to locals or null, as the call allows.
        let signal = unsafe { libc::sigtimedwait(&raw const self.set, std::ptr::null_mut(), limit) };
        match signal {
            libc::SIGCHLD => Ok(false),
            1.. => Ok(true),
            _ => match io::Error::last_os_error() {
                error if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EINTR)) => Ok(false),
                error => Err(error),
            },
        }
    }
}
