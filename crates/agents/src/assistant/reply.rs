//! Replies of models, read leniently and taken strictly (seed 003, requirements 4 and 8): plain JSON, JSON in a fence
//! or amid words, with comments and trailing commas, blocks of `type:` and `id:` lines, calls of tools. What it means
//! must be clear all the same: a type that nobody knows, a field that lacks, an element that is not on the page are
//! refused, and the model is told why.

use super::action::{ActionKind, Instruction};
use super::element::Observation;
use base::{Args, Coded, args};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Map, Value, json};

/// Steps of one reply.
const STEPS: usize = 10;
/// Bytes of a reply that are read.
const REPLY: usize = 256 * 1024;
/// Characters of a value that is typed, and of a reason.
const VALUE: usize = 10_000;
const REASON: usize = 500;

/// What the model wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Act(Vec<Instruction>),
    /// It says why it cannot.
    Cannot(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    #[error("there are no instructions in the reply")]
    Nothing,
    #[error("the reply is no JSON: {reason}")]
    Json { reason: String },
    #[error("step {step}: the type {given:?} is none of {}", ActionKind::names())]
    Kind { step: usize, given: String },
    #[error("step {step}: {field} lacks or is not of its kind")]
    Field { step: usize, field: &'static str },
    #[error("step {step}: there is no element {id} on the page")]
    Element { step: usize, id: u32 },
    #[error("more than {limit} steps")]
    Many { limit: usize },
}

impl Coded for ReplyError {
    fn code(&self) -> &'static str {
        match self {
            ReplyError::Nothing | ReplyError::Json { .. } | ReplyError::Many { .. } => {
                "assistant_reply_invalid"
            }
            ReplyError::Kind { .. } | ReplyError::Field { .. } => "assistant_reply_field",
            ReplyError::Element { .. } => "assistant_element_missing",
        }
    }

    fn args(&self) -> Args {
        match self {
            ReplyError::Element { id, .. } => args! { id: id },
            other => args! { reason: other.to_string() },
        }
    }
}

/// A reply to what was seen of a page.
pub fn read(reply: &str, page: &Observation) -> Result<Decision, ReplyError> {
    let reply = &reply[..reply.floor_char_boundary(REPLY)];
    let Some(found) = found(reply)? else {
        return match reply.trim() {
            "" => Err(ReplyError::Nothing),
            words => Ok(Decision::Cannot(base::text::cut(words, REASON))),
        };
    };
    decided(found, page)
}

impl Decision {
    /// As the seed has it: JSON with `actions` (property 8).
    pub fn canonical(&self) -> Value {
        match self {
            Decision::Act(steps) => json!({"actions": steps}),
            Decision::Cannot(reason) => json!({"actions": [], "message": reason}),
        }
    }
}

/// The instructions in it, as JSON; nothing where it is words alone.
fn found(reply: &str) -> Result<Option<Value>, ReplyError> {
    let mut wrong = None;
    for candidate in candidates(reply) {
        match parsed(candidate) {
            Ok(value) if means_something(&value) => return Ok(Some(value)),
            Ok(_) => {}
            Err(reason) => wrong = wrong.or(Some(reason)),
        }
    }
    if let Some(blocks) = blocks(reply) {
        return Ok(Some(blocks));
    }
    match wrong {
        // It has a brace in it and is meant to be JSON.
        Some(reason)
            if reply.contains("\"actions\"")
                || reply.contains("\"type\"")
                || reply.trim().starts_with('{') =>
        {
            Err(ReplyError::Json { reason })
        }
        _ => Ok(None),
    }
}

