//! `hostile.sys(NAME, …)`: any system call, out of JavaScript. A number is itself, a text becomes
//! its address with a nought behind it, a typed array is the address of its bytes. The answer is
//! what the kernel said: below nought it is an errno.

use rquickjs::function::Rest;
use rquickjs::{Ctx, Function, Object, Result, TypedArray, Value};
use std::ffi::CString;

macro_rules! calls {
    ($($name:ident)*) => {
        &[$((stringify!($name), libc::$name)),*]
    };
}

#[rustfmt::skip]
const CALLS: &[(&str, libc::c_long)] = calls![
    SYS_add_key SYS_bind SYS_bpf SYS_capget SYS_capset SYS_chdir SYS_chroot SYS_clone SYS_clone3 SYS_close
    SYS_connect SYS_execve SYS_execveat SYS_exit_group SYS_fanotify_init SYS_fchdir SYS_fchmodat SYS_fchownat
    SYS_fcntl SYS_fsopen SYS_getdents64 SYS_getpgid SYS_getpid SYS_getppid SYS_getpriority SYS_getsid SYS_gettid
    SYS_getuid SYS_inotify_add_watch SYS_inotify_init1 SYS_io_uring_setup SYS_ioctl SYS_kcmp SYS_keyctl SYS_kill
    SYS_linkat SYS_listen SYS_memfd_create SYS_mkdirat SYS_mknodat SYS_mmap SYS_mount SYS_mprotect SYS_mq_open SYS_mq_unlink
    SYS_msgget SYS_munmap SYS_name_to_handle_at SYS_open_by_handle_at SYS_open_tree SYS_openat SYS_openat2
    SYS_perf_event_open SYS_personality SYS_pidfd_getfd SYS_pidfd_open SYS_pidfd_send_signal SYS_prctl
    SYS_prlimit64 SYS_process_madvise SYS_process_vm_readv SYS_process_vm_writev SYS_ptrace SYS_read
    SYS_readlinkat SYS_renameat2 SYS_rt_sigqueueinfo SYS_sched_setaffinity SYS_sched_setscheduler SYS_semctl
    SYS_semget SYS_sendto SYS_setgroups SYS_sethostname SYS_setns SYS_setpgid SYS_setpriority SYS_setsid
    SYS_settimeofday SYS_setuid SYS_setxattr SYS_shmctl SYS_shmget SYS_socket SYS_socketpair SYS_statx
    SYS_symlinkat SYS_syslog SYS_tgkill SYS_tkill SYS_truncate SYS_umount2 SYS_uname SYS_unlinkat SYS_unshare
    SYS_userfaultfd SYS_utimensat SYS_wait4 SYS_write
];

/// The global `hostile`.
pub fn install<'js>(ctx: &Ctx<'js>, require: Function<'js>) -> Result<()> {
    let hostile = Object::new(ctx.clone())?;
    hostile.set("require", require)?;
    hostile.set("sys", Function::new(ctx.clone(), sys)?)?;
    hostile.set(
        "address",
        Function::new(ctx.clone(), |value: Value<'js>| place(&value) as f64)?,
    )?;
    ctx.globals().set("hostile", hostile)
}

fn sys(name: String, args: Rest<Value<'_>>) -> f64 {
    let number = CALLS
        .iter()
        .find(|(known, _)| known.strip_prefix("SYS_") == Some(name.as_str()))
        .unwrap_or_else(|| panic!("no call {name}"))
        .1;
    let mut words = [0usize; 6];
    for (word, arg) in words.iter_mut().zip(args.iter()) {
        *word = place(arg);
    }
    let [a, b, c, d, e, f] = words;
    // SAFETY: none. Whatever it does to this process is what is being tried.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    match answer {
        -1 => -f64::from(std::io::Error::last_os_error().raw_os_error().unwrap()),
        answer => answer as f64,
    }
}

/// Texts are leaked: the program is short.
fn place(value: &Value<'_>) -> usize {
    if let Some(text) = value.as_string() {
        return CString::new(text.to_string().unwrap()).unwrap().into_raw() as usize;
    }
    if let Ok(bytes) = TypedArray::<u8>::from_value(value.clone()) {
        return bytes.as_raw().unwrap().as_ptr().cast::<u8>() as usize;
    }
    value
        .as_number()
        .unwrap_or_else(|| panic!("{value:?} is no argument")) as i64 as usize
}
