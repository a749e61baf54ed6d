//! The thread that owns the connection, and how the rest of the process reaches it.

use crate::error::StoreError;
use crate::events::{self, Cursor, StoredEvent};
use crate::migrations;
use base::{DataHome, Event};
use rusqlite::{Connection, Transaction};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{broadcast, mpsc, oneshot};

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Requests waiting for the database thread; callers wait when it is full.
const QUEUE: usize = 1024;
/// Events that a slow subscriber may lag behind before it is told to resync.
const BROADCAST: usize = 1024;

/// Handle to the records. Cheap to clone; the last one ends the thread.
#[derive(Clone)]
pub struct Store {
    jobs: mpsc::Sender<Job>,
    feed: broadcast::Sender<StoredEvent>,
    epoch: Arc<str>,
    artifacts: Arc<PathBuf>,
    trash: Arc<PathBuf>,
    /// Bytes of artifacts go to the trash and back one at a time.
    moving: Arc<tokio::sync::Mutex<()>>,
}

impl Store {
    /// Opens the database of a prepared data home: backup, migration, reconciliation.
    /// Blocking; called once, before the server answers anything.
    pub fn open(home: &DataHome, keep_events: u32) -> Result<Self, StoreError> {
        let mut connection = Connection::open(home.database())?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        migrations::run(&mut connection, &home.backups())?;
        crate::reconcile::artifacts(&mut connection, &home.artifacts(), &home.trash())?;
        let epoch = events::epoch(&connection)?;
        events::trim(&connection, keep_events)?;

        let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
        let (feed, _) = broadcast::channel(BROADCAST);
        std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                let mut jobs_done: u32 = 0;
                while let Some(job) = queue.blocking_recv() {
                    job(&mut connection);
                    jobs_done = jobs_done.wrapping_add(1);
                    if jobs_done.is_multiple_of(512)
                        && let Err(error) = events::trim(&connection, keep_events)
                    {
                        tracing::warn!(%error, "events were not trimmed");
                    }
                }
            })
            .map_err(|source| StoreError::Io {
                path: home.database(),
                source,
            })?;
        Ok(Store {
            jobs,
            feed,
            epoch: epoch.into(),
            artifacts: Arc::new(home.artifacts()),
            trash: Arc::new(home.trash()),
            moving: Arc::default(),
        })
    }

    /// Reads.
    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.on_thread(move |connection| work(connection)).await
    }

    /// Changes and the events that tell of them, in one transaction. Subscribers hear of the
    /// events after the commit.
    pub(crate) async fn change<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Transaction) -> Result<(T, Vec<Event>), StoreError> + Send + 'static,
    {
        let epoch = self.epoch.clone();
        let feed = self.feed.clone();
        self.on_thread(move |connection| {
            let transaction = connection.transaction()?;
            let (value, events) = work(&transaction)?;
            let mut stored = Vec::with_capacity(events.len());
            for event in events {
                stored.push(events::insert(&transaction, &epoch, event)?);
            }
            transaction.commit()?;
            for event in stored {
                // Nobody listening is not an error.
                let _ = feed.send(event);
            }
            Ok(value)
        })
        .await
    }

    /// Keeps events that belong to no other record.
    pub async fn announce(&self, events: Vec<Event>) -> Result<(), StoreError> {
        self.change(move |_| Ok(((), events))).await
    }

    /// Events from now on. A receiver that lags gets `Lagged` and must resync.
    pub fn subscribe(&self) -> broadcast::Receiver<StoredEvent> {
        self.feed.subscribe()
    }

    /// Where the stream stands: everything up to here is in what a read shows now.
    pub async fn cursor(&self) -> Result<Cursor, StoreError> {
        let epoch = self.epoch.clone();
        self.read(move |connection| {
            Ok(Cursor {
                epoch: epoch.to_string(),
                seq: events::last_seq(connection)?,
            })
        })
        .await
    }

    pub(crate) fn epoch(&self) -> Arc<str> {
        self.epoch.clone()
    }

    pub(crate) fn artifacts_folder(&self) -> Arc<PathBuf> {
        self.artifacts.clone()
    }

    pub(crate) fn trash_folder(&self) -> Arc<PathBuf> {
        self.trash.clone()
    }

    pub(crate) fn moving(&self) -> &tokio::sync::Mutex<()> {
        &self.moving
    }

    async fn on_thread<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (answer, wait) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // A caller that went away does not stop its change.
            let _ = answer.send(work(connection));
        });
        self.jobs.send(job).await.map_err(|_| StoreError::Closed)?;
        wait.await.map_err(|_| StoreError::Closed)?
    }
}
