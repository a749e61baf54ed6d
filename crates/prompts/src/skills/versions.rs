//! What a skill was before: texts and whole folders, each of which can be restored.

use super::error::SkillError;
use super::kept::Kept;
use super::library::{Detail, Skills, TEXT, text_in, unified};
use super::moves;
use super::name::SkillName;
use crate::history::Version;
use crate::library::Expected;

/// Something that can be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    Text(Version),
    Folder(Kept),
}

impl Skills {
    /// Skills that are gone and can be restored, each with its last folder.
    pub fn removed(&self) -> Result<Vec<(SkillName, Kept)>, SkillError> {
        let mut removed = Vec::new();
        for name in self.trash.skills()? {
            if self.there(&name).is_err()
                && let Some(last) = self.trash.list(&name)?.into_iter().next()
            {
                removed.push((name, last));
            }
        }
        Ok(removed)
    }

    /// What can be restored, newest first.
    pub fn versions(&self, name: &SkillName) -> Result<Vec<Replaced>, SkillError> {
        let folders = self.trash.list(name)?.into_iter();
        let mut found: Vec<(i64, Replaced)> = folders.map(|kept| (kept.at, Replaced::Folder(kept))).collect();
        let texts = self.history.versions(name.as_str())?.into_iter();
        found.extend(texts.map(|text| (text.replaced, Replaced::Text(text))));
        found.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Ok(found.into_iter().map(|(_, version)| version).collect())
    }

    /// The `SKILL.md` of a version.
    pub fn version_text(&self, name: &SkillName, version: &str) -> Result<String, SkillError> {
        match Kept::parse(version) {
            None => Ok(self.history.text(name.as_str(), version)?),
            Some(kept) => {
                let kept = self.kept(name, kept)?;
                Ok(text_in(&self.trash.folder_of(name, &kept))?.unwrap_or_default())
            }
        }
    }

    /// From a version to what is there now, as a unified diff.
    pub fn diff(&self, name: &SkillName, version: &str) -> Result<String, SkillError> {
        let old = self.version_text(name, version)?;
        let new = self.text(name)?.unwrap_or_default();
        Ok(unified(&old, &new, version, TEXT))
    }

    /// A text or a whole folder again; what was there becomes a version.
    pub fn restore(&self, name: &SkillName, version: &str) -> Result<Detail, SkillError> {
        let Some(kept) = Kept::parse(version) else {
            let text = self.history.text(name.as_str(), version)?;
            return self.save(name, &text, &Expected::Anything);
        };
        let _changing = self.change()?;
        let kept = self.kept(name, kept)?;
        let made = moves::fill(&self.folder);
        self.filled(&self.trash.folder_of(name, &kept), &made)?;
        self.replace(&made, name)?;
        self.found(name)
    }

    fn kept(&self, name: &SkillName, kept: Kept) -> Result<Kept, SkillError> {
        match self.trash.list(name)?.contains(&kept) {
            true => Ok(kept),
            false => Err(SkillError::NoVersion {
                skill: name.clone(),
                version: kept.id(),
            }),
        }
    }
}
