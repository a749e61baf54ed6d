//! The inner wall of a command: limits, capabilities, Landlock, seccomp, in this order, because
//! each step would be refused by the ones after it.

use super::filters::filter;
use crate::confine::{ConfineError, Confinement, Inside, Link};
use crate::facts::Tier;
use crate::os::inner::{Held, TESTED, allow, allow_if_there, limit, open_grants, renounce, restrict, step};
use crate::os::seccomp;
use crate::policy::Access;
use landlock::{Access as _, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, Scope, make_bitflags};
use rustix::process::{Resource, Rlimit};
use std::path::Path;

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | Execute});
/// No devices are ever made.
const CHANGE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | Execute | WriteFile | Truncate | MakeReg | MakeDir | MakeSym | MakeFifo | MakeSock
        | RemoveFile | RemoveDir | Refer
});
const USE_DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | IoctlDev});

/// Devices of the host that a command of the reduced tier may use.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
];

/// Shuts this process in. It has one thread. Limits alone in the tier that promises nothing.
pub fn put_up(
    confinement: &Confinement,
    inside: &Inside,
    scratch: Option<&Path>,
) -> Result<(), ConfineError> {
    limit(&confinement.limits).map_err(step("setting limits"))?;
    limit_processes(confinement.tier, inside).map_err(step("limiting processes"))?;
    if confinement.tier == Tier::None {
        // A person took it so.
        return Ok(());
    }
    renounce(confinement)?;
    let grants = open_grants(confinement)?;
    if confinement.landlock > 0 {
        landlock(confinement, inside, &grants, scratch)?;
    }
    drop(grants);
    let arch = seccomp::ARCH.ok_or(ConfineError::Unsupported)?;
    let program = filter(confinement.tier, &inside.network, arch);
    seccompiler::apply_filter(&program).map_err(step("filtering system calls"))?;
    Ok(())
}

/// The kernel counts by user; in a namespace of its own only what is in there. Elsewhere what
/// the machine runs already comes on top, because it may be all the same user's.
fn limit_processes(tier: Tier, inside: &Inside) -> rustix::io::Result<()> {
    let others = match (tier, inside.counted_apart) {
        (Tier::Full, true) => 0,
        (Tier::Full, false) => return Ok(()),
        _ => running_already(),
    };
    let inherited = rustix::process::getrlimit(Resource::Nproc)
        .maximum
        .unwrap_or(u64::MAX);
    let most = Some(inside.processes.saturating_add(others).min(inherited));
    let limit = Rlimit {
        current: most,
        maximum: most,
    };
    rustix::process::setrlimit(Resource::Nproc, limit)
}

fn running_already() -> u64 {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let all = load
        .split(' ')
        .nth(3)
        .and_then(|part| part.split('/').nth(1)?.parse().ok());
    all.unwrap_or(4096)
}

fn landlock(
    confinement: &Confinement,
    inside: &Inside,
    grants: &[(Held, Access)],
    scratch: Option<&Path>,
) -> Result<(), ConfineError> {
    let failed = || step("Landlock");
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(TESTED))
        .and_then(|rules| match (confinement.tier, &inside.network) {
            // An own network, or a granted one.
            (Tier::Full, _) | (_, Link::Open) => Ok(rules),
            _ => rules.handle_access(AccessNet::from_all(TESTED)),
        })
        .and_then(|rules| rules.scope(Scope::from_all(TESTED)))
        .and_then(Ruleset::create)
        .map_err(failed())?;
    for (held, access) in grants {
        let rights = match access {
            Access::ReadOnly => READ,
            Access::ReadWrite => CHANGE,
        };
        rules = allow(rules, held, rights)?;
    }
    if confinement.tier == Tier::Full {
        // The root holds nothing that may not be read.
        rules = allow_if_there(rules, Path::new("/"), READ)?;
        rules = allow_if_there(rules, Path::new("/tmp"), CHANGE)?;
        rules = allow_if_there(rules, Path::new("/var/tmp"), CHANGE)?;
        rules = allow_if_there(rules, Path::new("/dev/shm"), CHANGE)?;
        rules = allow_if_there(rules, Path::new("/dev"), USE_DEVICE)?;
    } else {
        for path in &confinement.system {
            rules = allow_if_there(rules, path, READ)?;
        }
        rules = allow_if_there(rules, Path::new("/proc"), READ)?;
        for path in DEVICES {
            rules = allow_if_there(rules, Path::new(path), USE_DEVICE)?;
        }
        if let Some(scratch) = scratch {
            rules = allow_if_there(rules, scratch, CHANGE)?;
        }
    }
    restrict(confinement, rules)
}
