//! Whom the commands and terminals of a task can reach: nobody, the hosts that a person granted,
//! or all that this machine can reach. The grants are rows of the store, of the subject
//! `task:ID`, and hold for connections from the moment they are changed.
//!
//! Granted hosts are reached through a proxy. Each command gets one of its own, on a socket below
//! `run/net` of the data home that is bound into its sandbox and nowhere else; what it refused is
//! in the audit, a row for each host and command, and at the end of the command's stderr, because
//! most programs keep a proxy's words to themselves.
//!
//! What changes while a command runs: hosts that are granted count from its next connection on, and
//! connections to hosts that are taken back end. One that was started without a network stays
//! without; one that was started with all of it ends when that is taken back ([`Door::withdrawn`]).
//!
//! Deliberately not here: what an address may be (`sandbox::net`), how the proxy is reached from
//! inside (`sandbox::command`).

mod door;

pub use door::{Door, Extent};

use crate::held::Held;
use base::{Args, Coded, DataHome, Lang, LiveLang, args};
use door::{Behind, explain};
use sandbox::net::proxy::{self, Options, Proxy, Socket};
use sandbox::net::{HostRules, NetError, Network, OwnPorts, Resolve, Tally};
use sandbox::{SandboxError, Tier, Walls};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use store::{Actor, GrantKind, Store, StoreError};
use tokio_util::sync::CancellationToken;

/// Characters of a command in a row of the audit.
const AUDITED: usize = 200;

const KINDS: &[GrantKind] = &[GrantKind::Network, GrantKind::FullNetwork];

/// Whom a task can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    Off,
    /// In the form of [`HostRules::normal_form`].
    Hosts(Vec<String>),
    Full,
}

#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error(transparent)]
    Rule(#[from] NetError),
    #[error("no host is named")]
    NoHosts,
    #[error(transparent)]
    Tier(#[from] SandboxError),
    #[error("the proxy's socket")]
    Socket(#[source] io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Coded for NetworkError {
    fn code(&self) -> &'static str {
        match self {
            NetworkError::Rule(error) => error.code(),
            NetworkError::NoHosts => "invalid_args",
            NetworkError::Tier(error) => error.code(),
            NetworkError::Socket(_) => "workspace_io",
            NetworkError::Store(error) => error.code(),
        }
    }

    fn args(&self) -> Args {
        match self {
            NetworkError::Rule(error) => error.args(),
            NetworkError::NoHosts => args! { call: "workspace.network", reason: "hosts: at least one" },
            NetworkError::Tier(error) => error.args(),
            NetworkError::Socket(source) => args! { path: "run/net", reason: source.to_string() },
            NetworkError::Store(error) => error.args(),
        }
    }
}

/// The networks of all tasks. Cheap to clone.
#[derive(Clone)]
pub struct Networks {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    walls: Walls,
    own: OwnPorts,
    lang: LiveLang,
    folder: PathBuf,
    /// Made-up names and ports of this machine, in tests.
    fixture: Option<(Arc<dyn Resolve>, Vec<u16>)>,
    /// Of tasks that have a proxy now.
    open: Mutex<HashMap<String, Weak<Network>>>,
    /// Of commands and terminals that have all of it.
    full: Held,
    /// What is read from the store and what the open networks follow change together.
    changing: tokio::sync::Mutex<()>,
}

impl Networks {
    /// `own`: where this program listens. Removes the sockets that a kill left behind: blocks shortly.
    pub fn new(store: Store, home: &DataHome, walls: Walls, own: OwnPorts, lang: LiveLang) -> Self {
        let folder = home.proxies();
        // What goes wrong here is told to whoever needs a socket.
        let _ = std::fs::remove_dir_all(&folder);
        let _ = base::atomic::create_dir_all(&folder);
        let inner = Inner {
            store,
            walls,
            own,
            lang,
            folder,
            fixture: None,
            open: Mutex::default(),
            full: Held::default(),
            changing: tokio::sync::Mutex::default(),
        };
        Networks {
            inner: Arc::new(inner),
        }
    }

    /// For tests: names that `resolver` knows, and ports of this machine that a granted host may
    /// lead to. Before anything is open.
    #[must_use]
    pub fn with_fixture(mut self, resolver: Arc<dyn Resolve>, loopback: Vec<u16>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.fixture = Some((resolver, loopback));
        }
        self
    }

    /// The language that is spoken now.
    pub fn lang(&self) -> Lang {
        self.inner.lang.get()
    }

    /// Whom this task can reach.
    pub async fn of(&self, task: &str) -> Result<Reach, StoreError> {
        let store = &self.inner.store;
        if !store
            .grants(subject(task), GrantKind::FullNetwork, None)
            .await?
            .is_empty()
        {
            return Ok(Reach::Full);
        }
        let hosts = store.grants(subject(task), GrantKind::Network, None).await?;
        Ok(match hosts.is_empty() {
            true => Reach::Off,
            false => Reach::Hosts(hosts),
        })
    }

    /// A person says whom it can reach. What she says counts at once.
    pub async fn set(&self, task: &str, reach: Reach, actor: Actor) -> Result<Reach, NetworkError> {
        let wanted = match &reach {
            Reach::Off => Vec::new(),
            Reach::Full => vec![(GrantKind::FullNetwork, String::new())],
            Reach::Hosts(hosts) if hosts.is_empty() => return Err(NetworkError::NoHosts),
            Reach::Hosts(hosts) => {
                self.inner.check_tier().await?;
                HostRules::new(hosts, &[])?;
                let normal = hosts.iter().map(|host| HostRules::normal_form(host));
                let mut normal = normal.collect::<Result<Vec<_>, _>>()?;
                normal.sort_unstable();
                normal.dedup();
                normal
                    .into_iter()
                    .map(|host| (GrantKind::Network, host))
                    .collect()
            }
        };
        let _alone = self.inner.changing.lock().await;
        self.inner
            .store
            .set_grants(subject(task), KINDS, wanted, actor)
            .await?;
        self.follow(task).await
    }

    /// Takes one grant back. Whether there was such a one.
    pub async fn revoke(
        &self,
        task: &str,
        kind: GrantKind,
        value: &str,
        actor: Actor,
    ) -> Result<bool, NetworkError> {
        let _alone = self.inner.changing.lock().await;
        let gone = self
            .inner
            .store
            .revoke(subject(task), kind, value.to_owned(), actor)
            .await?;
        if gone {
            self.follow(task).await?;
        }
        Ok(gone)
    }

    /// What is granted now, also for what is open.
    async fn follow(&self, task: &str) -> Result<Reach, NetworkError> {
        let now = self.of(task).await?;
        if let Some(open) = self.inner.open().get(task).and_then(Weak::upgrade) {
            open.change_rules(self.inner.rules(&now)?);
        }
        if now != Reach::Full {
            self.inner.full.withdraw(task);
        }
        Ok(now)
    }

    /// What a command or terminal of the task is started with. Whoever it is for is named in the
    /// audit.
    pub async fn open(&self, task: &str, command: &str, actor: &Actor) -> Result<Door, NetworkError> {
        let _alone = self.inner.changing.lock().await;
        let reach = self.of(task).await?;
        let (link, withdrawn) = match &reach {
            Reach::Off => (sandbox::Network::Off, CancellationToken::new()),
            Reach::Full => (sandbox::Network::Open, self.inner.full.hold(task)),
            Reach::Hosts(hosts) => {
                self.inner.check_tier().await?;
                let tally = Tally::default();
                let (proxy, socket) = self.inner.proxy(task, hosts, &tally)?;
                let link = sandbox::Network::Proxy(sandbox::Proxy {
                    socket: socket.path().to_owned(),
                    port: sandbox::Proxy::PORT,
                });
                return Ok(Door {
                    link,
                    withdrawn: CancellationToken::new(),
                    behind: Some(Behind {
                        inner: self.inner.clone(),
                        proxy: Some(proxy),
                        socket: Some(socket),
                        tally,
                        task: task.to_owned(),
                        hosts: hosts.clone(),
                        command: command.chars().take(AUDITED).collect(),
                        actor: actor.clone(),
                    }),
                });
            }
        };
        Ok(Door {
            link,
            withdrawn,
            behind: None,
        })
    }
}

