//! Attempts by bare system calls that matter for commands, besides those of the workers' suite.

use crate::kernel::KERNEL;
use crate::scene::{Attempt, CWD, Scene, at, close, open, read, sys, write};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

pub fn attempt(args: &[OsString]) -> ExitCode {
    let text = |index: usize| args.get(index).and_then(|arg| arg.to_str()).unwrap();
    let name = text(0);
    let scene: Scene = serde_json::from_str(text(1)).unwrap();
    let mut all = RAW.iter().chain(KERNEL);
    let (_, attempt) = all
        .find(|(known, _)| *known == name)
        .unwrap_or_else(|| panic!("{name}?"));
    match attempt(&scene) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("errno {}", error.raw_os_error().unwrap_or(-1));
            ExitCode::from(9)
        }
    }
}

const RAW: &[(&str, Attempt)] = &[
    ("raw_read_ssh", |scene| read(scene.home(".ssh/id"))),
    ("raw_read_token", |scene| read(scene.home(".pm/token"))),
    ("raw_read_db", |scene| read(scene.home(".pm/pm.db"))),
    ("raw_read_other", |scene| read(scene.root.join("other/secret"))),
    ("raw_read_by_own_root", |scene| {
        read(format!("/proc/self/root{}", scene.home(".ssh/id").display()))
    }),
    ("raw_read_by_victim_root", |scene| {
        read(format!(
            "/proc/{}/root{}",
            scene.victim,
            scene.home(".ssh/id").display()
        ))
    }),
    ("raw_read_by_parent_root", |scene| {
        let parent = sys(libc::SYS_getppid, &[])?;
        read(format!("/proc/{parent}/root{}", scene.home(".ssh/id").display()))
    }),
    ("raw_read_by_opened_parent", |_| {
        // A folder that is held while one climbs.
        let here = open(".", libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
        let up = sys(
            libc::SYS_openat,
            &[here, at("../home/.ssh"), libc::O_RDONLY as usize, 0],
        );
        close(here);
        let up = up?;
        let file = sys(libc::SYS_openat, &[up, at("id"), libc::O_RDONLY as usize, 0]);
        close(up);
        file.map(close)
    }),
    ("raw_read_path_only", |scene| {
        let file = open(scene.home(".ssh/id"), libc::O_PATH, 0)?;
        let result = read(format!("/proc/self/fd/{file}"));
        close(file);
        result
    }),
    ("raw_openat2", |scene| {
        let how = [libc::O_RDONLY as u64, 0, 0];
        sys(
            libc::SYS_openat2,
            &[CWD, at(scene.home(".ssh/id")), how.as_ptr() as usize, 24],
        )
        .map(close)
    }),
    ("raw_write_home", |scene| write(scene.home("evil"), libc::O_CREAT)),
    ("raw_write_other", |scene| {
        write(scene.root.join("other/evil"), libc::O_CREAT)
    }),
    ("raw_truncate_token", |scene| {
        sys(libc::SYS_truncate, &[at(scene.home(".pm/token")), 0]).map(drop)
    }),
    ("raw_unlink_other", |scene| {
        sys(libc::SYS_unlinkat, &[CWD, at(scene.root.join("other/secret")), 0]).map(drop)
    }),
    ("raw_rename_out", |scene| {
        sys(
            libc::SYS_renameat2,
            &[CWD, at("own"), CWD, at(scene.home("own")), 0],
        )
        .map(drop)
    }),
    ("raw_exchange_out", |scene| {
        let exchange = libc::RENAME_EXCHANGE as usize;
        sys(
            libc::SYS_renameat2,
            &[CWD, at("own"), CWD, at(scene.home(".bashrc")), exchange],
        )
        .map(drop)
    }),
    ("raw_link_in", |scene| {
        sys(
            libc::SYS_linkat,
            &[CWD, at(scene.home(".ssh/id")), CWD, at("linked"), 0],
        )
        .map(drop)
    }),
    ("raw_link_out", |scene| {
        sys(
            libc::SYS_linkat,
            &[CWD, at("own"), CWD, at(scene.home("linked")), 0],
        )
        .map(drop)
    }),
    ("raw_socket_in_home", |scene| {
        sys(
            libc::SYS_mknodat,
            &[CWD, at(scene.home("socket")), libc::S_IFSOCK as usize | 0o644, 0],
        )
        .map(drop)
    }),
    ("raw_setuid_by_open", |_| {
        open("setuid", libc::O_CREAT | libc::O_WRONLY, 0o4755).map(close)
    }),
    ("raw_setuid_by_mknod", |_| {
        sys(
            libc::SYS_mknodat,
            &[CWD, at("setuid"), libc::S_IFREG as usize | 0o4755, 0],
        )
        .map(drop)
    }),
    ("raw_setuid_by_openat2", |_| {
        let how = [(libc::O_CREAT | libc::O_WRONLY) as u64, 0o4755, 0];
        sys(libc::SYS_openat2, &[CWD, at("setuid"), how.as_ptr() as usize, 24]).map(close)
    }),
    ("raw_setgid_by_fchmodat2", |_| {
        sys(452, &[CWD, at("own"), 0o2755, 0]).map(drop)
    }),
    ("raw_device", |_| {
        let kind = libc::S_IFBLK as usize | 0o644;
        sys(
            libc::SYS_mknodat,
            &[CWD, at("disk"), kind, libc::makedev(254, 0) as usize],
        )
        .map(drop)
    }),
    ("raw_exchange_git", |_| {
        std::fs::create_dir("fake")?;
        sys(
            libc::SYS_renameat2,
            &[CWD, at("fake"), CWD, at(".git"), libc::RENAME_EXCHANGE as usize],
        )
        .map(drop)
    }),
    ("raw_exchange_hooks", |_| {
        std::fs::create_dir("fake")?;
        sys(
            libc::SYS_renameat2,
            &[
                CWD,
                at("fake"),
                CWD,
                at(".git/hooks"),
                libc::RENAME_EXCHANGE as usize,
            ],
        )
        .map(drop)
    }),
    ("raw_rename_over_config", |_| {
        sys(libc::SYS_renameat2, &[CWD, at("own"), CWD, at(".git/config"), 0]).map(drop)
    }),
    ("raw_unmount_hooks", |_| {
        // Outside there is nothing to unmount; so it is enough that the call is judged by rights.
        match sys(libc::SYS_umount2, &[at(".git/hooks"), libc::MNT_DETACH as usize]) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            result => result.map(drop),
        }
    }),
    ("raw_remount_root", |_| {
        // A flag that changes nothing outside.
        in_new(|| sys(libc::SYS_mount, &[0, at("/"), 0, (libc::MS_PRIVATE) as usize, 0]))
    }),
    ("raw_fsopen", |_| {
        sys(libc::SYS_fsopen, &[at("tmpfs"), 0]).map(close)
    }),
    ("raw_mount_setattr", |_| {
        let attributes = [0u64; 4];
        sys(
            libc::SYS_mount_setattr,
            &[CWD, at("/"), 0, attributes.as_ptr() as usize, 32],
        )
        .map(drop)
    }),
    ("raw_listmount", |_| {
        let request = [32u64, u64::MAX, 0, 0];
        let mut out = [0u64; 16];
        sys(
            458,
            &[request.as_ptr() as usize, out.as_mut_ptr() as usize, 16, 0],
        )
        .map(drop)
    }),
    ("raw_unshare_net", |_| {
        in_new(|| sys(libc::SYS_unshare, &[libc::CLONE_NEWNET as usize]))
    }),
    ("raw_unshare_pid", |_| {
        in_new(|| sys(libc::SYS_unshare, &[libc::CLONE_NEWPID as usize]))
    }),
    ("raw_unshare_cgroup", |_| {
        in_new(|| sys(libc::SYS_unshare, &[libc::CLONE_NEWCGROUP as usize]))
    }),
    ("raw_setns_victim", |scene| {
        let file = sys(libc::SYS_pidfd_open, &[scene.victim as usize, 0])?;
        let result = in_new(|| sys(libc::SYS_setns, &[file, libc::CLONE_NEWUTS as usize]));
        close(file);
        result
    }),
    ("raw_chroot_escape", |scene| {
        in_new(|| {
            // The old way: a root below, a folder above.
            let up = open("/", libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
            sys(libc::SYS_chroot, &[at(".")])?;
            sys(libc::SYS_fchdir, &[up])?;
            let path = scene.home(".ssh/id");
            open(path.strip_prefix("/").unwrap(), libc::O_RDONLY, 0)
        })
    }),
    ("raw_pidfd_getfd", |scene| {
        let process = sys(libc::SYS_pidfd_open, &[scene.victim as usize, 0])?;
        let result = sys(libc::SYS_pidfd_getfd, &[process, 0, 0]);
        close(process);
        result.map(close)
    }),
    ("raw_kcmp", |scene| {
        let own = unsafe { libc::getpid() } as usize;
        sys(libc::SYS_kcmp, &[own, scene.victim as usize, 0, 0, 0]).map(drop)
    }),
    ("raw_process_madvise", |scene| {
        let process = sys(libc::SYS_pidfd_open, &[scene.victim as usize, 0])?;
        let part = [scene.secret_at & !4095, 4096];
        const COLD: usize = 20;
        let result = sys(
            libc::SYS_process_madvise,
            &[process, part.as_ptr() as usize, 1, COLD, 0],
        );
        close(process);
        result.map(drop)
    }),
    ("raw_kill_by_pidfd", |scene| {
        let process = sys(libc::SYS_pidfd_open, &[scene.victim as usize, 0])?;
        let result = sys(libc::SYS_pidfd_send_signal, &[process, 0, 0, 0]);
        close(process);
        result.map(drop)
    }),
    ("raw_ptrace_attach_parent", |_| {
        // The parent is a shell of ours in either world.
        let parent = sys(libc::SYS_getppid, &[])?;
        const SEIZE: usize = 0x4206;
        sys(libc::SYS_ptrace, &[SEIZE, parent, 0, 0]).map(drop)
    }),
    ("raw_request_key", |_| {
        let keyring = -4isize as usize;
        sys(libc::SYS_keyctl, &[0, keyring, 1]).map(drop)
    }),
    ("raw_bpf_program", |_| {
        // r0 = 0; exit
        let code: [u64; 2] = [0xb7, 0x95];
        let licence = b"GPL\0";
        let mut attributes = [0u64; 16];
        attributes[0] = 1 | 2 << 32;
        attributes[1] = code.as_ptr() as u64;
        attributes[2] = licence.as_ptr() as u64;
        sys(libc::SYS_bpf, &[5, attributes.as_ptr() as usize, 128]).map(close)
    }),
    ("raw_netlink_audit", |_| {
        const CONNECTOR: usize = 11;
        sys(
            libc::SYS_socket,
            &[libc::AF_NETLINK as usize, libc::SOCK_DGRAM as usize, CONNECTOR],
        )
        .map(close)
    }),
    ("raw_netlink_uevent", |_| {
        const UEVENT: usize = 15;
        sys(
            libc::SYS_socket,
            &[libc::AF_NETLINK as usize, libc::SOCK_DGRAM as usize, UEVENT],
        )
        .map(close)
    }),
    ("raw_connect_loopback", |scene| {
        std::net::TcpStream::connect(("127.0.0.1", scene.tcp_port)).map(drop)
    }),
    ("raw_connect_loopback_other_address", |scene| {
        std::net::TcpStream::connect(("127.9.9.9", scene.tcp_port)).map(drop)
    }),
    ("raw_connect_socket_by_path", |_| {
        let path = std::env::var_os("SOCKET").unwrap();
        std::os::unix::net::UnixStream::connect(path).map(drop)
    }),
    ("raw_datagram_to_socket_by_path", |_| {
        let path = std::env::var_os("SOCKET").unwrap();
        let socket = std::os::unix::net::UnixDatagram::unbound()?;
        // Of another type, which only says that it was found.
        match socket.connect(path) {
            Err(error) if error.raw_os_error() == Some(libc::EPROTOTYPE) => Ok(()),
            result => result,
        }
    }),
    ("raw_type_for_others", type_for_others),
    ("raw_many_processes", many_processes),
    ("raw_much_memory", |_| {
        let mut block = Vec::new();
        block
            .try_reserve_exact(700 << 20)
            .map_err(|_| io::Error::from_raw_os_error(libc::ENOMEM))?;
        block.resize(700 << 20, 1u8);
        assert_eq!(std::hint::black_box(&block)[699 << 20], 1);
        Ok(())
    }),
    ("raw_many_files", |_| {
        let most = [100_000u64; 2];
        sys(
            libc::SYS_prlimit64,
            &[0, libc::RLIMIT_NOFILE as usize, most.as_ptr() as usize, 0],
        )
        .map(drop)
    }),
    ("raw_long_file", |_| {
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let file = open("long", libc::O_CREAT | libc::O_WRONLY, 0o644)?;
        let result = sys(libc::SYS_ftruncate, &[file, 1 << 30]);
        close(file);
        result.map(drop)
    }),
    ("raw_limit_victim_up", |scene| {
        let mut limits = [0u64; 2];
        let core = libc::RLIMIT_CORE as usize;
        sys(
            libc::SYS_prlimit64,
            &[scene.victim as usize, core, 0, limits.as_mut_ptr() as usize],
        )?;
        sys(
            libc::SYS_prlimit64,
            &[scene.victim as usize, core, limits.as_ptr() as usize, 0],
        )
        .map(drop)
    }),
    ("raw_clock", |_| {
        let mut change = unsafe { std::mem::zeroed::<libc::timex>() };
        change.modes = libc::ADJ_TICK;
        change.tick = 10_000;
        sys(libc::SYS_adjtimex, &[&raw const change as usize]).map(drop)
    }),
    ("raw_swap_off", |_| {
        match sys(libc::SYS_swapoff, &[at("/nonexistent")]) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
            result => result.map(drop),
        }
    }),
    ("raw_kexec", |_| {
        match sys(libc::SYS_kexec_load, &[0, 17, 0, 1 << 32]) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            result => result.map(drop),
        }
    }),
    ("raw_init_module", |_| {
        match sys(libc::SYS_init_module, &[0, 0, at("")]) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOEXEC | libc::EFAULT)) => Ok(()),
            result => result.map(drop),
        }
    }),
    #[cfg(target_arch = "x86_64")]
    ("raw_ports", |_| sys(libc::SYS_ioperm, &[0x80, 1, 1]).map(drop)),
    #[cfg(target_arch = "x86_64")]
    ("raw_segments", |_| {
        let mut out = [0u8; 64];
        sys(libc::SYS_modify_ldt, &[0, out.as_mut_ptr() as usize, 64]).map(drop)
    }),
    ("raw_newest_call", |_| sys(470, &[0; 6]).map(drop)),
];