/// Parts that may be JSON: all of it, what is fenced, what is between braces or brackets.
fn candidates(reply: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let whole = reply.trim();
    if whole.starts_with(['{', '[']) {
        all.push(whole);
    }
    let mut rest = reply;
    while let Some(begin) = rest.find("```") {
        let inner = &rest[begin + 3..];
        // The word behind the fence.
        let text = inner.find('\n').map_or("", |line| &inner[line + 1..]);
        let end = text.find("```").unwrap_or(text.len());
        all.push(text[..end].trim());
        rest = text.get(end + 3..).unwrap_or("");
    }
    let mut from = 0;
    while let Some(at) = reply[from..].find(['{', '[']).map(|at| from + at) {
        match balanced(&reply[at..]) {
            Some(length) => {
                all.push(&reply[at..at + length]);
                from = at + length;
            }
            // It was cut off: what is whole within it is not all that was meant.
            None => break,
        }
        if all.len() > 32 {
            break;
        }
    }
    all
}

/// Bytes of what begins here with a brace, up to the one that closes it; those in strings and comments aside.
fn balanced(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// With comments, trailing commas and the like.
fn parsed(text: &str) -> Result<Value, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())?;
    root.to_serde_value().ok_or_else(|| "nothing".to_owned())
}

fn means_something(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key("actions") || map.contains_key("type"),
        Value::Array(all) => !all.is_empty() && all.iter().all(|one| one.get("type").is_some()),
        _ => false,
    }
}

/// Lines of `type: click`, `id: 3`…; each `type` begins a step.
fn blocks(reply: &str) -> Option<Value> {
    const FIELDS: [&str; 5] = ["type", "id", "value", "reason", "waitAfter"];
    let mut steps: Vec<Map<String, Value>> = Vec::new();
    for line in reply.lines() {
        let line = line.trim().trim_start_matches(['-', '*']).trim();
        let Some((field, value)) = line.split_once([':', '：']) else {
            continue;
        };
        let field = field.trim().trim_matches(['"', '`', '*']);
        let Some(field) = FIELDS.into_iter().find(|known| known.eq_ignore_ascii_case(field)) else {
            continue;
        };
        let value = value.trim().trim_end_matches(',').trim_matches(['"', '`']);
        match (field, steps.last_mut()) {
            ("type", _) => steps.push(Map::from_iter([("type".to_owned(), value.into())])),
            (field, Some(step)) => {
                step.insert(field.to_owned(), value.into());
            }
            (_, None) => {}
        }
    }
    let is_known = |step: &Map<String, Value>| step["type"].as_str().and_then(ActionKind::named).is_some();
    (!steps.is_empty() && steps.iter().all(is_known)).then(|| json!({"actions": steps}))
}

fn decided(found: Value, page: &Observation) -> Result<Decision, ReplyError> {
    let (steps, why) = match found {
        Value::Array(steps) => (steps, None),
        Value::Object(mut map) => match map.remove("actions") {
            Some(Value::Array(steps)) => {
                let why = ["message", "reason", "error"]
                    .into_iter()
                    .find_map(|name| map.remove(name));
                (steps, why.and_then(|why| why.as_str().map(str::to_owned)))
            }
            // One step that is not in a list.
            Some(one @ Value::Object(_)) => (vec![one], None),
            Some(_) => {
                return Err(ReplyError::Field {
                    step: 0,
                    field: "actions",
                });
            }
            None => (vec![Value::Object(map)], None),
        },
        _ => return Err(ReplyError::Nothing),
    };
    if steps.is_empty() {
        return match why {
            Some(why) => Ok(Decision::Cannot(base::text::cut(&why, REASON))),
            None => Err(ReplyError::Nothing),
        };
    }
    if steps.len() > STEPS {
        return Err(ReplyError::Many { limit: STEPS });
    }
    let steps = steps
        .iter()
        .enumerate()
        .map(|(nth, step)| instruction(nth + 1, step, page));
    Ok(Decision::Act(steps.collect::<Result<_, _>>()?))
}

