//! An interactive program in the sandbox with a terminal of its own. The owner holds one end: what
//! it writes are keys (Ctrl+C is the byte 3), what it reads is the screen.

use super::super::child::watch;
use super::super::launcher::Launcher;
use super::running::Tree;
use super::start::{Ends, Wiring};
use crate::command::outcome::GitDanger;
use crate::command::prepare::PreparedCommand;
use crate::error::SandboxError;
use crate::facts::Tier;
use rustix::io::Errno;
use rustix::termios::Winsize;
use std::io;
use std::os::fd::OwnedFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{Mutex, watch as flag};

/// A terminal session. Dropped, everything in it is killed. All calls take `&self`: one task
/// reads, another writes.
#[derive(Debug)]
pub struct Terminal {
    screen: AsyncFd<OwnedFd>,
    tree: Mutex<Tree>,
    tier: Tier,
    stopping: flag::Sender<bool>,
    git: flag::Sender<Vec<GitDanger>>,
}

impl Launcher {
    /// Starts a program with a terminal of this many columns and rows.
    pub async fn open_terminal(
        &self,
        prepared: PreparedCommand,
        columns: u16,
        rows: u16,
    ) -> Result<Terminal, SandboxError> {
        let started = self
            .start_command(prepared, Wiring::Terminal(size(columns, rows)))
            .await?;
        let Ends::Terminal(screen) = started.ends else {
            return Err(SandboxError::Unsupported);
        };
        let tree = Tree::adopt(started.process, started.tier, started.status).await?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        // Safe to register: an `OwnedFd` stays open and the same for as long as it lives.
        #[allow(unsafe_code, reason = "the safe form is deprecated")]
        let screen = unsafe { AsyncFd::register_with_interest(screen, interest) };
        Ok(Terminal {
            screen: screen.map_err(io::Error::from).map_err(watch("its terminal"))?,
            tree: Mutex::new(tree),
            tier: started.tier,
            stopping: flag::Sender::new(false),
            git: flag::Sender::default(),
        })
    }
}

fn size(columns: u16, rows: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

impl Terminal {
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// What came on the screen; 0 when nobody holds the other end any more.
    pub async fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.screen.readable().await?;
            match ready.try_io(|screen| Ok(rustix::io::read(screen, &mut *buffer)?)) {
                // The kernel's way to say that it is over.
                Ok(Err(error)) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => return Ok(0),
                Ok(result) => return result,
                Err(_not_ready) => {}
            }
        }
    }

    /// Types. Waits while the program does not read.
    pub async fn write(&self, mut keys: &[u8]) -> io::Result<()> {
        while !keys.is_empty() {
            let mut ready = self.screen.writable().await?;
            match ready.try_io(|screen| Ok(rustix::io::write(screen, keys)?)) {
                Ok(written) => keys = &keys[written?..],
                Err(_not_ready) => {}
            }
        }
        Ok(())
    }

    /// The program is told by SIGWINCH.
    pub fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        Ok(rustix::termios::tcsetwinsize(
            self.screen.get_ref(),
            size(columns, rows),
        )?)
    }

    /// The exit code, when everything in it is dead and what it left has been seen to. Whoever drops this before its
    /// end may lose what [`Self::git`] would have told.
    pub async fn wait(&self) -> Result<i32, SandboxError> {
        let mut stopping = self.stopping.subscribe();
        let mut tree = self.tree.lock().await;
        let ended = tokio::select! {
            end = tree.ended() => Some(end?),
            _ = stopping.wait_for(|stop| *stop) => None,
        };
        let end = match ended {
            Some(end) => end,
            None => tree.end().await?,
        };
        let cleaned = tree.clean().await;
        if !cleaned.dangers.is_empty() {
            self.git.send_replace(cleaned.dangers);
        }
        Ok(end.exit_code)
    }

    /// What it made in repositories that runs when git is used there; known when it has ended.
    pub fn git(&self) -> Vec<GitDanger> {
        self.git.borrow().clone()
    }

    /// Kills everything in it and waits for that.
    pub async fn end(&self) -> Result<i32, SandboxError> {
        self.stopping.send_replace(true);
        self.wait().await
    }
}
