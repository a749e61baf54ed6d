//! Programs that run a command for each of something: `find -exec`, `fd -x`, `xargs`, `parallel`.

use super::texts;
use super::wrapped::option;
use crate::policy::rules::Wrapper;
use crate::policy::run::Run;
use crate::policy::state::Feed;
use crate::policy::word::Field;
use crate::policy::{forms, mark};
use std::ops::Range;

/// Lines or words of input that a command is run for.
const TIMES: usize = 16;

impl Run<'_> {
    pub(super) fn find(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let below: Vec<String> = forms::starts(arguments)
            .iter()
            .map(|start| format!("{start}/x"))
            .collect();
        let mut at = 0;
        while at < arguments.len() {
            let is_exec = matches!(
                arguments[at].text.as_str(),
                "-exec" | "-execdir" | "-ok" | "-okdir"
            );
            at += 1;
            if !is_exec {
                continue;
            }
            let length = arguments[at..]
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"));
            let command = &arguments[at..at + length.unwrap_or(arguments.len() - at)];
            for path in below.iter().take(TIMES) {
                self.exec(&replaced(command, "{}", path), stdin, span);
            }
            at += command.len();
        }
        Feed::Paths(below)
    }

    pub(super) fn fd(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let exec = ["-x", "-X", "--exec", "--exec-batch"];
        if let Some(at) = arguments
            .iter()
            .position(|word| exec.contains(&word.text.as_str()))
        {
            self.exec(&replaced(&arguments[at + 1..], "{}", "./x"), stdin, span);
        }
        Feed::Unknown
    }

    pub(super) fn xargs(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let wrapper = Wrapper {
            values: [
                "n",
                "P",
                "L",
                "I",
                "J",
                "d",
                "s",
                "E",
                "a",
                "R",
                "S",
                "max-args",
                "max-procs",
                "delimiter",
                "max-lines",
                "arg-file",
                "max-chars",
                "process-slot-var",
            ]
            .map(str::to_owned)
            .to_vec(),
            ..Wrapper::default()
        };
        let mut at = 0;
        let mut holder = None;
        let mut delimiter = None;
        while let Some(argument) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1;
            let (name, mut value) = option(&argument.text, &wrapper);
            if value.is_none() && wrapper.values.contains(&name) {
                value = arguments.get(at).map(|argument| argument.text.clone());
                at += 1;
            }
            match name.as_str() {
                "I" | "J" => holder = value,
                "i" | "replace" => holder = Some(value.unwrap_or_else(|| "{}".to_owned())),
                "d" | "delimiter" => delimiter = value,
                _ => {}
            }
        }
        let command = &arguments[at.min(arguments.len())..];
        let items: Vec<String> = match stdin {
            Feed::Text(text) if holder.is_some() => text.lines().map(str::to_owned).collect(),
            Feed::Text(text) => {
                let is_cut = |c: char| {
                    c.is_whitespace() || c == '\0' || delimiter.as_ref().is_some_and(|d| d.contains(c))
                };
                text.split(is_cut)
                    .filter(|word| !word.is_empty())
                    .map(|word| word.replace(['\'', '"', '\\'], ""))
                    .collect()
            }
            Feed::Paths(paths) => paths.clone(),
            _ => vec![mark::UNKNOWN.to_string()],
        };
        if command.is_empty() {
            return Feed::Text(items.join(" "));
        }
        match holder {
            Some(holder) => {
                for item in items.iter().take(TIMES) {
                    self.exec(&replaced(command, &holder, item), &Feed::Nothing, span);
                }
            }
            None => {
                let mut words = command.to_vec();
                words.extend(
                    items
                        .iter()
                        .take(TIMES * TIMES)
                        .map(|item| Field::new(item.as_str(), span)),
                );
                self.exec(&words, &Feed::Nothing, span);
            }
        }
        Feed::Unknown
    }

    pub(super) fn parallel(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let values = [
            "-j",
            "--jobs",
            "-n",
            "-N",
            "-L",
            "-S",
            "--delay",
            "--timeout",
            "--retries",
            "--joblog",
            "--results",
            "--tmpdir",
            "-C",
            "--colsep",
            "-a",
            "-I",
            "-P",
            "--sshlogin",
            "--max-args",
        ];
        let mut at = 0;
        while let Some(argument) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1 + usize::from(values.contains(&argument.text.as_str()));
        }
        let rest = &arguments[at.min(arguments.len())..];
        let end = rest
            .iter()
            .position(|word| word.text.starts_with(":::"))
            .unwrap_or(rest.len());
        let (command, inputs) = rest.split_at(end);
        let mut items: Vec<String> = texts(inputs)
            .into_iter()
            .filter(|item| !item.starts_with(":::"))
            .collect();
        match stdin {
            Feed::Text(text) if inputs.is_empty() => items.extend(text.lines().map(str::to_owned)),
            Feed::Paths(paths) if inputs.is_empty() => items.extend(paths.iter().cloned()),
            _ if inputs.is_empty() => items.push(mark::UNKNOWN.to_string()),
            _ => {}
        }
        let has_holder = command.iter().any(|word| word.text.contains("{"));
        for item in items.iter().take(TIMES) {
            let mut words = replaced(command, "{}", item);
            if !has_holder {
                words.push(Field::new(item.as_str(), span));
            }
            self.joined(&words, &Feed::Nothing, span);
        }
        Feed::Unknown
    }
}

fn replaced(words: &[Field], holder: &str, value: &str) -> Vec<Field> {
    words
        .iter()
        .map(|word| Field {
            text: word.text.replace(holder, value),
            ..word.clone()
        })
        .collect()
}
