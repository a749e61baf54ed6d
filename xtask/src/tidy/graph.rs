//! The packages as cargo knows them, reduced to what the checks ask about.

use crate::{Outcome, proc};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Linked into the crate, or run by its build script.
    Real,
    Dev,
}

#[derive(Clone, Debug, Default)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub licence: Option<String>,
    /// Of this workspace.
    pub ours: bool,
    /// From another place than crates.io.
    pub foreign: Option<String>,
    /// Ids of what it uses.
    pub uses: BTreeSet<(String, Kind)>,
}

/// Packages by id.
#[derive(Clone, Debug, Default)]
pub struct Graph(pub BTreeMap<String, Package>);

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

impl Graph {
    pub fn read() -> Outcome<Self> {
        // Only what is built here: the packages of other systems would be downloaded for nothing.
        let host = host()?;
        let text = proc::capture(proc::cargo().args([
            "metadata",
            "--quiet",
            "--format-version=1",
            "--filter-platform",
            &host,
        ]))?;
        Self::parse(&serde_json::from_str(&text)?).ok_or_else(|| "cargo metadata has an unknown form".into())
    }

    pub fn parse(metadata: &Value) -> Option<Self> {
        let mut graph = BTreeMap::new();
        for package in metadata["packages"].as_array()? {
            let source = package["source"].as_str();
            graph.insert(
                package["id"].as_str()?.to_owned(),
                Package {
                    name: package["name"].as_str()?.to_owned(),
                    version: package["version"].as_str()?.to_owned(),
                    licence: package["license"].as_str().map(str::to_owned),
                    ours: source.is_none(),
                    foreign: source.filter(|source| *source != CRATES_IO).map(str::to_owned),
                    uses: BTreeSet::new(),
                },
            );
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            let package = graph.get_mut(node["id"].as_str()?)?;
            for dependency in node["deps"].as_array()? {
                let id = dependency["pkg"].as_str()?;
                for kind in dependency["dep_kinds"].as_array()? {
                    let kind = if kind["kind"].as_str() == Some("dev") {
                        Kind::Dev
                    } else {
                        Kind::Real
                    };
                    package.uses.insert((id.to_owned(), kind));
                }
            }
        }
        // Packages for other systems are listed, but nothing here uses them.
        let used: BTreeSet<String> = metadata["resolve"]["nodes"]
            .as_array()?
            .iter()
            .filter_map(|node| node["id"].as_str().map(str::to_owned))
            .collect();
        graph.retain(|id, _| used.contains(id));
        Some(Graph(graph))
    }

    pub fn ours(&self) -> impl Iterator<Item = (&String, &Package)> {
        self.0.iter().filter(|(_, package)| package.ours)
    }

    /// Names of the workspace's packages that `package` uses.
    pub fn edges<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = (&'a str, Kind)> {
        package.uses.iter().filter_map(|(id, kind)| {
            let used = self.0.get(id)?;
            used.ours.then_some((used.name.as_str(), *kind))
        })
    }

    /// Names of everything that is linked when the package `id` is.
    pub fn closure(&self, id: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        let mut names = BTreeSet::new();
        while let Some(id) = open.pop() {
            let Some(package) = self.0.get(id) else { continue };
            if !seen.insert(id) {
                continue;
            }
            names.insert(package.name.as_str());
            open.extend(
                package
                    .uses
                    .iter()
                    .filter(|(_, kind)| *kind == Kind::Real)
                    .map(|(used, _)| used.as_str()),
            );
        }
        names
    }
}

fn host() -> Outcome<String> {
    let version = proc::capture(proc::program("rustc").arg("-vV"))?;
    version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| "rustc -vV names no host".into())
}

/// A workspace of `(crate, [(used, kind)])`.
#[cfg(test)]
pub fn workspace(crates: &[(&str, &[(&str, Kind)])]) -> Graph {
    let mut graph = Graph::default();
    for (name, uses) in crates {
        graph.0.insert(
            (*name).to_owned(),
            Package {
                name: (*name).to_owned(),
                ours: !name.starts_with("ext-"),
                uses: uses
                    .iter()
                    .map(|(used, kind)| ((*used).to_owned(), *kind))
                    .collect(),
                ..Package::default()
            },
        );
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metadata_is_read() {
        let graph = Graph::parse(&json!({
            "packages": [
                {"id": "a", "name": "a", "version": "1.0.0", "license": null, "source": null},
                {"id": "b", "name": "b", "version": "2.0.0", "license": "MIT", "source": CRATES_IO},
                {"id": "w", "name": "w", "version": "2.0.0", "license": "MIT", "source": "git+ssh://x"}
            ],
            "resolve": {"nodes": [
                {"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": null}, {"kind": "dev"}]}]},
                {"id": "b", "deps": []}
            ]}
        }))
        .unwrap();
        assert_eq!(
            graph.0.len(),
            2,
            "a package of another system is not ours to judge"
        );
        assert_eq!(graph.0["a"].uses.len(), 2);
        assert!(graph.0["a"].ours && !graph.0["b"].ours && graph.0["b"].foreign.is_none());
        assert!(Graph::parse(&json!({"packages": 1})).is_none());
    }

    #[test]
    fn the_closure_follows_real_uses_only() {
        let graph = workspace(&[
            ("a", &[("b", Kind::Real), ("d", Kind::Dev)]),
            ("b", &[("c", Kind::Real)]),
            ("c", &[]),
            ("d", &[]),
        ]);
        assert_eq!(graph.closure("a"), BTreeSet::from(["a", "b", "c"]));
    }
}
