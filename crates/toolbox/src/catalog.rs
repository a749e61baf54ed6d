//! Which tools there are and what they are: the toolbox's folders, described by throw-away
//! workers, cached by the hash of their code.

use crate::fingerprint::{self, Look};
use crate::model::{Description, ModelError};
use crate::requirements::Requirements;
use crate::validate::{self, Finding};
use crate::{package_json, sync};
use base::home::HomeError;
use base::name::ToolName;
use base::{Coded, DataHome, Failure, Lang, LiveLang};
use runtime::host::{Host, Observer, RunError, is_python};
use runtime::protocol::{Cause, Level, ToolLoad};
use serde_json::Value;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Store, StoreError};
use tokio::sync::Semaphore;

/// Tools described at the same time.
const PARALLEL: usize = 4;
/// Looks at tools' folders at the same time. Each takes a thread for a moment: hundreds of calls at once
/// would make as many threads, which then only wait for each other.
const LOOKS: usize = 8;

/// A tool as it lies in its folder now.
#[derive(Debug)]
pub struct Tool {
    pub name: ToolName,
    pub folder: PathBuf,
    /// File name of what makes the folder a tool.
    pub main: String,
    pub built_in: bool,
    /// SHA-256 of the code files.
    pub hash: String,
    /// What it says of itself, or why it cannot.
    pub description: Result<Description, Failure>,
    /// What is wrong with what it says.
    pub remarks: Vec<Finding>,
    look: Look,
}

/// What was found the last time.
struct Known {
    tool: Arc<Tool>,
    /// In which language it was read.
    lang: Lang,
    /// Whether it holds until the folder changes: a machine that was busy for a moment must not
    /// leave a tool broken.
    lasting: bool,
}

/// A tool without waiting for a worker.
#[derive(Debug)]
pub enum Glance {
    Known(Arc<Tool>),
    /// Nobody has looked into this code yet.
    New {
        name: ToolName,
        built_in: bool,
    },
}

/// What a look at a tool's folder finds.
enum Looked {
    Nothing,
    /// As it was, or a folder that cannot be read.
    Known(Arc<Tool>),
    Changed(Look),
}

/// How often a tool that changes while it is described is described again.
const TRIES: u32 = 3;

/// The part of a report that the host adds.
const REQUIREMENTS: &str = "requirements";

/// Part of every cached description's key: raise it when the report's form changes.
const REPORT_FORM: &str = "3";

pub(crate) struct Catalog {
    home: DataHome,
    store: Store,
    host: Host,
    lang: LiveLang,
    built_ins: sync::BuiltIns,
    tools: Mutex<HashMap<ToolName, Known>>,
    describing: Semaphore,
    looks: Semaphore,
}

impl Catalog {
    pub(crate) fn new(
        home: DataHome,
        built_ins: sync::BuiltIns,
        store: Store,
        host: Host,
        lang: LiveLang,
    ) -> Self {
        Catalog {
            home,
            store,
            host,
            lang,
            built_ins,
            tools: Mutex::default(),
            describing: Semaphore::new(PARALLEL),
            looks: Semaphore::new(LOOKS),
        }
    }

    /// Names of all folders that hold a tool, sorted.
    pub(crate) async fn names(&self) -> io::Result<Vec<ToolName>> {
        let toolbox = self.home.toolbox();
        blocking(move || {
            let mut names = Vec::new();
            for entry in std::fs::read_dir(toolbox)? {
                let entry = entry?;
                if let Ok(name) = ToolName::parse(&entry.file_name().to_string_lossy())
                    && fingerprint::main_in(&entry.path(), &name).is_some()
                {
                    names.push(name);
                }
            }
            names.sort();
            Ok(names)
        })
        .await
    }

    /// The tool as it is now; `None` when there is no such folder. A folder that cannot be read is
    /// a broken tool: it must not hide the others.
    pub(crate) async fn get(&self, name: &ToolName) -> Option<Arc<Tool>> {
        self.get_and(name, |_| ()).await.map(|(tool, _)| tool)
    }

