//! `pm serve`: the owner that stays.

use crate::options::Serve;
use crate::output::{self, Failed};
use crate::owner::{Found, take_over};
use base::{DataHome, Failure};
use serde_json::json;
use server::ServeOptions;
use server::owner::Owner;
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};

pub async fn run(home: &DataHome, options: Serve, json: bool) -> Result<ExitCode, Failed> {
    let ownership = match take_over(home).await? {
        Found::Ours(ownership) => ownership,
        Found::Serving { address } => {
            let address = address.unwrap_or_default();
            match json {
                true => output::print(&json!({"address": address, "already": true})),
                false => output::line(&format!("Prompt Manager is already running at {address}")),
            }
            return Ok(ExitCode::SUCCESS);
        }
    };
    // Before anything is said: whoever reads the address may ask us to end at once.
    let stopped = stopped()?;
    let mut owner = Owner::open(home, ownership)?;
    let address = owner
        .listen(&ServeOptions {
            host: options.host,
            port: options.port,
        })
        .await?;
    let link = owner.link().map_err(|failure| Failed::of(&failure))?;
    if json {
        output::print(
            &json!({"address": address.url, "mcp": format!("{}/mcp", address.url), "link": link, "token": home.token()}),
        );
    } else {
        announce(home, &address, &link);
    }
    if options.open {
        open(&link);
    }
    tokio::select! {
        () = stopped => {}
        () = owner.asked_to_end() => {}
        () = parent_gone(), if options.parent_pipe => {}
    }
    owner.close().await;
    Ok(ExitCode::SUCCESS)
}

fn announce(home: &DataHome, address: &server::Address, link: &str) {
    if let Some(port) = address.instead_of {
        output::line(&format!("Port {port} is taken; the next free one is used."));
    }
    output::line(&format!("Prompt Manager serves {}", address.url));
    output::line(&format!("  web page (opens once): {link}"));
    output::line(&format!("  MCP:                   {}/mcp", address.url));
    output::line(&format!("  token:                 {}", home.token().display()));
    output::line("  connect a client:      send the header  Authorization: Bearer <token>");
    output::line("  stop:                  Ctrl+C, or pm stop");
}

/// Resolves at Ctrl+C or a polite end. The handlers stand when this returns.
fn stopped() -> Result<impl Future<Output = ()>, Failed> {
    let failed = |error: std::io::Error| Failed::of(&Failure::new("internal").detail(error.to_string()));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Resolves when standard input closes: the program that started this one has ended.
async fn parent_gone() {
    use tokio::io::AsyncReadExt;
    let mut input = tokio::io::stdin();
    let mut buffer = [0; 64];
    while input.read(&mut buffer).await.is_ok_and(|count| count > 0) {}
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
