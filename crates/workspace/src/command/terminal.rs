//! Terminals of a person: shells in task folders, behind the same walls as commands, that stay open
//! while nobody looks.
//!
//! What a shell writes goes into a buffer of fixed size, numbered by byte from the opening on; who
//! watches says how far it has seen, and is told what it has missed. Keys go in whole and in order.
//! A terminal ends with its shell, when it is closed, when its task is unbound, when a person takes
//! back a right that it was opened with, and with the owner.
//!
//! Deliberately not here: what the bytes mean, and judging what is typed. A person types it.

pub use super::screen::News;
use super::screen::Screen;
use super::{Allowed, CommandError, Commands, Right, git_words, network_of};
use crate::network::{Door, Extent};
use crate::workspace::Workspace;
use base::{Coded, Lang, clock};
use sandbox::{Run, SandboxError, Terminal, Tier, prepare_command};
use serde_json::json;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Actor;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// Terminals of one task that are open at the same time.
pub const AT_ONCE: usize = 8;
/// Bytes typed at once.
pub const TYPED: usize = 64 << 10;
/// How long typing waits for a program that does not read.
const DEAF: Duration = Duration::from_secs(5);
/// The longest that a watcher waits for news.
const PATIENCE: Duration = Duration::from_secs(20);
/// News of so long go out together.
const GATHER: Duration = Duration::from_millis(10);
/// Columns and rows at most.
const LARGEST: u16 = 1000;
/// One whose shell has ended is shown for this long, unless it is closed.
const ENDED: Duration = Duration::from_secs(600);
/// One that was closed tells its end for this long to watchers that were about to ask.
const CLOSED: Duration = Duration::from_secs(10);
/// What the shell wrote is still read for this long after its end.
const LAST_WORDS: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
}

impl Size {
    fn check(self, call: &'static str) -> Result<Self, CommandError> {
        let fits = |count| (1..=LARGEST).contains(&count);
        match fits(self.cols) && fits(self.rows) {
            true => Ok(self),
            false => Err(CommandError::Invalid {
                call,
                reason: format!("cols, rows: 1 to {LARGEST}"),
            }),
        }
    }
}

/// A terminal as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    pub id: String,
    pub task: String,
    pub size: Size,
    pub tier: Tier,
    /// What it was opened with.
    pub network: Extent,
    /// Milliseconds since the epoch.
    pub opened_at: i64,
    pub exit_code: Option<i32>,
}

/// The open terminals. Cheap to clone.
#[derive(Clone)]
pub struct Terminals {
    commands: Commands,
    open: Arc<Mutex<HashMap<String, Arc<Session>>>>,
    /// One opens or closes at a time, so that they can be counted.
    opening: Arc<tokio::sync::Mutex<()>>,
    patience: Duration,
}

struct Session {
    id: String,
    task: String,
    tier: Tier,
    network: Extent,
    /// That was spoken when it was opened.
    lang: Lang,
    opened_at: i64,
    terminal: Terminal,
    size: Mutex<Size>,
    screen: watch::Sender<Screen>,
    /// Only for those who watch it still: they hear of its end.
    closed: AtomicBool,
    /// Keys of one call are not mixed with those of another.
    typing: tokio::sync::Mutex<()>,
}

impl Terminals {
    pub fn new(commands: Commands) -> Self {
        Terminals {
            commands,
            open: Arc::default(),
            opening: Arc::default(),
            patience: PATIENCE,
        }
    }

    /// Opens a shell in a workspace.
    pub async fn open(
        &self,
        workspace: &Workspace,
        size: Size,
        actor: Actor,
    ) -> Result<Listed, CommandError> {
        let size = size.check("terminal.open")?;
        let _one = self.opening.lock().await;
        workspace.check_bound()?;
        self.forget();
        let task = workspace.task().to_string();
        if self.of(Some(&task)).len() >= AT_ONCE {
            return Err(CommandError::TooManyTerminals);
        }
        workspace.is_there().await?;
        let id = uuid::Uuid::new_v4().to_string();
        let commands = &self.commands;
        let door = match commands.inner.networks.open(&task, "terminal", &actor).await {
            Ok(door) => door,
            Err(error) => {
                let detail = json!({"why": error.code()});
                commands.note(&task, actor, "terminal.open", detail).await;
                return Err(error.into());
            }
        };
        let opened = self.shell(workspace, size, &door).await;
        let detail = match &opened {
            Ok((terminal, _)) => json!({
                "terminal": id,
                "tier": terminal.tier().as_str(),
                "network": network_of(terminal.tier(), door.extent()).name(),
            }),
            Err(error) => json!({"why": error.code()}),
        };
        commands.note(&task, actor.clone(), "terminal.open", detail).await;
        let (terminal, allowed) = opened.map_err(CommandError::Failed)?;
        let session = Arc::new(Session {
            id: id.clone(),
            task,
            tier: terminal.tier(),
            network: network_of(terminal.tier(), door.extent()),
            lang: commands.inner.networks.lang(),
            opened_at: clock::now_ms(),
            terminal,
            size: Mutex::new(size),
            screen: watch::Sender::default(),
            closed: AtomicBool::new(false),
            typing: tokio::sync::Mutex::default(),
        });
        self.lock().insert(id, session.clone());
        let listed = session.listed();
        let commands = commands.clone();
        // Ends with its shell, which ends when the session is closed.
        tokio::spawn(async move {
            let withdrawn = tokio::select! {
                right = session.follow_with(&allowed, &door) => right,
                () = door.note() => None,
            };
            if let Some(right) = withdrawn {
                let detail = json!({"terminal": session.id, "why": right.name()});
                commands
                    .note(&session.task, actor, "terminal.withdrawn", detail)
                    .await;
            }
            // Whoever sits there saw what was refused; the audit has it.
            door.close().await;
        });
        Ok(listed)
    }

