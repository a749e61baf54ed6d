//! Code for interpreters (`python -c`, `perl -e`, `awk '…'`): literal strings that it hands to a
//! shell, endless forks, deletions of roots. A reading of strings and names, no parser: code that
//! wants to hide can, and then it is the sandbox that holds. So only what is blocked counts here.

use super::Decision;
use super::mark;
use super::rules::Language;
use super::run::Run;
use super::state::Feed;
use super::word::Field;
use std::ops::Range;

/// Calls of one text that are looked at.
const CALLS: usize = 64;

impl Run<'_> {
    pub fn code(&mut self, program: &str, arguments: &[Field], stdin: &Feed, span: &Range<usize>) {
        if matches!(program, "sed" | "gsed") {
            return self.sed(arguments, span);
        }
        let Some(language) = self.rules.language(program).cloned() else {
            return;
        };
        let mut texts: Vec<String> = Vec::new();
        let mut file = None;
        let mut words = arguments.iter().map(|argument| argument.text.as_str());
        while let Some(word) = words.next() {
            let Some(name) = word.strip_prefix('-').filter(|name| !name.is_empty()) else {
                file = Some(word);
                break;
            };
            let name = name.trim_start_matches('-');
            let (name, value) = name
                .split_once('=')
                .map_or((name, None), |(name, value)| (name, Some(value)));
            let listed =
                |list: &[String], name: &str| !name.is_empty() && list.iter().any(|item| item == name);
            // `-ne`, `-lane`: the last letter of a cluster.
            let last = name.chars().last().map(String::from).unwrap_or_default();
            let first = name.chars().next().map(String::from).unwrap_or_default();
            if listed(&language.code, name) || (!word.starts_with("--") && listed(&language.code, &last)) {
                texts.extend(value.or_else(|| words.next()).map(str::to_owned));
            } else if listed(&language.code, &first) {
                texts.push(name[1..].to_owned());
            } else if listed(&language.values, name) && value.is_none() {
                words.next();
            }
        }
        let is_first = language.code.iter().any(String::is_empty);
        match file {
            Some("eval") if texts.is_empty() => texts.extend(words.next().map(str::to_owned)),
            Some(code) if is_first && texts.is_empty() => texts.push(code.to_owned()),
            Some(_) if is_first => {}
            None if !language.input || !texts.is_empty() => {}
            path => match self.contents(path.unwrap_or("-"), stdin) {
                Feed::Text(text) => texts.push(text),
                Feed::Download => self.say(Decision::Ask, "remote_script", program, program, span),
                _ => {}
            },
        }
        for text in texts {
            self.scan_code(&language, program, &mark::data(&text), span);
        }
    }

    fn scan_code(&mut self, language: &Language, program: &str, text: &str, span: &Range<usize>) {
        if !self.spend(text.len() / 2) {
            return;
        }
        let tokens = tokens(text);
        if forks_endlessly(&tokens) {
            self.say(Decision::Block, "fork_bomb", program, text, span);
        }
        let mut calls = 0;
        for (at, token) in tokens.iter().enumerate() {
            let name = match token {
                Token::Name(name) => name.as_str(),
                Token::Backticks(command) if language.backticks => {
                    self.guess(command.clone(), span);
                    continue;
                }
                Token::Text(command) if language.pipes => {
                    let pipes = |token: Option<&Token>| matches!(token, Some(Token::Sign('|')));
                    if pipes(tokens.get(at + 1)) || (at > 0 && pipes(tokens.get(at - 1))) {
                        self.guess(command.clone(), span);
                    }
                    continue;
                }
                _ => continue,
            };
            let runs = super::rules::one_like(&language.calls, name);
            let deletes = super::rules::one_like(&language.deletes, name);
            if !(runs || deletes) || calls >= CALLS {
                continue;
            }
            calls += 1;
            let texts = literals(&tokens[at + 1..]);
            let Some(first) = texts.first() else {
                continue;
            };
            if deletes {
                let words = [Field::new("-r", span), Field::new(first.as_str(), span)];
                for matched in self.judged("rm", &words) {
                    if matched.decision == Decision::Block {
                        self.matched(&matched, "rm", &words, span);
                    }
                }
                continue;
            }
            self.guess(first.clone(), span);
            if texts.len() > 1 {
                self.quiet += 1;
                let words: Vec<Field> = texts.iter().map(|text| Field::new(text.as_str(), span)).collect();
                self.exec(&words, &Feed::Nothing, span);
                self.quiet -= 1;
            }
        }
    }

    /// `1e COMMAND`, `s/x/COMMAND/e`.
    fn sed(&mut self, arguments: &[Field], span: &Range<usize>) {
        for argument in arguments {
            for part in argument.text.split(['\n', ';']) {
                let command = part.trim_start_matches(|c: char| c.is_ascii_digit() || " $,!{".contains(c));
                if let Some(command) = command.strip_prefix("e ") {
                    self.guess(command.to_owned(), span);
                }
                let mut chars = command.chars();
                if chars.next() == Some('s')
                    && let Some(mark) = chars.next().filter(char::is_ascii_punctuation)
                    && let [_, _, replacement, flags] = command.split(mark).collect::<Vec<_>>().as_slice()
                    && flags.contains('e')
                {
                    self.guess((*replacement).to_owned(), span);
                }
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    /// With its dots: `os.system`.
    Name(String),
    Text(String),
    Backticks(String),
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_alphabetic() || c == '_' {
            let start = at;
            while at < chars.len() && (chars[at].is_alphanumeric() || "_.:".contains(chars[at])) {
                at += 1;
            }
            let name: String = chars[start..at].iter().collect();
            let name = name.replace("::", ".");
            let opens = chars.get(at).copied();
            let is_quoting = matches!(name.as_str(), "q" | "qq" | "qx" | "qw");
            match opens.and_then(closing).filter(|_| is_quoting) {
                Some(close) => {
                    let (inner, end) = until(&chars, at + 1, close);
                    found.push(if name == "qx" {
                        Token::Backticks(inner)
                    } else {
                        Token::Text(inner)
                    });
                    at = end;
                }
                None => found.push(Token::Name(name.trim_matches(['.', ':']).to_owned())),
            }
        } else if matches!(c, '"' | '\'' | '`') {
            let (inner, end) = until(&chars, at + 1, c);
            found.push(if c == '`' {
                Token::Backticks(inner)
            } else {
                Token::Text(inner)
            });
            at = end;
        } else if c == '%'
            && chars.get(at + 1) == Some(&'x')
            && chars.get(at + 2).is_some_and(|c| closing(*c).is_some())
        {
            let (inner, end) = until(
                &chars,
                at + 3,
                chars.get(at + 2).and_then(|c| closing(*c)).unwrap_or(')'),
            );
            found.push(Token::Backticks(inner));
            at = end;
        } else {
            if !c.is_whitespace() {
                found.push(Token::Sign(c));
            }
            at += 1;
        }
    }
    found
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        '/' | '|' | '!' => open,
        _ => return None,
    })
}

