//! What CSS values have in common: comments, and `calc()` with the other math functions (Values 4,
//! 10), which come down to one number before anything else reads the text.
//!
//! Deliberately not here: `var()` and whatever else asks an element.

use crate::paint::color_number_len as number_len;
use crate::text::absolute_unit;

/// How deep functions may stand in functions.
const DEPTH: usize = 32;
/// What infinity is in a place that wants a number.
const LARGEST: f64 = 1e30;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Percent,
    /// In degrees.
    Angle,
    /// In pixels.
    Length,
}

pub(crate) type Value = (f64, Kind);

/// What words and units stand for.
pub(crate) trait Meanings {
    fn word(&self, word: &str) -> Option<f64>;
    fn unit(&self, unit: &str) -> Option<Value>;
}

/// What relative units are relative to, where there is something; with `percent` a percentage is a
/// length of so many pixels.
#[derive(Clone, Copy, Default)]
pub(crate) struct Basis {
    pub em: Option<f64>,
    pub percent: Option<f64>,
}

impl Meanings for Basis {
    fn word(&self, _: &str) -> Option<f64> {
        None
    }

    fn unit(&self, unit: &str) -> Option<Value> {
        Some(match unit {
            "" => (1.0, Kind::Number),
            "%" => self
                .percent
                .map_or((1.0, Kind::Percent), |pixels| (pixels, Kind::Length)),
            "em" | "ic" => (self.em?, Kind::Length),
            "ex" | "ch" => (self.em? / 2.0, Kind::Length),
            "rem" => self.em.map(|_| (16.0, Kind::Length))?,
            unit => match degrees(unit) {
                Some(degrees) => (degrees, Kind::Angle),
                None => (absolute_unit(unit)?, Kind::Length),
            },
        })
    }
}

/// Degrees of a unit of angles.
pub(crate) fn degrees(unit: &str) -> Option<f64> {
    Some(match unit {
        "deg" => 1.0,
        "grad" => 0.9,
        "rad" => 1f64.to_degrees(),
        "turn" => 360.0,
        _ => return None,
    })
}

