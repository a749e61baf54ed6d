//! Bundles of MCP (`.mcpb`, manifest 0.2 to 0.4): what the manifest says becomes the entry of a server whose
//! program lies in a folder that it may read alone.
//!
//! A node server is run by the machine's Node, a binary one is a program of the bundle, a python one needs uv.
//! Deliberately not here: how the archive is read (`toolbox::lifecycle`), how the server is kept and run.

use super::entry;
use super::error::ExternalError;
use base::Failure;
use base::name::ToolName;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toolbox::lifecycle::{Bundle, take_bundle};
use wire::{ExternalBundle, ExternalEntry, ExternalSetting};

pub(crate) const MANIFEST: &str = "manifest.json";
/// Bytes of a manifest, and settings in it.
const BYTES: u64 = 1024 * 1024;
const SETTINGS: usize = 100;
/// Characters of a text that a person is shown.
const TEXT: usize = 4000;

#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    #[serde(alias = "dxt_version")]
    manifest_version: String,
    name: String,
    #[serde(default)]
    display_name: Option<String>,
    version: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    author: Value,
    server: Server,
    #[serde(default)]
    user_config: BTreeMap<String, Setting>,
    #[serde(default)]
    compatibility: Compatibility,
}

#[derive(Debug, Deserialize)]
struct Server {
    #[serde(rename = "type")]
    kind: Kind,
    #[serde(default)]
    entry_point: String,
    #[serde(default)]
    mcp_config: Config,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Node,
    Binary,
    Python,
    Uv,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    platform_overrides: BTreeMap<String, Config>,
}

#[derive(Debug, Deserialize)]
struct Setting {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    sensitive: bool,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    default: Option<Value>,
    #[serde(default)]
    min: Option<f64>,
    #[serde(default)]
    max: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Compatibility {
    platforms: Option<Vec<String>>,
}

/// What a bundle comes to with the values that a person gave.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) entry: ExternalEntry,
    /// Values that are secret, whatever they are put into.
    pub(crate) hidden: Vec<String>,
    /// Folders that she named.
    pub(crate) directories: Vec<String>,
}

/// Takes its files into a folder, which is made anew, and reads what it says of itself. What it wrote when it
/// failed goes again. Blocks.
pub(crate) fn take(path: &Path, into: &Path) -> Result<(Manifest, Bundle), Failure> {
    remove(into)?;
    base::atomic::create_dir_all(into).map_err(super::kept::failed(into))?;
    let taken = take_bundle(path, into).map_err(Failure::from);
    let read = taken.and_then(|taken| Ok((read(into)?, taken)));
    if read.is_err() {
        remove(into)?;
    }
    read
}

/// Also folders that a program made so that nobody writes in them. Blocks.
pub(crate) fn remove(folder: &Path) -> Result<(), ExternalError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(one) = folders.pop() {
        // What cannot be looked into, here and below, cannot be removed either, and that is said.
        let open = std::fs::Permissions::from_mode(0o700);
        let Ok(true) = std::fs::symlink_metadata(&one).map(|data| data.is_dir()) else {
            continue;
        };
        let _ = std::fs::set_permissions(&one, open);
        let entries = std::fs::read_dir(&one).into_iter().flatten().flatten();
        let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(below.map(|entry| entry.path()));
    }
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(super::kept::failed(folder)(error)),
        _ => Ok(()),
    }
}

/// Of the bundle in a folder; empty where it cannot be read. Blocks.
pub(crate) fn version(folder: &Path) -> String {
    read(folder).map_or_else(
        |_| String::new(),
        |manifest| base::text::cut(&manifest.version, TEXT),
    )
}

/// Whether there is a uv to run servers in Python with. Blocks shortly.
pub(crate) fn has_uv() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.is_absolute() && folder.join("uv").is_file())
}

