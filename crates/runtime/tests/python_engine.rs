//! Tools in the machine's Python, behind the product's own walls, in both tiers. The machine has to have a Python 3.9
//! or newer.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and starts Python without a wall, too"
)]

mod support;

use base::Coded;
use runtime::host::{Engine, RunError, ToolSpec};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};
use support::reach::reach;
use support::stillness::Stillness;
use support::web::web;
use support::{Heard, Home, homes};

fn python_tool(home: &Home, name: &str, body: &str) -> ToolSpec {
    let mut spec = home.tool(name, "");
    spec.load.main = format!("{name}.tool.py");
    std::fs::remove_file(spec.load.folder.join(format!("{name}.tool.js"))).unwrap();
    std::fs::write(spec.load.folder.join(&spec.load.main), body).unwrap();
    ToolSpec {
        engine: Engine::Python,
        key: body.to_owned(),
        ..spec
    }
}

#[tokio::test]
async fn a_tool_runs_in_python_and_keeps_its_state() {
    for home in homes() {
        let body = r#"
import logging, os, sys
calls = 0

def execute(parameters, toolm):
    global calls
    calls += 1
    print("line", calls)
    print("one\ntwo", file=sys.stderr)
    logging.getLogger("x").info("from logging")
    toolm.logger.warn("warned", {"a": [1, "二"]})
    toolm.progress(1, 2, "half")
    toolm.storage.set_item("n", parameters["n"])
    with open("own.txt", "w") as file:
        file.write("x")
    return {
        "calls": calls, "n": toolm.storage.get_item("n"), "greeting": os.environ["GREETING"],
        "secret": os.environ.get("PM_APART"), "cwd": os.getcwd(), "name": toolm.tool_name,
        "there": toolm.resolve_path("a/../b") == os.path.join(toolm.allowed_directories()[0], "b"),
        "path": [entry for entry in sys.path if "packages" in entry],
    }
"#;
        let spec = python_tool(&home, "counter", body);
        let heard = Heard::default();
        let first = home
            .run_for(&spec, json!({"n": 7}), Duration::from_secs(20), &heard)
            .await
            .unwrap();
        let data = spec.load.folder.join("data");
        let expected = |calls: u32| {
            json!({"calls": calls, "n": 7, "greeting": "hello", "secret": null, "cwd": data, "name": "counter", "there": true,
                "path": []})
        };
        assert_eq!(first, expected(1));
        assert_eq!(
            heard.lines(),
            [
                "Info line 1",
                "Error one\ntwo",
                "Info from logging",
                "Warn warned {\"a\":[1,\"二\"]}",
                "Debug progress 1/Some(2.0) Some(\"half\")"
            ]
        );
        assert_eq!(home.run(&spec, json!({"n": 7})).await.unwrap(), expected(2));
        assert!(data.join("own.txt").is_file());
        let kept: Value = serde_json::from_slice(&std::fs::read(data.join("storage.json")).unwrap()).unwrap();
        assert_eq!(kept, json!({"n": 7}), "the same file as other tools have");
    }
}

#[tokio::test]
async fn functions_take_what_they_ask_for_and_may_be_asynchronous() {
    let [home, _] = homes();
    for (body, expected) in [
        ("def execute(parameters): return parameters", json!({"a": 1})),
        ("def execute(parameters, toolm=None): return toolm.tool_name", json!("t1")),
        ("def execute(): return 'nothing'", json!("nothing")),
        (
            "import asyncio\nasync def execute(parameters, toolm):\n  await asyncio.sleep(0.01)\n  return {'b': parameters['a'] + 1}",
            json!({"b": 2}),
        ),
        ("def execute(*given): return len(given)", json!(2)),
        ("def execute(parameters): return None", json!(null)),
        (
            "def execute(parameters): return [float('nan'), (1, True), 2.5, '\\ud800', '\\ud83d\\ude00']",
            json!([null, [1, true], 2.5, "\u{fffd}", "😀"]),
        ),
        (
            "import dataclasses, helper\ndef execute(parameters): return helper.value",
            json!("beside"),
        ),
    ]
    .into_iter()
    {
        let name = format!("t{}", body.contains("toolm=None") as u8);
        let spec = python_tool(&home, &name, body);
        std::fs::write(spec.load.folder.join("helper.py"), "value = 'beside'").unwrap();
        let said = home.run(&spec, json!({"a": 1})).await;
        assert_eq!(said.unwrap(), expected, "{body}");
    }
}

