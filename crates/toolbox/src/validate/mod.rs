//! Whether a tool is made as it should be: the eleven layers of seed 002 section 12 as a table of
//! checks, each finding with its place in the source.
//!
//! What a tool says of itself is checked when it is described ([`described`]); what lies in its folder
//! when somebody asks; what it does in trials ([`trials`]) that happen in a copy, so that nothing of
//! the tool is changed by looking at it. Deliberately not here: words (`resources/words/checks.json`),
//! and whether a tool may run: a finding refuses nothing.

mod attempts;
mod checks;
pub(crate) mod copy;
mod errors;
mod files;
mod findings;
mod interface;
mod metadata;
mod methods;
mod packages;
mod results;
mod schema;
mod trials;
mod variables;

pub use checks::{Check, Layer, Level, Severity};
pub use findings::{Finding, Place, count};

use crate::catalog::Tool;
use crate::model::Description;
use crate::toolbox::{Toolbox, join_failed};
use base::name::ToolName;
use base::{Failure, args};
use findings::{Account, Findings};
use runtime::protocol::{OUTLINE, Outline};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Validations at the same time: each may keep a processor busy for a minute.
pub(crate) const AT_ONCE: usize = 2;

/// What a validation found.
#[derive(Debug)]
pub struct Validation {
    pub tool: ToolName,
    pub level: Level,
    /// In the order of layers.
    pub findings: Vec<Finding>,
    pub took: Duration,
}

impl Toolbox {
    /// Looks a tool over. Nothing of it is changed.
    pub async fn validate(&self, name: &ToolName, level: Level) -> Result<Validation, Failure> {
        // Never closed; were it, one would be too many at worst.
        let _turn = self.inner.validating.acquire().await.ok();
        let begin = Instant::now();
        let mut found = Findings::default();
        match self.find(name).await {
            Some(tool) => self.look_over(&tool, level, &mut found).await?,
            None => {
                let folder = self.home().tool(name);
                // A tool in JavaScript is what is missed where there is no tool at all.
                let main = name.main_file();
                let looking = tokio::task::spawn_blocking(move || {
                    let there = folder.is_dir();
                    if there {
                        files::check(&folder, &main, &mut found);
                    }
                    there.then_some(found)
                });
                match looking.await.map_err(join_failed)? {
                    Some(looked) => found = looked,
                    None => {
                        return Err(self
                            .get(name)
                            .await
                            .err()
                            .unwrap_or_else(|| Failure::new("internal")));
                    }
                }
            }
        }
        Ok(Validation {
            tool: name.clone(),
            level,
            findings: found.sorted(),
            took: begin.elapsed(),
        })
    }

    async fn look_over(&self, tool: &Tool, level: Level, found: &mut Findings) -> Result<(), Failure> {
        let main = tool.main.clone();
        let report = self.inner.catalog.report(tool).await?.unwrap_or_default();
        found.extend(described(&main, &report));
        found.extend(self.look_at_files(tool, main.clone(), report.clone()).await?);
        let description = match &tool.description {
            Ok(description) => description,
            Err(failure) => {
                if !report.is_object() {
                    interface::undescribed(&main, &tool.folder, failure, found);
                }
                return Ok(());
            }
        };
        let account = account(&main, &report);
        for (name, range) in description.dependency_sources().system {
            if let Err(failure) = self.commands_there(&[(name.clone(), range)]).await {
                let args = args! { name: name, code: failure.code };
                let place = account.place(&format!("getSystemDependencies.{name}"));
                found.add(Check::DependencyCommandMissing, args, Some(place));
            }
        }
        let lacking = [
            Check::ModulesMissing,
            Check::DependencyNotInstalled,
            Check::DependencyFileMissing,
        ];
        if level == Level::Full {
            if let Some(lacking) = lacking.iter().find(|check| found.has(**check)) {
                let args = args! { code: lacking.code(), reason: lacking.code() };
                found.add(Check::NotTried, args, Some(account.place("execute")));
            } else {
                found.extend(self.try_out(tool, &account, description).await?);
            }
        }
        Ok(())
    }

    /// What lies in its folder.
    async fn look_at_files(&self, tool: &Tool, main: String, report: Value) -> Result<Vec<Finding>, Failure> {
        let folder: PathBuf = tool.folder.clone();
        let description: Option<Description> = tool.description.as_ref().ok().cloned();
        let looking = tokio::task::spawn_blocking(move || {
            let mut found = Findings::default();
            files::check(&folder, &main, &mut found);
            if let Some(description) = &description {
                variables::set(&folder, description, &mut found);
                packages::check(&folder, &account(&main, &report), description, &mut found)?;
            }
            Ok::<_, Failure>(found.sorted())
        });
        looking.await.map_err(join_failed)?
    }
}

/// What is wrong with what a tool says of itself: the basic level, as soon as it is described.
pub fn described(main: &str, report: &Value) -> Vec<Finding> {
    let account = account(main, report);
    let mut found = Findings::default();
    if report.is_object() {
        interface::check(&account, &mut found);
        metadata::check(&account, &mut found);
        schema::check(&account, &mut found);
        methods::check(&account, &mut found);
        errors::check(&account, &mut found);
        variables::declared(&account, &mut found);
    }
    found.sorted()
}

fn account<'a>(main: &'a str, report: &'a Value) -> Account<'a> {
    let outline = report.get(OUTLINE).cloned().unwrap_or_default();
    Account {
        main,
        report,
        // Of a report that has none, nothing has a place.
        outline: serde_json::from_value::<Outline>(outline).unwrap_or_default(),
    }
}
