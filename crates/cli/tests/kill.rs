//! kill -9 of the owner, 100 times, while every kind of file is being written. Whatever the
//! moment, each file is the last acknowledged version or the one that was on its way, whole.
//!
//! The histogram says which moments were hit; a kind whose writes were never interrupted fails.
//! And none of the owners' processes, workers and what stands around them, outlives its owner.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "looks at what a kill left"
)]

mod common;

use common::{Home, Served, files_below};
use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wire::{Client, Page, ScriptParams, ToolConfigure, ToolRef, ToolRun, VariableRef};

const ROUNDS: u32 = 100;

/// A tool that stores a number, and whose manifest depends on its source.
fn source(version: u64, depends: bool) -> String {
    format!(
        "const this_is_the_manifest = {depends}; // {version}
        export default {{
            getMetadata: () => ({{ name: 'w', version: '1.0.0', description: 'd' }}),
            getDependencies: () => (this_is_the_manifest ? {{ dep: '{version}.0.0' }} : {{}}),
            getSchema: () => ({{ environment: {{ type: 'object', properties: {{ N: {{ type: 'string', description: 'n' }} }} }} }}),
            execute({{ n }}) {{ this.api.storage.setItem('n', {{ n, pad: 'x'.repeat(20000) }}); return n; }}
        }}"
    )
}

/// Numbers written by one kind of write.
#[derive(Default)]
struct Track {
    sent: AtomicU64,
    acknowledged: AtomicU64,
}

impl Track {
    fn send(&self) -> u64 {
        self.sent.fetch_add(1, Ordering::SeqCst) + 1
    }
    fn acknowledge(&self, n: u64) {
        self.acknowledged.store(n, Ordering::SeqCst);
    }
    fn span(&self) -> (u64, u64) {
        (
            self.acknowledged.load(Ordering::SeqCst),
            self.sent.load(Ordering::SeqCst),
        )
    }
    /// What is on disk is where the next round counts on.
    fn settle(&self, found: u64) {
        self.sent.store(found, Ordering::SeqCst);
        self.acknowledged.store(found, Ordering::SeqCst);
    }
}

type Tracks = BTreeMap<&'static str, Arc<Track>>;

async fn write(client: Client, kind: &'static str, track: Arc<Track>, folder: PathBuf) {
    loop {
        let n = track.send();
        let written = match kind {
            ".env" => {
                let pad = "y".repeat(20_000);
                let values: Map<String, Value> = [
                    ("N".to_owned(), json!(n.to_string())),
                    ("PAD".to_owned(), json!(pad)),
                    ("A_TOKEN".to_owned(), json!(token(n))),
                ]
                .into_iter()
                .collect();
                client
                    .tool_configure(ToolConfigure {
                        tool: "writer".into(),
                        values,
                        remove: Vec::new(),
                    })
                    .await
                    .is_ok()
            }
            "storage.json" => {
                let parameters = [("n".to_owned(), json!(n))].into_iter().collect();
                client
                    .tool_run(ToolRun {
                        tool: "writer".into(),
                        parameters,
                        run: Option::None,
                    })
                    .await
                    .is_ok_and(|run| run.success)
            }
            "package.json" => {
                // The user edits the tool; the next look at it rewrites the manifest.
                let path = folder.join("manifest/manifest.tool.js");
                base::atomic::write(&path, source(n, true).as_bytes(), base::atomic::Access::Shared).unwrap();
                client
                    .tool_show(ToolRef {
                        tool: "manifest".into(),
                    })
                    .await
                    .is_ok()
            }
            _ => {
                let code = format!(
                    "const c = getCanvas(50, 50); c.getContext('2d').fillText('{n}', 5, 20); return {n}"
                );
                let params = ScriptParams {
                    code: code.into(),
                    input: Option::None,
                    run: Option::None,
                };
                client.run_javascript(params).await.is_ok_and(|run| run.success)
            }
        };
        if !written {
            return;
        }
        track.acknowledge(n);
    }
}

