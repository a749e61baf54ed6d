//! How things stand: what lies at each client, held against what was put there. Changes nothing.

use super::error::SkillError;
use super::library::{Skills, TEXT};
use super::name::SkillName;
use super::state::State;
use super::tree::Tree;
use base::settings::SkillWay;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A client that is turned on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub client: String,
    pub folder: PathBuf,
    pub way: SkillWay,
}

/// One skill at one client.
#[derive(Debug)]
pub struct Place {
    pub client: String,
    pub skill: SkillName,
    pub path: PathBuf,
    pub standing: Standing,
    /// Of [`Standing::Failed`].
    pub problem: Option<SkillError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The next sync puts it there or brings it up to date.
    Waiting,
    Linked,
    /// A copy, the same as ours.
    Copied,
    /// The copy was changed there, ours was not.
    Theirs,
    /// Both were changed.
    Both,
    /// Something lies there that we did not put there.
    Occupied,
    /// One of the three before, which a person left as it is.
    Left,
    Failed,
}

/// What lies at a place.
pub(super) enum There {
    Nothing,
    /// `current`: it leads to where the skill lies now.
    Link {
        current: bool,
    },
    /// Exactly what we wrote, or what ours is now.
    Copy {
        fingerprint: String,
    },
    /// A copy of ours that is no longer what we wrote. No fingerprint: it cannot be read whole.
    Edited {
        fingerprint: Option<String>,
        both: bool,
    },
    Foreign {
        fingerprint: Option<String>,
    },
}

/// A place that is wanted, and what lies there.
pub(super) struct Planned {
    pub client: String,
    pub skill: SkillName,
    pub path: PathBuf,
    pub way: SkillWay,
    pub there: Result<There, SkillError>,
    /// The client reads our own folder.
    pub own: bool,
}

/// One look: the trees of ours are read once, and only where they are needed.
pub(super) struct Look<'s> {
    pub skills: &'s Skills,
    pub state: State,
    ours: BTreeMap<SkillName, String>,
}

impl Skills {
    /// How each skill stands at each client. Changes nothing.
    pub fn places(&self, targets: &[Target], off: &BTreeSet<String>) -> Result<Vec<Place>, SkillError> {
        let _changing = self.change()?;
        let mut look = self.look()?;
        let planned = look.plan(targets, off)?;
        Ok(planned.into_iter().map(|planned| look.place(planned)).collect())
    }

    pub(super) fn look(&self) -> Result<Look<'_>, SkillError> {
        Ok(Look {
            skills: self,
            state: State::read(&self.placed)?,
            ours: BTreeMap::new(),
        })
    }

    pub(super) fn own(&self, name: &SkillName) -> PathBuf {
        self.folder.join(name.as_str())
    }
}

