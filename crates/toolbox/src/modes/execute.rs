//! Mode `execute`: find the tool, check the parameters, see that its dependencies are there,
//! gather environment and rights, run, keep the run.

use super::begun::Begun;
use super::open::Heard;
use super::sight::{Ready, Sight};
use super::{Call, Detail, OpenRun, Words};
use crate::catalog::Tool;
use crate::configure::{self, Change};
use crate::failure_text::{self, Cause};
use crate::model::{Description, NetworkAccess, Property, SandboxType};
use crate::parameters::{self, Violation};
use crate::rights::{self, Rights};
use crate::run_log::{self, Level, Record, RunLog};
use crate::toolbox::Toolbox;
use base::name::ToolName;
use base::{Coded, Event, Failure, clock};
use runtime::host::net::Tally;
use runtime::host::{Deadline, Engine, Finished, Reach, RunError, Tier, ToolSpec, is_python};
use runtime::protocol;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Actor, Run};

/// A run of a tool and how it ended.
#[derive(Debug)]
pub struct Execution {
    pub run: String,
    pub result: Result<Value, RunFailure>,
    pub took: Duration,
}

/// Why a run gave nothing.
#[derive(Debug)]
pub struct RunFailure {
    pub failure: Failure,
    /// Markdown for a model.
    pub help: String,
}

impl Toolbox {
    /// Runs a tool. `Err` means that there is no such tool, or no such run can be: it was not
    /// begun. Every other end is an [`Execution`].
    pub async fn execute(
        &self,
        name: &ToolName,
        parameters: Map<String, Value>,
        call: Call<'_>,
    ) -> Result<Execution, Failure> {
        let _unchanged = self.inner.turns.unchanged(name).await;
        let ready = match self.ready(name).await {
            Some(ready) => ready,
            None => (self.get(name).await?, None),
        };
        self.execute_ready(ready, parameters, call).await
    }

    /// The same for a tool as it was just found. The caller holds its turn.
    pub(super) async fn execute_ready(
        &self,
        (tool, seen): Ready,
        parameters: Map<String, Value>,
        call: Call<'_>,
    ) -> Result<Execution, Failure> {
        let (tool, name) = (&tool, &tool.name);
        let (run, open) = self.begin(name.as_str(), &call).await?;
        let started_at = clock::now_ms();
        let started = Instant::now();
        let mut begun = Begun::new(&self.inner.store, &run, name);
        // Pinned here: what is moved along takes its room twice in every call.
        let sight = begun.during(pin!(self.sight(tool, seen))).await;
        // None of a tool that cannot run.
        let log = sight.as_ref().ok().map(|sight| sight.log.clone());
        let mask = |text: &str| {
            log.as_ref()
                .map_or_else(|| text.to_owned(), |log| log.masked(text))
        };
        let mut detail = Detail::default();
        detail.given(&json!(parameters).to_string(), mask);
        let mut memory = None;
        let ran = begun
            .during(pin!(self.attempt(
                tool,
                sight,
                parameters,
                &run,
                open.as_ref(),
                &call
            )))
            .await;
        let result = match ran {
            Ok(Ran { finished, json }) => {
                memory = i64::try_from(finished.usage.memory).ok();
                detail.gave(&json, mask);
                Ok(finished.value)
            }
            Err(mut problem) => {
                if let (Problem::Run(RunError::Crashed { stderr, .. }), Some(log)) = (&mut problem, &log) {
                    // Only its end was kept: it may begin with half a secret.
                    *stderr = log.masked_tail(stderr);
                }
                let lacking = self.lacking(tool).await;
                let failed = masked(self.explain(tool, problem, &lacking, call.words), mask);
                detail.failed(&failed.failure, Some(&failed.help));
                Err(failed)
            }
        };
        let took = started.elapsed();
        detail.wrote(open.lines());
        open.over();
        let error = result.as_ref().err().map(|failure| failure.failure.code.clone());
        let row = Run {
            id: run.clone(),
            subject: name.to_string(),
            started_at,
            duration_ms: took.as_secs_f64() * 1000.0,
            success: error.is_none(),
            error,
            actor: call.actor.clone(),
            memory,
            about: detail.about(),
        };
        // Its lines are in the file within a moment: whoever reads a log here has them written first.
        self.keep(row, &detail, begun.untold()).await;
        Ok(Execution { run, result, took })
    }

