//! What goes over a queue, in JSON; what is long, in parts.

use crate::society::{Reply, Who};
use async_nats::HeaderMap;
use base::Failure;
use bytes::Bytes;
use llm::Chat;
use serde::{Deserialize, Serialize};

/// Bytes of a conversation: eight pictures as large as they may be, and as much text as no model reads.
pub(super) const LETTER: usize = 96 << 20;
/// Bytes of an answer.
pub(super) const ANSWER: usize = 8 << 20;

/// A question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Letter {
    /// For whom it is.
    pub who: Who,
    /// The service that is asked; none is the default one of whoever answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    pub chat: Chat,
}

pub(super) type Answer = Result<Reply, Failure>;

/// What is in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Who asks, and knows the rest.
    pub(super) owner: String,
    pub(super) id: String,
}

/// A part of a letter that a worker wants.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Fetch {
    pub(super) id: String,
    /// The attempt of a worker: of one that takes it twice, the second is another.
    pub(super) attempt: String,
    pub(super) part: usize,
}

/// An attempt goes on, or leaves the question to another as if it had not been.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Beat {
    pub(super) id: String,
    /// The attempt of a worker: of one that takes it twice, the second is another.
    pub(super) attempt: String,
    #[serde(default)]
    pub(super) leaves: bool,
}

/// A part of an answer, in the headers of its bytes.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) id: String,
    /// The attempt of a worker: of one that takes it twice, the second is another.
    pub(super) attempt: String,
    pub(super) part: usize,
    pub(super) parts: usize,
}

impl Part {
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("Pm-Id", self.id.as_str());
        headers.insert("Pm-Attempt", self.attempt.as_str());
        headers.insert("Pm-Part", self.part.to_string());
        headers.insert("Pm-Parts", self.parts.to_string());
        headers
    }

    pub(super) fn read(headers: Option<&HeaderMap>) -> Option<Part> {
        let headers = headers?;
        let get = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
        Some(Part {
            id: get("Pm-Id")?,
            attempt: get("Pm-Attempt")?,
            part: get("Pm-Part")?.parse().ok()?,
            parts: get("Pm-Parts")?.parse().ok()?,
        })
    }
}

/// What who asks says to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Of so many parts of the letter one comes with it; and how often the question was taken, this time among them.
    Part {
        parts: usize,
        taken: u32,
    },
    Taken,
    /// Another worker is at it.
    Busy,
    /// Nobody wants it any more, or not from this worker.
    Gone,
}

impl Said {
    pub(super) fn headers(self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let said = match self {
            Said::Part { parts, taken } => {
                headers.insert("Pm-Parts", parts.to_string());
                headers.insert("Pm-Taken", taken.to_string());
                "part"
            }
            Said::Taken => "taken",
            Said::Busy => "busy",
            Said::Gone => "gone",
        };
        headers.insert("Pm-Said", said);
        headers
    }

    pub(super) fn read(headers: Option<&HeaderMap>) -> Option<Said> {
        let headers = headers?;
        let get = |name: &str| headers.get(name).map(|value| value.as_str());
        Some(match get("Pm-Said")? {
            "part" => Said::Part {
                parts: get("Pm-Parts")?.parse().ok()?,
                taken: get("Pm-Taken")?.parse().ok()?,
            },
            "taken" => Said::Taken,
            "busy" => Said::Busy,
            "gone" => Said::Gone,
            _ => return None,
        })
    }
}

/// In parts of at most so many bytes, at least one.
pub(super) fn cut(whole: Bytes, size: usize) -> Vec<Bytes> {
    if whole.is_empty() {
        return vec![whole];
    }
    (0..whole.len())
        .step_by(size)
        .map(|at| whole.slice(at..whole.len().min(at + size)))
        .collect()
}
