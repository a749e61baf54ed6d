//! What follows from an event. Everything here is decided by the state and the event alone.
//!
//! Deliberately not here: whether the event is allowed now (`State::check`).

use std::collections::BTreeSet;

use crate::convert::MARKDOWN;
use crate::model::{
    ARTIFACTS, ArenaLog, Cell, CellId, CellType, Entry, EntryType, Flag, Level, Log, Stdout,
    THEN_CREATE_CELL, USER, Value, ValueType, WAIT,
};

use super::{
    Draft, Event, Outcome, Phase, Route, Run, RunId, State, StepEnd, StepResult, id_of,
    note::{Note, outcome_words},
};

/// What a step brought beside its value.
#[derive(Default)]
struct Brought<'r> {
    stdout: &'r [String],
    artifacts: &'r [String],
}

impl<'r> Brought<'r> {
    fn by(result: &'r StepResult) -> Self {
        Brought {
            stdout: &result.stdout,
            artifacts: &result.artifacts,
        }
    }
}

impl State {
    /// Applies an event; one that [`State::check`] rejects changes nothing. One ArenaLog tells all that
    /// came of it.
    pub fn apply(&mut self, event: &Event) {
        if self.check(event).is_err() {
            return;
        }
        let mut notes = Vec::new();
        match event {
            Event::Opened { text } => self.open(text, &mut notes),
            Event::Submitted { draft } => self.submit(draft, &mut notes),
            Event::Executed { run, result, .. } => self.executed(*run, result, &mut notes),
            Event::Called { run, answer, .. } => self.runs[*run].calls.push(answer.clone()),
            Event::Refused { run, reason } => self.end_delegation(*run, Outcome::Refused, reason, &mut notes),
            Event::TimedOut { run } => match self.runs[*run].phase {
                Phase::Waiting { .. } => self.finish(*run, Outcome::TimedOut, &mut notes),
                _ => self.end_delegation(*run, Outcome::TimedOut, "", &mut notes),
            },
            Event::RunRequested { cell } => self.enqueue(&id_of(cell), &mut notes),
            Event::DownstreamRequested { cell } => self.run_stale(&id_of(cell), &mut notes),
            Event::Edited { cell, text } => self.edit(&id_of(cell), text, &mut notes),
            Event::Interrupted { run } => self.interrupt(*run, &mut notes),
            Event::Stopped => {
                let active: Vec<RunId> = self.runs.active().map(|(run, _)| run).collect();
                for run in active {
                    self.interrupt(run, &mut notes);
                }
                self.expected.clear();
                notes.push(Note::Stopped);
            }
            Event::Paused => {
                self.paused = true;
                notes.push(Note::Paused);
            }
            Event::Resumed => {
                self.paused = false;
                notes.push(Note::Resumed);
            }
            Event::AutomaticSet { automatic } => self.automatic = *automatic,
            Event::TypeRegistered { name, behaviour } => {
                self.types.insert(name.clone(), behaviour.clone());
            }
        }
        self.advance(&mut notes);
        self.write_notes(&notes);
    }

    fn write_notes(&mut self, notes: &[Note]) {
        if notes.is_empty() {
            return;
        }
        let logs = (0u64..)
            .zip(notes)
            .map(|(seq, note)| note.log(&self.arena, seq, self.lang))
            .collect();
        self.canvas.entries.push(Entry::ArenaLog(ArenaLog {
            logs,
            ..ArenaLog::default()
        }));
    }

    pub(super) fn push(&mut self, cell: Cell) {
        let last = self.last.entry(cell.originator.clone()).or_insert(cell.seq);
        *last = (*last).max(cell.seq);
        // Of two cells of one name the first keeps it.
        self.places.entry(cell.id()).or_insert(self.canvas.entries.len());
        self.canvas.entries.push(Entry::Cell(Box::new(cell)));
    }

    fn cell_mut(&mut self, id: &CellId) -> Option<&mut Cell> {
        match self.canvas.entries.get_mut(*self.places.get(id)?)? {
            Entry::Cell(cell) => Some(cell),
            Entry::ArenaLog(_) | Entry::Other(_) => None,
        }
    }

