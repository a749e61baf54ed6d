//! A society from the person's wish to its answer, over real records.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "reads and writes files as a person would"
)]

mod common;

use agents::society::{
    AgentId, AgentState, Amounts, Budget, Call, Event, Kind, MessageKind, Outcome, Party, ROOT, Rest,
    RoleTemplate, State, Wanted,
};
use base::Failure;
use common::{Scripted, TERMS, brief, calls, heard, news, open_store, person, say, society, wanted};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A root that shares its task among so many, and says so when all have answered.
fn shares(
    count: usize,
) -> impl Fn(&agents::society::Who, &llm::Chat) -> Result<agents::society::Reply, Failure> {
    move |who, chat| {
        if who.agent == ROOT {
            if heard(chat, "Answer of") == count {
                return say("All is done.");
            }
            return match news(chat)[0] {
                task if task.starts_with("Task from user") => calls(&[(
                    "create_role",
                    json!({"name": "hand", "prompt": "You write one file."}),
                )]),
                made if made.contains("roleId") => {
                    let all: Vec<_> = (0..count)
                        .map(|nth| {
                            (
                                "spawn_agent",
                                json!({"role": "hand", "brief": brief(&format!("file {nth}"))}),
                            )
                        })
                        .collect();
                    calls(&all)
                }
                _ => say(""),
            };
        }
        match news(chat)[0] {
            "ok" => say(&format!("{} is written.", who.agent.0)),
            task => {
                let nth = task
                    .split("file ")
                    .nth(1)
                    .unwrap()
                    .lines()
                    .next()
                    .unwrap()
                    .to_owned();
                calls(&[("write", json!({"path": nth, "text": format!("part {nth}")}))])
            }
        }
    }
}

#[tokio::test]
async fn work_is_shared_done_and_told() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let society = society(open_store(home.path()), Scripted::new(folder.path(), shares(5)));
    society
        .submit("t1".to_owned(), wanted("five files"), person())
        .await
        .unwrap();
    society.settled("t1").await.unwrap();
    for nth in 0..5 {
        let text = std::fs::read_to_string(folder.path().join(nth.to_string())).unwrap();
        assert_eq!(text, format!("part {nth}"));
    }
    let told = society
        .look("t1", |state| {
            let to_user = state
                .messages()
                .iter()
                .filter(|one| one.message.to == Party::User);
            let texts: Vec<String> = to_user.map(|one| one.message.text.clone()).collect();
            // 7 answers of the root and its calls, 2 answers and a call of each other.
            (
                texts,
                state.spent(ROOT),
                state.org().agents().count(),
                state.is_busy(),
            )
        })
        .await
        .unwrap();
    assert_eq!(told.0, ["All is done."]);
    assert_eq!((told.2, told.3), (6, false));
    let answers = told.1.tokens / 110;
    assert_eq!(told.1.tokens % 110, 0, "all that was counted is accounted for");
    assert_eq!(told.1.calls, answers + 6 + 5, "answers, own tools, tools outside");
    assert_eq!(told.1.agents, 5);

    // What the records say is what is.
    let before = society.look("t1", |state| state.events()).await.unwrap();
    society.close("t1").await;
    let again = society
        .look("t1", |state| (state.events(), state.is_busy()))
        .await
        .unwrap();
    assert_eq!(again, (before, false));
    society.shut_down().await;
}

#[tokio::test]
async fn a_word_of_the_person_interrupts_a_model_that_is_asked() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (asked, answers) = (
        Arc::new(tokio::sync::Notify::new()),
        Arc::new(AtomicUsize::new(0)),
    );
    let mut outside = Scripted::new(folder.path(), {
        let answers = answers.clone();
        move |_, chat| {
            answers.fetch_add(1, Ordering::Relaxed);
            say(&format!(
                "heard {} letters",
                heard(chat, "Task from") + heard(chat, "Message from")
            ))
        }
    });
    outside.deaf.get_mut().unwrap().push(ROOT.0);
    outside.tell = Box::new({
        let asked = asked.clone();
        move |what| {
            if what == "ask" {
                asked.notify_one();
            }
        }
    });
    let outside = Arc::new(outside);
    let society = agents::society::Society::new(open_store(home.path()), outside.clone(), Default::default());
    society
        .submit("t1".to_owned(), wanted("wait"), person())
        .await
        .unwrap();
    asked.notified().await;
    outside.deaf.lock().unwrap().clear();
    let text = "and another thing".to_owned();
    society.want("t1", Wanted::Post { to: ROOT, text }).await.unwrap();
    society.settled("t1").await.unwrap();
    let last = society
        .look("t1", |state| state.messages().last().unwrap().message.clone())
        .await
        .unwrap();
    assert_eq!(
        (last.text.as_str(), last.kind),
        ("heard 2 letters", MessageKind::Answer)
    );
    assert_eq!(answers.load(Ordering::Relaxed), 1, "the first was never answered");
}

