//! A process from its start to its end, in both tiers.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "starts programs without walls for comparison"
)]

mod support;

use base::Coded;
use sandbox::confine::Identity;
use sandbox::{Child, Exit, Launcher, Mount, Namespaces, Policy, SandboxError, Tier, prepare};
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use support::process::{alive_after, hold, tree};
use support::{TIERS, Who, World, facts, policy};
use tokio::io::{AsyncBufReadExt, AsyncReadExt};

async fn start(launcher: &Launcher, policy: &Policy, tier: Tier) -> Child {
    let prepared = prepare(policy, &facts(tier)).unwrap();
    launcher.spawn(prepared).await.unwrap()
}

fn channel(child: &mut Child) -> tokio::io::BufReader<tokio::net::UnixStream> {
    let channel = tokio::net::UnixStream::from_std(child.take_channel().unwrap()).unwrap();
    tokio::io::BufReader::new(channel)
}

async fn all(child: &mut Child) -> String {
    let mut text = String::new();
    channel(child).read_to_string(&mut text).await.unwrap();
    text
}

const KILLED: Exit = Exit {
    code: None,
    signal: Some(9),
};

#[tokio::test]
async fn a_worker_lives_until_its_channel_closes() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let mut child = start(&launcher, &policy(&world, &["until_closed"]), tier).await;
        assert_eq!(child.tier(), tier);
        let mut talk = channel(&mut child);
        assert!(child.take_channel().is_none());
        let mut line = String::new();
        talk.read_line(&mut line).await.unwrap();
        assert_eq!(line, "here\n");
        let early = tokio::time::timeout(Duration::from_millis(1), child.wait()).await;
        assert!(early.is_err(), "still there");
        drop(talk);
        let expected = Exit {
            code: Some(7),
            signal: None,
        };
        assert_eq!(child.wait().await.unwrap(), expected, "{}", child.stderr_tail());
        assert_eq!(child.wait().await.unwrap(), expected, "as often as one likes");
        child.kill().unwrap();
    }
}

#[tokio::test]
async fn kill_takes_the_whole_tree_before_wait_returns() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for (tier, processes) in [(Tier::Full, 3), (Tier::Reduced, 1)] {
        let mut child = start(&launcher, &policy(&world, &["spin"]), tier).await;
        channel(&mut child).read_line(&mut String::new()).await.unwrap();
        let held = hold(&tree(child.id()));
        assert_eq!(held.len(), processes);
        child.kill().unwrap();
        assert_eq!(child.wait().await.unwrap(), KILLED);
        assert_eq!(alive_after(&held, 0), 0);
    }
}

#[tokio::test]
async fn dropping_ends_it_and_leaves_no_remains() {
    let world = World::new(Who::Oneself);
    for tier in TIERS {
        let launcher = Launcher::start().unwrap();
        let mut child = start(&launcher, &policy(&world, &["spin"]), tier).await;
        drop(launcher);
        channel(&mut child).read_line(&mut String::new()).await.unwrap();
        let pids = tree(child.id());
        let held = hold(&pids);
        assert_eq!(
            alive_after(&held[..1], 0),
            1,
            "it outlives the handle on the launcher"
        );
        drop(child);
        assert_eq!(alive_after(&held, 5), 0);
        let deadline = Instant::now() + Duration::from_secs(5);
        while std::fs::exists(format!("/proc/{}", pids[0])).unwrap() {
            assert!(Instant::now() < deadline, "a zombie is left");
            tokio::task::yield_now().await;
        }
    }
}

