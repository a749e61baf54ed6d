#![allow(clippy::disallowed_methods, reason = "looks at files")]

use super::*;
use crate::owner::Ownership;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use store::{Run, Store};
use tar::{EntryType, Header};

/// Path, mode and what is there, of everything but what is left out.
type Tree = BTreeMap<PathBuf, (u32, String)>;

fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut left = vec![PathBuf::new()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let path = folder.join(entry.unwrap().file_name());
            if LEFT_OUT.iter().any(|left_out| Path::new(left_out) == path) {
                continue;
            }
            let (at, about) = (root.join(&path), fs::symlink_metadata(root.join(&path)).unwrap());
            let what = if about.is_symlink() {
                format!("-> {}", fs::read_link(at).unwrap().display())
            } else if about.is_dir() {
                left.push(path.clone());
                "folder".to_owned()
            } else if !about.is_file() {
                "something else".to_owned()
            } else {
                format!(
                    "{} {}",
                    about.mtime(),
                    String::from_utf8_lossy(&fs::read(at).unwrap())
                )
            };
            found.insert(path, (about.permissions().mode(), what));
        }
    }
    found
}

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        World { folder }
    }

    fn home(&self, name: &str) -> DataHome {
        DataHome::at(self.folder.path().join(name))
            .unwrap()
            .prepare()
            .unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// A data home with something of each kind.
fn furnish(home: &DataHome) {
    let at = |path: &str| home.root().join(path);
    let deep = format!("toolbox/t/{}/{}", "d".repeat(120), "n".repeat(120));
    for (path, text) in [
        ("token", "secret"),
        ("toolbox/t/t.tool.js", "export default {}"),
        ("toolbox/t/.env", "A=1"),
        ("prompts/写作/翻译.yaml", "text: 你好"),
        (deep.as_str(), "deep"),
        ("artifacts/thumbs/a.png", "comes again"),
        ("store/x", "comes again"),
    ] {
        fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        fs::write(at(path), text).unwrap();
    }
    fs::create_dir_all(at("workspaces/w/empty")).unwrap();
    // Longer than what is read in one piece.
    fs::write(at("logs/long.log"), vec![b'x'; 9 << 20]).unwrap();
    fs::set_permissions(at("token"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(at("toolbox/t/t.tool.js"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/nowhere/at/all", at("workspaces/w/link")).unwrap();
    let _ = std::os::unix::net::UnixListener::bind(at("workspaces/w/s")).unwrap();
}

async fn run_in(store: &Store, id: &str) {
    let run = Run {
        id: id.into(),
        subject: "t".into(),
        started_at: 1,
        duration_ms: 1.0,
        success: true,
        error: None,
        actor: store::Actor {
            kind: "person".into(),
            name: "pm".into(),
        },
        memory: None,
        about: None,
    };
    store.add_run(run, None, Vec::new(), 100).await.unwrap();
}

/// A backup of a furnished data home.
async fn backed_up(world: &World) -> (DataHome, PathBuf, End) {
    let (home, file) = (world.home("one"), world.file("b.tar.gz"));
    furnish(&home);
    let store = Store::open(&home, 100).unwrap();
    run_in(&store, "r1").await;
    let end = make(&home, &store, file.clone()).await.unwrap();
    (home, file, end)
}

fn into(home: &DataHome, file: &Path) -> Result<Restored, BackupError> {
    let held = Ownership::try_take(home).unwrap().unwrap();
    restore(home, &held, file)
}

#[tokio::test]
async fn all_of_it_comes_back_and_what_was_there_stays_beside_it() {
    let world = World::new();
    let (one, file, end) = backed_up(&world).await;
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(end.bytes > 9 << 20);
    let two = world.home("two");
    fs::write(two.root().join("prompts/mine.yaml"), "text: mine").unwrap();
    let before = tree(two.root());

    let restored = into(&two, &file).unwrap();
    assert_eq!(restored.content, end);
    let mode = fs::metadata(two.root()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let mut expected = tree(one.root());
    // Sockets are nobody's data.
    assert!(expected.remove(Path::new("workspaces/w/s")).is_some());
    assert_eq!(tree(two.root()), expected);
    for left_out in ["store", "artifacts/thumbs"] {
        assert!(!two.root().join(left_out).exists(), "{left_out}");
    }
    let kept = restored.set.before.unwrap();
    assert_eq!(tree(&kept), before);
    assert_eq!(world.names().len(), 4, "{:?}", world.names());

    // It can be used, and has the records.
    let two = two.prepare().unwrap();
    let store = Store::open(&two, 100).unwrap();
    assert!(store.has_run("r1".into()).await.unwrap());
    let copies = one.run().join("backup");
    assert_eq!(fs::read_dir(copies).unwrap().count(), 0, "no copy is left");
}

#[tokio::test]
async fn an_empty_data_home_leaves_nothing_behind_and_one_is_emptied_by_a_rename() {
    let world = World::new();
    let (_, file, _) = backed_up(&world).await;
    let new = DataHome::at(world.file("new")).unwrap();
    let restored = into(&new, &file).unwrap();
    assert_eq!(restored.set, Set { before: None });
    let left = |name: &String| name.starts_with("new.");
    assert!(!world.names().iter().any(left), "{:?}", world.names());
    let full = tree(new.root());

    let held = Ownership::try_take(&new).unwrap().unwrap();
    let before = reset(&new, &held).unwrap().before.unwrap();
    assert!(!new.root().exists());
    assert_eq!(tree(&before), full);
    // The lock of what was moved away is nobody's lock of the new one.
    let anew = Ownership::try_take(&new).unwrap().unwrap();
    assert_eq!(reset(&new, &anew).unwrap(), Set { before: None });
}

#[tokio::test]
async fn a_backup_goes_over_nothing_and_not_into_itself() {
    let world = World::new();
    let home = world.home("one");
    let store = Store::open(&home, 100).unwrap();
    let there = world.file("there");
    fs::write(&there, "mine").unwrap();
    symlink(home.root(), world.file("door")).unwrap();
    for (to, code) in [
        (there.clone(), "backup_exists"),
        (home.root().join("b"), "backup_inside"),
        (world.file("door/b"), "backup_inside"),
        (world.file("no/folder/b"), "backup_io"),
        (PathBuf::from("relative"), "backup_io"),
        (PathBuf::from("/"), "backup_io"),
    ] {
        let failure = make(&home, &store, to.clone()).await.unwrap_err();
        assert_eq!(failure.code, code, "{to:?}");
    }
    assert_eq!(fs::read_to_string(there).unwrap(), "mine");
    assert_eq!(world.names(), ["door", "one", "there"]);
}

/// What a kill left is removed, and what another process writes is not.
#[tokio::test]
async fn what_was_begun_and_left_goes() {
    let world = World::new();
    let home = world.home("one");
    let (left, other) = (
        world.file(".prompt-manager-backup-1"),
        world.file(".prompt-manager-backup-2"),
    );
    fs::write(&left, "half").unwrap();
    fs::write(&other, "half").unwrap();
    let writing = fs::File::open(&other).unwrap();
    writing.lock().unwrap();
    let copy = home.run().join("backup/x.db");
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    fs::write(&copy, "half").unwrap();

    sweep(&home).unwrap();
    assert!(!copy.exists());
    let store = Store::open(&home, 100).unwrap();
    make(&home, &store, world.file("b")).await.unwrap();
    assert_eq!(world.names(), [".prompt-manager-backup-2", "b", "one"]);
}

/// What an earlier restore may have left when it was killed: half of it, all of it, or the old data home behind the
/// exchange.
#[tokio::test]
async fn after_a_kill_nothing_whole_is_lost() {
    let world = World::new();
    let (_, file, _) = backed_up(&world).await;
    let home = world.home("two");
    let beside = world.file("two.restoring");
    for whole in [false, true] {
        fs::create_dir_all(beside.join("home/prompts")).unwrap();
        fs::write(beside.join("home/prompts/old.yaml"), "old").unwrap();
        if whole {
            fs::write(beside.join("whole"), "").unwrap();
        }
        into(&home, &file).unwrap();
        let kept = |name: &String| {
            let path = world.file(name).join("prompts/old.yaml");
            name.starts_with("two.before-") && path.exists()
        };
        assert_eq!(world.names().iter().any(kept), whole, "{:?}", world.names());
        assert!(!beside.exists());
    }
}

/// An archive whose entries are these, behind a right head, and which says that they are all.
fn archive(entries: &[(EntryType, &str, &str)], head: u32) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut put = |kind: EntryType, path: &str, content: &str| {
        let mut header = Header::new_ustar();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        // As it is: the setter refuses what a stranger may write.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            header.set_link_name_literal(content).unwrap();
            header.set_size(0);
            header.set_cksum();
            archive.append(&header, std::io::empty()).unwrap();
        } else {
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append(&header, content.as_bytes()).unwrap();
        }
    };
    let about = format!(r#"{{"backup":{head},"home":1,"made":"now"}}"#);
    put(EntryType::Regular, HEAD, &about);
    let (mut files, mut bytes) = (0, 0);
    for (kind, path, content) in entries {
        put(*kind, path, content);
        files += u64::from(*kind != EntryType::Directory);
        bytes += if *kind == EntryType::Regular {
            content.len()
        } else {
            0
        };
    }
    put(
        EntryType::Regular,
        END,
        &format!(r#"{{"files":{files},"bytes":{bytes}}}"#),
    );
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn archives_of_strangers_reach_nothing_else() {
    use EntryType::{Char, Fifo, Link, Regular, Symlink};
    let world = World::new();
    let (home, file, victim) = (world.home("one"), world.file("b"), world.file("victim"));
    fs::write(&victim, "mine").unwrap();
    fs::write(home.root().join("prompts/mine.yaml"), "mine").unwrap();
    let outside = world.folder.path().to_str().unwrap().to_owned();
    let absolute = format!("{outside}/victim");
    let cases: &[&[(EntryType, &str, &str)]] = &[
        &[(Regular, "home/../../victim", "x")],
        &[(Regular, &absolute, "x")],
        &[(Regular, "victim", "x")],
        &[(Regular, "whole", "")],
        &[(Symlink, "home", &outside)],
        &[(Symlink, "home", &outside), (Regular, "home/victim", "x")],
        &[(Symlink, "home/a", &outside), (Regular, "home/a/victim", "x")],
        &[(Symlink, "home/a", &absolute), (Regular, "home/a", "x")],
        &[(Link, "home/a", &absolute)],
        &[(Char, "home/a", ""), (Fifo, "home/b", "")],
        &[(Regular, END, "{}"), (Regular, "home/a", "x")],
    ];
    for case in cases {
        let before = tree(home.root());
        fs::write(&file, archive(case, FORMAT)).unwrap();
        match into(&home, &file) {
            Err(error) => {
                assert!(error.code().starts_with("backup_"), "{case:?}: {error:?}");
                assert_eq!(tree(home.root()), before, "{case:?}");
            }
            // A link that is replaced by what comes later touches only the new data home.
            Ok(_) => assert_eq!(
                fs::read_to_string(home.root().join("a")).unwrap(),
                "x",
                "{case:?}"
            ),
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine", "{case:?}");
        assert!(!world.file("one.restoring").exists(), "{case:?}");
    }
    fs::write(&file, archive(&[], FORMAT + 1)).unwrap();
    assert_eq!(into(&home, &file).unwrap_err().code(), "backup_newer");
    for nothing in ["", "not an archive"] {
        fs::write(&file, nothing).unwrap();
        assert_eq!(into(&home, &file).unwrap_err().code(), "backup_not_one");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Cut anywhere or changed anywhere: it is refused, or came back the same, and the data home is never half of each.
    #[test]
    fn a_damaged_backup_changes_nothing(at in 0.0..1.0f64, bit in 0..8u8, cut: bool) {
        let world = World::new();
        let (home, file) = (world.home("one"), world.file("b"));
        fs::write(home.root().join("prompts/mine.yaml"), "mine").unwrap();
        let text: String = (0..2000).map(|n| format!("{n} ")).collect();
        let entries = [
            (EntryType::Regular, "home/a", text.as_str()),
            (EntryType::Regular, "home/b", "short"),
        ];
        let mut bytes = archive(&entries, FORMAT);
        let place = (at * bytes.len() as f64) as usize;
        if cut {
            bytes.truncate(place);
        } else {
            bytes[place] ^= 1 << bit;
        }
        fs::write(&file, &bytes).unwrap();
        let before = tree(home.root());
        match into(&home, &file) {
            Err(error) => {
                prop_assert!(matches!(error, BackupError::NotOne(_) | BackupError::NotWhole(_) | BackupError::Newer { .. }), "{error:?}");
                prop_assert_eq!(tree(home.root()), before);
                prop_assert_eq!(world.names(), ["b", "one"]);
            }
            // A bit of gzip's own head that says nothing.
            Ok(_) => {
                prop_assert!(!cut);
                prop_assert_eq!(fs::read_to_string(home.root().join("a")).unwrap(), text);
            }
        }
    }
}
