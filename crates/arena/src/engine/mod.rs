//! The Arena: what happens when cells are put into a canvas. A deterministic machine over events:
//! one input becomes at most one [`Event`], [`State::apply`] does everything that follows from it
//! (outputs, logs, the next run), and what is to be done outside is read off the state
//! ([`State::pending`]). So a process that is killed between two events replays what it kept, asks
//! the state what is pending, and stands where it stood.
//!
//! Deliberately not here: running code, asking models, waiting for people, clocks and storage. The
//! caller keeps the events, carries [`Effect`]s out, and answers with events.

mod apply;
mod effect;
mod graph;
mod note;
mod open;
mod route;
mod runs;

use std::collections::{BTreeMap, BTreeSet};

use base::{Args, Coded, Lang, args};
use serde::{Deserialize, Serialize};

use crate::model::{Canvas, Cell, CellId, CellType, Entry};

pub use effect::Effect;
pub use route::{Language, Route, route};
pub use runs::Runs;

/// A run of a cell; runs are numbered in the order in which they were asked for, also across
/// documents that are opened one after the other.
pub type RunId = usize;

/// A cell as somebody submits it: what is missing is inferred and logged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Draft {
    pub originator: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_cognitor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_context: Option<String>,
    /// Who asks, where that is not the originator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requester: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<(String, u64)>,
    pub text: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

/// What a step of a run brought: up to its end, or up to the next `input()`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepResult {
    pub stdout: Vec<String>,
    /// Pictures that it made: `artifact:ID`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// The executor's own word for what ran it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    pub end: StepEnd,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "end")]
pub enum StepEnd {
    Done {
        value: String,
    },
    /// `input(hint, target)` was called; without a target it is the user.
    NeedsInput {
        hint: String,
        from: String,
    },
    Failed {
        message: String,
    },
}

/// What a custom type of cell does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Behaviour {
    /// It stands in the document, and nothing happens.
    Keep,
    /// It is executed, in this context.
    Execute { context: Option<String> },
}

/// Everything that can happen. Kept in order, this is the canvas.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum Event {
    /// The first canvas of a text becomes this one.
    Opened {
        text: String,
    },
    Submitted {
        draft: Draft,
    },
    Executed {
        run: RunId,
        step: usize,
        result: StepResult,
    },
    /// A tool that the step called has answered: what its executor needs to feed it again, for it may
    /// be called only once.
    Called {
        run: RunId,
        call: usize,
        answer: String,
    },
    /// A delegate does not want to.
    Refused {
        run: RunId,
        reason: String,
    },
    /// A delegate or an input took too long.
    TimedOut {
        run: RunId,
    },
    RunRequested {
        cell: (String, u64),
    },
    /// The cell, if it is stale, and everything stale that depends on it.
    DownstreamRequested {
        cell: (String, u64),
    },
    Edited {
        cell: (String, u64),
        text: String,
    },
    Interrupted {
        run: RunId,
    },
    /// All runs end.
    Stopped,
    /// No step begins.
    Paused,
    Resumed,
    /// Whether an edit runs what depends on it.
    AutomaticSet {
        automatic: bool,
    },
    TypeRegistered {
        name: String,
        behaviour: Behaviour,
    },
}

/// Why an input changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    #[error("no cell {0}")]
    NoSuchCell(CellId),
    #[error("no run {0}")]
    NoSuchRun(RunId),
    /// The run is past this: it was interrupted, timed out, or the answer came twice.
    #[error("run {0} is past this")]
    Late(RunId),
    /// The cell is none that runs.
    #[error("{0} is no cell that runs")]
    NotExecutable(CellId),
    /// The cell runs already.
    #[error("{0} runs already")]
    Running(CellId),
}

