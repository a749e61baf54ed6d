//! Where a tool comes from, and its files out of there into a folder that nobody sees yet.
//!
//! Whatever the source, files take one way: [`Intake`], with its limits. What is a person's, what an installer
//! makes and what belongs to a repository is left out.
//! Deliberately not here: bundles for other programs, and addresses of the web.

#![allow(
    clippy::disallowed_methods,
    reason = "reads what a person names, writes into a folder nobody sees yet"
)]

use super::archive;
use super::error::LifecycleError;
use super::place::{PERSONAL, Staging};
use crate::fingerprint::hash_bytes;
use crate::held::{Folder, Found};
use base::DataHome;
use base::name::ToolName;
use npm::intake::{Entry, Files, Intake, Limits, PackedFile, Refused};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The most that a tool is, without its packages.
pub const BYTES_MOST: u64 = 50 << 20;
pub const FILES_MOST: usize = 2000;
/// Of an archive; what is left out counts as well.
pub(super) const LIMITS: Limits = Limits {
    entries: 20_000,
    bytes: BYTES_MOST,
    path: 512,
    depth: 32,
};
/// Made by an installer, or of a repository, or of another system's archiver.
const FOREIGN: [&str; 5] = ["node_modules", ".venv", "__pycache__", ".git", "__MACOSX"];
/// Written by us into folders of tools.
pub(super) const ORIGIN: &str = ".install.json";
const OURS: [&str; 2] = [ORIGIN, ".sync.json"];
/// The person's, where there is one.
pub(super) const NPMRC: &str = ".npmrc";
const MAINS: [&str; 2] = [".tool.js", ".tool.py"];
/// For a kind of file: what stood at a path is another thing now.
const CHANGED: &str = "changed meanwhile";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Folder(PathBuf),
    /// A `.tool.js` or `.tool.py` alone.
    File(PathBuf),
    Zip(PathBuf),
    Tarball(PathBuf),
    Package {
        name: String,
        spec: String,
    },
}

/// Files of a tool, in [`Staging::tool`].
#[derive(Clone, Debug)]
pub struct Taken {
    pub name: ToolName,
    pub files: Vec<PackedFile>,
    /// Of all of them: names, contents, and which can be run.
    pub digest: String,
    /// Names at the top that were left out.
    pub left_out: Vec<String>,
}

impl Source {
    /// A path, or a package: `npm:NAME`, `npm:NAME@RANGE`, or its name alone where that can be nothing
    /// else. Blocking.
    pub fn parse(text: &str, home: &DataHome) -> Result<Source, LifecycleError> {
        let text = text.trim();
        let unknown = || LifecycleError::SourceUnknown(base::text::cut(text, 300));
        if let Some(package) = text.strip_prefix("npm:") {
            return package_of(package).ok_or_else(unknown);
        }
        let path = home.expand(text).map_err(|_| unknown())?;
        if !path.is_absolute() {
            return package_of(text).ok_or_else(unknown);
        }
        let data = match fs::metadata(&path) {
            Ok(data) => data,
            Err(_) => return Err(LifecycleError::SourceMissing(base::text::cut(text, 300))),
        };
        if data.is_dir() {
            return Ok(Source::Folder(path));
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
        match () {
            () if !data.is_file() => Err(unknown()),
            () if name_of(&name).is_some() => Ok(Source::File(path)),
            () if ends(&[".zip"]) => Ok(Source::Zip(path)),
            () if ends(&[".tgz", ".tar.gz", ".tar"]) => Ok(Source::Tarball(path)),
            () => Err(unknown()),
        }
    }

    /// As it is written down, and read again.
    pub fn text(&self) -> String {
        match self {
            Source::Folder(path) | Source::File(path) | Source::Zip(path) | Source::Tarball(path) => {
                path.display().to_string()
            }
            Source::Package { name, spec } if spec.is_empty() => format!("npm:{name}"),
            Source::Package { name, spec } => format!("npm:{name}@{spec}"),
        }
    }

    /// Name of the kind, for whoever shows it.
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Folder(path) if path.join(".git").exists() => "git",
            Source::Folder(_) => "folder",
            Source::File(_) => "file",
            Source::Zip(_) | Source::Tarball(_) => "archive",
            Source::Package { .. } => "npm",
        }
    }
}

/// The tool that a file makes.
fn name_of(file: &str) -> Option<&str> {
    MAINS.iter().find_map(|end| file.strip_suffix(end))
}

