//! What ends everything that bubblewrap started when this program is killed.
//!
//! "Die with the parent" is not enough. bubblewrap's first process in the namespace asks for it
//! only when the namespace is set up; if bubblewrap itself died in these milliseconds, that
//! process is nobody's and waits for good. So bubblewrap and its first process are members of one
//! process group, and in the group is a guard: a shell that waits for the end of a pipe whose
//! other end only this program holds. The end comes, however this program ended, and the guard
//! sends SIGKILL to its own group. For the kernel that is one step: a process forked at that
//! moment is either in the group already or not forked at all. Being a member, the guard keeps the
//! group's number from being given to anybody else.
//!
//! Deliberately not here: a search for leftovers by name. It could only guess whose they are.

#![allow(
    clippy::disallowed_methods,
    reason = "starts the guard, the one process that is not for anybody's work"
)]

use super::launcher::{close_on_exec, pipe};
use rustix::process::{Pid, PidfdFlags, WaitId, WaitIdOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Only the end of the pipe or SIGKILL ends it: nothing else that this program survives may.
const GUARD: &str = "trap '' HUP INT QUIT TERM; read -r line; kill -s KILL 0";

#[derive(Debug)]
pub struct Leash {
    guard: Pid,
    pidfd: OwnedFd,
    /// Open for as long as this program lives.
    _held: OwnedFd,
}

impl Leash {
    pub fn start() -> io::Result<Leash> {
        let (end, held) = pipe()?;
        let mut command = Command::new("/bin/sh");
        // The last word is the shell's own name: for people who read the list of processes.
        command.args(["-c", GUARD, &format!("sandbox-leash-{}", std::process::id())]);
        command.env_clear().current_dir("/").process_group(0);
        command.stdin(end).stdout(Stdio::null()).stderr(Stdio::null());
        mark_files(&mut command);
        let mut child = command.spawn()?;
        let guard = Pid::from_child(&child);
        // Nobody else collects our children, so the number is still this one's.
        match rustix::process::pidfd_open(guard, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Leash {
                guard,
                pidfd,
                _held: held,
            }),
            Err(errno) => {
                let _ = child.kill().and_then(|()| child.wait());
                Err(errno.into())
            }
        }
    }

    /// The group to be in.
    pub fn group(&self) -> Pid {
        self.guard
    }

    /// Whether the guard is still there. Collects it if not.
    pub fn holds(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        matches!(
            rustix::process::waitid(WaitId::PidFd(self.pidfd.as_fd()), options),
            Ok(None)
        )
    }
}

#[allow(unsafe_code, reason = "what happens between fork and exec has no safe form")]
fn mark_files(command: &mut Command) {
    // SAFETY: one system call; no allocation, no lock.
    unsafe { command.pre_exec(close_on_exec) };
}
