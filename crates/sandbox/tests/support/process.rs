//! Processes as the kernel lists them, for tests that ask who is still alive.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::os::fd::OwnedFd;

/// Everything below `root`, by process number, with `root` itself first.
pub fn tree(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| parent(&entry.ok()?))
        .collect();
    let mut index = 0;
    while index < found.len() {
        let above = found[index];
        found.extend(
            parents
                .iter()
                .filter(|(_, parent)| *parent == above)
                .map(|(pid, _)| *pid),
        );
        index += 1;
    }
    found
}

fn parent(entry: &std::fs::DirEntry) -> Option<(u32, u32)> {
    let pid = entry.file_name().to_str()?.parse().ok()?;
    let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
    let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()?;
    Some((pid, parent))
}

pub fn hold(pids: &[u32]) -> Vec<OwnedFd> {
    let open = |pid: &u32| {
        pidfd_open(
            Pid::from_raw(i32::try_from(*pid).unwrap()).unwrap(),
            PidfdFlags::empty(),
        )
    };
    pids.iter().map(|pid| open(pid).unwrap()).collect()
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
