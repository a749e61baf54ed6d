//! One record: `[2025-11-18T02:00:08.104Z] [INFO] message`, continuation lines indented, and the
//! wording of the records that the host writes itself (fixed by seed 002 section 6.3.1).

use super::secrets::Secrets;
use base::clock;
use base::name::ToolName;
use serde_json::{Map, Value};
use std::time::Duration;

/// Longer messages are cut: a log is for reading.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;
const MAX_PARAMETER_BYTES: usize = 4 * 1024;
const CONTINUATION: &str = "    ";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error => "ERROR",
        }
    }

    /// Names as loggers and `console` use them.
    pub fn named(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "debug" | "trace" => Some(Level::Debug),
            "info" | "log" => Some(Level::Info),
            "warn" | "warning" => Some(Level::Warn),
            "error" | "fatal" => Some(Level::Error),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub at_ms: i64,
    pub level: Level,
    pub message: String,
}

impl Record {
    pub fn now(level: Level, message: impl Into<String>) -> Self {
        Record {
            at_ms: clock::now_ms(),
            level,
            message: message.into(),
        }
    }

    /// The record as it stands in the file, line ending included.
    pub(super) fn to_text(&self, secrets: &Secrets) -> String {
        let message = cleaned(&self.message, secrets);
        let mut text = format!("[{}] [{}] ", clock::iso_utc(self.at_ms), self.level.name());
        let message = message.trim_end_matches(['\n', '\r']);
        text.push_str(&within(message, MAX_MESSAGE_BYTES).replace('\n', &format!("\n{CONTINUATION}")));
        if message.len() > MAX_MESSAGE_BYTES {
            text.push_str(&format!("… (+{})", size_text(message.len() - MAX_MESSAGE_BYTES)));
        }
        text.push('\n');
        text
    }
}

/// `执行开始 - 工具: T, 参数: {…}`. Values of parameters named like secrets are masked; the log
/// masks known secret values besides; `mask` does so before the text is cut, or half a secret would
/// no longer be known as one.
pub fn started(tool: &ToolName, parameters: &Map<String, Value>, mask: impl Fn(&str) -> String) -> Record {
    let mut shown = Value::Object(parameters.clone());
    super::secrets::mask_named(&mut shown);
    let json = mask(&shown.to_string());
    let cut = within(&json, MAX_PARAMETER_BYTES);
    let rest = match json.len() - cut.len() {
        0 => String::new(),
        rest => format!("… (+{})", size_text(rest)),
    };
    Record::now(Level::Info, format!("执行开始 - 工具: {tool}, 参数: {cut}{rest}"))
}

/// `执行完成 - 结果大小: 125KB, 用时: 1.2s`
pub fn finished(result_bytes: usize, took: Duration) -> Record {
    Record::now(
        Level::Info,
        format!(
            "执行完成 - 结果大小: {}, 用时: {}",
            size_text(result_bytes),
            duration_text(took)
        ),
    )
}

/// `执行失败 - 错误: …`, with the stack below.
pub fn failed(error: &str, stack: Option<&str>) -> Record {
    let mut message = format!("执行失败 - 错误: {}", error.trim_end());
    if let Some(stack) = stack.map(str::trim_end).filter(|stack| !stack.is_empty()) {
        message.push('\n');
        message.push_str(stack);
    }
    Record::now(Level::Error, message)
}

/// `512B`, `1.5KB`, `125KB`, `3.2MB`
pub fn size_text(bytes: usize) -> String {
    const UNITS: [&str; 3] = ["KB", "MB", "GB"];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    // 1023.95 KB would be shown as 1024.
    while size >= 1023.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    match size < 9.95 {
        true => format!("{}{}", one_digit(size), UNITS[unit]),
        false => format!("{size:.0}{}", UNITS[unit]),
    }
}

