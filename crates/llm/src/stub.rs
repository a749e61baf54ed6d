//! A service on loopback that speaks all four protocols, for tests and for trying the product without
//! a model: a real server over HTTP, whose answers are written beforehand or follow from what it is
//! asked.
//!
//! Deliberately not here: anything that a model would know.

use crate::{Protocol, ToolCall};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Bytes of a request.
const REQUEST: usize = 4 << 20;
/// Between two pieces of an answer that nobody wrote beforehand: slow enough to be seen.
const PACE: Duration = Duration::from_millis(20);

/// What is done with one request.
#[derive(Clone, Debug)]
pub enum Play {
    /// A real answer: what stands between `<prompt>` and `</prompt>` in the last message, with a line
    /// after it, or an echo.
    Answer,
    /// A real answer of these pieces.
    Say(Vec<String>),
    /// The same, which then calls tools.
    Call(Vec<String>, Vec<ToolCall>),
    /// A status with headers and a body.
    Fail(u16, Vec<(&'static str, String)>, String),
    /// A body as it is, part by part with a pause after each.
    Raw {
        parts: Vec<Vec<u8>>,
        pause: Duration,
        then: Then,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The body ends as it should.
    End,
    /// The connection ends before the body does.
    Cut,
    /// Nothing more comes.
    Hang,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

/// Ends with this.
pub struct Stub {
    address: SocketAddr,
    state: Arc<State>,
    task: tokio::task::JoinHandle<()>,
}

/// What is done with a request, by its body.
pub type Script = dyn Fn(&Value) -> Play + Send + Sync;

struct State {
    plays: Mutex<VecDeque<Play>>,
    /// When there is no play left.
    script: Box<Script>,
    key: Option<String>,
    seen: watch::Sender<Vec<Seen>>,
    /// Connections that the client closed while an answer was on its way.
    left: watch::Sender<usize>,
}

impl Stub {
    /// Plays in their order, then [`Play::Answer`]. With a key, whoever has not got it is refused.
    pub async fn start(port: u16, plays: Vec<Play>, key: Option<&str>) -> io::Result<Stub> {
        Stub::begin(port, plays, key, Box::new(|_| Play::Answer)).await
    }

    /// Plays by what it is asked, whoever asks first.
    pub async fn scripted(
        port: u16,
        script: impl Fn(&Value) -> Play + Send + Sync + 'static,
    ) -> io::Result<Stub> {
        Stub::begin(port, Vec::new(), None, Box::new(script)).await
    }

    async fn begin(port: u16, plays: Vec<Play>, key: Option<&str>, script: Box<Script>) -> io::Result<Stub> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let state = Arc::new(State {
            plays: Mutex::new(plays.into()),
            script,
            key: key.map(str::to_owned),
            seen: watch::Sender::default(),
            left: watch::Sender::new(0),
        });
        Ok(Stub {
            address: listener.local_addr()?,
            task: tokio::spawn(accept(listener, state.clone())),
            state,
        })
    }

    /// What stands in the settings as the service's address.
    pub fn base_url(&self, protocol: Protocol) -> String {
        match protocol {
            Protocol::Ollama => format!("http://{}", self.address),
            Protocol::OpenAi | Protocol::Anthropic | Protocol::Gemini => {
                format!("http://{}/v1", self.address)
            }
        }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen.borrow().clone()
    }

    /// Resolves when so many requests have come.
    pub async fn asked(&self, count: usize) {
        let mut seen = self.state.seen.subscribe();
        // The sender is in `self.state`, here and below.
        let _ = seen.wait_for(|seen| seen.len() >= count).await;
    }

    /// Resolves when so many clients went away amid an answer.
    pub async fn left(&self, count: usize) {
        let mut left = self.state.left.subscribe();
        let _ = left.wait_for(|now| *now >= count).await;
    }

    /// Until somebody ends the program.
    pub async fn forever(mut self) {
        let _ = (&mut self.task).await;
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut open = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let state = state.clone();
        open.spawn(async move {
            if let Err(error) = serve(stream, &state).await {
                tracing::debug!(%error, "a request to the stub was cut off");
            }
        });
    }
}

async fn serve(mut stream: TcpStream, state: &State) -> io::Result<()> {
    let Some(seen) = request(&mut stream).await? else {
        return Ok(());
    };
    let allowed = match &state.key {
        Some(key) => seen
            .headers
            .iter()
            .any(|(_, value)| value.ends_with(key.as_str())),
        None => true,
    };
    let protocol = protocol(&seen.path);
    let body = seen.body.clone();
    state.seen.send_modify(|all| all.push(seen));
    let play = match (allowed, protocol) {
        (false, _) => Play::Fail(
            401,
            Vec::new(),
            json!({"error": {"message": "no such key"}}).to_string(),
        ),
        (true, None) => Play::Fail(
            404,
            Vec::new(),
            json!({"error": {"message": "no such path"}}).to_string(),
        ),
        (true, Some(_)) => {
            let next = lock(&state.plays).pop_front();
            next.unwrap_or_else(|| (state.script)(&body))
        }
    };
    let protocol = protocol.unwrap_or(Protocol::OpenAi);
    let (parts, pause, then) = match play {
        Play::Fail(status, headers, body) => return fail(&mut stream, status, &headers, &body).await,
        Play::Raw { parts, pause, then } => (parts, pause, then),
        Play::Say(texts) => (spoken(protocol, &texts), Duration::ZERO, Then::End),
        Play::Call(texts, calls) => (called(protocol, &texts, &calls), Duration::ZERO, Then::End),
        Play::Answer => (spoken(protocol, &answer(protocol, &body)), PACE, Then::End),
    };
    let kind = match protocol {
        Protocol::Ollama => "application/x-ndjson",
        Protocol::OpenAi | Protocol::Anthropic | Protocol::Gemini => "text/event-stream",
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    let (mut from, mut to) = stream.split();
    let gone = async {
        let mut rest = [0; 64];
        // Whatever it still says: its end is waited for.
        while matches!(from.read(&mut rest).await, Ok(count) if count > 0) {}
    };
    let speaking = async {
        for part in &parts {
            to.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
            to.write_all(part).await?;
            to.write_all(b"\r\n").await?;
            to.flush().await?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
        match then {
            Then::End => to.write_all(b"0\r\n\r\n").await,
            Then::Cut => Ok(()),
            Then::Hang => std::future::pending().await,
        }
    };
    let said = tokio::select! {
        said = speaking => said,
        () = gone => Err(io::ErrorKind::ConnectionAborted.into()),
    };
    // Who goes away is noticed by whichever comes first, the end of what it says or a write that fails.
    if said.is_err() {
        state.left.send_modify(|left| *left += 1);
    }
    said
}

async fn request(stream: &mut TcpStream) -> io::Result<Option<Seen>> {
    let mut bytes = Vec::new();
    let mut part = [0; 8192];
    loop {
        let count = stream.read(&mut part).await?;
        if count == 0 || bytes.len() > REQUEST {
            return Ok(None);
        }
        bytes.extend_from_slice(&part[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let path = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .unwrap_or_default()
            .to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default();
            return Ok(Some(Seen { path, headers, body }));
        }
    }
}

async fn fail(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], body: &str) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} No\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).await?;
    stream.shutdown().await
}

fn protocol(path: &str) -> Option<Protocol> {
    let path = path.split('?').next().unwrap_or_default();
    [
        ("/chat/completions", Protocol::OpenAi),
        ("/messages", Protocol::Anthropic),
        (":streamGenerateContent", Protocol::Gemini),
        ("/api/chat", Protocol::Ollama),
    ]
    .into_iter()
    .find_map(|(end, protocol)| path.ends_with(end).then_some(protocol))
}

/// Words, so that there is something to stream.
fn answer(protocol: Protocol, body: &Value) -> Vec<String> {
    let place = match protocol {
        Protocol::Gemini => body["contents"]
            .as_array()
            .and_then(|all| all.last()?.pointer("/parts/0/text")?.as_str()),
        _ => body["messages"]
            .as_array()
            .and_then(|all| all.last()?["content"].as_str()),
    };
    let asked = place.unwrap_or_default();
    let inner = asked
        .split_once("<prompt>\n")
        .and_then(|(_, rest)| rest.rsplit_once("\n</prompt>"));
    let said = match inner {
        Some((prompt, _)) => match prompt.rsplit_once("\n</message>") {
            // More than one message: the line belongs into the last.
            Some((before, after)) => format!("{before}\nAnswer briefly.\n</message>{after}"),
            None => format!("{prompt}\nAnswer briefly."),
        },
        None => format!("Echo: {asked}"),
    };
    said.split_inclusive(' ').map(str::to_owned).collect()
}

/// An answer of these pieces as the protocol has it, with a usage of 7 and 11 tokens.
pub fn spoken(protocol: Protocol, texts: &[String]) -> Vec<Vec<u8>> {
    called(protocol, texts, &[])
}

/// The same with calls of tools behind it. Where a protocol streams arguments, they come in two pieces.
pub fn called(protocol: Protocol, texts: &[String], calls: &[ToolCall]) -> Vec<Vec<u8>> {
    let events = match protocol {
        Protocol::OpenAi => openai(texts, calls),
        Protocol::Anthropic => anthropic(texts, calls),
        Protocol::Gemini => gemini(texts, calls),
        Protocol::Ollama => ollama(texts, calls),
    };
    events.into_iter().map(String::into_bytes).collect()
}

/// Somewhere in the middle.
fn halves(arguments: &str) -> (&str, &str) {
    arguments.split_at(arguments.floor_char_boundary(arguments.len() / 2))
}

/// Arguments as the protocols want them that carry JSON itself; what is none goes as text.
fn value(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into())
}

fn openai(texts: &[String], calls: &[ToolCall]) -> Vec<String> {
    let choice = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let said = texts.iter().map(|text| choice(json!({"content": text})));
    let called = calls.iter().enumerate().flat_map(|(at, call)| {
        let (first, rest) = halves(&call.arguments);
        let begin = json!({
            "index": at, "id": call.id, "type": "function",
            "function": {"name": call.name, "arguments": first},
        });
        let more = json!({"index": at, "function": {"arguments": rest}});
        [begin, more].map(|part| choice(json!({"tool_calls": [part]})))
    });
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 11}});
    let events = said.chain(called).chain([end, usage]);
    let events = events.map(|event| event.to_string()).chain(["[DONE]".to_owned()]);
    events.map(|data| format!("data: {data}\n\n")).collect()
}

