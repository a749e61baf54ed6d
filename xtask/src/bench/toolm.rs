//! What one call of a trivial tool costs: warm through `toolm` over HTTP, beside the same tool
//! in a node of its own for every call and in a server written with the TypeScript MCP SDK.

use super::machine::{Memory, cpu, memory, memory_below};
use super::mcp::Client;
use super::stats::{Samples, ms, ratio};
use crate::serve::{Running, Server};
use crate::{Outcome, proc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Contestants take turns, so that a noisy minute falls on all of them.
const ROUNDS: usize = 20;
const CALLS_A_ROUND: usize = 100;
/// Starting a process takes so long that fewer calls say as much.
const STARTS_A_ROUND: usize = 5;
const WARM_UP: usize = 100;
const COLD_STARTS: usize = 5;
/// How long a server may settle before its memory is read.
const SETTLE: Duration = Duration::from_secs(3);
/// How long servers do nothing while their time is taken.
const IDLE: Duration = Duration::from_secs(20);

type Call<'a> = Box<dyn FnMut(i64, i64) -> Outcome<Value> + 'a>;

struct Contestant<'a> {
    name: &'static str,
    calls_a_round: usize,
    call: Call<'a>,
    samples: Samples,
}

pub fn run() -> Outcome<String> {
    let cold = cold_starts()?;
    let pm = Server::start("release", install_adder)?;
    let session = Running::start(peer("session"))?;
    let stateless = Running::start(peer("stateless"))?;
    std::thread::sleep(SETTLE);
    let idle = [
        ("`pm serve`", memory(pm.pid())),
        ("SDK server", memory(session.pid())),
    ];
    let quiet =
        [("`pm serve`", pm.pid()), ("SDK server", session.pid())].map(|(name, pid)| (name, pid, cpu(pid)));
    std::thread::sleep(IDLE);
    let quiet = quiet.map(|(name, pid, before)| (name, cpu(pid).saturating_sub(before)));
    let contestants = contest(&pm, &session, &stateless)?;
    std::thread::sleep(SETTLE);
    let after = [
        ("`pm serve`", memory(pm.pid())),
        ("its worker", Some(memory_below(pm.pid()))),
        ("SDK server", memory(session.pid())),
    ];
    pm.stop()?;
    let mut text = body(&contestants, &cold, &idle, &after);
    text.push_str(&at_rest(&quiet));
    Ok(text)
}

/// Runs all rounds; fails at the first answer that is not what the others say.
fn contest<'a>(pm: &Server, session: &Running, stateless: &Running) -> Outcome<Vec<Contestant<'a>>> {
    let mut contestants = vec![
        contestant(
            "`toolm` in pm",
            CALLS_A_ROUND,
            pm_call(Client::connect(&pm.address, Some(&pm.token))?),
        ),
        contestant(
            "SDK server, session",
            CALLS_A_ROUND,
            sdk_call(Client::connect(&session.address, None)?),
        ),
        contestant(
            "SDK server, stateless",
            CALLS_A_ROUND,
            sdk_call(Client::connect(&stateless.address, None)?),
        ),
        contestant("`node` per call", STARTS_A_ROUND, Box::new(node_call)),
    ];
    for contestant in &mut contestants {
        for n in 0..WARM_UP.min(contestant.calls_a_round) {
            (contestant.call)(n as i64, 1)?;
        }
    }
    for round in 0..ROUNDS {
        for contestant in &mut contestants {
            for n in 0..contestant.calls_a_round {
                contestant.once((round * CALLS_A_ROUND + n) as i64)?;
            }
        }
    }
    Ok(contestants)
}

fn contestant<'a>(name: &'static str, calls_a_round: usize, call: Call<'a>) -> Contestant<'a> {
    Contestant {
        name,
        calls_a_round,
        call,
        samples: Samples::default(),
    }
}

impl Contestant<'_> {
    /// Other numbers every time: a remembered answer would be a wrong one.
    fn once(&mut self, n: i64) -> Outcome {
        let (a, b) = (n, n * 7 + 1);
        let begun = Instant::now();
        let answer = (self.call)(a, b)?;
        self.samples.add(begun.elapsed());
        let expected = json!({ "sum": a + b });
        if answer != expected {
            return Err(format!("{}: {a} + {b} gave {answer}, not {expected}", self.name).into());
        }
        Ok(())
    }
}

fn pm_call<'a>(mut client: Client) -> Call<'a> {
    Box::new(move |a, b| {
        let yaml = format!("tool: tool://adder\nmode: execute\nparameters:\n  a: {a}\n  b: {b}");
        let answer: Value = serde_json::from_str(&client.call("toolm", &json!({ "yaml": yaml }))?)?;
        Ok(answer["result"].clone())
    })
}

fn sdk_call<'a>(mut client: Client) -> Call<'a> {
    Box::new(move |a, b| {
        Ok(serde_json::from_str(
            &client.call("adder", &json!({ "a": a, "b": b }))?,
        )?)
    })
}

fn node_call(a: i64, b: i64) -> Outcome<Value> {
    let printed = proc::capture(
        proc::program("node")
            .arg(peers().join("per-call.mjs"))
            .arg(json!({ "a": a, "b": b }).to_string()),
    )?;
    Ok(serde_json::from_str(&printed)?)
}

pub(super) fn peers() -> PathBuf {
    proc::root().join("benches/peers")
}

