//! Everything that is open while this process owns the data home.

use crate::auth::{Auth, AuthError};
use base::home::HomeError;
use base::settings::SettingsError;
use base::{Args, Coded, DataHome, Failure, Settings};
use runtime::host::{Host, Report, RunError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolbox::Toolbox;

/// Running calls may take this long to finish when the owner ends.
const DRAIN: Duration = Duration::from_secs(10);
/// Cancelled calls may take this long to say so.
const CANCELLED: Duration = Duration::from_secs(2);
/// How often old log lines and idle workers are looked for.
const HOUSEKEEPING: Duration = Duration::from_secs(60);
/// Seed 002 section 6.3.4.
const CLEAN_LOGS: Duration = Duration::from_secs(3600);

/// Handle to the open product. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) home: DataHome,
    pub(crate) settings: Settings,
    pub(crate) store: Store,
    pub(crate) host: Host,
    pub(crate) toolbox: Toolbox,
    pub(crate) auth: Auth,
    /// Set once the TCP listener stands.
    pub(crate) address: OnceLock<String>,
    /// Calls that run now; the owner waits for them when it ends.
    pub(crate) running: TaskTracker,
    /// Cancelled when the owner must end: no new calls.
    pub(crate) ending: CancellationToken,
    /// Cancelled when running calls must end, too.
    pub(crate) cancel: CancellationToken,
    report: tokio::sync::OnceCell<Report>,
    pub(crate) repeated: crate::http::Repeated,
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
        let toolbox = Toolbox::open(home.clone(), store.clone(), host.clone(), settings.clone())
            .map_err(OpenError::Toolbox)?;
        let inner = Inner {
            home,
            settings,
            store,
            host,
            toolbox,
            auth,
            address: OnceLock::new(),
            running: TaskTracker::new(),
            ending: CancellationToken::new(),
            cancel: CancellationToken::new(),
            report: tokio::sync::OnceCell::new(),
            repeated: crate::http::Repeated::default(),
            tasks: Mutex::default(),
        };
        let app = App {
            inner: Arc::new(inner),
        };
        app.keep(tokio::spawn(housekeeping(app.clone())));
        Ok(app)
    }

    pub(crate) fn keep(&self, task: tokio::task::JoinHandle<()>) {
        self.inner
            .tasks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(task);
    }

    /// What the isolation of this machine proved to be; tried once.
    pub(crate) async fn report(&self) -> &Report {
        self.inner
            .report
            .get_or_init(|| self.inner.host.self_test())
            .await
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
    let mut tick = tokio::time::interval(HOUSEKEEPING);
    let mut cleaned: Option<Instant> = None;
    loop {
        tick.tick().await;
        app.inner.host.sweep();
        if cleaned.is_none_or(|at| at.elapsed() >= CLEAN_LOGS) {
            app.inner.toolbox.clean_logs().await;
            cleaned = Some(Instant::now());
        }
    }
}
