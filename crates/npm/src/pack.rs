//! Which files of a folder are its package, as `npm pack` chooses them: `files` of `package.json`,
//! otherwise everything that `.npmignore` or `.gitignore` does not name; some always, some never.
//!
//! Deliberately not here: links (a package has none), bundled dependencies, scripts that build first.

use crate::error::NpmError;
use flate2::Compression;
use flate2::write::GzEncoder;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use tar::{Archive, EntryType, Header};

/// Of all files together.
const MOST: u64 = 2 << 30;
/// Never in a package, at any depth.
const NEVER: [&str; 9] = [
    ".git",
    ".svn",
    ".hg",
    "CVS",
    "node_modules",
    ".npmrc",
    ".DS_Store",
    "npm-debug.log",
    ".gitmodules",
];
/// Never at the top.
const NEVER_AT_TOP: [&str; 6] = [
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "archived-packages",
];
const IGNORED: [&str; 2] = [".npmignore", ".gitignore"];
const ALWAYS: [&str; 4] = ["readme", "copying", "license", "licence"];

/// A tarball of the package, the same for the same files, from a tar archive of the folder.
pub(crate) fn pack(name: &str, archive: &[u8]) -> Result<Vec<u8>, NpmError> {
    let files = read(name, archive)?;
    let chosen = Chooser::new(&files);
    let failed = |error: std::io::Error| NpmError::Internal(error.to_string());
    let mut out = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, (run, bytes)) in files.iter().filter(|(path, _)| chosen.takes(path)) {
        let mut header = Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(if *run { 0o755 } else { 0o644 });
        header.set_entry_type(EntryType::Regular);
        out.append_data(&mut header, format!("package/{path}"), *bytes)
            .map_err(failed)?;
    }
    let mut zipped = out.into_inner().map_err(failed)?;
    zipped.flush().map_err(failed)?;
    zipped.finish().map_err(failed)
}

type Files<'a> = BTreeMap<String, (bool, &'a [u8])>;

fn read<'a>(name: &str, archive: &'a [u8]) -> Result<Files<'a>, NpmError> {
    let broken = |error: std::io::Error| NpmError::hostile(name, error.to_string());
    let mut files = Files::new();
    let mut together = 0;
    let mut tar = Archive::new(Cursor::new(archive));
    for entry in tar.entries_with_seek().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        if entry.header().entry_type() != EntryType::Regular {
            continue;
        }
        let path = entry.path().map_err(broken)?;
        let Some(path) = path.to_str().map(str::to_owned) else {
            return Err(NpmError::hostile(name, "a path that is no UTF-8"));
        };
        let run = entry.header().mode().map_err(broken)? & 0o111 != 0;
        together += entry.size();
        if together > MOST {
            return Err(NpmError::hostile(name, format!("more than {MOST} bytes")));
        }
        let start = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        let bytes = start.checked_add(size).and_then(|end| archive.get(start..end));
        let bytes = bytes.ok_or_else(|| NpmError::hostile(name, "an archive that is cut off"))?;
        // Read to its end, so that the next one is found.
        std::io::copy(&mut entry.by_ref(), &mut std::io::sink()).map_err(broken)?;
        files.insert(path, (run, bytes));
    }
    Ok(files)
}

struct Chooser {
    /// What `files` names.
    listed: Option<Gitignore>,
    /// By the folder it lies in.
    ignored: BTreeMap<String, Gitignore>,
    /// Entry points.
    named: Vec<String>,
}

impl Chooser {
    fn new(files: &Files<'_>) -> Self {
        let manifest = files.get("package.json").and_then(|(_, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            serde_json::from_str::<Map<String, Value>>(text.trim_start_matches('\u{feff}')).ok()
        });
        let manifest = manifest.unwrap_or_default();
        let listed = manifest.get("files").and_then(Value::as_array).map(|listed| {
            rules(listed.iter().filter_map(Value::as_str).map(|one| {
                let (not, path) = match one.strip_prefix('!') {
                    Some(path) => ("!", path),
                    None => ("", one),
                };
                format!("{not}/{}", path.trim_start_matches("./").trim_start_matches('/'))
            }))
        });
        let mut ignored = BTreeMap::new();
        // Where there are both in a folder, npm's own is asked.
        for name in IGNORED {
            for (path, (_, bytes)) in files {
                let (folder, last) = path.rsplit_once('/').unwrap_or(("", path));
                // `files` is asked instead of what lies beside it.
                if last != name || folder.is_empty() && listed.is_some() {
                    continue;
                }
                let text = String::from_utf8_lossy(bytes).into_owned();
                let own = || rules(text.lines().map(str::to_owned));
                ignored.entry(folder.to_owned()).or_insert_with(own);
            }
        }
        let mut named: Vec<String> = vec!["package.json".to_owned()];
        named.extend(manifest.get("main").and_then(Value::as_str).map(plain));
        match manifest.get("bin") {
            Some(Value::String(path)) => named.push(plain(path)),
            Some(Value::Object(bins)) => named.extend(bins.values().filter_map(Value::as_str).map(plain)),
            _ => {}
        }
        Chooser {
            listed,
            ignored,
            named,
        }
    }

