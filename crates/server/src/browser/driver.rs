//! What a browser must be able to do for the assistant.

use super::error::BrowserError;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// How long a page may take to answer an expression that waits for nothing.
pub(super) const ANSWER: Duration = Duration::from_secs(15);
/// How long a page may take to load before what is there of it is used.
pub(super) const LOAD: Duration = Duration::from_secs(30);

/// In CSS pixels of the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    /// The next pixel.
    pub(crate) fn beside(self) -> Point {
        let x = if self.x >= 1.0 { self.x - 1.0 } else { self.x + 1.0 };
        Point { x, y: self.y }
    }
}

/// Where a page is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Address(url::Url),
    Back,
    Forward,
    Reload,
}

/// What a page asked of its person, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) text: String,
    /// `alert`, `confirm`, `prompt`, `beforeunload`, or `download`.
    pub(crate) kind: String,
    pub(crate) yes: bool,
}

/// Questions of a page until somebody asks for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions(Vec<Asked>);

impl Questions {
    const MOST: usize = 32;
    /// Characters of one.
    const WORDS: usize = 500;

    /// Those that are too many are not kept: they were answered all the same.
    pub(super) fn note(&mut self, kind: &str, text: &str, yes: bool) {
        if self.0.len() < Self::MOST {
            self.0.push(Asked {
                text: base::text::cut(text, Self::WORDS),
                kind: kind.to_owned(),
                yes,
            });
        }
    }

    pub(super) fn take(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.0)
    }
}

/// Events that are the browser's own, as a person's hands make them. A driver without them says so, and the page's
/// script makes them.
#[async_trait]
pub(crate) trait Hands: Send + Sync {
    async fn point(&self, at: Point, press: bool) -> Result<(), BrowserError>;
    /// Into what has the focus.
    async fn type_text(&self, text: &str) -> Result<(), BrowserError>;
    async fn press(&self, key: &super::keys::Key) -> Result<(), BrowserError>;
}

#[async_trait]
pub(crate) trait Driver: Send + Sync {
    /// As it calls itself.
    fn name(&self) -> String;

    fn hands(&self) -> Option<&dyn Hands> {
        None
    }

    /// The value of an expression in the page, once it is there, in at most so long. [`BrowserError::Left`] where the page was
    /// left meanwhile.
    async fn evaluate(&self, expression: &str, most: Duration) -> Result<Value, BrowserError>;

    /// Returns when the page is another one, or could not be loaded.
    async fn go(&self, to: &To) -> Result<(), BrowserError>;

    /// Waits while the page is being loaded, at most [`LOAD`].
    async fn loaded(&self) -> Result<(), BrowserError>;

    /// How many documents it has had: another number is another document.
    fn documents(&self) -> u64;

    /// Whether the next question of the page is answered yes.
    fn answer(&self, yes: bool);

    /// What the page asked since the last time.
    fn asked(&self) -> Vec<Asked>;

    /// The viewport as PNG.
    async fn picture(&self) -> Result<Vec<u8>, BrowserError> {
        Err(BrowserError::NoPicture)
    }

    /// Whether it can still be used.
    fn is_open(&self) -> bool;

    /// Ends it, and what it has kept of pages.
    async fn close(&self);
}
