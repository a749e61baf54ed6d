//! Which characters are to be pictures: those that are emoji by default, and those that a
//! variation selector, a keycap or a joiner makes one (Unicode Technical Standard 51).
//!
//! Not here: whether a font has the picture.

use std::ops::Range;

const AS_TEXT: char = '\u{fe0e}';
const AS_PICTURE: char = '\u{fe0f}';
const JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// Below U+1F000, those that are pictures without being asked to: a newer Unicode adds none.
const PICTURES: [(u32, u32); 34] = [
    (0x231a, 0x231b),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26ce, 0x26ce),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f3),
    (0x26f5, 0x26f5),
    (0x26fa, 0x26fa),
    (0x26fd, 0x26fd),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x1f000, 0x1faff),
];

fn is_picture(c: char) -> bool {
    let c = u32::from(c);
    c >= 0x231a && PICTURES.iter().any(|(from, to)| (*from..=*to).contains(&c))
}

/// Skin tones, and the letters of flags that are spelt.
fn goes_on(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}' | AS_PICTURE | KEYCAP)
}

/// Whether an emoji font may have something that no other has.
pub(super) fn may_be_wanted(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{231a}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | AS_PICTURE | KEYCAP) || is_picture(c)
    })
}

/// The bytes of the text that are pictures, each sequence whole.
pub(super) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if text.is_ascii() {
        return spans;
    }
    let mut chars = text.char_indices().peekable();
    let mut joined = false;
    while let Some((at, c)) = chars.next() {
        let mut end = at + c.len_utf8();
        let next = chars.peek().map(|(_, next)| *next);
        let begins = match next {
            Some(AS_TEXT) => false,
            Some(AS_PICTURE | KEYCAP) => true,
            _ => is_picture(c),
        };
        if !begins && !joined {
            continue;
        }
        joined = false;
        while let Some((at, c)) = chars.next_if(|(_, c)| goes_on(*c) || *c == JOINER) {
            end = at + c.len_utf8();
            joined = c == JOINER;
        }
        match spans.last_mut() {
            Some(last) if last.end == at => last.end = end,
            _ => spans.push(at..end),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<&str> {
        spans(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn sequences_are_found_whole() {
        assert_eq!(of("a😀b"), ["😀"]);
        assert_eq!(of("👩‍🚀 ok 👍🏽!"), ["👩‍🚀", "👍🏽"]);
        assert_eq!(of("❤️ ❤ ❤︎"), ["❤️"]);
        assert_eq!(of("1️⃣2"), ["1️⃣"]);
        assert_eq!(of("🇩🇪🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ["🇩🇪🏴󠁧󠁢󠁳󠁣󠁴󠁿"]);
        assert_eq!(of("⌚⌚︎"), ["⌚"]);
        assert_eq!(of("🏳️‍⚧️中文"), ["🏳️‍⚧️"]);
        assert!(of("plain 1 # 中文 → ☀ ✂").is_empty());
        assert!(may_be_wanted("✂") && !may_be_wanted("中文，1→2 – „x“"));
    }

    proptest! {
        #[test]
        fn spans_are_in_order_and_on_characters(text in "[a1#❤☀⌚😀👩🚀🏽\u{fe0e}\u{fe0f}\u{200d}\u{20e3}中]{0,20}") {
            let mut last = 0;
            for span in spans(&text) {
                prop_assert!(span.start >= last && span.end > span.start);
                prop_assert!(text.get(span.clone()).is_some());
                last = span.end;
            }
        }
    }
}
