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

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    pub namespaces: Namespaces,
    /// ABI of Landlock by its own system call; 0 = none.
    pub landlock: u32,
    /// The kernel filters system calls and this processor is one we have lists for.
    pub seccomp: bool,
    pub system: Vec<SystemPath>,
    pub switches: Switches,
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
