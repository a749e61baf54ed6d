//! Parts of one tool that the window shows: variables and files.

use crate::app::App;
use base::Failure;
use wire::{Caller, FileList, FileRef, FileView, Text, VariableRef, Variables};

pub(super) async fn variables(_app: &App, _tool: &str) -> Result<Variables, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn secret(_app: &App, _caller: &Caller, _params: VariableRef) -> Result<Text, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn files(_app: &App, _params: FileRef) -> Result<FileList, Failure> {
    Err(Failure::new("not_here_yet"))
}

pub(super) async fn file(_app: &App, _params: FileRef) -> Result<FileView, Failure> {
    Err(Failure::new("not_here_yet"))
}