    /// The number of the next cell of this originator.
    pub fn next_seq(&self, originator: &str) -> u64 {
        let next = self.last.get(originator).map_or(0, |last| last.saturating_add(1));
        if !self.places.contains_key(&CellId::new(originator, next)) {
            return next;
        }
        // Somebody counted to the end; the first gap will do.
        (0..)
            .find(|seq| !self.places.contains_key(&CellId::new(originator, *seq)))
            .unwrap_or(next)
    }

    fn submit(&mut self, draft: &Draft, notes: &mut Vec<Note>) {
        let originator = if draft.originator.is_empty() {
            USER.to_owned()
        } else {
            draft.originator.clone()
        };
        if let Some(met) = self.expected.iter().position(|(name, _)| *name == originator) {
            self.expected.remove(met);
        }
        let taken = |seq: &u64| self.places.contains_key(&CellId::new(originator.clone(), *seq));
        let seq = draft
            .seq
            .filter(|seq| !taken(seq))
            .unwrap_or_else(|| self.next_seq(&originator));
        let id = CellId::new(originator.clone(), seq);
        match draft.seq {
            None => notes.push(Note::SeqInferred {
                cell: id.clone(),
                last: self.last.get(&originator).copied(),
            }),
            Some(asked) if asked != seq => notes.push(Note::SeqTaken {
                cell: id.clone(),
                asked,
            }),
            Some(_) => {}
        }
        let kind = match draft.kind.as_deref().filter(|word| !word.is_empty()) {
            Some(word) => CellType::of(word),
            None => {
                let waiting = self.waiting_for(&originator).map(|(_, output)| output);
                notes.push(Note::TypeInferred {
                    cell: id.clone(),
                    input_for: waiting.clone(),
                });
                if waiting.is_some() {
                    CellType::Input
                } else {
                    CellType::Exec
                }
            }
        };
        let mut cell = Cell::new(originator, seq, kind);
        cell.target_cognitor = draft.target_cognitor.clone().filter(|name| !name.is_empty());
        cell.execution_context = draft.execution_context.clone().filter(|name| !name.is_empty());
        cell.requester = draft.requester.clone().filter(|name| !name.is_empty());
        cell.depends_on = draft.depends_on.iter().map(id_of).collect();
        cell.value = Some(Value::plain(draft.text.clone()));
        cell.flags = draft.flags.iter().map(Flag::new).collect();
        self.put(cell, notes);
    }

    /// A cell is there: what does the Arena do with it?
    fn put(&mut self, cell: Cell, notes: &mut Vec<Note>) {
        let id = cell.id();
        let executes = self.executes(&cell);
        let then_create = cell.has_flag(THEN_CREATE_CELL);
        let kind = cell.kind.clone();
        let originator = cell.originator.clone();
        self.push(cell);
        match kind {
            CellType::Input => self.input(&id, notes),
            CellType::Output => self.response(&id, then_create, notes),
            CellType::Custom(word) if !executes => {
                // Text for people needs no behaviour.
                if word != MARKDOWN && !self.types.contains_key(&word) {
                    notes.push(Note::NoBehaviour {
                        cell: id.clone(),
                        word,
                    });
                }
            }
            CellType::Exec | CellType::Custom(_) => self.enqueue(&id, notes),
        }
        // A cell that runs is not done with yet: its end asks for the next one.
        if then_create && !executes {
            self.expect(originator, id, notes);
        }
    }

    fn expect(&mut self, originator: String, after: CellId, notes: &mut Vec<Note>) {
        notes.push(Note::Expects {
            originator: originator.clone(),
            after: after.clone(),
        });
        self.expected.push((originator, after));
    }

    /// The oldest run that waits for this cognitor's input, and the output that says so.
    fn waiting_for(&self, originator: &str) -> Option<(RunId, CellId)> {
        self.runs.active().find_map(|(id, run)| match &run.phase {
            Phase::Waiting { output, from, .. } if from == originator => Some((id, output.clone())),
            _ => None,
        })
    }

