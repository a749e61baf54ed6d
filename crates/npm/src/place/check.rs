//! Whether a package may lie in a place, together with its peers.

use crate::tree::{EdgeId, Id, ROOT, Tree};
use std::cmp::Ordering;
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Can {
    /// There is nothing of that name.
    Free,
    /// Instead of what is there.
    Replace,
    /// What is there already answers.
    Keep,
    Not,
}

/// For a peer: the edge through which its set came in, and the deepest place for who wants it.
#[derive(Clone, Copy)]
pub struct Top {
    pub entry: EdgeId,
    pub deepest: Id,
}

/// The deepest place from which `start` would find `name`: for a peer, not its own folder.
pub fn deepest(tree: &Tree, start: Id, name: &str) -> Id {
    let own = |at: &Id| {
        let edge = tree.edge_named(*at, name);
        tree.is_top(*at) || !edge.is_some_and(|edge| tree.edge(edge).kind.is_peer())
    };
    tree.ancestry(start).find(own).unwrap_or(ROOT)
}

/// With its peers; and by itself.
pub fn can_place(
    tree: &Tree,
    dep: Id,
    target: Id,
    edge: EdgeId,
    top: Option<Top>,
    path: &mut Vec<Id>,
) -> (Can, Can) {
    let name = tree.edge(edge).name.as_str();
    let current = tree.nodes[target].children.get(name).copied();
    if tree.nodes[dep].failed.is_some() {
        let can = if current.is_some() {
            Can::Replace
        } else {
            Can::Free
        };
        return (can, can);
    }
    let own = tree.edge_named(target, name);
    if own.is_some_and(|own| tree.edge(own).kind.is_peer()) && !tree.is_top(target) {
        return (Can::Not, Can::Not);
    }
    if current.is_none() && own.is_some_and(|own| own != edge && !tree.satisfies(dep, own)) {
        return (Can::Not, Can::Not);
    }
    let check = Check {
        tree,
        dep,
        target,
        edge,
        top,
    };
    match current {
        Some(current) => check.over(current, path),
        None => check.free(path),
    }
}

struct Check<'a> {
    tree: &'a Tree,
    dep: Id,
    target: Id,
    edge: EdgeId,
    top: Option<Top>,
}

