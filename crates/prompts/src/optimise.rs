//! A model improves a prompt: its messages are sent as material, and what comes back is a proposal.
//!
//! Only the texts of messages can change. Name, description, arguments and everything else of the file
//! are not sent, so they cannot be lost; roles and the number of messages are checked, and variables
//! that are missing or new are said ([`Optimised::lost`], [`Optimised::added`]).
//!
//! Deliberately not here: what is done with a proposal, which service is asked.

use crate::PromptError;
use crate::fill::{fill, variables};
use crate::model::{Content, Message, Role};
use crate::read;
use base::Lang;
use llm::{Chat, End, Limits, Models, Service};
use rust_embed::RustEmbed;
use serde_json::{Map, Value, json};

/// What the model is told, a prompt each.
#[derive(RustEmbed)]
#[folder = "../../resources/optimise"]
struct Instructions;

/// Characters of a wish.
const WISH: usize = 4000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Once over it.
    Quick,
    /// A review first, then a rewriting that follows it.
    Deep,
    /// What the person wants changed, and nothing else.
    Wish(String),
}

/// Where a piece of what the model says belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Review,
    Rewrite,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Optimised {
    pub messages: Vec<Message>,
    /// What is different, as a unified diff.
    pub diff: String,
    /// Of [`Way::Deep`].
    pub review: Option<String>,
    /// Variables that the proposal no longer has.
    pub lost: Vec<String>,
    /// Variables that the prompt had not.
    pub added: Vec<String>,
    /// The last answer's end; the usage is that of all.
    pub end: End,
}

/// Who is asked, and how much it may take.
pub struct Asked<'a> {
    pub models: &'a Models,
    pub service: &'a Service,
    pub limits: &'a Limits,
    pub lang: Lang,
}

/// Asks for a better text. `hear` gets what the model says as it comes.
pub async fn optimise(
    asked: &Asked<'_>,
    content: &Content,
    way: &Way,
    mut hear: impl FnMut(Step, &str) + Send,
) -> Result<Optimised, PromptError> {
    if content
        .messages
        .iter()
        .all(|message| message.text.trim().is_empty())
    {
        return Err(PromptError::Empty);
    }
    let sheet = Sheet::of(&content.messages);
    let mut values = Map::new();
    values.insert("prompt".to_owned(), json!(sheet.text));
    let mut review = None;
    let mut before = End::default();
    let name = match way {
        Way::Quick => "quick",
        Way::Deep => {
            let chat = instructed("analyse", asked.lang, &values)?;
            let answer = asked.models.ask(asked.service, &chat, asked.limits).await?;
            let (said, end) = answer.whole(|text| hear(Step::Review, text)).await?;
            values.insert("review".to_owned(), json!(said.trim()));
            (review, before) = (Some(said.trim().to_owned()), end);
            "rewrite"
        }
        Way::Wish(wish) => {
            let wish = wish.trim();
            if wish.is_empty() || wish.chars().count() > WISH {
                return Err(PromptError::BadWish { limit: WISH });
            }
            values.insert("wish".to_owned(), json!(wish));
            "wish"
        }
    };
    let chat = instructed(name, asked.lang, &values)?;
    let answer = asked.models.ask(asked.service, &chat, asked.limits).await?;
    let (said, mut end) = answer.whole(|text| hear(Step::Rewrite, text)).await?;
    let messages = sheet
        .read(&said, &content.messages)
        .ok_or(PromptError::AnswerShape)?;
    end.usage = end.usage.and(before.usage);
    Ok(Optimised {
        diff: difference(&content.messages, &messages),
        lost: missing(&content.messages, &messages),
        added: missing(&messages, &content.messages),
        messages,
        review,
        end,
    })
}

/// Our own instructions are prompts like any other, filled with the material.
fn instructed(name: &str, lang: Lang, values: &Map<String, Value>) -> Result<Chat, PromptError> {
    let path = format!("{}/{name}.yaml", lang.tag());
    let file = Instructions::get(&path).ok_or_else(|| PromptError::NotFound(path.clone()))?;
    let text = String::from_utf8_lossy(&file.data);
    let map = read::value(&text).map_err(|problem| problem.at(&path))?;
    let content = read::of(&map, name).map_err(|problem| problem.at(&path))?;
    let filled = fill(&content, values)?;
    Ok(chat(&filled.messages))
}

