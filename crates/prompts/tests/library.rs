//! The library on a real folder: what people do in files and what is done through it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "writes what a person would")]

use prompts::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

const PLAIN: &str =
    "name: A\ndescription: about a\nmessages:\n  - role: user\n    content:\n      text: hello {{x}}\n";

struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("prompts")).unwrap();
        Home { folder }
    }
    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join("prompts").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.folder.path().join("prompts").join(path)).ok()
    }
    fn open(&self) -> Library {
        let history = self.folder.path().join("history/.prompts");
        Library::open(&self.folder.path().join("prompts"), history).unwrap()
    }
}

fn path(text: &str) -> PromptPath {
    PromptPath::parse(text).unwrap()
}

fn content(name: &str, text: &str) -> Content {
    Content {
        name: name.to_owned(),
        description: String::new(),
        arguments: Vec::new(),
        messages: vec![Message {
            role: Role::User,
            text: text.to_owned(),
        }],
        enabled: true,
    }
}

fn paths(library: &Library) -> Vec<String> {
    library
        .shelf()
        .prompts()
        .map(|prompt| prompt.path.to_string())
        .collect()
}

#[test]
fn folders_are_groups_whose_switch_is_inherited() {
    let home = Home::new();
    home.write("top.yaml", PLAIN);
    home.write("work/a.yml", PLAIN);
    home.write(
        "work/deep/b.json",
        &serde_json::json!({"messages": [{"content": "x"}]}).to_string(),
    );
    home.write(
        "work/group.meta.json",
        "{\"enabled\": false, \"colour\": \"red\"}",
    );
    home.write("work/.hidden.yaml", PLAIN);
    home.write("work/readme.md", "not a prompt");
    let library = home.open();
    assert_eq!(paths(&library), ["top.yaml", "work/a.yml", "work/deep/b.json"]);
    let usable = |key: &str| library.get(key).unwrap().usable;
    assert!(usable("top.yaml") && !usable("work/a.yml") && !usable("work/deep/b.json"));
    assert!(
        library.get("work/a.yml").unwrap().content.enabled,
        "its own switch is on"
    );

    library.switch_group("work", true).unwrap();
    assert!(library.get("work/deep/b.json").unwrap().usable);
    assert!(
        home.read("work/group.meta.json").unwrap().contains("red"),
        "unknown fields stay"
    );
    assert!(matches!(
        library.switch_group("../x", true),
        Err(PromptError::NotFound(_))
    ));
    assert!(matches!(
        library.switch_group("nowhere", true),
        Err(PromptError::NotFound(_))
    ));
}

#[test]
fn a_prompt_is_got_by_path_id_and_name() {
    let home = Home::new();
    home.write("group/a.yaml", PLAIN);
    let library = home.open();
    let id = path("group/a.yaml").id();
    for key in [
        "group/a.yaml",
        &id,
        &id.to_uppercase(),
        "A",
        " A ",
        "group/a",
        "a",
    ] {
        assert_eq!(library.get(key).unwrap().path, path("group/a.yaml"), "{key}");
    }
    // What is exactly so goes before what is like it.
    home.write("0/other.yaml", &PLAIN.replace("name: A", "name: a"));
    library.refresh().unwrap();
    assert_eq!(library.get("A").unwrap().path, path("group/a.yaml"));
    assert_eq!(library.get("a").unwrap().path, path("0/other.yaml"));
    for key in ["", "B", "../group/a.yaml", "/etc/passwd", "group"] {
        assert!(matches!(library.get(key), Err(PromptError::NotFound(_))), "{key}");
    }
}

