//! Canvases of cells as MCP tools: open, append, run, answer. Each change waits a while for what it begins
//! and gives what stands in the document since, as text: a model reads and writes the format itself.

use super::tools::object;
use crate::app::App;
use crate::calls::waited_for;
use crate::cells::Notebook;
use crate::tokens::Scope;
use arena::{Entry, write_canvas, write_entry};
use base::{Failure, Lang};
use rmcp::model::{Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use wire::{
    Api as _, Caller, CanvasCreate, CanvasFormat, CanvasQuery, CellAnswer, CellAppend, CellDraft, CellRef,
    CellRun,
};

pub(super) const NAMES: [&str; 5] = [CREATE, OPEN, APPEND, RUN, ANSWER];
const CREATE: &str = "arena_create";
const OPEN: &str = "arena_open";
const APPEND: &str = "arena_append";
const RUN: &str = "arena_run";
const ANSWER: &str = "arena_answer";

/// Bytes of a document that are given: its end.
const DOCUMENT: usize = 100 * 1024;
/// How long a change waits for what it begins.
const PATIENCE: Duration = Duration::from_secs(40);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    title: Option<String>,
    text: Option<String>,
    #[serde(default)]
    format: CanvasFormat,
    task_id: Option<String>,
}

#[derive(Deserialize)]
struct Open {
    canvas: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Append {
    canvas: String,
    text: String,
    r#type: Option<String>,
    execution_context: Option<String>,
    target_cognitor: Option<String>,
    /// `User:0`
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
}

#[derive(Deserialize)]
struct Run {
    canvas: String,
    cell: String,
}

#[derive(Deserialize)]
struct Answer {
    canvas: String,
    question: Option<String>,
    text: String,
}

pub(super) async fn call(
    app: &App,
    caller: &Caller,
    scope: &Scope,
    name: &str,
    arguments: Value,
    cancel: &CancellationToken,
) -> Result<Value, Failure> {
    match name {
        CREATE => {
            let asked: Create = super::read(arguments)?;
            if let Some(task) = &asked.task_id {
                allowed(scope, task)?;
            }
            let params = CanvasCreate {
                title: asked.title,
                text: asked.text,
                format: asked.format,
                task_id: asked.task_id,
            };
            let made = app.cells_create(caller, params).await?;
            given(app, &made.canvas.id, None).await
        }
        OPEN => match super::read::<Open>(arguments)?.canvas {
            Some(canvas) => {
                opened(app, scope, &canvas).await?;
                given(app, &canvas, None).await
            }
            None => {
                let mut found = app.cells_list(caller, CanvasQuery::default()).await?.canvases;
                found.retain(|row| row.task_id.as_ref().is_none_or(|task| scope.has_task(task)));
                let rows = found.iter().map(|row| {
                    json!({"canvas": row.id, "title": row.title, "cells": row.cells, "version": row.version})
                });
                Ok(json!({"canvases": rows.collect::<Vec<_>>()}))
            }
        },
        APPEND => {
            let asked: Append = super::read(arguments)?;
            let (notebook, from) = opened(app, scope, &asked.canvas).await?;
            let depends_on = asked.depends_on.iter().map(|one| reference(one));
            let cell = CellDraft {
                originator: None,
                // Said, so that it is never taken for the answer to a question.
                r#type: asked.r#type.or_else(|| Some("EXEC".to_owned())),
                target_cognitor: asked.target_cognitor,
                execution_context: asked.execution_context,
                depends_on: depends_on.collect::<Result<_, _>>()?,
                text: asked.text,
                flags: asked.flags,
            };
            let canvas = asked.canvas;
            let params = CellAppend {
                canvas: canvas.clone(),
                cell,
            };
            app.cells_append(caller, params).await?;
            waited(app, &notebook, &canvas, from, cancel).await
        }
        RUN => {
            let asked: Run = super::read(arguments)?;
            let (notebook, from) = opened(app, scope, &asked.canvas).await?;
            let params = CellRun {
                canvas: asked.canvas.clone(),
                cell: reference(&asked.cell)?,
            };
            app.cells_run(caller, params).await?;
            waited(app, &notebook, &asked.canvas, from, cancel).await
        }
        _ => {
            let asked: Answer = super::read(arguments)?;
            let (notebook, from) = opened(app, scope, &asked.canvas).await?;
            let params = CellAnswer {
                canvas: asked.canvas.clone(),
                question: asked.question.as_deref().map(reference).transpose()?,
                text: asked.text,
            };
            app.cells_answer(caller, params).await?;
            waited(app, &notebook, &asked.canvas, from, cancel).await
        }
    }
}

fn allowed(scope: &Scope, task: &str) -> Result<(), Failure> {
    match scope.has_task(task) {
        true => Ok(()),
        false => Err(Failure::new("out_of_scope").with("what", base::text::cut(task, super::NAME))),
    }
}

/// A canvas whose task this client may use, and how many entries it has.
async fn opened(app: &App, scope: &Scope, canvas: &str) -> Result<(Arc<Notebook>, usize), Failure> {
    let notebook = app.canvas(canvas).await?;
    let entries = {
        let kept = notebook.look().await;
        if let Some(task) = &kept.row.task {
            allowed(scope, task)?;
        }
        kept.state.canvas().entries.len()
    };
    Ok((notebook, entries))
}

/// `User:0`
fn reference(word: &str) -> Result<CellRef, Failure> {
    let parts = word.trim().rsplit_once(':');
    let read = parts.and_then(|(originator, seq)| {
        Some(CellRef {
            originator: originator.to_owned(),
            seq: seq.trim().parse().ok()?,
        })
    });
    read.ok_or_else(|| Failure::new("cell_not_found").with("cell", base::text::cut(word, super::NAME)))
}

async fn waited(
    app: &App,
    notebook: &Notebook,
    canvas: &str,
    from: usize,
    cancel: &CancellationToken,
) -> Result<Value, Failure> {
    tokio::select! {
        () = notebook.settled(PATIENCE) => {}
        // The client is gone; the cell runs on, as it does in the window.
        () = cancel.cancelled() => {}
        () = app.inner.ending.cancelled() => {}
    }
    given(app, canvas, Some(from)).await
}

/// The document, or what stands in it from this entry on.
async fn given(app: &App, canvas: &str, from: Option<usize>) -> Result<Value, Failure> {
    let notebook = app.canvas(canvas).await?;
    let kept = notebook.look().await;
    let text = match from {
        None => write_canvas(kept.state.canvas()),
        // A replaced document may have fewer.
        Some(from) => {
            let entries = kept.state.canvas().entries.get(from..).unwrap_or_default();
            entries.iter().map(|entry: &Entry| write_entry(entry)).collect()
        }
    };
    let begin = text.ceil_char_boundary(text.len().saturating_sub(DOCUMENT));
    let mut given = json!({"canvas": canvas, "version": kept.row.events, "text": &text[begin..]});
    if begin > 0 {
        given["truncated"] = true.into();
    }
    let (questions, delegations) = waited_for(&kept.state);
    for (name, list) in [
        ("questions", json!(questions)),
        ("delegations", json!(delegations)),
    ] {
        if list.as_array().is_some_and(|list| !list.is_empty()) {
            given[name] = list;
        }
    }
    if kept.is_busy() {
        given["running"] = true.into();
    }
    Ok(given)
}

/// One argument: name, schema, whether it must be given, words.
type Argument = (&'static str, fn() -> Value, bool, [&'static str; 2]);

