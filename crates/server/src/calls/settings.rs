//! What a person can change, and how clients reach the server.

use crate::app::App;
use base::Failure;
use wire::{Caller, ServerCheck, SettingsChange, SettingsView, Token};

pub(super) fn token(app: &App) -> Token {
    Token {
        token: app.inner.auth.token().to_owned(),
    }
}

pub(super) async fn check(_app: &App) -> Result<ServerCheck, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn show(_app: &App) -> Result<SettingsView, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn change(
    _app: &App,
    _caller: &Caller,
    _params: SettingsChange,
) -> Result<SettingsView, Failure> {
    Err(Failure::new("not_here_yet"))
}
