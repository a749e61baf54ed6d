//! Programs that a tool has started, where a person granted it that: the owner starts them, behind
//! the walls of commands, and the tool holds the other ends of their streams.
//!
//! They see the folders that the tool sees, with the same rights, the system and the toolchains, and
//! reach the hosts that the tool reaches. All of them end with the run.
//!
//! Limits: whatever signal a tool sends, what it started is killed with everything below it, and is
//! said to have ended by that signal. In the reduced tier they have no network.
//!
//! Deliberately not here: who granted it, Node's `child_process`.

use super::network::{Answer, Reach};
use super::pool::Host;
use crate::protocol::{Spawn, ToGuest};
use base::Coded;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::Signal;
use sandbox::command::{environment, toolchains};
use sandbox::net::proxy::{self, Options};
use sandbox::{CommandPolicy, Mount, Proxy, Run, SandboxError, Streamed, Tier, Walls, prepare_command};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

/// Of one run at the same time.
const AT_ONCE: usize = 32;
/// Processes and threads of one of them.
const PROCESSES: u64 = 256;
/// Bytes of memory of one of them and all that it started.
const MEMORY: u64 = 2 << 30;
/// Where programs of the system are, for everyone to see.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/etc", "/opt"];
/// Folders that every program has, its own or not.
const EVERYWHERE: [&str; 3] = ["/", "/tmp", "/dev"];

/// What programs of a tool may use.
#[derive(Clone)]
pub struct Processes {
    walls: Walls,
    /// Directories, each with its access, as the tool has them.
    mounts: Vec<Mount>,
    /// Hidden but for `mounts`: the data home.
    home: PathBuf,
    /// A folder of the owner's, for what a program needs while it runs.
    run: PathBuf,
}

impl std::fmt::Debug for Processes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Processes").field("mounts", &self.mounts).finish()
    }
}

impl Host {
    /// `run`: a folder that is the owner's alone, for what programs need while they run.
    pub fn processes(&self, mounts: Vec<Mount>, home: &Path, run: &Path) -> Processes {
        Processes {
            walls: self.walls().clone(),
            mounts,
            home: home.to_owned(),
            run: run.to_owned(),
        }
    }
}

/// Those of one run. Dropped, they are killed.
#[derive(Default)]
pub(super) struct Children {
    tasks: JoinSet<()>,
    /// By number: the signal that ends it, once there is one.
    kills: HashMap<u64, watch::Sender<Option<i32>>>,
}

impl Children {
    /// An answer at once when there are too many, or when it may not.
    pub(super) fn spawn(
        &mut self,
        reach: &Reach,
        spawn: Spawn,
        answers: mpsc::Sender<Answer>,
    ) -> Option<ToGuest> {
        while self.tasks.try_join_next().is_some() {}
        self.kills.retain(|_, kill| !kill.is_closed());
        let processes = match &reach.processes {
            Ok(processes) => processes.clone(),
            Err(words) => {
                return Some(refused(
                    spawn.id,
                    "processes_not_granted",
                    words.to_string(),
                    None,
                ));
            }
        };
        if self.tasks.len() >= AT_ONCE {
            let words = format!("{AT_ONCE} programs of this run are there already");
            return Some(refused(spawn.id, "processes_too_many", words, Some(Errno::AGAIN)));
        }
        let (kill, killed) = watch::channel(None);
        self.kills.insert(spawn.id, kill);
        let reach = reach.clone();
        self.tasks
            .spawn(async move { processes.attend(&reach, spawn, answers, killed).await });
        None
    }

    pub(super) fn kill(&self, child: u64, signal: i32) {
        if let Some(kill) = self.kills.get(&child) {
            kill.send_if_modified(|first| first.is_none() && first.replace(signal).is_none());
        }
    }

    /// Kills all and waits until they are dead.
    pub(super) async fn end(&mut self) {
        for kill in self.kills.values() {
            kill.send_if_modified(|first| first.is_none() && first.replace(Signal::KILL.as_raw()).is_none());
        }
        while self.tasks.join_next().await.is_some() {}
    }
}

fn refused(id: u64, code: &str, message: String, errno: Option<Errno>) -> ToGuest {
    ToGuest::Refused {
        id,
        code: code.to_owned(),
        message,
        errno: errno.map(Errno::raw_os_error),
        address: None,
    }
}

/// A folder that nobody else uses, gone with whatever a program left in it.
pub(super) struct Own(PathBuf);

