//! `cargo xtask soak`: clients of all kinds and a team of agents use one server for half an hour without a pause; the
//! memory, handles, threads and processes that it holds must not grow. A whole run writes docs/soak.md.

mod team;

use crate::bench::machine::{self, below, memory};
use crate::bench::mcp::Client;
use crate::serve::{Running, Server};
use crate::{Outcome, Usage, proc};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const WHOLE: u64 = 30;
const CLIENTS: usize = 8;
/// What the talker writes into its log each time.
const LINES: u32 = 200;
/// Requests of one session.
const SESSION: u64 = 40;
const LOOK: Duration = Duration::from_secs(5);
/// How long the server may settle before it is looked at for the last time.
const SETTLE: Duration = Duration::from_secs(20);
/// Growth from the second quarter to the last that still counts as flat: a share and so many kB.
const SHARE: f64 = 0.05;
const KB: f64 = 2048.0;
/// The same for handles, threads and processes.
const PIECES: f64 = 4.0;

/// What the clients do, in turn. Each asks for something else than the one before.
type Work = fn(&mut Client, u64) -> Outcome;
const WORK: &[(&str, Work)] = &[
    ("tool", |client, n| {
        let answer = client.call("adder", &json!({"a": n, "b": 1}))?;
        holds(&answer, &json!(n + 1), "/result/sum")
    }),
    ("tool through toolm", |client, n| {
        let title = format!("soak {n}");
        let add = todo(&json!({"action": "add", "title": title}));
        let id = json_of(&client.call("toolm", &add)?)?["result"]["item"]["id"].clone();
        let gone = todo(&json!({"action": "delete", "id": id}));
        holds(&client.call("toolm", &gone)?, &json!(true), "/success")
    }),
    ("script", |client, n| {
        let answer = client.call(
            "run_javascript",
            &json!({"code": "return input.n * 2", "input": {"n": n}}),
        )?;
        holds(&answer, &json!(n * 2), "")
    }),
    ("failing tool", |client, _| {
        let failed = client.ask("tools/call", &json!({"name": "adder", "arguments": {"a": "x"}}))?;
        is(&failed["isError"], &json!(true))
    }),
    ("lists", |client, _| {
        for (method, list) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
        ] {
            let listed = client.ask(method, &json!({}))?;
            if listed[list].as_array().is_none_or(Vec::is_empty) {
                return Err(format!("{method}: {listed}").into());
            }
        }
        Ok(())
    }),
    ("resource", |client, _| {
        let read = client.ask("resources/read", &json!({"uri": "tool://todolist/manual"}))?;
        is(&read["contents"][0]["uri"], &json!("tool://todolist/manual"))
    }),
    ("talking tool", |client, n| {
        let answer = client.call("talker", &json!({"n": n}))?;
        holds(&answer, &json!(LINES), "/result/lines")
    }),
    // Once it has spoken there is a log.
    ("log", |client, n| {
        client.call("talker", &json!({"n": n}))?;
        let read = client.ask("resources/read", &json!({"uri": "tool://talker/log"}))?;
        let log = read["contents"][0]["text"].as_str().unwrap_or_default();
        match log.contains("line") {
            true => Ok(()),
            false => Err(format!("this is no log of the talker: {log:.200}").into()),
        }
    }),
    ("search", |client, _| {
        let found = client.ask(
            "tools/call",
            &json!({"name": "find_tools", "arguments": {"query": "todo"}}),
        )?;
        is(&found["isError"].as_bool().unwrap_or(false).into(), &json!(false))
    }),
];

pub fn run(words: &[String]) -> Outcome {
    let minutes = match words {
        [] => WHOLE,
        [minutes] => minutes
            .parse()
            .map_err(|_| Usage(format!("not a number of minutes: {minutes}")))?,
        _ => return Err(Usage("soak takes a number of minutes".into()).into()),
    };
    soak(Duration::from_secs(60 * minutes), minutes >= WHOLE)
}

/// As `cargo xtask test --long` runs it.
pub fn all() -> Outcome {
    run(&[])
}

#[derive(Clone, Copy, Debug, Default)]
struct Held {
    seconds: u64,
    own_kb: u64,
    below_kb: u64,
    handles: u64,
    threads: u64,
    processes: u64,
}

