//! Pictures' bytes and rows after a kill: start-up makes them agree again, whichever of two steps
//! was the last.
//!
//! | row | bytes | |
//! |---|---|---|
//! | there | in place | as it should be |
//! | there | in the trash | moved back: only a removed one may be there |
//! | there | nowhere | the row leaves |
//! | removed | in the trash | as it should be |
//! | removed | in place | moved to the trash: a removal or a restoration that was not finished |
//! | removed | nowhere | the row leaves: the trash was emptied |
//! | none | in place | gets a row: it was drawn and not yet recorded |
//! | none | in the trash | waits to be emptied: removed by the first release, which kept no rows |

#![allow(
    clippy::disallowed_methods,
    reason = "moves bytes to the trash and back, by rename, and empties it"
)]

use crate::Actor;
use crate::artifacts::{Artifact, insert, png_name};
use crate::error::StoreError;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Makes rows and bytes agree.
pub(crate) fn artifacts(connection: &mut Connection, folder: &Path, trash: &Path) -> Result<(), StoreError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| StoreError::Io { path, source }
    };
    let placed = pictures(folder).map_err(io(folder))?;
    let trashed = pictures(trash).map_err(io(trash))?;
    let transaction = connection.transaction()?;
    let known: HashMap<String, bool> = {
        let mut statement = transaction.prepare("SELECT id, removed_at IS NOT NULL FROM artifacts")?;
        statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?
    };
    for (id, removed) in &known {
        let (here, there) = (folder.join(png_name(id)), trash.join(png_name(id)));
        match (*removed, placed.contains(id), trashed.contains(id)) {
            (false, true, _) | (true, false, true) => {}
            (false, false, true) => kept_going(id, move_file(&there, &here)),
            (true, true, _) => kept_going(id, move_file(&here, &there)),
            (_, false, false) => {
                transaction.execute("DELETE FROM artifacts WHERE id = ?1", [id])?;
                tracing::warn!(id, "an artifact's bytes are gone; its row was dropped");
            }
        }
    }
    for id in placed.iter().filter(|id| !known.contains_key(*id)) {
        match recovered(id, &folder.join(png_name(id))) {
            Ok(artifact) => insert(&transaction, &artifact)?,
            Err(error) => tracing::warn!(id, %error, "a file among the artifacts is not a picture"),
        }
    }
    transaction.commit()?;
    Ok(())
}

/// One picture that cannot be moved keeps nobody from starting: each state is harmless until the
/// next start tries again.
fn kept_going(id: &str, moved: io::Result<()>) {
    if let Err(error) = moved {
        tracing::warn!(id, %error, "a picture stays where it is");
    }
}

/// Moves bytes and makes the move last; to another file system by copying them first.
pub(crate) fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            base::atomic::write(to, &std::fs::read(from)?, base::atomic::Access::Private)?;
            std::fs::remove_file(from)?;
        }
        done => done?,
    }
    for folder in [from.parent(), to.parent()].into_iter().flatten() {
        base::atomic::sync_dir(folder)?;
    }
    Ok(())
}

/// Deletes pictures in the trash that have no row, by the time when they came there.
pub(crate) fn delete_orphans(trash: &Path, known: &HashSet<String>, before: i64) -> io::Result<usize> {
    let mut deleted = 0;
    for id in pictures(trash)?.difference(known) {
        let path = trash.join(png_name(id));
        // A rename changes the status, not the content.
        let came = std::fs::metadata(&path)?.ctime().saturating_mul(1000);
        if came < before {
            std::fs::remove_file(&path)?;
            deleted += 1;
        }
    }
    Ok(deleted)
}

/// Ids of the pictures in a folder, by their names.
fn pictures(folder: &Path) -> io::Result<HashSet<String>> {
    let mut found = HashSet::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(id) = name.strip_suffix(".png")
            && uuid::Uuid::try_parse(id).is_ok()
        {
            found.insert(id.to_owned());
        }
    }
    Ok(found)
}

fn recovered(id: &str, path: &Path) -> io::Result<Artifact> {
    let meta = std::fs::metadata(path)?;
    let mut head = [0_u8; 24];
    std::fs::File::open(path)?.read_exact(&mut head)?;
    if &head[..8] != b"\x89PNG\r\n\x1a\n" {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no PNG signature"));
    }
    // IHDR is always first: width and height follow its 8-byte chunk header, big-endian.
    let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let created_at = meta
        .modified()?
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |age| i64::try_from(age.as_millis()).unwrap_or(i64::MAX));
    Ok(Artifact {
        id: id.to_owned(),
        kind: "image/png".to_owned(),
        title: String::new(),
        size: i64::try_from(meta.len()).unwrap_or(i64::MAX),
        width: number(16),
        height: number(20),
        source: "recovered".to_owned(),
        created_at,
        actor: Actor {
            kind: "person".to_owned(),
            name: String::new(),
        },
        code: String::new(),
    })
}
