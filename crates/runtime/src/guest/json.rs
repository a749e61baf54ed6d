//! JSON as JavaScript writes it, made such that everybody else can read it.
//!
//! JavaScript's text may hold halves of surrogate pairs, and its values may be nested without
//! limit; UTF-8 has no such halves, and readers stop somewhere.

use crate::protocol::DEPTH_LIMIT;
use serde_json::Value;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("it is nested deeper than {DEPTH_LIMIT} levels")]
    TooDeep,
    #[error("{0}")]
    Json(#[from] serde_json::Error),
}

/// Parses what `JSON.stringify` gave. Halves of pairs become U+FFFD.
pub(crate) fn parse(text: String) -> Result<Value, Unreadable> {
    let mut bytes = text.into_bytes();
    mend(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Looks at the text, not at the value: reading it is what could go wrong.
fn mend(bytes: &mut [u8]) -> Result<(), Unreadable> {
    let (mut at, mut depth, mut quoted) = (0, 0_usize, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quoted => {
                at += mend_escape(&mut bytes[at..]);
                continue;
            }
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                if depth > DEPTH_LIMIT {
                    return Err(Unreadable::TooDeep);
                }
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Mends the escape that `rest` begins with, in place; how long it is.
fn mend_escape(rest: &mut [u8]) -> usize {
    match (unit(rest), rest.get(6..).and_then(unit)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
        (Some(0xD800..=0xDFFF), _) => {
            rest[2..6].copy_from_slice(b"fffd");
            6
        }
        (Some(_), _) => 6,
        (None, _) => 2,
    }
}

/// The number of `\uXXXX`.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn halves_of_pairs_are_replaced_and_pairs_are_not() {
        for (text, expected) in [
            (r#""\ud800""#, json!("\u{fffd}")),
            (r#""a\udc00b""#, json!("a\u{fffd}b")),
            (r#""\uD83D\uDE00""#, json!("😀")),
            (r#""\ud83d\ud83d\ude00""#, json!("\u{fffd}😀")),
            (r#""\ud83d\u0041""#, json!("\u{fffd}A")),
            (r#""\\ud800""#, json!("\\ud800")),
            (r#""\\\ud800\"[""#, json!("\\\u{fffd}\"[")),
            (r#"{"\udfff":["]{"]}"#, json!({"\u{fffd}": ["]{"]})),
        ] {
            assert_eq!(parse(text.to_owned()).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_limited_where_it_is_said_to_be() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(nested(DEPTH_LIMIT)).is_ok());
        assert!(matches!(parse(nested(DEPTH_LIMIT + 1)), Err(Unreadable::TooDeep)));
        // Next to each other is not inside each other.
        assert!(parse(format!("[{}0]", "[{}],".repeat(1000))).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        /// Written with every UTF-16 unit escaped, text reads back as UTF-16 does it.
        #[test]
        fn every_string_of_javascript_reads_as_utf16_lossy(
            units in proptest::collection::vec(prop_oneof![any::<u16>(), 0xD7FE_u16..0xE002], 0..40),
        ) {
            let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let read = parse(format!("[\"{escaped}\"]")).unwrap();
            prop_assert_eq!(read, json!([String::from_utf16_lossy(&units)]));
        }

        #[test]
        fn other_text_is_judged_by_the_parser_alone(text in "[\\\\u\"\\[\\]{}:,0-9a-f ]{0,40}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(parse(text).unwrap(), value);
            }
        }
    }
}
