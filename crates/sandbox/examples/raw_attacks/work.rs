//! The roles this program plays, and the harmless things that must go on working.

use crate::files::FILES;
use crate::kernel::{KERNEL, exec};
use crate::scene::{Attempt, SECRET, Scene, read, sys, write};
use sandbox::confine::{self, Entered};
use sandbox::{Facts, Kind, Launcher, Limits, Mount, Namespaces, Policy, Tier, detect, prepare};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::ExitCode;
use tokio::io::AsyncReadExt;

pub fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|first| first.to_str()) {
        Some("open") => perform(&args[1..], &mut io::stdout()),
        Some("host") => host(&args[1..]),
        Some("churn") => churn(&args[1..]),
        Some("victim") => victim(),
        _ => match confine::enter(args) {
            Ok(Entered::Work(rest)) => confined(&rest),
            Ok(Entered::Done(code)) => code,
            Err(error) => {
                eprintln!("{}", base::failure::chain(&error));
                ExitCode::from(confine::EXIT_NO_WALL)
            }
        },
    }
}

fn text(args: &[OsString], index: usize) -> &str {
    args.get(index).and_then(|arg| arg.to_str()).unwrap_or_default()
}

/// What is the same behind the walls and without them.
fn perform(args: &[OsString], to: &mut impl Write) -> ExitCode {
    match text(args, 0) {
        "attack" => attack(&serde_json::from_str(text(args, 1)).unwrap(), to),
        "see" => args[1..].iter().for_each(|path| see(Path::new(path), to)),
        other => panic!("{other}?"),
    }
    ExitCode::SUCCESS
}

/// What only a worker does.
fn confined(args: &[OsString]) -> ExitCode {
    let mut channel = confine::channel().unwrap();
    match text(args, 0) {
        "until_closed" => {
            channel.write_all(b"here\n").unwrap();
            // Closed with words unread counts as a reset.
            let _ = channel.read_to_end(&mut Vec::new());
            ExitCode::from(7)
        }
        "spin" => {
            channel.write_all(b"here\n").unwrap();
            loop {
                std::hint::spin_loop();
            }
        }
        "spew" => {
            for line in 0..20_000 {
                eprintln!("line {line}");
                println!("more {line}");
            }
            ExitCode::SUCCESS
        }
        "environment" => {
            for (name, value) in std::env::vars() {
                writeln!(channel, "{name}={value}").unwrap();
            }
            writeln!(channel, "in {}", std::env::current_dir().unwrap().display()).unwrap();
            ExitCode::SUCCESS
        }
        "files" => {
            for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
                writeln!(
                    channel,
                    "{}",
                    std::fs::read_link(entry.unwrap().path()).unwrap().display()
                )
                .unwrap();
            }
            ExitCode::SUCCESS
        }
        "abort" => std::process::abort(),
        "receive" => {
            receive(&channel).write_all(b"through the wall").unwrap();
            ExitCode::SUCCESS
        }
        _ => perform(args, &mut channel),
    }
}

fn say(to: &mut impl Write, name: &str, result: io::Result<()>) {
    let errno = result
        .as_ref()
        .err()
        .map_or(0, |error| error.raw_os_error().unwrap_or(-1));
    let line = serde_json::json!({ "attack": name, "ok": result.is_ok(), "errno": errno });
    writeln!(to, "{line}").unwrap();
}

fn attack(scene: &Scene, to: &mut impl Write) {
    for (name, harmless) in HARMLESS {
        say(to, &format!("harmless_{name}"), harmless(scene));
    }
    for (name, attempt) in FILES.iter().chain(KERNEL) {
        say(to, name, attempt(scene));
    }
    say(to, "execve", exec(scene));
}

fn see(folder: &Path, to: &mut impl Write) {
    let seen = read(folder.join("file")).is_ok();
    let written = write(folder.join("file"), 0).is_ok();
    writeln!(
        to,
        "{}",
        serde_json::json!({ "path": folder, "read": seen, "write": written })
    )
    .unwrap();
}

