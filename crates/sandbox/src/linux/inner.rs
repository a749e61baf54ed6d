//! Puts up the inner wall in this process: open files, session, limits, capabilities,
//! Landlock, seccomp.
//! The order matters: each step would be refused by the ones after it.

use super::seccomp;
use crate::confine::{ConfineError, Confinement, Grant, Identity};
use crate::facts::Tier;
use crate::policy::{Access, Limits};
use crate::prepare::DEVICES;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// The newest ABI that the tests ran against; newer rights are not known to them.
pub const TESTED: ABI = ABI::V7;

/// Stacks of the first thread are not counted by the memory limit.
const STACK_BYTES: u64 = 8 << 20;

/// What a program asks about the machine and itself. Named one by one, because in the reduced
/// tier `/proc` is the host's, with everybody's command lines.
const ABOUT: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/stat",
    "/proc/version",
];

pub fn confine(confinement: &Confinement) -> Result<(), ConfineError> {
    close_files_from(3).map_err(step("closing inherited files"))?;
    if confinement.tier == Tier::Full {
        // Away from the owner's terminal and its process group. In the reduced tier the owner did
        // this between fork and exec.
        rustix::process::setsid().map_err(step("making a session"))?;
    }
    limit(&confinement.limits).map_err(step("setting limits"))?;
    renounce(confinement)?;
    let grants = open_grants(confinement)?;
    if confinement.landlock > 0 {
        landlock(confinement, &grants)?;
    }
    filter(confinement)
}

/// Gives up what this process may do beyond others, and makes sure of the kernel's Landlock.
pub fn renounce(confinement: &Confinement) -> Result<(), ConfineError> {
    give_up_capabilities().map_err(step("giving up capabilities"))?;
    rustix::thread::set_no_new_privs(true).map_err(step("no_new_privs"))?;
    let found = landlock_abi();
    if found < confinement.landlock {
        return Err(ConfineError::Weaker {
            wanted: confinement.landlock,
            found,
        });
    }
    Ok(())
}

/// To the owner, before anybody takes the channel.
pub fn tell(bytes: &[u8]) -> Result<(), ConfineError> {
    rustix::io::write(rustix::stdio::stdin(), bytes)
        .map(drop)
        .map_err(step("telling what the walls let through"))
}

pub fn channel() -> Result<UnixStream, ConfineError> {
    let take = || -> rustix::io::Result<OwnedFd> {
        let channel = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        let nothing = rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        rustix::stdio::dup2_stdin(&nothing)?;
        Ok(channel)
    };
    take().map(UnixStream::from).map_err(step("taking the channel"))
}

/// All of a file that was given under this number; it is closed. Numbers of this process's own
/// files are not given: nothing in it owns one yet.
#[allow(unsafe_code, reason = "a number becomes an owner")]
pub fn read_given(number: i32) -> std::io::Result<Vec<u8>> {
    // SAFETY: only asked whether it is open.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: open since the line above, and by contract of `confine::enter` nobody else's.
    let mut file = unsafe { std::fs::File::from_raw_fd(number) };
    let mut text = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut text)?;
    Ok(text)
}

/// The kernel's own answer; files of the system say only what was configured.
#[allow(unsafe_code, reason = "the question has no safe binding")]
pub fn landlock_abi() -> u32 {
    const VERSION: libc::c_ulong = 1;
    // SAFETY: with a null attribute, size 0 and this flag the call only returns a number.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0usize,
            VERSION,
        )
    };
    u32::try_from(answer).unwrap_or(0)
}

pub fn step<E>(what: &'static str) -> impl FnOnce(E) -> ConfineError
where
    E: std::error::Error + Send + Sync + 'static,
{
    move |error| ConfineError::Step {
        step: what,
        source: Box::new(error),
    }
}

#[allow(unsafe_code, reason = "the call has no safe binding")]
pub fn close_files_from(first: u32) -> std::io::Result<()> {
    // SAFETY: by contract of `confine::apply` nothing in this process owns a file beyond the
    // standard three yet, so no owner is left with a closed or reused number.
    match unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0u32) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

pub fn limit(limits: &Limits) -> rustix::io::Result<()> {
    for (resource, most) in [
        (Resource::Data, limits.memory),
        (Resource::Stack, STACK_BYTES),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.file_size),
        (Resource::Core, 0),
        (Resource::Msgqueue, 0),
    ] {
        let inherited = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let both = Some(most.min(inherited));
        let limit = Rlimit {
            current: both,
            maximum: both,
        };
        rustix::process::setrlimit(resource, limit)?;
    }
    Ok(())
}

fn give_up_capabilities() -> rustix::io::Result<()> {
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, none)
}

