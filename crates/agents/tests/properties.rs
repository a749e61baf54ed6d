//! Whatever models say: no task reaches another, messages are heard once and in their order, budgets hold, who has
//! ended is silent, and a replay of what was kept is what there was.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

use agents::society::{
    AgentId, AgentState, Amounts, Budget, Call, Effect, Entry, Event, Outcome, Party, State,
};
use base::Lang;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const AGENTS: u64 = 8;
const BUDGET: Budget = Budget {
    tokens: Some(3_000),
    money: None,
    time: None,
    calls: Some(90),
    agents: Some(AGENTS - 1),
    depth: Some(3),
};

struct Task {
    state: State,
    kept: Vec<(String, i64)>,
    now: i64,
}

impl Task {
    fn new(id: &str) -> Self {
        let mut task = Task {
            state: State::new(id),
            kept: Vec::new(),
            now: 1_000,
        };
        task.happens(Event::Begun {
            text: format!("task {id}"),
            lang: Lang::En,
            budget: BUDGET,
            service: None,
            roles: Vec::new(),
            replays: None,
        });
        task
    }

    fn happens(&mut self, event: Event) {
        self.one(&event);
        while let Some(event) = self.state.wake(self.now) {
            self.one(&event);
        }
        while let Some(agent) = self.state.next_touched() {
            while let Some(event) = self.state.follows(agent, self.now) {
                self.one(&event);
            }
        }
    }

    fn one(&mut self, event: &Event) {
        self.state.apply(event, self.now);
        self.kept.push((serde_json::to_string(event).unwrap(), self.now));
        assert!(self.kept.len() < 20_000, "it goes on without end");
    }

    /// The agents that wait for something outside, and for what.
    fn effects(&self) -> Vec<(AgentId, Effect)> {
        let agents = self.state.org().agents().map(|(id, _)| id);
        agents
            .filter_map(|id| Some((id, self.state.effect(id)?)))
            .collect()
    }

    /// What comes of the one of them that is chosen.
    fn outside(&mut self, which: usize, text: &str, calls: &[Tried]) {
        let effects = self.effects();
        let Some((agent, effect)) = effects.get(which % effects.len().max(1)).cloned() else {
            return;
        };
        let cost = Amounts {
            tokens: 50,
            calls: 1,
            ..Amounts::default()
        };
        match effect {
            Effect::End => self.happens(Event::Ended { agent }),
            Effect::Ask { .. } => match self.state.lacks(agent, cost) {
                Some(lacks) => self.happens(lacks),
                None => self.happens(Event::Said {
                    agent,
                    text: text.to_owned(),
                    calls: calls
                        .iter()
                        .enumerate()
                        .map(|(nth, tried)| tried.call(nth))
                        .collect(),
                    cost,
                }),
            },
            Effect::Call { call, .. } => self.happens(Event::Gave {
                agent,
                call,
                outcome: Outcome {
                    text: text.to_owned(),
                    ..Outcome::default()
                },
                change: None,
                cost: Amounts {
                    calls: 1,
                    ..Amounts::default()
                },
            }),
        }
    }
}

#[derive(Clone, Debug)]
struct Tried {
    name: &'static str,
    arguments: Value,
}