#[tokio::test]
async fn large_parameters_and_results_come_whole() {
    for home in homes() {
        let body = "def execute(p): return {'chars': len(p['text']), 'back': p['list']}";
        let spec = python_tool(&home, "large", body);
        let list: Vec<u32> = (0..300_000).collect();
        let text = "字a".repeat(4 << 20);
        let said = home
            .run(&spec, json!({"text": text, "list": list}))
            .await
            .unwrap();
        assert_eq!(said, json!({"chars": 8 << 20, "back": list}));
    }
}

#[tokio::test]
async fn what_goes_wrong_in_python_has_the_same_codes() {
    for home in homes() {
        let cases = [
            ("js_execution_failed", "raise TypeError('no')"),
            ("js_execution_failed", "execute(p)"),
            ("process_exited", "import sys; sys.exit(3)"),
            ("process_exited", "import sys; sys.exit((1, 2))"),
            (
                "dependency_missing",
                "raise ModuleNotFoundError('x', name='\\ud800')",
            ),
            (
                "js_execution_failed",
                "raise SyntaxError('x', ('f.py', -5, 'z', None))",
            ),
            (
                "js_execution_failed",
                "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()",
            ),
            ("dependency_missing", "import no_such_package"),
            ("non_json_serializable_return", "return {1, 2}"),
            ("non_json_serializable_return", "return {1: 2}"),
            ("non_json_serializable_return", "return 2**64"),
            ("non_json_serializable_return", "p['p'] = p; return p"),
            ("result_too_large", "return 'x' * (17 << 20)"),
            ("result_too_large", "return [0] * 2_000_000"),
            ("worker_crashed", "import os; os._exit(5)"),
        ];
        for (at, (code, body)) in cases.into_iter().enumerate() {
            let spec = python_tool(&home, &format!("t{at}"), &format!("def execute(p): {body}\n"));
            let error = home.run(&spec, json!({})).await.unwrap_err();
            assert_eq!(error.code(), code, "{body}: {error:?}");
        }
        let body = "import re
def get_business_errors():
    return [
        {'code': 'NO_NAME', 'match': lambda error: isinstance(error, KeyError)},
        {'code': 'NO_FILE', 'match': re.compile('No such')},
        {'code': 'OWN', 'match': ''},
    ]
def execute(p, toolm):
    if p['how'] == 'file':
        open('/nowhere')
    if p['how'] == 'own':
        raise toolm.Error('OWN', 'my own')
    return p['x']
";
        let spec = python_tool(&home, "business", body);
        for (how, business, code, line) in [
            ("file", "NO_FILE", Some("ENOENT"), 10),
            ("own", "OWN", Some("OWN"), 12),
            ("key", "NO_NAME", None, 13),
        ] {
            let error = home.run(&spec, json!({"how": how})).await.unwrap_err();
            let guest = error.guest().unwrap();
            assert_eq!(guest.business.as_deref(), Some(business), "{guest:?}");
            assert_eq!(guest.code.as_deref(), code, "{guest:?}");
            assert_eq!(guest.line, Some(line), "{guest:?}");
            let frame = format!(
                "execute ({}:{line}:",
                spec.load.folder.join(&spec.load.main).display()
            );
            assert!(guest.stack.contains(&frame), "{guest:?}");
        }
    }
}

