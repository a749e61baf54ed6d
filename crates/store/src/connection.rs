//! The thread that owns the connection, and how the rest of the process reaches it.
//!
//! What waits together is committed together: each change is a savepoint of one transaction, and
//! nobody is answered, and no event told, before that is committed.

use crate::error::StoreError;
use crate::events::{self, Cursor, StoredEvent};
use crate::grants::KnownGrants;
use crate::migrations;
use base::{DataHome, Event};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{broadcast, mpsc, oneshot};

/// Told the connection, or why there is none.
type Work = dyn FnOnce(Result<&Connection, StoreError>) -> Done + Send;

/// What the thread is asked for.
struct Job {
    kind: Kind,
    work: Box<Work>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Reads,
    Changes,
    /// Does what is not possible in a transaction.
    Alone,
}

/// What a job did, told to whoever waits once it is known whether that stays.
struct Done {
    succeeded: bool,
    tell: Box<dyn FnOnce(Result<(), StoreError>)>,
}

type Waiting<T> = oneshot::Receiver<Result<T, StoreError>>;

/// Requests waiting for the database thread; callers wait when it is full.
const QUEUE: usize = 1024;
/// Requests of one transaction.
const TOGETHER: usize = 64;
/// Events that a slow subscriber may lag behind before it is told to resync.
const BROADCAST: usize = 1024;
/// After so many requests old events are trimmed.
const TRIM_AFTER: usize = 512;

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
    pub(crate) grants: Arc<KnownGrants>,
}

impl Store {
    /// Opens the database of a prepared data home: backup, migration, reconciliation.
    /// Blocking; called once, before the server answers anything.
    pub fn open(home: &DataHome, keep_events: u32) -> Result<Self, StoreError> {
        let mut connection = Connection::open(home.database())?;
        // No other process opens it: no lock is asked for with every change, and no memory is shared.
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", "ON")?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        migrations::run(&mut connection, &home.backups())?;
        crate::reconcile::artifacts(&mut connection, &home.artifacts(), &home.trash())?;
        let epoch = events::epoch(&connection)?;
        events::trim(&connection, keep_events)?;

        let grants = Arc::new(KnownGrants::watching(&mut connection)?);
        let (jobs, mut queue) = mpsc::channel::<Job>(QUEUE);
        let (feed, _) = broadcast::channel(BROADCAST);
        std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                let mut since_trim = 0;
                while let Some(first) = queue.blocking_recv() {
                    let (mut together, mut alone) = (Vec::new(), None);
                    let mut next = Some(first);
                    while let Some(job) = next {
                        if job.kind == Kind::Alone {
                            alone = Some(job);
                            break;
                        }
                        together.push(job);
                        next = match together.len() < TOGETHER {
                            true => queue.try_recv().ok(),
                            false => None,
                        };
                    }
                    since_trim += together.len();
                    do_together(&connection, together);
                    if let Some(job) = alone {
                        ((job.work)(Ok(&connection)).tell)(Ok(()));
                    }
                    if since_trim >= TRIM_AFTER {
                        since_trim = 0;
                        if let Err(error) = events::trim(&connection, keep_events) {
                            tracing::warn!(%error, "events were not trimmed");
                        }
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
            grants,
        })
    }

