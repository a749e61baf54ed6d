//! `pm mcp`: MCP over standard input and output, for clients that start their servers themselves.
//!
//! It carries lines between its client and the owner, which does the work (HOUSE, "Who owns the data
//! home"); where none serves, it starts one that ends by itself when nobody needs it. So ten clients
//! share one set of workers, and the window sees them all. When the owner ends, the next message of
//! the client finds the next one: a client of a revision with sessions is introduced there anew.
//! Standard output carries the protocol alone.

use crate::options::Mcp;
use crate::output::{self, Failed};
use base::{DataHome, Failure};
use serde_json::{Value, json};
use server::OwnerError;
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read};
use std::process::{ExitCode, Stdio};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;
use wire::{Client, ClientError, None};

/// How long an owner that is starting or ending is waited for.
const PATIENCE: Duration = Duration::from_secs(30);
/// One that works for a verb usually ends in this time; then it must serve us.
const VERB: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_millis(25);
/// Bytes of one message; a longer one ends the conversation.
const LINE: usize = 64 * 1024 * 1024;
/// Messages on their way in one direction.
const LINES: usize = 16;
/// Requests without an answer that are remembered.
const OPEN: usize = 10_000;
/// JSON-RPC's own range for what a server says of itself.
const GONE: i64 = -32000;

