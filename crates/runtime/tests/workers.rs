//! Runs in real workers behind the real wall.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod support;

use base::Coded;
use runtime::host::{Deadline, RunError};
use runtime::protocol::{Cause, Stop};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use support::{Heard, Home};
use tokio_util::sync::CancellationToken;

fn cause(result: &RunError) -> Cause {
    result.guest().unwrap_or_else(|| panic!("{result:?}")).cause
}

#[tokio::test]
async fn a_tool_runs_and_keeps_its_module_state() {
    let home = Home::new();
    let spec = home.tool(
        "counter",
        "let calls = 0; export default { helper() { return 'helped' }, async execute(p) { calls++; this.mine = (this.mine ?? 0) + 1;
            return { calls, mine: this.mine, got: p, helped: this.helper(), name: this.__toolName, env: process.env.GREETING } } }",
    );
    let first = home.run(&spec, json!({"a": [1, "二"]})).await.unwrap();
    assert_eq!(
        first,
        json!({"calls": 1, "mine": 1, "got": {"a": [1, "二"]}, "helped": "helped", "name": "counter", "env": "hello"})
    );
    let second = home.run(&spec, json!({})).await.unwrap();
    assert_eq!(
        (&second["calls"], &second["mine"]),
        (&json!(2), &json!(1)),
        "module state stays, `this` is new"
    );

    let mut changed = home.tool(
        "counter",
        "let calls = 100; export default { execute() { return ++calls } }",
    );
    changed.key = "other".into();
    assert_eq!(
        home.run(&changed, json!({})).await.unwrap(),
        json!(101),
        "other code, other worker"
    );
}

#[tokio::test]
async fn two_tools_share_nothing() {
    let home = Home::new();
    let a = home.tool(
        "a",
        "globalThis.x = 1; export default { execute() { return typeof globalThis.y } }",
    );
    let b = home.tool(
        "b",
        "import fs from 'fs'; globalThis.y = 1; export default { execute({path}) { return [typeof globalThis.x, fs.existsSync(path)] } }",
    );
    assert_eq!(home.run(&a, json!({})).await.unwrap(), json!("undefined"));
    let path = a.load.folder.join("a.tool.js");
    assert!(path.exists());
    assert_eq!(
        home.run(&b, json!({"path": path})).await.unwrap(),
        json!(["undefined", false])
    );
}

#[tokio::test]
async fn logs_progress_storage_and_errors_arrive() {
    let home = Home::new();
    let spec = home.tool(
        "talk",
        "export default {
            getBusinessErrors() { return [{ code: 'NOPE', description: 'd', solution: 's', match: /no+pe/i }] },
            execute({ fail }) {
                this.api.logger.info('hi', { a: 1 }); console.error('bad %d', 7); this.api.progress(1, 2, 'half');
                this.api.storage.setItem('k', { v: 1 });
                if (fail) throw new TypeError('nooope');
                return this.api.storage.getItem('k');
            } }",
    );
    let heard = Heard::default();
    let value = home
        .run_for(&spec, json!({}), Duration::from_secs(20), &heard)
        .await
        .unwrap();
    assert_eq!(value, json!({"v": 1}));
    assert_eq!(
        heard.lines(),
        [
            "Info hi {\"a\":1}",
            "Error bad 7",
            "Debug progress 1/Some(2.0) Some(\"half\")"
        ]
    );
    let stored = std::fs::read_to_string(spec.load.folder.join("data/storage.json")).unwrap();
    assert_eq!(stored, r#"{"k":{"v":1}}"#);

    let error = home.run(&spec, json!({"fail": true})).await.unwrap_err();
    let failure = error.guest().unwrap();
    assert_eq!(
        (failure.name.as_str(), failure.message.as_str()),
        ("TypeError", "nooope")
    );
    assert_eq!(failure.business.as_deref(), Some("NOPE"));
    assert_eq!(failure.line, Some(6), "{}", failure.stack);
    assert!(failure.stack.contains("talk.tool.js:6:"), "{}", failure.stack);
}

