//! The script worker in reserve. Alone in its program: its workers are told from those of other
//! tests by being the only children there are.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use runtime::host::Observer;
use runtime::protocol::{Level, ScriptRun};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::processes::{children, descendants, kill_and_wait};
use support::{Home, limits};
use tokio_util::sync::CancellationToken;

/// Counts processes whenever a script says something.
#[derive(Default)]
struct Census(AtomicUsize);

impl Observer for Census {
    fn log(&self, _level: Level, _text: String) {
        self.0.fetch_max(children(), Ordering::Relaxed);
    }
}

async fn until_reserve(home: &Home) {
    let ready = async {
        while home.host.warm() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ready)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_dead_reserve_is_not_used_and_a_crowd_starts_few_processes() {
    let home = Home::new();
    assert_eq!(home.script("return 1").await.unwrap().value, json!(1));
    until_reserve(&home).await;

    assert!(kill_and_wait(&descendants()) > 0);
    assert_eq!(home.script("return 2").await.unwrap().value, json!(2));
    until_reserve(&home).await;

    let census = std::sync::Arc::new(Census::default());
    let mut crowd = tokio::task::JoinSet::new();
    for n in 0..150 {
        let (host, census) = (home.host.clone(), census.clone());
        crowd.spawn(async move {
            let script = ScriptRun {
                code: "console.log('here'); return input".into(),
                input: Some(json!(n)),
            };
            let none = CancellationToken::new();
            let finished = host.run_script(&script, &limits(), none, &*census).await;
            assert_eq!(finished.unwrap().value, json!(n));
        });
    }
    while let Some(ended) = crowd.join_next().await {
        ended.unwrap();
    }
    // Those that run, those that are ending, the reserve.
    let at_a_time = (2 * std::thread::available_parallelism().unwrap().get()).max(4);
    let most = census.0.load(Ordering::Relaxed);
    assert!((1..=3 * at_a_time + 2).contains(&most), "{most}");
    until_reserve(&home).await;
    assert_eq!(home.host.warm(), 1);
}
