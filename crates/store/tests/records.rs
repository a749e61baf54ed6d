//! The records as their callers use them.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use base::{DataHome, Event};
use serde_json::json;
use store::{
    Actor, AuditEntry, Cursor, Grant, GrantKind, Masking, NewArtifact, Run, RunFilter, Since, Store, Window,
};

const WINDOW: Window = Window {
    offset: 0,
    limit: 100,
};

fn actor() -> Actor {
    Actor {
        kind: "person".into(),
        name: "test".into(),
    }
}

fn home() -> (tempfile::TempDir, DataHome) {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap();
    home.prepare().unwrap();
    (dir, home)
}

fn run(n: i64) -> Run {
    Run {
        id: format!("run-{n}"),
        subject: if n % 2 == 0 { "even" } else { "odd" }.into(),
        started_at: n,
        duration_ms: 1.5,
        success: true,
        error: None,
        actor: actor(),
        memory: Some(1024),
        about: (n % 3 != 0).then(|| format!("n: {n}")),
    }
}

/// Width 2, height 3: only the header is read back.
fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend([0, 0, 0, 2, 0, 0, 0, 3]);
    bytes
}

fn picture(title: &str) -> NewArtifact {
    NewArtifact {
        title: title.into(),
        source: "run_javascript".into(),
        actor: actor(),
        code: "getCanvas()".into(),
        width: 2,
        height: 3,
        png: png(),
    }
}

#[tokio::test]
async fn runs_are_listed_newest_first_and_trimmed() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    for n in 1..=12 {
        store
            .add_run(
                run(n),
                None,
                vec![Event::new("run.finished", json!({"n": n}))],
                10,
            )
            .await
            .unwrap();
    }
    let (runs, total) = store.runs(RunFilter::default(), WINDOW).await.unwrap();
    assert_eq!(total, 10);
    assert_eq!(runs[0], run(12));
    assert_eq!(runs[9], run(3));
    let (odd, total) = store
        .runs(
            RunFilter {
                subject: Some("odd".into()),
                failed: false,
            },
            Window { offset: 1, limit: 2 },
        )
        .await
        .unwrap();
    assert_eq!((odd.len(), total), (2, 5));
    assert_eq!(odd[0], run(9));
}

#[tokio::test]
async fn events_are_read_from_a_cursor_and_old_ones_mean_resync() {
    let (_dir, home) = home();
    let store = Store::open(&home, 5).unwrap();
    let start = store.cursor().await.unwrap();
    let mut live = store.subscribe();
    for n in 0..4 {
        store
            .announce(vec![Event::new("tool.changed", json!(n)).tag("tools")])
            .await
            .unwrap();
    }
    let Since::Events(events) = store.since(start.clone()).await.unwrap() else {
        panic!("resync")
    };
    assert_eq!(
        events.iter().map(|e| e.event.data.clone()).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    assert_eq!(live.recv().await.unwrap(), events[0]);
    let Since::Events(rest) = store.since(events[2].cursor.clone()).await.unwrap() else {
        panic!("resync")
    };
    assert_eq!(rest, events[3..]);

    let parsed: Cursor = events[3].cursor.to_string().parse().unwrap();
    assert_eq!(parsed, events[3].cursor);
    assert!("nonsense".parse::<Cursor>().is_err());

    for n in 0..600 {
        store.announce(vec![Event::new("x", json!(n))]).await.unwrap();
    }
    let here = store.cursor().await.unwrap();
    assert_eq!(
        store.since(start).await.unwrap(),
        Since::Resync(here.clone()),
        "trimmed away"
    );
    let foreign = Cursor {
        epoch: "other".into(),
        seq: 1,
    };
    assert_eq!(store.since(foreign).await.unwrap(), Since::Resync(here.clone()));
    let future = Cursor {
        seq: here.seq + 1,
        ..here.clone()
    };
    assert_eq!(store.since(future).await.unwrap(), Since::Resync(here));
}

#[tokio::test]
async fn the_epoch_and_the_sequence_survive_a_restart() {
    let (_dir, home) = home();
    let store = Store::open(&home, 3).unwrap();
    for n in 0..10 {
        store.announce(vec![Event::new("x", json!(n))]).await.unwrap();
    }
    let before = store.cursor().await.unwrap();
    drop(store);
    let again = Store::open(&home, 3).unwrap();
    assert_eq!(again.cursor().await.unwrap(), before);
}

#[tokio::test]
async fn pictures_are_kept_removed_and_reconciled() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let kept = store.add_picture(picture("kept")).await.unwrap();
    let lost = store.add_picture(picture("bytes lost")).await.unwrap();
    let removed = store.add_picture(picture("removed")).await.unwrap();
    assert_eq!(std::fs::read(store.artifact_path(&kept.id)).unwrap(), png());

    store.remove_artifact(removed.id.clone(), actor()).await.unwrap();
    assert!(!store.artifact_path(&removed.id).exists());
    assert!(home.trash().join(removed.file_name()).exists());
    assert!(store.artifact(removed.id.clone()).await.is_err());
    assert!(store.remove_artifact(removed.id, actor()).await.is_err());
    let (listed, total) = store.artifacts(WINDOW).await.unwrap();
    assert_eq!((listed.len(), total), (2, 2), "removed ones are hidden");

    // What a kill can leave: bytes without a row, a row without bytes, and rubbish.
    let orphan = "11111111-2222-4333-8444-555555555555";
    std::fs::write(store.artifact_path(orphan), png()).unwrap();
    let rubbish = "11111111-2222-4333-8444-666666666666";
    std::fs::write(store.artifact_path(rubbish), "not a picture").unwrap();
    std::fs::remove_file(store.artifact_path(&lost.id)).unwrap();
    drop(store);

    let store = Store::open(&home, 100).unwrap();
    assert_eq!(store.artifact(kept.id.clone()).await.unwrap(), kept);
    assert!(store.artifact(lost.id).await.is_err());
    let found = store.artifact(orphan.into()).await.unwrap();
    assert_eq!(
        (found.width, found.height, found.source.as_str()),
        (2, 3, "recovered")
    );
    assert!(store.artifact(rubbish.into()).await.is_err());
    assert!(
        store.artifact_path(rubbish).exists(),
        "what is not understood is left alone"
    );
}

