//! Whether a tool may have programs started: when it says in `getRuntimeConfig()` that it does, and
//! came with the program or a person granted it. They see what the tool sees (`runtime::host`).
//!
//! Deliberately not here: how they are started, and when they end.

use crate::catalog::Tool;
use crate::model::Description;
use crate::toolbox::Toolbox;
use base::Failure;
use base::name::ToolName;
use runtime::host::{Processes, ToolSpec};
use std::sync::Arc;
use store::{Actor, Grant, GrantKind};

/// The right as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessesView {
    /// It says that it starts programs.
    pub requested: bool,
    pub granted: bool,
    /// A run may now.
    pub effective: bool,
}

impl Toolbox {
    pub async fn processes_view(&self, tool: &Tool) -> Result<ProcessesView, Failure> {
        let requested = tool.described()?.runtime.processes;
        let granted = self.has_processes(tool).await?;
        Ok(ProcessesView {
            requested,
            granted,
            effective: requested && (granted || tool.built_in),
        })
    }

    /// Only persons get here. It holds for the code as it is.
    pub async fn grant_processes(&self, tool: &Tool, actor: &Actor) -> Result<(), Failure> {
        let grant = Grant {
            subject: tool.name.to_string(),
            kind: GrantKind::Processes,
            value: String::new(),
            code_hash: tool.hash.clone(),
            actor: actor.clone(),
        };
        Ok(self.inner.store.add_grant(grant).await?)
    }

    /// Whether there was such a grant. A run that is open keeps what it started.
    pub async fn revoke_processes(&self, tool: &ToolName, actor: &Actor) -> Result<bool, Failure> {
        let (name, value) = (tool.to_string(), String::new());
        let store = &self.inner.store;
        Ok(store
            .revoke(name, GrantKind::Processes, value, actor.clone())
            .await?)
    }

    async fn has_processes(&self, tool: &Tool) -> Result<bool, Failure> {
        let code = (!tool.built_in).then(|| tool.hash.clone());
        let (name, store) = (tool.name.to_string(), &self.inner.store);
        Ok(!store.grants(name, GrantKind::Processes, code).await?.is_empty())
    }

    /// For one run; or what the tool is told when it tries.
    pub(crate) async fn processes(
        &self,
        tool: &Tool,
        description: &Description,
        spec: &ToolSpec,
    ) -> Result<Result<Processes, Arc<str>>, Failure> {
        let name = &tool.name;
        if !description.runtime.processes {
            return Ok(Err(
                "the tool does not ask for it in getRuntimeConfig().processes".into(),
            ));
        }
        if !tool.built_in && !self.has_processes(tool).await? {
            let words =
                format!("this tool may not start programs; to allow it: pm tool grant {name} --process");
            return Ok(Err(words.into()));
        }
        let run = super::dependencies::commands::beginnings(&self.inner.home);
        Ok(Ok(self.inner.host.processes(
            spec.mounts.clone(),
            &spec.home,
            &run,
        )))
    }
}
