//! What a `SKILL.md` says of its skill, and what is wrong with it. Read leniently: a skill with a
//! problem is still shown, edited and given to clients, which are often more lenient than the
//! specification.

use super::name::{SkillName, is_proper};
use crate::front;
use base::{Args, Coded, args};
use serde_json::{Map, Value};

/// Of the specification.
pub(super) const MAX_DESCRIPTION: usize = 1024;
/// Longest text of a field that is handed on.
const MAX_FIELD: usize = 4000;

/// What its front matter says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front {
    pub name: String,
    pub description: String,
    /// Every other field, as text, in the order of their names.
    pub fields: Vec<(String, String)>,
}

/// Something that the specification does not allow, or that keeps clients from reading the skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("there is no SKILL.md")]
    NoText,
    #[error("SKILL.md cannot be read: {0}")]
    Unreadable(String),
    #[error("SKILL.md does not begin with a front matter")]
    NoFront,
    #[error("front matter, line {line}, column {column}: {reason}")]
    BrokenFront { line: u64, column: u64, reason: String },
    #[error("the field {field} is missing")]
    Missing { field: &'static str, line: u64 },
    #[error("the field {field} is no text")]
    NoString { field: &'static str, line: u64 },
    #[error("the name {name:?} is not the folder's, {folder}")]
    NameDiffers { name: String, folder: String, line: u64 },
    #[error("{name:?} is not a name of the specification")]
    ImproperName { name: String, line: u64 },
    #[error("the description has {chars} characters, {MAX_DESCRIPTION} are possible")]
    LongDescription { chars: usize, line: u64 },
    #[error("{path} is left out: it is no plain file or folder")]
    LeftOut { path: String },
    #[error("it has more than {limit} {what}")]
    TooBig { what: &'static str, limit: u64 },
}

impl Problem {
    /// In `SKILL.md`, counted from one; zero when it is about no line of it.
    pub fn line(&self) -> u64 {
        match self {
            Problem::BrokenFront { line, .. }
            | Problem::Missing { line, .. }
            | Problem::NoString { line, .. }
            | Problem::NameDiffers { line, .. }
            | Problem::ImproperName { line, .. }
            | Problem::LongDescription { line, .. } => *line,
            Problem::NoFront => 1,
            Problem::NoText | Problem::Unreadable(_) | Problem::LeftOut { .. } | Problem::TooBig { .. } => 0,
        }
    }
}

impl Coded for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::NoText => "skill_text_missing",
            Problem::Unreadable(_) => "skill_text_unreadable",
            Problem::NoFront => "skill_front_missing",
            Problem::BrokenFront { .. } => "skill_front_broken",
            Problem::Missing { .. } => "skill_field_missing",
            Problem::NoString { .. } => "skill_field_no_text",
            Problem::NameDiffers { .. } => "skill_name_differs",
            Problem::ImproperName { .. } => "skill_name_improper",
            Problem::LongDescription { .. } => "skill_description_long",
            Problem::LeftOut { .. } => "skill_left_out",
            Problem::TooBig { .. } => "skill_holds_too_much",
        }
    }

    fn args(&self) -> Args {
        match self {
            Problem::NoText | Problem::NoFront => args! {},
            Problem::Unreadable(reason) => args! { reason: reason },
            Problem::BrokenFront { line, column, reason } => {
                args! { line: line, column: column, reason: reason }
            }
            Problem::Missing { field, .. } | Problem::NoString { field, .. } => args! { field: field },
            Problem::NameDiffers { name, folder, .. } => args! { name: name, folder: folder },
            Problem::ImproperName { name, .. } => args! { name: name },
            Problem::LongDescription { chars, .. } => args! { chars: chars, limit: MAX_DESCRIPTION },
            Problem::LeftOut { path } => args! { path: path },
            Problem::TooBig { what, limit } => args! { what: what, limit: limit },
        }
    }
}

/// What the text of a `SKILL.md` in the folder `folder` says, and what is wrong with it.
pub(super) fn front(text: &str, folder: &SkillName) -> (Front, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut said = Front::default();
    let fields = match front::split(text).0 {
        None => {
            problems.push(Problem::NoFront);
            return (said, problems);
        }
        Some(front) => match crate::read::value(front) {
            Ok(fields) => fields,
            Err(error) => {
                problems.push(Problem::BrokenFront {
                    // The line of dashes stands above it.
                    line: if error.line == 0 { 0 } else { error.line + 1 },
                    column: error.column,
                    reason: error.reason,
                });
                return (said, problems);
            }
        },
    };
    if let Some(name) = field(&fields, "name", text, &mut problems) {
        let line = line_of(text, "name");
        if !is_proper(name) {
            problems.push(Problem::ImproperName {
                name: base::text::cut(name, 100),
                line,
            });
        }
        if name != folder.as_str() {
            problems.push(Problem::NameDiffers {
                name: base::text::cut(name, 100),
                folder: folder.to_string(),
                line,
            });
        }
        said.name = base::text::cut(name, MAX_FIELD);
    }
    if let Some(description) = field(&fields, "description", text, &mut problems) {
        let chars = description.trim().chars().count();
        if chars > MAX_DESCRIPTION {
            let line = line_of(text, "description");
            problems.push(Problem::LongDescription { chars, line });
        }
        said.description = base::text::cut(description.trim(), MAX_FIELD);
    }
    said.fields = fields
        .iter()
        .filter(|(field, _)| !matches!(field.as_str(), "name" | "description"))
        .map(|(field, value)| (base::text::cut(field, 100), shown(value)))
        .collect();
    (said, problems)
}

