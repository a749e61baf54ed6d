//! The command as the window calls it, against a real socket.

use super::*;
use serde_json::json;
use std::path::Path;
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, get_ipc_response, mock_builder, mock_context, noop_assets};
use tauri::webview::InvokeRequest;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

/// Answers every request on `socket` with `status` and an object made from it.
fn respond(socket: &Path, status: &'static str, answer: fn(&str, Value) -> Value) {
    let socket = socket.to_owned();
    let (ready, is_ready) = std::sync::mpsc::channel();
    tauri::async_runtime::spawn(async move {
        let listener = UnixListener::bind(socket).unwrap();
        ready.send(()).unwrap();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let (path, body) = read_request(&mut stream).await;
            let body = answer(&path, body).to_string();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).await.unwrap();
        }
    });
    is_ready.recv().unwrap();
}

async fn read_request(stream: &mut UnixStream) -> (String, Value) {
    let mut bytes = Vec::new();
    loop {
        let read = stream.read_buf(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                let path = head.split(' ').nth(1).unwrap().to_owned();
                return (path, serde_json::from_str(body).unwrap());
            }
        }
        assert_ne!(read, 0, "request ended early: {text}");
    }
}

type Window = tauri::WebviewWindow<tauri::test::MockRuntime>;

fn window(socket: &Path) -> Window {
    let app = mock_builder()
        .manage(Client::new(socket))
        .manage(OpenCalls::new())
        .manage(Arc::new(Feed::new()))
        .invoke_handler(tauri::generate_handler![call, cancel_call, news])
        .build(mock_context(noop_assets()))
        .unwrap();
    tauri::WebviewWindowBuilder::new(&app, "main", Default::default())
        .build()
        .unwrap()
}

/// What the page gets from `invoke(command, body)`.
fn invoke_on(window: &Window, command: &str, body: Value) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: CallbackFn(0),
        error: CallbackFn(1),
        url: "tauri://localhost".parse().unwrap(),
        body: InvokeBody::Json(body),
        headers: Default::default(),
        invoke_key: INVOKE_KEY.to_owned(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().unwrap())
}

fn invoke(socket: &Path, name: &str, params: Value) -> Result<Value, Value> {
    invoke_on(
        &window(socket),
        "call",
        json!({ "id": "1", "name": name, "params": params }),
    )
}

#[test]
fn passes_parameters_on_and_the_result_back() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    respond(
        &socket,
        "200 OK",
        |path, body| json!({ "path": path, "got": body }),
    );
    assert_eq!(
        invoke(&socket, "tool.manual", json!({ "tool": "文件" })),
        Ok(json!({ "path": "/api/tool.manual", "got": { "tool": "文件" } }))
    );
}

#[test]
fn passes_worded_errors_through_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    respond(
        &socket,
        "404 Not Found",
        |_, _| json!({ "code": "tool_not_found", "message": "没有这个工具", "hint": "pm tool list", "args": { "tool": "x" } }),
    );
    assert_eq!(
        invoke(&socket, "tool.show", json!({ "tool": "x" })),
        Err(
            json!({ "code": "tool_not_found", "message": "没有这个工具", "hint": "pm tool list", "args": { "tool": "x" } })
        )
    );
}

#[test]
fn failures_on_the_way_have_a_code_and_no_words() {
    let dir = tempfile::tempdir().unwrap();
    let nobody = dir.path().join("pm.sock");
    let error = invoke(&nobody, "server.hello", json!({})).unwrap_err();
    assert_eq!(error["code"], "server_not_running");
    assert_eq!(error["message"], "");

    let broken = dir.path().join("broken.sock");
    respond(&broken, "502 Bad Gateway", |_, _| json!("not an error object"));
    let error = invoke(&broken, "server.hello", json!({})).unwrap_err();
    assert_eq!(error["code"], "bad_answer");
}

