//! Everything that is open while this process owns the data home.

use crate::approvals::{Approvals, Patience};
use crate::auth::{Auth, AuthError};
use crate::live::Live;
use crate::sizes::Sizes;
use crate::thumbs::{self, Thumbs};
use base::home::HomeError;
use base::settings::SettingsError;
use base::{Args, Coded, DataHome, Failure, Lang, LiveLang, Settings};
use runtime::host::{Host, Proof, RunError, Tier};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use store::{Store, StoreError};
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use toolbox::Toolbox;
use workspace::command::Commands;
use workspace::command::terminal::Terminals;
use workspace::network::Networks;
use workspace::policy::{Policy, PolicyError};
use workspace::{Limits, WorkspaceError, Workspaces};

/// Running calls may take this long to finish when the owner ends.
const DRAIN: Duration = Duration::from_secs(10);
/// Cancelled calls may take this long to say so.
const CANCELLED: Duration = Duration::from_secs(2);
/// How often old log lines and idle workers are looked for.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
/// Seed 002 section 6.3.4.
const CLEAN_LOGS: Duration = Duration::from_secs(3600);
/// How often the trash is looked at, and how old what it holds may be.
const EMPTY_TRASH: Duration = Duration::from_secs(24 * 3600);
const TRASHED: Duration = Duration::from_secs(30 * 24 * 3600);

/// Handle to the open product. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
    /// Calls off what is done through this handle: when the owner ends, and for a handle of
    /// [`App::for_caller`] when the caller goes away.
    pub(crate) cancel: CancellationToken,
}

pub(crate) struct Inner {
    pub(crate) home: DataHome,
    /// As they were at the start. What a person changes while the owner runs stands below.
    pub(crate) settings: Settings,
    pub(crate) lang: LiveLang,
    /// A person has chosen it; until then the window may, by what her system speaks.
    lang_chosen: AtomicBool,
    open_mcp: AtomicBool,
    /// One change of settings at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    pub(crate) store: Store,
    pub(crate) host: Host,
    pub(crate) toolbox: Toolbox,
    pub(crate) auth: Auth,
    pub(crate) approvals: Approvals,
    pub(crate) workspaces: Workspaces,
    pub(crate) commands: Commands,
    pub(crate) open_commands: crate::calls::OpenCommands,
    pub(crate) terminals: Terminals,
    pub(crate) networks: Networks,
    policy: tokio::sync::OnceCell<Arc<Policy>>,
    pub(crate) live: Live,
    pub(crate) shelves: crate::library::Shelves,
    pub(crate) thumbs: Thumbs,
    pub(crate) sizes: Sizes,
    /// Set once the TCP listener stands.
    pub(crate) address: OnceLock<String>,
    /// Calls that run now; the owner waits for them when it ends.
    pub(crate) running: TaskTracker,
    /// Cancelled when the owner must end: no new calls.
    pub(crate) ending: CancellationToken,
    /// Cancelled when running calls must end, too.
    pub(crate) cancel: CancellationToken,
    proof: tokio::sync::OnceCell<Proof>,
    pub(crate) repeated: crate::http::Repeated,
    pub(crate) parked: crate::mcp::Parked,
    /// Work of this process alone, kept from being dropped.
    tasks: Mutex<Vec<tokio::task::JoinHandle<()>>>,
}

#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Worker(#[from] RunError),
    #[error(transparent)]
    Auth(#[from] AuthError),
    #[error(transparent)]
    Workspaces(#[from] WorkspaceError),
    /// The toolbox's folder cannot be used.
    #[error("{0}")]
    Toolbox(Failure),
}

impl Coded for OpenError {
    fn code(&self) -> &'static str {
        match self {
            OpenError::Home(error) => error.code(),
            OpenError::Settings(error) => error.code(),
            OpenError::Store(error) => error.code(),
            OpenError::Worker(error) => error.code(),
            OpenError::Auth(error) => error.code(),
            OpenError::Workspaces(error) => error.code(),
            OpenError::Toolbox(_) => "toolbox_io",
        }
    }
    fn args(&self) -> Args {
        match self {
            OpenError::Home(error) => error.args(),
            OpenError::Settings(error) => error.args(),
            OpenError::Store(error) => error.args(),
            OpenError::Worker(error) => error.args(),
            OpenError::Auth(error) => error.args(),
            OpenError::Workspaces(error) => error.args(),
            OpenError::Toolbox(failure) => failure.args.clone(),
        }
    }
}

