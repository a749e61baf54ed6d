//! An install into one folder: settings, progress, its end.

use super::look::Look;
use super::{commands, progress};
use crate::catalog::blocking;
use crate::model::Description;
use crate::modes::{Call, Detail, OpenRun};
use crate::package_json;
use crate::requirements::Requirements;
use crate::toolbox::{Toolbox, join_failed, unreadable};
use base::name::ToolName;
use base::{Event, Failure, clock};
use npm::{Install, LinkPolicy, LocalFiles, Mode, NpmError, Npmrc, Platform, Progress, Report, Trust};
use runtime::host::Tier;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Run;
use tokio::sync::watch;

/// Seed 002 section 5.1.
pub(super) const LIMIT: Duration = Duration::from_secs(300);

/// What is installed into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    Tool(ToolName),
    /// A folder of the person's with a `package.json`; absolute.
    Folder(PathBuf),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// The lock must answer `package.json` as it is.
    pub frozen: bool,
    pub offline: bool,
    /// Even if there seems to be nothing to do.
    pub again: bool,
}

/// An install that a person asked for, and how it ended.
#[derive(Debug)]
pub struct Installed {
    pub run: String,
    pub result: Result<Report, Failure>,
    pub took: Duration,
}

pub(super) struct Place {
    pub(super) folder: PathBuf,
    pub(super) tool: Option<ToolName>,
    /// The tool as it will be: the folder is not its place yet, and nothing runs in it.
    pub(super) beside: Option<Arc<Description>>,
}

/// What runs of installs are called in records: `install:` and the tool or the folder.
pub fn subject(tool: Option<&str>, folder: &Path) -> String {
    match tool {
        Some(tool) => format!("install:{tool}"),
        None => format!("install:{}", folder.display()),
    }
}

impl Toolbox {
    /// Installs because a person wants it: a run of its own. `Err` means that it was not begun.
    pub async fn install(
        &self,
        target: Target,
        options: InstallOptions,
        call: Call<'_>,
    ) -> Result<Installed, Failure> {
        let place = self.place(target).await?;
        let subject = place.subject();
        let _unchanged = match &place.tool {
            Some(tool) => Some(self.inner.turns.unchanged(tool).await),
            None => None,
        };
        let (run, open) = self.begin(&subject, &call).await?;
        let (started_at, started) = (clock::now_ms(), Instant::now());
        let event = Event::new("run.started", json!({"run": run, "subject": subject})).tag("runs");
        self.inner.store.announce(vec![event]).await?;
        let result = self.install_into(&place, options, &run, open.as_ref()).await;
        let took = started.elapsed();
        open.over();
        let mut detail = Detail::default();
        detail.given(
            &json!({"frozen": options.frozen, "offline": options.offline}).to_string(),
            str::to_owned,
        );
        match &result {
            Ok(report) => detail.gave(&json!(report).to_string(), str::to_owned),
            Err(failure) => detail.failed(failure, None),
        }
        let row = Run {
            id: run.clone(),
            subject,
            started_at,
            duration_ms: took.as_secs_f64() * 1000.0,
            success: result.is_ok(),
            error: result.as_ref().err().map(|failure| failure.code.clone()),
            actor: call.actor.clone(),
            memory: None,
            about: None,
        };
        self.keep(row, &detail, Vec::new()).await;
        if let (Ok(_), Some(tool)) = (&result, &place.tool) {
            self.changed(tool).await?;
        }
        Ok(Installed { run, result, took })
    }

    /// What `node_modules` of a tool or a folder has that its lock does not say, and the other way
    /// round.
    pub async fn verify_install(&self, target: Target) -> Result<Vec<npm::Difference>, Failure> {
        let place = self.place(target).await?;
        let (store, platform) = (self.inner.home.packages(), self.platform());
        let looked = tokio::task::spawn_blocking(move || {
            let store = npm::PackageStore::open(&store)?;
            npm::verify(&place.folder, &store, &platform)
        });
        Ok(looked.await.map_err(join_failed)??)
    }

