//! A tool's `package.json`: made when it is missing, brought up to date with what the tool declares,
//! everything a person added kept.
//!
//! Which of the declared dependencies come from npm is decided before
//! ([`crate::model::Description::dependency_sources`] and the registry).

use crate::model::DEFAULT_VERSION;
use base::atomic::{self, Access};
use base::name::ToolName;
use base::{Args, Coded, Failure, args, clock};
use serde_json::{Map, Value, json};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Our own field, which npm ignores: the tool's previous list, so that what it drops can leave.
const OWN_FIELD: &str = "promptManager";
const MAX_BYTES: u64 = 1024 * 1024;

/// What the tool says of itself.
#[derive(Clone, Debug)]
pub struct Declared<'a> {
    pub tool: &'a ToolName,
    pub description: &'a str,
    pub npm: &'a [(String, String)],
    /// Of `npm`: what turned out to be commands of the machine. They are remembered in the file as
    /// long as the tool declares them so.
    pub commands: &'a [(String, String)],
}

/// What [`update`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Updated {
    pub changed: bool,
    /// All dependencies that the file now has.
    pub dependencies: Vec<(String, String)>,
    /// `package_json_broken` when an unreadable file was put aside.
    pub problem: Option<Failure>,
}

#[derive(Debug, thiserror::Error)]
#[error("{path}")]
pub struct PackageJsonError {
    pub path: PathBuf,
    #[source]
    pub source: io::Error,
}

impl Coded for PackageJsonError {
    fn code(&self) -> &'static str {
        "package_json_io"
    }

    fn args(&self) -> Args {
        args! { path: self.path, reason: self.source.to_string() }
    }
}

/// Brings `folder/package.json` up to date; writes only when something changes.
pub fn update(folder: &Path, declared: &Declared<'_>) -> Result<Updated, PackageJsonError> {
    let path = folder.join("package.json");
    let failed = |path: &Path, source| PackageJsonError {
        path: path.to_owned(),
        source,
    };
    let old = read(&path).map_err(|source| failed(&path, source))?;
    let (existing, problem) = match old.as_deref().map(parse) {
        None => (Map::new(), None),
        Some(Ok(map)) => (map, None),
        Some(Err(reason)) => {
            let backup = folder.join(format!("package.json.broken-{}", clock::stamp_for_names()));
            let bytes = old.as_deref().unwrap_or_default();
            atomic::write(&backup, bytes, Access::Shared).map_err(|source| failed(&backup, source))?;
            let problem = Failure::new("package_json_broken")
                .with("tool", declared.tool.as_str())
                .with("backup", backup.display().to_string())
                .detail(reason.to_string());
            (Map::new(), Some(problem))
        }
    };
    let merged = merge(existing, declared);
    let dependencies = dependencies_of(&merged);
    let text = to_text(&Value::Object(merged)).map_err(|error| failed(&path, error.into()))?;
    let changed = old.as_deref() != Some(text.as_bytes());
    if changed {
        atomic::write(&path, text.as_bytes(), Access::Shared).map_err(|source| failed(&path, source))?;
    }
    Ok(Updated {
        changed,
        dependencies,
        problem,
    })
}

