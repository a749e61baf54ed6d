//! A tool is looked at, and taken in as it was looked at.
//!
//! Both make the same folder beside the toolbox, out of the same source; the digest says whether it is the same
//! still. Packages are installed there, so that what is in the tool's place is exchanged once and works or is not
//! touched at all.

#![allow(clippy::disallowed_methods, reason = "fills a folder that nobody sees yet")]

use super::asked::{self, Right};
use super::error::LifecycleError;
use super::place::{Goes, Plan, Rights, Staging};
use super::preview::{self, Before, Installed, Preview};
use super::source::{self, NPMRC, ORIGIN, Source, Taken};
use super::{Proof, holds_only_data, version_of};
use crate::catalog::{Tool, blocking};
use crate::model::Description;
use crate::modes::{Call, Detail, OpenRun};
use crate::toolbox::{Toolbox, join_failed, unreadable};
use base::atomic::{self, Access};
use base::name::ToolName;
use base::{Event, Failure, clock};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use store::{Actor, GrantKind, Run};

/// What a person wants taken in.
#[derive(Clone, Debug)]
pub struct TakeIn {
    pub source: String,
    pub tool: ToolName,
    /// As the preview gave it.
    pub digest: String,
    /// She knows that it takes the place of another version.
    pub replace: bool,
    /// What she gives it, of what it asks for.
    pub give: Vec<Right>,
}

#[derive(Clone, Debug)]
pub struct TakenIn {
    pub run: String,
    pub version: String,
    /// What was there.
    pub before: Option<String>,
}

/// Where a tool's files came from; lies among them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Origin {
    pub source: String,
    pub digest: String,
}

/// Blocking.
pub(super) fn origin(folder: &Path) -> Option<Origin> {
    serde_json::from_slice(&std::fs::read(folder.join(ORIGIN)).ok()?).ok()
}

/// What is made beside the toolbox.
struct Staged {
    staging: Staging,
    taken: Taken,
    description: Arc<Description>,
    hash: String,
    /// Of a package: its version.
    found: Option<String>,
}

impl Toolbox {
    /// What a source holds; without one, what there is anew where the tool came from.
    pub async fn look_at(&self, source: Option<&str>, tool: Option<&ToolName>) -> Result<Preview, Failure> {
        let source = self.source(source, tool).await?;
        let staged = self.stage(&source, tool).await?;
        self.preview(&source, &staged).await
    }

    /// Takes a tool in: a run of its own, which can be watched and called off until it is put in place.
    pub async fn take_in(&self, wanted: TakeIn, call: Call<'_>) -> Result<TakenIn, Failure> {
        let subject = crate::dependencies::subject(Some(wanted.tool.as_str()), Path::new(""));
        let (run, open) = self.begin(&subject, &call).await?;
        let (started_at, started) = (clock::now_ms(), Instant::now());
        let event = Event::new("run.started", json!({"run": run, "subject": subject})).tag("runs");
        self.inner.store.announce(vec![event]).await?;
        let result = self.taken_in(&wanted, &run, open.as_ref(), call.actor).await;
        open.over();
        let mut detail = Detail::default();
        let given = json!({"source": wanted.source, "digest": wanted.digest});
        detail.given(&given.to_string(), str::to_owned);
        match &result {
            Ok(taken) => {
                let gave = json!({"version": taken.version, "before": taken.before});
                detail.gave(&gave.to_string(), str::to_owned);
            }
            Err(failure) => detail.failed(failure, None),
        }
        let row = Run {
            id: run,
            subject,
            started_at,
            duration_ms: started.elapsed().as_secs_f64() * 1000.0,
            success: result.is_ok(),
            error: result.as_ref().err().map(|failure| failure.code.clone()),
            actor: call.actor.clone(),
            memory: None,
            about: None,
        };
        self.keep(row, &detail, Vec::new()).await;
        result
    }

    async fn taken_in(
        &self,
        wanted: &TakeIn,
        run: &str,
        open: &dyn OpenRun,
        actor: &Actor,
    ) -> Result<TakenIn, Failure> {
        let source = self.source(Some(&wanted.source), Some(&wanted.tool)).await?;
        let cancel = open.cancel();
        let staged = tokio::select! {
            staged = self.stage(&source, Some(&wanted.tool)) => staged?,
            () = cancel.cancelled() => return Err(Failure::new("cancelled")),
        };
        let turn = self.inner.turns.change(&wanted.tool).await;
        let now = self.find(&wanted.tool).await;
        let inherits = self.inherits(&wanted.tool, now.as_deref()).await?;
        if preview::approved(&staged.taken.digest, &inherits) != wanted.digest {
            return Err(LifecycleError::Changed(source.text()).into());
        }
        if let Some(now) = now.as_ref().filter(|_| !wanted.replace) {
            let (tool, version) = (wanted.tool.clone(), version_of(now));
            return Err(LifecycleError::Exists { tool, version }.into());
        }
        let rights = self
            .rights_after(&source, &staged, wanted, now.as_deref())
            .await?;
        self.furnish(&source, &staged, run, open).await?;
        let plan = Plan {
            tool: wanted.tool.clone(),
            comes: true,
            from: None,
            goes: self.what_goes(&wanted.tool, now.as_deref()).await?,
            rights: Some(Rights {
                code: staged.hash.clone(),
                rights: rights
                    .iter()
                    .map(|right| (right.kind.name().to_owned(), right.value.clone()))
                    .collect(),
                by: (actor.kind.clone(), actor.name.clone()),
            }),
        };
        if cancel.is_cancelled() {
            return Err(Failure::new("cancelled"));
        }
        let version = staged.description.metadata.version.clone();
        let proof = Proof::Described {
            version: version.clone(),
        };
        self.exchange(turn, staged.staging, plan, proof).await?;
        let before = now.as_deref().map(version_of);
        let detail = json!({"source": source.text(), "version": version, "before": before});
        self.told(actor, "tool.install", &wanted.tool, detail).await?;
        let run = run.to_owned();
        Ok(TakenIn { run, version, before })
    }