    async fn shell(
        &self,
        workspace: &Workspace,
        size: Size,
        door: &Door,
    ) -> Result<(Terminal, Allowed), SandboxError> {
        let inner = &self.commands.inner;
        let bash = tokio::fs::try_exists("/bin/bash").await.unwrap_or(false);
        let shell = if bash { "/bin/bash" } else { "/bin/sh" };
        let run = Run::Program(vec![shell.into(), "-i".into()]);
        let mut allowed = self.commands.allowed(workspace, run).await;
        let policy = &mut allowed.policy;
        policy.network = door.link().clone();
        policy.env.extend([
            ("TERM".into(), "xterm-256color".into()),
            ("COLORTERM".into(), "truecolor".into()),
        ]);
        if bash {
            let prompt = r"\[\e[1;34m\]\w\[\e[0m\] \$ ";
            policy.env.push(("PS1".into(), prompt.into()));
        }
        let prepared = prepare_command(policy, inner.walls.facts().await)?;
        let launcher = inner.walls.launcher();
        let terminal = launcher.open_terminal(prepared, size.cols, size.rows).await?;
        Ok((terminal, allowed))
    }

    /// Oldest first; of one task, or all.
    pub fn list(&self, task: Option<&str>) -> Vec<Listed> {
        self.forget();
        let mut all: Vec<Listed> = self.of(task).iter().map(|session| session.listed()).collect();
        all.sort_by(|a, b| (a.opened_at, &a.id).cmp(&(b.opened_at, &b.id)));
        all
    }

    /// Types.
    pub async fn input(&self, id: &str, keys: &[u8]) -> Result<(), CommandError> {
        if keys.len() > TYPED {
            return Err(CommandError::Invalid {
                call: "terminal.input",
                reason: format!("data: at most {TYPED} bytes"),
            });
        }
        let session = self.get(id)?;
        let _turn = session.typing.lock().await;
        let has_ended = session.screen.borrow().ended.is_some();
        match timeout(DEAF, session.terminal.write(keys)).await {
            Ok(Ok(())) if !has_ended => Ok(()),
            Err(_) if !has_ended => Err(CommandError::TerminalBusy { id: id.to_owned() }),
            Ok(Ok(()) | Err(_)) | Err(_) => Err(CommandError::NoTerminal { id: id.to_owned() }),
        }
    }

    pub fn resize(&self, id: &str, size: Size) -> Result<(), CommandError> {
        let size = size.check("terminal.resize")?;
        let session = self.get(id)?;
        *session.size.lock().unwrap_or_else(PoisonError::into_inner) = size;
        // One whose shell has ended has no size.
        let _ = session.terminal.resize(size.cols, size.rows);
        Ok(())
    }

    /// What came after byte `from`: at once when that is something, else when it is, or when the
    /// watcher's patience ends.
    pub async fn watch(&self, id: &str, from: u64) -> Result<News, CommandError> {
        let session = self.known(id)?;
        let mut seen = session.screen.subscribe();
        let deadline = Instant::now() + self.patience;
        let new = |screen: &Screen| screen.next > from || screen.ended.is_some();
        // The sender is in `session`: waiting fails by time alone.
        if timeout_at(deadline, seen.wait_for(new)).await.is_ok() {
            sleep(GATHER).await;
        }
        Ok(session.screen.borrow().since(from))
    }

    /// When the shell has ended.
    pub async fn ended(&self, id: &str) {
        if let Ok(session) = self.get(id) {
            let mut seen = session.screen.subscribe();
            // The sender is in `session`.
            let _ = seen.wait_for(|screen| screen.ended.is_some()).await;
        }
    }

    /// Ends everything in it; nobody but who watches it sees it any more. Gives its task.
    pub async fn close(&self, id: &str) -> Result<String, CommandError> {
        let session = self.get(id)?;
        if session.closed.swap(true, Ordering::Relaxed) {
            return Err(unknown(id));
        }
        session.end().await;
        Ok(session.task.clone())
    }

