//! The folder as it is now: prompts, groups, and files that could not be read as prompts. Files
//! whose stamp has not changed are not read again. Links are not followed: what they lead to is
//! not the library's.

use crate::PromptError;
use crate::model::Prompt;
use crate::path::{self, GROUP_FILE, MAX_DEPTH, PromptPath};
use crate::read::{self, MAX_BYTES};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

/// More than anybody keeps by hand.
pub const MAX_PROMPTS: usize = 20_000;

/// The library at one moment.
#[derive(Debug, Default)]
pub struct Shelf {
    prompts: BTreeMap<PromptPath, Entry>,
    pub groups: BTreeMap<String, Group>,
    pub broken: Vec<Broken>,
}

#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    prompt: Arc<Prompt>,
}

/// A folder of prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its own switch.
    pub enabled: bool,
    /// It and every group above it are on.
    pub usable: bool,
}

/// A file that is none, and why.
#[derive(Debug)]
pub struct Broken {
    pub path: String,
    pub problem: PromptError,
}

/// What changes whenever somebody writes a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
    size: u64,
}

impl Stamp {
    fn of(metadata: &fs::Metadata) -> Self {
        Stamp {
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
            size: metadata.size(),
        }
    }
}

impl Shelf {
    /// By path.
    pub fn prompts(&self) -> impl ExactSizeIterator<Item = &Arc<Prompt>> {
        self.prompts.values().map(|entry| &entry.prompt)
    }

    pub fn at(&self, path: &PromptPath) -> Option<&Arc<Prompt>> {
        self.prompts.get(path).map(|entry| &entry.prompt)
    }

    /// By path, id or name, in this order; of two with one name the first by path. Where nothing has it
    /// exactly, a path without its ending and a name in other letters are meant.
    pub fn get(&self, key: &str) -> Option<&Arc<Prompt>> {
        let by_path = || self.at(&PromptPath::parse(key).ok()?);
        let by_id = || self.prompts().find(|prompt| prompt.id.eq_ignore_ascii_case(key));
        let by_name = || self.prompts().find(|prompt| prompt.content.name == key);
        let stem = || self.prompts().find(|prompt| prompt.path.without_ending() == key);
        let lower = key.to_lowercase();
        let letters = || {
            self.prompts()
                .find(|prompt| prompt.content.name.to_lowercase() == lower)
        };
        by_path()
            .or_else(by_id)
            .or_else(by_name)
            .or_else(stem)
            .or_else(letters)
    }

    pub(crate) fn same_as(&self, other: &Shelf) -> bool {
        let broken = |shelf: &Shelf| -> Vec<(String, String)> {
            let shown = |broken: &Broken| (broken.path.clone(), broken.problem.to_string());
            shelf.broken.iter().map(shown).collect()
        };
        self.prompts().eq(other.prompts()) && self.groups == other.groups && broken(self) == broken(other)
    }

    pub(crate) fn read(folder: &Path, old: &Shelf) -> Result<Shelf, PromptError> {
        let mut shelf = Shelf::default();
        shelf.walk(folder, "", true, old)?;
        Ok(shelf)
    }