/// `850ms`, `1.2s`, `2m5s`
pub fn duration_text(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    if took.as_millis() < 1000 {
        format!("{}ms", took.as_millis())
    } else if seconds < 59.95 {
        format!("{}s", one_digit(seconds))
    } else {
        let seconds = seconds.round() as u64;
        format!("{}m{}s", seconds / 60, seconds % 60)
    }
}

fn one_digit(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Plain text without secrets. Looked for twice: as they were given, and as they read when what
/// stood between their letters is gone.
pub(super) fn cleaned(message: &str, secrets: &Secrets) -> String {
    let masked = match cut_by_guest(message) {
        Some((head, note)) => secrets.mask_head(head) + note,
        None => secrets.mask(message),
    };
    secrets.mask(&legible(&masked))
}

/// What is left of a message that was too long for its worker, and what that says about it.
fn cut_by_guest(message: &str) -> Option<(&str, &str)> {
    let digits = message.strip_suffix(" bytes)")?;
    let head = digits.trim_end_matches(|c: char| c.is_ascii_digit());
    let head = head.strip_suffix("… (+")?;
    Some((head, &message[head.len()..]))
}

/// The text without colours, other control characters written out: they would let a tool repaint
/// a terminal or forge a record. Lines stay lines.
pub fn legible(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut chars = message.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => text.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            // Colours: the whole sequence goes.
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                while chars.next().is_some_and(|c| !('\u{40}'..='\u{7e}').contains(&c)) {}
            }
            c if c.is_control() => text.extend(c.escape_default()),
            c => text.push(c),
        }
    }
    text
}

/// The longest head of at most `bytes` bytes.
fn within(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// What a line says when it begins a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head<'l> {
    /// `2025-11-18T02:00:08.104Z`: sorts as text.
    pub(super) at: &'l [u8],
    pub(super) level: Level,
    /// Bytes before the message.
    pub(super) length: usize,
}

/// `None` for a continuation line.
pub(super) fn head(line: &[u8]) -> Option<Head<'_>> {
    const SHAPE: &[u8] = b"[0000-00-00T00:00:00.000Z] [";
    let fits = line.len() > SHAPE.len()
        && SHAPE.iter().zip(line).all(|(shape, byte)| match shape {
            b'0' => byte.is_ascii_digit(),
            shape => shape == byte,
        });
    if !fits {
        return None;
    }
    let rest = &line[SHAPE.len()..];
    let level = [Level::Debug, Level::Info, Level::Warn, Level::Error]
        .into_iter()
        .find(|level| {
            rest.strip_prefix(level.name().as_bytes())
                .is_some_and(|rest| rest.first() == Some(&b']'))
        })?;
    let length = SHAPE.len() + level.name().len() + 1;
    Some(Head {
        at: &line[1..25],
        level,
        length: length + usize::from(line.get(length) == Some(&b' ')),
    })
}

/// What a record of the file says, without time, level and indentation, and whether it was cut at
/// `limit` bytes.
pub(super) fn plain(record: &[u8], limit: usize) -> (String, bool) {
    let message = &record[head(record).map_or(0, |head| head.length)..];
    let ends = message
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b'\n' | b'\r'));
    let message = &message[..message.len() - ends.count()];
    let mut end = message.len().min(limit);
    // Not in the middle of a character.
    while end < message.len() && end > limit.saturating_sub(4) && message[end] & 0xC0 == 0x80 {
        end -= 1;
    }
    let mut text = String::with_capacity(end);
    for (at, line) in String::from_utf8_lossy(&message[..end]).split('\n').enumerate() {
        if at > 0 {
            text.push('\n');
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        text.push_str(match at {
            0 => line,
            _ => line.strip_prefix(CONTINUATION).unwrap_or(line),
        });
    }
    // What is no UTF-8 takes more room than it did.
    let cut = end < message.len() || text.len() > limit;
    text.truncate(text.floor_char_boundary(limit));
    // Lines that were nothing but indentation.
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    (text, cut)
}