impl Look<'_> {
    /// Every skill that is on, at every client.
    pub(super) fn plan(
        &mut self,
        targets: &[Target],
        off: &BTreeSet<String>,
    ) -> Result<Vec<Planned>, SkillError> {
        let names: Vec<SkillName> = self.skills.names()?;
        let on = names
            .into_iter()
            .filter(|name| !off.contains(name.as_str()) && self.skills.own(name).join(TEXT).is_file());
        let on: Vec<SkillName> = on.collect();
        let mut planned: Vec<Planned> = Vec::new();
        let mut taken = BTreeSet::new();
        for target in targets {
            for skill in &on {
                let folder = real(&target.folder);
                let own = folder.as_ref().is_ok_and(|folder| *folder == self.skills.folder);
                let path = folder.as_ref().unwrap_or(&target.folder).join(skill.as_str());
                // Two clients that read one folder: the first says how.
                if !own && !taken.insert(path.clone()) {
                    continue;
                }
                let there = match folder {
                    _ if own => Ok(There::Link { current: true }),
                    Ok(folder) if overlap(&folder, &self.skills.folder) => Err(SkillError::Overlaps(folder)),
                    Ok(_) => self.there(skill, &path),
                    Err(problem) => Err(problem),
                };
                planned.push(Planned {
                    client: target.client.clone(),
                    skill: skill.clone(),
                    path,
                    way: target.way,
                    there,
                    own,
                });
            }
        }
        Ok(planned)
    }

    /// What our skill is now.
    pub(super) fn ours(&mut self, name: &SkillName) -> Result<String, SkillError> {
        if let Some(known) = self.ours.get(name) {
            return Ok(known.clone());
        }
        let fingerprint = Tree::read(&self.skills.own(name))?.fingerprint();
        self.ours.insert(name.clone(), fingerprint.clone());
        Ok(fingerprint)
    }

    pub(super) fn there(&mut self, name: &SkillName, path: &Path) -> Result<There, SkillError> {
        let record = self.state.placed.get(&key(path)?).cloned();
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(There::Nothing),
            Err(source) => return Err(SkillError::io(path, source)),
        };
        if metadata.is_symlink() {
            let target = fs::read_link(path).map_err(|source| SkillError::io(path, source))?;
            let current = target == self.skills.own(name);
            let ours = current || record.is_some_and(|record| record.leads_to(&target));
            return Ok(match ours {
                true => There::Link { current },
                false => There::Foreign {
                    fingerprint: Some(format!("link {}", target.display())),
                },
            });
        }
        let wrote = record.map(|record| record.wrote).unwrap_or_default();
        let fingerprint = match metadata.is_dir() {
            true => whole(path)?,
            false => None,
        };
        if wrote.is_empty() {
            return Ok(There::Foreign { fingerprint });
        }
        // Gone, or more than a skill may hold: theirs is looked at all the same.
        let ours = self.ours(name).ok();
        Ok(match fingerprint {
            Some(fingerprint) if wrote.contains(&fingerprint) || Some(&fingerprint) == ours.as_ref() => {
                There::Copy { fingerprint }
            }
            fingerprint => There::Edited {
                fingerprint,
                both: ours.is_none_or(|ours| !wrote.contains(&ours)),
            },
        })
    }

    /// What would be done, as a standing.
    pub(super) fn place(&mut self, planned: Planned) -> Place {
        let left = key(&planned.path)
            .ok()
            .and_then(|key| self.state.left.get(&key).cloned());
        let is_left =
            |fingerprint: &Option<String>| left.is_some() && left.as_deref() == fingerprint.as_deref();
        let (standing, problem) = match planned.there {
            Err(problem) => (Standing::Failed, Some(problem)),
            Ok(There::Edited { fingerprint, .. } | There::Foreign { fingerprint })
                if is_left(&fingerprint) =>
            {
                (Standing::Left, None)
            }
            Ok(There::Edited { both: false, .. }) => (Standing::Theirs, None),
            Ok(There::Edited { both: true, .. }) => (Standing::Both, None),
            Ok(There::Foreign { .. }) => (Standing::Occupied, None),
            Ok(There::Link { current: true }) if planned.own || planned.way == SkillWay::Link => {
                (Standing::Linked, None)
            }
            Ok(There::Nothing | There::Link { .. }) => (Standing::Waiting, None),
            Ok(There::Copy { fingerprint }) => match self.ours(&planned.skill) {
                Ok(ours) if ours == fingerprint => (Standing::Copied, None),
                Ok(_) => (Standing::Waiting, None),
                Err(problem) => (Standing::Failed, Some(problem)),
            },
        };
        Place {
            client: planned.client,
            skill: planned.skill,
            path: planned.path,
            standing,
            problem,
        }
    }

    /// Whether what now lies at `now` is what we once put at `path`, whole.
    pub(super) fn is_what_we_put(&self, path: &Path, now: &Path) -> Result<bool, SkillError> {
        let failed = |source| SkillError::io(now, source);
        let record = self.state.placed.get(&key(path)?);
        let metadata = fs::symlink_metadata(now).map_err(failed)?;
        if metadata.is_symlink() {
            let target = fs::read_link(now).map_err(failed)?;
            let recorded = record.is_some_and(|record| record.leads_to(&target));
            return Ok(recorded || target.parent() == Some(&self.skills.folder));
        }
        let fingerprint = match metadata.is_dir() {
            true => whole(now)?,
            false => None,
        };
        Ok(record.is_some_and(|record| fingerprint.is_some_and(|it| record.wrote.contains(&it))))
    }
}

fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// A tree that a skill may be, whole; `None` when it holds more or something else.
pub(super) fn whole(path: &Path) -> Result<Option<String>, SkillError> {
    match Tree::read(path) {
        Ok(tree) if tree.left_out.is_empty() => Ok(Some(tree.fingerprint())),
        Ok(_) | Err(SkillError::TooBig { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Under which a place is written down.
pub(super) fn key(path: &Path) -> Result<String, SkillError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| SkillError::BadName(path.to_string_lossy().into_owned()))
}

/// The folder by its real path, as far as it is there.
pub(super) fn real(folder: &Path) -> Result<PathBuf, SkillError> {
    match folder.canonicalize() {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            match (folder.parent(), folder.file_name()) {
                // A link that leads nowhere is not made use of.
                _ if fs::symlink_metadata(folder).is_ok() => Err(SkillError::io(folder, error)),
                (Some(above), Some(name)) => Ok(real(above)?.join(name)),
                _ => Err(SkillError::io(folder, error)),
            }
        }
        Err(source) => Err(SkillError::io(folder, source)),
    }
}
