//! Ours in the folders of clients: as a link, or as a copy where links cannot be made or are not
//! wanted. What lies there is changed only while it is exactly what we put there; everything else is a
//! conflict, which [`Skills::resolve`] ends on a person's word.

use super::error::SkillError;
use super::library::Skills;
use super::look::{Look, Place, Planned, Standing, Target, There, key, real};
use super::moves;
use super::name::SkillName;
use super::state::{Placed, State};
use base::atomic;
use base::settings::SkillWay;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where a sync is, for tests that end it there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Sweep,
    Look,
    Note,
    Copy,
    Place,
    TakeAway,
    Settle,
}

impl Skills {
    /// Puts into the clients' folders what is wanted there, and takes out what is not. `phase` hears
    /// where it is.
    pub fn sync(
        &self,
        targets: &[Target],
        off: &BTreeSet<String>,
        phase: &dyn Fn(Phase),
    ) -> Result<Vec<Place>, SkillError> {
        let _changing = self.change()?;
        let mut look = self.look()?;
        phase(Phase::Sweep);
        look.sweep(targets);
        phase(Phase::Look);
        let planned = look.plan(targets, off)?;
        let before = look.state.clone();
        for one in &planned {
            look.note(one)?;
        }
        look.write_if_not(&before)?;
        phase(Phase::Note);
        let wanted: BTreeSet<String> = planned.iter().filter_map(|one| key(&one.path).ok()).collect();
        let noted = look.state.clone();
        let mut places = Vec::new();
        for one in planned {
            places.push(look.put(one, phase));
        }
        phase(Phase::TakeAway);
        look.take_away(&wanted);
        let conflicts: BTreeSet<String> = places
            .iter()
            .filter(|place| place.standing == Standing::Left)
            .filter_map(|place| key(&place.path).ok())
            .collect();
        look.state.left.retain(|path, _| conflicts.contains(path));
        phase(Phase::Settle);
        look.write_if_not(&noted)?;
        Ok(places)
    }
}

