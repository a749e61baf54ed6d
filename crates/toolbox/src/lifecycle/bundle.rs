//! Files of a bundle of MCP (`.mcpb`), which is a zip archive, into an empty folder: by the way that all foreign
//! files take, with the limits of a tool.
//!
//! Deliberately not here: what its manifest says.

use super::archive;
use super::error::LifecycleError;
use super::source::{LIMITS, digest};
use npm::intake::{Files, Intake, Refused};
use std::path::Path;

/// What was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    pub files: usize,
    pub bytes: u64,
    /// Of all of it: names, contents, and which can be run.
    pub digest: String,
}

/// `into`: an empty folder. What it wrote when it failed is the caller's to remove. Blocking.
pub fn take_bundle(path: &Path, into: &Path) -> Result<Bundle, LifecycleError> {
    let at = path.display().to_string();
    let mut intake = Intake::new(into, Files::ReadOnly, LIMITS);
    let mut placed = |_: &Intake<'_>, parts: &[&str]| Some(parts.join("/"));
    archive::take_zip(path, &at, &mut intake, &mut placed, LIMITS.entries)?;
    let files = intake
        .finish()
        .map_err(|refused: Refused| LifecycleError::refused(&at, refused))?;
    Ok(Bundle {
        files: files.len(),
        bytes: files.iter().map(|file| file.size).sum(),
        digest: digest(&files),
    })
}
