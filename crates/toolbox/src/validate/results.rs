//! Layer 7: what a trial gave (seed 002 section 12.8).

use super::checks::Check;
use base::{Args, args};
use serde_json::Value;

/// `{kind, result}` of a trial.
pub(super) fn check(given: &Value) -> Vec<(Check, Args)> {
    let result = match given.get("kind").and_then(Value::as_str).unwrap_or_default() {
        "undefined" => return vec![(Check::ResultUndefined, args! {})],
        "null" => return vec![(Check::ResultNull, args! {})],
        "object" | "string" => given.get("result").unwrap_or(&Value::Null),
        other => return vec![(Check::ResultKind, args! { found: other })],
    };
    let mut found = Vec::new();
    match result.get("content") {
        Some(Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                found.extend(content_item(item, index));
            }
        }
        // `{format: 'image', content: {base64}}` is a way to give a picture.
        Some(Value::Object(_)) if result.get("format").is_some() => {}
        Some(Value::Object(_) | Value::Number(_) | Value::Bool(_)) => {
            found.push((Check::ResultContentType, args! {}));
        }
        // A text under this name is the content of a file, and no answer in the form of MCP.
        Some(Value::String(_) | Value::Null) | None => {}
    }
    if let Some(Value::Array(pictures)) = result.get("images") {
        for (index, picture) in pictures.iter().enumerate() {
            let text = |name: &str| picture.get(name).is_some_and(Value::is_string);
            // A name stands for a kept picture.
            let fits = picture.is_string() || (text("data") && text("mimeType"));
            if !fits {
                found.push((Check::ResultPicture, args! { index: index + 1 }));
            }
        }
    }
    found
}

/// Of an answer in the form of MCP.
fn content_item(item: &Value, index: usize) -> Option<(Check, Args)> {
    let text = |name: &str| item.get(name).is_some_and(Value::is_string);
    let args = args! { index: index + 1 };
    match item.get("type").and_then(Value::as_str) {
        Some("text") if text("text") => None,
        Some("image" | "audio") => {
            (!(text("data") && text("mimeType"))).then_some((Check::ResultPicture, args))
        }
        Some("resource" | "resource_link") => None,
        _ => Some((Check::ResultContentItem, args)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_mcp_could_not_take_is_found() {
        let of = |result: Value| {
            let found = check(&json!({"kind": "object", "result": result}));
            found.into_iter().map(|(check, _)| check).collect::<Vec<_>>()
        };
        assert_eq!(of(json!({"a": 1})), []);
        assert_eq!(of(json!({"path": "p", "content": "text of a file"})), []);
        assert_eq!(of(json!({"format": "image", "content": {"base64": "AA"}})), []);
        assert_eq!(of(json!({"content": [{"type": "text", "text": "x"}]})), []);
        assert_eq!(
            of(json!({"content": {"type": "text"}})),
            [Check::ResultContentType]
        );
        assert_eq!(
            of(json!({"content": [{"text": "x"}]})),
            [Check::ResultContentItem]
        );
        assert_eq!(
            of(json!({"content": [{"type": "image"}]})),
            [Check::ResultPicture]
        );
        assert_eq!(
            of(json!({"images": [{"data": "AA"}, "a.png"]})),
            [Check::ResultPicture]
        );
        assert_eq!(check(&json!({"kind": "number"}))[0].0, Check::ResultKind);
    }
}