impl Look<'_> {
    /// Writes down what may lie there in a moment, before it does.
    pub(super) fn note(&mut self, planned: &Planned) -> Result<(), SkillError> {
        let acts = match &planned.there {
            Ok(There::Nothing | There::Copy { .. }) => true,
            Ok(There::Link { current }) => !planned.own && (!current || planned.way == SkillWay::Copy),
            Ok(There::Edited { .. } | There::Foreign { .. }) | Err(_) => false,
        };
        match acts {
            true => self.will_write(planned),
            false => Ok(()),
        }
    }

    pub(super) fn will_write(&mut self, planned: &Planned) -> Result<(), SkillError> {
        // Where a link fails a copy is made: it is known beforehand as well. Ours cannot be read whole:
        // then none is made.
        let ours = self.ours(&planned.skill).ok();
        let own = key(&self.skills.own(&planned.skill))?;
        let record = self.state.placed.entry(key(&planned.path)?).or_default();
        record.client.clone_from(&planned.client);
        record.skill = planned.skill.to_string();
        if !record.targets.contains(&own) {
            record.targets.push(own);
        }
        if let Some(ours) = ours
            && !record.wrote.contains(&ours)
        {
            record.wrote.push(ours);
        }
        Ok(())
    }

    /// What lies there is a link of ours, or the copy `wrote`, and nothing else.
    fn wrote(&mut self, planned: &Planned, wrote: Option<String>) -> Result<(), SkillError> {
        let record = Placed {
            client: planned.client.clone(),
            skill: planned.skill.to_string(),
            targets: vec![key(&self.skills.own(&planned.skill))?],
            wrote: wrote.into_iter().collect(),
        };
        self.state.placed.insert(key(&planned.path)?, record);
        Ok(())
    }

    fn put(&mut self, mut planned: Planned, phase: &dyn Fn(Phase)) -> Place {
        let there = std::mem::replace(&mut planned.there, Ok(There::Nothing));
        let (client, skill, path) = (
            planned.client.clone(),
            planned.skill.clone(),
            planned.path.clone(),
        );
        match self.act(&planned, there, phase) {
            Ok(Acted::Done(standing)) => Place {
                client,
                skill,
                path,
                standing,
                problem: None,
            },
            Ok(Acted::Nothing(there)) => self.place(Planned {
                there: Ok(there),
                ..planned
            }),
            Err(problem) => Place {
                client,
                skill,
                path,
                standing: Standing::Failed,
                problem: Some(problem),
            },
        }
    }

    fn act(
        &mut self,
        planned: &Planned,
        there: Result<There, SkillError>,
        phase: &dyn Fn(Phase),
    ) -> Result<Acted, SkillError> {
        match there? {
            There::Nothing => {
                let folder = planned.path.parent().unwrap_or(&planned.path);
                atomic::create_dir_all(folder).map_err(|source| SkillError::io(folder, source))?;
                self.place_new(planned, phase).map(Acted::Done)
            }
            There::Link { current: true } if planned.own => Ok(Acted::Nothing(There::Link { current: true })),
            There::Link { current: true } if planned.way == SkillWay::Link => {
                // Also where the record was lost: the link is known by where it leads.
                self.wrote(planned, None)?;
                Ok(Acted::Nothing(There::Link { current: true }))
            }
            There::Copy { fingerprint }
                if planned.way == SkillWay::Copy && self.ours(&planned.skill)? == fingerprint =>
            {
                self.wrote(planned, Some(fingerprint.clone()))?;
                Ok(Acted::Nothing(There::Copy { fingerprint }))
            }
            There::Link { .. } => self.replace(planned, None, phase),
            There::Copy { fingerprint } => self.replace(planned, Some(fingerprint), phase),
            other @ (There::Edited { .. } | There::Foreign { .. }) => Ok(Acted::Nothing(other)),
        }
    }

    /// Nothing lies there yet.
    fn place_new(&mut self, planned: &Planned, phase: &dyn Fn(Phase)) -> Result<Standing, SkillError> {
        let (made, copied) = self.make(planned, None, phase)?;
        let Some(made) = made else {
            return Ok(Standing::Waiting);
        };
        phase(Phase::Place);
        match moves::put(&made, &planned.path) {
            Ok(()) => {}
            Err(error) => {
                moves::discard(&made).map_err(|source| SkillError::io(&made, source))?;
                return match error.kind() {
                    // Somebody was quicker.
                    io::ErrorKind::AlreadyExists => {
                        self.state.placed.remove(&key(&planned.path)?);
                        Ok(Standing::Occupied)
                    }
                    _ => Err(SkillError::io(&planned.path, error)),
                };
            }
        }
        self.settled(planned, copied)
    }

    pub(super) fn settled(
        &mut self,
        planned: &Planned,
        copied: Option<String>,
    ) -> Result<Standing, SkillError> {
        let standing = match copied {
            Some(_) => Standing::Copied,
            None => Standing::Linked,
        };
        self.wrote(planned, copied)?;
        Ok(standing)
    }

    /// A link or the copy `old` of ours lies there, which makes room.
    fn replace(
        &mut self,
        planned: &Planned,
        old: Option<String>,
        phase: &dyn Fn(Phase),
    ) -> Result<Acted, SkillError> {
        let (made, copied) = self.make(planned, old.as_deref(), phase)?;
        let Some(made) = made else {
            // A link was wanted, none can be made, and the copy that lies there is right.
            return match copied {
                Some(copied) => self.settled(planned, Some(copied)).map(Acted::Done),
                None => Ok(Acted::Done(Standing::Waiting)),
            };
        };
        phase(Phase::Place);
        let failed = |source| SkillError::io(&planned.path, source);
        let swapped = moves::swap_in(&made, &planned.path, &planned.skill).map_err(failed)?;
        if self.is_what_we_put(&planned.path, &swapped)? {
            moves::discard(&swapped).map_err(failed)?;
            return self.settled(planned, copied).map(Acted::Done);
        }
        // Changed since it was looked at: back with it. It is looked at again when the watcher tells.
        moves::exchange(&swapped, &planned.path).map_err(failed)?;
        moves::discard(&swapped).map_err(failed)?;
        self.there(&planned.skill, &planned.path).map(Acted::Nothing)
    }

    /// A link or a copy beside its place, and the fingerprint of the copy. Nothing is made when ours
    /// changed since it was looked at, or when the copy `old` is what would be made.
    pub(super) fn make(
        &mut self,
        planned: &Planned,
        old: Option<&str>,
        phase: &dyn Fn(Phase),
    ) -> Result<(Option<PathBuf>, Option<String>), SkillError> {
        let folder = planned.path.parent().unwrap_or(&planned.path);
        let made = moves::fill(folder);
        let own = self.skills.own(&planned.skill);
        if planned.way == SkillWay::Link {
            match (self.skills.link)(&own, &made) {
                Ok(()) => return Ok((Some(made), None)),
                Err(error) if no_links(&error) => {}
                Err(source) => return Err(SkillError::io(&planned.path, source)),
            }
        }
        let ours = self.ours(&planned.skill)?;
        if old == Some(ours.as_str()) {
            return Ok((None, Some(ours)));
        }
        phase(Phase::Copy);
        let copied = self.skills.filled(&own, &made)?.fingerprint();
        match copied == ours {
            true => Ok((Some(made), Some(copied))),
            false => {
                moves::discard(&made).map_err(|source| SkillError::io(&made, source))?;
                Ok((None, None))
            }
        }
    }

    /// Takes out what is no longer wanted, where it is ours and unchanged. What was changed stays, and
    /// stays known.
    fn take_away(&mut self, wanted: &BTreeSet<String>) {
        let gone: Vec<String> = self
            .state
            .placed
            .keys()
            .filter(|path| !wanted.contains(*path))
            .cloned()
            .collect();
        for path in gone {
            match self.taken_away(Path::new(&path)) {
                Ok(true) => {
                    self.state.placed.remove(&path);
                }
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(error = %base::failure::chain(&error), "a skill was not taken out");
                }
            }
        }
    }

    /// Whether nothing of ours is there any more.
    fn taken_away(&self, path: &Path) -> Result<bool, SkillError> {
        let failed = |source| SkillError::io(path, source);
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            other => other.map_err(failed)?,
        };
        let record = self.state.placed.get(&key(path)?);
        let copied = record.is_some_and(|record| !record.wrote.is_empty());
        if !self.is_what_we_put(path, path)? {
            // Nobody's copy of ours: then it is none of our business.
            return Ok(!copied);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = SkillName::parse(&name)?;
        let aside = moves::set_aside(path, &name).map_err(failed)?;
        if self.is_what_we_put(path, &aside)? {
            moves::discard(&aside).map_err(failed)?;
            return Ok(true);
        }
        moves::put(&aside, path).map_err(failed)?;
        Ok(false)
    }

    /// Puts right what a kill left in the clients' folders.
    fn sweep(&mut self, targets: &[Target]) {
        let recorded = self
            .state
            .placed
            .keys()
            .filter_map(|path| Path::new(path).parent());
        let mut folders: BTreeSet<PathBuf> = recorded.map(Path::to_owned).collect();
        folders.extend(targets.iter().filter_map(|target| real(&target.folder).ok()));
        folders.remove(&self.skills.folder);
        for folder in folders {
            if let Err(error) = self.sweep_folder(&folder) {
                tracing::warn!(error = %base::failure::chain(&error), "something unfinished is left");
            }
        }
    }

    fn sweep_folder(&self, folder: &Path) -> Result<(), SkillError> {
        let failed = |source| SkillError::io(folder, source);
        for left in moves::leftovers(folder).map_err(failed)? {
            let Some(name) = left.swapped else {
                moves::discard(&left.path).map_err(failed)?;
                continue;
            };
            let path = folder.join(name.as_str());
            if self.is_what_we_put(&path, &left.path)? {
                moves::discard(&left.path).map_err(failed)?;
            } else if fs::symlink_metadata(&path).is_err() {
                moves::put(&left.path, &path).map_err(failed)?;
            } else {
                self.skills.trash.take(&name, &left.path, "theirs")?;
            }
        }
        Ok(())
    }

    pub(super) fn write_if_not(&self, before: &State) -> Result<(), SkillError> {
        match self.state == *before {
            true => Ok(()),
            false => self.state.write(&self.skills.placed),
        }
    }
}

