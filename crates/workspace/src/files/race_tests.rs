//! Somebody exchanges a folder and a link that leads out, as fast as the kernel does it, while
//! files are read, written, moved, deleted and listed through that name. And the same with the
//! usual check, canonicalise and compare, which must lose.

#![allow(clippy::disallowed_methods, reason = "lays the scene, and is the wall off")]

use super::write::Put;
use super::{LastLink, Over, Parents, ReadRequest, RelPath, Root, rename};
use crate::error::WorkspaceError;
use cap_std::fs::Dir;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// All operations together.
const OPERATIONS: usize = 100_000;
/// Tries that the usual check gets to lose once.
const NAIVE_MOST: usize = 200_000;

struct Scene {
    _dir: tempfile::TempDir,
    inside: PathBuf,
    outside: PathBuf,
    trash: PathBuf,
}

const FILES: [&str; 4] = ["read", "write", "move", "delete"];

fn scene() -> Scene {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let base = dir.path().canonicalize().unwrap();
    let scene = Scene {
        inside: base.join("inside"),
        outside: base.join("outside"),
        trash: base.join("trash"),
        _dir: dir,
    };
    for folder in [&scene.inside.join("d"), &scene.outside, &scene.trash] {
        std::fs::create_dir_all(folder).unwrap();
    }
    for name in FILES {
        std::fs::write(scene.inside.join("d").join(name), "inside").unwrap();
        std::fs::write(scene.outside.join(name), "outside").unwrap();
    }
    std::fs::write(scene.outside.join("only-outside"), "outside").unwrap();
    symlink("../outside", scene.inside.join("l")).unwrap();
    scene
}

struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Exchanges `d` and `l` until `work` has ended.
fn while_exchanging<T>(inside: &Path, work: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (one, other) = (inside.join("d"), inside.join("l"));
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        // Also when the work fails.
        let _stop = Stop(&stop);
        work()
    })
}

fn path(text: &str) -> RelPath {
    RelPath::parse("test", text).unwrap()
}

/// Whether it went through; a refusal and a loss of the race are fine.
fn operate(root: &Root, trash: &Dir, n: usize) -> Result<bool, WorkspaceError> {
    match n % 20 {
        0..12 => {
            let found = root.read(&path("d/read"), ReadRequest::default(), 1000)?;
            assert_eq!(found.content, "inside", "escaped by reading");
        }
        12..15 => {
            let found = root.list(&path("d"), 100)?;
            assert!(
                found.files.iter().all(|entry| entry.name != "only-outside"),
                "escaped by listing"
            );
        }
        15 | 16 => {
            let place = root.place(&path("d/write"), LastLink::Follow, Parents::Create)?;
            let existing = place.existing(1000)?;
            return Ok(place.put(b"written", &format!(".pm-tmp-{n}"), existing.as_ref())? == Put::Done);
        }
        17 | 18 => {
            let from = root.place(&path("d/move"), LastLink::Itself, Parents::Needed)?;
            let to = root.place(&path("d/moved"), LastLink::Itself, Parents::Needed)?;
            from.rename(&to, Over::Nothing)?;
            to.rename(&from, Over::Nothing)?;
        }
        _ => {
            let place = root.place(&path("d/delete"), LastLink::Itself, Parents::Needed)?;
            rename(place.parent(), place.name(), trash, "x", Over::File)
                .map_err(|error| place.failed(error))?;
            rename(trash, "x", place.parent(), place.name(), Over::Nothing)
                .map_err(|error| place.failed(error))?;
        }
    }
    Ok(true)
}

#[test]
fn an_exchanged_link_never_leads_out() {
    let scene = scene();
    let root = Root::open(&scene.inside).unwrap();
    let trash = super::open_dir(&scene.trash).unwrap();
    let (mut through, mut refused) = (0, 0);
    while_exchanging(&scene.inside, || {
        for n in 0..OPERATIONS {
            match operate(&root, &trash, n) {
                Ok(true) => through += 1,
                Ok(false) | Err(WorkspaceError::PathTraversal { .. }) => refused += 1,
                // Between two names of one exchange it may look as if something were missing.
                Err(WorkspaceError::FileNotFound { .. } | WorkspaceError::DirectoryNotFound { .. }) => {
                    refused += 1
                }
                Err(error) => panic!("operation {n}: {error:?}"),
            }
        }
    });
    println!("{OPERATIONS} operations: {through} inside, {refused} refused, 0 outside");
    assert!(
        through > OPERATIONS / 20 && refused > OPERATIONS / 20,
        "there was no race"
    );
    for name in FILES.into_iter().chain(["only-outside"]) {
        assert_eq!(
            std::fs::read_to_string(scene.outside.join(name)).unwrap(),
            "outside",
            "{name}"
        );
    }
    assert_eq!(
        std::fs::read_dir(&scene.outside).unwrap().count(),
        FILES.len() + 1
    );
    let real = if scene.inside.join("d").is_symlink() {
        "l"
    } else {
        "d"
    };
    let written = std::fs::read_to_string(scene.inside.join(real).join("write")).unwrap();
    assert_eq!(written, "written");
}

/// The check that is usual.
fn checked(inside: &Path, name: &str) -> Option<PathBuf> {
    let path = inside.join(name);
    path.canonicalize().ok()?.starts_with(inside).then_some(path)
}

#[test]
fn the_usual_check_loses_the_same_race() {
    let scene = scene();
    let (mut reads, mut writes, mut tries) = (0, 0, 0);
    while_exchanging(&scene.inside, || {
        while (reads == 0 || writes == 0) && tries < NAIVE_MOST {
            tries += 1;
            if let Some(path) = checked(&scene.inside, "d/read") {
                reads += usize::from(std::fs::read_to_string(path).is_ok_and(|text| text == "outside"));
            }
            if let Some(path) = checked(&scene.inside, "d/write") {
                let _ = std::fs::write(path, "escaped");
                let outside = std::fs::read_to_string(scene.outside.join("write")).unwrap();
                writes += usize::from(outside == "escaped");
            }
        }
    });
    println!("canonicalise and compare: {reads} reads and {writes} writes outside in {tries} tries");
    assert!(
        reads > 0 && writes > 0,
        "the race was never lost: the other test proves nothing"
    );
}
