//! Commands behind the full wall and what they can reach: with a proxy, without one, and, for the
//! same bytes, with no wall at all. Every attack reaches its loot without walls: where those have a
//! proxy, by one that connects whatever it is asked for.
#![allow(clippy::disallowed_methods, reason = "starts attacks without walls, too")]

use crate::servers::{careless, served};
use crate::support::{Guarded, Names, Web, outward};
use crate::world::lab::Lab;
use crate::world::{Who, facts};
use sandbox::net::{Decision, HostRules, Network as HostNetwork, OwnPorts};
use sandbox::{Launcher, Network, Proxy, Tier, Watching, prepare_command};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::linux::net::SocketAddrExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

/// Where the proxy appears inside.
const INSIDE: &str = "127.0.0.1:3128";

/// What is granted: a host that is harmless, and names that lead elsewhere.
const GRANTED: &[&str] = &[
    "site.example",
    "rebound.example",
    "inner.example",
    "metadata.example",
    "own.example",
    "own6.example",
];

fn names() -> Arc<Names> {
    Names::of(&[
        ("site.example", "127.0.0.1"),
        ("other.example", "127.0.0.1"),
        ("elsewhere.example", "127.0.0.1"),
        ("rebound.example", "127.0.0.1"),
        ("inner.example", "10.0.0.1"),
        ("metadata.example", "169.254.169.254"),
        ("own.example", "127.0.0.1"),
        ("own6.example", "::ffff:127.0.0.1"),
    ])
}

struct Scene {
    lab: Lab,
    launcher: Launcher,
    site: Web,
    loot: Web,
    own: u16,
    udp: SocketAddr,
    name: String,
    outward: Option<IpAddr>,
    _abstract: std::os::unix::net::UnixListener,
    _tasks: JoinSet<()>,
}

