//! Where each package goes: as npm hoists. A package is put as near to the root as nothing that
//! lies there or wants something else forbids; packages that are peers of one another are tried
//! beside the tree first and then placed together.
//!
//! Nothing is awaited here. A manifest that is not known yet ends the attempt with what is needed,
//! and the caller begins anew when it has it (`crawl`).
//!
//! Deliberately not here: overrides of peers by force, workspaces.

mod check;
mod dedupe;

use crate::collate;
use crate::error::NpmError;
use crate::manifest::{Kind, Manifest};
use crate::tree::{EdgeId, Id, ROOT, Tree};
use check::{Can, Top};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// (package folder name, spec) -> what answers it.
pub type Known = HashMap<(String, String), Result<Arc<Manifest>, NpmError>>;

/// Nodes looked at; a tree that needs more turns in circles.
const TURNS: usize = 50_000;

#[derive(Debug)]
pub enum Stop {
    /// These manifests are needed first.
    Need(Vec<(String, String)>),
    Failed(NpmError),
}

pub struct Placer<'a> {
    pub tree: Tree,
    known: &'a Known,
    queue: Vec<Id>,
    seen: HashSet<Id>,
    virtual_roots: HashMap<Id, Id>,
    need: Vec<(String, String)>,
}

/// What was placed for one edge, and for its peers after it.
struct Placed {
    edge: EdgeId,
    node: Id,
    again: HashSet<Id>,
}

impl<'a> Placer<'a> {
    pub fn new(tree: Tree, known: &'a Known) -> Self {
        Placer {
            tree,
            known,
            queue: Vec::new(),
            seen: HashSet::new(),
            virtual_roots: HashMap::new(),
            need: Vec::new(),
        }
    }

    /// Answers every edge that is not answered.
    pub fn run(mut self) -> Result<Tree, Stop> {
        self.queue.push(ROOT);
        for id in self.tree.packages() {
            if !self.problems(id).is_empty() {
                self.queue.push(id);
            }
        }
        for _ in 0..TURNS {
            let next = self.queue.iter().enumerate().min_by(|(_, a), (_, b)| {
                let tree = &self.tree;
                let depths = tree.depth(**a).cmp(&tree.depth(**b));
                depths.then_with(|| collate::compare(&tree.location(**a), &tree.location(**b)))
            });
            let Some((at, _)) = next else {
                return if self.need.is_empty() {
                    Ok(self.tree)
                } else {
                    Err(Stop::Need(self.need))
                };
            };
            let id = self.queue.swap_remove(at);
            if !self.seen.contains(&id) && self.tree.is_real(id) {
                self.seen.insert(id);
                self.step(id)?;
            }
        }
        Err(Stop::Failed(NpmError::Internal(
            "the tree of packages does not settle".to_owned(),
        )))
    }

    fn push(&mut self, id: Id) {
        if !self.queue.contains(&id) {
            self.queue.push(id);
        }
    }

    /// Edges of a node that want something done.
    pub fn problems(&self, id: Id) -> Vec<EdgeId> {
        let tree = &self.tree;
        let bundled: HashSet<&str> = if id == ROOT {
            HashSet::new()
        } else {
            tree.nodes[id].manifest.bundled().collect()
        };
        let edges = tree.edges(id).filter(|edge| {
            let e = tree.edge(*edge);
            if bundled.contains(e.name.as_str()) || e.conflicted {
                return false;
            }
            match tree.to(*edge) {
                Some(to) => tree.nodes[to].failed.is_none() && !tree.is_valid(*edge),
                None => e.kind != Kind::PeerOptional,
            }
        });
        edges.collect()
    }

    fn step(&mut self, id: Id) -> Result<(), Stop> {
        let mut tasks = Vec::new();
        for edge in self.problems(id) {
            let kind = self.tree.edge(edge).kind;
            let name = self.tree.edge(edge).name.clone();
            let beside = self.virtual_root(id, true);
            let there = self
                .tree
                .edge_named(beside, &name)
                .filter(|own| self.tree.is_valid(*own))
                .and_then(|own| self.tree.to(own))
                .filter(|dep| self.tree.satisfies(*dep, edge));
            let hoistable = || {
                let above = self.tree.nodes[id].parent.unwrap_or(id);
                (kind == Kind::PeerOptional)
                    .then(|| self.below(above, edge))
                    .flatten()
            };
            let dep = match there.or_else(hoistable) {
                Some(dep) => dep,
                None => {
                    let parent = kind.is_peer().then_some(beside);
                    let mut required = HashSet::from([id]);
                    match self.node_for(edge, parent, None, &mut required)? {
                        Some(dep) => dep,
                        // Not known yet; the rest of this attempt only collects what else is needed.
                        None => continue,
                    }
                }
            };
            tasks.push((edge, dep));
        }
        for (edge, dep) in tasks {
            let mut placed = Vec::new();
            self.place(edge, dep, None, &mut placed)?;
            self.requeue(placed);
        }
        Ok(())
    }