fn instruction(step: usize, given: &Value, page: &Observation) -> Result<Instruction, ReplyError> {
    let lacks = |field| ReplyError::Field { step, field };
    let named = given
        .get("type")
        .and_then(Value::as_str)
        .ok_or_else(|| lacks("type"))?;
    let kind = ActionKind::named(named).ok_or_else(|| ReplyError::Kind {
        step,
        given: base::text::cut(named, 40),
    })?;
    let id = match given.get("id") {
        None | Some(Value::Null) => None,
        Some(given) => Some(number(given).ok_or_else(|| lacks("id"))?),
    };
    if let Some(id) = id
        && page.element(id).is_none()
    {
        return Err(ReplyError::Element { step, id });
    }
    if kind.needs_id() && id.is_none() {
        return Err(lacks("id"));
    }
    let value = match given.get("value") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(Value::Bool(truth)) => Some(truth.to_string()),
        Some(_) => return Err(lacks("value")),
    };
    let too_long = value.as_ref().is_some_and(|value| value.chars().count() > VALUE);
    if too_long || kind.needs_value() && value.is_none() {
        return Err(lacks("value"));
    }
    let reason = given.get("reason").and_then(Value::as_str);
    Ok(Instruction {
        kind,
        id,
        value,
        reason: reason.map(|reason| base::text::cut(reason, REASON)),
        wait_after: given.get("waitAfter").and_then(number),
    })
}

