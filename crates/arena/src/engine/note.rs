//! What the Arena says about itself in the ArenaLog. A model reads it: both languages are here.
//!
//! Deliberately not here: when it says so (`apply`).

use base::Lang;

use crate::model::{CellId, DELEGATION_RESPONSE_RECEIVED, EntryType, LOG_FLAG, Level, Log};

use super::{Language, Outcome, Route};

/// One remark, to be worded.
#[derive(Clone, Debug)]
pub(super) enum Note {
    SeqInferred {
        cell: CellId,
        last: Option<u64>,
    },
    SeqTaken {
        cell: CellId,
        asked: u64,
    },
    TypeInferred {
        cell: CellId,
        input_for: Option<CellId>,
    },
    Routed {
        cell: CellId,
        route: Route,
    },
    Waits {
        output: CellId,
        from: String,
    },
    Answered {
        output: CellId,
        input: CellId,
    },
    Early {
        input: CellId,
    },
    Delegated {
        cell: CellId,
        to: String,
    },
    Response {
        cell: CellId,
        response: CellId,
        more: bool,
    },
    Unasked {
        cell: CellId,
    },
    Finished {
        cell: CellId,
        outcome: Outcome,
    },
    Expects {
        originator: String,
        after: CellId,
    },
    Edited {
        cell: CellId,
        stale: usize,
    },
    NoBehaviour {
        cell: CellId,
        word: String,
    },
    Paused,
    Resumed,
    Stopped,
    Opened {
        cells: usize,
    },
}

impl Note {
    pub(super) fn log(&self, arena: &str, seq: u64, lang: Lang) -> Log {
        let (level, kind) = self.kind();
        let mut log = Log::new(arena, level, seq, kind, self.words(lang));
        if let Note::Response { .. } = self {
            log.attributes
                .push((LOG_FLAG.to_owned(), DELEGATION_RESPONSE_RECEIVED.to_owned()));
        }
        log
    }

    fn kind(&self) -> (Level, EntryType) {
        match self {
            Note::SeqInferred { .. } => (Level::Info, EntryType::Inference),
            Note::SeqTaken { .. } | Note::TypeInferred { .. } => (Level::Warn, EntryType::Inference),
            Note::Routed { .. } | Note::Delegated { .. } => (Level::Info, EntryType::RoutingDecision),
            Note::Early { .. } | Note::Unasked { .. } | Note::NoBehaviour { .. } => {
                (Level::Warn, EntryType::RoutingDecision)
            }
            Note::Finished {
                outcome: Outcome::Done,
                ..
            } => (Level::Info, EntryType::StateTransition),
            Note::Finished { .. } => (Level::Warn, EntryType::StateTransition),
            Note::Waits { .. } | Note::Answered { .. } | Note::Response { .. } | Note::Expects { .. } => {
                (Level::Info, EntryType::StateTransition)
            }
            Note::Edited { .. } | Note::Paused | Note::Resumed | Note::Stopped | Note::Opened { .. } => {
                (Level::Info, EntryType::SystemEvent)
            }
        }
    }

    fn words(&self, lang: Lang) -> String {
        match lang {
            Lang::ZhCn => self.chinese(),
            Lang::En => self.english(),
        }
    }

    fn chinese(&self) -> String {
        match self {
            Note::SeqInferred {
                cell,
                last: Some(last),
            } => {
                format!(
                    "{} 的新 Cell 缺少 seq；上一个 seq 是 {last}，因此当前 Cell 为 {cell}。",
                    cell.originator
                )
            }
            Note::SeqInferred { cell, last: None } => {
                format!("{} 的第一个 Cell 缺少 seq，因此为 {cell}。", cell.originator)
            }
            Note::SeqTaken { cell, asked } => format!("{}:{asked} 已存在，改为 {cell}。", cell.originator),
            Note::TypeInferred {
                cell,
                input_for: Some(output),
            } => {
                format!("{cell} 未指定类型；{output} 正在等待其输入，按 INPUT 处理。")
            }
            Note::TypeInferred {
                cell,
                input_for: None,
            } => format!("{cell} 未指定类型，没有单元格等待其输入，按 EXEC 处理。"),
            Note::Routed { cell, route } => {
                format!("检测到 {cell}。路由: {}。", route_words(route, Lang::ZhCn))
            }
            Note::Waits { output, from } => format!("{output} 调用了 input()，等待 {from} 的 INPUT。"),
            Note::Answered { output, input } => format!("{input} 回答了 {output}，继续执行。"),
            Note::Early { input } => format!("{input} 到达时没有单元格在等待，保留到下一次 input()。"),
            Note::Delegated { cell, to } => format!("{cell} 委托给 {to}，等待其响应。"),
            Note::Response { cell, response, more } => {
                let more = if *more { "，还会有后续响应" } else { "" };
                format!("收到 {cell} 的委托响应 {response}{more}。")
            }
            Note::Unasked { cell } => format!("{cell} 不是对任何等待中请求的响应，仅保留。"),
            Note::Finished { cell, outcome } => {
                format!("{cell} 结束: {}。", outcome_words(*outcome, Lang::ZhCn))
            }
            Note::Expects { originator, after } => {
                format!("{after} 带有 ThenCreateCell，等待 {originator} 创建下一个 Cell。")
            }
            Note::Edited { cell, stale } => format!("{cell} 已修改，{stale} 个单元格过期。"),
            Note::NoBehaviour { cell, word } => format!("{cell} 的类型 {word} 没有登记行为，仅保留。"),
            Note::Paused => "已暂停。".to_owned(),
            Note::Resumed => "已恢复。".to_owned(),
            Note::Stopped => "已停止全部执行。".to_owned(),
            Note::Opened { cells } => format!("打开了包含 {cells} 个单元格的 Canvas。"),
        }
    }

