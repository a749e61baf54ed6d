//! External MCP servers, whose tools are offered through our endpoint as `SERVER__tool`.
//!
//! A person adds them. A program runs behind the walls of commands, in a folder of its own, with the folders
//! and hosts that she granted (subject `server:NAME`); an address is asked by HTTP. A server is started
//! when one of its tools is called, ends when nobody has called for a while, and is left alone for longer and
//! longer when it fails. What a person approved of a tool is what is offered: one that says something
//! else by now is held back until she has looked at it.
//!
//! Deliberately not here: tools of the toolbox, prompts and resources of such servers (not offered), questions
//! that they put to a person or a model (refused).

mod backoff;
mod bundle;
mod call;
mod definitions;
mod entry;
mod error;
mod hear;
mod kept;
mod logs;
mod open;
mod paste;
mod people;
mod renew;
mod rights;

pub(crate) use call::{Gave, call};
pub(crate) use people::{add, approve, detail, grant, list, look_at_bundle, remove, restart, switch};
pub(crate) use rights::subject_of;

use crate::app::App;
use crate::work::blocking;
use backoff::Backoff;
use base::name::ToolName;
use base::{DataHome, Event, Failure};
use definitions::{BETWEEN, Known, offer, offered};
use error::ExternalError;
use hear::Heard;
use kept::Kept;
use open::Open;
use rmcp::model::Tool;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use toolbox::run_log::{Level, RunLogs, Secrets};
use wire::{ExternalState, ExternalToolState};

/// Servers that there may be.
pub(crate) const MOST: usize = 100;
/// One that nobody called for so long ends.
const IDLE: Duration = Duration::from_secs(600);
/// A wait for another try that is so short is waited out.
const SHORT: Duration = Duration::from_secs(5);
/// Lists of one server are asked for at most so often.
const LISTS: Duration = Duration::from_secs(1);

/// All of them.
pub(crate) struct Externals {
    /// `servers/` of the data home.
    folder: PathBuf,
    logs: RunLogs,
    all: RwLock<BTreeMap<ToolName, Arc<External>>>,
    /// The file could not be read; it is left as it is.
    broken: Option<Failure>,
    /// One change at a time.
    changing: tokio::sync::Mutex<()>,
}

/// One of them.
pub(crate) struct External {
    pub(crate) name: ToolName,
    state: Mutex<State>,
    /// Held while it is started.
    slot: tokio::sync::Mutex<Option<Arc<Open>>>,
    /// Held while what is known of it is changed and written.
    writing: tokio::sync::Mutex<()>,
}

struct State {
    kept: Kept,
    known: Known,
    phase: ExternalState,
    problem: Option<Failure>,
    backoff: Backoff,
    /// Cancelled, a start is given up.
    halt: CancellationToken,
}

/// Why a server is to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// A person wants it, whatever it failed with.
    Person,
    /// A tool of it was called.
    Call,
}