#[tokio::test]
async fn a_model_that_cannot_be_asked_pauses_the_task_until_the_person_goes_on() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let first = AtomicUsize::new(0);
    let outside = Scripted::new(folder.path(), move |_, _| {
        match first.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Failure::new("model_unavailable").with("service", "s")),
            _ => say("now"),
        }
    });
    let society = society(open_store(home.path()), outside);
    society
        .submit("t1".to_owned(), wanted("go"), person())
        .await
        .unwrap();
    society.settled("t1").await.unwrap();
    let why = society
        .look("t1", |state| {
            state.paused().flatten().map(|failure| failure.code.clone())
        })
        .await
        .unwrap();
    assert_eq!(why.as_deref(), Some("model_unavailable"));
    society.want("t1", Wanted::Resume).await.unwrap();
    society.settled("t1").await.unwrap();
    let (paused, told) = society
        .look("t1", |state| (state.paused().is_some(), state.told_user()))
        .await
        .unwrap();
    assert_eq!((paused, told), (false, 1));
}

#[tokio::test]
async fn a_budget_of_the_task_asks_the_person_and_one_of_an_agent_whoever_made_it() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outside = Scripted::new(folder.path(), |who, chat| match (who.agent, news(chat)[0]) {
        (ROOT, task) if task.starts_with("Task from") => calls(&[
            ("create_role", json!({"name": "hand", "prompt": "p"})),
            (
                "spawn_agent",
                json!({"role": "hand", "brief": brief("x"), "budget": {"calls": 2}}),
            ),
        ]),
        (ROOT, notice) if notice.starts_with("Notice of") => say(notice),
        (ROOT, _) => say(""),
        // Different every time, so that only the budget ends it.
        (_, _) => calls(&[(
            "write",
            json!({"path": "n", "text": chat.messages().len().to_string()}),
        )]),
    });
    let society = society(open_store(home.path()), outside);
    let mut requirement = wanted("spend");
    requirement.budget = Budget {
        calls: Some(4),
        ..Budget::default()
    };
    society
        .submit("t1".to_owned(), requirement, person())
        .await
        .unwrap();
    society.settled("t1").await.unwrap();
    let which = |state: &agents::society::State| {
        let failure = state.paused().flatten().unwrap();
        (failure.code.clone(), failure.arg("which").cloned())
    };
    let paused = society.look("t1", which).await.unwrap();
    let exceeded = ("budget_exceeded".to_owned(), Some(json!(Kind::Calls.as_str())));
    assert_eq!(paused, exceeded);
    let spent = society.look("t1", |state| state.spent(ROOT).calls).await.unwrap();
    assert_eq!(spent, 4, "not one more");

    society
        .want(
            "t1",
            Wanted::Budget(Budget {
                calls: Some(100),
                ..Budget::default()
            }),
        )
        .await
        .unwrap();
    society.want("t1", Wanted::Resume).await.unwrap();
    society.settled("t1").await.unwrap();
    let (told, rest, child) = society
        .look("t1", |state| {
            let last = state.messages().last().unwrap().message.text.clone();
            let rest = state.mind(AgentId(2)).unwrap().rest().cloned();
            (last, rest, state.spent(AgentId(2)).calls)
        })
        .await
        .unwrap();
    assert!(
        told.contains("budget_exceeded") && told.contains("t1/2"),
        "{told}"
    );
    assert!(matches!(rest, Some(Rest::Failed { failure }) if failure.code == "budget_exceeded"));
    assert_eq!(child, 2);
}

