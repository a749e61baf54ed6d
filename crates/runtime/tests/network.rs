//! Connections of real workers, through the broker, to real servers. Only names are made up: what
//! they lead to is judged by the real check. That a worker can make no socket of its own is proved
//! in `sandbox`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use runtime::host::Reach;
use runtime::host::net::Decision;
use runtime::protocol::Cause;
use serde_json::json;
use std::time::Duration;
use support::reach::reach;
use support::{Heard, Home};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

/// Sends back what it gets.
async fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = stream.split();
                let _ = tokio::io::copy(&mut reader, &mut writer).await;
            });
        }
    });
    port
}

const TOOL: &str = r#"
import network from 'node:_network';
let runs = 0, kept;
const text = (bytes) => String.fromCharCode(...bytes);
const bytes = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const steps = {
  async say({ host, port }) {
    const connection = await network.connect(host, port);
    await connection.write(bytes('hello'));
    connection.end();
    let said = '';
    for (let part; (part = await connection.read()); ) said += text(part);
    connection.close();
    return { said, at: connection.address, runs: ++runs };
  },
  async codes({ hosts }) {
    const codes = {};
    for (const [host, port] of hosts) {
      try { await network.connect(host, port); codes[host] = 'connected'; } catch (error) { codes[host] = error.code; }
    }
    return codes;
  },
  async much({ host, port, size }) {
    const connection = await network.connect(host, port);
    const sent = new Uint8Array(size);
    for (let at = 0; at < size; at++) sent[at] = at % 251;
    const writing = connection.write(sent).then(() => connection.end());
    let count = 0;
    for (let part; (part = await connection.read()); ) {
      for (const byte of part) if (byte !== count++ % 251) throw new Error('at ' + count);
    }
    await writing;
    return count;
  },
  async keep({ host, port }) { kept = await network.connect(host, port); return 'kept'; },
  async kept() { try { await kept.write(bytes('again')); return text(await kept.read()); } catch (error) { return error.code; } },
  async closed({ host, port }) {
    const connection = await network.connect(host, port);
    const reading = connection.read().catch((error) => error.code);
    connection.close();
    return [await reading, await connection.write(bytes('x')).catch((error) => error.code)];
  },
  async wait({ host, port }) { await (await network.connect(host, port)).read(); },
  many({ host, count, wanted }) {
    const codes = [];
    return new Promise((resolve) => {
      const over = (error) => { codes.push(error.code); if (codes.length === wanted) resolve(codes); };
      for (let n = 0; n < count; n++) {
        try { network.connect(host, 80).catch(over); } catch (error) { over(error); }
      }
    });
  },
};
export default { execute(p) { return steps[p.step](p) } };
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_reaches_whom_it_may_and_nobody_else() {
    let (home, port, own) = (Home::new(), echo().await, echo().await);
    let mut spec = home.tool("net", TOOL);
    let (allowed, attempts) = reach(
        &["allowed.test", "own.test", "inner.test", "metadata.test"],
        &[port, own],
        &[own],
    );
    spec.reach = allowed;
    let said = home
        .run(
            &spec,
            json!({"step": "say", "host": "allowed.test", "port": port}),
        )
        .await
        .unwrap();
    assert_eq!(said, json!({"said": "hello", "at": "127.0.0.1", "runs": 1}));
    let hosts = json!([
        ["other.test", port],
        ["inner.test", 80],
        ["metadata.test", 80],
        ["own.test", own],
        ["localhost", own],
        ["127.0.0.1", 1],
        ["::ffff:10.0.0.1", 80],
        ["169.254.169.254", 80],
        ["a b", 80],
    ]);
    let codes = home
        .run(&spec, json!({"step": "codes", "hosts": hosts}))
        .await
        .unwrap();
    let wanted = json!({
        "other.test": "network_not_granted",
        "inner.test": "network_address_refused",
        "metadata.test": "network_address_refused",
        "own.test": "network_address_refused",
        "localhost": "network_address_refused",
        "127.0.0.1": "network_loopback_not_granted",
        "::ffff:10.0.0.1": "network_not_granted",
        "169.254.169.254": "network_not_granted",
        "a b": "network_host_invalid",
    });
    assert_eq!(codes, wanted);
    let attempts = attempts.lock().unwrap();
    assert_eq!(attempts.len(), 10);
    assert_eq!(attempts[0].decision, Decision::Allowed);
    assert!(
        attempts[1..]
            .iter()
            .all(|one| matches!(one.decision, Decision::Refused(_))),
        "{attempts:?}"
    );
}

