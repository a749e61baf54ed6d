//! Layers 6, 7, 8 and 11, as far as they show in what a tool does: it is run by the real engine, in a
//! copy of its folder, with no right outside it. The walls are what refuses; that it refused is noted.
//!
//! Deliberately not here: what it is tried with ([`super::attempts`]).

use super::attempts::{Attempt, Expected, attempts};
use super::checks::Check;
use super::copy::{self, Copy};
use super::findings::{Account, Finding, Findings, Place};
use super::interface::frame_in;
use super::results;
use crate::catalog::Tool;
use crate::env_file::EnvFile;
use crate::model::{Description, NetworkAccess};
use crate::modes::{engine_of, supported};
use crate::run_log::RunLog;
use crate::toolbox::{Toolbox, join_failed};
use base::{Coded, Failure, args};
use runtime::host::net::Tally;
use runtime::host::{Deadline, Mount, Observer, Reach, RunError, ToolSpec, Trial};
use runtime::protocol::{Cause, GuestFailure, Level, Stop, ToolLoad};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Of one run.
const TIME: Duration = Duration::from_secs(5);
/// Of all runs of a tool; whoever waits for the report wants it.
const ALTOGETHER: Duration = Duration::from_secs(60);
/// Characters below which an error tells nobody what to do (seed 002 section 12.9.1).
const SHORT: usize = 10;
/// Packages of a tool: what they throw they throw for it.
const FOREIGN: [&str; 2] = ["node_modules/", ".venv/"];
/// Characters of an error that are shown.
const SHOWN: usize = 300;

impl Toolbox {
    /// Tries the tool. `Err` only when it was called off, or this program cannot do its part.
    pub(super) async fn try_out(
        &self,
        tool: &Tool,
        account: &Account<'_>,
        description: &Description,
    ) -> Result<Vec<Finding>, Failure> {
        let (environment, kept) = self.environment_of(tool, description).await;
        let log = self.log_of(tool, &environment, kept.into_iter());
        let mut trials = Trials {
            account,
            description,
            heard: Heard {
                log,
                secret: AtomicBool::new(false),
            },
            tally: Tally::default(),
            folder: String::new(),
            found: Findings::default(),
        };
        if let Err(failure) = supported(tool, description) {
            trials.not_tried(&failure);
            return Ok(trials.found.sorted());
        }
        let (home, folder) = (self.home().clone(), tool.folder.clone());
        let copied = tokio::task::spawn_blocking(move || copy::copy(&home, &folder));
        match copied.await.map_err(join_failed)? {
            Ok(copy) => {
                let spec = self.trial_spec(tool, description, environment, &copy, &trials.tally)?;
                trials.folder = copy.folder.display().to_string();
                trials.go(self, spec).await;
            }
            Err(error) => trials.not_tried(&error.into()),
        }
        trials.outside();
        Ok(trials.found.sorted())
    }

    /// Of a `.env` that cannot be read there is nothing; that it cannot is found elsewhere.
    async fn environment_of(
        &self,
        tool: &Tool,
        description: &Description,
    ) -> (BTreeMap<String, String>, Vec<String>) {
        let env = self.env_file(tool).await.unwrap_or_else(|_| EnvFile::default());
        let opened = self.opened(&tool.name, env).await.unwrap_or_default();
        let kept = opened.secrets().collect();
        (self.environment(description, opened.values), kept)
    }

    fn trial_spec(
        &self,
        tool: &Tool,
        description: &Description,
        environment: BTreeMap<String, String>,
        copy: &Copy,
        tally: &Tally,
    ) -> Result<ToolSpec, Failure> {
        let folder = &copy.folder;
        let data = folder.join("data");
        Ok(ToolSpec {
            load: ToolLoad {
                name: tool.name.to_string(),
                folder: folder.clone(),
                main: tool.main.clone(),
                env: environment.into_iter().collect(),
                directories: vec![data.clone()],
                user_home: base::home::user_home()?,
                data_home: self.home().root().to_owned(),
                heap: u64::from(description.runtime.max_memory_mb) * 1024 * 1024,
            },
            mounts: vec![
                Mount::read_only(folder),
                Mount::read_write(data),
                Mount::read_write(folder.join("logs")),
            ],
            home: self.home().root().to_owned(),
            reach: Reach {
                audit: tally.audit(),
                ..Reach::nothing()
            },
            key: String::new(),
            concurrency: 1,
            engine: engine_of(description),
        })
    }
}

