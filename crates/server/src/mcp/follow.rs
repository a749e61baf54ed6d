//! What clients hear without asking: that lists changed, and resources that they subscribed to.
//!
//! Up to revision 2025-11-25 a session is told once it is initialized, and subscribes by requests;
//! since 2026-07-28 a client listens by one request that says to what. Both follow the events of the
//! store, and what happens in quick succession is told once.

use super::Client;
use super::resources::{Place, artifact_uri};
use crate::app::App;
use base::Event;
use base::name::ToolName;
use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::StoredEvent;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio_util::sync::CancellationToken;

/// Resources that one client may subscribe to.
pub(super) const MOST: usize = 1000;
/// What happens in this time is told together.
const GATHER: Duration = Duration::from_millis(100);

/// The session of a client, followed until it ends.
#[derive(Default)]
pub(super) struct Following {
    uris: Arc<Mutex<HashSet<String>>>,
    begun: AtomicBool,
    end: CancellationToken,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

impl Following {
    /// Begins to tell the session, if that has not been done.
    pub(super) fn begin(&self, app: &App, peer: Peer<RoleServer>) {
        if self.begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut live = app.inner.store.subscribe();
        let (uris, end) = (self.uris.clone(), self.end.clone());
        tokio::spawn(async move {
            let subscribed = || lock(&uris).clone();
            let tell = |message| peer.send_notification(message);
            if let Err(error) = follow(&mut live, end.cancelled(), subscribed, tell).await {
                tracing::debug!(%error, "a session hears nothing any more");
            }
        });
    }

