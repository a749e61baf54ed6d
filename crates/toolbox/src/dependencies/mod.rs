//! A tool's dependencies: there before it runs (seed 002 section 5.1), or installed because a person
//! wants it.
//!
//! Three kinds: files of the tool's own folder, commands of the machine, and packages, from npm or, for a tool in
//! Python, from its index.
//! Nothing is asked of anybody while what lies there has the stamp of what is wanted.
//! Deliberately not here: how packages are installed (`npm`).

pub(crate) mod commands;
mod git;
mod install;
mod look;
mod progress;
pub(crate) mod python;
mod scripts;
mod view;

pub use install::{InstallOptions, Installed, Target, subject};
pub use view::{Declared, DependencyView, From};

use crate::catalog::Tool;
use crate::model::Description;
use crate::modes::OpenRun;
use crate::package_json;
use crate::run_log::{Level, Record, RunLog};
use crate::toolbox::{Toolbox, unreadable};
use base::Failure;
use commands::Versions;
use install::Place;
use look::Look;
pub(crate) use look::{Found, is_own_file};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Failures that say nothing about what is wanted.
const AWAY: [&str; 3] = ["package_network", "package_offline", "package_timeout"];

/// What is known about dependencies while the owner lives.
#[derive(Default)]
pub(crate) struct Known {
    /// Folders whose tree was as wanted, and how their files looked then.
    settled: Mutex<HashMap<PathBuf, Look>>,
    /// Hashes of locks, and how the files looked then.
    locks: Mutex<HashMap<PathBuf, (Look, String)>>,
    /// Folder -> the run that installs into it.
    installing: Mutex<HashMap<PathBuf, String>>,
    versions: Versions,
    /// Of folders with packages of Python: one installs at a time.
    turns: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
}

impl Known {
    fn settled(&self) -> MutexGuard<'_, HashMap<PathBuf, Look>> {
        self.settled.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn locks(&self) -> MutexGuard<'_, HashMap<PathBuf, (Look, String)>> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn installing(&self) -> MutexGuard<'_, HashMap<PathBuf, String>> {
        self.installing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn turn(&self, folder: &Path) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        // Who waits or works holds his as well.
        turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        turns.entry(folder.to_owned()).or_default().clone()
    }
}

impl Toolbox {
    /// What of the tool's dependencies is there. Blocking.
    pub(crate) fn look_at_dependencies(
        &self,
        tool: &Tool,
        description: &Description,
    ) -> Result<Found, Failure> {
        let settled = self.inner.dependencies.settled().get(&tool.folder).cloned();
        look::look(&tool.folder, &description.dependency_sources(), settled.as_ref())
    }

    /// Hash of the tool's lock, read anew when the file is another. Blocking.
    pub(crate) fn lock_of(&self, tool: &Tool) -> Result<String, Failure> {
        let look = Look::at(&tool.folder);
        let known = &self.inner.dependencies;
        if let Some((at, hash)) = known.locks().get(&tool.folder)
            && *at == look
        {
            return Ok(hash.clone());
        }
        let hash =
            crate::fingerprint::lock_hash(&tool.folder).map_err(|error| unreadable(&tool.folder, &error))?;
        known.locks().insert(tool.folder.clone(), (look, hash.clone()));
        Ok(hash)
    }

    /// Everything that the tool depends on is there when this is `Ok`; what npm has is installed
    /// for it, and then it is `true`. `run` is the run that waits.
    pub(crate) async fn ensure_dependencies(
        &self,
        tool: &Tool,
        found: Found,
        log: &RunLog,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<bool, Failure> {
        if !found.files_missing.is_empty() {
            return Err(Failure::new("local_file_missing").with("files", found.files_missing.join(", ")));
        }
        self.commands_there(&found.commands).await?;
        if found.settled {
            return Ok(false);
        }
        let (name, place) = (tool.name.as_str(), self.place_of(tool));
        let again = !found.unmet.is_empty();
        let options = InstallOptions {
            again,
            ..InstallOptions::default()
        };
        match Box::pin(self.install_into(&place, options, run, open)).await {
            Ok(report) => {
                if report.changed {
                    note(log, &report);
                    self.changed(&tool.name).await?;
                }
                Ok(true)
            }
            // The old tree is as it was. Where it answers all that the tool declares it will do, if
            // a person put it there herself or only the network is away.
            Err(failure)
                if found.unmet.is_empty()
                    && found.has_tree
                    && (!found.look.has_stamp() || AWAY.contains(&failure.code.as_str()))
                    && failure.code != "cancelled" =>
            {
                tracing::warn!(tool = name, %failure, "the packages that are there stay");
                log.offer(Record::now(
                    Level::Warn,
                    format!("依赖未更新，沿用已安装的包: {failure}"),
                ));
                self.remember(tool, found.look);
                Ok(false)
            }
            Err(failure) => Err(failure.with("tool", name)),
        }
    }

    /// Declared npm packages that are not there in a version that fits.
    pub async fn unmet(&self, tool: &Tool) -> Result<Vec<npm::Unmet>, Failure> {
        let npm = tool.described()?.dependency_sources().npm;
        if npm.is_empty() {
            return Ok(Vec::new());
        }
        let folder = tool.folder.clone();
        let unmet = tokio::task::spawn_blocking(move || {
            let (npm, _) = package_json::split(&folder, npm);
            npm::unmet(&folder, &npm)
        });
        Ok(unmet.await.map_err(crate::toolbox::join_failed)??)
    }

    /// Removes what installs left that were killed. Once, at start.
    pub async fn recover_installs(&self) -> Result<usize, Failure> {
        let mut removed = 0;
        for name in self.names().await? {
            let (folder, store) = (self.inner.home.tool(&name), self.inner.home.packages());
            let done = tokio::task::spawn_blocking(move || {
                let pythons = python::recover(&folder).map_err(|error| unreadable(&folder, &error))?;
                Ok::<_, Failure>(pythons + npm::recover(&folder, &store)?)
            });
            let done = done.await;
            removed += done.map_err(crate::toolbox::join_failed)??;
        }
        Ok(removed)
    }

    /// Packages that the trees of all tools use, by their names in the content store. Blocking.
    pub fn packages_used(&self) -> HashSet<String> {
        let entries = std::fs::read_dir(self.inner.home.toolbox())
            .into_iter()
            .flatten()
            .flatten();
        entries.flat_map(|entry| npm::used(&entry.path())).collect()
    }

    fn remember(&self, tool: &Tool, look: Look) {
        self.inner
            .dependencies
            .settled()
            .insert(tool.folder.clone(), look);
    }

    fn place_of(&self, tool: &Tool) -> Place {
        Place {
            folder: tool.folder.clone(),
            tool: Some(tool.name.clone()),
            beside: None,
        }
    }
}

/// What came with an install goes into the tool's log.
fn note(log: &RunLog, report: &npm::Report) {
    log.offer(Record::now(
        Level::Info,
        format!("依赖已安装 - 包: {}, 下载: {}", report.packages, report.fetched),
    ));
    if !report.scripts_run.is_empty() {
        let text = format!("安装脚本已运行: {}", report.scripts_run.join(", "));
        log.offer(Record::now(Level::Info, text));
    }
    if !report.scripts.is_empty() {
        let text = format!("安装脚本未运行: {}", report.scripts.join(", "));
        log.offer(Record::now(Level::Warn, text));
    }
    for text in &report.deprecated {
        log.offer(Record::now(Level::Warn, format!("已弃用 - {text}")));
    }
}
