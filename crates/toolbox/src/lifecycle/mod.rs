//! Tools come, change and go: looked at first, taken in as they were looked at, taken back when they do not work
//! in their place, kept in versions, removed into the trash.
//!
//! From top to bottom: [`Source`] says where from and takes files in; [`preview`](Toolbox::look_at) says what they
//! are; `take_in` makes all of it beside the toolbox; `place` exchanges folders; `kept` is what can come back.
//! Deliberately not here: what a right opens (`rights`), and packages (`dependencies`).

mod archive;
mod asked;
mod bundle;
mod error;
#[cfg(test)]
mod hostile_tests;
mod kept;
mod migration;
pub(crate) mod old_layout;
#[cfg(test)]
mod old_layout_tests;
pub mod place;
#[cfg(test)]
mod place_tests;
mod preview;
mod source;
mod take_in;
mod template;
mod turns;

pub use asked::{Asked, Right};
pub use bundle::{Bundle, take_bundle};
pub use error::LifecycleError;
pub use kept::Kept;
pub use old_layout::{Migration, OldTool, State as OldState, backup as old_layout_backup};
pub use preview::{Changes, Difference, FileChange, Installed, Preview};
pub use source::{BYTES_MOST, FILES_MOST, Source};
pub use take_in::{TakeIn, TakenIn};
pub use template::Language;
use turns::ChangeTurn;
pub(crate) use turns::Turns;

use crate::catalog::{Tool, blocking};
use crate::sync;
use crate::toolbox::{Toolbox, unreadable};
use base::name::ToolName;
use base::{DataHome, Event, Failure, clock};
use kept::below;
use place::{About, Goes, PERSONAL, Placed, Plan, Rights, Staging};
use serde_json::json;
use std::path::PathBuf;
use store::{Actor, AuditEntry, GrantKind, Store};

/// Versions of a tool: what is there, where it came from, and what can be gone back to.
#[derive(Clone, Debug)]
pub struct Versions {
    pub source: Option<String>,
    pub kept: Vec<Kept>,
}

/// Whether what is the person's goes with the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    Goes,
    Stays,
}

/// Whether what came has to prove itself in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Proof {
    /// A worker describes it there, with its packages and the person's data.
    Described { version: String },
    /// It was there before, as it is.
    Known,
}

/// Puts in order what a kill left. Blocking; before anybody looks at tools.
pub(crate) fn recover(home: &DataHome, store: &Store) -> std::io::Result<()> {
    for placed in place::recover(home)? {
        let tool = placed.plan().tool.clone();
        let settled = tokio::runtime::Handle::current().block_on(settle(store, placed.plan()));
        // Where one of both fails its journal stays, and the next start does it again.
        match settled.map(|()| placed.clear(&|_| ())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%tool, %error, "a change of a tool was not cleared away"),
            Err(failure) => tracing::error!(%tool, %failure, "rights of a tool were not settled"),
        }
    }
    Ok(())
}

/// Makes the rights of a change those that hold.
async fn settle(store: &Store, plan: &Plan) -> Result<(), Failure> {
    let Some(Rights { code, rights, by }) = plan.rights.clone() else {
        return Ok(());
    };
    let named = |kind: &str| asked::KINDS.into_iter().find(|one| one.name() == kind);
    let wanted = rights
        .into_iter()
        .filter_map(|(kind, value)| Some((named(&kind)?, value)));
    let actor = Actor {
        kind: by.0,
        name: by.1,
    };
    let tool = plan.tool.to_string();
    Ok(store
        .settle_grants(tool, &asked::KINDS, code, wanted.collect(), actor)
        .await?)
}

impl Toolbox {
    /// What there is to go back to. A built-in tool has no versions: it comes with the program.
    pub async fn versions(&self, tool: &ToolName) -> Result<Versions, Failure> {
        self.known(tool).await?;
        let (home, tool) = (self.inner.home.clone(), tool.clone());
        let found = self
            .on_disk(move || {
                let kept = kept::versions(&home, &tool)?;
                let source = take_in::origin(&home.tool(&tool)).map(|origin| origin.source);
                Ok(Versions { source, kept })
            })
            .await?;
        Ok(found)
    }