    /// Reads.
    pub(crate) async fn read<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let waiting = self
            .ask(Kind::Reads, move |connection| Ok((work(connection)?, Vec::new())))
            .await?;
        waiting.await.map_err(|_| StoreError::Closed)?
    }

    /// Changes and the events that tell of them, all or nothing. Subscribers hear of the events
    /// after the commit.
    pub(crate) async fn change<T, F>(&self, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Vec<Event>), StoreError> + Send + 'static,
    {
        let waiting = self.ask_change(work).await?;
        waiting.await.map_err(|_| StoreError::Closed)?
    }

    async fn ask_change<T, F>(&self, work: F) -> Result<Waiting<T>, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Vec<Event>), StoreError> + Send + 'static,
    {
        let epoch = self.epoch.clone();
        self.ask(Kind::Changes, move |connection| {
            let (value, events) = work(connection)?;
            let stored = events
                .into_iter()
                .map(|event| events::insert(connection, &epoch, event));
            let stored = stored.collect::<Result<Vec<_>, _>>()?;
            Ok((value, stored))
        })
        .await
    }

    /// Keeps events that belong to no other record.
    pub async fn announce(&self, events: Vec<Event>) -> Result<(), StoreError> {
        self.change(move |_| Ok(((), events))).await
    }

    /// The same without waiting until it is kept; all that is asked later comes after it.
    pub async fn announce_soon(&self, event: Event) -> Result<(), StoreError> {
        self.ask_change(move |_| Ok(((), vec![event]))).await.map(drop)
    }

    /// A whole copy of the database in a new file, as it is between two changes; on the disk when this returns.
    pub async fn copy_to(&self, path: PathBuf) -> Result<(), StoreError> {
        let work = move |connection: &Connection| {
            connection.execute("VACUUM INTO ?1", [path.to_string_lossy()])?;
            std::fs::File::open(&path)
                .and_then(|file| file.sync_all())
                .map_err(|source| StoreError::Io { path, source })?;
            Ok(((), Vec::new()))
        };
        let waiting = self.ask(Kind::Alone, work).await?;
        waiting.await.map_err(|_| StoreError::Closed)?
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

    async fn ask<T, F>(&self, kind: Kind, work: F) -> Result<Waiting<T>, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<(T, Vec<StoredEvent>), StoreError> + Send + 'static,
    {
        let (answer, waiting) = oneshot::channel();
        let feed = self.feed.clone();
        let work = move |connection: Result<&Connection, StoreError>| {
            let done = connection.and_then(work);
            Done {
                succeeded: done.is_ok(),
                tell: Box::new(move |committed| {
                    let done = done.and_then(|done| committed.map(|()| done));
                    let done = done.map(|(value, events)| {
                        for event in events {
                            // Nobody listening is not an error.
                            let _ = feed.send(event);
                        }
                        value
                    });
                    // A caller that went away does not stop its change.
                    if let Err(Err(error)) = answer.send(done) {
                        tracing::warn!(error = %base::failure::chain(&error), "not kept, and nobody waits for it");
                    }
                }),
            }
        };
        let work = Box::new(work);
        let sent = self.jobs.send(Job { kind, work }).await;
        sent.map_err(|_| StoreError::Closed)?;
        Ok(waiting)
    }
}

/// Jobs in their order, their changes in one transaction. A change that fails takes only itself back;
/// what breaks the transaction, all of them.
fn do_together(connection: &Connection, jobs: Vec<Job>) {
    if !jobs.iter().any(|job| job.kind == Kind::Changes) {
        for job in jobs {
            ((job.work)(Ok(connection)).tell)(Ok(()));
        }
        return;
    }
    let mut state = connection.execute_batch("BEGIN IMMEDIATE").map_err(Arc::new);
    let mut told = Vec::with_capacity(jobs.len());
    for job in jobs {
        let done = match &state {
            Ok(()) => {
                let (done, stands) = step(connection, job);
                state = stands.map_err(Arc::new);
                done
            }
            Err(error) => (job.work)(Err(StoreError::NotKept(error.clone()))),
        };
        told.push(done.tell);
    }
    if state.is_ok() {
        state = connection.execute_batch("COMMIT").map_err(Arc::new);
    }
    if !connection.is_autocommit()
        && let Err(error) = connection.execute_batch("ROLLBACK")
    {
        tracing::error!(%error, "a transaction could not be taken back");
    }
    for tell in told {
        tell(state.clone().map_err(StoreError::NotKept));
    }
}

