//! Ours at clients, and what happens when somebody else writes there.

use super::world::*;
use base::Coded;
use base::settings::SkillWay::{Copy, Link};
use prompts::skills::*;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_skill_is_linked_follows_what_is_edited_and_goes_with_its_switch() {
    let mut world = World::new();
    world.own("pdf", "one");
    world.on.insert("claude", Link);
    assert_eq!(world.standing(), Standing::Waiting);
    assert_eq!(world.sync()[0].standing, Standing::Linked);
    let there = world.theirs("claude", "pdf");
    assert_eq!(fs::read_link(&there).unwrap(), world.ours("pdf"));
    write(&world.ours("pdf").join("SKILL.md"), "two");
    assert_eq!(fs::read_to_string(there.join("SKILL.md")).unwrap(), "two");
    world.off.insert("pdf".to_owned());
    assert!(world.sync().is_empty());
    assert!(fs::symlink_metadata(&there).is_err());
    world.off.clear();
    world.sync();
    world.skills.remove(&name("pdf")).unwrap();
    world.sync();
    assert!(
        fs::symlink_metadata(&there).is_err(),
        "no link that leads nowhere"
    );
}

#[test]
fn a_copy_follows_ours_and_goes_while_it_is_ours() {
    let mut world = World::new();
    world.own("pdf", "one");
    world.on.insert("claude", Copy);
    assert_eq!(world.sync()[0].standing, Standing::Copied);
    let there = world.theirs("claude", "pdf");
    assert_eq!(
        snapshot(&there),
        snapshot(&world.ours("pdf")),
        "with the bit of the script"
    );
    write(&world.ours("pdf").join("more/new.txt"), "new");
    fs::remove_file(world.ours("pdf").join("scripts/run.sh")).unwrap();
    assert_eq!(world.standing(), Standing::Waiting);
    assert_eq!(world.sync()[0].standing, Standing::Copied);
    assert_eq!(snapshot(&there), snapshot(&world.ours("pdf")));
    world.on.insert("claude", Link);
    assert_eq!(world.sync()[0].standing, Standing::Linked);
    world.on.insert("claude", Copy);
    assert_eq!(world.sync()[0].standing, Standing::Copied);
    world.on.clear();
    world.sync();
    assert_eq!(snapshot(&world.root().join("claude/skills")).len(), 0);
}

#[test]
fn an_edit_on_the_other_side_is_a_conflict_until_a_person_decides() {
    let mut world = World::new();
    world.own("pdf", "one");
    world.on.insert("claude", Copy);
    world.sync();
    let there = world.theirs("claude", "pdf");
    let edit = |words: &str| write(&there.join("SKILL.md"), &text("pdf", words));

    edit("theirs 1");
    assert_eq!(world.sync()[0].standing, Standing::Theirs);
    write(&world.ours("pdf").join("SKILL.md"), &text("pdf", "ours 1"));
    assert_eq!(world.sync()[0].standing, Standing::Both);
    let compared = world
        .skills
        .compare(&world.targets(), "claude", &name("pdf"))
        .unwrap();
    assert_eq!((compared.len(), compared[0].side), (1, Side::Both));
    let diff = compared[0].diff.as_deref().unwrap();
    assert!(diff.contains("-ours 1") && diff.contains("+theirs 1"), "{diff}");

    assert_eq!(
        world.resolve("claude", "pdf", Take::Leave).standing,
        Standing::Left
    );
    assert_eq!(world.sync()[0].standing, Standing::Left);
    edit("theirs 2");
    assert_eq!(
        world.sync()[0].standing,
        Standing::Both,
        "changed again, asked again"
    );

    assert_eq!(
        world.resolve("claude", "pdf", Take::Ours).standing,
        Standing::Copied
    );
    assert_eq!(
        fs::read_to_string(there.join("SKILL.md")).unwrap(),
        text("pdf", "ours 1")
    );
    assert_eq!(holders(&world.root(), "theirs 2").len(), 1, "theirs is kept");

    edit("theirs 3");
    assert_eq!(
        world.resolve("claude", "pdf", Take::Theirs).standing,
        Standing::Copied
    );
    assert_eq!(
        fs::read_to_string(world.ours("pdf").join("SKILL.md")).unwrap(),
        text("pdf", "theirs 3")
    );
    let versions = world.skills.versions(&name("pdf")).unwrap();
    assert!(
        versions
            .iter()
            .any(|version| matches!(version, Replaced::Folder(kept) if kept.was == "replaced"))
    );
    assert!(
        !holders(&world.root().join("home/trash"), "ours 1").is_empty(),
        "ours is kept"
    );
    assert_eq!(world.sync()[0].standing, Standing::Copied);
    let compared = world
        .skills
        .compare(&world.targets(), "claude", &name("pdf"))
        .unwrap();
    assert_eq!(
        compared,
        [],
        "whoever looks a moment too late sees that it is over"
    );

    edit("theirs 4");
    world.on.clear();
    world.sync();
    assert_eq!(
        fs::read_to_string(there.join("SKILL.md")).unwrap(),
        text("pdf", "theirs 4"),
        "not taken out"
    );
    world.on.insert("claude", Copy);
    assert_eq!(world.sync()[0].standing, Standing::Theirs);
    let none = world
        .skills
        .resolve(&[], "claude", &name("pdf"), Take::Ours)
        .unwrap_err();
    assert_eq!(none.code(), "skill_client_off");
}

