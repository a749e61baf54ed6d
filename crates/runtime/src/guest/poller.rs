//! One thread that waits until sockets are ready and says so. What is ready is forgotten: whoever
//! wants to wait again arms it again.

use super::control::Control;
use super::network::Event;
use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const STACK: usize = 256 * 1024;

pub(super) struct Poller {
    armed: Mutex<Vec<Armed>>,
    wake: OwnedFd,
}

pub(super) struct Armed {
    pub(super) id: u64,
    pub(super) socket: Arc<OwnedFd>,
    pub(super) flags: PollFlags,
}

impl Poller {
    pub(super) fn start(control: &Arc<Control>) -> io::Result<Arc<Self>> {
        let poller = Arc::new(Poller {
            armed: Mutex::default(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        });
        let (waiting, control) = (poller.clone(), control.clone());
        std::thread::Builder::new()
            .name("network".to_owned())
            .stack_size(STACK)
            .spawn(move || waiting.run(&control))?;
        Ok(poller)
    }

    pub(super) fn arm(&self, one: Armed) -> io::Result<()> {
        self.armed().push(one);
        rustix::io::write(&self.wake, &1_u64.to_ne_bytes())?;
        Ok(())
    }

    /// Lets go of a socket, so that closing it closes it.
    pub(super) fn disarm(&self, socket: &Arc<OwnedFd>) {
        self.armed().retain(|one| !Arc::ptr_eq(&one.socket, socket));
        // Full only when a wake-up is under way.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    fn run(&self, control: &Control) {
        loop {
            let sockets: Vec<(u64, Arc<OwnedFd>, PollFlags)> = self
                .armed()
                .iter()
                .map(|one| (one.id, one.socket.clone(), one.flags))
                .collect();
            let mut all = vec![PollFd::new(&self.wake, PollFlags::IN)];
            all.extend(
                sockets
                    .iter()
                    .map(|(_, socket, flags)| PollFd::new(socket, *flags)),
            );
            match poll(&mut all, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return eprintln!("poll: {error}"),
            }
            let mut count = [0; 8];
            // Empty when nobody woke us.
            let _ = rustix::io::read(&self.wake, &mut count);
            let ready = all[1..].iter().zip(&sockets);
            let ready = ready.filter(|(polled, _)| !polled.revents().is_empty());
            for (_, (id, ..)) in ready {
                self.armed().retain(|one| one.id != *id);
                control.tell(Event::Ready(*id));
            }
        }
    }

    fn armed(&self) -> MutexGuard<'_, Vec<Armed>> {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