    fn requeue(&mut self, placed: Vec<Placed>) {
        for one in placed {
            if !self.tree.is_real(one.node) {
                continue;
            }
            for edge in self.tree.edges_in(one.node) {
                if edge != one.edge && !self.tree.edge(edge).conflicted && !self.tree.is_valid(edge) {
                    self.seen.remove(&edge.from);
                    self.push(edge.from);
                }
            }
            self.push(one.node);
            for id in one.again {
                self.seen.remove(&id);
                self.push(id);
            }
        }
    }

    /// Some node below `root` that answers `edge`, nearest first.
    fn below(&self, root: Id, edge: EdgeId) -> Option<Id> {
        let mut level: Vec<Id> = self.tree.nodes[root].children.values().copied().collect();
        while !level.is_empty() {
            let fits = |id: &&Id| !self.tree.nodes[**id].bundled && self.tree.satisfies(**id, edge);
            if let Some(id) = level.iter().find(fits) {
                return Some(*id);
            }
            level = level
                .iter()
                .flat_map(|id| self.tree.nodes[*id].children.values().copied())
                .collect();
        }
        None
    }

    fn virtual_root(&mut self, source: Id, reuse: bool) -> Id {
        if reuse && let Some(root) = self.virtual_roots.get(&source) {
            return *root;
        }
        let root = self.tree.add_virtual_root(source);
        self.virtual_roots.insert(source, root);
        root
    }

    /// A node for an edge, with its peers, beside the tree. `second` is another edge to the same
    /// name that should be content as well. `None`: something is not known yet.
    fn node_for(
        &mut self,
        edge: EdgeId,
        parent: Option<Id>,
        second: Option<EdgeId>,
        required: &mut HashSet<Id>,
    ) -> Result<Option<Id>, Stop> {
        let parent = match parent {
            Some(parent) => parent,
            None => self.virtual_root(edge.from, false),
        };
        let Some(mut node) = self.node_of(edge, parent) else {
            return Ok(None);
        };
        if let Some(second) = second.filter(|second| !self.tree.is_valid(*second)) {
            let (manifest, failed) = (
                self.tree.nodes[node].manifest.clone(),
                self.tree.nodes[node].failed.clone(),
            );
            match self.node_of(second, parent) {
                Some(other) if self.tree.is_valid(edge) => node = other,
                Some(_) => {
                    let name = self.tree.edge(edge).name.clone();
                    let overrides = self.tree.nodes[edge.from].overrides.clone();
                    node = self.tree.add(parent, &name, manifest, overrides.as_ref());
                    self.tree.nodes[node].failed = failed;
                }
                None => return Ok(None),
            }
        }
        let is_required = |edge: EdgeId, required: &HashSet<Id>, tree: &Tree| {
            required.contains(&edge.from) && tree.edge(edge).kind != Kind::PeerOptional
        };
        if is_required(edge, required, &self.tree)
            || second.is_some_and(|s| is_required(s, required, &self.tree))
        {
            required.insert(node);
        }
        self.peer_set(node, required)?;
        Ok(Some(node))
    }

    fn node_of(&mut self, edge: EdgeId, parent: Id) -> Option<Id> {
        let (name, spec) = {
            let edge = self.tree.edge(edge);
            (edge.name.clone(), edge.spec.clone())
        };
        let overrides = self.tree.nodes[edge.from].overrides.clone();
        match self.known.get(&(name.clone(), spec.clone())) {
            Some(Ok(manifest)) => Some(self.tree.add(parent, &name, manifest.clone(), overrides.as_ref())),
            Some(Err(error)) => {
                let id = self.tree.add(parent, &name, Arc::new(Manifest::default()), None);
                self.tree.nodes[id].failed = Some(error.clone());
                Some(id)
            }
            None => {
                if !self.need.contains(&(name.clone(), spec.clone())) {
                    self.need.push((name, spec));
                }
                None
            }
        }
    }

    /// The peers of a node, beside it.
    fn peer_set(&mut self, node: Id, required: &mut HashSet<Id>) -> Result<(), Stop> {
        let peers: Vec<EdgeId> = self
            .tree
            .edges(node)
            .filter(|edge| self.tree.edge(*edge).kind.is_peer())
            .filter(|edge| !(self.tree.is_valid(*edge) && self.tree.to(*edge).is_some()))
            .collect();
        for edge in peers {
            let Some(parent) = self.tree.nodes[node].parent else {
                break;
            };
            let there = self.tree.to(edge);
            if there.is_some() && self.tree.is_valid(edge) {
                continue;
            }
            let name = self.tree.edge(edge).name.clone();
            let own = self.tree.edge_named(parent, &name);
            let conflict_allowed = self.tree.nodes[parent].source != Some(ROOT);
            match (there, own) {
                // An optional peer that nobody here wants: it will not be placed.
                (None, None) if self.tree.edge(edge).kind == Kind::PeerOptional => {}
                (None, None) => {
                    self.node_for(edge, Some(parent), None, required)?;
                }
                (None, Some(own)) => {
                    let dep = self.node_for(own, Some(parent), Some(edge), required)?;
                    let Some(dep) = dep else { continue };
                    if self.tree.is_valid(edge) {
                        continue;
                    }
                    if conflict_allowed || !required.contains(&dep) {
                        self.mark(edge);
                        continue;
                    }
                    if self.tree.nodes[node].parent.is_none() {
                        break;
                    }
                    return Err(self.conflict(edge));
                }
                (Some(current), _) => {
                    let Some(dep) = self.node_for(edge, None, None, required)? else {
                        continue;
                    };
                    if self.tree.can_replace(dep, current, &HashSet::new()) {
                        self.node_for(edge, Some(parent), None, required)?;
                    } else if !conflict_allowed && required.contains(&edge.from) {
                        return Err(self.conflict(edge));
                    }
                }
            }
        }
        Ok(())
    }

