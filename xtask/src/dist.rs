//! `cargo xtask dist`: what people get, in `target/dist`. Packages of the desktop for Debian and
//! Fedora and their children, with `pm` and `pm-worker` beside it, and an archive of these two
//! alone for machines without a screen; what they contain (CycloneDX), and the sums of all of it.
//!
//! The packages are made by Tauri's command line. It is kept out of `ui/`, whose lock file must
//! be right for every platform, and out of the build: `externalBin` would be copied each time.

mod bare;
mod licences;
mod sbom;

use crate::setup::{BARE, DIST};
use crate::{Outcome, Usage, files, node, proc, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const BUNDLER: &str = "@tauri-apps/cli@2.12.5";
const BUNDLES: &[&str] = &["deb", "rpm"];
/// What the desktop starts and needs beside it.
const HEADLESS: &[&str] = &["pm", "pm-worker"];
/// Packed beside what is below `docs`: the first, and what it leads to.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "resources/fonts/README.md",
    "resources/policy/rules.toml",
    "src-tauri/packaging/Containerfile",
];
const LICENCES: &str = "LICENSES.md";
const SUMS: &str = "SHA256SUMS";
/// Pages of the manual, and what shells complete with: made by the `pm` that is packed.
const MANUAL: &str = "man1";
const SHELLS: &[&str] = &["bash", "zsh", "fish"];
const SERVICE: &str = "src-tauri/packaging/prompt-manager.service";
/// What of npm is in the packages: the page, the Node layer's bundles, and the data of `Intl`.
const NPM_LOCKS: &[&str] = &[
    "ui/package-lock.json",
    "crates/runtime/vendor/package-lock.json",
    "crates/runtime/vendor/intl/package-lock.json",
];

/// How the programs are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    Release,
    /// To try the packing itself: minutes less, programs that nobody should get.
    Debug,
}

impl Profile {
    fn folder(self) -> &'static str {
        match self {
            Profile::Release => "release",
            Profile::Debug => "debug",
        }
    }

    /// What cargo and Tauri's command line call it.
    fn flag(self, release: &'static str, debug: &'static str) -> Option<&'static str> {
        Some(match self {
            Profile::Release => release,
            Profile::Debug => debug,
        })
        .filter(|flag| !flag.is_empty())
    }
}

pub fn run(words: &[String]) -> Outcome {
    let (mut profile, mut tried) = (Profile::Release, false);
    for word in words {
        match word.as_str() {
            "--debug" => profile = Profile::Debug,
            "--try" => tried = true,
            _ => return Err(Usage(format!("unexpected: {word}")).into()),
        }
    }
    setup::ensure(DIST)?;
    if tried {
        setup::ensure(BARE)?;
    }
    node::build_ui()?;
    let flags: Vec<&str> = ["--locked"]
        .into_iter()
        .chain(profile.flag("--release", ""))
        .collect();
    proc::build_programs(&flags)?;
    let out = proc::target("dist");
    files::make_empty(&out)?;
    let work = proc::target("bundler");
    fs::create_dir_all(&work)?;
    let metadata = metadata()?;
    let locks = NPM_LOCKS
        .iter()
        .map(|lock| {
            Ok(serde_json::from_str(&fs::read_to_string(
                proc::root().join(lock),
            )?)?)
        })
        .collect::<Outcome<Vec<Value>>>()?;
    let components = licences::components(&metadata, &locks);
    fs::write(work.join(LICENCES), licences::listed(&components))?;
    help(profile, &work)?;
    packages(profile, &work, &out)?;
    let version = version(&metadata)?;
    archive(profile, &version, &work, &out)?;
    let bom = serde_json::to_string_pretty(&sbom::bom(&version, &components))?;
    fs::write(out.join(format!("prompt-manager-{version}.cdx.json")), bom)?;
    sums(&out)?;
    for entry in fs::read_dir(&out)? {
        let entry = entry?;
        println!("{} ({} bytes)", entry.path().display(), entry.metadata()?.len());
    }
    if tried { bare::run(&out) } else { Ok(()) }
}