/// An entry of the file system, held by itself and not by its name.
pub struct Held {
    pub file: OwnedFd,
    pub folder: bool,
}

impl Held {
    pub fn open(path: &Path, links: OFlags) -> rustix::io::Result<(Held, Identity)> {
        let file = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC | links, Mode::empty())?;
        let stat = rustix::fs::fstat(&file)?;
        let held = Held {
            folder: FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            file,
        };
        Ok((held, identity(&stat)))
    }
}

pub fn identity(stat: &rustix::fs::Stat) -> Identity {
    Identity {
        device: stat.st_dev,
        inode: stat.st_ino,
    }
}

/// Opens what was granted and makes sure that it still is what the host meant.
pub fn open_grants(confinement: &Confinement) -> Result<Vec<(Held, Access)>, ConfineError> {
    let open = |Grant { mount, identity }: &Grant| {
        let (held, found) =
            Held::open(&mount.path, OFlags::NOFOLLOW).map_err(|errno| path_error(&mount.path, errno))?;
        if identity.is_some_and(|expected| expected != found) {
            return Err(ConfineError::Changed {
                path: mount.path.clone(),
            });
        }
        Ok((held, mount.access))
    };
    confinement.grants.iter().map(open).collect()
}

pub fn path_error(path: &Path, errno: Errno) -> ConfineError {
    ConfineError::Path {
        path: path.to_owned(),
        source: errno.into(),
    }
}

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
/// Neither running nor devices, sockets and pipes are ever allowed.
const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | MakeSym | RemoveFile | RemoveDir | Refer
});
/// The rights that make sense for what is no folder; the kernel refuses others there.
const ON_A_FILE: BitFlags<AccessFs> =
    make_bitflags!(AccessFs::{ReadFile | Execute | WriteFile | Truncate | IoctlDev});

fn landlock(confinement: &Confinement, grants: &[(Held, Access)]) -> Result<(), ConfineError> {
    let failed = || step("Landlock");
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(TESTED))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(TESTED)))
        .and_then(|rules| rules.scope(Scope::from_all(TESTED)))
        .and_then(Ruleset::create)
        .map_err(failed())?;
    for (held, access) in grants {
        rules = allow(rules, held, rights(*access))?;
    }
    let system = confinement.system.iter().map(PathBuf::as_path);
    for path in system.chain(DEVICES.iter().map(Path::new)) {
        rules = allow_if_there(rules, path, READ)?;
    }
    rules = allow_if_there(rules, Path::new("/dev/null"), WRITE)?;
    if confinement.tier == Tier::Full {
        rules = allow_if_there(rules, Path::new("/tmp"), WRITE)?;
    }
    restrict(confinement, allow_about(rules)?)
}

/// From here on the rules hold.
pub fn restrict(confinement: &Confinement, rules: RulesetCreated) -> Result<(), ConfineError> {
    let status = rules.restrict_self().map_err(step("Landlock"))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err(ConfineError::Weaker {
            wanted: confinement.landlock,
            found: 0,
        });
    }
    Ok(())
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    match access {
        Access::ReadOnly => READ,
        Access::ReadWrite => WRITE,
    }
}

pub fn allow(
    rules: RulesetCreated,
    held: &Held,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, ConfineError> {
    let access = if held.folder { access } else { access & ON_A_FILE };
    rules
        .add_rule(PathBeneath::new(&held.file, access))
        .map_err(step("Landlock"))
}

pub fn allow_if_there(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, ConfineError> {
    match Held::open(path, OFlags::empty()) {
        Ok((held, _)) => allow(rules, &held, access),
        Err(Errno::NOENT) => Ok(rules),
        Err(errno) => Err(path_error(path, errno)),
    }
}

/// Entries of `/proc` are made anew once nobody holds them, and a rule knows only the one it was
/// made for. So they stay open, as bare references, until the process ends.
fn allow_about(mut rules: RulesetCreated) -> Result<RulesetCreated, ConfineError> {
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    for path in ABOUT.iter().map(Path::new).chain([own.as_path()]) {
        match Held::open(path, OFlags::empty()) {
            Ok((held, _)) => {
                rules = allow(rules, &held, READ)?;
                std::mem::forget(held);
            }
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(path_error(path, errno)),
        }
    }
    Ok(rules)
}

fn filter(confinement: &Confinement) -> Result<(), ConfineError> {
    let arch = seccomp::ARCH.ok_or(ConfineError::Unsupported)?;
    let filters = seccomp::worker_filters(confinement.tier, std::process::id(), arch)
        .map_err(step("building the filter of system calls"))?;
    for program in &filters {
        seccompiler::apply_filter(program).map_err(step("filtering system calls"))?;
    }
    Ok(())
}