    /// Ends those of one task, or all. Gives how many.
    pub async fn close_all(&self, task: Option<&str>) -> usize {
        let _one = self.opening.lock().await;
        let sessions = self.of(task);
        for session in &sessions {
            session.closed.store(true, Ordering::Relaxed);
        }
        futures_util::future::join_all(sessions.iter().map(|session| session.end())).await;
        sessions.len()
    }

    fn get(&self, id: &str) -> Result<Arc<Session>, CommandError> {
        let session = self.known(id)?;
        match session.closed.load(Ordering::Relaxed) {
            true => Err(unknown(id)),
            false => Ok(session),
        }
    }

    /// Also one that was closed just now.
    fn known(&self, id: &str) -> Result<Arc<Session>, CommandError> {
        self.lock().get(id).cloned().ok_or_else(|| unknown(id))
    }

    fn of(&self, task: Option<&str>) -> Vec<Arc<Session>> {
        let open = self.lock();
        let wanted = |session: &&Arc<Session>| {
            task.is_none_or(|task| session.task == task) && !session.closed.load(Ordering::Relaxed)
        };
        open.values().filter(wanted).cloned().collect()
    }

    fn forget(&self) {
        let old = |session: &Arc<Session>| {
            let keep = match session.closed.load(Ordering::Relaxed) {
                true => CLOSED,
                false => ENDED,
            };
            let ended = session.screen.borrow().ended;
            ended.is_some_and(|(_, at)| at.elapsed() >= keep)
        };
        self.lock().retain(|_, session| !old(session));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown(id: &str) -> CommandError {
    CommandError::NoTerminal {
        id: id.chars().take(100).collect(),
    }
}

impl Session {
    fn listed(&self) -> Listed {
        Listed {
            id: self.id.clone(),
            task: self.task.clone(),
            size: *self.size.lock().unwrap_or_else(PoisonError::into_inner),
            tier: self.tier,
            network: self.network,
            opened_at: self.opened_at,
            exit_code: self.screen.borrow().ended.map(|(code, _)| code),
        }
    }

    /// The same, unless a right is taken back that it was opened with: then it is told why, ended,
    /// and the right is given.
    async fn follow_with(&self, allowed: &Allowed, door: &Door) -> Option<Right> {
        let following = self.follow();
        tokio::pin!(following);
        let right = tokio::select! {
            () = &mut following => return None,
            right = allowed.withdrawn(door) => right,
        };
        let words = withdrawn(right, self.lang);
        self.screen
            .send_modify(|screen| screen.push(format!("\r\n[pm] {words}\r\n").as_bytes()));
        // What it writes meanwhile is still read.
        tokio::join!(self.end(), following);
        Some(right)
    }

    /// Reads the screen until the shell has ended. What it left in repositories is said there.
    async fn follow(&self) {
        let reading = async {
            let mut buffer = vec![0; 16 << 10];
            while let Ok(count @ 1..) = self.terminal.read(&mut buffer).await {
                self.screen.send_modify(|screen| screen.push(&buffer[..count]));
            }
        };
        // Waited for to its end: given up half-way, it would have seen what was left, and told nobody.
        let waiting = self.terminal.wait();
        tokio::pin!(reading, waiting);
        // Something that left the shell's session may hold the screen open.
        let code = tokio::select! {
            code = &mut waiting => {
                let _ = timeout(LAST_WORDS, &mut reading).await;
                code
            }
            () = &mut reading => waiting.await,
        };
        let code = code.unwrap_or_else(|error| {
            tracing::warn!(error = %base::failure::chain(&error), "the end of a terminal was not seen");
            1
        });
        let dangers = self.terminal.git();
        if !dangers.is_empty() {
            tracing::warn!(task = self.task, ?dangers, "a terminal left what runs with git");
        }
        let last = git_words(&dangers, self.lang).replace('\n', "\r\n");
        self.screen.send_modify(|screen| {
            screen.push(last.as_bytes());
            screen.ended = Some((code, Instant::now()));
        });
    }

    async fn end(&self) {
        if let Err(error) = self.terminal.end().await {
            tracing::warn!(error = %base::failure::chain(&error), "a terminal did not end");
        }
    }
}

/// For whoever sits there.
fn withdrawn(right: Right, lang: Lang) -> &'static str {
    match right {
        Right::Network => lang.pick(
            "这个任务的完整网络授权已被收回，所以终端和其中的程序已结束。新打开的终端使用现在的网络设置。",
            "The full network of this task was taken back, so this terminal and what ran in it have ended. A new one gets the network that is granted now.",
        ),
        Right::Unsandboxed => lang.pick(
            "这个任务不经沙箱运行的授权已被收回，所以终端和其中的程序已结束。",
            "This task may no longer run without a sandbox, so this terminal and what ran in it have ended.",
        ),
    }
}
