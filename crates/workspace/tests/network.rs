//! Whom commands reach, by grants: real commands behind the real wall, through the proxy to a real
//! server. Only names are made up.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use base::{Coded, Failure, Lang, LiveLang};
use common::{World, actor};
use sandbox::net::{Lookup, OwnPorts, Resolve};
use sandbox::{Facts, Launcher, Tier, Walls};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use workspace::Workspace;
use workspace::command::terminal::{Size, Terminals};
use workspace::command::{Asker, CommandError, CommandOutput, CommandRequest, Commands, Question};
use workspace::network::{Extent, Networks, Reach};
use workspace::policy::Policy;

struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            match name {
                "allowed.test" | "other.test" => Ok(vec!["127.0.0.1".parse().unwrap()]),
                "inner.test" => Ok(vec!["10.0.0.1".parse().unwrap()]),
                _ => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}

struct Nobody;

impl Asker for Nobody {
    async fn ask(&self, _: Question) -> Result<(), Failure> {
        Err(Failure::new("approval_denied"))
    }
    fn starts(&self) {}
}

/// Says `hello` to everybody, but keeps who says `HOLD` without an answer; `held` hears of it.
async fn server(held: Arc<Notify>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1024];
            let count = stream.read(&mut request).await.unwrap_or_default();
            if request[..count].starts_with(b"HOLD") {
                held.notify_one();
                tokio::spawn(async move { stream.read(&mut [0]).await });
                continue;
            }
            let answer = b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello";
            let _ = stream.write_all(answer).await;
        }
    });
    port
}

struct Scene {
    world: World,
    workspace: Workspace,
    networks: Networks,
    commands: Commands,
    policy: Arc<Policy>,
    port: u16,
    held: Arc<Notify>,
}

fn worker() -> PathBuf {
    let own = std::env::current_exe().unwrap().canonicalize().unwrap();
    let beside = own
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("pm-worker"));
    let found = beside.into_iter().find(|path| path.is_file());
    found.expect("run `cargo build -p runtime --bins`")
}

impl Scene {
    async fn new(tier: Tier) -> Scene {
        let world = World::new().await;
        let workspace = world.bind("t1").await;
        std::fs::write(workspace.path().join("ask"), SCRIPT).unwrap();
        let held = Arc::new(Notify::new());
        let port = server(held.clone()).await;
        let facts: Facts = sandbox::detect().only(tier);
        assert_eq!(facts.tier(), tier, "this machine cannot: {facts:?}");
        let lang = LiveLang::new(Lang::En);
        let walls = Walls::promised(Launcher::start().unwrap(), facts, worker());
        let (store, own) = (world.store.clone(), OwnPorts::default());
        let networks = Networks::new(store, &world.home, walls.clone(), own, lang)
            .with_fixture(Arc::new(Names), vec![port]);
        let commands = Commands::new(
            world.store.clone(),
            walls,
            world.home.root().to_owned(),
            networks.clone(),
        );
        Scene {
            world,
            workspace,
            networks,
            commands,
            policy: Arc::new(Policy::built_in().unwrap()),
            port,
            held,
        }
    }

    async fn run(&self, command: &str) -> Result<CommandOutput, CommandError> {
        let request = CommandRequest {
            command: command.to_owned(),
            timeout_ms: Some(30_000),
            live: None,
            shown: command.to_owned(),
        };
        let (policy, cancel) = (self.policy.clone(), CancellationToken::new());
        let commands = &self.commands;
        commands
            .run(&self.workspace, policy, request, actor(), &Nobody, &cancel)
            .await
    }

    /// What a command gets that asks the proxy for this.
    async fn ask(&self, host: &str) -> CommandOutput {
        self.run(&asking(host, self.port)).await.unwrap()
    }

    async fn set(&self, hosts: &[&str]) -> Result<Reach, &'static str> {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let set = self.networks.set("t1", Reach::Hosts(hosts), actor()).await;
        set.map_err(|error| error.code())
    }

    async fn audit(&self) -> Vec<String> {
        self.world.store.audit_of("task:t1".to_owned()).await.unwrap()
    }
}

/// In a file: the policy blocks bash's own network where it can read it.
const SCRIPT: &str = r#"
case $1 in
direct) exec 3<>/dev/tcp/127.0.0.1/$2 && echo x >&3 && cat <&3;;
hold) exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'CONNECT %s:%s HTTP/1.0\r\n\r\n' $3 $2 >&3 &&
    head -n 2 <&3 >/dev/null && echo HOLD >&3 && cat <&3;;
*) exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://%s:%s/ HTTP/1.0\r\n\r\n' $1 $2 >&3 && cat <&3;;
esac
"#;

fn asking(host: &str, port: u16) -> String {
    format!("bash ask {host} {port}")
}

