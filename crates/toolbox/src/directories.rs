//! Which folders a tool may ask for: a chain and not a union (CONTRACT, "A tool").
//!
//! `ALLOWED_DIRECTORIES`, else `getRuntimeConfig().allowedDirectories`, else the tool's `data/`.
//! Deliberately not here: grants (what is listed is a request until a person granted it) and
//! symbolic links (the operating system enforces the list on what is really opened).

use base::home::HomeError;
use base::name::ToolName;
use base::{Args, Coded, DataHome, args};
use std::path::{Component, Path, PathBuf};

/// The variable that configures the list.
pub const VARIABLE: &str = "ALLOWED_DIRECTORIES";

/// More than anybody lists by hand; every entry costs a mount.
const MAX_ENTRIES: usize = 64;

/// Which link of the chain the list comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Environment,
    RuntimeConfig,
    Data,
}

/// Absolute, normalised, without repetitions, in the order they were listed. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directories {
    pub origin: Origin,
    pub paths: Vec<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    #[error("an entry of the allowed directories is empty")]
    Empty,
    #[error("{entry:?} is not an absolute path")]
    Relative { entry: String },
    #[error("{entry:?} contains a NUL character")]
    Nul { entry: String },
    #[error("the list of allowed directories has {count} entries, at most {MAX_ENTRIES} are taken")]
    TooMany { count: usize },
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl Coded for DirectoryError {
    fn code(&self) -> &'static str {
        match self {
            DirectoryError::Empty => "directory_empty",
            DirectoryError::Relative { .. } => "directory_relative",
            DirectoryError::Nul { .. } => "directory_nul",
            DirectoryError::TooMany { .. } => "directory_too_many",
            DirectoryError::Home(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            DirectoryError::Empty => args! {},
            DirectoryError::Relative { entry } | DirectoryError::Nul { entry } => args! { entry: entry },
            DirectoryError::TooMany { count } => args! { count: count, limit: MAX_ENTRIES },
            DirectoryError::Home(error) => error.args(),
        }
    }
}

/// The tool's list. `configured` is the value of [`VARIABLE`], `declared` the runtime config's list.
pub fn allowed(
    home: &DataHome,
    tool: &ToolName,
    configured: Option<&str>,
    declared: &[String],
) -> Result<Directories, DirectoryError> {
    let (origin, entries) = match configured.map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) => (Origin::Environment, entries_of(text)),
        None if !declared.is_empty() => (Origin::RuntimeConfig, declared.to_vec()),
        None => {
            return Ok(Directories {
                origin: Origin::Data,
                paths: vec![home.tool(tool).join("data")],
            });
        }
    };
    // `[]` was written by somebody who expects less, not more.
    if entries.is_empty() {
        return Err(DirectoryError::Empty);
    }
    if entries.len() > MAX_ENTRIES {
        return Err(DirectoryError::TooMany { count: entries.len() });
    }
    let mut paths = Vec::new();
    for entry in &entries {
        let path = absolute(home, &entry.replace("{toolname}", tool.as_str()))?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(Directories { origin, paths })
}

/// JSON array, YAML array (both flow and block), comma list, or one path.
fn entries_of(text: &str) -> Vec<String> {
    let list = text.starts_with('[') || text.starts_with("- ");
    if list && let Ok(entries) = serde_saphyr::from_str::<Vec<String>>(text) {
        return entries;
    }
    text.split([',', '\n'])
        .map(|entry| unquoted(entry.trim()).to_owned())
        .collect()
}

fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

fn absolute(home: &DataHome, entry: &str) -> Result<PathBuf, DirectoryError> {
    let entry = entry.trim();
    if entry.is_empty() {
        return Err(DirectoryError::Empty);
    }
    if entry.contains('\0') {
        return Err(DirectoryError::Nul {
            entry: entry.to_owned(),
        });
    }
    let path = home.expand(entry)?;
    match path.is_absolute() {
        true => Ok(normalised(&path)),
        false => Err(DirectoryError::Relative {
            entry: entry.to_owned(),
        }),
    }
}

/// Without `.`, `..` and double slashes, by the text alone; above the root is the root.
pub fn normalised(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => clean.push(name),
            Component::ParentDir => {
                clean.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    clean
}