impl App {
    /// Opens the data home. The caller holds the owner's lock. Blocking; inside a tokio runtime.
    pub(crate) fn open(home: DataHome) -> Result<Self, OpenError> {
        let home = home.prepare()?;
        let settings = Settings::load(&home.settings())?;
        let store = Store::open(&home, settings.retention.events)?;
        let auth = Auth::open(&home)?;
        let host = Host::start()?;
        let lang = LiveLang::new(settings.language.unwrap_or_default());
        let toolbox = Toolbox::open(
            home.clone(),
            store.clone(),
            host.clone(),
            settings.clone(),
            lang.clone(),
        )
        .map_err(OpenError::Toolbox)?;
        let limits = Limits::from(&settings.workspaces);
        let workspaces = Handle::current().block_on(Workspaces::open(store.clone(), &home, limits))?;
        let networks = Networks::new(
            store.clone(),
            &home,
            host.tier(),
            host.own_ports().clone(),
            lang.clone(),
        );
        let commands = Commands::new(
            store.clone(),
            host.launcher().clone(),
            host.facts().clone(),
            host.worker_program().to_owned(),
            home.root().to_owned(),
            networks.clone(),
        );
        let ending = CancellationToken::new();
        let inner = Inner {
            workspaces,
            terminals: Terminals::new(commands.clone()),
            commands,
            open_commands: crate::calls::OpenCommands::default(),
            networks,
            policy: tokio::sync::OnceCell::new(),
            approvals: Approvals::new(store.clone(), ending.clone(), Patience::default()),
            home,
            lang_chosen: AtomicBool::new(settings.language.is_some()),
            open_mcp: AtomicBool::new(settings.server.open_mcp_on_loopback),
            settings,
            lang,
            changing: tokio::sync::Mutex::default(),
            store,
            host,
            toolbox,
            auth,
            live: Live::default(),
            shelves: crate::library::Shelves::default(),
            thumbs: Thumbs::default(),
            sizes: Sizes::default(),
            address: OnceLock::new(),
            running: TaskTracker::new(),
            ending,
            cancel: CancellationToken::new(),
            proof: tokio::sync::OnceCell::new(),
            repeated: crate::http::Repeated::default(),
            parked: crate::mcp::Parked::default(),
            tasks: Mutex::default(),
        };
        let app = App {
            cancel: inner.cancel.clone(),
            inner: Arc::new(inner),
        };
        app.keep(tokio::spawn(housekeeping(app.clone())));
        Ok(app)
    }

    /// The same product, for one call whose caller may go away: then the guard is dropped.
    pub(crate) fn for_caller(&self) -> (App, DropGuard) {
        let cancel = self.inner.cancel.child_token();
        let app = App {
            inner: self.inner.clone(),
            cancel: cancel.clone(),
        };
        (app, cancel.drop_guard())
    }

    pub(crate) fn keep(&self, task: tokio::task::JoinHandle<()>) {
        self.inner
            .tasks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(task);
    }

    /// Questions to a person.
    pub fn approvals(&self) -> &Approvals {
        &self.inner.approvals
    }

    /// The language that is spoken now.
    pub(crate) fn lang(&self) -> Lang {
        self.inner.lang.get()
    }

    /// Whether a person has chosen the language that is spoken.
    pub(crate) fn lang_is_chosen(&self) -> bool {
        self.inner.lang_chosen.load(Ordering::Relaxed)
    }

    /// Whether clients on this machine may use `/mcp` without the token.
    pub(crate) fn mcp_is_open(&self) -> bool {
        self.inner.open_mcp.load(Ordering::Relaxed)
    }

    /// What a person changed holds from now on.
    pub(crate) fn follow(&self, settings: &Settings) {
        self.inner.lang.set(settings.language.unwrap_or_default());
        let chosen = settings.language.is_some();
        self.inner.lang_chosen.store(chosen, Ordering::Relaxed);
        let open = settings.server.open_mcp_on_loopback;
        self.inner.open_mcp.store(open, Ordering::Relaxed);
    }

