//! Jupyter's notebooks, format 4: a cell that runs is a code cell with its outputs in it, a text a
//! markdown cell, anything else a raw cell. `metadata.acp` of each says what the format cannot, and
//! where in the document it stood; what Jupyter changed or added counts as it is there.
//!
//! Deliberately not here: other formats of notebooks.

use serde_json::{Map, Value as Json, json};

use crate::model::{
    ARTIFACTS, Canvas, Cell, CellId, CellType, EntryType, Level, Log, Stdout, USER, Value, ValueType,
};
use crate::read::ARENA;

use super::{
    Came, ConvertError, Imported, MARKDOWN, canvas_of, context_of, language_of, listed, pictures_of,
    references, text_cell,
};

const FORMAT: u64 = 4;
const MINOR: u64 = 5;

/// `picture`: the PNG of a name (`artifact:ID`) as base64, where there still is one.
pub fn to_ipynb(canvas: &Canvas, picture: &dyn Fn(&str) -> Option<String>) -> String {
    let all: Vec<&Cell> = canvas.cells().collect();
    let executes = |cell: &Cell| {
        cell.kind == CellType::Exec || matches!(&cell.kind, CellType::Custom(word) if word != MARKDOWN)
    };
    let mut outputs: std::collections::HashMap<CellId, Vec<usize>> = std::collections::HashMap::new();
    for (at, cell) in all
        .iter()
        .enumerate()
        .filter(|(_, cell)| cell.kind == CellType::Output)
    {
        let of = |id: &&CellId| {
            all[..at]
                .iter()
                .any(|other| other.id() == **id && executes(other))
        };
        if let Some(of) = cell.depends_on.iter().find(of) {
            outputs.entry(of.clone()).or_default().push(at);
        }
    }
    let placed: std::collections::BTreeSet<usize> = outputs.values().flatten().copied().collect();
    let mut cells = Vec::new();
    for (at, cell) in all.iter().enumerate() {
        if placed.contains(&at) {
            continue;
        }
        let kind = match &cell.kind {
            CellType::Custom(word) if word == MARKDOWN => "markdown",
            _ if executes(cell) => "code",
            _ => "raw",
        };
        let mut one = json!({
            "cell_type": kind, "id": format!("c{at}"), "metadata": {"acp": said(cell, at)},
            "source": lines(cell.text()),
        });
        if kind == "raw" && !cell.stdout.is_empty() {
            let lines: Vec<&str> = cell.stdout.iter().map(|line| line.text.as_str()).collect();
            one["metadata"]["acp"]["stdout"] = json!(lines);
        }
        if kind == "code" {
            let own = outputs.get(&cell.id()).into_iter().flatten();
            let shown: Vec<Json> = own.flat_map(|at| outputs_of(all[*at], *at, picture)).collect();
            one["outputs"] = json!(shown);
            one["execution_count"] = Json::Null;
        }
        cells.push(one);
    }
    let python = all
        .iter()
        .any(|cell| executes(cell) && language_of(cell) == "python");
    let (name, language) = if python {
        ("python3", "python")
    } else {
        ("javascript", "javascript")
    };
    let notebook = json!({
        "nbformat": FORMAT, "nbformat_minor": MINOR, "cells": cells,
        "metadata": {
            "kernelspec": {"name": name, "display_name": name, "language": language},
            "language_info": {"name": language},
        },
    });
    format!("{notebook:#}\n")
}

/// Text as Jupyter writes it: its lines, each with its end.
fn lines(text: &str) -> Json {
    json!(text.split_inclusive('\n').collect::<Vec<_>>())
}

/// What the format has no place for.
fn said(cell: &Cell, at: usize) -> Json {
    let mut out = Map::new();
    out.insert("at".into(), json!(at));
    out.insert("cell".into(), json!(cell.id().to_string()));
    out.insert("type".into(), json!(cell.kind.word()));
    let depends_on = references(&cell.depends_on);
    for (name, value) in [
        ("context", cell.execution_context.as_deref()),
        ("target", cell.target_cognitor.as_deref()),
        ("requester", cell.requester.as_deref()),
        (
            "depends_on",
            Some(depends_on.as_str()).filter(|list| !list.is_empty()),
        ),
        (
            "value",
            match &cell.value {
                None => Some("none"),
                Some(value) => value.kind.as_ref().map(ValueType::word),
            },
        ),
    ] {
        if let Some(value) = value {
            out.insert(name.into(), json!(value));
        }
    }
    Json::Object(out)
}

