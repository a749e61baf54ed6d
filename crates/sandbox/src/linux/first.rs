//! The first process of a namespace. With it all others in there end, so it is the one to kill;
//! bubblewrap says which it is as soon as it exists.
//!
//! Until then bubblewrap must not be killed either: the process might exist already, and without
//! bubblewrap it would be nobody's.

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags};
use serde::Deserialize;
use std::io;
use std::os::fd::OwnedFd;

#[derive(Debug)]
pub enum First {
    /// There is no namespace, or nothing in it any more.
    Absent,
    Awaited(Naming),
    Known(OwnedFd),
}

/// What bubblewrap has said so far.
#[derive(Debug)]
pub struct Naming {
    pipe: OwnedFd,
    text: Vec<u8>,
}

/// What came of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    NotYet,
    /// bubblewrap gave up before there was one.
    Never,
    /// There is one, or was.
    Yes,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "child-pid")]
    child_pid: i32,
}

/// More than bubblewrap ever says.
const LONGEST: usize = 4096;

impl First {
    pub fn awaited(pipe: OwnedFd) -> io::Result<First> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(First::Awaited(Naming {
            pipe,
            text: Vec::new(),
        }))
    }

    /// Where to wait until there is something to ask for.
    pub fn pipe(&self) -> Option<&OwnedFd> {
        match self {
            First::Awaited(naming) => Some(&naming.pipe),
            First::Absent | First::Known(_) => None,
        }
    }

    /// Reads on, without waiting. After an error one may ask again.
    pub fn ask(&mut self, bubblewrap: Pid) -> io::Result<Named> {
        let First::Awaited(naming) = self else {
            return Ok(Named::Yes);
        };
        if !naming.read()? {
            return Ok(Named::NotYet);
        }
        let pid = naming.pid();
        *self = match pid.map(|pid| open_child_of(pid, bubblewrap)).transpose()? {
            Some(Some(pidfd)) => First::Known(pidfd),
            Some(None) | None => First::Absent,
        };
        Ok(if pid.is_some() { Named::Yes } else { Named::Never })
    }
}

impl Naming {
    /// Whether all has been said.
    fn read(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 512];
        while self.text.len() < LONGEST {
            match rustix::io::read(&self.pipe, &mut buffer) {
                Ok(0) => return Ok(true),
                Ok(count) => self.text.extend_from_slice(&buffer[..count]),
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(true)
    }

    fn pid(&self) -> Option<Pid> {
        let info: Info = serde_json::from_slice(&self.text).ok()?;
        (info.child_pid > 0).then(|| Pid::from_raw(info.child_pid))?
    }
}

/// The process, if that number still is a child of `parent`; else it ended already.
fn open_child_of(pid: Pid, parent: Pid) -> io::Result<Option<OwnedFd>> {
    let pidfd = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(Errno::SRCH) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    };
    // Kernel memory, not a disk: does not block.
    let stat = match std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) {
        Ok(stat) => stat,
        Err(error) if gone(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let of = after_name.split(' ').nth(1).and_then(|of| of.parse().ok());
    Ok((of == Some(parent.as_raw_nonzero().get())).then_some(pidfd))
}

/// Ended before its file was opened, or while it was read.
fn gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(Errno::SRCH.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::launcher::pipe;
    use std::process::Command;

    fn said(parts: &[&str]) -> (First, OwnedFd) {
        let (ours, theirs) = pipe().unwrap();
        let mut first = First::awaited(ours).unwrap();
        let own = rustix::process::getpid();
        for part in parts {
            assert_eq!(first.ask(own).unwrap(), Named::NotYet);
            rustix::io::write(&theirs, part.as_bytes()).unwrap();
        }
        assert_eq!(first.ask(own).unwrap(), Named::NotYet);
        assert!(first.pipe().is_some());
        (first, theirs)
    }

    #[test]
    #[allow(clippy::disallowed_methods, reason = "a child to be named")]
    fn is_known_when_all_is_said_and_it_is_a_child() {
        let own = rustix::process::getpid();
        let mut child = Command::new("/bin/sleep").arg("1000").spawn().unwrap();
        let name = child.id().to_string();
        let (mut first, theirs) = said(&["{\n \"child-pid\": ", &name, ",\n \"net\": 7\n", "}\n"]);
        drop(theirs);
        assert_eq!(first.ask(own).unwrap(), Named::Yes);
        assert!(matches!(first, First::Known(_)));
        let (mut other, theirs) = said(&["{\"child-pid\":", &name, "}"]);
        drop(theirs);
        assert_eq!(other.ask(Pid::INIT).unwrap(), Named::Yes);
        assert!(matches!(other, First::Absent), "that number is somebody else");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn is_never_there_when_nothing_useful_was_said() {
        for parts in [&[][..], &["{"], &["{}"], &["{\"child-pid\": -1}"], &["bwrap: no"]] {
            let (mut first, theirs) = said(parts);
            drop(theirs);
            assert_eq!(first.ask(rustix::process::getpid()).unwrap(), Named::Never);
            assert!(matches!(first, First::Absent));
        }
        let (mut first, _still_open) = said(&[&" ".repeat(LONGEST - 1)]);
        rustix::io::write(&_still_open, b"xx").unwrap();
        assert_eq!(first.ask(rustix::process::getpid()).unwrap(), Named::Never);
    }
}
