//! Calls that wait, are called off, or find their worker dead.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use base::Coded;
use runtime::host::{Deadline, Finished, Observer, RunError, ToolSpec};
use runtime::protocol::{Level, ScriptRun};
use serde_json::{Value, json};
use std::pin::{Pin, pin};
use std::sync::Mutex;
use std::task::Poll;
use std::time::{Duration, Instant};
use support::processes::{given, kill_and_wait};
use support::{Heard, Home, limits};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Tells when a run says something.
#[derive(Default)]
struct Signals {
    said: Notify,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    now: usize,
    most: usize,
}

impl Observer for Signals {
    fn log(&self, _level: Level, text: String) {
        let mut inside = self.inside.lock().unwrap();
        match text.as_str() {
            "in" => inside.now += 1,
            "out" => inside.now -= 1,
            _ => {}
        }
        inside.most = inside.most.max(inside.now);
        self.said.notify_one();
    }
}

impl Signals {
    async fn until_inside(&self, count: usize) {
        while self.inside.lock().unwrap().now < count {
            self.said.notified().await;
        }
    }
}

fn deadline(cancel: &CancellationToken) -> Deadline {
    Deadline {
        time: Duration::from_secs(60),
        cancel: cancel.clone(),
    }
}

/// Gets a future going; it is not to be finished yet.
async fn begin(future: &mut Pin<&mut impl Future<Output = Result<Finished, RunError>>>) {
    tokio::select! {
        biased;
        ended = future => panic!("it should wait: {ended:?}"),
        () = std::future::ready(()) => {}
    }
}

const HOLD: &str = "import fs from 'fs'; export default { execute({ hold, mark }) {
    if (mark) fs.writeFileSync(this.__toolDir + '/data/mark', mark);
    console.log('in'); if (hold) for (;;); return 'done' } }";

fn processors() -> usize {
    std::thread::available_parallelism().unwrap().get()
}

#[tokio::test]
async fn a_call_that_is_cancelled_in_line_never_runs() {
    let home = Home::new();
    let spec = home.tool("hold", HOLD);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let signals = Signals::default();
    let (for_first, for_second) = (deadline(&first), deadline(&second));
    let (hold, mark) = (json!({"hold": true}), json!({"mark": "x"}));
    let holding = home.host.run_tool(&spec, &hold, &for_first, &signals);
    let waiting = async {
        signals.until_inside(1).await;
        let mut waiting = pin!(home.host.run_tool(&spec, &mark, &for_second, &signals));
        begin(&mut waiting).await;
        home.host.sweep();
        second.cancel();
        let error = waiting.await.unwrap_err();
        assert!(matches!(error, RunError::Cancelled), "{error:?}");
        assert_eq!(error.code(), "cancelled");
        first.cancel();
    };
    let (held, ()) = tokio::join!(holding, waiting);
    assert_eq!(held.unwrap_err().code(), "cancelled");
    assert!(!spec.load.folder.join("data/mark").exists());
    // The same when it is off before it comes: the worker that waits for work is not touched.
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!("done"));
    let error = home
        .host
        .run_tool(&spec, &mark, &for_second, &signals)
        .await
        .unwrap_err();
    assert!(matches!(error, RunError::Cancelled), "{error:?}");
    assert!(!spec.load.folder.join("data/mark").exists());
    assert_eq!(home.host.warm(), 1);
}

/// It has what was taken back, sockets that were passed to it for one.
#[tokio::test]
async fn a_worker_that_is_retired_while_it_runs_is_not_kept() {
    let home = Home::new();
    let code = "export default { async execute() {
        console.log('in'); await new Promise((done) => setTimeout(done, 300)); return 'done' } }";
    let spec = home.tool("waits", code);
    let cancel = CancellationToken::new();
    let (limit, signals) = (deadline(&cancel), Signals::default());
    let retiring = async {
        signals.until_inside(1).await;
        home.host.retire("waits");
    };
    let (ran, ()) = tokio::join!(
        home.host.run_tool(&spec, &Value::Null, &limit, &signals),
        retiring
    );
    assert_eq!(ran.unwrap().value, json!("done"), "what runs comes to its end");
    assert_eq!(home.host.warm(), 0);
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!("done"));
    assert_eq!(home.host.warm(), 1);
}

