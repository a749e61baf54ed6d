//! What clients hear without asking: that lists changed, and resources that they subscribed to.
//!
//! Up to revision 2025-11-25 a session is told once it is initialized, and subscribes by requests;
//! since 2026-07-28 a client listens by one request that says to what. Both follow the same news.

use super::Client;
use super::news::{News, next};
use super::resources::Place;
use crate::app::App;
use rmcp::model::ServerNotification;
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

/// Resources that one client may subscribe to.
pub(super) const MOST: usize = 1000;

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
        let mut live = app.inner.feed.subscribe(app);
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
    let mut live = app.inner.feed.subscribe(app);
    if let Err(error) = follow(&mut live, end, || uris.clone(), tell).await {
        tracing::debug!(%error, "a client stopped listening");
    }
}

/// Tells what happens until the end, or until nobody is there to hear it.
async fn follow<T, E>(
    live: &mut Receiver<Arc<News>>,
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
            news = next(live) => news,
            () = &mut end => None,
        };
        let Some(news) = news else { return Ok(()) };
        for message in news.messages(&subscribed()) {
            tell(message).await?;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::name::ToolName;

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