    /// The same, and what is seen of it on the same trip to the disk, when it is as it was known.
    pub(crate) async fn get_and<T: Send + 'static>(
        &self,
        name: &ToolName,
        see: impl FnOnce(&Arc<Tool>) -> T + Send + 'static,
    ) -> Option<(Arc<Tool>, Option<T>)> {
        let (looked, seen) = self.look(name, |known| known.lasting, see).await;
        let look = match looked {
            Looked::Nothing => return None,
            Looked::Known(tool) => return Some((tool, seen)),
            Looked::Changed(look) => look,
        };
        Some((self.describe(name, look).await, None))
    }

    /// As it was found the last time.
    pub(crate) fn remembered(&self, name: &ToolName) -> Option<Arc<Tool>> {
        self.tools().get(name).map(|known| known.tool.clone())
    }

    /// The same, as far as it is known without a worker. What failed for a moment counts as known
    /// here: whoever lists tools again and again does not start it again and again.
    pub(crate) async fn glance(&self, name: &ToolName) -> Option<Glance> {
        let look = match self.look(name, |_| true, |_| ()).await.0 {
            Looked::Nothing => return None,
            Looked::Known(tool) => return Some(Glance::Known(tool)),
            Looked::Changed(look) => look,
        };
        if let Ok(Read { hash, built_in, .. }) = self.read(name, &look).await
            && let Ok(None) = self.store.description(key(name, &hash)).await
        {
            let name = name.clone();
            return Some(Glance::New { name, built_in });
        }
        Some(Glance::Known(self.describe(name, look).await))
    }

    /// What is there, and what is seen of the tool that was known, when its code is still that.
    async fn look<T: Send + 'static>(
        &self,
        name: &ToolName,
        holds: impl Fn(&Known) -> bool,
        see: impl FnOnce(&Arc<Tool>) -> T + Send + 'static,
    ) -> (Looked, Option<T>) {
        let folder = self.home.tool(name);
        let remembered = self.remembered(name);
        let looked = self
            .at_the_disk({
                let (folder, name, remembered) = (folder.clone(), name.clone(), remembered.clone());
                move || {
                    if fingerprint::main_in(&folder, &name).is_none() {
                        return Ok(None);
                    }
                    let look = fingerprint::look(&folder)?;
                    let same = remembered.filter(|tool| tool.look == look);
                    Ok(Some((look, same.map(|tool| see(&tool)))))
                }
            })
            .await
            .map_err(io::Error::other)
            .flatten();
        let (look, seen) = match looked {
            Ok(Some(looked)) => looked,
            Ok(None) => {
                self.tools().remove(name);
                return (Looked::Nothing, None);
            }
            Err(error) => {
                return (
                    Looked::Known(Arc::new(unreadable_tool(name, folder, &error))),
                    None,
                );
            }
        };
        let lang = self.lang.get();
        let same = |known: &&Known| known.tool.look == look && known.lang == lang && holds(known);
        match self.tools().get(name).filter(same) {
            Some(Known { tool, .. }) => {
                let seen = seen.filter(|_| remembered.is_some_and(|one| Arc::ptr_eq(&one, tool)));
                (Looked::Known(tool.clone()), seen)
            }
            None => (Looked::Changed(look), None),
        }
    }

    /// A short look at the disk, which every call of a tool takes.
    pub(crate) async fn at_the_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, tokio::task::JoinError> {
        // Never closed; were it, the look would be one too many at worst.
        let _turn = self.looks.acquire().await.ok();
        tokio::task::spawn_blocking(work).await
    }

    /// Forgets what it knows, so that the next look describes again.
    pub(crate) fn forget(&self) {
        self.tools().clear();
    }

    async fn read(&self, name: &ToolName, look: &Look) -> io::Result<Read> {
        let (home, name, look) = (self.home.clone(), name.clone(), look.clone());
        let built_ins = self.built_ins.clone();
        blocking(move || {
            let folder = home.tool(&name);
            Ok(Read {
                hash: fingerprint::hash(&folder, &look)?,
                built_in: sync::is_pristine(&home, &built_ins, &name),
                main: main_in(&folder, &name)?,
            })
        })
        .await
    }

    /// As it is when it has been described: again, when it changed meanwhile.
    async fn describe(&self, name: &ToolName, mut look: Look) -> Arc<Tool> {
        let mut tries = 0;
        loop {
            let tool = self.describe_once(name, look).await;
            let folder = tool.folder.clone();
            let now = self.at_the_disk(move || fingerprint::look(&folder)).await;
            tries += 1;
            match now {
                Ok(Ok(now)) if now != tool.look && tries < TRIES => look = now,
                _ => return tool,
            }
        }
    }

    async fn describe_once(&self, name: &ToolName, look: Look) -> Arc<Tool> {
        let folder = self.home.tool(name);
        let Read { hash, built_in, main } = match self.read(name, &look).await {
            Ok(read) => read,
            Err(error) => return Arc::new(unreadable_tool(name, folder, &error)),
        };
        let lang = self.lang.get();
        let (description, remarks) = match self.description(name, &main, &folder, &hash, lang).await {
            Ok((description, remarks)) => (Ok(description), remarks),
            Err(undescribed) => (Err(undescribed), Vec::new()),
        };
        if let Ok(description) = &description {
            self.prepare(name, &main, &folder, description).await;
        }
        let lasting = description
            .as_ref()
            .err()
            .is_none_or(|undescribed| undescribed.lasting);
        let tool = Arc::new(Tool {
            name: name.clone(),
            folder,
            main,
            built_in,
            hash,
            description: description.map_err(|undescribed| undescribed.failure),
            remarks,
            look,
        });
        let known = Known {
            tool: tool.clone(),
            lang,
            lasting,
        };
        self.tools().insert(name.clone(), known);
        tool
    }

    async fn description(
        &self,
        name: &ToolName,
        main: &str,
        folder: &Path,
        hash: &str,
        lang: Lang,
    ) -> Result<(Description, Vec<Finding>), Undescribed> {
        let key = key(name, hash);
        if let Some(json) = self.store.description(key.clone()).await?
            && let Ok(report) = serde_json::from_str(&json)
        {
            return Ok(account(name, main, report, lang)?);
        }
        let report = self.examine(name, main, folder).await?;
        // Somebody may have written meanwhile: then it is no report of that code.
        let path = folder.to_owned();
        let now = blocking(move || fingerprint::hash(&path, &fingerprint::look(&path)?)).await;
        if !now.is_ok_and(|now| now == hash) {
            let failure = Failure::new("internal").detail("it changed while it was described");
            return Err(Undescribed::passing(failure));
        }
        // Kept first: what is wrong with a report is looked up there, too.
        self.store.keep_description(key, report.to_string()).await?;
        Ok(account(name, main, report, lang)?)
    }

    /// What the tool's worker reported of it, word for word; `None` when it could not.
    pub(crate) async fn report(&self, tool: &Tool) -> Result<Option<Value>, Failure> {
        let json = self.store.description(key(&tool.name, &tool.hash)).await?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// What a throw-away worker finds in a folder.
    async fn examine(&self, name: &ToolName, main: &str, folder: &Path) -> Result<Value, Undescribed> {
        // Never closed.
        let _permit = self
            .describing
            .acquire()
            .await
            .map_err(|_| Undescribed::passing(Failure::new("internal")))?;
        let load = ToolLoad {
            name: name.to_string(),
            folder: folder.to_owned(),
            main: main.to_owned(),
            env: Vec::new(),
            directories: vec![folder.join("data")],
            user_home: base::home::user_home()?,
            data_home: self.home.root().to_owned(),
            heap: 0,
        };
        // Seldom, and large.
        let described = Box::pin(self.host.describe(load, self.home.root(), &Quiet)).await;
        let mut report = described.map_err(|error| undescribed(&error))?;
        if let Value::Object(report) = &mut report {
            // What a tool in Python depends on stands beside it.
            report.remove(REQUIREMENTS);
            if is_python(main) {
                let path = folder.to_owned();
                let wanted = blocking(move || Requirements::read(&path)).await;
                let wanted = wanted
                    .map_err(|error| Undescribed::passing(crate::toolbox::unreadable(folder, &error)))?;
                report.insert(REQUIREMENTS.to_owned(), wanted.to_report());
            }
        }
        Ok(report)
    }

    /// A tool in a folder that is not its place, and the hash of its code.
    pub(crate) async fn describe_folder(
        &self,
        name: &ToolName,
        folder: &Path,
    ) -> Result<(String, Description), Failure> {
        let (path, tool) = (folder.to_owned(), name.clone());
        let read = blocking(move || {
            let hash = fingerprint::hash(&path, &fingerprint::look(&path)?)?;
            Ok((hash, main_in(&path, &tool)?))
        });
        let (hash, main) = read
            .await
            .map_err(|error| crate::toolbox::unreadable(folder, &error))?;
        let described = self
            .description(name, &main, folder, &hash, self.lang.get())
            .await;
        let (description, _) = described.map_err(|undescribed| undescribed.failure)?;
        Ok((hash, description))
    }

    /// Has the tool described in its place, whatever is known of its code.
    pub(crate) async fn prove(&self, name: &ToolName) -> Result<(), Failure> {
        let described = async {
            let folder = self.home.tool(name);
            let (path, tool) = (folder.clone(), name.clone());
            let main = blocking(move || main_in(&path, &tool)).await;
            let main =
                main.map_err(|error| Undescribed::passing(crate::toolbox::unreadable(&folder, &error)))?;
            let report = self.examine(name, &main, &folder).await?;
            Description::from_report(name, report, self.lang.get()).map_err(Undescribed::from)
        };
        let described: Result<Description, Undescribed> = described.await;
        described.map(|_| ()).map_err(|undescribed| undescribed.failure)
    }

    /// Makes the folders that every tool has, and brings package.json up to date, which is JavaScript's.
    async fn prepare(&self, name: &ToolName, main: &str, folder: &Path, description: &Description) {
        let npm = description.dependency_sources().npm;
        let text = description.metadata.description.clone();
        let written = blocking({
            let (name, folder, python) = (name.clone(), folder.to_owned(), is_python(main));
            move || {
                sync::prepare_folder(&folder)?;
                if python {
                    return Ok(());
                }
                let declared = package_json::Declared {
                    tool: &name,
                    description: &text,
                    npm: &npm,
                    commands: &[],
                };
                package_json::update(&folder, &declared)
                    .map(|_| ())
                    .map_err(io::Error::other)
            }
        })
        .await;
        // A tool that was removed meanwhile has no folder, and gets none.
        if let Err(error) = written
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(tool = %name, %error, "package.json was not brought up to date");
        }
    }

    fn tools(&self) -> MutexGuard<'_, HashMap<ToolName, Known>> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a report says, and what is wrong with it.