#[tokio::test]
async fn loading_is_given_up_when_the_call_is_cancelled() {
    let home = Home::new();
    let spec = home.tool("slow", "console.log('in'); for (;;);");
    let cancel = CancellationToken::new();
    let limit = deadline(&cancel);
    let signals = Signals::default();
    let cancelling = async {
        signals.until_inside(1).await;
        cancel.cancel();
        Instant::now()
    };
    let (ended, at) = tokio::join!(
        home.host.run_tool(&spec, &Value::Null, &limit, &signals),
        cancelling
    );
    let error = ended.unwrap_err();
    assert!(matches!(error, RunError::Cancelled), "{error:?}");
    assert!(at.elapsed() < Duration::from_secs(5), "{:?}", at.elapsed());
    assert_eq!(home.host.warm(), 0);
}

#[tokio::test]
async fn fewer_at_a_time_holds_for_calls_that_come_while_others_run() {
    let home = Home::new();
    let mut wide = home.tool("wide", HOLD);
    wide.concurrency = 2;
    let mut narrow = wide.clone();
    narrow.concurrency = 1;
    let other = home.tool("other", "export default { execute() { return 1 } }");
    let cancel = CancellationToken::new();
    let limit = deadline(&cancel);
    let (signals, later) = (Signals::default(), Signals::default());
    let hold = json!({"hold": true});
    let holding = home.host.run_tool(&wide, &hold, &limit, &signals);
    let (none, patient) = (json!({}), deadline(&CancellationToken::new()));
    let waiting = async {
        signals.until_inside(1).await;
        let waiting = home.host.run_tool(&narrow, &none, &patient, &later);
        let others = async {
            // Long enough for a worker to start and to answer, twice.
            for key in ["a", "b"] {
                let mut other = other.clone();
                other.key = key.into();
                home.run(&other, json!({})).await.unwrap();
            }
            assert_eq!(later.inside.lock().unwrap().now, 0, "two ran at a time");
            cancel.cancel();
        };
        tokio::join!(waiting, others).0
    };
    let (held, waited) = tokio::join!(holding, waiting);
    assert_eq!(held.unwrap_err().code(), "cancelled");
    assert_eq!(waited.unwrap().value, json!("done"));
}

#[tokio::test]
async fn a_worker_that_died_while_it_was_idle_costs_nobody_a_call() {
    let home = Home::new();
    let spec = home.tool(
        "counter",
        "let calls = 0; export default { execute() { return ++calls } }",
    );
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(1));
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(2));
    assert!(kill_and_wait(&given(&home.root())) > 0);
    assert_eq!(
        home.run(&spec, json!({})).await.unwrap(),
        json!(1),
        "a new worker"
    );
    assert!(kill_and_wait(&given(&home.root())) > 0);
    home.host.sweep();
    assert_eq!(home.host.warm(), 0, "the dead are swept out");
}

