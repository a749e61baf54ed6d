//! Messages of Anthropic.

use super::{Read, Reader, Request, Trouble, openai, reason, text};
use crate::chat::{Chat, Finish};
use crate::service::Service;
use serde_json::{Value, json};

const VERSION: &str = "2023-06-01";
/// The protocol wants a limit; every model that is offered allows this one.
const MAX_TOKENS: u32 = 8192;

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let turns: Vec<Value> = chat
        .turns()
        .map(|message| json!({"role": openai::role(message.role), "content": message.text}))
        .collect();
    let mut body = json!({
        "model": service.model(),
        "max_tokens": MAX_TOKENS,
        "stream": true,
        "messages": turns,
    });
    if let Some(system) = chat.system() {
        body["system"] = system.into();
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

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    match event.get("type").and_then(Value::as_str) {
        Some("message_start") => {
            let usage = event.pointer("/message/usage");
            reader.count(usage.and_then(|usage| usage.get("input_tokens")), None);
            Ok(Read::Nothing)
        }
        Some("content_block_delta") => match event.pointer("/delta/type").and_then(Value::as_str) {
            Some("text_delta") => Ok(text(event.pointer("/delta/text"))),
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
