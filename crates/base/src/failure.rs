//! One shape for every failure that leaves its crate: a code, arguments, nothing worded.
//!
//! Libraries define `thiserror` enums and say their code through [`Coded`]; the words in
//! the reader's language are chosen at the border (`server::words`). A code exists only
//! if somebody branches on it or a person needs different advice for it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// Named values that the worded message is filled with.
pub type Args = Map<String, Value>;

/// An error that knows its stable code.
pub trait Coded: std::error::Error {
    /// Stable, `snake_case`; listed in `resources/words/*.json`.
    fn code(&self) -> &'static str;

    /// Values for the message's placeholders.
    fn args(&self) -> Args {
        Args::new()
    }
}

/// A failure on its way to the border.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub code: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub args: Args,
    /// The technical text of the error and its sources, in English, for logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Failure {
    pub fn new(code: impl Into<String>) -> Self {
        Failure {
            code: code.into(),
            args: Args::new(),
            detail: String::new(),
        }
    }

    pub fn of(error: &impl Coded) -> Self {
        Failure {
            code: error.code().to_owned(),
            args: error.args(),
            detail: chain(error),
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn detail(mut self, text: impl Into<String>) -> Self {
        self.detail = text.into();
        self
    }

    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.args.get(name)
    }
}

impl<E: Coded> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::of(&error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail.is_empty() {
            write!(f, "{}", self.code)
        } else {
            write!(f, "{}: {}", self.code, self.detail)
        }
    }
}

/// The error and everything below it, joined by ": ".
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        source = inner.source();
    }
    text
}

/// Builds [`Args`]: `args! { path: p, limit: 10 }`.
#[macro_export]
macro_rules! args {
    ($($name:ident : $value:expr),* $(,)?) => {{
        #[allow(unused_mut)]
        let mut args = $crate::Args::new();
        $(args.insert(stringify!($name).to_owned(), serde_json::json!($value));)*
        args
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::io::Error);

    impl Coded for Outer {
        fn code(&self) -> &'static str {
            "outer"
        }
        fn args(&self) -> Args {
            args! { n: 1 }
        }
    }

    #[test]
    fn detail_keeps_the_chain_and_args_survive_json() {
        let failure = Failure::from(Outer(std::io::Error::other("disk is full")));
        assert_eq!(failure.detail, "outer: disk is full");
        let back: Failure = serde_json::from_str(&serde_json::to_string(&failure).unwrap()).unwrap();
        assert_eq!(back, failure);
        assert_eq!(back.arg("n"), Some(&Value::from(1)));
    }
}