pub async fn run(home: &DataHome, options: Mcp) -> Result<ExitCode, Failed> {
    let mut bridge = Bridge {
        home,
        client: options.client,
        memory: Memory::default(),
        owner: Option::None,
    };
    let mut input = standard_input()?;
    loop {
        let said = tokio::select! {
            line = input.recv() => match line {
                Some(line) => bridge.say(line).await?,
                // The client is done with us: answers that are on their way still count.
                Option::None => {
                    bridge.finish().await?;
                    return Ok(ExitCode::SUCCESS);
                }
            },
            line = bridge.hear() => bridge.pass(line).await?,
        };
        if !said {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

struct Bridge<'a> {
    home: &'a DataHome,
    /// The name that the client was configured with.
    client: Option<String>,
    memory: Memory,
    owner: Option<Stream>,
}

struct Stream {
    lines: mpsc::Receiver<Vec<u8>>,
    write: WriteHalf<Box<dyn Both>>,
    _reading: AbortOnDropHandle<()>,
}

trait Both: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Both for T {}

/// What a new owner must be told, and what an old one left unanswered.
#[derive(Default)]
struct Memory {
    /// The request and its id.
    initialize: Option<(Vec<u8>, Value)>,
    ready: Option<Vec<u8>>,
    open: HashSet<String>,
}

impl Bridge<'_> {
    /// From the client to the owner. `false`: nobody reads us any more.
    async fn say(&mut self, line: Vec<u8>) -> Result<bool, Failed> {
        let introduces = self.memory.sent(&line);
        if let Some(owner) = &mut self.owner {
            if owner.write.write_all(&line).await.is_ok() {
                return Ok(true);
            }
            if !self.lost(&line).await? {
                return Ok(false);
            }
        }
        let owner = self.reach(introduces).await?;
        match self.owner.insert(owner).write.write_all(&line).await {
            Ok(()) => Ok(true),
            Err(_) => self.lost(&[]).await,
        }
    }

    /// The next line of the owner, `None` when it has ended; never, while there is none.
    async fn hear(&mut self) -> Option<Vec<u8>> {
        match &mut self.owner {
            Some(owner) => owner.lines.recv().await,
            Option::None => std::future::pending().await,
        }
    }

    /// From the owner to the client. `false`: nobody reads us any more.
    async fn pass(&mut self, line: Option<Vec<u8>>) -> Result<bool, Failed> {
        match line {
            Some(line) => {
                self.memory.heard(&line);
                Ok(print(&line).await)
            }
            Option::None => self.lost(&[]).await,
        }
    }

    /// The owner has ended. Requests that it did not answer fail, but for `except`, which is asked
    /// of the next one.
    async fn lost(&mut self, except: &[u8]) -> Result<bool, Failed> {
        self.owner = Option::None;
        let kept = id_of_request(except).map(|id| id.to_string());
        let error = Failed::of(&Failure::new("server_ending"));
        let Failed::Work(error) = error else {
            return Err(error);
        };
        let open = std::mem::take(&mut self.memory.open);
        for id in open {
            if Some(&id) == kept.as_ref() {
                self.memory.open.insert(id);
                continue;
            }
            let Ok(id) = serde_json::from_str::<Value>(&id) else {
                continue;
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "error": {
                "code": GONE, "message": error.message, "data": {"code": error.code, "hint": error.hint},
            }});
            if !print(format!("{answer}\n").as_bytes()).await {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lets the owner finish what it was asked for.
    async fn finish(mut self) -> Result<(), Failed> {
        let Some(mut owner) = self.owner.take() else {
            return Ok(());
        };
        if owner.write.shutdown().await.is_err() {
            return Ok(());
        }
        while let Some(line) = owner.lines.recv().await {
            if !print(&line).await {
                break;
            }
        }
        Ok(())
    }

    /// A stream to an owner that serves; starts one where there is none.
    async fn reach(&self, introduces: bool) -> Result<Stream, Failed> {
        let socket = Client::new(&self.home.socket());
        let (begun, mut started) = (Instant::now(), false);
        loop {
            match socket.server_hello(None {}).await {
                // An owner of a verb ends with it, as soon as it can.
                Ok(hello) if hello.address.is_some() || begun.elapsed() >= VERB => {
                    match socket.mcp_stream(self.client.as_deref()).await {
                        Ok(stream) => return self.introduce(Box::new(stream), introduces).await,
                        Err(error) if passes(&error) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Ok(_) => {}
                Err(error) if passes(&error) => {}
                Err(error) => return Err(error.into()),
            }
            if !std::mem::replace(&mut started, true) {
                start_owner(self.home)?;
            }
            if begun.elapsed() >= PATIENCE {
                return Err(OwnerError::Held.into());
            }
            // Nothing tells when another process begins to listen.
            sleep(AGAIN).await;
        }
    }

    /// Tells a new owner who the client is, if it said so to an old one.
    async fn introduce(&self, stream: Box<dyn Both>, introduces: bool) -> Result<Stream, Failed> {
        let (read, mut write) = tokio::io::split(stream);
        let (to, mut lines) = mpsc::channel(LINES);
        let reading = AbortOnDropHandle::new(tokio::spawn(read_lines(read, to)));
        if let Some((request, id)) = &self.memory.initialize
            && !introduces
        {
            let broken = |_| Failed::of(&Failure::new("server_ending"));
            write.write_all(request).await.map_err(broken)?;
            loop {
                let line = lines.recv().await;
                let line = line.ok_or_else(|| Failed::of(&Failure::new("server_ending")))?;
                let answer: Value = serde_json::from_slice(&line).unwrap_or_default();
                // The client has had its answer.
                if answer["id"] == *id {
                    break;
                }
            }
            if let Some(ready) = &self.memory.ready {
                write.write_all(ready).await.map_err(broken)?;
            }
        }
        Ok(Stream {
            lines,
            write,
            _reading: reading,
        })
    }
}

impl Memory {
    /// Notes what the client sends; whether it introduces itself by it.
    fn sent(&mut self, line: &[u8]) -> bool {
        let Ok(message) = serde_json::from_slice::<Head>(line) else {
            return false;
        };
        match (message.method.as_deref(), message.id) {
            (Some("initialize"), Some(id)) => {
                self.remember(&id);
                self.ready = Option::None;
                self.initialize = Some((line.to_owned(), id));
                true
            }
            (Some("notifications/initialized"), _) => {
                self.ready = Some(line.to_owned());
                false
            }
            (Some(_), Some(id)) => {
                self.remember(&id);
                false
            }
            _ => false,
        }
    }

    fn remember(&mut self, id: &Value) {
        if self.open.len() < OPEN {
            self.open.insert(id.to_string());
        }
    }

    fn heard(&mut self, line: &[u8]) {
        if let Ok(Head {
            method: Option::None,
            id: Some(id),
        }) = serde_json::from_slice(line)
        {
            self.open.remove(&id.to_string());
        }
    }
}

/// As much of a message as matters here.
#[derive(serde::Deserialize)]
struct Head {
    method: Option<String>,
    id: Option<Value>,
}

fn id_of_request(line: &[u8]) -> Option<Value> {
    let head: Head = serde_json::from_slice(line).ok()?;
    head.method.and(head.id)
}

/// Whether there may be an owner in a moment.
fn passes(error: &ClientError) -> bool {
    match error {
        ClientError::NotRunning { .. } | ClientError::Broken(_) | ClientError::Silent => true,
        // One that ends, or is too old to know streams: then the one that we start takes over.
        ClientError::Call(error) => error.code == "server_ending",
        ClientError::BadAnswer(_) => true,
    }
}

/// Starts an owner that outlives this process, and ends when nobody needs it. If another one is
/// quicker, it leaves at once.
#[allow(
    clippy::disallowed_methods,
    reason = "the owner is this very program, outside any sandbox"
)]
fn start_owner(home: &DataHome) -> Result<(), Failed> {
    let failed = |error: std::io::Error| Failed::of(&Failure::new("internal").detail(error.to_string()));
    base::atomic::create_dir_all(&home.logs()).map_err(failed)?;
    let log = home.logs().join("serve.log");
    let log = OpenOptions::new()
        .create(true)
        .write(true)
        .truncate(true)
        .open(log);
    let mut command = tokio::process::Command::new(std::env::current_exe().map_err(failed)?);
    command
        .arg("--home")
        .arg(home.root())
        .args(["serve", "--idle-exit"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.map_err(failed)?);
    // Not waited for here: tokio does, should it end before us.
    command.spawn().map(drop).map_err(failed)
}

/// Lines of standard input. By a plain thread, which ends with the process: nobody can call off a
/// read of it.
fn standard_input() -> Result<mpsc::Receiver<Vec<u8>>, Failed> {
    let (to, lines) = mpsc::channel(LINES);
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            let mut input = BufReader::new(std::io::stdin());
            loop {
                let mut line = Vec::new();
                let read = input.by_ref().take(LINE as u64).read_until(b'\n', &mut line);
                if !matches!(read, Ok(count) if count > 0) || !whole(&mut line) {
                    return;
                }
                if to.blocking_send(line).is_err() {
                    return;
                }
            }
        })
        .map_err(|error| Failed::of(&Failure::new("internal").detail(error.to_string())))?;
    Ok(lines)
}

async fn read_lines(read: ReadHalf<Box<dyn Both>>, to: mpsc::Sender<Vec<u8>>) {
    let mut read = tokio::io::BufReader::new(read);
    loop {
        let mut line = Vec::new();
        let count = (&mut read).take(LINE as u64).read_until(b'\n', &mut line).await;
        if !matches!(count, Ok(count) if count > 0) || !whole(&mut line) || to.send(line).await.is_err() {
            return;
        }
    }
}

/// Ends a last line that has no end; `false` for one that is too long.
fn whole(line: &mut Vec<u8>) -> bool {
    if line.last() != Some(&b'\n') {
        if line.len() >= LINE {
            output::note("message_too_long");
            return false;
        }
        line.push(b'\n');
    }
    true
}

/// A line to the client; `false` when it does not read any more.
async fn print(line: &[u8]) -> bool {
    let mut out = tokio::io::stdout();
    out.write_all(line).await.is_ok() && out.flush().await.is_ok()
}