impl Own {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn make(run: &Path) -> std::io::Result<Own> {
        let path = run.join(uuid::Uuid::new_v4().simple().to_string());
        base::atomic::create_dir_all(&path)?;
        Ok(Own(path))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // What stays, goes when the next owner starts.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Processes {
    /// From its start to its end.
    async fn attend(
        self,
        reach: &Reach,
        spawn: Spawn,
        answers: mpsc::Sender<Answer>,
        mut killed: watch::Receiver<Option<i32>>,
    ) {
        let (id, exit, wanted) = (spawn.id, spawn.exit, spawn.streams);
        let (mut child, ours, _kept) = match self.start(reach, spawn).await {
            Ok(started) => started,
            Err(refusal) => {
                // Nobody hears it when the run is over.
                let _ = answers.send(Answer::tell(refusal.told(id))).await;
                return;
            }
        };
        for (stream, socket) in wanted.into_iter().zip(ours) {
            if let (Some(id), Some(socket)) = (stream, socket) {
                let _ = answers.send(Answer::stream(id, socket)).await;
            }
        }
        let pid = child.id();
        let _ = answers.send(Answer::tell(ToGuest::Spawned { id, pid })).await;
        let ended = tokio::select! {
            code = child.wait() => code.map(|code| (Some(code), None)),
            Ok(signal) = async { killed.wait_for(Option::is_some).await.map(|signal| *signal) } => {
                child.end().await.map(|_| (None, signal))
            }
        };
        let (code, signal) = ended.unwrap_or_else(|error| {
            tracing::warn!(error = %base::failure::chain(&error), "a tool's program did not begin");
            (Some(126), None)
        });
        let _ = answers
            .send(Answer::tell(ToGuest::Exited {
                id: exit,
                code,
                signal,
            }))
            .await;
    }

