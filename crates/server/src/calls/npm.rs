//! Packages: installs that a person asked for, what is there, and the store of packages.

use super::actor_of;
use crate::app::App;
use crate::live;
use crate::words::Spoken;
use crate::work::blocking;
use base::Failure;
use npm::{Allowed, CacheInfo, Difference, Listed, PackageStore};
use std::path::PathBuf;
use std::time::Duration;
use toolbox::dependencies::{Declared, From, InstallOptions, Target};
use toolbox::modes::{Call, Nobody};
use wire::{
    Advisories, AdvisoryRow, Caller, DependencyFrom, DependencyRow, Done, NpmCache, NpmCacheVerified,
    NpmDifference, NpmDifferenceKind, NpmInstall, NpmInstalled, NpmTarget, NpmVerified, PackageRow,
    ToolDependencies, ToolScriptChange,
};

pub(super) async fn install(app: &App, caller: &Caller, params: NpmInstall) -> Result<NpmInstalled, Failure> {
    const CALL: &str = "npm.install";
    let target = target(CALL, params.target)?;
    let options = InstallOptions {
        frozen: params.frozen,
        offline: params.offline,
        again: params.again,
    };
    let call = Call {
        actor: &actor_of(caller),
        cancel: app.inner.cancel.child_token(),
        words: &Spoken,
        run: live::chosen(CALL, params.run)?,
        runs: &app.inner.live,
        asks: &Nobody,
    };
    let installed = app.inner.toolbox.install(target, options, call).await?;
    let report = installed.result?;
    Ok(NpmInstalled {
        run: installed.run,
        changed: report.changed,
        packages: count(report.packages),
        fetched: count(report.fetched),
        bytes: report.bytes as f64,
        scripts: report.scripts,
        scripts_run: report.scripts_run,
        deprecated: report.deprecated,
        skipped: report.skipped,
        duration_ms: installed.took.as_secs_f64() * 1000.0,
    })
}

pub(super) async fn verify(app: &App, params: NpmTarget) -> Result<NpmVerified, Failure> {
    let found = app
        .inner
        .toolbox
        .verify_install(target("npm.verify", params)?)
        .await?;
    Ok(NpmVerified {
        differences: found.into_iter().map(difference).collect(),
    })
}

pub(super) async fn script(app: &App, caller: &Caller, params: ToolScriptChange) -> Result<Done, Failure> {
    let toolbox = &app.inner.toolbox;
    let ToolScriptChange {
        tool,
        package,
        allowed,
    } = params;
    let tool = toolbox.get(&super::tools::name(&tool)?).await?;
    let actor = actor_of(caller);
    match allowed {
        true => toolbox.grant_script(&tool, &package, &actor).await?,
        false if toolbox.revoke_script(&tool, &package, &actor).await? => {}
        false => return Err(Failure::new("grant_not_found").with("directory", package)),
    }
    Ok(Done {})
}

pub(super) async fn cache(app: &App) -> Result<NpmCache, Failure> {
    let root = app.inner.home.packages();
    Ok(numbers(
        blocking(move || -> Result<_, Failure> { Ok(PackageStore::open(&root)?.info()?) }).await??,
    ))
}

pub(super) async fn cache_verify(app: &App) -> Result<NpmCacheVerified, Failure> {
    let root = app.inner.home.packages();
    let found =
        blocking(move || -> Result<_, Failure> { Ok(PackageStore::open(&root)?.verify()?) }).await??;
    Ok(NpmCacheVerified {
        packages: u32::try_from(found.packages).unwrap_or(u32::MAX),
        damaged: found.damaged,
    })
}

/// What no tool's tree uses leaves when it has been there for so long.
pub(crate) async fn cache_gc(app: &App, age: Duration) -> Result<NpmCache, Failure> {
    let (root, toolbox) = (app.inner.home.packages(), app.inner.toolbox.clone());
    let dropped = blocking(move || -> Result<_, Failure> {
        Ok(PackageStore::gc(&root, age, || toolbox.packages_used())?)
    })
    .await??;
    Ok(numbers(dropped))
}