    /// Keeps a finished run; `before` are events that nobody was told of yet.
    pub(crate) async fn keep(&self, row: Run, detail: &Detail, before: Vec<Event>) {
        let run = row.id.clone();
        let keep = self.inner.settings.retention.runs;
        let mut events = before;
        events.push(row.finished());
        // What was done is done: a record that cannot be kept must not make a caller do it again.
        let kept = self
            .inner
            .store
            .add_run(row, detail.to_text(), events, keep)
            .await;
        if let Err(error) = kept {
            tracing::error!(run, error = %base::failure::chain(&error), "a run was not recorded");
        }
    }

    /// Opens the run under the id that the caller chose, or a new one.
    pub(crate) async fn begin(
        &self,
        subject: &str,
        call: &Call<'_>,
    ) -> Result<(String, Box<dyn OpenRun>), Failure> {
        let run = match &call.run {
            Some(chosen) => chosen.clone(),
            // In the order of time, as the records are.
            None => uuid::Uuid::now_v7().to_string(),
        };
        // Opened before the records are asked: a run is among the open ones or recorded, never
        // neither.
        let open = call.runs.open(&run, subject, call.actor, &call.cancel)?;
        if call.run.is_some() && self.inner.store.has_run(run.clone()).await? {
            return Err(Failure::new("run_exists").with("run", run));
        }
        Ok((run, open))
    }

    async fn attempt(
        &self,
        tool: &Arc<Tool>,
        sight: Result<Sight, Failure>,
        parameters: Map<String, Value>,
        run: &str,
        open: &dyn OpenRun,
        call: &Call<'_>,
    ) -> Result<Ran, Problem> {
        let description = tool.described()?;
        supported(tool, description)?;
        let mut sight = sight?;
        let lacking = missing(description, &sight.environment);
        if sight.secrets.is_ok()
            && !lacking.is_empty()
            && Box::pin(self.completed(tool, &lacking, &parameters, open, call)).await?
        {
            sight = Box::pin(self.sight(tool, None)).await?;
        }
        let log = sight.log.clone();
        noted(
            log.append(run_log::started(&tool.name, &parameters, |text| log.masked(text)))
                .await,
        );
        let started = Instant::now();
        let ran = self.run(tool, description, parameters, sight, run, open).await;
        let ran = ran.map(|finished| Ran {
            json: finished.value.to_string(),
            finished,
        });
        let record = match &ran {
            Ok(ran) => run_log::finished(ran.json.len(), started.elapsed()),
            Err(problem) => problem.record(),
        };
        noted(log.append(record).await);
        ran
    }

    /// Has a person asked for what the configuration lacks, and keeps what she says: `true` when there
    /// is something new. Secrets are not said to clients, and not taken from them here.
    async fn completed(
        &self,
        tool: &Tool,
        lacking: &[&Property],
        parameters: &Map<String, Value>,
        open: &dyn OpenRun,
        call: &Call<'_>,
    ) -> Result<bool, Failure> {
        // She is not bothered for a call that cannot run.
        if parameters::check(&tool.described()?.schema.parameters, parameters.clone()).is_err() {
            return Ok(false);
        }
        let cancel = open.cancel();
        let values = tokio::select! {
            values = call.asks.values(&tool.name, lacking) => values,
            () = cancel.cancelled() => None,
        };
        let mut values = values.unwrap_or_default();
        let asked = |name: &String| lacking.iter().any(|one| one.name == *name && !one.is_secret());
        values.retain(|name, _| asked(name));
        if values.is_empty() {
            return Ok(false);
        }
        let change = Change {
            values: &values,
            remove: &[],
        };
        self.configure(tool, change, call.actor).await?;
        Ok(true)
    }

    /// Required variables that are not set, for a run that failed perhaps because of it.
    async fn lacking(&self, tool: &Tool) -> Vec<String> {
        let (Ok(description), Ok(env)) = (&tool.description, self.env_file(tool).await) else {
            return Vec::new();
        };
        // One that is kept elsewhere is set, whether it can be had or not.
        let environment = self.environment(description, env.values());
        let missing = missing(description, &environment).into_iter();
        missing.map(|one| one.name.clone()).collect()
    }

