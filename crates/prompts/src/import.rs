//! Prompts from elsewhere: a folder or single files, looked at first, taken in then.
//!
//! Besides the library's own formats plain texts are taken (`.md`, `.txt`, `.prompt`): one message
//! of the user, with name and description from a front matter where there is one.

use crate::PromptError;
use crate::library::Library;
use crate::model::{Content, Message, Prompt, Role};
use crate::path::{MAX_DEPTH, PromptPath, file_name, is_prompt_file, plain_name};
use crate::scan::{MAX_PROMPTS, text_of};
use crate::{front, read, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TEXT_ENDINGS: [&str; 4] = [".prompt.md", ".md", ".txt", ".prompt"];

/// What would come of a file.
#[derive(Debug)]
pub enum Proposal {
    New,
    /// The library has the same already.
    Same(Arc<Prompt>),
    /// Another prompt lies where this one would.
    Taken(Arc<Prompt>),
    Broken(PromptError),
}

/// One file that was looked at.
#[derive(Debug)]
pub struct Import {
    pub file: PathBuf,
    /// Where it would lie; below the group that was chosen, folders kept.
    pub path: Option<PromptPath>,
    pub content: Option<Content>,
    pub proposal: Proposal,
}

/// What became of one file.
#[derive(Debug)]
pub struct Imported {
    pub file: PathBuf,
    pub became: Result<Option<Arc<Prompt>>, PromptError>,
}

impl Library {
    /// Looks at a file or folder that a person chose; changes nothing.
    pub fn preview(&self, source: &Path, group: &str) -> Result<Vec<Import>, PromptError> {
        if !group.is_empty() && !group.split('/').all(plain_name) {
            return Err(PromptError::BadPath(base::text::cut(group, 200)));
        }
        let mut files = Vec::new();
        let metadata = fs::metadata(source).map_err(|error| PromptError::io(source, error))?;
        match metadata.is_dir() {
            true => collect(source, "", &mut files)?,
            false => files.push((
                source.to_owned(),
                source
                    .file_name()
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            )),
        }
        files.sort();
        let shelf = self.shelf();
        Ok(files
            .into_iter()
            .map(|(file, relative)| {
                let (path, content) = match read_file(&file, &relative, group) {
                    Ok((path, content)) => (path, content),
                    Err(problem) => {
                        return Import {
                            file,
                            path: None,
                            content: None,
                            proposal: Proposal::Broken(problem),
                        };
                    }
                };
                let same = shelf
                    .prompts()
                    .find(|prompt| same_prompt(&prompt.content, &content));
                let proposal = match (same, shelf.at(&path)) {
                    (Some(same), _) => Proposal::Same(Arc::clone(same)),
                    (None, Some(taken)) => Proposal::Taken(Arc::clone(taken)),
                    (None, None) => Proposal::New,
                };
                Import {
                    file,
                    path: Some(path),
                    content: Some(content),
                    proposal,
                }
            })
            .collect())
    }

    /// Takes in what [`Library::preview`] proposed: new ones where they belong, those whose place is
    /// taken beside it under another name. What is the same stays out.
    pub fn import(&self, proposals: Vec<Import>) -> Result<Vec<Imported>, PromptError> {
        let _changing = self.change()?;
        let mut done = Vec::new();
        for import in proposals {
            let became = match (import.proposal, import.path, import.content) {
                (Proposal::Broken(problem), ..) => Err(problem),
                (Proposal::New, Some(path), Some(content)) => self.take_in(&path, &content).map(Some),
                (Proposal::Taken(_), Some(path), Some(content)) => self
                    .free_path(path.group(), path.stem())
                    .and_then(|path| self.take_in(&path, &content))
                    .map(Some),
                (Proposal::Same(_) | Proposal::New | Proposal::Taken(_), ..) => Ok(None),
            };
            done.push((import.file, became));
        }
        self.reread()?;
        let shelf = self.shelf();
        Ok(done
            .into_iter()
            .map(|(file, became)| Imported {
                file,
                became: became.map(|path| path.and_then(|path| shelf.at(&path).cloned())),
            })
            .collect())
    }

    fn take_in(&self, path: &PromptPath, content: &Content) -> Result<PromptPath, PromptError> {
        self.put(path, &write::text(path, content, None))?;
        Ok(path.clone())
    }
}

fn collect(folder: &Path, below: &str, files: &mut Vec<(PathBuf, String)>) -> Result<(), PromptError> {
    let failed = |source| PromptError::io(folder, source);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if !plain_name(&name) {
            continue;
        }
        let relative = match below {
            "" => name.clone(),
            below => format!("{below}/{name}"),
        };
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() && relative.split('/').count() < MAX_DEPTH {
            collect(&entry.path(), &relative, files)?;
        } else if kind.is_file() && (is_prompt_file(&name) || text_ending(&name).is_some()) {
            if files.len() >= MAX_PROMPTS {
                return Err(PromptError::TooMany { limit: MAX_PROMPTS });
            }
            files.push((entry.path(), relative));
        }
    }
    Ok(())
}

fn text_ending(name: &str) -> Option<&'static str> {
    TEXT_ENDINGS
        .into_iter()
        .find(|ending| name.len() > ending.len() && name.ends_with(ending))
}

fn read_file(file: &Path, relative: &str, group: &str) -> Result<(PromptPath, Content), PromptError> {
    let text = text_of(file, relative)?;
    let (folder, name) = relative.rsplit_once('/').unwrap_or(("", relative));
    let (name, content) = match text_ending(name) {
        Some(ending) => {
            let stem = &name[..name.len() - ending.len()];
            let content = plain(&text, stem).map_err(|problem| problem.at(relative))?;
            (format!("{}.yaml", file_name(stem)), content)
        }
        None => {
            let path = PromptPath::parse(name)?;
            let content = read::content(&path, &text).map_err(|problem| problem.at(relative))?;
            (name.to_owned(), content)
        }
    };
    let parts: Vec<&str> = [group, folder, &name]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    Ok((PromptPath::parse(&parts.join("/"))?, content))
}

/// A text file, with or without a front matter.
fn plain(text: &str, stem: &str) -> Result<Content, read::Unreadable> {
    let (fields, body) = match front::split(text) {
        (Some(front), body) => (read::value(front)?, body),
        (None, body) => (serde_json::Map::new(), body),
    };
    let body = body.trim();
    if body.is_empty() {
        return Err(read::Unreadable {
            line: 0,
            column: 0,
            reason: "it has no text".to_owned(),
        });
    }
    let mut fields = fields;
    fields.retain(|field, _| matches!(field.as_str(), "name" | "description" | "arguments"));
    fields.insert("messages".to_owned(), serde_json::json!([{"content": body}]));
    let mut content = read::of(&fields, stem)?;
    content.messages = vec![Message {
        role: Role::User,
        text: body.to_owned(),
    }];
    Ok(content)
}

/// The same words under whatever name.
fn same_prompt(a: &Content, b: &Content) -> bool {
    a.messages == b.messages
}
