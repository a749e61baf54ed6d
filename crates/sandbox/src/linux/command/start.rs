//! Starts a command on the launcher's thread: looks at its paths and at `.git`, makes its group,
//! wires its streams.

use super::super::cgroup::Limits;
use super::super::launcher::{Order, Own, Plan, Process, launch, pair, pipe};
use super::super::look::look;
use super::fork_server::{Birth, ForkServer};
use super::git::Found;
use super::left::Left;
use crate::command::prepare::{PreparedCommand, git_options};
use crate::command::{HOME, WORKSPACE};
use crate::confine::{Confinement, Grant};
use crate::error::SandboxError;
use crate::facts::Tier;
use crate::policy::Mount;
use rustix::fs::{Mode, OFlags};
use rustix::process::Signal;
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc::Sender;

/// What the standard streams are.
#[derive(Debug)]
pub enum Wiring {
    /// Nothing to read, two pipes to write to.
    Pipes,
    /// A socket from the owner as standard input and one to it as standard output, each for one way; a
    /// pipe for errors.
    Channel,
    Terminal(Winsize),
    /// Somebody else holds the other ends.
    Given([OwnedFd; 3]),
}

/// The owner's ends of the streams.
#[derive(Debug)]
pub enum Ends {
    Pipes {
        stdout: OwnedFd,
        stderr: OwnedFd,
    },
    Channel {
        channel: UnixStream,
        answers: UnixStream,
        output: OwnedFd,
    },
    Terminal(OwnedFd),
    Elsewhere,
}

/// A command that runs, as the thread hands it over.
#[derive(Debug)]
pub struct StartedCommand {
    pub process: Process,
    pub ends: Ends,
    /// Ends when the command starts; else it says why not.
    pub status: OwnedFd,
    pub tier: Tier,
}

/// `git` is what was found in the workspace.
pub fn start_command(
    mut command: PreparedCommand,
    mut git: Found,
    wiring: Wiring,
    own: &mut Own,
    orders: Sender<Order>,
) -> Result<StartedCommand, SandboxError> {
    look(&mut command.prepared)?;
    match command.prepared.tier {
        Tier::Full => hold_git(&mut command, &git),
        Tier::Reduced | Tier::None => git.let_go(),
    }
    let mut left = Left::default();
    let said = command.prepared.program.display().to_string();
    let failed = |source: io::Error| SandboxError::Start {
        said: said.clone(),
        source: Some(source),
    };
    let tier = command.prepared.tier;
    let is_terminal = matches!(wiring, Wiring::Terminal(_));
    let (ends, streams) = wire(wiring).map_err(failed)?;
    let (status, status_theirs) = pipe().map_err(failed)?;
    let mut confinement = confinement(&command, is_terminal, &status_theirs);
    let (group, doors) = own.group(&together(&command)).map_err(failed)?;
    let mut process = match tier {
        Tier::Full => {
            let plan = Plan::new(&command.prepared, &confinement, texts(), &mut own.leash);
            let mut plan = plan.map_err(failed)?;
            plan.keep(status_theirs);
            launch(plan, streams, Signal::KILL, doors, orders).map_err(failed)?
        }
        Tier::Reduced | Tier::None => {
            if let Some(inside) = &mut confinement.command {
                let folder = own.scratch().map_err(failed)?;
                inside.scratch = Some(folder.path().to_owned());
                left.scratch = Some(folder);
            }
            let birth = Birth {
                confinement,
                words: &command.prepared.args,
                env: &command.prepared.env,
                cwd: &command.prepared.cwd,
                streams,
                status: status_theirs,
                joins: doors,
            };
            let server =
                ForkServer::of(&mut own.forks, &command.prepared.program, &orders).map_err(failed)?;
            server.fork(birth, orders).map_err(failed)?
        }
    };
    process.group = Some(group);
    left.git = Some(git);
    process.left = left;
    Ok(StartedCommand {
        process,
        ends,
        status,
        tier,
    })
}