#[test]
fn a_cancelled_call_is_answered_at_once_and_its_connection_closed() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    let (closed, is_closed) = std::sync::mpsc::channel();
    let (asked, is_asked) = std::sync::mpsc::channel();
    let path = socket.clone();
    let (ready, is_ready) = std::sync::mpsc::channel();
    tauri::async_runtime::spawn(async move {
        let listener = UnixListener::bind(path).unwrap();
        ready.send(()).unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await;
        asked.send(()).unwrap();
        // Never answers: ends when the other side is closed.
        stream.read_to_end(&mut Vec::new()).await.unwrap();
        closed.send(()).unwrap();
    });
    is_ready.recv().unwrap();
    let window = window(&socket);
    let caller = window.clone();
    let call = std::thread::spawn(move || {
        invoke_on(
            &caller,
            "call",
            json!({ "id": "seven", "name": "log.window", "params": {} }),
        )
    });
    is_asked.recv().unwrap();
    let cancel = |id: &str| invoke_on(&window, "cancel_call", json!({ "id": id }));
    assert_eq!(cancel("another"), Ok(Value::Null));
    assert!(!call.is_finished());
    assert_eq!(cancel("seven"), Ok(Value::Null));
    assert_eq!(call.join().unwrap().unwrap_err()["code"], "call_cancelled");
    is_closed.recv().unwrap();
}

#[test]
fn a_page_that_is_gone_takes_its_calls_with_it() {
    let open = OpenCalls::new();
    let (one, two) = (open.enter("1".to_owned()), open.enter("2".to_owned()));
    open.cancel_all();
    tauri::async_runtime::block_on(async {
        one.cancelled.notified().await;
        two.cancelled.notified().await;
    });
    // A reloaded page may give the same names again.
    let again = open.enter("2".to_owned());
    drop(two);
    assert!(open.lock().open.contains_key("2"));
    drop((one, again));
    assert!(open.lock().open.is_empty());
}

#[test]
fn a_cancel_that_overtakes_its_call_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    // Nobody listens there: a call that began would fail in another way.
    let window = window(&dir.path().join("pm.sock"));
    assert_eq!(
        invoke_on(&window, "cancel_call", json!({ "id": "early" })),
        Ok(Value::Null)
    );
    let call = |id: &str| {
        let body = json!({ "id": id, "name": "server.hello", "params": {} });
        invoke_on(&window, "call", body).unwrap_err()["code"].clone()
    };
    assert_eq!(call("early"), "call_cancelled");
    assert_eq!(call("early"), "server_not_running", "one cancel, one call");
    assert_eq!(call("another"), "server_not_running");
}

#[test]
fn cancels_without_a_call_are_remembered_for_a_while_only() {
    let open = OpenCalls::new();
    for id in 0..1000 {
        open.cancel(&id.to_string());
    }
    assert_eq!(open.lock().early.len(), EARLY);
    assert_eq!(open.lock().early.back().map(String::as_str), Some("999"));
}

#[test]
fn a_change_is_asked_for_again_under_the_key_of_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("pm.sock");
    let (heads, seen) = std::sync::mpsc::channel();
    let (ready, is_ready) = std::sync::mpsc::channel();
    let path = socket.clone();
    tauri::async_runtime::spawn(async move {
        let listener = UnixListener::bind(path).unwrap();
        ready.send(()).unwrap();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            while !String::from_utf8_lossy(&bytes).contains("\r\n\r\n") {
                assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0);
            }
            heads
                .send(String::from_utf8_lossy(&bytes).to_ascii_lowercase())
                .unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(answer).await.unwrap();
        }
    });
    is_ready.recv().unwrap();
    let window = window(&socket);
    for again in [false, true] {
        let body =
            json!({ "id": "1", "name": "tool.run", "params": {}, "repeat": { "key": "k1", "again": again } });
        assert_eq!(invoke_on(&window, "call", body), Ok(json!({})));
        let head = seen.recv().unwrap();
        assert!(head.contains("idempotency-key: k1\r\n"), "{head}");
        assert_eq!(head.contains("idempotency-again"), again, "{head}");
    }
}

#[test]
fn news_are_for_the_newest_page() {
    let dir = tempfile::tempdir().unwrap();
    let window = window(&dir.path().join("pm.sock"));
    let first = invoke_on(&window, "news", json!({})).unwrap();
    assert_eq!(first["link"], "connecting");
    assert_eq!(first["events"][0]["kind"], "resync");
    let second = invoke_on(&window, "news", json!({})).unwrap();
    assert_ne!(second["page"], first["page"]);
    assert_eq!(
        invoke_on(&window, "news", json!({ "page": first["page"] })),
        Ok(Value::Null)
    );
}
