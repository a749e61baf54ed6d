//! Packages that lie in git repositories, beside what npm makes of them.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::registry::Registry;
use common::{Home, files_below, said};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository with versions 1.2.0, 1.3.0 and 2.0.0, served over HTTP.
struct Shelf {
    registry: Registry,
    folder: tempfile::TempDir,
}

impl Shelf {
    fn new() -> Shelf {
        let shelf = Shelf {
            registry: Registry::start(),
            folder: tempfile::tempdir().unwrap(),
        };
        shelf
            .registry
            .add("q", "1.0.0", json!({}), "module.exports = 'q';");
        shelf.registry.serve_repositories(shelf.folder.path().to_owned());
        shelf.git(&["init", "-q", "-b", "main", "work"]);
        shelf.put("README.md", "what it is");
        shelf.put(".gitignore", "left-out.js\n");
        shelf.put("lib/.npmignore", "private.js\n");
        shelf.put("lib/private.js", "");
        shelf.put("lib/other.js", "module.exports = require('q');");
        shelf.put("test/test.js", "");
        shelf.put(
            ".gitattributes",
            "lib/other.js export-ignore\n*.js ident eol=crlf\n",
        );
        std::os::unix::fs::symlink("/etc/passwd", shelf.work().join("link")).unwrap();
        for version in ["1.2.0", "1.3.0", "2.0.0"] {
            shelf.release(version);
        }
        shelf
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn release(&self, version: &str) {
        let manifest = json!({
            "name": "g", "version": version, "main": "index.js", "bin": {"g": "lib/run.js"},
            "dependencies": {"q": "^1.0.0"},
        });
        self.put("package.json", &manifest.to_string());
        self.put("lib/run.js", "#!/usr/bin/env node\n");
        self.put(
            "index.js",
            &format!("module.exports = '{version} $Id$ ' + require('./lib/other.js');\n"),
        );
        self.git(&["-C", "work", "add", "-A", "-f"]);
        self.git(&["-C", "work", "commit", "-q", "-m", version]);
        self.git(&["-C", "work", "tag", "-a", "-m", version, &format!("v{version}")]);
        let bare = self.folder.path().join("g.git");
        let _ = std::fs::remove_dir_all(&bare);
        self.git(&["clone", "-q", "--bare", "work", "g.git"]);
        self.git(&["-C", "g.git", "update-server-info"]);
    }

    fn git(&self, args: &[&str]) -> String {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
            .args(args)
            .current_dir(self.folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?} {done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self, name: &str) -> String {
        self.git(&["-C", "work", "rev-parse", &format!("{name}^{{commit}}")])
    }

    fn address(&self) -> String {
        format!("git+{}/repositories/g.git", self.registry.address())
    }

    /// A person's folder that wants this.
    fn folder(&self, name: &str, spec: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let manifest = json!({"name": "mine", "version": "1.0.0", "dependencies": {"g": spec}});
        std::fs::write(folder.join("package.json"), format!("{manifest:#}\n")).unwrap();
        let rc = format!("registry={}\n", self.registry.address());
        std::fs::write(folder.join(".npmrc"), rc).unwrap();
        folder
    }
}

fn install(home: &Home, folder: &Path, more: &[&str]) -> Output {
    let mut args = vec!["npm", "install", folder.to_str().unwrap(), "--json"];
    args.extend(more);
    home.pm(&args)
}

fn locked(folder: &Path) -> Value {
    let lock = std::fs::read(folder.join("package-lock.json")).unwrap();
    let lock: Value = serde_json::from_slice(&lock).unwrap();
    lock["packages"].clone()
}

fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let modules = folder.join("node_modules");
    let own = [".package-lock.json", ".pm-stamp.json"];
    let mut files: Vec<_> = files_below(&modules)
        .into_iter()
        .filter(|path| !own.iter().any(|own| path.ends_with(own)))
        .map(|path| {
            let bytes = std::fs::read(&path).unwrap();
            (path.strip_prefix(&modules).unwrap().to_owned(), bytes)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn the_same_files_and_the_same_lock_as_npm() {
    let shelf = Shelf::new();
    let home = Home::new();
    let _served = home.serve();
    for (name, spec, version) in [
        ("range", "#semver:^1.0.0", "1.3.0"),
        ("tag", "#v1.2.0", "1.2.0"),
        ("head", "", "2.0.0"),
        ("commit", &*format!("#{}", shelf.commit("v1.2.0")), "1.2.0"),
    ] {
        let spec = format!("{}{spec}", shelf.address());
        let ours = shelf.folder(name, &spec);
        let installed = install(&home, &ours, &[]);
        assert!(installed.status.success(), "{name}: {installed:?}");
        let theirs = shelf.folder(&format!("{name}-npm"), &spec);
        let npm = Command::new("npm")
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
            .arg(format!("--cache={}", theirs.join("cache").display()))
            .current_dir(&theirs)
            .output()
            .unwrap();
        assert!(npm.status.success(), "{name}: {npm:?}");

        let entry = &locked(&ours)["node_modules/g"];
        assert_eq!(entry["version"], version, "{name}");
        let commit = shelf.commit(&format!("v{version}"));
        assert_eq!(entry["resolved"], format!("{}#{commit}", shelf.address()));
        assert_eq!(entry, &locked(&theirs)["node_modules/g"], "{name}");
        assert_eq!(tree(&ours), tree(&theirs), "{name}");
        let verified = home.pm(&["npm", "verify", ours.to_str().unwrap(), "--json"]);
        assert_eq!(said(&verified)["differences"], json!([]), "{name}");
    }
}

#[test]
fn a_lock_keeps_its_commit_and_needs_nobody_once_it_is_there() {
    let shelf = Shelf::new();
    let home = Home::new();
    let _served = home.serve();
    let folder = shelf.folder("mine", &format!("{}#main", shelf.address()));
    assert!(install(&home, &folder, &[]).status.success());
    let before = (locked(&folder), tree(&folder));
    shelf.release("3.0.0");
    let asked = shelf.registry.asked();
    for more in [&["--again", "--frozen"][..], &["--again", "--offline"]] {
        std::fs::remove_dir_all(folder.join("node_modules")).unwrap();
        let installed = install(&home, &folder, more);
        assert!(installed.status.success(), "{installed:?}");
        assert_eq!((locked(&folder), tree(&folder)), before);
    }
    assert_eq!(shelf.registry.asked(), asked);
    std::fs::remove_file(folder.join("package-lock.json")).unwrap();
    let offline = install(&home, &folder, &["--again", "--offline"]);
    assert!(!offline.status.success());
    assert_eq!(said(&offline)["code"], "package_offline", "{offline:?}");
    assert_eq!(tree(&folder), before.1, "the old tree stays");
    assert!(install(&home, &folder, &["--again"]).status.success());
    assert_eq!(locked(&folder)["node_modules/g"]["version"], "3.0.0");
}

#[test]
fn what_cannot_be_had_is_said_and_leaves_nothing() {
    let shelf = Shelf::new();
    let home = Home::new();
    let _served = home.serve();
    let address = shelf.address();
    let gone = address.replace("g.git", "gone.git");
    for (spec, code) in [
        (format!("{address}#semver:^9.0.0"), "package_not_found"),
        (format!("{address}#no-such-branch"), "package_not_found"),
        (format!("{address}#{}", "0".repeat(40)), "package_git"),
        (gone, "package_git"),
        (
            "git+ssh://git@example.org/g.git".to_owned(),
            "package_spec_unsupported",
        ),
        ("git+file:///etc".to_owned(), "package_spec_unsupported"),
        ("git+ext::sh -c true".to_owned(), "package_spec_unsupported"),
    ] {
        let folder = shelf.folder("mine", &spec);
        let failed = install(&home, &folder, &[]);
        assert!(!failed.status.success(), "{spec}");
        assert_eq!(said(&failed)["code"], code, "{spec}: {failed:?}");
        assert!(!folder.join("node_modules").exists() && !folder.join("package-lock.json").exists());
    }
    let left = home.path().join("run/commands");
    assert_eq!(
        files_below(&left),
        Vec::<PathBuf>::new(),
        "nothing of git is left"
    );
}

/// A person may name a server of this machine; what a tool declares may not lead there.
#[test]
fn a_tool_does_not_reach_this_machine_by_its_dependencies() {
    let shelf = Shelf::new();
    let home = Home::new();
    let _served = home.serve();
    let source = format!(
        "import g from 'g'; export default {{ getDependencies: () => ({{g: '{}#v1.2.0'}}), execute: () => g }}",
        shelf.address()
    );
    home.put_tool("t", &source);
    let asked = shelf.registry.asked();
    let failed = said(&home.pm(&["tool", "run", "t", "--json"]));
    assert_eq!(failed["error"]["code"], "package_git", "{failed}");
    assert_eq!(shelf.registry.asked(), asked, "nobody knocked");
    let folder = shelf.folder("mine", &format!("{}#v1.2.0", shelf.address()));
    assert!(install(&home, &folder, &[]).status.success());
    assert!(shelf.registry.asked() > asked);
}
