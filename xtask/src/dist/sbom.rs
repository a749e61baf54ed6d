//! What is in the packages, for programs that look for known weaknesses: CycloneDX 1.5 as JSON.

use super::licences::{Component, Kind, UNKNOWN};
use serde_json::{Value, json};

pub fn bom(version: &str, components: &[Component]) -> Value {
    let components: Vec<Value> = components.iter().map(described).collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "prompt-manager", "version": version},
        },
        "components": components,
    })
}

fn described(component: &Component) -> Value {
    let Component { name, version, .. } = component;
    // Package URL: the scope of npm is its namespace, and its @ is written so, as is the + of a version.
    let at = version.replace('+', "%2B");
    let purl = match component.kind {
        Kind::Cargo => format!("pkg:cargo/{name}@{at}"),
        Kind::Npm => format!("pkg:npm/{}@{at}", name.replace('@', "%40")),
    };
    let mut described = json!({
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
    });
    if component.licence != UNKNOWN {
        described["licenses"] = json!([{"expression": component.licence}]);
    }
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_component_has_the_address_by_which_it_is_known() {
        let component = |kind, name: &str| Component {
            kind,
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            licence: "MIT".to_owned(),
            place: None,
        };
        let bom = bom(
            "0.1.0",
            &[component(Kind::Cargo, "serde"), component(Kind::Npm, "@a/b")],
        );
        assert_eq!(bom["components"][0]["purl"], "pkg:cargo/serde@1.2.3");
        assert_eq!(bom["components"][1]["purl"], "pkg:npm/%40a/b@1.2.3");
        assert_eq!(bom["metadata"]["component"]["version"], "0.1.0");
    }
}