#[tokio::test]
async fn who_ends_is_ended_with_all_below_and_its_tools_are_called_off() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let asked = Arc::new(tokio::sync::Notify::new());
    let mut outside = Scripted::new(folder.path(), |who, chat| match (who.agent.0, news(chat)[0]) {
        (1 | 2, task) if task.starts_with("Task from") => calls(&[
            ("create_role", json!({"name": "hand", "prompt": "p"})),
            ("spawn_agent", json!({"role": "hand", "brief": brief("x")})),
        ]),
        _ => say(""),
    });
    outside.deaf.get_mut().unwrap().push(3);
    outside.tell = Box::new({
        let (asked, count) = (asked.clone(), AtomicUsize::new(0));
        move |what| {
            // Root and its child twice each, then the grandchild.
            if what == "ask" && count.fetch_add(1, Ordering::Relaxed) == 4 {
                asked.notify_one();
            }
        }
    });
    let society = society(open_store(home.path()), outside);
    society
        .submit("t1".to_owned(), wanted("go"), person())
        .await
        .unwrap();
    asked.notified().await;
    society
        .want("t1", Wanted::Stop { agent: AgentId(2) })
        .await
        .unwrap();
    society.settled("t1").await.unwrap();
    let states = society
        .look("t1", |state| {
            state
                .org()
                .agents()
                .map(|(_, agent)| agent.state)
                .collect::<Vec<_>>()
        })
        .await
        .unwrap();
    let told = society
        .look("t1", |state| state.messages().last().unwrap().message.clone())
        .await
        .unwrap();
    assert_eq!(
        (told.to, told.text.as_str()),
        (Party::Agent(ROOT), "The user has ended t1/2.")
    );
    assert_eq!(
        states,
        [AgentState::Active, AgentState::Terminated, AgentState::Terminated]
    );
    let text = "hello".to_owned();
    let refused = society
        .want("t1", Wanted::Post { to: AgentId(3), text })
        .await
        .unwrap_err();
    assert_eq!(refused.code, "agent_terminating");
    society.want("t1", Wanted::Stop { agent: ROOT }).await.unwrap();
    society.settled("t1").await.unwrap();
    assert!(society.look("t1", |state| state.is_stopped()).await.unwrap());
}

#[tokio::test]
async fn nobody_is_hired_before_the_person_has_answered_the_plan() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let hire = |()| ("spawn_agent", json!({"role": "programmer", "brief": brief("x")}));
    let outside = Scripted::new(folder.path(), move |who, chat| {
        if who.agent != ROOT {
            return say("written");
        }
        match news(chat)[0] {
            task if task.starts_with("Task from") => {
                calls(&[("create_role", json!({"name": "programmer"})), hire(())])
            }
            // The role was made; what became of the other call comes behind it.
            made if made.contains("roleId") => calls(&[
                (
                    "put_artifact",
                    json!({"type": "Integration_Plan", "content": "one module"}),
                ),
                hire(()),
                (
                    "send_message",
                    json!({"to": "user", "text": "May I?", "artifacts": ["artifact:1"]}),
                ),
            ]),
            put if put.contains("artifact:1") => say(""),
            word if word.starts_with("Message from user") => calls(&[hire(())]),
            answer if answer.starts_with("Answer of") => say("done"),
            _ => say(""),
        }
    });
    let society = society(open_store(home.path()), outside);
    let mut requirement = wanted("program");
    requirement.roles = vec![RoleTemplate {
        name: "programmer".to_owned(),
        prompt: "You write code.".to_owned(),
        tools: None,
        service: None,
        confirm: true,
    }];
    society
        .submit("t1".to_owned(), requirement, person())
        .await
        .unwrap();
    society.settled("t1").await.unwrap();
    let agents = |state: &agents::society::State| state.org().agents().count();
    assert_eq!(
        society.look("t1", agents).await.unwrap(),
        1,
        "twice tried, twice refused"
    );
    let text = "yes".to_owned();
    society.want("t1", Wanted::Post { to: ROOT, text }).await.unwrap();
    society.settled("t1").await.unwrap();
    assert_eq!(society.look("t1", agents).await.unwrap(), 2);
    let last = society.look("t1", |state| {
        state.messages().last().unwrap().message.text.clone()
    });
    assert_eq!(last.await.unwrap(), "done");
}

