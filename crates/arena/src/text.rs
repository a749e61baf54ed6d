//! Text inside of elements and attributes: how it is understood, and how it is written so that it is
//! understood again.
//!
//! The rule for reading: text is XML where it is XML (character data, the known references, CDATA
//! sections); otherwise it is what stands there. So `a < b && c` and `a &lt; b &amp;&amp; c` both
//! mean the comparison, and a text that mixes them is left as it is.
//!
//! Deliberately not here: where an element's text ends (`read::raw`).

use std::borrow::Cow;

use crate::scan::{CDATA, CDATA_END};

pub(crate) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace())
}

/// The text of an element whose raw text is this.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if !raw.contains(['<', '&']) {
        return Cow::Borrowed(raw);
    }
    // White space around CDATA sections is layout.
    let trimmed = raw.trim_ascii();
    let sections = trimmed.starts_with(CDATA) && trimmed.ends_with(CDATA_END);
    xml_text(if sections { trimmed } else { raw }).map_or(Cow::Borrowed(raw), Cow::Owned)
}

fn xml_text(raw: &str) -> Option<String> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(section) = rest.strip_prefix(CDATA) {
            let end = section.find(CDATA_END)?;
            text.push_str(&section[..end]);
            rest = &section[end + CDATA_END.len()..];
        } else {
            let (character, length) = reference(rest)?;
            text.push(character);
            rest = &rest[length..];
        }
    }
    text.push_str(rest);
    Some(text)
}

/// The reference that this text starts with, and its length.
fn reference(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix('&')?;
    let end = rest.bytes().take(10).position(|byte| byte == b';')?;
    let name = &rest[..end];
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((character, end + 2))
}

/// The value of an attribute that is written like this.
pub(crate) fn attribute(raw: &str) -> String {
    if raw.contains('&') {
        xml_text(raw).unwrap_or_else(|| raw.to_owned())
    } else {
        raw.to_owned()
    }
}

/// Appends a text so that [`decode`] gives it back to the byte.
pub(crate) fn push_text(out: &mut String, text: &str) {
    match text.contains(['<', '&']) {
        true => push_section(out, text),
        false => out.push_str(text),
    }
}

/// The text in a section, whatever is in it.
pub(crate) fn push_section(out: &mut String, text: &str) {
    out.push_str(CDATA);
    let mut written = 0;
    // Neither mark of a section stands inside of a section: the end cannot, and a beginning would
    // tell the reader that the section was left open.
    for at in memchr::memchr2_iter(b'<', b']', text.as_bytes()) {
        let cut = if text[at..].starts_with(CDATA) {
            at + 1
        } else if text[at..].starts_with(CDATA_END) {
            at + 2
        } else {
            continue;
        };
        out.push_str(&text[written..cut]);
        out.push_str(CDATA_END);
        out.push_str(CDATA);
        written = cut;
    }
    out.push_str(&text[written..]);
    out.push_str(CDATA_END);
}

pub(crate) fn push_attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // The reader takes an `=` before a quote for a value whose own quote is missing.
            '=' => out.push_str("&#61;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            other => out.push(other),
        }
    }
    out.push('"');
}
