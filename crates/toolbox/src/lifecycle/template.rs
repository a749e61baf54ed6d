//! A tool to begin with. Its texts are what an author replaces, so they say what they are for.
//!
//! Deliberately not here: rights. What is new asks for nothing.

use base::atomic::{self, Access};
use base::name::ToolName;
use std::io;
use std::path::Path;

const MAIN: &str = include_str!("template/main.js");
const TEST: &str = include_str!("template/test.mjs");
/// Stands for the tool's name.
const NAME: &str = "{{tool}}";

/// Writes the files of a new tool. Blocking.
pub(super) fn write(folder: &Path, tool: &ToolName) -> io::Result<()> {
    let text = |template: &str| template.replace(NAME, tool.as_str());
    let main = folder.join(tool.main_file());
    atomic::write_with_dirs(&main, text(MAIN).as_bytes(), Access::Shared)?;
    let test = folder.join("test").join(format!("{tool}.test.mjs"));
    atomic::write_with_dirs(&test, text(TEST).as_bytes(), Access::Shared)
}