/// Hears what the tool logs, which is kept nowhere: only whether a secret is in it.
struct Heard {
    log: RunLog,
    secret: AtomicBool,
}

impl Observer for Heard {
    fn log(&self, _level: Level, text: String) {
        if self.log.masked(&text) != text {
            self.secret.store(true, Ordering::Relaxed);
        }
    }
}

/// Whether another attempt makes sense.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Stop,
}

struct Trials<'t> {
    account: &'t Account<'t>,
    description: &'t Description,
    heard: Heard,
    tally: Tally,
    /// Where the copy lies.
    folder: String,
    found: Findings,
}

impl Trials<'_> {
    async fn go(&mut self, toolbox: &Toolbox, spec: ToolSpec) {
        let begin = Instant::now();
        let deadline = Deadline {
            time: TIME,
            cancel: CancellationToken::new(),
        };
        let mut worker: Option<Trial> = None;
        for attempt in attempts(&self.description.schema.parameters) {
            if begin.elapsed() > ALTOGETHER {
                let failure = Failure::new("trials_over_time").with("seconds", ALTOGETHER.as_secs());
                return self.not_tried(&failure);
            }
            let ran = match worker.take().filter(Trial::alive) {
                Some(trial) => Ok(trial),
                None => {
                    toolbox
                        .inner
                        .host
                        .trial(spec.clone(), &deadline, &self.heard)
                        .await
                }
            };
            let ran = match ran {
                Ok(mut trial) => {
                    let ran = trial.run(&attempt.params, &deadline, &self.heard).await;
                    worker = Some(trial);
                    ran.map(|finished| finished.value)
                }
                Err(error) => Err(error),
            };
            let next = match ran {
                Ok(given) => self.gave(&attempt, &given),
                Err(error) => self.failed(&attempt, &error),
            };
            if next == Next::Stop {
                return;
            }
        }
    }

    fn gave(&mut self, attempt: &Attempt, given: &Value) -> Next {
        match &attempt.expected {
            Expected::Refusal(check, args, path) => {
                self.found
                    .add(*check, args.clone(), Some(self.account.place(path)));
            }
            Expected::Anything => {}
            Expected::Result => {
                for (check, args) in results::check(given) {
                    self.found.add(check, args, Some(self.account.place("execute")));
                }
            }
        }
        Next::GoOn
    }

    fn failed(&mut self, attempt: &Attempt, error: &RunError) -> Next {
        let execute = Some(self.account.place("execute"));
        let (check, args) = match error {
            RunError::Failed(failure) => match failure.cause {
                Cause::Threw | Cause::DependencyMissing => {
                    self.threw(attempt, failure);
                    return Next::GoOn;
                }
                Cause::TimeLimit => (Check::TrialTooSlow, args! { seconds: TIME.as_secs() }),
                Cause::MemoryLimit => (
                    Check::TrialMemory,
                    args! { mb: self.description.runtime.max_memory_mb },
                ),
                Cause::Exited => (Check::TrialExited, args! {}),
                Cause::NeverSettles => (Check::TrialNeverSettles, args! {}),
                Cause::NotSerializable => (
                    Check::ResultNotJson,
                    args! { reason: self.shown(&failure.message) },
                ),
                Cause::ResultTooLarge => (Check::ResultTooLarge, args! {}),
                Cause::NativeAddon => (Check::TrialAddon, args! { name: failure.detail }),
                Cause::Cancelled
                | Cause::BlockedCode
                | Cause::CanvasExport
                | Cause::OldNode
                | Cause::OldPython => {
                    self.not_tried(&of(error));
                    return Next::Stop;
                }
            },
            RunError::Killed { why: Stop::TimeLimit } => {
                (Check::TrialTooSlow, args! { seconds: TIME.as_secs() })
            }
            RunError::Crashed { exit, .. } => (Check::TrialCrashed, args! { exit: exit }),
            other => {
                self.not_tried(&of(other));
                return Next::Stop;
            }
        };
        self.found.add(check, args, execute);
        // What costs seconds or memory once does so again.
        match check {
            Check::TrialTooSlow | Check::TrialMemory | Check::TrialCrashed => Next::Stop,
            _ => Next::GoOn,
        }
    }

    /// How an error reads that the tool threw, and what it tells about the walls.
    fn threw(&mut self, attempt: &Attempt, failure: &GuestFailure) {
        let place = self.place_of(failure);
        let text = failure.message.trim();
        if text.is_empty() {
            self.found
                .add(Check::ErrorTextMissing, args! {}, Some(place.clone()));
        } else if text.chars().count() < SHORT {
            let args = args! { text: self.shown(text), limit: SHORT };
            self.found.add(Check::ErrorTextShort, args, Some(place.clone()));
        }
        if failure.name.is_empty() {
            self.found.add(
                Check::ThrownNoError,
                args! { text: self.shown(text) },
                Some(place.clone()),
            );
        }
        match failure.code.as_deref() {
            Some("path_not_allowed" | "EACCES" | "EROFS" | "EPERM") => {
                self.found.add(
                    Check::PathRefused,
                    args! { reason: self.shown(text) },
                    Some(place.clone()),
                );
            }
            // What `child_process` throws where no program may be started.
            Some("ERR_ACCESS_DENIED") => {
                let check = match self.description.runtime.processes {
                    true => Check::ProcessesRefused,
                    false => Check::ProcessesUndeclared,
                };
                self.found.add(check, args! {}, Some(place.clone()));
            }
            _ => {}
        }
        if attempt.expected == Expected::Result {
            let args = args! { reason: self.shown(text) };
            self.found.add(Check::TrialFailed, args, Some(place));
        }
    }

    /// Where in the tool it was thrown, or else where the tool begins to run.
    fn place_of(&self, failure: &GuestFailure) -> Place {
        let own = frame_in(&failure.stack, Path::new(&self.folder));
        own.filter(|place| !FOREIGN.iter().any(|of| place.file.starts_with(of)))
            .unwrap_or_else(|| self.account.place("execute"))
    }

    /// Whom it asked for, and what it logged.
    fn outside(&mut self) {
        let check = match self.description.runtime.network {
            NetworkAccess::None => Check::NetworkUndeclared,
            NetworkAccess::All | NetworkAccess::Only { .. } => Check::NetworkRefused,
        };
        for row in self.tally.take() {
            let place = Some(self.account.place("execute"));
            self.found
                .add(check, args! { host: row.host, port: row.port }, place);
        }
        if self.heard.secret.load(Ordering::Relaxed) {
            self.found
                .add(Check::SecretLogged, args! {}, Some(self.account.place("execute")));
        }
    }

    fn not_tried(&mut self, failure: &Failure) {
        let reason = match failure.detail.is_empty() {
            true => failure.code.clone(),
            false => failure.detail.clone(),
        };
        let args = args! { code: failure.code, reason: self.shown(&reason) };
        self.found
            .add(Check::NotTried, args, Some(self.account.place("execute")));
    }

    /// Without secrets, without the folder of the copy, and not longer than anybody reads.
    fn shown(&self, text: &str) -> String {
        let text = self.heard.log.masked(text);
        let text = match self.folder.is_empty() {
            true => text,
            false => text.replace(&self.folder, "."),
        };
        text.chars().take(SHOWN).collect()
    }
}

fn of(error: &RunError) -> Failure {
    Failure {
        code: error.code().to_owned(),
        args: error.args(),
        detail: base::failure::chain(error),
    }
}
