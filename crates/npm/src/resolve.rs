//! From `package.json` and the lock to a tree: what the lock answers stays as it is, the rest is
//! asked of the registry and placed.
//!
//! Deliberately not here: tarballs (`install` fetches what the tree has).

use crate::crawl::Source;
use crate::error::NpmError;
use crate::flags::{Flags, leaving, wanted_without};
use crate::lock::{self, Lock};
use crate::manifest::{Manifest, Project};
use crate::overrides::Overrides;
use crate::place::{Known, Placer, Stop};
use crate::platform::Platform;
use crate::tree::{Id, ROOT, Tree};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Placing begins anew when it learns that it needs more; each time it knows more than before.
const ROUNDS: usize = 200;

pub fn overrides(project: &Project) -> Option<Arc<Overrides>> {
    let raw = project.overrides.as_ref()?;
    let wants = project.wants();
    let direct = |name: &str| wants.get(name).map(|(spec, _)| spec.clone());
    Some(Arc::new(Overrides::parse(raw, &direct)))
}

/// The tree that a lock describes, or the root alone.
pub fn begin(folder: &Path, project: &Project, lock: Option<&Lock>) -> Result<Tree, NpmError> {
    let rules = overrides(project);
    let mut tree = Tree::new(project.manifest.clone(), &project.wants(), rules.clone());
    let Some(lock) = lock else { return Ok(tree) };
    let mut places: HashMap<String, Id> = HashMap::from([(String::new(), ROOT)]);
    let mut paths: Vec<&String> = lock.packages.keys().filter(|path| !path.is_empty()).collect();
    paths.sort_by_key(|path| (path.matches("node_modules/").count(), path.as_str()));
    for path in paths {
        let Some(names) = lock::names(path) else { continue };
        let Some(name) = names.last() else { continue };
        let entry = lock
            .packages
            .get(path)
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        if entry.get("link") == Some(&Value::Bool(true)) {
            return Err(NpmError::SpecUnsupported {
                name: (*name).to_owned(),
                spec: path.clone(),
                kind: "folder",
            });
        }
        let above = path
            .strip_suffix(&format!("node_modules/{name}"))
            .unwrap_or_default();
        let Some(parent) = places.get(above.trim_end_matches('/')) else {
            return Err(NpmError::Format {
                path: folder.join("package-lock.json"),
                reason: format!("{path} lies below nothing"),
            });
        };
        let bundled = entry.get("inBundle") == Some(&Value::Bool(true));
        let manifest = Arc::new(Manifest::new(name, entry));
        if !crate::is_package_name(&manifest.name) {
            return Err(NpmError::BadName(manifest.name.clone()));
        }
        let id = tree.add(*parent, name, manifest, rules.as_ref());
        tree.nodes[id].bundled = bundled;
        places.insert(path.clone(), id);
    }
    Ok(tree)
}

/// What a tree leaves unanswered: `name@spec`.
pub fn unanswered(tree: Tree) -> (Tree, Vec<String>) {
    let known = Known::new();
    let placer = Placer::new(tree, &known);
    let mut open = Vec::new();
    let packages = placer.tree.packages();
    for id in [ROOT].into_iter().chain(packages) {
        for edge in placer.problems(id) {
            let edge = placer.tree.edge(edge);
            // What was optional when the lock was written may be missing from it.
            if !edge.kind.is_optional() {
                open.push(format!("{}@{}", edge.name, edge.spec));
            }
        }
    }
    open.sort();
    open.dedup();
    (placer.tree, open)
}

/// Whether the lock needs no word changed: nothing too many in it, and the root says the same.
pub fn is_settled(tree: &Tree, project: &Project, lock: Option<&Lock>) -> bool {
    let flags = Flags::of(tree);
    let has_extraneous = tree.packages().into_iter().any(|id| flags.is_extraneous(id));
    let root = lock.and_then(|lock| lock.packages.get(""));
    let says_same = |key: &str| {
        let is_empty = |value: &&Value| value.as_object().is_none_or(|map| !map.is_empty());
        let own = project.raw.get(key).filter(is_empty);
        root.and_then(|root| root.get(key)).filter(is_empty) == own
    };
    let lists = [
        "dependencies",
        "devDependencies",
        "optionalDependencies",
        "peerDependencies",
    ];
    !has_extraneous && lists.into_iter().all(says_same)
}