impl Coded for Rejected {
    fn code(&self) -> &'static str {
        match self {
            Rejected::NoSuchCell(_) => "cell_not_found",
            Rejected::NoSuchRun(_) => "cell_run_not_found",
            Rejected::Late(_) => "cell_run_late",
            Rejected::NotExecutable(_) => "cell_not_executable",
            Rejected::Running(_) => "cell_running",
        }
    }

    fn args(&self) -> Args {
        match self {
            Rejected::NoSuchCell(cell) | Rejected::NotExecutable(cell) | Rejected::Running(cell) => {
                args! { cell: cell.to_string() }
            }
            Rejected::NoSuchRun(run) | Rejected::Late(run) => args! { run: run },
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Its next step may begin when it is its turn.
    Queued,
    Executing,
    Waiting {
        output: CellId,
        from: String,
        hint: String,
    },
    Delegated {
        to: String,
    },
    Finished(Outcome),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Failed,
    Refused,
    TimedOut,
    Interrupted,
}

/// How a cell stands: by its newest run, and by what has changed since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Idle,
    Queued,
    Running,
    Waiting,
    Delegated,
    Stale,
    Done,
    Stopped,
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub cell: CellId,
    pub route: Route,
    /// The text as it was when the run was asked for; an edit does not change a run.
    pub text: String,
    pub phase: Phase,
    /// How many inputs were answered: the number of the step.
    pub answers: Vec<String>,
    /// What tools answered that it called.
    pub calls: Vec<String>,
    /// What ran it last, as its executor said.
    pub by: String,
    /// It was told by a document and did not happen here.
    pub imported: bool,
    pub inputs: Vec<CellId>,
    pub outputs: Vec<CellId>,
}

impl Run {
    pub fn step(&self) -> usize {
        self.answers.len()
    }

    pub fn is_active(&self) -> bool {
        !matches!(self.phase, Phase::Finished(_))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    arena: String,
    lang: Lang,
    canvas: Canvas,
    places: BTreeMap<CellId, usize>,
    last: BTreeMap<String, u64>,
    runs: Runs,
    /// Inputs that came before anybody asked.
    early: Vec<CellId>,
    /// Who is to create the next cell, and after which.
    expected: Vec<(String, CellId)>,
    stale: BTreeSet<CellId>,
    types: BTreeMap<String, Behaviour>,
    paused: bool,
    automatic: bool,
}

impl State {
    pub fn new(arena: impl Into<String>, lang: Lang) -> Self {
        State {
            arena: arena.into(),
            lang,
            canvas: Canvas::default(),
            places: BTreeMap::new(),
            last: BTreeMap::new(),
            runs: Runs::default(),
            early: Vec::new(),
            expected: Vec::new(),
            stale: BTreeSet::new(),
            types: BTreeMap::new(),
            paused: false,
            automatic: false,
        }
    }

    /// The state after these events.
    pub fn replay<'e>(mut self, events: impl IntoIterator<Item = &'e Event>) -> Self {
        for event in events {
            self.apply(event);
        }
        self
    }

    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    pub fn is_stale(&self, cell: &CellId) -> bool {
        self.stale.contains(cell)
    }

    /// How many names of cells there are.
    pub fn cell_count(&self) -> usize {
        self.places.len()
    }

    pub fn is_automatic(&self) -> bool {
        self.automatic
    }

    /// Inputs that nobody has asked for yet.
    pub fn early(&self) -> &[CellId] {
        &self.early
    }

    /// The types that the document knows beside the protocol's own: the global `Cell` lists them.
    pub fn types(&self) -> impl Iterator<Item = (&str, &Behaviour)> {
        self.types
            .iter()
            .map(|(name, behaviour)| (name.as_str(), behaviour))
    }

    pub fn cell(&self, id: &CellId) -> Option<&Cell> {
        match self.canvas.entries.get(*self.places.get(id)?)? {
            Entry::Cell(cell) => Some(cell),
            Entry::ArenaLog(_) | Entry::Other(_) => None,
        }
    }

    /// The newest run of a cell.
    pub fn last_run(&self, id: &CellId) -> Option<(RunId, &Run)> {
        let id = *self.runs.of_cell(id).last()?;
        Some((id, &self.runs[id]))
    }

    pub fn standing(&self, id: &CellId) -> Standing {
        let run = self.last_run(id);
        match run.map(|(_, run)| &run.phase) {
            Some(Phase::Queued) => Standing::Queued,
            Some(Phase::Executing) => Standing::Running,
            Some(Phase::Waiting { .. }) => Standing::Waiting,
            Some(Phase::Delegated { .. }) => Standing::Delegated,
            _ if self.stale.contains(id) => Standing::Stale,
            Some(Phase::Finished(Outcome::Done)) => Standing::Done,
            Some(Phase::Finished(Outcome::Interrupted)) => Standing::Stopped,
            Some(Phase::Finished(Outcome::Failed | Outcome::Refused | Outcome::TimedOut)) => Standing::Failed,
            None => Standing::Idle,
        }
    }