fn text() -> Value {
    json!({"type": "string"})
}

fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn formats() -> Value {
    json!({"type": "string", "enum": ["acp", "markdown", "ipynb"]})
}

const CANVAS: Argument = ("canvas", text, true, ["Canvas 的编号", "Id of the canvas"]);

pub(super) fn tools(lang: Lang) -> Vec<Tool> {
    NAMES.iter().map(|name| tool(name, lang)).collect()
}

fn tool(name: &'static str, lang: Lang) -> Tool {
    let (title, about, arguments) = described(name);
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    for (name, schema, needed, words) in arguments {
        let mut schema = schema();
        schema["description"] = lang.pick(words[0], words[1]).into();
        properties.insert((*name).to_owned(), schema);
        if *needed {
            required.push(*name);
        }
    }
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let output = json!({"type": "object", "properties": {
        "canvas": {"type": "string"}, "version": {"type": "integer"}, "text": {"type": "string"},
        "truncated": {"type": "boolean"}, "running": {"type": "boolean"},
        "questions": {"type": "array", "items": {"type": "object"}},
        "delegations": {"type": "array", "items": {"type": "object"}},
        "canvases": {"type": "array", "items": {"type": "object"}},
    }});
    let annotations = ToolAnnotations::new()
        .read_only(name == OPEN)
        .destructive(false)
        .open_world(name != OPEN);
    Tool::new(name, lang.pick(about[0], about[1]), object(schema))
        .with_title(lang.pick(title[0], title[1]))
        .with_raw_output_schema(object(output))
        .with_annotations(annotations)
}

