//! From a command's policy to the exact start of its process. Pure, as [`crate::prepare`]; what
//! lies in `.git` at the moment is looked at when the process is started.

use super::environment;
use super::{CommandPolicy, HOME, Network, PROXY_SOCKET, Run, WORKSPACE};
use crate::confine::{Confinement, Grant, Inside, Link};
use crate::error::SandboxError;
use crate::facts::{Cgroup, Facts, Namespaces, SystemPath, Tier};
use crate::layout::{Step, layout, plain};
use crate::policy::{Kind, Mount};
use crate::prepare::{
    APART, List, MASK_BYTES, Prepared, Wrapper, check_texts, hidden, missing, remount, show, system_folders,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Everything about a command that is decided before it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedCommand {
    pub(crate) prepared: Prepared,
    pub(crate) workspace: PathBuf,
    pub(crate) cgroups: Vec<Cgroup>,
    pub(crate) processes: u64,
    pub(crate) memory_together: u64,
}

impl PreparedCommand {
    pub fn tier(&self) -> Tier {
        self.prepared.tier
    }

    pub fn wrapper(&self) -> Option<&Wrapper> {
        self.prepared.wrapper()
    }

    pub fn confinement(&self) -> &Confinement {
        self.prepared.confinement()
    }
}

/// Files of `/etc` that a command sees besides those of workers. None of them says anything about
/// people or doors; `passwd`, `group`, `hosts` and `nsswitch.conf` are written anew.
pub const ETC: &[&str] = &[
    "/etc/alternatives",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/timezone",
    "/etc/ssl/openssl.cnf",
    "/etc/ca-certificates",
    "/etc/mime.types",
    "/etc/protocols",
    "/etc/services",
    "/etc/os-release",
    "/etc/lsb-release",
    "/etc/debian_version",
    "/etc/inputrc",
    "/etc/terminfo",
    "/etc/magic",
    "/etc/locale.alias",
    "/etc/fonts",
    "/etc/java",
    "/etc/python3",
    "/etc/perl",
    "/etc/shells",
];

/// Only with the network of the host.
const ETC_NETWORK: &[&str] = &["/etc/resolv.conf", "/etc/gai.conf", "/etc/host.conf"];

/// Where they are needed and cannot be written anew.
const ETC_REDUCED: &[&str] = &["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf"];

/// Decides how `policy` is enforced on the host that `facts` describes.
pub fn prepare_command(policy: &CommandPolicy, facts: &Facts) -> Result<PreparedCommand, SandboxError> {
    let tier = facts.tier();
    if tier == Tier::None && !policy.unsandboxed {
        return Err(SandboxError::Unavailable {
            missing: missing(facts),
        });
    }
    if tier < Tier::Full && matches!(policy.network, Network::Proxy(_)) {
        // Without a wall nothing would keep it to its proxy.
        return Err(SandboxError::NetworkNeedsFull { tier });
    }
    let paths = Paths::of(policy, facts, tier)?;
    let env = environment::build(policy, tier);
    let args = words(&policy.run)?;
    check_texts(&args, &env)?;
    let wrapper = match &facts.namespaces {
        Namespaces::Work { bwrap } => Some(Wrapper {
            bwrap: bwrap.clone(),
            options: options(policy, facts, &paths, &env),
        }),
        Namespaces::Forbidden { .. } | Namespaces::NoBwrap | Namespaces::Absent => None,
    };
    let masked = paths.steps.iter().filter_map(hidden);
    let prepared = Prepared {
        tier,
        wrapper,
        program: paths.program.clone(),
        args,
        cwd: paths.cwd.clone(),
        env,
        masked: masked.chain(paths.masked.iter().cloned()).collect(),
        sources: paths.grants().map(|(_, source)| source).collect(),
        confinement: confinement(policy, facts, &paths),
    };
    Ok(PreparedCommand {
        prepared,
        workspace: paths.workspace,
        cgroups: facts.cgroups.clone(),
        processes: policy.processes,
        memory_together: policy.memory_together,
    })
}

/// The paths of a policy in plain form and checked.
struct Paths {
    tier: Tier,
    program: PathBuf,
    workspace: PathBuf,
    /// On the host.
    cwd: PathBuf,
    /// What is shown and hidden at the places it has on the host.
    steps: Vec<Step>,
    /// Hidden inside the workspace; on the host.
    masked: Vec<PathBuf>,
}

impl Paths {
    fn of(policy: &CommandPolicy, facts: &Facts, tier: Tier) -> Result<Paths, SandboxError> {
        let program = plain(&policy.program)?;
        let workspace = plain(&policy.workspace)?;
        let cwd = plain(&workspace.join(&policy.cwd))?;
        if !cwd.starts_with(&workspace) {
            return Err(SandboxError::Cwd { path: cwd });
        }
        let folders = system_folders(facts);
        let mut mounts = policy.mounts.clone();
        for mount in &mounts {
            check_place(&mount.path)?;
        }
        // What the workspace contains is seen with it.
        let outside = |path: &&PathBuf| tier == Tier::Full || !path.starts_with(&workspace);
        let tools = policy.toolchains.folders.iter().filter(outside);
        mounts.extend(tools.map(Mount::read_only));
        let own = Mount::read_write(&workspace);
        let steps = if tier == Tier::Full {
            // Checked as if it were there; it is not: it is at another place.
            layout(&folders, &[own], &policy.masked, tier)?;
            layout(&folders, &mounts, &policy.masked, tier)?
        } else {
            mounts.push(own);
            layout(&folders, &mounts, &policy.masked, tier)?
        };
        let masked = policy.masked.iter().map(|path| plain(path));
        let masked = masked.collect::<Result<Vec<_>, _>>()?;
        let masked = masked.into_iter().filter(|path| path.starts_with(&workspace));
        Ok(Paths {
            tier,
            program,
            cwd,
            steps,
            masked: masked.collect(),
            workspace,
        })
    }

    /// The place inside of a path of the workspace.
    fn inside(&self, path: &Path) -> PathBuf {
        match (self.tier, path.strip_prefix(&self.workspace)) {
            (Tier::Full, Ok(below)) if below.as_os_str().is_empty() => WORKSPACE.into(),
            (Tier::Full, Ok(below)) => Path::new(WORKSPACE).join(below),
            _ => path.to_owned(),
        }
    }

    /// What is granted, with the path it has on the host.
    fn grants(&self) -> impl Iterator<Item = (Mount, PathBuf)> {
        let shown = self.steps.iter().filter_map(|step| match step {
            Step::Show(mount) => Some((mount.clone(), mount.path.clone())),
            Step::Hide(_) => None,
        });
        let own = (self.tier == Tier::Full).then(|| {
            (
                Mount::read_write(self.inside(&self.workspace)),
                self.workspace.clone(),
            )
        });
        shown.chain(own)
    }
}

/// The places that are ours inside.
fn check_place(path: &Path) -> Result<(), SandboxError> {
    let path = plain(path)?;
    let ours = [WORKSPACE, HOME, "/tmp", "/var/tmp", "/run"];
    match ours.iter().any(|place| path == Path::new(place)) || path.starts_with(WORKSPACE) {
        true => Err(SandboxError::PathForbidden { path }),
        false => Ok(()),
    }
}

fn words(run: &Run) -> Result<Vec<OsString>, SandboxError> {
    match run {
        Run::Shell(text) => Ok(vec!["/bin/sh".into(), "-c".into(), text.clone()]),
        Run::Program(words) if words.is_empty() => Err(SandboxError::Argument),
        Run::Program(words) => Ok(words.clone()),
    }
}

fn etc(policy: &CommandPolicy, tier: Tier) -> impl Iterator<Item = &'static str> {
    let network: &[&str] = match policy.network {
        Network::Open => ETC_NETWORK,
        Network::Off | Network::Proxy(_) => &[],
    };
    let reduced: &[&str] = if tier == Tier::Full { &[] } else { ETC_REDUCED };
    ETC.iter().chain(network).chain(reduced).copied()
}