impl Check<'_> {
    fn free(&self, path: &mut Vec<Id>) -> (Can, Can) {
        let tree = self.tree;
        let entry = self.top.map_or(self.edge, |top| top.entry);
        let name = &tree.edge(self.edge).name;
        // It would hide what somebody below sees now.
        if self.target != entry.from
            && let Some(seen) = tree.resolve(self.target, name)
            && tree.edges_in(seen).into_iter().any(|edge| {
                tree.is_below(edge.from, self.target)
                    && tree.is_valid(edge)
                    && !tree.satisfies(self.dep, edge)
            })
        {
            return (Can::Not, Can::Not);
        }
        self.with_peers(Can::Free, path)
    }

    fn over(&self, current: Id, path: &mut Vec<Id>) -> (Can, Can) {
        let tree = self.tree;
        let keeps = tree.satisfies(current, self.edge);
        // An edge that even its own answer does not satisfy was overridden.
        if tree.same_package(self.dep, current) && (keeps || !tree.satisfies(self.dep, self.edge)) {
            return (Can::Keep, Can::Keep);
        }
        let newer = tree
            .compare_versions(self.dep, current)
            .is_some_and(|order| order != Ordering::Less);
        let replaces = tree.can_replace(self.dep, current, &HashSet::new());
        if newer && replaces {
            let (can, own) = self.with_peers(Can::Replace, path);
            if can != Can::Not {
                return (can, own);
            }
        }
        if keeps {
            return (Can::Keep, Can::Keep);
        }
        let is_peer = tree.edge(self.edge).kind.is_peer();
        if (is_peer || self.top.is_some()) && !newer && replaces {
            let (can, own) = self.with_peers(Can::Replace, path);
            if can != Can::Not {
                return (can, own);
            }
        }
        let name = &tree.edge(self.edge).name;
        let start = self.top.map_or(self.edge.from, |top| top.deepest);
        if self.target != deepest(tree, start, name) {
            return (Can::Not, Can::Not);
        }
        if !is_peer && self.target == self.edge.from {
            return self.with_peers(Can::Replace, path);
        }
        if self.top.is_none() && !is_peer {
            return (Can::Not, Can::Not);
        }
        if self.others_can_move(current) {
            return self.with_peers(Can::Replace, path);
        }
        (Can::Not, Can::Not)
    }

    /// Whether the peer sets that `current` belongs to can be replaced or go deeper.
    fn others_can_move(&self, current: Id) -> bool {
        let tree = self.tree;
        let Some(beside) = tree.nodes[self.dep].parent else {
            return false;
        };
        let set = &tree.nodes[beside].children;
        let names: HashSet<String> = set.keys().cloned().collect();
        for (entry, peers) in entry_sets(tree, current) {
            if entry == self.edge || self.top.is_some_and(|top| top.entry == entry) {
                continue;
            }
            let Some(entry_node) = tree.to(entry) else {
                continue;
            };
            let replacement = set.get(&tree.nodes[entry_node].name);
            let clobbers = match replacement {
                Some(new) => tree.can_replace(*new, entry_node, &names),
                None => self.replacements_fit(entry_node, set),
            };
            if clobbers {
                continue;
            }
            let stuck = peers.iter().any(|peer| {
                let place = deepest(tree, entry.from, &tree.nodes[*peer].name);
                place == self.target || tree.is_below(self.target, place)
            });
            if stuck {
                return false;
            }
        }
        true
    }

    fn replacements_fit(&self, entry: Id, set: &std::collections::BTreeMap<String, Id>) -> bool {
        let tree = self.tree;
        let (mut seen, mut next) = (HashSet::from([entry]), vec![entry]);
        while let Some(peer) = next.pop() {
            for edge in tree.edges(peer) {
                let e = tree.edge(edge);
                if !e.kind.is_peer() || !tree.is_valid(edge) {
                    continue;
                }
                match (set.get(&e.name), tree.to(edge)) {
                    (Some(new), _) if !tree.satisfies(*new, edge) => return false,
                    (None, Some(to)) if seen.insert(to) => next.push(to),
                    _ => {}
                }
            }
        }
        true
    }

    fn with_peers(&self, can: Can, path: &mut Vec<Id>) -> (Can, Can) {
        let tree = self.tree;
        path.push(self.dep);
        let name = &tree.edge(self.edge).name;
        let start = self.top.map_or(self.edge.from, |top| top.deepest);
        let top = Top {
            entry: self.top.map_or(self.edge, |top| top.entry),
            deepest: deepest(tree, start, name),
        };
        let mut all = can;
        for peer in tree.edges(self.dep) {
            if !tree.edge(peer).kind.is_peer() {
                continue;
            }
            let Some(to) = tree.to(peer).filter(|to| !path.contains(to)) else {
                continue;
            };
            let target = deepest(tree, self.target, &tree.edge(peer).name);
            if can_place(tree, to, target, peer, Some(top), path).0 == Can::Not {
                all = Can::Not;
                break;
            }
        }
        path.pop();
        (all, can)
    }
}

/// The edges through which the peer set of a node is entered, and the members reached through each.
pub fn entry_sets(tree: &Tree, node: Id) -> Vec<(EdgeId, HashSet<Id>)> {
    let (mut union, mut next) = (HashSet::from([node]), vec![node]);
    while let Some(id) = next.pop() {
        let out = tree
            .edges(id)
            .filter(|edge| tree.edge(*edge).kind.is_peer() && tree.is_valid(*edge));
        let targets: Vec<Id> = out.filter_map(|edge| tree.to(edge)).collect();
        let from = tree.edges_in(id).into_iter();
        let from = from.filter(|edge| tree.edge(*edge).kind.is_peer() && tree.is_valid(*edge));
        for id in targets.into_iter().chain(from.map(|edge| edge.from)) {
            if union.insert(id) {
                next.push(id);
            }
        }
    }
    let mut sets = Vec::new();
    for peer in union {
        for edge in tree.edges_in(peer) {
            if !tree.is_valid(edge) || (tree.edge(edge).kind.is_peer() && !tree.is_top(edge.from)) {
                continue;
            }
            let (mut set, mut next) = (HashSet::from([peer]), vec![peer]);
            while let Some(id) = next.pop() {
                for edge in tree.edges(id) {
                    if tree.edge(edge).kind.is_peer()
                        && tree.is_valid(edge)
                        && let Some(to) = tree.to(edge)
                        && set.insert(to)
                    {
                        next.push(to);
                    }
                }
            }
            if set.contains(&node) {
                sets.push((edge, set));
            }
        }
    }
    sets.sort_by_key(|(edge, _)| (edge.from, edge.at));
    sets
}