fn account(
    name: &ToolName,
    main: &str,
    report: serde_json::Value,
    lang: Lang,
) -> Result<(Description, Vec<Finding>), ModelError> {
    let remarks = validate::described(main, &report);
    Ok((Description::from_report(name, report, lang)?, remarks))
}

/// Under which a description is kept.
fn key(name: &ToolName, hash: &str) -> String {
    format!("{REPORT_FORM}:{name}:{hash}")
}

/// What is read of a tool's folder when its code is another.
struct Read {
    hash: String,
    /// A built-in tool as it was shipped.
    built_in: bool,
    main: String,
}

fn main_in(folder: &Path, name: &ToolName) -> io::Result<String> {
    fingerprint::main_in(folder, name).ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Why a tool could not be described.
struct Undescribed {
    failure: Failure,
    /// It is the code's own fault: until the code changes it stays so.
    lasting: bool,
}

impl Undescribed {
    fn passing(failure: Failure) -> Self {
        Undescribed {
            failure,
            lasting: false,
        }
    }
}

impl From<ModelError> for Undescribed {
    fn from(error: ModelError) -> Self {
        Undescribed {
            failure: error.into(),
            lasting: true,
        }
    }
}

impl From<StoreError> for Undescribed {
    fn from(error: StoreError) -> Self {
        Undescribed::passing(error.into())
    }
}

impl From<HomeError> for Undescribed {
    fn from(error: HomeError) -> Self {
        Undescribed::passing(error.into())
    }
}

fn undescribed(error: &RunError) -> Undescribed {
    let Some(guest) = error.guest().filter(|guest| guest.line.is_some()) else {
        // Not the author's line: the sandbox, a limit, a crash speak for themselves.
        let mut failure = Failure::new(error.code());
        failure.args = error.args();
        return Undescribed::passing(failure.detail(base::failure::chain(error)));
    };
    let name = if guest.name.is_empty() {
        String::new()
    } else {
        format!("{}: ", guest.name)
    };
    let failure = Failure::new("tool_broken")
        .with("reason", format!("{name}{}", guest.message))
        .with("cause", error.code())
        .with("line", guest.line)
        .with("column", guest.column)
        .with("error_name", guest.name.as_str())
        .with("error_code", guest.code.as_deref())
        .detail(guest.stack.clone());
    let lasting = guest.cause == Cause::Threw;
    Undescribed { failure, lasting }
}

fn unreadable_tool(name: &ToolName, folder: PathBuf, error: &io::Error) -> Tool {
    Tool {
        name: name.clone(),
        main: name.main_file(),
        built_in: false,
        hash: String::new(),
        description: Err(crate::toolbox::unreadable(&folder, error)),
        remarks: Vec::new(),
        folder,
        look: Look::default(),
    }
}

/// A tool that is only asked what it is has no log.
struct Quiet;

impl Observer for Quiet {
    fn log(&self, _level: Level, _text: String) {}
}

pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(io::Error::other)?
}

impl Tool {
    /// The description, or the failure that stands for it.
    pub fn described(&self) -> Result<&Description, Failure> {
        self.description.as_ref().map_err(Clone::clone)
    }
}
