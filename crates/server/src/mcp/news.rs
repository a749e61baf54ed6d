//! What happened since the last look, as far as clients are told of it: read once from the events of
//! the store for all of them, and what happens in quick succession is told once. A session that read
//! the events itself would be woken by each run of every other, and each run by as many sessions.

use super::resources::{Place, artifact_uri};
use crate::app::App;
use base::Event;
use base::name::ToolName;
use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use std::collections::HashSet;
use std::sync::{Arc, Once};
use std::time::Duration;
use store::StoredEvent;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::broadcast::{Receiver, Sender};
use tokio_util::sync::CancellationToken;

/// What happens in this time is told together.
const GATHER: Duration = Duration::from_millis(100);
/// News that a client may be behind before it hears that everything may have changed.
const BEHIND: usize = 16;

/// News for everybody who listens. Nothing is read before the first does.
pub(crate) struct Feed {
    clients: Sender<Arc<News>>,
    begun: Once,
}

impl Default for Feed {
    fn default() -> Self {
        let clients = Sender::new(BEHIND);
        let begun = Once::new();
        Feed { clients, begun }
    }
}

impl Feed {
    /// News from now on, until the owner ends.
    pub(super) fn subscribe(&self, app: &App) -> Receiver<Arc<News>> {
        let news = self.clients.subscribe();
        self.begun.call_once(|| {
            let (live, ending) = (app.inner.store.subscribe(), app.inner.ending.clone());
            tokio::spawn(read(live, ending, self.clients.clone()));
        });
        news
    }
}

async fn read(mut live: Receiver<StoredEvent>, ending: CancellationToken, clients: Sender<Arc<News>>) {
    while let Some(Some(news)) = ending.run_until_cancelled(News::gather(&mut live)).await {
        // An error says that nobody listens at the moment.
        let _ = clients.send(Arc::new(news));
    }
}

/// The next news; `None` when there will be none.
pub(super) async fn next(live: &mut Receiver<Arc<News>>) -> Option<Arc<News>> {
    match live.recv().await {
        Ok(news) => Some(news),
        Err(RecvError::Lagged(_)) => {
            let mut news = News::default();
            news.everything();
            Some(Arc::new(news))
        }
        Err(RecvError::Closed) => None,
    }
}

/// What may look otherwise than before.
#[derive(Debug, Default)]
pub(crate) struct News {
    tools: bool,
    prompts: bool,
    resources: bool,
    /// Too much happened to know what.
    all: bool,
    places: HashSet<String>,
}

impl News {
    /// The next that matters to anybody; `None` when there will be none.
    async fn gather(live: &mut Receiver<StoredEvent>) -> Option<Self> {
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
        self.tools |= event.kind == "server.tools";
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

    pub(super) fn messages(&self, subscribed: &HashSet<String>) -> Vec<ServerNotification> {
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

    #[tokio::test]
    async fn who_is_far_behind_hears_that_everything_may_have_changed() {
        let feed = Feed::default();
        let mut live = feed.clients.subscribe();
        for _ in 0..=BEHIND {
            feed.clients.send(Arc::default()).unwrap();
        }
        assert!(next(&mut live).await.unwrap().all);
        assert!(!next(&mut live).await.unwrap().all, "and then what came last");
    }
}
