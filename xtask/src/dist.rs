//! `cargo xtask dist`: what people get. One archive with the three programs and the licences
//! of all that is in them.

use crate::setup::DIST;
use crate::{Outcome, node, proc, setup};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

const PROGRAMS: &[&str] = &["pm", "pm-worker", "prompt-manager"];
const DOCUMENTS: &[&str] = &["README.md", "CHANGELOG.md"];

pub fn run() -> Outcome {
    setup::ensure(DIST)?;
    node::build_ui()?;
    proc::run(proc::cargo().args(["build", "--release", "--locked", "-p", "cli", "-p", "runtime"]))?;
    proc::run(proc::cargo().args([
        "build",
        "--release",
        "--locked",
        "-p",
        "prompt-manager",
        "--features",
        "custom-protocol",
    ]))?;
    let metadata: Value = serde_json::from_str(&proc::capture(proc::cargo().args([
        "metadata",
        "--quiet",
        "--format-version=1",
        "--locked",
    ]))?)?;
    pack(&metadata)
}

fn pack(metadata: &Value) -> Outcome {
    let version = version(metadata)?;
    let name = format!(
        "prompt-manager-{version}-{}-{}",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let dist = proc::root().join("dist");
    let folder = dist.join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("bin"))?;
    for program in PROGRAMS {
        let built = proc::built("release", program);
        let file = built.file_name().ok_or("a program without a name")?;
        fs::copy(&built, folder.join("bin").join(file))?;
    }
    for document in DOCUMENTS {
        fs::copy(proc::root().join(document), folder.join(document))?;
    }
    let lock: Value = serde_json::from_str(&fs::read_to_string(proc::root().join("ui/package-lock.json"))?)?;
    fs::write(folder.join("LICENSES.md"), licences(metadata, &lock))?;
    let archive = dist.join(format!("{name}.tar.gz"));
    proc::run(
        proc::program("tar")
            .arg("-C")
            .arg(&dist)
            .arg("-czf")
            .arg(&archive)
            .arg(&name),
    )?;
    println!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len());
    Ok(())
}

fn version(metadata: &Value) -> Outcome<String> {
    metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "prompt-manager" && package["source"].is_null())
        .and_then(|package| package["version"].as_str())
        .map(str::to_owned)
        .ok_or_else(|| "the workspace has no package prompt-manager".into())
}

/// Everything from elsewhere by licence, Rust and JavaScript together. Test tools of the UI are
/// left out: `dev` in the lock file.
fn licences(metadata: &Value, ui_lock: &Value) -> String {
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
    for (path, package) in ui_lock["packages"].as_object().into_iter().flatten() {
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
        let lock = json!({"packages": {
            "": {"version": "0"},
            "node_modules/vue": {"version": "3.5.0", "license": "MIT"},
            "node_modules/a/node_modules/@x/y": {"version": "1.0.0", "license": "ISC"},
            "node_modules/vitest": {"version": "4.0.0", "license": "MIT", "dev": true}
        }});
        assert_eq!(version(&metadata).unwrap(), "1.2.3");
        assert_eq!(
            licences(&metadata, &lock),
            "# Licences of what this program contains\n\n## ISC\n\n- @x/y 1.0.0 (npm)\n\
             - other 2.0.0 <https://example.org>\n\n## MIT\n\n- vue 3.5.0 (npm)\n"
        );
    }

    #[test]
    fn a_workspace_without_the_product_is_refused() {
        assert!(version(&json!({"packages": []})).is_err());
    }
}