impl Scene {
    async fn new() -> Scene {
        let (site, loot) = (Web::start().await, Web::start().await);
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        let udp = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), socket.local_addr().unwrap().port());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut buffer = [0; 100];
            while let Ok((_, from)) = socket.recv_from(&mut buffer).await {
                let _ = socket.send_to(b"treasure", from).await;
            }
        });
        let lab = Lab::new(Who::Oneself);
        // Nothing of the host is seen inside but the workspace.
        std::fs::copy(lab.program(), lab.workspace().join("lab")).unwrap();
        let name = format!("pm-net-{}", lab.root().file_name().unwrap().display());
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let listener = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
        let accepting = listener.try_clone().unwrap();
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = accepting.accept() {
                let _ = std::io::Write::write_all(&mut stream, b"treasure");
            }
        });
        // A port of this program.
        let own = Web::start().await;
        let scene = Scene {
            lab,
            launcher: Launcher::start().unwrap(),
            site,
            own: own.port,
            loot,
            udp,
            name,
            outward: outward(),
            _abstract: listener,
            _tasks: tasks,
        };
        std::mem::forget(own);
        scene
    }

    fn guarded(&self) -> Guarded {
        let own = OwnPorts::default();
        own.add(self.own);
        let rules = HostRules::new(GRANTED, &[self.site.port]).unwrap();
        Guarded::around(HostNetwork::new(rules, &own).with_resolver(names()))
    }

    async fn behind(&self, network: Network, text: &str) -> (i32, String) {
        let mut policy = self.lab.policy(text);
        policy.network = network;
        policy.env = vec![("LAB".into(), "/workspace/lab".into())];
        let watching = Watching {
            limit: Some(Duration::from_secs(60)),
            ..Watching::default()
        };
        let prepared = prepare_command(&policy, &facts(Tier::Full)).unwrap();
        let mut running = self.launcher.run(prepared, watching).await.unwrap();
        let outcome = running.wait().await.unwrap();
        assert!(outcome.swept, "the relay ends with its command");
        let said = format!("{} {}", outcome.stdout.text(), outcome.stderr.text());
        (outcome.exit_code, said)
    }

    async fn without(&self, text: &str) -> (i32, String) {
        let (program, text) = (self.lab.program(), text.to_owned());
        let run = move || {
            Command::new("/bin/sh")
                .args(["-c", &text])
                .env("LAB", program)
                .stdin(Stdio::null())
                .output()
                .unwrap()
        };
        let output = tokio::task::spawn_blocking(run).await.unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().unwrap_or(-1), said)
    }

    /// Name and arguments of `net`, past any proxy.
    fn direct(&self) -> Vec<(&'static str, String)> {
        let loot = self.loot.port;
        let mut all = vec![
            ("tcp", format!("tcp 127.0.0.1:{loot}")),
            ("tcp_mapped", format!("tcp [::ffff:127.0.0.1]:{loot}")),
            ("tcp_own_port", format!("tcp 127.0.0.1:{}", self.own)),
            ("udp", format!("udp {}", self.udp)),
            ("abstract", format!("abstract {}", self.name)),
        ];
        if let Some(outward) = self.outward {
            let port = self.udp.port();
            all.push(("udp_outward", format!("udp {outward}:{port}")));
            all.push(("icmp", format!("icmp {outward}")));
            all.push(("icmp_raw", format!("raw {outward}")));
        }
        all
    }

    /// Name, the code of the refusal where it reaches the rules, and what is said to the proxy.
    fn proxied(&self) -> Vec<(&'static str, Option<&'static str>, Vec<String>)> {
        const GET: &str = "GET /loot HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n";
        const NOT: Option<&str> = Some("network_not_granted");
        const ADDRESS: Option<&str> = Some("network_address_refused");
        const LOOPBACK: Option<&str> = Some("network_loopback_not_granted");
        let (loot, own) = (self.loot.port, self.own);
        let connect = |to: &str, port: u16| {
            let line = format!("CONNECT {to}:{port} HTTP/1.1\\r\\nHost: {to}:{port}\\r\\n\\r\\n");
            vec![line, GET.to_owned()]
        };
        let plain = |to: &str, host: &str| {
            vec![format!(
                "GET http://{to}/loot HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n"
            )]
        };
        let socks = |kind: &str, address: &[u8], port: u16| {
            let address: String = address.iter().map(|byte| format!("\\x{byte:02x}")).collect();
            let port: String = port
                .to_be_bytes()
                .iter()
                .map(|byte| format!("\\x{byte:02x}"))
                .collect();
            let hello = "\\x05\\x01\\x00".to_owned();
            vec![
                hello,
                format!("\\x05\\x01\\x00{kind}{address}{port}"),
                GET.to_owned(),
            ]
        };
        let name = |name: &str| [&[u8::try_from(name.len()).unwrap()], name.as_bytes()].concat();
        let mapped = |tail: [u8; 4]| [&[0; 10][..], &[0xff, 0xff], &tail].concat();
        let site = format!("site.example:{}", self.site.port);
        vec![
            ("connect_not_granted", NOT, connect("other.example", loot)),
            ("connect_address", LOOPBACK, connect("127.0.0.1", loot)),
            ("connect_short_address", LOOPBACK, connect("127.1", loot)),
            ("connect_number", LOOPBACK, connect("2130706433", loot)),
            ("connect_hex", LOOPBACK, connect("0x7f000001", loot)),
            ("connect_octal", LOOPBACK, connect("0177.0.0.1", loot)),
            ("connect_mapped", LOOPBACK, connect("[::ffff:127.0.0.1]", loot)),
            ("connect_localhost", LOOPBACK, connect("localhost", loot)),
            ("connect_below_localhost", LOOPBACK, connect("x.localhost", loot)),
            ("connect_any_address", NOT, connect("0.0.0.0", loot)),
            (
                "connect_name_to_loopback",
                LOOPBACK,
                connect("rebound.example", loot),
            ),
            ("connect_name_to_private", ADDRESS, connect("inner.example", 80)),
            (
                "connect_name_to_metadata",
                ADDRESS,
                connect("metadata.example", 80),
            ),
            ("connect_name_to_own_port", ADDRESS, connect("own.example", own)),
            (
                "connect_name_to_own_port_mapped",
                ADDRESS,
                connect("own6.example", own),
            ),
            ("connect_private", NOT, connect("10.0.0.1", 80)),
            ("connect_metadata", NOT, connect("169.254.169.254", 80)),
            (
                "plain_not_granted",
                NOT,
                plain(&format!("other.example:{loot}"), "other.example"),
            ),
            (
                "plain_granted_in_host_alone",
                NOT,
                plain(&format!("other.example:{loot}"), &site),
            ),
            (
                "plain_address",
                LOOPBACK,
                plain(&format!("127.0.0.1:{loot}"), &site),
            ),
            (
                "plain_user_before_host",
                None,
                plain(&format!("{site}@other.example:{loot}"), &site),
            ),
            (
                "plain_name_to_metadata",
                ADDRESS,
                plain("metadata.example", "metadata.example"),
            ),
            (
                "plain_name_to_own_port",
                ADDRESS,
                plain(&format!("own.example:{own}"), &site),
            ),
            (
                "plain_by_path_alone",
                None,
                vec![format!(
                    "GET /loot HTTP/1.1\\r\\nHost: other.example:{loot}\\r\\n\\r\\n"
                )],
            ),
            (
                "redirect",
                NOT,
                vec![
                    format!("GET http://{site}/redirect HTTP/1.1\\r\\nHost: {site}\\r\\n\\r\\n"),
                    "GET http://elsewhere.example/loot HTTP/1.1\\r\\nHost: elsewhere.example\\r\\n\\r\\n"
                        .to_owned(),
                ],
            ),
            ("socks_address", LOOPBACK, socks("\\x01", &[127, 0, 0, 1], loot)),
            ("socks_private", NOT, socks("\\x01", &[10, 0, 0, 1], 80)),
            (
                "socks_mapped_loopback",
                LOOPBACK,
                socks("\\x04", &mapped([127, 0, 0, 1]), loot),
            ),
            (
                "socks_mapped_metadata",
                NOT,
                socks("\\x04", &mapped([169, 254, 169, 254]), 80),
            ),
            (
                "socks_loopback6",
                LOOPBACK,
                socks("\\x04", &Ipv6Loopback::OCTETS, loot),
            ),
            ("socks_name", NOT, socks("\\x03", &name("other.example"), loot)),
            (
                "socks_name_to_private",
                ADDRESS,
                socks("\\x03", &name("inner.example"), 80),
            ),
            (
                "socks_name_to_own_port",
                ADDRESS,
                socks("\\x03", &name("own.example"), own),
            ),
            (
                "socks_address_as_name",
                LOOPBACK,
                socks("\\x03", &name("127.0.0.1"), loot),
            ),
        ]
    }
}

