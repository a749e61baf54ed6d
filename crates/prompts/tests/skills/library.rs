//! Ours: made, read, changed, imported, removed, restored.

use super::world::*;
use base::{Coded, Lang};
use prompts::Expected;
use prompts::skills::*;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_skill_is_made_changed_and_has_its_history() {
    let world = World::new();
    let made = world
        .skills
        .create("pdf-tools", "Reads: \"PDF\"", Lang::En)
        .unwrap();
    assert_eq!(made.skill.problems, []);
    assert_eq!(made.skill.front.description, "Reads: \"PDF\"");
    let pdf = name("pdf-tools");
    let first = made.text.clone();
    let stale = Expected::Version("0".repeat(16));
    let refused = world.skills.save(&pdf, "other", &stale).unwrap_err();
    assert_eq!(refused.code(), "skill_changed");
    let saved = world.skills.save(
        &pdf,
        &text("pdf-tools", "two"),
        &Expected::Version(made.version.clone()),
    );
    assert_eq!(saved.unwrap().skill.front.description, "about pdf-tools");
    // Another program writes it: what was there is kept as well.
    write(&world.ours("pdf-tools").join("SKILL.md"), "three");
    world.skills.refresh().unwrap();
    let versions = world.skills.versions(&pdf).unwrap();
    assert_eq!(versions.len(), 2, "{versions:?}");
    assert!(world.skills.diff(&pdf, &made.version).unwrap().contains("+three"));
    let restored = world.skills.restore(&pdf, &made.version).unwrap();
    assert_eq!(restored.text, first);
    assert_eq!(
        world.skills.versions(&pdf).unwrap().len(),
        3,
        "what was there became one"
    );
}

#[test]
fn bad_names_and_descriptions_are_refused_with_their_reason() {
    let world = World::new();
    for (skill, about, code) in [
        ("Pdf", "d", "skill_name_invalid"),
        ("../pdf", "d", "skill_name_invalid"),
        ("", "d", "skill_name_invalid"),
        ("pdf", " ", "skill_description_invalid"),
        ("pdf", &"x".repeat(1025), "skill_description_invalid"),
    ] {
        let refused = world.skills.create(skill, about, Lang::En).unwrap_err();
        assert_eq!(refused.code(), code, "{skill:?}");
    }
    world.skills.create("pdf", "d", Lang::En).unwrap();
    assert_eq!(
        world.skills.create("pdf", "d", Lang::En).unwrap_err().code(),
        "skill_exists"
    );
    assert_eq!(world.skills.list().unwrap().len(), 1);
    assert_eq!(
        snapshot(&world.root().join("home/skills")).len(),
        2,
        "nothing unfinished is left"
    );
}

#[test]
fn a_folder_is_listed_with_what_is_wrong_with_it() {
    let world = World::new();
    world.own("good", "x");
    write(&world.ours("empty/x.txt").with_file_name("notes.txt"), "no text");
    write(&world.ours("other").join("SKILL.md"), &text("another", "x"));
    symlink("/etc/hostname", world.ours("good").join("leak")).unwrap();
    symlink("/etc", world.ours("linked")).unwrap();
    let list = world.skills.list().unwrap();
    let found: Vec<(&str, Vec<&str>)> = list
        .iter()
        .map(|skill| {
            (
                skill.name.as_str(),
                skill.problems.iter().map(Coded::code).collect(),
            )
        })
        .collect();
    let expected = [
        ("empty", vec!["skill_text_missing"]),
        ("good", vec!["skill_left_out"]),
        ("other", vec!["skill_name_differs"]),
    ];
    assert_eq!(found, expected);
    let good = name("good");
    assert_eq!(
        world.skills.file(&good, "scripts/run.sh", 100).unwrap(),
        b"#!/bin/sh\necho run\n"
    );
    for path in [
        "leak",
        "../other/SKILL.md",
        "/etc/hostname",
        "scripts",
        "none",
        "",
        "scripts//run.sh",
    ] {
        assert!(world.skills.file(&good, path, 100).is_err(), "{path:?}");
    }
    assert_eq!(
        world.skills.file(&good, "SKILL.md", 3).unwrap_err().code(),
        "skill_too_big"
    );
    assert_eq!(
        world.skills.get(&name("linked")).unwrap_err().code(),
        "skill_not_found"
    );
}

#[test]
fn folders_are_imported_without_replacing_anything() {
    let world = World::new();
    let from = world.root().join("elsewhere");
    write(&from.join("checkout-main/SKILL.md"), &text("pdf", "theirs"));
    write(&from.join("checkout-main/.git/config"), "private");
    write(&from.join("two/SKILL.md"), "no front matter");
    write(&from.join("three/readme.md"), "none");
    symlink("/etc/hostname", from.join("two/leak")).unwrap();
    let import = |source: &std::path::Path| -> Vec<String> {
        let done = world.skills.import(source).unwrap();
        done.into_iter()
            .map(|one| match one.outcome {
                Ok(Outcome::New(name)) => format!("new {name}"),
                Ok(Outcome::Same(name)) => format!("same {name}"),
                Err(error) => error.code().to_owned(),
            })
            .collect()
    };
    assert_eq!(import(&from), ["new pdf", "new two"]);
    assert_eq!(
        import(&from.join("two/SKILL.md")),
        ["same two"],
        "a link of theirs is no part of ours"
    );
    assert_eq!(import(&from.join("checkout-main")), ["same pdf"]);
    assert!(!world.ours("pdf").join(".git").exists());
    assert!(fs::symlink_metadata(world.ours("two").join("leak")).is_err());
    write(&world.ours("pdf").join("SKILL.md"), "mine now");
    assert_eq!(import(&from.join("checkout-main")), ["skill_exists"]);
    for (source, code) in [("three", "skill_missing"), ("none", "skill_io")] {
        assert_eq!(world.skills.import(&from.join(source)).unwrap_err().code(), code);
    }
}

#[test]
fn what_is_removed_comes_back_whole() {
    let world = World::new();
    world.own("pdf", "x");
    let before = snapshot(&world.ours("pdf"));
    let kept = world.skills.remove(&name("pdf")).unwrap();
    assert!(world.skills.list().unwrap().is_empty());
    assert_eq!(world.skills.removed().unwrap(), [(name("pdf"), kept.clone())]);
    assert!(
        world
            .skills
            .version_text(&name("pdf"), &kept.id())
            .unwrap()
            .contains("about pdf")
    );
    world.skills.restore(&name("pdf"), &kept.id()).unwrap();
    assert_eq!(snapshot(&world.ours("pdf")), before);
    assert!(world.skills.removed().unwrap().is_empty());
    // Over one that is there: that one is kept.
    write(&world.ours("pdf").join("scripts/run.sh"), "changed");
    world.skills.restore(&name("pdf"), &kept.id()).unwrap();
    assert_eq!(snapshot(&world.ours("pdf")), before);
    assert_eq!(holders(&world.root(), "changed").len(), 1);
    for version in [
        "000000000000001-removed",
        "0123456789abcdef",
        "../../x",
        "000000000000001-../x",
    ] {
        assert!(world.skills.restore(&name("pdf"), version).is_err(), "{version}");
    }
}