fn options(
    policy: &CommandPolicy,
    facts: &Facts,
    paths: &Paths,
    env: &[(OsString, OsString)],
) -> Vec<OsString> {
    let mut list = List::default();
    let open = policy.network == Network::Open;
    for word in APART {
        if !(open && *word == "--unshare-net") {
            list.words(&[word]);
        }
    }
    list.words(&["--die-with-parent"]);
    for (name, value) in env {
        list.add("--setenv", &[name, value]);
    }
    for entry in &facts.system {
        match entry {
            SystemPath::Folder(path) => list.add("--ro-bind", &[path, path]),
            SystemPath::Optional(path) => list.add("--ro-bind-try", &[path, path]),
            SystemPath::Link { path, target } => list.add("--symlink", &[target, path]),
        }
    }
    for path in etc(policy, Tier::Full) {
        list.words(&["--ro-bind-try", path, path]);
    }
    let scratch = policy.limits.scratch.max(4096).to_string();
    list.words(&["--proc", "/proc", "--dev", "/dev"]);
    list.words(&["--perms", "1777", "--size", &scratch, "--tmpfs", "/dev/shm"]);
    list.words(&["--perms", "1777", "--size", &scratch, "--tmpfs", "/tmp"]);
    list.words(&["--dir", HOME]);
    for link in &policy.toolchains.links {
        // The folder above is made on the way.
        list.add("--symlink", &[&link.target, &Path::new(HOME).join(&link.name)]);
    }
    list.words(&["--perms", "1777", "--size", &scratch, "--tmpfs", "/var/tmp"]);
    list.words(&["--dir", "/run"]);
    if let Network::Proxy(proxy) = &policy.network {
        list.add("--bind", &[proxy.socket.as_path(), Path::new(PROXY_SOCKET)]);
    }
    show(&mut list, &paths.steps);
    list.add("--bind", &[paths.workspace.as_path(), Path::new(WORKSPACE)]);
    for path in &paths.masked {
        list.words(&["--size", MASK_BYTES]);
        list.add("--tmpfs", &[paths.inside(path)]);
        list.add("--remount-ro", &[paths.inside(path)]);
    }
    remount(&mut list, &paths.steps);
    list.words(&[
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/proc",
        "--remount-ro",
        "/",
    ]);
    list.add("--chdir", &[paths.inside(&paths.cwd)]);
    list.0
}

