//! Windows of `run.log`.

use crate::app::App;
use base::Failure;
use wire::{LogFindQuery, LogFound, LogWindow, LogWindowQuery};

pub(super) async fn window(_app: &App, _params: LogWindowQuery) -> Result<LogWindow, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn find(_app: &App, _params: LogFindQuery) -> Result<LogFound, Failure> {
    Err(Failure::new("not_here_yet"))
}
