//! `GET /api/events?cursor=…`: newline-delimited events, from a cursor or from now.

use super::{failed, guard};
use crate::app::App;
use axum::body::Body;
use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use base::Failure;
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;
use store::{Cursor, Since, StoredEvent};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use wire::{Access, Caller, WireEvent};

/// An empty line now and then tells both sides that the other is there.
const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(super) struct From {
    cursor: Option<String>,
}

pub(super) async fn stream(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Query(from): Query<From>,
    headers: HeaderMap,
) -> Response {
    let lang = guard::language(&headers, app.lang());
    if caller.access < Access::Client {
        return failed(&Failure::new("access_denied").with("call", "events"), lang);
    }
    match begin(&app, from.cursor.as_deref()).await {
        Ok(follow) => {
            let body = Body::from_stream(stream::unfold(follow, |mut follow| async {
                let line = follow.next().await?;
                Some((Ok::<_, Infallible>(line), follow))
            }));
            (
                [
                    (CONTENT_TYPE, "application/x-ndjson"),
                    (CACHE_CONTROL, "no-store"),
                ],
                body,
            )
                .into_response()
        }
        Err(failure) => failed(&failure, lang),
    }
}

async fn begin(app: &App, cursor: Option<&str>) -> Result<Follow, Failure> {
    // Subscribed before the catch-up is read, so that nothing falls between; what comes twice is
    // dropped by its number.
    let live = app.inner.store.subscribe();
    let mut ready = VecDeque::new();
    let here = match cursor {
        None => app.inner.store.cursor().await?,
        Some(text) => match text.parse::<Cursor>() {
            Ok(cursor) => match app.inner.store.since(cursor.clone()).await? {
                Since::Events(events) => {
                    ready.extend(events.iter().map(wire_event));
                    events.last().map_or(cursor, |event| event.cursor.clone())
                }
                Since::Resync(here) => {
                    ready.push_back(note("resync", &here));
                    here
                }
            },
            Err(_) => {
                let here = app.inner.store.cursor().await?;
                ready.push_back(note("resync", &here));
                here
            }
        },
    };
    ready.push_back(note("hello", &here));
    Ok(Follow {
        app: app.clone(),
        live,
        ready,
        seen: here.seq,
    })
}

struct Follow {
    app: App,
    live: Receiver<StoredEvent>,
    ready: VecDeque<WireEvent>,
    seen: i64,
}

impl Follow {
    /// The next line; `None` when the owner ends.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return line(&event);
            }
            let received = tokio::select! {
                received = self.live.recv() => received,
                () = tokio::time::sleep(HEARTBEAT) => return Some(Bytes::from_static(b"\n")),
                () = self.app.inner.ending.cancelled() => return None,
            };
            match received {
                Ok(event) if event.cursor.seq <= self.seen => {}
                Ok(event) => {
                    self.seen = event.cursor.seq;
                    return line(&wire_event(&event));
                }
                Err(RecvError::Lagged(_)) => {
                    let here = self.app.inner.store.cursor().await.ok()?;
                    self.seen = here.seq;
                    self.ready.push_back(note("resync", &here));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

fn line(event: &WireEvent) -> Option<Bytes> {
    let mut text = serde_json::to_vec(event).ok()?;
    text.push(b'\n');
    Some(Bytes::from(text))
}

fn note(kind: &str, at: &Cursor) -> WireEvent {
    WireEvent {
        cursor: at.to_string(),
        kind: kind.to_owned(),
        tags: Vec::new(),
        data: Value::Null,
    }
}

fn wire_event(event: &StoredEvent) -> WireEvent {
    WireEvent {
        cursor: event.cursor.to_string(),
        kind: event.event.kind.clone(),
        tags: event.event.tags.clone(),
        data: event.event.data.clone(),
    }
}
