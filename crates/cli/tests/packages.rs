//! Packages of tools through the whole product: installed before a run, seen, verified, called off.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::Home;
use common::mcp::Mcp;
use common::registry::Registry;
use serde_json::{Value, json};
use std::process::Output;
use wire::{NpmInstall, NpmTarget, RunRef, RunState, RunWatch};

const RUN: &str = "6f0b6d0e-6d0a-4c86-9d4f-2f6f0f6a1c11";

fn said(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("{output:?}"))
}

/// A tool that gives what its package `p` says.
fn put(home: &Home, registry: &Registry, dependencies: &Value) {
    put_with(home, dependencies, "");
    let rc = home.path().join("toolbox/t/.npmrc");
    std::fs::write(rc, format!("registry={}\n", registry.address())).unwrap();
}

fn put_with(home: &Home, dependencies: &Value, more: &str) {
    let source = format!(
        "import p from 'p'; let runs = 0; export default {{ getDependencies: () => ({dependencies}), {more} \
         execute() {{ runs += 1; return `${{p}} ${{runs}}`; }} }}"
    );
    home.put_tool("t", &source);
}

fn shelf() -> Registry {
    let registry = Registry::start();
    registry.add(
        "p",
        "1.0.0",
        json!({"dependencies": {"q": "^1.0.0"}}),
        "module.exports = require('q') + ' one';",
    );
    registry.add("p", "2.0.0", json!({}), "module.exports = 'two';");
    registry.add(
        "q",
        "1.0.0",
        json!({"deprecated": "use r", "scripts": {"postinstall": "touch /tmp/never"}, "license": "MIT"}),
        "module.exports = 'q';",
    );
    registry
}

