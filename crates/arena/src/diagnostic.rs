//! What the reader repaired and what `check` found, by stable code and place.
//!
//! Deliberately not here: the finding itself (`read`, `check`).

use base::Lang;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    UnclosedElement,
    MismatchedEnd,
    UnknownElement,
    UnknownAttribute,
    MissingOriginator,
    MissingSeq,
    MissingType,
    DuplicateSeq,
    DanglingDependency,
    DependencyCycle,
    WrongOrder,
    MissingArenaLog,
    LegacySpelling,
    AmbiguousValueEnd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Understood as it stands; `fmt` would spell it otherwise.
    Info,
    /// Understood by a guess.
    Warning,
    /// The document contradicts itself.
    Error,
}

/// Lines and columns count from 1; a column is a character, not a byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub line: usize,
    pub column: usize,
    /// What it is about: an element, an attribute, a cell.
    pub subject: String,
}

impl Code {
    pub fn word(self) -> &'static str {
        match self {
            Code::UnclosedElement => "unclosed_element",
            Code::MismatchedEnd => "mismatched_end",
            Code::UnknownElement => "unknown_element",
            Code::UnknownAttribute => "unknown_attribute",
            Code::MissingOriginator => "missing_originator",
            Code::MissingSeq => "missing_seq",
            Code::MissingType => "missing_type",
            Code::DuplicateSeq => "duplicate_seq",
            Code::DanglingDependency => "dangling_dependency",
            Code::DependencyCycle => "dependency_cycle",
            Code::WrongOrder => "wrong_order",
            Code::MissingArenaLog => "missing_arena_log",
            Code::LegacySpelling => "legacy_spelling",
            Code::AmbiguousValueEnd => "ambiguous_value_end",
        }
    }

    pub fn severity(self) -> Severity {
        match self {
            Code::UnknownElement | Code::UnknownAttribute | Code::LegacySpelling | Code::MissingSeq => {
                Severity::Info
            }
            Code::UnclosedElement
            | Code::MismatchedEnd
            | Code::MissingOriginator
            | Code::MissingType
            | Code::MissingArenaLog
            | Code::WrongOrder
            | Code::AmbiguousValueEnd => Severity::Warning,
            Code::DuplicateSeq | Code::DanglingDependency | Code::DependencyCycle => Severity::Error,
        }
    }
}

impl Diagnostic {
    /// The message of CONTRACT's diagnostic, for a person or a model.
    pub fn message(&self, lang: Lang) -> String {
        let pattern = match self.code {
            Code::UnclosedElement => lang.pick("{} 没有结束标记", "{} is not closed"),
            Code::MismatchedEnd => lang.pick("结束标记不匹配: {}", "end tag does not match: {}"),
            Code::UnknownElement => lang.pick("未知内容，原样保留: {}", "unknown content, kept as it is: {}"),
            Code::UnknownAttribute => {
                lang.pick("未知属性，原样保留: {}", "unknown attribute, kept as it is: {}")
            }
            Code::MissingOriginator => lang.pick("缺少 originator: {}", "no originator: {}"),
            Code::MissingSeq => lang.pick("缺少 seq，按顺序推断: {}", "no seq, taken from the order: {}"),
            Code::MissingType => lang.pick(
                "缺少 type，根据上下文推断: {}",
                "no type, taken from the context: {}",
            ),
            Code::DuplicateSeq => lang.pick("重复的 seq: {}", "the same seq twice: {}"),
            Code::DanglingDependency => lang.pick(
                "依赖的单元格不存在: {}",
                "depends on a cell that is not there: {}",
            ),
            Code::DependencyCycle => lang.pick("依赖成环: {}", "dependencies form a cycle: {}"),
            Code::WrongOrder => lang.pick("顺序不对: {}", "out of order: {}"),
            Code::MissingArenaLog => lang.pick(
                "Canvas 中没有 ArenaLog 日志{}",
                "the canvas has no ArenaLog with a log{}",
            ),
            Code::LegacySpelling => lang.pick("非规范写法: {}", "not the canonical spelling: {}"),
            Code::AmbiguousValueEnd => lang.pick(
                "内容中的标记被当作文本: {}",
                "a tag inside the text was taken as text: {}",
            ),
        };
        pattern.replacen("{}", &self.subject, 1)
    }
}