#[tokio::test(flavor = "multi_thread")]
async fn off_by_default_and_then_just_the_granted_hosts() {
    let scene = Scene::new(Tier::Full).await;
    assert_eq!(scene.networks.of("t1").await.unwrap(), Reach::Off);
    let off = scene.ask("allowed.test").await;
    assert!(off.exit_code != 0 && off.stdout.is_empty(), "{off:?}");
    let direct = format!("bash ask direct {}; test -z \"$HTTP_PROXY\"", scene.port);
    let direct = scene.run(&direct).await.unwrap();
    assert!(
        direct.exit_code == 0 && direct.stderr.contains("refused"),
        "{direct:?}"
    );

    let now = scene
        .set(&["Allowed.TEST.", "allowed.test", "inner.test"])
        .await
        .unwrap();
    assert_eq!(
        now,
        Reach::Hosts(vec!["allowed.test".into(), "inner.test".into()])
    );
    let before = scene.audit().await.len();
    let reached = scene.ask("allowed.test").await;
    assert!(
        reached.stdout.ends_with("hello") && reached.stderr.is_empty(),
        "{reached:?}"
    );
    let refused = scene
        .run(&format!(
            "{0}; {0}; {1}",
            asking("other.test", scene.port),
            asking("inner.test", 80)
        ))
        .await;
    let refused = refused.unwrap();
    let advice = format!(
        "`pm workspace network t1 allowed.test inner.test other.test:{}`",
        scene.port
    );
    assert!(
        refused.stdout.contains("403 Forbidden") && refused.stdout.contains(&advice),
        "{refused:?}"
    );
    assert!(
        refused.stderr.contains(&advice) && refused.stderr.contains("(2x)"),
        "{refused:?}"
    );
    assert!(
        refused.stderr.contains("inner.test:80 (1x). Private addresses"),
        "{refused:?}"
    );
    assert_eq!(
        scene.audit().await[before..],
        [
            "network.allowed",
            "command.run",
            "network.refused",
            "network.refused",
            "command.run"
        ],
        "a row for each host and command"
    );
    let env = scene
        .run("echo $http_proxy $HTTPS_PROXY $all_proxy $NO_PROXY")
        .await
        .unwrap();
    assert_eq!(
        env.stdout,
        "http://127.0.0.1:3128 http://127.0.0.1:3128 socks5h://127.0.0.1:3128 localhost,127.0.0.1,::1\n"
    );
    let left = std::fs::read_dir(scene.world.home.proxies()).unwrap().count();
    assert_eq!(left, 0, "sockets go with their commands");

    scene.networks.set("t1", Reach::Off, actor()).await.unwrap();
    assert_ne!(scene.ask("allowed.test").await.exit_code, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_whole_network_and_who_has_it_no_longer() {
    let scene = Scene::new(Tier::Full).await;
    let direct = asking("direct", scene.port);
    assert_ne!(scene.run(&direct).await.unwrap().exit_code, 0);
    assert_eq!(
        scene.networks.set("t1", Reach::Full, actor()).await.unwrap(),
        Reach::Full
    );
    assert!(scene.run(&direct).await.unwrap().stdout.ends_with("hello"));
    // One replaces the other.
    let hosts = scene.set(&["allowed.test"]).await.unwrap();
    assert_eq!(hosts, Reach::Hosts(vec!["allowed.test".into()]));
    assert_ne!(scene.run(&direct).await.unwrap().exit_code, 0);
    assert_eq!(
        scene.networks.of("t2").await.unwrap(),
        Reach::Off,
        "another task's is its own"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_granted_meanwhile_counts() {
    let scene = Scene::new(Tier::Full).await;
    scene.set(&["inner.test"]).await.unwrap();
    let text = format!(
        "touch begun; until {} | grep -q hello; do sleep 0.05; done",
        asking("allowed.test", scene.port)
    );
    let granting = async {
        while !scene.workspace.path().join("begun").exists() {
            tokio::task::yield_now().await;
        }
        scene.set(&["allowed.test"]).await.unwrap();
    };
    let granting = tokio::time::timeout(Duration::from_secs(20), granting);
    let (ran, granted) = tokio::join!(scene.run(&text), granting);
    assert!(
        granted.is_ok() && ran.as_ref().is_ok_and(|ran| ran.exit_code == 0),
        "{ran:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_granted_is_refused() {
    let scene = Scene::new(Tier::Full).await;
    for hosts in [
        &["10.0.0.1"][..],
        &["localhost"],
        &["a b"],
        &["ok.test", "http://x/"],
    ] {
        assert_eq!(scene.set(hosts).await, Err("network_rule_invalid"), "{hosts:?}");
    }
    assert_eq!(scene.set(&[]).await, Err("invalid_args"));
    assert_eq!(scene.networks.of("t1").await.unwrap(), Reach::Off);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reduced_tier_has_no_lists() {
    let scene = Scene::new(Tier::Reduced).await;
    assert_eq!(
        scene.set(&["allowed.test"]).await,
        Err("sandbox_network_needs_full")
    );
    // Granted when the machine could do more.
    let kinds = &[store::GrantKind::Network];
    let grant = vec![(store::GrantKind::Network, "allowed.test".to_owned())];
    scene
        .world
        .store
        .set_grants("task:t1".into(), kinds, grant, actor())
        .await
        .unwrap();
    let refused = scene.run("touch made").await.unwrap_err();
    assert_eq!(refused.code(), "sandbox_network_needs_full");
    assert!(!scene.workspace.path().join("made").exists());
    assert_eq!(scene.audit().await.last().unwrap(), "command.refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn unbinding_ends_what_runs_and_takes_the_rights() {
    let scene = Scene::new(Tier::Full).await;
    scene.set(&["allowed.test"]).await.unwrap();
    let started = scene.workspace.path().join("started");
    let running = scene.run("touch started; sleep 60");
    let unbinding = async {
        while !started.exists() {
            tokio::task::yield_now().await;
        }
        scene.world.all.unbind("t1", actor()).await.unwrap();
    };
    let (ran, ()) = tokio::join!(running, unbinding);
    assert_eq!(ran.unwrap_err().code(), "command_cancelled");
    assert_eq!(scene.run("true").await.unwrap_err().code(), "workspace_not_bound");
    // Whoever is bound under this name next begins with nothing.
    assert_eq!(scene.networks.of("t1").await.unwrap(), Reach::Off);
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_are_taken_back_at_once_stay_away() {
    let scene = Scene::new(Tier::Full).await;
    scene.set(&["a.test", "b.test", "c.test"]).await.unwrap();
    let back = |host| {
        let networks = &scene.networks;
        async move {
            networks
                .revoke("t1", store::GrantKind::Network, host, actor())
                .await
                .unwrap()
        }
    };
    assert_eq!(tokio::join!(back("a.test"), back("b.test")), (true, true));
    assert!(!back("a.test").await);
    let left = Reach::Hosts(vec!["c.test".to_owned()]);
    assert_eq!(scene.networks.of("t1").await.unwrap(), left);
}

/// Until a file is there that a command of the task makes.
async fn made(scene: &Scene, name: &str) {
    let path = scene.workspace.path().join(name);
    while !path.exists() {
        tokio::task::yield_now().await;
    }
}

/// All that a terminal says, and its exit code.
async fn screen(terminals: &Terminals, id: &str, until: &str) -> (String, Option<i32>) {
    let (mut from, mut text) = (0, String::new());
    loop {
        let news = terminals.watch(id, from).await.unwrap();
        text.push_str(&String::from_utf8_lossy(&news.bytes));
        from = news.next;
        if news.exit_code.is_some() || (!until.is_empty() && text.contains(until)) {
            return (text, news.exit_code);
        }
    }
}

const SIZE: Size = Size { cols: 80, rows: 24 };

#[tokio::test(flavor = "multi_thread")]
async fn what_has_the_whole_network_ends_when_that_is_taken_back() {
    let scene = Scene::new(Tier::Full).await;
    let terminals = Terminals::new(scene.commands.clone());
    let before = terminals.open(&scene.workspace, SIZE, actor()).await.unwrap();
    assert_eq!(before.network, Extent::Off);
    for (round, less) in [Reach::Hosts(vec!["allowed.test".into()]), Reach::Off]
        .into_iter()
        .enumerate()
    {
        scene.networks.set("t1", Reach::Full, actor()).await.unwrap();
        let full = terminals.open(&scene.workspace, SIZE, actor()).await.unwrap();
        assert_eq!(full.network, Extent::Full);
        let text = format!("touch begun{round}; setsid sleep 99 & sleep 99");
        let taking = async {
            made(&scene, &format!("begun{round}")).await;
            // Saying the same again takes nothing.
            scene.networks.set("t1", Reach::Full, actor()).await.unwrap();
            assert_eq!(
                terminals
                    .list(Some("t1"))
                    .iter()
                    .filter(|one| one.exit_code.is_none())
                    .count(),
                2
            );
            scene.networks.set("t1", less, actor()).await.unwrap();
        };
        let (ran, ()) = tokio::join!(scene.run(&text), taking);
        let error = ran.unwrap_err();
        assert_eq!(
            (error.code(), error.args()["right"].as_str()),
            ("grant_withdrawn", Some("network"))
        );
        let (text, code) = screen(&terminals, &full.id, "").await;
        assert!(
            text.contains("[pm] The full network of this task was taken back") && code.is_some(),
            "{text:?}"
        );
        terminals.close(&full.id).await.unwrap();
    }
    // What never had it goes on.
    terminals.input(&before.id, b"echo o$((1+1))n\r").await.unwrap();
    assert_eq!(screen(&terminals, &before.id, "o2n").await.1, None);
    let noted = async {
        while scene
            .audit()
            .await
            .iter()
            .filter(|action| *action == "terminal.withdrawn")
            .count()
            < 2
        {
            tokio::task::yield_now().await;
        }
    };
    // Written when they have ended.
    tokio::time::timeout(Duration::from_secs(20), noted)
        .await
        .unwrap();
    let details = scene
        .world
        .store
        .audit_details("task:t1".to_owned())
        .await
        .unwrap();
    let opened: Vec<_> = details
        .iter()
        .filter(|detail| detail["terminal"].is_string() && detail["tier"].is_string())
        .collect();
    let networks: Vec<_> = opened
        .iter()
        .map(|detail| detail["network"].as_str().unwrap())
        .collect();
    assert_eq!(networks, ["off", "full", "full"]);
    assert!(
        details.iter().any(|detail| detail["withdrawn"] == "network"),
        "the command's own row"
    );
    assert_eq!(terminals.close_all(None).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_ends_with_the_grant_of_its_host() {
    let scene = Scene::new(Tier::Full).await;
    for less in [Reach::Hosts(vec!["other.test".into()]), Reach::Off] {
        scene.set(&["allowed.test", "other.test"]).await.unwrap();
        let text = format!("bash ask hold {} allowed.test; echo over", scene.port);
        let taking = async {
            scene.held.notified().await;
            // One that stays granted stays open.
            scene.set(&["allowed.test"]).await.unwrap();
            scene.networks.set("t1", less, actor()).await.unwrap();
        };
        let both = async { tokio::join!(scene.run(&text), taking) };
        let (ran, ()) = tokio::time::timeout(Duration::from_secs(20), both)
            .await
            .expect("the connection lives on");
        assert_eq!(ran.unwrap().stdout, "over\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_terminal_asks_for_is_written_down_while_it_is_open() {
    let scene = Scene::new(Tier::Full).await;
    scene.set(&["allowed.test"]).await.unwrap();
    let terminals = Terminals::new(scene.commands.clone());
    let open = terminals.open(&scene.workspace, SIZE, actor()).await.unwrap();
    assert_eq!(open.network, Extent::Hosts);
    let typed = format!("{}\r", asking("other.test", scene.port));
    terminals.input(&open.id, typed.as_bytes()).await.unwrap();
    let noted = async {
        while !scene.audit().await.contains(&"network.refused".to_owned()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), noted)
        .await
        .unwrap();
    assert_eq!(terminals.list(None)[0].exit_code, None);
    assert_eq!(terminals.close_all(None).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_that_gets_no_network_is_in_the_audit() {
    let scene = Scene::new(Tier::Full).await;
    scene.set(&["allowed.test"]).await.unwrap();
    std::fs::remove_dir_all(scene.world.home.proxies()).unwrap();
    let terminals = Terminals::new(scene.commands.clone());
    let refused = terminals.open(&scene.workspace, SIZE, actor()).await.unwrap_err();
    assert_eq!(refused.code(), "workspace_io");
    let details = scene
        .world
        .store
        .audit_details("task:t1".to_owned())
        .await
        .unwrap();
    assert_eq!(scene.audit().await.last().unwrap(), "terminal.open");
    assert_eq!(details.last().unwrap()["why"], "workspace_io");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reason_quotes_no_half_of_a_secret() {
    struct Reads(std::sync::Mutex<Vec<Failure>>);
    impl Asker for Reads {
        async fn ask(&self, question: Question) -> Result<(), Failure> {
            self.0.lock().unwrap().push(question.reason);
            Err(Failure::new("approval_denied"))
        }
        fn starts(&self) {}
    }
    let scene = Scene::new(Tier::Full).await;
    let secret = "k".repeat(300);
    let reads = Reads(std::sync::Mutex::default());
    for command in [
        format!("curl -H {secret} x | sh"),
        format!("eval \"$x\" {secret}"),
        format!("echo {secret}{secret} 'open"),
        format!("rm -rf \"$X\"/* {secret}"),
    ] {
        let request = CommandRequest {
            shown: command.replace(&secret, "***"),
            command,
            timeout_ms: None,
            live: None,
        };
        let (policy, cancel) = (scene.policy.clone(), CancellationToken::new());
        let ran = scene
            .commands
            .run(&scene.workspace, policy, request, actor(), &reads, &cancel)
            .await;
        assert_eq!(ran.unwrap_err().code(), "approval_denied");
    }
    let reasons = reads.0.into_inner().unwrap();
    assert_eq!(reasons.len(), 4);
    for reason in reasons {
        let text = serde_json::json!(reason).to_string();
        assert!(!text.contains("kkkk") && reason.arg("what").is_some(), "{text}");
    }
}
