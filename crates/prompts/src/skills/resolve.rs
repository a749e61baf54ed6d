//! The ends of a conflict, on a person's word. Whatever makes room is kept.

use super::compare::Compared;
use super::error::SkillError;
use super::import::has_text;
use super::library::Skills;
use super::look::{Look, Place, Planned, Standing, Target, There, key, whole};
use super::moves;
use super::name::SkillName;
use super::sync::Phase;
use base::settings::SkillWay;
use std::collections::BTreeSet;
use std::path::Path;

/// Whose is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// Theirs goes into the trash, ours takes its place.
    Ours,
    /// Theirs becomes ours; what was ours goes into the trash.
    Theirs,
    /// Neither: it is no longer asked about until it changes.
    Leave,
}

impl Skills {
    /// What differs between ours and what lies at the client; nothing where ours is linked or not there yet.
    pub fn compare(
        &self,
        targets: &[Target],
        client: &str,
        name: &SkillName,
    ) -> Result<Vec<Compared>, SkillError> {
        let _changing = self.change()?;
        let planned = self.look()?.one(targets, client, name)?;
        match planned.there? {
            There::Edited { .. } | There::Foreign { .. } | There::Copy { .. } => {
                self.differences(name, &planned.path)
            }
            There::Nothing | There::Link { .. } => Ok(Vec::new()),
        }
    }

    pub fn resolve(
        &self,
        targets: &[Target],
        client: &str,
        name: &SkillName,
        take: Take,
    ) -> Result<Place, SkillError> {
        let _changing = self.change()?;
        let mut look = self.look()?;
        let planned = look.one(targets, client, name)?;
        let fingerprint = match &planned.there {
            Ok(There::Edited { fingerprint, .. } | There::Foreign { fingerprint }) => fingerprint.clone(),
            Ok(_) => return Err(SkillError::NoConflict(planned.path)),
            Err(_) => {
                planned.there?;
                return Err(SkillError::NoConflict(planned.path));
            }
        };
        let standing = match take {
            Take::Leave => {
                // What cannot be read whole cannot be known again.
                let fingerprint = fingerprint.ok_or_else(|| SkillError::NotKept(planned.path.clone()))?;
                let before = look.state.clone();
                look.state.left.insert(key(&planned.path)?, fingerprint);
                look.write_if_not(&before)?;
                Standing::Left
            }
            Take::Ours => look.give_way(&planned)?,
            Take::Theirs => {
                if !has_text(&planned.path) {
                    return Err(SkillError::NoSkill(planned.path));
                }
                let made = moves::fill(&self.folder);
                self.filled(&planned.path, &made)?;
                self.replace(&made, name)?;
                // Ours is another one now.
                let mut look = self.look()?;
                look.give_way(&planned)?
            }
        };
        Ok(Place {
            client: planned.client,
            skill: planned.skill,
            path: planned.path,
            standing,
            problem: None,
        })
    }
}

impl Look<'_> {
    fn one(&mut self, targets: &[Target], client: &str, name: &SkillName) -> Result<Planned, SkillError> {
        self.skills.there(name)?;
        let target = targets.iter().find(|target| target.client == client);
        let target = target.ok_or_else(|| SkillError::ClientOff {
            client: base::text::cut(client, 100),
        })?;
        let planned = self.plan(std::slice::from_ref(target), &BTreeSet::new())?;
        let found = planned.into_iter().find(|one| one.skill == *name);
        found.ok_or_else(|| SkillError::NotFound(name.to_string()))
    }

    /// What lies there goes into the trash, and ours stands in its place.
    fn give_way(&mut self, planned: &Planned) -> Result<Standing, SkillError> {
        let before = self.state.clone();
        self.will_write(planned)?;
        self.state.left.remove(&key(&planned.path)?);
        let ours = whole(&self.skills.own(&planned.skill))?;
        let theirs = whole_or_none(&planned.path)?;
        if planned.way == SkillWay::Copy && theirs.is_some() && theirs == ours {
            // It was made ours: it is our copy from now on.
            let standing = self.settled(planned, theirs)?;
            self.write_if_not(&before)?;
            return Ok(standing);
        }
        self.write_if_not(&before)?;
        let noted = self.state.clone();
        let (made, copied) = self.make(planned, None, &|_: Phase| {})?;
        let Some(made) = made else {
            return Ok(Standing::Waiting);
        };
        let failed = |source| SkillError::io(&planned.path, source);
        let old = moves::swap_in(&made, &planned.path, &planned.skill).map_err(failed)?;
        if let Err(error) = self.skills.trash.take(&planned.skill, &old, &planned.client) {
            moves::exchange(&old, &planned.path).map_err(failed)?;
            moves::discard(&old).map_err(failed)?;
            return Err(error);
        }
        let standing = self.settled(planned, copied)?;
        self.write_if_not(&noted)?;
        Ok(standing)
    }
}

fn whole_or_none(path: &Path) -> Result<Option<String>, SkillError> {
    match std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir()) {
        true => whole(path),
        false => Ok(None),
    }
}