    /// The rules about commands; read when they are first needed. While a person's own are broken
    /// nothing is judged, and so nothing is run.
    pub(crate) async fn policy(&self) -> Result<Arc<Policy>, Failure> {
        let read = || async {
            let rules = self.inner.settings.command_rules.clone();
            let read = move || match rules {
                None => Policy::built_in(),
                Some(rules) => Policy::with_user_rules(&rules.to_string()),
            };
            match tokio::task::spawn_blocking(read).await {
                Ok(policy) => Ok(Arc::new(
                    policy.map_err(|error: PolicyError| Failure::from(error))?,
                )),
                Err(error) => Err(Failure::new("internal").detail(error.to_string())),
            }
        };
        self.inner.policy.get_or_try_init(read).await.cloned()
    }

    /// What the isolation of this machine proved to be; tried once. What does not stand is in the
    /// log, whoever asks.
    pub(crate) async fn proof(&self) -> &Proof {
        let prove = || async {
            let proof = self.inner.host.prove().await;
            told(&proof, self.inner.host.tier());
            proof
        };
        self.inner.proof.get_or_init(prove).await
    }

    /// Asks the owner to end; `serve` sees it.
    pub(crate) fn end(&self) {
        self.inner.ending.cancel();
    }

    /// Resolves when no call runs.
    pub(crate) async fn finished(&self) {
        // Only a closed tracker can be waited for; it takes new calls nevertheless.
        self.inner.running.close();
        self.inner.running.wait().await;
    }

    /// Takes no new calls, waits for the running ones, cancels the rest.
    pub(crate) async fn drain(&self) {
        self.inner.ending.cancel();
        if tokio::time::timeout(DRAIN, self.finished()).await.is_err() {
            tracing::warn!("calls still running were cancelled");
            self.cancelled().await;
        }
    }

    /// Ends the workers. When the doors are closed: a call that came in while they were closing
    /// has begun meanwhile, or never does.
    pub(crate) async fn shut_down(&self) {
        self.cancelled().await;
        self.inner.terminals.close_all(None).await;
        self.inner.toolbox.end();
        self.inner.host.shut_down();
        let tasks = std::mem::take(&mut *self.inner.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            task.abort();
        }
    }

    /// A cancelled run ends within the grace of its worker.
    async fn cancelled(&self) {
        self.inner.cancel.cancel();
        if tokio::time::timeout(CANCELLED, self.finished()).await.is_err() {
            tracing::error!("some calls did not end");
        }
    }
}

async fn housekeeping(app: App) {
    let Inner { home, store, .. } = &*app.inner;
    match thumbs::tidy(home, store).await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "small copies of pictures that are gone were removed"),
        Err(failure) => tracing::warn!(%failure, "small copies of pictures were not tidied"),
    }
    let mut tick = tokio::time::interval(HOUSEKEEPING);
    let mut cleaned: Option<Instant> = None;
    let mut emptied: Option<Instant> = None;
    loop {
        tick.tick().await;
        app.inner.host.sweep();
        if cleaned.is_none_or(|at| at.elapsed() >= CLEAN_LOGS) {
            app.inner.toolbox.clean_logs().await;
            cleaned = Some(Instant::now());
        }
        if emptied.is_none_or(|at| at.elapsed() >= EMPTY_TRASH) {
            let before = base::clock::now_ms() - i64::try_from(TRASHED.as_millis()).unwrap_or(i64::MAX);
            match store.empty_trash(before).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "pictures left the trash"),
                Err(error) => {
                    tracing::warn!(error = %base::failure::chain(&error), "the trash was not emptied")
                }
            }
            if let Err(error) = app.inner.workspaces.clean().await {
                tracing::warn!(error = %base::failure::chain(&error), "old versions of workspaces stay");
            }
            emptied = Some(Instant::now());
        }
    }
}

/// A tier below the full one is never a secret.
fn told(proof: &Proof, tier: Tier) {
    if proof.workers.tier != tier {
        tracing::error!(promised = tier.as_str(), "the walls around workers do not stand");
    }
    match proof.commands.iter().find(|commands| commands.tier == tier) {
        Some(commands) if commands.proved && tier == Tier::Full => {
            tracing::info!(
                tier = tier.as_str(),
                "the walls around commands were tried and stand"
            );
        }
        Some(commands) if commands.proved => {
            let weaker: Vec<_> = commands.weaker.iter().map(|what| what.code()).collect();
            tracing::warn!(tier = tier.as_str(), ?weaker, "commands run behind weaker walls");
        }
        Some(commands) => {
            tracing::error!(tier = tier.as_str(), checks = ?commands.checks, "the walls around commands do not stand");
        }
        None => tracing::warn!("no commands: there are no walls for them here"),
    }
}
