//! Every protocol against a real server on loopback: streams, failures, limits, and going away.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base::settings::ModelService;
use base::{Coded, Failure};
use llm::stub::{Play, Stub, Then, spoken};
use llm::{
    Chat, End, Finish, Key, Limits, Message, ModelError, Models, Picture, Piece, Protocol, Role, Service,
    Tool, ToolCall, ToolResult, Usage,
};
use serde_json::json;
use std::time::{Duration, Instant};

const ALL: [Protocol; 4] = [
    Protocol::OpenAi,
    Protocol::Anthropic,
    Protocol::Gemini,
    Protocol::Ollama,
];
const WHOLE: End = End {
    finish: Finish::Done,
    usage: Usage {
        input: Some(7),
        output: Some(11),
    },
};

struct Scene {
    stub: Stub,
    models: Models,
    limits: Limits,
}

impl Scene {
    async fn new(plays: Vec<Play>) -> Self {
        Scene {
            stub: Stub::start(0, plays, Some("sk-right")).await.unwrap(),
            models: Models::default(),
            limits: Limits {
                pause: Duration::from_millis(1),
                ..Limits::default()
            },
        }
    }

    fn service(&self, protocol: Protocol) -> Service {
        service(&self.stub.base_url(protocol), protocol, "sk-right")
    }

    /// Until a client has gone away amid an answer.
    async fn left(&self) {
        let left = tokio::time::timeout(Duration::from_secs(30), self.stub.left(1));
        left.await.expect("the connection stays open");
    }

    async fn ask(&self, protocol: Protocol) -> Result<(String, End), ModelError> {
        self.hear(&self.service(protocol)).await
    }

    async fn hear(&self, service: &Service) -> Result<(String, End), ModelError> {
        let mut answer = self.models.ask(service, &hello(), &self.limits).await?;
        let mut said = String::new();
        loop {
            match answer.next().await? {
                Some(Piece::Text(text)) => said.push_str(&text),
                Some(Piece::Call(call)) => panic!("nobody offered {call:?}"),
                Some(Piece::End(end)) => {
                    assert_eq!(answer.next().await?, None, "nothing comes after the end");
                    return Ok((said, end));
                }
                None => panic!("no end"),
            }
        }
    }
}

fn service(base: &str, protocol: Protocol, key: &str) -> Service {
    let described = ModelService {
        name: "stub".to_owned(),
        protocol,
        base_url: Some(base.to_owned()),
        model: "m".to_owned(),
        terms: base::settings::ModelTerms::default(),
    };
    Service::new(&described, Some(Key::new(key).unwrap())).unwrap()
}

fn hello() -> Chat {
    Chat::new(vec![Message::new(Role::User, "hello 你好")])
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(str::to_owned).collect()
}

fn raw(parts: Vec<Vec<u8>>, pause: Duration, then: Then) -> Play {
    Play::Raw { parts, pause, then }
}

