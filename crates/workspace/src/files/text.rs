//! What bytes are: UTF-8, a text in another encoding, or no text. A guess is only ever used to
//! refuse with a good word, never to change what is read.

use encoding_rs::GB18030;

pub(super) enum Found {
    /// So many bytes of it: less than all when the end was cut within a character.
    Utf8(usize),
    Binary,
    /// The likely name, one that a read can be asked for.
    Other(&'static str),
}

/// Bytes that the guess looks at.
const SAMPLE: usize = 64 * 1024;
/// UTF-16 of plain letters without a mark is also UTF-8 full of NUL; shorter ones are taken as written.
const UTF16_LEAST: usize = 16;

/// `cut`: the end may lie within a character.
pub(super) fn judge(bytes: &[u8], cut: bool) -> Found {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => Some(bytes.len()),
        Err(error) if cut && error.error_len().is_none() => Some(error.valid_up_to()),
        Err(_) => None,
    };
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    match valid {
        Some(_) if is_plain_utf16(sample, 1) => Found::Other("utf-16le"),
        Some(_) if is_plain_utf16(sample, 0) => Found::Other("utf-16be"),
        Some(length) => Found::Utf8(length),
        None => guess(sample),
    }
}

/// A word for bytes that are not UTF-8.
pub(crate) fn encoding_of(bytes: &[u8]) -> &'static str {
    match guess(&bytes[..bytes.len().min(SAMPLE)]) {
        Found::Other(name) => name,
        Found::Utf8(_) | Found::Binary => "binary",
    }
}

/// Every second byte NUL, every other one a plain letter.
fn is_plain_utf16(sample: &[u8], nul_at: usize) -> bool {
    sample.len() >= UTF16_LEAST
        && sample.len().is_multiple_of(2)
        && sample.chunks_exact(2).all(|pair| {
            let letter = pair[1 - nul_at];
            pair[nul_at] == 0 && (letter.is_ascii_graphic() || letter.is_ascii_whitespace())
        })
}

fn guess(sample: &[u8]) -> Found {
    match sample {
        [0xff, 0xfe, 0, 0, ..] => return Found::Binary,
        [0xff, 0xfe, ..] => return Found::Other("utf-16le"),
        [0xfe, 0xff, ..] => return Found::Other("utf-16be"),
        _ => {}
    }
    let is_control = |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    if sample.iter().any(|byte| is_control(&byte)) {
        return nul_parity(sample);
    }
    match looks_like_gb(sample) {
        true => Found::Other("gb18030"),
        false => Found::Other("windows-1252"),
    }
}

/// UTF-16 without a mark has NUL on one side alone, and many; with Chinese in it they are fewer.
fn nul_parity(sample: &[u8]) -> Found {
    let count = |side: usize| {
        sample
            .iter()
            .skip(side)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (count(0), count(1));
    let many = (sample.len() / 10).max(2);
    match (even, odd) {
        (0, odd) if odd > many => Found::Other("utf-16le"),
        (even, 0) if even > many => Found::Other("utf-16be"),
        _ => Found::Binary,
    }
}

/// It decodes, and most pairs are of the common part, whose bytes are both high.
fn looks_like_gb(sample: &[u8]) -> bool {
    let even = &sample[..sample.len().saturating_sub(usize::from(sample.len() == SAMPLE))];
    if GB18030.decode_without_bom_handling(even).1 && GB18030.decode_without_bom_handling(sample).1 {
        return false;
    }
    let (mut common, mut pairs, mut at) = (0, 0, 0);
    while let Some(lead) = sample.get(at) {
        at += 1;
        if *lead < 0x80 {
            continue;
        }
        pairs += 1;
        common += usize::from(sample.get(at).is_some_and(|trail| *trail >= 0xa1));
        at += 1;
    }
    common * 10 >= pairs * 7
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{Encoding, UTF_16LE};

    fn name(bytes: &[u8]) -> &'static str {
        match judge(bytes, false) {
            Found::Utf8(_) => "utf-8",
            Found::Binary => "binary",
            Found::Other(name) => name,
        }
    }

    fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    #[test]
    fn other_encodings_are_named_and_the_names_can_be_used() {
        let chinese = "工作空间里的文件, plain letters too.\n";
        let gb = GB18030.encode(chinese).0.into_owned();
        let cases = [
            ("utf-8", chinese.as_bytes().to_vec()),
            ("utf-8", Vec::new()),
            ("utf-8", b"a\0b".to_vec()),
            (
                "utf-16le",
                [vec![0xff, 0xfe], utf16("hi", u16::to_le_bytes)].concat(),
            ),
            (
                "utf-16be",
                [vec![0xfe, 0xff], utf16("hi", u16::to_be_bytes)].concat(),
            ),
            ("utf-16le", utf16("plain letters only", u16::to_le_bytes)),
            ("utf-16be", utf16("plain letters only", u16::to_be_bytes)),
            ("utf-16le", utf16(chinese, u16::to_le_bytes)),
            ("gb18030", gb),
            ("windows-1252", b"caf\xe9 au lait, cr\xe8me br\xfbl\xe9e".to_vec()),
            ("binary", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe".to_vec()),
            ("binary", (0..=255).collect()),
        ];
        for (expected, bytes) in cases {
            assert_eq!(name(&bytes), expected, "{bytes:?}");
            if !matches!(expected, "utf-8" | "binary") {
                assert!(Encoding::for_label(expected.as_bytes()).is_some());
            }
        }
        assert_eq!(UTF_16LE.name(), "UTF-16LE");
    }

    #[test]
    fn a_cut_within_a_character_is_no_other_encoding() {
        let bytes = "a工".as_bytes();
        assert!(matches!(judge(&bytes[..3], true), Found::Utf8(1)));
        assert!(!matches!(judge(&bytes[..3], false), Found::Utf8(_)));
    }
}
