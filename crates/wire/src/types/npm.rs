//! Packages from npm: installs, what they left, and the store that all tools share.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Exactly one of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct NpmTarget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tool: Option<String>,
    /// Absolute; has a `package.json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub folder: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct NpmInstall {
    #[serde(flatten)]
    pub target: NpmTarget,
    /// A lock that does not answer `package.json` is an error.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub frozen: bool,
    /// Only what the cache holds.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub offline: bool,
    /// Builds the tree anew even if nothing seems to be to do.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub again: bool,
    /// A UUID that the caller chose for the run, so that it can watch and cancel it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub run: Option<String>,
}

/// An install that succeeded.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct NpmInstalled {
    pub run: String,
    /// False: everything was there already.
    pub changed: bool,
    pub packages: u32,
    /// Downloaded now; the others were in the store.
    pub fetched: u32,
    /// Bytes that came over the network.
    pub bytes: f64,
    /// Packages that want scripts to run which nobody allowed: they were not.
    pub scripts: Vec<String>,
    /// Packages whose scripts were run.
    pub scripts_run: Vec<String>,
    /// `name@version: reason`.
    pub deprecated: Vec<String>,
    /// Optional packages that are not for this machine or could not be had.
    pub skipped: Vec<String>,
    pub duration_ms: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NpmDifferenceKind {
    Missing,
    Extraneous,
    /// Another version than the lock says.
    Version,
    /// A file is not as the package has it.
    Changed,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NpmDifference {
    pub what: NpmDifferenceKind,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub locked: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub found: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NpmVerified {
    /// Between the lock and what is installed.
    pub differences: Vec<NpmDifference>,
}

/// Packages of the store: all of them, or those that left.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
pub struct NpmCache {
    pub packages: u32,
    pub files: u32,
    pub bytes: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct NpmCacheVerified {
    pub packages: u32,
    /// Removed; the next install fetches them again.
    pub damaged: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DependencyFrom {
    Npm,
    /// The index of Python's packages.
    Python,
    /// A file of the tool's own folder.
    Local,
    /// A command of this machine.
    Command,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DependencyRow {
    pub name: String,
    /// As it is declared; empty when any will do.
    pub range: String,
    pub from: DependencyFrom,
    /// The tool declares it; else a person added it to `package.json`.
    pub by_tool: bool,
    /// It is there, in a version that fits.
    pub there: bool,
    /// Of a package: what the lock says and what lies there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub package: Option<PackageRow>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PackageRow {
    /// `node_modules/a/node_modules/b`.
    pub place: String,
    pub name: String,
    pub locked: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub installed: Option<String>,
    /// It is for another machine and rightly not there.
    pub elsewhere: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub license: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub deprecated: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub integrity: Option<String>,
    /// Bytes of its files, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub size: Option<f64>,
    /// It wants to run a script when it is installed.
    pub script: bool,
    /// A person allowed that, for this tool and just this content.
    pub script_allowed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolScriptChange {
    pub tool: String,
    /// `name@version`, as the tool's lock has it.
    pub package: String,
    /// Allow, or take that back.
    pub allowed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ToolDependencies {
    pub tool: String,
    /// In the order of names.
    pub declared: Vec<DependencyRow>,
    /// Every place of the tree, those of `declared` as well.
    pub packages: Vec<PackageRow>,
    /// There is a `package-lock.json`.
    pub locked: bool,
    /// Everything is as it is wanted: a run installs nothing.
    pub settled: bool,
    /// The run that installs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub installing: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct AdvisoryRow {
    pub package: String,
    /// Installed ones that it concerns.
    pub versions: Vec<String>,
    /// `low`, `moderate`, `high` or `critical`.
    pub severity: String,
    pub title: String,
    pub url: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct Advisories {
    /// The registry tells what it knows.
    pub told: bool,
    pub advisories: Vec<AdvisoryRow>,
}
