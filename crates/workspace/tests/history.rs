//! Versions of what was changed, and the trash.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{WINDOW, World, actor, below, code, edit, read, text, write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use store::ChangeOp;
use workspace::{Limits, MoveTo, Version};

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
