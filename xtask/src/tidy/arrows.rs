//! The picture of ARCHITECTURE.md ("One way only") as a table, held against the real edges.
//!
//! Tests may use what they like, as long as no circle comes of it.

use super::Finding;
use super::graph::{Graph, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// What each room may use besides `base`, which everything may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("prompt-manager", &["wire"]),
    ("cli", &["server", "wire"]),
    (
        "server",
        &[
            "wire",
            "agents",
            "arena",
            "toolbox",
            "prompts",
            "llm",
            "secrets",
            "workspace",
            "runtime",
            "npm",
            "store",
        ],
    ),
    ("agents", &["toolbox", "workspace", "llm", "store"]),
    ("arena", &["toolbox", "workspace", "llm", "store"]),
    ("prompts", &["llm", "store"]),
    ("toolbox", &["runtime", "npm", "store", "secrets"]),
    ("workspace", &["sandbox", "store"]),
    ("runtime", &["sandbox", "canvas"]),
    ("npm", &[]),
    ("llm", &["secrets"]),
    ("secrets", &[]),
    ("store", &[]),
    ("sandbox", &[]),
    ("canvas", &[]),
    ("wire", &[]),
    ("base", &[]),
    ("xtask", &[]),
];

/// Heavy things that must not come in by any way.
const BANNED: &[(&str, &[&str], &str)] = &[
    (
        "runtime",
        &["axum", "rmcp", "rusqlite", "libsqlite3-sys", "clap", "zbus"],
        "pm-worker must stay small and quick to start",
    ),
    (
        "canvas",
        &["rquickjs", "tokio", "rusqlite"],
        "canvas knows no JavaScript, waits for nothing and keeps no records",
    ),
    (
        "prompt-manager",
        &["rquickjs", "rusqlite", "axum", "rmcp"],
        "the desktop is a client; it links no engine",
    ),
];

pub fn check(graph: &Graph) -> Vec<Finding> {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut findings = Vec::new();
    for (_, package) in graph.ours() {
        let Some(may) = allowed.get(package.name.as_str()) else {
            findings.push(Finding::error(
                &package.name,
                "is no room of the house: ARCHITECTURE.md and xtask/src/tidy/arrows.rs must place it",
            ));
            continue;
        };
        for (used, kind) in graph.edges(package) {
            if kind == Kind::Real && used != "base" && !may.contains(&used) {
                findings.push(Finding::error(&package.name, format!("may not use {used}")));
            }
        }
    }
    findings.extend(banned(graph));
    findings.extend(circle(graph));
    findings
}

fn banned(graph: &Graph) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, heavy, why) in BANNED {
        let Some((id, _)) = graph.ours().find(|(_, package)| package.name == *name) else {
            continue;
        };
        let linked = graph.closure(id);
        for heavy in heavy.iter().filter(|heavy| linked.contains(**heavy)) {
            findings.push(Finding::error(*name, format!("links {heavy}: {why}")));
        }
    }
    findings
}

/// Cargo itself refuses circles, except those that tests make.
fn circle(graph: &Graph) -> Option<Finding> {
    let mut open: BTreeMap<&str, BTreeSet<&str>> = graph
        .ours()
        .map(|(_, package)| {
            let used = graph
                .edges(package)
                .map(|(used, _)| used)
                .filter(|used| *used != package.name);
            (package.name.as_str(), used.collect())
        })
        .collect();
    // Take away what uses nothing that is left, until nothing is left or a circle is.
    loop {
        let ends: Vec<&str> = open
            .iter()
            .filter(|(_, used)| used.is_empty())
            .map(|(name, _)| *name)
            .collect();
        if ends.is_empty() {
            break;
        }
        open.retain(|name, _| !ends.contains(name));
        for used in open.values_mut() {
            used.retain(|name| !ends.contains(name));
        }
    }
    let left: Vec<&str> = open.into_keys().collect();
    (!left.is_empty()).then(|| Finding::error(left.join(", "), "use each other in a circle (through tests)"))
}

#[cfg(test)]
mod tests {
    use super::super::graph::workspace;
    use super::*;

    fn whats(graph: &Graph) -> Vec<String> {
        check(graph)
            .into_iter()
            .map(|finding| format!("{}: {}", finding.place, finding.what))
            .collect()
    }

    #[test]
    fn the_drawn_arrows_pass() {
        let graph = workspace(&[
            (
                "cli",
                &[("server", Kind::Real), ("wire", Kind::Real), ("base", Kind::Real)],
            ),
            ("server", &[("runtime", Kind::Real)]),
            ("runtime", &[("canvas", Kind::Real)]),
            ("wire", &[("base", Kind::Real)]),
            ("canvas", &[]),
            ("base", &[]),
        ]);
        assert_eq!(whats(&graph), Vec::<String>::new());
    }

    #[test]
    fn an_arrow_against_the_picture_is_found() {
        let graph = workspace(&[("canvas", &[("runtime", Kind::Real)]), ("runtime", &[])]);
        assert_eq!(whats(&graph), ["canvas: may not use runtime"]);
    }

    #[test]
    fn tests_may_look_sideways_but_not_in_circles() {
        let sideways = workspace(&[("npm", &[("store", Kind::Dev)]), ("store", &[])]);
        assert_eq!(whats(&sideways), Vec::<String>::new());
        let circle = workspace(&[
            ("toolbox", &[("npm", Kind::Real)]),
            ("npm", &[("toolbox", Kind::Dev)]),
        ]);
        assert_eq!(
            whats(&circle),
            ["npm, toolbox: use each other in a circle (through tests)"]
        );
    }

    #[test]
    fn a_crate_that_tests_itself_with_itself_is_no_circle() {
        assert!(whats(&workspace(&[("npm", &[("npm", Kind::Dev)])])).is_empty());
    }

    #[test]
    fn heavy_things_are_found_behind_others() {
        let graph = workspace(&[
            ("runtime", &[("ext-middle", Kind::Real)]),
            ("ext-middle", &[("rusqlite", Kind::Real)]),
            ("rusqlite", &[]),
        ]);
        assert!(
            whats(&graph).contains(
                &"runtime: links rusqlite: pm-worker must stay small and quick to start".to_owned()
            )
        );
    }

    #[test]
    fn an_unplaced_crate_is_found() {
        assert_eq!(whats(&workspace(&[("misc", &[])])).len(), 1);
    }

    #[test]
    fn the_table_itself_has_no_circle_and_no_strangers() {
        let rooms: Vec<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
        for (name, uses) in ALLOWED {
            for used in *uses {
                assert!(rooms.contains(used), "{name} -> {used}");
            }
        }
        let edges: Vec<(&str, Vec<(&str, Kind)>)> = ALLOWED
            .iter()
            .map(|(name, uses)| (*name, uses.iter().map(|used| (*used, Kind::Real)).collect()))
            .collect();
        let edges: Vec<(&str, &[(&str, Kind)])> = edges
            .iter()
            .map(|(name, uses)| (*name, uses.as_slice()))
            .collect();
        assert!(circle(&workspace(&edges)).is_none());
    }
}