pub(super) fn peer(mode: &str) -> std::process::Command {
    let mut command = proc::program("node");
    command.arg(peers().join("sdk-server.mjs")).arg(mode);
    command
}

pub(super) fn install_adder(home: &Path) -> Outcome {
    let folder = home.join("toolbox/adder");
    fs::create_dir_all(&folder)?;
    fs::copy(peers().join("adder.tool.js"), folder.join("adder.tool.js"))?;
    Ok(())
}

#[derive(Default)]
struct Cold {
    /// From the start of `pm serve` to its address.
    start: Samples,
    /// The first call after it.
    first: Samples,
    second: Samples,
}

fn cold_starts() -> Outcome<Cold> {
    let mut cold = Cold::default();
    for n in 0..COLD_STARTS {
        let server = Server::start("release", install_adder)?;
        cold.start.add(server.start);
        let mut call = pm_call(Client::connect(&server.address, Some(&server.token))?);
        for samples in [&mut cold.first, &mut cold.second] {
            let begun = Instant::now();
            let answer = call(n as i64, 1)?;
            samples.add(begun.elapsed());
            if answer != json!({ "sum": n + 1 }) {
                return Err(format!("the cold call gave {answer}").into());
            }
        }
        drop(call);
        server.stop()?;
    }
    Ok(cold)
}

type Held = (&'static str, Option<Memory>);

/// What servers take while nobody asks anything of them.
fn at_rest(quiet: &[(&str, Duration)]) -> String {
    let a_second = |took: &Duration| took.as_secs_f64() * 1e3 / IDLE.as_secs_f64();
    let said: Vec<String> = quiet
        .iter()
        .map(|(name, took)| format!("{name} {:.1} ms", a_second(took)))
        .collect();
    format!("\nCPU a second while idle: {}.\n", said.join(", "))
}

fn body(contestants: &[Contestant], cold: &Cold, idle: &[Held], after: &[Held]) -> String {
    let mut text = format!(
        "One tool that adds two numbers (`benches/peers/adder.tool.js`), {ROUNDS} rounds in which the \
         contestants take turns, one client on one kept-alive connection; every answer is compared.\n\n\
         | warm call | calls | p50 ms | p99 ms | p50 against pm |\n|---|---|---|---|---|\n"
    );
    let base = contestants
        .first()
        .and_then(|first| first.samples.percentile(50.0));
    // Writing to a String cannot fail.
    for Contestant { name, samples, .. } in contestants {
        let (p50, p99) = (samples.percentile(50.0), samples.percentile(99.0));
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            samples.len(),
            ms(p50),
            ms(p99),
            ratio(base, p50)
        );
    }
    let _ = write!(
        text,
        "\n| new data home, {COLD_STARTS} times | median ms | worst ms |\n|---|---|---|\n"
    );
    for (name, samples) in [
        ("start of `pm serve` to its address", &cold.start),
        ("first call of the tool (described, worker started)", &cold.first),
        ("second call", &cold.second),
    ] {
        let (middle, worst) = (samples.percentile(50.0), samples.percentile(100.0));
        let _ = writeln!(text, "| {name} | {} | {} |", ms(middle), ms(worst));
    }
    text.push_str("\n| memory | RSS MB | PSS MB |\n|---|---|---|\n");
    for (when, held) in [("idle, before any call", idle), ("after all calls", after)] {
        for (name, memory) in held {
            let mb = |pick: fn(&Memory) -> u64| {
                memory.as_ref().map_or("-".to_owned(), |memory| {
                    format!("{:.1}", pick(memory) as f64 / 1024.0)
                })
            };
            let _ = writeln!(text, "| {name}, {when} | {} | {} |", mb(|m| m.rss), mb(|m| m.pss));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_answer_is_a_failure() {
        let mut right = contestant("right", 1, Box::new(|a, b| Ok(json!({ "sum": a + b }))));
        right.once(4).unwrap();
        assert_eq!(right.samples.len(), 1);
        let mut wrong = contestant("wrong", 1, Box::new(|a, _| Ok(json!({ "sum": a }))));
        assert_eq!(
            wrong.once(4).unwrap_err().to_string(),
            "wrong: 4 + 29 gave {\"sum\":4}, not {\"sum\":33}"
        );
    }

    #[test]
    fn the_report_sets_everything_beside_pm() {
        let mut ours = contestant("ours", 1, Box::new(|_, _| Ok(Value::Null)));
        ours.samples.add(Duration::from_millis(2));
        let mut other = contestant("other", 1, Box::new(|_, _| Ok(Value::Null)));
        other.samples.add(Duration::from_millis(50));
        let memory = Some(Memory { rss: 2048, pss: 1024 });
        let text = body(
            &[ours, other],
            &Cold::default(),
            &[("pm", memory)],
            &[("worker", None)],
        );
        assert!(text.contains("| ours | 1 | 2.00 | 2.00 | 1.00x |"), "{text}");
        assert!(text.contains("| other | 1 | 50.0 | 50.0 | 25.00x |"));
        assert!(text.contains("| pm, idle, before any call | 2.0 | 1.0 |"));
        assert!(text.contains("| worker, after all calls | - | - |"));
        let said = at_rest(&[("pm", Duration::from_millis(50)), ("other", Duration::ZERO)]);
        assert_eq!(said, "\nCPU a second while idle: pm 2.5 ms, other 0.0 ms.\n");
    }
}