pub(super) async fn dependencies(app: &App, tool: &str) -> Result<ToolDependencies, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&super::tools::name(tool)?).await?;
    let view = toolbox.dependencies(&tool).await?;
    let allowed = toolbox.allowed_scripts(&tool.name).await?;
    let packages: Vec<PackageRow> = view
        .listing
        .packages
        .into_iter()
        .map(|one| package(one, &allowed))
        .collect();
    let declared = view.declared.into_iter().map(|one| declared(one, &packages));
    Ok(ToolDependencies {
        tool: tool.name.to_string(),
        declared: declared.collect(),
        packages,
        locked: view.listing.locked,
        settled: view.settled,
        installing: view.installing,
    })
}

pub(super) async fn advisories(app: &App, tool: &str) -> Result<Advisories, Failure> {
    let toolbox = &app.inner.toolbox;
    let tool = toolbox.get(&super::tools::name(tool)?).await?;
    let found = toolbox.advisories(&tool).await?;
    let row = |one: npm::Advisory| AdvisoryRow {
        package: one.package,
        versions: one.versions,
        severity: one.severity,
        title: one.title,
        url: one.url,
    };
    Ok(Advisories {
        told: found.is_some(),
        advisories: found.into_iter().flatten().map(row).collect(),
    })
}

fn target(call: &str, target: NpmTarget) -> Result<Target, Failure> {
    let wrong = |reason: &str| {
        Failure::new("invalid_args")
            .with("call", call)
            .with("reason", reason)
    };
    match (target.tool, target.folder) {
        (Some(tool), None) => Ok(Target::Tool(super::tools::name(&tool)?)),
        (None, Some(folder)) if folder.starts_with('/') => Ok(Target::Folder(PathBuf::from(folder))),
        (None, Some(_)) => Err(wrong("folder: an absolute path")),
        _ => Err(wrong("tool or folder")),
    }
}

fn declared(one: Declared, packages: &[PackageRow]) -> DependencyRow {
    let place = format!("node_modules/{}", one.name);
    let package = packages.iter().find(|package| package.place == place);
    DependencyRow {
        package: package.filter(|_| one.from == From::Npm).cloned(),
        name: one.name,
        range: one.range,
        from: match one.from {
            From::Npm => DependencyFrom::Npm,
            From::Python => DependencyFrom::Python,
            From::Local => DependencyFrom::Local,
            From::Command => DependencyFrom::Command,
        },
        by_tool: one.by_tool,
        there: one.there,
    }
}

fn package(listed: Listed, allowed: &[Allowed]) -> PackageRow {
    let of = |one: &Allowed| {
        one.package == format!("{}@{}", listed.name, listed.locked)
            && Some(&one.integrity) == listed.integrity.as_ref()
    };
    PackageRow {
        script_allowed: listed.script && allowed.iter().any(of),
        place: listed.place,
        name: listed.name,
        locked: listed.locked,
        installed: listed.installed,
        elsewhere: listed.elsewhere,
        license: listed.license,
        deprecated: listed.deprecated,
        integrity: listed.integrity,
        size: listed.size.map(|bytes| bytes as f64),
        script: listed.script,
    }
}

fn difference(found: Difference) -> NpmDifference {
    let of = |what, path| NpmDifference {
        what,
        path,
        locked: None,
        found: None,
    };
    match found {
        Difference::Missing { path } => of(NpmDifferenceKind::Missing, path),
        Difference::Extraneous { path } => of(NpmDifferenceKind::Extraneous, path),
        Difference::Changed { path } => of(NpmDifferenceKind::Changed, path),
        Difference::Version { path, locked, found } => NpmDifference {
            locked: Some(locked),
            found: Some(found),
            ..of(NpmDifferenceKind::Version, path)
        },
    }
}

fn numbers(info: CacheInfo) -> NpmCache {
    NpmCache {
        packages: u32::try_from(info.packages).unwrap_or(u32::MAX),
        files: u32::try_from(info.files).unwrap_or(u32::MAX),
        bytes: info.bytes as f64,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
