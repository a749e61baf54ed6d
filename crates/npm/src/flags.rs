//! What the lock says of each package: needed only for development, only optionally, only as a
//! peer; and which packages leave when an optional one cannot be had.
//!
//! Deliberately not here: writing the file (`lock`).

use crate::lock::Lock;
use crate::manifest::{Kind, Project};
use crate::tree::{EdgeId, Id, ROOT, Tree};
use serde_json::{Map, Value};
use std::collections::HashSet;

#[derive(Clone, Debug, Default)]
pub struct Flags {
    reached: HashSet<Id>,
    without_dev: HashSet<Id>,
    without_optional: HashSet<Id>,
    without_both: HashSet<Id>,
    without_peer: HashSet<Id>,
}

impl Flags {
    pub fn of(tree: &Tree) -> Flags {
        let mut flags = Flags {
            reached: reach(tree, |kind| kind == Kind::PeerOptional),
            without_dev: reach(tree, |kind| kind == Kind::Dev),
            without_optional: reach(tree, Kind::is_optional),
            without_both: reach(tree, |kind| kind == Kind::Dev || kind.is_optional()),
            without_peer: reach(tree, Kind::is_peer),
        };
        // A folder has to stay for what lies below it.
        for id in flags.reached.clone() {
            flags.reached.extend(tree.ancestry(id));
        }
        flags
    }

    pub fn is_extraneous(&self, id: Id) -> bool {
        !self.reached.contains(&id)
    }
    pub fn is_dev(&self, id: Id) -> bool {
        !self.without_dev.contains(&id)
    }
    pub fn is_optional(&self, id: Id) -> bool {
        !self.without_optional.contains(&id)
    }

    fn write(&self, id: Id, entry: &mut Map<String, Value>) {
        let mut flag = |name: &str, is: bool| {
            if is {
                entry.insert(name.to_owned(), Value::Bool(true));
            }
        };
        if self.is_extraneous(id) {
            return flag("extraneous", true);
        }
        flag("peer", !self.without_peer.contains(&id));
        flag("dev", self.is_dev(id));
        flag("optional", self.is_optional(id));
        let both = !self.without_both.contains(&id);
        flag("devOptional", both && !self.is_dev(id) && !self.is_optional(id));
    }
}

fn reach(tree: &Tree, skips: impl Fn(Kind) -> bool) -> HashSet<Id> {
    reach_without(tree, skips, &HashSet::new())
}

/// What somebody still wants when the packages of `gone` are not there.
pub fn wanted_without(tree: &Tree, gone: &HashSet<Id>) -> HashSet<Id> {
    reach_without(tree, |kind| kind == Kind::PeerOptional, gone)
}

fn reach_without(tree: &Tree, skips: impl Fn(Kind) -> bool, gone: &HashSet<Id>) -> HashSet<Id> {
    let (mut seen, mut next) = (HashSet::from([ROOT]), vec![ROOT]);
    while let Some(id) = next.pop() {
        for edge in tree.edges(id) {
            if !skips(tree.edge(edge).kind)
                && let Some(to) = tree.to(edge)
                && !gone.contains(&to)
                && seen.insert(to)
            {
                next.push(to);
            }
        }
    }
    seen
}

/// What leaves with an optional package: upwards to where it is optional, and what only that needs.
pub fn leaving(tree: &Tree, id: Id) -> HashSet<Id> {
    let (mut set, mut next) = (HashSet::from([id]), vec![id]);
    while let Some(id) = next.pop() {
        for edge in tree.edges_in(id) {
            if edge.from != ROOT && !tree.edge(edge).kind.is_optional() && set.insert(edge.from) {
                next.push(edge.from);
            }
        }
    }
    let own = set.clone();
    tree.closed_set(set, &|_: &Tree, _: EdgeId, to: Id| !own.contains(&to))
}

/// The lock of a tree. `resolved`: whether addresses in the registry are written.
pub fn lock(tree: &Tree, flags: &Flags, project: &Project, folder: &str, resolved: bool) -> Lock {
    let text = |key: &str| project.raw.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut root = project.manifest.fields.clone();
    root.remove("deprecated");
    if let Some(name) = text("name") {
        root.insert("name".to_owned(), Value::from(name));
    }
    if let Some(dev) = project.raw.get("devDependencies") {
        root.insert("devDependencies".to_owned(), dev.clone());
    }
    let mut packages = Map::from_iter([(String::new(), Value::Object(root))]);
    for id in tree.packages() {
        let node = &tree.nodes[id];
        if node.failed.is_some() {
            continue;
        }
        let manifest = &node.manifest;
        let mut entry = manifest.fields.clone();
        if manifest.name != node.name {
            entry.insert("name".to_owned(), Value::from(manifest.name.as_str()));
        }
        if node.bundled {
            entry.insert("inBundle".to_owned(), Value::Bool(true));
        } else {
            let from = manifest.resolved.as_deref().unwrap_or_default();
            let is_git = from.starts_with("git+");
            // Of a commit the hash is known; how its files were packed is nobody else's affair.
            if let Some(integrity) = manifest.integrity.as_ref().filter(|_| !is_git) {
                entry.insert("integrity".to_owned(), Value::from(integrity.to_string()));
            }
            let by_address = |edge: EdgeId| matches!(tree.edge(edge).parsed(), crate::Spec::Url(_));
            let is_own =
                || is_git || from.starts_with("file:") || tree.edges_in(id).into_iter().any(by_address);
            if !from.is_empty() && (resolved || is_own()) {
                entry.insert("resolved".to_owned(), Value::from(from));
            }
        }
        flags.write(id, &mut entry);
        packages.insert(tree.location(id), Value::Object(entry));
    }
    Lock {
        name: text("name").or_else(|| Some(folder.to_owned())),
        version: text("version"),
        packages,
    }
}
