//! One command in its position: which program it is, what the rules say about it, and which other
//! commands it runs. Nearly all wrappers are data (`resources/policy/wrappers.toml`); here is what
//! has a grammar of its own.

mod each;
mod git;
mod shells;
mod wrapped;

use super::ast::Place;
use super::mark;
use super::run::Run;
use super::state::Feed;
use super::word::Field;
use super::{Decision, paths};
use std::ops::Range;

/// Commands in commands: `env env env …`.
const DEPTH: usize = 40;

/// What the word in command position names.
enum Program {
    Known(String),
    /// Not known, and of no interest.
    Harmless,
    /// Not known, and asked about.
    Hidden,
}

impl Run<'_> {
    pub fn exec(&mut self, words: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let Some((head, arguments)) = words.split_first() else {
            return Feed::Nothing;
        };
        if head.text.is_empty() {
            return Feed::Nothing;
        }
        if !self.spend(words.len() + 1) || self.depth >= DEPTH {
            self.say(Decision::Block, "too_deep", "", &mark::plain(&head.text), span);
            return Feed::Unknown;
        }
        self.depth += 1;
        let feed = self.run_program(head, arguments, stdin, span);
        self.depth -= 1;
        feed
    }

    fn run_program(&mut self, head: &Field, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        if self.state.functions.contains_key(&head.text) {
            let values = arguments.iter().map(|argument| argument.text.clone()).collect();
            return self.call(&head.text, Some(values), stdin, span);
        }
        if let Some(value) = self.state.aliases.get(&head.text).cloned()
            && self.depth < DEPTH / 4
        {
            let rest: Vec<String> = arguments.iter().map(|argument| quoted(&argument.text)).collect();
            let text = format!("{} {}", value.trim_start(), rest.join(" "));
            return self.text(text, Place::Within(span.clone()), stdin);
        }
        let program = match self.program(head) {
            Program::Known(program) => program,
            Program::Harmless => return Feed::Unknown,
            Program::Hidden => {
                self.say(
                    Decision::Ask,
                    "unknown_program",
                    "",
                    &mark::plain(&head.text),
                    &head.span,
                );
                return Feed::Unknown;
            }
        };
        let end = arguments
            .iter()
            .map(|argument| argument.span.end)
            .max()
            .unwrap_or(0);
        for matched in self.judged(&program, arguments) {
            let end = if matched.by_program {
                head.span.end
            } else {
                end.max(head.span.end)
            };
            self.matched(&matched, &program, arguments, &(head.span.start..end));
        }
        // A script that this command has just written.
        if head.text.contains('/')
            && let feed @ Feed::Text(_) = self.contents(&head.text, stdin)
        {
            self.script(&feed, stdin, &program, arguments, span);
        }
        self.builtin(&program, arguments, stdin, span)
    }

    fn program(&self, head: &Field) -> Program {
        let base = head.text.rsplit('/').next().unwrap_or_default();
        if mark::is_known(base) && !base.contains(mark::is_glob) {
            return Program::Known(base.to_owned());
        }
        let known: String = base.chars().filter(|c| *c != mark::UNKNOWN).collect();
        if known.is_empty() {
            let is_usual = head
                .variable
                .as_ref()
                .is_some_and(|name| self.rules.names.known_variables.contains(name));
            // `node_modules/.bin/$tool`: some program of the workspace.
            let is_own = head.text.contains('/')
                && matches!(
                    paths::classify(&head.text, self.state.cwd.as_deref()),
                    paths::Target::Inside
                );
            return if is_usual || is_own {
                Program::Harmless
            } else {
                Program::Hidden
            };
        }
        // What is unknown may be nothing: `su${x}do`.
        let has_rule = self
            .rules
            .rules
            .iter()
            .any(|rule| super::rules::one_like(&rule.programs, &known));
        if !known.contains(mark::is_glob) && (has_rule || self.rules.is_shell(&known)) {
            return Program::Known(known);
        }
        if self.rules.may_be_blocked(base) {
            Program::Hidden
        } else {
            Program::Harmless
        }
    }

    fn builtin(&mut self, program: &str, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        match program {
            "cd" | "pushd" | "chdir" => {
                let to = arguments
                    .iter()
                    .map(|a| a.text.as_str())
                    .find(|text| !text.starts_with('-') || *text == "-");
                self.state.change_folder(to.unwrap_or(paths::HOME));
                Feed::Nothing
            }
            "popd" => {
                self.state.cwd = None;
                Feed::Nothing
            }
            "set" => {
                if let Some(at) = arguments.iter().position(|argument| argument.text == "--") {
                    self.state.positional = Some(texts(&arguments[at + 1..]));
                }
                Feed::Nothing
            }
            "shift" => {
                if let Some(values) = self.state.positional.as_mut().filter(|values| !values.is_empty()) {
                    values.remove(0);
                }
                Feed::Nothing
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                for argument in arguments {
                    if let Some((name, value)) = argument.text.split_once('=') {
                        self.state.set(name, vec![value.to_owned()], false);
                    }
                }
                Feed::Nothing
            }
            "read" => {
                self.read(arguments, stdin);
                Feed::Nothing
            }
            "alias" => {
                for argument in arguments {
                    if let Some((name, value)) = argument.text.split_once('=') {
                        self.state.aliases.insert(name.to_owned(), mark::data(value));
                        self.guess(value.to_owned(), span);
                    }
                }
                Feed::Nothing
            }
            "trap" => {
                if let Some(text) = arguments.iter().find(|argument| argument.text != "--") {
                    self.guess(text.text.clone(), span);
                }
                Feed::Nothing
            }
            "eval" => {
                let from = usize::from(arguments.first().is_some_and(|first| first.text == "--"));
                self.joined(&arguments[from..], stdin, span)
            }
            "." | "source" => {
                let Some(file) = arguments.first() else {
                    return Feed::Unknown;
                };
                let feed = self.contents(&file.text, stdin);
                self.script(&feed, &Feed::Nothing, program, &arguments[1..], span)
            }
            "find" | "gfind" => self.find(arguments, stdin, span),
            "fd" | "fdfind" => self.fd(arguments, stdin, span),
            "xargs" | "gxargs" => self.xargs(arguments, stdin, span),
            "parallel" => self.parallel(arguments, stdin, span),
            "git" => self.git(arguments, stdin, span),
            "socat" => {
                for argument in arguments {
                    let (kind, rest) = argument.text.split_once(':').unwrap_or_default();
                    if matches!(kind.to_ascii_uppercase().as_str(), "EXEC" | "SYSTEM" | "SHELL") {
                        self.guess(rest.split(",").next().unwrap_or_default().to_owned(), span);
                    }
                }
                Feed::Download
            }
            _ if self.rules.is_shell(program) => self.shell(program, arguments, stdin, span),
            _ => {
                self.code(program, arguments, stdin, span);
                match self.rules.wrapper(program, &borrowed(arguments)) {
                    Some(wrapper) => {
                        let wrapper = wrapper.clone();
                        self.wrapped(&wrapper, program, &arguments[wrapper.after.len()..], stdin, span)
                    }
                    None => self.output(program, arguments, stdin),
                }
            }
        }
    }
}

fn texts(words: &[Field]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

fn borrowed(words: &[Field]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", mark::data(text).replace('\'', "'\\''"))
}
