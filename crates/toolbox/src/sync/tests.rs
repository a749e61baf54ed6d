//! Built-in tools that come, are edited, become newer and older, with an end at every step.

use super::edits::{holding, settle};
use super::*;
use base::Lang;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

struct World {
    dir: tempfile::TempDir,
    home: DataHome,
}

const BASE: &str = "one\ntwo\nthree\nfour\nfive\n";

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("home")).unwrap();
        home.prepare().unwrap();
        World { dir, home }
    }

    /// A checkout of one tool.
    fn checkout(&self, name: &str, files: &[(&str, &str)]) -> BuiltIns {
        let root = self.dir.path().join(name);
        for (path, text) in files {
            let path = root.join("t").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        BuiltIns::at(&root).unwrap()
    }

    fn sync(&self, from: &BuiltIns) -> Synced {
        sync_tool(&self.home, from, &tool(), PROGRAM, &|_| ()).unwrap()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.tool(&tool()).join(file)
    }

    fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    fn edits(&self, from: &BuiltIns) -> Vec<EditView> {
        holding(&self.home, from, &tool()).unwrap().unwrap().edits
    }

    fn settle(&self, from: &BuiltIns, take: Take) -> Result<(), &'static str> {
        let settled = settle(&self.home, from, &tool(), MAIN, take, Lang::En);
        settled.map_err(|error| error.code())
    }

    /// Everything that a person may have written and that lies somewhere in the tool's folder.
    fn holds(&self, text: &str) -> bool {
        let files = std::fs::read_dir(self.home.tool(&tool())).unwrap();
        let mut texts = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
        texts.any(|found| found == text)
    }
}

const MAIN: &str = "t.tool.js";
const BESIDE: &str = "t.tool.js.user";

fn tool() -> ToolName {
    ToolName::parse("t").unwrap()
}

fn home() -> (tempfile::TempDir, DataHome) {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap();
    home.prepare().unwrap();
    (dir, home)
}

#[test]
fn built_ins_arrive_and_what_is_the_users_stays() {
    let (_dir, home) = home();
    assert!(run(&home, &BuiltIns::Packaged).is_empty());
    let tool = ToolName::parse("todolist").unwrap();
    let main = home.tool(&tool).join(tool.main_file());
    let ours = std::fs::read(&main).unwrap();
    let personal = [
        (".env", "A=1\n"),
        ("data/storage.json", "{}"),
        ("run.log", "x"),
        ("mine.txt", "y"),
    ];
    for (name, text) in personal {
        std::fs::write(home.tool(&tool).join(name), text).unwrap();
    }
    std::fs::write(&main, "// my edit").unwrap();
    assert!(!is_pristine(&home, &BuiltIns::Packaged, &tool));
    assert!(run(&home, &BuiltIns::Packaged).is_empty());
    assert_eq!(std::fs::read(&main).unwrap(), ours);
    assert!(is_pristine(&home, &BuiltIns::Packaged, &tool));
    let beside = main.with_file_name("todolist.tool.js.user");
    assert_eq!(std::fs::read_to_string(beside).unwrap(), "// my edit");
    for (name, text) in personal {
        assert_eq!(
            std::fs::read_to_string(home.tool(&tool).join(name)).unwrap(),
            text
        );
    }
}

