//! The record of a run that ended.
//!
//! Deliberately not here: tools, whose runs the toolbox keeps.

use crate::app::App;
use base::Event;
use store::Run;
use toolbox::modes::Detail;

/// What was done is done: a record that cannot be kept must not make its caller do it again, or pay again.
pub(crate) async fn keep(app: &App, row: Run, detail: &Detail) {
    let finished = row.finished();
    keep_telling(app, row, detail, finished).await;
}

/// `finished`: what others are told, where that is more than of any run.
pub(crate) async fn keep_telling(app: &App, row: Run, detail: &Detail, finished: Event) {
    let run = row.id.clone();
    let most = app.inner.settings.retention.runs;
    let kept = app
        .inner
        .store
        .add_run(row, detail.to_text(), vec![finished], most);
    if let Err(error) = kept.await {
        tracing::error!(run, error = %base::failure::chain(&error), "a run was not recorded");
    }
}
