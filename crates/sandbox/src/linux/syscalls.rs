//! Which system calls a worker has. Everything that is not in these lists answers EPERM.
//!
//! What is missing is missing on purpose: no new process (fork, exec), no socket of its own, no
//! look into other processes, no kernel subsystem with a history (io_uring, bpf, keys, perf,
//! userfaultfd), no shared or executable memory, no change of identity, mounts or limits. The
//! numbers of the x32 interface are in no list either.

use libc::*;

/// Judged by what the call is alone.
pub const PLAIN: &[&[c_long]] = &[
    // files that are open
    &[
        SYS_read,
        SYS_write,
        SYS_readv,
        SYS_writev,
        SYS_pread64,
        SYS_pwrite64,
        SYS_preadv,
        SYS_pwritev,
        SYS_preadv2,
        SYS_pwritev2,
        SYS_lseek,
        SYS_close,
        SYS_close_range,
        SYS_dup,
        SYS_dup3,
        SYS_fsync,
        SYS_fdatasync,
        SYS_ftruncate,
        SYS_fallocate,
        SYS_flock,
        SYS_fadvise64,
        SYS_copy_file_range,
        SYS_sendfile,
        SYS_getdents64,
        SYS_fstat,
        SYS_fstatfs,
        SYS_sync_file_range,
        SYS_readahead,
    ],
    // files by path: Landlock and the mounts judge
    &[
        SYS_newfstatat,
        SYS_statx,
        SYS_statfs,
        SYS_faccessat,
        SYS_faccessat2,
        SYS_readlinkat,
        SYS_mkdirat,
        SYS_unlinkat,
        SYS_renameat,
        SYS_renameat2,
        SYS_symlinkat,
        SYS_linkat,
        SYS_chdir,
        SYS_fchdir,
        SYS_getcwd,
        SYS_umask,
    ],
    // memory; what makes memory is in GUARDED
    &[
        SYS_munmap,
        SYS_mremap,
        SYS_madvise,
        SYS_brk,
        SYS_msync,
        SYS_mincore,
    ],
    // threads and their waiting
    &[
        SYS_futex,
        SYS_futex_waitv,
        SYS_set_robust_list,
        SYS_get_robust_list,
        SYS_rseq,
        SYS_sched_yield,
        SYS_sched_getaffinity,
        SYS_getcpu,
        SYS_membarrier,
        SYS_gettid,
        SYS_exit,
        SYS_exit_group,
        SYS_restart_syscall,
    ],
    // signals to oneself
    &[
        SYS_rt_sigaction,
        SYS_rt_sigprocmask,
        SYS_rt_sigreturn,
        SYS_rt_sigtimedwait,
        SYS_rt_sigpending,
        SYS_rt_sigsuspend,
        SYS_sigaltstack,
    ],
    // clocks and timers
    &[
        SYS_clock_gettime,
        SYS_clock_getres,
        SYS_clock_nanosleep,
        SYS_nanosleep,
        SYS_gettimeofday,
        SYS_timerfd_create,
        SYS_timerfd_settime,
        SYS_timerfd_gettime,
    ],
    // waiting for many things
    &[
        SYS_ppoll,
        SYS_pselect6,
        SYS_epoll_create1,
        SYS_epoll_ctl,
        SYS_epoll_pwait,
        SYS_epoll_pwait2,
        SYS_eventfd2,
        SYS_pipe2,
    ],
    // sockets that somebody else opened
    &[
        SYS_recvmsg,
        SYS_sendmsg,
        SYS_recvfrom,
        SYS_sendto,
        SYS_recvmmsg,
        SYS_sendmmsg,
        SYS_getsockopt,
        SYS_getsockname,
        SYS_getpeername,
        SYS_shutdown,
    ],
    // about oneself and the machine
    &[
        SYS_getpid,
        SYS_getppid,
        SYS_getuid,
        SYS_geteuid,
        SYS_getgid,
        SYS_getegid,
        SYS_getresuid,
        SYS_getresgid,
        SYS_getgroups,
        SYS_getrlimit,
        SYS_getrusage,
        SYS_times,
        SYS_uname,
        SYS_sysinfo,
        SYS_getrandom,
    ],
    OLD_FORMS,
];

/// The same under the names that only this processor family still has.
#[cfg(target_arch = "x86_64")]
const OLD_FORMS: &[c_long] = &[
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_dup2,
    SYS_pipe,
    SYS_poll,
    SYS_select,
    SYS_epoll_create,
    SYS_epoll_wait,
    SYS_eventfd,
    SYS_getdents,
    SYS_time,
    SYS_getpgrp,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_FORMS: &[c_long] = &[];

/// Only where mounts say what may be changed: Landlock judges neither of these.
pub const FULL_TIER: &[c_long] = &[
    SYS_utimensat,
    SYS_inotify_init1,
    SYS_inotify_add_watch,
    SYS_inotify_rm_watch,
];

/// Answered with ENOSYS, so that the caller falls back to a form whose arguments can be read
/// here: these take theirs in memory.
pub const NOT_THERE: &[c_long] = &[SYS_clone3, SYS_openat2];

/// One condition on an argument: `argument & mask == value`, in 32 or all 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct When {
    pub argument: u8,
    pub mask: u64,
    pub value: u64,
}

/// A call that is allowed when all conditions of one of its lines hold.
#[derive(Clone, Copy, Debug)]
pub struct Guarded {
    pub call: c_long,
    pub when: &'static [When],
}