    /// Puts a kept version in its place; what is there is kept in turn. Gives its version back.
    pub async fn roll_back(&self, tool: &ToolName, id: &str, actor: &Actor) -> Result<String, Failure> {
        let turn = self.inner.turns.change(tool).await;
        let now = self.get(tool).await?;
        let about = self.version(tool, id).await?;
        let entry = self.inner.home.tool_backups().join(tool.as_str()).join(id);
        let given = self.given(&now).await?;
        let plan = Plan {
            tool: tool.clone(),
            comes: true,
            from: Some(below(&self.inner.home, entry)),
            goes: self.goes_among_versions(&now).await?,
            rights: Some(Rights {
                code: about.hash.clone(),
                rights: asked::still_given(&about.rights, &given),
                by: (actor.kind.clone(), actor.name.clone()),
            }),
        };
        self.exchange(turn, self.staging().await?, plan, Proof::Known)
            .await?;
        let detail = json!({"version": about.version, "from": version_of(&now)});
        self.told(actor, "tool.rollback", tool, detail).await?;
        Ok(about.version)
    }

    /// Moves a tool into the trash; gives back under which name it lies there.
    pub async fn remove(&self, tool: &ToolName, data: Data, actor: &Actor) -> Result<String, Failure> {
        let turn = self.inner.turns.change(tool).await;
        let now = self.get(tool).await?;
        self.not_built_in(tool).await?;
        let entry = kept::place_for_removed(&self.inner.home, tool);
        let id = entry
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let staging = self.staging().await?;
        if data == Data::Stays {
            let folder = staging.tool();
            self.on_disk(move || base::atomic::create_dir_all(&folder))
                .await?;
        }
        let mut about = self.about(&now).await?;
        about.data_stayed = data == Data::Stays;
        let plan = Plan {
            tool: tool.clone(),
            comes: data == Data::Stays,
            from: None,
            goes: Goes::Kept { entry, about },
            rights: None,
        };
        self.exchange(turn, staging, plan, Proof::Known).await?;
        let detail = json!({"version": version_of(&now), "dataStays": data == Data::Stays});
        self.told(actor, "tool.remove", tool, detail).await?;
        Ok(id)
    }

    /// What is in the trash, newest first.
    pub async fn removed(&self) -> Result<Vec<Kept>, Failure> {
        let home = self.inner.home.clone();
        self.on_disk(move || kept::removed(&home)).await
    }

    /// Brings a removed tool back, with its data and the rights that it had.
    pub async fn bring_back(&self, id: &str, actor: &Actor) -> Result<ToolName, Failure> {
        let removed = self.removed().await?.into_iter();
        let unknown = || LifecycleError::NotRemoved(base::text::cut(id, 200));
        let about = removed
            .filter(|kept| kept.id == id)
            .map(|kept| kept.about)
            .next()
            .ok_or_else(unknown)?;
        let tool = about.tool.clone();
        let turn = self.inner.turns.change(&tool).await;
        let place = self.inner.home.tool(&tool);
        let taken = {
            let data_stayed = about.data_stayed;
            self.on_disk(move || Ok(place.exists() && !(data_stayed && holds_only_data(&place)?)))
                .await?
        };
        if taken {
            let version = match self.find(&tool).await {
                Some(there) => version_of(&there),
                None => String::new(),
            };
            return Err(LifecycleError::Exists { tool, version }.into());
        }
        let plan = Plan {
            tool: tool.clone(),
            comes: true,
            from: Some(below(&self.inner.home, self.inner.home.tool_trash().join(id))),
            goes: Goes::Away,
            // They were never taken away.
            rights: None,
        };
        self.exchange(turn, self.staging().await?, plan, Proof::Known)
            .await?;
        let detail = json!({"version": about.version});
        self.told(actor, "tool.restore", &tool, detail).await?;
        Ok(tool)
    }

