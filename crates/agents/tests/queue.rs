//! Questions that others answer, over a real NATS server.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

#[path = "support/nats.rs"]
mod nats;

use agents::queue::{Asking, Model, Place, Queue, Secret, Times, Worker};
use agents::society::{AgentId, Reply, Who};
use async_trait::async_trait;
use base::{Coded as _, Failure};
use futures_util::StreamExt as _;
use llm::{Chat, Message, Role};
use nats::Nats;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Short, so that what is lost is missed soon.
const TIMES: Times = Times {
    beat: Duration::from_millis(100),
    claim: Duration::from_millis(600),
    taken: Duration::from_millis(1000),
    look: Duration::from_millis(500),
    patience: Duration::from_secs(20),
};

fn place(nats: &Nats) -> Place {
    Place {
        address: nats.address.clone(),
        name: "pm-test".to_owned(),
        secret: None,
    }
}

async fn queue(nats: &Nats, times: Times) -> Queue {
    Queue::connect(&place(nats), times).await.unwrap()
}

fn who(agent: u64) -> Who {
    Who {
        task: "t1".to_owned(),
        agent: AgentId(agent),
        name: format!("t1/{agent}"),
    }
}

fn chat(text: &str) -> Chat {
    Chat::new(vec![Message::new(Role::User, text)])
}

fn reply(text: impl Into<String>) -> Result<Reply, Failure> {
    Ok(Reply {
        text: text.into(),
        ..Reply::default()
    })
}

/// A model that is a function of who asks and the last that was said.
struct Function<F>(F);

#[async_trait]
impl<F, A> Model for Function<F>
where
    F: Fn(Who, String) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Reply, Failure>> + Send,
{
    async fn ask(&self, who: &Who, _: Option<&str>, chat: Chat) -> Result<Reply, Failure> {
        let said = chat.messages().last().unwrap().text().to_owned();
        (self.0)(who.clone(), said).await
    }
}

struct Working {
    end: CancellationToken,
    task: JoinHandle<()>,
}

async fn worker(nats: &Nats, at_once: usize, model: impl Model) -> Working {
    worker_with(nats, TIMES, at_once, Arc::new(model)).await
}

