//! Packages of a tool in Python: what `requirements.txt` wants, in `.venv` of its folder. The environment is made beside
//! the old one and takes its place in one step; its stamp says of what it was made, so that nothing is asked of anybody
//! while that is still wanted.
//!
//! Limits: what comes is what the index has at that moment, but for what `requirements.txt` pins; commands of packages
//! are started as `python -m NAME`, because their files name the place where they were made.
//! Deliberately not here: how it is installed (`runtime`), what a requirement is (`requirements`).

#![allow(
    clippy::disallowed_methods,
    reason = "this module is the door to .venv of tools"
)]

use super::commands::remove_folder;
use super::install::{InstallOptions, Installing, LIMIT, Place};
use super::progress;
use crate::catalog::blocking;
use crate::fingerprint::hash_bytes;
use crate::lifecycle::place::exchange;
use crate::modes::OpenRun;
use crate::requirements::{Requirements, normal_name};
use crate::toolbox::{Toolbox, unreadable};
use base::Failure;
use base::atomic::{self, Access};
use base::settings::PythonSettings;
use npm::{Phase, Progress, Report};
use runtime::host::net::{Host, HostRules, NetError};
use runtime::host::{NO_VENV, PythonPackages, VENV};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use store::Actor;

/// In [`VENV`].
const STAMP: &str = ".pm-stamp.json";
const STAGING: &str = ".pm-venv-";
const FORM: u32 = 1;
/// Of what an installer said, in an error; the end is where it says why.
const SAID: usize = 2000;

/// Of what an environment was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    form: u32,
    /// Hash of the requirements.
    wanted: String,
    /// The interpreter that it is for.
    python: PathBuf,
    /// What was installed, by its normal name.
    packages: BTreeMap<String, String>,
}

impl Stamp {
    fn read(folder: &Path) -> Option<Stamp> {
        let bytes = std::fs::read(folder.join(VENV).join(STAMP)).ok()?;
        let stamp: Stamp = serde_json::from_slice(&bytes).ok()?;
        (stamp.form == FORM).then_some(stamp)
    }
}

/// Whether what lies there is what is wanted. Blocking.
pub(crate) fn is_settled(folder: &Path, wanted: &Requirements) -> bool {
    // What is refused is told to whoever runs it, whatever lies there.
    if !wanted.refused.is_empty() {
        return false;
    }
    match wanted.wanted.is_empty() {
        true => !folder.join(VENV).exists(),
        false => {
            Stamp::read(folder).is_some_and(|stamp| stamp.wanted == hash_of(wanted) && stamp.python.is_file())
        }
    }
}

/// Versions of the packages that lie there. Blocking.
pub(crate) fn installed(folder: &Path) -> BTreeMap<String, String> {
    Stamp::read(folder)
        .map(|stamp| stamp.packages)
        .unwrap_or_default()
}

