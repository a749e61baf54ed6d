//! The Arena: what happens when cells are put into a canvas. A deterministic machine over events:
//! one input becomes at most one [`Event`], [`State::apply`] does everything that follows from it
//! (outputs, logs, the next run), and what is to be done outside is read off the state
//! ([`State::pending`]). So a process that is killed between two events replays what it kept, asks
//! the state what is pending, and stands where it stood.
//!
//! Deliberately not here: running code, asking models, waiting for people, clocks and storage. An
//! [`Executor`] carries effects out and answers with inputs; the caller keeps the events.

mod apply;
mod effect;
mod graph;
mod note;
mod route;

use std::collections::{BTreeMap, BTreeSet};

use base::Lang;
use serde::{Deserialize, Serialize};

use crate::model::{Canvas, Cell, CellId, CellType, Entry};

pub use effect::{Effect, Executor};
pub use route::{Language, Route, route};

/// A run of a cell; runs are numbered in the order in which they were asked for.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    NoSuchCell,
    NoSuchRun,
    /// The run is past this: it was interrupted, timed out, or the answer came twice.
    Late,
    /// The cell is none that runs.
    NotExecutable,
    /// The cell runs already.
    Running,
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub cell: CellId,
    pub route: Route,
    /// The text as it was when the run was asked for; an edit does not change a run.
    pub text: String,
    pub phase: Phase,
    /// How many inputs were answered: the number of the step.
    pub answers: Vec<String>,
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
    runs: Vec<Run>,
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
            runs: Vec::new(),
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

    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    pub fn is_stale(&self, cell: &CellId) -> bool {
        self.stale.contains(cell)
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

    /// The word for the state of a cell, as in the cell's JSON.
    pub fn word(&self, id: &CellId) -> &'static str {
        let run = self.runs.iter().rev().find(|run| run.cell == *id);
        match run.map(|run| &run.phase) {
            Some(Phase::Queued) => "queued",
            Some(Phase::Executing) => "running",
            Some(Phase::Waiting { .. }) => "waiting",
            Some(Phase::Delegated { .. }) => "delegated",
            _ if self.stale.contains(id) => "stale",
            Some(Phase::Finished(Outcome::Done)) => "done",
            Some(Phase::Finished(Outcome::Interrupted)) => "stopped",
            Some(Phase::Finished(Outcome::Failed | Outcome::Refused | Outcome::TimedOut)) => "failed",
            None => "idle",
        }
    }

    /// Whether this can happen now.
    pub fn check(&self, event: &Event) -> Result<(), Rejected> {
        match event {
            Event::Executed { run, step, .. } => {
                let run = self.runs.get(*run).ok_or(Rejected::NoSuchRun)?;
                if run.phase == Phase::Executing && run.step() == *step {
                    Ok(())
                } else {
                    Err(Rejected::Late)
                }
            }
            Event::Refused { run, .. } => match self.runs.get(*run).ok_or(Rejected::NoSuchRun)?.phase {
                Phase::Delegated { .. } => Ok(()),
                _ => Err(Rejected::Late),
            },
            Event::TimedOut { run } => match self.runs.get(*run).ok_or(Rejected::NoSuchRun)?.phase {
                Phase::Delegated { .. } | Phase::Waiting { .. } => Ok(()),
                _ => Err(Rejected::Late),
            },
            Event::Interrupted { run } => {
                let run = self.runs.get(*run).ok_or(Rejected::NoSuchRun)?;
                if run.is_active() {
                    Ok(())
                } else {
                    Err(Rejected::Late)
                }
            }
            Event::RunRequested { cell } => {
                let cell = self.cell(&id_of(cell)).ok_or(Rejected::NoSuchCell)?;
                if !self.executes(cell) {
                    return Err(Rejected::NotExecutable);
                }
                if self.is_running(&cell.id()) {
                    Err(Rejected::Running)
                } else {
                    Ok(())
                }
            }
            Event::DownstreamRequested { cell } | Event::Edited { cell, .. } => {
                self.cell(&id_of(cell)).map(|_| ()).ok_or(Rejected::NoSuchCell)
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

    fn executes(&self, cell: &Cell) -> bool {
        match &cell.kind {
            CellType::Exec => true,
            CellType::Output | CellType::Input => false,
            CellType::Custom(word) => matches!(self.types.get(word), Some(Behaviour::Execute { .. })),
        }
    }

    fn is_running(&self, id: &CellId) -> bool {
        self.runs.iter().any(|run| run.cell == *id && run.is_active())
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
            .filter(|effect| !before.contains(effect))
            .cloned()
            .collect(),
        cancel: before
            .into_iter()
            .filter(|effect| !after.contains(effect) && !ended(effect))
            .collect(),
    })
}

fn id_of((originator, seq): &(String, u64)) -> CellId {
    CellId::new(originator.clone(), *seq)
}
