//! Words on the terminal.

use base::{Failure, Lang, Settings};
use serde::Serialize;
use serde_json::Value;
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
failed_from!(base::HomeError, server::OwnerError);

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
        Failed::Usage(text) => eprintln!("pm: {text}"),
        Failed::Work(error) if json => print(error),
        Failed::Work(error) => {
            eprintln!("pm: {}", error.message);
            if let Some(hint) = &error.hint {
                eprintln!("    {hint}");
            }
        }
    }
}

/// Something to know while waiting; no failure.
pub fn note(code: &str) {
    let words = server::worded(&Failure::new(code), language());
    eprintln!("pm: {} {}", words.message, words.hint.unwrap_or_default());
}

/// Pretty JSON on standard output.
pub fn print<T: Serialize>(value: &T) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => line(&text),
        Err(error) => eprintln!("pm: {error}"),
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
    let _ = writeln!(out, "{text}");
}
