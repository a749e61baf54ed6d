//! Connections for workers, which have no network: the host resolves, judges, connects and passes
//! the socket, or listens on loopback and passes who comes. What a worker may reach is not in the pool's key: it follows the run.
//!
//! Deliberately not here: who granted what, and what is kept of an attempt.

use crate::protocol::{FromGuest, ToGuest};
use base::Coded;
use sandbox::net::proxy::Explain;
use sandbox::net::{Audit, Connection, HostRules, NetError, Network, OwnPorts, broker};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Connections of one worker that are being made at a time, and names that are looked up.
const AT_ONCE: usize = 32;
/// What listens for one worker.
const SERVERS: usize = 8;
/// Connections that may be asked for in advance.
const WISHES: usize = 1;

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
        Reach::of(HostRules::nothing(), &OwnPorts::default())
    }

    /// This machine, but for the program's own ports.
    pub(super) fn loopback(own: &OwnPorts) -> Self {
        Reach::of(HostRules::all_of_loopback(), own)
    }

    fn of(rules: HostRules, own: &OwnPorts) -> Self {
        Reach {
            network: Network::new(rules, own),
            audit: Arc::new(|_| {}),
            explain: Arc::new(|error| error.to_string()),
        }
    }
}

/// What a worker asks of the network.
pub(super) enum Request {
    Connect { id: u64, host: String, port: u16 },
    Resolve { id: u64, host: String },
    Listen { id: u64, host: String, port: u16 },
    Accept { id: u64, server: u64 },
    Unlisten { server: u64 },
}

impl Request {
    /// The message itself when it is another one.
    pub(super) fn of(message: FromGuest) -> Result<Self, FromGuest> {
        Ok(match message {
            FromGuest::Connect { id, host, port } => Request::Connect { id, host, port },
            FromGuest::Resolve { id, host } => Request::Resolve { id, host },
            FromGuest::Listen { id, host, port } => Request::Listen { id, host, port },
            FromGuest::Accept { id, server } => Request::Accept { id, server },
            FromGuest::Unlisten { server } => Request::Unlisten { server },
            other => return Err(other),
        })
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reach").field(&self.network.rules()).finish()
    }
}

/// What a run asked of the network and waits for, and what listens for it. Dropped with it.
pub(super) struct Requests {
    waiting: JoinSet<()>,
    servers: HashMap<u64, Server>,
    answers: mpsc::Sender<Answer>,
    answered: mpsc::Receiver<Answer>,
}

/// What the worker is told, and the socket that goes with it.
pub(super) struct Answer {
    pub(super) message: ToGuest,
    pub(super) socket: Option<Connection>,
}

/// Something that listens; it ends when nobody can ask it for connections any more.
struct Server {
    wanted: mpsc::Sender<u64>,
}

impl Requests {
    pub(super) fn new() -> Self {
        let (answers, answered) = mpsc::channel(AT_ONCE);
        Requests {
            waiting: JoinSet::new(),
            servers: HashMap::new(),
            answers,
            answered,
        }
    }

    /// An answer at once when it is too much.
    pub(super) fn ask(&mut self, reach: &Reach, request: Request) -> Option<ToGuest> {
        while self.waiting.try_join_next().is_some() {}
        self.servers.retain(|_, server| !server.wanted.is_closed());
        match request {
            Request::Connect { id, .. } | Request::Resolve { id, .. }
                if self.waiting.len() >= AT_ONCE + self.servers.len() =>
            {
                Some(too_many(
                    id,
                    &format!("{AT_ONCE} connections are being made already"),
                ))
            }
            Request::Listen { id, .. } if self.servers.len() >= SERVERS => {
                Some(too_many(id, &format!("{SERVERS} servers listen already")))
            }
            Request::Connect { id, host, port } => {
                let (reach, answers) = (reach.clone(), self.answers.clone());
                self.waiting.spawn(async move {
                    let connected = broker::connect(&reach.network, &reach.audit, &host, port).await;
                    let answer = match connected {
                        Ok(connection) => Answer::socket(id, connection),
                        Err(error) => Answer::refused(id, &error, &reach),
                    };
                    // Nobody hears it when the run is over.
                    let _ = answers.send(answer).await;
                });
                None
            }
            Request::Resolve { id, host } => {
                let (reach, answers) = (reach.clone(), self.answers.clone());
                self.waiting.spawn(async move {
                    let answer = match broker::lookup(&reach.network, &reach.audit, &host).await {
                        Ok(found) => Answer::tell(ToGuest::Resolved {
                            id,
                            addresses: found.iter().map(ToString::to_string).collect(),
                        }),
                        Err(error) => Answer::refused(id, &error, &reach),
                    };
                    let _ = answers.send(answer).await;
                });
                None
            }
            Request::Listen { id, host, port } => {
                let (wanted, wishes) = mpsc::channel(WISHES);
                self.servers.insert(id, Server { wanted });
                self.waiting.spawn(listen(
                    reach.clone(),
                    self.answers.clone(),
                    id,
                    host,
                    port,
                    wishes,
                ));
                None
            }
            Request::Accept { id, server } => {
                let asked = self.servers.get(&server).map(|server| server.wanted.try_send(id));
                match asked {
                    Some(Ok(())) => None,
                    Some(Err(_)) | None => Some(too_many(id, "nothing listens there")),
                }
            }
            Request::Unlisten { server } => {
                self.servers.remove(&server);
                None
            }
        }
    }

