//! What a cell does not say: its number and its type, from the cells before it. The seed wants such
//! conclusions recorded by the Arena, so they are kept apart from the diagnostics.
//!
//! Deliberately not here: where the missing attributes were looked for (`cell`).

use std::collections::VecDeque;

use base::Lang;

use crate::model::{ArenaLog, Cell, CellId, CellType, Document, Entry, EntryType, Level, Log, Part};

use super::{ByName, Reading};

/// What the cells before say about the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Context {
    last: ByName<u64>,
    /// The questions to each originator that nobody has answered, oldest first.
    waits: ByName<VecDeque<CellId>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    pub part: usize,
    pub entry: usize,
    pub about: CellId,
    pub inferred: Inferred,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inferred {
    /// The number, from the last one of the same originator.
    Seq { last: Option<u64> },
    /// INPUT: a cell waits for this originator.
    Input { waiting: CellId },
    /// EXEC: nothing waits for this originator.
    Exec,
}

impl Context {
    pub(super) fn last(&self, originator: &str) -> Option<u64> {
        self.last.get(originator).copied()
    }

    pub(super) fn waiting(&self, originator: &str) -> Option<&CellId> {
        self.waits.get(originator)?.front()
    }

    pub(super) fn saw(&mut self, cell: &Cell) {
        let last = self.last.entry(cell.originator.clone()).or_default();
        *last = (*last).max(cell.seq);
        if cell.kind == CellType::Input
            && let Some(open) = self.waits.get_mut(&cell.originator)
        {
            // The one that it names; the oldest, where it names none.
            let named = open
                .iter()
                .position(|question| cell.depends_on.contains(question));
            open.remove(named.unwrap_or(0));
        }
        for name in cell.waits_for() {
            self.waits
                .entry(name.to_owned())
                .or_default()
                .push_back(cell.id());
        }
    }
}

impl Inference {
    fn log(&self, arena: &str, seq: u64, lang: Lang) -> Log {
        let about = &self.about;
        let (level, message) = match &self.inferred {
            Inferred::Seq { last } => {
                let before = last.map_or_else(|| lang.pick("无", "none").to_owned(), |last| last.to_string());
                let message = match lang {
                    Lang::ZhCn => format!(
                        "{} 的 Cell 缺少 seq 属性；上一个 seq 是 {before}，推断为 {}，即 {about}。",
                        about.originator, about.seq
                    ),
                    Lang::En => format!(
                        "A cell of {} has no seq; the last one is {before}, so it is {}: {about}.",
                        about.originator, about.seq
                    ),
                };
                (Level::Info, message)
            }
            Inferred::Input { waiting } => {
                let message = match lang {
                    Lang::ZhCn => format!("{about} 未指定类型；{waiting} 正在等待其输入，按 INPUT 处理。"),
                    Lang::En => {
                        format!("{about} names no type; {waiting} waits for its input, so it is an INPUT.")
                    }
                };
                (Level::Warn, message)
            }
            Inferred::Exec => {
                let message = match lang {
                    Lang::ZhCn => format!("{about} 未指定类型，且没有单元格在等待其输入，按 EXEC 处理。"),
                    Lang::En => {
                        format!("{about} names no type and no cell waits for its input, so it is an EXEC.")
                    }
                };
                (Level::Warn, message)
            }
        };
        Log::new(arena, level, seq, EntryType::Inference, message)
    }
}

impl Reading {
    /// The document with what was inferred written into it, behind the cell it is about, and at least
    /// one ArenaLog with a log in every canvas that has cells.
    pub fn settled(&self, arena: &str, lang: Lang) -> Document {
        let mut inferences = self.inferences.iter().peekable();
        let mut document = Document::default();
        for (part_index, part) in self.document.parts.iter().enumerate() {
            let Part::Canvas(canvas) = part else {
                document.parts.push(part.clone());
                continue;
            };
            let mut settled = canvas.clone();
            settled.entries.clear();
            for (entry_index, entry) in canvas.entries.iter().enumerate() {
                settled.entries.push(entry.clone());
                let mut logs = Vec::new();
                while let Some(inference) = inferences
                    .next_if(|inference| (inference.part, inference.entry) == (part_index, entry_index))
                {
                    logs.push(inference.log(arena, logs.len() as u64, lang));
                }
                if !logs.is_empty() {
                    settled.entries.push(Entry::ArenaLog(ArenaLog {
                        logs,
                        ..ArenaLog::default()
                    }));
                }
            }
            if settled.cells().next().is_some() && settled.arena_logs().next().is_none() {
                let cells = settled.cells().count();
                let message = match lang {
                    Lang::ZhCn => format!("读取了 {cells} 个单元格；文档中没有 Arena 日志。"),
                    Lang::En => format!("{cells} cells were read; the document had no log of the Arena."),
                };
                let log = Log::new(arena, Level::Info, 0, EntryType::SystemEvent, message);
                settled.entries.push(Entry::ArenaLog(ArenaLog {
                    logs: vec![log],
                    ..ArenaLog::default()
                }));
            }
            document.parts.push(Part::Canvas(settled));
        }
        document
    }
}