#[test]
fn killing_the_owner_ends_its_workers() {
    for who in Who::all() {
        for (tier, processes) in [("full", 5), ("reduced", 2)] {
            let world = World::new(who);
            let mut owner = Command::new(world.program());
            owner
                .args(["host", tier, "spin", &world.scene()])
                .stdout(Stdio::piped());
            let mut owner = who.run(&mut owner).spawn().unwrap();
            let mut line = String::new();
            BufReader::new(owner.stdout.as_mut().unwrap())
                .read_line(&mut line)
                .unwrap();
            assert_eq!(line, "here\n");
            // In the full tier with the guard of the leash.
            let held = hold(&tree(owner.id()));
            assert_eq!(held.len(), processes, "{who:?} {tier}");
            owner.kill().unwrap();
            owner.wait().unwrap();
            assert_eq!(alive_after(&held, 5), 0, "{who:?} {tier}");
        }
    }
}

#[tokio::test]
async fn only_the_end_of_the_output_is_kept() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let mut child = start(&launcher, &policy(&world, &["spew"]), tier).await;
        assert!(child.wait().await.unwrap().success());
        let tail = child.stderr_tail();
        assert_eq!(tail.len(), 16 * 1024);
        assert!(
            tail.ends_with("line 19999\nmore 19999\n"),
            "{:?}",
            &tail[tail.len() - 40..]
        );
    }
}

#[tokio::test]
async fn an_abort_is_told_from_an_end() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let mut child = start(&launcher, &policy(&world, &["abort"]), tier).await;
        let expected = Exit {
            code: None,
            signal: Some(6),
        };
        assert_eq!(child.wait().await.unwrap(), expected, "{}", child.stderr_tail());
    }
}

#[tokio::test]
async fn the_environment_and_the_open_files_are_what_was_given() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    // Opened without the mark that exec closes, as a careless library would.
    let leak = rustix::fs::open(
        "/etc/passwd",
        rustix::fs::OFlags::RDONLY,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    for tier in TIERS {
        let mut given = policy(&world, &["environment"]);
        given.env = vec![
            ("HOME".into(), "/home/我".into()),
            ("A B".into(), "line\nline".into()),
        ];
        let text = all(&mut start(&launcher, &given, tier).await).await;
        let cwd = format!("in {}", world.tool().join("data").display());
        // bubblewrap adds the folder it changed to.
        let pwd = format!("PWD={}", world.tool().join("data").display());
        let mut lines: Vec<_> = text.lines().filter(|line| *line != pwd).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["A B=line", "HOME=/home/我", &cwd, "line"]);

        let files = all(&mut start(&launcher, &policy(&world, &["files"]), tier).await).await;
        assert!(!files.contains("passwd"), "{files}");
        let foreign = |line: &&str| {
            !["/proc/", "/dev/null", "pipe:", "socket:"]
                .iter()
                .any(|known| line.starts_with(known))
        };
        assert_eq!(files.lines().find(foreign), None, "{files}");
    }
    drop(leak);
}

#[tokio::test]
async fn a_connection_passes_through_the_wall() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let connected = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut child = start(&launcher, &policy(&world, &["receive"]), tier).await;
        let channel = child.take_channel().unwrap();
        pass(&channel, &connected);
        drop(connected);
        let mut text = String::new();
        listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through the wall", "{}", child.stderr_tail());
    }
}

fn pass(channel: &impl AsFd, file: &impl AsFd) {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    let files = [file.as_fd()];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    assert!(control.push(SendAncillaryMessage::ScmRights(&files)));
    let part = [std::io::IoSlice::new(b"x")];
    assert_eq!(
        sendmsg(channel, &part, &mut control, SendFlags::empty()).unwrap(),
        1
    );
}