    async fn run(
        &self,
        tool: &Arc<Tool>,
        description: &Description,
        parameters: Map<String, Value>,
        mut sight: Sight,
        run: &str,
        open: &dyn OpenRun,
    ) -> Result<Finished, Problem> {
        let parameters =
            parameters::check(&description.schema.parameters, parameters).map_err(Problem::Parameters)?;
        sight.secrets.clone()?;
        let log = sight.log.clone();
        if self
            .ensure_dependencies(tool, sight.dependencies?, &log, run, open)
            .await?
        {
            sight = Box::pin(self.sight(tool, None)).await?;
            sight.secrets.clone()?;
        }
        let mut spec = self.spec(
            tool,
            description,
            sight.environment,
            sight.rights?,
            &sight.lock?,
            &log,
        )?;
        let asks = description.runtime.network != NetworkAccess::None;
        if spec.engine != Engine::QuickJs && asks && self.inner.host.walls().tier().await != Tier::Full {
            let name = if spec.engine == Engine::Node {
                "node"
            } else {
                "python"
            };
            let text = format!("sandboxType '{name}' 在当前隔离级别下不能使用网络: networkAccess 没有作用");
            log.offer(Record::now(Level::Warn, text));
        }
        let tally = Tally::default();
        spec.reach = self.reach(tool, description, &tally).await?;
        spec.reach.processes = self.processes(tool, description, &spec).await?;
        let deadline = Deadline {
            time: description.runtime.max_execution_time,
            cancel: open.cancel(),
        };
        let ran = self
            .inner
            .host
            .run_tool(
                &spec,
                &Value::Object(parameters),
                &deadline,
                &Heard { log: &log, open },
            )
            .await;
        let own = Actor {
            kind: "tool".to_owned(),
            name: tool.name.to_string(),
        };
        self.note_network(&own, tool.name.as_str(), &tally).await;
        ran.map_err(Problem::Run)
    }

    fn spec(
        &self,
        tool: &Tool,
        description: &Description,
        environment: BTreeMap<String, String>,
        rights: Rights,
        lock: &str,
        log: &RunLog,
    ) -> Result<ToolSpec, Failure> {
        for path in &rights.absent {
            log.offer(Record::now(
                Level::Warn,
                format!("允许的目录不存在，已跳过: {}", path.display()),
            ));
        }
        let mut spec = ToolSpec {
            load: protocol::ToolLoad {
                name: tool.name.to_string(),
                folder: tool.folder.clone(),
                main: tool.main.clone(),
                env: environment.into_iter().collect(),
                directories: rights.directories,
                user_home: base::home::user_home()?,
                data_home: self.inner.home.root().to_owned(),
                heap: u64::from(description.runtime.max_memory_mb) * 1024 * 1024,
            },
            mounts: rights.mounts,
            home: self.inner.home.root().to_owned(),
            reach: Reach::nothing(),
            key: String::new(),
            concurrency: usize::try_from(description.runtime.concurrency).unwrap_or(1),
            engine: engine_of(description),
        };
        spec.key = rights::key(&spec, &tool.hash, lock);
        Ok(spec)
    }

    fn explain(&self, tool: &Tool, problem: Problem, lacking: &[String], words: &dyn Words) -> RunFailure {
        let description = tool.description.as_ref().ok();
        let mut failure = problem.failure(self.lang());
        let render = |cause| failure_text::render(&tool.name, description, cause, lacking, self.lang());
        let help = match &problem {
            Problem::Parameters(violations) => render(Cause::Parameters(violations)),
            Problem::Run(RunError::Failed(guest)) if guest.cause == protocol::Cause::Threw => {
                let business = guest.business.as_deref();
                let matched = business.and_then(|code| description?.business_error(code));
                if let Some(matched) = matched {
                    // Whoever shows it knows whether trying again is worth while.
                    failure = failure
                        .with("business", matched.code.as_str())
                        .with("retryable", matched.retryable);
                }
                render(Cause::Thrown {
                    message: &guest.message,
                    code: guest.code.as_deref(),
                    matched,
                })
            }
            Problem::Run(_) | Problem::Other(_) => {
                let (message, hint) = words.words(&failure, self.lang());
                render(Cause::Host {
                    code: &failure.code,
                    message: &message,
                    hint: &hint.unwrap_or_default(),
                })
            }
        };
        RunFailure { failure, help }
    }
}

