//! The peer of `cargo xtask bench window`: a Tauri window with a page of one button and nothing
//! else. Built from the same crates with the same options as the desktop.

fn main() -> Result<(), tauri::Error> {
    tauri::Builder::default().run(tauri::generate_context!(
        "benches/peers/empty-window/tauri.conf.json"
    ))
}
