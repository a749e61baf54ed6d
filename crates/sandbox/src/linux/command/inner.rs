//! The process that becomes the command. In the full tier it shuts itself in and is replaced by
//! the command. In the reduced tier it stays outside as the supervisor, and its child does that.
//!
//! What fails before the command starts is told through a file of its own, because the standard
//! streams are the command's.

#![allow(
    clippy::disallowed_methods,
    reason = "replaces this process by the command, behind its wall"
)]

use super::furnish::Scratch;
use super::{relay, supervise, walls};
use crate::confine::{ConfineError, Confinement, EXIT_NO_WALL, Inside, Link};
use crate::facts::Tier;
use crate::os::inner::{close_files_from, step};
use crate::selftest;
use rustix::io::FdFlags;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{BorrowedFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Where the failure is told; it keeps this number.
const STATUS: i32 = 3;

/// The first byte there when the wall stands and the command comes next.
pub const STANDING: u8 = b'+';

/// Returns only in the supervisor, at the end, and after a failure.
pub fn become_command(confinement: &Confinement, words: &[OsString]) -> Result<ExitCode, ConfineError> {
    let Some(inside) = &confinement.command else {
        return Err(ConfineError::Missing);
    };
    let mut status = take_status(inside).map_err(step("keeping the status open"))?;
    let result = match confinement.tier {
        Tier::Full => full(confinement, inside, words, &mut status),
        Tier::Reduced | Tier::None => reduced(confinement, inside, words, &mut status),
    };
    match (result, &mut status) {
        (Err(error), Some(file)) => {
            let _ = file.write_all(base::failure::chain(&error).as_bytes());
            Ok(ExitCode::from(EXIT_NO_WALL))
        }
        (result, _) => result,
    }
}

/// Closes what was inherited, but for the status.
#[allow(unsafe_code, reason = "a number becomes an owner")]
fn take_status(inside: &Inside) -> io::Result<Option<File>> {
    let Some(number) = inside.status else {
        close_files_from(3)?;
        return Ok(None);
    };
    if number != STATUS {
        // SAFETY: nothing in this process owns a file beyond the standard three yet.
        if unsafe { libc::dup2(number, STATUS) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    close_files_from(4)?;
    // SAFETY: open since the line above, and nobody else's.
    let file = unsafe { File::from_raw_fd(STATUS) };
    rustix::io::fcntl_setfd(&file, FdFlags::CLOEXEC)?;
    Ok(Some(file))
}

type Status = Option<File>;

fn full(
    confinement: &Confinement,
    inside: &Inside,
    words: &[OsString],
    status: &mut Status,
) -> Result<ExitCode, ConfineError> {
    if let Link::Relay { socket, port } = &inside.network {
        relay::start(confinement, inside, socket, *port)?;
    }
    rustix::process::setsid().map_err(step("making a session"))?;
    control_terminal(inside)?;
    walls::put_up(confinement, inside, None)?;
    replace(words, None, status)
}

fn reduced(
    confinement: &Confinement,
    inside: &Inside,
    words: &[OsString],
    status: &mut Status,
) -> Result<ExitCode, ConfineError> {
    let scratch = Scratch::furnish(inside).map_err(step("furnishing the temporary folder"))?;
    supervise::over(scratch, status, |scratch, status| {
        rustix::process::setsid().map_err(step("making a session"))?;
        control_terminal(inside)?;
        walls::put_up(confinement, inside, Some(scratch))?;
        replace(words, Some(scratch), status)
    })
}

/// What is ignored stays ignored over an exec: an owner that was started by `nohup` would make every
/// command deaf to a hang-up.
#[allow(unsafe_code, reason = "no safe name for the defaults of all signals")]
fn usual_signals() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: no handler is given. SIGKILL, SIGSTOP and what the C library keeps are refused,
        // and nobody can have changed those.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

fn control_terminal(inside: &Inside) -> Result<(), ConfineError> {
    if !inside.terminal {
        return Ok(());
    }
    // SAFETY: standard input is open: it was given as the terminal.
    #[allow(unsafe_code, reason = "standard input by its number")]
    let terminal = unsafe { BorrowedFd::borrow_raw(0) };
    rustix::process::ioctl_tiocsctty(terminal).map_err(step("taking the terminal"))
}

fn replace(
    words: &[OsString],
    scratch: Option<&Path>,
    status: &mut Status,
) -> Result<ExitCode, ConfineError> {
    if let Some(file) = status {
        file.write_all(&[STANDING])
            .map_err(step("telling that the wall stands"))?;
    }
    if let Some(code) = selftest::answer_as_command(words) {
        return Ok(code);
    }
    let Some((program, args)) = words.split_first() else {
        return Err(ConfineError::Missing);
    };
    let mut command = Command::new(program);
    command.args(args);
    if let Some(scratch) = scratch {
        command.env("CARGO_HOME", scratch.join(".cargo"));
        command.env("HOME", scratch).env("TMPDIR", scratch);
    }
    usual_signals();
    let failed = command.exec();
    // The shell's way to say it, and the usual exit codes.
    eprintln!("{}: {failed}", program.display());
    Ok(ExitCode::from(if failed.kind() == io::ErrorKind::NotFound {
        127
    } else {
        126
    }))
}
