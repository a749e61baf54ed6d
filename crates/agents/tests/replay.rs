//! A task that is done again with the answers that were kept: the same task, and no model is asked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

mod common;

use agents::society::{AgentId, Event, Party, ROOT, Reply, Society, Wanted, Who};
use base::Failure;
use common::{Scripted, brief, calls, heard, news, open_store, person, say, society, wanted};
use llm::Chat;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::Store;
use tokio::sync::Notify;

type Answer = Result<Reply, Failure>;

/// A root with so many hands. Each writes a file, keeps a report of it and writes to its neighbour; the last says
/// something to the root a moment later. The root asks the person, and ends one of them when she has answered.
fn team(count: usize, delay: u8) -> impl Fn(&Who, &Chat) -> Answer {
    move |who, chat| match who.agent {
        ROOT => root(count, who, chat),
        AgentId(hand) => match news(chat)[0] {
            task if task.starts_with("Task from") => calls(&[
                ("append", json!({"path": format!("{hand}"), "text": "x"})),
                (
                    "put_artifact",
                    json!({"type": "Report", "content": format!("hand {hand}")}),
                ),
                (
                    "send_message",
                    json!({"to": format!("{}/{}", who.task, hand % (count as u64 + 1) + 1), "text": format!("I am {hand}."),
                        "delaySeconds": if hand == count as u64 + 1 { delay } else { 0 }}),
                ),
            ]),
            _ => say(&format!("Hand {hand} is done.")),
        },
    }
}

fn root(count: usize, who: &Who, chat: &Chat) -> Answer {
    let told = heard(chat, "Message from user");
    match news(chat)[0] {
        task if task.starts_with("Task from user") => {
            calls(&[("create_role", json!({"name": "hand", "prompt": "You write."}))])
        }
        made if made.contains("roleId") => {
            let spawn = |nth| {
                (
                    "spawn_agent",
                    json!({"role": "hand", "brief": brief(&format!("file {nth}"))}),
                )
            };
            calls(&(0..count).map(spawn).collect::<Vec<_>>())
        }
        word if word.starts_with("Message from user") => {
            calls(&[("terminate_agent", json!({"agentId": format!("{}/2", who.task)}))])
        }
        _ if told > 0 => say("Thank you. All is done."),
        _ if heard(chat, "Answer of") >= count => say("May I end the first?"),
        _ => say(""),
    }
}

/// A model that nobody may ask.
fn nobody(who: &Who, _: &Chat) -> Answer {
    Err(Failure::new("asked_in_a_replay").with("agent", who.name.as_str()))
}

/// The task `old`, to its end.
async fn recorded(store: &Store, folder: &Path, count: usize, delay: u8) {
    let society = society(store.clone(), Scripted::new(folder, team(count, delay)));
    society
        .submit("old".to_owned(), wanted("files"), person())
        .await
        .unwrap();
    society.settled("old").await.unwrap();
    let text = "Yes, end it.".to_owned();
    society
        .want("old", Wanted::Post { to: ROOT, text })
        .await
        .unwrap();
    society.settled("old").await.unwrap();
    society.shut_down().await;
}

async fn again(society: &Society) {
    let mut wanted = society.again("old").await.unwrap();
    wanted.title = "again".to_owned();
    society.submit("new".to_owned(), wanted, person()).await.unwrap();
}

