//! Asks for everything that placing might need, at once: the manifests of what is wanted, of what
//! those want, and so on. The placing itself then awaits nothing.
//!
//! Deliberately not here: what of it lands in the tree (`place`).

use crate::error::NpmError;
use crate::files::read_local_tarball;
use crate::git::{Git, Repository};
use crate::install::LocalFiles;
use crate::integrity::Integrity;
use crate::manifest::{Kind, Manifest};
use crate::overrides::Overrides;
use crate::place::Known;
use crate::platform::Platform;
use crate::registry::{Registry, is_of_registry};
use crate::spec::Spec;
use crate::store::PackageStore;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

pub struct Source<'a> {
    pub registry: &'a Registry,
    pub store: &'a PackageStore,
    pub platform: &'a Platform,
    pub folder: &'a Path,
    pub files: LocalFiles,
    pub git: Git<'a>,
    pub overrides: Option<Arc<Overrides>>,
}

impl Source<'_> {
    /// Adds what `wanted` and its dependencies need to `known`; says how many there are as it goes.
    pub async fn fill(
        &self,
        wanted: Vec<(String, String)>,
        known: &mut Known,
        found: &(dyn Fn(usize) + Sync),
    ) {
        let mut asked: HashSet<(String, String)> = known.keys().cloned().collect();
        let mut running = FuturesUnordered::new();
        let ask = |key: (String, String)| async move {
            let answer = self.manifest(&key.0, &key.1).await;
            (key, answer)
        };
        for key in wanted {
            if asked.insert(key.clone()) {
                running.push(ask(key));
            }
        }
        while let Some((key, answer)) = running.next().await {
            if let Ok(manifest) = &answer {
                let bundled: HashSet<&str> = manifest.bundled().collect();
                for (name, (spec, kind)) in manifest.wants() {
                    if kind == Kind::PeerOptional || bundled.contains(name.as_str()) {
                        continue;
                    }
                    let rules = self.overrides.as_ref();
                    let spec = rules
                        .and_then(|rules| rules.spec(&name, &spec))
                        .map_or(spec.clone(), str::to_owned);
                    let key = (name, spec);
                    if asked.insert(key.clone()) {
                        running.push(ask(key));
                    }
                }
            }
            known.insert(key, answer);
            found(known.len());
        }
    }

    async fn manifest(&self, name: &str, spec: &str) -> Result<Arc<Manifest>, NpmError> {
        if !crate::is_package_name(name) {
            return Err(NpmError::BadName(name.to_owned()));
        }
        let parsed = Spec::parse(spec);
        let (package, inner) = parsed.package(name);
        let refuse = |kind| NpmError::SpecUnsupported {
            name: name.to_owned(),
            spec: spec.to_owned(),
            kind,
        };
        match inner {
            inner if is_of_registry(inner) => {
                let packument = self.registry.packument(package).await?;
                let (package, inner, platform) = (package.to_owned(), inner.clone(), self.platform.clone());
                let picked =
                    tokio::task::spawn_blocking(move || packument.pick(&package, &inner, &platform)).await;
                picked
                    .map_err(|error| NpmError::Internal(error.to_string()))?
                    .map(Arc::new)
            }
            Spec::Url(url) => {
                let bytes = self.registry.tarball_at(name, url).await?;
                self.of_tarball(name, bytes.to_vec(), url.clone()).await
            }
            Spec::File(path) => {
                let (folder, path, files) = (self.folder.to_owned(), path.clone(), self.files);
                let named = path.clone();
                let read =
                    tokio::task::spawn_blocking(move || read_local_tarball(&folder, &named, files)).await;
                let bytes = read.map_err(|error| NpmError::Internal(error.to_string()))??;
                self.of_tarball(name, bytes, format!("file:{path}")).await
            }
            Spec::Git(raw) => {
                let repository = Repository::parse(raw).ok_or_else(|| refuse("git"))?;
                let packed = self.git.package(name, &repository).await?;
                packed.manifest(name).map(Arc::new)
            }
            Spec::Folder(_) => Err(refuse("folder")),
            _ => Err(refuse("unknown")),
        }
    }

    /// A tarball that no registry vouches for says itself what it is.
    async fn of_tarball(
        &self,
        name: &str,
        bytes: Vec<u8>,
        resolved: String,
    ) -> Result<Arc<Manifest>, NpmError> {
        let (store, name) = (self.store.clone(), name.to_owned());
        let done = tokio::task::spawn_blocking(move || {
            let integrity = Integrity::of(&bytes);
            let package = store.put(&name, &bytes, Some(&integrity))?;
            let mut manifest = Manifest::new(&name, package.manifest()?);
            manifest.resolved = Some(resolved);
            manifest.integrity = Some(integrity);
            Ok(Arc::new(manifest))
        });
        done.await
            .map_err(|error| NpmError::Internal(error.to_string()))?
    }
}
