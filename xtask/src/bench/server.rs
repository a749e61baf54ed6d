//! Many clients at once: calls a second of a trivial tool and how long each takes, through the MCP
//! endpoint, beside servers written with the TypeScript and the Python SDK that have the same tool.
//!
//! Ours runs it in a worker behind its walls, writes down each run, and checks each call's rights.

use super::machine::{Memory, cpu, memory, memory_below};
use super::mcp::Client;
use super::stats::{Samples, ms};
use super::toolm::{install_adder, peer, peers};
use crate::serve::{Running, Server};
use crate::{Outcome, node, proc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};

const CLIENTS: [usize; 3] = [1, 32, 256];
/// Contestants take turns.
const ROUNDS: usize = 3;
/// Calls of all clients together in one round.
const CALLS: usize = 2_560;
const WARM_UP: usize = 50;

struct Contestant {
    name: &'static str,
    address: String,
    token: Option<String>,
    pid: u32,
    /// By number of clients.
    turns: Vec<Turns>,
}

#[derive(Default)]
struct Turns {
    samples: Samples,
    calls: usize,
    took: Duration,
    /// The processor's time of the server and what it started.
    cpu: Duration,
    /// The most at the end of a turn, with all that it started.
    memory: Memory,
}

pub fn run() -> Outcome<String> {
    let python = node::python_of_clients()?;
    let pm = Server::start("release", prepare)?;
    let typescript = Running::start(peer("session"))?;
    let mut command = proc::program(&python);
    command.arg(peers().join("sdk_server.py"));
    let python = Running::start(command)?;
    let mut contestants = [
        contestant("pm", &pm.address, Some(&pm.token), pm.pid()),
        contestant("TypeScript SDK", &typescript.address, None, typescript.pid()),
        contestant("Python SDK", &python.address, None, python.pid()),
    ];
    for one in &contestants {
        let mut client = Client::connect(&one.address, one.token.as_deref())?;
        for n in 0..WARM_UP {
            once(&mut client, n as i64)?;
        }
    }
    for (at, clients) in CLIENTS.into_iter().enumerate() {
        for _ in 0..ROUNDS {
            for one in &mut contestants {
                turn(one, at, clients)?;
            }
        }
    }
    pm.stop()?;
    Ok(body(&contestants))
}

fn contestant(name: &'static str, address: &str, token: Option<&str>, pid: u32) -> Contestant {
    Contestant {
        name,
        address: address.to_owned(),
        token: token.map(str::to_owned),
        pid,
        turns: CLIENTS.iter().map(|_| Turns::default()).collect(),
    }
}

/// The tool by its own name, and no limit below what is measured.
fn prepare(home: &Path) -> Outcome {
    install_adder(home)?;
    let most = 1_000_000;
    let settings = json!({"server": {
        "toolsByName": true,
        "limits": {"requestsPerMinute": most, "calls": 1_000, "sessions": 1_000},
    }});
    fs::write(home.join("settings.json"), settings.to_string())?;
    Ok(())
}