/// Answers what is open in `make()`'s tree. Every round begins with a fresh one.
pub async fn complete(
    make: &(dyn Fn() -> Result<Tree, NpmError> + Sync),
    source: &Source<'_>,
    known: &mut Known,
    found: &(dyn Fn(usize) + Sync),
) -> Result<Tree, NpmError> {
    for _ in 0..ROUNDS {
        let need = match Placer::new(make()?, known).run() {
            Ok(tree) => return settle(tree),
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Need(need)) => need,
        };
        source.fill(need, known, found).await;
    }
    Err(NpmError::Internal(
        "the list of packages does not settle".to_owned(),
    ))
}

/// Drops what nobody needs and what could not be had and was optional.
fn settle(mut tree: Tree) -> Result<Tree, NpmError> {
    let mut missing = Vec::new();
    loop {
        let flags = Flags::of(&tree);
        let failed = tree
            .packages()
            .into_iter()
            .find(|id| tree.nodes[*id].failed.is_some());
        let Some(failed) = failed else { break };
        if flags.is_optional(failed) || flags.is_extraneous(failed) {
            for id in leaving(&tree, failed) {
                tree.remove(id);
            }
            continue;
        }
        match tree.nodes[failed].failed.clone() {
            // Say all that is missing, not only the first.
            Some(NpmError::Offline { missing: own }) => {
                missing.extend(own);
                tree.nodes[failed].failed = None;
            }
            Some(error) => return Err(error),
            None => {}
        }
    }
    if !missing.is_empty() {
        missing.sort();
        missing.dedup();
        return Err(NpmError::Offline { missing });
    }
    let flags = Flags::of(&tree);
    let extraneous: Vec<Id> = tree
        .packages()
        .into_iter()
        .filter(|id| flags.is_extraneous(*id))
        .collect();
    for id in extraneous {
        tree.remove(id);
    }
    Ok(tree)
}

/// Packages that are not for this machine: they stay in the lock and are not installed.
pub fn not_for_here(tree: &Tree, platform: &Platform) -> Result<HashSet<Id>, NpmError> {
    let flags = Flags::of(tree);
    let mut leave = HashSet::new();
    for id in tree.packages() {
        let manifest = &tree.nodes[id].manifest;
        let is_for_here = platform.accepts(&manifest.fields);
        if flags.is_optional(id) {
            if !is_for_here || !platform.runs(manifest.fields.get("engines")) {
                leave.extend(leaving(tree, id));
            }
        } else if !is_for_here {
            let wanted = ["os", "cpu", "libc"]
                .iter()
                .filter_map(|key| manifest.fields.get(*key));
            return Err(NpmError::Platform {
                name: manifest.name.clone(),
                version: manifest.version.clone(),
                wanted: wanted.map(ToString::to_string).collect::<Vec<_>>().join(" "),
            });
        }
    }
    // What several of them want, and nobody else, leaves with none of them alone.
    let wanted = wanted_without(tree, &leave);
    let unwanted = tree.packages().into_iter();
    leave.extend(unwanted.filter(|id| !flags.is_extraneous(*id) && !wanted.contains(id)));
    // What lies below something that is not installed has no place.
    let below = tree
        .packages()
        .into_iter()
        .filter(|id| tree.ancestry(*id).any(|at| leave.contains(&at)));
    let below: Vec<Id> = below.collect();
    leave.extend(below);
    Ok(leave)
}

/// The packages that lie in the tarball of `id`, as nodes of the tree.
pub fn add_bundled(tree: &mut Tree, id: Id, found: BTreeMap<String, Manifest>) {
    let mut places: HashMap<String, Id> = HashMap::from([(String::new(), id)]);
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(path, _)| path.matches("node_modules/").count());
    for (path, manifest) in found {
        let Some(name) = lock::names(&path).and_then(|names| names.last().map(|name| (*name).to_owned()))
        else {
            continue;
        };
        let above = path
            .strip_suffix(&format!("node_modules/{name}"))
            .unwrap_or_default();
        if let Some(parent) = places.get(above.trim_end_matches('/')) {
            let own = tree.add(*parent, &name, Arc::new(manifest), None);
            tree.nodes[own].bundled = true;
            places.insert(path, own);
        }
    }
}