#[tokio::test]
async fn every_run_in_python_ends_in_time_with_all_that_it_started() {
    for home in homes() {
        let bodies = [
            "while True: pass",
            "time.sleep(60)",
            "subprocess.run(['sleep', '60'])",
            "subprocess.Popen(['setsid', 'sleep', '60'])\n    while True: pass",
            "os.fork() or time.sleep(60)\n    while True: pass",
            "[1] * (1 << 20) == re.match('(a+)+$', 'a' * 40 + 'b')",
        ];
        for (at, body) in bodies.into_iter().enumerate() {
            let text = format!(
                "import os, re, subprocess, time\ndef execute(p):\n    if not p.get('wait'): return 1\n    {body}\n"
            );
            let spec = python_tool(&home, &format!("late{at}"), &text);
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
async fn what_a_run_in_python_leaves_ends_with_it() {
    for home in homes() {
        let body = "import asyncio, subprocess, threading, time
calls = 0
async def some():
    asyncio.create_task(asyncio.sleep(60))
    await asyncio.to_thread(time.sleep, 0.01)
def execute(p):
    global calls
    calls += 1
    if p['how'] == 'thread':
        threading.Thread(target=time.sleep, args=(60,)).start()
    if p['how'] == 'child':
        subprocess.Popen(['sleep', '60'])
    if p['how'] == 'done':
        subprocess.run(['true'])
        asyncio.run(some())
    return calls
";
        let spec = python_tool(&home, "leaver", body);
        for how in ["thread", "child"] {
            assert_eq!(
                home.run(&spec, json!({"how": how})).await.unwrap(),
                json!(1),
                "{how}"
            );
        }
        for calls in 1..=5 {
            assert_eq!(
                home.run(&spec, json!({"how": "done"})).await.unwrap(),
                json!(calls)
            );
        }
    }
}

#[tokio::test]
async fn too_much_memory_ends_the_worker_in_python() {
    for home in homes() {
        let body = "kept = []
def execute(p):
    while p.get('fill'): kept.append(bytearray(8 << 20))
    return 'well'
";
        let mut spec = python_tool(&home, "greedy", body);
        spec.load.heap = 64 << 20;
        let error = home.run(&spec, json!({"fill": 1})).await.unwrap_err();
        assert_eq!(error.code(), "memory_limit", "{error:?}");
        assert_eq!(home.run(&spec, json!({})).await.unwrap(), "well");
    }
}

#[tokio::test]
async fn what_threads_keep_at_once_is_all_kept() {
    let [home, _] = homes();
    let body = "from concurrent.futures import ThreadPoolExecutor
def execute(p, toolm):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: toolm.storage.set_item(n, n), range(64)))
    return sum(toolm.storage.get_item(n) for n in range(64))
";
    let spec = python_tool(&home, "threads", body);
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), 2016);
    let data: Vec<_> = std::fs::read_dir(spec.load.folder.join("data"))
        .unwrap()
        .collect();
    assert_eq!(data.len(), 1, "no drafts stay");
}

#[tokio::test]
async fn a_line_that_logging_cannot_write_ends_no_run() {
    let [home, _] = homes();
    let body = "import logging
def execute(p):
    logging.info('%d', 'x')
    return 'well'
";
    let spec = python_tool(&home, "badly", body);
    assert_eq!(home.run(&spec, json!({})).await.unwrap(), "well");
}

const VISITOR: &str = r#"
import asyncio, http.client, os, socket, subprocess, threading, urllib.request
from urllib.parse import urlsplit

def fetched(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()

def talked(stream):
    stream.sendall(b"GET /raw HTTP/1.1\r\nHost: x\r\n\r\n")
    said = b""
    while b"raw HTTP" not in said:
        part = stream.recv(4096)
        if not part:
            break
        said += part
    return said.decode().partition("\r\n\r\n")[2]

async def streamed(host, port):
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET /raw HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    said = await reader.readuntil(b"raw HTTP/1.1")
    writer.close()
    return said.decode().partition("\r\n\r\n")[2]

def client(host, port):
    connection = http.client.HTTPConnection(host, port)
    connection.request("GET", "/b")
    return connection.getresponse().read().decode()

# Asks the proxy itself, without a word of ours between them.
def proxied(host, port):
    stream = socket.create_connection(("127.0.0.1", urlsplit(os.environ["HTTP_PROXY"]).port))
    stream.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    return stream.recv(4096).decode()[9:12]

def own():
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: server.accept()[0].sendall(b"x\r\n\r\nraw HTTP own")).start()
    return talked(socket.create_connection(server.getsockname()))

