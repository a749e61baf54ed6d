//! The system's keychain, on a thread of its own: the D-Bus behind it may wait for a person who unlocks
//! it, or for a service that never answers. Whoever asks waits within a limit; while an answer is
//! overdue, everybody else is told so at once.
//!
//! The crate `keyring` with its default stores: on Linux the Secret Service over `zbus` and ciphers in
//! Rust. Nothing of the system is linked, so it builds and starts where there is no libdbus. The kernel's
//! keys (keyutils) are no place for what has to be there after a restart.

use crate::Patience;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// What the entries are called, for the person who looks at her keychain.
const SERVICE: &str = "Prompt Manager";

/// Whoever keeps entries; the system, or a test's.
pub(crate) trait Entries {
    fn set(&self, name: &str, value: &str) -> Result<(), Trouble>;
    fn get(&self, name: &str) -> Result<String, Trouble>;
    fn remove(&self, name: &str) -> Result<(), Trouble>;
}

pub(crate) type Open = Box<dyn FnOnce() -> Result<Box<dyn Entries>, Trouble> + Send>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There is no such entry.
    Missing,
    /// There is no keychain at all.
    Absent(String),
    Other(String),
}

impl Trouble {
    pub(crate) fn reason(self) -> String {
        match self {
            Trouble::Missing => "no such entry".to_owned(),
            Trouble::Absent(reason) | Trouble::Other(reason) => reason,
        }
    }
}

type Asked = Box<dyn FnOnce(&dyn Entries) -> Result<String, Trouble> + Send>;

struct Job {
    work: Asked,
    answer: SyncSender<Result<String, Trouble>>,
}

pub(crate) struct Keychain {
    open: Mutex<Option<Open>>,
    jobs: OnceLock<Sender<Job>>,
    /// Somebody waited in vain, and what he waited for is not done.
    overdue: Arc<Mutex<bool>>,
}

impl Keychain {
    pub(crate) fn system() -> Self {
        Keychain::new(Box::new(system))
    }

    /// Nothing is opened before it is needed.
    pub(crate) fn new(open: Open) -> Self {
        Keychain {
            open: Mutex::new(Some(open)),
            jobs: OnceLock::new(),
            overdue: Arc::default(),
        }
    }

    /// Whether there is one. It is looked for once.
    pub(crate) fn there(&self) -> Result<(), Trouble> {
        self.ask(Patience::Short, Box::new(|_| Ok(String::new())))
            .map(drop)
    }

    pub(crate) fn set(&self, name: String, value: String) -> Result<(), Trouble> {
        let set = move |entries: &dyn Entries| entries.set(&name, &value).map(|()| String::new());
        self.ask(Patience::Person, Box::new(set)).map(drop)
    }

    pub(crate) fn get(&self, name: String, patience: Patience) -> Result<String, Trouble> {
        self.ask(patience, Box::new(move |entries| entries.get(&name)))
    }

    pub(crate) fn remove(&self, name: String) -> Result<(), Trouble> {
        let remove = move |entries: &dyn Entries| entries.remove(&name).map(|()| String::new());
        self.ask(Patience::Short, Box::new(remove)).map(drop)
    }

    fn ask(&self, patience: Patience, work: Asked) -> Result<String, Trouble> {
        let slow = || Trouble::Other("the keychain does not answer".to_owned());
        if *locked(&self.overdue) {
            return Err(slow());
        }
        let (answer, answered) = mpsc::sync_channel(1);
        let gone = |_| Trouble::Other("the keychain's thread has ended".to_owned());
        self.jobs().send(Job { work, answer }).map_err(gone)?;
        match answered.recv_timeout(patience.limit()) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => {
                let mut overdue = locked(&self.overdue);
                // Answers are given under the lock: what is not there now is still to come, and clears this.
                answered.try_recv().unwrap_or_else(|_| {
                    *overdue = true;
                    Err(slow())
                })
            }
            Err(RecvTimeoutError::Disconnected) => Err(slow()),
        }
    }

    fn jobs(&self) -> &Sender<Job> {
        self.jobs.get_or_init(|| {
            let (jobs, coming) = mpsc::channel();
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
            let overdue = Arc::clone(&self.overdue);
            let work = move || serve(open, &coming, &overdue);
            // Without a thread nobody takes jobs: whoever sends one is told so.
            if let Err(error) = std::thread::Builder::new()
                .name("keychain".to_owned())
                .spawn(work)
            {
                tracing::error!(%error, "no thread for the keychain");
            }
            jobs
        })
    }
}

fn serve(open: Option<Open>, jobs: &Receiver<Job>, overdue: &Mutex<bool>) {
    let entries = match open {
        Some(open) => open(),
        None => Err(Trouble::Absent("it was not opened".to_owned())),
    };
    while let Ok(Job { work, answer }) = jobs.recv() {
        let done = match &entries {
            Ok(entries) => work(entries.as_ref()),
            Err(trouble) => Err(trouble.clone()),
        };
        let mut overdue = locked(overdue);
        *overdue = false;
        // Who asked may have stopped waiting.
        let _ = answer.send(done);
    }
}

fn locked(overdue: &Mutex<bool>) -> MutexGuard<'_, bool> {
    overdue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Patience {
    pub(crate) fn limit(self) -> Duration {
        match self {
            Patience::Never => Duration::ZERO,
            Patience::Short => Duration::from_secs(2),
            Patience::Person => Duration::from_secs(30),
        }
    }
}

struct System;

fn system() -> Result<Box<dyn Entries>, Trouble> {
    if !bus_is_named() {
        return Err(Trouble::Absent("there is no session bus".to_owned()));
    }
    match keyring::Entry::store_status() {
        Ok(()) => Ok(Box::new(System)),
        Err(error) => Err(Trouble::Absent(words(error))),
    }
}

/// Elsewhere the keychain is a part of the system.
#[cfg(not(target_os = "linux"))]
fn bus_is_named() -> bool {
    true
}

/// What D-Bus itself goes by. An address that is empty or `disabled:` (as a systemd service may have it) says that there
/// is none.
#[cfg(target_os = "linux")]
fn bus_is_named() -> bool {
    match std::env::var_os("DBUS_SESSION_BUS_ADDRESS") {
        Some(address) => !address.is_empty() && address != "disabled:",
        None => std::env::var_os("XDG_RUNTIME_DIR")
            .is_some_and(|folder| std::path::Path::new(&folder).join("bus").exists()),
    }
}

impl Entries for System {
    fn set(&self, name: &str, value: &str) -> Result<(), Trouble> {
        entry(name)?.set_password(value).map_err(trouble)
    }

    fn get(&self, name: &str) -> Result<String, Trouble> {
        entry(name)?.get_password().map_err(trouble)
    }

    fn remove(&self, name: &str) -> Result<(), Trouble> {
        entry(name)?.delete_credential().map_err(trouble)
    }
}

fn entry(name: &str) -> Result<keyring::Entry, Trouble> {
    keyring::Entry::new(SERVICE, name).map_err(trouble)
}

fn trouble(error: keyring::Error) -> Trouble {
    match error {
        keyring::Error::NoEntry => Trouble::Missing,
        error => Trouble::Other(words(&error)),
    }
}

/// What can be said of it: some of these errors hold the bytes of an entry.
fn words(error: &keyring::Error) -> String {
    match error {
        keyring::Error::BadEncoding(_) | keyring::Error::BadDataFormat(..) => {
            "the entry is not what was written".to_owned()
        }
        error => base::text::cut(&error.to_string(), 200),
    }
}