#[test]
fn files_that_are_no_prompts_are_said_and_harm_nobody() {
    let home = Home::new();
    home.write("good.yaml", PLAIN);
    home.write("bad.yaml", "messages: [\n");
    home.write("latin.yaml", "x");
    fs::write(home.folder.path().join("prompts/latin.yaml"), b"name: caf\xe9").unwrap();
    home.write("long.yaml", &"#".repeat(1024 * 1024 + 1));
    home.write("odd/group.meta.json", "{\"enabled\": 3}");
    home.write("odd/p.yaml", PLAIN);
    // What lies outside is not the library's, whatever leads to it.
    home.write("../outside.yaml", PLAIN);
    std::os::unix::fs::symlink("../outside.yaml", home.folder.path().join("prompts/link.yaml")).unwrap();
    std::os::unix::fs::symlink("..", home.folder.path().join("prompts/up")).unwrap();
    let library = home.open();
    assert_eq!(paths(&library), ["good.yaml", "odd/p.yaml"]);
    let mut broken: Vec<String> = library.shelf().broken.iter().map(|b| b.path.clone()).collect();
    broken.sort();
    assert_eq!(
        broken,
        ["bad.yaml", "latin.yaml", "long.yaml", "odd/group.meta.json"]
    );
    let escaped = library.save_text(&path("up/new.yaml"), PLAIN, &Expected::Anything);
    assert!(matches!(escaped, Err(PromptError::NotFound(_))), "{escaped:?}");
    assert!(matches!(
        library.create("up", &content("n", "x")),
        Err(PromptError::BadPath(_))
    ));
    assert!(!home.folder.path().join("new.yaml").exists() && !home.folder.path().join("n.yaml").exists());
}

#[test]
fn what_others_write_is_seen_and_what_they_replace_is_kept() {
    let home = Home::new();
    home.write("a.yaml", PLAIN);
    let library = home.open();
    assert!(!library.refresh().unwrap(), "nothing was done");
    home.write("a.yaml", &PLAIN.replace("hello", "good bye"));
    home.write("b.yaml", PLAIN);
    assert!(library.refresh().unwrap());
    assert!(library.get("a.yaml").unwrap().text.contains("good bye"));
    let versions = library.versions(&path("a.yaml")).unwrap();
    assert_eq!(versions.len(), 1);
    assert_eq!(
        library
            .version_text(&path("a.yaml"), &versions[0].version)
            .unwrap(),
        PLAIN
    );

    fs::remove_file(home.folder.path().join("prompts/a.yaml")).unwrap();
    assert!(library.refresh().unwrap());
    let removed = library.removed().unwrap();
    assert_eq!(removed.len(), 1);
    let back = library.restore(&removed[0].0, &removed[0].1.version).unwrap();
    assert!(back.text.contains("good bye"));
    assert!(library.removed().unwrap().is_empty());
}

#[test]
fn nobody_overwrites_what_he_has_not_seen() {
    let home = Home::new();
    home.write("a.yaml", PLAIN);
    let library = home.open();
    let seen = Expected::Version(library.get("a.yaml").unwrap().version.clone());
    home.write("a.yaml", &PLAIN.replace("hello", "by another hand"));
    for refused in [
        library
            .save(&path("a.yaml"), &content("A", "mine"), &seen)
            .map(|_| ()),
        library.save_text(&path("a.yaml"), PLAIN, &seen).map(|_| ()),
        library.remove(&path("a.yaml"), &seen),
    ] {
        assert!(matches!(refused, Err(PromptError::Changed(_))), "{refused:?}");
    }
    assert!(home.read("a.yaml").unwrap().contains("by another hand"));
    library
        .save(&path("a.yaml"), &content("A", "mine"), &Expected::Anything)
        .unwrap();
    let versions = library.versions(&path("a.yaml")).unwrap();
    assert!(
        library
            .version_text(&path("a.yaml"), &versions[0].version)
            .unwrap()
            .contains("by another hand"),
        "never seen here, and yet kept"
    );
    let diff = library.diff(&path("a.yaml"), &versions[0].version).unwrap();
    assert!(
        diff.contains("-      text: by another hand") && diff.contains("+"),
        "{diff}"
    );
}

#[test]
fn new_ones_are_named_after_their_title_and_moved_with_their_format() {
    let home = Home::new();
    let library = home.open();
    let first = library.create("写作", &content("代码 审查", "x")).unwrap();
    let second = library.create("写作", &content("代码 审查", "y")).unwrap();
    assert_eq!(
        (first.path.as_str(), second.path.as_str()),
        ("写作/代码-审查.yaml", "写作/代码-审查-2.yaml")
    );
    let moved = library.move_to(&second.path, &path("b.json")).unwrap();
    assert_eq!(moved.content, content("代码 审查", "y"));
    assert!(home.read("b.json").unwrap().starts_with('{'));
    assert_eq!(paths(&library), ["b.json", "写作/代码-审查.yaml"]);
    let taken = library.move_to(&moved.path, &first.path);
    assert!(matches!(taken, Err(PromptError::Exists(_))));
    assert!(matches!(
        library.save_text(&first.path, "no: prompt", &Expected::Anything),
        Err(PromptError::Invalid { .. })
    ));
    assert_eq!(
        library.get("b.json").unwrap().content,
        content("代码 审查", "y"),
        "nothing half done"
    );
}