steps = {
    "fetch": lambda p: fetched(p["url"]),
    "client": lambda p: client(p["host"], p["port"]),
    "socket": lambda p: talked(socket.create_connection((p["host"], p["port"]), timeout=10)),
    "asyncio": lambda p: asyncio.run(streamed(p["host"], p["port"])),
    "proxy": lambda p: proxied(p["host"], p["port"]),
    "curl": lambda p: subprocess.run(["curl", "-sS", p["url"]], capture_output=True, text=True, check=True).stdout,
    "own": lambda p: own(),
}

def execute(p):
    try:
        return steps[p["step"]](p)
    except Exception as error:
        reason = getattr(error, "reason", error)
        return {"code": getattr(reason, "errno", None), "message": f"{error} {reason} {getattr(error, 'stderr', '')}"}
"#;

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
async fn python_reaches_what_is_granted_and_nothing_else() {
    let [home, reduced] = homes();
    let spec = python_tool(&home, "visitor", VISITOR);
    let port = web().await.0;
    let url = |host: &str, path: &str| format!("http://{host}:{port}/{path}");
    let steps = [
        (
            json!({"step": "fetch", "url": url("allowed.test", "a")}),
            "GET /a HTTP/1.1",
        ),
        (
            json!({"step": "fetch", "url": url("127.0.0.1", "ip")}),
            "GET /ip HTTP/1.1",
        ),
        (
            json!({"step": "client", "host": "localhost", "port": port}),
            "GET /b HTTP/1.1",
        ),
        (
            json!({"step": "socket", "host": "allowed.test", "port": port}),
            "GET /raw HTTP/1.1",
        ),
        (
            json!({"step": "asyncio", "host": "allowed.test", "port": port}),
            "GET /raw HTTP/1.1",
        ),
        (
            json!({"step": "curl", "url": url("allowed.test", "e")}),
            "GET /e HTTP/1.1",
        ),
        (
            json!({"step": "proxy", "host": "allowed.test", "port": port}),
            "200",
        ),
    ];
    for (params, expected) in &steps {
        let granted = visit(&home, &spec, &["allowed.test"], &[port], params).await;
        assert_eq!(&granted, expected, "{params}");
        // The same worker, the next run: rights are the run's.
        let refused = visit(&home, &spec, &["other.test"], &[], params).await;
        match params["step"].as_str() {
            Some("proxy") => assert_eq!(refused, "403", "{params}"),
            // The proxy's answer, which curl prints.
            Some("curl") => assert!(refused.to_string().contains("not granted"), "{refused}"),
            _ => assert!(refused["message"].is_string(), "{params}: {refused}"),
        }
        if !matches!(params["step"].as_str(), Some("proxy" | "curl")) {
            assert_eq!(refused["code"], 13, "{params}: {refused}");
            assert!(refused.to_string().contains("not granted"), "{refused}");
        }
        let without = ToolSpec {
            key: "without".into(),
            ..spec.clone()
        };
        let alone = home.run(&without, params.clone()).await.unwrap();
        assert!(alone["message"].is_string(), "no way out: {alone}");
        let behind = python_tool(&reduced, "visitor", VISITOR);
        let alone = visit(&reduced, &behind, &["allowed.test"], &[port], params).await;
        assert!(alone["message"].is_string(), "no way out: {alone}");
    }
    let own = visit(&home, &spec, &[], &[], &json!({"step": "own"})).await;
    assert_eq!(own, "raw HTTP own", "its own loopback is its own");
}

/// Each gives what it got, or the name of the error.
const ATTACKS: &str = r#"
import ctypes, json, os, socket, subprocess, sys

def tried(work):
    try:
        return str(work() or "done")
    except Exception as error:
        return f"no:{type(error).__name__}"

