//! Workers that do not read what they are sent: one that stands still, whose run ends in time, and one that has said
//! what it came to and is gone. Alone in their program, so that a worker is known as its child.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use base::Coded;
use runtime::host::{Deadline, Host, Observer, ScriptLimits};
use runtime::protocol::{Level, ScriptRun};
use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process, waitid};
use sandbox::{Launcher, Tier, Walls};
use serde_json::json;
use std::pin::pin;
use std::time::{Duration, Instant};
use support::processes::descendants;
use support::{Heard, Home};
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;

fn reduced() -> Home {
    let program = Host::start().unwrap().walls().program().to_owned();
    let facts = sandbox::detect().only(Tier::Reduced);
    Home {
        host: Host::with(Walls::promised(Launcher::start().unwrap(), facts, program)),
        ..Home::new()
    }
}

static ALONE: Mutex<()> = Mutex::const_new(());

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_read_is_ended_in_time() {
    let _alone = ALONE.lock().await;
    let home = reduced();
    let spec = home.tool("t", "export default { execute: ({ text }) => text.length }");
    // More than a pipe holds.
    let large = json!({"text": "x".repeat(4 << 20)});
    for cancelled in [false, true] {
        assert_eq!(home.run(&spec, large.clone()).await.unwrap(), 4 << 20);
        let [worker] = descendants()[..] else {
            panic!("{:?}", descendants())
        };
        kill_process(worker, Signal::STOP).unwrap();
        let deadline = Deadline {
            time: Duration::from_millis(if cancelled { 60_000 } else { 500 }),
            cancel: CancellationToken::new(),
        };
        let begin = Instant::now();
        let heard = Heard::default();
        let running = home.host.run_tool(&spec, &large, &deadline, &heard);
        let calling_off = async {
            if cancelled {
                tokio::time::sleep(Duration::from_millis(500)).await;
                deadline.cancel.cancel();
            }
        };
        let (ran, ()) = tokio::join!(running, calling_off);
        let code = if cancelled { "cancelled" } else { "timeout" };
        assert_eq!(ran.unwrap_err().code(), code);
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        assert!(!descendants().contains(&worker), "it is dead");
    }
}

/// It goes on until its owner has heard of it.
const SAYS_SO_BEFORE: &str = "const begun = Date.now();
    console.log('here'); while (Date.now() - begun < 30); return 'done'";

/// Told when a run says something.
#[derive(Default)]
struct Said(Notify);

impl Observer for Said {
    fn log(&self, _level: Level, _text: String) {
        self.0.notify_one();
    }
}

/// The owner looks again when the answer lies in the pipe, the worker of the script has ended, and the time is over.
#[tokio::test]
async fn an_answer_is_heard_though_its_worker_can_be_told_nothing_any_more() {
    let _alone = ALONE.lock().await;
    let home = reduced();
    let mut heard = 0;
    for _ in 0..20 {
        let limits = ScriptLimits {
            time: Duration::from_millis(100),
            ..support::limits()
        };
        let script = |code: &str| ScriptRun {
            code: code.to_owned(),
            input: None,
        };
        let run = async |code, said: &dyn Observer| {
            let none = CancellationToken::new();
            home.host.run_script(&script(code), &limits, none, said).await
        };
        // Whatever it comes to, there is a worker in reserve behind it.
        let _ = run("return 0", &Heard::default()).await;
        let worker = loop {
            match descendants()[..] {
                [worker] if home.host.warm() == 1 => break worker,
                // The one before is ending.
                _ => tokio::task::yield_now().await,
            }
        };
        let (began, said) = (Instant::now(), Said::default());
        let mut running = pin!(run(SAYS_SO_BEFORE, &said));
        let early = tokio::select! {
            biased;
            ended = &mut running => Some(ended),
            () = said.0.notified() => None,
        };
        let ended = match early {
            Some(ended) => ended,
            None => {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                waitid(WaitId::Pid(worker), options).unwrap();
                std::thread::sleep(limits.time.saturating_sub(began.elapsed()));
                running.await
            }
        };
        match ended {
            Ok(finished) => {
                assert_eq!(finished.value, json!("done"));
                heard += 1;
            }
            Err(error) => assert_eq!(error.code(), "timeout"),
        }
    }
    assert!(heard > 0);
}
