//! Everything that is open while this process owns the data home.

use crate::approvals::{Approvals, Patience};
use crate::auth::{Auth, AuthError};
use crate::cells::{Canvases, OfSettings};
use crate::limits::Limits as ClientLimits;
use crate::live::Live;
use crate::mcp::Sessions;
use crate::models::Services;
use crate::rules::Rules;
use crate::secrets;
use crate::sizes::Sizes;
use crate::society::Societies;
use crate::thumbs::{self, Thumbs};
use crate::tokens::Tokens;
use ::secrets::Vault;
use base::home::HomeError;
use base::settings::SettingsError;
use base::{Args, Coded, DataHome, Failure, Lang, LiveLang, Settings};
use runtime::host::{Host, Proof, RunError, Walls};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};
use store::{Store, StoreError};
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;
use toolbox::Toolbox;
use toolbox::run_log::Secrets;
use toolbox::sync::BuiltIns;
use workspace::command::Commands;
use workspace::command::terminal::Terminals;
use workspace::network::Networks;
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
    ask_by_mcp: AtomicBool,
    favourites: RwLock<Vec<String>>,
    /// One change of settings at a time.
    pub(crate) changing: tokio::sync::Mutex<()>,
    /// One change of clients' files at a time.
    pub(crate) connecting: tokio::sync::Mutex<()>,
    pub(crate) store: Store,
    pub(crate) vault: Arc<Vault>,
    /// Held from looking which secrets there are until they are masked.
    learning: tokio::sync::Mutex<()>,
    pub(crate) host: Host,
    pub(crate) toolbox: Toolbox,
    pub(crate) auth: Auth,
    pub(crate) tokens: Tokens,
    pub(crate) limits: Arc<ClientLimits>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) approvals: Approvals,
    pub(crate) workspaces: Workspaces,
    pub(crate) commands: Commands,
    pub(crate) open_commands: crate::calls::OpenCommands,
    pub(crate) terminals: Terminals,
    pub(crate) networks: Networks,
    pub(crate) rules: Rules,
    pub(crate) live: Live,
    pub(crate) shelves: crate::library::Shelves,
    pub(crate) services: Arc<Services>,
    pub(crate) canvases: Canvases,
    pub(crate) societies: Societies,
    pub(crate) assistant: crate::assistant::Assistant,
    pub(crate) browsers: crate::browser::Browsers,
    pub(crate) skills: crate::skills::Shelf,
    pub(crate) externals: crate::external::Externals,
    pub(crate) thumbs: Thumbs,
    pub(crate) sizes: Sizes,
    /// Set once the TCP listener stands.
    pub(crate) address: OnceLock<String>,
    /// Calls that run now; the owner waits for them when it ends.
    pub(crate) running: TaskTracker,
    /// Streams of `pm mcp`, which outlive the requests that opened them.
    pub(crate) bridges: TaskTracker,
    /// Cancelled when the owner must end: no new calls.
    pub(crate) ending: CancellationToken,
    /// Cancelled when running calls must end, too.
    pub(crate) cancel: CancellationToken,
    pub(crate) repeated: crate::http::Repeated,
    pub(crate) parked: crate::mcp::Parked,
    pub(crate) long: crate::mcp::Long,
    pub(crate) feed: crate::mcp::Feed,
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
    /// The folder of external servers cannot be used.
    #[error("external servers")]
    Externals(#[source] std::io::Error),
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
            OpenError::Externals(_) => "external_io",
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
            OpenError::Externals(source) => base::args! { path: "servers", reason: source.to_string() },
            OpenError::Toolbox(failure) => failure.args.clone(),
        }
    }
}