#[test]
fn an_older_version_of_ours_is_replaced_without_a_copy() {
    let world = World::new();
    let old = world.checkout("old", &[(MAIN, "1"), ("lib/gone.js", "1"), ("lib/hers.js", "1")]);
    let new = world.checkout("new", &[(MAIN, "2"), ("lib/new.js", "2")]);
    assert_eq!(world.sync(&old), Synced::Changed);
    world.write("lib/hers.js", "edited");
    assert_eq!(world.sync(&new), Synced::Changed);
    assert_eq!(world.sync(&new), Synced::Same);
    assert_eq!(world.text(MAIN).as_deref(), Some("2"));
    assert_eq!(world.text("lib/new.js").as_deref(), Some("2"));
    assert_eq!(world.text("lib/gone.js"), None, "it does not come any more");
    assert_eq!(
        world.text("lib/hers.js").as_deref(),
        Some("edited"),
        "she wrote it"
    );
    assert_eq!(world.text(BESIDE), None);
    // One version of texts is kept, not every one that ever was.
    assert_eq!(
        std::fs::read_dir(world.home.history().join(".built-in"))
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn a_record_of_an_earlier_program_is_understood() {
    let world = World::new();
    let from = world.checkout("new", &[(MAIN, "2")]);
    world.sync(&from);
    world.write(MAIN, "1");
    world.write(
        ".sync.json",
        &format!(r#"{{"files":{{"{MAIN}":"{}"}}}}"#, hash_bytes(b"1")),
    );
    assert_eq!(world.sync(&from), Synced::Changed);
    assert_eq!(
        (world.text(MAIN).as_deref(), world.text(BESIDE)),
        (Some("2"), None)
    );
    // An edit whose original nobody knows is shown all the same.
    world.write(MAIN, "edited");
    world.write(".sync.json", "{}");
    world.sync(&from);
    let edits = world.edits(&from);
    assert_eq!((edits[0].yours.as_ref(), edits[0].conflicts), (None, None));
    assert!(edits[0].difference.as_ref().unwrap().contains("+edited"));
}

#[test]
fn one_that_fails_does_not_hold_up_the_others() {
    let (_dir, home) = home();
    std::fs::write(
        home.toolbox().join("filesystem"),
        "a file where a folder should be",
    )
    .unwrap();
    let errors = run(&home, &BuiltIns::Packaged);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].tool, "filesystem");
    assert!(home.toolbox().join("todolist/todolist.tool.js").exists());
}

#[test]
fn what_a_newer_program_put_there_stays_and_is_named() {
    let (_dir, home) = home();
    let tool = ToolName::parse("todolist").unwrap();
    sync_tool(&home, &BuiltIns::Packaged, &tool, "999.1.0", &|_| ()).unwrap();
    let main = home.tool(&tool).join(tool.main_file());
    let record = home.tool(&tool).join(".sync.json");
    std::fs::write(&main, "// newer").unwrap();
    let before = std::fs::read(&record).unwrap();
    let one = |program| sync_tool(&home, &BuiltIns::Packaged, &tool, program, &|_| ()).unwrap();
    assert_eq!(one("999.0.9"), Synced::Newer);
    assert_eq!(std::fs::read_to_string(&main).unwrap(), "// newer");
    assert_eq!(std::fs::read(&record).unwrap(), before);
    assert!(
        !is_pristine(&home, &BuiltIns::Packaged, &tool),
        "an older program gives it no rights"
    );
    let found = holding(&home, &BuiltIns::Packaged, &tool).unwrap().unwrap();
    assert_eq!(
        found.standing,
        Standing::Newer {
            program: "999.1.0".into()
        }
    );
    // The same program, or a newer one, takes it up again; what was changed meanwhile is an edit.
    assert_eq!(one("999.2.0"), Synced::Changed);
    assert_eq!(
        std::fs::read_to_string(main.with_file_name("todolist.tool.js.user")).unwrap(),
        "// newer"
    );
}

/// Whatever this program has is older, so it decides about nothing there.
#[test]
fn an_older_program_decides_about_no_edit_of_a_newer_one() {
    let (_dir, home) = home();
    let tool = ToolName::parse("todolist").unwrap();
    sync_tool(&home, &BuiltIns::Packaged, &tool, "999.1.0", &|_| ()).unwrap();
    let main = home.tool(&tool).join(tool.main_file());
    std::fs::write(&main, "// of a newer one").unwrap();
    for take in [Take::New, Take::Mine, Take::Merge, Take::Merged] {
        let settled = settle(
            &home,
            &BuiltIns::Packaged,
            &tool,
            "todolist.tool.js",
            take,
            Lang::En,
        );
        assert_eq!(settled.unwrap_err().code(), "tool_edit_newer");
    }
    assert_eq!(std::fs::read_to_string(&main).unwrap(), "// of a newer one");
}

#[test]
fn a_tool_of_a_persons_own_stays_where_a_built_in_one_of_its_name_comes() {
    for main in [MAIN, "t.tool.py"] {
        let world = World::new();
        std::fs::create_dir_all(world.home.tool(&tool())).unwrap();
        world.write(main, "hers");
        let ours = world.checkout("ours", &[(MAIN, "ours")]);
        assert_eq!(world.sync(&ours), Synced::Theirs);
        assert_eq!(world.text(main).as_deref(), Some("hers"));
        assert_eq!(world.text(".sync.json"), None);
        assert!(!is_pristine(&world.home, &ours, &tool()));
        assert!(
            holding(&world.home, &ours, &tool()).unwrap().is_none(),
            "nothing of it is an edit"
        );
        // When hers goes, and leaves her data, ours comes.
        std::fs::remove_file(world.path(main)).unwrap();
        world.write(".env", "A=1");
        assert_eq!(world.sync(&ours), Synced::Changed);
        assert_eq!(world.text(MAIN).as_deref(), Some("ours"));
        assert_eq!(world.text(".env").as_deref(), Some("A=1"));
    }
}

#[test]
fn one_that_does_not_come_any_more_is_marked_and_stays() {
    let world = World::new();
    let old = world.checkout("old", &[(MAIN, "1")]);
    world.sync(&old);
    assert!(run(&world.home, &BuiltIns::Packaged).is_empty());
    assert_eq!(world.text(MAIN).as_deref(), Some("1"));
    let found = holding(&world.home, &BuiltIns::Packaged, &tool())
        .unwrap()
        .unwrap();
    assert_eq!(
        found.standing,
        Standing::Retired {
            program: PROGRAM.into()
        }
    );
    let own = ToolName::parse("own").unwrap();
    std::fs::create_dir(world.home.tool(&own)).unwrap();
    assert_eq!(holding(&world.home, &BuiltIns::Packaged, &own).unwrap(), None);
}

#[test]
fn an_edit_is_shown_beside_what_was_and_what_is() {
    let world = World::new();
    let old = world.checkout("old", &[(MAIN, BASE)]);
    let new = world.checkout("new", &[(MAIN, "one\ntwo\nthree\nfour\nFIVE\n")]);
    world.sync(&old);
    world.write(MAIN, "ONE\ntwo\nthree\nfour\nfive\n");
    let edits = world.edits(&old);
    assert_eq!(
        (edits[0].waiting, edits[0].runs),
        (Waiting::UntilStart, Runs::Yours)
    );
    // The program becomes newer while it does not run.
    world.sync(&new);
    let edits = world.edits(&new);
    assert_eq!(edits.len(), 1);
    let edit = &edits[0];
    assert_eq!(
        (edit.waiting, edit.runs, edit.file.as_str()),
        (Waiting::Undecided, Runs::Ours, BESIDE)
    );
    let has = |diff: &Option<String>, parts: [&str; 2]| {
        parts.iter().all(|part| diff.as_ref().unwrap().contains(part))
    };
    assert!(has(&edit.yours, ["-one\n", "+ONE\n"]));
    assert!(has(&edit.now, ["-five\n", "+FIVE\n"]));
    assert!(has(&edit.difference, ["-one\n+ONE\n", "-FIVE\n+five\n"]));
    assert_eq!((edit.conflicts, &edit.merged), (Some(0), &None));
}

#[test]
fn hers_runs_when_she_says_so_and_is_asked_about_again_when_ours_changes() {
    let world = World::new();
    let from = |text: &str| world.checkout("from", &[(MAIN, text)]);
    world.sync(&from(BASE));
    world.write(MAIN, "hers");
    let second = from("second");
    world.sync(&second);
    world.settle(&second, Take::Mine).unwrap();
    assert_eq!(
        (world.text(MAIN).as_deref(), world.text(BESIDE)),
        (Some("hers"), None)
    );
    assert!(
        !is_pristine(&world.home, &second, &tool()),
        "it has no rights of a built-in tool"
    );
    for _ in 0..2 {
        assert_eq!(world.sync(&second), Synced::Same);
        assert_eq!(world.text(MAIN).as_deref(), Some("hers"));
    }
    assert_eq!(world.edits(&second)[0].waiting, Waiting::Decided);
    // She goes on editing: still hers.
    world.write(MAIN, "hers again");
    world.sync(&second);
    assert_eq!(world.text(MAIN).as_deref(), Some("hers again"));
    let third = from("third");
    world.sync(&third);
    assert_eq!(world.text(MAIN).as_deref(), Some("hers again"));
    let edits = world.edits(&third);
    assert_eq!(
        (edits[0].waiting, edits[0].runs),
        (Waiting::Undecided, Runs::Yours)
    );
    assert!(
        edits[0].now.as_ref().unwrap().contains("-second"),
        "what she decided against is what was before"
    );
    world.settle(&third, Take::New).unwrap();
    assert_eq!(world.text(MAIN).as_deref(), Some("third"));
    assert!(world.holds("hers again") && world.edits(&third).is_empty());
    assert!(is_pristine(&world.home, &third, &tool()));
    assert_eq!(world.settle(&third, Take::Mine), Err("tool_edit_unknown"));
    assert_eq!(world.sync(&third), Synced::Same);
}

#[test]
fn both_are_brought_together_on_request_and_run_when_nothing_is_left_to_decide() {
    let world = World::new();
    let old = world.checkout("old", &[(MAIN, BASE)]);
    let new = world.checkout("new", &[(MAIN, "one\nTWO of ours\nthree\nfour\nFIVE\n")]);
    world.sync(&old);
    world.write(MAIN, "one\ntwo of hers\nthree\nfour\nfive\n");
    world.sync(&new);
    assert_eq!(world.settle(&new, Take::Merged), Err("tool_edit_not_merged"));
    world.settle(&new, Take::Merge).unwrap();
    let merged = world.text("t.tool.js.merge").unwrap();
    assert!(
        merged.contains("<<<<<<< your edit\ntwo of hers\n") && merged.contains("\nFIVE\n"),
        "{merged}"
    );
    assert_eq!(
        world.text(MAIN).as_deref(),
        Some("one\nTWO of ours\nthree\nfour\nFIVE\n"),
        "nothing else changed"
    );
    let edits = world.edits(&new);
    assert_eq!(
        (edits[0].conflicts, &edits[0].merged),
        (Some(1), &Some(("t.tool.js.merge".into(), false)))
    );
    assert_eq!(world.settle(&new, Take::Merged), Err("tool_edit_marks"));
    world.write("t.tool.js.merge", "both");
    world.settle(&new, Take::Merged).unwrap();
    assert_eq!(
        (world.text(MAIN).as_deref(), world.text("t.tool.js.merge")),
        (Some("both"), None)
    );
    assert!(
        world.holds("one\ntwo of hers\nthree\nfour\nfive\n"),
        "what she wrote first lies beside"
    );
    assert_eq!(world.edits(&new)[0].waiting, Waiting::Decided);
    world.sync(&new);
    assert_eq!(world.text(MAIN).as_deref(), Some("both"));
}

#[test]
fn two_edits_that_nobody_decided_about_are_both_there() {
    let world = World::new();
    let from = world.checkout("from", &[(MAIN, BASE)]);
    world.sync(&from);
    for edit in ["first", "second"] {
        world.write(MAIN, edit);
        world.sync(&from);
    }
    assert_eq!(world.text(BESIDE).as_deref(), Some("second"));
    assert!(world.holds("first"));
    // She throws the edit away herself: nobody asks about it any more.
    std::fs::remove_file(world.path(BESIDE)).unwrap();
    world.sync(&from);
    assert!(world.edits(&from).is_empty());
}

/// Runs until that step begins for the nth time; false when there was none.
fn ends_at(nth: usize, work: impl Fn(Phase<'_>)) -> bool {
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
fn an_end_at_any_step_loses_nothing_and_the_next_start_ends_it() {
    // Whatever was begun, the next start is of the newer program, or of the older one again.
    for next_is_old in [false, true] {
        for nth in 1.. {
            let world = World::new();
            let old = world.checkout("old", &[(MAIN, "1"), ("a.js", "1"), ("gone.js", "1")]);
            let new = world.checkout("new", &[(MAIN, "2"), ("a.js", "2"), ("b.js", "2")]);
            world.sync(&old);
            world.write("a.js", "hers");
            let killed = ends_at(nth, |phase| {
                sync_tool(&world.home, &new, &tool(), PROGRAM, phase).unwrap();
            });
            let (next, version) = if next_is_old { (&old, "1") } else { (&new, "2") };
            world.sync(next);
            assert_eq!(world.sync(next), Synced::Same, "step {nth}");
            assert_eq!(
                (world.text(MAIN).as_deref(), world.text("a.js").as_deref()),
                (Some(version), Some(version))
            );
            assert_eq!(world.text("gone.js").is_some(), next_is_old);
            assert_eq!(world.text("b.js").is_some(), !next_is_old);
            assert_eq!(world.text("a.js.user").as_deref(), Some("hers"));
            let edits = world.edits(next);
            assert_eq!(
                (edits.len(), edits[0].waiting),
                (1, Waiting::Undecided),
                "step {nth}"
            );
            assert!(
                edits[0].yours.as_ref().unwrap().contains("-1"),
                "what was before is known"
            );
            // Nothing of ours was taken for hers.
            assert!(!world.path("t.tool.js.user").exists() && !world.path("b.js.user").exists());
            if !killed {
                assert!(nth > 5, "{nth} steps");
                break;
            }
        }
    }
}

#[test]
fn a_checkout_is_read_as_it_is_without_what_is_not_ours() {
    let world = World::new();
    let root = world.dir.path().join("repository");
    let folder = root.join("resources/tools/t");
    std::fs::create_dir_all(folder.join("node_modules/p")).unwrap();
    std::fs::create_dir_all(folder.join("data")).unwrap();
    for file in [
        "t.tool.js",
        "node_modules/p/i.js",
        "data/x.json",
        ".env",
        "package.json",
        "run.log",
    ] {
        std::fs::write(folder.join(file), file).unwrap();
    }
    std::os::unix::fs::symlink("/etc/passwd", folder.join("link.js")).unwrap();
    let found = BuiltIns::at(&root).unwrap();
    assert_eq!(
        found.files(&tool()).unwrap().keys().collect::<Vec<_>>(),
        ["t.tool.js"]
    );
    assert_eq!(found, BuiltIns::at(&root.join("resources/tools")).unwrap());
    assert!(BuiltIns::at(&world.dir.path().join("nowhere")).is_err());
    assert!(BuiltIns::at(world.home.root()).is_err());
}
