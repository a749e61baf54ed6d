//! What a worker can do to its owner: it may write anything into the pipe between them. A run ends
//! with an error, and the next one gets a worker that is well. What a tool forges about runs of its
//! own is not an error: it may return what it likes, and nobody else has runs in its worker.

use crate::Deaf;
use crate::world::{World, hostile_worker};
use base::Coded;
use runtime::host::{Deadline, Host, RunError, ToolSpec};
use runtime::protocol::{FromGuest, Outcome, Usage};
use sandbox::{Launcher, Walls};
use serde_json::{Value, json};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Writes frames to every socket that the process has, then ends in the way that is asked for.
const TOOL: &str = r"
export default { async execute({ frames, then }) {
  const { sys, require } = globalThis.hostile;
  const { Buffer } = require('buffer');
  for (const { text, length = text.length, blob = 0 } of frames) {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(length, 0);
    head.writeUInt32LE(blob, 4);
    const bytes = new Uint8Array(Buffer.concat([head, Buffer.from(text)]));
    for (let file = 3; file < 32; file++) sys('sendto', file, bytes, bytes.length, 0, 0, 0);
  }
  if (then === 'exit') sys('exit_group', 0);
  if (then === 'close') for (let file = 3; file < 32; file++) sys('close', file);
  if (then) await new Promise((done) => setTimeout(done, 60000));
  return 'honest';
} }";

/// For what a worker in a debug build writes, on a machine that has much else to do; less than the tool waits.
const LONG: Duration = Duration::from_secs(40);
/// For what ends by this limit alone, or may.
const SHORT: Duration = Duration::from_secs(2);

async fn run(host: &Host, spec: &ToolSpec, params: &Value, time: Duration) -> Result<Value, RunError> {
    let deadline = Deadline {
        time,
        cancel: CancellationToken::new(),
    };
    Ok(host.run_tool(spec, params, &deadline, &Deaf).await?.value)
}

fn done(run: u64) -> String {
    let forged = FromGuest::Done {
        run,
        outcome: Outcome::Ok {
            value: json!("forged"),
            picture: None,
        },
        usage: Usage::default(),
        last: false,
    };
    serde_json::to_string(&forged).unwrap()
}

fn log(bytes: usize) -> String {
    json!({"t": "log", "level": "INFO", "text": "x".repeat(bytes)}).to_string()
}

#[tokio::test]
async fn whatever_a_worker_writes_the_owner_goes_on() {
    let world = World::new();
    let host = Host::with(Walls::new(Launcher::start().unwrap(), hostile_worker()));
    let mut spec = world.tool();
    std::fs::write(spec.load.folder.join(&spec.load.main), TOOL).unwrap();
    let text = |text: &str| json!({"frames": [{"text": text}], "then": "wait"});
    let ready = serde_json::to_string(&FromGuest::Ready).unwrap();
    let many: Vec<Value> = (0..1000)
        .map(|done| json!({"text": format!(r#"{{"t":"progress","done":{done},"total":null,"text":null}}"#)}))
        .collect();
    let cases = [
        (
            "too long",
            json!({"frames": [{"text": "", "length": u32::MAX}], "then": "wait"}),
            Err("worker_protocol"),
        ),
        (
            "too large",
            json!({"frames": [{"text": "", "blob": u32::MAX}], "then": "wait"}),
            Err("worker_protocol"),
        ),
        (
            "a picture, which tools have not",
            json!({"frames": [{"text": done(1), "blob": 1000}], "then": "wait"}),
            Err("worker_protocol"),
        ),
        ("no json", text("nonsense"), Err("worker_protocol")),
        (
            "no message",
            text(r#"{"t":"grant","directory":"/"}"#),
            Err("worker_protocol"),
        ),
        ("too deep", text(&"[".repeat(100_000)), Err("worker_protocol")),
        ("ready again", text(&ready), Err("worker_protocol")),
        ("another's run", text(&done(7)), Err("worker_protocol")),
        ("the run of loading", text(&done(0)), Err("worker_protocol")),
        ("its own run", text(&done(1)), Ok("forged")),
        (
            "its own run twice",
            json!({"frames": [{"text": done(1)}, {"text": done(1)}], "then": null}),
            Ok("forged"),
        ),
        (
            "the next run, too",
            json!({"frames": [{"text": done(1)}, {"text": done(2)}], "then": null}),
            Ok("forged"),
        ),
        ("much", json!({"frames": many, "then": null}), Ok("honest")),
        (
            "a message that is too long",
            json!({"frames": [{"text": log(100 << 10)}], "then": "wait"}),
            Err("worker_protocol"),
        ),
        (
            "a longer log than a run may have",
            json!({"frames": vec![json!({"text": log(60 << 10)}); 200], "then": "wait"}),
            Err("worker_protocol"),
        ),
        (
            "as long a log as a run may have",
            json!({"frames": vec![json!({"text": log(60 << 10)}); 100], "then": null}),
            Ok("honest"),
        ),
        (
            "half, then silence",
            json!({"frames": [{"text": "{", "length": 1000}], "then": "wait"}),
            Err("timeout"),
        ),
        (
            "half, then its end",
            json!({"frames": [{"text": "{", "length": 1000}], "then": "exit"}),
            Err("worker_crashed"),
        ),
        (
            "its end",
            json!({"frames": [], "then": "exit"}),
            Err("worker_crashed"),
        ),
        (
            "no pipe",
            json!({"frames": [], "then": "close"}),
            Err("worker_crashed"),
        ),
    ];
    let mut wrong = Vec::new();
    for (name, params, expected) in cases {
        name.clone_into(&mut spec.key);
        // What it closes stays open as long as its other thread reads from it, and that is until it is asked to stop.
        let closed = params["then"] == "close";
        let time = if closed || expected == Err("timeout") {
            SHORT
        } else {
            LONG
        };
        let found = run(&host, &spec, &params, time).await;
        let fits = match (&found, expected) {
            (Ok(value), Ok(wanted)) => value == wanted,
            (Err(error), Err(code)) => error.code() == code,
            _ => false,
        };
        // A worker that said it was done may still be busy.
        let busy = expected == Ok("forged");
        let time = if busy { SHORT } else { LONG };
        let next = run(&host, &spec, &json!({"frames": [], "then": null}), time).await;
        let well = matches!(&next, Ok(value) if value == "honest") || busy;
        if !fits || !well {
            wrong.push(format!("{name}: {found:?}, then {next:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
