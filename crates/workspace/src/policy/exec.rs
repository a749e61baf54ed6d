//! One command in its position: which program it is, what the rules say about it, and which other
//! commands it runs. Nearly all wrappers are data (`resources/policy/wrappers.toml`); here is what
//! has a grammar of its own.

use super::ast::Place;
use super::forms;
use super::mark;
use super::rules::Wrapper;
use super::run::Run;
use super::state::Feed;
use super::word::Field;
use super::{Decision, paths};
use std::ops::Range;

/// Commands in commands: `env env env …`.
const DEPTH: usize = 40;
/// Lines or words of input that a command is run for.
const TIMES: usize = 16;

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

    fn wrapped(
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
    fn joined(&mut self, words: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let text = words
            .iter()
            .map(|word| mark::data(&word.text))
            .collect::<Vec<_>>()
            .join(" ");
        self.text(text, Place::Within(span.clone()), stdin)
    }

    fn shell(&mut self, program: &str, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
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

    fn read(&mut self, arguments: &[Field], stdin: &Feed) {
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

    fn find(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
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

    fn fd(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let exec = ["-x", "-X", "--exec", "--exec-batch"];
        if let Some(at) = arguments
            .iter()
            .position(|word| exec.contains(&word.text.as_str()))
        {
            self.exec(&replaced(&arguments[at + 1..], "{}", "./x"), stdin, span);
        }
        Feed::Unknown
    }

    fn xargs(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
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

    fn parallel(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
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

    /// `git -c core.pager=… log`, `git config alias.x '!…'`, then the wrappers among its verbs.
    fn git(&mut self, arguments: &[Field], stdin: &Feed, span: &Range<usize>) -> Feed {
        let mut at = 0;
        while let Some(argument) = arguments.get(at).filter(|word| word.text.starts_with('-')) {
            at += 1;
            if matches!(
                argument.text.as_str(),
                "-C" | "--git-dir" | "--work-tree" | "--namespace"
            ) {
                at += 1;
            } else if argument.text == "-c" {
                if let Some((name, value)) = arguments.get(at).and_then(|word| word.text.split_once('=')) {
                    self.setting(name, value, span);
                }
                at += 1;
            }
        }
        let rest = &arguments[at.min(arguments.len())..];
        if rest.first().is_some_and(|verb| verb.text == "config") {
            let operands: Vec<&str> = borrowed(&rest[1..])
                .into_iter()
                .filter(|word| !word.starts_with('-') && *word != "set")
                .collect();
            if let [name, value, ..] = operands.as_slice() {
                self.setting(name, value, span);
            }
        }
        match self.rules.wrapper("git", &borrowed(rest)).cloned() {
            Some(wrapper) => self.wrapped(&wrapper, "git", &rest[wrapper.after.len()..], stdin, span),
            None => self.output("git", rest, stdin),
        }
    }

    fn setting(&mut self, name: &str, value: &str, span: &Range<usize>) {
        let name = name.to_ascii_lowercase();
        let is_alias = name.starts_with("alias.");
        if super::rules::one_like(&self.rules.names.command_settings, &name)
            && (!is_alias || value.starts_with('!'))
        {
            self.guess(value.trim_start_matches('!').to_owned(), span);
        }
    }
}

/// `-n5`, `-n`, `--name=5`, `--name`: the name and the value in the same word.
fn option(text: &str, wrapper: &Wrapper) -> (String, Option<String>) {
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

fn replaced(words: &[Field], holder: &str, value: &str) -> Vec<Field> {
    words
        .iter()
        .map(|word| Field {
            text: word.text.replace(holder, value),
            ..word.clone()
        })
        .collect()
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