/// Its name, where it is found, and how much of it may come: a share, and so many.
type Kind = (&'static str, fn(&Held) -> u64, f64, f64);
const KINDS: &[Kind] = &[
    ("memory of pm, kB", |held| held.own_kb, SHARE, KB),
    ("memory of its workers, kB", |held| held.below_kb, SHARE, KB),
    ("handles", |held| held.handles, 0.0, PIECES),
    ("threads", |held| held.threads, 0.0, PIECES),
    ("processes", |held| held.processes, 0.0, PIECES),
];

fn soak(time: Duration, whole: bool) -> Outcome {
    proc::build_programs(&["--release"])?;
    proc::run(proc::cargo().args(["build", "--release", "-p", "agents", "--example", "team_stub"]))?;
    let commit = commit();
    let models = Running::start(proc::program(proc::built("release", "examples/team_stub")))?;
    let server = Server::start("release", prepare)?;
    let (stop, counts) = (
        AtomicBool::new(false),
        [const { AtomicU64::new(0) }; WORK.len() + 3],
    );
    let begun = Instant::now();
    let (seen, worked) = std::thread::scope(|scope| {
        let (server, models, stop, counts) = (&server, &models, &stop, &counts);
        let clients: Vec<_> = (0..=CLIENTS)
            .map(|nth| {
                scope.spawn(move || {
                    let worked = match nth {
                        CLIENTS => team::works(server, &models.address, stop, &counts[WORK.len() + 2]),
                        nth => client(server, nth as u64, stop, counts),
                    };
                    // One that failed ends the others.
                    stop.store(true, Ordering::Relaxed);
                    // Another thread's: an error is text there.
                    worked.map_err(|error| error.to_string())
                })
            })
            .collect();
        let mut seen = Vec::new();
        while begun.elapsed() < time && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK);
            seen.push(held(server.pid(), begun));
        }
        stop.store(true, Ordering::Relaxed);
        let worked: Vec<_> = clients.into_iter().map(|client| client.join()).collect();
        (seen, worked)
    });
    for one in worked {
        one.map_err(|_| "a client panicked")??;
    }
    std::thread::sleep(SETTLE);
    let after = held(server.pid(), begun);
    server.stop()?;
    let report = report(&commit, &seen, after, &counts)?;
    print!("{report}");
    if whole {
        fs::write(proc::root().join("docs/soak.md"), &report)?;
    }
    let grown: Vec<String> = KINDS.iter().filter_map(|kind| grown(&seen, kind)).collect();
    match grown.is_empty() {
        true => Ok(()),
        false => Err(grown.join("; ").into()),
    }
}

fn prepare(home: &std::path::Path) -> Outcome {
    for name in ["adder", "talker"] {
        let folder = home.join("toolbox").join(name);
        fs::create_dir_all(&folder)?;
        let file = format!("{name}.tool.js");
        fs::copy(proc::root().join("benches/peers").join(&file), folder.join(&file))?;
    }
    // Sessions that are left behind are kept for half a minute whatever comes: more than come in that
    // time, and few enough that there are as many as may be long before the second quarter.
    let (most, sessions) = (10_000_000, 500);
    let settings = json!({
        "server": {"toolsByName": true, "limits": {"requestsPerMinute": most, "calls": 64, "sessions": sessions}},
        // So that trimming is part of what is watched.
        "retention": {"runs": 20_000, "audit": 20_000, "events": 5_000},
    });
    fs::write(home.join("settings.json"), settings.to_string())?;
    Ok(())
}

/// Sessions one after another: half of them are closed, a quarter is left in the middle of a call, and
/// a quarter just goes.
fn client(server: &Server, nth: u64, stop: &AtomicBool, counts: &[AtomicU64]) -> Outcome {
    let (mut n, mut sessions) = (nth * 1_000_000_000, nth);
    while !stop.load(Ordering::Relaxed) {
        let mut client = Client::connect(&server.address, Some(&server.token))?;
        sessions += 1;
        for _ in 0..SESSION {
            n += 1;
            let at = usize::try_from(n)? % WORK.len();
            let (name, work) = WORK[at];
            work(&mut client, n).map_err(|error| format!("{name}: {error}"))?;
            counts[at].fetch_add(1, Ordering::Relaxed);
        }
        // A picture is kept: one a session is enough to see what it leaves behind.
        let drawn = "getCanvas(64, 48).getContext('2d').fillRect(1, 2, 30, 20); return 1";
        holds(
            &client.call("run_javascript", &json!({"code": drawn}))?,
            &json!(1),
            "/result",
        )?;
        counts[WORK.len()].fetch_add(1, Ordering::Relaxed);
        match sessions % 4 {
            0 => {
                let endless = json!({"name": "run_javascript", "arguments": {"code": "for (;;) {}"}});
                client.abandon("tools/call", &endless)?;
                counts[WORK.len() + 1].fetch_add(1, Ordering::Relaxed);
            }
            1 => drop(client),
            _ => client.close()?,
        }
    }
    Ok(())
}

fn todo(parameters: &Value) -> Value {
    let request = json!({"tool": "tool://todolist", "mode": "execute", "parameters": parameters});
    json!({"yaml": request.to_string()})
}

fn json_of(text: &str) -> Outcome<Value> {
    Ok(serde_json::from_str(text)?)
}

fn holds(answer: &str, wanted: &Value, at: &str) -> Outcome {
    let answer = json_of(answer)?;
    is(answer.pointer(at).unwrap_or(&Value::Null), wanted)
        .map_err(|_| format!("{wanted} is not in {answer}").into())
}

