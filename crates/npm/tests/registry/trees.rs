//! What lies where after an install.

use super::fixture::{Place, Shelf, serve, tarball};
use npm::{Difference, LinkPolicy, Mode, NpmError, PackageStore, verify};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::Duration;

fn shelf() -> Shelf {
    let mut shelf = Shelf::default();
    shelf.add(
        "a",
        "1.0.0",
        json!({"dependencies": {"c": "^1.0.0"}, "bin": "bin/cli.js"}),
    );
    shelf.add("b", "1.0.0", json!({"dependencies": {"c": "^2.0.0"}}));
    shelf.add("c", "1.5.0", json!({}));
    shelf.add("c", "2.1.0", json!({}));
    shelf.add(
        "@s/p",
        "1.0.0",
        json!({"peerDependencies": {"c": "1"}, "scripts": {"postinstall": "touch /tmp/never"}}),
    );
    shelf.add("mac", "1.0.0", json!({"os": ["darwin"]}));
    shelf.add("old", "1.0.0", json!({"deprecated": "use new"}));
    shelf
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(at, version)| ((*at).to_owned(), (*version).to_owned()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_as_npm_makes_it_and_then_nothing_to_do() {
    let registry = serve(shelf()).await;
    let wants = json!({
        "name": "tool", "version": "1.0.0", "dependencies": {"a": "1", "b": "1", "@s/p": "*", "old": "*"},
        "optionalDependencies": {"mac": "*", "absent": "*"}
    });
    let place = Place::new(&registry.address, wants);
    let report = place.install().await.unwrap();
    let expected = [
        ("@s/p", "1.0.0"),
        ("a", "1.0.0"),
        ("b", "1.0.0"),
        ("b/node_modules/c", "2.1.0"),
        ("c", "1.5.0"),
        ("old", "1.0.0"),
    ];
    assert_eq!(place.tree(), of(&expected));
    assert_eq!(report.scripts, ["@s/p@1.0.0"], "named, never run");
    assert_eq!(report.deprecated, ["old@1.0.0: use new"]);
    assert_eq!(report.skipped, ["mac@1.0.0"]);
    assert_eq!(place.read("node_modules/.bin/a"), "#!/usr/bin/env node\n");
    let mode = |path: &str| place.folder().join(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("node_modules/a/bin/cli.js"), 0o555);
    assert_eq!(mode("node_modules/a/index.js"), 0o444);
    let lock: Value = serde_json::from_str(&place.read("package-lock.json")).unwrap();
    assert_eq!(
        lock["packages"]["node_modules/mac"]["optional"],
        json!(true),
        "for another machine"
    );
    let asked = registry.asked_at_all();
    assert!(!place.install().await.unwrap().changed);
    assert_eq!(registry.asked_at_all(), asked, "the stamp answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lock_is_followed_to_the_letter() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"a": "1"}}));
    place.install().await.unwrap();
    let mut newer = shelf();
    newer.add("c", "1.6.0", json!({}));
    let registry = serve(newer).await;
    let mut other = Place::new(&registry.address, json!({"dependencies": {"a": "1"}}));
    let lock = place
        .read("package-lock.json")
        .replace(&place.registry, &registry.address);
    std::fs::write(other.folder().join("package-lock.json"), &lock).unwrap();
    other.mode = Mode::Frozen;
    other.install().await.unwrap();
    assert_eq!(other.tree(), of(&[("a", "1.0.0"), ("c", "1.5.0")]));
    assert_eq!(other.read("package-lock.json"), lock);
    assert_eq!(registry.asked("/a"), 0, "no metadata is needed");
    other.wants(json!({"dependencies": {"a": "1", "b": "1"}}));
    match other.install().await {
        Err(NpmError::LockStale { missing }) => assert_eq!(missing, ["b@1"]),
        result => panic!("{result:?}"),
    }
    other.mode = Mode::Update;
    other.install().await.unwrap();
    let expected = [
        ("a", "1.0.0"),
        ("b", "1.0.0"),
        ("b/node_modules/c", "2.1.0"),
        ("c", "1.5.0"),
    ];
    assert_eq!(other.tree(), of(&expected), "what the lock answers stays");
    other.wants(json!({"dependencies": {"b": "1"}}));
    other.install().await.unwrap();
    assert_eq!(other.tree(), of(&[("b", "1.0.0"), ("b/node_modules/c", "2.1.0")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_shared_unless_that_is_not_wanted() {
    let registry = serve(shelf()).await;
    let mut place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    let meta = |place: &Place| place.folder().join("node_modules/c/index.js").metadata().unwrap();
    let shared = meta(&place);
    place.links = LinkPolicy::Separate;
    assert!(
        place.install().await.unwrap().changed,
        "other options, another tree"
    );
    assert_eq!(meta(&place).nlink(), 1);
    assert_ne!(meta(&place).ino(), shared.ino());
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_says_what_differs() {
    let registry = serve(shelf()).await;
    let mut place = Place::new(&registry.address, json!({"dependencies": {"a": "1", "b": "1"}}));
    place.links = LinkPolicy::Separate;
    place.install().await.unwrap();
    let store = PackageStore::open(&place.store()).unwrap();
    let look = || verify(&place.folder(), &store, &super::fixture::platform()).unwrap();
    assert_eq!(look(), []);
    let modules = place.folder().join("node_modules");
    std::fs::remove_file(modules.join("a/index.js")).unwrap();
    std::fs::write(modules.join("a/index.js"), "evil").unwrap();
    std::fs::remove_dir_all(modules.join("c")).unwrap();
    std::fs::create_dir(modules.join("x")).unwrap();
    std::fs::write(modules.join("x/package.json"), r#"{"version": "1.0.0"}"#).unwrap();
    assert_eq!(
        look(),
        [
            Difference::Missing {
                path: "node_modules/c".into()
            },
            Difference::Extraneous {
                path: "node_modules/x".into()
            },
            Difference::Changed {
                path: "node_modules/a/index.js".into()
            },
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_package_of_the_store_leaves_and_comes_back() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    let packages = place.store().join("packages");
    let package = std::fs::read_dir(&packages)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let file = package.join("files/index.js");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    std::fs::write(&file, "evil").unwrap();
    let store = PackageStore::open(&place.store()).unwrap();
    assert_eq!(store.verify().unwrap().damaged.len(), 1);
    assert_eq!(store.info().unwrap().packages, 0);
    drop(store);
    std::fs::remove_dir_all(place.folder().join("node_modules")).unwrap();
    assert_eq!(place.install().await.unwrap().fetched, 1);
    assert_eq!(
        place.read("node_modules/c/index.js"),
        "module.exports = 'c@1.5.0';\n"
    );
    let gc = |age, used: Vec<String>| {
        let dropped = PackageStore::gc(&place.store(), age, || used.into_iter().collect());
        dropped.unwrap().packages
    };
    let used = npm::used(&place.folder());
    assert_eq!(used.len(), 1, "the stamp names what the tree uses");
    assert_eq!(gc(Duration::ZERO, used), 0);
    assert_eq!(gc(Duration::from_secs(60), Vec::new()), 0, "it is new");
    assert_eq!(gc(Duration::ZERO, Vec::new()), 1);
    assert!(place.has("node_modules/c/index.js"), "trees stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_installs_of_one_tool_wait_for_each_other() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"a": "1", "b": "1"}}));
    let (one, two) = tokio::join!(place.install(), place.install());
    let changed = [one.unwrap().changed, two.unwrap().changed];
    assert_eq!(
        changed.iter().filter(|changed| **changed).count(),
        1,
        "the second finds it done"
    );
    assert_eq!(place.tree().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn aliases_tarballs_and_bundles() {
    let mut shelf = shelf();
    let bundler = tarball(&[
        (
            "package.json",
            r#"{"name": "bundler", "version": "1.0.0", "bundleDependencies": ["inner"], "dependencies": {"inner": "1"}}"#,
        ),
        (
            "node_modules/inner/package.json",
            r#"{"name": "inner", "version": "1.0.0"}"#,
        ),
    ]);
    shelf.add_tarball(
        "bundler",
        "1.0.0",
        json!({"bundleDependencies": ["inner"], "dependencies": {"inner": "1"}}),
        bundler,
    );
    let registry = serve(shelf).await;
    let url = format!("{}/c/-/c-2.1.0.tgz", registry.address);
    let wants =
        json!({"dependencies": {"bundler": "1", "c1": "npm:c@1", "c2": url, "local": "file:local.tgz"}});
    let place = Place::new(&registry.address, wants);
    let local = tarball(&[("package.json", r#"{"name": "local", "version": "3.0.0"}"#)]);
    std::fs::write(place.folder().join("local.tgz"), local).unwrap();
    place.install().await.unwrap();
    let expected = [
        ("bundler", "1.0.0"),
        ("bundler/node_modules/inner", "1.0.0"),
        ("c1", "1.5.0"),
        ("c2", "2.1.0"),
        ("local", "3.0.0"),
    ];
    assert_eq!(place.tree(), of(&expected));
    let lock: Value = serde_json::from_str(&place.read("package-lock.json")).unwrap();
    assert_eq!(lock["packages"]["node_modules/c1"]["name"], json!("c"));
    assert_eq!(
        lock["packages"]["node_modules/local"]["resolved"],
        json!("file:local.tgz")
    );
    assert_eq!(
        lock["packages"]["node_modules/bundler/node_modules/inner"]["inBundle"],
        json!(true)
    );
    std::fs::remove_dir_all(place.folder().join("node_modules")).unwrap();
    place.install().await.unwrap();
    assert_eq!(place.tree(), of(&expected), "from the lock and the store");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_said_by_name_and_the_old_tree_stays() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    let cases = [
        (
            json!({"x": "git+ssh://git@example.org/x.git"}),
            "package_spec_unsupported",
        ),
        (
            json!({"x": "git+https://example.org/x.git"}),
            "package_git_missing",
        ),
        (json!({"x": "file:../x"}), "package_spec_unsupported"),
        (json!({"absent": "1"}), "package_not_found"),
        (json!({"c": "^9"}), "package_not_found"),
        (json!({"../c": "1"}), "package_name_invalid"),
        (json!({"mac": "1"}), "package_platform"),
        (json!({"@s/p": "1", "c": "2"}), "package_peer_conflict"),
    ];
    for (wants, code) in cases {
        place.wants(json!({"dependencies": wants}));
        let error = place.install().await.unwrap_err();
        assert_eq!(base::Coded::code(&error), code, "{error}");
        assert_eq!(place.tree(), of(&[("c", "1.5.0")]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_install_left_is_cleared_away_at_the_next_start() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    place.install().await.unwrap();
    let left = place.folder().join(".pm-node_modules-00ff");
    std::fs::create_dir_all(left.join("c")).unwrap();
    let store = PackageStore::open(&place.store()).unwrap();
    let lock = store.lock_of(&place.folder().canonicalize().unwrap());
    let held = std::fs::File::create(lock).unwrap();
    held.lock().unwrap();
    assert_eq!(
        npm::recover(&place.folder(), &place.store()).unwrap(),
        0,
        "somebody is at work there"
    );
    assert!(left.exists());
    drop(held);
    assert_eq!(npm::recover(&place.folder(), &place.store()).unwrap(), 1);
    assert!(!left.exists() && place.has("node_modules/c/index.js"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exchange_waits_until_nobody_uses_the_old_tree() {
    let registry = serve(shelf()).await;
    let place = Place::new(&registry.address, json!({"dependencies": {"c": "1"}}));
    let npmrc = || {
        let environment = [("npm_config_registry".to_owned(), place.registry.clone())].into();
        npm::Npmrc::load(&place.folder(), npm::Trust::Own, None, &environment).unwrap()
    };
    place.install().await.unwrap();
    place.wants(json!({"dependencies": {"c": "2"}}));
    let (asked, mut is_asked) = tokio::sync::mpsc::unbounded_channel();
    let (free, is_free) = tokio::sync::watch::channel(false);
    let mut install = place.options(npmrc());
    install.quiet = std::sync::Arc::new(move || {
        let (asked, mut is_free) = (asked.clone(), is_free.clone());
        Box::pin(async move {
            asked.send(()).unwrap();
            is_free.wait_for(|free| *free).await.unwrap();
            Box::new(()) as _
        })
    });
    let installing = tokio::spawn(npm::install(install));
    is_asked.recv().await.unwrap();
    assert_eq!(
        place.tree(),
        of(&[("c", "1.5.0")]),
        "the old tree, while it is used"
    );
    free.send_replace(true);
    installing.await.unwrap().unwrap();
    assert_eq!(place.tree(), of(&[("c", "2.1.0")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_packages_for_other_machines_want_is_not_installed() {
    let mut shelf = shelf();
    for os in ["freebsd", "aix"] {
        let manifest = json!({"os": [os], "dependencies": {"wasm": "1"}});
        shelf.add(&format!("for-{os}"), "1.0.0", manifest);
    }
    shelf.add("wasm", "1.0.0", json!({"dependencies": {"c": "1"}}));
    let registry = serve(shelf).await;
    let wants =
        json!({"optionalDependencies": {"for-freebsd": "1", "for-aix": "1"}, "dependencies": {"b": "1"}});
    let place = Place::new(&registry.address, wants);
    let report = place.install().await.unwrap();
    assert_eq!(place.tree(), of(&[("b", "1.0.0"), ("c", "2.1.0")]));
    assert!(report.skipped.contains(&"wasm@1.0.0".to_owned()), "{report:?}");
    let lock: Value = serde_json::from_str(&place.read("package-lock.json")).unwrap();
    assert_eq!(
        lock["packages"]["node_modules/wasm"]["optional"],
        json!(true),
        "the lock is for all"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_development_wants_is_locked_and_left_out() {
    let mut shelf = shelf();
    shelf.add("d", "1.0.0", json!({"dependencies": {"c": "1", "deep": "1"}}));
    shelf.add("deep", "1.0.0", json!({}));
    let registry = serve(shelf).await;
    let wants = |b: &[&str]| {
        let mut dependencies = json!({"a": "1"});
        for name in b {
            dependencies[*name] = json!("1");
        }
        json!({"name": "tool", "dependencies": dependencies, "devDependencies": {"d": "1"}})
    };
    let mut place = Place::new(&registry.address, wants(&[]));
    place.omit_dev = true;
    let locked = |place: &Place| -> Vec<String> {
        let lock: Value = serde_json::from_str(&place.read("package-lock.json")).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        packages.keys().filter(|at| !at.is_empty()).cloned().collect()
    };
    let same = |place: &Place| {
        let store = PackageStore::open(&place.store()).unwrap();
        verify(&place.folder(), &store, &super::fixture::platform()).unwrap()
    };
    place.install().await.unwrap();
    assert_eq!(place.tree(), of(&[("a", "1.0.0"), ("c", "1.5.0")]));
    let all = [
        "node_modules/a",
        "node_modules/c",
        "node_modules/d",
        "node_modules/deep",
    ];
    assert_eq!(locked(&place), all);
    assert_eq!(same(&place), []);
    assert!(!place.install().await.unwrap().changed, "nothing to do");
    // A change reaches the lock, and what development wants stays in it.
    place.wants(wants(&["b"]));
    place.install().await.unwrap();
    assert!(place.has("node_modules/b") && !place.has("node_modules/d"));
    assert!(locked(&place).contains(&"node_modules/b".to_owned()));
    assert!(locked(&place).contains(&"node_modules/d".to_owned()));
    place.omit_dev = false;
    assert!(place.install().await.unwrap().changed);
    assert!(place.has("node_modules/d") && place.has("node_modules/deep"));
    assert_eq!(same(&place), []);
}
