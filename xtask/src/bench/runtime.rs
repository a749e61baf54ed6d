//! What the runtime costs beside node, bun and deno: cold processes to the result of a trivial tool, a
//! warm call and the memory then, 200 tools at once, and work of the CPU alone. The example
//! `worker_costs` measures workers; `benches/peers/cpu.mjs` is the same file in every engine. All results
//! are compared, and engines take turns.

use super::stats::{Samples, ms, ratio};
use crate::{Outcome, node, proc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TURNS: usize = 10;
/// Starts of each in a turn.
const STARTS: usize = 10;
const WARM_CALLS: usize = 2_000;
const AT_ONCE: usize = 200;
const CPU_TURNS: usize = 3;
/// What `held.mjs` adds up to.
const HELD_SUM: u64 = 2_000;

const PEERS: &[Peer] = &[Peer::Node, Peer::Bun, Peer::Deno];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Peer {
    Node,
    Bun,
    Deno,
}

impl Peer {
    fn name(self) -> &'static str {
        match self {
            Peer::Node => "node",
            Peer::Bun => "bun",
            Peer::Deno => "deno",
        }
    }

    /// The engine itself; bun's and deno's are programs that npm brought.
    fn program(self) -> Command {
        match self {
            Peer::Node => proc::program("node"),
            _ => proc::program(
                proc::root()
                    .join("benches/peers/node_modules/.bin")
                    .join(self.name()),
            ),
        }
    }

    fn script(self, name: &str) -> Command {
        let mut command = self.program();
        if self == Peer::Deno {
            command.args(["run", "--quiet", "--allow-all"]);
        }
        command.arg(proc::root().join("benches/peers").join(name));
        command
    }

    /// The tool called once, in a process of its own.
    fn call(self, a: usize) -> Command {
        let mut command = self.script("per-call.mjs");
        command.arg(json!({ "a": a, "b": 1 }).to_string());
        command
    }
}

/// One row of times: who, and its samples.
type Row = (String, Samples);

pub fn run() -> Outcome<String> {
    node::install("benches/peers")?;
    // With `pm`, so that what is shared is built once.
    let packages = ["build", "--release", "-p", "cli", "-p", "runtime"];
    proc::run(
        proc::cargo()
            .args(packages)
            .args(["--bins", "--example", "worker_costs"]),
    )?;
    let mut text = String::from("Beside ours: ");
    let versions: Vec<String> = PEERS
        .iter()
        .map(|peer| {
            let said = proc::ask(peer.program().arg("--version")).ok_or("a peer does not start")?;
            let version = said.lines().next().unwrap_or_default();
            Ok(format!("{} {}", peer.name(), version.trim_start_matches("deno ")))
        })
        .collect::<Outcome<_>>()?;
    writeln!(text, "{}.\n", versions.join(", "))?;
    starts(&mut text)?;
    warm(&mut text)?;
    many(&mut text)?;
    cpu(&mut text)?;
    Ok(text)
}

fn costs(what: &str, count: usize) -> Outcome<Value> {
    let mut command = proc::program(proc::target("release").join("examples/worker_costs"));
    command
        .arg(proc::built("release", "pm-worker"))
        .arg(what)
        .arg(count.to_string());
    let printed = proc::capture(&mut command)?;
    Ok(serde_json::from_str(printed.trim())?)
}

