//! YAML and JSON into values, with bounds on what a small text may grow to: aliases are expanded
//! while parsing, so a few hundred bytes can ask for gigabytes.

use crate::text::cut;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use std::cell::Cell;
use std::fmt;

/// Deeper than parameters of any tool, and shallow enough for a thread's stack.
const MAX_DEPTH: usize = 64;
/// Longest reason and longest excerpt.
const REASON_CHARS: usize = 300;
const EXCERPT_CHARS: usize = 120;
/// Values a text may have beside one for each of its bytes, aliases expanded.
const SPARE_NODES: usize = 10_000;
/// Text that aliases may add.
const SPARE_BYTES: usize = 8 * 1024 * 1024;

/// Where strict YAML stopped. Zero when unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct YamlError {
    pub line: u64,
    pub column: u64,
    pub reason: String,
    /// The line itself, cut.
    pub excerpt: String,
}

/// Strict: duplicate keys, unknown aliases and everything that is not YAML is refused.
pub fn parse(text: &str) -> Result<Value, YamlError> {
    // JSON first: it is legal YAML too, but has keys longer than YAML allows and tabs.
    if text.trim_start().starts_with('{')
        && let Ok(value) = json(text)
    {
        return Ok(value);
    }
    let room = Room::of(text);
    let parsed = serde_saphyr::with_deserializer_from_str_with_options(text, options(text), |deserializer| {
        Bounded {
            room: &room,
            depth: 0,
        }
        .deserialize(deserializer)
    });
    parsed.map_err(|error| {
        let error = error.without_snippet();
        let (line, column) = error
            .location()
            .map_or((0, 0), |location| (location.line(), location.column()));
        YamlError {
            line,
            column,
            reason: reason(&error.to_string()),
            excerpt: excerpt(text, line),
        }
    })
}

fn json(text: &str) -> Result<Value, serde_json::Error> {
    let room = Room::of(text);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = Bounded {
        room: &room,
        depth: 0,
    }
    .deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

fn options(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            simple_key_max_lookahead: 64 * 1024,
            max_events: text.len().saturating_mul(4).saturating_add(1000),
            max_nodes: text.len().saturating_add(SPARE_NODES),
            max_documents: 1,
            max_recorded_anchor_bytes: SPARE_BYTES,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        // `yes`, `no`, `on` and `off` are words in YAML 1.2.
        strict_booleans: true,
        // A number that JSON cannot hold would reach the tool as something else.
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 100_000,
            max_replay_stack_depth: 16,
        },
        emit_comments: false,
        with_snippet: false,
    }
}

/// One line; the place is given beside it.
fn reason(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim();
    let line = line
        .rfind(" at line ")
        .map_or(line, |at| &line[..at])
        .trim_end_matches([',', ':', ' ']);
    cut(line, REASON_CHARS)
}

/// A line of `text`, counted from one, cut; empty where there is none.
pub fn excerpt(text: &str, line: u64) -> String {
    let index = usize::try_from(line).unwrap_or(usize::MAX);
    match index.checked_sub(1).and_then(|index| text.lines().nth(index)) {
        Some(line) => cut(line, EXCERPT_CHARS),
        None => String::new(),
    }
}

/// How many values and bytes may still be made.
struct Room {
    nodes: Cell<usize>,
    bytes: Cell<usize>,
}

impl Room {
    fn of(text: &str) -> Self {
        Room {
            nodes: Cell::new(text.len().saturating_add(SPARE_NODES)),
            bytes: Cell::new(text.len().saturating_mul(2).saturating_add(SPARE_BYTES)),
        }
    }

    fn take<E: Error>(&self, bytes: usize) -> Result<(), E> {
        let left = (
            self.nodes.get().checked_sub(1),
            self.bytes.get().checked_sub(bytes),
        );
        let (Some(nodes), Some(bytes)) = left else {
            return Err(E::custom(
                "the document grows too large when its aliases are expanded",
            ));
        };
        self.nodes.set(nodes);
        self.bytes.set(bytes);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Bounded<'r> {
    room: &'r Room,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Bounded<'_> {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        match self.depth < MAX_DEPTH {
            true => Ok(Bounded {
                depth: self.depth + 1,
                ..self
            }),
            false => Err(E::custom(format_args!(
                "nested more than {MAX_DEPTH} levels deep"
            ))),
        }
    }

    fn small<E: Error>(self, value: Value) -> Result<Value, E> {
        self.room.take(0)?;
        Ok(value)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.small(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.small(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.small(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.small(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.small(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not a finite number"))?;
        self.small(Value::Number(number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.room.take(value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        self.room.take(value.len())?;
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.room.take(0)?;
        let inner = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        self.room.take(0)?;
        let inner = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            self.room.take(key.len())?;
            let value = entries.next_value_seed(inner)?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format_args!("duplicate key: {key}")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
