//! Tools in the machine's Node (`sandboxType: 'node'`), behind the product's own walls, in both tiers.
//! The machine has to have a Node that can run them.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and starts Node without a wall, too"
)]

mod support;

use base::Coded;
use runtime::host::{Engine, RunError, ToolSpec};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};
use support::reach::reach;
use support::stillness::Stillness;
use support::web::{CA, secure_web, web};
use support::{Heard, Home, homes};

fn node_tool(home: &Home, name: &str, body: &str) -> ToolSpec {
    ToolSpec {
        engine: Engine::Node,
        ..home.tool(name, body)
    }
}

#[tokio::test]
async fn a_tool_runs_in_node_and_keeps_its_state() {
    for home in homes() {
        let spec = node_tool(
            &home,
            "counter",
            "import fs from 'node:fs';
         let calls = 0;
         export default { async execute({ n }) {
           calls += 1;
           console.log('line', calls);
           this.api.progress(1, 2, 'half');
           this.api.storage.setItem('n', n);
           fs.writeFileSync('own.txt', 'x');
           return { calls, n: this.api.storage.getItem('n'), greeting: process.env.GREETING,
             secret: process.env.PM_APART ?? null, cwd: process.cwd(), node: Boolean(process.versions.v8) };
         } };",
        );
        let heard = Heard::default();
        let first = home
            .run_for(&spec, json!({"n": 7}), Duration::from_secs(20), &heard)
            .await
            .unwrap();
        let data = spec.load.folder.join("data");
        let expected = |calls: u32| json!({"calls": calls, "n": 7, "greeting": "hello", "secret": null, "cwd": data, "node": true});
        assert_eq!(first, expected(1));
        assert_eq!(
            heard.lines(),
            ["Info line 1", "Debug progress 1/Some(2.0) Some(\"half\")"]
        );
        assert_eq!(home.run(&spec, json!({"n": 7})).await.unwrap(), expected(2));
        assert!(data.join("own.txt").is_file());
    }
}

#[tokio::test]
async fn large_parameters_and_results_come_whole() {
    for home in homes() {
        let body = "export default { execute: ({ text, list }) => ({ chars: text.length, back: list }) };";
        let spec = node_tool(&home, "large", body);
        let list: Vec<u32> = (0..300_000).collect();
        let text = "字a".repeat(10 << 20);
        let params = json!({"text": text, "list": list});
        let said = home.run(&spec, params).await.unwrap();
        assert_eq!(said, json!({"chars": 20 << 20, "back": list}));
    }
}

async fn failed(home: &Home, name: &str, body: &str) -> RunError {
    let spec = node_tool(home, name, &format!("export default {{ {body} }};"));
    home.run(&spec, json!({})).await.unwrap_err()
}

#[tokio::test]
async fn what_goes_wrong_in_node_has_the_same_codes() {
    for home in homes() {
        let cases = [
            ("js_execution_failed", "execute() { throw new TypeError('no') }"),
            (
                "js_execution_failed",
                "execute: () => new Promise(() => setTimeout(() => { throw new Error('late') }, 1))",
            ),
            (
                "js_execution_failed",
                "execute: () => { Promise.reject(new Error('x')); return new Promise(() => setInterval(() => 1, 9)) }",
            ),
            ("process_exited", "execute() { process.exit(3) }"),
            ("never_settles", "execute: () => new Promise(() => {})"),
            ("non_json_serializable_return", "execute: () => 1n"),
            ("non_json_serializable_return", "execute: () => () => 1"),
            ("result_too_large", "execute: () => 'x'.repeat(17 << 20)"),
            ("result_too_large", "execute: () => Array(2_000_000).fill(0)"),
        ];
        for (at, (code, body)) in cases.into_iter().enumerate() {
            let error = failed(&home, &format!("t{at}"), body).await;
            assert_eq!(error.code(), code, "{body}: {error:?}");
        }
        let error = failed(
            &home,
            "business",
            "getBusinessErrors: () => [{ code: 'no_file', match: /ENOENT/ }],
         execute() { process.getBuiltinModule('fs').readFileSync('/nowhere') }",
        )
        .await;
        let guest = error.guest().unwrap();
        assert_eq!(guest.business.as_deref(), Some("no_file"));
        assert_eq!(guest.code.as_deref(), Some("ENOENT"));
    }
}

