//! Ollama's own `/api/chat`: a line of JSON an event.

use super::{Read, Reader, Request, Trouble, openai, reason, text};
use crate::chat::{Chat, Finish};
use crate::service::Service;
use serde_json::{Value, json};

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let messages: Vec<Value> = chat
        .messages()
        .iter()
        .map(|message| json!({"role": openai::role(message.role), "content": message.text}))
        .collect();
    Request {
        url: service.at(&["api", "chat"]),
        headers: openai::bearer(service),
        body: json!({"model": service.model(), "stream": true, "messages": messages}),
    }
}

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    if event.get("error").is_some() {
        return Err(Trouble::Failed {
            status: 500,
            reason: reason(event).to_owned(),
        });
    }
    // The last line may bring text as well.
    let said = text(event.pointer("/message/content"));
    if event.get("done") == Some(&Value::Bool(true)) {
        reader.count(event.get("prompt_eval_count"), event.get("eval_count"));
        reader.finish = Some(match event.get("done_reason").and_then(Value::as_str) {
            Some("length") => Finish::Length,
            _ => Finish::Done,
        });
    }
    Ok(said)
}