/// The number in a file, whole; panics on anything half-written.
fn found(kind: &str, toolbox: &Path, before: u64) -> u64 {
    let read = |path: PathBuf| {
        std::fs::read_to_string(&path)
            .ok()
            .filter(|text| !text.is_empty() || panic!("{path:?} is empty"))
    };
    match kind {
        ".env" => read(toolbox.join("writer/.env")).map_or(before, |text| {
            assert!(
                text.contains(&format!("PAD={}", "y".repeat(20_000))),
                "half an .env"
            );
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("N="))
                .expect("half an .env");
            line.parse().unwrap()
        }),
        "storage.json" => read(toolbox.join("writer/data/storage.json")).map_or(before, |text| {
            let stored: Value = serde_json::from_str(&text).expect("half a storage.json");
            stored["n"]["n"].as_u64().unwrap()
        }),
        "package.json" => read(toolbox.join("manifest/package.json")).map_or(before, |text| {
            let manifest: Value = serde_json::from_str(&text).expect("half a package.json");
            let range = manifest["dependencies"]["dep"].as_str().unwrap();
            range.split('.').next().unwrap().parse().unwrap()
        }),
        // Every picture is a file of its own: their number is what was written.
        _ => {
            let pictures = files_below(&toolbox.join("../artifacts"));
            pictures
                .iter()
                .filter(|path| path.extension().is_some_and(|extension| extension == "png"))
                .count() as u64
        }
    }
}

fn count(map: &mut BTreeMap<(&'static str, &'static str), u32>, kind: &'static str, phase: &'static str) {
    *map.entry((kind, phase)).or_default() += 1;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_owner_leaves_whole_files() {
    // What an owner leaves behind becomes a child of this test and not the system's: so it is
    // told from whatever others have left, without guessing by names.
    set_child_subreaper(Some(getpid())).unwrap();
    let home = Home::new();
    home.put_tool("writer", &source(0, false));
    home.put_tool("manifest", &source(0, true));
    let toolbox = home.path().join("toolbox");
    let tracks: Tracks = [".env", "storage.json", "package.json", "picture"]
        .into_iter()
        .map(|kind| (kind, Arc::default()))
        .collect();
    let mut random = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let mut histogram = BTreeMap::new();
    let mut log_lines = 0;

    for round in 0..ROUNDS {
        let mut served = home.serve();
        check_after_start(&home, &served, round).await;
        let mut writers = tokio::task::JoinSet::new();
        for (kind, track) in &tracks {
            writers.spawn(write(served.client.clone(), kind, track.clone(), toolbox.clone()));
        }
        // The moment is the point: it is drawn, not waited for.
        let moment = Duration::from_micros(random.rng().next_u64() % 250_000);
        tokio::time::sleep(moment).await;
        served.kill();
        while writers.join_next().await.is_some() {}

        for (kind, track) in &tracks {
            let (acknowledged, sent) = track.span();
            let found = found(kind, &toolbox, acknowledged);
            assert!(
                (acknowledged..=sent).contains(&found),
                "{kind}: {found} is not in {acknowledged}..={sent}"
            );
            let phase = match (found == acknowledged, sent == acknowledged) {
                (_, true) => "between two writes",
                (true, false) => "before it was in place",
                (false, false) => "in place, not yet answered",
            };
            count(&mut histogram, kind, phase);
            track.settle(found);
        }
        let left = files_below(&home.path())
            .into_iter()
            .filter(|path| path.to_string_lossy().contains(".pm-tmp-"));
        for path in left {
            let kind = tracks
                .keys()
                .find(|kind| path.to_string_lossy().contains(*kind))
                .copied()
                .unwrap_or("picture");
            count(&mut histogram, kind, "a temporary file left behind");
        }
        log_lines = check_log(&toolbox.join("writer/run.log"), log_lines);
    }

    let mut served = home.serve();
    check_after_start(&home, &served, ROUNDS).await;
    served.kill();
    let left = left_behind();
    assert!(left.is_empty(), "{left:#?}");
    println!("moments hit in {ROUNDS} kills:");
    for ((kind, phase), times) in &histogram {
        println!("  {kind:14} {phase:30} {times}");
    }
    for kind in tracks.keys() {
        let interrupted: u32 = histogram
            .iter()
            .filter(|((of, phase), _)| {
                of == kind && *phase != "between two writes" && !phase.starts_with("a temp")
            })
            .map(|(_, times)| times)
            .sum();
        assert!(
            interrupted >= ROUNDS / 4,
            "{kind}: only {interrupted} of {ROUNDS} kills met a write"
        );
    }
}

fn token(n: impl std::fmt::Display) -> String {
    format!("token-{n}-of-the-writer")
}

/// The secret beside a number is the one that was written with it, and of those that were under way none
/// is left.
async fn check_secret(home: &Home, served: &Served) {
    let Ok(text) = std::fs::read_to_string(home.path().join("toolbox/writer/.env")) else {
        return;
    };
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    assert!(line("A_TOKEN=").starts_with("pm-secret:file/"), "{text}");
    let variable = VariableRef {
        tool: "writer".into(),
        name: "A_TOKEN".into(),
    };
    let kept = served.client.tool_secret(variable).await.unwrap().text;
    assert_eq!(kept, token(line("N=")));
    let index = std::fs::read(home.path().join("secrets/kept.json")).unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    assert_eq!(index["rows"].as_object().unwrap().len(), 1);
}

/// What a start must find and mend: no temporary files, rows and pictures in step.
async fn check_after_start(home: &Home, served: &Served, round: u32) {
    let left: Vec<_> = files_below(&home.path())
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(".pm-tmp-"))
        .collect();
    assert!(left.is_empty(), "round {round}: {left:?}");
    check_secret(home, served).await;
    let rows = served
        .client
        .artifact_list(Page { offset: 0, limit: 1 })
        .await
        .unwrap()
        .total;
    let files = files_below(&home.path().join("artifacts")).len();
    assert_eq!(rows as usize, files, "round {round}: rows and pictures differ");
    for path in files_below(&home.path().join("artifacts")) {
        let reader = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
        let mut reader = png::Decoder::new(reader).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader
            .next_frame(&mut pixels)
            .unwrap_or_else(|error| panic!("{path:?}: {error}"));
        if round < ROUNDS {
            // Read once; the next rounds need not read it again.
            break;
        }
    }
}

