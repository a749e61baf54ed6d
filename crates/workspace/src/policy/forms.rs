//! Whether a rule speaks about a program with these arguments. Options are read as GNU programs
//! read them: anywhere, clustered, long ones abbreviated, none behind `--`.

use super::Decision;
use super::mark;
use super::paths;
use super::rules::{Mode, Of, Rule, one_like};
use super::run::Run;
use super::word::Field;

/// Text of a finding is for people.
const SHOWN: usize = 80;

pub struct Matched {
    pub rule: String,
    pub decision: Decision,
    pub reason: String,
    /// The program alone decides, whatever its arguments are.
    pub by_program: bool,
}

pub fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Arguments, sorted out.
#[derive(Default)]
struct Options<'a> {
    /// Letters and long names, with values.
    given: Vec<(String, Option<&'a str>)>,
    operands: Vec<&'a str>,
    /// An argument that nobody knows could be any option.
    unknown: bool,
}

fn options<'a>(arguments: &'a [Field], values: &[String]) -> Options<'a> {
    let takes = |name: &str| values.iter().any(|value| value == name);
    let mut found = Options::default();
    let mut words = arguments.iter().map(|field| field.text.as_str());
    while let Some(word) = words.next() {
        if word == "--" {
            found.operands.extend(words);
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None if takes(long) => (long, words.next()),
                None => (long, None),
            };
            found.given.push((name.to_owned(), value));
        } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            for (at, letter) in letters.char_indices() {
                let name = letter.to_string();
                if takes(&name) {
                    let rest = &letters[at + letter.len_utf8()..];
                    let value = if rest.is_empty() { words.next() } else { Some(rest) };
                    found.given.push((name, value));
                    break;
                }
                found.given.push((name, None));
            }
        } else {
            found.unknown |= !word.is_empty() && word.chars().all(|c| c == mark::UNKNOWN);
            found.operands.push(word);
        }
    }
    found
}

impl Run<'_> {
    /// Rules that speak about this command, users' exceptions taken into account.
    pub fn judged(&self, program: &str, arguments: &[Field]) -> Vec<Matched> {
        let rules = self.rules;
        let of = |list: &[Rule]| -> Vec<Matched> {
            let matching = list.iter().filter(|rule| rule.decision != Decision::Allow);
            matching
                .filter_map(|rule| self.matches(rule, program, arguments))
                .collect()
        };
        let mut built_in = of(&rules.rules);
        let allowing = rules.user.iter().filter(|rule| rule.decision == Decision::Allow);
        for rule in allowing.filter(|rule| self.matches(rule, program, arguments).is_some()) {
            built_in
                .retain(|matched| matched.decision == Decision::Block && !rule.lifts.contains(&matched.rule));
        }
        built_in.extend(of(&rules.user));
        built_in
    }

    fn matches(&self, rule: &Rule, program: &str, arguments: &[Field]) -> Option<Matched> {
        if !one_like(&rule.programs, program) {
            return None;
        }
        let any_like = |patterns: &str| {
            arguments.iter().any(|argument| {
                patterns
                    .split('|')
                    .any(|pattern| mark::like(pattern, &argument.text))
            })
        };
        if rule.unless.iter().any(|pattern| any_like(pattern)) {
            return None;
        }
        if !rule.arguments.iter().all(|patterns| any_like(patterns)) {
            return None;
        }
        let options = options(arguments, &rule.values);
        let mut decision = rule.decision;
        let has_flag = |name: &str| {
            rule.flags.iter().any(|flag| {
                let is_abbreviated = name.len() > 1 && flag.len() > 1 && flag.starts_with(name);
                flag == name || is_abbreviated
            })
        };
        if !rule.flags.is_empty() && !options.given.iter().any(|(name, _)| has_flag(name)) {
            if !options.unknown || rule.targets.is_empty() {
                return None;
            }
            decision = decision.min(Decision::Ask);
        }
        if rule.mode == Some(Mode::WorldWritable) && !options.gives_everything(program) {
            return None;
        }
        if !rule.targets.is_empty() && !self.leads(rule, arguments, &options) {
            return None;
        }
        let by_program = rule.arguments.is_empty()
            && rule.flags.is_empty()
            && rule.targets.is_empty()
            && rule.mode.is_none();
        Some(Matched {
            rule: rule.name.clone(),
            decision,
            reason: match (rule.reason.as_str(), rule.decision) {
                ("", Decision::Ask) => "policy_user_ask".to_owned(),
                ("", _) => "policy_user_block".to_owned(),
                (reason, _) => reason.to_owned(),
            },
            by_program,
        })
    }

    fn leads(&self, rule: &Rule, arguments: &[Field], options: &Options<'_>) -> bool {
        let cwd = self.state.cwd.as_deref();
        let leads = |path: &str| rule.targets.contains(&paths::classify(path, cwd));
        match rule.of {
            Of::Operands => options.operands.iter().any(|path| leads(path)),
            Of::Key => arguments
                .iter()
                .filter_map(|argument| argument.text.strip_prefix(rule.key.as_str()))
                .any(leads),
            Of::Start => starts(arguments).iter().any(|path| leads(path)),
            Of::Last => {
                let mut folders = arguments.iter().enumerate().filter_map(|(at, argument)| {
                    let text = argument.text.as_str();
                    let short = text.strip_prefix("-t").filter(|rest| !rest.is_empty());
                    let long = text.strip_prefix("--target-directory=");
                    let next = matches!(text, "-t" | "--target-directory");
                    long.or(short).or_else(|| {
                        arguments
                            .get(at + 1)
                            .filter(|_| next)
                            .map(|folder| folder.text.as_str())
                    })
                });
                let last = options.operands.last().filter(|_| options.operands.len() > 1);
                last.is_some_and(|path| leads(path)) || folders.any(leads)
            }
        }
    }
}

