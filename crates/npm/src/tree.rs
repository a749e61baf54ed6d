//! The tree of packages while it is being thought out: nodes below nodes, and for each the edges to
//! what it wants. Where an edge leads is looked up each time, as Node would: upwards, folder by
//! folder; so moving a node needs no bookkeeping.
//!
//! Deliberately not here: where a package should go (`place`), files.

use crate::collate;
use crate::error::NpmError;
use crate::git::Repository;
use crate::manifest::{Kind, Manifest};
use crate::overrides::Overrides;
use crate::spec::Spec;
use nodejs_semver::{Range, Version};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

pub type Id = usize;
pub const ROOT: Id = 0;

/// One of the edges of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EdgeId {
    pub from: Id,
    pub at: usize,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub name: String,
    /// After overrides.
    pub spec: String,
    pub kind: Kind,
    /// A peer that cannot be had; it was said once and is let be.
    pub conflicted: bool,
    parsed: Spec,
    range: Option<Range>,
    repository: Option<Repository>,
}

impl Edge {
    pub fn new(name: &str, spec: &str, kind: Kind) -> Edge {
        let parsed = Spec::parse(spec);
        let range = match parsed.package(name).1 {
            Spec::Range(range) | Spec::Version(range) => Range::parse(range).ok(),
            _ => None,
        };
        let repository = match &parsed {
            Spec::Git(raw) => Repository::parse(raw),
            _ => None,
        };
        Edge {
            repository,
            name: name.to_owned(),
            spec: spec.to_owned(),
            kind,
            conflicted: false,
            parsed,
            range,
        }
    }

    pub fn parsed(&self) -> &Spec {
        &self.parsed
    }

    pub fn accepts(&self, manifest: &Manifest) -> bool {
        let (_, spec) = self.parsed.package(&self.name);
        if let Spec::Alias { name, .. } = &self.parsed
            && *name != manifest.name
        {
            return false;
        }
        match spec {
            Spec::Range(range) if matches!(range.as_str(), "*" | "") => true,
            Spec::Range(_) | Spec::Version(_) => {
                let version = manifest.semver.as_ref();
                version
                    .is_some_and(|version| self.range.as_ref().is_some_and(|range| range.satisfies(version)))
            }
            // A tag said something on the day of the install; the lock keeps what it was.
            Spec::Tag(_) => true,
            Spec::File(path) => {
                let own = manifest
                    .resolved
                    .as_deref()
                    .and_then(|from| from.strip_prefix("file:"));
                own.is_some_and(|own| own.trim_start_matches("./") == path.trim_start_matches("./"))
            }
            Spec::Url(url) => manifest.resolved.as_deref() == Some(url),
            Spec::Git(_) => self.repository.as_ref().is_some_and(|repository| {
                let resolved = manifest.resolved.as_deref();
                resolved.is_some_and(|from| repository.accepts(from, manifest.semver.as_ref()))
            }),
            Spec::Folder(_) | Spec::Invalid(_) | Spec::Alias { .. } => false,
        }
    }
}

#[derive(Debug)]
pub struct Node {
    /// Its folder's name, which an alias makes differ from the package's.
    pub name: String,
    pub manifest: Arc<Manifest>,
    pub parent: Option<Id>,
    pub children: BTreeMap<String, Id>,
    pub edges: Vec<Edge>,
    pub overrides: Option<Arc<Overrides>>,
    /// It could not be had.
    pub failed: Option<NpmError>,
    /// It lies in its parent's tarball.
    pub bundled: bool,
    /// For the root of a peer set: the node that wants it.
    pub source: Option<Id>,
    pub alive: bool,
}

#[derive(Debug, Default)]
pub struct Tree {
    pub nodes: Vec<Node>,
    wanted_by: HashMap<String, Vec<Id>>,
}

impl Tree {
    pub fn new(
        root: Manifest,
        wants: &BTreeMap<String, (String, Kind)>,
        overrides: Option<Arc<Overrides>>,
    ) -> Tree {
        let mut tree = Tree::default();
        tree.push(String::new(), Arc::new(root), wants, overrides);
        tree
    }

