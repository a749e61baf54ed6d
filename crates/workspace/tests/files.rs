//! Bindings, files, history and trash as their callers use them.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{World, actor, below, code, edit, read, text, write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use workspace::files::{Kind, ReadAs, ReadRequest, SearchRequest};
use workspace::{Limits, MoveTo, Version};

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
