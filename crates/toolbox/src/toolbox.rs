//! The toolbox as the server uses it: tools, their configuration, their rights.

use crate::catalog::{Catalog, Glance, Tool, blocking};
use crate::configure::{self, Applied, Change, ConfigureError};
use crate::directories::{self, Directories};
use crate::env_file::EnvFile;
use crate::env_secrets::Stored;
use crate::fingerprint;
use crate::model::Description;
use crate::newcomers::Newcomers;
use crate::rights;
use crate::run_log::{RunLog, RunLogs, Secrets};
use crate::sync;
use crate::validate;
use base::name::ToolName;
use base::{DataHome, Event, Failure, Lang, LiveLang, Settings};
use runtime::host::Host;
use secrets::{Patience, Vault};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use store::{Actor, AuditEntry, Grant, GrantKind, Store};

/// Everything about tools. Cheap to clone.
#[derive(Clone)]
pub struct Toolbox {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) home: DataHome,
    pub(crate) built_ins: sync::BuiltIns,
    pub(crate) store: Store,
    pub(crate) vault: Arc<Vault>,
    pub(crate) host: Host,
    pub(crate) logs: RunLogs,
    /// As they were at the start; what a person changes meanwhile is beside them.
    pub(crate) settings: Settings,
    lang: LiveLang,
    pub(crate) catalog: Catalog,
    pub(crate) newcomers: Newcomers,
    pub(crate) dependencies: crate::dependencies::Known,
    pub(crate) validating: tokio::sync::Semaphore,
    pub(crate) turns: crate::lifecycle::Turns,
    /// One change of a tool's `.env` at a time.
    configuring: Mutex<HashMap<ToolName, Arc<tokio::sync::Mutex<()>>>>,
}

/// Rights of a tool as a person sees them.
#[derive(Clone, Debug)]
pub struct RightsView {
    pub requested: Vec<PathBuf>,
    pub granted: Vec<String>,
    pub effective: Vec<PathBuf>,
}

