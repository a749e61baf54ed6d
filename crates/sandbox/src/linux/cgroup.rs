//! Groups of the kernel for limits on all processes of a command together: how many, how much
//! memory; and to kill them in one step. Version 2 where it is delegated to us, version 1 where we
//! are root. Not being able to have one is a fact, not an error; losing one that was promised is.
//!
//! Deliberately not here: enabling controllers for others. Only what we make is written to.

#![allow(
    clippy::disallowed_methods,
    reason = "cgroups are made by making folders and writing to files of the kernel"
)]

use crate::facts::Cgroup;
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, PidfdFlags, Signal};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Groups of ours begin with this and the number of their owner.
const PREFIX: &str = "pm-sandbox-";

/// What all processes of a command may have together, and where that can be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub places: Vec<Cgroup>,
    pub processes: u64,
    /// In bytes.
    pub memory: u64,
}

/// A place of one command in all hierarchies that are used.
#[derive(Debug)]
pub struct Group {
    folders: Vec<PathBuf>,
    kill: Option<PathBuf>,
    /// Where processes are counted, and the file with their limit.
    counted: Option<(PathBuf, PathBuf)>,
}

impl Group {
    /// Makes the groups. The files are for whoever is to be a member: writing `0` joins.
    pub fn make(limits: &Limits) -> io::Result<(Group, Vec<OwnedFd>)> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{number}", std::process::id());
        let mut group = Group {
            folders: Vec::new(),
            kill: None,
            counted: None,
        };
        let mut doors = Vec::new();
        for place in &limits.places {
            let folder = place.folder.join(&name);
            fs::create_dir(&folder)?;
            group.folders.push(folder.clone());
            if let Some(file) = place.processes {
                fs::write(folder.join(file), limits.processes.to_string())?;
                group.counted = Some((folder.clone(), folder.join(file)));
            }
            if let Some(file) = place.memory {
                fs::write(folder.join(file), limits.memory.to_string())?;
            }
            if place.kill {
                group.kill = Some(folder.join("cgroup.kill"));
            }
            // A process that moves only its one thread takes no lock of the whole kernel; the other
            // file waits for all processors, some ten milliseconds. Version 2 has only that one.
            let one = folder.join("tasks");
            let door = if one.exists() {
                one
            } else {
                folder.join("cgroup.procs")
            };
            let flags = OFlags::WRONLY | OFlags::CLOEXEC;
            doors.push(rustix::fs::open(door, flags, Mode::empty())?);
        }
        Ok((group, doors))
    }

    /// SIGKILL for all members: in one step where the kernel can, else one by one once none can be
    /// added; then `supervisor` is left, which says when the others are gone.
    pub fn kill(&self, supervisor: Pid) -> bool {
        if let Some(file) = &self.kill {
            return fs::write(file, "1").is_ok();
        }
        let Some((folder, limit)) = &self.counted else {
            return false;
        };
        // What is above the limit already stays, but no fork succeeds any more.
        let closed = fs::write(limit, "0").is_ok();
        let others = members(folder).into_iter().filter(|pid| *pid != supervisor);
        for pid in others {
            let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else {
                continue;
            };
            // Still a member, so the number was not given to somebody else in between.
            if members(folder).contains(&pid) {
                let _ = rustix::process::pidfd_send_signal(&process, Signal::KILL);
            }
        }
        closed
    }

    #[cfg(test)]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Nobody removed it while it was kept in advance.
    pub fn is_there(&self) -> bool {
        self.folders.iter().all(|folder| folder.is_dir())
    }

    /// Whether all folders are gone. They cannot go while somebody is in them.
    pub fn remove(&mut self) -> bool {
        self.folders.retain(|folder| match fs::remove_dir(folder) {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        });
        self.folders.is_empty()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Looks where groups can be made, by making one.
pub fn find() -> Vec<Cgroup> {
    let (own, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
    let mut found: Vec<Cgroup> = Vec::new();
    for (controllers, path) in own.lines().filter_map(membership) {
        let Some(mount) = mount_of(&mounts, controllers) else {
            continue;
        };
        let own = mount.join(path.trim_start_matches('/'));
        let place = match controllers {
            "" => second_version(&mount, &own, works),
            "pids" => first_version(&own, Some("pids.max"), None),
            "memory" => first_version(&own, None, Some("memory.limit_in_bytes")),
            _ => None,
        };
        found.extend(place);
    }
    found.retain(|place| place.kill || place.processes.is_some() || place.memory.is_some());
    found
}

fn members(folder: &Path) -> Vec<Pid> {
    let words = read_words(&folder.join("cgroup.procs"));
    let numbers = words.iter().filter_map(|word| word.parse().ok());
    numbers.filter_map(Pid::from_raw).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// `4:memory:/path` -> (`memory`, `/path`); version 2 has no name.
fn membership(line: &str) -> Option<(&str, &str)> {
    let mut parts = line.splitn(3, ':').skip(1);
    Some((parts.next()?, parts.next()?))
}

/// Where the hierarchy with these controllers is mounted, whole.
fn mount_of(mounts: &str, controllers: &str) -> Option<PathBuf> {
    for line in mounts.lines() {
        let (left, right) = line.split_once(" - ")?;
        let mut fields = left.split(' ').skip(3);
        let (root, place) = (fields.next()?, fields.next()?);
        let mut fields = right.split(' ');
        let (kind, options) = (fields.next()?, fields.nth(1).unwrap_or_default());
        let fits = match controllers {
            "" => kind == "cgroup2",
            name => kind == "cgroup" && options.split(',').any(|option| option == name),
        };
        if fits && root == "/" {
            return Some(place.into());
        }
    }
    None
}

fn first_version(
    own: &Path,
    processes: Option<&'static str>,
    memory: Option<&'static str>,
) -> Option<Cgroup> {
    let place = Cgroup {
        folder: own.to_owned(),
        processes,
        memory,
        kill: false,
    };
    works(&place).then_some(place)
}

/// The deepest group above us where one of ours gets both controllers; else one for killing.
fn second_version(mount: &Path, own: &Path, works: impl Fn(&Cgroup) -> bool) -> Option<Cgroup> {
    let mut killing = None;
    for folder in own.ancestors().take_while(|folder| folder.starts_with(mount)) {
        if rustix::fs::access(folder.join("cgroup.procs"), rustix::fs::Access::WRITE_OK).is_err() {
            break;
        }
        let has = |name: &str| {
            read_words(&folder.join("cgroup.subtree_control"))
                .iter()
                .any(|word| word == name)
        };
        let place = Cgroup {
            folder: folder.to_owned(),
            processes: has("pids").then_some("pids.max"),
            memory: has("memory").then_some("memory.max"),
            kill: folder.join("cgroup.kill").exists() || folder == mount,
        };
        if !works(&place) {
            continue;
        }
        if place.processes.is_some() && place.memory.is_some() {
            return Some(place);
        }
        killing.get_or_insert(place);
    }
    killing
}

fn read_words(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

/// Makes one, with limits, and removes it.
fn works(place: &Cgroup) -> bool {
    sweep(&place.folder);
    let made = Group::make(&Limits {
        places: vec![place.clone()],
        processes: 512,
        memory: 1 << 30,
    });
    made.is_ok_and(|(group, doors)| {
        drop(doors);
        drop(group);
        true
    })
}

/// Empty groups of owners that were killed.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_are_read_as_the_kernel_writes_them() {
        assert_eq!(membership("8:pids:/a/b"), Some(("pids", "/a/b")));
        assert_eq!(membership("0::/user.slice"), Some(("", "/user.slice")));
        let mounts = "\
30 23 0:26 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw
31 23 0:27 / /sys/fs/cgroup/pids rw,relatime shared:10 - cgroup cgroup rw,pids
32 23 0:28 /docker/x /sys/fs/cgroup/memory ro shared:11 - cgroup cgroup rw,memory";
        assert_eq!(mount_of(mounts, ""), Some("/sys/fs/cgroup/unified".into()));
        assert_eq!(mount_of(mounts, "pids"), Some("/sys/fs/cgroup/pids".into()));
        assert_eq!(mount_of(mounts, "memory"), None, "only a part of it is mounted");
    }

    /// A tree of groups: those that we may write to, with the controllers that each hands down.
    fn tree(ours: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let own = "user.slice/user-1000.slice/user@1000.service/app.slice/pm.scope";
        fs::create_dir_all(dir.path().join(own)).unwrap();
        for (folder, controllers) in ours {
            let folder = dir.path().join(folder);
            fs::write(folder.join("cgroup.procs"), "").unwrap();
            fs::write(folder.join("cgroup.kill"), "").unwrap();
            fs::write(folder.join("cgroup.subtree_control"), controllers).unwrap();
        }
        let own = dir.path().join(own);
        (dir, own)
    }

    #[test]
    fn a_delegated_group_of_version_2_is_found_from_below() {
        let service = "user.slice/user-1000.slice/user@1000.service";
        let (app, scope) = (
            format!("{service}/app.slice"),
            format!("{service}/app.slice/pm.scope"),
        );
        let found = |ours: &[(&str, &str)], works: &dyn Fn(&Cgroup) -> bool| {
            let (dir, own) = tree(ours);
            let place = second_version(dir.path(), &own, works)?;
            let folder = place
                .folder
                .strip_prefix(dir.path())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            Some((folder, place.processes, place.memory, place.kill))
        };
        let (pids, memory) = (Some("pids.max"), Some("memory.max"));
        let all = "cpu memory pids\n";
        // A session of systemd: the scope itself hands nothing down, what is above it does.
        let session = [
            (service, all),
            (app.as_str(), "memory pids\n"),
            (scope.as_str(), "\n"),
        ];
        assert_eq!(
            found(&session, &|_| true),
            Some((app.clone(), pids, memory, true))
        );
        // One that cannot be had is passed over.
        let busy = |place: &Cgroup| !place.folder.ends_with("app.slice");
        assert_eq!(
            found(&session, &busy),
            Some((service.to_owned(), pids, memory, true))
        );
        // `systemd-run -p Delegate=yes`, and whoever lives in it made room.
        let own = [(scope.as_str(), all)];
        assert_eq!(found(&own, &|_| true), Some((scope.clone(), pids, memory, true)));
        // Not enough for both limits: all can be killed together at least.
        let few = [(app.as_str(), "pids\n"), (scope.as_str(), "")];
        assert_eq!(found(&few, &|_| true), Some((scope.clone(), None, None, true)));
        // What lies above a group that is not ours is none of our business.
        let above = [(service, all)];
        assert_eq!(found(&above, &|_| true), None);
        assert_eq!(found(&session, &|_| false), None);
        assert_eq!(found(&[], &|_| true), None);
    }

    /// Where version 1 is ours; elsewhere nothing can be made and the fact is that there is none.
    #[test]
    fn a_group_that_counts_is_killed_to_the_last_but_its_supervisor() {
        let places: Vec<_> = find()
            .into_iter()
            .filter(|place| place.processes.is_some())
            .collect();
        let place = |place: &Cgroup| Cgroup {
            kill: false,
            ..place.clone()
        };
        let Some(place) = places.first().map(place) else {
            return;
        };
        let limits = Limits {
            places: vec![place],
            processes: 64,
            memory: 1 << 30,
        };
        let (group, doors) = Group::make(&limits).unwrap();
        let mut shells: Vec<_> = (0..4).map(|_| member(&doors[0])).collect();
        let supervisor = Pid::from_child(&shells[0]);
        let (folder, _) = group.counted.as_ref().unwrap();
        while members(folder).len() < 8 {
            std::thread::yield_now();
        }
        assert!(group.kill(supervisor));
        for shell in &mut shells[1..] {
            assert_eq!(
                std::os::unix::process::ExitStatusExt::signal(&shell.wait().unwrap()),
                Some(9)
            );
        }
        let alive = members(folder);
        assert!(alive.contains(&supervisor), "{alive:?}");
        let asked = shells[0].stdin.take().unwrap();
        drop(asked);
        let code = shells[0].wait().unwrap().code();
        assert_eq!(code, Some(2), "it could start nothing any more");
    }

    /// A shell in the group, with a child; at the end of its input it tries to have another.
    fn member(door: &OwnedFd) -> std::process::Child {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", "sleep 1000 & read -r line; sleep 0 & wait $!"]);
        command
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null());
        let door = door.try_clone().unwrap();
        #[allow(unsafe_code, reason = "joins between fork and exec")]
        // SAFETY: one system call.
        unsafe {
            command.pre_exec(move || Ok(rustix::io::write(&door, b"0").map(drop)?));
        }
        command.spawn().unwrap()
    }
}
