//! The web UI is embedded; Cargo must notice when it was built anew.

fn main() {
    println!("cargo:rerun-if-changed=../../ui/dist");
    println!("cargo:rerun-if-changed=../../ui/dist-page");
    println!("cargo:rerun-if-changed=../../resources/words");
}
