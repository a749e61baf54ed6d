//! Finds the owner of the data home, or starts the sidecar `pm serve` and keeps it running.
//!
//! The sidecar is given a lifetime pipe: it ends when its standard input closes, so it never
//! outlives this program, however that ends. An owner that somebody else started is only
//! watched; when it leaves, the sidecar takes its place.

use crate::backoff::Backoff;
use serde::Serialize;
use std::time::{Duration, Instant};
use tauri::async_runtime::Receiver;
use tauri::{AppHandle, Emitter, Runtime};
use tauri_plugin_shell::ShellExt;
use tauri_plugin_shell::process::{CommandChild, CommandEvent};
use wire::{Client, None as NoParams};

/// Heard by `ui/src/platform/tauri.ts`.
const EVENT: &str = "server-state";

/// The program beside this one, installed or in the target folder.
const SIDECAR: &str = "pm";
const SIDECAR_ARGS: [&str; 2] = ["serve", "--parent-pipe"];

/// Between two looks at a server that runs.
const WATCH: Duration = Duration::from_secs(3);
/// Between two looks at one that starts.
const POLL: Duration = Duration::from_millis(100);
/// A sidecar that has not answered by then is replaced.
const START_LIMIT: Duration = Duration::from_secs(30);
/// A hello that takes longer counts as none.
const HELLO_LIMIT: Duration = Duration::from_secs(10);

/// What the tray and the page are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ServerState {
    Starting,
    Running { address: Option<String> },
    Waiting { seconds: u64 },
}

/// A started sidecar. Dropped when it has ended or never answered; what is left of it is killed.
struct Sidecar {
    /// Holds the standard input open.
    _lifetime: CommandChild,
    output: Receiver<CommandEvent>,
    since: Instant,
}

/// Keeps an owner running until the program ends, telling `show` and the page about it.
pub async fn keep<R: Runtime>(app: AppHandle<R>, client: Client, show: impl Fn(&ServerState) + Send) {
    let mut shown = None;
    let page = app.clone();
    let mut tell = move |state: ServerState| {
        if shown.as_ref() != Some(&state) {
            show(&state);
            if let Err(error) = page.emit(EVENT, &state) {
                tracing::warn!(%error, "could not tell the page");
            }
            shown = Some(state);
        }
    };
    let mut backoff = Backoff::new();
    loop {
        watch(&client, &mut tell).await;
        tell(ServerState::Starting);
        let lived = match start(&app) {
            Ok(mut sidecar) => {
                attend(&client, &mut sidecar, &mut tell).await;
                sidecar.since.elapsed()
            }
            Err(error) => {
                tracing::error!(%error, "could not start the server");
                Duration::ZERO
            }
        };
        let wait = backoff.after(lived);
        tell(ServerState::Waiting {
            seconds: wait.as_secs().max(1),
        });
        tokio::time::sleep(wait).await;
    }
}

/// Returns when nobody answers on the socket.
async fn watch(client: &Client, tell: &mut impl FnMut(ServerState)) {
    while let Some(state) = hello(client).await {
        tell(state);
        tokio::time::sleep(WATCH).await;
    }
}

/// Returns when the sidecar has ended, or never answered.
async fn attend(client: &Client, sidecar: &mut Sidecar, tell: &mut impl FnMut(ServerState)) {
    let mut answered = false;
    loop {
        match hello(client).await {
            Some(state) => {
                answered = true;
                tell(state);
            }
            None if !answered && sidecar.since.elapsed() > START_LIMIT => return,
            None => {}
        }
        let pause = if answered { WATCH } else { POLL };
        if tokio::time::timeout(pause, ended(&mut sidecar.output))
            .await
            .is_ok()
        {
            return;
        }
    }
}

async fn hello(client: &Client) -> Option<ServerState> {
    match tokio::time::timeout(HELLO_LIMIT, client.server_hello(NoParams {})).await {
        Ok(Ok(hello)) => Some(ServerState::Running {
            address: hello.address,
        }),
        Ok(Err(error)) => {
            tracing::debug!(%error, "hello");
            None
        }
        Err(_) => None,
    }
}

fn start<R: Runtime>(app: &AppHandle<R>) -> Result<Sidecar, tauri_plugin_shell::Error> {
    let (output, lifetime) = app
        .shell()
        .sidecar(SIDECAR)?
        .args(SIDECAR_ARGS)
        .kill_on_drop(true)
        .spawn()?;
    Ok(Sidecar {
        _lifetime: lifetime,
        output,
        since: Instant::now(),
    })
}

/// Reads the sidecar's output, which would stop it otherwise, until it ends. Safe to cancel:
/// no line is lost between two calls.
async fn ended(output: &mut Receiver<CommandEvent>) {
    while let Some(event) = output.recv().await {
        match event {
            CommandEvent::Stdout(line) | CommandEvent::Stderr(line) => {
                tracing::info!(target: "pm", "{}", String::from_utf8_lossy(&line).trim_end());
            }
            CommandEvent::Terminated(end) => {
                tracing::warn!(code = end.code, signal = end.signal, "the server ended");
            }
            CommandEvent::Error(error) => tracing::warn!(%error, "output of the server"),
            _ => {}
        }
    }
}
