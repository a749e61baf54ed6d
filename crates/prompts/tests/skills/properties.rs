//! Whatever people and other programs do, in whatever order.

use super::world::*;
use base::settings::SkillWay;
use prompts::Expected;
use prompts::skills::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SKILLS: [&str; 3] = ["a", "b", "c"];
const CLIENTS: [&str; 2] = ["claude", "cursor"];

#[derive(Clone, Debug)]
enum Deed {
    /// Through us.
    Save(usize),
    /// Into our folder, past us.
    WriteOurs(usize),
    /// Into the client's folder, whatever lies there.
    WriteTheirs(usize, usize),
    /// The client's folder of a skill is taken away and made anew.
    Exchange(usize, usize),
    Delete(usize, usize),
    Way(usize, Option<SkillWay>),
    Switch(usize),
    Remove(usize),
    Restore(usize),
    Resolve(usize, usize, Take),
    Sync,
    Reopen,
}

fn deed() -> impl Strategy<Value = Deed> {
    let skill = 0..SKILLS.len();
    let client = 0..CLIENTS.len();
    let way = prop_oneof![
        Just(None),
        Just(Some(SkillWay::Link)),
        Just(Some(SkillWay::Copy)),
        Just(Some(SkillWay::Copy))
    ];
    let take = prop_oneof![Just(Take::Ours), Just(Take::Theirs), Just(Take::Leave)];
    prop_oneof![
        3 => skill.clone().prop_map(Deed::Save),
        2 => skill.clone().prop_map(Deed::WriteOurs),
        4 => (client.clone(), skill.clone()).prop_map(|(c, s)| Deed::WriteTheirs(c, s)),
        2 => (client.clone(), skill.clone()).prop_map(|(c, s)| Deed::Exchange(c, s)),
        1 => (client.clone(), skill.clone()).prop_map(|(c, s)| Deed::Delete(c, s)),
        3 => (client.clone(), way).prop_map(|(c, w)| Deed::Way(c, w)),
        1 => skill.clone().prop_map(Deed::Switch),
        1 => skill.clone().prop_map(Deed::Remove),
        1 => skill.clone().prop_map(Deed::Restore),
        4 => (client, skill, take).prop_map(|(c, s, t)| Deed::Resolve(c, s, t)),
        6 => Just(Deed::Sync),
        1 => Just(Deed::Reopen),
    ]
}

/// The words of a text, by which it is found again.
fn words(serial: usize) -> String {
    format!("<text {serial}>")
}

struct Walk {
    world: World,
    serial: usize,
    /// Texts that must be somewhere.
    alive: BTreeSet<usize>,
}

impl Walk {
    fn fresh(&mut self) -> usize {
        self.serial += 1;
        self.serial
    }

    /// Somebody writes a file with his own hand: what he writes over is his to lose.
    fn written(&mut self, file: &Path, skill: &str) {
        if let Ok(old) = fs::read_to_string(file) {
            self.alive.retain(|serial| !old.contains(&words(*serial)));
        }
        // A link that leads nowhere: nobody writes there.
        if fs::create_dir_all(file.parent().unwrap()).is_err() {
            return;
        }
        let serial = self.fresh();
        write(file, &text(skill, &words(serial)));
        self.alive.insert(serial);
    }

    fn lost_by_hand(&mut self, folder: &Path) {
        if let Ok(old) = fs::read_to_string(folder.join("SKILL.md"))
            && !fs::symlink_metadata(folder).unwrap().is_symlink()
        {
            self.alive.retain(|serial| !old.contains(&words(*serial)));
        }
    }

    fn does(&mut self, deed: &Deed) {
        match *deed {
            Deed::Save(s) => {
                let serial = self.fresh();
                let text = text(SKILLS[s], &words(serial));
                let skill = name(SKILLS[s]);
                if self.world.skills.save(&skill, &text, &Expected::Anything).is_ok() {
                    self.alive.insert(serial);
                }
            }
            Deed::WriteOurs(s) => {
                let file = self.world.ours(SKILLS[s]).join("SKILL.md");
                self.written(&file, SKILLS[s]);
            }
            Deed::WriteTheirs(c, s) => {
                let file = self.world.theirs(CLIENTS[c], SKILLS[s]).join("SKILL.md");
                self.written(&file, SKILLS[s]);
            }
            Deed::Exchange(c, s) | Deed::Delete(c, s) => {
                let folder = self.world.theirs(CLIENTS[c], SKILLS[s]);
                if let Ok(metadata) = fs::symlink_metadata(&folder) {
                    self.lost_by_hand(&folder);
                    match metadata.is_dir() {
                        true => fs::remove_dir_all(&folder).unwrap(),
                        false => fs::remove_file(&folder).unwrap(),
                    }
                }
                if matches!(deed, Deed::Exchange(..)) {
                    self.written(&folder.join("SKILL.md"), SKILLS[s]);
                }
            }
            Deed::Way(c, way) => {
                match way {
                    Some(way) => self.world.on.insert(CLIENTS[c], way),
                    None => self.world.on.remove(CLIENTS[c]),
                };
            }
            Deed::Switch(s) => {
                if !self.world.off.remove(SKILLS[s]) {
                    self.world.off.insert(SKILLS[s].to_owned());
                }
            }
            Deed::Remove(s) => {
                // There may be none.
                self.world.skills.remove(&name(SKILLS[s])).ok();
            }
            Deed::Restore(s) => {
                let skill = name(SKILLS[s]);
                let versions = self.world.skills.versions(&skill).unwrap();
                if let Some(Replaced::Folder(kept)) =
                    versions.iter().find(|one| matches!(one, Replaced::Folder(_)))
                {
                    // What lay at a client may have been no skill.
                    self.world.skills.restore(&skill, &kept.id()).ok();
                }
            }
            Deed::Resolve(c, s, take) => {
                let targets = self.world.targets();
                // Mostly there is nothing to decide.
                self.world
                    .skills
                    .resolve(&targets, CLIENTS[c], &name(SKILLS[s]), take)
                    .ok();
            }
            Deed::Sync => {
                self.world.sync();
            }
            Deed::Reopen => self.world.reopen(),
        }
    }

