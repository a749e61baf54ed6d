//! Small worlds, all of them: every order in which things can happen, from the first cell to the last.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use arena::engine::*;
use arena::*;
use base::Lang;

fn draft(originator: &str, kind: &str, text: &str) -> Draft {
    Draft {
        originator: originator.into(),
        kind: Some(kind.into()),
        text: text.into(),
        ..Draft::default()
    }
}

fn submit(state: &mut State, draft: Draft) -> Changes {
    step(state, &Event::Submitted { draft }).unwrap()
}

fn done(run: usize, step: usize, out: &str) -> Event {
    Event::Executed {
        run,
        step,
        result: StepResult {
            stdout: vec![out.into()],
            artifacts: vec![],
            by: String::new(),
            end: StepEnd::Done { value: "v".into() },
        },
    }
}

fn needs(run: usize, step: usize, from: &str) -> Event {
    let end = StepEnd::NeedsInput {
        hint: "?".into(),
        from: from.into(),
    };
    Event::Executed {
        run,
        step,
        result: StepResult {
            stdout: vec![],
            artifacts: vec![],
            by: String::new(),
            end,
        },
    }
}

/// What a scripted executor answers to an effect: the text `input N` asks N times, `fail` fails.
fn answers(effect: &Effect) -> Vec<Event> {
    match effect {
        Effect::Execute { run, step, text, .. } => {
            let inputs = text
                .strip_prefix("input(")
                .map_or(0, |rest| rest.trim_end_matches(')').parse().unwrap());
            vec![if *step < inputs {
                needs(
                    *run,
                    *step,
                    if text.contains('2') && *step == 1 {
                        "Bot"
                    } else {
                        "User"
                    },
                )
            } else if text.starts_with("fail") {
                let end = StepEnd::Failed {
                    message: "boom".into(),
                };
                Event::Executed {
                    run: *run,
                    step: *step,
                    result: StepResult {
                        stdout: vec![],
                        artifacts: vec![],
                        by: String::new(),
                        end,
                    },
                }
            } else {
                done(*run, *step, "out")
            }]
        }
        Effect::Delegate { run, cell, to, .. } => {
            let mut response = draft(to, "OUTPUT", "response");
            response.depends_on = vec![(cell.originator.clone(), cell.seq)];
            vec![
                Event::Submitted { draft: response },
                Event::Refused {
                    run: *run,
                    reason: "no".into(),
                },
                Event::TimedOut { run: *run },
            ]
        }
        Effect::AskInput { .. } | Effect::CreateCell { .. } => vec![],
    }
}

/// Follows every order of the waiting submissions and of the executor's answers.
struct Worlds {
    ends: usize,
}

impl Worlds {
    fn explore(
        &mut self,
        state: &State,
        events: &mut Vec<Event>,
        states: &mut Vec<State>,
        waiting: &[Event],
    ) {
        let mut next: Vec<(Event, Option<usize>)> = waiting
            .iter()
            .cloned()
            .enumerate()
            .map(|(at, event)| (event, Some(at)))
            .collect();
        next.extend(
            state
                .pending()
                .iter()
                .flat_map(answers)
                .map(|event| (event, None)),
        );
        if next.is_empty() && state.is_paused() {
            next.push((Event::Resumed, None));
        }
        if next.is_empty() {
            self.ends += 1;
            // Killed behind any event, the same state comes back, with the same things to do.
            let mut replayed = State::new("Arena", Lang::En);
            for (event, state) in events.iter().zip(&*states) {
                replayed.apply(event);
                assert_eq!(replayed, *state, "a replay of the events gives another state");
                assert_eq!(replayed.pending(), state.pending());
            }
            self.at_the_end(state, events);
            return;
        }
        for (event, from) in next {
            let mut after = state.clone();
            if step(&mut after, &event).is_err() {
                // The run is gone; nothing else may have changed.
                assert_eq!(after, *state);
                let mut rest = waiting.to_vec();
                if let Some(from) = from {
                    rest.remove(from);
                    self.explore(&after, events, states, &rest);
                }
                continue;
            }
            let mut rest = waiting.to_vec();
            if let Some(from) = from {
                rest.remove(from);
            }
            events.push(event);
            states.push(after.clone());
            self.explore(&after, events, states, &rest);
            events.pop();
            states.pop();
        }
    }

