//! Every package of a tree into the store: many transfers at a time, as many unpackings as there
//! are cores.
//!
//! Deliberately not here: retries of a request (`registry`), checks of bytes (`store`).

use super::{Inputs, Install, Phase, blocking, to_fetch};
use crate::error::NpmError;
use crate::files::read_local_tarball;
use crate::flags::{Flags, leaving};
use crate::git::Repository;
use crate::integrity::Integrity;
use crate::manifest::Manifest;
use crate::parallel;
use crate::registry::Registry;
use crate::resolve;
use crate::store::{Package, PackageStore};
use crate::tree::{Id, Tree};
use futures_util::StreamExt;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Transfers at a time; each is held in memory until it is unpacked.
const TRANSFERS: usize = 32;

#[derive(Default)]
pub struct Fetched {
    /// With its name in the content store.
    pub packages: HashMap<Id, (Package, String)>,
    pub skipped: HashSet<Id>,
    /// Only for development, and that is not wanted.
    pub omitted: HashSet<Id>,
    pub fetched: usize,
    pub bundles_found: bool,
}

impl Install {
    pub(super) async fn fetch_all(
        &self,
        tree: &mut Tree,
        registry: &Arc<Registry>,
        store: &PackageStore,
        inputs: &Inputs,
    ) -> Result<Fetched, NpmError> {
        let mut fetched = Fetched {
            skipped: resolve::not_for_here(tree, &self.platform)?,
            ..Fetched::default()
        };
        if self.omit_dev {
            let flags = Flags::of(tree);
            let dev = tree.packages().into_iter().filter(|id| flags.is_dev(*id));
            fetched.omitted = dev.collect();
        }
        let leave = fetched.skipped.union(&fetched.omitted).copied().collect();
        let wanted = to_fetch(tree, &leave);
        self.fetch(tree, &wanted, registry, store, &mut fetched).await?;
        let found = bundles(tree, &fetched)?;
        if !found.is_empty() && inputs.lock.is_none() {
            fetched.bundles_found = true;
            for (id, manifests) in found {
                resolve::add_bundled(tree, id, manifests);
            }
        }
        // The abbreviated metadata of the registry has no licences; npm's lock has.
        for (id, (package, _)) in &fetched.packages {
            let node = &mut tree.nodes[*id];
            if !node.manifest.fields.contains_key("license") {
                let own = Manifest::new(&node.manifest.name, package.manifest()?);
                if let Some(license) = own.fields.get("license").filter(|license| license.is_string()) {
                    Arc::make_mut(&mut node.manifest)
                        .fields
                        .insert("license".to_owned(), license.clone());
                }
            }
        }
        Ok(fetched)
    }

    async fn fetch(
        &self,
        tree: &mut Tree,
        wanted: &[Id],
        registry: &Arc<Registry>,
        store: &PackageStore,
        fetched: &mut Fetched,
    ) -> Result<(), NpmError> {
        // The same package in several places is fetched once.
        let mut places: Vec<(Arc<Manifest>, Vec<Id>)> = Vec::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for id in wanted {
            let manifest = tree.nodes[*id].manifest.clone();
            let key = match &manifest.integrity {
                Some(integrity) => integrity.hex(),
                None => format!("{}@{} {:?}", manifest.name, manifest.version, manifest.resolved),
            };
            let at = *known.entry(key).or_insert_with(|| {
                places.push((manifest, Vec::new()));
                places.len() - 1
            });
            places[at].1.push(*id);
        }
        let total = places.len();
        self.tell(Phase::Fetch, 0, total, registry.received());
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let unpacking = Arc::new(Semaphore::new(cores));
        let mut done = 0;
        let stored = self.in_store(&places, store, cores).await?;
        let mut absent = Vec::new();
        for ((manifest, ids), there) in places.into_iter().zip(stored) {
            let (Some(package), Some(integrity)) = (there, &manifest.integrity) else {
                absent.push((manifest, ids));
                continue;
            };
            done += 1;
            for id in ids {
                fetched.packages.insert(id, (package.clone(), integrity.hex()));
            }
        }
        self.tell(Phase::Fetch, done, total, registry.received());
        let one = |(manifest, ids): (Arc<Manifest>, Vec<Id>)| {
            let unpacking = unpacking.clone();
            async move {
                let got = self.package(&manifest, registry, store, &unpacking).await;
                (ids, got)
            }
        };
        let mut running = futures_util::stream::iter(absent)
            .map(one)
            .buffer_unordered(TRANSFERS);
        let mut soft = Vec::new();
        let mut missing = Vec::new();
        while let Some((ids, got)) = running.next().await {
            done += 1;
            match got {
                Ok((package, integrity)) => {
                    fetched.fetched += 1;
                    for id in ids {
                        fetched.packages.insert(id, (package.clone(), integrity.hex()));
                    }
                }
                Err(NpmError::Offline { missing: own }) => missing.extend(own),
                Err(error) => soft.push((ids, error)),
            }
            self.tell(Phase::Fetch, done, total, registry.received());
        }
        drop(running);
        if !missing.is_empty() {
            missing.sort();
            return Err(NpmError::Offline { missing });
        }
        let flags = Flags::of(tree);
        for (ids, error) in soft {
            // Wrong bytes are never passed over in silence.
            let may_miss = matches!(
                error,
                NpmError::PackageNotFound { .. } | NpmError::Network { .. } | NpmError::Refused { .. }
            );
            for id in ids {
                if !may_miss || !flags.is_optional(id) {
                    return Err(error);
                }
                for gone in leaving(tree, id) {
                    fetched.packages.remove(&gone);
                    fetched.skipped.insert(gone);
                }
            }
        }
        Ok(())
    }

