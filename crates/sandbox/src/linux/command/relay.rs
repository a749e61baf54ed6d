//! A port on the loopback of the sandbox that leads to the host's proxy: every connection is
//! spliced to a unix socket that was bound into the root. The proxy outside judges; this passes
//! bytes and nothing else.
//!
//! It listens before the command starts, so nobody comes too early, and is a child of the
//! namespace's first process, so the command's `wait` does not know it. So many connections are
//! passed at a time; the next ones wait in the listener's queue until one has ended.

use super::{supervise, walls};
use crate::confine::{ConfineError, Confinement, Inside};
use crate::os::inner::step;
use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// Connections at a time.
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
    let open = Arc::new(Open::default());
    loop {
        // Taken before a client is: whoever finds no place stays in the queue.
        let place = Place::of(&open);
        let Ok((client, _)) = listener.accept() else {
            continue;
        };
        let Ok(proxy) = UnixStream::connect(socket) else {
            continue;
        };
        let thread = thread::Builder::new().stack_size(STACK);
        // A thread that does not start drops the client and its place.
        let _ = thread.spawn(move || {
            pass(client, proxy);
            drop(place);
        });
    }
}

#[derive(Default)]
struct Open {
    count: Mutex<usize>,
    ended: Condvar,
}

/// One of [`MOST`], until it is dropped.
struct Place(Arc<Open>);

impl Place {
    /// Waits for one.
    fn of(open: &Arc<Open>) -> Place {
        let count = open.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = open.ended.wait_while(count, |count| *count >= MOST);
        *waited.unwrap_or_else(PoisonError::into_inner) += 1;
        Place(Arc::clone(open))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_one();
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    /// Answers every connection's first byte, and holds it open.
    fn echo(listener: UnixListener) {
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || io::copy(&mut &stream, &mut &stream));
            }
        });
    }

    #[test]
    fn one_too_many_waits_for_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("proxy");
        echo(UnixListener::bind(&socket).unwrap());
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let at = listener.local_addr().unwrap();
        thread::spawn(move || serve(&listener, &socket));
        let ask = || {
            let mut client = TcpStream::connect(at).unwrap();
            client.write_all(b"x").unwrap();
            client
        };
        let answered = |client: &mut TcpStream| client.read_exact(&mut [0]).is_ok();
        let mut open: Vec<TcpStream> = (0..MOST).map(|_| ask()).collect();
        assert!(open.iter_mut().all(answered));
        let mut late: Vec<TcpStream> = (0..20).map(|_| ask()).collect();
        late[0].set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let waits = late[0].read(&mut [0]).unwrap_err();
        assert_eq!(
            waits.kind(),
            io::ErrorKind::WouldBlock,
            "neither served nor dropped"
        );
        late[0].set_read_timeout(None).unwrap();
        drop(open);
        assert!(late.iter_mut().all(answered));
    }
}
