//! What is said to a service, what comes back, and how much of it may.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub text: String,
}

/// A conversation up to the answer that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chat {
    messages: Vec<Message>,
}

impl Chat {
    /// Services want to be asked by somebody: a conversation of system messages alone is the user's.
    pub fn new(mut messages: Vec<Message>) -> Self {
        if messages.iter().all(|message| message.role == Role::System) {
            for message in &mut messages {
                message.role = Role::User;
            }
        }
        Chat { messages }
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// System messages in one text, for protocols that keep them apart.
    pub(crate) fn system(&self) -> Option<String> {
        let system = self.messages.iter().filter(|one| one.role == Role::System);
        let texts: Vec<&str> = system.map(|one| one.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    }

    /// All others, in their order.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|one| one.role != Role::System)
    }
}

/// How long one answer may take and how large it may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first attempt to the last piece.
    pub total: Duration,
    /// Without a whole event. A model that thinks sends some; a large one is loaded first.
    pub silence: Duration,
    /// Bytes of text.
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

    fn message(role: Role, text: &str) -> Message {
        Message {
            role,
            text: text.to_owned(),
        }
    }

    #[test]
    fn system_messages_are_set_apart_unless_there_is_nothing_else() {
        let chat = Chat::new(vec![
            message(Role::System, "a"),
            message(Role::User, "b"),
            message(Role::System, "c"),
            message(Role::Assistant, "d"),
        ]);
        assert_eq!(chat.system().as_deref(), Some("a\n\nc"));
        let turns: Vec<&str> = chat.turns().map(|turn| turn.text.as_str()).collect();
        assert_eq!(turns, ["b", "d"]);
        let alone = Chat::new(vec![message(Role::System, "a")]);
        assert_eq!(alone.system(), None);
        assert_eq!(alone.turns().count(), 1);
    }
}