#[tokio::test]
async fn every_run_in_node_ends_in_time_with_all_that_it_started() {
    for home in homes() {
        let bodies = [
            "for (;;);",
            "return new Promise(() => setInterval(() => 1, 50));",
            "const go = () => { Promise.resolve().then(go); }; go(); return new Promise(() => {});",
            "execSync('sleep 60');",
            "spawn('setsid', ['sleep', '60'], { detached: true }); for (;;);",
        ];
        for (at, body) in bodies.into_iter().enumerate() {
            let spec = node_tool(
                &home,
                &format!("late{at}"),
                &format!(
                    "import {{ execSync, spawn }} from 'node:child_process';
                 export default {{ execute({{ wait }}) {{ if (!wait) return 1; {body} }} }};"
                ),
            );
            assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(1));
            let limit = Duration::from_millis(400);
            let still = Stillness::watch();
            let begin = Instant::now();
            let error = home
                .run_for(&spec, json!({"wait": 1}), limit, &Heard::default())
                .await
                .unwrap_err();
            let took = begin.elapsed();
            assert_eq!(error.code(), "timeout", "{body}");
            let right = limit + Duration::from_millis(250) + still.lost();
            assert!(took < right, "{body}: {took:?} of {right:?}");
        }
    }
}

#[tokio::test]
async fn what_a_run_leaves_ends_with_it() {
    for home in homes() {
        let spec = node_tool(
            &home,
            "leaver",
            "import { spawn } from 'node:child_process';
         import { readFile } from 'node:fs/promises';
         import { execFile } from 'node:child_process';
         import { setTimeout as wait } from 'node:timers/promises';
         import { promisify } from 'node:util';
         let calls = 0;
         async function awaited() {
           await promisify(execFile)('/bin/true');
           await readFile(import.meta.filename);
           await wait(5);
           return ++calls;
         }
         export default { execute({ how }) {
           if (how === 'timer') setInterval(() => 1, 1000);
           if (how === 'awaited') return awaited();
           if (how === 'child') spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref();
           return ++calls;
         } };",
        );
        for how in ["timer", "child"] {
            assert_eq!(
                home.run(&spec, json!({"how": how})).await.unwrap(),
                json!(1),
                "{how}"
            );
        }
        for calls in 1..=20 {
            let awaited = json!({"how": "awaited"});
            assert_eq!(home.run(&spec, awaited).await.unwrap(), json!(calls));
        }
    }
}

#[tokio::test]
async fn too_much_memory_ends_the_worker_and_the_next_run_has_a_new_one() {
    for home in homes() {
        let body = "const kept = [];
             export default { execute({ fill }) {
               while (fill === 'heap') kept.push(new Array(1000).fill(kept.length));
               while (fill === 'buffers') kept.push(Buffer.alloc(64 << 20, 1));
               return 'well';
             } };";
        let mut spec = node_tool(&home, "greedy", body);
        spec.load.heap = 64 << 20;
        let error = home.run(&spec, json!({"fill": "heap"})).await.unwrap_err();
        assert_eq!(error.code(), "memory_limit", "{error:?}");
        assert_eq!(home.run(&spec, json!({})).await.unwrap(), "well");
        let error = home.run(&spec, json!({"fill": "buffers"})).await.unwrap_err();
        assert!(
            ["js_execution_failed", "worker_crashed", "memory_limit"].contains(&error.code()),
            "{error:?}"
        );
        assert_eq!(home.run(&spec, json!({})).await.unwrap(), "well");
    }
}

