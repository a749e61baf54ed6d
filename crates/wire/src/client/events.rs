//! The owner's events as they happen: `GET /api/events`, a JSON object a line, empty lines as
//! heartbeat.

use super::connection::Connection;
use super::{BodyExt, Client, ClientError, Incoming, Request, StatusCode, refusal, whole};
use crate::types::WireEvent;
use bytes::{Buf, BytesMut};
use std::time::Duration;

/// Longest line that is kept; more is no event of ours.
const LINE_LIMIT: usize = 4 * 1024 * 1024;
/// The owner sends something every 15 s. One that is silent for this long is gone.
const SILENCE: Duration = Duration::from_secs(50);

/// Events from one cursor on. The first is `hello`, or what was missed before it.
pub struct EventStream {
    /// Holds the way open.
    _connection: Connection,
    body: Incoming,
    lines: Lines,
}

impl Client {
    /// Follows the events from `cursor`, or from now on.
    pub async fn events(&self, cursor: Option<&str>) -> Result<EventStream, ClientError> {
        let mut connection = Connection::open(&self.socket).await?;
        let address = match cursor {
            // A cursor is `epoch:seq`; both stand in a query as they are.
            Some(cursor) => format!("/api/events?cursor={cursor}"),
            None => "/api/events".to_owned(),
        };
        let response = connection.send(Request::get(address), Vec::new()).await?;
        let (head, body) = response.into_parts();
        if head.status != StatusCode::OK {
            return Err(refusal(head.status, &whole(body).await?));
        }
        Ok(EventStream {
            _connection: connection,
            body,
            lines: Lines::default(),
        })
    }
}

impl EventStream {
    /// The next event; `None` when the owner has ended the stream. Safe to cancel: no event is
    /// lost between two calls.
    pub async fn next(&mut self) -> Result<Option<WireEvent>, ClientError> {
        loop {
            if let Some(event) = self.lines.next()? {
                return Ok(Some(event));
            }
            let frame = tokio::time::timeout(SILENCE, self.body.frame())
                .await
                .map_err(|_| ClientError::Silent)?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(ClientError::Broken(error)),
                Some(Ok(frame)) => {
                    if let Some(bytes) = frame.data_ref() {
                        self.lines.add(bytes);
                    }
                }
            }
        }
    }
}

/// Cuts what arrives into lines.
#[derive(Debug, Default)]
struct Lines {
    rest: BytesMut,
    /// How much of `rest` is known to hold no end of a line.
    looked_at: usize,
}

impl Lines {
    fn add(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    /// The next whole line that is not empty.
    fn next(&mut self) -> Result<Option<WireEvent>, ClientError> {
        while let Some(at) = self.rest[self.looked_at..].iter().position(|byte| *byte == b'\n') {
            let line = self.rest.split_to(self.looked_at + at);
            self.rest.advance(1);
            self.looked_at = 0;
            if !line.trim_ascii().is_empty() {
                return serde_json::from_slice(&line)
                    .map(Some)
                    .map_err(|error| ClientError::BadAnswer(error.to_string()));
            }
        }
        self.looked_at = self.rest.len();
        if self.looked_at > LINE_LIMIT {
            return Err(ClientError::BadAnswer(format!(
                "a line of more than {LINE_LIMIT} bytes"
            )));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(lines: &mut Lines) -> Vec<String> {
        std::iter::from_fn(|| lines.next().unwrap())
            .map(|event| event.kind)
            .collect()
    }

    proptest! {
        #[test]
        fn events_come_whole_however_the_bytes_are_cut(
            kinds in prop::collection::vec("[a-z.\u{4e00}-\u{4e10}]{1,12}", 0..12),
            cuts in prop::collection::vec(1usize..40, 1..30),
            beats in prop::collection::vec(0usize..3, 12),
        ) {
            let mut text = String::new();
            for (kind, beats) in kinds.iter().zip(&beats) {
                text += &"\n".repeat(*beats);
                text += &serde_json::json!({"cursor": "e:1", "kind": kind, "tags": [], "data": null}).to_string();
                text.push('\n');
            }
            let (mut lines, mut seen, mut rest) = (Lines::default(), Vec::new(), text.as_bytes());
            for cut in cuts.iter().cycle() {
                let (now, later) = rest.split_at((*cut).min(rest.len()));
                lines.add(now);
                seen.extend(all(&mut lines));
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(seen, kinds);
        }
    }

    #[test]
    fn what_is_no_event_or_has_no_end_is_an_error() {
        let mut lines = Lines::default();
        lines.add(b"{\"kind\": 1}\n");
        assert!(lines.next().is_err());
        let mut lines = Lines::default();
        lines.add(&vec![b'x'; LINE_LIMIT]);
        assert!(lines.next().unwrap().is_none());
        lines.add(b"x");
        assert!(lines.next().is_err());
    }
}
