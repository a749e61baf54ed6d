//! Known weaknesses of what is installed, where the registry tells them (the bulk endpoint that
//! `npm audit` asks). It is a courtesy: a registry without it is no failure.
//!
//! Deliberately not here: what to do about them.

use crate::error::NpmError;
use crate::installed::satisfies;
use crate::registry::Registry;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// Versions by package.
pub type Installed = BTreeMap<String, BTreeSet<String>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advisory {
    pub package: String,
    /// Installed ones that it concerns.
    pub versions: Vec<String>,
    /// `low`, `moderate`, `high`, `critical`
    pub severity: String,
    pub title: String,
    pub url: String,
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    severity: String,
    vulnerable_versions: String,
}

/// `None` where the registry does not tell.
pub async fn advisories(
    registry: &Registry,
    installed: &Installed,
) -> Result<Option<Vec<Advisory>>, NpmError> {
    let Some(answer) = registry.bulk(installed).await? else {
        return Ok(None);
    };
    let Ok(all) = serde_json::from_slice::<BTreeMap<String, Vec<Raw>>>(&answer) else {
        return Ok(None);
    };
    let mut found = Vec::new();
    for (package, list) in all {
        let Some(own) = installed.get(&package) else {
            continue;
        };
        for raw in list {
            let concerned = own
                .iter()
                .filter(|version| satisfies(version, &raw.vulnerable_versions));
            let versions: Vec<String> = concerned.cloned().collect();
            if !versions.is_empty() {
                found.push(Advisory {
                    package: package.clone(),
                    versions,
                    severity: raw.severity,
                    title: raw.title,
                    url: raw.url,
                });
            }
        }
    }
    Ok(Some(found))
}