fn outputs_of(cell: &Cell, at: usize, picture: &dyn Fn(&str) -> Option<String>) -> Vec<Json> {
    let mut shown: Vec<Json> = cell
        .stdout
        .iter()
        .map(|line| {
            // A stream is lines; who prints ends one.
            json!({"output_type": "stream", "name": "stdout", "text": lines(&format!("{}\n", line.text))})
        })
        .collect();
    for name in pictures_of(cell) {
        if let Some(png) = picture(name) {
            shown.push(json!({
                "output_type": "display_data", "data": {"image/png": png, "text/plain": [name]}, "metadata": {},
            }));
        }
    }
    let acp = json!({"acp": said(cell, at)});
    let failed = cell.logs.iter().find(|log| log.kind == Some(EntryType::Error));
    if let Some(failed) = failed {
        // Errors have no metadata; the text beside it has.
        let trace: Vec<&str> = failed.message.lines().collect();
        shown.push(
            json!({"output_type": "error", "ename": "Error", "evalue": failed.message, "traceback": trace}),
        );
    }
    shown.push(json!({
        "output_type": "display_data", "data": {"text/plain": lines(cell.text())}, "metadata": acp,
    }));
    shown
}

pub fn from_ipynb(text: &str) -> Result<Imported, ConvertError> {
    let notebook: Json = serde_json::from_str(text)?;
    let format = notebook["nbformat"].as_u64().unwrap_or(FORMAT);
    if format != FORMAT {
        return Err(ConvertError::Format(format));
    }
    let cells = notebook["cells"].as_array().ok_or(ConvertError::NoCells)?;
    let kernel = &notebook["metadata"]["kernelspec"];
    let language = [
        &notebook["metadata"]["language_info"]["name"],
        &kernel["language"],
        &kernel["name"],
    ];
    let context = language.iter().find_map(|name| context_of(name.as_str()?));
    let mut reader = Reader {
        found: Vec::new(),
        pictures: Vec::new(),
        context,
    };
    for cell in cells {
        reader.cell(cell);
    }
    reader.found.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let came: Vec<Came> = reader.found.into_iter().map(|(_, came)| came).collect();
    Ok(Imported {
        canvas: canvas_of(came),
        pictures: reader.pictures,
    })
}

struct Reader {
    /// With their places: those that were there before say theirs, new ones follow the one before.
    found: Vec<(f64, Came)>,
    pictures: Vec<(CellId, String)>,
    context: Option<&'static str>,
}

/// A list of lines, or a text.
fn text_of(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(lines) => lines.iter().filter_map(Json::as_str).collect(),
        _ => String::new(),
    }
}

impl Reader {
    fn push(&mut self, acp: &Json, came: Came) {
        let last = self.found.last().map_or(-1.0, |(at, _)| *at);
        let at = acp["at"].as_f64().unwrap_or(last + 1e-6);
        self.found.push((at, came));
    }

