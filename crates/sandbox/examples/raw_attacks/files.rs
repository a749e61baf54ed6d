//! Attempts on files: what must not be read, what must not be changed, what must not be left.

use crate::scene::{Attempt, CWD, Scene, at, close, open, read, sys, write};
use std::io;
use std::path::Path;

pub const FILES: &[(&str, Attempt)] = &[
    ("read_shadow", |_| read("/etc/shadow")),
    ("read_passwd", |_| read("/etc/passwd")),
    ("read_ssh", |scene| read(scene.home(".ssh/id"))),
    ("read_token", |scene| read(scene.home(".pm/token"))),
    ("read_db", |scene| read(scene.home(".pm/pm.db"))),
    ("read_other_tool", |scene| {
        read(scene.home(".pm/toolbox/other/other.tool.js"))
    }),
    ("read_other_data", |scene| {
        read(scene.home(".pm/toolbox/other/data/diary"))
    }),
    ("read_token_by_dotdot", |scene| read(scene.data("../../../token"))),
    ("read_ssh_by_planted_link", |scene| read(scene.data("planted"))),
    ("read_ssh_by_own_link", read_by_own_link),
    ("read_ssh_by_proc_root", |scene| {
        read(format!("/proc/self/root{}", scene.home(".ssh/id").display()))
    }),
    ("list_toolbox", |scene| list(&scene.home(".pm/toolbox"), "other")),
    ("list_home", |scene| list(&scene.home(""), ".ssh")),
    ("write_own_code", |scene| write(scene.tool("t.tool.js"), 0)),
    ("write_own_code_from_data", |scene| {
        write(scene.data("../t.tool.js"), 0)
    }),
    ("truncate_own_code", |scene| {
        sys(libc::SYS_truncate, &[at(scene.tool("cut.js")), 0]).map(drop)
    }),
    ("truncate_by_reading", |scene| {
        open(scene.tool("cut.js"), libc::O_RDONLY | libc::O_TRUNC, 0).map(close)
    }),
    ("write_node_modules", |scene| {
        write(scene.tool("node_modules/x/index.js"), 0)
    }),
    ("create_in_node_modules", |scene| {
        write(scene.tool("node_modules/evil.js"), libc::O_CREAT)
    }),
    ("create_in_tool_folder", |scene| {
        write(scene.tool("evil.js"), libc::O_CREAT)
    }),
    ("create_in_home", |scene| write(scene.home("evil"), libc::O_CREAT)),
    ("create_in_root", |_| {
        write("/pm-sandbox-test-evil", libc::O_CREAT)?;
        sys(libc::SYS_unlinkat, &[CWD, at("/pm-sandbox-test-evil"), 0]).map(drop)
    }),
    ("rename_own_code", |scene| {
        rename(scene, "t.tool.js", "data/moved.js", 0)
    }),
    ("rename_over_own_code", |scene| {
        rename(scene, "data/mine", "over.js", 0)
    }),
    ("exchange_own_code", |scene| {
        rename(scene, "t.tool.js", "data/mine.js", libc::RENAME_EXCHANGE as usize)
    }),
    ("rename_data_away", |scene| rename(scene, "data", "data2", 0)),
    ("unlink_own_code", |scene| {
        sys(libc::SYS_unlinkat, &[CWD, at(scene.tool("gone.js")), 0]).map(drop)
    }),
    ("mkdir_in_tool_folder", |scene| {
        sys(libc::SYS_mkdirat, &[CWD, at(scene.tool("new")), 0o755]).map(drop)
    }),
    ("symlink_in_tool_folder", |scene| {
        sys(libc::SYS_symlinkat, &[at("/etc"), CWD, at(scene.tool("etc"))]).map(drop)
    }),
    ("chmod_own_code", |scene| {
        sys(libc::SYS_fchmodat, &[CWD, at(scene.tool("t.tool.js")), 0o666]).map(drop)
    }),
    ("fchmod_own_code", |scene| {
        let file = open(scene.tool("t.tool.js"), libc::O_RDONLY, 0)?;
        let result = sys(libc::SYS_fchmod, &[file, 0o666]);
        close(file);
        result.map(drop)
    }),
    ("touch_own_code", |scene| {
        let long_ago = [libc::timespec {
            tv_sec: 1,
            tv_nsec: 0,
        }; 2];
        let times = long_ago.as_ptr() as usize;
        sys(libc::SYS_utimensat, &[CWD, at(scene.tool("t.tool.js")), times, 0]).map(drop)
    }),
    ("mark_own_code", |scene| {
        let (name, value) = (at("user.evil"), b"1".as_ptr() as usize);
        sys(
            libc::SYS_setxattr,
            &[at(scene.tool("t.tool.js")), name, value, 1, 0],
        )
        .map(drop)
    }),
    ("chown_own_data", |scene| {
        let own = unsafe { libc::getuid() } as usize;
        sys(libc::SYS_fchownat, &[CWD, at(scene.data("mine.js")), own, own, 0]).map(drop)
    }),
    ("link_code_into_data", |scene| {
        sys(
            libc::SYS_linkat,
            &[
                CWD,
                at(scene.tool("linked.js")),
                CWD,
                at(scene.data("linked.js")),
                0,
            ],
        )
        .map(drop)
    }),
    ("link_token_into_data", |scene| {
        sys(
            libc::SYS_linkat,
            &[CWD, at(scene.home(".pm/token")), CWD, at(scene.data("token")), 0],
        )
        .map(drop)
    }),
    ("make_setuid_by_open", |scene| {
        let file = open(scene.data("setuid"), libc::O_CREAT | libc::O_WRONLY, 0o4755)?;
        close(file);
        Ok(())
    }),
    ("make_setuid_by_chmod", |scene| {
        sys(libc::SYS_fchmodat, &[CWD, at(scene.data("mine.js")), 0o4755]).map(drop)
    }),
    ("make_fifo", |scene| {
        sys(
            libc::SYS_mknodat,
            &[CWD, at(scene.data("fifo")), libc::S_IFIFO as usize | 0o644, 0],
        )
        .map(drop)
    }),
    ("make_device", |scene| {
        let null = libc::makedev(1, 3) as usize;
        sys(
            libc::SYS_mknodat,
            &[
                CWD,
                at(scene.data("device")),
                libc::S_IFCHR as usize | 0o644,
                null,
            ],
        )
        .map(drop)
    }),
    ("write_proc_self", |_| write("/proc/self/comm", 0)),
    ("write_proc_mem", |_| {
        open("/proc/self/mem", libc::O_RDWR, 0).map(close)
    }),
    ("write_proc_sys", |_| {
        open("/proc/sys/kernel/hostname", libc::O_WRONLY, 0).map(close)
    }),
    ("read_kernel_memory", |_| {
        open("/proc/kcore", libc::O_RDONLY, 0).map(close)
    }),
    ("read_by_proc_1_root", |_| read("/proc/1/root/etc/passwd")),
    ("read_by_victim_root", |scene| {
        read(format!("/proc/{}/root/etc/passwd", scene.victim))
    }),
    ("read_victim_environ", |scene| {
        open(format!("/proc/{}/environ", scene.victim), libc::O_RDONLY, 0).map(close)
    }),
    ("read_victim_cmdline", |scene| {
        read(format!("/proc/{}/cmdline", scene.victim))
    }),
    ("read_victim_memory", |scene| {
        open(format!("/proc/{}/mem", scene.victim), libc::O_RDONLY, 0).map(close)
    }),
    ("list_sys", |_| list(Path::new("/sys/kernel"), "mm")),
    ("open_by_handle", open_by_handle),
    ("write_too_long_a_file", |scene| {
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        let file = open(scene.data("long"), libc::O_CREAT | libc::O_WRONLY, 0o644)?;
        let result = sys(libc::SYS_ftruncate, &[file, 1 << 30]);
        close(file);
        result.map(drop)
    }),
    ("open_too_many_files", |_| {
        let files: Vec<_> = (0..600).map(|_| open("/dev/null", libc::O_RDONLY, 0)).collect();
        for file in files.iter().flatten() {
            close(*file);
        }
        files.into_iter().collect::<io::Result<Vec<_>>>().map(drop)
    }),
];