const ALL: u64 = u64::MAX;
const fn is(argument: u8, value: u64) -> When {
    When {
        argument,
        mask: 0xffff_ffff,
        value,
    }
}
const fn bits(argument: u8, mask: u64, value: u64) -> When {
    When {
        argument,
        mask,
        value,
    }
}
const fn null(argument: u8) -> When {
    When {
        argument,
        mask: ALL,
        value: 0,
    }
}
const fn guard(call: c_long, when: &'static [When]) -> Guarded {
    Guarded { call, when }
}

/// A file that runs with its owner's rights would outlive the sandbox.
const SET_ID: u64 = (S_ISUID | S_ISGID) as u64;
const TRUNCATE: u64 = O_TRUNC as u64;
const MODE: u64 = O_ACCMODE as u64;
/// Of the flags of `clone`: those a thread has, and those that would make something else of it.
const THREAD: u64 = (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD) as u64;
const NOT_A_THREAD: u64 = (CLONE_NEWNS
    | CLONE_NEWCGROUP
    | CLONE_NEWUTS
    | CLONE_NEWIPC
    | CLONE_NEWUSER
    | CLONE_NEWPID
    | CLONE_NEWNET
    | CLONE_PTRACE
    | CLONE_VFORK
    | CLONE_PARENT
    | CLONE_PIDFD) as u64;
/// Shared memory and growing stacks are not counted by the memory limit.
const MAP_KIND: u64 = 0x0f | MAP_GROWSDOWN as u64;
/// No new code after the start; QuickJS compiles none.
const EXECUTABLE: u64 = PROT_EXEC as u64 | PROT_GROWSDOWN as u64 | PROT_GROWSUP as u64;

pub const GUARDED: &[Guarded] = &[
    // Emptying a file that is opened for reading only: older Landlocks do not see it.
    guard(SYS_openat, &[bits(3, SET_ID, 0), bits(2, TRUNCATE, 0)]),
    guard(SYS_openat, &[bits(3, SET_ID, 0), bits(2, MODE, O_WRONLY as u64)]),
    guard(SYS_openat, &[bits(3, SET_ID, 0), bits(2, MODE, O_RDWR as u64)]),
    guard(
        SYS_mmap,
        &[bits(2, EXECUTABLE, 0), bits(3, MAP_KIND, MAP_PRIVATE as u64)],
    ),
    guard(SYS_mprotect, &[bits(2, EXECUTABLE, 0)]),
    guard(SYS_clone, &[bits(0, THREAD | NOT_A_THREAD, THREAD)]),
    // Of this process, and not whether others are there.
    guard(SYS_getpgid, &[is(0, 0)]),
    guard(SYS_getsid, &[is(0, 0)]),
    guard(SYS_prlimit64, &[is(0, 0), null(2)]),
    guard(SYS_prctl, &[is(0, PR_SET_NAME as u64)]),
    guard(SYS_prctl, &[is(0, PR_GET_NAME as u64)]),
    guard(SYS_prctl, &[is(0, PR_SET_VMA as u64)]),
    guard(SYS_ioctl, &[is(1, FIONREAD)]),
    guard(SYS_ioctl, &[is(1, FIONBIO)]),
    guard(SYS_ioctl, &[is(1, FIOCLEX)]),
    guard(SYS_ioctl, &[is(1, FIONCLEX)]),
    guard(SYS_ioctl, &[is(1, TCGETS)]),
    // No F_SETOWN and F_SETSIG: they send signals to whom they like.
    guard(SYS_fcntl, &[is(1, F_DUPFD as u64)]),
    guard(SYS_fcntl, &[is(1, F_DUPFD_CLOEXEC as u64)]),
    guard(SYS_fcntl, &[is(1, F_GETFD as u64)]),
    guard(SYS_fcntl, &[is(1, F_SETFD as u64)]),
    guard(SYS_fcntl, &[is(1, F_GETFL as u64)]),
    guard(SYS_fcntl, &[is(1, F_SETFL as u64)]),
    guard(SYS_fcntl, &[is(1, F_GETLK as u64)]),
    guard(SYS_fcntl, &[is(1, F_SETLK as u64)]),
    guard(SYS_fcntl, &[is(1, F_SETLKW as u64)]),
    guard(SYS_fcntl, &[is(1, F_OFD_GETLK as u64)]),
    guard(SYS_fcntl, &[is(1, F_OFD_SETLK as u64)]),
    guard(SYS_fcntl, &[is(1, F_OFD_SETLKW as u64)]),
    guard(SYS_setsockopt, &[is(1, SOL_SOCKET as u64)]),
    guard(SYS_setsockopt, &[is(1, IPPROTO_TCP as u64)]),
];

#[cfg(target_arch = "x86_64")]
pub const GUARDED_OLD_FORMS: &[Guarded] = &[
    guard(SYS_open, &[bits(2, SET_ID, 0), bits(1, TRUNCATE, 0)]),
    guard(SYS_open, &[bits(2, SET_ID, 0), bits(1, MODE, O_WRONLY as u64)]),
    guard(SYS_open, &[bits(2, SET_ID, 0), bits(1, MODE, O_RDWR as u64)]),
    guard(SYS_creat, &[bits(1, SET_ID, 0)]),
];
#[cfg(not(target_arch = "x86_64"))]
pub const GUARDED_OLD_FORMS: &[Guarded] = &[];

/// `fchmodat2` is the same number everywhere and not yet in the C library's list.
const SYS_FCHMODAT2: c_long = 452;

pub const GUARDED_FULL_TIER: &[Guarded] = &[
    guard(SYS_fchmod, &[bits(1, SET_ID, 0)]),
    guard(SYS_fchmodat, &[bits(2, SET_ID, 0)]),
    guard(SYS_FCHMODAT2, &[bits(2, SET_ID, 0)]),
    #[cfg(target_arch = "x86_64")]
    guard(SYS_chmod, &[bits(1, SET_ID, 0)]),
];
