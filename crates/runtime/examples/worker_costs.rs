//! What a worker costs: cold, from nothing to the result of a trivial tool, its process and engine alone
//! and in each tier; a warm call and the memory of the worker then; many tools at once. Every result is
//! compared. Prints JSON: times in milliseconds, each of them, for who adds up several turns.
//!
//! `worker_costs WORKER cold|warm|many [COUNT]`: WORKER is `pm-worker`. `worker_costs open` is the guest
//! without a wall, for the first figure.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "measures a start without walls as well"
)]

use runtime::guest;
use runtime::host::{Deadline, Host, Mount, Observer, Reach, Tier, ToolSpec};
use runtime::protocol::{FromGuest, Level, Load, Outcome, ToGuest, ToolLoad, read_frame, write_frame};
use sandbox::{Launcher, Walls, detect};
use serde_json::{Map, Value, json};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

const TRIVIAL: &str = "export default { execute({ a }) { return a + 1 } }";
/// What tools usually touch.
const USUAL: &str = "import fs from 'fs'; import path from 'path'; import { promisify } from 'util'; import { Readable } from 'stream';
export default { async execute({ a }) {
  await new Promise((done) => setTimeout(done, 0));
  this.api.logger.info('here', { a }); console.log('%o', { a });
  fs.readdirSync(path.resolve(this.__toolDir)); promisify(fs.stat); Readable.from([a]);
  return Buffer.from('x').length + new URL('http://a/').pathname.length + a - 1 } }";

struct Deaf;

