//! The licences of all that is in the packages, as one document.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Everything from elsewhere by licence, Rust and JavaScript together. What JavaScript is only tested
/// or built with is left out: `dev` in the lock files.
pub fn listed(metadata: &Value, npm_locks: &[Value]) -> String {
    let mut by_licence: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let rust = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|package| package["source"].is_string());
    for package in rust {
        let text = |field: &str| package[field].as_str().unwrap_or("unknown").to_owned();
        let place = package["repository"]
            .as_str()
            .map(|place| format!(" <{place}>"))
            .unwrap_or_default();
        by_licence.entry(text("license")).or_default().push(format!(
            "{} {}{place}",
            text("name"),
            text("version")
        ));
    }
    let npm = npm_locks
        .iter()
        .flat_map(|lock| lock["packages"].as_object().into_iter().flatten());
    for (path, package) in npm {
        let Some((_, name)) = path.rsplit_once("node_modules/") else {
            continue;
        };
        if package["dev"] != true {
            by_licence
                .entry(package["license"].as_str().unwrap_or("unknown").to_owned())
                .or_default()
                .push(format!(
                    "{name} {} (npm)",
                    package["version"].as_str().unwrap_or("")
                ));
        }
    }
    let mut text = "# Licences of what this program contains\n".to_owned();
    for (licence, mut names) in by_licence {
        names.sort();
        names.dedup();
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
            {"name": "prompt-manager", "version": "1.2.3", "license": "MIT", "source": null},
            {"name": "other", "version": "2.0.0", "license": "ISC", "source": "registry", "repository": "https://example.org"}
        ]});
        let data = json!({"packages": {"node_modules/data": {"version": "48.2.0", "license": "ISC"}}});
        let lock = json!({"packages": {
            "": {"version": "0"},
            "node_modules/vue": {"version": "3.5.0", "license": "MIT"},
            "node_modules/a/node_modules/@x/y": {"version": "1.0.0", "license": "ISC"},
            "node_modules/vitest": {"version": "4.0.0", "license": "MIT", "dev": true}
        }});
        assert_eq!(
            listed(&metadata, &[lock, data]),
            "# Licences of what this program contains\n\n## ISC\n\n- @x/y 1.0.0 (npm)\n\
             - data 48.2.0 (npm)\n- other 2.0.0 <https://example.org>\n\n## MIT\n\n- vue 3.5.0 (npm)\n"
        );
    }
}
