use super::*;
use base::DataHome;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::Window;

struct Scene {
    approvals: Approvals,
    store: Store,
    ending: CancellationToken,
    _dir: tempfile::TempDir,
}

fn scene(time: Duration, most: usize) -> Scene {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap();
    home.prepare().unwrap();
    let store = Store::open(&home, 1000).unwrap();
    let ending = CancellationToken::new();
    Scene {
        approvals: Approvals::new(store.clone(), ending.clone(), patience(time, most)),
        store,
        ending,
        _dir: dir,
    }
}

fn patience(time: Duration, most: usize) -> Patience {
    let each = most;
    Patience { time, most, each }
}

const LONG: Duration = Duration::from_secs(60);

fn question(value: &str) -> Ask {
    Ask {
        subject: "task:t1".into(),
        kind: GrantKind::Command,
        value: value.into(),
        code_hash: String::new(),
        detail: json!({"reason": "pipes into a shell"}),
        actor: Actor {
            kind: "agent".into(),
            name: "builder".into(),
        },
    }
}

fn person(name: &str) -> Actor {
    Actor {
        kind: "person".into(),
        name: name.into(),
    }
}

impl Scene {
    fn ask(&self, value: &str, cancel: &CancellationToken) -> tokio::task::JoinHandle<Decision> {
        let (approvals, cancel, ask) = (self.approvals.clone(), cancel.clone(), question(value));
        tokio::spawn(async move { approvals.ask(ask, &cancel).await.unwrap() })
    }

    async fn rows(&self, state: ApprovalState) -> Vec<Approval> {
        let window = Window {
            offset: 0,
            limit: 500,
        };
        self.store.approvals(Some(state), window).await.unwrap().0
    }