fn anthropic(texts: &[String], calls: &[ToolCall]) -> Vec<String> {
    let start =
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}});
    let begin =
        |at: usize, block: Value| json!({"type": "content_block_start", "index": at, "content_block": block});
    let delta = |at: usize, delta: Value| json!({"type": "content_block_delta", "index": at, "delta": delta});
    let text = begin(0, json!({"type": "text", "text": ""}));
    let said = texts
        .iter()
        .map(|text| delta(0, json!({"type": "text_delta", "text": text})));
    let called = calls.iter().zip(1..).flat_map(|(call, at)| {
        let (first, rest) = halves(&call.arguments);
        let piece = |text: &str| delta(at, json!({"type": "input_json_delta", "partial_json": text}));
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        [
            begin(at, block),
            piece(first),
            piece(rest),
            json!({"type": "content_block_stop", "index": at}),
        ]
    });
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let last =
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 11}});
    let events = [start, text, json!({"type": "ping"})].into_iter().chain(said);
    let events = events
        .chain(called)
        .chain([last, json!({"type": "message_stop"})]);
    let kind = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
    events
        .map(|event| format!("event: {}\ndata: {event}\n\n", kind(&event)))
        .collect()
}

fn gemini(texts: &[String], calls: &[ToolCall]) -> Vec<String> {
    let parts = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let said = texts.iter().map(|text| parts(json!({"text": text})));
    let called = calls.iter().map(|call| {
        let mut part = json!({"functionCall": {"name": call.name, "args": value(&call.arguments)}});
        if let Some(mark) = &call.mark {
            part["thoughtSignature"] = mark.as_str().into();
        }
        parts(part)
    });
    let end = json!({
        "candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 11},
    });
    let events = said.chain(called).chain([end]);
    events.map(|event| format!("data: {event}\r\n\r\n")).collect()
}

fn ollama(texts: &[String], calls: &[ToolCall]) -> Vec<String> {
    let line = |message: Value| json!({"message": message, "done": false});
    let said = texts
        .iter()
        .map(|text| line(json!({"role": "assistant", "content": text})));
    let called = calls.iter().map(|call| {
        let function = json!({"name": call.name, "arguments": value(&call.arguments)});
        line(json!({"role": "assistant", "content": "", "tool_calls": [{"function": function}]}))
    });
    let end = json!({
        "message": {"content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 11,
    });
    let events = said.chain(called).chain([end]);
    events.map(|event| format!("{event}\n")).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
