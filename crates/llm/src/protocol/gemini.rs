//! `streamGenerateContent` of Gemini. The stream has no last event: it is whole when a reason to
//! finish came before its end.

use super::calls::{arguments, word};
use super::{Read, Reader, Request, Trouble, reason};
use crate::chat::{Chat, Finish, Message};
use crate::service::Service;
use crate::tools::{Picture, ToolCall};
use serde_json::{Value, json};

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let contents: Vec<Value> = chat.turns().map(turn).collect();
    let mut body = json!({"contents": contents});
    if let Some(system) = chat.system() {
        body["systemInstruction"] = json!({"parts": [{"text": system}]});
    }
    if !chat.tools().is_empty() {
        let described = chat.tools().iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters})
        });
        body["tools"] = json!([{"functionDeclarations": described.collect::<Vec<_>>()}]);
    }
    // The service itself lists them with this prefix.
    let model = service.model().trim_start_matches("models/");
    let mut url = service.at(&["models", &format!("{model}:streamGenerateContent")]);
    url.set_query(Some("alt=sse"));
    let key = service.key.as_ref();
    Request {
        url,
        headers: key
            .map(|key| ("x-goog-api-key", key.secret().to_owned()))
            .into_iter()
            .collect(),
        body,
    }
}

fn turn(messages: &[Message]) -> Value {
    let role = match messages {
        [Message::Assistant { .. }, ..] => "model",
        _ => "user",
    };
    json!({"role": role, "parts": messages.iter().flat_map(parts).collect::<Vec<_>>()})
}

fn parts(message: &Message) -> Vec<Value> {
    match message {
        Message::System(text) => vec![json!({"text": text})],
        Message::User { text, pictures } => {
            let shown = pictures.iter().map(
                |one| json!({"inlineData": {"mimeType": one.media_type(), "data": Picture::base64(one)}}),
            );
            let said = (pictures.is_empty() || !text.is_empty()).then(|| json!({"text": text}));
            shown.chain(said).collect()
        }
        Message::Assistant { text, calls } => {
            let said = (calls.is_empty() || !text.is_empty()).then(|| json!({"text": text}));
            said.into_iter().chain(calls.iter().map(called)).collect()
        }
        Message::Result(result) => {
            // A result is found by its tool and its place.
            let key = if result.is_error { "error" } else { "output" };
            vec![json!({"functionResponse": {"name": result.name, "response": {key: result.text}}})]
        }
    }
}

fn called(call: &ToolCall) -> Value {
    let mut part = json!({"functionCall": {"name": call.name, "args": call.object()}});
    if let Some(mark) = &call.mark {
        part["thoughtSignature"] = mark.as_str().into();
    }
    part
}

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    if let Some(error) = event.get("error") {
        let code = error.get("code").and_then(Value::as_u64);
        return Err(Trouble::Failed {
            status: code.and_then(|code| u16::try_from(code).ok()).unwrap_or(500),
            reason: reason(event).to_owned(),
        });
    }
    if let Some(usage) = event.get("usageMetadata") {
        reader.count(usage.get("promptTokenCount"), usage.get("candidatesTokenCount"));
    }
    if event.pointer("/promptFeedback/blockReason").is_some() {
        reader.finish = Some(Finish::Withheld);
    }
    match event
        .pointer("/candidates/0/finishReason")
        .and_then(Value::as_str)
    {
        None => {}
        Some("STOP") => reader.finish = Some(Finish::Done),
        Some("MAX_TOKENS") => reader.finish = Some(Finish::Length),
        Some(_) => reader.finish = Some(Finish::Withheld),
    }
    let parts = event
        .pointer("/candidates/0/content/parts")
        .and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        if let Some(made) = part.get("functionCall") {
            let call = reader.calls.begin(None)?;
            call.id = word(made.get("id"));
            call.name = word(made.get("name"));
            call.arguments = arguments(made.get("args"));
            call.mark = part
                .get("thoughtSignature")
                .and_then(Value::as_str)
                .map(str::to_owned);
        }
    }
    let said = parts
        .into_iter()
        .flatten()
        .filter(|part| part.get("thought") != Some(&Value::Bool(true)));
    let text: String = said.filter_map(|part| part.get("text")?.as_str()).collect();
    Ok(match text.is_empty() {
        true => Read::Nothing,
        false => Read::Text(text),
    })
}

/// A wrong key is a 400 here; its kind is in the details.
pub(super) fn is_about_the_key(body: &Value) -> bool {
    let details = body.pointer("/error/details").and_then(Value::as_array);
    details
        .into_iter()
        .flatten()
        .any(|detail| detail.get("reason").and_then(Value::as_str) == Some("API_KEY_INVALID"))
}