#[tokio::test]
async fn details_of_runs_are_kept_and_failed_ones_can_be_asked_for() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    for n in 1..=2100 {
        let one = Run {
            success: n % 7 != 0,
            error: (n % 7 == 0).then(|| "timeout".into()),
            ..run(n)
        };
        let event = Event::new("run.finished", json!(n));
        store
            .add_run(one, Some(format!("{{\"n\":{n}}}")), vec![event], 10_000)
            .await
            .unwrap();
    }
    let detail = async |n: i64| store.run(format!("run-{n}")).await.unwrap().1;
    assert_eq!(detail(2100).await.as_deref(), Some("{\"n\":2100}"));
    assert_eq!(detail(101).await.as_deref(), Some("{\"n\":101}"));
    assert_eq!(
        detail(2100 - 2064).await,
        None,
        "only the newest keep theirs, and a few more"
    );
    assert_eq!(
        store.run("run-7".into()).await.unwrap().0.error.as_deref(),
        Some("timeout")
    );
    assert!(store.run("other".into()).await.is_err());
    assert!(store.has_run("run-1".into()).await.unwrap());
    assert!(!store.has_run("other".into()).await.unwrap());

    let failed = |subject: Option<&str>| RunFilter {
        subject: subject.map(str::to_owned),
        failed: true,
    };
    let (runs, total) = store.runs(failed(None), WINDOW).await.unwrap();
    assert_eq!((runs.len(), total), (100, 300));
    assert!(runs.iter().all(|run| !run.success));
    let (_, odd) = store.runs(failed(Some("odd")), WINDOW).await.unwrap();
    assert_eq!(odd, 150);
}

#[tokio::test]
async fn a_removed_picture_comes_back_whole() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let kept = store.add_picture(picture("kept")).await.unwrap();
    let start = store.cursor().await.unwrap();
    store.remove_artifact(kept.id.clone(), actor()).await.unwrap();
    drop(store);

    let store = Store::open(&home, 100).unwrap();
    assert!(
        store.artifact(kept.id.clone()).await.is_err(),
        "removed across a restart"
    );
    for _ in 0..2 {
        store.restore_artifact(kept.id.clone(), actor()).await.unwrap();
    }
    assert_eq!(store.artifact(kept.id.clone()).await.unwrap(), kept);
    assert_eq!(std::fs::read(store.artifact_path(&kept.id)).unwrap(), png());
    assert!(store.restore_artifact("made up".into(), actor()).await.is_err());
    assert_eq!(
        store.audit_of(kept.id.clone()).await.unwrap(),
        ["artifact.remove", "artifact.restore"],
        "what changed nothing is not told"
    );
    let Since::Events(events) = store.since(start).await.unwrap() else {
        panic!("resync")
    };
    let kinds: Vec<_> = events.iter().map(|one| one.event.kind.as_str()).collect();
    assert_eq!(kinds, ["artifact.removed", "artifact.added"]);
}

