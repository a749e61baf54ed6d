//! npm packages without npm: a tool's dependencies are resolved, locked, fetched and laid out in
//! its `node_modules`, with no Node and no npm on the machine.
//!
//! From top to bottom: [`install`] reads `package.json` and `package-lock.json` ([`manifest`],
//! [`lock`], [`spec`]); what the lock does not answer is asked of the [`registry`] and placed
//! ([`tree`], [`place`]); tarballs are unpacked into the content [`store`]; [`commit`] lays a tree
//! out beside the old one and exchanges the two.
//!
//! Deliberately not here: which tool wants what and when its worker must end (toolbox), records of
//! installs (store), running anything at all: lifecycle
//! scripts and `git` are for whoever installs to run ([`Scripts`], [`RunGit`]).

mod advisories;
mod collate;
mod commit;
mod crawl;
mod error;
mod files;
mod flags;
mod git;
mod install;
mod installed;
pub mod intake;
mod integrity;
mod links;
mod list;
mod lock;
mod manifest;
mod mirrors;
mod npmrc;
mod overrides;
mod pack;
mod package;
mod parallel;
mod pick;
mod place;
mod platform;
mod registry;
mod resolve;
mod scripts;
mod spec;
mod store;
mod tree;
mod unpack;
mod verify;

pub use advisories::{Advisory, Installed, advisories};
pub use commit::{LinkPolicy, recover, used};
pub use error::NpmError;
pub use git::{GitJob, NO_GIT, RunGit};
pub use install::{Install, LocalFiles, Mode, Phase, Progress, Quiet, Report, install};
pub use installed::{Unmet, is_package_name, satisfies, unmet};
pub use list::{Listed, Listing, list};
pub use lock::Lock;
pub use npmrc::{Npmrc, Trust, registry_url};
pub use package::{Fetched, Shop, package};
pub use platform::Platform;
pub use registry::Registry;
pub use scripts::{Allowed, Run as RunScripts, Scripted, Scripts};
pub use spec::Spec;
pub use store::{CacheInfo, CacheVerified, Package, PackageStore};
pub use unpack::{Placed, Seen, take_tar};
pub use url::Url;
pub use verify::{Difference, verify};