/// Messages of a prompt as a conversation.
pub fn chat(messages: &[Message]) -> Chat {
    let said = messages.iter().map(|message| {
        let role = match message.role {
            Role::System => llm::Role::System,
            Role::User => llm::Role::User,
            Role::Assistant => llm::Role::Assistant,
        };
        llm::Message::new(role, message.text.as_str())
    });
    Chat::new(said.collect())
}

/// Messages as one text: of a single one just that, of several each between tags that no text has.
struct Sheet {
    text: String,
    tag: String,
}

impl Sheet {
    fn of(messages: &[Message]) -> Self {
        let taken = |tag: &str| messages.iter().any(|message| message.text.contains(tag));
        let mut tag = "message".to_owned();
        let mut number = 2;
        while taken(&format!("<{tag} ")) || taken(&format!("</{tag}>")) {
            tag = format!("message-{number}");
            number += 1;
        }
        let text = match messages {
            [one] => one.text.trim_end().to_owned(),
            several => {
                let tagged: Vec<String> = several
                    .iter()
                    .map(|message| {
                        let role = message.role.name();
                        format!("<{tag} role=\"{role}\">\n{}\n</{tag}>", message.text.trim_end())
                    })
                    .collect();
                tagged.join("\n")
            }
        };
        Sheet { text, tag }
    }

    /// What came back, in place of `messages`; nothing when it is not of their form.
    fn read(&self, said: &str, messages: &[Message]) -> Option<Vec<Message>> {
        let said = bare(said);
        let texts = match messages {
            [_] => vec![said.to_owned()],
            several => {
                let mut rest = said;
                let mut texts = Vec::with_capacity(several.len());
                for message in several {
                    let open = format!("<{} role=\"{}\">", self.tag, message.role.name());
                    let inner = rest.trim_start().strip_prefix(open.as_str())?;
                    let (text, after) = inner.split_once(&format!("</{}>", self.tag))?;
                    texts.push(text.trim_matches('\n').to_owned());
                    rest = after;
                }
                rest.trim().is_empty().then_some(texts)?
            }
        };
        if texts.iter().all(|text| text.trim().is_empty()) {
            return None;
        }
        let read = messages.iter().zip(texts).map(|(message, text)| Message {
            role: message.role,
            // A file's block of text ends with a line end or without one: that is not the model's to change.
            text: match message.text.ends_with('\n') {
                true => format!("{text}\n"),
                false => text,
            },
        });
        Some(read.collect())
    }
}

/// Without what models put around an answer although they were told not to.
fn bare(said: &str) -> &str {
    let said = said.trim();
    let unwrapped = said
        .strip_prefix("<prompt>")
        .and_then(|rest| rest.strip_suffix("</prompt>"))
        .map_or(said, str::trim);
    let fenced = unwrapped.strip_prefix("```").and_then(|rest| {
        let (_language, inner) = rest.split_once('\n')?;
        let inner = inner.strip_suffix("```")?;
        // One fence around all of it, and not the first of several.
        (!inner.contains("```")).then_some(inner)
    });
    fenced.map_or(unwrapped, str::trim)
}

fn difference(old: &[Message], new: &[Message]) -> String {
    let text = |messages: &[Message]| -> String {
        let lines = messages.iter().map(|message| match messages.len() {
            1 => format!("{}\n", message.text.trim_end()),
            _ => format!("[{}]\n{}\n", message.role.name(), message.text.trim_end()),
        });
        lines.collect()
    };
    let (old, new) = (text(old), text(new));
    let diff = similar::TextDiff::from_lines(&old, &new);
    diff.unified_diff().to_string()
}

