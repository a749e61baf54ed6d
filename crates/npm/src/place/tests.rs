use super::*;
use crate::spec::Spec;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Places `root` against a registry of `name@version -> manifest`; the tree as path -> version.
fn tree(registry: &Value, root: Value) -> Result<BTreeMap<String, String>, NpmError> {
    let pick = |name: &str, spec: &str| -> Result<Arc<Manifest>, NpmError> {
        let parsed = Spec::parse(spec);
        let (package, _) = parsed.package(name);
        let edge = crate::tree::Edge::new(
            package,
            spec.split_once(&format!("npm:{package}@"))
                .map_or(spec, |(_, spec)| spec),
            Kind::Prod,
        );
        let found = registry.as_object().unwrap().iter().filter_map(|(id, fields)| {
            let (own, version) = id.rsplit_once('@')?;
            let mut fields = fields.as_object()?.clone();
            fields.insert("version".into(), version.into());
            let manifest = Manifest::new(own, fields);
            (own == package && edge.accepts(&manifest)).then_some(manifest)
        });
        let best = found.max_by(|a, b| a.semver.cmp(&b.semver));
        best.map(Arc::new).ok_or(NpmError::NoVersion {
            name: name.into(),
            spec: spec.into(),
        })
    };
    let mut known = Known::new();
    let project = Manifest::new("root", root.as_object().unwrap().clone());
    for _ in 0..50 {
        let start = Tree::new(project.clone(), &project.wants(), None);
        match Placer::new(start, &known).run() {
            Ok(tree) => {
                let list = tree.packages().into_iter();
                return Ok(list
                    .map(|id| (tree.location(id), tree.nodes[id].manifest.version.clone()))
                    .collect());
            }
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Need(need)) => {
                for (name, spec) in need {
                    known.insert((name.clone(), spec.clone()), pick(&name, &spec));
                }
            }
        }
    }
    panic!("does not settle");
}

fn of(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(at, version)| (format!("node_modules/{at}"), (*version).to_owned()))
        .collect()
}

#[test]
fn conflicts_nest_and_equals_are_shared() {
    let registry = json!({
        "a@1.0.0": {"dependencies": {"c": "^1.0.0"}}, "b@1.0.0": {"dependencies": {"c": "^2.0.0"}},
        "d@1.0.0": {"dependencies": {"c": "^2.0.0"}}, "c@1.5.0": {}, "c@2.1.0": {}
    });
    let found = tree(&registry, json!({"dependencies": {"a": "1", "b": "1", "d": "1"}})).unwrap();
    let expected = [
        ("a", "1.0.0"),
        ("b", "1.0.0"),
        ("b/node_modules/c", "2.1.0"),
        ("c", "1.5.0"),
        ("d", "1.0.0"),
        ("d/node_modules/c", "2.1.0"),
    ];
    assert_eq!(found, of(&expected));
}

#[test]
fn peers_come_along_and_optional_ones_do_not() {
    let registry = json!({
        "plugin@1.0.0": {"peerDependencies": {"host": "^1.0.0", "extra": "*"}, "peerDependenciesMeta": {"extra": {"optional": true}}},
        "host@1.2.0": {}, "host@2.0.0": {}, "extra@1.0.0": {}
    });
    let found = tree(&registry, json!({"dependencies": {"plugin": "1"}})).unwrap();
    assert_eq!(found, of(&[("plugin", "1.0.0"), ("host", "1.2.0")]));
    let own = json!({"dependencies": {"plugin": "1", "host": "2"}});
    assert!(matches!(tree(&registry, own), Err(NpmError::PeerConflict { .. })));
}

#[test]
fn an_alias_has_its_own_folder() {
    let registry = json!({"x@1.0.0": {}, "x@2.0.0": {}});
    let found = tree(&registry, json!({"dependencies": {"x": "2", "x1": "npm:x@1"}})).unwrap();
    assert_eq!(found, of(&[("x", "2.0.0"), ("x1", "1.0.0")]));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// Whatever the packages want of one another, everybody finds what satisfies it.
        #[test]
        fn every_edge_is_answered(
            wants in proptest::collection::vec((0usize..6, 1u8..4, 0usize..6, 1u8..4), 0..24),
            roots in proptest::collection::btree_map(0usize..6, 1u8..4, 1..5),
        ) {
            let mut registry = json!({});
            for package in 0..6 {
                for major in 1..4 {
                    registry[format!("p{package}@{major}.0.0")] = json!({"dependencies": {}});
                }
            }
            for (from, major, to, range) in wants {
                registry[format!("p{from}@{major}.0.0")]["dependencies"][format!("p{to}")] = json!(format!("^{range}.0.0"));
            }
            let list: serde_json::Map<_, _> = roots.iter().map(|(p, m)| (format!("p{p}"), json!(format!("^{m}.0.0")))).collect();
            let found = match tree(&registry, json!({"dependencies": list})) {
                // Versions that want each other in turn, without end.
                Err(NpmError::SpecUnsupported { .. }) => return Ok(()),
                found => found.unwrap(),
            };
            let look = |from: &str, name: &str| {
                let mut at = from.to_owned();
                loop {
                    let place = if at.is_empty() { format!("node_modules/{name}") } else { format!("{at}/node_modules/{name}") };
                    if let Some(version) = found.get(&place) {
                        return Some(version.clone());
                    }
                    if at.is_empty() {
                        return None;
                    }
                    at = at.rfind("/node_modules/").map_or(String::new(), |end| at[..end].to_owned());
                }
            };
            for (name, range) in &list {
                let version = look("", name).unwrap();
                prop_assert!(version.starts_with(&range.as_str().unwrap()[1..2]));
            }
            for (path, version) in &found {
                let name = path.rsplit('/').next().unwrap();
                let own = &registry[format!("{name}@{version}")]["dependencies"];
                for (dependency, range) in own.as_object().unwrap() {
                    let found = look(path, dependency);
                    prop_assert!(found.is_some_and(|v| v.starts_with(&range.as_str().unwrap()[1..2])), "{path} {dependency}");
                }
            }
        }
    }
}
