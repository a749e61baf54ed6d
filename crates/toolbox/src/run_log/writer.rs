//! The thread that writes, and the queue before it. The queue is bounded by bytes: who appends
//! faster than the disk takes waits.

use super::changes::Changes;
use super::rotation::{self, Cleaned};
use super::{BATCH_AGE, BATCH_RECORDS, FILE, Level, MAX_BYTES, Record, RunLogError, Secrets};
use base::clock;
use base::name::ToolName;
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};

/// Bytes of one permit.
const GRAIN: usize = 1024;
/// 8 MB may be pending for all tools together.
const PERMITS: usize = 8 * 1024;

/// What was just appended to a tool's log.
#[derive(Clone, Copy, Debug)]
pub struct Written<'w> {
    pub tool: &'w ToolName,
    /// Another number when the file was replaced since: offsets begin anew.
    pub generation: i64,
    /// Where `text` begins in the file.
    pub offset: u64,
    pub text: &'w str,
}

type Answer<T> = oneshot::Sender<T>;
type AllCleaned = Vec<(ToolName, Cleaned)>;

#[derive(Debug)]
pub(super) struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    room: Semaphore,
    pub(super) changes: Changes,
}

#[derive(Debug, Default)]
struct Queue {
    tools: HashMap<ToolName, Pending>,
    clean_all: Vec<(i64, Answer<AllCleaned>)>,
    closed: bool,
}

#[derive(Debug, Default)]
struct Pending {
    text: String,
    records: usize,
    permits: usize,
    /// Records that found no room.
    lost: usize,
    since: Option<Instant>,
    flush: Vec<Answer<Result<(), RunLogError>>>,
    clean: Vec<(i64, Answer<Result<Cleaned, RunLogError>>)>,
}

impl Pending {
    /// Whether the thread must hear of it: it looks again by itself when the first is old enough.
    fn add(&mut self, text: &str, permits: usize) -> bool {
        self.text.push_str(text);
        self.records += 1;
        self.permits += permits;
        self.since.get_or_insert_with(Instant::now);
        self.records == 1 || self.records >= BATCH_RECORDS
    }

    /// How long it may still wait; zero when it is due.
    fn wait(&self, now: Instant) -> Duration {
        if self.records >= BATCH_RECORDS || !self.flush.is_empty() || !self.clean.is_empty() {
            return Duration::ZERO;
        }
        self.since.map_or(BATCH_AGE, |since| {
            BATCH_AGE.saturating_sub(now.saturating_duration_since(since))
        })
    }
}