impl Externals {
    /// Blocks.
    pub(crate) fn open(home: &DataHome) -> std::io::Result<Self> {
        let folder = home.root().join("servers");
        // Of a program that was killed.
        let _ = std::fs::remove_dir_all(sockets(home));
        base::atomic::create_dir_all(&sockets(home))?;
        base::atomic::create_dir_all(&folder)?;
        let (all, broken) = match kept::read_all(&folder) {
            Ok(all) => (all, None),
            Err(error) => {
                tracing::error!(error = %base::failure::chain(&error), "external servers are not known");
                (BTreeMap::new(), Some(Failure::of(&error)))
            }
        };
        let all = all.into_iter().map(|(name, kept)| {
            let place = folder.join(name.as_str());
            renew::sweep(&place, &kept);
            let known = kept::read_known(&place);
            (name.clone(), Arc::new(External::new(name, kept, known)))
        });
        Ok(Externals {
            all: RwLock::new(all.collect()),
            logs: RunLogs::start_in(folder.clone(), |_| {})?,
            folder,
            broken,
            changing: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn all(&self) -> Vec<Arc<External>> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        all.values().cloned().collect()
    }

    pub(crate) fn get(&self, name: &str) -> Result<Arc<External>, ExternalError> {
        let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
        let found = ToolName::parse(name)
            .ok()
            .and_then(|name| all.get(&name).cloned());
        found.ok_or_else(|| ExternalError::Unknown(base::text::cut(name, 80)))
    }

    /// Whether a name is one of a tool of these, offered or not.
    pub(crate) fn has(&self, called: &str) -> bool {
        let server = called.split_once(BETWEEN).map(|(server, _)| server);
        server.is_some_and(|server| self.get(server).is_ok())
    }

    /// What clients are offered, by server and name.
    pub(crate) fn offers(&self) -> Vec<Tool> {
        self.all().iter().flat_map(|one| one.offers()).collect()
    }

    /// Values that must not stand in any record.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let all = self.all();
        all.iter().flat_map(|one| one.state().kept.secrets()).collect()
    }

    fn place(&self, name: &ToolName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    fn check(&self) -> Result<(), Failure> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    /// Those that nobody calls end.
    pub(crate) async fn sweep(&self) {
        for one in self.all() {
            // Who holds it is starting it.
            let Ok(slot) = one.slot.try_lock() else { continue };
            if let Some(open) = &*slot
                && open.calls.load(Ordering::Relaxed) == 0
                && open.idle() >= IDLE
            {
                open.end.cancel();
            }
        }
    }

    pub(crate) async fn clean_logs(&self) {
        if let Err(error) = self.logs.clean_all().await {
            tracing::warn!(error = %base::failure::chain(&error), "logs of external servers");
        }
    }

    /// All end, at the same time.
    pub(crate) async fn shut_down(&self) {
        let all = self.all();
        futures_util::future::join_all(all.iter().map(|one| one.stop())).await;
    }
}

/// Where proxies of programs have their sockets.
fn sockets(home: &DataHome) -> PathBuf {
    home.run().join("servers")
}

impl External {
    fn new(name: ToolName, kept: Kept, known: Known) -> Self {
        let phase = if kept.enabled {
            ExternalState::Idle
        } else {
            ExternalState::Off
        };
        External {
            name,
            state: Mutex::new(State {
                kept,
                known,
                phase,
                problem: None,
                backoff: Backoff::default(),
                halt: CancellationToken::new(),
            }),
            slot: tokio::sync::Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn offers(&self) -> Vec<Tool> {
        let state = self.state();
        if !state.kept.enabled {
            return Vec::new();
        }
        let names = offered(self.name.as_str(), state.known.tools.keys());
        let tools = state.known.tools.iter().filter(|(name, tool)| {
            tool.state() == ExternalToolState::Approved && !state.kept.off.contains(*name)
        });
        tools
            .map(|(name, tool)| offer(names[name.as_str()].clone(), &tool.listed))
            .collect()
    }

    /// Its own name of the tool that is offered as this, when it may be called.
    fn tool(&self, called: &str) -> Result<String, ExternalError> {
        let server = self.name.to_string();
        let state = self.state();
        if !state.kept.enabled {
            return Err(ExternalError::Off { server });
        }
        let names = offered(self.name.as_str(), state.known.tools.keys());
        let found = names.iter().find(|(_, offered)| *offered == called);
        let Some((name, _)) = found else {
            let tool = base::text::cut(called, 80);
            return Err(ExternalError::UnknownTool { server, tool });
        };
        let tool = (*name).to_owned();
        if state.kept.off.contains(*name) {
            return Err(ExternalError::ToolOff { server, tool });
        }
        match state.known.tools[*name].state() {
            ExternalToolState::Approved => Ok(tool),
            ExternalToolState::New | ExternalToolState::Changed => Err(ExternalError::Held { server, tool }),
        }
    }

    /// The server, started if it is not there. A start goes on though nobody waits for it any more.
    pub(crate) async fn ready(self: &Arc<Self>, app: &App, why: Why) -> Result<Arc<Open>, Failure> {
        let (server, app) = (self.clone(), app.clone());
        let ready = tokio::spawn(async move { server.make_ready(&app, why).await });
        ready
            .await
            .map_err(|error| Failure::new("internal").detail(error.to_string()))?
    }

    async fn make_ready(self: &Arc<Self>, app: &App, why: Why) -> Result<Arc<Open>, Failure> {
        let mut slot = self.slot.lock().await;
        if let Some(open) = &*slot {
            if !open.is_over() {
                open.touch();
                return Ok(open.clone());
            }
            open.close().await;
        }
        *slot = None;
        let kept = {
            let mut state = self.state();
            if why == Why::Person {
                state.backoff.forgive();
            }
            state.kept.clone()
        };
        if !kept.enabled {
            return Err(ExternalError::Off {
                server: self.name.to_string(),
            }
            .into());
        }
        let wait = self.state().backoff.left(Instant::now());
        if wait > SHORT {
            let seconds = wait.as_secs() + 1;
            return Err(ExternalError::BackingOff {
                server: self.name.to_string(),
                seconds,
            }
            .into());
        }
        let halt = app.inner.cancel.child_token();
        self.state().halt = halt.clone();
        if halt.run_until_cancelled(tokio::time::sleep(wait)).await.is_none()
            || app.inner.ending.is_cancelled()
        {
            return Err(Failure::new("cancelled"));
        }
        self.phase(app, ExternalState::Starting, None).await;
        let started = halt.run_until_cancelled(self.start(app, &kept)).await;
        let Some(started) = started else {
            self.phase(app, ExternalState::Idle, None).await;
            return Err(Failure::new("cancelled"));
        };
        match started {
            Ok(open) => {
                *slot = Some(open.clone());
                self.phase(app, ExternalState::Running, None).await;
                Ok(open)
            }
            Err(failure) => {
                let failure = self.masked(failure);
                self.state().backoff.failed(Instant::now(), Duration::ZERO);
                let log = self.log(app);
                log.note(Level::Error, &format!("start: {failure}"));
                self.phase(app, ExternalState::Failed, Some(failure.clone()))
                    .await;
                Err(failure)
            }
        }
    }

    /// A failure without its secrets: an address that cannot be reached is named with all that is in it.
    pub(crate) fn masked(&self, mut failure: Failure) -> Failure {
        let secrets = Secrets::new(self.state().kept.secrets());
        failure.detail = secrets.mask(&failure.detail);
        for value in failure.args.values_mut() {
            if let serde_json::Value::String(text) = value {
                *text = secrets.mask(text);
            }
        }
        failure
    }

    fn log(&self, app: &App) -> Heard {
        let secrets = self.state().kept.secrets();
        Heard::new(app.inner.externals.logs.of(&self.name, Secrets::new(secrets)))
    }

    async fn start(self: &Arc<Self>, app: &App, kept: &Kept) -> Result<Arc<Open>, Failure> {
        let place = app.inner.externals.place(&self.name);
        let make = place.join("data");
        let made = blocking(move || base::atomic::create_dir_all(&make)).await?;
        made.map_err(kept::failed(&place))?;
        let heard = Arc::new(self.log(app));
        heard.note(
            Level::Info,
            &format!("start: {}", kept.masked(&entry::target(&kept.entry))),
        );
        let rights = rights::of(app, self).await?;
        let spec = rights.spec(app, &place, kept);
        let server = self.name.as_str();
        let fresh = open::connect(&app.inner.host, server, &kept.entry, spec, heard).await;
        let fresh = match fresh {
            Ok(fresh) => fresh,
            Err(error) => {
                rights.note(app, self).await;
                return Err(error.into());
            }
        };
        let heard = fresh.heard;
        heard.note(
            Level::Info,
            &format!(
                "connected: {}, tools: {}",
                fresh.implementation,
                fresh.listed.len()
            ),
        );
        self.learnt(app, |known| {
            known.implementation = fresh.implementation;
            known.instructions = fresh.instructions;
            known.take(fresh.listed);
        })
        .await?;
        let open = Arc::new(Open {
            peer: fresh.link.service.peer().clone(),
            heard,
            program: fresh.link.program.is_some(),
            calls: AtomicUsize::new(0),
            used: Mutex::new(Instant::now()),
            end: app.inner.cancel.child_token(),
            ended: CancellationToken::new(),
        });
        tokio::spawn(self.clone().attend(app.clone(), open.clone(), fresh.link, rights));
        Ok(open)
    }

    /// From its start to its end.
    async fn attend(self: Arc<Self>, app: App, open: Arc<Open>, link: open::Link, rights: rights::Rights) {
        let since = Instant::now();
        // Last of all: who waits for its end finds everything told and written.
        let _ended = open.ended.clone().drop_guard();
        let how = {
            let ended = link.attend(&open);
            let relist = self.relist(&app, &open);
            tokio::select! {
                how = ended => how,
                () = relist => None,
            }
        };
        rights.note(&app, &self).await;
        if let Some(how) = how {
            open.heard.note(Level::Error, &format!("ended: {how}"));
            let problem = ExternalError::Ended {
                server: self.name.to_string(),
                how,
            };
            let problem = self.masked(problem.into());
            self.state().backoff.failed(Instant::now(), since.elapsed());
            self.phase(&app, ExternalState::Failed, Some(problem)).await;
        } else {
            open.heard.note(Level::Info, "ended");
            let enabled = self.state().kept.enabled;
            let phase = if enabled {
                ExternalState::Idle
            } else {
                ExternalState::Off
            };
            self.phase(&app, phase, None).await;
        }
    }

    /// Asks for the tools again whenever the server says that they are others; never returns.
    async fn relist(&self, app: &App, open: &Open) {
        loop {
            open.heard.changed.notified().await;
            tokio::time::sleep(LISTS).await;
            let patience = entry::start_time(&self.state().kept.entry);
            let listed = tokio::time::timeout(patience, open::list(&open.peer, self.name.as_str())).await;
            let failure = match listed {
                Ok(Ok(listed)) => self.learnt(app, |known| _ = known.take(listed)).await.err(),
                Ok(Err(error)) => Some(error.into()),
                Err(_) => Some(Failure::new("external_silent")),
            };
            if let Some(failure) = failure {
                open.heard.note(Level::Warn, &format!("tools: {failure}"));
            }
        }
    }

    /// Changes what is known of it, keeps that, and tells whom it matters to.
    async fn learnt(&self, app: &App, change: impl FnOnce(&mut Known)) -> Result<(), Failure> {
        // Held until it is written: what was learnt first must not be written last.
        let writing = self.writing.lock().await;
        let known = {
            let mut state = self.state();
            let before = state.known.clone();
            change(&mut state.known);
            (state.known != before).then(|| state.known.clone())
        };
        let Some(known) = known else { return Ok(()) };
        let place = app.inner.externals.place(&self.name);
        blocking(move || kept::write_known(&place, &known)).await??;
        drop(writing);
        self.tell(app, "server.tools").await;
        Ok(())
    }

    async fn phase(&self, app: &App, phase: ExternalState, problem: Option<Failure>) {
        {
            let mut state = self.state();
            state.phase = phase;
            state.problem = problem;
        }
        self.tell(app, "server.state").await;
    }

    async fn tell(&self, app: &App, kind: &str) {
        let event = Event::new(kind, json!({"server": self.name.as_str()})).tag("servers");
        if let Err(error) = app.inner.store.announce_soon(event).await {
            tracing::warn!(error = %base::failure::chain(&error), "nobody heard of an external server");
        }
    }

    /// Ends it, if it runs, and waits for that.
    pub(crate) async fn stop(&self) {
        self.state().halt.cancel();
        let open = self.slot.lock().await.take();
        if let Some(open) = open {
            open.close().await;
        }
    }
}