struct Ipv6Loopback;

impl Ipv6Loopback {
    const OCTETS: [u8; 16] = std::net::Ipv6Addr::LOCALHOST.octets();
}

fn attack(args: &str) -> String {
    format!("\"$LAB\" net {args}")
}

fn said_to(proxy: &str, steps: &[String]) -> String {
    let steps: Vec<String> = steps.iter().map(|step| format!("'{step}'")).collect();
    attack(&format!("say {proxy} {}", steps.join(" ")))
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_goes_past_the_proxy() {
    let scene = Scene::new().await;
    let guarded = scene.guarded();
    let proxy = || {
        Network::Proxy(Proxy {
            socket: guarded.socket.clone(),
            port: 3128,
        })
    };
    let (mut proved, mut wrong) = (0, Vec::new());
    for (name, args) in scene.direct() {
        let text = attack(&args);
        let open = scene.without(&text).await;
        match (open.0, name) {
            (0, _) => proved += 1,
            // Only who may open such sockets.
            (_, "icmp" | "icmp_raw") => println!("{name} fails without walls, too: {}", open.1),
            _ => wrong.push(format!("{name} fails WITHOUT walls: {open:?}")),
        }
        for (kind, network) in [("off", Network::Off), ("proxy", proxy())] {
            let walled = scene.behind(network, &text).await;
            if walled.0 == 0 || walled.0 > 9 {
                wrong.push(format!("{name} behind the wall ({kind}): {walled:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(proved >= 5, "{proved}");
    assert!(guarded.attempts().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_proxy_gives_nothing_away() {
    let scene = Scene::new().await;
    let guarded = scene.guarded();
    let (careless, _tasks) = careless(scene.loot.port).await;
    let mut wrong = Vec::new();
    let attacks = scene.proxied();
    for (name, code, steps) in &attacks {
        let open = scene.without(&said_to(&careless, steps)).await;
        if open.0 != 0 {
            wrong.push(format!("{name} fails WITHOUT walls: {open:?}"));
        }
        let (before, loot) = (guarded.attempts().len(), scene.loot.heard.all().len());
        let proxy = Network::Proxy(Proxy {
            socket: guarded.socket.clone(),
            port: 3128,
        });
        let walled = scene.behind(proxy, &said_to(INSIDE, steps)).await;
        let last = guarded.attempts()[before..]
            .last()
            .map(|attempt| attempt.decision);
        let wanted = code.map(Decision::Refused);
        if !(8..=9).contains(&walled.0) || last != wanted || scene.loot.heard.all().len() != loot {
            wrong.push(format!(
                "{name} behind the wall: {walled:?}, {last:?}, wanted {wanted:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} attacks, each reaches its loot without walls and none behind them",
        attacks.len()
    );
}

/// Programs that people use, to a granted host, by nothing but the environment.
#[tokio::test(flavor = "multi_thread")]
async fn ordinary_programs_reach_a_granted_host() {
    let scene = Scene::new().await;
    let files = served().await;
    let rules = HostRules::new(&["site.example"], &[scene.site.port, files.0]).unwrap();
    let guarded = Guarded::around(HostNetwork::new(rules, &OwnPorts::default()).with_resolver(names()));
    let url = format!("http://site.example:{}", scene.site.port);
    let python =
        format!("import urllib.request as u; print(u.urlopen('{url}/x', timeout=20).read().decode())");
    let node = format!(
        "const p = new URL(process.env.HTTP_PROXY); require('http').get({{host: p.hostname, port: p.port, path: '{url}/x'}}, r => r.pipe(process.stdout))"
    );
    let repository = format!("http://site.example:{}/r.git", files.0);
    let cases = [
        ("curl", format!("curl -sS {url}/x | grep -qx hello")),
        ("curl", format!("curl -sS --proxytunnel {url}/x | grep -qx hello")),
        ("curl", format!("curl -sS -x \"$ALL_PROXY\" {url}/x | grep -qx hello")),
        ("curl", "curl -sS -o /dev/null -w '%{http_code}' http://other.example/ | grep -qx 403".to_owned()),
        ("git", format!("git clone -q {repository} c && grep -qx content c/file")),
        ("python3", format!("python3 -c \"{python}\" | grep -qx hello")),
        ("node", format!("node -e \"{node}\" | grep -qx hello")),
        ("curl", "(printf 'HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok' | python3 -c \"import socket,sys; s=socket.create_server(('127.0.0.1',8124)); print('up',flush=True); c=s.accept()[0]; c.recv(999); c.send(sys.stdin.buffer.read())\" > up &) ; until grep -q up up; do :; done; curl -sS http://localhost:8124/ | grep -qx ok".to_owned()),
    ];
    let mut worked = 0;
    for (program, text) in cases {
        if scene
            .without(&format!("PATH=/usr/bin:/bin command -v {program}"))
            .await
            .0
            != 0
        {
            println!("{program} is not installed");
            continue;
        }
        let proxy = Network::Proxy(Proxy {
            socket: guarded.socket.clone(),
            port: 3128,
        });
        let (code, said) = scene.behind(proxy, &text).await;
        assert_eq!(code, 0, "{text}: {said}");
        worked += 1;
    }
    println!("{worked} ordinary commands work");
}
