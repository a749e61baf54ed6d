//! What a person asks about built-in tools, and what she decides, in the running program.

use super::{Holding, Take, edits, follow};
use crate::toolbox::{Toolbox, unreadable};
use base::Failure;
use base::name::ToolName;
use serde_json::json;
use store::{Actor, AuditEntry};

impl Toolbox {
    /// How a tool stands to what comes with the program; `None` where it never came with one.
    pub async fn holding(&self, tool: &ToolName) -> Result<Option<Holding>, Failure> {
        self.known(tool).await?;
        let (home, built_ins, name) = (
            self.inner.home.clone(),
            self.inner.built_ins.clone(),
            tool.clone(),
        );
        let found = crate::catalog::blocking(move || edits::holding(&home, &built_ins, &name)).await;
        found.map_err(|error| unreadable(&self.inner.home.tool(tool), &error))
    }

    /// Does what a person decided about a file of hers in a built-in tool.
    pub async fn settle(
        &self,
        tool: &ToolName,
        path: &str,
        take: Take,
        actor: &Actor,
    ) -> Result<(), Failure> {
        self.known(tool).await?;
        let turn = self.inner.turns.change(tool).await;
        let (toolbox, name, file, lang) = (self.clone(), tool.clone(), path.to_owned(), self.lang());
        // Done whole, whoever goes away meanwhile.
        let work = tokio::spawn(async move {
            let _turn = turn;
            let _alone = toolbox.inner.turns.alone(&name).await;
            let (home, built_ins) = (toolbox.inner.home.clone(), toolbox.inner.built_ins.clone());
            let done = tokio::task::spawn_blocking(move || {
                edits::settle(&home, &built_ins, &name, &file, take, lang)
            });
            done.await
                .map_err(crate::toolbox::join_failed)?
                .map_err(Failure::from)
        });
        work.await.map_err(crate::toolbox::join_failed)??;
        let entry = AuditEntry {
            actor: actor.clone(),
            action: "tool.settle".to_owned(),
            subject: tool.to_string(),
            detail: json!({"file": path, "take": take.name()}),
        };
        self.inner.store.audit(entry).await?;
        self.changed(tool).await
    }

    /// Keeps the built-in tools as they are in a checkout, as long as it is polled.
    pub async fn follow_checkout(self) {
        follow(self).await;
    }
}