/// A worker that could not do these would be safe and useless.
const HARMLESS: &[(&str, Attempt)] = &[
    ("read_code", |scene| read(scene.tool("t.tool.js"))),
    ("read_node_modules", |scene| {
        read(scene.tool("node_modules/x/index.js"))
    }),
    ("write_data", |scene| {
        write(scene.data("mine"), libc::O_CREAT | libc::O_TRUNC)
    }),
    ("write_data_2", |scene| {
        write(scene.data("mine.js"), libc::O_CREAT)
    }),
    ("replace_in_data", |scene| {
        write(scene.data("new"), libc::O_CREAT)?;
        std::fs::rename(scene.data("new"), scene.data("old"))?;
        std::fs::hard_link(scene.data("old"), scene.data("twin"))?;
        std::fs::remove_file(scene.data("old"))
    }),
    ("folders_in_data", |scene| {
        std::fs::create_dir_all(scene.data("a/b/c"))?;
        std::fs::rename(scene.data("a/b"), scene.data("b"))?;
        std::fs::read_dir(scene.data(""))?.try_for_each(|entry| entry.map(drop))?;
        std::fs::remove_dir_all(scene.data("b"))
    }),
    ("stat", |scene| {
        std::fs::metadata(scene.tool("t.tool.js")).map(drop)
    }),
    ("system_library", |_| read("/usr/lib/os-release")),
    ("randomness", |_| read("/dev/urandom")),
    ("write_null", |_| write("/dev/null", 0)),
    ("about_itself", |_| {
        read("/proc/self/statm").and_then(|()| read("/proc/self/status"))
    }),
    ("about_the_machine", |_| {
        read("/proc/meminfo").and_then(|()| read("/proc/cpuinfo"))
    }),
    ("threads", |_| {
        let threads: Vec<_> = (0..4)
            .map(|n: u32| std::thread::Builder::new().name(n.to_string()).spawn(move || n))
            .collect::<io::Result<_>>()?;
        let sum: u32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(sum, 6);
        Ok(())
    }),
    ("memory", |_| {
        let block = vec![1u8; 100 << 20];
        assert_eq!(
            block
                .iter()
                .step_by(4096)
                .map(|byte| usize::from(*byte))
                .sum::<usize>(),
            25_600
        );
        Ok(())
    }),
    ("sleep", |_| {
        std::thread::sleep(std::time::Duration::from_micros(10));
        Ok(())
    }),
    ("panic", |_| {
        std::panic::set_hook(Box::new(|_| ()));
        let caught = std::panic::catch_unwind(|| panic!("caught"));
        assert!(caught.is_err());
        let _ = std::panic::take_hook();
        Ok(())
    }),
    ("tasks", |_| {
        // Without input/output: where the workspace turns on tokio's signals, its reactor wants a socketpair.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        runtime.block_on(async { tokio::time::sleep(std::time::Duration::from_millis(1)).await });
        Ok(())
    }),
    ("signal_to_itself", |_| {
        let (own, thread) = (sys(libc::SYS_getpid, &[])?, sys(libc::SYS_gettid, &[])?);
        sys(libc::SYS_tgkill, &[own, thread, 0]).map(drop)
    }),
];

fn victim() -> ExitCode {
    let secret = std::hint::black_box(*SECRET);
    println!("{}", secret.as_ptr() as usize);
    let _ = io::stdin().read_to_end(&mut Vec::new());
    ExitCode::from(std::hint::black_box(secret)[0])
}

/// `host TIER JOB SCENE`: the scene's policy, the job in it, its words on standard output.
fn host(args: &[OsString]) -> ExitCode {
    let (tier, landlock) = match text(args, 0) {
        "full" => (Tier::Full, u32::MAX),
        "full_without_landlock" => (Tier::Full, 0),
        _ => (Tier::Reduced, u32::MAX),
    };
    let mut facts = able(tier);
    facts.landlock = facts.landlock.min(landlock);
    if let Some(bwrap) = args.get(3) {
        facts.namespaces = Namespaces::Work { bwrap: bwrap.into() };
    }
    let scene: Scene = serde_json::from_str(text(args, 2)).unwrap();
    let prepared = prepare(&policy(&scene, &args[1..]), &facts).unwrap();
    runtime().block_on(async {
        let launcher = Launcher::start().unwrap();
        let mut child = launcher.spawn(prepared).await.unwrap();
        let mut channel = tokio::net::UnixStream::from_std(child.take_channel().unwrap()).unwrap();
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = channel.read(&mut buffer).await {
            io::stdout().write_all(&buffer[..count]).unwrap();
        }
        let exit = child.wait().await.unwrap();
        eprintln!("{exit:?} {}", child.stderr_tail());
    });
    ExitCode::SUCCESS
}

/// `churn SCENE`: three at a time, each dropped as soon as it works. Says so once.
fn churn(args: &[OsString]) -> ExitCode {
    let facts = able(Tier::Full);
    let scene: Scene = serde_json::from_str(text(args, 0)).unwrap();
    let prepared = prepare(&policy(&scene, &["until_closed".into()]), &facts).unwrap();
    runtime().block_on(async {
        let launcher = Launcher::start().unwrap();
        let mut starters = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let (launcher, prepared) = (launcher.clone(), prepared.clone());
            starters.spawn(async move {
                loop {
                    let mut child = launcher.spawn(prepared.clone()).await.unwrap();
                    let channel = child.take_channel().unwrap();
                    let mut channel = tokio::net::UnixStream::from_std(channel).unwrap();
                    channel.read_exact(&mut [0; 5]).await.unwrap();
                }
            });
        }
        println!("here");
        starters.join_next().await.unwrap().unwrap()
    })
}

fn able(tier: Tier) -> Facts {
    let facts = detect().only(tier);
    assert_eq!(facts.tier(), tier, "this machine cannot do it: {facts:?}");
    facts
}

fn policy(scene: &Scene, args: &[OsString]) -> Policy {
    Policy {
        kind: Kind::Worker,
        program: std::env::current_exe().unwrap(),
        args: args.to_vec(),
        cwd: scene.data(""),
        env: Vec::new(),
        mounts: vec![
            Mount::read_only(scene.tool("")),
            Mount::read_write(scene.data("")),
        ],
        masked: vec![scene.home(".pm")],
        limits: Limits::default(),
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// A file that the owner passes over the channel.
fn receive(channel: &impl AsFd) -> std::fs::File {
    use std::os::fd::AsRawFd;
    let mut byte = [0u8; 1];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    let mut control = [0usize; 4];
    let mut message = unsafe { std::mem::zeroed::<libc::msghdr>() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = std::mem::size_of_val(&control);
    let received = unsafe { libc::recvmsg(channel.as_fd().as_raw_fd(), &raw mut message, 0) };
    assert_eq!(received, 1);
    let number = unsafe {
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        std::ptr::read_unaligned(libc::CMSG_DATA(header).cast::<i32>())
    };
    std::fs::File::from(unsafe { OwnedFd::from_raw_fd(number) })
}