fn described(name: &str) -> ([&'static str; 2], [&'static str; 2], &'static [Argument]) {
    match name {
        CREATE => (
            ["新建 Canvas", "New canvas"],
            [
                "新建一份 ACP Canvas（单元格文档），可用已有的文档（.acp.xml、Markdown、.ipynb）开始；其中的单元格不会自动运行。返回 {canvas, version, text}。",
                "Makes a new ACP Canvas, a document of cells, empty or from a document (.acp.xml, Markdown, .ipynb) of which nothing is run. Gives {canvas, version, text}.",
            ],
            &[
                ("title", text, false, ["标题", "Title"]),
                ("text", text, false, ["开始时的文档", "A document to begin with"]),
                (
                    "format",
                    formats,
                    false,
                    ["文档的格式，默认 acp", "Its format, acp by default"],
                ),
                (
                    "taskId",
                    text,
                    false,
                    [
                        "shell 单元格在这个任务的工作空间中运行",
                        "Task in whose workspace shell cells run",
                    ],
                ),
            ],
        ),
        OPEN => (
            ["打开 Canvas", "Open a canvas"],
            [
                "读取一份 Canvas：{canvas, version, text, questions?, delegations?}；text 是 ACP 文档。不给 canvas 时列出全部：{canvases: [{canvas, title, cells, version}]}。",
                "Reads a canvas: {canvas, version, text, questions?, delegations?}, where text is the ACP document. Without canvas it lists all: {canvases: [{canvas, title, cells, version}]}.",
            ],
            &[(
                "canvas",
                text,
                false,
                [
                    "Canvas 的编号；不给则列出全部",
                    "Id of the canvas; all are listed without it",
                ],
            )],
        ),
        APPEND => (
            ["追加单元格", "Append a cell"],
            [
                "在 Canvas 末尾以你的名字追加一个单元格并等它运行，返回此后新增的内容 {canvas, version, text, questions?, delegations?, running?}。EXEC（默认）会运行：JavaScript 和 Python 的变量在单元格之间保留，可用 print、await input(\"提示\")、await tool(\"名称\", {...})、getCanvas()；execution_context 可为 javascript、python、local_bash_shell。委托给你的单元格（delegations）用 type: OUTPUT 和 dependsOn 回答。",
                "Puts a cell of your name at the end of a canvas, waits for what it runs, and gives what was added: {canvas, version, text, questions?, delegations?, running?}. An EXEC (default) runs: variables of JavaScript and of Python stay from cell to cell, with print, await input(\"hint\"), await tool(\"name\", {...}) and getCanvas(); executionContext is javascript, python, local_bash_shell… A cell that was delegated to you (delegations) is answered with type OUTPUT and dependsOn.",
            ],
            &[
                CANVAS,
                ("text", text, true, ["单元格的内容", "What the cell says"]),
                (
                    "type",
                    text,
                    false,
                    [
                        "EXEC（默认）、INPUT、OUTPUT、MARKDOWN 等",
                        "EXEC (default), INPUT, OUTPUT, MARKDOWN…",
                    ],
                ),
                (
                    "executionContext",
                    text,
                    false,
                    [
                        "javascript、python、local_bash_shell 等；不给则按内容判断",
                        "javascript, python, local_bash_shell…; told from the text when absent",
                    ],
                ),
                (
                    "targetCognitor",
                    text,
                    false,
                    ["委托给谁，例如 User", "Whom it is delegated to, for example User"],
                ),
                (
                    "dependsOn",
                    texts,
                    false,
                    [
                        "依赖的单元格，例如 [\"User:0\"]",
                        "Cells that it depends on, for example [\"User:0\"]",
                    ],
                ),
                (
                    "flags",
                    texts,
                    false,
                    ["例如 [\"ThenCreateCell\"]", "For example [\"ThenCreateCell\"]"],
                ),
            ],
        ),
        RUN => (
            ["运行单元格", "Run a cell"],
            [
                "再次运行一个单元格并等它结束，返回新增的内容。",
                "Runs a cell again, waits for it, and gives what was added.",
            ],
            &[
                CANVAS,
                (
                    "cell",
                    text,
                    true,
                    ["单元格，例如 User:0", "The cell, for example User:0"],
                ),
            ],
        ),
        _ => (
            ["回答问题", "Answer a question"],
            [
                "回答 Canvas 中等待的 input()。问用户的问题请先问用户，再转达其原话；INPUT 会注明由你转达。返回新增的内容。",
                "Answers an input() that waits in a canvas. What is asked of the user ask the user, and pass on the very words; the INPUT says that you brought it. Gives what was added.",
            ],
            &[
                CANVAS,
                (
                    "question",
                    text,
                    false,
                    [
                        "提问的 OUTPUT，例如 Arena:0；默认最早的问题",
                        "The OUTPUT that asks, for example Arena:0; the oldest question by default",
                    ],
                ),
                ("text", text, true, ["回答", "The answer"]),
            ],
        ),
    }
}
