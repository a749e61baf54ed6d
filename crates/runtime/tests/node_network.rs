//! Node's network in real workers against real servers: `net`, `dns`, `tls`, `http`, `fetch`,
//! `WebSocket`, and servers of tools. That nothing but what is granted is reached is shown by the same
//! call with and without the grant.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use support::reach::reach;
use support::web::{CA, secure_web, web};
use support::{Heard, Home};
use tokio::net::{TcpListener, TcpStream};

const TOOL: &str = r#"
import net from 'node:net'; import dns from 'node:dns/promises'; import tls from 'node:tls';
import http from 'node:http'; import https from 'node:https';
let runs = 0, agent, kept;
const failed = (error) => ({ code: error.code ?? error.cause?.code, name: error.name, message: error.message });
const body = (message) => new Promise((done, fail) => { let text = ''; message.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => done(text)).on('error', fail); });
const ask = (module, options) => new Promise((done) => {
  const request = module.get(options, async (message) => done({ status: message.statusCode, text: await body(message), reused: request.reusedSocket, alpn: message.socket.alpnProtocol, authorized: message.socket.authorized }));
  request.on('error', (error) => done(failed(error)));
});
const steps = {
  fetch: async ({ url }) => { try { return await (await fetch(url)).text(); } catch (error) { return failed(error); } },
  http: ({ options }) => ask(http, options),
  https: ({ options }) => ask(https, options),
  net: ({ host, port }) => new Promise((done) => {
    const socket = net.connect(port, host).on('error', (error) => done({ code: error.code, syscall: error.syscall, address: error.address, port: error.port, message: error.message }));
    socket.on('connect', () => { socket.end('GET /net HTTP/1.0\r\n\r\n'); body(socket).then((text) => done(text.split('\r\n')[0])); });
  }),
  lookup: async ({ host, options }) => { try { return await dns.lookup(host, options); } catch (error) { return failed(error); } },
  listen: ({ port, host }) => new Promise((done) => {
    const server = http.createServer((request, response) => response.end(`hello ${request.url}`));
    server.on('error', (error) => done(failed(error)));
    server.listen(port, host, async () => { const at = server.address(); done({ at: at.address, port: at.port, own: await (await fetch(`http://127.0.0.1:${at.port}/own`)).text() }); });
  }),
  async keep({ port }) {
    agent ??= new http.Agent({ keepAlive: true });
    const events = [];
    const first = await ask(http, { port, host: 'allowed.test', agent, path: '/one' });
    const second = await ask(http, { port, host: 'allowed.test', agent, path: '/two' });
    if (kept) events.push(kept.destroyed, kept.closed);
    kept = net.connect(port, 'allowed.test');
    kept.on('close', () => { kept.closed_ = true; });
    await new Promise((done) => kept.once('connect', done));
    return { runs: ++runs, reused: [first.reused, second.reused], events };
  },
  wait: ({ port }) => fetch(`http://allowed.test:${port}/slow`).then((r) => r.text()),
  socket: ({ url }) => new Promise((done) => { const socket = new WebSocket(url); socket.onerror = (event) => done({ code: event.error?.code }); socket.onopen = () => done('open'); }),
};
export default { execute: (parameters) => steps[parameters.step](parameters) };
"#;

