//! The four modes of `toolm` (CONTRACT, "toolm"; seed 002 section 11.8.3), and the runs behind
//! mode `execute`.

mod begun;
mod content;
mod detail;
mod execute;
mod open;
mod sight;

pub use content::{Answer, content_of};
pub use detail::{Detail, KeptLine};
pub use execute::{Execution, RunFailure};
pub(crate) use execute::{engine_of, supported};
pub use open::{Asks, Call, Line, Nobody, OpenRun, Runs, Stream, Values, level_of};

use crate::configure;
use crate::manual;
use crate::request::{self, Mode, Request};
use crate::run_log::{self, Level, Pick, Query};
use crate::toolbox::{Toolbox, unreadable};
use base::name::ToolName;
use base::{Failure, Lang};
use serde_json::{Map, Value};
use store::Actor;

/// Words for a failure, in the user's language; the server owns them.
pub trait Words: Send + Sync {
    /// Message and hint.
    fn words(&self, failure: &Failure, lang: Lang) -> (String, Option<String>);
}

/// Lines that mode `log` gives when it is not told how many.
const LOG_LINES: usize = 50;

/// Which tools there are for a caller; the others are not there for it.
pub type Visible<'v> = &'v (dyn Fn(&ToolName) -> bool + Send + Sync);

/// A caller that nobody limited.
pub const ALL: Visible<'static> = &|_| true;

impl Toolbox {
    /// What the MCP tool `toolm` answers to the text of its `yaml` argument.
    pub async fn toolm(&self, yaml: Option<&Value>, visible: Visible<'_>, call: Call<'_>) -> Answer {
        let words = call.words;
        match self.try_toolm(yaml, visible, call).await {
            Ok(answer) => answer,
            Err(failure) => self.failed(&failure, words),
        }
    }

    async fn try_toolm(
        &self,
        yaml: Option<&Value>,
        visible: Visible<'_>,
        call: Call<'_>,
    ) -> Result<Answer, Failure> {
        let names = async || -> Result<Vec<ToolName>, Failure> {
            let mut names = self.names().await?;
            names.retain(visible);
            Ok(names)
        };
        let parsed = match yaml {
            Some(Value::String(text)) if !text.trim().is_empty() => request::parse(text),
            // A model that sends the object itself means the same.
            Some(object @ Value::Object(_)) => request::of(object),
            _ => Err(request::RequestError::MissingYaml),
        };
        let request = match parsed {
            Ok(request) => request,
            Err(error) => return Ok(Answer::error(error.message(self.lang(), &names().await?))),
        };
        let _unchanged = self.inner.turns.unchanged(&request.tool).await;
        let found = match (visible(&request.tool), request.mode) {
            (false, _) => None,
            (true, Mode::Execute) => self.ready(&request.tool).await,
            (true, _) => self.find(&request.tool).await.map(|tool| (tool, None)),
        };
        let Some(found) = found else {
            return Ok(Answer::error(request::unknown_tool(
                request.tool.as_str(),
                &names().await?,
            )));
        };
        let Request {
            tool,
            mode,
            parameters,
        } = request;
        match mode {
            Mode::Manual => Ok(Answer::text(self.manual(&tool).await?)),
            Mode::Configure => Ok(Answer::text(
                self.configure_page(&tool, &parameters, call.actor, call.words)
                    .await?,
            )),
            Mode::Log => Ok(Answer::text(self.log_page(&tool, &parameters).await?)),
            Mode::Execute => {
                let execution = self.execute_ready(found, parameters, call).await?;
                Ok(execution.answer(&tool))
            }
        }
    }

    fn failed(&self, failure: &Failure, words: &dyn Words) -> Answer {
        let (message, hint) = words.words(failure, self.lang());
        Answer::error(match hint {
            Some(hint) => format!("{message}\n{hint}"),
            None => message,
        })
    }

    pub async fn manual(&self, name: &ToolName) -> Result<String, Failure> {
        let tool = self.get(name).await?;
        let description = tool.described()?;
        Ok(match &description.manual {
            Some(own) => own.clone(),
            None => manual::render(name, description, self.lang()),
        })
    }

    /// Writes what is given, then shows everything.
    pub async fn configure_page(
        &self,
        name: &ToolName,
        values: &Map<String, Value>,
        actor: &Actor,
        words: &dyn Words,
    ) -> Result<String, Failure> {
        let tool = self.get(name).await?;
        let mut page = String::new();
        if !values.is_empty() {
            let change = configure::Change { values, remove: &[] };
            for warning in self.configure(&tool, change, actor).await?.warnings {
                page.push_str(&format!("> ⚠️ {}\n", words.words(&warning, self.lang()).0));
            }
        }
        if !page.is_empty() {
            page.push('\n');
        }
        let opened = self.opened(name, self.env_file(&tool).await?).await?;
        let path = self.inner.home.display(&tool.folder.join(".env"));
        page.push_str(&configure::render(
            name,
            tool.described()?,
            &path,
            &opened.shown(),
            self.lang(),
        ));
        Ok(page)
    }

    /// `action`, `lines`, `level`, `search`.
    pub async fn log_page(
        &self,
        name: &ToolName,
        parameters: &Map<String, Value>,
    ) -> Result<String, Failure> {
        let tool = self.get(name).await?;
        let query = log_query(parameters)?;
        self.log_of(&tool, &Default::default(), std::iter::empty())
            .flush()
            .await?;
        let path = tool.folder.join(run_log::FILE);
        let page = tokio::task::spawn_blocking({
            let path = path.clone();
            move || run_log::read(&path, &query)
        })
        .await
        .map_err(crate::toolbox::join_failed)?
        .map_err(|error| unreadable(&path, &error))?;
        if page.lines.is_empty() {
            return Ok(self.lang().pick("（没有日志）", "(no log lines)").to_owned());
        }
        Ok(page.lines.join("\n"))
    }
}

pub(crate) fn log_query(parameters: &Map<String, Value>) -> Result<Query, Failure> {
    let wrong = |name: &str, value: &Value| {
        Failure::new("invalid_args")
            .with("call", "log")
            .with("reason", format!("{name}: {value}"))
    };
    let lines = match parameters.get("lines") {
        None | Some(Value::Null) => LOG_LINES,
        Some(value) => match value.as_u64().or_else(|| value.as_str()?.parse().ok()) {
            Some(lines @ 1..=100_000) => usize::try_from(lines).unwrap_or(LOG_LINES),
            _ => return Err(wrong("lines", value)),
        },
    };
    let text = |name: &str| match parameters.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(wrong(name, other)),
    };
    let pick = match text("action")? {
        None | Some("tail") => Pick::Tail(lines),
        Some("head") => Pick::Head(lines),
        Some("all") => Pick::All,
        Some(other) => return Err(wrong("action", &other.into())),
    };
    let level = match text("level")? {
        None => Level::Debug,
        Some(name) => Level::named(name).ok_or_else(|| wrong("level", &name.into()))?,
    };
    Ok(Query {
        pick,
        level,
        search: text("search")?.map(str::to_owned),
    })
}
