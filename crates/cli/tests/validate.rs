//! `pm tool validate`: what it prints, and its exit code.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "writes tools")]

mod common;

use common::{Home, built_in, said, stdout};
use serde_json::json;

const BROKEN: &str = "export default {
  getMetadata() { return { name: 'b', description: 'A tool without a version' }; },
  execute() { return 7; },
};";

#[test]
fn the_exit_code_says_whether_there_is_an_error() {
    let home = Home::new();
    let served = home.serve();
    home.put_tool("broken", BROKEN);

    let fine = home.pm(&["tool", "validate", "todolist", "--level", "full", "--json"]);
    assert_eq!(fine.status.code(), Some(0), "{fine:?}");
    let report = said(&fine);
    assert_eq!(report["tool"], "todolist");
    assert_eq!(report["layers"].as_array().unwrap().len(), 11);
    assert_eq!(
        (&report["errors"], &report["warnings"]),
        (&json!(0), &json!(0)),
        "{report}"
    );

    let basic = home.pm(&["tool", "validate", "broken", "--level", "basic", "--json"]);
    assert_eq!(basic.status.code(), Some(1));
    let report = said(&basic);
    let codes = |report: &serde_json::Value| -> Vec<String> {
        let all = report["findings"].as_array().unwrap().iter();
        all.map(|one| one["about"]["code"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(
        codes(&report).contains(&"metadata_version_missing".to_owned()),
        "{report}"
    );
    assert!(!codes(&report).contains(&"result_kind".to_owned()), "{report}");
    let state = |layer: &str| {
        let layers = report["layers"].as_array().unwrap();
        layers.iter().find(|one| one["layer"] == layer).unwrap()["state"].clone()
    };
    assert_eq!(
        [
            state("files"),
            state("metadata"),
            state("results"),
            state("schema")
        ],
        ["passed", "failed", "unchecked", "passed"]
    );

    let markdown = home.pm(&["tool", "validate", "broken", "--format", "markdown"]);
    assert_eq!(markdown.status.code(), Some(1));
    let text = stdout(&markdown);
    assert!(
        text.contains("| error | `result_kind` | broken.tool.js:3:3 |"),
        "{text}"
    );

    let ours = built_in().len();
    let every = home.pm(&["tool", "validate", "--level", "basic"]);
    assert_eq!(every.status.code(), Some(1));
    let text = stdout(&every);
    assert!(
        text.ends_with(&format!(
            "{} tools: {ours} passed, 0 with warnings, 1 with errors\n",
            ours + 1
        )),
        "{text}"
    );
    assert!(
        text.contains("error [metadata_version_missing] broken.tool.js:2:3: "),
        "{text}"
    );

    assert_eq!(home.pm(&["tool", "validate", "nobody"]).status.code(), Some(1));
    assert_eq!(
        home.pm(&["tool", "validate", "--level", "some"]).status.code(),
        Some(2)
    );
    drop(served);
}