def attack(p):
    secret, folder = p["secret"], p["folder"]
    def write(name):
        with open(f"{folder}/{name}", "w") as file:
            file.write("x")
    libc = ctypes.CDLL(None, use_errno=True)
    def raw():
        opened = libc.open(secret.encode(), 0)
        if opened < 0:
            raise OSError(ctypes.get_errno(), "open")
    return {
        "read": tried(lambda: open(secret).read()),
        "rawRead": tried(raw),
        "list": tried(lambda: os.listdir(os.path.dirname(secret))),
        "write": tried(lambda: write("planted.py")),
        "cached": tried(lambda: os.makedirs(f"{folder}/__pycache__")),
        "readByChild": tried(lambda: subprocess.run(["/bin/cat", secret], check=True, capture_output=True).stdout),
        "writeByChild": tried(lambda: subprocess.run(["/bin/sh", "-c", f"echo x > '{folder}/child.py'"], check=True, capture_output=True)),
        "kill": tried(lambda: os.kill(p["pid"], 0)),
        "environ": tried(lambda: open(f"/proc/{p['pid']}/environ", "rb").read()),
        "connect": tried(lambda: socket.create_connection(("127.0.0.1", p["port"])).close()),
    }
"#;

#[tokio::test]
async fn attacks_from_python_that_succeed_without_walls_fail_behind_them() {
    for home in homes() {
        let elsewhere = tempfile::tempdir().unwrap();
        let secret = elsewhere.path().join("secret.txt");
        std::fs::write(&secret, "hidden").unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let body = format!("{ATTACKS}\ndef execute(p): return attack(p)\n");
        let spec = python_tool(&home, "attacker", &body);
        let mut victim = Command::new("sleep").arg("60").spawn().unwrap();
        let params = json!({
            "secret": secret, "folder": spec.load.folder, "port": listener.local_addr().unwrap().port(), "pid": victim.id(),
        });
        let script = format!("{ATTACKS}\nprint(json.dumps(attack(json.loads(sys.argv[1]))))");
        let output = Command::new("python3")
            .args(["-I", "-B", "-c", &script, &params.to_string()])
            .output()
            .unwrap();
        let without: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        for planted in ["planted.py", "child.py"] {
            std::fs::remove_file(spec.load.folder.join(planted)).unwrap();
        }
        std::fs::remove_dir(spec.load.folder.join("__pycache__")).unwrap();
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
        assert_eq!(without.as_object().unwrap().len(), 10);
        for planted in ["planted.py", "child.py", "__pycache__"] {
            assert!(!spec.load.folder.join(planted).exists(), "{planted}");
        }
    }
}