/// Blocks.
fn read(folder: &Path) -> Result<Manifest, ExternalError> {
    let path = folder.join(MANIFEST);
    let bad = |reason: String| ExternalError::BadBundle { reason };
    let size = std::fs::metadata(&path).map(|data| data.len());
    if size.map_err(|error| bad(format!("{MANIFEST}: {error}")))? > BYTES {
        return Err(bad(format!("{MANIFEST}: size")));
    }
    let bytes = std::fs::read(&path).map_err(super::kept::failed(&path))?;
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| bad(format!("{MANIFEST}: {error}")))?;
    if !["0.1", "0.2", "0.3", "0.4"].contains(&manifest.manifest_version.as_str()) {
        return Err(bad(format!(
            "manifest_version: {}",
            base::text::cut(&manifest.manifest_version, 20)
        )));
    }
    let platforms = manifest.compatibility.platforms.as_ref();
    if platforms.is_some_and(|all| !all.iter().any(|one| one == PLATFORM)) {
        return Err(bad(format!("platforms: {PLATFORM}")));
    }
    if manifest.user_config.len() > SETTINGS {
        return Err(bad("user_config".to_owned()));
    }
    Ok(manifest)
}

const PLATFORM: &str = if cfg!(target_os = "macos") {
    "darwin"
} else if cfg!(target_os = "windows") {
    "win32"
} else {
    "linux"
};

impl Manifest {
    pub(crate) fn name(&self) -> Result<ToolName, ExternalError> {
        entry::name_of(&self.name)
    }

    pub(crate) fn shown(&self, taken: &Bundle) -> ExternalBundle {
        let cut = |text: &str| base::text::cut(text, TEXT);
        let author = self
            .author
            .get("name")
            .and_then(Value::as_str)
            .or(self.author.as_str());
        let settings = self.user_config.iter().map(|(key, setting)| ExternalSetting {
            key: key.clone(),
            title: cut(if setting.title.is_empty() {
                key
            } else {
                &setting.title
            }),
            description: cut(&setting.description),
            kind: cut(&setting.kind),
            required: setting.required && setting.default.is_none(),
            sensitive: setting.sensitive,
            multiple: setting.multiple,
            default: setting.default.clone().filter(|_| !setting.sensitive),
        });
        ExternalBundle {
            name: self.name().map(|name| name.to_string()).unwrap_or_default(),
            title: cut(self.display_name.as_deref().unwrap_or(&self.name)),
            version: cut(&self.version),
            description: cut(&self.description),
            author: cut(author.unwrap_or_default()),
            kind: match self.server.kind {
                Kind::Node => "node",
                Kind::Binary => "binary",
                Kind::Python => "python",
                Kind::Uv => "uv",
            }
            .to_owned(),
            settings: settings.collect(),
            files: u32::try_from(taken.files).unwrap_or(u32::MAX),
            bytes: taken.bytes as f64,
            digest: taken.digest.clone(),
            installed: None,
        }
    }

