//! Temporary folders of commands in the reduced tier, one of them made in advance: on a disk that
//! is a third of what the tier costs, and nobody waits for it while the command before runs.

use super::super::scratch::{Folder, sweep};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub struct Reserve(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    made: Option<Folder>,
    swept: bool,
    closed: bool,
}

impl Reserve {
    /// A new empty folder that only this user can look into.
    pub fn take(&self) -> io::Result<Folder> {
        let made = self.state().made.take();
        match made.filter(Folder::is_there) {
            Some(folder) => Ok(folder),
            None => Folder::make(),
        }
    }

    /// Makes the next one. Without it the next command makes its own.
    pub fn refill(&self) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.swept, true) {
            // What was left may be much, and this thread starts everything.
            let _ = std::thread::Builder::new().name("sweep".into()).spawn(sweep);
        }
        if state.made.is_none() && !state.closed {
            state.made = Folder::make().ok();
        }
    }

    /// Nothing is kept any more.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.made = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_and_the_unused_one_goes() {
        let reserve = Reserve::default();
        let first = reserve.take().unwrap();
        reserve.refill();
        let kept = reserve.state().made.as_ref().unwrap().path().to_owned();
        let second = reserve.take().unwrap();
        assert!(second.path() == kept && second.path() != first.path());
        reserve.refill();
        std::fs::remove_dir(reserve.state().made.as_ref().unwrap().path()).unwrap();
        assert!(reserve.take().unwrap().path().is_dir(), "made anew");
        reserve.refill();
        let unused = reserve.state().made.as_ref().unwrap().path().to_owned();
        reserve.close();
        assert!(!unused.exists());
        reserve.refill();
        assert!(reserve.state().made.is_none());
    }
}
