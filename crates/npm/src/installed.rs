//! Whether a folder's `node_modules` answers a list of dependencies (seed 002 section 5.1: ranges,
//! not presence).
//!
//! Deliberately not here: making it so (`install`).

#![allow(clippy::disallowed_methods, reason = "reads node_modules")]

use crate::error::NpmError;
use nodejs_semver::{Range, Version};
use serde::Deserialize;
use std::path::Path;
use std::{fs, io};

/// A dependency that is not there, or there in a version that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmet {
    pub name: String,
    pub range: String,
    /// The installed version, when there is one.
    pub found: Option<String>,
}

/// Which of `dependencies` (name, range) `folder/node_modules` does not answer.
pub fn unmet(folder: &Path, dependencies: &[(String, String)]) -> Result<Vec<Unmet>, NpmError> {
    let mut unmet = Vec::new();
    for (name, range) in dependencies {
        if !is_package_name(name) {
            return Err(NpmError::BadName(name.clone()));
        }
        let found = installed(folder, name)?;
        if !found.as_deref().is_some_and(|version| satisfies(version, range)) {
            unmet.push(Unmet {
                name: name.clone(),
                range: range.clone(),
                found,
            });
        }
    }
    Ok(unmet)
}

/// Path-safe names only: a name becomes a path below `node_modules`.
pub fn is_package_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '_'])
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~'))
    };
    let mut parts = name.split('/');
    let right_count = match name.strip_prefix('@') {
        Some(_) => parts.next().is_some_and(|scope| part(&scope[1..])) && parts.next().is_some_and(part),
        None => parts.next().is_some_and(part),
    };
    right_count && parts.next().is_none() && name.len() <= 214
}

/// A range that is no range (a tag, a URL) is satisfied by whatever is installed: only the
/// installer can say more.
pub fn satisfies(version: &str, range: &str) -> bool {
    match (Version::parse(version), Range::parse(range)) {
        (Ok(version), Ok(range)) => range.satisfies(&version),
        (_, Err(_)) => true,
        (Err(_), Ok(_)) => false,
    }
}

fn installed(folder: &Path, name: &str) -> Result<Option<String>, NpmError> {
    #[derive(Deserialize)]
    struct Manifest {
        version: Option<String>,
    }
    let path = folder.join("node_modules").join(name).join("package.json");
    match fs::read(&path) {
        // A manifest that cannot be read as JSON is a broken install, not an error of the caller.
        Ok(bytes) => Ok(serde_json::from_slice::<Manifest>(&bytes)
            .ok()
            .and_then(|manifest| manifest.version)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(source) => Err(NpmError::io(&path, source)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_decide_not_presence() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let folder = dir.path().join("node_modules").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("package.json"), text).unwrap();
        };
        put("a", r#"{"version": "1.4.2"}"#);
        put("@s/b", r#"{"version": "2.0.0-beta.1"}"#);
        put("broken", "{");
        let ask = |name: &str, range: &str| {
            unmet(dir.path(), &[(name.to_owned(), range.to_owned())])
                .unwrap()
                .into_iter()
                .map(|u| u.found)
                .next()
        };
        assert_eq!(ask("a", "^1.0.0"), None);
        assert_eq!(ask("a", "^2.0.0"), Some(Some("1.4.2".into())));
        assert_eq!(ask("a", "latest"), None);
        assert_eq!(
            ask("@s/b", "^2.0.0"),
            Some(Some("2.0.0-beta.1".into())),
            "a prerelease does not satisfy ^2.0.0"
        );
        assert_eq!(ask("broken", "*"), Some(None));
        assert_eq!(ask("absent", "*"), Some(None));
    }

    #[test]
    fn names_are_safe_paths() {
        for good in ["lodash", "@types/node", "a.b", "JSONStream"] {
            assert!(is_package_name(good), "{good}");
        }
        for bad in [
            "", "..", ".", "../a", "/etc", "a/b", "@a", "@/b", "@../b", "@a/b/c", "a\0", "工具", "@a/..",
        ] {
            assert!(!is_package_name(bad), "{bad}");
            assert!(unmet(Path::new("/"), &[(bad.to_owned(), "*".to_owned())]).is_err());
        }
    }
}