/// A tool in Python writes into the channel whatever it likes.
#[tokio::test]
async fn forged_messages_of_a_tool_in_python_are_bounded() {
    for home in homes() {
        let body = "import json, os, struct
def say(message):
    content = json.dumps(message).encode()
    frame = struct.pack('<II', len(content), 0) + content
    while frame: frame = frame[os.write(4, frame):]
def execute(p):
    for _ in range(p['times']): say({'t': 'log', 'level': 'INFO', 'text': 'x' * p['what']})
    return 'said'
";
        let spec = python_tool(&home, "forger", body);
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

#[tokio::test]
async fn much_that_is_printed_is_counted_and_not_sent() {
    let [home, _] = homes();
    let body = "def execute(p):\n    for _ in range(2000): print('x' * 8000)\n    return 1\n";
    let spec = python_tool(&home, "talker", body);
    let heard = Heard::default();
    home.run_for(&spec, json!({}), Duration::from_secs(20), &heard)
        .await
        .unwrap();
    let lines = heard.lines();
    let last = lines.last().unwrap();
    assert!(last.contains("log messages over the limit"), "{last}");
    assert!(lines.iter().map(String::len).sum::<usize>() < 9 << 20);
}

async fn described(home: &Home, spec: &ToolSpec) -> Result<Value, RunError> {
    let heard = Heard::default();
    home.host.describe(spec.load.clone(), &home.root(), &heard).await
}

#[tokio::test]
async fn a_tool_in_python_is_described_without_its_packages_and_without_rights() {
    for home in homes() {
        let body = r#"import os
import requests
from pydantic import BaseModel, Field
import helper

class Asked(BaseModel):
    city: str = Field(min_length=1)

@requests.decorated
def kept(): return 7

VERSION = "1.2.0"

def get_metadata():
    return {"name": "Weather", "description": str(kept()), "version": VERSION, "tags": [helper.tag]}

def get_schema():
    return {"parameters": Asked.model_json_schema()}

def getBusinessErrors():
    import re
    return [
        {"code": "A", "match": re.compile("a"), "description": "d", "solution": "s"},
        {"code": "B", "match": "b"},
        {"code": "C"},
    ]

def get_system_dependencies():
    try:
        written = bool(open("data/x", "w"))
    except OSError:
        written = False
    return {"written": written, "home": os.path.exists(os.path.expanduser("~/.ssh"))}

def execute(parameters, toolm): pass
"#;
        let spec = python_tool(&home, "weather", body);
        std::fs::write(spec.load.folder.join("helper.py"), "tag = 'beside'").unwrap();
        let said = described(&home, &spec).await.unwrap();
        assert_eq!(
            said["metadata"],
            json!({"name": "Weather", "description": "7", "version": "1.2.0", "tags": ["beside"]})
        );
        assert_eq!(said["schema"], json!(null));
        let problem = &said["problems"][0];
        assert_eq!(problem["code"], "getSchema_failed", "{said}");
        assert_eq!(
            said["businessErrors"],
            json!([
                {"code": "A", "description": "d", "solution": "s", "matchedBy": "pattern"},
                {"code": "B", "matchedBy": "string"},
                {"code": "C", "matchedBy": "undefined"},
            ])
        );
        assert_eq!(
            said["systemDependencies"],
            json!({"written": false, "home": false})
        );
        assert_eq!(said["runtimeConfig"], json!({"sandboxType": "python"}));
        assert_eq!(
            said["members"],
            json!([
                "execute",
                "getMetadata",
                "getSchema",
                "getSystemDependencies",
                "getBusinessErrors"
            ])
        );
        let outline = &said["outline"];
        assert_eq!(
            outline["places"]["getMetadata.version"],
            json!([15, 60]),
            "{outline}"
        );
        assert_eq!(outline["places"]["getBusinessErrors.1.code"], json!([24, 10]));
        assert_eq!(outline["parameters"]["execute"], 2);
        assert_eq!(
            outline["imports"],
            json!([["requests", [2, 1]], ["pydantic", [3, 1]]])
        );
    }
}

#[tokio::test]
async fn the_top_of_a_module_does_what_it_likes_with_packages_that_are_not_there() {
    let [home, _] = homes();
    let body = "import platform, subprocess
import numpy as np
import pandas as pd
RADIANS = np.pi / 180
PLACE = platform.platform()
with np.errstate(all='ignore'):
    NEW = pd.VERSION >= (1, 2)
def shown(d: pd.DataFrame | None = None): return d
def get_metadata():
    return {'name': str(subprocess._mswindows), 'description': str(NEW), 'version': '1.0.0'}
def execute(p): return shown()
";
    let spec = python_tool(&home, "top", body);
    let report = described(&home, &spec).await.unwrap();
    assert_eq!(report["problems"], json!([]));
    let metadata = &report["metadata"];
    assert_eq!(
        (&metadata["name"], &metadata["description"]),
        (&json!("False"), &json!("False")),
        "the library knows which system this is"
    );
}

#[tokio::test]
async fn what_cannot_be_described_says_where() {
    let [home, _] = homes();
    for (body, name, line) in [
        ("x = 1\ndef execute(:\n  pass\n", "SyntaxError", 2),
        ("x = 1\n  y = 2\n", "SyntaxError", 2),
        ("\n\nraise ValueError('at the top')\n", "ValueError", 3),
    ] {
        let spec = python_tool(&home, "broken", body);
        let error = described(&home, &spec).await.unwrap_err();
        let guest = error.guest().unwrap();
        assert_eq!((guest.name.as_str(), guest.line), (name, Some(line)), "{guest:?}");
    }
    let spec = python_tool(&home, "slow", "while True: pass");
    assert_eq!(described(&home, &spec).await.unwrap_err().code(), "timeout");
}