fn is(found: &Value, wanted: &Value) -> Outcome {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{found} instead of {wanted}").into()),
    }
}

fn held(pid: u32, begun: Instant) -> Held {
    let entries = |folder: &str| {
        let folder = fs::read_dir(format!("/proc/{pid}/{folder}"));
        folder.map_or(0, |entries| entries.count() as u64)
    };
    let below = below(pid);
    Held {
        seconds: begun.elapsed().as_secs(),
        own_kb: memory(pid).unwrap_or_default().pss,
        below_kb: below
            .iter()
            .filter_map(|pid| memory(*pid))
            .map(|memory| memory.pss)
            .sum(),
        handles: entries("fd"),
        threads: entries("task"),
        processes: below.len() as u64,
    }
}

fn median(seen: &[Held], of: fn(&Held) -> u64) -> f64 {
    let mut values: Vec<u64> = seen.iter().map(of).collect();
    values.sort_unstable();
    values.get(values.len() / 2).map_or(0.0, |value| *value as f64)
}

/// How one kind grew from the second quarter to the last, if that is more than it may.
fn grown(seen: &[Held], (name, of, share, pieces): &Kind) -> Option<String> {
    let quarter = seen.len() / 4;
    let before = median(seen.get(quarter..2 * quarter)?, *of);
    let last = median(seen.get(3 * quarter..)?, *of);
    let most = before * (1.0 + share) + pieces;
    (last > most).then(|| format!("{name}: {before} became {last}, at most {most:.0} is flat"))
}

/// What was built; asked before the half hour in which it may change.
fn commit() -> String {
    let git = |words: &[&str]| proc::ask(proc::program("git").args(words)).unwrap_or_default();
    let changed = match git(&["status", "--porcelain", "--untracked-files=no"]).is_empty() {
        true => "",
        false => ", with changes",
    };
    format!("{}{changed}", git(&["rev-parse", "--short", "HEAD"]).trim())
}

fn report(commit: &str, seen: &[Held], after: Held, counts: &[AtomicU64]) -> Outcome<String> {
    let mut text = format!("# Soak\n\nMade by `cargo xtask soak` at commit {commit}, release build, on\n\n");
    for line in machine::describe() {
        writeln!(text, "- {line}")?;
    }
    let minutes = seen.last().map_or(0, |held| held.seconds) / 60;
    write!(
        text,
        "\n{CLIENTS} clients at once for {minutes} minutes, in sessions of {SESSION} requests, and one team after the \
         other (root, architect, two programmers) that writes and tests a program with sandboxed commands: "
    )?;
    let names = WORK.iter().map(|(name, _)| *name);
    let names = names.chain(["picture", "call left in the middle", "task of a team of agents"]);
    let done: Vec<String> = names
        .zip(counts)
        .map(|(name, count)| format!("{name} {}", count.load(Ordering::Relaxed)))
        .collect();
    writeln!(
        text,
        "{}. Every answer was checked. Medians of each twelfth, and {} s after the last request:\n",
        done.join(", "),
        SETTLE.as_secs()
    )?;
    text.push_str("| until, s |");
    for (name, ..) in KINDS {
        write!(text, " {name} |")?;
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(KINDS.len()));
    text.push('\n');
    for part in seen.chunks(seen.len().div_ceil(12).max(1)) {
        write!(text, "| {} |", part.last().map_or(0, |held| held.seconds))?;
        for (_, of, ..) in KINDS {
            write!(text, " {} |", median(part, *of))?;
        }
        text.push('\n');
    }
    text.push_str("| after |");
    for (_, of, ..) in KINDS {
        write!(text, " {} |", of(&after))?;
    }
    writeln!(
        text,
        "\n\nFlat means: from the second quarter to the last, memory grows by at most {:.0} % and {KB} kB, the \
         others by at most {PIECES}.",
        SHARE * 100.0
    )?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[u64]) -> Vec<Held> {
        let held = |value: &u64| Held {
            handles: *value,
            own_kb: *value,
            ..Held::default()
        };
        values.iter().map(held).collect()
    }

    #[test]
    fn what_grows_is_found_and_what_settles_is_not() {
        let handles = &KINDS[2];
        assert_eq!(handles.0, "handles");
        assert_eq!(grown(&of(&[5, 40, 41, 40, 41, 40, 42, 40]), handles), None);
        let leak = grown(&of(&[5, 6, 10, 12, 14, 16, 18, 20]), handles).unwrap();
        assert!(leak.starts_with("handles: 12 became 20"), "{leak}");
        let memory = &KINDS[0];
        assert_eq!(grown(&of(&[10, 100_000, 100_000, 104_000]), memory), None);
        assert!(grown(&of(&[10, 100_000, 100_000, 110_000]), memory).is_some());
    }
}
