//! `git` for packages that lie in repositories, behind the walls of commands: it reaches the one host
//! that the address names. A person's folder may name one of this machine, a tool may not; nobody
//! may name one in a private network.
//!
//! Deliberately not here: which commit is meant and which of its files are the package (`npm`).

use super::commands::remove_folder;
use super::install::Place;
use crate::catalog::blocking;
use crate::toolbox::Toolbox;
use base::Failure;
use npm::{GitJob, NO_GIT, NpmError, RunGit};
use runtime::host::PackageGit;
use runtime::host::net::{Host, HostRules, NetError};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use store::Actor;

/// Of what a repository gives, as files or as names.
const MOST: u64 = 512 << 20;
/// Of what git said, in an error.
const SAID: usize = 500;

impl Toolbox {
    pub(super) fn git(&self, place: &Place) -> RunGit {
        let (toolbox, subject, is_tool) = (self.clone(), place.subject(), place.tool.is_some());
        Arc::new(move |job| {
            let (toolbox, subject) = (toolbox.clone(), subject.clone());
            Box::pin(async move { toolbox.run_git(&subject, is_tool, job).await })
        })
    }

    async fn run_git(&self, subject: &str, is_tool: bool, job: GitJob) -> Result<Vec<u8>, NpmError> {
        let failed = |failure: Failure| NpmError::Git {
            name: job.name.clone(),
            reason: failure.to_string(),
        };
        let hosts = host_of(&job, is_tool).map_err(|error| failed(Failure::from(error)))?;
        let empty = self.empty_folder().await.map_err(failed)?;
        let sockets = self.empty_folder().await.map_err(failed)?;
        let ended = self.inner.host.package_git(PackageGit {
            script: job.script,
            env: &job.env,
            hosts,
            home: self.inner.home.root(),
            empty: &empty,
            sockets: &sockets,
        });
        let ended = ended.await;
        let left = {
            let out = empty.join("out");
            blocking(move || read(&out)).await
        };
        remove_folder(empty).await;
        remove_folder(sockets).await;
        let (outcome, tally) = ended.map_err(|error| failed(error.into()))?;
        let actor = Actor {
            kind: "install".to_owned(),
            name: subject.to_owned(),
        };
        self.note_network(&actor, subject, &tally).await;
        match outcome.exit_code {
            0 => left.map_err(|error| NpmError::Git {
                name: job.name,
                reason: error.to_string(),
            }),
            NO_GIT => Err(NpmError::GitMissing { name: job.name }),
            code => {
                let said = outcome.stderr.text();
                let said = base::text::cut(said.trim(), SAID);
                Err(NpmError::Git {
                    name: job.name,
                    reason: format!("git: {code}: {said}"),
                })
            }
        }
    }
}

/// The host of the address and its port, and no other.
fn host_of(job: &GitJob, is_tool: bool) -> Result<HostRules, NetError> {
    let host = job.url.host_str().unwrap_or_default();
    let port = job.url.port_or_known_default().unwrap_or_default();
    let is_here = Host::parse(host)?.is_loopback();
    if is_here && !is_tool {
        return HostRules::new::<&str>(&[], &[port]);
    }
    HostRules::new(&[format!("{host}:{port}")], &[])
}

/// What was left by a program that is trusted with nothing.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}