/// Removes what installs left that were killed. Blocking.
pub(super) fn recover(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(STAGING) && entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

impl Toolbox {
    pub(super) async fn install_python(
        &self,
        place: &Place,
        wanted: &Requirements,
        options: InstallOptions,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<Report, Failure> {
        if let Some(refused) = wanted.refused.first() {
            return Err(Failure::new("requirement_refused")
                .with("line", refused.line)
                .with("text", refused.text.as_str()));
        }
        let turn = self.inner.dependencies.turn(&place.folder);
        let _turn = turn.lock().await;
        let (folder, own) = (place.folder.clone(), wanted.clone());
        let looked = blocking(move || Ok((is_settled(&folder, &own), installed(&folder)))).await;
        let (settled, before) = looked.map_err(|error| unreadable(&place.folder, &error))?;
        if settled && !options.again {
            return Ok(report(false, &before, 0));
        }
        if options.offline && !wanted.wanted.is_empty() {
            let names: Vec<&str> = wanted.wanted.iter().map(|one| one.name.as_str()).collect();
            return Err(Failure::new("package_offline").with("missing", names.join(", ")));
        }
        let made = match wanted.wanted.is_empty() {
            true => None,
            false => Some(self.make_venv(place, wanted, run, open).await?),
        };
        let packages = made
            .as_ref()
            .map(|made| made.packages.clone())
            .unwrap_or_default();
        // Nothing of the tool runs while what it runs on is exchanged.
        let _still = match (&place.tool, &place.beside) {
            (Some(tool), None) => Some(self.inner.host.still(tool.as_str()).await),
            _ => None,
        };
        let folder = place.folder.clone();
        let placed = blocking(move || put_in_place(&folder, made)).await;
        placed.map_err(|error| unreadable(&place.folder.join(VENV), &error))?;
        let fetched = packages
            .iter()
            .filter(|one| before.get(one.0) != Some(one.1))
            .count();
        Ok(report(true, &packages, fetched))
    }

    async fn make_venv(
        &self,
        place: &Place,
        wanted: &Requirements,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<Made, Failure> {
        let subject = place.subject();
        let hosts = hosts(&self.inner.settings.python)?;
        let _installing = Installing::begin(self, &place.folder, run);
        let at = Progress {
            phase: Phase::Fetch,
            done: 0,
            total: wanted.wanted.len(),
            bytes: 0,
        };
        open.progress(
            progress::share(&at),
            Some(progress::WHOLE),
            Some(progress::text(&at, self.lang())),
        );
        let event = progress::event(run, &subject, &at);
        self.inner.store.announce(vec![event]).await?;
        let venv = Staging::beside(&place.folder);
        let making = venv.0.clone();
        let made = blocking(move || atomic::create_dir_all(&making)).await;
        made.map_err(|error| unreadable(&venv.0, &error))?;
        let empty = self.empty_folder().await?;
        let sockets = self.empty_folder().await?;
        let text = wanted.text();
        let installing = self.inner.host.python_packages(PythonPackages {
            requirements: &text,
            venv: &venv.0,
            index: self.inner.settings.python.index(),
            hosts,
            home: self.inner.home.root(),
            empty: &empty,
            sockets: &sockets,
        });
        let cancel = open.cancel();
        // Dropped, it is killed.
        let ended = tokio::select! {
            ended = tokio::time::timeout(LIMIT, installing) => match ended {
                Ok(ended) => ended.map_err(Failure::from),
                Err(_) => Err(Failure::new("package_timeout").with("seconds", LIMIT.as_secs())),
            },
            () = cancel.cancelled() => Err(Failure::new("cancelled")),
        };
        remove_folder(empty).await;
        remove_folder(sockets).await;
        let (outcome, python, tally) = ended?;
        let actor = Actor {
            kind: "install".to_owned(),
            name: subject.clone(),
        };
        self.note_network(&actor, &subject, &tally).await;
        match outcome.exit_code {
            0 => {}
            NO_VENV => {
                let python = python.display().to_string();
                return Err(Failure::new("python_venv_missing").with("python", python));
            }
            code => {
                let said = format!("{}\n{}", outcome.stdout.text(), outcome.stderr.text());
                return Err(Failure::new("python_packages_failed")
                    .with("code", code)
                    .with("said", end_of(said.trim())));
            }
        }
        let (own, wanted) = (venv.0.clone(), hash_of(wanted));
        let stamped = blocking(move || stamp(&own, wanted, python)).await;
        let packages = stamped.map_err(|error| unreadable(&venv.0, &error))?;
        Ok(Made {
            staging: venv,
            packages,
        })
    }
}

/// An environment that is whole and not in its place.
struct Made {
    staging: Staging,
    packages: BTreeMap<String, String>,
}

/// Gone with whatever is in it when this is dropped; what stays goes when the next owner starts.
struct Staging(PathBuf);

impl Staging {
    fn beside(folder: &Path) -> Self {
        Staging(folder.join(format!("{STAGING}{}", uuid::Uuid::new_v4().simple())))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.0);
        let remove = move || drop(std::fs::remove_dir_all(folder));
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(remove)),
            Err(_) => remove(),
        }
    }
}

/// Says of what it was made, in it, when all of it lasts.
fn stamp(venv: &Path, wanted: String, python: PathBuf) -> io::Result<BTreeMap<String, String>> {
    rustix::fs::syncfs(std::fs::File::open(venv)?)?;
    let stamp = Stamp {
        form: FORM,
        wanted,
        python,
        packages: distributions(venv)?,
    };
    let text = serde_json::to_vec_pretty(&stamp)?;
    atomic::write(&venv.join(STAMP), &text, Access::Shared)?;
    Ok(stamp.packages)
}