/// Tries `call` in a child, so that success does not change this process.
fn in_new(call: impl Fn() -> io::Result<usize>) -> io::Result<()> {
    match sys(libc::SYS_clone, &[libc::SIGCHLD as usize, 0, 0, 0, 0])? {
        0 => {
            let errno = call().err().and_then(|error| error.raw_os_error()).unwrap_or(0);
            unsafe { libc::_exit(errno) }
        }
        child => {
            let mut status = 0i32;
            sys(libc::SYS_wait4, &[child, &raw mut status as usize, 0, 0])?;
            match libc::WEXITSTATUS(status) {
                0 => Ok(()),
                errno => Err(io::Error::from_raw_os_error(errno)),
            }
        }
    }
}

/// Typing into a terminal as if somebody had.
fn type_for_others(_: &Scene) -> io::Result<()> {
    in_new(|| {
        unsafe { libc::setsid() };
        let terminal = open("/dev/ptmx", libc::O_RDWR | libc::O_NOCTTY, 0)?;
        let zero = 0i32;
        sys(
            libc::SYS_ioctl,
            &[terminal, libc::TIOCSPTLCK as usize, &raw const zero as usize],
        )?;
        let peer = sys(
            libc::SYS_ioctl,
            &[terminal, libc::TIOCGPTPEER as usize, libc::O_RDWR as usize],
        )?;
        sys(libc::SYS_ioctl, &[peer, libc::TIOCSCTTY as usize, 0])?;
        sys(
            libc::SYS_ioctl,
            &[peer, libc::TIOCSTI as usize, b"x".as_ptr() as usize],
        )
    })
}

/// Many that wait; ended by their parent. More than the limit and all that runs already, because
/// without a namespace the kernel counts these as well.
fn many_processes(_: &Scene) -> io::Result<()> {
    let load = std::fs::read_to_string("/proc/loadavg")?;
    let running: usize = load.split(['/', ' ']).nth(4).unwrap().parse().unwrap();
    let mut children = Vec::new();
    let mut result = Ok(());
    for _ in 0..running + 400 {
        match sys(libc::SYS_clone, &[libc::SIGCHLD as usize, 0, 0, 0, 0]) {
            Ok(0) => loop {
                unsafe { libc::pause() };
            },
            Ok(child) => children.push(child),
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    for child in &children {
        sys(libc::SYS_kill, &[*child, libc::SIGKILL as usize])?;
        sys(libc::SYS_wait4, &[*child, 0, 0, 0])?;
    }
    result
}