/// What is bound onto `.git` so that neither hooks nor settings can be changed. `found` are the
/// parts of it that are there and real.
pub(crate) fn git_options(workspace: &Path, found: &[GitPart]) -> Vec<OsString> {
    let mut list = List::default();
    for part in found {
        let (host, inside) = (workspace.join(&part.name), Path::new(WORKSPACE).join(&part.name));
        match part.guard {
            GitGuard::Keep => list.add("--bind", &[host, inside]),
            GitGuard::ReadOnly => list.add("--ro-bind", &[host, inside]),
            GitGuard::Empty => {
                list.words(&["--size", MASK_BYTES]);
                list.add("--tmpfs", &[&inside]);
                list.add("--remount-ro", &[&inside]);
            }
        }
    }
    list.0
}

/// One place in a repository that is held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GitPart {
    /// Below the workspace.
    pub name: PathBuf,
    pub guard: GitGuard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GitGuard {
    /// A mount point of itself, which cannot be moved away.
    Keep,
    ReadOnly,
    /// Nothing is there, and nothing can be made there.
    Empty,
}

fn confinement(policy: &CommandPolicy, facts: &Facts, paths: &Paths) -> Confinement {
    let readable = |entry: &SystemPath| match entry {
        SystemPath::Folder(path) | SystemPath::Optional(path) => Some(path.clone()),
        SystemPath::Link { .. } => None,
    };
    let system = facts.system.iter().filter_map(readable);
    let etc = etc(policy, paths.tier).map(PathBuf::from);
    let grant = |(mount, _)| Grant {
        mount,
        identity: None,
    };
    Confinement {
        kind: Kind::Command,
        tier: paths.tier,
        landlock: facts.landlock,
        system: system.chain(etc).collect(),
        grants: paths.grants().map(grant).collect(),
        limits: policy.limits,
        command: Some(Inside {
            network: match &policy.network {
                Network::Off => Link::Off,
                Network::Proxy(proxy) => Link::Relay {
                    socket: PROXY_SOCKET.into(),
                    port: proxy.port,
                },
                Network::Open => Link::Open,
            },
            processes: policy.processes,
            counted_apart: facts.counts_apart,
            links: policy.toolchains.links.clone(),
            scratch: None,
            terminal: false,
            status: None,
        }),
    }
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
