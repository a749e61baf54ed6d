//! Python cells: the machine's python3 behind the walls of commands, in a folder of the notebook's own
//! and without a network. `driver.py` runs the cells in there; we speak JSON with it, a line a message.
//!
//! Deliberately not here: packages. What the machine's Python has, cells have.

use super::Notebook;
use super::heard::Heard;
use super::interpreter::{Interpreter, Session, Sessions};
use super::steps::Fault;
use crate::app::App;
use crate::work::blocking;
use base::Failure;
use runtime::host::{Picture, Reach, Resident, ResidentSpec};
use runtime::protocol::{Level, NotebookRun, Stretch};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub(super) const NAME: &str = "python";
const PROGRAM: &str = "python3";
const DRIVER: &str = include_str!("driver.py");
/// Bytes of one message of it.
const MESSAGE: u64 = 4 * 1024 * 1024;

pub(super) struct Python {
    resident: Resident,
    input: Sender,
    output: BufReader<Receiver>,
    time: Duration,
    /// Characters of a value.
    limit: usize,
    questions: u64,
    dead: bool,
}

/// Why nothing more comes.
#[derive(Debug, thiserror::Error)]
enum Ended {
    #[error("it ended")]
    Gone,
    #[error("a line is longer than {MESSAGE} bytes, or cut off")]
    TooLong,
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// One of these, of a cell.
#[derive(Deserialize)]
struct Said {
    cell: u64,
    out: Option<String>,
    ask: Option<Value>,
    done: Option<String>,
    failed: Option<String>,
    /// What failed could not be read.
    #[serde(default)]
    syntax: bool,
}

/// Whether this machine has a Python.
pub(super) async fn is_there() -> bool {
    let found = blocking(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file())
    });
    found.await.unwrap_or(false)
}

impl Interpreter for Python {
    const NAME: &'static str = NAME;

    fn place(sessions: &Sessions) -> &Mutex<Option<Session<Self>>> {
        &sessions.python
    }

    async fn start(app: &App, notebook: &Notebook, _: &Heard<'_>) -> Result<Self, Fault> {
        if !is_there().await {
            return Err(Failure::new("cell_python_missing").into());
        }
        let folder = app.inner.home.arena().join(&notebook.id);
        let made = folder.clone();
        #[allow(clippy::disallowed_methods, reason = "an empty folder of our own")]
        let made = blocking(move || std::fs::create_dir_all(&made)).await?;
        made.map_err(|error| {
            Failure::new("cell_folder_io")
                .with("path", app.inner.home.display(&folder))
                .with("reason", error.to_string())
        })?;
        let settings = &app.inner.settings.run_javascript;
        let spec = ResidentSpec {
            words: [PROGRAM, "-u", "-c", DRIVER].map(str::to_owned).to_vec(),
            env: vec![("PYTHONIOENCODING".into(), "utf-8".into())],
            folder,
            mounts: Vec::new(),
            home: app.inner.home.root().to_owned(),
            reach: Reach::nothing(),
        };
        let started = app.inner.host.resident(&spec).await;
        let mut resident = started.map_err(|error| Fault::of_run(&error))?;
        let Some(streams) = resident.take_streams() else {
            return Err(Failure::new("internal").detail("streams").into());
        };
        // It says nothing there: the driver has its own.
        tokio::spawn(async move {
            let mut errors = streams.errors;
            let mut sink = [0; 4096];
            while errors.read(&mut sink).await.is_ok_and(|read| read > 0) {}
        });
        Ok(Python {
            resident,
            input: streams.input,
            output: BufReader::new(streams.output),
            time: Duration::from_secs(u64::from(settings.seconds)),
            limit: settings.result_chars,
            questions: 0,
            dead: false,
        })
    }

    async fn stretch(
        &mut self,
        asked: &NotebookRun,
        cancel: &CancellationToken,
        heard: &Heard<'_>,
    ) -> Result<(Stretch, Option<Picture>), Fault> {
        let time = self.time;
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Failure::new("cancelled").into()),
            ran = timeout(time, self.exchange(asked, heard)) => match ran {
                Ok(ran) => return ran.map(|stretch| (stretch, None)),
                Err(_) => Err(Failure::new("timeout").with("seconds", time.as_secs()).into()),
            },
        };
        // It cannot be asked to stop; what it knew comes back when it is needed.
        self.kill().await;
        ended
    }

    fn alive(&self) -> bool {
        !self.dead
    }
}

impl Python {
    async fn exchange(&mut self, asked: &NotebookRun, heard: &Heard<'_>) -> Result<Stretch, Fault> {
        let (cell, message) = match asked {
            NotebookRun::Cell { cell, code } => (*cell, json!({"cell": cell, "code": code})),
            NotebookRun::Answer { cell, value, .. } => (*cell, json!({"cell": cell, "value": value})),
            NotebookRun::Refuse {
                cell, code, message, ..
            } => (*cell, json!({"cell": cell, "code": code, "message": message})),
        };
        if let Err(error) = self.input.write_all(format!("{message}\n").as_bytes()).await {
            return Err(self.crashed(error.into()).await);
        }
        loop {
            let said = match self.next().await {
                Ok(said) => said,
                Err(how) => return Err(self.crashed(how).await),
            };
            if let Some(text) = said.out {
                heard.line(Level::Info, text);
            }
            // A thread that another cell left behind.
            if said.cell != cell {
                continue;
            }
            if let Some(mut question) = said.ask {
                self.questions += 1;
                question["question"] = self.questions.into();
                return Ok(serde_json::from_value(question).map_err(store::StoreError::Json)?);
            }
            if let Some(value) = said.done {
                let chars = value.chars().count();
                if chars > self.limit {
                    let failure = Failure::new("result_too_large").with("chars", chars);
                    return Err(failure.with("limit", self.limit).into());
                }
                return Ok(Stretch::Done { value });
            }
            if let Some(failed) = said.failed {
                return Err(match said.syntax {
                    true => Fault::Syntax(failed),
                    false => Fault::Said(failed),
                });
            }
        }
    }

    /// The next message, or why there is none, for a person.
    async fn next(&mut self) -> Result<Said, Ended> {
        let mut line = Vec::new();
        let read = (&mut self.output)
            .take(MESSAGE)
            .read_until(b'\n', &mut line)
            .await;
        match read {
            Ok(_) if line.ends_with(b"\n") => Ok(serde_json::from_slice(&line)?),
            Ok(0) => Err(Ended::Gone),
            Ok(_) => Err(Ended::TooLong),
            Err(error) => Err(error.into()),
        }
    }

    async fn crashed(&mut self, how: Ended) -> Fault {
        self.kill().await;
        Failure::new("cell_python_ended")
            .with("reason", how.to_string())
            .into()
    }

    async fn kill(&mut self) {
        self.dead = true;
        if let Err(error) = self.resident.end().await {
            tracing::warn!(error = %base::failure::chain(&error), "python could not be ended");
        }
    }
}
