//! Finds the owner of the data home, or starts the sidecar `pm serve` and keeps it running, for
//! as long as the person wants a server.
//!
//! The sidecar is given a lifetime pipe: it ends when its standard input closes, so it never
//! outlives this program, however that ends. An owner that somebody else started is only
//! watched; when it leaves, the sidecar takes its place.

use crate::backoff::Backoff;
use crate::known::{Server, ServerState, Wanted};
use base::Lang;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tauri::async_runtime::Receiver;
use tauri::{AppHandle, Runtime};
use tauri_plugin_shell::ShellExt;
use tauri_plugin_shell::process::{CommandChild, CommandEvent};
use wire::{Client, None as NoParams};

/// The program beside this one, installed or in the target folder.
const SIDECAR: &str = "pm";
const SIDECAR_ARGS: [&str; 2] = ["serve", "--parent-pipe"];

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LAST_WAIT: Duration = Duration::from_secs(30);
/// Between two looks at a server that runs, when nobody has a reason to look earlier.
const WATCH: Duration = Duration::from_secs(10);
/// Between two looks for one that somebody else has started.
const REST_WATCH: Duration = Duration::from_secs(3);
/// Between two looks at one that starts or ends.
const POLL: Duration = Duration::from_millis(100);
/// A sidecar that has not answered by then is replaced.
const START_LIMIT: Duration = Duration::from_secs(30);
/// Running calls are given time to end; a server that needs more than this is killed, if it is ours.
const STOP_LIMIT: Duration = Duration::from_secs(20);
/// Looks in a row without an answer after which our own server counts as stuck.
const MISSED: u32 = 3;
/// A hello that takes longer counts as none.
const HELLO_LIMIT: Duration = Duration::from_secs(10);

/// A started sidecar. Dropped when it has ended or never answered; what is left of it is killed.
struct Sidecar {
    /// Holds the standard input open.
    _lifetime: CommandChild,
    output: Receiver<CommandEvent>,
    since: Instant,
}

/// Why nobody is attended to any more.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    /// It has ended, or it never answered.
    Gone,
    /// It runs, and the person wants it stopped.
    Unwanted,
}

/// Keeps an owner running until the program ends.
pub async fn keep<R: Runtime>(app: AppHandle<R>, client: Client, server: Arc<Server>) {
    let mut backoff = Backoff::new(FIRST_WAIT, LAST_WAIT);
    let mut wanted = server.wanted.subscribe();
    loop {
        // Somebody else's, or one that outlived an earlier look.
        if attend(&client, &server, &mut None).await == Left::Unwanted {
            stop(&client, &server, &mut None).await;
            backoff.reset();
            continue;
        }
        if *wanted.borrow_and_update() == Wanted::Stopped {
            rest(&client, &server).await;
            continue;
        }
        server.tell(ServerState::Starting);
        let lived = match start(&app) {
            Ok(sidecar) => {
                let since = sidecar.since;
                let mut sidecar = Some(sidecar);
                if attend(&client, &server, &mut sidecar).await == Left::Unwanted {
                    stop(&client, &server, &mut sidecar).await;
                    backoff.reset();
                    continue;
                }
                since.elapsed()
            }
            Err(error) => {
                tracing::error!(%error, "could not start the server");
                Duration::ZERO
            }
        };
        let wait = backoff.after(lived);
        server.tell(ServerState::Waiting {
            seconds: wait.as_secs().max(1),
        });
        // Whoever changes her mind does not wait.
        let _ = tokio::time::timeout(wait, wanted.changed()).await;
    }
}

/// Watches the server that answers on the socket, ours if there is one.
async fn attend(client: &Client, server: &Server, sidecar: &mut Option<Sidecar>) -> Left {
    let mut wanted = server.wanted.subscribe();
    let mut answered = false;
    let mut missed = 0;
    loop {
        match (look(client, server).await, &sidecar) {
            (true, _) => (answered, missed) = (true, 0),
            (false, None) => return Left::Gone,
            (false, Some(ours)) if !answered && ours.since.elapsed() > START_LIMIT => return Left::Gone,
            // Ours, alive, and mute: it is replaced.
            (false, Some(_)) if answered && missed >= MISSED => return Left::Gone,
            (false, Some(_)) => missed += 1,
        }
        if answered && *wanted.borrow_and_update() == Wanted::Stopped {
            return Left::Unwanted;
        }
        let pause = if answered { WATCH } else { POLL };
        tokio::select! {
            () = ended(sidecar) => return Left::Gone,
            () = server.look.notified() => {}
            _ = wanted.changed() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Asks the server to end, and waits until it has.
async fn stop(client: &Client, server: &Server, sidecar: &mut Option<Sidecar>) {
    server.tell(ServerState::Stopping);
    let gone = async {
        if let Err(error) = client.server_stop(NoParams {}).await {
            tracing::warn!(%error, "could not ask the server to stop");
        }
        match sidecar {
            Some(_) => ended(sidecar).await,
            None => {
                while client.server_hello(NoParams {}).await.is_ok() {
                    tokio::time::sleep(POLL).await;
                }
            }
        }
    };
    if tokio::time::timeout(STOP_LIMIT, gone).await.is_err() {
        tracing::warn!("the server did not end in time");
    }
}

/// Returns when a server is wanted again: the person says so here, or starts one elsewhere. A `pm`
/// verb that is its own owner for a moment has no address and is left alone.
async fn rest(client: &Client, server: &Server) {
    server.tell(ServerState::Stopped);
    let mut wanted = server.wanted.subscribe();
    while *wanted.borrow_and_update() == Wanted::Stopped {
        if tokio::time::timeout(REST_WATCH, wanted.changed()).await.is_err()
            && let Ok(Ok(hello)) = tokio::time::timeout(HELLO_LIMIT, client.server_hello(NoParams {})).await
            && hello.address.is_some()
        {
            server.wanted.send_replace(Wanted::Running);
        }
    }
}

/// Whether a server answers; tells what it says.
async fn look(client: &Client, server: &Server) -> bool {
    match tokio::time::timeout(HELLO_LIMIT, client.server_hello(NoParams {})).await {
        Ok(Ok(hello)) => {
            if let Some(lang) = Lang::of_tag(&hello.language) {
                server.tell_language(lang);
            }
            server.tell(ServerState::Running {
                address: hello.address,
            });
            true
        }
        Ok(Err(error)) => {
            tracing::debug!(%error, "hello");
            false
        }
        Err(_) => false,
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

/// Reads the sidecar's output, which would stop it otherwise, until it ends; waits for ever where
/// there is none. Safe to cancel: no line is lost between two calls.
async fn ended(sidecar: &mut Option<Sidecar>) {
    let Some(Sidecar { output, .. }) = sidecar else {
        return std::future::pending().await;
    };
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

#[cfg(test)]
mod tests;
