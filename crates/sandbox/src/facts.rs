//! What this host can do, found once by `detect` and then only read.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How much stands between a process and the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Nothing can be promised; no process is started.
    None,
    /// Landlock, seccomp and limits in the namespaces of the host.
    Reduced,
    /// Own namespaces and an own root, and inside them all that the reduced tier has.
    Full,
}

impl Tier {
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::None => "none",
            Tier::Reduced => "reduced",
            Tier::Full => "full",
        }
    }
}

/// A part of the system's own root that a sandbox gets, read-only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemPath {
    Folder(PathBuf),
    /// A file or folder that is given when it is there.
    Optional(PathBuf),
    /// A link of a merged-usr system, made again inside.
    Link {
        path: PathBuf,
        target: PathBuf,
    },
}

/// What came of trying to run something in namespaces of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Namespaces {
    Work {
        bwrap: PathBuf,
    },
    /// bubblewrap is there, the system does not let it.
    Forbidden {
        bwrap: PathBuf,
        said: String,
    },
    /// No bubblewrap in a system folder.
    NoBwrap,
    /// Another operating system, or turned off by [`Facts::only`].
    Absent,
}

/// Switches of the system that explain a [`Namespaces::Forbidden`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Switches {
    /// `kernel.unprivileged_userns_clone` is 0.
    pub userns_clone_off: bool,
    /// `user.max_user_namespaces` is 0.
    pub max_namespaces_zero: bool,
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1.
    pub apparmor_restricts: bool,
}

/// A group of the kernel below which we may make groups of our own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cgroup {
    pub folder: PathBuf,
    /// The file that limits the number of processes, where that controller is there.
    pub processes: Option<&'static str>,
    /// The same for memory.
    pub memory: Option<&'static str>,
    /// All members can be killed in one step.
    pub kill: bool,
}

/// What a command's wall does not give on this host; the words are in the language files under
/// `sandbox_weaker_` and the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weaker {
    /// A better tier was promised, and its walls did not hold when they were tried.
    Unproved,
    /// Nothing counts its processes: a fork bomb is ended by the time limit alone.
    Processes,
    /// Memory is limited for each process, not for all together.
    Memory,
    /// Command lines of other processes can be read.
    ProcessList,
    /// The workspace lies where the host has it, and a command sees that path.
    HostPaths,
    /// Processes of the same user can be sent signals.
    Signals,
    /// Mode and times of the user's other files can be changed, their contents not.
    Attributes,
    /// Hooks and settings of git can be changed.
    Git,
    /// No sockets at all, not even the loopback; no allow-list of hosts.
    Network,
    /// The temporary folder is the host's and has no limit of size.
    Scratch,
    /// What is left running is looked for and killed; nothing promises that all is found.
    Survivors,
}

impl Weaker {
    pub fn code(self) -> &'static str {
        match self {
            Weaker::Unproved => "unproved",
            Weaker::Processes => "processes",
            Weaker::Memory => "memory",
            Weaker::ProcessList => "process_list",
            Weaker::HostPaths => "host_paths",
            Weaker::Signals => "signals",
            Weaker::Attributes => "attributes",
            Weaker::Git => "git",
            Weaker::Network => "network",
            Weaker::Scratch => "scratch",
            Weaker::Survivors => "survivors",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    pub namespaces: Namespaces,
    /// ABI of Landlock by its own system call; 0 = none.
    pub landlock: u32,
    /// The kernel filters system calls and this processor is one we have lists for.
    pub seccomp: bool,
    pub system: Vec<SystemPath>,
    pub switches: Switches,
    /// Where limits for all processes of a command can be set.
    pub cgroups: Vec<Cgroup>,
    /// The kernel counts the processes of a user namespace by themselves (5.14 and later).
    pub counts_apart: bool,
    /// We are the administrator, whose processes the kernel does not count.
    pub root: bool,
    /// More was promised than held when it was tried; what is here is what held.
    pub unproved: bool,
}

impl Facts {
    /// A host that can do nothing.
    pub fn nothing() -> Self {
        Facts {
            namespaces: Namespaces::Absent,
            landlock: 0,
            seccomp: false,
            system: Vec::new(),
            switches: Switches::default(),
            cgroups: Vec::new(),
            counts_apart: false,
            root: false,
            unproved: false,
        }
    }

    /// The best that may be promised here. The full tier stands without Landlock, too: there
    /// what a process may not reach is not in its root.
    pub fn tier(&self) -> Tier {
        match (&self.namespaces, self.seccomp, self.landlock) {
            (_, false, _) => Tier::None,
            (Namespaces::Work { .. }, true, _) => Tier::Full,
            (_, true, 0) => Tier::None,
            (_, true, _) => Tier::Reduced,
        }
    }

    /// What commands do without here, for the tier that [`tier`](Facts::tier) says.
    pub fn weaker(&self) -> Vec<Weaker> {
        let mut weaker = Vec::new();
        let mut when = |missing: bool, what| {
            if missing {
                weaker.push(what);
            }
        };
        when(self.unproved, Weaker::Unproved);
        let tier = self.tier();
        let counted = self.cgroups.iter().any(|group| group.processes.is_some());
        let by_limit = !self.root && (tier < Tier::Full || self.counts_apart);
        when(!counted && !by_limit, Weaker::Processes);
        when(
            !self.cgroups.iter().any(|group| group.memory.is_some()),
            Weaker::Memory,
        );
        if tier < Tier::Full {
            when(true, Weaker::ProcessList);
            when(self.landlock < 6, Weaker::Signals);
            for what in [
                Weaker::HostPaths,
                Weaker::Attributes,
                Weaker::Git,
                Weaker::Network,
                Weaker::Scratch,
                Weaker::Survivors,
            ] {
                when(true, what);
            }
        }
        weaker
    }

    /// The same host as if it could do no more than `tier`.
    #[must_use]
    pub fn only(mut self, tier: Tier) -> Self {
        if tier < Tier::Full {
            self.namespaces = Namespaces::Absent;
        }
        if tier < Tier::Reduced {
            self.landlock = 0;
            self.seccomp = false;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tier_follows_from_what_is_there() {
        let all = Facts {
            namespaces: Namespaces::Work {
                bwrap: "/usr/bin/bwrap".into(),
            },
            landlock: 7,
            seccomp: true,
            ..Facts::nothing()
        };
        assert_eq!(all.tier(), Tier::Full);
        assert_eq!(all.clone().only(Tier::Full).tier(), Tier::Full);
        assert_eq!(all.clone().only(Tier::Reduced).tier(), Tier::Reduced);
        assert_eq!(all.clone().only(Tier::None).tier(), Tier::None);
        let old_kernel = Facts {
            landlock: 0,
            ..all.clone()
        };
        assert_eq!(old_kernel.tier(), Tier::Full);
        assert_eq!(old_kernel.only(Tier::Reduced).tier(), Tier::None);
        assert_eq!(
            Facts {
                seccomp: false,
                ..all
            }
            .tier(),
            Tier::None
        );
        assert_eq!(Facts::nothing().tier(), Tier::None);
    }
}
