//! Rules as data: what a file of rules may say, and reading it. What a rule means for a command is
//! in `forms`; how a command's inner commands are found is in `exec`.

use super::paths::Target;
use super::{Decision, mark};
use base::{Args, Coded, args};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What is embedded. Each file holds one kind of table.
const RULES: &str = include_str!("../../../../resources/policy/rules.toml");
const WRAPPERS: &str = include_str!("../../../../resources/policy/wrappers.toml");
const CODE: &str = include_str!("../../../../resources/policy/code.toml");

#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    #[error("the rules cannot be read: {0}")]
    Unreadable(String),
    #[error("rule {rule} has a field {field}, which there is not")]
    UnknownField { rule: String, field: String },
    #[error("rule {rule}: {problem}")]
    Invalid { rule: String, problem: String },
    #[error("there are two rules named {0}")]
    Twice(String),
    #[error("rule {rule}: `{example}` is to give {expected:?} but gives {found:?}")]
    Example {
        rule: String,
        example: String,
        expected: Decision,
        found: Decision,
    },
}

impl Coded for PolicyError {
    fn code(&self) -> &'static str {
        match self {
            PolicyError::Unreadable(_) => "policy_rules_unreadable",
            PolicyError::UnknownField { .. } => "policy_rule_field",
            PolicyError::Invalid { .. } => "policy_rule_invalid",
            PolicyError::Twice(_) => "policy_rule_twice",
            PolicyError::Example { .. } => "policy_rule_example",
        }
    }

    fn args(&self) -> Args {
        match self {
            PolicyError::Unreadable(problem) => args! { problem: problem },
            PolicyError::UnknownField { rule, field } => args! { rule: rule, field: field },
            PolicyError::Invalid { rule, problem } => args! { rule: rule, problem: problem },
            PolicyError::Twice(rule) => args! { rule: rule },
            PolicyError::Example {
                rule,
                example,
                expected,
                found,
            } => args! { rule: rule, example: example, expected: expected, found: found },
        }
    }
}

/// All conditions that are given must hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    /// Patterns (`*`, `?`) of the program's name without its folder. `>` is a redirection to a file.
    pub programs: Vec<String>,
    pub decision: Decision,
    /// Key of the words; users' rules have their own.
    #[serde(default)]
    pub reason: String,
    /// For each group one argument must match one pattern; `a|b` is a group.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// No argument may match.
    #[serde(default)]
    pub unless: Vec<String>,
    /// One of these options must be there: `r`, `recursive`.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Options that take a value, so that it is no operand.
    #[serde(default)]
    pub values: Vec<String>,
    /// One of the places `of` must lead to one of these.
    #[serde(default)]
    pub targets: Vec<Target>,
    #[serde(default)]
    pub of: Of,
    /// The operand's prefix for `of = "key"`.
    #[serde(default)]
    pub key: String,
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Users' rules of decision allow: built-in rules that they lift by name.
    #[serde(default)]
    pub lifts: Vec<String>,
    #[serde(default)]
    pub blocked_examples: Vec<String>,
    #[serde(default)]
    pub ask_examples: Vec<String>,
    #[serde(default)]
    pub allowed_examples: Vec<String>,
}

const RULE_FIELDS: &[&str] = &[
    "name",
    "programs",
    "decision",
    "reason",
    "arguments",
    "unless",
    "flags",
    "values",
    "targets",
    "of",
    "key",
    "mode",
    "lifts",
    "blocked_examples",
    "ask_examples",
    "allowed_examples",
];

/// Where a rule looks for its targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    #[default]
    Operands,
    /// The last operand of several, or the value of `-t`.
    Last,
    /// `of=FILE`.
    Key,
    /// Operands before the first expression, as `find` has them.
    Start,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The first operand, or the value of `-m`, gives everybody everything.
    WorldWritable,
}

impl Rule {
    pub fn examples(&self) -> impl Iterator<Item = (&String, Decision)> {
        let of = |list: &'static str| {
            let (examples, decision) = match list {
                "block" => (&self.blocked_examples, Decision::Block),
                "ask" => (&self.ask_examples, Decision::Ask),
                _ => (&self.allowed_examples, Decision::Allow),
            };
            examples.iter().map(move |example| (example, decision))
        };
        of("block").chain(of("ask")).chain(of("allow"))
    }
}

/// A program that runs another, and where its words say so.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Wrapper {
    pub programs: Vec<String>,
    /// Words that must come first: `git bisect run`.
    pub after: Vec<String>,
    /// Options that take a value.
    pub values: Vec<String>,
    /// Options whose value is read by a shell.
    pub text: Vec<String>,
    /// Options whose value is split into words that come before the others: `env -S`.
    pub split: Vec<String>,
    /// Options that make it a question and run nothing: `command -v`.
    pub queries: Vec<String>,
    /// `NAME=value` before the command.
    pub assignments: bool,
    /// Operands before the command.
    pub skip: usize,
    /// The command's words are joined and read by a shell.
    pub join: bool,
    /// A shell reads standard input when no command is given.
    pub input: bool,
    /// Only options of `text` lead to commands; operands do not.
    pub only_text: bool,
}

