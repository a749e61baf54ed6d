//! Task folders as MCP tools: each is a call of the table under the name that models know, with the
//! task it is about. Where a workspace lies is never said.

use super::elicit::ByClient;
use super::tools::object;
use crate::app::App;
use crate::calls;
use base::{Failure, Lang};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;
use wire::{Caller, WorkspaceRun};

/// The tools and the calls behind them.
const TOOLS: [(&str, &str); 10] = [
    ("read_file", "workspace.read"),
    ("write_file", "workspace.write"),
    ("list_files", "workspace.ls"),
    ("get_workspace_info", "workspace.info"),
    ("edit_file", "workspace.edit"),
    ("append_file", "workspace.append"),
    ("move_file", "workspace.move"),
    ("delete_file", "workspace.delete"),
    ("search_files", "workspace.search"),
    (RUN_COMMAND, RUN),
];

/// The argument that names the task.
pub(super) const TASK: &str = "taskId";
const RUN_COMMAND: &str = "run_command";
pub(crate) const RUN: &str = "workspace.run";

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(name, _)| *name)
}

pub(crate) fn call_of(tool: &str) -> Option<&'static str> {
    let found = TOOLS.iter().find(|(name, _)| *name == tool);
    found.map(|(_, call)| *call)
}

pub(super) async fn answer(
    app: &App,
    caller: &Caller,
    call: &str,
    arguments: Value,
    cancel: &CancellationToken,
    client: &ByClient,
) -> super::Answered {
    let answered = match call {
        // Unlike the others it may take long enough to be called off.
        RUN => run(app, caller, arguments, cancel, client).await,
        _ => wire::dispatch(app, caller, call, arguments).await,
    };
    super::dispatch::content(app, call, answered)
}

async fn run(
    app: &App,
    caller: &Caller,
    arguments: Value,
    cancel: &CancellationToken,
    client: &ByClient,
) -> Result<Value, Failure> {
    let params: WorkspaceRun = super::read(arguments)?;
    let ran = calls::run_command(app, caller, params, cancel, client).await?;
    serde_json::to_value(ran).map_err(|error| Failure::new("internal").detail(error.to_string()))
}

pub(super) fn list(lang: Lang) -> Vec<Tool> {
    TOOLS.iter().map(|(name, _)| tool(name, lang)).collect()
}

/// One argument: name, JSON type, whether it must be given, words.
type Argument = (&'static str, &'static str, bool, [&'static str; 2]);

const PATH: [&str; 2] = [
    "相对于工作空间的路径，用 / 分隔",
    "Path relative to the workspace, with /",
];

fn tool(name: &'static str, lang: Lang) -> Tool {
    let (about, arguments) = described(name);
    let title = title(name);
    let mut properties = Map::new();
    let mut required = vec![TASK];
    let task = lang.pick("任务编号", "Id of the task");
    properties.insert(TASK.to_owned(), json!({"type": "string", "description": task}));
    for (name, kind, needed, words) in arguments {
        let words = lang.pick(words[0], words[1]);
        properties.insert((*name).to_owned(), json!({"type": kind, "description": words}));
        if *needed {
            required.push(name);
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let reads = matches!(
        name,
        "read_file" | "list_files" | "get_workspace_info" | "search_files"
    );
    // What is overwritten or deleted stays in the history or the trash.
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(name == RUN_COMMAND)
        .open_world(false);
    Tool::new(name, lang.pick(about[0], about[1]), object(schema))
        .with_title(lang.pick(title[0], title[1]))
        .with_raw_output_schema(object(output(name)))
        .with_annotations(annotations)
}

fn title(name: &str) -> [&'static str; 2] {
    match name {
        "read_file" => ["读取文件", "Read a file"],
        "write_file" => ["写入文件", "Write a file"],
        "list_files" => ["列出文件", "List files"],
        "get_workspace_info" => ["工作空间概况", "About the workspace"],
        "edit_file" => ["修改文件", "Edit a file"],
        "append_file" => ["追加到文件", "Append to a file"],
        "move_file" => ["移动或重命名", "Move or rename"],
        "delete_file" => ["删除", "Delete"],
        RUN_COMMAND => ["运行命令", "Run a command"],
        _ => ["搜索文件", "Search files"],
    }
}

/// What it gives when it succeeds.
fn output(name: &str) -> Value {
    let (properties, required) = match name {
        "read_file" => (
            json!({"content": {"type": "string"}, "size": {"type": "integer"}, "encoding": {"type": "string"},
                "truncated": {"type": "boolean"}, "nextOffset": {"type": "integer"}}),
            json!(["content", "size", "encoding"]),
        ),
        "list_files" => (
            json!({"files": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}, "type": {"type": "string"}, "size": {"type": "integer"}}}},
                "truncated": {"type": "boolean"}}),
            json!(["files"]),
        ),
        "get_workspace_info" => (
            json!({"fileCount": {"type": "integer"}, "dirCount": {"type": "integer"},
                "totalSize": {"type": "integer"}, "lastModified": {"type": "string"}}),
            json!(["fileCount", "dirCount", "totalSize", "lastModified"]),
        ),
        "search_files" => (
            json!({"matches": {"type": "array", "items": {"type": "object", "properties": {
                "path": {"type": "string"}, "line": {"type": "integer"}, "text": {"type": "string"}}}},
                "truncated": {"type": "boolean"}}),
            json!(["matches", "truncated"]),
        ),
        RUN_COMMAND => (
            json!({"stdout": {"type": "string"}, "stderr": {"type": "string"}, "exitCode": {"type": "integer"},
                "truncated": {"type": "boolean"}}),
            json!(["stdout", "stderr", "exitCode"]),
        ),
        _ => (
            json!({"ok": {"type": "boolean"}, "change": {"type": "string"}}),
            json!(["ok"]),
        ),
    };
    json!({"type": "object", "properties": properties, "required": required})
}