    fn at_the_end(&self, state: &State, events: &[Event]) {
        let steps = events
            .iter()
            .filter(|event| matches!(event, Event::Executed { .. }))
            .count();
        let interrupted = state
            .runs()
            .iter()
            .filter(|(_, run)| run.phase == Phase::Finished(Outcome::Interrupted))
            .count();
        let outputs: usize = state
            .canvas()
            .cells()
            .filter(|cell| cell.originator == "Arena")
            .count();
        let unanswered = events
            .iter()
            .filter(|event| matches!(event, Event::Refused { .. } | Event::TimedOut { .. }))
            .count();
        assert!(
            outputs <= steps + unanswered + interrupted,
            "{outputs} outputs of {steps} steps"
        );
        assert!(outputs >= steps);
        for (_, run) in state.runs().iter() {
            assert!(!run.is_active(), "stuck: {run:?}\n{events:#?}");
        }
        // Every input that was submitted was an answer, or waits for the next question.
        let inputs: Vec<CellId> = state
            .canvas()
            .cells()
            .filter(|cell| cell.kind == CellType::Input)
            .map(Cell::id)
            .collect();
        for input in &inputs {
            let used = state
                .runs()
                .iter()
                .flat_map(|(_, run)| &run.inputs)
                .filter(|used| *used == input)
                .count();
            let early = state.early().iter().filter(|early| *early == input).count();
            assert_eq!(used + early, 1, "{input} was lost");
        }
        let written = write_canvas(state.canvas());
        let reading = read(&written, "Arena");
        assert_eq!(reading.document.canvases().next(), Some(state.canvas()));
        // Cells that were submitted before what they depend on stand before it.
        let expected = [Code::WrongOrder];
        let faults: Vec<_> = check(&reading)
            .into_iter()
            .filter(|found| !expected.contains(&found.code))
            .collect();
        assert_eq!(faults, vec![], "{written}");
    }
}

fn explore(waiting: Vec<Event>) -> Worlds {
    let mut worlds = Worlds { ends: 0 };
    worlds.explore(
        &State::new("Arena", Lang::En),
        &mut Vec::new(),
        &mut Vec::new(),
        &waiting,
    );
    assert!(worlds.ends > 0);
    worlds
}

fn submitted(draft: Draft) -> Event {
    Event::Submitted { draft }
}

#[test]
fn inputs_reach_their_questions_in_every_order() {
    let worlds = explore(vec![
        submitted(draft("User", "EXEC", "input(2)")),
        submitted(draft("User", "INPUT", "one")),
        submitted(draft("Bot", "INPUT", "two")),
        submitted(draft("User", "EXEC", "print(1)")),
    ]);
    assert!(worlds.ends > 50, "{} ends", worlds.ends);
}

#[test]
fn delegations_end_in_every_order() {
    let mut asked = draft("User", "EXEC", "ls");
    asked.target_cognitor = Some("Bot".into());
    asked.seq = Some(0);
    let mut after = draft("User", "EXEC", "print(2)");
    after.depends_on = vec![("User".into(), 0)];
    after.seq = Some(1);
    let worlds = explore(vec![
        submitted(asked),
        submitted(after),
        submitted(draft("Carl", "EXEC", "fail()")),
        Event::Paused,
        Event::Resumed,
    ]);
    assert!(worlds.ends > 50, "{} ends", worlds.ends);
}

#[test]
fn stop_and_interrupt_leave_nothing_behind() {
    let worlds = explore(vec![
        submitted(draft("User", "EXEC", "input(1)")),
        submitted(draft("Bot", "EXEC", "print(1)")),
        Event::Interrupted { run: 0 },
        submitted(draft("User", "INPUT", "one")),
        Event::Stopped,
    ]);
    assert!(worlds.ends > 50, "{} ends", worlds.ends);
}

#[test]
fn an_input_makes_a_new_output_that_goes_on() {
    let mut state = State::new("Arena", Lang::En);
    let changes = submit(&mut state, draft("User", "EXEC", "name = input(\"Name?\")"));
    assert!(
        matches!(&changes.begin[..], [Effect::Execute { run: 0, step: 0, answers, .. }] if answers.is_empty())
    );
    let changes = step(&mut state, &needs(0, 0, "")).unwrap();
    assert!(matches!(&changes.begin[..], [Effect::AskInput { from, .. }] if from == "User"));
    let hint = state.cell(&CellId::new("Arena", 0)).unwrap();
    assert!(hint.has_flag("WAIT_User"));
    assert_eq!(hint.value.as_ref().unwrap().kind, Some(ValueType::InputHint));
    // No type is named: the wait makes it an INPUT.
    let changes = submit(
        &mut state,
        Draft {
            originator: "User".into(),
            text: "Ada".into(),
            ..Draft::default()
        },
    );
    assert!(matches!(&changes.begin[..], [Effect::Execute { step: 1, answers, .. }] if answers == &["Ada"]));
    step(&mut state, &done(0, 1, "hi Ada")).unwrap();
    let last = state.cell(&CellId::new("Arena", 1)).unwrap();
    assert_eq!(last.depends_on, [CellId::new("User", 0), CellId::new("User", 1)]);
    assert_eq!(state.standing(&CellId::new("User", 0)), Standing::Done);
    assert_eq!(step(&mut state, &done(0, 1, "again")), Err(Rejected::Late(0)));
}

