//! Versions and the trash, by `pm` and by the calls that only the page makes.

use super::Scene;
use super::common::{Home, bound, said, stdout};
use serde_json::{Value, json};

fn write(home: &Home, path: &str, content: &str) {
    let output = home.pm_with_input(&["workspace", "write", "t1", path], content);
    assert!(output.status.success(), "{output:?}");
}

fn changes(home: &Home, words: &[&str]) -> Vec<Value> {
    let output = home.pm(&[&["workspace"], words, &["--json"]].concat());
    said(&output)["changes"].as_array().unwrap().clone()
}

#[test]
fn pm_shows_what_changed_and_takes_it_back() {
    let home = Home::new();
    let folder = bound(&home);
    write(&home, "a.txt", "one\ntwo\n");
    write(&home, "a.txt", "one\n2\n");
    write(&home, "b.txt", "other\n");
    let history = changes(&home, &["history", "t1", "a.txt"]);
    assert_eq!(history.len(), 2);
    let change = history[0]["id"].as_str().unwrap();
    let shown = stdout(&home.pm(&["workspace", "history", "t1"]));
    assert!(shown.lines().count() == 3 && shown.contains(change), "{shown}");
    let diff = stdout(&home.pm(&["workspace", "diff", "t1", change]));
    assert!(diff.contains("@@ -1,2 +1,2 @@\n one\n-two\n+2\n"), "{diff}");
    write(&home, "a.txt", "one\n3\n");
    let now = stdout(&home.pm(&["workspace", "diff", "t1", change, "--now"]));
    assert!(now.contains("-two\n+3\n"), "{now}");
    assert!(home.pm(&["workspace", "restore", "t1", change]).status.success());
    assert_eq!(
        std::fs::read_to_string(folder.join("a.txt")).unwrap(),
        "one\ntwo\n"
    );
    assert!(
        home.pm(&["workspace", "restore", "t1", change, "--after"])
            .status
            .success()
    );
    assert_eq!(std::fs::read_to_string(folder.join("a.txt")).unwrap(), "one\n2\n");

    let input = "{\"op\": \"delete\", \"path\": \"a.txt\"}\n{\"op\": \"delete\", \"path\": \"b.txt\"}\n";
    home.pm_with_input(&["workspace", "serve", "t1"], input);
    let trash = changes(&home, &["trash", "t1"]);
    assert_eq!((trash.len(), &trash[0]["path"]), (2, &json!("b.txt")));
    let id = trash[0]["id"].as_str().unwrap();
    assert!(home.pm(&["workspace", "undelete", "t1", id]).status.success());
    assert!(folder.join("b.txt").exists() && !folder.join("a.txt").exists());
    let emptied = said(&home.pm(&["workspace", "trash", "t1", "--empty", "--json"]));
    assert_eq!(emptied["removed"], 1);
    assert!(changes(&home, &["trash", "t1"]).is_empty());
    let id = trash[1]["id"].as_str().unwrap();
    assert_eq!(
        home.pm(&["workspace", "undelete", "t1", id]).status.code(),
        Some(1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_can_be_looked_at() {
    let scene = Scene::new().await;
    let path = json!({"taskId": "t1", "path": "a.bin"});
    std::fs::write(scene.folder.join("a.bin"), [0xff, 0, 1]).unwrap();
    let mut params = path.clone();
    params["content"] = "text".into();
    let change = scene.person("workspace.write", params).await["change"].clone();
    let version = |version: Value| {
        let params = json!({"taskId": "t1", "version": version});
        scene.person("workspace.version", params)
    };
    let before = version(json!({"before": change})).await;
    assert_eq!(
        before["content"],
        json!({"content": "/wAB", "size": 3, "encoding": "base64"})
    );
    let after = version(json!({"after": change})).await;
    assert_eq!(
        after["content"],
        json!({"content": "text", "size": 4, "encoding": "utf-8"})
    );
    let absent = version(json!({"current": "nothing.txt"})).await;
    assert_eq!(absent, json!({}));
    scene.owner.close().await;
}