fn starts(text: &mut String) -> Outcome {
    let names = [
        ("pm's engine alone", "trivial", "open"),
        ("pm, reduced walls", "trivial", "reduced"),
        ("pm, full walls", "trivial", "full"),
        (
            "pm's engine alone, a tool with fs, streams, timers",
            "usual",
            "open",
        ),
        ("the same, full walls", "usual", "full"),
    ];
    let mut rows: Vec<Row> = names
        .iter()
        .map(|(name, ..)| ((*name).to_owned(), Samples::default()))
        .collect();
    let mut peers: Vec<Row> = PEERS
        .iter()
        .map(|peer| (peer.name().to_owned(), Samples::default()))
        .collect();
    for turn in 0..TURNS {
        let report = costs("cold", STARTS)?;
        for ((_, tool, tier), (_, samples)) in names.iter().zip(&mut rows) {
            // A tier that this machine has not gives no row.
            for time in report[tool][tier].as_array().into_iter().flatten() {
                samples.add(millis(time)?);
            }
        }
        for (peer, (_, samples)) in PEERS.iter().zip(&mut peers) {
            for start in 0..STARTS {
                let a = turn * STARTS + start;
                let begun = Instant::now();
                let printed = proc::capture(&mut peer.call(a))?;
                samples.add(begun.elapsed());
                right(*peer, a, &printed)?;
            }
        }
    }
    let base = rows.first().and_then(|(_, samples)| samples.percentile(50.0));
    rows.extend(peers);
    rows.retain(|(_, samples)| samples.len() > 0);
    text.push_str(
        "Cold: from starting a process to the result of a trivial tool. Goals: the engine alone 10 ms, behind\n\
         full walls 20 ms.\n\n| | starts | p50, ms | p95, ms | against the engine alone |\n|---|---|---|---|---|\n",
    );
    for (name, samples) in &rows {
        let p50 = samples.percentile(50.0);
        writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            samples.len(),
            ms(p50),
            ms(samples.percentile(95.0)),
            ratio(base, p50)
        )?;
    }
    Ok(())
}

fn right(peer: Peer, a: usize, printed: &str) -> Outcome {
    let said: Value = serde_json::from_str(printed.trim())?;
    if said != json!({ "sum": a + 1 }) {
        return Err(format!("{}: {a} + 1 gave {said}", peer.name()).into());
    }
    Ok(())
}

fn millis(value: &Value) -> Outcome<Duration> {
    let number = value.as_f64().ok_or_else(|| format!("no time: {value}"))?;
    Ok(Duration::from_secs_f64(number.max(0.0) / 1e3))
}

fn warm(text: &mut String) -> Outcome {
    let report = costs("warm", WARM_CALLS)?;
    writeln!(
        text,
        "\nWarm: {WARM_CALLS} calls of the same tool, each through the host, the pipe and the wall; what the process\n\
         holds after them, code of libraries included. Goals: 1 ms, 16 MB.\n\n\
         | | p50, ms | p99, ms | RSS, MB | of it its own |\n|---|---|---|---|---|"
    )?;
    for tier in ["reduced", "full"] {
        let row = &report[tier];
        let mut samples = Samples::default();
        for time in row["times"].as_array().into_iter().flatten() {
            samples.add(millis(time)?);
        }
        if samples.len() > 0 {
            writeln!(
                text,
                "| pm, {tier} walls | {} | {} | {} | {} |",
                ms(samples.percentile(50.0)),
                ms(samples.percentile(99.0)),
                mb(&row["rss_kb"])?,
                mb(&row["own_kb"])?
            )?;
        }
    }
    for peer in PEERS {
        let said: Value = serde_json::from_str(proc::capture(&mut peer.script("held.mjs"))?.trim())?;
        if said["sum"] != HELD_SUM {
            return Err(format!("{} added up to {}", peer.name(), said["sum"]).into());
        }
        writeln!(text, "| {} | | | {} | |", peer.name(), mb(&said["kb"])?)?;
    }
    Ok(())
}

fn mb(kb: &Value) -> Outcome<String> {
    let kb = kb.as_f64().ok_or_else(|| format!("no memory: {kb}"))?;
    Ok(format!("{:.1}", kb / 1024.0))
}

fn many(text: &mut String) -> Outcome {
    writeln!(
        text,
        "\n{AT_ONCE} tools asked at the same moment, each in a worker of its own (64 run at a time, the others\n\
         wait); of the peers as many processes at once. All results were right.\n\n| | all of them, ms |\n|---|---|"
    )?;
    let report = costs("many", AT_ONCE)?;
    for tier in ["reduced", "full"] {
        if let Some(time) = report[tier].as_f64() {
            writeln!(text, "| pm, {tier} walls | {time:.0} |")?;
        }
    }
    for peer in PEERS {
        let begun = Instant::now();
        let running: Vec<Child> = (0..AT_ONCE)
            .map(|a| proc::spawn(peer.call(a).stdout(Stdio::piped())))
            .collect::<Outcome<_>>()?;
        // What one prints fits into its pipe, so none waits for its turn to be read.
        let printed: Vec<_> = running
            .into_iter()
            .map(Child::wait_with_output)
            .collect::<Result<_, _>>()?;
        let took = begun.elapsed();
        for (a, output) in printed.into_iter().enumerate() {
            right(*peer, a, &String::from_utf8(output.stdout)?)?;
        }
        writeln!(text, "| {} | {} |", peer.name(), ms(Some(took)))?;
    }
    Ok(())
}