async fn run(home: &Home, spec: &runtime::host::ToolSpec, step: Value) -> Value {
    home.run(spec, step).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_out_leads_through_the_host() {
    let (home, (port, seen), own) = (Home::new(), web().await, web().await.0);
    let mut spec = home.tool("web", TOOL);
    let ways = |host: &str, port: u16| {
        [
            json!({"step": "fetch", "url": format!("http://{host}:{port}/a")}),
            json!({"step": "http", "options": {"host": host, "port": port, "path": "/a"}}),
            json!({"step": "net", "host": host, "port": port}),
            json!({"step": "socket", "url": format!("ws://{host}:{port}/a")}),
        ]
    };
    for (host, port, code) in [
        ("allowed.test", port, "network_not_granted"),
        ("127.0.0.1", port, "network_loopback_not_granted"),
        ("10.0.0.1", 80, "network_not_granted"),
    ] {
        for way in ways(host, port) {
            assert_eq!(run(&home, &spec, way.clone()).await["code"], code, "{way}");
        }
    }
    assert!(seen.lock().unwrap().is_empty(), "nobody was reached");
    let granted = reach(&["allowed.test", "inner.test", "own.test"], &[port, own], &[own]);
    spec.reach = granted.0;
    for (host, port) in [("inner.test", 80), ("own.test", own), ("localhost", own)] {
        for way in ways(host, port) {
            let code = run(&home, &spec, way.clone()).await;
            assert_eq!(code["code"], "network_address_refused", "{way}");
        }
    }
    let [fetch, http, net, _] = ways("allowed.test", port);
    assert_eq!(run(&home, &spec, fetch).await, "GET /a HTTP/1.1");
    assert_eq!(run(&home, &spec, http).await["text"], "GET /a HTTP/1.1");
    assert_eq!(run(&home, &spec, net).await, "HTTP/1.1 200 OK");
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_told_as_node_tells_them() {
    let home = Home::new();
    let mut spec = home.tool("web", TOOL);
    // Nobody listens there.
    let gone = free_port().await;
    spec.reach = reach(&["allowed.test", "nowhere.test"], &[gone], &[]).0;
    let refused = run(
        &home,
        &spec,
        json!({"step": "net", "host": "allowed.test", "port": gone}),
    )
    .await;
    let message = format!("connect ECONNREFUSED 127.0.0.1:{gone}");
    assert_eq!(
        refused,
        json!({"code": "ECONNREFUSED", "syscall": "connect", "address": "127.0.0.1", "port": gone, "message": message})
    );
    let nowhere = run(
        &home,
        &spec,
        json!({"step": "net", "host": "nowhere.test", "port": 80}),
    )
    .await;
    assert_eq!(nowhere["message"], "getaddrinfo ENOTFOUND nowhere.test");
    let nowhere = run(
        &home,
        &spec,
        json!({"step": "fetch", "url": "http://nowhere.test/"}),
    )
    .await;
    assert_eq!(
        nowhere,
        json!({"code": "ENOTFOUND", "name": "TypeError", "message": "fetch failed"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_resolved_for_whom_they_are_granted() {
    let (home, (port, _)) = (Home::new(), web().await);
    let mut spec = home.tool("web", TOOL);
    let (granted, attempts) = reach(&["allowed.test:1", "inner.test", "own.test"], &[port], &[]);
    spec.reach = granted;
    let found = run(&home, &spec, json!({"step": "lookup", "host": "allowed.test"})).await;
    assert_eq!(found, json!({"address": "127.0.0.1", "family": 4}));
    for (host, code) in [
        ("other.test", "network_not_granted"),
        ("inner.test", "network_address_refused"),
    ] {
        let found = run(&home, &spec, json!({"step": "lookup", "host": host})).await;
        assert_eq!(found["code"], code, "{host}");
    }
    let refused = attempts.lock().unwrap();
    assert_eq!(refused.len(), 2, "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_trusts_whom_it_is_told_to() {
    let (home, port) = (Home::new(), secure_web().await);
    let mut spec = home.tool("web", TOOL);
    spec.reach = reach(&["allowed.test"], &[port], &[]).0;
    let ask = async |more: Value| {
        let mut options = json!({"host": "allowed.test", "port": port, "path": "/tls", "agent": false});
        options
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        run(&home, &spec, json!({"step": "https", "options": options})).await
    };
    let unknown = ask(json!({})).await;
    assert_eq!(unknown["code"], "UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    assert_eq!(unknown["message"], "unable to verify the first certificate");
    let known = ask(json!({"ca": CA, "ALPNProtocols": ["http/1.1"]})).await;
    assert_eq!(known["text"], "GET /tls HTTP/1.1", "{known}");
    assert_eq!(
        (&known["alpn"], &known["authorized"]),
        (&json!("http/1.1"), &json!(true))
    );
    let other = ask(json!({"ca": CA, "servername": "other.test"})).await;
    assert_eq!(other["code"], "ERR_TLS_CERT_ALTNAME_INVALID");
    let blind = ask(json!({"rejectUnauthorized": false, "maxVersion": "TLSv1.2"})).await;
    assert_eq!(
        (&blind["status"], &blind["authorized"]),
        (&json!(200), &json!(false))
    );
    // What was accepted once without looking is looked at again.
    assert_eq!(ask(json!({})).await["code"], "UNABLE_TO_VERIFY_LEAF_SIGNATURE");
}

/// A free, even port, and none of those from which the system connects (here from 32768 on): any connection
/// of another test could take one of these meanwhile.
async fn free_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    let start = (std::process::id() % 6_000) as u16;
    loop {
        let nth = (start + TRIED.fetch_add(1, Ordering::Relaxed)) % 6_000;
        let port = 20_000 + 2 * nth;
        if TcpListener::bind(("127.0.0.1", port)).await.is_ok() {
            return port;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_listen_on_loopback_where_granted_and_end_with_their_run() {
    let home = Home::new();
    let (port, own) = (free_port().await, free_port().await);
    let mut spec = home.tool("web", TOOL);
    let listen = |port: u16, host: &str| json!({"step": "listen", "port": port, "host": host});
    let refused = run(&home, &spec, listen(port, "127.0.0.1")).await;
    assert_eq!(refused["code"], "network_loopback_not_granted");
    spec.reach = reach(&[], &[port, own], &[own]).0;
    for (asked, host, code) in [
        (own, "127.0.0.1", "network_address_refused"),
        (port ^ 1, "127.0.0.1", "network_loopback_not_granted"),
        (port, "192.0.2.1", "network_listen_failed"),
    ] {
        let refused = run(&home, &spec, listen(asked, host)).await;
        assert_eq!(refused["code"], code, "{refused}");
    }
    for (asked, host) in [(port, "127.0.0.1"), (0, "0.0.0.0"), (port, "localhost")] {
        let listened = run(&home, &spec, listen(asked, host)).await;
        assert_eq!(
            listened,
            json!({"at": "127.0.0.1", "port": port, "own": "hello /own"})
        );
        // The run is over, and so is its server, though the worker is warm.
        assert_eq!(home.host.warm(), 1);
        assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_left_open_is_closed_and_the_next_begins_anew() {
    let (home, (port, seen)) = (Home::new(), web().await);
    let mut spec = home.tool("web", TOOL);
    spec.reach = reach(&["allowed.test"], &[port], &[]).0;
    for round in 1..=3 {
        let kept = run(&home, &spec, json!({"step": "keep", "port": port})).await;
        let events = if round == 1 {
            json!([])
        } else {
            json!([true, true])
        };
        let wanted = json!({"runs": round, "reused": [false, true], "events": events});
        assert_eq!(kept, wanted, "the same worker, no socket of before");
        until_ended(&seen, 2 * round).await;
    }
}

/// Waits until so many connections have ended at the server.
async fn until_ended(seen: &Mutex<Vec<String>>, count: usize) {
    let ended = || seen.lock().unwrap().iter().filter(|line| *line == "end").count();
    let waited = tokio::time::timeout(Duration::from_secs(20), async {
        while ended() < count {
            tokio::task::yield_now().await;
        }
    });
    waited.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_an_answer_ends_in_time_and_its_worker_goes_on() {
    let (home, (port, seen)) = (Home::new(), web().await);
    let mut spec = home.tool("web", TOOL);
    spec.reach = reach(&["allowed.test"], &[port], &[]).0;
    let wait = json!({"step": "wait", "port": port});
    let start = std::time::Instant::now();
    let late = home
        .run_for(&spec, wait, Duration::from_millis(500), &Heard::default())
        .await;
    assert!(late.is_err());
    assert!(start.elapsed() < Duration::from_secs(20));
    let after = run(
        &home,
        &spec,
        json!({"step": "fetch", "url": format!("http://allowed.test:{port}/b")}),
    );
    assert_eq!(after.await, "GET /b HTTP/1.1");
    until_ended(&seen, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_speaks_with_its_own_server() {
    let (home, port) = (Home::new(), free_port().await);
    let mut spec = home.tool("web", include_str!("fixtures/own_server.tool.js"));
    spec.reach = reach(&[], &[port], &[]).0;
    let wanted = json!({
        "text": {"method": "POST", "url": "/a?b", "body": "hi", "type": "text/plain", "length": "2"},
        "stream": {"method": "PUT", "url": "/", "body": "stream", "coding": "chunked"},
        "form": "multipart/form-data",
        "gzip": "small",
        "redirected": {"method": "GET", "url": "/here", "body": ""},
        "manual": 302,
        "refused": "unexpected redirect",
        "cut": "ECONNRESET",
        "aborted": "AbortError",
        "spoken": ["ahoi", 3001, true],
        "header": "ERR_INVALID_CHAR",
        "name": "ERR_INVALID_HTTP_TOKEN",
        "path": "ERR_UNESCAPED_CHARACTERS",
        "method": "ERR_INVALID_HTTP_TOKEN",
        "both": "HTTP/1.1 400 Bad Request",
        "twice": "HTTP/1.1 400 Bad Request",
        "hostless": "HTTP/1.1 400 Bad Request",
    });
    assert_eq!(run(&home, &spec, json!({"port": port})).await, wanted);
}
