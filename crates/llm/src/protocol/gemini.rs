//! `streamGenerateContent` of Gemini. The stream has no last event: it is whole when a reason to
//! finish came before its end.

use super::{Read, Reader, Request, Trouble, reason};
use crate::chat::{Chat, Finish, Role};
use crate::service::Service;
use serde_json::{Value, json};

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let part = |text: &str| json!([{"text": text}]);
    let contents: Vec<Value> = chat
        .turns()
        .map(|message| {
            let role = match message.role {
                Role::Assistant => "model",
                Role::User | Role::System => "user",
            };
            json!({"role": role, "parts": part(&message.text)})
        })
        .collect();
    let mut body = json!({"contents": contents});
    if let Some(system) = chat.system() {
        body["systemInstruction"] = json!({"parts": part(&system)});
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
