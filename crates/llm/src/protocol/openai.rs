//! Chat completions: OpenAI's, and those of whoever speaks as it does.

use super::{Read, Reader, Request, Trouble, reason, text};
use crate::chat::{Chat, Finish, Role};
use crate::service::Service;
use serde_json::{Value, json};

/// The last event.
pub(super) const OVER: &str = "[DONE]";

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let messages: Vec<Value> = chat
        .messages()
        .iter()
        .map(|message| json!({"role": role(message.role), "content": message.text}))
        .collect();
    Request {
        url: service.at(&["chat", "completions"]),
        headers: bearer(service),
        body: json!({
            "model": service.model(),
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": messages,
        }),
    }
}

pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
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
    Ok(text(choice.pointer("/delta/content")))
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
