//! Putting a node into the tree, and taking out what it makes needless.

use super::Placer;
use super::check;
use crate::collate;
use crate::tree::{EdgeId, Id, ROOT};
use std::cmp::Ordering;
use std::collections::HashSet;

impl Placer<'_> {
    /// A copy of `dep` below `target`; and who has to be looked at again because of it.
    pub(super) fn put(&mut self, dep: Id, target: Id, name: &str) -> (Id, HashSet<Id>) {
        let node = &self.tree.nodes[dep];
        let (manifest, overrides, failed) =
            (node.manifest.clone(), node.overrides.clone(), node.failed.clone());
        let edges = node.edges.clone();
        let old = self.tree.nodes[target].children.get(name).copied();
        let place = match old {
            // Beside the tree until it takes the other's place.
            Some(_) => self.tree.add_virtual_root(target),
            None => target,
        };
        let new = self.tree.add(place, name, manifest, None);
        self.tree.nodes[new].edges = edges;
        for edge in &mut self.tree.nodes[new].edges {
            edge.conflicted = false;
        }
        self.tree.nodes[new].overrides = overrides;
        self.tree.nodes[new].failed = failed;
        let again = match old {
            Some(old) => self.replace(old, new, target),
            None => HashSet::new(),
        };
        (new, again)
    }

    fn replace(&mut self, old: Id, new: Id, target: Id) -> HashSet<Id> {
        let tree = &self.tree;
        let mut orphans: HashSet<Id> = HashSet::new();
        for edge in tree.edges(old) {
            if tree.edge_named(new, &tree.edge(edge).name).is_none()
                && let Some(to) = tree.to(edge)
            {
                orphans.extend(tree.closed_set([to].into(), &|_, _, other| other != to));
            }
        }
        let (mut pruned, mut conflicts) = (HashSet::new(), Vec::new());
        for edge in tree.edges_in(old) {
            let e = tree.edge(edge);
            if tree.satisfies(new, edge)
                || !e.kind.is_peer()
                || e.conflicted
                || tree.nodes[edge.from].parent != Some(target)
            {
                continue;
            }
            for (entry, _) in check::entry_sets(tree, edge.from) {
                let Some(entry_node) = tree.to(entry) else {
                    continue;
                };
                if entry.from == ROOT {
                    conflicts.push(edge);
                } else {
                    pruned.extend(tree.closed_set([entry_node].into(), &|tree, edge, to| {
                        to != entry_node && !tree.edge(edge).conflicted
                    }));
                }
            }
        }
        for edge in conflicts {
            self.mark(edge);
        }
        self.tree.replace(old, new);
        self.prune_for(new, orphans);
        let mut again = HashSet::new();
        for id in pruned.into_iter().filter(|id| *id != new) {
            if self.tree.is_real(id) && id != ROOT {
                again.extend(self.tree.edges_in(id).into_iter().map(|edge| edge.from));
                self.tree.remove(id);
            }
        }
        again
    }

    /// What the new node does not want and nobody else needs goes.
    fn prune_for(&mut self, new: Id, orphans: HashSet<Id>) {
        let tree = &self.tree;
        let wrong = tree.edges(new).filter(|edge| !tree.is_valid(*edge));
        let mut seed: HashSet<Id> = wrong.filter_map(|edge| tree.to(edge)).collect();
        for orphan in orphans.into_iter().filter(|id| tree.is_real(*id)) {
            seed.extend(tree.closed_set([orphan].into(), &|tree, edge, to| {
                to != orphan && tree.is_valid(edge)
            }));
        }
        let gone = tree.closed_set(seed, &|tree, edge, to| {
            edge.from != new && to != new && tree.is_valid(edge)
        });
        for id in gone {
            if id != new && id != ROOT && self.tree.is_real(id) {
                self.tree.remove(id);
            }
        }
    }

    /// Removes what `node`'s coming made needless.
    pub(super) fn dedupe_after(&mut self, node: Id, target: Id, edge: EdgeId, name: &str) {
        if let Some(to) = self.tree.to(edge)
            && to != node
            && self.tree.is_valid(edge)
        {
            self.dedupe(to, false);
        }
        let below: Vec<Id> = self
            .tree
            .packages()
            .into_iter()
            .filter(|id| self.tree.nodes[*id].name == name && self.tree.is_below(*id, target))
            .collect();
        for id in below {
            if !self.tree.is_real(id) {
                continue;
            }
            self.dedupe(id, false);
            let kids: Vec<Id> = self.tree.nodes[id].children.values().copied().collect();
            for kid in kids {
                if self.tree.is_real(kid) {
                    self.dedupe(kid, false);
                }
            }
        }
    }

    pub(super) fn dedupe(&mut self, id: Id, descend: bool) {
        if !self.tree.is_real(id) {
            return;
        }
        if self.is_needless(id) {
            let gone = self
                .tree
                .closed_set([id].into(), &|tree, edge, to| to != id && tree.is_valid(edge));
            for id in gone {
                if id != ROOT && self.tree.is_real(id) {
                    self.tree.remove(id);
                }
            }
            return;
        }
        if descend {
            let mut children: Vec<Id> = self.tree.nodes[id].children.values().copied().collect();
            children.sort_by(|a, b| collate::compare(&self.tree.nodes[*a].name, &self.tree.nodes[*b].name));
            for child in children {
                self.dedupe(child, true);
            }
        }
    }

    /// What lies above would serve as well.
    fn is_needless(&self, id: Id) -> bool {
        let tree = &self.tree;
        let node = &tree.nodes[id];
        let above = node.parent.and_then(|parent| tree.nodes[parent].parent);
        let Some(above) = above.filter(|_| !node.bundled) else {
            return false;
        };
        if tree.edges_in(id).is_empty() {
            return true;
        }
        let Some(other) = tree.resolve(above, &node.name) else {
            return false;
        };
        if tree.same_package(other, id) {
            return true;
        }
        tree.can_replace(other, id, &HashSet::new())
            && tree
                .compare_versions(other, id)
                .is_some_and(|order| order != Ordering::Less)
    }
}