    /// The run that this input answers: the one whose question it names, and where it names none, the
    /// oldest that waits for its originator.
    pub(super) fn run_that_asks(&self, input: &Cell) -> Option<RunId> {
        if let Some(question) = self.question_of(input) {
            return self.runs.active().find_map(|(id, run)| match &run.phase {
                Phase::Waiting { output, from, .. } if *output == question && *from == input.originator => {
                    Some(id)
                }
                _ => None,
            });
        }
        self.waiting_for(&input.originator).map(|(run, _)| run)
    }

    /// The question that an input names.
    fn question_of(&self, input: &Cell) -> Option<CellId> {
        let is_question = |id: &&CellId| self.cell(id).is_some_and(Cell::is_question);
        input.depends_on.iter().find(is_question).cloned()
    }

    fn input(&mut self, id: &CellId, notes: &mut Vec<Note>) {
        match self.cell(id).and_then(|cell| self.run_that_asks(cell)) {
            Some(run) => self.answer(run, id, notes),
            None => {
                self.early.push(id.clone());
                notes.push(Note::Early { input: id.clone() });
            }
        }
    }

    /// An input reaches the run that waits for it; the run is queued again with its next step.
    pub(super) fn answer(&mut self, run: RunId, input: &CellId, notes: &mut Vec<Note>) {
        let Phase::Waiting { output, .. } = self.runs[run].phase.clone() else {
            return;
        };
        // An input that was there before the question cannot depend on it.
        let asked_before = self.places.get(&output) < self.places.get(input);
        let text = match self.cell_mut(input) {
            Some(cell) => {
                if asked_before && !cell.depends_on.contains(&output) {
                    cell.depends_on.push(output.clone());
                }
                cell.text().to_owned()
            }
            None => String::new(),
        };
        notes.push(Note::Answered {
            output,
            input: input.clone(),
        });
        let run = &mut self.runs[run];
        run.answers.push(text);
        run.inputs.push(input.clone());
        run.phase = Phase::Queued;
    }

    /// An OUTPUT that is not the Arena's own: the response of a delegate, or nobody asked for it.
    fn response(&mut self, id: &CellId, more: bool, notes: &mut Vec<Note>) {
        let named = self
            .cell(id)
            .map(|cell| cell.depends_on.clone())
            .unwrap_or_default();
        let delegated = |run: &Run| matches!(&run.phase, Phase::Delegated { to } if *to == id.originator);
        let open = || self.runs.active().filter(|(_, run)| delegated(run));
        let by_name = open().find(|(_, run)| named.contains(&run.cell));
        let Some((run, request)) = by_name
            .or_else(|| open().next())
            .map(|(at, run)| (at, run.cell.clone()))
        else {
            notes.push(Note::Unasked { cell: id.clone() });
            return;
        };
        if let Some(cell) = self.cell_mut(id)
            && !cell.depends_on.contains(&request)
        {
            cell.depends_on.push(request.clone());
        }
        self.runs[run].outputs.push(id.clone());
        notes.push(Note::Response {
            cell: request,
            response: id.clone(),
            more,
        });
        if !more {
            self.finish(run, Outcome::Done, notes);
        }
    }