#[test]
fn a_document_that_waits_goes_on_when_it_is_opened_again() {
    let mut state = State::new("Arena", Lang::ZhCn);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    let text = write_canvas(state.canvas());
    let mut opened = State::new("Arena", Lang::ZhCn);
    step(&mut opened, &Event::Opened { text }).unwrap();
    assert_eq!(opened.standing(&CellId::new("User", 0)), Standing::Waiting);
    let changes = submit(&mut opened, draft("User", "INPUT", "Ada"));
    assert!(matches!(&changes.begin[..], [Effect::Execute { step: 1, answers, .. }] if answers == &["Ada"]));
}

#[test]
fn several_responses_follow_one_request() {
    let mut state = State::new("Arena", Lang::En);
    let mut request = draft("User", "EXEC", "analyse");
    request.target_cognitor = Some("Bot".into());
    request.execution_context = Some("python_sandbox".into());
    let changes = submit(&mut state, request);
    assert!(
        matches!(&changes.begin[..], [Effect::Delegate { to, context: Some(context), .. }] if to == "Bot" && context == "python_sandbox")
    );
    let mut first = draft("Bot", "OUTPUT", "one");
    first.flags = vec![THEN_CREATE_CELL.into()];
    let changes = submit(&mut state, first);
    assert!(matches!(&changes.begin[..], [Effect::CreateCell { originator, .. }] if originator == "Bot"));
    assert_eq!(state.standing(&CellId::new("User", 0)), Standing::Delegated);
    submit(&mut state, draft("Bot", "OUTPUT", "two"));
    assert_eq!(state.standing(&CellId::new("User", 0)), Standing::Done);
    assert_eq!(
        state.runs()[0].outputs,
        [CellId::new("Bot", 0), CellId::new("Bot", 1)]
    );
    let flagged = state.canvas().arena_logs().filter(|log| {
        log.attributes
            .iter()
            .any(|(_, value)| value == DELEGATION_RESPONSE_RECEIVED)
    });
    assert_eq!(flagged.count(), 2);
    assert!(state.pending().is_empty());
}

#[test]
fn the_same_originator_is_asked_for_the_next_cell() {
    let mut state = State::new("Arena", Lang::En);
    let mut first = draft("Bot", "EXEC", "print(1)");
    first.flags = vec![THEN_CREATE_CELL.into()];
    submit(&mut state, first);
    let changes = step(&mut state, &done(0, 0, "1")).unwrap();
    assert!(matches!(&changes.begin[..], [Effect::CreateCell { originator, .. }] if originator == "Bot"));
    let changes = submit(&mut state, draft("Bot", "EXEC", "print(2)"));
    assert!(matches!(&changes.cancel[..], [Effect::CreateCell { .. }]));
}

#[test]
fn an_edit_makes_what_depends_on_it_stale() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "a = 1"));
    step(&mut state, &done(0, 0, "")).unwrap();
    let mut second = draft("User", "EXEC", "print(a)");
    second.depends_on = vec![("Arena".into(), 0)];
    submit(&mut state, second);
    step(&mut state, &done(1, 0, "1")).unwrap();
    let (first, second) = (CellId::new("User", 0), CellId::new("User", 1));
    step(
        &mut state,
        &Event::Edited {
            cell: ("User".into(), 0),
            text: "a = 2".into(),
        },
    )
    .unwrap();
    assert_eq!(
        [state.standing(&first), state.standing(&second)],
        [Standing::Stale, Standing::Stale]
    );
    assert!(state.is_stale(&CellId::new("Arena", 1)));
    let changes = step(
        &mut state,
        &Event::DownstreamRequested {
            cell: ("User".into(), 0),
        },
    )
    .unwrap();
    assert!(matches!(&changes.begin[..], [Effect::Execute { run: 2, text, .. }] if text == "a = 2"));
    assert_eq!(state.standing(&second), Standing::Queued);
    step(&mut state, &done(2, 0, "")).unwrap();
    step(&mut state, &done(3, 0, "2")).unwrap();
    assert_eq!(
        [state.standing(&first), state.standing(&second)],
        [Standing::Done, Standing::Done]
    );
    step(&mut state, &Event::AutomaticSet { automatic: true }).unwrap();
    let changes = step(
        &mut state,
        &Event::Edited {
            cell: ("User".into(), 0),
            text: "a = 3".into(),
        },
    )
    .unwrap();
    assert!(matches!(&changes.begin[..], [Effect::Execute { run: 4, .. }]));
}