/// What changes is no part of the pool's key: the same worker goes on.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_by_default_and_what_is_granted_needs_no_new_worker() {
    let (home, port) = (Home::new(), echo().await);
    let mut spec = home.tool("net", TOOL);
    let ask = json!({"step": "codes", "hosts": [["allowed.test", port], ["localhost", port]]});
    let codes = home.run(&spec, ask.clone()).await.unwrap();
    let nothing = json!({"allowed.test": "network_not_granted", "localhost": "network_loopback_not_granted"});
    assert_eq!(codes, nothing);
    let say = json!({"step": "say", "host": "allowed.test", "port": port});
    for runs in [1, 2] {
        spec.reach = reach(&["allowed.test"], &[port], &[]).0;
        assert_eq!(home.run(&spec, say.clone()).await.unwrap()["runs"], runs);
        spec.reach = Reach::nothing();
        assert_eq!(home.run(&spec, ask.clone()).await.unwrap(), nothing);
    }
    assert_eq!(home.host.warm(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn much_goes_both_ways_and_sockets_end_with_their_run() {
    let (home, port) = (Home::new(), echo().await);
    let mut spec = home.tool("net", TOOL);
    spec.reach = reach(&["allowed.test"], &[port], &[]).0;
    let run = async |mut step: serde_json::Value| {
        step["host"] = "allowed.test".into();
        step["port"] = port.into();
        home.run(&spec, step).await.unwrap()
    };
    let size = 3 << 20;
    assert_eq!(run(json!({"step": "much", "size": size})).await, json!(size));
    assert_eq!(run(json!({"step": "keep"})).await, json!("kept"));
    // The same worker, and the same object in it; what it stood for is gone.
    assert_eq!(run(json!({"step": "kept"})).await, json!("ERR_SOCKET_CLOSED"));
    assert_eq!(home.host.warm(), 1);
    let closed = json!(["ERR_SOCKET_CLOSED", "ERR_SOCKET_CLOSED"]);
    assert_eq!(run(json!({"step": "closed"})).await, closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_the_network_ends_in_time() {
    let home = Home::new();
    // Accepts and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut spec = home.tool("net", TOOL);
    spec.reach = reach(&["allowed.test", "silent.test"], &[port], &[]).0;
    for host in ["allowed.test", "silent.test"] {
        let params = json!({"step": "wait", "host": host, "port": port});
        let late = home
            .run_for(&spec, params, Duration::from_millis(300), &Heard::default())
            .await;
        let late = late.unwrap_err();
        assert_eq!(
            late.guest().map(|failure| failure.cause),
            Some(Cause::TimeLimit),
            "{late:?}"
        );
    }
    // The worker's end of the first one is its own; it is closed with the worker.
    let (mut stream, _) = listener.accept().await.unwrap();
    home.host.shut_down();
    assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_a_worker_are_counted() {
    let (home, port) = (Home::new(), echo().await);
    let mut spec = home.tool("net", TOOL);
    spec.reach = reach(&["silent.test", "allowed.test"], &[port], &[]).0;
    // Of 140, 40 are more than a worker may have, and of the rest 32 are being made.
    let params = json!({"step": "many", "host": "silent.test", "count": 140, "wanted": 108});
    let codes = home.run(&spec, params).await.unwrap();
    assert_eq!(codes, json!(vec!["network_too_many"; 108]));
    let said = home
        .run(
            &spec,
            json!({"step": "say", "host": "allowed.test", "port": port}),
        )
        .await
        .unwrap();
    assert_eq!(
        said["said"], "hello",
        "what was not made is forgotten with its run"
    );
}