#[tokio::test]
async fn what_is_wrong_is_said_before_anything_starts() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    let data = world.tool().join("data");
    std::os::unix::fs::symlink("/etc", data.join("link")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(data.join("socket")).unwrap();
    for tier in TIERS {
        for (path, code) in [
            (data.join("none"), "sandbox_path_missing"),
            (data.join("link"), "sandbox_path_symlink"),
            (data.join("link/ssl"), "sandbox_path_symlink"),
            (data.join("socket"), "sandbox_path_kind"),
        ] {
            let mut policy = policy(&world, &["see"]);
            policy.mounts.push(Mount::read_write(&path));
            let error = launcher
                .spawn(prepare(&policy, &facts(tier)).unwrap())
                .await
                .unwrap_err();
            assert_eq!(error.code(), code, "{tier:?} {}", path.display());
        }
        let gone = Policy {
            program: world.root().join("gone"),
            ..policy(&world, &[])
        };
        let error = launcher
            .spawn(prepare(&gone, &facts(tier)).unwrap())
            .await
            .unwrap_err();
        assert_eq!(error.code(), "sandbox_path_missing");
    }
    let mut broken = facts(Tier::Full);
    broken.namespaces = Namespaces::Work {
        bwrap: "/usr/bin/false".into(),
    };
    let error = launcher
        .spawn(prepare(&policy(&world, &[]), &broken).unwrap())
        .await
        .unwrap_err();
    assert!(matches!(error, SandboxError::Start { .. }), "{error:?}");
    drop(socket);
}

#[test]
fn a_worker_without_its_wall_does_not_work() {
    let world = World::new(Who::Oneself);
    let told = world.root().join("confinement");
    // By a shell, which opens the file under the number that is said.
    let run = |args: &str| {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", &format!("exec \"$0\" {args} see 7< \"$1\"")]);
        let output = shell.arg(world.program()).arg(&told).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    std::fs::write(&told, "").unwrap();
    assert_eq!(run("").0, Some(71));
    assert!(run("--confinement 8").1.contains("names no open file"));
    let prepared = prepare(&policy(&world, &[]), &facts(Tier::Reduced)).unwrap();
    let mut confinement = prepared.confinement().clone();
    let with = |confinement: &sandbox::confine::Confinement| {
        std::fs::write(&told, serde_json::to_string(confinement).unwrap()).unwrap();
        run("--confinement 7")
    };
    confinement.landlock = 1000;
    let (code, said) = with(&confinement);
    assert!(
        code == Some(71) && said.contains("Landlock ABI 1000 was promised"),
        "{code:?} {said}"
    );
    confinement.landlock = 1;
    confinement.grants[0].identity = Some(Identity { device: 1, inode: 1 });
    let (code, said) = with(&confinement);
    assert!(
        code == Some(71) && said.contains("not what it was"),
        "{code:?} {said}"
    );
}

#[tokio::test]
async fn many_at_once() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    for tier in TIERS {
        let prepared = prepare(&policy(&world, &["until_closed"]), &facts(tier)).unwrap();
        let mut children = Vec::new();
        for child in (0..40)
            .map(|_| launcher.spawn(prepared.clone()))
            .collect::<Vec<_>>()
        {
            children.push(child.await.unwrap());
        }
        for child in &mut children {
            channel(child).read_line(&mut String::new()).await.unwrap();
        }
        for child in &mut children {
            assert_eq!(
                child.wait().await.unwrap().code,
                Some(7),
                "{}",
                child.stderr_tail()
            );
        }
    }
}

/// Printed, not judged: `cargo test -p sandbox --test life -- --nocapture overhead`.
#[tokio::test]
async fn overhead_of_a_start() {
    let world = World::new(Who::Oneself);
    let launcher = Launcher::start().unwrap();
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let mut plain = Vec::new();
    for _ in 0..30 {
        let begin = Instant::now();
        assert!(
            Command::new(world.program())
                .args(["open", "see"])
                .status()
                .unwrap()
                .success()
        );
        plain.push(begin.elapsed());
    }
    println!("from start to end, median of 30: plain {:?}", median(plain));
    for tier in TIERS {
        let prepared = prepare(&policy(&world, &["see"]), &facts(tier)).unwrap();
        let mut times = Vec::new();
        for _ in 0..30 {
            let begin = Instant::now();
            let mut child = launcher.spawn(prepared.clone()).await.unwrap();
            assert!(child.wait().await.unwrap().success());
            times.push(begin.elapsed());
        }
        println!("{}: {:?}", tier.as_str(), median(times));
    }
}
