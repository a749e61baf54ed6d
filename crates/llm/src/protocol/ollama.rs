//! Ollama's own `/api/chat`: a line of JSON an event.

use super::calls::{arguments, word};
use super::{Read, Reader, Request, Trouble, openai, reason, text};
use crate::chat::{Chat, Finish, Message};
use crate::service::Service;
use crate::tools::Picture;
use serde_json::{Value, json};

pub(super) fn request(service: &Service, chat: &Chat) -> Request {
    let messages: Vec<Value> = chat.messages().iter().map(message).collect();
    let mut body = json!({"model": service.model(), "stream": true, "messages": messages});
    // Otherwise it takes a few thousand tokens, and forgets what was before them without a word.
    if let Some(window) = service.terms().window {
        body["options"] = json!({"num_ctx": window});
    }
    if !chat.tools().is_empty() {
        body["tools"] = openai::tools(chat.tools());
    }
    Request {
        url: service.at(&["api", "chat"]),
        headers: openai::bearer(service),
        body,
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({"role": "system", "content": text}),
        Message::User { text, pictures } if pictures.is_empty() => json!({"role": "user", "content": text}),
        Message::User { text, pictures } => {
            let shown: Vec<String> = pictures.iter().map(Picture::base64).collect();
            json!({"role": "user", "content": text, "images": shown})
        }
        Message::Assistant { text, calls } if calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| json!({"function": {"name": call.name, "arguments": call.object()}}))
                .collect();
            json!({"role": "assistant", "content": text, "tool_calls": calls})
        }
        Message::Result(result) => {
            json!({"role": "tool", "tool_name": result.name, "content": result.text})
        }
    }
}

pub(super) fn read(reader: &mut Reader, event: &Value) -> Result<Read, Trouble> {
    if event.get("error").is_some() {
        return Err(Trouble::Failed {
            status: 500,
            reason: reason(event).to_owned(),
        });
    }
    let calls = event.pointer("/message/tool_calls").and_then(Value::as_array);
    for made in calls.into_iter().flatten() {
        let call = reader.calls.begin(None)?;
        call.id = word(made.get("id"));
        call.name = word(made.pointer("/function/name"));
        call.arguments = arguments(made.pointer("/function/arguments"));
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