    async fn source(&self, source: Option<&str>, tool: Option<&ToolName>) -> Result<Source, Failure> {
        let text = match (source, tool) {
            (Some(text), _) => text.to_owned(),
            (None, Some(tool)) => {
                self.known(tool).await?;
                let folder = self.inner.home.tool(tool);
                let origin = self.on_disk(move || Ok(origin(&folder))).await?;
                let forgotten = || LifecycleError::SourceForgotten(tool.clone());
                origin.ok_or_else(forgotten)?.source
            }
            (None, None) => return Err(LifecycleError::SourceUnknown(String::new()).into()),
        };
        let home = self.inner.home.clone();
        let parsed = tokio::task::spawn_blocking(move || Source::parse(&text, &home));
        Ok(parsed.await.map_err(join_failed)??)
    }

    /// Makes the folder that would come, as far as it comes from the source, and has it described.
    async fn stage(&self, source: &Source, wanted: Option<&ToolName>) -> Result<Staged, Failure> {
        let package = match source {
            Source::Package { name, spec } => Some(self.fetch(name, spec).await?),
            _ => None,
        };
        let found = package.as_ref().map(|package| package.version.clone());
        let (staging, own) = (self.staging().await?, source.clone());
        let taking = tokio::task::spawn_blocking(move || {
            let taken = source::take(&own, package.as_ref().map(|fetched| &fetched.package), &staging)?;
            Ok::<_, LifecycleError>((staging, taken))
        });
        let (staging, taken) = taking.await.map_err(join_failed)??;
        if let Some(wanted) = wanted.filter(|wanted| **wanted != taken.name) {
            let (wanted, found) = (wanted.clone(), taken.name.clone());
            return Err(LifecycleError::OtherTool { wanted, found }.into());
        }
        self.not_built_in(&taken.name).await?;
        let (hash, description) = self
            .inner
            .catalog
            .describe_folder(&taken.name, &staging.tool())
            .await?;
        description.runtime.sandbox.supported()?;
        Ok(Staged {
            staging,
            taken,
            description: Arc::new(description),
            hash,
            found,
        })
    }

    async fn fetch(&self, name: &str, spec: &str) -> Result<npm::Fetched, Failure> {
        let shop = self.shop().await?;
        Ok(npm::package(name, spec, shop).await?)
    }

    async fn preview(&self, source: &Source, staged: &Staged) -> Result<Preview, Failure> {
        let tool = staged.taken.name.clone();
        let now = self.find(&tool).await;
        let given = self.passed_on(source, now.as_deref()).await?;
        let configured = self.configured_directories(now.as_deref()).await;
        let inherits = self.inherits(&tool, now.as_deref()).await?;
        let beside = staged.staging.tool();
        let (home, description, taken) = (
            self.inner.home.clone(),
            staged.description.clone(),
            staged.taken.clone(),
        );
        let (source, found) = (source.clone(), staged.found.clone());
        self.on_disk(move || {
            let folder = home.tool(&tool);
            let before = now.as_ref().map(|now| Before {
                description: now.description.as_ref().ok(),
                folder: &folder,
                given,
            });
            let old = before.as_ref().map(|before| (before.folder, before.description));
            let depended = old.map(|(folder, old)| preview::depends(folder, old));
            let depends = preview::will_depend(&tool, &description, &beside, &folder);
            let mut problems = description.problems.clone();
            let configured = configured.as_deref();
            let asked = preview::rights(
                &home,
                &tool,
                &description,
                configured,
                before.as_ref(),
                &mut problems,
            );
            let same = origin(&folder).is_some_and(|origin| origin.digest == taken.digest);
            Ok(Preview {
                source: source.text(),
                from: source.kind(),
                found,
                digest: preview::approved(&taken.digest, &inherits),
                inherits,
                installed: now.as_ref().map(|now| Installed {
                    version: now
                        .description
                        .as_ref()
                        .ok()
                        .map(|old| old.metadata.version.clone()),
                    same,
                }),
                asked,
                secrets: preview::secrets(&description),
                node: preview::is_node(&description),
                python: description.is_python(),
                dependencies: preview::differences(&depended.unwrap_or_default(), &depends),
                changes: match &before {
                    Some(before) => preview::changes(before.folder, &taken)?,
                    None => preview::Changes::default(),
                },
                files: taken.files.len(),
                bytes: taken.files.iter().map(|file| file.size).sum(),
                left_out: taken.left_out,
                problems,
                description: Arc::unwrap_or_clone(description),
                tool,
            })
        })
        .await
    }

