//! Tries the walls of a tier: a process is started behind them and tries to read a file and to reach
//! a port that this process, without walls, reads and reaches.
//!
//! A worker does so before it is told anything, and could then work (`proof`, `Walls::start`). A command is
//! tried by one that does nothing else.
//!
//! Deliberately not here: what follows from it (`proof`).

use crate::command::outcome::Watching;
use crate::command::prepare::prepare_command;
use crate::command::{CommandPolicy, Run};
use crate::confine::ConfineError;
use crate::facts::{Facts, Tier};
use crate::os::{Child, Folder, Launcher};
use crate::policy::{Kind, Limits, Policy};
use crate::prepare::prepare;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::Read;
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

/// What the confined process says about its two attempts; a worker in two bytes, each 0 or 1.
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

/// Where the arguments of a worker begin with the question, it is answered; gives back the others.
pub(crate) fn answered(mut args: Vec<OsString>) -> Result<Vec<OsString>, ConfineError> {
    let [question, port, ..] = &args[..] else {
        return Ok(args);
    };
    let port = port.to_str().and_then(|port| port.parse().ok());
    if let Some(port) = port.filter(|_| question == QUESTION) {
        let Answer { read, connect } = Answer::of(Path::new(CANARY), port);
        crate::os::tell(&[u8::from(read), u8::from(connect)])?;
        args.drain(..2);
    }
    Ok(args)
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
/// begins with [`confine::enter`](crate::confine::enter).
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

async fn in_time<T>(attempt: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::time::timeout(PATIENCE, attempt).await?
}

async fn as_worker(launcher: &Launcher, facts: &Facts, worker: &Path) -> Result<Vec<Check>, Failure> {
    let policy = Policy {
        kind: Kind::Worker,
        program: tokio::fs::canonicalize(worker).await?,
        args: Vec::new(),
        cwd: "/".into(),
        env: Vec::new(),
        mounts: Vec::new(),
        masked: Vec::new(),
        limits: Limits::default(),
    };
    Ok(trying(launcher, facts, &policy).await?.1)
}

/// Starts a worker that tries its walls first, and what came of that. It has been told nothing yet.
pub(crate) async fn tried(
    launcher: &Launcher,
    facts: &Facts,
    policy: &Policy,
) -> Result<(Child, Vec<Check>), Failure> {
    in_time(trying(launcher, facts, policy)).await
}

async fn trying(launcher: &Launcher, facts: &Facts, policy: &Policy) -> Result<(Child, Vec<Check>), Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let port = listener.local_addr()?.port();
    let outside = outside(Path::new(CANARY), port).await?;
    let mut policy = policy.clone();
    policy
        .args
        .splice(..0, [QUESTION.into(), port.to_string().into()]);
    let mut child = launcher.spawn(prepare(&policy, facts)?).await?;
    let mut channel = UnixStream::from_std(child.take_channel().ok_or("no channel")?)?;
    let mut said = [0; 2];
    if channel.read_exact(&mut said).await.is_err() {
        // What it wrote is whole when it has ended.
        child.wait().await?;
        return Err(format!("no answer; {}", child.stderr_tail().trim()).into());
    }
    child.give_channel(channel.into_std()?);
    let [read, connect] = said.map(|said| said != 0);
    let checks = vec![
        Check::refused("canary_read", outside.read, read),
        Check::refused("canary_connect", outside.connect, connect),
    ];
    Ok((child, checks))
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
