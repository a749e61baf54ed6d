//! Where a machine has no wall: commands are refused, unless a person allowed that task to go without.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use base::{Coded, Failure, Lang, LiveLang};
use common::{World, actor};
use sandbox::net::OwnPorts;
use sandbox::{Facts, Launcher, Namespaces, SystemPath, Tier, Walls, Weaker, detect};
use std::sync::Arc;
use store::{Grant, GrantKind};
use tokio_util::sync::CancellationToken;
use workspace::Workspace;
use workspace::command::terminal::{Size, Terminals};
use workspace::command::{Asker, CommandError, CommandOutput, CommandRequest, Commands, Question};
use workspace::network::Networks;
use workspace::policy::Policy;

struct Nobody;

impl Asker for Nobody {
    async fn ask(&self, _: Question) -> Result<(), Failure> {
        Err(Failure::new("approval_denied"))
    }
    fn starts(&self) {}
}

async fn run(commands: &Commands, workspace: &Workspace, text: &str) -> Result<CommandOutput, CommandError> {
    let request = CommandRequest {
        command: text.to_owned(),
        timeout_ms: Some(5000),
        live: None,
        shown: text.to_owned(),
    };
    let policy = Arc::new(Policy::built_in().unwrap());
    let cancel = CancellationToken::new();
    commands
        .run(workspace, policy, request, actor(), &Nobody, &cancel)
        .await
}

fn commands(world: &World, facts: Facts) -> Commands {
    let built = std::env::current_exe().unwrap();
    let program = built.parent().unwrap().with_file_name("examples").join("walled");
    assert!(program.exists(), "it is built by `cargo test -p workspace`");
    let program = program.canonicalize().unwrap();
    let walls = Walls::promised(Launcher::start().unwrap(), facts, program);
    let (own, lang) = (OwnPorts::default(), LiveLang::new(Lang::En));
    let networks = Networks::new(world.store.clone(), &world.home, walls.clone(), own, lang);
    Commands::new(world.store.clone(), walls, world.home.root().to_owned(), networks)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_wall_nothing_runs_until_a_person_says_so() {
    let world = World::new().await;
    let workspace = world.bind("t1").await;
    let other = world.bind("t2").await;
    let facts = detect();
    // What any wall would hide.
    let secret = world.folder("secret");
    std::fs::write(&secret, "seen\n").unwrap();
    let look = format!("cat '{}'", secret.display());
    let commands = |facts| commands(&world, facts);
    let bare = commands(facts.clone().only(Tier::None));
    let terminals = Terminals::new(bare.clone());
    let size = Size { cols: 80, rows: 24 };
    let refused = run(&bare, &workspace, &look).await.unwrap_err();
    assert_eq!(
        (refused.code(), refused.args()["reason"].as_str()),
        ("command_failed", Some("sandbox_unavailable"))
    );
    assert_eq!(
        terminals
            .open(&workspace, size, actor())
            .await
            .unwrap_err()
            .code(),
        "command_failed"
    );

    let grant = Grant {
        subject: "task:t1".into(),
        kind: GrantKind::Unsandboxed,
        value: String::new(),
        code_hash: String::new(),
        actor: actor(),
    };
    world.store.add_grant(grant).await.unwrap();
    let ran = run(&bare, &workspace, &look).await.unwrap();
    assert_eq!(
        (ran.stdout.as_str(), ran.exit_code, ran.tier),
        ("seen\n", 0, Tier::None)
    );
    assert_eq!(
        run(&bare, &other, &look).await.unwrap_err().code(),
        "command_failed",
        "another task"
    );
    let blocked = run(&bare, &workspace, "sudo ls").await.unwrap_err();
    assert_eq!(blocked.code(), "command_blocked", "the rules hold nevertheless");
    let opened = terminals.open(&workspace, size, actor()).await.unwrap();
    assert_eq!(opened.tier, Tier::None);
    assert_eq!(terminals.close_all(None).await, 1);
    if facts.tier() > Tier::None {
        let ran = run(&commands(facts.clone()), &workspace, &look).await.unwrap();
        assert_eq!(
            (ran.tier, ran.stdout.as_str()),
            (facts.tier(), ""),
            "where there is a wall it stands"
        );
    }

    let opened = terminals.open(&workspace, size, actor()).await.unwrap();
    let begun = workspace.path().join("begun");
    let taking = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        assert!(bare.no_longer_without("t1", actor()).await.unwrap());
    };
    let (ran, ()) = tokio::join!(run(&bare, &workspace, "touch begun; sleep 4"), taking);
    let error = ran.unwrap_err();
    assert_eq!(
        (error.code(), error.args()["right"].as_str()),
        ("grant_withdrawn", Some("unsandboxed"))
    );
    terminals.ended(&opened.id).await;
    assert!(terminals.list(None)[0].exit_code.is_some());
    assert!(!bare.no_longer_without("t1", actor()).await.unwrap());
    assert_eq!(
        run(&bare, &workspace, &look).await.unwrap_err().code(),
        "command_failed"
    );
}