#[test]
fn packages_are_there_before_a_tool_runs_and_stay_when_a_change_fails() {
    let registry = shelf();
    let home = Home::new();
    put(&home, &registry, &json!({"p": "^1.0.0"}));
    let _served = home.serve();
    let run = || said(&home.pm(&["tool", "run", "t", "--json"]));
    let first = run();
    assert_eq!(first["result"], "q one 1", "{first}");
    let asked = registry.asked();
    assert_eq!(
        run()["result"],
        "q one 2",
        "the same worker, and nothing to install"
    );
    assert_eq!(registry.asked(), asked);

    let deps = said(&home.pm(&["tool", "deps", "t", "--json"]));
    assert_eq!(deps["settled"], true, "{deps}");
    assert_eq!(deps["declared"][0]["package"]["installed"], "1.0.0");
    let q = deps["packages"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"] == "q")
        .unwrap();
    assert_eq!(
        (&q["license"], &q["deprecated"], &q["script"]),
        (&json!("MIT"), &json!("use r"), &json!(true))
    );
    let log = home.log_of("t");
    for part in [
        "依赖已安装 - 包: 2, 下载: 2",
        "安装脚本未运行: q@1.0.0",
        "已弃用 - q@1.0.0: use r",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let folder = home.path().join("toolbox/t");
    let verified = home.pm(&["npm", "verify", folder.to_str().unwrap(), "--json"]);
    assert_eq!(said(&verified)["differences"], json!([]));

    // The worker of the old packages ends with them.
    put(&home, &registry, &json!({"p": "^2.0.0"}));
    assert_eq!(run()["result"], "two 1");
    let lock = std::fs::read(folder.join("package-lock.json")).unwrap();
    let lock: Value = serde_json::from_slice(&lock).unwrap();
    assert_eq!(lock["packages"]["node_modules/p"]["version"], "2.0.0", "{lock}");
    let verified = home.pm(&["npm", "verify", folder.to_str().unwrap(), "--json"]);
    assert_eq!(said(&verified)["differences"], json!([]));
    let stamp = || std::fs::read(folder.join("node_modules/.pm-stamp.json")).unwrap();
    let before = stamp();
    put(&home, &registry, &json!({"p": "^7.0.0"}));
    let failed = run();
    assert_eq!(failed["error"]["code"], "package_not_found", "{failed}");
    assert_eq!(failed["error"]["args"]["spec"], "^7.0.0");
    assert_eq!(stamp(), before, "the old tree is as it was");
    put(&home, &registry, &json!({"p": "^2.0.0"}));
    assert_eq!(run()["result"], "two 2", "the worker that was there");
}

#[test]
fn a_package_that_vanished_comes_back_and_what_came_with_a_tool_reads_nothing_of_others() {
    let registry = shelf();
    let home = Home::new();
    put(&home, &registry, &json!({"p": "1.0.0"}));
    let _served = home.serve();
    let run = || said(&home.pm(&["tool", "run", "t", "--json"]));
    assert_eq!(run()["success"], true);
    std::fs::remove_dir_all(home.path().join("toolbox/t/node_modules/p")).unwrap();
    assert_eq!(run()["result"], "q one 1");
    let secret = home.outside("elsewhere").join("secret.tgz");
    std::fs::write(&secret, "not for tools").unwrap();
    put(
        &home,
        &registry,
        &json!({"p": format!("file:{}", secret.display())}),
    );
    let refused = run();
    assert_eq!(refused["error"]["code"], "package_io", "{refused}");
}

#[test]
fn commands_are_looked_for_and_their_versions_asked() {
    let registry = shelf();
    let home = Home::new();
    let with = |range: &str, more: &str| {
        put_with(&home, &json!({"p": "2.0.0", "tar": range}), more);
        let rc = home.path().join("toolbox/t/.npmrc");
        std::fs::write(rc, format!("registry={}\n", registry.address())).unwrap();
        said(&home.pm(&["tool", "run", "t", "--json"]))
    };
    // What an owner that was killed left.
    let left = home.path().join("run/commands/left");
    std::fs::create_dir_all(&left).unwrap();
    // No such package: it can only be the command.
    let done = with(">=1.0.0", "");
    let beginnings = std::fs::read_dir(left.parent().unwrap()).unwrap();
    assert_eq!(beginnings.count(), 0, "nor does one of its own stay");
    assert_eq!(done["result"], "two 1", "{done}");
    let manifest = std::fs::read_to_string(home.path().join("toolbox/t/package.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["dependencies"], json!({"p": "2.0.0"}));
    let old = with(">=99.0.0", "");
    assert_eq!(old["error"]["code"], "command_version", "{old}");
    let missing = with("*", "getSystemDependencies: () => ['no-such-command-here'],");
    assert_eq!(missing["error"]["code"], "command_missing", "{missing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_install_is_watched_and_called_off() {
    let registry = shelf();
    let home = Home::new();
    put(&home, &registry, &json!({"p": "^1.0.0"}));
    let served = home.serve();
    registry.close(true);
    let client = served.client.clone();
    let installing = tokio::spawn(async move {
        let target = NpmTarget {
            tool: Some("t".into()),
            folder: None,
        };
        let run = Some(RUN.to_owned());
        client
            .npm_install(NpmInstall {
                target,
                run,
                ..NpmInstall::default()
            })
            .await
    });
    let waiting = registry.clone();
    tokio::task::spawn_blocking(move || waiting.wait_for(".tgz"))
        .await
        .unwrap();
    let watch = |version| RunWatch {
        run: RUN.to_owned(),
        from: 0,
        version,
    };
    let mut news = served.client.run_watch(watch(0)).await.unwrap();
    while !news.progress.as_ref().is_some_and(|at| at.text.contains("0/2")) {
        news = served.client.run_watch(watch(news.version)).await.unwrap();
    }
    assert!((20.0..75.0).contains(&news.progress.unwrap().done));
    let tool = wire::ToolRef { tool: "t".into() };
    let deps = served.client.tool_dependencies(tool).await.unwrap();
    assert_eq!(deps.installing.as_deref(), Some(RUN));
    served
        .client
        .run_cancel(RunRef { run: RUN.to_owned() })
        .await
        .unwrap();
    match installing.await.unwrap() {
        Err(wire::ClientError::Call(error)) => assert_eq!(error.code, "cancelled"),
        other => panic!("{other:?}"),
    }
    while news.state != RunState::Ended {
        news = served.client.run_watch(watch(news.version)).await.unwrap();
    }
    assert!(!home.path().join("toolbox/t/node_modules").exists());
    let runs = served.client.run_list(Default::default()).await.unwrap().runs;
    assert_eq!(
        (runs[0].subject.as_str(), runs[0].error.as_deref()),
        ("install:t", Some("cancelled"))
    );
    registry.close(false);
    assert_eq!(
        said(&home.pm(&["tool", "run", "t", "--json"]))["result"],
        "q one 1"
    );
}

#[test]
fn an_mcp_client_hears_how_far_an_install_is() {
    let registry = shelf();
    let home = Home::new();
    put(&home, &registry, &json!({"p": "^1.0.0"}));
    let served = home.serve();
    let heard = Mcp::connect(&home, &served).progress("toolm", json!({"yaml": "tool: tool://t"}));
    assert!(!heard.is_empty());
    assert!(heard.windows(2).all(|two| two[0].0 < two[1].0), "{heard:?}");
    assert!(heard.iter().all(|(done, total)| done <= total));
}

#[test]
fn a_folder_of_the_person_is_installed_into_and_verified() {
    let registry = shelf();
    let home = Home::new();
    let folder = home.outside("project");
    let at = folder.to_str().unwrap();
    let pm = |args: &[&str]| {
        let mut command = home.command(args);
        command.env("NPM_REGISTRY", registry.address()).output().unwrap()
    };
    assert_eq!(said(&pm(&["npm", "install", at, "--json"]))["code"], "package_io");
    std::fs::write(folder.join("package.json"), r#"{"dependencies": {"p": "1"}}"#).unwrap();
    assert_eq!(
        said(&pm(&["npm", "install", at, "--frozen", "--json"]))["code"],
        "package_lock_stale"
    );
    assert_eq!(
        said(&pm(&["npm", "install", at, "--offline", "--json"]))["code"],
        "package_offline"
    );
    let done = said(&pm(&["npm", "install", at, "--json"]));
    assert_eq!(
        (&done["changed"], &done["packages"], &done["fetched"]),
        (&json!(true), &json!(2), &json!(2))
    );
    assert_eq!(said(&pm(&["npm", "install", at, "--json"]))["changed"], false);
    assert_eq!(said(&pm(&["npm", "cache", "info", "--json"]))["packages"], 2);
    std::fs::remove_dir_all(folder.join("node_modules/q")).unwrap();
    let differs = pm(&["npm", "verify", at, "--json"]);
    assert_eq!(differs.status.code(), Some(1));
    assert_eq!(
        said(&differs)["differences"],
        json!([{"what": "missing", "path": "node_modules/q"}])
    );
    // From the store alone.
    let again = said(&pm(&["npm", "install", at, "--again", "--offline", "--json"]));
    assert_eq!((&again["changed"], &again["fetched"]), (&json!(true), &json!(0)));
    assert_eq!(pm(&["npm", "verify", at]).status.code(), Some(0));
    assert_eq!(
        said(&pm(&["npm", "cache", "gc", "--json"]))["packages"],
        2,
        "no tool uses them"
    );
    let inside = home.path().join("store");
    let refused = pm(&["npm", "install", inside.to_str().unwrap(), "--json"]);
    assert_eq!(said(&refused)["code"], "directory_reserved");
}

/// What a script would like to do: read what is the person's, write elsewhere, change its neighbours.
fn greedy(home: &Home, secret: &std::path::Path, written: &std::path::Path) -> String {
    let token = home.path().join("token");
    format!(
        "cat '{}' > stolen; cat '{}' >> stolen; echo x > '{}'; echo broken >> ../p/index.js; rm -f ../p/package.json; \
         echo said by $npm_package_name $npm_lifecycle_event; echo \"module.exports = 'made'\" > made.js; exit 0",
        secret.display(),
        token.display(),
        written.display()
    )
}

#[test]
fn a_script_runs_when_a_person_allowed_just_that_package_and_behind_walls() {
    let registry = Registry::start();
    let home = Home::new();
    let elsewhere = home.outside("elsewhere");
    let (secret, written) = (elsewhere.join("secret"), elsewhere.join("written"));
    std::fs::write(&secret, "not for scripts\n").unwrap();
    let text = greedy(&home, &secret, &written);
    registry.add(
        "p",
        "1.0.0",
        json!({"dependencies": {"q": "^1.0.0"}}),
        "module.exports = require('q');",
    );
    let code = "let made = 'q'; try { made = require('./made.js') } catch {} module.exports = made;";
    let scripted = |text: &str| json!({"scripts": {"postinstall": text}});
    registry.add("q", "1.0.0", scripted(&text), code);
    put(&home, &registry, &json!({"p": "1.0.0"}));
    let _served = home.serve();
    let run = || said(&home.pm(&["tool", "run", "t", "--json"]));
    let tree = home.path().join("toolbox/t/node_modules");
    assert_eq!(run()["result"], "q 1");
    assert!(!tree.join("q/made.js").exists());

    // Without walls the same script gets what it wants.
    let plain = home.outside("plain");
    std::fs::create_dir_all(plain.join("p")).unwrap();
    std::fs::create_dir_all(plain.join("q")).unwrap();
    let ended = std::process::Command::new("/bin/sh")
        .args(["-c", &text])
        .current_dir(plain.join("q"))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let stolen = std::fs::read_to_string(plain.join("q/stolen")).unwrap();
    assert!(
        stolen.starts_with("not for scripts\n") && stolen.len() > 30,
        "the secret and the token"
    );
    assert!(plain.join("p/index.js").exists());
    std::fs::remove_file(&written).unwrap();

    let grant = |package: &str| home.pm(&["tool", "grant", "t", "--script", package]);
    let unknown = grant("q@9.9.9");
    assert!(!unknown.status.success());
    assert!(
        String::from_utf8_lossy(&unknown.stderr).contains("q@9.9.9"),
        "{unknown:?}"
    );
    assert!(grant("q@1.0.0").status.success());
    let package = |name: &str| {
        let deps = said(&home.pm(&["tool", "deps", "t", "--json"]));
        let packages = deps["packages"].as_array().unwrap().clone();
        packages.into_iter().find(|one| one["name"] == name).unwrap()
    };
    assert_eq!(
        (&package("q")["script"], &package("q")["scriptAllowed"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(package("p")["scriptAllowed"], false);
    assert_eq!(run()["result"], "made 1", "before the next run, in a new tree");
    assert_eq!(std::fs::read_to_string(tree.join("q/stolen")).unwrap(), "");
    assert!(!written.exists());
    assert_eq!(
        std::fs::read_to_string(tree.join("p/index.js")).unwrap(),
        "module.exports = require('q');"
    );
    assert!(tree.join("p/package.json").exists());
    let damaged = said(&home.pm(&["npm", "cache", "verify", "--json"]));
    assert_eq!(damaged["damaged"], json!([]), "the store is as it was");
    let log = home.log_of("t");
    for part in [
        "安装脚本未运行: q@1.0.0",
        "运行安装脚本 - q@1.0.0 postinstall",
        "said by q postinstall",
        "安装脚本已运行: q@1.0.0",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert_eq!(run()["result"], "made 2", "once");
    let listed = said(&home.pm(&["grant", "list", "--json"]));
    assert!(
        listed["grants"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["kind"] == "script" && row["value"] == "q@1.0.0"),
        "{listed}"
    );

    // The same name and version with other content is another package.
    registry.add("q", "1.0.0", scripted(&text), &format!("{code} // another"));
    let forget = || {
        std::fs::remove_file(home.path().join("toolbox/t/package-lock.json")).unwrap();
        std::fs::remove_dir_all(&tree).unwrap();
    };
    forget();
    assert_eq!(run()["result"], "q 1");
    assert_eq!(package("q")["scriptAllowed"], false);

    assert!(grant("q@1.0.0").status.success());
    assert_eq!(run()["result"], "made 1");
    assert!(
        home.pm(&["tool", "revoke", "t", "--script", "q@1.0.0"])
            .status
            .success()
    );
    assert_eq!(run()["result"], "q 1", "the tree is made again without it");
    let again = home.pm(&["tool", "revoke", "t", "--script", "q@1.0.0"]);
    assert!(!again.status.success(), "there is none any more");
}

#[test]
fn a_script_that_fails_leaves_the_old_tree_and_takes_an_optional_package_out() {
    let registry = shelf();
    let home = Home::new();
    put(&home, &registry, &json!({"p": "1.0.0"}));
    let _served = home.serve();
    let run = || said(&home.pm(&["tool", "run", "t", "--json"]));
    assert_eq!(run()["result"], "q one 1");
    let fails = json!({"scripts": {"install": "echo out; echo the reason >&2; exit 3"}});
    registry.add("r", "1.0.0", fails, "module.exports = 'r';");
    registry.add(
        "p",
        "3.0.0",
        json!({"dependencies": {"r": "1.0.0"}}),
        "module.exports = 'three ' + require('r');",
    );
    let optional = "let r = 'none'; try { r = require('r') } catch {} module.exports = 'four ' + r;";
    registry.add(
        "p",
        "4.0.0",
        json!({"optionalDependencies": {"r": "1.0.0"}}),
        optional,
    );
    let grant = || {
        let granted = home.pm(&["tool", "grant", "t", "--script", "r@1.0.0"]);
        assert!(granted.status.success(), "{granted:?}");
    };
    put(&home, &registry, &json!({"p": "3.0.0"}));
    assert_eq!(run()["result"], "three r 1");
    grant();
    let failed = run();
    assert_eq!(failed["error"]["code"], "package_script_failed", "{failed}");
    assert_eq!(
        (
            &failed["error"]["args"]["code"],
            &failed["error"]["args"]["event"]
        ),
        (&json!(3), &json!("install"))
    );
    let said_by = failed["error"]["args"]["said"].as_str().unwrap();
    assert!(said_by.contains("the reason"), "{said_by}");
    let tree = home.path().join("toolbox/t/node_modules");
    assert!(tree.join("r/index.js").exists(), "the old tree is there");
    put(&home, &registry, &json!({"p": "4.0.0"}));
    grant();
    assert_eq!(run()["result"], "four none 1");
    assert!(!tree.join("r").exists());
}

#[test]
fn a_script_leaves_files_and_no_pipes_and_links_out_of_the_tree() {
    let registry = Registry::start();
    let home = Home::new();
    let scripted = |text: &str| json!({"scripts": {"install": text}});
    for (version, text) in [
        ("1.0.0", "mkfifo pipe"),
        ("1.0.1", "ln -s /etc/passwd link"),
        ("1.0.2", "ln -s ../../../.env link"),
        (
            "1.0.3",
            "mkdir -p a && ln -s ../index.js a/link && ln -s ../p other",
        ),
    ] {
        registry.add("q", version, scripted(text), "module.exports = 'q';");
        let wants = json!({"dependencies": {"q": version}});
        registry.add("p", version, wants, "module.exports = require('q');");
    }
    let served = home.serve();
    let run = || said(&home.pm(&["tool", "run", "t", "--json"]));
    for version in ["1.0.0", "1.0.1", "1.0.2", "1.0.3"] {
        put(&home, &registry, &json!({"p": version}));
        assert_eq!(run()["result"], "q 1", "{version}");
        let granted = home.pm(&["tool", "grant", "t", "--script", &format!("q@{version}")]);
        assert!(granted.status.success(), "{granted:?}");
        let answer = run();
        match version {
            "1.0.3" => assert_eq!(answer["result"], "q 1", "{answer}"),
            _ => assert_eq!(answer["error"]["code"], "package_hostile", "{answer}"),
        }
    }
    drop(served);
}
