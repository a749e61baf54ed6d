//! A port on the loopback of the sandbox that leads to the host's proxy: every connection is
//! spliced to a unix socket that was bound into the root. The proxy outside judges; this passes
//! bytes and nothing else.
//!
//! It listens before the command starts, so nobody comes too early, and is a child of the
//! namespace's first process, so the command's `wait` does not know it.

use super::{supervise, walls};
use crate::confine::{ConfineError, Confinement, Inside};
use crate::os::inner::step;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Connections at a time; the next wait in the listener's queue.
const MOST: usize = 128;
const STACK: usize = 64 << 10;

pub fn start(
    confinement: &Confinement,
    inside: &Inside,
    socket: &Path,
    port: u16,
) -> Result<(), ConfineError> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(step("listening for the proxy's clients"))?;
    if let Some(child) = supervise::fork().map_err(step("forking"))? {
        // The one in between ends at once.
        let ended = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
        return ended.map(drop).map_err(step("starting the relay"));
    }
    let serving = supervise::fork().is_ok_and(|child| child.is_none());
    if serving && leave(confinement, inside).is_ok() {
        serve(&listener, socket);
    }
    std::process::exit(0)
}

/// Away from the command's streams, and behind the same wall.
fn leave(confinement: &Confinement, inside: &Inside) -> Result<(), ConfineError> {
    use rustix::fs::{Mode, OFlags};
    rustix::process::setsid().map_err(step("making a session"))?;
    let nothing = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty());
    let nothing = nothing.map_err(step("opening nothing"))?;
    let streams = rustix::stdio::dup2_stdin(&nothing)
        .and_then(|()| rustix::stdio::dup2_stdout(&nothing))
        .and_then(|()| rustix::stdio::dup2_stderr(&nothing));
    streams.map_err(step("leaving the streams"))?;
    close_status();
    walls::put_up(confinement, inside, None)
}

/// The status is the command's; held open here it would never end.
#[allow(unsafe_code, reason = "by its number: its owner is the other process's")]
fn close_status() {
    // SAFETY: this process never returns to the owner of the number.
    unsafe { libc::close(3) };
}

fn serve(listener: &TcpListener, socket: &Path) {
    let open = Arc::new(AtomicUsize::new(0));
    for client in listener.incoming().flatten() {
        if open.load(Ordering::Relaxed) >= MOST {
            continue;
        }
        let Ok(proxy) = UnixStream::connect(socket) else {
            continue;
        };
        open.fetch_add(1, Ordering::Relaxed);
        let done = Arc::clone(&open);
        let thread = thread::Builder::new().stack_size(STACK);
        let started = thread.spawn(move || {
            pass(client, proxy);
            done.fetch_sub(1, Ordering::Relaxed);
        });
        if started.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn pass(client: TcpStream, proxy: UnixStream) {
    let (Ok(mut from_client), Ok(mut to_proxy)) = (client.try_clone(), proxy.try_clone()) else {
        return;
    };
    let upwards = thread::Builder::new().stack_size(STACK).spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_proxy);
        let _ = to_proxy.shutdown(Shutdown::Write);
    });
    let (mut from_proxy, mut to_client) = (&proxy, &client);
    let _ = io::copy(&mut from_proxy, &mut to_client);
    let _ = client.shutdown(Shutdown::Both);
    let _ = proxy.shutdown(Shutdown::Both);
    if let Ok(upwards) = upwards {
        let _ = upwards.join();
    }
}
