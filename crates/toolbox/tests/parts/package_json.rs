use crate::tool;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::path::Path;
use toolbox::package_json::{Declared, Updated, merge, update};

fn npm(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, range)| ((*name).to_owned(), (*range).to_owned()))
        .collect()
}

fn run(folder: &Path, list: &[(&str, &str)]) -> Updated {
    let tool = tool("reader");
    let npm = npm(list);
    update(
        folder,
        &Declared {
            tool: &tool,
            description: "读取",
            npm: &npm,
            commands: &[],
        },
    )
    .unwrap()
}

fn read(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("package.json")).unwrap()).unwrap()
}

#[test]
fn a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let updated = run(dir.path(), &[("pdf-parse", "^1.1.1")]);
    assert!(updated.changed && updated.problem.is_none());
    assert_eq!(updated.dependencies, npm(&[("pdf-parse", "^1.1.1")]));
    assert_eq!(
        std::fs::read_to_string(dir.path().join("package.json")).unwrap(),
        "{\n  \"name\": \"@prompt-manager/reader\",\n  \"version\": \"1.0.0\",\n  \"description\": \"读取\",\n  \"main\": \"reader.tool.js\",\n  \"type\": \"module\",\n  \"dependencies\": {\n    \"pdf-parse\": \"^1.1.1\"\n  },\n  \"private\": true,\n  \"promptManager\": {\n    \"dependencies\": {\n      \"pdf-parse\": \"^1.1.1\"\n    }\n  }\n}\n"
    );
    assert!(
        !run(dir.path(), &[("pdf-parse", "^1.1.1")]).changed,
        "the second time nothing is written"
    );
}

#[test]
fn what_a_person_added_is_kept_and_what_the_tool_dropped_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("package.json");
    let mine = json!({
        "scripts": {"t": "x"}, "name": "mine", "version": "3.0.0", "description": "my own", "main": "index.js",
        "dependencies": {"extra": "1.0.0", "shared": "^1"}, "promptManager": {"note": "kept"}
    });
    std::fs::write(&path, mine.to_string()).unwrap();
    run(dir.path(), &[("a", "^1"), ("shared", "^2")]);
    let file = read(dir.path());
    assert_eq!(
        file["dependencies"],
        json!({"a": "^1", "extra": "1.0.0", "shared": "^2"}),
        "the tool's win"
    );
    assert_eq!(
        (&file["version"], &file["description"]),
        (&json!("3.0.0"), &json!("my own"))
    );
    assert_eq!(
        (&file["name"], &file["main"]),
        (&json!("@prompt-manager/reader"), &json!("reader.tool.js"))
    );
    assert_eq!(file["scripts"], json!({"t": "x"}));
    assert_eq!(file["promptManager"]["note"], "kept");
    assert_eq!(
        (&file["type"], &file["private"]),
        (&json!("module"), &json!(true))
    );
    let updated = run(dir.path(), &[("b", "*")]);
    assert_eq!(updated.dependencies, npm(&[("b", "*"), ("extra", "1.0.0")]));
}

#[test]
fn a_broken_file_is_put_aside_and_reported() {
    for broken in ["{ not json", "[1]", ""] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("package.json"), broken).unwrap();
        let updated = run(dir.path(), &[("a", "1")]);
        let problem = updated.problem.unwrap();
        assert_eq!(problem.code, "package_json_broken");
        let backup = problem.arg("backup").and_then(Value::as_str).unwrap().to_owned();
        assert_eq!(std::fs::read_to_string(backup).unwrap(), broken);
        assert_eq!(read(dir.path())["dependencies"], json!({"a": "1"}));
    }
}

fn names() -> impl Strategy<Value = std::collections::BTreeMap<String, String>> {
    prop::collection::btree_map("[a-e]", "[1-3]", 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn the_list_is_the_persons_extras_and_the_tools_own(extras in names(), lists in prop::collection::vec(names(), 1..4)) {
        let tool = tool("reader");
        let mut file = Map::from_iter([("dependencies".to_owned(), json!(extras))]);
        for list in &lists {
            let npm: Vec<(String, String)> = list.clone().into_iter().collect();
            file = merge(file, &Declared { tool: &tool, description: "", npm: &npm, commands: &[] });
            let again = merge(file.clone(), &Declared { tool: &tool, description: "", npm: &npm, commands: &[] });
            prop_assert_eq!(&again, &file);
        }
        let last = lists.last().unwrap();
        let found = file["dependencies"].as_object().unwrap();
        for (name, range) in last {
            prop_assert_eq!(&found[name], &json!(range));
        }
        for (name, range) in &extras {
            // An extra that the tool listed once became the tool's.
            if lists.iter().all(|list| !list.contains_key(name)) {
                prop_assert_eq!(&found[name], &json!(range));
            }
        }
        prop_assert!(found.keys().all(|name| last.contains_key(name) || extras.contains_key(name)));
    }
}