    /// A new tool to begin with: schema, business errors, manual and a test.
    pub async fn create(
        &self,
        tool: &ToolName,
        language: Language,
        actor: &Actor,
    ) -> Result<PathBuf, Failure> {
        self.not_built_in(tool).await?;
        let turn = self.inner.turns.change(tool).await;
        let staging = self.staging().await?;
        let (folder, name) = (staging.tool(), tool.clone());
        self.on_disk(move || template::write(&folder, &name, language))
            .await?;
        let place = self.inner.home.tool(tool);
        let there = {
            let place = place.clone();
            self.on_disk(move || Ok(place.exists() && !holds_only_data(&place)?))
                .await?
        };
        if there {
            let (tool, version) = (tool.clone(), String::new());
            return Err(LifecycleError::Exists { tool, version }.into());
        }
        let plan = Plan {
            tool: tool.clone(),
            comes: true,
            from: None,
            goes: Goes::Away,
            rights: None,
        };
        self.exchange(turn, staging, plan, Proof::Known).await?;
        self.told(actor, "tool.new", tool, json!({})).await?;
        Ok(place)
    }

    /// Drops tools that were removed before that time.
    pub async fn empty_tool_trash(&self, before: i64) -> Result<usize, Failure> {
        let home = self.inner.home.clone();
        let vault = self.inner.vault.clone();
        self.on_disk(move || kept::empty_trash(&home, &vault, before))
            .await
    }

    /// Exchanges the folders, whoever goes away meanwhile: the work is a task of its own.
    async fn exchange(
        &self,
        turn: ChangeTurn,
        staging: Staging,
        plan: Plan,
        proof: Proof,
    ) -> Result<(), Failure> {
        let (toolbox, tool) = (self.clone(), plan.tool.clone());
        let work = tokio::spawn(async move {
            let _turn = turn;
            toolbox.exchange_alone(staging, plan, proof).await
        });
        work.await.map_err(crate::toolbox::join_failed)??;
        self.changed(&tool).await
    }

    async fn exchange_alone(&self, staging: Staging, plan: Plan, proof: Proof) -> Result<(), Failure> {
        let tool = plan.tool.clone();
        // In this order: a run holds its turn before it configures anything.
        let _alone = self.inner.turns.alone(&tool).await;
        let lock = self.configuring(&tool);
        let _configured = lock.lock().await;
        let _still = self.inner.host.still(tool.as_str()).await;
        if let Err(error) = self
            .inner
            .logs
            .of(&tool, crate::run_log::Secrets::new(Vec::new()))
            .flush()
            .await
        {
            tracing::warn!(%tool, error = %base::failure::chain(&error), "lines of a log may be missing");
        }
        let home = self.inner.home.clone();
        let placed = self
            .on_disk(move || place::put(&home, staging, plan, &|_| ()))
            .await?;
        self.forget_dependencies(&tool);
        if let Proof::Described { version } = proof
            && let Err(failure) = self.inner.catalog.prove(&tool).await
        {
            self.on_disk(move || placed.revert(&|_| ())).await?;
            self.forget_dependencies(&tool);
            let because = Box::new(failure);
            return Err(LifecycleError::TakenBack {
                tool,
                version,
                because,
            }
            .into());
        }
        self.finish(placed).await
    }

    /// What is left to do when what came is to stay. Nothing of it is worth undoing: what cannot be done
    /// now is done at the next start.
    async fn finish(&self, placed: Placed) -> Result<(), Failure> {
        let tool = placed.plan().tool.clone();
        let placed = self
            .on_disk(move || {
                placed.keep(&|_| ())?;
                Ok(placed)
            })
            .await?;
        settle(&self.inner.store, placed.plan()).await?;
        let (home, most) = (
            self.inner.home.clone(),
            self.inner.settings.retention.tool_versions,
        );
        self.on_disk(move || {
            placed.clear(&|_| ())?;
            kept::prune(&home, &tool, usize::try_from(most).unwrap_or(usize::MAX))
        })
        .await?;
        Ok(())
    }

