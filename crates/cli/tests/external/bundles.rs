//! Bundles of MCP: looked at, set, run from a folder that they may only read, refused whole.

use super::{SERVER, began, show};
use crate::common::{Home, said, stdout};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use zip::write::{SimpleFileOptions, ZipWriter};

fn manifest() -> Value {
    json!({
        "manifest_version": "0.3", "name": "Fixture", "display_name": "A fixture", "version": "2.1.0",
        "description": "For tests", "author": {"name": "nobody"},
        "server": {"type": "binary", "entry_point": "server.py", "mcp_config": {
            "command": "python3", "args": ["${__dirname}/server.py", "${user_config.mode}"],
            "env": {"PHRASE": "${user_config.phrase}", "HERE": "${__dirname}"},
        }},
        "user_config": {
            "phrase": {"type": "string", "title": "Phrase", "sensitive": true, "required": true},
            "mode": {"type": "string", "title": "Mode", "default": "good"},
        },
    })
}

fn bundle(home: &Home, files: &[(&str, &str)]) -> PathBuf {
    let path = home.outside("bundles").join("fixture.mcpb");
    let mut zip = ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    path
}

#[test]
fn a_bundle_becomes_a_server_with_its_settings() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    let path = bundle(
        &home,
        &[("manifest.json", &manifest().to_string()), ("server.py", SERVER)],
    );
    let path = path.to_str().unwrap();
    let looked = said(&home.pm(&["tool", "install", path, "--dry-run", "--json"]));
    assert_eq!(
        (&looked["name"], &looked["kind"], &looked["files"]),
        (&json!("fixture"), &json!("binary"), &json!(2))
    );
    assert_eq!(looked["settings"][1]["key"], "phrase", "{looked}");
    assert_eq!(looked["settings"][1]["sensitive"], true);
    assert!(
        !home.path().join("servers/fixture").exists(),
        "a look leaves nothing"
    );

    let lacking = home.pm(&["tool", "install", path, "--json"]);
    assert_eq!(lacking.status.code(), Some(1));
    assert!(stdout(&lacking).contains("external_placeholder"), "{lacking:?}");
    assert!(!home.path().join("servers/fixture/bundle").exists());

    let output = home.pm(&["tool", "install", path, "--set", "phrase=plainwords", "--json"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(said(&output)["servers"][0]["server"]["state"], "running");
    assert_eq!(mcp.text("fixture__echo", json!({"text": "hi"})), "hi");
    let env: Value = serde_json::from_str(&mcp.text("fixture__env", json!({}))).unwrap();
    assert_eq!(env["PHRASE"], "plainwords");
    let shown = show(&home, "fixture");
    assert!(!shown.to_string().contains("plainwords"), "{shown}");

    // What it is made of it reads and does not change.
    let here = env["HERE"].as_str().unwrap();
    let read = mcp.whole("fixture__read", json!({"path": format!("{here}/manifest.json")}));
    assert_eq!(read["result"]["isError"], false, "{read}");
    let written = mcp.whole("fixture__write", json!({"path": format!("{here}/server.py")}));
    assert_eq!(written["result"]["isError"], true, "{written}");
    assert!(home.pm(&["server", "remove", "fixture"]).status.success());
    assert!(!home.path().join("servers/fixture").exists());
}

#[test]
fn a_bundle_in_another_version_replaces_the_one_that_is_there_or_nothing() {
    let home = Home::new();
    let (_served, mcp) = began(&home);
    let versioned = |version: &str, server: &str, changed: &dyn Fn(&mut Value)| {
        let mut manifest = manifest();
        manifest["version"] = json!(version);
        changed(&mut manifest);
        let path = bundle(
            &home,
            &[("manifest.json", &manifest.to_string()), ("server.py", server)],
        );
        path.to_str().unwrap().to_owned()
    };
    let install = |path: &str, more: &[&str]| {
        let output = home.pm(&[&["tool", "install", path, "--json"], more].concat());
        (output.status.success(), stdout(&output))
    };
    let granted = home.outside("granted");
    let granted = granted.to_str().unwrap();
    assert!(
        install(
            &versioned("1.0.0", SERVER, &|_| ()),
            &["--set", "phrase=plainwords"]
        )
        .0
    );
    assert!(
        home.pm(&["server", "grant", "fixture", "--dir", granted])
            .status
            .success()
    );
    assert_eq!(mcp.text("fixture__echo", json!({"text": "hi"})), "hi");

    // Looked at, it says what it replaces and what stays.
    let newer = SERVER.replace("The tool ", "The newer tool ");
    let two = versioned("2.0.0", &newer, &|_| ());
    let looked = said(&home.pm(&["tool", "install", &two, "--dry-run", "--json"]));
    let there = json!({"version": "1.0.0", "settings": ["phrase"], "directories": [granted], "hosts": []});
    assert_eq!(looked["installed"], there, "{looked}");
    let (ok, text) = install(&two, &[]);
    assert!(ok, "what was set stays set: {text}");
    let env: Value = serde_json::from_str(&{
        // What says something else of itself waits for her.
        let held = mcp.call("fixture__env", json!({}));
        assert!(held.0 && held.1["error"] == "external_held", "{held:?}");
        assert!(
            home.pm(&["server", "approve", "fixture", "--all"])
                .status
                .success()
        );
        mcp.text("fixture__env", json!({}))
    })
    .unwrap();
    assert_eq!(env["PHRASE"], "plainwords");
    assert_eq!(show(&home, "fixture")["directories"], json!([granted]));
    let versions = || {
        let all = std::fs::read_dir(home.path().join("servers/fixture"))
            .unwrap()
            .flatten();
        let names = all.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names
            .filter(|name| name.starts_with("bundle"))
            .collect::<Vec<_>>()
    };
    assert_eq!(versions().len(), 1, "{:?}", versions());

    // A setting that is new has to be set; one that does not start is taken back.
    let more = |manifest: &mut Value| {
        manifest["user_config"]["place"] = json!({"type": "directory", "title": "Place", "required": true});
    };
    let before = versions();
    let (ok, text) = install(&versioned("3.0.0", &newer, &more), &[]);
    assert!(!ok && text.contains("external_placeholder"), "{text}");
    let broken = versioned("4.0.0", "import sys; sys.exit(3)", &|_| ());
    let (ok, text) = install(&broken, &[]);
    assert!(!ok && text.contains("external_taken_back"), "{text}");
    assert_eq!(versions(), before);
    assert_eq!(mcp.text("fixture__echo", json!({"text": "still"})), "still");
    let place = home.outside("place");
    let set = format!("place={}", place.to_str().unwrap());
    let (ok, text) = install(&versioned("3.0.0", &newer, &more), &["--set", &set]);
    assert!(ok, "{text}");
    let directories = show(&home, "fixture")["directories"].clone();
    assert_eq!(directories.as_array().unwrap().len(), 2, "{directories}");

    // A server that is no bundle is not replaced by one.
    assert!(home.pm(&["server", "remove", "fixture"]).status.success());
    super::added(&home, "fixture", "good", &[]);
    let (ok, text) = install(&two, &["--set", "phrase=x"]);
    assert!(!ok && text.contains("external_exists"), "{text}");
}

#[test]
fn what_is_no_bundle_changes_nothing() {
    let home = Home::new();
    let (_served, _mcp) = began(&home);
    let good = manifest().to_string();
    let newer = good.replace("\"0.3\"", "\"9.0\"");
    let elsewhere = json!({"compatibility": {"platforms": ["win32"]}});
    let mut other = manifest();
    other["compatibility"] = elsewhere["compatibility"].clone();
    let other = other.to_string();
    let mut python = manifest();
    python["server"]["type"] = json!("python");
    let python = python.to_string();
    for (files, code) in [
        (vec![("server.py", SERVER)], "external_bad_bundle"),
        (vec![("manifest.json", "{}")], "external_bad_bundle"),
        (vec![("manifest.json", newer.as_str())], "external_bad_bundle"),
        (vec![("manifest.json", other.as_str())], "external_bad_bundle"),
        (
            vec![("manifest.json", good.as_str()), ("../server.py", SERVER)],
            "tool_source_hostile",
        ),
    ] {
        let path = bundle(&home, &files);
        let output = home.pm(&[
            "tool",
            "install",
            path.to_str().unwrap(),
            "--set",
            "phrase=x",
            "--json",
        ]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = stdout(&output);
        assert!(text.contains(code), "{code}: {text}");
        let left = std::fs::read_dir(home.path().join("servers")).unwrap().count();
        assert_eq!(left, 0, "{files:?}");
    }
    // Where there is no uv, that is said.
    if !has_uv() {
        let path = bundle(
            &home,
            &[("manifest.json", python.as_str()), ("server.py", SERVER)],
        );
        let output = home.pm(&[
            "tool",
            "install",
            path.to_str().unwrap(),
            "--set",
            "phrase=x",
            "--json",
        ]);
        assert!(stdout(&output).contains("external_no_uv"), "{output:?}");
    }
}

fn has_uv() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("uv").is_file())
}