/// `NAME` or `NAME@RANGE`; the name may have a scope.
fn package_of(text: &str) -> Option<Source> {
    let at = text.char_indices().skip(1).find(|(_, letter)| *letter == '@');
    let (name, spec) = match at {
        Some((at, _)) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    npm::is_package_name(name).then(|| Source::Package {
        name: name.to_owned(),
        spec: spec.to_owned(),
    })
}

/// Fills [`Staging::tool`] from a source of this machine, or from a package in the store. Blocking.
pub(super) fn take(
    source: &Source,
    package: Option<&npm::Package>,
    staging: &Staging,
) -> Result<Taken, LifecycleError> {
    let at = source.text();
    let raw = staging.folder().join("files");
    fs::create_dir(&raw).map_err(|error| LifecycleError::io(&raw, error))?;
    let mut intake = Intake::new(&raw, Files::Own, LIMITS);
    let mut left_out = BTreeSet::new();
    let mut placed =
        |_: &Intake<'_>, parts: &[&str]| match parts.iter().take(2).find(|part| FOREIGN.contains(part)) {
            Some(foreign) => {
                left_out.insert((*foreign).to_owned());
                None
            }
            None => Some(parts.join("/")),
        };
    match (source, package) {
        (Source::Zip(path), _) => {
            small(path, &at)?;
            archive::take_zip(path, &at, &mut intake, &mut placed, LIMITS.entries)?;
        }
        (Source::Tarball(path), _) => {
            small(path, &at)?;
            archive::take_tarball(path, &at, &mut intake, &mut placed, LIMITS)?;
        }
        (Source::File(path), _) => {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            take_file(path, name, &at, &mut intake)?;
        }
        (Source::Folder(path), _) => left_out.extend(take_folder(path, &at, &mut intake)?),
        (Source::Package { .. }, Some(package)) => {
            left_out.extend(take_folder(&package.files_folder(), &at, &mut intake)?)
        }
        (Source::Package { .. }, None) => return Err(LifecycleError::SourceMissing(at)),
    }
    let files = intake
        .finish()
        .map_err(|error| LifecycleError::refused(&at, error))?;
    settle(&at, &raw, files, left_out, staging)
}

/// Whether an archive is small enough to be looked at.
fn small(path: &Path, at: &str) -> Result<(), LifecycleError> {
    let data = fs::metadata(path).map_err(|error| LifecycleError::io(path, error))?;
    match data.len() > BYTES_MOST {
        true => Err(LifecycleError::refused(at, Refused::Bytes(BYTES_MOST))),
        false => Ok(()),
    }
}

fn take_file(path: &Path, name: String, at: &str, intake: &mut Intake<'_>) -> Result<(), LifecycleError> {
    let mut options = fs::OpenOptions::new();
    // It was a file when it was looked at; a pipe in its place must not block.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = options.read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| LifecycleError::io(path, error))?;
    take_open(file, path, &name, at, intake)
}

/// A file that is open: `full` is where it was, `name` what it becomes.
fn take_open(
    mut file: fs::File,
    full: &Path,
    name: &str,
    at: &str,
    intake: &mut Intake<'_>,
) -> Result<(), LifecycleError> {
    let data = file.metadata().map_err(|error| LifecycleError::io(full, error))?;
    let refused = |error| LifecycleError::refused(at, error);
    intake.count().map_err(refused)?;
    let path = intake.path(name).map_err(refused)?.join("/");
    if !data.is_file() {
        let kind = CHANGED.to_owned();
        return Err(refused(Refused::Kind { path, kind }));
    }
    let entry = Entry {
        path,
        size: data.len(),
        run: data.permissions().mode() & 0o111 != 0,
    };
    intake
        .take(entry, &mut file, &mut |_| ())
        .map_err(|error| LifecycleError::intake(at, error))
}

/// What of a folder is not gone into: its size is nobody's business. Where packages come from, and which secret
/// is shown there, is the person's to say: an `.npmrc` is hers or nobody's.
fn is_left_out(name: &str) -> bool {
    let theirs = name == NPMRC || name.starts_with(".pm-");
    theirs || FOREIGN.contains(&name) || PERSONAL.contains(&name) || OURS.contains(&name)
}

/// By handles: whoever works in the folder may exchange what it holds for links meanwhile.
fn take_folder(root: &Path, at: &str, intake: &mut Intake<'_>) -> Result<BTreeSet<String>, LifecycleError> {
    let folder = Folder::open(root).map_err(|error| LifecycleError::io(root, error))?;
    let mut left_out = BTreeSet::new();
    take_below(&folder, root, "", at, intake, &mut left_out)?;
    Ok(left_out)
}

