//! Code that wants to stay, to be heard at any price, or to take its surroundings with it. Each ends
//! within its limit and a quarter of a second, says how it ended, and the host goes on.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod cases;
#[path = "../support/mod.rs"]
mod support;

use base::Coded;
use cases::{CASES, Case, Where};
use runtime::host::{Deadline, Observer, RunError, ScriptLimits, ToolSpec};
use runtime::protocol::{Level, ScriptRun};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::processes::remains;
use support::stillness::Stillness;
use support::{Home, limits};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

/// What a run may last beyond its limit: 200 ms until it is killed, and its end.
const BEYOND: Duration = Duration::from_millis(250);

/// Runs that are timed have the machine for themselves: these tests would otherwise run beside each other.
static ALONE: Mutex<()> = Mutex::const_new(());

/// How long something took of the time in which this machine did not stand still.
struct Watch {
    still: Stillness,
    begin: Instant,
}

impl Watch {
    fn begin() -> Self {
        Watch {
            still: Stillness::watch(),
            begin: Instant::now(),
        }
    }

    /// In milliseconds; too late is an error.
    fn beyond(self, limit: Duration) -> Result<u128, String> {
        let (took, lost) = (self.begin.elapsed(), self.still.lost());
        let beyond = took.saturating_sub(limit + lost);
        // However busy the machine: a run that is never ended has no excuse.
        match beyond <= BEYOND && took <= limit + BEYOND * 8 {
            true => Ok(beyond.as_millis()),
            false => Err(format!(
                "{beyond:?} beyond the limit, and the machine stood still for {lost:?}"
            )),
        }
    }
}

/// Hears everything and keeps nothing but its size.
#[derive(Default)]
struct Ear {
    logged: AtomicUsize,
    progress: AtomicUsize,
    told: AtomicUsize,
}

impl Ear {
    /// What is heard of one run is bounded, whatever it says.
    fn too_much(&self) -> Option<String> {
        let heard = [&self.logged, &self.progress, &self.told].map(|count| count.load(Ordering::Relaxed));
        let [logged, progress, told] = heard;
        (logged > 9 << 20 || progress > 1000 || told > 1 << 20).then(|| format!("heard too much: {heard:?}"))
    }
}

impl Observer for Ear {
    fn log(&self, _: Level, text: String) {
        self.logged.fetch_add(text.len(), Ordering::Relaxed);
    }
    fn progress(&self, _: f64, _: Option<f64>, text: Option<String>) {
        self.progress.fetch_add(1, Ordering::Relaxed);
        self.told
            .fetch_add(text.map_or(0, |text| text.len()), Ordering::Relaxed);
    }
}

fn hostile(home: &Home, name: &str, body: &str) -> ToolSpec {
    let source = format!(
        "import {{ createRequire }} from 'module'; const require = createRequire(import.meta.url);
         let runs = 0;
         export default {{ async execute({{ quiet }}) {{ const self = this; runs++; if (quiet) return runs; {body}\n }} }}"
    );
    let mut spec = home.tool(name, &source);
    std::fs::write(spec.load.folder.join("part.mjs"), "export const a = [1, 2, 3];").unwrap();
    spec.load.heap = 128 << 20;
    spec.key = format!("{name} {}", source.len());
    spec
}

async fn in_a_tool(
    home: &Home,
    spec: &ToolSpec,
    params: Value,
    limit: Duration,
    ear: &Ear,
) -> Result<Value, RunError> {
    let deadline = Deadline {
        time: limit,
        cancel: CancellationToken::new(),
    };
    Ok(home.host.run_tool(spec, &params, &deadline, ear).await?.value)
}

async fn in_a_script(home: &Home, body: &str, limit: Duration, ear: &Ear) -> Result<Value, RunError> {
    let script = ScriptRun {
        code: body.to_owned(),
        input: None,
    };
    let limits = ScriptLimits {
        time: limit,
        ..limits()
    };
    let cancel = CancellationToken::new();
    Ok(home.host.run_script(&script, &limits, cancel, ear).await?.value)
}

