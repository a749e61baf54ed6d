//! How one value is written and read.

/// A value that was read, and the ` # …` behind it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) value: String,
    pub(super) comment: String,
}

/// More lines than a key or certificate has.
const MAX_QUOTED_LINES: usize = 200;

pub(super) fn write(text: &mut String, value: &str) {
    if is_plain(value) {
        text.push_str(value);
        return;
    }
    text.push('"');
    for c in value.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Whether every reader takes the bare text for the value.
fn is_plain(value: &str) -> bool {
    let edges = [value.chars().next(), value.chars().next_back()];
    let bare_edges = edges
        .iter()
        .flatten()
        .all(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '#'));
    bare_edges && !value.contains('#') && !value.chars().any(char::is_control)
}

/// Reads the value at the start of `text`; returns the bytes used, line ending included.
pub(super) fn read(text: &str) -> (Parsed, usize) {
    let line_end = text.find('\n').map_or(text.len(), |at| at + 1);
    let blanks = text.len() - text.trim_start_matches([' ', '\t']).len();
    let quote = match text[blanks..].chars().next() {
        Some(quote @ ('"' | '\'')) => quote,
        _ => return (plain(&text[..line_end]), line_end),
    };
    quoted(&text[blanks..], quote).map_or_else(
        || (plain(&text[..line_end]), line_end),
        |(parsed, used)| (parsed, blanks + used),
    )
}

/// The quote that the value on this line opens and does not close.
pub(super) fn open_quote(line: &str) -> Option<char> {
    let given = line.trim_start_matches([' ', '\t']);
    let quote = given.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    quoted(given, quote).is_none().then_some(quote)
}

/// Whether an open quote ends on this line.
pub(super) fn closes(line: &str, quote: char) -> bool {
    closing(&format!("{quote}{line}"), 1, quote).is_some()
}

fn plain(line: &str) -> Parsed {
    let line = line.trim_end_matches('\n').trim_end_matches('\r');
    let comment_at = line
        .char_indices()
        .find(|&(at, c)| c == '#' && (line[..at].ends_with([' ', '\t'])))
        .map(|(at, _)| line[..at].trim_end_matches([' ', '\t']).len());
    let (value, comment) = line.split_at(comment_at.unwrap_or(line.len()));
    Parsed {
        value: value.trim_matches([' ', '\t']).to_owned(),
        comment: comment.to_owned(),
    }
}

/// A quoted value: up to the first closing quote behind which the line is blank or a comment, on
/// this line or on one of the next.
fn quoted(text: &str, quote: char) -> Option<(Parsed, usize)> {
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').take(MAX_QUOTED_LINES).enumerate() {
        if index > 0 && is_entry(line) {
            return None;
        }
        if let Some((close, comment)) = closing(&text[..start + line.len()], start.max(1), quote) {
            let body = &text[1..close];
            let value = match quote {
                '"' => unescape(body),
                _ => body.to_owned(),
            };
            return Some((Parsed { value, comment }, start + line.len()));
        }
        start += line.len();
    }
    None
}

/// Whether a line behind an open quote is an entry: then the quote was a stray one. The padding at
/// the end of a certificate (`abc=`) is none.
pub(super) fn is_entry(line: &str) -> bool {
    super::key_of(line).is_some_and(|(key, at)| {
        super::is_key(key) && !line[at..].trim_matches(['=', ' ', '\r', '\n']).is_empty()
    })
}

/// The closing quote at or after `from` in text that ends with a line, and the comment behind it.
fn closing(text: &str, from: usize, quote: char) -> Option<(usize, String)> {
    let ends_here = |at: usize| {
        let rest = text[at + 1..].trim_end_matches('\n').trim_end_matches('\r');
        let tail = rest.trim_start_matches([' ', '\t']);
        (tail.is_empty() || (tail.starts_with('#') && tail.len() < rest.len())).then(|| {
            if tail.is_empty() {
                String::new()
            } else {
                rest.to_owned()
            }
        })
    };
    let quotes = || text[from..].match_indices(quote).map(|(at, _)| from + at);
    let escaped =
        |at: usize| quote == '"' && text[1..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
    quotes()
        .filter(|&at| !escaped(at))
        .find_map(|at| Some((at, ends_here(at)?)))
        // `"C:\dir\"`: others do not escape, so the last quote closes.
        .or_else(|| {
            quotes().filter(|&at| escaped(at)).find_map(|at| {
                let comment = ends_here(at)?;
                comment.is_empty().then_some((at, comment))
            })
        })
}

/// Undoes the escapes of [`write`]. A body with a backslash that [`write`] would not have made is
/// somebody else's, whose backslashes mean themselves.
fn unescape(body: &str) -> String {
    let mut value = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => value.push('\n'),
            Some('r') => value.push('\r'),
            Some(same @ ('"' | '\\')) => value.push(same),
            _ => return body.replace("\\\"", "\""),
        }
    }
    value
}