#[tokio::test]
async fn a_full_context_is_summed_up_and_work_goes_on() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let largest = Arc::new(AtomicUsize::new(0));
    let mut outside = Scripted::new(folder.path(), {
        let largest = largest.clone();
        move |_, chat| {
            let bytes: usize = chat.messages().iter().map(|message| message.text().len()).sum();
            largest.fetch_max(bytes, Ordering::Relaxed);
            let last = chat.messages().last().unwrap().text().to_owned();
            let reply = if last.starts_with("Sum up what happened") {
                say("so far: letters")
            } else if heard(chat, "Message from user") + heard(chat, "Task from user") > 0 {
                say(&"word ".repeat(100))
            } else {
                say("nothing")
            };
            // As a service counts: about four letters a token.
            reply.map(|reply| agents::society::Reply {
                input: None,
                output: None,
                ..reply
            })
        }
    });
    outside.terms = agents::society::Terms {
        window: 4_000,
        ..TERMS
    };
    let society = society(open_store(home.path()), outside);
    society
        .submit("t1".to_owned(), wanted("talk"), person())
        .await
        .unwrap();
    for nth in 0..40 {
        society.settled("t1").await.unwrap();
        let text = format!("{nth} {}", "letters ".repeat(60));
        society.want("t1", Wanted::Post { to: ROOT, text }).await.unwrap();
    }
    society.settled("t1").await.unwrap();
    let (told, entries) = society
        .look("t1", |state| {
            (state.told_user(), state.mind(ROOT).unwrap().memory().len())
        })
        .await
        .unwrap();
    assert_eq!(told, 41, "each was answered");
    assert!(entries < 40, "{entries} entries are remembered");
    let largest = largest.load(Ordering::Relaxed);
    assert!(largest < 4_000 * 4, "{largest} bytes were said at once");
}

#[tokio::test]
async fn whoever_waits_again_and_again_hears_something_new_each_time() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outside = Scripted::new(folder.path(), |_, chat| match news(chat).last().unwrap() {
        word if word.contains("ok") => say(""),
        _ => calls(&[("wait", json!({}))]),
    });
    let society = society(open_store(home.path()), outside);
    society
        .submit("t1".to_owned(), wanted("wait"), person())
        .await
        .unwrap();
    for nth in 0..8 {
        society.settled("t1").await.unwrap();
        let text = format!("word {nth}");
        society.want("t1", Wanted::Post { to: ROOT, text }).await.unwrap();
    }
    society.settled("t1").await.unwrap();
    let rest = society
        .look("t1", |state| state.mind(ROOT).unwrap().rest().cloned())
        .await
        .unwrap();
    assert!(matches!(rest, Some(Rest::Waiting { until: None })), "{rest:?}");
}

#[tokio::test]
async fn what_was_to_come_later_comes_to_nobody_who_has_ended() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outside = Scripted::new(folder.path(), |who, chat| match (who.agent, news(chat)[0]) {
        (ROOT, task) if task.starts_with("Task from") => calls(&[
            ("create_role", json!({"name": "hand", "prompt": "p"})),
            ("spawn_agent", json!({"role": "hand", "brief": brief("x")})),
            (
                "send_message",
                json!({"to": "2", "text": "later", "delaySeconds": 3600}),
            ),
        ]),
        _ => say(""),
    });
    let society = society(open_store(home.path()), outside);
    society
        .submit("t1".to_owned(), wanted("go"), person())
        .await
        .unwrap();
    // It is busy until then, or until nobody is there to hear it.
    while society.look("t1", |state| state.messages().len()).await.unwrap() < 3 {
        tokio::task::yield_now().await;
    }
    society.want("t1", Wanted::Stop { agent: ROOT }).await.unwrap();
    society.settled("t1").await.unwrap();
    assert!(!society.look("t1", |state| state.is_busy()).await.unwrap());
}