async fn worker_with(nats: &Nats, times: Times, at_once: usize, model: Arc<dyn Model>) -> Working {
    let (queue, end) = (queue(nats, times).await, CancellationToken::new());
    let worker = Worker::new(queue, model, |_| {}, end.clone());
    let task = tokio::spawn(async move { worker.work(at_once).await.unwrap() });
    Working { end, task }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_question_is_answered_once_whoever_takes_it() {
    let nats = Nats::start(&[]);
    let asked: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
    let mut by = Vec::new();
    for _ in 0..3 {
        let (asked, count) = (Arc::clone(&asked), Arc::new(AtomicUsize::new(0)));
        by.push(Arc::clone(&count));
        let model = Function(move |who: Who, said: String| {
            let (asked, count) = (Arc::clone(&asked), Arc::clone(&count));
            async move {
                *asked.lock().unwrap().entry(said.clone()).or_default() += 1;
                count.fetch_add(1, Ordering::Relaxed);
                reply(format!("{} to {}", said, who.name))
            }
        });
        worker(&nats, 4, model).await;
    }
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let all = (0..300u64).map(|nth| {
        let asking = asking.clone();
        tokio::spawn(async move {
            let reply = asking.ask(&who(nth), Some("one"), chat(&nth.to_string())).await;
            (nth, reply.unwrap())
        })
    });
    for one in all.collect::<Vec<_>>() {
        let (nth, reply) = one.await.unwrap();
        assert_eq!(reply.text, format!("{nth} to t1/{nth}"));
    }
    let asked = asked.lock().unwrap();
    assert_eq!((asked.len(), asked.values().max()), (300, Some(&1)));
    let by: Vec<usize> = by.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    assert!(by.iter().all(|count| *count > 0), "all take part: {by:?}");
}

/// Longer than a message of the server may be, both ways.
#[tokio::test(flavor = "multi_thread")]
async fn long_ones_come_whole() {
    let nats = Nats::start(&[]);
    let model = Function(|_, said: String| async move { reply(said.chars().rev().collect::<String>()) });
    worker(&nats, 1, model).await;
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let long: String = (0..3_000_000u32)
        .filter_map(|n| char::from_u32(u32::from(b'a') + n * 7 % 26))
        .collect();
    let answer = asking.ask(&who(1), None, chat(&long)).await.unwrap();
    assert!(
        answer.text.chars().rev().eq(long.chars()),
        "{}",
        answer.text.len()
    );
    let failure = asking
        .ask(&who(1), None, chat(&"x".repeat(97 << 20)))
        .await
        .unwrap_err();
    assert_eq!(failure.code, "queue_question_too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_an_answer_and_a_panic_one() {
    let nats = Nats::start(&[]);
    let model = Function(|_, said: String| async move {
        assert_ne!(said, "panic");
        Err(Failure::new("model_busy").with("service", said))
    });
    worker(&nats, 1, model).await;
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let failure = asking.ask(&who(1), None, chat("one")).await.unwrap_err();
    assert_eq!(failure, Failure::new("model_busy").with("service", "one"));
    let failure = asking.ask(&who(1), None, chat("panic")).await.unwrap_err();
    assert_eq!(failure.code, "internal");
    let failure = asking.ask(&who(1), None, chat("two")).await.unwrap_err();
    assert_eq!(failure.args["service"], "two", "the worker goes on");
}

/// A model that says when it is asked, and never answers; and when it is dropped.
fn deaf() -> (impl Model, mpsc::UnboundedReceiver<&'static str>) {
    struct Told(mpsc::UnboundedSender<&'static str>);
    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    let (tell, told) = mpsc::unbounded_channel();
    let model = Function(move |_, _| {
        let told = Told(tell.clone());
        async move {
            let _ = told.0.send("asked");
            std::future::pending::<()>().await;
            reply("never")
        }
    });
    (model, told)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_want_it_any_more_calls_it_off() {
    let nats = Nats::start(&[]);
    let (model, mut told) = deaf();
    // Its beats alone would tell it late.
    let slow = Times {
        beat: Duration::from_secs(600),
        claim: Duration::from_secs(1200),
        taken: Duration::from_secs(1800),
        ..TIMES
    };
    worker_with(&nats, slow, 1, Arc::new(model)).await;
    let asking = Asking::begin(queue(&nats, slow).await).await.unwrap();
    let asked = tokio::spawn({
        let asking = asking.clone();
        async move { asking.ask(&who(1), None, chat("one")).await }
    });
    assert_eq!(told.recv().await, Some("asked"));
    asked.abort();
    assert_eq!(told.recv().await, Some("dropped"));
}

/// Where nothing is called off because who asked was killed.
#[tokio::test(flavor = "multi_thread")]
async fn for_who_is_there_no_more_no_model_is_asked_for_long() {
    let nats = Nats::start(&[]);
    let (model, mut told) = deaf();
    worker(&nats, 1, model).await;
    let runtime = other_process();
    let place = place(&nats);
    runtime.spawn(async move {
        let queue = Queue::connect(&place, TIMES).await.unwrap();
        let asking = Asking::begin(queue).await.unwrap();
        asking.ask(&who(1), None, chat("one")).await
    });
    assert_eq!(told.recv().await, Some("asked"));
    runtime.shutdown_background();
    assert_eq!(told.recv().await, Some("dropped"));
}

/// What runs in it ends without a word when it is shut down.
fn other_process() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_leaves_or_loses_another_takes() {
    let nats = Nats::start(&[]);
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let ask = |text: &'static str| {
        let asking = asking.clone();
        tokio::spawn(async move { asking.ask(&who(1), None, chat(text)).await.unwrap().text })
    };
    let echo = || Function(|_, said: String| async move { reply(said) });
    // One that is told to end gives it back.
    let (model, mut told) = deaf();
    let first = worker(&nats, 1, model).await;
    let asked = ask("left");
    assert_eq!(told.recv().await, Some("asked"));
    first.end.cancel();
    first.task.await.unwrap();
    let second = worker(&nats, 1, echo()).await;
    assert_eq!(asked.await.unwrap(), "left");
    second.end.cancel();
    second.task.await.unwrap();
    // One that is killed does not.
    let (model, mut told) = deaf();
    let runtime = other_process();
    let (address, model) = (place(&nats), Arc::new(model));
    runtime.spawn(async move {
        let queue = Queue::connect(&address, TIMES).await.unwrap();
        let worker = Worker::new(queue, model, |_| {}, CancellationToken::new());
        worker.work(1).await.unwrap();
    });
    let asked = ask("lost");
    assert_eq!(told.recv().await, Some("asked"));
    runtime.shutdown_background();
    worker(&nats, 1, echo()).await;
    assert_eq!(asked.await.unwrap(), "lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_ends_every_worker_is_given_up() {
    let nats = Nats::start(&[]);
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    // As if each were killed: none says that it is still there.
    let mute = Times {
        beat: Duration::from_secs(600),
        ..TIMES
    };
    let (model, mut told) = deaf();
    let model: Arc<dyn Model> = Arc::new(model);
    for _ in 0..5 {
        worker_with(&nats, mute, 1, Arc::clone(&model)).await;
    }
    let failure = asking.ask(&who(1), None, chat("poison")).await.unwrap_err();
    assert_eq!(
        (failure.code.as_str(), &failure.args["times"]),
        ("queue_given_up", &3.into())
    );
    let mut asked = 0;
    while let Ok(what) = told.try_recv() {
        asked += usize::from(what == "asked");
    }
    assert_eq!(asked, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_has_lost_everything_loses_no_question() {
    let mut nats = Nats::start(&[]);
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let asked: Vec<_> = (0..20u64)
        .map(|nth| {
            let asking = asking.clone();
            tokio::spawn(async move { asking.ask(&who(nth), None, chat(&nth.to_string())).await })
        })
        .collect();
    while asking.waiting() < 20 {
        tokio::task::yield_now().await;
    }
    nats.lose_everything();
    worker(&nats, 4, Function(|_, said: String| async move { reply(said) })).await;
    for (nth, one) in asked.into_iter().enumerate() {
        assert_eq!(one.await.unwrap().unwrap().text, nth.to_string());
    }
}

/// Who was there before knows of a queue that is no more.
#[tokio::test(flavor = "multi_thread")]
async fn who_was_there_before_goes_on_with_a_server_that_has_lost_everything() {
    let mut nats = Nats::start(&[]);
    worker(&nats, 2, Function(|_, said: String| async move { reply(said) })).await;
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let first = asking.ask(&who(1), None, chat("before")).await.unwrap();
    assert_eq!(first.text, "before");
    for nth in 0..2 {
        nats.lose_everything();
        let text = format!("after {nth}");
        assert_eq!(asking.ask(&who(1), None, chat(&text)).await.unwrap().text, text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_question_and_no_answer_harms_nobody() {
    let nats = Nats::start(&[]);
    let asking = Asking::begin(queue(&nats, TIMES).await).await.unwrap();
    let client = async_nats::connect(&nats.address).await.unwrap();
    worker(&nats, 2, Function(|_, said: String| async move { reply(said) })).await;
    let mut entries = client.subscribe("pm-test.asks").await.unwrap();
    client.flush().await.unwrap();
    let asked = asking.ask(&who(1), None, chat("first")).await.unwrap();
    assert_eq!(asked.text, "first");
    let entry = entries.next().await.unwrap();
    let entry: serde_json::Value = serde_json::from_slice(&entry.payload).unwrap();
    let mine = format!("pm-test.{}", entry["owner"].as_str().unwrap());
    for bytes in [
        "",
        "{",
        "[]",
        "{\"owner\":\"nobody\",\"id\":\"x\"}",
        "{\"owner\":\"a b\",\"id\":\"x\"}",
    ] {
        client.publish("pm-test.asks", bytes.into()).await.unwrap();
        client.publish("pm-test.off", bytes.into()).await.unwrap();
        for what in ["letter", "beat", "answer", "other"] {
            let said = client
                .request(format!("{mine}.{what}"), bytes.into())
                .await
                .unwrap();
            let said = said.headers.unwrap();
            assert_eq!(said.get("Pm-Said").unwrap().as_str(), "gone", "{what} {bytes}");
        }
    }
    let asked = asking.ask(&who(1), None, chat("second")).await.unwrap();
    assert_eq!(asked.text, "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_place_says_what_is_wrong_with_it() {
    let nats = Nats::start(&["--user", "pm", "--pass", "right"]);
    let at = |address: &str, name: &str, secret: &str| Place {
        address: address.to_owned(),
        name: name.to_owned(),
        secret: Secret::new(secret),
    };
    let code = async |place: Place, times: Times| match Queue::connect(&place, times).await {
        Err(error) => error.code().to_owned(),
        Ok(queue) => {
            let asking = Asking::begin(queue).await.unwrap();
            match asking.ask(&who(1), None, chat("x")).await {
                Err(failure) => failure.code,
                Ok(_) => "ok".to_owned(),
            }
        }
    };
    let short = Times {
        patience: Duration::from_millis(300),
        ..TIMES
    };
    // Bound and not listening it refuses, and nobody else is given its port.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let closed = format!("nats://{}", silent.local_addr().unwrap());
    for (address, name, secret, wanted) in [
        ("http://127.0.0.1:1", "pm", "", "queue_address_invalid"),
        ("nats://u:p@127.0.0.1:1", "pm", "", "queue_address_invalid"),
        ("nats://:p@127.0.0.1:1", "pm", "", "queue_address_invalid"),
        (nats.address.as_str(), "p.m", "", "queue_name_invalid"),
        (nats.address.as_str(), "", "", "queue_name_invalid"),
        (nats.address.as_str(), "pm", "", "queue_refused"),
        (nats.address.as_str(), "pm", "pm:wrong", "queue_refused"),
        (closed.as_str(), "pm", "", "queue_unreachable"),
    ] {
        assert_eq!(
            code(at(address, name, secret), short).await,
            wanted,
            "{address} {name} {secret}"
        );
    }
    let place = at(&nats.address, "pm", "pm:right");
    assert!(!format!("{place:?}").contains("right"), "{place:?}");
    let queue = Queue::connect(&place, TIMES).await.unwrap();
    let model = Arc::new(Function(|_, said: String| async move { reply(said) }));
    let worker = Worker::new(queue.clone(), model, |_| {}, CancellationToken::new());
    tokio::spawn(worker.work(1));
    let asking = Asking::begin(queue).await.unwrap();
    assert_eq!(asking.ask(&who(1), None, chat("in")).await.unwrap().text, "in");
}
