//! What a process really sees of random mounts and masks, asked of the kernel.
#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests build their own world"
)]

mod support;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sandbox::{Access, Launcher, Mount, Policy, prepare};
use std::path::{Path, PathBuf};
use support::{TIERS, Who, World, facts, lines, policy};
use tokio::io::AsyncReadExt;

/// Every folder of a tree with two names and three levels, and the top.
fn folders(top: &Path) -> Vec<PathBuf> {
    let mut all = vec![top.to_owned()];
    let mut index = 0;
    while index < all.len() {
        let folder = all[index].clone();
        if folder.strip_prefix(top).unwrap().components().count() < 3 {
            all.extend(["a", "b"].map(|name| folder.join(name)));
        }
        index += 1;
    }
    all
}

fn expected(mounts: &[Mount], masked: &[PathBuf], path: &Path) -> (bool, bool) {
    let depth = |path: &Path| path.components().count();
    let mount = mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.path))
        .max_by_key(|mount| depth(&mount.path));
    let mask = masked
        .iter()
        .filter(|mask| path.starts_with(mask))
        .map(|mask| depth(mask))
        .max();
    match mount {
        Some(mount) if Some(depth(&mount.path)) > mask => (true, mount.access == Access::ReadWrite),
        _ => (false, false),
    }
}

#[test]
fn a_path_is_seen_exactly_where_the_deepest_word_is_a_mount() {
    let world = World::new(Who::Oneself);
    let top = world.root().join("tree");
    let folders = folders(&top);
    for folder in &folders {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("file"), "words").unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let launcher = Launcher::start().unwrap();
    let some = || prop::sample::select(folders.clone());
    let mount = (some(), any::<bool>()).prop_map(|(path, write)| match write {
        true => Mount::read_write(path),
        false => Mount::read_only(path),
    });
    let input = (
        prop::collection::vec(mount, 0..6),
        prop::collection::vec(some(), 0..4),
    );
    for tier in TIERS {
        let facts = facts(tier);
        let mut runner = TestRunner::new(Config {
            max_global_rejects: 100_000,
            ..Config::with_cases(120)
        });
        let result = runner.run(&input, |(mounts, masked)| {
            let mut role = vec!["see"];
            role.extend(folders.iter().map(|folder| folder.to_str().unwrap()));
            let policy = Policy {
                mounts: mounts.clone(),
                masked: masked.clone(),
                cwd: "/".into(),
                ..policy(&world, &role)
            };
            let Ok(prepared) = prepare(&policy, &facts) else {
                return Err(TestCaseError::reject("refused, as the layout's own tests say"));
            };
            let seen = runtime.block_on(async {
                let mut child = launcher.spawn(prepared).await.unwrap();
                let mut text = Vec::new();
                let channel = child.take_channel().unwrap();
                tokio::net::UnixStream::from_std(channel)
                    .unwrap()
                    .read_to_end(&mut text)
                    .await
                    .unwrap();
                assert!(child.wait().await.unwrap().success(), "{}", child.stderr_tail());
                lines(&text)
            });
            prop_assert_eq!(seen.len(), folders.len());
            for (folder, line) in folders.iter().zip(seen) {
                let found = (line["read"] == true, line["write"] == true);
                prop_assert_eq!(found, expected(&mounts, &masked, folder), "{:?}", folder);
            }
            Ok(())
        });
        result.unwrap();
    }
}