    /// What a removed tool left that what comes is given. What is there keeps what it has.
    async fn inherits(&self, tool: &ToolName, now: Option<&Tool>) -> Result<Vec<String>, Failure> {
        if now.is_some() {
            return Ok(Vec::new());
        }
        let folder = self.inner.home.tool(tool);
        self.on_disk(move || Ok(preview::left_behind(&folder))).await
    }

    /// What a person gave to what is there, as far as it is for what comes as well: from elsewhere comes another's
    /// work, whatever it is called.
    async fn passed_on(&self, source: &Source, now: Option<&Tool>) -> Result<Vec<Right>, Failure> {
        let Some(now) = now else { return Ok(Vec::new()) };
        let folder = self.inner.home.tool(&now.name);
        let came = self.on_disk(move || Ok(origin(&folder))).await?;
        match came.is_some_and(|came| came.source == source.text()) {
            true => self.given(now).await,
            false => Ok(Vec::new()),
        }
    }

    async fn configured_directories(&self, tool: Option<&Tool>) -> Option<String> {
        let env = self.env_file(tool?).await.ok()?;
        env.get(crate::directories::VARIABLE).map(str::to_owned)
    }

    /// What it has afterwards, of what it asks for: what was given to what is there, and what is given now.
    async fn rights_after(
        &self,
        source: &Source,
        staged: &Staged,
        wanted: &TakeIn,
        now: Option<&Tool>,
    ) -> Result<Vec<Right>, Failure> {
        let given = self.passed_on(source, now).await?;
        let configured = self.configured_directories(now).await;
        let (home, tool, description) = (
            self.inner.home.clone(),
            wanted.tool.clone(),
            staged.description.clone(),
        );
        let asked = self
            .on_disk(move || {
                Ok(asked::asked(
                    &home,
                    &tool,
                    &description,
                    configured.as_deref(),
                    &mut Vec::new(),
                ))
            })
            .await?;
        let mut rights = asked::still_asked(given, &asked);
        for right in &wanted.give {
            if !asked.contains(right) {
                let kind = right.kind.name().to_owned();
                let value = right.value.clone();
                return Err(LifecycleError::NotAsked { kind, value }.into());
            }
            if !rights.contains(right) {
                rights.push(right.clone());
            }
        }
        Ok(rights)
    }

    /// Everything that the folder has beside what came: where from, what a person set for its packages, and
    /// the packages.
    async fn furnish(
        &self,
        source: &Source,
        staged: &Staged,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<(), Failure> {
        let (folder, old) = (staged.staging.tool(), self.inner.home.tool(&staged.taken.name));
        let origin = Origin {
            source: source.text(),
            digest: staged.taken.digest.clone(),
        };
        let made = blocking(move || {
            let text = serde_json::to_vec_pretty(&origin)?;
            atomic::write(&folder.join(ORIGIN), &text, Access::Shared)?;
            // A manifest of its own has a lock of its own, or none.
            let stay: &[&str] = match preview::brings_manifest(&folder) {
                true => &[NPMRC],
                false => &["package.json", "package-lock.json", NPMRC],
            };
            for name in stay {
                match std::fs::read(old.join(name)) {
                    Ok(bytes) => atomic::write(&folder.join(name), &bytes, Access::Shared)?,
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        });
        let folder = staged.staging.tool();
        made.await.map_err(|error| unreadable(&folder, &error))?;
        let name = staged.taken.name.clone();
        self.install_beside(name, folder, staged.description.clone(), run, open)
            .await
    }

    /// Where what is in the tool's place goes. A folder of that name which is no tool is not thrown away.
    async fn what_goes(&self, tool: &ToolName, now: Option<&Tool>) -> Result<Goes, Failure> {
        if let Some(now) = now {
            return self.goes_among_versions(now).await;
        }
        let place = self.inner.home.tool(tool);
        let own = self
            .on_disk(move || Ok(place.is_dir() && !holds_only_data(&place)?))
            .await?;
        if !own {
            return Ok(Goes::Away);
        }
        Ok(Goes::Kept {
            entry: super::kept::place_for_version(&self.inner.home, tool, "folder"),
            about: super::About {
                tool: tool.clone(),
                version: String::new(),
                at: clock::now_ms(),
                hash: String::new(),
                rights: Vec::new(),
                data_stayed: false,
            },
        })
    }
}

/// A right as a caller names it.
impl Right {
    pub fn named(kind: &str, value: &str) -> Option<Right> {
        let kind: GrantKind = super::kind_named(kind)?;
        let value = value.to_owned();
        Some(Right { kind, value })
    }
}