#[tokio::test]
async fn every_bad_end_has_its_cause_and_the_next_run_works() {
    let home = Home::new();
    let spec = home.tool(
        "bad",
        "export default { async execute({ how }) { switch (how) {
            case 'loop': for (;;);
            case 'microtasks': { const f = () => Promise.resolve().then(f); await f(); }
            case 'pending': return new Promise(() => {});
            case 'sleep': return new Promise((r) => setTimeout(r, 60000));
            case 'exit': process.exit(3);
            case 'abort': process.abort();
            case 'memory': { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); }
            case 'buffer': return new Uint8Array(2e9).length;
            case 'timer': setTimeout(() => { throw new Error('late') }, 1); return new Promise((r) => setTimeout(r, 5000));
            case 'rejection': Promise.reject(new Error('unheard')); return new Promise((r) => setTimeout(r, 5000));
            case 'stack': { const f = () => f() + 1; return f(); }
            case 'cycle': { const a = {}; a.a = a; return a; }
            case 'function': return () => 1;
            case 'regexp': return /(a+)+$/.test('a'.repeat(40) + 'b');
            default: return 'fine'; } } }",
    );
    for (how, expected) in [
        ("loop", Cause::TimeLimit),
        ("microtasks", Cause::TimeLimit),
        ("pending", Cause::NeverSettles),
        ("sleep", Cause::TimeLimit),
        ("exit", Cause::Exited),
        ("memory", Cause::MemoryLimit),
        ("buffer", Cause::MemoryLimit),
        ("timer", Cause::Threw),
        ("rejection", Cause::Threw),
        ("stack", Cause::Threw),
        ("cycle", Cause::NotSerializable),
        ("function", Cause::NotSerializable),
    ] {
        let started = Instant::now();
        let time = if expected == Cause::TimeLimit {
            Duration::from_millis(300)
        } else {
            Duration::from_secs(30)
        };
        let error = home
            .run_for(&spec, json!({"how": how}), time, &Heard::default())
            .await
            .unwrap_err();
        assert_eq!(cause(&error), expected, "{how}: {error:?}");
        assert!(started.elapsed() < Duration::from_secs(20), "{how}");
        let next = home.run(&spec, json!({})).await;
        assert_eq!(
            next.unwrap_or_else(|error| panic!("after {how}: {error:?}")),
            json!("fine"),
            "after {how}"
        );
    }
    // A native loop may not see the soft stop: killed, or stopped, but ended.
    let error = home
        .run_for(
            &spec,
            json!({"how": "regexp"}),
            Duration::from_millis(300),
            &Heard::default(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!("fine"));

    let error = home.run(&spec, json!({"how": "abort"})).await.unwrap_err();
    assert!(
        matches!(&error, RunError::Crashed { exit, .. } if exit == "signal 6"),
        "{error:?}"
    );
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!("fine"));
}

#[tokio::test]
async fn others_go_on_while_one_hangs_and_cancel_ends_it() {
    let home = Home::new();
    let hang = home.tool("hang", "export default { execute() { for (;;); } }");
    let fine = home.tool("fine", "export default { execute() { return 1 } }");
    let cancel = CancellationToken::new();
    let deadline = Deadline {
        time: Duration::from_secs(60),
        cancel: cancel.clone(),
    };
    let heard = Heard::default();
    let hanging = home.host.run_tool(&hang, &Value::Null, &deadline, &heard);
    let others = async {
        for _ in 0..5 {
            assert_eq!(home.run(&fine, json!({})).await.unwrap(), json!(1));
        }
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(hanging, others);
    let error = ended.unwrap_err();
    assert!(error.code() == "cancelled", "{error:?}");
}

#[tokio::test]
async fn calls_of_one_tool_wait_in_line() {
    let home = Home::new();
    let spec = home.tool(
        "line",
        "let inside = 0; export default { async execute() { inside++; await new Promise((r) => setTimeout(r, 2)); const seen = inside; inside--; return seen } }",
    );
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (host, spec) = (home.host.clone(), spec.clone());
        running.spawn(async move {
            let deadline = Deadline {
                time: Duration::from_secs(20),
                cancel: CancellationToken::new(),
            };
            host.run_tool(&spec, &Value::Null, &deadline, &Heard::default())
                .await
                .unwrap()
                .value
        });
    }
    while let Some(value) = running.join_next().await {
        assert_eq!(value.unwrap(), json!(1));
    }
    assert_eq!(home.host.warm(), 1, "one worker served them all");
}

