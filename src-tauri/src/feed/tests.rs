//! What a page gets, against a socket that answers as the owner does.

use super::*;
use base::Lang;
use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(10);

fn event(cursor: &str, kind: &str, tags: &[&str]) -> WireEvent {
    WireEvent {
        cursor: cursor.to_owned(),
        kind: kind.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        data: Value::Null,
    }
}

fn kinds(news: &News) -> Vec<&str> {
    news.events.iter().map(|event| event.kind.as_str()).collect()
}

async fn next(feed: &Feed, page: u32) -> News {
    timeout(SOON, feed.next(page)).await.unwrap().unwrap()
}

/// What comes until `link` is told, gathered.
async fn until(feed: &Feed, page: u32, link: Link) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let news = next(feed, page).await;
        seen.extend(kinds(&news).into_iter().map(str::to_owned));
        if news.link == link {
            return seen;
        }
    }
}

#[tokio::test]
async fn a_page_gets_what_came_since_and_waits_for_more() {
    let feed = Feed::new();
    let first = feed.open();
    assert_eq!((kinds(&first), first.link), (vec!["resync"], Link::Connecting));
    feed.push(event("e:1", "run.started", &["runs"]));
    feed.push(event("e:2", "run.finished", &["runs"]));
    assert_eq!(
        kinds(&next(&feed, first.page).await),
        ["run.started", "run.finished"]
    );
    let waiting = feed.next(first.page);
    tokio::pin!(waiting);
    assert!(timeout(Duration::from_millis(20), &mut waiting).await.is_err());
    feed.goto("/settings/about");
    let news = waiting.await.unwrap();
    assert_eq!(news.goto.as_deref(), Some("/settings/about"));
    assert!(news.events.is_empty());
}

#[tokio::test]
async fn a_new_page_ends_the_waiting_of_an_older_one() {
    let feed = Feed::new();
    let old = feed.open().page;
    let (ended, opened) = tokio::join!(feed.next(old), async { feed.open().page });
    assert_eq!(ended, None);
    assert_ne!(opened, old);
    assert_eq!(feed.next(old).await, None);
}

#[tokio::test]
async fn a_page_that_does_not_fetch_costs_a_bounded_memory() {
    let feed = Feed::new();
    let page = feed.open().page;
    for number in 0..10 * MOST {
        feed.push(event(&format!("e:{number}"), "run.finished", &["runs"]));
        assert!(feed.lock().events.len() <= MOST);
    }
    let news = next(&feed, page).await;
    assert_eq!(kinds(&news)[0], "resync", "what it missed is said");
    assert_eq!(news.events.last().unwrap().cursor, format!("e:{}", 10 * MOST - 1));
}

/// Accepts one listener and gives the address that it asked for.
async fn listener(socket: &UnixListener) -> (UnixStream, String) {
    let (mut stream, _) = timeout(SOON, socket.accept()).await.unwrap().unwrap();
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0);
    }
    let text = String::from_utf8(bytes).unwrap();
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        .await
        .unwrap();
    (stream, text.split(' ').nth(1).unwrap().to_owned())
}

async fn say(stream: &mut UnixStream, event: &WireEvent) {
    let line = serde_json::to_string(event).unwrap() + "\n";
    let chunk = format!("{:x}\r\n{line}\r\n", line.len());
    stream.write_all(chunk.as_bytes()).await.unwrap();
}

fn following(socket: &Path) -> (Arc<Server>, Arc<Feed>, tokio::task::JoinHandle<()>) {
    let server = Arc::new(Server::new(Lang::En));
    let feed = Arc::new(Feed::new());
    let task = tokio::spawn(follow(Client::new(socket), server.clone(), feed.clone()));
    (server, feed, task)
}

#[tokio::test]
async fn the_stream_goes_on_from_its_cursor_after_a_break() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pm.sock");
    let socket = UnixListener::bind(&path).unwrap();
    let (server, feed, task) = following(&path);
    let page = feed.open().page;

    let (mut stream, asked) = listener(&socket).await;
    assert_eq!(asked, "/api/events");
    say(&mut stream, &event("e1:4", "hello", &[])).await;
    assert_eq!(until(&feed, page, Link::Open).await, ["resync"]);
    say(&mut stream, &event("e1:5", "settings.changed", &["settings"])).await;
    assert_eq!(kinds(&next(&feed, page).await), ["settings.changed"]);
    // The language may be another: whoever keeps the server is woken.
    timeout(SOON, server.look.notified()).await.unwrap();

    drop(stream);
    until(&feed, page, Link::Lost).await;
    timeout(SOON, server.look.notified()).await.unwrap();
    let (mut stream, asked) = listener(&socket).await;
    assert_eq!(asked, "/api/events?cursor=e1:5");
    say(&mut stream, &event("e1:6", "run.finished", &["runs"])).await;
    say(&mut stream, &event("e1:6", "hello", &[])).await;
    assert_eq!(until(&feed, page, Link::Open).await, ["run.finished"]);
    task.abort();
}

#[tokio::test]
async fn a_stopped_server_is_not_knocked_at_until_it_starts() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("pm.sock");
    let (server, feed, task) = following(&path);
    let page = feed.open().page;
    server.tell(ServerState::Stopped);
    until(&feed, page, Link::Lost).await;
    let socket = UnixListener::bind(&path).unwrap();
    assert!(
        timeout(FIRST_WAIT * 3, socket.accept()).await.is_err(),
        "left alone"
    );
    server.tell(ServerState::Running { address: None });
    listener(&socket).await;
    task.abort();
}
