//! `pm`: the product without a window (CONTRACT, "Command line").
//!
//! Every verb is a call of the owner over its socket. Where nobody owns the data home, this
//! process does so for the time of the verb. Exit code 0: done; 1: the work failed; 2: usage.

// It panics where nobody reads: `output::aside`.
#![deny(clippy::print_stderr)]

mod app_log;
mod approve;
mod arena;
mod assistant;
mod backup;
mod changes;
mod conformance;
mod connect;
mod exec;
mod external;
mod follow;
mod grant;
mod lifecycle;
mod mcp;
mod model;
mod npm;
mod options;
mod output;
mod owner;
mod prompt;
mod prompt_model;
mod serve;
mod shell;
mod shipped;
mod signals;
mod skill;
mod society;
mod token;
mod validate;
mod verbs;
mod worker;
mod workspace;

use clap::Parser;
use options::{Options, Society, Verb};
use output::Failed;
use owner::Session;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

/// A file that is just being written may be finished; nothing else is worth waiting for.
const REMAINS: Duration = Duration::from_secs(1);

/// What a client or an external server does wrong is told where it belongs; rmcp would tell everybody, with
/// addresses and what is secret in them.
const QUIET: &str = "warn,rmcp=error,rmcp::transport::worker=off,rmcp::transport::async_rw=off,rmcp::transport::streamable_http_client=off";

/// A call of a tool passes through several threads and is a thousand small pieces of memory: with the allocator of
/// glibc a server of many clients answers a fifth fewer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let options = Options::parse();
    // These ask nobody.
    let asks_nobody = match &options.verb {
        Verb::Completions { shell } => {
            shell::completions(*shell);
            Some(Ok(()))
        }
        Verb::Manual { folder } => Some(shell::manual(folder)),
        _ => None,
    };
    if let Some(done) = asks_nobody {
        return ended(done.map(|()| ExitCode::SUCCESS), options.json);
    }
    let wanted = EnvFilter::try_from_env("PM_LOG").unwrap_or_else(|_| EnvFilter::new(QUIET));
    let said = fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        // Where nobody reads it any more it is in the kept log.
        .log_internal_errors(false)
        .with_writer(std::io::stderr);
    let kept = fmt::layer().with_ansi(false).with_writer(|| app_log::Kept);
    tracing_subscriber::registry()
        .with(wanted)
        .with(said)
        .with(kept)
        .init();
    app_log::report_panics();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    // Threads that block are used in turn, so that as many stay as were ever wanted at once, each with memory of its
    // own. More than these only wait for each other. None of them may wait for another one's work.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    runtime.max_blocking_threads((4 * cores).max(16));
    let runtime = match runtime.enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::aside(&format!("pm: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // Its standard output belongs to the protocol.
    let json = options.json && !matches!(options.verb, Verb::Mcp(_));
    let code = ended(runtime.block_on(run(options)), json);
    // Dropping it would wait for every thread that blocks, however long.
    runtime.shutdown_timeout(REMAINS);
    code
}

/// What the process ends with; a failure is said.
fn ended(done: Result<ExitCode, Failed>, json: bool) -> ExitCode {
    done.unwrap_or_else(|failed| {
        output::failed(&failed, json);
        failed.exit()
    })
}

async fn run(options: Options) -> Result<ExitCode, Failed> {
    let home = base::DataHome::locate(options.home.as_deref())?;
    match options.verb {
        Verb::Serve(serve) => serve::run(&home, serve, options.json).await,
        Verb::Society(Society::Worker(worker)) => worker::run(&home, worker, options.json).await,
        Verb::Mcp(options) => mcp::run(&home, options).await,
        Verb::Conformance { files } => conformance::run(&files).await,
        Verb::Restore { file } => backup::restore(&home, file, options.json).await,
        Verb::Reset => backup::reset(&home, options.json),
        verb => {
            let mut session = Session::open(&home).await?;
            let result = verbs::run(&mut session, verb, options.json).await;
            session.close().await;
            result
        }
    }
}