fn described(name: &str) -> ([&'static str; 2], &'static [Argument]) {
    match name {
        "read_file" => (
            [
                "读取任务工作空间中的文件，返回 {content, size, encoding, truncated?, nextOffset?}。大文件用 offset 和 limit 按行分段读取；不是文本的内容以 base64 返回。",
                "Reads a file of the task's workspace and gives {content, size, encoding, truncated?, nextOffset?}. Read large files in parts, by lines, with offset and limit; what is no text comes as base64.",
            ],
            &[
                ("path", "string", true, PATH),
                (
                    "offset",
                    "integer",
                    false,
                    [
                        "跳过的行数（base64 时为字节数）",
                        "Lines to pass over (bytes with base64)",
                    ],
                ),
                (
                    "limit",
                    "integer",
                    false,
                    [
                        "最多返回的行数（base64 时为字节数）",
                        "Lines to give at most (bytes with base64)",
                    ],
                ),
                (
                    "encoding",
                    "string",
                    false,
                    [
                        "utf-8（默认）、base64 或其他编码名，例如 gb18030",
                        "utf-8 (default), base64, or another encoding such as gb18030",
                    ],
                ),
            ],
        ),
        "write_file" => (
            [
                "写入任务工作空间中的整个文件，缺少的文件夹会自动创建，已有内容被替换（历史中保留旧版本）。返回 {ok}。",
                "Writes a whole file of the task's workspace; missing folders are created, what was there is replaced (the history keeps it). Gives {ok}.",
            ],
            &[
                ("path", "string", true, PATH),
                (
                    "content",
                    "string",
                    true,
                    ["文件的全部内容", "All that the file is to hold"],
                ),
            ],
        ),
        "list_files" => (
            [
                "列出任务工作空间中一个文件夹的内容，返回 {files: [{name, type, size}]}，不递归。",
                "Lists one folder of the task's workspace, not those below it: {files: [{name, type, size}]}.",
            ],
            &[(
                "path",
                "string",
                false,
                [
                    "文件夹的相对路径；默认为工作空间本身",
                    "Relative path of the folder; the workspace itself by default",
                ],
            )],
        ),
        "get_workspace_info" => (
            [
                "统计任务的工作空间，返回 {fileCount, dirCount, totalSize, lastModified}。",
                "Counts what is in the task's workspace: {fileCount, dirCount, totalSize, lastModified}.",
            ],
            &[],
        ),
        "edit_file" => (
            [
                "在任务工作空间的一个文本文件中把 old 逐字替换为 new。old 必须恰好出现 count 次（默认 1 次），否则不做修改。返回 {ok}。",
                "Replaces old by new, to the letter, in a text file of the task's workspace. old must be there exactly count times (1 by default), or nothing is changed. Gives {ok}.",
            ],
            &[
                ("path", "string", true, PATH),
                (
                    "old",
                    "string",
                    true,
                    [
                        "要替换的文本，包括缩进和换行",
                        "The text to replace, with its indentation and line ends",
                    ],
                ),
                (
                    "new",
                    "string",
                    true,
                    ["替换后的文本", "What stands there afterwards"],
                ),
                (
                    "count",
                    "integer",
                    false,
                    [
                        "old 应出现的次数；全部替换",
                        "How often old must be there; every one is replaced",
                    ],
                ),
            ],
        ),
        "append_file" => (
            [
                "在任务工作空间的一个文件末尾追加内容，不改动已有的内容；文件不存在时先创建它。返回 {ok}，失败时返回 {error}。",
                "Appends to a file of the task's workspace, which is made if it is missing. Gives {ok}.",
            ],
            &[
                ("path", "string", true, PATH),
                ("content", "string", true, ["追加的内容", "What to append"]),
            ],
        ),
        "move_file" => (
            [
                "在任务工作空间内移动或重命名一个文件或文件夹；目标已存在时拒绝，除非要求覆盖已有的文件。返回 {ok}。",
                "Moves or renames a file or a folder within the task's workspace. Gives {ok}.",
            ],
            &[
                ("from", "string", true, ["现在的相对路径", "Where it is"]),
                ("to", "string", true, ["新的相对路径", "Where it goes"]),
                (
                    "overwrite",
                    "boolean",
                    false,
                    [
                        "替换已有的文件（默认否）",
                        "Replace a file that is there (not by default)",
                    ],
                ),
            ],
        ),
        "delete_file" => (
            [
                "删除任务工作空间中的文件或文件夹；删除的内容进入回收站，可由用户恢复。返回 {ok}。",
                "Deletes a file or a folder of the task's workspace; it goes to the trash, whence the user can bring it back. Gives {ok}.",
            ],
            &[("path", "string", true, PATH)],
        ),
        RUN_COMMAND => (
            [
                "在任务的工作空间中运行 shell 命令（sh -c），返回 {stdout, stderr, exitCode}；退出码非零也是正常结果。命令在沙箱中运行：除用户为该任务放行的主机外没有网络，只能看到工作空间；结束时它启动的所有进程也会结束。危险命令会被禁止，有些命令需要用户同意。",
                "Runs a shell command (sh -c) in the task's workspace and gives {stdout, stderr, exitCode}; an exit code that is not zero is an answer like any other. It runs in a sandbox: no network but the hosts that the user allowed for the task, nothing to see but the workspace, and all that it started ends with it. Dangerous commands are refused, some wait for the user's consent.",
            ],
            &[
                ("command", "string", true, ["shell 命令", "The shell command"]),
                (
                    "timeoutMs",
                    "integer",
                    false,
                    [
                        "时间限制，毫秒（默认 60000，最多 600000）",
                        "Limit of time in milliseconds (60000 by default, at most 600000)",
                    ],
                ),
            ],
        ),
        _ => (
            [
                "在任务工作空间的文件中逐行搜索正则表达式，跳过 .gitignore 忽略的文件。返回 {matches: [{path, line, text}], truncated}。",
                "Searches the files of the task's workspace line by line for a regular expression, without those that .gitignore names. Gives {matches: [{path, line, text}], truncated}.",
            ],
            &[
                (
                    "pattern",
                    "string",
                    true,
                    [
                        "正则表达式（Rust regex 语法）",
                        "Regular expression (syntax of Rust's regex)",
                    ],
                ),
                (
                    "path",
                    "string",
                    false,
                    ["只搜索这个文件或文件夹", "Search only this file or folder"],
                ),
                (
                    "glob",
                    "string",
                    false,
                    [
                        "只搜索名称匹配的文件，例如 *.rs",
                        "Search only files whose names match, for example *.rs",
                    ],
                ),
                (
                    "ignoreCase",
                    "boolean",
                    false,
                    ["不区分大小写", "Upper and lower case are the same"],
                ),
                (
                    "limit",
                    "integer",
                    false,
                    [
                        "最多返回的匹配数（默认 200）",
                        "Matches to give at most (200 by default)",
                    ],
                ),
            ],
        ),
    }
}