    /// What was set before, as far as it is still a setting, and what is set now.
    pub(crate) fn values(
        &self,
        before: &BTreeMap<String, String>,
        now: &BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        let stays = before
            .iter()
            .filter(|(key, _)| self.user_config.contains_key(*key));
        let all = stays.chain(now);
        all.map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// `folder`: where the bundle lies. `uv`: whether there is one.
    pub(crate) fn fill(
        &self,
        folder: &Path,
        values: &BTreeMap<String, String>,
        uv: bool,
    ) -> Result<Filled, ExternalError> {
        let bad = |reason: String| ExternalError::BadBundle { reason };
        if let Some(unknown) = values.keys().find(|key| !self.user_config.contains_key(*key)) {
            return Err(bad(format!("user_config: {}", base::text::cut(unknown, 80))));
        }
        let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let (mut hidden, mut directories) = (Vec::new(), Vec::new());
        for (key, setting) in &self.user_config {
            let given = match (values.get(key), &setting.default) {
                (Some(text), _) if setting.multiple => text.lines().map(str::to_owned).collect(),
                (Some(text), _) => vec![text.clone()],
                (None, Some(default)) => texts(default).iter().map(|text| place(text)).collect(),
                (None, None) if setting.required => {
                    return Err(ExternalError::Placeholder { what: key.clone() });
                }
                (None, None) => vec![],
            };
            for text in &given {
                setting.check(key, text)?;
            }
            if setting.sensitive {
                hidden.extend(given.iter().cloned());
            }
            // Only what a person wrote is her word; a default is the bundle's.
            if setting.kind == "directory" && values.contains_key(key) {
                directories.extend(given.iter().cloned());
            }
            known.insert(key.clone(), given);
        }
        let config = &self.server.mcp_config;
        let here = config.platform_overrides.get(PLATFORM);
        let command = here
            .and_then(|here| here.command.clone())
            .or(config.command.clone());
        let args = here.and_then(|here| here.args.clone()).or(config.args.clone());
        let env = here.and_then(|here| here.env.clone()).or(config.env.clone());
        let point = folder.join(&self.server.entry_point).display().to_string();
        let put = |text: &str| put(text, folder, &known);
        let mut words: Vec<String> = match (command, args) {
            (Some(command), args) => {
                let args = args.unwrap_or_default();
                [
                    vec![put(&command)],
                    args.iter().flat_map(|arg| spread(arg, &known, &put)).collect(),
                ]
                .concat()
            }
            (None, _) if self.server.kind == Kind::Node => vec!["node".to_owned(), point],
            (None, _) if self.server.kind == Kind::Binary => vec![point],
            (None, _) => vec!["python3".to_owned(), point],
        };
        if matches!(self.server.kind, Kind::Python | Kind::Uv) {
            if !uv {
                return Err(ExternalError::NoUv);
            }
            if words.first().is_some_and(|word| word != "uv") {
                let own = ["uv", "run", "--project"].map(str::to_owned);
                words = [own.to_vec(), vec![folder.display().to_string()], words].concat();
            }
        }
        // A program of the bundle, named as it lies there.
        if let Some(first) = words.first_mut()
            && first.contains('/')
            && !Path::new(first).is_absolute()
        {
            *first = folder.join(&*first).display().to_string();
        }
        let mut words = words.into_iter();
        let entry = ExternalEntry {
            command: words.next(),
            args: words.collect(),
            env: env
                .unwrap_or_default()
                .iter()
                .map(|(name, value)| (name.clone(), put(value)))
                // What a person left out is as if it were not named.
                .filter(|(_, value)| !value.is_empty())
                .collect(),
            ..ExternalEntry::default()
        };
        entry::check(&entry)?;
        hidden.retain(|value| !value.is_empty());
        Ok(Filled {
            entry,
            hidden,
            directories,
        })
    }
}

impl Setting {
    fn check(&self, key: &str, text: &str) -> Result<(), ExternalError> {
        let bad = || ExternalError::BadBundle {
            reason: format!("user_config.{key}"),
        };
        match self.kind.as_str() {
            "number" => {
                let number: f64 = text.trim().parse().map_err(|_| bad())?;
                let low = self.min.is_some_and(|min| number < min);
                let high = self.max.is_some_and(|max| number > max);
                if low || high { Err(bad()) } else { Ok(()) }
            }
            "boolean" if !matches!(text, "true" | "false") => Err(bad()),
            _ => Ok(()),
        }
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

/// An argument that is a setting of several values is several arguments.
fn spread(arg: &str, known: &BTreeMap<String, Vec<String>>, put: &dyn Fn(&str) -> String) -> Vec<String> {
    let key = arg
        .strip_prefix("${user_config.")
        .and_then(|rest| rest.strip_suffix('}'));
    match key.and_then(|key| known.get(key)) {
        Some(values) => values.clone(),
        None => vec![put(arg)],
    }
}

/// Places of the person, as manifests name them.
fn place(text: &str) -> String {
    let home = base::home::user_home().unwrap_or_else(|_| PathBuf::from("/"));
    let below = |name: &str| home.join(name).display().to_string();
    text.replace("${HOME}", &home.display().to_string())
        .replace("${DESKTOP}", &below("Desktop"))
        .replace("${DOCUMENTS}", &below("Documents"))
        .replace("${DOWNLOADS}", &below("Downloads"))
}

/// Each place is filled once: what a person gave is not read again.
fn put(text: &str, folder: &Path, known: &BTreeMap<String, Vec<String>>) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        made.push_str(&rest[..at]);
        let Some(end) = rest[at..].find('}') else { break };
        let name = &rest[at + 2..at + end];
        match name {
            "__dirname" => made.push_str(&folder.display().to_string()),
            "/" | "pathSeparator" => made.push('/'),
            _ => match name.strip_prefix("user_config.") {
                Some(key) => made.push_str(&known.get(key).map(|all| all.join(",")).unwrap_or_default()),
                None => made.push_str(&place(&rest[at..=at + end])),
            },
        }
        rest = &rest[at + end + 1..];
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Coded;
    use serde_json::json;

    fn manifest(server: Value, user_config: Value) -> Manifest {
        serde_json::from_value(json!({
            "manifest_version": "0.3", "name": "Files & More", "version": "1.0.0",
            "server": server, "user_config": user_config,
        }))
        .unwrap()
    }

    fn values(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn settings_are_put_where_the_manifest_says() {
        let manifest = manifest(
            json!({"type": "node", "entry_point": "server/index.js", "mcp_config": {
                "command": "node",
                "args": ["${__dirname}/server/index.js", "${user_config.dirs}", "--n=${user_config.n}"],
                "env": {"KEY": "${user_config.key}", "OFF": "${user_config.off}"},
            }}),
            json!({
                "dirs": {"type": "directory", "multiple": true, "required": true},
                "n": {"type": "number", "default": 3, "min": 1, "max": 5},
                "key": {"type": "string", "sensitive": true, "required": true},
                "off": {"type": "string"},
            }),
        );
        assert_eq!(manifest.name().unwrap().as_str(), "files-more");
        let given = values(&[("dirs", "/a\n/b"), ("key", "${user_config.n} s3cret")]);
        let filled = manifest.fill(Path::new("/bundle"), &given, false).unwrap();
        assert_eq!(filled.entry.command.as_deref(), Some("node"));
        assert_eq!(
            filled.entry.args,
            ["/bundle/server/index.js", "/a", "/b", "--n=3"]
        );
        assert_eq!(filled.entry.env, values(&[("KEY", "${user_config.n} s3cret")]));
        assert_eq!(filled.hidden, ["${user_config.n} s3cret"]);
        assert_eq!(filled.directories, ["/a", "/b"]);
        for (given, code) in [
            (values(&[("key", "k")]), "external_placeholder"),
            (
                values(&[("dirs", "/a"), ("key", "k"), ("n", "9")]),
                "external_bad_bundle",
            ),
            (
                values(&[("dirs", "/a"), ("key", "k"), ("other", "9")]),
                "external_bad_bundle",
            ),
        ] {
            assert_eq!(
                manifest.fill(Path::new("/b"), &given, false).unwrap_err().code(),
                code
            );
        }
    }

    #[test]
    fn programs_are_found_by_what_they_are() {
        let fill = |server: Value, uv| {
            let filled = manifest(server, json!({})).fill(Path::new("/b"), &values(&[]), uv);
            filled.map(|filled| {
                let entry = filled.entry;
                [vec![entry.command.unwrap()], entry.args].concat().join(" ")
            })
        };
        let binary = json!({"type": "binary", "entry_point": "server/run", "mcp_config": {
            "command": "server/run", "platform_overrides": {PLATFORM: {"args": ["--here"]}},
        }});
        assert_eq!(fill(binary, false).unwrap(), "/b/server/run --here");
        let bare = |kind: &str| json!({"type": kind, "entry_point": "main"});
        assert_eq!(fill(bare("node"), false).unwrap(), "node /b/main");
        assert_eq!(fill(bare("python"), false).unwrap_err().code(), "external_no_uv");
        assert_eq!(
            fill(bare("python"), true).unwrap(),
            "uv run --project /b python3 /b/main"
        );
    }
}
