//! kill -9 at any moment of a sync leaves, in each place, what was there or what was to be there; the
//! next sync puts right what is left behind.

use super::world::*;
use base::settings::SkillWay;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: usize = 140;
const PHASES: [&str; 7] = ["Sweep", "Look", "Note", "Copy", "Place", "TakeAway", "Settle"];

/// The program lies beside this one, built with it.
fn program() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/skill_sync")
}

/// Ends it a moment after it says `phase` for the `nth` time; the phase that it was in.
fn killed_in(world: &World, phase: &str, nth: usize, after: Duration) -> String {
    let mut child = Command::new(program())
        .arg(world.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut last = lines.by_ref().filter(|line| line == phase).nth(nth).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < after {
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines {
        last = line;
    }
    last
}

#[test]
fn a_kill_leaves_what_was_or_what_was_to_be() {
    let mut world = World::new();
    for at in 0..12 {
        write(
            &world.ours("pdf").join(format!("references/{at}.md")),
            &"x".repeat(500),
        );
    }
    write(&world.ours("pdf").join("SKILL.md"), &text("pdf", "<0>"));
    write(&world.theirs("copies", "not-ours").join("SKILL.md"), "theirs");
    write(&world.theirs("copies", "taken").join("SKILL.md"), "theirs");
    world.own("taken", "ours");
    let foreign = |world: &World| {
        let mut all = snapshot(&world.theirs("copies", "not-ours"));
        all.extend(snapshot(&world.theirs("copies", "taken")));
        all
    };
    let before = foreign(&world);
    let mut histogram: BTreeMap<String, usize> = BTreeMap::new();
    let mut seed = 0x9e37_79b9_u64;
    for turn in 0..KILLS {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let phase = PHASES[turn % PHASES.len()];
        let after = Duration::from_micros((seed >> 33) % 600);
        let last = killed_in(&world, phase, (seed >> 20) as usize % 4, after);
        *histogram.entry(last).or_default() += 1;
        assert_eq!(foreign(&world), before);
        whole(&world);
        // What is there is put right, in one way or the other.
        world.reopen();
        world.on = BTreeMap::from([("copies", SkillWay::Copy), ("links", SkillWay::Link)]);
        let places = world.sync();
        let stands: BTreeSet<_> = places
            .iter()
            .map(|place| {
                (
                    place.client.as_str(),
                    place.skill.as_str(),
                    format!("{:?}", place.standing),
                )
            })
            .collect();
        let expected = [
            ("copies", "pdf", "Copied"),
            ("copies", "taken", "Occupied"),
            ("links", "pdf", "Linked"),
            ("links", "taken", "Linked"),
        ];
        let expected = expected.map(|(client, skill, stands)| (client, skill, stands.to_owned()));
        assert_eq!(stands, BTreeSet::from(expected), "turn {turn}");
        assert_eq!(
            snapshot(&world.theirs("copies", "pdf")),
            snapshot(&world.ours("pdf"))
        );
        for client in ["copies", "links"] {
            let names: BTreeSet<String> = fs::read_dir(world.root().join(client).join("skills"))
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            assert!(names.iter().all(|name| !name.starts_with('.')), "{names:?}");
        }
        if turn % 2 == 0 {
            // The next one begins without ours there.
            world.on.clear();
            world.sync();
        }
    }
    println!("{histogram:?}");
    for phase in PHASES {
        assert!(
            histogram.get(phase).is_some_and(|count| *count > 0),
            "{phase}: {histogram:?}"
        );
    }
}

/// At each client nothing, a link that leads to ours, or a whole copy of some state of ours.
fn whole(world: &World) {
    for client in ["links", "copies"] {
        let there = world.theirs(client, "pdf");
        let Ok(metadata) = fs::symlink_metadata(&there) else {
            continue;
        };
        if metadata.is_symlink() {
            assert_eq!(fs::read_link(&there).unwrap(), world.ours("pdf"));
            continue;
        }
        assert_eq!(
            snapshot(&there).len(),
            14,
            "12 references, their folder and the text"
        );
        let text = fs::read_to_string(there.join("SKILL.md")).unwrap();
        assert!(text.ends_with(">\n"), "{text:?}");
    }
    let ours = fs::read_to_string(world.ours("pdf").join("SKILL.md")).unwrap();
    assert!(ours.ends_with(">\n"), "{ours:?}");
}
