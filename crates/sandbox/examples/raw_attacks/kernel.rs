//! Attempts on processes, the network and the kernel.

use crate::scene::{Attempt, CWD, SECRET, Scene, at, close, open, sys};
use std::io;

pub const KERNEL: &[(&str, Attempt)] = &[
    ("socket_inet", |_| {
        socket(libc::AF_INET, libc::SOCK_STREAM).map(close)
    }),
    ("socket_udp", |_| {
        socket(libc::AF_INET6, libc::SOCK_DGRAM).map(close)
    }),
    ("socket_unix", |_| {
        socket(libc::AF_UNIX, libc::SOCK_STREAM).map(close)
    }),
    ("socket_netlink", |_| {
        socket(libc::AF_NETLINK, libc::SOCK_RAW).map(close)
    }),
    ("socket_packet", |_| {
        socket(libc::AF_PACKET, libc::SOCK_RAW).map(close)
    }),
    ("socket_vsock", |_| {
        socket(libc::AF_VSOCK, libc::SOCK_STREAM).map(close)
    }),
    ("socket_alg", |_| {
        socket(libc::AF_ALG, libc::SOCK_SEQPACKET).map(close)
    }),
    ("socketpair", |_| {
        let mut both = [0i32; 2];
        let stream = [
            libc::AF_UNIX as usize,
            libc::SOCK_STREAM as usize,
            0,
            both.as_mut_ptr() as usize,
        ];
        sys(libc::SYS_socketpair, &stream).map(drop)
    }),
    ("connect_tcp", connect_tcp),
    ("connect_abstract", connect_abstract),
    ("bind_tcp", bind_tcp),
    ("ptrace_victim", |scene| {
        const SEIZE: usize = 0x4206;
        let victim = scene.victim as usize;
        sys(libc::SYS_ptrace, &[SEIZE, victim, 0, 0]).map(drop)
    }),
    ("read_victim_vm", |scene| vm(libc::SYS_process_vm_readv, scene)),
    ("write_victim_vm", |scene| vm(libc::SYS_process_vm_writev, scene)),
    ("kill_victim", |scene| {
        sys(libc::SYS_kill, &[scene.victim as usize, 0]).map(drop)
    }),
    ("kill_everybody", |_| {
        sys(libc::SYS_kill, &[-1isize as usize, 0]).map(drop)
    }),
    ("kill_parent", |_| {
        let parent = sys(libc::SYS_getppid, &[])?;
        sys(libc::SYS_kill, &[parent, 0]).map(drop)
    }),
    ("tgkill_victim", |scene| {
        let victim = scene.victim as usize;
        sys(libc::SYS_tgkill, &[victim, victim, 0]).map(drop)
    }),
    ("tkill_victim", |scene| {
        sys(libc::SYS_tkill, &[scene.victim as usize, 0]).map(drop)
    }),
    ("queue_to_victim", |scene| {
        // A signal number of nought only asks, and the form with an information block is a
        // different call with a check of its own.
        let mut info = [0u32; 32];
        info[2] = (-1i32) as u32;
        sys(
            libc::SYS_rt_sigqueueinfo,
            &[scene.victim as usize, 0, info.as_mut_ptr() as usize],
        )
        .map(drop)
    }),
    ("pidfd_victim", |scene| {
        sys(libc::SYS_pidfd_open, &[scene.victim as usize, 0]).map(close)
    }),
    ("signals_from_file_to_victim", |_| {
        let file = open("/dev/null", libc::O_RDONLY, 0)?;
        let result = sys(libc::SYS_fcntl, &[file, libc::F_SETOWN as usize, 1]);
        close(file);
        result.map(drop)
    }),
    ("limit_victim", |scene| {
        let mut limits = [0u64; 2];
        let out = limits.as_mut_ptr() as usize;
        sys(
            libc::SYS_prlimit64,
            &[scene.victim as usize, libc::RLIMIT_CORE as usize, 0, out],
        )
        .map(drop)
    }),
    ("fork", |_| process(libc::SIGCHLD as usize)),
    ("vfork_like", |_| {
        process((libc::CLONE_VFORK | libc::SIGCHLD) as usize)
    }),
    ("clone3", clone3),
    ("clone_new_user", |_| {
        process((libc::CLONE_NEWUSER | libc::SIGCHLD) as usize)
    }),
    ("unshare_user", |_| {
        in_child(|| sys(libc::SYS_unshare, &[libc::CLONE_NEWUSER as usize]))
    }),
    ("unshare_mounts", |_| {
        in_child(|| sys(libc::SYS_unshare, &[libc::CLONE_NEWNS as usize]))
    }),
    ("unshare_files", |_| {
        sys(libc::SYS_unshare, &[libc::CLONE_FS as usize]).map(drop)
    }),
    ("mount", mount),
    ("open_tree", |_| {
        sys(libc::SYS_open_tree, &[CWD, at("/"), 1]).map(close)
    }),
    ("pivot_root", |_| {
        in_child(|| sys(libc::SYS_chroot, &[at("/usr")]))
    }),
    ("setns", |_| {
        let file = open("/proc/self/ns/uts", libc::O_RDONLY, 0)?;
        let result = sys(libc::SYS_setns, &[file, 0]);
        close(file);
        result.map(drop)
    }),
    ("sethostname", |_| {
        let mut name = unsafe { std::mem::zeroed::<libc::utsname>() };
        unsafe { libc::uname(&raw mut name) };
        let length = name.nodename.iter().position(|byte| *byte == 0).unwrap();
        sys(libc::SYS_sethostname, &[name.nodename.as_ptr() as usize, length]).map(drop)
    }),
    ("setuid", |_| in_child(|| sys(libc::SYS_setuid, &[0]))),
    ("capset", |_| {
        let mut header = [0x2008_0522u32, 0];
        let mut data = [0u32; 6];
        sys(
            libc::SYS_capget,
            &[header.as_mut_ptr() as usize, data.as_mut_ptr() as usize],
        )?;
        sys(
            libc::SYS_capset,
            &[header.as_mut_ptr() as usize, data.as_ptr() as usize],
        )
        .map(drop)
    }),
    ("bpf", |_| {
        let map: [u32; 18] = std::array::from_fn(|index| [2, 4, 8, 1].get(index).copied().unwrap_or(0));
        sys(libc::SYS_bpf, &[0, map.as_ptr() as usize, 72]).map(close)
    }),
    ("keyctl", |_| {
        // The thread's own keyring: those of the session and the process are still needed.
        sys(libc::SYS_keyctl, &[0, -1isize as usize, 1]).map(forget_key)
    }),
    ("add_key", |_| {
        let (kind, name, secret) = (at("user"), at("evil"), b"x".as_ptr() as usize);
        let keyring = -2isize as usize;
        let added = sys(libc::SYS_add_key, &[kind, name, secret, 1, keyring]);
        added.map(forget_key).map(|()| forget_key(keyring))
    }),
    ("io_uring", |_| {
        let mut params = [0u32; 30];
        sys(libc::SYS_io_uring_setup, &[4, params.as_mut_ptr() as usize]).map(close)
    }),
    ("perf_event", |_| {
        // A software clock, this process, user space only.
        let mut event = [0u32; 32];
        event[0] = 1;
        event[1] = 128;
        event[10] = 0b110_0000;
        let attributes = event.as_ptr() as usize;
        sys(
            libc::SYS_perf_event_open,
            &[attributes, 0, -1isize as usize, -1isize as usize, 0],
        )
        .map(close)
    }),
    ("userfaultfd", |_| sys(libc::SYS_userfaultfd, &[1]).map(close)),
    ("fanotify", |_| sys(libc::SYS_fanotify_init, &[0, 0]).map(close)),
    ("memfd", |_| {
        sys(libc::SYS_memfd_create, &[at("evil"), 0]).map(close)
    }),
    ("personality", |_| {
        sys(libc::SYS_personality, &[0x0040_0000]).map(drop)
    }),
    ("outlive_parent", |_| {
        // What die-with-parent rests on.
        sys(libc::SYS_prctl, &[libc::PR_SET_PDEATHSIG as usize, 0]).map(drop)
    }),
    ("let_others_trace", |_| {
        sys(libc::SYS_prctl, &[libc::PR_SET_PTRACER as usize, usize::MAX])
            .or_else(|_| sys(libc::SYS_prctl, &[libc::PR_SET_DUMPABLE as usize, 1]))
            .map(drop)
    }),
    ("new_code_in_memory", |_| {
        map(4096, libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE)
    }),
    ("code_by_mprotect", |_| {
        let page = mmap(4096, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE)?;
        sys(libc::SYS_mprotect, &[page, 4096, libc::PROT_EXEC as usize]).map(drop)
    }),
    ("shared_memory", |_| {
        map(4096, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)
    }),
    ("sysv_shared_memory", |_| {
        // Left alone it would stay until the machine is started anew, and with it the keys of
        // whoever made it, of which a user may have two hundred.
        let segment = sys(libc::SYS_shmget, &[0, 4096, 0o1600])?;
        sys(libc::SYS_shmctl, &[segment, libc::IPC_RMID as usize, 0]).map(drop)
    }),
    ("two_gigabytes", |_| {
        map(2 << 30, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE)
    }),
    ("two_gigabytes_growing", |_| {
        map(
            2 << 30,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_GROWSDOWN,
        )
    }),
    ("two_gigabytes_shared", |_| {
        map(2 << 30, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED)
    }),
    ("raise_core_limit", |_| raise(libc::RLIMIT_CORE)),
    ("raise_memory_limit", |_| raise(libc::RLIMIT_DATA)),
    ("set_priority", |_| {
        let nice = sys(libc::SYS_getpriority, &[0, 0])?;
        sys(libc::SYS_setpriority, &[0, 0, (20 - nice as isize) as usize]).map(drop)
    }),
    ("kernel_log", |_| {
        let mut buffer = [0u8; 64];
        sys(libc::SYS_syslog, &[3, buffer.as_mut_ptr() as usize, 64]).map(drop)
    }),
    #[cfg(target_arch = "x86_64")]
    ("x32", |_| sys(libc::SYS_getpid | 0x4000_0000, &[]).map(drop)),
];

