//! Markdown: cells are fenced blocks, what stands between them is text. A block that we write says in
//! braces which cell it is; one of anybody else is a cell when its language is one that runs.
//!
//! Deliberately not here: other Markdown. It stays text.

use crate::model::{Canvas, Cell, CellId, CellType, Stdout, USER, Value, ValueType};
use crate::text::{attribute, push_attribute};

use super::{
    Came, Imported, MARKDOWN, canvas_of, context_of, language_of, listed, reference, references, text_cell,
};

/// What stands around a text that itself has fences.
const BEGIN: &str = "<!-- acp:text -->";
const END: &str = "<!-- acp:end -->";

pub fn to_markdown(canvas: &Canvas) -> String {
    let mut out = String::new();
    let mut after_prose = false;
    for cell in canvas.cells() {
        if !out.is_empty() {
            out.push('\n');
        }
        if cell.kind == CellType::Custom(MARKDOWN.to_owned()) {
            after_prose = push_prose(&mut out, cell.text(), after_prose);
            continue;
        }
        after_prose = false;
        for line in &cell.stdout {
            push_fence(
                &mut out,
                "text",
                &[("stdout", &cell.id().to_string())],
                &line.text,
            );
        }
        if let Some(value) = &cell.value {
            let kind = value.kind.as_ref().filter(|kind| **kind != ValueType::Normal);
            push_cell(&mut out, cell, kind.map(ValueType::word), &value.text);
        } else {
            push_cell(&mut out, cell, Some("none"), "");
        }
    }
    out
}

/// Whether it stands there with nothing around it: then the next one may not, or they were one.
fn push_prose(out: &mut String, text: &str, after_prose: bool) -> bool {
    let fenced = text
        .lines()
        .any(|line| fence_of(line).is_some() || line.trim() == END);
    // Text that reads back as it is needs nothing around it.
    let bare = text.trim_matches(['\n', '\r']) == text && !text.trim().is_empty();
    let plain = !after_prose && !fenced && bare && !text.lines().any(|line| line.trim() == BEGIN);
    if plain {
        out.push_str(text);
        out.push('\n');
    } else {
        let text = text.replace(END, "<!-- acp:end - ->");
        out.push_str(&format!("{BEGIN}\n{text}\n{END}\n"));
    }
    plain
}

fn push_cell(out: &mut String, cell: &Cell, value: Option<&str>, text: &str) {
    let (name, depends_on) = (cell.id().to_string(), references(&cell.depends_on));
    let mut said: Vec<(&str, &str)> = vec![("cell", &name), ("type", cell.kind.word())];
    let optional = [
        ("context", cell.execution_context.as_deref()),
        ("target", cell.target_cognitor.as_deref()),
        ("requester", cell.requester.as_deref()),
        ("value", value),
        (
            "depends_on",
            Some(depends_on.as_str()).filter(|list| !list.is_empty()),
        ),
    ];
    said.extend(
        optional
            .iter()
            .filter_map(|(name, value)| Some((*name, (*value)?))),
    );
    for (name, value) in &cell.attributes {
        said.push((name, value));
    }
    let language = match cell.kind {
        CellType::Exec | CellType::Custom(_) => language_of(cell),
        CellType::Output | CellType::Input => "text",
    };
    push_fence(out, language, &said, text);
}

fn push_fence(out: &mut String, language: &str, said: &[(&str, &str)], text: &str) {
    let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    out.push_str(&format!("{fence}{language} {{acp"));
    for (name, value) in said {
        // An info string is one line, and has no fence in it.
        let mut written = String::new();
        push_attribute(&mut written, name, value);
        out.push_str(
            &written
                .replace('`', "&#96;")
                .replace('\n', "&#10;")
                .replace('\r', "&#13;"),
        );
    }
    out.push_str(&format!("}}\n{text}\n{fence}\n"));
}

/// The marks of a fence, and what stands behind them.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let indented = line.trim_start_matches(' ');
    if line.len() - indented.len() > 3 {
        return None;
    }
    let mark = indented.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = indented.trim_start_matches(mark);
    let marks = &indented[..indented.len() - rest.len()];
    (marks.len() >= 3 && (mark == '~' || !rest.contains('`'))).then_some((marks, rest.trim()))
}

