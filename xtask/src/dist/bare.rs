//! `cargo xtask dist --try`: the .deb on a Debian with nothing else on it (tests/package): its
//! dependencies, its desktop entry, its tray, a first picture, and what it leaves when it goes.

use crate::{Outcome, proc};
use std::fs;
use std::path::Path;

const SCRIPT: &str = "tests/package/bare.sh";
/// The oldest Debian that the package is for.
const RELEASE: &str = "bookworm";

pub fn run(out: &Path) -> Outcome {
    let packages: Vec<_> = fs::read_dir(out)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    let package = packages
        .iter()
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .ok_or("no .deb was made")?;
    let mut evidence = std::ffi::OsString::from("PM_EVIDENCE=");
    evidence.push(proc::target("package"));
    proc::run(
        proc::as_root("env")
            .arg(evidence)
            .arg("bash")
            .arg(proc::root().join(SCRIPT))
            .arg(package)
            .arg(RELEASE),
    )
}
