//! The machine's Node as a tool's worker (`sandboxType: 'node'`); `js/node-guest.js` is its side of it.
//!
//! Deliberately not here: which Node that is (`interpreters`), and the walls (`served`).

use super::error::RunError;
use super::interpreters::NODE;
use super::link::Link;
use super::pool::{Host, ToolSpec};
use super::served::Served;
use crate::protocol::EXIT_NO_MEMORY;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sandbox::CommandPolicy;
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

impl Host {
    pub(super) async fn node_policy(
        &self,
        spec: &ToolSpec,
    ) -> Result<(CommandPolicy, Option<Link>), RunError> {
        let data = spec.load.folder.join("data");
        let node = self
            .newest(&NODE, &data, &spec.home)
            .await
            .ok_or(RunError::NoNode)?;
        let link = self.link(&spec.reach).await?;
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
        let served = Served {
            words,
            workspace: &data,
            mounts: &spec.mounts,
            home: &spec.home,
            memory: spec.load.heap + OVERHEAD,
        };
        let mut policy = self.served_policy(served, link.as_ref()).await;
        NODE.show(&mut policy, &node).await;
        if link.is_some() {
            // For what the tool starts; in its own process refusals would come as answers of the host.
            policy.env.push(("NODE_USE_ENV_PROXY".into(), "".into()));
        }
        Ok((policy, link))
    }
}
