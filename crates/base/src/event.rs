//! Where rooms say what happened. The server gives the sink that stores and streams events;
//! rooms know only this trait.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A state event (CONTRACT, "Events"). Log lines are not events: they are streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// `run.started`, `tool.changed`, …
    pub kind: String,
    /// Cache tags that the event makes stale; the UI refetches what carries them.
    #[serde(default)]
    pub tags: Vec<String>,
    pub data: Value,
}

impl Event {
    pub fn new(kind: &str, data: Value) -> Self {
        Event {
            kind: kind.to_owned(),
            tags: Vec::new(),
            data,
        }
    }

    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }
}

/// Takes events; must not block.
pub trait EventSink: Send + Sync {
    fn emit(&self, event: Event);
}

impl<F: Fn(Event) + Send + Sync> EventSink for F {
    fn emit(&self, event: Event) {
        self(event);
    }
}
