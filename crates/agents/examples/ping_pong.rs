//! Pairs of agents that send each other numbers, down to nought: what a society does besides thinking. For
//! `cargo xtask bench society`. Arguments: data home, agents, messages of a pair; and where other processes are to
//! answer for the agents over a NATS server, how many of them. Prints JSON.

#![allow(clippy::unwrap_used, reason = "it says what is wrong by ending")]
#![allow(clippy::disallowed_methods, reason = "workers of a benchmark have no walls")]

#[path = "../tests/support/nats.rs"]
mod nats;

use agents::queue::{Asking, Model, Place, Queue, Times, Worker};
use agents::society::{
    AgentId, AtOnce, Budget, Call, Entry, Outcome, Outside, Party, ROOT, Reply, Requirement, Society, State,
    Terms, Who,
};
use async_trait::async_trait;
use base::{DataHome, Failure, Lang};
use llm::{Chat, Message, Picture, Tool};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use store::{Actor, Store};
use tokio_util::sync::CancellationToken;

struct Players {
    agents: u64,
    rounds: u64,
    /// When the last message of each pair was sent, and how long each took to be answered, in seconds.
    clock: Mutex<(HashMap<u64, Instant>, Vec<f64>)>,
    /// Who answers for the agents, where they are no programs of this process.
    asking: Option<Asking>,
}

fn call(nth: usize, name: &str, arguments: &Value) -> Call {
    Call {
        id: nth.to_string(),
        name: name.to_owned(),
        arguments: arguments.to_string(),
        mark: None,
    }
}

impl Players {
    /// The root makes all of them; the second of each pair is told to begin.
    fn hires(&self) -> Vec<Call> {
        let mut calls = vec![call(
            0,
            "create_role",
            &json!({"name": "player", "prompt": "You count down."}),
        )];
        calls.extend((0..self.agents).map(|nth| {
            let begins = if nth % 2 == 1 { self.rounds } else { 0 };
            let brief = json!({"objective": begins.to_string(), "constraints": "-", "inputs": "-", "outputs": "-",
                "completion_criteria": "-"});
            call(nth as usize + 1, "spawn_agent", &json!({"role": "player", "brief": brief}))
        }));
        calls
    }

    /// A player has sent the next number.
    fn sent(&self, agent: AgentId) {
        let pair = agent.0 / 2;
        let mut clock = self.clock.lock().unwrap();
        if let Some(sent) = clock.0.insert(pair, Instant::now()) {
            let took = sent.elapsed().as_secs_f64();
            clock.1.push(took);
        }
    }
}

/// What a player calls when it hears this.
fn answers(agent: AgentId, text: &str) -> Option<Vec<Call>> {
    let number = text.strip_prefix("Objective: ").unwrap_or(text).lines().next()?;
    let number: u64 = number.parse().ok()?;
    if number == 0 {
        return Some(Vec::new());
    }
    // 2 and 3 are a pair, 4 and 5, and so on.
    let partner = agent.0 ^ 1;
    let arguments = json!({"to": partner.to_string(), "text": (number - 1).to_string()});
    Some(vec![call(0, "send_message", &arguments)])
}

/// A model that plays: in another process.
struct Player;

#[async_trait]
impl Model for Player {
    async fn ask(&self, who: &Who, _: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let calls = match chat.messages().last() {
            Some(Message::User { text, .. }) => {
                let told = text.split_once('\n').map_or("", |(_, told)| told);
                answers(who.agent, told).ok_or_else(|| Failure::new("invalid_args"))?
            }
            _ => Vec::new(),
        };
        Ok(Reply {
            calls,
            ..Reply::default()
        })
    }
}

async fn queue(address: String) -> Queue {
    let place = Place {
        address,
        name: "bench".to_owned(),
        secret: None,
    };
    Queue::connect(&place, Times::default()).await.unwrap()
}

/// Questions that a worker answers at once, and that are asked at once.
const AT_ONCE: usize = 32;
const ASKED: usize = 256;

#[async_trait]
impl Outside for Players {
    async fn tools(&self, _: &str) -> Vec<Tool> {
        Vec::new()
    }

    async fn terms(&self, _: Option<&str>) -> Result<Terms, Failure> {
        Ok(Terms {
            window: 1_000_000_000,
            output: 100,
            pictures: false,
            price: (0, 0),
        })
    }

