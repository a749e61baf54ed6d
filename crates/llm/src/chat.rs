//! What is said to a service, what comes back, and how much of it may.

use crate::tools::{Picture, Tool, ToolCall, ToolResult};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

/// One part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Message {
    System(String),
    User {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pictures: Vec<Picture>,
    },
    /// What the model answered before.
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
    },
    /// What a call of the answer before it gave.
    Result(ToolResult),
}

impl Message {
    /// Text alone.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        match role {
            Role::System => Message::System(text),
            Role::User => Message::User {
                text,
                pictures: Vec::new(),
            },
            Role::Assistant => Message::Assistant {
                text,
                calls: Vec::new(),
            },
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Message::System(text) | Message::User { text, .. } | Message::Assistant { text, .. } => text,
            Message::Result(result) => &result.text,
        }
    }
}

/// A conversation up to the answer that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chat {
    messages: Vec<Message>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool>,
}

impl Chat {
    /// Services want to be asked by somebody: a conversation of system messages alone is the user's.
    pub fn new(mut messages: Vec<Message>) -> Self {
        if messages
            .iter()
            .all(|message| matches!(message, Message::System(_)))
        {
            for message in &mut messages {
                *message = Message::new(Role::User, message.text());
            }
        }
        Chat {
            messages,
            tools: Vec::new(),
        }
    }

    /// What the model may call.
    #[must_use]
    pub fn with_tools(self, tools: Vec<Tool>) -> Self {
        Chat { tools, ..self }
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// System messages in one text, for protocols that keep them apart.
    pub(crate) fn system(&self) -> Option<String> {
        let system = self.messages.iter().filter_map(|one| match one {
            Message::System(text) => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = system.collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    /// All others, in their order; results that stand beside each other together, as answers to calls that
    /// were made at once.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &[Message]> {
        let is_result = |message: &Message| matches!(message, Message::Result(_));
        self.messages
            .chunk_by(move |one, next| is_result(one) && is_result(next))
            .filter(|turn| !matches!(turn, [Message::System(_)]))
    }
}

/// How long one answer may take and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first attempt to the last piece.
    pub total: Duration,
    /// Without a whole event. A model that thinks sends some; a large one is loaded first.
    pub silence: Duration,
    /// Bytes of text and of calls.
    pub text: usize,
    /// How often it is tried again, as long as nothing has come.
    pub retries: u32,
    /// Before the first of these; each further one takes twice as long.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            total: Duration::from_secs(600),
            silence: Duration::from_secs(120),
            text: 1 << 20,
            retries: 3,
            pause: Duration::from_millis(500),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Whole, behind all text.
    Call(ToolCall),
    /// The last one.
    End(End),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    pub finish: Finish,
    pub usage: Usage,
}

/// Why the answer is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The model has said what it had to say.
    #[default]
    Done,
    /// It waits for what its calls give.
    Calls,
    /// The service gives no longer answers.
    Length,
    /// The service kept the rest back.
    Withheld,
}

/// What the service counted, where it says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens.
    pub input: Option<u64>,
    pub output: Option<u64>,
}

impl Usage {
    /// Of two answers together: what neither says nobody knows.
    #[must_use]
    pub fn and(self, other: Usage) -> Usage {
        let sum = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (None, None) => None,
            (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
        };
        Usage {
            input: sum(self.input, other.input),
            output: sum(self.output, other.output),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_messages_are_set_apart_unless_there_is_nothing_else() {
        let chat = Chat::new(vec![
            Message::new(Role::System, "a"),
            Message::new(Role::User, "b"),
            Message::new(Role::System, "c"),
            Message::new(Role::Assistant, "d"),
        ]);
        assert_eq!(chat.system().as_deref(), Some("a\n\nc"));
        let turns: Vec<&str> = chat.turns().flatten().map(Message::text).collect();
        assert_eq!(turns, ["b", "d"]);
        let alone = Chat::new(vec![Message::new(Role::System, "a")]);
        assert_eq!(alone.system(), None);
        assert_eq!(alone.turns().count(), 1);
    }

    #[test]
    fn results_of_calls_that_were_made_at_once_stay_together() {
        let result = |call: &str| {
            Message::Result(ToolResult {
                call: call.to_owned(),
                name: "t".to_owned(),
                text: call.to_owned(),
                is_error: false,
            })
        };
        let said = Message::new(Role::User, "u");
        let chat = Chat::new(vec![
            said.clone(),
            result("1"),
            result("2"),
            said.clone(),
            said,
            result("3"),
        ]);
        let sizes: Vec<usize> = chat.turns().map(<[Message]>::len).collect();
        assert_eq!(sizes, [1, 2, 1, 1, 1]);
    }
}
