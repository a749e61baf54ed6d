//! Tools of the old layout, as a person asks about them.

use super::old_layout::{self, Migration, State};
use super::{Data, LifecycleError};
use crate::toolbox::Toolbox;
use base::Failure;
use base::name::ToolName;
use serde_json::json;
use store::Actor;

/// One record of all tools: one change of it at a time.
static ONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

impl Toolbox {
    /// What became of the tools of the old layout.
    pub async fn migration(&self) -> Result<Migration, Failure> {
        let home = self.inner.home.clone();
        self.on_disk(move || Migration::load(&home)).await
    }

    /// Tries again what was left where it was, or taken back there.
    pub async fn migrate(&self, actor: &Actor) -> Result<Migration, Failure> {
        let _alone = ONE.lock().await;
        let home = self.inner.home.clone();
        let names = self.on_disk(move || old_layout::names(&home)).await?;
        for tool in names {
            let _turn = self.inner.turns.change(&tool).await;
            let (home, built_ins, name) = (
                self.inner.home.clone(),
                self.inner.built_ins.clone(),
                tool.clone(),
            );
            let came = self
                .on_disk(move || {
                    let mut record = Migration::load(&home)?;
                    old_layout::bring(&home, &mut record, &name, &|tool| built_ins.has(tool), &|_| ())
                })
                .await?;
            if came {
                self.told(actor, "tool.migrate", &tool, json!({})).await?;
            }
        }
        self.migration().await
    }

    /// Takes it back: folders of the old layout lie where they lay, and what became of the tools since is in the
    /// trash.
    pub async fn migrate_back(&self, actor: &Actor) -> Result<Migration, Failure> {
        let _alone = ONE.lock().await;
        let moved = |migration: &Migration| -> Vec<ToolName> {
            let all = migration.tools.iter();
            all.filter(|(_, tool)| matches!(tool.state, State::Moved | State::Undoing))
                .map(|(name, _)| name.clone())
                .collect()
        };
        let names = moved(&self.migration().await?);
        if names.is_empty() {
            return Err(LifecycleError::NothingMoved.into());
        }
        // One that cannot go back does not keep the others here.
        let mut failed = None;
        for tool in names {
            if let Err(failure) = self.take_back(&tool, actor).await {
                failed.get_or_insert(failure);
            }
        }
        failed.map_or(Ok(()), Err)?;
        self.migration().await
    }

    async fn take_back(&self, tool: &ToolName, actor: &Actor) -> Result<(), Failure> {
        self.note_back(tool, false).await?;
        if self.find(tool).await.is_some() {
            self.remove(tool, Data::Goes, actor).await?;
        }
        self.note_back(tool, true).await?;
        self.told(actor, "tool.migrate_back", tool, json!({})).await
    }

    async fn note_back(&self, tool: &ToolName, removed: bool) -> Result<(), Failure> {
        let (home, tool) = (self.inner.home.clone(), tool.clone());
        self.on_disk(move || {
            let mut record = Migration::load(&home)?;
            match removed {
                false => old_layout::begin_back(&home, &mut record, &tool),
                true => old_layout::put_back(&home, &mut record, &tool, &|_| ()),
            }
        })
        .await
    }
}