    async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let asking = self.asking.as_ref().ok_or_else(|| Failure::new("model_none"))?;
        let reply = asking.ask(who, service, chat).await?;
        if !reply.calls.is_empty() {
            self.sent(who.agent);
        }
        Ok(reply)
    }

    async fn call(&self, _: &Who, _: &Call, _: CancellationToken) -> Outcome {
        Outcome::default()
    }

    fn again(&self, _: &str) -> bool {
        true
    }

    async fn picture(&self, _: &str) -> Option<Picture> {
        None
    }

    fn program(&self, state: &State, agent: AgentId) -> Option<Reply> {
        if self.asking.is_some() && agent != ROOT {
            return None;
        }
        let calls = match state.mind(agent)?.memory().last()? {
            Entry::Message(_) if agent == ROOT => self.hires(),
            Entry::Message(id) => {
                let calls = answers(agent, &state.message(*id)?.message.text)?;
                if !calls.is_empty() {
                    self.sent(agent);
                }
                calls
            }
            _ => Vec::new(),
        };
        Some(Reply {
            calls,
            ..Reply::default()
        })
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, address] = &arguments[..]
        && word == "worker"
    {
        let queue = queue(address.clone()).await;
        let worker = Worker::new(queue, Arc::new(Player), |_| {}, CancellationToken::new());
        return worker.work(AT_ONCE).await.unwrap();
    }
    let [home, agents, rounds, shared @ ..] = &arguments[..] else {
        panic!("HOME AGENTS ROUNDS [WORKERS]");
    };
    let (agents, rounds): (u64, u64) = (agents.parse().unwrap(), rounds.parse().unwrap());
    let mut workers = Vec::new();
    let server = shared.first().map(|_| nats::Nats::start(&[]));
    let asking = match (&server, shared) {
        (Some(nats::Nats { address, .. }), [count]) => {
            for _ in 0..count.parse::<usize>().unwrap() {
                let own = std::env::current_exe().unwrap();
                let child = std::process::Command::new(own).args(["worker", address]).spawn();
                workers.push(child.unwrap());
            }
            Some(Asking::begin(queue(address.clone()).await).await.unwrap())
        }
        _ => None,
    };
    let at_once = match asking {
        Some(_) => AtOnce {
            asks: ASKED,
            ..AtOnce::default()
        },
        None => AtOnce::default(),
    };
    let store = Store::open(
        &DataHome::at(std::path::Path::new(home))
            .unwrap()
            .prepare()
            .unwrap(),
        1000,
    )
    .unwrap();
    let players = Arc::new(Players {
        agents,
        rounds,
        clock: Mutex::default(),
        asking,
    });
    let society = Society::new(store, players.clone(), at_once);
    let wanted = Requirement {
        title: "ping-pong".to_owned(),
        text: "play".to_owned(),
        lang: Lang::En,
        budget: Budget::default(),
        service: None,
        roles: Vec::new(),
        replays: None,
    };
    let actor = Actor {
        kind: "person".to_owned(),
        name: "bench".to_owned(),
    };
    let begin = Instant::now();
    society.submit("play".to_owned(), wanted, actor).await.unwrap();
    society.settled("play").await.unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let (messages, sum) = society
        .look("play", |state| {
            let sent = state.messages().iter().map(|posted| &posted.message);
            let numbers = sent
                .filter(
                    |one| matches!((one.from, one.to), (Party::Agent(from), Party::Agent(_)) if from != ROOT),
                )
                .map(|one| one.text.parse::<u64>().unwrap());
            numbers.fold((0u64, 0u64), |(count, sum), number| (count + 1, sum + number))
        })
        .await
        .unwrap();
    society.shut_down().await;
    for mut worker in workers {
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    let mut took = std::mem::take(&mut players.clock.lock().unwrap().1);
    took.sort_by(f64::total_cmp);
    let part = |share: f64| {
        took.get((took.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(0.0)
            * 1000.0
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak: u64 = peak.unwrap().trim().trim_end_matches(" kB").parse().unwrap();
    println!(
        "{}",
        json!({"messages": messages, "sum": sum, "seconds": seconds, "p50": part(0.5), "p99": part(0.99), "kb": peak})
    );
}
