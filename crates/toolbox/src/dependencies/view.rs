//! What a tool depends on, and what of it is there, for people.

use super::commands::on_path;
use super::{look, python};
use crate::catalog::Tool;
use crate::package_json;
use crate::toolbox::{Toolbox, join_failed};
use base::Failure;
use npm::{Listing, PackageStore};

/// Where a dependency comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Npm,
    /// The index of Python's packages.
    Python,
    /// A file of the tool's folder.
    Local,
    /// A command of the machine.
    Command,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    pub range: String,
    pub from: From,
    /// The tool's own; else a person added it to package.json.
    pub by_tool: bool,
    pub there: bool,
}

#[derive(Clone, Debug, Default)]
pub struct DependencyView {
    /// In the order of names.
    pub declared: Vec<Declared>,
    pub listing: Listing,
    /// What lies there is what is wanted.
    pub settled: bool,
    /// The run that installs now.
    pub installing: Option<String>,
}

impl Toolbox {
    /// Known weaknesses of a tool's packages; `None` where the registry does not tell.
    pub async fn advisories(&self, tool: &Tool) -> Result<Option<Vec<npm::Advisory>>, Failure> {
        let settings = self
            .install_settings(&self.place_of(tool), Default::default())
            .await?;
        let (folder, root, platform) = (tool.folder.clone(), self.inner.home.packages(), self.platform());
        let listed = tokio::task::spawn_blocking(move || {
            let store = PackageStore::open(&root)?;
            npm::list(&folder, &store, &platform).map(|listing| (listing, store.metadata()))
        });
        let (listing, cache) = listed.await.map_err(join_failed)??;
        let mut installed = npm::Installed::new();
        for one in listing.packages {
            if let Some(version) = one.installed {
                installed.entry(one.name).or_default().insert(version);
            }
        }
        let registry = npm::Registry::new(settings.npmrc, settings.mirrors, &cache, settings.offline)?;
        Ok(npm::advisories(&registry, &installed).await?)
    }

    pub async fn dependencies(&self, tool: &Tool) -> Result<DependencyView, Failure> {
        let sources = tool.described()?.dependency_sources();
        let (folder, store) = (tool.folder.clone(), self.inner.home.packages());
        let platform = self.platform();
        let settings = self
            .install_settings(&self.place_of(tool), Default::default())
            .await?;
        let gathered = tokio::task::spawn_blocking(move || -> Result<_, Failure> {
            let store = PackageStore::open(&store)?;
            let listing = npm::list(&folder, &store, &platform)?;
            let wanted = package_json::dependencies(&folder);
            let settled = match &sources.python {
                Some(requirements) => python::is_settled(&folder, requirements),
                None => wanted.is_empty() || settings.nothing_to_do()?.is_some(),
            };
            let (npm, found) = package_json::split(&folder, sources.npm);
            let unmet = npm::unmet(&folder, &wanted)?;
            let mut declared: Vec<Declared> = Vec::new();
            for (name, range) in wanted {
                let there = !unmet.iter().any(|one| one.name == name);
                let by_tool = npm.iter().any(|(own, _)| *own == name);
                declared.push(Declared {
                    name,
                    range,
                    from: From::Npm,
                    by_tool,
                    there,
                });
            }
            let installed = python::installed(&folder);
            for one in sources.python.into_iter().flat_map(|all| all.wanted) {
                // Under its condition it may be none of this Python's.
                let excluded = settled && one.range.contains(';');
                declared.push(Declared {
                    there: excluded || installed.contains_key(&one.name),
                    name: one.name,
                    range: one.range,
                    from: From::Python,
                    by_tool: true,
                });
            }
            for name in sources.local {
                let there = look::is_own_file(&folder, &name);
                declared.push(Declared {
                    name,
                    range: String::new(),
                    from: From::Local,
                    by_tool: true,
                    there,
                });
            }
            let commands = sources.system.into_iter();
            let commands = commands.chain(found.into_iter().map(|(name, range)| (name, Some(range))));
            Ok((declared, commands.collect::<Vec<_>>(), listing, settled))
        });
        let (mut declared, commands, listing, settled) = gathered.await.map_err(join_failed)??;
        for (name, range) in commands {
            declared.push(Declared {
                there: on_path(&name).await.is_some(),
                range: range.unwrap_or_default(),
                from: From::Command,
                by_tool: true,
                name,
            });
        }
        declared.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(DependencyView {
            settled: settled && declared.iter().all(|one| one.there),
            declared,
            listing,
            installing: self.inner.dependencies.installing().get(&tool.folder).cloned(),
        })
    }
}