/// The last one: if it succeeds, the shell says so and there is nobody left.
pub fn exec(_: &Scene) -> io::Result<()> {
    let script = r#"echo '{"attack":"execve","ok":true,"errno":0}'"#;
    let (shell, option, script) = (at("/bin/sh"), at("-c"), at(script));
    let (args, env) = ([shell, option, script, 0], [0usize]);
    let _ = sys(
        libc::SYS_execveat,
        &[CWD, shell, args.as_ptr() as usize, env.as_ptr() as usize, 0],
    );
    sys(
        libc::SYS_execve,
        &[shell, args.as_ptr() as usize, env.as_ptr() as usize],
    )
    .map(drop)
}

fn socket(family: i32, kind: i32) -> io::Result<usize> {
    sys(libc::SYS_socket, &[family as usize, kind as usize, 0])
}

/// Standard input stands in for a socket where none is to be had, so that the call itself is tried.
fn socket_or_stdin(family: i32) -> usize {
    socket(family, libc::SOCK_STREAM).unwrap_or(0)
}

fn loopback(port: u16) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr {
            s_addr: u32::from_ne_bytes([127, 0, 0, 1]),
        },
        sin_zero: [0; 8],
    }
}

fn connect_tcp(scene: &Scene) -> io::Result<()> {
    let address = loopback(scene.tcp_port);
    sys(
        libc::SYS_connect,
        &[socket_or_stdin(libc::AF_INET), &raw const address as usize, 16],
    )
    .map(drop)
}