#[test]
fn an_interrupted_wait_is_over() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    let changes = step(&mut state, &Event::Interrupted { run: 0 }).unwrap();
    assert!(matches!(&changes.cancel[..], [Effect::AskInput { .. }]));
    assert_eq!(state.standing(&CellId::new("User", 0)), Standing::Stopped);
    submit(&mut state, draft("User", "INPUT", "late"));
    assert_eq!(state.early(), [CellId::new("User", 1)]);
}

#[test]
fn custom_types_do_what_they_were_registered_for() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "NOTE", "text"));
    assert!(state.pending().is_empty());
    let registered = Event::TypeRegistered {
        name: "QUERY".into(),
        behaviour: Behaviour::Execute {
            context: Some("sql".into()),
        },
    };
    step(&mut state, &registered).unwrap();
    let changes = submit(&mut state, draft("User", "QUERY", "select 1"));
    assert!(
        matches!(&changes.begin[..], [Effect::Execute { route: Route::Context(context), .. }] if context == "sql")
    );
    assert_eq!(state.types().map(|(name, _)| name).collect::<Vec<_>>(), ["QUERY"]);
}

#[test]
fn events_are_kept_as_json() {
    let mut with = BTreeMap::new();
    for event in [
        submitted(draft("User", "EXEC", "a < b")),
        needs(3, 1, "User"),
        Event::Stopped,
        Event::TypeRegistered {
            name: "X".into(),
            behaviour: Behaviour::Keep,
        },
        Event::Edited {
            cell: ("User".into(), 0),
            text: String::new(),
        },
    ] {
        let text = serde_json::to_string(&event).unwrap();
        let back: Event = serde_json::from_str(&text).unwrap();
        assert_eq!(back, event);
        with.insert(text, event);
    }
    assert_eq!(with.len(), 5);
}

fn text_of(state: &State) -> String {
    write_canvas(state.canvas())
}

fn opened(text: String) -> State {
    let mut state = State::new("Arena", Lang::En);
    step(&mut state, &Event::Opened { text }).unwrap();
    state
}

fn rerun(state: &mut State, originator: &str, seq: u64) {
    let cell = (originator.to_owned(), seq);
    step(state, &Event::RunRequested { cell }).unwrap();
}

#[test]
fn a_run_of_a_document_has_no_answers_of_earlier_runs() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    submit(&mut state, draft("User", "INPUT", "first"));
    step(&mut state, &done(0, 1, "")).unwrap();
    rerun(&mut state, "User", 0);
    step(&mut state, &needs(1, 0, "User")).unwrap();
    let opened = opened(text_of(&state));
    let (_, run) = opened.last_run(&CellId::new("User", 0)).unwrap();
    assert_eq!(run.answers, Vec::<String>::new());
    assert!(matches!(&run.phase, Phase::Waiting { output, .. } if *output == CellId::new("Arena", 2)));
}

#[test]
fn an_input_of_a_document_goes_to_the_question_that_it_names() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(1, 0, "User")).unwrap();
    let mut answer = draft("User", "INPUT", "for the second");
    answer.depends_on = vec![("Arena".into(), 1)];
    submit(&mut state, answer);
    assert_eq!(state.standing(&CellId::new("User", 0)), Standing::Waiting);
    assert_eq!(state.standing(&CellId::new("User", 1)), Standing::Running);
    let opened = opened(text_of(&state));
    assert_eq!(opened.standing(&CellId::new("User", 0)), Standing::Waiting);
    let (_, run) = opened.last_run(&CellId::new("User", 1)).unwrap();
    assert_eq!(run.answers, ["for the second"]);
}