/// The text without comments and with a number in place of each math function; `None` where there
/// are neither. A function that is not to be understood stays as it is.
pub(crate) fn folded(text: &str, basis: Basis) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            // One that is not closed goes to the end.
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            out.push(' ');
            changed = true;
        } else if matches!(c, '"' | '\'') {
            let end = rest[1..].find(c).map_or(rest.len(), |at| at + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if c.is_ascii_alphabetic() {
            let word = word_len(rest);
            let function = rest[..word].to_ascii_lowercase();
            let end = match rest[word..].starts_with('(') && FUNCTIONS.contains(&function.as_str()) {
                true => closing(rest, word),
                false => None,
            };
            match end.and_then(|end| Some((evaluate(&rest[..end], &basis)?, end))) {
                Some((value, end)) => {
                    out.push_str(&written(value));
                    rest = &rest[end..];
                    changed = true;
                }
                None => {
                    out.push_str(&rest[..word]);
                    rest = &rest[word..];
                }
            }
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    changed.then_some(out)
}

/// For values that know no relative units: without comments, and with numbers in place of functions.
pub fn folded_css(text: &str) -> Option<String> {
    folded(text, Basis::default())
}

fn written((value, kind): Value) -> String {
    let value = match value.is_nan() {
        true => 0.0,
        false => value.clamp(-LARGEST, LARGEST),
    };
    let unit = match kind {
        Kind::Number => "",
        Kind::Percent => "%",
        Kind::Angle => "deg",
        Kind::Length => "px",
    };
    format!("{value}{unit}")
}

/// Bytes of the word at the beginning.
fn word_len(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .unwrap_or(text.len())
}

/// Behind the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

const FUNCTIONS: [&str; 21] = [
    "calc", "min", "max", "clamp", "round", "mod", "rem", "abs", "sign", "sin", "cos", "tan", "asin", "acos",
    "atan", "atan2", "pow", "sqrt", "hypot", "log", "exp",
];

/// The value of a text that is one number, word or math function.
pub(crate) fn evaluate(text: &str, meanings: &dyn Meanings) -> Option<Value> {
    let lower = text.trim().to_ascii_lowercase();
    let mut sums = Sums {
        rest: &lower,
        meanings,
    };
    let value = sums.atom(DEPTH)?;
    sums.rest.is_empty().then_some(value)
}

struct Sums<'a> {
    rest: &'a str,
    meanings: &'a dyn Meanings,
}

impl Sums<'_> {
    fn skip(&mut self) -> bool {
        let before = self.rest.len();
        self.rest = self.rest.trim_ascii_start();
        self.rest.len() < before
    }

    fn take(&mut self, mark: char) -> bool {
        self.skip();
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn sum(&mut self, depth: usize) -> Option<Value> {
        let mut value = self.product(depth)?;
        loop {
            let spaced = self.skip();
            let sign = match self.rest.as_bytes() {
                // There is space on both sides, otherwise the sign belongs to a number.
                [b'+', next, ..] if spaced && next.is_ascii_whitespace() => 1.0,
                [b'-', next, ..] if spaced && next.is_ascii_whitespace() => -1.0,
                _ => return Some(value),
            };
            self.rest = &self.rest[1..];
            let (other, kind) = self.product(depth)?;
            if kind != value.1 {
                return None;
            }
            value.0 += sign * other;
        }
    }

    fn product(&mut self, depth: usize) -> Option<Value> {
        let mut value = self.atom(depth)?;
        loop {
            // What follows may be a sign, which wants its space.
            let times = match self.rest.trim_ascii_start().as_bytes().first() {
                Some(b'*') => true,
                Some(b'/') => false,
                _ => return Some(value),
            };
            self.rest = &self.rest.trim_ascii_start()[1..];
            let (other, kind) = self.atom(depth)?;
            value = match (times, value.1, kind) {
                (true, own, Kind::Number) => (value.0 * other, own),
                (true, Kind::Number, kind) => (value.0 * other, kind),
                (false, own, Kind::Number) => (value.0 / other, own),
                (false, own, kind) if own == kind => (value.0 / other, Kind::Number),
                _ => return None,
            };
        }
    }

    fn atom(&mut self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.skip();
        if self.take('(') {
            let value = self.sum(depth)?;
            return self.take(')').then_some(value);
        }
        let end = number_len(self.rest.as_bytes());
        if end > 0 {
            let number: f64 = self.rest[..end].parse().ok()?;
            self.rest = &self.rest[end..];
            let end = match self.rest.starts_with('%') {
                true => 1,
                false => word_len(self.rest),
            };
            let (factor, kind) = self.meanings.unit(&self.rest[..end])?;
            self.rest = &self.rest[end..];
            return Some((number * factor, kind));
        }
        let minus = self.rest.starts_with("-infinity");
        let (word, after) = self
            .rest
            .split_at(word_len(&self.rest[usize::from(minus)..]) + usize::from(minus));
        self.rest = after;
        if after.starts_with('(') {
            return self.function(word, depth);
        }
        let number = match word {
            "e" => std::f64::consts::E,
            "pi" => std::f64::consts::PI,
            "infinity" => f64::INFINITY,
            "-infinity" => f64::NEG_INFINITY,
            "nan" => f64::NAN,
            word => self.meanings.word(word)?,
        };
        Some((number, Kind::Number))
    }

    fn function(&mut self, name: &str, depth: usize) -> Option<Value> {
        self.take('(');
        let mut way = "nearest";
        if name == "round" {
            self.skip();
            for known in ["nearest", "up", "down", "to-zero"] {
                if let Some(after) = self.rest.strip_prefix(known) {
                    (way, self.rest) = (known, after);
                    if !self.take(',') {
                        return None;
                    }
                    break;
                }
            }
        }
        let mut values = vec![self.sum(depth)?];
        while self.take(',') {
            values.push(self.sum(depth)?);
        }
        self.take(')').then(|| apply(name, way, &values))?
    }
}

fn apply(name: &str, way: &str, values: &[Value]) -> Option<Value> {
    let kind = values.first()?.1;
    if values.iter().any(|value| value.1 != kind) {
        return None;
    }
    let numbers: Vec<f64> = values.iter().map(|value| value.0).collect();
    let radians = |v: f64| match kind {
        Kind::Number => Some(v),
        Kind::Angle => Some(v.to_radians()),
        Kind::Percent | Kind::Length => None,
    };
    let plain = |v: f64| (kind == Kind::Number).then_some((v, Kind::Number));
    let angle = |v: f64| Some((v.to_degrees(), Kind::Angle));
    match (name, numbers.as_slice()) {
        ("calc", [v]) => Some((*v, kind)),
        ("min", all) => Some((all.iter().copied().reduce(f64::min)?, kind)),
        ("max", all) => Some((all.iter().copied().reduce(f64::max)?, kind)),
        ("clamp", [least, v, most]) => Some((v.min(*most).max(*least), kind)),
        ("round", [v]) if kind == Kind::Number => Some((rounded(way, *v, 1.0), kind)),
        ("round", [v, step]) => Some((rounded(way, *v, *step), kind)),
        ("mod", [v, by]) => Some((v - by * (v / by).floor(), kind)),
        ("rem", [v, by]) => Some((v % by, kind)),
        ("abs", [v]) => Some((v.abs(), kind)),
        ("sign", [v]) => Some((if *v == 0.0 { 0.0 } else { v.signum() }, Kind::Number)),
        ("sin", [v]) => Some((radians(*v)?.sin(), Kind::Number)),
        ("cos", [v]) => Some((radians(*v)?.cos(), Kind::Number)),
        ("tan", [v]) => Some((radians(*v)?.tan(), Kind::Number)),
        ("asin", [v]) => plain(*v).and_then(|_| angle(v.asin())),
        ("acos", [v]) => plain(*v).and_then(|_| angle(v.acos())),
        ("atan", [v]) => plain(*v).and_then(|_| angle(v.atan())),
        ("atan2", [y, x]) => angle(y.atan2(*x)),
        ("pow", [v, to]) => plain(v.powf(*to)),
        ("sqrt", [v]) => plain(v.sqrt()),
        ("exp", [v]) => plain(v.exp()),
        ("log", [v]) => plain(v.ln()),
        ("log", [v, base]) => plain(v.ln() / base.ln()),
        ("hypot", all) => Some((all.iter().fold(0.0, |sum, v| v.hypot(sum)), kind)),
        _ => None,
    }
}

fn rounded(way: &str, v: f64, step: f64) -> f64 {
    let steps = v / step;
    step * match way {
        "up" => steps.ceil(),
        "down" => steps.floor(),
        "to-zero" => steps.trunc(),
        _ => (steps + 0.5).floor(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BASIS: Basis = Basis {
        em: Some(10.0),
        percent: None,
    };

    #[test]
    fn functions_become_numbers_wherever_they_stand() {
        for (text, expected) in [
            ("rgb(calc(1 + 2) 3 4)", "rgb(3 3 4)"),
            ("calc(1em + 2px) serif", "12px serif"),
            ("CALC( 2 * (3px - 1px) / 4 )", "1px"),
            ("min(1,2) max(3%, 4%) clamp(1, 5, 9)", "1 4% 5"),
            ("rotate(calc(10deg + 0.25turn))", "rotate(100deg)"),
            ("calc(sin(90deg) + pow(2, 3) + sqrt(9) + abs(-1))", "13"),
            (
                "round(up, 7px, 5px) round(2.5) mod(-1, 3) rem(-1, 3)",
                "10px 3 2 -1",
            ),
            (
                "hypot(3px, 4px) sign(-9px) atan2(1, 1) log(8, 2)",
                "5px -1 45deg 3",
            ),
            ("calc(NaN) calc(1px / 2px)", "0 0.5"),
            ("a/* b */c", "a c"),
            ("'calc(1px)' calc(2px)", "'calc(1px)' 2px"),
            ("f(calc(-infinity) 1)", "f(-1000000000000000000000000000000 1)"),
        ] {
            assert_eq!(folded(text, BASIS).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_sum_is_left_alone() {
        for text in [
            "red",
            "calc(1px + 1)",
            "calc(1 +2)",
            "calc(1px * 1px)",
            "calc(r + 1)",
            "calc(1",
            "calc()",
            "min()",
            "sin(1px)",
            "xcalc(1)",
            "clamp(1, 2)",
        ] {
            assert_eq!(folded(text, BASIS), None, "{text}");
        }
        let deep = "calc(".repeat(500) + "1" + &")".repeat(500);
        assert!(evaluate(&deep, &BASIS).is_none());
    }

    #[test]
    fn a_percentage_is_a_length_where_it_is_said() {
        let basis = Basis {
            em: Some(10.0),
            percent: Some(0.1),
        };
        assert_eq!(folded("calc(50% + 1px)", basis).as_deref(), Some("6px"));
    }

    proptest! {
        #![proptest_config(crate::cases::at_least(500))]
        #[test]
        fn any_text_is_answered(text in "(calc\\(|min\\(|round\\(|\\(|\\)|/\\*|\\*/|[0-9]|px|%| \\+ | - |\\*|/|,|'|é|infinity|-| ){0,24}") {
            let _ = folded(&text, BASIS);
            let _ = evaluate(&text, &BASIS);
        }
    }
}