fn ending<T>(result: &Result<T, RunError>) -> &'static str {
    result.as_ref().map_or_else(Coded::code, |_| cases::OK)
}

const QUIET: Duration = Duration::from_secs(20);

/// What is wrong with how it ended.
async fn tried_in_a_tool(home: &Home, case: &Case, nth: usize) -> Result<String, String> {
    let limit = Duration::from_millis(case.limit);
    let spec = hostile(home, &format!("t{nth}"), case.body);
    let ear = Ear::default();
    // Warm: what is measured is the end of a run.
    let before = in_a_tool(home, &spec, json!({"quiet": true}), QUIET, &ear).await;
    if before.as_ref().ok() != Some(&json!(1)) {
        return Err(format!("before: {before:?}"));
    }
    let watch = Watch::begin();
    let result = in_a_tool(home, &spec, json!({}), limit, &ear).await;
    let beyond = watch.beyond(limit);
    let end = ending(&result);
    if !case.ends.contains(&end) {
        return Err(format!("{end}: {result:?}"));
    }
    let after = in_a_tool(home, &spec, json!({"quiet": true}), QUIET, &ear).await;
    let poisoned = case.name.contains("poison") || case.name.contains("prototype");
    if after.is_err() && !poisoned {
        return Err(format!("after {end}: {after:?}"));
    }
    home.host.retire(&spec.load.name);
    if let Some(more) = ear.too_much() {
        return Err(more);
    }
    Ok(format!("{end}, {} ms beyond", beyond?))
}

async fn tried_in_a_script(home: &Home, case: &Case) -> Result<String, String> {
    let limit = Duration::from_millis(case.limit);
    let ear = Ear::default();
    let first = in_a_script(home, "return 1", limit, &ear).await;
    first.map_err(|error| format!("before: {error:?}"))?;
    let ready = async {
        while home.host.warm() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(QUIET, ready).await.unwrap();
    let watch = Watch::begin();
    let result = in_a_script(home, case.body, limit, &ear).await;
    let beyond = watch.beyond(limit);
    let end = ending(&result);
    if !case.ends.contains(&end) {
        return Err(format!("{end}: {result:?}"));
    }
    Ok(format!("{end}, {} ms beyond", beyond?))
}

#[tokio::test]
async fn every_hostile_tool_ends_in_time() {
    let _alone = ALONE.lock().await;
    let home = Home::new();
    let honest = home.tool("honest", "export default { execute() { return 'here' } }");
    let (mut count, mut wrong) = (0, Vec::new());
    for (nth, case) in CASES
        .iter()
        .enumerate()
        .filter(|(_, case)| case.place != Where::Script)
    {
        match tried_in_a_tool(&home, case, nth).await {
            Ok(how) => println!("{}: {how}", case.name),
            Err(what) => wrong.push(format!("{}: {what}", case.name)),
        }
        assert_eq!(
            home.run(&honest, json!({})).await.unwrap(),
            json!("here"),
            "{}",
            case.name
        );
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 60, "{count}");
}

#[tokio::test]
async fn every_hostile_script_ends_in_time() {
    let _alone = ALONE.lock().await;
    let home = Home::new();
    let (mut count, mut wrong) = (0, Vec::new());
    for case in CASES.iter().filter(|case| case.place != Where::Tool) {
        match tried_in_a_script(&home, case).await {
            Ok(how) => println!("{}: {how}", case.name),
            Err(what) => wrong.push(format!("{}: {what}", case.name)),
        }
        count += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 30, "{count}");
}

/// Who parses before the engine does has a stack, too, and does not look at how much of it is left: such
/// source may end its process.
#[tokio::test]
async fn source_that_is_nested_deep_ends_its_own_run_alone() {
    let _alone = ALONE.lock().await;
    let home = Home::new();
    let ear = Ear::default();
    let honest = home.tool("honest", "export default { execute() { return 'here' } }");
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("`${", "}`"),
        ("!", ""),
        ("a?b:", "c"),
        ("x=>", ""),
    ] {
        let right = [cases::OK, cases::THROWN, cases::NOT_JSON, cases::CRASHED];
        let depth = 19_900 / (open.len() + close.len());
        let code = format!("return {}1{}", open.repeat(depth), close.repeat(depth));
        let ended = in_a_script(&home, &code, QUIET, &ear).await;
        println!("{open}: script {}", ending(&ended));
        assert!(right.contains(&ending(&ended)), "{open}: {ended:?}");
        let depth = 1_000_000;
        for kind in ["import 'fs'; export default ", "module.exports = "] {
            let code = format!("{kind}{}1{}", open.repeat(depth), close.repeat(depth));
            let spec = home.tool("nested", &code);
            let ended = in_a_tool(&home, &spec, json!({}), QUIET, &ear).await;
            println!("{open}: {kind} {}", ending(&ended));
            assert!(right.contains(&ending(&ended)), "{open}: {kind} {ended:?}");
            assert_eq!(home.run(&honest, json!({})).await.unwrap(), json!("here"));
        }
    }
}

