//! The order in which npm sorts names and paths: that of the English collation, as far as it
//! concerns the characters that names have. The lock file is byte-stable only in this order.
//!
//! Deliberately not here: the whole Unicode collation; other characters follow by code point.

use std::cmp::Ordering;

/// Punctuation in the order of the root collation; digits and letters come after it.
const PUNCTUATION: &[u8] = b"_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";

pub fn compare(a: &str, b: &str) -> Ordering {
    a.chars().map(primary).cmp(b.chars().map(primary)).then_with(|| {
        // Only case is left to differ: the small letter is first.
        a.chars()
            .map(|c| c.is_ascii_uppercase())
            .cmp(b.chars().map(|c| c.is_ascii_uppercase()))
    })
}

fn primary(c: char) -> u32 {
    let lower = c.to_ascii_lowercase();
    match u8::try_from(lower) {
        Ok(byte) if byte.is_ascii_digit() => 100 + u32::from(byte),
        Ok(byte) if byte.is_ascii_lowercase() => 200 + u32::from(byte),
        Ok(byte) => PUNCTUATION
            .iter()
            .position(|p| *p == byte)
            .and_then(|at| u32::try_from(at).ok())
            .map_or(0, |at| at + 1),
        Err(_) => 1000 + u32::from(lower),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_english_collation() {
        let mut names = [
            "node_modules/b",
            "node_modules/B",
            "node_modules/@a/b",
            "node_modules/a_b",
            "node_modules/a-b",
            "node_modules/a.b",
            "node_modules/ab",
            "node_modules/a1",
            "node_modules/a/node_modules/x",
            "node_modules/a",
        ];
        names.sort_by(|a, b| compare(a, b));
        // Printed by `[...].sort((a, b) => a.localeCompare(b, 'en'))` in Node 20.
        assert_eq!(
            names,
            [
                "node_modules/@a/b",
                "node_modules/a",
                "node_modules/a_b",
                "node_modules/a-b",
                "node_modules/a.b",
                "node_modules/a/node_modules/x",
                "node_modules/a1",
                "node_modules/ab",
                "node_modules/b",
                "node_modules/B",
            ]
        );
    }
}
