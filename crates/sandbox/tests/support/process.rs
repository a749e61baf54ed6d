//! Processes as the kernel lists them, for tests that ask who is still alive.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// One line of the list.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub pid: u32,
    pub parent: u32,
    pub group: u32,
}

pub fn all() -> Vec<Entry> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| listed(&entry.ok()?)).collect()
}

fn listed(entry: &std::fs::DirEntry) -> Option<Entry> {
    let pid = entry.file_name().to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
    let mut after_name = stat.rsplit_once(") ")?.1.split(' ').skip(1);
    Some(Entry {
        pid,
        parent: after_name.next()?.parse().ok()?,
        group: after_name.next()?.parse().ok()?,
    })
}

/// Everything below `root`, by process number, with `root` itself first.
pub fn tree(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let list = all();
    let mut index = 0;
    while index < found.len() {
        let above = found[index];
        found.extend(
            list.iter()
                .filter(|entry| entry.parent == above)
                .map(|entry| entry.pid),
        );
        index += 1;
    }
    found
}

/// Those that have one of `words` among their arguments.
pub fn naming(words: &[&str]) -> Vec<u32> {
    let names = |pid: u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0)
            .any(|word| words.iter().any(|known| known.as_bytes() == word))
    };
    all()
        .iter()
        .map(|entry| entry.pid)
        .filter(|pid| names(*pid))
        .collect()
}

pub fn hold(pids: &[u32]) -> Vec<OwnedFd> {
    pids.iter().map(|pid| open(*pid).unwrap()).collect()
}

fn open(pid: u32) -> rustix::io::Result<OwnedFd> {
    pidfd_open(
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(),
        PidfdFlags::empty(),
    )
}

/// How many are alive still after at most `seconds`; returns as soon as it is none.
pub fn alive_after(held: &[OwnedFd], seconds: i64) -> usize {
    let dead = |process: &OwnedFd, seconds: i64| {
        let limit = Timespec {
            tv_sec: seconds,
            tv_nsec: 0,
        };
        poll(&mut [PollFd::new(process, PollFlags::IN)], Some(&limit)).unwrap() == 1
    };
    held.iter().filter(|process| !dead(process, seconds)).count()
}

/// What `find` finds still after ten seconds; returns as soon as it is nothing. Whatever is found
/// may start something else before it ends, so one looks until nothing is found.
pub fn left(find: impl Fn() -> Vec<u32>) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let found = find();
        if found.is_empty() || Instant::now() > deadline {
            return found;
        }
        let held: Vec<_> = found.iter().filter_map(|pid| open(*pid).ok()).collect();
        alive_after(&held, 1);
    }
}