fn read_by_own_link(scene: &Scene) -> io::Result<()> {
    let link = scene.data("own-link");
    sys(libc::SYS_symlinkat, &[at(scene.home(".ssh/id")), CWD, at(&link)])?;
    read(link)
}

/// Whether a folder shows `name`; its own way to what was granted, a process may know.
fn list(folder: &Path, name: &str) -> io::Result<()> {
    let file = open(folder, libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
    let mut buffer = [0u8; 4096];
    let result = sys(
        libc::SYS_getdents64,
        &[file, buffer.as_mut_ptr() as usize, buffer.len()],
    );
    close(file);
    let seen = &buffer[..result?];
    let entry = [name.as_bytes(), b"\0"].concat();
    match seen.windows(entry.len()).any(|window| window == entry) {
        true => Ok(()),
        false => Err(io::Error::from_raw_os_error(libc::ENOENT)),
    }
}

fn rename(scene: &Scene, from: &str, to: &str, flags: usize) -> io::Result<()> {
    let (from, to) = (at(scene.tool(from)), at(scene.tool(to)));
    sys(libc::SYS_renameat2, &[CWD, from, CWD, to, flags])?;
    if flags == 0 {
        // Back, so that the next attempt finds what it needs.
        sys(libc::SYS_renameat2, &[CWD, to, CWD, from, flags])?;
    }
    Ok(())
}

fn open_by_handle(_: &Scene) -> io::Result<()> {
    let mut handle = [0u32; 2 + 32];
    handle[0] = 128;
    let mut mount = 0i32;
    let place = handle.as_mut_ptr() as usize;
    let target = at("/usr/bin/env");
    sys(
        libc::SYS_name_to_handle_at,
        &[CWD, target, place, &raw mut mount as usize, 0],
    )?;
    let root = open("/usr", libc::O_RDONLY, 0)?;
    let result = sys(
        libc::SYS_open_by_handle_at,
        &[root, place, libc::O_RDONLY as usize],
    );
    close(root);
    result.map(close)
}
