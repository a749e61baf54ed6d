//! A society at its busiest: a thousand agents in pairs that send each other numbers, each message kept, beside
//! AutoGen core, which keeps nothing, and LangGraph with its SQLite checkpointer. No model is asked by anybody; where
//! other processes answer for the agents, each answer goes over NATS with the whole conversation.

use crate::{Outcome, nats, node, proc};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::PathBuf;

const AGENTS: u64 = 1_000;
/// Messages of a pair.
const ROUNDS: u64 = 200;
/// LangGraph is given fewer pairs: it takes minutes for as many.
const FEWER: u64 = 40;
const WORKERS: usize = 3;
/// Contestants take turns.
const TURNS: usize = 3;

struct Contestant {
    name: &'static str,
    keeps: &'static str,
    program: PathBuf,
    script: Option<PathBuf>,
    agents: u64,
    rounds: u64,
    /// Answered by workers in other processes.
    shared: bool,
    turns: Vec<Turn>,
}

struct Turn {
    messages: f64,
    seconds: f64,
    p50: f64,
    p99: f64,
    megabytes: f64,
}

impl Contestant {
    /// Messages a second, of the middle turn.
    fn rate(&self) -> f64 {
        self.middle(|turn| turn.messages / turn.seconds)
    }

    fn middle(&self, of: impl Fn(&Turn) -> f64) -> f64 {
        let mut all: Vec<f64> = self.turns.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }
}

pub fn run() -> Outcome<String> {
    let build = ["build", "--release", "-p", "agents", "--example", "ping_pong"];
    proc::run(proc::cargo().args(build))?;
    let folder = proc::root().join("benches/society");
    let python = node::python(&folder.join("requirements.txt"))?;
    let own = proc::target("release").join("examples/ping_pong");
    let peer = |name, keeps, script: &str, agents| Contestant {
        name,
        keeps,
        program: python.clone(),
        script: Some(folder.join(script)),
        agents,
        rounds: ROUNDS,
        shared: false,
        turns: Vec::new(),
    };
    let ours = |name, shared| Contestant {
        name,
        keeps: "each message, SQLite",
        program: own.clone(),
        script: None,
        agents: AGENTS,
        rounds: ROUNDS,
        shared,
        turns: Vec::new(),
    };
    let mut contestants = [
        ours("agents::society", false),
        ours("the same, 3 workers on NATS", true),
        peer("AutoGen core", "nothing", "autogen_core_peer.py", AGENTS),
        peer("LangGraph", "each step, SQLite", "langgraph_peer.py", FEWER),
    ];
    for _ in 0..TURNS {
        for one in &mut contestants {
            let turn = turn(one)?;
            one.turns.push(turn);
        }
    }
    Ok(body(&contestants))
}

fn turn(one: &Contestant) -> Outcome<Turn> {
    let home = proc::scratch().join("bench-society");
    if home.exists() {
        std::fs::remove_dir_all(&home)?;
    }
    std::fs::create_dir_all(&home)?;
    let mut command = proc::program(&one.program);
    command.args(&one.script).arg(&home);
    command.args([one.agents.to_string(), one.rounds.to_string()]);
    if one.shared {
        command
            .arg(WORKERS.to_string())
            .env("NATS_SERVER", nats::program()?);
    }
    let said: Value = serde_json::from_str(proc::capture(&mut command)?.trim())?;
    let number = |name: &str| {
        said[name]
            .as_f64()
            .ok_or_else(|| format!("{}: no {name}: {said}", one.name))
    };
    // Each number of each pair was sent once.
    let (pairs, rounds) = (one.agents / 2, one.rounds);
    let (messages, sum) = (pairs * rounds, pairs * rounds * (rounds - 1) / 2);
    if (number("messages")?, number("sum")?) != (messages as f64, sum as f64) {
        return Err(format!(
            "{}: {messages} messages with the sum {sum} were to be sent: {said}",
            one.name
        )
        .into());
    }
    Ok(Turn {
        messages: messages as f64,
        seconds: number("seconds")?,
        p50: number("p50")?,
        p99: number("p99")?,
        megabytes: number("kb")? / 1024.0,
    })
}

fn body(contestants: &[Contestant]) -> String {
    let mut body = format!(
        "{AGENTS} agents in pairs, {ROUNDS} messages a pair, all pairs at once; LangGraph {FEWER} agents, pair after\n\
         pair (it has no others at once in one graph). Over NATS each message is two questions with the whole\n\
         conversation, and the memory is the owner's. The middle of {TURNS} turns; numbers and their sum are the same\n\
         for each. *To the answer*: from a message to the one that answers it, with all others in the queue.\n\n\
         | | keeps | messages/s | to the answer p50 / p99 | memory | ours is |\n|---|---|---:|---:|---:|---:|\n"
    );
    let ours = contestants.first().map_or(0.0, Contestant::rate);
    for one in contestants {
        let _ = writeln!(
            body,
            "| {} | {} | {:.0} | {:.2} / {:.2} ms | {:.0} MB | {:.1}x |",
            one.name,
            one.keeps,
            one.rate(),
            one.middle(|turn| turn.p50),
            one.middle(|turn| turn.p99),
            one.middle(|turn| turn.megabytes),
            ours / one.rate(),
        );
    }
    body.push_str("\nGoals: at least 10x LangGraph, at least 3x AutoGen core.\n");
    body
}
