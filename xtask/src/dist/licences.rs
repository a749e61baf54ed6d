//! What is in the packages from elsewhere, and its licences as one document.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

/// The licence of what names none.
pub const UNKNOWN: &str = "unknown";

/// The packages whose programs are given away.
const PROGRAMS: &[&str] = &["prompt-manager", "cli", "runtime"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Cargo,
    Npm,
}

/// A package from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    pub kind: Kind,
    pub name: String,
    pub version: String,
    pub licence: String,
    /// Where its source is, if it says so.
    pub place: Option<String>,
}

/// Everything from elsewhere, Rust and JavaScript together, each once. What JavaScript is only tested or built with
/// is left out: `dev` in the lock files.
pub fn components(metadata: &Value, npm_locks: &[Value]) -> Vec<Component> {
    let linked = linked(metadata);
    let rust = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|package| package["source"].is_string())
        .filter(|package| package["id"].as_str().is_some_and(|id| linked.contains(id)))
        .map(|package| {
            let text = |field: &str| package[field].as_str().unwrap_or(UNKNOWN).to_owned();
            Component {
                kind: Kind::Cargo,
                name: text("name"),
                version: text("version"),
                licence: text("license"),
                place: package["repository"].as_str().map(str::to_owned),
            }
        });
    let npm = npm_locks
        .iter()
        .flat_map(|lock| lock["packages"].as_object().into_iter().flatten())
        .filter(|(_, package)| package["dev"] != true)
        .filter_map(|(path, package)| {
            let (_, name) = path.rsplit_once("node_modules/")?;
            Some(Component {
                kind: Kind::Npm,
                name: name.to_owned(),
                version: package["version"].as_str().unwrap_or_default().to_owned(),
                licence: package["license"].as_str().unwrap_or(UNKNOWN).to_owned(),
                place: None,
            })
        });
    let mut all: Vec<Component> = rust.chain(npm).collect();
    all.sort();
    all.dedup();
    all
}

/// What the programs are linked to: neither what tests and builds need, nor what other systems do.
fn linked(metadata: &Value) -> HashSet<&str> {
    let nodes: HashMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let mut wanted: Vec<&str> = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|package| package["source"].is_null())
        .filter(|package| {
            package["name"]
                .as_str()
                .is_some_and(|name| PROGRAMS.contains(&name))
        })
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut found = HashSet::new();
    while let Some(id) = wanted.pop() {
        if !found.insert(id) {
            continue;
        }
        let edges = nodes.get(id).and_then(|node| node["deps"].as_array());
        let normal = edges.into_iter().flatten().filter(|edge| {
            let kinds = edge["dep_kinds"].as_array();
            kinds.into_iter().flatten().any(|kind| kind["kind"].is_null())
        });
        wanted.extend(normal.filter_map(|edge| edge["pkg"].as_str()));
    }
    found
}

pub fn listed(components: &[Component]) -> String {
    let mut by_licence: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Component {
        kind,
        name,
        version,
        licence,
        place,
    } in components
    {
        let end = match (kind, place) {
            (Kind::Npm, _) => " (npm)".to_owned(),
            (Kind::Cargo, Some(place)) => format!(" <{place}>"),
            (Kind::Cargo, None) => String::new(),
        };
        by_licence
            .entry(licence)
            .or_default()
            .push(format!("{name} {version}{end}"));
    }
    let mut text = "# Licences of what this program contains\n".to_owned();
    for (licence, mut names) in by_licence {
        names.sort();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n## {licence}\n\n");
        for name in names {
            let _ = writeln!(text, "- {name}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licences_list_what_ships_and_nothing_else() {
        let metadata = json!({"packages": [
            {"id": "p", "name": "prompt-manager", "version": "1.2.3", "license": "MIT", "source": null},
            {"id": "x", "name": "xtask", "version": "1.2.3", "license": "MIT", "source": null},
            {"id": "o", "name": "other", "version": "2.0.0", "license": "ISC", "source": "registry", "repository": "https://example.org"},
            {"id": "t", "name": "test", "version": "2.0.0", "license": "ISC", "source": "registry"},
            {"id": "z", "name": "of xtask", "version": "2.0.0", "license": "ISC", "source": "registry"}
        ], "resolve": {"nodes": [
            {"id": "p", "deps": [
                {"pkg": "o", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}, {"pkg": "t", "dep_kinds": [{"kind": "dev"}]}
            ]},
            {"id": "x", "deps": [{"pkg": "z", "dep_kinds": [{"kind": null}]}]}
        ]}});
        let data = json!({"packages": {"node_modules/data": {"version": "48.2.0", "license": "ISC"}}});
        let lock = json!({"packages": {
            "": {"version": "0"},
            "node_modules/vue": {"version": "3.5.0", "license": "MIT"},
            "node_modules/a/node_modules/@x/y": {"version": "1.0.0", "license": "ISC"},
            "node_modules/vitest": {"version": "4.0.0", "license": "MIT", "dev": true}
        }});
        assert_eq!(
            listed(&components(&metadata, &[lock, data])),
            "# Licences of what this program contains\n\n## ISC\n\n- @x/y 1.0.0 (npm)\n\
             - data 48.2.0 (npm)\n- other 2.0.0 <https://example.org>\n\n## MIT\n\n- vue 3.5.0 (npm)\n"
        );
    }
}
