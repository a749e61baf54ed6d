//! Ways out of a workspace through the file interface. Every case runs twice: against the workspace,
//! where nothing outside may be read or changed, and against the plain functions of the standard
//! library on the joined path, where it must succeed: else it would be no attack.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the wall off is plain std::fs; a test fails by panicking"
)]

mod common;

use common::{World, actor, below, code, read, write};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;
use workspace::files::{ReadRequest, SearchRequest};
use workspace::{EditRequest, MoveTo, Workspace, WorkspaceError};

const SECRET: &str = "outside secret";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Read,
    Write,
    Create,
    Append,
    Edit,
    MoveFrom,
    MoveTo,
    Delete,
    List,
    Search,
}

const ALL: [Op; 10] = [
    Op::Read,
    Op::Write,
    Op::Create,
    Op::Append,
    Op::Edit,
    Op::MoveFrom,
    Op::MoveTo,
    Op::Delete,
    Op::List,
    Op::Search,
];

/// A fresh outside and inside for each case.
struct Scene {
    outside: PathBuf,
    inside: PathBuf,
}

impl Scene {
    /// `{outside}` in a path is where the outside lies.
    fn lay(&self) {
        for folder in [&self.outside, &self.inside] {
            let _ = std::fs::remove_dir_all(folder);
        }
        std::fs::create_dir_all(self.outside.join("dir")).unwrap();
        std::fs::create_dir_all(self.inside.join("a/b")).unwrap();
        std::fs::write(self.outside.join("secret"), SECRET).unwrap();
        std::fs::write(self.outside.join("dir/inner"), SECRET).unwrap();
        std::fs::write(self.inside.join("plain"), "plain").unwrap();
        let link = |name: &str, to: &Path| symlink(to, self.inside.join(name)).unwrap();
        link("file-link", &self.outside.join("secret"));
        link("dir-link", &self.outside);
        link("rel-file-link", Path::new("../outside/secret"));
        link("rel-dir-link", Path::new("../outside"));
        link("a/up-link", Path::new("../../outside"));
        link("chain-3", Path::new("rel-dir-link"));
        link("chain-2", Path::new("./chain-3"));
        link("chain-1", Path::new("a/../chain-2"));
        link("parent", Path::new(".."));
        link("slash", Path::new("/"));
        link("through-plain", Path::new("a/b/../../../outside"));
        link("proc-root", Path::new("/proc/self/root"));
        link("new-link", &self.outside.join("new"));
        link("é\u{301}链", Path::new("../outside"));
        link("dots...", Path::new("../outside"));
        link("a/b/dir", Path::new("../../../outside/dir"));
    }

    fn state(&self) -> Vec<(String, Option<String>)> {
        below(&self.outside)
            .into_iter()
            .map(|name| {
                let text = std::fs::read_to_string(self.outside.join(&name)).ok();
                (name, text)
            })
            .collect()
    }
}

/// What an operation came to: its error, and what it gave to read.
async fn walled(task: &Workspace, op: Op, path: &str) -> (&'static str, String) {
    let edit = EditRequest {
        old: "secret".into(),
        new: "changed".into(),
        count: 1,
    };
    let nothing = |code| (code, String::new());
    match op {
        Op::Read => match read(task, path).await {
            Ok(found) => ("ok", found.content),
            Err(error) => nothing(code(Err::<(), _>(error))),
        },
        Op::Write | Op::Create => nothing(code(write(task, path, "changed").await)),
        Op::Append => nothing(code(task.append(path, "changed".into(), actor()).await)),
        Op::Edit => nothing(code(task.edit(path, edit, actor()).await)),
        Op::MoveFrom => match task.move_file(path, "stolen", MoveTo::Free, actor()).await {
            // The link itself may be moved: what it leads to is out of reach still.
            Ok(_) => (
                "ok",
                read(task, "stolen")
                    .await
                    .map(|found| found.content)
                    .unwrap_or_default(),
            ),
            Err(error) => nothing(code(Err::<(), _>(error))),
        },
        Op::MoveTo => nothing(code(
            task.move_file("plain", path, MoveTo::OverFile, actor()).await,
        )),
        Op::Delete => nothing(code(task.delete(path, actor()).await)),
        Op::List => match task.list(Some(path)).await {
            Ok(found) => ("ok", found.files.into_iter().map(|entry| entry.name).collect()),
            Err(error) => nothing(code(Err::<(), _>(error))),
        },
        Op::Search => {
            let request = SearchRequest {
                pattern: "secret".into(),
                path: Some(path.into()),
                ..SearchRequest::default()
            };
            match task.search(request).await {
                Ok(found) => ("ok", found.matches.into_iter().map(|hit| hit.text).collect()),
                Err(error) => nothing(code(Err::<(), _>(error))),
            }
        }
    }
}

