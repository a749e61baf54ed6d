//! Lifecycle scripts of a tool's packages: none is run unless a person allowed just this package,
//! by name, version and content; then behind the walls of commands, in the new tree, before that
//! takes its place.
//!
//! Limits: a script has no network, so what downloads a program of its own fails; it writes below
//! its package's folder alone.

use super::commands::remove_folder;
use crate::catalog::Tool;
use crate::run_log::{Level, Record, RunLog, Secrets};
use crate::toolbox::{Toolbox, join_failed};
use base::Failure;
use base::name::ToolName;
use npm::{Allowed, NpmError, PackageStore, Scripted, Scripts};
use runtime::host::PackageScript;
use std::path::Path;
use std::sync::Arc;
use store::{Actor, Grant, GrantKind};

/// Of what a failed script said, in its error.
const SAID: usize = 2000;

impl Toolbox {
    /// Allows the scripts of `NAME@VERSION` as the tool's lock has it. Only persons get here.
    pub async fn grant_script(&self, tool: &Tool, package: &str, actor: &Actor) -> Result<(), Failure> {
        let unknown = || {
            Failure::new("package_script_unknown")
                .with("package", base::text::cut(package, 200))
                .with("tool", tool.name.as_str())
        };
        let (folder, root, platform) = (tool.folder.clone(), self.inner.home.packages(), self.platform());
        let listed = tokio::task::spawn_blocking(move || {
            let store = PackageStore::open(&root)?;
            npm::list(&folder, &store, &platform)
        });
        let listing = listed.await.map_err(join_failed)??;
        let found = listing
            .packages
            .into_iter()
            .find(|one| one.script && format!("{}@{}", one.name, one.locked) == package);
        let integrity = found.and_then(|one| one.integrity).ok_or_else(unknown)?;
        let grant = Grant {
            subject: tool.name.to_string(),
            kind: GrantKind::Script,
            value: package.to_owned(),
            code_hash: integrity,
            actor: actor.clone(),
        };
        self.inner.store.add_grant(grant).await?;
        self.forget_tree(tool);
        Ok(())
    }

    /// Whether there was such a grant. What the script did stays until the tree is made again, before
    /// the tool's next run.
    pub async fn revoke_script(&self, tool: &Tool, package: &str, actor: &Actor) -> Result<bool, Failure> {
        let name = tool.name.to_string();
        let gone = self
            .inner
            .store
            .revoke(name, GrantKind::Script, package.to_owned(), actor.clone())
            .await?;
        self.forget_tree(tool);
        Ok(gone)
    }

    /// The stamp is asked again whether the tree is as wanted.
    fn forget_tree(&self, tool: &Tool) {
        self.inner.dependencies.settled().remove(&tool.folder);
    }

    /// What a person allowed, in order.
    pub async fn allowed_scripts(&self, tool: &ToolName) -> Result<Vec<Allowed>, Failure> {
        let granted = self
            .inner
            .store
            .grants_with_code(tool.to_string(), GrantKind::Script)
            .await?;
        let allowed = granted
            .into_iter()
            .map(|(package, integrity)| Allowed { package, integrity });
        Ok(allowed.collect())
    }

    pub(super) async fn scripts(&self, tool: &ToolName) -> Result<Option<Scripts>, Failure> {
        let allowed = self.allowed_scripts(tool).await?;
        if allowed.is_empty() {
            return Ok(None);
        }
        let (toolbox, tool) = (self.clone(), tool.clone());
        let run: npm::RunScripts = Arc::new(move |scripted: Scripted| {
            let (toolbox, tool) = (toolbox.clone(), tool.clone());
            Box::pin(async move { toolbox.run_scripts(&tool, scripted).await })
        });
        Ok(Some(Scripts { allowed, run }))
    }

    async fn run_scripts(&self, tool: &ToolName, scripted: Scripted) -> Result<(), NpmError> {
        let package = format!("{}@{}", scripted.name, scripted.version);
        let not_run = |failure: Failure| NpmError::ScriptNotRun {
            package: package.clone(),
            failure: Box::new(failure),
        };
        let log = self.inner.logs.of(tool, Secrets::new(Vec::new()));
        for (event, text) in &scripted.scripts {
            log.offer(Record::now(
                Level::Info,
                format!("运行安装脚本 - {package} {event}: {text}"),
            ));
            let outcome = self.run_script(&scripted, event, text).await.map_err(not_run)?;
            let said = format!("{}{}", outcome.stdout.text(), outcome.stderr.text());
            tell(&log, &said);
            if outcome.exit_code != 0 {
                return Err(NpmError::Script {
                    package: package.clone(),
                    event,
                    code: outcome.exit_code,
                    said: end_of(said.trim()),
                });
            }
        }
        Ok(())
    }

    async fn run_script(
        &self,
        scripted: &Scripted,
        event: &str,
        text: &str,
    ) -> Result<runtime::host::Outcome, Failure> {
        let empty = self.empty_folder().await?;
        let own = scripted.folder.join("node_modules/.bin");
        let shared = scripted.tree.join(".bin");
        let env = [
            ("npm_lifecycle_event", event.to_owned()),
            ("npm_lifecycle_script", text.to_owned()),
            ("npm_package_name", scripted.name.clone()),
            ("npm_package_version", scripted.version.clone()),
        ];
        let bins: [&Path; 2] = [&own, &shared];
        let outcome = self.inner.host.package_script(PackageScript {
            text,
            folder: &scripted.folder,
            tree: &scripted.tree,
            bins: &bins,
            env: &env,
            home: self.inner.home.root(),
            empty: &empty,
        });
        let outcome = outcome.await;
        remove_folder(empty).await;
        Ok(outcome?)
    }
}

/// The end is where it says why.
fn end_of(said: &str) -> String {
    let skip = said.chars().count().saturating_sub(SAID);
    said.chars().skip(skip).collect()
}

/// What a script said, line by line; how much there is of it was limited before.
fn tell(log: &RunLog, said: &str) {
    if !said.trim().is_empty() {
        log.offer(Record::now(Level::Debug, said.trim_end().to_owned()));
    }
}
