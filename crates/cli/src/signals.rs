//! What a person at the terminal does to end this program.

use crate::output::Failed;
use base::Failure;
use tokio::signal::unix::{SignalKind, signal};

/// Resolves at Ctrl+C or a polite end, with the exit code that is usual then. The handlers stand when
/// this returns.
pub fn stopped() -> Result<impl Future<Output = u8>, Failed> {
    let failed = |error: std::io::Error| Failed::of(&Failure::new("internal").detail(error.to_string()));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => 128 + 2,
            _ = terminate.recv() => 128 + 15,
        }
    })
}
