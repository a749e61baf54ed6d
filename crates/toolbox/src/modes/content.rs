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
    let typed = !items.is_empty()
        && items
            .iter()
            .all(|item| item.get("type").is_some_and(Value::is_string));
    typed.then(|| Answer {
        content: items.clone(),
        is_error: result.get("isError") == Some(&Value::Bool(true)),
    })
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
        let items = json!([{"type": "text", "text": "hi"}]);
        let answer = content(json!({"content": items, "isError": true}));
        assert_eq!((Value::Array(answer.content), answer.is_error), (items, true));
        assert_eq!(
            content(json!({"content": "a text"})).content.len(),
            1,
            "not MCP content"
        );
        assert!(
            content(json!({"content": []})).content[0]["text"]
                .as_str()
                .unwrap()
                .contains("success")
        );
    }
}
