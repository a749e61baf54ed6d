//! What the handle, the checks and the history cost over plain reading and writing, as JSON:
//! `cargo xtask bench sandbox` runs it and words it. `file_timing [FOLDER]`.

#![allow(clippy::disallowed_methods, reason = "the plain side of the comparison")]

use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use store::{Actor, Store};
use workspace::files::{ReadRequest, RelPath, Root};
use workspace::{Limits, Workspaces};

const ROUNDS: usize = 41;

type Step<'a> = Box<dyn FnMut() -> Result<(), Box<dyn Error>> + 'a>;

/// Microseconds a call of each step: the medians, and the medians of what each takes longer than the
/// first. All steps take turns in each round, so that whatever else the machine does falls on all.
fn time(steps: &mut [(&'static str, usize, Step)]) -> Result<Value, Box<dyn Error>> {
    let mut times = vec![Vec::new(); steps.len()];
    for _ in 0..ROUNDS {
        for ((_, calls, step), times) in steps.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..*calls {
                step()?;
            }
            times.push(start.elapsed().as_secs_f64() * 1e6 / *calls as f64);
        }
    }
    let plain = times[0].clone();
    let rows = steps.iter().zip(times).map(|((name, ..), times)| {
        let over = times
            .iter()
            .zip(&plain)
            .map(|(time, plain)| time - plain)
            .collect();
        json!({"name": name, "us": median(times), "over_plain_us": median(over)})
    });
    Ok(rows.collect())
}

/// Of the rounds.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn actor() -> Actor {
    Actor {
        kind: "agent".to_owned(),
        name: "timing".to_owned(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let base = std::env::args()
        .nth(1)
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(base)?;
    let base = dir.path().canonicalize()?;
    let runtime = tokio::runtime::Runtime::new()?;
    let home = base::DataHome::at(base.join("home"))?.prepare()?;
    let store = Store::open(&home, 1000)?;
    let all = runtime.block_on(Workspaces::open(store, &home, Limits::default()))?;
    runtime.block_on(all.bind("t", &base.join("ws"), actor()))?;
    let task = all.get("t")?;
    runtime.block_on(task.write("src/deep/small.txt", b"a small file\n".to_vec(), actor()))?;
    let path = base.join("ws/src/deep/small.txt");

    let root = Root::open(&base.join("ws")).map_err(|lost| format!("{lost:?}"))?;
    let by_handle = || -> Result<String, Box<dyn Error>> {
        if !root.is_current() {
            return Err("replaced".into());
        }
        let path = RelPath::parse("read_file", "src/deep/small.txt")?;
        Ok(root.read(&path, ReadRequest::default(), 10 << 20)?.content)
    };
    let as_call = || -> Result<String, Box<dyn Error>> {
        Ok(runtime
            .block_on(task.read("src/deep/small.txt", ReadRequest::default()))?
            .content)
    };
    let expected = std::fs::read_to_string(&path)?;
    if by_handle()? != expected || as_call()? != expected {
        return Err("the same file is read differently".into());
    }
    let reads = time(&mut [
        (
            "open and read",
            2000,
            Box::new(|| Ok(std::fs::read_to_string(&path).map(drop)?)),
        ),
        (
            "by handle, with all checks",
            2000,
            Box::new(|| by_handle().map(drop)),
        ),
        (
            "as a call, on a thread of its own",
            300,
            Box::new(|| as_call().map(drop)),
        ),
    ])?;
    let mut n = 0;
    let writes = time(&mut [
        ("write", 50, Box::new(|| Ok(std::fs::write(&path, "plain")?))),
        (
            "atomic and durable",
            5,
            Box::new(|| {
                Ok(base::atomic::write(
                    &path,
                    b"atomic",
                    base::atomic::Access::Shared,
                )?)
            }),
        ),
        (
            "as a call, with history",
            5,
            Box::new(|| {
                n += 1;
                runtime.block_on(task.write("src/deep/small.txt", format!("{n}").into(), actor()))?;
                Ok(())
            }),
        ),
    ])?;
    println!("{}", json!({"reads": reads, "writes": writes}));
    Ok(())
}