#[test]
fn import_says_what_would_come_of_each_file() {
    let home = Home::new();
    home.write("here/a.yaml", PLAIN);
    let library = home.open();
    let other = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let file = other.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    put("copy.yaml", &PLAIN.replace("name: A", "name: Copy"));
    put("a.yaml", &PLAIN.replace("hello", "another"));
    put(
        "sub/note.md",
        "---\ndescription: About\nmodel: any\n---\n\nDo {{this}}.\n",
    );
    put("sub/plain.txt", "Just text --- with dashes");
    put("broken.json", "{");
    put("picture.png", "x");
    let imports = library.preview(other.path(), "here").unwrap();
    let said: Vec<(String, &str)> = imports
        .iter()
        .map(|import| {
            let proposal = match &import.proposal {
                Proposal::New => "new",
                Proposal::Same(_) => "same",
                Proposal::Taken(_) => "taken",
                Proposal::Broken(_) => "broken",
            };
            let file = import.file.strip_prefix(other.path()).unwrap();
            (file.display().to_string(), proposal)
        })
        .collect();
    let expected = [
        ("a.yaml", "taken"),
        ("broken.json", "broken"),
        ("copy.yaml", "same"),
        ("sub/note.md", "new"),
        ("sub/plain.txt", "new"),
    ];
    assert_eq!(said, expected.map(|(file, proposal)| (file.to_owned(), proposal)));
    assert_eq!(paths(&library), ["here/a.yaml"], "looking changes nothing");

    let done = library.import(imports).unwrap();
    assert_eq!(done.iter().filter(|one| one.became.is_err()).count(), 1);
    assert_eq!(
        paths(&library),
        [
            "here/a-2.yaml",
            "here/a.yaml",
            "here/sub/note.yaml",
            "here/sub/plain.yaml"
        ]
    );
    let note = library.get("here/sub/note.yaml").unwrap();
    assert_eq!(
        (
            note.content.description.as_str(),
            note.content.messages[0].text.as_str()
        ),
        ("About", "Do {{this}}.")
    );
    let again = library.preview(other.path(), "here").unwrap();
    assert!(
        again
            .iter()
            .all(|import| !matches!(import.proposal, Proposal::New | Proposal::Taken(_)))
    );
}

#[test]
fn full_text_follows_the_files() {
    let home = Home::new();
    home.write("a.yaml", &PLAIN.replace("hello", "请审查下面的代码"));
    home.write("b.yaml", PLAIN);
    let library = home.open();
    let found = |query: &str| -> Vec<String> {
        library
            .full_text(query)
            .unwrap()
            .iter()
            .map(|prompt| prompt.path.to_string())
            .collect()
    };
    assert_eq!(found("审查"), ["a.yaml"]);
    home.write("short.yaml", &PLAIN.replace("hello", "a b"));
    home.write("named.yaml", &PLAIN.replace("name: A", "name: b"));
    library.refresh().unwrap();
    assert_eq!(
        found("b"),
        ["named.yaml", "a.yaml", "b.yaml", "short.yaml"],
        "what names and descriptions say comes first"
    );
    assert_eq!(found("hello"), ["b.yaml", "named.yaml"]);
    assert_eq!(found(" ").len(), 4, "nothing was asked for");
    library.remove(&path("a.yaml"), &Expected::Anything).unwrap();
    home.write("c.yaml", &PLAIN.replace("hello", "审查"));
    library.refresh().unwrap();
    assert_eq!(found("审查"), ["c.yaml"]);
}