#[test]
fn an_answer_to_a_question_that_is_over_answers_no_other() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    step(&mut state, &Event::TimedOut { run: 0 }).unwrap();
    assert!(
        !state
            .cell(&CellId::new("Arena", 0))
            .unwrap()
            .has_flag("WAIT_User")
    );
    let mut late = draft("User", "INPUT", "late");
    late.depends_on = vec![("Arena".into(), 0)];
    submit(&mut state, late);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(1, 0, "User")).unwrap();
    assert_eq!(state.standing(&CellId::new("User", 2)), Standing::Waiting);
    assert_eq!(state.early(), [CellId::new("User", 1)]);
    // Neither does it when the document is opened again, and nothing waits that was given up.
    let mut opened = opened(text_of(&state));
    assert_eq!(opened.early(), [CellId::new("User", 1)]);
    assert_eq!(opened.standing(&CellId::new("User", 0)), Standing::Stopped);
    let changes = submit(&mut opened, draft("User", "INPUT", "now"));
    assert!(matches!(&changes.begin[..], [Effect::Execute { answers, .. }] if answers == &["now"]));
}

#[test]
fn an_interrupted_question_does_not_wait_in_the_document() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "input(1)"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    step(&mut state, &Event::Interrupted { run: 0 }).unwrap();
    assert_eq!(state.cell(&CellId::new("Arena", 0)).unwrap().flags, []);
    assert!(opened(text_of(&state)).pending().is_empty());
}

#[test]
fn numbers_of_runs_are_not_given_again_when_another_document_is_opened() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "print(1)"));
    step(&mut state, &Event::Opened { text: String::new() }).unwrap();
    submit(&mut state, draft("User", "EXEC", "print(2)"));
    let before = state.clone();
    assert_eq!(step(&mut state, &done(0, 0, "late")), Err(Rejected::NoSuchRun(0)));
    assert_eq!(state, before);
    assert!(matches!(&state.pending()[..], [Effect::Execute { run: 1, .. }]));
}

#[test]
fn an_output_says_who_asked() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("Bot", "EXEC", "print(1)"));
    step(&mut state, &done(0, 0, "1")).unwrap();
    let output = state.cell(&CellId::new("Arena", 0)).unwrap();
    assert_eq!(output.requester.as_deref(), Some("Bot"));
}

#[test]
fn the_context_of_a_custom_type_survives_opening() {
    let registered = Event::TypeRegistered {
        name: "QUERY".into(),
        behaviour: Behaviour::Execute {
            context: Some("sql".into()),
        },
    };
    let mut state = State::new("Arena", Lang::En);
    step(&mut state, &registered).unwrap();
    submit(&mut state, draft("User", "QUERY", "select 1"));
    step(&mut state, &needs(0, 0, "User")).unwrap();
    let text = text_of(&state);
    step(&mut state, &Event::Opened { text }).unwrap();
    let changes = submit(&mut state, draft("User", "INPUT", "x"));
    assert!(
        matches!(&changes.begin[..], [Effect::Execute { route: Route::Context(context), .. }] if context == "sql")
    );
}

#[test]
fn what_tools_answered_is_kept_for_whoever_begins_the_step_again() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "print(1)"));
    let called = Event::Called {
        run: 0,
        call: 0,
        answer: "{}".into(),
    };
    let changes = step(&mut state, &called).unwrap();
    assert_eq!(changes, Changes::default(), "the step goes on");
    assert_eq!(step(&mut state, &called), Err(Rejected::Late(0)));
    assert!(matches!(&state.pending()[..], [Effect::Execute { calls, .. }] if calls == &["{}"]));
}

#[test]
fn pictures_stand_in_the_output() {
    let mut state = State::new("Arena", Lang::En);
    submit(&mut state, draft("User", "EXEC", "print(1)"));
    let event = Event::Executed {
        run: 0,
        step: 0,
        result: StepResult {
            stdout: vec![],
            artifacts: vec!["artifact:a".into(), "artifact:b".into()],
            by: "javascript".into(),
            end: StepEnd::Done { value: String::new() },
        },
    };
    step(&mut state, &event).unwrap();
    let text = text_of(&state);
    assert!(text.contains("artifacts=\"artifact:a artifact:b\""), "{text}");
    assert_eq!(check(&read(&text, "Arena")), []);
}

#[test]
fn runs_again_and_documents_between_leave_nothing_behind() {
    let worlds = explore(vec![
        submitted(draft("User", "EXEC", "input(1)")),
        submitted(draft("User", "INPUT", "one")),
        Event::RunRequested {
            cell: ("User".into(), 0),
        },
        submitted(draft("User", "INPUT", "two")),
    ]);
    assert!(worlds.ends > 10, "{} ends", worlds.ends);
}
