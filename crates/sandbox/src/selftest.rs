//! Tries the walls of a tier: a process is started behind them and tries to read a file and to reach
//! a port that this process, without walls, reads and reaches.
//!
//! Deliberately not here: what follows from it (`proof`).

use crate::command::outcome::Watching;
use crate::command::prepare::prepare_command;
use crate::command::{CommandPolicy, Run};
use crate::confine;
use crate::facts::{Facts, Tier};
use crate::os::{Folder, Launcher};
use crate::policy::{Kind, Limits, Policy};
use crate::prepare::prepare;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, UnixStream};

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    /// Technical, in English.
    pub detail: String,
}

impl Check {
    pub(crate) fn new(name: &'static str, ok: bool, detail: impl Into<String>) -> Self {
        Check {
            name,
            ok,
            detail: detail.into(),
        }
    }

    /// Possible outside, and not behind the wall.
    fn refused(name: &'static str, without: bool, within: bool) -> Self {
        let word = |reached| if reached { "reached" } else { "refused" };
        let detail = format!("without walls: {}, behind them: {}", word(without), word(within));
        Check::new(name, without && !within, detail)
    }
}

/// Everybody may read them; the first no tier shows to workers, the others none to commands.
const CANARY: &str = "/etc/passwd";
const CANARIES: [&str; 2] = ["/etc/fstab", "/etc/hostname"];
const QUESTION: &str = "--self-test";
/// Of one attempt, also on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the confined process says about its two attempts.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Answer {
    read: bool,
    connect: bool,
}

impl Answer {
    fn of(canary: &Path, port: u16) -> Self {
        Answer {
            read: reads(canary),
            connect: TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok(),
        }
    }
}

/// Answers in place of the program when the arguments ask for it.
pub(crate) fn answer(args: &[OsString]) -> Option<ExitCode> {
    let [question, port] = args else { return None };
    if question != QUESTION {
        return None;
    }
    let port = port.to_str()?.parse().ok()?;
    let answer = serde_json::to_vec(&Answer::of(Path::new(CANARY), port)).ok()?;
    let sent = confine::channel().is_ok_and(|mut channel| channel.write_all(&answer).is_ok());
    Some(if sent {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The same for a command: on standard output, with the canary that it is given.
pub(crate) fn answer_as_command(words: &[OsString]) -> Option<ExitCode> {
    let [question, port, canary] = words else {
        return None;
    };
    if question != QUESTION {
        return None;
    }
    let port = port.to_str()?.parse().ok()?;
    let answer = CommandAnswer {
        reached: Answer::of(Path::new(canary), port),
        loopback: own_loopback(),
        write: std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open("self-test")
            .is_ok(),
    };
    println!("{}", serde_json::to_string(&answer).ok()?);
    Some(ExitCode::SUCCESS)
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CommandAnswer {
    reached: Answer,
    /// A server of its own can be reached.
    loopback: bool,
    /// Its workspace can be written to.
    write: bool,
}

fn reads(path: &Path) -> bool {
    std::fs::File::open(path)
        .and_then(|mut file| file.read(&mut [0; 1]))
        .is_ok()
}

fn own_loopback() -> bool {
    let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener
        .as_ref()
        .ok()
        .and_then(|listener| listener.local_addr().ok());
    address.is_some_and(|address| TcpStream::connect(address).is_ok())
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Tries the tier of `facts`, for workers and for commands, with `worker`: a program whose `main`
/// begins with [`confine::enter`].
pub(crate) async fn self_test(launcher: &Launcher, facts: &Facts, worker: &Path) -> Vec<Check> {
    let (of_worker, of_command) = tokio::join!(
        in_time(as_worker(launcher, facts, worker)),
        in_time(as_command(launcher, facts, worker)),
    );
    let started = |name| move |failure: Failure| vec![Check::new(name, false, failure.to_string())];
    let mut checks = of_worker.unwrap_or_else(started("start"));
    checks.extend(of_command.unwrap_or_else(started("command_start")));
    checks
}

async fn in_time(attempt: impl Future<Output = Result<Vec<Check>, Failure>>) -> Result<Vec<Check>, Failure> {
    tokio::time::timeout(PATIENCE, attempt).await?
}

async fn as_worker(launcher: &Launcher, facts: &Facts, worker: &Path) -> Result<Vec<Check>, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let outside = outside(Path::new(CANARY), port).await?;
    let policy = Policy {
        kind: Kind::Worker,
        program: tokio::fs::canonicalize(worker).await?,
        args: vec![QUESTION.into(), port.to_string().into()],
        cwd: "/".into(),
        env: Vec::new(),
        mounts: Vec::new(),
        masked: Vec::new(),
        limits: Limits::default(),
    };
    let mut child = launcher.spawn(prepare(&policy, facts)?).await?;
    let channel = child.take_channel().ok_or("no channel")?;
    let mut said = Vec::new();
    let mut channel = UnixStream::from_std(channel)?.take(1024);
    channel.read_to_end(&mut said).await?;
    let inside: Answer =
        serde_json::from_slice(&said).map_err(|_| format!("no answer; {}", child.stderr_tail().trim()))?;
    Ok(vec![
        Check::refused("canary_read", outside.read, inside.read),
        Check::refused("canary_connect", outside.connect, inside.connect),
    ])
}

async fn as_command(launcher: &Launcher, facts: &Facts, worker: &Path) -> Result<Vec<Check>, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let worker = tokio::fs::canonicalize(worker).await?;
    let canary = CANARIES.map(Path::new).into_iter().find(|canary| reads(canary));
    let canary = canary.ok_or("no canary")?;
    let outside = outside(canary, port).await?;
    let folder = tokio::task::spawn_blocking(Folder::make).await??;
    let words = vec![QUESTION.into(), port.to_string().into(), canary.into()];
    let policy = CommandPolicy::new(worker, folder.path(), Run::Program(words));
    let watching = Watching {
        limit: Some(PATIENCE),
        ..Watching::default()
    };
    let mut running = launcher.run(prepare_command(&policy, facts)?, watching).await?;
    let outcome = running.wait().await?;
    let inside: CommandAnswer = serde_json::from_str(&outcome.stdout.text()).map_err(|_| {
        let said = outcome.stderr.text();
        format!("no answer, exit code {}; {}", outcome.exit_code, said.trim())
    })?;
    let loopback = inside.loopback == (facts.tier() == Tier::Full);
    Ok(vec![
        Check::refused("command_canary_read", outside.read, inside.reached.read),
        Check::refused("command_canary_connect", outside.connect, inside.reached.connect),
        Check::new("command_workspace", inside.write, ""),
        Check::new("command_loopback", loopback, ""),
        Check::new("command_swept", outcome.swept, ""),
    ])
}

async fn outside(canary: &'static Path, port: u16) -> Result<Answer, Failure> {
    Ok(tokio::task::spawn_blocking(move || Answer::of(canary, port)).await?)
}