enum Acted {
    Done(Standing),
    Nothing(There),
}

/// The file system has none, as opposed to: this folder may not be written.
fn no_links(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error);
    use rustix::io::Errno;
    matches!(code, Some(Errno::PERM | Errno::NOSYS | Errno::OPNOTSUPP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::Places;

    /// As on a file system without links.
    fn none(_: &Path, _: &Path) -> io::Result<()> {
        Err(rustix::io::Errno::PERM.into())
    }

    #[test]
    fn where_no_link_can_be_made_there_is_a_copy_that_becomes_a_link_later() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut skills = Skills::open(Places {
            skills: root.join("skills"),
            history: root.join("history"),
            trash: root.join("trash"),
            placed: root.join("placed.json"),
        })
        .unwrap();
        skills.create("pdf", "about", base::Lang::En).unwrap();
        let targets = [Target {
            client: "claude-code".to_owned(),
            folder: root.join("client"),
            way: SkillWay::Link,
        }];
        let sync = |skills: &Skills| {
            let places = skills.sync(&targets, &BTreeSet::new(), &|_| {}).unwrap();
            let looked = skills.places(&targets, &BTreeSet::new()).unwrap();
            assert_eq!(looked[0].standing, places[0].standing);
            places[0].standing
        };
        skills.link = none;
        assert_eq!([sync(&skills), sync(&skills)], [Standing::Copied; 2]);
        let text = root.join("client/pdf/SKILL.md");
        base::atomic::write(
            &root.join("skills/pdf/SKILL.md"),
            b"changed",
            base::atomic::Access::Shared,
        )
        .unwrap();
        assert_eq!(sync(&skills), Standing::Copied);
        assert_eq!(fs::read_to_string(&text).unwrap(), "changed");
        skills.link = |target, path| std::os::unix::fs::symlink(target, path);
        assert_eq!(sync(&skills), Standing::Linked);
        skills.link = |_, _| Err(rustix::io::Errno::ACCESS.into());
        fs::remove_file(root.join("client/pdf")).unwrap();
        let failed = skills.sync(&targets, &BTreeSet::new(), &|_| {}).unwrap();
        assert_eq!(
            failed[0].standing,
            Standing::Failed,
            "a folder that may not be written is said"
        );
    }
}
