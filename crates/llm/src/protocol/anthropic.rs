//! Messages of Anthropic.

use super::calls::word;
use super::{Read, Reader, Request, Trouble, reason, text};
use crate::chat::{Chat, Finish, Message};
use crate::service::Service;
use crate::tools::Picture;
use serde_json::{Value, json};

const VERSION: &str = "2023-06-01";
/// The protocol wants a limit; every model that is offered allows this one, where nobody says more.
const MAX_TOKENS: u32 = 8192;

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let turns: Vec<Value> = chat.turns().map(turn).collect();
    let mut body = json!({
        "model": service.model(),
        "max_tokens": service.terms().output.unwrap_or(MAX_TOKENS),
        "stream": true,
        "messages": turns,
    });
    if let Some(system) = chat.system() {
        body["system"] = system.into();
    }
    if !chat.tools().is_empty() {
        let described = chat.tools().iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
        });
        body["tools"] = described.collect();
    }
    let mut headers = vec![("anthropic-version", VERSION.to_owned())];
    headers.extend(
        service
            .key
            .as_ref()
            .map(|key| ("x-api-key", key.secret().to_owned())),
    );
    Request {
        url: service.at(&["messages"]),
        headers,
        body,
    }
}

fn turn(messages: &[Message]) -> Value {
    let role = match messages {
        [Message::Assistant { .. }, ..] => "assistant",
        _ => "user",
    };
    let content: Value = match messages {
        [Message::User { text, pictures }] if pictures.is_empty() => text.as_str().into(),
        [Message::Assistant { text, calls }] if calls.is_empty() => text.as_str().into(),
        messages => messages.iter().flat_map(blocks).collect(),
    };
    json!({"role": role, "content": content})
}

fn blocks(message: &Message) -> Vec<Value> {
    // Blocks of text may not be empty.
    let said = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    match message {
        Message::System(text) => said(text).into_iter().collect(),
        Message::User { text, pictures } => {
            let shown = pictures.iter().map(|one| {
                json!({"type": "image", "source": {
                    "type": "base64", "media_type": one.media_type(), "data": Picture::base64(one),
                }})
            });
            shown.chain(said(text)).collect()
        }
        Message::Assistant { text, calls } => {
            let called = calls.iter().map(
                |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.object()}),
            );
            said(text).into_iter().chain(called).collect()
        }
        Message::Result(result) => vec![json!({
            "type": "tool_result", "tool_use_id": result.call, "content": result.text, "is_error": result.is_error,
        })],
    }
}

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    match event.get("type").and_then(Value::as_str) {
        Some("message_start") => {
            let usage = event.pointer("/message/usage");
            reader.count(usage.and_then(|usage| usage.get("input_tokens")), None);
            Ok(Read::Nothing)
        }
        Some("content_block_start") => {
            let block = event.get("content_block");
            if block.and_then(|one| one.get("type")?.as_str()) == Some("tool_use") {
                let call = reader.calls.begin(event.get("index").and_then(Value::as_u64))?;
                call.id = word(block.and_then(|one| one.get("id")));
                call.name = word(block.and_then(|one| one.get("name")));
            }
            Ok(Read::Nothing)
        }
        Some("content_block_delta") => match event.pointer("/delta/type").and_then(Value::as_str) {
            Some("text_delta") => Ok(text(event.pointer("/delta/text"))),
            Some("input_json_delta") => {
                let place = event.get("index").and_then(Value::as_u64);
                if let Some(call) = reader.calls.at(place) {
                    call.arguments
                        .push_str(&word(event.pointer("/delta/partial_json")));
                }
                Ok(Read::Nothing)
            }
            _ => Ok(Read::Nothing),
        },
        Some("message_delta") => {
            reader.count(
                event.pointer("/usage/input_tokens"),
                event.pointer("/usage/output_tokens"),
            );
            match event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                None => {}
                Some("max_tokens" | "model_context_window_exceeded") => reader.finish = Some(Finish::Length),
                Some("refusal") => reader.finish = Some(Finish::Withheld),
                Some(_) => reader.finish = Some(Finish::Done),
            }
            Ok(Read::Nothing)
        }
        Some("message_stop") => {
            reader.finish.get_or_insert(Finish::Done);
            Ok(Read::Over)
        }
        Some("error") => Err(Trouble::Failed {
            status: status(event.pointer("/error/type").and_then(Value::as_str)),
            reason: reason(event).to_owned(),
        }),
        _ => Ok(Read::Nothing),
    }
}

/// The statuses that Anthropic documents for its kinds of errors.
fn status(kind: Option<&str>) -> u16 {
    match kind {
        Some("invalid_request_error") => 400,
        Some("authentication_error") => 401,
        Some("permission_error") => 403,
        Some("not_found_error") => 404,
        Some("request_too_large") => 413,
        Some("rate_limit_error") => 429,
        Some("overloaded_error") => 529,
        _ => 500,
    }
}
