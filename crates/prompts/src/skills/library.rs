//! The skills as a whole: what there is, and changes to ours, one after the other.

#![allow(
    clippy::disallowed_methods,
    reason = "removes nothing and renames durably, through `moves`"
)]

use super::error::SkillError;
use super::kept::{Kept, Trash};
use super::moves;
use super::name::SkillName;
use super::read::{self, Front, MAX_DESCRIPTION, Problem};
use super::tree::{self, Head, Tree};
use crate::history::History;
use crate::library::{Expected, lock};
use crate::scan::version_of;
use base::Lang;
use base::atomic::{self, Access};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// The file that makes a folder a skill.
pub const TEXT: &str = "SKILL.md";
/// A longer text fits into no model's window.
const MAX_TEXT: u64 = 1024 * 1024;
/// More than anybody keeps by hand.
pub(super) const MAX_SKILLS: usize = 1000;

/// Where everything lies.
#[derive(Clone, Debug)]
pub struct Places {
    /// A folder for each skill.
    pub skills: PathBuf,
    /// Earlier texts.
    pub history: PathBuf,
    /// Earlier folders.
    pub trash: PathBuf,
    /// What was put into the folders of clients.
    pub placed: PathBuf,
}

pub struct Skills {
    pub(super) folder: PathBuf,
    pub(super) history: History,
    pub(super) trash: Trash,
    pub(super) placed: PathBuf,
    /// Held by whoever changes something here or at a client.
    changing: Mutex<()>,
    /// The texts at the last look: what others change is kept.
    seen: Mutex<BTreeMap<SkillName, Arc<str>>>,
    /// A test has one that cannot.
    pub(super) link: fn(&Path, &Path) -> io::Result<()>,
}

/// One skill, for a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    pub name: SkillName,
    pub front: Front,
    pub problems: Vec<Problem>,
    pub files: usize,
    pub bytes: u64,
    /// Of its text, in milliseconds since 1970; zero when there is none.
    pub modified: i64,
}

/// One skill with its text and its files.
#[derive(Clone, Debug)]
pub struct Detail {
    pub skill: Skill,
    /// Empty when there is none or it cannot be read; the problems say so.
    pub text: String,
    pub version: String,
    pub tree: Tree,
}