const VISITOR: &str = r#"
import http from 'node:http'; import https from 'node:https'; import net, { connect } from 'node:net'; import tls from 'node:tls';
import { execFileSync } from 'node:child_process';
let calls = 0;
const body = (module, url, options) => new Promise((done, fail) => module.get(url, options, (message) => {
  let text = ''; message.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => done(text));
}).on('error', fail));
const raw = (socket) => new Promise((done, fail) => {
  socket.on('error', fail).on('data', (bytes) => { done(String(bytes).split('\r\n\r\n')[1]); socket.destroy(); });
  socket.write('GET /raw HTTP/1.1\r\nHost: x\r\n\r\n');
});
const steps = {
  fetch: async ({ url }) => (await fetch(url)).text(),
  http: ({ url }) => body(http, url, {}),
  kept: ({ url }) => body(http, url, { agent: (globalThis.agent ??= new http.Agent({ keepAlive: true })) }),
  https: ({ url, ca }) => body(https, url, { ca }),
  net: ({ host, port }) => raw(connect(port, host)),
  tls: ({ host, port, ca }) => raw(tls.connect({ host, port, ca, servername: host })),
  // Asks the proxy itself, without a word of ours between them.
  proxy: ({ host, port }) => new Promise((done, fail) => {
    const socket = connect(Number(new URL(process.env.HTTP_PROXY).port), '127.0.0.1', () => socket.write(`CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`));
    socket.on('error', fail).on('data', (bytes) => { done(String(bytes).slice(9, 12)); socket.destroy(); });
  }),
  curl: ({ url }) => execFileSync('curl', ['-sS', url], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  own: () => new Promise((done, fail) => {
    const server = net.createServer((socket) => socket.end('x\r\n\r\nown')).listen(0, () => raw(connect(server.address().port)).then(done, fail).finally(() => server.close()));
  }),
};
export default { async execute({ step, ...given }) {
  calls += 1;
  if (!step) return calls;
  try { return await steps[step](given) } catch (error) { const cause = error.cause ?? error; return { code: cause.code ?? cause.status, message: cause.message } }
} };
"#;

/// What the tool at this home says to a step, with these rights.
async fn visit(home: &Home, spec: &ToolSpec, hosts: &[&str], ports: &[u16], params: &Value) -> Value {
    let (mut reach, _) = reach(hosts, ports, &[]);
    reach.sockets = Some(home.root().join("run"));
    let spec = ToolSpec {
        reach,
        ..spec.clone()
    };
    home.run(&spec, params.clone()).await.unwrap()
}

#[tokio::test]
async fn node_reaches_what_is_granted_and_nothing_else() {
    let [home, reduced] = homes();
    let spec = node_tool(&home, "visitor", VISITOR);
    let (port, secure) = (web().await.0, secure_web().await);
    let plain = |host: &str, path: &str| format!("http://{host}:{port}/{path}");
    let steps = [
        (
            json!({"step": "fetch", "url": plain("allowed.test", "a")}),
            json!("GET /a HTTP/1.1"),
        ),
        (
            json!({"step": "fetch", "url": plain("127.0.0.1", "ip")}),
            json!("GET /ip HTTP/1.1"),
        ),
        (
            json!({"step": "http", "url": plain("localhost", "b")}),
            json!("GET /b HTTP/1.1"),
        ),
        (
            json!({"step": "kept", "url": plain("allowed.test", "c")}),
            json!("GET /c HTTP/1.1"),
        ),
        (
            json!({"step": "https", "url": format!("https://allowed.test:{secure}/d"), "ca": CA}),
            json!("GET /d HTTP/1.1"),
        ),
        (
            json!({"step": "net", "host": "allowed.test", "port": port}),
            json!("GET /raw HTTP/1.1"),
        ),
        (
            json!({"step": "tls", "host": "allowed.test", "port": secure, "ca": CA}),
            json!("GET /raw HTTP/1.1"),
        ),
        (
            json!({"step": "curl", "url": plain("allowed.test", "e")}),
            json!("GET /e HTTP/1.1"),
        ),
        (
            json!({"step": "proxy", "host": "allowed.test", "port": port}),
            json!("200"),
        ),
    ];
    for (params, expected) in &steps {
        let granted = visit(&home, &spec, &["allowed.test"], &[port, secure], params).await;
        assert_eq!(&granted, expected, "{params}");
        // The same worker, the next run: rights are the run's.
        let refused = visit(&home, &spec, &["other.test"], &[], params).await;
        match params["step"].as_str() {
            Some("proxy") => assert_eq!(refused, "403", "{params}"),
            Some("curl") => assert!(refused.to_string().contains("not granted"), "{refused}"),
            _ => {
                assert_eq!(refused["code"], "EACCES", "{params}: {refused}");
                assert!(
                    refused["message"].as_str().unwrap().contains("not granted"),
                    "{refused}"
                );
            }
        }
        let without = ToolSpec {
            key: "without".into(),
            ..spec.clone()
        };
        let alone = home.run(&without, params.clone()).await.unwrap();
        assert!(
            alone["code"].is_string() || alone["code"].is_u64(),
            "no way out: {alone}"
        );
        let behind = node_tool(&reduced, "visitor", VISITOR);
        let alone = visit(&reduced, &behind, &["allowed.test"], &[port, secure], params).await;
        assert!(
            alone["code"].is_string() || alone["code"].is_u64(),
            "no way out: {alone}"
        );
    }
    let (kept, hosts) = (&steps[3], ["allowed.test"]);
    for _ in 0..2 {
        assert_eq!(visit(&home, &spec, &hosts, &[port], &kept.0).await, kept.1);
    }
    let calls = visit(&home, &spec, &[], &[], &json!({})).await;
    assert_eq!(calls, 3, "a connection that is kept does not end the worker");
    let own = visit(&home, &spec, &[], &[], &json!({"step": "own"})).await;
    assert_eq!(own, "own", "its own loopback is its own");
}

/// Each gives what it got, or the code of the error.
const ATTACKS: &str = "import fs from 'node:fs';
import net from 'node:net';
import { execFileSync } from 'node:child_process';
const tried = (work) => { try { return String(work() ?? 'done') } catch (error) { return `no:${error.code ?? error.status}` } };
const connect = (port) => new Promise((answer) => {
  const socket = net.connect(port, '127.0.0.1', () => { socket.destroy(); answer('connected') });
  socket.on('error', (error) => answer(`no:${error.code}`));
});
export async function attack({ secret, folder, port, pid }) {
  return {
    read: tried(() => fs.readFileSync(secret, 'utf8')),
    list: tried(() => fs.readdirSync(secret.replace(/[^/]*$/, '')).length),
    write: tried(() => fs.writeFileSync(`${folder}/planted.js`, 'x')),
    readByChild: tried(() => execFileSync('/bin/cat', [secret], { stdio: ['ignore', 'pipe', 'ignore'] })),
    writeByChild: tried(() => execFileSync('/bin/sh', ['-c', `echo x > '${folder}/child.js'`], { stdio: 'ignore' })),
    kill: tried(() => process.kill(pid, 0)),
    environ: tried(() => fs.readFileSync(`/proc/${pid}/environ`).length),
    connect: await connect(port),
  };
}";

#[tokio::test]
async fn attacks_that_succeed_without_walls_fail_behind_them() {
    for home in homes() {
        let elsewhere = tempfile::tempdir().unwrap();
        let secret = elsewhere.path().join("secret.txt");
        std::fs::write(&secret, "hidden").unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let body = format!("{ATTACKS}\nexport default {{ execute: attack }};");
        let spec = node_tool(&home, "attacker", &body);
        let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
        let params = json!({
            "secret": secret, "folder": spec.load.folder, "port": listener.local_addr().unwrap().port(), "pid": victim.id(),
        });

        let main = spec.load.folder.join(&spec.load.main);
        let script = format!(
            "import('{}').then((tool) => tool.attack({params})).then((said) => console.log(JSON.stringify(said)))",
            main.display()
        );
        let output = Command::new("node")
            .args(["--no-warnings", "-e", &script])
            .output()
            .unwrap();
        let without: Value = serde_json::from_slice(&output.stdout).unwrap();
        for planted in ["planted.js", "child.js"] {
            std::fs::remove_file(spec.load.folder.join(planted)).unwrap();
        }
        let behind = home.run(&spec, params).await;
        victim.kill().unwrap();
        victim.wait().unwrap();
        let behind = behind.unwrap();
        for (name, said) in without.as_object().unwrap() {
            assert!(
                !said.as_str().unwrap().starts_with("no:"),
                "{name} without walls: {said}"
            );
            let held = behind[name].as_str().unwrap();
            assert!(held.starts_with("no:"), "{name} behind walls: {held}");
        }
        assert_eq!(without.as_object().unwrap().len(), 8);
        assert!(!spec.load.folder.join("planted.js").exists());
        assert!(!spec.load.folder.join("child.js").exists());
    }
}

/// A tool in Node writes into the channel whatever it likes.
#[tokio::test]
async fn forged_messages_of_a_tool_in_node_are_bounded() {
    for home in homes() {
        let body = "import fs from 'node:fs';
             const say = (message) => { const json = Buffer.from(JSON.stringify(message)); const head = Buffer.alloc(8); head.writeUInt32LE(json.length); fs.writeSync(4, Buffer.concat([head, json])); };
             export default { execute({ what, times }) {
               for (let i = 0; i < times; i++) say({ t: 'log', level: 'INFO', text: 'x'.repeat(what) });
               return 'said';
             } };";
        let spec = node_tool(&home, "forger", body);
        for (bytes, times, expected) in [
            (1000, 100, Ok(())),
            (1 << 20, 1, Err("worker_protocol")),
            (60_000, 10_000, Err("worker_protocol")),
        ] {
            let heard = Heard::default();
            let params = json!({"what": bytes, "times": times});
            let said = home.run_for(&spec, params, Duration::from_secs(20), &heard).await;
            assert_eq!(
                said.map(|_| ()).map_err(|error| error.code()),
                expected,
                "{bytes} x {times}"
            );
            let logged: usize = heard.lines().iter().map(String::len).sum();
            assert!(logged < 9 << 20, "{logged} bytes");
        }
    }
}

/// In KiB, since the last time it was asked for.
fn highest() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let highest = line.unwrap().trim().trim_end_matches(" kB").parse().unwrap();
    // Back to what is resident now.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    highest
}