/// What its processes may have together. Where processes are counted they can be killed as well: one group
/// less to join is some ten milliseconds less where the kernel makes all processors wait for it.
pub fn together(command: &PreparedCommand) -> Limits {
    let mut places = command.cgroups.clone();
    if places.iter().any(|place| place.processes.is_some()) {
        places.retain(|place| place.processes.is_some() || place.memory.is_some());
    }
    Limits {
        places,
        processes: command.processes,
        memory: command.memory_together,
    }
}

fn confinement(command: &PreparedCommand, is_terminal: bool, status: &OwnedFd) -> Confinement {
    let mut confinement = command.prepared.confinement.clone();
    if let Some(inside) = &mut confinement.command {
        inside.terminal = is_terminal;
        inside.status = Some(status.as_raw_fd());
    }
    confinement
}

/// Lays repositories over themselves. What each part is goes into the confinement, so that the process ends
/// if somebody exchanged one in between.
fn hold_git(command: &mut PreparedCommand, found: &Found) {
    for (part, identity) in &found.parts {
        if identity.is_none() {
            continue;
        }
        let grant = Grant {
            mount: Mount::read_only(Path::new(WORKSPACE).join(&part.name)),
            identity: *identity,
        };
        command.prepared.confinement.grants.push(grant);
    }
    let parts: Vec<_> = found.parts.iter().map(|(part, _)| part.clone()).collect();
    if let Some(wrapper) = &mut command.prepared.wrapper {
        // Behind the workspace, before the root is closed: the last option changes the folder.
        let at = closing(&wrapper.options);
        wrapper
            .options
            .splice(at..at, git_options(&command.workspace, &parts));
    }
}

/// Where `--remount-ro /dev` begins the end of the list.
fn closing(options: &[OsString]) -> usize {
    let dev = options.iter().rposition(|word| word == "/dev");
    dev.map_or(options.len(), |at| at.saturating_sub(1))
}

fn wire(wiring: Wiring) -> io::Result<(Ends, [OwnedFd; 3])> {
    match wiring {
        Wiring::Pipes => {
            let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            let (stdout, stdout_theirs) = pipe()?;
            let (stderr, stderr_theirs) = pipe()?;
            Ok((
                Ends::Pipes { stdout, stderr },
                [nothing, stdout_theirs, stderr_theirs],
            ))
        }
        Wiring::Channel => {
            let (channel, theirs) = pair()?;
            let (answers, answers_theirs) = pair()?;
            let (output, output_theirs) = pipe()?;
            let ends = Ends::Channel {
                channel,
                answers,
                output,
            };
            Ok((ends, [theirs, answers_theirs, output_theirs]))
        }
        Wiring::Terminal(size) => {
            let ours = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
            rustix::pty::grantpt(&ours)?;
            rustix::pty::unlockpt(&ours)?;
            let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
            let theirs = rustix::pty::ioctl_tiocgptpeer(&ours, flags)?;
            rustix::termios::tcsetwinsize(&theirs, size)?;
            rustix::io::ioctl_fionbio(&ours, true)?;
            let streams = [theirs.try_clone()?, theirs.try_clone()?, theirs];
            Ok((Ends::Terminal(ours), streams))
        }
        Wiring::Given(streams) => Ok((Ends::Elsewhere, streams)),
    }
}

/// Who is there, which names mean this machine: what programs ask `/etc` for.
fn texts() -> Vec<(&'static str, String)> {
    let (user, group) = (
        rustix::process::getuid().as_raw(),
        rustix::process::getgid().as_raw(),
    );
    let nobody = "nobody:x:65534:65534:Nobody:/nonexistent:/usr/sbin/nologin\n";
    vec![
        (
            "/etc/passwd",
            format!("sandbox:x:{user}:{group}:Sandbox:{HOME}:/bin/sh\n{nobody}"),
        ),
        ("/etc/group", format!("sandbox:x:{group}:\nnogroup:x:65534:\n")),
        (
            "/etc/hosts",
            "127.0.0.1 localhost sandbox\n::1 localhost\n".to_owned(),
        ),
        (
            "/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n".to_owned(),
        ),
    ]
}