/// What one engine said of one piece of work.
struct Work {
    name: String,
    result: Value,
    times: Samples,
}

fn cpu(text: &mut String) -> Outcome {
    let mut all: Vec<(&str, Vec<Work>)> = std::iter::once("pm")
        .chain(PEERS.iter().map(|peer| peer.name()))
        .map(|name| (name, Vec::new()))
        .collect();
    for _ in 0..CPU_TURNS {
        for (at, (_, works)) in all.iter_mut().enumerate() {
            let printed = match at.checked_sub(1) {
                None => proc::capture(
                    proc::program(proc::built("release", "pm"))
                        .arg("conformance")
                        .arg(proc::root().join("benches/peers/cpu.mjs")),
                )?,
                Some(peer) => proc::capture(&mut PEERS[peer].script("cpu.mjs"))?,
            };
            add(works, &printed)?;
        }
    }
    text.push_str(&cpu_table(&all)?);
    Ok(())
}

fn add(works: &mut Vec<Work>, printed: &str) -> Outcome {
    for line in printed.lines().filter(|line| line.starts_with('{')) {
        let said: Value = serde_json::from_str(line)?;
        let name = said["name"].as_str().ok_or("work without a name")?;
        let at = match works.iter().position(|work| work.name == name) {
            Some(at) => at,
            None => {
                works.push(Work {
                    name: name.to_owned(),
                    result: said["result"].clone(),
                    times: Samples::default(),
                });
                works.len() - 1
            }
        };
        for time in said["times"].as_array().into_iter().flatten() {
            works[at].times.add(millis(time)?);
        }
    }
    Ok(())
}

/// Fails where an engine came to another result than the first.
fn cpu_table(all: &[(&str, Vec<Work>)]) -> Outcome<String> {
    let mut text = String::from(
        "\nCPU alone, milliseconds, median; all results equal. The last column is what an interpreter costs\n\
         beside the fastest that compiles: for such work a tool says `sandboxType: 'node'`.\n\n| |",
    );
    for (name, _) in all {
        write!(text, " {name} |")?;
    }
    write!(
        text,
        " pm over the fastest |\n|---|{}---|\n",
        "---|".repeat(all.len())
    )?;
    let (first, peers) = all.split_first().ok_or("no engine ran")?;
    for (at, ours) in first.1.iter().enumerate() {
        let half = ours.times.percentile(50.0);
        write!(text, "| {} | {} |", ours.name, ms(half))?;
        let mut best: Option<Duration> = None;
        for (name, works) in peers {
            let work = works.get(at).ok_or_else(|| format!("{name} did less"))?;
            if work.result != ours.result {
                return Err(format!("{}: {name} says {}, pm {}", ours.name, work.result, ours.result).into());
            }
            let time = work.times.percentile(50.0);
            best = best.into_iter().chain(time).min();
            write!(text, " {} |", ms(time))?;
        }
        writeln!(text, " {} |", ratio(best, half))?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_result_is_a_failure_and_the_gap_is_over_the_fastest() {
        let of = |result: u32, time: f64| {
            let mut works = Vec::new();
            let line = json!({ "name": "fib", "result": result, "times": [time, time] });
            add(&mut works, &format!("a line that is none of ours\n{line}\n")).unwrap();
            works
        };
        let table = cpu_table(&[("pm", of(5, 30.0)), ("node", of(5, 2.0)), ("bun", of(5, 3.0))]).unwrap();
        assert!(table.contains("| fib | 30.0 | 2.00 | 3.00 | 15.00x |"), "{table}");
        let wrong = cpu_table(&[("pm", of(5, 30.0)), ("node", of(6, 2.0))]).unwrap_err();
        assert_eq!(wrong.to_string(), "fib: node says 6, pm 5");
        assert!(cpu_table(&[("pm", of(5, 30.0)), ("node", Vec::new())]).is_err());
    }

    #[test]
    fn a_wrong_sum_is_a_failure() {
        assert!(right(Peer::Bun, 4, "{\"sum\":5}\n").is_ok());
        assert!(right(Peer::Bun, 4, "{\"sum\":4}\n").is_err());
    }
}
