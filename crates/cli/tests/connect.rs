//! Clients' own files: our entry written into them and taken out, with all that is theirs left alone.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking; puts files there as a client would"
)]

mod common;

use common::pipe::Piped;
use common::{Home, said};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};

const CLIENTS: [&str; 8] = [
    "claude-desktop",
    "claude-code",
    "cursor",
    "vs-code",
    "windsurf",
    "zed",
    "gemini",
    "codex",
];

/// A data home, and the person's own folder beside it.
struct Person {
    home: Home,
    folder: PathBuf,
}

impl Person {
    fn new() -> Person {
        let home = Home::new();
        let folder = home.outside("person");
        Person { home, folder }
    }

    fn within(&self, mut command: Command) -> Command {
        command.env("HOME", &self.folder);
        for name in ["XDG_CONFIG_HOME", "CODEX_HOME"] {
            command.env_remove(name);
        }
        command
    }

    fn pm(&self, args: &[&str]) -> Output {
        let words = [&["--json", "connect"], args].concat();
        self.within(self.home.command(&words)).output().unwrap()
    }

    fn connect(&self, args: &[&str]) -> Value {
        let output = self.pm(args);
        assert!(output.status.success(), "{output:?}");
        said(&output)
    }

    /// The code of what went wrong.
    fn refused(&self, args: &[&str]) -> Value {
        let output = self.pm(args);
        assert!(!output.status.success(), "{output:?}");
        said(&output)["code"].clone()
    }

    fn file_of(&self, client: &str) -> PathBuf {
        let path = PathBuf::from(self.connect(&[client])["file"].as_str().unwrap());
        assert!(path.starts_with(&self.folder), "{path:?}");
        path
    }

    /// Puts a file where the client has its own.
    fn put(&self, client: &str, text: &str) -> PathBuf {
        let path = self.file_of(client);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

/// The command that a client would start, from its own file.
fn command_in(text: &str, client: &str) -> Vec<String> {
    let entry: Value = match client {
        "codex" => {
            let document: toml::Table = text.parse().unwrap();
            serde_json::to_value(&document["mcp_servers"]["prompt-manager"]).unwrap()
        }
        _ => {
            let document: Value = serde_json::from_str(text).unwrap();
            let section = match client {
                "vs-code" => "servers",
                "zed" => "context_servers",
                _ => "mcpServers",
            };
            document[section]["prompt-manager"].clone()
        }
    };
    let words = [&entry["command"]]
        .into_iter()
        .chain(entry["args"].as_array().unwrap());
    words.map(|word| word.as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_written_starts_a_server_that_answers_and_is_undone() {
    let person = Person::new();
    for client in CLIENTS {
        let before = person.connect(&[client]);
        let path = person.file_of(client);
        assert_eq!(
            (&before["state"], path.exists()),
            (&json!("absent"), false),
            "{before}"
        );

        let after = person.connect(&[client, "--write"]);
        assert_eq!(
            (&after["state"], &after["canUndo"]),
            (&json!("written"), &json!(true))
        );
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, before["text"], "what is shown is what is written");
        let words = command_in(&text, client);
        let mut command = person.within(Command::new(&words[0]));
        let mut piped = Piped::of(command.args(&words[1..]));
        piped.introduce(json!({}));
        piped.request(1, "tools/list", json!({}));
        let listed = piped.answer(1);
        assert!(listed.to_string().contains("run_javascript"), "{listed}");
        assert!(piped.end().0.success());
        let seen = person.connect(&[client]);
        assert!(seen["seen"].as_f64().unwrap() > 1.7e12, "{seen}");

        assert_eq!(person.connect(&[client, "--undo"])["state"], "absent");
        assert!(!path.exists(), "{client}: there was none before");
        assert_eq!(person.refused(&[client, "--undo"]), "client_not_written");
    }
    assert!(person.home.pm(&["stop"]).status.success());
}

const MINE: &str =
    "{\n  // for work\n  \"mcpServers\": {\n    \"mine\": { \"command\": \"x\" }, // keep\n  },\n}\n";

#[test]
fn a_file_comes_back_byte_for_byte_while_nobody_else_changed_it() {
    let person = Person::new();
    let path = person.put("cursor", "");
    // Kept elsewhere, as people with many machines do.
    let kept = person.folder.join("dotfiles.json");
    fs::write(&kept, MINE).unwrap();
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o640)).unwrap();
    fs::remove_file(&path).unwrap();
    symlink(&kept, &path).unwrap();
    let mode = || fs::metadata(&kept).unwrap().permissions().mode() & 0o777;

    assert_eq!(person.connect(&["cursor", "--write"])["state"], "written");
    let written = fs::read_to_string(&kept).unwrap();
    for theirs in ["// for work", "// keep", "\"mine\""] {
        assert!(written.contains(theirs), "{theirs}: {written}");
    }
    assert!(path.is_symlink());
    assert_eq!(mode(), 0o640);
    // Twice is once.
    assert_eq!(person.connect(&["cursor", "--write"])["state"], "written");
    assert_eq!(fs::read_to_string(&kept).unwrap(), written);

    person.connect(&["cursor", "--undo"]);
    assert_eq!(fs::read_to_string(&kept).unwrap(), MINE);
    assert_eq!((mode(), path.is_symlink()), (0o640, true));
}

#[test]
fn what_others_changed_since_stays_when_it_is_undone() {
    let person = Person::new();
    let own = MINE.replace(
        "\"mine\": { \"command\": \"x\" }",
        "\"prompt-manager\": { \"command\": \"old\" }",
    );
    let path = person.put("cursor", &own);
    assert_eq!(person.connect(&["cursor"])["state"], "different");

    person.connect(&["cursor", "--write"]);
    let written = fs::read_to_string(&path).unwrap();
    fs::write(&path, written.replace("// for work", "// for work and play")).unwrap();
    person.connect(&["cursor", "--undo"]);
    let undone = fs::read_to_string(&path).unwrap();
    assert!(undone.contains("// for work and play"), "{undone}");
    assert!(
        undone.contains("\"old\"") && !undone.contains("--client"),
        "{undone}"
    );
}

#[test]
fn what_cannot_be_understood_is_not_touched() {
    let person = Person::new();
    for (client, broken) in [
        ("cursor", "{\"mcpServers\": "),
        ("codex", "a = = 1"),
        ("zed", "[1]"),
    ] {
        let path = person.put(client, broken);
        let shown = person.connect(&[client]);
        assert_eq!(
            (&shown["state"], &shown["canUndo"]),
            (&json!("unreadable"), &json!(false))
        );
        assert!(!shown["problem"].as_str().unwrap().is_empty());
        assert_eq!(person.refused(&[client, "--write"]), "client_file_unreadable");
        assert_eq!(fs::read_to_string(&path).unwrap(), broken);
    }
    assert_eq!(person.refused(&["emacs", "--write"]), "unknown_client");
}
