//! Canvases and their events: in order, without gaps, with their row or not at all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base::DataHome;
use store::{Actor, CanvasEvent, NewCanvas, Store, StoreError};

fn actor() -> Actor {
    Actor {
        kind: "person".into(),
        name: "web".into(),
    }
}

fn open() -> (tempfile::TempDir, DataHome, Store) {
    let dir = tempfile::tempdir().unwrap();
    let home = DataHome::at(dir.path().join("home")).unwrap();
    home.prepare().unwrap();
    let store = Store::open(&home, 1000).unwrap();
    (dir, home, store)
}

fn new(id: &str) -> NewCanvas {
    NewCanvas {
        id: id.into(),
        title: "T".into(),
        task: None,
        arena: "Arena".into(),
        lang: "en".into(),
        actor: actor(),
    }
}

fn event(text: &str) -> CanvasEvent {
    CanvasEvent {
        at: 7,
        actor: actor(),
        event: text.into(),
    }
}

#[tokio::test]
async fn events_come_back_in_their_order_after_a_restart() {
    let (_dir, home, store) = open();
    store.add_canvas(new("a")).await.unwrap();
    for (seq, text) in ["one", "two", "three"].into_iter().enumerate() {
        let row = store
            .add_canvas_event("a".into(), seq as u32, event(text), seq as u32 + 1)
            .await
            .unwrap();
        assert_eq!((row.events, row.cells), (seq as u32 + 1, seq as u32 + 1));
    }
    drop(store);
    let store = Store::open(&home, 1000).unwrap();
    let (row, events) = store.canvas("a".into()).await.unwrap();
    assert_eq!((row.events, row.changed_at), (3, 7));
    let texts: Vec<_> = events.iter().map(|one| one.event.as_str()).collect();
    assert_eq!(texts, ["one", "two", "three"]);
}

#[tokio::test]
async fn an_event_out_of_its_order_changes_nothing() {
    let (_dir, _home, store) = open();
    store.add_canvas(new("a")).await.unwrap();
    store
        .add_canvas_event("a".into(), 0, event("one"), 1)
        .await
        .unwrap();
    for seq in [0, 2] {
        let refused = store.add_canvas_event("a".into(), seq, event("x"), 9).await;
        assert!(matches!(refused, Err(StoreError::CanvasMoved { found: 1, .. })));
    }
    let (row, events) = store.canvas("a".into()).await.unwrap();
    assert_eq!((row.events, row.cells, events.len()), (1, 1, 1));
}

#[tokio::test]
async fn what_is_removed_can_be_brought_back_until_the_trash_is_emptied() {
    let (_dir, _home, store) = open();
    store.add_canvas(new("a")).await.unwrap();
    store
        .add_canvas_event("a".into(), 0, event("one"), 1)
        .await
        .unwrap();
    store.remove_canvas("a".into(), actor()).await.unwrap();
    assert_eq!(store.canvases(false).await.unwrap(), []);
    assert!(matches!(
        store.canvas("a".into()).await,
        Err(StoreError::NoCanvas(_))
    ));
    let refused = store.add_canvas_event("a".into(), 1, event("two"), 2).await;
    assert!(matches!(refused, Err(StoreError::NoCanvas(_))));
    assert_eq!(store.empty_canvas_trash(0).await.unwrap(), 0);
    store.restore_canvas("a".into(), actor()).await.unwrap();
    assert_eq!(store.canvas("a".into()).await.unwrap().1.len(), 1);
    store.remove_canvas("a".into(), actor()).await.unwrap();
    assert_eq!(store.empty_canvas_trash(i64::MAX).await.unwrap(), 1);
    let gone = store.restore_canvas("a".into(), actor()).await;
    assert!(matches!(gone, Err(StoreError::NoCanvas(_))));
}

#[tokio::test]
async fn title_and_task_change_alone() {
    let (_dir, _home, store) = open();
    store.add_canvas(new("a")).await.unwrap();
    let task = Some(Some("t1".to_owned()));
    let row = store.change_canvas("a".into(), None, task).await.unwrap();
    assert_eq!((row.title.as_str(), row.task.as_deref()), ("T", Some("t1")));
    let row = store
        .change_canvas("a".into(), Some("U".into()), Some(None))
        .await
        .unwrap();
    assert_eq!((row.title.as_str(), row.task), ("U", None));
}