/// Every state that a kill can leave, and what the next start makes of it.
#[tokio::test]
async fn half_removed_and_half_restored_pictures_are_put_in_order() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let mut ids = Vec::new();
    for title in ["not moved", "not unmarked", "emptied", "strayed"] {
        ids.push(store.add_picture(picture(title)).await.unwrap().id);
    }
    let [not_moved, not_unmarked, emptied, strayed] = &ids[..] else {
        panic!("four")
    };
    let trashed = |id: &str| home.trash().join(format!("{id}.png"));
    for id in [not_moved, not_unmarked, emptied] {
        store.remove_artifact(id.clone(), actor()).await.unwrap();
    }
    // Killed before the bytes were moved away, and after they were moved back.
    for id in [not_moved, not_unmarked] {
        std::fs::rename(trashed(id), store.artifact_path(id)).unwrap();
    }
    std::fs::remove_file(trashed(emptied)).unwrap();
    std::fs::rename(store.artifact_path(strayed), trashed(strayed)).unwrap();
    drop(store);

    let store = Store::open(&home, 100).unwrap();
    for id in [not_moved, not_unmarked] {
        assert!(trashed(id).exists() && !store.artifact_path(id).exists());
        assert!(store.artifact(id.clone()).await.is_err());
        store.restore_artifact(id.clone(), actor()).await.unwrap();
        assert!(store.artifact_path(id).exists());
    }
    assert!(store.restore_artifact(emptied.clone(), actor()).await.is_err());
    assert!(store.artifact(strayed.clone()).await.is_ok());
    assert!(store.artifact_path(strayed).exists());
}

#[tokio::test]
async fn the_trash_is_emptied_of_what_is_old() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let kept = store.add_picture(picture("kept")).await.unwrap();
    let old = store.add_picture(picture("old")).await.unwrap();
    store.remove_artifact(old.id.clone(), actor()).await.unwrap();
    // What the first release removed has no row; what is no picture of ours is left alone.
    let orphan = home.trash().join("11111111-2222-4333-8444-555555555555.png");
    std::fs::write(&orphan, png()).unwrap();
    std::fs::write(home.trash().join("other.png"), "").unwrap();

    let now = base::clock::now_ms();
    assert_eq!(store.empty_trash(now - 60_000).await.unwrap(), 0, "too young");
    assert_eq!(store.empty_trash(now + 60_000).await.unwrap(), 2);
    let left: Vec<_> = std::fs::read_dir(home.trash())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["other.png"]);
    assert!(store.restore_artifact(old.id.clone(), actor()).await.is_err());
    assert!(store.artifact(kept.id.clone()).await.is_ok());
    assert_eq!(
        store
            .artifact_ids()
            .await
            .unwrap()
            .into_iter()
            .collect::<Vec<_>>(),
        [kept.id]
    );
}

#[tokio::test]
async fn grants_are_audited() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let grant = Grant {
        subject: "filesystem".into(),
        kind: GrantKind::Directory,
        value: "/tmp/a".into(),
        code_hash: "h".into(),
        actor: actor(),
    };
    store.add_grant(grant.clone()).await.unwrap();
    store.add_grant(grant).await.unwrap();
    assert_eq!(
        store
            .grants("filesystem".into(), GrantKind::Directory, None)
            .await
            .unwrap(),
        ["/tmp/a"]
    );
    assert!(
        store
            .revoke(
                "filesystem".into(),
                GrantKind::Directory,
                "/tmp/a".into(),
                actor()
            )
            .await
            .unwrap()
    );
    assert!(
        !store
            .revoke(
                "filesystem".into(),
                GrantKind::Directory,
                "/tmp/a".into(),
                actor()
            )
            .await
            .unwrap()
    );
    assert_eq!(
        store.audit_of("filesystem".into()).await.unwrap(),
        ["grant.add", "grant.add", "grant.revoke"]
    );
}