/// The manual and the shells' completions.
fn help(profile: Profile, work: &Path) -> Outcome {
    let pm = proc::built(profile.folder(), HEADLESS[0]);
    let manual = work.join(MANUAL);
    files::make_empty(&manual)?;
    proc::run(proc::program(&pm).arg("manual").arg(&manual))?;
    for shell in SHELLS {
        let script = proc::capture(proc::program(&pm).args(["completions", shell]))?;
        fs::write(work.join(shell), script)?;
    }
    Ok(())
}

/// For `sha256sum --check`.
fn sums(out: &Path) -> Outcome {
    let mut names: Vec<_> = fs::read_dir(out)?
        .map(|entry| entry.map(|entry| entry.file_name()))
        .collect::<Result<_, _>>()?;
    names.sort();
    let sums = proc::capture(proc::program("sha256sum").current_dir(out).args(names))?;
    Ok(fs::write(out.join(SUMS), sums)?)
}

/// The .deb and the .rpm.
fn packages(profile: Profile, work: &Path, out: &Path) -> Outcome {
    let host = host()?;
    for program in HEADLESS {
        fs::copy(
            proc::built(profile.folder(), program),
            work.join(format!("{program}-{host}")),
        )?;
    }
    let config = work.join("dist.json");
    fs::write(&config, serde_json::to_string_pretty(&overlay(work))?)?;
    // What an earlier run packed is not given away again.
    let bundles = proc::target(profile.folder()).join("bundle");
    files::make_empty(&bundles)?;
    let mut command = proc::program("node");
    command
        .arg(bundler(work)?)
        .args(["build", "--ci", "--bundles", &BUNDLES.join(",")])
        .args(profile.flag("", "--debug"))
        .arg("--config")
        .arg(&config)
        .args(["--", "--locked"]);
    proc::run(&mut command)?;
    for kind in BUNDLES {
        let made: Vec<PathBuf> = fs::read_dir(bundles.join(kind))?
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        let package = made
            .iter()
            .find(|path| path.extension().is_some_and(|extension| extension == *kind))
            .ok_or_else(|| format!("no .{kind} was made"))?;
        fs::copy(package, out.join(plain_name(package)))?;
    }
    Ok(())
}

/// The bundler names its files as people read the product's name; a shell wants no spaces.
fn plain_name(package: &Path) -> String {
    let name = package.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().replace(' ', "-")
}

/// What is added to tauri.conf.json for packages alone. The page is built already.
fn overlay(work: &Path) -> Value {
    let external: Vec<PathBuf> = HEADLESS.iter().map(|program| work.join(program)).collect();
    // Debian and Fedora differ in where zsh looks.
    let documents = |zsh: &str| {
        let mut documents = json!({
            "/usr/share/doc/prompt-manager/copyright": proc::root().join("LICENSE"),
            "/usr/share/doc/prompt-manager/LICENSES.md": work.join(LICENCES),
            "/usr/share/man/man1": work.join(MANUAL),
            "/usr/lib/systemd/user/prompt-manager.service": proc::root().join(SERVICE),
            "/usr/share/bash-completion/completions/pm": work.join("bash"),
            "/usr/share/fish/vendor_completions.d/pm.fish": work.join("fish"),
        });
        documents[format!("/usr/share/zsh/{zsh}/_pm")] = json!(work.join("zsh"));
        documents
    };
    json!({
        "build": { "beforeBuildCommand": null },
        "bundle": {
            "externalBin": external,
            "linux": {
                "deb": { "files": documents("vendor-completions") },
                "rpm": { "files": documents("site-functions") },
            },
        },
    })
}

/// Tauri's command line, of one version.
fn bundler(work: &Path) -> Outcome<PathBuf> {
    let program = work.join("node_modules/@tauri-apps/cli/tauri.js");
    let wanted = BUNDLER.rsplit_once('@').map(|(_, version)| version);
    let package = work.join("node_modules/@tauri-apps/cli/package.json");
    let found: Option<Value> = fs::read_to_string(package)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok());
    if found.is_none_or(|package| package["version"].as_str() != wanted) {
        proc::run(
            node::npm()
                .args(["install", "--no-audit", "--no-fund", "--prefix"])
                .arg(work)
                .arg(BUNDLER),
        )?;
    }
    Ok(program)
}