pub fn from_markdown(text: &str) -> Imported {
    let mut reader = Reader::default();
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let bare = line.trim_end_matches(['\n', '\r']);
        if bare.trim() == BEGIN {
            let mut whole = String::new();
            for line in lines.by_ref() {
                if line.trim() == END {
                    break;
                }
                whole.push_str(line);
            }
            reader.prose_over();
            reader.push(text_cell(cut_line_end(&whole, line)), false);
            continue;
        }
        let Some((marks, info)) = fence_of(bare) else {
            reader.prose.push_str(line);
            continue;
        };
        let mut body = String::new();
        let mut written = line.to_owned();
        for line in lines.by_ref() {
            written.push_str(line);
            let end = fence_of(line.trim_end_matches(['\n', '\r']));
            if end.is_some_and(|(end, rest)| {
                rest.is_empty() && end.len() >= marks.len() && end.starts_with(&marks[..1])
            }) {
                break;
            }
            body.push_str(line);
        }
        reader.fence(info, cut_line_end(&body, line), &written);
    }
    reader.prose_over();
    Imported {
        canvas: canvas_of(reader.came),
        pictures: Vec::new(),
    }
}

/// Without the line end that the block puts behind its text: one as its first line has.
fn cut_line_end<'b>(body: &'b str, first: &str) -> &'b str {
    let cut = body.strip_suffix('\n').unwrap_or(body);
    match first.ends_with("\r\n") {
        true => cut.strip_suffix('\r').unwrap_or(cut),
        false => cut,
    }
}

#[derive(Default)]
struct Reader {
    came: Vec<Came>,
    prose: String,
    /// Output of a cell that is still to come.
    stdout: Vec<(CellId, String)>,
}

impl Reader {
    fn push(&mut self, cell: Cell, named: bool) {
        self.came.push(Came { cell, named });
    }

    fn prose_over(&mut self) {
        let prose = std::mem::take(&mut self.prose);
        let text = prose.trim_matches(['\n', '\r']);
        if !text.trim().is_empty() {
            self.push(text_cell(text), false);
        }
    }

    fn fence(&mut self, info: &str, body: &str, written: &str) {
        let language = info.split([' ', '{', '\t']).next().unwrap_or_default();
        let said = info
            .find("{acp")
            .map(|at| said(&info[at + 4..]))
            .unwrap_or_default();
        let found = |name: &str| {
            said.iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        if let Some(of) = found("stdout").and_then(reference) {
            self.prose_over();
            self.stdout.push((of, body.to_owned()));
            return;
        }
        if let Some(id) = found("cell").and_then(reference) {
            self.prose_over();
            let mut cell = Cell::new(
                id.originator.clone(),
                id.seq,
                CellType::of(found("type").unwrap_or("EXEC")),
            );
            cell.execution_context = found("context").map(str::to_owned);
            cell.target_cognitor = found("target").map(str::to_owned);
            cell.requester = found("requester").map(str::to_owned);
            cell.depends_on = listed(found("depends_on").unwrap_or_default());
            cell.value = match found("value") {
                Some("none") => None,
                Some(word) => Some(Value::of(ValueType::of(word), body)),
                None if cell.kind == CellType::Output => Some(Value::of(ValueType::Normal, body)),
                None => Some(Value::plain(body)),
            };
            let own = [
                "cell",
                "type",
                "context",
                "target",
                "requester",
                "depends_on",
                "value",
            ];
            cell.attributes = said
                .iter()
                .filter(|(name, _)| !own.contains(&name.as_str()))
                .cloned()
                .collect();
            let lines = std::mem::take(&mut self.stdout);
            let own = lines.into_iter().filter(|(of, _)| *of == id);
            cell.stdout = (0u64..)
                .zip(own)
                .map(|(seq, (_, text))| Stdout {
                    seq,
                    text,
                    attributes: Vec::new(),
                })
                .collect();
            self.push(cell, true);
            return;
        }
        match context_of(language) {
            Some(context) => {
                self.prose_over();
                let mut cell = Cell::new(USER, 0, CellType::Exec);
                cell.execution_context = Some(context.to_owned());
                cell.value = Some(Value::plain(body));
                self.push(cell, false);
            }
            None => self.prose.push_str(written),
        }
    }
}

/// Attributes up to the closing brace.
fn said(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((name, behind)) = rest.split_once("=\"") {
        let Some((value, behind)) = behind.split_once('"') else {
            break;
        };
        found.push((name.trim().to_owned(), attribute(value)));
        rest = behind;
    }
    found
}