/// `lib/python3.12/site-packages/NAME-VERSION.dist-info`.
fn distributions(venv: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for version in std::fs::read_dir(venv.join("lib"))? {
        let version = version?;
        // Packages put libraries of theirs beside it.
        if !version.file_name().to_string_lossy().starts_with("python") {
            continue;
        }
        for entry in std::fs::read_dir(version.path().join("site-packages"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if let Some((name, version)) = name
                .strip_suffix(".dist-info")
                .and_then(|name| name.split_once('-'))
            {
                found.insert(normal_name(name), version.to_owned());
            }
        }
    }
    Ok(found)
}

/// What was there goes; without `made` nothing comes.
fn put_in_place(folder: &Path, made: Option<Made>) -> io::Result<()> {
    let place = folder.join(VENV);
    let there = std::fs::symlink_metadata(&place).is_ok();
    // Half of it must not be taken for the whole: it has another name before it goes.
    let aside = Staging::beside(folder);
    match (&made, there) {
        (Some(made), true) => exchange(&made.staging.0, &place, &aside.0)?,
        (Some(made), false) => std::fs::rename(&made.staging.0, &place)?,
        (None, true) => std::fs::rename(&place, &aside.0)?,
        (None, false) => {}
    }
    atomic::sync_dir(folder)
}

fn hash_of(wanted: &Requirements) -> String {
    hash_bytes(wanted.text().as_bytes())
}

/// The index, and those of the settings.
fn hosts(settings: &PythonSettings) -> Result<HostRules, Failure> {
    let invalid = || Failure::new("python_index_invalid").with("index", settings.index());
    let url = npm::registry_url(settings.index()).map_err(|_| invalid())?;
    let host = url.host_str().ok_or_else(invalid)?;
    let port = url.port_or_known_default().ok_or_else(invalid)?;
    let is_here = |host: &str| Ok::<_, NetError>(Host::parse(host)?.is_loopback());
    let (mut hosts, mut ports) = (settings.hosts(), Vec::new());
    match is_here(host)? {
        true => ports.push(port),
        false => hosts.push(format!("{host}:{port}")),
    }
    Ok(HostRules::new(&hosts, &ports)?)
}

fn end_of(said: &str) -> String {
    let skip = said.chars().count().saturating_sub(SAID);
    said.chars().skip(skip).collect()
}

fn report(changed: bool, packages: &BTreeMap<String, String>, fetched: usize) -> Report {
    Report {
        changed,
        packages: packages.len(),
        fetched,
        ..Report::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    fn venv(folder: &Path, name: &str) -> Made {
        let staging = folder.join(format!("{STAGING}{name}"));
        let site = staging.join("lib/python3.12/site-packages");
        std::fs::create_dir_all(site.join("Typing_Extensions-4.1.dist-info")).unwrap();
        std::fs::create_dir_all(site.join("typing_extensions")).unwrap();
        let packages = stamp(&staging, hash_of(&Requirements::parse(name)), "/bin/sh".into()).unwrap();
        Made {
            staging: Staging(staging),
            packages,
        }
    }

    #[test]
    fn an_environment_takes_the_place_of_the_old_one_and_says_of_what_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let (one, two) = (Requirements::parse("one"), Requirements::parse("two"));
        assert!(is_settled(folder, &Requirements::default()));
        assert!(!is_settled(folder, &one));
        for (name, wanted, other) in [("one", &one, &two), ("two", &two, &one)] {
            put_in_place(folder, Some(venv(folder, name))).unwrap();
            assert!(is_settled(folder, wanted));
            assert!(!is_settled(folder, other));
            assert!(!is_settled(folder, &Requirements::default()));
            let packages = BTreeMap::from([("typing-extensions".to_owned(), "4.1".to_owned())]);
            assert_eq!(installed(folder), packages);
        }
        put_in_place(folder, None).unwrap();
        assert!(is_settled(folder, &Requirements::default()));
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_install_left_goes_and_without_a_stamp_nothing_is_settled() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        std::mem::forget(venv(folder, "one"));
        std::fs::create_dir_all(folder.join(".venv/bin")).unwrap();
        assert!(!is_settled(folder, &Requirements::parse("one")));
        assert_eq!(recover(folder).unwrap(), 1);
        assert!(folder.join(".venv/bin").is_dir());
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
    }

    #[test]
    fn only_the_index_is_reached() {
        let rules = |index: Option<&str>| {
            hosts(&PythonSettings {
                index: index.map(str::to_owned),
                hosts: Vec::new(),
            })
        };
        assert!(rules(None).is_ok());
        assert!(rules(Some("http://127.0.0.1:8080/simple")).is_ok());
        for index in ["file:///etc", "pypi", ""] {
            assert_eq!(
                rules(Some(index)).unwrap_err().code,
                "python_index_invalid",
                "{index}"
            );
        }
    }
}
