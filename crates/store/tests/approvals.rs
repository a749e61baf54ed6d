//! Questions to a person and their answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base::DataHome;
use serde_json::json;
use store::{
    Actor, Approval, ApprovalState, GrantKind, Masking, NewApproval, Resolution, Since, Store, StoreError,
    Window,
};

const WINDOW: Window = Window {
    offset: 0,
    limit: 100,
};

fn actor(name: &str) -> Actor {
    Actor {
        kind: "person".into(),
        name: name.into(),
    }
}

fn open() -> (tempfile::TempDir, DataHome, Store) {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap();
    home.prepare().unwrap();
    let store = Store::open(&home, 1000).unwrap();
    (dir, home, store)
}

fn asked(id: &str, value: &str) -> NewApproval {
    NewApproval {
        id: id.into(),
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

async fn waiting(store: &Store) -> Vec<Approval> {
    store
        .approvals(Some(ApprovalState::Waiting), WINDOW)
        .await
        .unwrap()
        .0
}

#[tokio::test]
async fn a_question_is_kept_answered_and_audited() {
    let (_dir, _home, store) = open();
    let start = store.cursor().await.unwrap();
    let added = store.add_approval(asked("a", "curl x | sh")).await.unwrap();
    assert_eq!(waiting(&store).await, [added]);
    let resolved = store
        .resolve_approval("a".into(), ApprovalState::AllowedOnce, Some(actor("pm")))
        .await
        .unwrap();
    let Resolution::Won { approval, others } = resolved else {
        panic!("{resolved:?}");
    };
    assert_eq!(
        (approval.state, approval.resolver.clone()),
        (ApprovalState::AllowedOnce, Some(actor("pm")))
    );
    assert!(approval.resolved_at >= Some(approval.created_at) && others.is_empty());
    assert_eq!(store.approval("a".into()).await.unwrap(), approval);
    assert_eq!(waiting(&store).await, []);
    assert_eq!(
        store.audit_of("task:t1".into()).await.unwrap(),
        ["approval.ask", "approval.resolve"]
    );
    let Since::Events(events) = store.since(start).await.unwrap() else {
        panic!("too far behind");
    };
    let kinds: Vec<_> = events.iter().map(|stored| stored.event.kind.as_str()).collect();
    assert_eq!(kinds, ["approval.requested", "approval.resolved"]);
    assert!(
        events
            .iter()
            .all(|stored| !stored.event.data.to_string().contains("curl")),
        "the command is read by call"
    );
    let granted = store.is_granted(
        "task:t1".into(),
        GrantKind::Command,
        "curl x | sh".into(),
        String::new(),
    );
    assert!(!granted.await.unwrap(), "once is once");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_answers_exactly_one_decides() {
    let (_dir, _home, store) = open();
    for round in 0..20 {
        let id = format!("a{round}");
        store.add_approval(asked(&id, "x")).await.unwrap();
        let states = [
            ApprovalState::AllowedOnce,
            ApprovalState::Denied,
            ApprovalState::Expired,
        ];
        let answers: Vec<_> = (0..30_usize)
            .map(|n| {
                let (store, id) = (store.clone(), id.clone());
                tokio::spawn(async move {
                    store
                        .resolve_approval(id, states[n % 3], Some(actor(&format!("p{n}"))))
                        .await
                        .unwrap()
                })
            })
            .collect();
        let mut won = Vec::new();
        let mut told = Vec::new();
        for answer in answers {
            match answer.await.unwrap() {
                Resolution::Won { approval, .. } => won.push(approval),
                Resolution::Already(approval) => told.push(approval),
            }
        }
        assert_eq!(won.len(), 1);
        assert_eq!(told.len(), 29);
        assert!(
            told.iter().all(|one| *one == won[0]),
            "everybody hears of the same answer"
        );
    }
}

#[tokio::test]
async fn allowed_for_a_task_is_a_grant_for_just_this() {
    let (_dir, _home, store) = open();
    for (id, value) in [
        ("a", "make deploy"),
        ("same", "make deploy"),
        ("other", "make deploy "),
    ] {
        store.add_approval(asked(id, value)).await.unwrap();
    }
    let mut elsewhere = asked("elsewhere", "make deploy");
    elsewhere.subject = "task:t2".into();
    store.add_approval(elsewhere).await.unwrap();
    let mut feed = store.subscribe();
    let resolved = store
        .resolve_approval("a".into(), ApprovalState::AllowedForTask, Some(actor("pm")))
        .await
        .unwrap();
    let Resolution::Won { others, .. } = resolved else {
        panic!("{resolved:?}");
    };
    assert_eq!(others.len(), 1);
    let kinds: Vec<_> = std::iter::from_fn(|| feed.try_recv().ok())
        .map(|stored| stored.event.kind)
        .collect();
    assert_eq!(kinds, ["approval.resolved", "grant.changed", "approval.resolved"]);
    assert_eq!(
        (others[0].asked.id.as_str(), others[0].state),
        ("same", ApprovalState::AllowedForTask)
    );
    let still: Vec<_> = waiting(&store)
        .await
        .into_iter()
        .map(|one| one.asked.id)
        .collect();
    assert_eq!(still, ["elsewhere", "other"]);
    for (subject, kind, value, hash, granted) in [
        ("task:t1", GrantKind::Command, "make deploy", "", true),
        ("task:t2", GrantKind::Command, "make deploy", "", false),
        ("task:t1", GrantKind::Tool, "make deploy", "", false),
        ("task:t1", GrantKind::Command, "make deploy ", "", false),
        ("task:t1", GrantKind::Command, "make deploy", "other code", false),
    ] {
        let found = store
            .is_granted(subject.into(), kind, value.into(), hash.into())
            .await
            .unwrap();
        assert_eq!(found, granted, "{subject} {kind:?} {value:?} {hash}");
    }
    assert!(
        store
            .audit_of("task:t1".into())
            .await
            .unwrap()
            .contains(&"grant.add".to_owned())
    );
    assert!(
        store
            .revoke(
                "task:t1".into(),
                GrantKind::Command,
                "make deploy".into(),
                actor("pm")
            )
            .await
            .unwrap()
    );
    let found = store.is_granted(
        "task:t1".into(),
        GrantKind::Command,
        "make deploy".into(),
        String::new(),
    );
    assert!(!found.await.unwrap());
}

#[tokio::test]
async fn what_a_process_left_behind_expires() {
    let (_dir, home, store) = open();
    for id in ["a", "b"] {
        store.add_approval(asked(id, "x")).await.unwrap();
    }
    store
        .resolve_approval("b".into(), ApprovalState::Denied, Some(actor("pm")))
        .await
        .unwrap();
    drop(store);
    let store = Store::open(&home, 1000).unwrap();
    store.settle_approvals().await.unwrap();
    assert_eq!(waiting(&store).await, []);
    assert_eq!(
        store.approval("a".into()).await.unwrap().state,
        ApprovalState::Expired
    );
    assert_eq!(
        store.approval("b".into()).await.unwrap().state,
        ApprovalState::Denied
    );
    let late = store
        .resolve_approval("a".into(), ApprovalState::AllowedOnce, Some(actor("pm")))
        .await
        .unwrap();
    assert!(matches!(late, Resolution::Already(_)));
    let unknown = store
        .resolve_approval("zzz".into(), ApprovalState::Denied, Some(actor("pm")))
        .await;
    assert!(matches!(unknown, Err(StoreError::NoApproval(_))));
}

/// `s3cret` and `hush` are secrets.
fn masking() -> Masking {
    Masking {
        mask: Box::new(|text| text.replace("s3cret", "***").replace("hush", "***")),
        mark: Box::new(|text| {
            format!(
                "{:x}",
                text.bytes()
                    .fold(7u64, |all, byte| all.wrapping_mul(31).wrapping_add(byte.into()))
            )
        }),
    }
}

/// Everything in the database and beside it, as bytes.
fn on_disk(home: &DataHome) -> Vec<u8> {
    let folder = home.root().to_owned();
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let of_database = |path: &std::path::PathBuf| path.to_string_lossy().contains("pm.db");
    files
        .filter(of_database)
        .flat_map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

async fn granted(store: &Store, value: &str) -> bool {
    let (subject, kind) = ("task:t1".to_owned(), GrantKind::Command);
    store
        .is_granted(subject, kind, value.into(), String::new())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_command_with_a_secret_is_kept_masked_and_known_again() {
    let (_dir, home, store) = open();
    store.mask(masking()).await.unwrap();
    let mut question = asked("a", "deploy --key s3cret");
    question.detail = json!({"reason": "about s3cret", "lines": ["s3cret"]});
    let added = store.add_approval(question).await.unwrap();
    assert_eq!(added.asked.value, "deploy --key ***");
    assert_eq!(
        added.asked.detail,
        json!({"reason": "about ***", "lines": ["***"]})
    );
    assert_eq!(waiting(&store).await, [added]);
    // The same to look at, and another command.
    store.add_approval(asked("b", "deploy --key hush")).await.unwrap();
    store
        .add_approval(asked("c", "deploy --key s3cret"))
        .await
        .unwrap();
    let state = ApprovalState::AllowedForTask;
    let resolved = store
        .resolve_approval("a".into(), state, Some(actor("pm")))
        .await
        .unwrap();
    let Resolution::Won { others, .. } = resolved else {
        panic!("{resolved:?}");
    };
    let others: Vec<_> = others.iter().map(|other| other.asked.id.as_str()).collect();
    assert_eq!(others, ["c"], "the very same is settled with it");
    assert!(granted(&store, "deploy --key s3cret").await);
    assert!(!granted(&store, "deploy --key hush").await);
    assert!(
        !granted(&store, "deploy --key ***").await,
        "a mask is not the key"
    );
    store
        .resolve_approval("b".into(), state, Some(actor("pm")))
        .await
        .unwrap();
    assert!(granted(&store, "deploy --key s3cret").await && granted(&store, "deploy --key hush").await);
    let (grants, total) = store.all_grants(None, WINDOW).await.unwrap();
    assert_eq!(total, 2);
    assert!(
        grants
            .iter()
            .all(|granted| granted.grant.value == "deploy --key ***")
    );
    let audited = store.audit_details("task:t1".into()).await.unwrap();
    assert!(audited.len() >= 6 && audited.iter().all(|detail| detail["value"] == "deploy --key ***"));
    let bytes = on_disk(&home);
    assert!(holds(&bytes, "deploy --key ***"));
    assert!(!holds(&bytes, "s3cret") && !holds(&bytes, "hush"));
    // What looks the same is taken back together.
    let kind = GrantKind::Command;
    let shown = "deploy --key ***".to_owned();
    assert!(
        store
            .revoke("task:t1".into(), kind, shown, actor("pm"))
            .await
            .unwrap()
    );
    assert!(!granted(&store, "deploy --key s3cret").await && !granted(&store, "deploy --key hush").await);
}

#[tokio::test]
async fn what_became_a_secret_later_is_masked_when_it_is_read_and_at_the_next_start() {
    let (_dir, home, store) = open();
    let command = "deploy --key s3cret";
    store.add_approval(asked("a", command)).await.unwrap();
    let state = ApprovalState::AllowedForTask;
    store
        .resolve_approval("a".into(), state, Some(actor("pm")))
        .await
        .unwrap();
    store.add_approval(asked("b", "other s3cret")).await.unwrap();
    store.mask(masking()).await.unwrap();
    assert_eq!(store.approval("b".into()).await.unwrap().asked.value, "other ***");
    assert!(granted(&store, command).await);
    drop(store);
    let store = Store::open(&home, 1000).unwrap();
    store.mask(masking()).await.unwrap();
    let before = store.audit_details("task:t1".into()).await.unwrap().len();
    store.settle_approvals().await.unwrap();
    let expired = store.audit_details("task:t1".into()).await.unwrap()[before..].to_vec();
    assert_eq!(expired.len(), 1);
    assert_eq!(
        (&expired[0]["value"], &expired[0]["state"]),
        (&json!("other ***"), &json!("expired"))
    );
    assert!(granted(&store, command).await, "it is the same command");
    drop(store);
    // Read without knowing any secret: what is kept is masked.
    let store = Store::open(&home, 1000).unwrap();
    for (id, shown) in [("a", "deploy --key ***"), ("b", "other ***")] {
        assert_eq!(store.approval(id.into()).await.unwrap().asked.value, shown);
    }
    let (grants, _) = store.all_grants(None, WINDOW).await.unwrap();
    assert_eq!(grants[0].grant.value, "deploy --key ***");
}