#[tokio::test]
async fn scripts_compute_draw_and_are_checked() {
    let home = Home::new();
    assert_eq!(home.script("return input.n * 2").await.unwrap().value, json!(42));
    assert_eq!(home.script("await null").await.unwrap().value, json!(null));
    assert_eq!(
        home.script("return [typeof process, typeof Buffer, typeof setTimeout, typeof console.log]")
            .await
            .unwrap_err()
            .code(),
        "blocked_code"
    );
    assert_eq!(
        home.script("return [typeof Buffer, typeof setTimeout, typeof console.log]")
            .await
            .unwrap()
            .value,
        json!(["undefined", "function", "function"])
    );

    let drawn = home
        .script(
            "const c = getCanvas(20, 10); c.getContext('2d').fillRect(0, 0, 5, 5); return c === getCanvas()",
        )
        .await
        .unwrap();
    assert_eq!(drawn.value, json!(true));
    let picture = drawn.picture.unwrap();
    assert_eq!((picture.width, picture.height), (20, 10));
    assert!(picture.png.starts_with(b"\x89PNG"));
    assert!(home.script("return 1").await.unwrap().picture.is_none());

    let error = home.script("const a = 1;\nnull.x;").await.unwrap_err();
    let failure = error.guest().unwrap();
    assert_eq!(
        (failure.cause, failure.line),
        (Cause::Threw, Some(2)),
        "{}",
        failure.stack
    );
    let error = home.script("return (").await.unwrap_err();
    assert_eq!(
        (cause(&error), error.guest().unwrap().name.as_str()),
        (Cause::Threw, "SyntaxError")
    );
    assert_eq!(
        cause(&home.script("return 'x'.repeat(300000)").await.unwrap_err()),
        Cause::ResultTooLarge
    );
    assert_eq!(
        cause(&home.script("return 10n").await.unwrap_err()),
        Cause::NotSerializable
    );
    let error = home.script("for (;;);").await.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "timeout");
}

#[tokio::test]
async fn scripts_share_nothing() {
    let home = Home::new();
    home.script("globalThis.left = 1; Array.prototype.left = 2; return 1")
        .await
        .unwrap();
    assert_eq!(
        home.script("return [typeof left, [].left === undefined]")
            .await
            .unwrap()
            .value,
        json!(["undefined", true])
    );
}

#[tokio::test]
async fn tools_are_described_without_their_packages() {
    let home = Home::new();
    let spec = home.tool(
        "described",
        "import _, { chunk } from 'lodash'; import * as z from 'zod'; import fs from 'fs';
         export default {
            getMetadata: () => ({ name: 'd', version: '1.2.3', description: 'x' }),
            getSchema: async () => ({ parameters: { type: 'object', properties: { a: { type: 'string' } } } }),
            getDependencies() { return { lodash: '^4.0.0', zod: '*' } },
            getBusinessErrors: () => [{ code: 'A', description: 'b', solution: 'c', match: /x/ }],
            getRuntimeConfig() { throw new Error('oops') },
            execute() { return chunk([1], 1) } }",
    );
    let report = home
        .host
        .describe(spec.load.clone(), &home.root(), &Heard::default())
        .await
        .unwrap();
    assert_eq!(report["metadata"]["version"], "1.2.3");
    assert_eq!(report["dependencies"], json!({"lodash": "^4.0.0", "zod": "*"}));
    assert_eq!(
        report["schema"]["parameters"]["properties"]["a"]["type"],
        "string"
    );
    assert_eq!(
        report["businessErrors"],
        json!([{"code": "A", "description": "b", "solution": "c", "matchedBy": "pattern"}])
    );
    assert_eq!(
        report["problems"],
        json!([{"code": "getRuntimeConfig_failed", "message": "oops"}])
    );
    assert!(report["members"].as_array().unwrap().contains(&json!("execute")));

    let error = home.run(&spec, json!({})).await.unwrap_err();
    assert_eq!(
        (cause(&error), error.guest().unwrap().detail.clone()),
        (Cause::DependencyMissing, Some(json!("lodash")))
    );

    let broken = home.tool("broken", "export default { execute( }");
    let error = home
        .host
        .describe(broken.load, &home.root(), &Heard::default())
        .await
        .unwrap_err();
    assert_eq!(error.guest().unwrap().name, "SyntaxError");
    let endless = home.tool("endless", "for (;;);");
    let error = home
        .host
        .describe(endless.load, &home.root(), &Heard::default())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert!(matches!(
        error,
        RunError::Failed(_) | RunError::Killed { why: Stop::TimeLimit }
    ));
}

/// Shared by the cases below: what the worker says when it tries, and the host's own view.
static OUTSIDE: OnceLock<tempfile::TempDir> = OnceLock::new();

