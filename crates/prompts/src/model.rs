//! A prompt as it was understood, whatever file it came from.

use crate::PromptPath;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A prompt of the library.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    pub path: PromptPath,
    /// Of the path; what `get_prompt` is given.
    pub id: String,
    pub content: Content,
    /// It and every group it is in are switched on.
    pub usable: bool,
    /// The file's text.
    pub text: Arc<str>,
    /// Of the text: what [`crate::Expected`] compares.
    pub version: String,
    /// Milliseconds since 1970.
    pub modified: i64,
}

/// What a person writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Content {
    pub name: String,
    pub description: String,
    pub arguments: Vec<Argument>,
    pub messages: Vec<Message>,
    /// Its own switch.
    pub enabled: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    User,
    Assistant,
    System,
}

impl Role {
    pub const ALL: [Role; 3] = [Role::User, Role::Assistant, Role::System];

    pub fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
        }
    }
}

/// What a `{{variable}}` stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    pub description: String,
    pub kind: ArgumentKind,
    pub required: bool,
    pub default: Option<Value>,
}

/// Named as in JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentKind {
    #[default]
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

impl ArgumentKind {
    pub const ALL: [ArgumentKind; 6] = [
        ArgumentKind::String,
        ArgumentKind::Number,
        ArgumentKind::Integer,
        ArgumentKind::Boolean,
        ArgumentKind::Array,
        ArgumentKind::Object,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ArgumentKind::String => "string",
            ArgumentKind::Number => "number",
            ArgumentKind::Integer => "integer",
            ArgumentKind::Boolean => "boolean",
            ArgumentKind::Array => "array",
            ArgumentKind::Object => "object",
        }
    }
}