#[test]
fn a_watch_tells_of_files_that_others_write() {
    let home = Home::new();
    home.write("deep/a.yaml", PLAIN);
    let library = home.open();
    let (tell, told) = mpsc::channel();
    let _watch = Watch::start(&[Watched::Deep(library.folder().to_owned())], move || {
        let _ = tell.send(());
    })
    .unwrap();
    // Reading is no change.
    home.read("deep/a.yaml").unwrap();
    library.refresh().unwrap();
    assert!(told.try_recv().is_err());
    home.write("deep/new/b.yaml", PLAIN);
    told.recv_timeout(Duration::from_secs(20)).unwrap();
    // The new folder is watched, too, as soon as it was seen.
    while told.recv_timeout(Duration::from_millis(300)).is_ok() {}
    home.write("deep/new/b.yaml", &PLAIN.replace("hello", "later"));
    told.recv_timeout(Duration::from_secs(20)).unwrap();
}

#[test]
fn old_versions_leave_when_there_are_too_many() {
    let home = Home::new();
    home.write("a.yaml", PLAIN);
    let library = home.open();
    for number in 0..130 {
        library
            .save(
                &path("a.yaml"),
                &content("A", &number.to_string()),
                &Expected::Anything,
            )
            .unwrap();
    }
    let versions = library.versions(&path("a.yaml")).unwrap();
    assert_eq!(versions.len(), 100);
    assert!(
        library
            .version_text(&path("a.yaml"), &versions[0].version)
            .unwrap()
            .contains("128")
    );
    assert!(
        versions
            .windows(2)
            .all(|pair| pair[0].replaced > pair[1].replaced)
    );
}

#[derive(Clone, Debug)]
enum Step {
    Create(u8),
    Save(u8, String),
    Remove(u8),
    Elsewhere(u8, String),
    Refresh,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..4_u8).prop_map(Step::Create),
        (0..4_u8, "[a-z\n ]{1,20}").prop_map(|(n, text)| Step::Save(n, text)),
        (0..4_u8).prop_map(Step::Remove),
        (0..4_u8, "[a-z]{1,20}").prop_map(|(n, text)| Step::Elsewhere(n, text)),
        Just(Step::Refresh),
    ]
}

fn last_text(folder: &Path) -> BTreeMap<String, String> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (
                entry.file_name().into_string().unwrap(),
                fs::read_to_string(entry.path()).unwrap(),
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// After any steps the shelf is what the folder says, and every text that was ever seen is in a
    /// file or in a version.
    #[test]
    fn no_text_is_ever_lost(steps in proptest::collection::vec(any_step(), 1..20)) {
        let home = Home::new();
        let library = home.open();
        let folder = home.folder.path().join("prompts");
        let mut seen: Vec<(PromptPath, String)> = Vec::new();
        for step in steps {
            let name = |n: u8| format!("p{n}.yaml");
            match step {
                Step::Create(n) => { library.create("", &content(&format!("p{n}"), "new")).unwrap(); }
                Step::Save(n, text) => {
                    let saved = library.save(&path(&name(n)), &content("x", &text), &Expected::Anything);
                    prop_assert!(matches!(saved, Ok(_) | Err(PromptError::NotFound(_))), "{:?}", saved);
                }
                Step::Remove(n) => {
                    let removed = library.remove(&path(&name(n)), &Expected::Anything);
                    prop_assert!(matches!(removed, Ok(()) | Err(PromptError::NotFound(_))), "{:?}", removed);
                }
                Step::Elsewhere(n, text) => home.write(&name(n), &PLAIN.replace("hello", &text)),
                Step::Refresh => { library.refresh().unwrap(); }
            }
            for prompt in library.shelf().prompts() {
                seen.push((prompt.path.clone(), prompt.text.to_string()));
            }
        }
        library.refresh().unwrap();
        let on_disk = last_text(&folder);
        let shelf: BTreeMap<String, String> = library
            .shelf()
            .prompts()
            .map(|prompt| (prompt.path.to_string(), prompt.text.to_string()))
            .collect();
        prop_assert_eq!(&shelf, &on_disk);
        for (path, text) in seen {
            let kept = shelf.get(path.as_str()) == Some(&text)
                || library.versions(&path).unwrap().iter().any(|version| {
                    library.version_text(&path, &version.version).unwrap() == text
                });
            prop_assert!(kept, "{} lost {:?}", path, text);
        }
    }
}