/// Paths, relative to the root.
fn documents() -> Outcome<Vec<String>> {
    let mut all = files::tracked()?;
    all.retain(|path| path.starts_with("docs/") || DOCUMENTS.contains(&path.as_str()));
    Ok(all)
}

/// `pm` without a window.
fn archive(profile: Profile, version: &str, work: &Path, out: &Path) -> Outcome {
    let name = format!("pm-{version}-{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let folder = work.join(&name);
    files::make_empty(&folder)?;
    fs::create_dir_all(folder.join("bin"))?;
    for program in HEADLESS {
        let built = proc::built(profile.folder(), program);
        let file = built.file_name().ok_or("a program without a name")?;
        fs::copy(&built, folder.join("bin").join(file))?;
    }
    for document in documents()? {
        let to = folder.join(&document);
        if let Some(above) = to.parent() {
            fs::create_dir_all(above)?;
        }
        fs::copy(proc::root().join(&document), to)?;
    }
    fs::copy(work.join(LICENCES), folder.join(LICENCES))?;
    proc::run(
        proc::program("tar")
            .arg("-C")
            .arg(work)
            .args(["--owner=0", "--group=0", "-czf"])
            .arg(out.join(format!("{name}.tar.gz")))
            .arg(&name),
    )
}

/// The platform that programs are built for, as the compiler calls it.
fn host() -> Outcome<String> {
    proc::capture(proc::program("rustc").arg("-vV"))?
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| "rustc names no host".into())
}

fn metadata() -> Outcome<Value> {
    Ok(serde_json::from_str(&proc::capture(proc::cargo().args([
        "metadata",
        "--quiet",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        &host()?,
    ]))?)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the fragment; what leads into the web is not among them.
    fn links(text: &str) -> impl Iterator<Item = &str> {
        let ends = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let paths = ends.filter_map(|link| link.split('#').next());
        paths.filter(|path| !path.is_empty() && !path.contains(':'))
    }

    #[test]
    fn what_packed_documents_lead_to_is_packed() {
        let packed = documents().unwrap();
        assert!(packed.len() > DOCUMENTS.len());
        for document in packed.iter().filter(|path| path.ends_with(".md")) {
            let text = fs::read_to_string(proc::root().join(document)).unwrap();
            let folder = Path::new(document).parent().unwrap();
            for link in links(&text) {
                let mut leads = Vec::new();
                for part in folder.join(link).components() {
                    match part.as_os_str().to_str().unwrap() {
                        ".." => drop(leads.pop()),
                        name => leads.push(name.to_owned()),
                    }
                }
                assert!(packed.contains(&leads.join("/")), "{document} leads to {link}");
            }
        }
    }

    #[test]
    fn the_version_is_that_of_the_product() {
        let metadata = json!({"packages": [
            {"name": "prompt-manager", "version": "9.9.9", "source": "registry"},
            {"name": "prompt-manager", "version": "1.2.3", "source": null}
        ]});
        assert_eq!(version(&metadata).unwrap(), "1.2.3");
        assert!(version(&json!({"packages": []})).is_err());
    }

    #[test]
    fn packages_hold_both_programs_beside_the_desktop() {
        let overlay = overlay(Path::new("/work"));
        assert_eq!(
            overlay["bundle"]["externalBin"],
            json!(["/work/pm", "/work/pm-worker"])
        );
        assert!(overlay["build"]["beforeBuildCommand"].is_null());
        for kind in BUNDLES {
            assert!(overlay["bundle"]["linux"][kind]["files"].is_object());
        }
    }

    #[test]
    fn packages_have_names_that_need_no_quotes() {
        let name = plain_name(Path::new("/x/Prompt Manager_0.1.0_amd64.deb"));
        assert_eq!(name, "prompt-manager_0.1.0_amd64.deb");
    }

    #[test]
    fn only_debug_may_be_asked_for() {
        let asked = run(&["--fast".to_owned()]).unwrap_err();
        assert!(asked.is::<Usage>());
    }
}
