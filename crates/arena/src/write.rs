//! The canonical spelling. What it writes reads back as the same document, to the byte of every
//! text; writing that again gives the same bytes.
//!
//! The order inside of a cell is fixed: what it depends on, what the schema does not know, logs,
//! output, value, flags. What is unknown stands where no text element is open before it.
//!
//! Deliberately not here: repairs (`read`), the Arena log that a document must have (`Reading::settled`).

use crate::{
    model::{ArenaLog, Attributes, Canvas, Cell, CellId, Document, Entry, Log, Part, Value},
    text::{push_attribute, push_text},
};

pub fn write(document: &Document) -> String {
    let mut out = String::new();
    let mut after_prose = true;
    for part in &document.parts {
        match part {
            Part::Prose(prose) => {
                out.push_str(prose);
                after_prose = true;
            }
            Part::Canvas(canvas) => {
                if !after_prose {
                    out.push('\n');
                }
                push_canvas(&mut out, canvas);
                after_prose = false;
            }
        }
    }
    if !out.is_empty() && !after_prose {
        out.push('\n');
    }
    out
}

/// A document that is this canvas.
pub fn write_canvas(canvas: &Canvas) -> String {
    let mut out = String::new();
    push_canvas(&mut out, canvas);
    out.push('\n');
    out
}

/// One entry, as it stands in a canvas.
pub fn write_entry(entry: &Entry) -> String {
    let mut out = String::new();
    push_entry(&mut out, entry);
    out
}

fn push_canvas(out: &mut String, canvas: &Canvas) {
    out.push_str("<Canvas");
    push_attributes(out, &canvas.attributes);
    out.push_str(">\n");
    for entry in &canvas.entries {
        push_entry(out, entry);
    }
    out.push_str("</Canvas>");
}

fn push_entry(out: &mut String, entry: &Entry) {
    match entry {
        Entry::Cell(cell) => push_cell(out, cell),
        Entry::ArenaLog(log) => push_arena_log(out, log),
        Entry::Other(other) => {
            out.push_str("  ");
            out.push_str(other);
            out.push('\n');
        }
    }
}

fn push_attributes(out: &mut String, attributes: &Attributes) {
    for (name, value) in attributes {
        push_attribute(out, name, value);
    }
}

fn push_optional(out: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        push_attribute(out, name, value);
    }
}

fn push_cell(out: &mut String, cell: &Cell) {
    out.push_str("  <Cell");
    push_attribute(out, "originator", &cell.originator);
    push_attribute(out, "seq", &cell.seq.to_string());
    push_attribute(out, "type", cell.kind.word());
    push_optional(out, "target_cognitor", cell.target_cognitor.as_deref());
    push_optional(out, "execution_context", cell.execution_context.as_deref());
    push_optional(out, "requester", cell.requester.as_deref());
    push_attributes(out, &cell.attributes);
    out.push_str(">\n");
    push_dependencies(out, cell);
    push_unknown(out, "    ", &cell.unknown);
    for log in &cell.logs {
        push_log(out, "    ", log);
    }
    for stdout in &cell.stdout {
        out.push_str("    <stdout");
        push_attribute(out, "seq", &stdout.seq.to_string());
        push_attributes(out, &stdout.attributes);
        out.push('>');
        push_text(out, &stdout.text);
        out.push_str("</stdout>\n");
    }
    for value in cell.value.iter().chain(&cell.more_values) {
        push_value(out, value);
    }
    for flag in &cell.flags {
        out.push_str("    <flag");
        push_attribute(out, "value", &flag.value);
        push_attributes(out, &flag.attributes);
        out.push_str("/>\n");
    }
    out.push_str("  </Cell>\n");
}

fn push_dependencies(out: &mut String, cell: &Cell) {
    if cell.depends_on.is_empty() && cell.depends_attributes.is_empty() {
        return;
    }
    out.push_str("    <depends_on");
    push_attributes(out, &cell.depends_attributes);
    out.push('>');
    let mut said: Vec<&CellId> = Vec::new();
    for id in &cell.depends_on {
        out.push_str("<cell");
        push_attribute(out, "originator", &id.originator);
        push_attribute(out, "seq", &id.seq.to_string());
        // Of a reference that stands there twice the first one says it all.
        if !cell.reference_attributes.is_empty() && !said.contains(&id) {
            let found = cell.reference_attributes.iter().find(|(of, _)| of == id);
            found
                .iter()
                .for_each(|(_, attributes)| push_attributes(out, attributes));
            said.push(id);
        }
        out.push_str("/>");
    }
    out.push_str("</depends_on>\n");
}

fn push_value(out: &mut String, value: &Value) {
    out.push_str("    <value");
    push_optional(out, "type", value.kind.as_ref().map(|kind| kind.word()));
    push_attributes(out, &value.attributes);
    out.push('>');
    push_text(out, &value.text);
    out.push_str("</value>\n");
}

fn push_unknown(out: &mut String, indent: &str, unknown: &[String]) {
    for stray in unknown {
        out.push_str(indent);
        out.push_str(stray);
        out.push('\n');
    }
}

fn push_arena_log(out: &mut String, log: &ArenaLog) {
    out.push_str("  <ArenaLog");
    push_attributes(out, &log.attributes);
    out.push_str(">\n");
    push_unknown(out, "    ", &log.unknown);
    for log in &log.logs {
        push_log(out, "    ", log);
    }
    out.push_str("  </ArenaLog>\n");
}

fn push_log(out: &mut String, indent: &str, log: &Log) {
    out.push_str(indent);
    out.push_str("<log");
    push_optional(out, "originator", log.originator.as_deref());
    push_optional(out, "log_level", log.level.as_ref().map(|level| level.word()));
    push_attribute(out, "seq", &log.seq.to_string());
    push_attributes(out, &log.attributes);
    out.push('>');
    if !log.unknown.is_empty() {
        out.push('\n');
        push_unknown(out, "      ", &log.unknown);
        out.push_str(indent);
    }
    out.push_str("<message");
    push_attributes(out, &log.message_attributes);
    out.push('>');
    push_text(out, &log.message);
    out.push_str("</message>");
    if let Some(kind) = &log.kind {
        out.push_str("<log_entry_type");
        push_attribute(out, "value", kind.word());
        push_attributes(out, &log.kind_attributes);
        out.push_str("/>");
    }
    out.push_str("</log>\n");
}