impl Inner {
    async fn check_tier(&self) -> Result<(), NetworkError> {
        match self.walls.tier().await {
            Tier::Full => Ok(()),
            tier => Err(SandboxError::NetworkNeedsFull { tier }.into()),
        }
    }

    fn rules(&self, reach: &Reach) -> Result<HostRules, NetError> {
        let loopback = self.fixture.as_ref().map_or(&[][..], |(_, ports)| ports);
        match reach {
            Reach::Hosts(hosts) => HostRules::new(hosts, loopback),
            // One who has all of it needs no proxy; one that is open still judges.
            Reach::Full => HostRules::new(&["*"], &[]),
            Reach::Off => Ok(HostRules::nothing()),
        }
    }

    /// The task's network, which all its proxies share.
    fn network(&self, task: &str, hosts: &[String]) -> Result<Arc<Network>, NetError> {
        let rules = self.rules(&Reach::Hosts(hosts.to_vec()))?;
        let mut open = self.open();
        open.retain(|_, network| network.strong_count() > 0);
        if let Some(network) = open.get(task).and_then(Weak::upgrade) {
            network.change_rules(rules);
            return Ok(network);
        }
        let mut network = Network::new(rules, &self.own);
        if let Some((resolver, _)) = &self.fixture {
            network = network.with_resolver(resolver.clone());
        }
        let network = Arc::new(network);
        open.insert(task.to_owned(), Arc::downgrade(&network));
        Ok(network)
    }

    fn proxy(
        &self,
        task: &str,
        hosts: &[String],
        tally: &Tally,
    ) -> Result<((Proxy, Arc<Network>), Socket), NetworkError> {
        let network = self.network(task, hosts)?;
        let (listener, socket) = proxy::listen(&self.folder).map_err(NetworkError::Socket)?;
        let mut options = Options::new(tally.audit());
        let (lang, task, hosts) = (self.lang.clone(), task.to_owned(), hosts.to_vec());
        options.explain = Arc::new(move |error| explain(error, &task, &hosts, &lang));
        let proxy = proxy::serve(listener, Network::clone(&network), options);
        Ok(((proxy, network), socket))
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Weak<Network>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn subject(task: &str) -> String {
    format!("task:{task}")
}
