//! Versions of texts: each that was replaced or removed, a file each, outside the library so that it
//! can be a repository of its own. Bounded by number. A key is a path whose parts were checked by the
//! type it comes from: [`crate::PromptPath`], [`crate::skills::SkillName`].

use crate::PromptError;
use crate::scan::{text_of, version_of};
use base::atomic::{self, Access};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Kept of one text; the oldest leave first.
const KEPT: usize = 100;

/// An earlier text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// When it was replaced, in milliseconds since 1970.
    pub replaced: i64,
    /// Of its text, as [`crate::Prompt::version`].
    pub version: String,
    pub bytes: u64,
}

impl Version {
    fn parse(name: &str, bytes: u64) -> Option<Self> {
        let (replaced, version) = name.split_once('-')?;
        let known = version.len() == 16 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        known.then_some(Version {
            replaced: replaced.parse().ok()?,
            version: version.to_owned(),
            bytes,
        })
    }

    fn file(&self) -> String {
        format!("{:015}-{}", self.replaced, self.version)
    }
}

pub(crate) struct History {
    folder: PathBuf,
}

impl History {
    pub(crate) fn at(folder: PathBuf) -> Self {
        History { folder }
    }

    /// Keeps `text`, unless the newest version is the same.
    pub(crate) fn keep(&self, path: &str, text: &str, now: i64) -> Result<(), PromptError> {
        let folder = self.of(path);
        let mut versions = self.versions(path)?;
        let version = Version {
            // Never before the newest: the order of the names is the order of the texts.
            replaced: versions
                .first()
                .map_or(now, |newest| now.max(newest.replaced + 1)),
            version: version_of(text),
            bytes: text.len() as u64,
        };
        if versions
            .first()
            .is_some_and(|newest| newest.version == version.version)
        {
            return Ok(());
        }
        let file = folder.join(version.file());
        atomic::write_with_dirs(&file, text.as_bytes(), Access::Shared)
            .map_err(|source| PromptError::io(&file, source))?;
        for old in versions.drain(..).skip(KEPT - 1) {
            let file = folder.join(old.file());
            fs::remove_file(&file).map_err(|source| PromptError::io(&file, source))?;
        }
        Ok(())
    }

    /// Newest first.
    pub(crate) fn versions(&self, path: &str) -> Result<Vec<Version>, PromptError> {
        let folder = self.of(path);
        let mut versions = Vec::new();
        for entry in list(&folder)? {
            let name = entry.file_name();
            let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            versions.extend(Version::parse(&name.to_string_lossy(), bytes));
        }
        versions.sort_by(|a, b| b.cmp(a));
        Ok(versions)
    }

    /// The text of a version; of two with one text the newest.
    pub(crate) fn text(&self, path: &str, version: &str) -> Result<String, PromptError> {
        let versions = self.versions(path)?;
        let found = versions.iter().find(|known| known.version == version);
        let found = found.ok_or_else(|| PromptError::NoVersion {
            path: path.to_owned(),
            version: base::text::cut(version, 40),
        })?;
        text_of(&self.of(path).join(found.file()), path)
    }

    /// Every key that has versions, in order.
    pub(crate) fn keys(&self) -> Result<Vec<String>, PromptError> {
        let mut paths = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            let mut versions = false;
            for entry in list(&self.folder.join(&folder))? {
                let name = entry.file_name().to_string_lossy().into_owned();
                match (entry.path().is_dir(), folder.as_str()) {
                    (true, "") => folders.push(name),
                    (true, above) => folders.push(format!("{above}/{name}")),
                    (false, _) => versions |= Version::parse(&name, 0).is_some(),
                }
            }
            if versions {
                paths.push(folder);
            }
        }
        paths.sort();
        Ok(paths)
    }

    fn of(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }
}

fn list(folder: &Path) -> Result<Vec<fs::DirEntry>, PromptError> {
    match fs::read_dir(folder) {
        Ok(entries) => entries
            .collect::<Result<_, _>>()
            .map_err(|source| PromptError::io(folder, source)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(PromptError::io(folder, source)),
    }
}
