//! `pm npm` and `pm tool deps`: packages from the terminal.
//!
//! The owner installs; this shows how far it is, and asks it to stop at Ctrl+C.

use crate::options::{Cache, Npm};
use crate::output::{self, Failed};
use crate::owner::Session;
use crate::signals;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wire::{
    Client, DependencyFrom, DependencyRow, None, NpmCache, NpmDifferenceKind, NpmInstall, NpmInstalled,
    NpmTarget, RunRef, RunState, RunWatch, ToolRef,
};

/// Cells of the bar.
const BAR: usize = 24;
/// Before an owner that does not answer is asked again how far it is.
const PAUSE: Duration = Duration::from_millis(200);

pub async fn npm(session: &mut Session, verb: Npm, json: bool) -> Result<ExitCode, Failed> {
    match verb {
        Npm::Install {
            dir,
            frozen,
            offline,
            again,
        } => {
            let params = NpmInstall {
                target: target(&dir)?,
                frozen,
                offline,
                again,
                run: Option::None,
            };
            let installed = install(session, params, json).await?;
            show_installed(&installed, json);
        }
        Npm::Verify { dir } => {
            let found = session.read(Client::npm_verify, target(&dir)?).await?;
            if json {
                output::print(&found);
            }
            for difference in found.differences.iter().filter(|_| !json) {
                let what = match difference.what {
                    NpmDifferenceKind::Missing => "missing",
                    NpmDifferenceKind::Extraneous => "extraneous",
                    NpmDifferenceKind::Version => "version",
                    NpmDifferenceKind::Changed => "changed",
                };
                let versions = match (&difference.locked, &difference.found) {
                    (Some(locked), Some(found)) => format!("  {locked} is locked, {found} is there"),
                    _ => String::new(),
                };
                output::line(&format!("{what:10}  {}{versions}", difference.path));
            }
            if !found.differences.is_empty() {
                return Ok(ExitCode::FAILURE);
            }
        }
        Npm::Cache(Cache::Info) => cache("", &session.read(Client::npm_cache, None {}).await?, json),
        Npm::Cache(Cache::Gc) => {
            let gone = session.change(Client::npm_cache_gc, None {}).await?;
            cache("removed: ", &gone, json)
        }
        Npm::Cache(Cache::Verify) => {
            let found = session.change(Client::npm_cache_verify, None {}).await?;
            if json {
                output::print(&found);
            } else {
                for name in &found.damaged {
                    output::line(&format!("damaged, removed: {name}"));
                }
                output::line(&format!("{} packages checked", found.packages));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `pm tool deps`.
pub async fn deps(session: &mut Session, tool: String, json: bool) -> Result<(), Failed> {
    let asked = ToolRef { tool: tool.clone() };
    let found = session.read(Client::tool_dependencies, asked).await?;
    if json {
        output::print(&found);
        return Ok(());
    }
    let width = found.declared.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in &found.declared {
        output::line(&format!("{:width$}  {}", row.name, about(row)));
    }
    let transitive = found
        .packages
        .iter()
        .filter(|package| package.installed.is_some())
        .count();
    if transitive > 0 {
        let size: f64 = found.packages.iter().filter_map(|package| package.size).sum();
        output::line(&format!("{transitive} packages installed, {}", bytes(size)));
    }
    let known = session.read(Client::tool_advisories, ToolRef { tool }).await?;
    for one in known.advisories {
        let versions = one.versions.join(", ");
        output::line(&format!(
            "{}: {} {versions}: {} {}",
            one.severity, one.package, one.title, one.url
        ));
    }
    if !found.settled {
        output::line(
            "not up to date; the next run installs what is missing, or in its folder: pm npm install",
        );
    }
    Ok(())
}

fn about(row: &DependencyRow) -> String {
    let state = if row.there { "there" } else { "missing" };
    let from = match row.from {
        DependencyFrom::Npm => "",
        DependencyFrom::Python => "python",
        DependencyFrom::Local => "own file",
        DependencyFrom::Command => "command",
    };
    let mut words = vec![row.range.clone(), from.to_owned(), state.to_owned()];
    if let Some(package) = &row.package {
        words.push(format!("locked {}", package.locked));
        let installed = package.installed.as_deref().unwrap_or("-");
        words.push(format!("installed {installed}"));
        words.extend(package.license.clone());
        words.extend(package.size.map(bytes));
        words.extend(
            package
                .deprecated
                .as_ref()
                .map(|why| format!("deprecated: {why}")),
        );
    }
    words.retain(|word| !word.is_empty());
    words.join("  ")
}

/// The folder from here; what it is, the owner knows.
fn target(dir: &Path) -> Result<NpmTarget, Failed> {
    let path = std::path::absolute(dir).map_err(|error| output::file(dir, &error))?;
    Ok(NpmTarget {
        tool: Option::None,
        folder: Some(path.to_string_lossy().into_owned()),
    })
}

async fn install(session: &mut Session, mut params: NpmInstall, json: bool) -> Result<NpmInstalled, Failed> {
    let run = uuid::Uuid::new_v4().to_string();
    params.run = Some(run.clone());
    let client = session.client();
    let shown = !json && std::io::stderr().is_terminal();
    let watching = async {
        if shown {
            watch(&client, &run).await;
        }
        std::future::pending::<()>().await;
    };
    let stopped = signals::stopped()?;
    let stopping = async {
        stopped.await;
        // The install itself says that it was cancelled.
        let _ = client.run_cancel(RunRef { run: run.clone() }).await;
        std::future::pending::<()>().await;
    };
    let done = tokio::select! {
        done = session.change(Client::npm_install, params) => done,
        () = watching => unreachable_end(),
        () = stopping => unreachable_end(),
    };
    if shown {
        erase();
    }
    done
}

/// Both wait for ever.
fn unreachable_end() -> Result<NpmInstalled, Failed> {
    Err(Failed::of(&base::Failure::new("internal")))
}

async fn watch(client: &Client, run: &str) {
    let (mut from, mut version) = (0, 0);
    loop {
        let params = RunWatch {
            run: run.to_owned(),
            from,
            version,
        };
        let Ok(news) = client.run_watch(params).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        if let Some(at) = &news.progress {
            let share = if at.total > 0.0 { at.done / at.total } else { 0.0 };
            let mut out = std::io::stderr().lock();
            let _ = write!(out, "\r\x1b[K{} {}", bar(share), at.text).and_then(|()| out.flush());
        }
        if news.state == RunState::Ended {
            return;
        }
        (from, version) = (news.next, news.version);
    }
}

fn erase() {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "\r\x1b[K").and_then(|()| out.flush());
}

fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    format!(
        "[{}{}] {:3.0}%",
        "#".repeat(full),
        ".".repeat(BAR - full),
        share * 100.0
    )
}

fn show_installed(installed: &NpmInstalled, json: bool) {
    if json {
        return output::print(installed);
    }
    if !installed.changed {
        return output::line(&format!("up to date, {} packages", installed.packages));
    }
    output::line(&format!(
        "{} packages installed in {:.1} s, {} downloaded ({})",
        installed.packages,
        installed.duration_ms / 1000.0,
        installed.fetched,
        bytes(installed.bytes)
    ));
    for (what, list) in [
        ("deprecated", &installed.deprecated),
        ("script not run", &installed.scripts),
        ("not for this machine", &installed.skipped),
    ] {
        for one in list {
            output::line(&format!("{what}: {one}"));
        }
    }
}

fn cache(what: &str, numbers: &NpmCache, json: bool) {
    if json {
        return output::print(numbers);
    }
    let NpmCache {
        packages,
        files,
        bytes: size,
    } = numbers;
    output::line(&format!(
        "{what}{packages} packages, {files} files, {}",
        bytes(*size)
    ));
}

fn bytes(count: f64) -> String {
    match count {
        1_000_000_000.0.. => format!("{:.1} GB", count / 1e9),
        1_000_000.0.. => format!("{:.1} MB", count / 1e6),
        1_000.0.. => format!("{:.0} kB", count / 1e3),
        _ => format!("{count:.0} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_full_as_the_work_is_done() {
        assert_eq!(bar(0.0), "[........................]   0%");
        assert_eq!(bar(0.5), "[############............]  50%");
        assert_eq!(bar(1.0), "[########################] 100%");
        assert_eq!(bar(7.0).len(), bar(1.0).len());
        assert_eq!(bytes(12_345_678.0), "12.3 MB");
    }
}
