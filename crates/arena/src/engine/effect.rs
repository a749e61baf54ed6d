//! What the Arena wants done outside of the document, read off its state.
//!
//! Deliberately not here: doing it. Whoever does tells what came of an effect by an event (`Executed`,
//! `Submitted`, `Refused`, `TimedOut`). An effect that was begun before a kill is begun again; `run` and
//! `step` name it, and the answer to one that is not pending any more is rejected as late.

use crate::model::CellId;

use super::{Phase, Route, RunId, State};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Run the step of a cell. `answers` are those of earlier steps: an executor that still holds the
    /// run goes on behind its last `input()`; one that does not (the process was killed) runs the
    /// cell from the beginning, feeds them, and reports only the output behind the last of them.
    Execute {
        run: RunId,
        step: usize,
        cell: CellId,
        route: Route,
        text: String,
        answers: Vec<String>,
        /// What tools answered that were called before.
        calls: Vec<String>,
    },
    /// Let this cognitor do it, and submit its OUTPUT.
    Delegate {
        run: RunId,
        cell: CellId,
        to: String,
        context: Option<String>,
        text: String,
    },
    /// Show the hint and submit the INPUT.
    AskInput {
        run: RunId,
        step: usize,
        output: CellId,
        from: String,
        hint: String,
    },
    /// Let this cognitor create the next cell.
    CreateCell { originator: String, after: CellId },
}

impl Effect {
    /// Whether it is the same thing to do: what tools answered meanwhile makes no difference.
    pub fn is(&self, other: &Effect) -> bool {
        match (self, other) {
            (
                Effect::Execute { run, step, .. },
                Effect::Execute {
                    run: other_run,
                    step: other_step,
                    ..
                },
            ) => (run, step) == (other_run, other_step),
            _ => self == other,
        }
    }

    pub fn run(&self) -> Option<RunId> {
        match self {
            Effect::Execute { run, .. } | Effect::Delegate { run, .. } | Effect::AskInput { run, .. } => {
                Some(*run)
            }
            Effect::CreateCell { .. } => None,
        }
    }
}

impl State {
    /// All that is to be done outside in this state.
    pub fn pending(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (id, run) in self.runs.active() {
            let Some(cell) = self.cell(&run.cell) else {
                continue;
            };
            match &run.phase {
                Phase::Executing => effects.push(Effect::Execute {
                    run: id,
                    step: run.step(),
                    cell: run.cell.clone(),
                    route: run.route.clone(),
                    text: run.text.clone(),
                    answers: run.answers.clone(),
                    calls: run.calls.clone(),
                }),
                Phase::Delegated { to } => effects.push(Effect::Delegate {
                    run: id,
                    cell: run.cell.clone(),
                    to: to.clone(),
                    context: self.context_of(cell).map(str::to_owned),
                    text: run.text.clone(),
                }),
                Phase::Waiting { output, from, hint } => effects.push(Effect::AskInput {
                    run: id,
                    step: run.step(),
                    output: output.clone(),
                    from: from.clone(),
                    hint: hint.clone(),
                }),
                Phase::Queued | Phase::Finished(_) => {}
            }
        }
        effects.extend(
            self.expected
                .iter()
                .map(|(originator, after)| Effect::CreateCell {
                    originator: originator.clone(),
                    after: after.clone(),
                }),
        );
        effects
    }
}