/// Variables of `of` that `there` has not, in their order.
fn missing(of: &[Message], there: &[Message]) -> Vec<String> {
    let known: Vec<&str> = there
        .iter()
        .flat_map(|message| variables(&message.text))
        .collect();
    let mut names: Vec<String> = Vec::new();
    for name in of.iter().flat_map(|message| variables(&message.text)) {
        if !known.contains(&name) && !names.iter().any(|one| one == name) {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(role: Role, text: &str) -> Message {
        Message {
            role,
            text: text.to_owned(),
        }
    }

    #[test]
    fn every_instruction_is_there_in_both_languages_and_takes_its_values() {
        for lang in [Lang::ZhCn, Lang::En] {
            for (name, needs) in [
                ("quick", &["prompt"][..]),
                ("analyse", &["prompt"]),
                ("rewrite", &["prompt", "review"]),
                ("wish", &["prompt", "wish"]),
            ] {
                let values: Map<String, Value> = needs
                    .iter()
                    .map(|need| ((*need).to_owned(), json!(format!("<{need}-here> {{{{x}}}}"))))
                    .collect();
                let chat = instructed(name, lang, &values).unwrap();
                let asked = chat.messages().last().unwrap().text();
                for need in needs {
                    assert!(
                        asked.contains(&format!("<{need}-here> {{{{x}}}}")),
                        "{name}: {asked}"
                    );
                    assert!(!asked.contains(&format!("{{{{{need}}}}}")), "{name}: {asked}");
                }
            }
        }
    }

    #[test]
    fn an_answer_of_another_form_is_refused() {
        let two = [message(Role::System, "a"), message(Role::User, "b\n")];
        let sheet = Sheet::of(&two);
        let good = "<message role=\"system\">\nA\n</message>\n\n<message role=\"user\">\nB\n\nC\n</message>";
        let read = sheet.read(good, &two).unwrap();
        assert_eq!(
            read,
            [message(Role::System, "A"), message(Role::User, "B\n\nC\n")]
        );
        for wrong in [
            "A and B",
            "<message role=\"user\">\nA\n</message>\n<message role=\"user\">\nB\n</message>",
            "<message role=\"system\">\nA\n</message>",
            &format!("{good}\n<message role=\"user\">\nD\n</message>"),
            &format!("Here it is:\n{good}"),
            "",
        ] {
            assert_eq!(sheet.read(wrong, &two), None, "{wrong}");
        }
        let one = [message(Role::User, "a")];
        assert_eq!(Sheet::of(&one).read(" \n", &one), None, "nothing is no proposal");
    }

    #[test]
    fn wrappings_of_the_whole_are_taken_off() {
        let one = [message(Role::User, "a")];
        let sheet = Sheet::of(&one);
        for said in [
            "B",
            " B\n",
            "```\nB\n```",
            "```text\nB\n```",
            "<prompt>\nB\n</prompt>",
        ] {
            assert_eq!(sheet.read(said, &one).unwrap()[0].text, "B", "{said}");
        }
        let several = "```\nx\n```\nand\n```\ny\n```";
        assert_eq!(sheet.read(several, &one).unwrap()[0].text, several);
    }

    #[test]
    fn variables_that_changed_are_named() {
        let old = [message(Role::User, "{{a}} {{b}} {{a}}")];
        let new = [message(Role::User, "{{b}} {{语言}}")];
        assert_eq!(missing(&old, &new), ["a"]);
        assert_eq!(missing(&new, &old), ["语言"]);
        assert!(difference(&old, &new).contains("-{{a}} {{b}} {{a}}\n+{{b}} {{语言}}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Whatever stands in a prompt, tags of ours included: given back as it went, it is the same.
        #[test]
        fn what_goes_out_reads_back(
            texts in prop::collection::vec("([a-z你{} ]{0,8}|<message role=\"user\">|</message>|\n){0,6}[a-z]\n?", 1..4),
            roles in prop::collection::vec(0..3_usize, 4),
        ) {
            let messages: Vec<Message> = texts
                .iter()
                .zip(roles)
                .map(|(text, role)| message(Role::ALL[role], text.trim_start()))
                .collect();
            let sheet = Sheet::of(&messages);
            let read = sheet.read(&sheet.text, &messages).unwrap();
            prop_assert_eq!(&read, &messages);
            prop_assert_eq!(difference(&messages, &read), "");
        }
    }
}
