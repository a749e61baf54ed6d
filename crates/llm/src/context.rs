//! How much of a model's context a conversation takes, and where it can be cut to make room.
//!
//! Services count in tokens of their own, and say so only afterwards: what is not sent yet is estimated from
//! its text, and the estimate is corrected by what the service counted last.
//!
//! Deliberately not here: the summary of what leaves, which somebody has to ask for.

use crate::chat::{Chat, Message};
use crate::tools::Tool;
use std::ops::Range;

/// A picture, whatever its size: services count one of usual size so.
const PICTURE: u64 = 1_500;
/// What stands around each message, call and tool.
const AROUND: u64 = 8;

/// How full the context is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Low,
    /// From 70 % on.
    Filling,
    /// From 90 % on.
    High,
    /// From 95 % on: the next answer may find no room.
    Full,
}

/// The context of one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Tokens that the model can see, its answer among them.
    window: u64,
    /// What the service counted of what was estimated so.
    heard: Option<(u64, u64)>,
}

impl Context {
    pub fn new(window: u64) -> Self {
        Context { window, heard: None }
    }

    /// The service has counted so many tokens of what was asked.
    pub fn heard(&mut self, chat: &Chat, input: u64) {
        let estimated = estimate(chat);
        // Of next to nothing nothing follows.
        if input > 0 && estimated > AROUND {
            self.heard = Some((input, estimated));
        }
    }

    /// Tokens that a conversation takes.
    pub fn tokens(&self, chat: &Chat) -> u64 {
        self.corrected(estimate(chat))
    }

    pub fn level(&self, chat: &Chat) -> Level {
        let (tokens, window) = (u128::from(self.tokens(chat)), u128::from(self.window));
        match () {
            () if tokens * 100 >= window * 95 => Level::Full,
            () if tokens * 100 >= window * 90 => Level::High,
            () if tokens * 100 >= window * 70 => Level::Filling,
            () => Level::Low,
        }
    }

    /// The messages whose summary makes room, so that what stays takes at most so many tokens: the oldest
    /// behind the system's, and never a call without its results. `None`: it takes no more than that, or
    /// nothing can leave. The last message always stays.
    pub fn oldest(&self, chat: &Chat, tokens: u64) -> Option<Range<usize>> {
        let messages = chat.messages();
        let is_system = |message: &&Message| matches!(message, Message::System(_));
        let first = messages.iter().take_while(is_system).count();
        let mut left = estimate(chat);
        let mut end = None;
        for (at, message) in messages.iter().enumerate().skip(first) {
            // A result stays with the call before it.
            let cuts = at > first && !matches!(message, Message::Result(_));
            if cuts {
                end = Some(at);
            }
            if self.corrected(left) <= tokens && (cuts || at == first) {
                break;
            }
            left = left.saturating_sub(of_message(message));
        }
        end.map(|end| first..end)
    }

    fn corrected(&self, estimated: u64) -> u64 {
        let Some((counted, of)) = self.heard else {
            return estimated;
        };
        let tokens = u128::from(estimated) * u128::from(counted) / u128::from(of.max(1));
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }
}

fn estimate(chat: &Chat) -> u64 {
    let messages: u64 = chat.messages().iter().map(of_message).sum();
    let tools: u64 = chat.tools().iter().map(of_tool).sum();
    messages + tools
}

fn of_message(message: &Message) -> u64 {
    let beside = match message {
        Message::System(_) | Message::Result(_) => 0,
        Message::User { pictures, .. } => pictures.len() as u64 * PICTURE,
        Message::Assistant { calls, .. } => calls
            .iter()
            .map(|call| AROUND + of_text(&call.name) + of_text(&call.arguments))
            .sum(),
    };
    AROUND + of_text(message.text()) + beside
}

fn of_tool(tool: &Tool) -> u64 {
    let parameters = tool.parameters.to_string();
    AROUND + of_text(&tool.name) + of_text(&tool.description) + of_text(&parameters)
}

