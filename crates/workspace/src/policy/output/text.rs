//! What programs make of a text that is known: `echo`, `printf`, decoders, `tr`, `sed`, `${x#y}`.

use crate::policy::mark;
use base64::Engine;

/// Longest pattern and value that `${x#pattern}` is worked out for.
const PATTERN: usize = 256;

pub(super) fn echo(words: &[&str]) -> String {
    let mut rest = words;
    let mut newline = true;
    let mut raw = false;
    while let Some((first, after)) = rest.split_first()
        && let Some(letters) = first.strip_prefix('-')
        && !letters.is_empty()
        && letters.chars().all(|c| "neE".contains(c))
    {
        newline &= !letters.contains('n');
        raw |= letters.contains('E');
        rest = after;
    }
    let text = rest.join(" ");
    // `sh` is often dash, whose echo always does this; to bash it is `-e`.
    let text = if raw || !text.contains('\\') {
        text
    } else {
        unescape(&text)
    };
    if newline { text + "\n" } else { text }
}

pub(super) fn printf(words: &[&str]) -> String {
    let Some((format, arguments)) = words.split_first() else {
        return String::new();
    };
    let mut arguments = arguments.iter();
    let mut result = String::new();
    for _ in 0..64 {
        let before = arguments.len();
        let mut chars = unescape(format)
            .chars()
            .collect::<Vec<_>>()
            .into_iter()
            .peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                result.push(c);
                continue;
            }
            while chars.peek().is_some_and(|c| "-+ #0123456789.*l".contains(*c)) {
                chars.next();
            }
            match chars.next() {
                Some('%') => result.push('%'),
                Some('b') => result.push_str(&unescape(arguments.next().copied().unwrap_or_default())),
                Some('c') => result.extend(arguments.next().and_then(|word| word.chars().next())),
                Some(_) => result.push_str(arguments.next().copied().unwrap_or_default()),
                None => {}
            }
        }
        // The format is used again until all arguments are.
        if arguments.len() == 0 || arguments.len() == before {
            break;
        }
    }
    result
}

