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
