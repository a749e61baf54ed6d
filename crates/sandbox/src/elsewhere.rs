//! Other operating systems: an honest refusal. Nothing that nobody ran is called a wall.

use crate::Exit;
use crate::confine::{ConfineError, Confinement};
use crate::error::SandboxError;
use crate::facts::{Facts, Tier};
use crate::prepare::Prepared;
use std::convert::Infallible;
use std::os::unix::net::UnixStream;

/// Cannot be made here.
#[derive(Clone, Debug)]
pub struct Launcher(Infallible);

/// Cannot be made here.
#[derive(Debug)]
pub struct Child(Infallible);

pub fn detect() -> Facts {
    Facts::nothing()
}

pub(crate) fn confine(_confinement: &Confinement) -> Result<(), ConfineError> {
    Err(ConfineError::Unsupported)
}

pub(crate) fn channel() -> Result<UnixStream, ConfineError> {
    Err(ConfineError::Unsupported)
}

impl Launcher {
    pub fn start() -> Result<Self, SandboxError> {
        Err(SandboxError::Unsupported)
    }

    #[allow(clippy::unused_async, reason = "the same shape as on Linux")]
    pub async fn spawn(&self, _prepared: Prepared) -> Result<Child, SandboxError> {
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