fn bind_tcp(_: &Scene) -> io::Result<()> {
    let address = loopback(0);
    sys(
        libc::SYS_bind,
        &[socket_or_stdin(libc::AF_INET), &raw const address as usize, 16],
    )
    .map(drop)
}

fn connect_abstract(scene: &Scene) -> io::Result<()> {
    let mut address = unsafe { std::mem::zeroed::<libc::sockaddr_un>() };
    address.sun_family = libc::AF_UNIX as u16;
    for (to, from) in address.sun_path[1..].iter_mut().zip(scene.abstract_name.bytes()) {
        *to = from as libc::c_char;
    }
    let length = 2 + 1 + scene.abstract_name.len();
    sys(
        libc::SYS_connect,
        &[
            socket_or_stdin(libc::AF_UNIX),
            &raw const address as usize,
            length,
        ],
    )
    .map(drop)
}

fn vm(call: libc::c_long, scene: &Scene) -> io::Result<()> {
    let mut buffer = *SECRET;
    let local = [buffer.as_mut_ptr() as usize, buffer.len()];
    let remote = [scene.secret_at, buffer.len()];
    let (local, remote) = (local.as_ptr() as usize, remote.as_ptr() as usize);
    sys(call, &[scene.victim as usize, local, 1, remote, 1, 0])?;
    assert_eq!(&buffer, SECRET);
    Ok(())
}