/// Lines are whole but for the last, and none that was there is gone.
fn check_log(path: &Path, before: usize) -> usize {
    let Ok(text) = std::fs::read_to_string(path) else {
        return before;
    };
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[..lines.len().saturating_sub(1)] {
        assert!(line.starts_with("[20"), "a torn line in run.log: {line}");
    }
    assert!(lines.len() + 1 >= before, "run.log lost lines");
    lines.len()
}

/// Number and command line of this test's children that are still alive after ten seconds; returns as
/// soon as there are none. One that ends may leave another, so one looks until none is found.
fn left_behind() -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let found = living_children();
        if found.is_empty() || Instant::now() > deadline {
            let line = |pid: &Pid| {
                let number = pid.as_raw_nonzero();
                let line = std::fs::read(format!("/proc/{number}/cmdline")).ok()?;
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                Some(format!("{number} {line}"))
            };
            return found.iter().filter_map(line).collect();
        }
        for pid in found {
            let Ok(child) = pidfd_open(pid, PidfdFlags::empty()) else {
                continue;
            };
            let second = Timespec {
                tv_sec: 1,
                tv_nsec: 0,
            };
            poll(&mut [PollFd::new(&child, PollFlags::IN)], Some(&second)).unwrap();
        }
    }
}

/// Without those that have ended and only wait to be collected.
fn living_children() -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().to_string();
    let child = |entry: std::fs::DirEntry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let mut after_name = stat.rsplit_once(") ")?.1.split(' ');
        let living = after_name.next()? != "Z" && after_name.next()? == own;
        living.then(|| Pid::from_raw(pid))?
    };
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| child(entry.ok()?)).collect()
}
