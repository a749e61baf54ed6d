//! Real MCP clients against a running `pm serve`: what no test of ours can stand in for.

use crate::serve::Server;
use crate::{Outcome, node, proc};
use std::process::Command;

const FOLDER: &str = "tests/clients";

pub fn run() -> Outcome {
    let folder = proc::root().join(FOLDER);
    node::install(FOLDER)?;
    let python = node::python_of_clients()?;
    for (name, mut command) in [
        ("http.mjs", proc::program("node")),
        ("typescript.mjs", proc::program("node")),
        ("stdio.mjs", proc::program("node")),
        ("away.mjs", proc::program("node")),
        ("asked.mjs", proc::program("node")),
        ("inspector.mjs", proc::program("node")),
        ("external.mjs", proc::program("node")),
        ("attacks.mjs", proc::program("node")),
        ("python_client.py", proc::program(&python)),
    ] {
        command.arg(folder.join(name));
        against_a_server(command)?;
    }
    Ok(())
}

/// Each client has a server and a data home of its own.
fn against_a_server(mut client: Command) -> Outcome {
    let server = Server::start("debug", |_| Ok(()))?;
    client
        .env("PM_URL", server.url())
        .env("PM_TOKEN", &server.token)
        .env("PM_DATA_HOME", server.home())
        .env("PM_PROGRAM", proc::built("debug", "pm"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        // A proxy has no way to this server.
        .env("NO_PROXY", "127.0.0.1")
        .env("no_proxy", "127.0.0.1");
    proc::run(&mut client)?;
    server.stop()
}
