//! What well-known programs write when all they are given is known: so that text which is printed,
//! decoded or turned around on its way into a shell is judged as what it becomes. Everything else
//! writes something unknown.

mod text;

pub use text::{transformed, unescape};

use super::mark;
use super::paths::WORKSPACE;
use super::rules::one_like;
use super::run::Run;
use super::state::Feed;
use super::word::Field;
use text::{decoded, echo, from_hex, printf, substituted, translated};

impl Run<'_> {
    pub fn output(&mut self, program: &str, arguments: &[Field], stdin: &Feed) -> Feed {
        let words: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        let operands = || {
            words
                .iter()
                .copied()
                .filter(|word| !word.starts_with('-') || *word == "-")
        };
        let line = |text: &str| Feed::Text(format!("{text}\n"));
        match program {
            "echo" => Feed::Text(mark::data(&echo(&words))),
            "printf" => {
                let (name, format) = match words.as_slice() {
                    ["-v", name, rest @ ..] => (Some(*name), rest),
                    ["--", rest @ ..] | rest => (None, rest),
                };
                let text = mark::data(&printf(format));
                match name {
                    Some(name) => {
                        self.state.set(name, vec![text], false);
                        Feed::Nothing
                    }
                    None => Feed::Text(text),
                }
            }
            "true" | "false" | ":" | "test" | "[" | "mkdir" | "touch" | "chmod" | "rm" | "sleep" | "wait"
            | "kill" | "unset" | "exit" | "return" | "break" | "continue" | "popd" | "umask" | "ulimit"
            | "mv" | "shopt" => Feed::Nothing,
            "cp" => {
                if let [from, to] = operands().collect::<Vec<_>>().as_slice()
                    && let feed @ Feed::Text(_) = self.contents(from, stdin)
                {
                    let key = self.state.key(to);
                    self.state.files.insert(key, feed);
                }
                Feed::Nothing
            }
            "pwd" => self.state.cwd.as_deref().map_or(Feed::Unknown, line),
            "mktemp" => line("/tmp/x"),
            "git" if words.contains(&"--show-toplevel") => line(WORKSPACE),
            "which" | "command" | "type" => match operands().next_back() {
                Some(name) if program != "type" => line(name),
                _ => Feed::Unknown,
            },
            "basename" => match operands().next() {
                Some(path) => line(path.rsplit('/').next().unwrap_or_default()),
                None => Feed::Unknown,
            },
            "dirname" => match operands().next() {
                Some(path) if mark::is_known(path) => {
                    line(path.rsplit_once('/').map_or(".", |(folder, _)| folder))
                }
                _ => Feed::Unknown,
            },
            "realpath" | "readlink" | "tee" => {
                let mut paths = operands();
                match (program, paths.next()) {
                    ("tee", file) => {
                        for path in file.into_iter().chain(paths) {
                            let key = self.state.key(path);
                            self.state.files.insert(key, stdin.clone());
                        }
                        stdin.clone()
                    }
                    (_, Some(path)) if mark::is_known(path) => line(&self.state.key(path)),
                    _ => Feed::Unknown,
                }
            }
            _ if one_like(&self.rules.names.downloads, program) && !decodes(program, &words) => {
                Feed::Download
            }
            _ => self.filtered(program, &words, stdin),
        }
    }

    /// Programs that change what they read.
    fn filtered(&mut self, program: &str, words: &[&str], stdin: &Feed) -> Feed {
        let takes_file = matches!(
            program,
            "cat" | "base64" | "rev" | "tac" | "head" | "tail" | "base32" | "gbase64"
        );
        let file = words
            .iter()
            .find(|word| !word.starts_with('-') && word.parse::<u32>().is_err());
        let input = match file {
            Some(path) if takes_file => self.contents(path, stdin),
            _ => stdin.clone(),
        };
        let text = match input {
            Feed::Text(text) => text,
            Feed::Download => return Feed::Download,
            Feed::File(path) if program == "cat" => return Feed::File(path),
            Feed::Paths(paths) if matches!(program, "sort" | "uniq" | "head" | "tail" | "grep" | "cat") => {
                return Feed::Paths(paths);
            }
            _ => return Feed::Unknown,
        };
        self.spend(text.len() / 8);
        let has_flag = |letter: char, long: &str| {
            words.iter().any(|word| {
                *word == long || (word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
            })
        };
        let changed = match program {
            "cat" | "head" | "tail" | "sort" | "uniq" | "tac" | "fold" | "fmt" | "strings" | "pv"
            | "stdbuf" => Some(text),
            // A filter may leave any of its lines.
            "grep" | "egrep" | "fgrep" => Some(text),
            "rev" => Some(
                text.lines()
                    .map(|line| line.chars().rev().collect::<String>() + "\n")
                    .collect(),
            ),
            "base64" | "gbase64" => has_flag('d', "--decode")
                .then(|| decoded(&text))
                .flatten()
                .or_else(|| has_flag('D', "--decode").then(|| decoded(&text)).flatten()),
            "openssl" => decodes(program, words).then(|| decoded(&text)).flatten(),
            "xxd" => has_flag('r', "-r").then(|| from_hex(&text)).flatten(),
            "tr" => translated(words, &text),
            "sed" => words
                .iter()
                .rev()
                .find(|word| word.starts_with(['s', 'y']))
                .and_then(|script| substituted(script, &text)),
            _ => None,
        };
        changed.map_or(Feed::Unknown, Feed::Text)
    }
}

fn decodes(program: &str, words: &[&str]) -> bool {
    program == "openssl"
        && words.iter().any(|word| word.contains("base64") || *word == "-a")
        && words.contains(&"-d")
}
