//! Skills through `pm`, the window's calls, MCP, and the folders of clients.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "writes what a person or a client would")]

mod common;

use common::mcp::Mcp;
use common::page::Page;
use common::{Home, Served, said, stdout, until};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A data home, and the person's own folder, in which the clients have theirs.
struct Person {
    home: Home,
    folder: PathBuf,
}

impl Person {
    fn new() -> Person {
        let home = Home::new();
        let folder = home.outside("person");
        fs::create_dir_all(&folder).unwrap();
        Person { home, folder }
    }

    fn pm(&self, args: &[&str]) -> Output {
        let mut command: Command = self.home.command(args);
        command.env("HOME", &self.folder).output().unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.pm(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{output:?}");
        said(&output)
    }

    fn serve(&self) -> Served {
        self.home.serve_as(&self.folder)
    }

    fn claude(&self, skill: &str) -> PathBuf {
        self.folder.join(".claude/skills").join(skill)
    }

    fn ours(&self, skill: &str) -> PathBuf {
        self.home.path().join("skills").join(skill).join("SKILL.md")
    }
}

const TEXT: &str = "---\nname: pdf\ndescription: Reads PDF\n---\nRead it.\n";

#[test]
fn a_skill_is_made_given_to_a_client_removed_and_brought_back() {
    let person = Person::new();
    let made = person.pm(&["skill", "new", "pdf", "Reads PDF files"]);
    assert!(stdout(&made).trim().ends_with("skills/pdf"), "{made:?}");
    let clients = person.json(&["skill", "clients", "claude-code", "on"]);
    let claude = |clients: &Value| {
        let all = clients["clients"].as_array().unwrap();
        all.iter()
            .find(|one| one["client"] == "claude-code")
            .unwrap()
            .clone()
    };
    assert_eq!(
        (&claude(&clients)["way"], &claude(&clients)["skills"]),
        (&json!("link"), &json!(1))
    );
    assert_eq!(
        fs::read_to_string(person.claude("pdf").join("SKILL.md")).unwrap(),
        fs::read_to_string(person.ours("pdf")).unwrap()
    );
    assert!(fs::symlink_metadata(person.claude("pdf")).unwrap().is_symlink());
    let settings: Value =
        serde_json::from_slice(&fs::read(person.home.path().join("settings.json")).unwrap()).unwrap();
    assert_eq!(settings["skills"]["clients"], json!({"claude-code": "link"}));

    assert!(person.pm(&["skill", "switch", "pdf", "off"]).status.success());
    assert!(fs::symlink_metadata(person.claude("pdf")).is_err());
    assert_eq!(person.json(&["skill", "list"])["skills"][0]["enabled"], false);
    assert!(person.pm(&["skill", "switch", "pdf", "on"]).status.success());

    let kept = person.json(&["skill", "remove", "pdf"]);
    assert!(fs::symlink_metadata(person.claude("pdf")).is_err());
    let removed = person.json(&["skill", "history"]);
    assert_eq!(removed["versions"][0], kept);
    let version = kept["version"].as_str().unwrap();
    assert!(person.pm(&["skill", "restore", "pdf", version]).status.success());
    assert!(fs::symlink_metadata(person.claude("pdf")).unwrap().is_symlink());
    person.json(&["skill", "clients", "claude-code", "off"]);
    assert!(fs::symlink_metadata(person.claude("pdf")).is_err());
}

#[test]
fn a_conflict_is_said_compared_and_ended() {
    let person = Person::new();
    fs::create_dir_all(person.folder.join("mine/pdf")).unwrap();
    fs::write(person.folder.join("mine/pdf/SKILL.md"), TEXT).unwrap();
    let mine = person.folder.join("mine").display().to_string();
    assert_eq!(
        person.json(&["skill", "import", &mine])["skills"][0]["skill"],
        "pdf"
    );
    assert_eq!(
        person.json(&["skill", "import", &mine])["skills"][0]["same"],
        true
    );
    person.json(&["skill", "clients", "claude-code", "copy"]);
    let theirs = person.claude("pdf").join("SKILL.md");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), TEXT);
    fs::write(&theirs, TEXT.replace("Read it.", "Theirs.")).unwrap();
    let synced = person.pm(&["skill", "sync", "--json"]);
    assert_eq!(synced.status.code(), Some(1), "somebody has to decide");
    assert_eq!(said(&synced)["places"][0]["place"]["standing"], "theirs");
    assert_eq!(person.json(&["skill", "list"])["skills"][0]["conflicts"], 1);
    let ended = person.json(&["skill", "resolve", "pdf", "claude-code", "--theirs"]);
    assert_eq!(ended["places"][0]["standing"], "copied");
    assert!(
        fs::read_to_string(person.ours("pdf"))
            .unwrap()
            .contains("Theirs.")
    );
    let versions = person.json(&["skill", "history", "pdf"]);
    let kinds: Vec<&Value> = versions["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["kind"])
        .collect();
    assert!(
        kinds.contains(&&json!("folder")) && kinds.contains(&&json!("text")),
        "{versions}"
    );
}

