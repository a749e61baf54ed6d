//! What lies there for a run: `.env`, packages, the lock, and where the tool may go. One trip to the
//! disk, since every call of a tool makes it.

use crate::catalog::Tool;
use crate::dependencies::Found;
use crate::env_file::EnvFile;
use crate::env_secrets;
use crate::model::Description;
use crate::rights::{self, Rights};
use crate::run_log::RunLog;
use crate::toolbox::{Toolbox, join_failed};
use base::Failure;
use base::name::ToolName;
use secrets::Patience;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// What may be wrong with the parts counts when a run needs them.
pub(super) struct Sight {
    pub(super) environment: BTreeMap<String, String>,
    /// Whether all its secrets could be had.
    pub(super) secrets: Result<(), Failure>,
    /// Masks the secrets of `environment`.
    pub(super) log: RunLog,
    pub(super) dependencies: Result<Found, Failure>,
    pub(super) rights: Result<Rights, Failure>,
    /// Hash of the lock file.
    pub(super) lock: Result<String, Failure>,
}

/// A tool as it is now and, when it is the one that was known, what lies there for a run of it.
pub(super) type Ready = (Arc<Tool>, Option<Result<Sight, Failure>>);

impl Toolbox {
    /// The tool for a run: one trip to the disk for both, as long as its code does not change.
    pub(super) async fn ready(&self, name: &ToolName) -> Option<Ready> {
        let known = self.inner.catalog.remembered(name);
        let granted = match &known {
            Some(tool) => self.granted(tool).await.ok(),
            None => None,
        };
        let Some(granted) = granted else {
            return self.find(name).await.map(|tool| (tool, None));
        };
        let toolbox = self.clone();
        let see = move |tool: &Arc<Tool>| toolbox.see(tool, &granted);
        self.inner.catalog.get_and(name, see).await
    }

    /// `seen`: what [`Toolbox::ready`] saw.
    pub(super) async fn sight(
        &self,
        tool: &Arc<Tool>,
        seen: Option<Result<Sight, Failure>>,
    ) -> Result<Sight, Failure> {
        let sight = match seen {
            Some(seen) => seen?,
            None => self.look(tool).await?,
        };
        if sight.secrets.is_ok() {
            return Ok(sight);
        }
        // A person may have to unlock the keychain: nobody else waits for the disk meanwhile.
        let opened = self.opened(&tool.name, self.env_file(tool).await?).await?;
        match opened.whole(&tool.name) {
            Ok(()) => self.look(tool).await,
            secrets => Ok(Sight { secrets, ..sight }),
        }
    }

    async fn look(&self, tool: &Arc<Tool>) -> Result<Sight, Failure> {
        let granted = self.granted(tool).await?;
        let (toolbox, tool) = (self.clone(), tool.clone());
        let see = move || toolbox.see(&tool, &granted);
        let seen = self.inner.catalog.at_the_disk(see).await;
        seen.map_err(join_failed)?
    }

    /// Blocking.
    fn see(&self, tool: &Tool, granted: &[PathBuf]) -> Result<Sight, Failure> {
        let description = tool.described()?;
        let env = EnvFile::load(&tool.folder.join(".env"))?;
        let opened = env_secrets::open(&self.inner.vault, &tool.name, &env, Patience::Never);
        let kept: Vec<String> = opened.secrets().collect();
        let secrets = opened.whole(&tool.name);
        let environment = self.environment(description, opened.values);
        Ok(Sight {
            log: self.log_of(tool, &environment, kept.into_iter()),
            dependencies: self.look_at_dependencies(tool, description),
            rights: self.rights_of(tool, description, &env, granted),
            lock: self.lock_of(tool),
            environment,
            secrets,
        })
    }

    fn rights_of(
        &self,
        tool: &Tool,
        description: &Description,
        env: &EnvFile,
        granted: &[PathBuf],
    ) -> Result<Rights, Failure> {
        let wanted = self.wanted(tool, description, env)?;
        rights::resolve(&self.inner.home, tool, &wanted, granted)
            .map_err(|error| Failure::from(error).with("tool", tool.name.as_str()))
    }
}
