//! Prepares the desktop shell: the permissions of its window and a page to embed.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script writes outside the data home"
)]

use std::io::{self, Write};
use std::path::Path;

/// What the window embeds until `ui/` was built once, so that a fresh clone compiles.
const PLACEHOLDER: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Prompt Manager</title>\n\
    <p>The page is not built yet: run <code>cargo xtask run</code>.</p>\n";

/// The commands of `src/lib.rs`.
const COMMANDS: &[&str] = &[
    "call",
    "cancel_call",
    "news",
    "name_window",
    "pick_folder",
    "pick_file",
    "save_file",
    "copy_text",
    "copy_image",
    "open_external",
    "dropped",
    "read_dropped",
    "starts_at_login",
    "start_at_login",
    "shortcut",
    "set_shortcut",
    "update_channel",
    "update_check",
    "update_give_up",
    "update_install",
    "update_progress",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=ui/dist");
    page_or_placeholder(Path::new("ui/dist/index.html"))?;
    tauri_build::try_build(
        tauri_build::Attributes::new()
            .capabilities_path_pattern("./src-tauri/capabilities/**/*")
            // Naming the commands makes each of them a permission that a capability must give.
            .app_manifest(tauri_build::AppManifest::new().commands(COMMANDS)),
    )
    .map_err(|error| io::Error::other(format!("{error:#}")).into())
}

/// Never touches a page that is there.
fn page_or_placeholder(page: &Path) -> io::Result<()> {
    if let Some(folder) = page.parent() {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::File::create_new(page) {
        Ok(mut file) => file.write_all(PLACEHOLDER.as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