    fn push(
        &mut self,
        name: String,
        manifest: Arc<Manifest>,
        wants: &BTreeMap<String, (String, Kind)>,
        overrides: Option<Arc<Overrides>>,
    ) -> Id {
        let id = self.nodes.len();
        let mut edges: Vec<Edge> = wants
            .iter()
            .map(|(name, (spec, kind))| {
                let other = overrides.as_ref().and_then(|rules| rules.spec(name, spec));
                Edge::new(name, other.unwrap_or(spec), *kind)
            })
            .collect();
        edges.sort_by(|a, b| collate::compare(&a.name, &b.name));
        for edge in &edges {
            self.wanted_by.entry(edge.name.clone()).or_default().push(id);
        }
        self.nodes.push(Node {
            name,
            manifest,
            parent: None,
            children: BTreeMap::new(),
            edges,
            overrides,
            failed: None,
            bundled: false,
            source: None,
            alive: true,
        });
        id
    }

    /// A node below `parent`, instead of one of that name.
    pub fn add(
        &mut self,
        parent: Id,
        name: &str,
        manifest: Arc<Manifest>,
        overrides: Option<&Arc<Overrides>>,
    ) -> Id {
        let overrides = overrides.map(|above| match &manifest.semver {
            Some(version) => above.below(&manifest.name, version),
            None => above.clone(),
        });
        let wants = manifest.wants();
        let id = self.push(name.to_owned(), manifest, &wants, overrides);
        self.attach(id, parent);
        id
    }

    /// A place beside the tree where the peers of what `source` wants are put together.
    pub fn add_virtual_root(&mut self, source: Id) -> Id {
        let node = &self.nodes[source];
        let (name, manifest, overrides) = (node.name.clone(), node.manifest.clone(), node.overrides.clone());
        let edges = node.edges.clone();
        let id = self.push(name, manifest, &BTreeMap::new(), overrides);
        for edge in &edges {
            self.wanted_by.entry(edge.name.clone()).or_default().push(id);
        }
        self.nodes[id].edges = edges;
        self.nodes[id].source = Some(source);
        id
    }

    pub fn attach(&mut self, id: Id, parent: Id) {
        let name = self.nodes[id].name.clone();
        if let Some(before) = self.nodes[id].parent
            && self.nodes[before].children.get(&name) == Some(&id)
        {
            self.nodes[before].children.remove(&name);
        }
        if let Some(old) = self.nodes[parent].children.insert(name, id)
            && old != id
        {
            self.nodes[old].parent = None;
            self.kill(old);
        }
        self.nodes[id].parent = Some(parent);
        self.nodes[id].alive = true;
    }

    /// Takes a node and what lies below it out of the tree.
    pub fn remove(&mut self, id: Id) {
        if let Some(parent) = self.nodes[id].parent.take() {
            let name = self.nodes[id].name.clone();
            if self.nodes[parent].children.get(&name) == Some(&id) {
                self.nodes[parent].children.remove(&name);
            }
        }
        self.kill(id);
    }

    fn kill(&mut self, id: Id) {
        self.nodes[id].alive = false;
        let children: Vec<Id> = self.nodes[id].children.values().copied().collect();
        for child in children {
            self.kill(child);
        }
    }

    /// `new` takes the place of `old`, with what lies below it.
    pub fn replace(&mut self, old: Id, new: Id) {
        let Some(parent) = self.nodes[old].parent else {
            return;
        };
        for (_, child) in std::mem::take(&mut self.nodes[old].children) {
            self.attach(child, new);
        }
        self.attach(new, parent);
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.nodes[id.from].edges[id.at]
    }