    /// The rows that wait, once there are so many: told by the events that asking commits.
    async fn wait_for(&self, count: usize) -> Vec<Approval> {
        let mut feed = self.store.subscribe();
        loop {
            let rows = self.rows(ApprovalState::Waiting).await;
            if rows.len() == count {
                return rows;
            }
            feed.recv().await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_reaches_who_asked() {
    let scene = scene(LONG, 10);
    let go = CancellationToken::new();
    for (answer, wanted) in [
        (Answer::AllowOnce, Decision::Allowed(Allowed::Once(person("pm")))),
        (Answer::Deny, Decision::Denied(Denied::By(person("pm")))),
        // The one that was allowed once is asked again.
        (
            Answer::AllowForTask,
            Decision::Allowed(Allowed::ForTask(person("pm"))),
        ),
    ] {
        let asked = scene.ask("make deploy", &go);
        let id = scene.wait_for(1).await.remove(0).asked.id;
        let row = scene.approvals.resolve(&id, answer, person("pm")).await.unwrap();
        assert_eq!(row.resolver, Some(person("pm")));
        assert_eq!(asked.await.unwrap(), wanted);
        assert_eq!(scene.approvals.waiting(), 0);
    }
    let again = scene.ask("make deploy", &go).await.unwrap();
    assert_eq!(again, Decision::Allowed(Allowed::Remembered));
    let other = scene.ask("make deploy --all", &go);
    let id = scene.wait_for(1).await.remove(0).asked.id;
    scene
        .approvals
        .resolve(&id, Answer::Deny, person("web"))
        .await
        .unwrap();
    assert!(
        other.await.unwrap().check().is_err(),
        "what differs by a word is another question"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_answers_exactly_one_wins() {
    let scene = scene(LONG, 10);
    for round in 0..10 {
        let asked = scene.ask(&format!("command {round}"), &CancellationToken::new());
        let id = scene.wait_for(1).await.remove(0).asked.id;
        let won = Arc::new(AtomicUsize::new(0));
        let answers: Vec<_> = (0..40_usize)
            .map(|n| {
                let (approvals, id, won) = (scene.approvals.clone(), id.clone(), won.clone());
                let answer = [Answer::AllowOnce, Answer::Deny][n % 2];
                tokio::spawn(async move {
                    match approvals.resolve(&id, answer, person(&format!("p{n}"))).await {
                        Ok(approval) => {
                            won.fetch_add(1, Ordering::SeqCst);
                            Some(approval)
                        }
                        Err(failure) => {
                            assert_eq!(failure.code, "already_resolved");
                            None
                        }
                    }
                })
            })
            .collect();
        let mut winner = None;
        for answer in answers {
            winner = answer.await.unwrap().or(winner);
        }
        assert_eq!(won.load(Ordering::SeqCst), 1);
        let by = winner.unwrap().resolver.unwrap();
        match asked.await.unwrap() {
            Decision::Allowed(Allowed::Once(told)) | Decision::Denied(Denied::By(told)) => {
                assert_eq!(told, by)
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Time runs out while many answer: whatever the store kept is what the asker hears.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_patience_is_one_answer_among_others() {
    let scene = scene(Duration::from_millis(5), 10);
    for round in 0..40 {
        let value = format!("command {round}");
        let asked = scene.ask(&value, &CancellationToken::new());
        let mut tries = Vec::new();
        for row in scene.rows(ApprovalState::Waiting).await {
            let approvals = scene.approvals.clone();
            tries.push(tokio::spawn(async move {
                approvals
                    .resolve(&row.asked.id, Answer::AllowOnce, person("pm"))
                    .await
                    .is_ok()
            }));
        }
        let heard = asked.await.unwrap();
        let mut allowed = false;
        for one in tries {
            allowed |= one.await.unwrap();
        }
        assert_eq!(matches!(heard, Decision::Allowed(_)), allowed, "{heard:?}");
    }
    assert_eq!(scene.rows(ApprovalState::Waiting).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn none_is_a_no() {
    let scene = scene(Duration::from_millis(30), 10);
    let decision = scene.ask("x", &CancellationToken::new()).await.unwrap();
    assert_eq!(decision, Decision::Denied(Denied::NoAnswer));
    let row = scene.rows(ApprovalState::Expired).await.remove(0);
    assert_eq!(row.resolver, None);
    let late = scene
        .approvals
        .resolve(&row.asked.id, Answer::AllowOnce, person("pm"))
        .await;
    assert!(late.is_err_and(|failure| failure.code == "already_resolved"));
    let unknown = scene
        .approvals
        .resolve("zzz", Answer::AllowOnce, person("pm"))
        .await;
    assert!(unknown.is_err_and(|failure| failure.code == "approval_not_found"));
    let mut long = question("x");
    long.value = "x".repeat(VALUE + 1);
    let decision = scene
        .approvals
        .ask(long, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(decision, Decision::Denied(Denied::TooLong));
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_questions_are_denied_at_once() {
    let scene = scene(LONG, 3);
    let go = CancellationToken::new();
    let waiting: Vec<_> = (0..3).map(|n| scene.ask(&format!("c{n}"), &go)).collect();
    let rows = scene.wait_for(3).await;
    assert_eq!(
        scene.ask("one more", &go).await.unwrap(),
        Decision::Denied(Denied::TooMany(3))
    );
    scene
        .approvals
        .resolve(&rows[0].asked.id, Answer::Deny, person("pm"))
        .await
        .unwrap();
    let next = scene.ask("one more", &go);
    scene.wait_for(3).await;
    scene.ending.cancel();
    for one in waiting {
        one.await.unwrap().check().unwrap_err();
    }
    next.await.unwrap().check().unwrap_err();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_called_off_and_an_owner_that_ends_withdraw_their_questions() {
    let scene = scene(LONG, 10);
    let (cancel, go) = (CancellationToken::new(), CancellationToken::new());
    let off = scene.ask("off", &cancel);
    let stays = scene.ask("stays", &go);
    let dropped = scene.ask("dropped", &go);
    scene.wait_for(3).await;
    cancel.cancel();
    assert_eq!(off.await.unwrap(), Decision::Denied(Denied::Cancelled));
    dropped.abort();
    let rows = scene.wait_for(1).await;
    assert_eq!(rows[0].asked.value, "stays");
    assert_eq!(scene.approvals.waiting(), 1);
    scene.ending.cancel();
    assert_eq!(stays.await.unwrap(), Decision::Denied(Denied::Ending));
    assert_eq!(scene.rows(ApprovalState::Denied).await.len(), 1);
    assert_eq!(scene.rows(ApprovalState::Expired).await.len(), 2);
    assert_eq!(
        scene.ask("after", &go).await.unwrap(),
        Decision::Denied(Denied::Ending)
    );
    assert_eq!(scene.rows(ApprovalState::Waiting).await, []);
}

/// Several that wait for the very same are answered together, for the task.
#[tokio::test(flavor = "multi_thread")]
async fn one_answer_for_the_task_frees_all_that_ask_the_same() {
    let scene = scene(LONG, 10);
    let go = CancellationToken::new();
    let same: Vec<_> = (0..4).map(|_| scene.ask("make", &go)).collect();
    let other = scene.ask("make other", &go);
    let rows = scene.wait_for(5).await;
    let id = rows
        .into_iter()
        .find(|row| row.asked.value == "make")
        .unwrap()
        .asked
        .id;
    scene
        .approvals
        .resolve(&id, Answer::AllowForTask, person("pm"))
        .await
        .unwrap();
    for one in same {
        assert!(one.await.unwrap().check().is_ok());
    }
    assert!(!other.is_finished());
    scene.ending.cancel();
    assert!(other.await.unwrap().check().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_the_places_of_all() {
    let scene = scene(LONG, 100);
    let approvals = Approvals {
        patience: Patience {
            each: 2,
            ..patience(LONG, 100)
        },
        ..scene.approvals.clone()
    };
    let go = CancellationToken::new();
    let ask = |subject: &str, by: &str, value: &str| {
        let (approvals, go) = (approvals.clone(), go.clone());
        let mut ask = question(value);
        ask.subject = subject.to_owned();
        ask.actor.name = by.to_owned();
        tokio::spawn(async move { approvals.ask(ask, &go).await.unwrap() })
    };
    let full = Decision::Denied(Denied::TooMany(2));
    let mut open = vec![ask("task:a", "one", "1"), ask("task:b", "one", "2")];
    scene.wait_for(2).await;
    assert_eq!(ask("task:c", "one", "3").await.unwrap(), full, "by who asks");
    open.push(ask("task:a", "two", "4"));
    scene.wait_for(3).await;
    assert_eq!(
        ask("task:a", "three", "5").await.unwrap(),
        full,
        "by what it is for"
    );
    let error = full.check().unwrap_err();
    assert_eq!(
        (error.code(), error.args()["limit"].clone()),
        ("too_many_questions", json!(2))
    );
    open.push(ask("task:c", "three", "6"));
    let rows = scene.wait_for(4).await;
    // A place that is free is anybody's.
    let first = rows.iter().find(|row| row.asked.value == "1").unwrap();
    approvals
        .resolve(&first.asked.id, Answer::Deny, person("pm"))
        .await
        .unwrap();
    open.push(ask("task:d", "one", "7"));
    scene.wait_for(4).await;
    go.cancel();
    for one in open {
        one.await.unwrap().check().unwrap_err();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_asked_about_masked_and_granted_whole() {
    struct Reads(Mutex<Vec<String>>);
    impl Elsewhere for Reads {
        async fn ask(&self, ask: &Ask) -> (Answer, Actor) {
            self.0
                .lock()
                .unwrap()
                .push(format!("{} {}", ask.value, ask.detail));
            (Answer::AllowForTask, person("elsewhere"))
        }
    }
    let scene = scene(LONG, 10);
    let masking = store::Masking {
        mask: Box::new(|text| text.replace("s3cret", "***")),
        mark: Box::new(|text| text.len().to_string()),
    };
    scene.store.mask(masking).await.unwrap();
    let mut ask = question("deploy s3cret");
    ask.detail = json!({"reason": "s3cret"});
    let reads = Reads(Mutex::default());
    let go = CancellationToken::new();
    let decision = scene.approvals.ask_by(ask.clone(), &go, &reads).await.unwrap();
    assert_eq!(decision, Decision::Allowed(Allowed::ForTask(person("elsewhere"))));
    assert_eq!(*reads.0.lock().unwrap(), [r#"deploy *** {"reason":"***"}"#]);
    let again = scene.approvals.ask(ask, &go).await.unwrap();
    assert_eq!(again, Decision::Allowed(Allowed::Remembered));
}
