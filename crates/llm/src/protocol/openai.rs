//! Chat completions: OpenAI's, and those of whoever speaks as it does.

use super::calls::word;
use super::{Read, Reader, Request, Trouble, reason, text};
use crate::chat::{Chat, Finish, Message};
use crate::service::Service;
use crate::tools::{Picture, Tool, ToolCall};
use serde_json::{Value, json};

/// The last event.
pub(super) const OVER: &str = "[DONE]";

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let messages: Vec<Value> = chat.messages().iter().map(message).collect();
    let mut body = json!({
        "model": service.model(),
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": messages,
    });
    if !chat.tools().is_empty() {
        body["tools"] = tools(chat.tools());
    }
    Request {
        url: service.at(&["chat", "completions"]),
        headers: bearer(service),
        body,
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User { text, pictures } if pictures.is_empty() => json!({"role": "user", "content": text}),
        Message::User { text, pictures } => {
            let shown = pictures.iter().map(|one| {
                let url = format!("data:{};base64,{}", one.media_type(), Picture::base64(one));
                json!({"type": "image_url", "image_url": {"url": url}})
            });
            let said = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
            json!({"role": "user", "content": said.into_iter().chain(shown).collect::<Vec<_>>()})
        }
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let text = (!text.is_empty()).then_some(text);
            let calls: Vec<Value> = calls.iter().map(call).collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Message::Result(result) => {
            json!({"role": "tool", "tool_call_id": result.call, "content": result.text})
        }
    }
}

fn call(call: &ToolCall) -> Value {
    // Some services refuse a conversation with arguments that are none, so that it could never go on.
    let arguments = Value::from(call.object()).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

pub(super) fn tools(tools: &[Tool]) -> Value {
    let described = tools.iter().map(|tool| {
        json!({"type": "function", "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        }})
    });
    described.collect()
}

pub(super) fn bearer(service: &Service) -> Vec<(&'static str, String)> {
    let key = service.key.as_ref();
    key.map(|key| ("authorization", format!("Bearer {}", key.secret())))
        .into_iter()
        .collect()
}

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
        return Err(Trouble::Failed {
            status: status(error),
            reason: reason(event).to_owned(),
        });
    }
    if let Some(usage) = event.get("usage") {
        reader.count(usage.get("prompt_tokens"), usage.get("completion_tokens"));
    }
    let Some(choice) = event.pointer("/choices/0") else {
        return Ok(Read::Nothing);
    };
    match choice.get("finish_reason").and_then(Value::as_str) {
        None => {}
        Some("length") => reader.finish = Some(Finish::Length),
        Some("content_filter") => reader.finish = Some(Finish::Withheld),
        Some(_) => reader.finish = Some(Finish::Done),
    }
    let calls = choice.pointer("/delta/tool_calls").and_then(Value::as_array);
    for part in calls.into_iter().flatten() {
        called(reader, part)?;
    }
    Ok(text(choice.pointer("/delta/content")))
}

/// A part of a call. What belongs together has the same place; services that have no places, or one for all,
/// begin a call with its id.
fn called(reader: &mut Reader, part: &Value) -> Result<(), Trouble> {
    let place = part.get("index").and_then(Value::as_u64);
    let id = word(part.get("id"));
    let known = reader
        .calls
        .at(place)
        .filter(|call| id.is_empty() || call.id == id);
    let call = match known {
        Some(call) => call,
        None => reader.calls.begin(place)?,
    };
    if call.id.is_empty() {
        call.id = id;
    }
    let function = part.get("function");
    call.name
        .push_str(&word(function.and_then(|one| one.get("name"))));
    let more = super::calls::arguments(function.and_then(|one| one.get("arguments")));
    call.arguments.push_str(&more);
    Ok(())
}

/// The status that an error amid the answer would have had.
fn status(error: &Value) -> u16 {
    let number = error.get("code").and_then(Value::as_u64);
    if let Some(status) = number.and_then(|number| u16::try_from(number).ok()) {
        return status;
    }
    let kinds = [error.get("code"), error.get("type")];
    let mut kinds = kinds.into_iter().flatten().filter_map(Value::as_str);
    kinds
        .find_map(|kind| match kind {
            "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" => Some(429),
            "invalid_api_key" | "authentication_error" => Some(401),
            "model_not_found" => Some(404),
            "invalid_request_error" | "context_length_exceeded" => Some(400),
            _ => None,
        })
        .unwrap_or(500)
}