    fn english(&self) -> String {
        match self {
            Note::SeqInferred {
                cell,
                last: Some(last),
            } => {
                format!(
                    "The new cell of {} has no seq; the last one is {last}, so it is {cell}.",
                    cell.originator
                )
            }
            Note::SeqInferred { cell, last: None } => {
                format!(
                    "The first cell of {} has no seq, so it is {cell}.",
                    cell.originator
                )
            }
            Note::SeqTaken { cell, asked } => format!(
                "{}:{asked} is there already; this one is {cell}.",
                cell.originator
            ),
            Note::TypeInferred {
                cell,
                input_for: Some(output),
            } => {
                format!("{cell} names no type; {output} waits for its input, so it is an INPUT.")
            }
            Note::TypeInferred {
                cell,
                input_for: None,
            } => {
                format!("{cell} names no type and nothing waits for its input, so it is an EXEC.")
            }
            Note::Routed { cell, route } => {
                format!("{cell} was submitted. Route: {}.", route_words(route, Lang::En))
            }
            Note::Waits { output, from } => {
                format!("{output} called input() and waits for an INPUT of {from}.")
            }
            Note::Answered { output, input } => format!("{input} answers {output}; its run goes on."),
            Note::Early { input } => format!("Nothing waits for {input}; it is kept for the next input()."),
            Note::Delegated { cell, to } => format!("{cell} is delegated to {to}; its response is awaited."),
            Note::Response { cell, response, more } => {
                let more = if *more { "; more will follow" } else { "" };
                format!("{response} responds to the delegation {cell}{more}.")
            }
            Note::Unasked { cell } => format!("{cell} responds to nothing that is awaited; it is kept."),
            Note::Finished { cell, outcome } => {
                format!("{cell} ended: {}.", outcome_words(*outcome, Lang::En))
            }
            Note::Expects { originator, after } => {
                format!("{after} says ThenCreateCell; {originator} is asked for the next cell.")
            }
            Note::Edited { cell, stale } => format!("{cell} was edited; {stale} cells are stale."),
            Note::NoBehaviour { cell, word } => {
                format!("The type {word} of {cell} has no behaviour; it is kept.")
            }
            Note::Paused => "Paused.".to_owned(),
            Note::Resumed => "Resumed.".to_owned(),
            Note::Stopped => "All runs were stopped.".to_owned(),
            Note::Opened { cells } => format!("A canvas of {cells} cells was opened."),
        }
    }
}

pub(super) fn outcome_words(outcome: Outcome, lang: Lang) -> &'static str {
    match outcome {
        Outcome::Done => lang.pick("完成", "done"),
        Outcome::Failed => lang.pick("失败", "failed"),
        Outcome::Refused => lang.pick("被拒绝", "refused"),
        Outcome::TimedOut => lang.pick("超时", "timed out"),
        Outcome::Interrupted => lang.pick("已中断", "interrupted"),
    }
}

fn route_words(route: &Route, lang: Lang) -> String {
    match route {
        Route::Delegate(to) => format!("{} {to}", lang.pick("委托", "delegate to")),
        Route::Model => lang.pick("语言模型", "language model").to_owned(),
        Route::Code(language) => {
            let name = match language {
                Language::JavaScript => "JavaScript",
                Language::Python => "Python",
                Language::Plain => "plain",
            };
            format!("{} ({name})", lang.pick("执行代码", "code"))
        }
        Route::Shell(context) | Route::Context(context) => {
            format!("{} {context}", lang.pick("上下文", "context"))
        }
    }
}
