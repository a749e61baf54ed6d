//! `check_lines`: which files of a task's workspace have too many lines.

use crate::app::App;
use base::{Failure, Lang};
use llm::Tool;
use serde_json::{Map, Value, json};
use wire::Caller;

pub(super) const NAME: &str = "check_lines";

/// Seed 004: what a file may have.
const MOST: u64 = 500;
/// Files that are looked at, and folders.
const FILES: usize = 2_000;
const FOLDERS: usize = 500;
/// Bytes of a file that is read.
const READ: u64 = 1024 * 1024;
/// What others wrote.
const FOREIGN: [&str; 6] = ["node_modules", "target", "dist", "build", ".git", "vendor"];

pub(super) fn tool(lang: Lang) -> Tool {
    Tool {
        name: NAME.to_owned(),
        description: lang
            .pick(
                "检查工作空间中行数过多的文件。返回 {ok, over: [{path, lines}], files}。path 默认为整个工作空间，most 默认 500。",
                "Which files of the workspace have too many lines: {ok, over: [{path, lines}], files}. path is all of it and most is 500 where they are not given.",
            )
            .to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "most": {"type": "integer"}},
        }),
    }
}

pub(super) async fn count(
    app: &App,
    caller: &Caller,
    task: &str,
    given: &Map<String, Value>,
) -> Result<Value, Failure> {
    let most = given.get("most").and_then(Value::as_u64).unwrap_or(MOST);
    let begin = given.get("path").and_then(Value::as_str).unwrap_or(".");
    let (mut folders, mut over, mut files, mut all) = (vec![begin.to_owned()], Vec::new(), 0, 0);
    while let Some(folder) = folders.pop() {
        all += 1;
        if all > FOLDERS || files > FILES {
            return Err(Failure::new("society_too_many_files").with("limit", FILES));
        }
        let asked = json!({"taskId": task, "path": folder});
        let listed = wire::dispatch(app, caller, "workspace.ls", asked).await?;
        for entry in listed["files"].as_array().into_iter().flatten() {
            let name = entry["name"].as_str().unwrap_or_default();
            let path = match folder.as_str() {
                "." => name.to_owned(),
                folder => format!("{folder}/{name}"),
            };
            let size = entry["size"].as_u64().unwrap_or_default();
            match entry["type"].as_str() {
                Some("directory") if !FOREIGN.contains(&name) => folders.push(path),
                Some("file") => {
                    files += 1;
                    let lines = lines_of(app, caller, task, &path, size).await?;
                    if let Some(lines) = lines.filter(|lines| *lines > most) {
                        over.push(json!({"path": path, "lines": lines}));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(json!({"ok": over.is_empty(), "over": over, "files": files}))
}

/// `None` of what is no text, or too large to be one that somebody wrote.
async fn lines_of(
    app: &App,
    caller: &Caller,
    task: &str,
    path: &str,
    size: u64,
) -> Result<Option<u64>, Failure> {
    if size > READ {
        return Ok(None);
    }
    let (mut lines, mut offset) = (0, 0);
    loop {
        let asked = json!({"taskId": task, "path": path, "offset": offset});
        let read = wire::dispatch(app, caller, "workspace.read", asked).await?;
        if read["encoding"] == "base64" {
            return Ok(None);
        }
        lines += read["content"].as_str().unwrap_or_default().lines().count() as u64;
        match read["nextOffset"].as_u64().filter(|next| *next > offset) {
            Some(next) => offset = next,
            None => return Ok(Some(lines)),
        }
    }
}
