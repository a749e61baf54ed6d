//! The NATS server that tests and a benchmark start. On Debian it is taken out of its package and lies below target:
//! installed, it would run as a service and listen to everybody.

use crate::{Outcome, proc};
use std::fs;
use std::path::{Path, PathBuf};

/// The program, fetched where it is not there. Tests look for it at the same places.
pub fn program() -> Outcome<PathBuf> {
    let folder = proc::root().join("target/nats");
    let places = [
        folder.join("usr/sbin/nats-server"),
        PathBuf::from("/usr/sbin/nats-server"),
    ];
    if let Some(there) = places.iter().find(|path| path.is_file()) {
        return Ok(there.clone());
    }
    if proc::ask(proc::program("nats-server").arg("--version")).is_some() {
        return Ok(PathBuf::from("nats-server"));
    }
    if proc::ask(proc::program("apt-get").arg("--version")).is_none() {
        return Err("nats-server is missing: install it (https://nats.io/download) and start again".into());
    }
    fs::create_dir_all(&folder)?;
    if download(&folder).is_err() {
        // Its lists may be older than what the mirrors have.
        proc::run(proc::as_root("apt-get").args(["-q", "update"]))?;
        download(&folder)?;
    }
    let package = fs::read_dir(&folder)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|ext| ext == "deb"))
        .ok_or("apt-get downloaded no nats-server")?;
    proc::run(proc::program("dpkg-deb").arg("-x").arg(&package).arg(&folder))?;
    let [own, _] = places;
    match own.is_file() {
        true => Ok(own),
        false => Err(format!("{} has no nats-server in it", package.display()).into()),
    }
}

fn download(folder: &Path) -> Outcome {
    let mut command = proc::program("apt-get");
    proc::run(
        command
            .args(["-q", "download", "nats-server"])
            .current_dir(folder),
    )
}
