//! Other operating systems: an honest refusal. Nothing that nobody ran is called a wall.

use crate::Exit;
use crate::command::outcome::{GitDanger, Outcome, Watching};
use crate::command::prepare::PreparedCommand;
use crate::confine::{ConfineError, Confinement};
use crate::error::SandboxError;
use crate::facts::{Facts, Tier};
use crate::prepare::Prepared;
use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;

/// Cannot be made here.
#[derive(Clone, Debug)]
pub struct Launcher(Infallible);

/// Cannot be made here.
#[derive(Debug)]
pub struct Child(Infallible);

/// Cannot be made here.
#[derive(Debug)]
pub struct Running(Infallible);

/// Cannot be made here.
#[derive(Debug)]
pub struct Streamed(Infallible);

/// Cannot be made here.
#[derive(Clone, Debug)]
pub struct Stop(Infallible);

/// Cannot be made here.
#[derive(Debug)]
pub struct Terminal(Infallible);

pub fn detect() -> Facts {
    Facts::nothing()
}

pub(crate) fn expected() -> Facts {
    Facts::nothing()
}

pub(crate) fn confine(_confinement: &Confinement) -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported)
}

pub(crate) fn serve_forks() -> Result<ExitCode, ConfineError> {
    Err(ConfineError::Unsupported)
}

pub(crate) fn become_command(
    _confinement: &Confinement,
    _words: &[OsString],
) -> Result<ExitCode, ConfineError> {
    Err(ConfineError::Unsupported)
}

pub(crate) fn read_given(_number: i32) -> io::Result<Vec<u8>> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn tell(_bytes: &[u8]) -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported)
}

pub(crate) fn channel() -> Result<UnixStream, ConfineError> {
    Err(ConfineError::Unsupported)
}

/// Cannot be made here.
#[derive(Debug)]
pub(crate) struct Folder(Infallible);

impl Folder {
    pub fn make() -> io::Result<Folder> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn path(&self) -> &Path {
        match self.0 {}
    }
}

impl Launcher {
    pub fn start() -> Result<Self, SandboxError> {
        Err(SandboxError::Unsupported)
    }

    pub fn shut_down(&self) {
        match self.0 {}
    }

    pub(crate) fn settle(&self, _tier: Tier) {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn spawn(&self, _prepared: Prepared) -> Result<Child, SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn run(
        &self,
        _prepared: PreparedCommand,
        _watching: Watching,
    ) -> Result<Running, SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn run_with(
        &self,
        _prepared: PreparedCommand,
        _streams: [OwnedFd; 3],
    ) -> Result<Streamed, SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn serve(&self, _prepared: PreparedCommand) -> Result<Child, SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn open_terminal(
        &self,
        _prepared: PreparedCommand,
        _columns: u16,
        _rows: u16,
    ) -> Result<Terminal, SandboxError> {
        match self.0 {}
    }
}

impl Streamed {
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn wait(&mut self) -> Result<i32, SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn end(&mut self) -> Result<i32, SandboxError> {
        match self.0 {}
    }
}

impl Stop {
    pub fn stop(&self) {
        match self.0 {}
    }
}

impl Running {
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    pub fn tier(&self) -> Tier {
        match self.0 {}
    }

    pub fn stopper(&self) -> Stop {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn wait(&mut self) -> Result<Outcome, SandboxError> {
        match self.0 {}
    }
}

#[allow(clippy::unused_async, reason = "the same shape as on Linux")]
impl Terminal {
    pub fn tier(&self) -> Tier {
        match self.0 {}
    }

    pub async fn read(&self, _buffer: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }

    pub async fn write(&self, _keys: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    pub fn git(&self) -> Vec<GitDanger> {
        match self.0 {}
    }

    pub fn resize(&self, _columns: u16, _rows: u16) -> io::Result<()> {
        match self.0 {}
    }

    pub async fn wait(&self) -> Result<i32, SandboxError> {
        match self.0 {}
    }

    pub async fn end(&self) -> Result<i32, SandboxError> {
        match self.0 {}
    }
}

impl Child {
    pub fn id(&self) -> u32 {
        match self.0 {}
    }

    pub fn tier(&self) -> Tier {
        match self.0 {}
    }

    pub fn take_channel(&mut self) -> Option<UnixStream> {
        match self.0 {}
    }

    pub(crate) fn give_channel(&mut self, _channel: UnixStream) {
        match self.0 {}
    }

    pub fn take_answers(&mut self) -> Option<UnixStream> {
        match self.0 {}
    }

    pub fn stderr_tail(&self) -> String {
        match self.0 {}
    }

    pub fn kill(&self) -> Result<(), SandboxError> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn wait(&mut self) -> Result<Exit, SandboxError> {
        match self.0 {}
    }
}
