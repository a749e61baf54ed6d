//! The data home as one file, beside a server and after it, and `kill -9` of what brings it back.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "looks at what a kill left"
)]

mod common;

use common::{Home, PM, said, stdout};
use proptest::prelude::Rng;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn add(home: &Home, title: &str) {
    let params = json!({"action": "add", "title": title}).to_string();
    let added = home.pm(&["tool", "run", "todolist", "--params", &params]);
    assert!(added.status.success(), "{added:?}");
}

fn titles(home: &Home) -> Vec<String> {
    let params = json!({"action": "query"}).to_string();
    let all = said(&home.pm(&["tool", "run", "todolist", "--params", &params]));
    let items = all["items"].as_array().unwrap().iter();
    let mut titles: Vec<String> = items
        .map(|item| item["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

#[test]
fn a_backup_is_made_beside_a_server_and_comes_back_when_it_has_ended() {
    let home = Home::new();
    let file = home.path().with_file_name("all.tar.gz");
    let name = file.to_str().unwrap();
    let mut served = home.serve();
    add(&home, "before");
    let made = said(&home.pm(&["backup", name, "--json"]));
    let packed = fs::metadata(&file).unwrap().len();
    assert_eq!(made["packed"].as_f64().unwrap(), packed as f64);
    assert!(made["files"].as_f64().unwrap() > 10.0);
    // What ran before is in the records of the copy, and goes on here.
    add(&home, "after");
    let again = home.pm(&["backup", name, "--json"]);
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(fs::metadata(&file).unwrap().len(), packed);

    let refused = home.pm(&["restore", name]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains("pm stop"), "{text}");
    assert!(home.pm(&["stop"]).status.success());
    served.end();

    let restored = said(&home.pm(&["restore", name, "--json"]));
    assert_eq!(restored["files"].as_f64(), made["files"].as_f64());
    assert_eq!(
        fs::metadata(home.path()).unwrap().permissions().mode() & 0o777,
        0o700
    );
    assert_eq!(titles(&home), ["before"]);
    let log = home.log_of("todolist");
    assert!(log.contains("before") && !log.contains("\"after\""), "{log}");

    // What was there before the restore is a data home as good as any.
    let before = restored["before"].as_str().unwrap();
    let query = ["tool", "run", "todolist", "--params", r#"{"action": "query"}"#];
    let output = Command::new(PM)
        .args(["--home", before])
        .args(query)
        .output()
        .unwrap();
    assert!(stdout(&output).contains("after"), "{output:?}");

    let reset = said(&home.pm(&["reset", "--json"]));
    assert!(
        Path::new(reset["before"].as_str().unwrap())
            .join("toolbox")
            .exists()
    );
    assert!(!home.path().exists());
    assert_eq!(titles(&home), Vec::<String>::new());
}

const KILLS: usize = 25;
/// Files of a data home, so that unpacking takes a while.
const FILES: usize = 200;

/// Which data home it is, if it is one and whole.
fn which(root: &Path) -> Option<String> {
    let which = fs::read_to_string(root.join("shared/which")).ok()?;
    let all = (0..FILES).all(|n| {
        fs::read_to_string(root.join(format!("shared/{}/{n}", n % 30)))
            .is_ok_and(|text| text == format!("{which}{n}"))
    });
    all.then_some(which)
}

fn fill(root: &Path, which: &str) {
    fs::write(root.join("shared/which"), which).unwrap();
    for n in 0..FILES {
        let folder = root.join(format!("shared/{}", n % 30));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(n.to_string()), format!("{which}{n}")).unwrap();
    }
}

/// Folders beside the data home that its restores made.
fn beside(home: &Home) -> Vec<PathBuf> {
    let path = home.path();
    let name = format!("{}.", path.file_name().unwrap().to_str().unwrap());
    let all = fs::read_dir(path.parent().unwrap()).unwrap();
    all.map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&name))
        .collect()
}

/// Restores the two in turns. Whenever it is killed, the data home is one of them and whole, and so is everything that
/// the next restore keeps.
#[test]
fn a_restore_that_is_killed_leaves_one_or_the_other() {
    let home = Home::new();
    // The tools that come with the program are not what is looked at.
    let mut files = Vec::new();
    for which in ["a", "b"] {
        assert!(home.pm(&["doctor"]).status.success());
        fill(&home.path(), which);
        let file = home.path().with_file_name(which);
        assert!(home.pm(&["backup", file.to_str().unwrap()]).status.success());
        files.push(file);
    }
    let begun = Instant::now();
    let restored = home.pm(&["restore", files[0].to_str().unwrap()]);
    assert!(restored.status.success(), "{restored:?}");
    let whole = begun.elapsed().as_micros() as u64;

    let mut random = TestRunner::new_with_rng(
        Config::default(),
        TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]),
    )
    .rng()
    .clone();
    let mut histogram = BTreeMap::<&str, usize>::new();
    let mut now = "a".to_owned();
    for nth in 0..KILLS {
        let to = usize::from(now == "a");
        let mut child = home
            .command(&["restore", files[to].to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let kill_at = Instant::now() + Duration::from_micros(random.next_u64() % (whole * 3));
        while Instant::now() < kill_at {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();

        let found = which(&home.path()).unwrap_or_else(|| panic!("{nth}: neither"));
        let restoring = beside(&home)
            .into_iter()
            .find(|path| path.extension().is_some_and(|end| end == "restoring"));
        let phase = match (&restoring, found == now) {
            (None, true) => "not begun",
            (Some(folder), true) if folder.join("whole").exists() => "unpacked",
            (Some(_), true) => "unpacking",
            (Some(_), false) => "exchanged",
            (None, false) => "done",
        };
        assert!(!ended || phase == "done", "{phase}");
        *histogram.entry(phase).or_default() += 1;
        now = found;
        for kept in beside(&home) {
            if Some(&kept) != restoring.as_ref() {
                assert!(which(&kept).is_some(), "{nth}: {kept:?}");
                fs::remove_dir_all(kept).unwrap();
            }
        }
    }
    println!("{KILLS} kills: {histogram:?}");
    for phase in ["unpacking", "done"] {
        assert!(histogram.contains_key(phase), "never hit: {phase}: {histogram:?}");
    }
    // And it can be used.
    let listed: Value = said(&home.pm(&["tool", "list", "--json"]));
    assert!(listed["tools"].as_array().is_some());
}
