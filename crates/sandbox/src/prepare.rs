//! From a policy to the exact start of a process. Pure: nothing here looks at the disk, so the
//! same policy and facts always give the same walls.

use crate::confine::{Confinement, Grant};
use crate::error::SandboxError;
use crate::facts::{Facts, Namespaces, SystemPath, Tier};
use crate::layout::{Step, layout, plain};
use crate::policy::{Access, Mount, Policy};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Everything that is decided before a process exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    pub(crate) tier: Tier,
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) confinement: Confinement,
    /// What an empty folder is laid over.
    pub(crate) masked: Vec<PathBuf>,
    /// Where the host has what the confinement grants, in the same order.
    pub(crate) sources: Vec<PathBuf>,
}

/// bubblewrap and its options. They go to it through a file that only it holds, because they
/// carry the environment, and arguments are there for every user of the machine to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    pub bwrap: PathBuf,
    pub options: Vec<OsString>,
}

impl Prepared {
    pub fn tier(&self) -> Tier {
        self.tier
    }

    pub fn wrapper(&self) -> Option<&Wrapper> {
        self.wrapper.as_ref()
    }

    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }
}

/// What is unshared and given up for every process of the full tier. `detect` tries these.
///
/// No `--new-session`: bubblewrap's first process would leave the launcher's process group with
/// it, and be on no leash until it is bound to its parent. The inner wall makes the session.
pub(crate) const APART: &[&str] = &[
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sandbox",
    "--clearenv",
];

pub(crate) const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// An empty folder that hides something needs room for the names of mount points, no more.
pub(crate) const MASK_BYTES: &str = "65536";

/// The loader and the C library act on these before the first line of `main`, that is before the
/// inner wall stands. A trailing `*` stands for any ending.
const REFUSED_VARIABLES: &[&str] = &[
    "LD_*",
    "MALLOC_*",
    "GLIBC_TUNABLES",
    "GCONV_PATH",
    "GETCONF_DIR",
    "HOSTALIASES",
    "LOCALDOMAIN",
    "LOCPATH",
    "NIS_PATH",
    "NLSPATH",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
];

/// Decides how `policy` is enforced on the host that `facts` describes.
pub fn prepare(policy: &Policy, facts: &Facts) -> Result<Prepared, SandboxError> {
    let tier = facts.tier();
    if tier == Tier::None {
        return Err(SandboxError::Unavailable {
            missing: missing(facts),
        });
    }
    check_texts(&policy.args, &policy.env)?;
    let program = plain(&policy.program)?;
    let cwd = plain(&policy.cwd)?;
    let folders = system_folders(facts);
    let mut mounts = policy.mounts.clone();
    if !folders.iter().any(|folder| program.starts_with(folder)) {
        mounts.push(Mount::read_only(&program));
    }
    let steps = layout(&folders, &mounts, &policy.masked, tier)?;
    if cwd != Path::new("/") && !shown_at(&steps, &cwd) {
        return Err(SandboxError::Cwd { path: cwd });
    }
    let wrapper = match &facts.namespaces {
        Namespaces::Work { bwrap } => Some(Wrapper {
            bwrap: bwrap.clone(),
            options: options(policy, facts, &steps, &cwd),
        }),
        Namespaces::Forbidden { .. } | Namespaces::NoBwrap | Namespaces::Absent => None,
    };
    let confinement = confinement(policy, facts, steps.clone());
    Ok(Prepared {
        tier,
        wrapper,
        program,
        args: policy.args.clone(),
        cwd,
        env: policy.env.clone(),
        masked: steps.iter().filter_map(hidden).collect(),
        sources: confinement
            .grants
            .iter()
            .map(|grant| grant.mount.path.clone())
            .collect(),
        confinement,
    })
}

pub(crate) fn missing(facts: &Facts) -> &'static str {
    match (facts.seccomp, &facts.namespaces) {
        _ if facts.unproved => "a self-test that passes",
        (false, _) => "seccomp",
        (true, Namespaces::NoBwrap) => "bubblewrap, Landlock",
        (true, _) => "namespaces, Landlock",
    }
}

