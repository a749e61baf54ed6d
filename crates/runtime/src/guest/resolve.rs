//! What a specifier means: Node's resolution, for `import` and `require` alike.
//!
//! The mount namespace decides what can be read; this decides only what a name means. Files that
//! a worker cannot see are files that are not there. Absent on purpose: loaders and hooks of
//! the tool's own, `NODE_PATH`, global folders.

use super::manifest::{Manifest, Manifests};
use crate::node;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Extensions tried, in order, when a specifier names no file.
const EXTENSIONS: &[&str] = &["js", "json", "node", "mjs", "cjs", "ts", "mts", "cts"];

/// Who asks: this decides the conditions of `exports` and `imports`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    Import,
    Require,
}

impl Asking {
    fn has_condition(self, name: &str) -> bool {
        match name {
            "node" | "default" => true,
            "import" => self == Asking::Import,
            "require" => self == Asking::Require,
            _ => false,
        }
    }
}

/// What a specifier means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module of ours, without `node:`.
    Node(String),
    /// A file, and the `?query` or `#fragment` that an import may have after it.
    File(PathBuf, String),
    /// A package that is not installed.
    Package(String),
    Nothing,
    /// The package is there, but says that this is not for others.
    NotExported {
        subpath: String,
        package: PathBuf,
    },
    /// `#name` that the package's `imports` do not have.
    NotImported {
        name: String,
        package: PathBuf,
    },
    Unsupported(String),
}

pub(crate) struct Resolution<'m> {
    pub(crate) manifests: &'m Manifests,
    /// Stands in for the asking file when there is none.
    pub(crate) folder: &'m Path,
    pub(crate) asking: Asking,
}

impl Resolution<'_> {
    pub(crate) fn resolve(&self, base: &str, name: &str) -> Target {
        if let Some(bare) = name.strip_prefix("node:") {
            return if node::has(bare) {
                Target::Node(bare.to_owned())
            } else {
                Target::Nothing
            };
        }
        if node::has(name) {
            return Target::Node(name.to_owned());
        }
        let from = self.folder_of(base);
        if name.starts_with('#') {
            return self.package_imports(&from, name);
        }
        let (path, suffix) = match self.asking {
            Asking::Import => split_suffix(name),
            Asking::Require => (name, ""),
        };
        let absolute = if let Some(url) = path.strip_prefix("file:") {
            PathBuf::from(decoded(
                url.strip_prefix("//localhost")
                    .or(url.strip_prefix("//"))
                    .unwrap_or(url),
            ))
        } else if path.starts_with('/') {
            PathBuf::from(path)
        } else if is_relative(path) {
            match self.asking {
                Asking::Import => from.join(decoded(path)),
                Asking::Require => from.join(path),
            }
        } else if let Some((scheme, _)) = name.split_once(':')
            && scheme.len() > 1
            && scheme.chars().all(|c| c.is_ascii_lowercase())
        {
            return Target::Unsupported(format!(
                "only file: and node: URLs can be loaded, not '{scheme}:'"
            ));
        } else {
            return self.package(&from, path, suffix);
        };
        match self.file_or_folder(&normal(&absolute)) {
            Some(found) => Target::File(real(&found), suffix.to_owned()),
            None => Target::Nothing,
        }
    }

    fn folder_of(&self, base: &str) -> PathBuf {
        let base = base.strip_prefix("file://").unwrap_or(base);
        match Path::new(base).parent() {
            Some(parent) if base.starts_with('/') => parent.to_owned(),
            _ => self.folder.to_owned(),
        }
    }

    /// `#name` of the package that the asking file belongs to.
    fn package_imports(&self, from: &Path, name: &str) -> Target {
        let Some((folder, manifest)) = self.manifests.scope(from) else {
            return Target::NotImported {
                name: name.to_owned(),
                package: from.to_owned(),
            };
        };
        let found = manifest
            .imports
            .as_ref()
            .and_then(Value::as_object)
            .and_then(|imports| {
                let (target, star) = select(imports, name)?;
                self.target(&folder, target, star, Internal::Yes)
            });
        found.unwrap_or(Target::NotImported {
            name: name.to_owned(),
            package: folder,
        })
    }

    fn package(&self, from: &Path, name: &str, suffix: &str) -> Target {
        let Some((package, rest)) = split_package(name) else {
            return Target::Nothing;
        };
        let subpath = format!(".{rest}");
        if let Some((folder, manifest)) = self.manifests.scope(from)
            && manifest.name.as_deref() == Some(package)
            && manifest.exports.is_some()
        {
            return with_suffix(self.exports(&folder, &manifest, &subpath), suffix);
        }
        for ancestor in from
            .ancestors()
            .filter(|folder| !folder.ends_with("node_modules"))
        {
            let folder = ancestor.join("node_modules").join(package);
            if !folder.is_dir() {
                continue;
            }
            let manifest = self.manifests.of(&folder);
            if let Some(manifest) = &manifest
                && manifest.exports.is_some()
            {
                return with_suffix(self.exports(&folder, manifest, &subpath), suffix);
            }
            let found = if rest.is_empty() {
                self.main(&folder)
            } else {
                self.file_or_folder(&normal(&folder.join(&rest[1..])))
            };
            match found {
                Some(found) => return Target::File(real(&found), suffix.to_owned()),
                None if manifest.is_some() => return Target::Nothing,
                // A folder that is no package does not hide one further up.
                None => {}
            }
        }
        Target::Package(package.to_owned())
    }

    fn exports(&self, folder: &Path, manifest: &Manifest, subpath: &str) -> Target {
        let found = manifest
            .exports
            .as_ref()
            .and_then(|exports| match exports.as_object() {
                Some(map) if map.keys().any(|key| key.starts_with('.')) => {
                    let (target, star) = select(map, subpath)?;
                    self.target(folder, target, star, Internal::No)
                }
                // Anything else is the target of the package itself.
                _ if subpath == "." => self.target(folder, exports, None, Internal::No),
                _ => None,
            });
        found.unwrap_or(Target::NotExported {
            subpath: subpath.to_owned(),
            package: folder.to_owned(),
        })
    }

    /// `None`: no condition fits, or the target is `null`.
    fn target(
        &self,
        folder: &Path,
        target: &Value,
        star: Option<&str>,
        internal: Internal,
    ) -> Option<Target> {
        match target {
            Value::String(text) => {
                let text = star.map_or_else(|| text.clone(), |star| text.replace('*', star));
                let Some(inside) = text.strip_prefix("./") else {
                    // `imports` may lead to other packages, `exports` may not.
                    return (internal == Internal::Yes && !text.starts_with('/') && !is_relative(&text))
                        .then(|| self.resolve(&folder.join("package.json").to_string_lossy(), &text));
                };
                if inside
                    .split('/')
                    .any(|part| matches!(part, "." | ".." | "node_modules"))
                {
                    return None;
                }
                let path = folder.join(inside);
                Some(if path.is_file() {
                    Target::File(real(&path), String::new())
                } else {
                    Target::Nothing
                })
            }
            Value::Object(conditions) => conditions
                .iter()
                .filter(|(name, _)| self.asking.has_condition(name))
                .find_map(|(_, target)| self.target(folder, target, star, internal)),
            Value::Array(targets) => targets
                .iter()
                .find_map(|target| self.target(folder, target, star, internal)),
            _ => None,
        }
    }

    fn file_or_folder(&self, path: &Path) -> Option<PathBuf> {
        // A trailing slash is gone by now; a file wins over a folder of the same name.
        file(path).or_else(|| if path.is_dir() { self.main(path) } else { None })
    }

    /// What a folder stands for.
    fn main(&self, folder: &Path) -> Option<PathBuf> {
        let manifest = self.manifests.of(folder);
        if let Some(main) = manifest.and_then(|manifest| manifest.main.clone()) {
            let main = normal(&folder.join(main));
            let found = file(&main).or_else(|| index(&main));
            if found.is_some() {
                return found;
            }
        }
        index(folder)
    }
}