#[tokio::test]
async fn descriptions_are_cached_by_hash() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    assert_eq!(store.description("h".into()).await.unwrap(), None);
    store.keep_description("h".into(), "{}".into()).await.unwrap();
    assert_eq!(
        store.description("h".into()).await.unwrap().as_deref(),
        Some("{}")
    );
}

#[tokio::test]
async fn the_audit_is_masked_as_it_is_written() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let masking = Masking {
        mask: Box::new(|text| text.replace("hunter2", "***").replace("true", "***")),
        mark: Box::new(str::to_owned),
    };
    store.mask(masking).await.unwrap();
    let entry = |action: &str| AuditEntry {
        actor: actor(),
        action: action.into(),
        subject: "task:t1".into(),
        detail: json!({"command": "echo hunter2", "fine": true}),
    };
    store.audit(entry("command.run")).await.unwrap();
    let kept = store.audit_details("task:t1".into()).await.unwrap();
    assert_eq!(
        kept,
        [json!({"command": "echo ***", "fine": true})],
        "it stays JSON"
    );
    drop(store);
    let holds = |word: &str| {
        let files = [home.database(), home.database().with_extension("db-wal")];
        let bytes: Vec<u8> = files
            .iter()
            .flat_map(|file| std::fs::read(file).unwrap_or_default())
            .collect();
        bytes.windows(word.len()).any(|part| part == word.as_bytes())
    };
    assert!(holds("command.run") && holds("echo ***") && !holds("hunter2"));
}

/// Grants are remembered between changes: what is read is always what was said last.
#[tokio::test]
async fn grants_are_as_they_were_said_last() {
    let (_dir, home) = home();
    let store = Store::open(&home, 100).unwrap();
    let mut said: Vec<(String, String)> = Vec::new();
    let mut state: u32 = 7;
    for _ in 0..300 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (subject, value) = (
            format!("tool-{}", (state >> 8) % 3),
            format!("/d{}", (state >> 16) % 4),
        );
        let pair = (subject.clone(), value.clone());
        if (state >> 24).is_multiple_of(2) {
            let grant = Grant {
                subject: subject.clone(),
                kind: GrantKind::Directory,
                value,
                code_hash: "h".into(),
                actor: actor(),
            };
            store.add_grant(grant).await.unwrap();
            said.retain(|known| *known != pair);
            said.push(pair);
        } else {
            let gone = store
                .revoke(subject.clone(), GrantKind::Directory, value, actor())
                .await
                .unwrap();
            assert_eq!(gone, said.contains(&pair));
            said.retain(|known| *known != pair);
        }
        for subject in ["tool-0", "tool-1", "tool-2"] {
            let mut found = store
                .grants(subject.into(), GrantKind::Directory, Some("h".into()))
                .await
                .unwrap();
            found.sort();
            let mut wanted: Vec<String> = said
                .iter()
                .filter(|(of, _)| of == subject)
                .map(|(_, value)| value.clone())
                .collect();
            wanted.sort();
            assert_eq!(found, wanted);
        }
        let other = store.grants(subject, GrantKind::Directory, Some("other code".into()));
        assert!(other.await.unwrap().is_empty());
    }
}

/// Many at once are committed together; each is answered for itself, and told of only when it is kept.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_at_once_is_kept_one_by_one() {
    let (_dir, home) = home();
    let store = Store::open(&home, 10_000).unwrap();
    let mut feed = store.subscribe();
    let mut asked = tokio::task::JoinSet::new();
    for n in 0..400 {
        let store = store.clone();
        // Every run comes twice: one of the two is refused.
        asked.spawn(async move {
            let event = Event::new("run.finished", json!({"run": n / 2}));
            store.add_run(run(n / 2), None, vec![event], 10_000).await.is_ok()
        });
    }
    let answers = asked.join_all().await;
    assert_eq!(answers.iter().filter(|kept| **kept).count(), 200);
    assert_eq!(store.runs(RunFilter::default(), WINDOW).await.unwrap().1, 200);
    let mut told = std::collections::HashSet::new();
    while let Ok(event) = feed.try_recv() {
        assert!(
            told.insert(event.event.data["run"].as_i64().unwrap()),
            "told twice"
        );
    }
    assert_eq!(told.len(), 200);
}