/// Escapes as `$'…'`, `printf` and `echo -e` have them.
pub fn unescape(text: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let number = |from: usize, most: usize, radix: u32| {
        let digits: String = chars[from.min(chars.len())..]
            .iter()
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        u32::from_str_radix(&digits, radix)
            .ok()
            .map(|value| (value, digits.len()))
    };
    while at < chars.len() {
        let c = chars[at];
        at += 1;
        let mut push = |c: char| bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
        if c != '\\' {
            push(c);
            continue;
        }
        let Some(kind) = chars.get(at).copied() else {
            push('\\');
            break;
        };
        at += 1;
        match kind {
            'n' => push('\n'),
            't' => push('\t'),
            'r' => push('\r'),
            'a' | 'b' | 'f' | 'v' => push(' '),
            'e' | 'E' => push('\u{1b}'),
            '\\' | '\'' | '"' | '?' => push(kind),
            'x' | 'u' | 'U' => {
                let most = match kind {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                match number(at, most, 16) {
                    Some((value, used)) => {
                        at += used;
                        match u8::try_from(value) {
                            Ok(byte) if kind == 'x' => bytes.push(byte),
                            _ => push(char::from_u32(value).unwrap_or('\u{FFFD}')),
                        }
                    }
                    None => {
                        push('\\');
                        push(kind);
                    }
                }
            }
            '0'..='7' => {
                let from = if kind == '0' { at } else { at - 1 };
                let (value, used) = number(from, 3, 8).unwrap_or((0, 0));
                at = from + used;
                if value > 0 {
                    bytes.push(value as u8);
                }
            }
            other => {
                push('\\');
                push(other);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn decoded(text: &str) -> Option<String> {
    let clean: String = text
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "+/".contains(*c))
        .collect();
    if !mark::is_known(text) {
        return None;
    }
    let bytes = base64::engine::general_purpose::STANDARD_NO_PAD
        .decode(clean)
        .ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn from_hex(text: &str) -> Option<String> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let bytes: Option<Vec<u8>> = digits
        .chunks_exact(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    Some(String::from_utf8_lossy(&bytes?).into_owned())
}

pub(super) fn translated(words: &[&str], text: &str) -> Option<String> {
    let sets: Vec<Vec<char>> = words
        .iter()
        .filter(|word| !word.starts_with('-'))
        .map(|word| set(&unescape(&mark::data(word))))
        .collect();
    let deletes = words
        .iter()
        .any(|word| word.starts_with('-') && word.contains('d'));
    match sets.as_slice() {
        [gone] if deletes => Some(text.chars().filter(|c| !gone.contains(c)).collect()),
        [from, to] if !to.is_empty() => Some(
            text.chars()
                .map(|c| match from.iter().position(|old| *old == c) {
                    Some(at) => to[at.min(to.len() - 1)],
                    None => c,
                })
                .collect(),
        ),
        _ => None,
    }
}

fn set(text: &str) -> Vec<char> {
    let text = text
        .replace("[:lower:]", "a-z")
        .replace("[:upper:]", "A-Z")
        .replace("[:digit:]", "0-9")
        .replace("[:space:]", " \t\n");
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(end)) if *end >= chars[at] && (*end as u32 - chars[at] as u32) < 256 => {
                all.extend(chars[at]..=*end);
                at += 3;
            }
            _ => {
                all.push(chars[at]);
                at += 1;
            }
        }
    }
    all
}

/// `s/old/new/g` with plain text on both sides.
pub(super) fn substituted(script: &str, text: &str) -> Option<String> {
    let mark = script.chars().nth(1)?;
    let mut parts = script[1 + mark.len_utf8()..].split(mark);
    let (old, new) = (parts.next()?, parts.next()?);
    let is_plain = |text: &str| !text.contains(['\\', '*', '[', '.', '^', '$', '&']);
    if !is_plain(old) || !is_plain(new) || old.is_empty() {
        return None;
    }
    if script.starts_with('y') {
        return translated(&[old, new], text);
    }
    Some(text.replace(old, new))
}

/// `${value#…}`, `${value/…/…}`, `${value:0:3}`, `${value^^}`: the operator with what follows it.
pub fn transformed(value: &str, operator: &str) -> String {
    let unknown = || mark::UNKNOWN.to_string();
    if value.len() > PATTERN
        || operator.len() > PATTERN
        || !mark::is_known(value)
        || !mark::is_known(operator)
    {
        return unknown();
    }
    let chars: Vec<char> = value.chars().collect();
    let matches =
        |pattern: &str, part: &[char]| mark::glob(&pattern.chars().collect::<Vec<_>>(), part, '*', '?');
    if let Some(rest) = operator.strip_prefix('#') {
        let (pattern, longest) = rest
            .strip_prefix('#')
            .map_or((rest, false), |pattern| (pattern, true));
        let mut ends: Vec<usize> = (0..=chars.len()).collect();
        if longest {
            ends.reverse();
        }
        let end = ends
            .into_iter()
            .find(|end| matches(pattern, &chars[..*end]))
            .unwrap_or(0);
        return chars[end..].iter().collect();
    }
    if let Some(rest) = operator.strip_prefix('%') {
        let (pattern, longest) = rest
            .strip_prefix('%')
            .map_or((rest, false), |pattern| (pattern, true));
        let mut starts: Vec<usize> = (0..=chars.len()).rev().collect();
        if longest {
            starts.reverse();
        }
        let start = starts
            .into_iter()
            .find(|start| matches(pattern, &chars[*start..]))
            .unwrap_or(chars.len());
        return chars[..start].iter().collect();
    }
    if let Some(rest) = operator.strip_prefix('/') {
        let (rest, all) = rest.strip_prefix('/').map_or((rest, false), |rest| (rest, true));
        let (old, new) = rest.split_once('/').unwrap_or((rest, ""));
        return match (old.is_empty() || old.contains(['*', '?', '[']), all) {
            (true, _) => unknown(),
            (false, true) => value.replace(old, new),
            (false, false) => value.replacen(old, new, 1),
        };
    }
    if let Some(rest) = operator.strip_prefix(':') {
        let mut numbers = rest.split(':').map(|number| number.trim().parse::<i64>());
        let length = chars.len() as i64;
        let Some(Ok(from)) = numbers.next() else {
            return unknown();
        };
        let from = (if from < 0 { length + from } else { from }).clamp(0, length);
        let to = match numbers.next() {
            None => length,
            Some(Ok(count)) if count < 0 => length + count,
            Some(Ok(count)) => from + count,
            Some(Err(_)) => return unknown(),
        };
        return chars[from as usize..to.clamp(from, length) as usize]
            .iter()
            .collect();
    }
    match operator {
        "^^" => value.to_uppercase(),
        ",," => value.to_lowercase(),
        "^" | "," => {
            let first = chars
                .iter()
                .take(1)
                .flat_map(|c| c.to_uppercase().chain(c.to_lowercase()));
            let first: Vec<char> = first.collect();
            let first = first.get(usize::from(operator == ",")).into_iter();
            first.chain(chars.iter().skip(1)).collect()
        }
        _ => unknown(),
    }
}