/// The same, naively. What it gave to read.
fn naive(inside: &Path, op: Op, path: &str) -> std::io::Result<String> {
    let full = inside.join(path);
    let files = |folder: &Path| -> std::io::Result<String> {
        std::fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    };
    match op {
        Op::Read | Op::Search => std::fs::read_to_string(full),
        Op::Write | Op::Create => std::fs::write(full, "changed").map(|()| String::new()),
        Op::Append => std::fs::OpenOptions::new()
            .append(true)
            .open(full)?
            .write_all(b"changed")
            .map(|()| String::new()),
        Op::Edit => {
            let text = std::fs::read_to_string(&full)?;
            std::fs::write(full, text.replace("secret", "changed")).map(|()| String::new())
        }
        // The usual way of moving across file systems follows the link.
        Op::MoveFrom => {
            std::fs::copy(&full, inside.join("stolen"))?;
            std::fs::remove_file(full.canonicalize()?)?;
            std::fs::read_to_string(inside.join("stolen"))
        }
        Op::MoveTo => std::fs::copy(inside.join("plain"), full).map(|_| String::new()),
        Op::Delete => std::fs::remove_file(full.canonicalize()?).map(|()| String::new()),
        Op::List => files(&full),
    }
}

/// Path forms: a file or a folder of the outside, and what is appended to the folder form.
fn cases(outside: &Path) -> Vec<(Op, String)> {
    let folders = [
        "dir-link",
        "rel-dir-link",
        "a/up-link",
        "chain-1",
        "parent/outside",
        "through-plain",
        "../outside",
        "a/../../outside",
        "./../outside",
        "a/b/../../../outside",
        "a//..//../outside",
        ".././outside",
        "é\u{301}链",
        "dots...",
        "{outside}",
        "/{outside}",
        "slash/{outside}",
        "proc-root/{outside}",
        "a/b/dir/..",
        "rel-dir-link/dir/..",
    ];
    let mut cases = Vec::new();
    for folder in folders {
        let folder = folder.replace("{outside}", &outside.display().to_string());
        for op in ALL {
            let path = match op {
                Op::List => folder.clone(),
                Op::Create => format!("{folder}/created"),
                _ => format!("{folder}/secret"),
            };
            cases.push((op, path));
        }
    }
    for link in [
        "file-link",
        "rel-file-link",
        "a/../file-link",
        "./file-link",
        "a/b/dir/inner",
    ] {
        for op in [
            Op::Read,
            Op::Write,
            Op::Append,
            Op::Edit,
            Op::Search,
            Op::MoveFrom,
            Op::MoveTo,
            Op::Delete,
        ] {
            cases.push((op, link.to_owned()));
        }
    }
    cases.push((Op::Create, "new-link".to_owned()));
    cases.push((Op::List, "dir-link/".to_owned()));
    cases.push((Op::List, "parent/".to_owned()));
    cases.push((Op::List, "slash".to_owned()));
    cases.push((Op::List, "proc-root/".to_owned()));
    cases
}

#[tokio::test]
async fn nothing_outside_is_read_or_changed() {
    let shm = tempfile::tempdir_in("/dev/shm").unwrap();
    let world = World::within(shm, workspace::Limits::default()).await;
    let scene = Scene {
        outside: world.folder("outside"),
        inside: world.folder("inside"),
    };
    let cases = cases(&scene.outside);
    assert!(cases.len() >= 200, "{}", cases.len());
    let mut refusals = std::collections::BTreeMap::new();
    for (op, path) in &cases {
        scene.lay();
        let before = scene.state();
        let task = world.bind("inside").await;
        let (code, seen) = walled(&task, *op, path).await;
        assert!(
            !seen.contains("secret") && !seen.contains("inner"),
            "{op:?} {path}: {seen}"
        );
        assert_eq!(scene.state(), before, "{op:?} {path}: {code}");
        let itself = matches!(op, Op::MoveFrom | Op::MoveTo | Op::Delete);
        assert!(code != "ok" || itself, "{op:?} {path} went through");
        *refusals.entry(code).or_insert(0) += 1;

        // The wall off.
        scene.lay();
        let before = scene.state();
        let seen = naive(&scene.inside, *op, path);
        let escaped = seen
            .as_ref()
            .is_ok_and(|seen| seen.contains("secret") || seen.contains("inner") || seen.contains("outside"))
            || scene.state() != before
            || (*op == Op::List
                && seen
                    .as_ref()
                    .is_ok_and(|seen| !seen.is_empty() && !seen.contains("plain")));
        assert!(escaped, "no attack: {op:?} {path}: {seen:?}");
    }
    println!("{} attacks: {refusals:?}", cases.len());
}