#[test]
fn what_lies_there_already_is_not_touched() {
    for way in [Link, Copy] {
        let mut world = World::new();
        world.own("folder", "ours");
        world.own("file", "ours");
        world.own("link", "ours");
        write(
            &world.theirs("claude", "folder").join("SKILL.md"),
            &text("folder", "theirs"),
        );
        write(&world.theirs("claude", "file"), "a file");
        symlink("/etc", world.theirs("claude", "link")).unwrap();
        let before = snapshot(&world.root().join("claude"));
        world.on.insert("claude", way);
        assert!(
            world
                .sync()
                .iter()
                .all(|place| place.standing == Standing::Occupied)
        );
        world.on.clear();
        world.sync();
        assert_eq!(snapshot(&world.root().join("claude")), before);

        world.on.insert("claude", way);
        world.sync();
        let stands = world.resolve("claude", "folder", Take::Theirs).standing;
        assert_eq!(
            stands,
            if way == Link {
                Standing::Linked
            } else {
                Standing::Copied
            }
        );
        let ours = fs::read_to_string(world.ours("folder").join("SKILL.md")).unwrap();
        assert_eq!(ours, text("folder", "theirs"));
        for skill in ["file", "link"] {
            let refused = world
                .skills
                .resolve(&world.targets(), "claude", &name(skill), Take::Theirs);
            assert!(refused.is_err(), "{skill}");
            world.resolve("claude", skill, Take::Ours);
        }
        assert_eq!(holders(&world.root(), "a file").len(), 1, "in the trash");
        let trash = snapshot(&world.root().join("home/trash/skills/link"));
        assert!(trash.values().any(|what| what == "link /etc"), "{trash:?}");
        let refused = world
            .skills
            .resolve(&world.targets(), "claude", &name("file"), Take::Ours);
        assert_eq!(refused.unwrap_err().code(), "skill_no_conflict");
    }
}

#[test]
fn a_client_that_reads_our_folder_itself_is_left_alone() {
    let mut world = World::new();
    world.own("pdf", "one");
    fs::create_dir(world.root().join("claude")).unwrap();
    symlink(
        world.root().join("home/skills"),
        world.root().join("claude/skills"),
    )
    .unwrap();
    // And two that read one folder.
    fs::create_dir_all(world.root().join("cursor/skills")).unwrap();
    fs::create_dir(world.root().join("gemini")).unwrap();
    symlink(
        world.root().join("cursor/skills"),
        world.root().join("gemini/skills"),
    )
    .unwrap();
    for client in ["claude", "cursor", "gemini"] {
        world.on.insert(client, Copy);
    }
    let before = snapshot(&world.root().join("home/skills"));
    let places = world.sync();
    let stands: Vec<_> = places
        .iter()
        .map(|place| (place.client.as_str(), place.standing))
        .collect();
    assert_eq!(
        stands,
        [("claude", Standing::Linked), ("cursor", Standing::Copied)]
    );
    world.on.clear();
    world.sync();
    assert_eq!(snapshot(&world.root().join("home/skills")), before);
    assert_eq!(snapshot(&world.root().join("cursor/skills")).len(), 0);

    // Inside ours it would be a skill of its own.
    fs::remove_file(world.root().join("claude/skills")).unwrap();
    symlink(world.ours("pdf"), world.root().join("claude/skills")).unwrap();
    world.on.insert("claude", Copy);
    let places = world.sync();
    assert_eq!(
        places[0].problem.as_ref().unwrap().code(),
        "skill_folder_overlaps"
    );
    assert_eq!(snapshot(&world.root().join("home/skills")), before);
}

#[test]
fn one_place_that_fails_does_not_keep_the_others() {
    let mut world = World::new();
    world.own("pdf", "one");
    write(&world.root().join("claude"), "a file where a folder is to be");
    world.on.insert("claude", Link);
    world.on.insert("cursor", Link);
    let places = world.sync();
    let stands: Vec<_> = places
        .iter()
        .map(|place| (place.client.as_str(), place.standing))
        .collect();
    assert_eq!(
        stands,
        [("claude", Standing::Failed), ("cursor", Standing::Linked)]
    );
    assert_eq!(places[0].problem.as_ref().unwrap().code(), "skill_io");
}

#[test]
fn links_of_a_data_home_that_was_moved_are_led_anew() {
    let mut world = World::new();
    world.own("pdf", "one");
    world.on.insert("claude", Link);
    world.sync();
    let (old, new) = (world.root().join("home"), world.root().join("moved"));
    fs::rename(&old, &new).unwrap();
    let skills = Skills::open(Places {
        skills: new.join("skills"),
        history: new.join("history"),
        trash: new.join("trash"),
        placed: new.join("clients/skills.json"),
    });
    let places = skills
        .unwrap()
        .sync(&world.targets(), &world.off, &|_| {})
        .unwrap();
    assert_eq!(places[0].standing, Standing::Linked);
    assert_eq!(
        fs::read_link(world.theirs("claude", "pdf")).unwrap(),
        new.join("skills/pdf")
    );
}

#[test]
fn a_broken_state_file_is_said_and_nothing_is_done() {
    let mut world = World::new();
    world.own("pdf", "one");
    world.on.insert("claude", Link);
    write(&world.root().join("home/clients/skills.json"), "{");
    let refused = world
        .skills
        .sync(&world.targets(), &world.off, &|_| {})
        .unwrap_err();
    assert_eq!(refused.code(), "skill_state_invalid");
    assert!(!world.root().join("claude").exists());
}
