//! The CSS `font` shorthand as the `font` attribute takes and gives it.

use crate::css::{self, Basis};
use crate::paint::color_number_len as number_len;

/// A parsed `font` value, sizes in pixels. The line height is read and forgotten: the
/// standard says that it is always `normal` here.
#[derive(Clone, Debug, PartialEq)]
pub struct Font {
    pub(crate) slant: Slant,
    pub(crate) small_caps: bool,
    /// 1..=1000.
    pub(crate) weight: f32,
    /// Percent of the normal width.
    pub(crate) stretch: f32,
    pub(crate) size: f64,
    pub(crate) families: Vec<Family>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slant {
    Normal,
    Italic,
    /// By so many degrees, where it says how many.
    Oblique(Option<f32>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// A CSS keyword such as `sans-serif`, lower case.
    Generic(&'static str),
    Named(String),
}

/// The canvas default, `10px sans-serif`.
impl Default for Font {
    fn default() -> Self {
        Font {
            size: DEFAULT_SIZE,
            families: vec![Family::Generic("sans-serif")],
            ..Font::plain()
        }
    }
}

/// What relative sizes are relative to.
pub(super) const DEFAULT_SIZE: f64 = 10.0;

const GENERICS: [&str; 13] = [
    "serif",
    "sans-serif",
    "monospace",
    "cursive",
    "fantasy",
    "system-ui",
    "ui-serif",
    "ui-sans-serif",
    "ui-monospace",
    "ui-rounded",
    "math",
    "emoji",
    "fangsong",
];

/// Words that stand for a whole value and can therefore not be names.
const RESERVED: [&str; 6] = ["inherit", "initial", "unset", "default", "revert", "revert-layer"];

const SYSTEM_FONTS: [&str; 6] = [
    "caption",
    "icon",
    "menu",
    "message-box",
    "small-caption",
    "status-bar",
];

const STRETCHES: [(&str, f32); 8] = [
    ("ultra-condensed", 50.0),
    ("extra-condensed", 62.5),
    ("condensed", 75.0),
    ("semi-condensed", 87.5),
    ("semi-expanded", 112.5),
    ("expanded", 125.0),
    ("extra-expanded", 150.0),
    ("ultra-expanded", 200.0),
];

impl Font {
    fn plain() -> Font {
        Font {
            slant: Slant::Normal,
            small_caps: false,
            weight: 400.0,
            stretch: 100.0,
            size: 0.0,
            families: Vec::new(),
        }
    }

    /// `None` for what is not a font shorthand.
    pub fn parse(css: &str) -> Option<Font> {
        let basis = Basis {
            em: Some(DEFAULT_SIZE),
            percent: Some(DEFAULT_SIZE / 100.0),
        };
        Font::parse_plain(css).or_else(|| Font::parse_plain(&css::folded(css, basis)?))
    }

    /// Without comments and sums.
    fn parse_plain(css: &str) -> Option<Font> {
        let text = css.trim_matches(is_space);
        if SYSTEM_FONTS.iter().any(|name| text.eq_ignore_ascii_case(name)) {
            return Some(Font {
                size: 40.0 / 3.0,
                ..Font::default()
            });
        }
        let mut font = Font::plain();
        let mut rest = text;
        let mut seen = [false; 4];
        // At most four words stand before the size, each kind once; `normal` fits all.
        for words in 0.. {
            let (word, after) = next_word(rest)?;
            if let Some((size, after)) = size(rest) {
                font.size = size;
                rest = after;
                break;
            }
            let word = word.to_ascii_lowercase();
            let kind = font.keyword(&word)?;
            if words >= 4 || kind.is_some_and(|kind| std::mem::replace(&mut seen[kind], true)) {
                return None;
            }
            rest = after;
            if word == "oblique"
                && let Some((degrees, after)) =
                    next_word(rest).and_then(|(word, after)| Some((angle(word)?, after)))
            {
                font.slant = Slant::Oblique(Some(degrees));
                rest = after;
            }
        }
        font.families = families(line_height(rest)?)?;
        Some(font)
    }

    /// Sets one property before the size. `Some(None)` for `normal`, `None` for an error.
    fn keyword(&mut self, word: &str) -> Option<Option<usize>> {
        let kind = match word {
            "normal" => return Some(None),
            "italic" | "oblique" => {
                self.slant = if word == "italic" {
                    Slant::Italic
                } else {
                    Slant::Oblique(None)
                };
                0
            }
            "small-caps" => {
                self.small_caps = true;
                1
            }
            // Relative to the canvas element's weight, which is 400.
            "bold" | "bolder" => {
                self.weight = 700.0;
                2
            }
            "lighter" => {
                self.weight = 100.0;
                2
            }
            _ => {
                if let Some((_, width)) = STRETCHES.iter().find(|s| s.0 == word) {
                    self.stretch = *width;
                    3
                } else {
                    let whole = number_len(word.as_bytes()) == word.len();
                    let weight = word
                        .parse::<f32>()
                        .ok()
                        .filter(|w| whole && (1.0..=1000.0).contains(w))?;
                    self.weight = weight;
                    2
                }
            }
        };
        Some(Some(kind))
    }

    /// The form in which the attribute gives the font back.
    pub fn serialize(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        match self.slant {
            Slant::Normal => {}
            Slant::Italic => parts.push("italic".into()),
            Slant::Oblique(None) => parts.push("oblique".into()),
            Slant::Oblique(Some(degrees)) => parts.push(format!("oblique {degrees}deg")),
        }
        if self.small_caps {
            parts.push("small-caps".into());
        }
        if self.weight == 700.0 {
            parts.push("bold".into());
        } else if self.weight != 400.0 {
            parts.push(format!("{}", self.weight));
        }
        if let Some((name, _)) = STRETCHES.iter().find(|s| s.1 == self.stretch) {
            parts.push((*name).into());
        }
        parts.push(format!("{}px", short(self.size)));
        let names: Vec<String> = self.families.iter().map(Family::serialize).collect();
        format!("{} {}", parts.join(" "), names.join(", "))
    }
}

/// At most four decimals, none that are zero.
fn short(value: f64) -> f64 {
    if value.abs() < 1e9 {
        (value * 1e4).round() / 1e4
    } else {
        value
    }
}

impl Family {
    /// Strings as CSSOM, "serialize a string", has them.
    fn serialize(&self) -> String {
        match self {
            Family::Generic(name) => (*name).to_owned(),
            Family::Named(name) if is_identifier(name) => name.clone(),
            Family::Named(name) => {
                let escaped = name.chars().map(|c| match c {
                    '"' | '\\' => format!("\\{c}"),
                    // A line break would end the string.
                    '\x01'..='\x1f' | '\x7f' => format!("\\{:x} ", u32::from(c)),
                    c => c.to_string(),
                });
                format!("\"{}\"", escaped.collect::<String>())
            }
        }
    }
}

/// Whether a name can stand without quotes and still mean a named family.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.trim_start_matches('-').chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_' || !c.is_ascii());
    starts
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '-' | '_') || !c.is_ascii())
        && !GENERICS.contains(&name.to_ascii_lowercase().as_str())
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

fn next_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(is_space);
    let end = text.find(is_space).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// How far an oblique font leans.
fn angle(word: &str) -> Option<f32> {
    let (value, unit) = split_number(word)?;
    let degrees = value * css::degrees(&unit.to_ascii_lowercase())?;
    (-90.0..=90.0).contains(&degrees).then_some(degrees as f32)
}

/// A font size at the beginning of `text`, in pixels, and what follows.
fn size(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start_matches(is_space);
    let end = text.find(|c| is_space(c) || c == '/').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let word = word.to_ascii_lowercase();
    let pixels = match word.as_str() {
        "xx-small" => 9.0,
        "x-small" => 10.0,
        "small" => 13.0,
        "medium" => 16.0,
        "large" => 18.0,
        "x-large" => 24.0,
        "xx-large" => 32.0,
        "xxx-large" => 48.0,
        "larger" => DEFAULT_SIZE * 1.2,
        "smaller" => DEFAULT_SIZE / 1.2,
        word => length(word)?,
    };
    (pixels >= 0.0 && pixels.is_finite()).then_some((pixels, rest))
}

/// A CSS length or percentage of the default size, in pixels.
fn length(word: &str) -> Option<f64> {
    let (value, unit) = split_number(word)?;
    let unit = match unit {
        "em" => DEFAULT_SIZE,
        "rem" => 16.0,
        "ex" | "ch" => DEFAULT_SIZE / 2.0,
        "%" => DEFAULT_SIZE / 100.0,
        "" if value == 0.0 => 0.0,
        unit => absolute_unit(unit)?,
    };
    Some(value * unit)
}

/// A number and what stands behind it.
pub(super) fn split_number(word: &str) -> Option<(f64, &str)> {
    let end = number_len(word.as_bytes());
    let value = word.get(..end)?.parse().ok()?;
    Some((value, &word[end..]))
}

/// Pixels of a unit that depends on nothing.
pub(crate) fn absolute_unit(unit: &str) -> Option<f64> {
    Some(match unit {
        "px" => 1.0,
        "pt" => 96.0 / 72.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "q" => 96.0 / 101.6,
        _ => return None,
    })
}

/// Skips `/ line-height`, which must be well-formed.
fn line_height(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(is_space);
    let Some(text) = text.strip_prefix('/') else {
        return Some(text);
    };
    let (word, rest) = next_word(text)?;
    let word = word.to_ascii_lowercase();
    let end = number_len(word.as_bytes());
    let bare = end > 0 && end == word.len() && !word.starts_with('-');
    let fits = word == "normal" || bare || length(&word).is_some_and(|v| v >= 0.0);
    fits.then_some(rest)
}

/// A comma-separated list of names; all of it must be well-formed.
fn families(text: &str) -> Option<Vec<Family>> {
    let mut chars = text.chars().peekable();
    let mut families = Vec::new();
    loop {
        while chars.next_if(|c| is_space(*c)).is_some() {}
        let family = match chars.peek()? {
            quote @ ('"' | '\'') => {
                let quote = *quote;
                chars.next();
                Family::Named(quoted(&mut chars, quote)?)
            }
            _ => bare(&mut chars)?,
        };
        families.push(family);
        while chars.next_if(|c| is_space(*c)).is_some() {}
        match chars.next() {
            None => return Some(families),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn quoted(chars: &mut Chars, quote: char) -> Option<String> {
    let mut name = String::new();
    loop {
        match chars.next() {
            // CSS closes open strings at the end of the text.
            None => return Some(name),
            Some(c) if c == quote => return Some(name),
            Some('\\') => name.extend(escape(chars)),
            Some('\n') => return None,
            Some(c) => name.push(c),
        }
    }
}

/// Identifiers separated by spaces.
fn bare(chars: &mut Chars) -> Option<Family> {
    let mut words: Vec<String> = Vec::new();
    loop {
        let mut word = String::new();
        while let Some(&c) = chars.peek() {
            let fits = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '\\') || !c.is_ascii();
            if !fits || (word.is_empty() && c.is_ascii_digit()) {
                break;
            }
            chars.next();
            if c == '\\' {
                word.extend(escape(chars))
            } else {
                word.push(c)
            }
        }
        if word.is_empty() || word == "-" {
            return None;
        }
        words.push(word);
        while chars.next_if(|c| is_space(*c)).is_some() {}
        if matches!(chars.peek(), None | Some(',')) {
            break;
        }
    }
    let name = words.join(" ");
    let lower = name.to_ascii_lowercase();
    if RESERVED.contains(&lower.as_str()) {
        return None;
    }
    Some(match GENERICS.iter().find(|g| **g == lower) {
        Some(generic) => Family::Generic(generic),
        None => Family::Named(name),
    })
}

/// The character after a backslash: up to six hex digits and a space, or itself.
fn escape(chars: &mut Chars) -> Option<char> {
    let mut code = String::new();
    while let Some(digit) = chars.next_if(|c| code.len() < 6 && c.is_ascii_hexdigit()) {
        code.push(digit);
    }
    if code.is_empty() {
        return chars.next().filter(|c| *c != '\n');
    }
    chars.next_if(|c| is_space(*c));
    let code = u32::from_str_radix(&code, 16).ok()?;
    Some(
        char::from_u32(code)
            .filter(|c| *c != '\0')
            .unwrap_or(char::REPLACEMENT_CHARACTER),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fonts_are_serialised_as_the_standard_says() {
        for (css, expected) in [
            ("20px Arial", "20px Arial"),
            ("20PX   SERIF", "20px serif"),
            (
                "small-caps italic 400 12px/2 \"Unknown Font #2\", sans-serif",
                "italic small-caps 12px \"Unknown Font #2\", sans-serif",
            ),
            (
                "bold 16px/normal Times New Roman,serif",
                "bold 16px \"Times New Roman\", serif",
            ),
            ("normal normal 600 condensed 1em a", "600 condensed 10px a"),
            ("1000% serif", "100px serif"),
            ("12pt monospace", "16px monospace"),
            ("12px 'a\\a b'", "12px \"a\\a b\""),
            ("oblique 900 larger 'A\\22 B'", "oblique 900 12px \"A\\\"B\""),
            ("700 0 x", "bold 0px x"),
            ("12px \"serif\"", "12px \"serif\""),
            (
                "14px 'Microsoft YaHei', 微软雅黑",
                "14px \"Microsoft YaHei\", 微软雅黑",
            ),
            ("menu", "13.3333px sans-serif"),
            (".5in/1.2 a", "48px a"),
            ("calc(1em + 50% + 2px)/calc(2 * 1.5) a", "17px a"),
            (
                "bold/* or not */12px/**/a, 'calc(1px)'",
                "bold 12px a, \"calc(1px)\"",
            ),
            ("oblique 0.05turn bold 12px a", "oblique 18deg bold 12px a"),
            ("max(8px, 2pt) a", "8px a"),
        ] {
            assert_eq!(
                Font::parse(css).map(|f| f.serialize()).as_deref(),
                Some(expected),
                "{css}"
            );
        }
        assert_eq!(Font::default().serialize(), "10px sans-serif");
    }

    #[test]
    fn what_is_not_a_font_is_refused() {
        for css in [
            "",
            "bogus",
            "inherit",
            "10px",
            "10px {bogus}",
            "10px initial",
            "10px default",
            "10px revert",
            "var(--x)",
            "var(--x, 10px serif)",
            "1em serif; background: green; margin: 10px",
            "-1px a",
            "10 a",
            "bold bold 10px a",
            "italic oblique 10px a",
            "10px a,",
            "10px ,a",
            "10px a b 1",
            "10px/-1 a",
            "10px/x a",
            "1001 10px a",
            "0 0 a",
            "normal normal normal normal normal 10px a",
            "10px 1a",
            "calc(1px + 1) a",
            "calc(-1px) a",
            "oblique 91deg 10px a",
            "italic 10deg 10px a",
            "oblique 10deg 10deg 10px a",
        ] {
            assert_eq!(Font::parse(css), None, "{css}");
        }
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(300))]
        #[test]
        fn any_text_is_answered_and_what_is_given_back_parses(
            text in "((bold|italic|[0-9]{1,4}|small-caps) ){0,2}[-0-9.e]{1,5}(px|em|%|)(/[0-9.]+)? [-a-zA-Z0-9\"',\\\\ é]{0,20}"
        ) {
            if let Some(font) = Font::parse(&text) {
                let again = Font::parse(&font.serialize());
                prop_assert_eq!(again.map(|f| f.serialize()), Some(font.serialize()));
            }
        }

        #[test]
        fn noise_is_answered(text in "\\PC{0,40}") {
            let _ = Font::parse(&text);
        }
    }
}
