//! Programs that run another, as `resources/policy/wrappers.toml` describes them.

use crate::policy::ast::Place;
use crate::policy::mark;
use crate::policy::rules::Wrapper;
use crate::policy::run::Run;
use crate::policy::state::Feed;
use crate::policy::word::Field;
use std::ops::Range;

impl Run<'_> {
    pub(super) fn wrapped(
        &mut self,
        wrapper: &Wrapper,
        program: &str,
        arguments: &[Field],
        stdin: &Feed,
        span: &Range<usize>,
    ) -> Feed {
        let mut words: Vec<Field> = Vec::new();
        let mut at = 0;
        while at < arguments.len() {
            let text = arguments[at].text.as_str();
            at += 1;
            if text == "--" {
                break;
            }
            if !text.starts_with(['-', '+']) || text.len() < 2 {
                if wrapper.only_text {
                    continue;
                }
                at -= 1;
                break;
            }
            let (name, mut value) = option(text, wrapper);
            let listed = |list: &[String]| list.contains(&name);
            if listed(&wrapper.queries) {
                return self.output(program, arguments, stdin);
            }
            let is_text = listed(&wrapper.text);
            let is_split = listed(&wrapper.split);
            if value.is_none() && (is_text || is_split || listed(&wrapper.values)) {
                value = arguments.get(at).map(|argument| argument.text.clone());
                at += 1;
            }
            let Some(value) = value else {
                continue;
            };
            if is_split {
                words.extend(value.split_whitespace().map(|word| Field::new(word, span)));
            } else if is_text && wrapper.only_text && program != "script" {
                self.guess(command_of(&value).to_owned(), span);
            } else if is_text {
                let text = mark::data(command_of(&value));
                self.text(text, Place::Within(span.clone()), stdin);
            }
        }
        if wrapper.only_text {
            if wrapper.input && *stdin != Feed::Nothing {
                return self.script(stdin, &Feed::Nothing, program, &[], span);
            }
            return self.output(program, arguments, stdin);
        }
        let mut rest = &arguments[at.min(arguments.len())..];
        while wrapper.assignments
            && let Some((first, after)) = rest.split_first()
            && first.text.contains('=')
        {
            let (name, value) = first.text.split_once('=').unwrap_or_default();
            if self
                .rules
                .names
                .command_variables
                .iter()
                .any(|variable| variable == name)
            {
                self.guess(value.to_owned(), span);
            }
            rest = after;
        }
        rest = &rest[wrapper.skip.min(rest.len())..];
        // `flock FILE -c TEXT`, `sg GROUP -c TEXT`: options may come behind the operands.
        if wrapper.skip > 0
            && !wrapper.text.is_empty()
            && rest.first().is_some_and(|word| word.text.starts_with('-'))
        {
            let again = Wrapper {
                skip: 0,
                ..wrapper.clone()
            };
            return self.wrapped(&again, program, rest, stdin, span);
        }
        words.extend(rest.iter().cloned());
        while wrapper.assignments && words.first().is_some_and(|word| word.text.contains('=')) {
            words.remove(0);
        }
        match (words.is_empty(), wrapper.join) {
            (true, _) if wrapper.input && *stdin != Feed::Nothing => {
                self.script(stdin, &Feed::Nothing, program, &[], span)
            }
            (true, _) => self.output(program, arguments, stdin),
            (false, true) => self.joined(&words, stdin, span),
            (false, false) => self.exec(&words, stdin, span),
        }
    }

    /// The words with blanks between them, read by a shell.
    pub(super) fn joined(&mut self, words: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let text = words
            .iter()
            .map(|word| mark::data(&word.text))
            .collect::<Vec<_>>()
            .join(" ");
        self.text(text, Place::Within(span.clone()), stdin)
    }
}

/// `-n5`, `-n`, `--name=5`, `--name`: the name and the value in the same word.
pub(super) fn option(text: &str, wrapper: &Wrapper) -> (String, Option<String>) {
    if let Some(long) = text.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (long.to_owned(), None),
        };
    }
    let letters = &text[1..];
    let valued = [&wrapper.values, &wrapper.text, &wrapper.split];
    // `-ex`, as gdb has it.
    if valued.iter().any(|list| list.iter().any(|item| item == letters)) {
        return (letters.to_owned(), None);
    }
    for (at, letter) in letters.char_indices() {
        let name = letter.to_string();
        if wrapper.queries.contains(&name) {
            return (name, None);
        }
        if valued.iter().any(|list| list.contains(&name)) {
            let rest = &letters[at + letter.len_utf8()..];
            return (name, (!rest.is_empty()).then(|| rest.to_owned()));
        }
    }
    (letters.to_owned(), None)
}

/// How programs mark a value as a command: `!ls`, `:!ls`, `exec=ls`, `shell ls`, `spawn ls`, and
/// `"\C-x": ls` for `bind`.
fn command_of(value: &str) -> &str {
    let value = value.split_once("\":").map_or(value, |(_, command)| command);
    let mut value = value.trim_start_matches([':', '!', ' ']);
    for prefix in ["exec=", "shell ", "spawn ", "ProxyCommand=", "LocalCommand=", "|"] {
        value = value.strip_prefix(prefix).unwrap_or(value);
    }
    value
}