/// One of them, and whether the transaction still stands: when the disk is full SQLite ends it by
/// itself.
fn step(connection: &Connection, job: Job) -> (Done, rusqlite::Result<()>) {
    let run = |statement: &str| connection.prepare_cached(statement)?.execute([]).map(|_| ());
    if job.kind != Kind::Changes {
        return ((job.work)(Ok(connection)), Ok(()));
    }
    let begun = run("SAVEPOINT job");
    let done = (job.work)(begun.map(|()| connection).map_err(StoreError::from));
    let stands = match done.succeeded {
        true => run("RELEASE job"),
        false => run("ROLLBACK TO job").and_then(|()| run("RELEASE job")),
    };
    (done, stands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// What each job was told, in order.
    type Told = Arc<Mutex<Vec<Result<(), StoreError>>>>;

    fn job(told: &Told, kind: Kind, sql: &'static str) -> Job {
        let told = told.clone();
        let work = move |connection: Result<&Connection, StoreError>| {
            let done = connection.and_then(|connection| Ok(connection.execute_batch(sql)?));
            Done {
                succeeded: done.is_ok(),
                tell: Box::new(move |committed| told.lock().unwrap().push(done.and(committed))),
            }
        };
        Job {
            kind,
            work: Box::new(work),
        }
    }

    fn numbers(connection: &Connection) -> Vec<i64> {
        let mut statement = connection.prepare("SELECT n FROM t ORDER BY n").unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn database() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "PRAGMA foreign_keys = ON; CREATE TABLE t (n INTEGER PRIMARY KEY);
            CREATE TABLE child (n REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED);";
        connection.execute_batch(tables).unwrap();
        connection
    }

    #[test]
    fn a_change_that_fails_takes_only_itself_back() {
        let (connection, told) = (database(), Told::default());
        let half = "INSERT INTO t VALUES (2); INSERT INTO t VALUES (1)";
        do_together(
            &connection,
            vec![
                job(&told, Kind::Changes, "INSERT INTO t VALUES (1)"),
                job(&told, Kind::Changes, half),
                job(&told, Kind::Reads, "SELECT n FROM t"),
                job(&told, Kind::Changes, "INSERT INTO t VALUES (3)"),
            ],
        );
        let told = told.lock().unwrap();
        let which: Vec<bool> = told.iter().map(Result::is_ok).collect();
        assert_eq!(which, [true, false, true, true]);
        assert_eq!(numbers(&connection), [1, 3], "nothing of the half");
        assert!(connection.is_autocommit());
    }

    #[test]
    fn who_is_in_a_transaction_that_does_not_end_well_is_told() {
        let (connection, told) = (database(), Told::default());
        do_together(
            &connection,
            vec![
                job(&told, Kind::Changes, "INSERT INTO t VALUES (1)"),
                // Found out at the commit.
                job(&told, Kind::Changes, "INSERT INTO child VALUES (7)"),
                job(&told, Kind::Reads, "SELECT n FROM t"),
            ],
        );
        {
            let told = told.lock().unwrap();
            assert!(told.len() == 3 && told.iter().all(|one| matches!(one, Err(StoreError::NotKept(_)))));
        }
        assert!(numbers(&connection).is_empty() && connection.is_autocommit());

        // As SQLite does it by itself when the disk is full.
        told.lock().unwrap().clear();
        let jobs = vec![
            job(&told, Kind::Changes, "INSERT INTO t VALUES (1)"),
            job(&told, Kind::Changes, "ROLLBACK"),
            job(&told, Kind::Changes, "INSERT INTO t VALUES (2)"),
        ];
        do_together(&connection, jobs);
        assert!(told.lock().unwrap().iter().all(Result::is_err));
        assert!(numbers(&connection).is_empty());

        told.lock().unwrap().clear();
        do_together(
            &connection,
            vec![job(&told, Kind::Changes, "INSERT INTO t VALUES (4)")],
        );
        assert!(told.lock().unwrap()[0].is_ok(), "the next ones are well");
        assert_eq!(numbers(&connection), [4]);
    }
}