/// Required variables that are not set.
fn missing<'d>(description: &'d Description, environment: &BTreeMap<String, String>) -> Vec<&'d Property> {
    configure::missing(&description.schema.environment, environment).collect()
}

/// A run that came to its result, and that as JSON.
struct Ran {
    finished: Finished,
    json: String,
}

/// What a tool says in its errors goes to models: its secrets must not.
fn masked(mut failed: RunFailure, mask: impl Fn(&str) -> String) -> RunFailure {
    failed.help = mask(&failed.help);
    failed.failure.detail = mask(&failed.failure.detail);
    let args = mask(&Value::Object(std::mem::take(&mut failed.failure.args)).to_string());
    // Masking puts plain characters in the place of characters inside strings.
    if let Ok(Value::Object(args)) = serde_json::from_str(&args) {
        failed.failure.args = args;
    }
    failed
}

/// A log that cannot be written is not a failure of the run.
fn noted(written: Result<(), run_log::RunLogError>) {
    if let Err(error) = written {
        tracing::warn!(%error, "run.log was not written");
    }
}

pub(crate) fn engine_of(description: &Description) -> Engine {
    match description.runtime.sandbox {
        SandboxType::Node => Engine::Node,
        SandboxType::Python => Engine::Python,
        SandboxType::QuickJs | SandboxType::Unsupported(_) => Engine::QuickJs,
    }
}

/// What a tool is written in says its file: JavaScript does not run in Python, nor the other way round.
pub(crate) fn supported(tool: &Tool, description: &Description) -> Result<(), Failure> {
    description.runtime.sandbox.supported()?;
    match (is_python(&tool.main), description.is_python()) {
        (true, true) | (false, false) => Ok(()),
        (true, false) | (false, true) => Err(Failure::new("sandbox_other_language")
            .with("file", tool.main.as_str())
            .with("sandbox", description.runtime.sandbox.name())),
    }
}

/// Why an attempt gave nothing.
enum Problem {
    Parameters(Vec<Violation>),
    Run(RunError),
    Other(Failure),
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        Problem::Other(failure)
    }
}

impl Problem {
    fn failure(&self, lang: base::Lang) -> Failure {
        match self {
            Problem::Parameters(violations) => {
                let words: Vec<String> = violations.iter().map(|one| one.words(lang)).collect();
                Failure::new("invalid_parameters").with("violations", words.join("; "))
            }
            Problem::Run(error) => {
                let mut failure = Failure::new(error.code());
                failure.args = error.args();
                failure.detail = error
                    .guest()
                    .map_or_else(|| base::failure::chain(error), |guest| guest.stack.clone());
                failure
            }
            Problem::Other(failure) => failure.clone(),
        }
    }

    /// The line in `run.log`; what is not the tool's own error says where it ran.
    fn record(&self) -> Record {
        match self {
            Problem::Parameters(violations) => {
                let words: Vec<String> = violations.iter().map(|one| one.words(base::Lang::ZhCn)).collect();
                run_log::failed(&words.join("; "), None)
            }
            Problem::Run(RunError::Failed(guest)) => {
                let name = if guest.name.is_empty() {
                    String::new()
                } else {
                    format!("{}: ", guest.name)
                };
                run_log::failed(&format!("{name}{}", guest.message), Some(&guest.stack))
            }
            Problem::Run(RunError::Crashed { exit, stderr }) => run_log::failed(
                &format!("worker ended: {exit}"),
                Some(stderr.as_str()).filter(|text| !text.is_empty()),
            ),
            Problem::Run(error) => run_log::failed(&base::failure::chain(error), Some(&place())),
            Problem::Other(failure) => run_log::failed(
                &format!("{failure} {}", Value::Object(failure.args.clone())),
                Some(&place()),
            ),
        }
    }
}

/// Platform and versions, for errors that depend on them (seed 002 section 11.12).
fn place() -> String {
    format!(
        "platform: {} {}, version: {}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        env!("CARGO_PKG_VERSION")
    )
}