/// Everything that happened to a task, without what a process says of its own work, costs and moments.
async fn story(store: &Store, task: &str) -> Vec<Value> {
    let mut story = Vec::new();
    loop {
        let page = store
            .society_events(task.to_owned(), story.len() as u64, 500)
            .await
            .unwrap();
        if page.is_empty() {
            break;
        }
        story.extend(page.into_iter().map(|one| one.event));
    }
    let mut told = Vec::new();
    for text in story {
        let event: Event = serde_json::from_str(&text).unwrap();
        if matches!(
            event,
            Event::Begun { .. } | Event::Begins { .. } | Event::ReplayEnded
        ) {
            continue;
        }
        let mut value: Value = serde_json::from_str(&text.replace(&format!("{task}/"), "TASK/")).unwrap();
        let fields = value.as_object_mut().unwrap();
        fields.remove("cost");
        let change = fields
            .get_mut("change")
            .and_then(|change| change.get_mut("message"));
        if let Some(message) = change.and_then(Value::as_object_mut) {
            message.remove("due");
        }
        // It was not known whether a call was made: it is made again, or again not known.
        if value["event"] == "interrupted" || value["event"] == "gave" && value["change"].is_null() {
            value = json!({"event": "gave", "agent": value["agent"], "call": value["call"]});
        }
        told.push(value);
    }
    told
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn the_same_happens_and_no_model_is_asked() {
    let (home, first, second) = (
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
    );
    let store = open_store(home.path());
    recorded(&store, first.path(), 4, 1).await;
    let society = society(store.clone(), Scripted::new(second.path(), nobody));
    again(&society).await;
    society.settled("new").await.unwrap();
    let (paused, replays, spent, told) = society
        .look("new", |state| {
            let told = state
                .messages()
                .iter()
                .filter(|one| one.message.to == Party::User);
            let told: Vec<String> = told.map(|one| one.message.text.clone()).collect();
            (
                state.paused().is_some(),
                state.replays().is_some(),
                state.spent(ROOT),
                told,
            )
        })
        .await
        .unwrap();
    assert_eq!(story(&store, "new").await, story(&store, "old").await);
    assert_eq!(names(second.path()), ["2", "3", "4", "5"]);
    assert_eq!(names(second.path()), names(first.path()));
    assert_eq!(told.last().unwrap(), "Thank you. All is done.");
    assert!(!paused && !replays, "it is an ordinary task behind its record");
    assert_eq!(spent.tokens, 0);
    // And goes on as one: with the person's next word its model is asked, which nobody may here.
    let text = "And now?".to_owned();
    society
        .want("new", Wanted::Post { to: ROOT, text })
        .await
        .unwrap();
    society.settled("new").await.unwrap();
    assert_eq!(
        pauses(&society, "new").await.as_deref(),
        Some("asked_in_a_replay")
    );
    society.shut_down().await;
}

/// How often it has looked.
fn looked(chat: &Chat) -> usize {
    let all = chat.messages().iter();
    all.filter(|one| one.text().starts_with("look")).count()
}

/// Reads what it cannot read, five times, and is told something else each time; or the same.
fn reads(who: &Who, chat: &Chat) -> Answer {
    assert_eq!(who.agent, ROOT);
    match looked(chat) {
        5.. => say("Enough."),
        _ => calls(&[("look", json!({}))]),
    }
}

/// What the tools of a test give.
enum Given {
    /// Another number each time.
    Numbers(AtomicUsize),
    Same,
    /// Nothing before it is called off; it tells that it was called.
    WhenCalledOff(Arc<Notify>),
}

struct Looks {
    scripted: Scripted,
    given: Given,
}

#[async_trait::async_trait]
impl agents::society::Outside for Looks {
    async fn tools(&self, task: &str) -> Vec<llm::Tool> {
        self.scripted.tools(task).await
    }
    async fn terms(&self, service: Option<&str>) -> Result<agents::society::Terms, Failure> {
        self.scripted.terms(service).await
    }
    async fn ask(&self, who: &Who, service: Option<&str>, chat: Chat) -> Answer {
        self.scripted.ask(who, service, chat).await
    }
    async fn call(
        &self,
        _: &Who,
        _: &agents::society::Call,
        cancel: tokio_util::sync::CancellationToken,
    ) -> agents::society::Outcome {
        let nth = match &self.given {
            Given::Numbers(seen) => seen.fetch_add(1, Ordering::Relaxed),
            Given::Same => 0,
            Given::WhenCalledOff(called) => {
                called.notify_one();
                cancel.cancelled().await;
                0
            }
        };
        agents::society::Outcome {
            text: format!("look {nth}"),
            ..Default::default()
        }
    }
    fn again(&self, _: &str) -> bool {
        !matches!(self.given, Given::WhenCalledOff(_))
    }
    async fn picture(&self, id: &str) -> Option<llm::Picture> {
        self.scripted.picture(id).await
    }
}

fn looks(
    folder: &Path,
    model: impl Fn(&Who, &Chat) -> Answer + Send + Sync + 'static,
    given: Given,
) -> Looks {
    Looks {
        scripted: Scripted::new(folder, model),
        given,
    }
}

fn numbers() -> Given {
    Given::Numbers(AtomicUsize::new(0))
}

/// Why a task is paused, by its code.
async fn pauses(society: &Society, task: &str) -> Option<String> {
    let code = |failure: &Failure| failure.code.clone();
    let looked = society.look(task, |state| state.paused().flatten().map(code));
    looked.await.unwrap()
}

#[tokio::test]
async fn where_something_else_happens_the_person_is_told() {
    let home = tempfile::tempdir().unwrap();
    let store = open_store(home.path());
    let first = society(store.clone(), looks(home.path(), reads, numbers()));
    first
        .submit("old".to_owned(), wanted("look"), person())
        .await
        .unwrap();
    first.settled("old").await.unwrap();
    first.shut_down().await;

    // The same four times is a circle, which it was not then.
    let second = society(store.clone(), looks(home.path(), nobody, Given::Same));
    again(&second).await;
    second.settled("new").await.unwrap();
    assert_eq!(
        pauses(&second, "new").await.as_deref(),
        Some("society_replay_differs")
    );
    // What it is now is kept: who opens it next finds no replay any more.
    second.close("new").await;
    let replays = second
        .look("new", |state| state.replays().is_some())
        .await
        .unwrap();
    assert!(!replays);
    second.shut_down().await;
}

#[tokio::test]
async fn a_record_that_ends_in_the_middle_asks_before_it_asks_a_model() {
    let home = tempfile::tempdir().unwrap();
    let store = open_store(home.path());
    // Its second answer never comes.
    let deaf = Arc::new(Notify::new());
    let told = Arc::clone(&deaf);
    let outside = looks(
        home.path(),
        move |who, chat| {
            if looked(chat) == 2 {
                told.notify_one();
                return Err(Failure::new("gone"));
            }
            reads(who, chat)
        },
        numbers(),
    );
    let first = society(store.clone(), outside);
    first
        .submit("old".to_owned(), wanted("look"), person())
        .await
        .unwrap();
    deaf.notified().await;
    first.settled("old").await.unwrap();
    first.shut_down().await;

    let second = society(store.clone(), looks(home.path(), reads, numbers()));
    again(&second).await;
    second.settled("new").await.unwrap();
    assert_eq!(
        pauses(&second, "new").await.as_deref(),
        Some("society_replay_over")
    );
    second.want("new", Wanted::Resume).await.unwrap();
    second.settled("new").await.unwrap();
    let told = second
        .look("new", |state| {
            state.messages().last().unwrap().message.text.clone()
        })
        .await
        .unwrap();
    assert_eq!(told, "Enough.");
    second.shut_down().await;
}

#[tokio::test]
async fn it_is_not_changed_but_may_be_stopped_and_its_record_may_be_gone() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open_store(home.path());
    recorded(&store, folder.path(), 2, 0).await;
    let called = Arc::new(Notify::new());
    let slow = Given::WhenCalledOff(Arc::clone(&called));
    let society = society(store.clone(), looks(folder.path(), nobody, slow));
    again(&society).await;
    called.notified().await;
    let text = "Wait.".to_owned();
    for wish in [Wanted::Post { to: ROOT, text }, Wanted::Budget(wanted("").budget)] {
        let refused = society.want("new", wish).await.unwrap_err();
        assert_eq!(refused.code, "society_replays");
    }
    society.want("new", Wanted::Stop { agent: ROOT }).await.unwrap();
    society.settled("new").await.unwrap();
    let (stopped, replays) = society
        .look("new", |state| (state.is_stopped(), state.replays().is_some()))
        .await
        .unwrap();
    assert!(stopped && !replays);

    let mut gone = society.again("old").await.unwrap();
    gone.replays = Some("nowhere".to_owned());
    society.submit("third".to_owned(), gone, person()).await.unwrap();
    society.settled("third").await.unwrap();
    assert_eq!(
        pauses(&society, "third").await.as_deref(),
        Some("society_task_not_found")
    );
    society.shut_down().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whenever it is closed, amid a call or between two, it is opened again where it was.
    #[test]
    fn closed_at_any_step_it_comes_to_the_same(count in 1usize..4, kills in prop::collection::vec(1usize..5, 1..4)) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let store = open_store(home.path());
            recorded(&store, folder.path(), count, 0).await;
            let mut outside = Scripted::new(folder.path(), nobody);
            let (steps, reached) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
            let (counted, tells) = (Arc::clone(&steps), Arc::clone(&reached));
            let mut at = 0;
            let at: Vec<usize> = kills.iter().map(|more| { at += more; at }).collect();
            let marks = at.clone();
            outside.tell = Box::new(move |_| {
                if marks.contains(&(counted.fetch_add(1, Ordering::Relaxed) + 1)) {
                    tells.notify_one();
                }
            });
            let society = society(store.clone(), outside);
            again(&society).await;
            for _ in &at {
                // Or it is at its end before so many steps.
                tokio::select! {
                    () = reached.notified() => {}
                    settled = society.settled("new") => settled.unwrap(),
                }
                society.close("new").await;
            }
            society.settled("new").await.unwrap();
            let paused = society.look("new", |state| state.paused().flatten().cloned()).await.unwrap();
            assert_eq!(paused, None);
            assert_eq!(story(&store, "new").await, story(&store, "old").await);
            society.shut_down().await;
        });
    }
}