impl Tried {
    fn call(&self, nth: usize) -> Call {
        Call {
            id: format!("c{nth}"),
            name: self.name.to_owned(),
            arguments: self.arguments.to_string(),
            mark: None,
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Outside {
        which: usize,
        text: String,
        calls: Vec<Tried>,
    },
    Post {
        to: u64,
        text: String,
    },
    Pause,
    Resume,
    Stop {
        agent: u64,
    },
    Later(i64),
}

/// Agents of both tasks, and what is none.
fn name() -> impl Strategy<Value = String> {
    let id = || 0u64..AGENTS + 2;
    prop_oneof![
        3 => id().prop_map(|id| format!("a/{id}")),
        3 => id().prop_map(|id| format!("b/{id}")),
        1 => id().prop_map(|id| id.to_string()),
        1 => Just("user".to_owned()),
        2 => Just("parent".to_owned()),
        1 => "[a-c/0-9 ]{0,6}",
    ]
}

fn tried() -> impl Strategy<Value = Tried> {
    let brief = json!({"objective": "o", "constraints": "c", "inputs": "i", "outputs": "o", "completion_criteria": "d"});
    prop_oneof![
        3 => "[x-z]".prop_map(|name| Tried {
            name: "create_role", arguments: json!({"name": name, "prompt": "p"}),
        }),
        5 => (0u64..12).prop_map(move |role| Tried {
            name: "spawn_agent", arguments: json!({"roleId": role, "brief": brief}),
        }),
        6 => (name(), "[a-z]{1,3}", prop::option::of(0u64..5)).prop_map(|(to, text, delay)| Tried {
            name: "send_message", arguments: json!({"to": to, "text": text, "delaySeconds": delay}),
        }),
        2 => name().prop_map(|agent| Tried { name: "terminate_agent", arguments: json!({"agentId": agent}) }),
        1 => "[a-z]{1,5}".prop_map(|content| Tried {
            name: "put_artifact", arguments: json!({"type": "Integration_Plan", "content": content}),
        }),
        1 => (0u64..4).prop_map(|id| Tried { name: "get_artifact", arguments: json!({"artifact": id}) }),
        1 => Just(Tried { name: "contacts", arguments: json!({}) }),
        1 => prop::option::of(0u64..5).prop_map(|seconds| Tried { name: "wait", arguments: json!({"seconds": seconds}) }),
        2 => Just(Tried { name: "read_file", arguments: json!({"path": "x"}) }),
        1 => Just(Tried { name: "send_message", arguments: json!("what") }),
    ]
}

fn step() -> impl Strategy<Value = (bool, Step)> {
    let one = prop_oneof![
        20 => (0usize..64, "[a-z]{0,3}", prop::collection::vec(tried(), 0..4))
            .prop_map(|(which, text, calls)| Step::Outside { which, text, calls }),
        2 => (0u64..AGENTS, "[a-z]{1,3}").prop_map(|(to, text)| Step::Post { to, text }),
        1 => Just(Step::Pause),
        2 => Just(Step::Resume),
        1 => (2u64..AGENTS).prop_map(|agent| Step::Stop { agent }),
        2 => (0i64..5_000).prop_map(Step::Later),
    ];
    (any::<bool>(), one)
}

impl Task {
    /// What the model of an agent says.
    fn says(&mut self, agent: u64, text: &str, calls: &[(&'static str, Value)]) {
        let calls: Vec<Tried> = calls
            .iter()
            .map(|(name, arguments)| Tried {
                name,
                arguments: arguments.clone(),
            })
            .collect();
        let which = self.effects().iter().position(|(id, _)| id.0 == agent);
        self.outside(which.expect("it is not asked"), text, &calls);
    }

    fn told(&self) -> Vec<&str> {
        let to_user = self
            .state
            .messages()
            .iter()
            .filter(|one| one.message.to == Party::User);
        to_user.map(|one| one.message.text.as_str()).collect()
    }
}

fn hires() -> [(&'static str, Value); 2] {
    let brief = json!({"objective": "o", "constraints": "c", "inputs": "i", "outputs": "o", "completion_criteria": "d"});
    [
        ("create_role", json!({"name": "x", "prompt": "p"})),
        ("spawn_agent", json!({"role": "x", "brief": brief})),
    ]
}

#[test]
fn a_wait_that_was_broken_off_wakes_nobody() {
    let mut task = Task::new("a");
    task.says(1, "", &hires());
    // It is there before the root says that it waits.
    task.says(2, "done", &[]);
    task.says(1, "", &[("wait", json!({"seconds": 60}))]);
    task.says(1, "thanks", &[]);
    assert!(!task.state.is_busy());
    task.now += 61_000;
    assert_eq!(task.state.wake(task.now), None);
}

#[test]
fn an_answer_that_was_held_back_is_told_when_nobody_below_is_at_work() {
    let mut task = Task::new("a");
    task.says(1, "", &hires());
    task.says(2, "", &hires());
    task.says(
        3,
        "",
        &[("send_message", json!({"to": "parent", "text": "finished"}))],
    );
    task.says(1, "", &[]);
    task.says(2, "", &[]);
    // It has heard its child, which still has a word to say.
    task.says(2, "all is done", &[]);
    assert!(task.state.mind(AgentId(1)).unwrap().inbox().is_empty());
    task.says(3, "ok", &[]);
    task.says(1, "delivered", &[]);
    assert_eq!(task.told(), ["delivered"]);
}

#[test]
fn a_turn_that_ends_amid_its_calls_leaves_none_without_a_result() {
    let mut task = Task::new("a");
    let read = || ("read_file", json!({"path": "x"}));
    task.says(1, "", &[read(), read(), read()]);
    task.outside(0, "text", &[]);
    let failure = base::Failure::new("budget_exceeded");
    let rest = agents::society::Rest::Failed { failure };
    task.happens(Event::Rested {
        agent: AgentId(1),
        rest,
    });
    let memory = task.state.mind(AgentId(1)).unwrap().memory();
    let given = memory
        .iter()
        .filter(|entry| matches!(entry, Entry::Gave { .. }))
        .count();
    assert_eq!(given, 3);
}

#[test]
fn what_a_team_allows_is_only_narrowed_and_a_plan_is_shown_before_it_is_confirmed() {
    let mut task = Task {
        state: State::new("a"),
        kept: Vec::new(),
        now: 1_000,
    };
    let role = |name: &str, tools: &[&str]| agents::society::RoleTemplate {
        name: name.to_owned(),
        prompt: "p".to_owned(),
        tools: Some(tools.iter().map(|&tool| tool.to_owned()).collect()),
        service: None,
        confirm: true,
    };
    task.happens(Event::Begun {
        text: "task".to_owned(),
        lang: Lang::En,
        budget: BUDGET,
        service: None,
        roles: vec![role("reader", &["read_file", "list_files"])],
        replays: None,
    });
    let [_, (spawn, mut hired)] = hires();
    hired["role"] = "reader".into();
    let reader = json!({"name": "reader", "tools": ["read_file", "run_command"]});
    let plan = json!({"type": "Integration_Plan", "content": "p"});
    task.says(1, "", &[("create_role", reader), ("put_artifact", plan)]);
    // A word before she was told anything is no answer to the plan.
    task.happens(Event::Posted {
        to: AgentId(1),
        text: "hurry".to_owned(),
    });
    task.says(1, "", &[(spawn, hired.clone())]);
    assert_eq!(task.state.org().agents().count(), 1);
    task.says(1, "here is the plan", &[]);
    task.happens(Event::Posted {
        to: AgentId(1),
        text: "yes".to_owned(),
    });
    task.says(1, "", &[(spawn, hired)]);
    assert_eq!(task.state.org().agents().count(), 2);
    let has = |tool: &str| task.state.has_tool(AgentId(2), tool);
    assert_eq!(
        (has("read_file"), has("run_command"), has("list_files")),
        (true, false, false)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn rules_hold_whatever_models_say(steps in prop::collection::vec(step(), 1..120)) {
        let mut tasks = [Task::new("a"), Task::new("b")];
        for (which, step) in steps {
            let [one, other] = &mut tasks;
            let (task, beside) = if which { (one, other) } else { (other, one) };
            let before = beside.state.clone();
            match step {
                Step::Outside { which, text, calls } => task.outside(which, &text, &calls),
                Step::Post { to, text } => {
                    if task.state.org().acting(AgentId(to)).is_ok() {
                        task.happens(Event::Posted { to: AgentId(to), text });
                    }
                }
                Step::Pause => task.happens(Event::Paused { failure: None }),
                Step::Resume => task.happens(Event::Resumed),
                Step::Stop { agent } => {
                    if task.state.org().agent(AgentId(agent)).is_ok() {
                        task.happens(Event::Stopped { agent: AgentId(agent) });
                    }
                }
                Step::Later(ms) => {
                    task.now += ms;
                    task.happens(Event::Resumed);
                }
            }
            prop_assert_eq!(&beside.state, &before, "a task was reached from another");
        }
        for task in &mut tasks {
            check(task)?;
            let mut again = State::new(task.state.task());
            for (event, at) in &task.kept {
                again.apply(&serde_json::from_str(event).unwrap(), *at);
            }
            while again.next_touched().is_some() {}
            prop_assert_eq!(&again, &task.state, "a replay is another task");
        }
    }
}

fn check(task: &Task) -> Result<(), TestCaseError> {
    let state = &task.state;
    let (other, own) = match state.task() {
        "a" => ("b/", "a/"),
        _ => ("a/", "b/"),
    };
    let agents: BTreeMap<AgentId, AgentState> = state
        .org()
        .agents()
        .map(|(id, agent)| (id, agent.state))
        .collect();
    prop_assert!(agents.len() as u64 <= AGENTS);
    for posted in state.messages() {
        for party in [posted.message.from, posted.message.to] {
            if let Party::Agent(id) = party {
                prop_assert!(agents.contains_key(&id));
            }
        }
    }
    for (id, agent_state) in &agents {
        let agent = state.org().agent(*id).unwrap();
        prop_assert!(agent.depth <= 3);
        let mind = state.mind(*id).unwrap();
        let heard: Vec<u64> = mind
            .memory()
            .iter()
            .filter_map(|entry| match entry {
                Entry::Message(message) => Some(*message),
                _ => None,
            })
            .collect();
        // In the order in which they arrived: as they were sent, but for those that were delayed.
        let prompt: Vec<u64> = heard
            .iter()
            .copied()
            .filter(|message| state.message(*message).unwrap().message.due.is_none())
            .collect();
        prop_assert!(prompt.is_sorted_by(|one, next| one < next), "{heard:?}");
        let mut once = heard.clone();
        once.sort_unstable();
        once.dedup();
        prop_assert_eq!(once.len(), heard.len(), "heard twice");
        for message in heard {
            prop_assert_eq!(state.message(message).unwrap().message.to, Party::Agent(*id));
        }
        for entry in mind.memory() {
            let Entry::Gave { call, outcome } = entry else {
                continue;
            };
            let given: Value = serde_json::from_str(&call.arguments).unwrap();
            let to = given["to"]
                .as_str()
                .or(given["agentId"].as_str())
                .unwrap_or_default()
                .trim();
            if to.starts_with(other) {
                let told: Value = serde_json::from_str(&outcome.text).unwrap();
                prop_assert_eq!(&told["error"], "cross_task_communication_denied");
            }
            prop_assert!(
                to.starts_with(own) || !outcome.text.contains(other),
                "{}",
                outcome.text
            );
        }
        if *agent_state == AgentState::Terminated {
            prop_assert_eq!(state.effect(*id), None);
            prop_assert!(!mind.in_turn());
        }
    }
    let spent = state.spent(agents::society::ROOT);
    prop_assert!(spent.agents < AGENTS && spent.tokens <= 3_000);
    Ok(())
}
