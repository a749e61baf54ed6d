//! Bindings, files, history and trash as their callers use them, and properties 1-4, 8, 9 of seed 004.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{WINDOW, World, actor, below, code, read, text, write};
use proptest::prelude::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use store::ChangeOp;
use workspace::files::{Kind, ReadAs, ReadRequest, SearchRequest};
use workspace::{EditRequest, Limits, MoveTo, Version};

fn edit(old: &str, new: &str, count: usize) -> EditRequest {
    EditRequest {
        old: old.into(),
        new: new.into(),
        count,
    }
}

#[tokio::test]
async fn a_task_gets_one_folder_and_keeps_it_over_a_restart() {
    let world = World::new().await;
    let path = world.folder("a/b/c");
    let bound = world.all.bind("t1", &path, actor()).await.unwrap();
    assert_eq!(Path::new(&bound.path), path);
    assert!(path.is_dir(), "created with its parents");
    assert_eq!(
        world.all.bind("t1", &path, actor()).await.unwrap(),
        bound,
        "the same again is fine"
    );
    let other = world.folder("x");
    assert_eq!(code(world.all.bind("t1", &other, actor()).await), "already_bound");
    assert!(!other.exists(), "nothing is created for a refused binding");
    assert_eq!(code(world.all.get("t2")), "workspace_not_bound");
    assert_eq!(code(world.all.get("../t")), "invalid_task_id");

    let world = world.restart(Limits::default()).await;
    assert_eq!(world.all.get("t1").unwrap().binding(), &bound);
    assert!(world.all.unbind("t1", actor()).await.unwrap());
    assert!(!world.all.unbind("t1", actor()).await.unwrap());
    assert!(path.is_dir(), "the files stay");
    let world = world.restart(Limits::default()).await;
    assert_eq!(code(world.all.get("t1")), "workspace_not_bound");
    assert_eq!(
        world.store.audit_of("t1".into()).await.unwrap(),
        ["workspace.bind", "workspace.unbind"]
    );
}

#[tokio::test]
async fn folders_that_are_not_a_tasks_are_refused() {
    let world = World::new().await;
    let taken = world.bind("taken").await;
    symlink(taken.path(), world.folder("link")).unwrap();
    symlink(world.folder("nowhere"), world.folder("dangling")).unwrap();
    let user = base::home::user_home().unwrap();
    let home = world.home.root();
    let refused = [
        Path::new("relative").to_owned(),
        "/".into(),
        "/proc/x".into(),
        "/etc/x".into(),
        user.clone(),
        user.parent().unwrap().to_owned(),
        home.to_owned(),
        home.join("toolbox/x"),
        home.join("workspaces"),
        home.parent().unwrap().to_owned(),
        world.folder("taken/inside"),
        world.folder("link"),
        world.folder("link/inside"),
        world.folder("a/../b"),
    ];
    for path in refused {
        let result = world.all.bind("t", &path, actor()).await;
        assert_eq!(code(result), "invalid_workspace_path", "{path:?}");
    }
    std::fs::write(world.folder("file"), "").unwrap();
    for name in ["file", "file/x", "dangling"] {
        assert_eq!(
            code(world.all.bind("t", &world.folder(name), actor()).await),
            "bind_failed",
            "{name}"
        );
    }
    let above = world.folder("above/inner");
    world.all.bind("inner", &above, actor()).await.unwrap();
    let result = world.all.bind("t", &world.folder("above"), actor()).await;
    assert_eq!(code(result), "invalid_workspace_path", "around another task's");
    assert_eq!(below(taken.path()), Vec::<String>::new());
    let inside = home.join("workspaces/t");
    assert_eq!(code(world.all.bind("t", &inside, actor()).await), "ok");
    let same = world.folder("link");
    assert_eq!(
        code(world.all.bind("taken", &same, actor()).await),
        "ok",
        "the same folder by a link"
    );
}

