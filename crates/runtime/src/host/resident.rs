//! A program of the machine that stays and speaks on its standard input and output, as servers of MCP do:
//! behind the walls of commands, in a folder of its own, with the folders and hosts that it was granted.
//!
//! It sees the system, the user's toolchains, its own folder (its home as well) and what is granted.
//! In the full tier it reaches hosts through a [`Link`]; in the reduced tier nobody. All that it starts
//! ends with it.
//!
//! Deliberately not here: what is said to it, who granted what, when it is started again.

use super::error::RunError;
use super::link::Link;
use super::network::Reach;
use super::pool::Host;
use sandbox::command::{WORKSPACE, toolchains};
use sandbox::{CommandPolicy, Mount, Proxy, Run, Streamed, Tier, prepare_command};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use tokio::net::unix::pipe::{Receiver, Sender};

/// Processes and threads: Node has a dozen, and the way out two for each connection.
const PROCESSES: u64 = 512;
/// Bytes of memory of it and all that it started.
const MEMORY: u64 = 2 << 30;

/// What is started, and with which rights.
#[derive(Clone, Debug)]
pub struct ResidentSpec {
    /// The program by its path or its name on PATH, and its arguments.
    pub words: Vec<String>,
    /// On top of the built environment.
    pub env: Vec<(String, String)>,
    /// Its own: absolute, without links.
    pub folder: PathBuf,
    pub mounts: Vec<Mount>,
    /// The data home: hidden but for its folder and `mounts`.
    pub home: PathBuf,
    pub reach: Reach,
}

/// One that runs. Dropped, it is killed with all that it started.
pub struct Resident {
    child: Streamed,
    streams: Option<Streams>,
    _link: Option<Link>,
}

/// Ends of its streams. Nothing is read for it: whoever takes them bounds what comes.
pub struct Streams {
    pub input: Sender,
    pub output: Receiver,
    pub errors: Receiver,
}

impl Host {
    pub async fn resident(&self, spec: &ResidentSpec) -> Result<Resident, RunError> {
        let is_full = self.walls().tier().await == Tier::Full;
        let mut link = match &spec.reach.sockets {
            Some(sockets) if is_full && !spec.reach.network.rules().grants_nothing() => {
                Some(Link::new(sockets).await.map_err(RunError::Socket)?)
            }
            Some(_) | None => None,
        };
        let words = spec.words.iter().map(OsString::from).collect();
        let mut policy = CommandPolicy::new(self.walls().program(), &spec.folder, Run::Program(words));
        policy.mounts = spec.mounts.clone();
        policy.toolchains = toolchains::installed().await;
        if spec.home.exists() {
            policy.masked = vec![spec.home.clone()];
        }
        policy.processes = PROCESSES;
        policy.memory_together = MEMORY;
        if is_full {
            // What it keeps there is there the next time.
            policy.env.push(("HOME".into(), WORKSPACE.into()));
        }
        let given = spec.env.iter();
        policy
            .env
            .extend(given.map(|(name, value)| (name.into(), value.into())));
        if let Some(link) = &mut link {
            link.open_for(&spec.reach).map_err(RunError::Socket)?;
            policy.network = sandbox::Network::Proxy(Proxy {
                socket: link.socket().to_owned(),
                port: Proxy::PORT,
            });
        }
        let (streams, theirs) = streams().map_err(RunError::Socket)?;
        let prepared = prepare_command(&policy, self.walls().facts().await)?;
        let child = self.walls().launcher().run_with(prepared, theirs).await?;
        Ok(Resident {
            child,
            streams: Some(streams),
            _link: link,
        })
    }
}

impl Resident {
    /// `None` the second time.
    pub fn take_streams(&mut self) -> Option<Streams> {
        self.streams.take()
    }

    /// The exit code, 128 + n after signal n, when nothing of it lives any more. May be abandoned.
    pub async fn wait(&mut self) -> Result<i32, RunError> {
        Ok(self.child.wait().await?)
    }

    /// Kills all of it and waits for that.
    pub async fn end(&mut self) -> Result<i32, RunError> {
        Ok(self.child.end().await?)
    }
}

/// Ours, which do not block, and theirs, which do.
fn streams() -> io::Result<(Streams, [OwnedFd; 3])> {
    let ((stdin, input), (output, stdout), (errors, stderr)) = (io::pipe()?, io::pipe()?, io::pipe()?);
    let ours = Streams {
        input: Sender::from_owned_fd(input.into())?,
        output: Receiver::from_owned_fd(output.into())?,
        errors: Receiver::from_owned_fd(errors.into())?,
    };
    Ok((ours, [stdin.into(), stdout.into(), stderr.into()]))
}
