//! Terminals, and the way to a proxy outside, in the sandbox of commands.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use sandbox::{Launcher, Network, Proxy, Run, Terminal, Tier, Watching, prepare_command};
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::time::Duration;
use support::lab::Lab;
use support::{TIERS, Who, facts};

async fn open(lab: &Lab, launcher: &Launcher, tier: Tier, words: &[&str]) -> Terminal {
    let mut policy = lab.policy("");
    policy.run = Run::Program(words.iter().map(Into::into).collect());
    policy.env = vec![
        ("PS1".into(), "> ".into()),
        ("TERM".into(), "xterm-256color".into()),
    ];
    let prepared = prepare_command(&policy, &facts(tier)).unwrap();
    launcher.open_terminal(prepared, 80, 24).await.unwrap()
}

/// What comes until `word` is there.
async fn until(terminal: &Terminal, word: &str) -> String {
    let mut text = Vec::new();
    let reading = async {
        let mut buffer = [0; 4096];
        loop {
            let count = terminal.read(&mut buffer).await.unwrap();
            text.extend_from_slice(&buffer[..count]);
            if count == 0 || String::from_utf8_lossy(&text).contains(word) {
                return;
            }
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(20), reading).await;
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(
        waited.is_ok() && text.contains(word),
        "{word:?} does not come: {text:?}"
    );
    text
}

#[tokio::test]
async fn a_shell_talks_resizes_and_is_interrupted() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for tier in TIERS {
        let terminal = open(&lab, &launcher, tier, &["/bin/sh", "-i"]).await;
        terminal
            .write(b"tty -s && stty size && echo a$((1+1))b\n")
            .await
            .unwrap();
        let text = until(&terminal, "a2b").await;
        assert!(text.contains("24 80"), "{tier:?} {text}");
        terminal.resize(100, 30).unwrap();
        terminal.write(b"stty size; echo c$((1+1))d\n").await.unwrap();
        assert!(until(&terminal, "c2d").await.contains("30 100"));
        let seconds = (500_000_000 + u64::from(std::process::id())).to_string();
        // Only a foreground job of a session with a controlling terminal hears Ctrl+C.
        terminal
            .write(format!("echo w$((1+1)); sleep {seconds}; echo x$((1+1))y $?\n").as_bytes())
            .await
            .unwrap();
        until(&terminal, "w2").await;
        let quiet = async {
            while support::process::naming(&[seconds.as_str()]).is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), quiet)
            .await
            .unwrap();
        terminal.write(&[3]).await.unwrap();
        terminal.write(b"echo y$((1+1))z\nexit 6\n").await.unwrap();
        until(&terminal, "y2z").await;
        assert_eq!(terminal.wait().await.unwrap(), 6, "{tier:?}");
    }
}

#[tokio::test]
async fn several_sessions_end_each_for_itself() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    for tier in TIERS {
        let one = open(&lab, &launcher, tier, &["/bin/sh", "-i"]).await;
        let two = open(&lab, &launcher, tier, &["/bin/sh", "-i"]).await;
        let three = open(
            &lab,
            &launcher,
            tier,
            &[
                "/bin/sh",
                "-c",
                "trap '' HUP TERM; echo up; setsid sleep 77001 & sleep 77001",
            ],
        )
        .await;
        until(&three, "up").await;
        one.write(b"echo o$((1+1))e\n").await.unwrap();
        two.write(b"echo t$((1+1))o\n").await.unwrap();
        until(&one, "o2e").await;
        until(&two, "t2o").await;
        let ended = tokio::time::timeout(Duration::from_secs(5), three.end()).await;
        ended.unwrap().unwrap();
        assert!(support::process::naming(&["77001"]).is_empty());
        one.write(b"echo s$((1+1))l\n").await.unwrap();
        until(&one, "s2l").await;
        drop(one);
        two.write(b"exit\n").await.unwrap();
        assert_eq!(two.wait().await.unwrap(), 0);
    }
}

/// Stands for a proxy: answers with what it was asked.
fn echo(listener: UnixListener) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let mut text = Vec::new();
                stream.read_to_end(&mut text).unwrap();
                text.reverse();
                stream.write_all(&text).unwrap();
            });
        }
    });
}

#[tokio::test]
async fn a_port_inside_leads_to_the_proxy_outside() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let socket = lab.root().join("proxy.sock");
    echo(UnixListener::bind(&socket).unwrap());
    let script = "
import os, socket
port = int(os.environ['HTTPS_PROXY'].rsplit(':', 1)[1])
def ask(text):
    s = socket.create_connection(('127.0.0.1', port)); s.sendall(text); s.shutdown(1)
    out = b''
    while True:
        part = s.recv(65536)
        if not part: return out
        out += part
assert ask(b'abc') == b'cba'
big = os.urandom(3000000)
assert ask(big) == big[::-1]
for n in range(200): assert ask(b'%d' % n) == (b'%d' % n)[::-1]
print('passed')
";
    let mut policy = lab.policy("python3 -c \"$SCRIPT\"; wait; echo $?");
    policy.env = vec![("SCRIPT".into(), script.into())];
    policy.network = Network::Proxy(Proxy { socket, port: 3128 });
    let prepared = prepare_command(&policy, &facts(Tier::Full)).unwrap();
    let mut running = launcher.run(prepared, Watching::default()).await.unwrap();
    let outcome = running.wait().await.unwrap();
    assert_eq!(outcome.stdout.text(), "passed\n0\n", "{}", outcome.stderr.text());
}

#[tokio::test]
async fn an_open_network_is_the_hosts() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!("python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}))'");
    for tier in TIERS {
        for (network, reached) in [(Network::Off, false), (Network::Open, true)] {
            let mut policy = lab.policy(&text);
            policy.network = network.clone();
            let prepared = prepare_command(&policy, &facts(tier)).unwrap();
            let outcome = launcher
                .run(prepared, Watching::default())
                .await
                .unwrap()
                .wait()
                .await
                .unwrap();
            assert_eq!(
                outcome.exit_code == 0,
                reached,
                "{tier:?} {network:?} {}",
                outcome.stderr.text()
            );
        }
    }
}

#[tokio::test]
async fn what_a_terminal_did_to_git_is_seen_to_at_its_end() {
    let (lab, launcher) = (Lab::new(Who::Oneself), Launcher::start().unwrap());
    let git = lab.workspace().join(".git");
    std::fs::create_dir(&git).unwrap();
    std::fs::write(git.join("config"), "[core]\n").unwrap();
    for closed in [true, false] {
        let terminal = open(&lab, &launcher, Tier::Full, &["/bin/sh", "-i"]).await;
        let keys = b"echo ../evil > .git/commondir; mkdir -p n/.git/hooks; cp /bin/true n/.git/hooks/a; echo a$((1+1))b\n";
        terminal.write(keys).await.unwrap();
        until(&terminal, "a2b").await;
        assert!(git.join("commondir").exists());
        match closed {
            true => {
                terminal.end().await.unwrap();
                let said: Vec<_> = terminal.git().into_iter().map(|danger| danger.what).collect();
                assert_eq!(said, [["hooks/a"]]);
            }
            false => drop(terminal),
        }
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while git.join("commondir").exists() {
            assert!(!closed && std::time::Instant::now() < deadline, "it stays");
            tokio::task::yield_now().await;
        }
    }
}