/// A field that the specification requires to be a text with something in it.
fn field<'f>(
    fields: &'f Map<String, Value>,
    field: &'static str,
    text: &str,
    problems: &mut Vec<Problem>,
) -> Option<&'f str> {
    match fields.get(field) {
        Some(Value::String(value)) if !value.trim().is_empty() => Some(value),
        None | Some(Value::Null | Value::String(_)) => {
            let line = line_of(text, field);
            problems.push(Problem::Missing { field, line });
            None
        }
        Some(_) => {
            let line = line_of(text, field);
            problems.push(Problem::NoString { field, line });
            None
        }
    }
}

/// Where the front matter names a field; its first line when it does not.
fn line_of(text: &str, field: &str) -> u64 {
    let names = |line: &str| line.strip_prefix(field).is_some_and(|rest| rest.starts_with(':'));
    let found = text.lines().position(names).unwrap_or_default();
    u64::try_from(found + 1).unwrap_or(u64::MAX)
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{key}: {}", shown(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    base::text::cut(&text, MAX_FIELD)
}

/// The text of a new skill.
pub(super) fn template(name: &SkillName, description: &str, lang: base::Lang) -> String {
    let quoted = serde_json::Value::from(description).to_string();
    let body = lang.pick(
        "## 步骤\n\n1. 说明要做什么、按什么顺序做。\n2. 给出一个输入和期望结果的例子。\n3. 说明什么情况下不要使用这个技能。\n",
        "## Steps\n\n1. Say what to do, and in which order.\n2. Give an example of an input and the result that is wanted.\n3. Say when this skill is not to be used.\n",
    );
    format!("---\nname: {name}\ndescription: {quoted}\n---\n\n# {name}\n\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> SkillName {
        SkillName::parse(text).unwrap()
    }

    #[test]
    fn a_right_text_has_no_problem_and_all_its_fields() {
        let text = "---\nname: pdf\ndescription: >\n  Reads\n  PDF\nlicense: MIT\nmetadata:\n  author: x\n  version: 1.0\nallowed-tools: [Read, Grep]\n---\n# body\n";
        let (front, problems) = super::front(text, &name("pdf"));
        assert_eq!(problems, []);
        assert_eq!(
            (front.name.as_str(), front.description.as_str()),
            ("pdf", "Reads PDF")
        );
        let fields: Vec<_> = front
            .fields
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect();
        assert!(fields.contains(&("license", "MIT")), "{fields:?}");
        assert!(fields.contains(&("allowed-tools", "Read, Grep")), "{fields:?}");
        assert!(
            fields
                .iter()
                .any(|(key, value)| *key == "metadata" && value.contains("author: x")),
            "{fields:?}"
        );
    }

    #[test]
    fn each_problem_says_where_it_is() {
        let long = "x".repeat(1025);
        let cases: [(&str, &str, u64); 8] = [
            ("text", "skill_front_missing", 1),
            ("---\nname: [\n---\n", "skill_front_broken", 3),
            ("---\ndescription: d\n---\n", "skill_field_missing", 1),
            ("---\ndescription: d\nname:\n---\n", "skill_field_missing", 3),
            ("---\nname: a\ndescription: 7\n---\n", "skill_field_no_text", 3),
            ("---\nname: b\ndescription: d\n---\n", "skill_name_differs", 2),
            ("---\nname: A_\ndescription: d\n---\n", "skill_name_improper", 2),
            (
                &format!("---\nname: a\ndescription: {long}\n---\n"),
                "skill_description_long",
                3,
            ),
        ];
        for (text, code, line) in cases {
            let (_, problems) = super::front(text, &name("a"));
            let found = problems.iter().find(|problem| problem.code() == code);
            let at = found.unwrap_or_else(|| panic!("{text:?}: {problems:?}")).line();
            // Where YAML breaks is the parser's to say; it is inside the front matter.
            assert!(
                at == line || (code == "skill_front_broken" && at >= 2),
                "{text:?}: {at}"
            );
        }
    }

    #[test]
    fn a_new_skill_has_no_problem_in_either_language() {
        for lang in [base::Lang::ZhCn, base::Lang::En] {
            for description in [
                "d",
                "with \"quotes\": and\nlines",
                "{{x}} # y",
                "- a",
                "中文：说明",
            ] {
                let text = template(&name("a-1"), description, lang);
                let (front, problems) = super::front(&text, &name("a-1"));
                assert_eq!(problems, [], "{text}");
                assert_eq!(front.description, description);
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(
            text in "(---\n)?((name|description|metadata|x)(:| )|\\PC|[\n\r\t:&*\\[{}\\]|>#-]){0,80}(\n---\n)?\\PC{0,20}",
            folder in "[a-z-]{1,8}",
        ) {
            let (front, problems) = super::front(&text, &name(&format!("a{folder}a")));
            prop_assert!(!front.name.is_empty() || !problems.is_empty());
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let text = format!("---\n{}\n---\n", String::from_utf8_lossy(&bytes));
            super::front(&text, &name("a"));
        }
    }
}
