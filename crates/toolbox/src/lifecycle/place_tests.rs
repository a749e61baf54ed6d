//! What was there before is never removed before it is somewhere else, whatever failed and whoever came in
//! between. Kills at every step are in `tests/lifecycle`.

#![allow(
    clippy::disallowed_methods,
    reason = "makes folders of a test and looks at them"
)]

use super::place::{self, About, Goes, Plan, Staging, folder_of, folders};
use base::DataHome;
use base::name::ToolName;
use std::fs;
use std::path::{Path, PathBuf};

struct Home {
    _dir: tempfile::TempDir,
    home: DataHome,
}

impl Home {
    /// With a tool of version `1` and what is the person's.
    fn new() -> Home {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap().prepare().unwrap();
        let made = Home { _dir: dir, home };
        write(&made.tool().join("code"), "1");
        write(&made.tool().join("data/mine"), "mine");
        made
    }

    fn tool(&self) -> PathBuf {
        self.home.tool(&name())
    }

    fn entry(&self) -> PathBuf {
        self.home.tool_trash().join("1-t")
    }

    fn staged(&self, code: &str) -> Staging {
        let staging = Staging::new(&self.home).unwrap();
        write(&staging.tool().join("code"), code);
        staging
    }

    fn plan(&self, comes: bool) -> Plan {
        Plan {
            tool: name(),
            comes,
            from: None,
            goes: Goes::Kept {
                entry: self.entry(),
                about: About {
                    tool: name(),
                    version: "1.0.0".to_owned(),
                    at: 1,
                    hash: String::new(),
                    rights: Vec::new(),
                    data_stayed: false,
                },
            },
            rights: None,
        }
    }

    /// Whatever is unfinished is finished.
    fn recover(&self) {
        for placed in place::recover(&self.home).unwrap() {
            placed.clear(&|_| ()).unwrap();
        }
    }

    fn has_no_change(&self) -> bool {
        folders(&self.home.tool_changes()).unwrap().is_empty()
    }
}

fn name() -> ToolName {
    ToolName::parse("t").unwrap()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn a_removed_tool_that_could_not_be_kept_is_kept_later_even_when_another_has_its_name() {
    let home = Home::new();
    let staging = Staging::new(&home.home).unwrap();
    // As if there was no room for what has to be written next.
    drop(place::put(&home.home, staging, home.plan(false), &|_| ()).unwrap());
    write(&home.tool().join("code"), "another");
    home.recover();
    assert_eq!(read(folder_of(&home.entry()).join("data/mine")), "mine");
    assert_eq!(read(home.tool().join("code")), "another");
    assert!(home.has_no_change());
}

#[test]
fn an_earlier_version_that_could_not_be_kept_is_kept_after_the_next_one_came() {
    let home = Home::new();
    drop(place::put(&home.home, home.staged("2"), home.plan(true), &|_| ()).unwrap());
    assert_eq!(read(home.tool().join("data/mine")), "mine");
    // Another folder comes in its place, and takes along what is the person's.
    let next = home.home.toolbox().join("next");
    write(&next.join("code"), "3");
    fs::rename(home.tool().join("data"), next.join("data")).unwrap();
    fs::remove_dir_all(home.tool()).unwrap();
    fs::rename(next, home.tool()).unwrap();
    home.recover();
    assert_eq!(read(folder_of(&home.entry()).join("code")), "1");
    assert_eq!(read(home.tool().join("code")), "3");
    assert_eq!(read(home.tool().join("data/mine")), "mine");
    assert!(home.has_no_change());
}

#[test]
fn a_way_back_that_broke_off_keeps_what_was_carried_and_not_what_came_since() {
    let home = Home::new();
    let placed = place::put(&home.home, home.staged("2"), home.plan(true), &|_| ()).unwrap();
    drop(placed);
    let change = folders(&home.home.tool_changes()).unwrap().remove(0);
    fs::write(change.join(place::BACK), "").unwrap();
    fs::rename(home.tool().join("data"), change.join("tool/data")).unwrap();
    write(&home.tool().join("data/mine"), "of a run since");
    home.recover();
    assert_eq!(read(home.tool().join("code")), "1");
    assert_eq!(read(home.tool().join("data/mine")), "mine");
    assert!(home.has_no_change());
}

#[test]
fn between_the_steps_of_an_exchange_there_are_two_folders_afterwards() {
    for step in ["first is aside", "second is in place"] {
        let home = Home::new();
        let mut before = None;
        let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            place::put(&home.home, home.staged("2"), home.plan(true), &|phase| {
                assert_ne!(phase, "exchange", "the process ends here");
            })
        }));
        assert!(stopped.is_err());
        let change = folders(&home.home.tool_changes()).unwrap().remove(0);
        fs::rename(home.tool(), change.join("aside")).unwrap();
        if step != "first is aside" {
            fs::rename(change.join("tool"), home.tool()).unwrap();
            before = Some(folder_of(&home.entry()));
        }
        home.recover();
        let code = if before.is_some() { "2" } else { "1" };
        assert_eq!(read(home.tool().join("code")), code, "{step}");
        assert_eq!(read(home.tool().join("data/mine")), "mine", "{step}");
        if let Some(before) = before {
            assert_eq!(read(before.join("code")), "1");
        }
        assert!(home.has_no_change());
    }
}

#[test]
fn what_only_cannot_be_read_is_not_removed() {
    let home = Home::new();
    for (entry, text) in [("2-t", "{\"of\": \"a later program\"}"), ("3-t", "")] {
        let entry = home.home.tool_trash().join(entry);
        write(&entry.join("about.json"), text);
        write(&entry.join("tool/code"), "1");
    }
    let dropped = home.home.tool_trash().join("4-t");
    write(&dropped.join("tool/code"), "1");
    home.recover();
    let left: Vec<_> = folders(&home.home.tool_trash()).unwrap();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(place::about(&left[0]).is_none());
}

#[test]
fn a_change_that_is_not_in_order_keeps_what_it_may_need() {
    let home = Home::new();
    let change = home.home.tool_changes().join("broken");
    write(&change.join("change.json"), "{}");
    write(&change.join("tool/code"), "from the entry");
    let entry = home.home.tool_backups().join("t/1");
    write(&entry.join("about.json"), "{}");
    home.recover();
    assert!(change.join("tool/code").is_file() && entry.join("about.json").is_file());
}

#[test]
fn whatever_step_failed_all_is_as_it_was() {
    let home = Home::new();
    // Its folders are exchanged, and what failed came after that.
    let placed = place::put(&home.home, home.staged("2"), home.plan(true), &|_| ()).unwrap();
    placed.take_back(&|_| ()).unwrap();
    assert_eq!(read(home.tool().join("code")), "1");
    assert_eq!(read(home.tool().join("data/mine")), "mine");
    let staging = Staging::new(&home.home).unwrap();
    let removed = place::put(&home.home, staging, home.plan(false), &|_| ()).unwrap();
    assert!(!home.tool().exists());
    removed.take_back(&|_| ()).unwrap();
    assert_eq!(read(home.tool().join("data/mine")), "mine");
    assert!(home.has_no_change() && !home.entry().exists());
}

#[test]
fn what_is_not_kept_yet_is_not_cleared_away() {
    let home = Home::new();
    let placed = place::put(&home.home, home.staged("2"), home.plan(true), &|_| ()).unwrap();
    assert!(placed.clear(&|_| ()).is_err());
    home.recover();
    assert_eq!(read(folder_of(&home.entry()).join("code")), "1");
}