/// Two bytes of text for each value, and tens of bytes of memory if they were all read.
#[tokio::test]
async fn a_forged_result_of_many_values_does_not_fill_the_owner() {
    for home in homes() {
        let body = "import fs from 'node:fs';
             export default { execute({ values }) {
               const json = Buffer.from(`{\"t\":\"log\",\"level\":\"INFO\",\"text\":[${'0,'.repeat(values)}0]}`);
               const head = Buffer.alloc(8);
               head.writeUInt32LE(json.length);
               fs.writeSync(4, head);
               for (let at = 0; at < json.length;) at += fs.writeSync(4, json, at);
               return 'said';
             } };";
        let spec = node_tool(&home, "forger", body);
        assert_eq!(
            home.run(&spec, json!({"values": 0})).await.unwrap_err().code(),
            "worker_protocol"
        );
        highest();
        let before = highest();
        let said = home.run(&spec, json!({"values": 31_000_000})).await;
        let grown = highest().saturating_sub(before) >> 10;
        assert_eq!(said.unwrap_err().code(), "worker_protocol");
        // The text itself, twice while its room grows.
        assert!(grown < 250, "{grown} MiB more");
    }
}

/// Node's interface for addons is stable, so the little that is used of it is declared here.
const ADDON: &str = r#"
#include <stddef.h>
typedef void *env; typedef void *value; typedef void *info;
extern int napi_create_function(env, const char *, size_t, value (*)(env, info), void *, value *);
extern int napi_create_int32(env, int, value *);
static value answer(env e, info i) { value v; napi_create_int32(e, 42, &v); return v; }
value napi_register_module_v1(env e, value exports) {
  value v; napi_create_function(e, "answer", 6, answer, NULL, &v); return v;
}
"#;

