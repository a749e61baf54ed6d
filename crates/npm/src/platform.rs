//! This machine in the words of `os`, `cpu`, `libc` and `engines`.

use nodejs_semver::{Range, Version};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    pub os: String,
    pub cpu: String,
    pub libc: Option<String>,
    /// What packages are told about Node when they say which they need.
    pub node: String,
}

impl Platform {
    pub fn this_machine(node: &str) -> Platform {
        let os = match std::env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let cpu = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            "x86" => "ia32",
            "powerpc64" => "ppc64",
            other => other,
        };
        let musl = || {
            std::path::Path::new("/lib")
                .join(format!("ld-musl-{}.so.1", std::env::consts::ARCH))
                .exists()
        };
        let libc = (os == "linux").then(|| if musl() { "musl" } else { "glibc" }.to_owned());
        Platform {
            os: os.to_owned(),
            cpu: cpu.to_owned(),
            libc,
            node: node.to_owned(),
        }
    }

    /// Whether a package of these fields may be installed here.
    pub fn accepts(&self, fields: &Map<String, Value>) -> bool {
        let libc = self.libc.as_deref().unwrap_or("");
        listed(fields.get("os"), &self.os)
            && listed(fields.get("cpu"), &self.cpu)
            && listed(fields.get("libc"), libc)
    }

    /// Whether `engines.node` is content.
    pub fn runs(&self, engines: Option<&Value>) -> bool {
        let Some(wanted) = engines.and_then(|e| e.get("node")).and_then(Value::as_str) else {
            return true;
        };
        match (Version::parse(&self.node), Range::parse(wanted)) {
            (Ok(node), Ok(range)) => range.satisfies_with_prerelease(&node, true),
            (_, Err(_)) => false,
            (Err(_), _) => true,
        }
    }
}

/// A list of names, some perhaps excluded by `!`; no list is every name.
fn listed(list: Option<&Value>, own: &str) -> bool {
    let names: Vec<&str> = match list {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => return true,
    };
    if names == ["any"] || names.is_empty() {
        return true;
    }
    let excluded = names.iter().any(|name| name.strip_prefix('!') == Some(own));
    let only_exclusions = names.iter().all(|name| name.starts_with('!'));
    !excluded && (only_exclusions || names.contains(&own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_exclusions() {
        let here = Platform {
            os: "linux".into(),
            cpu: "x64".into(),
            libc: Some("glibc".into()),
            node: "20.20.2".into(),
        };
        let accepts = |value: Value| here.accepts(value.as_object().unwrap());
        assert!(accepts(json!({})));
        assert!(accepts(json!({"os": ["darwin", "linux"], "cpu": "x64"})));
        assert!(!accepts(json!({"os": ["darwin"]})));
        assert!(!accepts(json!({"os": ["!linux"]})));
        assert!(accepts(json!({"os": ["!win32"], "libc": ["glibc"]})));
        assert!(!accepts(json!({"libc": ["musl"]})));
        assert!(here.runs(Some(&json!({"node": ">=18"}))));
        assert!(!here.runs(Some(&json!({"node": ">=22"}))));
        assert!(
            here.runs(Some(&json!(["node >= 0.2.0"]))),
            "an old form says nothing"
        );
    }
}