    pub(super) fn enqueue(&mut self, id: &CellId, notes: &mut Vec<Note>) {
        let Some(cell) = self.cell(id) else { return };
        let (route, text) = (self.route_of(cell), cell.text().to_owned());
        notes.push(Note::Routed {
            cell: id.clone(),
            route: route.clone(),
        });
        self.runs.push(Run {
            cell: id.clone(),
            route,
            text,
            phase: Phase::Queued,
            answers: Vec::new(),
            calls: Vec::new(),
            by: String::new(),
            imported: false,
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
    }

    /// Lets begin what can: one step at a time is executed, delegations wait beside it.
    fn advance(&mut self, notes: &mut Vec<Note>) {
        if self.paused {
            return;
        }
        let mut busy = self.runs.active().any(|(_, run)| run.phase == Phase::Executing);
        let active: Vec<RunId> = self.runs.active().map(|(id, _)| id).collect();
        for id in active {
            let place = !busy || matches!(self.runs[id].route, Route::Delegate(_));
            if self.runs[id].phase != Phase::Queued || !place || !self.is_ready(id) {
                continue;
            }
            let run = &mut self.runs[id];
            match &run.route {
                Route::Delegate(to) => {
                    notes.push(Note::Delegated {
                        cell: run.cell.clone(),
                        to: to.clone(),
                    });
                    run.phase = Phase::Delegated { to: to.clone() };
                }
                _ if busy => {}
                _ => {
                    run.phase = Phase::Executing;
                    busy = true;
                }
            }
        }
    }

    /// Whether nothing that it depends on still has an older run to end. Only older runs count, so
    /// that cells which depend on each other do not wait for each other.
    fn is_ready(&self, id: RunId) -> bool {
        let active: Vec<&CellId> = self
            .runs
            .active()
            .take_while(|(older, _)| *older < id)
            .map(|(_, run)| &run.cell)
            .collect();
        if active.is_empty() {
            return true;
        }
        let upstream: BTreeSet<CellId> = self.upstream(&self.runs[id].cell);
        !active
            .iter()
            .any(|cell| upstream.contains(*cell) && **cell != self.runs[id].cell)
    }

    /// The one OUTPUT of a step.
    fn output(
        &mut self,
        run: RunId,
        brought: &Brought<'_>,
        value: Value,
        log: Option<Log>,
        flags: Vec<Flag>,
    ) -> CellId {
        let mut cell = Cell::new(self.arena.clone(), self.next_seq(&self.arena), CellType::Output);
        let of = &self.runs[run];
        cell.requester = self.cell(&of.cell).map(|asked| match &asked.requester {
            Some(requester) => requester.clone(),
            None => asked.originator.clone(),
        });
        if !brought.artifacts.is_empty() {
            let list = brought.artifacts.join(" ");
            cell.attributes.push((ARTIFACTS.to_owned(), list));
        }
        cell.depends_on.push(of.cell.clone());
        cell.depends_on.extend(of.inputs.last().cloned());
        cell.stdout = (0u64..)
            .zip(brought.stdout)
            .map(|(seq, text)| Stdout {
                seq,
                text: text.clone(),
                attributes: Vec::new(),
            })
            .collect();
        cell.value = Some(value);
        cell.logs.extend(log);
        cell.flags = flags;
        let id = cell.id();
        if of.outputs.is_empty() {
            let older: Vec<CellId> = self
                .runs
                .of_cell(&of.cell)
                .iter()
                .take_while(|earlier| **earlier < run)
                .flat_map(|earlier| self.runs[*earlier].outputs.clone())
                .collect();
            self.stale.extend(older);
        }
        self.runs[run].outputs.push(id.clone());
        self.push(cell);
        id
    }

    fn executed(&mut self, run: RunId, result: &StepResult, notes: &mut Vec<Note>) {
        self.runs[run].by.clone_from(&result.by);
        match &result.end {
            StepEnd::Done { value } => {
                self.output(
                    run,
                    &Brought::by(result),
                    Value::of(ValueType::Normal, value.clone()),
                    None,
                    Vec::new(),
                );
                self.finish(run, Outcome::Done, notes);
            }
            StepEnd::Failed { message } => {
                let log = Log::new(
                    self.arena.clone(),
                    Level::Error,
                    0,
                    EntryType::Error,
                    message.clone(),
                );
                self.output(
                    run,
                    &Brought::by(result),
                    Value::of(ValueType::Normal, ""),
                    Some(log),
                    Vec::new(),
                );
                self.finish(run, Outcome::Failed, notes);
            }
            StepEnd::NeedsInput { hint, from } => {
                let from = if from.is_empty() {
                    USER.to_owned()
                } else {
                    from.clone()
                };
                let value = Value::of(ValueType::InputHint, hint.clone());
                let flags = vec![Flag::new(format!("{WAIT}{from}"))];
                let output = self.output(run, &Brought::by(result), value, None, flags);
                notes.push(Note::Waits {
                    output: output.clone(),
                    from: from.clone(),
                });
                self.runs[run].phase = Phase::Waiting {
                    output: output.clone(),
                    from: from.clone(),
                    hint: hint.clone(),
                };
                // One that answers another question is not for this one.
                let fits = |input: &CellId| {
                    let other = self.cell(input).and_then(|cell| self.question_of(cell));
                    input.originator == from && other.is_none_or(|asked| asked == output)
                };
                if let Some(early) = self.early.iter().position(fits) {
                    let input = self.early.remove(early);
                    self.answer(run, &input, notes);
                }
            }
        }
    }

    fn finish(&mut self, run: RunId, outcome: Outcome, notes: &mut Vec<Note>) {
        self.runs[run].phase = Phase::Finished(outcome);
        self.ask_no_more(run);
        let id = self.runs[run].cell.clone();
        notes.push(Note::Finished {
            cell: id.clone(),
            outcome,
        });
        let Some(cell) = self.cell(&id) else { return };
        let (then_create, originator) = (cell.has_flag(THEN_CREATE_CELL), cell.originator.clone());
        if outcome == Outcome::Done && cell.text() == self.runs[run].text {
            self.stale.remove(&id);
        }
        if then_create && outcome != Outcome::Interrupted {
            self.expect(originator, id, notes);
        }
    }

    /// A run that ends with its question open waits for nobody any more; the document says so.
    fn ask_no_more(&mut self, run: RunId) {
        let Some(last) = self.runs[run].outputs.last().cloned() else {
            return;
        };
        if last.originator == self.arena
            && let Some(cell) = self.cell_mut(&last)
        {
            cell.flags.retain(|flag| flag.waits_for().is_none());
        }
    }

    /// A delegation that brings nothing: the Arena says so in the place of the delegate.
    fn end_delegation(&mut self, run: RunId, outcome: Outcome, reason: &str, notes: &mut Vec<Note>) {
        let words = outcome_words(outcome, self.lang);
        let message = if reason.is_empty() {
            words.to_owned()
        } else {
            format!("{words}: {reason}")
        };
        let log = Log::new(self.arena.clone(), Level::Error, 0, EntryType::Error, message);
        self.output(
            run,
            &Brought::default(),
            Value::of(ValueType::Normal, ""),
            Some(log),
            Vec::new(),
        );
        self.finish(run, outcome, notes);
    }

    fn interrupt(&mut self, run: RunId, notes: &mut Vec<Note>) {
        // A step that was begun has its output; what only waited has had one.
        if self.runs[run].phase == Phase::Executing {
            let words = outcome_words(Outcome::Interrupted, self.lang);
            let log = Log::new(
                self.arena.clone(),
                Level::Warn,
                0,
                EntryType::StateTransition,
                words,
            );
            self.output(
                run,
                &Brought::default(),
                Value::of(ValueType::Normal, ""),
                Some(log),
                Vec::new(),
            );
        }
        self.finish(run, Outcome::Interrupted, notes);
    }

    fn edit(&mut self, id: &CellId, text: &str, notes: &mut Vec<Note>) {
        let Some(cell) = self.cell_mut(id) else { return };
        if cell.text() == text {
            return;
        }
        match &mut cell.value {
            Some(value) => value.text = text.to_owned(),
            None => cell.value = Some(Value::plain(text)),
        }
        let downstream = self.downstream(id);
        let ran = !self.runs.of_cell(id).is_empty();
        let stale = downstream.len() + usize::from(ran);
        self.stale.extend(downstream);
        if ran {
            self.stale.insert(id.clone());
        }
        notes.push(Note::Edited {
            cell: id.clone(),
            stale,
        });
        if self.automatic {
            self.run_stale(id, notes);
        }
    }

    fn run_stale(&mut self, id: &CellId, notes: &mut Vec<Note>) {
        let cells: Vec<CellId> = std::iter::once(id.clone()).chain(self.downstream(id)).collect();
        for id in cells {
            let wanted = self.stale.contains(&id) && self.cell(&id).is_some_and(|cell| self.executes(cell));
            if wanted && !self.is_running(&id) {
                self.enqueue(&id, notes);
            }
        }
    }
}
