//! JavaScript cells: a worker of our runtime that stays.

use super::Notebook;
use super::heard::Heard;
use super::interpreter::{Interpreter, Session, Sessions};
use super::steps::Fault;
use crate::app::App;
use runtime::host::{Notebook as Worker, Picture, ScriptLimits};
use runtime::protocol::{NotebookRun, Stretch};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

pub(super) const NAME: &str = "javascript";

pub(super) struct JavaScript(Worker);

impl Interpreter for JavaScript {
    const NAME: &'static str = NAME;

    fn place(sessions: &Sessions) -> &Mutex<Option<Session<Self>>> {
        &sessions.javascript
    }

    async fn start(app: &App, _: &Notebook, heard: &Heard<'_>) -> Result<Self, Fault> {
        let limits = ScriptLimits::from(&app.inner.settings.run_javascript);
        let worker = app.inner.host.notebook(&limits, heard).await;
        worker.map(JavaScript).map_err(|error| Fault::of_run(&error))
    }

    async fn stretch(
        &mut self,
        asked: &NotebookRun,
        cancel: &CancellationToken,
        heard: &Heard<'_>,
    ) -> Result<(Stretch, Option<Picture>), Fault> {
        let ran = self.0.run(asked, cancel.clone(), heard).await;
        ran.map_err(|error| Fault::of_run(&error))
    }

    fn alive(&self) -> bool {
        self.0.alive()
    }
}