    /// Whether this can happen now.
    pub fn check(&self, event: &Event) -> Result<(), Rejected> {
        match event {
            Event::Executed { run, step, .. } => {
                self.is_at(*run, |now| now.phase == Phase::Executing && now.step() == *step)
            }
            Event::Called { run, call, .. } => self.is_at(*run, |now| {
                now.phase == Phase::Executing && now.calls.len() == *call
            }),
            Event::Refused { run, .. } => {
                self.is_at(*run, |now| matches!(now.phase, Phase::Delegated { .. }))
            }
            Event::TimedOut { run } => {
                let waits = |now: &Run| matches!(now.phase, Phase::Delegated { .. } | Phase::Waiting { .. });
                self.is_at(*run, waits)
            }
            Event::Interrupted { run } => self.is_at(*run, Run::is_active),
            Event::RunRequested { cell } => {
                let cell = self.existing(id_of(cell))?;
                if !self.executes(cell) {
                    return Err(Rejected::NotExecutable(cell.id()));
                }
                if self.is_running(&cell.id()) {
                    Err(Rejected::Running(cell.id()))
                } else {
                    Ok(())
                }
            }
            Event::DownstreamRequested { cell } | Event::Edited { cell, .. } => {
                self.existing(id_of(cell)).map(|_| ())
            }
            Event::Opened { .. }
            | Event::Submitted { .. }
            | Event::Stopped
            | Event::Paused
            | Event::Resumed
            | Event::AutomaticSet { .. }
            | Event::TypeRegistered { .. } => Ok(()),
        }
    }

    fn existing(&self, id: CellId) -> Result<&Cell, Rejected> {
        self.cell(&id).ok_or(Rejected::NoSuchCell(id))
    }

    fn is_at(&self, id: RunId, wanted: impl Fn(&Run) -> bool) -> Result<(), Rejected> {
        match self.runs.get(id) {
            Some(run) if wanted(run) => Ok(()),
            Some(_) => Err(Rejected::Late(id)),
            None => Err(Rejected::NoSuchRun(id)),
        }
    }

    /// Where a cell is executed: what it says itself, else what its type says.
    pub fn context_of<'c>(&'c self, cell: &'c Cell) -> Option<&'c str> {
        cell.execution_context.as_deref().or_else(|| match &cell.kind {
            CellType::Custom(word) => match self.types.get(word) {
                Some(Behaviour::Execute { context }) => context.as_deref(),
                Some(Behaviour::Keep) | None => None,
            },
            CellType::Exec | CellType::Output | CellType::Input => None,
        })
    }

    /// Who deals with a cell, if it is one that runs.
    pub fn route_of_cell(&self, cell: &Cell) -> Option<Route> {
        self.executes(cell).then(|| self.route_of(cell))
    }

    /// Cells whose last run is no longer what they say, in the order of the document.
    pub fn stale(&self) -> impl Iterator<Item = CellId> {
        let cells = self.canvas.cells().map(Cell::id);
        cells.filter(|id| self.stale.contains(id))
    }

    fn route_of(&self, cell: &Cell) -> Route {
        route(cell, self.context_of(cell), &self.arena)
    }

    fn executes(&self, cell: &Cell) -> bool {
        match &cell.kind {
            CellType::Exec => true,
            CellType::Output | CellType::Input => false,
            CellType::Custom(word) => matches!(self.types.get(word), Some(Behaviour::Execute { .. })),
        }
    }

    fn is_running(&self, id: &CellId) -> bool {
        let newest = self.runs.of_cell(id).last();
        newest.is_some_and(|run| self.runs[*run].is_active())
    }
}

/// What an event brings: the state after it, and what is to be begun and ended outside. The event is
/// to be kept before any of that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub begin: Vec<Effect>,
    pub cancel: Vec<Effect>,
}

/// Takes an input: checks it, applies it, and tells what changed outside.
pub fn step(state: &mut State, event: &Event) -> Result<Changes, Rejected> {
    state.check(event)?;
    let before = state.pending();
    state.apply(event);
    let after = state.pending();
    // What the event itself reports as ended needs no cancelling.
    let ended = |effect: &Effect| match event {
        Event::Executed { run, .. } | Event::Refused { run, .. } => effect.run() == Some(*run),
        _ => false,
    };
    Ok(Changes {
        begin: after
            .iter()
            .filter(|effect| !before.iter().any(|known| known.is(effect)))
            .cloned()
            .collect(),
        cancel: before
            .into_iter()
            .filter(|effect| !after.iter().any(|known| known.is(effect)) && !ended(effect))
            .collect(),
    })
}

fn id_of((originator, seq): &(String, u64)) -> CellId {
    CellId::new(originator.clone(), *seq)
}
