//! Who is here. An owner that exists for one verb ends when no other process has a call on its
//! socket, so that nobody loses a run because somebody else's verb was quicker; one that was started
//! for clients (`--idle-exit`) ends when nobody came by either door for a while.
//!
//! Requests are counted, not connections: an idle connection keeps nobody waiting. Nor does a desktop program that asks
//! whether there is something to do for it: it asks always.

use crate::http::held::held;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// A client that makes several calls connects for each: so long after one it may come back.
pub(super) const QUIET: Duration = Duration::from_millis(200);

/// Who is at the other end of a connection to the socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visitor {
    foreign: bool,
}

impl Visitor {
    pub(super) fn of(stream: &UnixStream) -> Self {
        let process = stream.peer_cred().ok().and_then(|peer| peer.pid());
        Visitor {
            // Who is not known to be ourselves is somebody else.
            foreign: process.and_then(|id| u32::try_from(id).ok()) != Some(std::process::id()),
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    now: usize,
    last_ended: Option<Instant>,
}

/// Counts calls of other processes. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Visits {
    count: watch::Sender<Count>,
}

impl Visits {
    fn begin(&self) -> Visit {
        self.count.send_modify(|count| count.now += 1);
        Visit {
            count: self.count.clone(),
        }
    }

    /// Something that is no request and keeps the owner all the same.
    pub(super) async fn during(&self, stay: impl Future<Output = ()>) {
        let _visit = self.begin();
        stay.await;
    }

    /// Resolves when no call runs and none has ended for so long: at once if there never was one.
    pub(super) async fn quiet(&self, long: Duration) {
        let mut seen = self.count.subscribe();
        loop {
            let Count { now, last_ended } = *seen.borrow_and_update();
            let quiet_at = match last_ended {
                _ if now > 0 => None,
                None => return,
                Some(last) if last.elapsed() >= long => return,
                Some(last) => Some(last + long),
            };
            // The sender is ours, so `changed` only fails when it is dropped with us.
            let _ = match quiet_at {
                Some(at) => timeout_at(at, seen.changed()).await.unwrap_or(Ok(())),
                None => seen.changed().await,
            };
        }
    }
}

/// One call; its end is counted however it ends.
struct Visit {
    count: watch::Sender<Count>,
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.count.send_modify(|count| {
            count.now -= 1;
            count.last_ended = Some(Instant::now());
        });
    }
}

/// Whether a request offers help and wants nothing.
fn offers(request: &Request) -> bool {
    request.uri().path().strip_prefix("/api/") == Some(wire::OFFER)
}

/// Stands before every route of the socket.
pub(super) async fn count(
    State(visits): State<Visits>,
    ConnectInfo(visitor): ConnectInfo<Visitor>,
    request: Request,
    next: Next,
) -> Response {
    let _visit = (visitor.foreign && !offers(&request)).then(|| visits.begin());
    next.run(request).await
}

/// Stands before every route of every door: a request is here until its answer has been read.
pub(super) async fn attend(State(visits): State<Visits>, request: Request, next: Next) -> Response {
    if offers(&request) {
        return next.run(request).await;
    }
    let visit = visits.begin();
    next.run(request).await.map(|body| held(body, visit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use std::pin::pin;
    use tokio::time::timeout;

    #[tokio::test]
    async fn quiet_is_when_nobody_came_back_for_a_moment() {
        let visits = Visits::default();
        assert!(
            visits.quiet(QUIET).now_or_never().is_some(),
            "nobody came, nobody is waited for"
        );
        let (one, two) = (visits.begin(), visits.begin());
        let mut quiet = pin!(visits.quiet(QUIET));
        assert!(quiet.as_mut().now_or_never().is_none());
        drop(one);
        assert!(timeout(QUIET * 2, quiet.as_mut()).await.is_err(), "one is left");
        drop(two);
        assert!(quiet.as_mut().now_or_never().is_none());
        let back = visits.begin();
        assert!(timeout(QUIET * 2, quiet.as_mut()).await.is_err(), "one is back");
        let left = Instant::now();
        drop(back);
        quiet.await;
        assert!(left.elapsed() >= QUIET);
        assert!(visits.quiet(QUIET).now_or_never().is_some(), "still quiet");
    }
}
