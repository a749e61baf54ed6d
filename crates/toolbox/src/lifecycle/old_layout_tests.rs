//! Tools of the old layout, with an end at every step.

#![allow(clippy::disallowed_methods, reason = "makes tools of a test")]

use super::old_layout::{Migration, State, backup, begin_back, bring, put_back, run};
use super::place;
use base::DataHome;
use base::name::ToolName;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

struct World {
    _dir: tempfile::TempDir,
    home: DataHome,
}

fn tool(name: &str) -> ToolName {
    ToolName::parse(name).unwrap()
}

fn comes(name: &ToolName) -> bool {
    name.as_str() == "filesystem"
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        World { _dir: dir, home }
    }

    fn old(&self, name: &str) -> PathBuf {
        self.home.root().join("tools").join(name)
    }

    /// A tool of the old layout with all that it may hold.
    fn put_old(&self, name: &str) {
        for (path, text) in [
            (format!("{name}.tool.js"), "code"),
            ("lib/help.js".into(), "help"),
            ("data/storage.json".into(), "{\"a\":1}"),
            (".env".into(), "KEY=secret\n"),
            ("node_modules/p/index.js".into(), "package"),
        ] {
            let path = self.old(name).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::set_permissions(self.old(name).join(".env"), PermissionsExt::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", self.old(name).join("leads-out")).unwrap();
    }

    fn start(&self) {
        for placed in place::recover(&self.home).unwrap() {
            placed.clear(&|_| ()).unwrap();
        }
        run(&self.home, &comes).unwrap();
    }

    fn state(&self, name: &str) -> Option<State> {
        let record = Migration::load(&self.home).unwrap();
        record.tools.get(&tool(name)).map(|tool| tool.state.clone())
    }

    fn has_come(&self, name: &str) {
        let folder = self.home.tool(&tool(name));
        for (path, text) in [
            (format!("{name}.tool.js"), "code"),
            ("lib/help.js".into(), "help"),
            ("data/storage.json".into(), "{\"a\":1}"),
            (".env".into(), "KEY=secret\n"),
        ] {
            assert_eq!(std::fs::read_to_string(folder.join(path)).unwrap(), text);
        }
        let mode = std::fs::metadata(folder.join(".env"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(folder.join("logs").is_dir());
        assert!(
            !folder.join("node_modules").exists() && folder.join("leads-out").symlink_metadata().is_err()
        );
        assert!(!self.old(name).exists());
        assert_eq!(self.state(name), Some(State::Moved));
        assert!(
            self.is_whole(&backup(&self.home).join(name)),
            "the backup is all that was there"
        );
    }

    fn is_whole(&self, folder: &std::path::Path) -> bool {
        ["data/storage.json", ".env", "node_modules/p/index.js"]
            .iter()
            .all(|file| folder.join(file).is_file())
            && folder.join("leads-out").symlink_metadata().is_ok()
    }
}

#[test]
fn they_come_once_with_data_and_configuration_and_conflicts_stay() {
    let world = World::new();
    for name in ["a", "b", "filesystem", "taken"] {
        world.put_old(name);
    }
    std::fs::create_dir_all(world.old("empty")).unwrap();
    std::fs::create_dir_all(world.home.tool(&tool("taken"))).unwrap();
    world.start();
    world.has_come("a");
    world.has_come("b");
    for (name, state) in [
        ("filesystem", State::Taken),
        ("taken", State::Taken),
        ("empty", State::NoTool),
    ] {
        assert_eq!(world.state(name), Some(state), "{name}");
        assert!(world.old(name).is_dir(), "{name} was left");
    }
    assert!(world.is_whole(&world.old("taken")));
    // Once: what she does with the tool afterwards is hers.
    std::fs::remove_dir_all(world.home.tool(&tool("a"))).unwrap();
    world.start();
    assert!(!world.home.tool(&tool("a")).exists());
}

#[test]
fn nothing_happens_without_an_old_layout_or_with_a_link_there() {
    let world = World::new();
    world.start();
    assert!(!backup(&world.home).exists());
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::create_dir(elsewhere.path().join("a")).unwrap();
    std::fs::write(elsewhere.path().join("a/a.tool.js"), "x").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), world.home.root().join("tools")).unwrap();
    world.start();
    assert!(!backup(&world.home).exists() && elsewhere.path().join("a/a.tool.js").exists());
}

/// Ends where the nth step begins; false when there was none.
fn ends_at(nth: usize, work: impl FnOnce(&dyn Fn(&'static str))) -> bool {
    let count = std::cell::Cell::new(0);
    let done = catch_unwind(AssertUnwindSafe(|| {
        work(&|_| {
            count.set(count.get() + 1);
            if count.get() == nth {
                resume_unwind(Box::new("killed"));
            }
        });
    }));
    done.is_err()
}

#[test]
fn an_end_at_any_step_is_ended_by_the_next_start() {
    for nth in 1.. {
        let world = World::new();
        world.put_old("a");
        let killed = ends_at(nth, |phase| {
            let mut record = Migration::load(&world.home).unwrap();
            bring(&world.home, &mut record, &tool("a"), &comes, phase).unwrap();
        });
        world.start();
        world.has_come("a");
        if !killed {
            assert!(nth > 4, "{nth} steps");
            break;
        }
    }
}

#[test]
fn taken_back_at_any_step_it_lies_where_it_lay() {
    for nth in 1.. {
        let world = World::new();
        world.put_old("a");
        world.start();
        let mut record = Migration::load(&world.home).unwrap();
        begin_back(&world.home, &mut record, &tool("a")).unwrap();
        // It is in the trash now.
        std::fs::remove_dir_all(world.home.tool(&tool("a"))).unwrap();
        let killed = ends_at(nth, |phase| {
            put_back(&world.home, &mut record, &tool("a"), phase).unwrap()
        });
        world.start();
        assert!(world.is_whole(&world.old("a")));
        assert_eq!(world.state("a"), Some(State::Undone));
        assert!(
            !world.home.tool(&tool("a")).exists(),
            "it does not come again by itself"
        );
        if !killed {
            assert!(nth > 2);
            break;
        }
        // She wants it after all.
        let mut record = Migration::load(&world.home).unwrap();
        assert!(bring(&world.home, &mut record, &tool("a"), &comes, &|_| ()).unwrap());
        world.has_come("a");
    }
}

#[test]
fn one_that_is_on_its_way_back_and_still_there_stays() {
    let world = World::new();
    world.put_old("a");
    world.start();
    let mut record = Migration::load(&world.home).unwrap();
    begin_back(&world.home, &mut record, &tool("a")).unwrap();
    world.start();
    world.has_come("a");
}
