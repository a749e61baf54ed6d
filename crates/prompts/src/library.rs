//! The library as a whole: one shelf that everybody reads, changes one after the other.

use crate::PromptError;
use crate::history::{History, Version};
use crate::model::{Content, Prompt};
use crate::path::{GROUP_FILE, PromptPath, file_name, plain_name};
use crate::scan::{Shelf, text_of, version_of};
use crate::search::{Found, search};
use crate::{read, write};
use base::atomic::{self, Access};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use store::{Document, TextIndex};

/// Searches give no more than this.
const MAX_FOUND: u32 = 500;

/// What a change is meant for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Whatever is there now.
    Anything,
    /// The text with this version, or nothing is changed.
    Version(String),
}

pub struct Library {
    folder: PathBuf,
    history: History,
    shelf: RwLock<Arc<Shelf>>,
    /// Held by whoever changes files or reads the folder anew.
    changing: Mutex<()>,
    index: Mutex<Option<Index>>,
}

/// The full-text index and the shelf it was made of.
struct Index {
    texts: TextIndex,
    of: Arc<Shelf>,
}

impl Library {
    /// `folder` is made when it is missing; `history` when something is kept.
    pub fn open(folder: &Path, history: PathBuf) -> Result<Self, PromptError> {
        atomic::create_dir_all(folder).map_err(|source| PromptError::io(folder, source))?;
        // The folder itself may be a link: people keep their prompts in a repository elsewhere.
        let folder = folder
            .canonicalize()
            .map_err(|source| PromptError::io(folder, source))?;
        let shelf = Shelf::read(&folder, &Shelf::default())?;
        Ok(Library {
            folder,
            history: History::at(history),
            shelf: RwLock::new(Arc::new(shelf)),
            changing: Mutex::new(()),
            index: Mutex::new(None),
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the folder again. What others changed or removed is kept as a version. Says
    /// whether anything is different.
    pub fn refresh(&self) -> Result<bool, PromptError> {
        let _changing = lock(&self.changing);
        self.reread()
    }

    pub fn get(&self, key: &str) -> Result<Arc<Prompt>, PromptError> {
        let shelf = self.shelf();
        let found = shelf.get(key.trim()).cloned();
        found.ok_or_else(|| PromptError::NotFound(base::text::cut(key, 200)))
    }

    /// The scored search (CONTRACT).
    pub fn search(&self, query: &str) -> Vec<Found> {
        search(&self.shelf(), query)
    }

    /// By every word of name, description and messages: what names and descriptions say in the order of
    /// the scored search, then what the texts say, best first. All prompts where no word is given.
    pub fn full_text(&self, query: &str) -> Result<Vec<Arc<Prompt>>, PromptError> {
        let named = self.search(query).into_iter().map(|found| found.prompt);
        let mut found: Vec<Arc<Prompt>> = named.collect();
        if query.trim().is_empty() {
            return Ok(found);
        }
        let named: HashSet<PromptPath> = found.iter().map(|prompt| prompt.path.clone()).collect();
        let texts = self.texts(query)?.into_iter();
        found.extend(texts.filter(|prompt| !named.contains(&prompt.path)));
        Ok(found)
    }

    fn texts(&self, query: &str) -> Result<Vec<Arc<Prompt>>, PromptError> {
        let shelf = self.shelf();
        let mut index = lock(&self.index);
        let known = match index.take() {
            Some(known) if Arc::ptr_eq(&known.of, &shelf) => known,
            old => indexed(old, &shelf)?,
        };
        let keys = known.texts.search(query, MAX_FOUND);
        *index = Some(known);
        let paths = keys?.into_iter().filter_map(|key| PromptPath::parse(&key).ok());
        Ok(paths.filter_map(|path| shelf.at(&path).cloned()).collect())
    }

    /// A new prompt in a group (empty: at the top), in a file named after it.
    pub fn create(&self, group: &str, content: &Content) -> Result<Arc<Prompt>, PromptError> {
        let _changing = self.change()?;
        let path = self.free_path(group, &content.name)?;
        self.put(&path, &write::text(&path, content, None))?;
        self.found(&path)
    }

    pub fn save(
        &self,
        path: &PromptPath,
        content: &Content,
        expected: &Expected,
    ) -> Result<Arc<Prompt>, PromptError> {
        let _changing = self.change()?;
        let before = self.expected(path, expected)?;
        self.put(path, &write::text(path, content, Some(&before)))?;
        self.found(path)
    }

    /// The file as text, comments and all. Refused when it is no prompt.
    pub fn save_text(
        &self,
        path: &PromptPath,
        text: &str,
        expected: &Expected,
    ) -> Result<Arc<Prompt>, PromptError> {
        let _changing = self.change()?;
        self.expected(path, expected)?;
        self.put(path, text)?;
        self.found(path)
    }

    pub fn move_to(&self, path: &PromptPath, to: &PromptPath) -> Result<Arc<Prompt>, PromptError> {
        let _changing = self.change()?;
        let text = self.text(path)?;
        self.free(to)?;
        let moved = match path.is_json() == to.is_json() {
            true => text.clone(),
            false => {
                let content = read::content(path, &text).map_err(|problem| problem.at(path.as_str()))?;
                write::text(to, &content, Some(&text))
            }
        };
        self.put(to, &moved)?;
        self.take_away(path, &text)?;
        self.found(to)
    }

    /// Its text stays as a version: [`Library::restore`] brings it back.
    pub fn remove(&self, path: &PromptPath, expected: &Expected) -> Result<(), PromptError> {
        let _changing = self.change()?;
        let text = self.expected(path, expected)?;
        self.take_away(path, &text)?;
        self.reread().map(|_| ())
    }

    /// Switches a group with everything in it; empty is the whole library.
    pub fn switch_group(&self, group: &str, enabled: bool) -> Result<(), PromptError> {
        let _changing = self.change()?;
        let refused = || PromptError::NotFound(base::text::cut(group, 200));
        if !group.is_empty() && !self.shelf().groups.contains_key(group) {
            return Err(refused());
        }
        let shown = format!("{group}/{GROUP_FILE}");
        let file = self.folder.join(group).join(GROUP_FILE);
        let before = match text_of(&file, &shown) {
            Ok(text) => Some(text),
            Err(PromptError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let text = write::group_text(enabled, before.as_deref());
        atomic::write(&file, text.as_bytes(), Access::Shared)
            .map_err(|source| PromptError::io(&file, source))?;
        self.reread().map(|_| ())
    }

    /// Earlier texts, newest first.
    pub fn versions(&self, path: &PromptPath) -> Result<Vec<Version>, PromptError> {
        self.history.versions(path.as_str())
    }

    pub fn version_text(&self, path: &PromptPath, version: &str) -> Result<String, PromptError> {
        self.history.text(path.as_str(), version)
    }

    /// From a version to what is there now, as a unified diff.
    pub fn diff(&self, path: &PromptPath, version: &str) -> Result<String, PromptError> {
        let old = self.history.text(path.as_str(), version)?;
        let new = match self.shelf().at(path) {
            Some(prompt) => prompt.text.to_string(),
            None => String::new(),
        };
        let diff = similar::TextDiff::from_lines(&old, &new);
        let mut unified = diff.unified_diff();
        Ok(unified.header(version, path.as_str()).to_string())
    }

    /// The version's text again; what was there becomes a version.
    pub fn restore(&self, path: &PromptPath, version: &str) -> Result<Arc<Prompt>, PromptError> {
        let _changing = self.change()?;
        let text = self.history.text(path.as_str(), version)?;
        self.put(path, &text)?;
        self.found(path)
    }

    /// Prompts that are gone and can be restored, each with its last version.
    pub fn removed(&self) -> Result<Vec<(PromptPath, Version)>, PromptError> {
        let shelf = self.shelf();
        let mut removed = Vec::new();
        for path in self.history.keys()? {
            if let Ok(path) = PromptPath::parse(&path)
                && shelf.at(&path).is_none()
                && let Some(last) = self.history.versions(path.as_str())?.into_iter().next()
            {
                removed.push((path, last));
            }
        }
        Ok(removed)
    }

    /// Starts from what is there: what others did since the last look is kept first, in its order.
    pub(crate) fn change(&self) -> Result<MutexGuard<'_, ()>, PromptError> {
        let changing = lock(&self.changing);
        self.reread()?;
        Ok(changing)
    }

    /// Writes a prompt's text, the one before it kept. The caller holds the lock.
    pub(crate) fn put(&self, path: &PromptPath, text: &str) -> Result<(), PromptError> {
        if text.len() as u64 > read::MAX_BYTES {
            return Err(PromptError::TooLarge {
                path: path.as_str().to_owned(),
                bytes: text.len() as u64,
                limit: read::MAX_BYTES,
            });
        }
        read::content(path, text).map_err(|problem| problem.at(path.as_str()))?;
        let file = path.below(&self.folder);
        match self.text(path) {
            Ok(before) if before == text => return Ok(()),
            Ok(before) => self.history.keep(path.as_str(), &before, base::clock::now_ms())?,
            Err(PromptError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
        self.inside(path)?;
        atomic::write_with_dirs(&file, text.as_bytes(), Access::Shared)
            .map_err(|source| PromptError::io(&file, source))
    }

    /// A link in place of a group would lead the write out of the library.
    fn inside(&self, path: &PromptPath) -> Result<(), PromptError> {
        let mut folder = self.folder.clone();
        for name in path.group().split('/').filter(|name| !name.is_empty()) {
            folder.push(name);
            match fs::symlink_metadata(&folder) {
                Ok(metadata) if metadata.is_dir() => {}
                Ok(_) => return Err(PromptError::BadPath(path.as_str().to_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(source) => return Err(PromptError::io(&folder, source)),
            }
        }
        Ok(())
    }

    fn take_away(&self, path: &PromptPath, text: &str) -> Result<(), PromptError> {
        self.history.keep(path.as_str(), text, base::clock::now_ms())?;
        let file = path.below(&self.folder);
        fs::remove_file(&file).map_err(|source| PromptError::io(&file, source))?;
        file.parent()
            .map_or(Ok(()), atomic::sync_dir)
            .map_err(|source| PromptError::io(&file, source))
    }

    /// The file's text as it is on disk now.
    fn text(&self, path: &PromptPath) -> Result<String, PromptError> {
        text_of(&path.below(&self.folder), path.as_str()).map_err(|error| match error {
            PromptError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                PromptError::NotFound(path.as_str().to_owned())
            }
            error => error,
        })
    }

    fn expected(&self, path: &PromptPath, expected: &Expected) -> Result<String, PromptError> {
        let text = self.text(path)?;
        match expected {
            Expected::Version(version) if *version != version_of(&text) => {
                Err(PromptError::Changed(path.as_str().to_owned()))
            }
            Expected::Version(_) | Expected::Anything => Ok(text),
        }
    }

    /// A path with a name after the title that nobody has. The caller holds the lock.
    pub(crate) fn free_path(&self, group: &str, title: &str) -> Result<PromptPath, PromptError> {
        let stem = file_name(title);
        let group = match group {
            "" => String::new(),
            group if group.split('/').all(plain_name) => format!("{group}/"),
            group => return Err(PromptError::BadPath(base::text::cut(group, 200))),
        };
        let names = std::iter::once(stem.clone()).chain((2..).map(|number| format!("{stem}-{number}")));
        for name in names.take(crate::scan::MAX_PROMPTS) {
            let path = PromptPath::parse(&format!("{group}{name}.yaml"))?;
            if self.free(&path).is_ok() {
                return Ok(path);
            }
        }
        Err(PromptError::Exists(stem))
    }

    fn free(&self, path: &PromptPath) -> Result<(), PromptError> {
        match fs::symlink_metadata(path.below(&self.folder)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Ok(_) | Err(_) => Err(PromptError::Exists(path.as_str().to_owned())),
        }
    }

    fn found(&self, path: &PromptPath) -> Result<Arc<Prompt>, PromptError> {
        self.reread()?;
        self.get(path.as_str())
    }

    /// The caller holds the lock.
    pub(crate) fn reread(&self) -> Result<bool, PromptError> {
        let old = self.shelf();
        let new = Shelf::read(&self.folder, &old)?;
        for prompt in old.prompts() {
            let same = new
                .at(&prompt.path)
                .is_some_and(|now| now.version == prompt.version);
            if !same {
                self.history
                    .keep(prompt.path.as_str(), &prompt.text, base::clock::now_ms())?;
            }
        }
        let different = !new.same_as(&old);
        if different {
            *self.shelf.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        }
        Ok(different)
    }
}

/// The index brought from one shelf to another.
fn indexed(old: Option<Index>, shelf: &Arc<Shelf>) -> Result<Index, PromptError> {
    let (mut texts, before) = match old {
        Some(old) => (old.texts, old.of),
        None => (TextIndex::new()?, Arc::new(Shelf::default())),
    };
    let known: BTreeMap<&PromptPath, &str> = before
        .prompts()
        .map(|prompt| (&prompt.path, prompt.version.as_str()))
        .collect();
    let bodies: Vec<(&Arc<Prompt>, String)> = shelf
        .prompts()
        .filter(|prompt| known.get(&prompt.path) != Some(&prompt.version.as_str()))
        .map(|prompt| {
            let texts: Vec<&str> = prompt.content.messages.iter().map(|m| m.text.as_str()).collect();
            (prompt, texts.join("\n"))
        })
        .collect();
    let removed = known
        .keys()
        .filter(|path| shelf.at(path).is_none())
        .map(|path| path.as_str());
    let added = bodies.iter().map(|(prompt, body)| {
        let document = Document {
            title: &prompt.content.name,
            summary: &prompt.content.description,
            body,
        };
        (prompt.path.as_str(), document)
    });
    texts.update(removed, added)?;
    Ok(Index {
        texts,
        of: Arc::clone(shelf),
    })
}

/// A panic elsewhere leaves nothing half done behind these locks: what they guard is files.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
