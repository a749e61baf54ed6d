//! What the next command will want, made in advance: the group that counts its processes, and in the
//! reduced tier its temporary folder. Together they are half of what that tier costs, and nobody
//! waits for them while the command before runs.

use super::super::cgroup::{Group, Limits};
use super::super::scratch::{Folder, sweep};
use crate::facts::Tier;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub struct Reserve(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    folder: Option<Folder>,
    group: Option<Kept>,
    swept: bool,
    closed: bool,
}

/// A group with the limits that it has.
#[derive(Debug)]
struct Kept {
    limits: Limits,
    group: Group,
    doors: Vec<OwnedFd>,
}

impl Reserve {
    /// A new empty folder that only this user can look into.
    pub fn take_folder(&self) -> io::Result<Folder> {
        let made = self.state().folder.take();
        match made.filter(Folder::is_there) {
            Some(folder) => Ok(folder),
            None => Folder::make(),
        }
    }

    /// A new group without members.
    pub fn take_group(&self, limits: &Limits) -> io::Result<(Group, Vec<OwnedFd>)> {
        let made = self.state().group.take();
        match made.filter(|kept| kept.limits == *limits && kept.group.is_there()) {
            Some(kept) => Ok((kept.group, kept.doors)),
            None => Group::make(limits),
        }
    }

    /// Makes the next ones. Without them the next command makes its own.
    pub fn refill(&self, tier: Tier, limits: Limits) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        if state.group.is_none() && !limits.places.is_empty() {
            let made = Group::make(&limits).ok();
            state.group = made.map(|(group, doors)| Kept { limits, group, doors });
        }
        if tier != Tier::Reduced {
            return;
        }
        if !std::mem::replace(&mut state.swept, true) {
            // What was left may be much, and this thread starts everything.
            let _ = std::thread::Builder::new().name("sweep".into()).spawn(sweep);
        }
        if state.folder.is_none() {
            state.folder = Folder::make().ok();
        }
    }

    /// Commands get this tier from now on.
    pub fn settle(&self, tier: Tier) {
        if tier != Tier::Reduced {
            self.state().folder = None;
        }
    }

    /// Nothing is kept any more.
    pub fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.folder = None;
        state.group = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::cgroup::find;
    use super::*;

    fn limits(processes: u64) -> Limits {
        Limits {
            places: find(),
            processes,
            memory: 1 << 30,
        }
    }

    fn kept(reserve: &Reserve) -> std::path::PathBuf {
        reserve.state().folder.as_ref().unwrap().path().to_owned()
    }

    #[test]
    fn each_folder_is_new_and_the_unused_one_goes() {
        let reserve = Reserve::default();
        let refill = || reserve.refill(Tier::Reduced, limits(64));
        let first = reserve.take_folder().unwrap();
        refill();
        let made = kept(&reserve);
        let second = reserve.take_folder().unwrap();
        assert!(second.path() == made && second.path() != first.path());
        refill();
        std::fs::remove_dir(kept(&reserve)).unwrap();
        assert!(reserve.take_folder().unwrap().path().is_dir(), "made anew");
        refill();
        let unused = kept(&reserve);
        reserve.settle(Tier::Full);
        assert!(!unused.exists(), "nobody wants it in that tier");
        reserve.refill(Tier::Full, limits(64));
        assert!(reserve.state().folder.is_none());
        refill();
        let unused = kept(&reserve);
        reserve.close();
        assert!(!unused.exists());
        refill();
        assert!(reserve.state().folder.is_none() && reserve.state().group.is_none());
    }

    /// Where groups can be made; elsewhere a group has no folder and there is nothing to keep.
    #[test]
    fn a_group_in_advance_has_the_limits_that_are_asked_for() {
        let reserve = Reserve::default();
        if limits(64).places.is_empty() {
            reserve.refill(Tier::Full, limits(64));
            assert!(reserve.state().group.is_none());
            return;
        }
        let made = || {
            reserve.refill(Tier::Full, limits(64));
            reserve.state().group.as_ref().unwrap().group.folders().to_vec()
        };
        let kept = made();
        let (taken, doors) = reserve.take_group(&limits(64)).unwrap();
        assert!(taken.folders() == kept && !doors.is_empty());
        let kept = made();
        let (other, _doors) = reserve.take_group(&limits(32)).unwrap();
        assert_ne!(other.folders(), kept, "it would count to the wrong number");
        assert!(!kept[0].exists(), "nobody will ask for it");
        let kept = made();
        std::fs::remove_dir(&kept[0]).unwrap();
        let (anew, _doors) = reserve.take_group(&limits(64)).unwrap();
        assert!(anew.is_there() && anew.folders() != kept);
        let kept = made();
        reserve.close();
        assert!(!kept[0].exists());
        drop((taken, other, anew));
    }
}