/// A number, or a text that is one, also as the list of elements writes it: `[3]`.
fn number(given: &Value) -> Option<u32> {
    match given {
        Value::Number(number) => u32::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.trim().trim_matches(['[', ']', '#']).trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::Element;
    use super::*;
    use proptest::prelude::*;

    fn page() -> Observation {
        let elements = (1..=9).map(|id| Element {
            id,
            ..Element::default()
        });
        Observation {
            elements: elements.collect(),
            ..Observation::default()
        }
    }

    fn click(id: u32) -> Decision {
        Decision::Act(vec![Instruction {
            kind: ActionKind::Click,
            id: Some(id),
            value: None,
            reason: None,
            wait_after: None,
        }])
    }

    #[test]
    fn each_way_to_say_it_is_understood() {
        for said in [
            "{\"actions\": [{\"type\": \"click\", \"id\": 5}]}",
            "```json\n{\"actions\": [{\"type\": \"click\", \"id\": 5}]}\n```",
            "Sure! I click it.\n```\n{\"actions\":[{\"type\":\"click\",\"id\":5}]}\n``` Anything else?",
            "好的：{\"actions\": [{\"type\": \"click\", \"id\": 5}]}，这样就可以了。",
            "{\n // the button\n \"actions\": [{\"type\": \"click\", \"id\": 5,},],\n}",
            "{actions: [{type: \"click\", id: 5}]}",
            "[{\"type\": \"click\", \"id\": 5}]",
            "{\"type\": \"click\", \"id\": \"5\"}",
            "{\"actions\": {\"type\": \"CLICK\", \"id\": \"[5]\"}}",
            "type: click\nid: 5",
            "I would do this:\n- type: click\n- id: [5]",
            "类型见下\ntype：click\nid：5",
            "{\"note\": \"{ not this }\"} {\"actions\": [{\"type\": \"click\", \"id\": 5}]}",
        ] {
            assert_eq!(read(said, &page()), Ok(click(5)), "{said}");
        }
        let blocks = "type: input\nid: 2\nvalue: a: b\nreason: it is empty\n\ntype: key\nvalue: Enter";
        let Ok(Decision::Act(steps)) = read(blocks, &page()) else {
            panic!("{:?}", read(blocks, &page()));
        };
        assert_eq!((steps.len(), steps[0].value.as_deref()), (2, Some("a: b")));
    }

    #[test]
    fn what_it_cannot_do_it_may_say() {
        for said in [
            "I cannot, because there is no such picture.",
            "无法完成：页面上没有登录按钮。",
            "{\"actions\": [], \"message\": \"there is no such picture\"}",
        ] {
            assert!(matches!(read(said, &page()), Ok(Decision::Cannot(_))), "{said}");
        }
    }

    #[test]
    fn what_is_not_clear_is_refused_and_says_why() {
        for (said, code, word) in [
            ("", "assistant_reply_invalid", "no instructions"),
            ("{\"actions\": []}", "assistant_reply_invalid", "no instructions"),
            (
                "{\"actions\": [{\"type\": \"click\", \"id\": 5}",
                "assistant_reply_invalid",
                "no JSON",
            ),
            (
                "{\"actions\": [{\"type\": \"buy\", \"id\": 5}]}",
                "assistant_reply_field",
                "\"buy\"",
            ),
            (
                "{\"actions\": [{\"type\": \"click\"}]}",
                "assistant_reply_field",
                "id",
            ),
            (
                "{\"actions\": [{\"type\": \"click\", \"id\": -5}]}",
                "assistant_reply_field",
                "id",
            ),
            (
                "{\"actions\": [{\"type\": \"click\", \"id\": 5.5}]}",
                "assistant_reply_field",
                "id",
            ),
            (
                "{\"actions\": [{\"type\": \"input\", \"id\": 5}]}",
                "assistant_reply_field",
                "value",
            ),
            (
                "{\"actions\": [{\"type\": \"input\", \"id\": 5, \"value\": {}}]}",
                "assistant_reply_field",
                "value",
            ),
            ("{\"actions\": \"click\"}", "assistant_reply_field", "actions"),
            (
                "{\"actions\": [{\"type\": \"click\", \"id\": 77}]}",
                "assistant_element_missing",
                "77",
            ),
        ] {
            let error = read(said, &page()).unwrap_err();
            assert!(
                error.code() == code && error.to_string().contains(word),
                "{said}: {error}"
            );
        }
        let many = format!("[{}]", ["{\"type\": \"observe\"}"; 11].join(","));
        assert_eq!(read(&many, &page()), Err(ReplyError::Many { limit: 10 }));
    }

    fn step() -> impl Strategy<Value = Instruction> {
        let kinds = prop::sample::select(ActionKind::ALL.to_vec());
        (
            kinds,
            1u32..10,
            "[^\\p{C}]{0,40}",
            prop::option::of("[^\\p{C}]{1,40}"),
            prop::option::of(0u32..5000),
        )
            .prop_map(|(kind, id, value, reason, wait_after)| Instruction {
                kind,
                id: kind.needs_id().then_some(id),
                value: kind.needs_value().then_some(value),
                reason,
                wait_after,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Property 8 of the seed: however it is wrapped, what is understood is JSON with its steps.
        #[test]
        fn steps_come_through_however_they_are_wrapped(steps in prop::collection::vec(step(), 1..6), way in 0usize..5,
            before in "[a-zA-Z，。 ]{0,30}", after in "[a-zA-Z，。 ]{0,30}") {
            let decision = Decision::Act(steps);
            let text = decision.canonical().to_string();
            let said = match way {
                0 => text,
                1 => format!("{before}\n```json\n{text}\n```\n{after}"),
                2 => format!("{before} {text} {after}"),
                3 => format!("// {before}\n{},]}}", text.strip_suffix("]}").unwrap()),
                _ => text.replace("{\"actions\":", "{ /* so */ \"actions\" :"),
            };
            let read = read(&said, &page());
            prop_assert_eq!(read.as_ref(), Ok(&decision), "{}", said);
            let again: Value = serde_json::from_str(&decision.canonical().to_string()).unwrap();
            prop_assert!(again["actions"].is_array());
        }

        /// Whatever a model says: an answer or a refusal, and no step that cannot be done.
        #[test]
        fn nothing_that_a_model_says_harms(said in ".{0,300}|[{}\\[\\]\":,a-z0-9/\\\\` \n]{0,300}") {
            if let Ok(Decision::Act(steps)) = read(&said, &page()) {
                for step in steps {
                    prop_assert!(step.id.is_none_or(|id| (1..=9).contains(&id)));
                    prop_assert!(!step.kind.needs_value() || step.value.is_some());
                }
            }
        }
    }
}
