//! Commands on a system that forbids namespaces, through `pm` and through MCP: the kernel itself
//! refuses them to `pm` and all that it starts, so the tier is what a person would get there. And
//! `pm doctor` on both kinds of system.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; looks at the files themselves"
)]

mod common;

use common::mcp::Mcp;
use common::{Home, bound, said, stdout};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::process::{Command, Output};

fn exec(home: &Home, options: &[&str], command: &str) -> Output {
    home.pm(&[&["workspace", "exec", "t1", "--json"], options, &["--", command]].concat())
}

/// Sleeps for a time that nobody else does.
fn survivors(seconds: u64) -> usize {
    let named = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let word = seconds.to_string();
        line.split(|byte| *byte == 0).any(|part| part == word.as_bytes())
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter(named).count()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[test]
fn doctor_says_what_commands_get_and_what_would_be_better() {
    let home = Home::new();
    let report = said(&home.pm(&["doctor", "--json"]));
    assert_eq!(report["tier"], "full", "{report:#}");
    let commands = report["tiers"].as_array().unwrap();
    let tiers: Vec<_> = commands
        .iter()
        .map(|one| (&one["tier"], &one["inUse"], &one["proved"]))
        .collect();
    let yes = json!(true);
    assert_eq!(
        tiers,
        [
            (&json!("full"), &yes, &yes),
            (&json!("reduced"), &json!(false), &yes)
        ]
    );
    for one in commands {
        let names = names(&one["checks"]);
        assert!(names.contains(&"canary_connect") && names.contains(&"command_canary_connect"));
    }
    let text = stdout(&home.pm(&["doctor"]));
    assert!(
        text.contains("tier full: 工具、脚本和工作空间的命令在此级别下运行"),
        "{text}"
    );
    assert!(text.contains("  ok   command_canary_read: without walls: reached, behind them: refused"));

    let home = Home::without_namespaces();
    std::fs::create_dir_all(home.path()).unwrap();
    std::fs::write(home.path().join("settings.json"), r#"{"language": "en"}"#).unwrap();
    let ran = home.pm(&["doctor", "--json"]);
    let report = said(&ran);
    assert_eq!(
        (ran.status.code(), &report["tier"]),
        (Some(0), &json!("reduced")),
        "{report:#}"
    );
    let [reduced] = &report["tiers"].as_array().unwrap()[..] else {
        panic!("{report:#}");
    };
    assert_eq!(
        (&reduced["tier"], &reduced["inUse"], &reduced["proved"]),
        (&json!("reduced"), &yes, &yes)
    );
    assert!(reduced["weaker"].as_array().unwrap().len() >= 6, "{reduced:#}");
    let advice = report["advice"][0].as_str().unwrap();
    assert!(
        advice.starts_with("bubblewrap is installed but may not make namespaces"),
        "{advice}"
    );
    let text = stdout(&home.pm(&["doctor"]));
    assert!(
        text.contains("tier reduced: Tools, scripts and commands run in this tier"),
        "{text}"
    );
    assert!(text.contains("  weak A command can change the hooks"), "{text}");
}

#[test]
fn a_command_without_namespaces_works_behind_what_is_left() {
    let home = Home::without_namespaces();
    let folder = bound(&home);
    let ran = said(&exec(
        &home,
        &[],
        "echo out; echo err >&2; echo x > made.txt; exit 3",
    ));
    assert_eq!(ran, json!({"stdout": "out\n", "stderr": "err\n", "exitCode": 3}));
    assert_eq!(std::fs::read_to_string(folder.join("made.txt")).unwrap(), "x\n");

    let token = home.path().join("token");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for text in [
        format!("cat '{}'", token.display()),
        format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}'"),
        format!("echo x > '{}/beside'", folder.parent().unwrap().display()),
    ] {
        let plain = Command::new("/bin/sh").args(["-c", &text]).output().unwrap();
        assert!(plain.status.success(), "without walls: {text}");
        let ran = said(&exec(&home, &[], &text));
        assert_ne!(ran["exitCode"], 0, "{text}: {ran}");
    }

    let seconds = 400_000_000 + u64::from(std::process::id());
    let text = format!("echo begun; setsid nohup sleep {seconds} & (sleep {seconds} &) ; sleep {seconds}");
    let late = said(&exec(&home, &["--timeout-ms", "3000"], &text));
    assert_eq!(
        (&late["code"], &late["args"]["timedOut"]),
        (&json!("command_timeout"), &json!(true))
    );
    assert!(
        late["args"]["stdout"].as_str().unwrap().starts_with("begun\n"),
        "{late}"
    );
    assert_eq!(survivors(seconds), 0);
}

#[test]
fn mcp_clients_get_the_same_tier_and_are_not_told_of_a_better_one() {
    let home = Home::without_namespaces();
    bound(&home);
    let served = home.serve();
    let mcp = Mcp::connect(&home, &served);
    let (failed, ran) = mcp.call(
        "run_command",
        json!({"taskId": "t1", "command": "echo $((6*7)); exit 5"}),
    );
    assert!(!failed, "{ran}");
    assert_eq!(ran, json!({"stdout": "42\n", "stderr": "", "exitCode": 5}));
    let text = format!("cat '{}'", home.path().join("token").display());
    let (_, ran) = mcp.call("run_command", json!({"taskId": "t1", "command": text}));
    assert!(ran["exitCode"] != 0 && ran["stdout"] == "", "{ran}");
    let hello = said(&home.pm(&["doctor", "--json"]));
    assert_eq!(hello["tiers"][0]["tier"], "reduced", "the running server says so");
}

#[test]
fn walls_with_a_hole_are_not_used_and_everybody_is_told() {
    let home = Home::with_a_hole();
    std::fs::create_dir_all(home.path()).unwrap();
    std::fs::write(home.path().join("settings.json"), r#"{"language": "en"}"#).unwrap();
    let folder = bound(&home);
    let ran = home.pm(&["doctor", "--json"]);
    let report = said(&ran);
    assert_eq!(
        (ran.status.code(), &report["tier"]),
        (Some(1), &json!("reduced")),
        "{report:#}"
    );
    let instead = report["instead"].as_str().unwrap();
    assert!(
        instead.contains("tier full failed") && instead.contains("command_canary_connect"),
        "{instead}"
    );
    let tiers: Vec<_> = (0..2)
        .map(|at| &report["tiers"][at])
        .map(|one| (&one["tier"], one["inUse"] == true, one["proved"] == true))
        .collect();
    assert_eq!(
        tiers,
        [(&json!("full"), false, false), (&json!("reduced"), true, true)]
    );
    let text = stdout(&home.pm(&["doctor"]));
    assert!(text.contains("  FAIL The walls of tier full failed"), "{text}");
    assert!(
        text.contains("  weak A stronger tier failed its self-test"),
        "{text}"
    );

    // As long as nobody else is the owner, and through a server.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::fs::write(folder.join("reach"), format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).unwrap();
    assert_eq!(said(&exec(&home, &[], "bash ./reach"))["exitCode"], 1);
    let served = home.serve();
    assert_eq!(said(&exec(&home, &[], "bash ./reach"))["exitCode"], 1);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let hello = runtime
        .block_on(served.client.server_hello(wire::None {}))
        .unwrap();
    assert_eq!(hello.isolation, "reduced", "the badge in the window");
    let isolation = runtime
        .block_on(served.client.workspace_isolation(wire::WorkspaceRef {
            task_id: "t1".to_owned(),
        }))
        .unwrap();
    assert_eq!(isolation.tier, wire::Tier::Reduced);
    assert_eq!(isolation.weaker[0].code, "unproved");
}

/// The temporary folders that a process holds.
fn held(pid: u32) -> Vec<std::path::PathBuf> {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let mut held: Vec<_> = files
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .filter(|path| path.to_string_lossy().starts_with("/tmp/pm-scratch-") && path.is_dir())
        .collect();
    held.sort();
    held.dedup();
    held
}

#[test]
fn temporary_folders_go_with_their_owner() {
    let home = Home::new();
    let served = home.serve();
    let tier = said(&home.pm(&["doctor", "--json"]))["tiers"][0]["tier"].clone();
    assert_eq!(tier, "full", "this machine cannot");
    assert!(
        held(served.child.id()).is_empty(),
        "its commands get theirs from bubblewrap"
    );
    for killed in [false, true] {
        let home = Home::without_namespaces();
        let mut served = home.serve();
        // The proof is made by now: one folder lies ready for the next command.
        said(&home.pm(&["doctor", "--json"]));
        let folders = held(served.child.id());
        assert_eq!(folders.len(), 1, "{folders:?}");
        match killed {
            false => assert_eq!(served.end(), Some(0)),
            true => served.kill(),
        }
        // One that was killed leaves it, until somebody starts.
        assert!(killed || !folders[0].exists());
        // Whoever is the next owner of whatever data home.
        let home = Home::new();
        let _served = home.serve();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while folders[0].exists() {
            assert!(std::time::Instant::now() < deadline, "{folders:?}");
            std::thread::yield_now();
        }
    }
}