#[tokio::test]
async fn all_tools_together_have_a_limit() {
    let home = Home::new();
    let body = "export default { async execute() { console.log('in'); await new Promise((r) => setTimeout(r, 60000)) } }";
    let specs: Vec<ToolSpec> = (0..5)
        .map(|n| {
            let mut spec = home.tool(&format!("many{n}"), body);
            // More than one tool may have; it gets 16.
            spec.concurrency = 99;
            spec
        })
        .collect();
    let signals = Signals::default();
    let cancel = CancellationToken::new();
    let limit = deadline(&cancel);
    let all = async {
        let calls = (0..80).map(|n| home.host.run_tool(&specs[n % 5], &Value::Null, &limit, &signals));
        let mut calls: Vec<_> = calls.map(Box::pin).collect();
        let mut codes = Vec::new();
        std::future::poll_fn(|cx| {
            calls.retain_mut(|call| match call.as_mut().poll(cx) {
                Poll::Ready(ended) => {
                    codes.push(ended.unwrap_err().code());
                    false
                }
                Poll::Pending => true,
            });
            if calls.is_empty() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        codes
    };
    let watching = async {
        signals.until_inside(64).await;
        // Long enough for one more to start, if it could.
        let other = home.tool("other", "export default { execute() {} }");
        for _ in 0..3 {
            let (root, heard) = (home.root(), Heard::default());
            home.host
                .describe(other.load.clone(), &root, &heard)
                .await
                .unwrap();
        }
        cancel.cancel();
    };
    let (codes, ()) = tokio::join!(all, watching);
    assert_eq!(codes, ["cancelled"; 80]);
    assert_eq!(signals.inside.lock().unwrap().most, 64);
    assert!(home.host.warm() <= 32);
}

#[tokio::test]
async fn scripts_wait_in_a_line_that_ends() {
    let home = Home::new();
    let width = (2 * processors()).max(4);
    let cancel = CancellationToken::new();
    let signals = Signals::default();
    let script = |code: &str| ScriptRun {
        code: code.to_owned(),
        input: None,
    };
    let (hold, quick) = (script("console.log('in'); for (;;);"), script("return 1"));
    let mut limits = limits();
    limits.time = Duration::from_secs(120);
    let run = |script, cancel: &CancellationToken| {
        Box::pin(home.host.run_script(script, &limits, cancel.clone(), &signals))
    };
    let mut holding: Vec<_> = (0..width).map(|_| run(&hold, &cancel)).collect();
    let held = async {
        for one in &mut holding {
            begin(&mut one.as_mut()).await;
        }
        for one in holding {
            assert_eq!(one.await.unwrap_err().code(), "cancelled");
        }
    };
    let waiting = async {
        signals.until_inside(1).await;
        let never = CancellationToken::new();
        let mut line: Vec<_> = (0..256).map(|_| run(&quick, &never)).collect();
        for one in &mut line {
            begin(&mut one.as_mut()).await;
        }
        let error = run(&quick, &never).await.unwrap_err();
        assert!(matches!(error, RunError::Busy { waiting: 256 }), "{error:?}");
        assert_eq!(error.code(), "tool_busy");

        // Called off, or simply dropped: both make room.
        let off = CancellationToken::new();
        line.pop();
        let mut last = run(&quick, &off);
        begin(&mut last.as_mut()).await;
        off.cancel();
        assert!(matches!(last.await.unwrap_err(), RunError::Cancelled));
        line.clear();
        let mut last = run(&quick, &never);
        begin(&mut last.as_mut()).await;
        cancel.cancel();
        last.await.unwrap().value
    };
    let ((), value) = tokio::join!(held, waiting);
    assert_eq!(value, json!(1));
}

#[tokio::test]
async fn what_is_nested_too_deep_is_refused_before_it_runs() {
    let home = Home::new();
    let spec = home.tool(
        "deep",
        "let calls = 0; export default { execute(p) { calls++; return p.calls ? calls : p } }",
    );
    let nested = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({"a": inner}));
    assert_eq!(home.run(&spec, nested(100)).await.unwrap(), nested(100));
    let error = home.run(&spec, nested(101)).await.unwrap_err();
    assert_eq!(error.code(), "input_too_deep");
    assert_eq!(home.run(&spec, json!({"calls": true})).await.unwrap(), json!(2));

    let script = |levels| ScriptRun {
        code: "return input".into(),
        input: Some(nested(levels)),
    };
    let heard = Heard::default();
    let run = async |levels| {
        let script = script(levels);
        let none = CancellationToken::new();
        home.host.run_script(&script, &limits(), none, &heard).await
    };
    assert_eq!(run(100).await.unwrap().value, nested(100));
    assert_eq!(run(101).await.unwrap_err().code(), "input_too_deep");
}