fn fails(status: u16, headers: Vec<(&'static str, String)>) -> Play {
    Play::Fail(
        status,
        headers,
        "{\"error\": {\"message\": \"sk-right is no\"}}".to_owned(),
    )
}

#[tokio::test]
async fn each_protocol_streams_its_answer_and_what_it_used() {
    for protocol in ALL {
        let scene = Scene::new(vec![Play::Say(words("one two 三🙂 four"))]).await;
        let (said, end) = scene.ask(protocol).await.unwrap();
        assert_eq!((said.as_str(), end), ("one two 三🙂 four", WHOLE), "{protocol:?}");
        let seen = scene.stub.seen();
        assert_eq!(seen.len(), 1);
        assert!(seen[0].body.to_string().contains("hello 你好"));
        assert!(!seen[0].path.contains("sk-right"));
        // The stub's own answer, as the product's tests see it.
        assert_eq!(scene.ask(protocol).await.unwrap().0, "Echo: hello 你好");
    }
}

#[tokio::test]
async fn where_the_network_cuts_an_answer_makes_no_difference() {
    for protocol in ALL {
        let whole = spoken(protocol, &words("你好 🙂")).concat();
        let bytes: Vec<Vec<u8>> = whole.iter().map(|byte| vec![*byte]).collect();
        let scene = Scene::new(vec![raw(bytes, Duration::ZERO, Then::End)]).await;
        assert_eq!(
            scene.ask(protocol).await.unwrap(),
            ("你好 🙂".to_owned(), WHOLE),
            "{protocol:?}"
        );
    }
}

#[tokio::test]
async fn a_wrong_key_is_told_by_its_status_and_never_repeated() {
    let scene = Scene::new(Vec::new()).await;
    for protocol in ALL {
        let wrong = service(&scene.stub.base_url(protocol), protocol, "sk-wrong");
        let error = scene.hear(&wrong).await.unwrap_err();
        assert_eq!(error.code(), "model_unauthorized");
        assert!(!format!("{:?} {wrong:?}", Failure::of(&error)).contains("sk-wrong"));
    }
    assert_eq!(
        scene.stub.seen().len(),
        ALL.len(),
        "nobody tries a wrong key again"
    );
}

#[tokio::test]
async fn statuses_become_codes() {
    for (status, code, asked) in [
        (400, "model_refused", 1),
        (404, "model_not_found", 1),
        (307, "model_refused", 1),
        (429, "model_rate_limited", 4),
        (503, "model_unavailable", 4),
    ] {
        let elsewhere = vec![("location", "http://127.0.0.1:9/".to_owned())];
        let scene = Scene::new(vec![fails(status, elsewhere); 4]).await;
        let error = scene.ask(Protocol::OpenAi).await.unwrap_err();
        assert_eq!((error.code(), scene.stub.seen().len()), (code, asked), "{status}");
        assert!(!format!("{:?}", Failure::of(&error)).contains("sk-right"));
    }
}

#[tokio::test]
async fn what_passes_is_tried_again_and_when_the_service_says_so() {
    for protocol in ALL {
        let wait = vec![("retry-after", "1".to_owned())];
        let cut = raw(Vec::new(), Duration::ZERO, Then::Cut);
        let scene = Scene::new(vec![fails(429, wait), cut, Play::Say(words("at last"))]).await;
        let begun = Instant::now();
        assert_eq!(scene.ask(protocol).await.unwrap().0, "at last", "{protocol:?}");
        assert!(
            begun.elapsed() >= Duration::from_secs(1),
            "Retry-After was not kept"
        );
        assert_eq!(scene.stub.seen().len(), 3);
    }
    // Longer than anybody waits: the error says how long.
    let scene = Scene::new(vec![fails(429, vec![("retry-after", "3600".to_owned())])]).await;
    let error = Failure::of(&scene.ask(Protocol::OpenAi).await.unwrap_err());
    assert_eq!(
        (error.code.as_str(), error.args["seconds"].as_u64()),
        ("model_rate_limited", Some(3600))
    );
    assert_eq!(scene.stub.seen().len(), 1);
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_no_answer_and_is_not_asked_for_again() {
    for protocol in ALL {
        let mut parts = spoken(protocol, &words("one two"));
        // The end, and for those that have one the event before it that says why.
        let ends = if matches!(protocol, Protocol::OpenAi) {
            3
        } else {
            2
        };
        parts.truncate(parts.len() - ends.min(parts.len() - 1));
        for then in [Then::End, Then::Cut] {
            let scene = Scene::new(vec![raw(parts.clone(), Duration::ZERO, then)]).await;
            let mut answer = scene
                .models
                .ask(&scene.service(protocol), &hello(), &scene.limits)
                .await
                .unwrap();
            let mut said = String::new();
            let error = loop {
                match answer.next().await {
                    Ok(Some(Piece::Text(text))) => said.push_str(&text),
                    Ok(other) => panic!("{protocol:?}: {other:?}"),
                    Err(error) => break error,
                }
            };
            assert_eq!(error.code(), "model_cut_off", "{protocol:?} {then:?}");
            assert!(said.starts_with("one "), "what came was given: {said}");
            assert_eq!(scene.stub.seen().len(), 1);
        }
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_told_so() {
    // Bound and not listening it refuses, and nobody else is given its port.
    let silent = tokio::net::TcpSocket::new_v4().unwrap();
    silent.bind((std::net::Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let free = silent.local_addr().unwrap();
    let scene = Scene::new(Vec::new()).await;
    let nobody = service(&format!("http://{free}"), Protocol::Ollama, "k");
    let error = Failure::of(&scene.hear(&nobody).await.unwrap_err());
    assert_eq!(error.code, "model_unreachable");
    assert_eq!(error.args["address"], format!("http://{free}"));
}

#[tokio::test]
async fn a_key_is_asked_for_before_anything_is_sent() {
    let described = ModelService {
        name: "maker".to_owned(),
        protocol: Protocol::Anthropic,
        base_url: None,
        model: "m".to_owned(),
        terms: base::settings::ModelTerms::default(),
    };
    let keyless = Service::new(&described, None).unwrap();
    let error = Models::default()
        .ask(&keyless, &hello(), &Limits::default())
        .await
        .err()
        .unwrap();
    assert_eq!(error.code(), "model_key_missing");
}

#[tokio::test]
async fn going_away_closes_the_connection() {
    for protocol in ALL {
        let parts = spoken(protocol, &words("one two"));
        let scene = Scene::new(vec![raw(
            parts[..parts.len() - 2].to_vec(),
            Duration::ZERO,
            Then::Hang,
        )])
        .await;
        let mut answer = scene
            .models
            .ask(&scene.service(protocol), &hello(), &scene.limits)
            .await
            .unwrap();
        assert!(matches!(answer.next().await.unwrap(), Some(Piece::Text(_))));
        drop(answer);
        scene.left().await;
    }
    // Before the first piece as well.
    let scene = Scene::new(vec![raw(Vec::new(), Duration::ZERO, Then::Hang)]).await;
    let service = scene.service(Protocol::OpenAi);
    let chat = hello();
    tokio::select! {
        answered = scene.models.ask(&service, &chat, &scene.limits) => panic!("{:?}", answered.err()),
        () = scene.stub.asked(1) => {}
    }
    scene.left().await;
}

#[tokio::test]
async fn silence_and_dribble_have_an_end() {
    let dribble: Vec<Vec<u8>> = std::iter::repeat_n(b"x".to_vec(), 10_000).collect();
    for (parts, pause) in [(Vec::new(), Duration::ZERO), (dribble, Duration::from_millis(5))] {
        let mut scene = Scene::new(vec![raw(parts, pause, Then::Hang)]).await;
        scene.limits.silence = Duration::from_secs(1);
        let error = scene.ask(Protocol::OpenAi).await.unwrap_err();
        assert_eq!(error.code(), "model_silent");
        scene.left().await;
        assert_eq!(scene.stub.seen().len(), 1, "who is slow is not asked twice");
    }
}

#[tokio::test]
async fn words_without_end_have_an_end() {
    let word = format!(
        "data: {}\n\n",
        serde_json::json!({"choices": [{"delta": {"content": "x"}}]})
    );
    let parts = vec![word.into_bytes(); 100_000];
    let mut scene = Scene::new(vec![raw(parts, Duration::from_millis(5), Then::Hang)]).await;
    scene.limits.total = Duration::from_secs(1);
    let error = scene.ask(Protocol::OpenAi).await.unwrap_err();
    assert_eq!(error.code(), "model_timeout");
    scene.left().await;
}

#[tokio::test]
async fn a_giant_answer_is_not_kept() {
    for protocol in ALL {
        // In words, …
        let mut scene = Scene::new(vec![Play::Say(vec!["x".repeat(1000); 100])]).await;
        scene.limits.text = 10_000;
        let error = scene.ask(protocol).await.unwrap_err();
        assert_eq!(error.code(), "model_answer_too_long", "{protocol:?}");
        // … and in one event that does not end.
        let endless = raw(vec![vec![b'x'; 64 * 1024]; 40], Duration::ZERO, Then::Hang);
        let scene = Scene::new(vec![endless]).await;
        let error = scene.ask(protocol).await.unwrap_err();
        assert_eq!(error.code(), "model_answer_too_long", "{protocol:?}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_said_to_be_none() {
    for protocol in ALL {
        let parts = vec![b"data: {\"a\": \n\n".to_vec()];
        let scene = Scene::new(vec![raw(parts, Duration::ZERO, Then::End)]).await;
        let error = scene.ask(protocol).await.unwrap_err();
        assert_eq!(error.code(), "model_answer_unreadable", "{protocol:?}");
    }
    let mut page = fails(200, vec![("content-type", "text/html; charset=utf-8".to_owned())]);
    if let Play::Fail(_, _, body) = &mut page {
        *body = "<html>".to_owned();
    }
    let scene = Scene::new(vec![page]).await;
    let error = scene.ask(Protocol::OpenAi).await.unwrap_err();
    assert_eq!(error.code(), "model_answer_unreadable");
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        mark: None,
    }
}

fn reader() -> Vec<Tool> {
    vec![Tool {
        name: "read_file".to_owned(),
        description: "Reads a file".to_owned(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
    }]
}

/// The text, the calls and the end of an answer.
async fn turn(
    scene: &Scene,
    protocol: Protocol,
    chat: &Chat,
) -> Result<(String, Vec<ToolCall>, End), ModelError> {
    let mut answer = scene
        .models
        .ask(&scene.service(protocol), chat, &scene.limits)
        .await?;
    let (mut said, mut calls) = (String::new(), Vec::new());
    loop {
        match answer.next().await? {
            Some(Piece::Text(text)) => {
                assert_eq!(calls, [], "text behind calls");
                said.push_str(&text);
            }
            Some(Piece::Call(call)) => calls.push(call),
            Some(Piece::End(end)) => return Ok((said, calls, end)),
            None => panic!("no end"),
        }
    }
}

#[tokio::test]
async fn calls_of_tools_come_whole_and_their_results_go_back() {
    let made = vec![
        call("a1", "read_file", "{\"path\":\"文件.txt\"}"),
        call("a2", "read_file", "{\"path\":"),
        call("a3", "list", ""),
    ];
    for protocol in ALL {
        let plays = vec![
            Play::Call(words("I look"), made.clone()),
            Play::Say(words("done")),
        ];
        let scene = Scene::new(plays).await;
        let chat = Chat::new(vec![Message::new(Role::User, "look")]).with_tools(reader());
        let (said, calls, end) = turn(&scene, protocol, &chat).await.unwrap();
        assert_eq!(
            (said.as_str(), end.finish),
            ("I look", Finish::Calls),
            "{protocol:?}"
        );
        assert_eq!(end.usage, WHOLE.usage);
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["read_file", "read_file", "list"], "{protocol:?}");
        assert_eq!(json!(calls[0].parsed().unwrap()), json!({"path": "文件.txt"}));
        // What the model wrote and is no JSON is the caller's to answer.
        assert_eq!(calls[1].arguments, "{\"path\":", "{protocol:?}");
        assert!(calls[1].parsed().is_err() && calls[2].parsed().unwrap().is_empty());
        assert!(calls[0].id != calls[1].id && calls[1].id != calls[2].id);

        let gave = calls
            .iter()
            .zip(["hello", "no JSON", "a\nb"])
            .map(|(call, text)| {
                Message::Result(ToolResult {
                    call: call.id.clone(),
                    name: call.name.clone(),
                    text: text.to_owned(),
                    is_error: text == "no JSON",
                })
            });
        let mut messages = vec![Message::new(Role::User, "look")];
        messages.push(Message::Assistant {
            text: said,
            calls: calls.clone(),
        });
        messages.extend(gave);
        let chat = Chat::new(messages).with_tools(reader());
        let (said, calls, end) = turn(&scene, protocol, &chat).await.unwrap();
        assert_eq!(
            (said.as_str(), calls.len(), end.finish),
            ("done", 0, Finish::Done)
        );
        let seen = &scene.stub.seen()[1].body;
        assert_results(protocol, seen);
    }
}

/// Results stand where each protocol looks for them, and what was no object is one.
fn assert_results(protocol: Protocol, body: &serde_json::Value) {
    let unreadable = json!({"unreadable": "{\"path\":"});
    match protocol {
        Protocol::OpenAi => {
            let called = &body["messages"][1]["tool_calls"];
            assert_eq!(called[1]["function"]["arguments"], unreadable.to_string());
            assert_eq!(body["messages"][3]["tool_call_id"], "a2");
            assert_eq!(
                body["messages"][4],
                json!({"role": "tool", "tool_call_id": "a3", "content": "a\nb"})
            );
            assert_eq!(body["tools"][0]["function"]["name"], "read_file");
        }
        Protocol::Anthropic => {
            assert_eq!(body["messages"][1]["content"][2]["input"], unreadable);
            let results = body["messages"][2]["content"].as_array().unwrap();
            assert_eq!(results.len(), 3, "together in one message");
            assert_eq!(
                (&results[1]["tool_use_id"], &results[1]["is_error"]),
                (&json!("a2"), &json!(true))
            );
            assert_eq!(body["tools"][0]["input_schema"]["type"], "object");
        }
        Protocol::Gemini => {
            assert_eq!(
                body["contents"][1]["parts"][2]["functionCall"]["args"],
                unreadable
            );
            let results = body["contents"][2]["parts"].as_array().unwrap();
            assert_eq!(
                results[0]["functionResponse"]["response"],
                json!({"output": "hello"})
            );
            assert_eq!(
                results[1]["functionResponse"]["response"],
                json!({"error": "no JSON"})
            );
            assert_eq!(body["tools"][0]["functionDeclarations"][0]["name"], "read_file");
        }
        Protocol::Ollama => {
            assert_eq!(
                body["messages"][1]["tool_calls"][1]["function"]["arguments"],
                unreadable
            );
            assert_eq!(
                body["messages"][2],
                json!({"role": "tool", "tool_name": "read_file", "content": "hello"})
            );
            assert_eq!(body["tools"][0]["function"]["description"], "Reads a file");
        }
    }
}

#[tokio::test]
async fn pictures_are_shown_and_marks_go_back() {
    let picture = Picture::new(*b"\x89PNG\r\n\x1a\n").unwrap();
    for protocol in ALL {
        let marked = ToolCall {
            mark: Some("c2ln".to_owned()),
            ..call("a1", "t", "{}")
        };
        let scene = Scene::new(vec![Play::Call(Vec::new(), vec![marked]), Play::Answer]).await;
        let look = Message::User {
            text: "what is it?".to_owned(),
            pictures: vec![picture.clone()],
        };
        let chat = Chat::new(vec![look.clone()]).with_tools(reader());
        let (said, calls, _) = turn(&scene, protocol, &chat).await.unwrap();
        assert_eq!((said.as_str(), calls.len()), ("", 1));
        let seen = scene.stub.seen()[0].body.to_string();
        assert!(
            seen.contains("iVBORw0KGgo=") && seen.contains("what is it?"),
            "{protocol:?}: {seen}"
        );
        let expected = (protocol == Protocol::Gemini).then(|| "c2ln".to_owned());
        assert_eq!(calls[0].mark, expected, "{protocol:?}");
        let again = Chat::new(vec![look, Message::Assistant { text: said, calls }]);
        turn(&scene, protocol, &again).await.unwrap();
        let seen = scene.stub.seen()[1].body.to_string();
        assert_eq!(seen.contains("\"thoughtSignature\":\"c2ln\""), expected.is_some());
    }
}

#[tokio::test]
async fn calls_have_the_limit_of_text() {
    for protocol in ALL {
        let large = call("a", "t", &json!({"x": "y".repeat(5000)}).to_string());
        let mut scene = Scene::new(vec![Play::Call(Vec::new(), vec![large.clone()]); 2]).await;
        scene.limits.text = 6000;
        let chat = hello().with_tools(reader());
        assert_eq!(turn(&scene, protocol, &chat).await.unwrap().1.len(), 1);
        scene.limits.text = 5000;
        let failed = turn(&scene, protocol, &chat).await.unwrap_err();
        assert!(
            matches!(failed, ModelError::TooLong { limit: 5000, .. }),
            "{protocol:?}: {failed:?}"
        );
    }
}

/// As some services speak that take OpenAI's words: whole calls without a place, or all at one.
#[tokio::test]
async fn calls_without_places_are_told_apart_by_their_ids() {
    for places in [[None, None], [Some(0), Some(0)]] {
        let events = ["x", "y"].iter().zip(places).map(|(id, place)| {
            let mut part = json!({"id": id, "function": {"name": id, "arguments": "{}"}});
            if let Some(place) = place {
                part["index"] = json!(place);
            }
            json!({"choices": [{"delta": {"tool_calls": [part]}}]})
        });
        let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
        let body = events
            .chain([end])
            .map(|event| format!("data: {event}\n\n").into_bytes());
        let scene = Scene::new(vec![raw(body.collect(), Duration::ZERO, Then::End)]).await;
        let chat = hello().with_tools(reader());
        let (_, calls, end) = turn(&scene, Protocol::OpenAi, &chat).await.unwrap();
        let known: Vec<_> = calls
            .iter()
            .map(|call| (call.id.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(
            (known, end.finish),
            (vec![("x", "{}"), ("y", "{}")], Finish::Calls)
        );
    }
}