impl Observer for Deaf {
    fn log(&self, _: Level, _: String) {}
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (worker, what, count) = match words[..] {
        ["open"] => {
            guest::serve(sandbox::confine::channel().unwrap());
            return;
        }
        [worker, what] => (worker, what, 100),
        [worker, what, count] => (worker, what, count.parse().unwrap()),
        _ => panic!("worker_costs WORKER cold|warm|many [COUNT]"),
    };
    let worker = Path::new(worker).canonicalize().unwrap();
    let folder = std::env::temp_dir()
        .canonicalize()
        .unwrap()
        .join(format!("pm-worker-costs-{}", std::process::id()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime.block_on(async {
        match what {
            "cold" => cold(&folder, &worker, count).await,
            "warm" => warm(&folder, &worker, count).await,
            "many" => many(&folder, &worker, count).await,
            other => panic!("no such measurement: {other}"),
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{}", Value::from(report));
}

/// A host of each tier that this machine has.
fn hosts(worker: &Path) -> Vec<(&'static str, Host)> {
    [("reduced", Tier::Reduced), ("full", Tier::Full)]
        .into_iter()
        .filter_map(|(name, tier)| {
            let facts = detect().only(tier);
            let walls = || Walls::promised(Launcher::start().unwrap(), facts.clone(), worker.to_path_buf());
            (facts.tier() == tier).then(|| (name, Host::with(walls())))
        })
        .collect()
}

async fn cold(folder: &Path, worker: &Path, rounds: usize) -> Map<String, Value> {
    let mut report = Map::new();
    for (name, source) in [("trivial", TRIVIAL), ("usual", USUAL)] {
        let mut row = Map::new();
        row.insert("open".into(), open(folder, source, rounds).into());
        for (tier, host) in hosts(worker) {
            row.insert(tier.into(), walled(&host, folder, source, rounds).await.into());
        }
        report.insert(name.into(), row.into());
    }
    report
}

/// One worker, called again and again through the host and its wall.
async fn warm(folder: &Path, worker: &Path, calls: usize) -> Map<String, Value> {
    let mut report = Map::new();
    let load = tool(folder, "t", TRIVIAL);
    for (tier, host) in hosts(worker) {
        let spec = spec(folder, &load, "warm");
        run(&host, &spec, 0).await;
        let mut times = Vec::new();
        for n in 0..calls {
            let begin = Instant::now();
            run(&host, &spec, n).await;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        report.insert(
            tier.into(),
            json!({ "times": times, "rss_kb": worker_memory("VmRSS:"), "own_kb": worker_memory("RssAnon:") }),
        );
        host.retire("t");
    }
    report
}

/// So many tools, each in a worker of its own, all asked at the same moment.
async fn many(folder: &Path, worker: &Path, count: usize) -> Map<String, Value> {
    let mut report = Map::new();
    for (tier, host) in hosts(worker) {
        let host = Arc::new(host);
        let specs: Vec<ToolSpec> = (0..count)
            .map(|n| spec(folder, &tool(folder, &format!("t{n}"), TRIVIAL), "many"))
            .collect();
        let begin = Instant::now();
        let mut running = tokio::task::JoinSet::new();
        for (n, spec) in specs.into_iter().enumerate() {
            let host = host.clone();
            running.spawn(async move { run(&host, &spec, n).await });
        }
        while let Some(ended) = running.join_next().await {
            ended.unwrap();
        }
        report.insert(tier.into(), json!(begin.elapsed().as_secs_f64() * 1e3));
    }
    report
}

/// Calls it with `n`, and sees that what comes back is right.
async fn run(host: &Host, spec: &ToolSpec, n: usize) {
    let deadline = Deadline {
        time: Duration::from_secs(30),
        cancel: CancellationToken::new(),
    };
    let finished = host
        .run_tool(spec, &json!({ "a": n }), &deadline, &Deaf)
        .await
        .unwrap();
    assert_eq!(finished.value, n + 1);
}

fn spec(home: &Path, load: &ToolLoad, key: &str) -> ToolSpec {
    ToolSpec {
        mounts: vec![
            Mount::read_only(&load.folder),
            Mount::read_write(load.folder.join("data")),
        ],
        load: load.clone(),
        home: home.to_owned(),
        reach: Reach::nothing(),
        key: key.to_owned(),
        concurrency: 1,
        engine: runtime::host::Engine::QuickJs,
    }
}

/// Of the one `pm-worker` below us that has most, kB: in the full tier others of that name stand between.
fn worker_memory(field: &str) -> u64 {
    let mut open = vec![std::process::id()];
    let mut most = 0;
    while let Some(parent) = open.pop() {
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).unwrap();
        for task in tasks {
            let children = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap();
            for child in children.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()) {
                open.push(child);
                let status = std::fs::read_to_string(format!("/proc/{child}/status")).unwrap();
                let line = status.lines().find_map(|line| line.strip_prefix(field));
                let kb = line
                    .and_then(|line| line.split_whitespace().next())
                    .unwrap_or("0");
                if status.starts_with("Name:\tpm-worker") {
                    most = most.max(kb.parse().unwrap());
                }
            }
        }
    }
    most
}

fn tool(folder: &Path, name: &str, source: &str) -> ToolLoad {
    let folder = folder.join(name);
    let main = format!("{name}.tool.js");
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join(&main), source).unwrap();
    ToolLoad {
        name: name.to_owned(),
        main,
        env: Vec::new(),
        directories: vec![folder.join("data")],
        user_home: PathBuf::from("/nonexistent"),
        data_home: folder.clone(),
        heap: 256 << 20,
        folder,
    }
}

/// The owner's end of the protocol, by hand: nothing but the process and its engine.
fn open(folder: &Path, source: &str, rounds: usize) -> Vec<f64> {
    let load = tool(folder, "t", source);
    let mut times = Vec::new();
    for round in 0..=rounds {
        let begin = Instant::now();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg("open")
            .stdin(OwnedFd::from(theirs))
            .spawn()
            .unwrap();
        write_frame(&ours, &ToGuest::Load(Load::Tool(load.clone())), &[]).unwrap();
        let params = json!({"a": 1});
        write_frame(&ours, &ToGuest::Run { run: 1, params }, &[]).unwrap();
        let outcome = loop {
            if let FromGuest::Done { outcome, .. } = read_frame(&ours).unwrap().unwrap().0 {
                break outcome;
            }
        };
        let took = begin.elapsed();
        assert!(
            matches!(&outcome, Outcome::Ok { value, .. } if value == 2),
            "{outcome:?}"
        );
        child.kill().unwrap();
        child.wait().unwrap();
        // The first round pays for what is then in memory.
        if round > 0 {
            times.push(took.as_secs_f64() * 1e3);
        }
    }
    times
}

async fn walled(host: &Host, folder: &Path, source: &str, rounds: usize) -> Vec<f64> {
    let load = tool(folder, "t", source);
    let mut times = Vec::new();
    for round in 0..=rounds {
        let spec = spec(folder, &load, &round.to_string());
        let begin = Instant::now();
        run(host, &spec, 1).await;
        let took = begin.elapsed();
        host.retire("t");
        if round > 0 {
            times.push(took.as_secs_f64() * 1e3);
        }
    }
    times
}