/// Whether a map's targets may leave the package.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Internal {
    Yes,
    No,
}

/// The entry for `name`: the exact one, else the pattern with the longest part before its `*`.
fn select<'v, 'n>(
    map: &'v serde_json::Map<String, Value>,
    name: &'n str,
) -> Option<(&'v Value, Option<&'n str>)> {
    if let Some(target) = map.get(name)
        && !name.contains('*')
    {
        return Some((target, None));
    }
    map.iter()
        .filter_map(|(key, target)| {
            let (head, tail) = key.split_once('*')?;
            let star = name.strip_prefix(head)?.strip_suffix(tail)?;
            (!star.is_empty()).then_some((head.len(), key.len(), target, star))
        })
        .max_by_key(|(head, whole, ..)| (*head, *whole))
        .map(|(_, _, target, star)| (target, Some(star)))
}

fn with_suffix(target: Target, suffix: &str) -> Target {
    match target {
        Target::File(path, _) => Target::File(path, suffix.to_owned()),
        other => other,
    }
}

fn is_relative(name: &str) -> bool {
    name == "." || name == ".." || name.starts_with("./") || name.starts_with("../")
}

/// `@scope/name/sub` -> (`@scope/name`, `/sub`).
fn split_package(name: &str) -> Option<(&str, &str)> {
    let from = if name.starts_with('@') {
        name.find('/')? + 1
    } else {
        0
    };
    let end = name[from..].find('/').map_or(name.len(), |at| from + at);
    let package = &name[..end];
    let fits = end > from && !package.starts_with('.') && !package.contains(['\\', '%', '\0']);
    fits.then_some((package, &name[end..]))
}

fn split_suffix(name: &str) -> (&str, &str) {
    let at = name.char_indices().skip(1).find(|(_, c)| matches!(c, '?' | '#'));
    name.split_at(at.map_or(name.len(), |(at, _)| at))
}

/// `%20` and the like; what is no UTF-8 afterwards stays as it was.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn file(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let with = |extension: &str| {
        let path = PathBuf::from(format!("{}.{extension}", path.display()));
        path.is_file().then_some(path)
    };
    EXTENSIONS
        .iter()
        .find_map(|extension| with(extension))
        .or_else(|| typescript(path))
}

/// TypeScript names the file that it would be compiled to: `./a.js` for `./a.ts`.
fn typescript(path: &Path) -> Option<PathBuf> {
    let extension = match path.extension()?.to_str()? {
        "js" => "ts",
        "mjs" => "mts",
        "cjs" => "cts",
        _ => return None,
    };
    let path = path.with_extension(extension);
    path.is_file().then_some(path)
}

fn index(folder: &Path) -> Option<PathBuf> {
    let path = folder.join("index");
    EXTENSIONS.iter().find_map(|extension| {
        let path = path.with_extension(extension);
        path.is_file().then_some(path)
    })
}

/// Modules have one name each, however they are linked. Where links cannot be followed the name
/// stays, and reading says what is wrong.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Removes `.` and `..` by their text.
fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir => {}
            other => parts.push(other),
        }
    }
    parts
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
