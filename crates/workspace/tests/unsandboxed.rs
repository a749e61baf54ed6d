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
use sandbox::{Launcher, Tier, detect};
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
    let built = std::env::current_exe().unwrap();
    let program = built.parent().unwrap().with_file_name("examples").join("walled");
    assert!(program.exists(), "it is built by `cargo test -p workspace`");
    let commands = |tier| {
        Commands::new(
            world.store.clone(),
            Launcher::start().unwrap(),
            facts.clone().only(tier),
            program.canonicalize().unwrap(),
            world.home.root().to_owned(),
            Networks::new(
                world.store.clone(),
                &world.home,
                tier,
                OwnPorts::default(),
                LiveLang::new(Lang::En),
            ),
        )
    };
    let bare = commands(Tier::None);
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
        let ran = run(&commands(facts.tier()), &workspace, &look).await.unwrap();
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