#[tokio::test]
async fn a_folder_that_vanished_or_was_replaced_is_said() {
    let world = World::new().await;
    let task = world.bind("t").await;
    write(&task, "a", "1").await.unwrap();
    let away = world.folder("away");
    std::fs::rename(task.path(), &away).unwrap();
    assert_eq!(code(read(&task, "a").await), "workspace_missing");
    symlink(&away, task.path()).unwrap();
    assert_eq!(code(read(&task, "a").await), "workspace_replaced");
    assert_eq!(code(write(&task, "a", "2").await), "workspace_replaced");
    std::fs::remove_file(task.path()).unwrap();
    std::fs::write(task.path(), "").unwrap();
    assert_eq!(code(task.list(None).await), "workspace_replaced");
    std::fs::remove_file(task.path()).unwrap();
    std::fs::create_dir(task.path()).unwrap();
    assert_eq!(
        code(read(&task, "a").await),
        "file_not_found",
        "a new folder is the workspace"
    );
    assert_eq!(std::fs::read_to_string(away.join("a")).unwrap(), "1");
}

#[tokio::test]
async fn parts_and_other_encodings_are_read() {
    let world = World::with(Limits {
        read_bytes: 16,
        ..Limits::default()
    })
    .await;
    let task = world.bind("t").await;
    let part = async |path: &str, offset, limit, encoding| {
        let encoding = ReadAs::parse(encoding).unwrap();
        let found = task
            .read(
                path,
                ReadRequest {
                    offset,
                    limit,
                    encoding,
                },
            )
            .await
            .unwrap();
        (found.content, found.truncated, found.next_offset, found.encoding)
    };
    write(&task, "lines", "one\ntwo\nthree\nfour\nfive")
        .await
        .unwrap();
    let expected = |text: &str, next: Option<u64>| (text.to_owned(), next.is_some(), next, "utf-8");
    assert_eq!(
        part("lines", 0, None, None).await,
        expected("one\ntwo\nthree\n", Some(3))
    );
    assert_eq!(
        part("lines", 2, None, None).await,
        expected("three\nfour\nfive", None)
    );
    assert_eq!(part("lines", 1, Some(1), None).await, expected("two\n", Some(2)));
    assert_eq!(part("lines", 4, Some(1), None).await, expected("five", None));
    assert_eq!(part("lines", 9, None, None).await, expected("", None));
    write(&task, "long", "工作空间工作空间").await.unwrap();
    assert_eq!(
        part("long", 0, None, None).await,
        ("工作空间工".to_owned(), true, None, "utf-8")
    );
    std::fs::write(task.path().join("binary"), [0, 255, 1, 254]).unwrap();
    assert_eq!(
        part("binary", 0, None, None).await,
        ("AP8B/g==".into(), false, None, "base64")
    );
    assert_eq!(
        part("binary", 1, Some(2), Some("base64")).await,
        ("/wE=".into(), true, Some(3), "base64")
    );
    std::fs::write(task.path().join("gb"), [0xc4, 0xe3, 0xba, 0xc3]).unwrap();
    assert_eq!(code(read(&task, "gb").await), "not_utf8");
    assert_eq!(part("gb", 0, None, Some("gb18030")).await.0, "你好");
    assert_eq!(
        code(task.edit("gb", edit("a", "b", 1), actor()).await),
        "not_utf8"
    );
    assert!(ReadAs::parse(Some("klingon")).is_err());
}