/// What quick ends there are, and among them some that need a kill.
const MIXED: &[(&str, u64)] = &[
    ("return runs", 5_000),
    ("throw new Error('no')", 5_000),
    ("for (;;);", 10),
    ("return new Promise(() => {})", 5_000),
    ("const f = () => Promise.resolve().then(f); await f()", 10),
    ("process.exit(1)", 5_000),
    (
        "setTimeout(() => { throw 1 }, 0); return new Promise(() => {})",
        5_000,
    ),
    ("console.log('x'.repeat(1e6)); return 'y'.repeat(1e6)", 5_000),
    ("return new Uint8Array(1e9)", 5_000),
    ("return /(a+)+$/.test('a'.repeat(60) + 'b')", 10),
];
/// One in so many is one that has to be killed.
const KILLED: (&str, u64) = ("return Array(2 ** 32 - 1).join('')", 10);
const ROUNDS: usize = 1000;
/// What the owner's memory may have grown by between the two looks. One page of garbage for each run would
/// be 3 MiB.
const GROWTH: usize = 8 << 10;

/// In KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()));
        }
        found.push(entry.path());
    }
    found.sort();
    found
}

#[tokio::test]
async fn a_thousand_in_a_row_leave_nothing() {
    let _alone = ALONE.lock().await;
    let home = Home::new();
    let specs: Vec<ToolSpec> = (MIXED.iter().chain([&KILLED]).enumerate())
        .map(|(nth, (body, _))| hostile(&home, &format!("m{nth}"), body))
        .collect();
    let ear = Ear::default();
    let (before, mut early) = (files_below(&home.root()), (0, 0));
    for round in 0..ROUNDS {
        let nth = if round % 25 == 24 {
            MIXED.len()
        } else {
            round % MIXED.len()
        };
        let limit = MIXED.get(nth).unwrap_or(&KILLED).1;
        let _ = in_a_tool(&home, &specs[nth], json!({}), Duration::from_millis(limit), &ear).await;
        let after = in_a_tool(&home, &specs[nth], json!({"quiet": true}), QUIET, &ear).await;
        assert!(
            after.is_ok(),
            "round {round}, {}: {after:?}",
            MIXED.get(nth).unwrap_or(&KILLED).0
        );
        if round == 200 {
            early = (resident(), open_files());
        }
    }
    let late = (resident(), open_files());
    println!(
        "resident at 200: {} KiB, at {ROUNDS}: {} KiB; open files {} and {}",
        early.0, late.0, early.1, late.1
    );
    assert!(late.0 < early.0 + GROWTH, "{} KiB more", late.0 - early.0);
    // A worker that is ending may still have its own.
    assert!(late.1 <= early.1 + 16, "{early:?}, {late:?}");
    assert_eq!(files_below(&home.root()), before);

    home.host.shut_down();
    let gone = async {
        while remains() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(QUIET, gone)
        .await
        .expect("processes are left");
}
