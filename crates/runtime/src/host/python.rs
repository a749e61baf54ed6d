//! The machine's Python as a tool's worker (`{tool}.tool.py`); `py/guest.py` is its side of it. A tool with packages has
//! them in a virtual environment in its folder; one without has the standard library alone, and never what happens to
//! be installed on the machine.
//!
//! Deliberately not here: which Python that is (`interpreters`), the walls (`served`), installing (`python_packages`).

use super::children::Own;
use super::error::RunError;
use super::interpreters::PYTHON;
use super::link::Link;
use super::network::Reach;
use super::pool::{Host, ToolSpec};
use super::served::Served;
use super::worker::{Observer, Worker};
use super::{Deadline, Mount};
use crate::protocol::{Load, ToolLoad};
use sandbox::CommandPolicy;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The folder of a tool that holds its packages.
pub const VENV: &str = ".venv";

const GUEST: &str = include_str!("py/guest.py");
const NETWORK: &str = include_str!("py/network.py");

/// Input and output become the files 3 and 4, so that what the tool starts does not inherit the channel.
const START: &str = "exec \"$@\" 3<&0 4>&1 </dev/null >&2";

/// Code of the interpreter, of packages in C, stacks of threads.
const OVERHEAD: u64 = 256 << 20;
/// It takes longer to begin than a worker of ours.
const DESCRIBE_TIME: Duration = Duration::from_secs(5);

/// Whether a tool of that file is in Python.
pub fn is_python(main: &str) -> bool {
    Path::new(main).extension().is_some_and(|end| end == "py")
}

impl Host {
    pub(super) async fn python_policy(
        &self,
        spec: &ToolSpec,
    ) -> Result<(CommandPolicy, Option<Link>), RunError> {
        let data = spec.load.folder.join("data");
        let link = self.link(&spec.reach).await?;
        let own = spec.load.folder.join(VENV).join("bin/python");
        let linked = {
            let own = own.clone();
            tokio::task::spawn_blocking(move || match own.canonicalize() {
                Ok(real) => Some((own.is_symlink(), real)),
                // A link that leads nowhere: that Python is gone.
                Err(_) => own.read_link().ok().map(|gone| (false, gone)),
            })
        };
        let (python, words) = match linked.await.ok().flatten() {
            Some((true, real)) if PYTHON.offers(real.clone()).await => (real, words(&own, &[])),
            Some((_, real)) => return Err(RunError::OtherPython(real)),
            None => {
                let newest = self.newest_python(&data, &spec.home).await?;
                let words = words(&newest, &["-S"]);
                (newest, words)
            }
        };
        let served = Served {
            words: with_guest(words, link.is_some()),
            workspace: &data,
            mounts: &spec.mounts,
            home: &spec.home,
            memory: spec.load.heap + OVERHEAD,
        };
        let mut policy = self.served_policy(served, link.as_ref()).await;
        PYTHON.show(&mut policy, &python).await;
        Ok((policy, link))
    }

    /// As [`Host::describe`], without its packages: what is imported of them is a stand-in.
    pub(super) async fn describe_python(
        &self,
        load: ToolLoad,
        home: &Path,
        observer: &dyn Observer,
    ) -> Result<Value, RunError> {
        let _turn = self.describing().join()?.turn().await?;
        let empty = self.scratch().await?;
        let newest = self.newest_python(empty.path(), home).await?;
        let served = Served {
            words: with_guest(words(&newest, &["-S"]), false),
            workspace: empty.path(),
            mounts: &[Mount::read_only(&load.folder)],
            home,
            memory: load.heap + OVERHEAD,
        };
        let mut policy = self.served_policy(served, None).await;
        PYTHON.show(&mut policy, &newest).await;
        let mut worker = Worker::serve(self.walls(), &policy, None).await?;
        let deadline = Deadline {
            time: DESCRIBE_TIME,
            cancel: CancellationToken::new(),
        };
        let finished = worker
            .ask(&Load::Describe(load), &deadline, observer, &Reach::nothing())
            .await?;
        Ok(finished.value)
    }

    pub(super) async fn newest_python(&self, empty: &Path, home: &Path) -> Result<PathBuf, RunError> {
        self.newest(&PYTHON, empty, home).await.ok_or(RunError::NoPython)
    }

    /// An empty folder, gone when it is dropped.
    pub(super) async fn scratch(&self) -> Result<Own, RunError> {
        let made = tokio::task::spawn_blocking(|| Own::make(&std::env::temp_dir().canonicalize()?));
        let made = made.await.map_err(std::io::Error::from).flatten();
        made.map_err(RunError::Socket)
    }
}

/// Alone (`-I`): no variables, no folder of the user's, not the folder that it begins in. `-B`: a tool's folder is read.
fn words(program: &Path, more: &[&str]) -> Vec<OsString> {
    let mut words: Vec<OsString> = ["/bin/sh", "-c", START, "sh"].map(OsString::from).into();
    words.push(program.into());
    words.extend(["-I", "-B", "-X", "utf8"].iter().chain(more).map(OsString::from));
    words
}

fn with_guest(mut words: Vec<OsString>, has_link: bool) -> Vec<OsString> {
    words.push("-c".into());
    words.push(match has_link {
        true => format!("{NETWORK}\n{GUEST}").into(),
        false => GUEST.into(),
    });
    words
}