pub(crate) fn check_texts(args: &[OsString], env: &[(OsString, OsString)]) -> Result<(), SandboxError> {
    let zero = |text: &OsStr| text.as_bytes().contains(&0);
    if args.iter().any(|arg| zero(arg)) {
        return Err(SandboxError::Argument);
    }
    for (name, value) in env {
        let text = name.to_string_lossy();
        let bad_form = text.is_empty() || text.contains('=') || zero(name) || zero(value);
        let refused = REFUSED_VARIABLES
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => text.starts_with(start),
                None => text == *pattern,
            });
        if bad_form || refused {
            return Err(SandboxError::Environment {
                name: text.into_owned(),
            });
        }
    }
    Ok(())
}

pub(crate) fn system_folders(facts: &Facts) -> Vec<&Path> {
    let folders = facts.system.iter().filter_map(|entry| match entry {
        SystemPath::Folder(path) => Some(path.as_path()),
        SystemPath::Optional(_) | SystemPath::Link { .. } => None,
    });
    folders.collect()
}

pub(crate) fn hidden(step: &Step) -> Option<PathBuf> {
    match step {
        Step::Hide(path) => Some(path.clone()),
        Step::Show(_) => None,
    }
}

fn shown_at(steps: &[Step], path: &Path) -> bool {
    let over = steps.iter().rev().find(|step| path.starts_with(step.path()));
    matches!(over, Some(Step::Show(_)))
}

fn options(policy: &Policy, facts: &Facts, steps: &[Step], cwd: &Path) -> Vec<OsString> {
    let mut list = List::default();
    list.words(APART);
    list.words(&["--die-with-parent"]);
    for (name, value) in &policy.env {
        list.add("--setenv", &[name, value]);
    }
    for entry in &facts.system {
        match entry {
            SystemPath::Folder(path) => list.add("--ro-bind", &[path, path]),
            SystemPath::Optional(path) => list.add("--ro-bind-try", &[path, path]),
            SystemPath::Link { path, target } => list.add("--symlink", &[target, path]),
        }
    }
    list.words(&["--proc", "/proc"]);
    for device in DEVICES {
        list.add("--dev-bind", &[device, device]);
    }
    // Nought would mean "as much as there is".
    let scratch = policy.limits.scratch.max(4096).to_string();
    list.words(&["--perms", "1777", "--size", &scratch, "--tmpfs", "/tmp"]);
    show(&mut list, steps);
    remount(&mut list, steps);
    // The switches below /proc/sys open to whoever is root outside, capabilities or not.
    list.words(&["--remount-ro", "/proc", "--remount-ro", "/"]);
    list.add("--chdir", &[cwd]);
    list.0
}

pub(crate) fn show(list: &mut List, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Show(Mount {
                path,
                access: Access::ReadOnly,
            }) => list.add("--ro-bind", &[path, path]),
            Step::Show(Mount {
                path,
                access: Access::ReadWrite,
            }) => list.add("--bind", &[path, path]),
            Step::Hide(path) => {
                list.words(&["--size", MASK_BYTES]);
                list.add("--tmpfs", &[path]);
            }
        }
    }
}

/// Only when all mount points in them have been made.
pub(crate) fn remount(list: &mut List, steps: &[Step]) {
    for step in steps {
        if let Step::Hide(path) = step {
            list.add("--remount-ro", &[path]);
        }
    }
}

#[derive(Default)]
pub(crate) struct List(pub(crate) Vec<OsString>);

impl List {
    pub(crate) fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    pub(crate) fn add<T: AsRef<OsStr>>(&mut self, option: &str, values: &[T]) {
        self.0.push(option.into());
        self.0
            .extend(values.iter().map(|value| value.as_ref().to_owned()));
    }
}

fn confinement(policy: &Policy, facts: &Facts, steps: Vec<Step>) -> Confinement {
    let readable = |entry: &SystemPath| match entry {
        SystemPath::Folder(path) | SystemPath::Optional(path) => Some(path.clone()),
        SystemPath::Link { .. } => None,
    };
    let grant = |step| match step {
        Step::Show(mount) => Some(Grant {
            mount,
            identity: None,
        }),
        Step::Hide(_) => None,
    };
    Confinement {
        kind: policy.kind,
        tier: facts.tier(),
        landlock: facts.landlock,
        system: facts.system.iter().filter_map(readable).collect(),
        grants: steps.into_iter().filter_map(grant).collect(),
        limits: policy.limits,
        command: None,
    }
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