/// A new process that ends at once, by the bare call.
fn process(flags: usize) -> io::Result<()> {
    match sys(libc::SYS_clone, &[flags, 0, 0, 0, 0])? {
        0 => unsafe { libc::_exit(0) },
        child => sys(libc::SYS_wait4, &[child, 0, 0, 0]).map(drop),
    }
}

fn clone3(_: &Scene) -> io::Result<()> {
    let mut args = [0u64; 8];
    args[4] = libc::SIGCHLD as u64;
    match sys(libc::SYS_clone3, &[args.as_ptr() as usize, 64])? {
        0 => unsafe { libc::_exit(0) },
        child => sys(libc::SYS_wait4, &[child, 0, 0, 0]).map(drop),
    }
}

/// Tries `call` in a child where one can be had, so that success does not change this process.
fn in_child(call: impl Fn() -> io::Result<usize>) -> io::Result<()> {
    let Ok(child) = sys(libc::SYS_clone, &[libc::SIGCHLD as usize, 0, 0, 0, 0]) else {
        return call().map(drop);
    };
    if child == 0 {
        let errno = call().err().and_then(|error| error.raw_os_error()).unwrap_or(0);
        unsafe { libc::_exit(errno) };
    }
    let mut status = 0i32;
    sys(libc::SYS_wait4, &[child, &raw mut status as usize, 0, 0])?;
    match libc::WEXITSTATUS(status) {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}

fn mount(scene: &Scene) -> io::Result<()> {
    let (kind, place) = (at("tmpfs"), at(scene.data("")));
    sys(libc::SYS_mount, &[kind, place, kind, 0, 0])?;
    sys(libc::SYS_umount2, &[place, libc::MNT_DETACH as usize]).map(drop)
}

fn mmap(bytes: usize, prot: i32, flags: i32) -> io::Result<usize> {
    let flags = (flags | libc::MAP_ANONYMOUS) as usize;
    sys(libc::SYS_mmap, &[0, bytes, prot as usize, flags, usize::MAX, 0])
}

fn map(bytes: usize, prot: i32, flags: i32) -> io::Result<()> {
    let place = mmap(bytes, prot, flags)?;
    sys(libc::SYS_munmap, &[place, bytes]).map(drop)
}

fn raise(resource: libc::__rlimit_resource_t) -> io::Result<()> {
    let most = [libc::RLIM_INFINITY; 2];
    sys(
        libc::SYS_prlimit64,
        &[0, resource as usize, most.as_ptr() as usize, 0],
    )
    .map(drop)
}

/// The kernel keeps a dead process's keys for as long as anything that it opened is kept, and
/// they count against its user: a few dozen runs, and he may have no more until the machine is
/// started anew.
fn forget_key(key: usize) {
    const INVALIDATE: usize = 21;
    let _ = sys(libc::SYS_keyctl, &[INVALIDATE, key]);
}