/// Backslashes, drive letters and NUL mean something on other systems, or to a careless C library;
/// here the naive version only shows that nobody else refuses them.
#[tokio::test]
async fn foreign_and_odd_paths_are_refused_everywhere() {
    let world = World::new().await;
    let task = world.bind("t").await;
    let foreign = [
        "..\\outside",
        "a\\b",
        "\\\\host\\share",
        "C:\\x",
        "C:/x",
        "c:x",
        "Z:",
    ];
    for path in foreign {
        for op in ALL {
            let (code, _) = walled(&task, op, path).await;
            // A move looks at where it comes from first.
            assert_eq!(code, "path_traversal_blocked", "{op:?} {path:?}");
        }
        std::fs::create_dir_all(task.path().join(path).parent().unwrap()).unwrap();
        std::fs::write(task.path().join(path), "").unwrap();
    }
    for path in ["a\0b", "\0", "plain\0/../../x"] {
        for op in ALL {
            assert_eq!(
                walled(&task, op, path).await.0,
                "path_traversal_blocked",
                "{op:?} {path:?}"
            );
        }
    }
    for path in [String::new(), "n".repeat(256), "a/".repeat(3000)] {
        for op in ALL {
            assert_eq!(walled(&task, op, &path).await.0, "invalid_args", "{op:?}");
        }
    }
    for odd in [
        "a..b", "...", "..a", "a.", "a ", "%2e%2e", "．．", "‥", "a\nb", "CON", "ab:c", "-rf", "~", "$HOME",
    ] {
        let (path, at) = (format!("odd/{odd}"), task.path().join("odd").join(odd));
        write(&task, &path, "x").await.unwrap();
        assert_eq!(
            std::fs::read_to_string(at).unwrap(),
            "x",
            "{odd:?} is a name like any other"
        );
    }
}

#[tokio::test]
async fn the_root_and_loops_are_no_files() {
    let world = World::new().await;
    let task = world.bind("t").await;
    write(&task, "plain", "plain").await.unwrap();
    symlink("loop", task.path().join("loop")).unwrap();
    symlink(".", task.path().join("self")).unwrap();
    symlink("a", task.path().join("b")).unwrap();
    symlink("b", task.path().join("a")).unwrap();
    for path in ["loop", "a", "loop/x"] {
        for op in [Op::Read, Op::Write, Op::Append, Op::Edit, Op::List, Op::Search] {
            assert_eq!(
                walled(&task, op, path).await.0,
                "path_traversal_blocked",
                "{op:?} {path}"
            );
        }
    }
    for path in [".", "./", "self", "self/self"] {
        for op in [Op::Read, Op::Write, Op::Append, Op::Edit] {
            assert_eq!(walled(&task, op, path).await.0, "not_a_file", "{op:?} {path}");
        }
    }
    for path in [".", "./"] {
        for op in [Op::Delete, Op::MoveFrom, Op::MoveTo] {
            assert_eq!(walled(&task, op, path).await.0, "not_a_file", "{op:?} {path}");
        }
    }
    assert!(task.path().is_dir());
}

/// Nothing waits for a pipe, connects to a socket or reads a device; the naive version does.
#[tokio::test]
async fn what_is_no_regular_file_is_never_opened_for_content() {
    let world = World::new().await;
    let task = world.bind("t").await;
    mknodat(
        CWD,
        task.path().join("pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o666),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(task.path().join("socket")).unwrap();
    symlink("pipe", task.path().join("link")).unwrap();
    let work = async {
        for path in ["pipe", "socket", "link"] {
            for op in [Op::Read, Op::Write, Op::Append, Op::Edit, Op::Search] {
                assert_eq!(walled(&task, op, path).await.0, "not_a_file", "{op:?} {path}");
            }
            let (code, _) = walled(&task, Op::List, path).await;
            assert_eq!(code, "not_a_directory", "{path}");
        }
        let request = SearchRequest {
            pattern: "x".into(),
            ..SearchRequest::default()
        };
        assert!(task.search(request).await.unwrap().matches.is_empty());
        assert_eq!(task.info().await.unwrap().file_count, 0);
        let gone = task.delete("pipe", actor()).await.unwrap();
        task.undelete(&gone.id, actor()).await.unwrap();
    };
    tokio::time::timeout(Duration::from_secs(20), work)
        .await
        .expect("nothing waits for a pipe");

    // The wall off: the reader waits until somebody writes.
    let pipe = task.path().join("pipe");
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            std::fs::File::open(pipe)
                .unwrap()
                .read_to_string(&mut text)
                .unwrap();
            text
        }
    });
    std::fs::write(&pipe, "waited for").unwrap();
    assert_eq!(reader.join().unwrap(), "waited for");
}

/// The devices that every machine has, through a handle on their folder: making one needs root.
#[test]
fn devices_are_not_read() {
    let devices = workspace::files::Root::open(Path::new("/dev")).unwrap();
    for name in ["null", "zero", "full", "urandom"] {
        let path = workspace::files::RelPath::parse("read_file", name).unwrap();
        let refused: Result<_, WorkspaceError> = devices.read(&path, ReadRequest::default(), 1000);
        assert_eq!(code(refused), "not_a_file", "{name}");
    }
    let mut naive = [1; 4];
    std::fs::File::open("/dev/zero")
        .unwrap()
        .read_exact(&mut naive)
        .unwrap();
    assert_eq!(naive, [0; 4]);
}