/// An interpreter whose code may start programs.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Language {
    pub programs: Vec<String>,
    /// Options whose value is code; `""` is the first operand.
    pub code: Vec<String>,
    pub values: Vec<String>,
    /// Names of calls whose literal strings are a command.
    pub calls: Vec<String>,
    /// Names of calls whose literal string is a path that goes with everything in it.
    pub deletes: Vec<String>,
    /// `…` or %x{…} run a command.
    pub backticks: bool,
    /// `"cmd" | getline`, `print | "cmd"`.
    pub pipes: bool,
    /// Reads code from standard input when nothing else is given.
    pub input: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Names {
    pub shells: Vec<String>,
    /// `"$CC"`: variables that by custom hold a harmless program.
    pub known_variables: Vec<String>,
    /// Variables whose value some program runs through a shell.
    pub command_variables: Vec<String>,
    /// `git -c NAME=…`.
    pub command_settings: Vec<String>,
    /// Programs whose output comes from elsewhere: `curl … | sh`.
    pub downloads: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Rules {
    pub rules: Vec<Rule>,
    pub user: Vec<Rule>,
    pub wrappers: Vec<Wrapper>,
    pub languages: Vec<Language>,
    pub names: Names,
}

#[derive(Deserialize)]
struct WrapperFile {
    wrapper: Vec<Wrapper>,
}

#[derive(Deserialize)]
struct CodeFile {
    names: Names,
    language: Vec<Language>,
}

impl Rules {
    pub fn embedded() -> Result<Self, PolicyError> {
        let code: CodeFile = read(CODE)?;
        Ok(Rules {
            rules: rules(RULES)?,
            user: Vec::new(),
            wrappers: read::<WrapperFile>(WRAPPERS)?.wrapper,
            languages: code.language,
            names: code.names,
        })
    }

    pub fn wrapper(&self, program: &str, words: &[&str]) -> Option<&Wrapper> {
        self.wrappers.iter().find(|wrapper| {
            one_like(&wrapper.programs, program)
                && words.len() >= wrapper.after.len()
                && wrapper.after.iter().zip(words).all(|(a, b)| a == b)
        })
    }

    pub fn language(&self, program: &str) -> Option<&Language> {
        self.languages
            .iter()
            .find(|language| one_like(&language.programs, program))
    }

    /// Whether an unknown name may turn out to be something that a rule blocks whatever its arguments.
    pub fn may_be_blocked(&self, pattern: &str) -> bool {
        self.rules
            .iter()
            .filter(|rule| rule.decision == Decision::Block)
            .flat_map(|rule| &rule.programs)
            .any(|program| program != ">" && mark::may_be(pattern, program.trim_end_matches('*')))
    }

    pub fn is_shell(&self, program: &str) -> bool {
        one_like(&self.names.shells, program)
    }
}

pub fn one_like(patterns: &[String], text: &str) -> bool {
    patterns.iter().any(|pattern| mark::like(pattern, text))
}

/// JSON (as the settings file has it: a list, or `{"rule": […]}`) or TOML (`[[rule]]`).
pub fn rules(text: &str) -> Result<Vec<Rule>, PolicyError> {
    let value: Value = read(text)?;
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut map) => {
            if let Some(field) = map.keys().find(|key| *key != "rule") {
                return Err(PolicyError::UnknownField {
                    rule: "-".to_owned(),
                    field: field.clone(),
                });
            }
            match map.remove("rule") {
                Some(Value::Array(list)) => list,
                None => Vec::new(),
                Some(_) => return Err(PolicyError::Unreadable("`rule` is no list".to_owned())),
            }
        }
        _ => return Err(PolicyError::Unreadable("no list of rules".to_owned())),
    };
    let rules = list
        .into_iter()
        .enumerate()
        .map(|(at, value)| rule(at, value))
        .collect::<Result<Vec<_>, _>>()?;
    for (at, rule) in rules.iter().enumerate() {
        if rules[..at].iter().any(|other| other.name == rule.name) {
            return Err(PolicyError::Twice(rule.name.clone()));
        }
    }
    Ok(rules)
}

fn rule(at: usize, value: Value) -> Result<Rule, PolicyError> {
    let name = match value.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("#{}", at + 1),
    };
    let invalid = |problem: String| PolicyError::Invalid {
        rule: name.clone(),
        problem,
    };
    if let Some(field) = value
        .as_object()
        .and_then(|map| map.keys().find(|key| !RULE_FIELDS.contains(&key.as_str())))
    {
        return Err(PolicyError::UnknownField {
            rule: name,
            field: field.clone(),
        });
    }
    let rule: Rule = serde_json::from_value(value).map_err(|error| invalid(error.to_string()))?;
    if rule.programs.is_empty() || rule.programs.iter().any(String::is_empty) {
        return Err(invalid("`programs` names no program".to_owned()));
    }
    if !rule.lifts.is_empty() && rule.decision != Decision::Allow {
        return Err(invalid("`lifts` is for rules that allow".to_owned()));
    }
    if (rule.of == Of::Key) == rule.key.is_empty() {
        return Err(invalid("`key` and `of = \"key\"` go together".to_owned()));
    }
    Ok(rule)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, PolicyError> {
    // `[` opens a list of JSON, or a table of TOML, which has a name.
    let start = text.trim_start();
    let is_json = start.starts_with('{')
        || start
            .strip_prefix('[')
            .is_some_and(|rest| rest.trim_start().starts_with(['{', ']']));
    if is_json {
        serde_json::from_str(text).map_err(|error| PolicyError::Unreadable(error.to_string()))
    } else {
        toml::from_str(text).map_err(|error| PolicyError::Unreadable(error.to_string()))
    }
}