    async fn start(&self, reach: &Reach, mut spawn: Spawn) -> Result<Started, Refusal> {
        let toolchains = toolchains::installed().await;
        // The owner's folders of programs, which tools see, are not all there behind the walls.
        let own = std::env::var("PATH").ok();
        spawn
            .env
            .retain(|(name, value)| name != "PATH" || own.as_ref() != Some(value));
        let (file, cwd) = (spawn.file.clone(), spawn.cwd.clone());
        let path = match spawn.env.iter().find(|(name, _)| name == "PATH") {
            Some((_, path)) => path.into(),
            None => environment::path(&toolchains),
        };
        let shown = self.mounts.iter().map(|mount| &mount.path);
        let tools = toolchains.folders.iter().chain(&toolchains.path);
        let seen: Vec<PathBuf> = shown
            .chain(tools)
            .cloned()
            .chain(SYSTEM.map(PathBuf::from))
            .collect();
        let found = tokio::task::spawn_blocking(move || find(&file, &cwd, &path, &seen));
        let file = found.await.map_err(gone)?.map_err(Refusal::Program)?;
        let run = self.run.clone();
        let made = tokio::task::spawn_blocking(move || {
            Ok::<_, std::io::Error>((Own::make(&run)?, Own::make(&run)?))
        });
        let (empty, sockets) = made.await.map_err(gone)?.map_err(Refusal::System)?;
        let words = [
            "/bin/sh".into(),
            "-c".into(),
            // The folder that commands begin in is another one.
            "cd \"$1\" || exit 126; shift; exec \"$@\"".into(),
            "sh".into(),
            spawn.cwd.into_os_string(),
            file.into_os_string(),
        ];
        let given = spawn.args.into_iter().map(OsString::from);
        let run = Run::Program(words.into_iter().chain(given).collect());
        let mut policy = CommandPolicy::new(self.walls.program(), &empty.0, run);
        policy.mounts = self.mounts.clone();
        policy.masked = vec![self.home.clone()];
        policy.toolchains = toolchains;
        policy.processes = PROCESSES;
        policy.memory_together = MEMORY;
        policy.env = spawn
            .env
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        let mut serving = None;
        let reaches_nobody = reach.network.rules().grants_nothing();
        if self.walls.tier().await == Tier::Full && !reaches_nobody {
            let (listener, socket) = proxy::listen(&sockets.0).map_err(Refusal::System)?;
            let mut options = Options::new(reach.audit.clone());
            options.explain = reach.explain.clone();
            policy.network = sandbox::Network::Proxy(Proxy {
                socket: socket.path().to_owned(),
                port: Proxy::PORT,
            });
            serving = Some((proxy::serve(listener, reach.network.clone(), options), socket));
        }
        let (ours, theirs) = streams(spawn.streams).map_err(Refusal::System)?;
        let prepared = prepare_command(&policy, self.walls.facts().await).map_err(Refusal::Sandbox)?;
        let child = self.walls.launcher().run_with(prepared, theirs).await;
        let kept = Kept {
            _proxy: serving,
            _folders: [empty, sockets],
        };
        Ok((child.map_err(Refusal::Sandbox)?, ours, kept))
    }
}

/// The program that is meant. Blocking. What can be run the walls decide; this only says early what Node
/// says early, and says nothing of what lies outside of `seen`: whether that is there is no affair of the
/// tool's, by whatever link it asks.
fn find(file: &str, cwd: &Path, path: &OsStr, seen: &[PathBuf]) -> Result<PathBuf, Errno> {
    let is_seen = |real: &Path| seen.iter().any(|folder| real.starts_with(folder));
    let look = |path: &Path| match path.canonicalize() {
        Ok(real) if is_seen(&real) => std::fs::metadata(&real).map_err(|_| Errno::NOENT),
        Ok(_) => Err(Errno::NOENT),
        Err(error) => {
            // Where the way ends. A link that leads nowhere may lead out.
            let mut way = path.ancestors().zip(path.ancestors().skip(1));
            let end = way.find_map(|(next, there)| Some((next.file_name()?, there.canonicalize().ok()?)));
            let tells = end.is_some_and(|(name, there)| is_seen(&there) && !there.join(name).is_symlink());
            Err(Errno::from_io_error(&error)
                .filter(|_| tells)
                .unwrap_or(Errno::NOENT))
        }
    };
    let runs = |path: PathBuf| match look(&path)? {
        meta if meta.is_file() && meta.permissions().mode() & 0o111 != 0 => Ok(path),
        _ => Err(Errno::ACCESS),
    };
    let is_everywhere = EVERYWHERE.iter().any(|folder| cwd == Path::new(folder));
    if !is_everywhere && !look(cwd)?.is_dir() {
        return Err(Errno::NOENT);
    }
    if file.contains('/') {
        return runs(cwd.join(file));
    }
    let found = std::env::split_paths(path).find_map(|folder| runs(folder.join(file)).ok());
    found.ok_or(Errno::NOENT)
}

type Started = (Streamed, [Option<OwnedFd>; 3], Kept);

/// What a program needs while it runs.
struct Kept {
    _proxy: Option<(proxy::Proxy, proxy::Socket)>,
    _folders: [Own; 2],
}

/// Why there is no program.
enum Refusal {
    /// It cannot be found or run.
    Program(Errno),
    System(std::io::Error),
    Sandbox(SandboxError),
}

fn gone(error: tokio::task::JoinError) -> Refusal {
    Refusal::System(error.into())
}

impl Refusal {
    fn told(&self, id: u64) -> ToGuest {
        match self {
            Refusal::Program(errno) => refused(id, "ENOENT", errno.to_string(), Some(*errno)),
            Refusal::System(error) => {
                let errno = Errno::from_io_error(error).unwrap_or(Errno::IO);
                refused(id, "EIO", error.to_string(), Some(errno))
            }
            Refusal::Sandbox(error) => refused(id, error.code(), base::failure::chain(error), None),
        }
    }
}

/// Ours and theirs. Sockets, as Node's are, so that both ends can be told when the other is gone.
fn streams(wanted: [Option<u64>; 3]) -> std::io::Result<([Option<OwnedFd>; 3], [OwnedFd; 3])> {
    let mut ours = [None, None, None];
    let mut theirs = Vec::with_capacity(3);
    for (at, wanted) in wanted.into_iter().enumerate() {
        theirs.push(match wanted {
            Some(_) => {
                let (own, other) = UnixStream::pair()?;
                ours[at] = Some(own.into());
                other.into()
            }
            None => {
                let flags = if at == 0 { OFlags::RDONLY } else { OFlags::WRONLY };
                rustix::fs::open("/dev/null", flags | OFlags::CLOEXEC, Mode::empty())?
            }
        });
    }
    let theirs = <[OwnedFd; 3]>::try_from(theirs);
    Ok((ours, theirs.map_err(|_| std::io::Error::other("three streams"))?))
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::disallowed_methods,
        clippy::unwrap_used,
        reason = "a test fails by panicking"
    )]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_said_of_what_the_tool_does_not_see() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (own, other) = (root.join("own"), root.join("other"));
        for folder in [&own, &other] {
            std::fs::create_dir_all(folder.join("folder")).unwrap();
            std::fs::write(folder.join("text"), "").unwrap();
            let program = folder.join("program");
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        symlink(other.join("text"), own.join("link")).unwrap();
        symlink(&other, own.join("way")).unwrap();
        symlink(other.join("text/x"), own.join("broken")).unwrap();
        let nowhere = OsStr::new("");
        let ask = |file: &str, cwd: &Path, seen: &[PathBuf]| find(file, cwd, nowhere, seen);
        let one = [own.clone()];
        assert_eq!(ask("./program", &own, &one), Ok(own.join("./program")));
        assert_eq!(ask("./text", &own, &one), Err(Errno::ACCESS));
        let secret = other.join("text").display().to_string();
        let both = [own.clone(), other.clone()];
        for (file, cwd) in [
            (secret.as_str(), &own),
            ("./link", &own),
            ("way/text", &own),
            ("./text", &other),
        ] {
            assert_eq!(
                ask(file, cwd, &both),
                Err(Errno::ACCESS),
                "{file}: seen, it is told"
            );
            assert_eq!(ask(file, cwd, &one), Err(Errno::NOENT), "{file}");
        }
        assert_eq!(ask("./program", &own.join("folder"), &one), Err(Errno::NOENT));
        assert_eq!(ask("./text/x", &own, &one), Err(Errno::NOTDIR));
        for (file, cwd) in [("./broken", &own), ("way/text/x", &own), ("./text/x", &other)] {
            assert_eq!(ask(file, cwd, &one), Err(Errno::NOENT), "{file}");
        }
        let here = own.join("program").display().to_string();
        assert_eq!(ask(&here, Path::new("/tmp"), &one), Ok(own.join("program")));
        assert_eq!(ask(&here, &own.join("text"), &one), Err(Errno::NOENT));
    }
}
