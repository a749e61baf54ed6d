//! The owner's side: starts workers behind the sandbox, keeps tools warm, ends runs in time.
//!
//! A run is one message to a worker and one answer. Log lines and progress go to the caller's
//! [`Observer`] while it lasts. At the limit the worker is asked to stop; 200 ms later it is
//! killed with everything it started. Calls wait in lines of bounded length for a bounded number of
//! processes; one that is cancelled while it waits was never begun.

mod children;
mod command;
mod error;
mod frames;
mod installed;
mod interpreters;
mod line;
mod link;
mod network;
mod node;
mod notebook;
mod package_git;
mod package_script;
mod pool;
mod program;
mod python;
mod python_packages;
mod resident;
mod scripts;
mod served;
mod trial;
mod volume;
mod worker;

pub use children::Processes;
pub use error::RunError;
pub use network::Reach;
pub use notebook::Notebook;
pub use package_git::PackageGit;
pub use package_script::PackageScript;
pub use pool::{Engine, Host, Still, ToolSpec};
pub use python::{VENV, is_python};
pub use python_packages::{NO_VENV, PythonPackages};
pub use resident::{Resident, ResidentSpec, Streams};
pub use sandbox::net;
pub use sandbox::{Check, Mount, Outcome, Proof, Tier, TierProof, Walls};
pub use trial::Trial;
pub use worker::{Finished, Observer, Picture};

use crate::protocol::{DEPTH_LIMIT, Load, ToolLoad};
use sandbox::{Kind, Limits, Policy};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use worker::Worker;

/// What the process needs beside the JavaScript heap: code, stacks, buffers of the pipe, bytes.
const OVERHEAD: u64 = 192 * 1024 * 1024;
/// Bytes a canvas pixel may need at once: its bitmap, a layer, the encoded picture.
const BYTES_PER_PIXEL: u64 = 12;

/// Limits of describing a tool (HOUSE, "Workers").
const DESCRIBE_TIME: Duration = Duration::from_secs(1);
const DESCRIBE_HEAP: u64 = 64 * 1024 * 1024;

/// What a script may use.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptLimits {
    pub time: Duration,
    /// Bytes.
    pub heap: u64,
    pub canvas_pixels: u64,
    pub result_chars: usize,
}

impl From<&base::settings::ScriptLimits> for ScriptLimits {
    fn from(settings: &base::settings::ScriptLimits) -> Self {
        ScriptLimits {
            time: Duration::from_secs(u64::from(settings.seconds)),
            heap: u64::from(settings.heap_mb) * 1024 * 1024,
            canvas_pixels: settings.canvas_pixels,
            result_chars: settings.result_chars,
        }
    }
}

/// When a run must end.
#[derive(Clone, Debug)]
pub struct Deadline {
    pub time: Duration,
    pub cancel: CancellationToken,
}

impl Host {
    /// Asks a tool what it is: throw-away worker, folder read-only, no data, no directories.
    pub async fn describe(
        &self,
        mut load: ToolLoad,
        home: &Path,
        observer: &dyn Observer,
    ) -> Result<Value, RunError> {
        load.heap = DESCRIBE_HEAP;
        if python::is_python(&load.main) {
            return self.describe_python(load, home, observer).await;
        }
        let policy = self.policy(DESCRIBE_HEAP, vec![Mount::read_only(&load.folder)], home);
        let deadline = Deadline {
            time: DESCRIBE_TIME,
            cancel: CancellationToken::new(),
        };
        let _turn = self.describing().join()?.turn().await?;
        let mut worker = Worker::spawn(self.walls(), &policy, 0).await?;
        let finished = worker
            .ask(&Load::Describe(load), &deadline, observer, &Reach::nothing())
            .await?;
        Ok(finished.value)
    }

    fn policy(&self, memory: u64, mounts: Vec<Mount>, home: &Path) -> Policy {
        Policy {
            kind: Kind::Worker,
            program: self.walls().program().to_owned(),
            args: Vec::new(),
            cwd: PathBuf::from("/"),
            // A tool's own environment goes over the pipe, where no other process can read it.
            env: ["LANG", "LC_ALL", "TZ"]
                .iter()
                .filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)))
                .collect(),
            mounts,
            masked: if home.exists() {
                vec![home.to_owned()]
            } else {
                Vec::new()
            },
            limits: Limits {
                memory: memory + OVERHEAD,
                ..Limits::default()
            },
        }
    }
}

/// How many short pieces of work the machine is given at a time.
fn at_a_time() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * processors).max(4)
}

/// The worker could not read what is nested deeper, and would end.
fn check_depth(value: &Value) -> Result<(), RunError> {
    if deeper_than(value, DEPTH_LIMIT) {
        Err(RunError::InputTooDeep)
    } else {
        Ok(())
    }
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(left)) => items.iter().any(|part| deeper_than(part, left)),
        (Value::Object(members), Some(left)) => members.values().any(|part| deeper_than(part, left)),
        _ => false,
    }
}