/// A token is some four letters of ASCII, and about one character of most other scripts.
fn of_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().filter(|char| !char.is_ascii()).count() as u64;
    ascii.div_ceil(4) + other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Role;
    use crate::tools::{ToolCall, ToolResult};
    use proptest::prelude::*;

    fn chat(text: &str) -> Chat {
        Chat::new(vec![Message::new(Role::User, text)])
    }

    #[test]
    fn levels_begin_where_they_say() {
        let mut context = Context::new(1000);
        // 2 x 100 + 8 estimated; the service counts as many as the case says.
        let asked = chat(&"ab 你".repeat(100));
        for (input, level) in [
            (699, Level::Low),
            (700, Level::Filling),
            (899, Level::Filling),
            (900, Level::High),
            (949, Level::High),
            (950, Level::Full),
            (5000, Level::Full),
        ] {
            context.heard(&asked, input);
            assert_eq!((context.tokens(&asked), context.level(&asked)), (input, level));
        }
    }

    #[test]
    fn what_was_counted_corrects_what_comes() {
        let mut context = Context::new(100_000);
        let (short, long) = (chat(&"word ".repeat(100)), chat(&"word ".repeat(1000)));
        let before = context.tokens(&long);
        context.heard(&short, 2 * context.tokens(&short));
        assert!(context.tokens(&long).abs_diff(2 * before) <= 2);
        context.heard(&chat(""), 0);
        assert!(context.tokens(&long).abs_diff(2 * before) <= 2);
    }

    #[test]
    fn what_fits_stays_and_what_is_alone_as_well() {
        let context = Context::new(100);
        assert_eq!(context.oldest(&chat("hi"), 1000), None);
        assert_eq!(context.oldest(&chat("hi"), 0), None);
        let two = Chat::new(vec![
            Message::new(Role::System, "s"),
            Message::new(Role::User, "a"),
            Message::new(Role::Assistant, "b"),
        ]);
        assert_eq!(context.oldest(&two, 0), Some(1..2));
    }

    /// A conversation of questions, answers and calls with all their results.
    fn conversation() -> impl Strategy<Value = Vec<Message>> {
        let text = "[a-z ]{0,80}|[一-龥]{0,40}";
        let turn = prop_oneof![
            text.prop_map(|text| vec![Message::new(Role::User, text)]),
            text.prop_map(|text| vec![Message::new(Role::Assistant, text)]),
            (text, 1usize..4).prop_map(|(text, count)| {
                let ids: Vec<String> = (0..count).map(|nth| format!("c{nth}")).collect();
                let calls = ids.iter().map(|id| ToolCall {
                    id: id.clone(),
                    name: "t".to_owned(),
                    ..ToolCall::default()
                });
                let asked = Message::Assistant {
                    text: text.clone(),
                    calls: calls.collect(),
                };
                let gave = ids.iter().map(|id| {
                    Message::Result(ToolResult {
                        call: id.clone(),
                        name: "t".to_owned(),
                        text: text.clone(),
                        is_error: false,
                    })
                });
                std::iter::once(asked).chain(gave).collect()
            }),
        ];
        (0usize..3, prop::collection::vec(turn, 1..20)).prop_map(|(system, turns)| {
            let told = (0..system).map(|nth| Message::new(Role::System, format!("rule {nth}")));
            told.chain(turns.into_iter().flatten()).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// What stays fits where that is possible at all, begins behind whole calls, and nothing leaves in vain.
        #[test]
        fn room_is_made_of_the_oldest_and_calls_stay_whole(messages in conversation(), tokens in 0u64..600, counted in 1u64..2000) {
            let whole = Chat::new(messages);
            let mut context = Context::new(1000);
            context.heard(&whole, counted);
            let left = |from: usize, cut: &Range<usize>| {
                let mut kept = whole.messages()[..cut.start].to_vec();
                kept.extend_from_slice(&whole.messages()[from..]);
                context.tokens(&Chat::new(kept))
            };
            match context.oldest(&whole, tokens) {
                None => {
                    let first = whole.messages().iter().take_while(|one| matches!(one, Message::System(_))).count();
                    let cuts = whole.messages().iter().skip(first + 1).any(|one| !matches!(one, Message::Result(_)));
                    prop_assert!(context.tokens(&whole) <= tokens || !cuts);
                }
                Some(cut) => {
                    let kept = &whole.messages()[cut.end..];
                    prop_assert!(!matches!(kept[0], Message::Result(_)), "a result without its call");
                    prop_assert!(whole.messages()[..cut.start].iter().all(|one| matches!(one, Message::System(_))));
                    prop_assert!(context.tokens(&whole) > tokens, "nothing had to leave");
                    let more = (cut.end + 1..whole.messages().len())
                        .any(|at| !matches!(whole.messages()[at], Message::Result(_)));
                    prop_assert!(left(cut.end, &cut) <= tokens || !more, "more could have left");
                    let before = (cut.start + 1..cut.end)
                        .rev()
                        .find(|at| !matches!(whole.messages()[*at], Message::Result(_)));
                    if let Some(before) = before {
                        prop_assert!(left(before, &cut) > tokens, "less would have done");
                    }
                }
            }
        }
    }
}
