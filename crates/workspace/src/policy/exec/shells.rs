//! Shells, the scripts they read, and what a script reads itself.

use super::texts;
use crate::policy::ast::Place;
use crate::policy::run::Run;
use crate::policy::state::Feed;
use crate::policy::word::Field;
use crate::policy::{Decision, mark};
use std::ops::Range;

impl Run<'_> {
    pub(super) fn shell(
        &mut self,
        program: &str,
        arguments: &[Field],
        stdin: &Feed,
        span: &Range<usize>,
    ) -> Feed {
        let mut at = 0;
        let mut is_text = false;
        let mut from_input = false;
        while let Some(argument) = arguments.get(at) {
            let text = argument.text.as_str();
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if !text.starts_with(['-', '+']) {
                break;
            }
            at += 1;
            let long = text.starts_with("--");
            is_text |=
                matches!(text, "--command" | "-Command" | "-commands") || (!long && text.contains('c'));
            from_input |= !long && text.contains('s');
            if matches!(text, "-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") {
                if let Some(feed) = arguments.get(at).map(|file| self.contents(&file.text, stdin))
                    && long
                {
                    self.script(&feed, &Feed::Nothing, program, &[], span);
                }
                at += 1;
            }
        }
        let rest = &arguments[at.min(arguments.len())..];
        match rest.split_first() {
            Some((text, others)) if is_text => {
                let text = mark::data(&text.text);
                let place = Place::Within(span.clone());
                let zero = others.first().map(|name| name.text.clone());
                let zero = std::mem::replace(&mut self.state.zero, zero);
                let others = others.get(1..).unwrap_or_default();
                let feed = self.with_positional(texts(others), |run| run.text(text, place, stdin));
                self.state.zero = zero;
                feed
            }
            Some((file, others)) if !from_input => {
                let feed = self.contents(&file.text, stdin);
                self.script(&feed, &Feed::Nothing, program, others, span)
            }
            _ => self.script(stdin, &Feed::Nothing, program, rest, span),
        }
    }

    fn with_positional<T>(&mut self, values: Vec<String>, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.positional.replace(values);
        let cwd = self.state.cwd.clone();
        let result = run(self);
        self.state.positional = before;
        self.state.cwd = cwd;
        result
    }

    /// What a shell reads as its script.
    pub fn script(
        &mut self,
        feed: &Feed,
        stdin: &Feed,
        program: &str,
        arguments: &[Field],
        span: &Range<usize>,
    ) -> Feed {
        match feed {
            // A script of the workspace is what the person asked for: what is in it is the sandbox's
            // business.
            Feed::Nothing | Feed::File(_) => Feed::Unknown,
            Feed::Text(text) => {
                let text = text.clone();
                let place = Place::Within(span.clone());
                self.with_positional(texts(arguments), |run| run.text(text, place, stdin))
            }
            Feed::Download => {
                self.say(Decision::Ask, "remote_script", program, program, span);
                Feed::Unknown
            }
            Feed::Paths(_) | Feed::Unknown => {
                self.say(Decision::Ask, "unknown_script", program, program, span);
                Feed::Unknown
            }
        }
    }

    pub(super) fn read(&mut self, arguments: &[Field], stdin: &Feed) {
        let mut names: Vec<&str> = Vec::new();
        let mut words = arguments.iter().map(|argument| argument.text.as_str());
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some(letters) if letters.ends_with(['d', 'n', 'N', 'p', 't', 'u', 'i']) => {
                    words.next();
                }
                Some(_) => {}
                None => names.push(word),
            }
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        let lines: Vec<String> = match stdin {
            Feed::Text(text) => text.lines().take(64).map(str::to_owned).collect(),
            Feed::Paths(paths) => paths.clone(),
            _ => vec![mark::UNKNOWN.to_string()],
        };
        for line in &lines {
            let mut rest = line.trim();
            for (at, name) in names.iter().enumerate() {
                let is_last = at + 1 == names.len();
                let (value, after) = match rest.split_once(char::is_whitespace) {
                    Some((value, after)) if !is_last => (value, after.trim_start()),
                    _ => (rest, if rest.contains(mark::UNKNOWN) { rest } else { "" }),
                };
                self.state.set(name, vec![value.to_owned()], false);
                rest = after;
            }
        }
    }
}
