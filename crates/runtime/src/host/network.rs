//! Connections for workers, which have no network: the host resolves, judges, connects and passes
//! the socket. What a worker may reach is not in the pool's key: it follows the run.
//!
//! Deliberately not here: who granted what, and what is kept of an attempt.

use crate::protocol::ToGuest;
use base::Coded;
use sandbox::net::proxy::Explain;
use sandbox::net::{Audit, Connection, HostRules, NetError, Network, OwnPorts, broker};
use std::fmt;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Connections of one worker that are being made at a time.
const AT_ONCE: usize = 32;

/// What a tool may reach now, and who hears of its attempts.
#[derive(Clone)]
pub struct Reach {
    pub network: Network,
    pub audit: Audit,
    /// Words of a refusal, for the tool.
    pub explain: Explain,
}

impl Reach {
    /// Nobody, and nobody hears of it.
    pub fn nothing() -> Self {
        Reach {
            network: Network::new(HostRules::nothing(), &OwnPorts::default()),
            audit: Arc::new(|_| {}),
            explain: Arc::new(|error| error.to_string()),
        }
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reach").field(&self.network.rules()).finish()
    }
}

/// The connections that a run waits for. Dropped with it.
#[derive(Default)]
pub(super) struct Connects(JoinSet<Connected>);

/// The connection, or what the worker is told when there is none.
pub(super) type Connected = Result<(u64, Connection), ToGuest>;

impl Connects {
    /// An answer at once when it is too many.
    pub(super) fn ask(&mut self, reach: &Reach, id: u64, host: String, port: u16) -> Option<ToGuest> {
        if self.0.len() >= AT_ONCE {
            return Some(ToGuest::Refused {
                id,
                code: "network_too_many".to_owned(),
                message: format!("{AT_ONCE} connections are being made already"),
            });
        }
        let reach = reach.clone();
        self.0.spawn(async move {
            match broker::connect(&reach.network, &reach.audit, &host, port).await {
                Ok(connection) => Ok((id, connection)),
                Err(error) => Err(refused(id, &error, &reach.explain)),
            }
        });
        None
    }

    /// The next that came to an end; never while there is none.
    pub(super) async fn next(&mut self) -> Connected {
        loop {
            match self.0.join_next().await {
                Some(Ok(done)) => return done,
                // One that panicked has no number; its worker waits until its run ends.
                Some(Err(error)) => tracing::error!(%error, "a connection was not made"),
                None => std::future::pending().await,
            }
        }
    }
}

fn refused(id: u64, error: &NetError, explain: &Explain) -> ToGuest {
    ToGuest::Refused {
        id,
        code: error.code().to_owned(),
        message: explain(error),
    }
}