impl Shared {
    pub(super) fn new() -> Self {
        Shared {
            queue: Mutex::default(),
            wake: Condvar::new(),
            room: Semaphore::new(PERMITS),
            changes: Changes::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn append(&self, tool: &ToolName, text: String) -> Result<(), RunLogError> {
        let permits = permits_of(&text);
        // Fits: a record has far fewer than `PERMITS`.
        let wanted = u32::try_from(permits).unwrap_or(u32::MAX);
        let permit = self
            .room
            .acquire_many(wanted)
            .await
            .map_err(|_| RunLogError::Closed)?;
        permit.forget();
        self.change(|queue| queue.pending(tool).add(&text, permits))
    }

    pub(super) fn offer(&self, tool: &ToolName, text: String) {
        let permits = permits_of(&text);
        let wanted = u32::try_from(permits).unwrap_or(u32::MAX);
        let permit = self
            .room
            .try_acquire_many(wanted)
            .map(tokio::sync::SemaphorePermit::forget);
        // A closed log takes nothing more; there is nobody to tell.
        let _ = self.change(|queue| match permit {
            Ok(()) => queue.pending(tool).add(&text, permits),
            Err(_) => {
                queue.pending(tool).lost += 1;
                true
            }
        });
    }

    pub(super) fn flush(
        &self,
        tool: &ToolName,
    ) -> Result<oneshot::Receiver<Result<(), RunLogError>>, RunLogError> {
        let (answer, receiver) = oneshot::channel();
        self.change(|queue| {
            queue.pending(tool).flush.push(answer);
            true
        })?;
        Ok(receiver)
    }

    pub(super) fn clean(
        &self,
        tool: &ToolName,
        now_ms: i64,
    ) -> Result<oneshot::Receiver<Result<Cleaned, RunLogError>>, RunLogError> {
        let (answer, receiver) = oneshot::channel();
        self.change(|queue| {
            queue.pending(tool).clean.push((now_ms, answer));
            true
        })?;
        Ok(receiver)
    }

    pub(super) fn clean_all(&self, now_ms: i64) -> Result<oneshot::Receiver<AllCleaned>, RunLogError> {
        let (answer, receiver) = oneshot::channel();
        self.change(|queue| {
            queue.clean_all.push((now_ms, answer));
            true
        })?;
        Ok(receiver)
    }

    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    /// `change` says whether the thread must hear of it.
    fn change(&self, change: impl FnOnce(&mut Queue) -> bool) -> Result<(), RunLogError> {
        let mut queue = self.lock();
        if queue.closed {
            return Err(RunLogError::Closed);
        }
        let wake = change(&mut queue);
        drop(queue);
        if wake {
            self.wake.notify_one();
        }
        Ok(())
    }
}

impl Queue {
    fn pending(&mut self, tool: &ToolName) -> &mut Pending {
        self.tools.entry(tool.clone()).or_default()
    }
}

/// At most what there is altogether, so that a record always gets through.
fn permits_of(text: &str) -> usize {
    text.len().div_ceil(GRAIN).clamp(1, PERMITS)
}

/// The thread: takes what is due, writes it, until it is closed and everything is written.
pub(super) fn run(shared: &Shared, folder: &Path, observer: &dyn Fn(Written<'_>)) {
    let mut writer = Writer {
        folder,
        observer,
        changes: &shared.changes,
        generations: HashMap::new(),
    };
    let mut queue = shared.lock();
    loop {
        let now = Instant::now();
        let closed = queue.closed;
        let due: Vec<ToolName> = queue
            .tools
            .iter()
            .filter(|(_, pending)| closed || pending.wait(now).is_zero())
            .map(|(tool, _)| tool.clone())
            .collect();
        let due: Vec<(ToolName, Pending)> = due
            .into_iter()
            .filter_map(|tool| queue.tools.remove_entry(&tool))
            .collect();
        let clean_all = std::mem::take(&mut queue.clean_all);
        if !due.is_empty() || !clean_all.is_empty() {
            drop(queue);
            for (tool, pending) in due {
                shared.room.add_permits(pending.permits);
                writer.serve(&tool, pending);
            }
            for (now_ms, answer) in clean_all {
                // Who asked may have gone.
                let _ = answer.send(writer.clean_all(now_ms));
            }
            queue = shared.lock();
            continue;
        }
        if closed {
            shared.room.close();
            return;
        }
        let wait = queue.tools.values().map(|pending| pending.wait(now)).min();
        queue = match wait {
            None => shared.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
            Some(wait) => {
                let waited = shared.wake.wait_timeout(queue, wait);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
    }
}

struct Writer<'w> {
    /// With a folder for each log.
    folder: &'w Path,
    observer: &'w dyn Fn(Written<'_>),
    changes: &'w Changes,
    generations: HashMap<ToolName, i64>,
}

impl Writer<'_> {
    fn serve(&mut self, tool: &ToolName, mut pending: Pending) {
        let path = self.folder.join(tool.as_str()).join(FILE);
        if pending.lost > 0 {
            let note = format!("日志过多，已丢弃 {} 条", pending.lost);
            pending
                .text
                .push_str(&Record::now(Level::Warn, note).to_text(&Secrets::default()));
        }
        let written = match pending.text.is_empty() {
            true => Ok(()),
            false => self.append(tool, &path, &pending.text),
        };
        if let Err(error) = &written {
            tracing::warn!(%tool, %error, "run log not written");
        }
        for (now_ms, answer) in pending.clean {
            let cleaned = self.clean(tool, &path, now_ms);
            // Who asked may have gone, here and below.
            let _ = answer.send(cleaned.map_err(|error| failed(&path, &error)));
        }
        for answer in pending.flush {
            let done = written.as_ref().map_err(|error| failed(&path, error));
            let _ = answer.send(done.copied());
        }
    }

    fn append(&mut self, tool: &ToolName, path: &Path, text: &str) -> io::Result<()> {
        let (offset, size) = rotation::append(path, text)?;
        (self.observer)(Written {
            tool,
            generation: *self.generations.entry(tool.clone()).or_insert_with(clock::now_ms),
            offset,
            text,
        });
        self.changes.tell(tool);
        if size > MAX_BYTES {
            self.clean(tool, path, clock::now_ms())?;
        }
        Ok(())
    }

    fn clean(&mut self, tool: &ToolName, path: &Path, now_ms: i64) -> io::Result<Cleaned> {
        let cleaned = rotation::clean(path, now_ms)?;
        if cleaned.changed() {
            let generation = self.generations.entry(tool.clone()).or_default();
            *generation = clock::now_ms().max(*generation + 1);
            self.changes.tell(tool);
        }
        Ok(cleaned)
    }

    /// A log that cannot be cleaned does not keep the others from it.
    fn clean_all(&mut self, now_ms: i64) -> AllCleaned {
        let Ok(entries) = std::fs::read_dir(self.folder) else {
            return Vec::new();
        };
        let tools = entries
            .filter_map(Result::ok)
            .filter_map(|entry| ToolName::parse(entry.file_name().to_str()?).ok());
        let mut all = Vec::new();
        for tool in tools {
            let path = self.folder.join(tool.as_str()).join(FILE);
            match self.clean(&tool, &path, now_ms) {
                Ok(cleaned) => all.push((tool, cleaned)),
                Err(error) => tracing::warn!(%tool, %error, "run log not cleaned"),
            }
        }
        all
    }
}

fn failed(path: &Path, error: &io::Error) -> RunLogError {
    RunLogError::Io {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
