//! Characters of a word that are not themselves: noncharacters of Unicode stand for what is not
//! known and for live wildcards, so that a value stays one string. A command that contains these
//! characters itself is read as if it had something unknown there, which only makes it stricter.

/// Text that cannot be known without running the command.
pub const UNKNOWN: char = '\u{FDD0}';
pub const STAR: char = '\u{FDD1}';
pub const ONE: char = '\u{FDD2}';
pub const CLASS: char = '\u{FDD3}';

pub fn is_glob(c: char) -> bool {
    matches!(c, STAR | ONE | CLASS)
}

pub fn is_known(text: &str) -> bool {
    !text.contains(UNKNOWN)
}

/// `*`, `.*`, `**`: whatever is there.
pub fn matches_all(part: &str) -> bool {
    let bare = part.strip_prefix('.').unwrap_or(part);
    !bare.is_empty() && bare.chars().all(|c| matches!(c, STAR | ONE)) && bare.contains(STAR)
}

/// As it is written, for people and for text that goes on as data.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            STAR => '*',
            ONE => '?',
            CLASS => '[',
            UNKNOWN => '…',
            other => other,
        })
        .collect()
}

/// Data again: wildcards are characters, what is unknown stays so.
pub fn data(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            STAR => '*',
            ONE => '?',
            CLASS => '[',
            other => other,
        })
        .collect()
}

/// Whether `name` may be what `pattern` (with marks) turns into. `[…]` counts as any one character.
pub fn may_be(pattern: &str, name: &str) -> bool {
    let mut simple: Vec<char> = Vec::new();
    let mut class = false;
    for c in pattern.chars() {
        match c {
            CLASS if !class => {
                class = true;
                simple.push(ONE);
            }
            ']' if class => class = false,
            _ if class => {}
            UNKNOWN => simple.push(STAR),
            other => simple.push(other),
        }
    }
    glob(&simple, &name.chars().collect::<Vec<_>>(), STAR, ONE)
}

/// A plain pattern of a rule: `*` and `?`.
pub fn like(pattern: &str, text: &str) -> bool {
    glob(
        &pattern.chars().collect::<Vec<_>>(),
        &text.chars().collect::<Vec<_>>(),
        '*',
        '?',
    )
}

/// Linear in the text for each star: goes back to the last star alone.
pub fn glob(pattern: &[char], text: &[char], star: char, one: char) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        if p < pattern.len() && pattern[p] == star {
            back = Some((p + 1, t));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == one || pattern[p] == text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after, at)) = back {
            back = Some((after, at + 1));
            p = after;
            t = at + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == star)
}
