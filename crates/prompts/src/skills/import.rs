//! Skills from elsewhere: folders that a person has, copied.

use super::error::SkillError;
use super::library::{MAX_SKILLS, Skills, TEXT, text_in, too_many};
use super::moves;
use super::name::{SkillName, is_proper};
use super::read;
use super::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};

/// One folder that was to be imported.
#[derive(Debug)]
pub struct Imported {
    pub source: PathBuf,
    pub outcome: Result<Outcome, SkillError>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    New(SkillName),
    /// There is the same skill already.
    Same(SkillName),
}

impl Skills {
    /// Copies a folder with a `SKILL.md`, or each such folder in a folder. Nothing of ours is replaced.
    pub fn import(&self, source: &Path) -> Result<Vec<Imported>, SkillError> {
        let real = source
            .canonicalize()
            .map_err(|error| SkillError::io(source, error))?;
        let real = match real.is_file() && real.file_name().is_some_and(|name| name == TEXT) {
            true => real.parent().map(Path::to_owned).unwrap_or(real),
            false => real,
        };
        if !real.is_dir() {
            return Err(SkillError::NoSkill(real));
        }
        let folders = match has_text(&real) {
            true => vec![real],
            false => {
                let inner = fs::read_dir(&real).map_err(|error| SkillError::io(&real, error))?;
                let mut found = Vec::new();
                for entry in inner {
                    let path = entry.map_err(|error| SkillError::io(&real, error))?.path();
                    if fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir()) && has_text(&path)
                    {
                        found.push(path);
                    }
                }
                if found.is_empty() {
                    return Err(SkillError::NoSkill(real));
                }
                if found.len() > MAX_SKILLS {
                    return Err(too_many(&real));
                }
                found.sort();
                found
            }
        };
        let _changing = self.change()?;
        let taken = folders.into_iter().map(|source| Imported {
            outcome: self.take_in(&source),
            source,
        });
        Ok(taken.collect())
    }

    fn take_in(&self, source: &Path) -> Result<Outcome, SkillError> {
        let own = source
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let folder = SkillName::parse(&own)?;
        let text = text_in(source)?.unwrap_or_default();
        // A checkout is often named otherwise than the skill in it.
        let said = read::front(&text, &folder).0.name;
        let name = match is_proper(&said) {
            true => SkillName::parse(&said)?,
            false => folder,
        };
        let ours = self.folder.join(name.as_str());
        if fs::symlink_metadata(&ours).is_ok() {
            let same = Tree::read(&ours)?.nodes == Tree::read(source)?.nodes;
            return match same {
                true => Ok(Outcome::Same(name)),
                false => Err(SkillError::Exists(name)),
            };
        }
        let made = moves::fill(&self.folder);
        self.filled(source, &made)?;
        self.add(&made, &name)?;
        Ok(Outcome::New(name))
    }
}

pub(super) fn has_text(folder: &Path) -> bool {
    let found = fs::symlink_metadata(folder.join(TEXT));
    found.is_ok_and(|metadata| metadata.is_file())
}
