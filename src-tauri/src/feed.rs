//! The owner's events on their way to the page, and how the connection is that they come on.
//!
//! The page fetches its news: there is at most one batch on its way, and what gathers meanwhile
//! is bounded. A page that is too far behind is told `resync`, as the owner itself would.

use crate::backoff::Backoff;
use crate::known::{Known, Server, ServerState};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use wire::{Client, ClientError, WireEvent};

/// Events that wait for a page.
const MOST: usize = 1024;
/// Everything that is shown may be out of date.
const RESYNC: &str = "resync";
/// The first line of a stream, after what was missed.
const HELLO: &str = "hello";
/// Says that `server.hello` has something new.
const SETTINGS: &str = "settings";
/// Says that the gallery has.
const ARTIFACTS: &str = "artifacts";

const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(10);

/// State of the connection, in the words of the page's `Link`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    Connecting,
    Open,
    Lost,
}

/// What a page gets in one answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct News {
    /// Name of this listener; given back to get the next.
    pub page: u32,
    pub link: Link,
    pub events: Vec<WireEvent>,
    /// A place of the page that the person asked for in the tray.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goto: Option<String>,
}

/// One for the program, and one page that listens.
pub struct Feed {
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
}

struct Inner {
    page: u32,
    link: Link,
    told: Option<Link>,
    events: Vec<WireEvent>,
    goto: Option<String>,
}

impl Feed {
    pub fn new() -> Self {
        Feed {
            inner: Mutex::new(Inner {
                page: 0,
                link: Link::Connecting,
                told: None,
                events: Vec::new(),
                goto: None,
            }),
            changed: watch::Sender::new(()),
        }
    }

    /// The first news of a new listener. An earlier one gets no more.
    pub fn open(&self) -> News {
        let news = {
            let mut inner = self.lock();
            inner.page = inner.page.wrapping_add(1);
            // Whatever happened before it listened was not seen.
            inner.events = vec![resync(String::new())];
            inner.take()
        };
        self.changed.send_replace(());
        news
    }

    /// Waits for news; `None` when another page listens by now.
    pub async fn next(&self, page: u32) -> Option<News> {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let mut inner = self.lock();
                if inner.page != page {
                    return None;
                }
                if inner.has_news() {
                    return Some(inner.take());
                }
            }
            changed.changed().await.ok()?;
        }
    }

    /// Sends the page to one of its places.
    pub fn goto(&self, place: &str) {
        self.lock().goto = Some(place.to_owned());
        self.changed.send_replace(());
    }

    fn set_link(&self, link: Link) {
        self.lock().link = link;
        self.changed.send_replace(());
    }

    fn push(&self, event: WireEvent) {
        {
            let mut inner = self.lock();
            if inner.events.len() >= MOST || event.kind == RESYNC {
                inner.events.clear();
                inner.events.push(resync(event.cursor));
            } else {
                inner.events.push(event);
            }
        }
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn has_news(&self) -> bool {
        self.told != Some(self.link) || !self.events.is_empty() || self.goto.is_some()
    }

    fn take(&mut self) -> News {
        self.told = Some(self.link);
        News {
            page: self.page,
            link: self.link,
            events: std::mem::take(&mut self.events),
            goto: self.goto.take(),
        }
    }
}

fn resync(cursor: String) -> WireEvent {
    WireEvent {
        cursor,
        kind: RESYNC.to_owned(),
        tags: Vec::new(),
        data: Value::Null,
    }
}

/// Keeps a stream open for as long as the program runs.
pub async fn follow(client: Client, server: Arc<Server>, feed: Arc<Feed>) {
    let mut known = server.known.subscribe();
    let mut backoff = Backoff::new(FIRST_WAIT, LAST_WAIT);
    let mut cursor = None;
    loop {
        feed.set_link(Link::Connecting);
        let begun = Instant::now();
        match listen(&client, &server, &feed, &mut cursor).await {
            Ok(()) => backoff.reset(),
            Err(error) => tracing::debug!(%error, "events"),
        }
        feed.set_link(Link::Lost);
        // Whoever keeps the server running learns it here first.
        server.look.notify_one();
        let wait = backoff.after(begun.elapsed());
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = runs_again(&mut known) => {}
        }
        // Fails only when the sender is gone, and that is in `server`.
        let _ = known
            .wait_for(|known| !matches!(known.state, ServerState::Stopped))
            .await;
    }
}

/// Resolves when a server is seen that was not there before.
async fn runs_again(known: &mut watch::Receiver<Known>) {
    known.mark_unchanged();
    while known.changed().await.is_ok() {
        if matches!(known.borrow_and_update().state, ServerState::Running { .. }) {
            return;
        }
    }
}

/// One stream, to its end. An error when it never began.
async fn listen(
    client: &Client,
    server: &Server,
    feed: &Feed,
    cursor: &mut Option<String>,
) -> Result<(), ClientError> {
    let mut stream = client.events(cursor.as_deref()).await?;
    // Without a cursor, whatever happened before the stream opened was not seen.
    if cursor.is_none() {
        feed.push(resync(String::new()));
    }
    loop {
        match stream.next().await {
            Ok(Some(event)) => {
                *cursor = Some(event.cursor.clone());
                if event.kind == HELLO {
                    server.offers.notify_one();
                    feed.set_link(Link::Open);
                    continue;
                }
                let tells_of = |tag: &str| event.kind == RESYNC || event.tags.iter().any(|one| one == tag);
                if tells_of(SETTINGS) {
                    server.look.notify_one();
                }
                if tells_of(SETTINGS) || tells_of(ARTIFACTS) {
                    server.offers.notify_one();
                }
                feed.push(event);
            }
            Ok(None) => return Ok(()),
            Err(error) => {
                tracing::debug!(%error, "the stream of events broke");
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