    fn cell(&mut self, cell: &Json) {
        let acp = &cell["metadata"]["acp"];
        let text = text_of(&cell["source"]);
        let named = named(acp);
        let mut read = match (cell["cell_type"].as_str(), &named) {
            (_, Some(named)) => named.clone(),
            (Some("markdown" | "raw"), None) => text_cell(""),
            (_, None) => {
                let mut code = Cell::new(USER, 0, CellType::Exec);
                code.execution_context = self.context.map(str::to_owned);
                code
            }
        };
        set_text(&mut read, acp, text);
        let lines = acp["stdout"].as_array().map(Vec::as_slice).unwrap_or_default();
        read.stdout = stdout(lines.iter().map(text_of));
        let is_named = named.is_some();
        let id = read.id();
        self.push(
            acp,
            Came {
                cell: read,
                named: is_named,
            },
        );
        let outputs = cell["outputs"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.outputs(outputs, is_named.then_some(id));
    }

    /// `of`: the cell that they belong to, where its name came with it.
    fn outputs(&mut self, outputs: &[Json], of: Option<CellId>) {
        let mut open = Open::default();
        for output in outputs {
            match output["output_type"].as_str() {
                Some("stream") => {
                    let text = text_of(&output["text"]);
                    open.stdout
                        .push(text.strip_suffix('\n').unwrap_or(&text).to_owned());
                }
                Some("error") => {
                    let reason = text_of(&output["evalue"]);
                    open.error = Some(match output["ename"].as_str() {
                        Some(name) if name != "Error" => format!("{name}: {reason}"),
                        _ => reason,
                    });
                }
                Some("display_data" | "execute_result") => {
                    let data = &output["data"];
                    let acp = &output["metadata"]["acp"];
                    if let Some(png) = data["image/png"].as_str() {
                        open.pictures.push(png.split_whitespace().collect());
                        continue;
                    }
                    let text = text_of(&data["text/plain"]);
                    match named(acp) {
                        Some(cell) => self.close(std::mem::take(&mut open), Some((cell, acp)), text, &of),
                        None => open.text.push(text),
                    }
                }
                _ => {}
            }
        }
        if !open.is_empty() {
            let text = std::mem::take(&mut open.text).join("\n");
            self.close(open, None, text, &of);
        }
    }

    fn close(&mut self, open: Open, named: Option<(Cell, &Json)>, text: String, of: &Option<CellId>) {
        let nothing = Json::Null;
        let is_named = named.is_some();
        let (mut cell, acp) = match named {
            Some((cell, acp)) => (cell, acp),
            None => {
                let mut cell = Cell::new(ARENA, 0, CellType::Output);
                cell.depends_on.extend(of.clone());
                (cell, &nothing)
            }
        };
        set_text(&mut cell, acp, text);
        cell.stdout = stdout(open.stdout.into_iter());
        if let Some(message) = open.error {
            let originator = cell.originator.clone();
            cell.logs
                .push(Log::new(originator, Level::Error, 0, EntryType::Error, message));
        }
        // Of a cell whose name is not settled nobody could say whose they are.
        if is_named {
            let id = cell.id();
            self.pictures
                .extend(open.pictures.into_iter().map(|png| (id.clone(), png)));
            cell.attributes.retain(|(name, _)| name != ARTIFACTS);
        }
        self.push(
            acp,
            Came {
                cell,
                named: is_named,
            },
        );
    }
}

#[derive(Default)]
struct Open {
    stdout: Vec<String>,
    text: Vec<String>,
    pictures: Vec<String>,
    error: Option<String>,
}

impl Open {
    fn is_empty(&self) -> bool {
        self.stdout.is_empty() && self.text.is_empty() && self.error.is_none()
    }
}

fn stdout(lines: impl Iterator<Item = String>) -> Vec<Stdout> {
    let numbered = (0u64..).zip(lines);
    numbered
        .map(|(seq, text)| Stdout {
            seq,
            text,
            attributes: Vec::new(),
        })
        .collect()
}

/// The cell that this says, without its text.
fn named(acp: &Json) -> Option<Cell> {
    let id = super::reference(acp["cell"].as_str()?)?;
    let word = |name: &str| acp[name].as_str().map(str::to_owned);
    let mut cell = Cell::new(
        id.originator,
        id.seq,
        CellType::of(acp["type"].as_str().unwrap_or("EXEC")),
    );
    cell.execution_context = word("context");
    cell.target_cognitor = word("target");
    cell.requester = word("requester");
    cell.depends_on = listed(acp["depends_on"].as_str().unwrap_or_default());
    Some(cell)
}

fn set_text(cell: &mut Cell, acp: &Json, text: String) {
    cell.value = match (acp["value"].as_str(), &cell.kind) {
        (Some("none"), _) if text.is_empty() => None,
        (Some(word), _) if word != "none" => Some(Value::of(ValueType::of(word), text)),
        (_, CellType::Output) => Some(Value::of(ValueType::Normal, text)),
        _ => Some(Value::plain(text)),
    };
}
