//! A tool tried out: a worker of its own that nobody else gets, run after run until it is dropped.
//!
//! Deliberately not here: the pool. What is tried leaves the warm workers of the tool, and what they
//! keep in memory, as they are.

use super::error::RunError;
use super::line::Turn;
use super::pool::{Host, ToolSpec};
use super::worker::{Finished, Observer, Worker, unless_cancelled};
use super::{Deadline, check_depth};
use crate::protocol::Load;
use serde_json::Value;

/// A worker on trial. Its results are `{kind, result}`, as [`Load::Trial`] says.
pub struct Trial {
    worker: Worker,
    spec: ToolSpec,
    _turn: Turn,
}

impl Host {
    /// Starts a worker and loads the tool into it.
    pub async fn trial(
        &self,
        spec: ToolSpec,
        deadline: &Deadline,
        observer: &dyn Observer,
    ) -> Result<Trial, RunError> {
        let starting = async {
            let turn = self.describing().join()?.turn().await?;
            let mut worker = self.spawn_tool(&spec).await?;
            let load = Load::Trial(spec.load.clone());
            worker.load(&load, observer, &spec.reach).await?;
            Ok(Trial {
                worker,
                spec,
                _turn: turn,
            })
        };
        unless_cancelled(&deadline.cancel, starting).await
    }
}

impl Trial {
    pub async fn run(
        &mut self,
        params: &Value,
        deadline: &Deadline,
        observer: &dyn Observer,
    ) -> Result<Finished, RunError> {
        check_depth(params)?;
        let reach = self.spec.reach.clone();
        self.worker.run(params, deadline, observer, &reach).await
    }

    /// Whether it can take another run.
    pub fn alive(&self) -> bool {
        self.worker.alive()
    }
}