    /// Of each, what the store has already.
    async fn in_store(
        &self,
        places: &[(Arc<Manifest>, Vec<Id>)],
        store: &PackageStore,
        cores: usize,
    ) -> Result<Vec<Option<Package>>, NpmError> {
        let wanted: Vec<_> = places
            .iter()
            .map(|(manifest, _)| manifest.integrity.clone())
            .collect();
        let store = store.clone();
        blocking(move || {
            parallel::each(&wanted, cores, |integrity| {
                Ok(integrity.as_ref().and_then(|integrity| store.get(integrity)))
            })
        })
        .await
    }

    /// One that the store does not have.
    async fn package(
        &self,
        manifest: &Arc<Manifest>,
        registry: &Arc<Registry>,
        store: &PackageStore,
        unpacking: &Arc<Semaphore>,
    ) -> Result<(Package, Integrity), NpmError> {
        let from = manifest.resolved.as_deref().unwrap_or_default();
        if from.starts_with("git+") {
            let unknown = || NpmError::SpecUnsupported {
                name: manifest.name.clone(),
                spec: from.to_owned(),
                kind: "git",
            };
            let repository = Repository::parse(from).ok_or_else(unknown)?;
            let packed = self.git(store).package(&manifest.name, &repository).await?;
            return Ok((packed.package, packed.integrity));
        }
        let mut again = true;
        loop {
            let bytes = match from.strip_prefix("file:") {
                Some(path) => {
                    let (folder, path, files) = (self.folder.clone(), path.to_owned(), self.files);
                    blocking(move || read_local_tarball(&folder, &path, files))
                        .await?
                        .into()
                }
                None => registry.tarball(manifest).await?,
            };
            let _turn = unpacking
                .acquire()
                .await
                .map_err(|error| NpmError::Internal(error.to_string()))?;
            let (store, manifest) = (store.clone(), manifest.clone());
            let put = blocking(move || {
                let integrity = manifest
                    .integrity
                    .clone()
                    .unwrap_or_else(|| Integrity::of(&bytes));
                let package = store.put(&manifest.name, &bytes, Some(&integrity))?;
                Ok((package, integrity))
            });
            match put.await {
                // A transfer may break without saying so; once more is worth it.
                Err(NpmError::Integrity { .. }) if again => again = false,
                other => return other,
            }
        }
    }
}

/// A package and what lies in its tarball, by path.
type Bundle = (Id, BTreeMap<String, Manifest>);

/// Packages that lie in the tarballs of others and are not in the tree yet.
fn bundles(tree: &Tree, fetched: &Fetched) -> Result<Vec<Bundle>, NpmError> {
    let mut all = Vec::new();
    for (id, (package, _)) in &fetched.packages {
        let manifest = &tree.nodes[*id].manifest;
        if manifest.bundled().next().is_none() {
            continue;
        }
        let mut found = BTreeMap::new();
        for file in package.files() {
            let Some(place) = file.path.strip_suffix("/package.json") else {
                continue;
            };
            let Some(names) = crate::lock::names(place) else {
                continue;
            };
            let Some(bytes) = crate::files::read_cached(&package.path(file)) else {
                continue;
            };
            if let (Some(name), Ok(raw)) = (names.last(), serde_json::from_slice(&bytes)) {
                found.insert(place.to_owned(), Manifest::new(name, raw));
            }
        }
        all.push((*id, found));
    }
    all.sort_by_key(|(id, _)| *id);
    Ok(all)
}