/// Each client has a connection and a session of its own; all begin together, and end their sessions
/// when memory has been looked at.
fn turn(one: &mut Contestant, at: usize, clients: usize) -> Outcome {
    let (each, barrier) = (CALLS / clients, Barrier::new(clients + 1));
    let (address, token) = (one.address.as_str(), one.token.as_deref());
    let mut connected = Vec::with_capacity(clients);
    for _ in 0..clients {
        connected.push(Client::connect(address, token)?);
    }
    let ((took, worked), measured) = std::thread::scope(|scope| {
        let working: Vec<_> = connected
            .into_iter()
            .enumerate()
            .map(|(nth, mut client)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    let calls = (0..each).map(|n| once(&mut client, (nth * each + n) as i64));
                    // Another thread's: an error is text there.
                    let times = calls.collect::<Outcome<Vec<Duration>>>();
                    times
                        .map(|times| (times, client))
                        .map_err(|error| error.to_string())
                })
            })
            .collect();
        let before = cpu(one.pid);
        barrier.wait();
        let begun = Instant::now();
        let measured: Vec<_> = working.into_iter().map(|thread| thread.join()).collect();
        ((begun.elapsed(), cpu(one.pid).saturating_sub(before)), measured)
    });
    let turns = &mut one.turns[at];
    let mut done = Vec::with_capacity(clients);
    for measured in measured {
        let (times, client) = measured.map_err(|_| format!("a client of {} panicked", one.name))??;
        done.push(client);
        turns.calls += times.len();
        for time in times {
            turns.samples.add(time);
        }
    }
    turns.took += took;
    turns.cpu += worked;
    let (own, below) = (memory(one.pid).unwrap_or_default(), memory_below(one.pid));
    turns.memory.rss = turns.memory.rss.max(own.rss + below.rss);
    turns.memory.pss = turns.memory.pss.max(own.pss + below.pss);
    done.into_iter().try_for_each(Client::close)
}

/// Other numbers every time: a remembered answer would be a wrong one.
fn once(client: &mut Client, n: i64) -> Outcome<Duration> {
    let (a, b) = (n, n * 7 + 1);
    let begun = Instant::now();
    let answer = client.call("adder", &json!({"a": a, "b": b}))?;
    let took = begun.elapsed();
    let answer: Value = serde_json::from_str(&answer)?;
    // A tool of pm is answered with what it took besides.
    let sum = answer.get("sum").or_else(|| answer["result"].get("sum"));
    if sum != Some(&json!(a + b)) {
        return Err(format!("{a} + {b} gave {answer}").into());
    }
    Ok(took)
}

fn body(contestants: &[Contestant]) -> String {
    let mut text = format!(
        "One tool that adds two numbers, called by its name over HTTP; {CALLS} calls a round, {ROUNDS} rounds in \
         which the servers take turns; each client has a connection and a session of its own; every answer is \
         compared. Memory: the server and all that it started, most at the end of a round. CPU: theirs as well. Goals: five times the \
         calls of the TypeScript SDK, 60 MB with 256 clients.\n\n\
         | clients | server | calls/s | against the TypeScript SDK | p50 ms | p99 ms | CPU ms a call | PSS MB |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    let speed = |turns: &Turns| turns.calls as f64 / turns.took.as_secs_f64().max(f64::EPSILON);
    for (at, clients) in CLIENTS.into_iter().enumerate() {
        let peer = contestants.get(1).map_or(f64::NAN, |peer| speed(&peer.turns[at]));
        for one in contestants {
            let turns = &one.turns[at];
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "| {clients} | {} | {:.0} | {:.2}x | {} | {} | {:.2} | {:.1} |",
                one.name,
                speed(turns),
                speed(turns) / peer,
                ms(turns.samples.percentile(50.0)),
                ms(turns.samples.percentile(99.0)),
                turns.cpu.as_secs_f64() * 1e3 / turns.calls.max(1) as f64,
                turns.memory.pss as f64 / 1024.0,
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_sets_each_beside_the_first_peer() {
        let mut two = [contestant("pm", "", None, 0), contestant("other", "", None, 0)];
        for (one, millis) in two.iter_mut().zip([1, 5]) {
            one.turns[0].calls = 1000;
            one.turns[0].took = Duration::from_millis(1000 * millis);
            one.turns[0].samples.add(Duration::from_millis(millis));
            one.turns[0].cpu = Duration::from_millis(500);
            one.turns[0].memory.pss = 2048;
        }
        let text = body(&two);
        assert!(
            text.contains("| 1 | pm | 1000 | 5.00x | 1.00 | 1.00 | 0.50 | 2.0 |"),
            "{text}"
        );
        assert!(
            text.contains("| 1 | other | 200 | 1.00x | 5.00 | 5.00 | 0.50 | 2.0 |"),
            "{text}"
        );
    }
}
