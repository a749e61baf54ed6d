//! Which system calls a command does not have. All others that existed when this was written are
//! there, because any program is to run; what the kernel learns later is answered with ENOSYS.
//!
//! Missing are: looks into other processes, new namespaces and mounts, kernel subsystems with a
//! history (keys, bpf, perf, io_uring, userfaultfd), the machine's own settings, and files that
//! would run with their owner's rights. Most of it needs capabilities that a command has not; here
//! it does not even reach the code that would ask for them.

use libc::*;

/// The highest number that was looked at (`mseal`). What is higher is not there; the numbers of
/// the x32 interface are higher as well.
pub const NEWEST: u32 = 462;

/// Whatever the arguments.
pub const DENIED: &[c_long] = &[
    // other processes
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    SYS_process_madvise,
    SYS_move_pages,
    SYS_migrate_pages,
    // keys
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    // kernel subsystems
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_fanotify_init,
    SYS_fanotify_mark,
    SYS_lookup_dcookie,
    SYS_nfsservctl,
    // namespaces and mounts
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    STATMOUNT,
    LISTMOUNT,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_swapon,
    SYS_swapoff,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    // the machine
    SYS_reboot,
    SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    SYS_kexec_file_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_acct,
    SYS_syslog,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    SYS__sysctl,
];

const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;

/// Answered as by a kernel without them, so that callers fall back to what can be judged here.
pub const NOT_THERE: &[c_long] = &[
    SYS_clone3,
    SYS_openat2,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
];

/// Flags of `clone` that make a namespace.
pub const NAMESPACES: &[c_int] = &[
    CLONE_NEWNS,
    CLONE_NEWCGROUP,
    CLONE_NEWUTS,
    CLONE_NEWIPC,
    CLONE_NEWUSER,
    CLONE_NEWPID,
    CLONE_NEWNET,
];

/// Calls with a mode and the place of it.
pub const MODES: &[(c_long, u8)] = &[
    (SYS_openat, 3),
    (SYS_fchmod, 1),
    (SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (SYS_open, 2),
    #[cfg(target_arch = "x86_64")]
    (SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (SYS_mknod, 1),
];

const FCHMODAT2: c_long = 452;

/// Input that somebody else is made to type, and the console's own.
pub const TERMINAL_TRICKS: &[c_ulong] = &[TIOCSTI, TIOCLINUX, TIOCCONS];

/// Address families of a full tier.
pub const FAMILIES: &[c_int] = &[AF_UNIX, AF_INET, AF_INET6, AF_NETLINK];

/// Address families with the host's network and without namespaces. No AF_UNIX: paths of sockets
/// are judged by nobody there, and the owner's own socket is one.
pub const FAMILIES_REDUCED: &[c_int] = &[AF_INET, AF_INET6];
