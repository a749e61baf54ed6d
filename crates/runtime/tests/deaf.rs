//! A worker that does not read what it is sent: its run ends in time, and the next has another worker.
//! Alone in its program, so that the worker is known as its child.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use base::Coded;
use runtime::host::{Deadline, Host};
use rustix::process::{Signal, kill_process};
use sandbox::{Launcher, Tier, Walls};
use serde_json::json;
use std::time::{Duration, Instant};
use support::processes::descendants;
use support::{Heard, Home};
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_read_is_ended_in_time() {
    let program = Host::start().unwrap().walls().program().to_owned();
    let facts = sandbox::detect().only(Tier::Reduced);
    let home = Home {
        host: Host::with(Walls::promised(Launcher::start().unwrap(), facts, program)),
        ..Home::new()
    };
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