    /// `false`: it has as many as it may.
    pub(super) fn subscribe(&self, place: &Place) -> bool {
        let mut uris = lock(&self.uris);
        let uri = place.uri();
        if uris.len() >= MOST && !uris.contains(&uri) {
            return false;
        }
        uris.insert(uri);
        true
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        lock(&self.uris).remove(uri);
    }
}

/// Answers a client that listens, until it or the owner ends.
pub(super) async fn listen(app: &App, client: &Client, context: SubscriptionContext) {
    let asked = context.accepted().resource_subscriptions.clone();
    let in_scope = |uri: &String| Place::parse(uri).is_some_and(|place| place.is_in(&client.scope));
    let uris: HashSet<String> = asked.into_iter().flatten().filter(in_scope).collect();
    let sink = context.sink();
    let end = async {
        tokio::select! {
            () = context.cancelled() => {}
            () = app.inner.ending.cancelled() => {}
        }
    };
    let tell = |message| async move {
        match sink.send(message).await {
            // It did not ask for that.
            Err(SubscriptionSendError::NotificationNotAccepted(_)) => Ok(()),
            told => told,
        }
    };
    let mut live = app.inner.store.subscribe();
    if let Err(error) = follow(&mut live, end, || uris.clone(), tell).await {
        tracing::debug!(%error, "a client stopped listening");
    }
}

/// Tells what happens until the end, or until nobody is there to hear it.
async fn follow<T, E>(
    live: &mut Receiver<StoredEvent>,
    end: impl Future<Output = ()>,
    subscribed: impl Fn() -> HashSet<String>,
    tell: impl Fn(ServerNotification) -> T,
) -> Result<(), E>
where
    T: Future<Output = Result<(), E>>,
{
    let mut end = pin!(end);
    loop {
        let news = tokio::select! {
            news = News::next(live) => news,
            () = &mut end => None,
        };
        let Some(news) = news else { return Ok(()) };
        for message in news.messages(&subscribed()) {
            tell(message).await?;
        }
    }
}

/// What may look otherwise than before.
#[derive(Debug, Default)]
struct News {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Too much happened to know what.
    all: bool,
    places: HashSet<String>,
}

impl News {
    /// The next that matters to anybody; `None` when there will be none.
    async fn next(live: &mut Receiver<StoredEvent>) -> Option<Self> {
        let mut news = News::default();
        while !news.is_some() {
            match live.recv().await {
                Ok(stored) => news.note(&stored.event),
                Err(RecvError::Lagged(_)) => news.everything(),
                Err(RecvError::Closed) => return None,
            }
        }
        tokio::time::sleep(GATHER).await;
        loop {
            match live.try_recv() {
                Ok(stored) => news.note(&stored.event),
                Err(TryRecvError::Lagged(_)) => news.everything(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return Some(news),
            }
        }
    }

    fn is_some(&self) -> bool {
        self.tools || self.prompts || self.resources || self.all || !self.places.is_empty()
    }

    fn everything(&mut self) {
        (self.tools, self.prompts, self.resources, self.all) = (true, true, true, true);
    }

    fn note(&mut self, event: &Event) {
        let text = |key: &str| event.data.get(key).and_then(serde_json::Value::as_str);
        let tagged = |name: &str| event.tags.iter().any(|tag| tag == name);
        self.prompts |= tagged("prompts");
        self.resources |= tagged("artifacts") || tagged("skills");
        if tagged("tools") {
            self.tools = true;
            self.resources = true;
            if let Some(name) = text("tool").and_then(|name| ToolName::parse(name).ok()) {
                self.places.insert(Place::Manual(name).uri());
            }
        }
        if event.kind == "run.finished"
            && let Some(name) = text("subject").and_then(|name| ToolName::parse(name).ok())
        {
            self.places.insert(Place::Log(name).uri());
        }
        if event.kind == "artifact.removed"
            && let Some(id) = text("id")
        {
            self.places.insert(artifact_uri(id));
        }
    }

    fn messages(&self, subscribed: &HashSet<String>) -> Vec<ServerNotification> {
        use ServerNotification as To;
        let mut messages = Vec::new();
        if self.tools {
            messages.push(To::ToolListChangedNotification(Default::default()));
        }
        if self.prompts {
            messages.push(To::PromptListChangedNotification(Default::default()));
        }
        if self.resources {
            messages.push(To::ResourceListChangedNotification(Default::default()));
        }
        let updated = self.updated(subscribed).into_iter().map(|uri| {
            let update = ResourceUpdatedNotificationParam::new(uri);
            To::ResourceUpdatedNotification(ResourceUpdatedNotification::new(update))
        });
        messages.extend(updated);
        messages
    }

    fn updated<'s>(&self, subscribed: &'s HashSet<String>) -> Vec<&'s String> {
        let touched = |uri: &&String| self.all || self.places.contains(*uri);
        subscribed.iter().filter(touched).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_news_of_what_they_touch() {
        let of = |event: Event| {
            let mut news = News::default();
            news.note(&event);
            news
        };
        let run = of(Event::new("run.finished", json!({"subject": "todolist"})).tag("runs"));
        let both: HashSet<String> = ["tool://todolist/log", "tool://x/log"].map(str::to_owned).into();
        assert_eq!(run.updated(&both), ["tool://todolist/log"]);
        assert!(!run.tools && !run.resources);
        assert!(of(Event::new("prompt.changed", json!({})).tag("prompts")).prompts);
        let tool = of(Event::new("tool.changed", json!({"tool": "x"})).tag("tools"));
        assert!(tool.tools && tool.resources);
        assert!(!of(Event::new("workspace.changed", json!({"task": "t"})).tag("workspaces")).is_some());
    }

    #[test]
    fn a_client_has_only_so_many_subscriptions() {
        let following = Following::default();
        let place = |at: usize| Place::Log(ToolName::parse(&format!("t{at}")).unwrap());
        assert!((0..MOST).all(|at| following.subscribe(&place(at))));
        assert!(!following.subscribe(&place(MOST)));
        assert!(following.subscribe(&place(0)), "it has that one");
        following.unsubscribe("tool://t1/log");
        assert!(following.subscribe(&place(MOST)));
    }
}