#[tokio::test]
async fn the_tool_reads_its_folder_and_writes_only_its_data() {
    let home = Home::new();
    let spec = home.tool(
        "files",
        "import fs from 'fs'; export default { execute({ op, path, to }) {
            try { const r = op === 'write' ? fs.writeFileSync(path, 'x') : op === 'read' ? fs.readFileSync(path, 'utf8').length
                : op === 'mkdir' ? fs.mkdirSync(path) : op === 'link' ? fs.symlinkSync(to, path) : op === 'rename' ? fs.renameSync(path, to)
                : op === 'unlink' ? fs.unlinkSync(path) : fs.readdirSync(path);
                return r ?? 'ok' } catch (e) { return e.code } } }",
    );
    let outside = OUTSIDE.get_or_init(|| tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    for name in ["token", "pm.db"] {
        std::fs::write(home.root().join(name), "secret").unwrap();
    }
    home.tool("other", "export default {}");
    std::fs::write(spec.load.folder.join(".env"), "A=1").unwrap();
    std::fs::write(spec.load.folder.join("run.log"), "").unwrap();
    std::fs::create_dir(spec.load.folder.join("node_modules")).unwrap();
    let folder = spec.load.folder.clone();
    let at = |path: &Path| path.to_string_lossy().into_owned();
    let ask = async |op: &str, path: PathBuf, to: &str| {
        home.run(&spec, json!({"op": op, "path": at(&path), "to": to}))
            .await
            .unwrap()
    };

    assert!(ask("read", folder.join("files.tool.js"), "").await.is_number());
    assert_eq!(ask("write", folder.join("data/a"), "").await, json!("ok"));
    assert_eq!(ask("mkdir", folder.join("data/d"), "").await, json!("ok"));
    assert_eq!(ask("write", folder.join("logs/a"), "").await, json!("ok"));
    for path in [
        "files.tool.js",
        "package.json",
        ".env",
        "run.log",
        "new.js",
        "node_modules/x.js",
    ] {
        let code = ask("write", folder.join(path), "").await;
        assert!(
            code == json!("EROFS") || code == json!("EACCES"),
            "{path}: {code}"
        );
    }
    assert_eq!(
        ask("unlink", folder.join("files.tool.js"), "").await,
        json!("EROFS")
    );
    assert_eq!(
        ask("link", folder.join("data/l"), &at(&home.root().join("token"))).await,
        json!("ok")
    );
    for path in [
        home.root().join("token"),
        home.root().join("pm.db"),
        home.root().join("toolbox/other/other.tool.js"),
        folder.join("../other/other.tool.js"),
        folder.join("data/l"),
        outside.path().join("secret"),
        PathBuf::from("/etc/shadow"),
        PathBuf::from("/root/.ssh/id_rsa"),
    ] {
        let code = ask("read", path.clone(), "").await;
        assert!(
            code == json!("ENOENT") || code == json!("EACCES"),
            "{}: {code}",
            path.display()
        );
    }
    // The host sees what happened, and what did not.
    assert_eq!(std::fs::read_to_string(folder.join("data/a")).unwrap(), "x");
    assert!(!folder.join("new.js").exists());
    assert_eq!(std::fs::read_to_string(folder.join(".env")).unwrap(), "A=1");
}

#[tokio::test]
async fn what_a_run_leaves_behind_is_not_the_next_ones() {
    let home = Home::new();
    let spec = home.tool(
        "leaves",
        "let ran = []; export default { async execute({ how }) {
            if (how === 'timer') { setTimeout(() => ran.push('timer'), 1); return process.memoryUsage().heapUsed }
            if (how === 'ticks') { process.nextTick(() => ran.push('tick')); for (;;); }
            if (how === 'memory') { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)) }
            if (how === 'large') { const held = new Uint8Array(1e8); setTimeout(() => ran.push(held), 1e6); return held.length }
            await new Promise((done) => setTimeout(done, 20)); return ran } }",
    );
    let short = Duration::from_millis(100);
    home.run(&spec, json!({"how": "timer"})).await.unwrap();
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!([]));
    // More than would fit if any of it stayed.
    for _ in 0..4 {
        assert_eq!(
            home.run(&spec, json!({"how": "large"})).await.unwrap(),
            json!(1e8 as u64)
        );
    }
    let heard = Heard::default();
    let error = home
        .run_for(&spec, json!({"how": "ticks"}), short, &heard)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!([]));
    // A full heap goes with its process, and that is said.
    let error = home.run(&spec, json!({"how": "memory"})).await.unwrap_err();
    assert_eq!(
        (error.code(), error.args()["state_lost"].clone()),
        ("memory_limit", json!(true))
    );
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), json!([]));
}
