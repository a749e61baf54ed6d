//! A tool to begin with. Its texts are what an author replaces, so they say what they are for.
//!
//! Deliberately not here: rights. What is new asks for nothing.

use base::atomic::{self, Access};
use base::name::ToolName;
use std::io;
use std::path::Path;

/// What a tool is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    JavaScript,
    Python,
}

/// Stands for the tool's name.
const NAME: &str = "{{tool}}";

/// Writes the files of a new tool. Blocking.
pub(super) fn write(folder: &Path, tool: &ToolName, language: Language) -> io::Result<()> {
    let [javascript, python] = tool.main_files();
    let files = match language {
        Language::JavaScript => [
            (javascript, include_str!("template/main.js")),
            (format!("test/{tool}.test.mjs"), include_str!("template/test.mjs")),
        ],
        Language::Python => [
            (python, include_str!("template/main.py")),
            // Found by `python3 -m unittest discover test`.
            ("test/test_tool.py".to_owned(), include_str!("template/test.py")),
        ],
    };
    for (name, text) in files {
        let text = text.replace(NAME, tool.as_str());
        atomic::write_with_dirs(&folder.join(name), text.as_bytes(), Access::Shared)?;
    }
    Ok(())
}
