//! Layer 1: the tool's folder as it lies there.
//!
//! Deliberately not here: what the code says.

#![allow(clippy::disallowed_methods, reason = "looks at the tool's folder")]

use super::checks::Check;
use super::findings::{Findings, Place};
use crate::rights::OWN;
use base::args;
use std::path::Path;

/// Bytes; larger ones are generated, or hold data that belongs into a file of its own.
const LARGE: u64 = 1024 * 1024;
/// What the main file of a tool is called, behind the tool's name.
const MAIN_ENDS: [&str; 4] = [".tool.js", ".tool.mjs", ".tool.cjs", ".tool.py"];

/// Blocking.
pub(super) fn check(folder: &Path, main: &str, found: &mut Findings) {
    let at = |line: u32| {
        Some(Place {
            file: main.to_owned(),
            line,
            column: 1,
        })
    };
    let path = folder.join(main);
    match std::fs::symlink_metadata(&path) {
        Err(_) => found.add(Check::MainFileMissing, args! { file: main }, None),
        Ok(data) if data.is_symlink() => found.add(Check::MainFileLink, args! { file: main }, at(1)),
        Ok(data) if data.len() > LARGE => {
            found.add(
                Check::MainFileLarge,
                args! { size: data.len(), limit: LARGE },
                at(1),
            );
        }
        Ok(_) => match std::fs::read(&path).map(String::from_utf8) {
            Ok(Ok(text)) if text.trim().is_empty() => found.add(Check::MainFileEmpty, args! {}, at(1)),
            Ok(Ok(_)) | Err(_) => {}
            Ok(Err(error)) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let lines = before.iter().filter(|byte| **byte == b'\n').count();
                let line = u32::try_from(lines + 1).unwrap_or(u32::MAX);
                found.add(Check::MainFileNotText, args! {}, at(line));
            }
        },
    }
    for name in OWN {
        let path = folder.join(name);
        if path.symlink_metadata().is_ok_and(|data| !data.is_dir()) {
            found.add(Check::OwnFolderBlocked, args! { name: name }, None);
        }
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name != main && MAIN_ENDS.iter().any(|end| name.ends_with(end)) {
            found.add(Check::OtherMainFile, args! { file: name, main: main }, None);
        }
    }
}
