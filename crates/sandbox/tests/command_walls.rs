//! The same commands without walls and behind each of them, by whoever runs the tests and, from
//! root, by an ordinary user as well. Without walls an attack succeeds, or the table below says
//! why this machine does not let it; behind them none does. And what development needs works.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "starts attacks without walls, too"
)]

mod support;

#[path = "command_walls/attacks.rs"]
mod attacks;
#[path = "command_walls/ordinary.rs"]
mod ordinary;

use attacks::{ATTACKS, NOT_EVEN_WITHOUT, RAW, Wall, Whom};
use ordinary::{KINDS, Needs, ORDINARY};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::process::{Command, Stdio};
use support::lab::Lab;
use support::{Who, World, lines};

struct Answer {
    code: i64,
    said: String,
}

type Answers = BTreeMap<String, Answer>;

/// Runs cases in the laboratory.
fn run(who: Who, args: &[&str], lab: &Lab, cases: &[Value], env: &[(&str, String)]) -> Answers {
    let mut command = Command::new(lab.program());
    command
        .args(args)
        .arg(lab.root())
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
        .envs(env.iter().map(|(name, value)| (name, value)))
        .stderr(Stdio::piped());
    let mut child = who.run(command.current_dir("/")).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text: String = cases.iter().map(|case| format!("{case}\n")).collect();
    let writing = std::thread::spawn(move || stdin.write_all(text.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(
        output.status.success(),
        "{who:?} {args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answers: Answers = lines(&output.stdout)
        .into_iter()
        .map(|line| {
            assert_eq!(line["swept"], true, "{line}");
            let text = |name: &str| line[name].as_str().unwrap().trim().to_owned();
            let said = format!("{} {}", text("stdout"), text("stderr"));
            let code = line["code"].as_i64().unwrap();
            (text("name"), Answer { code, said })
        })
        .collect();
    assert_eq!(
        answers.len(),
        cases.len(),
        "each case answers, and names are unique"
    );
    answers
}

fn scene(world: &World, decoy: &tempfile::NamedTempFile, socket: &str) -> Vec<(&'static str, String)> {
    vec![
        ("SCENE", world.scene()),
        ("DECOY_TMP", decoy.path().to_str().unwrap().to_owned()),
        ("SOCKET", socket.to_owned()),
    ]
}

fn attack_cases() -> Vec<Value> {
    let shell = ATTACKS
        .iter()
        .map(|(name, _, text)| json!({"name": name, "text": text}));
    let raw = RAW
        .iter()
        .map(|(name, _)| json!({"name": name, "text": format!("\"$LAB\" raw {name} \"$SCENE\"")}));
    shell.chain(raw).collect()
}

fn wall_of(name: &str) -> Wall {
    let shell = ATTACKS.iter().map(|(name, wall, _)| (*name, *wall));
    let mut all = shell.chain(RAW.iter().map(|(name, wall)| (*name, *wall)));
    all.find(|(known, _)| *known == name).unwrap().1
}

fn not_even_without(who: Who, name: &str) -> Option<&'static str> {
    let fits =
        |(known, whom, _): &&(&str, Whom, &str)| *known == name && (*whom == Whom::Anyone || !who.is_root());
    NOT_EVEN_WITHOUT.iter().find(fits).map(|(.., reason)| *reason)
}

fn holds(wall: Wall, tier: &str) -> bool {
    match wall {
        Wall::Both => true,
        Wall::Full(_) => tier != "reduced",
        Wall::Landlock => tier != "full_without_landlock",
    }
}

/// For whoever reads the log of a run that passed, too: the harness keeps what tests print.
fn count(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn hold(tier: &str) {
    let told = support::facts(sandbox::Tier::Reduced).weaker();
    for who in Who::all() {
        let (world, lab) = (World::new(who), Lab::new(who));
        let decoy = tempfile::Builder::new()
            .prefix("pm-decoy")
            .tempfile_in("/tmp")
            .unwrap();
        std::fs::write(decoy.path(), "something").unwrap();
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(decoy.path(), everybody).unwrap();
        let socket = lab.root().join("docker.sock");
        let _listening = UnixListener::bind(&socket).unwrap();
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(&socket, everybody).unwrap();
        let env = scene(&world, &decoy, socket.to_str().unwrap());
        let cases = attack_cases();
        let without = run(who, &["open"], &lab, &cases, &env);
        let behind = run(who, &["host", tier], &lab, &cases, &env);
        let (mut proved, mut wrong) = (0, Vec::new());
        for (name, open) in &without {
            let walled = &behind[name];
            match (open.code, not_even_without(who, name)) {
                (0, _) => proved += 1,
                (_, Some(reason)) => println!("{who:?}: {name} fails without walls, too: {reason}"),
                (code, None) => wrong.push(format!("{name} fails WITHOUT walls: {code} {}", open.said)),
            }
            match (holds(wall_of(name), tier), walled.code) {
                (true, 0) => wrong.push(format!("{name} SUCCEEDS behind the walls: {}", walled.said)),
                (true, _) => {}
                (false, code) => {
                    println!("{name}: not held in tier {tier}, code {code}");
                    // What is not held is said.
                    if let Wall::Full(weaker) = wall_of(name) {
                        assert!(told.contains(&weaker), "{name}: {weaker:?}");
                    }
                }
            }
        }
        let held = cases
            .iter()
            .filter(|case| holds(wall_of(case["name"].as_str().unwrap()), tier))
            .count();
        count(&format!(
            "{tier}, {who:?}: of {} attacks {proved} succeed without walls; {held} are held by this tier, and none of them succeeds behind it",
            without.len()
        ));
        assert!(wrong.is_empty(), "{tier}, {who:?}:\n{}", wrong.join("\n"));
        assert!(
            without.len() >= 150 && proved >= if who.is_root() { 150 } else { 120 },
            "{proved}"
        );
    }
}

#[test]
fn the_full_tier_holds() {
    hold("full");
}

#[test]
fn the_full_tier_holds_without_landlock() {
    hold("full_without_landlock");
}

#[test]
fn the_reduced_tier_holds() {
    hold("reduced");
}

/// What people do all day, with the limits and toolchains that they get.
#[test]
fn ordinary_development_works() {
    let home = std::env::var("HOME").unwrap();
    // A person's: the tests' own may be a folder of links to some of it.
    let path = format!("{home}/.cargo/bin:/usr/local/bin:/usr/bin:/bin");
    let there = |program: &str| {
        let found = Command::new("/bin/sh")
            .args(["-c", &format!("command -v {program}")])
            .env("PATH", &path)
            .output()
            .unwrap();
        found.status.success()
    };
    for who in Who::all() {
        let world = World::new(who);
        let lab = Lab::new(who);
        let decoy = tempfile::NamedTempFile::new_in("/tmp").unwrap();
        let mut env = scene(&world, &decoy, "");
        env.push(("HOME", home.clone()));
        // The home of root is nobody's to look at.
        if who == Who::Oneself {
            env.push(("LAB_TOOLS", path.clone()));
        }
        for tier in ["full", "reduced"] {
            let possible = ORDINARY.iter().filter(|(_, needs, _)| match needs {
                Needs::Nothing => true,
                Needs::Program(program) => {
                    // A program of the user's home is there for the user.
                    there(program)
                        && (who == Who::Oneself || std::path::Path::new("/usr/bin").join(program).exists())
                }
                Needs::Full => tier == "full",
                Needs::FullAnd(program) => tier == "full" && there(program),
            });
            let cases: Vec<_> = possible
                .map(|(name, _, text)| json!({"name": name, "text": text, "ordinary": true}))
                .collect();
            let answers = run(who, &["host", tier], &lab, &cases, &env);
            let bad = answers.iter().filter(|(_, answer)| answer.code != 0);
            let bad: Vec<_> = bad
                .map(|(name, answer)| format!("{name}: {} {}", answer.code, answer.said))
                .collect();
            count(&format!(
                "{tier}, {who:?}: {} of {} ordinary commands work",
                answers.len() - bad.len(),
                answers.len()
            ));
            assert!(bad.is_empty(), "{tier} {who:?}:\n{}", bad.join("\n"));
            assert!(answers.len() >= 30, "{}", answers.len());
            if who == Who::Oneself {
                let absent = |(_, program, names): &&(&str, &str, &[&str])| {
                    (program.is_empty() || there(program))
                        && !names.iter().any(|name| answers.contains_key(*name))
                };
                let missing: Vec<_> = KINDS.iter().filter(absent).map(|(kind, ..)| kind).collect();
                assert!(missing.is_empty(), "{tier}: {missing:?}");
            }
        }
    }
}
