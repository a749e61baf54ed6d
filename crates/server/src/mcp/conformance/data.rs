//! What the suite's scenarios name, and what they expect to find there.

use crate::mcp::tools::object;
use rmcp::model::{
    CallToolResult, ContentBlock, GetPromptResult, JsonObject, LoggingLevel, Prompt, PromptMessage,
    ReadResourceResult, Resource, ResourceTemplate, Role, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// Silence.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

pub(super) const SCHEME: &str = "test://";
pub(super) const WATCHED: &str = "test://watched-resource";

/// From the least important on.
pub(super) const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

/// Tools without arguments.
const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_error_handling",
    "test_reconnection",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_trigger_resource_update",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "failing_job",
    "protocol_error_job",
    "multi_input",
    "test_tool_with_task",
];

pub(super) fn tools() -> Vec<Tool> {
    let one = |name: &'static str, schema: Value| {
        Tool::new(name, "A fixture of the conformance suite", object(schema))
    };
    let texts = |names: &[&str]| {
        let text = |name: &&str| ((*name).to_owned(), json!({"type": "string"}));
        let properties: JsonObject = names.iter().map(text).collect();
        json!({"type": "object", "properties": properties, "required": names})
    };
    let mut tools: Vec<Tool> = PLAIN
        .iter()
        .map(|name| one(name, json!({"type": "object", "properties": {}})))
        .collect();
    tools.extend([
        one("test_sampling", texts(&["prompt"])),
        one("test_elicitation", texts(&["message"])),
        one("greet", texts(&["name"])),
        one("confirm_delete", texts(&["filename"])),
        one(
            "slow_compute",
            json!({
                "type": "object",
                "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}},
            }),
        ),
        one("json_schema_2020_12_tool", schema_2020_12()),
        one(
            "test_x_mcp_header",
            json!({
                "type": "object",
                "properties": {
                    "region": {"type": "string", "x-mcp-header": "Region"},
                    "query": {"type": "string"},
                },
                "required": ["region", "query"],
            }),
        ),
    ]);
    tools
}

fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

/// The tools that only say something.
pub(super) fn said(name: &str) -> Option<CallToolResult> {
    let content = match name {
        "test_simple_text" => json!([text("This is a simple text response for testing.")]),
        "test_image_content" => json!([image()]),
        "test_audio_content" => json!([{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]),
        "test_embedded_resource" => json!([{"type": "resource", "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        }}]),
        "test_multiple_content_types" => json!([
            text("Multiple content types test:"),
            image(),
            {"type": "resource", "resource": {
                "uri": "test://mixed-content-resource",
                "mimeType": "application/json",
                "text": r#"{"test":"data","value":123}"#,
            }},
        ]),
        "test_error_handling" => {
            let content = read_json(json!([text(
                "This tool intentionally returns an error for testing"
            )]))?;
            return Some(CallToolResult::error(content));
        }
        _ => return None,
    };
    Some(CallToolResult::success(read_json::<Vec<ContentBlock>>(content)?))
}

pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn image() -> Value {
    json!({"type": "image", "data": PNG, "mimeType": "image/png"})
}

pub(super) fn resources() -> Vec<Resource> {
    let resource = |name: &str, mime: &str| {
        let uri = format!("{SCHEME}{name}");
        Resource::new(uri, name).with_mime_type(mime)
    };
    vec![
        resource("static-text", "text/plain"),
        resource("static-binary", "image/png"),
        resource("watched-resource", "text/plain"),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let uri = format!("{SCHEME}template/{{id}}/data");
    vec![ResourceTemplate::new(uri, "template").with_mime_type("application/json")]
}

pub(super) fn read(uri: &str) -> Option<ReadResourceResult> {
    let contents = match uri.strip_prefix(SCHEME)? {
        "static-text" => json!({"uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource."}),
        "static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "Watched resource content"})
        }
        other => {
            let id = other.strip_prefix("template/")?.strip_suffix("/data")?;
            let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": data.to_string()})
        }
    };
    Some(ReadResourceResult::new(vec![read_json(contents)?]))
}

pub(super) fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let argument = |name: &&str| json!({"name": name, "description": "An argument", "required": true});
        let arguments: Vec<Value> = arguments.iter().map(argument).collect();
        read_json(
            json!({"name": name, "description": "A prompt of the conformance suite", "arguments": arguments}),
        )
    };
    let all = [
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt(super::rounds::PROMPT, &[]),
    ];
    all.into_iter().flatten().collect()
}

pub(super) fn prompt(name: &str, arguments: &JsonObject) -> Option<GetPromptResult> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (one, two) = (argument("arg1"), argument("arg2"));
            vec![text(&format!(
                "Prompt with arguments: arg1='{one}', arg2='{two}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => vec![
            json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"),
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            }}),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![image(), text("Please analyze the image above.")],
        _ => return None,
    };
    let message = |content: Value| Some(PromptMessage::new(Role::User, read_json(content)?));
    let messages: Option<Vec<PromptMessage>> = contents.into_iter().map(message).collect();
    Some(GetPromptResult::new(messages?))
}

/// Fixtures are written as they travel.
pub(super) fn read_json<T: DeserializeOwned>(value: Value) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(read) => Some(read),
        Err(error) => {
            tracing::error!(%error, "a fixture is none of the protocol");
            None
        }
    }
}