    /// A folder that is a tool's is that tool.
    async fn place(&self, target: Target) -> Result<Place, Failure> {
        let named = match target {
            Target::Tool(name) => name,
            Target::Folder(folder) => {
                let toolbox = self.inner.home.toolbox();
                let real = {
                    let folder = folder.clone();
                    blocking(move || std::fs::canonicalize(folder)).await
                };
                let real = real.map_err(|error| unreadable(&folder, &error))?;
                let name = real.strip_prefix(&toolbox).ok().and_then(|below| below.to_str());
                match name.map(ToolName::parse) {
                    Some(Ok(name)) => name,
                    // Nothing else of the data home is anybody's to install into.
                    _ if real.starts_with(self.inner.home.root())
                        && !real.starts_with(self.inner.home.workspaces()) =>
                    {
                        return Err(
                            Failure::new("directory_reserved").with("path", real.display().to_string())
                        );
                    }
                    _ => {
                        return Ok(Place {
                            folder: real,
                            tool: None,
                            beside: None,
                        });
                    }
                }
            }
        };
        let tool = self.get(&named).await?;
        tool.described()?;
        Ok(self.place_of(&tool))
    }

    /// Installs and remembers that it is done.
    pub(super) async fn install_into(
        &self,
        place: &Place,
        options: InstallOptions,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<Report, Failure> {
        let subject = place.subject();
        let mut found_commands = Vec::new();
        let result = loop {
            if let Some(requirements) = self.requirements_of(place).await? {
                break self
                    .install_python(place, &requirements, options, run, open)
                    .await;
            }
            self.bring_up_to_date(place, &found_commands).await?;
            match self.attempt_install(place, options, run, open).await {
                Err(Stopped::Npm(error)) => match self.is_command(place, &error).await {
                    Some(command) if !found_commands.contains(&command) => {
                        let (name, range) = command.clone();
                        if let Err(failure) = self.commands_there(&[(name, Some(range))]).await {
                            break Err(failure);
                        }
                        found_commands.push(command);
                    }
                    _ => break Err(Failure::from(error)),
                },
                Err(Stopped::Other(failure)) => break Err(failure),
                Ok(report) => break Ok(report),
            }
        };
        let worth_telling = result.as_ref().map_or(true, |report| report.changed);
        if worth_telling {
            let error = result.as_ref().err().map(|failure| failure.code.as_str());
            self.inner
                .store
                .announce(vec![progress::ended(run, &subject, error)])
                .await?;
        }
        let report = result?;
        let folder = place.folder.clone();
        let look = blocking(move || Ok(Look::at(&folder))).await;
        let look = look.map_err(|error| unreadable(&place.folder, &error))?;
        self.inner
            .dependencies
            .settled()
            .insert(place.folder.clone(), look);
        Ok(report)
    }

    /// `package.json` says what the tool declares now.
    async fn bring_up_to_date(&self, place: &Place, commands: &[(String, String)]) -> Result<(), Failure> {
        let Some(name) = &place.tool else { return Ok(()) };
        let description = self.description_of(place, name).await?;
        if description.is_python() {
            return Ok(());
        }
        let npm = description.dependency_sources().npm;
        let text = description.metadata.description.clone();
        let (name, folder, commands) = (name.clone(), place.folder.clone(), commands.to_owned());
        let updated = tokio::task::spawn_blocking(move || {
            let declared = package_json::Declared {
                tool: &name,
                description: &text,
                npm: &npm,
                commands: &commands,
            };
            package_json::update(&folder, &declared)
        });
        updated.await.map_err(join_failed)??;
        Ok(())
    }

    /// Of a tool in Python.
    async fn requirements_of(&self, place: &Place) -> Result<Option<Requirements>, Failure> {
        let Some(name) = &place.tool else { return Ok(None) };
        Ok(self
            .description_of(place, name)
            .await?
            .dependency_sources()
            .python)
    }

    async fn description_of(&self, place: &Place, tool: &ToolName) -> Result<Arc<Description>, Failure> {
        match &place.beside {
            Some(description) => Ok(description.clone()),
            None => Ok(Arc::new(self.get(tool).await?.described()?.clone())),
        }
    }

    /// Packages of a tool that is not in its place yet. All that it depends on is there afterwards.
    pub(crate) async fn install_beside(
        &self,
        tool: ToolName,
        folder: PathBuf,
        description: Arc<Description>,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<(), Failure> {
        let sources = description.dependency_sources();
        let place = Place {
            folder: folder.clone(),
            tool: Some(tool),
            beside: Some(description),
        };
        self.bring_up_to_date(&place, &[]).await?;
        let own = folder.clone();
        let looked = tokio::task::spawn_blocking(move || super::look::look(&own, &sources, None));
        let found = looked.await.map_err(join_failed)??;
        if !found.files_missing.is_empty() {
            let files = found.files_missing.join(", ");
            return Err(Failure::new("local_file_missing").with("files", files));
        }
        self.commands_there(&found.commands).await?;
        if found.settled {
            return Ok(());
        }
        let installed = self
            .install_into(&place, InstallOptions::default(), run, open)
            .await;
        // The folder is about to have another name.
        self.inner.dependencies.settled().remove(&folder);
        installed.map(|_| ())
    }

    /// Another folder is in the tool's place.
    pub(crate) fn forget_dependencies(&self, tool: &ToolName) {
        let folder = self.inner.home.tool(tool);
        self.inner.dependencies.settled().remove(&folder);
        self.inner.dependencies.locks().remove(&folder);
    }

    /// Where a package is had that is to be a tool.
    pub(crate) async fn shop(&self) -> Result<npm::Shop, Failure> {
        let user = base::home::user_home()?;
        let empty = self.inner.home.tool_changes();
        let npmrc = blocking(move || {
            let environment = environment();
            Ok(Npmrc::load(&empty, Trust::Own, Some(&user), &environment))
        });
        let npmrc = npmrc
            .await
            .map_err(|error| unreadable(&self.inner.home.toolbox(), &error))?;
        Ok(npm::Shop {
            npmrc: npmrc?,
            mirrors: self.mirrors(),
            store: self.inner.home.packages(),
            platform: self.platform(),
        })
    }

    fn mirrors(&self) -> Vec<npm::Url> {
        let registries = self.inner.settings.npm.registries.iter();
        registries
            .filter_map(|text| npm::registry_url(text).ok())
            .collect()
    }

    /// A declared dependency that the registry cannot answer and that is a command here.
    async fn is_command(&self, place: &Place, error: &NpmError) -> Option<(String, String)> {
        let (name, spec) = match error {
            NpmError::NoVersion { name, spec } => (name, Some(spec)),
            NpmError::PackageNotFound { name } => (name, None),
            _ => return None,
        };
        let description = self.description_of(place, place.tool.as_ref()?).await.ok()?;
        let declared = description.dependency_sources().npm;
        let range = declared
            .iter()
            .find(|(own, range)| own == name && spec.is_none_or(|spec| spec == range));
        let (_, range) = range?;
        commands::on_path(name).await?;
        Some((name.clone(), range.clone()))
    }

    async fn attempt_install(
        &self,
        place: &Place,
        options: InstallOptions,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<Report, Stopped> {
        let subject = place.subject();
        let (tell, mut told) = watch::channel(None::<Progress>);
        let mut install = self.install_settings(place, options).await?;
        install.progress = Arc::new(move |at| {
            tell.send_replace(Some(at));
        });
        let _installing = Installing::begin(self, &place.folder, run);
        let mut installing = std::pin::pin!(npm::install(install));
        let cancel = open.cancel();
        let mut phase = "";
        loop {
            tokio::select! {
                biased;
                done = &mut installing => return done.map_err(Stopped::Npm),
                () = cancel.cancelled() => return Err(Failure::new("cancelled").into()),
                Ok(()) = told.changed() => {
                    let Some(at) = *told.borrow_and_update() else { continue };
                    let text = progress::text(&at, self.lang());
                    open.progress(progress::share(&at), Some(progress::WHOLE), Some(text));
                    let now = progress::name(at.phase);
                    if now != std::mem::replace(&mut phase, now) && now != "done" {
                        let event = progress::event(run, &subject, &at);
                        self.inner.store.announce(vec![event]).await.map_err(Failure::from)?;
                    }
                }
            }
        }
    }

    pub(super) fn platform(&self) -> Platform {
        Platform::this_machine(runtime::NODE_VERSION)
    }

    /// How installs into this folder are done.
    pub(super) async fn install_settings(
        &self,
        place: &Place,
        options: InstallOptions,
    ) -> Result<Install, Failure> {
        let environment = environment();
        let (trust, files) = match place.tool {
            Some(_) => (Trust::Foreign, LocalFiles::Own),
            None => (Trust::Own, LocalFiles::Anywhere),
        };
        let user = base::home::user_home()?;
        Ok(Install {
            folder: place.folder.clone(),
            store: self.inner.home.packages(),
            npmrc: Npmrc::load(&place.folder, trust, Some(&user), &environment)?,
            mirrors: self.mirrors(),
            platform: self.platform(),
            mode: if options.frozen {
                Mode::Frozen
            } else {
                Mode::Update
            },
            offline: options.offline,
            again: options.again,
            omit_dev: place.tool.is_some(),
            // Where a tool could write through a hard link, nothing is shared.
            links: match self.inner.host.walls().tier().await {
                Tier::Full => LinkPolicy::Share,
                Tier::Reduced | Tier::None => LinkPolicy::Separate,
            },
            files,
            scripts: match &place.tool {
                Some(tool) => self.scripts(tool).await?,
                None => None,
            },
            git: Some(self.git(place)),
            limit: LIMIT,
            quiet: self.quiet(place.tool.as_ref().filter(|_| place.beside.is_none())),
            progress: Arc::new(|_| ()),
        })
    }

    /// The tool's workers end before its packages are exchanged.
    fn quiet(&self, tool: Option<&ToolName>) -> npm::Quiet {
        let (host, tool) = (self.inner.host.clone(), tool.cloned());
        Arc::new(move || {
            let (host, tool) = (host.clone(), tool.clone());
            Box::pin(async move {
                match tool {
                    Some(tool) => Box::new(host.still(tool.as_str()).await) as _,
                    None => Box::new(()) as _,
                }
            })
        })
    }
}

impl Place {
    pub(super) fn subject(&self) -> String {
        subject(self.tool.as_ref().map(ToolName::as_str), &self.folder)
    }
}

fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

enum Stopped {
    Npm(NpmError),
    Other(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Stopped::Other(failure)
    }
}

/// Shown as being installed until this is dropped.
pub(super) struct Installing<'t> {
    toolbox: &'t Toolbox,
    folder: PathBuf,
    run: String,
}

impl<'t> Installing<'t> {
    pub(super) fn begin(toolbox: &'t Toolbox, folder: &Path, run: &str) -> Self {
        let mut all = toolbox.inner.dependencies.installing();
        all.entry(folder.to_owned()).or_insert_with(|| run.to_owned());
        Installing {
            toolbox,
            folder: folder.to_owned(),
            run: run.to_owned(),
        }
    }
}

impl Drop for Installing<'_> {
    fn drop(&mut self) {
        let mut all = self.toolbox.inner.dependencies.installing();
        // The first of several is the one that works.
        if all.get(&self.folder) == Some(&self.run) {
            all.remove(&self.folder);
        }
    }
}