#[test]
fn what_is_wrong_is_said_with_a_code() {
    let person = Person::new();
    for (args, code) in [
        (&["skill", "show", "nowhere"][..], "skill_not_found"),
        (&["skill", "show", "../token"], "skill_name_invalid"),
        (&["skill", "new", "Not Proper", "d"], "skill_name_invalid"),
        (&["skill", "new", "pdf", " "], "skill_description_invalid"),
        (
            &["skill", "restore", "pdf", "0123456789abcdef"],
            "prompt_version_not_found",
        ),
        (
            &["skill", "restore", "pdf", "000000000000001-removed"],
            "skill_version_not_found",
        ),
        (&["skill", "import", "/nowhere"], "skill_io"),
        (&["skill", "clients", "nobody", "on"], "skill_client_unknown"),
        (
            &["skill", "resolve", "pdf", "claude-code", "--ours"],
            "skill_not_found",
        ),
    ] {
        let output = person.pm(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{args:?}: {output:?}");
        let text = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(code), "{args:?}: {text}");
    }
    assert_eq!(
        person
            .pm(&["skill", "resolve", "pdf", "claude-code"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn the_page_hears_of_edits_on_both_sides() {
    let person = Person::new();
    let served = person.serve();
    let page = Page::open(&served);
    page.call(
        "skill.create",
        json!({"skill": "pdf", "description": "Reads PDF"}),
    );
    page.call("skill.client", json!({"client": "claude-code", "way": "copy"}));
    let shown = || page.call("skill.show", json!({"skill": "pdf"}));
    let first = shown();
    assert_eq!(first["places"][0]["standing"], "copied");
    // By hand, in ours: the copy follows without a call that changes anything.
    fs::write(person.ours("pdf"), TEXT).unwrap();
    let theirs = person.claude("pdf").join("SKILL.md");
    until("the copy follows", || {
        fs::read_to_string(&theirs).is_ok_and(|text| text == TEXT)
    });
    until("what was there is a version", || {
        let versions = page.call("skill.versions", json!({"skill": "pdf"}));
        versions["versions"][0]["version"] == first["version"]
    });
    // And there: it is seen, and not overwritten.
    fs::write(&theirs, "theirs").unwrap();
    until("the conflict", || shown()["places"][0]["standing"] == "theirs");
    let compared = page.call("skill.compare", json!({"skill": "pdf", "client": "claude-code"}));
    let diff = compared["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+theirs") && diff.contains("-Read it."), "{diff}");
    let stale = json!({"skill": "pdf", "text": "x", "expected": first["version"]});
    assert_eq!(page.refused("skill.save", stale).1, "skill_changed");
    let ended = page.call(
        "skill.resolve",
        json!({"skill": "pdf", "client": "claude-code", "take": "ours"}),
    );
    assert_eq!(ended["places"][0]["standing"], "copied");
    assert_eq!(fs::read_to_string(&theirs).unwrap(), TEXT);

    // A program with the token reads, and changes nothing.
    let program = Page::program(&person.home, &served);
    assert_eq!(program.call("skill.list", json!({}))["all"], 1);
    for (call, params) in [
        ("skill.create", json!({"skill": "x", "description": "d"})),
        ("skill.save", json!({"skill": "pdf", "text": "x"})),
        ("skill.remove", json!({"skill": "pdf"})),
        ("skill.client", json!({"client": "claude-code", "way": "off"})),
        (
            "skill.resolve",
            json!({"skill": "pdf", "client": "claude-code", "take": "ours"}),
        ),
        ("skill.sync", json!({})),
        ("skill.import", json!({"source": "/etc"})),
    ] {
        assert_eq!(program.refused(call, params).1, "access_denied", "{call}");
    }
}

#[test]
fn mcp_clients_read_skills_and_nothing_beside_them() {
    let person = Person::new();
    person.pm(&["skill", "new", "pdf", "Reads PDF files"]);
    person.pm(&["skill", "new", "private", "Off"]);
    let folder = person.home.path().join("skills/pdf");
    fs::write(folder.join("logo.bin"), [0, 159, 146, 150]).unwrap();
    std::os::unix::fs::symlink(person.home.path().join("token"), folder.join("leak")).unwrap();
    person.pm(&["skill", "switch", "private", "off"]);
    let served = person.serve();
    let mcp = Mcp::connect(&person.home, &served);
    let uris = |mcp: &Mcp| -> Vec<String> {
        let listed = mcp.request("resources/list", json!({}));
        let listed = listed["result"]["resources"].as_array().unwrap().clone();
        let uris = listed.iter().map(|one| one["uri"].as_str().unwrap().to_owned());
        uris.filter(|uri| uri.starts_with("skill:")).collect()
    };
    assert_eq!(uris(&mcp), ["skill://pdf/SKILL.md", "skill://pdf/logo.bin"]);
    let read = |mcp: &Mcp, uri: &str| mcp.request("resources/read", json!({"uri": uri}));
    let text = read(&mcp, "skill://pdf/SKILL.md");
    assert!(
        text["result"]["contents"][0]["text"]
            .as_str()
            .unwrap()
            .contains("Reads PDF files")
    );
    assert_eq!(
        read(&mcp, "skill://pdf/logo.bin")["result"]["contents"][0]["blob"],
        "AJ+Slg=="
    );
    for uri in [
        "skill://private/SKILL.md",
        "skill://nowhere/SKILL.md",
        "skill://pdf/none.md",
        "skill://pdf/../../token",
        "skill://../token",
    ] {
        assert_eq!(read(&mcp, uri)["error"]["code"], -32002, "{uri}");
    }
    assert!(read(&mcp, "skill://pdf/leak").get("result").is_none());
    let reference = json!({"type": "ref/resource", "uri": "skill://{skill}/SKILL.md"});
    let argument = json!({"name": "skill", "value": ""});
    let completed = mcp.request(
        "completion/complete",
        json!({"ref": reference, "argument": argument}),
    );
    assert_eq!(completed["result"]["completion"]["values"], json!(["pdf"]));

    let made = person.pm(&["token", "new", "narrow", "--tool", "tool://todolist"]);
    let narrow = Mcp::with_secret(&person.home, &served, stdout(&made).trim());
    assert!(uris(&narrow).is_empty());
    let refused = read(&narrow, "skill://pdf/SKILL.md");
    assert_eq!(refused["error"]["data"]["code"], "out_of_scope", "{refused}");
}