#[tokio::test]
async fn a_call_for_which_there_was_no_room_is_made_once_when_there_is() {
    let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let outside = Scripted::new(folder.path(), |who, chat| match (who.agent, news(chat)[0]) {
        (ROOT, task) if task.starts_with("Task from") => calls(&[
            ("create_role", json!({"name": "hand", "prompt": "p"})),
            ("spawn_agent", json!({"role": "hand", "brief": brief("x")})),
            ("spawn_agent", json!({"role": "hand", "brief": brief("y")})),
        ]),
        (ROOT, _) => say(""),
        (_, task) if task.starts_with("Task from") => {
            calls(&[("append", json!({"path": who.agent.0.to_string(), "text": "once"}))])
        }
        (_, told) => say(told),
    });
    let society = society(open_store(home.path()), outside);
    let mut requirement = wanted("append");
    let budget = |calls| Budget {
        calls: Some(calls),
        ..Budget::default()
    };
    requirement.budget = budget(1);
    society
        .submit("t1".to_owned(), requirement, person())
        .await
        .unwrap();
    let mut paused = 0;
    for limit in 2.. {
        society.settled("t1").await.unwrap();
        if society
            .look("t1", |state| state.paused().is_none())
            .await
            .unwrap()
        {
            break;
        }
        paused += 1;
        society.want("t1", Wanted::Budget(budget(limit))).await.unwrap();
        society.want("t1", Wanted::Resume).await.unwrap();
    }
    assert!(paused >= 5, "{paused}");
    for file in ["2", "3"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), "once");
    }
    let interrupted = society
        .look("t1", |state| {
            format!("{:?}", state.mind(AgentId(2)).unwrap().memory()).contains("interrupted")
        })
        .await
        .unwrap();
    assert!(!interrupted);
}

/// Who cannot be shown pictures is told that there are some.
#[tokio::test]
async fn pictures_are_shown_to_models_that_see() {
    for sees in [true, false] {
        let (home, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut outside = Scripted::new(folder.path(), move |_, chat| {
            match chat.messages().last().unwrap() {
                llm::Message::User { text, pictures } if text.contains("picture.png") => {
                    say(&format!("I see {}.", pictures.len()))
                }
                _ => calls(&[("draw", json!({}))]),
            }
        });
        outside.terms.pictures = sees;
        let society = society(open_store(home.path()), outside);
        society
            .submit("t1".to_owned(), wanted("draw"), person())
            .await
            .unwrap();
        society.settled("t1").await.unwrap();
        let said = society
            .look("t1", |state| {
                state.messages().last().unwrap().message.text.clone()
            })
            .await
            .unwrap();
        assert_eq!(said, format!("I see {}.", u8::from(sees)));
    }
}

/// A task whose root calls something and reads what became of it, a dozen times; whether it may still go on.
fn calls_again_and_again(event: impl Fn(usize) -> Event) -> bool {
    let mut state = State::new("t1");
    let mut happens = |event: Event| {
        state.apply(&event, 0);
        while let Some(agent) = state.next_touched() {
            while let Some(event) = state.follows(agent, 0) {
                state.apply(&event, 0);
            }
        }
    };
    let begun = wanted("again");
    happens(Event::Begun {
        text: begun.text,
        lang: begun.lang,
        budget: begun.budget,
        service: None,
        roles: begun.roles,
        replays: None,
    });
    for _ in 0..12 {
        for name in ["append", "read"] {
            let call = Call {
                id: "c".to_owned(),
                name: name.to_owned(),
                arguments: "{}".to_owned(),
                mark: None,
            };
            happens(Event::Said {
                agent: ROOT,
                text: String::new(),
                calls: vec![call],
                cost: Amounts::default(),
            });
            happens(match name {
                "append" => event(0),
                _ => gave("first"),
            });
        }
    }
    state.effect(ROOT).is_some()
}

fn gave(text: &str) -> Event {
    Event::Gave {
        agent: ROOT,
        call: 0,
        outcome: Outcome {
            text: text.to_owned(),
            ..Outcome::default()
        },
        change: None,
        cost: Amounts::default(),
    }
}

#[test]
fn an_agent_whose_process_is_ended_again_and_again_does_not_turn_in_a_circle() {
    let agent = ROOT;
    assert!(calls_again_and_again(|call| Event::Interrupted { agent, call }));
    assert!(!calls_again_and_again(|_| gave("no")));
}
