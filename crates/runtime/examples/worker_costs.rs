//! What a cold worker costs, from nothing to the result of a trivial tool: its process and engine alone,
//! and in each tier. Prints JSON, times in milliseconds.
//!
//! `worker_costs WORKER [ROUNDS]`: WORKER is `pm-worker`. `worker_costs open` is the guest without a wall,
//! for the first figure.
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
    let mut words = std::env::args_os().skip(1);
    let worker = PathBuf::from(words.next().expect("the worker's path"));
    if worker == Path::new("open") {
        guest::serve(sandbox::confine::channel().unwrap());
        return;
    }
    let worker = worker.canonicalize().unwrap();
    let rounds = words
        .next()
        .map_or(100, |word| word.to_str().unwrap().parse().unwrap());
    let folder = std::env::temp_dir()
        .canonicalize()
        .unwrap()
        .join(format!("pm-worker-costs-{}", std::process::id()));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let report = runtime.block_on(async {
        let mut report = Map::new();
        for (name, source) in [("trivial", TRIVIAL), ("usual", USUAL)] {
            let mut row = Map::new();
            row.insert("open".into(), spread(open(&folder, source, rounds)));
            for (tier, wanted) in [("reduced", Tier::Reduced), ("full", Tier::Full)] {
                let facts = detect().only(wanted);
                if facts.tier() == wanted {
                    let host = Host::with(Walls::promised(Launcher::start().unwrap(), facts, worker.clone()));
                    row.insert(tier.into(), spread(walled(&host, &folder, source, rounds).await));
                }
            }
            report.insert(name.into(), row.into());
        }
        Value::from(report)
    });
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{report}");
}

fn tool(folder: &Path, source: &str) -> ToolLoad {
    let folder = folder.join("t");
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join("t.tool.js"), source).unwrap();
    ToolLoad {
        name: "t".to_owned(),
        main: "t.tool.js".to_owned(),
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
    let load = tool(folder, source);
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
    let load = tool(folder, source);
    let mut times = Vec::new();
    for round in 0..=rounds {
        let spec = ToolSpec {
            mounts: vec![
                Mount::read_only(&load.folder),
                Mount::read_write(load.folder.join("data")),
            ],
            load: load.clone(),
            home: folder.to_owned(),
            reach: Reach::nothing(),
            key: round.to_string(),
            concurrency: 1,
        };
        let deadline = Deadline {
            time: Duration::from_secs(30),
            cancel: CancellationToken::new(),
        };
        let begin = Instant::now();
        let finished = host
            .run_tool(&spec, &json!({"a": 1}), &deadline, &Deaf)
            .await
            .unwrap();
        let took = begin.elapsed();
        assert_eq!(finished.value, 2);
        host.retire("t");
        if round > 0 {
            times.push(took.as_secs_f64() * 1e3);
        }
    }
    times
}

fn spread(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() as f64 * share).ceil() as usize).max(1) - 1];
    json!({ "p50": at(0.5), "p95": at(0.95), "least": times[0], "count": times.len() })
}
