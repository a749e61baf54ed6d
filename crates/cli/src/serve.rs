//! `pm serve`: the owner that stays.

use crate::options::Serve;
use crate::output::{self, Failed};
use crate::owner::{Found, take_over};
use crate::signals;
use base::{DataHome, Failure};
use serde_json::json;
use server::ServeOptions;
use server::owner::Owner;
use std::io::Read;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;
use tokio::sync::oneshot;

pub async fn run(home: &DataHome, options: Serve, json: bool) -> Result<ExitCode, Failed> {
    if options.idle_exit.is_some()
        && let Err(error) = rustix::process::setsid()
    {
        tracing::debug!(%error, "stays in the session of whoever started it");
    }
    let mut parent_gone = pin!(parent_gone(options.parent_pipe)?);
    let found = tokio::select! {
        found = take_over(home) => found?,
        () = &mut parent_gone => return Ok(ExitCode::SUCCESS),
    };
    let ownership = match found {
        Found::Ours(ownership) => ownership,
        Found::Serving { address } => {
            let address = address.unwrap_or_default();
            match json {
                true => output::print(&json!({"address": address, "already": true})),
                false => output::line(&format!("Prompt Manager is already running at {address}")),
            }
            if options.port.is_some() || options.host.is_some() {
                output::aside("pm: it keeps the address that it has; pm stop ends it");
            }
            if options.tools.is_some() {
                output::aside("pm: the running one keeps the built-in tools that it has; pm stop ends it");
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    crate::app_log::keep_in(home.logs());
    // Before anything is said: whoever reads the address may ask us to end at once.
    let stopped = signals::stopped()?;
    let mut owner = match &options.tools {
        Some(folder) => Owner::open_with_tools(home, ownership, folder)?,
        None => Owner::open(home, ownership)?,
    };
    let address = owner
        .listen(&ServeOptions {
            host: options.host,
            port: options.port,
        })
        .await?;
    // Another program keeps what we print: a link that opens a session is not for its log.
    let link = match options.parent_pipe {
        true => None,
        false => Some(owner.link().map_err(|failure| Failed::of(&failure))?),
    };
    if json {
        let mcp = format!("{}/mcp", address.url);
        let mut said = json!({"address": address.url, "mcp": mcp, "token": home.token()});
        if let Some(link) = &link {
            said["link"] = link.as_str().into();
        }
        output::print(&said);
    } else {
        announce(home, &address, link.as_deref());
    }
    if let Some(link) = link.filter(|_| options.open) {
        open(&link);
    }
    let idle = async {
        match options.idle_exit {
            Some(seconds) => owner.idle(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = stopped => {}
        () = idle => {}
        () = owner.asked_to_end() => {}
        () = &mut parent_gone => {}
    }
    owner.close().await;
    Ok(ExitCode::SUCCESS)
}

fn announce(home: &DataHome, address: &server::Address, link: Option<&str>) {
    if let Some(port) = address.instead_of {
        output::line(&format!("Port {port} is taken; the next free one is used."));
    }
    output::line(&format!("Prompt Manager serves {}", address.url));
    if let Some(link) = link {
        output::line(&format!("  web page (opens once): {link}"));
    }
    output::line(&format!("  MCP:                   {}/mcp", address.url));
    output::line(&format!("  token:                 {}", home.token().display()));
    output::line("  connect a client:      send the header  Authorization: Bearer <token>");
    output::line("  stop:                  Ctrl+C, or pm stop");
}

/// Resolves when standard input closes: the program that started this one has ended. Never, if
/// there is no such program.
///
/// The thread is a plain one, which ends with the process; a read of tokio's standard input is
/// waited for when the runtime ends.
fn parent_gone(parent_pipe: bool) -> Result<impl Future<Output = ()>, Failed> {
    let (gone, seen) = oneshot::channel();
    if parent_pipe {
        std::thread::Builder::new()
            .name("parent".to_owned())
            .spawn(move || {
                read_to_end();
                // Nobody listens when we are ending for another reason.
                let _ = gone.send(());
            })
            .map_err(|error| Failed::of(&Failure::new("internal").detail(error.to_string())))?;
    }
    Ok(async move {
        if !parent_pipe || seen.await.is_err() {
            std::future::pending().await
        }
    })
}

/// Reads standard input and forgets it, until it closes or breaks.
fn read_to_end() {
    let mut input = std::io::stdin().lock();
    let mut buffer = [0; 64];
    loop {
        match input.read(&mut buffer) {
            Ok(count) if count > 0 => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}

/// The person's browser; when there is none, the printed link remains.
#[allow(
    clippy::disallowed_methods,
    reason = "opens the person's own browser outside any sandbox, at her own request"
)]
fn open(link: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    if let Err(error) = std::process::Command::new(program)
        .arg(link)
        .stdin(std::process::Stdio::null())
        .spawn()
    {
        tracing::warn!(%error, program, "no browser could be opened");
    }
}
