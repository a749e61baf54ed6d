//! `pm`: the product without a window (CONTRACT, "Command line").
//!
//! Every verb is a call of the owner over its socket. Where nobody owns the data home, this
//! process does so for the time of the verb. Exit code 0: done; 1: the work failed; 2: usage.

mod approve;
mod arena;
mod assistant;
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
use std::process::ExitCode;
use std::time::Duration;

/// A file that is just being written may be finished; nothing else is worth waiting for.
const REMAINS: Duration = Duration::from_secs(1);

/// What a client or an external server does wrong is told where it belongs; rmcp would tell everybody, with
/// addresses and what is secret in them.
const QUIET: &str = "warn,rmcp=error,rmcp::transport::worker=off,rmcp::transport::async_rw=off,rmcp::transport::streamable_http_client=off";

fn main() -> ExitCode {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("PM_LOG")
                .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(QUIET)),
        )
        .with_writer(std::io::stderr)
        .init();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("pm: {error}");
            return ExitCode::FAILURE;
        }
    };
    // Its standard output belongs to the protocol.
    let json = options.json && !matches!(options.verb, Verb::Mcp(_));
    let code = match runtime.block_on(run(options)) {
        Ok(code) => code,
        Err(failed) => {
            output::failed(&failed, json);
            failed.exit()
        }
    };
    // Dropping it would wait for every thread that blocks, however long.
    runtime.shutdown_timeout(REMAINS);
    code
}

async fn run(options: Options) -> Result<ExitCode, Failed> {
    let home = base::DataHome::locate(options.home.as_deref())?;
    match options.verb {
        Verb::Serve(serve) => serve::run(&home, serve, options.json).await,
        Verb::Society(Society::Worker(worker)) => worker::run(&home, worker, options.json).await,
        Verb::Mcp(options) => mcp::run(&home, options).await,
        Verb::Conformance { files } => conformance::run(&files).await,
        verb => {
            let mut session = Session::open(&home).await?;
            let result = verbs::run(&mut session, verb, options.json).await;
            session.close().await;
            result
        }
    }
}
