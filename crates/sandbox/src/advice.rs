//! What a person can do for better walls, from what was found out about the host. Pure.

use crate::facts::{Facts, Namespaces, Weaker};
use serde::Serialize;

/// What a person can do for a better tier. The words are in the language files under `code`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Advice {
    pub code: &'static str,
    /// To be run as the administrator; empty when there is nothing to run.
    pub command: String,
}

/// Lets bubblewrap alone make user namespaces where AppArmor keeps them from everybody.
const APPARMOR_PROFILE: &str = "\
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
  include if exists <local/bwrap>
}
";

pub(crate) fn advice(facts: &Facts) -> Vec<Advice> {
    let mut advice = Vec::new();
    let mut add = |code, command: String| advice.push(Advice { code, command });
    match &facts.namespaces {
        Namespaces::Work { .. } => {}
        Namespaces::NoBwrap => add(
            "sandbox_advice_bwrap",
            "apt install bubblewrap || dnf install bubblewrap || pacman -S bubblewrap".to_owned(),
        ),
        Namespaces::Forbidden { .. } => {
            let switches = &facts.switches;
            if switches.userns_clone_off {
                add(
                    "sandbox_advice_userns",
                    "sysctl -w kernel.unprivileged_userns_clone=1".to_owned(),
                );
            }
            if switches.max_namespaces_zero {
                add(
                    "sandbox_advice_userns",
                    "sysctl -w user.max_user_namespaces=15000".to_owned(),
                );
            }
            if switches.apparmor_restricts {
                let file = "/etc/apparmor.d/bwrap";
                let command =
                    format!("cat > {file} <<'END'\n{APPARMOR_PROFILE}END\napparmor_parser -r {file}");
                add("sandbox_advice_apparmor", command);
            }
            if *switches == crate::Switches::default() {
                add("sandbox_advice_container", String::new());
            }
        }
        Namespaces::Absent => add("sandbox_advice_system", String::new()),
    }
    if facts.landlock == 0 && facts.namespaces != Namespaces::Absent {
        add("sandbox_advice_landlock", String::new());
    }
    advice
}

/// What a person can do for better limits on commands.
pub(crate) fn command_advice(facts: &Facts) -> Vec<Advice> {
    let weaker = facts.weaker();
    let missing = [Weaker::Processes, Weaker::Memory]
        .iter()
        .any(|what| weaker.contains(what));
    let user = "systemd-run --user --scope -p Delegate=yes -p TasksAccounting=yes -p MemoryAccounting=yes -- pm serve";
    missing
        .then(|| Advice {
            code: "sandbox_advice_cgroup",
            command: user.to_owned(),
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Switches, Tier};

    fn codes(namespaces: Namespaces, switches: Switches, landlock: u32) -> Vec<&'static str> {
        let facts = Facts {
            namespaces,
            switches,
            landlock,
            ..Facts::nothing()
        };
        advice(&facts).into_iter().map(|advice| advice.code).collect()
    }

    #[test]
    fn limits_that_are_missing_are_advised() {
        let mut facts = Facts {
            landlock: 7,
            seccomp: true,
            counts_apart: true,
            namespaces: Namespaces::Work {
                bwrap: "/usr/bin/bwrap".into(),
            },
            ..Facts::nothing()
        };
        assert_eq!(facts.weaker(), [Weaker::Memory]);
        assert_eq!(command_advice(&facts)[0].code, "sandbox_advice_cgroup");
        facts.root = true;
        assert_eq!(facts.weaker(), [Weaker::Processes, Weaker::Memory]);
        facts.cgroups = vec![crate::Cgroup {
            folder: "/sys/fs/cgroup/x".into(),
            processes: Some("pids.max"),
            memory: Some("memory.max"),
            kill: true,
        }];
        assert!(facts.weaker().is_empty() && command_advice(&facts).is_empty());
        assert!(facts.only(Tier::Reduced).weaker().contains(&Weaker::Git));
    }

    #[test]
    fn advice_names_what_stands_in_the_way() {
        let bwrap = || "/usr/bin/bwrap".into();
        let forbidden = || Namespaces::Forbidden {
            bwrap: bwrap(),
            said: String::new(),
        };
        let none = Switches::default;
        assert!(codes(Namespaces::Work { bwrap: bwrap() }, none(), 7).is_empty());
        assert_eq!(
            codes(Namespaces::NoBwrap, none(), 0),
            ["sandbox_advice_bwrap", "sandbox_advice_landlock"]
        );
        assert_eq!(codes(forbidden(), none(), 7), ["sandbox_advice_container"]);
        let apparmor = Switches {
            apparmor_restricts: true,
            ..none()
        };
        assert_eq!(codes(forbidden(), apparmor, 7), ["sandbox_advice_apparmor"]);
        let debian = Switches {
            userns_clone_off: true,
            ..none()
        };
        assert_eq!(codes(forbidden(), debian, 7), ["sandbox_advice_userns"]);
    }
}