impl Skills {
    pub fn open(places: Places) -> Result<Self, SkillError> {
        let failed = |source| SkillError::io(&places.skills, source);
        atomic::create_dir_all(&places.skills).map_err(failed)?;
        // The folder itself may be a link: people keep their skills in a repository elsewhere.
        let folder = places.skills.canonicalize().map_err(failed)?;
        let skills = Skills {
            folder,
            history: History::at(places.history),
            trash: Trash::at(places.trash),
            placed: places.placed,
            changing: Mutex::default(),
            seen: Mutex::default(),
            link: |target, path| std::os::unix::fs::symlink(target, path),
        };
        skills.sweep()?;
        skills.refresh()?;
        Ok(skills)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Looks at the texts again. What others changed or removed is kept as a version.
    pub fn refresh(&self) -> Result<(), SkillError> {
        self.change().map(|_| ())
    }

    pub fn list(&self) -> Result<Vec<Skill>, SkillError> {
        self.names()?
            .iter()
            .map(|name| self.skill(name).map(|detail| detail.skill))
            .collect()
    }

    pub fn get(&self, name: &SkillName) -> Result<Detail, SkillError> {
        self.there(name)?;
        self.skill(name)
    }

    /// One of its files; more than `most` bytes are refused.
    pub fn file(&self, name: &SkillName, path: &str, most: u64) -> Result<Vec<u8>, SkillError> {
        let head = self.head(name, path, most.saturating_add(1))?;
        match head.bytes.len() as u64 > most {
            true => Err(SkillError::TooBig {
                path: PathBuf::from(path),
                what: "bytes",
                limit: most,
            }),
            false => Ok(head.bytes),
        }
    }

    /// The beginning of one of its files.
    pub fn head(&self, name: &SkillName, path: &str, most: u64) -> Result<Head, SkillError> {
        self.there(name)?;
        let missing = || SkillError::NoFile {
            skill: name.clone(),
            path: base::text::cut(path, 200),
        };
        let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\0');
        if !path.split('/').all(plain) {
            return Err(missing());
        }
        tree::head(&self.folder.join(name.as_str()), path, most)?.ok_or_else(missing)
    }

    /// A new skill with a text to be filled in.
    pub fn create(&self, name: &str, description: &str, lang: Lang) -> Result<Detail, SkillError> {
        let name = SkillName::proper(name)?;
        let description = description.trim();
        let chars = description.chars().count();
        if chars == 0 || chars > MAX_DESCRIPTION {
            return Err(SkillError::BadDescription {
                chars,
                limit: MAX_DESCRIPTION,
            });
        }
        let _changing = self.change()?;
        let made = moves::fill(&self.folder);
        let text = read::template(&name, description, lang);
        atomic::write_with_dirs(&made.join(TEXT), text.as_bytes(), Access::Shared)
            .map_err(|source| SkillError::io(&made, source))?;
        self.add(&made, &name)?;
        self.found(&name)
    }

    /// Replaces the text; the one before it becomes a version. A text with problems is taken: they are
    /// shown, and a person is not kept from saving half of a thought.
    pub fn save(&self, name: &SkillName, text: &str, expected: &Expected) -> Result<Detail, SkillError> {
        let _changing = self.change()?;
        self.there(name)?;
        if text.len() as u64 > MAX_TEXT {
            return Err(SkillError::TooBig {
                path: PathBuf::from(TEXT),
                what: "bytes",
                limit: MAX_TEXT,
            });
        }
        let before = self.text(name)?;
        if let Expected::Version(version) = expected
            && *version != version_of(before.as_deref().unwrap_or_default())
        {
            return Err(SkillError::Changed(name.clone()));
        }
        if before.as_deref() != Some(text) {
            if let Some(before) = before {
                self.history.keep(name.as_str(), &before, base::clock::now_ms())?;
            }
            let file = self.folder.join(name.as_str()).join(TEXT);
            atomic::write(&file, text.as_bytes(), Access::Shared)
                .map_err(|source| SkillError::io(&file, source))?;
        }
        self.found(name)
    }

    /// Into the trash: [`Skills::restore`] brings it back.
    pub fn remove(&self, name: &SkillName) -> Result<Kept, SkillError> {
        let _changing = self.change()?;
        self.there(name)?;
        if let Some(text) = self.text(name)? {
            self.history.keep(name.as_str(), &text, base::clock::now_ms())?;
        }
        let kept = self
            .trash
            .take(name, &self.folder.join(name.as_str()), "removed")?;
        lock(&self.seen).remove(name);
        Ok(kept)
    }

    /// Copies what a skill may hold; nothing is left when that fails.
    pub(super) fn filled(&self, from: &Path, made: &Path) -> Result<Tree, SkillError> {
        let copied = Tree::copy(from, made);
        if copied.is_err()
            && let Err(error) = moves::discard(made)
        {
            // The next start removes it; the caller hears of the first error.
            tracing::warn!(%error, "an unfinished copy is left");
        }
        copied
    }

    pub(super) fn add(&self, made: &Path, name: &SkillName) -> Result<(), SkillError> {
        let full = match self.names()?.len() >= MAX_SKILLS {
            true => Err(too_many(&self.folder)),
            false => Ok(()),
        };
        let put = full.and_then(|()| {
            moves::put(made, &self.folder.join(name.as_str())).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => SkillError::Exists(name.clone()),
                _ => SkillError::io(made, error),
            })
        });
        if put.is_err() {
            moves::discard(made).map_err(|source| SkillError::io(made, source))?;
        }
        put
    }

    /// What was made takes the place of the skill, which is kept.
    pub(super) fn replace(&self, made: &Path, name: &SkillName) -> Result<(), SkillError> {
        let ours = self.folder.join(name.as_str());
        if fs::symlink_metadata(&ours).is_err() {
            return self.add(made, name);
        }
        if let Some(text) = self.text(name)? {
            self.history.keep(name.as_str(), &text, base::clock::now_ms())?;
        }
        let old = moves::swap_in(made, &ours, name).map_err(|source| SkillError::io(&ours, source))?;
        self.trash.take(name, &old, "replaced")?;
        Ok(())
    }

    /// By name.
    pub(super) fn names(&self) -> Result<Vec<SkillName>, SkillError> {
        let failed = |source| SkillError::io(&self.folder, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && let Ok(name) = SkillName::parse(&entry.file_name().to_string_lossy()) {
                names.push(name);
            }
            if names.len() > MAX_SKILLS {
                return Err(too_many(&self.folder));
            }
        }
        names.sort();
        Ok(names)
    }

    fn skill(&self, name: &SkillName) -> Result<Detail, SkillError> {
        let folder = self.folder.join(name.as_str());
        let (text, mut problems, front) = match self.text(name) {
            Ok(Some(text)) => {
                let (front, problems) = read::front(&text, name);
                (text, problems, front)
            }
            Ok(None) => (String::new(), vec![Problem::NoText], Front::default()),
            Err(error) => {
                let problem = Problem::Unreadable(base::failure::chain(&error));
                (String::new(), vec![problem], Front::default())
            }
        };
        let tree = match Tree::measure(&folder) {
            Ok(tree) => tree,
            Err(SkillError::TooBig { what, limit, .. }) => {
                problems.push(Problem::TooBig { what, limit });
                Tree::default()
            }
            Err(error) if error.is_missing() => return Err(SkillError::NotFound(name.to_string())),
            Err(error) => return Err(error),
        };
        let left_out = tree.left_out.iter().filter(|path| !path.ends_with(".git"));
        problems.extend(left_out.map(|path| Problem::LeftOut {
            path: base::text::cut(path, 200),
        }));
        let modified = fs::symlink_metadata(folder.join(TEXT)).map_or(0, |metadata| {
            metadata.mtime() * 1000 + metadata.mtime_nsec() / 1_000_000
        });
        Ok(Detail {
            skill: Skill {
                name: name.clone(),
                front,
                problems,
                files: tree.files().count(),
                bytes: tree.bytes,
                modified,
            },
            version: version_of(&text),
            text,
            tree,
        })
    }

    pub(super) fn text(&self, name: &SkillName) -> Result<Option<String>, SkillError> {
        text_in(&self.folder.join(name.as_str()))
    }

    pub(super) fn there(&self, name: &SkillName) -> Result<(), SkillError> {
        match fs::symlink_metadata(self.folder.join(name.as_str())) {
            Ok(metadata) if metadata.is_dir() => Ok(()),
            _ => Err(SkillError::NotFound(name.to_string())),
        }
    }

    /// The caller holds the lock.
    pub(super) fn found(&self, name: &SkillName) -> Result<Detail, SkillError> {
        self.reread()?;
        self.get(name)
    }

    /// Starts from what is there: what others did since the last look is kept first.
    pub(super) fn change(&self) -> Result<MutexGuard<'_, ()>, SkillError> {
        let changing = lock(&self.changing);
        self.reread()?;
        Ok(changing)
    }

    fn reread(&self) -> Result<(), SkillError> {
        let mut now = BTreeMap::new();
        for name in self.names()? {
            // Not read: shown as a problem, and nothing to keep.
            if let Ok(Some(text)) = self.text(&name) {
                now.insert(name, Arc::<str>::from(text));
            }
        }
        let mut seen = lock(&self.seen);
        for (name, text) in seen.iter() {
            if now.get(name) != Some(text) {
                self.history.keep(name.as_str(), text, base::clock::now_ms())?;
            }
        }
        *seen = now;
        Ok(())
    }

    /// What a kill left behind.
    fn sweep(&self) -> Result<(), SkillError> {
        let failed = |source| SkillError::io(&self.folder, source);
        for left in moves::leftovers(&self.folder).map_err(failed)? {
            match left.swapped {
                None => moves::discard(&left.path).map_err(failed)?,
                Some(name) => {
                    self.trash.take(&name, &left.path, "replaced")?;
                }
            }
        }
        for name in self.names()? {
            let folder = self.folder.join(name.as_str());
            atomic::sweep(&folder).map_err(|source| SkillError::io(&folder, source))?;
        }
        Ok(())
    }
}

pub(super) fn unified(old: &str, new: &str, from: &str, to: &str) -> String {
    let diff = similar::TextDiff::from_lines(old, new);
    diff.unified_diff().header(from, to).to_string()
}

pub(super) fn too_many(folder: &Path) -> SkillError {
    SkillError::TooBig {
        path: folder.to_owned(),
        what: "skills",
        limit: MAX_SKILLS as u64,
    }
}

pub(super) fn text_in(folder: &Path) -> Result<Option<String>, SkillError> {
    let Some(bytes) = tree::file(folder, TEXT, MAX_TEXT)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| SkillError::NotText {
        path: folder.join(TEXT),
    })
}