    /// The run is over. Afterwards nothing listens any more, and the next may listen there.
    pub(super) async fn end(mut self) {
        self.servers.clear();
        self.waiting.shutdown().await;
    }

    /// The next answer; never while there is none.
    pub(super) async fn next(&mut self) -> Answer {
        match self.answered.recv().await {
            Some(answer) => answer,
            // Not while we have a sender ourselves.
            None => std::future::pending().await,
        }
    }
}

/// Listens until nobody can ask for connections any more. One is taken when it is asked for: what
/// was not waits with the system, and not in the worker.
async fn listen(
    reach: Reach,
    answers: mpsc::Sender<Answer>,
    id: u64,
    host: String,
    port: u16,
    mut wishes: mpsc::Receiver<u64>,
) {
    let listening = async {
        let listener = reach.network.listen(&host, port).await?;
        let address = listener.local_addr().map_err(NetError::Pass)?;
        Ok((listener, address))
    };
    let listener = match listening.await {
        Err(error) => {
            drop(wishes);
            let _ = answers.send(Answer::refused(id, &error, &reach)).await;
            return;
        }
        Ok((listener, address)) => {
            let message = ToGuest::Listening {
                id,
                address: address.ip().to_string(),
                port: address.port(),
            };
            let _ = answers.send(Answer::tell(message)).await;
            listener
        }
    };
    while let Some(id) = wishes.recv().await {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closed(&mut wishes) => return,
        };
        let answer = match accepted {
            Ok((stream, address)) => Answer::socket(id, Connection { stream, address }),
            Err(error) => Answer::refused(id, &NetError::Pass(error), &reach),
        };
        if answers.send(answer).await.is_err() {
            return;
        }
    }
}

/// Waits until no more can come. The worker has one wish open at a time; another one ends it.
async fn closed(wishes: &mut mpsc::Receiver<u64>) {
    while wishes.recv().await.is_some() {}
}

impl Answer {
    fn tell(message: ToGuest) -> Self {
        Answer {
            message,
            socket: None,
        }
    }

    fn socket(id: u64, connection: Connection) -> Self {
        let message = ToGuest::Socket {
            id,
            address: connection.address.ip().to_string(),
            port: connection.address.port(),
        };
        Answer {
            message,
            socket: Some(connection),
        }
    }

    fn refused(id: u64, error: &NetError, reach: &Reach) -> Self {
        let (errno, address) = match error {
            NetError::Connect { source, address, .. } => (source.raw_os_error(), *address),
            NetError::Listen { source, .. } => (source.raw_os_error(), None),
            _ => (None, None),
        };
        Answer::tell(ToGuest::Refused {
            id,
            code: error.code().to_owned(),
            message: (reach.explain)(error),
            errno,
            address: address.map(|address| address.ip().to_string()),
        })
    }
}

fn too_many(id: u64, message: &str) -> ToGuest {
    ToGuest::Refused {
        id,
        code: "network_too_many".to_owned(),
        message: message.to_owned(),
        errno: None,
        address: None,
    }
}
