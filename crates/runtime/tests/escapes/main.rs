//! Escapes from a tool's worker and from `run_javascript`, behind the product's own wall, engine and
//! guest, with every check of JavaScript switched off: the worker of `examples/hostile_worker` can
//! make any system call. The same attacks without the wall succeed, or the table says why this
//! machine does not let them.
//!
//! Deliberately not here: the confinement of `sandbox` alone (`crates/sandbox/tests/walls.rs`).
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and starts the hostile program without a wall, too"
)]

mod excuses;
mod pipe;
mod world;

use excuses::not_even_without;
use runtime::host::{Deadline, Host, Observer, RunError, ScriptLimits};
use runtime::protocol::{
    FromGuest, Level, Load, Outcome, ScriptLoad, ScriptRun, ToGuest, read_frame, write_frame,
};
use sandbox::{Launcher, Tier, Walls};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use world::{World, hostile_worker};

const ATTACKS: &str = include_str!("attacks.js");

/// Attack -> errno, 0 for success.
type Said = BTreeMap<String, i64>;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Guest {
    Tool,
    Script,
}

struct Deaf;

impl Observer for Deaf {
    fn log(&self, _: Level, _: String) {}
}

fn limits() -> ScriptLimits {
    ScriptLimits {
        time: Duration::from_secs(30),
        heap: 128 << 20,
        canvas_pixels: 1_000_000,
        result_chars: 200_000,
    }
}

fn said(value: Value) -> Said {
    let Value::Object(all) = value else {
        panic!("{value}")
    };
    let number = |value: &Value| value.as_i64().unwrap_or_else(|| panic!("{value}"));
    all.iter()
        .map(|(name, errno)| (name.clone(), number(errno)))
        .collect()
}

fn script(world: &World, tier: Tier) -> ScriptRun {
    ScriptRun {
        code: format!("return ({ATTACKS})(input)"),
        input: Some(world.scene(Guest::Script, tier)),
    }
}

async fn behind(guest: Guest, tier: Tier) -> Said {
    let facts = sandbox::detect().only(tier);
    assert_eq!(facts.tier(), tier, "this machine cannot: {facts:?}");
    let world = World::new();
    let host = Host::with(Walls::promised(
        Launcher::start().unwrap(),
        facts,
        hostile_worker(),
    ));
    let finished: Result<_, RunError> = match guest {
        Guest::Tool => {
            let deadline = Deadline {
                time: Duration::from_secs(30),
                cancel: CancellationToken::new(),
            };
            let scene = world.scene(guest, tier);
            host.run_tool(&world.tool(), &scene, &deadline, &Deaf).await
        }
        Guest::Script => {
            let script = script(&world, tier);
            host.run_script(&script, &limits(), CancellationToken::new(), &Deaf)
                .await
        }
    };
    said(finished.unwrap().value)
}

/// The same attacks as for `tier`.
fn without(guest: Guest, tier: Tier) -> Said {
    let world = World::new();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut child = Command::new(hostile_worker())
        .arg("open")
        .env_clear()
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    let (load, params) = match guest {
        Guest::Tool => (Load::Tool(world.tool().load), world.scene(guest, tier)),
        Guest::Script => {
            let limits = limits();
            let load = ScriptLoad {
                heap: limits.heap,
                canvas_pixels: limits.canvas_pixels,
                result_chars: limits.result_chars,
            };
            (
                Load::Script(load),
                serde_json::to_value(script(&world, tier)).unwrap(),
            )
        }
    };
    write_frame(&ours, &ToGuest::Load(load), &[]).unwrap();
    write_frame(&ours, &ToGuest::Run { run: 1, params }, &[]).unwrap();
    let outcome = loop {
        match read_frame::<FromGuest>(&ours).unwrap().unwrap().0 {
            FromGuest::Done { outcome, .. } => break outcome,
            FromGuest::Ready | FromGuest::Log { .. } | FromGuest::Progress { .. } => {}
            asked @ (FromGuest::Connect { .. }
            | FromGuest::Resolve { .. }
            | FromGuest::Listen { .. }
            | FromGuest::Accept { .. }
            | FromGuest::Unlisten { .. }
            | FromGuest::Spawn(_)
            | FromGuest::Kill { .. }) => panic!("nobody asked for a network or a program: {asked:?}"),
        }
    };
    drop(ours);
    child.wait().unwrap();
    match outcome {
        Outcome::Ok { value, .. } => said(value),
        Outcome::Failed(failure) => panic!("{failure:?}"),
    }
}

async fn holds(guest: Guest, tier: Tier) {
    let without = tokio::task::spawn_blocking(move || without(guest, tier))
        .await
        .unwrap();
    let behind = behind(guest, tier).await;
    assert_eq!(
        without.keys().collect::<Vec<_>>(),
        behind.keys().collect::<Vec<_>>()
    );
    let (mut proved, mut wrong) = (BTreeMap::from([("raw", 0), ("fs", 0)]), Vec::new());
    for (name, errno) in &without {
        let (kind, attack) = name.split_once('.').unwrap();
        if kind == "harmless" {
            if *errno != 0 || behind[name] != 0 {
                wrong.push(format!("{name}: {errno} without, {} behind", behind[name]));
            }
            continue;
        }
        if behind[name] == 0 {
            wrong.push(format!("{name} SUCCEEDS behind the wall"));
        }
        match (errno, not_even_without(attack, *errno)) {
            (0, _) => *proved.get_mut(kind).unwrap() += 1,
            (_, Some(reason)) => println!("{name} fails without the wall, too: {reason}"),
            (errno, None) => wrong.push(format!("{name} fails without the wall: errno {errno}")),
        }
    }
    println!(
        "{guest:?}, {tier:?}: {proved:?} attacks succeed without the wall and fail behind it: {behind:?}"
    );
    assert!(wrong.is_empty(), "{guest:?}, {tier:?}:\n{}", wrong.join("\n"));
    assert!(proved["raw"] >= 90 && proved["fs"] >= 30, "{proved:?}");
}

#[tokio::test]
async fn a_tool_stays_inside_the_full_tier() {
    holds(Guest::Tool, Tier::Full).await;
}

#[tokio::test]
async fn a_tool_stays_inside_the_reduced_tier() {
    holds(Guest::Tool, Tier::Reduced).await;
}

#[tokio::test]
async fn a_script_stays_inside_the_full_tier() {
    holds(Guest::Script, Tier::Full).await;
}

#[tokio::test]
async fn a_script_stays_inside_the_reduced_tier() {
    holds(Guest::Script, Tier::Reduced).await;
}

/// Where these attacks come from, no product has anything.
#[tokio::test]
async fn the_products_own_worker_makes_no_system_calls_for_javascript() {
    let world = World::new();
    let host = Host::start().unwrap();
    let deadline = Deadline {
        time: Duration::from_secs(30),
        cancel: CancellationToken::new(),
    };
    let failed = host
        .run_tool(
            &world.tool(),
            &world.scene(Guest::Tool, Tier::Full),
            &deadline,
            &Deaf,
        )
        .await
        .unwrap_err();
    assert_eq!(failed.guest().unwrap().name, "TypeError", "{failed:?}");
    let script = ScriptRun {
        code: "return typeof hostile".to_owned(),
        input: None,
    };
    let finished = host
        .run_script(&script, &limits(), CancellationToken::new(), &Deaf)
        .await
        .unwrap();
    assert_eq!(finished.value, "undefined");
}
