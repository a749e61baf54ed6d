//! Connections for workers, which have no network: the host resolves, judges, connects and passes
//! the socket, or listens on loopback and passes who comes. What a worker may reach is not in the pool's key: it follows the run.
//!
//! Deliberately not here: who granted what, and what is kept of an attempt.

use super::children::{Children, Processes};
use crate::protocol::{FromGuest, Spawn, ToGuest};
use base::Coded;
use sandbox::net::proxy::Explain;
use sandbox::net::{Audit, Connection, HostRules, NetError, Network, OwnPorts, broker};
use std::collections::HashMap;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
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
    /// A folder of the owner's, for the socket of a proxy: for a worker that sockets cannot be passed to.
    /// Without it such a worker reaches nobody.
    pub sockets: Option<PathBuf>,
    /// Which programs it may have started; `Err` has the words of a refusal.
    pub processes: Result<Processes, Arc<str>>,
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

    pub(super) fn with(mut self, processes: Processes) -> Self {
        self.processes = Ok(processes);
        self
    }

    fn of(rules: HostRules, own: &OwnPorts) -> Self {
        Reach {
            network: Network::new(rules, own),
            audit: Arc::new(|_| {}),
            explain: Arc::new(|error| error.to_string()),
            sockets: None,
            processes: Err("no program may be started here".into()),
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
    Spawn(Box<Spawn>),
    Kill { child: u64, signal: i32 },
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
            FromGuest::Spawn(spawn) => Request::Spawn(spawn),
            FromGuest::Kill { child, signal } => Request::Kill { child, signal },
            other => return Err(other),
        })
    }
}

impl fmt::Debug for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reach")
            .field(&self.network.rules())
            .field(&self.processes)
            .finish()
    }
}

/// What a run asked of the network and waits for, and what listens for it. Dropped with it.
pub(super) struct Requests {
    waiting: JoinSet<()>,
    servers: HashMap<u64, Server>,
    children: Children,
    answers: mpsc::Sender<Answer>,
    answered: mpsc::Receiver<Answer>,
}

/// What the worker is told, and the socket that goes with it.
pub(super) struct Answer {
    pub(super) message: ToGuest,
    pub(super) socket: Option<OwnedFd>,
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
            children: Children::default(),
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
            Request::Spawn(spawn) => self.children.spawn(reach, *spawn, self.answers.clone()),
            Request::Kill { child, signal } => {
                self.children.kill(child, signal);
                None
            }
        }
    }

    /// The run is over. Afterwards nothing listens any more, and the next may listen there; and
    /// nothing that it started lives.
    pub(super) async fn end(mut self) {
        self.servers.clear();
        // Nobody hears of it.
        self.answered.close();
        self.children.end().await;
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
        let listener = broker::listen(&reach.network, &reach.audit, &host, port).await?;
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
    /// One end of a stream of a program.
    pub(super) fn stream(id: u64, socket: OwnedFd) -> Self {
        Answer {
            message: ToGuest::Socket {
                id,
                address: String::new(),
                port: 0,
            },
            socket: Some(socket),
        }
    }

    pub(super) fn tell(message: ToGuest) -> Self {
        Answer {
            message,
            socket: None,
        }
    }

    fn socket(id: u64, connection: Connection) -> Self {
        let Connection { stream, address } = connection;
        match stream.into_std() {
            Ok(stream) => Answer {
                message: ToGuest::Socket {
                    id,
                    address: address.ip().to_string(),
                    port: address.port(),
                },
                socket: Some(stream.into()),
            },
            Err(error) => Answer::tell(ToGuest::Refused {
                id,
                code: NetError::Pass(io::ErrorKind::Other.into()).code().to_owned(),
                message: error.to_string(),
                errno: error.raw_os_error(),
                address: None,
            }),
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
