//! Where built-in tools come from: out of the program itself, or, for whoever works on them, from a checkout.
//!
//! Deliberately not here: what becomes of them in the toolbox.

#![allow(clippy::disallowed_methods, reason = "reads a checkout")]

use crate::fingerprint::hash_bytes;
use crate::held::{Folder, Found};
use crate::lifecycle::place::PERSONAL;
use base::name::ToolName;
use base::{Args, Coded, args};
use rust_embed::RustEmbed;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Names a checkout, as `pm serve --tools` does.
pub const VARIABLE: &str = "PROMPT_MANAGER_TOOLS";
/// Where a checkout of this program has its tools.
const IN_A_CHECKOUT: &str = "resources/tools";
/// What a checkout may hold; more is a wrong folder.
const TOOLS_MOST: usize = 1000;
const FILES_MOST: usize = 2000;
const BYTES_MOST: u64 = 50 << 20;
const DEPTH: usize = 16;
/// Made by installers, or written by us into the toolbox.
const FOREIGN: [&str; 3] = ["node_modules", "package.json", "package-lock.json"];

/// `resources/tools`: one folder a tool.
#[derive(RustEmbed)]
#[folder = "../../resources/tools"]
struct Embedded;

static PACKAGED: LazyLock<BTreeSet<ToolName>> = LazyLock::new(|| {
    let names = Embedded::iter();
    names
        .filter_map(|path| ToolName::parse(path.split('/').next()?).ok())
        .collect()
});

/// Files of one tool by their path in its folder.
pub type Files = BTreeMap<String, Cow<'static, [u8]>>;

/// Where the built-in tools come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BuiltIns {
    #[default]
    Packaged,
    /// A folder with a folder for each tool, looked at again and again.
    Checkout(PathBuf),
}

#[derive(Debug, thiserror::Error)]
#[error("{0} holds no tools")]
pub struct NoTools(pub PathBuf);

impl Coded for NoTools {
    fn code(&self) -> &'static str {
        "tools_folder_unusable"
    }
    fn args(&self) -> Args {
        args! { path: self.0 }
    }
}

impl BuiltIns {
    /// As the environment names them.
    pub fn from_environment() -> Result<BuiltIns, NoTools> {
        match std::env::var_os(VARIABLE) {
            Some(folder) if !folder.is_empty() => BuiltIns::at(Path::new(&folder)),
            _ => Ok(BuiltIns::Packaged),
        }
    }

    /// A folder of tools, or a checkout that has one.
    pub fn at(folder: &Path) -> Result<BuiltIns, NoTools> {
        let nothing = || NoTools(folder.to_owned());
        let whole = std::fs::canonicalize(folder).map_err(|_| nothing())?;
        let candidates = [whole.join(IN_A_CHECKOUT), whole];
        let mut found = candidates.into_iter().map(BuiltIns::Checkout);
        found.find(|one| !one.names().is_empty()).ok_or_else(nothing)
    }

    /// Names of the tools. A checkout that cannot be read has none.
    pub fn names(&self) -> BTreeSet<ToolName> {
        let BuiltIns::Checkout(root) = self else {
            return PACKAGED.clone();
        };
        let names = Folder::open(root).and_then(|folder| folder.names(TOOLS_MOST));
        let names = names.ok().flatten().unwrap_or_default().into_iter();
        names
            .filter_map(|name| ToolName::parse(name.to_str()?).ok())
            .filter(|name| root.join(name.as_str()).join(name.main_file()).is_file())
            .collect()
    }

    pub fn has(&self, tool: &ToolName) -> bool {
        match self {
            BuiltIns::Packaged => PACKAGED.contains(tool),
            BuiltIns::Checkout(root) => root.join(tool.as_str()).join(tool.main_file()).is_file(),
        }
    }

    /// All files of a tool.
    pub fn files(&self, tool: &ToolName) -> io::Result<Files> {
        let mut files = Files::new();
        match self {
            BuiltIns::Packaged => {
                let prefix = format!("{tool}/");
                for name in Embedded::iter() {
                    if let Some(relative) = name.strip_prefix(&prefix)
                        && let Some(file) = Embedded::get(&name)
                    {
                        files.insert(relative.to_owned(), file.data);
                    }
                }
            }
            BuiltIns::Checkout(root) => {
                let folder = Folder::open(&root.join(tool.as_str()))?;
                let mut room = BYTES_MOST;
                collect(&folder, "", 0, &mut room, &mut files)?;
            }
        }
        Ok(files)
    }

    /// The checkout, where there is one.
    pub fn checkout(&self) -> Option<&Path> {
        match self {
            BuiltIns::Packaged => None,
            BuiltIns::Checkout(root) => Some(root),
        }
    }
}

/// Links are not followed: what is in a checkout is in it.
fn collect(folder: &Folder, below: &str, depth: usize, room: &mut u64, files: &mut Files) -> io::Result<()> {
    let too_much = || io::Error::other(format!("more than {FILES_MOST} files or {BYTES_MOST} bytes"));
    if depth > DEPTH {
        return Err(too_much());
    }
    for name in folder.names(FILES_MOST)?.ok_or_else(too_much)? {
        let Some(text) = name.to_str() else { continue };
        let own = below.is_empty() && (PERSONAL.contains(&text) || FOREIGN.contains(&text));
        if own || text.starts_with('.') || text == FOREIGN[0] {
            continue;
        }
        let path = format!("{below}{text}");
        match folder.find(&name)? {
            Found::Folder(inner) => collect(&inner, &format!("{path}/"), depth + 1, room, files)?,
            Found::File(file) => {
                let mut bytes = Vec::new();
                // One more than there is room for tells that it is too much.
                (&file).take(*room + 1).read_to_end(&mut bytes)?;
                *room = room.checked_sub(bytes.len() as u64).ok_or_else(too_much)?;
                files.insert(path, Cow::Owned(bytes));
                if files.len() > FILES_MOST {
                    return Err(too_much());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Hash of each file.
pub(super) fn hashes(files: &Files) -> BTreeMap<String, String> {
    let hashed = files
        .iter()
        .map(|(path, bytes)| (path.clone(), hash_bytes(bytes)));
    hashed.collect()
}
