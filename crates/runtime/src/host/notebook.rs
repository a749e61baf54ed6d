//! The worker of a notebook's JavaScript cells. It stays until it is dropped, and with it what the cells
//! have made; nobody else uses it.
//!
//! Deliberately not here: how long a notebook keeps its worker, and what its cells are given.

use super::error::RunError;
use super::network::Reach;
use super::pool::Host;
use super::worker::{Finished, Observer, Picture, Worker};
use super::{Deadline, ScriptLimits, check_depth};
use crate::protocol::{FrameError, Load, NotebookRun, Stretch};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub struct Notebook {
    worker: Worker,
    time: Duration,
}

impl Host {
    pub async fn notebook(
        &self,
        limits: &ScriptLimits,
        observer: &dyn Observer,
    ) -> Result<Notebook, RunError> {
        Ok(Notebook {
            worker: self.start_script(limits, Load::Notebook, observer).await?,
            time: limits.time,
        })
    }
}

impl Notebook {
    /// Runs a stretch of a cell: up to its end, or up to what it asks for.
    pub async fn run(
        &mut self,
        asked: &NotebookRun,
        cancel: CancellationToken,
        observer: &dyn Observer,
    ) -> Result<(Stretch, Option<Picture>), RunError> {
        if let NotebookRun::Answer { value, .. } = asked {
            check_depth(value)?;
        }
        let params = serde_json::to_value(asked).map_err(FrameError::from)?;
        let deadline = Deadline {
            time: self.time,
            cancel,
        };
        let Finished { value, picture, .. } = self
            .worker
            .run(&params, &deadline, observer, &Reach::nothing())
            .await?;
        let stretch = serde_json::from_value(value).map_err(FrameError::from)?;
        Ok((stretch, picture))
    }

    /// Whether what its cells have made is still there.
    pub fn alive(&self) -> bool {
        self.worker.alive()
    }
}
