//! Sessions of revisions before 2026-07-28: whose each is, how many there are, when they end.
//!
//! rmcp keeps them and knows their ids alone. A session belongs to the client that opened it: with
//! another one's token its id leads nowhere. One that nobody listens to and nobody uses ends after a
//! while; where a client or all together have too many, the one that was idle for longest makes room.

use super::manager::Manager;
use base::Failure;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::SessionConfig;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A client that lost its connection finds its session again for so long.
const IDLE: Duration = Duration::from_secs(3600);
/// Sessions of all clients.
const ALL: usize = 2000;
/// One that was used this recently is not taken away from its client.
const FRESH: Duration = Duration::from_secs(30);

pub(crate) struct Sessions {
    pub(super) manager: Arc<Manager>,
    held: Mutex<HashMap<String, Held>>,
    /// Room that clients were given and have not used yet.
    promised: Mutex<Vec<String>>,
    /// Of one client.
    each: usize,
}

struct Held {
    client: String,
    used: Instant,
    /// Requests and streams that are open.
    open: usize,
}

impl Held {
    fn idle(&self) -> Option<Duration> {
        (self.open == 0).then(|| self.used.elapsed())
    }
}

/// Room for one session, until it is opened or the request has ended without.
pub(crate) struct Room {
    sessions: Arc<Sessions>,
    client: String,
}

/// A request of a session, until its answer has been read.
pub(crate) struct InUse {
    sessions: Arc<Sessions>,
    id: String,
}

impl Sessions {
    pub(crate) fn new(each: usize) -> Self {
        let mut config = SessionConfig::default();
        // Only here is known whether somebody still listens.
        config.keep_alive = None;
        // What was answered is found again in `Replay`. rmcp would keep it beside that for a minute, and
        // look through all of it with every message of the session.
        config.completed_cache_ttl = Duration::ZERO;
        Sessions {
            manager: Arc::new(Manager::new(config)),
            held: Mutex::default(),
            promised: Mutex::default(),
            each,
        }
    }

    /// A client uses its session. `None`: it has none of that id.
    pub(crate) fn enter(self: &Arc<Self>, id: &str, client: &str) -> Option<InUse> {
        let mut held = self.lock();
        let session = held.get_mut(id).filter(|session| session.client == client)?;
        session.open += 1;
        drop(held);
        Some(InUse {
            sessions: self.clone(),
            id: id.to_owned(),
        })
    }

    /// A client opened one.
    pub(crate) fn opened(&self, id: &str, client: &str) {
        let session = Held {
            client: client.to_owned(),
            used: Instant::now(),
            open: 0,
        };
        self.lock().insert(id.to_owned(), session);
    }

    /// Before a client opens one: makes room, or says that there is none.
    pub(crate) async fn make_room(self: &Arc<Self>, client: &str) -> Result<Room, Failure> {
        let leaves = {
            let held = self.lock();
            let mut promised = self.promised();
            let own = held.values().filter(|session| session.client == client).count()
                + promised.iter().filter(|name| *name == client).count()
                >= self.each;
            let limit = if own { self.each } else { ALL };
            let leaves = if own || held.len() + promised.len() >= ALL {
                let idle = held
                    .iter()
                    .filter(|(_, session)| !own || session.client == client)
                    .filter_map(|(id, session)| Some((session.idle().filter(|idle| *idle >= FRESH)?, id)));
                let idlest = idle.max().map(|(_, id)| id.clone());
                Some(idlest.ok_or_else(|| Failure::new("too_many_sessions").with("limit", limit))?)
            } else {
                None
            };
            promised.push(client.to_owned());
            leaves
        };
        let room = Room {
            sessions: self.clone(),
            client: client.to_owned(),
        };
        if let Some(id) = leaves {
            self.end(&id).await;
        }
        Ok(room)
    }

    pub(crate) async fn end(&self, id: &str) {
        self.lock().remove(id);
        if let Err(error) = self.manager.close_session(&Arc::from(id)).await {
            tracing::debug!(%error, "a session did not end as it should");
        }
    }

    /// All of a client.
    pub(crate) async fn end_of(&self, client: &str) {
        self.end_those(|session| session.client == client).await;
    }

    async fn end_those(&self, which: impl Fn(&Held) -> bool) {
        let found = |(id, session): (&String, &Held)| which(session).then(|| id.clone());
        let ids: Vec<String> = self.lock().iter().filter_map(found).collect();
        for id in ids {
            self.end(&id).await;
        }
    }

    /// Ends what nobody uses. Called now and then by the owner.
    pub(crate) async fn sweep(&self) {
        self.end_those(|session| session.idle().is_some_and(|idle| idle >= IDLE))
            .await;
        // rmcp may have ended some by itself.
        let there: HashSet<_> = self.manager.ids().await.into_iter().collect();
        self.lock().retain(|id, _| there.contains(id.as_str()));
    }

    fn promised(&self) -> MutexGuard<'_, Vec<String>> {
        self.promised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut promised = self.sessions.promised();
        if let Some(at) = promised.iter().position(|name| *name == self.client) {
            promised.swap_remove(at);
        }
    }
}

impl InUse {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.lock().get_mut(&self.id) {
            session.open -= 1;
            session.used = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(sessions: &Sessions, id: &str, age: Duration) {
        sessions.lock().get_mut(id).unwrap().used = Instant::now().checked_sub(age).unwrap();
    }

    #[tokio::test]
    async fn a_session_is_its_clients_alone_and_the_idlest_makes_room() {
        let sessions = Arc::new(Sessions::new(2));
        let rooms = [
            sessions.make_room("one").await.unwrap(),
            sessions.make_room("one").await.unwrap(),
        ];
        let promised = sessions.make_room("one").await.err().unwrap();
        assert_eq!(
            promised.code, "too_many_sessions",
            "room that was promised counts"
        );
        drop(rooms);
        for id in ["a", "b"] {
            let _room = sessions.make_room("one").await.unwrap();
            sessions.opened(id, "one");
        }
        assert!(sessions.enter("a", "two").is_none(), "somebody else's");
        assert!(sessions.enter("c", "one").is_none(), "nobody's");
        let full = sessions.make_room("one").await.err().unwrap();
        assert_eq!(full.code, "too_many_sessions", "both are fresh");
        sessions.make_room("two").await.unwrap();

        age(&sessions, "a", FRESH * 2);
        age(&sessions, "b", FRESH * 3);
        let listening = sessions.enter("b", "one").unwrap();
        sessions.make_room("one").await.unwrap();
        assert!(sessions.enter("a", "one").is_none(), "it was idle for longest");
        assert!(sessions.enter("b", "one").is_some(), "somebody listens to it");
        drop(listening);

        sessions.opened("c", "one");
        sessions.end_of("one").await;
        assert!(sessions.lock().is_empty());
    }
}
