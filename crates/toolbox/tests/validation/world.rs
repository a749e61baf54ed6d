//! A data home with tools in it, looked over by the real engine behind the real walls.

use base::name::ToolName;
use base::settings::SecretsIn;
use base::{DataHome, Lang, LiveLang, Settings};
use runtime::host::Host;
use secrets::Vault;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::Store;
use toolbox::Toolbox;
use toolbox::validate::{Level, Severity, Validation};

/// A tool with which nothing is wrong; cases change a part of it. Lines count: findings name them.
pub const GOOD: &str = "export default {
  getDependencies() { return {}; },
  getMetadata() {
    return { name: 'good', description: 'A tool for tests of checks', version: '1.0.0', tags: ['a'] };
  },
  getSchema() {
    return {
      parameters: { type: 'object', properties: { a: { type: 'string', description: 'text' } }, required: ['a'] },
      environment: { type: 'object', properties: { LEVEL: { type: 'string', description: 'how much' } } },
    };
  },
  getBusinessErrors() {
    return [{ code: 'WRONG', description: 'it is wrong', solution: 'put it right', match: /wrong/, retryable: false }];
  },
  async execute(params) {
    if (typeof params.a !== 'string') throw new Error('the parameter a is missing or wrong');
    return { a: params.a };
  },
};
";

pub struct World {
    pub home: DataHome,
    pub toolbox: Toolbox,
    _dir: tempfile::TempDir,
}

impl World {
    /// Blocking parts and all; in a runtime.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = DataHome::at(dir.path().join("h")).unwrap().prepare().unwrap();
        let settings = Settings::default();
        let store = Store::open(&home, settings.retention.events).unwrap();
        let vault = Arc::new(Vault::at(home.secrets(), SecretsIn::File));
        let host = Host::start().unwrap();
        let toolbox = Toolbox::open(
            home.clone(),
            Default::default(),
            store,
            vault,
            host,
            settings,
            LiveLang::new(Lang::En),
        )
        .unwrap();
        World {
            home,
            toolbox,
            _dir: dir,
        }
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        self.home.toolbox().join(name)
    }

    pub fn put(&self, name: &str, source: &str) -> PathBuf {
        let folder = self.folder(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.tool.js")), source).unwrap();
        folder
    }

    pub async fn validate(&self, name: &str, level: Level) -> Validation {
        let name = ToolName::parse(name).unwrap();
        self.toolbox.validate(&name, level).await.unwrap()
    }
}

/// Codes and lines of all but notes.
pub fn complaints(found: &Validation) -> Vec<String> {
    let all = found
        .findings
        .iter()
        .filter(|one| one.check.severity() != Severity::Note);
    let shown = all.map(|one| {
        let line = one.place.as_ref().map_or(0, |place| place.line);
        format!("{}:{line} {:?}", one.check.code(), one.args)
    });
    shown.collect()
}

/// Everything below a folder: what it is, its mode, its contents.
pub fn fingerprint(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    use std::os::unix::fs::MetadataExt;
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let data = path.symlink_metadata().unwrap();
            let contents = match data.is_file() {
                true => std::fs::read(&path).unwrap(),
                false => Vec::new(),
            };
            if data.is_dir() {
                folders.push(path.clone());
            }
            all.insert(path, (data.mode(), contents));
        }
    }
    all
}