/// `below` leads from `root` to the folder and is empty or ends with a slash.
fn take_below(
    folder: &Folder,
    root: &Path,
    below: &str,
    at: &str,
    intake: &mut Intake<'_>,
    left_out: &mut BTreeSet<String>,
) -> Result<(), LifecycleError> {
    let refused = |error| LifecycleError::refused(at, error);
    let names = folder.names(LIMITS.entries);
    let names = names.map_err(|error| LifecycleError::io(&root.join(below), error))?;
    for name in names.ok_or_else(|| refused(Refused::Entries(LIMITS.entries)))? {
        let name = name.into_string().map_err(|_| refused(Refused::NotText))?;
        if (below.is_empty() && is_left_out(&name)) || FOREIGN.contains(&name.as_str()) {
            left_out.insert(name);
            continue;
        }
        let path = format!("{below}{name}");
        let full = root.join(&path);
        let found = folder.find(name.as_ref());
        let kind = match found.map_err(|error| LifecycleError::io(&full, error))? {
            Found::Folder(folder) => {
                intake.count().map_err(refused)?;
                // Each is open while what is below it is taken in: not deeper than a file may lie.
                intake.path(&path).map_err(refused)?;
                take_below(&folder, root, &format!("{path}/"), at, intake, left_out)?;
                continue;
            }
            Found::File(file) => {
                take_open(file, &full, &path, at, intake)?;
                continue;
            }
            Found::Link(_) => "Symlink".to_owned(),
            Found::Other(kind) => format!("{kind:?}"),
            Found::Changed => CHANGED.to_owned(),
        };
        return Err(refused(Refused::Kind { path, kind }));
    }
    Ok(())
}

/// Finds the tool in what was taken in: at the top, or in the one folder there.
fn settle(
    at: &str,
    raw: &Path,
    files: Vec<PackedFile>,
    mut left_out: BTreeSet<String>,
    staging: &Staging,
) -> Result<Taken, LifecycleError> {
    let mains = |prefix: &str| -> Vec<String> {
        let below = files.iter().filter_map(|file| file.path.strip_prefix(prefix));
        below
            .filter(|path| !path.contains('/') && name_of(path).is_some())
            .map(str::to_owned)
            .collect()
    };
    let mut prefix = String::new();
    let mut found = mains("");
    let tops: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.split('/').next())
        .collect();
    if let (true, 1, Some(top)) = (found.is_empty(), tops.len(), tops.first()) {
        prefix = format!("{top}/");
        found = mains(&prefix);
    }
    let main = match found.as_slice() {
        [] => return Err(LifecycleError::NoTool(at.to_owned())),
        [main] => main,
        _ => {
            let at = at.to_owned();
            return Err(LifecycleError::ManyTools { at, found });
        }
    };
    let name = ToolName::parse(name_of(main).unwrap_or(main))?;
    let tool = staging.tool();
    let failed = |error| LifecycleError::io(&tool, error);
    fs::rename(raw.join(prefix.trim_end_matches('/')), &tool).map_err(failed)?;
    let mut kept = Vec::new();
    for mut file in files {
        let path = file.path.strip_prefix(&prefix).unwrap_or(&file.path).to_owned();
        let top = path.split('/').next().unwrap_or_default();
        match is_left_out(top) {
            true => {
                left_out.insert(top.to_owned());
            }
            false => {
                file.path = path;
                kept.push(file);
            }
        }
    }
    for name in &left_out {
        let path = tool.join(name);
        match fs::symlink_metadata(&path) {
            Ok(data) if data.is_dir() => fs::remove_dir_all(&path).map_err(failed)?,
            Ok(_) => fs::remove_file(&path).map_err(failed)?,
            Err(_) => {}
        }
    }
    if kept.len() > FILES_MOST {
        return Err(LifecycleError::refused(at, Refused::Entries(FILES_MOST)));
    }
    kept.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Taken {
        name,
        digest: digest(&kept),
        files: kept,
        left_out: left_out.into_iter().collect(),
    })
}

pub(super) fn digest(files: &[PackedFile]) -> String {
    let mut text = String::new();
    for file in files {
        text.push_str(&format!("{}\0{}\0{}\n", file.path, file.run, file.sha256));
    }
    hash_bytes(text.as_bytes())
}

/// The files of a tool's folder that came with it: path below it, and where it is. What has more than a
/// tool has is not gone through to its end.
pub(super) fn each_file(
    root: &Path,
    each: &mut dyn FnMut(&str, &Path) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut folders = vec![PathBuf::new()];
    let mut count = 0;
    while let Some(below) = folders.pop() {
        for entry in fs::read_dir(root.join(&below))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let top = below.as_os_str().is_empty();
            if (top && is_left_out(&name)) || FOREIGN.contains(&name.as_str()) {
                continue;
            }
            count += 1;
            if count > LIMITS.entries {
                return Ok(());
            }
            let (path, kind) = (below.join(&name), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && entry.metadata()?.len() <= BYTES_MOST {
                each(&path.display().to_string(), &entry.path())?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::held::race;

    #[test]
    fn a_folder_is_never_led_out_of() {
        let mut came = 0;
        let led_out = race::leads_out(race::TURNS, |from, to| {
            let mut intake = Intake::new(to, Files::Own, LIMITS);
            // Mostly refused for a link; what came before that is what counts.
            drop(take_folder(from, "race", &mut intake));
            came += usize::from(intake.has("a/f") || intake.has("b"));
        });
        assert!(!led_out);
        assert!(came > 0, "nothing ever came");
    }
}