/// The folders that `find` starts at.
pub fn starts(arguments: &[Field]) -> Vec<&str> {
    let words: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match words[at] {
            "-H" | "-L" | "-P" => {}
            "-D" => at += 1,
            word if word.starts_with("-O") => {}
            word if word.starts_with(['-', '(', '!']) => break,
            word => found.push(word),
        }
        at += 1;
    }
    if found.is_empty() {
        found.push(".");
    }
    found
}

impl Options<'_> {
    fn gives_everything(&self, program: &str) -> bool {
        if program == "chmod" {
            // `chmod --reference=x` has no mode; its operands never look like one that gives all.
            return self.operands.first().is_some_and(|mode| gives_everything(mode));
        }
        let arguments = self.given.iter();
        arguments
            .filter(|(name, _)| name == "m" || name == "mode")
            .any(|(_, value)| value.is_some_and(gives_everything))
            || (self.given.iter().any(|(name, _)| name == "m")
                && self.operands.first().is_some_and(|mode| gives_everything(mode)))
    }
}

/// Everybody may read, write and execute: 777 in digits or letters.
fn gives_everything(mode: &str) -> bool {
    let digits = mode.trim_start_matches(['=', '+']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.ends_with("777") && digits.trim_start_matches('0').len() <= 4;
    }
    let mut given = [[false; 3]; 3];
    for clause in mode.split(',') {
        let Some(at) = clause.find(['+', '=']) else {
            continue;
        };
        let who = &clause[..at];
        // Without anybody named, `+` keeps to the umask.
        if !who.chars().all(|c| "ugoa".contains(c)) || (who.is_empty() && clause[at..].starts_with('+')) {
            continue;
        }
        for (class, letter) in ['u', 'g', 'o'].into_iter().enumerate() {
            if who.is_empty() || who.contains(letter) || who.contains('a') {
                for (bit, letters) in ["r", "w", "xX"].into_iter().enumerate() {
                    given[class][bit] |= clause[at..].contains(|c| letters.contains(c));
                }
            }
        }
    }
    given.into_iter().flatten().all(|bit| bit)
}
