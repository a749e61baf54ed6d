//! One package from the registry into the content store, without what it depends on.
//!
//! Deliberately not here: trees (`install`).

use crate::error::NpmError;
use crate::integrity::Integrity;
use crate::npmrc::Npmrc;
use crate::platform::Platform;
use crate::registry::Registry;
use crate::spec::Spec;
use crate::store::{Package, PackageStore};
use std::path::PathBuf;
use url::Url;

/// Where packages are asked for.
pub struct Shop {
    pub npmrc: Npmrc,
    pub mirrors: Vec<Url>,
    /// Of the content store.
    pub store: PathBuf,
    pub platform: Platform,
}

/// A package that lies in the store now.
pub struct Fetched {
    pub name: String,
    pub version: String,
    pub package: Package,
    /// As long as it is open, nothing of it leaves.
    pub store: PackageStore,
}

/// The version that answers `spec`, a version, a range or a tag.
pub async fn package(name: &str, spec: &str, shop: Shop) -> Result<Fetched, NpmError> {
    let root = shop.store.clone();
    let store = blocking(move || PackageStore::open(&root)).await?;
    let mut registry = Registry::new(shop.npmrc, shop.mirrors, &store.metadata(), false)?;
    registry.prefer_fastest().await;
    let found = registry.packument(name).await?;
    let manifest = found.pick(name, &Spec::parse(spec), &shop.platform)?;
    let (own, wanted) = (store.clone(), manifest.integrity.clone());
    let there = blocking(move || Ok(wanted.and_then(|integrity| own.get(&integrity)))).await?;
    let package = match there {
        Some(package) => package,
        None => {
            let bytes = registry.tarball(&manifest).await?;
            let (own, manifest) = (store.clone(), manifest.clone());
            blocking(move || {
                let expected = manifest
                    .integrity
                    .clone()
                    .unwrap_or_else(|| Integrity::of(&bytes));
                own.put(&manifest.name, &bytes, Some(&expected))
            })
            .await?
        }
    };
    Ok(Fetched {
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        package,
        store,
    })
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, NpmError> + Send + 'static,
) -> Result<T, NpmError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| NpmError::Internal(error.to_string()))?
}