impl Toolbox {
    /// Puts in order what a kill left, syncs the built-in tools and starts the log writer. Blocking; once, at
    /// start; inside a tokio runtime.
    pub fn open(
        home: DataHome,
        built_ins: sync::BuiltIns,
        store: Store,
        vault: Arc<Vault>,
        host: Host,
        settings: Settings,
        lang: LiveLang,
    ) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| unreadable(&home.toolbox(), &error);
        crate::lifecycle::recover(&home, &store).map_err(failed)?;
        sync::sweep(&home).map_err(failed)?;
        crate::dependencies::commands::sweep(&home);
        validate::copy::sweep(&home);
        // Before the built-in tools come: a tool of the old layout takes nobody's place.
        if let Err(error) = crate::lifecycle::old_layout::run(&home, &|tool| built_ins.has(tool)) {
            tracing::error!(%error, "tools of the old layout were not looked at");
        }
        for error in sync::run(&home, &built_ins) {
            tracing::error!(tool = error.tool, error = %base::failure::chain(&error), "a built-in tool could not be synced");
        }
        let logs = RunLogs::start(home.clone(), |_| {}).map_err(failed)?;
        let catalog = Catalog::new(
            home.clone(),
            built_ins.clone(),
            store.clone(),
            host.clone(),
            lang.clone(),
        );
        let inner = Inner {
            home,
            built_ins,
            store,
            vault,
            host,
            logs,
            settings,
            lang,
            catalog,
            newcomers: Newcomers::default(),
            dependencies: Default::default(),
            validating: tokio::sync::Semaphore::new(validate::AT_ONCE),
            turns: Default::default(),
            configuring: Mutex::default(),
        };
        Ok(Toolbox {
            inner: Arc::new(inner),
        })
    }

    pub fn lang(&self) -> Lang {
        self.inner.lang.get()
    }

    pub fn home(&self) -> &DataHome {
        &self.inner.home
    }

    /// Names of all tools, sorted.
    pub async fn names(&self) -> Result<Vec<ToolName>, Failure> {
        self.inner
            .catalog
            .names()
            .await
            .map_err(|error| unreadable(&self.inner.home.toolbox(), &error))
    }

    /// All tools, sorted by name; those that cannot be read are there with their failure.
    pub async fn list(&self) -> Result<Vec<Arc<Tool>>, Failure> {
        let mut running = tokio::task::JoinSet::new();
        for (at, name) in self.names().await?.into_iter().enumerate() {
            let toolbox = self.clone();
            running.spawn(async move { (at, toolbox.find(&name).await) });
        }
        let mut found = Vec::new();
        while let Some(joined) = running.join_next().await {
            let (at, tool) = joined.map_err(|error| Failure::new("internal").detail(error.to_string()))?;
            // A tool that vanished meanwhile is not in the list.
            if let Some(tool) = tool {
                found.push((at, tool));
            }
        }
        found.sort_by_key(|(at, _)| *at);
        Ok(found.into_iter().map(|(_, tool)| tool).collect())
    }

    pub async fn find(&self, name: &ToolName) -> Option<Arc<Tool>> {
        self.inner.catalog.get(name).await
    }

    /// The tool, or `unknown_tool` with the names there are.
    pub async fn get(&self, name: &ToolName) -> Result<Arc<Tool>, Failure> {
        match self.find(name).await {
            Some(tool) => Ok(tool),
            None => {
                let names: Vec<String> = self.names().await?.iter().map(ToString::to_string).collect();
                Err(Failure::new("unknown_tool")
                    .with("tool", name.as_str())
                    .with("available", names.join(", ")))
            }
        }
    }

    /// Looks at everything again.
    pub async fn rescan(&self) -> Result<Vec<Glance>, Failure> {
        self.inner.catalog.forget();
        let tools = self.glance().await?;
        self.inner
            .store
            .announce(vec![Event::new("tool.changed", json!({})).tag("tools")])
            .await?;
        Ok(tools)
    }

    /// Ok when there is such a tool, described or not; else `unknown_tool` as [`Toolbox::get`] has it.
    pub async fn known(&self, name: &ToolName) -> Result<(), Failure> {
        let (folder, tool) = (self.inner.home.tool(name), name.clone());
        match blocking(move || Ok(fingerprint::main_in(&folder, &tool).is_some())).await {
            Ok(true) => Ok(()),
            _ => self.get(name).await.map(|_| ()),
        }
    }

    /// `.env` of a tool.
    pub async fn env_file(&self, tool: &Tool) -> Result<EnvFile, Failure> {
        let path = tool.folder.join(".env");
        Ok(tokio::task::spawn_blocking(move || EnvFile::load(&path))
            .await
            .map_err(join_failed)??)
    }

    /// The environment a run gets: an allow-list of ours, then the tool's, then `.env`.
    pub fn environment(
        &self,
        description: &Description,
        env: BTreeMap<String, String>,
    ) -> BTreeMap<String, String> {
        const INHERITED: &[&str] = &[
            "PATH",
            "HOME",
            "LANG",
            "TZ",
            "TMPDIR",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "NO_PROXY",
            "ALL_PROXY",
            "http_proxy",
            "https_proxy",
            "no_proxy",
            "all_proxy",
        ];
        let mut all: BTreeMap<String, String> = INHERITED
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .collect();
        all.extend(description.runtime.environment.clone());
        all.extend(env);
        all
    }

    /// Changes `.env` with one write. When a person does it, directories she names are granted.
    pub async fn configure(
        &self,
        tool: &Tool,
        change: Change<'_>,
        actor: &Actor,
    ) -> Result<Applied, Failure> {
        let values = change.values;
        let description = tool.described()?;
        let lock = self.configuring(&tool.name);
        let _one = lock.lock().await;
        let before = self.env_file(tool).await?;
        let mut file = before.clone();
        let now = self.opened(&tool.name, file.clone()).await?.values;
        let mut applied = configure::apply_over(&description.schema.environment, &mut file, &now, change)
            .map_err(|error| invalid(error, self.lang()))?;
        if applied.changed.is_empty() {
            return Ok(applied);
        }
        let wanted = self.wanted(tool, description, &file)?;
        if values.contains_key(directories::VARIABLE) {
            for path in &wanted.paths {
                rights::check_reserved(&self.inner.home, &tool.folder, path)?;
            }
        }
        let names = applied.changed.clone();
        let stored = self.stored(tool, description, before, file, names).await?;
        self.save_stored(tool, stored, &applied.changed, actor).await?;
        if actor.kind == "person" && values.contains_key(directories::VARIABLE) {
            for path in wanted
                .paths
                .iter()
                .filter(|path| !path.starts_with(self.inner.home.root()))
            {
                // A folder that is not there yet can be granted when it is.
                if let Err(failure) = self.grant(tool, path.clone(), actor).await {
                    applied.warnings.push(failure);
                }
            }
        }
        self.changed(&tool.name).await?;
        Ok(applied)
    }

    /// Writes `.env` after its secrets were stored, and then forgets those that they replace.
    pub(crate) async fn save_stored(
        &self,
        tool: &Tool,
        stored: Stored,
        names: &[String],
        actor: &Actor,
    ) -> Result<(), Failure> {
        let saved = self.save_env(tool, stored.file.clone(), names, actor).await;
        // What could not be written names nothing new; what was written and not noted does.
        let written = saved.is_ok()
            || self
                .env_file(tool)
                .await
                .is_ok_and(|file| file.values() == stored.file.values());
        self.settled(stored, written).await;
        saved
    }

    /// Writes `.env` and who did it.
    async fn save_env(
        &self,
        tool: &Tool,
        file: EnvFile,
        names: &[String],
        actor: &Actor,
    ) -> Result<(), Failure> {
        let path = tool.folder.join(".env");
        let name = tool.name.to_string();
        let saved = tokio::task::spawn_blocking(move || file.save(&path, &name)).await;
        saved.map_err(join_failed)??;
        let entry = AuditEntry {
            actor: actor.clone(),
            action: "configure".to_owned(),
            subject: tool.name.to_string(),
            detail: json!({"names": names}),
        };
        Ok(self.inner.store.audit(entry).await?)
    }

    /// What the tool asks for now.
    pub fn wanted(
        &self,
        tool: &Tool,
        description: &Description,
        env: &EnvFile,
    ) -> Result<Directories, Failure> {
        let declared = &description.runtime.allowed_directories;
        Ok(directories::allowed(
            &self.inner.home,
            &tool.name,
            env.get(directories::VARIABLE),
            declared,
        )?)
    }

    /// Where a tool may go by a person's grants. A built-in's grants outlive its updates; any
    /// other tool's are for the code that she saw.
    pub async fn granted(&self, tool: &Tool) -> Result<Vec<PathBuf>, Failure> {
        let code = (!tool.built_in).then(|| tool.hash.clone());
        let values = self
            .inner
            .store
            .grants(tool.name.to_string(), GrantKind::Directory, code)
            .await?;
        Ok(values.into_iter().map(PathBuf::from).collect())
    }

    pub async fn rights_view(&self, tool: &Tool) -> Result<RightsView, Failure> {
        let description = tool.described()?;
        let env = self.env_file(tool).await?;
        let wanted = self.wanted(tool, description, &env)?;
        let granted = self.granted(tool).await?;
        let waiting = rights::waiting(&self.inner.home, tool, &wanted, &granted);
        let effective = wanted
            .paths
            .iter()
            .filter(|path| !waiting.contains(path))
            .cloned()
            .collect();
        Ok(RightsView {
            requested: wanted.paths,
            granted: granted.iter().map(|path| path.display().to_string()).collect(),
            effective,
        })
    }

    /// Grants a directory that a person chose. What the tool did not ask for until now it asks
    /// for from now on: otherwise her grant would open nothing.
    pub async fn allow(&self, tool: &Tool, path: PathBuf, actor: &Actor) -> Result<(), Failure> {
        let path = self.grant(tool, path, actor).await?;
        let lock = self.configuring(&tool.name);
        let _one = lock.lock().await;
        let mut file = self.env_file(tool).await?;
        let mut asked = self.wanted(tool, tool.described()?, &file)?.paths;
        let (found, named) = (path.clone(), asked.clone());
        let answers_a_request = blocking(move || {
            let mut places = named
                .iter()
                .map(|named| std::fs::canonicalize(named).unwrap_or_else(|_| named.clone()));
            Ok(places.any(|place| place.starts_with(&found) || found.starts_with(&place)))
        });
        let answers_a_request = answers_a_request
            .await
            .map_err(|error| unreadable(&tool.folder, &error))?;
        if answers_a_request {
            return Ok(());
        }
        asked.push(path);
        let list = json!(asked).to_string();
        file.set(directories::VARIABLE, &list)?;
        self.save_env(tool, file, &[directories::VARIABLE.to_owned()], actor)
            .await?;
        self.changed(&tool.name).await
    }

    /// Grants a directory to a tool: the place where the path leads now, which it gives back. Only
    /// persons get here.
    async fn grant(&self, tool: &Tool, path: PathBuf, actor: &Actor) -> Result<PathBuf, Failure> {
        rights::check_reserved(&self.inner.home, &tool.folder, &path)?;
        let shown = path.display().to_string();
        let found = blocking(move || std::fs::canonicalize(&path).map(|found| (found.is_dir(), found))).await;
        let path = match found {
            Ok((true, found)) => found,
            _ => return Err(Failure::new("directory_missing").with("directory", shown)),
        };
        rights::check_reserved(&self.inner.home, &tool.folder, &path)?;
        let grant = Grant {
            subject: tool.name.to_string(),
            kind: GrantKind::Directory,
            value: path.display().to_string(),
            code_hash: tool.hash.clone(),
            actor: actor.clone(),
        };
        self.inner.store.add_grant(grant).await?;
        Ok(path)
    }

    /// Whether there was such a grant. The tool's warm worker ends: it still has the mount.
    pub async fn revoke(
        &self,
        tool: &ToolName,
        path: &std::path::Path,
        actor: &Actor,
    ) -> Result<bool, Failure> {
        // Grants are kept by where they lead; a folder that is gone is named as it was.
        let path = path.to_owned();
        let path = blocking(move || Ok(std::fs::canonicalize(&path).unwrap_or(path)))
            .await
            .map_err(|error| unreadable(&self.inner.home.toolbox(), &error))?;
        let value = path.display().to_string();
        let gone = self
            .inner
            .store
            .revoke(tool.to_string(), GrantKind::Directory, value, actor.clone())
            .await?;
        self.inner.host.retire(tool.as_str());
        Ok(gone)
    }

    /// An absolute, normalised path from what a person wrote.
    pub fn directory(&self, text: &str) -> Result<PathBuf, Failure> {
        let path = self.inner.home.expand(text)?;
        if !path.is_absolute() {
            return Err(Failure::new("directory_relative").with("entry", text));
        }
        Ok(directories::normalised(&path))
    }

    /// The tool's log, masking its secrets: those of its environment, and what came from the vault,
    /// whatever it is called.
    pub fn log_of(
        &self,
        tool: &Tool,
        environment: &BTreeMap<String, String>,
        kept: impl Iterator<Item = String>,
    ) -> RunLog {
        let mut secrets = match &tool.description {
            Ok(description) => configure::secret_values(&description.schema.environment, environment),
            Err(_) => Vec::new(),
        };
        secrets.extend(kept);
        self.inner.logs.of(&tool.name, Secrets::new(secrets))
    }

    /// Secret values of all tools, for records that are no single tool's own.
    pub async fn secrets(&self) -> Vec<String> {
        let mut all = Vec::new();
        for name in self.names().await.unwrap_or_default() {
            let path = self.inner.home.tool(&name).join(".env");
            let loaded = tokio::task::spawn_blocking(move || EnvFile::load(&path)).await;
            let Ok(Ok(file)) = loaded else { continue };
            // What cannot be had now is learnt when a run gets it.
            let Ok(opened) = self.opened_within(&name, file, Patience::Short).await else {
                continue;
            };
            if opened.values.is_empty() {
                continue;
            }
            all.extend(opened.secrets());
            let values = opened.values;
            // A tool that cannot be described may have declared any of them a secret.
            match self.find(&name).await.as_deref().map(|tool| &tool.description) {
                Some(Ok(description)) => {
                    all.extend(configure::secret_values(&description.schema.environment, &values))
                }
                Some(Err(_)) | None => all.extend(values.into_values()),
            }
        }
        all
    }

    /// The hourly task of seed 002 section 6.3.4.
    pub async fn clean_logs(&self) {
        if let Err(error) = self.inner.logs.clean_all().await {
            tracing::warn!(%error, "run logs were not cleaned");
        }
    }

    pub(crate) async fn changed(&self, tool: &ToolName) -> Result<(), Failure> {
        let event = Event::new("tool.changed", json!({"tool": tool.as_str()})).tag("tools");
        Ok(self.inner.store.announce(vec![event]).await?)
    }

    pub(crate) fn configuring(&self, tool: &ToolName) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self
            .inner
            .configuring
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        locks.entry(tool.clone()).or_default().clone()
    }

    /// Whether every required variable has a value.
    pub async fn configured(&self, tool: &Tool) -> Result<configure::State, Failure> {
        let description = tool.described()?;
        // Which are set is asked, not what they are: nobody has to unlock anything.
        let values = self.env_file(tool).await?.values();
        Ok(configure::state(&description.schema.environment, &values))
    }
}

fn invalid(error: ConfigureError, lang: Lang) -> Failure {
    let words = match &error {
        ConfigureError::Invalid(violations) => violations
            .iter()
            .map(|one| one.words(lang))
            .collect::<Vec<_>>()
            .join("; "),
        ConfigureError::Env(_)
        | ConfigureError::NotSet { .. }
        | ConfigureError::Reference { .. }
        | ConfigureError::KeptInEnv => String::new(),
    };
    Failure::from(error).with("violations", words)
}

pub(crate) fn unreadable(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::new("toolbox_io")
        .with("path", path.display().to_string())
        .with("reason", error.to_string())
}

pub(crate) fn join_failed(error: tokio::task::JoinError) -> Failure {
    Failure::new("internal").detail(error.to_string())
}