/// bubblewrap, but the network stays the host's.
fn without_a_network_wall(world: &World) -> Facts {
    let real = detect();
    let Namespaces::Work { bwrap } = &real.namespaces else {
        panic!("{real:?}")
    };
    let place = world.folder("bwrap");
    let text = format!(
        "#!/bin/bash\noptions=()\nwhile [ \"$1\" != -- ]; do options+=(\"$1\"); shift; done\n\
         exec '{}' \"${{options[@]}}\" --share-net \"$@\"\n",
        bwrap.display()
    );
    // By another program: a file open for writing in a test beside this one could not be run.
    let write = "printf %s \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let mut shell = std::process::Command::new("/bin/sh");
    let made = shell.args(["-c", write, "sh", &text]).arg(&place).status();
    assert!(made.unwrap().success());
    Facts {
        namespaces: Namespaces::Work { bwrap: place },
        ..real
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn walls_that_did_not_hold_are_not_used() {
    let world = World::new().await;
    let workspace = world.bind("t1").await;
    let size = Size { cols: 80, rows: 24 };
    let holed = commands(&world, without_a_network_wall(&world));
    let (tier, weaker) = holed.tier().await;
    assert_eq!((tier, weaker[0]), (Tier::Reduced, Weaker::Unproved));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reach = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    std::fs::write(workspace.path().join("reach"), reach).unwrap();
    let ran = run(&holed, &workspace, "bash ./reach").await.unwrap();
    assert_eq!((ran.tier, ran.exit_code), (Tier::Reduced, 1), "{ran:?}");
    let terminals = Terminals::new(holed);
    let opened = terminals.open(&workspace, size, actor()).await.unwrap();
    assert_eq!(opened.tier, Tier::Reduced);
    terminals.close_all(None).await;

    let mut facts = detect();
    // The canaries of both tiers lie there.
    facts.system.push(SystemPath::Folder("/etc".into()));
    let none = commands(&world, facts);
    assert_eq!(none.tier().await.0, Tier::None);
    let refused = run(&none, &workspace, "true").await.unwrap_err();
    assert_eq!(refused.args()["reason"].as_str(), Some("sandbox_unavailable"));
    let refused = Terminals::new(none)
        .open(&workspace, size, actor())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "command_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_with_git_later_is_told() {
    let world = World::new().await;
    let workspace = world.bind("t1").await;
    let commands = commands(&world, detect());
    // The rules ask about the plain form.
    let made = "git init -q made && git -C made config core.fsmonitor ./evil";
    std::fs::write(workspace.path().join("make"), made).unwrap();
    let ran = run(&commands, &workspace, "sh ./make").await.unwrap();
    assert!(
        ran.stderr.contains("git repository made/.git") && ran.stderr.contains("core.fsmonitor"),
        "{ran:?}"
    );
    let ran = run(&commands, &workspace, "git -C made status").await.unwrap();
    assert!(!ran.stderr.contains("[pm]"), "once: {ran:?}");
    let terminals = Terminals::new(commands);
    let size = Size { cols: 80, rows: 24 };
    let opened = terminals.open(&workspace, size, actor()).await.unwrap();
    let keys = b"git init -q other && git -C other config alias.x !y; exit\r";
    terminals.input(&opened.id, keys).await.unwrap();
    terminals.ended(&opened.id).await;
    let screen = terminals.watch(&opened.id, 0).await.unwrap().bytes;
    let screen = String::from_utf8_lossy(&screen);
    assert!(
        screen.contains("other/.git what runs programs: config: alias.x"),
        "{screen}"
    );
}