    fn check(&self, deed: &Deed) {
        for serial in &self.alive {
            let found = holders(&self.world.root(), &words(*serial));
            assert!(!found.is_empty(), "{} is lost after {deed:?}", words(*serial));
        }
    }
}

/// Anything that may lie in a client's folder before we come.
#[derive(Clone, Debug)]
enum Thing {
    File(String, u8),
    Folder(String),
    Link(String, u8),
}

fn thing() -> impl Strategy<Value = Thing> {
    let part = prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("SKILL.md".to_owned()),
        Just(".pm-skill-fill-x".to_owned()),
        Just(".pm-skill-swap-0-a".to_owned()),
        Just(".pm-skill-swap-00000000000000000000000000000000".to_owned()),
        "[a-z.]{1,4}",
    ];
    let path = prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"));
    prop_oneof![
        (path.clone(), any::<u8>()).prop_map(|(path, byte)| Thing::File(path, byte)),
        path.clone().prop_map(Thing::Folder),
        (path, 0..3_u8).prop_map(|(path, to)| Thing::Link(path, to)),
    ]
}

fn lay(root: &Path, ours: &Path, thing: &Thing) {
    let at = |path: &str| {
        let plain = !path.split('/').any(|part| part == "." || part == "..");
        let path = root.join(path);
        // What is in the way of another is left.
        (plain && fs::create_dir_all(path.parent().unwrap()).is_ok() && fs::symlink_metadata(&path).is_err())
            .then_some(path)
    };
    match thing {
        Thing::File(path, byte) => {
            if let Some(path) = at(path) {
                fs::write(path, [*byte]).unwrap();
            }
        }
        Thing::Folder(path) => {
            if let Some(path) = at(path) {
                fs::create_dir(path).unwrap();
            }
        }
        Thing::Link(path, to) => {
            if let Some(path) = at(path) {
                let to = [Path::new("/etc"), Path::new("nowhere"), ours][usize::from(*to)];
                symlink(to, path).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_text_is_lost(deeds in prop::collection::vec(deed(), 1..30)) {
        let mut walk = Walk { world: World::new(), serial: 0, alive: BTreeSet::new() };
        for skill in SKILLS {
            walk.does(&Deed::WriteOurs(SKILLS.iter().position(|one| *one == skill).unwrap()));
        }
        for deed in &deeds {
            walk.does(deed);
            walk.check(deed);
        }
    }

    #[test]
    fn a_second_sync_changes_nothing(deeds in prop::collection::vec(deed(), 1..20)) {
        let mut walk = Walk { world: World::new(), serial: 0, alive: BTreeSet::new() };
        walk.does(&Deed::WriteOurs(0));
        walk.does(&Deed::WriteOurs(1));
        for deed in &deeds {
            walk.does(deed);
        }
        let first: Vec<_> = walk.world.sync().into_iter().map(|place| (place.path, place.standing)).collect();
        let before = snapshot(&walk.world.root());
        let second: Vec<_> = walk.world.sync().into_iter().map(|place| (place.path, place.standing)).collect();
        prop_assert_eq!(&before, &snapshot(&walk.world.root()));
        prop_assert_eq!(&first, &second);
        prop_assert!(first.iter().all(|(_, standing)| *standing != Standing::Waiting), "{:?}", first);
        let looked = walk.world.skills.places(&walk.world.targets(), &walk.world.off).unwrap();
        let looked: Vec<_> = looked.into_iter().map(|place| (place.path, place.standing)).collect();
        prop_assert_eq!(&first, &looked, "looking says what syncing said");
        let unfinished = before.keys().any(|path| path.to_string_lossy().contains(".pm-skill-"));
        prop_assert!(!unfinished, "{:?}", before.keys());
    }

    #[test]
    fn what_is_not_ours_is_never_changed(
        things in prop::collection::vec(thing(), 0..12),
        ways in prop::collection::vec(prop_oneof![Just(SkillWay::Link), Just(SkillWay::Copy)], 1..5),
        edits in prop::collection::vec(0..SKILLS.len(), 1..5),
    ) {
        let mut world = World::new();
        for skill in SKILLS {
            world.own(skill, "one");
        }
        let client = world.root().join("claude/skills");
        for thing in &things {
            lay(&client, &world.ours("c"), thing);
        }
        let mut foreign: BTreeMap<PathBuf, String> = snapshot(&client);
        // Just the link that we make is ours, whoever laid it there.
        let ours = format!("link {}", world.ours("c").display());
        foreign.retain(|path, what| path != Path::new("c") || *what != ours);
        let held = |now: &BTreeMap<PathBuf, String>| {
            foreign.iter().all(|(path, what)| now.get(path) == Some(what))
        };
        for way in ways {
            world.on.insert("claude", way);
            world.sync();
            for skill in &edits {
                write(&world.ours(SKILLS[*skill]).join("SKILL.md"), &text(SKILLS[*skill], "other"));
            }
            world.reopen();
            world.sync();
            prop_assert!(held(&snapshot(&client)), "{:?} {:?}", foreign, snapshot(&client));
            world.on.clear();
            world.sync();
            prop_assert_eq!(&snapshot(&client), &foreign, "all of ours is out again");
        }
    }
}