fn until(chars: &[char], from: usize, close: char) -> (String, usize) {
    let mut inner = String::new();
    let mut at = from;
    while at < chars.len() && chars[at] != close {
        if chars[at] == '\\' && at + 1 < chars.len() {
            if chars[at + 1] != close {
                inner.push('\\');
            }
            at += 1;
        }
        inner.push(chars[at]);
        at += 1;
    }
    (inner, at + 1)
}

/// The strings that follow a name, with nothing but `( [ , { +` between them; `"su" + "do"` is one.
fn literals(tokens: &[Token]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut adds = false;
    for token in tokens {
        match token {
            Token::Text(text) | Token::Backticks(text) => {
                match texts.last_mut().filter(|_| adds) {
                    Some(last) => last.push_str(text),
                    None => texts.push(text.clone()),
                }
                adds = false;
            }
            Token::Sign('+') => adds = true,
            Token::Sign('.') => adds = true,
            Token::Sign('(' | '[' | ',' | '{' | '|' | '-') => {}
            Token::Name(prefix) if matches!(prefix.as_str(), "r" | "b" | "f" | "u" | "rb") => {}
            _ => break,
        }
        if texts.len() >= CALLS {
            break;
        }
    }
    texts
}

fn forks_endlessly(tokens: &[Token]) -> bool {
    let has = |wanted: &[&str]| {
        tokens
            .iter()
            .any(|token| matches!(token, Token::Name(name) if wanted.contains(&name.as_str())))
    };
    has(&["fork", "os.fork", "Process.fork", "pcntl_fork", "posix.fork"])
        && has(&["while", "loop", "until", "for"])
}
