//! A cell as JSON, the way CONTRACT has it.
//!
//! Deliberately not here: the state that a cell is in; whoever knows it passes its word.

use serde_json::{Map, Value as Json, json};

use crate::model::{Attributes, Cell, CellId, Log};

pub fn cell_json(cell: &Cell, state: &str) -> Json {
    let mut out = Map::new();
    out.insert("originator".into(), json!(cell.originator));
    out.insert("seq".into(), json!(cell.seq));
    out.insert("type".into(), json!(cell.kind.word()));
    for (name, value) in [
        ("targetCognitor", &cell.target_cognitor),
        ("executionContext", &cell.execution_context),
        ("requester", &cell.requester),
    ] {
        if let Some(value) = value {
            out.insert(name.into(), json!(value));
        }
    }
    let depends_on: Vec<Json> = cell
        .depends_on
        .iter()
        .map(|CellId { originator, seq }| json!({"originator": originator, "seq": seq}))
        .collect();
    out.insert("dependsOn".into(), json!(depends_on));
    if let Some(value) = &cell.value {
        let kind = value.kind.as_ref().map_or("NORMAL", |kind| kind.word());
        out.insert("value".into(), json!({"text": value.text, "type": kind}));
    }
    let stdout: Vec<Json> = cell
        .stdout
        .iter()
        .map(|line| json!({"seq": line.seq, "text": line.text}))
        .collect();
    out.insert("stdout".into(), json!(stdout));
    out.insert("logs".into(), cell.logs.iter().map(log_json).collect());
    out.insert(
        "flags".into(),
        cell.flags.iter().map(|flag| flag.value.as_str()).collect(),
    );
    out.insert("attributes".into(), attributes(&cell.attributes));
    out.insert("state".into(), json!(state));
    Json::Object(out)
}

pub fn log_json(log: &Log) -> Json {
    let mut out = Map::new();
    if let Some(originator) = &log.originator {
        out.insert("originator".into(), json!(originator));
    }
    if let Some(level) = &log.level {
        out.insert("level".into(), json!(level.word()));
    }
    out.insert("seq".into(), json!(log.seq));
    out.insert("message".into(), json!(log.message));
    if let Some(kind) = &log.kind {
        out.insert("type".into(), json!(kind.word()));
    }
    Json::Object(out)
}

/// Of an attribute that was written twice the first one counts.
fn attributes(attributes: &Attributes) -> Json {
    let mut out = Map::new();
    for (name, value) in attributes {
        out.entry(name.clone()).or_insert_with(|| json!(value));
    }
    Json::Object(out)
}
