//! Why an attack fails without the wall, too.

#[derive(Clone, Copy, PartialEq)]
enum Whom {
    Anyone,
    Ordinary,
}
use Whom::{Anyone, Ordinary};

/// What cannot succeed without the wall either, with the errno that shows the reason.
#[rustfmt::skip]
const NOT_EVEN_WITHOUT: &[(&str, Whom, &[i32], &str)] = &[
    ("readShadow", Ordinary, &[libc::EACCES], "the file belongs to root"),
    ("readByRootOfOne", Anyone, &[libc::EACCES, libc::EPERM], "process 1 has more rights than these tests"),
    ("readByHandle", Ordinary, &[libc::EPERM], "needs CAP_DAC_READ_SEARCH"),
    ("readByNewRoot", Ordinary, &[libc::EPERM], "needs CAP_SYS_CHROOT"),
    ("linkTokenHere", Anyone, &[libc::EXDEV], "the temporary folder is another file system"),
    ("moveDiaryHere", Anyone, &[libc::EXDEV], "the temporary folder is another file system"),
    ("replaceFile", Anyone, &[libc::EXDEV], "the temporary folder is another file system"),
    ("makeDevice", Ordinary, &[libc::EPERM], "needs CAP_MKNOD"),
    ("openKernelLog", Ordinary, &[libc::EACCES, libc::EPERM], "kernel.dmesg_restrict"),
    ("openKernelLog", Anyone, &[libc::ENOENT], "this machine shows no log"),
    ("openProcSys", Ordinary, &[libc::EACCES], "the file belongs to root"),
    ("rawIp", Ordinary, &[libc::EPERM], "needs CAP_NET_RAW"),
    ("packets", Ordinary, &[libc::EPERM], "needs CAP_NET_RAW"),
    ("packets", Anyone, &[libc::EAFNOSUPPORT], "not in this kernel"),
    ("signalEverybody", Ordinary, &[libc::EPERM], "there is nobody else of this user"),
    ("becomeRoot", Ordinary, &[libc::EPERM], "needs CAP_SETUID"),
    ("setGroups", Ordinary, &[libc::EPERM], "needs CAP_SETGID"),
    ("newUser", Ordinary, &[libc::EPERM], "the system keeps namespaces to itself"),
    ("newMounts", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("joinNamespace", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("mount", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("copyTree", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("openFilesystem", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("watchFilesystem", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("watchFilesystem", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("nameMachine", Ordinary, &[libc::EPERM], "needs CAP_SYS_ADMIN"),
    ("setClock", Ordinary, &[libc::EPERM], "needs CAP_SYS_TIME"),
    ("program", Ordinary, &[libc::EPERM], "kernel.unprivileged_bpf_disabled"),
    ("program", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("ring", Anyone, &[libc::ENOSYS, libc::EPERM], "not in this kernel, or kernel.io_uring_disabled"),
    ("faults", Ordinary, &[libc::EPERM], "vm.unprivileged_userfaultfd"),
    ("faults", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("measure", Ordinary, &[libc::EACCES, libc::EPERM], "kernel.perf_event_paranoid"),
    ("measure", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("readLog", Ordinary, &[libc::EPERM], "kernel.dmesg_restrict"),
    ("keyring", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("key", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("sharedSegment", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("semaphores", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("messages", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("compareWithVictim", Anyone, &[libc::ENOSYS], "not in this kernel"),
    ("trace", Ordinary, &[libc::EPERM], "kernel.yama.ptrace_scope"),
    ("readProcess", Ordinary, &[libc::EPERM], "kernel.yama.ptrace_scope"),
    ("writeProcess", Ordinary, &[libc::EPERM], "kernel.yama.ptrace_scope"),
    ("fileOfVictim", Ordinary, &[libc::EPERM], "kernel.yama.ptrace_scope"),
    ("readMemoryOfVictim", Ordinary, &[libc::EACCES], "kernel.yama.ptrace_scope"),
    ("raiseLimit", Ordinary, &[libc::EPERM], "the hard limit of whoever runs the tests"),
];

pub fn not_even_without(attack: &str, errno: i64) -> Option<&'static str> {
    let root = rustix::process::getuid().is_root();
    let fits = |(name, whom, errnos, _): &&(&str, Whom, &[i32], &str)| {
        *name == attack && (*whom == Anyone || !root) && errnos.iter().any(|known| i64::from(*known) == errno)
    };
    NOT_EVEN_WITHOUT.iter().find(fits).map(|(.., reason)| *reason)
}
