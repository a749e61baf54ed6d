//! A tool's result as MCP content (CONTRACT, "toolm", execute).

use super::execute::Execution;
use base::name::ToolName;
use serde_json::{Map, Value, json};

/// Content items in MCP's shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub content: Vec<Value>,
    pub is_error: bool,
}

impl Answer {
    pub fn text(text: impl Into<String>) -> Self {
        Answer {
            content: vec![text_item(text.into())],
            is_error: false,
        }
    }

    pub fn error(text: impl Into<String>) -> Self {
        Answer {
            content: vec![text_item(text.into())],
            is_error: true,
        }
    }
}

impl Execution {
    pub fn answer(&self, tool: &ToolName) -> Answer {
        match &self.result {
            Ok(result) => content_of(tool, result),
            Err(failure) => Answer::error(failure.help.clone()),
        }
    }
}

/// One text item with pretty JSON; pictures as image items beside it; a result that already is
/// MCP content passes through.
pub fn content_of(tool: &ToolName, result: &Value) -> Answer {
    if let Some(answer) = passed_through(result) {
        return answer;
    }
    let mut result = result.clone();
    let pictures = take_pictures(&mut result);
    let text = json!({"success": true, "tool": tool.as_str(), "mode": "execute", "result": result});
    // Serialising a Value does not fail.
    let mut content = vec![text_item(serde_json::to_string_pretty(&text).unwrap_or_default())];
    content.extend(pictures);
    Answer {
        content,
        is_error: false,
    }
}

fn passed_through(result: &Value) -> Option<Answer> {
    let items = result.get("content")?.as_array()?;
    (!items.is_empty() && items.iter().all(is_block)).then(|| Answer {
        content: items.clone(),
        is_error: result.get("isError") == Some(&Value::Bool(true)),
    })
}

/// Whether it is a content block as MCP defines it. Tools of many kinds call something `content`
/// and its parts `type`: what no client could read is a result like any other.
fn is_block(item: &Value) -> bool {
    let text = |field: &str| item.get(field).is_some_and(Value::is_string);
    let hints = ["annotations", "_meta"].iter().all(|field| {
        item.get(field)
            .is_none_or(|hint| hint.is_object() || hint.is_null())
    });
    hints
        && match item.get("type").and_then(Value::as_str) {
            Some("text") => text("text"),
            Some("image" | "audio") => text("data") && text("mimeType"),
            Some("resource") => item.get("resource").is_some_and(is_resource),
            Some("resource_link") => text("uri") && text("name"),
            _ => false,
        }
}

fn is_resource(resource: &Value) -> bool {
    let text = |field: &str| resource.get(field).is_some_and(Value::is_string);
    text("uri") && (text("text") || text("blob"))
}

/// Takes the pictures out of a result: their bytes would only fill the text.
fn take_pictures(result: &mut Value) -> Vec<Value> {
    let Value::Object(map) = result else {
        return Vec::new();
    };
    let mut pictures = Vec::new();
    if let Some(Value::Array(list)) = map.get_mut("images") {
        for entry in list.iter_mut() {
            if let Value::Object(entry) = entry {
                pictures.extend(take(entry, "data", None));
            }
        }
    }
    pictures.extend(take(map, "base64", None));
    if map.get("format") == Some(&json!("image")) {
        let fallback = map
            .get("mimeType")
            .and_then(Value::as_str)
            .unwrap_or("image/png")
            .to_owned();
        if let Some(Value::Object(content)) = map.get_mut("content") {
            pictures.extend(take(content, "base64", Some(&fallback)));
        }
    }
    pictures
}

fn take(map: &mut Map<String, Value>, field: &str, fallback: Option<&str>) -> Option<Value> {
    let mime = map
        .get("mimeType")
        .and_then(Value::as_str)
        .or(fallback)?
        .to_owned();
    if !mime.starts_with("image/") {
        return None;
    }
    let data = map.get(field)?.as_str()?.to_owned();
    map.insert(
        field.to_owned(),
        format!("[{mime}, {} bytes of base64, see the image item]", data.len()).into(),
    );
    Some(json!({"type": "image", "data": data, "mimeType": mime}))
}

fn text_item(text: String) -> Value {
    json!({"type": "text", "text": text})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(result: Value) -> Answer {
        content_of(&ToolName::parse("t").unwrap(), &result)
    }

    #[test]
    fn plain_results_are_pretty_json_in_this_order() {
        let answer = content(json!({"a": 1}));
        let text = answer.content[0]["text"].as_str().unwrap();
        assert_eq!(
            text,
            "{\n  \"success\": true,\n  \"tool\": \"t\",\n  \"mode\": \"execute\",\n  \"result\": {\n    \"a\": 1\n  }\n}"
        );
        assert_eq!(content(Value::Null).content.len(), 1);
    }

    #[test]
    fn pictures_become_image_items_in_all_three_forms() {
        let image = json!({"type": "image", "data": "QUJD", "mimeType": "image/png"});
        for result in [
            json!({"images": [{"data": "QUJD", "mimeType": "image/png"}]}),
            json!({"base64": "QUJD", "mimeType": "image/png"}),
            json!({"format": "image", "content": {"base64": "QUJD"}}),
        ] {
            let answer = content(result);
            assert_eq!(answer.content[1], image);
            assert!(!answer.content[0]["text"].as_str().unwrap().contains("QUJD"));
        }
        assert_eq!(
            content(json!({"base64": "QUJD", "mimeType": "text/plain"}))
                .content
                .len(),
            1
        );
        assert_eq!(content(json!({"images": ["a.png"]})).content.len(), 1);
    }

    #[test]
    fn mcp_content_passes_through() {
        let items = json!([
            {"type": "text", "text": "hi", "annotations": {"priority": 1}},
            {"type": "image", "data": "QUJD", "mimeType": "image/png"},
            {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
            {"type": "resource", "resource": {"uri": "file:///a", "blob": "QUJD"}},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
        ]);
        let answer = content(json!({"content": items, "isError": true}));
        assert_eq!((Value::Array(answer.content), answer.is_error), (items, true));
    }

    #[test]
    fn what_only_looks_like_mcp_content_is_a_result_like_any_other() {
        let good = json!({"type": "text", "text": "hi"});
        for item in [
            json!({"type": "paragraph", "text": "hi"}),
            json!({"type": "text", "value": "hi"}),
            json!({"type": "text", "text": 5}),
            json!({"type": "text", "text": "hi", "annotations": "bold"}),
            json!({"type": "image", "data": "QUJD"}),
            json!({"type": "image", "mimeType": "image/png", "url": "a.png"}),
            json!({"type": "audio", "data": ["QUJD"], "mimeType": "audio/wav"}),
            json!({"type": "resource", "resource": "file:///a"}),
            json!({"type": "resource", "resource": {"text": "a"}}),
            json!({"type": "resource", "resource": {"uri": "file:///a"}}),
            json!({"type": "resource_link", "uri": "file:///a"}),
            json!({"type": 5, "text": "hi"}),
            json!({"text": "hi"}),
            json!("hi"),
            Value::Null,
        ] {
            for items in [json!([item]), json!([good, item])] {
                is_plain(json!({"content": items, "isError": true}));
            }
        }
        is_plain(json!({"content": "a text"}));
        is_plain(json!({"content": []}));
        is_plain(json!([good]));
    }

    fn is_plain(result: Value) {
        let answer = content(result.clone());
        assert_eq!((answer.content.len(), answer.is_error), (1, false), "{result}");
        let text: Value = serde_json::from_str(answer.content[0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text["result"], result);
    }
}
