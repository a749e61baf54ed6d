//! What the data home takes, by kind. Looking takes a moment, so an answer holds for a while and
//! everybody who asks meanwhile gets the same one.

use crate::work::blocking;
use base::{DataHome, Failure};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// An answer is as good as new for this long.
const FRESH: Duration = Duration::from_secs(10);

/// Kinds and the top-level folders behind them, in the order they are shown. The database is
/// `records`, all that is left is `other`.
const KINDS: [&str; 7] = [
    "toolbox",
    "artifacts",
    "records",
    "trash",
    "backups",
    "logs",
    "other",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) kind: &'static str,
    pub(crate) bytes: u64,
    pub(crate) files: u64,
}

/// An answer and when it was asked for.
type Known = (Instant, Vec<Size>);

#[derive(Default)]
pub(crate) struct Sizes {
    known: Arc<Mutex<Option<Known>>>,
}

impl Sizes {
    pub(crate) async fn of(&self, home: &DataHome) -> Result<Vec<Size>, Failure> {
        self.of_at(home, Instant::now()).await
    }

    async fn of_at(&self, home: &DataHome, now: Instant) -> Result<Vec<Size>, Failure> {
        let mut known = self.known.clone().lock_owned().await;
        if let Some((at, sizes)) = &*known
            && now.saturating_duration_since(*at) < FRESH
        {
            return Ok(sizes.clone());
        }
        let root = home.root().to_owned();
        // Kept by the work itself: whoever goes away does not make the next one look again.
        blocking(move || {
            let sizes = measured(&root);
            *known = Some((now, sizes.clone()));
            sizes
        })
        .await
    }
}

/// What cannot be read is not counted: files come and go while others are looked at.
fn measured(root: &Path) -> Vec<Size> {
    let mut sizes = KINDS.map(|kind| Size {
        kind,
        bytes: 0,
        files: 0,
    });
    for (name, path) in entries(root) {
        let kind = kind_of(&name);
        let mut waiting = vec![path];
        while let Some(path) = waiting.pop() {
            match std::fs::symlink_metadata(&path) {
                Ok(meta) if meta.is_dir() => waiting.extend(entries(&path).into_iter().map(|(_, path)| path)),
                Ok(meta) => {
                    if let Some(size) = sizes.iter_mut().find(|size| size.kind == kind) {
                        size.bytes += meta.len();
                        size.files += 1;
                    }
                }
                Err(error) => unread(&path, &error),
            }
        }
    }
    sizes.to_vec()
}

fn kind_of(name: &str) -> &'static str {
    if name.starts_with("pm.db") {
        return "records";
    }
    let folder = KINDS.iter().find(|kind| **kind == name && name != "records");
    folder.copied().unwrap_or("other")
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries
            .filter_map(Result::ok)
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
            .collect(),
        Err(error) => {
            unread(folder, &error);
            Vec::new()
        }
    }
}

fn unread(path: &Path, error: &io::Error) {
    tracing::debug!(path = %path.display(), %error, "not counted");
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "puts files there")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_are_counted_by_kind_and_links_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        let put = |path: &str, bytes: usize| {
            let path = home.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, vec![0; bytes]).unwrap();
        };
        put("toolbox/a/node_modules/b/c.js", 10);
        put("toolbox/a/a.tool.js", 5);
        put("artifacts/thumbs/x.png", 7);
        put("pm.db", 100);
        put("pm.db-wal", 20);
        put("records", 1);
        std::os::unix::fs::symlink("/usr", home.root().join("trash/link")).unwrap();
        let sizes = Sizes::default();
        let of = |all: &[Size], kind| {
            let size = all.iter().find(|size| size.kind == kind).unwrap();
            (size.bytes, size.files)
        };
        let all = sizes.of(&home).await.unwrap();
        assert_eq!(all.iter().map(|size| size.kind).collect::<Vec<_>>(), KINDS);
        assert_eq!(of(&all, "toolbox"), (15, 2));
        assert_eq!(of(&all, "artifacts"), (7, 1));
        assert_eq!(of(&all, "records"), (120, 2));
        assert_eq!(of(&all, "trash").1, 1, "the link itself");
        assert!(of(&all, "trash").0 < 100);
        assert!(of(&all, "other").1 >= 2, "version and what is named like a kind");

        put("logs/l", 3);
        assert_eq!(sizes.of(&home).await.unwrap(), all, "known for a while");
        let later = Instant::now() + FRESH;
        assert_eq!(of(&sizes.of_at(&home, later).await.unwrap(), "logs"), (3, 1));
    }
}