    async fn staging(&self) -> Result<Staging, Failure> {
        let home = self.inner.home.clone();
        self.on_disk(move || Staging::new(&home)).await
    }

    async fn version(&self, tool: &ToolName, id: &str) -> Result<About, Failure> {
        let (home, name) = (self.inner.home.clone(), tool.clone());
        let all = self.on_disk(move || kept::versions(&home, &name)).await?;
        let found = all.into_iter().find(|kept| kept.id == id).map(|kept| kept.about);
        Ok(found.ok_or_else(|| LifecycleError::NoVersion {
            tool: tool.clone(),
            version: base::text::cut(id, 200),
        })?)
    }

    /// A person's own tool that has the name of a built-in one is hers to change.
    async fn not_built_in(&self, tool: &ToolName) -> Result<(), Failure> {
        let (home, built_ins, name) = (
            self.inner.home.clone(),
            self.inner.built_ins.clone(),
            tool.clone(),
        );
        let built_in = self
            .on_disk(move || Ok(built_ins.has(&name) && !sync::is_theirs(&home.tool(&name), &name)))
            .await?;
        match built_in {
            true => Err(LifecycleError::BuiltIn(tool.clone()).into()),
            false => Ok(()),
        }
    }

    async fn goes_among_versions(&self, now: &Tool) -> Result<Goes, Failure> {
        let about = self.about(now).await?;
        Ok(Goes::Kept {
            entry: kept::place_for_version(&self.inner.home, &now.name, &about.version),
            about,
        })
    }

    async fn about(&self, now: &Tool) -> Result<About, Failure> {
        let given = self.given(now).await?.into_iter();
        Ok(About {
            tool: now.name.clone(),
            version: version_of(now),
            at: clock::now_ms(),
            hash: now.hash.clone(),
            rights: given
                .map(|right| (right.kind.name().to_owned(), right.value))
                .collect(),
            data_stayed: false,
        })
    }

    /// What a person gave to just this code.
    async fn given(&self, tool: &Tool) -> Result<Vec<Right>, Failure> {
        let mut all = Vec::new();
        for kind in asked::KINDS {
            let code = Some(tool.hash.clone());
            let values = self.inner.store.grants(tool.name.to_string(), kind, code).await?;
            all.extend(values.into_iter().map(|value| Right { kind, value }));
        }
        Ok(all)
    }

    async fn told(
        &self,
        actor: &Actor,
        action: &str,
        tool: &ToolName,
        detail: serde_json::Value,
    ) -> Result<(), Failure> {
        let entry = AuditEntry {
            actor: actor.clone(),
            action: action.to_owned(),
            subject: tool.to_string(),
            detail,
        };
        self.inner.store.audit(entry).await?;
        let event = Event::new("tool.changed", json!({"tool": tool.as_str()}));
        let event = event.tag("tools").tag("dependencies").tag("grants");
        Ok(self.inner.store.announce(vec![event]).await?)
    }

    /// Off the async threads; a failure names the toolbox.
    async fn on_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let done = blocking(work).await;
        done.map_err(|error| unreadable(&self.inner.home.toolbox(), &error))
    }
}

fn version_of(tool: &Tool) -> String {
    let described = tool.description.as_ref();
    described.map_or_else(
        |_| String::new(),
        |description| description.metadata.version.clone(),
    )
}

/// Whether a folder without a tool is only what a removed one left. Blocking.
#[allow(clippy::disallowed_methods, reason = "looks at a tool's folder")]
fn holds_only_data(folder: &std::path::Path) -> std::io::Result<bool> {
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !PERSONAL.iter().any(|personal| name == *personal) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The kinds of rights that a preview names.
pub fn kind_named(name: &str) -> Option<GrantKind> {
    asked::KINDS.into_iter().find(|kind| kind.name() == name)
}