#[tokio::test]
async fn writes_keep_permissions_and_do_not_go_through_hard_links() {
    let world = World::with(Limits {
        write_bytes: 100,
        file_bytes: 120,
        ..Limits::default()
    })
    .await;
    let task = world.bind("t").await;
    let outside = world.folder("outside");
    for (n, name) in ["w", "a", "e", "m"].iter().enumerate() {
        std::fs::write(&outside, "outside").unwrap();
        let path = task.path().join(name);
        std::fs::hard_link(&outside, &path).unwrap();
        let changed = match n {
            0 => write(&task, name, "new").await,
            1 => task.append(name, "more".into(), actor()).await,
            2 => task.edit(name, edit("out", "in", 1), actor()).await,
            _ => {
                write(&task, "source", "new").await.unwrap();
                task.move_file("source", name, MoveTo::OverFile, actor()).await
            }
        };
        changed.unwrap();
        assert_ne!(std::fs::read_to_string(&path).unwrap(), "outside", "{name}");
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside", "{name}");
        // The wall off: the same in place.
        std::fs::remove_file(&path).unwrap();
        std::fs::hard_link(&outside, &path).unwrap();
        std::fs::write(&path, "changed").unwrap();
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "changed");
        std::fs::remove_file(&path).unwrap();
    }
    let script = task.path().join("run.sh");
    write(&task, "run.sh", "a").await.unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o4750)).unwrap();
    write(&task, "run.sh", "b").await.unwrap();
    assert_eq!(
        script.metadata().unwrap().mode() & 0o7777,
        0o750,
        "kept, but for set-id"
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(code(write(&task, "run.sh", "c").await), "permission_denied");

    assert_eq!(
        code(write(&task, "big", &"x".repeat(101)).await),
        "file_too_large"
    );
    write(&task, "grows", &"x".repeat(100)).await.unwrap();
    assert_eq!(
        code(task.append("grows", vec![b'x'; 21], actor()).await),
        "file_too_large"
    );
    assert_eq!(code(task.append("grows", vec![b'x'; 20], actor()).await), "ok");
    assert_eq!(
        code(task.edit("none", edit("a", "b", 1), actor()).await),
        "file_not_found"
    );
    assert_eq!(code(write(&task, "dir/", "x").await), "not_a_file");
    write(&task, "dir/deep/file", "x").await.unwrap();
    assert_eq!(code(write(&task, "dir", "x").await), "not_a_file");
    assert_eq!(code(write(&task, "grows/x", "x").await), "not_a_directory");
    assert_eq!(code(task.list(Some("grows")).await), "not_a_directory");
    assert_eq!(code(task.list(Some("none")).await), "directory_not_found");
    let left: Vec<String> = below(task.path())
        .into_iter()
        .filter(|name| name.contains(".pm-tmp-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn edits_count_what_they_replace() {
    let world = World::new().await;
    let task = world.bind("t").await;
    write(&task, "a", "x y x").await.unwrap();
    assert_eq!(
        code(task.edit("a", edit("z", "!", 1), actor()).await),
        "edit_no_match"
    );
    let error = task.edit("a", edit("x", "!", 1), actor()).await.unwrap_err();
    let failure = base::Failure::from(error);
    assert_eq!(
        (failure.code.as_str(), failure.arg("count")),
        ("edit_ambiguous", Some(&2.into()))
    );
    task.edit("a", edit("x", "!", 2), actor()).await.unwrap();
    assert_eq!(text(&task, "a").await, "! y !");
    for bad in [edit("", "x", 1), edit("x", "x", 1), edit("x", "y", 0)] {
        assert_eq!(code(task.edit("a", bad, actor()).await), "invalid_args");
    }
}

#[tokio::test]
async fn links_inside_are_followed_and_git_is_left_to_git() {
    let world = World::new().await;
    let task = world.bind("t").await;
    write(&task, "real/file", "1").await.unwrap();
    for folder in [".git/hooks", "sub/.git", "other"] {
        std::fs::create_dir_all(task.path().join(folder)).unwrap();
    }
    std::fs::write(task.path().join(".git/config"), "[core]").unwrap();
    symlink("real", task.path().join("link")).unwrap();
    symlink("link/../real/file", task.path().join("deep")).unwrap();
    symlink("real/new", task.path().join("dangling")).unwrap();
    symlink(".git", task.path().join("git")).unwrap();
    let change = write(&task, "link/file", "2").await.unwrap();
    assert_eq!(change.path, "real/file", "one name in the history");
    write(&task, "deep", "3").await.unwrap();
    write(&task, "dangling", "4").await.unwrap();
    assert_eq!(
        (text(&task, "deep").await, text(&task, "real/new").await),
        ("3".into(), "4".into())
    );
    assert!(task.path().join("deep").is_symlink(), "the link stays");

    assert_eq!(text(&task, "git/config").await, "[core]", "reading is fine");
    for path in [
        ".git/hooks/pre-commit",
        ".git/config",
        "git/config",
        "sub/.git/x",
        ".GIT/config",
        ".git",
        "new/.git/hooks/x",
    ] {
        assert_eq!(code(write(&task, path, "x").await), "permission_denied", "{path}");
        assert_eq!(
            code(task.append(path, "x".into(), actor()).await),
            "permission_denied",
            "{path}"
        );
        assert_eq!(
            code(task.move_file("real", path, MoveTo::Free, actor()).await),
            "permission_denied",
            "{path}"
        );
    }
    for path in [".git", ".git/config", "git/config"] {
        assert_eq!(
            code(task.delete(path, actor()).await),
            "permission_denied",
            "{path}"
        );
        assert_eq!(
            code(task.move_file(path, "x", MoveTo::Free, actor()).await),
            "permission_denied",
            "{path}"
        );
    }
    assert_eq!(below(&task.path().join(".git")), ["config", "hooks/"]);
    let listed = task.list(None).await.unwrap();
    let kind = |name: &str| listed.files.iter().find(|entry| entry.name == name).unwrap().kind;
    assert_eq!(
        (kind("link"), kind("real"), kind("deep")),
        (Kind::Symlink, Kind::Directory, Kind::Symlink)
    );
}

#[tokio::test]
async fn searching_respects_gitignore_and_its_bounds() {
    let world = World::new().await;
    let task = world.bind("t").await;
    let files = [
        (".gitignore", "target/\n*.log\n!keep.log\n"),
        ("sub/.gitignore", "/local\n"),
        ("src/a.rs", "fn needle() {}\nother\nlet needle = 1;\r\n"),
        ("target/x.rs", "needle"),
        ("x.log", "needle"),
        ("keep.log", "needle"),
        ("sub/local", "needle"),
        ("sub/b.txt", "a needle"),
        (".hidden/c", "Needle"),
    ];
    for (path, content) in files {
        write(&task, path, content).await.unwrap();
    }
    std::fs::write(task.path().join("binary"), b"\0needle").unwrap();
    std::fs::write(world.folder("outside"), "needle").unwrap();
    symlink(world.folder("outside"), task.path().join("out")).unwrap();
    symlink("src", task.path().join("again")).unwrap();
    let search = async |pattern: &str, path: Option<&str>, glob: Option<&str>, limit| {
        let request = SearchRequest {
            pattern: pattern.into(),
            path: path.map(Into::into),
            glob: glob.map(Into::into),
            limit,
            ..SearchRequest::default()
        };
        task.search(request).await.map(|found| {
            let lines: Vec<String> = found
                .matches
                .iter()
                .map(|hit| format!("{}:{}:{}", hit.path, hit.line, hit.text))
                .collect();
            (lines, found.truncated)
        })
    };
    let all = [
        "keep.log:1:needle",
        "src/a.rs:1:fn needle() {}",
        "src/a.rs:3:let needle = 1;",
        "sub/b.txt:1:a needle",
    ];
    let (mut found, truncated) = search("needle", None, None, None).await.unwrap();
    found.sort();
    assert_eq!((found, truncated), (all.map(str::to_owned).to_vec(), false));
    let (found, _) = search("needle", None, Some("*.rs"), None).await.unwrap();
    assert_eq!(found, all[1..3]);
    let (found, _) = search("^let", Some("src"), Some("src/**"), None).await.unwrap();
    assert_eq!(found, all[2..3]);
    let (found, _) = search("needle", Some("target"), None, None).await.unwrap();
    assert_eq!(
        found,
        ["target/x.rs:1:needle"],
        "what is asked for by name is searched"
    );
    let (found, truncated) = search("needle", None, None, Some(2)).await.unwrap();
    assert_eq!((found.len(), truncated), (2, true));
    assert_eq!(code(search("(", None, None, None).await), "invalid_args");
    assert_eq!(code(search("x", None, Some("{"), None).await), "invalid_args");
    assert_eq!(
        code(search("x", Some("none"), None, None).await),
        "file_not_found"
    );
    assert_eq!(
        code(search("x", Some("out"), None, None).await),
        "path_traversal_blocked"
    );
    write(&task, "long", &format!("needle{}", "x".repeat(1000)))
        .await
        .unwrap();
    let (found, _) = search("needlex", None, None, None).await.unwrap();
    assert!(found[0].chars().count() < 450);
}

#[tokio::test]
async fn every_change_can_be_seen_and_taken_back() {
    let world = World::new().await;
    let task = world.bind("t").await;
    let first = write(&task, "a", "one\n").await.unwrap();
    task.append("a", "two\n".into(), actor()).await.unwrap();
    std::fs::write(task.path().join("a"), "by a command\n").unwrap();
    let edited = task.edit("a", edit("by a", "by the", 1), actor()).await;
    let edited = edited.unwrap();
    task.move_file("a", "dir/b", MoveTo::Free, actor()).await.unwrap();
    assert_eq!(
        code(task.move_file("none", "x", MoveTo::Free, actor()).await),
        "file_not_found"
    );
    let (changes, total) = task.history(Some("a"), WINDOW).await.unwrap();
    let ops: Vec<ChangeOp> = changes.iter().map(|change| change.op).collect();
    assert_eq!(
        (ops, total),
        (
            vec![ChangeOp::Move, ChangeOp::Edit, ChangeOp::Append, ChangeOp::Write],
            4
        )
    );
    assert_eq!(changes[0].actor, actor());

    let before = task
        .version(Version::Before(edited.id.clone()))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(before, b"by a command\n", "what a command wrote is kept as well");
    assert_eq!(
        task.version(Version::Before(first.id.clone())).await.unwrap(),
        None
    );
    let diff = task
        .diff(
            Version::After(first.id.clone()),
            Version::Before(edited.id.clone()),
        )
        .await
        .unwrap();
    assert_eq!(
        diff.text.unwrap(),
        "--- a\n+++ a\n@@ -1 +1 @@\n-one\n+by a command\n"
    );
    let diff = task
        .diff(
            Version::Before(edited.id.clone()),
            Version::Current("dir/b".into()),
        )
        .await
        .unwrap();
    assert!(diff.text.unwrap().contains("+by the command"));

    let restored = task
        .restore(Version::After(first.id.clone()), actor())
        .await
        .unwrap();
    assert_eq!(
        (text(&task, "a").await.as_str(), restored.op),
        ("one\n", ChangeOp::Restore)
    );
    let removed = task
        .restore(Version::Before(first.id.clone()), actor())
        .await
        .unwrap();
    assert_eq!(
        code(read(&task, "a").await),
        "file_not_found",
        "before it there was none"
    );
    task.restore(Version::Before(removed.id), actor()).await.unwrap();
    assert_eq!(text(&task, "a").await, "one\n");
    assert_eq!(
        code(task.version(Version::After("none".into())).await),
        "version_not_found"
    );

    let other = world.bind("other").await;
    assert_eq!(
        code(other.version(Version::After(first.id.clone())).await),
        "version_not_found"
    );
    assert_eq!(
        code(other.restore(Version::After(first.id), actor()).await),
        "version_not_found"
    );
}

#[tokio::test]
async fn moves_do_not_overwrite_unless_asked() {
    let world = World::new().await;
    let task = world.bind("t").await;
    write(&task, "a", "a").await.unwrap();
    write(&task, "b", "b").await.unwrap();
    write(&task, "d/x", "x").await.unwrap();
    let free = MoveTo::Free;
    assert_eq!(
        code(task.move_file("a", "b", free, actor()).await),
        "already_exists"
    );
    assert_eq!(
        code(task.move_file("d", "b", MoveTo::OverFile, actor()).await),
        "already_exists"
    );
    assert_eq!(
        code(task.move_file("a", "d", MoveTo::OverFile, actor()).await),
        "already_exists"
    );
    assert_eq!(
        code(task.move_file("d", "d/e/f", free, actor()).await),
        "invalid_args"
    );
    let moved = task.move_file("a", "b", MoveTo::OverFile, actor()).await.unwrap();
    assert_eq!(text(&task, "b").await, "a");
    task.restore(Version::Before(moved.id), actor()).await.unwrap();
    assert_eq!(text(&task, "b").await, "b", "what was overwritten is kept");
    task.move_file("d", "e", free, actor()).await.unwrap();
    assert_eq!(text(&task, "e/x").await, "x");
}

/// From a workspace on the same file system and from one on another.
#[tokio::test]
async fn deleted_things_come_back() {
    let shm = tempfile::tempdir_in("/dev/shm").unwrap();
    let world = World::new().await;
    let near = world.bind("near").await;
    world
        .all
        .bind("far", &shm.path().join("far"), actor())
        .await
        .unwrap();
    let far = world.all.get("far").unwrap();
    let device = |path: &Path| path.metadata().unwrap().dev();
    assert_ne!(
        device(far.path()),
        device(world.home.root()),
        "another file system"
    );
    for task in [near, far] {
        write(&task, "d/e/file", "1").await.unwrap();
        write(&task, "alone", "2").await.unwrap();
        symlink("/etc/passwd", task.path().join("d/link")).unwrap();
        std::fs::set_permissions(
            task.path().join("d/e/file"),
            std::fs::Permissions::from_mode(0o751),
        )
        .unwrap();
        let before = below(task.path());
        let link = task.delete("d/link", actor()).await.unwrap();
        assert!(
            Path::new("/etc/passwd").exists(),
            "the link went, not what it names"
        );
        let folder = task.delete("d", actor()).await.unwrap();
        let file = task.delete("alone", actor()).await.unwrap();
        assert_eq!(below(task.path()), Vec::<String>::new());
        assert_eq!(
            task.trash().await.unwrap(),
            [file.clone(), folder.clone(), link.clone()]
        );
        assert_eq!(code(task.delete("alone", actor()).await), "file_not_found");

        write(&task, "alone", "other").await.unwrap();
        assert_eq!(code(task.undelete(&file.id, actor()).await), "already_exists");
        task.delete("alone", actor()).await.unwrap();
        for change in [&file, &folder, &link] {
            task.undelete(&change.id, actor()).await.unwrap();
        }
        assert_eq!(below(task.path()), before);
        assert_eq!(text(&task, "alone").await, "2");
        assert_eq!(
            task.path().join("d/e/file").metadata().unwrap().mode() & 0o777,
            0o751
        );
        assert_eq!(
            std::fs::read_link(task.path().join("d/link")).unwrap(),
            Path::new("/etc/passwd")
        );
        assert_eq!(code(task.undelete(&file.id, actor()).await), "version_not_kept");
        assert_eq!(task.empty_trash().await.unwrap(), 1);
        let kept = below(&world.home.trash().join("workspaces").join(task.task().as_str()));
        assert!(kept.is_empty(), "{kept:?}");
        assert!(task.trash().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn old_versions_leave_and_the_newest_stays() {
    let limits = Limits {
        history_changes: 5,
        history_bytes: 1000,
        trash_bytes: 10,
        ..Limits::default()
    };
    let world = World::with(limits).await;
    let task = world.bind("t").await;
    for n in 0..20 {
        write(&task, "a", &format!("{n:100}")).await.unwrap();
    }
    for n in 0..3 {
        write(&task, "b", &format!("{n:8}")).await.unwrap();
        task.delete("b", actor()).await.unwrap();
    }
    write(&task, "big", &"x".repeat(5000)).await.unwrap();
    world.all.clean().await.unwrap();
    let (changes, _) = task.history(None, WINDOW).await.unwrap();
    assert_eq!(changes[0].path, "big");
    assert!(changes.len() <= 5, "{changes:#?}");
    assert_eq!(task.trash().await.unwrap().len(), 1);
    assert_eq!(
        task.version(Version::After(changes[0].id.clone()))
            .await
            .unwrap()
            .unwrap()
            .len(),
        5000
    );
    let named: std::collections::BTreeSet<String> = changes
        .iter()
        .flat_map(|change| [&change.before, &change.after])
        .flatten()
        .filter_map(|content| content.hash.clone())
        .collect();
    assert_eq!(
        below(&world.home.history().join("t")),
        named.into_iter().collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn writers_at_one_file_wait_for_each_other() {
    let world = World::new().await;
    let task = world.bind("t").await;
    symlink("a", task.path().join("same")).unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..40 {
        let task = task.clone();
        let path = if n % 2 == 0 { "a" } else { "same" };
        writers.spawn(async move { task.append(path, format!("{n}\n").into(), actor()).await.unwrap() });
    }
    while let Some(done) = writers.join_next().await {
        done.unwrap();
    }
    assert_eq!(text(&task, "a").await.lines().count(), 40, "no append is lost");
    let (changes, _) = task.history(Some("a"), WINDOW).await.unwrap();
    for pair in changes.windows(2) {
        assert_eq!(
            pair[0].before, pair[1].after,
            "each begins where the one before it ended"
        );
    }
}

#[tokio::test]
async fn information_is_counted_over_a_hundred_thousand_files() {
    let world = World::within(tempfile::tempdir_in("/dev/shm").unwrap(), Limits::default()).await;
    let task = world.bind("t").await;
    for folder in 0..100 {
        let folder = task.path().join(format!("d{folder}"));
        std::fs::create_dir(&folder).unwrap();
        for n in 0..1000 {
            std::fs::write(folder.join(n.to_string()), "x").unwrap();
        }
    }
    let info = task.info().await.unwrap();
    assert_eq!(
        (info.file_count, info.dir_count, info.total_size),
        (100_000, 100, 100_000)
    );
    assert_eq!(info.unreadable, 0);
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 ._工作\u{301}-]{1,12}".prop_filter("a name", |name| {
        !matches!(name.as_str(), "." | "..") && !name.eq_ignore_ascii_case(".git")
    })
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .build()
        .unwrap()
        .block_on(work)
}

/// Nothing is kept of a failure but its text: there is no source file to keep it beside.
fn cases(number: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(number)
    }
}

async fn on_shm() -> World {
    World::within(tempfile::tempdir_in("/dev/shm").unwrap(), Limits::default()).await
}

#[test]
fn property_2_what_is_written_is_read() {
    run(async {
        let world = on_shm().await;
        let task = world.bind("t").await;
        let mut runner = proptest::test_runner::TestRunner::new(cases(300));
        let contents = (prop::collection::vec(name(), 1..4), any::<String>());
        let rounds = std::cell::Cell::new(0);
        let inner = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| {
            runner
                .run(&contents, |(names, content)| {
                    let round = rounds.replace(rounds.get() + 1);
                    let path = format!("{round}/{}", names.join("/"));
                    inner.block_on(async {
                        write(&task, &path, &content).await.unwrap();
                        let found = read(&task, &path).await.unwrap();
                        prop_assert_eq!(found.size, content.len() as u64);
                        prop_assert_eq!(found.content, content);
                        Ok(())
                    })
                })
                .unwrap();
        });
    });
}

#[test]
fn property_3_tasks_do_not_reach_each_other() {
    run(async {
        let world = on_shm().await;
        let (one, other) = (world.bind("one").await, world.bind("two").await);
        write(&other, "secret", "s").await.unwrap();
        std::fs::create_dir(one.path().join("d")).unwrap();
        for (link, to) in [
            ("abs", other.path().to_owned()),
            ("rel", "../two".into()),
            ("d/up", "../../two".into()),
        ] {
            symlink(to, one.path().join(link)).unwrap();
        }
        let part = prop_oneof![
            Just("..".to_owned()),
            Just("two".to_owned()),
            Just("abs".to_owned()),
            Just("rel".to_owned()),
            Just("d".to_owned()),
            Just("up".to_owned()),
            Just(".".to_owned()),
            Just("secret".to_owned()),
            Just(other.path().display().to_string()),
            Just("..\\two".to_owned()),
            name()
        ];
        let mut runner = proptest::test_runner::TestRunner::new(cases(300));
        let inner = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| {
            runner
                .run(&prop::collection::vec(part, 0..5), |parts| {
                    let path = [parts.as_slice(), &["secret".to_owned()]].concat().join("/");
                    inner.block_on(async {
                        let seen = read(&one, &path).await.is_ok_and(|found| found.content == "s");
                        prop_assert!(!seen, "{}", path);
                        let _ = write(&one, &path, "mine").await;
                        let _ = one.delete(&path, actor()).await;
                        Ok(())
                    })?;
                    prop_assert_eq!(std::fs::read_to_string(other.path().join("secret")).unwrap(), "s");
                    prop_assert_eq!(below(other.path()), ["secret"]);
                    Ok(())
                })
                .unwrap();
        });
    });
}

#[test]
fn properties_4_and_9_listings_and_numbers_are_what_is_there() {
    run(async {
        let world = on_shm().await;
        let mut runner = proptest::test_runner::TestRunner::new(cases(150));
        let tree = prop::collection::vec(
            (
                prop::collection::vec(name(), 1..4),
                prop::option::of(0_usize..100),
            ),
            0..12,
        );
        let inner = tokio::runtime::Handle::current();
        let rounds = std::cell::Cell::new(0);
        tokio::task::block_in_place(|| {
            runner
                .run(&tree, |things| {
                    let round = rounds.replace(rounds.get() + 1);
                    inner.block_on(async {
                        let task = world.bind(&format!("t{round}")).await;
                        for (names, size) in &things {
                            let path = task.path().join(names.join("/"));
                            // What is in the way of an earlier one is passed over.
                            let _ = match size {
                                None => std::fs::create_dir_all(&path),
                                Some(size) => std::fs::create_dir_all(path.parent().unwrap())
                                    .and_then(|()| std::fs::write(&path, vec![b'x'; *size])),
                            };
                        }
                        let all = below(task.path());
                        let files: Vec<&String> = all.iter().filter(|name| !name.ends_with('/')).collect();
                        let size: u64 = files
                            .iter()
                            .map(|name| task.path().join(name).metadata().unwrap().len())
                            .sum();
                        let info = task.info().await.unwrap();
                        prop_assert_eq!(info.file_count, files.len() as u64);
                        prop_assert_eq!(info.dir_count, (all.len() - files.len()) as u64);
                        prop_assert_eq!(info.total_size, size);
                        let mut listed = Vec::new();
                        let mut waiting = vec![String::new()];
                        while let Some(folder) = waiting.pop() {
                            let path = if folder.is_empty() { "." } else { folder.as_str() };
                            for entry in task.list(Some(path)).await.unwrap().files {
                                let name = format!("{folder}{}", entry.name);
                                let real = task.path().join(&name).metadata().unwrap();
                                if entry.kind == Kind::Directory {
                                    waiting.push(format!("{name}/"));
                                    listed.push(format!("{name}/"));
                                    prop_assert_eq!(entry.size, 0);
                                } else {
                                    prop_assert_eq!(entry.size, real.len());
                                    listed.push(name);
                                }
                            }
                        }
                        listed.sort();
                        prop_assert_eq!(listed, all);
                        Ok(())
                    })
                })
                .unwrap();
        });
    });
}

#[test]
fn property_8_missing_folders_are_created() {
    run(async {
        let world = on_shm().await;
        let mut runner = proptest::test_runner::TestRunner::new(cases(150));
        let inner = tokio::runtime::Handle::current();
        let rounds = std::cell::Cell::new(0);
        tokio::task::block_in_place(|| {
            runner
                .run(&prop::collection::vec(name(), 1..5), |names| {
                    let round = rounds.replace(rounds.get() + 1);
                    let path = world.folder(&format!("p{round}/{}", names.join("/")));
                    let bound = inner.block_on(world.all.bind(&format!("p{round}"), &path, actor()));
                    prop_assert_eq!(bound.unwrap().path, path.to_str().unwrap());
                    prop_assert!(path.is_dir());
                    Ok(())
                })
                .unwrap();
        });
    });
}
