//! Finds out what this host can do by trying it.

#![allow(
    clippy::disallowed_methods,
    reason = "tries bubblewrap once, with its own options and nothing of a user's"
)]

use super::{cgroup, inner, seccomp};
use crate::facts::{Facts, Namespaces, Switches, SystemPath};
use crate::prepare::APART;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Only where the system itself installs programs; the user's PATH is the user's.
const BWRAP: &[&str] = &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];

/// Folders at the root that are links into `/usr` on most systems and real on some.
const ROOT_FOLDERS: &[&str] = &["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// All of `/etc` that a worker sees: the loader's cache, the time zone, public certificates.
const ETC: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
];

/// Blocks for some 10 ms, because bubblewrap runs once.
pub fn detect() -> Facts {
    let mut facts = expected();
    if let Namespaces::Work { bwrap } = facts.namespaces {
        facts.namespaces = attempt(bwrap, &facts.system);
    }
    facts
}

/// What there is. Whether the system lets bubblewrap do its work is left to who tries the walls.
pub(crate) fn expected() -> Facts {
    let found = BWRAP.iter().map(Path::new).find(|path| only_root_writes(path));
    let namespaces = found.map_or(Namespaces::NoBwrap, |bwrap| Namespaces::Work {
        bwrap: bwrap.to_owned(),
    });
    Facts {
        namespaces,
        landlock: inner::landlock_abi(),
        seccomp: seccomp::ARCH.is_some() && rustix::thread::secure_computing_mode().is_ok(),
        system: system(),
        switches: Switches {
            userns_clone_off: switch("kernel/unprivileged_userns_clone").as_deref() == Some("0"),
            max_namespaces_zero: switch("user/max_user_namespaces").as_deref() == Some("0"),
            apparmor_restricts: switch("kernel/apparmor_restrict_unprivileged_userns").as_deref()
                == Some("1"),
        },
        cgroups: cgroup::find(),
        counts_apart: counts_apart(rustix::system::uname().release().to_bytes()),
        root: rustix::process::getuid().is_root(),
        unproved: false,
    }
}

/// Since Linux 5.14 the limit on processes holds for each user namespace by itself.
fn counts_apart(release: &[u8]) -> bool {
    let text = String::from_utf8_lossy(release);
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse::<u32>().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(5), Some(14))
}

fn system() -> Vec<SystemPath> {
    let mut system = vec![SystemPath::Folder("/usr".into())];
    for path in ROOT_FOLDERS.iter().map(PathBuf::from) {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => system.push(SystemPath::Folder(path)),
            Ok(found) if found.is_symlink() => {
                if let Ok(target) = fs::read_link(&path) {
                    system.push(SystemPath::Link { path, target });
                }
            }
            Ok(_) | Err(_) => {}
        }
    }
    let etc = ETC.iter().map(PathBuf::from).filter(|path| path.exists());
    system.extend(etc.map(SystemPath::Optional));
    system
}

fn switch(name: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    Some(text.trim().to_owned())
}

/// It runs outside every wall, so nobody but root may have put it there.
fn only_root_writes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.uid() == 0 && found.mode() & 0o022 == 0)
}

fn attempt(bwrap: PathBuf, system: &[SystemPath]) -> Namespaces {
    let mut command = Command::new(&bwrap);
    // On no leash and not bound to this program: killed alone, bubblewrap would leave its first
    // process behind. So no key on the terminal reaches it, and it ends by itself.
    command.process_group(0);
    command.env_clear().stdin(Stdio::null()).args(APART);
    for entry in system {
        match entry {
            SystemPath::Folder(path) => command.arg("--ro-bind").arg(path).arg(path),
            SystemPath::Optional(path) => command.arg("--ro-bind-try").arg(path).arg(path),
            SystemPath::Link { path, target } => command.arg("--symlink").arg(target).arg(path),
        };
    }
    command.args(["--proc", "/proc", "--size", "4096", "--tmpfs", "/tmp"]);
    command.args(["--remount-ro", "/proc", "--remount-ro", "/"]);
    let output = command.args(["--", "/usr/bin/true"]).output();
    let said = match output {
        Ok(output) if output.status.success() => return Namespaces::Work { bwrap },
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Namespaces::Forbidden { bwrap, said }
}
