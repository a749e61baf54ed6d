//! A tool tried out in a worker of its own.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use runtime::host::{Deadline, Trial};
use serde_json::{Value, json};
use std::time::Duration;
use support::{Heard, Home};
use tokio_util::sync::CancellationToken;

fn deadline() -> Deadline {
    Deadline {
        time: Duration::from_secs(20),
        cancel: CancellationToken::new(),
    }
}

async fn tried(trial: &mut Trial, params: Value) -> Value {
    let heard = Heard::default();
    trial.run(&params, &deadline(), &heard).await.unwrap().value
}

#[tokio::test]
async fn kinds_are_told_and_warm_workers_keep_what_they_have() {
    let home = Home::new();
    let spec = home.tool(
        "kinds",
        "let calls = 0; const values = [undefined, null, 7, () => 1, 'text', { a: 1 }];
         export default { execute({ at }) { calls++; return at === undefined ? calls : values[at]; } }",
    );
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(1));
    let heard = Heard::default();
    let mut trial = home.host.trial(spec.clone(), &deadline(), &heard).await.unwrap();
    for (at, expected) in [
        json!({"kind": "undefined"}),
        json!({"kind": "null"}),
        json!({"kind": "number"}),
        json!({"kind": "function"}),
        json!({"kind": "string", "result": "text"}),
        json!({"kind": "object", "result": {"a": 1}}),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(tried(&mut trial, json!({"at": at})).await, expected);
    }
    assert!(trial.alive());
    drop(trial);
    assert_eq!(
        home.run(&spec, json!({})).await.unwrap(),
        json!(2),
        "the warm worker was not the one that was tried"
    );
}
