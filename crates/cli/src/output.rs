//! Words on the terminal.

use base::{Failure, Lang, Settings};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::io::Write;
use std::process::ExitCode;
use wire::{ClientError, WireError};

/// Why a verb failed.
#[derive(Debug)]
pub enum Failed {
    /// What was typed is wrong: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Work(Box<WireError>),
}

impl Failed {
    pub fn exit(&self) -> ExitCode {
        match self {
            Failed::Usage(_) => ExitCode::from(2),
            Failed::Work(_) => ExitCode::FAILURE,
        }
    }

    pub fn of(failure: &Failure) -> Self {
        Failed::Work(Box::new(server::worded(failure, language())))
    }
}

impl From<ClientError> for Failed {
    fn from(error: ClientError) -> Self {
        match error {
            // Worded by the owner already.
            ClientError::Call(error) => Failed::Work(Box::new(error)),
            other => Failed::of(&Failure::from(other)),
        }
    }
}

macro_rules! failed_from {
    ($($error:ty),*) => {$(
        impl From<$error> for Failed {
            fn from(error: $error) -> Self {
                Failed::of(&Failure::from(error))
            }
        }
    )*};
}
failed_from!(base::HomeError, server::OwnerError, server::backup::BackupError);

/// The person's language, before there is an owner to ask.
fn language() -> Lang {
    let settings = base::DataHome::locate(None)
        .ok()
        .and_then(|home| Settings::load(&home.settings()).ok());
    settings
        .and_then(|settings| settings.language)
        .unwrap_or_default()
}

/// A failure as models and programs see it: `{error, …arguments, message}`.
pub fn flat(failed: &Failed) -> Value {
    match failed {
        Failed::Usage(text) => serde_json::json!({"error": "invalid_args", "message": text}),
        Failed::Work(error) => server::flat(error),
    }
}

/// A file that the person named cannot be used.
pub fn file(path: &std::path::Path, error: &std::io::Error) -> Failed {
    let failure = Failure::new("file_io")
        .with("path", path.display().to_string())
        .with("reason", error.to_string());
    Failed::of(&failure)
}

pub fn failed(failed: &Failed, json: bool) {
    match failed {
        Failed::Usage(text) => aside(&format!("pm: {text}")),
        Failed::Work(error) if json => print(error),
        Failed::Work(error) => {
            aside(&format!("pm: {}", error.message));
            if let Some(hint) = &error.hint {
                aside(&format!("    {hint}"));
            }
        }
    }
}

/// Something to know while waiting; no failure.
pub fn note(code: &str) {
    let words = server::worded(&Failure::new(code), language());
    aside(&format!(
        "pm: {} {}",
        words.message,
        words.hint.unwrap_or_default()
    ));
}

/// Pretty JSON on standard output.
pub fn print<T: Serialize>(value: &T) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => line(&text),
        Err(error) => aside(&format!("pm: {error}")),
    }
}

/// A text on standard output, as it is.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A line on standard output; a reader that went away is not our failure.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{}", visible(text));
}

/// The same on standard error, beside what is asked for. `eprintln!` would panic where nobody reads any more.
pub fn aside(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = writeln!(out, "{}", visible(text));
}

/// What a terminal obeys, or what turns the order of letters, is shown by its number: texts of foreign
/// servers and tools come here as well, and a person decides by what she reads.
fn visible(text: &str) -> Cow<'_, str> {
    let hides = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t' | '\r')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    // A return is a part of the end of a line and nothing else.
    let returns = text.replace("\r\n", "\n").contains('\r');
    if !returns && !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match hides(c) || c == '\r' && rest.peek() != Some(&'\n') {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        for plain in ["a\tb\r\nc", "👩\u{200d}💻 中文", ""] {
            assert_eq!(visible(plain), plain);
        }
        assert_eq!(visible("a\u{1b}[8mb"), "a\\u{1b}[8mb");
        assert_eq!(visible("shown\rhidden"), "shown\\u{d}hidden");
        assert_eq!(visible("\u{202e}abc\u{9b}"), "\\u{202e}abc\\u{9b}");
    }
}
