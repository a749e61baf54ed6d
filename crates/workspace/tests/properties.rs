//! Properties 2, 3, 4, 8 and 9 of seed 004. Property 1 stands with what it is about, in
//! `src/files/path.rs`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{World, actor, below, read, write};
use proptest::prelude::*;
use std::os::unix::fs::symlink;
use workspace::Limits;
use workspace::files::Kind;

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