#[tokio::test]
async fn a_native_addon_is_refused_by_name_and_runs_in_node() {
    for home in homes() {
        let body = "import answer from '@scope/native';
             export default { getRuntimeConfig: () => ({ sandboxType: 'node' }), execute: () => answer() };";
        let spec = node_tool(&home, "addon", body);
        let package = spec.load.folder.join("node_modules/@scope/native");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("index.js"), "module.exports = require('./it.node');").unwrap();
        let source = package.join("it.c");
        std::fs::write(&source, ADDON).unwrap();
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .arg(package.join("it.node"))
            .arg(&source)
            .status();
        assert!(compiled.unwrap().success());

        let described = home
            .host
            .describe(spec.load.clone(), &home.root(), &Heard::default())
            .await
            .unwrap();
        assert_eq!(described["runtimeConfig"]["sandboxType"], "node");
        assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!(42));

        let quick = ToolSpec {
            engine: Engine::QuickJs,
            key: "quick".into(),
            ..spec
        };
        let error = home.run(&quick, json!({})).await.unwrap_err();
        assert_eq!(error.code(), "native_addon");
        let guest = error.guest().unwrap();
        assert_eq!(guest.detail, Some(json!("@scope/native")));
        assert_eq!(guest.code.as_deref(), Some("ERR_DLOPEN_FAILED"));
        assert!(guest.message.starts_with("'@scope/native' needs a native addon"));
        assert!(guest.message.contains("sandboxType: 'node'"));
    }
}
