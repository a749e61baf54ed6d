//! kill -9 at any moment leaves the old tree or the new one, whole.

use super::fixture::{Place, Shelf, serve};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

const KILLS: usize = 200;
const PHASES: [&str; 10] = [
    "wait", "resolve", "fetch", "link", "script", "stamp", "sync", "lock", "exchange", "remove",
];
/// Written in two steps, so that there is something to be half done.
const SCRIPT: &str = "printf made > made.txt && printf ' whole' >> made.txt";

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    for at in 0..12 {
        for version in ["1.0.0", "2.0.0"] {
            let scripts = json!({"scripts": {"install": SCRIPT}, "hasInstallScript": true});
            let manifest = if at < 3 { scripts } else { json!({}) };
            shelf.add(&format!("p{at}"), version, manifest);
        }
    }
    shelf
}

/// A line for each package with a script.
fn allowed(shelf: &Shelf) -> String {
    let line = |name: &str, version: &str| {
        let found = shelf.packument(name).unwrap();
        let integrity = found["versions"][version]["dist"]["integrity"]
            .as_str()
            .unwrap()
            .to_owned();
        format!("{name}@{version} {integrity}\n")
    };
    let names = ["p0", "p1", "p2"].into_iter();
    names
        .flat_map(|name| [line(name, "1.0.0"), line(name, "2.0.0")])
        .collect()
}

fn wants(version: &str) -> serde_json::Value {
    let list: serde_json::Map<_, _> = (0..12).map(|at| (format!("p{at}"), json!(version))).collect();
    json!({"name": "tool", "dependencies": list})
}

/// The program lies beside this one, built with it.
pub fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().parent().unwrap().join("examples/install")
}

/// Every file of every package as that version has it; the version, or `None` where there is no tree.
fn whole(place: &Place) -> Option<String> {
    let tree = place.tree();
    if !place.has("node_modules") {
        return None;
    }
    assert_eq!(tree.len(), 12, "{tree:?}");
    let version = tree["p0"].clone();
    for (name, own) in &tree {
        assert_eq!(own, &version, "two versions in one tree");
        let text = place.read(&format!("node_modules/{name}/index.js"));
        assert_eq!(text, format!("module.exports = '{name}@{version}';\n"));
        assert_eq!(
            place.read(&format!("node_modules/{name}/bin/cli.js")),
            "#!/usr/bin/env node\n"
        );
    }
    for name in ["p0", "p1", "p2"] {
        assert_eq!(place.read(&format!("node_modules/{name}/made.txt")), "made whole");
    }
    Some(version)
}

fn install(place: &Place, store: &std::path::Path, allowed: &str) -> Command {
    let mut command = Command::new(program());
    command
        .arg(place.folder())
        .arg(store)
        .env("npm_config_registry", &place.registry)
        .env("HOME", place.dir.path())
        .env("PM_SCRIPTS", allowed)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Kills an install a moment after it says `phase`; the phase that it was in, if it had not ended.
fn killed_in(
    place: &Place,
    store: &std::path::Path,
    allowed: &str,
    phase: &str,
    after: Duration,
) -> Option<&'static str> {
    let mut child = install(place, store, allowed)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut last = lines.find(|line| line == phase);
    // Any moment of the phase, not only its first.
    let begun = std::time::Instant::now();
    while begun.elapsed() < after {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines {
        last = Some(line);
    }
    let last = last?;
    PHASES.into_iter().find(|phase| *phase == last)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_kills_break_no_tree() {
    let shelf = shelf();
    let allowed: String = allowed(&shelf);
    let registry = serve(shelf).await;
    let address = registry.address.clone();
    let lines = allowed.clone();
    let histogram = tokio::task::spawn_blocking(move || {
        let place = Place::new(&address, wants("1"));
        let mut histogram: BTreeMap<&str, usize> = BTreeMap::new();
        let mut seed = 0x9e37_79b9_u64;
        for turn in 0..KILLS {
            // The version that is not there, so that there is always something to do; each ninth with
            // an empty store, so that something is fetched.
            let other = if whole(&place).as_deref() == Some("1.0.0") {
                "2"
            } else {
                "1"
            };
            place.wants(wants(other));
            let store = place.dir.path().join(format!("store{}", turn / PHASES.len()));
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let phase = PHASES[turn % PHASES.len()];
            let after = Duration::from_micros((seed >> 33) % 400);
            let phase = killed_in(&place, &store, &lines, phase, after);
            *histogram.entry(phase.unwrap_or("ended before")).or_default() += 1;
        }
        whole(&place);
        place.wants(wants("2"));
        (histogram, place)
    })
    .await
    .unwrap();
    let (histogram, place) = histogram;
    println!("{histogram:?}");
    for phase in PHASES {
        assert!(
            histogram.get(phase).is_some_and(|count| *count > 0),
            "{phase}: {histogram:?}"
        );
    }
    let ended = install(&place, &place.store(), &allowed).status().unwrap();
    assert!(ended.success());
    assert_eq!(
        whole(&place).as_deref(),
        Some("2.0.0"),
        "the next install puts all right"
    );
    let left: Vec<String> = std::fs::read_dir(place.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}