impl App {
    /// Opens the data home. The caller holds the owner's lock. Blocking; inside a tokio runtime.
    pub(crate) fn open(home: DataHome, built_ins: BuiltIns) -> Result<Self, OpenError> {
        let home = home.prepare()?;
        if let Err(error) = crate::backup::sweep(&home) {
            tracing::warn!(%error, "what a backup left was not removed");
        }
        // The walls are tried while the rest is opened; what needs them waits.
        let host = Host::start()?;
        let walls = host.walls().clone();
        let trying = tokio::spawn(async move { told(walls.proof().await) });
        let settings = Settings::load(&home.settings())?;
        let store = Store::open(&home, settings.retention.events)?;
        let auth = Auth::open(&home)?;
        let lang = LiveLang::new(settings.language.unwrap_or_default());
        let vault = Arc::new(Vault::at(home.secrets(), settings.secrets));
        let services = Arc::new(Services::new(&home, vault.clone()));
        let toolbox = Toolbox::open(
            home.clone(),
            built_ins,
            store.clone(),
            vault.clone(),
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
            host.walls().clone(),
            host.own_ports().clone(),
            lang.clone(),
        );
        let tokens = Tokens::default();
        let externals = crate::external::Externals::open(&home).map_err(OpenError::Externals)?;
        secrets::swept(&home, &vault, &services);
        Handle::current().block_on(async {
            // Before anything is written into records: they hold no secrets.
            secrets::learn(&toolbox, &services, &externals, &auth, &store, &vault).await?;
            tokens.load(&store).await?;
            store.settle_approvals().await
        })?;
        let commands = Commands::new(
            store.clone(),
            host.walls().clone(),
            home.root().to_owned(),
            networks.clone(),
        );
        let live = Live::default();
        live.pause(settings.server.paused);
        let ending = CancellationToken::new();
        let inner = Inner {
            workspaces,
            terminals: Terminals::new(commands.clone()),
            commands,
            open_commands: crate::calls::OpenCommands::default(),
            networks,
            rules: Rules::new(home.settings()),
            approvals: Approvals::new(store.clone(), ending.clone(), Patience::default()),
            home,
            tokens,
            limits: Arc::new(ClientLimits::new(&settings.server.limits)),
            sessions: Arc::new(Sessions::new(settings.server.limits.sessions as usize)),
            lang_chosen: AtomicBool::new(settings.language.is_some()),
            open_mcp: AtomicBool::new(settings.server.open_mcp_on_loopback),
            ask_by_mcp: AtomicBool::new(settings.server.ask_in_mcp_clients),
            favourites: RwLock::new(settings.tools.favourites.clone()),
            settings,
            lang,
            changing: tokio::sync::Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
            store,
            vault,
            learning: tokio::sync::Mutex::default(),
            host,
            toolbox,
            auth,
            live,
            shelves: crate::library::Shelves::default(),
            services,
            canvases: Canvases::new(Box::new(OfSettings)),
            societies: Societies::default(),
            assistant: crate::assistant::Assistant::default(),
            browsers: crate::browser::Browsers::default(),
            skills: crate::skills::Shelf::default(),
            externals,
            thumbs: Thumbs::default(),
            sizes: Sizes::default(),
            address: OnceLock::new(),
            running: TaskTracker::new(),
            bridges: TaskTracker::new(),
            ending,
            cancel: CancellationToken::new(),
            repeated: crate::http::Repeated::default(),
            parked: crate::mcp::Parked::default(),
            long: crate::mcp::Long::default(),
            feed: crate::mcp::Feed::default(),
            tasks: Mutex::default(),
        };
        let app = App {
            cancel: inner.cancel.clone(),
            inner: Arc::new(inner),
        };
        Societies::open(&app.inner);
        app.keep(trying);
        app.keep(tokio::spawn(housekeeping(app.clone())));
        let toolbox = &app.inner.toolbox;
        app.keep(tokio::spawn(toolbox.clone().follow_checkout()));
        app.keep(tokio::spawn(toolbox.clone().watch_folders()));
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

    /// Writes down which clients were here.
    async fn keep_seen(&self) {
        if let Err(error) = self.inner.tokens.keep_seen(&self.inner.store).await {
            tracing::warn!(error = %base::failure::chain(&error), "nobody knows which clients were here");
        }
    }

    /// Looks again which secrets there are; records are masked by them from now on.
    pub(crate) async fn learn_secrets(&self) -> Result<Secrets, StoreError> {
        let Inner {
            toolbox,
            services,
            externals,
            auth,
            store,
            vault,
            learning,
            ..
        } = &*self.inner;
        // What was seen first must not be masked by last.
        let _learning = learning.lock().await;
        secrets::learn(toolbox, services, externals, auth, store, vault).await
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

    /// Whether MCP clients may put questions about commands to their person.
    pub(crate) fn asks_by_mcp(&self) -> bool {
        self.inner.ask_by_mcp.load(Ordering::Relaxed)
    }

    /// Names of the favourite tools.
    pub(crate) fn favourites(&self) -> Vec<String> {
        let favourites = self.inner.favourites.read();
        favourites.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a person changed holds from now on.
    pub(crate) fn follow(&self, settings: &Settings) {
        self.inner.lang.set(settings.language.unwrap_or_default());
        let chosen = settings.language.is_some();
        self.inner.lang_chosen.store(chosen, Ordering::Relaxed);
        let open = settings.server.open_mcp_on_loopback;
        self.inner.open_mcp.store(open, Ordering::Relaxed);
        let ask = settings.server.ask_in_mcp_clients;
        self.inner.ask_by_mcp.store(ask, Ordering::Relaxed);
        self.inner.live.pause(settings.server.paused);
        let mut favourites = self
            .inner
            .favourites
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        favourites.clone_from(&settings.tools.favourites);
        drop(favourites);
        self.inner.vault.follow(settings.secrets);
    }

    /// The walls that stand here; tried once.
    pub(crate) fn walls(&self) -> &Walls {
        self.inner.host.walls()
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

    /// Resolves when no stream of `pm mcp` is open.
    pub(crate) async fn left(&self) {
        self.inner.bridges.close();
        self.inner.bridges.wait().await;
    }

    /// Takes no new calls, waits for the running ones, cancels the rest.
    pub(crate) async fn drain(&self) {
        self.inner.ending.cancel();
        if let Ok(society) = self.society() {
            society.quiesce();
        }
        if tokio::time::timeout(DRAIN, self.finished()).await.is_err() {
            tracing::warn!("calls still running were cancelled");
            self.cancelled().await;
        }
    }

    /// Ends the workers. When the doors are closed: a call that came in while they were closing
    /// has begun meanwhile, or never does.
    pub(crate) async fn shut_down(&self) {
        if let Ok(society) = self.society() {
            society.shut_down().await;
        }
        self.cancelled().await;
        self.keep_seen().await;
        self.inner.terminals.close_all(None).await;
        self.inner.browsers.close().await;
        self.inner.externals.shut_down().await;
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
    match app.inner.toolbox.recover_installs().await {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "installs that had been cut off were cleared away"),
        Err(failure) => tracing::warn!(%failure, "what installs left was not cleared away"),
    }
    secrets::move_keys(&app).await;
    let mut tick = tokio::time::interval(HOUSEKEEPING);
    let mut cleaned: Option<Instant> = None;
    let mut emptied: Option<Instant> = None;
    loop {
        tick.tick().await;
        app.inner.host.sweep();
        app.inner.parked.sweep();
        app.inner.sessions.sweep().await;
        app.inner.externals.sweep().await;
        app.inner.canvases.sweep().await;
        app.keep_seen().await;
        if cleaned.is_none_or(|at| at.elapsed() >= CLEAN_LOGS) {
            app.inner.toolbox.clean_logs().await;
            app.inner.externals.clean_logs().await;
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
            match store.empty_canvas_trash(before).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "canvases of cells left the trash"),
                Err(error) => {
                    tracing::warn!(error = %base::failure::chain(&error), "the trash of canvases was not emptied")
                }
            }
            match store.empty_society_trash(before).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "tasks of societies left the trash"),
                Err(error) => {
                    tracing::warn!(error = %base::failure::chain(&error), "the trash of tasks was not emptied")
                }
            }
            match app.inner.toolbox.empty_tool_trash(before).await {
                Ok(0) => {}
                Ok(count) => tracing::info!(count, "tools left the trash"),
                Err(failure) => tracing::warn!(%failure, "the trash of tools was not emptied"),
            }
            if let Err(error) = app.inner.workspaces.clean().await {
                tracing::warn!(error = %base::failure::chain(&error), "old versions of workspaces stay");
            }
            if let Err(failure) = crate::calls::cache_gc(&app, TRASHED).await {
                tracing::warn!(%failure, "packages that no tool uses stay");
            }
            emptied = Some(Instant::now());
        }
    }
}

/// A tier below the full one is never a secret, and least of all one that was promised.
fn told(proof: &Proof) {
    let used = proof.tier().as_str();
    for fallen in proof.fallen() {
        let (tier, failed) = (fallen.tier.as_str(), fallen.failed());
        tracing::error!(tier, ?failed, checks = ?fallen.checks, used, "walls do not stand, others are used");
    }
    match proof.tiers.iter().find(|tier| tier.tier == proof.tier()) {
        Some(tier) if tier.weaker.is_empty() => {
            tracing::info!(tier = used, "the walls were tried and stand");
        }
        Some(tier) => {
            let weaker: Vec<_> = tier.weaker.iter().map(|what| what.code()).collect();
            tracing::warn!(
                tier = used,
                ?weaker,
                "the walls were tried; they are weaker than they could be"
            );
        }
        None => tracing::warn!("nothing is started: no walls stand here"),
    }
}