    fn walk(&mut self, folder: &Path, group: &str, above: bool, old: &Shelf) -> Result<(), PromptError> {
        let here = folder.join(group);
        let own = self.switch(&here, group);
        let usable = above && own;
        if !group.is_empty() {
            let entry = Group { enabled: own, usable };
            self.groups.insert(group.to_owned(), entry);
        }
        let listed = match fs::read_dir(&here) {
            Ok(listed) => listed,
            // Removed while it was walked: its prompts are gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !group.is_empty() => return Ok(()),
            Err(source) => return Err(PromptError::io(&here, source)),
        };
        for entry in listed {
            let entry = entry.map_err(|source| PromptError::io(&here, source))?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            if !path::plain_name(&name) {
                continue;
            }
            let relative = match group {
                "" => name.clone(),
                group => format!("{group}/{name}"),
            };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                match relative.split('/').count() < MAX_DEPTH {
                    true => self.walk(folder, &relative, usable, old)?,
                    false => self.spoil(relative.clone(), PromptError::BadPath(relative)),
                }
            } else if kind.is_file()
                && path::is_prompt_file(&name)
                && let Ok(path) = PromptPath::parse(&relative)
            {
                self.file(folder, path, usable, old)?;
            }
        }
        Ok(())
    }

    fn switch(&mut self, folder: &Path, group: &str) -> bool {
        let path = match group {
            "" => GROUP_FILE.to_owned(),
            group => format!("{group}/{GROUP_FILE}"),
        };
        let on = match text_of(&folder.join(GROUP_FILE), &path) {
            Ok(text) => read::value(&text)
                .and_then(|map| read::switch(&map, "enabled"))
                .map_err(|problem| problem.at(&path)),
            Err(PromptError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        match on {
            Ok(on) => on.unwrap_or(true),
            // Said, and the group stays as it would be without the file.
            Err(problem) => {
                self.spoil(path, problem);
                true
            }
        }
    }

    fn file(
        &mut self,
        folder: &Path,
        path: PromptPath,
        usable: bool,
        old: &Shelf,
    ) -> Result<(), PromptError> {
        if self.prompts.len() + self.broken.len() >= MAX_PROMPTS {
            return Err(PromptError::TooMany { limit: MAX_PROMPTS });
        }
        let full = path.below(folder);
        let Ok(metadata) = fs::symlink_metadata(&full) else {
            return Ok(());
        };
        let stamp = Stamp::of(&metadata);
        let kept = old.prompts.get(&path).filter(|entry| entry.stamp == stamp);
        let prompt = match kept {
            Some(entry) if entry.prompt.usable == (usable && entry.prompt.content.enabled) => {
                Arc::clone(&entry.prompt)
            }
            Some(entry) => Arc::new(Prompt {
                usable: usable && entry.prompt.content.enabled,
                ..(*entry.prompt).clone()
            }),
            None => {
                match text_of(&full, path.as_str()).and_then(|text| understood(&path, text, usable, stamp)) {
                    Ok(prompt) => Arc::new(prompt),
                    Err(PromptError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                        return Ok(());
                    }
                    Err(problem) => {
                        self.spoil(path.as_str().to_owned(), problem);
                        return Ok(());
                    }
                }
            }
        };
        self.prompts.insert(path, Entry { stamp, prompt });
        Ok(())
    }

    fn spoil(&mut self, path: String, problem: PromptError) {
        self.broken.push(Broken { path, problem });
    }
}

fn understood(path: &PromptPath, text: String, usable: bool, stamp: Stamp) -> Result<Prompt, PromptError> {
    let content = read::content(path, &text).map_err(|problem| problem.at(path.as_str()))?;
    Ok(Prompt {
        id: path.id(),
        usable: usable && content.enabled,
        version: version_of(&text),
        modified: stamp.modified.0 * 1000 + stamp.modified.1 / 1_000_000,
        text: text.into(),
        path: path.clone(),
        content,
    })
}

pub(crate) fn version_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A file's text, with a bound on it.
pub(crate) fn text_of(full: &Path, shown: &str) -> Result<String, PromptError> {
    let failed = |source| PromptError::io(full, source);
    let file = fs::File::open(full).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let large = |bytes| PromptError::TooLarge {
        path: shown.to_owned(),
        bytes,
        limit: MAX_BYTES,
    };
    if bytes > MAX_BYTES {
        return Err(large(bytes));
    }
    let mut read = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut read).map_err(failed)?;
    if read.len() as u64 > MAX_BYTES {
        return Err(large(read.len() as u64));
    }
    String::from_utf8(read).map_err(|_| PromptError::Invalid {
        path: shown.to_owned(),
        line: 0,
        column: 0,
        reason: "it is not UTF-8".to_owned(),
    })
}