    pub fn edges(&self, from: Id) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.nodes[from].edges.len()).map(move |at| EdgeId { from, at })
    }

    pub fn edge_named(&self, from: Id, name: &str) -> Option<EdgeId> {
        let at = self.nodes[from].edges.iter().position(|edge| edge.name == name)?;
        Some(EdgeId { from, at })
    }

    /// Where Node would find `name` from a node.
    pub fn resolve(&self, from: Id, name: &str) -> Option<Id> {
        self.ancestry(from)
            .find_map(|at| self.nodes[at].children.get(name).copied())
    }

    pub fn to(&self, edge: EdgeId) -> Option<Id> {
        self.resolve(edge.from, &self.edge(edge).name)
    }

    pub fn satisfies(&self, node: Id, edge: EdgeId) -> bool {
        let (node, edge) = (&self.nodes[node], self.edge(edge));
        node.name == edge.name && node.failed.is_none() && edge.accepts(&node.manifest)
    }

    pub fn is_valid(&self, edge: EdgeId) -> bool {
        let kind = self.edge(edge).kind;
        match self.to(edge) {
            None => kind.is_optional(),
            // A peer beside its dependent, not below it.
            Some(to)
                if kind.is_peer() && self.nodes[to].parent == Some(edge.from) && !self.is_top(edge.from) =>
            {
                false
            }
            Some(to) => self.satisfies(to, edge),
        }
    }

    pub fn is_top(&self, id: Id) -> bool {
        self.nodes[id].parent.is_none()
    }

    /// The node, its parent, and so on.
    pub fn ancestry(&self, from: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(from), |at| self.nodes[*at].parent)
    }

    pub fn is_below(&self, id: Id, ancestor: Id) -> bool {
        self.ancestry(id).any(|at| at == ancestor)
    }

    pub fn depth(&self, id: Id) -> usize {
        self.ancestry(id).count()
    }

    /// In the real tree, not beside it and not removed.
    pub fn is_real(&self, id: Id) -> bool {
        self.nodes[id].alive && self.ancestry(id).last() == Some(ROOT)
    }

    /// Edges that lead to a node.
    pub fn edges_in(&self, id: Id) -> Vec<EdgeId> {
        let name = &self.nodes[id].name;
        let wanting = self.wanted_by.get(name).map_or(&[][..], Vec::as_slice);
        wanting
            .iter()
            .filter(|from| self.nodes[**from].alive && self.resolve(**from, name) == Some(id))
            .filter_map(|from| self.edge_named(*from, name))
            .collect()
    }

    /// The path in the lock.
    pub fn location(&self, id: Id) -> String {
        let mut names: Vec<&str> = self
            .ancestry(id)
            .filter(|at| !self.is_top(*at))
            .map(|at| self.nodes[at].name.as_str())
            .collect();
        names.reverse();
        if names.is_empty() {
            return String::new();
        }
        format!("node_modules/{}", names.join("/node_modules/"))
    }

    /// The nodes of the real tree without its root, parents first.
    pub fn packages(&self) -> Vec<Id> {
        let mut found = Vec::new();
        let mut next: Vec<Id> = self.nodes[ROOT].children.values().rev().copied().collect();
        while let Some(id) = next.pop() {
            found.push(id);
            next.extend(self.nodes[id].children.values().rev());
        }
        found
    }

    pub fn same_package(&self, a: Id, b: Id) -> bool {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        if a.name != b.name {
            return false;
        }
        let (a, b) = (&a.manifest, &b.manifest);
        match (&a.integrity, &b.integrity) {
            (Some(a), Some(b)) => a == b,
            _ => match (&a.resolved, &b.resolved) {
                (Some(a), Some(b)) => a == b,
                _ => a.name == b.name && a.version == b.version && !a.version.is_empty(),
            },
        }
    }

    pub fn compare_versions(&self, a: Id, b: Id) -> Option<Ordering> {
        let version = |id: Id| -> Option<&Version> { self.nodes[id].manifest.semver.as_ref() };
        Some(version(a)?.cmp(version(b)?))
    }

    /// Whether everybody who uses `old` would be content with `new`; `ignored` are names of peers
    /// that will be replaced together with it.
    pub fn can_replace(&self, new: Id, old: Id, ignored: &HashSet<String>) -> bool {
        let (n, o) = (&self.nodes[new], &self.nodes[old]);
        if n.name != o.name || n.manifest.name != o.manifest.name {
            return false;
        }
        let own = self.closed_set([old].into(), &|tree, edge, to| to != old && tree.is_valid(edge));
        self.edges_in(old).into_iter().all(|edge| {
            let from = &self.nodes[edge.from];
            let moves_along = !self.is_top(old)
                && from.parent == o.parent
                && self.edge(edge).kind.is_peer()
                && ignored.contains(&from.name);
            moves_along || own.contains(&edge.from) || self.satisfies(new, edge)
        })
    }

    /// `seed` and what only it needs; edges for which `counts` is false are not looked at.
    pub fn closed_set(&self, seed: HashSet<Id>, counts: &dyn Fn(&Tree, EdgeId, Id) -> bool) -> HashSet<Id> {
        let mut next: Vec<Id> = seed.iter().copied().collect();
        let mut set = seed;
        while let Some(id) = next.pop() {
            for edge in self.edges(id) {
                if let Some(to) = self.to(edge)
                    && counts(self, edge, to)
                    && set.insert(to)
                {
                    next.push(to);
                }
            }
        }
        loop {
            let leaving = set.iter().copied().find(|id| {
                let mut edges = self.edges_in(*id).into_iter();
                edges.any(|edge| !set.contains(&edge.from) && counts(self, edge, *id))
            });
            match leaving {
                Some(id) => set.remove(&id),
                None => return set,
            };
        }
    }
}