    fn takes(&self, path: &str) -> bool {
        let top = path.split('/').next().unwrap_or(path);
        let last = path.rsplit('/').next().unwrap_or(path);
        if path.split('/').any(|part| NEVER.contains(&part))
            || NEVER_AT_TOP.contains(&top)
            || IGNORED.contains(&last)
            || last.starts_with("._")
            || last.ends_with(".orig")
            || last.starts_with('.') && last.ends_with(".swp")
        {
            return false;
        }
        if self.named.iter().any(|named| named == path) || is_always(path) {
            return true;
        }
        if let Some(listed) = &self.listed
            && !listed.matched_path_or_any_parents(path, false).is_ignore()
        {
            return false;
        }
        !self.is_ignored(path)
    }

    /// The nearest rule decides.
    fn is_ignored(&self, path: &str) -> bool {
        let mut folder = path;
        while !folder.is_empty() {
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            let Some(rules) = self.ignored.get(folder) else {
                continue;
            };
            let below = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
            match rules.matched_path_or_any_parents(below, false) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }
}

fn plain(path: &str) -> String {
    path.trim_start_matches("./").trim_start_matches('/').to_owned()
}

fn is_always(path: &str) -> bool {
    let stem = path.split('.').next().unwrap_or(path);
    !path.contains('/') && ALWAYS.iter().any(|name| stem.eq_ignore_ascii_case(name))
}

/// A line that is no rule is passed over, as git does.
fn rules(lines: impl Iterator<Item = String>) -> Gitignore {
    let mut builder = GitignoreBuilder::new(Path::new(""));
    for line in lines {
        if let Err(error) = builder.add_line(None, &line) {
            tracing::debug!(line, %error, "not a rule");
        }
    }
    builder.build().unwrap_or_else(|error| {
        tracing::debug!(%error, "no rules");
        Gitignore::empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(files: &[(&str, &str)]) -> Vec<String> {
        let mut tar = tar::Builder::new(Vec::new());
        for (path, text) in files {
            let mut header = Header::new_ustar();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, path, text.as_bytes())
                .expect("appended");
        }
        let packed = pack("x", &tar.into_inner().expect("a tar")).expect("packed");
        let plain = flate2::read::GzDecoder::new(packed.as_slice());
        let mut back = Archive::new(plain);
        let entries = back.entries().expect("entries");
        let path = |entry: std::io::Result<tar::Entry<'_, _>>| {
            let entry = entry.expect("an entry");
            entry.path().expect("a path").to_string_lossy().into_owned()
        };
        entries
            .map(path)
            .map(|path| path.strip_prefix("package/").expect("its root").to_owned())
            .collect()
    }

    #[test]
    fn without_a_list_all_but_what_is_ignored() {
        let found = taken(&[
            ("package.json", "{}"),
            (".gitignore", "dist\n*.log\n!keep.log\n"),
            ("dist/a.js", ""),
            ("index.js", ""),
            ("a.log", ""),
            ("keep.log", ""),
            ("lib/.gitignore", "/secret.js\n"),
            ("lib/secret.js", ""),
            ("lib/deeper/secret.js", ""),
            ("node_modules/b/index.js", ""),
            ("package-lock.json", ""),
            (".npmrc", "token"),
        ]);
        assert_eq!(
            found,
            ["index.js", "keep.log", "lib/deeper/secret.js", "package.json"]
        );
    }

    #[test]
    fn npms_own_rules_come_before_gits() {
        let found = taken(&[
            ("package.json", "{}"),
            (".gitignore", "dist\n"),
            (".npmignore", "src\n"),
            ("dist/a.js", ""),
            ("src/a.ts", ""),
        ]);
        assert_eq!(found, ["dist/a.js", "package.json"]);
    }

    #[test]
    fn a_list_names_what_is_in_and_some_always_are() {
        let manifest =
            r#"{"files": ["dist", "lib/*.js", "!dist/test"], "main": "./main.js", "bin": {"x": "bin/x"}}"#;
        let found = taken(&[
            ("package.json", manifest),
            (".gitignore", "dist\n"),
            ("LICENSE.md", ""),
            ("README", ""),
            ("bin/x", ""),
            ("bin/y", ""),
            ("dist/a.js", ""),
            ("dist/deep/b.js", ""),
            ("dist/test/c.js", ""),
            ("lib/a.js", ""),
            ("lib/a.ts", ""),
            ("main.js", ""),
            ("other.js", ""),
        ]);
        assert_eq!(
            found,
            [
                "LICENSE.md",
                "README",
                "bin/x",
                "dist/a.js",
                "dist/deep/b.js",
                "lib/a.js",
                "main.js",
                "package.json"
            ]
        );
    }
}
