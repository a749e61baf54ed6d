//! The same raw system calls without walls and behind each of them, by whoever runs the tests
//! and, from root, by an ordinary user as well. Without walls an attack succeeds, or the table
//! below says why this machine does not let it; behind them none does.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "starts the hostile program without walls, too"
)]

mod support;

use std::collections::BTreeMap;
use std::process::Command;
use support::{Who, World, lines};

/// Attack -> errno, 0 for success.
type Outcome = BTreeMap<String, i64>;

fn run(who: Who, tier: Option<&str>) -> Outcome {
    let world = World::new(who);
    let mut command = Command::new(world.program());
    match tier {
        Some(tier) => command.args(["host", tier]),
        None => command.arg("open"),
    };
    who.run(
        command
            .args(["attack", &world.scene()])
            .current_dir(world.tool())
            .env_clear(),
    );
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{who:?} {tier:?}: {said}");
    let outcome = lines(&output.stdout).into_iter().map(|line| {
        let errno = if line["ok"] == true {
            0
        } else {
            line["errno"].as_i64().unwrap()
        };
        (line["attack"].as_str().unwrap().to_owned(), errno)
    });
    let outcome: Outcome = outcome.collect();
    assert!(
        outcome.contains_key("execve"),
        "{who:?} {tier:?} ended early: {said}"
    );
    outcome
}

#[derive(Clone, Copy, PartialEq)]
enum Whom {
    Anyone,
    Ordinary,
}
use Whom::{Anyone, Ordinary};

/// What cannot succeed without walls either, with the errno that shows the reason.
#[rustfmt::skip]
const NOT_EVEN_WITHOUT: &[(&str, Whom, &[i32], &str)] = &[
    ("read_shadow", Ordinary, &[libc::EACCES], "the file belongs to root"),
    ("create_in_root", Ordinary, &[libc::EACCES], "the folder belongs to root"),
    ("make_device", Ordinary, &[libc::EPERM], "needs CAP_MKNOD"),
    ("write_proc_sys", Ordinary, &[libc::EACCES], "the file belongs to root"),
    ("read_kernel_memory", Ordinary, &[libc::EACCES], "the file belongs to root"),
    ("read_kernel_memory", Anyone, &[libc::ENOENT, libc::EPERM], "the kernel has no /proc/kcore for anybody"),
    ("read_by_proc_1_root", Anyone, &[libc::EACCES, libc::EPERM], "process 1 has more rights than these tests"),
    ("open_by_handle", Ordinary, &[libc::EPERM], "needs CAP_DAC_READ_SEARCH"),
    ("mark_own_code", Anyone, &[libc::EOPNOTSUPP], "this file system has no attributes"),
    ("socket_packet", Ordinary, &[libc::EPERM], "needs CAP_NET_RAW"),
    ("socket_packet", Anyone, &[libc::EAFNOSUPPORT], "not in this kernel"),
    ("socket_vsock", Anyone, &[libc::EAFNOSUPPORT], "not in this kernel"),
    ("socket_alg", Anyone, &[libc::EAFNOSUPPORT], "not in this kernel"),
    ("signals_from_file_to_victim", Ordinary, &[libc::EPERM], "process 1 belongs to root"),
    ("kill_parent", Ordinary, &[libc::EPERM], "the parent belongs to root"),
    ("queue_to_victim", Anyone, &[libc::EINVAL], "a signal number of nought is not sent in this form"),
    ("unshare_mounts", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("mount", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("open_tree", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("pivot_root", Ordinary, &[libc::EPERM], "needs CAP_SYS_CHROOT"),
    ("setns", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("sethostname", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("setuid", Ordinary, &[libc::EPERM], "needs CAP_SETUID"),
    ("bpf", Ordinary, &[libc::EPERM], "kernel.unprivileged_bpf_disabled"),
    ("perf_event", Ordinary, &[libc::EACCES, libc::EPERM], "kernel.perf_event_paranoid"),
    ("perf_event", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("keyctl", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("add_key", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("io_uring", Anyone, &[libc::ENOSYS, libc::EPERM], "not in this kernel, or kernel.io_uring_disabled"),
    ("userfaultfd", Ordinary, &[libc::EPERM], "vm.unprivileged_userfaultfd"),
    ("userfaultfd", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("fanotify", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("fanotify", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("sysv_shared_memory", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("kernel_log", Ordinary, &[libc::EPERM], "kernel.dmesg_restrict"),
    ("x32", Anyone, &[libc::ENOSYS], "the kernel is built without the x32 interface"),
    ("raise_core_limit", Ordinary, &[libc::EPERM], "the hard limit of whoever runs the tests"),
    ("unshare_user", Ordinary, &[libc::EPERM], "the system keeps namespaces to itself"),
    ("clone_new_user", Ordinary, &[libc::EPERM], "the system keeps namespaces to itself"),
];

fn not_even_without(who: Who, attack: &str, errno: i64) -> Option<&'static str> {
    let fits = |(name, whom, errnos, _): &&(&str, Whom, &[i32], &str)| {
        *name == attack
            && (*whom == Anyone || !who.is_root())
            && errnos.iter().any(|known| i64::from(*known) == errno)
    };
    NOT_EVEN_WITHOUT.iter().find(fits).map(|(.., reason)| *reason)
}

fn walls_hold(tier: &str) {
    for who in Who::all() {
        let without = run(who, None);
        let behind = run(who, Some(tier));
        let names: Vec<_> = without.keys().collect();
        assert_eq!(names, behind.keys().collect::<Vec<_>>());
        let (mut proved, mut wrong) = (0, Vec::new());
        for (name, errno) in &without {
            if name.starts_with("harmless_") {
                if *errno != 0 || behind[name] != 0 {
                    wrong.push(format!("{name}: {errno} without, {} behind", behind[name]));
                }
                continue;
            }
            match (errno, not_even_without(who, name, *errno)) {
                (0, _) => proved += 1,
                (_, Some(reason)) => println!("{who:?}: {name} fails without walls, too: {reason}"),
                (errno, None) => wrong.push(format!("{name} fails without walls: errno {errno}")),
            }
            if behind[name] == 0 {
                wrong.push(format!("{name} SUCCEEDS behind the walls"));
            }
        }
        println!("{tier}, {who:?}: {proved} attacks succeed without walls; behind them {behind:?}");
        assert!(wrong.is_empty(), "{tier}, {who:?}:\n{}", wrong.join("\n"));
        assert!(proved >= if who.is_root() { 90 } else { 65 }, "{proved}");
    }
}

#[test]
fn the_full_tier_holds() {
    walls_hold("full");
}

/// Older kernels: what is not mounted is not there, whatever Landlock would say.
#[test]
fn the_full_tier_holds_without_landlock() {
    walls_hold("full_without_landlock");
}

#[test]
fn the_reduced_tier_holds() {
    walls_hold("reduced");
}
