//! Processes of this machine, as the kernel tells of them.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::collections::HashMap;
use std::path::Path;

struct Seen {
    pid: Pid,
    parent: i32,
    ended: bool,
}

/// All that there are.
fn seen() -> Vec<Seen> {
    let numbers = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter_map(|number| {
            // Gone meanwhile, or `pid (name) state parent …`.
            let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            // The launcher's own, as long as it lives: it forks commands, and runs nothing itself.
            let words = std::fs::read(format!("/proc/{number}/cmdline")).ok()?;
            if words.windows(13).any(|part| part == b"--fork-server") {
                return None;
            }
            let mut fields = stat.rsplit_once(") ")?.1.split(' ');
            let state = fields.next()?;
            Some(Seen {
                pid: Pid::from_raw(number)?,
                parent: fields.next()?.parse().ok()?,
                ended: state == "Z" || state == "X",
            })
        })
        .collect()
}

/// Everything below this process that has not ended.
pub fn descendants() -> Vec<Pid> {
    let all = seen();
    let parents: HashMap<i32, i32> = all
        .iter()
        .map(|one| (one.pid.as_raw_nonzero().get(), one.parent))
        .collect();
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let below = |one: &Seen| {
        let mut parent = Some(one.parent);
        while let Some(number) = parent {
            if number == own {
                return true;
            }
            parent = parents.get(&number).copied();
        }
        false
    };
    let found = all.iter().filter(|one| !one.ended && below(one));
    found.map(|one| one.pid).collect()
}

/// Those of them that this process started itself.
pub fn children() -> usize {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    seen()
        .iter()
        .filter(|one| !one.ended && one.parent == own)
        .count()
}

/// Workers of this process, and what is left of those that nobody collected. The guard that holds the
/// leash stays as long as this process.
pub fn remains() -> usize {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let below = |one: &&Seen| one.parent == own && (one.ended || worker(one.pid));
    seen().iter().filter(below).count()
}

fn worker(pid: Pid) -> bool {
    let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
    line.windows(9).any(|part| part == b"pm-worker")
}

/// Those of our descendants in the full tier that something below `path` is mounted for, and those
/// between them and us: the outermost ends last.
pub fn given(path: &Path) -> Vec<Pid> {
    let needle = path.to_str().unwrap().as_bytes();
    let has = |pid: &Pid| {
        let mounts = std::fs::read(format!("/proc/{}/mountinfo", pid.as_raw_nonzero()));
        mounts.is_ok_and(|text| text.windows(needle.len()).any(|part| part == needle))
    };
    let (all, below) = (seen(), descendants());
    let parent_of = |pid: Pid| {
        let parent = all.iter().find(|one| one.pid == pid)?.parent;
        below
            .iter()
            .copied()
            .find(|one| one.as_raw_nonzero().get() == parent)
    };
    let chains = below.iter().copied().filter(has);
    let mut found: Vec<Pid> = chains
        .flat_map(|pid| std::iter::successors(Some(pid), |pid| parent_of(*pid)))
        .collect();
    found.sort_unstable_by_key(|pid| pid.as_raw_nonzero());
    found.dedup();
    found
}

/// Ends them, and returns how many there were when they have ended.
pub fn kill_and_wait(all: &[Pid]) -> usize {
    let opened = all
        .iter()
        .filter_map(|pid| rustix::process::pidfd_open(*pid, PidfdFlags::empty()).ok());
    let opened: Vec<_> = opened.collect();
    for process in &opened {
        let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
    }
    let long = Timespec {
        tv_sec: 20,
        tv_nsec: 0,
    };
    for process in &opened {
        let mut ended = [PollFd::new(process, PollFlags::IN)];
        assert_eq!(poll(&mut ended, Some(&long)).unwrap(), 1, "it does not die");
    }
    opened.len()
}