/// The merged file. Fields keep their places; unknown ones are kept.
pub fn merge(mut file: Map<String, Value>, declared: &Declared<'_>) -> Map<String, Value> {
    let tool = declared.tool;
    let previous = previous_list(&file);
    let description = match declared.description.trim() {
        "" => format!("Prompt Manager Tool: {tool}"),
        text => text.to_owned(),
    };
    file.insert("name".to_owned(), json!(format!("@prompt-manager/{tool}")));
    keep_text(&mut file, "version", DEFAULT_VERSION);
    keep_text(&mut file, "description", &description);
    file.insert("main".to_owned(), json!(tool.main_file()));
    file.insert("type".to_owned(), json!("module"));
    // Taken out and put back at its place: `remove` would disturb the order of the others.
    let mut dependencies = match file.insert("dependencies".to_owned(), Value::Null) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    dependencies.retain(|name, _| !previous.contains(name));
    let (mut own, mut commands) = (Map::new(), Map::new());
    let known = commands_of(&file);
    for entry @ (name, range) in declared.npm {
        if known.contains(entry) || declared.commands.contains(entry) {
            commands.insert(name.clone(), json!(range));
            continue;
        }
        dependencies.insert(name.clone(), json!(range));
        own.insert(name.clone(), json!(range));
    }
    dependencies.sort_keys();
    file.insert("dependencies".to_owned(), Value::Object(dependencies));
    file.insert("private".to_owned(), Value::Bool(true));
    let field = file.entry(OWN_FIELD).or_insert_with(|| json!({}));
    match field {
        Value::Object(map) => {
            map.insert("dependencies".to_owned(), Value::Object(own));
            map.remove("commands");
        }
        other => *other = json!({ "dependencies": own }),
    }
    if let Some(Value::Object(map)) = file.get_mut(OWN_FIELD)
        && !commands.is_empty()
    {
        map.insert("commands".to_owned(), Value::Object(commands));
    }
    file
}

/// What of `npm` comes from npm, and what turned out to be a command of the machine.
#[allow(clippy::type_complexity, reason = "two lists of the same kind")]
pub fn split(folder: &Path, npm: Vec<(String, String)>) -> (Vec<(String, String)>, Vec<(String, String)>) {
    if npm.is_empty() {
        return (npm, Vec::new());
    }
    let known = commands_of(&readable(folder));
    npm.into_iter().partition(|entry| !known.contains(entry))
}

/// All npm packages that `folder/package.json` wants; none when it cannot be read.
pub fn dependencies(folder: &Path) -> Vec<(String, String)> {
    dependencies_of(&readable(folder))
}

/// All packages that an install into `folder` puts there, as its manifest is.
pub fn packages(folder: &Path) -> Vec<(String, String)> {
    packages_of(&readable(folder))
}

/// All packages that an install into `folder` would put there once [`update`] was done; nothing is written.
pub fn wanted(folder: &Path, declared: &Declared<'_>) -> Vec<(String, String)> {
    packages_of(&merge(readable(folder), declared))
}

/// In the order in which they rule over each other.
fn packages_of(file: &Map<String, Value>) -> Vec<(String, String)> {
    let fields = ["peerDependencies", "dependencies", "optionalDependencies"];
    fields.iter().flat_map(|field| list_of(file, field)).collect()
}

fn readable(folder: &Path) -> Map<String, Value> {
    let bytes = read(&folder.join("package.json")).ok().flatten();
    bytes.and_then(|bytes| parse(&bytes).ok()).unwrap_or_default()
}

fn commands_of(file: &Map<String, Value>) -> Vec<(String, String)> {
    let map = file.get(OWN_FIELD).and_then(|own| own.get("commands"));
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    entries
        .filter_map(|(name, range)| Some((name.clone(), range.as_str()?.to_owned())))
        .collect()
}

fn previous_list(file: &Map<String, Value>) -> Vec<String> {
    let list = file.get(OWN_FIELD).and_then(|own| own.get("dependencies"));
    match list {
        Some(Value::Object(map)) => map.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

fn keep_text(file: &mut Map<String, Value>, field: &str, fallback: &str) {
    let usable = file
        .get(field)
        .and_then(Value::as_str)
        .is_some_and(|text| !text.trim().is_empty());
    if !usable {
        file.insert(field.to_owned(), json!(fallback));
    }
}

fn dependencies_of(file: &Map<String, Value>) -> Vec<(String, String)> {
    list_of(file, "dependencies")
}

fn list_of(file: &Map<String, Value>, field: &str) -> Vec<(String, String)> {
    let map = file.get(field).and_then(Value::as_object);
    map.into_iter()
        .flatten()
        .filter_map(|(name, range)| Some((name.clone(), range.as_str()?.to_owned())))
        .collect()
}

fn to_text(value: &Value) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

fn parse(bytes: &[u8]) -> Result<Map<String, Value>, serde_json::Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes)
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "package.json is too large",
        )),
        false => Ok(Some(bytes)),
    }
}
