//! What the handle, the checks and the history cost over plain reading and writing. Run it in
//! release: `cargo run --release -p workspace --example file_timing [FOLDER]`.

#![allow(clippy::disallowed_methods, reason = "the plain side of the comparison")]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use store::{Actor, Store};
use workspace::files::{ReadRequest, RelPath, Root};
use workspace::{Limits, Workspaces};

const ROUNDS: usize = 21;

/// Median of the rounds, in microseconds a call.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn time<T>(calls: usize, mut call: impl FnMut() -> Result<T, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..calls {
            call()?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / calls as f64);
    }
    Ok(median(times))
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

    let plain = time(2000, || Ok(std::fs::read_to_string(&path)?))?;
    let root = Root::open(&base.join("ws")).map_err(|lost| format!("{lost:?}"))?;
    let handle = time(2000, || {
        if !root.is_current() {
            return Err("replaced".into());
        }
        let path = RelPath::parse("read_file", "src/deep/small.txt")?;
        Ok(root.read(&path, ReadRequest::default(), 10 << 20)?)
    })?;
    let whole = time(500, || {
        Ok(runtime.block_on(task.read("src/deep/small.txt", ReadRequest::default()))?)
    })?;
    println!("read, plain open              {plain:8.1} us");
    println!(
        "read, by handle with checks   {handle:8.1} us  (+{:.1})",
        handle - plain
    );
    println!(
        "read, as a call (own thread)  {whole:8.1} us  (+{:.1})",
        whole - plain
    );

    let plain = time(200, || Ok(std::fs::write(&path, "plain")?))?;
    let atomic = time(20, || {
        Ok(base::atomic::write(
            &path,
            b"atomic",
            base::atomic::Access::Shared,
        )?)
    })?;
    let mut n = 0;
    let whole = time(20, || {
        n += 1;
        Ok(runtime.block_on(task.write("src/deep/small.txt", format!("{n}").into(), actor()))?)
    })?;
    println!("write, plain                  {plain:8.1} us");
    println!("write, atomic and durable     {atomic:8.1} us");
    println!("write, with history           {whole:8.1} us");
    Ok(())
}
