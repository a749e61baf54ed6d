//! A data home and the folders of two clients.

use base::settings::SkillWay;
use prompts::skills::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub struct World {
    pub dir: tempfile::TempDir,
    pub skills: Skills,
    pub off: BTreeSet<String>,
    pub on: BTreeMap<&'static str, SkillWay>,
}

pub fn text(name: &str, words: &str) -> String {
    format!("---\nname: {name}\ndescription: about {name}\n---\n{words}\n")
}

pub fn name(text: &str) -> SkillName {
    SkillName::parse(text).unwrap()
}

pub fn places(root: &Path) -> Places {
    Places {
        skills: root.join("home/skills"),
        history: root.join("home/history/.skills"),
        trash: root.join("home/trash/skills"),
        placed: root.join("home/clients/skills.json"),
    }
}

impl World {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        World {
            skills: Skills::open(places(&root)).unwrap(),
            dir,
            off: BTreeSet::new(),
            on: BTreeMap::new(),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub fn reopen(&mut self) {
        self.skills = Skills::open(places(&self.root())).unwrap();
    }

    /// A skill with a script beside its text.
    pub fn own(&self, skill: &str, words: &str) {
        let folder = self.root().join("home/skills").join(skill);
        write(&folder.join("SKILL.md"), &text(skill, words));
        write(&folder.join("scripts/run.sh"), "#!/bin/sh\necho run\n");
        fs::set_permissions(folder.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn ours(&self, skill: &str) -> PathBuf {
        self.root().join("home/skills").join(skill)
    }

    pub fn theirs(&self, client: &str, skill: &str) -> PathBuf {
        self.root().join(client).join("skills").join(skill)
    }

    pub fn targets(&self) -> Vec<Target> {
        let targets = self.on.iter().map(|(client, way)| Target {
            client: (*client).to_owned(),
            folder: self.root().join(client).join("skills"),
            way: *way,
        });
        targets.collect()
    }

    pub fn sync(&self) -> Vec<Place> {
        self.skills.sync(&self.targets(), &self.off, &|_| {}).unwrap()
    }

    /// The one place there is.
    pub fn standing(&self) -> Standing {
        let places = self.skills.places(&self.targets(), &self.off).unwrap();
        assert_eq!(places.len(), 1, "{places:?}");
        places[0].standing
    }

    pub fn resolve(&self, client: &str, skill: &str, take: Take) -> Place {
        self.skills
            .resolve(&self.targets(), client, &name(skill), take)
            .unwrap()
    }
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Everything below a folder: what it is, its mode and its bytes or target; links are not followed.
pub fn snapshot(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let mode = metadata.permissions().mode();
            let what = if metadata.is_symlink() {
                format!("link {}", fs::read_link(&path).unwrap().display())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                format!("folder {mode:o}")
            } else {
                format!("file {mode:o} {:?}", fs::read(&path).unwrap())
            };
            found.insert(path.strip_prefix(root).unwrap().to_owned(), what);
        }
    }
    found
}

/// Files below the root that hold the words.
pub fn holders(root: &Path, words: &str) -> Vec<PathBuf> {
    let wanted = format!("{:?}", words.as_bytes());
    let wanted = wanted.trim_matches(['[', ']']);
    let all = snapshot(root).into_iter();
    all.filter(|(_, what)| what.starts_with("file ") && what.contains(wanted))
        .map(|(path, _)| path)
        .collect()
}
