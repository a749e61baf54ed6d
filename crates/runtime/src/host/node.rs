//! The machine's Node as a tool's worker (`sandboxType: 'node'`), behind the walls of commands:
//! its system calls are too many for the walls of our own workers. It speaks the same protocol, and
//! the same pool keeps it; `js/node-guest.js` is its side of it.
//!
//! Sockets cannot be passed to it, so in the full tier it reaches what its tool reaches through a
//! [`Link`]; in the reduced tier it reaches nobody. Its processes are its own and end with it.
//!
//! Deliberately not here: which Node that is (`nodes`).

use super::error::RunError;
use super::link::Link;
use super::nodes::show;
use super::pool::{Host, ToolSpec};
use crate::protocol::EXIT_NO_MEMORY;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sandbox::command::toolchains;
use sandbox::{CommandPolicy, Proxy, Run, Tier};
use std::ffi::OsString;

/// What is around a tool: `this`, its description, its business errors.
const FRAMEWORK: &str = include_str!("../guest/js/tool.js");
const GUEST: &str = include_str!("js/node-guest.js");
const NETWORK: &str = include_str!("js/node-network.mjs");

/// Input and output become the files 3 and 4, so that what the tool starts does not inherit the channel.
/// When Node gave up for want of memory its own report says so; a tool that forges one gets another word
/// for its own failure.
const START: &str = "report=$TMPDIR/fatal.json node=$1; shift
\"$node\" --report-on-fatalerror --report-compact --report-directory=\"$TMPDIR\" --report-filename=fatal.json \"$@\" 3<&0 4>&1 </dev/null >&2
code=$?
grep -qs '\"trigger\":\"OOMError\"' \"$report\" && exit NO_MEMORY
exit $code";

/// Code of V8, its young generation, buffers, threads.
const OVERHEAD: u64 = 1 << 30;
/// Threads count as well: Node has a dozen, and the way out two for each connection.
const PROCESSES: u64 = 512;

impl Host {
    pub(super) async fn node_policy(
        &self,
        spec: &ToolSpec,
    ) -> Result<(CommandPolicy, Option<Link>), RunError> {
        // A command begins in a folder that it may write; this is the one that every tool has.
        let data = spec.load.folder.join("data");
        let node = self
            .newest_node(&data, &spec.home)
            .await
            .ok_or(RunError::NoNode)?;
        let is_full = self.walls().tier().await == Tier::Full;
        let link = match &spec.reach.sockets {
            Some(sockets) if is_full => {
                let link = Link::new(sockets).await;
                Some(link.map_err(RunError::Socket)?)
            }
            Some(_) | None => None,
        };
        let start = START.replace("NO_MEMORY", &EXIT_NO_MEMORY.to_string());
        let mut words: Vec<OsString> = ["/bin/sh", "-c", &start, "sh"].map(OsString::from).into();
        words.push(node.clone().into());
        words.push(format!("--max-old-space-size={}", spec.load.heap >> 20).into());
        words.push("--no-warnings".into());
        if link.is_some() {
            let preload = STANDARD.encode(NETWORK);
            words.push(format!("--import=data:text/javascript;base64,{preload}").into());
        }
        words.push("-e".into());
        words.push(format!("const framework = {FRAMEWORK};\n{GUEST}").into());
        let mut policy = CommandPolicy::new(self.walls().program(), &data, Run::Program(words));
        policy.mounts = spec.mounts.clone();
        policy.toolchains = toolchains::installed().await;
        show(&mut policy, &node);
        if spec.home.exists() {
            policy.masked = vec![spec.home.clone()];
        }
        policy.limits.memory = spec.load.heap + OVERHEAD;
        policy.memory_together = spec.load.heap + OVERHEAD;
        policy.processes = PROCESSES;
        policy.env = vec![("PM_APART".into(), if is_full { "1" } else { "0" }.into())];
        if let Some(link) = &link {
            policy.network = sandbox::Network::Proxy(Proxy {
                socket: link.socket().to_owned(),
                port: Proxy::PORT,
            });
            // For what the tool starts; in its own process refusals would come as answers of the host.
            policy.env.push(("NODE_USE_ENV_PROXY".into(), "".into()));
        }
        Ok((policy, link))
    }
}