    fn mark(&mut self, edge: EdgeId) {
        self.tree.nodes[edge.from].edges[edge.at].conflicted = true;
    }

    fn conflict(&self, edge: EdgeId) -> Stop {
        let from = &self.tree.nodes[edge.from];
        let found = self.tree.to(edge).map(|to| self.tree.nodes[to].manifest.clone());
        let wanted = self.tree.edge(edge);
        Stop::Failed(NpmError::PeerConflict {
            from: format!("{}@{}", from.name, from.manifest.version),
            name: wanted.name.clone(),
            spec: wanted.spec.clone(),
            found: found.map_or_else(String::new, |found| format!("{}@{}", found.name, found.version)),
        })
    }

    /// Puts `dep` where it answers `edge`, and its peers with it.
    fn place(&mut self, edge: EdgeId, dep: Id, top: Option<Top>, done: &mut Vec<Placed>) -> Result<(), Stop> {
        if self.tree.to(edge).is_some() && self.tree.is_valid(edge) {
            return Ok(());
        }
        let name = self.tree.edge(edge).name.clone();
        let start = check::deepest(&self.tree, top.map_or(edge.from, |top| top.deepest), &name);
        let entry = top.map_or(edge, |top| top.entry);
        let mut best: Option<(Id, Can)> = None;
        let mut alone: Option<(Id, Can)> = None;
        for target in self.tree.ancestry(start) {
            let wants_as_peer = self
                .tree
                .edge_named(target, &name)
                .is_some_and(|e| self.tree.edge(e).kind.is_peer());
            if !self.tree.is_top(target) && wants_as_peer {
                continue;
            }
            let (can, own) = check::can_place(&self.tree, dep, target, edge, top, &mut Vec::new());
            if own != Can::Not {
                alone = Some((target, own));
            }
            if can == Can::Not {
                break;
            }
            best = Some((target, can));
            if self.tree.nodes[dep].failed.is_some() {
                break;
            }
        }
        if best.is_none() && self.is_the_persons(entry) {
            return Err(self.conflict(if self.tree.to(edge).is_some() { edge } else { entry }));
        }
        let Some((target, can)) = best.or(alone) else {
            self.mark(edge);
            return Ok(());
        };
        if can == Can::Keep {
            if self.tree.edge(edge).kind.is_peer() && !self.tree.is_valid(edge) {
                self.mark(edge);
            }
            self.dedupe(target, true);
            return Ok(());
        }
        // Two versions that want each other in turn have no finite tree; npm makes a link for it.
        if self
            .tree
            .ancestry(target)
            .any(|at| !self.tree.is_top(at) && self.tree.same_package(at, dep))
        {
            let edge = self.tree.edge(edge);
            return Err(Stop::Failed(NpmError::SpecUnsupported {
                name: edge.name.clone(),
                spec: edge.spec.clone(),
                kind: "circular",
            }));
        }
        let beside = self.tree.nodes[dep].parent;
        let (node, again) = self.put(dep, target, &name);
        if self.tree.edge(edge).kind.is_peer() && !self.tree.satisfies(node, edge) {
            self.mark(edge);
        }
        self.dedupe_after(node, target, edge, &name);
        done.push(Placed { edge, node, again });
        let Some(beside) = beside else { return Ok(()) };
        let next = Top {
            entry,
            deepest: start,
        };
        for peer in self.tree.edges(node).collect::<Vec<_>>() {
            let e = self.tree.edge(peer);
            if !e.kind.is_peer() || e.conflicted || self.tree.is_valid(peer) {
                continue;
            }
            let found = self.tree.nodes[beside].children.get(&e.name).copied();
            if let Some(found) = found.filter(|found| self.tree.satisfies(*found, peer)) {
                self.place(peer, found, Some(next), done)?;
            }
        }
        Ok(())
    }

    /// Whether a person wrote, in the root's own list, what leads to this: then a conflict is said.
    fn is_the_persons(&self, edge: EdgeId) -> bool {
        if edge.from == ROOT {
            return true;
        }
        if !self.tree.edge(edge).kind.is_peer() {
            return false;
        }
        let mut via_peers = false;
        for edge in self.tree.edges_in(edge.from) {
            if self.tree.edge(edge).kind.is_peer() {
                via_peers = true;
            } else if edge.from == ROOT {
                return true;
            }
        }
        via_peers
            && check::entry_sets(&self.tree, edge.from)
                .iter()
                .any(|(edge, _)| edge.from == ROOT)
    }
}

#[cfg(test)]
mod tests;
